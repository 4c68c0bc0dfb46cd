/* The types of elements: names, sizes, blocks. */
#include <string.h>

#include "dump/dump.h"
#include "dump/reader.h"

static const struct {
  const char *name; /* in safetensors' spelling; NULL where it has none */
  unsigned bytes;   /* per block */
  unsigned values;  /* per block */
} types[] = {
    [DUMP_F64] = {"F64", 8, 1},
    [DUMP_F32] = {"F32", 4, 1},
    [DUMP_F16] = {"F16", 2, 1},
    [DUMP_BF16] = {"BF16", 2, 1},
    [DUMP_F8_E4M3] = {"F8_E4M3", 1, 1},
    [DUMP_F8_E5M2] = {"F8_E5M2", 1, 1},
    [DUMP_I64] = {"I64", 8, 1},
    [DUMP_I32] = {"I32", 4, 1},
    [DUMP_I16] = {"I16", 2, 1},
    [DUMP_I8] = {"I8", 1, 1},
    [DUMP_U64] = {"U64", 8, 1},
    [DUMP_U32] = {"U32", 4, 1},
    [DUMP_U16] = {"U16", 2, 1},
    [DUMP_U8] = {"U8", 1, 1},
    [DUMP_BOOL] = {"BOOL", 1, 1},
    [DUMP_C64] = {"C64", 8, 1},
    [DUMP_C128] = {"C128", 16, 1},
    /* One or two binary16 scales, then 4, 5 or 8 bits per value ... */
    [DUMP_Q4_0] = {NULL, 2 + 16, 32},
    [DUMP_Q4_1] = {NULL, 4 + 16, 32},
    [DUMP_Q5_0] = {NULL, 2 + 4 + 16, 32},
    [DUMP_Q5_1] = {NULL, 4 + 4 + 16, 32},
    [DUMP_Q8_0] = {NULL, 2 + 32, 32},
    /* ... and with small integer scales for groups of 16 or 32 values besides. */
    [DUMP_Q2_K] = {NULL, 16 + 64 + 4, 256},
    [DUMP_Q3_K] = {NULL, 32 + 64 + 12 + 2, 256},
    [DUMP_Q4_K] = {NULL, 4 + 12 + 128, 256},
    [DUMP_Q5_K] = {NULL, 4 + 12 + 32 + 128, 256},
    [DUMP_Q6_K] = {NULL, 128 + 64 + 16 + 2, 256},
    [DUMP_OTHER] = {NULL, 0, 0},
};

dump_type reader_type(const char *name)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].name != NULL && strcmp(name, types[i].name) == 0)
      return (dump_type)i;
  return DUMP_OTHER;
}

void reader_block(dump_type type, unsigned *values, unsigned *bytes)
{
  *values = types[type].values;
  *bytes = types[type].bytes;
}

unsigned dump_lanes(dump_type type)
{
  return type == DUMP_C64 || type == DUMP_C128 ? 2 : 1;
}

unsigned dump_type_bytes(dump_type type)
{
  return types[type].values == 1 ? types[type].bytes : 0;
}
