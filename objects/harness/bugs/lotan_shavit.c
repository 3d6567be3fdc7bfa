/* A priority queue after I. Lotan and N. Shavit, Skiplist-Based Concurrent Priority Queues (2000), without their time stamps: a
 * node carries its own mark, and values can be put behind one that is deleted. A deq that has come to a deleted node takes a
 * value put in behind it, though before that a smaller one was put in before it. It is quiescently consistent.
 *
 * Expected: not linearizable, with insert(2) deq() insert(1) insert(3) | deq(). */
#define MARKS_NODES
#define VALUES 3
#include "../priority_queue.c"
