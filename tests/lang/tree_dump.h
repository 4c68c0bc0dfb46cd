/* For tests: an expression in prefix form with every bracket, so that expected trees can be written by hand.
 *
 * (+ a b), (^ a 2), (< a b <= c), (neg a), z[(- t 1)], (sum t=1..T z[t]), (if c a b), (d e x) */
#ifndef ASSAY_TESTS_TREE_DUMP_H
#define ASSAY_TESTS_TREE_DUMP_H

#include "lang/claim.h"

static inline void tree_dump(text *out, const node *n)
{
  static const char *const word[] = {"",  "pi", "", "", "", "", "neg", "+",  "-",   "*",  "/",  "^",
                                     "",  "",   "if", "", "not", "and", "or", "implies", "d"};
  if (n->kind == NODE_NUMBER) {
    char *s = fmpq_get_str(NULL, 10, n->number);
    text_add(out, s);
    flint_free(s);
    return;
  }
  if (n->kind == NODE_PI) {
    text_add(out, "pi");
    return;
  }
  if (n->kind == NODE_SIZE || n->kind == NODE_INDEX || n->kind == NODE_GIVEN || n->kind == NODE_LET) {
    text_add(out, n->name);
    for (unsigned i = 0; i < n->children; i++) {
      text_add(out, i ? "," : "[");
      tree_dump(out, n->child[i]);
    }
    text_add(out, n->children ? "]" : "");
    return;
  }
  text_add_char(out, '(');
  if (n->kind == NODE_COMPARE) {
    tree_dump(out, n->child[0]);
    for (unsigned i = 1; i < n->children; i++) {
      text_addf(out, " %s ", tree_relation_name(n->relations[i - 1]));
      tree_dump(out, n->child[i]);
    }
    text_add_char(out, ')');
    return;
  }
  text_add(out, n->kind == NODE_FOLD   ? tree_fold_name(n->fold)
                : n->kind == NODE_CALL ? tree_function_name(n->function)
                                       : word[n->kind]);
  for (unsigned i = 0; i < n->ranges; i++) {
    text_addf(out, " %s=", n->range[i].name);
    tree_dump(out, n->range[i].low);
    text_add(out, "..");
    tree_dump(out, n->range[i].high);
  }
  for (unsigned i = 0; i < n->children; i++) {
    text_add_char(out, ' ');
    tree_dump(out, n->child[i]);
  }
  text_add_char(out, ')');
}

#endif
