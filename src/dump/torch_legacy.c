/* What torch.save wrote before torch 1.6: pickles one after the other, then the storages.
 *
 *   the magic number, the protocol version 1001, a dict about the system, the object, the storages' keys,
 *   and for each key the number of elements in 8 bytes, and the elements
 *
 * The number is in the writer's byte order; the elements are little-endian whatever the writer's order was.
 * A plain pickle, of a dict of numpy arrays say, is read as well. What torch wrote before 0.1.10, a tar
 * archive, is named and not read.
 *
 * Source: torch/serialization.py and torch/csrc/generic/serialization.cpp of the torch package. */
#include <stdlib.h>
#include <string.h>

#include "dump/octets.h"
#include "dump/torch.h"

enum { TAR_MAGIC = 257, PROTOCOL_VERSION = 1001, COUNT_BYTES = 8 };

static bool is_tar(const unsigned char *data, size_t length)
{
  return length > TAR_MAGIC + 5 && memcmp(data + TAR_MAGIC, "ustar", 5) == 0;
}

static bool begins(const unsigned char *data, size_t length, const char *with)
{
  size_t size = strlen(with);
  return length >= size && memcmp(data, with, size) == 0;
}

bool torch_legacy_is(const unsigned char *data, size_t length)
{
  if (length >= 2 && data[0] == 0x80 && data[1] >= 2 && data[1] <= 5) {
    /* The length of a safetensors header could begin so as well. */
    bool header = length > 8 && data[5] == 0 && data[6] == 0 && data[7] == 0 && data[8] == '{';
    return !header;
  }
  return is_tar(data, length) || begins(data, length, "(dp") || begins(data, length, "(lp") ||
         begins(data, length, "}q") || begins(data, length, "ccollections\n") ||
         begins(data, length, "cnumpy");
}

typedef struct {
  torch_reader reader;
  const unsigned char *data;
  uint64_t length, at; /* of the file; of what comes next */
} stream;

static bool fail_at(stream *s, uint64_t at, const char *reason)
{
  dump_error_set_at(s->reader.error, s->reader.source.file, at, "%s", reason);
  return false;
}

static pickle_source rest_of(const stream *s)
{
  return (pickle_source){
      .file = s->reader.source.file, .data = s->data + s->at, .length = s->length - s->at, .base = s->at};
}

/* The next of the small pickles; NULL with the error set. */
static pickle *next_pickle(stream *s)
{
  pickle_source source = rest_of(s);
  uint64_t end;
  pickle *p = pickle_read(&source, s->reader.limits, &end, s->reader.error);
  s->at += p != NULL ? end : 0;
  return p;
}

static bool is_magic(const pickle_value *value)
{
  static const char magic[] = "0x1950a86a20f9469cfc6c";
  return value->kind == PICKLE_NUMERAL && value->u.text.length == sizeof magic - 1 &&
         memcmp(value->u.text.data, magic, sizeof magic - 1) == 0;
}

static bool read_protocol(stream *s)
{
  uint64_t at = s->at;
  pickle *p = next_pickle(s);
  if (p == NULL)
    return false;
  const pickle_value *value = pickle_root(p);
  bool good = value->kind == PICKLE_INT && value->u.integer == PROTOCOL_VERSION;
  pickle_free(p);
  return good || fail_at(s, at, "a version of torch's format that is not 1001");
}

static bool read_system(stream *s)
{
  uint64_t at = s->at;
  pickle *p = next_pickle(s);
  if (p == NULL)
    return false;
  const pickle_value *little = pickle_get(pickle_root(p), "little_endian");
  bool good = pickle_entries(pickle_root(p)) != NULL;
  if (little != NULL && little->kind == PICKLE_BOOL)
    reader_add_note(s->reader.file, "torch.little_endian", little->u.truth ? "True" : "False");
  pickle_free(p);
  return good || fail_at(s, at, "no description of the system where torch writes one");
}

/* The object, whose tensors must wait for the storages. Its storages are listed then. */
static bool read_object(stream *s, uint64_t *end)
{
  torch_reader *r = &s->reader;
  r->source = rest_of(s);
  r->base = s->at;
  if (!torch_begin(r, end))
    return false;
  s->at += *end;
  return true;
}

static bool read_storage(stream *s, torch_storage *storage)
{
  if (s->length - s->at < COUNT_BYTES)
    return fail_at(s, s->at, "the file ends where the size of a storage is due");
  uint64_t little = octets_little(s->data + s->at, COUNT_BYTES),
           big = octets_big(s->data + s->at, COUNT_BYTES);
  if (little != storage->count && big != storage->count) {
    dump_error_set_at(s->reader.error, s->reader.source.file, s->at,
                      "a storage of %llu elements, where the pickle says %llu", (unsigned long long)little,
                      (unsigned long long)storage->count);
    return false;
  }
  s->at += COUNT_BYTES;
  uint64_t bytes = storage->count * storage->type.size; /* torch_begin has seen that this fits */
  if (bytes > s->length - s->at)
    return fail_at(s, s->at, "the file ends inside a storage");
  storage->segment = s->reader.segment;
  storage->offset = s->at;
  storage->length = bytes;
  storage->placed = true;
  s->at += bytes;
  return true;
}

static bool read_storages(stream *s)
{
  uint64_t at = s->at;
  pickle *p = next_pickle(s);
  if (p == NULL)
    return false;
  const pickle_value *keys = pickle_root(p);
  bool good = keys->kind == PICKLE_LIST || fail_at(s, at, "no list of storages where torch writes one");
  for (size_t i = 0; good && i < keys->u.list.count; i++) {
    const pickle_value *key = keys->u.list.items[i];
    torch_storage *storage = key->kind == PICKLE_STRING || key->kind == PICKLE_BYTES
                                 ? torch_find_storage(&s->reader, key->u.text.data, key->u.text.length)
                                 : NULL;
    if (storage == NULL)
      good = fail_at(s, at + key->at, "a storage that the object does not mention");
    else if (storage->placed)
      good = fail_at(s, at + key->at, "a storage is listed twice");
    else
      good = read_storage(s, storage);
  }
  pickle_free(p);
  return good && (s->at == s->length || fail_at(s, s->at, "bytes follow the last storage"));
}

static bool read_stream(stream *s)
{
  if (is_tar(s->data, (size_t)s->length))
    return fail_at(s, 0,
                   "a tar archive, as torch wrote before 0.1.10: not read; a later torch can convert it");
  pickle *first = next_pickle(s);
  if (first == NULL)
    return false;
  bool is_torch = is_magic(pickle_root(first));
  pickle_free(first);
  uint64_t end;
  if (is_torch) {
    s->reader.file->container = "legacy torch pickle";
    return read_protocol(s) && read_system(s) && read_object(s, &end) && read_storages(s) &&
           torch_finish(&s->reader);
  }
  s->at = 0;
  if (!read_object(s, &end))
    return false;
  return s->at == s->length ? torch_finish(&s->reader)
                            : fail_at(s, s->at, "bytes follow the end of the pickle");
}

assay_status torch_legacy_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error)
{
  const reader_segment *whole = &file->segments[segment];
  stream s = {.data = whole->data, .length = whole->length};
  s.reader = (torch_reader){.file = file, .limits = limits, .error = error, .segment = segment};
  s.reader.source.file = whole->name;
  file->container = "pickle";
  bool good = read_stream(&s);
  torch_clear(&s.reader);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}
