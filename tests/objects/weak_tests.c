/* Tests for `asif test --memory`: each line TEST NAME SC TSO C11 says what is found under each model. -: nothing, R: data race,
 * A: assertion failure, U: use after free, D: deadlock, L: livelock. Reductions of bugs that shipped, with and without their fix,
 * and what is easily got wrong under a weak memory model. */
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#define RLX memory_order_relaxed
#define ACQ memory_order_acquire
#define REL memory_order_release
#define AR memory_order_acq_rel
#define SC memory_order_seq_cst
#define load atomic_load_explicit
#define store atomic_store_explicit
#define add atomic_fetch_add_explicit
#define exchange atomic_exchange_explicit
#define replace(at, expected, to, order) atomic_compare_exchange_strong_explicit(at, expected, to, order, RLX)
#define fence atomic_thread_fence
#define nothing(order) ((void)0)

static void both(void *(*f)(void *), void *(*g)(void *)) {
  pthread_t s, t;
  pthread_create(&s, NULL, f, NULL);
  pthread_create(&t, NULL, g, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
}
/* A test of two threads, with what comes before them and after them. */
#define PAIR(name, before, left, right, after) \
  static void *name##_left(void *u) { left return u; } \
  static void *name##_right(void *u) { right return u; } \
  ASIF_TEST(name) { before both(name##_left, name##_right); after }

static atomic_int x, y, z, flag[2], got[2];
int plain, slept, awake;
struct node {
  int v;
  _Atomic(struct node *) next;
};
static _Atomic(struct node *) ptr, hazard, head, tail;
static struct node dummy;
static struct node *new_node(int v) {
  struct node *n = malloc(sizeof *n);
  n->v = v;
  atomic_init(&n->next, NULL);
  return n;
}

/* --- counters of references --- */

#define COUNTED(name, order, before_free) \
  static struct node *name##_node; \
  static void name##_drop(void) { \
    assert(name##_node->v == 1); \
    if (atomic_fetch_sub_explicit(&x, 1, order) == 1) { before_free(ACQ); name##_node->v = 0; free(name##_node); } \
  } \
  PAIR(name, store(&x, 2, RLX); name##_node = new_node(1);, name##_drop();, name##_drop();, )
COUNTED(counted, REL, fence)         /* TEST counted - - - */
COUNTED(counted_relaxed, RLX, nothing) /* TEST counted_relaxed U U U */

/* --- a deque: its owner takes where a thief steals --- */

#define DEQUE(name, full) \
  static void name##_take(void) { \
    store(&y, 2, REL); \
    int b = load(&y, RLX) - 1, t; \
    store(&y, b, RLX); \
    full(SC); \
    t = load(&x, RLX); \
    if (t < b) { add(&got[b], 1, RLX); return; } \
    if (t == b && replace(&x, &t, t + 1, SC)) add(&got[b], 1, RLX); \
    store(&y, b + 1, RLX); \
  } \
  static void name##_steal(void) { \
    int t = load(&x, ACQ); \
    full(SC); \
    if (t < load(&y, ACQ) && replace(&x, &t, t + 1, SC)) add(&got[t], 1, RLX); \
  } \
  PAIR(name, , name##_take();, name##_steal(); name##_steal();, assert(load(&got[1], RLX) <= 1);)
DEQUE(deque, fence)            /* TEST deque - - - */
DEQUE(deque_no_fences, nothing) /* TEST deque_no_fences - A A */

/* --- initialised once --- */

#define ONCE(name, publish, look) \
  static pthread_mutex_t name##_mutex = PTHREAD_MUTEX_INITIALIZER; \
  int name##_value; \
  static void name##_get(void) { \
    if (!load(&x, look)) { \
      pthread_mutex_lock(&name##_mutex); \
      if (!load(&x, RLX)) { name##_value = 7; store(&x, 1, publish); } \
      pthread_mutex_unlock(&name##_mutex); \
    } \
    assert(name##_value == 7); \
  } \
  PAIR(name, , name##_get();, name##_get();, )
ONCE(once, REL, ACQ)         /* TEST once - - - */
ONCE(once_relaxed, RLX, RLX) /* TEST once_relaxed R R R */

/* --- mutual exclusion --- */

#define DEKKER(name, publish, look) \
  PAIR(name, , store(&flag[0], 1, publish); if (!load(&flag[1], look)) plain++;, \
       store(&flag[1], 1, publish); if (!load(&flag[0], look)) plain++;, )
DEKKER(dekker, SC, SC)            /* TEST dekker - - - */
DEKKER(dekker_released, REL, ACQ) /* TEST dekker_released - R R */
/* One fence after both stores: the stores to the turn may be the other way round. */
PAIR(peterson, , store(&flag[0], 1, REL); store(&x, 1, REL); fence(SC);
     if (!load(&flag[1], ACQ) || load(&x, ACQ) == 0) { plain++; store(&flag[0], 0, REL); },
     store(&flag[1], 1, REL); store(&x, 0, REL); fence(SC);
     if (!load(&flag[0], ACQ) || load(&x, ACQ) == 1) { plain++; store(&flag[1], 0, REL); }, ) /* TEST peterson - - R */
#define TICKETS(name, leave) \
  static void name##_section(void) { \
    int mine = add(&x, 1, RLX); \
    while (load(&y, ACQ) != mine) {} \
    plain++; \
    store(&y, load(&y, RLX) + 1, leave); \
  } \
  PAIR(name, , name##_section();, name##_section();, assert(plain == 2);)
TICKETS(tickets, REL)         /* TEST tickets - - - */
TICKETS(tickets_relaxed, RLX) /* TEST tickets_relaxed R R R */

/* --- reclamation --- */

#define EPOCH(name, full) \
  PAIR(name, store(&ptr, new_node(7), RLX);, store(&x, 1, RLX); full(SC); \
       struct node *n = load(&ptr, ACQ); if (n) assert(n->v == 7); store(&x, 0, REL);, \
       struct node *n = exchange(&ptr, NULL, AR); full(SC); if (!load(&x, ACQ)) { n->v = 0; free(n); }, )
EPOCH(epoch, fence)             /* TEST epoch - - - */
EPOCH(epoch_no_fences, nothing) /* TEST epoch_no_fences - U U */
#define HAZARD(name, reader, writer) \
  PAIR(name, store(&ptr, new_node(7), RLX);, \
       struct node *n = load(&ptr, ACQ); if (!n) return u; store(&hazard, n, REL); reader(SC); \
       if (load(&ptr, ACQ) != n) return u; assert(n->v == 7); store(&hazard, NULL, REL);, \
       struct node *n = exchange(&ptr, NULL, AR); writer(SC); if (load(&hazard, ACQ) != n) { n->v = 0; free(n); }, )
HAZARD(hazards, fence, fence)              /* TEST hazards - - - */
HAZARD(hazards_one_fence, fence, nothing)  /* TEST hazards_one_fence - - U */
HAZARD(hazards_no_fences, nothing, nothing) /* TEST hazards_no_fences - U U */

/* --- waking --- */

#define WAKE(name, full) \
  PAIR(name, , store(&x, 1, REL); full(SC); if (!load(&y, ACQ)) slept = 1;, \
       store(&y, 1, REL); full(SC); if (!load(&x, ACQ)) awake = 1;, assert(!slept || !awake);)
WAKE(wake, fence)             /* TEST wake - - - */
WAKE(wake_no_fences, nothing) /* TEST wake_no_fences - A A */
static sem_t semaphore;
PAIR(sleeps, sem_init(&semaphore, 0, 0);, store(&x, 1, REL); if (!load(&y, ACQ)) sem_wait(&semaphore);,
     store(&y, 1, REL); if (load(&x, ACQ)) sem_post(&semaphore);, ) /* TEST sleeps - D D */

/* --- publication --- */

#define LINK(name, order) \
  PAIR(name, store(&head, &dummy, RLX); store(&tail, &dummy, RLX);, \
       struct node *n = new_node(7); struct node *none = NULL; struct node *t = load(&tail, ACQ); \
       if (replace(&t->next, &none, n, order)) replace(&tail, &t, n, order);, \
       struct node *n = load(&load(&head, ACQ)->next, ACQ); if (n) assert(n->v == 7);, )
LINK(link, REL)         /* TEST link - - - */
LINK(link_relaxed, RLX) /* TEST link_relaxed R R R */
PAIR(ring, , plain = 7; store(&x, 1, REL);, if (load(&x, ACQ)) assert(plain == 7);, )         /* TEST ring - - - */
PAIR(ring_relaxed, , plain = 7; store(&x, 1, RLX);, if (load(&x, ACQ)) assert(plain == 7);, ) /* TEST ring_relaxed R R R */
PAIR(slots, , store(&x, 1, RLX); store(&y, 1, REL);, if (load(&y, ACQ)) assert(load(&x, RLX));, )         /* TEST slots - - - */
PAIR(slots_relaxed, , store(&x, 1, RLX); store(&y, 1, RLX);, if (load(&y, ACQ)) assert(load(&x, RLX));, ) /* TEST slots_relaxed - - A */
/* A later store of the same thread does not continue what its release began (C++20). */
PAIR(continued, , plain = 1; store(&x, 1, REL); store(&x, 2, RLX);, if (load(&x, ACQ) == 2) assert(plain);, ) /* TEST continued - R R */
#define SEQLOCK(name, writer, reader, again) \
  PAIR(name, , int s = load(&z, RLX); store(&z, s + 1, RLX); writer(REL); store(&x, 1, RLX); store(&y, 1, RLX); store(&z, s + 2, REL);, \
       int s; int a; int b; \
       do { s = load(&z, ACQ); a = load(&x, RLX); b = load(&y, RLX); reader(ACQ); } while (s & 1 || s != load(&z, again)); \
       assert(a == b);, )
SEQLOCK(seqlock, fence, fence, RLX)               /* TEST seqlock - - - */
SEQLOCK(seqlock_no_fences, nothing, nothing, ACQ) /* TEST seqlock_no_fences - - A */

/* --- what orders, and what waits --- */

PAIR(joined, , store(&x, 1, RLX);, store(&y, 1, RLX);, assert(load(&x, RLX) && load(&y, RLX));) /* TEST joined - - - */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void locked(void) {
  pthread_mutex_lock(&mutex);
  store(&x, load(&x, RLX) + 1, RLX);
  pthread_mutex_unlock(&mutex);
}
PAIR(in_mutex, , locked();, locked();, assert(load(&x, RLX) == 2);)              /* TEST in_mutex - - - */
PAIR(awaited, , store(&x, 1, RLX);, while (!load(&x, RLX)) {}, )                   /* TEST awaited - - - */
PAIR(awaited_relaxed, , plain = 1; store(&x, 1, REL);, while (!load(&x, RLX)) {} assert(plain);, ) /* TEST awaited_relaxed R R R */
PAIR(awaited_acquired, , plain = 1; store(&x, 1, REL);, while (!load(&x, ACQ)) {} assert(plain);, ) /* TEST awaited_acquired - - - */
PAIR(taken, , plain = 1; store(&x, 1, REL);, while (exchange(&x, 0, ACQ) != 1) {} assert(plain);, ) /* TEST taken - - - */
PAIR(never, , store(&x, 1, RLX);, while (!load(&z, RLX)) {}, )                     /* TEST never L L L */
/* What was read before the loop does not matter to it, though it is no longer the newest. */
PAIR(never_again, , store(&x, 1, RLX);, if (!load(&x, RLX)) while (!load(&z, RLX)) {}, ) /* TEST never_again L L L */
PAIR(in_order, , store(&x, 1, RLX); store(&x, 2, RLX);, int a = load(&x, RLX); assert(a <= load(&x, RLX));, ) /* TEST in_order - - - */
static struct { _Atomic char a, b; } pair;
PAIR(neighbours, , store(&pair.a, 1, RLX); store(&pair.b, 1, RLX);, int b = load(&pair.b, RLX); assert(load(&pair.a, RLX) || !b);, ) /* TEST neighbours - - A */
static _Atomic(atomic_int *) box;
#define BOX(name, look) \
  PAIR(name, , atomic_int *p = malloc(sizeof *p); memset(p, 0, sizeof *p); store(p, 5, RLX); store(&box, p, REL);, \
       atomic_int *p = load(&box, look); if (p) assert(load(p, RLX) == 5);, )
BOX(boxed, ACQ)         /* TEST boxed - - - */
BOX(boxed_relaxed, RLX) /* TEST boxed_relaxed R R R */
