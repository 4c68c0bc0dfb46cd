/* The words of the claim language. */
#ifndef ASSAY_LANG_WORDS_H
#define ASSAY_LANG_WORDS_H

#include <stddef.h>

#include "core/text.h"
#include "lang/tree.h"

/* The parser's token of a reserved word; 0 for any other word. */
int words_keyword(const char *word);
/* The parser's token of a word that is reserved before '(' only, and which function it is; 0 for any other.
 */
int words_function(function_kind *function, const char *word);
/* Does a token begin a declaration, or end or begin a claim? */
bool words_begins_declaration(int token);
/* The beginning of a declaration that was perhaps meant; NULL. */
const char *words_nearest_declaration(const char *word);
/* The function that was perhaps meant; NULL. */
const char *words_nearest_function(const char *word);
/* What to write instead of an operator of other languages. */
const char *words_instead(const char *operator_);

/* Appends a name with its Greek letters spelled out. The bytes are a word of the lexer. */
void words_from_greek(text *out, const char *s, size_t n);
/* The English name of a Greek letter at the begin of a name ("alpha" of alpha_max, alphabeta, alpha1), NULL
 * when there is none; *length is its length. For printing. */
const char *words_greek_prefix(const char *name, size_t *length);

#endif
