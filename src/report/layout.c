/* Where operations go in a small picture: the terminal's timeline and the SVG share it.
 *
 * Time runs in columns of one character. What matters is the order of calls, returns and linearization points, so
 * they are swept in that order, each put in the first column that is right of the one before and leaves room for
 * what its bar has to say: |--Deq() -> 5--*--|. */
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"

enum { NAME_MOST = 14, LABEL_MOST = 30 };

static const char *cut(struct mem *m, struct text *from, int most, int *columns) {
  struct text t;
  text_open(&t, m);
  put_short(&t, text_string(from), from->count, most);
  *columns = text_columns(text_string(&t), t.count);
  const char *kept = mem_string(m, text_string(&t), t.count);
  mem_free(m, t.at);
  mem_free(m, from->at);
  return kept;
}

/* The operations to draw, by call. Of a core that is too large, those that end at the culprit. */
static void choose(struct layout *l, struct mem *m, const struct report *r, size_t most) {
  const struct check_result *c = r->result;
  l->from_core = c->verdict == VERDICT_VIOLATED && c->core_count;
  size_t count = l->from_core ? c->core_count : r->history->ops.count, first = 0;
  if (count > most && l->from_core) {
    size_t last = count;
    for (size_t i = 0; i < count; i++)
      if (c->core[i] == c->culprit) last = i + 1;
    first = last > most ? last - most : 0;
  }
  l->bar_count = count > most ? most : count;
  l->hidden = count - l->bar_count;
  l->bars = mem_zero(m, l->bar_count + 1, sizeof *l->bars);
  for (size_t i = 0; i < l->bar_count; i++) {
    struct bar *b = &l->bars[i];
    b->op = l->from_core ? c->core[first + i] : (uint32_t)(first + i);
    b->open = is_open(r, b->op);
    b->culprit = c->verdict == VERDICT_VIOLATED && b->op == c->culprit;
    b->point = -1;
    struct text label;
    text_open(&label, m);
    if (b->open && c->core_forgets)
      put_call(&label, r, &r->history->ops.at[b->op]);
    else
      put_label(&label, r, &r->history->ops.at[b->op]);
    b->label = cut(m, &label, LABEL_MOST, &b->label_columns);
  }
}

struct sorting {
  struct row row;
  const char *whole; /* name, not cut */
};

static int by_name(const void *a, const void *b) {
  const struct sorting *x = a, *y = b;
  if (x->row.process == y->row.process) return x->row.lane - y->row.lane;
  int c = strverscmp(x->whole, y->whole);
  return c ? c : x->row.process < y->row.process ? -1 : 1;
}

/* A row for each process, and more where its operations overlap (a format that does not say who called). */
static void make_rows(struct layout *l, struct mem *m, const struct report *r) {
  VEC(struct sorting) rows = {0};
  VEC(uint32_t) busy = {0}; /* a row: the event after which it is free */
  const struct op *ops = r->history->ops.at;
  for (size_t i = 0; i < l->bar_count; i++) {
    const struct op *o = &ops[l->bars[i].op];
    size_t k;
    int lane = 0;
    for (k = 0; k < rows.count; k++) {
      if (rows.at[k].row.process != o->process) continue;
      if (busy.at[k] < o->call) break;
      lane++;
    }
    if (k == rows.count) {
      struct text name;
      text_open(&name, m);
      put_process(&name, r, o->process);
      struct sorting s = {.row = {.process = o->process, .lane = lane},
                          .whole = names_at(r->history->processes, o->process)};
      s.row.name = cut(m, &name, NAME_MOST, &s.row.name_columns);
      vec_push(m, &rows, s);
      vec_push(m, &busy, 0);
    }
    busy.at[k] = o->ret;
    l->bars[i].row = (int)k;
  }
  size_t *at = mem_alloc(m, (rows.count + 1) * sizeof *at);
  struct sorting *sorted = mem_alloc(m, (rows.count + 1) * sizeof *sorted);
  if (rows.count) memcpy(sorted, rows.at, rows.count * sizeof *sorted);
  qsort(sorted, rows.count, sizeof *sorted, by_name);
  l->rows = mem_zero(m, rows.count + 1, sizeof *l->rows);
  l->row_count = (int)rows.count;
  for (size_t i = 0; i < rows.count; i++) {
    l->rows[i] = sorted[i].row;
    for (size_t k = 0; k < rows.count; k++)
      if (rows.at[k].row.process == sorted[i].row.process && rows.at[k].row.lane == sorted[i].row.lane) at[k] = i;
  }
  for (size_t i = 0; i < l->bar_count; i++) l->bars[i].row = (int)at[l->bars[i].row];
}

enum kind { CALL, POINT, RETURN };
struct moment {
  uint64_t at; /* event << 32; a point in the gap after event g is g << 32 | place in the order + 1 */
  uint32_t bar;
  enum kind kind;
};

static int by_moment(const void *a, const void *b) {
  const struct moment *x = a, *y = b;
  return x->at < y->at ? -1 : x->at > y->at;
}

static int most_of(int a, int b) { return a > b ? a : b; }

static void sweep(struct layout *l, struct mem *m, const struct moment *at, size_t n) {
  int *row_end = mem_alloc(m, ((size_t)l->row_count + 1) * sizeof *row_end), x = -1;
  for (int i = 0; i < l->row_count; i++) row_end[i] = -2;
  for (size_t i = 0; i < n; i++) {
    struct bar *b = &l->bars[at[i].bar];
    int said = b->from + 3 + b->label_columns; /* first column after |--label */
    switch (at[i].kind) {
    case CALL:
      b->from = x = most_of(x + 1, row_end[b->row] + 2);
      b->label_at = x + 3;
      break;
    case POINT: b->point = x = most_of(x + 1, said + 1); break;
    case RETURN:
      b->to = x = most_of(x + 1, b->point < 0 ? said + 2 : b->point + 2);
      row_end[b->row] = x;
      break;
    }
  }
  l->columns = x + 1;
  for (size_t i = 0; i < l->bar_count; i++)
    if (l->bars[i].open)
      l->columns =
          most_of(l->columns, most_of(l->bars[i].label_at + l->bars[i].label_columns + 3, l->bars[i].point + 4));
  for (size_t i = 0; i < l->bar_count; i++)
    if (l->bars[i].open) l->bars[i].to = l->columns - 1;
}

void layout_make(struct layout *l, struct mem *m, const struct report *r, size_t most_bars) {
  *l = (struct layout){0};
  choose(l, m, r, most_bars);
  make_rows(l, m, r);
  const struct check_result *c = r->result;
  struct moment *at = mem_alloc(m, (l->bar_count * 3 + 1) * sizeof *at);
  size_t n = 0;
  for (size_t i = 0; i < l->bar_count; i++) {
    const struct op *o = &r->history->ops.at[l->bars[i].op];
    at[n++] = (struct moment){(uint64_t)o->call << 32, (uint32_t)i, CALL};
    if (!l->bars[i].open) at[n++] = (struct moment){(uint64_t)o->ret << 32, (uint32_t)i, RETURN};
  }
  /* Without a core the bars are operations 0, 1, ..: an operation's index is its bar's. */
  for (size_t i = 0; c->verdict == VERDICT_HOLDS && i < c->order_count; i++)
    if (c->order[i] < l->bar_count) at[n++] = (struct moment){((uint64_t)c->gap[i] << 32) + i + 1, c->order[i], POINT};
  qsort(at, n, sizeof *at, by_moment);
  sweep(l, m, at, n);
}
