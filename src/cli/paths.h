/* Where the bundled files and the judge are, and walking folders.
 *
 * A program that finds a file `source-tree` beside itself is run from its build tree, and reads lemmas and
 * cases from the source tree that the file names; any other reads the installed ones. */
#ifndef ASSAY_CLI_PATHS_H
#define ASSAY_CLI_PATHS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/diag.h"

typedef struct {
  size_t count;
  char **item; /* owned */
} path_list;

void path_list_clear(path_list *list);

/* "DIRECTORY/NAME"; free with free. */
char *path_join(const char *directory, const char *name);
/* The path without "." and without "NAME/..", where that names the same file as before, which a symbolic link
 * may prevent; else a copy of it. Free with free. */
char *path_tidy(const char *path);
bool path_is_directory(const char *path);
bool path_exists(const char *path);
bool path_has_suffix(const char *path, const char *suffix);
/* Whether both are there and are one file. */
bool path_is_same_file(const char *a, const char *b);
/* A new folder below TMPDIR, else /tmp; free with free. NULL with a message. */
char *path_make_temporary(diag *d);

/* The folder that holds lemmas/ and cases/. Never NULL; it need not exist. */
char *path_data(void);
/* The judge: assay-verify beside this program, else in PATH; NULL when there is none. */
char *path_judge(void);

/* Appends every file below the folder whose name ends in suffix, in the order of strcmp; links to folders are
 * not followed. False with a
 * message when a folder cannot be read. */
bool path_find_files(path_list *list, diag *d, const char *directory, const char *suffix);

/* Makes the folder and those above it. False with a message. */
bool path_make_directory(diag *d, const char *path);
/* Removes a folder of plain files and folders. What cannot be removed stays. */
void path_remove_tree(const char *path);

#endif
