/* An audit as TAP. */
#include "report/tap.h"

#include "report/outcome.h"

void tap_write_plan(FILE *out, size_t count)
{
  fprintf(out, "1..%zu\n", count);
}

void tap_write(FILE *out, size_t number, const char *name, const check_result *r)
{
  bool fine = outcome_is_fine(r);
  text outcome;
  text_init(&outcome);
  outcome_print(&outcome, r);
  fprintf(out, "%s %zu - %s: %s\n", fine ? "ok" : "not ok", number, name, text_string(&outcome));
  text_clear(&outcome);
  if (r && r->expected && !fine && r->reason && *r->reason)
    fprintf(out, "# %s\n", r->reason);
  fflush(out);
}
