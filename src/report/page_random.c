/* What depends on random elements: polynomials in them, whose coefficients are calculated from the values. */
#include <stdlib.h>
#include <string.h>

#include "core/flint.h"
#include "core/limits.h"
#include "core/memory.h"
#include "report/page_internal.h"

enum {
  MOST_NEEDED = 20000,  /* operations */
  MOST_VARIABLES = 200, /* random elements */
  MOST_PRODUCTS = 10000, /* of terms, in one multiplication */
  MOST_TERMS = 100000    /* of all polynomials together */
};

typedef struct {
  const page *p;
  fmpq_mpoly_ctx_t context;
  size_t ops;             /* of the tape that matter: the last one and those before */
  bool *needed;           /* by operation: some let is computed from it */
  tape_id *id;            /* those that are free of random elements, though what they enter is not */
  size_t ids;
  fmpq_mpoly_struct **of; /* by operation; NULL: not known */
} polynomials;

/* ---- which ---- */

static bool takes_random(const tape_op *o)
{
  return o->op == TAPE_NEGATE || o->op == TAPE_ADD || o->op == TAPE_SUBTRACT || o->op == TAPE_MULTIPLY || o->op == TAPE_DIVIDE ||
         o->op == TAPE_POWER || o->op == TAPE_ZERO;
}

/* How many operands a random operation of these has that are operations. */
static unsigned operands(const tape_op *o)
{
  return !takes_random(o) ? 0 : o->op == TAPE_NEGATE || o->op == TAPE_POWER || o->op == TAPE_ZERO ? 1 : 2;
}

/* Marks what the random lets need; false when that is nothing, or too much. */
static bool mark(polynomials *w)
{
  const tape *t = w->p->t;
  const lower_let_list *lets = &w->p->lets;
  size_t needed = 0;
  for (size_t i = 0; i < lets->count; i++)
    if (t->op[lets->let[i].id].random && lets->let[i].id >= w->ops)
      w->ops = (size_t)lets->let[i].id + 1;
  if (!w->ops || lets->randoms > MOST_VARIABLES)
    return false;
  w->needed = memory_new(w->ops, sizeof *w->needed);
  w->id = memory_new(w->ops, sizeof *w->id);
  for (size_t i = 0; i < lets->count; i++)
    if (t->op[lets->let[i].id].random)
      w->needed[lets->let[i].id] = true;
  for (size_t i = w->ops; i-- > 0;) {
    if (!w->needed[i])
      continue;
    needed++;
    const tape_op *o = &t->op[i];
    if (!o->random) {
      w->id[w->ids++] = (tape_id)i;
      continue;
    }
    for (unsigned k = 0; k < operands(o); k++)
      w->needed[k ? o->b : o->a] = true;
  }
  return needed <= MOST_NEEDED;
}

/* ---- what they are ---- */

static fmpq_mpoly_struct *new_polynomial(polynomials *w, size_t i)
{
  w->of[i] = memory_new(1, sizeof *w->of[i]);
  fmpq_mpoly_init(w->of[i], w->context);
  return w->of[i];
}

/* The coefficients: exact values, where there are such. */
static void set_coefficients(polynomials *w)
{
  if (!w->ids)
    return;
  tape_program *program = tape_compile(w->p->t, w->id, w->ids, w->ids, false);
  ball_state *s = ball_create(program, LIMIT_EXACT_BITS);
  ball_run(s, w->p->witness->instance.value, 128, true);
  fmpq_t x;
  fmpq_init(x);
  for (size_t i = 0; i < w->ids; i++)
    if (!program->output[i].truth && ball_exact_value(x, s, i) == STATUS_OK)
      fmpq_mpoly_set_fmpq(new_polynomial(w, w->id[i]), x, w->context);
  fmpq_clear(x);
  ball_destroy(s);
  tape_program_destroy(program);
}

static void set_variables(polynomials *w)
{
  const lower_let_list *lets = &w->p->lets;
  for (size_t k = 0; k < lets->randoms; k++)
    if (lets->random[k].id < w->ops && !w->of[lets->random[k].id])
      fmpq_mpoly_gen(new_polynomial(w, lets->random[k].id), (slong)k, w->context);
}

static bool multiply(polynomials *w, fmpq_mpoly_struct *y, const fmpq_mpoly_struct *a, const fmpq_mpoly_struct *b)
{
  if (fmpq_mpoly_length(a, w->context) > MOST_PRODUCTS / (1 + fmpq_mpoly_length(b, w->context)))
    return false;
  fmpq_mpoly_mul(y, a, b, w->context);
  return true;
}

static bool calculate(polynomials *w, fmpq_mpoly_struct *y, const tape_op *o, const fmpq_mpoly_struct *a,
                      const fmpq_mpoly_struct *b)
{
  fmpq_t x;
  bool fine = true;
  switch (o->op) {
  case TAPE_NEGATE:
    fmpq_mpoly_neg(y, a, w->context);
    return true;
  case TAPE_ADD:
    fmpq_mpoly_add(y, a, b, w->context);
    return true;
  case TAPE_SUBTRACT:
    fmpq_mpoly_sub(y, a, b, w->context);
    return true;
  case TAPE_MULTIPLY:
    return multiply(w, y, a, b);
  case TAPE_DIVIDE:
    fmpq_init(x);
    fine = fmpq_mpoly_is_fmpq(b, w->context) && !fmpq_mpoly_is_zero(b, w->context);
    if (fine) {
      fmpq_mpoly_get_fmpq(x, b, w->context);
      fmpq_mpoly_scalar_div_fmpq(y, a, x, w->context);
    }
    fmpq_clear(x);
    return fine;
  case TAPE_POWER:
    fmpq_mpoly_one(y, w->context);
    for (int32_t k = (int32_t)o->b; k > 0 && fine; k--)
      fine = multiply(w, y, y, a);
    return fine && (int32_t)o->b >= 0;
  default: /* TAPE_ZERO */
    fmpq_mpoly_zero(y, w->context);
    return true;
  }
}

static void calculate_all(polynomials *w)
{
  const tape *t = w->p->t;
  slong terms = 0;
  for (size_t i = 0; i < w->ops && terms <= MOST_TERMS; i++) {
    const tape_op *o = &t->op[i];
    unsigned n = w->needed[i] && !w->of[i] ? operands(o) : 0;
    if (!n || !w->of[o->a] || (n == 2 && !w->of[o->b]))
      continue;
    if (!calculate(w, new_polynomial(w, i), o, w->of[o->a], n == 2 ? w->of[o->b] : NULL)) {
      fmpq_mpoly_clear(w->of[i], w->context);
      free(w->of[i]);
      w->of[i] = NULL;
    } else
      terms += fmpq_mpoly_length(w->of[i], w->context);
  }
}

/* ---- on the page ---- */

/* With one blank around + and -, whatever this FLINT thinks of blanks; in the brackets of a name they stand for other things. */
static char *spaced(const char *s)
{
  text out;
  text_init(&out);
  int depth = 0;
  for (size_t i = 0; s[i]; i++) {
    if (s[i] == ' ')
      continue;
    depth += (s[i] == '[') - (s[i] == ']');
    bool apart = out.length && !depth && (s[i] == '+' || s[i] == '-');
    text_addf(&out, apart ? " %c " : "%c", s[i]);
  }
  return text_take(&out);
}

static char *shown(polynomials *w, const fmpq_mpoly_struct *x, const char **names)
{
  if (!x)
    return memory_copy_string("not known");
  char *plain = fmpq_mpoly_get_str_pretty(x, names, w->context), *result = spaced(plain);
  flint_free(plain);
  if (strlen(result) <= MOST_FORMULA)
    return result;
  free(result);
  text out;
  text_init(&out);
  text_addf(&out, "a polynomial of %ld terms", (long)fmpq_mpoly_length(x, w->context));
  return text_take(&out);
}

void page_expand(page *p)
{
  const lower_let_list *lets = &p->lets;
  polynomials w = {.p = p};
  if (mark(&w)) {
    fmpq_mpoly_ctx_init(w.context, (slong)lets->randoms, ORD_DEGLEX);
    w.of = memory_new(w.ops, sizeof *w.of);
    const char **names = memory_new(lets->randoms, sizeof *names);
    for (size_t k = 0; k < lets->randoms; k++)
      names[k] = lets->random[k].name;
    set_coefficients(&w);
    set_variables(&w);
    calculate_all(&w);
    for (size_t i = 0; i < lets->count; i++)
      if (p->t->op[lets->let[i].id].random)
        p->step[i].shown = shown(&w, w.of[lets->let[i].id], names);
    for (size_t i = 0; i < w.ops; i++)
      if (w.of[i]) {
        fmpq_mpoly_clear(w.of[i], w.context);
        free(w.of[i]);
      }
    free(w.of);
    free(names);
    fmpq_mpoly_ctx_clear(w.context);
  }
  for (size_t i = 0; i < lets->count; i++)
    if (!p->step[i].shown && p->t->op[lets->let[i].id].random)
      p->step[i].shown = memory_copy_string("not known");
  free(w.needed);
  free(w.id);
}
