#!/bin/bash
# Objects of Debian's packages, unmodified: what is wrong with one of them is found, and nothing is with the others.
. tests/cli/common
has test || exit 77
[ -n "${ASIF_LONG:-}" ] || exit 77
export ASIF_INCLUDE=$root/include
cd "$root/tests/packages" || exit 1
x86=$(uname -m | grep -c x86_64)
dpdk='-I/usr/include/dpdk -I/usr/include/x86_64-linux-gnu/dpdk -include rte_config.h -march=corei7'

# they STATUS WORDS HEADER FILE ARGUMENT...: the verdict is so and has these words
they() {
  status=$1 words=$2 header=$3
  shift 3
  echo "#include <$header>" | cc ${flags:-} -E -x c - >/dev/null 2>&1 || { echo "skipped: there is no <$header>"; return; }
  timeout 300 "$asif" test "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  got=$?
  echo "$*: $(tail -1 "$scratch/out")"
  [ $got = "$status" ] || fail "asif test $* ended with $got, not $status: $(cat "$scratch/out" "$scratch/err")"
  grep -q -e "$words" "$scratch/out" || fail "asif test $* does not say $words: $(cat "$scratch/out")"
}

# The sources of a package, as Debian has them: DIRECTORY, or nothing where they cannot be had. They come from where apt has the packages.
source_of() { # PACKAGE
  mkdir -p "$scratch/apt/lists/partial" "$scratch/source/$1"
  set -- "$1" -o "Dir::Etc::sourcelist=$scratch/apt/list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$scratch/apt/lists" -o APT::Sandbox::User=root
  package=$1
  shift
  (
    cd "$scratch/source/$package" || exit 1
    if ! [ -e "$scratch/apt/list" ]; then
      apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u >"$scratch/apt/list"
      apt-get "$@" update
    fi
    apt-get "$@" source --download-only "$package" && tar xf "$(echo *.orig.tar.*[!c])" --strip-components=1
  ) >"$scratch/apt/said" 2>&1 && echo "$scratch/source/$package"
}

if [ "$x86" = 1 ]; then
  # Concurrency Kit, with its inline assembly.
  # pop_all exchanges the head and keeps the generation: a pop that was under way succeeds with an old next (ABA).
  they 1 'double free\|not linearizable' ck_stack.h ck_stack.c
  # With push and pop alone every change has a new generation: a Treiber stack without ABA.
  they 0 'verdict: linearizable' ck_stack.h ck_stack.c --threads 2 --ops 2 -- -DNO_BATCH
  # Michael and Scott's queue with generations in every pointer: linearizable, also where entries are used again at once.
  they 0 'verdict: linearizable' ck_fifo.h ck_fifo.c --threads 2 --ops 2
  # One producer and one consumer, each the only one who writes its end; the producer takes back what the consumer has left.
  they 0 'verdict: linearizable' ck_fifo.h ck_fifo_spsc.c --client 'enq(1) enq(2) enq(3) | deq() deq() deq()'
  # Two consumers: the head is written by both, and a value comes out twice.
  they 1 'not linearizable\|data race' ck_fifo.h ck_fifo_spsc.c --client 'enq(1) enq(2) | deq() | deq()'
  # Rings: producers reserve with a compare-and-exchange and publish in that order.
  they 0 'verdict: linearizable' ck_ring.h ck_ring.c --threads 2 --ops 2
  they 0 'verdict: linearizable' ck_ring.h ck_ring.c --client 'enq(1) enq(2) | deq() deq() deq()' -- -DKIND=spsc
  they 0 'verdict: linearizable' ck_ring.h ck_ring.c --client 'enq(1) enq(2) | deq() deq() | deq()' -- -DKIND=spmc
  they 0 'verdict: linearizable' ck_ring.h ck_ring.c --client 'enq(1) | enq(2) | deq() deq()' -- -DKIND=mpsc
  # The ring for one producer with two: both write the same slot.
  they 1 'not linearizable\|data race' ck_ring.h ck_ring.c --client 'enq(1) | enq(2)' -- -DKIND=spsc
  hp=$(source_of ck)/src/ck_hp.c
  if [ -e "$hp" ]; then
    # A pop has a hazard pointer to the node whose next it reads, set and checked before it reads.
    they 0 'verdict: linearizable' ck_hp_stack.h ck_hp_stack.c "$hp" --threads 2 --ops 2 --races no
    # ck_hp_clear writes what others read atomically with a plain store.
    they 1 'verdict: violated: data race' ck_hp_stack.h ck_hp_stack.c "$hp" --threads 2 --ops 2
    # An enqueue has a hazard pointer to the tail it has checked, but exchanges the next of a tail that it reads anew, with no hazard pointer to
    # that: it may be freed. Later versions exchange the next of the tail they have checked.
    they 1 'verdict: violated: data race' ck_hp_fifo.h ck_hp_fifo.c "$hp" --threads 2 --ops 2
    they 1 'verdict: violated: use after free' ck_hp_fifo.h ck_hp_fifo.c "$hp" --races no --client 'enq(1) | enq(2) deq() enq(2) deq()'
    # With that mended, and without it but with the dequeue that Concurrency Kit had before 319872c: tail read before head, so that an empty
    # queue is not seen to be, and the head becomes a null pointer.
    mkdir -p "$scratch/mended" "$scratch/swapped"
    sed 's/&fifo->tail->next, next, entry/\&tail->next, next, entry/' "$(echo '#include <ck_hp_fifo.h>' | cc -E -x c - | sed -n 's/^# 1 "\(.*ck_hp_fifo.h\)".*/\1/p' | head -1)" >"$scratch/mended/ck_hp_fifo.h"
    sed '/^ck_hp_fifo_dequeue_mpmc/,/^}/{s/head = ck_pr_load_ptr(&fifo->head);/FIRST/;s/tail = ck_pr_load_ptr(&fifo->tail);/head = ck_pr_load_ptr(\&fifo->head);/;s/FIRST/tail = ck_pr_load_ptr(\&fifo->tail);/}' \
      "$scratch/mended/ck_hp_fifo.h" >"$scratch/swapped/ck_hp_fifo.h"
    cmp -s "$scratch/mended/ck_hp_fifo.h" "$scratch/swapped/ck_hp_fifo.h" && fail 'the two loads were not found'
    they 0 'verdict: linearizable' ck_hp_fifo.h ck_hp_fifo.c "$hp" --client 'enq(1) | enq(2) deq()' -- -DCLEAR -I"$scratch/mended"
    they 0 'verdict: linearizable' ck_hp_fifo.h ck_hp_fifo.c "$hp" --client 'enq(1) deq() | deq()' -- -DCLEAR -I"$scratch/mended"
    they 1 'verdict: violated: crash' ck_hp_fifo.h ck_hp_fifo.c "$hp" -- -DCLEAR -I"$scratch/swapped"
  else
    echo 'skipped: the sources of ck cannot be had'
  fi

  # liburcu, with _LGPL_SOURCE and its inline assembly. Its accesses are volatile, and ordered as on x86.
  # Enqueues exchange the tail; dequeues are under a mutex and wait for a next that is to come.
  they 0 'verdict: linearizable' urcu/wfcqueue.h urcu_queue.c --volatile acquire-release --threads 2 --ops 2
  # A Treiber stack whose pops are under a mutex: no pop meets another's free, nor ABA.
  they 0 'verdict: linearizable' urcu/lfstack.h urcu_lfstack.c --volatile acquire-release --threads 2 --ops 2
  # Pops without the mutex, and without a grace period before the free.
  they 1 'verdict: violated: use after free' urcu/lfstack.h urcu_lfstack.c --races no --threads 2 --ops 2 -- -DUNLOCKED
  # As wfcqueue, from the other end.
  they 0 'verdict: linearizable' urcu/wfstack.h urcu_wfstack.c --volatile acquire-release --threads 2 --ops 2

  # DPDK's ring: as ck_ring's. Its head and tail are volatile, and ordered as on x86.
  # shellcheck disable=SC2086
  flags=$dpdk they 0 'verdict: linearizable' rte_ring.h dpdk_ring.c --volatile acquire-release --threads 2 --ops 2 -- $dpdk

  # LCRQ. Proved by its authors; a dequeue that goes on too soon loses a value; cells that are changed without lock are read torn.
  they 0 'verdict: linearizable' stdlib.h lcrq.c --leaks no --client 'enq(1) enq(2) | deq()'
  they 0 'verdict: linearizable' stdlib.h lcrq.c --leaks no --client 'enq(1) | enq(2) deq()'
  they 1 'verdict: not linearizable' stdlib.h lcrq.c --leaks no -- -DHASTY
  they 1 'verdict: violated: data race' stdlib.h lcrq.c --leaks no --threads 2 --ops 2 -- -DUNLOCKED
fi

they 0 'verdict: ' boost/version.hpp boost_queue.cc --races no --threads 2 --ops 2
they 0 'verdict: ' boost/version.hpp boost_stack.cc --races no --threads 2 --ops 2

# libcds and abseil, which speak the thread sanitizer's own interface.
they 0 'verdict: linearizable' cds/version.h cds_queue.cc --threads 2 --ops 2 -- -std=c++17
they 0 'verdict: linearizable' cds/version.h cds_spinlock.cc --threads 2 --ops 2 -- -std=c++17 -DNDEBUG
they 1 'verdict: ' cds/version.h cds_spinlock.cc --threads 2 --ops 1 -- -std=c++17 -DNDEBUG -DWRONG
they 0 'verdict: ' absl/base/config.h absl_set.cc --threads 2 --ops 1 -- -std=c++17 -labsl_raw_hash_set -labsl_hash
they 1 'verdict: ' absl/base/config.h absl_set.cc --threads 2 --ops 1 -- -std=c++17 -DWRONG -labsl_raw_hash_set -labsl_hash
they 3 'Mutex.*compiled without hooks' absl/base/config.h absl_mutex.cc --threads 2 --ops 1 -- -std=c++17 -labsl_synchronization
exit 0
