/* Storages: the flat arrays that tensors are views of, named in a pickle by persistent ids
 *
 *   ("storage", CLASS, KEY, LOCATION, ELEMENTS[, None or (VIEW, FIRST, ELEMENTS)])
 *
 * Source: torch/serialization.py of the torch package. */
#include "dump/torch_storage.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static const struct {
  const char *class_name, *name;
  dump_type type;
  unsigned size;
} types[] = {
    {"DoubleStorage", "float64", DUMP_F64, 8},
    {"FloatStorage", "float32", DUMP_F32, 4},
    {"HalfStorage", "float16", DUMP_F16, 2},
    {"BFloat16Storage", "bfloat16", DUMP_BF16, 2},
    {"ComplexFloatStorage", "complex64", DUMP_C64, 8},
    {"ComplexDoubleStorage", "complex128", DUMP_C128, 16},
    {"LongStorage", "int64", DUMP_I64, 8},
    {"IntStorage", "int32", DUMP_I32, 4},
    {"ShortStorage", "int16", DUMP_I16, 2},
    {"CharStorage", "int8", DUMP_I8, 1},
    {"ByteStorage", "uint8", DUMP_U8, 1},
    {"BoolStorage", "bool", DUMP_BOOL, 1},
    {"UntypedStorage", "uint8", DUMP_U8, 1},
    {"Float8_e4m3fnStorage", "float8_e4m3fn", DUMP_F8_E4M3, 1},
    {"Float8_e5m2Storage", "float8_e5m2", DUMP_F8_E5M2, 1},
    {"Float8_e4m3fnuzStorage", "float8_e4m3fnuz", DUMP_OTHER, 1},
    {"Float8_e5m2fnuzStorage", "float8_e5m2fnuz", DUMP_OTHER, 1},
    {"Float8_e8m0fnuStorage", "float8_e8m0fnu", DUMP_OTHER, 1},
    {"UInt16Storage", "uint16", DUMP_U16, 2},
    {"UInt32Storage", "uint32", DUMP_U32, 4},
    {"UInt64Storage", "uint64", DUMP_U64, 8},
    {"ComplexHalfStorage", "complex32", DUMP_OTHER, 4},
    {"QInt8Storage", "qint8", DUMP_OTHER, 1},
    {"QUInt8Storage", "quint8", DUMP_OTHER, 1},
    {"QInt32Storage", "qint32", DUMP_OTHER, 4},
    {"QUInt4x2Storage", "quint4x2", DUMP_OTHER, 1},
    {"QUInt2x4Storage", "quint2x4", DUMP_OTHER, 1},
};

bool torch_type_of_storage(torch_type *type, const char *class_name)
{
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].class_name, class_name) == 0) {
      *type = (torch_type){.type = types[i].type, .size = types[i].size};
      memcpy(type->name, types[i].name, strlen(types[i].name) + 1);
      return true;
    }
  return false;
}

void torch_type_of_name(torch_type *type, const char *name)
{
  *type = (torch_type){.type = DUMP_OTHER};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, name) == 0) {
      torch_type_of_storage(type, types[i].class_name);
      return;
    }
  strcpy(type->name, "other");
}

/* The class may itself be a reference to a class outside. */
static const pickle_value *class_of(const pickle_value *value)
{
  if (value != NULL && value->kind == PICKLE_PERSISTENT)
    value = pickle_item(value->u.id, 1);
  return value != NULL && value->kind == PICKLE_GLOBAL ? value : NULL;
}

bool torch_is_storage(const pickle_value *value)
{
  return value != NULL && value->kind == PICKLE_PERSISTENT && value->u.id->kind == PICKLE_TUPLE &&
         pickle_is_text(pickle_item(value->u.id, 0), "storage");
}

bool torch_take_mention(torch_reader *r, torch_mention *mention, const pickle_value *value)
{
  const pickle_value *id = value->u.id, *kind = class_of(pickle_item(id, 1)), *key = pickle_item(id, 2),
                     *count = pickle_item(id, 4), *view = pickle_item(id, 5);
  if (id->u.list.count < 5 || id->u.list.count > 6 || kind == NULL || key == NULL ||
      (key->kind != PICKLE_STRING && key->kind != PICKLE_BYTES) || count->kind != PICKLE_INT ||
      count->u.integer < 0)
    return torch_fail(r, value->at, "a storage that is not (\"storage\", class, key, location, count)"),
           false;
  *mention = (torch_mention){
      .key = key->u.text.data, .key_length = key->u.text.length, .count = (uint64_t)count->u.integer};
  if (!torch_type_of_storage(&mention->type, kind->u.global.name))
    return torch_fail(r, value->at, "a storage of unknown class"), false;
  uint64_t bytes;
  if (__builtin_mul_overflow(mention->count, (uint64_t)mention->type.size, &bytes) || bytes > INT64_MAX)
    return torch_fail(r, value->at, "the size of a storage exceeds 63 bits"), false;
  mention->whole = mention->count;
  if (view == NULL || view->kind == PICKLE_NONE)
    return true;
  const pickle_value *first = pickle_item(view, 1), *length = pickle_item(view, 2);
  if (first == NULL || length == NULL || first->kind != PICKLE_INT || length->kind != PICKLE_INT ||
      first->u.integer < 0 || length->u.integer < 0 || (uint64_t)first->u.integer > mention->whole ||
      (uint64_t)length->u.integer > mention->whole - (uint64_t)first->u.integer)
    return torch_fail(r, value->at, "a view of a storage that reaches beyond it"), false;
  mention->first = (uint64_t)first->u.integer;
  mention->count = (uint64_t)length->u.integer;
  return true;
}

static int compare_keys(const char *a, size_t a_length, const char *b, size_t b_length)
{
  size_t common = a_length < b_length ? a_length : b_length;
  int order = common > 0 ? memcmp(a, b, common) : 0;
  return order != 0 ? order : a_length < b_length ? -1 : a_length > b_length;
}

static int compare_storages(const void *a, const void *b)
{
  const torch_storage *x = a, *y = b;
  int order = compare_keys(x->key, x->key_length, y->key, y->key_length);
  return order != 0 ? order : x->at < y->at ? -1 : x->at > y->at;
}

bool torch_begin(torch_reader *r, uint64_t *end)
{
  r->storages = NULL;
  r->storage_count = 0;
  r->values = pickle_read(&r->source, r->limits, end, r->error);
  if (r->values == NULL)
    return false;
  size_t count;
  pickle_value *const *persistent = pickle_persistent(r->values, &count);
  r->storages = memory_new(count + 1, sizeof *r->storages);
  size_t made = 0;
  for (size_t i = 0; i < count; i++) {
    torch_mention mention;
    if (!torch_is_storage(persistent[i]))
      continue;
    if (!torch_take_mention(r, &mention, persistent[i]))
      return false;
    r->storages[made++] = (torch_storage){.key = mention.key,
                                          .key_length = mention.key_length,
                                          .type = mention.type,
                                          .count = mention.whole,
                                          .at = persistent[i]->at};
  }
  if (made > 1)
    qsort(r->storages, made, sizeof *r->storages, compare_storages);
  for (size_t i = 0; i < made; i++) {
    torch_storage *last = r->storage_count > 0 ? &r->storages[r->storage_count - 1] : NULL;
    const torch_storage *next = &r->storages[i];
    if (last == NULL || compare_keys(last->key, last->key_length, next->key, next->key_length) != 0)
      r->storages[r->storage_count++] = *next;
  }
  return true;
}

torch_storage *torch_find_storage(const torch_reader *r, const char *key, size_t length)
{
  size_t low = 0, high = r->storage_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    torch_storage *storage = &r->storages[middle];
    int order = compare_keys(key, length, storage->key, storage->key_length);
    if (order == 0)
      return storage;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

void torch_clear(torch_reader *r)
{
  pickle_free(r->values);
  free(r->storages);
  r->values = NULL;
  r->storages = NULL;
}

torch_answer torch_fail(torch_reader *r, uint64_t at, const char *reason)
{
  pickle_fail(&r->source, r->error, at, "%s", reason);
  return TORCH_BAD;
}
