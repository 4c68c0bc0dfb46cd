/* The results file, claim by claim. */
#include "report/results_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cert/exact.h"
#include "core/memory.h"
#include "core/text.h"
#include "report/json_make.h"
#include "report/output.h"
#include "report/remark.h"

static json_t *exact_value(const fmpq *x)
{
  text out;
  text_init(&out);
  exact_print(&out, x);
  json_t *value = json_make_string(text_string(&out));
  text_clear(&out);
  return value;
}

static void put_counts(json_t *object, const check_counts *n)
{
  json_put(object, "drawn", json_make_count(n->drawn));
  json_put(object, "accepted", json_make_count(n->accepted));
  json_put(object, "true", json_make_count(n->true_));
  json_put(object, "false", json_make_count(n->false_));
  json_put(object, "unknown", json_make_count(n->unknown));
  json_put(object, "undefined", json_make_count(n->undefined));
  json_put(object, "undecided_hypotheses", json_make_count(n->undecided_hypotheses));
}

static json_t *sizes_value(const claim *c, const int64_t *sizes)
{
  json_t *object = json_make_object();
  for (unsigned i = 0; i < c->sizes; i++)
    json_put(object, c->size[i].name, json_integer(sizes[i]));
  return object;
}

static json_t *counts_value(const check_result *r)
{
  json_t *object = json_make_object(), *parts = json_make_array();
  put_counts(object, &r->total);
  json_put(object, "by_size_and_source", parts);
  for (size_t i = 0; i < r->tallies; i++) {
    json_t *part = json_make_object();
    json_push(parts, part);
    json_put(part, "sizes", sizes_value(r->claim, r->tally[i].sizes));
    json_put(part, "source", json_make_string(source_name(r->tally[i].source)));
    put_counts(part, &r->tally[i].counts);
  }
  return object;
}

/* `key`: what the label is to the instance, "broken" or "met". */
static json_t *witness_value(const check_result *r, const check_witness *w, const char *key)
{
  if (!w)
    return json_null();
  json_t *object = json_make_object(), *values = json_make_object(), *index = json_make_object(),
         *origin = json_make_object();
  json_put(object, "sizes", sizes_value(r->claim, w->instance.size));
  json_put(object, "values", values);
  for (size_t e = 0; e < w->instance.elements; e++)
    json_put(values, w->instance.name[e], exact_value(&w->instance.value[e]));
  json_put(object, key, json_make_string(w->label));
  json_put(object, "index", index);
  for (unsigned i = 0; i < w->indices; i++)
    json_put(index, w->index_name[i], json_integer(w->index_value[i]));
  json_put(object, "left", json_make_string(w->left));
  json_put(object, "right", json_make_string(w->right));
  json_put(object, "relation", json_make_string(w->relation));
  json_put(object, "origin", origin);
  json_put(origin, "seed", json_make_count(w->origin.seed));
  json_put(origin, "source", json_make_string(source_name(w->origin.source)));
  json_put(origin, "instance", json_make_count(w->origin.number));
  json_put(origin, "attempt", json_make_count(w->origin.attempt));
  if (w->place)
    json_put(origin, "place", json_make_string(w->place));
  json_put(object, "shrink_steps", json_make_count(w->shrink_steps));
  json_put(object, "judged", json_boolean(w->judged));
  return object;
}

static json_t *slack_value(const check_slack *s)
{
  if (!s->known)
    return json_null();
  json_t *object = json_make_object();
  json_put(object, "label", json_make_string(s->label));
  json_put(object, "at", json_make_string(s->at ? s->at : ""));
  json_put(object, "instance", json_make_string(s->instance));
  json_put(object, "difference", json_make_string(s->difference));
  json_put(object, "ratio", json_make_string(s->ratio));
  json_put(object, "over", json_make_count(s->over));
  return object;
}

static json_t *necessity_value(const check_result *r)
{
  json_t *array = json_make_array();
  for (size_t i = 0; i < r->needs; i++) {
    json_t *object = json_make_object();
    json_push(array, object);
    json_put(object, "hypothesis", json_make_string(r->need[i].hypothesis));
    json_put(object, "tried", json_boolean(r->need[i].tried));
    json_put(object, "needed", json_boolean(r->need[i].needed));
  }
  return array;
}

static json_t *power_value(const check_result *r)
{
  if (!r->power_measured)
    return json_null();
  json_t *object = json_make_object(), *survivors = json_make_array();
  json_put(object, "tried", json_make_count(r->power.tried));
  json_put(object, "refuted", json_make_count(r->power.refuted));
  json_put(object, "survivors", survivors);
  for (unsigned i = 0; i < r->power.survivors; i++)
    json_push(survivors, json_make_string(r->power.survivor[i]));
  return object;
}

static json_t *possible_value(const check_result *r)
{
  json_t *array = json_make_array();
  for (size_t i = 0; i < r->possibles; i++) {
    const check_possible *p = &r->possible[i];
    json_t *object = json_make_object();
    json_push(array, object);
    json_put(object, "label", json_make_string(p->label));
    json_put(object, "verdict", json_make_string(verdict_name(p->verdict)));
    json_put(object, "witness", witness_value(r, p->witness, "met"));
    json_put(object, "certificate", json_make_string(p->witness ? p->witness->certificate : NULL));
  }
  return array;
}

static json_t *multiplier_value(const check_multiplier *m)
{
  json_t *object = json_make_object(), *index = json_make_object(), *terms = json_make_object();
  json_put(object, "from", json_make_string(m->label));
  json_put(object, "range", json_boolean(m->range));
  json_put(object, "index", index);
  for (unsigned i = 0; i < m->indices; i++)
    json_put(index, m->index_name[i], json_integer(m->index_value[i]));
  json_put(object, "terms", terms);
  for (size_t i = 0; i < m->terms; i++)
    json_put(terms, m->element[i], exact_value(&m->coefficient[i]));
  json_put(object, "relation", json_make_string(m->relation));
  json_put(object, "right", exact_value(m->right));
  json_put(object, "multiplier", exact_value(m->multiplier));
  return object;
}

static json_t *contradictions_value(const check_result *r)
{
  json_t *array = json_make_array();
  for (size_t i = 0; i < r->contradictions; i++) {
    const check_contradiction *k = &r->contradiction[i];
    json_t *object = json_make_object(), *rows = json_make_array();
    json_push(array, object);
    json_put(object, "sizes", sizes_value(r->claim, k->sizes));
    json_put(object, "label", json_make_string(k->label));
    json_put(object, "rows", rows);
    for (size_t j = 0; j < k->rows; j++)
      json_push(rows, multiplier_value(&k->row[j]));
  }
  return array;
}

static json_t *remark_value(const check_result *r)
{
  char *remark = remark_make(r);
  json_t *value = json_make_string(remark);
  free(remark);
  return value;
}

static json_t *expected_value(const check_result *r)
{
  if (!r->expected)
    return json_null();
  json_t *object = json_make_object();
  json_put(object, "verdict", json_make_string(r->expected));
  json_put(object, "met", json_boolean(check_result_as_expected(r)));
  return object;
}

json_t *results_json_claim(const check_result *r)
{
  json_t *object = json_make_object();
  double seconds = r->seconds >= 0 && r->seconds < 1e15 ? r->seconds : 0;
  json_put(object, "name", json_make_string(r->claim->name));
  json_put(object, "file", json_make_string(r->file));
  json_put(object, "statement", json_make_string(r->claim->cite));
  json_put(object, "kind", json_make_string(claim_kind_name(r->claim->kind)));
  json_put(object, "title", json_make_string(r->claim->title));
  json_put(object, "comment", json_make_string(r->claim->comment));
  json_put(object, "case", json_make_string(r->case_name));
  json_put(object, "verdict", json_make_string(verdict_name(r->verdict)));
  json_put(object, "reason", json_make_string(r->reason ? r->reason : ""));
  json_put(object, "remark", remark_value(r));
  json_put(object, "counts", counts_value(r));
  json_put(object, "counterexample", witness_value(r, r->counterexample, "broken"));
  json_put(object, "certificate",
           json_make_string(r->counterexample ? r->counterexample->certificate : NULL));
  json_put(object, "slack", slack_value(&r->slack));
  json_put(object, "necessity", necessity_value(r));
  json_put(object, "emptiness", json_make_string(r->emptiness));
  json_put(object, "power", power_value(r));
  json_put(object, "possible", possible_value(r));
  json_put(object, "contradictions", contradictions_value(r));
  json_put(object, "expected", expected_value(r));
  json_put(object, "interrupted", json_boolean(r->interrupted));
  json_put(object, "seconds", json_real(seconds));
  return object;
}

static json_t *versions_value(void)
{
  json_t *object = json_make_object();
  json_put(object, "assay", json_make_string(PACKAGE_VERSION));
  json_put(object, "gmp", json_make_string(gmp_version));
  json_put(object, "mpfr", json_make_string(mpfr_get_version()));
  json_put(object, "flint", json_make_string(FLINT_VERSION));
#ifdef HAVE_FLINT3
  json_put(object, "arb", json_null());
#else
  json_put(object, "arb", json_make_string(arb_version));
#endif
  json_put(object, "jansson", json_make_string(JANSSON_VERSION));
  return object;
}

json_t *results_json_create(const results_run *run, const check_result *const *results, size_t count,
                            json_t *models)
{
  json_t *object = json_make_object(), *claims = json_make_array();
  json_put(object, "schema", json_make_string(RESULTS_SCHEMA));
  json_put(object, "seed", json_make_count(run->seed));
  json_put(object, "command", json_make_string(run->command));
  json_put(object, "versions", versions_value());
  json_put(object, "stopped", json_boolean(run->stopped));
  json_put(object, "claims", claims);
  for (size_t i = 0; i < count; i++)
    if (results[i])
      json_push(claims, results_json_claim(results[i]));
  json_put(object, "models", models ? models : json_make_array());
  return object;
}

bool results_json_write(diag *d, const char *path, const json_t *value)
{
  output o;
  if (!output_open(&o, d, path))
    return false;
  /* A failure to write stays with the stream, where output_close finds it. */
  if (!json_dumpf(value, o.file, JSON_INDENT(2) | JSON_REAL_PRECISION(6)))
    fputc('\n', o.file);
  return output_close(&o, d);
}
