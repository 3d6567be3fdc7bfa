/* LCRQ (Morrison and Afek 2013, "Fast concurrent queues for x86 processors"), written here with the instructions it was made for: lock xadd,
 * lock cmpxchg16b, lock bts. Rings have RING cells, so that they are closed and followed by others within a few operations.
 *
 * -DHASTY: a dequeue goes on to the next ring when one is empty, without looking into it once more after it has seen that there is a next: a
 * value that was enqueued in between is lost. -DUNLOCKED: the cells are changed by cmpxchg16b without lock. */
#include <asif.h>
#include <stdbool.h>
#include <stdlib.h>

#ifndef RING
#define RING 1
#endif
#ifdef UNLOCKED
#define LOCK ""
#else
#define LOCK "lock; "
#endif
#define CLOSED   (1UL << 63)
#define UNSAFE   (1UL << 63)
#define NOTHING  0UL /* in a cell: no value */
#define IS_EMPTY (-1L)

struct cell {
  unsigned long index, value; /* UNSAFE is a bit of the index */
} __attribute__((aligned(16)));
struct ring {
  unsigned long head, tail;
  struct ring *next;
  struct cell cells[RING];
};
static struct ring *first, *last;

static unsigned long load(unsigned long *p) {
  unsigned long v;
  __asm__ volatile("movq %1, %0" : "=r"(v) : "m"(*p) : "memory");
  return v;
}
static unsigned long fetch_add(unsigned long *p, unsigned long v) {
  __asm__ volatile("lock; xaddq %0, %1" : "+r"(v), "+m"(*p) : : "memory", "cc");
  return v;
}
static bool exchange_if(void *p, unsigned long old, unsigned long new) {
  bool done;
  __asm__ volatile("lock cmpxchgq %3, %1\n\tsete %0"
                   : "=q"(done), "+m"(*(unsigned long *)p), "+a"(old)
                   : "r"(new)
                   : "memory", "cc");
  return done;
}
static bool exchange_cell(struct cell *c, unsigned long index, unsigned long value, unsigned long new_index, unsigned long new_value) {
  bool done;
  __asm__ volatile(LOCK "cmpxchg16b %1\n\tsete %0"
                   : "=q"(done), "+m"(*c), "+a"(index), "+d"(value)
                   : "b"(new_index), "c"(new_value)
                   : "memory", "cc");
  return done;
}
static void close_ring(struct ring *r) { __asm__ volatile("lock btsq $63, %0" : "+m"(r->tail) : : "memory", "cc"); }

static struct ring *new_ring(unsigned long value) {
  struct ring *r = aligned_alloc(16, (sizeof *r + 15) & ~15UL);
  r->head = r->tail = 0;
  r->next = NULL;
  for (unsigned i = 0; i < RING; i++) r->cells[i] = (struct cell){i, NOTHING};
  if (value != NOTHING) r->cells[0].value = value, r->tail = 1;
  return r;
}

static bool ring_enq(struct ring *r, unsigned long value) {
  for (int tries = 0;; tries++) {
    unsigned long t = fetch_add(&r->tail, 1);
    if (t & CLOSED) return false;
    struct cell *c = &r->cells[t % RING];
    unsigned long old = load(&c->value), index = load(&c->index);
    if (old == NOTHING && (index & ~UNSAFE) <= t && (!(index & UNSAFE) || load(&r->head) <= t) &&
        exchange_cell(c, index, NOTHING, t, value))
      return true;
    unsigned long h = load(&r->head);
    if ((long)(t - h) >= RING || tries == 2) {
      close_ring(r);
      return false;
    }
  }
}

static void fix_state(struct ring *r) {
  for (;;) {
    unsigned long t = fetch_add(&r->tail, 0), h = fetch_add(&r->head, 0);
    if (load(&r->tail) != t) continue;
    if (h <= t || exchange_if(&r->tail, t, h)) return; /* a closed tail is above every head */
  }
}

static long ring_deq(struct ring *r) {
  for (;;) {
    unsigned long h = fetch_add(&r->head, 1);
    struct cell *c = &r->cells[h % RING];
    for (;;) {
      unsigned long value = load(&c->value), index = load(&c->index), unsafe = index & UNSAFE, i = index & ~UNSAFE;
      if (i > h) break;
      if (value != NOTHING) {
        if (i == h) {
          if (exchange_cell(c, index, value, unsafe | (h + RING), NOTHING)) return (long)value;
        } else if (exchange_cell(c, index, value, UNSAFE | i, value)) {
          break;
        }
      } else if (exchange_cell(c, index, NOTHING, unsafe | (h + RING), NOTHING)) {
        break;
      }
    }
    if ((load(&r->tail) & ~CLOSED) <= h + 1) {
      fix_state(r);
      return IS_EMPTY;
    }
  }
}

static void start(void) { first = last = new_ring(NOTHING); }

static void enq(int v) {
  for (;;) {
    struct ring *r = (struct ring *)load((unsigned long *)&last), *next = (struct ring *)load((unsigned long *)&r->next);
    if (next) {
      exchange_if(&last, (unsigned long)r, (unsigned long)next);
      continue;
    }
    if (ring_enq(r, (unsigned long)v)) return;
    struct ring *n = new_ring((unsigned long)v);
    if (exchange_if(&r->next, 0, (unsigned long)n)) {
      exchange_if(&last, (unsigned long)r, (unsigned long)n);
      return;
    }
    free(n);
  }
}

static int deq(void) {
  for (;;) {
    struct ring *r = (struct ring *)load((unsigned long *)&first);
    long v = ring_deq(r);
    if (v != IS_EMPTY) return (int)v;
    struct ring *next = (struct ring *)load((unsigned long *)&r->next);
    if (!next) return ASIF_EMPTY;
#ifndef HASTY
    v = ring_deq(r);
    if (v != IS_EMPTY) return (int)v;
#endif
    exchange_if(&first, (unsigned long)r, (unsigned long)next);
  }
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 3))
ASIF_OP(deq)
ASIF_INIT(start)
