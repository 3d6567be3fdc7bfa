#!/bin/bash
# asif verify: what each thread has of its own: thread-local variables, thread-specific values, pthread_self.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
object() {
  { printf '#include <asif.h>\n#include <errno.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n'; cat; } >o.c
}
# Verdicts do not depend on the reduction: status, then arguments.
all() {
  status=$1
  shift
  for reduce in best none sym; do run "$status" "$asif" verify o.c --reduce $reduce "$@"; done
  run "$status" "$asif" verify o.c "$@"
}
register='ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))'

# Each thread has its copy, which it keeps between operations.
object <<END_OF_C
static _Thread_local int last = 5;
static __thread int calls;
static atomic_int s;
static void write(int v) { calls++; last = v; s = last; }
static int read(void) { return ++calls > 2 || (last != 5 && calls == 1) ? 7 : s; }
$register
END_OF_C
all 0 -o 2
all 1 -o 3 -n 2
sed -i 's/s = last;/s = calls;/' o.c; all 1 -o 2

# It is not shared: a register made of it forgets what others wrote.
object <<END_OF_C
static int *value(void) { static _Thread_local int v; return &v; }
static void write(int v) { *value() = v; }
static int read(void) { return *value(); }
$register
END_OF_C
all 1; says 'read returns 0'
sed -i 's/static _Thread_local int v/static int v/' o.c; run 0 "$asif" verify o.c --races no; run 1 "$asif" verify o.c; says 'data race'

# Its address may be given to others.
object <<END_OF_C
static _Thread_local atomic_int mine;
static atomic_int *_Atomic at;
static int get(void) { atomic_int *p = at; return p ? atomic_fetch_add(p, 1) : atomic_fetch_add(&mine, 1); }
static void publish(void) { atomic_int *none = NULL; atomic_compare_exchange_strong(&at, &none, &mine); }
static int read(void) { publish(); return get(); }
ASIF_OBJECT(self)
ASIF_OP(read)
END_OF_C
all 0 -n 3 -o 2
sed -i 's/publish(); return get();/int v = get(); publish(); return v;/' o.c; all 1 -o 1

# Threads that do the same remain interchangeable.
object <<END_OF_C
static _Thread_local int seen;
static atomic_int s;
static void write(int v) { seen = v; s = v; }
static int read(void) { seen = 0; return s; }
$register
END_OF_C
states() { run 0 "$asif" verify o.c -n 4 --reduce "$1"; grep -o '[0-9]* states' <<<"$out" | cut -d' ' -f1; }
[ "$(states sym)" -lt $(($(states none) / 4)) ] || fail "symmetry is lost: $(states sym) of $(states none)"

# Arrays stay within themselves.
object <<END_OF_C
static _Thread_local int a[2], b = 3;
static atomic_int s;
static void write(int v) { int *p = a; p[v - 1] = v; s = p[v - 1]; }
static int read(void) { return b == 3 ? s : 7; }
$register
END_OF_C
all 0
sed -i 's/p\[v - 1\] = v/p[v] = v/' o.c; all 1; says 'out of bounds'

# Thread-specific values, errno, and who a thread is.
object <<END_OF_C
static pthread_key_t key;
static void start(void) { if (pthread_key_create(&key, free)) abort(); }
static atomic_int s;
static void write(int v) {
  int *p = pthread_getspecific(key);
  if (!p) { p = malloc(sizeof *p); pthread_setspecific(key, p); }
  *p = v;
  errno = v;
  s = *p;
}
static int read(void) { int *p = pthread_getspecific(key); return p && *p != errno ? 7 : s; }
ASIF_INIT(start)
$register
END_OF_C
all 0 -o 2
sed -i 's/s = \*p;/s = 3 - *p;/' o.c; all 1
object <<END_OF_C
static _Atomic pthread_t owner;
static atomic_int s;
static void write(int v) { owner = pthread_self(); if (pthread_equal(owner, pthread_self())) s = v; }
static int read(void) { return s; }
$register
END_OF_C
all 0
sed -i 's/if (pthread/if (!pthread/' o.c; all 1

# prove does not follow them, and says where.
object <<END_OF_C
struct node { int val; struct node *next; };
static struct node *_Atomic top;
static _Thread_local int pushed;
static void push(int v) {
  struct node *n = malloc(sizeof *n), *t = top;
  n->val = v;
  pushed++;
  do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n));
}
static int pop(void) {
  struct node *t = top;
  do if (!t) return ASIF_EMPTY; while (!atomic_compare_exchange_strong(&top, &t, t->next));
  return t->val;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
END_OF_C
run 0 "$asif" verify o.c
! has prove || { run 3 "$asif" prove o.c; says 'o.c:12:'; says 'outside what prove follows'; }
