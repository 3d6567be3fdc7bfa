#!/bin/bash
# The library as it ships, read by verify: every object is linearizable for two threads, one operation each, and the wrong ones are
# found. Of these, blink_no_right, ms_no_check and ms_unprotected need more than a minute's search, and treiber_leak's fault is a leak.
. tests/cli/common
has verify || exit 77
count=0
for f in "$root"/objects/harness/*.c; do
  run 0 "$asif" verify "$f" -n 2 -o 1 --quiet
  count=$((count + 1))
done
[ $count -ge 25 ] || fail "only $count objects"
found() { # SIZE NAME...
  size=$1
  shift
  for name; do run 1 "$asif" verify "$root/objects/harness/bugs/$name.c" $size --quiet; done
}
found '-n 2 -o 1' lazy_unvalidated lock_order mpmc_no_turns optimistic_unvalidated plain_flag register_torn spsc_late two_lock_deadlock two_lock_race
found '-n 2 -o 2' chase_lev_last harris_unmarked k_fifo_uncommitted mpmc_published multiset_revived spsc_full treiber_free treiber_late wg_deq
found '-n 3 -o 1' livelock
found '-n 2 -o 3' lotan_shavit snzi_no_undo wg_semiqueue wg_stuttering
run 1 "$asif" verify "$root/objects/harness/bugs/lost_wakeup.c"; says "deadlock"
exit 0
