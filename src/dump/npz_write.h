/* Writing .npz: arrays of doubles, each written piece by piece while it is produced, several at a time.
 *
 * An array's shape is told before its values, so that every member has its place in the archive (stored, with zip64 sizes
 * where they are needed); values are appended in row-major order, and nothing of them is kept. Values are written with the
 * byte order of this machine, which the array's header names, so that reading back gives the same bits.
 *
 * What was appended last can be taken back to a mark, for runs that are interrupted: all arrays are marked at one moment,
 * and afterwards each may be given the shape of what had been appended by then.
 *
 * Whatever fails leaves a file that is no archive: whoever opened it has to remove it. */
#ifndef ASSAY_DUMP_NPZ_WRITE_H
#define ASSAY_DUMP_NPZ_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump/dump.h"

enum { NPZ_RANK = 8, NPZ_NAME = 4096 /* bytes of a name at most */ };

typedef struct npz_writer npz_writer;

/* `file` is open for writing, empty, and one that can be written at any place (and read, where arrays are shortened); it
 * stays the caller's. `path` is for messages. */
npz_writer *npz_writer_create(int file, const char *path);
void npz_writer_destroy(npz_writer *w); /* NULL is nothing */

/* Makes room for an array; *array is its number, from 0. Names are UTF-8, not empty, and differ (the caller sees to that);
 * ".npy" is put behind them. rank <= NPZ_RANK; 0 is a single number. False with `error` set: the name is too long, or the
 * archive larger than a file can be. */
bool npz_writer_add(npz_writer *w, size_t *array, const char *name, unsigned rank, const uint64_t *shape,
                    dump_error *error);

/* The next `count` values of an array, no more than its shape has room for. False with `error` set when they cannot be
 * written. */
bool npz_writer_append(npz_writer *w, size_t array, const double *values, size_t count, dump_error *error);

/* Remembers how much of each array there is. */
void npz_writer_mark(npz_writer *w);
uint64_t npz_writer_marked(const npz_writer *w, size_t array); /* values appended by the last mark; 0 before any */
/* The array as it was at the last mark, under another shape of the same rank and of just so many values, none of whose
 * dimensions is larger than before. An array of which nothing was marked is left out of the archive. */
void npz_writer_shorten(npz_writer *w, size_t array, const uint64_t *shape);

/* Writes what is missing: headers and directory. Every array must be complete. False with `error` set when it cannot be
 * written. Afterwards only npz_writer_destroy may be called. */
bool npz_writer_finish(npz_writer *w, dump_error *error);

#endif
