#!/bin/bash
# What a verdict rests on is written, re-validated, and refused once it has been changed.
. tests/cli/common
has replay || exit 77

# Every kind of verdict: monitors and searches, right and wrong, several objects, a part that begins in the middle.
for h in "$root"/examples/*.txt "$root"/tests/histories/*.txt; do
  "$asif" check "$h" --spec queue --quiet --evidence e >out 2>&1
  [ $? -le 1 ] || fail "$h: $(cat out)"
  run 0 "$asif" replay e; says 'the evidence stands'; silent
done
for s in queue stack set map register cas-register counter lock 'semiqueue(2)' 'bounded-queue(3)' priority-queue; do
  for bad in '' '--bad any'; do
    for seed in 1 2 3; do
      "$asif" gen "$s" -n 60 -t 3 --seed $seed $bad -o h || fail "gen $s"
      want=0
      [ -z "$bad" ] || want=1
      run $want "$asif" check h --spec "$s" --evidence e --quiet
      run 0 "$asif" replay e; says 'the evidence stands'
    done
  done
done

# refused STATUS WHY SED: the evidence e, changed, is refused with that status, and the answer says why.
refused() {
  sed -E "$3" e >changed
  cmp -s e changed && fail "nothing is changed by $3"
  run "$1" "$asif" replay changed
  if [ "$1" = 1 ]; then says "$2"; says 'verdict: the evidence does not stand'; else warns "$2"; fi
}

# A linearization.
run 0 "$asif" check "$root/examples/queue-good.txt" --evidence e --quiet
order=$(grep -n '^order' e | cut -d: -f1)
first=$((order + 1)) second=$((order + 2))
refused 1 'does not stand' "${first}{h;d};${second}G"             # two lines swapped
refused 1 'takes effect outside its interval' "${first}s/ .*/ 0/;${first}s/^/1&/;${first}s/^11/1/" # before its call
refused 1 'does not stand' "${second}s/ [0-9]+/ 17/"              # another gap
refused 1 'is there twice' "${second}s/.*/$(sed -n ${first}p e)/" # an operation twice
refused 1 'returned but is missing' "${order}s/9/8/;${second}d"   # one left out
refused 1 'names operation 99' "${second}s/^[0-9]+/99/"           # one that is not there
refused 1 'is not what the object does there' 's/Ok\(2\)/Ok(3)/'  # another result
refused 2 'a line for each' "\$q;${second}q"                      # cut off
refused 2 'expected' "${order}q"
refused 2 'two numbers' "${second}s/ .*//"
refused 2 'two numbers' "${second}s/\$/ x/"
refused 2 'linearizable' 's/^verdict .*/verdict maybe/'
refused 2 'specification' 's/^spec .*/spec nonsense/'
refused 2 'is not one of' 's/^spec .*/spec lock/'
refused 2 'not an evidence file' '1s/1$/7/'
refused 2 'history' 's/^history$/histories/'

# A violation.
run 1 "$asif" check "$root/examples/queue-bad.txt" --evidence e --quiet
core=$(grep -n '^core' e | cut -d: -f1)
first=$((core + 1)) second=$((core + 2))
[ "$(sed -n ${core}p e)" = 'core 3' ] || fail "$(sed -n ${core}p e)"
for k in 1 2 3; do
  refused 1 'does not stand' "${core}s/3/2/;$((core + k))d"                       # one left out
  refused 1 'does not stand' "${core}s/3/2/;$((core + k)){h;d};s/^free 0/free 1/;/^free/G" # one that happened, free
done
refused 1 'does not stand' "${second}s/.*/0/"            # another operation
refused 1 'is there twice' "${second}s/.*/$(sed -n ${first}p e)/"
refused 1 'does not stand' 's/^to .*/to 9 1/'             # before it is wrong
refused 1 'does not stand' 's/^to .*/to 0 0/'
refused 1 'does not stand' 's/Ok\(3\)/Ok(2)/;s/^q Ok\(2\) C/q Ok(3) C/' # the history of another run
refused 2 'an empty core' "${core}s/3/0/;$((core + 1)),$((core + 3))d"
refused 2 'names operation 99' "${second}s/.*/99/"
refused 2 'a number' "${second}s/.*/x/"
refused 2 'expected' 's/^to .*/to/'
refused 2 'expected' "${core}s/3/4000000000/"
refused 2 'expected' "${core}q"

# Parts of a history that are wrong only because of what is not in them.
evidence() { # CORE-LINES: of the history in h
  { printf 'asif-evidence 1\nverdict not linearizable\nspec queue\n'; cat; echo history; cat h; } >e
}
printf 'p enq(1) A\np Ok() A\nq enq(2) A\nq Ok() A\nq deq() A\nq Ok(2) A\n' >h
printf 'core 3\n0\n1\n2\nfree 0\nto 4294967295 0\n' | evidence
run 1 "$asif" replay e; says 'different objects'
printf 'q enq(7) A\nq Ok() A\nq enq(1) A\nq Ok() A\nq deq() A\nq Ok(?) A\nq deq() A\nq Ok(1) A\n' >h
printf 'core 3\n1\n2\n3\nfree 0\nto 4294967295 0\n' | evidence
run 1 "$asif" replay e; says 'left out'
printf 'core 2\n1\n3\nfree 0\nto 4294967295 0\nstart 4 1\n[7]\n' | evidence # states that are claimed are not believed
run 1 "$asif" replay e; says 'does not stand'

# Messages name the line.
run 0 "$asif" check "$root/examples/queue-good.txt" --evidence e --quiet
sed '3s/.*/sepc queue/' e >changed; run 2 "$asif" replay changed; warns "changed:3: expected 'spec'"
sed '4s/.*/order 9 of them/' e >changed; run 2 "$asif" replay changed; warns 'changed:4: expected order'
sed '6s/.*/1 1 1/' e >changed; run 2 "$asif" replay changed; warns 'changed:6: expected two numbers'
sed '6s/.*/1\x0 1/' e >changed; run 2 "$asif" replay changed; warns 'changed:6: expected a line without NUL bytes'
head -n 8 e >changed; run 2 "$asif" replay changed; warns 'changed:9: expected a line for each of the list'

# No evidence at all.
: >empty
run 2 "$asif" replay empty; warns empty
head -c 5000 /dev/urandom >garbage
run 2 "$asif" replay garbage; warns garbage
run 2 "$asif" replay missing; warns 'No such file'
run 2 "$asif" replay "$root/examples/queue-good.txt"; warns 'not an evidence file'

# What verify's moves lead to is called by its name.
if has verify; then
  export ASIF_INCLUDE=$root/include
  run 1 "$asif" verify "$root/objects/bugs/b3_push.c" -n 2 -o 2 --evidence e --quiet
  for other in 'data race' 'undefined behaviour' linearizable-not 'does not refine' points 'not lock-free'; do
    refused 1 "do not lead to this verdict: $other" "s/^verdict .*/verdict $other/"
  done
  run 1 "$asif" verify "$root/objects/harness/bugs/plain_flag.c" --evidence e --quiet
  for other in assertion 'undefined behaviour' 'not linearizable' deadlock; do
    refused 1 "the fault is called data race, not $other" "s/^verdict .*/verdict $other/"
  done
fi

# Who decides in a `once` returns its own argument: in Jepsen's form too that is a result.
won() { printf '{:process %s :type :invoke :f :call :value %s}{:process %s :type :ok :f :call :value %s}\n' "$1" "$2" "$1" "$3"; }
{ won 0 1 1; won 1 2 1; } >agreed.edn
{ won 0 1 1; won 1 2 2; } >both.edn
run 0 "$asif" check agreed.edn --spec once --quiet
run 1 "$asif" check both.edn --spec once --quiet
run 1 "$asif" check both.edn --spec consensus --quiet
