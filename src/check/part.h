/* Parts: the independent problems a history falls into, and what a decider says of one.
 *
 * By locality (Herlihy and Wing) objects are decided apart, and by P-compositionality so are the keys of a map or a
 * set. A part numbers its own operations and events; a decider sees nothing but its part. */
#ifndef ASIF_CHECK_PART_H
#define ASIF_CHECK_PART_H

#include "check/check.h"

struct part {
  const struct spec *spec;
  const struct values *values;
  const struct op *ops; /* by call, events numbered 0 .. events-1 within the part */
  uint32_t count;
  uint32_t events;
  const uint32_t *global;       /* operation -> operation of the history; NULL if the part is the history */
  const uint32_t *global_event; /* event -> event of the history; NULL alike */
  uint32_t guesses;             /* of what pending removals took, that a monitor may try; 0: its own number */
  bool verdict_only;            /* nobody wants the linearization: `order` may stay empty */
};

/* One of its events, as one of the history. */
static inline uint32_t global_event(const struct part *p, uint32_t event) {
  return p->global_event ? p->global_event[event] : event;
}

typedef VEC(uint32_t) op_list;

/* A decider's answer. `order` holds a linearization when it holds: every returned operation, and the pending ones that
 * took effect. When violated, `core` holds operations that cannot be linearized whatever the part's others do, and
 * `culprit` the one at whose return it showed. */
struct decision {
  enum verdict verdict;
  op_list order;
  op_list core;
  uint32_t culprit;
  bool prefix;      /* the core is all that was called before the culprit returned, and wrong only up to that event */
  bool hint;        /* it may show at the culprit's return for the first time, or not */
  bool closed;      /* the core is all there is on its values, but for reads, and other values may be left out */
  uint32_t right;   /* no prefix that ends before this event is wrong, whatever was open by then goes on to return */
  uint32_t reached; /* events decided */
  uint64_t configurations; /* explored */
};

/* Whether a decider applies to a part. */
enum applies { APPLIES, APPLIES_NOT };

/* The events of a part in order: (operation << 1) | is_return. */
uint32_t *part_events(const struct part *, struct mem *);
void part_events_into(const struct part *, uint32_t *events);

/* The earliest gap of each operation of an order; false if the order breaks real time. */
bool order_gaps(const struct part *, const uint32_t *order, size_t count, uint32_t *gap);

/* The part of the given operations alone (by call); owned by mem. */
struct part part_restrict(const struct part *, struct mem *, const uint32_t *ops, size_t count);

/* Before an event, with about NEAR operations returning in between: the moment with the least under way, just before
 * the event returned. Of operations that are left out (a byte each; or NULL) nothing is seen. */
enum { NEAR = 48 };
uint32_t part_quiet_before(const struct part *, struct mem *, uint32_t event, const uint8_t *left_out);

/* Deciders. The fast ones say APPLIES_NOT, with the reason in words, where they do not apply (repeated values). */
typedef enum applies decider(const struct part *, struct mem *, struct decision *, const char **why_not);
decider fast_register, fast_queue, fast_stack, fast_priority_queue;
decider search_part, wing_gong_part, match_queue_part;
/* What every linearization needs: applies where it is wanting, and says violated (conditions.c). */
decider conditions_part;

/* Which fast monitor a specification has, and its name; NULL if none. */
struct monitor {
  decider *decide;
  decider *repeated; /* where `decide` does not apply, because of repeated values for example; or NULL */
  const char *name;
  bool
      partly; /* it is made for some of the specification's operations only: where there are others nobody expects it */
};
const struct monitor *monitor_for(const struct spec *);

#endif
