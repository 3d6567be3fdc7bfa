#!/bin/bash
# Several histories at once: each has its answer, in every form that is asked for, and the gravest decides the status.
. tests/cli/common
has check || exit 77
check() { "$asif" check --spec queue "$@"; }
printf 'q enq(1) A\nq Ok() A\nq deq() A\nq Ok(1) A\n' >good.txt
printf 'q enq(1) A\nq Ok() A\nq deq() A\nq Ok(2) A\n' >bad.txt
printf 'q nonsense\n' >broken.txt
"$asif" gen queue -n 20k -t 40 --values 3 --size 300 -o hard.txt
hard() { check --memory-limit 3M "$@"; } # unknown, whatever the machine
run 3 hard hard.txt --quiet; says 'verdict: unknown ('; says ' s): '; says 'memory limit'

# The status: violated, internal error, bad input, unknown, holds; the order of the files does not matter.
for order in 'good.txt bad.txt' 'bad.txt good.txt' 'bad.txt broken.txt' 'broken.txt bad.txt' 'bad.txt hard.txt' 'hard.txt bad.txt' \
  'good.txt broken.txt hard.txt bad.txt' 'missing bad.txt good.txt'; do
  run 1 hard -q $order
done
for order in 'good.txt broken.txt' 'broken.txt hard.txt' 'hard.txt missing good.txt'; do run 2 hard -q $order; done
for order in 'good.txt hard.txt' 'hard.txt good.txt'; do run 3 hard -q $order; done
run 0 check -q good.txt good.txt
run 1 check --approx 2 bad.txt broken.txt good.txt -q
run 1 check --approx 2 broken.txt bad.txt -q

# JUnit: a test case a history, those without a verdict too.
run 1 hard bad.txt good.txt broken.txt hard.txt missing -q --junit all.xml
[ "$(grep -c '<testcase ' all.xml)" = 5 ] || fail "not five cases: $(cat all.xml)"
grep -q 'tests="5" failures="1" errors="3"' all.xml || fail "the sum: $(sed -n 3p all.xml)"
for name in bad.txt good.txt broken.txt hard.txt missing; do grep -q "name=\"$name" all.xml || fail "no case for $name"; done
grep -q '<failure type="not linearizable" message="2 ' all.xml || fail "$(grep '<failure' all.xml)"
grep -q '<error type="bad input" message="broken.txt:1' all.xml || fail "$(grep '<error' all.xml)"
grep -q '<error type="unknown" message="[^"]*memory limit' all.xml || fail "$(grep '<error' all.xml)"
if command -v xmllint >/dev/null; then xmllint --noout all.xml || fail 'no XML'; fi
run 1 check --approx 2 bad.txt good.txt broken.txt -q --junit all.xml
grep -q 'tests="3" failures="1" errors="1"' all.xml || fail "approx: $(sed -n 3p all.xml)"
# An old green report does not survive a history that cannot be read.
run 0 check good.txt -q --junit one.xml
grep -q 'verdict: linearizable (2 operations' one.xml || fail 'the case does not say what the text says'
run 2 check broken.txt -q --junit one.xml
grep -q 'tests="1" failures="0" errors="1"' one.xml || fail "$(cat one.xml)"

# The others: a file a history.
mkdir files
run 1 check good.txt bad.txt -q --html files/page.html --svg files/picture --evidence files/why.txt.zst --witness files/order.edn
for f in page-1.html page-2.html picture-1 picture-2 order-1.edn; do [ -s files/$f ] || fail "no $f: $(ls files)"; done
[ ! -e files/page.html ] && [ ! -e files/order-2.edn ] || fail "too much: $(ls files)"
run 0 "$asif" replay files/why-1.txt.zst files/why-2.txt.zst
run 1 check --approx 1 good.txt bad.txt --evidence files/seen.txt; says 'evidence: files/seen-2.txt'
run 0 check good.txt -q --html files/page.html
[ -s files/page.html ] || fail 'one history: the file itself'
for o in html svg evidence witness; do
  run 2 check good.txt bad.txt -q --$o -; warns "--$o - holds the answer of one input, and there are 2"; warns NAME-1.x
done
run 1 check good.txt bad.txt --json
[ "$(printf '%s\n' "$out" | grep -c '^{"schema":"asif-1"')" = 2 ] || fail 'a line each'
says '"file":"good.txt"'; says '"file":"bad.txt"'
# What the text shows beside the core is in the JSON.
printf 'q Enq(5) A\nq Ok() A\nq Deq() B\nq Ok(5) B\nq Deq() A\nq Ok(5) A\n' >twice.txt
run 1 check twice.txt; says 'line 1  A  Enq(5)  (same value'
run 1 check twice.txt --json; says '"context":[{"operation":0,"process":"A"'

# A file that cannot be written takes nothing away: the verdict is there, and a violation is one.
run 1 check bad.txt --evidence no/such/folder; says 'verdict: not linearizable'; warns no/such/folder
run 2 check good.txt --witness no/such/folder; says 'verdict: linearizable'; warns no/such/folder
run 1 check bad.txt --html no/such/folder --junit no/such/file; says 'verdict: not linearizable'
run 1 check --approx 1 bad.txt --evidence no/such/folder; says 'verdict: not linearizable'

# replay has the same rank.
run 1 check bad.txt -q --evidence why.txt
sed 's/Ok(2)/Ok(1)/' why.txt >refuted.txt
run 1 "$asif" replay refuted.txt
"$asif" replay why.txt --time-limit 0.000001 >/dev/null 2>&1
for order in 'why.txt refuted.txt' 'refuted.txt why.txt' 'missing refuted.txt' 'refuted.txt missing'; do run 1 "$asif" replay $order; done
run 2 "$asif" replay why.txt missing
exit 0
