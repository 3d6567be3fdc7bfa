/* The lines at the end of a harness: ASIF_OBJECT, its operations and their callers. The functions are called test_OP.
 */
#ifndef ASIF_INIT_LINES_H
#define ASIF_INIT_LINES_H

#include <stdbool.h>

#include "base/text.h"

struct harness_lines {
  const char *object;        /* "bounded_queue(SIZE)" */
  const char *insert, *take; /* operations, where it is not keyed; take may be NULL */
  bool keyed, mapped;        /* a set or a map */
  bool erases, contains, looks_up;
  bool steals;
  bool sets_up, cleans_up;
  const char *roles; /* "SPSC", or NULL */
};

void lines_write(const struct harness_lines *, struct text *);

#endif
