/* assay list: the claims that files hold, with title and printed statement. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/targets.h"

int cmd_list(const options *o, diag *d)
{
  target_list t;
  targets_init(&t, d);
  bool fine = true;
  if (!o->arguments)
    fine = targets_add_bundled(&t);
  for (int i = 0; i < o->arguments; i++)
    fine = targets_add(&t, o->argument[i]) && fine;

  const char *file = NULL, *cite = NULL;
  for (size_t i = 0; i < t.count; i++) {
    const target *x = &t.target[i];
    const char *statement = x->claim->cite ? x->claim->cite : "(no source named)";
    if (!file || strcmp(file, x->file)) {
      printf("%s%s\n", file ? "\n" : "", x->file);
      cite = NULL;
    }
    if (!cite || strcmp(cite, statement))
      printf("  %s\n", statement);
    printf("    %-40s  %s\n", x->claim->name, x->claim->title ? x->claim->title : "");
    file = x->file;
    cite = statement;
  }
  targets_clear(&t);
  return fine ? EXIT_FINE : EXIT_BAD_INPUT;
}
