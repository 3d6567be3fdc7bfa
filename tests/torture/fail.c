/* Makes calls of the C library fail, for tests/cli/torture.sh; loaded before the program with LD_PRELOAD.
 *
 *   TORTURE=alloc   taking memory fails
 *           write   writing and creating files
 *           child   a process that is started is killed at once
 *           files   there is no memory for the list of files that a process is to be started with
 *           death   a process that was forked is killed where it takes memory or writes
 *           end     the first process is sent the signal where it takes memory or writes
 *   TORTURE_AT=N         the Nth of these calls, counted in each process of asif from 1; 0: none, they are only counted
 *   TORTURE_ALL=1        and all that follow
 *   TORTURE_SIGNAL=S     the signal (9); 0 (child): the process cannot be started
 *   TORTURE_COUNT=FILE   gets the number of calls: the most that any process of asif made; then, for each call stack that
 *                        such a call was made from, a hash of it and the number of one of these calls, mostly the first; 0 and
 *                        0 where there is none. All are 8 bytes.
 *
 * Calls are counted in processes called asif only, not in the compilers that it runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum kind { NONE, ALLOC, WRITE, CHILD, FILES, DEATH, END };
static enum kind kind;
static long at;
static bool all;
static int deadly = 9;
static pid_t first;
static atomic_long calls;

/* What is in the file of TORTURE_COUNT, shared by all processes. */
enum { STACKS = 1 << 14, DEEPEST = 40 };
static struct {
  atomic_long most;
  struct {
    atomic_long hash, call;
  } stacks[STACKS];
} *counted;

static void count(long n) {
  static _Thread_local bool counts; /* backtrace itself may take memory */
  void *frames[DEEPEST];
  if (counts) return;
  counts = true;
  for (long known = atomic_load(&counted->most); known < n && !atomic_compare_exchange_weak(&counted->most, &known, n);)
    ;
  long hash = 1;
  int depth = backtrace(frames, DEEPEST);
  for (int i = 0; i < depth; i++) hash = (long)(((unsigned long)hash ^ (unsigned long)frames[i]) * 0x9e3779b97f4a7c15u);
  for (unsigned i = 0, slot = (unsigned long)hash >> 50; i < 100; i++, slot = (slot + 1) % STACKS) {
    long there = 0;
    if (atomic_compare_exchange_strong(&counted->stacks[slot].hash, &there, hash))
      atomic_store(&counted->stacks[slot].call, n);
    if (!there || there == hash) break;
  }
  counts = false;
}

static bool is_its_turn(void) {
  long n = atomic_fetch_add(&calls, 1) + 1;
  if (counted) count(n);
  return at && (all ? n >= at : n == at);
}

static bool fails(enum kind k) {
  bool ends = kind == DEATH ? getpid() != first : kind == END && getpid() == first;
  if (ends && k != CHILD && k != FILES && is_its_turn()) kill(getpid(), deadly);
  return k == kind && is_its_turn();
}

__attribute__((constructor)) static void begin(void) {
  const char *what = getenv("TORTURE"), *n = getenv("TORTURE_AT"), *s = getenv("TORTURE_SIGNAL");
  if (!what || strcmp(program_invocation_short_name, "asif")) return;
  at = n ? atol(n) : 0;
  all = getenv("TORTURE_ALL") != NULL;
  if (s) deadly = atoi(s);
  const char *path = getenv("TORTURE_COUNT");
  long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (fd >= 0 && !syscall(SYS_ftruncate, (int)fd, (long)sizeof *counted)) {
    void *shared = (void *)syscall(SYS_mmap, NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0L);
    if (shared != MAP_FAILED) counted = shared;
    backtrace((void *[1]){NULL}, 1); /* it loads a library the first time, which is not to be counted */
  }
  static const char *const names[] = {[ALLOC] = "alloc", [WRITE] = "write", [CHILD] = "child", [FILES] = "files", [DEATH] = "death", [END] = "end"};
  first = getpid();
  for (kind = END; kind && strcmp(what, names[kind]);) kind--;
}

/* The real function; dlsym itself may take memory, from the first of these. */
#define REAL(name) \
  static __typeof__(name) *real; \
  if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

#define NO_MEMORY(k) \
  if (fails(k)) { \
    errno = ENOMEM; \
    return NULL; \
  }
void *malloc(size_t n) {
  NO_MEMORY(ALLOC)
  return __libc_malloc(n);
}
void *calloc(size_t n, size_t m) {
  NO_MEMORY(ALLOC)
  return __libc_calloc(n, m);
}
void *realloc(void *p, size_t n) {
  NO_MEMORY(ALLOC)
  return __libc_realloc(p, n);
}
void *aligned_alloc(size_t a, size_t n) {
  NO_MEMORY(ALLOC)
  return __libc_memalign(a, n);
}
void *mmap(void *where, size_t n, int protection, int flags, int fd, off_t offset) {
  if (fails(ALLOC)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, where, n, protection, flags, fd, offset);
}

void *mremap(void *from, size_t old, size_t n, int flags, ...) {
  va_list list;
  va_start(list, flags);
  void *to = flags & MREMAP_FIXED ? va_arg(list, void *) : NULL;
  va_end(list);
  if (fails(ALLOC)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mremap, from, old, n, flags, to);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with) {
  REAL(pthread_create);
  if (fails(ALLOC)) return EAGAIN;
  return real(thread, how, run, with);
}

#define NO_SPACE(result) \
  if (fails(WRITE)) { \
    errno = ENOSPC; \
    return result; \
  }
ssize_t write(int fd, const void *bytes, size_t n) {
  NO_SPACE(-1)
  return syscall(SYS_write, fd, bytes, n);
}
int rename(const char *from, const char *to) {
  NO_SPACE(-1)
  return (int)syscall(SYS_rename, from, to);
}
int fsync(int fd) {
  NO_SPACE(-1)
  return (int)syscall(SYS_fsync, fd);
}
int mkstemp(char *name) {
  REAL(mkstemp);
  NO_SPACE(-1)
  return real(name);
}
char *mkdtemp(char *name) {
  REAL(mkdtemp);
  NO_SPACE(NULL)
  return real(name);
}
size_t fwrite(const void *bytes, size_t size, size_t n, FILE *f) {
  REAL(fwrite);
  NO_SPACE(0)
  return real(bytes, size, n, f);
}
int fputs(const char *s, FILE *f) {
  REAL(fputs);
  NO_SPACE(EOF)
  return real(s, f);
}
FILE *fopen(const char *path, const char *mode) {
  REAL(fopen);
  if (strpbrk(mode, "wa")) NO_SPACE(NULL)
  return real(path, mode);
}
int fputc(int c, FILE *f) {
  REAL(fputc);
  NO_SPACE(EOF)
  return real(c, f);
}
int fflush(FILE *f) {
  REAL(fflush);
  if (f && __fpending(f)) NO_SPACE(EOF)
  return real(f);
}
int fclose(FILE *f) { /* what it writes first is lost */
  REAL(fclose);
  bool lost = __fwriting(f) && fails(WRITE);
  if (lost) __fpurge(f);
  int closed = real(f);
  if (!lost) return closed;
  errno = ENOSPC;
  return EOF;
}
int ftruncate(int fd, off_t size) {
  NO_SPACE(-1)
  return (int)syscall(SYS_ftruncate, fd, size);
}
int memfd_create(const char *name, unsigned flags) {
  NO_SPACE(-1)
  return (int)syscall(SYS_memfd_create, name, flags);
}
int symlink(const char *to, const char *path) {
  NO_SPACE(-1)
  return (int)syscall(SYS_symlink, to, path);
}
int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
  va_end(list);
  if ((flags & O_ACCMODE) != O_RDONLY) NO_SPACE(-1)
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

pid_t fork(void) {
  REAL(fork);
  bool dies = fails(CHILD);
  if (dies && !deadly) {
    errno = EAGAIN;
    return -1;
  }
  pid_t child = real();
  if (dies && child > 0) kill(child, deadly);
  return child;
}
int posix_spawnp(pid_t *restrict child, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
                 const posix_spawnattr_t *restrict attributes, char *const argv[restrict], char *const envp[restrict]) {
  REAL(posix_spawnp);
  bool dies = fails(CHILD);
  if (dies && !deadly) return EAGAIN;
  int failed = real(child, file, actions, attributes, argv, envp);
  if (dies && !failed) kill(*child, deadly);
  return failed;
}
FILE *popen(const char *command, const char *mode) {
  REAL(popen);
  if (fails(CHILD)) {
    errno = EAGAIN;
    return NULL;
  }
  return real(command, mode);
}
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *files, int fd, const char *path, int flags, mode_t mode) {
  REAL(posix_spawn_file_actions_addopen);
  return fails(FILES) ? ENOMEM : real(files, fd, path, flags, mode);
}
int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *files, int fd, int to) {
  REAL(posix_spawn_file_actions_adddup2);
  return fails(FILES) ? ENOMEM : real(files, fd, to);
}
