#!/bin/bash
# What the code prints shows of the run that is told, and of no other.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
cat >o.c <<'C'
#include <asif.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int n;
static void inc(void) {
  int x = n;
  printf("inc sees %d\n", x);
  fprintf(stderr, "to standard error\n");
#ifdef RIGHT
  (void)x;
  n++;
#else
  n = x + 1;
#endif
}
static int read(void) {
  printf("no end of line");
  return n;
}
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP(read)
C
run 0 "$asif" test o.c -n 2 -o 2 -- -DRIGHT; silent
case $out in *sees* | *'end of line'*) fail "$out" ;; esac
run 1 "$asif" test o.c -n 2 -o 2 --evidence e; silent
says 'The code prints:'; says '  | inc sees 0
  | to standard error
  | inc sees 0'
says '  | no end of line'
[ "$(grep -c sees <<<"$out")" = 2 ] || fail "of other runs: $out"
run 0 "$asif" replay --run e; silent
run 1 "$asif" test o.c -n 2 -o 2 --json; silent; says '"printed":"inc sees 0\nto standard error\ninc sees 0\n'
run 1 "$asif" test o.c -n 2 -o 2 --html page.html --quiet; grep -q 'to standard error' page.html || fail 'not on the page'
# Nowhere to print to.
"$asif" test o.c -n 2 -o 2 --html page.html >&- 2>&-; [ -s page.html ] || fail 'closed'
# Much of it: the last is told.
sed -i 's/printf("inc sees/for (int i = 0; i < 5000; i++) printf("line %d\\n", i);\n  printf("inc sees/' o.c
run 1 "$asif" test o.c -n 2 -o 2; says '| line 4999'
[ ${#out} -lt 20000 ] || fail 'all of it is told'
# A process that the code ends by itself.
sed -i 's/fprintf(stderr.*/fflush(stdout); __builtin_trap();/' o.c
run 1 "$asif" test o.c -n 2 -o 1; says 'violated: crash'
exit 0
