/* Two objects of the library, a and b, of which each thread puts into one and looks into the other: is what was put
 * there when `put` returns? KIND: which object. */
#include <asif.h>
#include <stdbool.h>

#if KIND == 0
#include "../../objects/lib/spsc_ring.c"
static struct spsc_ring *objects[2];
static struct spsc_ring *create(void) { return spsc_ring_create(2); }
static bool put_into(int i, long v) { return spsc_ring_enq(objects[i], v); }
static bool get_from(int i, long *v) { return spsc_ring_deq(objects[i], v); }
#elif KIND == 1
#include "../../objects/lib/chase_lev_deque.c"
static struct chase_lev_deque *objects[2];
static struct chase_lev_deque *create(void) { return chase_lev_deque_create(2); }
static bool put_into(int i, long v) { return chase_lev_deque_push(objects[i], v); }
static bool get_from(int i, long *v) { return chase_lev_deque_steal(objects[i], v); }
#elif KIND == 2
#include "../../objects/lib/two_lock_queue.c"
static struct two_lock_queue *objects[2];
static struct two_lock_queue *create(void) { return two_lock_queue_create(); }
static bool put_into(int i, long v) { return two_lock_queue_enq(objects[i], v); }
static bool get_from(int i, long *v) { return two_lock_queue_deq(objects[i], v); }
#elif KIND == 3
#include "../../objects/lib/lamport_register.c"
static struct lamport_register *objects[2];
static struct lamport_register *create(void) { return lamport_register_create(1); }
static bool put_into(int i, long v) {
  lamport_register_write(objects[i], &v);
  return true;
}
static bool get_from(int i, long *v) {
  lamport_register_read(objects[i], v);
  return *v != 0;
}
#elif KIND == 4
#include "../../objects/lib/mpmc_ring.c"
static struct mpmc_ring *objects[2];
static struct mpmc_ring *create(void) { return mpmc_ring_create(2); }
static bool put_into(int i, long v) { return mpmc_ring_enq(objects[i], v); }
static bool get_from(int i, long *v) { return mpmc_ring_deq(objects[i], v); }
#elif KIND == 5
#include "../../objects/lib/hazard.c"
#include "../../objects/lib/ms_queue.c"
static struct ms_queue *objects[2];
static struct ms_queue *create(void) { return ms_queue_create(hazard_create(2, 1)); }
static bool put_into(int i, long v) {
  ms_queue_enq(objects[i], v);
  return true;
}
static bool get_from(int i, long *v) { return ms_queue_deq(objects[i], v); }
#elif KIND == 6
#include "../../objects/lib/hazard.c"
#include "../../objects/lib/treiber_stack.c"
static struct treiber_stack *objects[2];
static struct treiber_stack *create(void) { return treiber_stack_create(hazard_create(2, 1)); }
static bool put_into(int i, long v) {
  treiber_stack_push(objects[i], v);
  return true;
}
static bool get_from(int i, long *v) { return treiber_stack_pop(objects[i], v); }
#endif

static void set_up(void) { objects[0] = create(), objects[1] = create(); }
static int put_one(int i) { return put_into(i, 1); }
static int get_one(int i) {
  long v = 0;
  return get_from(i, &v) ? 1 : 0;
}
ASIF_OBJECT(self)
ASIF_OP_AS(put, put_one, ASIF_IN(0, 1))
ASIF_OP_AS(get, get_one, ASIF_IN(0, 1))
ASIF_INIT(set_up)
