/* Systems of linear equations and inequalities over the integers, decided exactly.
 *
 * Bounds on variables, bounds on sums of them, and conditions that are looked at only when a solution breaks one
 * (integer_fits). A simplex over the rationals in integers that do not overflow, branching where a value is not whole.
 * The answer is right or INTEGER_UNKNOWN: a solution has been put into the system, and every contradiction has been
 * checked by code that knows nothing of how it was found (integer_check.c). */
#ifndef ASIF_APPROX_INTEGER_H
#define ASIF_APPROX_INTEGER_H

#include <stdbool.h>

#include "base/mem.h"

#define INTEGER_NO_BOUND \
  INT64_MAX /* as an upper bound; lower bounds are always given, but for rows (-INTEGER_NO_BOUND) */

enum integer_answer { INTEGER_NO, INTEGER_YES, INTEGER_UNKNOWN };

struct integer_bound {
  uint32_t variable;
  int64_t low, high;
};
struct integer_term {
  uint32_t variable;
  int64_t times;
};
struct integer_row { /* low <= sum of the terms <= high */
  uint32_t first, count;
  int64_t low, high;
};
struct integer_system {
  struct mem *mem;
  VEC(struct integer_bound) variables; /* each with its own number */
  VEC(struct integer_row) rows;
  VEC(struct integer_term) terms;
};
void integer_open(struct integer_system *, struct mem *);
void integer_close(struct integer_system *);
uint32_t integer_variable(struct integer_system *, int64_t low, int64_t high);
/* A row gets the terms that follow. A variable may come twice. */
void integer_row(struct integer_system *, int64_t low, int64_t high);
void integer_term(struct integer_system *, uint32_t variable, int64_t times);

/* Alternatives: bounds that one of them adds. Together they lose no solution, and none of them allows the one that was
 * asked about. */
struct integer_split {
  struct mem *mem;
  VEC(struct integer_bound) bounds;
  VEC(size_t) ends; /* of each alternative's bounds */
};
/* Is the solution one? If not, the alternatives to go on with. */
typedef bool integer_fits(void *of, const int64_t *x, struct integer_split *);

struct integer_figures {
  uint64_t pivots, nodes, work;
  uint64_t unproved; /* contradictions that the check did not confirm: always 0 unless there is a mistake */
};
/* solution: a number for each variable, or NULL. most: entries of the tableau that may be computed. What it takes from
 * mem it leaves to its owner. */
enum integer_answer integer_solve(struct mem *, const struct integer_system *, integer_fits *, void *of, uint64_t most,
                                  int64_t *solution, struct integer_figures *);

/* integer_check.c: does the sum of times[v] * v, over the variables and then the rows, vanish for all values of the
 * variables, and do the bounds (of variables, then rows) contradict that it does? Or, if whole, does a common divisor?
 */
bool integer_contradiction(const struct integer_system *, const int64_t *low, const int64_t *high,
                           const int64_t *times);
bool integer_is_solution(const struct integer_system *, const int64_t *x);

#endif
