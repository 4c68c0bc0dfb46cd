/* A fuzz target: one reader, fed any bytes at all. It may refuse them with a message; it must not crash,
 * and what it accepts must survive being written and read again. Linked with libFuzzer under
 * --enable-fuzzing, else with replay.c. */
#ifndef ASSAY_TESTS_FUZZ_FUZZ_H
#define ASSAY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The name is libFuzzer's. Always 0; a broken promise ends in abort. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
