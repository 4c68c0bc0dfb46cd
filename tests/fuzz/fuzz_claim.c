/* The reader of claim files: what it accepts prints as text that reads as the same claim. */
#include <stdlib.h>
#include <string.h>

#include "lang/claim.h"
#include "tests/fuzz/fuzz.h"

/* The text of every claim, one after the other; false if the source does not read. */
static bool print_all(text *out, const diag_source *source)
{
  diag *d = diag_create(NULL, 10);
  library *l = library_read_source(d, source, 200);
  /* A refusal without a message, or a message without a refusal, is a broken promise. */
  if ((l == NULL) != (diag_errors(d) > 0))
    abort();
  for (unsigned i = 0; l && i < library_claims(l); i++)
    claim_print(out, library_claim(l, i));
  bool good = l != NULL;
  library_destroy(l);
  diag_destroy(d);
  return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  diag_source *source = diag_source_from("fuzz.claim", (const char *)data, size);
  text first, second;
  text_init(&first);
  text_init(&second);
  if (print_all(&first, source)) {
    const char *printed = text_string(&first);
    diag_source *again = diag_source_from("printed.claim", printed, strlen(printed));
    if (!print_all(&second, again) || strcmp(printed, text_string(&second)) != 0)
      abort();
    diag_source_destroy(again);
  }
  text_clear(&second);
  text_clear(&first);
  diag_source_destroy(source);
  return 0;
}
