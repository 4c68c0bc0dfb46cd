/* What the files of a net share. */
#ifndef ASSAY_SIM_NET_INTERNAL_H
#define ASSAY_SIM_NET_INTERNAL_H

#include "sim/block.h"

struct net {
  net_options options;
  block **block;
  char **name;
  size_t count, width;
  size_t vocabulary;
  double *embedding;     /* [V, M]; NULL */
  block_norm first;      /* what embeddings pass before the first layer; without weight: none */
  block_norm last;       /* behind the last layer */
  block_dense head;      /* weight NULL: none; it may be the embedding */
  char **unused;
  size_t unused_count;
  size_t *array;         /* of block i: number of its first array in a net_state; count + 1 of them */
};

struct net_state {
  uint64_t tokens;
  size_t count;
  double **value;
  char **name;
  unsigned *rank;
  uint64_t (*shape)[4];
  double **pointer; /* BLOCK_ARRAYS for each block: into value; NULL: it has fewer */
};

#endif
