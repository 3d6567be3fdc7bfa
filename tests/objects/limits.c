/* What every object of libasif-objects refuses (objects/lib/all.h): sizes that are 0 or too large, NULL, values that it cannot
 * hold; and that nothing happens then, neither to the object nor to what the caller points to. Built and run by
 * tests/cli/objects_library.sh. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../objects/lib/all.h"

#define CHECK(condition)                                                                                                         \
  do                                                                                                                             \
    if (!(condition)) {                                                                                                          \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                                     \
      exit(1);                                                                                                                   \
    }                                                                                                                            \
  while (0)

static const size_t huge[] = {0, (size_t)1 << 60, (size_t)1 << 61, (size_t)1 << 62, SIZE_MAX / 8, SIZE_MAX / 8 + 1, SIZE_MAX / 16 + 1, SIZE_MAX};
#define REFUSES_SIZES(X, CREATE)                                                                                                 \
  for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {                                                                      \
    size_t n = huge[i];                                                                                                          \
    CHECK(!CREATE);                                                                                                              \
  }                                                                                                                              \
  X##_destroy(NULL)

static void sizes(struct hazard *h) {
  REFUSES_SIZES(mpmc_ring, mpmc_ring_create(n));
  REFUSES_SIZES(spsc_ring, spsc_ring_create(n));
  REFUSES_SIZES(herlihy_wing_queue, herlihy_wing_queue_create(n));
  REFUSES_SIZES(lamport_register, lamport_register_create(n));
  REFUSES_SIZES(chase_lev_deque, chase_lev_deque_create(n));
  REFUSES_SIZES(bounded_priority_queue, bounded_priority_queue_create(n, 0));
  CHECK(!k_fifo_queue_create(0, 4) && !k_fifo_queue_create(4, 0) && !k_fifo_queue_create(4, 1));
  CHECK(!k_fifo_queue_create(UINT32_MAX, 2) && !k_fifo_queue_create(1u << 20, 2));
  CHECK(!wing_gong_bounded_queue_create(0) && !semiqueue_create(0) && !semiqueue_create(-1) && !semiqueue_create(LONG_MIN));
  CHECK(!stuttering_queue_create(0) && !stuttering_queue_create(INT_MIN) && !snzi_create(0));
  CHECK(!blink_tree_create(h, 0) && !blink_tree_create(h, 1));
  k_fifo_queue_destroy(NULL);
  wing_gong_bounded_queue_destroy(NULL);
  wing_gong_queue_destroy(NULL);
  semiqueue_destroy(NULL);
  stuttering_queue_destroy(NULL);
  snzi_destroy(NULL);
  two_lock_queue_destroy(NULL);
  lock_coupling_set_destroy(NULL);
  hazard_destroy(NULL);
}

#define NEEDS_HAZARD(X, ...)                                                                                                     \
  CHECK(!X##_create(__VA_ARGS__));                                                                                               \
  X##_destroy(NULL)
static void hazards(void) {
  NEEDS_HAZARD(treiber_stack, NULL);
  NEEDS_HAZARD(elimination_stack, NULL, 2);
  NEEDS_HAZARD(ms_queue, NULL);
  NEEDS_HAZARD(priority_queue, NULL);
  NEEDS_HAZARD(optimistic_set, NULL);
  NEEDS_HAZARD(lazy_set, NULL);
  NEEDS_HAZARD(harris_michael_set, NULL);
  NEEDS_HAZARD(multiset, NULL);
  NEEDS_HAZARD(blink_tree, NULL, 2);
}

/* On failure *value is left alone: empty containers. */
#define EMPTY(X, TYPE, TAKE, ...)                                                                                                \
  do {                                                                                                                           \
    struct X *x = X##_create(__VA_ARGS__);                                                                                       \
    TYPE value = 7;                                                                                                              \
    CHECK(x && !X##_##TAKE(x, &value) && value == 7);                                                                            \
    X##_destroy(x);                                                                                                              \
  } while (0)
static void empty(struct hazard *h) {
  EMPTY(treiber_stack, long, pop, h);
  EMPTY(elimination_stack, long, pop, h, 2);
  EMPTY(ms_queue, long, deq, h);
  EMPTY(two_lock_queue, long, deq, );
  EMPTY(wing_gong_queue, long, try_deq, );
  EMPTY(herlihy_wing_queue, long, try_deq, 4);
  EMPTY(k_fifo_queue, int, deq, 2, 4);
  EMPTY(spsc_ring, long, deq, 2);
  EMPTY(mpmc_ring, long, deq, 2);
  EMPTY(priority_queue, long, deq, h);
  EMPTY(bounded_priority_queue, long, deq, 2, 1);
  EMPTY(chase_lev_deque, long, pop, 1);
  EMPTY(chase_lev_deque, long, steal, 1);
}

/* Keys that a set cannot hold are never inside, and the set goes on as before. */
#define EXCLUDED(X, ADD, HAS, KEY, ...)                                                                                          \
  do {                                                                                                                           \
    struct X *x = X##_create(__VA_ARGS__);                                                                                       \
    bool added = true;                                                                                                           \
    CHECK(x && X##_##ADD(x, 1, &added) && added);                                                                                \
    CHECK(!X##_##ADD(x, KEY, &added) && added && !X##_##HAS(x, KEY));                                                            \
    for (long key = 2; key < 30; key++) CHECK(X##_##ADD(x, key, &added) && added && X##_##HAS(x, key));                          \
    CHECK(X##_##ADD(x, 1, &added) && !added && X##_##HAS(x, 1));                                                                 \
    X##_destroy(x);                                                                                                              \
  } while (0)
#define EXCLUDED_FROM_SET(X, ...)                                                                                                \
  EXCLUDED(X, add, has_not, LONG_MAX, __VA_ARGS__);                                                                              \
  EXCLUDED(X, add, has_not, LONG_MIN, __VA_ARGS__)
/* remove before contains: a set whose end was removed goes wrong afterwards. */
#define lazy_set_has_not(x, key)          (!lazy_set_contains(x, key) ? lazy_set_remove(x, key) : true)
#define optimistic_set_has_not(x, key)    (!optimistic_set_contains(x, key) ? optimistic_set_remove(x, key) : true)
#define lock_coupling_set_has_not(x, key) (!lock_coupling_set_contains(x, key) ? lock_coupling_set_remove(x, key) : true)

static void excluded(struct hazard *h) {
  bool removed = true;
  EXCLUDED_FROM_SET(lazy_set, h);
  EXCLUDED_FROM_SET(optimistic_set, h);
  EXCLUDED_FROM_SET(lock_coupling_set, );
  EXCLUDED(blink_tree, insert, lookup, LONG_MAX, h, 2);
  struct blink_tree *t = blink_tree_create(h, 2);
  CHECK(blink_tree_insert(t, LONG_MIN, &removed) && blink_tree_lookup(t, LONG_MIN));
  CHECK(blink_tree_remove(t, LONG_MAX, &removed) && !removed);
  blink_tree_destroy(t);
  struct wing_gong_queue *w = wing_gong_queue_create();
  struct herlihy_wing_queue *hw = herlihy_wing_queue_create(2);
  struct semiqueue *s = semiqueue_create(1);
  struct stuttering_queue *st = stuttering_queue_create(1);
  struct k_fifo_queue *k = k_fifo_queue_create(1, 4);
  long value = 7;
  int small = 7;
  CHECK(!wing_gong_queue_enq(w, LONG_MIN) && wing_gong_queue_enq(w, 1) && wing_gong_queue_deq(w) == 1);
  CHECK(!wing_gong_queue_try_deq(w, &value) && value == 7);
  CHECK(!herlihy_wing_queue_enq(hw, LONG_MIN) && herlihy_wing_queue_enq(hw, 1) && herlihy_wing_queue_enq(hw, 2));
  CHECK(herlihy_wing_queue_deq(hw) == 1 && herlihy_wing_queue_deq(hw) == 2 && !herlihy_wing_queue_try_deq(hw, &value) && value == 7);
  CHECK(!semiqueue_enq(s, LONG_MIN) && semiqueue_enq(s, 1) && semiqueue_deq(s) == 1);
  CHECK(!stuttering_queue_enq(st, LONG_MIN) && stuttering_queue_enq(st, 1) && stuttering_queue_deq(st) == 1);
  CHECK(!k_fifo_queue_enq(k, INT_MIN) && !k_fifo_queue_deq(k, &small) && small == 7);
  CHECK(k_fifo_queue_enq(k, 1) && k_fifo_queue_deq(k, &small) && small == 1);
  wing_gong_queue_destroy(w);
  herlihy_wing_queue_destroy(hw);
  semiqueue_destroy(s);
  for (int less = 0; less < 3; less++) { /* any of all of them */
    s = semiqueue_create(LONG_MAX - less);
    CHECK(semiqueue_enq(s, 1) && semiqueue_enq(s, 2) && semiqueue_enq(s, 3));
    CHECK(semiqueue_deq(s) + semiqueue_deq(s) + semiqueue_deq(s) == 6);
    semiqueue_destroy(s);
  }
  stuttering_queue_destroy(st);
  k_fifo_queue_destroy(k);
}

/* Counts that were once too narrow. */
static void counts(void) {
  struct snzi *s = snzi_create(2);
  for (int i = 0; i < 65537; i++) CHECK(snzi_arrive(s, 0) && snzi_arrive(s, 1));
  CHECK(!snzi_arrive(s, 2));
  for (int i = 0; i < 65537; i++) {
    snzi_depart(s, 0);
    CHECK(snzi_query(s));
  }
  for (int i = 0; i < 65537; i++) {
    CHECK(snzi_query(s));
    snzi_depart(s, 1);
  }
  CHECK(!snzi_query(s));
  snzi_destroy(s);
}

/* Versions that wrap around do not touch the numbers of segments: built with VERSION_BITS so that the greatest k is 8. */
static void versions(void) {
  struct k_fifo_queue *q = k_fifo_queue_create(8, 4);
  long put = 0, got = 0;
  int value;
  CHECK(q && !k_fifo_queue_create(9, 4));
  for (int round = 1; round <= 1000; round++) {
    for (int n = 0; n < 1 + round % 25; n++) put += k_fifo_queue_enq(q, n);
    while (k_fifo_queue_deq(q, &value)) got++;
    CHECK(put == got);
  }
  CHECK(put > 10000);
  k_fifo_queue_destroy(q);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1) {
    versions();
    return 0;
  }
  struct hazard *h = hazard_create(0, 0);
  CHECK(h);
  sizes(h);
  hazards();
  empty(h);
  excluded(h);
  counts();
  hazard_destroy(h);
  return 0;
}
