/* Memory that is not sequentially consistent: what a model of it does at the places where the machine touches memory
 * that threads share. views.c is C11's, buffers.c is TSO. A machine without one (machine.weak is NULL) is sequentially
 * consistent, and pays nothing.
 *
 * What a model keeps is a part of the state of its own, behind everything else. */
#ifndef ASIF_VERIFY_WEAK_H
#define ASIF_VERIFY_WEAK_H

#include "verify/machine_parts.h"

struct packer;
struct unpacker;

struct weak_model {
  size_t size;                                                                             /* bytes of its part */
  void (*copy)(const struct machine *, const void *from, void *to);                        /* what is in use */
  bool (*same)(const struct machine *, const void *, const void *);                        /* are the parts equal? */
  bool (*alike)(const struct machine *, const struct machine_state *, unsigned, unsigned); /* ... of two threads */
  /* An access to memory that is not the thread's own (weak_is_own). */
  enum ended (*access)(struct run *, const struct inst *, word at);
  enum ended (*fence)(struct run *, const struct inst *);
  /* What waits for earlier stores of the thread before it happens: GO_ON, or WAIT. */
  enum ended (*drained)(struct run *);
  enum ended (*before_lock)(struct run *, const struct inst *, word at); /* may the mutex be touched? */
  void (*lock)(struct run *, const struct inst *, word at); /* it was: I_LOCK, I_TRYLOCK (it got it), ... */
  void (*call)(struct run *);
  void (*returns)(struct run *);
  /* An object that was `owner`'s alone can now be reached by others. */
  void (*publish)(const struct machine *, struct machine_state *, uint32_t object, uint8_t owner);
  enum ended (*allocated)(struct run *, const struct inst *, uint32_t object, bool again);
  enum ended (*freed)(struct run *, const struct inst *, uint32_t object); /* before it is */
  bool (*may_give)(const struct run *, uint32_t object); /* may this thread be given the freed object? NULL: always */
  /* A store that the thread made before may be done now, as a move of its own. */
  bool (*pending)(const struct machine *, const struct machine_state *, unsigned thread);
  enum moved (*flush)(struct run *);
  /* After a move: what does not matter any more is dropped. False: there was no room. */
  bool (*settle)(struct machine *, struct machine_state *);
  unsigned char *(*put_thread)(struct packer *, unsigned char *at, unsigned thread);
  const unsigned char *(*get_thread)(struct unpacker *, const unsigned char *at, unsigned thread);
  /* After the threads; from[i] is the thread that is packed as thread i, NULL: i. */
  unsigned char *(*put_rest)(struct packer *, unsigned char *at, const uint8_t *from);
  const unsigned char *(*get_rest)(struct unpacker *, const unsigned char *at);
};

#define WEAK_FULL "more stores and accesses that not all threads have seen than a state may hold"

extern const struct weak_model weak_views, weak_buffers;

static inline void *state_weak(const struct machine *m, const struct machine_state *s) {
  return (char *)s + m->weak_at;
}

/* True if only this thread has ever been able to reach the object: it is as good as a local variable. */
static inline bool weak_is_own(const struct object *o, unsigned thread) {
  return o->owner == thread && (o->life == LIFE_FRESH || o->life == LIFE_LOCAL);
}

/* What an access is. Volatile words are taken as relaxed atomic ones. */
static inline bool weak_is_atomic(const struct run *run, const struct inst *in) {
  return run->atomic || (in->flags & FLAG_ATOMIC) || in->is_volatile;
}
static inline unsigned weak_order(const struct inst *in) {
  return in->order == ORDER_PLAIN ? ORDER_RELAXED : in->order == ORDER_CONSUME ? ORDER_ACQUIRE : in->order;
}
static inline bool order_acquires(unsigned order) {
  return order == ORDER_ACQUIRE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}
static inline bool order_releases(unsigned order) {
  return order == ORDER_RELEASE || order == ORDER_ACQ_REL || order == ORDER_SEQ_CST;
}

/* What is in a cell, as the access loads it, and the other way round: only where memory may be accessed as another type
 * do they differ. */
enum ended weak_load(struct run *, const struct inst *, unsigned i, word cell, word *);
word weak_store(const struct run *, uint32_t object, uint32_t cell, word);

/* True if the instruction is a fence that other threads notice, so that it is a step. */
static inline bool weak_fence_stops(const struct machine *m, const struct inst *in) {
  return m->weak && in->code == I_FENCE && !in->op && in->order == ORDER_SEQ_CST;
}

/* pack.c, unpack.c: for a model's part of a packed state. */
uint32_t packer_known(const struct packer *); /* objects named so far */
uint32_t packer_object(const struct packer *, uint32_t name);
const struct machine_state *packer_state(const struct packer *);
struct machine *packer_machine(const struct packer *);
unsigned char *packer_word(struct packer *, unsigned char *at, word);
unsigned char *packer_objects(struct packer *, unsigned char *at); /* those named and not yet written */
struct machine *unpacker_machine(const struct unpacker *);
struct machine_state *unpacker_state(const struct unpacker *);
const unsigned char *unpacker_word(struct unpacker *, const unsigned char *at, word *); /* others can reach it */
const unsigned char *unpacker_objects(struct unpacker *, const unsigned char *at);
enum { WEAK_WORDS = 1024 }; /* of a model's part of a state, at most */

#endif
