/* Token files: sequences of ids.
 *
 * Text: whole numbers in decimal digits, separated by blanks and tabs; a line is a sequence; from '#' to the end of a line is
 * comment; lines without numbers count for nothing. Or, told by its first bytes, .npy of any integer type, [T]: one
 * sequence, or [batch, T].
 *
 * Guarantee. Every id is below `vocabulary`, every sequence has at least one token, and there is at least one. Else false
 * with one message: text with line and column, .npy with the byte offset. */
#ifndef ASSAY_SIM_TOKENS_H
#define ASSAY_SIM_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/diag.h"

typedef struct {
  uint32_t *token; /* of all sequences, one behind the other */
  size_t *start;   /* of sequence k: token[start[k]] to behind token[start[k + 1] - 1]; count + 1 of them */
  size_t count;    /* sequences */
} token_list;

/* `path` "-" is standard input, which is text. vocabulary >= 1. After false the list is empty. */
bool tokens_read(token_list *list, diag *d, const char *path, uint64_t vocabulary);
/* The same for text in memory. The source is borrowed. */
bool tokens_read_text(token_list *list, diag *d, const diag_source *source, uint64_t vocabulary);
void tokens_clear(token_list *list);

#endif
