/* Reading tables of printed numbers. */
#include "lang/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "core/text.h"
#include "lang/literal.h"
#include "lang/names.h"
#include "lang/syntax.h"

typedef struct {
  char *text; /* owned until it is handed on */
  diag_place place;
} field;

typedef struct {
  diag *d;
  table *t;
  diag_place at;
  bool bad; /* what follows cannot be read */
  field *field; /* of the row underway */
  unsigned fields, capacity;
  unsigned room; /* rows that the table has memory for */
  names *rows, *columns;
} reader;

enum { MOST_ERRORS = 20, MOST_EXPONENT_DIGITS = 3 };

/* ---- characters ---- */

static bool at_end(const reader *r)
{
  return r->at.offset >= r->t->source->length;
}

static char here(const reader *r)
{
  return at_end(r) ? '\0' : r->t->source->text[r->at.offset];
}

static void step(reader *r)
{
  char c = r->t->source->text[r->at.offset++];
  if (c == '\n') {
    r->at.line++;
    r->at.column = 1;
  } else if (at_end(r) || ((unsigned char)here(r) & 0xC0) != 0x80)
    r->at.column++;
}

/* At the end of a line, or of the file? A carriage return counts before a line feed only. */
static bool at_line_end(const reader *r)
{
  const char *s = r->t->source->text + r->at.offset; /* a NUL stands behind the text */
  return at_end(r) || *s == '\n' || (*s == '\r' && s[1] == '\n');
}

static void end_line(reader *r)
{
  if (here(r) == '\r')
    step(r);
  if (!at_end(r))
    step(r);
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static void skip_blanks(reader *r)
{
  while (is_blank(here(r)))
    step(r);
}

__attribute__((format(printf, 3, 4))) static void complain(reader *r, diag_place place, const char *format, ...)
{
  char message[600];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  diag_error(r->d, place, "%s", message);
  if (diag_errors(r->d) >= MOST_ERRORS)
    r->bad = true;
}

/* ---- fields and rows ---- */

static void add_field(reader *r, text *s, diag_place place)
{
  if (s->length > LIMIT_TABLE_FIELD && !r->bad) {
    complain(r, place, "a field of more than %d bytes", LIMIT_TABLE_FIELD);
    r->bad = true;
  }
  if (r->fields == r->capacity) {
    r->capacity = r->capacity ? 2 * r->capacity : 16;
    r->field = memory_resize(r->field, r->capacity, sizeof *r->field);
  }
  r->field[r->fields++] = (field){s->length ? text_take(s) : memory_copy_string(""), place};
  text_clear(s);
}

static void clear_fields(reader *r)
{
  for (unsigned i = 0; i < r->fields; i++)
    free(r->field[i].text);
  r->fields = 0;
}

/* What stands between quotes; the reader is at the first. */
static void read_quoted(reader *r, text *s)
{
  diag_place open = r->at;
  step(r);
  for (;; step(r)) {
    if (at_end(r)) {
      complain(r, open, "a quote that is never closed");
      r->bad = true;
      return;
    }
    if (here(r) == '"') {
      step(r);
      if (here(r) != '"')
        break;
    }
    text_add_char(s, here(r));
  }
  skip_blanks(r);
  if (!r->bad && here(r) != ',' && !at_line_end(r)) {
    complain(r, r->at, "something behind a closing quote; a quote within a quoted field is doubled");
    r->bad = true;
  }
}

static void read_plain(reader *r, text *s)
{
  size_t last = 0;
  for (; here(r) != ',' && !at_line_end(r); step(r)) {
    if (here(r) == '"' && !r->bad) {
      complain(r, r->at, "a quote within a field that does not begin with one");
      r->bad = true;
    }
    text_add_char(s, here(r));
    if (!is_blank(here(r)))
      last = s->length;
  }
  if (s->length) {
    s->length = last;
    s->data[last] = '\0';
  }
}

/* The fields of one row. */
static void read_row(reader *r)
{
  clear_fields(r);
  for (bool more = true; more && !r->bad;) {
    text s;
    text_init(&s);
    skip_blanks(r);
    diag_place place = r->at;
    if (here(r) == '"')
      read_quoted(r, &s);
    else
      read_plain(r, &s);
    add_field(r, &s, place);
    if (r->fields > LIMIT_TABLE_COLUMNS && !r->bad) {
      complain(r, place, "more than %d columns", LIMIT_TABLE_COLUMNS);
      r->bad = true;
    }
    more = here(r) == ',';
    if (more)
      step(r);
  }
  end_line(r);
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static const char *after_digits(const char *s)
{
  while (is_digit(*s))
    s++;
  return s;
}

static bool is_dash(const char *s)
{
  return !strcmp(s, "-") || !strcmp(s, "\xE2\x80\x93") || !strcmp(s, "\xE2\x80\x94") || !strcmp(s, "\xE2\x88\x92");
}

/* Sets what is known of a printed number; returns NULL, or what is wrong with it. */
static const char *read_number(table_cell *c)
{
  static const char wrong[] = "is neither a number as printed nor a dash";
  const char *s = c->text, *minus = "\xE2\x88\x92";
  c->negative = *s == '-' || !strncmp(s, minus, strlen(minus));
  s += *s == '-' || *s == '+' ? 1 : c->negative ? strlen(minus) : 0;
  const char *point = after_digits(s), *end = point;
  size_t digits = (size_t)(point - s), places = 0;
  if (*point == '.') {
    end = after_digits(point + 1);
    places = (size_t)(end - point - 1);
    if (!places)
      return digits ? "ends in a point" : wrong;
  }
  if (!digits && !places)
    return wrong;
  if (*end == 'e' || *end == 'E') {
    const char *exponent = end + 1;
    exponent += *exponent == '-' || *exponent == '+';
    const char *last = after_digits(exponent);
    if (*last || last == exponent)
      return wrong;
    if (last - exponent > MOST_EXPONENT_DIGITS)
      return "has too large an exponent";
  } else if (*end)
    return wrong;
  text t;
  text_init(&t);
  text_addf(&t, "0%s", s);
  const char *why = literal_read(c->value, text_string(&t), t.length);
  text_clear(&t);
  text_addf(&t, "1e-%zu", places);
  why = why ? why : literal_read(c->unit, text_string(&t), t.length);
  text_clear(&t);
  if (!why && *end) {
    fmpq_t scale;
    fmpq_init(scale);
    text_addf(&t, "1%s", end);
    why = literal_read(scale, text_string(&t), t.length);
    fmpq_mul(c->unit, c->unit, scale);
    fmpq_clear(scale);
    text_clear(&t);
  }
  if (c->negative)
    fmpq_neg(c->value, c->value);
  return why ? wrong : NULL;
}

/* ---- rows ---- */

static char *take(field *f)
{
  char *s = f->text;
  f->text = NULL;
  return s;
}

/* Whether a name is there and new. */
static bool check_name(reader *r, names *seen, const field *f, unsigned number, const char *what)
{
  unsigned other;
  if (!*f->text)
    complain(r, f->place, "a %s without a name", what);
  else if (strpbrk(f->text, "\r\n"))
    complain(r, f->place, "a %s with a name of several lines", what);
  else if (names_find_string(seen, &other, f->text))
    complain(r, f->place, "a second %s '%s'", what, f->text);
  else {
    names_put_string(seen, f->text, number);
    return true;
  }
  return false;
}

static void read_header(reader *r)
{
  table *t = r->t;
  diag_place begin = r->at;
  read_row(r);
  if (r->bad)
    return;
  if (r->fields < 2) {
    complain(r, begin, "a header without columns");
    r->bad = true;
    return;
  }
  t->columns = r->fields - 1;
  t->column = memory_new(t->columns, sizeof *t->column);
  for (unsigned i = 0; i < t->columns; i++) {
    check_name(r, r->columns, &r->field[i + 1], i, "column");
    t->column[i] = take(&r->field[i + 1]);
  }
}

static void add_cell(reader *r, table_cell *c, field *f)
{
  c->place = f->place;
  c->text = take(f);
  fmpq_init(c->value);
  fmpq_init(c->unit);
  if (!*c->text || is_dash(c->text))
    return;
  const char *wrong = read_number(c);
  if (wrong)
    complain(r, c->place, "'%.60s' %s", c->text, wrong);
  c->printed = !wrong;
  r->t->printed += c->printed;
}

static void read_body_row(reader *r)
{
  table *t = r->t;
  diag_place begin = r->at;
  if (here(r) == '#') {
    complain(r, begin, "a comment behind the header; comments stand before it, and the name of a row that begins with # "
                       "between quotes");
    r->bad = true;
    return;
  }
  read_row(r);
  if (r->bad)
    return;
  if (r->fields != t->columns + 1) {
    complain(r, begin, "a row of %u field%s under a header of %u", r->fields, r->fields == 1 ? "" : "s", t->columns + 1);
    return;
  }
  if ((size_t)(t->rows + 1) * t->columns > LIMIT_TABLE_CELLS) {
    complain(r, begin, "more than %d cells", LIMIT_TABLE_CELLS);
    r->bad = true;
    return;
  }
  if (t->rows == r->room) {
    r->room = r->room ? 2 * r->room : 16;
    t->row = memory_resize(t->row, r->room, sizeof *t->row);
    t->cell = memory_resize(t->cell, (size_t)r->room * t->columns, sizeof *t->cell);
  }
  table_cell *cell = t->cell + (size_t)t->rows * t->columns;
  memset(cell, 0, t->columns * sizeof *cell);
  check_name(r, r->rows, &r->field[0], t->rows, "row");
  t->row[t->rows++] = take(&r->field[0]);
  for (unsigned i = 0; i < t->columns; i++)
    add_cell(r, &cell[i], &r->field[i + 1]);
}

/* ---- the file ---- */

/* `# WORD: TEXT` of a comment, into *value if nothing is there yet. */
static void take_remark(char **value, const char *line, size_t length, const char *word)
{
  size_t n = strlen(word);
  while (length && is_blank(*line)) {
    line++;
    length--;
  }
  if (*value || length <= n || strncmp(line, word, n) != 0)
    return;
  for (line += n, length -= n; length && is_blank(*line); length--)
    line++;
  while (length && (is_blank(line[length - 1]) || line[length - 1] == '\r'))
    length--;
  text t;
  text_init(&t);
  text_add_bytes(&t, line, length);
  *value = length ? text_take(&t) : NULL;
  text_clear(&t);
}

/* Passes over lines that are empty, and with `comments` over those too; false at the end of the file. */
static bool next_line(reader *r, bool comments)
{
  for (;;) {
    skip_blanks(r);
    if (at_end(r))
      return false;
    if (comments && here(r) == '#') {
      const char *line = r->t->source->text + r->at.offset + 1;
      while (!at_line_end(r))
        step(r);
      size_t length = (size_t)(r->t->source->text + r->at.offset - line);
      take_remark(&r->t->title, line, length, "title:");
      take_remark(&r->t->cite, line, length, "source:");
    } else if (!at_line_end(r))
      return true;
    end_line(r);
  }
}

static void read_all(reader *r)
{
  if (!next_line(r, true)) {
    complain(r, r->at, "no table in this file: it has no header");
    return;
  }
  read_header(r);
  unsigned before = diag_errors(r->d);
  while (!r->bad && next_line(r, false))
    read_body_row(r);
  if (!r->bad && !r->t->rows && diag_errors(r->d) == before)
    complain(r, r->at, "no table in this file: there is no row below its header");
}

table *table_read_source(diag *d, diag_source *source)
{
  unsigned before = diag_errors(d);
  table *t = memory_new(1, sizeof *t);
  size_t skip;
  t->source = source;
  if (syntax_check_text(d, source, &skip, "a table")) {
    reader r = {.d = d, .t = t, .at = {source, skip, 1, 1}, .rows = names_create(), .columns = names_create()};
    read_all(&r);
    clear_fields(&r);
    free(r.field);
    names_destroy(r.rows);
    names_destroy(r.columns);
  }
  if (diag_errors(d) == before)
    return t;
  table_destroy(t);
  return NULL;
}

table *table_read(diag *d, const char *path)
{
  diag_source *source = diag_source_read(d, path, LIMIT_TABLE_BYTES);
  return source ? table_read_source(d, source) : NULL;
}

void table_destroy(table *t)
{
  if (!t)
    return;
  for (size_t i = 0; i < (size_t)t->rows * t->columns; i++) {
    free(t->cell[i].text);
    fmpq_clear(t->cell[i].value);
    fmpq_clear(t->cell[i].unit);
  }
  for (unsigned i = 0; i < t->rows; i++)
    free(t->row[i]);
  for (unsigned i = 0; i < t->columns; i++)
    free(t->column[i]);
  free(t->row);
  free(t->column);
  free(t->cell);
  free(t->title);
  free(t->cite);
  diag_source_destroy(t->source);
  free(t);
}

const table_cell *table_at(const table *t, unsigned row, unsigned column)
{
  return &t->cell[(size_t)row * t->columns + column];
}

static bool find(unsigned *number, const char **near, char *const *name, unsigned count, const char *wanted)
{
  names_nearest nearest = names_nearest_start(wanted);
  for (unsigned i = 0; i < count; i++) {
    if (!strcmp(name[i], wanted)) {
      *number = i;
      return true;
    }
    names_nearest_offer(&nearest, name[i]);
  }
  *near = nearest.best;
  return false;
}

bool table_find_row(const table *t, unsigned *row, const char **near, const char *name)
{
  return find(row, near, t->row, t->rows, name);
}

bool table_find_column(const table *t, unsigned *column, const char **near, const char *name)
{
  return find(column, near, t->column, t->columns, name);
}

void table_interval(fmpq_t low, fmpq_t high, bool *low_open, bool *high_open, const table_cell *c, bool truncated)
{
  fmpq_t width;
  fmpq_init(width);
  fmpq_set(width, c->unit);
  if (!truncated)
    fmpq_div_2exp(width, width, 1);
  *low_open = truncated && c->negative;
  *high_open = truncated && !c->negative;
  if (truncated && !c->negative)
    fmpq_set(low, c->value);
  else
    fmpq_sub(low, c->value, width);
  if (truncated && c->negative)
    fmpq_set(high, c->value);
  else
    fmpq_add(high, c->value, width);
  fmpq_clear(width);
}
