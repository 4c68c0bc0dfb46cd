/* Whether the machine computes as every error bound assumes; to be called once when a program starts. */
#ifndef ASSAY_ARITH_SELF_TEST_H
#define ASSAY_ARITH_SELF_TEST_H

/* NULL, or what is wrong: rounding other than to nearest, subnormal numbers flushed to zero (as results or
 * as operands), an enclosure of 1/3, 1/10 or half the smallest positive double that does not hold it. */
const char *self_test_run(void);

#endif
