#!/bin/bash
# Code that ends the process it runs in, hangs, or is interrupted: what asif test says then, how long it takes, and that nothing is left.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp || exit 1
make() { # NAME BODY: an operation that does something the second time
  cat >"$1.c" <<END
#include <asif.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int n;
static int helper(int v) { $2 }
static int inc(void) { int v = atomic_load(&n); v = helper(v); atomic_fetch_add(&n, 1); return v; }
struct state { int n; };
static int spec_inc(struct state *s) { s->n++; return 0; }
ASIF_SPEC(mine, struct state)
ASIF_SPEC_OP(spec_inc, "inc")
ASIF_OBJECT(mine)
ASIF_OP(inc)
END
}
try() { # STATUS NAME ARGUMENT...
  status=$1 name=$2
  shift 2
  run "$status" "$asif" test "$name.c" -n 2 -o 1 "$@"
  [ -z "$(ls tmp)" ] || fail "asif test $name.c leaves $(ls tmp)"
}

# It ends its process: a crash, with a token that does it again.
make killed 'if (v) syscall(SYS_exit_group, 9); return 0;'
try 1 killed --evidence e; says 'Crash: the process that ran the client died: it ended with status 9'; says 'inc() | inc()'; says 'verdict: violated: crash'
token=$(sed -n 's/^replay: --replay //p' out)
run 1 "$asif" test killed.c --replay "$token"; says 'the process that ran the client died: it ended with status 9'
run 1 "$asif" test killed.c --replay "$token" --json; says '"violation":"crash"'
run 0 "$asif" replay --run e; says 'the process that ran the client died: it ended with status 9'; says 'the evidence stands'
try 1 killed --html page.html --svg picture.svg --junit report.xml --quiet; grep -q 'failures="1"' report.xml || fail 'no report'
make left 'if (v) kill(getpid(), SIGKILL); return 0;'
try 1 left; says 'Crash: thread B sends its own process SIGKILL, which ends it'

# Stacks that are full, at once too.
make deep 'volatile char b[100]; b[0] = (char)v; return v < 0 ? 0 : helper(v + 1) + b[0];'
try 1 deep; says 'the stack of thread A is full'
make wide 'volatile char b[10 << 20]; memset((char *)b, v, sizeof b); return b[77];'
try 1 wide; says 'the stack of thread A is full'

# What cannot be run leaves the verdict open.
make forks 'if (v) fork(); return 0;'
try 3 forks; says 'verdict: unknown: '; says 'fork, which cannot be run under a scheduler'
sed -i 's/OBJECT(mine)/OBJECT(self)/' forks.c
try 2 forks; warns 'the object cannot be its own specification'

# Findings that differ are all listed, with the kind and a token each.
cat >many.c <<'END'
#include <assert.h>
#include <asif.h>
#include <stdatomic.h>
static atomic_int n, m;
static int plain;
static int inc(void) { int v = atomic_load(&n); atomic_store(&n, v + 1); return v; }
static void race(void) { plain++; }
static void check(void) { atomic_fetch_add(&m, 1); assert(atomic_load(&m) == 1); atomic_fetch_sub(&m, 1); }
ASIF_OBJECT(self)
ASIF_OP(inc)
ASIF_OP(race)
ASIF_OP(check)
END
run 1 "$asif" test many.c -n 2 -o 1 --keep-going; says 'Not linearizable'; says 'Also found:'; says 'data race: '; says 'assertion failure: '
[ "$(grep -c -- '--replay 1:' out)" = 3 ] || fail "three findings: $out"
for token in $(sed -n 's/.*--replay \(1:.*\)/\1/p' out); do run 1 "$asif" test many.c --replay "$token"; done
run 1 "$asif" test many.c -n 2 -o 1 --keep-going --json; says '"also":[{"violation":"data race"'
run 1 "$asif" test many.c -n 2 -o 1; case $out in *'Also found'*) fail 'it went on' ;; esac

# It does not end: limits and signals are heard all the same, within a second or two, and no process is left.
make hangs 'if (v) for (;;) pause(); return 0;'
left() { # no process may be, after a moment
  for moment in 1 2 3 4 5; do
    pgrep -f "test $1.c -n 2 -o 1 --time-limit 77" >/dev/null || return 0
    sleep 1
  done
  fail "processes are left: $(pgrep -fa "test $1.c")"
}
begun=$(date +%s); try 3 hangs --time-limit 2; says 'the time limit was reached'; [ $(($(date +%s) - begun)) -le 20 ] || fail 'the time limit was not kept'
if command -v pgrep >/dev/null; then
  for signal in TERM INT HUP QUIT KILL; do
    [ $signal = INT ] || [ $signal = QUIT ] || hears $signal || continue
    for attempt in 1 2 3 4 5; do # on a busy machine it may have given up by itself before the signal came
      (trap - INT QUIT; exec "$asif" test hangs.c -n 2 -o 1 --time-limit 77) >said 2>&1 &
      pid=$!
      listens $pid; sleep 2
      kill -$signal $pid
      begun=$(date +%s); wait $pid 2>/dev/null; got=$?
      grep -q 'waits in a system call' said || break
    done
    [ $(($(date +%s) - begun)) -le 10 ] || fail "it does not hear $signal"
    [ $signal = KILL ] || { [ $got = 3 ] && grep -q 'verdict: unknown: it was interrupted' said; } || fail "$signal: $got, $(cat said)"
    left hangs
    [ $signal != KILL ] || rm -rf tmp/*
    [ -z "$(ls tmp)" ] || fail "$signal leaves $(ls tmp)"
  done
fi

# The owner of a mutex tries to lock it in a loop: it waits for ever, and the search does not.
for kind in 'PTHREAD_MUTEX_INITIALIZER' 'PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP'; do
  cat >owner.c <<END
#define _GNU_SOURCE
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t m = $kind;
static int keep(void) { pthread_mutex_lock(&m); return 0; }
static int again(void) { while (pthread_mutex_trylock(&m)) ; pthread_mutex_unlock(&m); return 0; }
ASIF_OBJECT(self)
ASIF_OP(keep)
ASIF_OP(again)
END
  run 0 "$asif" test owner.c --client 'keep() again()'
  says 'in 1 of the histories operations wait for ever'
done

# A mutex that nobody will unlock is a fault, with nothing concurrent too; but not where the object is a lock, which waits like that by design.
mutexed() { # SPECIFICATION INC AS GET AS
  printf '#include <asif.h>\n#include <pthread.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int c;\n%s\n%s\nASIF_OBJECT(%s)\nASIF_OP_AS(%s, f)\nASIF_OP_AS(%s, g)\n' "$2" "$4" "$1" "$3" "$5" >mutexed.c
}
get='static int g(void) { pthread_mutex_lock(&m); int r = c; pthread_mutex_unlock(&m); return r; }'
mutexed counter 'static void f(void) { pthread_mutex_lock(&m); if (++c == 1) return; pthread_mutex_unlock(&m); }' inc "$get" read
run 1 "$asif" test mutexed.c -n 2 -o 2; says 'verdict: violated: deadlock'
mutexed counter 'static void f(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m); }' inc "$get" read
run 1 "$asif" test mutexed.c -n 2 -o 2; says 'verdict: violated: deadlock'
mutexed lock 'static void f(void) { pthread_mutex_lock(&m); }' acquire 'static int g(void) { return !pthread_mutex_trylock(&m); }' try
run 0 "$asif" test mutexed.c -n 2 -o 2; says 'wait for ever, as they do with nothing concurrent: no violation'
mutexed 'semaphore(1)' 'static void f(void) { pthread_mutex_lock(&m); }' acquire 'static int g(void) { return !pthread_mutex_trylock(&m); }' try
run 0 "$asif" test mutexed.c -n 2 -o 2; says 'wait for ever, as they do with nothing concurrent: no violation'
