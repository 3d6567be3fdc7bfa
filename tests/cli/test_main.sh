#!/bin/bash
# --main: a program, such as unit tests as they are, is the test.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
cat >p.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static atomic_int n;
static void *adds(void *x) { return n++, x; }
static void *loads_and_stores(void *x) { return n = n + 1, x; }
static void *ends(void *x) { return exit(3), x; }
int main(int argc, char **argv) {
  void *(*f)(void *) = adds;
  pthread_t a, b;
  for (int i = 0; i < argc; i++) printf("<%s>", argv[i]);
  if (argc > 1 && !strcmp(argv[1], "wrong")) f = loads_and_stores;
  if (argc > 1 && !strcmp(argv[1], "--ends")) f = ends;
  pthread_create(&a, 0, f, 0), pthread_create(&b, 0, f, 0);
  pthread_join(a, 0), pthread_join(b, 0);
#ifdef EXIT
  exit(n != 2);
#endif
  return argv[argc] || n != 2 ? 7 : 0;
}
C
run 0 "$asif" test --main p.c; silent; says 'every schedule of 1 test: main()'; says 'verdict: holds (every schedule'
case $out in *'<'*) fail "it prints: $out" ;; esac
run 0 "$asif" test --main p.c -- right 'a "word" \ % é' -- -DEXIT; says 'verdict: holds (every schedule'
run 1 "$asif" test --main p.c --evidence e -- wrong 'a "word" \ %'; silent; says 'main returns 7'; says 'verdict: violated: assertion failure'
says '  | <p.c><wrong><a "word" \ %>'
run 0 "$asif" replay --run e; says 'the evidence stands'
token=$(sed -n 's/^token //p' e)
run 1 "$asif" test --main p.c --replay "$token" -- wrong 'a "word" \ %'; says 'main returns 7'
sed 's/^word wrong/word right/' e >other
run 3 "$asif" replay --run other; says 'main is called with: right'; says 'verdict: unknown: the code '
run 1 "$asif" test --main p.c -- wrong -- -DEXIT; says 'thread A calls exit(1)'; says 'verdict: violated: assertion failure'
run 1 "$asif" test --main p.c -- --ends; says 'calls exit(3)'
"$asif" cc -c p.c -o p.o || fail 'p.c'
run 1 "$asif" test --main p.o -- wrong; says 'main returns 7'
# What is none, what does not go together, and the same file without --main.
echo 'int nothing;' >none.c
run 2 "$asif" test --main none.c; warns 'main is not defined'
run 2 "$asif" test --main; warns 'usage: asif test FILE'
run 2 "$asif" test --main -- --right; warns 'no file to test'
run 2 "$asif" test --main p.c --stress; warns '--main'
run 2 "$asif" test --main p.c --threads 2; warns '--threads and --ops are for clients'
run 2 "$asif" test p.c; warns 'ASIF_OBJECT'
exit 0
