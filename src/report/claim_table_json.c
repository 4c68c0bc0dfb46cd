/* The table of a claim that was asked of many instances, for programs. */
#include "report/claim_table_json.h"

#include "report/json_make.h"

void claim_table_json_put(json_t *object, const claim_table *t)
{
  static const char *const word[CLAIM_OUTCOMES] = {"true", "false", "unknown"};
  json_t *rows = json_make_object(), *failing = json_make_object();
  for (int h = 0; h < CLAIM_OUTCOMES; h++) {
    json_t *row = json_make_object();
    for (int s = 0; s < CLAIM_OUTCOMES; s++)
      json_put(row, word[s], json_make_count(t->count[h][s]));
    json_put(rows, word[h], row);
  }
  json_put(object, "hypotheses", rows);
  for (size_t i = 0; i < t->labels; i++)
    if (t->failures[i])
      json_put(failing, t->label[i], json_make_count(t->failures[i]));
  json_put(object, "failing", failing);
}
