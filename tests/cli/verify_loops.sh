#!/bin/bash
# Loops within one step, over what a thread has alone: long ones end, endless ones are found, and what is neither known
# to end nor known not to is unknown.
. "$(dirname "$0")/common"

# single STATUS CODE: f() of the code is run alone, and must return 1.
single() {
  cat >o.c <<EOF
#include <asif.h>
static unsigned t[4];
$2
struct s { int n; };
static int s_f(struct s *s) { (void)s; return 1; }
ASIF_SPEC(one, struct s)
ASIF_SPEC_OP(s_f, "f")
ASIF_OBJECT(one)
ASIF_OP(f)
EOF
  run "$1" "$asif" verify o.c --threads 1 --ops 1 --quiet
}
loop() { single "$1" "static int f(void) { unsigned i = 0, n = 0; $2 return n == ($3); }"; }

# As many rounds as there are; a wrong count is seen.
loop 0 'for (i = 0; i < 300000; i++) n += i & 1;' 150000
loop 1 'for (i = 0; i < 300000; i++) n += i & 1;' 150001
says 'not linearizable'
loop 0 'ASIF_ATOMIC { for (i = 0; i < 300000; i++) t[i & 3]++; n = t[0]; }' 75000
loop 0 'while (n < 1000000) n += 1 + (n & 1 ? 0 : 1); ' 1000000
single 0 'static unsigned n;
static void begin(void) { for (int i = 0; i < 300000; i++) n += 2; }
ASIF_INIT(begin)
static int f(void) { return n == 600000; }'

# The state repeats.
for endless in 'for (;;) i = !i;' 'while (i < 7) i = (i + 1) % 7;' 'for (;;) i++;' 'do n ^= 1; while (n < 2);' \
  'ASIF_ATOMIC { t[1] = 1; while (t[1]) t[2] ^= 1; }' \
  'for (i = 0; i < 300000; i++) n++; while (n) n = n == 5 ? 1 : n % 5 + 1;'; do
  loop 1 "$endless" 0
  says 'endless loop'
done

# It ends, or does not, beyond what is waited for.
loop 3 'while (i != 1) i += 2;' 0
says 'a step that may have no end'

# A limit ends a long step, too.
cat >long.c <<'C'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n;
static int fetch_add(void) {
  unsigned x = 1;
  for (int i = 0; i < 9000000; i++) x = x * 5 + 1;
  return atomic_fetch_add(&n, 1) + (x == 0);
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
C
for options in '-j 1' '-j 2' '-r por' '-r tau'; do
  # shellcheck disable=SC2086
  run 3 "$asif" verify long.c --time-limit 0.01 $options; says 'unknown: the time limit was reached'
done

# And a step with very many choices.
cat >random.c <<'C'
#include <asif.h>
#include <stdlib.h>
static int read(void) {
  int n = 0, a[6];
  for (int i = 0; i < 6; i++) a[i] = rand() % 64;
  for (int i = 0; i < 6; i++) n += a[i] > 63;
  return n;
}
ASIF_OBJECT(counter)
ASIF_OP(read)
C
cat >orders.c <<'C'
#include <asif.h>
#include <stdint.h>
#include <stdlib.h>
static int read(void) {
  int s = 0;
  char *p[12];
  for (int i = 0; i < 12; i++) p[i] = malloc(16);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < i; j++) s += ((uintptr_t)p[i] < (uintptr_t)p[j]) + ((uintptr_t)p[j] < (uintptr_t)p[i]);
  for (int i = 0; i < 12; i++) free(p[i]);
  return s - 66;
}
ASIF_OBJECT(counter)
ASIF_OP(read)
C
for options in 'orders.c -j 1' 'orders.c -j 2' 'orders.c -r none' 'orders.c -r por' 'orders.c -r tau' 'random.c -j 2' 'random.c -r por' 'random.c -r tau' \
  'random.c --progress lock-free' 'random.c --against random.c' 'random.c --spec self'; do
  # shellcheck disable=SC2086
  run 3 timeout -s KILL 60 "$asif" verify $options --time-limit 0.1; says 'the time limit was reached'
done
run 124 timeout -k 60 -s TERM 0.3 "$asif" verify random.c # 137: it had to be killed
