/* The npz container: a zip archive in which each member NAME.npy is the array NAME. Other members are named
 * in the notes and not read.
 *
 * Stored members are used where they lie. Of a deflated member only the beginning is inflated here, as far as
 * its header reaches; the rest waits until a value is asked for, and only then the checksum can be tested. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/memory.h"
#include "dump/npy.h"
#include "dump/zip.h"

/* The length of the name without ".npy"; 0 when it ends otherwise or nothing is left. */
static size_t stem(const char *name)
{
  size_t length = strlen(name);
  return length > 4 && strcmp(name + length - 4, ".npy") == 0 ? length - 4 : 0;
}

bool npz_is(const zip_directory *directory)
{
  for (size_t i = 0; i < directory->count; i++)
    if (stem(directory->members[i].name) > 0)
      return true;
  return false;
}

/* One archive while it is being read. */
typedef struct {
  dump_file *file;
  size_t archive;
  char *name; /* of the file: segments move as more are added */
  const unsigned char *data;
  const dump_limits *limits;
  dump_error *error;
} npz;

static bool refuse(const npz *z, const zip_member *member, const npy_problem *problem)
{
  char *name = dump_quote(member->name);
  if (member->deflated)
    dump_error_set_at(z->error, z->name, member->offset, "member %s: at byte %llu of what it inflates to: %s",
                      name, (unsigned long long)problem->at, problem->text);
  else
    dump_error_set_at(z->error, z->name, member->offset + problem->at, "member %s: %s", name, problem->text);
  free(name);
  return false;
}

static bool refuse_member(const npz *z, const zip_member *member, const char *reason)
{
  char *name = dump_quote(member->name);
  dump_error_set_at(z->error, z->name, member->offset, "member %s: %s", name, reason);
  free(name);
  return false;
}

/* Inflates until out[0..wanted-1] is full or the stream ends. False when it is damaged. */
static bool inflate_more(z_stream *stream, const unsigned char **in, uint64_t *left, unsigned char *out,
                         uint64_t *made, uint64_t wanted)
{
  enum { AT_ONCE = 1 << 16 };
  int answer = Z_OK;
  while (answer == Z_OK && *made < wanted) {
    unsigned give = *left < AT_ONCE ? (unsigned)*left : AT_ONCE;
    unsigned room = wanted - *made < AT_ONCE ? (unsigned)(wanted - *made) : AT_ONCE;
    stream->next_in = (unsigned char *)(uintptr_t)*in;
    stream->avail_in = give;
    stream->next_out = out + *made;
    stream->avail_out = room;
    answer = inflate(stream, Z_NO_FLUSH);
    *in += give - stream->avail_in;
    *left -= give - stream->avail_in;
    *made += room - stream->avail_out;
  }
  /* Z_BUF_ERROR: nothing is left to give. */
  return answer == Z_OK || answer == Z_STREAM_END || answer == Z_BUF_ERROR;
}

/* The header of a deflated member. */
static bool read_packed_header(const npz *z, const zip_member *member, npy_header *header)
{
  z_stream stream = {0};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return refuse_member(z, member, "no memory to inflate it");
  const unsigned char *in = z->data + member->offset;
  uint64_t left = member->stored, made = 0;
  uint64_t wanted = member->length < NPY_PROLOGUE ? member->length : NPY_PROLOGUE;
  unsigned char *text = memory_new(NPY_PROLOGUE, 1);
  bool good = inflate_more(&stream, &in, &left, text, &made, wanted);
  uint64_t whole = npy_header_bytes(text, made);
  if (good && whole > wanted && whole <= member->length && whole <= NPY_PROLOGUE + z->limits->header_bytes) {
    text = memory_resize(text, whole, 1);
    wanted = whole;
    good = inflate_more(&stream, &in, &left, text, &made, wanted);
  }
  inflateEnd(&stream);
  npy_problem problem;
  if (!good)
    refuse_member(z, member, "damaged deflate data");
  else if (made < wanted)
    good = refuse_member(z, member, "it inflates to less than the archive says");
  else if (!npy_parse(header, text, made, member->length, z->limits, &problem))
    good = refuse(z, member, &problem);
  free(text);
  return good;
}

static bool read_header(const npz *z, const zip_member *member, npy_header *header)
{
  npy_problem problem;
  if (member->deflated)
    return read_packed_header(z, member, header);
  return npy_parse(header, z->data + member->offset, member->stored, member->length, z->limits, &problem) ||
         refuse(z, member, &problem);
}

static bool read_member(const npz *z, const zip_member *member)
{
  size_t length = stem(member->name);
  if (length == 0) {
    char *quoted = dump_quote(member->name);
    reader_add_note(z->file, "member that is no array", quoted);
    free(quoted);
    return true;
  }
  if (z->file->count >= z->limits->tensors)
    return refuse_member(z, member, "there are more arrays than the limit allows");
  npy_header header;
  npy_problem problem;
  if (!read_header(z, member, &header))
    return false;
  char *name = memory_copy_string(member->name);
  name[length] = 0;
  uint64_t base;
  size_t segment = zip_segment(z->file, z->archive, member, &base);
  bool good = npy_add(z->file, name, segment, base, member->length, &header, &problem);
  free(name);
  return good || refuse(z, member, &problem);
}

assay_status npz_read(dump_file *file, size_t archive, const zip_directory *directory,
                      const dump_limits *limits, dump_error *error)
{
  npz z = {.file = file,
           .archive = archive,
           .name = memory_copy_string(file->segments[archive].name),
           .data = file->segments[archive].data,
           .limits = limits,
           .error = error};
  file->container = "npz";
  bool good = true;
  for (size_t i = 0; good && i < directory->count; i++)
    good = read_member(&z, &directory->members[i]);
  free(z.name);
  return good ? STATUS_OK : STATUS_BAD_INPUT;
}
