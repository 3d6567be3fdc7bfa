#!/bin/bash
# tests/soak.sh ASIF SECONDS: runs the objects that are right for so long in all, each in five ways: every schedule, those
# with few delays, random schedules by priorities and by chance, and real threads. A finding is a false alarm: it is printed, and the status is 1.
asif=$(realpath "$1") seconds=$2
cd "$(dirname "$0")/.." || exit 2
export ASIF_INCLUDE=$PWD/include
files=$(ls objects/*.c objects/harness/*.c | grep -v -e buggy_queue -e treiber_stack_free)
each=$((seconds / 7 / $(wc -w <<<"$files")))
[ $each -gt 0 ] || each=1
alarms=0 runs=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

# way FILE SECONDS OPTION...
way() {
  file=$1 limit=$2
  shift 2
  timeout -k 5 $((limit + 60)) "$asif" test "$file" --time-limit "$limit" "$@" >"$out" 2>&1 </dev/null
  status=$?
  runs=$((runs + 1))
  printf '%-40s %-28s %s\n' "$file" "$*" "$(tail -1 "$out" | cut -c1-150)"
  [ $status = 0 ] || [ $status = 3 ] && return
  alarms=$((alarms + 1))
  cat "$out"
}

for f in $files; do
  case $f in # what its contract allows
  */spsc_ring.c) size='-n 2 -o 3' ;;
  */mailbox.c) size='-n 2 -o 3' ;;
  *herlihy_wing_queue* | *set*.c | *tree.c) size='-n 3 -o 2' ;;
  *) size='-n 3 -o 3' ;;
  esac
  way "$f" $((2 * each))
  way "$f" "$each" --bound 3 $size
  way "$f" $((2 * each)) --random pct:3 $size
  way "$f" "$each" --random uniform $size
  way "$f" "$each" --stress ${size%-o*} --ops 2
done
echo "$runs runs, $alarms false alarms"
[ $alarms = 0 ]
