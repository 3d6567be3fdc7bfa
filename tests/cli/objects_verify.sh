#!/bin/bash
# objects/ by complete search: those that are right are linearizable, and each mistake is found.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/objects" || exit 1

# verdict STATUS FILE ARGUMENT...
verdict() {
  status=$1 file=$2
  shift 2
  set -- "$file" --quiet --time-limit 300 "$@"
  grep -q '^ASIF_SPEC' "$file" || grep -q '"counter.c"' "$file" && set -- "$@" --spec "$file"
  "$asif" verify "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  got=$?
  [ $got = $status ] || fail "asif verify $* ended with $got, not $status: $(cat "$scratch/out" "$scratch/err")"
}

for f in *.c; do
  case $f in
  buggy_queue.c) verdict 1 $f -n 3 ;;
  treiber_stack_free.c) verdict 1 $f -n 2 -o 2 ;;
  snzi.c) verdict 0 $f -n 2 -o 2 ;;
  pool_queue.c) verdict 0 $f -n 2 -o 2 ;;
  mailbox.c) verdict 0 $f -o 3 ;;
  *) verdict 0 $f -n 2 -o 3 && verdict 0 $f -n 3 ;;
  esac
  case $f in *_points.c) verdict 0 $f -n 2 -o 2 --points ;; esac
done
for f in counter dcas_stack elimination_stack lock_coupling_set ms_queue_unlinked register treiber_stack two_lock_queue; do
  verdict 0 $f.c -n 2 -o forever
done
verdict 1 buggy_queue.c -n 2 -o 3

verdict 1 bugs/b1_head.c -n 3
verdict 1 bugs/b1_tail.c -n 2 -o 2
verdict 1 bugs/b2_treiber.c -n 2 -o 3
verdict 1 bugs/b2_elimination.c -n 2 -o 3
verdict 1 bugs/b3_push.c -n 2 -o 3
verdict 1 bugs/b3_pop.c -n 3
verdict 1 bugs/b4.c -n 3 -o 2
verdict 1 bugs/b5.c -n 3 -o 2
verdict 1 bugs/b6.c -n 3
verdict 1 bugs/b7.c -n 3
verdict 1 bugs/wg_deq.c -n 3

# The library, against the table in README.md, which has a row for every harness. The larger searches only with ASIF_LONG.
sed -n 's/^| \[\([a-z_]*\)\](harness\/\([a-z_]*\)\.c) | \(linearizable\|not run\) | \(linearizable\|not run\) |$/\1 \2 \3:\4/p' README.md >"$scratch/rows"
[ "$(cut -d' ' -f2 "$scratch/rows")" = "$(cd harness && ls -- *.c | sed 's/\.c$//' | LC_ALL=C sort)" ] || fail 'the table of verify in README.md does not have every harness'
while read -r name harness verdicts; do
  [ "$name" = "$harness" ] || fail "README.md links $name to $harness"
  case $verdicts in linearizable:*) verdict 0 "harness/$harness.c" -n 2 -o 1 ;; esac
  case $harness in *_set | multiset) [ -n "${ASIF_LONG:-}" ] || continue ;; esac
  case $verdicts in *:linearizable) verdict 0 "harness/$harness.c" -n 2 -o 2 ;; esac
done <"$scratch/rows"
# Mistakes in it, which a complete search finds as well.
for f in treiber_free treiber_late spsc_full k_fifo_uncommitted; do verdict 1 harness/bugs/$f.c -n 2 -o 2; done
exit 0
