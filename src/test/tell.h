/* A finding told: step by step, with places in the source. */
#ifndef ASIF_TEST_TELL_H
#define ASIF_TEST_TELL_H

#include "history/schedule.h"
#include "test/test.h"

/* A place in the source (symbols.c). */
struct place {
  const char *file; /* NULL: not known */
  const char *function;
  uint32_t line;
};
/* Of addresses in the file of the shared object. False if there is no addr2line. */
bool places_find(struct mem *, const char *object, const uintptr_t *offsets, size_t count, struct place *);

#endif
