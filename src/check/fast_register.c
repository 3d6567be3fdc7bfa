/* Register, or a map's key, with unique writes and nothing but reads and writes, in linear time after sorting.
 *
 * Gibbons and Korach: the operations on one value form a cluster, with a *zone* from its earliest return to its latest
 * call. If the earliest return comes first the zone is forward: the register holds the value throughout it, so forward
 * zones must not overlap. Otherwise all of the cluster's operations share a moment between the latest call and the
 * earliest return, a backward zone: that must not lie within a forward zone, where another value is held. And no read
 * returns before its write is called. The initial value's cluster has a write before everything. */
#include <stdlib.h>
#include <string.h>

#include "check/items.h"
#include "spec/map.h"

struct cluster {
  value value;
  uint32_t write;       /* operation, NEVER for the initial value's */
  uint32_t first_ret;   /* earliest return */
  uint32_t last_call;   /* latest call */
  uint32_t first, last; /* operations that have those */
  uint32_t reads;       /* how many */
  uint64_t place;       /* where it goes in the order: a gap, or a forward zone's begin */
};

struct entry {
  value value;
  uint32_t cluster;
};

static int by_entry(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  return x->value < y->value ? -1 : x->value > y->value;
}

static int by_place(const void *a, const void *b) {
  const struct cluster *x = a, *y = b;
  return x->place < y->place ? -1 : x->place > y->place;
}

static struct cluster *find(struct entry *index, uint32_t count, struct cluster *clusters, value v) {
  struct entry key = {v, 0}, *e = bsearch(&key, index, count, sizeof *index, by_entry);
  return e ? &clusters[e->cluster] : NULL;
}

static bool forward(const struct cluster *c) { return c->first_ret < c->last_call; }

static enum applies violated(struct mem *m, struct decision *d, const struct cluster *a, const struct cluster *b,
                             uint32_t extra) {
  const struct cluster *both[] = {a, b};
  d->verdict = VERDICT_VIOLATED; /* at which return it shows is left to the search that explains it */
  d->closed = true;
  for (int i = 0; i < 2; i++) {
    if (!both[i]) continue;
    if (both[i]->write != NEVER) vec_push(m, &d->core, both[i]->write);
    if (both[i]->first != NEVER) vec_push(m, &d->core, both[i]->first);
    if (both[i]->last != NEVER) vec_push(m, &d->core, both[i]->last);
  }
  if (extra != NEVER) vec_push(m, &d->core, extra);
  core_sort(&d->core);
  return APPLIES;
}

/* Events are counted from 1 here: 0 is when the initial value was written. */
static void add_op(struct cluster *c, const struct op *o, uint32_t i) {
  if (!op_pending(o) && o->ret + 1 < c->first_ret) c->first_ret = o->ret + 1, c->first = i;
  if (o->call + 1 > c->last_call) c->last_call = o->call + 1, c->last = i;
}

/* Forward zones apart from each other, backward ones outside them: the place of each in the order. `by_first` is the
 * clusters by the earlier end of their zones. */
static bool place_zones(struct mem *m, struct cluster *c, uint32_t n, struct decision *d) {
  for (uint32_t i = 0; i < n; i++) c[i].place = forward(&c[i]) ? c[i].first_ret : c[i].last_call;
  qsort(c, n, sizeof *c, by_place);
  const struct cluster *zone = NULL; /* the latest forward zone */
  for (uint32_t i = 0; i < n; i++) {
    if (!forward(&c[i])) continue;
    if (zone && c[i].first_ret < zone->last_call) {
      violated(m, d, zone, &c[i], NEVER);
      return false;
    }
    zone = &c[i];
  }
  zone = NULL;
  for (uint32_t i = 0; i < n; i++) {
    if (forward(&c[i])) {
      zone = &c[i];
      c[i].place = (uint64_t)c[i].first_ret * 2;
      continue;
    }
    /* It may go in any gap from last_call to first_ret - 1: before the zones that begin after last_call, unless a
     * forward zone is under way then; after that one if it ends in time. */
    if (zone && zone->last_call > c[i].last_call) {
      if (zone->last_call > c[i].first_ret) {
        violated(m, d, zone, &c[i], NEVER);
        return false;
      }
      c[i].place = (uint64_t)zone->last_call * 2 + 1;
    } else {
      c[i].place = (uint64_t)c[i].last_call * 2 + 1;
    }
  }
  qsort(c, n, sizeof *c, by_place);
  return true;
}

/* What an operation is: a read, a write, or none of these. */
static bool is_read(const struct spec *s, const struct op *o) {
  return s->cell[o->method].sets == -1 && s->cell[o->method].compares == -1;
}

static bool is_write(const struct spec *s, const struct op *o) {
  const struct spec_cell *c = &s->cell[o->method];
  return (c->sets >= 0 || c->sets == CELL_CLEARS) && c->compares == -1 &&
         (o->result == V_NONE || o->result == V_UNKNOWN);
}

static value written(const struct spec *s, const struct op *o) {
  value on[2];
  op_values(s, o, on);
  return on[0];
}

enum applies fast_register(const struct part *p, struct mem *m, struct decision *d, const char **why_not) {
  const struct spec *spec = p->spec;
  if (spec->family == FAMILY_MAP && spec->k != MAP_PLAIN) {
    *why_not = "contents that are compared as texts";
    return APPLIES_NOT;
  }
  struct cluster *c = mem_alloc(m, ((size_t)p->count + 1) * sizeof *c);
  struct entry *index = mem_alloc(m, ((size_t)p->count + 1) * sizeof *index);
  uint32_t n = 0;
  c[n++] = (struct cluster){.value = spec->family == FAMILY_REGISTER ? spec_initial(spec) : (value)V_NIL,
                            .write = NEVER,
                            .first_ret = 0,
                            .first = NEVER,
                            .last_call = 0,
                            .last = NEVER};
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    if (is_read(spec, o) && (op_pending(o) || o->result != V_UNKNOWN)) continue;
    if (!is_write(spec, o)) {
      *why_not = is_read(spec, o) ? "a result that was not observed" : "operations other than read and write";
      return APPLIES_NOT;
    }
    c[n] = (struct cluster){.value = written(spec, o), .write = i, .first_ret = NEVER, .first = NEVER, .last = NEVER};
    add_op(&c[n++], o, i);
  }
  for (uint32_t i = 0; i < n; i++) index[i] = (struct entry){c[i].value, i};
  qsort(index, n, sizeof *index, by_entry);
  for (uint32_t i = 1; i < n; i++)
    if (index[i].value == index[i - 1].value) {
      *why_not = "a value that is written more than once";
      return APPLIES_NOT;
    }
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    if (!is_read(spec, o) || op_pending(o)) continue;
    struct cluster *x = find(index, n, c, o->result);
    if (!x) return violated(m, d, NULL, NULL, i);
    if (x->write != NEVER && o->ret < p->ops[x->write].call) return violated(m, d, x, NULL, i);
    x->reads++;
    add_op(x, o, i);
  }
  /* A pending write that nobody read may not have happened. */
  uint32_t kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (c[i].reads || c[i].write == NEVER || !op_pending(&p->ops[c[i].write])) c[kept++] = c[i];
  n = kept;
  if (!place_zones(m, c, n, d)) return APPLIES;

  /* The order: cluster after cluster, each its write and then its reads. */
  for (uint32_t i = 0; i < n; i++) index[i] = (struct entry){c[i].value, i};
  qsort(index, n, sizeof *index, by_entry);
  uint32_t *start = mem_zero(m, (size_t)n + 1, sizeof *start), total = 0;
  for (uint32_t i = 0; i < n; i++) {
    start[i] = total;
    total += c[i].reads + (c[i].write != NEVER);
  }
  vec_reserve(m, &d->order, (size_t)total + 1);
  d->order.count = total;
  for (uint32_t i = 0; i < n; i++)
    if (c[i].write != NEVER) d->order.at[start[i]++] = c[i].write;
  for (uint32_t i = 0; i < p->count; i++) {
    const struct op *o = &p->ops[i];
    if (is_read(spec, o) && !op_pending(o)) d->order.at[start[find(index, n, c, o->result) - c]++] = i;
  }
  mem_free(m, start);
  mem_free(m, c);
  mem_free(m, index);
  d->verdict = VERDICT_HOLDS;
  return APPLIES;
}
