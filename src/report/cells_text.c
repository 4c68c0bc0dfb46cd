/* The numbers of a table as text. */
#include <stdlib.h>
#include <string.h>

#include "report/cells.h"
#include "report/instance_text.h"

enum { MOST_VALUE = 20, WIDEST_NAME = 50 };

static void write_head(FILE *out, const cells_report *r)
{
  const table *t = r->table;
  fprintf(out, "%s: %u row%s, %u column%s, %u number%s\n", r->file, t->rows, t->rows == 1 ? "" : "s", t->columns,
          t->columns == 1 ? "" : "s", t->printed, t->printed == 1 ? "" : "s");
  if (t->title)
    fprintf(out, "  %s\n", t->title);
  if (t->cite)
    fprintf(out, "  %s\n", t->cite);
  size_t counts[VERDICT_NO_WITNESS + 1] = {0};
  for (size_t i = 0; i < r->uses; i++)
    counts[r->use[i].result->verdict]++;
  fprintf(out, "  %zu claim%s", r->uses, r->uses == 1 ? "" : "s");
  const char *before = ": ";
  for (int v = 0; v <= VERDICT_NO_WITNESS; v++)
    if (counts[v]) {
      fprintf(out, "%s%zu %s", before, counts[v], verdict_name((verdict)v));
      before = ", ";
    }
  fputs(r->uses ? "\n" : ": none of those that were looked at uses this file\n", out);
}

/* What the claims say, before what they made of each number. */
static void write_claims(FILE *out, const cells_report *r, int width)
{
  for (size_t i = 0; i < r->uses; i++) {
    const check_result *x = r->use[i].result;
    const char *title = x->claim->title;
    fprintf(out, "%s  %-*s  ", i ? "" : "\n", width, x->claim->name);
    fprintf(out, title ? "%-10s  %s\n" : "%s\n", verdict_name(x->verdict), title);
  }
}

static void print_interval(text *out, const table_cell *c, bool truncated)
{
  fmpq_t low, high;
  bool low_open, high_open;
  fmpq_init(low);
  fmpq_init(high);
  table_interval(low, high, &low_open, &high_open, c, truncated);
  text_add_char(out, low_open ? '(' : '[');
  cells_print_end(out, low);
  text_add(out, ", ");
  cells_print_end(out, high);
  text_add_char(out, high_open ? ')' : ']');
  fmpq_clear(low);
  fmpq_clear(high);
}

/* "with 88.7", "by its lower end, times 2"; nothing where the number plays no part. */
static void print_part(text *out, const cells_mark *m)
{
  if (m->value) {
    text_add(out, "  with ");
    number_print(out, m->value, MOST_VALUE);
  }
  const char *before = "  by its ";
  for (int end = 0; end < 2; end++) {
    const fmpq *x = end ? m->high : m->low;
    if (!x)
      continue;
    text_addf(out, "%s%s end", before, end ? "upper" : "lower");
    if (!fmpq_is_one(x)) {
      text_add(out, ", times ");
      number_print(out, x, MOST_VALUE);
    }
    before = " and its ";
  }
}

static int widest_name(const cells_report *r)
{
  size_t widest = 0;
  for (size_t i = 0; i < r->uses; i++) {
    size_t n = strlen(r->use[i].result->claim->name);
    widest = n > widest && n <= WIDEST_NAME ? n : widest;
  }
  return (int)widest;
}

static void write_marks(FILE *out, const cells_report *r, unsigned row, unsigned column, int width)
{
  for (size_t i = 0; i < r->uses; i++) {
    const cells_use *u = &r->use[i];
    if (!cells_takes(u, row, column))
      continue;
    cells_mark *mark;
    size_t marks = cells_marks(&mark, u, row, column);
    for (size_t k = 0; k < marks; k++) {
      text line;
      text_init(&line);
      text_addf(&line, "  %-*s  %s%s%s", width, u->result->claim->name, mark[k].label ? mark[k].label : "",
                mark[k].label ? ": " : "", verdict_name(mark[k].verdict));
      if (u->given->table->truncated) {
        text_add(&line, " of ");
        print_interval(&line, table_at(r->table, row, column), true);
      }
      print_part(&line, &mark[k]);
      fprintf(out, "%s\n", text_string(&line));
      text_clear(&line);
    }
    free(mark);
  }
}

void cells_text_write(FILE *out, const cells_report *r)
{
  const table *t = r->table;
  int width = widest_name(r);
  write_head(out, r);
  write_claims(out, r, width);
  for (unsigned i = 0; i < t->rows; i++)
    for (unsigned j = 0; j < t->columns; j++) {
      const table_cell *c = table_at(t, i, j);
      fprintf(out, "\n%s, %s: ", t->row[i], t->column[j]);
      if (!c->printed) {
        fprintf(out, "%s%snot printed\n", c->text, *c->text ? " " : "");
        continue;
      }
      text line;
      text_init(&line);
      print_interval(&line, c, false);
      fprintf(out, "%s in %s\n", c->text, text_string(&line));
      text_clear(&line);
      write_marks(out, r, i, j, width);
    }
}
