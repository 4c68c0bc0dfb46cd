/* The stack of the pickle machine: taking arguments from the program, pushing what they make, marks. */
#include <string.h>

#include "dump/octets.h"
#include "dump/pickle_build.h"

/* `count` bytes of argument, or NULL. Their contents do not count as program when `apart`. */
static const unsigned char *take(pickle *p, uint64_t count, bool apart)
{
  if (count > p->source.length - p->next) {
    pickle_error(p, "the pickle ends inside this opcode");
    return NULL;
  }
  const unsigned char *bytes = p->source.data + p->next;
  p->next += count;
  if (apart)
    p->free_bytes += count;
  return bytes;
}

bool pickle_take_number(pickle *p, uint64_t *number, unsigned size)
{
  const unsigned char *bytes = take(p, size, false);
  if (bytes != NULL)
    *number = octets_little(bytes, size);
  return bytes != NULL;
}

/* The rest of the line, without its end; NULL on failure. */
const char *pickle_take_line(pickle *p, size_t *length)
{
  const char *line = (const char *)p->source.data + p->next;
  uint64_t rest = p->source.length - p->next;
  const char *end = rest > 0 ? memchr(line, '\n', (size_t)rest) : NULL;
  if (end == NULL) {
    pickle_error(p, "the pickle ends inside this opcode's line");
    return NULL;
  }
  *length = (size_t)(end - line);
  p->next += *length + 1;
  return line;
}

bool pickle_push(pickle *p, pickle_value *value)
{
  if (value == NULL || !pickle_grow(p, &p->stack, p->stack.count + 1))
    return false;
  p->stack.items[p->stack.count++] = value;
  return true;
}

/* The values above the last mark, or above the bottom. */
size_t pickle_fence(const pickle *p)
{
  return p->mark_count > 0 ? p->marks[p->mark_count - 1] : 0;
}

bool pickle_need(pickle *p, size_t count)
{
  return p->stack.count - pickle_fence(p) >= count || pickle_error(p, "the stack holds too few values");
}

pickle_value *pickle_pop(pickle *p)
{
  return pickle_need(p, 1) ? p->stack.items[--p->stack.count] : NULL;
}

/* The top, which stays. */
pickle_value *pickle_top(pickle *p)
{
  return pickle_need(p, 1) ? p->stack.items[p->stack.count - 1] : NULL;
}

bool pickle_open_mark(pickle *p)
{
  if (p->mark_count >= p->depth)
    return pickle_error(p, "more than %u open marks", p->depth);
  if (p->mark_count == p->mark_capacity) {
    p->mark_capacity = p->mark_capacity == 0 ? 16 : 2 * p->mark_capacity;
    p->marks = memory_resize(p->marks, p->mark_capacity, sizeof *p->marks);
  }
  p->marks[p->mark_count++] = p->stack.count;
  return true;
}

/* Takes the mark and everything above it: *items, good until the next push. */
bool pickle_close_mark(pickle *p, pickle_value ***items, size_t *count)
{
  *items = NULL;
  *count = 0;
  if (p->mark_count == 0)
    return pickle_error(p, "no mark is open");
  size_t height = p->marks[--p->mark_count];
  *items = p->stack.items == NULL ? NULL : p->stack.items + height;
  *count = p->stack.count - height;
  p->stack.count = height;
  return true;
}

bool pickle_push_sequence(pickle *p, pickle_kind kind, pickle_value *const *items, size_t count)
{
  pickle_value *value = pickle_new_value(p, kind);
  if (value == NULL)
    return false;
  if (count > 0) {
    value->u.list.items = pickle_new(p, count, sizeof *items);
    if (value->u.list.items == NULL)
      return false;
    memcpy(value->u.list.items, items, count * sizeof *items);
    value->u.list.count = value->u.list.capacity = count;
  }
  return pickle_push(p, value);
}

bool pickle_push_marked(pickle *p, pickle_kind kind)
{
  pickle_value **items;
  size_t count;
  if (!pickle_close_mark(p, &items, &count))
    return false;
  if (kind != PICKLE_DICT)
    return pickle_push_sequence(p, kind, items, count);
  pickle_value *dict = pickle_new_value(p, PICKLE_DICT);
  return dict != NULL && pickle_add_entries(p, dict, items, count) && pickle_push(p, dict);
}

bool pickle_push_small_tuple(pickle *p, size_t count)
{
  if (!pickle_need(p, count))
    return false;
  p->stack.count -= count;
  return pickle_push_sequence(p, PICKLE_TUPLE,
                              p->stack.items == NULL ? NULL : p->stack.items + p->stack.count, count);
}

bool pickle_push_bool(pickle *p, bool is_true)
{
  pickle_value *value = pickle_new_value(p, PICKLE_BOOL);
  if (value == NULL)
    return false;
  value->u.truth = is_true;
  return pickle_push(p, value);
}

bool pickle_push_int(pickle *p, unsigned size, bool is_signed)
{
  uint64_t number;
  if (!pickle_take_number(p, &number, size))
    return false;
  pickle_value *value = pickle_new_value(p, PICKLE_INT);
  if (value == NULL)
    return false;
  value->u.integer = is_signed ? (int64_t)(int32_t)(uint32_t)number : (int64_t)number;
  return pickle_push(p, value);
}

bool pickle_push_float(pickle *p)
{
  const unsigned char *bytes = take(p, 8, false);
  pickle_value *value = bytes == NULL ? NULL : pickle_new_value(p, PICKLE_FLOAT);
  if (value == NULL)
    return false;
  uint64_t bits = octets_big(bytes, 8);
  memcpy(&value->u.number, &bits, sizeof bits);
  return pickle_push(p, value);
}

bool pickle_push_long(pickle *p, unsigned size)
{
  uint64_t length;
  if (!pickle_take_number(p, &length, size))
    return false;
  if (size == 4 && length > INT32_MAX)
    return pickle_error(p, "an integer of negative length");
  const unsigned char *bytes = take(p, length, false);
  return bytes != NULL && pickle_push(p, pickle_long(p, bytes, (size_t)length));
}

/* Text or bytes with their length before them. */
bool pickle_push_text(pickle *p, pickle_kind kind, unsigned size)
{
  uint64_t length;
  if (!pickle_take_number(p, &length, size))
    return false;
  const unsigned char *bytes = take(p, length, kind == PICKLE_BYTES);
  pickle_value *value = bytes == NULL ? NULL : pickle_new_value(p, kind);
  if (value == NULL)
    return false;
  value->u.text.data = (const char *)bytes;
  value->u.text.length = (size_t)length;
  return pickle_push(p, value);
}

bool pickle_push_line(pickle *p, pickle_value *(*make)(pickle *p, const char *line, size_t length))
{
  size_t length;
  const char *line = pickle_take_line(p, &length);
  return line != NULL && pickle_push(p, make(p, line, length));
}

static pickle_value *make_global(pickle *p, const char *module, size_t module_length, const char *name,
                                 size_t name_length)
{
  if (memchr(module, 0, module_length) != NULL || memchr(name, 0, name_length) != NULL) {
    pickle_error(p, "the name of a class contains NUL");
    return NULL;
  }
  pickle_value *value = pickle_new_value(p, PICKLE_GLOBAL);
  if (value == NULL)
    return NULL;
  value->u.global.module = pickle_copy(p, module, module_length);
  value->u.global.name = pickle_copy(p, name, name_length);
  return value->u.global.module != NULL && value->u.global.name != NULL ? value : NULL;
}

pickle_value *pickle_take_global(pickle *p)
{
  size_t module_length, name_length;
  const char *module = pickle_take_line(p, &module_length);
  const char *name = module == NULL ? NULL : pickle_take_line(p, &name_length);
  return name == NULL ? NULL : make_global(p, module, module_length, name, name_length);
}

bool pickle_push_stack_global(pickle *p)
{
  if (!pickle_need(p, 2))
    return false;
  const pickle_value *name = pickle_pop(p), *module = pickle_pop(p);
  if (name->kind != PICKLE_STRING || module->kind != PICKLE_STRING)
    return pickle_error(p, "the name of a class is no string");
  return pickle_push(
      p, make_global(p, module->u.text.data, module->u.text.length, name->u.text.data, name->u.text.length));
}

/* A class by its number in a table that is not here. */
bool pickle_push_extension(pickle *p, unsigned size)
{
  uint64_t code;
  if (!pickle_take_number(p, &code, size))
    return false;
  char name[24] = "";
  size_t at = sizeof name;
  do
    name[--at] = (char)('0' + code % 10);
  while ((code /= 10) > 0);
  return pickle_push(p, make_global(p, "copyreg.extension", 17, name + at, sizeof name - at));
}

bool pickle_push_persistent(pickle *p, const pickle_value *id)
{
  pickle_value *value = id == NULL ? NULL : pickle_new_value(p, PICKLE_PERSISTENT);
  if (value == NULL || !pickle_grow(p, &p->persistent, p->persistent.count + 1))
    return false;
  value->u.id = id;
  p->persistent.items[p->persistent.count++] = value;
  return pickle_push(p, value);
}

bool pickle_push_line_persistent(pickle *p)
{
  size_t length;
  const char *line = pickle_take_line(p, &length);
  pickle_value *id = line == NULL ? NULL : pickle_new_value(p, PICKLE_STRING);
  if (id == NULL)
    return false;
  id->u.text.data = line;
  id->u.text.length = length;
  return pickle_push_persistent(p, id);
}

bool pickle_push_call(pickle *p, bool keywords)
{
  if (!pickle_need(p, keywords ? 3 : 2))
    return false;
  const pickle_value *named = keywords ? pickle_pop(p) : NULL, *arguments = pickle_pop(p),
                     *maker = pickle_pop(p);
  if (arguments->kind != PICKLE_TUPLE)
    return pickle_error(p, "the arguments of a call are no tuple");
  if (maker->kind != PICKLE_GLOBAL && maker->kind != PICKLE_OBJECT && maker->kind != PICKLE_PERSISTENT)
    return pickle_error(p, "a call of what is no class and no function");
  return pickle_push(p, pickle_call(p, maker, arguments, named));
}

/* INST and OBJ: class and arguments above a mark. */
bool pickle_push_instance(pickle *p, const pickle_value *maker)
{
  pickle_value **items;
  size_t count;
  bool inside = maker == NULL; /* the class is the first of the marked values */
  if (!pickle_close_mark(p, &items, &count))
    return false;
  if (inside) {
    if (count == 0)
      return pickle_error(p, "the stack holds too few values");
    maker = *items++;
    count--;
  }
  if (maker->kind != PICKLE_GLOBAL && maker->kind != PICKLE_PERSISTENT)
    return pickle_error(p, "an instance of what is no class");
  if (!pickle_push_sequence(p, PICKLE_TUPLE, items, count))
    return false;
  const pickle_value *arguments = pickle_pop(p);
  return pickle_push(p, pickle_call(p, maker, arguments, NULL));
}
