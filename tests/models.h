/* The models of Liu et al. 2009 and 2013 as systems, written by hand step for step, so that counts of states can be
 * compared with those the papers give. In 2013 each thread does one operation and stops; in 2009 threads never stop. */
#ifndef ASIF_TESTS_MODELS_H
#define ASIF_TESTS_MODELS_H

#include "verify/system.h"

enum paper { PAPER_2009, PAPER_2013 };

struct model {
  struct system system; /* first: it is one */
  struct spec spec;
  struct specsets *sets;
  unsigned shared, record; /* a state: bytes that all threads see, then a record a thread */
  unsigned size;           /* of the object */
  enum paper paper;
  bool right; /* of an algorithm that has a wrong and a right version */
  uint8_t group[THREADS_MOST];
  uint16_t calls[8];
};

/* The register of `values` values (Algorithm 3.2): thread 0 writes, the others read. */
struct model *model_register(struct mem *, unsigned values, unsigned threads, enum paper);
/* The counter (Algorithm 3.4; the stack of 2009), which does not go beyond `size`. */
struct model *model_counter(struct mem *, unsigned size, unsigned threads, enum paper);
/* The counter with linearization points (section 3.3), in 2013. */
struct model *model_points(struct mem *, unsigned size, unsigned threads);
/* The array queue of Shann, Huang and Chen with `size` places: a dequeue that saw an empty place may lose an element
 * put there since. Put right, it looks again. Threads do one operation each. */
struct model *model_queue(struct mem *, unsigned size, unsigned threads, bool right);

#endif
