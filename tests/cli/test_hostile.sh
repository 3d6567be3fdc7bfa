#!/bin/bash
# Code that does to its process what it likes: each has a verdict that says what it did, never an internal error, never a hang.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp || exit 1
object() { # NAME BODY [MORE]: an operation whose second call does something
  cat >"$1.c" <<END
#include <asif.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int n;
${3-}
static int helper(int v) { $2 }
static int inc(void) { int v = atomic_load(&n); v = helper(v); atomic_fetch_add(&n, 1); return v; }
struct state { int n; };
static int spec_inc(struct state *s) { s->n++; return 0; }
ASIF_SPEC(mine, struct state)
ASIF_SPEC_OP(spec_inc, "inc")
ASIF_OBJECT(mine)
ASIF_OP(inc)
END
}
try() { # STATUS NAME WORDS
  run "$1" timeout 60 "$asif" test "$2.c" --client 'inc() | inc()'
  says "$3"
  [ -z "$(ls tmp)" ] || fail "asif test $2.c leaves $(ls tmp)"
}

# Memory that is not its own.
object far 'if (v) { volatile int *p = malloc(4); p[1 << 28] = 1; } return 0;'
try 1 far 'verdict: violated: out of bounds'
object farther 'if (v) { volatile int *p = malloc(4); p[1L << 40] = 1; } return 0;'
try 1 farther 'verdict: violated: crash'
object frame 'if (v) { volatile char b[8], *volatile p = b; for (int i = 0; i < 4000; i++) p[i] = 0; } return 0;'
try 1 frame 'verdict: violated: crash'
object array 'if (v) { volatile char b[8]; for (int i = 0; i < 4000; i++) b[i] = 0; } return 0;'
try 1 array 'verdict: violated: out of bounds'
object own 'if (v) for (char **p = environ, **e = p + 40000; p > e - 80000; p--) *(volatile char **)p = NULL; return 0;'
sed -i '1i #define _GNU_SOURCE' own.c
try 3 own 'verdict: unknown: '

# A local variable that nobody has set: whatever it has, it has in every run. What an earlier run or the hooks left on the stack is none of its values.
cat >unset.c <<END
#include <asif.h>
#include <stdatomic.h>
static _Atomic long n;
static long inc(void) {
  long unset, was = atomic_load(&n);
  (void)atomic_compare_exchange_weak(&n, &unset, was + 100);
  return atomic_fetch_add(&n, 1);
}
static long peek(void) { long unset; (void)atomic_compare_exchange_strong(&n, &unset, 0); return unset == 0; }
struct state { long n; };
static long spec_inc(struct state *s) { return s->n++; }
static long spec_peek(struct state *s) { return s->n == 0; }
ASIF_SPEC(mine, struct state)
ASIF_SPEC_OP(spec_inc, "inc")
ASIF_SPEC_OP(spec_peek, "peek")
ASIF_OBJECT(mine)
ASIF_OP(inc)
ASIF_OP(peek)
END
for cc in ${CC:-cc} clang; do
  command -v "${cc%% *}" >/dev/null || continue
  CC=$cc run 0 timeout 60 "$asif" test unset.c --threads 3 --ops 1
done

# Signals: those it sends itself, and those it handles.
object raises 'if (v) raise(SIGTERM); return 0;'
try 1 raises 'sends its own process SIGTERM, which ends it'
object handles 'if (v) { signal(SIGSEGV, on); *(volatile int *)8 = 1; } return 0;' 'static void on(int s) { (void)s; _exit(0); }'
try 3 handles 'gets SIGSEGV, which the code handles itself'
object early 'if (v) *(volatile int *)8 = 1; return 0;' 'static void on(int s) { (void)s; _exit(0); }
__attribute__((constructor)) static void c(void) { signal(SIGSEGV, on); }'
try 3 early 'gets SIGSEGV, which the code handles itself'
object stops 'if (v) raise(SIGSTOP); return 0;'
try 3 stops 'stops.c:13: thread B stops its own process (SIGSTOP)'
object told 'if (v) raise(SIGUSR1); return told - v;' 'static volatile sig_atomic_t told; static void on(int s) { (void)s; told = 1; }
__attribute__((constructor)) static void c(void) { signal(SIGUSR1, on); }'
try 3 told 'told.c:14: thread B sends itself SIGUSR1, which the code handles'

# Processes and threads.
object clones 'if (v) syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); return 0;'
try 3 clones 'clones.c:13: thread B calls syscall(SYS_clone, ...)'
object exits 'if (v) exit(3); return 0;'
try 1 exits 'calls exit(3)'
object leaves 'pthread_t t; if (v) pthread_create(&t, NULL, loop, NULL); return 0;' 'static void *loop(void *x) { for (;;) sleep(1); return x; }'
run 0 timeout 60 "$asif" test leaves.c --client 'inc() | inc()'
object loads 'return 0 * v;' 'static void *loop(void *x) { return x; }
__attribute__((constructor)) static void c(void) { pthread_t t; pthread_create(&t, NULL, loop, NULL); }'
run 2 "$asif" test loads.c; warns 'pthread_create is called while the code is loaded'
object sleeps 'if (v) sleep(100); return 0;'
try 0 sleeps 'verdict: linearizable'
object allocates 'return v * (int)(*block - 7);' 'static long *block; __attribute__((constructor)) static void c(void) { block = malloc(1 << 20); *block = 7; }'
try 0 allocates 'verdict: linearizable'
object types 'char c; return v ? (int)read(0, &c, 1) : 0;' # there is nobody who types
try 0 types 'verdict: linearizable'
object waits 'int p[2]; char c; if (v) return pipe(p) ? 0 : (int)read(p[0], &c, 1); return 0;'
try 3 waits 'waits in a system call'

# What it depends on from outside.
object writes 'FILE *f = fopen("counter", "a"); if (f) fclose(f); return 0 * v;'
try 3 writes 'writes.c:13: thread A calls fopen, which cannot be run under a scheduler: what it writes to a file stays'
object looks 'FILE *f = fopen("/dev/null", "r"); if (f) fclose(f); return 0 * v;'
try 0 looks 'verdict: linearizable'
cat >ticks.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
static atomic_int n;
static int *outside; /* mapped while the code is loaded, and no part of it: runs leave something there */
__attribute__((constructor)) static void c(void) { outside = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static int fetch_add(void) { int v = ++*outside; atomic_fetch_add(&n, 1); return v; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
run 3 timeout 60 "$asif" test ticks.c -n 1 -o 1; says 'the same schedule run again gives another history'

# Addresses are the same in every process: code that hashes them does the same again.
cat >hashes.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdint.h>
static _Thread_local int mine;
static atomic_int slots[8], n;
static int fetch_add(void) {
  unsigned i = (unsigned)(((uintptr_t)&mine >> 6) * 0x9e3779b97f4a7c15u >> 61) + (unsigned)((uintptr_t)&n >> 12);
  while (atomic_exchange(&slots[i % 8], 1)) i++;
  int v = atomic_load(&n);
  atomic_store(&n, v + 1);
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
for i in 1 2 3; do
  run 1 "$asif" test hashes.c -n 2 -o 1; says 'verdict: not linearizable'
  token=$(sed -n 's/^replay: --replay //p' out)
  [ "$token" = "${last-$token}" ] || fail "another schedule: $token, not $last"
  last=$token
done
run 1 "$asif" test hashes.c --replay "$last"

# What the machine takes several accesses for is no step.
cat >wide.c <<'END'
#include <asif.h>
static volatile __int128 x __attribute__((aligned(16)));
static void put(int v) { x = v; }
static int get(void) { return (int)x; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put)
ASIF_OP_AS(read, get)
END
run 3 "$asif" test wide.c -n 2 -o 1; says '16 bytes that are volatile, not atomic: the machine takes several accesses'

# An anonymous private mapping in a run is a block, of zeros: munmap frees it. Other mappings stay from run to run, and one in the place of another is not
# seen as new memory: a run that maps or unmaps so is given up.
maps() { # CALLS of an operation
  cat >maps.c <<END
#define _GNU_SOURCE
#include <asif.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static int c;
static int *map(size_t n) { return mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
static void inc(void) { $1 __atomic_fetch_add(&c, 1, __ATOMIC_SEQ_CST); }
static int get(void) { return __atomic_load_n(&c, __ATOMIC_SEQ_CST); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP_AS(read, get)
END
}
for calls in 'int *p = map(4096); if ((long)p % 4096 || p[7]) abort(); p[7] = 1; if (munmap(p, 4096)) abort();' \
  'static int *p; if (!__atomic_load_n(&p, __ATOMIC_ACQUIRE)) { int *q = map(100), *none = 0; if (!__atomic_compare_exchange_n(&p, &none, q, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) munmap(q, 100); }'; do
  maps "$calls"
  run 0 "$asif" test maps.c -n 2 -o 2; says 'verdict: linearizable'
done
maps 'int *p = map(4096); munmap(p, 4096); *p = 1;'
run 1 "$asif" test maps.c -n 1 -o 1; says 'verdict: violated: use after free'; says 'freed here'
maps 'int *p = map(4096); free(p);'
run 1 "$asif" test maps.c -n 1 -o 1; says 'frees with free a block made by mmap'
for calls in 'int *p = map(8192); munmap(p, 4096);' 'int *p = map(1 << 30); *p = 1;' 'int *p = malloc(4096); munmap(p, 4096);' \
  'int *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); *p = 1;' \
  'int *p = (int *)syscall(SYS_mmap, 0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *p = 1; syscall(SYS_munmap, p, 4096);' \
  'int *p = sbrk(64); *p = 1; sbrk(-64);'; do
  maps "$calls"
  run 3 "$asif" test maps.c -n 2 -o 2; says 'verdict: unknown: maps.c:'; says 'what it maps or unmaps stays so from run to run'
done
