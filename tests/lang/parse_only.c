/* Reads a claim file and writes what is wrong with it to standard output. A claim whose sizes leave no choice
 * is lowered as well, for errors that show at fixed sizes only.
 *
 * Usage: parse_only FILE [--print | --latex]   (the claims too, as text or as LaTeX)
 * Exit status: 0 nothing is wrong, 2 something is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/limits.h"
#include "core/memory.h"
#include "lang/claim.h"
#include "lang/lower.h"

static void lower_if_pinned(diag *d, const claim *c)
{
  int64_t *sizes = memory_new(c->sizes, sizeof(int64_t)), high = 0;
  bool pinned = true;
  for (unsigned i = 0; i < c->sizes && pinned; i++)
    pinned = c->size[i].high && tree_integer(&sizes[i], c->size[i].low, sizes, NULL) &&
             tree_integer(&high, c->size[i].high, sizes, NULL) && high == sizes[i];
  if (pinned)
    tape_destroy(lower_claim(d, c, sizes, 100000));
  free(sizes);
}

int main(int argc, char **argv)
{
  if (argc < 2) {
    fprintf(stderr, "usage: parse_only FILE [--print | --latex]\n");
    return 2;
  }
  bool print = argc > 2 && strcmp(argv[2], "--print") == 0,
       latex = argc > 2 && strcmp(argv[2], "--latex") == 0;
  diag *d = diag_create(stdout, 0);
  library *l = library_read(d, argv[1], 0);
  for (unsigned i = 0; l && i < library_claims(l); i++) {
    text t;
    text_init(&t);
    lower_if_pinned(d, library_claim(l, i));
    if (latex)
      claim_print_latex(&t, library_claim(l, i));
    else if (print)
      claim_print(&t, library_claim(l, i));
    fputs(text_string(&t), stdout);
    text_clear(&t);
  }
  int status = diag_errors(d) > 0 ? 2 : 0;
  library_destroy(l);
  diag_destroy(d);
  return status;
}
