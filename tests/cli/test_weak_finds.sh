#!/bin/bash
# Known mistakes of memory order, made in known objects: each is found, and `fix:` says what is missing; or it is none.
. tests/cli/common
export ASIF_INCLUDE=$root/include
replays=no
cp -r "$root/objects/lib" "$root/objects/harness" . || fail 'no copy'

# Hazard pointers: the store that publishes one has to come before the pointer is read again.
sed -i 's/atomic_store(&r->pointer\[i\], node)/atomic_store_explicit(\&r->pointer[i], node, memory_order_release)/' lib/hazard.c
line=$(grep -n '^void hazard_set' lib/hazard.c | cut -d: -f1)
for object in treiber_stack ms_queue; do
  for model in c11 tso; do
    run 1 "$asif" test harness/$object.c -n 2 -o 2 --memory $model -- -DVALUES=1
    says 'Use after free'
    says "fix: lib/hazard.c:$line: the store with seq_cst instead of release: then every execution of this client is linearizable ("
    says 'and of all 42 clients ('
  done
done
run 0 "$asif" test harness/treiber_stack.c -n 2 -o 2 --memory sc -- -DVALUES=1
cp "$root/objects/lib/hazard.c" lib/hazard.c

# Chase and Lev's deque, without each of the fences that Le et al. have in it.
cp "$root/tests/objects/chase_lev_fences.c" deque.c
# deque MODEL FENCE FIX: '' if it is not needed.
deque() {
  run "$([ -n "$3" ] && echo 1 || echo 0)" "$asif" test deque.c -n 2 -o 3 --memory $1 -- -D$2=
  [ -z "$3" ] || says "fix: $3: then every execution of this client is linearizable ("
  [ -z "$3" ] || says 'and of all 159 clients ('
}
at() { grep -n -- "$1" deque.c | cut -d: -f1 | sed -n "${2-1}p"; }
for model in c11 tso; do deque $model NONE ''; done
# A release of the store of bottom does not do: `take` stores there, too, relaxed.
deque c11 PUSH_FENCE "deque.c:$(at 'atomic_store_explicit(&item'): a release fence after the store"
deque tso PUSH_FENCE ''
deque c11 TAKE_FENCE "deque.c:$(at 'atomic_store_explicit(&bottom, b, '): a seq_cst fence after the store"
deque tso TAKE_FENCE "deque.c:$(at 'atomic_store_explicit(&bottom, b, '): the store with seq_cst instead of relaxed"
deque c11 STEAL_FENCE "deque.c:$(at 'atomic_load_explicit(&bottom, memory_order_acquire'): the load with seq_cst instead of acquire"
deque tso STEAL_FENCE ''

# The same queue with nothing but relaxed accesses.
cat >relaxed.h <<'C'
#include <stdatomic.h>
#define relaxed_load(a) atomic_load_explicit(a, memory_order_relaxed)
#define relaxed_compare_exchange_strong(a, e, v) \
  atomic_compare_exchange_strong_explicit(a, e, v, memory_order_relaxed, memory_order_relaxed)
C
sed -i 's/atomic_\(load\|compare_exchange_strong\)(/relaxed_\1(/g' lib/ms_queue.c
run 1 "$asif" test harness/ms_queue.c -n 2 -o 2 --memory c11 -- -DVALUES=1 -include relaxed.h
says "fix: lib/hazard.c:$(grep -n '^void hazard_set' lib/hazard.c | cut -d: -f1): a seq_cst fence after the store; lib/ms_queue.c:"
says 'and of all 42 clients ('
cp "$root/objects/lib/ms_queue.c" lib/ms_queue.c

second=$(has_libdw && echo 'second ') # of a line
# Michael and Scott's queue, with each access relaxed in turn.
cp lib/ms_queue.c queue.c
# relaxed WORDS NUMBER FIX: in the line with these words, or one of several; FIX: '' if it need not be stronger.
relaxed=
relaxed() {
  line=$(grep -nF -- "$1" queue.c | cut -d: -f1 | sed -n "$2p")
  [ -n "$line" ] || fail "no line $1"
  relaxed="$relaxed $line"
  sed "$line"'s/atomic_\(load\|compare_exchange_strong\)(/relaxed_\1(/g' queue.c >lib/ms_queue.c
  cmp -s queue.c lib/ms_queue.c && fail "nothing to relax in $1"
  run "$([ -n "$3" ] && echo 1 || echo 0)" "$asif" test harness/ms_queue.c -n 2 -o 2 --memory c11 -- -DVALUES=1 -include relaxed.h
  [ -n "$3" ] || return 0
  says "fix: lib/ms_queue.c:$line: $3 instead of relaxed: then every execution of this client is linearizable ("
  says 'and of all 42 clients ('
}
relaxed 't = atomic_load(&q->tail);' 1 ''
relaxed 'if (t != atomic_load(&q->tail))' 1 'the load with seq_cst'
relaxed 'struct node *next = atomic_load(&t->next);' 1 'the load with acquire' # reads what was there before the node was
relaxed 'atomic_compare_exchange_strong(&q->tail, &t, next)' 1 'the compare-and-exchange with release'
relaxed 'atomic_compare_exchange_strong(&t->next, &next, n)' 1 'the compare-and-exchange with release'
relaxed 'atomic_compare_exchange_strong(&q->tail, &t, n)' 1 'the compare-and-exchange with seq_cst'
relaxed 'struct node *h = atomic_load(&q->head)' 1 ''
relaxed 'if (h != atomic_load(&q->head))' 1 'the load with seq_cst'
relaxed 'struct node *t = atomic_load(&q->tail), *next' 1 "the ${second}load with acquire"
relaxed 'if (h != atomic_load(&q->head))' 2 ''
relaxed 'atomic_compare_exchange_strong(&q->tail, &t, next)' 2 ''
relaxed 'atomic_compare_exchange_strong(&q->head, &h, next)' 1 'the compare-and-exchange with seq_cst'
all=$(grep -n 'atomic_\(load\|compare_exchange_strong\)(' queue.c | grep -v '&q->head), \*next; n\|next = atomic_load(&n->next)' | cut -d: -f1 | sort -n | tr '\n' ' ')
[ "$(printf '%s\n' $relaxed | sort -n | tr '\n' ' ')" = "$all" ] || fail "not every access was relaxed: $relaxed, of $all"
exit 0
