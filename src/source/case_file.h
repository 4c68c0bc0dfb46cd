/* Case files: what to run and what is expected of it.
 *
 *   # a comment
 *   case lemma-d6            a name of its own, letters, digits, '_' and '-'
 *     file "x.claim"         where the claim is, relative to the case file; absent: the bundled claims
 *     claim lemma-d6         which claim; absent: every claim of the file
 *     expect REFUTED         the verdict, its words joined by '-' (NO-WITNESS); absent: none is expected
 *     sizes "T=1..8,N=2"     instead of what the claim says to try
 *     trials 100000          random instances
 *     seed 7
 *     instances "x.json"     instances to decide first, relative to the case file
 *   end
 *
 * Newlines mean nothing. Of claim and file one is needed at least; each entry stands once. */
#ifndef ASSAY_SOURCE_CASE_FILE_H
#define ASSAY_SOURCE_CASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

/* A seed fits into a JSON integer. */
#define CASE_MOST_SEED ((uint64_t)INT64_MAX)
#define CASE_MOST_TRIALS UINT64_C(1000000000000)

/* Owns its strings. NULL, or false: not given. */
typedef struct {
  char *name;
  diag_place place;
  char *claim;
  char *file;   /* ready to be opened */
  char *expect; /* as written, one of case_verdict_words */
  char *sizes;
  bool has_trials, has_seed;
  uint64_t trials, seed;
  char *instances; /* ready to be opened */
} case_run;

typedef struct {
  diag_source *source;
  size_t count;
  case_run *run;
} case_file;

/* Reads the file. False, with messages in d, when it is not well formed; *f is to be cleared in every
 * case. */
bool case_file_read(case_file *f, diag *d, const char *path);
/* The same from a source, which the case file then owns. */
bool case_file_read_source(case_file *f, diag *d, diag_source *source);
void case_file_clear(case_file *f);

/* The words after `expect`, ended by NULL. */
extern const char *const case_verdict_words[];

/* Whether the text is NAME=NUMBER or NAME=LOW..HIGH, LOW <= HIGH, several separated by commas. */
bool case_sizes_well_formed(const char *s);
/* Where a well-formed text names a size for the second time; NULL where it names each once. *length: of the
 * name. */
const char *case_sizes_repeated(const char *s, size_t *length);

#endif
