/* Operations that are given as intervals, with the times of their calls and returns: numbering their events.
 *
 * Intervals are closed, so [10,20] and [20,30] overlap, unless they are of one process that does one thing at a time
 * (history.in_turn): it returned from the first before it called the second, whatever the clock says, and both
 * overlap what others do at that moment. One order of the events says so where one process does that at a moment: the
 * calls of the others, its return, its next call, the returns of the others. Where several do, none does: of A [1,5],
 * A [5,8], B [1,5] and B [5,8] the first of each overlaps the second of the other. Such a history is *tied*. Its events
 * are numbered as if the processes had taken turns, which is one of the ways it may have been; the *loose* reading of
 * it has at these moments all calls before all returns, and leaves out what is known of each process. */
#ifndef ASIF_HISTORY_INTERVALS_H
#define ASIF_HISTORY_INTERVALS_H

#include "history/history.h"

struct moment {
  int64_t time;
  uint32_t op;
};

/* Sorts by time; equal times stay in the order they are in. */
void sort_moments(struct mem *, struct moment *, size_t);

/* Numbers the operations' events in the order of these times, which it sorts: at one time calls before returns. Returns
 * how many there are. */
uint32_t number_events(struct mem *, struct op *, struct moment *calls, size_t n, struct moment *returns, size_t k);

/* Numbers the events of operations with these times; sets h->events, h->touches and h->tied. */
void number_intervals(struct history *h, const int64_t *call, const int64_t *ret);

/* A tied history with its events numbered in another way, operations by call again, same tables. *origin, if asked for,
 * is what number each operation had. */
struct history *history_loose(const struct history *, struct mem *);
/* A turn is an operation's end, and the beginning of the next one of the process. Turns are taken in the order of the
 * ranks that the operations which end have; those of one moment without a rank (UINT32_MAX) come after the others
 * there, and are read loosely. */
struct history *history_by_rank(const struct history *, struct mem *, const uint32_t *rank, uint32_t **origin);
/* Of each operation the one whose end is its beginning, where that is a turn of a tied moment; else UINT32_MAX. */
uint32_t *history_turns(const struct history *, struct mem *);

/* True if operations of one process overlap by their times, and do not merely touch: the earlier, and the later. */
bool history_overlap(const struct history *, struct mem *, uint32_t *earlier, uint32_t *later);

#endif
