/* Driving a store: clients call its operations, faults are switched on and off, and everything is recorded as a history
 * (docs/drive.md). */
#ifndef ASIF_DRIVE_DRIVE_H
#define ASIF_DRIVE_DRIVE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/problem.h"

enum request_kind { REQUEST_GET, REQUEST_PUT, REQUEST_CAS, REQUEST_DELETE, REQUEST_KINDS };
extern const char *const request_names[REQUEST_KINDS]; /* "get" */

struct request {
  enum request_kind kind;
  unsigned key;
  int64_t value, old; /* put; cas: from old to value */
  double deadline;    /* clock_seconds */
};
enum fate { FATE_OK, FATE_FAIL, FATE_UNKNOWN, FATES };
struct answer {
  enum fate fate; /* FAIL: it did not happen; UNKNOWN: it may have, or still may */
  bool nil;       /* get: nothing is there */
  bool done;      /* cas: it was `old`, and is the new value now */
  int64_t value;  /* get */
  char said[160]; /* why it failed or is unknown: for people, and counted by its text */
};
void answer_say(struct answer *, enum fate, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What a kind of store is reached by. Each client has its own connection; functions of different clients are called at
 * the same time. */
struct target;
struct store {
  const char *scheme;    /* "redis"; NULL: a program */
  const char *options;   /* "|"-separated words that --option takes, or "" */
  unsigned kinds, usual; /* what it can do, and what is done if nothing is said: bit k for enum request_kind */
  /* A client; it connects when it must, and again after an error. */
  void *(*open)(const struct target *, unsigned client);
  void (*perform)(void *, const struct request *, struct answer *);
  void (*close)(void *);
};
extern const struct store store_redis, store_memcached, store_etcd, store_program;
extern const struct store *const stores[]; /* those with a scheme; NULL-terminated */

enum { ENDPOINTS_MOST = 16 };
struct endpoint {
  char host[256], port[8];
};
struct target {
  const struct store *store;
  const char *written; /* as given */
  struct endpoint endpoints[ENDPOINTS_MOST];
  unsigned count;
  const char *option;  /* a word of store->options, or NULL */
  const char *command; /* of a program, for the shell */
  char prefix[40];     /* of the keys: new for each run */
};
bool target_read(const char *written, const char *option, struct target *, struct problem *);

/* Faults: switched on and off by commands. */
struct fault {
  const char *name, *on, *off; /* off: NULL: it ends by itself */
  int signals;                 /* a process is stopped and continued, or killed, instead of `on` */
  const char *process;         /* its number, or @FILE */
  uint64_t times, failed;      /* switched on; could not be, or not off */
  double seconds;              /* on, in all */
  uint64_t answers[FATES];     /* meanwhile */
  double slowest;              /* the longest answer that was given meanwhile */
  char said[200];              /* the last command that failed, and why */
};
/* "NAME: COMMAND / COMMAND", "pause:PID", "kill:PID:COMMAND". */
bool fault_read(struct mem *, const char *written, struct fault *, struct problem *);
bool fault_switch(struct fault *, bool on); /* false: `said` */

struct drive_options {
  struct target target;
  unsigned clients, keys;
  double seconds, timeout, rate; /* rate: operations a second, of all clients; 0: as fast as they can */
  unsigned kinds;                /* bit k for enum request_kind */
  uint64_t seed;
  struct fault *faults;
  size_t fault_count;
  double every;       /* seconds between switches */
  const char *record; /* the file that is written, EDN */
  bool progress;
  const volatile sig_atomic_t *interrupted;
  /* The history so far, asked for every few seconds: is it violated already? NULL: nobody asks. */
  bool (*violated)(void *self, const char *record);
  void *self;
};
enum { WHYS_MOST = 24 };
struct driven {
  uint64_t answers[REQUEST_KINDS][FATES];
  double median[REQUEST_KINDS], most_99[REQUEST_KINDS], longest[REQUEST_KINDS]; /* seconds, of those that were ok */
  struct why {
    enum fate fate;
    char said[160];
    uint64_t count;
  } whys[WHYS_MOST];
  size_t why_count;
  double seconds;
  bool violated, interrupted;
};
bool drive(struct mem *, const struct drive_options *, struct driven *, struct problem *);

#endif
