/* The reader of token files. */
#include <stdlib.h>

#include "sim/tokens.h"
#include "tests/fuzz/fuzz.h"

enum { VOCABULARY = 100 };

/* What it promises of a list. */
static void check(const token_list *list)
{
  if (list->count == 0 || list->start[0] != 0)
    abort();
  for (size_t k = 0; k < list->count; k++)
    if (list->start[k] >= list->start[k + 1])
      abort();
  for (size_t i = 0; i < list->start[list->count]; i++)
    if (list->token[i] >= VOCABULARY)
      abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  diag *d = diag_create(NULL, 10);
  diag_source *source = diag_source_from("fuzz.tokens", (const char *)data, size);
  token_list list;
  bool good = tokens_read_text(&list, d, source, VOCABULARY);
  if (good != (diag_errors(d) == 0) || (!good && (list.count || list.token || list.start)))
    abort();
  if (good)
    check(&list);
  tokens_clear(&list);
  diag_source_destroy(source);
  diag_destroy(d);
  return 0;
}
