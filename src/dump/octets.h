/* Unsigned numbers out of bytes, in either order, at any alignment. Private to src/dump. */
#ifndef ASSAY_DUMP_OCTETS_H
#define ASSAY_DUMP_OCTETS_H

#include <stdint.h>

/* The number in p[0..n-1], n <= 8, least significant byte first. */
static inline uint64_t octets_little(const unsigned char *p, unsigned n)
{
  uint64_t value = 0;
  for (unsigned i = n; i-- > 0;)
    value = value << 8 | p[i];
  return value;
}

/* The same, most significant byte first. */
static inline uint64_t octets_big(const unsigned char *p, unsigned n)
{
  uint64_t value = 0;
  for (unsigned i = 0; i < n; i++)
    value = value << 8 | p[i];
  return value;
}

#endif
