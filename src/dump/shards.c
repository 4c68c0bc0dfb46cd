/* Models in several files: an index that maps tensors to files, or files that are numbered by name. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/text.h"
#include "dump/json_text.h"
#include "dump/open.h"

bool shards_is_index(const unsigned char *data, uint64_t length)
{
  uint64_t i = 0;
  while (i < length && (data[i] == ' ' || data[i] == '\t' || data[i] == '\n' || data[i] == '\r'))
    i++;
  return i < length && data[i] == '{';
}

/* Reads one more file into a dump that holds shards of the same container. Of all but the first the notes go:
 * they say the same, or something about the shard. */
static assay_status add_shard(dump_file *file, const char *path, const dump_limits *limits, dump_error *error)
{
  const char *container = file->container;
  if (open_add(file, path, limits, error) != STATUS_OK)
    return STATUS_BAD_INPUT;
  if (container == NULL || strcmp(container, file->container) == 0)
    return STATUS_OK;
  dump_error_set_at(error, path, 0, "a shard of another kind (%s) than those before it (%s)", file->container,
                    container);
  return STATUS_BAD_INPUT;
}

static void drop_notes(dump_file *file, size_t from)
{
  while (file->note_count > from) {
    reader_note *note = &file->notes[--file->note_count];
    free(note->key);
    free(note->value);
  }
}

/* An index while it is read. */
typedef struct {
  const char *path;
  const char *text; /* the file */
  size_t length;
  json_t *map;       /* tensor name to shard */
  uint64_t map_at;   /* where the map begins in the file */
  const char *shard; /* the shard of the tensors from number `first` on */
} shard_index;

/* Sets an error at the place of entry number `i` of the map; always STATUS_BAD_INPUT. */
static assay_status fail_at_entry(const shard_index *index, size_t i, const char *tensor, const char *reason,
                                  const char *shard, dump_error *error)
{
  size_t *keys = memory_new(i + 1, sizeof *keys);
  json_text_keys(keys, i + 1, index->text + index->map_at, index->length - index->map_at);
  char *name = dump_quote(tensor), *file = dump_quote(shard);
  dump_error_set_at(error, index->path, index->map_at + keys[i], "tensor %s: %s%s%s", name, reason,
                    *shard != 0 ? " " : "", *shard != 0 ? file : "");
  free(file);
  free(name);
  free(keys);
  return STATUS_BAD_INPUT;
}

/* A relative name without "..", "." or empty parts. */
static bool stays_inside(const char *name)
{
  for (const char *part = name;; part++) {
    size_t n = strcspn(part, "/");
    if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
      return false;
    part += n;
    if (*part == 0)
      return true;
  }
}

/* Every entry must name a file inside the folder that is there. */
static assay_status check_entries(const shard_index *index, const char *folder, dump_error *error)
{
  const char *tensor, *last = "";
  json_t *value;
  size_t i = 0;
  json_object_foreach(index->map, tensor, value)
  {
    const char *shard = json_string_value(value);
    if (shard == NULL)
      return fail_at_entry(index, i, tensor, "its file is no string", "", error);
    if (!stays_inside(shard))
      return fail_at_entry(index, i, tensor, "its file is not inside the folder of the index:", shard, error);
    if (strcmp(shard, last) != 0) { /* in most indexes neighbours share a shard */
      char *path = open_path_join(folder, shard);
      bool there = access(path, F_OK) == 0;
      free(path);
      if (!there)
        return fail_at_entry(index, i, tensor, "there is no file", shard, error);
      last = shard;
    }
    i++;
  }
  return STATUS_OK;
}

static int compare_words(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The shards' names, each once, sorted. */
static size_t list_shards(const char **names, json_t *map)
{
  const char *tensor;
  json_t *value;
  size_t count = 0, kept = 0;
  json_object_foreach(map, tensor, value) names[count++] = json_string_value(value);
  if (count > 1)
    qsort(names, count, sizeof *names, compare_words);
  for (size_t i = 0; i < count; i++)
    if (i == 0 || strcmp(names[i], names[kept - 1]) != 0)
      names[kept++] = names[i];
  return kept;
}

/* The parameters from number `first` on are in index->shard: the index must say so. */
static assay_status check_shard(const dump_file *file, size_t first, const shard_index *index,
                                dump_error *error)
{
  for (size_t i = first; i < file->count; i++) {
    const dump_tensor *tensor = &file->tensors[i];
    if (tensor->kind != DUMP_PARAMETER)
      continue;
    const char *shard = json_string_value(json_object_get(index->map, tensor->name));
    if (shard != NULL && strcmp(shard, index->shard) == 0)
      continue;
    char *name = dump_quote(tensor->name), *other = dump_quote(shard == NULL ? "" : shard);
    if (shard == NULL)
      dump_error_set_tensor(error, file, tensor, "tensor %s is not in the index of shards", name);
    else
      dump_error_set_tensor(error, file, tensor, "tensor %s is in this shard, but the index names %s", name,
                            other);
    free(other);
    free(name);
    return STATUS_BAD_INPUT;
  }
  return STATUS_OK;
}

static assay_status read_shards(dump_file *file, shard_index *index, const dump_limits *limits,
                                dump_error *error)
{
  char *folder = path_folder(index->path);
  const char **names = memory_new(json_object_size(index->map) + 1, sizeof *names);
  assay_status status = check_entries(index, folder, error);
  size_t count = status == STATUS_OK ? list_shards(names, index->map) : 0;
  for (size_t k = 0; status == STATUS_OK && k < count; k++) {
    char *path = open_path_join(folder, names[k]);
    size_t first = file->count, notes = file->note_count;
    status = add_shard(file, path, limits, error);
    free(path);
    if (k > 0)
      drop_notes(file, notes);
    index->shard = names[k];
    if (status == STATUS_OK)
      status = check_shard(file, first, index, error);
  }
  free(names);
  free(folder);
  if (status == STATUS_OK)
    status = reader_index(file, limits, error);
  const char *tensor;
  json_t *value;
  size_t i = 0;
  if (status == STATUS_OK)
    json_object_foreach(index->map, tensor, value)
    {
      if (dump_find(file, tensor) == NULL)
        return fail_at_entry(index, i, tensor, "it is not in its file", json_string_value(value), error);
      i++;
    }
  return status;
}

/* Finds weight_map in the index; false with `error` set. */
static bool find_map(shard_index *index, json_t *root, dump_error *error)
{
  const char *key;
  json_t *value;
  size_t i = 0, count = json_object_size(root);
  index->map = json_object_get(root, "weight_map");
  if (!json_is_object(index->map)) {
    dump_error_set_at(error, index->path, 0, "no index of shards: there is no object \"weight_map\" in it");
    return false;
  }
  if (json_object_size(index->map) == 0) {
    dump_error_set_at(error, index->path, 0, "the index of shards names no tensor");
    return false;
  }
  size_t *keys = memory_new(count + 1, sizeof *keys);
  json_text_keys(keys, count, index->text, index->length);
  json_object_foreach(root, key, value)
  {
    if (value == index->map)
      index->map_at = keys[i];
    i++;
  }
  free(keys);
  /* Behind the key, which holds no bracket, comes the object. */
  while (index->text[index->map_at] != '{')
    index->map_at++;
  return true;
}

dump_file *shards_open_index(const char *path, const dump_limits *limits, dump_error *error)
{
  dump_file *holder = reader_create(path), *file = reader_create(path);
  json_t *root = NULL;
  size_t segment;
  bool good = false;
  if (reader_map(holder, path, &segment, error) != STATUS_OK)
    goto cleanup;
  const reader_segment *s = &holder->segments[segment];
  if (s->length > limits->header_bytes) {
    dump_error_set_at(error, path, 0, "the index of shards exceeds the limit of %llu bytes",
                      (unsigned long long)limits->header_bytes);
    goto cleanup;
  }
  shard_index index = {.path = path, .text = (const char *)s->data, .length = (size_t)s->length};
  root = json_text_parse(path, "the index of shards", index.text, index.length, 0, limits->depth, error);
  good =
      root != NULL && find_map(&index, root, error) && read_shards(file, &index, limits, error) == STATUS_OK;

cleanup:
  json_decref(root);
  dump_close(holder);
  if (!good) {
    dump_close(file);
    file = NULL;
  }
  return file;
}

/* The number in `n` digits; 0 for more than 7. */
static unsigned read_digits(const char *digits, size_t n)
{
  unsigned value = 0;
  for (size_t i = 0; i < n && n <= 7; i++)
    value = 10 * value + (unsigned)(digits[i] - '0');
  return value;
}

bool shards_parse_name(shard_name *parsed, const char *name)
{
  static const char digits[] = "0123456789", middle[] = "-of-";
  for (const char *of = strstr(name, middle); of != NULL; of = strstr(of + 1, middle)) {
    size_t before = 0, after = strspn(of + 4, digits);
    while (of - before > name && strchr(digits, of[-1 - (ptrdiff_t)before]) != NULL)
      before++;
    const char *dash = of - before - 1;
    if (before == 0 || after == 0 || dash <= name || *dash != '-')
      continue;
    *parsed = (shard_name){.stem = (size_t)(dash - name),
                           .part = read_digits(of - before, before),
                           .parts = read_digits(of + 4, after),
                           .ending = of + 4 + after};
    if (parsed->part >= 1 && parsed->part <= parsed->parts)
      return true;
  }
  return false;
}

/* The name of another part, its number written in as many digits. */
static char *part_name(const char *name, const shard_name *parsed, unsigned part)
{
  const char *number = name + parsed->stem + 1;
  int width = (int)strspn(number, "0123456789");
  text out;
  text_init(&out);
  text_add_bytes(&out, name, parsed->stem);
  text_addf(&out, "-%0*u%s", width, part, number + width);
  return text_take(&out);
}

/* The value of a note from number `from` on, NULL when it is not there. */
static const char *note_since(const dump_file *file, size_t from, const char *key)
{
  for (size_t i = from; i < file->note_count; i++)
    if (strcmp(file->notes[i].key, key) == 0)
      return file->notes[i].value;
  return NULL;
}

static bool note_is(const char *note, uint64_t number)
{
  char wanted[24];
  snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)number);
  return note != NULL && strcmp(note, wanted) == 0;
}

/* What a GGUF part says of itself; its notes are those from number `from` on. */
static assay_status check_part(const dump_file *file, const char *path, size_t from, unsigned part,
                               unsigned parts, dump_error *error)
{
  if (strcmp(file->container, "GGUF") != 0)
    return STATUS_OK;
  const char *number = note_since(file, from, "split.no"), *count = note_since(file, from, "split.count");
  if (note_is(number, part - 1) && note_is(count, parts))
    return STATUS_OK;
  char *no = dump_quote(number == NULL ? "" : number), *of = dump_quote(count == NULL ? "" : count);
  dump_error_set(error, path, "by its name it is part %u of %u, but its split.no is %s and split.count %s",
                 part, parts, no, of);
  free(of);
  free(no);
  return STATUS_BAD_INPUT;
}

dump_file *shards_open_family(const char *path, const dump_limits *limits, dump_error *error)
{
  const char *slash = strrchr(path, '/'), *name = slash == NULL ? path : slash + 1;
  shard_name parsed;
  if (!shards_parse_name(&parsed, name)) {
    dump_error_set(error, path, "one part of several, but its name is not like NAME-00001-of-00003.gguf");
    return NULL;
  }
  char *folder = path_folder(path);
  dump_file *file = reader_create(path);
  assay_status status = STATUS_OK;
  for (unsigned part = 1; status == STATUS_OK && part <= parsed.parts; part++) {
    char *sibling = part_name(name, &parsed, part);
    char *where = slash == NULL ? memory_copy_string(sibling) : open_path_join(folder, sibling);
    size_t notes = file->note_count;
    status = add_shard(file, where, limits, error);
    if (status == STATUS_OK)
      status = check_part(file, where, part == 1 ? 0 : notes, part, parsed.parts, error);
    if (part > 1)
      drop_notes(file, notes);
    free(where);
    free(sibling);
  }
  free(folder);
  const char *tensors = status == STATUS_OK ? dump_note(file, "split.tensors.count") : NULL;
  if (tensors != NULL && !note_is(tensors, file->count)) {
    char *wanted = dump_quote(tensors);
    dump_error_set(error, path, "the parts hold %zu tensors, but split.tensors.count is %s", file->count,
                   wanted);
    free(wanted);
    status = STATUS_BAD_INPUT;
  }
  if (status == STATUS_OK)
    return file;
  dump_close(file);
  return NULL;
}
