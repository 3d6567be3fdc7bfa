/* The recorder: what the tapes say, in the order it happened, as a recording (history/recording.h).
 *
 * The taker makes the blocks. Since it gives the events in order, and a return only after every call that was before or
 * beside it, what is in the file at any time is a history up to some moment, in which operations that have not returned
 * are pending: reading it gives no false alarm, wherever the program ended. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "history/history.h"
#include "history/recording.h"
#include "lib/deck.h"
#include "spec/c_values.h"

enum { LONGEST = 1000 };                             /* names */
enum { BLOCK = 1 << 16, BLOCK_ROOM = BLOCK + 4096 }; /* where one event fits, or two names */

struct operation {
  char *object, *method;
};

struct asif_recorder {
  struct deck deck;
  char *path;
  int file; /* -1 if it is not open */

  /* Of the deck's registry. */
  struct operation *operations;
  uint32_t operation_count, operation_room;
  uint32_t *places; /* a hash table of them, twice as long as there is room: their numbers + 1; 0: free */

  /* The taker's. */
  unsigned char *block; /* RECORDING_HEAD bytes, then the events */
  unsigned char *at;
  uint32_t operations_written, processes_written;
  uint64_t events;
};

/* Writing. */

static void write_bytes(asif_recorder *r, const unsigned char *p, size_t n) {
  while (n && !atomic_load_explicit(&r->deck.failed, memory_order_relaxed)) {
    ssize_t done = write(r->file, p, n);
    if (done > 0) {
      p += done;
      n -= (size_t)done;
    } else if (done == 0 || errno != EINTR) {
      deck_fail(&r->deck, ASIF_BAD_INPUT, "%s: cannot be written: %s", r->path,
                done ? strerror(errno) : "nothing is taken");
    }
  }
}

/* A pipe that nobody reads any more is an error like others, and not a signal to the program. */
static void write_all(asif_recorder *r, const unsigned char *p, size_t n) {
  sigset_t pipe, before, pending;
  struct timespec none = {0, 0};
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  write_bytes(r, p, n);
  if (atomic_load(&r->deck.failed) && !sigismember(&pending, SIGPIPE)) sigtimedwait(&pipe, NULL, &none);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void put_block(asif_recorder *r) {
  unsigned char *bytes = r->block + RECORDING_HEAD;
  if (r->at == bytes) return;
  recording_head(r->block, 'E', bytes, (size_t)(r->at - bytes));
  write_all(r, r->block, (size_t)(r->at - r->block));
  r->at = bytes;
}

/* A block of one name, or two; before it the events that were before. */
static void put_names(asif_recorder *r, char kind, const char *one, const char *two) {
  put_block(r);
  unsigned char head[RECORDING_HEAD], *p = r->at;
  size_t n = strlen(one), k = two ? strlen(two) : 0;
  *p++ = (unsigned char)kind;
  p = recording_number(p, n);
  memcpy(p, one, n);
  p += n;
  if (two) {
    p = recording_number(p, k);
    memcpy(p, two, k);
    p += k;
  }
  recording_head(head, 'N', r->at, (size_t)(p - r->at));
  write_all(r, head, sizeof head);
  write_all(r, r->at, (size_t)(p - r->at));
}

/* Operations that were named since the last time. */
static void put_operations(asif_recorder *r) {
  pthread_mutex_lock(&r->deck.registry);
  uint32_t count = r->operation_count;
  for (; r->operations_written < count; r->operations_written++) {
    struct operation o = r->operations[r->operations_written];
    pthread_mutex_unlock(&r->deck.registry);
    put_names(r, 'O', o.object, o.method);
    pthread_mutex_lock(&r->deck.registry);
  }
  pthread_mutex_unlock(&r->deck.registry);
}

static void tape_name(const struct tape *t, char name[static 104]) {
  if (t->name)
    snprintf(name, 104, "%.100s", t->name);
  else
    snprintf(name, 104, "%u", t->number);
}

/* A lane is a process; after an operation whose outcome nobody knows it is another, and so it is where its name is
 * another's already. */
static void put_process(asif_recorder *r, struct lane *l) {
  char name[160], other[104];
  bool taken = l->process != UINT32_MAX;
  tape_name(l->tape, name);
  for (uint32_t i = 0; i < r->deck.lane_count && !taken; i++) {
    tape_name(r->deck.lanes[i].tape, other);
    taken = &r->deck.lanes[i] != l && r->deck.lanes[i].process != UINT32_MAX && !strcmp(name, other);
  }
  if (taken) snprintf(name + strlen(name), sizeof name - strlen(name), "'%u", r->processes_written);
  put_names(r, 'P', name, NULL);
  l->process = r->processes_written++;
}

/* The sink. */

static inline unsigned char *put_value(unsigned char *p, int64_t v) {
  value special;
  if (__builtin_expect(c_special(v, &special), 0)) return *p = (unsigned char)special, p + 1;
  return recording_integer(p, v);
}

static inline unsigned char *put_argument(asif_recorder *r, unsigned char *p, int64_t v) {
  const char *result = c_only_result(v);
  if (__builtin_expect(result != NULL, 0))
    deck_fail(&r->deck, ASIF_BAD_INPUT, "%s is a result, not an argument", result);
  return put_value(p, v);
}

static inline void room(asif_recorder *r) {
  r->events++;
  if (__builtin_expect(r->at - r->block > BLOCK, 0)) put_block(r);
}

static __attribute__((noinline)) void first_call(asif_recorder *r, struct lane *l, unsigned operation) {
  if (operation >= r->operations_written) put_operations(r);
  if (operation >= r->operations_written)
    deck_fail(&r->deck, ASIF_BAD_INPUT, "operation %u is called, and there is none", operation);
  if (l->process == UINT32_MAX || (l->process & 1u << 31)) put_process(r, l);
}

DECK_INLINE void on_call(void *to, struct lane *l, const struct asif_record_ *record, const struct asif_record_ *more) {
  asif_recorder *r = to;
  unsigned operation = record_operation(record->what), args = record_args(record->what);
  if (__builtin_expect(operation >= r->operations_written || l->process >> 31, 0)) first_call(r, l, operation);
  room(r);
  unsigned char *p = recording_number(recording_event(r->at, RECORDED_CALL, args, l->process), operation);
  if (args) p = put_argument(r, p, record->arg);
  if (args > 1) p = put_argument(r, p, more->arg);
  if (args > 2) p = put_argument(r, p, more->result);
  r->at = p;
}

DECK_INLINE void on_return(void *to, struct lane *l, const struct asif_record_ *record) {
  asif_recorder *r = to;
  uint64_t what = record->what;
  int64_t v = record->result;
  room(r);
  if (__builtin_expect(what & (ASIF_FAILED_ | ASIF_LOST_), 0)) {
    r->at = recording_event(r->at, what & ASIF_FAILED_ ? RECORDED_FAIL : RECORDED_INFO, 0, l->process);
    if (what & ASIF_LOST_) l->process |= 1u << 31;
    return;
  }
  unsigned how = v == ASIF_OK ? 1 : v == ASIF_EMPTY ? 2 : v == ASIF_TRUE ? 3 : 0;
  r->at = recording_event(r->at, RECORDED_RETURN, how, l->process);
  if (!how) r->at = put_value(r->at, v);
}

static void on_drop(void *to, struct lane *l) { (void)to, (void)l; } /* a recorder follows everything */

static const struct sink sink = {on_call, on_return, on_drop};

static void give(struct deck *d) {
  asif_recorder *r = (asif_recorder *)d;
  if (!atomic_load(&d->failed)) {
    deck_give(d, &sink, r);
    put_block(r);
  }
  if (atomic_load(&d->failed)) deck_discard(d);
}

/* Operations that nobody returned from, and how many events there were. */
static void give_end(asif_recorder *r) {
  unsigned char end[RECORDING_HEAD + 10], *p;
  deck_give_open(&r->deck, &sink, r);
  put_block(r);
  p = recording_number(end + RECORDING_HEAD, r->events);
  recording_head(end, 'Z', end + RECORDING_HEAD, (size_t)(p - end) - RECORDING_HEAD);
  write_all(r, end, (size_t)(p - end));
}

/* The handle. */

static bool open_file(asif_recorder *r, const char *path) {
  r->path = strdup(path);
  r->block = malloc(BLOCK_ROOM);
  if (!r->path || !r->block) return false;
  r->at = r->block + RECORDING_HEAD;
  if (atomic_load(&r->deck.failed)) return true; /* an option has no meaning: the file is left as it is */
  do r->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  while (r->file < 0 && errno == EINTR);
  if (r->file < 0) deck_fail(&r->deck, ASIF_BAD_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
  write_all(r, (const unsigned char *)RECORDING_MAGIC, RECORDING_MAGIC_SIZE);
  return true;
}

static void put_type(asif_recorder *r, const char *type) {
  size_t n = 0;
  while (n < LONGEST && (unsigned char)type[n] > ' ') n++;
  if (n && !type[n])
    put_names(r, 'T', type, NULL);
  else
    deck_fail(&r->deck, ASIF_BAD_INPUT, "the object's type is a word of 1 to %d bytes, such as queue", LONGEST);
}

static void recorder_free(asif_recorder *r) {
  for (uint32_t i = 0; i < r->operation_count; i++) {
    free(r->operations[i].object);
    free(r->operations[i].method);
  }
  free(r->operations);
  free(r->places);
  free(r->block);
  free(r->path);
  deck_free(&r->deck);
  free(r);
}

asif_recorder *asif_recorder_open(const char *path, const asif_recorder_options *options) {
  static const asif_recorder_options defaults;
  const asif_recorder_options *o = options ? options : &defaults;
  asif_recorder *r = aligned_alloc(DECK_LINE, sizeof *r);
  if (!r) return NULL;
  memset(r, 0, sizeof *r);
  r->file = -1;
  const struct deck_options deck = {.bytes = o->bytes, .milliseconds = o->milliseconds, .taker = o->taker};
  bool good = deck_open(&r->deck, &deck) && open_file(r, path ? path : "");
  r->deck.round = give;
  if (good && o->object_type) put_type(r, o->object_type);
  if (good && o->taker != ASIF_INLINE) good = deck_start(&r->deck);
  if (good) return r;
  if (r->file >= 0) close(r->file);
  recorder_free(r);
  return NULL;
}

/* Where this operation is in the table, or would be. */
static uint32_t *place_of(const asif_recorder *r, const char *object, const char *operation) {
  uint32_t mask = 2 * r->operation_room - 1;
  uint64_t i = hash_mix(hash_bytes(object, strlen(object)) ^ hash_bytes(operation, strlen(operation)));
  for (;; i++) {
    uint32_t *place = &r->places[i & mask];
    if (!*place) return place;
    const struct operation *o = &r->operations[*place - 1];
    if (!strcmp(o->object, object) && !strcmp(o->method, operation)) return place;
  }
}

static bool more_operations(asif_recorder *r) {
  if (r->operation_count < r->operation_room) return true;
  uint32_t wanted = r->operation_room ? 2 * r->operation_room : 16;
  struct operation *operations = realloc(r->operations, wanted * sizeof *operations);
  if (operations) r->operations = operations;
  uint32_t *places = operations ? calloc(2 * (size_t)wanted, sizeof *places) : NULL;
  if (!places) return false;
  free(r->places);
  r->places = places;
  r->operation_room = wanted;
  for (uint32_t i = 0; i < r->operation_count; i++)
    *place_of(r, r->operations[i].object, r->operations[i].method) = i + 1;
  return true;
}

/* With the registry: the number of this operation, which may be there already. */
static int find_operation(asif_recorder *r, const char *object, const char *operation) {
  uint32_t known = r->operation_room ? *place_of(r, object, operation) : 0;
  if (known) return (int)known - 1;
  if (r->operation_count > UINT16_MAX || !more_operations(r)) return -1;
  struct operation o = {strdup(object), strdup(operation)};
  if (!o.object || !o.method) {
    free(o.object);
    free(o.method);
    return -1;
  }
  r->operations[r->operation_count] = o;
  uint32_t *place = place_of(r, object, operation);
  assert(!*place && r->operation_count < r->operation_room);
  *place = ++r->operation_count;
  return (int)r->operation_count - 1;
}

int asif_recorder_operation(asif_recorder *r, const char *object, const char *operation) {
  if (!r) return -1;
  if (deck_forked(&r->deck)) return 0;
  if (!object) object = "x";
  if (!operation || !*operation || !*object || strlen(operation) > LONGEST || strlen(object) > LONGEST) {
    deck_fail(&r->deck, ASIF_BAD_INPUT, "the name of an operation and that of its object have 1 to %d bytes", LONGEST);
    return -1;
  }
  pthread_mutex_lock(&r->deck.registry);
  int found = find_operation(r, object, operation);
  pthread_mutex_unlock(&r->deck.registry);
  if (found < 0) deck_fail(&r->deck, ASIF_NO_MEMORY, "out of memory, or more than 65536 operations");
  return found;
}

asif_tape *asif_recorder_thread(asif_recorder *r, const char *name) {
  if (!r) return NULL;
  return deck_tape(&r->deck, name && *name ? name : NULL);
}

asif_status asif_recorder_status(asif_recorder *r) { return r ? deck_status(&r->deck) : ASIF_NO_MEMORY; }

const char *asif_recorder_error(asif_recorder *r) {
  return !r ? "out of memory" : asif_recorder_status(r) ? r->deck.error.text : "";
}

asif_status asif_recorder_flush(asif_recorder *r) {
  if (r && !deck_forked(&r->deck)) deck_take(&r->deck, true);
  return asif_recorder_status(r);
}

asif_status asif_recorder_close(asif_recorder *r, char **error) {
  if (error) *error = NULL;
  if (!r) return ASIF_NO_MEMORY;
  bool forked = deck_forked(&r->deck);
  if (!forked) {
    deck_stop(&r->deck);
    deck_take(&r->deck, true);
    if (!atomic_load(&r->deck.failed)) give_end(r);
  }
  if (r->file >= 0 && close(r->file) && errno != EINTR && !forked)
    deck_fail(&r->deck, ASIF_BAD_INPUT, "%s: cannot be written: %s", r->path, strerror(errno));
  asif_status status = asif_recorder_status(r);
  if (status && error) *error = strdup(r->deck.error.text);
  recorder_free(r);
  return status;
}
