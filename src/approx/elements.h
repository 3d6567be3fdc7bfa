/* The element monitor, between its events (elements.c), its decisions (elements_judge.c) and what it shows
 * (elements_show.c).
 *
 * An element is a value with its push and its pop (Bouajjani et al. 2015, section 7.2). Its class is the two intervals,
 * and the two operations where there are several of a kind (a deque's ends). By Lemma 7.1 elements of one class are
 * redundant. So are those of a class with wider intervals than another's: made narrower they would be redundant with
 * the other, and made wider again they only have more freedom. What A_k says is then a function of little: which
 * narrowest classes of popped elements there are, which of elements inside, and which intervals of pops that found
 * nothing. What pending pops can have taken is found by trying (elements_judge.c).
 *
 * Intervals are counted from the start and never stop; interval n - k and all before it are 0 of A_k. n begins with k:
 * then the latest interval is always k. */
#ifndef ASIF_APPROX_ELEMENTS_H
#define ASIF_APPROX_ELEMENTS_H

#include "approx/monitor.h"

enum {
  INTERVALS_MOST = APPROX_INTERVALS(APPROX_K_MOST),
  SIDES = 2, /* operations of a kind: a deque has two that push and two that pop */
  ITEMS_LEAST = 256,
  FOLLOWED_MOST = 1 << 20, /* values in flight that are followed */
  OTHERS = 1 << 16,        /* counters for those that are not */
  GONE = 256,              /* elements that were popped last, remembered for showing */
  LIVE_MOST = 512,         /* narrowest classes at a time */
  SAME_MOST = 128, /* pushes of a value that is in flight several times, as long as pops beyond them are noticed */
  NARROW_K = 2,    /* up to here, and with one push and one pop, all bits are in one word */
};

/* What decides which classes matter. */
enum order_kind {
  ORDER_QUEUE,
  ORDER_STACK,
  ORDER_DEQUE,
  ORDER_NONE, /* a bag */
  ORDER_OTHER
};

/* A specification that has elements. */
struct shape {
  enum spec_family family;
  bool weak, bounded;
  const char *judge; /* what decides: a specification that allows at least as much; NULL: itself */
  unsigned pushes, pops;
  enum order_kind order;
  bool exact;        /* the lemma holds: with distinct values it is A_k's verdict */
  const char *blind; /* what of the specification is not looked at; or NULL */
};
const struct shape *shape_of(const struct spec *);

/* A value in flight. */
enum item_kind {
  ITEM_NONE,
  ITEM_PUSHING, /* its push is open; when: the interval it began in; which: its slot */
  ITEM_INSIDE,  /* its push has returned; when: the interval that was in, * 16 + how many intervals before it began (at
                   most 15) */
  ITEM_HALF,    /* popped, and its push is still open; which: of halves */
  ITEM_MANY     /* pushed again before it was popped; which: of manys */
};
struct item {
  value v;
  unsigned kind : 3, side : 1, retired : 1, which : 27;
  uint64_t when;
};
struct items {
  struct item *at; /* open addressing, at most half full, removal by moving back */
  uint32_t room, count;
  unsigned shift;
};

struct open { /* an operation, by slot */
  uint64_t start;
  value v;
  uint8_t method;
  bool loose;    /* a pop that may find nothing at any time */
  bool other;    /* a push whose value is not followed */
  uint32_t half; /* a push whose value was popped, and has been pushed again since: of halves, plus 1 */
};
struct half {
  value v;
  uint8_t push_side, pop_side;
  bool used, retired, apart; /* apart: the value's item is that of a later push */
  uint32_t slot;             /* of the push, unless retired */
  uint64_t push_from, pop_from, pop_to;
};
struct many {
  value v;
  uint32_t next;         /* of a free one: the next that is, plus 1 */
  bool blind;            /* it was pushed too often to be shown: only the difference counts */
  uint32_t called, open; /* pushes */
  uint32_t popped;       /* pops that returned it */
};

/* Numbers of decisions, and what they were. A number stands for a set of bits: where it has more than 62 of them, by
 * their hash. */
struct memo {
  uint64_t *at; /* number * 4 + 2 + verdict; 0: none */
  uint32_t room, count;
};

/* Narrowest classes of popped elements: bits where narrow, else a list. */
struct live {
  uint64_t bits;
  unsigned count;
  uint16_t at[LIVE_MOST];
};

static inline void live_copy(struct live *to, const struct live *from) {
  to->bits = from->bits;
  to->count = from->count;
  for (unsigned i = 0; i < from->count; i++) to->at[i] = from->at[i];
}

/* An element that was popped, for showing that it was popped again. */
struct gone {
  value v;
  uint8_t push_side, pop_side;
  uint64_t pushed; /* as item.when */
  uint64_t pop_from, pop_to;
};

enum wrong_kind { WRONG_NOTHING, WRONG_UNKNOWN, WRONG_TWICE, WRONG_MANY, WRONG_CLASSES };

struct elements {
  struct monitor m;
  const struct shape *shape;
  uint16_t loose, exact; /* where it is weak: spec.loose and spec.exact; else UINT16_MAX */
  struct spec judge;
  unsigned k, intervals, classes;
  bool narrow;
  bool returned; /* the last event was a return */
  bool fewer;    /* a pop was dropped: then a push's return may show a violation, too */
  uint64_t n;    /* the interval now */
  struct items items;
  VEC(struct open) slots;
  uint32_t inside[SIDES][INTERVALS_MOST];               /* elements not popped whose push has returned */
  uint32_t pending[SIDES][APPROX_K_MOST + 1], pendings; /* open pops by where they began */
  struct live popped, halfway;                          /* with their pushes returned, and not */
  value *example;                                       /* of each popped class */
  uint64_t empty[SIDES];                                /* a bit an interval */
  VEC(struct half) halves;
  uint32_t halves_used;
  VEC(struct many) manys;
  uint32_t manys_free; /* plus 1 */
  uint32_t *others;
  struct memo plain, freed; /* without and with pending pops */
  uint64_t fine;            /* the last number that was, plus 1 */
  uint64_t asked, budget;   /* exact decisions: in all, and left for this event */

  /* Tables of k and the shape. */
  uint8_t interval[APPROX_K_MOST + 1][APPROX_K_MOST + 1]; /* [i, j] -> its number */
  uint8_t from[INTERVALS_MOST], to[INTERVALS_MOST], shifted[INTERVALS_MOST];
  uint16_t *class_shifted; /* popped class -> class, or NO_CLASS where it does not matter any more */
  bool *matters;           /* a class each */
  uint64_t wider[64],
      narrower[64]; /* where narrow: for each class those it makes redundant, and those that make it so */
  uint64_t around[INTERVALS_MOST];                        /* intervals: those around it */
  unsigned kept_count;                                    /* of elements inside: the intervals that matter, */
  uint8_t kept[INTERVALS_MOST], kept_bit[INTERVALS_MOST]; /* and the bit each is known by */

  enum wrong_kind wrong;
  value wrong_value;
  struct half wrong_pop; /* its pop_side, pop_from and pop_to */
  struct many wrong_many;
  struct gone gone[GONE];
  unsigned gone_next;
};
#define NO_CLASS UINT16_MAX

static inline unsigned relative(const struct elements *e, uint64_t interval) {
  uint64_t base = e->n - e->k;
  return interval > base ? (unsigned)(interval - base) : 0;
}
static inline unsigned class_of(const struct elements *e, unsigned push_side, unsigned push, unsigned pop_side,
                                unsigned pop) {
  return ((push_side * e->shape->pops + pop_side) * e->intervals + push) * e->intervals + pop;
}
static inline void class_parts(const struct elements *e, unsigned class, unsigned *push_side, unsigned *push,
                               unsigned *pop_side, unsigned *pop) {
  *pop = class % e->intervals;
  *push = class / e->intervals % e->intervals;
  unsigned sides = class / e->intervals / e->intervals;
  *pop_side = sides % e->shape->pops;
  *push_side = sides / e->shape->pops;
}
/* The interval of an element's push that has returned. */
static inline unsigned inside_interval(const struct elements *e, const struct item *x) {
  uint64_t end = x->when >> 4;
  return e->interval[relative(e, end - (x->when & 15))][relative(e, end)];
}

/* elements.c */
struct monitor *monitor_of_elements(struct mem *, const struct spec *, unsigned k, struct problem *);
void live_add(const struct elements *, struct live *, unsigned class);

/* elements_judge.c: is A_k, as the classes tell it, the specification's? */
void judge_open(struct elements *);
bool judge(struct elements *);
size_t judge_bytes(const struct elements *);

/* elements_show.c */
void elements_show(struct monitor *, struct text *said);

#endif
