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

static void change_mask(int how)
{
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  sigprocmask(how, &both, NULL);
}

void signals_hold(void)
{
  change_mask(SIG_BLOCK);
}

void signals_release(void)
{
  change_mask(SIG_UNBLOCK);
}

const volatile int *signals_install(void)
{
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, NULL); /* timeout(1) sends it twice, to the process and to its group */
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, NULL); /* a second Ctrl-C is meant */
  signals_release();
  return &stop;
}
