/* Linear inequalities by GLPK and FLINT. */
#include "check/simplex.h"

#include <glpk.h>
#include <stdlib.h>

#include "core/memory.h"
#include "core/rational.h"

/* Past these the exact solution would take too long. */
enum { MOST_UNKNOWNS = 4000, MOST_BASIS = 400, MOST_PIVOTS = 50000 };

/* What GLPK is given; the exact numbers may be greater. */
static const double greatest = 1e100;

/* ---- a linear program with exact coefficients ---- */

typedef struct {
  int row, column; /* from 1, as GLPK counts */
  const fmpq *value;
} entry;

typedef struct {
  glp_prob *lp;
  size_t entries, capacity;
  entry *entry;
} program;

static void program_init(program *p)
{
  glp_term_out(GLP_OFF);
  *p = (program){.lp = glp_create_prob()};
}

static void program_clear(program *p)
{
  glp_delete_prob(p->lp);
  glp_free_env();
  free(p->entry);
}

static int add_column(program *p, int kind, double low, double high, double cost)
{
  int j = glp_add_cols(p->lp, 1);
  glp_set_col_bnds(p->lp, j, kind, low, high);
  glp_set_obj_coef(p->lp, j, cost);
  return j;
}

static int add_row(program *p, int kind, double bound)
{
  int i = glp_add_rows(p->lp, 1);
  glp_set_row_bnds(p->lp, i, kind, bound, bound);
  return i;
}

/* The value must outlive the program. */
static void add_entry(program *p, int row, int column, const fmpq *value)
{
  if (p->entries == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 64;
    p->entry = memory_resize(p->entry, p->capacity, sizeof *p->entry);
  }
  p->entry[p->entries++] = (entry){row, column, value};
}

/* False when there is no feasible basis, as far as doubles can tell. */
static bool run_glpk(program *p)
{
  int *row = memory_new(p->entries + 1, sizeof *row), *column = memory_new(p->entries + 1, sizeof *column);
  double *value = memory_new(p->entries + 1, sizeof *value);
  int n = 0;
  for (size_t i = 0; i < p->entries; i++) {
    double x = rational_near_double(p->entry[i].value);
    if (x == 0 || x > greatest || x < -greatest)
      continue;
    n++;
    row[n] = p->entry[i].row;
    column[n] = p->entry[i].column;
    value[n] = x;
  }
  glp_load_matrix(p->lp, n, row, column, value);
  free(row);
  free(column);
  free(value);
  glp_smcp how;
  glp_init_smcp(&how);
  how.msg_lev = GLP_MSG_OFF;
  how.it_lim = MOST_PIVOTS;
  how.presolve = GLP_OFF; /* it would leave no basis */
  glp_scale_prob(p->lp, GLP_SF_AUTO);
  glp_adv_basis(p->lp, 0);
  return !glp_simplex(p->lp, &how) && glp_get_prim_stat(p->lp) == GLP_FEAS;
}

/* x[j - 1] for each column j: those out of the basis at their bound, the others such that each row out of the basis equals
 * right[row - 1], exactly. */
static bool solve_basis(fmpq *x, const program *p, const fmpq *right)
{
  int rows = glp_get_num_rows(p->lp), columns = glp_get_num_cols(p->lp);
  int *place = memory_new((size_t)columns + 1, sizeof *place), *line = memory_new((size_t)rows + 1, sizeof *line);
  slong unknowns = 0, equations = 0;
  for (int j = 1; j <= columns; j++) {
    int status = glp_get_col_stat(p->lp, j);
    place[j] = status == GLP_BS ? (int)unknowns++ : -1;
    fmpq_set_si(&x[j - 1], status == GLP_NL   ? (slong)glp_get_col_lb(p->lp, j)
                           : status == GLP_NU ? (slong)glp_get_col_ub(p->lp, j)
                                              : 0, 1);
  }
  for (int i = 1; i <= rows; i++)
    line[i] = glp_get_row_stat(p->lp, i) == GLP_BS ? -1 : (int)equations++;
  bool fine = unknowns == equations && unknowns <= MOST_BASIS;
  if (fine && unknowns > 0) {
    fmpq_mat_t m, b, solution;
    fmpq_mat_init(m, unknowns, unknowns);
    fmpq_mat_init(b, unknowns, 1);
    fmpq_mat_init(solution, unknowns, 1);
    for (int i = 1; i <= rows; i++)
      if (line[i] >= 0)
        fmpq_set(fmpq_mat_entry(b, line[i], 0), &right[i - 1]);
    for (size_t k = 0; k < p->entries; k++) {
      const entry *e = &p->entry[k];
      if (line[e->row] < 0)
        continue;
      if (place[e->column] >= 0)
        fmpq_set(fmpq_mat_entry(m, line[e->row], place[e->column]), e->value);
      else
        fmpq_submul(fmpq_mat_entry(b, line[e->row], 0), e->value, &x[e->column - 1]);
    }
    fine = fmpq_mat_solve(solution, m, b);
    for (int j = 1; j <= columns && fine; j++)
      if (place[j] >= 0)
        fmpq_set(&x[j - 1], fmpq_mat_entry(solution, place[j], 0));
    fmpq_mat_clear(m);
    fmpq_mat_clear(b);
    fmpq_mat_clear(solution);
  }
  free(place);
  free(line);
  return fine;
}

static fmpq *new_numbers(size_t n)
{
  fmpq *x = memory_new(n, sizeof *x);
  for (size_t i = 0; i < n; i++)
    fmpq_init(&x[i]);
  return x;
}

static void free_numbers(fmpq *x, size_t n)
{
  for (size_t i = 0; i < n; i++)
    fmpq_clear(&x[i]);
  free(x);
}

/* place[e]: which of the elements that occur in some row element e is, from 1; 0: it does not occur. */
static int number_elements(int *place, size_t elements, const linear_system *s)
{
  int count = 0;
  for (size_t e = 0; e < elements; e++)
    place[e] = 0;
  for (size_t i = 0; i < s->rows; i++)
    for (size_t k = 0; k < s->row[i].terms; k++)
      if (!place[s->row[i].element[k]])
        place[s->row[i].element[k]] = ++count;
  return count;
}

static size_t elements_of(const linear_system *s)
{
  size_t elements = 0;
  for (size_t i = 0; i < s->rows; i++)
    for (size_t k = 0; k < s->row[i].terms; k++)
      if (s->row[i].element[k] >= elements)
        elements = s->row[i].element[k] + 1;
  return elements;
}

/* ---- contradictions ---- */

bool simplex_is_contradiction(const linear_system *s, const fmpq *multiplier)
{
  size_t elements = elements_of(s);
  fmpq *sum = new_numbers(elements + 1), *right = &sum[elements];
  bool fine = true, strict = false;
  for (size_t i = 0; i < s->rows; i++) {
    const linear_row *r = &s->row[i];
    fine = fine && (r->relation == LINEAR_EQUAL || fmpq_sgn(&multiplier[i]) >= 0);
    strict = strict || (r->relation == LINEAR_LESS && fmpq_sgn(&multiplier[i]) > 0);
    for (size_t k = 0; k < r->terms; k++)
      fmpq_addmul(&sum[r->element[k]], &multiplier[i], &r->coefficient[k]);
    fmpq_addmul(right, &multiplier[i], r->right);
  }
  for (size_t e = 0; e < elements; e++)
    fine = fine && fmpq_is_zero(&sum[e]);
  fine = fine && (fmpq_sgn(right) < 0 || (strict && fmpq_is_zero(right)));
  free_numbers(sum, elements + 1);
  return fine;
}

/* Times what makes them integers without a common divisor. */
static void make_primitive(fmpq *x, size_t n)
{
  fmpz_t lcm, gcd;
  fmpz_init(lcm);
  fmpz_init(gcd);
  fmpz_one(lcm);
  for (size_t i = 0; i < n; i++) {
    fmpz_lcm(lcm, lcm, fmpq_denref(&x[i]));
    fmpz_gcd(gcd, gcd, fmpq_numref(&x[i]));
  }
  for (size_t i = 0; i < n && !fmpz_is_zero(gcd); i++) {
    fmpq_mul_fmpz(&x[i], &x[i], lcm);
    fmpq_div_fmpz(&x[i], &x[i], gcd);
  }
  fmpz_clear(lcm);
  fmpz_clear(gcd);
}

/* The multipliers y are the unknowns: the coefficients of each element cancel; right sides add up to b <= 0; and the
 * multipliers of strict rows add up to 1 + b, which only fixes the scale: both being 0 would be no contradiction. The sum of
 * all is made small, which leaves few that are not 0. */
bool simplex_contradict(fmpq *multiplier, const linear_system *s)
{
  size_t elements = elements_of(s);
  int *place = memory_new(elements, sizeof *place);
  int used = number_elements(place, elements, s);
  if (s->rows > MOST_UNKNOWNS || used > MOST_UNKNOWNS) {
    free(place);
    return false;
  }
  program p;
  program_init(&p);
  glp_set_obj_dir(p.lp, GLP_MIN);
  fmpq *scale = new_numbers(s->rows), *right = new_numbers((size_t)used + 2);
  for (int e = 0; e < used; e++)
    add_row(&p, GLP_FX, 0);
  int sides = add_row(&p, GLP_UP, 0), unit = add_row(&p, GLP_FX, 1);
  fmpq_one(&right[unit - 1]);
  for (size_t i = 0; i < s->rows; i++) {
    const linear_row *r = &s->row[i];
    bool equal = r->relation == LINEAR_EQUAL;
    int column = add_column(&p, equal ? GLP_FR : GLP_LO, 0, 0, equal ? 0 : 1);
    for (size_t k = 0; k < r->terms; k++)
      add_entry(&p, place[r->element[k]], column, &r->coefficient[k]);
    add_entry(&p, sides, column, r->right);
    fmpq_neg(&scale[i], r->right);
    if (r->relation == LINEAR_LESS)
      fmpq_add_si(&scale[i], &scale[i], 1);
    add_entry(&p, unit, column, &scale[i]);
  }
  bool found = run_glpk(&p) && solve_basis(multiplier, &p, right);
  if (found) {
    make_primitive(multiplier, s->rows);
    found = simplex_is_contradiction(s, multiplier);
  }
  free_numbers(scale, s->rows);
  free_numbers(right, (size_t)used + 2);
  program_clear(&p);
  free(place);
  return found;
}

/* ---- points ---- */

bool simplex_is_met(const linear_system *s, const fmpq *value)
{
  bool met = true;
  fmpq_t sum;
  fmpq_init(sum);
  for (size_t i = 0; i < s->rows && met; i++) {
    const linear_row *r = &s->row[i];
    fmpq_zero(sum);
    for (size_t k = 0; k < r->terms; k++)
      fmpq_addmul(sum, &r->coefficient[k], &value[r->element[k]]);
    int order = fmpq_cmp(sum, r->right);
    met = r->relation == LINEAR_EQUAL ? order == 0 : r->relation == LINEAR_LESS ? order < 0 : order <= 0;
  }
  fmpq_clear(sum);
  return met;
}

/* Room between the sides, at most 1, is made large: in every inequality, or in the strict ones alone. */
static bool find_point(fmpq *value, size_t elements, const linear_system *s, bool strict_only)
{
  int *place = memory_new(elements, sizeof *place);
  int used = number_elements(place, elements, s);
  program p;
  program_init(&p);
  bool fine = true;
  glp_set_obj_dir(p.lp, GLP_MAX);
  fmpq *right = new_numbers(s->rows), *x = new_numbers((size_t)used + 1);
  fmpq_t one;
  fmpq_init(one);
  fmpq_one(one);
  for (int e = 0; e < used; e++)
    add_column(&p, GLP_FR, 0, 0, 0);
  int room = add_column(&p, GLP_DB, 0, 1, 1);
  for (size_t i = 0; i < s->rows; i++) {
    const linear_row *r = &s->row[i];
    double side = rational_near_double(r->right);
    fine = fine && side <= greatest && side >= -greatest;
    int row = add_row(&p, r->relation == LINEAR_EQUAL ? GLP_FX : GLP_UP, fine ? side : 0);
    fmpq_set(&right[i], r->right);
    for (size_t k = 0; k < r->terms; k++)
      add_entry(&p, row, place[r->element[k]], &r->coefficient[k]);
    if (strict_only ? r->relation == LINEAR_LESS : r->relation != LINEAR_EQUAL)
      add_entry(&p, row, room, one);
  }
  bool found = fine && run_glpk(&p) && solve_basis(x, &p, right);
  for (size_t e = 0; e < elements && found; e++)
    if (place[e])
      fmpq_set(&value[e], &x[place[e] - 1]);
    else
      fmpq_zero(&value[e]);
  found = found && simplex_is_met(s, value);
  fmpq_clear(one);
  free_numbers(right, s->rows);
  free_numbers(x, (size_t)used + 1);
  program_clear(&p);
  free(place);
  return found;
}

bool simplex_find_point(fmpq *value, size_t elements, const linear_system *s)
{
  if (!s->rows || s->rows > MOST_UNKNOWNS || elements > MOST_UNKNOWNS)
    return false;
  return find_point(value, elements, s, false) || find_point(value, elements, s, true);
}
