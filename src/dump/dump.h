/* Parameter files: named arrays of numbers, read from mapped files.
 *
 * A reader checks everything a file says about itself before any value is touched: afterwards each tensor's
 * bytes lie inside their segment, names are unique, valid UTF-8 and free of NUL, and the number of bytes is
 * that of shape, strides and type. Values are delivered as doubles, each exactly the number stored (NaN and
 * infinities as such).
 *
 * The container is told by its content, never by its name. Nothing in a file is ever executed: a pickle is
 * read into inert values.
 *
 * There is one type of error for every reader: a message, the file, and the byte offset that it is about.
 *
 * Files are mapped, not copied: only pages that hold a header or a tensor that is read are brought in.
 * Compressed members are inflated when a value of theirs is first asked for. Whoever shortens a file while it
 * is open takes the pages away; nothing here guards against that. */
#ifndef ASSAY_DUMP_DUMP_H
#define ASSAY_DUMP_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/status.h"

enum { DUMP_RANK = 32 /* dimensions of one tensor */ };

/* What a file may cost before a tensor is read. Every limit has a message of its own. */
typedef struct {
  uint64_t header_bytes;   /* of a header, a pickle, a zip directory: 100 000 000 */
  uint64_t tensors;        /* in all: 1 000 000 */
  uint64_t inflated_bytes; /* of one compressed member: 4 GiB; a member may also grow at most 1032 times */
  uint32_t depth;          /* of nested containers in a pickle or JSON: 512 */
} dump_limits;

dump_limits dump_limits_default(void);

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

typedef enum {
  DUMP_F64,
  DUMP_F32,
  DUMP_F16,
  DUMP_BF16,
  DUMP_F8_E4M3, /* 1-4-3, bias 7, no infinities, NaN = S.1111.111 (the "fn" variant) */
  DUMP_F8_E5M2, /* 1-5-2, bias 15, the upper byte of a binary16 */
  DUMP_I64,
  DUMP_I32,
  DUMP_I16,
  DUMP_I8,
  DUMP_U64,
  DUMP_U32,
  DUMP_U16,
  DUMP_U8,
  DUMP_BOOL, /* one byte, 0 or 1; anything else is an error when it is read */
  DUMP_C64,  /* two F32: real, imaginary */
  DUMP_C128, /* two F64 */
  /* Blocks of 32 values (Q*_0, Q*_1) or 256 (Q*_K) along the last index, as GGML lays them out. */
  DUMP_Q4_0,
  DUMP_Q4_1,
  DUMP_Q5_0,
  DUMP_Q5_1,
  DUMP_Q8_0,
  DUMP_Q2_K,
  DUMP_Q3_K,
  DUMP_Q4_K,
  DUMP_Q5_K,
  DUMP_Q6_K,
  DUMP_OTHER /* known by name and size, or not at all: listed, never read */
} dump_type;

typedef enum {
  DUMP_PARAMETER, /* of the model, buffers included */
  DUMP_OPTIMIZER, /* what an optimizer remembers (momenta, steps); may share names and shapes with parameters
                   */
  DUMP_EXTRA      /* any other array in the file */
} dump_kind;

typedef struct {
  char *name; /* unique within the dump; nested containers joined by "." */
  dump_type type;
  dump_kind kind;
  char type_name[16]; /* as the format spells it */
  unsigned rank;      /* 0: a single number */
  uint64_t shape[DUMP_RANK];
  int64_t stride[DUMP_RANK]; /* in elements; row-major order unless the file says otherwise */
  bool contiguous;           /* the strides are those of row-major order */
  bool big_endian;
  uint64_t count;  /* product of the shape */
  size_t segment;  /* where its bytes are */
  uint64_t offset; /* of the element with index 0, ..., 0, within the segment's file (within the inflated
                      bytes when the segment is compressed) */
  uint64_t bytes;  /* from the first to behind the last byte in use; 0 when count is 0 */
} dump_tensor;

/* Where a dump's bytes lie: one for each file, and one for each compressed member. */
typedef struct {
  const char *name;   /* the file's path */
  const char *member; /* of an archive, NULL when the segment is the whole file */
  bool compressed;
  uint64_t length;
} dump_segment;

typedef struct dump_file dump_file;

/* Like dump_error_set_at, with the file and the offset where the tensor's bytes begin: of several shards that
 * one, and of a compressed member the offset of the member. */
void dump_error_set_tensor(dump_error *error, const dump_file *file, const dump_tensor *tensor,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Opens a parameter file of any known container, an index of shards, or a folder that holds one model (its
 * index, else its only parameter file, else all of its shards). NULL with `error` set on failure. `limits`
 * NULL: the defaults. */
dump_file *dump_open(const char *path, const dump_limits *limits, dump_error *error);
/* The same for one container in memory, which must outlive the result; `name` stands for the file in
 * messages. */
dump_file *dump_read(const char *name, const unsigned char *data, size_t length, const dump_limits *limits,
                     dump_error *error);
void dump_close(dump_file *file);

const char *dump_name(const dump_file *file);
/* "safetensors", "torch zip", "legacy torch pickle", "pickle", "npy", "npz", "GGUF". */
const char *dump_container(const dump_file *file);
/* Tensors in the order of the file. */
size_t dump_count(const dump_file *file);
const dump_tensor *dump_get(const dump_file *file, size_t i);
/* NULL when there is none of that name. */
const dump_tensor *dump_find(const dump_file *file, const char *name);
size_t dump_segment_count(const dump_file *file);
dump_segment dump_get_segment(const dump_file *file, size_t i);

/* What a file says beside its tensors (GGUF keys, safetensors metadata, numbers and strings of a checkpoint,
 * a config.json that lies beside it): key and value as text, NULL when there is none of that key. */
const char *dump_note(const dump_file *file, const char *key);
size_t dump_note_count(const dump_file *file);
void dump_get_note(const dump_file *file, size_t i, const char **key, const char **value);

/* Doubles per element: 2 for complex types (real, imaginary), else 1. */
unsigned dump_lanes(dump_type type);
/* Bytes per element; 0 for block types and DUMP_OTHER. */
unsigned dump_type_bytes(dump_type type);

/* values[0..count*lanes-1] = elements first, first + 1, ... of a tensor of `file`, counted in row-major order
 * (the last index runs fastest) whatever the strides. Exact. STATUS_BAD_INPUT with `error` set: the type is
 * DUMP_OTHER; the range leaves the tensor; an integer is no double, or a compressed member is damaged (the
 * offset is that of the value, or of the member). Values are then unspecified. Calls for different files may
 * run at the same time; calls for one file may too, once dump_prepare was called for each tensor. */
assay_status dump_values(const dump_file *file, double *values, const dump_tensor *tensor, uint64_t first,
                         size_t count, dump_error *error);
/* Gives the memory back that reading a tensor of a mapped file has brought in; its values can be read again
 * at any time, by other threads even meanwhile. Of other tensors nothing happens. */
void dump_release(const dump_file *file, const dump_tensor *tensor);
/* Inflates what the tensor needs. */
assay_status dump_prepare(const dump_file *file, const dump_tensor *tensor, dump_error *error);

#endif
