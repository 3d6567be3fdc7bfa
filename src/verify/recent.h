/* What became of states expanded lately. Many states come back soon, with another set: their moves are the same, and so
 * are the states that these lead to, packed and with the threads in order. Only what becomes of the set is left to
 * find.
 *
 * Each state has one place where it is kept until another needs it: for each thread a head, and then its moves. */
#ifndef ASIF_VERIFY_RECENT_H
#define ASIF_VERIFY_RECENT_H

#include "verify/system.h"

struct recent_thread {
  uint16_t same; /* the threads before it that have exactly the same to do, a bit each */
  bool known;    /* its moves follow; else they have to be made */
  uint8_t move_count;
  uint16_t waits;      /* how many more moves wait; */
  bool locked, parked; /* one of those for a lock, for a signal */
};

_Static_assert(sizeof(struct recent_thread) % 8 == 0, "what follows must be aligned");

/* After it come the events, where the threads are from (system.pack) unless they are where they were, and the packed
 * state. */
struct recent_move {
  uint64_t hash;
  uint16_t turn; /* by which of the thread's choices it is made */
  uint8_t size;  /* of the packed state; 0: the move has to be made again */
  uint8_t event_count;
  bool ordered; /* threads are where they were */
};

struct recent;
struct recent *recent_new(struct mem *, unsigned threads);
void recent_expect(const struct recent *, uint32_t state); /* asks for the memory */

/* Reading. A state is a number of the caller's. */
bool recent_find(struct recent *, uint32_t state);
const struct recent_thread *recent_thread(struct recent *);
struct recent_view {
  const struct recent_move *move;
  const struct event *events;
  const uint8_t *from;
  const unsigned char *packed;
};
struct recent_view recent_next(struct recent *); /* the thread's next move */

/* Keeping: begin, then all threads in turn with their moves, then end. What does not fit is not kept. */
void recent_begin(struct recent *, uint32_t state);
void recent_add_thread(struct recent *, uint16_t same, bool known);
void recent_add_wait(struct recent *, bool locked, bool parked);
void recent_add_again(struct recent *, const struct move *, unsigned turn); /* it has to be made again */
void recent_add(struct recent *, const struct move *, unsigned turn, const unsigned char *packed, uint32_t size,
                uint64_t hash, const uint8_t *from);
void recent_give_up(struct recent *);
void recent_end(struct recent *);

#endif
