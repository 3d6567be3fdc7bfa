#!/bin/bash
# asif verify --malloc-fails: an allocation may fail wherever an operation makes one.
. tests/cli/common
has verify || exit 77
shopt -u patsub_replacement 2>/dev/null # & is itself where it replaces something
export ASIF_INCLUDE=$root/include
object() {
  { printf '#include <asif.h>\n#include <errno.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdbool.h>\n#include <stdlib.h>\n'; cat; } >o.c
}
all() { # STATUS ARGUMENT...
  status=$1
  shift
  for reduce in best none sym both; do run "$status" "$asif" verify o.c --malloc-fails --reduce $reduce "$@"; done
  run "$status" "$asif" verify o.c --malloc-fails "$@"
}
stack="
struct node { struct node *next; int val; };
static struct node *_Atomic top;
static bool push(int v) {
  struct node *n = ALLOCATE;
  CHECK
  n->val = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) {}
  return true;
}
static int pop(void) {
  struct node *t = atomic_load(&top);
  while (t && !atomic_compare_exchange_strong(&top, &t, t->next)) {}
  return t ? t->val : ASIF_EMPTY;
}
ASIF_OBJECT(stack_or_not)
ASIF_EFFECT(push(v), \"A => <v> . A, returns true\")
ASIF_EFFECT(push(v), \"A => A, returns false\")
ASIF_EFFECT(pop, \"<e> . A => A, returns e\")
ASIF_EFFECT(pop, \"<> => <>, returns empty\")
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)"
check='if (!n) return false;'

# Without the option allocations never fail. With it each may, and what is not checked is a null pointer.
for allocate in 'malloc(sizeof *n)' 'calloc(1, sizeof *n)' 'aligned_alloc(16, sizeof *n)' 'realloc(NULL, sizeof *n)' 'reallocarray(NULL, 1, sizeof *n)'; do
  one=${stack/ALLOCATE/$allocate}
  object <<<"${one/CHECK/}"; run 0 "$asif" verify o.c; all 1; says 'a null pointer is used'; says 'null: there is no memory'; says 'allocations may fail'
  object <<<"${one/CHECK/$check}"; all 0; run 0 "$asif" verify o.c --malloc-fails -n 3; run 0 "$asif" verify o.c --malloc-fails -o 2
done
object <<<"$(sed 's/ALLOCATE;/NULL; if (posix_memalign((void **)\&n, 16, sizeof *n) == ENOMEM) return false;/; s/CHECK//' <<<"$stack")"; all 0
object <<<"$(sed 's/ALLOCATE;/NULL; posix_memalign((void **)\&n, 16, sizeof *n);/; s/CHECK//' <<<"$stack")"; all 1; says 'a null pointer is used'
one=${stack/ALLOCATE/malloc(sizeof *n)}
object <<<"${one/CHECK/if (!n) return true;}"; all 1; says 'not linearizable'
object <<<"${one/CHECK/if (!n) { if (errno != ENOMEM) abort(); return false; \}}"; all 0
object <<<"${one/CHECK/if (!n) { if (errno == ENOMEM) abort(); return false; \}}"; all 1; says 'abort() was called'
object <<<"${one/CHECK/while (!n) n = malloc(sizeof *n);}"; all 0 # it waits for memory, which may come
object <<<"${one/CHECK/free(n); return false;}"; all 0 # nothing is freed twice

# The answers say that it was asked for, evidence and checkpoints are of it.
object <<<"${one/CHECK/}"
run 1 "$asif" verify o.c --malloc-fails --json; says '"malloc_fails":true'
run 1 "$asif" verify o.c --malloc-fails --evidence e
grep -q '^malloc-fails 1$' e || fail "the evidence does not say it: $(cat e)"
run 0 "$asif" replay e
sed '/^malloc-fails/d' e >f; run 1 "$asif" replay f
object <<<"${one/CHECK/$check}"
run 0 "$asif" verify o.c --malloc-fails --json; says '"malloc_fails":true'
run 0 "$asif" verify o.c --json; case $out in *malloc_fails*) fail "it was not asked for: $out" ;; esac
run 0 "$asif" verify o.c --malloc-fails --evidence e; run 3 "$asif" replay e; says '--malloc-fails'
run 3 "$asif" verify o.c --malloc-fails -n 3 -o 2 --states-limit 300 --jobs 1 --checkpoint c
run 2 "$asif" verify o.c -n 3 -o 2 --jobs 1 --resume c
run 0 "$asif" verify o.c --malloc-fails -n 3 -o 2 --jobs 1 --resume c

# A lock that is held when an allocation failed.
locked="
struct node { struct node *next; int val; };
static struct node *top;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static bool push(int v) {
  pthread_mutex_lock(&m);
  struct node *n = malloc(sizeof *n);
  if (!n) { UNLOCK return false; }
  *n = (struct node){top, v};
  top = n;
  pthread_mutex_unlock(&m);
  return true;
}
ASIF_OBJECT(pushes)
ASIF_EFFECT(push(v), \"A => <v> . A, returns true\")
ASIF_EFFECT(push(v), \"A => A, returns false\")
ASIF_OP(push, ASIF_IN(1, 1))"
object <<<"${locked/UNLOCK/}"; run 0 "$asif" verify o.c; all 1; says 'deadlock'
object <<<"${locked/UNLOCK/pthread_mutex_unlock(&m);}"; all 0 -o 2

# realloc leaves the old block as it is.
object <<'END_OF_C'
static int *s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void start(void) { s = malloc(sizeof *s); *s = 0; }
ASIF_INIT(start)
static bool put(int v) {
  pthread_mutex_lock(&m);
  int *n = realloc(s, sizeof *s);
  if (n) s = n, *s = v;
  pthread_mutex_unlock(&m);
  return n;
}
static int get(void) { pthread_mutex_lock(&m); int v = *s; pthread_mutex_unlock(&m); return v; }
struct st { int v; };
static bool s_put(struct st *s, int v) { if (asif_choose(2)) return false; s->v = v; return true; }
static int s_get(struct st *s) { return s->v; }
ASIF_OBJECT(cell)
ASIF_SPEC(cell, struct st)
ASIF_SPEC_OP(s_put, "put")
ASIF_SPEC_OP(s_get, "get")
ASIF_OP(put, ASIF_IN(1, 2))
ASIF_OP(get)
END_OF_C
run 0 "$asif" verify o.c --malloc-fails; run 0 "$asif" verify o.c --malloc-fails -o 2
sed -i 's/if (n) s = n, \*s = v;/s = n; if (s) *s = v;/' o.c; all 1; says 'a null pointer is used'

# What calloc is asked for is a product, which may be more than a size_t holds: that fails.
for sizes in '1ul << 40, 1ul << 40' 'n << 40, n << 40' 'n << 63, 2' '4, n << 62' '(size_t)-1, 2' 'n + 4, (size_t)-1 / 2'; do
  object <<C
static atomic_int x;
static int read(void) { size_t n = 1; (void)n; char *p = calloc($sizes); int got = p != NULL; free(p); return x + got; }
ASIF_OBJECT(counter)
ASIF_OP(read)
C
  all 0; run 3 "$asif" verify o.c; says 'an allocation of more than 2^40 bytes'
done
for sizes in 'n * 2, 4' '4, n * 2' 'n + 1, n + 3' '8, n' '0, n << 63' 'n << 63, 0' 'n - 1, n << 63' 'n << 63, n - 1' '2, 4'; do
  object <<C
static atomic_int x;
static int read(void) { size_t n = 1; (void)n; char *p = calloc($sizes); free(p); return x; }
ASIF_OBJECT(counter)
ASIF_OP(read)
C
  run 0 "$asif" verify o.c; all 0
done
object <<'C'
static atomic_int x;
static int read(void) { size_t n = 1; char *p = calloc(n + 1, n + 3); int last = p[7]; free(p); return x + last; }
ASIF_OBJECT(counter)
ASIF_OP(read)
C
run 0 "$asif" verify o.c; sed -i 's/p\[7\]/p[8]/' o.c; run 1 "$asif" verify o.c

# The library: where there is no memory an operation says so, and nothing happened.
library() { # STATUS OBJECT CREATE INSERT(v) REMOVE(v) RESULT-OF-REMOVE
  printf '#include "%s/objects/harness/harness.h"\n#include "%s/objects/lib/hazard.c"\n#include "%s/objects/lib/%s.c"\n' "$root" "$root" "$root" "$2" >o.c
  cat >>o.c
  run "$1" "$asif" verify o.c --malloc-fails
}
hazard='hazard_create(RECORDS, BATCH)'
for row in "ms_queue enq deq A.<v> ms_queue_create($hazard)" "two_lock_queue enq deq A.<v> two_lock_queue_create()" \
  "treiber_stack push pop <v>.A treiber_stack_create($hazard)" "elimination_stack push pop <v>.A elimination_stack_create($hazard, 1)"; do
  read -r name put get effect create <<<"$row"
  library 0 "$name" <<C
static struct $name *x;
static void set_up(void) { x = $create; }
ASIF_INIT(set_up)
static bool put(int v) { return ${name}_$put(x, v); }
static int get(void) { long v; return ${name}_$get(x, &v) ? (int)v : ASIF_EMPTY; }
ASIF_OBJECT(holds)
ASIF_EFFECT(put(v), "A => $effect, returns true")
ASIF_EFFECT(put(v), "A => A, returns false")
ASIF_EFFECT(get, "<e> . A => A, returns e")
ASIF_EFFECT(get, "<> => <>, returns empty")
ASIF_OP(put, ASIF_IN(1, 2))
ASIF_OP(get)
C
done
for name in harris_michael_set lazy_set optimistic_set lock_coupling_set blink_tree; do
  add=add create=$hazard
  [ $name != blink_tree ] || add=insert create="$hazard, 2"
  [ $name != lock_coupling_set ] || create=
  case $name in blink_tree) remove='bool r = false; if (!blink_tree_remove(x, v, &r)) return 3; return r;' ;; *) remove="return ${name}_remove(x, v);" ;; esac
  library 0 $name <<C
static struct $name *x;
static void set_up(void) { x = ${name}_create($create); }
ASIF_INIT(set_up)
static int add(int v) { bool r = false; return ${name}_$add(x, v, &r) ? r : 3; }
static int remove_key(int v) { $remove }
ASIF_OBJECT(set_or_not)
ASIF_EFFECT(add(v), "A, v not in A => {v} + A, returns 1")
ASIF_EFFECT(add(v), "{v} + A => {v} + A, returns 0")
ASIF_EFFECT(add(v), "A => A, returns 3")
ASIF_EFFECT(remove(v), "{v} + A => A, returns 1")
ASIF_EFFECT(remove(v), "A, v not in A => A, returns 0")
ASIF_EFFECT(remove(v), "A => A, returns 3")
ASIF_OP(add, ASIF_IN(1, 2))
ASIF_OP_AS(remove, remove_key, ASIF_IN(1, 2))
C
done
exit 0
