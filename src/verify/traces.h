/* The other side of the refinement: what the traces of the system must be traces of.
 *
 * A set is a number: what may be the case after a trace; 0 is the empty one: the trace is not there. Spec sets
 * (specset.h) are such, and so are the sets of states of another object (reference.h). */
#ifndef ASIF_VERIFY_TRACES_H
#define ASIF_VERIFY_TRACES_H

#include "verify/specset.h"

struct traces {
  void *self;
  uint32_t (*initial)(void *self);
  uint32_t (*step)(void *self, uint32_t set, struct event); /* after the event */
  bool (*may_call)(void *self, uint32_t set, unsigned thread,
                   uint16_t call);                          /* does the client make this call (specset_may_call)? */
  uint32_t (*call)(void *self, uint32_t set, struct event); /* both at once: after the call, or CALL_REFUSED. Or NULL */
  uint32_t (*count)(void *self);                            /* of sets met */
  void *(*share)(void *self, struct mem *);                 /* a self for another worker */
  /* Is everything in `inner` in `outer`? Then what is no trace after outer is none after inner. NULL: never asked. */
  bool (*within)(void *self, uint32_t inner, uint32_t outer);
  void (*expect_within)(void *self, uint32_t inner,
                        uint32_t outer); /* it will be asked soon: asks for the memory. Or NULL */
  /* Renaming threads, as in specset.h; not called unless symmetric. */
  bool symmetric;
  uint32_t (*permute)(void *self, uint32_t set, const uint8_t *from);
  void (*expect)(void *self, uint32_t set); /* something will be asked of it soon: asks for the memory. Or NULL */
  const uint8_t *(*ranks)(void *self, uint32_t set);
  bool (*alike)(void *self, uint32_t set, unsigned i, unsigned j);
  /* Is an operation open, and in every configuration one that can return, or take effect? NULL: that is not known. */
  bool (*owes)(void *self, uint32_t set);
  /* All sets, for a checkpoint; and back into new ones, with the numbers they had. NULL: there are no checkpoints. */
  void (*save)(void *self, struct saving *);
  bool (*load)(void *self, struct loading *);
};

struct traces specsets_traces(struct specsets *);

#endif
