/* Instances: memory, reading and writing. */
#include "cert/instance.h"

#include <stdlib.h>
#include <string.h>

#include "cert/document.h"
#include "cert/exact.h"
#include "core/limits.h"
#include "core/memory.h"

void instance_init(instance *x)
{
  *x = (instance){0};
}

void instance_clear(instance *x)
{
  for (size_t i = 0; i < x->sizes; i++)
    free(x->size[i].name);
  for (size_t i = 0; i < x->values; i++) {
    free(x->value[i].name);
    fmpq_clear(&x->value[i].value);
  }
  free(x->size);
  free(x->value);
  instance_init(x);
}

void instance_copy(instance *copy, const instance *x)
{
  instance fresh;
  instance_init(&fresh);
  for (size_t i = 0; i < x->sizes; i++)
    instance_add_size(&fresh, x->size[i].name, x->size[i].value);
  for (size_t i = 0; i < x->values; i++)
    instance_add_value(&fresh, x->value[i].name, &x->value[i].value);
  instance_clear(copy);
  *copy = fresh;
}

/* Arrays grow at powers of two. */
static bool is_full(size_t count)
{
  return (count & (count - 1)) == 0;
}

void instance_add_size(instance *x, const char *name, int64_t value)
{
  if (is_full(x->sizes))
    x->size = memory_resize(x->size, x->sizes ? 2 * x->sizes : 1, sizeof *x->size);
  x->size[x->sizes++] = (instance_size){memory_copy_string(name), value};
}

void instance_add_value(instance *x, const char *name, const fmpq_t value)
{
  if (is_full(x->values))
    x->value = memory_resize(x->value, x->values ? 2 * x->values : 1, sizeof *x->value);
  instance_value *v = &x->value[x->values++];
  v->name = memory_copy_string(name);
  fmpq_init(&v->value);
  fmpq_set(&v->value, value);
}

/* The name without the blanks between its brackets; NULL if the brackets do not hold plain integers. */
static char *canonical_name(const char *name)
{
  char *copy = memory_new(strlen(name) + 1, 1), *to = copy;
  size_t length = strcspn(name, "[");
  memcpy(to, name, length);
  to += length;
  const char *s = name + length;
  bool good = length > 0;
  while (good && *s && *s != ']') { /* at '[' or ',' */
    *to++ = *s++;
    s += strspn(s, " \t");
    if (*s == '-')
      *to++ = *s++;
    size_t digits = strspn(s, "0123456789");
    good = digits > 0 && digits < 19 && (*s != '0' || (digits == 1 && to[-1] != '-'));
    memcpy(to, s, digits);
    to += digits;
    s += digits;
    s += strspn(s, " \t");
    good = good && (*s == ',' || *s == ']');
  }
  if (good && *s) {
    *to++ = *s++;
    good = *s == 0;
  }
  if (good)
    return copy;
  free(copy);
  return NULL;
}

static bool read_sizes(const document *doc, const path *way, json_t *object, instance *x)
{
  bool good = true;
  const char *key;
  json_t *value;
  json_object_foreach(object, key, value) {
    path step = {.up = way, .key = key};
    if (json_is_integer(value)) {
      instance_add_size(x, key, json_integer_value(value));
    } else {
      document_error(doc, &step, "the size %s must be an integer", key);
      good = false;
    }
  }
  return good;
}

/* Sets v, or says why not. */
static const char *read_number(fmpq_t v, const json_t *value)
{
  if (json_is_string(value))
    return exact_read(v, json_string_value(value));
  if (json_is_real(value))
    return "a JSON number with a point or an exponent is not exact: write it as a string";
  if (!json_is_integer(value))
    return "a value must be a string or an integer";
  fmpq_set_si(v, (slong)json_integer_value(value), 1);
  return NULL;
}

static bool read_values(const document *doc, const path *way, json_t *object, instance *x)
{
  bool good = true;
  const char *key;
  json_t *value, *seen = json_object();
  fmpq_t v;
  fmpq_init(v);
  if (json_object_size(object) > LIMIT_INPUTS) {
    document_error(doc, way, "more than %d values", LIMIT_INPUTS);
    good = false;
  }
  json_object_foreach(object, key, value) {
    path step = {.up = way, .key = key};
    char *name = canonical_name(key);
    const char *wrong =
        name ? read_number(v, value) : "not the name of an element: write it like x or x[1,2]";
    if (!wrong && json_object_get(seen, name))
      wrong = "this element is given twice";
    if (wrong) {
      document_error(doc, &step, "%s: %s", key, wrong);
      good = false;
    } else {
      json_object_set_new(seen, name, json_true());
      instance_add_value(x, name, v);
    }
    free(name);
  }
  fmpq_clear(v);
  json_decref(seen);
  return good;
}

bool document_read_instance(const document *doc, const path *way, json_t *object, instance *x)
{
  unsigned errors = diag_errors(doc->d);
  json_t *sizes = document_member(doc, way, object, "sizes", JSON_OBJECT, true);
  json_t *values = document_member(doc, way, object, "values", JSON_OBJECT, true);
  path to_sizes = {.up = way, .key = "sizes"}, to_values = {.up = way, .key = "values"};
  if (sizes)
    read_sizes(doc, &to_sizes, sizes, x);
  if (values)
    read_values(doc, &to_values, values, x);
  if (!sizes && !values && diag_errors(doc->d) == errors)
    document_error(doc, way, "an instance has \"sizes\", \"values\" or both");
  return diag_errors(doc->d) == errors;
}

static bool read_one(const document *doc, const path *way, json_t *value, instance *x)
{
  static const char *const plain[] = {"sizes", "values"};
  static const char *const all[] = {"schema", "claim", "sizes", "values", "broken", "witness", "found"};
  if (!json_is_object(value)) {
    document_error(doc, way, "an instance must be an object");
    return false;
  }
  bool certificate = json_object_get(value, "schema");
  return document_check_keys(doc, way, value, certificate ? all : plain, certificate ? 7 : 2) &&
         document_read_instance(doc, way, value, x);
}

instance *instance_read_source(diag *d, const diag_source *source, size_t *count)
{
  document doc;
  if (!document_open(&doc, d, source))
    return NULL;
  bool many = json_is_array(doc.root), good = true;
  *count = many ? json_array_size(doc.root) : 1;
  instance *array = memory_new(*count, sizeof *array);
  for (size_t i = 0; i < *count; i++) {
    path way = {.index = i};
    good =
        read_one(&doc, many ? &way : NULL, many ? json_array_get(doc.root, i) : doc.root, &array[i]) && good;
  }
  document_close(&doc);
  if (good)
    return array;
  instance_array_free(array, *count);
  return NULL;
}

instance *instance_read_file(diag *d, const char *file, size_t *count)
{
  diag_source *source = diag_source_read(d, file, LIMIT_SOURCE_BYTES);
  if (!source)
    return NULL;
  instance *array = instance_read_source(d, source, count);
  diag_source_destroy(source);
  return array;
}

void instance_array_free(instance *array, size_t count)
{
  for (size_t i = 0; array && i < count; i++)
    instance_clear(&array[i]);
  free(array);
}

void document_write_instance(json_t *object, const instance *x)
{
  json_t *sizes = json_object(), *values = json_object();
  for (size_t i = 0; i < x->sizes; i++)
    json_object_set_new(sizes, x->size[i].name, json_integer(x->size[i].value));
  for (size_t i = 0; i < x->values; i++) {
    text t;
    text_init(&t);
    exact_print(&t, &x->value[i].value);
    json_object_set_new(values, x->value[i].name, json_string(text_string(&t)));
    text_clear(&t);
  }
  json_object_set_new(object, "sizes", sizes);
  json_object_set_new(object, "values", values);
}

char *instance_to_json(const instance *x)
{
  json_t *object = json_object();
  document_write_instance(object, x);
  char *dumped = json_dumps(object, JSON_INDENT(2));
  json_decref(object);
  if (!dumped)
    memory_die("JSON could not be written");
  text t;
  text_init(&t);
  text_add(&t, dumped);
  text_add_char(&t, '\n');
  free(dumped);
  return text_take(&t);
}
