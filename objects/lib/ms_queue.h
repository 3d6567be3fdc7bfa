/* Michael and Scott's non-blocking queue.
 *
 * M. M. Michael and M. L. Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms (1996), with
 * the hazard pointers of Michael (2004), figure 8. First in, first out; linearizable; any number of threads.
 *
 * progress   lock-free
 * memory     a node for each value and one more, freed through hazard pointers
 * time       constant, while nobody else is at the same end */
#ifndef ASIF_OBJECTS_MS_QUEUE_H
#define ASIF_OBJECTS_MS_QUEUE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct ms_queue;

struct ms_queue *ms_queue_create(struct hazard *); /* NULL if there is no memory */
void ms_queue_destroy(struct ms_queue *);          /* NULL, or nobody uses it any more; values in it are gone */
bool ms_queue_enq(struct ms_queue *, long value);  /* false: there is no memory, and nothing happened */
bool ms_queue_deq(struct ms_queue *, long *value); /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
