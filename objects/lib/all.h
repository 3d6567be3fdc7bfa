/* All objects of the library, libasif-objects. Each has a header of its own, which says what it promises. All keep to this:
 *
 * - create returns NULL where there is no memory, or where a size is 0, too large or otherwise not one that the header allows, or
 *   where the struct hazard * is NULL. destroy ignores NULL.
 * - An operation that returns bool and may fail returns false where it did nothing: the object is unchanged, and so is what the
 *   caller's pointer (value, added, removed) points to.
 * - Values and keys that an object cannot hold, which its header names, are never inside: to put one in returns false, to remove it or
 *   look for it finds nothing.
 * - What an operation did is seen by every operation on any object that begins after it has returned. */
#ifndef ASIF_OBJECTS_ALL_H
#define ASIF_OBJECTS_ALL_H

#include "blink_tree.h"
#include "bounded_priority_queue.h"
#include "chase_lev_deque.h"
#include "elimination_stack.h"
#include "harris_michael_set.h"
#include "hazard.h"
#include "herlihy_wing_queue.h"
#include "k_fifo_queue.h"
#include "lamport_register.h"
#include "lazy_set.h"
#include "lock_coupling_set.h"
#include "mpmc_ring.h"
#include "ms_queue.h"
#include "multiset.h"
#include "optimistic_set.h"
#include "priority_queue.h"
#include "semiqueue.h"
#include "snzi.h"
#include "spsc_ring.h"
#include "stuttering_queue.h"
#include "treiber_stack.h"
#include "two_lock_queue.h"
#include "wing_gong_bounded_queue.h"
#include "wing_gong_queue.h"

#endif
