/* Where a dump's bytes lie: borrowed, mapped, or inflated from a member of an archive. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/memory.h"
#include "dump/dump.h"
#include "dump/reader.h"

/* The data of what is empty: NULL means "not inflated yet". */
static const unsigned char nothing[1];

static size_t add_segment(dump_file *file, const reader_segment *segment)
{
  if (file->segment_count == file->segment_capacity) {
    file->segment_capacity = file->segment_capacity == 0 ? 4 : memory_multiply(file->segment_capacity, 2);
    file->segments = memory_resize(file->segments, file->segment_capacity, sizeof *file->segments);
  }
  file->segments[file->segment_count] = *segment;
  return file->segment_count++;
}

size_t reader_borrow(dump_file *file, const char *name, const unsigned char *data, size_t length)
{
  return add_segment(file, &(reader_segment){.name = memory_copy_string(name),
                                             .data = length == 0 ? nothing : data,
                                             .length = length,
                                             .hold = SEGMENT_BORROWED});
}

assay_status reader_map(dump_file *file, const char *path, size_t *segment, dump_error *error)
{
  assay_status status = STATUS_BAD_INPUT;
  /* O_NONBLOCK: a named pipe must be refused, not waited for. */
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    dump_error_set(error, path, "cannot open: %s", strerror(errno));
    return STATUS_BAD_INPUT;
  }
  struct stat about;
  if (fstat(descriptor, &about) != 0) {
    dump_error_set(error, path, "cannot look at the file: %s", strerror(errno));
    goto cleanup;
  }
  if (!S_ISREG(about.st_mode)) {
    dump_error_set(error, path, "not a regular file");
    goto cleanup;
  }
  if (about.st_size < 0 || (uint64_t)about.st_size > SIZE_MAX) {
    dump_error_set(error, path, "the file is too large to map");
    goto cleanup;
  }
  size_t length = (size_t)about.st_size;
  void *data = NULL;
  if (length > 0) { /* mmap refuses an empty range; the reader will say what is missing */
    data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED) {
      dump_error_set(error, path, "cannot map the file: %s", strerror(errno));
      goto cleanup;
    }
  }
  *segment = reader_borrow(file, path, data, length);
  if (length > 0)
    file->segments[*segment].hold = SEGMENT_MAPPED;
  status = STATUS_OK;

cleanup:
  close(descriptor);
  return status;
}

size_t reader_add_packed(dump_file *file, size_t archive, const char *member, uint64_t packed_offset,
                         uint64_t packed_length, uint64_t length, uint32_t checksum)
{
  const reader_segment *whole = &file->segments[archive];
  return add_segment(file, &(reader_segment){.name = memory_copy_string(whole->name),
                                             .member = memory_copy_string(member),
                                             .length = length,
                                             .hold = SEGMENT_INFLATED,
                                             .packed = whole->data + packed_offset,
                                             .packed_length = packed_length,
                                             .packed_offset = packed_offset,
                                             .checksum = checksum});
}

size_t reader_own(dump_file *file, size_t whole, uint64_t place, unsigned char *data, size_t length)
{
  return add_segment(file, &(reader_segment){.name = memory_copy_string(file->segments[whole].name),
                                             .data = data,
                                             .length = length,
                                             .hold = SEGMENT_INFLATED,
                                             .packed_offset = place});
}

static assay_status inflate_fail(const reader_segment *segment, const char *reason, dump_error *error)
{
  char *member = dump_quote(segment->member);
  dump_error_set_at(error, segment->name, segment->packed_offset, "compressed member %s: %s", member, reason);
  free(member);
  return STATUS_BAD_INPUT;
}

/* zlib counts in unsigned int: larger pieces go in turns. */
static unsigned piece(uint64_t length)
{
  return length > 1u << 30 ? 1u << 30 : (unsigned)length;
}

/* The reason why the bytes are no deflate stream of exactly that length and checksum, NULL when they are. */
static const char *inflate_into(unsigned char *out, const reader_segment *segment)
{
  z_stream stream = {0};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) /* raw: neither zlib's nor gzip's frame */
    return "no memory to inflate it";
  uint64_t taken = 0, made = 0;
  int answer = Z_OK;
  while (answer == Z_OK) {
    unsigned in = piece(segment->packed_length - taken), room = piece(segment->length - made);
    stream.next_in = (unsigned char *)(uintptr_t)(segment->packed + taken);
    stream.avail_in = in;
    stream.next_out = out + made;
    stream.avail_out = room;
    answer = inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    made += room - stream.avail_out;
    /* No progress: Z_BUF_ERROR ends the loop. */
  }
  inflateEnd(&stream);
  if (answer == Z_BUF_ERROR)
    return made == segment->length && segment->length > 0 ? "it inflates to more than the archive says"
                                                          : "it ends too early";
  if (answer != Z_STREAM_END)
    return "damaged deflate data";
  if (made != segment->length)
    return "it inflates to less than the archive says";
  if (taken != segment->packed_length)
    return "bytes follow the end of its deflate data";
  uLong sum = crc32(0, NULL, 0);
  for (uint64_t at = 0; at < made; at += piece(made - at))
    sum = crc32(sum, out + at, piece(made - at));
  return (uint32_t)sum == segment->checksum ? NULL : "its checksum does not fit";
}

/* One at a time, in all dumps: whoever waits for a member wants it whole. */
static pthread_mutex_t inflating = PTHREAD_MUTEX_INITIALIZER;

assay_status reader_inflate(const dump_file *file, size_t index, dump_error *error)
{
  reader_segment *segment = &file->segments[index];
  if (__atomic_load_n(&segment->data, __ATOMIC_ACQUIRE) != NULL)
    return STATUS_OK;
  assay_status status = STATUS_OK;
  unsigned char *out = NULL;
  pthread_mutex_lock(&inflating);
  if (segment->data != NULL)
    goto cleanup;
  /* Not memory_new: the length is a file's word. */
  out = segment->length < SIZE_MAX ? malloc((size_t)segment->length + 1) : NULL;
  const char *reason = out == NULL ? "no memory to inflate it" : inflate_into(out, segment);
  if (reason == NULL)
    __atomic_store_n(&segment->data, out, __ATOMIC_RELEASE);
  else {
    status = inflate_fail(segment, reason, error);
    free(out);
  }

cleanup:
  pthread_mutex_unlock(&inflating);
  return status;
}

assay_status dump_prepare(const dump_file *file, const dump_tensor *tensor, dump_error *error)
{
  return tensor->count == 0 ? STATUS_OK : reader_inflate(file, tensor->segment, error);
}

void dump_release(const dump_file *file, const dump_tensor *tensor)
{
  const reader_segment *segment = &file->segments[tensor->segment];
  if (segment->hold != SEGMENT_MAPPED || tensor->bytes == 0)
    return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
            begin = (uintptr_t)segment->data + (uintptr_t)tensor->offset;
  uintptr_t end = begin + (uintptr_t)tensor->bytes;
  begin -= begin % page;
  /* Pages of a private mapping that nobody writes to come again from the file. */
  madvise((void *)begin, end - begin, MADV_DONTNEED);
}

void reader_drop_segments(dump_file *file)
{
  for (size_t i = 0; i < file->segment_count; i++) {
    reader_segment *segment = &file->segments[i];
    void *data = (void *)(uintptr_t)segment->data;
    if (segment->hold == SEGMENT_MAPPED)
      munmap(data, (size_t)segment->length);
    else if (segment->hold == SEGMENT_INFLATED)
      free(data);
    free(segment->name);
    free(segment->member);
  }
  free(file->segments);
}

size_t dump_segment_count(const dump_file *file)
{
  return file->segment_count;
}

dump_segment dump_get_segment(const dump_file *file, size_t i)
{
  const reader_segment *segment = &file->segments[i];
  return (dump_segment){segment->name, segment->member, segment->hold == SEGMENT_INFLATED, segment->length};
}
