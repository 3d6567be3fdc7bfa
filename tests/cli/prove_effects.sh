#!/bin/bash
# Specifications that are given by effects (ASIF_EFFECT): prove, verify, test and check mean the same by them.
. tests/cli/common
has prove || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/objects" || exit 1

# verdict STATUS TEXT COMMAND ARGUMENT...: the text is in what is printed.
verdict() {
  status=$1 text=$2
  shift 2
  "$asif" "$@" >"$scratch/out" 2>&1 </dev/null
  got=$?
  [ $got = $status ] || fail "asif $* ended with $got, not $status: $(cat "$scratch/out")"
  grep -qF -- "$text" "$scratch/out" || fail "asif $*: no '$text' in: $(cat "$scratch/out")"
}

# Objects that have such a specification, and wrong ones: with the execution that shows it.
for f in effects_stack effects_bag effects_ends; do
  verdict 0 'verdict: linearizable (any number of threads' prove $f.c
  verdict 0 'verdict: linearizable at level nu' prove $f.c --level nu
  verdict 0 'verdict: linearizable' verify $f.c --threads 2 --ops 2
  "$asif" prove $f.c --quiet --evidence "$scratch/proof" >"$scratch/out" 2>&1 || fail "$(cat "$scratch/out")"
  verdict 0 'the evidence stands' replay "$scratch/proof"
done
verdict 1 'peek-stack, ' prove effects_stack.c -- -DWRONG_PEEK
verdict 1 'peek returns ' prove effects_stack.c -- -DWRONG_PEEK
verdict 1 'There is an execution that is wrong' prove effects_bag.c -- -DTWICE
verdict 1 'There is an execution that is wrong' prove effects_ends.c -- -DNOT_FIRST
verdict 1 'verdict: not linearizable' test -q effects_stack.c -- -DWRONG_PEEK
# An execution that is wrong is checked again with the same specification.
"$asif" prove effects_ends.c --quiet --evidence "$scratch/wrong" -- -DNOT_FIRST >"$scratch/out" 2>&1
verdict 0 'the evidence stands' replay "$scratch/wrong"

# own FILE SPEC EFFECT...: an object with another specification.
own() {
  sed "s/^ASIF_OBJECT.*/ASIF_OBJECT($2)/" "$1.c" >"$scratch/own.c"
  shift 2
  printf 'ASIF_EFFECT(%s)\n' "$@" >>"$scratch/own.c"
}

# What is built in, written as effects, is proved by as many views and actions.
same() {
  f=$1 spec=$2
  shift 2
  own $f my_$spec "$@"
  a=$("$asif" prove $f.c --quiet --no-confirm) && b=$("$asif" prove "$scratch/own.c" --quiet --no-confirm) || fail "$f: $a $b"
  a=${a%%actions*} b=${b%%actions*}
  [ "${a#*$spec, }" = "${b#*my-$spec, }" ] || fail "$f: '$a' is not '$b'"
}
stack=('push(v), "A => <v> . A"' 'pop, "<e> . A => A, returns e"' 'pop, "<> => <>, returns empty"')
queue=('enq(v), "A => A . <v>"' 'deq, "<e> . A => A, returns e"' 'deq, "<> => <>, returns empty"')
same treiber_stack stack "${stack[@]}"
same dcas_stack stack "${stack[@]}"
same two_lock_queue queue "${queue[@]}"
same ms_queue queue "${queue[@]}"
same doherty_queue queue "${queue[@]}"
[ -z "${ASIF_LONG:-}" ] || same lock_coupling_set set 'add(v), "A, v not in A => {v} + A, returns true"' 'add(v), "{v} + A => {v} + A, returns false"' \
  'remove(v), "{v} + A => A, returns true"' 'remove(v), "A, v not in A => A, returns false"' \
  'contains(v), "{v} + A => {v} + A, returns true"' 'contains(v), "A, v not in A => A, returns false"'

# Contents that are written the other way round; and an order that is not the object's.
own treiber_stack upwards 'push(v), "A => A . <v>"' 'pop, "A . <e> => A, returns e"' 'pop, "<> => <>, returns empty"'
verdict 0 'contents: A -> A.n->val' prove "$scratch/own.c"
own two_lock_queue backwards 'enq(v), "A => <v> . A"' 'deq, "A . <e> => A, returns e"' 'deq, "<> => <>, returns empty"'
verdict 0 'verdict: linearizable' prove "$scratch/own.c"
own two_lock_queue last 'enq(v), "A => A . <v>"' 'deq, "A . <e> => A, returns e"' 'deq, "<> => <>, returns empty"'
verdict 1 'Not linearizable' prove "$scratch/own.c"
own treiber_stack bag 'push(v), "A => {v} + A"' 'pop, "{e} + A => A, returns e"' 'pop, "{} => {}, returns empty"'
verdict 2 'bag is a specification already' prove "$scratch/own.c"
own treiber_stack some 'push(v), "A => {v} + A"' 'pop, "{e} + A => A, returns e"' 'pop, "{} => {}, returns empty"'
verdict 0 'verdict: linearizable' prove "$scratch/own.c"
own treiber_stack leaky 'push(v), "A => {v} + A"' 'pop, "{e} + A => {e} + A, returns e"' 'pop, "{} => {}, returns empty"'
verdict 1 'Not linearizable' prove "$scratch/own.c"
# A pop that must find something: one of an empty stack is not allowed.
own treiber_stack waiting 'push(v), "A => <v> . A"' 'pop, "<e> . A => A, returns e"'
verdict 1 'Not linearizable' prove "$scratch/own.c"

# The rest may go too: where it does in the specification, and only there.
own treiber_stack forgetful 'push(v), "A => <v>"' 'pop, "<e> . A => A, returns e"' 'pop, "<> => <>, returns empty"'
verdict 1 'Not linearizable' prove "$scratch/own.c"
sed -i 's/^static int pop/static void clear(void) { atomic_store(\&top, NULL); }\n&/' "$scratch/own.c"
own2() { sed "s/ASIF_OBJECT(forgetful)/ASIF_OBJECT(cleared)/;s/A => <v>\"/A => <v> . A\"/" "$scratch/own.c" >"$scratch/clear.c"; printf '%s\n' "$@" >>"$scratch/clear.c"; }
own2 'ASIF_EFFECT(clear, "A => <>")' 'ASIF_OP(clear)'
verdict 0 'verdict: linearizable (any number of threads' prove "$scratch/clear.c"
own2 'ASIF_EFFECT(clear, "A => A")' 'ASIF_OP(clear)'
verdict 1 'Not linearizable' prove "$scratch/clear.c"
own2 'ASIF_EFFECT(clear, "<e> . A => A")' 'ASIF_EFFECT(clear, "<> => <>")' 'ASIF_OP(clear)'
verdict 1 'Not linearizable' prove "$scratch/clear.c"

# A history against them.
printf 's Push(1) A\ns Ok() A\ns Peek() B\ns Ok(1) B\ns Pop() A\ns Ok(1) A\n' >"$scratch/good.txt"
sed '4s/1/2/' "$scratch/good.txt" >"$scratch/bad.txt"
verdict 0 'verdict: linearizable (3 operations' check "$scratch/good.txt" --spec effects_stack.c
verdict 1 'peek-stack, 3 operations' check "$scratch/bad.txt" --spec effects_stack.c --evidence "$scratch/proof"
verdict 0 'the evidence stands' replay --run "$scratch/proof"
verdict 0 'peek-stack: given by its effects' specs effects_stack.c
sed 's/A => <v> . A/A => <w> . A/' effects_stack.c >"$scratch/own.c"
verdict 2 "own.c:$(grep -n '<w>' "$scratch/own.c" | cut -d: -f1): effect of push: w is not known here" check "$scratch/good.txt" --spec "$scratch/own.c"

# Mistakes, with their places.
wrong() {
  own treiber_stack mine 'push(v), "A => <v> . A"' "$1"
  for command in prove verify; do verdict 2 "own.c:$(($(wc -l <"$scratch/own.c"))):$2" $command "$scratch/own.c"; done
  verdict 2 "$3" test "$scratch/own.c"
}
wrong 'pop, "<e> . A => A, returns f"' '41: effect of pop: f is not known here' 'effect of pop: f is not known here'
wrong 'pop, "{e} + A => A, returns e"' '19: effect of pop: the contents are a sequence in another place' 'the contents are a sequence'
wrong 'pop(a), "A . <e> = A"' '30: effect of pop: '"',' or '=>' is expected here" "',' or '=>' is expected here"
wrong 'push, "A => A"' '13: effect of push: another effect of push has 1 arguments' 'another effect of push has 1 arguments'
own treiber_stack mine 'push(v), "A => <v> . A"'
verdict 2 'pop is no operation of mine' prove "$scratch/own.c"
verdict 2 'pop is no operation of mine, which has push' verify "$scratch/own.c"
own treiber_stack mine 'push(v), A' 'pop, "A => A, returns 1"'
verdict 2 'an effect is a text' prove "$scratch/own.c"
own treiber_stack mine 'push(v, w), "A => A"' 'pop, "A => A, returns 1"'
verdict 2 'push takes 1 arguments, but push of mine takes 2' prove "$scratch/own.c"
