/* Finds the one model in a folder: by its index of shards, else its only parameter file, else the numbered
 * parts of one. Where a folder holds the same model twice, as safetensors and as something else, the
 * safetensors files are taken. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/open.h"

typedef struct {
  char **names;
  size_t count, capacity;
} name_list;

static void list_add(name_list *list, const char *name)
{
  if (list->count == list->capacity) {
    list->capacity = list->capacity == 0 ? 16 : memory_multiply(list->capacity, 2);
    list->names = memory_resize(list->names, list->capacity, sizeof *list->names);
  }
  list->names[list->count++] = memory_copy_string(name);
}

static void list_clear(name_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    free(list->names[i]);
  free(list->names);
  *list = (name_list){0};
}

static int compare_words(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool ends_in(const char *name, const char *ending)
{
  size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcmp(name + n - m, ending) == 0;
}

/* What trainers save beside a model; its arrays are no parameters. */
static bool is_side_file(const char *name)
{
  static const char *const beginnings[] = {"optimizer.",    "scheduler.", "scaler.",
                                           "training_args", "rng_state",  "random_states"};
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
      return true;
  return false;
}

/* Whether a file is a parameter file, by its content. *safetensors: of that kind. */
static bool sniff(bool *safetensors, const char *folder, const char *name)
{
  char *path = open_path_join(folder, name);
  dump_file *holder = reader_create(path);
  dump_error error;
  dump_error_init(&error);
  size_t segment;
  bool found = false;
  if (reader_map(holder, path, &segment, &error) == STATUS_OK) {
    const reader_segment *s = &holder->segments[segment];
    found = open_recognise(s->data, s->length, true) >= 0;
    *safetensors = found && safetensors_is(s->data, (size_t)s->length);
  }
  dump_error_clear(&error);
  dump_close(holder);
  free(path);
  return found;
}

static assay_status read_folder(name_list *list, const char *path, dump_error *error)
{
  DIR *folder = opendir(path);
  if (folder == NULL) {
    dump_error_set(error, path, "cannot open the folder: %s", strerror(errno));
    return STATUS_BAD_INPUT;
  }
  for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
    if (entry->d_name[0] != '.')
      list_add(list, entry->d_name);
  closedir(folder);
  if (list->count > 1) /* the system's order is none */
    qsort(list->names, list->count, sizeof *list->names, compare_words);
  return STATUS_OK;
}

static bool same_family(const char *a, const char *b)
{
  shard_name x, y;
  return shards_parse_name(&x, a) && shards_parse_name(&y, b) && x.stem == y.stem &&
         strncmp(a, b, x.stem) == 0 && x.parts == y.parts && strcmp(x.ending, y.ending) == 0;
}

static bool is_one_family(const name_list *list)
{
  for (size_t i = 0; i < list->count; i++)
    if (!same_family(list->names[0], list->names[i]))
      return false;
  return list->count > 0;
}

static void report_choice(const char *path, const name_list *list, const char *what, dump_error *error)
{
  enum { SHOWN = 8 };
  text names;
  text_init(&names);
  for (size_t i = 0; i < list->count && i < SHOWN; i++) {
    char *name = dump_quote(list->names[i]);
    text_addf(&names, "%s%s", i == 0 ? "" : ", ", name);
    free(name);
  }
  if (list->count > SHOWN)
    text_addf(&names, " and %zu more", list->count - SHOWN);
  dump_error_set(error, path, "%s in this folder; name the one that is meant: %s", what, text_string(&names));
  text_clear(&names);
}

/* A list of one file, or of the parts of one family. A single part wants the others, too. */
static dump_file *open_list(const char *path, const name_list *list, const dump_limits *limits,
                            dump_error *error)
{
  char *first = open_path_join(path, list->names[0]);
  dump_file *file = NULL;
  shard_name parsed;
  if (list->count > 1 || shards_parse_name(&parsed, list->names[0]))
    file = shards_open_family(first, limits, error);
  else {
    file = reader_create(first);
    if (open_add(file, first, limits, error) != STATUS_OK) {
      dump_close(file);
      file = NULL;
    }
  }
  free(first);
  return file;
}

static dump_file *open_indexes(const char *path, const name_list *indexes, const dump_limits *limits,
                               dump_error *error)
{
  size_t chosen = 0, preferred = 0;
  for (size_t i = 0; i < indexes->count; i++)
    if (ends_in(indexes->names[i], ".safetensors.index.json")) {
      chosen = i;
      preferred++;
    }
  if (indexes->count > 1 && preferred != 1) {
    report_choice(path, indexes, "several indexes of shards", error);
    return NULL;
  }
  char *name = open_path_join(path, indexes->names[chosen]);
  dump_file *file = shards_open_index(name, limits, error);
  free(name);
  return file;
}

dump_file *folder_open(const char *path, const dump_limits *limits, dump_error *error)
{
  name_list all = {0}, indexes = {0}, models = {0}, side = {0}, safe = {0};
  dump_file *file = NULL;
  if (read_folder(&all, path, error) != STATUS_OK)
    goto cleanup;
  for (size_t i = 0; i < all.count; i++) {
    bool safetensors = false;
    if (ends_in(all.names[i], ".index.json"))
      list_add(&indexes, all.names[i]);
    else if (sniff(&safetensors, path, all.names[i])) {
      list_add(is_side_file(all.names[i]) ? &side : &models, all.names[i]);
      if (safetensors && !is_side_file(all.names[i]))
        list_add(&safe, all.names[i]);
    }
  }
  const name_list *chosen = models.count > 0 ? &models : &side;
  if (indexes.count > 0)
    file = open_indexes(path, &indexes, limits, error);
  else if (chosen->count == 0)
    dump_error_set(error, path, "no parameter file (safetensors, torch, npy, npz, GGUF) in this folder");
  else if (chosen->count == 1 || is_one_family(chosen))
    file = open_list(path, chosen, limits, error);
  else if (safe.count == 1 || is_one_family(&safe))
    file = open_list(path, &safe, limits, error);
  else
    report_choice(path, chosen, "several parameter files and no index of shards", error);

cleanup:
  list_clear(&all);
  list_clear(&indexes);
  list_clear(&models);
  list_clear(&side);
  list_clear(&safe);
  return file;
}
