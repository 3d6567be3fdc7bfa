/* The solver: see integer.h.
 *
 * A simplex with bounds on all variables, as in Dutertre and de Moura (2006): each row of the system is a variable too,
 * and at first the basic ones are the rows'. A line of the tableau says of a basic variable b that  scale * b = sum of
 * entry * nonbasic, in integers without a common divisor. Nonbasic variables are at whole values within their bounds; a
 * basic one outside its bounds leaves the basis, or its line is the contradiction. Bounds alone change from one branch
 * to the next, so that the tableau never has to go back. */
#include "approx/integer.h"

#include <string.h>

__extension__ typedef __int128 wide;

struct solver {
  struct mem *mem;
  const struct integer_system *system;
  integer_fits *fits;
  void *of;
  uint32_t columns, lines;       /* nonbasic and basic variables: as many as variables and rows */
  int64_t *entry;                /* lines * columns */
  int64_t *scale;                /* a line each, > 0 */
  int64_t *value;                /* of a nonbasic variable, a column each */
  wide *sum;                     /* of a line: scale * value */
  uint32_t *in_column, *in_line; /* which variable */
  int64_t *low, *high;           /* of each variable, rows after the others */
  int64_t *times, *x;            /* room for a contradiction, for a solution */
  wide *room;                    /* a line's */
  uint64_t most;
  struct integer_figures *figures;
  bool overflow;
};

void integer_open(struct integer_system *s, struct mem *m) { *s = (struct integer_system){.mem = m}; }

void integer_close(struct integer_system *s) {
  vec_free(s->mem, &s->variables);
  vec_free(s->mem, &s->rows);
  vec_free(s->mem, &s->terms);
}

uint32_t integer_variable(struct integer_system *s, int64_t low, int64_t high) {
  uint32_t v = (uint32_t)s->variables.count;
  vec_push(s->mem, &s->variables, ((struct integer_bound){v, low, high}));
  return v;
}

void integer_row(struct integer_system *s, int64_t low, int64_t high) {
  vec_push(s->mem, &s->rows, ((struct integer_row){(uint32_t)s->terms.count, 0, low, high}));
}

void integer_term(struct integer_system *s, uint32_t variable, int64_t times) {
  vec_push(s->mem, &s->terms, ((struct integer_term){variable, times}));
  s->rows.at[s->rows.count - 1].count++;
}

/* The tableau. */

static int64_t *line(struct solver *s, uint32_t r) { return s->entry + (size_t)r * s->columns; }

/* Entries are below 2^61 and values below 2^50, so that the sum of fewer than 2^15 products is a wide one. */
enum { COLUMNS_MOST = 1 << 15 };
#define VALUE_MOST ((int64_t)1 << 50)

static void sum_line(struct solver *s, uint32_t r) {
  const int64_t *e = line(s, r);
  wide sum = 0;
  for (uint32_t c = 0; c < s->columns; c++)
    if (s->value[c]) sum += (wide)e[c] * s->value[c];
  s->sum[r] = sum;
}

static void set_value(struct solver *s, uint32_t c, int64_t value) {
  if (value >= VALUE_MOST || value <= -VALUE_MOST) s->overflow = true;
  s->value[c] = s->overflow ? 0 : value;
}

static wide magnitude(wide a) { return a < 0 ? -a : a; }

static wide divisor(wide a, wide b) {
  a = magnitude(a);
  b = magnitude(b);
  if (a <= INT64_MAX && b <= INT64_MAX) { /* the usual case, in the machine's own division */
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    while (y) {
      uint64_t r = x % y;
      x = y;
      y = r;
    }
    return x;
  }
  while (b) {
    wide r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* Puts a line into the tableau without its common divisor. False if it does not fit. */
static bool keep_line(struct solver *s, uint32_t r, wide scale, const wide *from) {
  wide common = scale;
  for (uint32_t c = 0; c < s->columns && common != 1; c++)
    if (from[c]) common = divisor(common, from[c]);
  int64_t *e = line(s, r);
  bool good = scale / common <= INT64_MAX / 4;
  s->scale[r] = (int64_t)(scale / common);
  for (uint32_t c = 0; c < s->columns; c++) {
    wide x = common == 1 ? from[c] : from[c] / common;
    good &= magnitude(x) <= INT64_MAX / 4;
    e[c] = (int64_t)x;
  }
  return good;
}

/* The line's variable and the column's change places; the one that leaves the basis gets the value. */
static void pivot(struct solver *s, uint32_t r, uint32_t c, int64_t value) {
  int64_t *e = line(s, r), sign = e[c] > 0 ? 1 : -1, scale = sign * e[c];
  for (uint32_t j = 0; j < s->columns; j++) e[j] *= -sign;
  e[c] = sign * s->scale[r];
  s->scale[r] = scale;
  for (uint32_t i = 0; i < s->lines && !s->overflow; i++) {
    int64_t *o = line(s, i), times = o[c];
    if (i == r || !times) continue;
    if (scale == 1 && s->scale[i] == 1 &&
        magnitude(times) < 1 << 20) { /* nothing can have become large: the usual case */
      int64_t largest = 0;
      o[c] = 0;
      for (uint32_t j = 0; j < s->columns; j++) {
        int64_t size = e[j] < 0 ? -e[j] : e[j];
        if (size > largest) largest = size;
        size = o[j] < 0 ? -o[j] : o[j];
        if (size > largest) largest = size;
      }
      if (largest < (int64_t)1 << 40) {
        for (uint32_t j = 0; j < s->columns; j++) o[j] += times * e[j];
        continue;
      }
    }
    o[c] = 0;
    for (uint32_t j = 0; j < s->columns; j++) s->room[j] = (wide)o[j] * scale + (wide)times * e[j];
    if (!keep_line(s, i, (wide)s->scale[i] * scale, s->room)) s->overflow = true;
  }
  uint32_t leaves = s->in_line[r];
  s->in_line[r] = s->in_column[c];
  s->in_column[c] = leaves;
  set_value(s, c, value);
  for (uint32_t j = 0; j < s->columns; j++) s->room[j] = e[j];
  if (!keep_line(s, r, s->scale[r], s->room)) s->overflow = true;
  for (uint32_t i = 0; i < s->lines && !s->overflow; i++) sum_line(s, i);
  s->figures->pivots++;
  s->figures->work += (uint64_t)s->lines * s->columns;
}

/* -1: below its lower bound; 1: above the upper one. */
static int outside(const struct solver *s, uint32_t r) {
  uint32_t v = s->in_line[r];
  if (s->low[v] != -INTEGER_NO_BOUND && s->sum[r] < (wide)s->low[v] * s->scale[r]) return -1;
  return s->high[v] != INTEGER_NO_BOUND && s->sum[r] > (wide)s->high[v] * s->scale[r] ? 1 : 0;
}

/* Can the column's variable move so that the sum of the line goes down (1) or up (-1)? */
static bool can_help(const struct solver *s, int64_t entry, uint32_t c, int too) {
  uint32_t v = s->in_column[c];
  if (!entry) return false;
  bool up = (entry > 0) == (too < 0);
  return up ? s->value[c] < s->high[v] : s->value[c] > s->low[v];
}

/* The line as a sum over all variables that is 0 always. */
static void line_times(struct solver *s, uint32_t r) {
  memset(s->times, 0, (s->columns + s->lines) * sizeof *s->times);
  s->times[s->in_line[r]] = -s->scale[r];
  for (uint32_t c = 0; c < s->columns; c++) s->times[s->in_column[c]] = line(s, r)[c];
}

static enum integer_answer contradiction(struct solver *s, uint32_t r) {
  line_times(s, r);
  if (integer_contradiction(s->system, s->low, s->high, s->times)) return INTEGER_NO;
  s->figures->unproved++;
  return INTEGER_UNKNOWN;
}

/* Bland's rule, the least variable first, never comes back to a basis. */
static enum integer_answer simplex(struct solver *s) {
  for (;;) {
    if (s->overflow || s->figures->work > s->most) return INTEGER_UNKNOWN;
    uint32_t r = UINT32_MAX, c = UINT32_MAX;
    int too = 0;
    for (uint32_t i = 0; i < s->lines; i++) {
      int o = outside(s, i);
      if (o && (r == UINT32_MAX || s->in_line[i] < s->in_line[r])) r = i, too = o;
    }
    if (r == UINT32_MAX) return INTEGER_YES;
    for (uint32_t j = 0; j < s->columns; j++)
      if (can_help(s, line(s, r)[j], j, too) && (c == UINT32_MAX || s->in_column[j] < s->in_column[c])) c = j;
    if (c == UINT32_MAX) return contradiction(s, r);
    pivot(s, r, c, too < 0 ? s->low[s->in_line[r]] : s->high[s->in_line[r]]);
  }
}

/* Branching. */

/* Nonbasic variables within their bounds again, after these have changed. False if there is nothing between them. */
static bool settle(struct solver *s) {
  for (uint32_t v = 0; v < s->columns + s->lines; v++)
    if (s->low[v] > s->high[v]) return false;
  for (uint32_t c = 0; c < s->columns; c++) {
    uint32_t v = s->in_column[c];
    if (s->value[c] < s->low[v]) set_value(s, c, s->low[v]);
    if (s->value[c] > s->high[v]) set_value(s, c, s->high[v]);
  }
  for (uint32_t i = 0; i < s->lines && !s->overflow; i++) sum_line(s, i);
  s->figures->work += (uint64_t)s->lines * s->columns;
  return true;
}

/* A line whose variables that are not fixed have a common divisor that the others do not have together. */
static bool indivisible(struct solver *s, uint32_t r) {
  const int64_t *e = line(s, r);
  wide common = s->low[s->in_line[r]] == s->high[s->in_line[r]] ? 0 : s->scale[r];
  for (uint32_t c = 0; c < s->columns && common != 1; c++)
    if (e[c] && s->low[s->in_column[c]] != s->high[s->in_column[c]]) common = divisor(common, e[c]);
  if (common == 1) return false;
  line_times(s, r);
  return integer_contradiction(s->system, s->low, s->high, s->times);
}

static enum integer_answer search(struct solver *, unsigned depth);

/* One alternative: its bounds, the search with them, and the bounds as they were. */
static enum integer_answer try_bounds(struct solver *s, const struct integer_bound *bounds, size_t count,
                                      unsigned depth) {
  struct integer_bound *old = mem_alloc(s->mem, (count + 1) * sizeof *old);
  for (size_t i = 0; i < count; i++) {
    uint32_t v = bounds[i].variable;
    old[i] = (struct integer_bound){v, s->low[v], s->high[v]};
    if (bounds[i].low > s->low[v]) s->low[v] = bounds[i].low;
    if (bounds[i].high < s->high[v]) s->high[v] = bounds[i].high;
  }
  enum integer_answer answer = settle(s) ? search(s, depth + 1) : INTEGER_NO;
  for (size_t i = count; i-- > 0;) {
    s->low[old[i].variable] = old[i].low;
    s->high[old[i].variable] = old[i].high;
  }
  mem_free(s->mem, old);
  return answer;
}

static enum integer_answer whole(struct solver *s, uint32_t r, unsigned depth) {
  uint32_t v = s->in_line[r];
  wide below = s->sum[r] / s->scale[r];
  if (below * s->scale[r] > s->sum[r]) below--;
  if (magnitude(below) >= INT64_MAX / 4) return INTEGER_UNKNOWN;
  struct integer_bound down = {v, -INTEGER_NO_BOUND, (int64_t)below}, up = {v, (int64_t)below + 1, INTEGER_NO_BOUND};
  enum integer_answer first = try_bounds(s, &down, 1, depth);
  if (first == INTEGER_YES) return first;
  enum integer_answer second = try_bounds(s, &up, 1, depth);
  return second == INTEGER_NO ? first : second;
}

static enum integer_answer accept(struct solver *s, unsigned depth) {
  for (uint32_t c = 0; c < s->columns; c++)
    if (s->in_column[c] < s->columns) s->x[s->in_column[c]] = s->value[c];
  for (uint32_t r = 0; r < s->lines; r++) {
    if (s->in_line[r] >= s->columns) continue;
    wide x = s->sum[r] / s->scale[r];
    if (magnitude(x) >= INT64_MAX / 4) return INTEGER_UNKNOWN;
    s->x[s->in_line[r]] = (int64_t)x;
  }
  if (!integer_is_solution(s->system, s->x)) {
    s->figures->unproved++;
    return INTEGER_UNKNOWN;
  }
  struct integer_split split = {.mem = s->mem};
  if (!s->fits || s->fits(s->of, s->x, &split)) return INTEGER_YES;
  enum integer_answer answer = INTEGER_NO;
  for (size_t i = 0, from = 0; i < split.ends.count && answer != INTEGER_YES; from = split.ends.at[i++]) {
    enum integer_answer next = try_bounds(s, split.bounds.at + from, split.ends.at[i] - from, depth);
    if (next != INTEGER_NO) answer = next;
  }
  vec_free(s->mem, &split.bounds);
  vec_free(s->mem, &split.ends);
  return answer;
}

static enum integer_answer search(struct solver *s, unsigned depth) {
  s->figures->nodes++;
  enum integer_answer answer = simplex(s);
  if (answer != INTEGER_YES) return answer;
  if (depth > 500) return INTEGER_UNKNOWN;
  for (uint32_t r = 0; r < s->lines; r++)
    if (s->sum[r] % s->scale[r] && indivisible(s, r)) return INTEGER_NO;
  for (uint32_t r = 0; r < s->lines; r++)
    if (s->sum[r] % s->scale[r]) return whole(s, r, depth);
  return accept(s, depth);
}

static void build(struct solver *s) {
  const struct integer_system *y = s->system;
  uint32_t n = s->columns = (uint32_t)y->variables.count, m = s->lines = (uint32_t)y->rows.count;
  s->entry = mem_zero(s->mem, (size_t)n * m + 1, sizeof *s->entry);
  s->scale = mem_zero(s->mem, m + 1, sizeof *s->scale);
  s->value = mem_zero(s->mem, n + 1, sizeof *s->value);
  s->sum = mem_zero(s->mem, m + 1, sizeof *s->sum);
  s->in_column = mem_zero(s->mem, n + 1, sizeof *s->in_column);
  s->in_line = mem_zero(s->mem, m + 1, sizeof *s->in_line);
  s->low = mem_zero(s->mem, n + m + 1, sizeof *s->low);
  s->high = mem_zero(s->mem, n + m + 1, sizeof *s->high);
  s->times = mem_zero(s->mem, n + m + 1, sizeof *s->times);
  s->x = mem_zero(s->mem, n + 1, sizeof *s->x);
  s->room = mem_zero(s->mem, n + 1, sizeof *s->room);
  for (uint32_t v = 0; v < n; v++) {
    s->in_column[v] = v;
    s->low[v] = y->variables.at[v].low;
    s->high[v] = y->variables.at[v].high;
    set_value(s, v, s->low[v]);
  }
  for (uint32_t r = 0; r < m; r++) {
    const struct integer_row *row = &y->rows.at[r];
    for (uint32_t i = 0; i < row->count; i++)
      line(s, r)[y->terms.at[row->first + i].variable] += y->terms.at[row->first + i].times;
    s->scale[r] = 1;
    s->in_line[r] = n + r;
    s->low[n + r] = row->low;
    s->high[n + r] = row->high;
  }
}

enum integer_answer integer_solve(struct mem *m, const struct integer_system *system, integer_fits *fits, void *of,
                                  uint64_t most, int64_t *solution, struct integer_figures *figures) {
  struct integer_figures none = {0};
  struct solver s = {.mem = m, .system = system, .fits = fits, .of = of, .figures = figures ? figures : &none};
  s.most = s.figures->work + most;
  if (system->variables.count >= COLUMNS_MOST) return INTEGER_UNKNOWN;
  build(&s);
  enum integer_answer answer = settle(&s) ? search(&s, 0) : INTEGER_NO;
  if (answer == INTEGER_YES && solution) memcpy(solution, s.x, s.columns * sizeof *solution);
  return answer;
}
