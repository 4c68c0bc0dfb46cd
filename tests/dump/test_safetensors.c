/* The safetensors reader: exact values, and a message with the right offset for everything that can be wrong.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump/dump.h"
#include "fixture.h"
/* After the others, in which `bytes` is no type. */
#include "bytes.h"

static double first_value(dump_file *file, const char *name)
{
  double value = 0;
  dump_error error;
  dump_error_init(&error);
  const dump_tensor *tensor = dump_find(file, name);
  ck_assert_ptr_nonnull(tensor);
  ck_assert_int_eq(dump_values(file, &value, tensor, 0, 1, &error), STATUS_OK);
  return value;
}

static dump_file *open_good(const bytes *made)
{
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_read("good", made->data, made->length, NULL, &error);
  if (file == NULL)
    ck_abort_msg("%s (byte %llu)", error.message, (unsigned long long)error.offset);
  return file;
}

/* Fails to open, with `part` in the message at the given offset. */
static void expect_error(const bytes *made, uint64_t offset, const char *part)
{
  dump_error error;
  dump_error_init(&error);
  /* A copy of exactly that length: a read past the end is seen by the sanitizer. */
  unsigned char *copy = malloc(made->length + (made->length == 0));
  memcpy(copy, made->data, made->length);
  dump_file *file = dump_read("bad", copy, made->length, NULL, &error);
  ck_assert_msg(file == NULL, "accepted, where this was expected: %s", part);
  ck_assert_msg(strstr(error.message, part) != NULL, "\"%s\" lacks \"%s\"", error.message, part);
  ck_assert(error.has_offset);
  ck_assert_msg(error.offset == offset, "%s: offset %llu, not %llu", error.message,
                (unsigned long long)error.offset, (unsigned long long)offset);
  ck_assert_str_eq(error.file, "bad");
  dump_error_clear(&error);
  free(copy);
}

START_TEST(test_good)
{
  const unsigned char data[] = {
      0,    0,    0,    0,    0,    0,    0xf8, 0x3f,             /* 1.5, binary64 */
      0,    0,    0x80, 0xbf, 0xcd, 0xcc, 0xcc, 0x3d, 1, 0, 0, 0, /* -1; 13421773 2^-27; 2^-149, binary32 */
      0xc0, 0xbf,                                                 /* -1.5, bfloat16 */
      0xd6, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,             /* -42 */
      7,    9,                                                    /* U8 */
  };
  bytes made =
      bytes_make("{\"__metadata__\":{\"made\":\"by hand\"},"
                 "\"b\\u00e9\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[20,22]},"
                 "\"a\":{\"data_offsets\":[0,8],\"shape\":[1,1],\"dtype\":\"F64\"},"
                 "\"i\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[22,30]},"
                 "\"none\":{\"dtype\":\"F32\",\"shape\":[0,9223372036854775807,4],\"data_offsets\":[8,8]},"
                 "\"c\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[8,20]},"
                 "\"u\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[30,32]}}  ",
                 data, sizeof data);
  dump_file *file = open_good(&made);
  ck_assert_uint_eq(dump_count(file), 6);
  ck_assert_str_eq(dump_get(file, 0)->name, "b\xc3\xa9"); /* the header's order, the escape read */
  ck_assert_str_eq(dump_get(file, 1)->name, "a");
  ck_assert_ptr_null(dump_get(file, 6));
  ck_assert_ptr_null(dump_find(file, "__metadata__"));
  ck_assert(first_value(file, "a") == 1.5);
  ck_assert(first_value(file, "b\xc3\xa9") == -1.5);
  ck_assert(first_value(file, "i") == -42);
  const dump_tensor *c = dump_find(file, "c");
  double values[3];
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(dump_values(file, values, c, 0, 3, &error), STATUS_OK);
  ck_assert(values[0] == -1 && values[1] == 13421773 * 0x1p-27 && values[2] == 0x1p-149);
  ck_assert_int_eq(dump_values(file, values, c, 2, 1, &error), STATUS_OK);
  ck_assert(values[0] == 0x1p-149);
  ck_assert_uint_eq(dump_find(file, "none")->count, 0);

  ck_assert(first_value(file, "u") == 7);
  ck_assert_str_eq(dump_note(file, "made"), "by hand");
  ck_assert_str_eq(dump_container(file), "safetensors");

  /* Beyond the tensor. */
  ck_assert_int_eq(dump_values(file, values, c, 2, 2, &error), STATUS_BAD_INPUT);
  ck_assert_int_eq(dump_values(file, values, c, UINT64_MAX, 2, &error), STATUS_BAD_INPUT);
  ck_assert_str_eq(error.message, "tensor \"c\" has 3 values; some beyond were asked for");
  dump_error_clear(&error);
  dump_close(file);
  free(made.data);
}
END_TEST

START_TEST(test_half)
{
  static const struct {
    unsigned bits;
    double value;
  } known[] = {
      {0x3c00, 1},
      {0xc000, -2},
      {0x7bff, 65504},
      {0x0400, 0x1p-14},
      {0x03ff, 1023 * 0x1p-24},
      {0x0001, 0x1p-24},
      {0x8001, -0x1p-24},
      {0x3555, 0.333251953125},
      {0x0000, 0},
      {0x7c00, INFINITY},
      {0xfc00, -INFINITY},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    unsigned char data[2] = {(unsigned char)known[i].bits, (unsigned char)(known[i].bits >> 8)};
    bytes made = bytes_make("{\"h\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[0,2]}}", data, 2);
    dump_file *file = open_good(&made);
    ck_assert(first_value(file, "h") == known[i].value);
    dump_close(file);
    free(made.data);
  }
  bytes made = bytes_make("{\"h\":{\"dtype\":\"F16\",\"shape\":[],\"data_offsets\":[0,2]}}", "\x01\x7e", 2);
  dump_file *file = open_good(&made);
  ck_assert(isnan(first_value(file, "h")));
  dump_close(file);
  free(made.data);
}
END_TEST

/* Integers are exact or refused: 2^53 + 1 is no double, 2^53 + 2 and -2^63 are. */
START_TEST(test_integers)
{
  static const int64_t integers[] = {INT64_C(9007199254740994), INT64_MIN, -1, INT64_C(-9007199254740993),
                                     INT64_MAX};
  unsigned char data[40];
  for (unsigned i = 0; i < 5; i++)
    for (unsigned j = 0; j < 8; j++)
      data[8 * i + j] = (unsigned char)((uint64_t)integers[i] >> (8 * j));
  bytes made = bytes_make("{\"n\":{\"dtype\":\"I64\",\"shape\":[5],\"data_offsets\":[0,40]}}", data, 40);
  dump_file *file = open_good(&made);
  const dump_tensor *n = dump_find(file, "n");
  double values[5];
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(dump_values(file, values, n, 0, 3, &error), STATUS_OK);
  ck_assert(values[0] == 0x1.0000000000001p53 && values[1] == -0x1p63 && values[2] == -1);
  ck_assert_int_eq(dump_values(file, values, n, 0, 5, &error), STATUS_BAD_INPUT);
  ck_assert_uint_eq(error.offset, made.length - 16);
  ck_assert_str_eq(error.message, "value 3 of tensor \"n\", -9007199254740993, is no double");
  ck_assert_int_eq(dump_values(file, values, n, 4, 1, &error), STATUS_BAD_INPUT);
  dump_error_clear(&error);
  dump_close(file);
  free(made.data);
}
END_TEST

/* '@' in the header is where the message must point. */
static const struct {
  const char *header;
  size_t values;
  const char *part;
} hostile[] = {
    {"@", 0, "does not begin with '{'"},
    {"@[]", 0, "does not begin with '{'"},
    {"@ {}", 0, "does not begin with '{'"},
    {"{\"a@~\":1}", 0, "NUL byte"},
    {"{}  @~", 0, "NUL byte"},
    {"{\"a@^\":1}", 0, "not UTF-8"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},@\"a\":{}}", 4, "occurs twice"},
    {"{\"a\\\"\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},@\"a\\\"\":{}}", 4, "occurs twice"},
    {"{\"a\":{\"dtype\":\"F32\",@\"dtype\":\"F64\"}}", 4, "occurs twice"},
    {"{@\"a\":7}", 0, "no object"},
    {"{@\"__metadata__\":7}", 0, "__metadata__"},
    {"{@\"__metadata__\":{\"a\":1}}", 0, "__metadata__"},
    {"{@\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "dtype is missing"},
    {"{@\"a\":{\"dtype\":\"\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "dtype is no name"},
    {"{@\"a\":{\"dtype\":\"F32F32F32F32F32F32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4,
     "dtype is no name"},
    {"{@\"a\":{\"dtype\":\"F 32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "dtype is no name"},
    {"{@\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "shape is missing"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "no whole number"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4, "no whole number"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[true],\"data_offsets\":[0,4]}}", 4, "no whole number"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1],"
     "\"data_offsets\":[0,4]}}",
     4, "more than 32 dimensions"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]}}", 0,
     "is too large"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]}}", 0,
     "is too large"},
    {"{@\"a\":{\"dtype\":\"U8\",\"shape\":[9223372036854775807,2],\"data_offsets\":[0,0]}}", 0,
     "is too large"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "data_offsets is no pair"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 4, "data_offsets is no pair"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[-4,0]}}", 4, "data_offsets is no pair"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}", 4, "end before they begin"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 4, "beyond the end"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[9223372036854775800,9223372036854775804]}}",
     4, "beyond the end"},
    {"{@\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "do not give the length"},
    {"{@\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "do not give the length"},
    {"{@\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,4]}}", 4, "do not give the length"},
    {"{\"x\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]},\"y{[,\\\"\":{\"dtype\":\"U8\",\"shape\":"
     "[],"
     "\"data_offsets\":[1,2]},@\"z\":0}",
     2, "\"z\""},
};

START_TEST(test_hostile)
{
  bytes made = bytes_make(hostile[_i].header, NULL, hostile[_i].values);
  expect_error(&made, made.mark, hostile[_i].part);
  free(made.data);
}
END_TEST

/* JSON that is broken: the place is where the parser stood, so only its side of it is checked here. */
START_TEST(test_broken_json)
{
  static const char *const headers[] = {"{",
                                        "{\"a\"",
                                        "{\"a\":}",
                                        "{} x",
                                        "{\"a\":1e999}",
                                        "{'a':1}",
                                        "{\"a\":[1,]}",
                                        "{\"a\":99999999999999999999}",
                                        "{\"a\\u0000\":1}",
                                        "{\"\\ud800\":1}",
                                        "{\"a\":\"\\u0000\"}",
                                        "{\"a\":NaN}"};
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    bytes made = bytes_make(headers[i], NULL, 0);
    dump_error error;
    dump_error_init(&error);
    ck_assert_ptr_null(dump_read("bad", made.data, made.length, NULL, &error));
    ck_assert(error.has_offset && error.offset >= 8 && error.offset <= made.length);
    ck_assert_ptr_nonnull(error.message);
    dump_error_clear(&error);
    free(made.data);
  }
}
END_TEST

START_TEST(test_deep_json)
{
  enum { DEPTH = 1000000 };
  char *header = malloc(DEPTH + 8);
  memcpy(header, "{\"a\":", 5);
  memset(header + 5, '[', DEPTH);
  header[DEPTH + 5] = 0;
  bytes made = bytes_make(header, NULL, 0);
  dump_error error;
  dump_error_init(&error);
  ck_assert_ptr_null(dump_read("bad", made.data, made.length, NULL, &error));
  ck_assert_str_eq(error.message, "the header is nested too deep");
  dump_error_clear(&error);
  free(made.data);
  free(header);
}
END_TEST

START_TEST(test_header_length)
{
  bytes made = bytes_make("{}", NULL, 0);
  bytes_set_length(&made, 3);
  expect_error(&made, 0, "header length 3 reaches beyond the end");
  bytes_set_length(&made, UINT64_MAX);
  expect_error(&made, 0, "exceeds the limit of 100000000");
  bytes_set_length(&made, 100000001);
  expect_error(&made, 0, "exceeds the limit of 100000000");
  bytes_set_length(&made, 100000000);
  expect_error(&made, 0, "reaches beyond the end");
  expect_error(&(bytes){made.data, 0, 0}, 0, "the file is empty");
  for (made.length = 1; made.length < 8; made.length++)
    expect_error(&made, 0, "or one that ends too early");
  free(made.data);
}
END_TEST

/* Tensors must cover the values without gap or overlap. */
START_TEST(test_cover)
{
  bytes made = bytes_make("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},"
                          "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[3,7]}}",
                          NULL, 7);
  expect_error(&made, made.length - 4, "\"a\" and \"b\" overlap");
  free(made.data);
  made = bytes_make("{\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]},"
                    "\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}",
                    NULL, 8);
  expect_error(&made, made.length - 5, "belong to no tensor");
  free(made.data);
  made = bytes_make("{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}", NULL, 5);
  expect_error(&made, made.length - 2, "up to the end of the file belong to no tensor");
  free(made.data);
  made = bytes_make("{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[1,4]}}", NULL, 4);
  expect_error(&made, made.length - 4, "belong to no tensor");
  free(made.data);
  made = bytes_make("{}", NULL, 0);
  dump_close(open_good(&made));
  free(made.data);
  /* A type that nobody here knows is listed. */
  made = bytes_make("{\"a\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", NULL, 2);
  dump_file *file = open_good(&made);
  ck_assert_int_eq(dump_get(file, 0)->type, DUMP_OTHER);
  ck_assert_str_eq(dump_get(file, 0)->type_name, "F4");
  double value;
  dump_error error;
  dump_error_init(&error);
  ck_assert_int_eq(dump_values(file, &value, dump_get(file, 0), 0, 1, &error), STATUS_BAD_INPUT);
  ck_assert_str_eq(error.message, "tensor \"a\" has type F4, whose values cannot be read");
  ck_assert_uint_eq(error.offset, made.length - 2);
  dump_error_clear(&error);
  dump_close(file);
  free(made.data);
}
END_TEST

/* Whatever one byte is changed to, the file is refused with a place in it, or everything it says stays
 * inside. */
START_TEST(test_changed_bytes)
{
  bytes good =
      bytes_make("{\"__metadata__\":{},\"a\":{\"dtype\":\"F32\",\"shape\":[2,1],\"data_offsets\":[0,8]},"
                 "\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[8,16]}}",
                 NULL, 16);
  static const unsigned char changes[] = {0,   1,   ' ', '"', ',',  '0',  '1',  '9',
                                          '[', ']', '{', '}', '\\', 0x7f, 0x80, 0xff};
  unsigned accepted = 0, refused = 0;
  for (size_t i = 0; i < good.length; i++)
    for (size_t c = 0; c < sizeof changes + 1; c++) {
      size_t length = c == sizeof changes ? i : good.length; /* the last "change" cuts the file */
      unsigned char *copy = malloc(length + 1);
      memcpy(copy, good.data, length);
      if (c < sizeof changes)
        copy[i] = changes[c];
      copy = realloc(copy, length + (length == 0));
      dump_error error;
      dump_error_init(&error);
      dump_file *file = dump_read("bad", copy, length, NULL, &error);
      ck_assert((file == NULL) == (error.message != NULL));
      accepted += file != NULL;
      refused += file == NULL;
      if (file == NULL)
        ck_assert(error.has_offset && error.offset <= length);
      for (size_t k = 0; file != NULL && k < dump_count(file); k++) {
        const dump_tensor *tensor = dump_get(file, k);
        ck_assert(tensor->offset <= length && tensor->bytes <= length - tensor->offset);
        double values[16];
        ck_assert_uint_le(tensor->count, 16);
        dump_values(file, values, tensor, 0, (size_t)tensor->count, &error);
      }
      dump_error_clear(&error);
      dump_close(file);
      free(copy);
    }
  ck_assert_uint_gt(accepted, 16 * 15);
  ck_assert_uint_gt(refused, 16 * 15);
  free(good.data);
}
END_TEST

/* A file with a tensor of each type, made by tools/make-safetensors-fixtures.py. */
START_TEST(test_types)
{
  static const struct {
    const char *name;
    unsigned at;
    double value;
  } known[] = {
      {"f64", 0, 0.1},        {"f64", 1, -2.5},       {"f32", 0, 1.5},
      {"f16", 1, 65504},      {"bf16", 1, -3.140625}, {"f8.e4m3", 1, 448},
      {"f8.e4m3", 2, 0x1p-9}, {"f8.e5m2", 1, 57344},  {"f8.e5m2", 3, INFINITY},
      {"i64", 0, -0x1p53},    {"i32", 0, -0x1p31},    {"i16", 0, -300},
      {"i8", 0, -128},        {"u64", 0, 0x1p63},     {"u32", 0, 4294967295.0},
      {"u16", 0, 65535},      {"u8", 2, 255},         {"bool", 0, 1},
      {"c64", 0, 3},          {"c64", 1, -4},         {"number", 0, 8},
  };
  fixture f = fixture_read("types.safetensors");
  dump_file *file = fixture_open(&f, "types", NULL);
  ck_assert_uint_eq(dump_count(file), 18);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    double value = fixture_value(file, dump_find(file, known[i].name), known[i].at);
    ck_assert_msg(value == known[i].value, "%s: %a", known[i].name, value);
  }
  ck_assert(isnan(fixture_value(file, dump_find(file, "f8.e4m3"), 3)));
  ck_assert_str_eq(dump_note(file, "note"), "caf\xc3\xa9");
  ck_assert_str_eq(dump_find(file, "f8.e4m3")->type_name, "F8_E4M3");
  dump_close(file);
  free(f.data);
  fixture_cut_everywhere("types.safetensors");
  fixture_change_everywhere("types.safetensors");
}
END_TEST

/* Limits other than the usual ones. */
START_TEST(test_limits)
{
  fixture f = fixture_read("types.safetensors");
  dump_limits limits = dump_limits_default();
  ck_assert_uint_eq(limits.header_bytes, 100000000);
  limits.header_bytes = f.data[0] + 256u * f.data[1];
  dump_close(fixture_open(&f, "types", &limits));
  limits.header_bytes--;
  fixture_expect_refusal(&f, &limits, 0, "exceeds the limit of");
  limits = dump_limits_default();
  limits.tensors = 18;
  dump_close(fixture_open(&f, "types", &limits));
  limits.tensors = 17;
  fixture_expect_refusal(&f, &limits, 8, "19 names exceed");
  limits = dump_limits_default();
  limits.depth = 3;
  dump_close(fixture_open(&f, "types", &limits));
  limits.depth = 2;
  fixture_expect_refusal(&f, &limits, fixture_find(&f, "[", 1, 0), "nested too deep");
  free(f.data);
}
END_TEST

/* A header of more than 100 MB that is there: refused unread, and read where that is asked for. */
START_TEST(test_large_header)
{
  size_t length = 100000001;
  unsigned char *data = malloc(8 + length);
  memset(data, ' ', 8 + length);
  memcpy(data + 8, "{}", 2);
  for (unsigned i = 0; i < 8; i++)
    data[i] = (unsigned char)((uint64_t)length >> (8 * i));
  dump_error error;
  dump_error_init(&error);
  ck_assert_ptr_null(dump_read("large", data, 8 + length, NULL, &error));
  ck_assert_str_eq(error.message, "header length 100000001 exceeds the limit of 100000000 bytes");
  dump_error_clear(&error);
  dump_limits limits = dump_limits_default();
  limits.header_bytes = length;
  dump_file *file = dump_read("large", data, 8 + length, &limits, &error);
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(dump_count(file), 0);
  dump_close(file);
  free(data);
}
END_TEST

static void expect_no_open(const char *path, const char *part)
{
  dump_error error;
  dump_error_init(&error);
  ck_assert_ptr_null(dump_open(path, NULL, &error));
  ck_assert_msg(strstr(error.message, part) != NULL, "\"%s\" lacks \"%s\"", error.message, part);
  ck_assert_str_eq(error.file, path);
  dump_error_clear(&error);
}

START_TEST(test_files)
{
  char folder[] = "assay-test-XXXXXX", path[64];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  expect_no_open(folder, "no parameter file");
  snprintf(path, sizeof path, "%s/f", folder);
  expect_no_open(path, "cannot open");
  ck_assert_int_eq(mkfifo(path, 0600), 0);
  expect_no_open(path, "not a regular file"); /* and does not wait for a writer */
  unlink(path);
  fclose(fopen(path, "wb"));
  expect_no_open(path, "the file is empty");
  unsigned char one[4] = {0, 0, 0x80, 0x3f};
  bytes made = bytes_make("{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}", one, 4);
  FILE *out = fopen(path, "wb");
  ck_assert_uint_eq(fwrite(made.data, 1, made.length, out), made.length);
  fclose(out);
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(path, NULL, &error);
  ck_assert_ptr_nonnull(file);
  ck_assert_str_eq(dump_name(file), path);
  ck_assert(first_value(file, "a") == 1);
  dump_close(file);
  dump_close(NULL);
  unlink(path);
  rmdir(folder);
  free(made.data);
}
END_TEST

START_TEST(test_messages)
{
  char *shown = dump_quote("a\"b\\c\n\x1b[31m\xc2\x9b\xc3\xa9");
  ck_assert_str_eq(shown, "\"a\\\"b\\\\c\\x0a\\x1b[31m\\u009b\xc3\xa9\"");
  free(shown);
  char lengthy[300];
  memset(lengthy, 'x', 119);
  strcpy(lengthy + 119, "\xc3\xa9 and so on");
  shown = dump_quote(lengthy);
  ck_assert_uint_eq(strlen(shown), 1 + 119 + 4); /* cut before the character, not inside it */
  free(shown);

  dump_error error;
  dump_error_init(&error);
  char *text;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  dump_error_print(out, &error);
  dump_error_set_at(&error, "f", 12, "%d bad", 3);
  dump_error_print(out, &error);
  dump_error_set(&error, error.file, "again"); /* its own text may come in */
  dump_error_print(out, &error);
  fclose(out);
  ck_assert_str_eq(text, "f: byte 12: 3 bad\nf: again\n");
  free(text);
  dump_error_clear(&error);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("safetensors");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_good);
  tcase_add_test(all, test_half);
  tcase_add_test(all, test_integers);
  tcase_add_loop_test(all, test_hostile, 0, sizeof hostile / sizeof *hostile);
  tcase_add_test(all, test_broken_json);
  tcase_add_test(all, test_deep_json);
  tcase_add_test(all, test_header_length);
  tcase_add_test(all, test_cover);
  tcase_add_test(all, test_changed_bytes);
  tcase_add_test(all, test_types);
  tcase_add_test(all, test_limits);
  tcase_add_test(all, test_large_header);
  tcase_add_test(all, test_files);
  tcase_add_test(all, test_messages);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
