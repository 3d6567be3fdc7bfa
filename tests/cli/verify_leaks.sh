#!/bin/bash
# Memory that nobody can reach and nobody freed: asif verify finds it where asif test does, if nothing else is wrong.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
object() {
  { printf '#include <asif.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdlib.h>\nstruct node { int v; struct node *next; };\n'; cat; } >o.c
}
reads='ASIF_OBJECT(register(0))
ASIF_OP_AS(read, f)'
new='struct node *n = malloc(sizeof *n); n->v = 1;'
destroys='void destroy(void *p) { free(p); }'

leaks() { # SIZE...: whatever the reduction, and asif test says it too
  for reduce in best none sym1 sym; do run 1 "$asif" verify o.c "$@" --reduce $reduce; says 'violated: leak'; done
  run 1 "$asif" verify o.c "$@"
  first=$out
  grep -q '^Leak: nobody can reach .*, which [AB] allocated in step [0-9]*, and nobody freed it$' out || fail "no sentence: $out"
  run 1 "$asif" verify o.c "$@" --search depth; says 'violated: leak'
  run 1 "$asif" verify o.c "$@" -j 3; says 'violated: leak'
  [ "$(grep -v '^verdict' <<<"$out")" = "$(grep -v '^verdict' <<<"$first")" ] || fail "another execution with several jobs: $out"
  run 0 "$asif" verify o.c "$@" --leaks no
  has test && { run 1 "$asif" test o.c -n 2 "$@"; says 'violated: leak'; }
}
keeps() {
  for reduce in best none sym both; do run 0 "$asif" verify o.c "$@" --reduce $reduce; done
  has test && run 0 "$asif" test o.c -n 2 "$@"
}

# A block that is dropped. It counts where the code frees memory, in whatever function.
object <<<"static atomic_int x;
static int f(void) { $new x = n->v; return 0; }
$destroys
$reads"
leaks -o 1
leaks -o 2
run 1 "$asif" verify o.c --json; says '"violation":"leak"'; says '"reason":"nobody can reach node 1'
sed -i '/destroy/d' o.c; keeps -o 2
run 1 "$asif" verify o.c --leaks yes; says 'violated: leak'
object <<<"static atomic_int x;
static int f(void) { $new x = n->v; return 0; }
static $destroys
$reads"
keeps -o 2

# On one path only; the first of a list alone is freed.
object <<<"static struct node *_Atomic at;
static int f(void) {
  $new
  struct node *none = NULL;
  if (!atomic_compare_exchange_strong(&at, &none, n)) LOST return 0;
  free(atomic_exchange(&at, NULL));
  return 0;
}
$reads"
cp o.c both.c
sed 's/LOST//' both.c >o.c; leaks -o 1
sed 's/LOST/return free(n),/; s/, return 0/, 0/' both.c >o.c; keeps -o 2
object <<<"static struct node *_Atomic top;
static int push(void) { $new n->next = top; while (!atomic_compare_exchange_strong(&top, &n->next, n)) {} return 0; }
static int clear(void) { struct node *n = atomic_exchange(&top, NULL); REST free(n); return 0; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(read, push)
ASIF_OP_AS(read, clear)"
cp o.c both.c
sed 's/REST//' both.c >o.c; leaks -o 2
sed 's/REST/for (struct node *next; n; n = next) next = n->next,/' both.c >o.c; keeps -o 2

# What is kept: by a thread, in its variables; with a mark; by a list that nobody walks along; from before the threads began.
for kept in 'static _Thread_local struct node *mine;' 'static struct node *_Atomic mine;'; do
  object <<<"$kept
static atomic_int x;
static int f(void) { $new n->next = mine; mine = n; x = 0; return 0; }
$destroys
$reads"
  case $kept in *_Thread_local*) keeps -o 2 ;; *) leaks -o 1 ;; esac
done
object <<<"static pthread_key_t key;
static void init(void) { pthread_key_create(&key, NULL); }
static atomic_int x;
static int f(void) { $new n->next = pthread_getspecific(key); pthread_setspecific(key, n); x = 0; return 0; }
$destroys
$reads
ASIF_INIT(init)"
keeps -o 2
object <<<"static _Atomic uintptr_t at;
static int f(void) {
  $new
  uintptr_t old = at;
  n->next = (struct node *)(old & ~(uintptr_t)1);
  if (!atomic_compare_exchange_strong(&at, &old, (uintptr_t)n | 1)) free(n);
  return 0;
}
$reads"
keeps -o 2
object <<<"static void init(void) { $new }
static atomic_int x;
static int f(void) { return x; }
$destroys
$reads
ASIF_INIT(init)"
keeps -o 2

# Two functions that are one operation, and lead to the same state: one of them loses memory.
object <<<"static atomic_int s;
static int f(void) { s = 0; return 0; }
$destroys
static int g(void) { $new s = n->v - 1; return 0; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(read, f)
ASIF_OP_AS(read, g)"
leaks -o 1
leaks -o 2

# What else is wrong comes first.
object <<<"static atomic_int x;
static int f(void) { $new x += n->v; return x > 2; }
$destroys
$reads"
run 1 "$asif" verify o.c -o 2; says 'not linearizable'
run 1 "$asif" verify o.c -o 1; says 'violated: leak'

# A search that was cut knows of it, also after a checkpoint.
object <<<"static atomic_int x;
static int f(void) { $new x = n->v; x = 2; return 0; }
$destroys
$reads"
run 3 "$asif" verify o.c -o 3 -j 1 --states-limit 20 --checkpoint left; says 'note: in some execution memory is lost'
run 1 "$asif" verify o.c -o 3 -j 1 --resume left; says 'violated: leak'
run 3 "$asif" verify o.c -o 3 -j 1 --states-limit 1; grep -q 'memory is lost' out && fail "it is not lost yet: $out"

# Evidence of it is for this source and these moves.
run 1 "$asif" verify o.c --evidence e
run 0 "$asif" replay e; says 'memory that nobody can reach'
sed 's/^moves .*/moves 0/; /^moves/,/^history/{/^[0-9]/d}; /^history/q' e >less
"$asif" replay less >out 2>&1 && fail "without moves it stands: $(cat out)"
sed 's/^verdict leak/verdict deadlock/' e >other; "$asif" replay other >out 2>&1 && fail "it is no deadlock: $(cat out)"
sed 's/^threads/leaks no\n&/' e >other; "$asif" replay other >out 2>&1 && fail "--leaks no: $(cat out)"
exit 0
