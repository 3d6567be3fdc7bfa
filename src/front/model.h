/* The model headers: what a file that is verified includes as <stdatomic.h>, <asif.h> and so on. They are part of the
 * program. */
#ifndef ASIF_FRONT_MODEL_H
#define ASIF_FRONT_MODEL_H

#include <stddef.h>

struct model_header {
  const char *name, *text;
  const size_t *size;
};
extern const struct model_header model_headers[];
extern const int model_header_count;
const struct model_header *model_header(const char *name, size_t length); /* NULL if there is none */

#endif
