#!/bin/bash
# asif verify: syscall(SYS_futex, ...): waiting for a word to change, and waking.
. tests/cli/common
has verify || exit 77
shopt -u patsub_replacement 2>/dev/null # & is itself where it replaces something
export ASIF_INCLUDE=$root/include
object() {
  { printf '#define _GNU_SOURCE\n#include <asif.h>\n#include <errno.h>\n#include <limits.h>\n#include <linux/futex.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n'; cat; } >o.c
}
all() { # STATUS ARGUMENT...
  status=$1
  shift
  for reduce in best none sym both; do run "$status" "$asif" verify o.c --reduce $reduce "$@"; done
  run "$status" "$asif" verify o.c "$@"
}
as_test() { ! has test || { run "$1" "$asif" test o.c "${@:2}"; }; }

# Drepper's mutex of three states, in the forms that calls have.
mutex="
static WORD m;
static long futex(POINTER at, int op, int v) { return CALL; }
static void acquire(void) {
  unsigned c = __sync_val_compare_and_swap(&m, 0, 1);
  if (c == 0) return;
  if (c != 2) c = __atomic_exchange_n(&m, 2, 5);
  while (c != 0) {
    futex(&m, FUTEX_WAIT_PRIVATE, 2);
    c = AGAIN;
  }
}
static void release(void) {
  if (__atomic_fetch_sub(&m, 1, 5) != 1) {
    __atomic_store_n(&m, 0, 5);
    ROUSE
  }
}
ASIF_OBJECT(lock)
ASIF_OP(acquire)
ASIF_OP(release)"
wake='futex(&m, FUTEX_WAKE_PRIVATE, 1);' again='__atomic_exchange_n(&m, 2, 5)' call='syscall(SYS_futex, at, op, v, NULL, NULL, 0)'
form() { # WORD POINTER CALL AGAIN WAKE
  local o=${mutex/WORD/$1}
  o=${o/POINTER/$2} o=${o/CALL/$3} o=${o/AGAIN/$4}
  object <<<"${o/ROUSE/$5}"
}
form int 'int *' "$call" "$again" "$wake"; all 0 -n 2 -o 2; as_test 0 -n 2 -o 2; run 0 "$asif" verify o.c -n 3 -o 2; run 0 "$asif" verify o.c -n 2 -o forever
form uint32_t 'uint32_t *' 'syscall(__NR_futex, at, op, v, NULL)' "$again" "$wake"; all 0 -n 3 -o 2
form '_Atomic unsigned' '_Atomic unsigned *' 'syscall(SYS_futex, at, op & ~FUTEX_PRIVATE_FLAG, v)' "${again/&m, 2, 5/(unsigned *)&m, 2, 5}" "$wake"
sed -i 's/(&m, 0, 1)/((unsigned *)\&m, 0, 1)/; s/fetch_sub(&m/fetch_sub((unsigned *)\&m/; s/store_n(&m/store_n((unsigned *)\&m/' o.c; all 0 -n 2 -o 2
form int 'void *' "$call" "$again" "$wake"; all 0 -n 3 -o 2
form int 'volatile int *' 'syscall(SYS_futex, at, op == FUTEX_WAIT_PRIVATE ? FUTEX_WAIT_BITSET : FUTEX_WAKE_BITSET, v, NULL, NULL, FUTEX_BITSET_MATCH_ANY)' "$again" "$wake"; all 0 -n 3 -o 2
# Its classic mistakes: the one who was woken must not forget that others may sleep; and nobody wakes.
form int 'int *' "$call" '__sync_val_compare_and_swap(&m, 0, 1)' "$wake"; run 0 "$asif" verify o.c -n 2 -o 2; all 1 -n 3 -o 2; says 'eadlock'
form int 'int *' "$call" "$again" ''; all 1 -n 2 -o 2; says 'eadlock'; as_test 1 -n 2 -o 2
form int 'int *' "$call" "$again" "$wake"; sed -i 's/    __atomic_store_n(&m, 0, 5);//' o.c; all 1 -n 2 -o 2 # it stays locked
# It sleeps if the word is what is expected, at that moment.
form int 'int *' "$call" "$again" "$wake"; sed -i 's/FUTEX_WAIT_PRIVATE, 2)/FUTEX_WAIT_PRIVATE, __atomic_load_n(\&m, 5))/' o.c; all 1 -n 2 -o 2; says 'eadlock'

# Events: all are woken, or as many as are said; what is returned.
event="
static struct { int pad; atomic_int open; } e;
static void set(void) { e.open = 1; if (syscall(SYS_futex, &e.open, FUTEX_WAKE, COUNT) < 0) abort(); }
static int wait(void) {
  while (!e.open)
    if (syscall(SYS_futex, &e.open, FUTEX_WAIT, 0, LIMIT) != 0 && errno != EAGAIN) OTHERWISE
  return 1;
}
ASIF_OBJECT(self)
ASIF_OP(set)
ASIF_OP(wait)
ASIF_ROLE(one, 1, set)
ASIF_ROLE(all, ASIF_REST, wait)"
events() { local o=${event/COUNT/$1}; o=${o/LIMIT/$2}; object <<<"${o/OTHERWISE/$3}"; }
events INT_MAX NULL 'abort();'; all 0 -n 3; all 0 -n 4
events 2 NULL 'abort();'; all 0 -n 3; all 1 -n 4; says 'eadlock'
events 1 NULL 'abort();'; all 0 -n 2; all 1 -n 3; says 'eadlock'
events 0 NULL 'abort();'; all 0 -n 2
# With a time limit it may be late, whenever that is.
limit='&(struct timespec){.tv_nsec = 1000}'
events INT_MAX "$limit" 'abort();'; all 1 -n 2; says 'abort() was called'
events INT_MAX "$limit" '{ if (errno != ETIMEDOUT) abort(); }'; all 0 -n 3
events 1 "$limit" '{ if (errno != ETIMEDOUT) abort(); }'; all 0 -n 3 # who is not woken looks again in time

# A semaphore: how many were woken is returned.
object <<'END_OF_C'
static atomic_int woken, sleepers, go;
static void wait_for(void) { sleepers++; while (!go) syscall(SYS_futex, &go, FUTEX_WAIT, 0, NULL); }
static void wake(void) { go = 1; long n = syscall(SYS_futex, &go, FUTEX_WAKE, 5); if (n < 0 || n > sleepers) abort(); }
ASIF_OBJECT(self)
ASIF_OP(wait_for)
ASIF_OP(wake)
END_OF_C
all 0 -n 3
sed -i 's/n > sleepers/n > 0/' o.c; all 1 -n 3; says 'abort() was called'

# What is not modelled is said.
form int 'int *' 'syscall(SYS_futex, at, op == FUTEX_WAKE_PRIVATE ? FUTEX_REQUEUE : op, v)' "$again" "$wake"; run 3 "$asif" verify o.c -o 2; says 'a futex operation other than FUTEX_WAIT and FUTEX_WAKE'
form int 'int *' 'syscall(SYS_futex, at, FUTEX_WAKE_BITSET, v, NULL, NULL, 3)' "$again" "$wake"; run 3 "$asif" verify o.c -o 2; says 'a futex with a bit set other than FUTEX_BITSET_MATCH_ANY'
form int 'int *' 'syscall(SYS_gettid)' "$again" "$wake"; run 2 "$asif" verify o.c -o 2; warns 'a system call other than futex is outside the C that verify reads'
exit 0
