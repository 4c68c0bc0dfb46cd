/* The values of a pickle: their memory, and the few constructors that are known by name. */
#include "dump/pickle_build.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pickle_fail(const pickle_source *source, dump_error *error, uint64_t at, const char *format, ...)
{
  char message[1024]; /* long enough: of the file's texts only quoted names are among the arguments */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (source->member == NULL) {
    dump_error_set_at(error, source->file, source->base + at, "%s", message);
    return;
  }
  char *member = dump_quote(source->member);
  dump_error_set_at(error, source->file, source->member_place, "compressed member %s, inflated byte %llu: %s",
                    member, (unsigned long long)at, message);
  free(member);
}

bool pickle_error(pickle *p, const char *format, ...)
{
  char message[256]; /* long enough: nothing of the file's is among the arguments */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  pickle_fail(&p->source, p->error, p->at, "%s", message);
  return false;
}

static bool spend(pickle *p, uint64_t bytes)
{
  if (bytes > p->room - p->used)
    return pickle_error(p, "the values of the pickle exceed the limit of %llu bytes of memory",
                        (unsigned long long)p->room);
  p->used += bytes;
  return true;
}

void *pickle_new(pickle *p, size_t count, size_t size)
{
  uint64_t bytes;
  if (__builtin_mul_overflow((uint64_t)count, (uint64_t)size, &bytes))
    bytes = UINT64_MAX;
  return spend(p, bytes) ? memory_region_new(p->region, count, size) : NULL;
}

char *pickle_copy(pickle *p, const char *data, size_t length)
{
  return spend(p, length) ? memory_region_copy(p->region, data, length) : NULL;
}

pickle_value *pickle_new_value(pickle *p, pickle_kind kind)
{
  pickle_value *value = pickle_new(p, 1, sizeof *value);
  if (value == NULL)
    return NULL;
  value->kind = kind;
  value->at = p->at;
  p->count++;
  return value;
}

bool pickle_append(pickle *p, pickle_list *list, pickle_value *value)
{
  if (list->count == list->capacity) {
    size_t capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
    pickle_value **items = pickle_new(p, capacity, sizeof *items);
    if (items == NULL)
      return false;
    if (list->count > 0)
      memcpy(items, list->items, list->count * sizeof *items);
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = value;
  return true;
}

bool pickle_grow(pickle *p, pickle_stack *stack, size_t count)
{
  if (count <= stack->capacity)
    return true;
  size_t capacity = stack->capacity == 0 ? 64 : stack->capacity;
  while (capacity < count)
    capacity *= 2;
  if (!spend(p, (capacity - stack->capacity) * sizeof *stack->items))
    return false;
  stack->items = memory_resize(stack->items, capacity, sizeof *stack->items);
  stack->capacity = capacity;
  return true;
}

/* The list of an argument that is a list, a tuple or a set. */
static const pickle_list *sequence(const pickle_value *value)
{
  bool is = value != NULL &&
            (value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE || value->kind == PICKLE_SET);
  return is ? &value->u.list : NULL;
}

/* A list, tuple or set with the items of the first argument, if there is one. */
static pickle_value *call_sequence(pickle *p, pickle_kind kind, const pickle_value *arguments)
{
  const pickle_list *items = sequence(pickle_item(arguments, 0));
  pickle_value *value = pickle_new_value(p, kind);
  for (size_t i = 0; value != NULL && items != NULL && i < items->count; i++)
    if (!pickle_append(p, &value->u.list, items->items[i]))
      return NULL;
  return value;
}

/* A dict of the pairs, or of the dict, in argument number `from`, if there is one. */
static pickle_value *call_dict(pickle *p, const pickle_value *arguments, size_t from)
{
  const pickle_value *given = pickle_item(arguments, from);
  pickle_value *value = pickle_new_value(p, PICKLE_DICT);
  if (value == NULL || given == NULL)
    return value;
  const pickle_list *entries = pickle_entries(given), *pairs = sequence(given);
  if (entries != NULL)
    return pickle_add_entries(p, value, entries->items, entries->count) ? value : NULL;
  for (size_t i = 0; pairs != NULL && i < pairs->count; i++) {
    const pickle_list *pair = sequence(pairs->items[i]);
    if (pair == NULL || pair->count != 2) {
      pickle_error(p, "a dict is made of what is no pairs");
      return NULL;
    }
    if (!pickle_add_entries(p, value, pair->items, 2))
      return NULL;
  }
  return value;
}

static bool is_latin1(const pickle_value *encoding)
{
  return pickle_is_text(encoding, "latin1") || pickle_is_text(encoding, "latin-1");
}

static pickle_value *call_bytes(pickle *p, const pickle_value *arguments)
{
  const pickle_value *given = pickle_item(arguments, 0);
  pickle_value *value = given != NULL && given->kind == PICKLE_STRING ? pickle_latin1(p, given)
                                                                      : pickle_new_value(p, PICKLE_BYTES);
  if (value != NULL && given != NULL && given->kind == PICKLE_BYTES)
    value->u.text = given->u.text;
  return value;
}

pickle_value *pickle_call(pickle *p, const pickle_value *maker, const pickle_value *arguments,
                          const pickle_value *keywords)
{
  static const char builtins[] = "builtins|__builtin__", collections[] = "collections",
                    jit[] = "torch.jit._pickle";
  if (keywords == NULL && maker->kind == PICKLE_GLOBAL) {
    size_t count = arguments->u.list.count;
    if (pickle_is_global(maker, collections, "OrderedDict") || pickle_is_global(maker, builtins, "dict"))
      return call_dict(p, arguments, 0);
    if (pickle_is_global(maker, collections, "defaultdict"))
      return call_dict(p, arguments, 1);
    if (pickle_is_global(maker, builtins, "list") || pickle_is_global(maker, collections, "deque"))
      return call_sequence(p, PICKLE_LIST, arguments);
    if (pickle_is_global(maker, builtins, "tuple") || pickle_is_global(maker, "torch", "Size"))
      return call_sequence(p, PICKLE_TUPLE, arguments);
    if (pickle_is_global(maker, builtins, "set") || pickle_is_global(maker, builtins, "frozenset"))
      return call_sequence(p, PICKLE_SET, arguments);
    if ((pickle_is_global(maker, "_codecs", "encode") && is_latin1(pickle_item(arguments, 1))) ||
        (count <= 2 &&
         (pickle_is_global(maker, builtins, "bytes") || pickle_is_global(maker, builtins, "bytearray"))))
      return call_bytes(p, arguments);
    /* How torch's own pickler, in C++, marks the types of containers. */
    if (pickle_is_global(maker, jit, "restore_type_tag") && count > 0)
      return arguments->u.list.items[0];
    if (pickle_is_global(maker, jit, "build_intlist") || pickle_is_global(maker, jit, "build_doublelist") ||
        pickle_is_global(maker, jit, "build_boollist") || pickle_is_global(maker, jit, "build_tensorlist"))
      return call_sequence(p, PICKLE_LIST, arguments);
  }
  pickle_value *value = pickle_new_value(p, PICKLE_OBJECT);
  if (value == NULL || (value->u.object = pickle_new(p, 1, sizeof *value->u.object)) == NULL)
    return NULL;
  value->u.object->maker = maker;
  value->u.object->arguments = arguments;
  value->u.object->keywords = keywords;
  return value;
}

bool pickle_set_state(pickle *p, pickle_value *value, const pickle_value *state)
{
  switch (value->kind) {
  case PICKLE_OBJECT:
    value->u.object->state = state;
    return true;
  case PICKLE_LIST: /* attributes of a container, such as the versions in a state dict */
  case PICKLE_TUPLE:
  case PICKLE_SET:
  case PICKLE_DICT:
  case PICKLE_GLOBAL:
  case PICKLE_PERSISTENT:
    return true;
  default:
    return pickle_error(p, "a state for what has none");
  }
}

bool pickle_add_items(pickle *p, pickle_value *value, pickle_value *const *items, size_t count, bool to_set)
{
  pickle_list *list = value->kind == PICKLE_OBJECT                         ? &value->u.object->items
                      : value->kind == (to_set ? PICKLE_SET : PICKLE_LIST) ? &value->u.list
                                                                           : NULL;
  if (list == NULL)
    return pickle_error(p, "an item for what is no %s", to_set ? "set" : "list");
  for (size_t i = 0; i < count; i++)
    if (!pickle_append(p, list, items[i]))
      return false;
  return true;
}

bool pickle_add_entries(pickle *p, pickle_value *value, pickle_value *const *entries, size_t count)
{
  pickle_list *list = value->kind == PICKLE_OBJECT ? &value->u.object->entries
                      : value->kind == PICKLE_DICT ? &value->u.list
                                                   : NULL;
  if (list == NULL)
    return pickle_error(p, "an entry for what is no dict");
  if (count % 2 != 0)
    return pickle_error(p, "a key without a value");
  for (size_t i = 0; i < count; i++) {
    pickle_kind kind = entries[i]->kind;
    if (i % 2 == 0 && (kind == PICKLE_LIST || kind == PICKLE_DICT))
      return pickle_error(p, "a %s as a key", kind == PICKLE_LIST ? "list" : "dict");
    if (!pickle_append(p, list, entries[i]))
      return false;
  }
  return true;
}
