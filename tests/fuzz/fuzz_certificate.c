/* The readers of certificates and instances: a certificate that is accepted is written and read again
 * unchanged. */
#include <stdlib.h>
#include <string.h>

#include "cert/certificate.h"
#include "tests/fuzz/fuzz.h"

/* The certificate as written again; NULL if the source does not read. The caller frees it. */
static char *rewrite(const diag_source *source)
{
  diag *d = diag_create(NULL, 10);
  certificate z;
  certificate_init(&z);
  bool good = certificate_read_source(d, source, &z);
  if (good != (diag_errors(d) == 0))
    abort();
  char *json = good ? certificate_to_json(&z) : NULL;
  certificate_clear(&z);
  diag_destroy(d);
  return json;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  diag_source *source = diag_source_from("fuzz.json", (const char *)data, size);
  char *first = rewrite(source);
  if (first) {
    diag_source *again = diag_source_from("written.json", first, strlen(first));
    char *second = rewrite(again);
    if (!second || strcmp(first, second) != 0)
      abort();
    free(second);
    diag_source_destroy(again);
    free(first);
  }

  size_t count = 0;
  diag *d = diag_create(NULL, 10);
  instance *array = instance_read_source(d, source, &count);
  if ((array == NULL) != (diag_errors(d) > 0))
    abort();
  if (array)
    instance_array_free(array, count);
  diag_destroy(d);
  diag_source_destroy(source);
  return 0;
}
