/* The model headers (src/front/model), made part of the program by tools/embed. */
#include "front/model.h"

#include <string.h>

/* clang-format off */
#define MODEL_HEADERS(X) \
  X(asif) \
  X(assert) \
  X(ctype) \
  X(errno) \
  X(immintrin) \
  X(inttypes) \
  X(limits) \
  X(pthread) \
  X(sched) \
  X(semaphore) \
  X(stdalign) \
  X(stdatomic) \
  X(stdbool) \
  X(stddef) \
  X(stdint) \
  X(stdio) \
  X(stdlib) \
  X(stdnoreturn) \
  X(string) \
  X(threads) \
  X(unistd)
/* clang-format on */
#define DECLARE(name) \
  extern const char asset_##name##_h[]; \
  extern const size_t asset_##name##_h_size;
MODEL_HEADERS(DECLARE)

const struct model_header model_headers[] = {
#define ENTRY(name) {#name ".h", asset_##name##_h, &asset_##name##_h_size},
    MODEL_HEADERS(ENTRY)};
const int model_header_count = sizeof model_headers / sizeof *model_headers;

const struct model_header *model_header(const char *name, size_t length) {
  for (int i = 0; i < model_header_count; i++)
    if (strlen(model_headers[i].name) == length && !memcmp(model_headers[i].name, name, length))
      return &model_headers[i];
  return NULL;
}
