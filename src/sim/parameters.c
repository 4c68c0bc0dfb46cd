/* Reading the tensors of a layer. */
#include "sim/parameters.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/model_shape.h"

#define MOST_VALUES ((size_t)1 << 40)

bool parameters_refuse(const parameters *p, const char *format, ...)
{
  char *message = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&message, format, list) < 0)
    memory_die("a message could not be made");
  va_end(list);
  char *name = dump_quote(p->layer->name);
  dump_error_set(p->error, dump_name(p->file), "layer %s (%s): %s", name, p->layer->family->name, message);
  free(name);
  free(message);
  return false;
}

/* Not set: what is read over it brings the pages in. */
static double *bare_room(size_t count)
{
  size_t bytes = (memory_multiply(memory_add(count, 1), sizeof(double)) + 63) / 64 * 64;
  double *room = aligned_alloc(64, bytes);
  if (!room)
    memory_die("out of memory");
  return room;
}

double *parameters_room(size_t count)
{
  double *room = bare_room(count);
  memset(room, 0, count * sizeof *room);
  return room;
}

static bool has_role(const claim_given *g, const char *role)
{
  return g->stored && g->role && !strcmp(g->role, role);
}

int parameters_find(const parameters *p, const char *role)
{
  const claim *f = p->layer->family;
  for (unsigned i = 0; i < f->givens; i++)
    if (has_role(&f->given[i], role) && p->layer->tensor[i])
      return (int)i;
  return -1;
}

bool parameters_has(const parameters *p, const char *role)
{
  return parameters_find(p, role) >= 0;
}

size_t parameters_extent(const parameters *p, const char *role, unsigned position)
{
  int given = parameters_find(p, role);
  return given < 0 ? 0 : model_extent(p->layer, (unsigned)given, position);
}

/* ---- one tensor ---- */

static void mark_used(const parameters *p, const dump_tensor *x)
{
  for (size_t i = 0; p->used && i < dump_count(p->file); i++)
    if (dump_get(p->file, i) == x)
      p->used[i] = true;
}

static bool refuse_tensor(const parameters *p, const dump_tensor *x, const char *what)
{
  char *name = dump_quote(x->name);
  dump_error_set_tensor(p->error, p->file, x, "%s: %s", name, what);
  free(name);
  return false;
}

/* A message where the tensor is not bound; true when it is optional and really not there. */
static bool is_absent(const parameters *p, const char *role, bool required)
{
  const claim *f = p->layer->family;
  const claim_given *first = NULL;
  for (unsigned i = 0; i < f->givens; i++) {
    if (!has_role(&f->given[i], role))
      continue;
    first = first ? first : &f->given[i];
    const dump_tensor *misfit = model_find_misfit(p->layer, p->file, i);
    if (misfit)
      return refuse_tensor(p, misfit, "its shape does not fit the other tensors of the layer");
  }
  if (!required)
    return true;
  return first ? parameters_refuse(p, "it has no \"%s\", without which it cannot run", first->stored_as[0])
               : parameters_refuse(p, "the family has no tensor with the role %s, without which it cannot run", role);
}

/* All values of tensor x, `lanes` doubles each. */
static bool read_values(double *value, const parameters *p, const dump_tensor *x, size_t count, unsigned lanes)
{
  if (x->type >= DUMP_I64 && x->type <= DUMP_BOOL)
    return refuse_tensor(p, x, "it holds integers: what the model computes with is not told by them");
  if (dump_values(p->file, value, x, 0, count, p->error) != STATUS_OK)
    return false;
  for (size_t i = 0; i < count * lanes; i++)
    if (!isfinite(value[i])) {
      char what[80];
      snprintf(what, sizeof what, "element %zu is %s", i / lanes, isnan(value[i]) ? "NaN" : "infinite");
      return refuse_tensor(p, x, what);
    }
  dump_release(p->file, x);
  mark_used(p, x);
  return true;
}

bool parameters_read(double **value, const parameters *p, const char *role, bool required, size_t rows, size_t columns)
{
  *value = NULL;
  int given = parameters_find(p, role);
  if (given < 0)
    return is_absent(p, role, required);
  const dump_tensor *x = p->layer->tensor[given];
  size_t wide = columns ? columns : 1, count = definition_count(p->layer, (unsigned)given);
  /* A vector may be declared with two indices, [H, P] for the channels of all heads. */
  bool fits = count == x->count && count / wide == rows && count % wide == 0 && count < MOST_VALUES &&
              (columns == 0 || model_extent(p->layer, (unsigned)given, p->layer->family->given[given].positions - 1) == columns);
  if (!fits)
    return refuse_tensor(p, x, "its shape is not that which the layer's other tensors ask for");
  if (dump_lanes(x->type) != 1)
    return refuse_tensor(p, x, "it holds complex numbers");
  *value = bare_room(count);
  if (read_values(*value, p, x, count, 1))
    return true;
  free(*value);
  *value = NULL;
  return false;
}

bool parameters_read_complex(double **value, const parameters *p, const char *role, bool required, size_t rows,
                             size_t columns)
{
  *value = NULL;
  int given = parameters_find(p, role);
  if (given < 0)
    return is_absent(p, role, required);
  const dump_tensor *x = p->layer->tensor[given];
  unsigned lanes = dump_lanes(x->type);
  size_t count = memory_multiply(rows, columns ? columns : 1);
  if (x->count * lanes != 2 * count)
    return refuse_tensor(p, x, "its shape is not that which the layer's other tensors ask for");
  *value = bare_room(2 * count);
  if (read_values(*value, p, x, (size_t)x->count, lanes))
    return true;
  free(*value);
  *value = NULL;
  return false;
}

/* ---- definitions ---- */

bool parameters_read_definitions(definition_store *store, const parameters *p)
{
  const claim *f = p->layer->family;
  model_layer *own = memory_new(1, sizeof *own);
  own->family = f;
  own->sizes = memory_new(f->sizes, sizeof *own->sizes);
  memcpy(own->sizes, p->layer->sizes, f->sizes * sizeof *own->sizes);
  *store = (definition_store){.layer = own, .value = memory_new(f->givens, sizeof *store->value)};
  bool *needed = memory_new(f->givens, sizeof *needed), fine = true;
  model_needed(needed, f);
  for (unsigned i = 0; i < f->givens && fine; i++) {
    const dump_tensor *x = p->layer->tensor[i];
    if (!needed[i] || !x)
      continue;
    unsigned lanes = dump_lanes(x->type);
    size_t count = definition_count(p->layer, i);
    if (count == 0 || count != x->count * lanes)
      fine = refuse_tensor(p, x, "its shape is not that which the family declares");
    if (!fine)
      break;
    store->value[i] = bare_room(count);
    fine = read_values(store->value[i], p, x, (size_t)x->count, lanes);
  }
  free(needed);
  return fine;
}

void parameters_clear_definitions(definition_store *store)
{
  for (unsigned i = 0; store->value && i < store->layer->family->givens; i++)
    free(store->value[i]);
  free(store->value);
  if (store->layer)
    free(store->layer->sizes);
  free((void *)store->layer);
  *store = (definition_store){0};
}

bool parameters_define(double **value, const parameters *p, const definition_store *store, const char *role, size_t first,
                       size_t second)
{
  const claim_let *let = model_role(p->layer->family, role);
  *value = NULL;
  if (!let)
    return parameters_refuse(p, "the family has no %s", role);
  size_t wide = second ? second : 1;
  bool fits = let->positions <= (second ? 2u : 1u);
  *value = parameters_room(memory_multiply(first, wide));
  for (size_t i = 0; i < first * wide && fits; i++) {
    int64_t index[2] = {(int64_t)(i / wide) + 1, (int64_t)(i % wide) + 1};
    if (definition_value(&(*value)[i], store, let, index, 0) && isfinite((*value)[i]))
      continue;
    free(*value);
    *value = NULL;
    return parameters_refuse(p, "its %s is no number at entry %zu, %zu", role, i / wide + 1, i % wide + 1);
  }
  if (!fits)
    return parameters_refuse(p, "the family's %s is indexed in a way that no block has a use for", role);
  return true;
}

/* ---- notes ---- */

/* A positive decimal below 1, as configurations have: 1e-05, 9.9999999999999995e-7, 0.00001. Without the locale; rounded
 * once. */
static bool read_decimal(double *value, const char *decimal)
{
  enum { LONGEST = 40 };
  char digits[LONGEST + 1];
  size_t count = 0;
  long exponent = 0;
  bool point = false;
  const char *c = decimal;
  for (; *c && *c != 'e' && *c != 'E'; c++) {
    if (*c == '.' && !point) {
      point = true;
      continue;
    }
    if (*c < '0' || *c > '9' || count == LONGEST)
      return false;
    digits[count++] = *c;
    exponent -= point;
  }
  digits[count] = 0;
  if (*c) {
    char *end;
    long shift = strtol(c + 1, &end, 10);
    if (end == c + 1 || *end || shift < -60 || shift > 60)
      return false;
    exponent += shift;
  }
  fmpq_t x;
  fmpz_t ten;
  fmpq_init(x);
  fmpz_init(ten);
  bool fine = count > 0 && fmpz_set_str(fmpq_numref(x), digits, 10) == 0;
  fmpz_ui_pow_ui(ten, 10, (ulong)labs(exponent));
  if (exponent < 0)
    fmpq_div_fmpz(x, x, ten);
  else
    fmpq_mul_fmpz(x, x, ten);
  *value = definition_nearest(x);
  fmpq_clear(x);
  fmpz_clear(ten);
  return fine && *value > 0 && *value < 1;
}

static bool ends_in(const char *key, const char *ending)
{
  size_t length = strlen(key), tail = strlen(ending);
  return length >= tail && !strcmp(key + length - tail, ending) && (length == tail || key[length - tail - 1] == '.');
}

size_t parameters_count_note(const dump_file *file, const char *const *keys, size_t count, size_t otherwise)
{
  for (size_t k = 0; k < count; k++)
    for (size_t i = 0; i < dump_note_count(file); i++) {
      const char *key, *word;
      dump_get_note(file, i, &key, &word);
      size_t length = strspn(word, "0123456789");
      if (!ends_in(key, keys[k]) || length == 0 || length > 7 || word[length])
        continue;
      size_t value = strtoul(word, NULL, 10);
      if (value >= 1 && value <= 1 << 20)
        return value;
    }
  return otherwise;
}

double parameters_epsilon(const dump_file *file)
{
  static const char *const keys[] = {"norm_epsilon",      "rms_norm_eps",
                                     "layer_norm_epsilon", "layer_norm_eps",
                                     "norm_eps",          "attention.layer_norm_rms_epsilon",
                                     "attention.layer_norm_epsilon"};
  double value;
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
    for (size_t i = 0; i < dump_note_count(file); i++) {
      const char *key, *word;
      dump_get_note(file, i, &key, &word);
      if (ends_in(key, keys[k]) && read_decimal(&value, word))
        return value;
    }
  return 1e-5;
}
