/* moments FILE: the seconds of processor time that one lowering of the first claim of FILE takes, expectations and all,
 * at the lower bounds of its sizes; and the operations of its tape. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/limits.h"
#include "lang/lower.h"

int main(int argc, char **argv)
{
  enum { ROUNDS = 200, SIZES = 8 };
  diag *d = diag_create(stderr, 20);
  library *l = argc == 2 ? library_read(d, argv[1], 0) : NULL;
  const claim *c = l && library_claims(l) ? library_claim(l, 0) : NULL;
  int64_t sizes[SIZES];
  bool good = c && c->sizes <= SIZES;
  for (unsigned i = 0; good && i < c->sizes; i++)
    good = tree_integer(&sizes[i], c->size[i].low, sizes, NULL);
  size_t operations = 0;
  clock_t begin = 0;
  for (int i = -1; good && i < ROUNDS; i++) { /* the first one is not counted */
    begin = i == 0 ? clock() : begin;
    tape *t = lower_claim(d, c, sizes, LIMIT_TAPE);
    good = t != NULL;
    operations = good ? t->ops : 0;
    tape_destroy(t);
  }
  double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC / ROUNDS;
  if (good)
    printf("%.4g %zu\n", seconds, operations);
  library_destroy(l);
  diag_destroy(d);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
