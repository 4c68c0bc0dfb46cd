/* From the inert values of a checkpoint to its tensors and notes. Private to src/dump.
 *
 * Known are the functions by which torch and numpy write their arrays; everything else is walked over by
 * structure. A tensor's name is the path to it: keys, attributes and indices joined by "."; in a pickled
 * module the path that its state_dict() would give. What an optimizer remembers is told by class, by
 * structure
 * ({"state": ..., "param_groups": ...}, moments) and by key ("optimizer", "opt_state" ...).
 *
 * A container's reader goes through torch_begin, which lists the storages that the pickle mentions, places
 * them (segment, offset, length), and calls torch_finish. */
#ifndef ASSAY_DUMP_TORCH_H
#define ASSAY_DUMP_TORCH_H

#include "dump/dump.h"
#include "dump/pickle.h"
#include "dump/reader.h"

/* An element type as torch or numpy names it. */
typedef struct {
  dump_type type;
  unsigned size; /* bytes per element; 0 when unknown */
  char name[16];
} torch_type;

typedef struct {
  const char *key; /* not terminated */
  size_t key_length;
  torch_type type; /* by its first mention */
  uint64_t count;  /* of elements, by its first mention */
  uint64_t at;     /* of its first mention in the pickle */
  /* For the container's reader to fill. */
  bool placed;
  size_t segment;
  uint64_t offset, length; /* of its bytes within the segment */
} torch_storage;

typedef struct {
  dump_file *file;
  const dump_limits *limits;
  dump_error *error;
  pickle_source source;
  size_t segment;  /* where the pickle itself lies, and ... */
  uint64_t base;   /* ... its offset there */
  bool big_endian; /* the storages */
  pickle *values;
  torch_storage *storages; /* in the order of their keys */
  size_t storage_count;
} torch_reader;

/* The fields up to `big_endian` have been set. Reads the pickle, which ends at *end, and lists the storages.
 * False with the error set. torch_clear in any case. */
bool torch_begin(torch_reader *r, uint64_t *end);
/* NULL when the pickle mentions none of that key. */
torch_storage *torch_find_storage(const torch_reader *r, const char *key, size_t length);
/* Adds tensors and notes to the file. */
bool torch_finish(torch_reader *r);
void torch_clear(torch_reader *r);

typedef enum {
  TORCH_NOTHING, /* no array */
  TORCH_TENSOR,
  TORCH_ARRAY,  /* numpy's */
  TORCH_UNREAD, /* an array of a kind that is not read */
  TORCH_BAD     /* the error is set */
} torch_answer;

/* What a value looks like, without a closer look: NOTHING, TENSOR or ARRAY. */
torch_answer torch_look(const pickle_value *value);
/* Everything about the tensor but its name and kind. *why: for UNREAD, a constant string. */
torch_answer torch_take(torch_reader *r, dump_tensor *tensor, const char **why, const pickle_value *value);
/* The parts of torch_take that know numpy: a call of `maker`, with the state set afterwards or NULL. */
torch_answer torch_take_array(torch_reader *r, dump_tensor *tensor, const char **why,
                              const pickle_value *maker, const pickle_value *arguments,
                              const pickle_value *state, uint64_t at);

/* An error at a byte of the pickle; false, BAD. */
torch_answer torch_fail(torch_reader *r, uint64_t at, const char *reason);
/* Shape and, when not NULL, strides out of tuples of integers. */
bool torch_take_shape(torch_reader *r, dump_tensor *tensor, const pickle_value *shape,
                      const pickle_value *strides, uint64_t at);

#endif
