/* Pieces of a sequence through the layers of a net. */
#include <string.h>

#include "core/memory.h"
#include "sim/net_internal.h"

/* What a run keeps: the residual stream in front of a layer and behind it, and scratch memory. */
typedef struct {
  const net *n;
  net_state *state;
  const net_input *in;
  const net_observer *observer;
  workspace stream, room;
} run;

static void embed(double *x, const run *r, size_t first, size_t tokens)
{
  size_t m = r->n->width;
  if (r->in->vector)
    memcpy(x, r->in->vector + first * m, tokens * m * sizeof *x);
  else
    for (size_t t = 0; t < tokens; t++)
      memcpy(x + t * m, r->n->embedding + (size_t)r->in->token[first + t] * m, m * sizeof *x);
  if (r->n->first.weight && !r->in->vector)
    block_norm_apply(x, x, &r->n->first, tokens, r->n->options.threads);
}

static bool run_layer(run *r, size_t layer, uint64_t first, size_t tokens, const double *x, double *y)
{
  const net_observer *o = r->observer;
  const block *b = r->n->block[layer];
  bool seen = o && o->see && (!o->layers || o->layers[layer]);
  net_view view;
  block_piece piece = {.input = x,
                       .output = y,
                       .tokens = tokens,
                       .state = r->state->pointer + layer * BLOCK_ARRAYS,
                       .wanted = seen ? o->wanted : 0,
                       .threads = r->n->options.threads,
                       .room = &r->room,
                       .view = &view};
  workspace_reset(&r->room);
  b->kind->run(b, &piece);
  view.layer = layer;
  view.first = (size_t)first;
  view.tokens = tokens;
  view.input = x;
  view.output = y;
  return !seen || o->see(o->context, &view);
}

static bool finish(run *r, uint64_t first, size_t tokens, const double *x)
{
  const net_observer *o = r->observer;
  const net *n = r->n;
  if (!o || !o->finish)
    return true;
  workspace_reset(&r->room);
  double *hidden = workspace_take(&r->room, tokens * n->width), *logits = NULL;
  block_norm_apply(hidden, x, &n->last, tokens, n->options.threads);
  if (o->logits && n->head.weight) {
    logits = workspace_take(&r->room, tokens * n->head.rows);
    block_dense_apply(logits, hidden, n->width, &n->head, tokens, n->options.threads);
  }
  return o->finish(o->context, (size_t)first, tokens, hidden, logits);
}

static bool run_piece(run *r, size_t first, size_t tokens)
{
  workspace_reset(&r->stream);
  double *x = workspace_take(&r->stream, tokens * r->n->width), *y = workspace_take(&r->stream, tokens * r->n->width);
  uint64_t number = r->state->tokens;
  embed(x, r, first, tokens);
  r->state->tokens += tokens;
  for (size_t i = 0; i < r->n->count; i++) {
    if (!run_layer(r, i, number, tokens, x, y))
      return false;
    double *swap = x;
    x = y;
    y = swap;
  }
  return finish(r, number, tokens, x);
}

assay_status net_run(const net *n, net_state *state, const net_input *in, const net_observer *observer)
{
  run r = {.n = n, .state = state, .in = in, .observer = observer};
  bool going = true;
  if (!in->vector && !n->embedding)
    memory_die("tokens were put into a net without embeddings");
  for (size_t first = 0; first < in->tokens && going; first += NET_PIECE) {
    size_t left = in->tokens - first;
    going = run_piece(&r, first, left < NET_PIECE ? left : NET_PIECE);
  }
  workspace_clear(&r.stream);
  workspace_clear(&r.room);
  return going ? STATUS_OK : STATUS_UNABLE;
}
