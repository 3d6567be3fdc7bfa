/* Re-validating a linearization: Wing and Gong, section 2.2.
 *
 *   L2: each operation is placed in a gap within its interval, and the gaps never go back: so real time is kept.
 *   L1: run one after the other on the sequential object, the operations return what they returned.
 * Every operation that returned must be there, and none twice. */
#include <assert.h>
#include <string.h>

#include "evidence/evidence.h"

static bool fail(struct problem *why, const struct history *h, const struct spec *spec, uint32_t op, const char *what) {
  char buffer[256];
  buffer[0] = 0;
  struct mem m;
  mem_open(&m, NULL);
  if (!MEM_GUARD(&m)) {
    struct text t;
    text_open(&t, &m);
    op_print(spec, h, &h->ops.at[op], &t);
    snprintf(buffer, sizeof buffer, "%s", text_string(&t));
  }
  mem_close(&m);
  problem_set(why, "the linearization does not stand: operation %u, %s, %s", op, buffer, what);
  return false;
}

/* A history may be long: limits hold here too. */
static void poll(struct mem *m, size_t i) {
  if (!(i & 1023)) mem_poll(m);
}

static bool check_real_time(struct mem *m, const struct history *h, const struct spec *spec, const uint32_t *order,
                            const uint32_t *gap, size_t count, struct problem *why) {
  uint8_t *there = mem_zero(m, h->ops.count + 1, 1);
  uint32_t now = 0;
  for (size_t i = 0; i < count; i++) {
    poll(m, i);
    if (order[i] >= h->ops.count) {
      problem_set(why, "the linearization does not stand: it names operation %u of %zu", order[i], h->ops.count);
      return false;
    }
    const struct op *o = &h->ops.at[order[i]];
    if (there[order[i]]++) return fail(why, h, spec, order[i], "is there twice");
    if (gap[i] < now) return fail(why, h, spec, order[i], "goes back in time");
    if (gap[i] < o->call || gap[i] >= o->ret) return fail(why, h, spec, order[i], "takes effect outside its interval");
    now = gap[i];
  }
  for (size_t i = 0; i < h->ops.count; i++)
    if (!there[i] && !op_pending(&h->ops.at[i])) return fail(why, h, spec, (uint32_t)i, "returned but is missing");
  mem_free(m, there);
  return true;
}

/* One object with a machine; `order` has its operations alone. */
static bool run_machine(struct mem *m, const struct history *h, const struct spec *spec, const uint32_t *order,
                        size_t count, struct problem *why) {
  void *machine = spec->machine_new(spec, m);
  for (size_t i = 0; i < count; i++) {
    poll(m, i);
    if (!spec->machine_apply(machine, &h->ops.at[order[i]]))
      return fail(why, h, spec, order[i], "is not what the object does there");
  }
  return true;
}

/* One object by its steps, all possible states at once. */
static bool run_steps(struct mem *m, const struct history *h, const struct spec *spec, const uint32_t *order,
                      size_t count, struct problem *why) {
  struct outcomes now, next, one;
  outcomes_open(&now, m);
  outcomes_open(&next, m);
  outcomes_open(&one, m);
  spec->init(spec, &now);
  for (size_t i = 0; i < count; i++) {
    const struct op *o = &h->ops.at[order[i]];
    poll(m, i);
    outcomes_clear(&next);
    for (size_t k = 0; k < now.list.count; k++) {
      outcomes_clear(&one);
      spec->step(spec, outcomes_state(&now, k), o, &one);
      for (size_t x = 0; x < one.list.count; x++) {
        struct state s = outcomes_state(&one, x);
        bool have = false;
        for (size_t y = 0; y < next.list.count && !have; y++) {
          struct state t = outcomes_state(&next, y);
          have = t.size == s.size && (!s.size || !memcmp(t.at, s.at, s.size));
        }
        if (have) continue;
        void *to = outcomes_add(&next, V_NONE, s.size);
        if (s.size) memcpy(to, s.at, s.size);
      }
    }
    if (!next.list.count) return fail(why, h, spec, order[i], "is not what the object does there");
    struct outcomes swap = now;
    now = next;
    next = swap;
  }
  return true;
}

/* How many objects there are: those with names, and at least those that operations are on. */
static size_t count_objects(const struct history *h) {
  size_t count = names_count(h->objects);
  for (size_t i = 0; i < h->ops.count; i++)
    if (h->ops.at[i].object >= count) count = (size_t)h->ops.at[i].object + 1;
  return count;
}

/* The order's operations by object: object x has list[start[x] .. start[x + 1] - 1]. */
static uint32_t *group_by_object(struct mem *m, const struct history *h, const uint32_t *order, size_t count,
                                 size_t *start) {
  size_t objects = count_objects(h);
  uint32_t *list = mem_alloc(m, (count + 1) * sizeof *list);
  for (size_t i = 0; i < count; i++) start[h->ops.at[order[i]].object + 1]++;
  for (size_t x = 0; x < objects; x++) start[x + 1] += start[x];
  for (size_t i = 0; i < count; i++) list[start[h->ops.at[order[i]].object]++] = order[i];
  memmove(start + 1, start, objects * sizeof *start); /* each is where the next one begins now */
  start[0] = 0;
  assert(start[objects] == count);
  return list;
}

bool evidence_check_order(struct mem *m, const struct history *h, const struct spec *spec, const uint32_t *order,
                          const uint32_t *gap, size_t count, struct problem *why) {
  if (!check_real_time(m, h, spec, order, gap, count, why)) return false;
  size_t objects = count_objects(h), *start = mem_zero(m, objects + 2, sizeof *start);
  const uint32_t *list = objects == 1 ? order : group_by_object(m, h, order, count, start);
  if (objects == 1) start[1] = count;
  struct mem *own = mem_child(m); /* of one object: there may be as many as operations */
  bool good = true;
  for (size_t x = 0; x < objects && good; x++) {
    size_t n = start[x + 1] - start[x];
    poll(m, x);
    if (!n) continue;
    good = spec->machine_new ? run_machine(own, h, spec, list + start[x], n, why)
                             : run_steps(own, h, spec, list + start[x], n, why);
    mem_close(own);
  }
  return good;
}
