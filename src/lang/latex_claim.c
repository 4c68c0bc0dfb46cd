/* A claim as the body of a LaTeX theorem, to hold against the paper. */
#include <limits.h>

#include "lang/latex.h"

static void add_title(text *out, const claim *c)
{
  text_addf(out, "%% %s\n", c->name);
  if (c->title) {
    text_add(out, "\\textbf{");
    latex_words(out, c->title);
    text_add(out, ".}");
  }
  if (c->cite) {
    text_add(out, c->title ? " (" : "(");
    latex_words(out, c->cite);
    text_add(out, ".)");
  }
  if (c->title || c->cite)
    text_add(out, "\n");
}

static void add_size(text *out, const claim *c, const claim_size *s)
{
  text_add(out, "Let $");
  if (s->high) {
    latex_expression(out, c, s->low);
    text_add(out, " \\le ");
  }
  latex_name(out, s->name);
  text_add(out, s->high ? " \\le " : " \\ge ");
  latex_expression(out, c, s->high ? s->high : s->low);
  text_add(out, "$ be an integer.\n");
}

static void add_given(text *out, const claim *c, const claim_given *g, const claim_given_line *l)
{
  text_add(out, "Let $");
  latex_head(out, c, g->name, l->position, g->positions);
  text_add(out, " \\in ");
  if (!l->low && !l->high) {
    text_add(out, "\\mathbb{R}");
  } else {
    text_add(out, l->low_open ? "\\left(" : "\\left[");
    if (l->low)
      latex_expression(out, c, l->low);
    else
      text_add(out, "-\\infty");
    text_add(out, ", ");
    if (l->high)
      latex_expression(out, c, l->high);
    else
      text_add(out, "\\infty");
    text_add(out, l->high_open ? "\\right)" : "\\right]");
  }
  text ranges;
  text_init(&ranges);
  if (latex_ranges(&ranges, c, l->position, g->positions))
    text_addf(out, "$ for $%s", text_string(&ranges));
  text_clear(&ranges);
  text_add(out, "$.\n");
}

static void add_random(text *out, const claim *c, const claim_random *g, const claim_random_line *l)
{
  text_add(out, "Let $");
  latex_head(out, c, g->name, l->position, g->positions);
  text_add(out, " \\sim \\mathcal{N}(0, ");
  latex_expression(out, c, l->variance);
  text_add(out, ")");
  text ranges;
  text_init(&ranges);
  if (latex_ranges(&ranges, c, l->position, g->positions))
    text_addf(out, "$ for $%s", text_string(&ranges));
  text_clear(&ranges);
  text_add(out, "$, independent of all else.\n");
}

static void add_let(text *out, const claim *c, const claim_let *l, const claim_let_line *line)
{
  text_add(out, "  ");
  latex_head(out, c, l->name, line->position, l->positions);
  text_add(out, l->type == TYPE_TRUTH ? " &\\iff " : " &= ");
  latex_expression(out, c, line->body);
  text ranges;
  text_init(&ranges);
  if (latex_ranges(&ranges, c, line->position, l->positions))
    text_addf(out, " && (%s)", text_string(&ranges));
  text_clear(&ranges);
}

/* An outer `for all` goes behind, as papers write it. */
static void add_label(text *out, const claim *c, const claim_label *l)
{
  const node *body = l->body;
  bool outer = body->kind == NODE_FOLD && body->fold == FOLD_FORALL;
  text_add(out, "  \\item[(");
  latex_words(out, l->name);
  text_add(out, ")] $\\displaystyle ");
  latex_expression(out, c, outer ? body->child[0] : body);
  text_add(out, "$");
  if (outer) {
    text_add(out, " for all $");
    latex_ranges(out, c, body->range, body->ranges);
    text_add(out, "$");
  }
  text_add(out, "\n");
}

static void add_labels(text *out, const claim *c, label_kind kind, const char *heading)
{
  bool any = false;
  for (unsigned i = 0; i < c->labels; i++) {
    if (c->label[i].kind != kind)
      continue;
    if (!any)
      text_addf(out, "%s\n\\begin{itemize}\n", heading);
    add_label(out, c, &c->label[i]);
    any = true;
  }
  if (any)
    text_add(out, "\\end{itemize}\n");
}

/* Consecutive definitions share one display. */
static void add_definitions(text *out, const claim *c)
{
  bool display = false;
  for (unsigned g = 0, l = 0, e = 0; g < c->givens || l < c->lets || e < c->randoms;) {
    unsigned order_of_given = g < c->givens ? c->given[g].order : UINT_MAX;
    unsigned order_of_let = l < c->lets ? c->let[l].order : UINT_MAX;
    unsigned order_of_random = e < c->randoms ? c->random[e].order : UINT_MAX;
    if (order_of_random < order_of_let && order_of_random < order_of_given) {
      text_add(out, display ? "\n\\end{align*}\n" : "");
      display = false;
      for (unsigned k = 0; k < c->random[e].lines; k++)
        add_random(out, c, &c->random[e], &c->random[e].line[k]);
      e++;
      continue;
    }
    if (order_of_given < order_of_let) {
      text_add(out, display ? "\n\\end{align*}\n" : "");
      display = false;
      for (unsigned k = 0; k < c->given[g].lines; k++)
        add_given(out, c, &c->given[g], &c->given[g].line[k]);
      g++;
      continue;
    }
    for (unsigned k = 0; k < c->let[l].lines; k++) {
      text_add(out, display ? " \\\\\n" : "Define\n\\begin{align*}\n");
      display = true;
      add_let(out, c, &c->let[l], &c->let[l].line[k]);
    }
    l++;
  }
  text_add(out, display ? "\n\\end{align*}\n" : "");
}

void claim_print_latex(text *out, const claim *c)
{
  add_title(out, c);
  for (unsigned i = 0; i < c->sizes; i++)
    add_size(out, c, &c->size[i]);
  add_definitions(out, c);
  add_labels(out, c, LABEL_ASSUME, "Assume that");
  add_labels(out, c, LABEL_SHOW, "Then");
  add_labels(out, c, LABEL_POSSIBLE, "Is it possible, for each of these alone, that");
  add_labels(out, c, LABEL_TRIVIAL, "Without the theorem:");
}
