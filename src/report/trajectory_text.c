/* What claims came to on trajectories, for people. */
#include "report/trajectory_text.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/dump.h"
#include "report/claim_table_text.h"
#include "report/decimal.h"

enum { DIGITS = 4 };

static unsigned long long number(uint64_t n)
{
  return n;
}

char *trajectory_least(const trajectory_answer *a, int kind, int digits)
{
  const trajectory_slack *s = &a->slack[kind];
  if (!s->known)
    return NULL;
  arf_t low;
  arf_init(low);
  arb_get_lbound_arf(low, s->difference, 64);
  if (arf_cmp(a->table.slack[kind].low, low) < 0)
    arf_set(low, a->table.slack[kind].low);
  char *shown = decimal_toward(low, digits, false);
  arf_clear(low);
  return shown;
}

static void write_place(FILE *out, const trajectory_report *r, const trajectory_place *p)
{
  if (r->sequences > 1)
    fprintf(out, "sequence %zu, ", p->sequence);
  fprintf(out, "channel %zu, state %zu", p->channel, p->state);
  if (p->token)
    fprintf(out, ", token %zu", p->token);
}

static void write_slack(FILE *out, const trajectory_report *r, const char *name, const trajectory_slack *s, const char *when)
{
  if (!s->known)
    return;
  char *shown = decimal_ball(s->difference, DIGITS);
  fprintf(out, "  %s: smallest slack where the hypotheses are %s: %s in %s%s%s, ", name, when, shown, s->label,
          *s->at ? " at " : "", s->at);
  write_place(out, r, &s->place);
  if (s->has_ratio) {
    char *ratio = decimal_ball(s->ratio, DIGITS);
    fprintf(out, "; smaller / greater side %s", ratio);
    free(ratio);
  }
  fputc('\n', out);
  free(shown);
}

static void write_notes(FILE *out, const trajectory_report *r, const trajectory_layer *l, const trajectory_answer *a)
{
  char *name = dump_quote(l->name);
  claim_table_text_failures(out, name, &a->table);
  if (a->table.refuted != CLAIM_NOWHERE) {
    fprintf(out, "  %s: the conclusion is false though every hypothesis is true, first in ", name);
    write_place(out, r, &a->refuted);
    fputc('\n', out);
  }
  write_slack(out, r, name, &a->slack[CLAIM_TRUE], "true");
  write_slack(out, r, name, &a->slack[CLAIM_FALSE], "false");
  free(name);
}

static bool was_asked(const trajectory_answer *a)
{
  return !a->reason && a->table.labels > 0;
}

static void write_claim(FILE *out, const trajectory_report *r, size_t k)
{
  columns c;
  columns_init(&c, 6);
  claim_table_text_head(&c);
  columns_add(&c, "%s", "slack >=");
  const char *reason = NULL;
  bool any = false;
  for (size_t j = 0; j < r->layers; j++) {
    const trajectory_answer *a = &r->layer[j].answer[k];
    reason = a->reason ? a->reason : reason;
    if (!was_asked(a))
      continue;
    char *least[2] = {trajectory_least(a, CLAIM_TRUE, DIGITS), trajectory_least(a, CLAIM_FALSE, DIGITS)};
    const char *const more[CLAIM_OUTCOMES] = {least[0] ? least[0] : "-", least[1] ? least[1] : "-", "-"};
    claim_table_text_rows(&c, dump_quote(r->layer[j].name), &a->table, more);
    free(least[0]);
    free(least[1]);
    any = true;
  }
  if (any) {
    fprintf(out, "\nClaim %s, asked of each trajectory\n", r->claim[k].claim->name);
    columns_write(out, &c, 2);
    for (size_t j = 0; j < r->layers; j++)
      if (was_asked(&r->layer[j].answer[k]))
        write_notes(out, r, &r->layer[j], &r->layer[j].answer[k]);
  }
  columns_clear(&c);
  if (reason)
    fprintf(out, "%sNot asked%s: %s\n", any ? "" : "\n", any ? " of every layer" : "", reason);
}

void trajectory_text_write(FILE *out, const trajectory_report *r)
{
  char *file = dump_quote(r->file);
  fprintf(out,
          "model %s: %zu sequence%s, %llu token%s, %zu layer%s; a trajectory is what one state of one channel went through\n", file, r->sequences, r->sequences == 1 ? "" : "s", number(r->tokens), r->tokens == 1 ? "" : "s", r->layers,
          r->layers == 1 ? "" : "s");
  free(file);
  if (r->interrupted)
    fputs("stopped early: what follows is said of less\n", out);
  for (size_t k = 0; k < r->claims; k++)
    write_claim(out, r, k);
  fputc('\n', out);
}
