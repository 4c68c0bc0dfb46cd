/* Opens parameter files: tells the container by its first bytes and calls its reader. */
#include "dump/open.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/text.h"

/* Those with magic numbers first. */
static const struct {
  bool (*is)(const unsigned char *data, size_t length);
  assay_status (*read)(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error);
} readers[] = {
    {gguf_is, gguf_read},
    {npy_is, npy_read},
    {zip_is, zip_read},
    {torch_legacy_is, torch_legacy_read},
    {safetensors_is, safetensors_read},
};
enum { READERS = sizeof readers / sizeof *readers, SAFETENSORS = READERS - 1 };

int open_recognise(const unsigned char *data, uint64_t length, bool strict)
{
  for (int i = 0; i < READERS; i++) {
    if (!readers[i].is(data, (size_t)length))
      continue;
    /* A header of less than 2^40 bytes that does not begin like one may be anything. */
    if (strict && i == SAFETENSORS && (length < 9 || data[8] != '{' || data[5] != 0))
      continue;
    return i;
  }
  return -1;
}

/* What a file is that is none of ours. */
static void report_unknown(const reader_segment *segment, dump_error *error)
{
  static const char pointer[] = "version https://git-lfs";
  const size_t size = sizeof pointer - 1;
  if (segment->length == 0)
    dump_error_set_at(error, segment->name, 0, "the file is empty");
  else if (segment->length >= size && memcmp(segment->data, pointer, size) == 0)
    dump_error_set_at(error, segment->name, 0, "a Git LFS pointer: the file itself was not fetched");
  else
    dump_error_set_at(error, segment->name, 0,
                      "no parameter file of a known kind (safetensors, torch, npy, npz, GGUF)%s",
                      segment->length < 9 ? ", or one that ends too early" : "");
}

assay_status open_segment(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error)
{
  const reader_segment *s = &file->segments[segment];
  int reader = open_recognise(s->data, s->length, false);
  if (reader < 0) {
    report_unknown(s, error);
    return STATUS_BAD_INPUT;
  }
  return readers[reader].read(file, segment, limits, error);
}

assay_status open_add(dump_file *file, const char *path, const dump_limits *limits, dump_error *error)
{
  size_t segment;
  if (reader_map(file, path, &segment, error) != STATUS_OK)
    return STATUS_BAD_INPUT;
  return open_segment(file, segment, limits, error);
}

char *open_path_join(const char *folder, const char *name)
{
  text out;
  text_init(&out);
  text_add(&out, folder);
  if (out.length > 0 && out.data[out.length - 1] != '/')
    text_add_char(&out, '/');
  text_add(&out, name);
  return text_take(&out);
}

char *path_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  if (slash == NULL)
    return memory_copy_string(".");
  char *folder = memory_copy_string(path);
  folder[slash == path ? 1 : slash - path] = 0;
  return folder;
}

static dump_file *finish(dump_file *file, assay_status status, const dump_limits *limits, dump_error *error)
{
  if (status == STATUS_OK && reader_index(file, limits, error) == STATUS_OK)
    return file;
  dump_close(file);
  return NULL;
}

/* A file that is no folder: a container, or the index of several. */
static dump_file *open_plain(const char *path, const dump_limits *limits, dump_error *error)
{
  dump_file *file = reader_create(path);
  size_t segment;
  if (reader_map(file, path, &segment, error) != STATUS_OK) {
    dump_close(file);
    return NULL;
  }
  const reader_segment *s = &file->segments[segment];
  bool is_index = open_recognise(s->data, s->length, true) < 0 && shards_is_index(s->data, s->length);
  if (is_index) {
    dump_close(file);
    return shards_open_index(path, limits, error);
  }
  if (open_segment(file, segment, limits, error) != STATUS_OK) {
    dump_close(file);
    return NULL;
  }
  /* A GGUF file says that it is a part. */
  const char *parts = dump_note(file, "split.count");
  if (strcmp(file->container, "GGUF") == 0 && parts != NULL && strcmp(parts, "0") != 0 &&
      strcmp(parts, "1") != 0) {
    dump_close(file);
    return shards_open_family(path, limits, error);
  }
  return file;
}

dump_file *dump_open(const char *path, const dump_limits *limits, dump_error *error)
{
  dump_limits defaults = dump_limits_default();
  if (limits == NULL)
    limits = &defaults;
  struct stat about;
  bool is_folder = stat(path, &about) == 0 && S_ISDIR(about.st_mode);
  dump_file *file = is_folder ? folder_open(path, limits, error) : open_plain(path, limits, error);
  if (file == NULL)
    return NULL;
  char *folder = is_folder ? memory_copy_string(path) : path_folder(path);
  config_add_notes(file, folder, limits);
  free(folder);
  return finish(file, STATUS_OK, limits, error);
}

dump_file *dump_read(const char *name, const unsigned char *data, size_t length, const dump_limits *limits,
                     dump_error *error)
{
  dump_limits defaults = dump_limits_default();
  if (limits == NULL)
    limits = &defaults;
  dump_file *file = reader_create(name);
  size_t segment = reader_borrow(file, name, data, length);
  return finish(file, open_segment(file, segment, limits, error), limits, error);
}
