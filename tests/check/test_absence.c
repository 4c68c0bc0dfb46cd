/* Linear inequalities: rows follow from what they come from, points lie where they should, contradictions add up; and for
 * claims whose truth is plain, by hand, which of the two there is. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "check/absence.h"
#include "check/simplex.h"
#include "core/memory.h"
#include "core/philox.h"

typedef struct {
  diag *d;
  diag_source *file;
  library *l;
  audit_options options;
  search s;
  linear_system rows;
} made;

/* The rows of the hypotheses of a claim without sizes, and of its target number `target`. */
static void open_claim(made *m, const char *body, int target)
{
  text t;
  text_init(&t);
  text_addf(&t, "claim probe\n%s\nend\n", body);
  m->d = diag_create(NULL, 5);
  m->file = diag_source_from("probe.claim", text_string(&t), t.length);
  m->l = library_read_source(m->d, m->file, 0);
  ck_assert_msg(m->l != NULL, "%s%s", text_string(&t), diag_text(m->d));
  m->options = audit_options_default();
  m->options.threads = 1;
  ck_assert(search_create(&m->s, m->d, library_claim(m->l, 0), &m->options));
  ck_assert(absence_rows(&m->rows, &m->s.at[0], target));
  text_clear(&t);
}

static void close_claim(made *m)
{
  linear_clear(&m->rows);
  search_clear(&m->s);
  library_destroy(m->l);
  diag_source_destroy(m->file);
  diag_destroy(m->d);
}

/* ---- claims ---- */

static const struct {
  const char *body;
  char truth;    /* 'c': a contradiction, 'p': a point, '?': neither can be had by linear rows alone */
  unsigned rows; /* how many the hypotheses give; 0: whatever */
} claims[] = {
    {"given x in (0, 1]\n assume a: 1 + x <= 1\n show b: x > 0", 'c', 3},
    {"given x in [0, 1]\n assume a: 1 + x <= 1\n show b: x > 0", 'p', 3},
    {"given x in real\n given y in real\n assume a: x < y\n assume b: y < x\n show c: x = 0", 'c', 2},
    {"given x in real\n given y in real\n assume a: x <= y\n assume b: y <= x\n show c: x = 0", 'p', 2},
    {"given x in real\n assume a: 3*x = 1 and x != 1\n assume b: x > 1/3\n show c: x = 0", 'c', 2},
    {"given x in real\n assume a: 3*x = 1\n assume b: x >= 1/3\n show c: x = 0", 'p', 2},
    {"given x in real\n given y in real\n assume a: abs(x - y) <= 1/3\n assume b: x - y > 1/3\n show c: x = 0", 'c', 3},
    {"given x in real\n given y in real\n assume a: abs(x - y) >= 1/3\n assume b: x = y\n show c: x = 0", '?', 1},
    {"given x[i in 1..4] in real\n assume a: max(i in 1..4: x[i]) <= 0\n assume b: sum(i in 1..4: x[i]) > 0\n show c: x[1] = 0",
     'c', 5},
    {"given x[i in 1..4] in real\n assume a: min(i in 1..4: x[i]) > 1\n assume b: sum(i in 1..4: x[i]) <= 4\n show c: x[1] = 0",
     'c', 5},
    {"given x in real\n assume a: relu(x) + 2*abs(x - 1) <= 1/2\n assume b: x > 3/4\n show c: x = 0", 'c', 0},
    {"given x in real\n assume a: not (x < 1 or x > 0)\n show c: x = 0", 'c', 2},
    {"given x in real\n assume a: not (x < 1 and x > 0)\n assume b: 0 < x < 1\n show c: x = 0", '?', 2},
    {"given x in real\n assume a: x < 0 or x > 1\n assume b: 0 <= x <= 1\n show c: x = 0", '?', 2},
    {"given x in real\n assume a: x*x - x*x + x > 0 and (x - 1)/4 < -1/4\n show c: x = 0", 'c', 2},
    {"given x in real\n assume a: exp(x) + x - exp(x) > 0\n assume b: x/2 <= 0\n show c: x = 0", 'c', 2},
    {"given x in real\n assume a: 1 > 2\n show c: x = 0", 'c', 1},
    {"given x in real\n given y in real\n assume a: x = abs(y)\n assume b: y > x\n show c: x = 0", 'c', 0},
    /* no double tells these apart */
    {"given x in real\n assume a: x > 1\n assume b: x < 1 + 1/10^40\n show c: x = 0", 'p', 2},
    {"given x in real\n assume a: x > 1 + 1/10^40\n assume b: x < 1\n show c: x = 0", 'c', 2},
};

START_TEST(test_claims)
{
  made m;
  open_claim(&m, claims[_i].body, ABSENCE_OF_INSTANCES);
  size_t elements = m.s.at[0].g.plain->elements;
  if (claims[_i].rows)
    ck_assert_msg(m.rows.rows == claims[_i].rows, "%s: %zu rows", claims[_i].body, m.rows.rows);
  fmpq *multiplier = stage_new_values(m.rows.rows), *value = stage_new_values(elements);
  bool contradiction = simplex_contradict(multiplier, &m.rows);
  bool point = simplex_find_point(value, elements, &m.rows);
  ck_assert_msg(contradiction == (claims[_i].truth == 'c'), "%s", claims[_i].body);
  ck_assert_msg(claims[_i].truth == '?' || point == (claims[_i].truth == 'p'), "%s", claims[_i].body);
  if (contradiction) { /* and not with one multiplier less, or with a sign changed */
    for (size_t i = 0; i < m.rows.rows; i++) {
      if (fmpq_is_zero(&multiplier[i]))
        continue;
      fmpq_t kept;
      fmpq_init(kept);
      fmpq_swap(kept, &multiplier[i]);
      ck_assert(!simplex_is_contradiction(&m.rows, multiplier));
      fmpq_neg(&multiplier[i], kept);
      ck_assert(!simplex_is_contradiction(&m.rows, multiplier) || m.rows.rows == 1);
      fmpq_swap(kept, &multiplier[i]);
      fmpq_neg(&multiplier[i], &multiplier[i]);
      fmpq_clear(kept);
    }
  }
  stage_free_values(multiplier, m.rows.rows);
  stage_free_values(value, elements);
  close_claim(&m);
}
END_TEST

/* A `possible` line is asked with the hypotheses, each for itself. */
START_TEST(test_questions)
{
  static const char body[] = "given x in [0, 1]\n assume a: x > 1/2\n possible b: x < 1/2\n possible c: x < 2/3";
  made m;
  for (int target = 0; target < 2; target++) {
    open_claim(&m, body, target);
    fmpq *multiplier = stage_new_values(m.rows.rows);
    ck_assert_int_eq(simplex_contradict(multiplier, &m.rows), target == 0);
    stage_free_values(multiplier, m.rows.rows);
    close_claim(&m);
  }
}
END_TEST

/* ---- random systems ---- */

enum { ELEMENTS = 6, ROUNDS = 300 };

static void random_number(fmpq_t q, philox_stream *r)
{
  fmpq_set_si(q, (slong)philox_below(r, 21) - 10, 1 + philox_below(r, 9));
}

/* Rows that a point drawn beforehand meets are met by the point found and contradicted by nothing; once the last row is
 * turned around, with rows that pin the point down, there is a contradiction. */
START_TEST(test_random)
{
  philox_stream r = philox_stream_start(7, 11, (uint64_t)_i, 0);
  linear_system s;
  linear_init(&s);
  size_t rows = 3 + philox_below(&r, 12);
  fmpq *point = stage_new_values(ELEMENTS), *value = stage_new_values(ELEMENTS), *multiplier = stage_new_values(rows);
  for (size_t e = 0; e < ELEMENTS; e++)
    random_number(&point[e], &r);
  s.row = memory_new(rows, sizeof *s.row);
  s.rows = s.capacity = rows;
  fmpq_t term;
  fmpq_init(term);
  for (size_t i = 0; i < rows; i++) {
    linear_row *row = &s.row[i];
    row->terms = ELEMENTS;
    row->element = memory_new(ELEMENTS, sizeof *row->element);
    row->coefficient = stage_new_values(ELEMENTS);
    fmpq_init(row->right);
    for (uint32_t e = 0; e < ELEMENTS; e++) {
      row->element[e] = e;
      random_number(&row->coefficient[e], &r);
      fmpq_addmul(row->right, &row->coefficient[e], &point[e]);
    }
    row->relation = (linear_relation)philox_below(&r, 3);
    if (row->relation != LINEAR_EQUAL) { /* room, or for <= perhaps none */
      fmpq_set_si(term, (slong)philox_below(&r, 3) + (row->relation == LINEAR_LESS), 1000);
      fmpq_add(row->right, row->right, term);
    }
  }
  ck_assert(simplex_is_met(&s, point));
  ck_assert(!simplex_contradict(multiplier, &s));
  ck_assert(simplex_find_point(value, ELEMENTS, &s));
  ck_assert(simplex_is_met(&s, value));
  /* the sum of the first rows, reversed and strict */
  linear_row *last = &s.row[rows - 1];
  for (size_t e = 0; e <= ELEMENTS; e++) {
    fmpq *at = e < ELEMENTS ? &last->coefficient[e] : last->right;
    fmpq_zero(at);
    for (size_t i = 0; i + 1 < rows; i++)
      fmpq_sub(at, at, e < ELEMENTS ? &s.row[i].coefficient[e] : s.row[i].right);
  }
  last->relation = LINEAR_LESS;
  ck_assert(simplex_contradict(multiplier, &s));
  ck_assert(!simplex_find_point(value, ELEMENTS, &s));
  last->relation = LINEAR_LESS_EQUAL; /* it then takes another strict row */
  for (size_t i = 0; i + 1 < rows; i++)
    if (s.row[i].relation == LINEAR_LESS) {
      ck_assert(simplex_contradict(multiplier, &s));
      break;
    }
  fmpq_clear(term);
  stage_free_values(point, ELEMENTS);
  stage_free_values(value, ELEMENTS);
  stage_free_values(multiplier, rows);
  linear_clear(&s);
}
END_TEST

int main(void)
{
  Suite *s = suite_create("absence");
  TCase *c = tcase_create("absence");
  tcase_add_loop_test(c, test_claims, 0, sizeof claims / sizeof claims[0]);
  tcase_add_test(c, test_questions);
  tcase_add_loop_test(c, test_random, 0, ROUNDS);
  suite_add_tcase(s, c);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
