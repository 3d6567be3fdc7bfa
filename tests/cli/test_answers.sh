#!/bin/bash
# What asif test says in its text, its JSON and its JUnit report is the same, however it ended; and limits by count.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include

cat >good.c <<'E'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n;
static int inc(void) { return atomic_fetch_add(&n, 1); }
static int get(void) { return atomic_load(&n); }
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
ASIF_OP_AS(read, get)
E
sed 's/return atomic_fetch_add(&n, 1)/int v = atomic_load(\&n); return atomic_store(\&n, v + 1), v/' good.c >bad.c
sed 's/return atomic_load/if (!atomic_load(\&n)) *(int *)0 = 1; return atomic_load/' good.c >crash.c
cat >fork.c <<'E'
#include <asif.h>
#include <unistd.h>
static int n;
static int inc(void) { return fork() < 0 ? 7 : __atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST); }
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
E
cat >spin.c <<'E'
#include <asif.h>
static volatile unsigned long n;
static int inc(void) {
  for (unsigned long i = 0; i < 4000000000ul; i++) __asm__ volatile("" ::: "memory");
  return (int)__atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST);
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
E

# field NAME: of the JSON object, as it is written.
field() { sed -n 's/.*"'"$1"'":\("[^"]*"\|[^,}]*\).*/\1/p' json; }
# same STATUS TEXT ARGUMENT...: the verdict line begins with TEXT, and the reports say so too.
same() {
  want=$1 text=$2
  shift 2
  run "$want" "$asif" test --quiet "$@"
  case $out in "verdict: $text"*) ;; *) fail "asif test $* says '$out', not '$text'" ;; esac
  run "$want" "$asif" test --json --junit junit "$@"
  cp out json
  case $want in
  0) case $text in
    linearizable) verdict=holds complete=true ;;
    'no violation seen'*) verdict='no violation seen' complete= ;;
    *) verdict='no violation found' complete=false ;;
    esac
    grep -q 'failures="0" errors="0"' junit || fail "$*: JUnit has a failure: $(cat junit)"
    sed -n '/<system-out>/,/<\/system-out>/p' junit | grep -q "^verdict: $text" || fail "$*: JUnit does not say '$text': $(cat junit)" ;;
  1) verdict=violated complete=false
    grep -q 'failures="1" errors="0"' junit || fail "$*: JUnit has no failure: $(cat junit)"
    grep -q "<failure type=\"${text#violated: }\"" junit || fail "$*: JUnit does not say '$text': $(cat junit)" ;;
  3) verdict=unknown complete=false
    grep -q 'failures="0" errors="1"' junit || fail "$*: JUnit has no error: $(cat junit)"
    grep -q "<error type=\"unknown\" message=\"${text#unknown: }" junit || fail "$*: JUnit does not say '$text': $(cat junit)"
    case $(field reason) in "\"${text#unknown: }"*) ;; *) fail "$*: the JSON reason is $(field reason)" ;; esac ;;
  esac
  [ "$(field verdict)" = "\"$verdict\"" ] || fail "$*: the JSON verdict is $(field verdict), not $verdict"
  [ -z "$complete" ] || [ "$(field complete)" = $complete ] || fail "$*: complete is $(field complete), not $complete"
}

same 0 linearizable good.c
same 0 linearizable good.c --client 'inc() | inc()'
same 0 linearizable good.c -n 2 -o 1 --all
same 0 'no violation found' good.c -n 2 -o 2 --bound 1
same 0 'no violation found' good.c -n 2 -o 2 --random uniform --runs 10
same 0 'no violation seen at k = 2' good.c -n 2 -o 1 --monitor approx:2
same 1 'not linearizable' bad.c
same 1 'not linearizable' bad.c --client 'inc() | inc()' -j 2
same 1 'violated: crash' crash.c
same 3 'unknown: fork.c:4: thread A calls fork' fork.c -n 1 -o 1
same 3 'unknown: the time limit was reached' good.c -t 0.000001 -- -include stdlib.h
same 3 'unknown: the limit of schedules was reached' good.c --schedules-limit 100
same 3 'unknown: the limit of schedules was reached' good.c --schedules-limit 100 -j 3
same 0 'no violation found' good.c --stress --repeat 3 -n 2
same 1 'not linearizable' bad.c --replay "$("$asif" test bad.c -j 1 </dev/null | sed -n 's/^replay: --replay //p')"

# 10 seconds, the default, are as long as one waits gladly: what was found out until then is the answer. A schedule of this takes longer.
same 3 'unknown: the time limit was reached' spin.c -t 1 -n 1 -o 1

# Interrupted.
cat >slow.c <<'E'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n, m[40];
static int inc(void) {
  for (int i = 0; i < 40; i++) atomic_fetch_add(&m[i], 1);
  return atomic_fetch_add(&n, 1);
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
E
"$asif" test slow.c --client 'inc() inc() | inc() inc() | inc() inc()' --json --junit junit >json 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && [ "$(ps -o pid= --ppid $pid | wc -l)" = 0 ]; do sleep 0.05; done
listens $pid
kill -INT $pid
wait $pid
[ $? = 3 ] || fail "interrupted, it ended with $?"
[ "$(field verdict)" = '"unknown"' ] || fail "interrupted, the verdict is $(field verdict)"
case $(field reason) in '"it was interrupted'*) ;; *) fail "interrupted, the reason is $(field reason)" ;; esac
grep -q 'message="it was interrupted' junit || fail "interrupted: $(cat junit)"

# The limit of schedules is exact, whatever -j: as many as there are suffice, one less does not.
all=$("$asif" test good.c -n 2 -o 2 --json </dev/null | sed 's/.*"schedules":\([0-9]*\).*/\1/')
for jobs in 1 3; do
  same 0 linearizable good.c -n 2 -o 2 -j $jobs --schedules-limit "$all"
  [ "$(field schedules)" = "$all" ] || fail "$(field schedules) schedules, not $all"
  same 3 'unknown: the limit of schedules was reached' good.c -n 2 -o 2 -j $jobs --schedules-limit $((all - 1))
  [ "$(field schedules)" = $((all - 1)) ] || fail "$(field schedules) schedules, not $((all - 1))"
done
run 2 "$asif" test good.c --schedules-limit 0

# Clients are made as they are needed: the first schedules do not wait for the last clients, of which there are billions.
cat >many.c <<'E'
#include <asif.h>
#include <stdatomic.h>
static atomic_int x[4];
static void put(int i, int v) { atomic_store(&x[i], v); }
static int get(int i) { return atomic_load(&x[i]); }
ASIF_OBJECT(self)
ASIF_OP(put, ASIF_IN(0, 3), ASIF_IN(1, 4))
ASIF_OP(get, ASIF_IN(0, 3))
E
same 3 'unknown: the limit of schedules was reached' many.c -n 4 -o 8 --schedules-limit 500
[ "$(field schedules)" = 500 ] && [ "$(field clients)" = null ] || fail "$(cat json)"
[ "$(field clients_done)" -gt 10 ] || fail "few clients: $(cat json)"
[ "$(field peak_rss_kb)" -lt 100000 ] || fail "much memory: $(cat json)"
exit 0
