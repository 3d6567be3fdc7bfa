/* What is generated from: a sequential object that runs as fast as the events are made, and the choice of what to call
 * next. One file a family of specifications (subject_*.c); generate.c interleaves. */
#ifndef ASIF_GENERATE_SUBJECT_H
#define ASIF_GENERATE_SUBJECT_H

#include "base/hash.h"
#include "generate/generate.h"

/* A planned operation of a violation. They are called one after the other, and touch the object only if they are real.
 */
struct planned {
  struct op op; /* method, arguments, and the result it will claim ... */
  bool real;    /* ... unless it is carried out like any other */
  bool late;    /* its arguments or result depend on the object as it is then: subject.adapt fills them in */
  bool other;   /* by another process than the rest of the plan */
};

struct generator {
  struct mem *mem;
  const struct generate_options *options;
  const struct spec *spec;
  const struct subject *subject;
  struct history *history;
  uint64_t random;
  uint32_t fresh;   /* values written once that have been given out */
  uint32_t bits;    /* values written once are below 2^bits, those of a violation above */
  uint32_t unheard; /* values given to a violation */
  void *state;      /* the subject's */
  VEC(struct planned) plan;
  bool alone;    /* the plan runs with no other operation open but pending ones */
  bool draining; /* it waits for that: only operations without which others could not end */
  uint32_t left; /* operations that may still be called */
};

/* The variants of a family. */
enum variant { VARIANT_PLAIN, VARIANT_BOUNDED, VARIANT_WEAK, VARIANT_WEAK_BOUNDED, VARIANT_CAS };

struct subject {
  uint32_t families;    /* bit f: it is for enum spec_family f ... */
  enum variant variant; /* ... of this variant */
  const struct bad_kind *kinds;
  void (*open)(struct generator *);
  bool (*choose)(struct generator *, uint32_t thread, struct op *); /* method and arguments; false: no call now */
  bool (*apply)(struct generator *, uint32_t thread, const struct op *, value *result); /* false: must wait */
  void (*plan)(struct generator *, const char *kind);
  void (*adapt)(struct generator *, struct planned *);
  bool waits;                                            /* an operation may have to wait for another thread's */
  int (*pending)(struct generator *, const struct op *); /* does it take effect if it never returns? NULL: by chance */
};

extern const struct subject subject_queue, subject_stack, subject_priority_queue, subject_deque, subject_stepped,
    subject_bounded, subject_weak, subject_set, subject_multiset, subject_register, subject_cas_register, subject_map,
    subject_counter, subject_lock, subject_rw_lock, subject_semaphore, subject_snzi, subject_mailbox,
    subject_weak_bounded, subject_bag, subject_weak_bag, subject_stealing, subject_weak_stealing, subject_latch,
    subject_once, subject_upgrade_lock, subject_hash_map, subject_ordered_map;

static inline uint64_t random_bits(struct generator *g) { return hash_mix(g->random += 0x9e3779b97f4a7c15u); }
/* Below n. */
static inline uint32_t random_below(struct generator *g, uint32_t n) {
  return (uint32_t)(((random_bits(g) >> 32) * n) >> 32);
}

value generate_value(struct generator *g);     /* to be written: distinct, or among the values asked for */
value generate_unordered(struct generator *g); /* the same, but distinct ones come in no order */
value generate_unheard(struct generator *g);   /* never given before or after, greater than any other */
uint16_t generate_method(const struct generator *, const char *name);
void generate_plan(struct generator *, uint16_t method, value arg0, value arg1, value result);
struct planned *generate_planned(struct generator *); /* the one planned last */

/* An object run by its specification's step, an outcome chosen at random: for small states. */
struct stepper {
  struct outcomes out, now; /* now holds the one state */
};
void stepper_open(struct generator *, struct stepper *);
bool stepper_apply(struct generator *, struct stepper *, const struct op *,
                   value *result);             /* false: cannot happen now */
uint32_t stepper_size(const struct stepper *); /* of the state, in bytes */

/* Violations of containers, strict or relaxed. */
struct container_plan {
  uint16_t insert, remove;
  bool last_first;   /* what was put in later (and is greater) leaves first */
  uint32_t window;   /* a removal may take any of this many that are next to leave */
  uint32_t times;    /* a value may be taken out so often */
  uint32_t capacity; /* 0: none */
};
extern const struct bad_kind container_kinds[], bounded_kinds[], weak_kinds[], weak_bounded_kinds[], bag_kinds[],
    weak_bag_kinds[]; /* all of a strict one; with overflow; without empty; both; without order; without both */
void plan_container(struct generator *, const char *kind, const struct container_plan *);

/* How many values a container holds on average. */
uint32_t generate_size(const struct generator *);
/* Keeps containers near that size, and now and then near empty. Should the next operation insert? */
struct tide {
  uint32_t size; /* aimed at */
  uint32_t turn; /* choices until the tide turns */
  bool low;      /* nearly empty */
};
bool tide_insert(struct generator *, struct tide *, uint32_t count);

#endif
