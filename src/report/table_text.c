/* The summary table. */
#include "report/table_text.h"

#include <stdlib.h>
#include <string.h>

#include "report/instance_text.h"
#include "report/remark.h"

enum { DETAIL_WIDTH = 110, MOST_NAME_WIDTH = 40 };

static unsigned long long number(uint64_t n)
{
  return n;
}

void table_print_verdict(text *out, const check_result *r)
{
  text_add(out, verdict_name(r->verdict));
  if (r->verdict == VERDICT_SURVIVED)
    text_addf(out, " %llu", number(r->total.true_));
  else if (r->verdict == VERDICT_NO_WITNESS)
    text_addf(out, " %llu", number(r->total.drawn));
}

/* ---- columns ---- */

static const char *colour_of(const check_result *r)
{
  if (!r || !check_result_as_expected(r))
    return "\033[1;31m";
  switch (r->verdict) {
  case VERDICT_REFUTED:
  case VERDICT_IMPOSSIBLE:
    return "\033[31m";
  case VERDICT_PROVED:
  case VERDICT_PROVED_ON_BOX:
  case VERDICT_SURVIVED:
  case VERDICT_POSSIBLE:
    return "\033[32m";
  default:
    return "\033[33m";
  }
}

/* "T=1..12": the least and the largest that was tried of each size, or those of the counterexample. */
static void print_size_column(text *out, const check_result *r)
{
  const claim *c = r->claim;
  for (unsigned i = 0; i < c->sizes; i++) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    if (r->counterexample)
      low = high = r->counterexample->instance.size[i];
    for (size_t k = 0; !r->counterexample && k < r->tallies; k++) {
      int64_t value = r->tally[k].sizes[i];
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    if (low > high)
      continue;
    text_addf(out, "%s%s=%lld", out->length ? "," : "", c->size[i].name, (long long)low);
    if (high > low)
      text_addf(out, "..%lld", (long long)high);
  }
  if (!out->length)
    text_add(out, "-");
}

static void print_possible(text *out, const check_result *r)
{
  for (size_t i = 0; i < r->possibles; i++)
    text_addf(out, "%s%s: %s", i ? "; " : "", r->possible[i].label, verdict_name(r->possible[i].verdict));
}

void table_print_detail(text *out, const check_result *r)
{
  if (r->counterexample) {
    witness_print_broken(out, r->counterexample);
    text_add(out, " is false");
    text_add(out, r->counterexample->instance.elements ? " with " : "");
    instance_print_short(out, &r->counterexample->instance);
  } else if (r->possibles)
    print_possible(out, r);
  else if (r->power_measured && r->verdict == VERDICT_SURVIVED) /* a proof needs no such testimony */
    text_addf(out, "%u of %u claim%s made slightly wrong refuted", r->power.refuted, r->power.tried,
              r->power.tried == 1 ? "" : "s");
  else if (r->verdict != VERDICT_SURVIVED && r->reason)
    text_add(out, r->reason);
  char *remark = remark_make(r);
  if (remark)
    text_addf(out, "%s%s", out->length ? "; " : "", remark);
  free(remark);
  if (!r->possibles && !r->counterexample && r->total.undefined)
    text_addf(out, "%s%llu of %llu undefined", out->length ? "; " : "", number(r->total.undefined),
              number(r->total.accepted));
  if (r->interrupted && !strstr(text_string(out), "stopped early"))
    text_addf(out, "%sstopped early", out->length ? "; " : "");
}

/* Cuts to a width in characters, with "..." at the end. */
static void cut(text *t, size_t width)
{
  size_t shown = 0, i = 0;
  for (; i < t->length; i++) {
    if (((unsigned char)t->data[i] & 0xC0) == 0x80)
      continue;
    if (shown == width)
      break;
    shown++;
  }
  if (i == t->length)
    return;
  size_t back = 0;
  while (i > 0 && back < 3)
    if (((unsigned char)t->data[--i] & 0xC0) != 0x80)
      back++;
  t->length = i;
  t->data[i] = 0;
  text_add(t, "...");
}

static size_t name_width(const char *const *names, size_t count)
{
  size_t width = 5;
  for (size_t i = 0; i < count; i++)
    if (strlen(names[i]) > width)
      width = strlen(names[i]);
  return width < MOST_NAME_WIDTH ? width : MOST_NAME_WIDTH;
}

static bool is_shown(const table_style *s, const check_result *r)
{
  return !s->quiet || !r || r->verdict == VERDICT_REFUTED || !check_result_as_expected(r);
}

static void write_row(const table_style *s, const char *name, size_t width, bool kinds, const check_result *r)
{
  text verdict_text, size, detail;
  text_init(&verdict_text);
  text_init(&size);
  text_init(&detail);
  if (r) {
    table_print_verdict(&verdict_text, r);
    print_size_column(&size, r);
    table_print_detail(&detail, r);
  } else
    text_add(&verdict_text, "not audited");
  cut(&detail, DETAIL_WIDTH);
  fprintf(s->out, "  %-*s  ", (int)width, name);
  if (kinds)
    fprintf(s->out, "%-8s  ", r ? claim_kind_name(r->claim->kind) : "");
  fputs(s->colour ? colour_of(r) : "", s->out);
  fprintf(s->out, size.length || detail.length ? "%-15s" : "%s", text_string(&verdict_text));
  fputs(s->colour ? "\033[0m" : "", s->out);
  if (detail.length)
    fprintf(s->out, "  %-10s  %s", text_string(&size), text_string(&detail));
  else if (size.length)
    fprintf(s->out, "  %s", text_string(&size));
  fputc('\n', s->out);
  if (r && !check_result_as_expected(r))
    fprintf(s->out, "  %-*s  expected %s\n", (int)width + (kinds ? 10 : 0), "", r->expected);
  text_clear(&verdict_text);
  text_clear(&size);
  text_clear(&detail);
}

/* ---- groups ---- */

static bool is_false(const check_result *r)
{
  return r->verdict == VERDICT_REFUTED || r->verdict == VERDICT_IMPOSSIBLE;
}

/* Neither false nor open: of a claim that SURVIVED that is no proof. */
static bool stands(const check_result *r)
{
  return r->verdict == VERDICT_SURVIVED || r->verdict == VERDICT_PROVED || r->verdict == VERDICT_PROVED_ON_BOX ||
         r->verdict == VERDICT_POSSIBLE;
}

void table_count_result(table_count *n, const check_result *r)
{
  if (!r || !r->claim->cite) /* what names no printed statement is no reading of one */
    return;
  if (r->claim->kind == CLAIM_READING) {
    n->readings++;
    n->false_ += is_false(r);
    n->open += !is_false(r) && !stands(r);
  } else if (r->claim->kind == CLAIM_REPAIR) {
    n->repairs++;
    n->false_repairs += is_false(r);
    n->open_repairs += !is_false(r) && !stands(r);
  }
}

void table_print_count(text *out, const table_count *n)
{
  if (n->readings)
    text_addf(out, "false under %s reading tried (%zu of %zu)",
              !n->false_                ? "no"
              : n->false_ == n->readings ? "every"
                                         : "some",
              n->false_, n->readings);
  if (n->open)
    text_addf(out, "; %zu not settled", n->open);
  if (!n->repairs)
    return;
  text_addf(out, "%s%s repair refuted (%zu of %zu)", out->length ? "; " : "",
            !n->false_repairs                   ? "no"
            : n->false_repairs == n->repairs ? "every"
                                             : "some",
            n->false_repairs, n->repairs);
  if (n->open_repairs)
    text_addf(out, "; %zu not settled", n->open_repairs);
}

void table_write_group(const table_style *s, const char *statement, const char *const *names,
                       const check_result *const *results, size_t count)
{
  bool any = false;
  for (size_t i = 0; i < count; i++)
    any = any || is_shown(s, results[i]);
  if (!any)
    return;
  size_t width = name_width(names, count);
  bool kinds = false; /* are they not all readings? */
  for (size_t i = 0; i < count; i++)
    kinds = kinds || (results[i] && results[i]->claim->kind != CLAIM_READING);
  fprintf(s->out, "%s%s%s\n", s->colour ? "\033[1m" : "", statement, s->colour ? "\033[0m" : "");
  for (size_t i = 0; i < count; i++)
    if (is_shown(s, results[i]))
      write_row(s, names[i], width, kinds, results[i]);
  table_count n = {0};
  for (size_t i = 0; i < count; i++)
    table_count_result(&n, results[i]);
  text line;
  text_init(&line);
  table_print_count(&line, &n);
  if (!s->quiet && line.length)
    fprintf(s->out, "  %s\n", text_string(&line));
  text_clear(&line);
  fputc('\n', s->out);
}

void table_write_totals(const table_style *s, const check_result *const *results, size_t count)
{
  size_t by_verdict[VERDICT_NO_WITNESS + 1] = {0}, missing = 0, expected = 0, unmet = 0;
  for (size_t i = 0; i < count; i++) {
    if (!results[i]) {
      missing++;
      continue;
    }
    by_verdict[results[i]->verdict]++;
    expected += results[i]->expected != NULL;
    unmet += !check_result_as_expected(results[i]);
  }
  if (s->quiet)
    return;
  fprintf(s->out, "%zu claim%s:", count, count == 1 ? "" : "s");
  const char *comma = " ";
  for (int v = 0; v <= VERDICT_NO_WITNESS; v++)
    if (by_verdict[v]) {
      fprintf(s->out, "%s%zu %s", comma, by_verdict[v], verdict_name((verdict)v));
      comma = ", ";
    }
  if (missing)
    fprintf(s->out, "%s%zu not audited", comma, missing);
  fputc('\n', s->out);
  if (expected)
    fprintf(s->out, "%zu of %zu as expected\n", expected - unmet, expected);
}
