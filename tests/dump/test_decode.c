/* Values as doubles: all 8- and 16-bit floats against exact integers, every type in both byte orders,
 * strides, and quantized blocks against a table that tools/make-block-table.py made the other way round. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/statistics.h"
#include "made.h"

/* A small format: 1 sign bit, `exponents` and `fractions` bits. Its finite values in units of its least
 * positive number are integers: fraction, or (2^fractions + fraction) 2^(exponent - 1). They and the unit are
 * powers of two times integers below 2^53, so that the product below is exact. */
typedef struct {
  dump_type type;
  unsigned exponents, fractions;
  double unit;
  bool
      infinite; /* the last exponent is for infinities and NaN; else only the last code of each sign is NaN */
} small_format;

static const small_format formats[] = {
    {DUMP_F16, 5, 10, 0x1p-24, true},
    {DUMP_F8_E4M3, 4, 3, 0x1p-9, false},
    {DUMP_F8_E5M2, 5, 2, 0x1p-16, true},
};

static double value_of(const small_format *f, unsigned code)
{
  unsigned fraction = code & ((1u << f->fractions) - 1), last = (1u << f->exponents) - 1;
  unsigned exponent = code >> f->fractions & last;
  bool negative = code >> (f->exponents + f->fractions) & 1;
  if (f->infinite ? exponent == last && fraction != 0
                  : exponent == last && fraction == (1u << f->fractions) - 1)
    return (double)NAN;
  if (f->infinite && exponent == last)
    return negative ? -(double)INFINITY : (double)INFINITY;
  uint64_t units = exponent == 0 ? fraction : (uint64_t)((1u << f->fractions) + fraction) << (exponent - 1);
  double value = (double)units * f->unit;
  return negative ? -value : value;
}

static void check_same(double x, double y, unsigned code)
{
  ck_assert_msg(isnan(x) ? isnan(y) : x == y && signbit(x) == signbit(y), "code 0x%x: %a, not %a", code, x,
                y);
}

/* All codes at once (the fast way), one by one, and in the other byte order. */
START_TEST(test_small_floats)
{
  const small_format *f = &formats[_i];
  unsigned size = f->exponents + f->fractions + 1 == 16 ? 2 : 1, codes = size == 2 ? 65536 : 256;
  unsigned char *little = malloc((size_t)size * codes), *big = malloc((size_t)size * codes);
  for (unsigned code = 0; code < codes; code++)
    for (unsigned i = 0; i < size; i++) {
      little[size * code + i] = (unsigned char)(code >> (8 * i));
      big[size * code + i] = (unsigned char)(code >> (8 * (size - 1 - i)));
    }
  uint64_t shape[] = {codes};
  double *values = malloc(codes * sizeof *values), *others = malloc(codes * sizeof *others), one;
  dump_file *a = made_dump(little, (size_t)size * codes, 0, f->type, 1, shape, NULL, false);
  dump_file *b = made_dump(big, (size_t)size * codes, 0, f->type, 1, shape, NULL, true);
  made_values(values, a, 0, codes);
  made_values(others, b, 0, codes);
  unsigned nan = 0, infinite = 0;
  for (unsigned code = 0; code < codes; code++) {
    double wanted = value_of(f, code);
    check_same(wanted, values[code], code);
    check_same(wanted, others[code], code);
    made_values(&one, a, code, 1);
    check_same(wanted, one, code);
    nan += isnan(wanted);
    infinite += isinf(wanted) != 0;
  }
  ck_assert_uint_eq(infinite, f->infinite ? 2 : 0);
  ck_assert_uint_eq(nan, f->infinite ? 2 * ((1u << f->fractions) - 1) : 2);
  dump_close(a);
  dump_close(b);
  free(values);
  free(others);
  free(little);
  free(big);
}
END_TEST

/* Single values known from the formats' definitions. */
START_TEST(test_known_floats)
{
  static const struct {
    dump_type type;
    unsigned code;
    double value;
  } known[] = {
      {DUMP_F16, 0x7bff, 65504},       {DUMP_F16, 0x0400, 0x1p-14},   {DUMP_F16, 0x3555, 0.333251953125},
      {DUMP_F8_E4M3, 0x7e, 448},       {DUMP_F8_E4M3, 0x08, 0x1p-6},  {DUMP_F8_E4M3, 0x01, 0x1p-9},
      {DUMP_F8_E4M3, 0xb8, -1},        {DUMP_F8_E5M2, 0x7b, 57344},   {DUMP_F8_E5M2, 0x04, 0x1p-14},
      {DUMP_F8_E5M2, 0x01, 0x1p-16},   {DUMP_F8_E5M2, 0xbc, -1},      {DUMP_BF16, 0x3f80, 1},
      {DUMP_BF16, 0x7f7f, 0x1.fep127}, {DUMP_BF16, 0x0001, 0x1p-133}, {DUMP_BF16, 0x0080, 0x1p-126},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    unsigned char data[2] = {(unsigned char)known[i].code, (unsigned char)(known[i].code >> 8)};
    double value;
    dump_file *file = made_dump(data, 2, 0, known[i].type, 0, NULL, NULL, false);
    made_values(&value, file, 0, 1);
    ck_assert_msg(value == known[i].value, "0x%x: %a", known[i].code, value);
    dump_close(file);
  }
}
END_TEST

/* (128 + fraction) 2^(exponent - 134) for normal numbers. */
START_TEST(test_bfloat16)
{
  unsigned char *data = malloc(2 * 65536);
  for (unsigned code = 0; code < 65536; code++) {
    data[2 * code] = (unsigned char)code;
    data[2 * code + 1] = (unsigned char)(code >> 8);
  }
  double *values = malloc(65536 * sizeof *values);
  uint64_t shape[] = {256, 256};
  dump_file *file = made_dump(data, 2 * 65536, 0, DUMP_BF16, 2, shape, NULL, false);
  made_values(values, file, 0, 65536);
  for (unsigned code = 0; code < 65536; code++) {
    int exponent = (int)(code >> 7 & 255), fraction = (int)(code & 127);
    double wanted = exponent == 255 ? fraction != 0 ? (double)NAN : (double)INFINITY
                    : exponent == 0 ? ldexp(fraction, -133)
                                    : ldexp(128 + fraction, exponent - 134);
    check_same(code >> 15 ? -wanted : wanted, values[code], code);
  }
  dump_close(file);
  free(values);
  free(data);
}
END_TEST

/* Every type of whole bytes: bytes most significant first, and the two numbers that they stand for. */
static const struct {
  dump_type type;
  unsigned size;
  unsigned char big[32];
  double values[4];
} plain[] = {
    {DUMP_F64, 8, {0x3f, 0xf8, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 1}, {1.5, -0x1p-1074}},
    {DUMP_F32, 4, {0xbf, 0xc0, 0, 0, 0, 0, 0, 1}, {-1.5, 0x1p-149}},
    {DUMP_F16, 2, {0x3c, 0, 0x80, 1}, {1, -0x1p-24}},
    {DUMP_BF16, 2, {0xbf, 0xc0, 0x3f, 0x81}, {-1.5, 0x1.02p0}},
    {DUMP_F8_E4M3, 1, {0x39, 0xff}, {1.125, (double)NAN}},
    {DUMP_F8_E5M2, 1, {0x3d, 0xfc}, {1.25, -(double)INFINITY}},
    {DUMP_I64, 8, {0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0}, {-0x1p63, 0x1p53}},
    {DUMP_I32, 4, {0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}, {-2147483648.0, 2147483647.0}},
    {DUMP_I16, 2, {0x80, 0, 0x01, 0x02}, {-32768, 258}},
    {DUMP_I8, 1, {0x80, 0x7f}, {-128, 127}},
    {DUMP_U64,
     8,
     {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xf8, 0, 0, 0, 0, 0, 0, 0, 1, 2},
     {0x1.fffffffffffffp63, 258}},
    {DUMP_U32, 4, {0xff, 0xff, 0xff, 0xff, 0, 0, 1, 2}, {4294967295.0, 258}},
    {DUMP_U16, 2, {0xff, 0xfe, 0, 3}, {65534, 3}},
    {DUMP_U8, 1, {0xff, 7}, {255, 7}},
    {DUMP_BOOL, 1, {1, 0}, {1, 0}},
    {DUMP_C64, 8, {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0x3f, 0, 0, 0}, {1, -2, 0, 0.5}},
    {DUMP_C128,
     16,
     {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0,
      0x3f, 0xe0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 1},
     {1, -2, 0.5, 0x1p-1074}},
};

START_TEST(test_plain_types)
{
  unsigned size = plain[_i].size, lanes = dump_lanes(plain[_i].type), part = size / lanes;
  ck_assert_uint_eq(dump_type_bytes(plain[_i].type), size);
  /* One byte ahead, so that nothing is aligned. */
  unsigned char big[40] = {0}, little[40] = {0};
  for (unsigned i = 0; i < 2 * size; i++) {
    big[1 + i] = plain[_i].big[i];
    little[1 + i] = plain[_i].big[i / part * part + part - 1 - i % part];
  }
  uint64_t shape[] = {2};
  double values[4];
  for (unsigned order = 0; order < 2; order++) {
    dump_file *file =
        made_dump(order ? big : little, 1 + 2 * size, 1, plain[_i].type, 1, shape, NULL, order == 1);
    made_values(values, file, 0, 2);
    for (unsigned i = 0; i < 2 * lanes; i++)
      check_same(plain[_i].values[i], values[i], i);
    made_values(values, file, 1, 1);
    for (unsigned i = 0; i < lanes; i++)
      check_same(plain[_i].values[lanes + i], values[i], i);
    dump_close(file);
  }
}
END_TEST

/* What is no double, and what is no truth value: the message, and where. */
static const struct {
  dump_type type;
  unsigned size;
  uint64_t word;
  const char *message;
} refused[] = {
    {DUMP_I64, 8, UINT64_C(0xffdfffffffffffff), "value 1 of tensor \"x\", -9007199254740993, is no double"},
    {DUMP_I64, 8, INT64_MAX, "value 1 of tensor \"x\", 9223372036854775807, is no double"},
    {DUMP_U64, 8, UINT64_MAX, "value 1 of tensor \"x\", 18446744073709551615, is no double"},
    {DUMP_U64, 8, UINT64_C(0x8000000000000001), "value 1 of tensor \"x\", 9223372036854775809, is no double"},
    {DUMP_BOOL, 1, 2, "value 1 of tensor \"x\", 2, is no truth value"},
};

START_TEST(test_refused_values)
{
  unsigned char data[16] = {0};
  unsigned size = refused[_i].size;
  for (unsigned i = 0; i < size; i++)
    data[size + i] = (unsigned char)(refused[_i].word >> (8 * i));
  uint64_t shape[] = {2};
  dump_file *file = made_dump(data, 2 * size, 0, refused[_i].type, 1, shape, NULL, false);
  double values[2];
  made_values(values, file, 0, 1);
  ck_assert(values[0] == 0);
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(dump_values(file, values, dump_get(file, 0), 0, 2, &error), STATUS_BAD_INPUT);
  ck_assert_str_eq(error.message, refused[_i].message);
  ck_assert_uint_eq(error.offset, size);
  ck_assert_str_eq(error.file, "made");
  dump_error_clear(&error);
  dump_close(file);
}
END_TEST

/* Views over bytes 0, 1, 2, ...: element [i, j, k] has the value that its strides say. */
START_TEST(test_strides)
{
  static const struct {
    uint64_t offset, shape[3];
    int64_t stride[3];
    bool contiguous;
  } views[] = {
      {0, {2, 3, 4}, {12, 4, 1}, true},  {7, {2, 3, 4}, {12, 4, 1}, true},
      {0, {4, 3, 2}, {1, 4, 12}, false}, {3, {2, 3, 4}, {1, 2, 6}, false},
      {0, {5, 1, 4}, {4, 99, 1}, true},  {1, {3, 3, 3}, {20, 0, 2}, false},
      {0, {3, 2, 1}, {0, 0, 0}, false},  {9, {1, 1, 1}, {7, 7, 7}, true},
      {2, {4, 3, 2}, {7, 2, 1}, false},  {11, {2, 2, 17}, {40, 18, 1}, false},
  };
  unsigned char data[128];
  for (unsigned i = 0; i < sizeof data; i++)
    data[i] = (unsigned char)i;
  for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
    dump_file *file =
        made_dump(data, sizeof data, views[v].offset, DUMP_U8, 3, views[v].shape, views[v].stride, false);
    const dump_tensor *tensor = dump_get(file, 0);
    ck_assert_msg(tensor->contiguous == views[v].contiguous, "view %zu", v);
    double all[128], one;
    made_values(all, file, 0, (size_t)tensor->count);
    uint64_t index = 0, largest = 0;
    for (uint64_t i = 0; i < views[v].shape[0]; i++)
      for (uint64_t j = 0; j < views[v].shape[1]; j++)
        for (uint64_t k = 0; k < views[v].shape[2]; k++) {
          uint64_t wanted = views[v].offset + i * (uint64_t)views[v].stride[0] +
                            j * (uint64_t)views[v].stride[1] + k * (uint64_t)views[v].stride[2];
          largest = wanted > largest ? wanted : largest;
          ck_assert_msg(all[index] == (double)wanted, "view %zu: %g, not %d", v, all[index], (int)wanted);
          made_values(&one, file, index++, 1);
          ck_assert(one == (double)wanted);
        }
    ck_assert_uint_eq(tensor->count, index);
    ck_assert_uint_eq(tensor->bytes, largest - views[v].offset + 1);
    /* From the middle of a row across the next. */
    if (tensor->count > 7) {
      double some[5];
      made_values(some, file, 2, 5);
      ck_assert(memcmp(some, all + 2, sizeof some) == 0);
    }
    dump_close(file);
  }
}
END_TEST

/* A transposed view of doubles and of complex numbers. */
START_TEST(test_wide_strides)
{
  double numbers[12], values[12];
  for (int i = 0; i < 12; i++)
    numbers[i] = i + 0.5;
  bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  dump_file *file = made_dump((unsigned char *)numbers, sizeof numbers, 8, DUMP_F64, 2, (uint64_t[]){3, 2},
                              (int64_t[]){1, 4}, big);
  made_values(values, file, 0, 6);
  ck_assert(values[0] == 1.5 && values[1] == 5.5 && values[2] == 2.5 && values[5] == 7.5);
  ck_assert_uint_eq(dump_get(file, 0)->bytes, 7 * 8);
  dump_close(file);
  file = made_dump((unsigned char *)numbers, sizeof numbers, 0, DUMP_C128, 2, (uint64_t[]){2, 3},
                   (int64_t[]){1, 2}, big);
  made_values(values, file, 1, 2);
  ck_assert(values[0] == 4.5 && values[1] == 5.5 && values[2] == 8.5 && values[3] == 9.5);
  dump_close(file);
}
END_TEST

static const struct {
  const char *name;
  dump_type type;
} blocks[] = {{"Q4_0", DUMP_Q4_0}, {"Q4_1", DUMP_Q4_1}, {"Q5_0", DUMP_Q5_0}, {"Q5_1", DUMP_Q5_1},
              {"Q8_0", DUMP_Q8_0}, {"Q2_K", DUMP_Q2_K}, {"Q3_K", DUMP_Q3_K}, {"Q4_K", DUMP_Q4_K},
              {"Q5_K", DUMP_Q5_K}, {"Q6_K", DUMP_Q6_K}};

/* One block, read whole and in two pieces. */
static void check_block(dump_type type, const unsigned char *data, size_t length, const double *wanted)
{
  unsigned n, bytes;
  reader_block(type, &n, &bytes);
  ck_assert_uint_eq(bytes, length);
  ck_assert_uint_eq(dump_type_bytes(type), 0);
  uint64_t shape[] = {n};
  dump_file *file = made_dump(data, length, 0, type, 1, shape, NULL, false);
  ck_assert_uint_eq(dump_get(file, 0)->bytes, bytes);
  double values[256];
  made_values(values, file, 0, n);
  for (unsigned i = 0; i < n; i++)
    ck_assert_msg(values[i] == wanted[i], "type %d, value %u: %a, not %a", (int)type, i, values[i],
                  wanted[i]);
  made_values(values, file, 5, n - 6);
  for (unsigned i = 0; i < n - 6; i++)
    ck_assert(values[i] == wanted[5 + i]);
  dump_close(file);
}

static unsigned read_hex(unsigned char *data, const char *hex)
{
  unsigned n = 0;
  for (; strchr("0123456789abcdef", hex[2 * n]) != NULL && hex[2 * n] != 0; n++) {
    unsigned byte;
    ck_assert_int_eq(sscanf(hex + 2 * n, "%2x", &byte), 1);
    data[n] = (unsigned char)byte;
  }
  return n;
}

START_TEST(test_blocks)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/tests/dump/data/blocks.txt", top != NULL ? top : ".");
  FILE *in = fopen(path, "r");
  ck_assert_msg(in != NULL, "cannot open %s", path);
  static char line[8192];
  unsigned seen[10] = {0};
  while (fgets(line, sizeof line, in) != NULL) {
    unsigned kind = 0;
    while (kind < 10 && strncmp(line, blocks[kind].name, 4) != 0)
      kind++;
    ck_assert_uint_lt(kind, 10);
    unsigned char data[256];
    unsigned length = read_hex(data, line + 5), n = 0;
    ck_assert_ptr_nonnull(fgets(line, sizeof line, in));
    double wanted[256];
    for (char *p = line; *p != '\n' && n < 256; n++)
      wanted[n] = (double)strtoll(p, &p, 10) * 0x1p-24;
    ck_assert_uint_eq(n, kind < 5 ? 32 : 256);
    check_block(blocks[kind].type, data, length, wanted);
    seen[kind]++;
  }
  fclose(in);
  for (unsigned i = 0; i < 10; i++)
    ck_assert_uint_ge(seen[i], 2);
}
END_TEST

/* Rows of two blocks; big-endian scales; a scale that is no number. */
START_TEST(test_block_rows)
{
  unsigned char data[4 * 34] = {0};
  for (unsigned b = 0; b < 4; b++) {
    data[34 * b] = 0x3c + (unsigned char)(4 * b); /* 1, 2, 4, 8, big-endian */
    for (unsigned i = 0; i < 32; i++)
      data[34 * b + 2 + i] = (unsigned char)i;
  }
  data[3 * 34] = 0x7c; /* infinite */
  dump_file *file = made_dump(data, sizeof data, 0, DUMP_Q8_0, 2, (uint64_t[]){2, 64}, NULL, true);
  double values[128];
  made_values(values, file, 0, 128);
  ck_assert(values[31] == 31 && values[32] == 0 && values[63] == 62 && values[64 + 31] == 124);
  ck_assert(isnan(values[96]) && isinf(values[97]));
  made_values(values, file, 30, 5);
  ck_assert(values[0] == 30 && values[1] == 31 && values[2] == 0 && values[4] == 4);
  dump_close(file);
  /* The fifth bits in the order of a big-endian word: bit 0 is in the last byte. */
  unsigned char five[22] = {0x3c, 0, 0, 0, 0, 1};
  file = made_dump(five, sizeof five, 0, DUMP_Q5_0, 1, (uint64_t[]){32}, NULL, true);
  made_values(values, file, 0, 32);
  ck_assert(values[0] == 0 && values[1] == -16);
  dump_close(file);
}
END_TEST

/* Counts and extremes, subnormal in the sense of the stored type; more than one piece of values. */
START_TEST(test_statistics)
{
  dump_error error;
  dump_error_init(&error);
  dump_statistics s;
  unsigned char half[] = {0, 0x7c, 1, 0x7e, 0xff, 0x03, 0, 0x80, 0, 0x04, 0, 0xc0, 1, 0x80};
  dump_file *file = made_dump(half, sizeof half, 0, DUMP_F16, 1, (uint64_t[]){7}, NULL, false);
  ck_assert_int_eq(dump_measure(&s, file, dump_get(file, 0), &error), STATUS_OK);
  ck_assert(s.known && s.has_finite && s.least == -2 && s.most == 0x1p-14);
  ck_assert(s.infinite == 1 && s.nan == 1 && s.zero == 1 && s.subnormal == 2);
  dump_close(file);
  file = made_dump(half, 4, 0, DUMP_F16, 1, (uint64_t[]){2}, NULL, false);
  ck_assert_int_eq(dump_measure(&s, file, dump_get(file, 0), &error), STATUS_OK);
  ck_assert(s.known && !s.has_finite && s.infinite == 1 && s.nan == 1);
  dump_close(file);
  enum { MANY = 10001 };
  float *single = calloc(MANY, sizeof *single);
  single[0] = -0x1p-127f;
  single[5000] = 3;
  single[MANY - 1] = -7;
  bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  file = made_dump((unsigned char *)single, MANY * 4, 0, DUMP_F32, 1, (uint64_t[]){MANY}, NULL, big);
  ck_assert_int_eq(dump_measure(&s, file, dump_get(file, 0), &error), STATUS_OK);
  ck_assert(s.least == -7 && s.most == 3 && s.zero == MANY - 3 && s.subnormal == 1);
  dump_close(file);
  /* 2^40 elements of one byte each, all the same: not to be waited for. */
  file = made_dump(half, 1, 0, DUMP_U8, 1, (uint64_t[]){UINT64_C(1) << 40}, (int64_t[]){0}, false);
  ck_assert_int_eq(dump_measure(&s, file, dump_get(file, 0), &error), STATUS_BAD_INPUT);
  ck_assert(!s.known && strstr(error.message, "over and over") != NULL);
  dump_error_clear(&error);
  dump_close(file);
  free(single);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("decoding");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_loop_test(all, test_small_floats, 0, sizeof formats / sizeof *formats);
  tcase_add_test(all, test_known_floats);
  tcase_add_test(all, test_bfloat16);
  tcase_add_loop_test(all, test_plain_types, 0, sizeof plain / sizeof *plain);
  tcase_add_loop_test(all, test_refused_values, 0, sizeof refused / sizeof *refused);
  tcase_add_test(all, test_strides);
  tcase_add_test(all, test_wide_strides);
  tcase_add_test(all, test_blocks);
  tcase_add_test(all, test_block_rows);
  tcase_add_test(all, test_statistics);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
