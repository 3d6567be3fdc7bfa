#!/bin/bash
# prove: what is undefined is no part of a proof, and all forms of the answer say the same; sets that ask after the lock is
# given back; locks that are made of numbers; the memory limit.
. "$(dirname "$0")/common"

head='#include <asif.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
struct node { struct node *next; int val; };'

cat >overflow.c <<EOF
$head
static _Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  if (v + 1 == 9) atomic_load(&top);
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) continue;
}
static int pop(void) {
  struct node *t = atomic_load(&top);
  while (t && !atomic_compare_exchange_strong(&top, &t, t->next)) continue;
  return t ? t->val : ASIF_EMPTY;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(LOW, HIGH))
ASIF_OP(pop)
EOF
run 3 "$asif" prove overflow.c --no-confirm --junit j.xml -- -DLOW=INT_MAX-1 -DHIGH=INT_MAX
says 'overflow.c:12:9: an addition may overflow here'
says 'verdict: unknown: an addition may overflow here: signed integers do not wrap around'
grep -q 'an addition may overflow here: signed integers do not wrap around' j.xml || fail 'the JUnit report says something else'
run 3 "$asif" prove overflow.c --no-confirm --json -- -DLOW=INT_MAX-1 -DHIGH=INT_MAX
says '"verdict":"unknown"'
says '"reason":"an addition may overflow here: signed integers do not wrap around"'
run 1 "$asif" prove overflow.c -- -DLOW=INT_MAX-1 -DHIGH=INT_MAX
says 'undefined behaviour'
run 0 "$asif" prove overflow.c --evidence e -- -DLOW=1 -DHIGH=2
says 'note: proved for push(1..2) only, as ASIF_IN says'
run 0 "$asif" replay --run e
sed 's/^points found in-range/points found/' e >any
run 1 "$asif" replay --run any

# The answer to contains is known before the lock is given back, and compared after it.
cat >after.c <<EOF
$head
struct item { pthread_mutex_t lock; int val; struct item *next; };
static struct item *first;
static struct item *make(int v, struct item *next) {
  struct item *n = malloc(sizeof *n);
  pthread_mutex_init(&n->lock, NULL);
  n->val = v;
  n->next = next;
  return n;
}
static void set_up(void) { first = make(INT_MIN, make(INT_MAX, NULL)); }
static struct item *find(int v, struct item **at) {
  struct item *p = first;
  pthread_mutex_lock(&p->lock);
  struct item *c = p->next;
  while (c->val < v) {
    pthread_mutex_lock(&c->lock);
    pthread_mutex_unlock(&p->lock);
    p = c;
    c = p->next;
  }
  *at = p;
  return c;
}
static int add(int v) {
  struct item *p, *c = find(v, &p);
  int absent = c->val != v ? 1 : 0;
  if (absent) p->next = make(v, c);
  pthread_mutex_unlock(&p->lock);
  return absent;
}
static int contains(int v) {
  struct item *p, *c = find(v, &p);
  int there = c->val;
  pthread_mutex_unlock(&p->lock);
  return there == v;
}
ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, 2))
ASIF_OP(contains, ASIF_IN(1, 2))
ASIF_INIT(set_up)
EOF
run 0 "$asif" prove after.c --quiet
says 'verdict: linearizable'

# A lock that is made of a number is not followed; the hint says that, and blames nothing else.
cat >spin.c <<EOF
$head
static struct node *top;
static atomic_int taken;
static void lock(void) { while (atomic_exchange(&taken, 1)) continue; }
static void unlock(void) { atomic_store(&taken, 0); }
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  lock();
  n->next = top;
  top = n;
  unlock();
}
static int pop(void) {
  lock();
  struct node *t = top;
  if (t) top = t->next;
  unlock();
  return t ? t->val : ASIF_EMPTY;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
EOF
run 3 "$asif" prove spin.c --no-confirm
says 'hint: A lock that is made of a number'
case $out in *re-check*) fail 'a re-check is blamed' ;; esac

# What the prover takes other threads to do may be what they cannot: nobody else has the node that was taken out.
cat >clears.c <<EOF
$head
static _Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n), *t;
  n->val = v;
  do {
    t = top;
    n->next = t;
  } while (!atomic_compare_exchange_strong(&top, &t, n));
}
static int pop(void) {
  struct node *t;
  do {
    t = top;
    if (!t) return ASIF_EMPTY;
  } while (!atomic_compare_exchange_strong(&top, &t, t->next));
  int v = t->val;
  t->val = 0;
  return v;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
EOF
run 3 "$asif" prove clears.c
says "hint: Can the other threads' steps above really come there? If not, the prover knows too little"

# The limit counts what the process takes itself, and is named.
run 3 "$asif" prove spin.c --no-confirm --memory-limit 4M
says 'verdict: unknown: the memory limit was reached'
run 3 "$asif" prove spin.c --no-confirm --memory-limit 4M --json
says '"reason":"the memory limit was reached"'
[ "$(sed -n 's/.*"peak_rss_kb":\([0-9]*\).*/\1/p' out)" -lt 6000 ] || fail 'more memory than the limit'

# Counters beside the object: a range that grows goes to the end of its type at once, and views of what cannot be are
# none. So there are few views, whatever the answer is.
# counted FEWER DECLARATION PUSHES POPS
counted() {
  fewer=$1
  cat >count.c <<END
$head
static _Atomic(struct node *) top;
$2
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  $3
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) continue;
}
static int pop(void) {
  struct node *t = atomic_load(&top);
  while (t && !atomic_compare_exchange_strong(&top, &t, t->next)) continue;
  $4
  return t ? t->val : ASIF_EMPTY;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
END
  run "$5" "$asif" prove count.c --no-confirm --evidence e
  views=$(sed -n 's/.* \([0-9]*\) views.*/\1/p' out | tail -1)
  [ "$views" -lt "$fewer" ] || fail "$views views for $2 $3 $4"
}
counted 1000 'static int count;' 'count++;' '' 3
says 'count.c:13:8: an addition may overflow here'
counted 1000 'static long count;' 'count++;' 'count -= 2;' 3
says 'may overflow here'
counted 1000 'static unsigned count;' 'count++;' 'count--;' 0
run 0 "$asif" replay --run e
counted 1000 'static unsigned count, twice;' 'count++; twice += 2;' '' 0
counted 1000 'static _Atomic unsigned count;' 'unsigned c = count; while (!atomic_compare_exchange_strong(&count, &c, c + 1)) continue;' '' 0
counted 4000 'static pthread_mutex_t lock; static int count;' \
  'pthread_mutex_lock(&lock); if (count < 100) count++; pthread_mutex_unlock(&lock);' '' 0
run 0 "$asif" replay --run e
counted 4000 'static pthread_mutex_t lock; static int count;' \
  'pthread_mutex_lock(&lock); if (count > -100) count++; pthread_mutex_unlock(&lock);' '' 3
says 'may overflow here'

# A number that is known not to be 9 is none that another thread knows to be 9.
sed 's/^  n->val = v;/  n->val = v;\n  if (v == 9) n->val = 9;/' "$root/objects/two_lock_queue.c" >nine.c
grep -q 'v == 9' nine.c || fail 'no 9 in the queue'
run 0 "$asif" prove nine.c --quiet --no-confirm
views=$(sed -n 's/.* \([0-9]*\) views.*/\1/p' out)
[ "$views" -lt 2000 ] || fail "$views views of a queue with a 9"

# A value that was never set decides nothing, wherever both ways lead; a constant is not written.
undefined() { # SAID CODE [BEFORE]
  sed "s/^int pop(void) {/&\\n  int x; (void)x; $2/; s/^static int pop(void) {/&\\n  int x; (void)x; $2/" "$root/objects/treiber_stack.c" >u.c
  grep -qF "(void)x; ${2%% *}" u.c || fail 'nothing was put in'
  [ -z "${3-}" ] || sed -i "1i $3" u.c
  run 3 "$asif" prove u.c --no-confirm; says "$1"
  run 1 "$asif" verify u.c; says 'undefined behaviour'
}
undefined 'never set' 'if (x) {}'
undefined 'never set' 'int y = x ? 1 : 1; (void)y;'
undefined 'never set' 'switch (x) { default: break; }'
undefined 'never set' 'if (x == 0 || 1) {}'
undefined 'never set' '(void)!x;'
undefined 'a constant is written' '*(int *)\&fixed = 6;' 'static const int fixed = 5;'

# What was proved for the arguments of ASIF_IN alone says so, and claims nothing of others.
cat >within.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int val; struct node *next; };
static _Atomic(struct node *) top;
static void push(int v) {
  int twice = v * 2;
  (void)twice;
  struct node *n = malloc(sizeof *n);
  n->val = v == 3 ? 4 : v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;
}
static int pop(void) {
  struct node *t = atomic_load(&top), *next;
  do {
    if (!t) return ASIF_EMPTY;
    next = t->next;
  } while (!atomic_compare_exchange_strong(&top, &t, next));
  return t->val;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
C
run 0 "$asif" prove within.c
says 'note: proved for push(1..2) only, as ASIF_IN says'
says 'verdict: linearizable (any number of threads, arguments within ASIF_IN; stack'
sed 's/ASIF_IN(1, 2)/ASIF_IN(1, 3)/' within.c >beyond.c
run 1 "$asif" prove beyond.c
