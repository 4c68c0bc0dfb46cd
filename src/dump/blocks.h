/* Blocks of quantized values, as GGML lays them out: Q4_0 to Q8_0 (32 values), Q2_K to Q6_K (256 values).
 * Private to src/dump.
 *
 * A value is scale * q or scale * q - minimum (or + minimum), q a small integer; scales are binary16, in the
 * 256-value blocks times small integers of their own. The product and the sum are formed exactly: binary16
 * numbers are multiples of 2^-24 below 2^16, q has at most 8 bits and an inner scale at most 8, so that
 * everything is a multiple of 2^-24 below 2^29, which a double holds. (GGML itself rounds sums to binary32.)
 * A scale that is no finite number gives values that are none.
 *
 * Source: the description of the blocks in ggml's ggml-quants and gguf-py's quants. */
#ifndef ASSAY_DUMP_BLOCKS_H
#define ASSAY_DUMP_BLOCKS_H

#include "dump/dump.h"

enum { BLOCK_VALUES = 256 /* at most */ };

/* The values of the block that begins at p. Big-endian concerns the binary16 scales and the word of fifth
 * bits in Q5_0 and Q5_1. */
void block_decode(double *values, dump_type type, const unsigned char *p, bool big_endian);

/* 1 sign, 5 exponent, 10 fraction bits. */
double decode_binary16(unsigned bits);

#endif
