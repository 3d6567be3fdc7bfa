/* Threads the code creates, and their own data: pthread_create and its like, thrd_*, pthread_key_*, tss_*.
 *
 * A thread is a fiber. What it is known by to the code is no address: small numbers, the same in every run. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <threads.h>
#include <unistd.h>

#include "run/sync.h"
#include "run/weak.h"

enum { KEYS_MOST = 128, ROUNDS_MOST = 4 /* of destructors: PTHREAD_DESTRUCTOR_ITERATIONS */ };

static struct thread {
  bool detached, joined;
  unsigned keys;                    /* more than the highest key with a value */
  struct __cancel_buffer *cleanups; /* pthread_cleanup_push, the newest first */
  void *values[KEYS_MOST];
} threads[FIBERS_MOST];
static uint64_t used; /* bit f: threads[f] is not as it was at the beginning */

static struct key {
  bool used, loaded; /* loaded: created before any run, and so there in every run */
  void (*destroy)(void *);
} keys[KEYS_MOST];
static unsigned key_count; /* more than the highest in use */
static void *loaded_values[KEYS_MOST];

/* A pthread_cleanup_push of C, as <pthread.h> has it: first where to jump to, then room for whoever keeps it. */
struct __cancel_buffer {
  struct __jmp_buf_tag place;
};

static struct thread *use(unsigned fiber) {
  used |= (uint64_t)1 << fiber;
  return &threads[fiber];
}
static unsigned self(void) { return current ? current->id : FIBER_MAIN; }
static struct thread *own(void) { return use(self()); }

static void reset_keys(void) {
  struct thread *t = &threads[FIBER_MAIN];
  for (unsigned k = 0; k < key_count; k++) {
    if (!keys[k].loaded) keys[k].used = false;
    t->values[k] = loaded_values[k];
  }
  t->keys = key_count;
}

void threads_reset(void) {
  __libc_single_threaded = 0; /* else shared_ptr counts without atomic operations */
  for (; used; used &= used - 1) {
    struct thread *t = &threads[__builtin_ctzll(used)];
    for (unsigned k = 0; k < t->keys; k++) t->values[k] = NULL;
    t->detached = t->joined = false;
    t->keys = 0;
    t->cleanups = NULL;
  }
  if (key_count) reset_keys();
  waiters_reset();
  time_reset();
  random_reset();
  scheduler.watched = false;
  scheduler.locks = 0;
}

/* Handles. */

static pthread_t handle_of(unsigned id) { return (pthread_t)(id + 1) << 12; }

static struct fiber *fiber_of(pthread_t handle, const char *function, uintptr_t pc) {
  uintptr_t id = ((uintptr_t)handle >> 12) - 1;
  if (id >= run.fibers || handle != handle_of((unsigned)id))
    sync_misuse(pc, NULL, "%s calls %s with what is no thread", fiber_name(current), function);
  return &fibers[id];
}

WRAPPED pthread_t WRAP(pthread_self)(void) { return handle_of(current ? current->id : FIBER_MAIN); }
WRAPPED thrd_t WRAP(thrd_current)(void) { return handle_of(current ? current->id : FIBER_MAIN); }
WRAPPED pid_t WRAP(gettid)(void) { return getpid() + (pid_t)sync_self(); }
WRAPPED int WRAP(sched_getcpu)(void) { return current ? current->id : 0; }

/* Creating. */

static void create(pthread_t *handle, bool detached, void *(*start)(void *), void *argument, uintptr_t pc) {
  if (!current)
    sync_unsupported("pthread_create", "only the operations and the initialisation (ASIF_INIT) can create threads");
  current->pc = pc;
  point(POINT_START, (uintptr_t)&fibers[run.fibers], 1);
  unsigned id = run.fibers;
  if (id >= FIBER_MAIN)
    run_found(FOUND_UNSUPPORTED, "%s creates a thread, and there are %u already", fiber_name(current), id);
  if (scheduler.mode == MODE_STEPS) {
    scheduler.steps[run.count - 1].address = (uintptr_t)&fibers[id];
    scheduler.steps[run.count - 1].place = id;
  }
  use(id)->detached = detached;
  *handle = handle_of(id);
  sync_changed();
  sync_record(POINT_START, &fibers[id], 1, false, pc);
  fiber_create(start, argument);
}

/* pthread_create, by way of the stub (image.c). */
WRAPPED int asif_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *, void *);
int asif_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument, void *pc) {
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes) pthread_attr_getdetachstate(attributes, &detached);
  create(handle, detached == PTHREAD_CREATE_DETACHED, start, argument, (uintptr_t)pc);
  return 0;
}

/* What an int function returns is the low half of what one that returns a pointer would. */
WRAPPED int WRAP(thrd_create)(thrd_t *handle, thrd_start_t start, void *argument) {
  create(handle, false, (void *(*)(void *))(uintptr_t)start, argument, CALLER);
  return thrd_success;
}

/* Joining. */

static bool has_ended(const struct fiber *f) { return ((const struct fiber *)f->waits_for)->ended; }
static uint32_t ends(const void *f) { return ((const struct fiber *)f)->id + 1u; }
const struct wait_kind join_wait = {has_ended, "the end of", ends, ""};

static void check_joinable(const struct fiber *f, const char *function, uintptr_t pc) {
  const struct thread *t = &threads[f->id];
  if (!f->start || t->joined || t->detached)
    sync_misuse(pc, f, "%s calls %s for %s, which %s", fiber_name(current), function, fiber_name(f),
                !f->start   ? "it did not create"
                : t->joined ? "was joined already"
                            : "is detached");
}

bool threads_joined(unsigned fiber) { return threads[fiber].joined; }

static int joined(struct fiber *f, void **result, const char *function, uintptr_t pc) {
  check_joinable(f, function, pc);
  use(f->id)->joined = true;
  sync_changed();
  if (races_wanted()) races_joined(current, f);
  if (weak_here()) weak_event(SLOT_SYNC, 0);
  sync_record(POINT_JOIN, f, 1, false, pc);
  if (result) *result = f->result;
  return 0;
}

static int join(pthread_t handle, void **result, const char *function, uintptr_t pc) {
  if (!current) sync_unsupported(function, "there is no other thread");
  struct fiber *f = fiber_of(handle, function, pc);
  if (f == current) return EDEADLK;
  check_joinable(f, function, pc);
  current->pc = pc;
  point_when(POINT_JOIN, (uintptr_t)f, 1, has_ended, f);
  return joined(f, result, function, pc);
}

WRAPPED int WRAP(pthread_join)(pthread_t handle, void **result) {
  int error = join(handle, result, "pthread_join", CALLER);
  SPIN_LAND(CALLER, error);
  return error;
}

WRAPPED int WRAP(thrd_join)(thrd_t handle, int *result) {
  void *value = NULL;
  int error = join(handle, &value, "thrd_join", CALLER);
  if (error) return thrd_error;
  if (result) *result = (int)(intptr_t)value;
  SPIN_LAND(CALLER, 0);
  return thrd_success;
}

WRAPPED int WRAP(pthread_tryjoin_np)(pthread_t handle, void **result) {
  if (!current) sync_unsupported("pthread_tryjoin_np", "there is no other thread");
  struct fiber *f = fiber_of(handle, "pthread_tryjoin_np", CALLER);
  current->pc = CALLER;
  point(POINT_JOIN, (uintptr_t)f, 1);
  int error = f->ended ? joined(f, result, "pthread_tryjoin_np", CALLER) : EBUSY;
  if (error) spin_read(current, CALLER, (uintptr_t)f, 0);
  SPIN_LAND(CALLER, error);
  return error;
}

static int detach(pthread_t handle, const char *function, uintptr_t pc) {
  if (!current) sync_unsupported(function, "there is no other thread");
  struct fiber *f = fiber_of(handle, function, pc);
  if (f->start) {
    check_joinable(f, function, pc);
    use(f->id)->detached = true;
  }
  return 0;
}
WRAPPED int WRAP(pthread_detach)(pthread_t handle) { return detach(handle, "pthread_detach", CALLER); }
WRAPPED int WRAP(thrd_detach)(thrd_t handle) { return detach(handle, "thrd_detach", CALLER); }

/* Ending. */

/* pthread_cleanup_pop(1) of those that are pushed, as the C library does it for code without exceptions. */
WRAPPED void WRAP(__pthread_register_cancel)(__pthread_unwind_buf_t *buffer) {
  buffer->__pad[0] = own()->cleanups;
  own()->cleanups = (struct __cancel_buffer *)(void *)buffer;
}

WRAPPED void WRAP(__pthread_unregister_cancel)(__pthread_unwind_buf_t *buffer) { own()->cleanups = buffer->__pad[0]; }

_Noreturn static void clean_up_and_end(void) {
  struct __cancel_buffer *cleanup = own()->cleanups;
  if (!cleanup) fiber_exit(current->result);
  own()->cleanups = ((__pthread_unwind_buf_t *)(void *)cleanup)->__pad[0];
  longjmp(&cleanup->place, 1);
}

WRAPPED void WRAP(__pthread_unwind_next)(__pthread_unwind_buf_t *buffer) {
  (void)buffer;
  clean_up_and_end();
}

_Noreturn static void end_thread(void *result, const char *function) {
  if (!current || !current->start)
    sync_unsupported(function, "it would end a thread that goes on with other operations");
  current->result = result;
  clean_up_and_end();
}
WRAPPED void WRAP(pthread_exit)(void *result) { end_thread(result, "pthread_exit"); }
WRAPPED void WRAP(thrd_exit)(int result) { end_thread((void *)(intptr_t)result, "thrd_exit"); }

WRAPPED int WRAP(pthread_cancel)(pthread_t handle) {
  (void)handle;
  sync_unsupported("pthread_cancel", "threads are not cancelled");
}
WRAPPED int WRAP(pthread_kill)(pthread_t handle, int signal) {
  (void)handle, (void)signal;
  sync_unsupported("pthread_kill", "signals are not sent to threads");
}
WRAPPED int WRAP(pthread_setcancelstate)(int state, int *old) {
  (void)state;
  if (old) *old = PTHREAD_CANCEL_ENABLE;
  return 0;
}
WRAPPED int WRAP(pthread_setcanceltype)(int type, int *old) {
  (void)type;
  if (old) *old = PTHREAD_CANCEL_DEFERRED;
  return 0;
}
WRAPPED void WRAP(pthread_testcancel)(void) {}

/* Wishes that make no difference here. */
WRAPPED int WRAP(pthread_setname_np)(pthread_t handle, const char *name) { return (void)handle, (void)name, 0; }
WRAPPED int WRAP(pthread_setaffinity_np)(pthread_t handle, size_t size, const cpu_set_t *set) {
  return (void)handle, (void)size, (void)set, 0;
}
WRAPPED int WRAP(pthread_setschedparam)(pthread_t handle, int policy, const struct sched_param *to) {
  return (void)handle, (void)policy, (void)to, 0;
}

/* Data of each thread. */

static int create_key(unsigned *key, void (*destroy)(void *), uintptr_t pc) {
  if (current) {
    current->pc = pc;
    point(POINT_UPDATE, (uintptr_t)keys, 1);
    sync_changed();
  }
  unsigned k = 0;
  while (k < KEYS_MOST && keys[k].used) k++;
  if (k == KEYS_MOST) return EAGAIN;
  keys[k] = (struct key){.used = true, .loaded = !current, .destroy = destroy};
  for (unsigned i = 0; i < FIBERS_MOST; i++) threads[i].values[k] = NULL;
  if (k >= key_count) key_count = k + 1;
  *key = k;
  return 0;
}

static int delete_key(unsigned key, uintptr_t pc) {
  if (key >= KEYS_MOST || !keys[key].used) return EINVAL;
  if (current) {
    if (keys[key].loaded) return 0; /* the next run needs it */
    current->pc = pc;
    point(POINT_UPDATE, (uintptr_t)keys, 1);
    sync_changed();
  }
  keys[key].used = false;
  return 0;
}

static int set_value(unsigned key, const void *value) {
  if (key >= KEYS_MOST || !keys[key].used) return EINVAL;
  struct thread *t = own();
  t->values[key] = (void *)(uintptr_t)value;
  if (t->keys <= key) t->keys = key + 1;
  threads_keys = true;
  if (!current)
    loaded_values[key] = t->values[key];
  else
    spin_wrote(current);
  return 0;
}

bool threads_keys;
static void *value_of(unsigned key) {
  void *value = key < KEYS_MOST && keys[key].used ? threads[self()].values[key] : NULL;
  if (heap_sights) heap_sight((uintptr_t)value);
  return value;
}

void threads_ended(struct fiber *f) {
  struct thread *t = &threads[f->id];
  for (unsigned round = 0, again = 1; again && round < ROUNDS_MOST; round++) {
    again = 0;
    for (unsigned k = 0; k < t->keys; k++) {
      void *value = t->values[k];
      if (!value || !keys[k].used || !keys[k].destroy) continue;
      t->values[k] = NULL;
      keys[k].destroy(value);
      again = 1;
    }
  }
}

void **threads_values(unsigned fiber, size_t *count) {
  *count = threads[fiber].keys;
  return threads[fiber].values;
}

WRAPPED int WRAP(pthread_key_create)(pthread_key_t *key, void (*destroy)(void *)) {
  return create_key(key, destroy, CALLER);
}
WRAPPED int WRAP(pthread_key_delete)(pthread_key_t key) { return delete_key(key, CALLER); }
WRAPPED void *WRAP(pthread_getspecific)(pthread_key_t key) { return value_of(key); }
WRAPPED int WRAP(pthread_setspecific)(pthread_key_t key, const void *value) { return set_value(key, value); }
WRAPPED int WRAP(tss_create)(tss_t *key, tss_dtor_t destroy) {
  return create_key(key, destroy, CALLER) ? thrd_error : thrd_success;
}
WRAPPED void WRAP(tss_delete)(tss_t key) { (void)delete_key(key, CALLER); }
WRAPPED void *WRAP(tss_get)(tss_t key) { return value_of(key); }
WRAPPED int WRAP(tss_set)(tss_t key, void *value) { return set_value(key, value) ? thrd_error : thrd_success; }
