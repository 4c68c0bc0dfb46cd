#include "random_claim.h"

#include <stdio.h>
#include <string.h>

enum { MOST_INDICES = 6, MOST_LETS = 6, DEEP = 4 };

/* What an index runs through: 1..T, 0..T or 1..N. */
typedef enum { OVER_T, OVER_T_AND_0, OVER_N } extent;

typedef enum { LET_SCALAR, LET_OVER_T, LET_RECURRENCE, LET_PAIR, LET_TRUTH, LET_TRUTH_OVER_T } let_kind;

typedef struct {
  philox_stream *random;
  random_features features;
  text *out;
  bool has_n, has_matrix;
  struct {
    char name[4];
    extent extent;
  } index[MOST_INDICES];
  unsigned indices, names;
  struct {
    char name[4];
    let_kind kind;
    bool has_derivative;
  } let[MOST_LETS];
  unsigned lets;
  const char *own;             /* the recurrence that is being defined: only elements before t may be used */
  unsigned derivatives, means; /* around the place */
  bool has_derivative; /* so far, of the let that is being made */
  bool has_variances;  /* that depend on givens: then nothing is differentiated */
} maker;

static uint64_t below(maker *m, uint64_t n)
{
  return philox_below(m->random, n);
}

static void value(maker *m, unsigned depth);
static void formula(maker *m, unsigned depth);

static void add(maker *m, const char *s)
{
  text_add(m->out, s);
}

static void any_of(maker *m, const char *const *words, size_t n)
{
  add(m, words[below(m, n)]);
}
#define ANY_OF(m, ...)                                                                                       \
  any_of(m, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* An index expression with a value in 1..T or 1..N. */
static void place(maker *m, extent e)
{
  for (unsigned i = m->indices; i-- > 0;)
    if (m->index[i].extent == e && below(m, 3)) {
      const char *name = m->index[i].name;
      if (e == OVER_T && below(m, 6) == 0)
        text_addf(m->out, "T + 1 - %s", name);
      else
        add(m, name);
      return;
    }
  ANY_OF(m, "1", e == OVER_N ? "N" : "T");
}

/* ... in 0..T. */
static void place_from_0(maker *m)
{
  uint64_t k = below(m, 8);
  for (unsigned i = m->indices; i-- > 0;)
    if (m->index[i].extent != OVER_N && k < 6) {
      add(m, m->index[i].name);
      if (m->index[i].extent == OVER_T && k < 3)
        add(m, " - 1");
      return;
    }
  ANY_OF(m, "0", "T", "T - 1");
}

static const char *push_index(maker *m, extent e)
{
  static const char *const names[] = {"i", "j", "k", "l", "m", "n", "o", "q"};
  const char *name;
  bool taken;
  do {
    name = names[m->names++ % 8];
    taken = false;
    for (unsigned i = 0; i < m->indices; i++)
      taken |= !strcmp(m->index[i].name, name);
  } while (taken);
  unsigned at = m->indices++;
  snprintf(m->index[at].name, sizeof m->index[at].name, "%s", name);
  m->index[at].extent = e;
  return m->index[at].name;
}

/* `i in 1..T`, `j in i..T`, ...; pushes the index. */
static void range(maker *m)
{
  extent e = m->has_n && below(m, 3) == 0 ? OVER_N : OVER_T;
  const char *end = e == OVER_N ? "N" : "T";
  const char *outer = NULL;
  for (unsigned i = 0; i < m->indices; i++)
    if (m->index[i].extent == e && below(m, 2))
      outer = m->index[i].name;
  const char *name = push_index(m, e);
  switch (below(m, 8)) {
  case 0:
    text_addf(m->out, "%s in 2..%s", name, end);
    break;
  case 1:
    text_addf(m->out, "%s in 1..%s - 1", name, end);
    break;
  case 2:
  case 3:
    if (outer)
      text_addf(m->out, below(m, 2) ? "%s in 1..%s" : "%s in 1..%s - 1", name, outer);
    else
      text_addf(m->out, "%s in 1..%s", name, end);
    break;
  case 4:
    if (outer)
      text_addf(m->out, below(m, 2) ? "%s in %s..%s" : "%s in %s + 1..%s", name, outer, end);
    else
      text_addf(m->out, "%s in 1..%s", name, end);
    break;
  default:
    text_addf(m->out, "%s in 1..%s", name, end);
  }
}

static void given(maker *m)
{
  switch (below(m, m->has_matrix ? 5 : 4)) {
  case 0:
    add(m, "p");
    break;
  case 1:
    add(m, "x[");
    place(m, OVER_T);
    add(m, "]");
    break;
  case 4:
    add(m, "y[");
    place(m, OVER_T);
    add(m, ", ");
    place(m, OVER_N);
    add(m, "]");
    break;
  default:
    add(m, "x[");
    place(m, OVER_T);
    add(m, "]");
  }
}

/* An element of an earlier let; false when there is none of this kind. */
static bool element(maker *m, bool truth)
{
  unsigned fit = 0, at[MOST_LETS];
  for (unsigned i = 0; i < m->lets; i++)
    if ((m->let[i].kind >= LET_TRUTH) == truth && !(m->derivatives && m->let[i].has_derivative))
      at[fit++] = i;
  if (!fit)
    return false;
  unsigned i = at[below(m, fit)];
  add(m, m->let[i].name);
  m->has_derivative |= m->let[i].has_derivative;
  switch (m->let[i].kind) {
  case LET_OVER_T:
  case LET_TRUTH_OVER_T:
    add(m, "[");
    place(m, OVER_T);
    add(m, "]");
    break;
  case LET_RECURRENCE:
    add(m, "[");
    place_from_0(m);
    add(m, "]");
    break;
  case LET_PAIR:
    add(m, "[");
    place(m, OVER_T);
    add(m, ", ");
    place(m, OVER_T);
    add(m, "]");
    break;
  default:
    break;
  }
  return true;
}

static void literal(maker *m)
{
  switch (below(m, 12)) {
  case 0:
    if (m->indices) {
      add(m, m->index[below(m, m->indices)].name);
      break;
    }
    /* fallthrough */
  case 1:
    add(m, "T");
    break;
  default:
    ANY_OF(m, "0", "1", "2", "1/2", "3", "0.25", "1/3", "0.1", "5", "-1", "-1/2");
  }
}

static void leaf(maker *m)
{
  if (m->own && !m->derivatives && below(m, 3) == 0) {
    text_addf(m->out, "%s[t - 1]", m->own);
    return;
  }
  uint64_t k = below(m, 10);
  if (k < 2)
    literal(m);
  else if (k >= 5 || !element(m, false))
    given(m);
}

static void fold(maker *m, unsigned depth)
{
  unsigned before = m->indices;
  bool spread = below(m, 6) == 0 && m->indices + 2 <= MOST_INDICES;
  if (spread) { /* what lowering turns into max - min */
    const char *i = push_index(m, OVER_T), *j = push_index(m, OVER_T);
    text_addf(m->out, "max(%s in 1..T, %s in 1..T: abs(x[%s] - x[%s]))", i, j, i, j);
    m->indices = before;
    return;
  }
  ANY_OF(m, "sum(", "prod(", "min(", "max(", "sum(");
  range(m);
  if (below(m, 4) == 0 && m->indices < MOST_INDICES) {
    add(m, ", ");
    range(m);
  }
  add(m, ": ");
  value(m, depth - 1);
  add(m, ")");
  m->indices = before;
}

static void power(maker *m, unsigned depth)
{
  add(m, "(");
  value(m, depth - 1);
  add(m, ")^");
  if (m->indices && below(m, 4) == 0) {
    const char *name = m->index[m->indices - 1].name;
    text_addf(m->out, m->features.division && below(m, 3) == 0 ? "(1 - %s)" : "(%s - 1)", name);
  } else if (m->features.division)
    ANY_OF(m, "2", "3", "0", "1", "(-1)", "(-2)", "(T - 1)", "(1 - T)");
  else
    ANY_OF(m, "2", "3", "0", "1", "(T - 1)");
}

static void call(maker *m, unsigned depth)
{
  if (below(m, 3) == 0) {
    ANY_OF(m, "min(", "max(");
    value(m, depth - 1);
    add(m, ", ");
    value(m, depth - 1);
    add(m, ")");
    return;
  }
  if (m->features.functions && below(m, 3))
    ANY_OF(m, "sqrt", "cbrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tan", "atan", "tanh", "erf",
           "sigmoid", "softplus", "silu", "gelu", "lambertw0", "sqrt", "exp", "log");
  else
    ANY_OF(m, "abs", "relu", "abs");
  add(m, "(");
  value(m, depth - 1);
  add(m, ")");
}

static void binary(maker *m, unsigned depth)
{
  add(m, "(");
  value(m, depth - 1);
  if (m->features.division)
    ANY_OF(m, " + ", " - ", "*", "*", " - ", " + ", "/");
  else
    ANY_OF(m, " + ", " - ", "*", "*");
  value(m, depth - 1);
  add(m, ")");
}

/* Something random: the elements f and c[t], and the recurrence z over them. */
static void random_leaf(maker *m)
{
  switch (below(m, 6)) {
  case 0:
  case 1:
    add(m, "f");
    break;
  case 2:
    add(m, "z[");
    place_from_0(m);
    add(m, "]");
    break;
  case 3:
    leaf(m);
    break;
  default:
    add(m, "c[");
    place(m, OVER_T);
    add(m, "]");
  }
}

/* A polynomial in random elements; its coefficients are any values. */
static void polynomial(maker *m, unsigned depth)
{
  unsigned before = m->indices;
  if (depth == 0) {
    random_leaf(m);
    return;
  }
  switch (below(m, 14)) {
  case 0:
    add(m, "(if ");
    formula(m, depth - 1);
    add(m, " then ");
    polynomial(m, depth - 1);
    add(m, " else ");
    polynomial(m, depth - 1);
    add(m, ")");
    break;
  case 1:
  case 2:
    if (m->indices + 1 >= MOST_INDICES) {
      random_leaf(m);
      break;
    }
    ANY_OF(m, "sum(", "sum(", "prod(");
    range(m);
    add(m, ": ");
    polynomial(m, depth - 1);
    add(m, ")");
    m->indices = before;
    break;
  case 3:
  case 4:
    add(m, "(");
    polynomial(m, depth - 1);
    ANY_OF(m, ")^2", ")^2", ")^0", ")^1", ")^3", ")^(T - 1)");
    break;
  case 5:
    if (m->features.derivatives && m->derivatives < 2 && !(m->own && m->derivatives)) {
      m->derivatives++;
      m->has_derivative = true;
      add(m, "d(");
      polynomial(m, depth - 1);
      add(m, ", ");
      given(m);
      add(m, ")");
      m->derivatives--;
      break;
    }
    /* fallthrough */
  case 6:
    add(m, "(-");
    polynomial(m, depth - 1);
    add(m, ")");
    break;
  case 7:
    value(m, depth - 1);
    break;
  case 8:
    add(m, "(");
    polynomial(m, depth - 1);
    add(m, m->features.division ? "/" : "*");
    value(m, depth - 1);
    add(m, ")");
    break;
  default:
    add(m, "(");
    polynomial(m, depth - 1);
    ANY_OF(m, " + ", " - ", "*", "*", "*");
    polynomial(m, depth - 1);
    add(m, ")");
  }
}

static void value(maker *m, unsigned depth)
{
  if (depth == 0) {
    leaf(m);
    return;
  }
  if (m->features.means && m->means < 2 && below(m, 3) == 0) {
    m->means++;
    add(m, "mean(");
    polynomial(m, depth > 2 ? 2 : depth);
    add(m, ")");
    m->means--;
    return;
  }
  switch (below(m, 16)) {
  case 0:
    add(m, "(if ");
    formula(m, depth - 1);
    add(m, " then ");
    value(m, depth - 1);
    add(m, " else ");
    value(m, depth - 1);
    add(m, ")");
    break;
  case 1:
  case 2:
    if (m->indices + 1 < MOST_INDICES)
      fold(m, depth);
    else
      leaf(m);
    break;
  case 3:
    power(m, depth);
    break;
  case 4:
  case 5:
  case 6:
    call(m, depth);
    break;
  case 7:
    if (m->features.derivatives && m->derivatives < 2 && !(m->own && m->derivatives)) {
      m->derivatives++;
      m->has_derivative = true;
      add(m, "d(");
      value(m, depth - 1);
      add(m, ", ");
      given(m);
      add(m, ")");
      m->derivatives--;
      break;
    }
    /* fallthrough */
  case 8:
    add(m, "(-");
    value(m, depth - 1);
    add(m, ")");
    break;
  case 9:
  case 10:
    leaf(m);
    break;
  default:
    binary(m, depth);
  }
}

static void comparison(maker *m, unsigned depth)
{
  add(m, "(");
  value(m, depth);
  ANY_OF(m, " <= ", " < ", " = ", " >= ", " > ", " != ", " <= ");
  value(m, depth);
  if (below(m, 4) == 0) {
    ANY_OF(m, " <= ", " < ", " = ");
    value(m, depth > 0 ? depth - 1 : 0);
  }
  add(m, ")");
}

static void formula(maker *m, unsigned depth)
{
  unsigned before = m->indices;
  switch (depth == 0 ? 9 : below(m, 12)) {
  case 0:
    add(m, "(not ");
    formula(m, depth - 1);
    add(m, ")");
    break;
  case 1:
  case 2:
  case 3:
    add(m, "(");
    formula(m, depth - 1);
    ANY_OF(m, " and ", " or ", " implies ");
    formula(m, depth - 1);
    add(m, ")");
    break;
  case 4:
  case 5:
    if (m->indices + 1 < MOST_INDICES) {
      ANY_OF(m, "(forall ", "(exists ", "(forall ");
      range(m);
      add(m, ": ");
      formula(m, depth - 1);
      add(m, ")");
      m->indices = before;
      break;
    }
    comparison(m, depth - 1);
    break;
  case 6:
    add(m, "(if ");
    formula(m, depth - 1);
    add(m, " then ");
    formula(m, depth - 1);
    add(m, " else ");
    formula(m, depth - 1);
    add(m, ")");
    break;
  case 7:
    if (!element(m, true))
      comparison(m, depth - 1);
    break;
  default:
    comparison(m, depth > 1 ? depth - 1 : depth);
  }
}

static void add_let(maker *m)
{
  static const char *const names[] = {"u", "v", "s", "h", "w", "g"};
  unsigned at = m->lets;
  const char *name = names[at];
  m->has_derivative = false;
  let_kind kind = (let_kind)below(m, 6);
  if (kind == LET_PAIR && below(m, 2))
    kind = LET_RECURRENCE;
  text_addf(m->out, "  let %s", name);
  switch (kind) {
  case LET_OVER_T:
  case LET_TRUTH_OVER_T:
    m->index[m->indices++].extent = OVER_T;
    snprintf(m->index[0].name, sizeof m->index[0].name, "t");
    add(m, "[t in 1..T] = ");
    break;
  case LET_PAIR:
    for (; m->indices < 2; m->indices++) {
      m->index[m->indices].extent = OVER_T;
      snprintf(m->index[m->indices].name, sizeof m->index[0].name, m->indices ? "r" : "t");
    }
    add(m, "[t in 1..T, r in 1..T] = ");
    break;
  case LET_RECURRENCE:
    add(m, "[0] = ");
    leaf(m);
    text_addf(m->out, "\n  let %s[t in 1..T] = ", name);
    m->index[m->indices++].extent = OVER_T;
    snprintf(m->index[0].name, sizeof m->index[0].name, "t");
    m->own = name;
    break;
  default:
    add(m, " = ");
  }
  if (kind >= LET_TRUTH)
    formula(m, 2);
  else if (kind == LET_RECURRENCE && below(m, 2)) { /* the usual form */
    text_addf(m->out, "x[t]*%s[t - 1] + ", name);
    value(m, 2);
  } else
    value(m, 3);
  add(m, "\n");
  m->indices = 0;
  m->own = NULL;
  snprintf(m->let[at].name, sizeof m->let[at].name, "%s", name);
  m->let[at].kind = kind;
  m->let[at].has_derivative = m->has_derivative;
  m->lets++;
}

static void interval(maker *m, const char *earlier)
{
  static const char *const plain[] = {"real",     "real",    "[0, 1]",    "(0, 1)",     "(-1, 1]",
                                      "[0, inf)", "[-2, 2)", "(-inf, 3]", "[-1/2, 5/2]"};
  if (earlier && below(m, 3) == 0)
    text_addf(m->out, below(m, 2) ? "[0, 1 - %s]" : "(%s - 1, 2]", earlier);
  else
    any_of(m, plain, sizeof plain / sizeof *plain);
  add(m, "\n");
}

void random_claim(text *out, philox_stream *random, random_features features)
{
  maker m = {.random = random, .features = features, .out = out};
  m.has_n = below(&m, 3) == 0;
  m.has_matrix = m.has_n && below(&m, 2);
  add(&m, "claim probe\n  size T >= 1\n");
  if (m.has_n)
    add(&m, "  size N >= 1\n");
  add(&m, "  given p in ");
  interval(&m, NULL);
  add(&m, "  given x[t in 1..T] in ");
  interval(&m, "p");
  if (m.has_matrix) {
    add(&m, "  given y[t in 1..T, n in 1..N] in ");
    interval(&m, "x[t]");
  }
  if (features.means) {
    m.has_variances = below(&m, 2);
    m.features.derivatives &= !m.has_variances;
    add(&m, "  random f ~ normal(0, ");
    if (m.has_variances)
      ANY_OF(&m, "p", "p^2", "x[1]^2 + 1", "1 - p");
    else
      ANY_OF(&m, "1", "2", "1/3", "0");
    add(&m, ")\n  random c[t in 1..T] ~ normal(0, ");
    if (m.has_variances)
      ANY_OF(&m, "x[t]", "abs(x[t])", "p*t", "(x[t] - 1)^2", features.division ? "1/x[t]" : "x[t]*p");
    else
      ANY_OF(&m, "1", "t", "t - 1", "1/4");
    add(&m, ")\n  let z[0] = ");
    ANY_OF(&m, "0", "p", "f");
    add(&m, "\n  let z[t in 1..T] = ");
    ANY_OF(&m, "x[t]*z[t - 1] + c[t]", "z[t - 1] + p*c[t]", "(if p > 0 then x[t] else 1)*z[t - 1] - c[t]*f",
           features.division ? "z[t - 1]/x[t] + c[t]" : "z[t - 1] + c[t]^2");
    add(&m, "\n");
  }
  for (unsigned i = 0, n = (unsigned)below(&m, 4); i < n; i++)
    add_let(&m);
  for (unsigned i = 0, n = (unsigned)below(&m, 3); i < n; i++) {
    text_addf(out, "  assume a%u: ", i + 1);
    switch (below(&m, 4)) {
    case 0: /* linear in the last x, or in p */
      ANY_OF(&m, "sum(i in 1..T: x[i]) = ", "x[T]*p = ", "p + x[1] = ", "forall i in 1..T: 2*x[i] = p*");
      leaf(&m);
      break;
    case 1:
      ANY_OF(&m, "x[1]", "p", "x[T]");
      add(&m, " = ");
      value(&m, 2);
      break;
    default:
      formula(&m, 2);
    }
    add(&m, "\n");
  }
  for (unsigned i = 0, n = 1 + (unsigned)below(&m, 4); i < n; i++) {
    text_addf(out, "  show b%u: ", i + 1);
    formula(&m, DEEP);
    add(&m, "\n");
  }
  add(&m, "end\n");
}

void random_small(fmpq_t value, philox_stream *random, uint64_t palette, bool dyadic)
{
  static const struct {
    slong p;
    ulong q;
  } numbers[] = {{0, 1},  {1, 1},  {-1, 1}, {1, 2}, {0, 1}, {2, 1},  {-1, 2}, {3, 4},
                 {1, 4},  {-2, 1}, {3, 1},  {5, 2}, {1, 1}, {1, 8},  {0, 1},  {1, 3},
                 {-2, 3}, {9, 4},  {1, 5},  {4, 9}, {1, 7}, {-1, 3}, {10, 7}, {8, 27}};
  uint64_t n = dyadic ? 15 : sizeof numbers / sizeof *numbers;
  /* Three numbers of the palette, or any. */
  uint64_t at =
      philox_below(random, 5) ? (palette >> 8 * philox_below(random, 3)) % n : philox_below(random, n);
  fmpq_set_si(value, numbers[at].p, numbers[at].q);
}
