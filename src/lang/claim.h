/* A claim, or a model family: the flattened, resolved form of one `claim ... end` or `family ... end`, with
 * all that it inherits put in place.
 *
 * A family (doc/assay-family.5) describes the layers of a model: its tensors are givens that a file supplies, and the roles of
 * its sizes and definitions say what they are in the model. It concludes nothing.
 *
 * Ownership: everything belongs to the library that read it and dies with it. */
#ifndef ASSAY_LANG_CLAIM_H
#define ASSAY_LANG_CLAIM_H

#include "core/diag.h"
#include "core/memory.h"
#include "core/text.h"
#include "lang/tree.h"

/* size NAME >= low, or NAME in low..high; try NAME in try_low..try_high. Bounds may use earlier sizes. */
typedef struct {
  const char *name;
  const char *role; /* what an index up to it counts: time, state, channel, layer ...; NULL: none */
  diag_place place;
  node *low, *high;         /* high NULL: unbounded */
  node *try_low, *try_high; /* both NULL: not given */
} claim_size;

/* One index position of a line that declares elements: a range, or one fixed element (range.name NULL: range.low is
 * the index expression, range.high NULL; such a position binds no slot). Positions bind slots in order. */
typedef node_range claim_position;

/* The table of printed numbers (lang/table.h) that the lines of a given stand for; it dies with the library. */
typedef struct {
  const struct table *table;
  const char *path; /* as it was opened */
  bool truncated;   /* its digits were cut off, not rounded */
} table_lines;

/* One line of a given: positions and the interval of its elements. An end that is NULL is infinite (and open). */
typedef struct {
  diag_place place;
  claim_position *position; /* given->positions of them */
  unsigned slots;           /* how many of them bind */
  node *low, *high;
  bool low_open, high_open;
} claim_given_line;

typedef struct {
  const char *name;
  const char *role; /* NULL: none */
  diag_place place;
  unsigned order;     /* place among the sizes, givens and lets as declared: what is above has a smaller one */
  unsigned positions; /* number of indices */
  unsigned lines;
  claim_given_line *line;
  const table_lines *table; /* NULL: of no table */
  unsigned stored;          /* a family's tensor: how many names files have for it; 0: not a tensor */
  const char **stored_as;
  node *otherwise;          /* a tensor's value where a file has none of these: a literal, or one negated; NULL: none */
} claim_given;

typedef struct {
  diag_place place;
  claim_position *position;
  unsigned slots;
  node *body;
} claim_let_line;

typedef struct {
  const char *name;
  const char *role; /* of a family's; NULL: none */
  diag_place place;
  node_type type; /* TYPE_VALUE or TYPE_TRUTH */
  unsigned order; /* as of a given */
  unsigned positions;
  unsigned lines;
  claim_let_line *line;
} claim_let;

/* One line of a random family: its elements are independent Gaussian variables with mean 0 and this variance, of each other
 * and of those of every other family. Where a variance is below 0, they are undefined. */
typedef struct {
  diag_place place;
  claim_position *position;
  unsigned slots;
  node *variance; /* a value; free of random elements */
} claim_random_line;

typedef struct {
  const char *name;
  diag_place place;
  unsigned order;
  unsigned positions;
  unsigned lines;
  claim_random_line *line;
} claim_random;

typedef enum { LABEL_ASSUME, LABEL_SHOW, LABEL_POSSIBLE, LABEL_TRIVIAL } label_kind;

/* assume, show, possible: body is a truth value; trivial: a value. */
typedef struct {
  label_kind kind;
  const char *name;
  diag_place place;
  node *body;
} claim_label;

/* What a claim is to the printed statement that its source names. */
typedef enum {
  CLAIM_READING,  /* it formalises it, under some reading */
  CLAIM_REPAIR,   /* it could stand in its place */
  CLAIM_CONTRAST, /* neither: it shows how sharp another one is */
  CLAIM_KINDS
} claim_kind;

typedef struct {
  const char *name;
  diag_place place;
  claim_kind kind;
  const char *comment; /* what stands above it in its file, NULL: nothing */
  const char *preface; /* what its file begins with, NULL: nothing */
  const char *title;  /* NULL: none */
  const char *cite;   /* the `source`: which printed statement this formalises; NULL: none */
  const char *parent; /* name of the claim it is derived `from`, NULL: none */
  bool family;
  unsigned sizes, givens, randoms, lets, labels;
  claim_size *size;
  claim_given *given;
  claim_random *random;
  claim_let *let;
  claim_label *label; /* in order of declaration; kinds mixed */
} claim;

/* A library: every claim of one file, and the files that it names by `from "FILE" NAME`. */
typedef struct library library;

/* Reads a file. Errors go to d; NULL if there were any. `max_depth` 0: LIMIT_NESTING.
 * Domain: any bytes at all. Files named by `from` are looked up relative to the file that names them. */
library *library_read(diag *d, const char *path, unsigned max_depth);
library *library_read_source(diag *d, const diag_source *source, unsigned max_depth); /* source must outlive it */
void library_destroy(library *l);

/* The claims of the file itself, in order (those of files named by `from` do not count). */
unsigned library_claims(const library *l);
const claim *library_claim(const library *l, unsigned i);
/* Its families likewise. */
unsigned library_families(const library *l);
const claim *library_family(const library *l, unsigned i);
/* A claim by name; NULL when there is none. */
const claim *library_find(const library *l, const char *name);

/* The claim as source text, inheritance flattened, in a canonical layout. Reading the text gives the same claim, and
 * printing that gives the same text byte by byte. */
void claim_print(text *out, const claim *c);
/* The same as LaTeX: a theorem environment's body. */
void claim_print_latex(text *out, const claim *c);
/* One expression; `c` gives the names. */
void claim_print_node(text *out, const claim *c, const node *n);
/* SHA-256 of the text of claim_print, 64 hex digits and a NUL. */
void claim_hash(char hex[65], const claim *c);

/* "reading", "repair", "contrast". */
const char *claim_kind_name(claim_kind k);
/* How an element is written: name[1,2]. Appends. */
void claim_print_element(text *out, const char *name, const int64_t *indices, unsigned count);

/* Fills type, depth and free_slots of a node whose children are complete, for trees built by hand. Of a NODE_LET
 * the type must be there already. */
void tree_complete(node *n);

#endif
