/* A work-stealing deque: its owner pushes and pops at one end, others steal at the other.
 *
 * D. Chase and Y. Lev, Dynamic Circular Work-Stealing Deque (2005); N. M. Le, A. Pop, A. Cohen and F. Zappa Nardelli, Correct and
 * Efficient Work-Stealing for Weak Memory Models (2013). Linearizable (specification: deque, steal being pop-front); push and pop
 * by one thread at a time, steal by any number. A steal that loses against another looks again.
 *
 * progress   push and pop are wait-free, where memory is; steal is lock-free
 * memory     a word a value, in an array that doubles where it must; those it had before, together no longer than it is, stay
 *            until the deque is destroyed, since thieves may be reading them
 * time       constant, but for the copying, which is constant on average */
#ifndef ASIF_OBJECTS_CHASE_LEV_DEQUE_H
#define ASIF_OBJECTS_CHASE_LEV_DEQUE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct chase_lev_deque;

struct chase_lev_deque *chase_lev_deque_create(size_t size);     /* for so many at first, 1 or more; else, or without memory, NULL */
void chase_lev_deque_destroy(struct chase_lev_deque *);          /* NULL, or nobody uses it any more; values in it are gone */
bool chase_lev_deque_push(struct chase_lev_deque *, long value); /* the owner; false: there is no memory, and nothing happened */
bool chase_lev_deque_pop(struct chase_lev_deque *, long *value); /* the owner: what was pushed last; false: it was empty */
bool chase_lev_deque_steal(struct chase_lev_deque *, long *value); /* anybody: what was pushed first; false: it was empty */

#ifdef __cplusplus
}
#endif
#endif
