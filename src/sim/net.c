/* From a model file to blocks in a row. */
#include "sim/net.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "sim/blas.h"
#include "sim/net_internal.h"

net_options net_options_default(void)
{
  return (net_options){.polar_rate = -1000};
}

/* ---- once ---- */

static const char *blas_fault;

static void test_blas(void)
{
  blas_fault = blas_self_test();
}

static void test_once(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, test_blas);
  if (blas_fault)
    memory_die(blas_fault);
}

/* ---- around the blocks ---- */

static bool is_false(const char *word)
{
  return word && (!strcmp(word, "false") || !strcmp(word, "False"));
}

/* Without a head of its own a model with embeddings has them for one, unless its configuration says otherwise. */
static bool read_head(net *n, const parameters *p)
{
  size_t rows = parameters_extent(p, "head", 0);
  if (parameters_has(p, "head"))
    return block_dense_read(&n->head, p, "head", "head_bias", rows, n->width);
  double *none;
  if (!parameters_read(&none, p, "head", false, 0, 0)) /* one that does not fit */
    return false;
  if (n->embedding && !is_false(dump_note(p->file, "config.tie_word_embeddings")))
    n->head = (block_dense){.rows = n->vocabulary, .columns = n->width, .weight = n->embedding};
  return true;
}

static bool read_ends(net *n, const parameters *p)
{
  n->vocabulary = parameters_extent(p, "embedding", 0);
  if (!parameters_read(&n->embedding, p, "embedding", false, n->vocabulary, n->width) ||
      !block_norm_read(&n->first, p, "embedding_norm", "embedding_norm_bias", n->width, false) ||
      !block_norm_read(&n->last, p, "final_norm", "final_norm_bias", n->width, false))
    return false;
  if (!n->embedding)
    n->vocabulary = 0;
  return read_head(n, p);
}

/* ---- the blocks ---- */

/* A number in the name of a layer that is higher by more than 1 than in that of the layer before, where the file has
 * parameters under a number between: there is a layer of another kind, and this is not how the model runs. */
static bool refuse_gap(const parameters *p, const char *before)
{
  const char *after = p->layer->name;
  size_t same = 0;
  while (before[same] && before[same] == after[same])
    same++;
  while (same > 0 && after[same - 1] >= '0' && after[same - 1] <= '9')
    same--;
  char *end_before, *end_after;
  if (before[same] < '0' || before[same] > '9' || after[same] < '0' || after[same] > '9')
    return true;
  unsigned long low = strtoul(before + same, &end_before, 10), high = strtoul(after + same, &end_after, 10);
  if (strcmp(end_before, end_after) != 0)
    return true;
  for (size_t i = 0; i < dump_count(p->file); i++) {
    const dump_tensor *x = dump_get(p->file, i);
    char *end;
    if (x->kind != DUMP_PARAMETER || strncmp(x->name, after, same) != 0 || x->name[same] < '0' || x->name[same] > '9')
      continue;
    unsigned long number = strtoul(x->name + same, &end, 10);
    if (number <= low || number >= high || (*end != '.' && *end != '/'))
      continue;
    char *name = dump_quote(x->name);
    parameters_refuse(p, "it does not follow the layer before: between them is one that no family describes, with %s", name);
    free(name);
    return false;
  }
  return true;
}

static bool read_layer(net *n, const parameters *p)
{
  const block_kind *kind = block_kind_of(p->layer->family);
  if (!kind)
    return parameters_refuse(p, "no block of the simulator serves this family (assay-family(5) says which roles a block needs)");
  if (n->count > 0 && !refuse_gap(p, n->name[n->count - 1]))
    return false;
  block *b = kind->read(p, &n->options);
  if (!b)
    return false;
  b->kind = kind;
  n->block[n->count] = b;
  n->name[n->count] = memory_copy_string(p->layer->name);
  b->facts.name = n->name[n->count];
  b->facts.family = p->layer->family->name;
  if (b->facts.inputs == 0)
    b->facts.inputs = b->facts.outputs = b->facts.channels;
  n->count++;
  if (n->count == 1)
    n->width = b->width;
  else if (b->width != n->width)
    return parameters_refuse(p, "it reads and writes vectors of width %zu, the layers before it %zu: between them must be"
                                " something that is no layer of a known family", b->width, n->width);
  return true;
}

static void count_arrays(net *n)
{
  block_array array[BLOCK_ARRAYS];
  n->array = memory_new(n->count + 1, sizeof *n->array);
  for (size_t i = 0; i < n->count; i++)
    n->array[i + 1] = n->array[i] + n->block[i]->kind->arrays(array, n->block[i]);
}

static void list_unused(net *n, const dump_file *file, const bool *used)
{
  for (size_t i = 0; i < dump_count(file); i++) {
    const dump_tensor *x = dump_get(file, i);
    if (used[i] || x->kind != DUMP_PARAMETER)
      continue;
    n->unused = memory_resize(n->unused, n->unused_count + 1, sizeof *n->unused);
    n->unused[n->unused_count++] = memory_copy_string(x->name);
  }
}

net *net_create(const model *m, const net_options *options, dump_error *error)
{
  test_once();
  net *n = memory_new(1, sizeof *n);
  n->options = *options;
  n->block = memory_new(m->count, sizeof *n->block);
  n->name = memory_new(m->count, sizeof *n->name);
  bool *used = memory_new(dump_count(m->file), sizeof *used), fine = true;
  for (size_t i = 0; i < m->count && fine; i++) {
    parameters p = {.file = m->file, .layer = &m->layers[i], .error = error, .used = used, .number = i};
    fine = read_layer(n, &p);
  }
  if (fine && n->count == 0) {
    dump_error_set(error, dump_name(m->file), "it holds no layer");
    fine = false;
  }
  if (fine) {
    parameters p = {.file = m->file, .layer = &m->layers[0], .error = error, .used = used};
    fine = read_ends(n, &p);
  }
  if (fine) {
    count_arrays(n);
    list_unused(n, m->file, used);
  } else {
    net_destroy(n);
    n = NULL;
  }
  free(used);
  return n;
}

void net_destroy(net *n)
{
  if (!n)
    return;
  for (size_t i = 0; i < n->count; i++) {
    n->block[i]->kind->destroy(n->block[i]);
    free(n->name[i]);
  }
  if (n->head.weight == n->embedding)
    n->head.weight = NULL;
  block_dense_clear(&n->head);
  block_norm_clear(&n->first);
  block_norm_clear(&n->last);
  free(n->embedding);
  for (size_t i = 0; i < n->unused_count; i++)
    free(n->unused[i]);
  free(n->unused);
  free(n->array);
  free(n->block);
  free(n->name);
  free(n);
}

/* ---- what it is ---- */

size_t net_layers(const net *n)
{
  return n->count;
}

size_t net_width(const net *n)
{
  return n->width;
}

size_t net_vocabulary(const net *n)
{
  return n->vocabulary;
}

size_t net_logits(const net *n)
{
  return n->head.weight ? n->head.rows : 0;
}

net_layer net_get_layer(const net *n, size_t layer)
{
  return n->block[layer]->facts;
}

size_t net_unused(const net *n)
{
  return n->unused_count;
}

const char *net_get_unused(const net *n, size_t i)
{
  return n->unused[i];
}
