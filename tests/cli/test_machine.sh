#!/bin/bash
# What the machine refuses is not the code's mistake: limits of memory, folders, compilers. And interrupted rounds of --stress.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp || exit 1
stack=$root/objects/treiber_stack.c

# Address space: little is enough.
(ulimit -v 400000 && run 0 "$asif" test "$stack" -n 2 -o 1 && says 'verdict: linearizable') || exit 1

# A run's memory grows as it is needed, up to a limit that is told.
cat >many.c <<'END'
#include <asif.h>
#include <stdlib.h>
static int x;
static void put(int v) { for (int i = 0; i < COUNT; i++) { int *p = calloc(1, SIZE); *p = v; } __atomic_store_n(&x, v, 5); }
static int get(void) { return __atomic_load_n(&x, 5); }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END
run 0 "$asif" test many.c --client 'write(1) | read()' -- -DCOUNT=1100 -DSIZE=32; says 'verdict: linearizable'
run 0 "$asif" test many.c --client 'write(1)' -j1 -- -DCOUNT=2 -DSIZE='(100<<20)'; says 'verdict: linearizable'
run 3 "$asif" test many.c --client 'write(1)' -j1 --memory-limit 64M -- -DCOUNT=2 -DSIZE='(100<<20)'; says 'there is no memory for what the tested code allocates'
run 3 "$asif" test many.c --client 'write(1)' -j1 -- -DCOUNT=1 -DSIZE='(3ul<<30)'; says 'more than the 4096 MB'

# Where there is no memory, or the process is killed, there is a verdict still, also as JSON.
cat >loaded.c <<'END'
#include <asif.h>
#include <stdlib.h>
static void *volatile all;
__attribute__((constructor)) static void load(void) { all = malloc(5ul << 30); }
static int fetch_add(void) { return all ? 0 : 0; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
run 3 "$asif" test loaded.c; says 'verdict: unknown: the process that runs the code had no memory left'
warns 'more than the 4096 MB it may'
run 3 "$asif" test loaded.c --json; says '"reason":"the process that runs the code had no memory left"'

# Folders and compilers.
TMPDIR=$PWD/none run 2 "$asif" test "$stack"; warns "no temporary folder can be made in $PWD/none"
printf '#!/bin/sh\nkill -SEGV $$\n' >crashes; chmod +x crashes
CC=/bin/true run 2 "$asif" test "$stack"; warns '/bin/true is not a compiler'
CC=./crashes run 2 "$asif" test "$stack"; warns 'the compiler ./crashes ended unexpectedly'
CC=/bin/true run 2 "$asif" verify "$stack"; warns '/bin/true, which is to preprocess it, prints no preprocessed C'
CC=./crashes run 2 "$asif" verify "$stack"; warns '(./crashes) ended unexpectedly'
run 2 env -i PATH=/none "$asif" test "$stack"; warns 'the compiler cc cannot be run'
# What a compiler that was killed has started does not go on, and leaves nothing.
cat >killed <<'END'
#!/bin/sh
case "$*" in *-shared*) (cd tmp/asif-test-* && n=0 && while [ $n -lt 20000 ]; do n=$((n + 1)); : >f$n; done 2>/dev/null) & sleep 0.1; kill -KILL $$ ;; esac
exec cc "$@"
END
chmod +x killed
CC=./killed run 2 "$asif" test "$stack"; warns 'ended unexpectedly'
[ -z "$(ls tmp)" ] || fail "left: $(ls tmp)"

# A process that ends when it has said its verdict, and writes the files asked for, does not make another of it.
cat >loses.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n;
static int fetch_add(void) { int v = atomic_load(&n); atomic_store(&n, v + 1); return v; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
mkfifo nobody_reads
: >said
"$asif" test loses.c --evidence nobody_reads >said 2>err </dev/null &
pid=$!
until grep -q '^verdict: ' said || ! kill -0 $pid; do sleep 0.1; done
kill -KILL "$(ps -o pid= --ppid $pid | tr -d ' ')"
wait $pid; got=$?
[ $got = 1 ] && [ "$(grep -c '^verdict: not linearizable' said)" = 1 ] && [ "$(grep -c '^verdict: ' said)" = 1 ] || fail "$got, $(cat said err)"
grep -q 'ended before they were written (Killed)' err || fail "nothing is said of the evidence: $(cat err)"

# Before anything was tested there is a verdict, too.
run 3 "$asif" test "$stack" --stress -t 0.000001; says 'verdict: unknown: the time limit was reached before anything was tested'
run 3 "$asif" test "$stack" --stress -t 0.000001 --json; says '"verdict":"unknown"'
# Rounds that are interrupted end as unknown, and leave nothing.
for signal in INT HUP; do
  [ $signal = INT ] || [ $signal = QUIT ] || hears $signal || continue
  (trap - INT; exec "$asif" test "$stack" --stress -t 60) >said 2>&1 &
  pid=$!
  listens $pid; sleep 3; kill -$signal $pid; wait $pid; got=$?
  [ $got = 3 ] && grep -q 'verdict: unknown: it was interrupted' said || fail "$signal: $got, $(cat said)"
done
[ -z "$(ls tmp)" ] || fail "left: $(ls tmp)"
