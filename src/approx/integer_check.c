/* What the solver says, checked: see integer.h. */
#include "approx/integer.h"

__extension__ typedef __int128 wide;

/* a + x * y, or false if that may be too large. */
static bool add_product(wide *a, int64_t x, int64_t y) {
  wide p = (wide)x * y;
  const wide most = (wide)1 << 126;
  if (p > most || p < -most || *a > most || *a < -most) return false;
  *a += p;
  return true;
}

/* With each row taken apart into its variables, nothing is left. */
static bool vanishes(const struct integer_system *s, const int64_t *times) {
  size_t n = s->variables.count;
  wide *sum = mem_zero(s->mem, n + 1, sizeof *sum);
  bool good = true;
  for (size_t v = 0; v < n; v++) sum[v] = times[v];
  for (size_t r = 0; r < s->rows.count; r++)
    for (uint32_t i = 0; i < s->rows.at[r].count && times[n + r]; i++) {
      const struct integer_term *t = &s->terms.at[s->rows.at[r].first + i];
      good &= add_product(&sum[t->variable], times[n + r], t->times);
    }
  for (size_t v = 0; v < n; v++) good &= sum[v] == 0;
  mem_free(s->mem, sum);
  return good;
}

/* The greatest the sum can be is below 0; with sign -1, the least is above 0. */
static bool bounds_exclude(const int64_t *low, const int64_t *high, const int64_t *times, size_t count, int sign) {
  wide most = 0;
  for (size_t v = 0; v < count; v++) {
    int64_t t = sign * times[v];
    if (!t) continue;
    int64_t bound = t > 0 ? high[v] : low[v];
    if (bound == INTEGER_NO_BOUND || bound == -INTEGER_NO_BOUND || !add_product(&most, t, bound)) return false;
  }
  return most < 0;
}

static wide divisor(wide a, wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b) {
    wide r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/* What is not fixed is a multiple of a number that what is fixed is not. */
static bool divisor_excludes(const int64_t *low, const int64_t *high, const int64_t *times, size_t count) {
  wide fixed = 0, common = 0;
  for (size_t v = 0; v < count; v++) {
    if (!times[v]) continue;
    if (low[v] != high[v])
      common = divisor(common, times[v]);
    else if (!add_product(&fixed, times[v], low[v]))
      return false;
  }
  return common ? fixed % common != 0 : fixed != 0;
}

bool integer_contradiction(const struct integer_system *s, const int64_t *low, const int64_t *high,
                           const int64_t *times) {
  size_t count = s->variables.count + s->rows.count;
  if (!vanishes(s, times)) return false;
  return bounds_exclude(low, high, times, count, 1) || bounds_exclude(low, high, times, count, -1) ||
         divisor_excludes(low, high, times, count);
}

bool integer_is_solution(const struct integer_system *s, const int64_t *x) {
  for (size_t v = 0; v < s->variables.count; v++)
    if (x[v] < s->variables.at[v].low || x[v] > s->variables.at[v].high) return false;
  for (size_t r = 0; r < s->rows.count; r++) {
    const struct integer_row *row = &s->rows.at[r];
    wide sum = 0;
    for (uint32_t i = 0; i < row->count; i++) {
      const struct integer_term *t = &s->terms.at[row->first + i];
      if (!add_product(&sum, t->times, x[t->variable])) return false;
    }
    if ((row->low != -INTEGER_NO_BOUND && sum < row->low) || (row->high != INTEGER_NO_BOUND && sum > row->high))
      return false;
  }
  return true;
}
