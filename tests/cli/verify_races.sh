#!/bin/bash
# asif verify: data races, told with both places, replayed, and as asif test finds them.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
object() {
  { printf '#include <asif.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n'; cat
    printf 'ASIF_OBJECT(register(0))\nASIF_OP(read)\nASIF_OP(write, ASIF_IN(1, 2))\n'; } >o.c
}
race() { # AT, WHAT
  for reduce in best none sym1 sym; do
    run 1 "$asif" verify o.c --reduce $reduce; says 'verdict: violated: data race ('
  done
  run 1 "$asif" verify o.c; says "Data race: $1"; says "$2"
  ! has test || { run 1 "$asif" test o.c; says 'verdict: violated: data race ('; }
}
none() {
  for reduce in best none sym1 sym; do run 0 "$asif" verify o.c --reduce $reduce; done
  ! has test || run 0 "$asif" test o.c -n 2 -o 1
}

# Plain and plain; with the first access of each.
object <<'END_OF_C'
static int s;
static void write(int v) { s = v; }
static int read(void) { return s; }
END_OF_C
race 'o.c:7:32' 'is about to write s at o.c:6:30'
run 0 "$asif" verify o.c --races no
run 1 "$asif" verify o.c --json; says '"violation":"data race"'
for other in '--reduce por' '--reduce both' '--reduce tau' '--steps statement' '--approx 1'; do run 0 "$asif" verify o.c $other; done

# Atomic and plain, either way round; a read and a read do not race, nor does a compare-exchange that fails.
object <<'END_OF_C'
static int s;
static void write(int v) { __atomic_store_n(&s, v, __ATOMIC_SEQ_CST); }
static int read(void) { return s; }
END_OF_C
race 'o.c:6:28' 'is about to read s at o.c:7:32'
object <<'END_OF_C'
static int s, other;
static void write(int v) { int e = 5; __atomic_compare_exchange_n(&other, &e, 7, 0, 5, 5); __atomic_store_n(&s, v, 5); }
static int read(void) { return __atomic_load_n(&s, 5) + (other & 8); }
END_OF_C
none
sed -i 's/int e = 5/int e = 0/' o.c; race 'o.c:' 'other'

# What a lock orders does not race; without it, or under another, it does.
object <<'END_OF_C'
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int s;
static void write(int v) { pthread_mutex_lock(&m); s = v; pthread_mutex_unlock(&m); }
static int read(void) { pthread_mutex_lock(&m); int v = s; pthread_mutex_unlock(&m); return v; }
END_OF_C
none
sed 's/pthread_mutex_lock(&m); int v = s; pthread_mutex_unlock(&m)/pthread_mutex_lock(\&n); int v = s; pthread_mutex_unlock(\&n)/' o.c >other.c
cp o.c right.c; mv other.c o.c; race 'o.c:8:57' 'is about to write s at o.c:7:54'

# A node is its thread's own until it is published; after that a plain write races with who reads it.
object <<'END_OF_C'
struct node { int v; };
static struct node *_Atomic at;
static void write(int v) { struct node *n = malloc(sizeof *n); n->v = v; at = n; }
static int read(void) { struct node *n = at; return n ? n->v : 0; }
END_OF_C
none
sed -i 's/n->v = v; at = n;/n->v = v; at = n; n->v = v;/' o.c; race 'o.c:' 'n->v at o.c'

# What only one thread accesses, or nobody writes any more, costs nothing.
states() { run 0 "$asif" verify o.c "$@"; grep -o '[0-9]* states' <<<"$out"; }
object <<'END_OF_C'
struct object { atomic_int s; };
static struct object *one;
static void start(void) { one = malloc(sizeof *one); one->s = 0; }
ASIF_INIT(start)
static void write(int v) { one->s = v; }
static int read(void) { return one->s; }
END_OF_C
[ "$(states -n 3)" = "$(states -n 3 --races no)" ] || fail "$(states -n 3), not $(states -n 3 --races no)"

# Only in one step with the rest: ASIF_ATOMIC on both sides.
object <<'END_OF_C'
static int s;
static void write(int v) { ASIF_ATOMIC { s = v; } }
static int read(void) { int v; ASIF_ATOMIC { v = s; } return v; }
END_OF_C
for reduce in best none sym; do run 0 "$asif" verify o.c --reduce $reduce; done
sed -i 's/ASIF_ATOMIC { v = s; }/v = s;/' o.c; run 1 "$asif" verify o.c; says 'data race'

# What is freed may be used through pointers from before, where the harness says so: that races with nobody. What the same
# accesses do to memory that was never freed is a race all the same.
cat >stable.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct node { struct node *next; int data; };
static _Atomic uint64_t top;
#define PTR(x) ((struct node *)(uintptr_t)((x) & 0xffffffffffff))
#define MK(p, t) ((uint64_t)(uintptr_t)(p) | (uint64_t)(uint16_t)(t) << 48)
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  uint64_t t = atomic_load(&top);
  n->data = v;
  do n->next = PTR(t); while (!atomic_compare_exchange_strong(&top, &t, MK(n, (t >> 48) + 1)));
  LATE
}
static int pop(void) {
  uint64_t t = atomic_load(&top);
  struct node *n, *next;
  do {
    n = PTR(t);
    if (!n) return ASIF_EMPTY;
    next = n->next;
  } while (!atomic_compare_exchange_strong(&top, &t, MK(next, (t >> 48) + 1)));
  int data = n->data;
  free(n);
  return data;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_TYPE_STABLE()
C
run 0 "$asif" verify stable.c -o 2 -- -DLATE=
! has test || run 0 "$asif" test stable.c -n 2 -o 2 -- -DLATE=
run 1 "$asif" verify stable.c -o 1 -- '-DLATE=n->data = v;'; says 'data race'
! has test || { run 1 "$asif" test stable.c -n 2 -o 1 -- '-DLATE=n->data = v;'; says 'ata race'; }
