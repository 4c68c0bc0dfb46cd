/* lemma_d6 FILE: certified instances of bench/mixture.claim (FILE) at T = 16 through the general tape,
 * and the rivals.
 *
 * First every contestant decides the same instances, and all must agree: an instance that one of them
 * calls true and another false ends the program with status 1. Then the contestants take turns, one
 * thread, processor time, and the median over the rounds stands for each. All of them start from the same
 * doubles.
 *
 * On standard output one line per ratio: NAME RATIO BAR ok|short; the times behind them as # lines. */
#include "rivals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check/decide.h"
#include "core/diag.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/philox.h"
#include "lang/claim.h"
#include "lang/lower.h"
#include "sweep.h"
#include "source/draw.h"
#include "tape/solve.h"

enum {
  BLOCKS = 512,
  ROUNDS = 9,
  REPEATS = 16,      /* of one block in a row: what a sweep checks is in the cache, just written */
  FAST_BLOCKS = 64,  /* timed blocks in a round: of bounded and AVX2, */
  SLOW_BLOCKS = 8,   /* of Arb and fmpq, */
  SWEEP_BLOCKS = 256 /* of the sweep */
};

typedef struct {
  tape *t;
  decider *d;
  bounded_state *bounded;
  sweep sweep;
  rival_arb *arb;
  rival_fmpq *fmpq;
  double *block; /* BLOCKS blocks */
  double *hot;   /* the one that is being checked */
} bench;

/* ---- instances ---- */

/* Inside of the hypotheses but for a few: what is timed are conclusions, not rejections. */
static void draw_block(double *input, uint64_t number)
{
  for (unsigned lane = 0; lane < LANES; lane++) {
    philox_stream s = philox_stream_start(16, 0, number * LANES + lane, 0);
    double *x = input + lane;
    for (int t = 1; t <= RIVAL_T; t++)
      x[(RIVAL_ALPHA + t - 1) * LANES] = 0x1p-53 + philox_uniform(&s) * (1 - 0x1p-50);
    for (int t = 2; t <= RIVAL_T; t++) {
      double alpha = x[(RIVAL_ALPHA + t - 1) * LANES];
      x[(RIVAL_DELTA + t - 2) * LANES] = philox_uniform(&s) * (1 - alpha);
      x[(RIVAL_Z + t - 2) * LANES] = 2 * philox_uniform(&s) - 1;
    }
    x[RIVAL_P * LANES] = philox_uniform(&s);
    if (philox_below(&s, 64) == 0) /* one that breaks a hypothesis */
      x[(RIVAL_DELTA + (int)philox_below(&s, RIVAL_T - 1)) * LANES] = 1;
  }
}

/* ---- contestants ---- */

static void run_bounded(bench *b, rival_verdict *out)
{
  bounded_run_first(b->bounded, b->hot);
  bounded_run_second(b->bounded, b->hot);
  out->admissible = bounded_true(b->bounded, 0);
  out->inadmissible = bounded_false(b->bounded, 0);
  out->holds = bounded_true(b->bounded, 1) & bounded_true(b->bounded, 2);
  out->breaks = bounded_false(b->bounded, 1) | bounded_false(b->bounded, 2);
}

static void run_avx2(bench *b, rival_verdict *out)
{
  rival_avx2(out, b->hot);
}

static void run_arb(bench *b, rival_verdict *out)
{
  rival_arb_run(b->arb, out, b->hot, 64);
}

static void run_fmpq(bench *b, rival_verdict *out)
{
  rival_fmpq_run(b->fmpq, out, b->hot);
}

typedef struct {
  const char *name;
  void (*run)(bench *b, rival_verdict *out);
  int blocks, repeats;
  double time[ROUNDS]; /* ns for one instance */
} contestant;

enum { BOUNDED, AVX2, ARB, FMPQ, CONTESTANTS };

/* ---- agreement ---- */

static void load_block(bench *b, int number)
{
  memcpy(b->hot, b->block + (size_t)number * RIVAL_ELEMENTS * LANES, sizeof(double) * RIVAL_ELEMENTS * LANES);
}

static unsigned count(uint32_t bits)
{
  return (unsigned)__builtin_popcount(bits);
}

/* Where both know, both must say the same; conclusions count where the instance is admissible. */
static bool agree(const rival_verdict *a, const rival_verdict *b)
{
  uint32_t in = a->admissible & b->admissible;
  return !(a->admissible & b->inadmissible) && !(a->inadmissible & b->admissible) &&
         !(in & a->holds & b->breaks) && !(in & a->breaks & b->holds);
}

static bool check_agreement(bench *b, const contestant *all)
{
  unsigned decided[CONTESTANTS] = {0}, admissible = 0;
  for (int k = 0; k < BLOCKS; k++) {
    rival_verdict verdict[CONTESTANTS];
    load_block(b, k);
    for (int i = 0; i < CONTESTANTS; i++) {
      all[i].run(b, &verdict[i]);
      const rival_verdict *v = &verdict[i];
      decided[i] += count(v->inadmissible | (v->admissible & (v->holds | v->breaks)));
    }
    admissible += count(verdict[FMPQ].admissible);
    for (int i = 0; i < CONTESTANTS; i++)
      for (int j = 0; j < i; j++)
        if (!agree(&verdict[i], &verdict[j])) {
          fprintf(stderr, "bench: %s contradicts %s in block %d\n", all[i].name, all[j].name, k);
          return false;
        }
  }
  printf("# T = 16: %d instances, %u of them admissible; decided:", BLOCKS * LANES, admissible);
  for (int i = 0; i < CONTESTANTS; i++)
    printf(" %s %u%s", all[i].name, decided[i], i + 1 < CONTESTANTS ? "," : "\n");
  for (int i = 0; i < CONTESTANTS; i++)
    if (i != AVX2 && decided[i] * 100.0 < BLOCKS * LANES * 99.0) {
      fprintf(stderr, "bench: %s leaves too much undecided for its time to mean anything\n", all[i].name);
      return false;
    }
  return true;
}

/* ---- time ---- */

static double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_contestant(bench *b, const contestant *c, int round)
{
  rival_verdict verdict;
  double start = processor_seconds();
  for (int k = 0; k < c->blocks; k++) {
    load_block(b, (round * c->blocks + k) % BLOCKS);
    for (int i = 0; i < c->repeats; i++)
      c->run(b, &verdict);
  }
  return (processor_seconds() - start) * 1e9 / ((double)c->blocks * c->repeats * LANES);
}

static double time_sweep(bench *b, int round)
{
  double start = processor_seconds();
  sweep_run(&b->sweep, (uint64_t)round * SWEEP_BLOCKS * LANES, SWEEP_BLOCKS);
  return (processor_seconds() - start) * 1e9 / ((double)SWEEP_BLOCKS * LANES);
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double median(const double *time)
{
  double sorted[ROUNDS];
  memcpy(sorted, time, sizeof sorted);
  qsort(sorted, ROUNDS, sizeof *sorted, by_size);
  return sorted[ROUNDS / 2];
}

static void print_ratio(const char *name, double ratio, double bar, bool at_most)
{
  printf("%s %.3g %g %s\n", name, ratio, bar, (at_most ? ratio <= bar : ratio >= bar) ? "ok" : "short");
}

static void measure(bench *b, contestant *all)
{
  double sweep_time[ROUNDS];
  for (int round = -1; round < ROUNDS; round++) { /* one to warm up */
    for (int i = 0; i < CONTESTANTS; i++) {
      double t = time_contestant(b, &all[i], round + 1);
      if (round >= 0)
        all[i].time[round] = t;
    }
    double t = time_sweep(b, round + 1);
    if (round >= 0)
      sweep_time[round] = t;
  }
  printf("# ns for an instance, median of %d:", ROUNDS);
  for (int i = 0; i < CONTESTANTS; i++)
    printf(" %s %.1f,", all[i].name, median(all[i].time));
  printf(" sweep %.1f\n", median(sweep_time));
  sweep_print(&b->sweep);
  double bounded = median(all[BOUNDED].time), arb = median(all[ARB].time);
  if (rival_avx2_usable())
    print_ratio("bounded-over-avx2", bounded / median(all[AVX2].time), 6, true);
  else
    printf("# bounded-over-avx2: this processor has no AVX2\n");
  print_ratio("arb64-over-bounded", arb / bounded, 120, false);
  print_ratio("fmpq-over-bounded", median(all[FMPQ].time) / bounded, 350, false);
  print_ratio("arb64-over-sweep", arb / median(sweep_time), 40, false);
}

/* ---- the whole ---- */

/* The claim's tape must be what rivals.h says. */
static bool has_expected_elements(const tape *t)
{
  return t->elements == RIVAL_ELEMENTS && !strcmp(t->element[RIVAL_ALPHA].name, "alpha[1]") &&
         !strcmp(t->element[RIVAL_DELTA].name, "delta[2]") && !strcmp(t->element[RIVAL_Z].name, "z[2]") &&
         !strcmp(t->element[RIVAL_P].name, "p");
}

static bool make_tape(bench *b, diag *d, const library *l)
{
  const claim *c = library_find(l, "mixture");
  int64_t sizes[1] = {RIVAL_T};
  b->t = c ? lower_claim(d, c, sizes, LIMIT_TAPE) : NULL;
  if (!b->t)
    return false;
  tape_solve(b->t, 256);
  return has_expected_elements(b->t);
}

static bool run(bench *b)
{
  contestant all[CONTESTANTS] = {{"bounded", run_bounded, FAST_BLOCKS, REPEATS, {0}},
                                 {"avx2", run_avx2, FAST_BLOCKS, REPEATS, {0}},
                                 {"arb64", run_arb, SLOW_BLOCKS, 1, {0}},
                                 {"fmpq", run_fmpq, SLOW_BLOCKS, 1, {0}}};
  size_t size = sizeof(double) * RIVAL_ELEMENTS * LANES;
  b->d = decider_create(b->t, 256);
  b->bounded = bounded_create(decider_program(b->d));
  b->arb = rival_arb_create();
  b->fmpq = rival_fmpq_create();
  b->hot = aligned_alloc(64, size);
  b->block = memory_new(BLOCKS, size);
  for (int k = 0; k < BLOCKS; k++)
    draw_block(b->block + (size_t)k * RIVAL_ELEMENTS * LANES, (uint64_t)k);
  bool fine = b->hot && sweep_create(&b->sweep, b->t, b->d) && check_agreement(b, all);
  if (fine)
    measure(b, all);
  sweep_clear(&b->sweep);
  rival_arb_destroy(b->arb);
  rival_fmpq_destroy(b->fmpq);
  bounded_destroy(b->bounded);
  decider_destroy(b->d);
  free(b->hot);
  free(b->block);
  return fine;
}

int main(int argc, char **argv)
{
  if (argc != 2) {
    fprintf(stderr, "usage: lemma_d6 bench/mixture.claim\n");
    return 2;
  }
  bench b = {0};
  diag *d = diag_create(stderr, 10);
  library *l = library_read(d, argv[1], 0);
  bool fine = l && make_tape(&b, d, l) && run(&b);
  tape_destroy(b.t);
  if (l)
    library_destroy(l);
  diag_destroy(d);
  flint_cleanup();
  return fine ? 0 : 1;
}
