/* The parts of a GGUF file: reading its bytes in order, its typed values, its tensor types. Private to
 * src/dump. */
#ifndef ASSAY_DUMP_GGUF_H
#define ASSAY_DUMP_GGUF_H

#include "core/text.h"
#include "dump/dump.h"

/* A place in the header. */
typedef struct {
  const char *name; /* of the file */
  const unsigned char *data;
  uint64_t at;
  uint64_t end;     /* of the file, or the limit on headers when that comes first */
  bool limited;     /* `end` is that limit */
  bool big;
  uint32_t depth;   /* of nested arrays, at most */
  dump_error *error;
} gguf_cursor;

enum { GGUF_U32 = 4, GGUF_STRING = 8 }; /* some types of values */

/* Sets the error; always false. */
bool gguf_fail(const gguf_cursor *c, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each reads what is next and moves behind it, or sets the error and returns false. `what` says in the
 * message what was to be read. */
bool gguf_take(gguf_cursor *c, uint64_t *value, unsigned bytes, const char *what);
/* A string stays in the file: not terminated, any bytes. */
bool gguf_take_string(gguf_cursor *c, const char **string, uint64_t *length, const char *what);
/* A name: not empty, at most 65535 bytes, UTF-8 without NUL. A copy, which the caller frees; NULL on
 * failure. */
char *gguf_take_name(gguf_cursor *c, const char *what);
/* A value, its type before it, as text: numbers in decimal (floating-point ones with 9 or 17 digits, which
 * tell the stored one from all others), true, false, strings as they are, short arrays as [1, 2]; long or
 * nested arrays are only measured ("32000 strings"). When the type is GGUF_U32, *raw is the number. */
bool gguf_take_value(gguf_cursor *c, text *out, uint32_t *type, uint64_t *raw);

/* What GGML calls a type of tensors. */
typedef struct {
  const char *name;
  dump_type type;
  unsigned values, bytes; /* per block */
} gguf_type;

/* NULL when the number is not known. */
const gguf_type *gguf_find_type(uint64_t number);

#endif
