#!/bin/bash
# What real logs look like: events out of order, processes with names, calls that know their result, LiMo's values.
. tests/cli/common
has check || exit 77
check() { "$asif" check "$@"; }

# event PROCESS TYPE F VALUE [TIME]: a line of JSON.
event() { printf '{"process":%s,"type":"%s","f":"%s","value":%s%s}\n' "$1" "$2" "$3" "$4" "${5:+,\"time\":$5}"; }

# What the object held before; the history of a folder.
printf 'm get(x) A\nm Ok(1) A\nm put(x, 2) A\nm Ok() A\n' >restarted.txt
run 1 check restarted.txt --spec map
printf '# was\nx 1\n"a key" = "b c" # and\n\n' >contents
run 0 check restarted.txt --spec map --initial contents --evidence evidence; says 'map, 4 operations'
run 0 "$asif" replay evidence
printf 'x 2\n' >contents
run 1 check restarted.txt --spec map --initial contents; says '1 was never written'
printf 'x\n' >contents; run 2 check restarted.txt --spec map --initial contents; warns 'contents:1:2: a key and its content should stand here: x 1'
printf 'x 1 2\n' >contents; run 2 check restarted.txt --spec map --initial contents; warns "contents:1:5: '2' behind the content"
run 2 check restarted.txt --spec map --initial missing; warns 'missing: cannot be opened'
run 2 check restarted.txt --spec lock --initial contents; warns 'nothing can be put into a lock'
printf '1\n2\n' >contents
printf '# queue\ndeq 1 10 20\ndeq 2 30 40\n' >queue.columns; run 0 check queue.columns --initial contents
printf '# queue\ndeq 2 10 20\ndeq 1 30 40\n' >queue.columns; run 1 check queue.columns --initial contents
printf '# set\ncontains 1 -> true 10 20\nadd 2 -> true 30 40\n' >set.columns
run 1 check set.columns --initial contents
mkdir -p store/empty
event 0 invoke write 1 >store/history.json
run 0 check store --spec register; says 'store/history.json: register, 1 operation'
run 2 check store/empty; warns 'store/empty: cannot be read: Is a directory'

# The logs of two clients, one after the other: by their times they are linearizable, by their lines they are not.
{
  event 0 invoke write 1 100; event 0 ok write 1 120; event 0 invoke write 2 150; event 0 ok write 2 160
  event 1 invoke read null 130; event 1 ok read 1 140
} >clients.json
sed 's/,"time":[0-9]*//' clients.json >untimed.json
sort -t: -k6 -n clients.json >sorted.json
run 0 check clients.json; says 'note: 2 events stand after one with a later time: all events were put in the order of their times'
run 0 check clients.json --json; says '"late":2'; says '"notes":["2 events stand after one with a later time'
run 1 check untimed.json
run 0 check sorted.json; case $out in *'later time'*) fail 'a note without a cause' ;; esac
run 0 sh -c "cat clients.json | '$asif' check -"
for z in gzip zstd; do
  command -v $z >/dev/null || continue
  $z -c <clients.json >clients.z
  run 0 check clients.z
done
# A stream cannot be sorted: it goes on as long as it is in order, and is refused where it is not.
{ event 0 invoke enq 1 5; event 0 ok enq 1 7; event 1 invoke deq null 8; event 1 ok deq 1 9; } >queue.json
run 0 check --approx 2 queue.json
event 2 invoke enq 3 6 >>queue.json
run 2 check --approx 2 queue.json; warns 'queue.json:5:1: by its time this event is before the one on line 4'; warns 'asif convert'
run 0 "$asif" convert queue.json ordered.json; warns 'note: queue.json: events are not in the order of their times (1 stand'
run 0 "$asif" convert ordered.json again.json; silent
cmp -s ordered.json again.json || fail 'what is in order was written otherwise'
run 0 check --approx 2 ordered.json
# Where the times do not tell an order, there is none.
{ head -3 clients.json; sed -n 4p untimed.json; } >some.json
run 2 check some.json; warns 'some.json:4:1: this event has no time, and the one on line 3 has one'
{ cat clients.json; event 1 invoke write 3 125; } >back.json
run 2 check back.json; warns 'back.json:7:1: this event is before the one of the same process on line 6'
# The culprit and its line are those of the order in time.
{
  event 0 invoke write 1 100; event 0 ok write 1 120; event 0 invoke write 2 150; event 0 ok write 2 160
  event 1 invoke read null 170; event 1 ok read 1 180
} >wrong.json
run 1 check wrong.json --evidence why.txt --html page.html; says 'line 5  1  Read() -> 1  <-- impossible'
run 0 "$asif" replay why.txt

# Processes with names are processes, and are called by their names.
{
  event 0 invoke write 1; event 0 ok write 1; event '"w2"' invoke write 9; event '"w2"' ok write 9
  event 1 invoke read null; event 1 ok read 9; event '"nemesis"' info kill null
} >named.json
run 0 check named.json; says ' w2 '; says '1 event of foreign processes was skipped'
{ event '"client-1"' invoke set '["x",1]'; event '"client-1"' ok set '["x",1]'
  event '"client-2"' invoke get '["x",null]'; event '"client-2"' ok get '["x",null]'; } >store.json
run 1 check store.json --spec map; says client-1; says client-2
run 1 check store.json
run 1 check store.json --json; says '"process":"client-2"'

# knossos completes histories: the call of a read has the value that it will return.
{ event 0 invoke write 1; event 0 ok write 1; event 1 invoke read 1; event 1 ok read 1; event 2 invoke read 7; } >completed.json
run 0 check completed.json; says 'Read() -> 1'
run 0 check completed.json --spec cas-register
sed 's/"ok","f":"read","value":1/"ok","f":"read","value":2/' completed.json >other.json
run 2 check other.json; warns 'other.json:3: read is called with its result, 1 and returns 2'
{ event 0 invoke enqueue 1; event 0 ok enqueue 1; event 1 invoke dequeue 1; event 1 ok dequeue 1; } >completed.json
run 0 check completed.json
run 0 check --approx 2 completed.json --spec queue
{ event 0 invoke write '["k",1]'; event 0 ok write '["k",1]'; event 1 invoke read '["k",1]'; event 1 ok read '["k",1]'; } >completed.json
run 0 check completed.json --spec map; says 'Get(k) -> 1'
sed -i 's/"read","value":\["k",1\]/"read","value":["k",2]/' completed.json
run 1 check completed.json --spec map; says 'Get(k) -> 2'
{ event 0 invoke inc 1; event 0 ok inc 1; event 1 invoke read 1; event 1 ok read 1; } >completed.json
run 0 check completed.json --spec counter

# A value of LiMo's is one value.
printf '%s\n' '# @object atomic-stack' '[0] call push(?<0,0>)' '[0] return' '[1] call push(?<1,0>)' '[1] return' \
  '[0] call pop(?<1,0>)' '[0] return' '[0] call pop(?<0,0>)' '[0] return' >limo.hist
run 0 check limo.hist; says 'Pop() -> "?<1,0>"'
sed -i 's/pop(?<1,0>)/pop(?<0,0>)/' limo.hist
run 1 check limo.hist; says '?<0,0>'

# Columns whose first line has an arrow, or more values, are no process-columns: what is written is read again.
printf '%s\n' 'enq 3 -> full 0 7' 'enq 1 1 3' >arrow.columns
run 0 check arrow.columns --spec 'weak-bounded-queue(1)'; says 'Enq(3) -> full'
printf '%s\n' '0 1 inf enq 3' '1 2 - deq' >ends.pcolumns
run 0 check ends.pcolumns --spec queue; says '2 operations of 2 processes'

# Columns do not say who releases a lock.
printf '%s\n' 'try -> true 0 2' 'acquire 1 5' 'release 3 4' 'release -> ? 6 11' >lock.columns
run 2 check lock.columns --spec lock; warns 'lock.columns:1: what a lock does depends on the process, and columns do not name it'
printf '%s\n' 'acquire 0 2' 'release 3 4' >semaphore.columns
run 0 check semaphore.columns --spec 'semaphore(1)'

# Numbers that are no integers are texts, and would be ordered as such: 10.5 before 9.5, and 2 before either.
for v in 1.5 -0.25 1e-3 12345678901234567890; do
  { event 0 invoke insert $v; event 0 ok insert $v; event 0 invoke deq null; event 0 ok deq $v; } >ordered.json
  run 2 check ordered.json --spec priority-queue; warns 'ordered.json:1: priority-queue orders integers of 64 bits and texts'
  run 0 check ordered.json --spec queue
done
for v in 2.0 '"2024-05-01"' '"10"' '"1.2.3"' '"00000000000000000001"' 123456789012345678; do
  { event 0 invoke insert $v; event 0 ok insert $v; event 0 invoke deq null; event 0 ok deq $v; } >ordered.json
  run 0 check ordered.json --spec priority-queue
done
{ event 0 invoke put '[1.5,1]'; event 0 ok put '[1.5,1]'; } >ordered.json
run 2 check ordered.json --spec ordered-map; warns '1.5 would be a text'
sed -i 's/1.5,1/1,1.5/' ordered.json
run 0 check ordered.json --spec ordered-map

# In EDN what begins with # need not be a comment: tags of any case, and maps whose keys have a namespace.
for op in '#Op{%s}' '#op{%s}' '#Op {%s}' '#jepsen.history.Op{%s}' '#:op{%s}' '#::op{%s}' '{%s}'; do
  { printf "$op\n" ':type :invoke, :f :deq, :value nil, :process 1'; printf "$op\n" ':type :ok, :f :deq, :value 7, :process 1'; } >tagged.edn
  run 1 "$asif" check tagged.edn --spec queue; says 'Deq() -> 7'
  { printf '['; cat tagged.edn; printf ']'; } >vector.edn
  run 1 "$asif" check vector.edn --spec queue
  sed 's/:\([a-z]* \)/:op\/\1/g; s/:op\/\(invoke\|ok\|deq\)/:\1/g' tagged.edn >keys.edn
  sed -i 's/:type :op/:type :/' keys.edn
  run 1 "$asif" check keys.edn --spec queue
  run 1 sh -c "cat tagged.edn | '$asif' check --approx 2 - --spec queue"
done

# A file without an event is refused, whatever its comments.
for text in '# a comment\n' '\n\n' '# @object queue\n' '# a\n\n# b\n'; do
  printf "$text" >nothing
  run 2 check nothing --spec queue
  run 2 check --approx 2 nothing --spec queue
  for format in wing-gong hist columns process-columns jepsen-log; do
    run 2 check nothing --spec queue --format $format; warns 'nothing: has no event; it holds no history'
    run 2 "$asif" convert nothing --from $format; warns 'nothing: has no event; it holds no history'
  done
done
printf '; a comment\n#_ {:f 5}\n' >nothing
run 2 check nothing --spec queue --format edn; warns 'nothing: has no event; it holds no history'
printf '/* a comment\n over lines */\n* and one\n' >nothing
run 2 check nothing --spec queue; warns 'nothing: has no event; it holds no history'
for text in '[]' '()' '; none\n[]'; do
  printf "$text" >nothing.edn
  run 0 check nothing.edn --spec queue --format edn --evidence e
  run 0 "$asif" replay e
done
# But an operation of which nobody knows what came is one.
printf 'x deq() P0\nx Info() P0\n' >info
run 0 check info --spec queue
run 0 check --approx 2 info --spec queue
printf 'x deq() P0\n' >info
run 0 check --approx 2 info --spec queue
