/* The parts of the pickle machine. Private to pickle*.c. */
#ifndef ASSAY_DUMP_PICKLE_BUILD_H
#define ASSAY_DUMP_PICKLE_BUILD_H

#include "core/memory.h"
#include "dump/pickle.h"

typedef struct {
  pickle_value **items;
  size_t count, capacity;
} pickle_stack;

struct pickle {
  pickle_source source;
  dump_error *error;
  memory_region *region;
  uint64_t used, room; /* bytes of the region and of what follows; their limit */
  uint64_t at;         /* of the opcode in work */
  uint64_t next;       /* of the byte to be read next */
  uint64_t free_bytes; /* contents of bytes objects so far */
  uint64_t program;    /* limit of all others */
  uint32_t depth;
  pickle_stack stack, memo, persistent;
  size_t *marks; /* heights of the stack */
  size_t mark_count, mark_capacity;
  size_t count;
  pickle_value *root;
};

/* All of these return NULL or false with the error set. */
void *pickle_new(pickle *p, size_t count, size_t size);
pickle_value *pickle_new_value(pickle *p, pickle_kind kind);
bool pickle_append(pickle *p, pickle_list *list, pickle_value *value);
bool pickle_grow(pickle *p, pickle_stack *stack, size_t count);
bool pickle_error(pickle *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Text of the pickle's own. */
char *pickle_copy(pickle *p, const char *data, size_t length);

/* What the call of `maker` makes. */
pickle_value *pickle_call(pickle *p, const pickle_value *maker, const pickle_value *arguments,
                          const pickle_value *keywords);
bool pickle_set_state(pickle *p, pickle_value *value, const pickle_value *state);
bool pickle_add_items(pickle *p, pickle_value *value, pickle_value *const *items, size_t count, bool to_set);
/* keys and values in turn */
bool pickle_add_entries(pickle *p, pickle_value *value, pickle_value *const *entries, size_t count);

/* Text opcodes: a line of the source, without its end, as a value. */
pickle_value *pickle_line_int(pickle *p, const char *line, size_t length);
pickle_value *pickle_line_long(pickle *p, const char *line, size_t length);
pickle_value *pickle_line_float(pickle *p, const char *line, size_t length);
pickle_value *pickle_line_string(pickle *p, const char *line, size_t length);
pickle_value *pickle_line_unicode(pickle *p, const char *line, size_t length);
/* Two's complement, least significant byte first. */
pickle_value *pickle_long(pickle *p, const unsigned char *data, size_t length);
/* Latin-1 text as the bytes that it stands for; of Unicode beyond U+00FF an error. */
pickle_value *pickle_latin1(pickle *p, const pickle_value *text);

/* Arguments of an opcode (pickle_push.c). The line is without its end. */
bool pickle_take_number(pickle *p, uint64_t *number, unsigned size);
const char *pickle_take_line(pickle *p, size_t *length);
pickle_value *pickle_take_global(pickle *p);

/* The stack. pop and top look no further down than the last mark; NULL there. A closed mark's items are good
 * until the next push. */
bool pickle_push(pickle *p, pickle_value *value);
size_t pickle_fence(const pickle *p);
bool pickle_need(pickle *p, size_t count);
pickle_value *pickle_pop(pickle *p);
pickle_value *pickle_top(pickle *p);
bool pickle_open_mark(pickle *p);
bool pickle_close_mark(pickle *p, pickle_value ***items, size_t *count);
bool pickle_push_sequence(pickle *p, pickle_kind kind, pickle_value *const *items, size_t count);
bool pickle_push_marked(pickle *p, pickle_kind kind);
bool pickle_push_small_tuple(pickle *p, size_t count);
bool pickle_push_bool(pickle *p, bool is_true);
bool pickle_push_int(pickle *p, unsigned size, bool is_signed);
bool pickle_push_float(pickle *p);
bool pickle_push_long(pickle *p, unsigned size);
bool pickle_push_text(pickle *p, pickle_kind kind, unsigned size);
bool pickle_push_line(pickle *p, pickle_value *(*make)(pickle *p, const char *line, size_t length));
bool pickle_push_stack_global(pickle *p);
bool pickle_push_extension(pickle *p, unsigned size);
bool pickle_push_persistent(pickle *p, const pickle_value *id);
bool pickle_push_line_persistent(pickle *p);
bool pickle_push_call(pickle *p, bool keywords);
bool pickle_push_instance(pickle *p, const pickle_value *maker);

#endif
