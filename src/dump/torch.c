/* The walk over a checkpoint's values: names, kinds, notes. */
#include "dump/torch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/torch_kind.h"
#include "dump/torch_storage.h"

enum {
  NAME_BYTES = 4096,
  NOTES = 100000,
  NOTE_BYTES = 256,
  ON_PATH = 1, /* marks: the walk is inside of it */
  VISITED = 2,
  QUEUED = 4, /* a module whose other attributes will be looked at */
  QUEUE_BYTES = 64 << 20
};

/* A module, its name and what it is part of. */
typedef struct {
  const pickle_value *module;
  char *path;
  torch_part part;
} queued;

typedef struct {
  torch_reader *r;
  text path;
  unsigned too_long; /* keys in force that did not fit into the path */
  uint64_t steps, limit;
  uint32_t depth;
  uint64_t tensors;
  bool plain, once; /* once: what has been seen is passed over */
  queued *queue;
  size_t queue_count, queue_capacity, queue_bytes;
} walker;

static bool walk(walker *w, pickle_value *value, torch_part part);

static bool fail(walker *w, uint64_t at, const char *reason)
{
  torch_fail(w->r, at, reason);
  return false;
}

/* What pop needs to take a key off the path again. */
typedef struct {
  size_t length;
  bool fits;
} path_mark;

static path_mark path_push(walker *w, const char *key, size_t length)
{
  path_mark mark = {w->path.length, w->path.length + 1 + length <= NAME_BYTES};
  if (!mark.fits) {
    w->too_long++;
    return mark;
  }
  if (w->path.length > 0)
    text_add_char(&w->path, '.');
  text_add_bytes(&w->path, key, length);
  return mark;
}

static void path_pop(walker *w, path_mark mark)
{
  if (!mark.fits)
    w->too_long--;
  w->path.length = mark.length;
  if (w->path.data != NULL)
    w->path.data[mark.length] = 0;
}

static void add_note(walker *w, const char *value)
{
  const char *name = w->path.length > 0 ? text_string(&w->path) : "top";
  dump_file *file = w->r->file;
  if (w->too_long == 0 && file->note_count < NOTES &&
      reader_name_fits(name, w->path.length > 0 ? w->path.length : 3))
    reader_add_note(file, name, value);
}

/* A number or string that a key leads to. */
static void note_scalar(walker *w, const pickle_value *value)
{
  char buffer[NOTE_BYTES + 1];
  switch (value->kind) {
  case PICKLE_NONE:
    add_note(w, "None");
    break;
  case PICKLE_BOOL:
    add_note(w, value->u.truth ? "True" : "False");
    break;
  case PICKLE_INT:
    snprintf(buffer, sizeof buffer, "%lld", (long long)value->u.integer);
    add_note(w, buffer);
    break;
  case PICKLE_FLOAT:
    snprintf(buffer, sizeof buffer, "%.17g", value->u.number);
    add_note(w, buffer);
    break;
  case PICKLE_STRING:
  case PICKLE_NUMERAL:
    if (value->u.text.length > NOTE_BYTES || !reader_name_fits(value->u.text.data, value->u.text.length))
      break;
    memcpy(buffer, value->u.text.data, value->u.text.length);
    buffer[value->u.text.length] = 0;
    add_note(w, buffer);
    break;
  default:
    break;
  }
}

static bool add_tensor(walker *w, dump_tensor *tensor, torch_answer kind, torch_part part, uint64_t at)
{
  const char *name = w->path.length > 0 ? text_string(&w->path) : "tensor";
  if (w->too_long > 0)
    return fail(w, at, "the name of a tensor exceeds 4096 bytes");
  if (!reader_name_fits(name, w->path.length > 0 ? w->path.length : strlen(name)))
    return fail(w, at, "the name of a tensor is not UTF-8, or contains NUL");
  if (++w->tensors > w->r->limits->tensors) {
    pickle_fail(&w->r->source, w->r->error, at, "more tensors than the limit of %llu",
                (unsigned long long)w->r->limits->tensors);
    return false;
  }
  bool parameter = part == PART_PARAMETERS || (part == PART_OPEN && (kind == TORCH_TENSOR || w->plain));
  dump_tensor *added = reader_add(w->r->file, name);
  tensor->name = added->name;
  tensor->kind = parameter ? DUMP_PARAMETER : part == PART_OPTIMIZER ? DUMP_OPTIMIZER : DUMP_EXTRA;
  *added = *tensor;
  return true;
}

/* Apart from walk, whose frames should be small. *taken: the value is an array of whatever kind. */
static __attribute__((noinline)) bool take(walker *w, bool *taken, const pickle_value *value, torch_part part)
{
  dump_tensor tensor;
  const char *why = NULL;
  torch_answer answer = torch_take(w->r, &tensor, &why, value);
  *taken = answer != TORCH_NOTHING;
  if (answer == TORCH_BAD)
    return false;
  if (answer == TORCH_UNREAD) {
    char note[NOTE_BYTES];
    snprintf(note, sizeof note, "%s: not read", why);
    add_note(w, note);
  }
  return answer != TORCH_TENSOR && answer != TORCH_ARRAY ? true
                                                         : add_tensor(w, &tensor, answer, part, value->at);
}

/* A key as a part of a name; keys without text are numbered. */
static path_mark push_key(walker *w, const pickle_value *key, size_t place)
{
  char buffer[32];
  switch (key->kind) {
  case PICKLE_STRING:
  case PICKLE_BYTES:
  case PICKLE_NUMERAL:
    return path_push(w, key->u.text.data, key->u.text.length);
  case PICKLE_INT:
    snprintf(buffer, sizeof buffer, "%lld", (long long)key->u.integer);
    break;
  case PICKLE_BOOL:
    snprintf(buffer, sizeof buffer, "%s", key->u.truth ? "True" : "False");
    break;
  case PICKLE_NONE:
    snprintf(buffer, sizeof buffer, "None");
    break;
  case PICKLE_FLOAT:
    snprintf(buffer, sizeof buffer, "%.17g", key->u.number);
    break;
  default:
    snprintf(buffer, sizeof buffer, "#%zu", place);
    break;
  }
  return path_push(w, buffer, strlen(buffer));
}

static bool is_scalar(const pickle_value *value)
{
  return value->kind <= PICKLE_BYTES;
}

/* What is known of a class or function by name only, and of what it would have made. */
static void note_inert(walker *w, const pickle_value *value)
{
  const pickle_value *named = value->kind == PICKLE_OBJECT ? value->u.object->maker : value;
  if (named->kind == PICKLE_PERSISTENT && value != named)
    named = pickle_item(named->u.id, 1); /* ("module", class, ...), as torch wrote classes before 1.6 */
  if (named == NULL || named->kind != PICKLE_GLOBAL)
    return;
  char note[NOTE_BYTES];
  int length = snprintf(note, sizeof note, "%s%s.%s", value == named ? "" : "inert: ", named->u.global.module,
                        named->u.global.name);
  if (length >= 0 && length < NOTE_BYTES && reader_name_fits(note, (size_t)length))
    add_note(w, note);
}

static bool walk_under(walker *w, const pickle_value *key, size_t place, pickle_value *value, torch_part part)
{
  if (key->kind == PICKLE_STRING || key->kind == PICKLE_BYTES)
    part = torch_part_under(key->u.text.data, key->u.text.length, part);
  path_mark mark = push_key(w, key, place);
  bool good = true;
  if (is_scalar(value))
    note_scalar(w, value);
  else
    good = walk(w, value, part);
  path_pop(w, mark);
  return good;
}

static bool walk_entries(walker *w, const pickle_list *entries, torch_part part)
{
  w->steps += entries->count;
  for (size_t i = 0; i < entries->count; i += 2)
    if (!walk_under(w, entries->items[i], i / 2, entries->items[i + 1], part))
      return false;
  return true;
}

/* Items without keys: numbers and strings among them are not kept. */
static bool walk_items(walker *w, const pickle_list *items, torch_part part)
{
  w->steps += items->count;
  for (size_t i = 0; i < items->count; i++) {
    if (is_scalar(items->items[i]))
      continue;
    char index[24];
    snprintf(index, sizeof index, "%zu", i);
    path_mark mark = path_push(w, index, strlen(index));
    bool good = walk(w, items->items[i], part);
    path_pop(w, mark);
    if (!good)
      return false;
  }
  return true;
}

/* The attributes of an object: those of its __dict__ and those of its slots. */
static const pickle_value *attributes_of(const pickle_value *value, unsigned i)
{
  const pickle_value *state = value->u.object->state;
  if (state != NULL && state->kind == PICKLE_TUPLE)
    return pickle_item(state, i);
  return i == 0 ? state : NULL;
}

static bool is_module(const pickle_value *value)
{
  const pickle_value *attributes = attributes_of(value, 0);
  return pickle_get(attributes, "_parameters") != NULL && pickle_get(attributes, "_modules") != NULL;
}

static bool set_contains(walker *w, const pickle_value *set, const pickle_value *key)
{
  bool known = set != NULL && set->kind == PICKLE_SET && key->kind == PICKLE_STRING;
  w->steps += known ? set->u.list.count : 0;
  for (size_t i = 0; known && i < set->u.list.count; i++) {
    const pickle_value *item = set->u.list.items[i];
    if (item->kind == PICKLE_STRING && item->u.text.length == key->u.text.length &&
        memcmp(item->u.text.data, key->u.text.data, key->u.text.length) == 0)
      return true;
  }
  return false;
}

/* One of the dicts in which a module keeps its parts; `apart` names those that a state dict leaves out. */
static bool walk_parts(walker *w, const pickle_value *parts, torch_part part, const pickle_value *apart)
{
  const pickle_list *entries = pickle_entries(parts);
  for (size_t i = 0; entries != NULL && i < entries->count; i += 2) {
    const pickle_value *key = entries->items[i];
    pickle_value *value = entries->items[i + 1];
    w->steps++;
    if (is_scalar(value))
      continue; /* None, as a rule: a parameter that this module does without */
    path_mark mark = push_key(w, key, i / 2);
    bool good = walk(w, value, set_contains(w, apart, key) ? PART_EXTRA : part);
    path_pop(w, mark);
    if (!good)
      return false;
  }
  return true;
}

/* Other attributes wait until all that has a proper name has got it. */
static bool enqueue(walker *w, pickle_value *module, torch_part part)
{
  if ((module->marks & QUEUED) != 0 || w->too_long > 0)
    return true;
  module->marks |= QUEUED;
  w->queue_bytes += w->path.length + 1;
  if (w->queue_bytes > QUEUE_BYTES)
    return fail(w, module->at, "the names of all modules exceed 64 MiB");
  if (w->queue_count == w->queue_capacity) {
    w->queue_capacity = w->queue_capacity == 0 ? 16 : memory_multiply(w->queue_capacity, 2);
    w->queue = memory_resize(w->queue, w->queue_capacity, sizeof *w->queue);
  }
  w->queue[w->queue_count++] = (queued){module, memory_copy_string(text_string(&w->path)), part};
  return true;
}

/* Names as state_dict() gives them. */
static bool walk_module(walker *w, pickle_value *module, torch_part part)
{
  const pickle_value *attributes = attributes_of(module, 0);
  const pickle_value *apart = pickle_get(attributes, "_non_persistent_buffers_set");
  if (part == PART_OPEN)
    part = PART_PARAMETERS;
  return walk_parts(w, pickle_get(attributes, "_parameters"), part, NULL) &&
         walk_parts(w, pickle_get(attributes, "_buffers"), part, apart) &&
         walk_parts(w, pickle_get(attributes, "_modules"), part, NULL) && enqueue(w, module, part);
}

/* Arrays elsewhere in a module's attributes are extra. */
static bool walk_attributes(walker *w, const pickle_value *module, torch_part part)
{
  const pickle_list *entries = pickle_entries(attributes_of(module, 0));
  for (size_t i = 0; i < entries->count; i += 2) {
    const pickle_value *key = entries->items[i];
    bool inner = pickle_is_text(key, "training") ||
                 (key->kind == PICKLE_STRING && key->u.text.length > 0 && key->u.text.data[0] == '_');
    if (!inner &&
        !walk_under(w, key, i / 2, entries->items[i + 1], part == PART_OPTIMIZER ? part : PART_EXTRA))
      return false;
  }
  return true;
}

/* The queue grows while it is worked off. Not `good`: it is only dropped. */
static bool walk_queue(walker *w, bool good)
{
  w->once = true;
  for (size_t i = 0; i < w->queue_count; i++) {
    queued next = w->queue[i];
    path_mark mark = {0, true};
    if (next.path[0] != 0)
      path_push(w, next.path, strlen(next.path));
    good = good && walk_attributes(w, next.module, next.part);
    path_pop(w, mark);
    free(next.path);
  }
  free(w->queue);
  return good;
}

static bool walk_object(walker *w, pickle_value *value, torch_part part)
{
  const pickle_object *object = value->u.object;
  if (is_module(value))
    return walk_module(w, value, part);
  part = torch_part_of(value, part, w->plain);
  if (!walk_entries(w, &object->entries, part) || !walk_items(w, &object->items, part))
    return false;
  bool has_attributes = false;
  for (unsigned i = 0; i < 2; i++) {
    const pickle_value *attributes = attributes_of(value, i);
    const pickle_list *entries = pickle_entries(attributes);
    has_attributes = has_attributes || entries != NULL;
    if (entries != NULL && !walk_entries(w, entries, part))
      return false;
  }
  return has_attributes || object->entries.count > 0 || object->items.count > 0 ||
         walk_items(w, &object->arguments->u.list, part);
}

static bool walk_inside(walker *w, pickle_value *value, torch_part part)
{
  switch (value->kind) {
  case PICKLE_LIST:
  case PICKLE_TUPLE:
  case PICKLE_SET:
    return walk_items(w, &value->u.list, part);
  case PICKLE_DICT:
    return walk_entries(w, &value->u.list, torch_part_of(value, part, w->plain));
  case PICKLE_OBJECT:
    return walk_object(w, value, part);
  default:
    return true;
  }
}

static bool walk(walker *w, pickle_value *value, torch_part part)
{
  if ((value->marks & ON_PATH) != 0 || (w->once && (value->marks & VISITED) != 0))
    return true; /* a part of itself; or no longer of interest */
  if (++w->steps > w->limit)
    return fail(w, value->at, "the values of the pickle share their parts too often to be listed");
  if (w->depth >= w->r->limits->depth) {
    pickle_fail(&w->r->source, w->r->error, value->at, "values nest deeper than %u", w->r->limits->depth);
    return false;
  }
  bool taken = false;
  if ((value->kind == PICKLE_OBJECT || value->kind == PICKLE_PERSISTENT) && !take(w, &taken, value, part))
    return false;
  value->marks |= VISITED;
  if (taken)
    return true;
  note_inert(w, value);
  value->marks |= ON_PATH;
  w->depth++;
  bool good = walk_inside(w, value, part);
  w->depth--;
  value->marks &= (unsigned char)~ON_PATH;
  return good;
}

bool torch_finish(torch_reader *r)
{
  enum { TIMES = 16, AT_LEAST = 1000000 };
  walker w = {.r = r, .limit = AT_LEAST + TIMES * (uint64_t)pickle_count(r->values)};
  w.plain = r->storage_count == 0;
  text_init(&w.path);
  bool good = walk(&w, pickle_root(r->values), PART_OPEN);
  good = walk_queue(&w, good);
  text_clear(&w.path);
  return good;
}
