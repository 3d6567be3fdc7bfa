#!/bin/bash
# Memory orders and fences go through the front end, and what is assumed about them is said by verify and prove.
. "$(dirname "$0")/common"

# object STORE LOAD: a register with these two.
object() {
  cat >o.c <<EOF
#include <asif.h>
#include <stdatomic.h>
static _Atomic int a;
static int p;
static memory_order chosen = memory_order_seq_cst;
/* memory_order_relaxed is only talked about here. */
static void write(int v) { $1; }
static int read(void) { return $2; }
static void choose(void) { chosen = memory_order_relaxed; }
ASIF_OBJECT(register(0))
ASIF_OP(write, ASIF_IN(1, 1))
ASIF_OP(read)
ASIF_INIT(choose)
EOF
  run 0 "$asif" verify o.c --races no
  steps=$("$asif" verify o.c --dump steps)
}
silent_about() {
  object "$1" "$2"
  case $out in *'sequentially consistent'*) fail "a note about $1, $2: $out" ;; esac
}
# weak ORDER PLACE STORE LOAD STEP
weak() {
  object "$3" "$4"
  says "memory is taken as sequentially consistent, though o.c:$2"
  says "$1"
  case $steps in *"$5"*) ;; *) fail "--dump steps lacks '$5': $steps" ;; esac
}

silent_about 'a = v' 'a'
silent_about 'atomic_store(&a, v)' 'atomic_load_explicit(&a, memory_order_seq_cst)'
silent_about '__atomic_store_n(&p, v, __ATOMIC_SEQ_CST)' '__atomic_load_n(&p, __ATOMIC_SEQ_CST)'
silent_about '__sync_lock_test_and_set(&p, v)' '__sync_fetch_and_add(&p, 0)'
silent_about '__sync_synchronize(); a = v' '(atomic_thread_fence(memory_order_seq_cst), a)'
weak 'asks for relaxed only' 7:28 '__atomic_store_n(&p, v, __ATOMIC_RELAXED)' '__atomic_load_n(&p, __ATOMIC_ACQUIRE)' \
  'load [p] atomic acquire'
weak 'asks for release only' 7:28 'atomic_store_explicit(&a, v, memory_order_release)' 'a' 'atomic release'
weak 'asks for acquire only' 8:32 'a = v' 'atomic_load_explicit(&a, memory_order_acquire)' 'load [a] atomic acquire'
weak 'asks for acq_rel only' 7:28 'atomic_exchange_explicit(&a, v, memory_order_acq_rel)' 'a' 'atomic acq_rel'
weak 'asks for relaxed only' 8:32 'a = v' 'atomic_fetch_add_explicit(&a, 0, memory_order_relaxed)' 'atomic relaxed'
weak 'asks for consume only' 8:32 'p = v' '__atomic_load_n(&p, __ATOMIC_CONSUME)' 'atomic consume'
weak 'asks for relaxed only' 7:45 \
  'int e = 0; (void)atomic_compare_exchange_strong_explicit(&a, &e, v, memory_order_seq_cst, memory_order_relaxed)' 'a' \
  'atomic seq_cst/relaxed'
weak 'has its memory order in a variable' 8:32 'a = v' 'atomic_load_explicit(&a, chosen)' 'order in variable'
weak 'asks for release only' 7:28 'atomic_thread_fence(memory_order_release); a = v' 'a' 'fence release'
weak 'asks for acquire only' 8:33 'a = v' '(__atomic_thread_fence(__ATOMIC_ACQUIRE), a)' 'fence acquire'
silent_about 'atomic_signal_fence(memory_order_relaxed); a = v' 'a'

# An order that is computed with effects is not dropped.
cat >computed.c <<'EOF'
#include <asif.h>
#include <stdatomic.h>
static _Atomic int a;
static int order(void) { return a++ ? 0 : 5; }
static int read(void) { return atomic_load_explicit(&a, order()); }
ASIF_OBJECT(counter)
ASIF_OP(read)
EOF
run 2 "$asif" verify computed.c
warns 'computed.c:5:57: a memory order that is computed'

# prove says the same.
cat >stack.c <<'EOF'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { struct node *next; int val; };
static _Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n), *t;
  n->val = v;
  do { t = atomic_load_explicit(&top, memory_order_relaxed); n->next = t; } while (!atomic_compare_exchange_strong(&top, &t, n));
}
static int pop(void) {
  struct node *t, *n;
  do { t = atomic_load(&top); if (!t) return ASIF_EMPTY; n = t->next; } while (!atomic_compare_exchange_strong(&top, &t, n));
  return t->val;
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
EOF
run 0 "$asif" prove stack.c
says 'memory is taken as sequentially consistent, though stack.c:9:12 asks for relaxed only'
