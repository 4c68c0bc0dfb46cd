/* What tests of the judge begin with: one expression or formula at one instance. */
#ifndef ASSAY_TESTS_VERIFY_PROBE_H
#define ASSAY_TESTS_VERIFY_PROBE_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "cert/exact.h"
#include "verify/evaluate.h"

/* A claim whose lines are `body`, at an instance, with everything that messages said. */
typedef struct {
  diag *d;
  diag_source *source;
  library *l;
  instance *x;
} setup;

static inline setup setup_make(const char *body, const char *values)
{
  setup s;
  text t;
  text_init(&t);
  text_addf(&t, "claim probe\n%s\nend\n", body);
  s.d = diag_create(NULL, 20);
  s.source = diag_source_from("probe.claim", t.data, t.length);
  s.l = library_read_source(s.d, s.source, 0);
  ck_assert_msg(s.l, "%s%s", t.data, diag_text(s.d));
  text_clear(&t);
  size_t count;
  diag_source *v = diag_source_from("probe.json", values, strlen(values));
  s.x = instance_read_source(s.d, v, &count);
  ck_assert_msg(s.x, "%s", diag_text(s.d));
  diag_source_destroy(v);
  return s;
}

static inline void setup_clear(setup *s)
{
  instance_array_free(s->x, 1);
  library_destroy(s->l);
  diag_source_destroy(s->source);
  diag_destroy(s->d);
}

static inline const char *truth_at(const char *body, const char *values, const char *formula, slong precision)
{
  text t;
  text_init(&t);
  text_addf(&t, "%s\n show probe: %s", body, formula);
  setup s = setup_make(t.data, values);
  truth r = TRUTH_UNKNOWN;
  assay_status status = verify_truth(s.d, &r, library_claim(s.l, 0), s.x, "probe", precision);
  ck_assert_msg(status == STATUS_OK, "%s\n%s", t.data, diag_text(s.d));
  setup_clear(&s);
  text_clear(&t);
  return truth_name(r);
}

/* The value as text: exact, "undefined", "unknown", or "ball". */
static inline char *value_at(const char *body, const char *values, const char *expression)
{
  text t;
  text_init(&t);
  text_addf(&t, "%s\n trivial probe: %s\n show nothing: 0 = 0", body, expression);
  setup s = setup_make(t.data, values);
  fmpq_t q;
  arb_t ball;
  fmpq_init(q);
  arb_init(ball);
  number kind = NUMBER_UNKNOWN;
  bool exact;
  assay_status status = verify_value(s.d, &kind, &exact, q, ball, library_claim(s.l, 0), s.x, "probe", 256);
  ck_assert_msg(status == STATUS_OK, "%s\n%s", t.data, diag_text(s.d));
  text_clear(&t);
  if (exact)
    exact_print(&t, q);
  else
    text_add(&t, kind == NUMBER_UNDEFINED ? "undefined" : kind == NUMBER_UNKNOWN ? "unknown" : "ball");
  fmpq_clear(q);
  arb_clear(ball);
  setup_clear(&s);
  return text_take(&t);
}

#endif
