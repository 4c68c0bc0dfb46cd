/* The families that a model may be of: those of a file or folder that the user names, then the bundled ones. */
#ifndef ASSAY_CLI_FAMILIES_H
#define ASSAY_CLI_FAMILIES_H

#include "core/diag.h"
#include "lang/claim.h"

typedef struct {
  const claim **family;
  size_t count;
  library **library;
  size_t libraries;
} family_list;

/* `path` NULL: the bundled ones only. False with messages when a file cannot be read; `list` is then empty. */
bool families_read(family_list *list, diag *d, const char *path);
void families_clear(family_list *list);

#endif
