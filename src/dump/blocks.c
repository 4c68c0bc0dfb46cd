/* Quantized blocks into doubles. */
#include "dump/blocks.h"

#include <math.h>

static double scale_at(const unsigned char *p, bool big_endian)
{
  return decode_binary16(big_endian ? (unsigned)p[0] << 8 | p[1] : (unsigned)p[1] << 8 | p[0]);
}

/* Value j is in the lower, value j + 16 in the upper half of byte j. */
static void decode_nibbles(int *q, const unsigned char *p)
{
  for (unsigned j = 0; j < 16; j++) {
    q[j] = p[j] & 15;
    q[j + 16] = p[j] >> 4;
  }
}

/* Bit j of the word is the fifth bit of value j. */
static void add_fifth_bits(int *q, const unsigned char *p, bool big_endian)
{
  for (unsigned j = 0; j < 32; j++) {
    unsigned byte = big_endian ? 3 - j / 8 : j / 8;
    q[j] |= (p[byte] >> j % 8 & 1) << 4;
  }
}

static void decode_small(double *values, dump_type type, const unsigned char *p, bool big_endian)
{
  bool has_minimum = type == DUMP_Q4_1 || type == DUMP_Q5_1;
  bool has_fifth = type == DUMP_Q5_0 || type == DUMP_Q5_1;
  double scale = scale_at(p, big_endian), minimum = has_minimum ? scale_at(p + 2, big_endian) : 0;
  p += has_minimum ? 4 : 2;
  int q[32];
  if (type == DUMP_Q8_0)
    for (unsigned j = 0; j < 32; j++)
      q[j] = (signed char)p[j];
  else
    decode_nibbles(q, has_fifth ? p + 4 : p);
  if (has_fifth)
    add_fifth_bits(q, p, big_endian);
  int zero = type == DUMP_Q4_0 ? 8 : type == DUMP_Q5_0 ? 16 : 0;
  for (unsigned j = 0; j < 32; j++)
    values[j] = has_minimum ? scale * q[j] + minimum : scale * (q[j] - zero);
}

/* 16 bytes of scale (lower) and minimum (upper half); 64 bytes of 2-bit values; d, dmin. Groups of 16. */
static void decode_q2(double *values, const unsigned char *p, bool big_endian)
{
  const unsigned char *groups = p, *bits = p + 16;
  double d = scale_at(p + 80, big_endian), dmin = scale_at(p + 82, big_endian);
  for (unsigned i = 0; i < 256; i++) {
    unsigned half = i / 128, plane = i / 32 % 4, byte = 32 * half + i % 32;
    int q = bits[byte] >> 2 * plane & 3;
    values[i] = d * (groups[i / 16] & 15) * q - dmin * (groups[i / 16] >> 4);
  }
}

/* 32 bytes of third bits; 64 bytes of 2-bit values; 12 bytes of 16 6-bit scales; d. Groups of 16. */
static void decode_q3(double *values, const unsigned char *p, bool big_endian)
{
  const unsigned char *third = p, *bits = p + 32, *packed = p + 96;
  double d = scale_at(p + 108, big_endian);
  for (unsigned i = 0; i < 256; i++) {
    unsigned group = i / 16, plane = i / 32;
    int low = group < 8 ? packed[group] & 15 : packed[group - 8] >> 4;
    int high = packed[8 + group % 4] >> 2 * (group / 4) & 3;
    int q = bits[32 * (i / 128) + i % 32] >> 2 * (plane % 4) & 3;
    q -= third[i % 32] >> plane & 1 ? 0 : 4;
    values[i] = d * ((low | high << 4) - 32) * q;
  }
}

/* The 6-bit scale and minimum of group j of 8, packed into 12 bytes: the first four of each are the lower
 * bits of bytes j and j + 4; of the others 4 bits are in bytes 8 to 11, 2 bits on top of the first eight. */
static void unpack_scale(int *scale, int *minimum, const unsigned char *packed, unsigned j)
{
  if (j < 4) {
    *scale = packed[j] & 63;
    *minimum = packed[j + 4] & 63;
  } else {
    *scale = (packed[j + 4] & 15) | packed[j - 4] >> 6 << 4;
    *minimum = packed[j + 4] >> 4 | packed[j] >> 6 << 4;
  }
}

/* d, dmin; 12 bytes of scales; in Q5_K 32 bytes of fifth bits; 128 bytes of 4-bit values. Groups of 32, two
 * in each 32 bytes: first the lower, then the upper halves. */
static void decode_q4_q5(double *values, const unsigned char *p, bool has_fifth, bool big_endian)
{
  double d = scale_at(p, big_endian), dmin = scale_at(p + 2, big_endian);
  const unsigned char *packed = p + 4, *fifth = p + 16, *bits = has_fifth ? p + 48 : p + 16;
  for (unsigned group = 0; group < 8; group++) {
    int scale, minimum;
    unpack_scale(&scale, &minimum, packed, group);
    for (unsigned j = 0; j < 32; j++) {
      int q = bits[32 * (group / 2) + j] >> 4 * (group % 2) & 15;
      if (has_fifth)
        q |= (fifth[j] >> group & 1) << 4;
      values[32 * group + j] = d * scale * q - dmin * minimum;
    }
  }
}

/* 128 bytes of lower 4 bits; 64 bytes of upper 2 bits; 16 signed scales; d. Groups of 16. Of each half, four
 * runs of 32 values share 64 + 32 bytes. */
static void decode_q6(double *values, const unsigned char *p, bool big_endian)
{
  double d = scale_at(p + 208, big_endian);
  for (unsigned i = 0; i < 256; i++) {
    unsigned half = i / 128, run = i / 32 % 4, j = i % 32;
    int low = p[64 * half + 32 * (run % 2) + j] >> 4 * (run / 2) & 15;
    int high = p[128 + 32 * half + j] >> 2 * run & 3;
    int scale = (signed char)p[192 + i / 16];
    values[i] = d * scale * ((low | high << 4) - 32);
  }
}

void block_decode(double *values, dump_type type, const unsigned char *p, bool big_endian)
{
  switch (type) {
  case DUMP_Q2_K:
    decode_q2(values, p, big_endian);
    break;
  case DUMP_Q3_K:
    decode_q3(values, p, big_endian);
    break;
  case DUMP_Q4_K:
  case DUMP_Q5_K:
    decode_q4_q5(values, p, type == DUMP_Q5_K, big_endian);
    break;
  case DUMP_Q6_K:
    decode_q6(values, p, big_endian);
    break;
  default:
    decode_small(values, type, p, big_endian);
  }
}

double decode_binary16(unsigned bits)
{
  unsigned exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double magnitude;
  if (exponent == 0x1f)
    magnitude = fraction != 0 ? (double)NAN : (double)INFINITY;
  else if (exponent == 0)
    magnitude = ldexp((double)fraction, -24);
  else
    magnitude = ldexp((double)(fraction | 0x400), (int)exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}
