/* How files become dumps: single containers, shards, folders. Private to src/dump.
 *
 * Each returns NULL with `error` set on failure, and a dump that is not yet indexed otherwise; `limits` is
 * never NULL. */
#ifndef ASSAY_DUMP_OPEN_H
#define ASSAY_DUMP_OPEN_H

#include "dump/dump.h"
#include "dump/reader.h"

/* The container that the first bytes of a file of that length tell, as an index for open_segment; -1 when
 * none. `strict`: only where that is sure (a safetensors file has no magic number). */
int open_recognise(const unsigned char *data, uint64_t length, bool strict);

/* Reads a segment that is a file. */
assay_status open_segment(dump_file *file, size_t segment, const dump_limits *limits, dump_error *error);

/* Maps a file and reads it into the dump. */
assay_status open_add(dump_file *file, const char *path, const dump_limits *limits, dump_error *error);

/* Whether a text begins like the index of shards: a JSON object. */
bool shards_is_index(const unsigned char *data, uint64_t length);
/* The model of an index of shards: {"metadata": ..., "weight_map": {"TENSOR": "FILE", ...}}, files by their
 * names in the index's folder. Every tensor of the index must be in its shard, and every parameter of a shard
 * in the index. */
dump_file *shards_open_index(const char *path, const dump_limits *limits, dump_error *error);

/* NAME-00002-of-00005.EXT: part 2 of 5. `stem` is the length of what precedes "-00002-of-". False for other
 * names. */
typedef struct {
  size_t stem;
  unsigned part, parts;
  const char *ending; /* behind the number of parts, in `name` */
} shard_name;
bool shards_parse_name(shard_name *parsed, const char *name);

/* All parts of the family that the file at `path` belongs to, in order; all must be there. GGUF parts must
 * agree with what they say of themselves (split.no, split.count, split.tensors.count). */
dump_file *shards_open_family(const char *path, const dump_limits *limits, dump_error *error);

/* The one model in a folder. */
dump_file *folder_open(const char *path, const dump_limits *limits, dump_error *error);

/* Adds the members of config.json in the folder as notes "config.KEY", "config.KEY.KEY"; without such a file
 * nothing; of one that cannot be read a note "config.json" that says why. */
void config_add_notes(dump_file *file, const char *folder, const dump_limits *limits);

/* `folder` "/" `name`; the caller frees it. */
char *open_path_join(const char *folder, const char *name);
/* The folder of a path, "." when it names none; the caller frees it. */
char *path_folder(const char *path);

#endif
