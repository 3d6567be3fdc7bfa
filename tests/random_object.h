/* Random concurrent objects in C: soups of statements whose specification is what they do one operation at a time, and
 * known objects with mistakes made at random. Small: enumeration (brute_verify.h) must come to an end. */
#ifndef ASIF_TESTS_RANDOM_OBJECT_H
#define ASIF_TESTS_RANDOM_OBJECT_H

#include "base/text.h"

struct random_object {
  struct text source;
  const char *name; /* of the kind of object */
  unsigned threads, ops;
  bool weak; /* weak compare-and-exchange may fail */
  /* What goes before the source: for the preprocessor, and in its place where it is left out. */
  const char *includes, *preprocessed;
};

void random_object_make(struct random_object *, struct mem *, uint64_t seed);

/* Those of the C that is easily misread (random_strange.c); the number's remainder is the family: integers, operands in
 * no order, addresses, results, two keys, waiting, what prove knows. From CONSTRUCTS_FIRST on: constructs of shipped
 * code. */
enum { STRANGE_FAMILIES = 7, CONSTRUCTS_FIRST = 1000000 };
void random_strange_make(struct random_object *, struct mem *, uint64_t number);

#endif
