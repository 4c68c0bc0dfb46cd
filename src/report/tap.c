/* An audit as TAP. */
#include "report/tap.h"

#include "report/table_text.h"

void tap_write_plan(FILE *out, size_t count)
{
  fprintf(out, "1..%zu\n", count);
}

void tap_write(FILE *out, size_t number, const char *name, const check_result *r)
{
  /* Where nothing was expected, what the exit status would call a failure is one. */
  bool fine = r && (r->expected ? check_result_as_expected(r)
                                : r->verdict == VERDICT_SURVIVED || r->verdict == VERDICT_PROVED ||
                                      r->verdict == VERDICT_PROVED_ON_BOX || r->verdict == VERDICT_POSSIBLE);
  fprintf(out, "%s %zu - %s: ", fine ? "ok" : "not ok", number, name);
  if (!r)
    fputs("not audited", out);
  else {
    text verdict_text;
    text_init(&verdict_text);
    table_print_verdict(&verdict_text, r);
    fputs(text_string(&verdict_text), out);
    text_clear(&verdict_text);
    if (r->expected && fine)
      fputs(" as expected", out);
    else if (r->expected)
      fprintf(out, ", expected %s", r->expected);
    if (r->expected && !fine && r->reason && *r->reason)
      fprintf(out, "\n# %s", r->reason);
  }
  fputc('\n', out);
  fflush(out);
}
