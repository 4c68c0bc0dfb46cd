/* The builder of tapes and the programs made from them. */
#include <check.h>
#include <stdlib.h>

#include "arith/arith.h"
#include "core/memory.h"
#include "tape/derivative.h"
#include "tape/tape.h"

static tape *t;
static tape_id x, y; /* inputs 0 and 1 */

static void set_up(void)
{
  t = tape_create(1 << 20);
  tape_truth(t, TRUTH_TRUE);
  x = tape_leaf(t, TAPE_INPUT, 0);
  y = tape_leaf(t, TAPE_INPUT, 1);
  for (uint32_t i = 0; i < 2; i++)
    tape_add_element(t, (tape_element){.name = memory_copy_string(i ? "y" : "x"),
                                       .op = i ? y : x,
                                       .low = TAPE_NONE,
                                       .high = TAPE_NONE});
}

static void tear_down(void)
{
  tape_destroy(t);
}

static tape_id rational(slong p, ulong q)
{
  fmpq_t v;
  fmpq_init(v);
  fmpq_set_si(v, p, q);
  tape_id id = tape_constant(t, v);
  fmpq_clear(v);
  return id;
}

static tape_id whole(int64_t v)
{
  return tape_integer(t, v);
}

static tape_id call(tape_opcode op, tape_id a)
{
  return tape_unary(t, op, a);
}

static tape_id with(tape_opcode op, tape_id a, tape_id b)
{
  return tape_binary(t, op, a, b);
}

static bool is(tape_id id, tape_opcode op)
{
  return t->op[id].op == op;
}

/* ---- simplification ---- */

/* Constants are worked out exactly. */
START_TEST(test_constants)
{
  tape_id a = rational(3, 4), b = rational(-2, 3);
  ck_assert_uint_eq(with(TAPE_ADD, a, b), rational(1, 12));
  ck_assert_uint_eq(with(TAPE_SUBTRACT, a, b), rational(17, 12));
  ck_assert_uint_eq(with(TAPE_MULTIPLY, a, b), rational(-1, 2));
  ck_assert_uint_eq(with(TAPE_DIVIDE, a, b), rational(-9, 8));
  ck_assert_uint_eq(with(TAPE_MIN, a, b), b);
  ck_assert_uint_eq(with(TAPE_MAX, a, b), a);
  ck_assert_uint_eq(with(TAPE_SPREAD, a, b), rational(17, 12));
  ck_assert_uint_eq(call(TAPE_NEGATE, a), rational(-3, 4));
  ck_assert_uint_eq(call(TAPE_ABS, b), rational(2, 3));
  ck_assert_uint_eq(call(TAPE_RELU, b), whole(0));
  ck_assert_uint_eq(call(TAPE_RELU, a), a);
  ck_assert_uint_eq(tape_power(t, b, 3), rational(-8, 27));
  ck_assert_uint_eq(tape_power(t, b, -2), rational(9, 4));
  ck_assert_uint_eq(tape_power(t, whole(0), 0), whole(1));
  ck_assert_uint_eq(with(TAPE_LESS, b, a), tape_truth(t, TRUTH_TRUE));
  ck_assert_uint_eq(with(TAPE_LESS, a, a), tape_truth(t, TRUTH_FALSE));
  ck_assert_uint_eq(with(TAPE_LESS_EQUAL, a, a), tape_truth(t, TRUTH_TRUE));
  ck_assert_uint_eq(with(TAPE_EQUAL, a, b), tape_truth(t, TRUTH_FALSE));
  /* far too large to be written out: it stays an operation */
  ck_assert(is(tape_power(t, a, 1000000), TAPE_POWER));
}
END_TEST

/* What is undefined stays so: no rule makes a number of it. */
START_TEST(test_undefined_stays)
{
  tape_id zero = whole(0), nothing = tape_leaf(t, TAPE_UNDEFINED, TAPE_NONE);
  ck_assert_uint_eq(with(TAPE_DIVIDE, x, zero), nothing);
  ck_assert_uint_eq(with(TAPE_DIVIDE, zero, zero), nothing);
  ck_assert_uint_eq(with(TAPE_MULTIPLY, zero, nothing), nothing);
  ck_assert_uint_eq(with(TAPE_SUBTRACT, nothing, nothing), nothing);
  ck_assert_uint_eq(with(TAPE_ADD, x, nothing), nothing);
  ck_assert_uint_eq(call(TAPE_EXP, nothing), nothing);
  ck_assert_uint_eq(call(TAPE_ZERO, nothing), nothing);
  ck_assert_uint_eq(tape_power(t, nothing, 0), nothing);
  ck_assert_uint_eq(tape_power(t, zero, -1), nothing);
  ck_assert_uint_eq(with(TAPE_EQUAL, nothing, nothing), tape_truth(t, TRUTH_UNDEFINED));
  ck_assert_uint_eq(with(TAPE_LESS, x, nothing), tape_truth(t, TRUTH_UNDEFINED));
  ck_assert_uint_eq(tape_select(t, TAPE_SELECT, tape_truth(t, TRUTH_UNDEFINED), x, x), nothing);

  /* where it is not known whether something is defined, only x/1 and the like fall away */
  tape_id log = call(TAPE_LOG, x), quotient = with(TAPE_DIVIDE, whole(1), x);
  ck_assert(!t->op[log].total && !t->op[quotient].total);
  tape_id none = with(TAPE_SUBTRACT, log, log);
  ck_assert(is(none, TAPE_ZERO) && t->op[none].a == log && !t->op[none].total);
  ck_assert(is(with(TAPE_MULTIPLY, zero, log), TAPE_MULTIPLY));
  ck_assert(is(with(TAPE_DIVIDE, zero, x), TAPE_DIVIDE));
  ck_assert(is(tape_power(t, quotient, 0), TAPE_POWER));
  tape_id reflexive = with(TAPE_LESS_EQUAL, log, log);
  ck_assert(is(reflexive, TAPE_DEFINED) && t->op[reflexive].a == log);
  ck_assert_uint_eq(with(TAPE_EQUAL, log, log), reflexive);
  tape_id never = with(TAPE_LESS, log, log);
  ck_assert(is(never, TAPE_NOT) && t->op[never].a == reflexive);
}
END_TEST

START_TEST(test_simplified)
{
  tape_id zero = whole(0), one = whole(1), always = tape_truth(t, TRUTH_TRUE),
          never = tape_truth(t, TRUTH_FALSE);
  ck_assert_uint_eq(with(TAPE_ADD, x, zero), x);
  ck_assert_uint_eq(with(TAPE_ADD, zero, x), x);
  ck_assert_uint_eq(with(TAPE_SUBTRACT, x, zero), x);
  ck_assert_uint_eq(with(TAPE_SUBTRACT, zero, x), call(TAPE_NEGATE, x));
  ck_assert_uint_eq(with(TAPE_MULTIPLY, one, x), x);
  ck_assert_uint_eq(with(TAPE_DIVIDE, x, one), x);
  ck_assert_uint_eq(call(TAPE_NEGATE, call(TAPE_NEGATE, x)), x);
  ck_assert_uint_eq(tape_power(t, x, 1), x);
  ck_assert_uint_eq(tape_power(t, x, 0), one);
  ck_assert_uint_eq(with(TAPE_SUBTRACT, x, x), zero);
  ck_assert_uint_eq(with(TAPE_MAX, x, x), x);
  ck_assert_uint_eq(with(TAPE_SPREAD, x, x), zero);
  ck_assert_uint_eq(with(TAPE_LESS_EQUAL, x, x), always);
  ck_assert_uint_eq(with(TAPE_LESS, x, x), never);

  tape_id p = with(TAPE_LESS, x, y), q = with(TAPE_LESS, y, x);
  ck_assert_uint_eq(with(TAPE_AND, always, p), p);
  ck_assert_uint_eq(with(TAPE_AND, p, always), p);
  ck_assert_uint_eq(with(TAPE_AND, never, p), never);
  ck_assert_uint_eq(with(TAPE_AND, p, p), p);
  ck_assert_uint_eq(with(TAPE_OR, never, p), p);
  ck_assert_uint_eq(with(TAPE_OR, always, p), always);
  ck_assert_uint_eq(call(TAPE_NOT, call(TAPE_NOT, p)), p);
  ck_assert_uint_eq(with(TAPE_IMPLIES, never, p), always);
  ck_assert_uint_eq(with(TAPE_IMPLIES, always, p), p);
  ck_assert_uint_eq(with(TAPE_AND, tape_truth(t, TRUTH_UNDEFINED), p), tape_truth(t, TRUTH_UNDEFINED));
  /* p and false is false only where p is defined: it stays */
  ck_assert(is(with(TAPE_AND, p, never), TAPE_AND));
  ck_assert_uint_eq(tape_select(t, TAPE_SELECT, always, x, y), x);
  ck_assert_uint_eq(tape_select(t, TAPE_SELECT, never, x, y), y);
  ck_assert_uint_eq(tape_select(t, TAPE_CHOOSE, always, p, q), p);
  /* on the boundary it has no derivative, so it is not x */
  ck_assert(is(tape_select(t, TAPE_SELECT, p, x, x), TAPE_SELECT));
}
END_TEST

/* Equal operations are one operation; sums and products in either order. */
/* Whether a and b are seen to be equal when they are compared. */
static bool same(tape_id a, tape_id b)
{
  tape_cancel_signs(t, &a, &b);
  return a == b;
}

/* -x and -y in every operation that a sign passes through, against the plain one. */
START_TEST(test_signs)
{
  tape_id minus_x = call(TAPE_NEGATE, x), minus_y = call(TAPE_NEGATE, y), product = with(TAPE_MULTIPLY, x, y);
  ck_assert(same(with(TAPE_MULTIPLY, minus_x, minus_y), product));
  ck_assert(same(with(TAPE_MULTIPLY, minus_x, y), call(TAPE_NEGATE, product)));
  ck_assert(same(with(TAPE_MULTIPLY, whole(-1), x), minus_x));
  ck_assert(same(with(TAPE_MULTIPLY, whole(-2), x), call(TAPE_NEGATE, with(TAPE_MULTIPLY, x, whole(2)))));
  ck_assert(same(with(TAPE_DIVIDE, minus_x, minus_y), with(TAPE_DIVIDE, x, y)));
  ck_assert(same(with(TAPE_DIVIDE, x, minus_y), call(TAPE_NEGATE, with(TAPE_DIVIDE, x, y))));
  ck_assert(same(with(TAPE_ADD, minus_x, minus_y), call(TAPE_NEGATE, with(TAPE_ADD, x, y))));
  ck_assert(same(with(TAPE_ADD, minus_x, y), with(TAPE_SUBTRACT, y, x)));
  ck_assert(same(with(TAPE_ADD, x, minus_y), with(TAPE_SUBTRACT, x, y)));
  ck_assert(same(with(TAPE_SUBTRACT, minus_x, minus_y), with(TAPE_SUBTRACT, y, x)));
  ck_assert(same(with(TAPE_SUBTRACT, x, minus_y), with(TAPE_ADD, x, y)));
  ck_assert(same(with(TAPE_SUBTRACT, minus_x, y), call(TAPE_NEGATE, with(TAPE_ADD, x, y))));
  ck_assert(same(call(TAPE_NEGATE, with(TAPE_SUBTRACT, x, y)), with(TAPE_SUBTRACT, y, x)));
  ck_assert(same(tape_power(t, minus_x, 4), tape_power(t, x, 4)));
  ck_assert(same(tape_power(t, minus_x, -3), call(TAPE_NEGATE, tape_power(t, x, -3))));
  ck_assert(same(call(TAPE_ABS, minus_x), call(TAPE_ABS, x)));
  ck_assert(same(call(TAPE_TANH, minus_x), call(TAPE_NEGATE, call(TAPE_TANH, x))));
  ck_assert(same(call(TAPE_EXP, with(TAPE_MULTIPLY, minus_x, minus_y)), call(TAPE_EXP, product)));
  ck_assert(!same(call(TAPE_EXP, minus_x), call(TAPE_EXP, x)));
  ck_assert(!same(with(TAPE_ADD, minus_x, y), with(TAPE_SUBTRACT, x, y)));
  ck_assert(!same(tape_power(t, minus_x, 3), tape_power(t, x, 3)));
  /* What cancels within one side: x exp(-x^2) + (-x) exp(-(-x)^2) is 0. */
  tape_id one = with(TAPE_MULTIPLY, x, call(TAPE_EXP, call(TAPE_NEGATE, tape_power(t, x, 2))));
  tape_id other = with(TAPE_MULTIPLY, minus_x, call(TAPE_EXP, call(TAPE_NEGATE, tape_power(t, minus_x, 2))));
  tape_id total = with(TAPE_ADD, one, other), zero = whole(0);
  tape_cancel_signs(t, &total, &zero);
  ck_assert(is(total, TAPE_ZERO) || is(total, TAPE_CONSTANT));
  /* Where nothing cancels, operations stay as they are; what is undefined stays so. */
  tape_id left = with(TAPE_MULTIPLY, minus_x, y), right = y;
  tape_cancel_signs(t, &left, &right);
  ck_assert_uint_eq(left, with(TAPE_MULTIPLY, minus_x, y));
  left = with(TAPE_DIVIDE, whole(1), minus_x), right = call(TAPE_NEGATE, with(TAPE_DIVIDE, whole(1), x));
  tape_cancel_signs(t, &left, &right);
  ck_assert(is(with(TAPE_EQUAL, left, right), TAPE_DEFINED));
}
END_TEST

START_TEST(test_shared)
{
  ck_assert_uint_eq(with(TAPE_ADD, x, y), with(TAPE_ADD, y, x));
  ck_assert_uint_eq(with(TAPE_MULTIPLY, x, y), with(TAPE_MULTIPLY, y, x));
  ck_assert_uint_eq(with(TAPE_EQUAL, x, y), with(TAPE_EQUAL, y, x));
  ck_assert_uint_ne(with(TAPE_SUBTRACT, x, y), with(TAPE_SUBTRACT, y, x));
  ck_assert_uint_ne(with(TAPE_MIN, x, y), with(TAPE_MAX, x, y));
  size_t before = t->ops, constants = t->constants;
  for (int i = 0; i < 3; i++) { /* past several growths of the table */
    for (slong k = 1; k <= 3000; k++)
      with(TAPE_MULTIPLY, with(TAPE_ADD, x, rational(k, 7)), y);
    if (i == 0) {
      ck_assert_uint_eq(t->constants, constants + 3000);
      ck_assert_uint_eq(t->ops, before + 9000);
    }
  }
  ck_assert_uint_eq(t->constants, constants + 3000);
  ck_assert_uint_eq(t->ops, before + 9000);
}
END_TEST

/* At its limit a tape is marked as full, and nothing that is asked of it does harm. */
START_TEST(test_full)
{
  tape *small = tape_create(20);
  tape_truth(small, TRUTH_TRUE);
  tape_id a = tape_leaf(small, TAPE_INPUT, 0);
  for (int i = 0; i < 50; i++)
    a = tape_binary(small, TAPE_MULTIPLY, tape_unary(small, TAPE_EXP, a), tape_integer(small, i + 2));
  ck_assert(small->full);
  ck_assert_uint_le(small->ops, 20);
  tape_power(small, a, 7);
  tape_select(small, TAPE_SELECT, a, a, a);
  ck_assert_uint_le(small->ops, 20);
  tape_destroy(small);
}
END_TEST

/* ---- programs ---- */

static slong value_of(const tape_program *p, size_t output, slong at_x, slong at_y)
{
  fmpq *input = memory_new(2, sizeof *input);
  fmpq_init(&input[0]);
  fmpq_init(&input[1]);
  fmpq_set_si(&input[0], at_x, 1);
  fmpq_set_si(&input[1], at_y, 1);
  exact_state *s = exact_create(p, 1 << 20);
  exact_run(s, input);
  fmpq_t v;
  fmpq_init(v);
  ck_assert_int_eq(exact_value(v, s, output), STATUS_OK);
  ck_assert(fmpz_is_one(fmpq_denref(v)) && fmpz_fits_si(fmpq_numref(v)));
  slong result = fmpz_get_si(fmpq_numref(v));
  fmpq_clear(v);
  exact_destroy(s);
  fmpq_clear(&input[0]);
  fmpq_clear(&input[1]);
  free(input);
  return result;
}

/* s_k = s_{k-1} x - y + k: a recurrence needs a handful of slots, however long it is. */
START_TEST(test_slots)
{
  tape_id s = whole(0);
  for (int k = 1; k <= 5000; k++)
    s = with(TAPE_ADD, with(TAPE_SUBTRACT, with(TAPE_MULTIPLY, s, x), y), whole(k));
  tape_id truth_of_it = with(TAPE_LESS, s, y);
  tape_id output[2] = {s, truth_of_it};
  tape_program *p = tape_compile(t, output, 2, 2, false);
  ck_assert_uint_ge(p->steps, 15000);
  ck_assert_uint_le(p->value_slots, 8);
  ck_assert_uint_le(p->truth_slots, 1);
  tape_program_destroy(p);

  s = x;
  for (int k = 1; k <= 5000; k++)
    s = with(TAPE_SUBTRACT, with(TAPE_MULTIPLY, s, y), x);
  p = tape_compile(t, &s, 1, 1, false);
  ck_assert_uint_le(p->value_slots, 6);
  ck_assert_int_eq(value_of(p, 0, 3, 1), 3 - 5000 * 3);
  tape_program *kept = tape_compile(t, &s, 1, 1, true);
  ck_assert_uint_eq(kept->value_slots, kept->steps);
  ck_assert_int_eq(value_of(kept, 0, 3, 1), 3 - 5000 * 3);
  tape_program_destroy(kept);
  tape_program_destroy(p);
}
END_TEST

/* What a step reads was written before, by the operation that it means, and is not overwritten before the end
 * if it is an output: followed by symbols, slot by slot. */
static void check_program(const tape_program *p)
{
  uint32_t slots[2] = {p->value_slots, p->truth_slots};
  tape_id *in[2] = {memory_new(slots[0] + 1, sizeof(tape_id)), memory_new(slots[1] + 1, sizeof(tape_id))};
  for (int kind = 0; kind < 2; kind++)
    for (uint32_t i = 0; i < slots[kind]; i++)
      in[kind][i] = TAPE_NONE;
  bool *written = memory_new(t->ops, sizeof *written);
  for (size_t k = 0; k < p->steps; k++) {
    const tape_step *s = &p->step[k];
    bool is_truth = tape_is_truth((tape_opcode)s->op);
    unsigned n = tape_operands((tape_opcode)s->op);
    uint32_t place[3] = {s->a, s->b, s->c};
    /* which operation of the tape is it? the one whose operands stand in these slots */
    tape_id found = TAPE_NONE;
    for (tape_id i = 0; i < t->ops && found == TAPE_NONE; i++) {
      const tape_op *o = &t->op[i];
      if (o->op != s->op || written[i])
        continue;
      tape_id operand[3] = {o->a, o->b, o->c};
      bool same = n || (o->a == s->a);
      if (o->op == TAPE_POWER)
        same = o->b == s->b;
      for (unsigned j = 0; j < n && same; j++)
        same = in[tape_is_truth((tape_opcode)t->op[operand[j]].op)][place[j]] == operand[j];
      if (same)
        found = i;
    }
    ck_assert_msg(found != TAPE_NONE, "step %zu reads what is no longer there", k);
    written[found] = true;
    ck_assert_uint_lt(s->target, slots[is_truth]);
    for (unsigned j = 0; j < n; j++) /* never in place */
      if (tape_is_truth(
              (tape_opcode)t->op[(tape_id[]){t->op[found].a, t->op[found].b, t->op[found].c}[j]].op) ==
          is_truth)
        ck_assert_uint_ne(place[j], s->target);
    in[is_truth][s->target] = found;
    if (k + 1 == p->first_phase)
      for (size_t i = 0; i < p->outputs; i++) /* the outputs of the first phase are there */
        if (i < 2)
          ck_assert_uint_eq(in[p->output[i].truth][p->output[i].slot], p->output[i].id);
  }
  for (size_t i = 0; i < p->outputs; i++)
    ck_assert_uint_eq(in[p->output[i].truth][p->output[i].slot], p->output[i].id);
  free(written);
  free(in[0]);
  free(in[1]);
}

static uint64_t draw(uint64_t *state, uint64_t n)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (*state >> 33) % n;
}

/* Random tapes of all operations: two outputs of the first phase, three of the second, some of them twice. */
START_TEST(test_programs)
{
  uint64_t state = (uint64_t)_i + 1;
  tape_id value[60], truths[60];
  size_t values = 0, conditions = 0;
  value[values++] = x;
  value[values++] = y;
  truths[conditions++] = with(TAPE_LESS, x, y);
  while (values < 60 && conditions < 60) {
    tape_id a = value[draw(&state, values)], b = value[draw(&state, values)],
            p = truths[draw(&state, conditions)], q = truths[draw(&state, conditions)];
    switch (draw(&state, 8)) {
    case 0:
      truths[conditions++] = with((tape_opcode)(TAPE_LESS + draw(&state, 3)), a, b);
      break;
    case 1:
      truths[conditions++] = with(draw(&state, 2) ? TAPE_AND : TAPE_OR, p, call(TAPE_NOT, q));
      break;
    case 2:
      truths[conditions++] = tape_select(t, TAPE_CHOOSE, p, q, with(TAPE_LESS, a, b));
      break;
    case 3:
      value[values++] = tape_select(t, TAPE_SELECT, p, a, b);
      break;
    case 4:
      value[values++] = tape_power(t, a, (int32_t)draw(&state, 9) - 4);
      break;
    case 5:
      value[values++] = call(draw(&state, 2) ? TAPE_EXP : TAPE_ABS, a);
      break;
    default:
      value[values++] = with((tape_opcode)(TAPE_ADD + draw(&state, 4)), a, b);
    }
  }
  tape_id output[5] = {truths[conditions / 2], value[values / 2], truths[conditions - 1], value[values - 1],
                       draw(&state, 2) ? value[values / 2] : x};
  for (int keep = 0; keep < 2; keep++) {
    tape_program *p = tape_compile(t, output, 5, 2, keep);
    check_program(p);
    tape_program *first = tape_compile(t, output, 2, 2, keep);
    ck_assert_uint_eq(p->first_phase, first->steps); /* no more than these two need */
    ck_assert_uint_eq(first->first_phase, first->steps);
    tape_program_destroy(first);
    tape_program_destroy(p);
  }
}
END_TEST

/* Nothing to compute, and the same output several times. */
START_TEST(test_odd_programs)
{
  tape_program *p = tape_compile(t, NULL, 0, 0, false);
  ck_assert_uint_eq(p->steps, 0);
  tape_program_destroy(p);
  tape_id square = with(TAPE_MULTIPLY, x, x), output[3] = {square, square, x};
  p = tape_compile(t, output, 3, 0, false);
  ck_assert_uint_eq(p->first_phase, 0);
  ck_assert_uint_eq(p->steps, 2);
  ck_assert_uint_eq(p->output[0].slot, p->output[1].slot);
  ck_assert_int_eq(value_of(p, 0, 5, 0), 25);
  ck_assert_int_eq(value_of(p, 2, 5, 0), 5);
  tape_program_destroy(p);
}
END_TEST

START_TEST(test_hypotheses)
{
  tape_id p = with(TAPE_LESS, x, y), q = with(TAPE_LESS, y, whole(3)), r = with(TAPE_EQUAL, x, whole(9));
  tape_add_label(t, (tape_label){.kind = TAPE_RANGE, .name = "x", .truth = p});
  tape_add_label(t, (tape_label){.kind = TAPE_SHOW, .name = "b", .truth = r});
  tape_add_label(t, (tape_label){.kind = TAPE_ASSUME, .name = "a", .truth = q});
  ck_assert_uint_eq(tape_hypotheses(t), with(TAPE_AND, p, q));
}
END_TEST

int main(void)
{
  Suite *suite = suite_create("tape");
  TCase *c = tcase_create("tape");
  tcase_add_checked_fixture(c, set_up, tear_down);
  tcase_add_test(c, test_constants);
  tcase_add_test(c, test_undefined_stays);
  tcase_add_test(c, test_simplified);
  tcase_add_test(c, test_signs);
  tcase_add_test(c, test_shared);
  tcase_add_test(c, test_full);
  tcase_add_test(c, test_slots);
  tcase_add_loop_test(c, test_programs, 0, 100);
  tcase_add_test(c, test_odd_programs);
  tcase_add_test(c, test_hypotheses);
  suite_add_tcase(suite, c);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
