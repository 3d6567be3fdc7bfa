/* The general search: any specification, exact. See search.c. */
#ifndef ASIF_CHECK_SEARCH_H
#define ASIF_CHECK_SEARCH_H

#include "check/part.h"
#include "check/states.h"

struct search;

/* A search keeps its states and steps from one part to the next. */
struct search *search_new(struct mem *, const struct spec *);
void search_run(struct search *, const struct part *, struct decision *);

#endif
