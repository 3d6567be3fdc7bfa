/* What the map's step, its machine and spec_bind agree on. */
#ifndef ASIF_SPEC_MAP_H
#define ASIF_SPEC_MAP_H

#include "spec/spec.h"

enum { MAP_GET, MAP_PUT, MAP_APPEND, MAP_CAS, MAP_DELETE };

/* spec.k of a map bound to a history without append: contents are compared as values. */
enum { MAP_TEXTS = 0, MAP_PLAIN = 1 };

/* A value as text: a text's bytes, an integer's digits (put into `digits`), NULL for others. */
const char *map_text(const struct values *, value, char digits[24], size_t *len);

#endif
