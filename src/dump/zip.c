/* The directory of a zip archive; see zip.h.
 *
 * An archive ends in an end record, which says where the directory is. When its fields are too narrow, a
 * locator before it leads to a zip64 end record with wide ones. The directory has one entry for each member,
 * and each member has a local header before its data; what both say must agree. All numbers are
 * little-endian. Source: PKWARE's APPNOTE.TXT, version 6.3. */
#include "dump/zip.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "dump/octets.h"

enum {
  END_BYTES = 22,      /* the end record, without its comment */
  COMMENT_MOST = 65535,
  LOCATOR_BYTES = 20,
  END64_BYTES = 56,
  ENTRY_BYTES = 46,    /* of the directory, without name, extra field, comment */
  LOCAL_BYTES = 30,    /* a local header, without name and extra field */
  FLAG_DESCRIPTOR = 8, /* sizes and checksum follow the data */
  FLAGS_ENCRYPTED = 1 | 0x40 | 0x2000,
  STORED = 0,
  DEFLATED = 8,
  GROWTH_MOST = 1032   /* bytes out of one byte of deflate, at most */
};
#define NARROW32 UINT64_C(0xffffffff) /* in a narrow field: see the wide one */
#define NARROW16 UINT64_C(0xffff)

/* What the functions here share. */
typedef struct {
  const char *name;
  const unsigned char *data;
  uint64_t length;
  const dump_limits *limits;
  dump_error *error;
  uint64_t begin, end; /* of the directory */
} archive;

/* A member while it is being checked. */
typedef struct {
  zip_member *member;
  uint64_t entry;  /* offset of its entry in the directory */
  uint64_t behind; /* first byte behind its data, descriptor included */
  unsigned flags, method;
} candidate;

static bool starts(const archive *a, uint64_t at, const char signature[4])
{
  return memcmp(a->data + at, signature, 4) == 0;
}

static uint64_t number(const archive *a, uint64_t at, unsigned bytes)
{
  return octets_little(a->data + at, bytes);
}

static bool refuse(const archive *a, uint64_t at, const char *reason)
{
  dump_error_set_at(a->error, a->name, at, "%s", reason);
  return false;
}

static bool refuse_member(const archive *a, uint64_t at, const candidate *c, const char *reason)
{
  char *name = dump_quote(c->member->name);
  dump_error_set_at(a->error, a->name, at, "member %s: %s", name, reason);
  free(name);
  return false;
}

/* The last end record whose comment reaches exactly to the end of the file. */
static bool find_end_record(const archive *a, uint64_t *at)
{
  if (a->length < END_BYTES)
    return refuse(a, a->length, "the zip archive is cut short: no end record");
  bool other = false;
  uint64_t seen = 0, last = a->length - END_BYTES, first = last > COMMENT_MOST ? last - COMMENT_MOST : 0;
  for (uint64_t pos = last + 1; pos-- > first;) {
    if (!starts(a, pos, "PK\5\6"))
      continue;
    if (number(a, pos + 20, 2) == last - pos) {
      *at = pos;
      return true;
    }
    if (!other)
      seen = pos;
    other = true;
  }
  if (other)
    return refuse(a, seen, "the zip archive does not end with its end record and comment");
  return refuse(a, a->length, "the zip archive is cut short: no end record");
}

/* Narrow fields repeat the wide ones or are all ones. */
static bool agrees(uint64_t narrow, uint64_t all_ones, uint64_t wide)
{
  return narrow == all_ones || narrow == wide;
}

/* Sets begin, end and the number of entries. */
static bool find_directory(archive *a, uint64_t *entries)
{
  uint64_t record = 0;
  if (!find_end_record(a, &record))
    return false;
  uint64_t disk = number(a, record + 4, 2), first_disk = number(a, record + 6, 2);
  uint64_t here = number(a, record + 8, 2), size = number(a, record + 12, 4);
  *entries = number(a, record + 10, 2);
  a->begin = number(a, record + 16, 4);
  a->end = record;
  if (record >= LOCATOR_BYTES && starts(a, record - LOCATOR_BYTES, "PK\6\7")) {
    uint64_t locator = record - LOCATOR_BYTES, wide = number(a, locator + 8, 8);
    if (number(a, locator + 4, 4) != 0 || number(a, locator + 16, 4) > 1)
      return refuse(a, locator, "the zip archive has several parts");
    if (wide > locator || locator - wide < END64_BYTES || !starts(a, wide, "PK\6\6"))
      return refuse(a, locator, "the zip64 locator does not lead to a zip64 end record");
    if (number(a, wide + 4, 8) != locator - wide - 12)
      return refuse(a, wide, "the zip64 end record does not end where its locator begins");
    if (!agrees(disk, NARROW16, number(a, wide + 16, 4)) ||
        !agrees(first_disk, NARROW16, number(a, wide + 20, 4)) ||
        !agrees(here, NARROW16, number(a, wide + 24, 8)) ||
        !agrees(*entries, NARROW16, number(a, wide + 32, 8)) ||
        !agrees(size, NARROW32, number(a, wide + 40, 8)) ||
        !agrees(a->begin, NARROW32, number(a, wide + 48, 8)))
      return refuse(a, wide, "the zip64 end record contradicts the end record");
    disk = number(a, wide + 16, 4), first_disk = number(a, wide + 20, 4);
    here = number(a, wide + 24, 8), *entries = number(a, wide + 32, 8);
    size = number(a, wide + 40, 8), a->begin = number(a, wide + 48, 8);
    a->end = wide;
    record = wide;
  }
  if (disk != 0 || first_disk != 0 || here != *entries)
    return refuse(a, record, "the zip archive has several parts");
  if (a->begin > a->end || size != a->end - a->begin)
    return refuse(a, record, "the zip directory does not end where its end record begins");
  if (size > a->limits->header_bytes) {
    dump_error_set_at(a->error, a->name, a->begin,
                      "the zip directory has %llu bytes, above the limit of %llu", (unsigned long long)size,
                      (unsigned long long)a->limits->header_bytes);
    return false;
  }
  if (*entries > size / ENTRY_BYTES)
    return refuse(a, record, "the zip directory is too short for the number of its entries");
  return true;
}

/* Replaces each of values[0..count-1] that is all ones by the next number of the zip64 extra field within
 * the `length` bytes at `at`, which the caller has bounded. False when it is missing or too short. */
static bool widen(const archive *a, uint64_t at, uint64_t length, uint64_t *values[], unsigned count)
{
  bool needed = false;
  for (unsigned i = 0; i < count; i++)
    needed = needed || *values[i] == NARROW32;
  if (!needed)
    return true;
  for (uint64_t end = at + length; end - at >= 4;) {
    uint64_t size = number(a, at + 2, 2);
    if (size > end - at - 4)
      return false;
    if (number(a, at, 2) != 1) {
      at += 4 + size;
      continue;
    }
    at += 4;
    for (unsigned i = 0; i < count; i++)
      if (*values[i] == NARROW32) {
        if (size < 8)
          return false;
        *values[i] = number(a, at, 8);
        at += 8, size -= 8;
      }
    return true;
  }
  return false;
}

/* Reads the entry at *at, which moves behind it. */
static bool read_entry(const archive *a, candidate *c, uint64_t *at)
{
  zip_member *m = c->member;
  c->entry = *at;
  if (a->end - *at < ENTRY_BYTES || !starts(a, *at, "PK\1\2"))
    return refuse(a, *at, "an entry of the zip directory is expected here");
  uint64_t name_length = number(a, *at + 28, 2), extra = number(a, *at + 30, 2);
  uint64_t whole = ENTRY_BYTES + name_length + extra + number(a, *at + 32, 2);
  if (a->end - *at < whole)
    return refuse(a, *at, "an entry of the zip directory reaches beyond the directory's end");
  const char *name = (const char *)a->data + *at + ENTRY_BYTES;
  if (name_length == 0)
    return refuse(a, *at, "a member of the zip archive has an empty name");
  if (!reader_name_fits(name, name_length))
    return refuse(a, *at + ENTRY_BYTES, "the name of a member is not UTF-8, or has a NUL byte");
  m->name = memory_new(name_length + 1, 1);
  memcpy(m->name, name, name_length);

  c->flags = (unsigned)number(a, *at + 8, 2);
  c->method = (unsigned)number(a, *at + 10, 2);
  m->checksum = (uint32_t)number(a, *at + 16, 4);
  m->stored = number(a, *at + 20, 4);
  m->length = number(a, *at + 24, 4);
  m->header = number(a, *at + 42, 4);
  uint64_t disk = number(a, *at + 34, 2);
  uint64_t *wide[] = {&m->length, &m->stored, &m->header}; /* their order in the extra field */
  if (!widen(a, *at + ENTRY_BYTES + name_length, extra, wide, 3))
    return refuse_member(a, *at, c, "its zip64 extra field is missing or too short");
  if (disk != 0 && disk != NARROW16)
    return refuse_member(a, *at, c, "it is in another part of the archive");
  if ((c->flags & FLAGS_ENCRYPTED) != 0)
    return refuse_member(a, *at, c, "it is encrypted");
  if (c->method != STORED && c->method != DEFLATED) {
    char reason[80];
    snprintf(reason, sizeof reason, "compression method %u is neither stored (0) nor deflated (8)",
             c->method);
    return refuse_member(a, *at, c, reason);
  }
  m->deflated = c->method == DEFLATED;
  if (!m->deflated && m->stored != m->length)
    return refuse_member(a, *at, c, "it is stored, but its two sizes differ");
  *at += whole;
  return true;
}

/* What may be said about the inflated size before anything is inflated. */
static bool check_growth(const archive *a, const candidate *c)
{
  const zip_member *m = c->member;
  char reason[160];
  if (!m->deflated)
    return true;
  if (m->length / GROWTH_MOST > m->stored) {
    snprintf(reason, sizeof reason, "%llu bytes of deflate cannot inflate to %llu",
             (unsigned long long)m->stored, (unsigned long long)m->length);
    return refuse_member(a, c->entry, c, reason);
  }
  if (m->length > a->limits->inflated_bytes) {
    snprintf(reason, sizeof reason, "it inflates to %llu bytes, above the limit of %llu",
             (unsigned long long)m->length, (unsigned long long)a->limits->inflated_bytes);
    return refuse_member(a, c->entry, c, reason);
  }
  return true;
}

/* The bytes of a data descriptor at `at` that says what the directory says; 0 when there is none. It may
 * begin with a signature, and its sizes may be narrow or wide: any that agrees will do. */
static uint64_t descriptor_bytes(const archive *a, uint64_t at, const zip_member *m)
{
  for (unsigned signature = 0; signature <= 4; signature += 4)
    for (unsigned width = 4; width <= 8; width += 4) {
      uint64_t bytes = signature + 4 + 2 * width;
      if (a->begin - at < bytes || (signature != 0 && !starts(a, at, "PK\7\x8")))
        continue;
      uint64_t fields = at + signature;
      if (number(a, fields, 4) == m->checksum && number(a, fields + 4, width) == m->stored &&
          number(a, fields + 4 + width, width) == m->length)
        return bytes;
    }
  return 0;
}

/* The local header against the entry; sets where the data are. */
static bool check_local(const archive *a, candidate *c)
{
  zip_member *m = c->member;
  uint64_t at = m->header;
  if (at > a->begin || a->begin - at < LOCAL_BYTES || !starts(a, at, "PK\3\4"))
    return refuse_member(a, c->entry, c, "its entry does not lead to a local header");
  uint64_t name_length = number(a, at + 26, 2), extra = number(a, at + 28, 2);
  if (a->begin - at - LOCAL_BYTES < name_length + extra)
    return refuse_member(a, at, c, "its local header reaches into the directory");
  if (name_length != strlen(m->name) || memcmp(a->data + at + LOCAL_BYTES, m->name, name_length) != 0)
    return refuse_member(a, at, c, "its local header has another name");
  unsigned flags = (unsigned)number(a, at + 6, 2);
  if ((flags & FLAGS_ENCRYPTED) != 0)
    return refuse_member(a, at, c, "it is encrypted");
  if (number(a, at + 8, 2) != c->method)
    return refuse_member(a, at, c, "its local header has another compression method");
  m->offset = at + LOCAL_BYTES + name_length + extra;
  if (a->begin - m->offset < m->stored)
    return refuse_member(a, at, c, "its data reach into the directory");
  c->behind = m->offset + m->stored;

  uint64_t checksum = number(a, at + 14, 4), stored = number(a, at + 18, 4), length = number(a, at + 22, 4);
  uint64_t *wide[] = {&length, &stored};
  if (!widen(a, at + LOCAL_BYTES + name_length, extra, wide, 2))
    return refuse_member(a, at, c, "the zip64 extra field of its local header is missing or too short");
  if (checksum == m->checksum && stored == m->stored && length == m->length)
    return true;
  if ((flags & FLAG_DESCRIPTOR) == 0 || (checksum != 0 && checksum != m->checksum) ||
      (stored != 0 && stored != m->stored) || (length != 0 && length != m->length))
    return refuse_member(a, at, c, "its local header has other sizes or another checksum");
  uint64_t bytes = descriptor_bytes(a, c->behind, m);
  if (bytes == 0)
    return refuse_member(a, c->behind, c,
                         "no data descriptor that agrees with the directory follows its data");
  c->behind += bytes;
  return true;
}

static int compare_headers(const void *x, const void *y)
{
  const candidate *a = x, *b = y;
  if (a->member->header != b->member->header)
    return a->member->header < b->member->header ? -1 : 1;
  return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static int compare_names(const void *x, const void *y)
{
  const candidate *a = x, *b = y;
  int order = strcmp(a->member->name, b->member->name);
  return order != 0 ? order : a->entry < b->entry ? -1 : a->entry > b->entry;
}

static bool check_overlap(const archive *a, candidate *all, size_t count)
{
  qsort(all, count, sizeof *all, compare_headers);
  for (size_t i = 1; i < count; i++)
    if (all[i].member->header < all[i - 1].behind) {
      char *x = dump_quote(all[i - 1].member->name), *y = dump_quote(all[i].member->name);
      dump_error_set_at(a->error, a->name, all[i].member->header, "members %s and %s overlap", x, y);
      free(x);
      free(y);
      return false;
    }
  return true;
}

/* Fills by_name. */
static bool check_names(const archive *a, candidate *all, zip_directory *directory)
{
  qsort(all, directory->count, sizeof *all, compare_names);
  for (size_t i = 0; i < directory->count; i++) {
    directory->by_name[i] = all[i].member;
    if (i > 0 && strcmp(all[i].member->name, all[i - 1].member->name) == 0) {
      char *name = dump_quote(all[i].member->name);
      dump_error_set_at(a->error, a->name, all[i].entry,
                        "two members have the name %s; the other's entry is at byte %llu", name,
                        (unsigned long long)all[i - 1].entry);
      free(name);
      return false;
    }
  }
  return true;
}

assay_status zip_open(zip_directory *directory, const char *name, const unsigned char *data, uint64_t length,
                      const dump_limits *limits, dump_error *error)
{
  *directory = (zip_directory){0};
  archive a = {.name = name, .data = data, .length = length, .limits = limits, .error = error};
  uint64_t entries;
  if (!find_directory(&a, &entries))
    return STATUS_BAD_INPUT;
  directory->members = memory_new(entries + 1, sizeof *directory->members);
  directory->by_name = memory_new(entries + 1, sizeof *directory->by_name);
  candidate *all = memory_new(entries + 1, sizeof *all);
  uint64_t at = a.begin;
  bool good = true;
  while (good && directory->count < entries) {
    candidate *c = &all[directory->count];
    c->member = &directory->members[directory->count++];
    good = read_entry(&a, c, &at) && check_growth(&a, c) && check_local(&a, c);
  }
  if (good && at != a.end)
    good = refuse(&a, at, "the zip directory has bytes behind its last entry");
  good = good && check_overlap(&a, all, directory->count) && check_names(&a, all, directory);
  free(all);
  if (!good)
    zip_clear(directory);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}

void zip_clear(zip_directory *directory)
{
  for (size_t i = 0; i < directory->count; i++)
    free(directory->members[i].name);
  free(directory->members);
  free(directory->by_name);
  *directory = (zip_directory){0};
}

static int compare_key(const void *key, const void *member)
{
  return strcmp(key, (*(const zip_member *const *)member)->name);
}

const zip_member *zip_find(const zip_directory *directory, const char *name)
{
  if (directory->count == 0)
    return NULL;
  const zip_member **found =
      bsearch(name, directory->by_name, directory->count, sizeof *directory->by_name, compare_key);
  return found != NULL ? *found : NULL;
}
