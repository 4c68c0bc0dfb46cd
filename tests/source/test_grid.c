/* The exhaustive source: every combination of each element's values, each once. */
#include <check.h>
#include <stdlib.h>

#include "core/memory.h"
#include "source/grid.h"
#include "tape_of.h"

typedef struct {
  size_t elements, count;
  fmpq *value; /* count rows of `elements` */
} table;

static table table_of(const grid *g, const tape *t)
{
  table r = {.elements = t->elements, .count = grid_count(g)};
  r.value = memory_new(r.elements * r.count, sizeof *r.value);
  for (size_t i = 0; i < r.elements * r.count; i++)
    fmpq_init(&r.value[i]);
  for (size_t i = 0; i < r.count; i++)
    grid_fill(g, r.value + i * r.elements, i);
  return r;
}

static void table_clear(table *r)
{
  for (size_t i = 0; i < r->elements * r->count; i++)
    fmpq_clear(&r->value[i]);
  free(r->value);
}

static size_t row_elements;

static int by_row(const void *a, const void *b)
{
  const fmpq *x = a, *y = b;
  for (size_t e = 0; e < row_elements; e++) {
    int c = fmpq_cmp(&x[e], &y[e]);
    if (c)
      return c;
  }
  return 0;
}

static size_t distinct_rows(const table *r)
{
  fmpq *copy = memory_new(r->elements * r->count, sizeof *copy); /* shallow: only the order changes */
  memcpy(copy, r->value, r->elements * r->count * sizeof *copy);
  row_elements = r->elements;
  qsort(copy, r->count, r->elements * sizeof *copy, by_row);
  size_t n = r->count > 0;
  for (size_t i = 1; i < r->count; i++)
    n += by_row(copy + (i - 1) * r->elements, copy + i * r->elements) != 0;
  free(copy);
  return n;
}

static size_t distinct_values(const table *r, size_t e)
{
  size_t n = 0;
  for (size_t i = 0; i < r->count; i++) {
    bool seen = false;
    for (size_t j = 0; j < i && !seen; j++)
      seen = fmpq_equal(&r->value[i * r->elements + e], &r->value[j * r->elements + e]);
    n += !seen;
  }
  return n;
}

static bool takes(const table *r, size_t e, slong p, ulong q)
{
  fmpq_t x;
  fmpq_init(x);
  fmpq_set_si(x, p, q);
  bool found = false;
  for (size_t i = 0; i < r->count && !found; i++)
    found = fmpq_equal(&r->value[i * r->elements + e], x);
  fmpq_clear(x);
  return found;
}

static const char *const three = "claim three\n"
                                 "  given a in [0, 1]  given b in (0, 2]  given c in real\n"
                                 "  show nothing: a <= 1\n"
                                 "end\n";

/* As many rows as the product of the numbers of values, all different: so each combination once. */
static void check_product(const char *claim_text, int64_t size, uint64_t limit)
{
  claim_tape c = tape_of(claim_text, size);
  grid *g = grid_create(c.t, limit);
  ck_assert_ptr_nonnull(g);
  ck_assert_uint_le(grid_count(g), limit);
  table r = table_of(g, c.t);
  size_t product = 1;
  for (size_t e = 0; e < r.elements; e++) {
    size_t n = distinct_values(&r, e);
    ck_assert_uint_le(n, grid_width(g));
    product *= n;
  }
  ck_assert_uint_eq(product, r.count);
  ck_assert_uint_eq(distinct_rows(&r), r.count);
  table_clear(&r);
  grid_destroy(g);
  tape_of_clear(&c);
}

START_TEST(test_each_once)
{
  static const uint64_t limits[] = {8, 26, 27, 100, 1000, 2000};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
    check_product(three, 0, limits[i]);
  check_product("claim many\n  size T >= 1\n  given x[t in 1..T] in (-1, 1)\n"
                "  show nothing: x[1] < 1\nend\n",
                8, 7000);
}
END_TEST

START_TEST(test_inside)
{
  claim_tape c = tape_of(three, 0);
  grid *g = grid_create(c.t, 1000);
  table r = table_of(g, c.t);
  fmpq_t one, two;
  fmpq_init(one);
  fmpq_init(two);
  fmpq_set_si(one, 1, 1);
  fmpq_set_si(two, 2, 1);
  for (size_t i = 0; i < r.count; i++) {
    const fmpq *x = r.value + i * 3;
    ck_assert(fmpq_sgn(&x[0]) >= 0 && fmpq_cmp(&x[0], one) <= 0);
    ck_assert(fmpq_sgn(&x[1]) > 0 && fmpq_cmp(&x[1], two) <= 0);
  }
  /* closed ends, the simplest numbers inside */
  ck_assert(takes(&r, 0, 0, 1) && takes(&r, 0, 1, 1) && takes(&r, 0, 1, 2));
  ck_assert(takes(&r, 1, 2, 1) && takes(&r, 1, 1, 1) && takes(&r, 1, 1, 2));
  ck_assert(takes(&r, 2, 0, 1) && takes(&r, 2, 1, 1) && takes(&r, 2, -1, 1));
  fmpq_clear(one);
  fmpq_clear(two);
  table_clear(&r);
  grid_destroy(g);
  tape_of_clear(&c);
}
END_TEST

/* The finest grid that fits: one more value each would pass the limit. */
START_TEST(test_finest)
{
  claim_tape c = tape_of("claim plain\n  given a in real  given b in real\n  show nothing: a = a\nend\n", 0);
  static const struct {
    uint64_t limit;
    unsigned width;
  } cases[] = {{4, 2}, {8, 2}, {9, 3}, {24, 4}, {25, 5}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    grid *g = grid_create(c.t, cases[i].limit);
    ck_assert_ptr_nonnull(g);
    ck_assert_uint_eq(grid_width(g), cases[i].width);
    ck_assert_uint_eq(grid_count(g), (uint64_t)cases[i].width * cases[i].width);
    grid_destroy(g);
  }
  ck_assert_ptr_null(grid_create(c.t, 3));
  tape_of_clear(&c);
}
END_TEST

START_TEST(test_solved_and_empty)
{
  claim_tape c = tape_of("claim solved\n  given a in [0, 1]  given b in real\n  assume tied: a + b = 1\n"
                         "  show nothing: a <= 1\nend\n",
                         0);
  grid *g = grid_create(c.t, 100);
  ck_assert_ptr_nonnull(g);
  table r = table_of(g, c.t);
  size_t solved = tape_is_drawn(c.t, 1) ? 0 : 1;
  ck_assert_uint_eq(distinct_values(&r, solved), 1);
  ck_assert(fmpq_is_zero(&r.value[solved]));
  ck_assert_uint_eq(distinct_rows(&r), r.count);
  table_clear(&r);
  grid_destroy(g);
  tape_of_clear(&c);
  c = tape_of("claim nothing\n  size T >= 1\n  show true: T <= T\nend\n", 1);
  ck_assert_ptr_null(grid_create(c.t, 100));
  tape_of_clear(&c);
}
END_TEST

/* a x = a with a = 0: x is solved for, but its solution a/a does not exist and anything will do. */
START_TEST(test_left_free)
{
  claim_tape c = tape_of("claim free\n  given a in [0, 0]  given x in real  given y in real\n"
                         "  assume tied: a*x = a\n  assume same: y = x\n  show nothing: a <= 1\nend\n",
                         0);
  ck_assert(tape_is_drawn(c.t, 0) && !tape_is_drawn(c.t, 1) && !tape_is_drawn(c.t, 2));
  grid *g = grid_create(c.t, 1000);
  ck_assert_ptr_nonnull(g);
  table r = table_of(g, c.t);
  ck_assert_uint_eq(r.count, 256);
  ck_assert_uint_eq(distinct_values(&r, 0), 1);
  ck_assert_uint_eq(distinct_values(&r, 1), 16);
  ck_assert_uint_eq(distinct_rows(&r), r.count);
  table_clear(&r);
  grid_destroy(g);
  tape_of_clear(&c);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("grid");
  TCase *c = tcase_create("grid");
  tcase_add_test(c, test_each_once);
  tcase_add_test(c, test_inside);
  tcase_add_test(c, test_finest);
  tcase_add_test(c, test_solved_and_empty);
  tcase_add_test(c, test_left_free);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
