/* Remarks beside a verdict. */
#include "report/remark.h"

#include "core/text.h"

enum { FEW_INSTANCES = 100 }; /* below this a survivor is hardly tested */

char *remark_make(const check_result *r)
{
  uint64_t n = r->total.true_;
  if (r->verdict != VERDICT_SURVIVED || !r->claim->givens || n >= FEW_INSTANCES)
    return NULL;
  text out;
  text_init(&out);
  text_addf(&out, "only %llu instance%s certified", (unsigned long long)n, n == 1 ? " was" : "s were");
  return text_take(&out);
}
