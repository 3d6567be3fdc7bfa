/* Treiber's stack: a list whose first node is exchanged.
 *
 * R. K. Treiber, Systems Programming: Coping with Parallelism (1986). Linearizable; any number of threads.
 *
 * progress   lock-free
 * memory     a node for each value, freed through hazard pointers
 * time       constant, while nobody else is at the top */
#ifndef ASIF_OBJECTS_TREIBER_STACK_H
#define ASIF_OBJECTS_TREIBER_STACK_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hazard; /* hazard.h */
struct treiber_stack;

struct treiber_stack *treiber_stack_create(struct hazard *); /* NULL if there is no memory */
void treiber_stack_destroy(struct treiber_stack *);          /* NULL, or nobody uses it any more; values in it are gone */
bool treiber_stack_push(struct treiber_stack *, long value); /* false: there is no memory, and nothing happened */
bool treiber_stack_pop(struct treiber_stack *, long *value); /* false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
