/* Hazard pointers: safe memory reclamation for lock-free objects.
 *
 * M. M. Michael, Hazard Pointers: Safe Memory Reclamation for Lock-Free Objects (2004). A node that was taken out of an object is
 * retired instead of freed; it is freed when no hazard pointer of any thread points to it.
 *
 * A thread holds a record for one operation: hazard_enter, ..., hazard_leave. Before it follows a pointer it publishes it in the
 * record (hazard_set) and then reads the place it has it from again: if that still says the same, the node was not retired
 * before, and stays until the pointer is replaced or the record given back. Nothing is left behind in a thread: it need not be
 * registered, nor say when it ends, and it may be interrupted anywhere for as long as it likes.
 *
 *   struct hazard_record *r = hazard_enter(domain);
 *   do n = atomic_load(&top), hazard_set(r, 0, n); while (n != atomic_load(&top));
 *   ... n may be read ... if (this thread took n out) hazard_retire(r, &n->retired, free);
 *   hazard_leave(r);
 *
 * A node begins with a struct hazard_node, whose fields belong to the domain once the node is retired: retiring needs no memory, so
 * that taking a node out cannot fail for lack of it.
 *
 * The second read, and the write that takes a node out, must be sequentially consistent (the default of <stdatomic.h>).
 *
 * progress   lock-free; hazard_enter and hazard_leave are one atomic access each while no more threads are inside than there are
 *            records. More records are made where more threads are; without memory for one, hazard_enter waits.
 * memory     two words a node; at most batch + HAZARD_POINTERS * (threads inside) nodes a record wait to be freed.
 * time       of hazard_retire: constant on average, if batch is in proportion to the records. */
#ifndef ASIF_OBJECTS_HAZARD_H
#define ASIF_OBJECTS_HAZARD_H

#ifdef __cplusplus
extern "C" {
#endif

enum { HAZARD_POINTERS = 4 }; /* of a record */

struct hazard_node { /* the first member of a node that is retired */
  struct hazard_node *next;
  void (*reclaim)(void *node);
};
struct hazard;        /* a domain: for any number of objects */
struct hazard_record; /* of a thread that is inside */

/* How many records at first, and how many retired nodes a record collects before it frees; 0: 64, and twice as many as there are
 * hazard pointers. NULL if there is no memory. */
struct hazard *hazard_create(unsigned records, unsigned batch);
/* Frees all that is retired. No thread is inside, nor will be. NULL is ignored. */
void hazard_destroy(struct hazard *);

struct hazard_record *hazard_enter(struct hazard *);
void hazard_leave(struct hazard_record *);
void hazard_set(struct hazard_record *, unsigned i, const void *node); /* i < HAZARD_POINTERS */
/* The node can no longer be reached from the object: reclaim(node) is called once no hazard pointer points to it. Cannot fail. */
void hazard_retire(struct hazard_record *, struct hazard_node *, void (*reclaim)(void *));

#ifdef __cplusplus
}
#endif
#endif
