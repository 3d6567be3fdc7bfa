#!/bin/bash
# Input that is no history: status 2 and a message with the place, never a verdict.
. tests/cli/common
has check || exit 77

run 2 "$asif" check missing; warns missing; warns 'No such file'
mkdir dir
run 2 "$asif" check dir; warns dir
: >empty
run 2 "$asif" check empty --spec queue; warns empty
head -c 20000 /dev/urandom >garbage
run 2 "$asif" check garbage --spec queue; warns garbage
printf 'q enq(1) A\nq frobnicate(1) A\n' >wrong
run 2 "$asif" check wrong --spec queue; warns 'wrong:2'
printf 'q Ok() A\n' >wrong
run 2 "$asif" check wrong --spec queue --format wing-gong; warns 'wrong:1'
printf '\x1f\x8b\x08nonsense' >broken.gz
run 2 "$asif" check broken.gz --spec queue; warns broken.gz
if "$asif" gen queue -n 5000 -o q.gz 2>said; then
  head -c 2000 q.gz >cut.gz
  run 2 "$asif" check cut.gz --spec queue; warns cut.gz
else
  echo "skipped: a file that gzip made, cut short: $(cat said)"
fi
"$asif" gen queue -n 50 -o closed.txt || fail gen
chmod 000 closed.txt
if [ "$(id -u)" = 0 ]; then # who may read every file: one that cannot be read
  run 2 "$asif" check /proc/self/mem --spec queue; warns /proc/self/mem
else
  run 2 "$asif" check closed.txt --spec queue; warns 'ermission'
fi

# Every way of reading the same history gives the same verdict.
for bad in '' '--bad reorder'; do
  want=0
  [ -z "$bad" ] || want=1
  "$asif" gen queue -n 60 -t 3 $bad -o h.txt || fail gen
  run $want "$asif" check h.txt --spec queue
  run $want sh -c "'$asif' check - --spec queue <h.txt"
  run $want sh -c "cat h.txt | '$asif' check - --spec queue"
  for f in edn json hist columns process-columns recording; do
    "$asif" gen queue -n 60 -t 3 $bad -f $f -o h.$f || fail "gen $f"
    run $want "$asif" check h.$f --spec queue
  done
  for z in gzip zstd; do
    command -v $z >/dev/null || { echo "skipped: there is no $z"; continue; }
    $z -c <h.txt >h.z
    run $want "$asif" check h.z --spec queue
  done
done
exit 0
