/* Stored elements into doubles, exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "dump/blocks.h"
#include "dump/dump.h"
#include "dump/reader.h"

/* Whatever the machine; no alignment is assumed. */
static uint64_t load(const unsigned char *p, unsigned bytes, bool big_endian)
{
  uint64_t word = 0;
  for (unsigned i = 0; i < bytes; i++)
    word |= (uint64_t)p[i] << 8 * (big_endian ? bytes - 1 - i : i);
  return word;
}

static double from_binary64(uint64_t bits)
{
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Widening float to double is exact, subnormals included. */
static double from_binary32(uint32_t bits)
{
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

/* decode_binary16 without branches, for long runs: exponent and fraction in a binary32's fields are the value
 * times 2^-112, subnormals included; infinities and NaN have all exponent bits set there as here. Nothing
 * rounds. */
static double from_binary16(unsigned bits)
{
  uint32_t high = (bits & 0x7fffu) << 13;
  double magnitude = from_binary32(high >= 0x0f800000u ? high | 0x7f800000u : high) * 0x1p112;
  return bits & 0x8000 ? -magnitude : magnitude;
}

/* 1 sign, 4 exponent (bias 7), 3 fraction bits; the largest code is the only NaN, and there is no infinity.
 */
static double from_e4m3(unsigned bits)
{
  unsigned exponent = bits >> 3 & 15, fraction = bits & 7;
  double magnitude;
  if (exponent == 15 && fraction == 7)
    magnitude = (double)NAN;
  else if (exponent == 0)
    magnitude = ldexp((double)fraction, -9);
  else
    magnitude = ldexp((double)(fraction | 8), (int)exponent - 10);
  return bits & 0x80 ? -magnitude : magnitude;
}

/* False when |value| is no double. */
static bool from_magnitude(double *value, uint64_t magnitude, bool negative)
{
  double rounded = (double)magnitude;
  /* 2^64 does not convert back, and nothing below 2^64 - 1 rounds to it but what is no double. */
  if (rounded >= 0x1p64 || (uint64_t)rounded != magnitude)
    return false;
  *value = negative ? -rounded : rounded;
  return true;
}

static bool from_signed(double *value, uint64_t word, unsigned bits)
{
  bool negative = word >> (bits - 1) & 1;
  uint64_t ones = ~UINT64_C(0) >> (64 - bits);
  return from_magnitude(value, negative ? (~word + 1) & ones : word, negative);
}

/* One element that is no complex number, from its bits; false when it is no double (or no truth value). */
static bool from_word(double *value, dump_type type, uint64_t word)
{
  switch (type) {
  case DUMP_F64:
    *value = from_binary64(word);
    return true;
  case DUMP_F32:
    *value = from_binary32((uint32_t)word);
    return true;
  case DUMP_F16:
    *value = from_binary16((unsigned)word);
    return true;
  case DUMP_BF16: /* the upper half of a binary32 */
    *value = from_binary32((uint32_t)word << 16);
    return true;
  case DUMP_F8_E4M3:
    *value = from_e4m3((unsigned)word);
    return true;
  case DUMP_F8_E5M2:
    *value = from_binary16((unsigned)word << 8);
    return true;
  case DUMP_I64:
    return from_signed(value, word, 64);
  case DUMP_I32:
    return from_signed(value, word, 32);
  case DUMP_I16:
    return from_signed(value, word, 16);
  case DUMP_I8:
    return from_signed(value, word, 8);
  case DUMP_BOOL:
    *value = (double)word;
    return word <= 1;
  default: /* unsigned */
    return from_magnitude(value, word, false);
  }
}

/* The position of element `index` in elements from the first, by strides. */
static uint64_t find_position(const dump_tensor *tensor, uint64_t index)
{
  if (tensor->contiguous)
    return index;
  uint64_t position = 0;
  for (unsigned i = tensor->rank; i-- > 0;) {
    position += index % tensor->shape[i] * (uint64_t)tensor->stride[i];
    index /= tensor->shape[i];
  }
  return position;
}

static assay_status report_value(const dump_file *file, const dump_tensor *tensor, uint64_t index,
                                 uint64_t ahead, uint64_t word, dump_error *error)
{
  char *name = dump_quote(tensor->name);
  text what;
  text_init(&what);
  bool negative = tensor->type == DUMP_I64 && word >> 63;
  text_addf(&what, "value %llu of tensor %s, %s%llu, is no %s", (unsigned long long)index, name,
            negative ? "-" : "", (unsigned long long)(negative ? -word : word),
            tensor->type == DUMP_BOOL ? "truth value" : "double");
  dump_error_set_at(error, file->segments[tensor->segment].name, reader_place(file, tensor, ahead), "%s",
                    text_string(&what));
  text_clear(&what);
  free(name);
  return STATUS_BAD_INPUT;
}

/* Any strides, byte order and type but blocks: one element after the other. */
static assay_status decode_any(const dump_file *file, double *values, const dump_tensor *tensor,
                               const unsigned char *data, uint64_t first, size_t count, dump_error *error)
{
  unsigned lanes = dump_lanes(tensor->type), size = dump_type_bytes(tensor->type) / lanes;
  dump_type part = tensor->type == DUMP_C64 ? DUMP_F32 : tensor->type == DUMP_C128 ? DUMP_F64 : tensor->type;
  /* Along the last index by its stride; where that index begins anew, by division. */
  uint64_t row = tensor->contiguous ? count : tensor->shape[tensor->rank - 1];
  uint64_t step = tensor->contiguous ? 1 : (uint64_t)tensor->stride[tensor->rank - 1];
  uint64_t left = 0, position = 0;
  for (size_t i = 0; i < count; i++) {
    if (left == 0) {
      uint64_t index = first + i;
      position = find_position(tensor, index);
      left = tensor->contiguous ? row : row - index % row;
    }
    uint64_t ahead = position * size * lanes;
    for (unsigned lane = 0; lane < lanes; lane++) {
      uint64_t word = load(data + ahead + lane * size, size, tensor->big_endian);
      if (!from_word(&values[i * lanes + lane], part, word))
        return report_value(file, tensor, first + i, ahead, word, error);
    }
    position += step;
    left--;
  }
  return STATUS_OK;
}

static void decode_blocks(double *values, const dump_tensor *tensor, const unsigned char *data,
                          uint64_t first, size_t count)
{
  unsigned size, bytes;
  reader_block(tensor->type, &size, &bytes);
  double block[BLOCK_VALUES];
  for (size_t done = 0; done < count;) {
    uint64_t index = first + done;
    unsigned from = (unsigned)(index % size), n = size - from;
    if (n > count - done)
      n = (unsigned)(count - done);
    const unsigned char *p = data + index / size * bytes;
    if (n == size)
      block_decode(values + done, tensor->type, p, tensor->big_endian);
    else {
      block_decode(block, tensor->type, p, tensor->big_endian);
      memcpy(values + done, block + from, n * sizeof *block);
    }
    done += n;
  }
}

static inline void decode_floats(double *restrict values, const unsigned char *restrict data, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    float value;
    memcpy(&value, data + 4 * i, sizeof value);
    values[i] = (double)value;
  }
}

/* Floats in row-major order and in the machine's byte order, as nearly all that is read: whole checkpoints
 * pass through these loops, which a compiler makes wide where it knows how long they are. False when the tensor is not of that kind. */
static bool decode_fast(double *restrict values, const dump_tensor *tensor,
                        const unsigned char *restrict data, uint64_t first, size_t count)
{
  enum { AT_ONCE = 32 };
  const bool machine_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  if (!tensor->contiguous || tensor->big_endian != machine_is_big)
    return false;
  switch (tensor->type) {
  case DUMP_F64:
    memcpy(values, data + 8 * first, 8 * count);
    return true;
  case DUMP_F32:
    data += 4 * first;
    for (; count >= AT_ONCE; count -= AT_ONCE, values += AT_ONCE, data += 4 * AT_ONCE)
      decode_floats(values, data, AT_ONCE);
    decode_floats(values, data, count);
    return true;
  case DUMP_F16:
    data += 2 * first;
    for (size_t i = 0; i < count; i++) {
      uint16_t word;
      memcpy(&word, data + 2 * i, sizeof word);
      values[i] = from_binary16(word);
    }
    return true;
  case DUMP_BF16:
    data += 2 * first;
    for (size_t i = 0; i < count; i++) {
      uint16_t word;
      memcpy(&word, data + 2 * i, sizeof word);
      values[i] = from_binary32((uint32_t)word << 16);
    }
    return true;
  default:
    return false;
  }
}

assay_status dump_values(const dump_file *file, double *values, const dump_tensor *tensor, uint64_t first,
                         size_t count, dump_error *error)
{
  if (tensor->type == DUMP_OTHER) {
    char *name = dump_quote(tensor->name);
    dump_error_set_tensor(error, file, tensor, "tensor %s has type %s, whose values cannot be read", name,
                          tensor->type_name);
    free(name);
    return STATUS_BAD_INPUT;
  }
  if (first > tensor->count || count > tensor->count - first) {
    char *name = dump_quote(tensor->name);
    dump_error_set_tensor(error, file, tensor, "tensor %s has %llu values; some beyond were asked for", name,
                          (unsigned long long)tensor->count);
    free(name);
    return STATUS_BAD_INPUT;
  }
  if (count == 0)
    return STATUS_OK;
  if (reader_inflate(file, tensor->segment, error) != STATUS_OK)
    return STATUS_BAD_INPUT;
  const unsigned char *data = file->segments[tensor->segment].data + tensor->offset;
  if (dump_type_bytes(tensor->type) == 0) {
    decode_blocks(values, tensor, data, first, count);
    return STATUS_OK;
  }
  return decode_fast(values, tensor, data, first, count)
             ? STATUS_OK
             : decode_any(file, values, tensor, data, first, count, error);
}
