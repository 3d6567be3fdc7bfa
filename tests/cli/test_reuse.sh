#!/bin/bash
# Which freed blocks an allocation gets again: those whose address somebody may still have. Others are no choice.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
field() { sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" out; }

# Blocks that no other thread ever sees.
cat >private.c <<'END'
#include <asif.h>
#include <stdlib.h>
static int x;
static void write_(int v) {
  for (int i = 0; i < M; i++) {
    int *p = malloc(32);
    if (!p) abort(); /* else the compiler needs no block */
    *p = v;
    free(p);
  }
  __atomic_store_n(&x, v, 5);
}
static int read_(void) { return __atomic_load_n(&x, 5); }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, write_)
ASIF_OP_AS(read, read_)
END
run 0 "$asif" test private.c --client 'write(1)' --json -- -DM=300
[ "$(field schedules)" -le 10 ] || fail "$(field schedules) schedules"
run 0 "$asif" test private.c --client 'write(1) write(2) | write(1) read()' --json -- -DM=20
[ "$(field schedules)" -le 100 ] || fail "$(field schedules) schedules"
run 0 "$asif" test private.c --client 'write(1)' --reuse all --json -- -DM=8
[ "$(field schedules)" = 4140 ] || fail "$(field schedules) schedules: every way to put 8 into boxes"

# A thread has the address while the block is freed and allocated again: all N calls of others come between its two looks.
cat >aba.c <<'END'
#include <asif.h>
#include <stdint.h>
#include <stdlib.h>
#ifndef MAKE
#define MAKE malloc(24)
#endif
static uintptr_t cell, kept;
static int begun, done;
static _Thread_local uintptr_t mine;
static char *base; /* others are told by how far they are from it */
static void set_up(void) {
  base = malloc(40);
  kept = cell = TO(MAKE);
}
static void begin(void) { __atomic_fetch_add(&begun, 1, 5); }
static void end(void) { __atomic_fetch_add(&done, 1, 5); }
static int set(void) { /* the thread that frees also allocates */
  begin();
  uintptr_t old = __atomic_exchange_n(&cell, TO(MAKE), 5);
  if (old) free(FROM(old));
  end();
  return 0;
}
static int take(void) {
  begin();
  uintptr_t old = __atomic_exchange_n(&cell, 0, 5);
  if (old) free(FROM(old));
  end();
  return 0;
}
static int put(void) {
  begin();
  __atomic_store_n(&cell, TO(MAKE), 5);
  end();
  return 0;
}
static int look(void) { /* has it on its stack */
  uintptr_t p = __atomic_load_n(&cell, 5);
  if (__atomic_load_n(&begun, 5)) return 0;
  if (__atomic_load_n(&done, 5) != N) return 0;
  if (p == __atomic_load_n(&cell, 5)) abort();
  return 0;
}
static int look_twice(void) {
  if (!mine) {
    mine = __atomic_load_n(&cell, 5);
    if (__atomic_load_n(&begun, 5)) mine = 0;
    return 0;
  }
  if (__atomic_load_n(&done, 5) == N && mine == __atomic_load_n(&cell, 5)) abort();
  return 0;
}
static int look_kept(void) {
  if (__atomic_load_n(&done, 5) == N && kept == __atomic_load_n(&cell, 5)) abort();
  return 0;
}
ASIF_OBJECT(self)
ASIF_INIT(set_up)
ASIF_OP(set)
ASIF_OP(take)
ASIF_OP(put)
ASIF_OP(look)
ASIF_OP(look_twice)
ASIF_OP(look_kept)
END
aba() { # FORM BACK CLIENT HOW...: the address as it is stored, and back
  local to=$1 from=$2 client=$3
  shift 3
  run 1 "$asif" test aba.c --leaks no --client "$client" "$@" -- -DN=2 "-DTO(p)=$to" "-DFROM(v)=$from"
  says 'verdict: violated: crash'
}
forms=('(uintptr_t)(p)' '(void *)(v)' '((uintptr_t)(p) | 3)' '(void *)((v) & ~15)' '((uintptr_t)(p) | (uintptr_t)0xabcd << 48)' '(void *)((v) << 16 >> 16)'
  '((uintptr_t)(p) << 16 | 7)' '(void *)((v) >> 16)' '((uintptr_t)(p) >> 4)' '(void *)((v) << 4)' '((uintptr_t)(p) + 24)' '(void *)((v) - 24)')
# Forms that are not known: that there is one is found out, and all blocks are offered.
forms+=('((uintptr_t)(p) ^ 0x5a5a5a5a5a5a5a5a)' '(void *)((v) ^ 0x5a5a5a5a5a5a5a5a)' '((uintptr_t)(p) - (uintptr_t)base)' '(void *)((v) + (uintptr_t)base)'
  '((uintptr_t)(p) + 40)' '(void *)((v) - 40)')
for ((i = 0; i < ${#forms[@]}; i += 2)); do aba "${forms[i]}" "${forms[i + 1]}" 'look() | set() set()'; done
# Marks for which the alignment has room, beyond the end of the block.
run 1 "$asif" test aba.c --leaks no --client 'look() | set() set()' -- -DN=2 '-DMAKE=aligned_alloc(64, 16)' '-DTO(p)=((uintptr_t)(p) | 40)' '-DFROM(v)=(void *)((v) & ~63)'
says 'verdict: violated: crash'
for client in 'look() | set() set()' 'look() | take() | put()' 'look_twice() look_twice() | take() | put()' 'set() set() look_kept()' 'take() put() | look_kept()'; do
  aba "${forms[0]}" "${forms[1]}" "$client" --dpor
done
for how in --all '--bound 5' '--bound 5 --bound-by preemption' '--dpor --races no'; do aba "${forms[0]}" "${forms[1]}" 'look() | take() | put()' $how; done
token=$(sed -n 's/^replay: --replay //p' out)
run 1 "$asif" test aba.c --replay "$token" -- -DN=2 "-DTO(p)=${forms[0]}" "-DFROM(v)=${forms[1]}"; says 'verdict: violated: crash'

# The thread that frees shows the address afterwards: then every block is offered, and the token says so.
cat >late.c <<'END'
#include <asif.h>
#include <stdlib.h>
static long *shown;
static int show(void) {
  long *p = malloc(16);
  free(p);
  __atomic_store_n(&shown, p, 5);
  return 0;
}
static int compare(void) {
  long *p = malloc(16);
  if (p == __atomic_load_n(&shown, 5)) abort();
  return 0;
}
ASIF_OBJECT(self)
ASIF_OP(show)
ASIF_OP(compare)
END
run 1 "$asif" test late.c --leaks no --client 'show() compare()'; says 'verdict: violated: crash'
token=$(sed -n 's/^replay: --replay //p' out)
case $token in 1:rb:*) ;; *) fail "the token does not say it: $token" ;; esac
run 1 "$asif" test late.c --replay "$token"; says 'verdict: violated: crash'
run 1 "$asif" test late.c --leaks no --client 'show() | compare()'; says 'verdict: violated: crash'

# It compares the address with memory after the free: with another block that lies there it succeeds.
cat >expects.c <<'END'
#include <asif.h>
#include <stdlib.h>
static long *cell;
static void set_up(void) { cell = malloc(24); }
static int put(void) {
  long *p = malloc(24), *none = NULL;
  if (!__atomic_compare_exchange_n(&cell, &none, p, 0, 5, 5)) free(p);
  return 0;
}
static int take(void) {
  long *p = __atomic_exchange_n(&cell, (long *)0, 5), *old = p;
  if (!p) return 0;
  __asm__("" : "+r"(old));
  free(p);
  if (__atomic_compare_exchange_n(&cell, &old, (long *)0, 0, 5, 5)) abort();
  return 0;
}
ASIF_OBJECT(self)
ASIF_INIT(set_up)
ASIF_OP(put)
ASIF_OP(take)
END
run 1 "$asif" test expects.c --leaks no --client 'take() | put()'; says 'verdict: violated: crash'

# Much memory, again and again: it is not all kept.
cat >large.c <<'END'
#include <asif.h>
#include <stdlib.h>
static int x;
static int work(void) {
  for (int i = 0; i < 40; i++) {
    char *p = malloc(128 << 20);
    if (!p) abort();
    p[0] = 1;
    free(p);
  }
  return __atomic_fetch_add(&x, 0, 5);
}
ASIF_OBJECT(self)
ASIF_OP(work)
END
run 0 "$asif" test large.c --races no --client 'work()'; says 'verdict: linearizable'

# Where freed memory may be read, the thread that freed a block may read it too, and see what its next owner writes.
cat >stable.c <<'END'
#include <asif.h>
#include <stdlib.h>
static int *cell;
static int own(void) {
  int *p = malloc(sizeof *p);
  __atomic_store_n(p, 1, 5);
  free(p);
  return __atomic_load_n(p, 5);
}
static void other(void) {
  int *p = malloc(sizeof *p);
  __atomic_store_n(p, 2, 5);
  __atomic_store_n(&cell, p, 5);
}
ASIF_OBJECT(self)
ASIF_TYPE_STABLE()
ASIF_OP(own)
ASIF_OP(other)
END
run 1 "$asif" test stable.c --leaks no -- -w; says 'own() -> 2'
