/* What is generated from: a sequential object that runs as fast as the events are made, and the choice of what to call
 * next. One file a family of specifications (subject_*.c); generate.c interleaves. */
#ifndef ASIF_HISTORY_SUBJECT_H
#define ASIF_HISTORY_SUBJECT_H

#include "base/hash.h"
#include "history/generate.h"

/* A planned operation of a violation. They are called by one process, one after the other. */
struct planned {
  struct op op;  /* method, arguments, and the result it will claim ... */
  bool real;     /* ... unless it is carried out like any other */
  bool relative; /* claim an integer result larger by this much than the last real one */
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
  value last;       /* result of the latest planned operation that was carried out */
  VEC(struct planned) plan;
  bool alone; /* the plan runs with no other operation open but pending ones */
};

struct subject {
  const char *specs; /* names of the specifications it is for, separated by blanks */
  const struct bad_kind *kinds;
  void (*open)(struct generator *);
  void (*choose)(struct generator *, uint32_t thread, struct op *);                  /* method and arguments of the next call */
  bool (*apply)(struct generator *, uint32_t thread, const struct op *, value *result); /* false: must wait */
  void (*plan)(struct generator *, const char *kind);
};

extern const struct subject subject_queue, subject_stack, subject_priority_queue, subject_deque, subject_set, subject_multiset,
    subject_register, subject_cas_register, subject_map, subject_counter;

static inline uint64_t random_bits(struct generator *g) { return hash_mix(g->random += 0x9e3779b97f4a7c15u); }
/* Below n. */
static inline uint32_t random_below(struct generator *g, uint32_t n) { return (uint32_t)(((random_bits(g) >> 32) * n) >> 32); }

value generate_value(struct generator *g);     /* to be written: distinct, or among the values asked for */
value generate_unordered(struct generator *g); /* the same, but distinct ones come in no order */
value generate_unheard(struct generator *g);   /* never given before or after, greater than any other */
uint16_t generate_method(const struct generator *, const char *name);
void generate_plan(struct generator *, uint16_t method, value arg0, value arg1, value result);
void generate_plan_real(struct generator *, uint16_t method, value arg0, value arg1);

/* How many values a container holds on average. */
uint32_t generate_size(const struct generator *);
/* Keeps containers near that size, and now and then near empty. Should the next operation insert? */
struct tide {
  uint32_t size;  /* aimed at */
  uint32_t turn;  /* choices until the tide turns */
  bool low;       /* nearly empty */
};
bool tide_insert(struct generator *, struct tide *, uint32_t count);

#endif
