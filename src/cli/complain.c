/* What is wrong with a parameter file. */
#include "cli/complain.h"

bool complain_of_dump(diag *d, dump_error *error)
{
  if (error->message && error->has_offset)
    diag_error_plain(d, "%s: byte %llu: %s", error->file, (unsigned long long)error->offset, error->message);
  else if (error->message)
    diag_error_plain(d, "%s: %s", error->file, error->message);
  dump_error_clear(error);
  return false;
}
