#!/bin/bash
# asif verify: functions of the C library that do nothing here, or give any number.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
object() {
  { printf '#include <asif.h>\n#include <immintrin.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nstatic atomic_int s, calls;\n'; cat
    printf 'ASIF_OBJECT(register(0))\nASIF_OP_AS(read, get)\nASIF_OP_AS(write, put, ASIF_IN(1, 2))\n'; } >o.c
}

# Output and sleeping do nothing, but arguments are evaluated.
object <<'END_OF_C'
static int count(void) { return atomic_fetch_add(&calls, 1); }
static void put(int v) {
  printf("%d %s\n", count(), "x");
  fprintf(stderr, "%d", v);
  puts("here");
  fflush(stdout);
  _mm_pause();
  if (usleep(10)) abort();
  s = calls ? v : 7;
}
static int get(void) { return s; }
END_OF_C
run 0 "$asif" verify o.c
sed -i 's/count(), "x"/v, "x"/' o.c; run 1 "$asif" verify o.c; says 'store s = 7'
sed -i 's/puts("here");/s = puts("here");/' o.c; run 2 "$asif" verify o.c; warns 'the value of puts is outside the C that verify reads'

# A function that a header of the system declares otherwise: that compiles nowhere, and the header is named.
memory() {
  printf '#include <asif.h>\n#include <stdatomic.h>\n#include <unistd.h>\nstatic atomic_int s;\n%s\nASIF_OBJECT(register(0))\nASIF_OP(%s)\n' "$1" "$2" >o.c
  run 2 "$asif" verify o.c
  warns "o.c:5:$3: $2 is declared differently by a header that is included: "
  warns "$4"
}
memory 'static void write(int v) { s = v; }' write 13 'unistd.h:'
memory 'static int read(void) { return s; }' read 12 'unistd.h:'
memory 'static struct x *off_t(void) { return 0; }' off_t 18 '.h:'

# A random number is every number, where it is one of a few.
object <<'END_OF_C'
static void put(int v) { s = v + (int)(random() % 3) / 3 + (rand() & 1) * 0; }
static int get(void) { return s; }
END_OF_C
run 0 "$asif" verify o.c
sed -i 's/% 3) \/ 3/% 3) \/ 2/' o.c; run 1 "$asif" verify o.c; says 'not linearizable'
sed -i 's/random() % 3/random() >> 9/' o.c; run 3 "$asif" verify o.c; says 'a time or a random number'

# posix_memalign gives memory through its first argument.
memory() { # WHAT IS STORED
  cat >o.c <<C
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct cell { int val; };
static _Atomic(struct cell *) s;
static void write(int v) {
  struct cell *x;
  if (posix_memalign((void **)&x, 64, sizeof *x)) return;
  $1
  s = x;
}
static int read(void) {
  struct cell *x = s;
  return x ? x->val : 0;
}
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))
C
}
memory 'x->val = v;'
run 0 "$asif" verify o.c --ops 2
run 0 "$asif" test o.c --threads 2 --ops 2
memory ''
run 1 "$asif" verify o.c; says 'never set'
