/* Every method against brute force, on random small histories of every specification.
 *
 * ASIF_TEST_HISTORIES sets how many a specification (default 20,000; make test-long takes 200,000). */
#include <string.h>

#include "brute.h"
#include "check/check.h"
#include "check/decide.h"
#include "spec/map.h"
#include "test.h"

static long histories(void) {
  const char *n = getenv("ASIF_TEST_HISTORIES");
  return n ? atol(n) : 20000;
}

/* -1 if the method does not apply. */
static int ask(const struct history *h, const struct spec *spec, enum method method, uint64_t seed, uint32_t *culprit) {
  struct mem m;
  struct limits limits;
  limits_start(&limits, 0, 0);
  mem_open(&m, &limits);
  if (MEM_GUARD(&m)) abort();
  struct check_options options = {method, 1, seed % 4 == 0};
  struct check_result r;
  struct problem why;
  int answer;
  if (!check_history(&m, h, spec, &options, &limits, &r, &why)) {
    if (method != METHOD_FAST || strstr(why.text, "internal")) {
      fprintf(stderr, "%s: seed %llu: %s\n", spec->name, (unsigned long long)seed, why.text);
      history_dump(h, spec);
      test_fail(__FILE__, __LINE__, "check_history failed");
    }
    answer = -1;
  } else {
    answer = r.verdict;
    *culprit = r.culprit;
    bool blamed = r.culprit == UINT32_MAX || r.unsure;
    for (size_t i = 0; i < r.core_count; i++) blamed |= r.core[i] == r.culprit;
    if (!blamed) {
      history_dump(h, spec);
      test_fail(__FILE__, __LINE__, "the culprit is not in the core");
    }
  }
  mem_close(&m);
  return answer;
}

/* The values of a map's operations as texts, so that what is appended makes some that others put and get; mostly of one
 * key. */
static void as_texts(struct history *h, uint64_t seed) {
  static const char *const texts[] = {"a", "b", "ab", "aa", "ba", "aba"};
  bool one_key = seed % 4;
  for (size_t i = 0; i < h->ops.count; i++) {
    struct op *o = &h->ops.at[i];
    if (one_key) o->arg[0] = value_of_small(1);
    for (int k = 1; k <= OP_ARGS; k++) {
      value *v = k < OP_ARGS ? &o->arg[k] : &o->result;
      if (!value_is_small(*v)) continue;
      const char *text = texts[value_small(*v) % 6];
      *v = value_text(h->values, text, strlen(text));
    }
  }
}

static void compare(const struct spec *base, long count, bool texts, bool crowd) {
  static const enum method methods[] = {METHOD_AUTO, METHOD_SEARCH, METHOD_WING_GONG, METHOD_FAST};
  static const char *const names[] = {"auto", "search", "wing-gong", "fast"};
  volatile long good = 0, bad = 0, fast = 0;
  for (volatile long i = 0; i < count; i++) {
    uint64_t first = (uint64_t)i * 2654435761u + 17, seed = first;
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    struct spec spec = *base;
    bool *precedes;
    struct random_options options = {i % 4 ? 7 : 9, i % 2, i % 3 == 0, i % 5 == 4, i % 7 == 6 || crowd, crowd, 0};
    if (crowd && spec.family == FAMILY_MAP && i % 4) { /* most of them of one value that operations compare */
      options.without = 1u << MAP_APPEND | (i % 4 == 1 ? 1u << MAP_CAS : 0);
      spec_use_only(&spec, ~options.without);
    }
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    if (texts) as_texts(h, first / 4);
    for (size_t k = 0; k < h->ops.count && options.without; k++) h->ops.at[k].arg[0] = value_of_small(1);
    enum verdict want = brute_linearizable(h, &spec, precedes) ? VERDICT_HOLDS : VERDICT_VIOLATED;
    uint32_t culprit = want == VERDICT_HOLDS ? UINT32_MAX : brute_culprit(h, &spec), named;
    *(want == VERDICT_HOLDS ? &good : &bad) += 1;
    for (int k = 0; k < 4; k++) {
      int got = ask(h, &spec, methods[k], first, &named);
      if (k == 3) fast += got >= 0;
      if (got < 0 || (got == (int)want && named == culprit)) continue;
      fprintf(stderr, "%s: history %ld: %s says %d, brute force %d; culprit %d, not %d\n", base->name, i, names[k], got,
              (int)want, (int)named, (int)culprit);
      history_dump(h, &spec);
      test_fail(__FILE__, __LINE__, "a method disagrees with brute force");
    }
    mem_close(&m);
  }
  fprintf(stderr, "%s: %ld linearizable, %ld not, %ld by a monitor\n", base->name, good, bad, fast);
  CHECK(good > count / 50 && bad > count / 50);
}

static void compare_named(const char *name) {
  struct spec spec;
  struct problem why;
  CHECKF(spec_named(name, &spec, &why), "%s", why.text);
  compare(&spec, histories(), false, false);
}

/* Where most operations never returned: they are settled or counted before a search. */
static void compare_crowd(const char *name) {
  struct spec spec;
  struct problem why;
  CHECKF(spec_named(name, &spec, &why), "%s", why.text);
  compare(&spec, histories(), false, true);
}

/* What a narrow search says, and what is said of one value at a time, is so. */
static void compare_narrow(const char *name, long count) {
  struct problem why;
  volatile long found = 0, wrong = 0;
  for (volatile long i = 0; i < count; i++) {
    uint64_t seed = (uint64_t)i * 2654435761u + 91;
    struct mem m;
    struct spec spec;
    bool *precedes;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    CHECKF(spec_named(name, &spec, &why), "%s", why.text);
    struct random_options options = {.most_ops = 8, .pending = i % 3 == 0, .crowd = i % 6 == 0};
    if (spec.family == FAMILY_MAP) options.without = 1u << MAP_APPEND;
    spec_use_only(&spec, ~options.without);
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    for (size_t k = 0; k < h->ops.count && options.without; k++) h->ops.at[k].arg[0] = value_of_small(1);
    enum verdict want = brute_linearizable(h, &spec, NULL) ? VERDICT_HOLDS : VERDICT_VIOLATED;
    struct part p = {
        .spec = &spec, .values = h->values, .ops = h->ops.at, .count = (uint32_t)h->ops.count, .events = h->events};
    struct decision d;
    decision_clear(&d);
    search_once(search_new(&m, &spec), &p, 1, 0, &d);
    bool good = d.verdict == VERDICT_UNKNOWN || d.verdict == want;
    found += d.verdict != VERDICT_UNKNOWN;
    decision_clear(&d);
    if (cell_wrong_by_value(&p, &m, 0, &d)) {
      good &= want == VERDICT_VIOLATED && d.core.count;
      wrong++;
    }
    if (!good) history_dump(h, &spec);
    CHECKF(good, "%s: history %ld", name, i);
    mem_close(&m);
  }
  fprintf(stderr, "%s: %ld by a narrow search, %ld wrong for one value\n", name, found, wrong);
  CHECK(found > count / 2 && wrong > count / 50);
}

TEST(check_narrow_registers_against_brute_force) { compare_narrow("register", histories()); }
TEST(check_narrow_cas_registers_against_brute_force) { compare_narrow("cas-register", histories()); }
TEST(check_narrow_maps_against_brute_force) { compare_narrow("map", histories()); }

#define CROWDS \
  X(register, "register") \
  X(cas_register, "cas-register") \
  X(map, "map") \
  X(queue, "queue") \
  X(bounded_queue, "bounded-queue(2)") \
  X(stack, "stack") \
  X(deque, "deque") \
  X(priority_queue, "priority-queue") \
  X(bag, "bag") \
  X(k_fifo, "k-fifo(2)") \
  X(stuttering_queue, "stuttering-queue(2)") \
  X(weak_work_stealing_deque, "weak-work-stealing-deque") \
  X(producer_fifo, "producer-fifo") \
  X(set, "set") \
  X(lock, "lock") \
  X(hash_map, "hash-map")
#define X(id, name) \
  TEST(check_crowd_of_##id##_against_brute_force) { compare_crowd(name); }
CROWDS
#undef X

/* Appends make values that nobody wrote, which random values alone seldom show. */
TEST(check_maps_of_texts_against_brute_force) {
  struct spec spec;
  struct problem why;
  CHECKF(spec_named("map", &spec, &why), "%s", why.text);
  spec_use_only(&spec, UINT32_MAX);
  compare(&spec, histories(), true, false);
}

/* clang-format off */
#define SPECS \
  X(register, "register") \
  X(cas_register, "cas-register") \
  X(counter, "counter") \
  X(stack, "stack") \
  X(queue, "queue") \
  X(bounded_queue, "bounded-queue(2)") \
  X(deque, "deque") \
  X(priority_queue, "priority-queue") \
  X(max_priority_queue, "max-priority-queue") \
  X(bounded_priority_queue, "bounded-priority-queue(2)") \
  X(set, "set") \
  X(multiset, "multiset") \
  X(map, "map") \
  X(lock, "lock") \
  X(rw_lock, "rw-lock") \
  X(semaphore, "semaphore(2)") \
  X(semiqueue, "semiqueue(2)") \
  X(stuttering_queue, "stuttering-queue(2)") \
  X(k_fifo, "k-fifo(2)") \
  X(weak_queue, "weak-queue") \
  X(weak_stack, "weak-stack") \
  X(producer_fifo, "producer-fifo") \
  X(snzi, "snzi") \
  X(mailbox, "mailbox") \
  X(weak_bounded_queue, "weak-bounded-queue(2)") \
  X(bounded_stack, "bounded-stack(2)") \
  X(weak_producer_fifo, "weak-producer-fifo") \
  X(bag, "bag") \
  X(weak_bag, "weak-bag") \
  X(work_stealing_deque, "work-stealing-deque") \
  X(weak_work_stealing_deque, "weak-work-stealing-deque") \
  X(latch, "latch(2)") \
  X(once, "once") \
  X(upgradable_rw_lock, "upgradable-rw-lock") \
  X(hash_map, "hash-map") \
  X(ordered_map, "ordered-map")
/* clang-format on */

#define X(id, name) \
  TEST(check_##id##_against_brute_force) { compare_named(name); }
SPECS
#undef X

TEST(check_compares_every_specification) {
  static const char *const compared[] = {
#define X(id, name) name,
      SPECS
#undef X
  };
  for (int i = 0; specs[i]; i++) {
    bool found = false;
    for (size_t k = 0; k < sizeof compared / sizeof *compared; k++)
      found |= !strncmp(compared[k], specs[i]->name, strlen(specs[i]->name)) &&
               (!compared[k][strlen(specs[i]->name)] || compared[k][strlen(specs[i]->name)] == '(');
    CHECKF(found, "%s is not compared with brute force", specs[i]->name);
  }
}
