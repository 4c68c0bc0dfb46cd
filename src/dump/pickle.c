/* The stack machine: one opcode after the other. */
#include "dump/pickle.h"

#include <stdlib.h>

#include "dump/pickle_build.h"

static bool build(pickle *p)
{
  if (!pickle_need(p, 2))
    return false;
  const pickle_value *state = pickle_pop(p);
  return pickle_set_state(p, pickle_top(p), state);
}

static bool extend(pickle *p, bool to_set)
{
  pickle_value **items, *target;
  size_t count;
  return pickle_close_mark(p, &items, &count) && (target = pickle_top(p)) != NULL &&
         pickle_add_items(p, target, items, count, to_set);
}

static bool append(pickle *p)
{
  if (!pickle_need(p, 2))
    return false;
  pickle_value *item = pickle_pop(p);
  return pickle_add_items(p, pickle_top(p), &item, 1, false);
}

static bool set_items(pickle *p)
{
  pickle_value **entries, *target;
  size_t count;
  return pickle_close_mark(p, &entries, &count) && (target = pickle_top(p)) != NULL &&
         pickle_add_entries(p, target, entries, count);
}

static bool set_item(pickle *p)
{
  if (!pickle_need(p, 3))
    return false;
  pickle_value *entry[2];
  entry[1] = pickle_pop(p);
  entry[0] = pickle_pop(p);
  return pickle_add_entries(p, pickle_top(p), entry, 2);
}

/* A pickler numbers what it stores, and every value takes a byte at least: larger numbers are no pickler's.
 */
static bool memo_put(pickle *p, uint64_t place)
{
  pickle_value *value = pickle_top(p);
  if (value == NULL)
    return false;
  if (place > p->at - p->free_bytes)
    return pickle_error(p, "memo number %llu where fewer values have been made", (unsigned long long)place);
  if (!pickle_grow(p, &p->memo, (size_t)place + 1))
    return false;
  for (; p->memo.count <= place; p->memo.count++)
    p->memo.items[p->memo.count] = NULL;
  p->memo.items[place] = value;
  return true;
}

static bool memo_get(pickle *p, uint64_t place)
{
  if (place >= p->memo.count || p->memo.items[place] == NULL)
    return pickle_error(p, "nothing was stored under memo number %llu", (unsigned long long)place);
  return pickle_push(p, p->memo.items[place]);
}

static bool memo_binary(pickle *p, unsigned size, bool (*use)(pickle *p, uint64_t place))
{
  uint64_t place;
  return pickle_take_number(p, &place, size) && use(p, place);
}

static bool memo_line(pickle *p, bool (*use)(pickle *p, uint64_t place))
{
  size_t length;
  const char *line = pickle_take_line(p, &length);
  if (line == NULL)
    return false;
  if (length > 0 && line[length - 1] == '\r')
    length--;
  uint64_t place = 0;
  for (size_t i = 0; i < length; i++) {
    if (line[i] < '0' || line[i] > '9' || i >= 18)
      return pickle_error(p, "a memo number that is no number");
    place = 10 * place + (uint64_t)(line[i] - '0');
  }
  return length == 0 ? pickle_error(p, "a memo number that is no number") : use(p, place);
}

static bool drop_top(pickle *p)
{
  if (p->mark_count > 0 && p->stack.count == pickle_fence(p)) {
    p->mark_count--;
    return true;
  }
  return pickle_pop(p) != NULL;
}

static bool drop_marked(pickle *p)
{
  pickle_value **items;
  size_t count;
  return pickle_close_mark(p, &items, &count);
}

static bool protocol(pickle *p)
{
  uint64_t version;
  if (!pickle_take_number(p, &version, 1))
    return false;
  return version <= 5 || pickle_error(p, "pickle protocol %u; 0 to 5 are known", (unsigned)version);
}

static bool frame(pickle *p)
{
  uint64_t length;
  if (!pickle_take_number(p, &length, 8))
    return false;
  return length <= p->source.length - p->next || pickle_error(p, "a frame that reaches beyond the end");
}

static bool stop(pickle *p)
{
  if (p->mark_count > 0)
    return pickle_error(p, "the pickle ends with an open mark");
  if ((p->root = pickle_pop(p)) == NULL)
    return false;
  return p->stack.count == 0 || pickle_error(p, "the pickle ends with values left on the stack");
}

static bool execute(pickle *p, unsigned char opcode)
{
  switch (opcode) {
  case '(':
    return pickle_open_mark(p);
  case '.':
    return stop(p);
  case '0':
    return drop_top(p);
  case '1':
    return drop_marked(p);
  case '2':
    return pickle_push(p, pickle_top(p));
  case 'F':
    return pickle_push_line(p, pickle_line_float);
  case 'I':
    return pickle_push_line(p, pickle_line_int);
  case 'L':
    return pickle_push_line(p, pickle_line_long);
  case 'S':
    return pickle_push_line(p, pickle_line_string);
  case 'V':
    return pickle_push_line(p, pickle_line_unicode);
  case 'J':
    return pickle_push_int(p, 4, true);
  case 'K':
    return pickle_push_int(p, 1, false);
  case 'M':
    return pickle_push_int(p, 2, false);
  case 'G':
    return pickle_push_float(p);
  case 0x8a: /* LONG1 */
    return pickle_push_long(p, 1);
  case 0x8b: /* LONG4 */
    return pickle_push_long(p, 4);
  case 'N':
    return pickle_push(p, pickle_new_value(p, PICKLE_NONE));
  case 0x88: /* NEWTRUE */
    return pickle_push_bool(p, true);
  case 0x89: /* NEWFALSE */
    return pickle_push_bool(p, false);
  case 'U': /* strings of Python 2 */
  case 'C': /* SHORT_BINBYTES */
    return pickle_push_text(p, PICKLE_BYTES, 1);
  case 'T':
  case 'B': /* BINBYTES */
    return pickle_push_text(p, PICKLE_BYTES, 4);
  case 0x8e: /* BINBYTES8 */
  case 0x96: /* BYTEARRAY8 */
    return pickle_push_text(p, PICKLE_BYTES, 8);
  case 0x8c: /* SHORT_BINUNICODE */
    return pickle_push_text(p, PICKLE_STRING, 1);
  case 'X':
    return pickle_push_text(p, PICKLE_STRING, 4);
  case 0x8d: /* BINUNICODE8 */
    return pickle_push_text(p, PICKLE_STRING, 8);
  case ')':
    return pickle_push_small_tuple(p, 0);
  case 0x85:
    return pickle_push_small_tuple(p, 1);
  case 0x86:
    return pickle_push_small_tuple(p, 2);
  case 0x87:
    return pickle_push_small_tuple(p, 3);
  case 't':
    return pickle_push_marked(p, PICKLE_TUPLE);
  case ']':
    return pickle_push_sequence(p, PICKLE_LIST, NULL, 0);
  case 'l':
    return pickle_push_marked(p, PICKLE_LIST);
  case '}':
    return pickle_push_sequence(p, PICKLE_DICT, NULL, 0);
  case 'd':
    return pickle_push_marked(p, PICKLE_DICT);
  case 0x8f: /* EMPTY_SET */
    return pickle_push_sequence(p, PICKLE_SET, NULL, 0);
  case 0x91: /* FROZENSET */
    return pickle_push_marked(p, PICKLE_SET);
  case 'a':
    return append(p);
  case 'e':
    return extend(p, false);
  case 0x90: /* ADDITEMS */
    return extend(p, true);
  case 's':
    return set_item(p);
  case 'u':
    return set_items(p);
  case 'c':
    return pickle_push(p, pickle_take_global(p));
  case 0x93: /* STACK_GLOBAL */
    return pickle_push_stack_global(p);
  case 0x82: /* EXT1, EXT2, EXT4 */
    return pickle_push_extension(p, 1);
  case 0x83:
    return pickle_push_extension(p, 2);
  case 0x84:
    return pickle_push_extension(p, 4);
  case 'R':
  case 0x81: /* NEWOBJ */
    return pickle_push_call(p, false);
  case 0x92: /* NEWOBJ_EX */
    return pickle_push_call(p, true);
  case 'i': {
    const pickle_value *maker = pickle_take_global(p);
    return maker != NULL && pickle_push_instance(p, maker);
  }
  case 'o':
    return pickle_push_instance(p, NULL);
  case 'b':
    return build(p);
  case 'P':
    return pickle_push_line_persistent(p);
  case 'Q':
    return pickle_push_persistent(p, pickle_pop(p));
  case 'p':
    return memo_line(p, memo_put);
  case 'q':
    return memo_binary(p, 1, memo_put);
  case 'r':
    return memo_binary(p, 4, memo_put);
  case 0x94: /* MEMOIZE */
    return memo_put(p, p->memo.count);
  case 'g':
    return memo_line(p, memo_get);
  case 'h':
    return memo_binary(p, 1, memo_get);
  case 'j':
    return memo_binary(p, 4, memo_get);
  case 0x80:
    return protocol(p);
  case 0x95:
    return frame(p);
  case 0x97: /* NEXT_BUFFER, READONLY_BUFFER */
  case 0x98:
    return pickle_error(p, "the pickle refers to buffers that are not in the file");
  default:
    return pickle_error(p, "no pickle opcode: byte 0x%02x", opcode);
  }
}

pickle *pickle_read(const pickle_source *source, const dump_limits *limits, uint64_t *end, dump_error *error)
{
  pickle *p = memory_new(1, sizeof *p);
  p->source = *source;
  p->error = error;
  p->region = memory_region_create();
  p->program = limits->header_bytes;
  /* A value takes a few bytes of program and a few dozen bytes here; more is the sign of a bomb. */
  p->room = limits->header_bytes > UINT64_MAX / 16 ? UINT64_MAX : 8 * limits->header_bytes + 65536;
  p->depth = limits->depth;
  unsigned char opcode = 0;
  bool good = true;
  while (good && opcode != '.') {
    p->at = p->next;
    if (p->next == source->length)
      good = pickle_error(p, "the pickle has no end");
    else if (p->next - p->free_bytes >= p->program)
      good = pickle_error(p, "the pickle exceeds the limit of %llu bytes", (unsigned long long)p->program);
    else {
      opcode = source->data[p->next++];
      good = execute(p, opcode);
    }
  }
  *end = p->next;
  if (good)
    return p;
  pickle_free(p);
  return NULL;
}

void pickle_free(pickle *p)
{
  if (p == NULL)
    return;
  free(p->stack.items);
  free(p->memo.items);
  free(p->persistent.items);
  free(p->marks);
  memory_region_destroy(p->region);
  free(p);
}
