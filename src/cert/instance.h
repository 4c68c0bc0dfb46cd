/* An instance: the sizes and the values of everything `given`, as files hold them.
 *
 *   {"sizes": {"T": 2}, "values": {"alpha[1]": "1/2", "alpha[2]": "0.5", "p": "1"}}
 *
 * Numbers are exact text (exact.h) or JSON integers; a JSON number with a point or an exponent is refused,
 * since every reader makes a double of it. Names are as the claim writes them, name[1,2]; blanks between the
 * brackets do not matter. Each defect gives one message with file, line and column. */
#ifndef ASSAY_CERT_INSTANCE_H
#define ASSAY_CERT_INSTANCE_H

#include <stdint.h>

#include "core/diag.h"
#include "core/flint.h"
#include "lang/claim.h"

typedef struct {
  char *name;
  int64_t value;
} instance_size;

typedef struct {
  char *name; /* in canonical form: name[1,2] */
  fmpq value;
} instance_value;

/* Owns its names and values. Names are distinct. */
typedef struct {
  size_t sizes, values;
  instance_size *size;
  instance_value *value;
} instance;

void instance_init(instance *x);
void instance_clear(instance *x);
void instance_copy(instance *copy, const instance *x); /* copy must be initialised; what it held is freed */
/* Appends; the name must be new. Copies name (which must be canonical) and value. */
void instance_add_size(instance *x, const char *name, int64_t value);
void instance_add_value(instance *x, const char *name, const fmpq_t value);

/* Reads a file that holds one instance or an array of them; a certificate (certificate.h) counts as its
 * instance. Returns an array of *count instances (free with instance_array_free), or NULL with messages in d.
 */
instance *instance_read_file(diag *d, const char *path, size_t *count);
instance *instance_read_source(diag *d, const diag_source *source, size_t *count);
void instance_array_free(instance *array, size_t count);
/* The instance as one JSON object, in the order of x, two blanks per level, a newline at the end. */
char *instance_to_json(const instance *x); /* free with free */

/* What an instance is to a claim. */
typedef enum {
  MATCH_FITS, /* the sizes are in their ranges, and the elements are exactly those that the claim declares */
  MATCH_OUTSIDE, /* a size is outside its declared range: no instance of the claim, but well formed */
  MATCH_WRONG /* a name that is missing, surplus or declared twice; a limit; a bound that cannot be computed
               */
} match_kind;

/* One given element of a claim at fixed sizes. */
typedef struct {
  unsigned given, line;   /* claim->given[given].line[line] declares it */
  const int64_t *indices; /* claim->given[given].positions of them */
  size_t value;           /* its number in instance->value */
} match_element;

/* The elements in the order of the claim: by given, by line, by indices. */
typedef struct {
  int64_t *sizes; /* in the order of claim->size */
  size_t count;
  match_element *element;
  unsigned outside;      /* MATCH_OUTSIDE: the first size outside its range, in claim->size */
  memory_region *region; /* where all this lives */
} match;

/* Holds instance x against claim c; `from` (a file name) begins every message. Messages come with MATCH_WRONG
 * only. On MATCH_FITS all of *m is set, on MATCH_OUTSIDE the sizes are; match_clear is due (and harmless) in
 * every case. */
match_kind match_instance(diag *d, const char *from, match *m, const claim *c, const instance *x);
void match_clear(match *m);

#endif
