/* From an instance that seems to decide a claim to a witness that the judge has accepted. */
#include "check/establish.h"

#include "check/witness.h"

check_witness *audit_establish(check_result *r, diag *d, const audit_options *o, shrunk *x, const char *target_name,
                               check_origin origin, const char *name)
{
  shrink_run(x, target_name, o->stop);
  check_witness *w = witness_create(x, target_name, origin, o->place);
  if (!w) {
    check_result_set_reason(r, "an instance that seemed to decide the claim could not be certified within the limits");
    return NULL;
  }
  if (!o->certificates || !o->judge || !witness_write(w, d, r->claim, r->file, o->certificates, name)) {
    check_result_set_reason(r, "an instance was found but no certificate could be written and judged");
    check_witness_destroy(w);
    return NULL;
  }
  text said;
  text_init(&said);
  int status = witness_judge(w, o->judge, r->file, &said);
  if (status != 0) {
    check_result_set_reason(r, "the judge did not accept the instance that was found: %s (exit status %d)",
                            said.length ? text_string(&said) : "it said nothing", status);
    check_witness_destroy(w);
    w = NULL;
  }
  text_clear(&said);
  return w;
}
