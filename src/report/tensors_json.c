/* The tensors of a parameter file as JSON. */
#include "report/tensors_json.h"

#include <stdio.h>

#include "report/json_make.h"
#include "report/tensors_text.h"

static json_t *number_value(double x)
{
  char digits[40];
  snprintf(digits, sizeof digits, "%.17g", x);
  return json_make_string(digits);
}

static json_t *statistics_value(const dump_statistics *s)
{
  if (!s->known)
    return json_make_string(NULL);
  json_t *object = json_make_object();
  json_put(object, "min", s->has_finite ? number_value(s->least) : json_make_string(NULL));
  json_put(object, "max", s->has_finite ? number_value(s->most) : json_make_string(NULL));
  json_put(object, "nan", json_make_count(s->nan));
  json_put(object, "infinite", json_make_count(s->infinite));
  json_put(object, "subnormal", json_make_count(s->subnormal));
  json_put(object, "zero", json_make_count(s->zero));
  return object;
}

static json_t *tensor_value(const dump_tensor *tensor)
{
  json_t *object = json_make_object(), *shape = json_make_array();
  for (unsigned i = 0; i < tensor->rank; i++)
    json_push(shape, json_make_count(tensor->shape[i]));
  json_put(object, "name", json_make_string(tensor->name));
  json_put(object, "type", json_make_string(tensor->type_name));
  json_put(object, "kind", json_make_string(tensors_kind_name(tensor->kind)));
  json_put(object, "shape", shape);
  if (!tensor->contiguous) {
    json_t *strides = json_make_array();
    for (unsigned i = 0; i < tensor->rank; i++)
      json_push(strides, json_integer((json_int_t)tensor->stride[i]));
    json_put(object, "strides", strides);
  }
  json_put(object, "big_endian", json_boolean(tensor->big_endian));
  json_put(object, "segment", json_make_count(tensor->segment));
  json_put(object, "offset", json_make_count(tensor->offset));
  json_put(object, "bytes", json_make_count(tensor->bytes));
  return object;
}

static json_t *segments_value(const dump_file *file)
{
  json_t *array = json_make_array();
  for (size_t i = 0; i < dump_segment_count(file); i++) {
    dump_segment segment = dump_get_segment(file, i);
    json_t *object = json_make_object();
    json_put(object, "file", json_make_string(segment.name));
    if (segment.member != NULL)
      json_put(object, "member", json_make_string(segment.member));
    json_put(object, "compressed", json_boolean(segment.compressed));
    json_put(object, "length", json_make_count(segment.length));
    json_push(array, object);
  }
  return array;
}

json_t *tensors_json_create(const dump_file *file, const dump_statistics *statistics)
{
  json_t *root = json_make_object(), *notes = json_make_object(), *tensors = json_make_array();
  json_put(root, "schema", json_make_string(TENSORS_SCHEMA));
  json_put(root, "file", json_make_string(dump_name(file)));
  json_put(root, "container", json_make_string(dump_container(file)));
  json_put(root, "segments", segments_value(file));
  for (size_t i = 0; i < dump_note_count(file); i++) {
    const char *key, *value;
    dump_get_note(file, i, &key, &value);
    /* Of two with one key the first counts, as for dump_note. A key that is no UTF-8 cannot be written. */
    json_t *name = json_string(key);
    if (name != NULL && json_object_get(notes, key) == NULL)
      json_put(notes, key, json_make_string(value));
    json_decref(name);
  }
  json_put(root, "notes", notes);
  for (size_t k = 0; k < dump_count(file); k++) {
    json_t *tensor = tensor_value(dump_get(file, k));
    if (statistics != NULL)
      json_put(tensor, "statistics", statistics_value(&statistics[k]));
    json_push(tensors, tensor);
  }
  json_put(root, "tensors", tensors);
  return root;
}
