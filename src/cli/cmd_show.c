/* assay show: a claim as text that reads back as the same claim, or as LaTeX. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/targets.h"

int cmd_show(const options *o, diag *d)
{
  if (o->arguments < 1 || o->arguments > 2) {
    diag_error_plain(d, "show takes a claim's name, or a file and perhaps a name; see assay help show");
    return EXIT_BAD_INPUT;
  }
  target_list t;
  targets_init(&t, d);
  bool fine = o->arguments == 2 ? targets_add_claim(&t, o->argument[0], o->argument[1])
                                : targets_add(&t, o->argument[0]);
  for (size_t i = 0; i < t.count; i++) {
    text out;
    text_init(&out);
    if (o->latex)
      claim_print_latex(&out, t.target[i].claim);
    else
      claim_print(&out, t.target[i].claim);
    printf("%s%s", i ? "\n" : "", text_string(&out));
    text_clear(&out);
  }
  targets_clear(&t);
  return fine ? EXIT_FINE : EXIT_BAD_INPUT;
}
