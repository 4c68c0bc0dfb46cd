/* The pickle machine: values as Python wrote them in every protocol, small programs by hand, and everything
 * that can be wrong with one. */
#include "dump/pickle.h"

#include <check.h>

#include "core/text.h"
#include "fixture.h"

/* A value as Python would write it; objects as calls, with their state behind a slash. */
static void render(text *out, const pickle_value *value, unsigned depth)
{
  static const char *const opening[] = {[PICKLE_LIST] = "[", [PICKLE_TUPLE] = "(", [PICKLE_SET] = "{"};
  static const char *const closing[] = {[PICKLE_LIST] = "]", [PICKLE_TUPLE] = ")", [PICKLE_SET] = "}"};
  if (depth > 6) {
    text_add(out, "...");
    return;
  }
  switch (value->kind) {
  case PICKLE_NONE:
    text_add(out, "None");
    break;
  case PICKLE_BOOL:
    text_add(out, value->u.truth ? "True" : "False");
    break;
  case PICKLE_INT:
    text_addf(out, "%lld", (long long)value->u.integer);
    break;
  case PICKLE_FLOAT:
    text_addf(out, "%g", value->u.number);
    break;
  case PICKLE_NUMERAL:
    text_add_bytes(out, value->u.text.data, value->u.text.length);
    break;
  case PICKLE_STRING:
  case PICKLE_BYTES:
    text_add(out, value->kind == PICKLE_BYTES ? "b'" : "'");
    for (size_t i = 0; i < value->u.text.length; i++) {
      unsigned char c = (unsigned char)value->u.text.data[i];
      if (c < 0x20 || (c >= 0x7f && value->kind == PICKLE_BYTES))
        text_addf(out, "\\x%02x", c);
      else
        text_add_char(out, (char)c);
    }
    text_add(out, "'");
    break;
  case PICKLE_LIST:
  case PICKLE_TUPLE:
  case PICKLE_SET:
    text_add(out, opening[value->kind]);
    for (size_t i = 0; i < value->u.list.count; i++) {
      text_add(out, i > 0 ? ", " : "");
      render(out, value->u.list.items[i], depth + 1);
    }
    text_add(out, closing[value->kind]);
    break;
  case PICKLE_DICT:
    text_add(out, "{");
    for (size_t i = 0; i < value->u.list.count; i++) {
      text_add(out, i == 0 ? "" : i % 2 == 0 ? ", " : ": ");
      render(out, value->u.list.items[i], depth + 1);
    }
    text_add(out, "}");
    break;
  case PICKLE_GLOBAL:
    text_addf(out, "%s.%s", value->u.global.module, value->u.global.name);
    break;
  case PICKLE_PERSISTENT:
    text_add(out, "@");
    render(out, value->u.id, depth + 1);
    break;
  case PICKLE_OBJECT: {
    const pickle_object *object = value->u.object;
    render(out, object->maker, depth + 1);
    render(out, object->arguments, depth + 1);
    if (object->keywords != NULL)
      render(out, object->keywords, depth + 1);
    for (size_t i = 0; i < object->items.count; i++) {
      text_add(out, "+");
      render(out, object->items.items[i], depth + 1);
    }
    for (size_t i = 0; i < object->entries.count; i++) {
      text_add(out, i % 2 == 0 ? "&" : "=");
      render(out, object->entries.items[i], depth + 1);
    }
    if (object->state != NULL) {
      text_add(out, "/");
      render(out, object->state, depth + 1);
    }
    break;
  }
  }
}

/* Reads a pickle from a buffer of exactly its size. */
static pickle *read(const unsigned char *data, size_t length, const dump_limits *limits, dump_error *error,
                    fixture *kept)
{
  dump_limits defaults = dump_limits_default();
  *kept = fixture_copy(data, length);
  pickle_source source = {.file = "made", .data = kept->data, .length = length, .base = 1000};
  uint64_t end = 0;
  dump_error_init(error);
  pickle *p = pickle_read(&source, limits != NULL ? limits : &defaults, &end, error);
  if (p != NULL)
    ck_assert_uint_eq(end, length);
  else
    ck_assert_ptr_nonnull(error->message);
  return p;
}

static void expect(const unsigned char *data, size_t length, const char *wanted)
{
  fixture kept;
  dump_error error;
  pickle *p = read(data, length, NULL, &error, &kept);
  ck_assert_msg(p != NULL, "%s: byte %llu: %s", wanted, (unsigned long long)error.offset, error.message);
  text out;
  text_init(&out);
  render(&out, pickle_root(p), 0);
  ck_assert_str_eq(text_string(&out), wanted);
  text_clear(&out);
  pickle_free(p);
  free(kept.data);
}

static void expect_error(const unsigned char *data, size_t length, const dump_limits *limits, uint64_t at,
                         const char *part)
{
  fixture kept;
  dump_error error;
  pickle *p = read(data, length, limits, &error, &kept);
  ck_assert_msg(p == NULL, "accepted, where this was expected: %s", part);
  ck_assert_str_eq(error.file, "made");
  fixture_expect_error(&error, 1000 + at, part);
  free(kept.data);
}

/* What Python's repr says of the object, but for integers beyond 64 bits, the spaces in an empty dict's
 * neighbourhood, and line ends. */
START_TEST(test_protocols)
{
  static const char *const large[] = {
      "9223372036854775808, -9223372036854775809, 18446744073709551616, -18446744073709551616, "
      "338953138925153547590470800371487866880, -170141183460469231731687303715884105728",
      "0x8000000000000000, -0x8000000000000001, 0x10000000000000000, -0x10000000000000000, "
      "0xff000000000000000000000000000000, -0x80000000000000000000000000000000"};
  char name[32], wanted[2048];
  snprintf(name, sizeof name, "values-%d.pickle", _i);
  snprintf(wanted, sizeof wanted,
           "{'int': [0, 1, 255, 256, 65535, 65536, -1, -65536, 2147483648, -9223372036854775808, "
           "9223372036854775807], 'large': [%s], 'float': [0.5, -0.25, 1e+300], "
           "'others': (None, True, False, ()), "
           "'text': ['', 'a', '\u00e9\u20ac\U0001f600', 'line\\x0aend\\u0041', 'q'\"'], "
           "'bytes': [b'', b'a', b'\\x00\\x80\\xff'], ('pair', 2): {3}, 4: {'x'}, None: {}}",
           large[_i < 2 ? 0 : 1]);
  fixture f = fixture_read(name);
  expect(f.data, f.length, wanted);
  free(f.data);
}
END_TEST

#define BYTES(literal) (const unsigned char *)(literal), sizeof(literal) - 1

static const struct {
  const unsigned char *data;
  size_t length;
  const char *wanted;
} good[] = {
    {BYTES("N."), "None"},
    {BYTES("(0N."), "None"}, /* POP takes a mark, too */
    {BYTES("(NN1N."), "None"},
    {BYTES("N2\x86."), "(None, None)"},
    {BYTES("I01\n."), "True"},
    {BYTES("I00\n."), "False"},
    {BYTES("I1\n."), "1"},
    {BYTES("I-5\r\n."), "-5"},
    {BYTES("L12L\n."), "12"},
    {BYTES("L-9223372036854775809L\n."), "-9223372036854775809"},
    {BYTES("F-1.5e3\n."), "-1.5e3"},
    {BYTES("Fnan\n."), "nan"},
    {BYTES("\x8a\x00."), "0"},
    {BYTES("\x8a\x01\xff."), "-1"},
    {BYTES("\x8a\x02\xff\x00."), "255"},
    {BYTES("\x8a\x0a"
           "l\xfc\x9c"
           "F\xf9 j\xa8P\x19."),
     "0x1950a86a20f9469cfc6c"},
    {BYTES("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff."), "-1"},
    {BYTES("\x8b\x02\x00\x00\x00\x00\x80."), "-32768"},
    {BYTES("J\xff\xff\xff\xff."), "-1"},
    {BYTES("M\xff\xff."), "65535"},
    {BYTES("G\x3f\xf8\0\0\0\0\0\0."), "1.5"},
    {BYTES("S'a\\n\\x41\\101\\7\\q\\\\'\n."), "b'a\\x0aAA\\x07\\q\\'"},
    {BYTES("S\"it's\"\n."), "b'it's'"},
    {BYTES("U\x02"
           "ab."),
     "b'ab'"},
    {BYTES("T\x02\0\0\0"
           "ab."),
     "b'ab'"},
    {BYTES("V\xe9\\u20ac\\U0001f600\\x\n."), "'\u00e9\u20ac\U0001f600\\x'"},
    {BYTES("\x8d\x01\0\0\0\0\0\0\0a."), "'a'"},
    {BYTES("\x8e\x01\0\0\0\0\0\0\0a."), "b'a'"},
    {BYTES("\x96\x01\0\0\0\0\0\0\0a."), "b'a'"},
    {BYTES("(I1\nI2\nl."), "[1, 2]"},
    {BYTES("(I1\nI2\nd."), "{1: 2}"},
    {BYTES("(t."), "()"},
    {BYTES("\x8f(K\1K\2\x90."), "{1, 2}"},
    {BYTES("(K\1\x91."), "{1}"},
    {BYTES("]q\0h\0\x86."), "([], [])"},
    {BYTES("]\x94h\0\x86."), "([], [])"},
    {BYTES("]r\0\0\0\0j\0\0\0\0\x86."), "([], [])"},
    {BYTES("]p0\ng0\n\x86."), "([], [])"},
    {BYTES("]q\0h\0a."), "[[[[[[[...]]]]]]]"}, /* it holds itself */
    {BYTES("\x80\x04\x95\x02\0\0\0\0\0\0\0N."), "None"},
    {BYTES("cos\nsystem\n."), "os.system"},
    {BYTES("\x8c\x02os\x8c\x06system\x93."), "os.system"},
    {BYTES("cos\nsystem\n(S'x'\ntR."), "os.system(b'x')"},
    {BYTES("(S'x'\nios\nsystem\n."), "os.system(b'x')"},
    {BYTES("(cos\nsystem\nS'x'\no."), "os.system(b'x')"},
    {BYTES("cA\nB\n)\x81}X\1\0\0\0aK\1sb."), "A.B()/{'a': 1}"},
    {BYTES("cA\nB\n)}X\1\0\0\0aK\1s\x92."), "A.B(){'a': 1}"},
    {BYTES("cA\nB\n)\x81K\1aK\2K\3s."), "A.B()+1&2=3"},
    {BYTES("cA\nB\n)R)R."), "A.B()()"}, /* a call of what a call gave */
    {BYTES("Pabc\n."), "@'abc'"},
    {BYTES("K\1Q."), "@1"},
    {BYTES("K\1Q)\x81."), "@1()"},
    {BYTES("\x82\x07."), "copyreg.extension.7"},
    {BYTES("\x84\x00\x01\x00\x00."), "copyreg.extension.256"},
    {BYTES("ccollections\nOrderedDict\n)RK\1K\2s."), "{1: 2}"},
    {BYTES("ctorch.jit._pickle\nbuild_intlist\n](K\1K\2e\x85R."), "[1, 2]"},
    {BYTES("ctorch.jit._pickle\nrestore_type_tag\n}K\1K\2sU\1a\x86R."), "{1: 2}"},
    {BYTES("cbuiltins\nlist\n(K\1K\2t\x85R."), "[1, 2]"},
    {BYTES("ctorch\nSize\n](K\1K\2e\x85R."), "(1, 2)"},
    {BYTES("ccollections\ndefaultdict\ncbuiltins\nlist\n\x85RK\1K\2s."), "{1: 2}"},
    {BYTES("c_codecs\nencode\nX\2\0\0\0\xc3\xbfX\4\0\0\0utf8\x86R."), "_codecs.encode('\xc3\xbf', 'utf8')"},
    {BYTES("ccollections\nOrderedDict\n](K\1K\2la\x85R."), "{1: 2}"}, /* pairs in a list: Python 2 */
};

START_TEST(test_good)
{
  expect(good[_i].data, good[_i].length, good[_i].wanted);
}
END_TEST

static const struct {
  const unsigned char *data;
  size_t length;
  uint64_t at;
  const char *part;
} bad[] = {
    {BYTES(""), 0, "no end"},
    {BYTES("N"), 1, "no end"},
    {BYTES("\x80"), 0, "ends inside"},
    {BYTES("\x80\x06N."), 0, "protocol 6"},
    {BYTES("."), 0, "too few"},
    {BYTES("N(."), 2, "open mark"},
    {BYTES("NN."), 2, "left on the stack"},
    {BYTES("0N."), 0, "too few"},
    {BYTES("Nt."), 1, "no mark"},
    {BYTES("1N."), 0, "no mark"},
    {BYTES("\x85."), 0, "too few"},
    {BYTES("N(\x85."), 2, "too few"}, /* a mark is a fence */
    {BYTES("N\x87."), 1, "too few"},
    {BYTES("]a."), 1, "too few"},
    {BYTES("NNa."), 2, "no list"},
    {BYTES(")Na."), 2, "no list"},
    {BYTES("](N\x90."), 3, "no set"},
    {BYTES("}Ns."), 2, "too few"},
    {BYTES("]NNs."), 3, "no dict"},
    {BYTES("}(Nu."), 3, "a key without a value"},
    {BYTES("(Nd."), 2, "a key without a value"},
    {BYTES("}]Ns."), 3, "a list as a key"},
    {BYTES("}(}Nu."), 4, "a dict as a key"},
    {BYTES("h\0."), 0, "memo number 0"},
    {BYTES("Nq\1h\0."), 3, "memo number 0"},
    {BYTES("Nq\xff."), 1, "fewer values"},
    {BYTES("Nr\xff\xff\xff\xff."), 1, "fewer values"},
    {BYTES("q\0N."), 0, "too few"},
    {BYTES("\x94N."), 0, "too few"},
    {BYTES("g\n."), 0, "memo number that is no number"},
    {BYTES("g-1\n."), 0, "memo number that is no number"},
    {BYTES("g99999999999999999999\n."), 0, "memo number that is no number"},
    {BYTES("g0"), 0, "ends inside"},
    {BYTES("X\5\0\0\0abcd"), 0, "ends inside"},
    {BYTES("X\xff\xff\xff\xff"), 0, "ends inside"},
    {BYTES("\x8d\xff\xff\xff\xff\xff\xff\xff\xff"
           "a."),
     0, "ends inside"},
    {BYTES("\x8e\xff\xff\xff\xff\xff\xff\xff\x7f"
           "a."),
     0, "ends inside"},
    {BYTES("N\x96\x02\0\0\0\0\0\0\0."), 1, "ends inside"},
    {BYTES("\x95\x03\0\0\0\0\0\0\0N."), 0, "frame"},
    {BYTES("\x95\xff\xff\xff\xff\xff\xff\xff\xffN."), 0, "frame"},
    {BYTES("\x97."), 0, "buffers"},
    {BYTES("N\x98."), 1, "buffers"},
    {BYTES("I\n."), 0, "integer without digits"},
    {BYTES("I-\n."), 0, "integer without digits"},
    {BYTES("Iabc\n."), 0, "integer that is no number"},
    {BYTES("L12x\n."), 0, "integer that is no number"},
    {BYTES("L\n."), 0, "integer without digits"},
    {BYTES("F\n."), 0, "float without digits"},
    {BYTES("F1,5\n."), 0, "float that is no number"},
    {BYTES("S'abc\n."), 0, "quotes"},
    {BYTES("S'\n."), 0, "quotes"},
    {BYTES("Sabc\n."), 0, "quotes"},
    {BYTES("S'a\\'\n."), 0, "inside an escape"},
    {BYTES("S'\\x4'\n."), 0, "escape"},
    {BYTES("V\\u12\n."), 0, "escape"},
    {BYTES("V\\U00110000\n."), 0, "escape"},
    {BYTES("\x8a\x05"
           "ab."),
     0, "ends inside"},
    {BYTES("\x8b\xff\xff\xff\xff"), 0, "negative length"},
    {BYTES("cos\n"), 0, "ends inside"},
    {BYTES("co\0s\nsystem\n."), 0, "NUL"},
    {BYTES("cos\nsys\0tem\n."), 0, "NUL"},
    {BYTES("\x93."), 0, "too few"},
    {BYTES("NN\x93."), 2, "no string"},
    {BYTES("N)R."), 2, "no class"},
    {BYTES("cos\nsystem\nNR."), 12, "no tuple"},
    {BYTES("cos\nsystem\n]\x81."), 12, "no tuple"},
    {BYTES("(o."), 1, "too few"},
    {BYTES("(No."), 2, "no class"},
    {BYTES("ios\nsystem\n."), 0, "no mark"},
    {BYTES("K\1Nb."), 3, "a state"},
    {BYTES("Q."), 0, "too few"},
    {BYTES("\xff."), 0, "no pickle opcode: byte 0xff"},
    {BYTES("N!."), 1, "no pickle opcode: byte 0x21"},
    {BYTES("ccollections\nOrderedDict\n]K\1a\x85R."), 30, "no pairs"},
    {BYTES("c_codecs\nencode\nX\2\0\0\0\xc4\x80X\6\0\0\0latin1\x86R."), 35, "other characters"},
};

START_TEST(test_bad)
{
  expect_error(bad[_i].data, bad[_i].length, NULL, bad[_i].at, bad[_i].part);
}
END_TEST

START_TEST(test_limits)
{
  dump_limits limits = dump_limits_default();
  limits.depth = 3;
  expect_error(BYTES("((((N."), &limits, 3, "more than 3 open marks");
  limits = dump_limits_default();
  limits.header_bytes = 4;
  expect_error(BYTES("]]]]]."), &limits, 4, "limit of 4 bytes");
  /* The contents of bytes do not count, those of text do. */
  expect_error(BYTES("X\4\0\0\0abcd."), &limits, 9, "limit of 4 bytes");
  fixture kept;
  dump_error error;
  limits.header_bytes = 6;
  pickle *p = read(BYTES("B\4\0\0\0abcd."), &limits, &error, &kept);
  ck_assert_ptr_nonnull(p);
  pickle_free(p);
  free(kept.data);
  /* Values that take far more memory than program. */
  enum { MANY = 100000 };
  limits.header_bytes = MANY;
  unsigned char *data = malloc(MANY);
  memset(data, ']', MANY);
  p = read(data, MANY, &limits, &error, &kept);
  ck_assert_ptr_null(p);
  ck_assert_ptr_nonnull(strstr(error.message, "bytes of memory"));
  dump_error_clear(&error);
  free(kept.data);
  /* An integer longer than any that is kept. */
  memcpy(data, "\x8b\x00\x10\x00\x00", 5);
  expect_error(data, MANY, NULL, 0, "too many bytes");
  free(data);
}
END_TEST

/* Cut anywhere it is refused; nothing is read behind the cut. */
START_TEST(test_cut)
{
  char name[32];
  snprintf(name, sizeof name, "values-%d.pickle", _i);
  fixture whole = fixture_read(name);
  for (size_t length = 0; length < whole.length; length++) {
    fixture kept;
    dump_error error;
    pickle *p = read(whole.data, length, NULL, &error, &kept);
    ck_assert_msg(p == NULL, "accepted with %zu bytes", length);
    ck_assert(error.has_offset && error.offset <= 1000 + length);
    dump_error_clear(&error);
    free(kept.data);
  }
  free(whole.data);
}
END_TEST

START_TEST(test_looking)
{
  fixture kept;
  dump_error error;
  pickle *p = read(BYTES("}(X\1\0\0\0aK\1U\1aK\2X\1\0\0\0bcA\nB\nK\3Qu."), NULL, &error, &kept);
  ck_assert_ptr_null(p); /* a key is missing */
  dump_error_clear(&error);
  free(kept.data);
  p = read(BYTES("}(X\1\0\0\0aK\1U\1aK\2X\1\0\0\0bcA\nB\nK\3QNu."), NULL, &error, &kept);
  ck_assert_ptr_nonnull(p);
  const pickle_value *root = pickle_root(p), *global = pickle_get(root, "b");
  ck_assert_int_eq(pickle_get(root, "a")->u.integer, 2); /* the last one */
  ck_assert_ptr_null(pickle_get(root, "c"));
  ck_assert_ptr_null(pickle_get(global, "c"));
  ck_assert(pickle_is_global(global, "A", "B"));
  ck_assert(pickle_is_global(global, "C|A", "B"));
  ck_assert(pickle_is_global(global, "A|C", "B"));
  ck_assert(!pickle_is_global(global, "AA|C", "B"));
  ck_assert(!pickle_is_global(global, "A", "C"));
  ck_assert(!pickle_is_global(root, "A", "B"));
  ck_assert_uint_eq(global->at, 21);
  size_t count;
  pickle_value *const *persistent = pickle_persistent(p, &count);
  ck_assert_uint_eq(count, 1);
  ck_assert_int_eq(persistent[0]->u.id->u.integer, 3);
  ck_assert_ptr_null(pickle_item(root, 0));
  pickle_free(p);
  free(kept.data);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("pickle");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_loop_test(all, test_protocols, 0, 6);
  tcase_add_loop_test(all, test_good, 0, sizeof good / sizeof *good);
  tcase_add_loop_test(all, test_bad, 0, sizeof bad / sizeof *bad);
  tcase_add_test(all, test_limits);
  tcase_add_loop_test(all, test_cut, 0, 6);
  tcase_add_test(all, test_looking);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
