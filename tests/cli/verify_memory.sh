#!/bin/bash
# asif verify: blocks of memory that are moved and copied.
. tests/cli/common
has verify || exit 77
shopt -u patsub_replacement 2>/dev/null # & is itself where it replaces something
export ASIF_INCLUDE=$root/include
object() {
  { printf '#define _GNU_SOURCE\n#include <asif.h>\n#include <errno.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n'; cat; } >o.c
}
stack='ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_BOUND(3)'
as_test() { ! has test || { run "$1" "$asif" test o.c -n 2 -o 2; }; }

# A stack that grows under its lock: what was in the block is in the next one.
grows="
struct item { char mark; int val; struct item *self; };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct item *items;
static int count, room;
static void push(int v) {
  pthread_mutex_lock(&m);
  if (count == room) { struct item *more = GROW; room++; SETS items = more; }
  items[count].val = v;
  items[count].self = &items[count];
  count++;
  pthread_mutex_unlock(&m);
}
static int pop(void) {
  int v = ASIF_EMPTY;
  pthread_mutex_lock(&m);
  if (count) v = items[--count].val;
  pthread_mutex_unlock(&m);
  return v;
}
$stack"
for grow in 'realloc(items, (room + 1) * sizeof *items)' 'reallocarray(items, room + 1, sizeof *items)' '(struct item *)realloc(items, sizeof(struct item) * (size_t)(room + 1))'; do
  source=${grows/SETS/}
  object <<<"${source/GROW/$grow}"; run 0 "$asif" verify o.c -o 2; says 'realloc always moves'; as_test 0
done
run 3 "$asif" prove o.c; says 'o.c:15:59: realloc: this is outside what prove follows'
object <<<"${source/GROW/malloc((room + 1) * sizeof *items)}"; run 1 "$asif" verify o.c -o 2; says 'never set'
object <<<"${source/GROW/realloc(items, room * sizeof *items)}"; run 1 "$asif" verify o.c; says 'out of bounds'

# The tail is unset, what is cut off is gone, and a pointer into the old block is to freed memory.
source=${source/GROW/realloc(items, (room + 1) * sizeof *items)}
object <<<"${source/items\[count\].val = v;/if (!items[count].val) items[count].val = v;}"
run 1 "$asif" verify o.c; says 'never set'
object <<<"${source/items = more;/if (items) items[0].val = 1; items = more;}"
run 1 "$asif" verify o.c -o 2; says 'freed memory is used'
object <<<"${source/items = more;/if (count > 0) more[0].self->val = 1; items = more;}"
run 1 "$asif" verify o.c -o 2; says 'freed memory is used'
object <<<"${source/items = more;/items = realloc(more, sizeof *items);}"
run 1 "$asif" verify o.c -o 2; says 'out of bounds'
object <<<"${source/items = more;/free(items); items = more;}"
run 1 "$asif" verify o.c -o 2; says 'undefined behaviour'

# Only a block that is there can be moved.
object <<<"${source/realloc(items/realloc(items + (room > 0)}"; run 1 "$asif" verify o.c -o 2; says 'undefined behaviour'
object <<<"${source/struct item \*more/if (room) free(items); struct item *more}"
run 1 "$asif" verify o.c -o 2; says 'freed memory is used'
object <<<"${source/items = more;/items = more; if (!realloc(more, 0)) items = NULL;}"
run 3 "$asif" verify o.c; says 'realloc to no bytes'

# Without the lock another thread uses the block while it moves.
object <<<"$source"; sed -i '/^static int pop/,$ { /pthread_mutex/d }' o.c
run 1 "$asif" verify o.c -o 2; says 'data race'

# memcpy is for blocks that do not overlap.
copies="
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned char bytes[6];
static int length = 3;
static void write(int v) { pthread_mutex_lock(&m); bytes[0] = (unsigned char)v; COPY; pthread_mutex_unlock(&m); }
static int read(void) { pthread_mutex_lock(&m); int v = bytes[0]; pthread_mutex_unlock(&m); return v; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))"
for copy in 'memmove(bytes + 1, bytes, length)' 'memcpy(bytes + 3, bytes, length)' 'memcpy(bytes, bytes, length)' 'memcpy(NULL, NULL, length - 3)'; do
  object <<<"${copies/COPY/$copy}"; run 0 "$asif" verify o.c
done
for copy in 'memcpy(bytes + 1, bytes, length)' 'memcpy(bytes + 1, bytes + 3, length)'; do
  object <<<"${copies/COPY/$copy}"; run 1 "$asif" verify o.c; says 'memcpy between blocks that overlap'
done

# A node that was taken out is its thread's own, and so is what is put behind it: the execution that leads there is
# made again as it was found.
cat >taken.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node {
  struct node *next;
  int value;
};
static _Atomic(struct node *) head;
static atomic_int turns;
static void setup(void) {
  struct node *n = malloc(sizeof *n);
  n->next = NULL;
  n->value = 0;
  atomic_store(&head, n);
}
static int fetch_add(void) {
  struct node *taken = atomic_exchange(&head, NULL);
  if (!taken) return atomic_fetch_add(&turns, 1);
  struct node *behind = malloc(sizeof *behind);
  behind->next = NULL;
  behind->value = 1;
  taken->next = behind;
  int before = atomic_fetch_add(&turns, 1);
  if (atomic_load(&turns) > 9) return 0;
  return before + taken->next->value;
}
ASIF_INIT(setup)
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
C
for reduce in best none por both tau; do
  run 1 "$asif" verify taken.c -n 2 -o 1 --reduce $reduce --evidence e
  run 0 "$asif" replay --run e
done

# A block of any size: where a state has no room for it the search is made again with more. Its evidence says so.
cat >large.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int turns;
static int fetch_add(void) {
  LARGE
  p[N - 1] = atomic_load(&turns);
#ifdef LOSES
  atomic_store(&turns, p[N - 1] + 1);
#else
  while (!atomic_compare_exchange_weak(&turns, &p[N - 1], p[N - 1] + 1)) ;
#endif
  int before = p[N - 1];
  DONE;
  return before;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
C
for n in 400 600 5000 20000; do
  for large in 'int *p = malloc(N * sizeof *p);' 'int *p = calloc(N, sizeof *p);' 'char *bytes = malloc(4 * N); int *p = (int *)bytes;'; do
    run 0 "$asif" verify large.c -- -DN=$n "-DLARGE=$large" '-DDONE=free(p)'
  done
  run 0 "$asif" verify large.c -- -DN=$n '-DLARGE=int p[N]; p[0] = 1; int *volatile q = p; (void)q;' -DDONE=
done
run 1 "$asif" verify large.c --evidence e -- -DN=600 '-DLARGE=int *p = malloc(N * sizeof *p);' '-DDONE=free(p)' -DLOSES
grep -qx 'room 1' e || fail "the evidence does not say how much room there was: $(cat e)"
run 0 "$asif" replay --run e
for room in 4 -1 x; do
  sed "s/^room 1/room $room/" e >e2
  run 2 "$asif" replay --run e2
done
run 3 "$asif" verify large.c -- -DN=10000000 '-DLARGE=int *p = malloc(N * sizeof *p);' '-DDONE=free(p)'
says 'more memory than a state may hold'

# A search that is made again, for whatever reason, begins where the initialisation has led.
cat >begins.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
static int *big;
static _Atomic int bug, a;
static void setup(void) {
  big = calloc(2000, sizeof *big);
  bug = BUG;
}
static int get(void) {
  int o = 0;
  if ((uintptr_t)&o >> 4 & 1) return bug ? 1 : a;
  return bug ? 1 : a;
}
static void put(int v) {
  int o = v;
  if ((uintptr_t)&o >> 4 & 1) a = v;
  else a = o;
}
ASIF_INIT(setup)
ASIF_OBJECT(register(0))
ASIF_OP_AS(read, get)
ASIF_OP_AS(write, put, ASIF_IN(0, 2))
C
for options in '-n 2' '-n 2 -j 2' '-n 3 -o 2 -r none -j 2'; do
  # shellcheck disable=SC2086
  run 1 "$asif" verify begins.c $options -- -DBUG=1; says 'not linearizable'
  # shellcheck disable=SC2086
  run 0 "$asif" verify begins.c ${options/3 -o 2/2} -- -DBUG=0
done
