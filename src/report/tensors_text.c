/* The table of a parameter file's tensors. */
#include "report/tensors_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

enum { COLUMNS = 11, PLAIN_COLUMNS = 5, WIDEST_NAME = 64 };

static const char *const heads[COLUMNS] = {"name", "type", "shape",    "kind",      "place", "min",
                                           "max",  "NaN",  "infinite", "subnormal", "zero"};

const char *tensors_kind_name(dump_kind kind)
{
  return kind == DUMP_PARAMETER ? "parameter" : kind == DUMP_OPTIMIZER ? "optimizer" : "extra";
}

/* As it is when nothing in it could be misread, else between quotes. */
static char *show_name(const char *name)
{
  bool plain = *name != 0 && strlen(name) <= 120;
  for (const char *p = name; *p != 0; p++)
    plain = plain && *p > ' ' && *p < 0x7f && *p != '"' && *p != '\\';
  return plain ? memory_copy_string(name) : dump_quote(name);
}

static char *show_shape(const dump_tensor *tensor)
{
  text out;
  text_init(&out);
  text_add_char(&out, '[');
  for (unsigned i = 0; i < tensor->rank; i++)
    text_addf(&out, "%s%llu", i > 0 ? "," : "", (unsigned long long)tensor->shape[i]);
  text_add_char(&out, ']');
  for (unsigned i = 0; !tensor->contiguous && i < tensor->rank; i++)
    text_addf(&out, "%s%lld", i > 0 ? "," : " strides ", (long long)tensor->stride[i]);
  if (tensor->big_endian)
    text_add(&out, " big-endian");
  return text_take(&out);
}

static char *show_place(const dump_file *file, const dump_tensor *tensor)
{
  dump_segment segment = dump_get_segment(file, tensor->segment);
  text out;
  text_init(&out);
  const char *slash = strrchr(segment.name, '/');
  char *name = show_name(segment.member != NULL ? segment.member : slash != NULL ? slash + 1 : segment.name);
  if (segment.compressed)
    text_addf(&out, "%s (deflated) ", name);
  else if (strcmp(segment.name, dump_get_segment(file, 0).name) != 0 ||
           strcmp(dump_get_segment(file, dump_segment_count(file) - 1).name, segment.name) != 0)
    text_addf(&out, "%s ", name);
  text_addf(&out, "%llu", (unsigned long long)tensor->offset);
  free(name);
  return text_take(&out);
}

static char *show_number(double x)
{
  text out;
  text_init(&out);
  if (x == trunc(x) && fabs(x) <= 0x1p53)
    text_addf(&out, "%.0f", x);
  else
    text_addf(&out, "%.*g", (double)(float)x == x ? 9 : 17, x);
  return text_take(&out);
}

static char *show_count(uint64_t n)
{
  text out;
  text_init(&out);
  text_addf(&out, "%llu", (unsigned long long)n);
  return text_take(&out);
}

/* The cells of one line; each is to be freed. */
static void fill_row(char **cells, const dump_file *file, const dump_tensor *tensor, const dump_statistics *s)
{
  cells[0] = show_name(tensor->name);
  cells[1] = memory_copy_string(tensor->type_name);
  cells[2] = show_shape(tensor);
  cells[3] = memory_copy_string(tensors_kind_name(tensor->kind));
  cells[4] = show_place(file, tensor);
  for (unsigned i = PLAIN_COLUMNS; i < COLUMNS; i++)
    cells[i] = NULL;
  if (s == NULL)
    return;
  bool finite = s->known && s->has_finite;
  cells[5] = finite ? show_number(s->least) : memory_copy_string("-");
  cells[6] = finite ? show_number(s->most) : memory_copy_string("-");
  const uint64_t counts[] = {s->nan, s->infinite, s->subnormal, s->zero};
  for (unsigned i = 0; i < 4; i++)
    cells[7 + i] = s->known ? show_count(counts[i]) : memory_copy_string("-");
}

static void write_row(FILE *out, char *const *cells, const int *widths, unsigned columns)
{
  for (unsigned i = 0; i < columns; i++) {
    bool is_number = i >= PLAIN_COLUMNS;
    bool is_last = i + 1 == columns;
    fprintf(out, "%s%*s", i > 0 ? "  " : "",
            is_last && !is_number ? 0
            : is_number           ? widths[i]
                                  : -widths[i],
            cells[i]);
  }
  fputc('\n', out);
}

void tensors_text_write(FILE *out, const dump_file *file, const dump_statistics *statistics)
{
  size_t count = dump_count(file);
  unsigned columns = statistics != NULL ? COLUMNS : PLAIN_COLUMNS;
  char *name = show_name(dump_name(file));
  fprintf(out, "%s: %s, %zu tensor%s\n", name, dump_container(file), count, count == 1 ? "" : "s");
  free(name);
  if (count == 0)
    return;
  char *(*rows)[COLUMNS] = memory_new(count, sizeof *rows);
  int widths[COLUMNS] = {0};
  for (unsigned i = 0; i < columns; i++)
    widths[i] = (int)strlen(heads[i]);
  for (size_t k = 0; k < count; k++) {
    fill_row(rows[k], file, dump_get(file, k), statistics != NULL ? &statistics[k] : NULL);
    for (unsigned i = 0; i < columns; i++) {
      size_t width = strlen(rows[k][i]);
      if (width <= WIDEST_NAME && (int)width > widths[i])
        widths[i] = (int)width;
    }
  }
  char *titles[COLUMNS];
  for (unsigned i = 0; i < COLUMNS; i++)
    titles[i] = (char *)(uintptr_t)heads[i];
  write_row(out, titles, widths, columns);
  for (size_t k = 0; k < count; k++) {
    write_row(out, rows[k], widths, columns);
    for (unsigned i = 0; i < columns; i++)
      free(rows[k][i]);
  }
  free(rows);
}
