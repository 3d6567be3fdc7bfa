/* The inside of telling a run: what is recorded while it is made (told.c), from which tell.c makes the rows. */
#ifndef ASIF_TEST_TOLD_H
#define ASIF_TEST_TOLD_H

#include "test/naming.h"

enum { CALLERS_MOST = 6 };

/* Places in the code from the access outwards: the function that makes it, the one that called that, ... */
struct trail {
  size_t places[CALLERS_MOST]; /* of telling.offsets */
  unsigned count;
};

/* What a word that was read or written points to. */
struct told_word {
  uint64_t number;
  bool points; /* it is an address, but for the marks */
  unsigned marks;
  struct named to;
};

struct told_access {
  struct access access;
  const char *name;         /* of its address, as it was then: a block may be freed and used again later */
  const char *read, *wrote; /* the values in words; NULL: not known */
  size_t place;             /* SIZE_MAX: not known */
  /* The same as it is shown. */
  bool noted;
  struct named named;
  struct told_word saw[2], put[2];
  bool fresh;        /* what was read nobody had written */
  const char *order; /* of memory, under a weak memory model; or NULL */
  struct trail trail;
};

/* What a thread was about to do when it stopped, after so many steps. */
struct about {
  size_t steps;
  uint8_t fiber, kind;
  struct named named;
  struct trail trail;
};

struct extent_written {
  uintptr_t at;
  uint64_t size;
};

struct told_slot { /* of the graph (run/graph.h) */
  uint32_t slot, line;
};
struct telling {
  struct mem *mem;
  const struct object *object;
  const struct client *client;
  struct schedule *schedule;
  VEC(struct told_access) accesses;
  VEC(uintptr_t) offsets; /* places to look up */
  struct place *places, *plain_places;
  size_t *op_places;    /* of each operation: its place */
  size_t *found_places; /* of what was found */
  const char *image;    /* its file */
  uintptr_t base;
  struct debug_info *info; /* NULL: there is none */
  struct naming *naming;
  struct stack_frames frames; /* while something is named */
  VEC(struct about) about;
  VEC(struct told_access) notes;      /* what recorder.note found out: the first is none */
  VEC(struct told_slot) slots;        /* the lines that tell of them */
  VEC(struct extent_written) written; /* by threads; sorted, once the run is over */
  uint64_t widest;                    /* of these */
};

extern const struct recorder told_recorder; /* its context is a telling */
void told_sort(struct telling *);           /* after the run */

size_t told_place(struct telling *, uintptr_t offset); /* the number of a place */
/* "store top", "store top = 1": plain, or with the names of the source. */
void put_deed(struct telling *, const struct told_access *, bool shown, struct text *);
void put_access(struct telling *, const struct told_access *, bool shown, struct text *);
void put_name(struct telling *, const struct named *, struct text *); /* as it is shown */
const char *plain_name(struct mem *, uintptr_t address);              /* NULL: of 0 */
/* What it read or wrote. */
void put_value(struct telling *, const struct told_access *, bool written, bool shown, struct text *);

/* Rows (tell.c). What is told, plain and as it is shown: */
struct saying {
  struct text plain, shown;
};
void say(struct saying *, const char *words);
/* The place that is shown: of the function that makes the access, or if that is of the system the nearest that called
 * it and is not. */
struct place;
const struct place *told_place_of(const struct telling *, size_t place, const struct trail *);
void say_place(struct text *, const struct place *); /* " at FILE:LINE" */
void told_line(struct telling *, uint32_t step, unsigned thread, enum schedule_kind, size_t place, const struct trail *,
               struct saying *);

/* Weak memory (told_weak.c). */
const char *told_order(const struct access *); /* of an access that was just made; NULL: none */
/* Under a row: that the access read an old value, or stored before what was stored already, and why it may. */
void tell_weak(struct telling *, uint32_t step, const struct told_access *, struct saying *);
void tell_edges(struct telling *); /* when all has been told */

#endif
