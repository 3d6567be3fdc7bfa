/* Numbers that do not fit into a word as they are: a table that only grows, so that equal numbers are equal words.
 *
 * Which entry a number has depends on the order in which numbers are met, and so means nothing outside a process:
 * what is stored or printed is the number. Workers share the table. */
#ifndef ASIF_FRONT_WIDES_H
#define ASIF_FRONT_WIDES_H

#include "front/program.h"

struct wides *wides_new(struct mem *);
word wides_put(struct wides *, int64_t); /* WORD_UNINITIALISED: there is no memory for it */
int64_t wides_get(const struct wides *, word);

static inline word word_of_number(struct wides *t, int64_t n) { return word_is_small(n) ? n : wides_put(t, n); }
/* The word is an integer. */
static inline int64_t number_of_word(const struct wides *t, word w) { return word_is_wide(w) ? wides_get(t, w) : w; }

#endif
