/* One claim of an audit as a test that passed or not. */
#include "report/outcome.h"

#include "report/table_text.h"

bool outcome_is_fine(const check_result *r)
{
  if (!r)
    return false;
  if (r->expected)
    return check_result_as_expected(r);
  return r->verdict == VERDICT_SURVIVED || r->verdict == VERDICT_PROVED || r->verdict == VERDICT_PROVED_ON_BOX ||
         r->verdict == VERDICT_POSSIBLE;
}

void outcome_print(text *out, const check_result *r)
{
  if (!r) {
    text_add(out, "not audited");
    return;
  }
  table_print_verdict(out, r);
  if (r->expected && outcome_is_fine(r))
    text_add(out, " as expected");
  else if (r->expected)
    text_addf(out, ", expected %s", r->expected);
}
