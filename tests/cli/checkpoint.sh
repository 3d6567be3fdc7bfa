#!/bin/bash
# Checkpoints: a search that is stopped and goes on finds what one does that was never stopped.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
objects=$root/objects

# "states moves" of the verdict line
counts() { sed -n 's/^verdict: [^(]*(.*, \([0-9]*\) states.*, \([0-9]*\) moves,.*/\1 \2/p' out; }

# stopped JOBS FILE ARGUMENT...: by and by, each time with a greater limit. JOBS 1: as many pairs as when not stopped; 2: by one
# worker and by two in turn; 2=: and as many pairs, since the order they are met in does not matter.
stopped() {
  jobs=${1%=} same=$1 file=$objects/$2
  shift 2
  "$asif" verify "$file" -q -j 1 "$@" >out 2>err
  want=$? wanted=$(counts) word=$(cut -d' ' -f1-3 out)
  [ $want -le 1 ] || fail "$file $* ended with $want: $(cat out err)"
  rm -f c
  limit=200 resume=--checkpoint stops=0
  while :; do
    "$asif" verify "$file" -q -j $((stops % jobs + 1)) "$resume" c --states-limit $limit "$@" >out 2>err
    got=$?
    [ $got = 3 ] || break
    [ -s c ] || fail "$file $*: no checkpoint at $limit states"
    resume=--resume stops=$((stops + 1)) limit=$((limit * 5 / 2))
    [ $stops -lt 60 ] || fail "$file $* does not come to an end"
  done
  [ $stops -gt 0 ] || fail "$file $* was never stopped"
  [ $got = $want ] || fail "$file $* after $stops stops: $got, not $want: $(cat out err)"
  [ "$(cut -d' ' -f1-3 out)" = "$word" ] || fail "$file $* after $stops stops: $(cat out), not $word"
  [ $want = 1 ] || [ $same = 2 ] || [ "$(counts)" = "$wanted" ] || fail "$file $* after $stops stops: $(counts), not $wanted"
}

stopped 1 ms_queue.c -n 3 -o 2
stopped 2 ms_queue.c -n 3 -o 2
stopped 1 ms_queue.c -n 3 -o 2 --search depth
stopped 2= ms_queue.c -n 3 -r none
stopped 2= ms_queue.c -n 3 -r sym --search depth
stopped 1 treiber_stack.c -n 3 -r both
stopped 2 elimination_stack.c -n 2 -o forever
stopped 1 treiber_stack.c -n 2 -o 3 --against $objects/treiber_stack.c
stopped 2= treiber_stack.c -n 2 -o 2 -r sym --against $objects/treiber_stack.c
stopped 2 counter.c -n 4 -o 3
stopped 2= two_lock_queue.c -n 2 -o 3 -r sym --spec self
stopped 2 bugs/b4.c -n 3 -o 2
stopped 2 bugs/b5.c -n 3 -o 2 --search depth

# Ctrl-C leaves one, and so does memory that is used up: in a search that no machine ends before the signal arrives.
endless="$objects/ms_queue.c -n 4 -o 4"
"$asif" verify $endless --checkpoint i >out 2>err &
pid=$!
listens $pid
kill -INT $pid
wait $pid
[ $? = 3 ] || fail "Ctrl-C: $(cat out err)"
grep -q 'verdict: unknown' out || fail "$(cat out)"
[ ! -s i ] || grep -q -- '--resume i goes on' err || fail "Ctrl-C says nothing of the checkpoint: $(cat err)"
long="$objects/ms_queue.c -n 3 -o 3"
run 3 "$asif" verify $long --checkpoint c --states-limit 20k; warns '--resume c goes on'
run 3 "$asif" verify $long --checkpoint m --memory-limit 20M; warns '--resume m goes on'
run 3 "$asif" verify $long --resume m --states-limit 1; says 'the limit of states was reached'
run 3 "$asif" verify $long --resume m --memory-limit 3M; says 'memory limit'

# Nothing else goes on from it.
run 2 "$asif" verify $long --resume missing; warns 'cannot read missing'
run 2 "$asif" verify $long --resume out; warns 'no checkpoint'
run 2 "$asif" verify $objects/ms_queue.c -n 2 -o 3 --resume c; warns 'is of another search'; warns '--threads 3 --ops 3'
run 2 "$asif" verify $long --resume c -- -DVALUES=1; warns 'is of another search'
cp $objects/ms_queue.c mine.c
run 3 "$asif" verify mine.c -n 3 -o 3 --checkpoint d --states-limit 1k
echo '/* changed */' >>mine.c
run 2 "$asif" verify mine.c -n 3 -o 3 --resume d; warns 'the source was different'
head -c 5000 c >half
run 2 "$asif" verify $long --resume half; warns 'damaged'
(cat c; echo) >more
run 2 "$asif" verify $long --resume more; warns 'damaged'

# What cannot be written is said, and what was there before stays.
mkdir folder
run 3 "$asif" verify $long --checkpoint folder --states-limit 1k; warns 'cannot write folder'; says 'verdict: unknown'
run 3 "$asif" verify $long --checkpoint nowhere/c --states-limit 1k; warns 'cannot write nowhere/c'
cp c before
(trap '' XFSZ; ulimit -f 256; "$asif" verify $long --resume c --states-limit 50k >out 2>err) || true
grep -q 'cannot write c' err || fail "a full disk: $(cat err)"
cmp -s c before || fail 'a checkpoint was lost'
ls | grep -q '^c\.......$' && fail 'a temporary file is left'
exit 0
