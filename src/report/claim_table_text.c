/* The table of a claim that was asked of many instances, for people. */
#include "report/claim_table_text.h"

static unsigned long long number(uint64_t n)
{
  return n;
}

void claim_table_text_head(columns *c)
{
  static const char *const head[] = {"layer", "hypotheses", "conclusion true", "false", "unknown"};
  for (int i = 0; i < 5; i++)
    columns_add(c, "%s", head[i]);
}

void claim_table_text_rows(columns *c, char *name, const claim_table *t, const char *const *more)
{
  static const char *const word[CLAIM_OUTCOMES] = {"true", "false", "unknown"};
  for (int h = 0; h < CLAIM_OUTCOMES; h++) {
    if (h == 0)
      columns_take(c, name);
    else
      columns_add(c, "%s", "");
    columns_add(c, "%s", word[h]);
    for (int s = 0; s < CLAIM_OUTCOMES; s++)
      columns_add(c, "%llu", number(t->count[h][s]));
    if (more)
      columns_add(c, "%s", more[h]);
  }
}

void claim_table_text_failures(FILE *out, const char *name, const claim_table *t)
{
  const char *before = ": false";
  for (size_t i = 0; i < t->labels; i++) {
    if (!t->failures[i])
      continue;
    if (*before == ':')
      fprintf(out, "  %s", name);
    fprintf(out, "%s %s in %llu", before, t->label[i], number(t->failures[i]));
    before = ",";
  }
  if (*before == ',')
    fputc('\n', out);
}
