#!/bin/bash
# asif check: the verdict, its status and its last line, by every method; what the methods say of themselves.
. tests/cli/common
has check || exit 77

for method in auto search wing-gong; do
  for f in 2.4-linearizable:0 2.4-not-linearizable:1 3.2.1-script:0 3.2.2-not-linearizable:1; do
    run ${f#*:} "$asif" check "$root/tests/histories/paper-${f%:*}.txt" --spec queue --method $method; silent
    case ${f#*:} in 0) word='verdict: linearizable' ;; *) word='verdict: not linearizable' ;; esac
    case $(tail -1 out) in "$word"*) ;; *) fail "the last line is $(tail -1 out)" ;; esac
  done
done

# Values put in twice: no monitor; auto goes on without and says so.
printf 'q enq(1) A\nq Ok() A\nq enq(1) A\nq Ok() A\nq deq() B\nq Ok(1) B\n' >twice
run 2 "$asif" check twice --method fast; warns 'a value that is inserted more than once'; warns '--method'
[ -z "$out" ] || fail "a verdict all the same: $out"
run 0 "$asif" check twice; says 'not the fast monitor, because of a value that is inserted more than once'
printf 'c inc() A\nc Ok() A\n' >counter
run 2 "$asif" check counter --spec counter --method fast; warns 'monitor'

# The gravest status of several histories.
printf 'q enq(1) A\nq Ok() A\n' >good
printf 'q deq() A\nq Ok(1) A\n' >bad
run 1 "$asif" check good bad good --spec queue
run 1 "$asif" check good missing bad --spec queue
run 2 "$asif" check good missing --spec queue

# A nemesis does not keep the specification from being guessed.
printf '%s\n' '{:process :nemesis, :type :info, :f :start, :value nil}' '{:process 0, :type :invoke, :f :enqueue, :value 1}' \
  '{:process 0, :type :ok, :f :enqueue, :value 1}' >nemesis.edn
run 0 "$asif" check nemesis.edn; says 'queue, 1 operation'

# A long part that only a search decides is explained in a moment, by the few operations that matter, from where they begin.
"$asif" gen cas-register -n 150k -t 8 --values 5 --bad stale -o long.txt
run 1 "$asif" check long.txt --spec cas-register --time-limit 100; says 'but that was overwritten: Write('; says 'These 3 operations of 150000'
"$asif" gen map -n 100k -t 16 --keys 2 --bad stale -o long.txt
run 1 "$asif" check long.txt --spec map --time-limit 100; says 'but that was overwritten: Put('; says 'These 3 operations of 100000'

# Whether something earlier is wrong is not looked for at any cost: that is hard from the first operations on here.
"$asif" gen priority-queue -n 100k -t 16 --bad lost --seed 1 -o lost.txt || fail gen
(ulimit -t 5 && run 1 "$asif" check lost.txt --spec priority-queue --quiet) || exit 1

# The first of two faults is told, and for sure, though something is open there and prefixes are long.
awk 'BEGIN { for (i = 1; i <= 30000; i++) {
  if (i == 23000) print "r Cas(3, 4) C"
  print "r Write(" i + 9 ") A"; print "r Ok() A"
  if (i == 24000) { print "r Cas(2, 7) B"; print "r Ok(true) B" }
  if (i == 27000) { print "r Read() B"; print "r Ok(26000) B" }
  if (i == 28000) print "r Ok(false) C" } }' >long.txt
run 1 "$asif" check long.txt --spec cas-register; says 'line 48002  B  Cas(2, 7) -> true  <-- impossible from here on'; says 'but 2 was never written'
case $out in *'too much to decide'*) fail "$out" ;; esac
sed -i 's/Cas(2, 7)/Read()/; s/Ok(true)/Ok(20000)/' long.txt
run 1 "$asif" check long.txt --spec cas-register; says 'line 48002  B  Read() -> 20000  <-- impossible from here on'
case $out in *'too much to decide'*) fail "$out" ;; esac

# More than fit inside, and full where there was room.
three='q Enq(1) A\nq Ok() A\nq Enq(2) A\nq Ok() A\nq Enq(3) A\nq %s() A\n'
printf "$three" Ok >three.txt
run 1 "$asif" check three.txt --spec 'bounded-queue(2)'; says 'Not linearizable: 3 values were inside at once, but the bounded-queue has room for 2'
run 1 "$asif" check three.txt --spec 'weak-bounded-queue(2)'; says '3 values were inside at once, but the weak-bounded-queue has room for 2'
run 0 "$asif" check three.txt --spec 'bounded-queue(3)'
printf "$three" Full >three.txt
run 1 "$asif" check three.txt --spec 'bounded-queue(3)'
says 'Not linearizable: Enq(3) returned full, but no more than 2 values can have been inside, and 3 fit'
run 0 "$asif" check three.txt --spec 'weak-bounded-queue(3)'

# The picture in the README is what the program draws.
(cd "$root" && "$asif" check examples/queue-bad.txt --quiet --svg "$scratch/picture.svg") >out
cmp picture.svg "$root/docs/picture.svg" || fail 'docs/picture.svg: asif check examples/queue-bad.txt --svg docs/picture.svg'

# A key that is too much to decide does not hide one that is wrong.
{
  for i in {10..39}; do echo "m append(0, \"$i\") P$i"; done
  for i in {10..39}; do echo "m Ok() P$i"; done
  printf 'm get(0) A\nm Ok("'
  for i in {0..29}; do printf %d $((i * 7 % 30 + 10)); done
  printf '") A\nm put(1, 1) A\nm Ok() A\nm get(1) A\nm Ok(2) A\n'
} >hard
run 1 "$asif" check hard --spec map --jobs 1 --memory-limit 40M; says 'Get(1) -> 2'

# An operation that is in the core for what it returned, whenever it happened: nothing else is said of it.
printf 's %s\n' 'add(1) A' 'add(1) B' 'Ok(false) A' 'add(1) C' 'Ok(false) B' 'Ok(true) C' >returned
run 1 "$asif" check returned --spec set; says 'marked returned there was an order; if any'
case $out in *'if any one of them had happened'*) fail 'B had to happen then' ;; esac
run 1 "$asif" check "$root/examples/queue-bad.txt"; says 'if any one of'

# An append makes a value of what others put there: nothing of its key may be left out of the violation.
printf '%s\n' 'x Append(1, 1) A' 'x Delete(1) C' 'x Ok() C' 'x Ok() A' 'x Get(1) B' 'x Ok(7) B' >append.txt
run 1 "$asif" check append.txt --spec map
# Where a history appends, an integer is its digits, also at keys that nothing is appended to.
printf '%s\n' 'm put(1, 1) A' 'm Ok() A' 'm get(1) A' 'm Ok("1") A' 'm append(2, 5) A' 'm Ok() A' >digits.txt
run 0 "$asif" check digits.txt --spec map
printf '%s\n' '{:process 0 :type :invoke :f :append :key 1 :value "a"}' '{:process 1 :type :invoke :f :put :key 1 :value "b"}' \
  '{:process 1 :type :ok :f :put :key 1 :value "b"}' '{:process 0 :type :ok :f :append :key 1 :value "a"}' \
  '{:process 0 :type :invoke :f :get :key 1 :value nil}' '{:process 0 :type :ok :f :get :key 1 :value "zz"}' >append.edn
run 1 "$asif" check append.edn --spec map

# An operation that returns after the violation shows is drawn as open: when it returned something else is wrong, too.
printf 'x %s\n' 'Insert(6) P1' 'Ok() P1' 'Insert(5) P0' 'Ok() P0' 'Insert(3) P0' 'Deq() P1' 'Ok() P0' 'Deq() P0' 'Ok(6) P1' 'Ok(5) P0' \
  'Deq() P1' 'Ok(6) P1' 'Deq() P0' 'Empty() P0' >later
run 1 "$asif" check later --spec priority-queue --svg later.svg; says '|--Deq() -> 5...'; says 'line 8  P0  Deq() -> 5 (returned later)'
