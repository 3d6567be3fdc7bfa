/* The array queue of Shann, Huang and Chen, as published: not linearizable.
 *
 * C.-H. Shann, T.-L. Huang and C. Chen, A Practical Nonblocking Queue Algorithm Using Compare-and-Swap (2000). The mistake was
 * found by Colvin and Groves (2005). Slots hold a value, 0 for none, and a count of the writes, against ABA. front and rear
 * only grow; slot i is i modulo L. An operation that finds the work of its slot done moves front or rear on for the other.
 *
 * The mistake: deq reads an empty slot; an enq fills it and moves rear; then deq sees that the queue is not empty, takes the slot
 * for one that another deq has emptied, and moves front past it: the value is lost. In enq the same with a slot that is full.
 * shann_queue_fixed.c looks at the other end before the slot.
 *
 * Where clients never stop, front, rear and the counts grow for ever: WRAP, a multiple of L, lets front and rear start again
 * at 0, and REFS the counts. That makes the states finitely many, but brings ABA back: a thread that sleeps until a count has come
 * round does not notice. So the repaired queue is linearizable only without them, for any number of operations one cares to try.
 *
 * Linearization points, where it is right: enq takes effect where rear passes its slot and deq where front does, moved by
 * whichever thread; full and empty at the read of the other end. */
#include <asif.h>
#include <stdatomic.h>

#ifndef L
#define L 2
#endif
#ifndef VALUES
#define VALUES 2
#endif
#ifdef WRAP
#define NEXT(i) (((i) + 1) % WRAP)
#define DISTANCE(from, to) (((to) - (from) + WRAP) % WRAP)
#else
#define NEXT(i) ((i) + 1)
#define DISTANCE(from, to) ((to) - (from))
#endif
#ifdef REFS
#define COUNTED(n) (((n) + 1) % REFS)
#else
#define COUNTED(n) ((n) + 1)
#endif

struct slot {
  int val, ref;
};
static _Atomic(struct slot) slots[L];
static atomic_int front, rear;

static int enq(int v) {
  for (;;) {
    int r = atomic_load(&rear);
#ifdef FIXED
    if (DISTANCE(atomic_load(&front), r) == L) return ASIF_FULL;
#endif
    struct slot x = atomic_load(&slots[r % L]);
    if (r != atomic_load(&rear)) continue;
#ifndef FIXED
    if (DISTANCE(atomic_load(&front), r) == L) return ASIF_FULL;
#endif
    if (x.val != 0) {
      atomic_compare_exchange_strong(&rear, &r, NEXT(r));
      continue;
    }
    struct slot filled = {v, COUNTED(x.ref)};
    if (atomic_compare_exchange_strong(&slots[r % L], &x, filled)) {
      atomic_compare_exchange_strong(&rear, &r, NEXT(r));
      return ASIF_OK;
    }
  }
}

static int deq(void) {
  for (;;) {
    int f = atomic_load(&front);
#ifdef FIXED
    if (f == atomic_load(&rear)) return ASIF_EMPTY;
#endif
    struct slot x = atomic_load(&slots[f % L]);
    if (f != atomic_load(&front)) continue;
#ifndef FIXED
    if (f == atomic_load(&rear)) return ASIF_EMPTY;
#endif
    if (x.val == 0) {
      atomic_compare_exchange_strong(&front, &f, NEXT(f));
      continue;
    }
    struct slot emptied = {0, COUNTED(x.ref)};
    if (atomic_compare_exchange_strong(&slots[f % L], &x, emptied)) {
      atomic_compare_exchange_strong(&front, &f, NEXT(f));
      return x.val;
    }
  }
}

ASIF_OBJECT(bounded_queue(L))
ASIF_OP(enq, ASIF_IN(1, VALUES))
ASIF_OP(deq)
