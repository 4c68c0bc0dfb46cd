/* One label of a claim at an instance: the evaluator as a function, for those who hold it against another
 * way. */
#include "core/limits.h"
#include "verify/deep.h"
#include "verify/evaluate.h"

#include <string.h>

typedef struct {
  diag *d;
  const claim *c;
  const instance *x;
  const char *label;
  slong precision;
  bool want_value;
  assay_status status;
  truth truth;
  number kind;
  bool exact;
  fmpq *rational;
  arb_ptr ball;
} question;

static void keep_value(question *q, numbers *s, number a)
{
  const fmpq *exact = number_is_defined(a) ? number_rational(s, a) : NULL;
  q->kind = a;
  q->exact = exact;
  if (exact)
    fmpq_set(q->rational, exact);
  if (number_is_defined(a))
    number_ball(s, q->ball, a, q->precision);
}

static void answer(void *argument)
{
  question *q = argument;
  const claim_label *l = NULL;
  for (unsigned i = 0; i < q->c->labels; i++)
    if (!strcmp(q->c->label[i].name, q->label))
      l = &q->c->label[i];
  q->status = STATUS_BAD_INPUT;
  if (!l || (l->kind == LABEL_TRIVIAL) != q->want_value) {
    diag_error_plain(q->d, "%s: no such label of this kind", q->label);
    return;
  }
  match m;
  match_kind fit = match_instance(q->d, "instance", &m, q->c, q->x);
  if (fit == MATCH_OUTSIDE)
    diag_error_plain(q->d, "the size %s is outside its range", q->c->size[m.outside].name);
  if (fit == MATCH_FITS) {
    evaluator *e = evaluator_create(q->d, q->c, q->x, &m, q->precision);
    int64_t slots[LIMIT_BINDERS] = {0};
    if (q->want_value)
      keep_value(q, evaluator_numbers(e), evaluator_value(e, l->body, slots));
    else
      q->truth = evaluator_truth(e, l->body, slots);
    q->status = evaluator_status(e);
    evaluator_destroy(e);
  }
  match_clear(&m);
}

assay_status verify_truth(diag *d, truth *result, const claim *c, const instance *x, const char *label,
                          slong max_precision)
{
  question q = {.d = d, .c = c, .x = x, .label = label, .truth = TRUTH_UNKNOWN,
                .precision = max_precision > 0 ? max_precision : LIMIT_PRECISION};
  deep_call(answer, &q);
  *result = q.truth;
  return q.status;
}

assay_status verify_value(diag *d, number *kind, bool *exact, fmpq_t rational, arb_t ball, const claim *c,
                          const instance *x, const char *label, slong max_precision)
{
  question q = {.d = d, .c = c, .x = x, .label = label, .want_value = true, .kind = NUMBER_UNKNOWN,
                .rational = rational, .ball = ball,
                .precision = max_precision > 0 ? max_precision : LIMIT_PRECISION};
  deep_call(answer, &q);
  *kind = q.kind;
  *exact = q.exact;
  return q.status;
}
