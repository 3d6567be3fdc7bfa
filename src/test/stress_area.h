/* What asif and the process that runs the object under stress share: a piece of memory. It stands alone, since the
 * process may be a program of its own (with a sanitizer, see stress_child.c). */
#ifndef ASIF_TEST_STRESS_AREA_H
#define ASIF_TEST_STRESS_AREA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STRESS_THREADS = 64, STRESS_ARGS = 3, STRESS_OPS = 64 };

/* How a call changes how much is inside, by what it returned; of a void function it is STRESS_OTHER. */
enum stress_result { STRESS_OTHER, STRESS_FALSE, STRESS_EMPTY, STRESS_FULL, STRESS_RESULTS };

struct stress_op {
  char name[64], written[128];   /* of its line in the harness */
  int signature;                 /* as of struct asif_entry */
  bool truth;                    /* its result is true or false, though it may be an int */
  int8_t change[STRESS_RESULTS]; /* of the number of elements, the largest there is */
  int8_t grows;                  /* the largest of them all, or 0 */
  bool takes;                    /* there may be fewer elements after it */
};

/* Planned by asif, carried out by a thread. */
struct stress_call {
  uint16_t op;
  bool together;  /* all threads wait for each other first */
  bool yields;    /* lets others run first */
  uint32_t pause; /* and waits a little: times around a loop */
  uint32_t skips; /* of a try: so many calls after it are not made if it returns false */
  long arg[STRESS_ARGS];
};

enum { STRESS_SKIPPED = -1 };
struct stress_record {
  int64_t start,
      end; /* STRESS_SKIPPED: it was not called: there would have been too much inside, or asif_require refused */
  long result;
};

/* Latencies: 16 to a power of two. */
enum { STRESS_BUCKETS = 16 * 44 };
struct stress_latency {
  uint64_t count, most;
  uint64_t bucket[STRESS_BUCKETS];
};

struct stress_thread {
  uint32_t planned;                    /* calls; when all are made, and there is room, they begin again */
  int32_t room_inside;                 /* how many elements more this one may bring inside */
  uint32_t skip;                       /* calls that are not made, since a try before them failed */
  _Alignas(64) _Atomic uint32_t begun; /* calls; what happened to a process that died is still here */
  _Atomic uint32_t done;
  _Alignas(64) uint64_t calls[STRESS_OPS]; /* of a measurement: how many */
};

enum stress_kind { STRESS_RECORD, STRESS_THROUGHPUT, STRESS_LATENCY };
enum stress_pin { STRESS_FREE, STRESS_SPREAD, STRESS_ONE_CORE };

struct stress_area {
  int kind;
  int pin;
  bool ticks; /* time is the processor's counter; else CLOCK_MONOTONIC in nanoseconds */
  uint32_t threads, ops;
  uint32_t room;   /* records (and planned calls) for each thread */
  uint32_t chance; /* of the hooks' delays: one in so many; 0: none */
  uint64_t seed;
  int64_t lasts;    /* a thread makes calls for so long, in ns; 0: only what is planned */
  char image[4096]; /* of a program of its own: the shared object to load */
  char failed[256]; /* why it could not be run */
  struct stress_op op[STRESS_OPS];
  struct stress_thread thread[STRESS_THREADS];
  _Alignas(64) _Atomic uint32_t arrived;
  _Atomic uint32_t sleepers;
  _Alignas(64) _Atomic int64_t began, ended; /* of a measurement, ns */
  _Atomic bool over;
  int64_t recording; /* what taking the times of a call costs, by the clock */
  struct stress_latency latency[STRESS_THREADS][STRESS_OPS];
  /* Then for each thread its planned calls, then for each its records. */
};

static inline size_t stress_area_size(uint32_t threads, uint32_t room) {
  return sizeof(struct stress_area) +
         (size_t)threads * room * (sizeof(struct stress_call) + sizeof(struct stress_record));
}
static inline struct stress_call *stress_calls(struct stress_area *a, uint32_t thread) {
  return (struct stress_call *)(void *)(a + 1) + (size_t)thread * a->room;
}
static inline struct stress_record *stress_records(struct stress_area *a, uint32_t thread) {
  return (struct stress_record *)(void *)stress_calls(a, a->threads) + (size_t)thread * a->room;
}

/* The object's code: what is called. thread and escape are of the support (support/stress_support.c). */
struct stress_code {
  void (*function[STRESS_OPS])(void);
  void (*init)(void); /* or NULL */
  void (*thread)(unsigned number, unsigned threads, uint64_t seed, unsigned chance);
  void *(*escape)(void); /* a jmp_buf: where to go when asif_require refuses a call */
};

/* In the process that runs the object (stress_child.c): does what the area says. */
void stress_run(struct stress_area *, const struct stress_code *);

#endif
