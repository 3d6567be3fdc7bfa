/* Stress: the object on real threads and real cores, random calls, recorded with real times, checked; again and again
 * until something is wrong or the time is over. Wing and Gong 1993, section 3: *simulate* and *test*.
 *
 *   stress_plan.c      which calls a round makes, on how many threads, in what shape
 *   stress_process.c   a round runs in a process of its own, so that every one begins with a fresh object
 *   stress_child.c     the threads in it
 *   stress_history.c   what was recorded, as a history; as Wing and Gong print it
 *   stress_speed.c     throughput and latency (section 9)
 *   stress.c           round after round */
#ifndef ASIF_TEST_STRESS_H
#define ASIF_TEST_STRESS_H

#include "test/stress_area.h"
#include "test/test.h"

/* The support that is linked with the object: for compile_options.support. */
char *stress_support(struct mem *, bool hooks);

/* One build of the object: loaded here, and run in processes forked from this one; or, with a sanitizer, a program that
 * loads it. */
struct stress_build {
  const char *image;   /* the shared object */
  const char *program; /* NULL: loaded here */
  bool perturbed;
  void *loaded;
  struct stress_code code;
};
bool stress_load(struct stress_build *, const char *file,
                 struct problem *); /* the image, into this process; file: for messages */
const struct asif_entry *const *stress_entries(const struct stress_build *,
                                               size_t *count); /* the lines of its harness */
/* Finds the operations, loading the image if it is not yet. */
bool stress_open(struct stress_build *, const struct object *, struct problem *);
/* Makes the program for a build with a sanitizer, in the directory. NULL with the problem. */
char *stress_program(struct mem *, const char *directory, const char *sanitize, struct problem *);

struct stress_options {
  unsigned threads; /* 0: as it comes, 2 to twice the cores */
  unsigned ops;     /* calls of each thread in a round; 0: as it comes */
  double time;      /* or each thread makes calls for so many seconds; 0: no */
  double seconds;   /* in all; 0: no end */
  uint64_t rounds;  /* in all; 0: no end */
  uint64_t seed;
  double hang; /* no operation returns for so many seconds: they hang */
  long bound;  /* elements inside; -1: any number */
  bool approx; /* histories are monitored by A_k, not checked; what is seen is confirmed by the checker */
  unsigned k;
  const struct client *calls; /* the calls to make; NULL: random ones */
  /* Told of every round; false: enough. Or NULL. */
  bool (*each)(void *context, uint64_t round, const struct history *, const struct spec *, const struct check_result *);
  void *context;
  const volatile sig_atomic_t *interrupted; /* or NULL */
};

struct stressed {
  bool killed; /* the process was, from outside: the verdict is unknown */
  enum verdict verdict;
  enum found found;
  char *reason;            /* a sentence: what was found, or why it is not known */
  char *said;              /* what the process printed on its standard error, if it ended badly; or NULL */
  struct history *history; /* of the finding, or of the last round; bound */
  struct spec spec;        /* bound to it */
  struct check_result check;
  struct client client; /* its calls */
  uint64_t rounds, perturbed, operations, pending, undecided;
  uint64_t round;   /* of the history; from 1 */
  unsigned threads; /* the most */
  bool waits;       /* operations that never returned were seen: there was nothing for them to take */
  double seconds;
};
/* Runs rounds of the first build, and twice as many of the second, if there is one. False: a problem that is none of
 * the object's. Results are of the mem. */
bool stress(struct mem *, const struct object *, const struct stress_build *, unsigned builds,
            const struct stress_options *, struct stressed *, struct problem *);

/* Throughput and latency. */
struct stress_speed {
  unsigned threads, op;      /* op: of the object; op_count: all together */
  double throughput;         /* calls in a second, of all threads */
  double median, high, most; /* latency, ns; high: 99 of 100 are below */
};
struct stress_speeds {
  VEC(struct stress_speed) list;
  double recording;   /* ns a call, that taking the times costs; the latencies contain it */
  const char *failed; /* why some could not be measured; or NULL */
};
bool stress_measure(struct mem *, const struct object *, const struct stress_build *, const struct stress_options *,
                    bool fed, double seconds, struct stress_speeds *, struct problem *);

/* As Wing and Gong print a simulation (section 3.2): the events, and whether they are linearizable, and in which order.
 */
void stress_put(struct text *, const struct history *, const struct spec *, const struct check_result *,
                uint64_t round);

/* --- for each other --- */

/* What the spec says of how operations change the number of elements; and random numbers. */
void stress_changes(struct mem *, const struct object *, struct stress_op *);
static inline uint64_t stress_random(uint64_t *state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
static inline uint32_t stress_below(uint64_t *state, uint32_t n) { return (uint32_t)(stress_random(state) % n); }

struct stress_plan {
  struct mem *mem;
  const struct object *object;
  const struct stress_options *options;
  bool perturbed, fed;
  bool in_turn; /* of this round: arguments follow each other */
  uint64_t turn;
  unsigned longest; /* rounds have one of the lengths 0 .. longest; fewer where long ones take long to check */
  uint64_t random;
};
enum { STRESS_LENGTHS = 8 };
unsigned stress_threads_most(const struct stress_options *, const struct object *);
enum { STRESS_CALLS_MOST = 20000 }; /* planned calls, and records, of a thread; --ops is at most half of it */
/* Fills the area: a random round, the given calls, or calls for a measurement by so many threads. */
void stress_plan_random(struct stress_plan *, struct stress_area *);
void stress_plan_given(struct stress_plan *, struct stress_area *);
void stress_plan_measure(struct stress_plan *, struct stress_area *, unsigned threads, enum stress_kind,
                         double seconds);

void stress_area_describe(struct mem *, struct stress_area *,
                          const struct object *); /* what is the same in all rounds */

/* A process for a round (stress_process.c). */
struct stress_area *stress_area_new(unsigned threads, uint32_t room, int *fd, struct problem *);
void stress_area_free(struct stress_area *, unsigned threads, uint32_t room, int fd);
enum stress_end { STRESS_ENDED, STRESS_STALLED, STRESS_DIED, STRESS_INTERRUPTED };
struct stress_process {
  int pid, said_fd, alive_fd; /* alive_fd: is closed when it ends */
  int status;
};
bool stress_start(struct stress_process *, struct stress_area *, int area_fd, const struct stress_build *,
                  struct problem *);
/* Until it has ended, or nothing has moved for so many seconds. */
enum stress_end stress_wait(struct stress_process *, struct stress_area *, double still,
                            const volatile sig_atomic_t *interrupted);
void stress_kill(struct stress_process *);
char *stress_said(struct mem *,
                  struct stress_process *); /* what it printed on its standard error; ends the process's file */

/* What was recorded (stress_history.c): bound. NULL with the problem. */
struct history *stress_history(struct mem *, const struct object *, struct stress_area *, struct spec *bound,
                               struct problem *);
void stress_client(struct mem *, struct stress_area *, struct client *); /* the calls that were made */

#endif
