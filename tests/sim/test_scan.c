/* The selective scan: every method and target within the bound of ball arithmetic, and of one another; cuts, threads,
 * strides, batches and records do not change a bit. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/flint.h"
#include "core/memory.h"
#include "core/philox.h"
#include "sim/scan.h"

enum { PRECISION = 192 };

static const struct {
  const char *name;
  scan_options options;
} ways[] = {
  {"reference", {SCAN_REFERENCE, SCAN_BEST, 1}},
  {"generic", {SCAN_VECTOR, SCAN_GENERIC, 1}},
  {"AVX2", {SCAN_VECTOR, SCAN_AVX2, 1}},
  {"AVX-512", {SCAN_VECTOR, SCAN_AVX512, 1}},
  {"chunked, generic", {SCAN_CHUNKED, SCAN_GENERIC, 1}},
  {"chunked, AVX2", {SCAN_CHUNKED, SCAN_AVX2, 1}},
  {"chunked, AVX-512", {SCAN_CHUNKED, SCAN_AVX512, 1}},
};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- data ---- */

typedef struct {
  size_t sequences, tokens, channels, states;
  double *step, *u, *gate, *b, *c, *rate, *skip, *state; /* dense */
  double *y, *alpha, *h;                                 /* what came out */
} data;

static size_t inputs_of(const data *x)
{
  return x->sequences * x->tokens * x->channels;
}

static size_t states_of(const data *x)
{
  return x->sequences * x->channels * x->states;
}

static double between(philox_stream *r, double low, double high)
{
  return low + (high - low) * philox_uniform(r);
}

static double *draw(size_t n, philox_stream *r, double low, double high)
{
  double *x = memory_new(n + 1, sizeof *x);
  for (size_t i = 0; i < n; i++)
    x[i] = between(r, low, high);
  return x;
}

/* Rates as models have them, with a channel of rates 0 and -1000 now and then; steps from 0.001 to 1.5. */
static data data_draw(size_t sequences, size_t tokens, size_t channels, size_t states)
{
  philox_stream r = philox_stream_start(7, philox_hash_name("scan"), sequences * 1000003 + tokens * 10007 + channels,
                                        (uint32_t)states);
  data x = {.sequences = sequences, .tokens = tokens, .channels = channels, .states = states};
  size_t rows = sequences * tokens;
  x.step = draw(rows * channels, &r, -6.9, 0.4);
  for (size_t i = 0; i < rows * channels; i++)
    x.step[i] = exp(x.step[i]);
  x.u = draw(rows * channels, &r, -2, 2);
  x.gate = draw(rows * channels, &r, -6, 6);
  x.b = draw(rows * states, &r, -1, 1);
  x.c = draw(rows * states, &r, -1, 1);
  x.skip = draw(channels, &r, -1, 1);
  x.rate = draw(channels * states, &r, -16, 0);
  for (size_t i = 0; i < channels * states; i += 7)
    x.rate[i] = i % 2 ? 0 : -1000;
  x.state = draw(sequences * channels * states, &r, -1, 1);
  x.y = memory_new(inputs_of(&x) + 1, sizeof(double));
  x.alpha = memory_new(tokens * states_of(&x) + 1, sizeof(double));
  x.h = memory_new(tokens * states_of(&x) + 1, sizeof(double));
  return x;
}

static void data_clear(data *x)
{
  double *all[] = {x->step, x->u, x->gate, x->b, x->c, x->skip, x->rate, x->state, x->y, x->alpha, x->h};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

static double *copy(const double *x, size_t n)
{
  double *to = memory_new(n + 1, sizeof *to);
  memcpy(to, x, n * sizeof *to);
  return to;
}

/* Tokens from .. to - 1. False: no such target here. */
enum { GATE = 1, RECORD = 2 };
static bool run(const data *x, double *state, const scan_options *options, size_t from, size_t to, unsigned flags)
{
  size_t channels = x->channels, states = x->states, tokens = x->tokens, all = channels * states;
  const scan_layer layer = {channels, states, x->rate, x->skip};
  scan_inputs in = {
    .sequences = x->sequences, .tokens = to - from,
    .step = {x->step + from * channels, channels, tokens * channels},
    .u = {x->u + from * channels, channels, tokens * channels},
    .b = {x->b + from * states, states, tokens * states},
    .c = {x->c + from * states, states, tokens * states},
  };
  scan_outputs out = {.y = {x->y + from * channels, channels, tokens * channels}};
  if (flags & GATE)
    in.gate = (scan_input){x->gate + from * channels, channels, tokens * channels};
  if (flags & RECORD) {
    out.alpha = (scan_output){x->alpha + from * all, all, tokens * all};
    out.h = (scan_output){x->h + from * all, all, tokens * all};
  }
  return scan_selective(options, state, &out, &layer, &in) == STATUS_OK;
}

/* ---- the bound, in balls ---- */

typedef struct {
  arb_t h, m, e, most;
} tracked;

/* error, relative: parts of e_t that come from the step and from the drive. */
static void track(tracked *s, double step, double rate, double b, double u, bool chunked)
{
  arb_t x, decay, drive, rho, part, next;
  arb_init(x);
  arb_init(decay);
  arb_init(drive);
  arb_init(rho);
  arb_init(part);
  arb_init(next);
  arb_set_d(x, step);
  arb_set_d(drive, b);
  arb_mul(drive, drive, x, PRECISION);
  arb_set_d(part, u);
  arb_mul(drive, drive, part, PRECISION); /* q */
  arb_set_d(part, rate);
  arb_mul(x, x, part, PRECISION);
  arb_exp(decay, x, PRECISION);

  arb_abs(rho, x);
  arb_set_d(part, SCAN_EXP_SLOPE * (chunked ? 2 : 1));
  arb_mul(rho, rho, part, PRECISION);
  arb_set_d(part, SCAN_EXP_REL + SCAN_STEP_REL * (chunked ? 2 : 1));
  arb_add(rho, rho, part, PRECISION);

  arb_mul(s->h, s->h, decay, PRECISION);
  arb_add(s->h, s->h, drive, PRECISION);

  /* e */
  arb_add_ui(next, rho, 1, PRECISION);
  arb_mul(next, next, s->e, PRECISION);
  arb_addmul(next, rho, s->m, PRECISION);
  arb_mul(next, next, decay, PRECISION);
  arb_abs(drive, drive);
  arb_set_d(part, SCAN_DRIVE_REL * (chunked ? 2 : 1));
  arb_addmul(next, drive, part, PRECISION);
  arb_set_d(part, fabs(b));
  arb_add_ui(part, part, 2, PRECISION);
  arb_add(part, part, chunked ? s->most : s->m, PRECISION);
  arb_add(part, part, s->e, PRECISION);
  arb_set_d(x, SCAN_TINY);
  arb_addmul(next, part, x, PRECISION);
  arb_set(s->e, next);

  arb_mul(s->m, s->m, decay, PRECISION);
  arb_add(s->m, s->m, drive, PRECISION);
  arb_max(s->most, s->most, s->m, PRECISION);
  arb_clear(x);
  arb_clear(decay);
  arb_clear(drive);
  arb_clear(rho);
  arb_clear(part);
  arb_clear(next);
}

static bool within(double computed, const arb_t exact, const arb_t bound)
{
  arb_t error;
  arb_init(error);
  arb_set_d(error, computed);
  arb_sub(error, error, exact, PRECISION);
  arb_abs(error, error);
  bool fine = isfinite(computed) && arb_le(error, bound);
  arb_clear(error);
  return fine;
}

/* The readout's exact value and its bound. */
static void read_out(arb_t y, arb_t bound, const data *x, const tracked *s, size_t t, size_t d)
{
  arb_t c, part, sum;
  arb_init(c);
  arb_init(part);
  arb_init(sum);
  arb_set_d(y, x->skip[d]);
  arb_set_d(c, x->u[t * x->channels + d]);
  arb_mul(y, y, c, PRECISION);
  arb_abs(sum, y);
  arb_zero(bound);
  for (size_t n = 0; n < x->states; n++) {
    arb_set_d(c, x->c[t * x->states + n]);
    arb_addmul(y, c, s[n].h, PRECISION);
    arb_abs(c, c);
    arb_addmul(bound, c, s[n].e, PRECISION);
    arb_add(part, s[n].m, s[n].e, PRECISION);
    arb_addmul(sum, c, part, PRECISION);
  }
  arb_set_d(part, (double)(x->states + 3) * 0x1p-53);
  arb_addmul(bound, sum, part, PRECISION);
  arb_set_d(part, (double)(x->states + 1) * SCAN_TINY);
  arb_add(bound, bound, part, PRECISION);
  arb_clear(c);
  arb_clear(part);
  arb_clear(sum);
}

/* y silu z from exact y: the gate's bound on top of y's. */
static void gate(arb_t y, arb_t bound, double z)
{
  arb_t silu, e, part;
  arb_init(silu);
  arb_init(e);
  arb_init(part);
  arb_set_d(e, -z);
  arb_exp(e, e, PRECISION);
  arb_add_ui(e, e, 1, PRECISION);
  arb_set_d(silu, z);
  arb_div(silu, silu, e, PRECISION);
  arb_set_d(part, SCAN_GATE_REL + SCAN_EXP_SLOPE * fabs(z) + 0x1p-52); /* with the rounding of the product */
  arb_abs(e, y);
  arb_mul(e, e, part, PRECISION);
  arb_add(bound, bound, e, PRECISION);
  arb_abs(e, silu);
  arb_mul(bound, bound, e, PRECISION);
  arb_set_d(e, 1 + 0x1p-40);
  arb_mul(bound, bound, e, PRECISION);
  arb_mul(y, y, silu, PRECISION);
  arb_clear(silu);
  arb_clear(e);
  arb_clear(part);
}

/* How many of the numbers that came out are beyond the bound. */
static size_t count_beyond(const data *x, const double *state, bool chunked, bool gated)
{
  size_t bad = 0, states = x->states, all = x->channels * states;
  tracked *s = memory_new(states, sizeof *s);
  arb_t y, bound;
  arb_init(y);
  arb_init(bound);
  for (size_t d = 0; d < x->channels; d++) {
    for (size_t n = 0; n < states; n++) {
      arb_init(s[n].h);
      arb_init(s[n].m);
      arb_init(s[n].e);
      arb_init(s[n].most);
      arb_set_d(s[n].h, x->state[d * states + n]);
      arb_abs(s[n].m, s[n].h);
      arb_set(s[n].most, s[n].m);
    }
    for (size_t t = 0; t < x->tokens; t++) {
      for (size_t n = 0; n < states; n++) {
        track(&s[n], x->step[t * x->channels + d], x->rate[d * states + n], x->b[t * states + n],
              x->u[t * x->channels + d], chunked);
        bad += !within(x->h[t * all + d * states + n], s[n].h, s[n].e);
      }
      read_out(y, bound, x, s, t, d);
      if (gated)
        gate(y, bound, x->gate[t * x->channels + d]);
      bad += !within(x->y[t * x->channels + d], y, bound);
    }
    for (size_t n = 0; n < states; n++) {
      bad += !within(state[d * states + n], s[n].h, s[n].e);
      arb_clear(s[n].h);
      arb_clear(s[n].m);
      arb_clear(s[n].e);
      arb_clear(s[n].most);
    }
  }
  arb_clear(y);
  arb_clear(bound);
  free(s);
  return bad;
}

static const size_t sizes[][3] = {{1, 1, 1}, {7, 3, 5}, {7, 17, 18}, {150, 1, 16}, {131, 3, 18}, {70, 2, 64}};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(test_bound)
{
  for (int k = 0; k < 2 * SIZES; k++) {
    data x = data_draw(1, sizes[k / 2][0], sizes[k / 2][1], sizes[k / 2][2]);
    bool gated = k % 2;
    double *state = copy(x.state, states_of(&x));
    if (run(&x, state, &ways[_i].options, 0, x.tokens, RECORD | (gated ? GATE : 0))) {
      size_t bad = count_beyond(&x, state, ways[_i].options.method == SCAN_CHUNKED, gated);
      ck_assert_msg(bad == 0, "%s, T = %zu, D = %zu, N = %zu: %zu numbers beyond the bound", ways[_i].name, x.tokens,
                    x.channels, x.states, bad);
      /* The test is not blind: an error in the twelfth digit is seen. */
      x.y[0] *= 1 + 1e-11;
      x.h[0] *= 1 - 1e-11;
      ck_assert_uint_eq(count_beyond(&x, state, ways[_i].options.method == SCAN_CHUNKED, gated), 2);
    }
    free(state);
    data_clear(&x);
  }
}
END_TEST

/* ---- against the reference, larger ---- */

/* In double, the sums of the bound for the whole sequence: what y may be off by. */
static double *allowance(const data *x)
{
  double *allowed = memory_new(inputs_of(x) + 1, sizeof *allowed), u = 0x1p-53;
  for (size_t s = 0; s < x->sequences; s++)
    for (size_t d = 0; d < x->channels; d++)
      for (size_t n = 0; n < x->states; n++) {
        double m = fabs(x->state[(s * x->channels + d) * x->states + n]), e = 0;
        for (size_t t = 0; t < x->tokens; t++) {
          size_t row = s * x->tokens + t, i = row * x->channels + d;
          double product = x->step[i] * x->rate[d * x->states + n], decay = exp(product);
          double q = fabs(x->step[i] * x->u[i] * x->b[row * x->states + n]);
          double rho = SCAN_EXP_REL + 2 * SCAN_EXP_SLOPE * fabs(product) + 2 * SCAN_STEP_REL;
          e = decay * ((1 + rho) * e + rho * m) + 2 * SCAN_DRIVE_REL * q + 1e-300;
          m = decay * m + q;
          double c = fabs(x->c[row * x->states + n]);
          if (n == 0)
            allowed[i] += (double)(x->states + 3) * u * fabs(x->skip[d] * x->u[i]);
          allowed[i] += c * e + (double)(x->states + 3) * u * c * (m + e);
        }
      }
  return allowed;
}

START_TEST(test_agreement)
{
  static const size_t larger[][4] = {
    {1, 64, 1537, 1}, {2, 37, 1537, 5}, {1, 512, 3, 18}, {1, 512, 1, 64}, {1, 7, 1537, 16}, {3, 20, 33, 18},
  };
  for (size_t k = 0; k < sizeof larger / sizeof *larger; k++) {
    data x = data_draw(larger[k][0], larger[k][1], larger[k][2], larger[k][3]);
    double *state = copy(x.state, states_of(&x)), *allowed = allowance(&x);
    ck_assert(run(&x, state, &ways[0].options, 0, x.tokens, 0));
    double *reference = copy(x.y, inputs_of(&x));
    for (int way = 1; way < WAYS; way++) {
      memcpy(state, x.state, states_of(&x) * sizeof *state);
      if (!run(&x, state, &ways[way].options, 0, x.tokens, 0))
        continue;
      for (size_t i = 0; i < inputs_of(&x); i++)
        ck_assert_msg(fabs(x.y[i] - reference[i]) <= 2.001 * allowed[i], "%s, shape %zu, output %zu: %.17g, not %.17g",
                      ways[way].name, k, i, x.y[i], reference[i]);
    }
    free(reference);
    free(allowed);
    free(state);
    data_clear(&x);
  }
}
END_TEST

/* ---- the same bits ---- */

static bool same(const double *a, const double *b, size_t n)
{
  return memcmp(a, b, n * sizeof *a) == 0;
}

typedef struct {
  data x;
  double *state, *y, *alpha, *h;
} result;

/* One run over everything, recorded; false: no such target. */
static bool result_make(result *r, const scan_options *options, size_t sequences, size_t tokens, size_t channels,
                        size_t states)
{
  r->x = data_draw(sequences, tokens, channels, states);
  r->state = copy(r->x.state, states_of(&r->x));
  bool fine = run(&r->x, r->state, options, 0, tokens, GATE | RECORD);
  r->y = copy(r->x.y, inputs_of(&r->x));
  r->alpha = copy(r->x.alpha, tokens * states_of(&r->x));
  r->h = copy(r->x.h, tokens * states_of(&r->x));
  return fine;
}

static void result_clear(result *r)
{
  free(r->state);
  free(r->y);
  free(r->alpha);
  free(r->h);
  data_clear(&r->x);
}

/* What the run left in x and `state` is the same. */
static void check_same(const result *r, const double *state, bool recorded, const char *name, const char *what)
{
  const data *x = &r->x;
  ck_assert_msg(same(x->y, r->y, inputs_of(x)), "%s, %s: y differs", name, what);
  ck_assert_msg(same(state, r->state, states_of(x)), "%s, %s: the state differs", name, what);
  if (recorded) {
    ck_assert_msg(same(x->alpha, r->alpha, x->tokens * states_of(x)), "%s, %s: alpha differs", name, what);
    ck_assert_msg(same(x->h, r->h, x->tokens * states_of(x)), "%s, %s: h differs", name, what);
  }
}

START_TEST(test_cuts)
{
  bool chunked = ways[_i].options.method == SCAN_CHUNKED;
  result r;
  if (result_make(&r, &ways[_i].options, 2, 200, 21, 7)) {
    const size_t anywhere[] = {0, 1, 18, 18, 64, 130, 199, 200}, ends[] = {0, 64, 128, 192, 200};
    const size_t *cuts = chunked ? ends : anywhere;
    size_t count = chunked ? sizeof ends / sizeof *ends : sizeof anywhere / sizeof *anywhere;
    double *state = copy(r.x.state, states_of(&r.x));
    memset(r.x.y, 0, inputs_of(&r.x) * sizeof(double));
    for (size_t k = 0; k + 1 < count; k++)
      run(&r.x, state, &ways[_i].options, cuts[k], cuts[k + 1], GATE | RECORD);
    check_same(&r, state, true, ways[_i].name, "cut");
    free(state);
  }
  result_clear(&r);
}
END_TEST

START_TEST(test_threads)
{
  static const size_t shapes[][4] = {{1, 70, 1537, 3}, {3, 1100, 9, 5}, {1, 7, 3, 18}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    result r;
    if (result_make(&r, &ways[_i].options, shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3]))
      for (int threads = 2; threads <= 5; threads++) {
        scan_options options = ways[_i].options;
        options.threads = threads;
        double *state = copy(r.x.state, states_of(&r.x));
        memset(r.x.y, 0, inputs_of(&r.x) * sizeof(double));
        run(&r.x, state, &options, 0, r.x.tokens, GATE | RECORD);
        check_same(&r, state, true, ways[_i].name, "threads");
        free(state);
      }
    result_clear(&r);
  }
}
END_TEST

START_TEST(test_not_recorded)
{
  result r;
  if (result_make(&r, &ways[_i].options, 2, 77, 21, 18)) {
    double *state = copy(r.x.state, states_of(&r.x));
    memset(r.x.y, 0, inputs_of(&r.x) * sizeof(double));
    run(&r.x, state, &ways[_i].options, 0, r.x.tokens, GATE);
    check_same(&r, state, false, ways[_i].name, "not recorded");
    /* Without any output the state is still the same. */
    memcpy(state, r.x.state, states_of(&r.x) * sizeof *state);
    const data *x = &r.x;
    const scan_layer layer = {x->channels, x->states, x->rate, NULL};
    const scan_inputs in = {
      .sequences = 2, .tokens = x->tokens, .step = {x->step, x->channels, x->tokens * x->channels},
      .u = {x->u, x->channels, x->tokens * x->channels}, .b = {x->b, x->states, x->tokens * x->states},
    };
    const scan_outputs out = {.y = {NULL, 0, 0}};
    scan_selective(&ways[_i].options, state, &out, &layer, &in);
    check_same(&r, state, false, ways[_i].name, "no output");
    free(state);
  }
  result_clear(&r);
}
END_TEST

/* One sequence of several, some channels of all, other strides, and y in the place of u. */
START_TEST(test_parts)
{
  enum { WIDE = 40 };
  result r;
  if (result_make(&r, &ways[_i].options, 3, 77, 21, 18)) {
    const data *x = &r.x;
    size_t first = 6, channels = 11, s = 1, all = x->channels * x->states;
    double *wide = memory_new(x->tokens * WIDE, sizeof *wide);
    for (size_t t = 0; t < x->tokens; t++)
      memcpy(wide + t * WIDE + 3, x->u + (s * x->tokens + t) * x->channels + first, channels * sizeof *wide);
    const scan_layer layer = {channels, x->states, x->rate + first * x->states, x->skip + first};
    const scan_inputs in = {
      .sequences = 1, .tokens = x->tokens, .step = {x->step + s * x->tokens * x->channels + first, x->channels, 0},
      .u = {wide + 3, WIDE, 0}, .gate = {x->gate + s * x->tokens * x->channels + first, x->channels, 0},
      .b = {x->b + s * x->tokens * x->states, x->states, 0}, .c = {x->c + s * x->tokens * x->states, x->states, 0},
    };
    const scan_outputs out = {.y = {wide + 3, WIDE, 0}};
    double *state = copy(x->state + s * all + first * x->states, channels * x->states);
    ck_assert(scan_selective(&ways[_i].options, state, &out, &layer, &in) == STATUS_OK);
    ck_assert(same(state, r.state + s * all + first * x->states, channels * x->states));
    for (size_t t = 0; t < x->tokens; t++) {
      ck_assert(same(wide + t * WIDE + 3, r.y + (s * x->tokens + t) * x->channels + first, channels));
      ck_assert(wide[t * WIDE + 2] == 0 && wide[t * WIDE + 3 + channels] == 0);
    }
    free(state);
    free(wide);
  }
  result_clear(&r);
}
END_TEST

START_TEST(test_empty)
{
  double state[2] = {1, 2}, rate[2] = {-1, -2}, one = 1;
  const scan_layer layer = {1, 2, rate, NULL}, none = {1, 0, NULL, &one};
  const scan_inputs nothing = {.sequences = 1}, in = {.sequences = 1, .tokens = 1, .step = {&one, 0, 0},
    .u = {&one, 0, 0}, .b = {&one, 0, 0}, .c = {&one, 0, 0}};
  double y = 0;
  const scan_outputs out = {.y = {&y, 0, 0}};
  scan_options options = ways[_i].options;
  if (!scan_has_target(options.target)) {
    ck_assert(scan_selective(&options, state, &out, &layer, &in) == STATUS_UNABLE);
    return;
  }
  ck_assert(scan_selective(&options, state, &out, &layer, &nothing) == STATUS_OK);
  ck_assert(state[0] == 1 && state[1] == 2 && y == 0);
  ck_assert(scan_selective(&options, state, &out, &none, &in) == STATUS_OK); /* no states: y = D u */
  ck_assert(y == 1);
  ck_assert(scan_has_target(SCAN_BEST) && scan_has_target(SCAN_GENERIC) && !scan_has_target((scan_target)99));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("scan");
  TCase *tests = tcase_create("scan");
  tcase_set_timeout(tests, 0);
  tcase_add_loop_test(tests, test_bound, 0, WAYS);
  tcase_add_test(tests, test_agreement);
  tcase_add_loop_test(tests, test_cuts, 0, WAYS);
  tcase_add_loop_test(tests, test_threads, 0, WAYS);
  tcase_add_loop_test(tests, test_not_recorded, 0, WAYS);
  tcase_add_loop_test(tests, test_parts, 0, WAYS);
  tcase_add_loop_test(tests, test_empty, 0, WAYS);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  flint_cleanup();
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
