/* measure ROUNDS COMMAND [ARGUMENT]...: runs the command, its output thrown away, ROUNDS times. Prints
 *
 * SECONDS PROCESSOR MEGABYTES STATUS
 *
 * the median time on the clock from fork to exit, the median processor time, the largest resident set of
 * the command and its children in any round (MB of 10^6 bytes), and the last exit status (128 + the
 * signal that ended it). */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 99 };

typedef struct {
  double clock, processor, megabytes;
  int status;
} measured;

static double seconds(struct timeval t)
{
  return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_once(measured *m, char **command)
{
  double start = now();
  pid_t child = fork();
  if (child < 0)
    return -1;
  if (child == 0) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
      dup2(nowhere, 1);
      dup2(nowhere, 2);
    }
    execvp(command[0], command);
    _exit(127);
  }
  int status;
  struct rusage use;
  if (wait4(child, &status, 0, &use) != child)
    return -1;
  m->clock = now() - start;
  m->processor = seconds(use.ru_utime) + seconds(use.ru_stime);
  m->megabytes = (double)use.ru_maxrss * 1024e-6;
  m->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return 0;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
  int rounds = argc > 2 ? atoi(argv[1]) : 0;
  if (rounds < 1 || rounds > MOST_ROUNDS) {
    fprintf(stderr, "usage: measure ROUNDS COMMAND [ARGUMENT]...\n");
    return 2;
  }
  double clock[MOST_ROUNDS], processor[MOST_ROUNDS], most = 0;
  measured m = {0};
  for (int i = 0; i < rounds; i++) {
    if (run_once(&m, argv + 2)) {
      perror("measure");
      return 1;
    }
    clock[i] = m.clock;
    processor[i] = m.processor;
    most = m.megabytes > most ? m.megabytes : most;
  }
  qsort(clock, (size_t)rounds, sizeof *clock, by_size);
  qsort(processor, (size_t)rounds, sizeof *processor, by_size);
  printf("%.4f %.4f %.1f %d\n", clock[rounds / 2], processor[rounds / 2], most, m.status);
  return 0;
}
