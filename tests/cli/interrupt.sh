#!/bin/bash
# Ctrl-C and limits: a long run ends soon, with `unknown` and status 3.
. tests/cli/common
has check || exit 77

# Hard for any search: many threads, repeated values, and nothing to split by.
"$asif" gen bounded-queue'(50)' -n 20k -t 40 --values 3 -o hard || fail gen

# busy PID: waits until it has worked for as long as takes it far beyond reading; in its own time, however busy the machine is.
busy() {
  second=$(getconf CLK_TCK)
  while kill -0 "$1" 2>/dev/null; do
    read -r line <"/proc/$1/stat" || return 0
    set -- "$1" ${line##*) }
    [ "${13}" -lt $second ] || return 0
    sleep 0.05
  done
}
end_with() { # SIGNAL
  "$asif" check hard --spec 'bounded-queue(50)' >out 2>err &
  pid=$!
  listens $pid; busy $pid
  kill -0 $pid 2>/dev/null || { wait $pid; [ $? -ne 3 ] && { echo "decided too soon to be interrupted"; exit 77; }; }
  kill -"$1" $pid
  begin=$(date +%s)
  wait $pid
  status=$?
  [ $(($(date +%s) - begin)) -le 10 ] || fail "took more than 10 s to end"
  [ $status = 3 ] || fail "SIG$1 ended with $status: $(cat out err)"
  [ "$(tail -1 out | cut -c1-16)" = 'verdict: unknown' ] || fail "the last line is $(tail -1 out)"
}
end_with INT
end_with TERM

begin=$(date +%s)
run 3 "$asif" check hard --spec 'bounded-queue(50)' --time-limit 1; says 'verdict: unknown'; says time
[ $(($(date +%s) - begin)) -le 10 ] || fail 'the time limit was passed by far'
run 3 "$asif" check hard --spec 'bounded-queue(50)' --memory-limit 20M --time-limit 300; says 'verdict: unknown'
"$asif" gen queue -n 200k -o big || fail gen
run 3 "$asif" check big --memory-limit 2M; says 'verdict: unknown'; says memory
exit 0
