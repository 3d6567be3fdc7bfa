#!/bin/bash
# The execution that asif test tells: in program order, with the values that were read and written, and nothing that did not happen.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
export ASIF_LIBDW=none # what is told without debug information; test_names.sh has the rest

# told FILE ARGUMENT...: the lines of the execution, without their places and source lines, in $told.
told() {
  run 1 "$asif" test "$@" -j 1
  told=$(sed -n '/^It happens like this/,/^\(note\|replay\): /p' out | sed -e '1,2d' -e 's/ *| .*//' -e 's/^\(.*\) [a-z_]*\.cp*:[0-9]*/\1/' \
    -e 's/  */ /g' -e 's/^ //')
}
# after A B: the line A stands right before the line B.
after() { case $told in *"$1"$'\n'"$2"*) ;; *) fail "no line '$2' right after '$1': $told" ;; esac; }
lacks() { case $told in *"$1"*) fail "the execution has '$1': $told" ;; esac; }
tells() { case $told in *"$1"*) ;; *) fail "the execution lacks '$1': $told" ;; esac; }

# Plain accesses before an operation's first step belong to it: they stand after its call, not before, and not before the return of the
# operation before it.
cat >early.c <<'E'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct box {
  atomic_int n;
};
static struct box *b;
static void setup(void) { b = calloc(1, sizeof *b); }
static int inc(void) {
  struct box *mine = b;
  int v = atomic_load(&mine->n);
  atomic_store(&mine->n, v + 1);
  return v;
}
ASIF_OBJECT(counter)
ASIF_INIT(setup)
ASIF_OP_AS(fetch_add, inc)
E
told early.c --client 'inc() | inc()'
first=${told%%$'\n'*}
case $first in '1 A inc()' | '1 B inc()') ;; *) fail "the execution does not begin with a call: $told" ;; esac
after "$first" 'load b -> &block 1'
after 'inc()' 'load b -> &block 1'
after 'load b -> &block 1' 'load block 1 -> 0'
told early.c --client 'inc() inc() | inc() inc()' # shrinking leaves two
[ "$(grep -c 'load b ->' <<<"$told")" = "$(grep -c 'inc()' <<<"$told")" ] || fail "not one load of b a call: $told"
cat >twice.c <<'E'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n;
int limit = 5;
static int inc(void) {
  int most = limit;
  int v = atomic_fetch_add(&n, 1);
  return v == 1 ? most : v;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
E
told twice.c --client 'inc() inc()'
after '1 A inc()' 'load limit -> 5'
after 'inc returns 0' '2 A inc()'
after '2 A inc()' 'load limit -> 5'

# A volatile store is told with the value it stored, whatever came right after it.
cat >stored.c <<'E'
#include <asif.h>
static volatile int lock_, other;
static int inc(void) {
  if (!__sync_bool_compare_and_swap(&lock_, 0, 1)) return 7;
  lock_ = 0;
  if (!__sync_bool_compare_and_swap(&lock_, 0, 1)) return 7;
  lock_ = 0;
  return 0;
}
static void last(int v) { other = v; }
static void bump(void) { __sync_fetch_and_add(&other, 40); }
static int get(void) { return other == 42 ? 99 : 0; }
ASIF_OBJECT(self)
ASIF_OP(inc)
ASIF_OP(last, ASIF_IN(2, 2))
ASIF_OP(bump)
ASIF_OP(get)
E
told stored.c --client 'inc() | inc()'
lacks 'store lock_ = 1'
[ "$(grep -c 'store lock_ = 0' <<<"$told")" = 2 ] || fail "lock_ = 0 is not told twice: $told"

# 16 bytes are two words.
cat >wide.c <<'E'
#include <asif.h>
typedef struct {
  long *p;
  long n;
} pair __attribute__((aligned(16)));
static pair x;
static long cell;
static int inc(void) {
  pair old, new;
  __atomic_load(&x, &old, __ATOMIC_SEQ_CST);
  new.p = &cell;
  new.n = old.n + 1;
  __atomic_store(&x, &new, __ATOMIC_SEQ_CST);
  return (int)old.n;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
E
told wide.c --client 'inc() | inc()'
tells 'load x -> {0, 0}'
tells 'store x = {&cell, 1}'

# Allocating and freeing are told, with the block; a block that comes back is the same one.
cat >blocks.c <<'E'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(long *) top;
static long sum;
static int swap(void) {
  long *mine = malloc(24);
  *mine = 1;
  long *was = atomic_exchange(&top, mine);
  if (was) free(was);
  return was != NULL;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, swap)
E
told blocks.c --reuse all --client 'swap() swap() swap()'
tells 'allocate block 1'
tells 'free block 1'
tells 'allocate block 1 again'
lacks '->'$'\n' # a load without a value

# An access that ends the run has no value: it is told without one.
cat >gone.c <<'E'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int *p;
static void setup(void) { p = calloc(1, sizeof *p); }
static int get(void) { return atomic_load(p); }
static void end(void) { free(p); }
ASIF_OBJECT(self)
ASIF_INIT(setup)
ASIF_OP(get)
ASIF_OP(end)
E
told gone.c --client 'end() get()'
tells 'load block 1 (freed)'$'\n'
tells 'freed here: block 1'$'\n'
lacks 'load -> '
says 'has freed'

# A use after free that was not executed, but that nothing prevents, is told as that.
cat >ahead.c <<'E'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) p;
static void setup(void) {
  p = malloc(sizeof(int));
  *p = 0;
}
static int get(void) {
  int *mine = atomic_load(&p);
  return mine ? *mine : 0;
}
static void end(void) { free(atomic_exchange(&p, NULL)); }
ASIF_OBJECT(self)
ASIF_INIT(setup)
ASIF_OP(get)
ASIF_OP(end)
E
told ahead.c --client 'get() | end()'
says 'Use after free: predicted: thread '
tells 'free block 1'
tells 'the free, which could come first: block 1'
tells 'the read, which could come after it: block 1'
says 'verdict: violated: use after free'

# A thread that is interrupted for good was about to do something, too.
cat >circle.c <<'E'
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static void there(void) {
  pthread_mutex_lock(&one);
  pthread_mutex_lock(&two);
  pthread_mutex_unlock(&two);
  pthread_mutex_unlock(&one);
}
static void back(void) {
  pthread_mutex_lock(&two);
  pthread_mutex_lock(&one);
  pthread_mutex_unlock(&one);
  pthread_mutex_unlock(&two);
}
ASIF_OBJECT(self)
ASIF_OP(there)
ASIF_OP(back)
E
told circle.c --client 'there() | back()'
tells '2 B interrupts A, which was about to lock two'

# A call that was about to take its first step when the run ended, and has to do with what was found.
cat >begun.c <<'E'
#include <asif.h>
#include <stdatomic.h>
static int plain;
static atomic_int n;
static int get(void) {
  int v = plain;
  return v + atomic_load(&n);
}
static void set(void) { plain = atomic_load(&n) + 1; }
ASIF_OBJECT(self)
ASIF_OP(get)
ASIF_OP(set)
E
told begun.c --client 'get() | set()'
after 'A get()' 'load plain -> 0'

# Names of C++ are told as they are written.
cat >names.cpp <<'E'
#include <asif.h>
#include <atomic>
namespace counting {
template <class T> struct cell {
  static std::atomic<T> n;
};
template <class T> std::atomic<T> cell<T>::n{0};
static int inc() {
  int v = cell<int>::n.load();
  cell<int>::n.store(v + 1);
  return v;
}
} // namespace counting
static int inc() { return counting::inc(); }
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
E
told names.cpp --client 'inc() | inc()'
tells 'load counting::cell<int>::n -> 0'
tells 'which was about to store counting::cell<int>::n'

# A crash is told, whatever kind of access it is.
for access in '*(int *)p = 1' '*(volatile int *)p = 1' 'v = *(int *)p' 'v = *(volatile int *)p' '__atomic_store_n((int *)p, 1, 5)' \
  'v = __atomic_load_n((int *)p, 5)' '__atomic_fetch_add((int *)p, 1, 5)'; do
  cat >crash.c <<E
#include <asif.h>
#include <stdlib.h>
void *p;
static int v, n;
static int get(void) {
  if (__atomic_load_n(&n, __ATOMIC_SEQ_CST) == 0) $access;
  return v;
}
ASIF_OBJECT(self)
ASIF_OP(get)
E
  for how in yes no; do
    told crash.c --client 'get()' --races $how
    says 'verdict: violated: crash'
    says 'a null pointer'
  done
done
exit 0
