/* A certificate: an instance that breaks a claim (or witnesses a `possible` one), with what it says it
 * breaks.
 *
 *   {"schema": "assay-certificate/1",
 *    "claim": {"name": NAME, "file": FILE, "text": flattened claim, "sha256": of that text},
 *    "sizes": {...}, "values": {...},
 *    "broken": {"label": LABEL, "index": {"t": 2}, "left": "199/4", "right": "99/2"},
 *    "found": {"seed": 1, "instance": 7, "source": "random", "attempt": 0}}
 *
 * with "witness" in place of "broken" for a `possible` label. left and right are the sides of the comparison
 * that decides, as enclosures (exact.h); they and "file" and "found" may be absent. A certificate proves
 * nothing by itself: the judge evaluates the claim at the instance and checks what is said against what it
 * found. */
#ifndef ASSAY_CERT_CERTIFICATE_H
#define ASSAY_CERT_CERTIFICATE_H

#include "cert/instance.h"

#define CERTIFICATE_SCHEMA "assay-certificate/1"

typedef struct {
  char *claim_name, *claim_text;
  char *claim_file; /* NULL: none */
  char claim_hash[65];
  instance instance;
  bool witness; /* "witness" rather than "broken" */
  char *label;
  size_t indices; /* the indices of the quantifiers around what decides, outermost first */
  instance_size *index;
  char *left, *right; /* enclosures; NULL: none */
  bool found;         /* whether the next four are given */
  uint64_t seed, number, attempt;
  char *source;
} certificate;

void certificate_init(certificate *z);
void certificate_clear(certificate *z);
/* Fills name, file, text and hash; `file` may be NULL. */
void certificate_set_claim(certificate *z, const claim *c, const char *file);
/* Copies name; the indices go outermost first. */
void certificate_add_index(certificate *z, const char *name, int64_t value);

/* Reads into an initialised certificate. False with messages: on a syntax error, a key that is missing,
 * unknown or there twice, a value of the wrong type, a number that is none. */
bool certificate_read(diag *d, const char *path, certificate *z);
bool certificate_read_source(diag *d, const diag_source *source, certificate *z);
/* Always the same bytes for the same certificate: keys in the order above, two blanks per level. */
char *certificate_to_json(const certificate *z); /* free with free */
/* Writes the file in one step, so that it is never seen half written. False with a message. */
bool certificate_write(diag *d, const char *path, const certificate *z);

#endif
