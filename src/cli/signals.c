/* Ctrl-C. */
#include "cli/signals.h"

#include <signal.h>
#include <string.h>

static volatile int stop;

static void on_signal(int number)
{
  (void)number;
  stop = 1;
}

const volatile int *signals_install(void)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  return &stop;
}
