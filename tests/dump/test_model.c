/* Recognising the layers of described families by names and shapes. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bytes.h"
#include "core/text.h"
#include "made_model.h"

/* What was found, in text: "NAME FAMILY SIZES TENSORS" for each layer, then "stray ...". */
static char *describe(const model *m)
{
  text t;
  text_init(&t);
  for (size_t i = 0; i < m->count; i++) {
    const model_layer *layer = &m->layers[i];
    text_addf(&t, "%s %s", layer->name, layer->family->name);
    for (unsigned k = 0; k < layer->family->sizes; k++)
      text_addf(&t, " %s=%lld", layer->family->size[k].name, (long long)layer->sizes[k]);
    size_t bound = 0;
    for (unsigned k = 0; k < layer->family->givens; k++) {
      if (layer->family->given[k].stored)
        text_addf(&t, " %s", layer->tensor[k] ? layer->tensor[k]->name : "-");
      bound += layer->tensor[k] != NULL;
    }
    ck_assert_uint_eq(bound, layer->bound);
    text_add(&t, "\n");
  }
  for (size_t i = 0; i < m->stray_count; i++)
    text_addf(&t, "stray %s\n", m->strays[i]);
  text_add(&t, "");
  return text_take(&t);
}

static void expect(const char *families, const made_tensor *x, size_t count, const char *wanted)
{
  made_families f = made_families_text(families);
  dump_file *file = made_model(x, count);
  model m;
  dump_error error;
  dump_error_init(&error);
  assay_status status = model_recognise(&m, f.family, f.count, file, &error);
  char *found = status == STATUS_OK ? describe(&m) : memory_copy_string(error.message);
  ck_assert_str_eq(found, wanted);
  ck_assert(status == STATUS_OK || (!error.has_offset && m.count == 0 && !m.layers && !m.strays));
  free(found);
  model_clear(&m);
  dump_close(file);
  dump_error_clear(&error);
  made_families_clear(&f);
}

#define EXPECT(families, tensors, wanted) expect(families, tensors, sizeof(tensors) / sizeof *(tensors), wanted)

#define ROLES \
  "let rate[d in 1..D, n in 1..N] as rate = -exp(A[d, n])\n" \
  "let step[d in 1..D] as step = softplus(b[d])\n" \
  "let log_decay[d in 1..D, n in 1..N] as log_decay = step[d]*rate[d, n]\n"
#define TOY \
  "family toy\n" \
  "size D >= 1 as channel\n" \
  "size N >= 1 as state\n" \
  "tensor A[d in 1..D, n in 1..N] \"A_log\"\n" \
  "tensor b[d in 1..D] \"dt.bias\" \"other.bias\"\n" ROLES \
  "tensor skip[d in 1..D] \"D\"\n" \
  "end\n"

/* Prefixes, alternative names in their order, natural order, what an optimizer remembers, and strays. */
START_TEST(test_names)
{
  static const made_tensor x[] = {
    {"model.layers.10.mixer.A_log", 2, {3, 2}, NULL, 0},
    {"model.layers.10.mixer.other.bias", 1, {3}, NULL, 0},
    {"model.layers.10.mixer.dt.bias", 1, {3}, NULL, 0},
    {"model.layers.10.mixer.D", 1, {3}, NULL, 0},
    {"model.layers.2.mixer.other.bias", 1, {4}, NULL, 0},
    {"model.layers.2.mixer.A_log", 2, {4, 5}, NULL, 0},
    {"A_log", 2, {1, 1}, NULL, 0},
    {"dt.bias", 1, {1}, NULL, 0},
    {"slash/A_log", 2, {1, 1}, NULL, 0},
    {"slash/dt.bias", 1, {1}, NULL, 0},
    {"lone.A_log", 2, {2, 2}, NULL, 0},
    {"odd.A_log", 3, {2, 2, 2}, NULL, 0},
    {"odd.dt.bias", 1, {2}, NULL, 0},
    {"momentum.A_log", 2, {3, 2}, NULL, DUMP_OPTIMIZER},
    {"momentum.dt.bias", 1, {3}, NULL, DUMP_OPTIMIZER},
    {"half.A_log", 2, {3, 2}, NULL, 0},
    {"half.dt.bias", 1, {3}, NULL, DUMP_OPTIMIZER},
    {"xA_log", 2, {3, 2}, NULL, 0}, /* no component of its own */
    {"xdt.bias", 1, {3}, NULL, 0},
    {"A_log.scale", 2, {1, 1}, NULL, 0},
  };
  EXPECT(TOY, x,
         " toy D=1 N=1 A_log dt.bias -\n"
         "model.layers.2.mixer toy D=4 N=5 model.layers.2.mixer.A_log model.layers.2.mixer.other.bias -\n"
         "model.layers.10.mixer toy D=3 N=2 model.layers.10.mixer.A_log model.layers.10.mixer.dt.bias"
         " model.layers.10.mixer.D\n"
         "slash toy D=1 N=1 slash/A_log slash/dt.bias -\n"
         "stray \"lone.A_log\": toy has no \"dt.bias\" there\n"
         "stray \"odd.A_log\": toy wants \"odd.A_log\" of shape [D = 2, N], and it is [2, 2, 2]\n"
         "stray \"half.A_log\": toy has no \"dt.bias\" there\n");
}
END_TEST

/* Components above, and the one tensor of the whole file. */
START_TEST(test_elsewhere)
{
  static const char family[] = "family toy\n"
                               "size D >= 1 as channel\n"
                               "size N >= 1 as state\n"
                               "tensor A[d in 1..D, n in 1..N] \"A_log\"\n"
                               "tensor b[d in 1..D] \"/whole.bias\"\n" ROLES
                               "tensor up[d in 1..D] \"../norm\"\n"
                               "tensor top[d in 1..D] \"../../norm\"\n"
                               "tensor beyond[d in 1..D] \"../../../../norm\"\n"
                               "end\n";
  static const made_tensor x[] = {
    {"a.b.A_log", 2, {3, 2}, NULL, 0}, {"a.norm", 1, {3}, NULL, 0},       {"norm", 1, {3}, NULL, 0},
    {"a.b.norm", 1, {3}, NULL, 0},     {"z.whole.bias", 1, {3}, NULL, 0}, {"unwhole.bias", 1, {3}, NULL, 0},
    {"whole.bias", 1, {3}, NULL, DUMP_OPTIMIZER},
  };
  EXPECT(family, x, "a.b toy D=3 N=2 a.b.A_log z.whole.bias a.norm norm -\n");
  made_tensor twice[sizeof x / sizeof *x];
  memcpy(twice, x, sizeof x);
  twice[5].name = "y/whole.bias"; /* now there are two of them */
  EXPECT(family, twice,
         "no layer of a known family found; \"a.b.A_log\": toy has no \"/whole.bias\" there; it holds 7 tensors: "
         "\"a.b.A_log\", \"a.norm\", \"norm\", \"a.b.norm\", \"z.whole.bias\", \"y/whole.bias\", \"whole.bias\"; "
         "assay-family(5) says how to describe another");
}
END_TEST

#define BLOCK \
  "family block\n" \
  "size H >= 1 as head\n" \
  "size D >= 1 as channel\n" \
  "tensor A[h in 1..H, d in 1..D] \"A_log\"\n" \
  "tensor b[h in 1..H, d in 1..D] \"bias\"\n" \
  "let log_decay[h in 1..H, d in 1..D] as log_decay = -exp(A[h, d] + b[h, d])\n" \
  "tensor twice[i in 1..2*D, h in 1..H] \"twice\"\n" \
  "end\n"

/* Lengths of 1 too many or too few, and dimensions merged or split. */
START_TEST(test_shapes)
{
  static const struct {
    made_tensor x[2];
    const char *wanted;
  } cases[] = {
    {{{"A_log", 2, {2, 3}, NULL, 0}, {"bias", 2, {2, 3}, NULL, 0}}, " block H=2 D=3 A_log bias -\n"},
    {{{"A_log", 4, {2, 1, 3, 1}, NULL, 0}, {"bias", 3, {1, 2, 3}, NULL, 0}}, " block H=2 D=3 A_log bias -\n"},
    {{{"A_log", 2, {2, 3}, NULL, 0}, {"bias", 1, {6}, NULL, 0}}, " block H=2 D=3 A_log bias -\n"},
    {{{"A_log", 2, {2, 3}, NULL, 0}, {"bias", 3, {1, 1, 6}, NULL, 0}}, " block H=2 D=3 A_log bias -\n"},
    {{{"A_log", 2, {4, 3}, NULL, 0}, {"bias", 4, {2, 2, 3, 1}, NULL, 0}}, " block H=4 D=3 A_log bias -\n"},
    {{{"A_log", 3, {1, 1, 5}, NULL, 0}, {"bias", 1, {5}, NULL, 0}}, " block H=1 D=5 A_log bias -\n"},
    {{{"A_log", 2, {1, 1}, NULL, 0}, {"bias", 0, {0}, NULL, 0}}, " block H=1 D=1 A_log bias -\n"},
    /* The second may be transposed: it is not read as if it were not. */
    {{{"A_log", 2, {2, 3}, NULL, 0}, {"bias", 2, {3, 2}, NULL, 0}}, "\"bias\" of shape [H = 2, D = 3], and it is [3, 2]"},
    {{{"A_log", 2, {4, 9}, NULL, 0}, {"bias", 2, {6, 6}, NULL, 0}}, "[H = 4, D = 9], and it is [6, 6]"},
    {{{"A_log", 2, {2, 3}, NULL, 0}, {"bias", 2, {2, 4}, NULL, 0}}, "[H = 2, D = 3], and it is [2, 4]"},
    {{{"A_log", 2, {2, 3}, NULL, 0}, {"bias", 1, {7}, NULL, 0}}, "[H = 2, D = 3], and it is [7]"},
    {{{"A_log", 1, {6}, NULL, 0}, {"bias", 1, {6}, NULL, 0}}, "\"A_log\" of shape [H, D], and it is [6]"},
    {{{"A_log", 2, {0, 3}, NULL, 0}, {"bias", 2, {0, 3}, NULL, 0}}, "\"A_log\" of shape [H, D], and it is [0, 3]"},
    {{{"A_log", 0, {0}, NULL, 0}, {"bias", 0, {0}, NULL, 0}}, "\"A_log\" of shape [H, D], and it is a single number"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char whole[512];
    snprintf(whole, sizeof whole,
             "no layer of a known family found; \"A_log\": block wants %s%s; it holds 2 tensors: \"A_log\", \"bias\"; "
             "assay-family(5) says how to describe another",
             cases[i].wanted[0] == '[' ? "\"bias\" of shape " : "", cases[i].wanted);
    EXPECT(BLOCK, cases[i].x, cases[i].wanted[0] == ' ' ? cases[i].wanted : whole);
  }
}
END_TEST

/* What does not matter may have any shape, and what it said of sizes is forgotten. */
START_TEST(test_unneeded)
{
  static const made_tensor x[] = {
    {"A_log", 2, {2, 3}, NULL, 0}, {"bias", 2, {2, 3}, NULL, 0}, {"twice", 2, {6, 2}, NULL, 0},
    {"p.A_log", 2, {2, 3}, NULL, 0}, {"p.bias", 2, {2, 3}, NULL, 0}, {"p.twice", 2, {7, 2}, NULL, 0},
  };
  EXPECT(BLOCK, x,
         " block H=2 D=3 A_log bias twice\n"
         "p block H=2 D=3 p.A_log p.bias -\n");
  static const char square[] = "family square\n"
                               "size D >= 1 as channel\n"
                               "size N in 2..9\n"
                               "tensor A[d in 1..D] \"A_log\"\n"
                               "let log_decay[d in 1..D] as log_decay = -exp(A[d])\n"
                               "tensor first[n in 1..N, m in 1..N] \"first\"\n"
                               "tensor second[n in 1..N] \"second\"\n"
                               "end\n";
  static const made_tensor y[] = {
    {"A_log", 1, {2}, NULL, 0}, {"first", 2, {3, 4}, NULL, 0}, {"second", 1, {5}, NULL, 0}};
  EXPECT(square, y, " square D=2 N=5 A_log - second\n");
  EXPECT(square, ((const made_tensor[]){{"A_log", 1, {2}, NULL, 0}}), " square D=2 N=2 A_log - -\n"); /* the least */
  EXPECT(square, ((const made_tensor[]){{"A_log", 1, {2}, NULL, 0}, {"second", 1, {10}, NULL, 0}}),
         "no layer of a known family found; \"A_log\": square: N = 10 is out of its bounds; it holds 2 tensors: "
         "\"A_log\", \"second\"; assay-family(5) says how to describe another");
}
END_TEST

/* A size that matters must be told, however it comes in. */
START_TEST(test_untold)
{
  static const char *const uses[] = {
    "let log_decay as log_decay = -exp(A[1]) - K\n",
    "let log_decay as log_decay = -sum(k in 1..K: exp(A[1]))\n",
    "let c[i in 1..K] = 1\nlet log_decay as log_decay = -exp(A[1])*c[1]\n",
    "given v in (0, K)\nlet log_decay as log_decay = -exp(A[1])*v\n",
    "let log_decay as log_decay = -exp(b[1])\n",
  };
  for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
    text family;
    text_init(&family);
    text_addf(&family,
              "family f\nsize D >= 1\nsize K >= 1\ntensor A[d in 1..D] \"A_log\"\ntensor b[k in 1..K] \"b\" else 0\n%send\n",
              uses[i]);
    EXPECT(text_string(&family), ((const made_tensor[]){{"A_log", 1, {2}, NULL, 0}}),
           "no layer of a known family found; \"A_log\": f: no tensor tells the size K; it holds 1 tensor: \"A_log\"; "
           "assay-family(5) says how to describe another");
    text_clear(&family);
  }
}
END_TEST

/* A size to which its bounds leave one value is told by them. */
START_TEST(test_bounded)
{
#define BOUNDED(high) \
  "family bounded\nsize D >= 1\nsize N >= 1\nsize P in N+2.." high "\nsize K in 7..7\n" \
  "tensor A[d in 1..D, n in 1..N] \"A_log\"\ntensor x[p in 1..2*P] \"x\"\ntensor k[p in 1..P, j in 1..K] \"k\"\n" \
  "let log_decay[d in 1..D, p in 1..P] as log_decay = if p <= 2 then 0 else -exp(A[d, p-2])\nend\n"
  static const made_tensor x[] = {
    {"a.A_log", 2, {2, 3}, NULL, 0}, {"a.x", 1, {10}, NULL, 0}, {"a.k", 1, {35}, NULL, 0},
    {"b.A_log", 2, {2, 4}, NULL, 0}, {"b.x", 1, {10}, NULL, 0}, {"c.A_log", 2, {2, 1}, NULL, 0},
  };
  EXPECT(BOUNDED("N+2"), x,
         "a bounded D=2 N=3 P=5 K=7 a.A_log a.x a.k\n"
         "b bounded D=2 N=4 P=6 K=7 b.A_log - -\n"
         "c bounded D=2 N=1 P=3 K=7 c.A_log - -\n");
  EXPECT(BOUNDED("N+3"), ((const made_tensor[]){{"A_log", 2, {2, 3}, NULL, 0}}),
         "no layer of a known family found; \"A_log\": bounded: no tensor tells the size P; it holds 1 tensor: \"A_log\"; "
         "assay-family(5) says how to describe another");
}
END_TEST

/* Mamba-1, polarized or not, is told by the rows of x_proj. */
START_TEST(test_polarized)
{
  static const struct {
    uint64_t rows;
    const char *family;
    unsigned bound;
  } cases[] = {{2 + 2 * 3, "mamba-1", 4}, {2 + 2 * 5, "mamba-1-polarized", 4}, {2 + 2 * 4, "mamba-1", 3}};
  made_families f = made_families_shipped();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    made_tensor x[] = {{"A_log", 2, {4, 3}, NULL, 0},
                       {"dt_proj.bias", 1, {4}, NULL, 0},
                       {"dt_proj.weight", 2, {4, 2}, NULL, 0},
                       {"x_proj.weight", 2, {cases[i].rows, 4}, NULL, 0}};
    dump_file *file = made_model(x, 4);
    model m;
    dump_error error;
    dump_error_init(&error);
    ck_assert_int_eq(model_recognise(&m, f.family, f.count, file, &error), STATUS_OK);
    ck_assert_uint_eq(m.count, 1);
    ck_assert_str_eq(m.layers[0].family->name, cases[i].family);
    ck_assert_uint_eq(m.layers[0].bound, cases[i].bound);
    model_clear(&m);
    dump_close(file);
  }
  made_families_clear(&f);
}
END_TEST

/* The family with the most tensors, of several the first; a reason from the one that came nearest. */
START_TEST(test_families)
{
#define FAMILY(name, tensors) \
  "family " name "\nsize D >= 1\ntensor A[d in 1..D] \"A\"\n" tensors \
  "let log_decay[d in 1..D] as log_decay = -exp(A[d])\nend\n"
  static const char families[] = FAMILY("one", "") FAMILY("two", "tensor b[d in 1..D] \"b\"\n")
    FAMILY("again", "tensor c[d in 1..D] \"b\"\n") FAMILY("three", "tensor b[d in 1..D] \"b\"\ntensor c[d in 1..D] \"c\"\n")
    "family strict\nsize D >= 1\ntensor A[d in 1..D] \"A\"\ntensor e[d in 1..D] \"e\"\ntensor f[d in 1..D] \"f\"\n"
    "let log_decay[d in 1..D] as log_decay = -exp(A[d] + e[d] + f[d])\nend\n";
  static const made_tensor x[] = {
    {"l1.A", 1, {2}, NULL, 0}, {"l2.A", 1, {2}, NULL, 0}, {"l2.b", 1, {2}, NULL, 0}, {"l3.A", 1, {2}, NULL, 0},
    {"l3.b", 1, {2}, NULL, 0}, {"l3.c", 1, {2}, NULL, 0}, {"l4.A", 1, {2}, NULL, 0}, {"l4.b", 1, {3}, NULL, 0},
    {"l5.A", 2, {2, 2}, NULL, 0}, {"l5.e", 1, {2}, NULL, 0}, {"l5.f", 1, {2}, NULL, 0},
    {"l6.A", 1, {2}, NULL, 0}, {"l6.e", 1, {2}, NULL, 0}, {"l6.f", 1, {2}, NULL, 0}, {"l6.b", 1, {2}, NULL, 0},
  };
  EXPECT(families, x,
         "l1 one D=2 l1.A\n"
         "l2 two D=2 l2.A l2.b\n"
         "l3 three D=2 l3.A l3.b l3.c\n"
         "l4 one D=2 l4.A\n"
         "l6 strict D=2 l6.A l6.e l6.f\n"
         "stray \"l5.A\": strict wants \"l5.A\" of shape [D = 2], and it is [2, 2]\n");
}
END_TEST

/* Numbers of layers count those of the family, in natural order; a number beyond its bound is no layer. */
START_TEST(test_layer_numbers)
{
  static const char families[] =
    "family plain\nsize D >= 1\ntensor A[d in 1..D] \"A\"\nlet log_decay[d in 1..D] as log_decay = -exp(A[d])\nend\n"
    "family counted\nsize L >= 1\nsize l in 1..L as layer\nsize D >= 1\ntensor f[d in 1..D] \"f\"\n"
    "tensor all[i in 1..L, d in 1..D] \"/all\"\n"
    "let log_decay[d in 1..D] as log_decay = -exp(f[d] + all[l, d])\nend\n";
  static const made_tensor x[] = {
    {"m.all", 2, {2, 3}, NULL, 0}, {"m.10.f", 1, {3}, NULL, 0}, {"m.9.f", 1, {3}, NULL, 0},
    {"m.8.A", 1, {3}, NULL, 0},    {"m.3.f", 1, {3}, NULL, 0},
  };
  EXPECT(families, x,
         "m.3 counted L=2 l=1 D=3 m.3.f m.all\n"
         "m.8 plain D=3 m.8.A\n"
         "m.9 counted L=2 l=2 D=3 m.9.f m.all\n"
         "stray \"m.10\": counted: l = 3 is out of its bounds\n");
}
END_TEST

START_TEST(test_nothing)
{
  EXPECT(TOY, ((const made_tensor[]){{"time_\ndecay", 1, {1}, NULL, 0}, {"x.A_log", 2, {2, 2}, NULL, 0}}),
         "no layer of a known family found; \"x.A_log\": toy has no \"dt.bias\" there; it holds 2 tensors: "
         "\"time_\\x0adecay\", \"x.A_log\"; assay-family(5) says how to describe another");
  expect(TOY, NULL, 0,
         "no layer of a known family found; it holds 0 tensors; assay-family(5) says how to describe another");
  static made_tensor many[26];
  static char name[26][8];
  text wanted;
  text_init(&wanted);
  text_add(&wanted, "no layer of a known family found; it holds 26 tensors");
  for (int i = 0; i < 26; i++) {
    snprintf(name[i], sizeof name[i], "t%d", i);
    many[i] = (made_tensor){name[i], 1, {1}, NULL, 0};
    if (i < 24)
      text_addf(&wanted, "%s\"t%d\"", i ? ", " : ": ", i);
  }
  text_add(&wanted, " and 2 more; assay-family(5) says how to describe another");
  EXPECT(TOY, many, text_string(&wanted));
  text_clear(&wanted);
}
END_TEST

START_TEST(test_default)
{
  made_families f = made_families_text("family f\nsize D >= 1\ntensor a[d in 1..D] \"a\" else -0.25\n"
                                       "tensor b[d in 1..D] \"b\" else 3\ntensor c[d in 1..D] \"c\"\nend\n");
  fmpq_t value;
  fmpq_init(value);
  ck_assert(model_default(value, &f.family[0]->given[0]));
  ck_assert(fmpz_equal_si(fmpq_numref(value), -1) && fmpz_equal_si(fmpq_denref(value), 4));
  ck_assert(model_default(value, &f.family[0]->given[1]));
  ck_assert_int_eq(fmpq_cmp_si(value, 3), 0);
  ck_assert(!model_default(value, &f.family[0]->given[2]));
  fmpq_clear(value);
  ck_assert_ptr_null(model_role(f.family[0], "step"));
  ck_assert_int_eq(model_size_role(f.family[0], "layer"), -1);
  made_families_clear(&f);
  flint_cleanup();
}
END_TEST

START_TEST(test_order)
{
  static const char *const sorted[] = {"",    "a",    "a0b",   "a1",     "a1b",                   "a2",                    "a02b",
                                       "a2c", "a10", "a10.9", "a10.10", "a99999999999999999999", "a100000000000000000000", "b"};
  size_t count = sizeof sorted / sizeof *sorted;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      int order = model_compare_names(sorted[i], sorted[j]);
      ck_assert_msg((order > 0) - (order < 0) == (i > j) - (i < j), "%s, %s: %d", sorted[i], sorted[j], order);
    }
  ck_assert_int_lt(model_compare_names("a07", "a7"), 0); /* equal but for the bytes */
}
END_TEST

/* What is needed goes through chains of definitions of any length. */
START_TEST(test_long_chain)
{
  enum { LONG = 60000 };
  text family;
  text_init(&family);
  text_add(&family, "family chain\nsize D >= 1\ntensor A[d in 1..D] \"A\"\nlet log_decay as log_decay = c0\n");
  for (int i = 0; i < LONG; i++)
    text_addf(&family, "let c%d = c%d\n", i, i + 1);
  text_addf(&family, "let c%d = -exp(A[1])\nend\n", LONG);
  EXPECT(text_string(&family), ((const made_tensor[]){{"A", 1, {2}, NULL, 0}}), " chain D=2 A\n");
  text_clear(&family);
  flint_cleanup();
}
END_TEST

/* A file from elsewhere, where it is at hand: names and shapes as another program listed them. */
START_TEST(test_from_elsewhere)
{
  const char *top = getenv("top_srcdir");
  char path[4096];
  snprintf(path, sizeof path, "%s/../shared/data/dumps/repacked-mamba1-radio-positioning.safetensors", top ? top : ".");
  if (access(path, R_OK) != 0)
    return;
  dump_error error;
  dump_error_init(&error);
  dump_file *file = dump_open(path, NULL, &error);
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(dump_count(file), 51);
  made_families f = made_families_shipped();
  model m;
  ck_assert_int_eq(model_recognise(&m, f.family, f.count, file, &error), STATUS_OK);
  ck_assert_uint_eq(m.count, 4);
  for (size_t k = 0; k < 4; k++) {
    char name[64];
    snprintf(name, sizeof name, "backbone.blocks.%zu", k);
    ck_assert_str_eq(m.layers[k].name, name);
    ck_assert_str_eq(m.layers[k].family->name, "mamba-1");
    ck_assert_int_eq(m.layers[k].sizes[0], 256);
    ck_assert_int_eq(m.layers[k].sizes[1], 16);
  }
  model_clear(&m);
  dump_close(file);
  made_families_clear(&f);
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("layers of models");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 0);
  tcase_add_test(all, test_names);
  tcase_add_test(all, test_elsewhere);
  tcase_add_test(all, test_shapes);
  tcase_add_test(all, test_unneeded);
  tcase_add_test(all, test_untold);
  tcase_add_test(all, test_bounded);
  tcase_add_test(all, test_polarized);
  tcase_add_test(all, test_families);
  tcase_add_test(all, test_layer_numbers);
  tcase_add_test(all, test_nothing);
  tcase_add_test(all, test_default);
  tcase_add_test(all, test_order);
  tcase_add_test(all, test_long_chain);
  tcase_add_test(all, test_from_elsewhere);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed != 0;
}
