/* The numbers of the exponential in scan_avx512.c; tests/gappa/scan-table.g proves what it comes to. */
#ifndef ASSAY_SIM_SCAN_TABLE_H
#define ASSAY_SIM_SCAN_TABLE_H

/* Adding it to a double below 2^46 in absolute value rounds that to a multiple of 1/16, whose sixteenths the low bits
 * then hold. */
#define SHIFT_SIXTEENTHS 0x1.8p48

/* 2^f up to 2^-56.9 of it, |f| <= 1/32, is 1 + f (F1 + f (F2 + ...)). */
#define F1 0x1.62e42fefa39fdp-1
#define F2 0x1.ebfbdff82c553p-3
#define F3 0x1.c6b08d6e8ba08p-5
#define F4 0x1.3b2ab6fe272c3p-7
#define F5 0x1.5d89bdcd027dap-10
#define F6 0x1.430818ad73dddp-13

/* 2^(j/16), rounded. */
static const double scan_sixteenths[16] __attribute__((aligned(64))) = {
  0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
  0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
  0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
  0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0,
};

#endif
