#!/bin/bash
# asif drive with client programs: what they answer is recorded and checked, whatever they do.
. tests/cli/common
files=$root/examples/drive/files.sh
export STORE=$scratch

# A store that is right, and one that is not.
run 0 "$asif" drive "$files" --ops get,put,cas -n 3 -k 2 -t 1 -o good.edn
says ' 0 failed, 0 unknown'
says 'note: no faults'
says 'verdict: linearizable ('
run 0 "$asif" check good.edn --spec map --quiet
export STALE=1
run 1 "$asif" drive "$files" --ops get,put -n 4 -k 1 -t 60 -o bad.edn --evidence e --html bad.html
says 'verdict: not linearizable ('
[ -s bad.html ] || fail 'no page'
run 0 "$asif" replay e
unset STALE

# Other formats; JSON.
run 0 "$asif" drive "$files" -n 2 -t 0.5 -o run.asif --json
says '"command":"drive"'
says '"command":"check"'
[ -s run.asif ] && [ ! -e run.asif.edn ] || fail 'the recording was not converted'
run 0 "$asif" check run.asif --spec map --quiet

# What is not answered, or is nonsense, or comes too late, is of unknown outcome; its process calls no more.
cat >client.sh <<'END'
#!/bin/bash
n=0
while read -r op key a b; do
  n=$((n + 1))
  case $MODE$n in
  dies5) exit 3 ;;
  killed5) kill -9 $$ ;;
  nonsense5) echo 'ok what?' ;;
  hangs5) sleep 100 ;;
  says5) [ "$op" = get ] && echo fail || echo 'info the "line" was cut' ;;
  *) [ "$op" = get ] && echo fail "I do not know" || echo ok ;;
  esac
done
END
chmod +x client.sh
for mode in dies killed nonsense hangs says; do
  MODE=$mode run 0 "$asif" drive ./client.sh -n 2 -t 1.5 --rate 200 --timeout 0.3 -o $mode.edn --seed 3
  grep -q ':type :info' $mode.edn || fail "$mode: no unknown outcome"
  awk 'match($0, /:process [0-9]+/) { p = substr($0, RSTART, RLENGTH); if (p in ended) exit 1; if (/:type :info/) ended[p] = 1 }' $mode.edn ||
    fail "$mode: a process calls after an unknown outcome"
  says 'failed: '
done
says "unknown: "
says "the 'line' was cut"
sleep 0.2
! pgrep -f 'sleep 100' >/dev/null || [ -z "$(pgrep -f "$scratch")" ] || fail 'something was left running'

# Faults: what happened meanwhile; commands that fail; both ways to write a process.
echo 'while read -r a; do [ -e off ] && echo "info it is off" || echo ok nil; done' >nil.sh
run 0 "$asif" drive 'bash nil.sh' --ops get,put -n 2 -t 2 --rate 100 -o f.edn --every 0.5 --fault 'cut: touch off / rm off'
says 'fault cut: on '
grep -q ':process :nemesis, :type :info, :f :cut, :value :on' f.edn || fail 'the fault is not recorded'
grep -q ':f :cut, :value :off' f.edn || fail 'its end is not recorded'
[ ! -e off ] || fail 'the fault is still on'
run 0 "$asif" drive "$files" -n 2 -t 2 -o f.edn --every 0.3 --fault 'none: true / true ;; broken: echo no such thing >&2; exit 7'
says 'note: no operation failed while none was on'
run 0 "$asif" drive "$files" -n 2 -t 2 -o f.edn --every 0.3 --fault 'broken: echo no such thing >&2; exit 7'
says 'could not be switched'
says 'status 7'
says 'no such thing'
sleep 100 &
victim=$!
echo $victim >pid
run 0 "$asif" drive "$files" -n 1 -t 2 -o f.edn --every 0.3 --fault "pause:@pid"
says 'fault pause: on '
case $(ps -o stat= -p $victim) in T*) fail 'it is still stopped' ;; esac
run 0 "$asif" drive "$files" -n 1 -t 2 -o f.edn --every 0.3 --fault "kill:$victim:touch restarted"
[ -e restarted ] || fail 'it was not started again'
! kill -0 $victim 2>/dev/null || fail 'it was not killed'

# Ctrl-C ends it early: faults are switched off, what was recorded is checked. kill -9 leaves a record that can be read.
"$asif" drive "$files" -n 2 -t 100 -o int.edn --every 0.3 --fault 'cut: touch off2 / rm off2' >out 2>err &
driving=$!
for _ in $(seq 200); do [ -e off2 ] && break || sleep 0.05; done
kill -INT $driving
wait $driving
got=$?
[ $got = 0 ] || fail "interrupted it ended with $got: $(cat out err)"
[ ! -e off2 ] || fail 'the fault was not switched off'
"$asif" drive "$files" -n 2 -t 100 -o ended.edn >out 2>err &
driving=$!
for _ in $(seq 200); do [ "$(grep -c ':type :ok' ended.edn 2>/dev/null)" -ge 10 ] 2>/dev/null && break || sleep 0.05; done
kill -9 $driving
wait $driving 2>/dev/null
run 0 "$asif" check ended.edn --spec map --quiet

# Nothing answers; a server's nonsense; bad words.
run 2 "$asif" drive false -n 1 -t 0.5 -o none.edn
warns 'no operation was ok'
warns 'the program ended with status 1'
run 2 "$asif" drive ./no-such-program -n 1 -t 0.3 -o none.edn
run 2 "$asif" drive redis://127.0.0.1:1 -n 1 -t 0.3 -o none.edn
warns 'Connection refused'
run 2 "$asif" drive redis://127.0.0.1 -o none.edn
warns 'HOST:PORT'
run 2 "$asif" drive mongo://127.0.0.1:1 -o none.edn
warns 'mongo is not known'
run 2 "$asif" drive redis://127.0.0.1:1 --option serializable -o none.edn
warns 'redis takes replica-reads'
run 2 "$asif" drive true --ops get -o none.edn
warns 'without put nothing happens'
run 2 "$asif" drive true --ops put,pull -o none.edn
warns 'pull is none of'
run 2 "$asif" drive true --fault nothing -o none.edn
warns 'NAME: COMMAND / COMMAND'
run 2 "$asif" drive "$files" -t 0.2 -o no/such/folder.edn
warns 'cannot be written'
[ ! -e /dev/full ] || {
  ln -s /dev/full full.edn
  run 2 "$asif" drive "$files" -n 1 -t 5 -o full.edn
  warns 'cannot be written'
}
