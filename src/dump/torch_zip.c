/* What torch.save writes since torch 1.6, and TorchScript: a zip archive with, below one folder,
 *
 *   data.pkl    a pickle that names storages by their keys
 *   data/KEY    their bytes
 *   byteorder   "little" or "big"; little where it is missing
 *   version     a number
 *
 * Source: torch/serialization.py and caffe2/serialize of the torch package. */
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "dump/torch.h"
#include "dump/zip.h"

static const char pickle_name[] = "data.pkl";

/* The member with the pickle: the one with the shortest path; NULL without. *root: the length of what
 * precedes its own name. */
static const zip_member *find_pickle(const zip_directory *directory, size_t *root)
{
  const size_t size = sizeof pickle_name - 1;
  const zip_member *found = NULL;
  for (size_t i = 0; i < directory->count; i++) {
    const zip_member *member = &directory->members[i];
    size_t length = strlen(member->name);
    if (length < size || strcmp(member->name + length - size, pickle_name) != 0 ||
        (length > size && member->name[length - size - 1] != '/'))
      continue;
    if (found == NULL || length - size < *root) {
      found = member;
      *root = length - size;
    }
  }
  return found;
}

bool torch_zip_is(const zip_directory *directory)
{
  size_t root;
  return find_pickle(directory, &root) != NULL;
}

typedef struct {
  torch_reader reader;
  size_t archive;
  const zip_directory *directory;
  text path; /* the root, and what is looked for */
  size_t root;
} archive_reader;

static const zip_member *find_member(archive_reader *a, const char *folder, const char *name, size_t length)
{
  a->path.length = a->root;
  text_add(&a->path, folder);
  text_add_bytes(&a->path, name, length);
  return zip_find(a->directory, text_string(&a->path));
}

/* The bytes of a member; NULL with the error set. */
static const unsigned char *member_bytes(archive_reader *a, const zip_member *member, size_t *segment,
                                         uint64_t *base)
{
  dump_file *file = a->reader.file;
  *segment = zip_segment(file, a->archive, member, base);
  if (reader_inflate(file, *segment, a->reader.error) != STATUS_OK)
    return NULL;
  return file->segments[*segment].data + *base;
}

/* A short text in a member of its own; false with the error set. */
static bool read_word(archive_reader *a, char *word, size_t size, const zip_member *member)
{
  size_t segment;
  uint64_t base;
  if (member->length >= size) {
    char *name = dump_quote(member->name);
    dump_error_set_at(a->reader.error, a->reader.source.file, member->offset, "member %s is too long", name);
    free(name);
    return false;
  }
  const unsigned char *bytes = member_bytes(a, member, &segment, &base);
  if (bytes == NULL)
    return false;
  size_t length = (size_t)member->length;
  memcpy(word, bytes, length);
  while (length > 0 && (word[length - 1] == '\n' || word[length - 1] == '\r'))
    length--;
  word[length] = 0;
  return true;
}

static bool read_order(archive_reader *a)
{
  char word[16];
  const zip_member *member = find_member(a, "", "byteorder", 9);
  if (member == NULL)
    return true;
  if (!read_word(a, word, sizeof word, member))
    return false;
  a->reader.big_endian = strcmp(word, "big") == 0;
  if (a->reader.big_endian || strcmp(word, "little") == 0)
    return true;
  dump_error_set_at(a->reader.error, a->reader.source.file, member->offset,
                    "the byte order is neither \"little\" nor \"big\"");
  return false;
}

static bool read_version(archive_reader *a)
{
  char word[24];
  const zip_member *member = find_member(a, "", "version", 7);
  if (member == NULL)
    return true;
  if (!read_word(a, word, sizeof word, member))
    return false;
  if (word[0] == 0 || strspn(word, "0123456789") != strlen(word)) {
    dump_error_set_at(a->reader.error, a->reader.source.file, member->offset, "the version is no number");
    return false;
  }
  reader_add_note(a->reader.file, "torch.version", word);
  return true;
}

/* A storage whose member is missing stays unplaced: it may have no elements in use. */
static bool place_storage(archive_reader *a, torch_storage *storage)
{
  torch_reader *r = &a->reader;
  if (!reader_name_fits(storage->key, storage->key_length)) {
    torch_fail(r, storage->at, "the key of a storage is not UTF-8, or contains NUL");
    return false;
  }
  const zip_member *member = find_member(a, "data/", storage->key, storage->key_length);
  if (member == NULL)
    return true;
  if (member->length < storage->count * storage->type.size) {
    char *name = dump_quote(member->name);
    pickle_fail(&r->source, r->error, storage->at, "a storage of %llu bytes, where member %s has %llu",
                (unsigned long long)(storage->count * storage->type.size), name,
                (unsigned long long)member->length);
    free(name);
    return false;
  }
  storage->segment = zip_segment(r->file, a->archive, member, &storage->offset);
  storage->length = member->length;
  storage->placed = true;
  return true;
}

static bool read_pickle(archive_reader *a, const zip_member *member)
{
  torch_reader *r = &a->reader;
  const unsigned char *bytes = member_bytes(a, member, &r->segment, &r->base);
  if (bytes == NULL)
    return false;
  r->source.data = bytes;
  r->source.length = member->length;
  r->source.base = r->base;
  r->source.member = member->deflated ? member->name : NULL;
  r->source.member_place = member->offset;
  uint64_t end;
  if (!torch_begin(r, &end))
    return false;
  if (end != member->length) {
    torch_fail(r, end, "bytes follow the end of the pickle");
    return false;
  }
  for (size_t i = 0; i < r->storage_count; i++)
    if (!place_storage(a, &r->storages[i]))
      return false;
  return torch_finish(r);
}

assay_status torch_zip_read(dump_file *file, size_t archive, const zip_directory *directory,
                            const dump_limits *limits, dump_error *error)
{
  archive_reader a = {.archive = archive, .directory = directory};
  a.reader = (torch_reader){.file = file, .limits = limits, .error = error};
  a.reader.source.file = file->segments[archive].name;
  file->container = "torch zip";
  const zip_member *member = find_pickle(directory, &a.root);
  text_init(&a.path);
  text_add_bytes(&a.path, member->name, a.root);
  bool good = read_order(&a) && read_version(&a) && read_pickle(&a, member);
  text_clear(&a.path);
  torch_clear(&a.reader);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}
