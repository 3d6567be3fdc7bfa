/* What it costs that the last store of an operation is sequentially consistent, and not a release: CPU time of a pair of
 * operations, in one thread, the best of seven.
 *
 *   cc -O2 -pthread -I objects/lib tests/objects/cost.c objects/lib/{spsc_ring,chase_lev_deque,two_lock_queue,lamport_register}.c
 *
 * and the same with these stores made weaker as in tests/cli/test_memory_pairs.sh. */
#include <stdio.h>
#include <time.h>

#include "chase_lev_deque.h"
#include "lamport_register.h"
#include "spsc_ring.h"
#include "two_lock_queue.h"

enum { PAIRS = 5000000, TIMES = 7 };

static struct spsc_ring *ring;
static struct chase_lev_deque *deque;
static struct two_lock_queue *queue;
static struct lamport_register *cell;

static void use_ring(long i, long *v) { spsc_ring_enq(ring, i), spsc_ring_deq(ring, v); }
static void use_deque(long i, long *v) { chase_lev_deque_push(deque, i), chase_lev_deque_steal(deque, v); }
static void use_queue(long i, long *v) { two_lock_queue_enq(queue, i), two_lock_queue_deq(queue, v); }
static void use_cell(long i, long *v) { lamport_register_write(cell, &i), lamport_register_read(cell, v); }

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void measure(const char *name, void (*use)(long, long *)) {
  double best = 1e9;
  long v = 0;
  for (int k = 0; k < TIMES; k++) {
    double begin = cpu_ns();
    for (long i = 0; i < PAIRS; i++) use(i, &v);
    double one = (cpu_ns() - begin) / PAIRS;
    if (one < best) best = one;
  }
  printf("%-17s %5.1f ns\n", name, best);
}

int main(void) {
  ring = spsc_ring_create(64);
  deque = chase_lev_deque_create(64);
  queue = two_lock_queue_create();
  cell = lamport_register_create(1);
  measure("spsc_ring", use_ring);
  measure("chase_lev_deque", use_deque);
  measure("two_lock_queue", use_queue);
  measure("lamport_register", use_cell);
  return 0;
}
