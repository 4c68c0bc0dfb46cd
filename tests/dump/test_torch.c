/* Checkpoints: tensors, names, kinds and notes of the files that tools/make-torch-fixtures.py writes, and
 * everything that can be wrong with one. The expected values are those of that script. */
#include <check.h>
#include <unistd.h>

#include "fixture.h"

#define P DUMP_PARAMETER
#define O DUMP_OPTIMIZER
#define E DUMP_EXTRA

typedef struct {
  const char *name;
  dump_kind kind;
  const char *type_name;
  int rank; /* -1 behind the last one */
  int shape[3];
  double values[6]; /* those that there are */
} wanted;

static void check_tensor(const dump_file *file, size_t i, const wanted *w)
{
  const dump_tensor *tensor = dump_get(file, i);
  ck_assert_str_eq(tensor->name, w->name);
  ck_assert_ptr_eq(dump_find(file, w->name), tensor);
  ck_assert_msg(tensor->kind == w->kind, "%s: kind %d", w->name, tensor->kind);
  ck_assert_str_eq(tensor->type_name, w->type_name);
  ck_assert_msg((int)tensor->rank == w->rank, "%s: rank %u", w->name, tensor->rank);
  uint64_t count = 1;
  for (unsigned k = 0; k < tensor->rank; k++) {
    ck_assert_msg(tensor->shape[k] == (uint64_t)w->shape[k], "%s: size %u", w->name, k);
    count *= tensor->shape[k];
  }
  ck_assert_uint_eq(tensor->count, count);
  if (tensor->type == DUMP_OTHER)
    return;
  for (size_t k = 0; k < count * dump_lanes(tensor->type) && k < 6; k++) {
    double value = fixture_value(file, tensor, k);
    ck_assert_msg(value == w->values[k], "%s[%zu]: %g, not %g", w->name, k, value, w->values[k]);
  }
}

static void check_tensors(const dump_file *file, const wanted *all)
{
  size_t count = 0;
  for (; all[count].rank >= 0 && count < dump_count(file); count++)
    check_tensor(file, count, &all[count]);
  ck_assert_msg(all[count].rank < 0, "%s is missing", all[count].name);
  ck_assert_uint_eq(dump_count(file), count);
}

static void check_file(const char *name, const char *container, const wanted *all)
{
  fixture f = fixture_read(name);
  dump_file *file = fixture_open(&f, name, NULL);
  ck_assert_str_eq(dump_container(file), container);
  check_tensors(file, all);
  dump_close(file);
  free(f.data);
}

START_TEST(test_parts)
{
  static const wanted all[] = {
      {"state_dict.a.weight", P, "float32", 2, {2, 3}, {1, 2, 3, 4, 5, 6}},
      {"state_dict.a.bias", P, "float32", 1, {2}, {-1, 0.5}},
      {"ema.a.weight", P, "float32", 2, {3, 2}, {1, 2, 3, 4, 5, 6}},
      {"optimizer_states.0.state.0.step", O, "float32", 0, {0}, {7}},
      {"optimizer_states.0.state.0.exp_avg", O, "float32", 2, {2, 3}, {10, 20, 30, 40, 50, 60}},
      {"second.state.0.step", O, "float32", 0, {0}, {7}},
      {"second.state.0.exp_avg", O, "float32", 2, {2, 3}, {10, 20, 30, 40, 50, 60}},
      {"third.step", O, "float32", 0, {0}, {7}},
      {"third.exp_avg", O, "float32", 2, {2, 3}, {10, 20, 30, 40, 50, 60}},
      {"fourth.state.0.seen", O, "float32", 0, {0}, {7}},
      {"fifth.0", O, "float32", 0, {0}, {7}},
      {"fifth.1.w", O, "float32", 2, {2, 3}, {10, 20, 30, 40, 50, 60}},
      {"lr_schedulers.0.inner.param_groups.0.params.0", O, "float32", 2, {2, 3}, {1, 2, 3, 4, 5, 6}},
      {"train_loss", E, "float64", 1, {2}, {0.25, 0.125}},
      {"history", E, "<f8", 1, {2}, {3, 4}},
      {"list.0", P, "float32", 1, {2}, {-1, 0.5}},
      {"list.1.x", P, "float32", 1, {1}, {0.5}},
      {.rank = -1},
  };
  static const char *const notes[][2] = {{"torch.version", "3"},
                                         {"epoch", "3"},
                                         {"lr", "0.5"},
                                         {"name", "r\u00e9sum\u00e9"},
                                         {"done", "True"},
                                         {"none", "None"},
                                         {"large", "0x400000000000000000"},
                                         {"optimizer_states.0.param_groups.0.lr", "0.5"},
                                         {"lr_schedulers.0.inner", "inert: torch.optim.adam.Adam"}};
  fixture f = fixture_read("parts.pt");
  dump_file *file = fixture_open(&f, "parts.pt", NULL);
  ck_assert_str_eq(dump_container(file), "torch zip");
  check_tensors(file, all);
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
    const char *note = dump_note(file, notes[i][0]);
    ck_assert_msg(note != NULL, "no note %s", notes[i][0]);
    ck_assert_str_eq(note, notes[i][1]);
  }
  ck_assert_ptr_null(dump_note(file, "numbers"));
  /* Two names for the same bytes. */
  ck_assert_uint_eq(dump_get(file, 0)->offset, dump_get(file, 2)->offset);
  dump_close(file);
  free(f.data);
}
END_TEST

START_TEST(test_types)
{
  static const wanted all[] = {
      {"double", P, "float64", 1, {2}, {0.1, -2}},
      {"float", P, "float32", 1, {2}, {0.5, -2}},
      {"half", P, "float16", 1, {2}, {0.5, -2}},
      {"bfloat16", P, "bfloat16", 1, {2}, {0.5, -2}},
      {"complex64", P, "complex64", 1, {2}, {1, -1, 2, -2}},
      {"complex128", P, "complex128", 1, {2}, {1, -1, 2, -2}},
      {"long", P, "int64", 1, {2}, {1099511627776.0, -2}},
      {"int", P, "int32", 1, {2}, {1048576, -2}},
      {"short", P, "int16", 1, {2}, {1024, -2}},
      {"char", P, "int8", 1, {2}, {1, -2}},
      {"byte", P, "uint8", 1, {2}, {1, 254}},
      {"bool", P, "bool", 1, {2}, {1, 0}},
      {"qint8", P, "qint8", 1, {2}, {0}},
      {"float8_e4m3fn", P, "float8_e4m3fn", 1, {2}, {1, -2}},
      {"float8_e5m2", P, "float8_e5m2", 1, {2}, {1, -2}},
      {"float8_e4m3fnuz", P, "float8_e4m3fnuz", 1, {2}, {0}},
      {"uint16", P, "uint16", 1, {2}, {1, 65535}},
      {"uint64", P, "uint64", 1, {2}, {1, 2}},
      {"float128", P, "other", 1, {2}, {0}},
      {"early", P, "float32", 1, {1}, {-2}},
      {"variable", P, "float32", 1, {2}, {0.5, -2}},
      {"device", P, "<f4", 1, {2}, {0.5, -2}},
      {"raw", P, "int32", 1, {2}, {1048576, -2}},
      {.rank = -1},
  };
  static const dump_type types[] = {DUMP_F64,   DUMP_F32,     DUMP_F16,     DUMP_BF16,  DUMP_C64, DUMP_C128,
                                    DUMP_I64,   DUMP_I32,     DUMP_I16,     DUMP_I8,    DUMP_U8,  DUMP_BOOL,
                                    DUMP_OTHER, DUMP_F8_E4M3, DUMP_F8_E5M2, DUMP_OTHER, DUMP_U16, DUMP_U64,
                                    DUMP_OTHER, DUMP_F32,     DUMP_F32,     DUMP_F32,   DUMP_I32};
  fixture f = fixture_read("types.pt");
  dump_file *file = fixture_open(&f, "types.pt", NULL);
  check_tensors(file, all);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    ck_assert_msg(dump_get(file, i)->type == types[i], "%s", all[i].name);
  ck_assert_str_eq(dump_note(file, "sparse"), "a sparse tensor: not read");
  ck_assert_str_eq(dump_note(file, "conjugated"), "a conjugated or negated view: not read");
  dump_close(file);
  free(f.data);
}
END_TEST

static const char *const view_files[] = {"views.pt", "deflated.pt", "bare.pt"};

START_TEST(test_views)
{
  static const wanted all[] = {
      {"whole", P, "float32", 2, {3, 4}, {0, 1, 2, 3, 4, 5}},
      {"turned", P, "float32", 2, {4, 3}, {0, 4, 8, 1, 5, 9}},
      {"row", P, "float32", 1, {4}, {4, 5, 6, 7}},
      {"column", P, "float32", 1, {3}, {1, 5, 9}},
      {"single", P, "float32", 0, {0}, {11}},
      {"spread", P, "float32", 2, {2, 3}, {3, 4, 5, 3, 4, 5}},
      {"empty", P, "float32", 2, {0, 4}, {0}},
      {"nothing", P, "float32", 1, {0}, {0}},
      {"ones", P, "float32", 3, {1, 4, 1}, {0, 1, 2, 3}},
      {"old", P, "float32", 1, {2}, {0, 1}},
      {"parameter", P, "float32", 1, {2}, {0, 1}},
      {"with_state", P, "float32", 1, {2}, {0, 1}},
      {"subclass", P, "float32", 1, {2}, {2, 3}},
      {.rank = -1},
  };
  check_file(view_files[_i], "torch zip", all);
}
END_TEST

/* A value's bytes are where the tensor says. */
START_TEST(test_places)
{
  fixture f = fixture_read("views.pt");
  dump_file *file = fixture_open(&f, "views.pt", NULL);
  const dump_tensor *whole = dump_find(file, "whole"), *column = dump_find(file, "column");
  float value;
  memcpy(&value, f.data + column->offset, sizeof value);
  ck_assert(value == 1);
  ck_assert_uint_eq(column->offset, whole->offset + 4);
  ck_assert_uint_eq(column->bytes, 9 * 4); /* the last one lies 8 behind the first */
  ck_assert(!column->contiguous && whole->contiguous);
  ck_assert(!dump_get_segment(file, whole->segment).compressed);
  dump_close(file);
  free(f.data);
  f = fixture_read("deflated.pt");
  file = fixture_open(&f, "deflated.pt", NULL);
  whole = dump_find(file, "whole");
  column = dump_find(file, "column");
  dump_segment segment = dump_get_segment(file, whole->segment);
  ck_assert(segment.compressed);
  ck_assert_str_eq(segment.member, "archive/data/9");
  ck_assert_uint_eq(column->segment, whole->segment); /* one storage, inflated once */
  ck_assert_uint_eq(column->offset, 4);
  dump_close(file);
  free(f.data);
}
END_TEST

START_TEST(test_big_endian)
{
  static const wanted all[] = {
      {"w", P, "float32", 1, {3}, {1, 2, 3}}, {"b", P, "uint8", 1, {2}, {1, 2}}, {.rank = -1}};
  check_file("big.pt", "torch zip", all);
}
END_TEST

static const char *const module_files[][2] = {{"module.pt", "torch zip"},
                                              {"legacy-module.pt", "legacy torch pickle"}};

START_TEST(test_module)
{
  static const wanted all[] = {
      {"scale", P, "float32", 1, {2}, {1, 2}},
      {"first.weight", P, "float32", 1, {2}, {1, 2}},
      {"first.count", P, "int64", 0, {0}, {5}},
      {"first.scratch", E, "float32", 1, {1}, {8}},
      {"again.weight", P, "float32", 1, {2}, {1, 2}},
      {"again.count", P, "int64", 0, {0}, {5}},
      {"again.scratch", E, "float32", 1, {1}, {8}},
      {"kept.0", E, "float32", 1, {1}, {9}},
      {.rank = -1},
  };
  fixture f = fixture_read(module_files[_i][0]);
  dump_file *file = fixture_open(&f, module_files[_i][0], NULL);
  ck_assert_str_eq(dump_container(file), module_files[_i][1]);
  check_tensors(file, all);
  ck_assert_str_eq(dump_note(file, "first"), "inert: mine.layers.Layer");
  ck_assert_str_eq(dump_note(file, "top"), "inert: mine.layers.Layer");
  ck_assert_str_eq(dump_note(file, "first.width"), "2");
  ck_assert_str_eq(dump_note(file, "kind"), "mine");
  ck_assert_ptr_null(dump_note(file, "training"));
  dump_close(file);
  free(f.data);
}
END_TEST

static const struct {
  const char *name, *container, *prefix;
} array_files[] = {{"numpy.pt", "torch zip", "arrays."},
                   {"numpy-deflated.pt", "torch zip", "arrays."},
                   {"numpy-2.pickle", "pickle", ""},
                   {"numpy-4.pickle", "pickle", ""},
                   {"numpy-5.pickle", "pickle", ""}};

START_TEST(test_arrays)
{
  static const wanted all[] = {{"plain", P, "<f4", 2, {2, 3}, {1, 2, 3, 4, 5, 6}},
                               {"fortran", P, "<f4", 2, {2, 3}, {1, 3, 5, 2, 4, 6}},
                               {"big", P, ">f8", 1, {2}, {0.5, 1e300}},
                               {"small", P, "|i1", 1, {3}, {0, -128, -1}},
                               {"truth", P, "|b1", 1, {2}, {1, 0}},
                               {"complex", P, "<c8", 1, {1}, {1, 2}},
                               {"empty", P, "<f4", 2, {0, 2}, {0}},
                               {"scalar", P, "<f8", 0, {0}, {2.5}},
                               {"buffer", P, "<f4", 2, {3, 2}, {1, 4, 2, 5, 3, 6}},
                               {"permuted", P, "<f4", 2, {2, 3}, {1, 3, 5, 2, 4, 6}}};
  bool in_torch = array_files[_i].prefix[0] != 0, fifth = strstr(array_files[_i].name, "-5") != NULL;
  fixture f = fixture_read(array_files[_i].name);
  dump_file *file = fixture_open(&f, array_files[_i].name, NULL);
  ck_assert_str_eq(dump_container(file), array_files[_i].container);
  size_t count = fifth ? 10 : 8, first = in_torch ? 1 : 0;
  ck_assert_uint_eq(dump_count(file), first + count);
  for (size_t i = 0; i < count; i++) {
    char name[64];
    wanted w = all[i];
    snprintf(name, sizeof name, "%s%s", array_files[_i].prefix, w.name);
    w.name = name;
    w.kind = in_torch ? E : P; /* beside torch's tensors numpy's are not the model */
    check_tensor(file, first + i, &w);
  }
  char text[64];
  snprintf(text, sizeof text, "%stext", array_files[_i].prefix);
  ck_assert_str_eq(dump_note(file, text), "a numpy array of another type: not read");
  dump_close(file);
  free(f.data);
}
END_TEST

static const char *const legacy_files[] = {"legacy.pt", "legacy-big.pt", "legacy-4.pt"};

START_TEST(test_legacy)
{
  static const wanted all[] = {
      {"all", P, "float32", 1, {10}, {0, 1, 2, 3, 4, 5}},
      {"part", P, "float32", 1, {3}, {4, 5, 6}},
      {"one", P, "float32", 0, {0}, {6}},
      {"long", P, "int64", 1, {3}, {7, 8, 9}},
      {.rank = -1},
  };
  check_file(legacy_files[_i], "legacy torch pickle", all);
}
END_TEST

/* A pickle that would run a program: it does not, and says what it is. */
START_TEST(test_evil)
{
  fixture f = fixture_read("evil.pickle");
  dump_file *file = fixture_open(&f, "evil.pickle", NULL);
  ck_assert_uint_eq(dump_count(file), 1);
  ck_assert(fixture_value(file, dump_get(file, 0), 0) == 7);
  ck_assert_str_eq(dump_note(file, "a"), "inert: posix.system");
  ck_assert_int_ne(access("assay-was-here", F_OK), 0);
  dump_close(file);
  free(f.data);
}
END_TEST

/* What the error is about: the bytes at its offset. */
typedef struct {
  const char *file, *there;
  size_t length;
  const char *part;
} refusal;

#define AT(literal) (literal), sizeof(literal) - 1

static const refusal refusals[] = {
    /* the call that would rebuild the tensor, the last one of the pickle */
    {"bad-beyond.pt", AT("Rq\x0ds."), "reaches beyond its storage"},
    {"bad-negative-size.pt", AT("Rq\x0ds."), "a size that is no whole number >= 0"},
    {"bad-negative-stride.pt", AT("Rq\x0ds."), "a stride that is no whole number >= 0"},
    {"bad-negative-offset.pt", AT("Rq\x0ds."), "an offset that is no whole number >= 0"},
    {"bad-overflow-size.pt", AT("Rq\x0ds."), "exceeds 63 bits"},
    {"bad-overflow-stride.pt", AT("Rq\x0ds."), "exceeds 63 bits"},
    {"bad-spread.pt", AT("Rq\x0ds."), "far more elements than its storage"},
    {"bad-rank.pt", AT("Rq\x0cs."), "more than 32 dimensions"},
    {"bad-strides.pt", AT("Rq\x0ds."), "one stride for each dimension"},
    {"bad-few.pt", AT("Rq\x09s."), "a tensor that is not (storage, offset"},
    {"bad-missing.pt", AT("Rq\x0ds."), "the storage of a tensor is not in the file"},
    {"bad-name.pt", AT("Rq\x0ds."), "not UTF-8, or contains NUL"},
    {"bad-surrogate.pt", AT("Rq\x0ds."), "not UTF-8, or contains NUL"},
    {"bad-array.pt", AT("Rq\x07(K\1K\3\x85"), "bytes do not fit its shape and type"},
    /* the reference to the storage */
    {"bad-overflow-storage.pt", AT("QK\0K\4\x85"), "the size of a storage exceeds 63 bits"},
    {"bad-lying.pt", AT("QK\0K\5\x85"), "a storage of 20 bytes, where member \"archive/data/0\" has 16"},
    {"bad-short.pt", AT("QK\0K\4\x85"), "a storage of 16 bytes, where member \"archive/data/0\" has 15"},
    {"bad-class.pt", AT("QK\0K\4\x85"), "a storage of unknown class"},
    /* the values of the second of them: 2 and 3 */
    {"bad-twice.pt", AT("\0\0\0\x40\0\0\x40\x40"), "tensor \"a.b\" occurs twice"},
    {"bad-order.pt", AT("middle"), "byte order"},
    {"bad-version.pt", AT("three\n"), "the version is no number"},
    {"bad-after.pt", AT("NPK"), "bytes follow the end of the pickle"},
    {"legacy-count.pt", AT("\x0b\0\0\0\0\0\0\0\0"), "a storage of 11 elements, where the pickle says 10"},
    {"legacy-keys.pt",
     AT("X\3\0\0\0"
        "100q"),
     "listed twice"},
    {"legacy-other.pt",
     AT("X\1\0\0\0"
        "5q\2"),
     "does not mention"},
};

START_TEST(test_refusals)
{
  const refusal *r = &refusals[_i];
  fixture f = fixture_read(r->file);
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_read("bad", f.data, f.length, NULL, &error);
  ck_assert_msg(file == NULL, "%s: accepted", r->file);
  ck_assert_msg(strstr(error.message, r->part) != NULL, "%s: \"%s\"", r->file, error.message);
  ck_assert(error.has_offset && error.offset + r->length <= f.length);
  ck_assert_msg(memcmp(f.data + error.offset, r->there, r->length) == 0, "%s: byte %llu", r->file,
                (unsigned long long)error.offset);
  dump_error_clear(&error);
  free(f.data);
}
END_TEST

START_TEST(test_deep)
{
  fixture f = fixture_read("deep.pickle");
  fixture_expect_refusal(&f, NULL, 2 + 512, "nest deeper than 512"); /* a byte for each level */
  free(f.data);
}
END_TEST

/* Values that share their parts without end: refused or listed, but soon. */
START_TEST(test_laughs)
{
  fixture f = fixture_read("laughs.pickle");
  dump_error error;
  dump_error_init(&error);
  ck_assert_ptr_null(dump_read("laughs", f.data, f.length, NULL, &error));
  ck_assert_ptr_nonnull(strstr(error.message, "share their parts too often"));
  dump_error_clear(&error);
  free(f.data);
}
END_TEST

START_TEST(test_limits)
{
  dump_limits limits = dump_limits_default();
  fixture f = fixture_read("views.pt");
  limits.tensors = 5;
  dump_error error;
  dump_error_init(&error);
  ck_assert_ptr_null(dump_read("many", f.data, f.length, &limits, &error));
  ck_assert_ptr_nonnull(strstr(error.message, "more tensors than the limit of 5"));
  limits = dump_limits_default();
  limits.depth = 2;
  ck_assert_ptr_null(dump_read("deep", f.data, f.length, &limits, &error));
  dump_error_clear(&error);
  free(f.data);
}
END_TEST

/* What torch wrote before its 0.1.10, and what is nobody's. */
START_TEST(test_others)
{
  fixture f = fixture_copy((const unsigned char *)"", 0);
  free(f.data);
  f.length = 1024;
  f.data = calloc(1, f.length);
  memcpy(f.data, "sys_info", 8);
  memcpy(f.data + 257, "ustar", 5);
  fixture_expect_refusal(&f, NULL, 0, "tar archive");
  free(f.data);
  f = fixture_copy((const unsigned char *)"\x80\x02N.N.", 6);
  fixture_expect_refusal(&f, NULL, 4, "bytes follow the end of the pickle");
  free(f.data);
  f = fixture_copy((const unsigned char *)"\x80\x02\x8a\x0a"
                                          "l\xfc\x9c"
                                          "F\xf9 j\xa8P\x19.\x80\x02M\xea\x03.",
                   21);
  fixture_expect_refusal(&f, NULL, 15, "not 1001");
  free(f.data);
}
END_TEST

static const char *const cut_files[] = {"parts.pt",       "types.pt",       "module.pt",
                                        "deflated.pt",    "legacy.pt",      "legacy-big.pt",
                                        "numpy-2.pickle", "numpy-4.pickle", "numpy-5.pickle"};

START_TEST(test_cut)
{
  fixture_cut_everywhere(cut_files[_i]);
}
END_TEST

static const char *const changed_files[] = {"bad-twice.pt", "legacy.pt", "numpy-4.pickle", "module.pt"};

/* One byte changed: refused, or all that is said stays inside. */
START_TEST(test_changed)
{
  static const unsigned char changes[] = {0, 1, '.', '(', 'R', 'h', 0x7f, 0x80, 0xff};
  fixture whole = fixture_read(changed_files[_i]);
  unsigned refused = 0;
  for (size_t at = 0; at < whole.length; at++)
    for (size_t c = 0; c < sizeof changes; c++) {
      fixture changed = fixture_copy(whole.data, whole.length);
      changed.data[at] = changes[c];
      dump_error error;
      dump_error_init(&error);
      dump_file *file = dump_read("changed", changed.data, changed.length, NULL, &error);
      ck_assert((file == NULL) == (error.message != NULL));
      if (file != NULL)
        fixture_use(file);
      else
        ck_assert(error.has_offset && error.offset <= changed.length);
      refused += file == NULL;
      dump_close(file);
      dump_error_clear(&error);
      free(changed.data);
    }
  ck_assert_uint_gt(refused, whole.length / 2);
  free(whole.data);
}
END_TEST

/* Files of real models, where they are at hand; the counts are those of a walk over what torch loads
 * (torch_values.py compares names, shapes and values). */
static const struct {
  const char *file, *prefix;
  unsigned parameters, optimizer, extra;
} elsewhere[] = {{"mamba1-price-forecast.ckpt", "state_dict.", 142, 560 + 420, 5},
                 {"lru-system-identification.pth", "model_state_dict.", 29, 78, 0},
                 {"selective-diagonal.pth", "model_state_dict.", 57, 171, 0},
                 {"repacked-cryptomamba_BTC_HIGH_legacy.pt", "model.", 98, 0, 0},
                 {"mamba1-ecg-float64-whole-module.pth", "", 12, 0, 0}};

START_TEST(test_from_elsewhere)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/../shared/data/dumps/%s", top != NULL ? top : ".", elsewhere[_i].file);
  if (access(path, R_OK) != 0) {
    printf("%s is not here: skipped\n", elsewhere[_i].file);
    return;
  }
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(path, NULL, &error);
  ck_assert_msg(file != NULL, "%s: %s", path, error.message);
  unsigned seen[3] = {0};
  for (size_t i = 0; i < dump_count(file); i++) {
    const dump_tensor *tensor = dump_get(file, i);
    seen[tensor->kind]++;
    if (tensor->kind == DUMP_PARAMETER)
      ck_assert_msg(strncmp(tensor->name, elsewhere[_i].prefix, strlen(elsewhere[_i].prefix)) == 0, "%s",
                    tensor->name);
  }
  ck_assert_uint_eq(seen[DUMP_PARAMETER], elsewhere[_i].parameters);
  ck_assert_uint_eq(seen[DUMP_OPTIMIZER], elsewhere[_i].optimizer);
  ck_assert_uint_eq(seen[DUMP_EXTRA], elsewhere[_i].extra);
  dump_close(file);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("torch");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_parts);
  tcase_add_test(all, test_types);
  tcase_add_loop_test(all, test_views, 0, sizeof view_files / sizeof *view_files);
  tcase_add_test(all, test_places);
  tcase_add_test(all, test_big_endian);
  tcase_add_loop_test(all, test_module, 0, sizeof module_files / sizeof *module_files);
  tcase_add_loop_test(all, test_arrays, 0, sizeof array_files / sizeof *array_files);
  tcase_add_loop_test(all, test_legacy, 0, sizeof legacy_files / sizeof *legacy_files);
  tcase_add_test(all, test_evil);
  tcase_add_loop_test(all, test_refusals, 0, sizeof refusals / sizeof *refusals);
  tcase_add_test(all, test_deep);
  tcase_add_test(all, test_laughs);
  tcase_add_test(all, test_limits);
  tcase_add_test(all, test_others);
  tcase_add_loop_test(all, test_cut, 0, sizeof cut_files / sizeof *cut_files);
  tcase_add_loop_test(all, test_changed, 0, sizeof changed_files / sizeof *changed_files);
  tcase_add_loop_test(all, test_from_elsewhere, 0, sizeof elsewhere / sizeof *elsewhere);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
