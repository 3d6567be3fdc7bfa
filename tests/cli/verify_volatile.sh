#!/bin/bash
# asif verify: volatile words are what they are for asif test: relaxed atomic ones, and where two race a note says so.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
quiet() { case $out in *'volatile accesses'*) fail "a note: $out" ;; esac; }
both() { # STATUS ARGUMENT...: verify, and test
  status=$1
  shift
  ! has test || run "$status" "$asif" test "$@"
  run "$status" "$asif" verify "$@"
}

# Two of them, also where they are all that the operations do.
cat >turns.c <<'EOF'
#include <asif.h>
static volatile int last;
static void put(int v) { last = v; }
static int get(void) { return last; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 2))
ASIF_OP_AS(read, get)
EOF
for reduce in best none sym1 sym; do
  run 0 "$asif" verify turns.c -o 2 --reduce $reduce; says 'verdict: linearizable'; silent
  says 'note: volatile accesses race: turns.c:3:31: a data race in C11'; says '--volatile relaxed, acquire-release or seq-cst says what is meant'
done
both 0 turns.c -n 2 -o 2; says 'verdict: linearizable'
for jobs in 1 4; do run 0 "$asif" verify turns.c -n 3 -o 3 --jobs $jobs; says 'note: volatile accesses race: turns.c:3:31: a data race'; done
run 0 "$asif" verify turns.c --json; says '"notes":["volatile accesses race: turns.c:'
for order in relaxed acquire-release seq-cst; do
  both 0 turns.c -n 2 -o 2 --volatile $order; says 'verdict: linearizable'; quiet
done
run 0 "$asif" verify turns.c --volatile relaxed; says 'turns.c:3:31 asks for relaxed only'
run 0 "$asif" verify turns.c --volatile acquire-release; says 'turns.c:3:31 asks for release only'
run 0 "$asif" verify turns.c --volatile seq-cst; case $out in *note:*) fail "a note: $out" ;; esac
run 0 "$asif" verify turns.c --races no; quiet
run 2 "$asif" verify turns.c --volatile strong; warns 'it takes relaxed'

# What is wrong with it is found still, and the evidence has the option.
cat >lost.c <<'EOF'
#include <asif.h>
static volatile int count;
static void add(void) { ++count; }
static int get(void) { return count; }
ASIF_OBJECT(counter)
ASIF_OP_AS(inc, add)
ASIF_OP_AS(read, get)
EOF
both 1 lost.c -n 2 -o 2; says 'verdict: not linearizable'; says 'note: volatile accesses race: lost.c:3:'
run 1 "$asif" verify lost.c -o 2 --volatile acquire-release --evidence lost.evidence; quiet
grep -qx 'volatile acquire-release' lost.evidence || fail 'the evidence lacks the order'
run 0 "$asif" replay lost.evidence
sed 's/^volatile .*/volatile strong/' lost.evidence >strong.evidence
run 2 "$asif" replay strong.evidence

# Reads do not race; nor does one thread; nor what a mutex is around.
sed 's/last = v;/(void)v;/; s/register(0)/register(0)/' turns.c >reads.c
run 0 "$asif" verify reads.c --ops 1 --spec self; quiet
run 0 "$asif" verify turns.c --threads 1 -o 2; quiet
cat >locked.c <<'EOF'
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static volatile int count;
static int add(void) { pthread_mutex_lock(&m); int n = ++count; pthread_mutex_unlock(&m); return n; }
ASIF_OBJECT(counter)
ASIF_OP_AS(inc, add)
EOF
both 0 locked.c -n 2 -o 2; quiet

# A volatile and a plain access are a race, and so are two plain ones of a struct of them; a cast makes an access volatile.
wrong() { # DECLARATION, WRITE, READ
  printf '#include <asif.h>\nstatic %s;\nstatic void put(int v) { %s; }\nstatic int get(void) { return %s; }\nASIF_OBJECT(register(0))\nASIF_OP_AS(write, put, ASIF_IN(1, 2))\nASIF_OP_AS(read, get)\n' "$1" "$2" "$3" >o.c
}
wrong 'int s' '*(volatile int *)&s = v' 's'
both 1 o.c -n 2 -o 1; says 'verdict: violated: data race'
wrong 'int s' '*(volatile int *)&s = v' '*(volatile int *)&s'
both 0 o.c -n 2 -o 1; says 'note: volatile accesses race: o.c:3:'
wrong 'int s' '*(volatile int *)&s = v' '__atomic_load_n(&s, 0)'
both 0 o.c -n 2 -o 1; says 'note: volatile accesses race: o.c:3:'
wrong 'volatile struct { short a; struct { int n[2]; } b; } s' 's.b.n[1] = v' 's.b.n[1]'
both 0 o.c -n 2 -o 1; says 'note: volatile accesses race: o.c:3:'
wrong 'union { volatile int n; char c[4]; } s' 's.n = v' 's.n'
both 0 o.c -n 2 -o 1; says 'note: volatile accesses race: o.c:3:'
exit 0
