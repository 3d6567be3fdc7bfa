#!/bin/bash
# Torture: every allocation in turn fails, every write in turn, every child in turn is killed or cannot be started, dies where it
# takes memory or writes, and asif itself is told to end there; in every command. Whatever fails, the answer is right or there is
# none: the status is that of the answer, bad input (2: what could not be written is said), or unknown (3); never the opposite
# verdict, an internal error (4), a crash or a hang; and nothing is left behind, no file and no process.
# The inputs are small, so that there are few such places. Some of each kind here. With ASIF_LONG more commands, and all places
# up to 1,200 of a kind; of more, that many, evenly spread from a random one on, and one for each call stack.
# (ASIF_TORTURE_MOST: another number than 1,200, or 4 without ASIF_LONG; eight times as many where no process is started.
# ASIF_TORTURE_ONLY: only commands that have these words.)
. tests/cli/common
shopt -s nullglob dotglob
command -v "${CC:-cc}" >/dev/null || exit 77
"${CC:-cc}" -std=c11 -O1 -shared -fPIC "$root/tests/torture/fail.c" -o fail.so -ldl 2>log || { echo "no library can be preloaded here: $(cat log)"; exit 77; }
mkdir tmp files
export TMPDIR=$scratch/tmp ASIF_INCLUDE=$root/include
if [ -n "${ASIF_LONG:-}" ]; then most=${ASIF_TORTURE_MOST:-1200}; else most=${ASIF_TORTURE_MOST:-4}; fi
LD_PRELOAD=$scratch/fail.so "$asif" --version >/dev/null 2>err || { echo "nothing can be preloaded: $(cat err)"; exit 77; }

"$asif" gen queue -n 20 -t 3 --seed 3 --bad any -o bad.txt || fail gen
"$asif" gen map -n 20 -t 3 --seed 3 -o good.edn --format edn || fail gen
"$asif" check "$root/examples/queue-bad.txt" --quiet --evidence stands >/dev/null
printf 'q enq(1) A\nq Ok() A\nq deq() B\nq Ok(2) B\n' >tiny.txt
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
# Right; an update may be lost; and wrong whatever the threads do.
cat >counter.c <<'E'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n;
static int fetch_add(void) {
#ifdef LOSES
  int v = atomic_load(&n);
  atomic_store(&n, v + 1);
  return v;
#elif defined LIES
  return atomic_fetch_add(&n, 1) + 1;
#else
  return atomic_fetch_add(&n, 1);
#endif
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
E
{ echo '#define LOSES'; cat counter.c; } >loses.c
# Wrong, and prove says so.
sed 's/next = t->next;/next = 0;/' "$root/objects/treiber_stack.c" >stack.c
"$asif" test counter.c --quiet --evidence lost -- -DLOSES >/dev/null
printf 'struct ring;\nstruct ring *ring_create(void);\nint ring_enq(struct ring *, int);\nint ring_deq(struct ring *);\n' >ring.h
bad=0 ran=0
complain() { local all="$*"; echo "${all:0:600}"; bad=$((bad + 1)); }

find_said() {
  said=none
  case $'\n'$out in *$'\nverdict: '*) said=${out#*verdict: } said=${said%%$'\n'*} ;; esac
}

# one WANT KIND AT ASSIGNMENT COMMAND...: with that call failing. What is looked at after each run takes no other program.
one() {
  want=$1 kind=$2 at=$3 more=$4
  shift 4
  for f in files/*; do rm -rf "$f"; done
  ran=$((ran + 1))
  { (
    export "TORTURE=$kind" "TORTURE_AT=$at" ${more:+"$more"} "LD_PRELOAD=$scratch/fail.so"
    exec ${holding:+flock held} timeout -k 5 60 "$asif" "$@"
  ) >out 2>err </dev/null; } 2>/dev/null # "Terminated", says the shell
  got=$?
  what="$kind $at $more: asif $*: status $got, without it $want"
  out=$(<out) err=$(<err)
  find_said
  if [ "$verdicts" -gt 1 ]; then # one of several
    said=none err=$err$out
  else
    case $'\n'$out in *$'\nverdict: '*$'\nverdict: '*) complain "$what; two verdicts: $out" ;; esac
  fi
  case $kind:$got:$1 in
    *:"$want":* | end:143:*) ;;
    child:137:cc | child:143:cc) ;; # as the compiler ends
    *:[23]:*) [ -n "$err" ] || [ "${said#unknown}" != "$said" ] || complain "$what, and no reason: $out" ;;
    *) complain "$what; $out $err" ;;
  esac
  # What is said is the same, or unknown; and the status says so, too. Of a history that holds, that output was lost may be all.
  case $got:$said in
    *:none | 143:* | [23]:unknown* | "$want:$right"*) ;;
    2:"$right"*) [ "$want" != 1 ] || complain "$what; $said" ;;
    *) complain "$what; $said" ;;
  esac
  [ -z "$holding" ] || flock -w 60 held true || { complain "$what; a process is left"; rm held; }
  [ $kind != child ] || for f in tmp/cc??????.*; do rm -f "$f"; done # a compiler that was killed leaves its own
  left=(tmp/* *)
  [ "${left[*]}" = "$there" ] || { complain "$what; left behind: ${left[*]}"; rm -rf tmp/*; }
  # A file is whole or not there.
  for f in files/*.evidence; do
    [ "$(<"$f")" != "$stood" ] || continue
    "$asif" replay "$f" >replayed 2>&1
    case $? in 0 | 3) stood=$(<"$f") ;; *) complain "$what; its evidence does not stand: $(<replayed)" ;; esac
  done
}

# find_places: $places, those of $calls that fail.
find_places() {
  local step=$(((calls + limit - 1) / limit)) offset=1
  [ $step -gt 0 ] || step=1
  [ -z "${ASIF_LONG:-}" ] || offset=$((RANDOM % step + 1))
  places=$({
    [ "$calls" = 0 ] || { seq $offset $step "$calls"; echo "$calls"; } # the last, in any case
    [ -z "${ASIF_LONG:-}" ] || od -An -v -td8 -w16 -j8 count | awk '$2 { print $2 }'
  } | sort -nu)
}

# torture COMMAND...: at places spread over all there are.
torture() {
  case "$*" in *"${ASIF_TORTURE_ONLY:-}"*) ;; *) return ;; esac
  rm -rf files/*
  timeout 60 "$asif" "$@" >out 2>err </dev/null
  status=$?
  out=$(<out)
  find_said
  right=${said%% (*}
  [ $status -le 3 ] || fail "asif $* ends with $status without any failure: $(cat err)"
  verdicts=$(grep -c '^verdict: ' out)
  begun=$(date +%s) before=$ran stood= holding=
  touch out err count held replayed
  there=(tmp/* *)
  there=${there[*]}
  for kind in child files death alloc write end; do
    : >count
    LD_PRELOAD=$scratch/fail.so TORTURE=$kind TORTURE_AT=0 TORTURE_COUNT=$scratch/count "$asif" "$@" >out 2>err </dev/null
    calls=$(od -An -td8 -N8 count | tr -d ' ')
    [ -n "$calls" ] || calls=0
    # Processes that are left hold the lock that they inherit.
    [ $kind != child ] || [ "$calls" = 0 ] || ! command -v flock >/dev/null || holding=yes
    limit=$most
    [ -n "$holding" ] || limit=$((most * 8)) # they are quick without a compiler
    find_places
    for n in $places; do
      case $kind in
        alloc | write | files) one $status $kind $n '' "$@"; one $status $kind $n TORTURE_ALL=1 "$@" ;;
        child) for s in 9 15 0; do one $status $kind $n TORTURE_SIGNAL=$s "$@"; done ;;
        death) for s in 9 15; do one $status $kind $n TORTURE_SIGNAL=$s "$@"; done ;;
        end) one $status $kind $n TORTURE_SIGNAL=15 "$@" ;;
      esac
    done
  done
  echo "$((ran - before)) runs, $(($(date +%s) - begun)) s: asif $* ($status)"
}

torture check bad.txt --evidence files/a.evidence --html files/a.html --junit files/a.xml
torture check good.edn --spec map --witness files/w.txt --evidence files/b.evidence
torture check --approx 2 bad.txt --spec queue --evidence files/c.evidence
torture check tiny.txt --spec spec.c
torture convert good.edn files/good.json
torture gen stack -n 50 -o files/h.txt
torture replay stands
torture verify loses.c --evidence files/d.evidence --history files/h.txt
torture verify counter.c --evidence files/e.evidence
torture verify "$root/objects/treiber_stack.c" --progress lock-free --threads 2
torture prove "$root/objects/treiber_stack.c" --evidence files/f.evidence
torture test counter.c --evidence files/g.evidence -- -DLOSES
torture test counter.c
torture test counter.c --stress --no-perturb --repeat 2 --threads 2 --ops 2 --evidence files/h.evidence -- -DLIES
torture replay --run --trust-arguments lost
ASIF_LIBDW=/nothing torture replay --run --trust-arguments lost # addr2line is asked instead
torture init ring.h -o files/ring.c
torture cc -c counter.c -o files/counter.o
if [ -n "${ASIF_LONG:-}" ]; then
  torture check bad.txt good.edn tiny.txt --junit files/a.xml
  torture test counter.c --stress --repeat 2 --threads 2 --ops 2
  torture verify "$root/objects/ms_queue.c" --threads 2 --states-limit 100
  torture verify "$root/objects/treiber_stack.c" -j 2
  torture prove stack.c --html files/p.html
  torture specs
  torture specs queue
  torture man verify
  torture completion bash
fi
echo "$ran runs"
[ $bad = 0 ] || fail "$bad wrong"
