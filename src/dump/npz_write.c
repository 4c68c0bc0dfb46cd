/* Writing .npz. Of each member the place is fixed when it is added; its headers, which hold the checksum, are
 * written last. */
#include "dump/npz_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "core/memory.h"
#include "core/text.h"

enum {
  LOCAL_HEADER = 30,
  LOCAL_EXTRA = 20, /* zip64: always, as numpy has it, so that no header's length depends on a size */
  NPY_PROLOGUE = 10,
  NPY_ALIGNMENT = 64,
  ZIP64_VERSION = 45,
  UTF8_NAMES = 1 << 11,
  FIRST_DAY = 0x21, /* 1980-01-01: the same run gives the same bytes */
  UNIX = 3
};
static const uint32_t large = UINT32_MAX; /* "see the zip64 field" */
static const uint64_t largest_file = INT64_MAX;

typedef struct {
  char *name; /* with .npy */
  unsigned rank;
  uint64_t shape[NPZ_RANK];
  uint64_t count, appended, marked; /* values */
  uLong checksum, marked_checksum;  /* of the values */
  uint64_t header;                  /* offset of the local header */
  size_t npy_header;                /* bytes before the values */
  bool left_out;
} member;

struct npz_writer {
  int file;
  char *path;
  member *members;
  size_t count, room;
  uint64_t end;   /* of what has a place */
  bool shortened; /* there is room between members */
};

npz_writer *npz_writer_create(int file, const char *path)
{
  npz_writer *w = memory_new(1, sizeof *w);
  *w = (npz_writer){.file = file, .path = memory_copy_string(path)};
  return w;
}

void npz_writer_destroy(npz_writer *w)
{
  if (!w)
    return;
  for (size_t i = 0; i < w->count; i++)
    free(w->members[i].name);
  free(w->members);
  free(w->path);
  free(w);
}

static bool write_at(npz_writer *w, uint64_t at, const void *bytes, size_t length, dump_error *error)
{
  const char *p = bytes;
  while (length > 0) {
    ssize_t n = pwrite(w->file, p, length, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      dump_error_set(error, w->path, "cannot write: %s", n < 0 ? strerror(errno) : "no more room");
      return false;
    }
    p += n;
    at += (uint64_t)n;
    length -= (size_t)n;
  }
  return true;
}

/* ---- the bytes of headers ---- */

static void add_number(text *t, uint64_t value, unsigned bytes)
{
  for (unsigned i = 0; i < bytes; i++)
    text_add_char(t, (char)(value >> (8 * i) & 0xff));
}

static void add_npy_dictionary(text *t, const member *m)
{
  const uint16_t one = 1;
  bool little = *(const unsigned char *)&one == 1;
  text_addf(t, "{'descr': '%cf8', 'fortran_order': False, 'shape': (", little ? '<' : '>');
  for (unsigned i = 0; i < m->rank; i++)
    text_addf(t, "%s%llu", i ? ", " : "", (unsigned long long)m->shape[i]);
  text_add(t, m->rank == 1 ? ",), }" : "), }");
}

/* The header in npy_header bytes or, while that is not known, in as few as the alignment allows. */
static void add_npy_header(text *t, const member *m)
{
  text words;
  text_init(&words);
  add_npy_dictionary(&words, m);
  size_t total = m->npy_header;
  if (!total)
    total = (NPY_PROLOGUE + words.length + 1 + NPY_ALIGNMENT - 1) / NPY_ALIGNMENT * NPY_ALIGNMENT;
  text_add_bytes(t, "\x93NUMPY\1\0", 8);
  add_number(t, total - NPY_PROLOGUE, 2);
  text_add(t, text_string(&words));
  for (size_t n = NPY_PROLOGUE + words.length + 1; n < total; n++)
    text_add_char(t, ' ');
  text_add_char(t, '\n');
  text_clear(&words);
}

static uint64_t member_length(const member *m)
{
  return m->npy_header + 8 * m->count;
}

static uint64_t npy_place(const member *m)
{
  return m->header + LOCAL_HEADER + strlen(m->name) + LOCAL_EXTRA;
}

static void add_local_header(text *t, const member *m, uint32_t checksum)
{
  add_number(t, 0x04034b50, 4);
  add_number(t, ZIP64_VERSION, 2);
  add_number(t, UTF8_NAMES, 2);
  add_number(t, 0, 2); /* stored */
  add_number(t, 0, 2); /* midnight */
  add_number(t, FIRST_DAY, 2);
  add_number(t, checksum, 4);
  add_number(t, large, 4);
  add_number(t, large, 4);
  add_number(t, strlen(m->name), 2);
  add_number(t, LOCAL_EXTRA, 2);
  text_add(t, m->name);
  add_number(t, 1, 2);
  add_number(t, 16, 2);
  add_number(t, member_length(m), 8);
  add_number(t, member_length(m), 8);
}

static void add_directory_entry(text *t, const member *m, uint32_t checksum)
{
  uint64_t length = member_length(m);
  bool long_size = length >= large, long_place = m->header >= large;
  unsigned extra = (long_size ? 16u : 0u) + (long_place ? 8u : 0u);
  add_number(t, 0x02014b50, 4);
  add_number(t, UNIX << 8 | ZIP64_VERSION, 2);
  add_number(t, ZIP64_VERSION, 2);
  add_number(t, UTF8_NAMES, 2);
  add_number(t, 0, 2);
  add_number(t, 0, 2);
  add_number(t, FIRST_DAY, 2);
  add_number(t, checksum, 4);
  add_number(t, long_size ? large : length, 4);
  add_number(t, long_size ? large : length, 4);
  add_number(t, strlen(m->name), 2);
  add_number(t, extra ? extra + 4 : 0, 2);
  add_number(t, 0, 2); /* comment */
  add_number(t, 0, 2); /* disk */
  add_number(t, 0, 2);
  add_number(t, (uint64_t)0100644 << 16, 4); /* a plain file */
  add_number(t, long_place ? large : m->header, 4);
  text_add(t, m->name);
  if (!extra)
    return;
  add_number(t, 1, 2);
  add_number(t, extra, 2);
  if (long_size) {
    add_number(t, length, 8);
    add_number(t, length, 8);
  }
  if (long_place)
    add_number(t, m->header, 8);
}

static void add_directory_end(text *t, uint64_t count, uint64_t length, uint64_t place)
{
  bool wide = count >= UINT16_MAX || length >= large || place >= large;
  if (wide) {
    add_number(t, 0x06064b50, 4);
    add_number(t, 44, 8);
    add_number(t, UNIX << 8 | ZIP64_VERSION, 2);
    add_number(t, ZIP64_VERSION, 2);
    add_number(t, 0, 4);
    add_number(t, 0, 4);
    add_number(t, count, 8);
    add_number(t, count, 8);
    add_number(t, length, 8);
    add_number(t, place, 8);
    add_number(t, 0x07064b50, 4);
    add_number(t, 0, 4);
    add_number(t, place + length, 8);
    add_number(t, 1, 4);
  }
  add_number(t, 0x06054b50, 4);
  add_number(t, 0, 4); /* disks */
  add_number(t, wide ? UINT16_MAX : count, 2);
  add_number(t, wide ? UINT16_MAX : count, 2);
  add_number(t, wide ? large : length, 4);
  add_number(t, wide ? large : place, 4);
  add_number(t, 0, 2);
}

/* ---- arrays ---- */

static bool multiply(uint64_t *product, const uint64_t *shape, unsigned rank)
{
  *product = 1;
  for (unsigned i = 0; i < rank; i++)
    if (shape[i] == 0) {
      *product = 0;
      return true;
    }
  for (unsigned i = 0; i < rank; i++)
    if (__builtin_mul_overflow(*product, shape[i], product))
      return false;
  return true;
}

static bool take_place(npz_writer *w, member *m)
{
  uint64_t bytes, end;
  text header;
  text_init(&header);
  add_npy_header(&header, m);
  m->npy_header = header.length;
  m->header = w->end;
  text_clear(&header);
  if (__builtin_mul_overflow(m->count, (uint64_t)8, &bytes) ||
      __builtin_add_overflow(npy_place(m) + m->npy_header, bytes, &end) || end > largest_file)
    return false;
  w->end = end;
  return true;
}

bool npz_writer_add(npz_writer *w, size_t *array, const char *name, unsigned rank, const uint64_t *shape,
                    dump_error *error)
{
  member m = {.rank = rank, .checksum = crc32(0, NULL, 0), .marked_checksum = crc32(0, NULL, 0)};
  if (rank > NPZ_RANK)
    memory_die("an array of too many dimensions was to be written");
  if (strlen(name) > NPZ_NAME) {
    dump_error_set(error, w->path, "cannot write: the name of an array is longer than %d bytes", NPZ_NAME);
    return false;
  }
  text full;
  text_init(&full);
  text_addf(&full, "%s.npy", name);
  m.name = text_take(&full);
  if (rank)
    memcpy(m.shape, shape, rank * sizeof *shape);
  if (!multiply(&m.count, shape, rank) || !take_place(w, &m)) {
    free(m.name);
    dump_error_set(error, w->path, "cannot write: the arrays are larger than a file can be");
    return false;
  }
  if (w->count == w->room) {
    w->room = w->room ? memory_multiply(w->room, 2) : 16;
    w->members = memory_resize(w->members, w->room, sizeof *w->members);
  }
  *array = w->count;
  w->members[w->count++] = m;
  return true;
}

/* zlib counts in 32 bits. */
static uLong add_checksum(uLong checksum, const void *bytes, size_t length)
{
  const unsigned char *p = bytes;
  for (size_t n; length > 0; p += n, length -= n) {
    n = length < (1u << 30) ? length : 1u << 30;
    checksum = crc32(checksum, p, (uInt)n);
  }
  return checksum;
}

bool npz_writer_append(npz_writer *w, size_t array, const double *values, size_t count, dump_error *error)
{
  member *m = &w->members[array];
  if (count > m->count - m->appended)
    memory_die("more values were written than an array has room for");
  if (!write_at(w, npy_place(m) + m->npy_header + 8 * m->appended, values, 8 * count, error))
    return false;
  m->checksum = add_checksum(m->checksum, values, 8 * count);
  m->appended += count;
  return true;
}

void npz_writer_mark(npz_writer *w)
{
  for (size_t i = 0; i < w->count; i++) {
    w->members[i].marked = w->members[i].appended;
    w->members[i].marked_checksum = w->members[i].checksum;
  }
}

uint64_t npz_writer_marked(const npz_writer *w, size_t array)
{
  return w->members[array].marked;
}

void npz_writer_shorten(npz_writer *w, size_t array, const uint64_t *shape)
{
  member *m = &w->members[array];
  uint64_t count;
  if (!multiply(&count, shape, m->rank) || count != m->marked)
    memory_die("an array was to be cut to another length than was marked");
  for (unsigned i = 0; i < m->rank; i++) {
    if (shape[i] > m->shape[i])
      memory_die("an array was to be cut to a larger shape");
    m->shape[i] = shape[i];
  }
  m->count = m->appended = m->marked;
  m->checksum = m->marked_checksum;
  m->left_out = m->count == 0;
  w->shortened = true;
}

/* To a place further up front. */
static bool move_values(npz_writer *w, uint64_t to, uint64_t from, uint64_t length, dump_error *error)
{
  enum { BUFFER = 1 << 16 };
  char *buffer = memory_new(BUFFER, 1);
  bool fine = true;
  for (uint64_t done = 0; done < length && fine;) {
    size_t n = length - done < BUFFER ? (size_t)(length - done) : BUFFER;
    ssize_t got = pread(w->file, buffer, n, (off_t)(from + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      dump_error_set(error, w->path, "cannot move what is written: %s", got < 0 ? strerror(errno) : "it is gone");
      fine = false;
    } else {
      fine = write_at(w, to + done, buffer, (size_t)got, error);
      done += (uint64_t)got;
    }
  }
  free(buffer);
  return fine;
}

/* Closes the gaps that shortening has left: without that, a run that was to be long would leave a file of that length. */
static bool close_gaps(npz_writer *w, dump_error *error)
{
  w->end = 0;
  for (size_t i = 0; i < w->count; i++) {
    member *m = &w->members[i];
    if (m->left_out)
      continue;
    uint64_t from = npy_place(m) + m->npy_header;
    m->header = w->end;
    uint64_t to = npy_place(m) + m->npy_header;
    if (to != from && !move_values(w, to, from, 8 * m->count, error))
      return false;
    w->end = to + 8 * m->count;
  }
  if (ftruncate(w->file, (off_t)w->end) && errno != EINVAL) { /* EINVAL: no file that has a length */
    dump_error_set(error, w->path, "cannot write: %s", strerror(errno));
    return false;
  }
  return true;
}

bool npz_writer_finish(npz_writer *w, dump_error *error)
{
  text directory, header;
  uint64_t entries = 0;
  bool fine = !w->shortened || close_gaps(w, error);
  text_init(&directory);
  text_init(&header);
  for (size_t i = 0; i < w->count && fine; i++) {
    const member *m = &w->members[i];
    if (m->left_out)
      continue;
    if (m->appended != m->count)
      memory_die("an array was not written to its end");
    text npy;
    text_init(&npy);
    add_npy_header(&npy, m);
    uLong before = add_checksum(crc32(0, NULL, 0), npy.data, npy.length);
    uint32_t checksum = (uint32_t)crc32_combine(before, m->checksum, (z_off_t)(8 * m->count));
    text_clear(&header);
    add_local_header(&header, m, checksum);
    text_add_bytes(&header, npy.data, npy.length);
    text_clear(&npy);
    fine = write_at(w, m->header, header.data, header.length, error);
    add_directory_entry(&directory, m, checksum);
    entries++;
  }
  add_directory_end(&directory, entries, directory.length, w->end);
  fine = fine && write_at(w, w->end, directory.data, directory.length, error);
  text_clear(&header);
  text_clear(&directory);
  return fine;
}
