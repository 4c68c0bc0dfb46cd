/* assay-verify: the independent judge of certificates. */
#include <stdio.h>
#include <string.h>

#include "core/flint.h"
#include "verify/judge.h"

static const char usage[] = "usage: assay-verify [--quiet] CLAIM-FILE CERTIFICATE\n";

static const char help[] =
  "Decides whether the certificate refutes the claim of its name in the claim file (or, for a `possible`\n"
  "label, whether it is a witness): every hypothesis true, the conclusion that it names false, in exact or\n"
  "ball arithmetic. Prints the claim that it decides, what it found, and one last line: `accepted: ...`,\n"
  "`not a counterexample: ...` or `not decided: ...`.\n"
  "\n"
  "  --quiet    print the last line only\n"
  "  --help     print this text\n"
  "  --version  print the version\n"
  "\n"
  "Exit status: 0 accepted; 1 not a counterexample, or not shown to be one; 2 wrong usage, a file that can\n"
  "not be read, or a certificate for another claim; 70 internal error.\n";

static int judge(const char *claim_file, const char *certificate_file, bool quiet)
{
  diag *d = diag_create(stderr, 20);
  certificate z;
  certificate_init(&z);
  text report, last;
  text_init(&report);
  text_init(&last);
  int verdict = JUDGE_UNREADABLE;
  library *l = library_read(d, claim_file, 0);
  if (!l)
    text_add(&last, "not decided: the claim file cannot be read");
  else if (!certificate_read(d, certificate_file, &z))
    text_add(&last, "not decided: the certificate cannot be read");
  else
    verdict = (int)judge_certificate(d, &report, &last, l, &z, certificate_file, 0);
  if (!quiet)
    fputs(text_string(&report), stdout);
  printf("%s\n", text_string(&last));
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "assay-verify: cannot write the answer\n");
    verdict = 70;
  }
  text_clear(&report);
  text_clear(&last);
  certificate_clear(&z);
  library_destroy(l);
  diag_destroy(d);
  flint_cleanup();
  return verdict;
}

int main(int argc, char **argv)
{
  bool quiet = false, options = true;
  const char *file[2];
  int files = 0;
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    if (options && !strcmp(a, "--quiet")) {
      quiet = true;
    } else if (options && !strcmp(a, "--help")) {
      printf("%s\n%s", usage, help);
      return 0;
    } else if (options && !strcmp(a, "--version")) {
      printf("assay-verify %s\n", PACKAGE_VERSION);
      return 0;
    } else if (options && !strcmp(a, "--")) {
      options = false;
    } else if ((options && a[0] == '-' && a[1]) || files == 2) {
      fprintf(stderr, "assay-verify: %s: not understood\n%s", a, usage);
      return 2;
    } else {
      file[files++] = a;
    }
  }
  if (files != 2) {
    fputs(usage, stderr);
    return 2;
  }
  return judge(file[0], file[1], quiet);
}
