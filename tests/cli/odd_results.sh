#!/bin/bash
# Results of a kind that an operation never has (true, full, nil, a text, a number): refused by name, or decided; never
# an internal error, with or without --approx, whatever stands beside them.
. tests/cli/common
has check || exit 77
printf 'x deq() B\nx deq() C\nx Ok(true) C\nx Ok(false) B\n' >two
for spec in queue stack deque priority-queue max-priority-queue semiqueue k-fifo bounded-queue weak-queue; do
  run 1 "$asif" check two --spec $spec --evidence e; says 'true was'
  run 0 "$asif" replay e
  run 1 "$asif" check two --spec $spec --approx 2
done

# One file for each specification: an operation with an odd result, and others around it, one history an object.
cat >specs <<'END'
queue enq(%) deq()
stack push(%) pop()
deque push-front(%) push-back(%) pop-front() pop-back()
priority-queue insert(%) deq()
bounded-priority-queue insert(%) deq()
semiqueue enq(%) deq()
bounded-queue enq(%) deq()
stuttering-queue enq(%) deq()
weak-stack push(%) pop()
producer-fifo enq(%) deq()
register write(%) read()
cas-register write(%) read() cas(%,%)
map put(k,%) get(k) cas(k,%,%) delete(k)
set add(%) remove(%) contains(%)
multiset add(%) remove(%) count(%)
counter inc() read() fetch-add(%)
lock acquire() release() try()
rw-lock read-lock() write-lock() try-read() unlock()
semaphore acquire() release() try()
snzi arrive() depart() query()
mailbox deliver() check() remove()
END
awk -v count="${ASIF_ODD:-20}" 'BEGIN { srand(7); kinds = split("true false full empty nil ok 1 2 \"text\" [1] -", kind, " ") }
function ret(k) { print "x Ok(" (r[k] == "-" ? "" : r[k]) ") P" k > file; r[k] = "" }
{
  for (t = 1; t <= count; t++) {
    file = $1 "." t
    m = 1 + int(rand() * 4)
    for (k = 1; k <= m; k++) {
      o = $(2 + int(rand() * (NF - 1)))
      while (o ~ /%/) sub(/%/, 1 + int(rand() * 2), o)
      print "x " o " P" k > file
      r[k] = kind[1 + int(rand() * kinds)]
      if (rand() < 0.5) ret(k)
    }
    for (k = m; k >= 1; k--) if (r[k] != "" && rand() < 0.8) ret(k)
    close(file)
  }
}' specs
tried=0 decided=0
for f in *.[0-9]*; do
  spec=${f%.*}
  for way in '' '--approx 2'; do
    "$asif" check "$f" --spec $spec $way --quiet >out 2>err
    got=$?
    [ $got -le 3 ] || fail "$spec $way: status $got: $(cat "$f" err)"
  done
  tried=$((tried + 1))
  [ $got = 2 ] || decided=$((decided + 1))
done
[ $decided -ge $((tried / 4)) ] && [ $tried -ge 100 ] || fail "only $decided of $tried histories were decided"
exit 0
