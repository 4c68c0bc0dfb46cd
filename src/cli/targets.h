/* What the words on the command line name: claims, whose libraries the list keeps. */
#ifndef ASSAY_CLI_TARGETS_H
#define ASSAY_CLI_TARGETS_H

#include "cli/paths.h"
#include "core/diag.h"
#include "lang/claim.h"
#include "source/case_file.h"

typedef struct {
  const claim *claim;
  const char *file;    /* as opened */
  const case_run *run; /* NULL: no case file names it */
} target;

typedef struct {
  char *path;
  library *library; /* NULL: could not be read */
} target_file;

typedef struct {
  diag *d;
  size_t count;
  target *target;
  /* private */
  size_t files, cases;
  target_file *file; /* each file is read once */
  case_file **case_file;
  bool bundled_listed;
  path_list bundled;
} target_list;

/* Messages go to d, which must outlive the list. */
void targets_init(target_list *t, diag *d);
void targets_clear(target_list *t);

/* Each returns false, with messages, when something of it could not be read; what could be is in the list. */
/* A claim file, a case file, a folder (every claim file below it), or the name of a bundled claim. */
bool targets_add(target_list *t, const char *word);
/* Every claim of a file. */
bool targets_add_file(target_list *t, const char *path);
/* Claim `name` of the file; of the bundled ones where path is NULL. */
bool targets_add_claim(target_list *t, const char *path, const char *name);
/* Every bundled claim, in the order of files. */
bool targets_add_bundled(target_list *t);
/* The runs of every bundled case file, in the order of files. */
bool targets_add_bundled_cases(target_list *t);

#endif
