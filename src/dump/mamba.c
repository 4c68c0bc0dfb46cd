/* Mamba-1 by tensor names. */
#include "dump/mamba.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

int mamba_compare_names(const char *a, const char *b)
{
  const char *x = a, *y = b;
  while (*x != 0 && *y != 0) {
    if (!is_digit(*x) || !is_digit(*y)) {
      if (*x != *y)
        return (unsigned char)*x < (unsigned char)*y ? -1 : 1;
      x++;
      y++;
      continue;
    }
    while (*x == '0')
      x++;
    while (*y == '0')
      y++;
    size_t m = 0, n = 0;
    while (is_digit(x[m]))
      m++;
    while (is_digit(y[n]))
      n++;
    if (m != n)
      return m < n ? -1 : 1;
    int order = memcmp(x, y, m);
    if (order != 0)
      return order;
    x += m;
    y += n;
  }
  if (*x != *y)
    return *x == 0 ? -1 : 1;
  return strcmp(a, b);
}

/* Whether the name ends in A_log. Then *prefix is its length without that. */
static bool is_a_log(size_t *prefix, const char *name)
{
  static const char ending[] = "A_log";
  size_t length = strlen(name), tail = sizeof ending - 1;
  if (length < tail || strcmp(name + length - tail, ending) != 0)
    return false;
  *prefix = length - tail;
  return true;
}

static const dump_tensor *find_sibling(const dump_file *file, const char *name, size_t prefix,
                                       const char *ending)
{
  text sibling;
  text_init(&sibling);
  text_add_bytes(&sibling, name, prefix);
  text_add(&sibling, ending);
  const dump_tensor *found = dump_find(file, text_string(&sibling));
  text_clear(&sibling);
  return found;
}

static char *layer_name(const char *name, size_t prefix)
{
  if (prefix > 0 && strchr("._/", name[prefix - 1]) != NULL)
    prefix--;
  text out;
  text_init(&out);
  text_add_bytes(&out, name, prefix);
  text_add(&out, "");
  return text_take(&out);
}

/* Some names of the file, and what was wrong with each A_log, into one message. */
static void report_nothing(const mamba_model *model, dump_error *error)
{
  enum { NAMES = 24, STRAYS = 8 };
  const dump_file *file = model->file;
  text out;
  text_init(&out);
  for (size_t i = 0; i < model->stray_count && i < STRAYS; i++) {
    char *name = dump_quote(model->strays[i].a_log->name);
    text_addf(&out, "; %s: %s", name, model->strays[i].reason);
    free(name);
  }
  size_t count = dump_count(file);
  text_addf(&out, "; it holds %zu tensor%s", count, count == 1 ? "" : "s");
  for (size_t i = 0; i < count && i < NAMES; i++) {
    char *name = dump_quote(dump_get(file, i)->name);
    text_addf(&out, "%s%s", i == 0 ? ": " : ", ", name);
    free(name);
  }
  if (count > NAMES)
    text_addf(&out, " and %zu more", count - NAMES);
  dump_error_set(error, dump_name(file),
                 "no Mamba-1 layer found (A_log of shape [D, N] beside dt_proj.bias of shape [D])%s",
                 text_string(&out));
  text_clear(&out);
}

static int compare_layers(const void *a, const void *b)
{
  return mamba_compare_names(((const mamba_layer *)a)->a_log->name, ((const mamba_layer *)b)->a_log->name);
}

static void add_stray(mamba_model *model, const dump_tensor *a_log, const char *reason)
{
  model->strays = memory_resize(model->strays, model->stray_count + 1, sizeof *model->strays);
  model->strays[model->stray_count++] = (mamba_stray){a_log, reason};
}

assay_status mamba_recognise(mamba_model *model, const dump_file *file, dump_error *error)
{
  *model = (mamba_model){.file = file};
  for (size_t i = 0; i < dump_count(file); i++) {
    const dump_tensor *a_log = dump_get(file, i);
    size_t prefix;
    if (!is_a_log(&prefix, a_log->name))
      continue;
    if (a_log->rank == 1 && find_sibling(file, a_log->name, prefix, "dt_bias") != NULL) {
      add_stray(model, a_log, "one decay per head, as in Mamba-2");
      continue;
    }
    if (a_log->rank != 2 || a_log->count == 0) {
      add_stray(model, a_log, "its shape is not [D, N]");
      continue;
    }
    const dump_tensor *dt_bias = find_sibling(file, a_log->name, prefix, "dt_proj.bias");
    if (dt_bias == NULL) {
      add_stray(model, a_log, "there is no dt_proj.bias beside it");
      continue;
    }
    if (dt_bias->count != a_log->shape[0]) {
      char *bias = dump_quote(dt_bias->name), *other = dump_quote(a_log->name);
      dump_error_set_at(error, dump_name(file), dt_bias->offset,
                        "tensor %s has %llu values where the %llu rows of %s want one each", bias,
                        (unsigned long long)dt_bias->count, (unsigned long long)a_log->shape[0], other);
      free(bias);
      free(other);
      mamba_clear(model);
      return STATUS_BAD_INPUT;
    }
    model->layers = memory_resize(model->layers, model->count + 1, sizeof *model->layers);
    model->layers[model->count++] = (mamba_layer){.name = layer_name(a_log->name, prefix),
                                                  .a_log = a_log,
                                                  .dt_bias = dt_bias,
                                                  .channels = (size_t)a_log->shape[0],
                                                  .states = (size_t)a_log->shape[1]};
  }
  if (model->count == 0) {
    report_nothing(model, error);
    mamba_clear(model);
    return STATUS_BAD_INPUT;
  }
  qsort(model->layers, model->count, sizeof *model->layers, compare_layers);
  return STATUS_OK;
}

void mamba_clear(mamba_model *model)
{
  for (size_t i = 0; i < model->count; i++)
    free(model->layers[i].name);
  free(model->layers);
  free(model->strays);
  *model = (mamba_model){0};
}
