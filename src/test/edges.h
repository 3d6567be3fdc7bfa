/* The two ways of conditional jumps, for coverage (edges.c). */
#ifndef ASIF_TEST_EDGES_H
#define ASIF_TEST_EDGES_H

#include "base/text.h"

/* Discriminators from this one on are ways of a jump. */
enum { EDGE_DISCRIMINATOR = 100000 };
/* The compiler's assembly with them. */
void edges_split(struct mem *, const char *text, size_t length, struct text *out);

#endif
