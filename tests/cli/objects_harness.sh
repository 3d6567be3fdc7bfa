#!/bin/bash
# The library as it ships, read by verify: every object is linearizable for two threads, one operation each, and the wrong ones are
# found, each of them.
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
  for name; do
    run 1 "$asif" verify "$root/objects/harness/bugs/$name.c" $size --quiet
    echo "$name" >>names
  done
}
found '-n 2 -o 1' lazy_unvalidated lock_order mpmc_no_turns optimistic_unvalidated plain_flag register_torn spsc_late two_lock_deadlock two_lock_race
found '-n 2 -o 2' chase_lev_last harris_unmarked k_fifo_uncommitted mpmc_published multiset_revived spsc_full treiber_free treiber_late wg_deq
found '-n 2 -o 2' treiber_leak; says 'leak' # with one operation each the hazard pointer still points to the node
found '-n 3 -o 1' livelock
found '-n 2 -o 3' lotan_shavit snzi_no_undo wg_semiqueue wg_stuttering
# Of these it takes four operations of one thread, or three, while another one stands in its only one.
with_roles() { # NAME ARGUMENTS ROLE...
  name=$1 arguments=$2
  shift 2
  { printf '#include "%s/objects/harness/bugs/%s.c"\n' "$root" "$name"; printf '%s\n' "$@"; } >roles.c
  run 1 "$asif" verify roles.c -n 2 $arguments
}
for name in ms_no_check ms_unprotected; do
  with_roles $name '-o 4 -- -DVALUES=1' 'ASIF_ROLE(user, 1, enq, deq)' 'ASIF_ROLE(stalled, 1, deq)'
  says 'freed memory is used'
done
if [ -n "${ASIF_LONG:-}" ]; then
  with_roles blink_no_right '-o 3 --jobs 1' 'ASIF_ROLE(user, 1, insert)' 'ASIF_ROLE(looker, 1, lookup)'
  says 'Not linearizable'
fi
found '-n 2 -o 1' lost_wakeup; says 'deadlock'
printf '%s\n' ms_no_check ms_unprotected blink_no_right >>names
[ "$(sort names)" = "$(cd "$root/objects/harness/bugs" && ls -- *.c | sed 's/\.c$//' | sort)" ] || fail "not every mistake is looked for: $(sort names)"
exit 0
