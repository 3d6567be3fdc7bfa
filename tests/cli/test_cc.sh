#!/bin/bash
# asif cc and asif c++: a project of several files is built with them, its program still runs, and its objects can be tested.
. tests/cli/common
has cc || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp bin && ln -s "$asif" bin/asif && PATH=$PWD/bin:$PATH

cat >pool.h <<'END'
struct node { int val; struct node *next; };
struct node *take(void);
END
cat >pool.c <<'END'
#include "pool.h"
#include <stdlib.h>
struct node *take(void) { return malloc(sizeof(struct node)); }
END
cat >stack.c <<'END'
#include "pool.h"
#include <asif.h>
#include <stdatomic.h>
static _Atomic(struct node *) top;
static int pops;
void push(int v) {
  struct node *n = take();
  n->val = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) asif_yield();
}
int pop(void) {
  struct node *t = atomic_load(&top);
  ASIF_ATOMIC { pops++; }
  do
    if (!t) return ASIF_EMPTY;
  while (!atomic_compare_exchange_strong(&top, &t, t->next));
  return t->val;
}
END
cat >main.c <<'END'
#include <pthread.h>
#include <stdio.h>
void push(int v);
int pop(void);
static void *work(void *unused) {
  for (int i = 0; i < 100; i++) push(i), pop();
  return unused;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  puts("done");
  return 0;
}
END
cat >harness.c <<'END'
#include <asif.h>
void push(int v);
int pop(void);
ASIF_OBJECT(stack)
ASIF_OP(push)
ASIF_OP(pop)
END
cat >Makefile <<'END'
prog: main.o stack.o libpool.a
	$(CC) $(CFLAGS) -o $@ $^ -pthread
libpool.a: pool.o
	$(AR) rcs $@ $^
%.o: %.c
	$(CC) $(CFLAGS) -I$(INCLUDE) -c -o $@ $<
END

compilers=$(command -v gcc >/dev/null && echo gcc) && command -v clang >/dev/null && compilers="$compilers clang"
for compiler in $compilers; do
  rm -f ./*.o ./*.a prog
  ASIF_CC=$compiler run 0 make -s CC='asif cc' INCLUDE="$root/include"; silent
  # The sanitizer's own runtime does not start in every container.
  echo 'int main(void) { return 0; }' >empty.c
  if "$compiler" -fsanitize=thread empty.c -o empty 2>/dev/null && ./empty 2>/dev/null; then run 0 ./prog; says done; fi
  CC=$compiler run 0 "$asif" test harness.c stack.o libpool.a -n 2 -o 2
  says 'verdict: linearizable (every schedule of 90 clients'
done

# Objects that were not compiled so.
cc -fPIC -I"$root/include" -c stack.c -o stack.o && cc -fPIC -c pool.c -o pool.o || fail 'no compiler'
run 2 "$asif" test harness.c stack.o pool.o; warns 'stack.o was not compiled with `asif cc`'
cc -fno-pic -mcmodel=large -I"$root/include" -c stack.c -o stack.o 2>/dev/null || cc -fno-pic -I"$root/include" -c stack.c -o stack.o
run 2 "$asif" test harness.c stack.o pool.o; warns 'stack.o was not compiled with `asif cc`'

# Other uses of a compiler, and mistakes.
run 0 "$asif" cc --version
run 0 "$asif" cc -E -P - -x c </dev/null
run 1 "$asif" cc -c nothing.c; warns nothing.c
ASIF_CC=no-such run 2 "$asif" cc -c main.c; warns 'the compiler no-such cannot be run'
run 0 "$asif" cc --help; says 'CC="asif cc" make'

# C++.
if command -v c++ >/dev/null; then
  cat >queue.cpp <<'END'
#include <asif.h>
#include <mutex>
#include <queue>
static std::mutex m;
static std::queue<int> items;
static void enq(int v) { std::lock_guard<std::mutex> lock(m); items.push(v); }
static int deq() {
  std::lock_guard<std::mutex> lock(m);
  if (items.empty()) return ASIF_EMPTY;
  int v = items.front();
  items.pop();
  return v;
}
ASIF_OBJECT(queue)
ASIF_OP(enq)
ASIF_OP(deq)
END
  run 0 "$asif" test queue.cpp -n 2 -o 2; says 'verdict: linearizable (every schedule of 90 clients'
  run 0 "$asif" c++ -I"$root/include" -c queue.cpp -o queue.o
  echo 'int unused;' >more.cc
  run 0 "$asif" test more.cc queue.o -n 2 -o 1; says 'verdict: linearizable'
fi
[ -z "$(ls tmp)" ] || fail "leaves $(ls tmp)"
echo 'asif cc: a project of several files'

# An object with many sections, as templates make them: objdump's list is laid out another way from the hundredth on.
{ printf '#include <asif.h>\n#include <stdatomic.h>\nstatic atomic_int n;\n'
  for i in $(seq 120); do printf 'int f%d(void) { return atomic_fetch_add(&n, %d); }\n' $i $i; done
  printf 'static void inc(void) { atomic_fetch_add(&n, 1); }\nstatic int read(void) { return atomic_load(&n); }\n'
  printf 'ASIF_OBJECT(counter)\nASIF_OP(inc)\nASIF_OP(read)\n'; } >many.c
"$asif" cc -ffunction-sections -I"$root/include" -c many.c -o many.o || fail 'many.c'
run 0 "$asif" test many.o -n 2 -o 1; says 'verdict: linearizable'
run 0 "$asif" test many.c -n 2 -o 1 -- -ffunction-sections -I"$root/include"
case $out in *'did not call the assembler'*) fail "$out" ;; esac
exit 0
