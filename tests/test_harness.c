/* The harness macros of asif.h, as a program of one's own sees them: what they register, and what the others do
 * natively. tests/cli/objects.sh has what the compilers say. */
#include <pthread.h>
#include <string.h>

#include "asif.h"
#include "test.h"

#define SIZE (2 * 4)
static void put(int v) { (void)v; }
static int take(void) { return ASIF_EMPTY; }
static bool all(long a, int b, long c) { return a && b && c; }
static long twice(long a) { return 2 * a; }
static void set_up(void) {}

ASIF_OBJECT(bounded_queue(SIZE))
ASIF_OP(put, ASIF_IN(1, SIZE))
ASIF_OP_AS(deq, take)
ASIF_OP(all, ASIF_IN(1, 2), ASIF_IN(-3, 4), ASIF_IN(5, 5))
ASIF_OP(twice, ASIF_IN(0, 1))
ASIF_INIT(set_up)
ASIF_ROLE(producer, 1, put)
ASIF_ROLE(consumer, ASIF_REST, take, all, twice)
ASIF_BOUND(SIZE - 1)
ASIF_TYPE_STABLE()

/* The number-th entry as written: the section may have them in another order. */
static const struct asif_entry *entry(int number) {
  for (const struct asif_entry *const *e = __start_asif_harness; e < __stop_asif_harness; e++) {
    int before = 0;
    for (const struct asif_entry *const *o = __start_asif_harness; o < __stop_asif_harness; o++)
      before += (*o)->place < (*e)->place;
    if (before == number) return *e;
  }
  return NULL;
}

TEST(harness_entries) {
  CHECK(__stop_asif_harness - __start_asif_harness == 10);
  for (int i = 0; i < 10; i++) {
    const struct asif_entry *e = entry(i);
    CHECK(e && e->version == 1 && strstr(e->file, "test_harness.c") && e->line == entry(0)->line + i);
  }
  CHECK(entry(0)->kind == ASIF_ENTRY_OBJECT);
  CHECK(!strcmp(entry(0)->name, "bounded_queue((2 * 4))"));
  CHECK(!strcmp(entry(0)->written, "bounded_queue(SIZE)"));
  CHECK(entry(8)->kind == ASIF_ENTRY_BOUND && entry(8)->number == 7);
  CHECK(entry(9)->kind == ASIF_ENTRY_TYPE_STABLE);
}

TEST(harness_operations) {
  const struct asif_entry *e = entry(1);
  CHECK(e->kind == ASIF_ENTRY_OP && !strcmp(e->name, "put") && !strcmp(e->written, "put"));
  CHECK(e->function == (void (*)(void))put && e->signature == (0 | 1 << 2) && e->in_count == 1 && e->in[0].low == 1 &&
        e->in[0].high == 8);
  e = entry(2);
  CHECK(!strcmp(e->name, "deq") && !strcmp(e->written, "take") && e->signature == 2);
  CHECK(((int (*)(void))e->function)() == ASIF_EMPTY);
  e = entry(3);
  CHECK(e->signature == (1 | 3 << 2 | 5 << 4) && e->in[1].low == -3 && e->in[1].high == 4 && e->in[2].low == 5);
  CHECK(((bool (*)(long, int, long))e->function)(1, 2, 3));
  e = entry(4);
  CHECK(e->signature == (3 | 1 << 2 | 1 << 4) && ((long (*)(long))e->function)(1L << 40) == 1L << 41);
  e = entry(5);
  CHECK(e->kind == ASIF_ENTRY_INIT && e->function == set_up && !strcmp(e->written, "set_up"));
}

TEST(harness_roles) {
  const struct asif_entry *e = entry(6);
  CHECK(e->kind == ASIF_ENTRY_ROLE && !strcmp(e->name, "producer") && e->number == 1);
  CHECK(e->functions[0] == (void (*)(void))put && !e->functions[1]);
  e = entry(7);
  CHECK(!strcmp(e->name, "consumer") && e->number == ASIF_REST);
  CHECK(e->functions[0] == (void (*)(void))take && e->functions[2] == (void (*)(void))twice && !e->functions[3]);
}

/* Blocks that are left in every way, and one inside another: the lock is always given back. */
static int shared[2];
static int leave(int how) {
  for (int round = 0; round < 2; round++) {
    ASIF_ATOMIC {
      shared[0]++;
      ASIF_ATOMIC shared[1]++;
      if (how == 0) return round;
      if (how == 1) goto out;
      if (how == 2) continue;
      if (how == 3) break;
      ASIF_LIN();
    }
  }
out:
  ASIF_LIN_FOR(put);
  asif_yield();
  return 2;
}

static void *work(void *numbers) {
  for (int i = 0; i < 10000; i++) {
    leave(i % 5);
    int a = 0, b = 0;
    ASIF_ATOMIC a = shared[0], b = shared[1];
    CHECK(a == b);
  }
  int *number = numbers;
  number[asif_thread()]++;
  CHECK(asif_thread() == asif_thread());
  return NULL;
}

TEST(harness_atomic_threads) {
  CHECK(leave(0) == 0 && leave(1) == 2 && shared[0] == 2);
  CHECK(leave(2) == 2 && leave(3) == 2 && shared[0] == 6); /* they leave the block, not the loop around it */
  CHECK(asif_atomic_owner_ == 0);
  pthread_t threads[3];
  int numbers[3] = {0, 0, 0};
  for (int i = 0; i < 3; i++) CHECK(!pthread_create(&threads[i], NULL, work, numbers));
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 3; i++) CHECK(numbers[i] == 1);
  CHECK(asif_atomic_owner_ == 0 && shared[0] == shared[1]);
}
