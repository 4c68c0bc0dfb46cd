/* What a sequence leaves behind. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "sim/net_internal.h"

static size_t count_elements(const block_array *a)
{
  size_t count = 1;
  for (unsigned i = 0; i < a->rank; i++)
    count = memory_multiply(count, (size_t)a->shape[i]);
  return count;
}

static void add_array(net_state *s, size_t layer, size_t number, const block_array *a)
{
  text name;
  text_init(&name);
  text_addf(&name, "layers.%zu.%s", layer, a->name);
  s->name[s->count] = text_take(&name);
  s->rank[s->count] = a->rank;
  memcpy(s->shape[s->count], a->shape, sizeof a->shape);
  s->value[s->count] = parameters_room(count_elements(a));
  s->pointer[layer * BLOCK_ARRAYS + number] = s->value[s->count++];
}

net_state *net_state_create(const net *n)
{
  size_t all = n->array[n->count];
  net_state *s = memory_new(1, sizeof *s);
  s->value = memory_new(all, sizeof *s->value);
  s->name = memory_new(all, sizeof *s->name);
  s->rank = memory_new(all, sizeof *s->rank);
  s->shape = memory_new(all, sizeof *s->shape);
  s->pointer = memory_new(memory_multiply(n->count, BLOCK_ARRAYS), sizeof *s->pointer);
  for (size_t i = 0; i < n->count; i++) {
    block_array array[BLOCK_ARRAYS];
    size_t count = n->block[i]->kind->arrays(array, n->block[i]);
    for (size_t k = 0; k < count; k++)
      add_array(s, i, k, &array[k]);
    if (n->block[i]->kind->begin)
      n->block[i]->kind->begin(s->pointer + i * BLOCK_ARRAYS, n->block[i]);
  }
  return s;
}

void net_state_destroy(net_state *s)
{
  if (!s)
    return;
  for (size_t i = 0; i < s->count; i++) {
    free(s->value[i]);
    free(s->name[i]);
  }
  free(s->value);
  free(s->name);
  free(s->rank);
  free(s->shape);
  free(s->pointer);
  free(s);
}

uint64_t net_state_tokens(const net_state *s)
{
  return s->tokens;
}

void net_state_set_tokens(net_state *s, uint64_t tokens)
{
  s->tokens = tokens;
}

size_t net_state_arrays(const net_state *s)
{
  return s->count;
}

double *net_state_array(net_state *s, size_t i, const char **name, unsigned *rank, const uint64_t **shape)
{
  *name = s->name[i];
  *rank = s->rank[i];
  *shape = s->shape[i];
  return s->value[i];
}
