/* assay: finds out whether a theorem about a recurrence is true. Dispatch of its commands. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arith/self_test.h"
#include "cli/commands.h"
#include "cli/signals.h"
#include "core/flint.h"

enum { MOST_MESSAGES = 200 };

static int print_version(void)
{
  printf("assay %s\n", PACKAGE_VERSION);
  return EXIT_FINE;
}

static int help_on(const options *o, diag *d)
{
  if (o->arguments > 1) {
    diag_error_plain(d, "help takes one command");
    return EXIT_BAD_INPUT;
  }
  command_kind topic = o->arguments ? options_command(o->argument[0]) : 0;
  if (o->arguments && !topic) {
    diag_error_plain(d, "there is no command '%s'; see assay help", o->argument[0]);
    return EXIT_BAD_INPUT;
  }
  return cmd_help(topic);
}

static int run_command(const options *o, diag *d)
{
  /* Of which some have something to say when they are interrupted. */
  if (!(o->command & (COMMAND_AUDIT | COMMAND_SIMULATE | COMMAND_MEASURE | COMMAND_TABLE)))
    signals_release();
  switch (o->command) {
  case COMMAND_AUDIT:
    return cmd_audit(o, d);
  case COMMAND_LIST:
    return cmd_list(o, d);
  case COMMAND_SHOW:
    return cmd_show(o, d);
  case COMMAND_DECIDE:
    return cmd_decide(o, d);
  case COMMAND_MODEL:
    return cmd_model(o, d);
  case COMMAND_TENSORS:
    return cmd_tensors(o, d);
  case COMMAND_SIMULATE:
    return cmd_simulate(o, d);
  case COMMAND_MEASURE:
    return cmd_measure(o, d);
  case COMMAND_TABLE:
    return cmd_table(o, d);
  default:
    return help_on(o, d);
  }
}

static int dispatch(int argc, char **argv, diag *d)
{
  if (argc < 2) {
    diag_error_plain(d, "no command given; see assay help");
    return EXIT_BAD_INPUT;
  }
  if (!strcmp(argv[1], "--version"))
    return print_version();
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
    return cmd_help(0);
  command_kind c = options_command(argv[1]);
  if (!c) {
    diag_error_plain(d, "there is no %s '%s'; see assay help", argv[1][0] == '-' ? "option" : "command",
                     argv[1]);
    return EXIT_BAD_INPUT;
  }
  options o;
  if (!options_read(&o, d, c, argc - 1, argv + 1))
    return EXIT_BAD_INPUT;
  if (o.version)
    return print_version();
  return o.help ? cmd_help(c) : run_command(&o, d);
}

/* No verdict stands on a machine that does not compute as the error bounds assume. */
static int run(int argc, char **argv, diag *d)
{
  const char *fault = self_test_run();
  if (!fault)
    return dispatch(argc, argv, d);
  diag_error_plain(d, "this machine's arithmetic cannot be relied on: %s", fault);
  return EXIT_INTERNAL;
}

/* Between our short parallel loops idle OpenMP threads would spin, and take the cores from whatever else runs. The policy is
 * read when the library is loaded, so the program starts itself once more with it set; where it cannot, it only spins. */
static void wait_without_spinning(char **argv)
{
  if (getenv("OMP_WAIT_POLICY") || setenv("OMP_WAIT_POLICY", "passive", 1))
    return;
  execv("/proc/self/exe", argv);
}

/* A standard stream that is closed would be the next file that is opened, and get what is meant for the stream. It
 * becomes one that fails instead. */
static void keep_streams_apart(void)
{
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF &&
        open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
      return;
}

int main(int argc, char **argv)
{
  keep_streams_apart();
  signals_hold();
  wait_without_spinning(argv);
  diag *d = diag_create(stderr, MOST_MESSAGES);
  int status = run(argc, argv, d);
  errno = 0;
  if (fflush(stdout) || ferror(stdout)) {
    diag_error_plain(d, "cannot write the results: %s", errno ? strerror(errno) : "output error");
    status = EXIT_INTERNAL;
  }
  diag_destroy(d);
  flint_cleanup_master();
  return status;
}
