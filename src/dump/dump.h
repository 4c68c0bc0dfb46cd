/* Parameter files: named arrays of numbers, read from a mapped file.
 *
 * A reader checks everything a file says about itself before any value is touched: afterwards each tensor's
 * bytes lie inside the file, tensors do not overlap, names are unique, valid UTF-8 and free of NUL, and the
 * number of bytes is that of shape and type. Values are delivered as doubles, each exactly the number stored
 * (NaN and infinities as such).
 *
 * There is one type of error for every reader: a message, the file, and the byte offset that it is about.
 *
 * The file is mapped, not copied: only pages that hold the header or a tensor that is read are brought in.
 * Whoever shortens the file while it is open takes the pages away; nothing here guards against that. */
#ifndef ASSAY_DUMP_DUMP_H
#define ASSAY_DUMP_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

enum {
  DUMP_RANK = 32,               /* dimensions of one tensor */
  DUMP_HEADER_BYTES = 100000000 /* of a safetensors header; the format's own limit */
};

/* What went wrong, and where. `message` is NULL while nothing did. */
typedef struct {
  char *message;   /* one line, no control characters, without file and offset; owned */
  char *file;      /* as it was given to the reader; owned */
  uint64_t offset; /* byte offset in the file, when has_offset */
  bool has_offset;
} dump_error;

void dump_error_init(dump_error *error);
void dump_error_clear(dump_error *error);
/* Replaces what `error` holds. The first form has no offset (the file cannot be opened, holds no known model
 * ...). Tensor names and other bytes from a file must pass through dump_quote first. */
void dump_error_set(dump_error *error, const char *file, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void dump_error_set_at(dump_error *error, const char *file, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* "FILE: byte OFFSET: MESSAGE" or "FILE: MESSAGE", and a newline. */
void dump_error_print(FILE *out, const dump_error *error);

/* A name from a file made fit for a message: between double quotes, control characters, quotes and
 * backslashes escaped, cut after 120 bytes (at a character's boundary). The caller frees it. */
char *dump_quote(const char *name);

typedef enum { DUMP_F64, DUMP_F32, DUMP_F16, DUMP_BF16, DUMP_I64, DUMP_OTHER } dump_type;

typedef struct {
  char *name; /* unique within the file */
  dump_type type;
  char type_name[16]; /* as the file spells it */
  unsigned rank;      /* 0: a single number */
  uint64_t shape[DUMP_RANK];
  uint64_t count;  /* product of the shape */
  uint64_t offset; /* of the first value, in the file */
  uint64_t bytes;  /* 0 when count is 0 */
} dump_tensor;

typedef struct dump_file dump_file;

/* Opens a safetensors file: one file, header of at most DUMP_HEADER_BYTES. NULL with `error` set on failure.
 */
dump_file *dump_open_safetensors(const char *path, dump_error *error);
/* The same from memory, which must outlive the result; `name` stands for the file in messages. */
dump_file *dump_read_safetensors(const char *name, const unsigned char *data, size_t length,
                                 dump_error *error);
void dump_close(dump_file *file);

const char *dump_name(const dump_file *file);
/* Tensors in the order of the header. */
size_t dump_count(const dump_file *file);
const dump_tensor *dump_get(const dump_file *file, size_t i);
/* NULL when there is none of that name. */
const dump_tensor *dump_find(const dump_file *file, const char *name);

/* values[0..count-1] = elements first, first + 1, ... of a tensor of `file`, in row-major order (the last
 * index runs fastest). Exact. STATUS_BAD_INPUT with `error` set: the type is none of the five above; the
 * range leaves the tensor; an integer is no double (the offset is that of the integer). Values are then
 * unspecified. */
assay_status dump_values(const dump_file *file, double *values, const dump_tensor *tensor, uint64_t first,
                         size_t count, dump_error *error);

#endif
