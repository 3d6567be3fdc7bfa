#!/bin/bash
# Objects of Debian's packages by complete search, unmodified, with the harnesses that asif test has and the compiler's builtins for their
# assembly. Each right one has a wrong one beside it. ASIF_FIGURES names a file that gets the verdict lines, which docs/libraries.md rests on.
. tests/cli/common
has verify || exit 77
[ -n "${ASIF_LONG:-}" ] || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/tests/packages" || exit 1

# they STATUS WORDS HEADER FILE ARGUMENT...: the verdict is so and has these words
they() {
  status=$1 words=$2 header=$3
  shift 3
  echo "#include <$header>" | cc ${flags:-} -E -x c - >/dev/null 2>&1 || { echo "skipped: there is no <$header>"; return; }
  timeout 300 "$asif" verify "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  got=$?
  echo "verify $*: $(tail -1 "$scratch/out")" | sed "s|$scratch/||g" | tee -a "${ASIF_FIGURES:-/dev/null}"
  [ $got = "$status" ] || fail "asif verify $* ended with $got, not $status: $(cat "$scratch/out" "$scratch/err")"
  grep -q -e "$words" "$scratch/out" || fail "asif verify $* does not say $words: $(cat "$scratch/out")"
}
linearizable='verdict: linearizable'

# Concurrency Kit. Its loads and stores are volatile.
ck=-DCK_USE_CC_BUILTINS
they 0 "$linearizable" ck_ring.h ck_ring.c --ops 2 -- $ck
they 0 "$linearizable" ck_ring.h ck_ring.c --ops 3 -- $ck
they 0 "$linearizable" ck_ring.h ck_ring.c --ops 2 -- $ck -DKIND=spsc -DROLES
# The ring for one producer and one consumer, used by any thread: both write the same slot.
they 1 'verdict: violated: data race' ck_ring.h ck_ring.c --ops 2 -- $ck -DKIND=spsc
# Producers that do not wait for those before them: the tail goes back, and a value is lost. One slot is free at first, so that
# it takes enq deq deq | deq enq deq.
header=$(echo '#include <ck_ring.h>' | cc -E -x c - 2>/dev/null | sed -n 's/^# 1 "\(.*ck_ring.h\)".*/\1/p' | head -1)
sed 's/^\(.*while (ck_pr_load_uint(&ring->p_tail)\) != producer)/\1 == ~0u)/' "${header:-/dev/null}" >"$scratch/ck_ring.h"
if cmp -s "${header:-/dev/null}" "$scratch/ck_ring.h"; then
  echo 'skipped: this ck_ring.h waits in another way'
else
  they 1 'verdict: not linearizable\|verdict: violated' ck_ring.h ck_ring.c --ops 3 -- $ck -I"$scratch"
fi
# A queue whose producer takes back the entries that the consumer has left. With the builtins, ck_pr_load_ptr reads through a
# volatile void *const *: a pointer to volatile memory, itself read with a plain load. So --races no, which interleaves these accesses.
they 1 'ck_pr.h:.* a data race' ck_fifo.h ck_fifo_spsc.c --ops 2 -- $ck -DROLES
they 0 "$linearizable" ck_fifo.h ck_fifo_spsc.c --ops 2 --races no -- $ck -DROLES
# Two producers link their entries behind the same one, and a value is lost.
they 1 'verdict: not linearizable\|verdict: violated' ck_fifo.h ck_fifo_spsc.c --ops 2 --races no -- $ck
# The lists, with one thread that changes them.
they 0 "$linearizable" ck_queue.h ck_queue.c --ops 3 --races no -- $ck
they 1 'freed memory is used' ck_queue.h ck_queue.c --ops 2 --races no -- $ck -DEAGER
they 1 'verdict: not linearizable\|verdict: violated' ck_queue.h ck_queue.c --ops 2 --races no -- $ck -DFREE_FOR_ALL
# What exchanges two words at once has no form with builtins: ck_pairs.h gives it one. Generations are of type char *, and begin as null.
pairs="$ck -include ck_pairs.h"
# shellcheck disable=SC2086
{
  they 0 "$linearizable" ck_stack.h ck_stack.c --ops 2 --races no -- $pairs -DNO_BATCH
  # A batch_pop leaves the generation as it is.
  they 1 'memory is freed twice' ck_stack.h ck_stack.c --ops 2 --races no -- $pairs
  they 1 'verdict: not linearizable\|verdict: violated' ck_stack.h ck_stack.c --ops 3 --races no -- $pairs -DNO_BATCH -DONE_WORD
  they 0 "$linearizable" ck_fifo.h ck_fifo.c --ops 2 --races no -- $pairs
  they 1 'verdict: not linearizable\|verdict: violated' ck_fifo.h ck_fifo.c --ops 3 --races no -- $pairs -DONE_WORD
}
they 0 "$linearizable" ck_stack.h ck_stack.c --ops 2 --races no -- $ck -DKIND=upmc -DKEEP
they 1 'verdict: not linearizable\|verdict: violated' ck_stack.h ck_stack.c --ops 3 --races no -- $ck -DKIND=upmc -DNO_BATCH

# DPDK's ring, as it is for C11.
flags='-I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk -include rte_config.h -march=corei7 -DRTE_FORCE_INTRINSICS -DRTE_USE_C11_MEM_MODEL'
# shellcheck disable=SC2086
{
  they 0 "$linearizable" rte_ring.h dpdk_ring.c --ops 2 -- $flags
  # Two producers of a ring that was made for one.
  they 1 'verdict: not linearizable\|verdict: violated' rte_ring.h dpdk_ring.c --ops 2 -- $flags -DONE_PRODUCER
}

# liburcu. Its header of assembly counts as included, and the one for compilers with builtins is.
flags=
urcu='-D_URCU_ARCH_UATOMIC_X86_H -include urcu/uatomic/gcc.h -DNO_SLEEP'
# shellcheck disable=SC2086
{
  they 0 "$linearizable" urcu/wfcqueue.h urcu_queue.c --ops 2 -- $urcu
  they 1 'verdict: not linearizable\|verdict: violated' urcu/wfcqueue.h urcu_queue.c --ops 2 -- $urcu -DUNLOCKED
  they 0 "$linearizable" urcu/lfstack.h urcu_lfstack.c --ops 2 -- $urcu
  they 1 'freed memory is used' urcu/lfstack.h urcu_lfstack.c --ops 2 -- $urcu -DUNLOCKED
  they 0 "$linearizable" urcu/wfstack.h urcu_wfstack.c --ops 2 -- $urcu
  they 1 'verdict: not linearizable\|verdict: violated' urcu/wfstack.h urcu_wfstack.c --ops 2 -- $urcu -DUNLOCKED
  they 0 "$linearizable" urcu/rculfqueue.h urcu_lfqueue.c --ops 2 --leaks no -- $urcu
  # Nodes freed without a grace period.
  they 1 'freed memory is used' urcu/rculfqueue.h urcu_lfqueue.c --ops 2 --leaks no -- $urcu -DEAGER
}
exit 0
