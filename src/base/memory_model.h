/* How memory behaves: --memory of `asif test` and `asif verify`. */
#ifndef ASIF_BASE_MEMORY_MODEL_H
#define ASIF_BASE_MEMORY_MODEL_H

#include <stdbool.h>
#include <string.h>

enum memory_model {
  MEMORY_SC,  /* sequentially consistent: accesses of all threads are in one order */
  MEMORY_TSO, /* x86: a store waits in a buffer, and later loads of its thread may be before it */
  MEMORY_C11  /* what the memory orders of C11 allow, without loads that read from later stores of their own thread */
};
#define MEMORY_MODELS "sc|tso|c11"

static inline const char *memory_model_name(enum memory_model m) {
  return m == MEMORY_C11 ? "c11" : m == MEMORY_TSO ? "tso" : "sc";
}
/* What verdicts call it. */
static inline const char *memory_model_title(enum memory_model m) {
  return m == MEMORY_C11 ? "C11 memory" : m == MEMORY_TSO ? "TSO memory" : "sequentially consistent memory";
}
/* One of MEMORY_MODELS; NULL, the option was not given: MEMORY_SC. False: it is none of them. */
static inline bool memory_model_read(const char *said, enum memory_model *m) {
  *m = MEMORY_SC;
  if (said && strcmp(said, memory_model_name(*m))) *m = MEMORY_TSO;
  if (said && *m == MEMORY_TSO && strcmp(said, memory_model_name(*m))) *m = MEMORY_C11;
  return !said || !strcmp(said, memory_model_name(*m));
}

#endif
