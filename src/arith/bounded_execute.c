/* The interpreter of a plan: one step after the other, each for LANES instances at once. */
#include "arith/bounded_truths.h"
#include "arith/bounded_values.h"
#include "core/target.h"

TARGET_VECTOR static void bounded_execute_steps(bounded_state *s, size_t from, size_t to)
{
  const bounded_step *t = s->plan->step + from, *end = s->plan->step + to;
  const bounded_list_entry *list = s->plan->list;
  const double *low = s->floor;
  for (; t != end; t++) {
    switch ((bounded_opcode)t->op) {
    case STEP_NEGATE:
    case STEP_ABS:
    case STEP_RELU:
      exact_unary_step(t);
      break;
    case STEP_MIN:
    case STEP_MAX:
      extremum_step(t, list + t->list);
      break;
    case STEP_CHECK:
      check_step(s, t, list + t->list);
      break;
    case STEP_EXACT_ADD:
      exact_sum_step(t, low, true);
      break;
    case STEP_EXACT_SUBTRACT:
      exact_sum_step(t, low, false);
      break;
    case STEP_ADD:
    case STEP_SUBTRACT:
    case STEP_MULTIPLY:
    case STEP_MULTIPLY_ADD:
    case STEP_MULTIPLY_SUBTRACT:
    case STEP_SUBTRACT_MULTIPLY:
    case STEP_MULTIPLY_MULTIPLY_ADD:
    case STEP_MULTIPLY_MULTIPLY_SUBTRACT:
    case STEP_MAGNITUDE_MIN:
    case STEP_MAGNITUDE_MAX:
      magnitude_step(t, low);
      break;
    case STEP_MAGNITUDE_NEGATE:
    case STEP_MAGNITUDE_ABS:
    case STEP_MAGNITUDE_RELU:
      magnitude_unary_step(t);
      break;
    case STEP_GENERAL:
      bounded_general(t);
      break;
    case STEP_COMPARE_EXACT:
    case STEP_COMPARE_SUM:
    case STEP_COMPARE:
    case STEP_AND_COMPARE_EXACT:
    case STEP_AND_COMPARE_SUM:
    case STEP_AND_COMPARE:
      compare_step(t);
      break;
    case STEP_AND_LIST:
      list_step(t, list + t->list);
      break;
    case STEP_AND_TRUTH:
      EACH_VECTOR(i)
      accumulate(t->target, i, load_masks(t->operand[0].v, t->operand[0].m, i), t->first, t->defined);
      break;
    case STEP_DEFINED:
      defined_step(t);
      break;
    case STEP_CONNECTIVE:
      connective_step(t);
      break;
    }
  }
}

/* A function that the machine's instruction set picks cannot be called from another file with every
 * compiler. */
void bounded_execute(bounded_state *s, size_t from, size_t to)
{
  bounded_execute_steps(s, from, to);
}
