/* What the readers of single formats share. Private to src/dump.
 *
 * A reader is a pair of functions
 *
 *   bool FORMAT_is(const unsigned char *data, size_t length);
 *   assay_status FORMAT_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error);
 *
 * The first looks at a few bytes. The second reads the segment, which must be the bytes of a file, sets
 * `container` and adds its tensors, notes and, for compressed members, segments. The dump may hold other
 * files already (shards), so a reader's own tensors are those from the count that it found on; in messages
 * the file's name is segments[segment].name. `limits` is never NULL. On failure it sets `error` and returns
 * STATUS_BAD_INPUT; the file is then closed by the caller. Who opens files (open.c) calls reader_index. */
#ifndef ASSAY_DUMP_READER_H
#define ASSAY_DUMP_READER_H

#include "dump/dump.h"

typedef enum { SEGMENT_BORROWED, SEGMENT_MAPPED, SEGMENT_INFLATED } segment_hold;

typedef struct {
  char *name;                /* of the file, in messages; owned */
  char *member;              /* NULL unless it is a compressed member; owned */
  const unsigned char *data; /* NULL for a compressed member that nobody has asked for yet */
  uint64_t length;           /* of data, inflated */
  segment_hold hold;
  /* A compressed member: raw deflate bytes and where they start in the file. (Of owned bytes, the place.) */
  const unsigned char *packed;
  uint64_t packed_length, packed_offset;
  uint32_t checksum; /* CRC-32 of the inflated bytes */
} reader_segment;

typedef struct {
  char *key, *value; /* owned */
} reader_note;

struct dump_file {
  char *name;
  const char *container; /* a constant string; set by the reader */
  reader_segment *segments;
  size_t segment_count, segment_capacity;
  dump_tensor *tensors;
  size_t count, capacity;
  const dump_tensor **by_name; /* the tensors in the order of strcmp; made by reader_index */
  reader_note *notes;
  size_t note_count, note_capacity;
};

/* An empty dump. */
dump_file *reader_create(const char *name);

/* Each adds a segment and stores its number. */
size_t reader_borrow(dump_file *file, const char *name, const unsigned char *data, size_t length);
/* Regular files only. */
assay_status reader_map(dump_file *file, const char *path, size_t *segment, dump_error *error);
/* A member of the archive in segment `archive`: `packed_length` bytes of raw deflate at `packed_offset`. The
 * bounds and the limit on `length` must have been checked. */
size_t reader_add_packed(dump_file *file, size_t archive, const char *member, uint64_t packed_offset,
                         uint64_t packed_length, uint64_t length, uint32_t checksum);
/* Bytes that stand in the file in another form (as text): `data` from malloc, which the dump frees. `place`
 * is where that text begins in the file of segment `whole`; messages point there. */
size_t reader_own(dump_file *file, size_t whole, uint64_t place, unsigned char *data, size_t length);
/* For dump_close. */
void reader_drop_segments(dump_file *file);
/* Makes segments[segment].data exist. An error's offset is the member's in the archive. */
assay_status reader_inflate(const dump_file *file, size_t segment, dump_error *error);

/* A zeroed tensor at the end, its name a copy. The pointer is good until the next call; segments move as well
 * when one is added. */
dump_tensor *reader_add(dump_file *file, const char *name);
/* Fills stride, contiguous (row-major), count and bytes from type, rank and shape, for types with a fixed
 * number of bytes per element and for blocks (whose last dimension must be a multiple of the block); of
 * DUMP_OTHER `bytes` stays as it is. The strides of a tensor without elements are 0. False when the rank is
 * beyond DUMP_RANK, a product overflows or a block does not fit: then nothing is filled. */
bool reader_fill_row_major(dump_tensor *tensor);
/* For a tensor with type, rank, shape, stride set: fills contiguous, count and bytes (which reach from the
 * element 0, ..., 0 to the last one). False on overflow, for a negative stride, and for blocks that are not
 * in row-major order. Strides of 0 may give a tensor more elements than bytes. */
bool reader_fill_strided(dump_tensor *tensor);
/* Where the byte `ahead` bytes behind the tensor's first one is in the file, for messages; of a compressed
 * member: the place of the member. */
uint64_t reader_place(const dump_file *file, const dump_tensor *tensor, uint64_t ahead);
/* Copies both. Of two notes with one key dump_note finds the first. */
void reader_add_note(dump_file *file, const char *key, const char *value);
/* Makes dump_find work; call once, after the last reader_add. A name that appears twice is an error that
 * gives both offsets. Checks `limits` too. */
assay_status reader_index(dump_file *file, const dump_limits *limits, dump_error *error);

/* Strict UTF-8 without NUL. */
bool reader_name_fits(const char *name, size_t length);

/* The type of that name in safetensors' spelling (F32, BF16, I8, C64 ...), DUMP_OTHER when unknown. */
dump_type reader_type(const char *name);
/* Values per block and bytes per block of the block types; 1 and dump_type_bytes for the others; 0 and 0 for
 * DUMP_OTHER. */
void reader_block(dump_type type, unsigned *values, unsigned *bytes);

/* The readers. */
bool safetensors_is(const unsigned char *data, size_t length);
assay_status safetensors_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error);
bool torch_legacy_is(const unsigned char *data, size_t length);
assay_status torch_legacy_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error);
bool npy_is(const unsigned char *data, size_t length);
assay_status npy_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error);
bool gguf_is(const unsigned char *data, size_t length);
assay_status gguf_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error);
/* A zip is an npz or a torch file: the archive's members tell. */
bool zip_is(const unsigned char *data, size_t length);
assay_status zip_read(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error);

#endif
