/* The ladder: what is true of one instance, decided by the first arithmetic that can. */
#include "check/decide.h"

#include <stdlib.h>
#include <string.h>

#include "cert/exact.h"
#include "core/limits.h"
#include "core/memory.h"
#include "core/rational.h"

struct decider {
  const tape *t;
  slong precision;
  size_t targets;
  uint32_t *target;          /* label numbers */
  tape_program *quick, *kept, *full;
  bool rational;             /* the tape has no irrational function: `exact` decides it all, but for its size */
};

/* Outputs of `full`: hypotheses, labels, atoms, then left and right of each atom. */
struct decider_state {
  const decider *d;
  exact_state *quick_exact, *full_exact;
  ball_state *quick_ball, *full_ball;
  bounded_state *full_bounded;
  double *lanes;             /* input of full_bounded */
  fmpq *lane_values;         /* of decide_lane, where it needs fractions */
  truth hypotheses, *label, *atom;
  const char *decided_by;
  bool sides_from_ball;
};

static size_t output_of_label(size_t label)
{
  return 1 + label;
}

static size_t output_of_atom(const tape *t, size_t atom)
{
  return 1 + t->labels + atom;
}

/* Sides that do not exist are stood in for by operation 0. */
static size_t output_of_side(const tape *t, size_t atom, bool right)
{
  return 1 + t->labels + t->atoms + 2 * atom + right;
}

static tape_program *compile_full(const tape *t, tape_id hypotheses)
{
  size_t n = 1 + t->labels + 3 * t->atoms;
  tape_id *output = memory_new(n, sizeof *output);
  output[0] = hypotheses;
  for (size_t i = 0; i < t->labels; i++)
    output[output_of_label(i)] = t->label[i].truth;
  for (size_t i = 0; i < t->atoms; i++) {
    output[output_of_atom(t, i)] = t->atom[i].truth;
    output[output_of_side(t, i, false)] = t->atom[i].left == TAPE_NONE ? 0 : t->atom[i].left;
    output[output_of_side(t, i, true)] = t->atom[i].right == TAPE_NONE ? 0 : t->atom[i].right;
  }
  tape_program *p = tape_compile(t, output, n, 1, false);
  free(output);
  return p;
}

static bool is_rational(const tape_program *p)
{
  for (size_t i = 0; i < p->steps; i++) {
    uint8_t op = p->step[i].op;
    if (op == TAPE_PI || op == TAPE_INTEGRAL || (op >= TAPE_SQRT && op <= TAPE_LAMBERTW0 && op != TAPE_RELU))
      return false;
  }
  return true;
}

decider *decider_create(tape *t, slong precision)
{
  decider *d = memory_new(1, sizeof *d);
  d->t = t;
  d->precision = precision;
  tape_id hypotheses = tape_hypotheses(t);
  d->target = memory_new(t->labels, sizeof *d->target);
  tape_id *output = memory_new(t->labels + 1, sizeof *output);
  output[0] = hypotheses;
  for (size_t i = 0; i < t->labels; i++)
    if (t->label[i].kind == TAPE_SHOW || t->label[i].kind == TAPE_POSSIBLE) {
      d->target[d->targets++] = (uint32_t)i;
      output[d->targets] = t->label[i].truth;
    }
  d->quick = tape_compile(t, output, d->targets + 1, 1, false);
  d->kept = tape_compile(t, output, d->targets + 1, 1, true);
  d->full = compile_full(t, hypotheses);
  d->rational = is_rational(d->quick);
  free(output);
  return d;
}

void decider_destroy(decider *d)
{
  if (!d)
    return;
  tape_program_destroy(d->quick);
  tape_program_destroy(d->kept);
  tape_program_destroy(d->full);
  free(d->target);
  free(d);
}

const tape *decider_tape(const decider *d)
{
  return d->t;
}

size_t decider_targets(const decider *d, const uint32_t **labels)
{
  *labels = d->target;
  return d->targets;
}

const tape_program *decider_program(const decider *d)
{
  return d->quick;
}

const tape_program *decider_program_kept(const decider *d)
{
  return d->kept;
}

decider_state *decider_state_create(const decider *d)
{
  decider_state *s = memory_new(1, sizeof *s);
  s->d = d;
  s->label = memory_new(d->t->labels, sizeof *s->label);
  s->atom = memory_new(d->t->atoms, sizeof *s->atom);
  s->decided_by = "";
  return s;
}

void decider_state_destroy(decider_state *s)
{
  if (!s)
    return;
  if (s->quick_exact)
    exact_destroy(s->quick_exact);
  if (s->full_exact)
    exact_destroy(s->full_exact);
  if (s->quick_ball)
    ball_destroy(s->quick_ball);
  if (s->full_ball)
    ball_destroy(s->full_ball);
  if (s->full_bounded)
    bounded_destroy(s->full_bounded);
  for (size_t e = 0; s->lane_values && e < s->d->t->elements; e++)
    fmpq_clear(&s->lane_values[e]);
  free(s->lane_values);
  free(s->lanes);
  free(s->label);
  free(s->atom);
  free(s);
}

/* ---- the quick form ---- */

static bool is_settled(truth a)
{
  return a == TRUTH_TRUE || a == TRUTH_FALSE || a == TRUTH_UNDEFINED;
}

/* Nothing more is to be learnt: the instance is out, or all targets are settled. */
static bool is_summary_settled(const decide_summary *out, size_t targets)
{
  if (!is_settled(out->hypotheses))
    return false;
  if (out->hypotheses != TRUTH_TRUE)
    return true;
  for (size_t i = 0; i < targets; i++)
    if (!is_settled(out->target[i]))
      return false;
  return true;
}

/* The outputs of the program that are still open and matter: all hypotheses first. */
static uint64_t wanted_outputs(const decide_summary *out, size_t targets)
{
  if (!is_settled(out->hypotheses))
    return 1;
  uint64_t wanted = 0;
  for (size_t i = 0; i < targets && i < 63; i++)
    wanted |= (uint64_t)!is_settled(out->target[i]) << (i + 1);
  return wanted;
}

/* Takes over what was open before. */
static void take(truth *known, truth found)
{
  if (!is_settled(*known))
    *known = found;
}

static void take_exact(const decider_state *s, decide_summary *out, uint64_t wanted)
{
  if (wanted & 1)
    take(&out->hypotheses, exact_truth(s->quick_exact, 0));
  for (size_t i = 0; i < s->d->targets; i++)
    if (i >= 63 || wanted >> (i + 1) & 1)
      take(&out->target[i], exact_truth(s->quick_exact, i + 1));
}

static void start_unknown(const decider *d, decide_summary *out)
{
  out->hypotheses = TRUTH_UNKNOWN;
  for (size_t i = 0; i < d->targets; i++)
    out->target[i] = TRUTH_UNKNOWN;
}

/* Balls: first alone, then over exact values: most instances are no ties. */
static void climb_balls(decider_state *s, const fmpq *values, decide_summary *out)
{
  const decider *d = s->d;
  if (!s->quick_ball)
    s->quick_ball = ball_create(d->quick, LIMIT_EXACT_BITS);
  bool use_exact = false;
  for (slong precision = 64;;) {
    ball_run(s->quick_ball, values, precision, use_exact);
    take(&out->hypotheses, ball_truth(s->quick_ball, 0));
    for (size_t i = 0; i < d->targets; i++)
      take(&out->target[i], ball_truth(s->quick_ball, i + 1));
    if (is_summary_settled(out, d->targets))
      return;
    if (!use_exact && precision == 64) {
      use_exact = true;
      precision = 128;
      continue;
    }
    if (precision >= d->precision)
      return;
    precision = 2 * precision < d->precision ? 2 * precision : d->precision;
  }
}

static exact_state *quick_exact(decider_state *s)
{
  if (!s->quick_exact)
    s->quick_exact = exact_create(s->d->quick, LIMIT_EXACT_BITS);
  return s->quick_exact;
}

void decide_quickly(decider_state *s, const fmpq *values, decide_summary *out)
{
  const decider *d = s->d;
  start_unknown(d, out);
  if (d->rational) {
    exact_run(quick_exact(s), values);
    take_exact(s, out, UINT64_MAX);
    if (is_summary_settled(out, d->targets))
      return;
  }
  climb_balls(s, values, out);
}

void decide_lane(decider_state *s, const double *input, unsigned lane, decide_summary *out)
{
  const decider *d = s->d;
  /* Twice at most: the hypotheses, and then the targets. */
  for (int turn = 0; turn < 2 && d->rational && !is_summary_settled(out, d->targets); turn++) {
    uint64_t wanted = wanted_outputs(out, d->targets);
    bool all = exact_run_lane(quick_exact(s), input, lane, wanted);
    take_exact(s, out, all ? UINT64_MAX : wanted);
    if (!is_settled(out->hypotheses))
      break;
  }
  if (is_summary_settled(out, d->targets))
    return;
  if (!s->lane_values) {
    s->lane_values = memory_new(d->t->elements, sizeof *s->lane_values);
    for (size_t e = 0; e < d->t->elements; e++)
      fmpq_init(&s->lane_values[e]);
  }
  for (size_t e = 0; e < d->t->elements; e++)
    rational_set_double(&s->lane_values[e], input[e * LANES + lane]);
  climb_balls(s, s->lane_values, out);
}

/* ---- everything ---- */

static void read_exact(decider_state *s)
{
  const tape *t = s->d->t;
  s->hypotheses = exact_truth(s->full_exact, 0);
  for (size_t i = 0; i < t->labels; i++)
    s->label[i] = t->label[i].kind == TAPE_TRIVIAL ? TRUTH_TRUE : exact_truth(s->full_exact, output_of_label(i));
  for (size_t i = 0; i < t->atoms; i++)
    s->atom[i] = exact_truth(s->full_exact, output_of_atom(t, i));
  s->decided_by = "exact";
  s->sides_from_ball = false;
}

static void read_ball(decider_state *s)
{
  const tape *t = s->d->t;
  s->hypotheses = ball_truth(s->full_ball, 0);
  for (size_t i = 0; i < t->labels; i++)
    s->label[i] = t->label[i].kind == TAPE_TRIVIAL ? TRUTH_TRUE : ball_truth(s->full_ball, output_of_label(i));
  for (size_t i = 0; i < t->atoms; i++)
    s->atom[i] = ball_truth(s->full_ball, output_of_atom(t, i));
  s->decided_by = "ball";
  s->sides_from_ball = true;
}

static bool is_all_settled(const decider_state *s)
{
  if (!is_settled(s->hypotheses))
    return false;
  for (size_t i = 0; i < s->d->t->labels; i++)
    if (!is_settled(s->label[i]))
      return false;
  return true;
}

static truth lane_truth(const bounded_state *b, size_t k)
{
  if (bounded_true(b, k) & 1)
    return TRUTH_TRUE;
  return bounded_false(b, k) & 1 ? TRUTH_FALSE : TRUTH_UNKNOWN;
}

/* In one lane; false when an input is no double. */
static bool run_bounded(decider_state *s, const fmpq *values)
{
  const tape *t = s->d->t;
  if (!s->full_bounded) {
    s->full_bounded = bounded_create(s->d->full);
    s->lanes = memory_new(memory_multiply(t->elements, LANES), sizeof *s->lanes);
  }
  bool representable = true;
  for (size_t e = 0; e < t->elements && representable; e++) {
    double v = 0;
    if (tape_is_drawn(t, e))
      representable = rational_get_double(&v, &values[e]);
    for (unsigned lane = 0; lane < LANES; lane++)
      s->lanes[e * LANES + lane] = v;
  }
  if (!representable)
    return false;
  bounded_run_first(s->full_bounded, s->lanes);
  bounded_run_second(s->full_bounded, s->lanes);
  s->hypotheses = lane_truth(s->full_bounded, 0);
  for (size_t i = 0; i < t->labels; i++)
    s->label[i] =
        t->label[i].kind == TAPE_TRIVIAL ? TRUTH_TRUE : lane_truth(s->full_bounded, output_of_label(i));
  for (size_t i = 0; i < t->atoms; i++)
    s->atom[i] = lane_truth(s->full_bounded, output_of_atom(t, i));
  s->decided_by = "bounded";
  return true;
}

void decide_instance(decider_state *s, const fmpq *values, decide_arithmetic arithmetic)
{
  const decider *d = s->d;
  s->decided_by = "bounded";
  if (arithmetic == DECIDE_BOUNDED) {
    if (!run_bounded(s, values)) {
      s->hypotheses = TRUTH_UNKNOWN;
      for (size_t i = 0; i < d->t->labels; i++)
        s->label[i] = TRUTH_UNKNOWN;
      for (size_t i = 0; i < d->t->atoms; i++)
        s->atom[i] = TRUTH_UNKNOWN;
    }
  }
  if (arithmetic == DECIDE_EXACT || (arithmetic == DECIDE_LADDER && d->rational) || arithmetic == DECIDE_BOUNDED) {
    if (!s->full_exact)
      s->full_exact = exact_create(d->full, LIMIT_EXACT_BITS);
    exact_run(s->full_exact, values);
    if (arithmetic == DECIDE_BOUNDED) { /* the truths are bounded's; the sides are shown exactly where they can be */
      s->sides_from_ball = false;
      return;
    }
    read_exact(s);
    if (arithmetic == DECIDE_EXACT || is_all_settled(s))
      return;
  }
  if (!s->full_ball)
    s->full_ball = ball_create(d->full, LIMIT_EXACT_BITS);
  for (slong precision = 128;; precision = 2 * precision < d->precision ? 2 * precision : d->precision) {
    ball_run(s->full_ball, values, precision, arithmetic != DECIDE_BALL);
    read_ball(s);
    if (is_all_settled(s) || precision >= d->precision)
      return;
  }
}

truth decide_label(const decider_state *s, size_t label)
{
  return s->label[label];
}

truth decide_atom(const decider_state *s, size_t atom)
{
  return s->atom[atom];
}

truth decide_hypotheses(const decider_state *s)
{
  return s->hypotheses;
}

bool decide_broken(const decider_state *s, size_t *label, size_t *atom)
{
  const tape *t = s->d->t;
  for (size_t k = 0; k < s->d->targets; k++) {
    size_t i = s->d->target[k];
    bool show = t->label[i].kind == TAPE_SHOW;
    if (s->label[i] != (show ? TRUTH_FALSE : TRUTH_TRUE))
      continue;
    *label = i;
    *atom = SIZE_MAX;
    for (size_t j = 0; j < t->label[i].atoms && *atom == SIZE_MAX; j++)
      if (s->atom[t->label[i].first_atom + j] == (show ? TRUTH_FALSE : TRUTH_TRUE))
        *atom = t->label[i].first_atom + j;
    return true;
  }
  return false;
}

const char *decide_decided_by(const decider_state *s)
{
  return s->decided_by;
}

/* ---- values ---- */

char *decide_ball_text(const arb_t x)
{
  enum { DIGITS = 20 };
  text out;
  text_init(&out);
  bool printed = enclosure_print(&out, x, DIGITS);
  char *s = printed ? text_take(&out) : NULL;
  text_clear(&out);
  return s;
}

static char *fmpq_text(const fmpq_t q)
{
  char *flint = fmpq_get_str(NULL, 10, q), *own = memory_copy_string(flint);
  flint_free(flint);
  return own;
}

static bool has_sides(const tape *t, size_t atom)
{
  return t->atom[atom].left != TAPE_NONE && t->atom[atom].right != TAPE_NONE;
}

char *decide_side_text(const decider_state *s, size_t atom, bool right)
{
  const tape *t = s->d->t;
  if (!has_sides(t, atom))
    return NULL;
  size_t k = output_of_side(t, atom, right);
  char *side = NULL;
  fmpq_t q;
  fmpq_init(q);
  arb_t x;
  arb_init(x);
  if (s->sides_from_ball) {
    if (ball_exact_value(q, s->full_ball, k) == STATUS_OK)
      side = fmpq_text(q);
    else if (ball_value(x, s->full_ball, k) == STATUS_OK)
      side = decide_ball_text(x);
  } else if (exact_value(q, s->full_exact, k) == STATUS_OK)
    side = fmpq_text(q);
  arb_clear(x);
  fmpq_clear(q);
  return side;
}

/* The exact value of output k; false when it is not rational or not known exactly. */
static bool exact_side(fmpq_t q, const decider_state *s, size_t k)
{
  return (s->sides_from_ball ? ball_exact_value(q, s->full_ball, k) : exact_value(q, s->full_exact, k)) == STATUS_OK;
}

/* Bits to which an exact number is turned into a ball: so many that its own size does not matter. */
static slong bits_for(const fmpq_t q)
{
  enum { SPARE_BITS = 128 };
  return (slong)fmpz_bits(fmpq_numref(q)) + (slong)fmpz_bits(fmpq_denref(q)) + SPARE_BITS;
}

bool decide_sides(arb_t left, arb_t right, arb_t difference, const decider_state *s, size_t atom)
{
  const tape *t = s->d->t;
  if (!has_sides(t, atom))
    return false;
  size_t k[2] = {output_of_side(t, atom, false), output_of_side(t, atom, true)};
  fmpq_t q[2], gap;
  fmpq_init(q[0]);
  fmpq_init(q[1]);
  fmpq_init(gap);
  bool exact = exact_side(q[0], s, k[0]) && exact_side(q[1], s, k[1]), known = exact;
  if (exact) {
    fmpq_sub(gap, q[1], q[0]);
    arb_set_fmpq(left, q[0], bits_for(q[0]));
    arb_set_fmpq(right, q[1], bits_for(q[1]));
    arb_set_fmpq(difference, gap, bits_for(gap));
  } else if (s->sides_from_ball) {
    known = ball_value(left, s->full_ball, k[0]) == STATUS_OK && ball_value(right, s->full_ball, k[1]) == STATUS_OK &&
            arb_is_finite(left) && arb_is_finite(right);
    if (known)
      arb_sub(difference, right, left, s->d->precision);
  }
  fmpq_clear(q[0]);
  fmpq_clear(q[1]);
  fmpq_clear(gap);
  return known;
}
