/* Recall and robustness for people. */
#include <stdlib.h>

#include "report/columns.h"
#include "report/measure_text.h"

enum { DIGITS = 5 };

static void add_head(columns *c, const char *const *head, unsigned count)
{
  columns_init(c, count);
  for (unsigned i = 0; i < count; i++)
    columns_add(c, "%s", head[i]);
}

static void add_share(columns *c, const recall_tally *t)
{
  if (t->asked)
    columns_add(c, "%.2f %%", 100.0 * (double)t->right / (double)t->asked);
  else
    columns_add(c, "-");
}

static void add_interval(columns *c, const recall_tally *t)
{
  double lower, upper;
  recall_interval(&lower, &upper, t);
  if (t->asked)
    columns_add(c, "[%.2f, %.2f]", 100 * lower, 100 * upper);
  else
    columns_add(c, "-");
}

static void write_by_pairs(FILE *out, const measure_report *report)
{
  static const char *const head[] = {"pairs", "queries", "right", "accuracy", "95 % interval"};
  columns c;
  add_head(&c, head, sizeof head / sizeof *head);
  for (size_t i = 0; i < report->recalls; i++) {
    const recall_result *r = &report->recall[i];
    columns_add(&c, "%zu", r->task.pairs);
    columns_add(&c, "%llu", (unsigned long long)r->clean.asked);
    columns_add(&c, "%llu", (unsigned long long)r->clean.right);
    add_share(&c, &r->clean);
    add_interval(&c, &r->clean);
  }
  columns_write(out, &c, 2);
  columns_clear(&c);
}

static void write_by_distance(FILE *out, const measure_report *report)
{
  static const char *const head[] = {"pairs", "distance", "queries", "accuracy", "95 % interval"};
  columns c;
  add_head(&c, head, sizeof head / sizeof *head);
  for (size_t i = 0; i < report->recalls; i++)
    for (int k = 0; k < RECALL_BINS; k++) {
      const recall_tally *t = &report->recall[i].distance[k];
      if (!t->asked)
        continue;
      columns_add(&c, "%zu", report->recall[i].task.pairs);
      columns_add(&c, "%llu..%llu", 1ULL << k, (2ULL << k) - 1);
      columns_add(&c, "%llu", (unsigned long long)t->asked);
      add_share(&c, t);
      add_interval(&c, t);
    }
  fputs("\nby the distance from the key to its query, in tokens\n", out);
  columns_write(out, &c, 2);
  columns_clear(&c);
}

static void write_by_window(FILE *out, const measure_report *report)
{
  static const char *const head[] = {"pairs", "window", "accuracy", "queries intact", "their accuracy", "95 % interval"};
  columns c;
  add_head(&c, head, sizeof head / sizeof *head);
  bool any = false;
  for (size_t i = 0; i < report->recalls; i++) {
    const recall_result *r = &report->recall[i];
    for (size_t w = 0; w < r->windows; w++) {
      char name[CORRUPTION_NAME];
      corruption_name(name, &r->window[w]);
      any = true;
      columns_add(&c, "%zu", r->task.pairs);
      columns_add(&c, "%s", name);
      add_share(&c, &r->all[w]);
      columns_add(&c, "%llu", (unsigned long long)r->intact[w].asked);
      add_share(&c, &r->intact[w]);
      add_interval(&c, &r->intact[w]);
    }
  }
  if (any) {
    fputs("\nwith a window of tokens replaced by random ones; intact: key, value and query lie outside\n", out);
    columns_write(out, &c, 2);
  }
  columns_clear(&c);
}

void recall_text_write(FILE *out, const measure_report *report)
{
  const mqar_options *task = &report->recall[0].task;
  uint64_t broken = 0;
  for (size_t i = 0; i < report->recalls; i++)
    broken += report->recall[i].clean.broken;
  fprintf(out, "\nAssociative recall: %llu sequences of %zu tokens for each number of pairs, vocabulary %llu\n",
          (unsigned long long)report->recall[0].examples, task->length, (unsigned long long)task->vocabulary);
  write_by_pairs(out, report);
  if (broken)
    fprintf(out, "  %llu queries met a logit that is no number\n", (unsigned long long)broken);
  write_by_distance(out, report);
  write_by_window(out, report);
}

/* ---- robustness ---- */

static void add_mean(columns *c, const measured *m)
{
  columns_take(c, measure_text_number(measured_mean(m), DIGITS));
}

static void add_place(columns *c, const robustness_place *p, bool logits)
{
  add_mean(c, &p->change);
  if (!logits)
    return;
  add_mean(c, &p->divergence);
  if (p->agreement.count)
    columns_add(c, "%.2f %%", 100 * measured_mean(&p->agreement));
  else
    columns_add(c, "-");
}

void robustness_text_write(FILE *out, const measure_report *report)
{
  const robustness_report *r = report->robustness;
  static const char *const full[] = {"window", "replaced", "last: change", "KL", "same", "behind: change", "KL", "same", "pooled"};
  static const char *const bare[] = {"window", "replaced", "last: change", "behind: change", "pooled"};
  columns c;
  add_head(&c, r->has_logits ? full : bare, r->has_logits ? 9 : 5);
  for (size_t w = 0; w < r->windows; w++) {
    const robustness_row *row = &r->row[w];
    char name[CORRUPTION_NAME];
    corruption_name(name, &row->window);
    columns_add(&c, "%s", name);
    columns_add(&c, "%llu", (unsigned long long)row->replaced);
    add_place(&c, &row->last, r->has_logits);
    add_place(&c, &row->behind, r->has_logits);
    add_mean(&c, &row->pooled);
  }
  fprintf(out,
          "\nRobustness over %llu sequence%s: a window of tokens replaced by noise, and the relative change of the hidden state\n"
          "behind the final norm: at the last token, in the mean at the tokens behind the window, and of the mean over all\n"
          "tokens (pooled)%s\n",
          (unsigned long long)r->sequences, r->sequences == 1 ? "" : "s",
          r->has_logits ? ". KL: divergence of the next token's distribution, in nats; same: how often its likeliest token stays" : "");
  columns_write(out, &c, 2);
  columns_clear(&c);
}
