/* The header of a .npy array, wherever its bytes come from. Private to src/dump.
 *
 * An array that holds Python objects (a pickle), and one of structured elements, is an error. Elements that
 * are text, dates, raw bytes or floating-point numbers of other sizes are DUMP_OTHER. Two raw bytes ("V2")
 * are taken for bfloat16, since numpy has no name for it and ml_dtypes saves it so; a note says so. "f1" is
 * what ml_dtypes writes for float8_e5m2. */
#ifndef ASSAY_DUMP_NPY_H
#define ASSAY_DUMP_NPY_H

#include "dump/dump.h"

typedef struct {
  dump_type type;
  char type_name[16];
  uint64_t item; /* bytes per element */
  bool big_endian;
  bool fortran; /* the first index runs fastest */
  unsigned rank;
  uint64_t shape[DUMP_RANK];
  uint64_t start; /* of the first element, counted from the beginning of the .npy bytes */
} npy_header;

/* What is wrong, and where, counted from the beginning of the .npy bytes. */
typedef struct {
  char text[320];
  uint64_t at;
} npy_problem;

enum { NPY_PROLOGUE = 12 /* bytes from which npy_header_bytes can tell */ };

/* The bytes from the beginning to behind the header, told from the first ones: at most NPY_PROLOGUE. Needs
 * `available` bytes of data; 0 when they are too few or no .npy. */
uint64_t npy_header_bytes(const unsigned char *data, uint64_t available);

/* Reads a header from the first `available` of `length` bytes. False with `problem` set. */
bool npy_parse(npy_header *header, const unsigned char *data, uint64_t available, uint64_t length,
               const dump_limits *limits, npy_problem *problem);

/* Adds the tensor to `file`: `length` bytes of .npy that start at `base` in `segment`. False with `problem`
 * set, and nothing added, when the array is not exactly what is behind the header. */
bool npy_add(dump_file *file, const char *name, size_t segment, uint64_t base, uint64_t length,
             const npy_header *header, npy_problem *problem);

#endif
