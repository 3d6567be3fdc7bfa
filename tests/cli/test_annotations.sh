#!/bin/bash
# What code says to the thread sanitizer means the same under asif test: orders, mutexes of its own, races that are harmless.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
compilers=$(command -v gcc >/dev/null && echo gcc || echo cc)
[ -z "${ASIF_LONG-}" ] || ! command -v clang >/dev/null || compilers="$compilers clang"

cat >tsan.h <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stddef.h>
void __tsan_acquire(void *), __tsan_release(void *);
void __tsan_mutex_create(void *, unsigned), __tsan_mutex_destroy(void *, unsigned), __tsan_mutex_pre_lock(void *, unsigned),
    __tsan_mutex_post_lock(void *, unsigned, int), __tsan_mutex_post_unlock(void *, unsigned), __tsan_mutex_pre_signal(void *, unsigned),
    __tsan_mutex_post_signal(void *, unsigned), __tsan_mutex_pre_divert(void *, unsigned), __tsan_mutex_post_divert(void *, unsigned);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_read_range(void *, size_t), __tsan_write_range(void *, size_t), __tsan_read_range_pc(void *, size_t, void *);
void *__tsan_create_fiber(unsigned), *__tsan_get_current_fiber(void);
void __tsan_switch_to_fiber(void *, unsigned), __tsan_destroy_fiber(void *), __tsan_set_fiber_name(void *, const char *);
void AnnotateHappensBefore(const char *, int, const volatile void *), AnnotateHappensAfter(const char *, int, const volatile void *);
void AnnotateIgnoreReadsBegin(const char *, int), AnnotateIgnoreReadsEnd(const char *, int);
void AnnotateIgnoreWritesBegin(const char *, int), AnnotateIgnoreWritesEnd(const char *, int);
void AnnotateBenignRaceSized(const char *, int, const volatile void *, long, const char *);
void AnnotateRWLockCreate(const char *, int, const volatile void *), AnnotateRWLockDestroy(const char *, int, const volatile void *);
void AnnotateRWLockAcquired(const char *, int, const volatile void *, long), AnnotateRWLockReleased(const char *, int, const volatile void *, long);
int RunningOnValgrind(void);
END
# Order that only the annotations give: a flag that is relaxed.
flag() { # NAME BEFORE AFTER
  cat >"$1.c" <<END
#include "tsan.h"
static int data;
static atomic_int ready;
static void put(int v) { data = v; $2; atomic_store_explicit(&ready, 1, memory_order_relaxed); }
static int get(void) { if (!atomic_load_explicit(&ready, memory_order_relaxed)) return 0; $3; return data; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END
}
flag none '' ''
flag tsan '__tsan_release(&ready)' '__tsan_acquire(&ready)'
flag half '__tsan_release(&ready)' ''
flag other '__tsan_release(&ready)' '__tsan_acquire(&data)'
flag happens 'AnnotateHappensBefore("", 1, &ready)' 'AnnotateHappensAfter("", 1, &ready)'
flag late '' '__tsan_acquire(&ready)'
sed -i 's/memory_order_relaxed); }/memory_order_relaxed); __tsan_release(\&ready); }/' late.c
for name in none half other late; do run 1 "$asif" test $name.c --client 'write(1) | read()'; says 'data race'; silent; done
for compiler in $compilers; do
  for name in tsan happens; do CC=$compiler run 0 "$asif" test $name.c --client 'write(1) | read() read()'; says 'verdict: linearizable'; silent; done
done
# Stated orders are tried both ways: with nothing else that the threads share, one schedule would hide the race.
cat >both.c <<'END'
#include "tsan.h"
static int data;
static void put(int v) { data = v; __tsan_release(&data); }
static int get(void) { __tsan_acquire(&data); return data; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END
run 1 "$asif" test both.c --client 'write(1) | read()'; says 'data race'; says 'acquire data'
# Without races they are nothing.
run 1 "$asif" test none.c --client 'write(1) | read()' --races yes
run 0 "$asif" test tsan.c --client 'write(1) | read()' --races no; says 'verdict: linearizable'

# A lock of the code's own that says what it is. Its memory orders are too weak: the annotations are believed.
lock() { # NAME FLAGS-OF-LOCK LOCKING UNLOCKING BODY-OF-READ
  cat >"$1.c" <<END
#include "tsan.h"
static atomic_int held;
static int count;
int inner;
static void lock(unsigned flags) {
  __tsan_mutex_pre_lock(&held, flags);
  inner = 1;
  $3;
  __tsan_mutex_post_lock(&held, flags, 0);
}
static void unlock(unsigned flags) {
  __tsan_mutex_pre_unlock(&held, flags);
  $4;
  __tsan_mutex_post_unlock(&held, flags);
}
static int fetch_add(void) { lock($2); int v = count++; unlock($2); return v; }
static int read(void) { $5 }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
ASIF_OP(read)
END
}
spin='while (atomic_exchange_explicit(\&held, 1, memory_order_relaxed)) asif_yield()'
spin=${spin//\\/}
free='atomic_store_explicit(&held, 0, memory_order_relaxed)'
lock right 0 "$spin" "$free" 'lock(0); int v = count; unlock(0); return v;'
lock unlocked 0 "$spin" "$free" 'return count;'
lock broken 0 'if (atomic_load(&held)) asif_yield(); atomic_store(&held, 1)' "$free" 'lock(0); int v = count; unlock(0); return v;'
lock twice 0 "$spin" "$free" 'lock(0); int v = count; unlock(0); __tsan_mutex_pre_unlock(&held, 0); return v;'
lock gone 0 "$spin" "$free" 'lock(0); int v = count; __tsan_mutex_destroy(&held, 0); return v;'
# Both write `inner` inside of the lock's own code, which is not checked; but the verdict says that.
run 0 "$asif" test right.c --client 'fetch_add() | read()'
says 'note: data races were seen that are not reported: right.c:7 (the code says so)'; says 'verdict: linearizable'; silent
# An access elsewhere that races with them is not interleaved with all else.
sed 's/int v = count; unlock(0)/int v = count + (inner > 1); unlock(0)/' right.c >outside.c
run 0 "$asif" test outside.c --client 'fetch_add() | read()'
says 'not every interleaving of these accesses was tried'; says 'verdict: no violation found'; silent
sed -i '/inner = 1/d' right.c
run 0 "$asif" test right.c --client 'fetch_add() | read()'; says 'verdict: linearizable'; silent
sed 's/__tsan_mutex_p[^;]*;//' right.c >bare.c
run 1 "$asif" test bare.c --client 'fetch_add() | read()'; says 'data race'
run 1 "$asif" test unlocked.c --client 'fetch_add() | read()'; says 'data race'; says 'count'
run 1 "$asif" test broken.c --client 'fetch_add() | read()'; says 'locks the mutex held, which thread'; says 'verdict: violated: misuse'
run 1 "$asif" test twice.c --client 'fetch_add() | read()'; says 'unlocks the mutex held, which is not locked'
run 1 "$asif" test gone.c --client 'read()'; says 'destroys the mutex held, which thread A has locked'

# Readers are not ordered with each other.
cat >readers.c <<'END'
#include "tsan.h"
static atomic_int readers, writer;
static int count, reads;
static void lock(int w) {
  if (w) while (atomic_load_explicit(&readers, 0) || atomic_exchange_explicit(&writer, 1, 0)) asif_yield();
  else atomic_fetch_add_explicit(&readers, 1, 0);
  AnnotateRWLockAcquired("", 1, &writer, w);
}
static void unlock(int w) {
  AnnotateRWLockReleased("", 1, &writer, w);
  if (w) atomic_store_explicit(&writer, 0, 0);
  else atomic_fetch_sub_explicit(&readers, 1, 0);
}
static int read(void) { lock(0); int v = count; COUNT; unlock(0); return v; }
static int fetch_add(void) { lock(1); int v = count++; unlock(1); return v; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
ASIF_OP(read)
END
run 0 "$asif" test readers.c --client 'read() | read()' -- -DCOUNT=; says 'verdict: linearizable'
run 1 "$asif" test readers.c --client 'read() | read()' -- -DCOUNT='reads++'; says 'data race'
run 1 "$asif" test readers.c --client 'fetch_add() | read()' -- -DCOUNT=; says 'misuse' # nothing keeps a reader out

# Races that are called harmless, or not looked at. Both sides are interleaved: a lost update is found all the same.
cat >benign.c <<'END'
#include "tsan.h"
static int hits, data;
static int bump(void) { BEGIN; int v = hits; hits = v + 1; END; return ASIF_OK; }
static int look(void) { BEGIN; int v = hits; END; return v; }
static void init(void) { INIT; }
ASIF_OBJECT(counter)
ASIF_INIT(init)
ASIF_OP_AS(increment, bump)
ASIF_OP_AS(read, look)
END
run 1 "$asif" test benign.c --client 'increment() | increment()' -- -DBEGIN= -DEND= -DINIT=; says 'data race'
for how in "-DINIT=AnnotateBenignRaceSized(\"\",1,&hits,4,\"statistics\")" '-DBEGIN=AnnotateIgnoreReadsBegin("",1),AnnotateIgnoreWritesBegin("",1)'; do
  begin=-DBEGIN= end=-DEND= init=-DINIT=
  case $how in *BEGIN*) begin=$how end='-DEND=AnnotateIgnoreWritesEnd("",1),AnnotateIgnoreReadsEnd("",1)' ;; *) init=$how ;; esac
  run 0 "$asif" test benign.c --client 'increment() | increment()' -- "$begin" "$end" "$init"
  says 'verdict: linearizable'; says 'note: data races were seen that are not reported: benign.c:3'; silent
  run 1 "$asif" test benign.c --client 'increment() read() | increment()' -- "$begin" "$end" "$init"; says 'not linearizable'
  run 0 "$asif" test benign.c --client 'read() | read()' -- "$begin" "$end" "$init"; says 'verdict: linearizable'
done
# A use after free is not a race.
cat >freed.c <<'END'
#include "tsan.h"
#include <stdlib.h>
static _Atomic(int *) top;
static void init(void) { top = malloc(sizeof(int)); *top = 1; }
static int take(void) { int *p = atomic_exchange(&top, NULL); if (p) free(p); return ASIF_OK; }
static int look(void) { int *p = top, v = 0; AnnotateIgnoreReadsBegin("", 1); if (p) v = *p; AnnotateIgnoreReadsEnd("", 1); return v < 0 ? 5 : ASIF_OK; }
ASIF_OBJECT(counter)
ASIF_INIT(init)
ASIF_OP_AS(increment, take)
ASIF_OP_AS(decrement, look)
END
run 1 "$asif" test freed.c --client 'increment() | decrement()'; says 'use after free'

# Memory that a library accesses for the code.
cat >range.c <<'END'
#include "tsan.h"
static char data[16];
static atomic_int y;
static void put(int v) { atomic_store(&y, v); __tsan_write_range(data, sizeof data); }
static int get(void) { __tsan_read_range_pc(data + 8, 2, __builtin_return_address(0)); return atomic_load(&y); }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END
run 1 "$asif" test range.c --client 'write(1) | read()'; says 'data race'

# The rest is there.
cat >rest.c <<'END'
#include "tsan.h"
static atomic_int n;
static int fetch_add(void) {
  void *own = __tsan_get_current_fiber(), *other = __tsan_create_fiber(0);
  __tsan_set_fiber_name(other, "other");
  __tsan_switch_to_fiber(other, 0);
  __tsan_switch_to_fiber(own, 0);
  __tsan_destroy_fiber(other);
  __tsan_mutex_pre_signal(&n, 0), __tsan_mutex_post_signal(&n, 0);
  __tsan_mutex_pre_lock(&n, 0), __tsan_mutex_pre_divert(&n, 0), __tsan_mutex_post_divert(&n, 0), __tsan_mutex_post_lock(&n, 32, 0);
  return n++ + RunningOnValgrind();
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
for compiler in $compilers; do CC=$compiler run 0 "$asif" test rest.c -n 2 -o 1; says 'verdict: linearizable'; silent; done
! command -v clang >/dev/null || { CC=clang run 0 "$asif" test rest.c -n 2 -o 1; says 'verdict: linearizable'; }
run 0 "$asif" test rest.c --stress -t 0.5 -n 2

# Suppressions, in the thread sanitizer's format: of functions, of those they are inlined into, of files; the code's own.
cat >counted.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include "stats.h"
static atomic_int n;
int fetch_add(void) { count_one(); return n++; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
cat >stats.h <<'END'
int hits;
static inline void bump(int *p) { *p += 1; }
static void count_one(void) { bump(&hits); }
#ifdef OWN
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "# ours\nrace:^count_*$\n"; }
#endif
END
run 1 "$asif" test counted.c -n 2 -o 1; says 'data race'
lines="race:bump race:^fetch_add\$ file:st*ts"
[ -z "${ASIF_LONG-}" ] || lines="$lines race:count_one race_top:bump file:stats.h race:*stats.h\$"
set -f
for line in $lines; do
  printf '# known\n\n%s\nmutex:other\n' "$line" >known.txt
  run 0 "$asif" test counted.c -n 2 -o 1 --suppressions known.txt; silent
  says 'note: data races were seen that are not reported: stats.h:2 (suppressed)'; says 'verdict: linearizable'
  says 'known.txt:4: `mutex:` has no effect'
done
set +f
for line in 'race:^ump' file:bump; do
  echo "$line" >known.txt; run 1 "$asif" test counted.c -n 2 -o 1 --suppressions known.txt; says 'data race'
done
run 0 "$asif" test counted.c -n 2 -o 1 -- -DOWN; says '(suppressed)'
echo 'races:x' >known.txt; run 2 "$asif" test counted.c --suppressions known.txt; warns "known.txt:1: 'races:x' is not a suppression"
run 2 "$asif" test counted.c --suppressions missing.txt; warns 'missing.txt: No such file'
# What else is wrong is found, repeated, and its evidence stands.
sed 's/return n++;/int v = n; n = v + 1; return v;/' counted.c >lost.c
echo 'file:stats.h' >known.txt
run 1 "$asif" test lost.c -n 2 -o 1 --suppressions known.txt; says 'not linearizable'
token=${out#*replay: --replay }; token=${token%%[[:space:]]*}
run 1 "$asif" test lost.c --suppressions known.txt --replay "$token"; says 'not linearizable'

# Functions that are to have no hooks have them, and are named; inlined ones too.
cat >marked.c <<'END'
#include <asif.h>
static int n;
#if !__has_attribute(no_sanitize_thread)
#error asked for so by others
#endif
static __attribute__((no_sanitize("thread"))) int get(void) { return n; }
static inline __attribute__((always_inline, no_sanitize("thread", "undefined"))) void set(int v) { n = v; }
static int fetch_add(void) { int v = get(); set(v + 1); return v; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
for compiler in $compilers; do
  CC=$compiler run 1 "$asif" test marked.c -n 2 -o 1 -- -Wall -Wextra -Werror; says 'data race'; silent
  says 'note: get (marked.c:6), set (marked.c:7) are marked no_sanitize: they have hooks all the same'
done
