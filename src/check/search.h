/* The general search: any specification, exact. See search.c. */
#ifndef ASIF_CHECK_SEARCH_H
#define ASIF_CHECK_SEARCH_H

#include "check/part.h"
#include "spec/states.h"

struct search;

/* A search keeps its states and steps from one part to the next. */
struct search *search_new(struct mem *, const struct spec *);
void search_run(struct search *, const struct part *, struct decision *);

/* The configurations a part may begin in, where it is the later part of another. The operations under way then are the
 * part's first ones, and their calls its first events. */
enum status { STATUS_DUE, STATUS_DONE, STATUS_OPTIONAL };
struct start {
  uint32_t count;       /* configurations */
  uint32_t under_way;   /* operations */
  struct state *states; /* a configuration each */
  uint8_t *status;      /* a configuration each: `under_way` statuses */
};

/* The configurations just before an event of a part, or false if that took more than `most` configurations. */
bool search_capture(struct search *, const struct part *, uint32_t event, uint64_t most, struct mem *, struct start *);
/* As search_run from a start (NULL: the initial states), giving up (VERDICT_UNKNOWN) beyond `most` configurations. */
void search_bounded(struct search *, const struct part *, const struct start *, uint64_t most, struct decision *);

/* One walk that keeps the `width` configurations that have used up least, and have least left to do: a linearization,
 * if there are many. */
void search_once(struct search *, const struct part *, uint32_t width, uint64_t most, struct decision *);

/* As search_run, giving up where it has met more than `least` configurations and `each` for every event so far: a
 * search that is hard where it begins is not gone on with because much is to come. */
void search_paced(struct search *, const struct part *, uint64_t least, uint64_t each, struct decision *);

/* Orders that every linearization keeps, known from elsewhere: `first` before `then`, both returned operations. They
 * hold for the runs that follow, until set anew; NULL for none. */
struct known_order {
  uint32_t first, then;
};
void search_narrow(struct search *,
                   uint32_t width); /* how many configurations to keep in the first attempt; 256 if not said */
void search_know(struct search *, const struct known_order *, uint32_t count);

#endif
