#!/bin/bash
# Torture: every allocation in turn fails, every write in turn, every child in turn is killed, in every command. Whatever fails,
# the answer is right or there is none: the status is that of the answer, bad input (2: what could not be written is said), or
# unknown (3); never the opposite verdict, an internal error (4), a crash or a hang; and nothing is left behind.
# A few places of each kind here; with ASIF_LONG all (ASIF_TORTURE_MOST: at most so many).
. tests/cli/common
command -v "${CC:-cc}" >/dev/null || exit 77
"${CC:-cc}" -std=c11 -O1 -shared -fPIC "$root/tests/torture/fail.c" -o fail.so -ldl 2>log || { echo "no library can be preloaded here: $(cat log)"; exit 77; }
mkdir tmp files
export TMPDIR=$scratch/tmp ASIF_INCLUDE=$root/include
if [ -n "${ASIF_LONG:-}" ]; then most=${ASIF_TORTURE_MOST:-100000}; else most=${ASIF_TORTURE_MOST:-4}; fi
LD_PRELOAD=$scratch/fail.so "$asif" --version >/dev/null 2>err || { echo "nothing can be preloaded: $(cat err)"; exit 77; }

"$asif" gen queue -n 60 -t 4 --seed 3 --bad any -o bad.txt || fail gen
"$asif" gen map -n 60 -t 4 --seed 3 -o good.edn --format edn || fail gen
"$asif" check "$root/examples/queue-bad.txt" --quiet --evidence stands >/dev/null
cat >spec.c <<'E'
#include <asif.h>
struct state { int count, at[64]; };
static void enq(struct state *s, int v) { s->at[s->count++] = v; }
static int deq(struct state *s) {
  if (!s->count) return ASIF_EMPTY;
  int v = s->at[0];
  for (int i = 1; i < s->count; i++) s->at[i - 1] = s->at[i];
  s->at[--s->count] = 0;
  return v;
}
ASIF_SPEC(own_queue, struct state)
ASIF_SPEC_OP(enq)
ASIF_SPEC_OP(deq)
E
bad=0 ran=0
complain() { echo "$*"; bad=$((bad + 1)); }

# one WANT KIND AT EXTRA... -- COMMAND...: with that call failing.
one() {
  want=$1 kind=$2 at=$3
  shift 3
  env=()
  while [ "$1" != -- ]; do env+=("$1"); shift; done
  shift
  rm -rf files/* && ran=$((ran + 1))
  env LD_PRELOAD="$scratch/fail.so" TORTURE="$kind" TORTURE_AT="$at" "${env[@]}" timeout -k 5 60 "$asif" "$@" >out 2>err </dev/null
  got=$?
  what="$kind $at ${env[*]}: asif $*: status $got, without it $want"
  case $got in
    "$want") ;;
    2 | 3) [ -s err ] || grep -q '^verdict: unknown' out || complain "$what, and no reason: $(cat out)" ;;
    *) complain "$what; $(tail -3 out) $(tail -3 err)" ;;
  esac
  # What is said is said rightly.
  case $want in
    0) grep -q '^verdict: \(not linearizable\|violated\)' out && complain "$what; $(grep '^verdict' out)" ;;
    1) grep -qE '^verdict: (linearizable|no violation|progress)' out && complain "$what; $(grep '^verdict' out)" ;;
  esac
  left=$(ls -A tmp; ls -A | grep -vxE 'tmp|files|fail.so|out|err|log|count|bad.txt|good.edn|spec.c|stands|replayed')
  [ -z "$left" ] || { complain "$what; left behind: $left"; rm -rf tmp/*; }
  # A file is whole or not there.
  for f in files/*.evidence; do
    [ -f "$f" ] || continue
    "$asif" replay "$f" >replayed 2>&1
    case $? in 0 | 3) ;; *) complain "$what; its evidence does not stand: $(tail -2 replayed)" ;; esac
  done
}

# torture COMMAND...: at places spread over all there are.
torture() {
  rm -rf files/*
  "$asif" "$@" >out 2>err </dev/null
  status=$?
  [ $status -le 3 ] || fail "asif $* ends with $status without any failure: $(cat err)"
  for kind in alloc write child; do
    rm -f count
    LD_PRELOAD=$scratch/fail.so TORTURE=$kind TORTURE_AT=0 TORTURE_COUNT=$scratch/count "$asif" "$@" >out 2>err </dev/null
    calls=$(od -An -td8 count 2>/dev/null | tr -d ' ')
    [ -n "$calls" ] || calls=0
    step=$(((calls + most - 1) / most))
    [ $step -gt 0 ] || step=1
    for ((n = 1; n <= calls; n += step)); do
      one $status $kind $n -- "$@"
      if [ $kind = child ]; then one $status $kind $n TORTURE_SIGNAL=15 -- "$@"; else one $status $kind $n TORTURE_ALL=1 -- "$@"; fi
    done
  done
}

torture check bad.txt --evidence files/a.evidence --html files/a.html --junit files/a.xml
torture check good.edn --spec map --witness files/w.txt --evidence files/b.evidence
torture check --approx 2 bad.txt --spec queue --evidence files/c.evidence
torture check bad.txt --spec spec.c
torture convert good.edn files/good.json
torture gen stack -n 50 -o files/h.txt
torture replay stands
torture verify "$root/objects/buggy_queue.c" --evidence files/d.evidence --history files/h.txt
torture verify "$root/objects/treiber_stack.c" --evidence files/e.evidence
torture verify "$root/objects/treiber_stack.c" --progress lock-free
torture prove "$root/objects/treiber_stack.c" --evidence files/f.evidence
torture test "$root/objects/harness/bugs/wg_deq.c" --evidence files/g.evidence
torture test "$root/objects/harness/treiber_stack.c" --threads 2 --ops 1
if [ -n "${ASIF_LONG:-}" ]; then
  torture test "$root/objects/harness/bugs/treiber_free.c" --stress -t 2
  torture verify "$root/objects/ms_queue.c" --threads 2 --states-limit 100
fi
echo "$ran runs"
[ $bad = 0 ] || fail "$bad wrong"
