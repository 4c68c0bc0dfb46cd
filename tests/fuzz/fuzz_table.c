/* The reader of tables. */
#include <stdlib.h>

#include "lang/table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  diag *d = diag_create(NULL, 10);
  table *t = table_read_source(d, diag_source_from("fuzz.csv", (const char *)data, size));
  if ((t != NULL) != (diag_errors(d) == 0))
    abort();
  fmpq_t low, high;
  fmpq_init(low);
  fmpq_init(high);
  for (unsigned i = 0; t && i < t->rows; i++)
    for (unsigned j = 0; j < t->columns; j++) {
      bool low_open, high_open;
      const table_cell *c = table_at(t, i, j);
      if (!c->printed)
        continue;
      table_interval(low, high, &low_open, &high_open, c, (i + j) % 2);
      if (fmpq_cmp(low, c->value) > 0 || fmpq_cmp(high, c->value) < 0 || fmpq_cmp(low, high) >= 0)
        abort();
    }
  fmpq_clear(low);
  fmpq_clear(high);
  table_destroy(t);
  diag_destroy(d);
  return 0;
}
