#!/bin/bash
# Actions that are given with ASIF_ACTION: the steps of the object must be among them.
. tests/cli/common
has prove || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/objects" || exit 1

# verdict STATUS TEXT ARGUMENT...: the text is in what is printed.
verdict() {
  status=$1 text=$2
  shift 2
  "$asif" prove "$@" >"$scratch/out" 2>&1 </dev/null
  got=$?
  [ $got = $status ] || fail "asif prove $* ended with $got, not $status: $(cat "$scratch/out")"
  grep -qF -- "$text" "$scratch/out" || fail "asif prove $*: no '$text' in: $(cat "$scratch/out")"
}

for f in treiber_stack dcas_stack ms_queue doherty_queue two_lock_queue; do
  verdict 0 'verdict: linearizable' ${f}_actions.c
  verdict 0 'verdict: linearizable' ${f}_actions.c --points found
  verdict 0 'verdict: memory safe' ${f}_actions.c --level ms
done
verdict 0 'verdict: memory safe' lock_coupling_set_actions.c --level ms
verdict 0 'verdict: linearizable' treiber_stack_actions.c -- -DPRECISE

# given FILE LINE...: the object with these actions.
given() {
  printf '#include "%s/objects/%s"\n' "$root" "$1" >"$scratch/given.c"
  shift
  printf '%s\n' "$@" >>"$scratch/given.c"
}
push='ASIF_ACTION(push, "top: t, A => top: n, n{val: e, next: t}, <e> . A")'
pop='ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, t{val: e}, A")'
given treiber_stack.c "$push" "$pop"
verdict 0 'verdict: linearizable' "$scratch/given.c"
# A proof that is checked again is held against them too.
"$asif" prove "$scratch/given.c" --quiet --evidence "$scratch/proof.json" >"$scratch/out" 2>&1 || fail "$(cat "$scratch/out")"
"$asif" replay "$scratch/proof.json" >"$scratch/out" 2>&1 || fail "the proof does not stand: $(cat "$scratch/out")"
given treiber_stack.c "$push" "${pop/t\{val: e\}/t{val: e, next: NULL\}}"
"$asif" replay "$scratch/proof.json" >"$scratch/out" 2>&1 && fail 'a proof stands whose step is none of the given actions'
grep -q 'none of the given actions' "$scratch/out" || fail "another reason: $(cat "$scratch/out")"

# What a step does and no action says.
given treiber_stack.c "$push"
verdict 3 'none of the given actions: the nearest is push' "$scratch/given.c"
given treiber_stack.c "$pop"
verdict 3 'none of the given actions: the nearest is pop' "$scratch/given.c"
for wrong in 'top: t, A => top: n, n{val: e, next: NULL}, <e> . A' 'top: t, A => top: n, n{val: e, next: t}, A . <e>' \
  'top: t, A => top: n, n{val: e, next: t}, A' 'top: t => top: n, n{val: e, next: t}' 'top: NULL, A => top: n, n{val: e, next: NULL}, <e> . A' \
  'top: t, A => top: n, t{next: n}, <e> . A' 'top: t, t != NULL, A => top: n, n{val: e, next: t}, <e> . A'; do
  given treiber_stack.c "ASIF_ACTION(push, \"$wrong\")" "$pop"
  verdict 3 'none of the given actions' "$scratch/given.c"
done
given treiber_stack.c "$push" 'ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, t{val: e, next: NULL}, A")'
verdict 3 'none of the given actions' "$scratch/given.c"
# A node that is freed leaves; one that stays does not.
given dcas_stack.c "$push" 'ASIF_ACTION(pop, "top: t, t{val: e, next: n}, <e> . A => top: n, t{val: e}, A")'
verdict 3 'none of the given actions' "$scratch/given.c"
given two_lock_queue.c "$(grep ASIF_ACTION two_lock_queue_actions.c | grep -v unlock_tail)"
verdict 3 'none of the given actions' "$scratch/given.c"

# What is not an action is pointed at.
syntax() {
  given treiber_stack.c "ASIF_ACTION(a, \"$1\")"
  verdict 2 "given.c:2:$2: action a: $3" "$scratch/given.c"
}
syntax 'top: t' 23 "'=>' is missing"
syntax 'bottom: t => top: t' 17 'there is no global variable of this name'
syntax 'top: t => top: t, t{nxt: n}' 37 'no node has a field of this name'
syntax 'top: t, A => top: t' 17 'contents are given on one side only'
syntax 'top: => top: t' 22 'a value is expected here'
syntax 'top: t => top: t, n' 35 'a name alone says nothing'
syntax 'top: t, {e} + A => top: t' 25 'contents are expected here, such as <e> . A'
syntax 'top: t => t != n' 27 'a condition is of what is before the step'
exit 0
