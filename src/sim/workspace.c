/* Scratch memory in chunks that never move. */
#include "sim/workspace.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

enum { LEAST = 1 << 16, LINE = 8 };

void workspace_clear(workspace *w)
{
  for (size_t i = 0; i < w->chunks; i++)
    free(w->chunk[i]);
  free(w->chunk);
  free(w->size);
  memset(w, 0, sizeof *w);
}

static void add_chunk(workspace *w, size_t count)
{
  size_t size = count < LEAST ? LEAST : count;
  w->chunk = memory_resize(w->chunk, w->chunks + 1, sizeof *w->chunk);
  w->size = memory_resize(w->size, w->chunks + 1, sizeof *w->size);
  w->chunk[w->chunks] = aligned_alloc(64, memory_multiply(size, sizeof(double)));
  if (!w->chunk[w->chunks])
    memory_die("out of memory");
  w->size[w->chunks++] = size;
}

double *workspace_take(workspace *w, size_t count)
{
  count = (memory_add(count, LINE) / LINE) * LINE;
  while (w->at < w->chunks && w->size[w->at] - w->used < count) {
    w->at++;
    w->used = 0;
  }
  if (w->at == w->chunks)
    add_chunk(w, count);
  double *room = w->chunk[w->at] + w->used;
  w->used += count;
  return room;
}

void workspace_reset(workspace *w)
{
  w->at = w->used = 0;
}
