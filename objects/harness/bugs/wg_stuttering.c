/* The stuttering queue as it is printed in Wing and Gong, section 8.2: a deq goes on past a slot that J others look at, though
 * they may have looked before it was filled, and then nobody takes what is in it (../../lib/stuttering_queue.c). With J = 1 it
 * should be a queue.
 *
 * Expected: not linearizable, with enq(1) enq(2) enq(2) | deq() | deq() deq(). */
#define AS_PRINTED
#define J 1
#include "../stuttering_queue.c"
