/* The selective scan beside its rivals: the same shapes, 1536 and 5120 channels of 16 states, 512 and 2048 tokens, in one
 * run and by turns. Contestants: the scan as it runs here on one thread and on two; the same loop around the compiler's
 * vector exp, the better of AVX2 and AVX-512; the plain C loop with the system's exp. Their results must agree.
 *
 * On standard output a ratio a line, NAME RATIO BAR ok|short: of each shape the median over the rounds, in which the
 * contestants take turns, and of the shapes the smallest. Lines with # give nanoseconds for one token, channel and state,
 * medians likewise. One thread is measured in processor time, two against one on the clock. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rival_scan.h"
#include "sim/scan.h"
#include "sim/scan_vector.h"

enum { ROUNDS = 5, LEAST_UPDATES = 50000000, STATES = 16, BARE = 2048, BARE_TURNS = 500 };
enum { OURS, OURS_AVX2, LIBMVEC_4, LIBMVEC_8, PLAIN, ONE, TWO, CONTESTANTS };

/* Seconds of one shape, by contestant and round; 0 where one cannot run. */
typedef double race_times[CONTESTANTS][ROUNDS];

static double seconds(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *x)
{
  double sorted[ROUNDS];
  memcpy(sorted, x, sizeof sorted);
  qsort(sorted, ROUNDS, sizeof *sorted, compare);
  return sorted[ROUNDS / 2];
}

/* How many times longer `slow` takes, the median over the rounds; 0 where one of the two cannot run. */
static double ratio(race_times time, int slow, int fast)
{
  double x[ROUNDS];
  for (int i = 0; i < ROUNDS; i++)
    x[i] = time[fast][i] > 0 ? time[slow][i] / time[fast][i] : 0;
  return median(x);
}

/* In [0, 1), the same on every run. */
static double next_uniform(void)
{
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(state >> 11) * 0x1p-53;
}

static double *made(size_t n)
{
  double *x = malloc(n * sizeof *x);
  if (!x)
    exit(1);
  for (size_t i = 0; i < n; i++)
    x[i] = 2 * next_uniform() - 1;
  return x;
}

static bool ours(const scan_problem *p, int threads, scan_target target)
{
  const scan_options options = {.threads = threads, .target = target};
  const scan_layer layer = {p->channels, p->states, p->rate, p->skip};
  const scan_inputs in = {
    .sequences = 1, .tokens = p->tokens, .step = {p->step, p->channels, 0}, .u = {p->u, p->channels, 0},
    .b = {p->b, p->states, 0}, .c = {p->c, p->states, 0},
  };
  const scan_outputs out = {.y = {p->y, p->channels, 0}};
  return scan_selective(&options, p->state, &out, &layer, &in) == STATUS_OK;
}

static bool turn(const scan_problem *p, int contestant)
{
  memset(p->state, 0, p->channels * p->states * sizeof *p->state);
  switch (contestant) {
  case LIBMVEC_4: return rival_scan_libmvec(p, 4);
  case LIBMVEC_8: return rival_scan_libmvec(p, 8);
  case PLAIN: rival_scan_plain(p); return true;
  case OURS_AVX2: return ours(p, 1, SCAN_AVX2);
  default: return ours(p, contestant == TWO ? 2 : 1, SCAN_BEST);
  }
}

/* The times of the contestants, and in `ns` nanoseconds for one update. False: results differ. */
static bool race(race_times time, double *ns, const scan_problem *p)
{
  double sample[CONTESTANTS];
  bool runs[CONTESTANTS] = {false};
  double updates = (double)p->tokens * (double)p->channels * (double)p->states;
  int times = 1 + (int)(LEAST_UPDATES / updates); /* so that a turn is long enough to be measured */
  for (int round = -1; round < ROUNDS; round++) /* the first one is not counted */
    for (int k = 0; k < CONTESTANTS; k++) {
      clockid_t clock = k == ONE || k == TWO ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
      turn(p, k); /* not counted: caches as each leaves them, and processors slow down when wide vectors begin */
      double start = seconds(clock);
      for (int i = 0; i < times; i++)
        runs[k] = turn(p, k);
      time[k][round < 0 ? 0 : round] = runs[k] ? seconds(clock) - start : 0;
      sample[k] = 0;
      for (size_t i = 0; i < p->channels; i++)
        sample[k] += fabs(p->y[(p->tokens - 1) * p->channels + i]);
    }
  for (int k = 0; k < CONTESTANTS; k++) {
    ns[k] = 1e9 * median(time[k]) / updates / times;
    if (runs[k] && !(fabs(sample[k] - sample[PLAIN]) <= 1e-12 * sample[PLAIN]))
      return false;
  }
  return true;
}

static double smaller(double a, double b)
{
  return a == 0 || (b != 0 && b < a) ? b : a;
}

/* Nanoseconds for one exponential: the scan's own, and libmvec's at its best. */
static void bare(double *own, double *libmvec)
{
  static double in[BARE], out[BARE], rate[BARE];
  double time[3][ROUNDS];
  bool has[2] = {false, false};
  scan_decays *decays = scan_decays_of(SCAN_BEST);
  for (int i = 0; i < BARE; i++) {
    in[i] = -16 * next_uniform();
    rate[i] = in[i] * SCAN_LOG2E;
  }
  for (int round = -1; round < ROUNDS; round++)
    for (int k = 0; k < 3; k++) {
      double start = seconds(CLOCK_PROCESS_CPUTIME_ID);
      for (int i = 0; i < BARE_TURNS; i++)
        if (k == 2)
          decays(out, 0.1, rate, BARE);
        else
          has[k] = rival_exp_libmvec(out, in, BARE, k ? 8 : 4);
      time[k][round < 0 ? 0 : round] = 1e9 * (seconds(CLOCK_PROCESS_CPUTIME_ID) - start) / BARE / BARE_TURNS;
    }
  *own = median(time[2]);
  *libmvec = smaller(has[0] ? median(time[0]) : 0, has[1] ? median(time[1]) : 0);
}

static void verdict(const char *name, double ratio, double bar)
{
  printf("%s %.3g %g %s\n", name, ratio, bar, ratio >= bar ? "ok" : "short");
}

int main(void)
{
  static const size_t shapes[][2] = {{1536, 512}, {1536, 2048}, {5120, 512}, {5120, 2048}};
  const char *target = scan_has_target(SCAN_AVX512) ? "AVX-512" : scan_has_target(SCAN_AVX2) ? "AVX2" : "portable code";
  double over_libmvec = INFINITY, over_plain = INFINITY, threads = INFINITY, own, libmvec;
  bool has_libmvec = true;
  bare(&own, &libmvec);
  printf("# scan, with %s: its exp alone %.3f ns, libmvec's %.3f ns\n", target, own, libmvec);
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
    size_t channels = shapes[k][0], tokens = shapes[k][1];
    double *step = made(tokens * channels), *rate = made(channels * STATES);
    for (size_t i = 0; i < tokens * channels; i++)
      step[i] = exp(-4.6 + 2.3 * step[i]); /* from 0.001 to 0.1 */
    for (size_t i = 0; i < channels * STATES; i++)
      rate[i] = -(double)(i % STATES + 1) * (1 + 0.1 * rate[i]);
    double *u = made(tokens * channels), *b = made(tokens * STATES), *c = made(tokens * STATES), *skip = made(channels);
    double *y = made(tokens * channels), *state = made(channels * STATES), ns[CONTESTANTS];
    const scan_problem p = {tokens, channels, STATES, step, u, b, c, rate, skip, y, state};
    race_times time;
    if (!race(time, ns, &p)) {
      printf("# scan, %zu channels, %zu tokens: the results differ\n", channels, tokens);
      return 1;
    }
    double rival = smaller(ratio(time, LIBMVEC_4, OURS), ratio(time, LIBMVEC_8, OURS));
    printf("# scan, %zu channels, %zu tokens: %.3f ns (with AVX2 %.3f), %.0f %% of the speed of its exp; libmvec %.3f "
           "(AVX2) %.3f (AVX-512), plain loop %.3f, on the clock one thread %.3f, two %.3f\n",
           channels, tokens, ns[OURS], ns[OURS_AVX2], 100 * own / ns[OURS], ns[LIBMVEC_4], ns[LIBMVEC_8], ns[PLAIN],
           ns[ONE], ns[TWO]);
    has_libmvec = has_libmvec && rival > 0;
    over_libmvec = fmin(over_libmvec, rival);
    over_plain = fmin(over_plain, ratio(time, PLAIN, OURS));
    threads = fmin(threads, ratio(time, ONE, TWO));
    double *all[] = {step, rate, u, b, c, skip, y, state};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
      free(all[i]);
  }
  if (has_libmvec)
    verdict("scan-over-libmvec", over_libmvec, 1.8);
  else
    printf("# scan-over-libmvec: skipped, no libmvec here\n");
  verdict("scan-over-plain", over_plain, 6);
  verdict("scan-threads", threads, 1.4);
  return 0;
}
