/* The numbers of a table as JSON. */
#include <stdlib.h>

#include "core/memory.h"
#include "report/cells.h"
#include "report/json_make.h"

static json_t *end_value(const fmpq_t x)
{
  text t;
  text_init(&t);
  cells_print_end(&t, x);
  json_t *value = json_make_string(text_string(&t));
  text_clear(&t);
  return value;
}

static json_t *exact_value(const fmpq *x)
{
  if (!x)
    return json_make_string(NULL);
  char *s = fmpq_get_str(NULL, 10, x);
  json_t *value = json_make_string(s);
  flint_free(s);
  return value;
}

static void put_interval(json_t *object, const table_cell *c, bool truncated)
{
  fmpq_t low, high;
  bool low_open, high_open;
  fmpq_init(low);
  fmpq_init(high);
  table_interval(low, high, &low_open, &high_open, c, truncated);
  json_put(object, "low", end_value(low));
  json_put(object, "high", end_value(high));
  json_put(object, "low_open", json_boolean(low_open));
  json_put(object, "high_open", json_boolean(high_open));
  fmpq_clear(low);
  fmpq_clear(high);
}

static json_t *marks_value(const cells_report *r, unsigned row, unsigned column)
{
  json_t *array = json_make_array();
  for (size_t i = 0; i < r->uses; i++) {
    const cells_use *u = &r->use[i];
    if (!cells_takes(u, row, column))
      continue;
    cells_mark *mark;
    size_t marks = cells_marks(&mark, u, row, column);
    for (size_t k = 0; k < marks; k++) {
      json_t *object = json_make_object();
      json_put(object, "claim", json_make_count(i));
      json_put(object, "label", json_make_string(mark[k].label));
      json_put(object, "verdict", json_make_string(verdict_name(mark[k].verdict)));
      json_put(object, "value", exact_value(mark[k].value));
      json_put(object, "low_multiplier", exact_value(mark[k].low));
      json_put(object, "high_multiplier", exact_value(mark[k].high));
      json_push(array, object);
    }
    free(mark);
  }
  return array;
}

static json_t *cell_value(const cells_report *r, unsigned row, unsigned column)
{
  const table_cell *c = table_at(r->table, row, column);
  json_t *object = json_make_object();
  json_put(object, "row", json_make_string(r->table->row[row]));
  json_put(object, "column", json_make_string(r->table->column[column]));
  json_put(object, "text", json_make_string(c->text));
  json_put(object, "printed", json_boolean(c->printed));
  if (c->printed) {
    put_interval(object, c, false);
    json_put(object, "marks", marks_value(r, row, column));
  }
  return object;
}

static json_t *claim_value(const cells_use *u)
{
  const check_result *r = u->result;
  json_t *object = json_make_object(), *lines = json_make_array();
  json_put(object, "name", json_make_string(r->claim->name));
  json_put(object, "file", json_make_string(r->file));
  json_put(object, "title", json_make_string(r->claim->title));
  json_put(object, "statement", json_make_string(r->claim->cite));
  json_put(object, "table", json_make_string(u->given->name));
  json_put(object, "truncated", json_boolean(u->given->table->truncated));
  json_put(object, "numbers", json_make_count(u->given->lines));
  json_put(object, "verdict", json_make_string(verdict_name(r->verdict)));
  json_put(object, "reason", json_make_string(r->reason));
  for (size_t k = 0; k < r->possibles; k++) {
    json_t *line = json_make_object();
    json_put(line, "label", json_make_string(r->possible[k].label));
    json_put(line, "verdict", json_make_string(verdict_name(r->possible[k].verdict)));
    json_push(lines, line);
  }
  json_put(object, "lines", lines);
  return object;
}

json_t *cells_json_create(const cells_report *r)
{
  const table *t = r->table;
  json_t *root = json_make_object(), *claims = json_make_array(), *cells = json_make_array();
  json_put(root, "schema", json_make_string(CELLS_SCHEMA));
  json_put(root, "file", json_make_string(r->file));
  json_put(root, "title", json_make_string(t->title));
  json_put(root, "source", json_make_string(t->cite));
  json_put(root, "rows", json_make_count(t->rows));
  json_put(root, "columns", json_make_count(t->columns));
  for (size_t i = 0; i < r->uses; i++)
    json_push(claims, claim_value(&r->use[i]));
  json_put(root, "claims", claims);
  for (unsigned i = 0; i < t->rows; i++)
    for (unsigned j = 0; j < t->columns; j++)
      json_push(cells, cell_value(r, i, j));
  json_put(root, "cells", cells);
  return root;
}
