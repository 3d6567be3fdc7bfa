/* What libraries call where they are compiled for the thread sanitizer: its interface (sanitizer/tsan_interface.h) and
 * the dynamic annotations of older code. They mean here what they mean there.
 *
 * An acquire or a release that the code only states is a point of its own: whether one comes before the other is then
 * tried both ways, and an order that only one schedule has hides no race. What the code declares as not to be checked
 * is not reported (forgiven.c), and the verdict says so. Of a mutex of the code's own the annotations give the order
 * and who holds it: two holders, or an unlock by another thread, are a misuse, as of a mutex of the threads library.
 * Atomic accesses between __tsan_mutex_pre_lock and __tsan_mutex_post_lock order as their memory orders say. */
#include <stdlib.h>
#include <string.h>

#include "run/sync.h"

/* Order. */

static void acquire(const void *object, uintptr_t pc) {
  if (!current || !options.races) return;
  current->pc = pc;
  point(POINT_ACQUIRE, (uintptr_t)object, 1);
  if (races_wanted()) races_acquire((uintptr_t)object);
  sync_record(POINT_ACQUIRE, object, 1, false, pc);
}

/* What is released is found under `key`: mostly the object's own address. */
static void release_as(uintptr_t key, const void *object, uintptr_t pc) {
  if (!current || !options.races) return;
  current->pc = pc;
  point(POINT_RELEASE, (uintptr_t)object, 1);
  step_wrote_same();
  if (races_wanted()) races_release(key);
  sync_record(POINT_RELEASE, object, 1, false, pc);
}
static void release(const void *object, uintptr_t pc) { release_as((uintptr_t)object, object, pc); }

WRAPPED void WRAP(__tsan_acquire)(void *);
void WRAP(__tsan_acquire)(void *object) { acquire(object, CALLER); }
WRAPPED void WRAP(__tsan_release)(void *);
void WRAP(__tsan_release)(void *object) { release(object, CALLER); }

/* The dynamic annotations are called with the file and line they stand at. */
#define ANNOTATION(name, ...) \
  WRAPPED void WRAP(name)(const char *, int, __VA_ARGS__); \
  void WRAP(name)(const char *file, int line, __VA_ARGS__)
#define ANNOTATION_ALONE(name) \
  WRAPPED void WRAP(name)(const char *, int); \
  void WRAP(name)(const char *file, int line)

#define HAPPENS(prefix) \
  ANNOTATION(prefix##HappensBefore, const void *object) { (void)file, (void)line, release(object, CALLER); } \
  ANNOTATION(prefix##HappensAfter, const void *object) { (void)file, (void)line, acquire(object, CALLER); }
HAPPENS(Annotate)
HAPPENS(WTFAnnotate)

/* Mutexes of the code's own. */

enum {
  MUTEX_LINKER_INIT = 1 << 0,
  MUTEX_READ_LOCK = 1 << 3,
  MUTEX_TRY_LOCK_FAILED = 1 << 5,
  MUTEX_RECURSIVE_LOCK = 1 << 6,
  MUTEX_RECURSIVE_UNLOCK = 1 << 7
};
enum { MUTEXES_MOST = 1 << 12 };
struct mutex {
  uintptr_t address; /* 0: none */
  uint32_t writer;   /* as sync_self says; 0: none */
  uint32_t count;    /* how often the writer has locked it */
  uint32_t readers[FIBERS_MOST];
  uint32_t reading; /* the sum */
};
static struct mutex *mutexes; /* in the order they were met in this run */
static size_t mutex_count;

static struct mutex *mutex_at(uintptr_t address, uintptr_t pc) {
  for (size_t i = 0; i < mutex_count; i++)
    if (mutexes[i].address == address) return &mutexes[i];
  if (!mutexes) mutexes = calloc(MUTEXES_MOST, sizeof *mutexes);
  if (!mutexes || mutex_count == MUTEXES_MOST) sync_unsupported_at("__tsan_mutex_post_lock", "of too many mutexes", pc);
  struct mutex *m = &mutexes[mutex_count++];
  *m = (struct mutex){.address = address};
  return m;
}

void annotations_forget(uintptr_t address, size_t size) {
  size_t kept = 0;
  for (size_t i = 0; i < mutex_count; i++)
    if (mutexes[i].address - address >= size) mutexes[kept++] = mutexes[i];
  mutex_count = kept;
}

static uint32_t a_reader(const struct mutex *m) {
  for (uint32_t i = 0; i < FIBERS_MOST; i++)
    if (m->readers[i]) return i + 1;
  return 0;
}

_Noreturn static void misuse(const struct mutex *m, const char *does, const char *why, uint32_t whose, uintptr_t pc) {
  const void *object = (const void *)m->address;
  if (whose)
    sync_misuse(pc, object, "%s %s %s, which %s %s", fiber_name(current), does, sync_name("the mutex", object),
                fiber_name(sync_fiber(whose)), why);
  sync_misuse(pc, object, "%s %s %s, which %s", fiber_name(current), does, sync_name("the mutex", object), why);
}

/* Readers' releases are kept apart, where no memory is: a reader knows what writers did, and not what other readers
 * did. */
static uintptr_t readers_of(const void *mutex) { return (uintptr_t)mutex ^ (uintptr_t)1 << 46; }

static void locked(const void *object, bool reads, uint32_t times, uintptr_t pc) {
  if (!current || !options.races) return;
  acquire(object, pc);
  if (!reads && races_wanted()) races_acquire(readers_of(object));
  struct mutex *m = mutex_at((uintptr_t)object, pc);
  uint32_t self = sync_self();
  if (m->writer && m->writer != self) misuse(m, "locks", "has locked", m->writer, pc);
  if (!reads && m->reading > m->readers[self - 1]) misuse(m, "locks", "has locked for reading", a_reader(m), pc);
  if (reads) {
    m->readers[self - 1]++;
    m->reading++;
  } else {
    m->writer = self;
    m->count += times;
  }
}

/* How often it was locked by whoever unlocks it now, all at once. */
static uint32_t unlocked(const void *object, bool reads, bool wholly, uintptr_t pc) {
  if (!current || !options.races) return 1;
  release_as(reads ? readers_of(object) : (uintptr_t)object, object, pc); /* until that step it is locked */
  struct mutex *m = mutex_at((uintptr_t)object, pc);
  uint32_t self = sync_self(), times = 1;
  if (reads && !m->readers[self - 1]) misuse(m, "unlocks", "it has not locked for reading", 0, pc);
  if (!reads && m->writer != self) misuse(m, "unlocks", m->writer ? "has locked" : "is not locked", m->writer, pc);
  if (reads) {
    m->readers[self - 1]--;
    m->reading--;
  } else {
    if (wholly) times = m->count;
    m->count -= times;
    if (!m->count) m->writer = 0;
  }
  return times;
}

static void destroyed(const void *object, uintptr_t pc) {
  if (!current || !options.races) return;
  const struct mutex *m = mutex_at((uintptr_t)object, pc);
  if (m->writer || m->reading)
    misuse(m, "destroys", m->writer ? "has locked" : "has locked for reading", m->writer ? m->writer : a_reader(m), pc);
  annotations_forget((uintptr_t)object, 1);
}

WRAPPED void WRAP(__tsan_mutex_create)(void *, unsigned);
void WRAP(__tsan_mutex_create)(void *mutex, unsigned flags) {
  (void)flags;
  annotations_forget((uintptr_t)mutex, 1);
}
WRAPPED void WRAP(__tsan_mutex_destroy)(void *, unsigned);
void WRAP(__tsan_mutex_destroy)(void *mutex, unsigned flags) {
  if (flags & MUTEX_LINKER_INIT) return; /* a static one: it is never gone */
  destroyed(mutex, CALLER);
}
WRAPPED void WRAP(__tsan_mutex_pre_lock)(void *, unsigned);
void WRAP(__tsan_mutex_pre_lock)(void *mutex, unsigned flags) {
  (void)mutex, (void)flags;
  forgive_begin();
}
WRAPPED void WRAP(__tsan_mutex_post_lock)(void *, unsigned, int);
void WRAP(__tsan_mutex_post_lock)(void *mutex, unsigned flags, int times) {
  forgive_end();
  if (flags & MUTEX_TRY_LOCK_FAILED) return;
  locked(mutex, flags & MUTEX_READ_LOCK, flags & MUTEX_RECURSIVE_LOCK && times > 1 ? (uint32_t)times : 1, CALLER);
}
WRAPPED int WRAP(__tsan_mutex_pre_unlock)(void *, unsigned);
int WRAP(__tsan_mutex_pre_unlock)(void *mutex, unsigned flags) {
  uint32_t times = unlocked(mutex, flags & MUTEX_READ_LOCK, flags & MUTEX_RECURSIVE_UNLOCK, CALLER);
  forgive_begin();
  return (int)times;
}
WRAPPED void WRAP(__tsan_mutex_post_unlock)(void *, unsigned);
void WRAP(__tsan_mutex_post_unlock)(void *mutex, unsigned flags) {
  (void)mutex, (void)flags;
  forgive_end();
}
#define SCOPE(name, does) \
  WRAPPED void WRAP(__tsan_mutex_##name)(void *, unsigned); \
  void WRAP(__tsan_mutex_##name)(void *mutex, unsigned flags) { \
    (void)mutex, (void)flags; \
    does(); \
  }
SCOPE(pre_signal, forgive_begin)
SCOPE(post_signal, forgive_end)
SCOPE(pre_divert, forgive_end) /* inside of these the mutex calls code that is not its own */
SCOPE(post_divert, forgive_begin)

ANNOTATION(AnnotateRWLockCreate, const void *lock) {
  (void)file, (void)line;
  annotations_forget((uintptr_t)lock, 1);
}
ANNOTATION(AnnotateRWLockCreateStatic, const void *lock) { (void)file, (void)line, (void)lock; }
ANNOTATION(AnnotateRWLockDestroy, const void *lock) { (void)file, (void)line, destroyed(lock, CALLER); }
ANNOTATION(AnnotateRWLockAcquired, const void *lock, long writes) {
  (void)file, (void)line;
  locked(lock, !writes, 1, CALLER);
}
ANNOTATION(AnnotateRWLockReleased, const void *lock, long writes) {
  (void)file, (void)line;
  (void)unlocked(lock, !writes, false, CALLER);
}

/* What is not to be checked. */

#define IGNORES(name, does) \
  ANNOTATION_ALONE(name) { (void)file, (void)line, does(); }
IGNORES(AnnotateIgnoreReadsBegin, forgive_begin)
IGNORES(AnnotateIgnoreReadsEnd, forgive_end)
IGNORES(AnnotateIgnoreWritesBegin, forgive_begin)
IGNORES(AnnotateIgnoreWritesEnd, forgive_end)
WRAPPED void WRAP(__tsan_ignore_thread_begin)(void);
void WRAP(__tsan_ignore_thread_begin)(void) { forgive_begin(); }
WRAPPED void WRAP(__tsan_ignore_thread_end)(void);
void WRAP(__tsan_ignore_thread_end)(void) { forgive_end(); }

ANNOTATION(AnnotateBenignRaceSized, const void *at, long size, const char *why) {
  (void)file, (void)line, (void)why;
  forgive_range((uintptr_t)at, size > 0 ? (size_t)size : 1);
}
ANNOTATION(WTFAnnotateBenignRaceSized, const void *at, long size, const char *why) {
  (void)file, (void)line, (void)why;
  forgive_range((uintptr_t)at, size > 0 ? (size_t)size : 1);
}
ANNOTATION(AnnotateBenignRace, const void *at, const char *why) {
  (void)file, (void)line, (void)why;
  forgive_range((uintptr_t)at, 1);
}

/* Fibers of the code's own. What one did before it was left comes before what it does when it goes on, on whatever
 * thread; on one thread they follow each other. */

struct code_fiber {
  char unused;
};
enum { CODE_FIBERS_MOST = 4096 };
static struct code_fiber code_fibers[CODE_FIBERS_MOST + FIBERS_MOST], *on[FIBERS_MOST];
static size_t code_fiber_count;

static struct code_fiber *current_code_fiber(void) {
  unsigned id = current ? current->id : FIBER_MAIN;
  return on[id] ? on[id] : &code_fibers[CODE_FIBERS_MOST + id];
}

WRAPPED void *WRAP(__tsan_get_current_fiber)(void);
void *WRAP(__tsan_get_current_fiber)(void) { return current_code_fiber(); }
WRAPPED void *WRAP(__tsan_create_fiber)(unsigned);
void *WRAP(__tsan_create_fiber)(unsigned flags) {
  (void)flags;
  if (code_fiber_count == CODE_FIBERS_MOST) sync_unsupported_at("__tsan_create_fiber", "too many fibers", CALLER);
  struct code_fiber *f = &code_fibers[code_fiber_count++];
  if (races_wanted()) races_release((uintptr_t)f);
  return f;
}
WRAPPED void WRAP(__tsan_destroy_fiber)(void *);
void WRAP(__tsan_destroy_fiber)(void *fiber) { (void)fiber; }
WRAPPED void WRAP(__tsan_switch_to_fiber)(void *, unsigned);
void WRAP(__tsan_switch_to_fiber)(void *fiber, unsigned flags) {
  (void)flags; /* 1: the switch orders nothing; but on one thread it does */
  if (races_wanted()) {
    races_release((uintptr_t)current_code_fiber());
    races_acquire((uintptr_t)fiber);
  }
  on[current ? current->id : FIBER_MAIN] = fiber;
}
WRAPPED void WRAP(__tsan_set_fiber_name)(void *, const char *);
void WRAP(__tsan_set_fiber_name)(void *fiber, const char *name) { (void)fiber, (void)name; }

void annotations_reset(void) {
  mutex_count = 0;
  code_fiber_count = 0;
  memset(on, 0, sizeof on);
}

/* Memory that a library accesses for whoever called it. */

#define AT_PC(N) \
  WRAPPED void WRAP(__tsan_read##N##_pc)(void *, void *); \
  void WRAP(__tsan_read##N##_pc)(void *at, void *pc) { plain_access(at, N, false, (uintptr_t)pc, SPIN_SLOT); } \
  WRAPPED void WRAP(__tsan_write##N##_pc)(void *, void *); \
  void WRAP(__tsan_write##N##_pc)(void *at, void *pc) { plain_access(at, N, true, (uintptr_t)pc, SPIN_SLOT); }
AT_PC(1)
AT_PC(2)
AT_PC(4)
AT_PC(8)
AT_PC(16)
WRAPPED void WRAP(__tsan_read_range_pc)(void *, size_t, void *);
void WRAP(__tsan_read_range_pc)(void *at, size_t size, void *pc) {
  plain_access(at, size, false, (uintptr_t)pc, SPIN_SLOT);
}
WRAPPED void WRAP(__tsan_write_range_pc)(void *, size_t, void *);
void WRAP(__tsan_write_range_pc)(void *at, size_t size, void *pc) {
  plain_access(at, size, true, (uintptr_t)pc, SPIN_SLOT);
}

WRAPPED void *WRAP(__tsan_external_register_tag)(const char *);
void *WRAP(__tsan_external_register_tag)(const char *name) { return (void *)(uintptr_t)name; }
WRAPPED void WRAP(__tsan_external_register_header)(void *, const char *);
void WRAP(__tsan_external_register_header)(void *tag, const char *header) { (void)tag, (void)header; }
WRAPPED void WRAP(__tsan_external_assign_tag)(void *, void *);
void WRAP(__tsan_external_assign_tag)(void *at, void *tag) { (void)at, (void)tag; }
WRAPPED void WRAP(__tsan_external_read)(void *, void *, void *);
void WRAP(__tsan_external_read)(void *at, void *pc, void *tag) {
  (void)tag;
  plain_access(at, 1, false, (uintptr_t)pc, SPIN_SLOT);
}
WRAPPED void WRAP(__tsan_external_write)(void *, void *, void *);
void WRAP(__tsan_external_write)(void *at, void *pc, void *tag) {
  (void)tag;
  plain_access(at, 1, true, (uintptr_t)pc, SPIN_SLOT);
}

/* What has no meaning where races are found by happens-before alone; the same functions of the thread sanitizer are
 * empty, too. */

#define EMPTY(name, ...) \
  WRAPPED void WRAP(name)(const char *, int, __VA_ARGS__); \
  void WRAP(name)(const char *file, int line, __VA_ARGS__)
EMPTY(AnnotateCondVarSignal, const void *c) { (void)file, (void)line, (void)c; }
EMPTY(AnnotateCondVarSignalAll, const void *c) { (void)file, (void)line, (void)c; }
EMPTY(AnnotateCondVarWait, const void *c, const void *m) { (void)file, (void)line, (void)c, (void)m; }
EMPTY(AnnotateMutexIsNotPHB, const void *m) { (void)file, (void)line, (void)m; }
EMPTY(AnnotateMutexIsUsedAsCondVar, const void *m) { (void)file, (void)line, (void)m; }
EMPTY(AnnotatePublishMemoryRange, const void *at, long n) { (void)file, (void)line, (void)at, (void)n; }
EMPTY(AnnotateUnpublishMemoryRange, const void *at, long n) { (void)file, (void)line, (void)at, (void)n; }
EMPTY(AnnotateNewMemory, const void *at, long n) { (void)file, (void)line, (void)at, (void)n; }
EMPTY(AnnotatePCQCreate, const void *q) { (void)file, (void)line, (void)q; }
EMPTY(AnnotatePCQDestroy, const void *q) { (void)file, (void)line, (void)q; }
EMPTY(AnnotatePCQPut, const void *q) { (void)file, (void)line, (void)q; }
EMPTY(AnnotatePCQGet, const void *q) { (void)file, (void)line, (void)q; }
EMPTY(AnnotateTraceMemory, const void *at) { (void)file, (void)line, (void)at; }
EMPTY(AnnotateEnableRaceDetection, int enable) { (void)file, (void)line, (void)enable; }
EMPTY(AnnotateThreadName, const char *name) { (void)file, (void)line, (void)name; }
EMPTY(AnnotateNoOp, const void *at) { (void)file, (void)line, (void)at; }
EMPTY(AnnotateExpectRace, const void *at, const char *why) { (void)file, (void)line, (void)at, (void)why; }
EMPTY(AnnotateMemoryIsInitialized, const void *at, size_t n) { (void)file, (void)line, (void)at, (void)n; }
EMPTY(AnnotateMemoryIsUninitialized, const void *at, size_t n) { (void)file, (void)line, (void)at, (void)n; }
ANNOTATION_ALONE(AnnotateFlushExpectedRaces) { (void)file, (void)line; }
ANNOTATION_ALONE(AnnotateFlushState) { (void)file, (void)line; }
/* Atomic accesses that are to order nothing order all the same: that they do is a fact of the code. */
ANNOTATION_ALONE(AnnotateIgnoreSyncBegin) { (void)file, (void)line; }
ANNOTATION_ALONE(AnnotateIgnoreSyncEnd) { (void)file, (void)line; }

WRAPPED int WRAP(RunningOnValgrind)(void);
int WRAP(RunningOnValgrind)(void) { return 0; }
WRAPPED double WRAP(ValgrindSlowdown)(void);
double WRAP(ValgrindSlowdown)(void) { return 10; }
WRAPPED const char *WRAP(ThreadSanitizerQuery)(const char *);
const char *WRAP(ThreadSanitizerQuery)(const char *query) { return strcmp(query, "pure_happens_before") ? "0" : "1"; }
WRAPPED void WRAP(__tsan_flush_memory)(void);
void WRAP(__tsan_flush_memory)(void) {}
