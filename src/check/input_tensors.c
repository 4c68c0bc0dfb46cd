/* The tensors on the way from the norm to the step. */
#include "check/input_tensors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum {
  MOST_VALUES = 1 << 24, /* of one matrix */
  MOST_LENGTH = 1 << 20  /* of one dimension */
};
#define MOST_VALUE 0x1p100

/* ---- what the layer has ---- */

/* Of two givens with one role, the first that the file has. */
static int find_role(const model_layer *layer, const char *role)
{
  const claim *f = layer->family;
  for (unsigned i = 0; i < f->givens; i++)
    if (f->given[i].stored && f->given[i].role && !strcmp(f->given[i].role, role) && layer->tensor[i])
      return (int)i;
  return -1;
}

static bool is_separator(char c)
{
  return c == '.' || c == '/';
}

/* Whether the layer would have a tensor of this role, if only its shape were another. */
static bool is_misfit(const model_layer *layer, const dump_file *file, const char *role)
{
  const claim *f = layer->family;
  for (unsigned i = 0; i < f->givens; i++) {
    const claim_given *g = &f->given[i];
    if (g->stored && g->role && !strcmp(g->role, role) && model_find_misfit(layer, file, i))
      return true;
  }
  return false;
}

static bool has_role(const claim *f, const char *role)
{
  for (unsigned i = 0; i < f->givens; i++)
    if (f->given[i].stored && f->given[i].role && !strcmp(f->given[i].role, role))
      return true;
  return false;
}

/* A matrix stored with scales, say. */
static bool is_accompanied(const dump_tensor *x, const dump_file *file)
{
  size_t length = strlen(x->name);
  for (size_t i = 0; i < dump_count(file); i++) {
    const dump_tensor *other = dump_get(file, i);
    if (other != x && other->kind != DUMP_OPTIMIZER && !strncmp(other->name, x->name, length))
      return true;
  }
  return false;
}

/* Whether two names agree but for their last component. */
static bool are_siblings(const char *a, const char *b)
{
  size_t m = strlen(a), n = strlen(b);
  while (m > 0 && !is_separator(a[m - 1]))
    m--;
  while (n > 0 && !is_separator(b[n - 1]))
    n--;
  return m == n && !strncmp(a, b, m);
}

/* ---- reading ---- */

typedef struct {
  double **value;
  const char *role;
  size_t rows, columns; /* columns 0: a vector */
  bool more;            /* it may have more rows, which do not count */
} wanted_tensor;

static assay_status refuse(const char **reason, const char *why)
{
  *reason = why;
  return STATUS_UNABLE;
}

static assay_status read_wanted(const wanted_tensor *w, const model_layer *layer, const char **reason,
                                const dump_file *file, dump_error *error)
{
  int given = find_role(layer, w->role);
  if (given < 0)
    return is_misfit(layer, file, w->role)
               ? refuse(reason, "a tensor on the way to the step does not fit the others: it is no part of the layer")
               : STATUS_OK;
  const dump_tensor *x = layer->tensor[given];
  size_t rows = model_extent(layer, (unsigned)given, 0), count = w->rows * (w->columns ? w->columns : 1);
  bool fits = layer->family->given[given].positions == (w->columns ? 2 : 1) && model_extent(layer, (unsigned)given, 1) == w->columns &&
              (w->more ? rows >= w->rows : rows == w->rows) && count <= x->count;
  if (!fits)
    return refuse(reason, "the family's tensors on the way to the step do not fit one another");
  if (count > MOST_VALUES)
    return refuse(reason, "a matrix on the way to the step is too large");
  if (dump_lanes(x->type) != 1 || (x->type >= DUMP_I64 && x->type <= DUMP_BOOL) || is_accompanied(x, file))
    return refuse(reason, "a tensor on the way to the step is quantized in a way of its own, or not of real numbers");
  *w->value = memory_new(count, sizeof **w->value);
  if (dump_values(file, *w->value, x, 0, count, error) != STATUS_OK)
    return STATUS_BAD_INPUT;
  for (size_t i = 0; i < count; i++)
    if (!(fabs((*w->value)[i]) < MOST_VALUE))
      return refuse(reason, "a tensor on the way to the step holds a NaN, an infinity or a huge value");
  return STATUS_OK;
}

static assay_status find_sizes(input_tensors *t, const char **reason, const model_layer *layer)
{
  int norm = find_role(layer, "norm"), bias = find_role(layer, "norm_bias"), in = find_role(layer, "in_projection"),
      x = find_role(layer, "x_projection"), dt = find_role(layer, "dt_projection"), conv = find_role(layer, "conv");
  if (in < 0 || x < 0 || dt < 0 || (conv < 0 && has_role(layer->family, "conv")))
    return refuse(reason, "the family or the file does not tell how the input reaches the step");
  if (norm < 0)
    return refuse(reason, "no norm bounds the block's input");
  if (bias >= 0 && !are_siblings(layer->tensor[norm]->name, layer->tensor[bias]->name))
    return refuse(reason, "the norm's weight and its bias do not stand together");
  t->m = model_extent(layer, (unsigned)in, 1);
  t->d = model_extent(layer, (unsigned)dt, 0);
  t->r = model_extent(layer, (unsigned)dt, 1);
  t->w = conv >= 0 ? model_extent(layer, (unsigned)conv, 1) : 1;
  if (t->m == 0 || t->d == 0 || t->r == 0 || t->w == 0)
    return refuse(reason, "the family's tensors on the way to the step do not fit one another");
  if (t->m >= MOST_LENGTH || t->d >= MOST_LENGTH || t->r >= MOST_LENGTH || t->w >= MOST_LENGTH)
    return refuse(reason, "a matrix on the way to the step is too large");
  return STATUS_OK;
}

assay_status input_tensors_read(input_tensors *t, const char **reason, const model_layer *layer, const dump_file *file,
                                dump_error *error)
{
  *t = (input_tensors){0};
  assay_status status = find_sizes(t, reason, layer);
  const wanted_tensor wanted[] = {{&t->norm, "norm", t->m, 0, false},
                                  {&t->norm_bias, "norm_bias", t->m, 0, false},
                                  {&t->in, "in_projection", t->d, t->m, true},
                                  {&t->in_bias, "in_projection_bias", t->d, 0, true},
                                  {&t->conv, "conv", t->d, t->w, false},
                                  {&t->conv_bias, "conv_bias", t->d, 0, false},
                                  {&t->x, "x_projection", t->r, t->d, true},
                                  {&t->dt, "dt_projection", t->d, t->r, false}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted && status == STATUS_OK; i++)
    status = read_wanted(&wanted[i], layer, reason, file, error);
  return status;
}

void input_tensors_clear(input_tensors *t)
{
  double *const all[] = {t->norm, t->norm_bias, t->in, t->in_bias, t->conv, t->conv_bias, t->x, t->dt};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  *t = (input_tensors){0};
}
