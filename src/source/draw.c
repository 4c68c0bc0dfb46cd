/* The random source. */
#include "source/draw.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/philox.h"
#include "source/draw_lanes.h"
#include "tape/solve.h"

/* The elements are drawn in `order`; before element order[k] the first step[k] steps of the program are run, which
 * compute the ends of its range. */
struct drawer {
  const tape *t;
  uint32_t *order;
  size_t *step;            /* elements + 1 of them */
  tape_program *ends;      /* outputs: low and high of each element that has them */
  size_t *low, *high;      /* output numbers, or SIZE_MAX */
  /* By place in the order: the ends (the low end, which is closed) are constants, and those of the element before. */
  bool *same_range, *same_low;
  draw_table table;
};

struct drawer_state {
  draw_rows rows; /* first: aligned */
  const drawer *d;
  real_state *real;
};

/* Sorts the steps of d->ends by when they can run: a step that reads the k-th element drawn comes after it, so that
 * before element order[k] is drawn steps 0 .. step[k] - 1 have run. No slot is reused, so any such order will do. */
static void sort_steps(drawer *d)
{
  tape_program *p = d->ends;
  size_t count = d->t->elements;
  size_t *rank = memory_new(count, sizeof *rank), *when = memory_new(p->steps, sizeof *when);
  size_t *slot_when[2] = {memory_new(p->value_slots, sizeof(size_t)), memory_new(p->truth_slots, sizeof(size_t))};
  for (size_t k = 0; k < count; k++)
    rank[d->order[k]] = k;
  for (size_t i = 0; i < p->steps; i++) {
    const tape_step *s = &p->step[i];
    tape_opcode op = (tape_opcode)s->op;
    uint32_t operand[3] = {s->a, s->b, s->c};
    if (op == TAPE_INPUT)
      when[i] = rank[s->a] + 1;
    for (unsigned k = 0; k < tape_operands(op); k++) {
      bool is_truth = (op >= TAPE_NOT && op <= TAPE_IMPLIES) || op == TAPE_CHOOSE || (op == TAPE_SELECT && k == 2);
      size_t w = slot_when[is_truth][operand[k]];
      when[i] = w > when[i] ? w : when[i];
    }
    for (size_t k = 0; op == TAPE_INTEGRAL && k < p->integral[s->c].captures; k++) {
      const struct tape_capture *c = &p->integral[s->c].capture[k];
      size_t w = slot_when[c->truth][c->from];
      when[i] = w > when[i] ? w : when[i];
    }
    slot_when[tape_is_truth(op)][s->target] = when[i];
  }
  tape_step *sorted = memory_new(p->steps, sizeof *sorted);
  size_t placed = 0;
  size_t *start = memory_new(count + 2, sizeof *start);
  for (size_t i = 0; i < p->steps; i++)
    start[when[i] + 1]++;
  for (size_t k = 0; k <= count; k++)
    start[k + 1] += start[k];
  for (size_t k = 0; k <= count; k++)
    d->step[k] = start[k + 1];
  for (size_t i = 0; i < p->steps; i++, placed++)
    sorted[start[when[i]]++] = p->step[i];
  free(p->step);
  p->step = sorted;
  free(start);
  free(slot_when[0]);
  free(slot_when[1]);
  free(when);
  free(rank);
}

/* Whether an end of a range can be computed when the element's turn comes: for a solved element, which has no turn of its
 * own in the order, only a constant one. */
static bool is_usable(const tape *t, bool drawn, tape_id end)
{
  return end != TAPE_NONE && (drawn || t->op[end].op == TAPE_CONSTANT);
}

static bool is_constant(const tape *t, tape_id end)
{
  return end == TAPE_NONE || t->op[end].op == TAPE_CONSTANT;
}

/* Equal constants are one operation of the tape. */
static bool has_same_range(const tape *t, const tape_element *a, const tape_element *b)
{
  return a->low == b->low && a->high == b->high && a->low_open == b->low_open && a->high_open == b->high_open &&
         is_constant(t, a->low) && is_constant(t, a->high);
}

static bool has_same_low(const tape *t, const tape_element *a, const tape_element *b)
{
  return a->low == b->low && !a->low_open && !b->low_open && a->low != TAPE_NONE && is_constant(t, a->low);
}

drawer *drawer_create(const tape *t)
{
  drawer *d = memory_new(1, sizeof *d);
  d->t = t;
  d->order = memory_new(t->elements, sizeof *d->order);
  d->step = memory_new(t->elements + 1, sizeof *d->step);
  d->low = memory_new(t->elements, sizeof *d->low);
  d->high = memory_new(t->elements, sizeof *d->high);
  d->same_range = memory_new(t->elements, sizeof *d->same_range);
  d->same_low = memory_new(t->elements, sizeof *d->same_low);
  draw_table_fill(&d->table);
  if (!tape_draw_order(t, d->order)) {
    drawer_destroy(d);
    return NULL;
  }
  tape_id *output = memory_new(2 * t->elements, sizeof *output);
  size_t outputs = 0;
  for (size_t i = 0; i < t->elements; i++) {
    const tape_element *e = &t->element[i];
    bool drawn = tape_is_drawn(t, i);
    d->low[i] = is_usable(t, drawn, e->low) ? outputs : SIZE_MAX;
    if (d->low[i] != SIZE_MAX)
      output[outputs++] = e->low;
    d->high[i] = is_usable(t, drawn, e->high) ? outputs : SIZE_MAX;
    if (d->high[i] != SIZE_MAX)
      output[outputs++] = e->high;
  }
  d->ends = tape_compile(t, output, outputs, outputs, true);
  free(output);

  sort_steps(d);
  for (size_t k = 1; k < t->elements; k++) {
    const tape_element *before = &t->element[d->order[k - 1]], *e = &t->element[d->order[k]];
    d->same_range[k] = has_same_range(t, before, e);
    d->same_low[k] = has_same_low(t, before, e);
  }
  return d;
}

void drawer_destroy(drawer *d)
{
  if (!d)
    return;
  tape_program_destroy(d->ends);
  free(d->order);
  free(d->step);
  free(d->low);
  free(d->high);
  free(d->same_range);
  free(d->same_low);
  free(d);
}

/* Zeroed, in whole cache lines: a vector that straddles two of them costs twice. */
static void *new_lines(size_t bytes)
{
  enum { LINE = 64 };
  size_t size = memory_add(bytes, LINE) / LINE * LINE;
  void *p = aligned_alloc(LINE, size);
  if (!p)
    memory_die("out of memory");
  return memset(p, 0, size);
}

double *drawer_new_input(const drawer *d)
{
  return new_lines(memory_multiply(memory_multiply(d->t->elements, LANES), sizeof(double)));
}

drawer_state *drawer_state_create(const drawer *d)
{
  drawer_state *s = new_lines(sizeof *s);
  s->d = d;
  s->real = real_create(d->ends);
  return s;
}

void drawer_state_destroy(drawer_state *s)
{
  if (!s)
    return;
  real_destroy(s->real);
  free(s);
}

static void set_range(drawer_state *s, size_t k)
{
  const drawer *d = s->d;
  size_t e = d->order[k];
  const tape_element *element = &d->t->element[e];
  draw_range range = {.low = d->low[e] == SIZE_MAX ? NULL : real_output(s->real, d->low[e]),
                      .high = d->high[e] == SIZE_MAX ? NULL : real_output(s->real, d->high[e]),
                      .low_open = element->low_open,
                      .high_open = element->high_open};
  draw_set_range(&s->rows, &range, d->same_low[k]);
}

void drawer_fill(drawer_state *s, double *input, uint64_t seed, uint32_t claim, uint64_t first, uint32_t attempt)
{
  const drawer *d = s->d;
  const tape *t = d->t;
  /* Block 0 of a stream makes the temper and the salt; each element that is drawn takes one more word. */
  uint64_t words[4 * LANES];
  philox_fill_words(words, LANES, seed, claim, first, attempt, 0);
  draw_start(&s->rows, &d->table, words);
  size_t done = 0;
  for (size_t k = 0; k < t->elements; k++) {
    size_t e = d->order[k];
    if (k % 4 == 0)
      philox_fill_words(words, LANES, seed, claim, first, attempt, (uint32_t)(k / 4 + 1));
    if (k == 0 || t->element[d->order[k - 1]].given != t->element[e].given)
      draw_forget(&s->rows);
    if (!d->same_range[k]) {
      if (d->step[k] > done) {
        real_run(s->real, input, done, d->step[k]);
        done = d->step[k];
      }
      set_range(s, k);
    }
    draw_values(&s->rows, input + e * LANES, words + k % 4 * LANES, input, d->order, k);
  }
}

bool drawer_is_bounded(const drawer *d, size_t e)
{
  return d->low[e] != SIZE_MAX && d->high[e] != SIZE_MAX;
}

void drawer_place(drawer_state *s, double *input, const drawer_position *position)
{
  const drawer *d = s->d;
  size_t done = 0;
  for (size_t k = 0; k < d->t->elements; k++) {
    size_t e = d->order[k];
    const tape_element *element = &d->t->element[e];
    double *x = input + e * LANES;
    if (!drawer_is_bounded(d, e)) {
      for (unsigned lane = 0; lane < LANES; lane++)
        x[lane] = position[e * LANES + lane].at;
      continue;
    }
    if (d->step[k] > done) {
      real_run(s->real, input, done, d->step[k]);
      done = d->step[k];
    }
    const double *low = real_output(s->real, d->low[e]), *high = real_output(s->real, d->high[e]);
    for (unsigned lane = 0; lane < LANES; lane++) {
      double f = position[e * LANES + lane].at, width = high[lane] - low[lane];
      /* An open end is approached to a millionth of the width: rounding makes it a simple number later. */
      if (f == 0 && element->low_open)
        f = 0x1p-20;
      if (f == 1 && element->high_open)
        f = 1 - 0x1p-20;
      x[lane] = f == 1 ? high[lane] : low[lane] + width * f;
    }
  }
}
