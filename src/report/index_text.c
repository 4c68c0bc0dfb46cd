/* The index of an audit; the contract is in index_text.h. */
#include "report/index_text.h"

#include <string.h>

#include "report/table_text.h"

enum { WIDTH = 120, INDENT = 4 };

/* Lines as they are, indented. */
static void write_block(FILE *out, const char *s, int indent)
{
  for (size_t length; *s; s += length) {
    length = strcspn(s, "\n");
    fprintf(out, "%*s%.*s\n", length ? indent : 0, "", (int)length, s);
    length += s[length] == '\n';
  }
}

/* Words over as many lines as they need. */
static void write_words(FILE *out, const char *s)
{
  for (size_t column = 0; *(s += strspn(s, " "));) {
    size_t length = strcspn(s, " ");
    if (column && column + 1 + length > WIDTH) {
      fputc('\n', out);
      column = 0;
    }
    column += (size_t)fprintf(out, "%*s%.*s", column ? 1 : INDENT, "", (int)length, s);
    s += length;
  }
  fputc('\n', out);
}

static void write_outcome(FILE *out, const check_result *r)
{
  text detail;
  text_init(&detail);
  table_print_detail(&detail, r);
  if (!r->counterexample && r->reason && *r->reason && strcmp(r->reason, text_string(&detail)) != 0)
    write_words(out, r->reason);
  if (detail.length)
    write_words(out, text_string(&detail));
  text_clear(&detail);
}

static void write_claim(FILE *out, const index_item *x)
{
  const check_result *r = x->result;
  if (!r) {
    fprintf(out, "\n%s  not audited\n", x->name);
    return;
  }
  text outcome;
  text_init(&outcome);
  table_print_verdict(&outcome, r);
  fprintf(out, "\n%s  %s  (%s)\n", x->name, text_string(&outcome), claim_kind_name(r->claim->kind));
  text_clear(&outcome);
  if (r->claim->title)
    write_block(out, r->claim->title, INDENT);
  if (r->claim->comment)
    write_block(out, r->claim->comment, INDENT);
  write_outcome(out, r);
  if (!check_result_as_expected(r))
    fprintf(out, "%*sexpected %s\n", INDENT, "", r->expected);
  if (x->page)
    fprintf(out, "%*sPage: %s\n", INDENT, "", x->page);
}

static void write_heading(FILE *out, const char *statement)
{
  fprintf(out, "%s\n", statement);
  for (size_t i = 0; i < strlen(statement); i++)
    fputc('=', out);
  fputc('\n', out);
}

/* Behind the last item of the statement of item `first`. */
static size_t end_of_group(const index_item *item, size_t first, size_t count)
{
  size_t end = first + 1;
  while (end < count && !strcmp(item[end].statement, item[first].statement))
    end++;
  return end;
}

/* "false under some reading tried (1 of 2)" of items [first, end), with what goes before and behind it; nothing where there is
 * nothing to count. */
static void write_count(FILE *out, const char *before, const index_item *item, size_t first, size_t end)
{
  table_count n = {0};
  for (size_t i = first; i < end; i++)
    table_count_result(&n, item[i].result);
  text line;
  text_init(&line);
  table_print_count(&line, &n);
  if (line.length)
    fprintf(out, "%s%s\n", before, text_string(&line));
  text_clear(&line);
}

/* The statements, where there are several. */
static void write_contents(FILE *out, const index_item *item, size_t count)
{
  if (count == 0 || end_of_group(item, 0, count) == count)
    return;
  for (size_t i = 0, end; i < count; i = end) {
    end = end_of_group(item, i, count);
    fprintf(out, "%s\n", item[i].statement);
    write_count(out, "    ", item, i, end);
  }
  fputs("\n\n", out);
}

void index_write(FILE *out, const index_item *item, size_t count)
{
  write_contents(out, item, count);
  const char *preface = NULL; /* the one written last */
  for (size_t first = 0, end; first < count; first = end) {
    end = end_of_group(item, first, count);
    write_heading(out, item[first].statement);
    for (size_t i = first; i < end; i++) {
      const claim *c = item[i].result ? item[i].result->claim : NULL;
      if (c && c->preface && c->preface != preface) {
        fputc('\n', out);
        write_block(out, c->preface, 0);
        preface = c->preface;
      }
      write_claim(out, &item[i]);
    }
    write_count(out, "\n", item, first, end);
    fputs(end < count ? "\n\n" : "", out);
  }
}
