/* Splitting a history into parts: by object, and by key where the specification allows it. */
#ifndef ASIF_CHECK_SPLIT_H
#define ASIF_CHECK_SPLIT_H

#include "check/part.h"

struct parts {
  struct part *at;
  uint32_t count;
  bool by_object, by_key;
};

void split_history(const struct history *, const struct spec *, struct mem *, struct parts *);

#endif
