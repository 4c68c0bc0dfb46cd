#include "forms_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

const char *const case_names[CASES] = {
  "gate, step 1", "gate, given step", "convex gate", "convex gate from logarithms", "root gate",
  "root gate from logarithms", "poles", "diagonal, real", "diagonal, complex", "matrix without decay",
  "matrix, decay by head", "matrix, decay by key", "matrix, decay by key, bonus",
  "matrix, decay by head, bonus", "heads", "wkv",
};

/* splitmix64 */
double case_draw(form_case *c, double lo, double hi)
{
  unsigned long long z = c->seed += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z ^= z >> 31;
  return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

static double *draw(form_case *c, size_t n, double lo, double hi)
{
  double *p = memory_new(n, sizeof *p);
  for (size_t i = 0; i < n; i++)
    p[i] = case_draw(c, lo, hi);
  c->arrays[c->count++] = p;
  return p;
}

static scan_input rows(form_case *c, size_t n, double lo, double hi)
{
  size_t stride = n + c->sizes.pad, sequence = c->sizes.tokens * stride + c->sizes.pad;
  return (scan_input){draw(c, c->sizes.sequences * sequence, lo, hi), stride, sequence};
}

/* Complex numbers of modulus below 1. */
static double *poles(form_case *c, size_t n)
{
  double *a = draw(c, 2 * n, 0, 1);
  for (size_t i = 0; i < n; i++) {
    double modulus = a[2 * i], angle = 6.3 * a[2 * i + 1];
    a[2 * i] = modulus * cos(angle);
    a[2 * i + 1] = modulus * sin(angle);
  }
  return a;
}

static void gate(form_case *c)
{
  size_t K = c->sizes.channels;
  form_gate f = {.sequences = c->sizes.sequences, .tokens = c->sizes.tokens, .channels = K};
  if (c->kind == CASE_GATE_CONVEX_LOG || c->kind == CASE_GATE_ROOT_LOG)
    f.log_alpha = rows(c, K, -3, 0);
  else
    f.alpha = rows(c, K, 0, 1);
  f.z = rows(c, K, -1, 1);
  if (c->kind == CASE_GATE_ONE) {
    f.kind = FORM_STEP_ONE;
  } else if (c->kind == CASE_GATE_GIVEN) {
    f.kind = FORM_STEP_GIVEN;
    f.step = rows(c, K, 0, 2);
  } else {
    f.kind = c->kind >= CASE_GATE_ROOT ? FORM_STEP_ROOT : FORM_STEP_CONVEX;
  }
  c->form.gate = f;
  c->state = K;
  c->out = 3 * K;
}

static void diagonal(form_case *c)
{
  size_t D = c->sizes.channels, N = c->sizes.states;
  bool is_complex = c->kind == CASE_DIAGONAL_COMPLEX;
  size_t all = D * N * (is_complex ? 2 : 1);
  form_diagonal f = {.sequences = c->sizes.sequences, .tokens = c->sizes.tokens, .channels = D, .states = N,
                     .is_complex = is_complex, .conjugates = is_complex};
  f.a = is_complex ? poles(c, D * N) : draw(c, all, 0, 1);
  f.b = draw(c, all, -1, 1);
  f.c = draw(c, all, -1, 1);
  f.skip = draw(c, D, -1, 1);
  f.u = rows(c, D, -1, 1);
  c->form.diagonal = f;
  c->state = all;
  c->out = D + all;
}

static void matrix(form_case *c)
{
  size_t H = c->sizes.heads, G = c->sizes.groups, K = c->sizes.states, V = c->sizes.channels;
  form_matrix f = {.sequences = c->sizes.sequences, .tokens = c->sizes.tokens, .heads = H, .groups = G,
                   .keys = K, .values = V};
  f.key = rows(c, G * K, -1, 1);
  f.query = rows(c, G * K, -1, 1);
  f.value = rows(c, H * V, -1, 1);
  switch (c->kind) {
  case CASE_MATRIX_HEAD:
    f.kind = FORM_DECAY_HEAD;
    f.logarithm = true;
    f.alpha.at = draw(c, H, -1, 0);
    f.skip = draw(c, H, -1, 1);
    break;
  case CASE_MATRIX_KEY:
    f.kind = FORM_DECAY_KEY;
    f.logarithm = true;
    f.alpha = rows(c, H * K, -1, 0);
    f.step = rows(c, H, 0, 2);
    f.values_first = true;
    break;
  case CASE_MATRIX_KEY_BONUS:
  case CASE_MATRIX_HEAD_BONUS:
    f.kind = c->kind == CASE_MATRIX_KEY_BONUS ? FORM_DECAY_KEY : FORM_DECAY_HEAD;
    f.alpha = rows(c, H * K, 0, 1);
    f.bonus = draw(c, H * K, -1, 1);
    break;
  default:
    f.kind = FORM_DECAY_NONE;
    break;
  }
  c->form.matrix = f;
  c->state = H * K * V;
  c->out = H * V + c->state;
}

static void heads(form_case *c)
{
  size_t H = c->sizes.heads, G = c->sizes.groups, N = c->sizes.states, P = c->sizes.channels;
  form_heads f = {.sequences = c->sizes.sequences, .tokens = c->sizes.tokens, .heads = H, .groups = G,
                  .channels = P, .states = N};
  f.rate = draw(c, H, -8, 0);
  f.skip = draw(c, H, -1, 1);
  f.step = rows(c, H, 0, 0.5);
  f.b = rows(c, G * N, -1, 1);
  f.c = rows(c, G * N, -1, 1);
  f.x = rows(c, H * P, -1, 1);
  c->form.heads = f;
  c->state = H * P * N;
  c->out = H * P + H + c->state;
}

void case_init(form_case *c, case_kind kind, case_sizes sizes, unsigned long long seed)
{
  memset(c, 0, sizeof *c);
  c->kind = kind;
  c->sizes = sizes;
  c->seed = seed;
  size_t N = sizes.states, D = sizes.channels;
  if (kind <= CASE_GATE_ROOT_LOG) {
    gate(c);
  } else if (kind == CASE_POLES) {
    c->form.poles = (form_poles){sizes.sequences, sizes.tokens, N, poles(c, N), rows(c, 2 * N, -1, 1), {0}};
    c->state = c->out = 2 * N;
  } else if (kind <= CASE_DIAGONAL_COMPLEX) {
    diagonal(c);
  } else if (kind <= CASE_MATRIX_HEAD_BONUS) {
    matrix(c);
  } else if (kind == CASE_HEADS) {
    heads(c);
  } else {
    form_wkv f = {.sequences = sizes.sequences, .tokens = sizes.tokens, .channels = D};
    f.log_decay = draw(c, D, -2, 0);
    f.bonus = draw(c, D, -3, 3);
    f.key = rows(c, D, -20, 20);
    f.value = rows(c, D, -1, 1);
    c->form.wkv = f;
    c->state = 3 * D;
    c->out = 4 * D;
  }
  c->begin = draw(c, sizes.sequences * c->state, -1, 1);
  for (size_t i = 0; kind == CASE_WKV && i < sizes.sequences * c->state; i++)
    if (i / D % 3 == 1)
      c->begin[i] = fabs(c->begin[i]) + 0.1;
}

void case_clear(form_case *c)
{
  for (size_t i = 0; i < c->count; i++)
    free(c->arrays[i]);
}

static void shift(scan_input *in, size_t from)
{
  if (in->at)
    in->at += from * in->token;
}

/* The next `n` numbers of each token's outputs. */
static scan_output part(const form_case *c, double *out, size_t from, size_t *at, size_t n)
{
  scan_output o = {out + from * c->out + *at, c->out, c->sizes.tokens * c->out};
  *at += n;
  return o;
}

void case_run(const form_case *c, const scan_options *options, double *state, double *out, size_t from,
              size_t to)
{
  size_t at = 0, tokens = to - from;
  if (c->kind <= CASE_GATE_ROOT_LOG) {
    form_gate f = c->form.gate;
    f.tokens = tokens;
    shift(&f.alpha, from);
    shift(&f.log_alpha, from);
    shift(&f.step, from);
    shift(&f.z, from);
    f.h = part(c, out, from, &at, f.channels);
    f.alpha_used = part(c, out, from, &at, f.channels);
    f.step_used = part(c, out, from, &at, f.channels);
    form_scan_gate(options, state, &f);
  } else if (c->kind == CASE_POLES) {
    form_poles f = c->form.poles;
    f.tokens = tokens;
    shift(&f.x, from);
    f.h = part(c, out, from, &at, 2 * f.states);
    form_scan_poles(options, state, &f);
  } else if (c->kind <= CASE_DIAGONAL_COMPLEX) {
    form_diagonal f = c->form.diagonal;
    f.tokens = tokens;
    shift(&f.u, from);
    f.y = part(c, out, from, &at, f.channels);
    f.h = part(c, out, from, &at, c->state);
    form_scan_diagonal(options, state, &f);
  } else if (c->kind <= CASE_MATRIX_HEAD_BONUS) {
    form_matrix f = c->form.matrix;
    f.tokens = tokens;
    shift(&f.alpha, from);
    shift(&f.key, from);
    shift(&f.query, from);
    shift(&f.value, from);
    shift(&f.step, from);
    f.y = part(c, out, from, &at, f.heads * f.values);
    f.h = part(c, out, from, &at, c->state);
    form_scan_matrix(options, state, &f);
  } else if (c->kind == CASE_HEADS) {
    form_heads f = c->form.heads;
    f.tokens = tokens;
    shift(&f.step, from);
    shift(&f.b, from);
    shift(&f.c, from);
    shift(&f.x, from);
    f.y = part(c, out, from, &at, f.heads * f.channels);
    f.h = part(c, out, from, &at, c->state);
    f.alpha = part(c, out, from, &at, f.heads);
    form_scan_heads(options, state, &f);
  } else {
    form_wkv f = c->form.wkv;
    f.tokens = tokens;
    shift(&f.key, from);
    shift(&f.value, from);
    f.y = part(c, out, from, &at, f.channels);
    f.h = part(c, out, from, &at, f.channels);
    f.alpha = part(c, out, from, &at, f.channels);
    f.step = part(c, out, from, &at, f.channels);
    form_scan_wkv(options, state, &f);
  }
}
