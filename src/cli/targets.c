/* What the words on the command line name. */
#include "cli/targets.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

void targets_init(target_list *t, diag *d)
{
  *t = (target_list){.d = d};
}

void targets_clear(target_list *t)
{
  for (size_t i = 0; i < t->files; i++) {
    free(t->file[i].path);
    library_destroy(t->file[i].library);
  }
  for (size_t i = 0; i < t->cases; i++) {
    case_file_clear(t->case_file[i]);
    free(t->case_file[i]);
  }
  free(t->file);
  free(t->case_file);
  free(t->target);
  path_list_clear(&t->bundled);
  *t = (target_list){0};
}

static void append(target_list *t, target_file *file, const claim *c, const case_run *run)
{
  t->target = memory_resize(t->target, t->count + 1, sizeof *t->target);
  t->target[t->count++] = (target){c, file->path, run};
}

/* The file, read at its first use; NULL when it cannot be read, with messages to d at its first use. */
static target_file *open_file(target_list *t, diag *d, const char *name)
{
  char *path = path_tidy(name);
  size_t i = 0;
  while (i < t->files && strcmp(t->file[i].path, path))
    i++;
  if (i == t->files) {
    t->file = memory_resize(t->file, t->files + 1, sizeof *t->file);
    t->file[t->files++] = (target_file){path, library_read(d, path, 0)};
  } else
    free(path);
  return t->file[i].library ? &t->file[i] : NULL;
}

static bool add_file(target_list *t, const char *path, const case_run *run)
{
  target_file *file = open_file(t, t->d, path);
  for (unsigned i = 0; file && i < library_claims(file->library); i++)
    append(t, file, library_claim(file->library, i), run);
  return file != NULL;
}

bool targets_add_file(target_list *t, const char *path)
{
  return add_file(t, path, NULL);
}

static bool list_bundled(target_list *t)
{
  if (t->bundled_listed)
    return true;
  char *data = path_data(), *folder = path_join(data, "lemmas");
  t->bundled_listed = path_find_files(&t->bundled, t->d, folder, ".claim");
  free(folder);
  free(data);
  return t->bundled_listed;
}

/* ---- names that were perhaps meant ---- */

typedef struct {
  const char *wanted, *best;
  unsigned least;
} suggestion;

static void suggest(suggestion *s, const library *l)
{
  for (unsigned i = 0; i < library_claims(l); i++) {
    const char *name = library_claim(l, i)->name;
    unsigned distance = diag_name_distance(s->wanted, name, s->least - 1);
    if (distance < s->least) {
      s->least = distance;
      s->best = name;
    }
  }
}

static suggestion suggestion_start(const char *wanted)
{
  size_t n = strlen(wanted) / 3 + 1;
  return (suggestion){.wanted = wanted, .least = n < 4 ? (unsigned)n : 4};
}

static void complain(target_list *t, const case_run *run, const suggestion *s, const char *where)
{
  const char *open = s->best ? "; did you mean '" : "", *best = s->best ? s->best : "",
             *close = s->best ? "'?" : "";
  if (run)
    diag_error(t->d, run->place, "case '%s': no claim '%s' %s%s%s%s", run->name, s->wanted, where, open, best,
               close);
  else
    diag_error_plain(t->d, "no claim '%s' %s%s%s%s", s->wanted, where, open, best, close);
}

/* ---- single claims ---- */

static bool add_bundled_claim(target_list *t, const char *name, const case_run *run)
{
  if (!list_bundled(t))
    return false;
  suggestion s = suggestion_start(name);
  diag *quiet = diag_create(NULL, 0); /* another bundled file that is broken is no concern of this one */
  target_file *found = NULL;
  const claim *c = NULL;
  for (size_t i = 0; i < t->bundled.count && !c; i++) {
    target_file *file = open_file(t, quiet, t->bundled.item[i]);
    if (!file)
      continue;
    c = library_find(file->library, name);
    found = file;
    suggest(&s, file->library);
  }
  if (c)
    append(t, found, c, run);
  else {
    complain(t, run, &s, "among the bundled ones");
    if (diag_errors(quiet))
      diag_error_plain(t->d, "some bundled claims could not be read:\n%s", diag_text(quiet));
  }
  diag_destroy(quiet);
  return c != NULL;
}

static bool add_claim(target_list *t, const char *path, const char *name, const case_run *run)
{
  if (!path)
    return add_bundled_claim(t, name, run);
  target_file *file = open_file(t, t->d, path);
  if (!file)
    return false;
  const claim *c = library_find(file->library, name);
  if (c)
    append(t, file, c, run);
  else {
    suggestion s = suggestion_start(name);
    suggest(&s, file->library);
    text where;
    text_init(&where);
    text_addf(&where, "in %s", path);
    complain(t, run, &s, text_string(&where));
    text_clear(&where);
  }
  return c != NULL;
}

bool targets_add_claim(target_list *t, const char *path, const char *name)
{
  return add_claim(t, path, name, NULL);
}

/* ---- many ---- */

static bool add_case_file(target_list *t, const char *path)
{
  case_file *f = memory_new(1, sizeof *f);
  bool fine = case_file_read(f, t->d, path), all = true;
  t->case_file = memory_resize(t->case_file, t->cases + 1, sizeof(case_file *));
  t->case_file[t->cases++] = f;
  for (size_t i = 0; fine && i < f->count; i++) {
    const case_run *run = &f->run[i];
    all = (run->claim ? add_claim(t, run->file, run->claim, run) : add_file(t, run->file, run)) && all;
  }
  return fine && all;
}

static bool add_folder(target_list *t, const char *path)
{
  path_list list = {0};
  bool fine = path_find_files(&list, t->d, path, ".claim");
  if (fine && !list.count) {
    diag_error_plain(t->d, "%s holds no claim file", path);
    fine = false;
  }
  for (size_t i = 0; i < list.count; i++)
    fine = targets_add_file(t, list.item[i]) && fine;
  path_list_clear(&list);
  return fine;
}

bool targets_add(target_list *t, const char *word)
{
  if (path_is_directory(word))
    return add_folder(t, word);
  if (path_has_suffix(word, ".case"))
    return add_case_file(t, word);
  if (path_exists(word) || strchr(word, '/') || path_has_suffix(word, ".claim") || !strcmp(word, "-"))
    return targets_add_file(t, word);
  return add_bundled_claim(t, word, NULL);
}

bool targets_add_bundled(target_list *t)
{
  bool fine = list_bundled(t);
  for (size_t i = 0; i < t->bundled.count; i++)
    fine = targets_add_file(t, t->bundled.item[i]) && fine;
  return fine;
}

bool targets_add_bundled_cases(target_list *t)
{
  char *data = path_data(), *folder = path_join(data, "cases");
  path_list list = {0};
  bool fine = path_find_files(&list, t->d, folder, ".case");
  for (size_t i = 0; i < list.count; i++)
    fine = add_case_file(t, list.item[i]) && fine;
  path_list_clear(&list);
  free(folder);
  free(data);
  return fine;
}
