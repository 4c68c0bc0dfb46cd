/* Which blocks have an adjoint. */
#include "sim/adjoint.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

extern const adjoint_kind adjoint_kind_mamba1, adjoint_kind_mamba2, adjoint_kind_s4d, adjoint_kind_lru,
    adjoint_kind_rwkv4;

static const adjoint_kind *const kinds[] = {&adjoint_kind_mamba1, &adjoint_kind_mamba2, &adjoint_kind_s4d,
                                            &adjoint_kind_lru,    &adjoint_kind_rwkv4,  NULL};

const adjoint_kind *adjoint_kind_of(const block *b, const char **reason)
{
  *reason = "no adjoint of this kind of block is known here";
  for (size_t i = 0; kinds[i]; i++)
    if (!strcmp(kinds[i]->name, b->kind->name)) {
      *reason = kinds[i]->refuse ? kinds[i]->refuse(b) : NULL;
      return *reason ? NULL : kinds[i];
    }
  return NULL;
}

void adjoint_record_clear(adjoint_record *r)
{
  for (size_t i = 0; i < sizeof r->owned / sizeof *r->owned; i++)
    free(r->owned[i]);
  *r = (adjoint_record){.owned = {NULL}};
}

size_t adjoint_pieces(const adjoint *a)
{
  return (a->tokens + ADJOINT_PIECE - 1) / ADJOINT_PIECE;
}

size_t adjoint_piece_tokens(const adjoint *a, size_t k)
{
  size_t left = a->tokens - k * ADJOINT_PIECE;
  return left < ADJOINT_PIECE ? left : ADJOINT_PIECE;
}

void adjoint_init_rows(adjoint *a, const adjoint_rows_list *list, size_t count)
{
  if (count > ADJOINT_ROWS - a->owned)
    memory_die("an adjoint has too many rows");
  for (size_t i = 0; i < count; i++) {
    adjoint_rows_init(list[i].rows, a->positions, a->rows, list[i].width);
    a->own[a->owned++] = list[i].rows;
  }
}

void adjoint_clear_rows(adjoint *a)
{
  for (size_t i = 0; i < a->owned; i++)
    adjoint_rows_clear(a->own[i]);
  a->owned = 0;
}
