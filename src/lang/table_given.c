/* `table NAME from "FILE"`: the lines of a given that it stands for, and the names of its rows and columns as indices. */
#include <stdlib.h>
#include <string.h>

#include "lang/resolve.h"
#include "lang/table.h"

/* What a claim refers to, read once for a library. */
struct syntax_table {
  char *path;
  table *table; /* NULL: it could not be read, which was said */
  table_lines lines[2]; /* rounded, truncated; table NULL until they are asked for */
  node **low[2], **high[2]; /* of each cell, by number */
};

void table_store_clear(syntax_store *s)
{
  for (unsigned i = 0; i < s->tables; i++) {
    syntax_table *t = s->table[i];
    for (int k = 0; k < 2; k++) {
      free(t->low[k]);
      free(t->high[k]);
    }
    free(t->path);
    table_destroy(t->table);
    free(t);
  }
  free(s->table);
}

/* The file `path`; complaints about the file itself stand at `place`. */
static syntax_table *find_table(syntax_reader *r, diag_place place, const char *path)
{
  syntax_store *s = r->store;
  for (unsigned i = 0; i < s->tables; i++)
    if (!strcmp(s->table[i]->path, path))
      return s->table[i];
  s->table = memory_resize(s->table, s->tables + 1, sizeof *s->table);
  syntax_table *t = s->table[s->tables++] = memory_new(1, sizeof *t);
  t->path = memory_copy_string(path);
  diag *quiet = diag_create(NULL, 1);
  diag_source *source = diag_source_read(quiet, path, LIMIT_TABLE_BYTES);
  if (source) {
    t->table = table_read_source(s->d, source);
    if (!t->table)
      diag_note(s->d, place, "read because of this");
  } else {
    const char *why = diag_text(quiet) + strlen("assay: error: ");
    diag_error(s->d, place, "%.*s", (int)strcspn(why, "\n"), why);
  }
  diag_destroy(quiet);
  return t;
}

static node *number_node(syntax_reader *r, diag_place place, const fmpq_t x)
{
  node *n = syntax_node(r, NODE_NUMBER, place, 0);
  n->number = syntax_number(r->store);
  fmpq_abs(n->number, x);
  return fmpq_sgn(x) < 0 ? syntax_unary(r, NODE_NEGATE, place, n) : n;
}

/* The same ends serve every claim that uses the table. */
static void make_ends(syntax_reader *r, diag_place place, syntax_table *t, bool truncated)
{
  const table *f = t->table;
  size_t cells = (size_t)f->rows * f->columns;
  node **low = t->low[truncated] = memory_new(cells, sizeof *low);
  node **high = t->high[truncated] = memory_new(cells, sizeof *high);
  fmpq_t a, b;
  fmpq_init(a);
  fmpq_init(b);
  for (size_t i = 0; i < cells; i++) {
    bool open;
    if (!f->cell[i].printed)
      continue;
    table_interval(a, b, &open, &open, &f->cell[i], truncated);
    low[i] = number_node(r, place, a);
    high[i] = number_node(r, place, b);
  }
  fmpq_clear(a);
  fmpq_clear(b);
  t->lines[truncated] = (table_lines){f, t->path, truncated};
}

static node *whole_node(syntax_reader *r, diag_place place, unsigned value)
{
  node *n = syntax_node(r, NODE_NUMBER, place, 0);
  n->number = syntax_number(r->store);
  fmpq_set_ui(n->number, value, 1);
  return n;
}

void table_declare(syntax_reader *r, diag_place place, const char *name, diag_place file_place, const char *file,
                   bool truncated)
{
  if (r->file->last->family) {
    syntax_error(r, place, "there are no tables where a model family is described");
    return;
  }
  text path;
  text_init(&path);
  syntax_relative_path(&path, r->source->name, file);
  syntax_table *t = find_table(r, file_place, text_string(&path));
  text_clear(&path);
  const table *f = t->table;
  if (!f)
    return;
  if (!f->printed)
    syntax_error(r, file_place, "no number is printed in the table %s", t->path);
  if (!t->low[truncated])
    make_ends(r, place, t, truncated);
  for (unsigned i = 0; i < f->rows && !r->stop; i++)
    for (unsigned j = 0; j < f->columns && !r->stop; j++) {
      const table_cell *c = table_at(f, i, j);
      if (!c->printed)
        continue;
      size_t number = (size_t)i * f->columns + j;
      syntax_list indices = {0};
      declaration *d = syntax_declare(r, DECLARE_GIVEN, place, name);
      syntax_list_add(r->store->region, &indices, syntax_position(r, place, NULL, whole_node(r, place, i + 1), NULL));
      syntax_list_add(r->store->region, &indices, syntax_position(r, place, NULL, whole_node(r, place, j + 1), NULL));
      syntax_set_positions(r, d, &indices);
      d->low = t->low[truncated][number];
      d->high = t->high[truncated][number];
      d->low_open = truncated && c->negative;
      d->high_open = truncated && !c->negative;
      d->table = &t->lines[truncated];
      syntax_add_declaration(r, d);
    }
}

/* ---- indices ---- */

static const table *table_of(const resolver *r, const char *name)
{
  unsigned number;
  if (!names_find_string(r->flat->symbols, &number, name))
    return NULL;
  const declaration *d = r->flat->entry[number].lines.item[0];
  return d->table ? d->table->table : NULL;
}

node *table_resolve_index(resolver *r, const node *element, unsigned position)
{
  const node *raw = element->child[position];
  const table *t = table_of(r, element->name);
  unsigned number;
  const char *near = NULL;
  const char *what = position ? "column" : "row";
  if (!t || position > 1) {
    resolve_error(r, raw->place, "a string names a row or a column of a table, and '%s' is none here", element->name);
    return NULL;
  }
  if (position ? table_find_column(t, &number, &near, raw->name) : table_find_row(t, &number, &near, raw->name)) {
    node *n = memory_region_new(r->store->region, 1, sizeof(node));
    *n = (node){.kind = NODE_NUMBER, .place = raw->place, .number = syntax_number(r->store)};
    fmpq_set_ui(n->number, number + 1, 1);
    tree_complete(n);
    return n;
  }
  if (near)
    resolve_error(r, raw->place, "no %s '%.60s' in the table %s; did you mean '%.60s'?", what, raw->name,
                  t->source->name, near);
  else
    resolve_error(r, raw->place, "no %s '%.60s' in the table %s", what, raw->name, t->source->name);
  return NULL;
}

bool table_check_element(resolver *r, const node *n)
{
  const table *t = table_of(r, n->name);
  int64_t row, column;
  if (!t || n->children != 2 || n->child[0]->kind != NODE_NUMBER || n->child[1]->kind != NODE_NUMBER ||
      !tree_integer(&row, n->child[0], NULL, NULL) || !tree_integer(&column, n->child[1], NULL, NULL))
    return true;
  if (row < 1 || row > t->rows || column < 1 || column > t->columns) {
    resolve_error(r, n->place, "the table %s has %u row%s and %u column%s", t->source->name, t->rows,
                  t->rows == 1 ? "" : "s", t->columns, t->columns == 1 ? "" : "s");
    return false;
  }
  const table_cell *c = table_at(t, (unsigned)row - 1, (unsigned)column - 1);
  if (!c->printed) {
    resolve_error(r, n->place, "no number is printed in row '%.60s' and column '%.60s' of the table %s",
                  t->row[row - 1], t->column[column - 1], t->source->name);
    diag_note(r->store->d, c->place, "here");
  }
  return c->printed;
}
