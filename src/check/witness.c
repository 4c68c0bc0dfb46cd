/* Counterexamples and witnesses: certified, written, judged. */
#include "check/witness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cert/certificate.h"
#include "core/memory.h"

extern char **environ;

/* The first target that is hit, among those named; false when there is none. */
static bool find_target(const decider *d, const decider_state *s, const char *target_name, size_t *label, size_t *atom)
{
  const tape *t = decider_tape(d);
  if (decide_hypotheses(s) != TRUTH_TRUE)
    return false;
  const uint32_t *labels;
  size_t targets = decider_targets(d, &labels);
  for (size_t k = 0; k < targets; k++) {
    const tape_label *l = &t->label[labels[k]];
    truth wanted = l->kind == TAPE_SHOW ? TRUTH_FALSE : TRUTH_TRUE;
    if ((target_name && strcmp(l->name, target_name)) || decide_label(s, labels[k]) != wanted)
      continue;
    *label = labels[k];
    *atom = SIZE_MAX;
    for (size_t j = 0; j < l->atoms && *atom == SIZE_MAX; j++)
      if (decide_atom(s, l->first_atom + j) == wanted)
        *atom = l->first_atom + j;
    return true;
  }
  return false;
}

static void fill_instance(check_instance *i, const shrunk *x)
{
  i->sizes = x->g.claim->sizes;
  i->size = memory_new(i->sizes, sizeof *i->size);
  memcpy(i->size, x->g.sizes, i->sizes * sizeof *i->size);
  i->elements = x->g.plain->elements;
  i->name = memory_new(i->elements, sizeof *i->name);
  i->value = memory_new(i->elements, sizeof *i->value);
  for (size_t e = 0; e < i->elements; e++) {
    i->name[e] = memory_copy_string(x->g.plain->element[e].name);
    fmpq_init(&i->value[e]);
    fmpq_set(&i->value[e], &x->value[e]);
  }
}

/* What broke, and where. A `possible` is met by all its atoms together, so only a lone one is shown. */
static void fill_place(check_witness *w, const decider *d, const decider_state *s, size_t label, size_t atom)
{
  const tape *t = decider_tape(d);
  const tape_label *l = &t->label[label];
  w->label = memory_copy_string(l->name);
  if (atom == SIZE_MAX || (l->kind == TAPE_POSSIBLE && l->atoms != 1))
    return;
  const tape_atom *a = &t->atom[atom];
  w->indices = a->indices;
  w->index_name = memory_new(a->indices, sizeof *w->index_name);
  w->index_value = memory_new(a->indices, sizeof *w->index_value);
  for (unsigned i = 0; i < a->indices; i++) {
    w->index_name[i] = memory_copy_string(t->index_name[a->first_index + i]);
    w->index_value[i] = t->index_value[a->first_index + i];
  }
  if (a->left == TAPE_NONE)
    return;
  w->left = decide_side_text(s, atom, false);
  w->right = decide_side_text(s, atom, true);
  w->relation = memory_copy_string(tree_relation_name((relation)a->relation));
}

check_witness *witness_create(const shrunk *x, const char *target_name, check_origin origin, const char *place)
{
  check_witness *w = NULL;
  decider_state *s = decider_state_create(x->g.decider);
  decide_instance(s, x->value, DECIDE_LADDER);
  size_t label, atom;
  if (find_target(x->g.decider, s, target_name, &label, &atom)) {
    w = memory_new(1, sizeof *w);
    fill_instance(&w->instance, x);
    fill_place(w, x->g.decider, s, label, atom);
    w->origin = origin;
    w->place = place ? memory_copy_string(place) : NULL;
    w->shrink_steps = x->steps;
  }
  decider_state_destroy(s);
  return w;
}

bool witness_write(check_witness *w, diag *d, const claim *c, const char *file, const char *folder, const char *name)
{
  if (mkdir(folder, 0777) && errno != EEXIST) {
    diag_error_plain(d, "cannot make the folder %s: %s", folder, strerror(errno));
    return false;
  }
  certificate z;
  certificate_init(&z);
  certificate_set_claim(&z, c, file);
  for (unsigned i = 0; i < w->instance.sizes; i++)
    instance_add_size(&z.instance, c->size[i].name, w->instance.size[i]);
  for (size_t e = 0; e < w->instance.elements; e++)
    instance_add_value(&z.instance, w->instance.name[e], &w->instance.value[e]);
  for (unsigned i = 0; i < c->labels; i++)
    z.witness |= c->label[i].kind == LABEL_POSSIBLE;
  z.label = memory_copy_string(w->label);
  for (unsigned i = 0; i < w->indices; i++)
    certificate_add_index(&z, w->index_name[i], w->index_value[i]);
  if (w->left && w->right) {
    z.left = memory_copy_string(w->left);
    z.right = memory_copy_string(w->right);
  }
  z.found = true;
  z.seed = w->origin.seed;
  z.number = w->origin.number;
  z.attempt = w->origin.attempt;
  text source, path;
  text_init(&source);
  text_addf(&source, "%s%s%s", source_name(w->origin.source), w->place ? " of " : "", w->place ? w->place : "");
  z.source = text_take(&source);
  text_init(&path);
  text_addf(&path, "%s/%s.json", folder, name);
  bool written = certificate_write(d, text_string(&path), &z);
  certificate_clear(&z);
  if (written)
    w->certificate = text_take(&path);
  text_clear(&path);
  return written;
}

/* Appends the last line that comes out of a pipe before its end, or what fits of it. */
static void read_last_line(int pipe, text *line)
{
  enum { MOST = 500 };
  char last[MOST], part[4096];
  size_t length = 0;
  bool ended = false; /* a line feed was the last byte: what follows begins a new line */
  for (;;) {
    ssize_t n = read(pipe, part, sizeof part);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      break;
    for (ssize_t i = 0; i < n; i++) {
      length = ended ? 0 : length;
      ended = part[i] == '\n';
      if (!ended && length < MOST)
        last[length++] = part[i];
    }
  }
  text_add_bytes(line, last, length);
}

/* Starts the judge with both its outputs in the pipe; false when that cannot be done. */
static bool start_judge(pid_t *child, const char *judge, char *const *arguments, int pipe)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t unmoved; /* a Ctrl-C asks the audit for a report, which needs the judge's answer */
  sigset_t held;
  if (posix_spawn_file_actions_init(&actions))
    return false;
  if (posix_spawnattr_init(&unmoved)) {
    posix_spawn_file_actions_destroy(&actions);
    return false;
  }
  sigemptyset(&held);
  sigaddset(&held, SIGINT);
  sigaddset(&held, SIGTERM);
  posix_spawnattr_setsigmask(&unmoved, &held);
  posix_spawnattr_setflags(&unmoved, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_adddup2(&actions, pipe, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe, STDERR_FILENO);
  bool started = !posix_spawn(child, judge, &actions, &unmoved, arguments, environ);
  posix_spawnattr_destroy(&unmoved);
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

int witness_judge(check_witness *w, const char *judge, const char *file, text *said)
{
  w->judged = false;
  int ends[2], status;
  pid_t child;
  if (!judge || !w->certificate || pipe2(ends, O_CLOEXEC))
    return -1;
  char *const arguments[] = {(char *)judge, (char *)"--quiet", (char *)file, w->certificate, NULL};
  bool started = start_judge(&child, judge, arguments, ends[1]);
  close(ends[1]);
  if (started)
    read_last_line(ends[0], said);
  close(ends[0]);
  if (!started)
    return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  w->judged = code == 0;
  return code;
}
