#!/bin/bash
# Operations of a process that end when its next one begins: they happened one after the other, in every format and in what is
# written about them.
. tests/cli/common
has check || exit 77

# same STATUS SPEC: the history in h.pcolumns has this verdict, whatever it is written as, and its evidence stands.
same() {
  run "$1" "$asif" check h.pcolumns --spec "$2"
  run "$1" "$asif" check h.pcolumns --spec "$2" --evidence e
  run 0 "$asif" replay e
  for to in txt edn json hist asif pcolumns; do
    run 0 "$asif" convert h.pcolumns "out.$to"
    run "$1" "$asif" check "out.$to" --spec "$2"
    run 0 "$asif" convert "out.$to" again.pcolumns
    run "$1" "$asif" check again.pcolumns --spec "$2"
  done
  grep -v '^#' h.pcolumns | sort >mine
  sort out.pcolumns | cmp -s - mine || fail "written otherwise: $(cat out.pcolumns)"
}
printf '%s\n' '0 1 5 acquire' '0 5 8 release' >h.pcolumns; same 0 lock
printf '%s\n' '0 1 5 release' '0 5 8 acquire' >h.pcolumns; same 1 lock
printf '%s\n' '0 5 8 release' '0 5 5 tryacquire -> true' '0 1 5 release' '0 0 1 acquire' >h.pcolumns; same 0 lock
printf '%s\n' 'me 1 5 acquire' 'me 5 8 release' 'you 9 10 acquire' 'me 11 12 release' >h.pcolumns; same 1 lock
printf '%s\n' '0 2 4 enq 5' '0 4 6 enq 6' '0 9 10 enq 7' '1 20 21 deq 5' '1 22 23 deq 7' '1 24 25 deq 6' >h.pcolumns; same 1 producer-fifo
# Another process still overlaps both.
printf '%s\n' '0 1 5 enq 1' '0 5 8 enq 2' '1 5 9 deq 2' '1 9 10 deq 1' '2 0 5 deq empty' >h.pcolumns; same 1 queue
printf '%s\n' '0 1 5 write 1' '0 5 8 write 2' '1 5 9 read 1' '2 0 5 read 2' >h.pcolumns; same 0 register
printf '%s\n' '0 1 5 write 1' '0 5 8 write 2' '1 8 9 read 1' '2 0 1 read 2' >h.pcolumns; same 1 register
# In columns, where there are no processes, the order shows in the times.
printf '%s\n' '0 1 5 enq 1' '0 5 8 enq 2' '1 10 11 deq 2' >h.pcolumns
run 1 "$asif" check h.pcolumns --spec queue
run 0 "$asif" convert h.pcolumns h.columns
run 1 "$asif" check h.columns --spec queue

# Two processes touch at one moment: what each did is in order, and overlaps what the other did.
printf '%s\n' '0 1 5 write 1' '0 5 8 read 2' '1 1 5 read 1' '1 5 8 write 2' >tied.pcolumns
run 0 "$asif" check tied.pcolumns --spec register
printf '%s\n' '0 1 5 deq 1' '0 5 8 enq 2' '1 1 5 enq 3' '1 5 8 enq 1' '2 9 10 deq 3' >tied.pcolumns
run 1 "$asif" check tied.pcolumns --spec queue
printf '%s\n' '0 1 5 deq 1' '0 5 8 enq 2' '1 1 5 enq 0' '1 5 8 enq 1' '2 1 9 deq 0' >tied.pcolumns
run 0 "$asif" check tied.pcolumns --spec queue
run 0 "$asif" check tied.pcolumns --spec queue --evidence e
run 0 "$asif" replay e
run 0 "$asif" check --approx 2 tied.pcolumns --spec queue
run 0 "$asif" convert tied.pcolumns out.pcolumns
sort tied.pcolumns >mine
sort out.pcolumns | cmp -s - mine || fail "a tied history is written otherwise: $(cat out.pcolumns)"
for to in txt edn json hist asif columns; do
  run 2 "$asif" convert tied.pcolumns "out.tied.$to"; warns 'no order of calls and returns says what the times say'
  [ ! -e "out.tied.$to" ] || fail "out.tied.$to was written"
done
# What truly overlaps is refused.
printf '%s\n' '0 1 5 acquire' '0 4 8 release' >h.pcolumns
run 2 "$asif" check h.pcolumns --spec lock; warns 'h.pcolumns:2:1: process 0 calls while its earlier call, on line 1, has not returned'
