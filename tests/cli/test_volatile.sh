#!/bin/bash
# Code from before C11: volatile variables as atomic ones, and the __sync functions.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
compilers=$(command -v gcc >/dev/null && echo gcc || echo cc)
[ -z "${ASIF_LONG-}" ] || ! command -v clang >/dev/null || compilers="$compilers clang"

# A flag that publishes data. By default a volatile access is a relaxed one: it orders nothing.
cat >flag.c <<'END'
#include <asif.h>
static int data;
static volatile int ready;
static void put(int v) { data = v; ready = 1; }
static int get(void) { return ready ? data : 0; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END
client='write(1) | read() read()'
for order in '' '--volatile relaxed'; do
  run 1 "$asif" test flag.c --client "$client" $order; says 'Data race: 4 bytes at data'; silent
done
run 1 "$asif" test flag.c --client "$client"; says 'note: volatile accesses were taken as relaxed, and order nothing: with --volatile acquire-release'
run 1 "$asif" test flag.c --client "$client" --volatile relaxed; case $out in *'volatile accesses'*) fail "said though it was asked for: $out" ;; esac
for compiler in $compilers; do
  for order in acquire-release seq-cst; do
    CC=$compiler run 0 "$asif" test flag.c --client "$client" --volatile $order; says 'verdict: linearizable'; silent
    case $out in *'volatile accesses'*) fail "a note: $out" ;; esac
  done
done
# What it orders is what is written before, and read after: not the other way round.
sed 's/data = v; ready = 1;/ready = 1; data = v;/' flag.c >late.c
run 1 "$asif" test late.c --client "$client" --volatile acquire-release; says 'data race'
token=${out#*replay: --replay }; token=${token%%[[:space:]]*}
case $token in 1:rv:* | 1:rlv:*) ;; *) fail "the token does not say it: $token" ;; esac
run 1 "$asif" test late.c --replay "$token"; says 'data race'

# Two volatile accesses that race are told as what they are, and the search goes on.
cat >turns.c <<'END'
#include <asif.h>
static volatile int last;
static void put(int v) { last = v; }
static int get(void) { return last; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 2))
ASIF_OP_AS(read, get)
END
for compiler in $compilers; do
  CC=$compiler run 0 "$asif" test turns.c -n 2 -o 2; says 'verdict: linearizable'; silent
  says 'note: volatile accesses race: turns.c:'
  says 'a data race in C11; on x86 and with GCC'"'"'s practice it behaves as relaxed'; says '--volatile relaxed'
done
for order in relaxed acquire-release seq-cst; do
  run 0 "$asif" test turns.c -n 2 -o 2 --volatile $order; says 'verdict: linearizable'
  case $out in *'volatile accesses race'*) fail "said though it was asked for: $out" ;; esac
done
run 0 "$asif" test turns.c --client 'read() | read()'; case $out in *'volatile accesses'*) fail "reads do not race: $out" ;; esac
run 0 "$asif" test turns.c --client 'write(1) read()'; case $out in *'volatile accesses'*) fail "one thread does not race: $out" ;; esac
run 0 "$asif" test turns.c -n 2 -o 1 --json; says '"notes":["volatile accesses race: turns.c:'
# Under a lock there is no race to be told.
cat >locked.c <<'END'
#include <asif.h>
#include <pthread.h>
static volatile int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int fetch_add(void) { pthread_mutex_lock(&m); int v = n++; pthread_mutex_unlock(&m); return v; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
run 0 "$asif" test locked.c -n 2 -o 2; case $out in *'volatile accesses'*) fail "a race: $out" ;; esac
# n++ of a volatile variable is two accesses, and with a plain one it is a race like any other.
sed 's/pthread_mutex_[a-z]*lock(&m);//g' locked.c >lost.c; run 1 "$asif" test lost.c -n 2 -o 1; says 'not linearizable'
cat >mixed.c <<'END'
#include <asif.h>
static int n;
static void put(int v) { *(volatile int *)&n = v; }
static int get(void) { return n; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END
run 1 "$asif" test mixed.c --client 'write(1) | read()'; says 'data race'

# __sync functions are full barriers, but for lock_test_and_set, which acquires, and lock_release, which releases.
cat >sync.c <<'END'
#include <asif.h>
static int data;
static int flag;
static void put(int v) { data = v; PUT; }
static int get(void) { return GET ? data : 0; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END
sync() { # STATUS PUT GET
  for compiler in $compilers; do
    CC=$compiler run $1 "$asif" test sync.c --client 'write(1) | read()' -- "-DPUT=$2" "-DGET=$3"
    [ $1 = 0 ] && says 'verdict: linearizable' || says 'data race'
  done
}
# Clang's lock_test_and_set is more than that by itself.
! command -v clang >/dev/null || compilers=clang sync 1 '__sync_lock_test_and_set(&flag, 1)' '__sync_add_and_fetch(&flag, 0)'
sync 0 '__sync_fetch_and_add(&flag, 1)' '__sync_fetch_and_or(&flag, 0)'
sync 0 '__sync_bool_compare_and_swap(&flag, 0, 1)' '__sync_val_compare_and_swap(&flag, 2, 3)'
sync 1 '__sync_lock_test_and_set(&flag, 1)' '__sync_add_and_fetch(&flag, 0)'
sync 0 '__atomic_store_n(&flag, 1, __ATOMIC_RELEASE)' '__sync_lock_test_and_set(&flag, 1)'
sync 1 '__sync_fetch_and_add(&flag, 1)' '__atomic_load_n(&flag, __ATOMIC_RELAXED)'
sync 0 '__sync_synchronize(), __atomic_store_n(&flag, 1, __ATOMIC_RELAXED)' '(__atomic_load_n(&flag, __ATOMIC_RELAXED) ? __sync_synchronize(), 1 : 0)'
cat >spin.c <<'END'
#include <asif.h>
static int held, n;
static int fetch_add(void) {
  while (__sync_lock_test_and_set(&held, 1)) asif_yield();
  int v = n++;
  UNLOCK;
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
for compiler in $compilers; do
  CC=$compiler run 0 "$asif" test spin.c -n 2 -o 1 -- '-DUNLOCK=__sync_lock_release(&held)'; says 'verdict: linearizable'
  CC=$compiler run 1 "$asif" test spin.c -n 2 -o 1 -- '-DUNLOCK=__atomic_store_n(&held, 0, __ATOMIC_RELAXED)'; says 'data race'
done
