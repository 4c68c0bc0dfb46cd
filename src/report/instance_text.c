/* Sizes and instances in short, for tables. */
#include "report/instance_text.h"

#include <stdlib.h>
#include <string.h>

#include "report/decimal.h"
#include "report/formula_text.h"

enum { SHORT_NUMBER = 40, ENCLOSURE_DIGITS = 12, ENCLOSURE_BITS = 128 };

void sizes_print(text *out, const claim *c, const int64_t *sizes)
{
  for (unsigned i = 0; i < c->sizes; i++)
    text_addf(out, "%s%s = %lld", i ? ", " : "", c->size[i].name, (long long)sizes[i]);
}

void number_print(text *out, const fmpq_t x, size_t most)
{
  /* Three bits are less than a digit, so what has more than 4 bits for each character need not be tried. */
  size_t bits = fmpz_bits(fmpq_numref(x)) + fmpz_bits(fmpq_denref(x));
  char *exact = bits <= 4 * most ? fmpq_get_str(NULL, 10, x) : NULL;
  if (exact && strlen(exact) <= most)
    text_add(out, exact);
  else {
    arb_t ball;
    arb_init(ball);
    arb_set_fmpq(ball, x, ENCLOSURE_BITS);
    char *shown = decimal_ball(ball, ENCLOSURE_DIGITS);
    text_add(out, shown);
    free(shown);
    arb_clear(ball);
  }
  if (exact)
    flint_free(exact);
}

static size_t base_length(const char *name)
{
  return strcspn(name, "[");
}

static bool same_base(const char *a, const char *b)
{
  size_t n = base_length(a);
  return n == base_length(b) && !strncmp(a, b, n);
}

/* Elements first..last of one given. */
static void print_family(text *out, const check_instance *i, size_t first, size_t last)
{
  const char *from = i->name[first], *to = i->name[last];
  size_t n = base_length(from);
  bool single = from[n] == '[' && !strchr(from, ',') && to[n] == '[';
  if (first == last)
    text_add(out, from);
  else if (single)
    text_addf(out, "%.*s..%s", (int)strlen(from) - 1, from, to + n + 1);
  else
    text_addf(out, "%s..%s", from, to);
  text_add(out, " = ");
  bool equal = true;
  for (size_t e = first + 1; e <= last; e++)
    equal = equal && fmpq_equal(&i->value[first], &i->value[e]);
  for (size_t e = first; e <= (equal ? first : last); e++) {
    if (e > first)
      text_add(out, ", ");
    number_print(out, &i->value[e], SHORT_NUMBER);
  }
}

void instance_print_short(text *out, const check_instance *i)
{
  for (size_t first = 0; first < i->elements;) {
    size_t last = first;
    while (last + 1 < i->elements && same_base(i->name[first], i->name[last + 1]))
      last++;
    if (first)
      text_add(out, "; ");
    print_family(out, i, first, last);
    first = last + 1;
  }
}

void witness_print_broken(text *out, const check_witness *w)
{
  text_add(out, w->label);
  formula_print_indices(out, w->indices, (const char *const *)w->index_name, w->index_value);
  if (w->left && w->right && w->relation)
    text_addf(out, ": %s %s %s", w->left, w->relation, w->right);
}
