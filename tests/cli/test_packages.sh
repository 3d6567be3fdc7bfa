#!/bin/bash
# Objects of Debian's packages, unmodified: what is wrong with one of them is found, and nothing is with the others. ASIF_FIGURES names a file that
# gets the verdict lines, which docs/libraries.md rests on.
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
  echo "#include <$header>" | cc ${flags:-} -E -x ${language:-c} - >/dev/null 2>&1 || { echo "skipped: there is no <$header>"; return; }
  timeout 300 "$asif" test "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
  got=$?
  echo "$*: $(tail -1 "$scratch/out")" | sed "s|$scratch/||g" | tee -a "${ASIF_FIGURES:-/dev/null}"
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
  they 1 'verdict: violated: double free' ck_stack.h ck_stack.c
  # With push and pop alone every change has a new generation: a Treiber stack without ABA.
  they 0 'verdict: linearizable' ck_stack.h ck_stack.c --threads 2 --ops 2 -- -DNO_BATCH
  # Michael and Scott's queue with generations in every pointer: linearizable, also where entries are used again at once.
  they 0 'verdict: linearizable' ck_fifo.h ck_fifo.c --threads 2 --ops 2
  # One producer and one consumer, each the only one who writes its end; the producer takes back what the consumer has left.
  they 0 'verdict: linearizable' ck_fifo.h ck_fifo_spsc.c --client 'enq(1) enq(2) enq(3) | deq() deq() deq()'
  # Two consumers: the head is written by both, and a value comes out twice.
  they 1 'verdict: violated: data race' ck_fifo.h ck_fifo_spsc.c --client 'enq(1) enq(2) | deq() | deq()'
  # Rings: producers reserve with a compare-and-exchange and publish in that order.
  they 0 'verdict: linearizable' ck_ring.h ck_ring.c --threads 2 --ops 2
  they 0 'verdict: linearizable' ck_ring.h ck_ring.c --client 'enq(1) enq(2) | deq() deq() deq()' -- -DKIND=spsc
  they 0 'verdict: linearizable' ck_ring.h ck_ring.c --client 'enq(1) enq(2) | deq() deq() | deq()' -- -DKIND=spmc
  they 0 'verdict: linearizable' ck_ring.h ck_ring.c --client 'enq(1) | enq(2) | deq() deq()' -- -DKIND=mpsc
  # The ring for one producer with two: both write the same slot.
  they 1 'verdict: violated: data race' ck_ring.h ck_ring.c --client 'enq(1) | enq(2)' -- -DKIND=spsc
  # The lists, which one thread may change while others walk along them; and where what is taken out is freed at once.
  they 0 'verdict: linearizable' ck_queue.h ck_queue.c --threads 2 --ops 2
  they 1 'verdict: violated: use after free' ck_queue.h ck_queue.c --threads 2 --ops 2 -- -DEAGER
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

  # Enqueues and dequeues change one pointer each by compare-and-exchange; no address comes back before a grace period.
  they 0 'verdict: linearizable' urcu/rculfqueue.h urcu_lfqueue.c --volatile acquire-release --leaks no --threads 2 --ops 2
  # Without a grace period a dequeue reads a node that another has freed.
  they 1 'verdict: violated: use after free' urcu/rculfqueue.h urcu_lfqueue.c --volatile acquire-release --leaks no --threads 2 --ops 2 -- -DEAGER
  urcu=$(source_of liburcu)/src
  if [ -e "$urcu/rculfhash.c" ]; then
    hash="$urcu/rculfhash.c $urcu/rculfhash-mm-order.c $urcu/rculfhash-mm-chunk.c $urcu/rculfhash-mm-mmap.c $urcu/workqueue.c $urcu/compat_futex.c"
    # shellcheck disable=SC2086
    {
      # Two removals of one key: one sets a flag atomically while the other reads the word with a plain load, for its exchange (mended in a later version).
      they 1 'verdict: violated: data race' urcu/rculfhash.h urcu_hash.c $hash --volatile acquire-release --leaks no --threads 2 --ops 2 -- -I"$urcu"
      grep -q 'uatomic_xchg(&node->next' "$scratch/out" || fail "the race is another: $(cat "$scratch/out")"
      # The exchange decides who has removed the node, whatever that load gives.
      they 0 'verdict: linearizable' urcu/rculfhash.h urcu_hash.c $hash --races no --leaks no --client 'add(1) del(1) | del(1)' -- -I"$urcu"
      they 0 'verdict: linearizable' urcu/rculfhash.h urcu_hash.c $hash --volatile acquire-release --leaks no --threads 2 --ops 1 -- -I"$urcu"
      they 1 'verdict: violated: use after free' urcu/rculfhash.h urcu_hash.c $hash --volatile acquire-release --leaks no --threads 2 --ops 2 -- -I"$urcu" -DEAGER
    }
  else
    echo 'skipped: the sources of liburcu cannot be had'
  fi

  # DPDK's ring: as ck_ring's. Its head and tail are volatile, and ordered as on x86.
  # shellcheck disable=SC2086
  flags=$dpdk they 0 'verdict: linearizable' rte_ring.h dpdk_ring.c --volatile acquire-release --threads 2 --ops 2 -- $dpdk

  # LCRQ. Proved by its authors; a dequeue that goes on too soon loses a value; cells that are changed without lock are read torn.
  they 0 'verdict: linearizable' stdlib.h lcrq.c --leaks no --client 'enq(1) enq(2) | deq()'
  they 0 'verdict: linearizable' stdlib.h lcrq.c --leaks no --client 'enq(1) | enq(2) deq()'
  they 1 'verdict: not linearizable' stdlib.h lcrq.c --leaks no -- -DHASTY
  they 1 'verdict: violated: data race' stdlib.h lcrq.c --leaks no --threads 2 --ops 2 -- -DUNLOCKED
fi

# C++.
language=c++
complete='verdict: linearizable (every'

# Boost.Lockfree. A thread that has read a node's address reads its next, though another may have taken the node since and write it with a plain
# store: a data race in C++, whose value is not used, as the tag of the head has changed then. So --races no, which interleaves these accesses.
they 1 'verdict: violated: data race' boost/lockfree/queue.hpp boost_queue.cc --threads 2 --ops 2
they 1 'verdict: violated: data race' boost/lockfree/stack.hpp boost_stack.cc --threads 2 --ops 2
# Michael and Scott's queue and Treiber's stack, with a tag in every pointer that grows with each change.
they 0 "$complete" boost/lockfree/queue.hpp boost_queue.cc --races no --threads 2 --ops 2
they 0 "$complete" boost/lockfree/queue.hpp boost_queue.cc --races no --threads 2 --ops 2 -- -DFIXED
they 0 "$complete" boost/lockfree/stack.hpp boost_stack.cc --races no --threads 2 --ops 2
they 0 "$complete" boost/lockfree/stack.hpp boost_stack.cc --races no --threads 2 --ops 2 -- -DFIXED
# Each end of the ring is written by one thread, with release, and read by the other with acquire; with two producers both write one slot.
they 0 "$complete" boost/lockfree/spsc_queue.hpp boost_spsc.cc --memory sc
# Each end may look at an old index of the other: the ring is full for one and empty for the other, as on x86.
they 1 'verdict: not linearizable in any order' boost/lockfree/spsc_queue.hpp boost_spsc.cc
they 1 'verdict: violated: data race' boost/lockfree/spsc_queue.hpp boost_spsc.cc -- -DANYBODY
# The queue of Boost 1.71 to 1.73: the constructor of a node sets the tag of its next back. A push that has read a next of null links its node behind
# one that was taken out, and is inside another push: what it pushed is not in the queue when it returns. The default finds that; the time is for slow machines.
header=$(echo '#include <boost/lockfree/queue.hpp>' | c++ -E -x c++ - 2>/dev/null | sed -n 's/^# 1 "\(.*lockfree\/queue.hpp\)".*/\1/p' | head -1)
mkdir -p "$scratch/tags/boost/lockfree"
sed 's/^\( *\)data(v)$/\1next(tagged_node_handle(null_handle, 0)), data(v)/' "${header:-/dev/null}" >"$scratch/tags/boost/lockfree/queue.hpp"
if cmp -s "${header:-/dev/null}" "$scratch/tags/boost/lockfree/queue.hpp"; then
  echo 'skipped: this Boost constructs a node in another way'
else
  they 1 'verdict: not linearizable' boost/lockfree/queue.hpp boost_queue.cc --time-limit 120 -- -DSUPPRESSED -I"$scratch/tags"
fi

# moodycamel's queues. Elements of two producers have no order, which is documented; one producer's have.
they 1 'verdict: not linearizable' concurrentqueue/concurrentqueue.h concurrentqueue.cc
they 0 "$complete" concurrentqueue/concurrentqueue.h concurrentqueue.cc --threads 3 --ops 2 -- -DONE_PRODUCER
# A deq looks at one producer after another, and at a tail before a head: it may return empty of what never was, but not with two threads.
they 0 "$complete" concurrentqueue/concurrentqueue.h concurrentqueue.cc --threads 2 --ops 2 --memory sc -- -DBAG
# Where memory is C11's, even if its own thread has put something in: the counts are read relaxed, and may be old.
they 1 'verdict: not linearizable in any order' concurrentqueue/concurrentqueue.h concurrentqueue.cc --threads 2 --ops 2 -- -DBAG
they 1 'verdict: not linearizable' concurrentqueue/concurrentqueue.h concurrentqueue.cc --client 'enq(1) enq(1) | deq() | deq()' -- -DBAG
# One producer and one consumer, in blocks of which another is linked when one is full.
they 0 "$complete" readerwriterqueue.h readerwriterqueue.cc
they 0 "$complete" readerwriterqueue.h readerwriterqueue.cc --threads 2 --ops 3

# Containers of the standard library under a mutex, whose critical sections are atomic; and without it.
they 0 "$complete" queue std_queue.cc --threads 3 --ops 2
they 1 'verdict: violated: data race' queue std_queue.cc -- -DUNLOCKED
they 0 "$complete" deque std_deque.cc --threads 2 --ops 2
they 1 'verdict: violated: data race' deque std_deque.cc -- -DUNLOCKED
they 0 "$complete" map std_map.cc --threads 2 --ops 2
# The tree is linked inside of libstdc++, which has no hooks: the race is not seen there, but what it leads to is.
they 1 'verdict: not linearizable\|verdict: violated: data race' map std_map.cc -- -DUNLOCKED
they 0 "$complete" unordered_map std_map.cc --threads 2 --ops 2 -- -DCONTAINER=std::unordered_map

# The queue of stdexec before e81bceb, rewritten: its source is in no package.
they 0 "$complete" atomic vyukov_mpsc.cc --threads 3 --ops 2
they 1 'verdict: violated: bad free\|verdict: violated: leak\|verdict: not linearizable' atomic vyukov_mpsc.cc --time-limit 120 -- -DHASTY

# oneTBB. Its headers call its library, which has no hooks: that is said. With the library built by asif c++ there are verdicts.
they 3 'calls tbb::detail::.* of libtbb.so.*compiled without hooks' oneapi/tbb/concurrent_queue.h tbb_queue.cc --threads 2 --ops 2 -- -ltbb
source_of onetbb >/dev/null 2>&1
if ls "$scratch"/source/oneTBB-*/src/tbb/allocator.cpp >/dev/null 2>&1; then
  cd "$scratch" || exit 1
  ls source/oneTBB-*/src/tbb/*.cpp | asif="$asif" include="$(ls -d source/oneTBB-*/include)" xargs -n 1 -P 2 sh -c \
    '"$asif" c++ -O1 -mwaitpkg -D__TBB_BUILD=1 -D__TBB_USE_ITT_NOTIFY=0 -I"$include" -c "$0" -o "$(basename "$0" .cpp).o"' >"$scratch/err" 2>&1 ||
    fail "oneTBB does not compile: $(cat "$scratch/err")"
  ar rcs "$scratch/libtbb.a" ./*.o
  cd "$root/tests/packages" || exit 1
  # Tickets of a fetch-and-add: a push has its slot from then on, and a pop of that ticket waits for it.
  they 0 "$complete" oneapi/tbb/concurrent_queue.h tbb_queue.cc "$scratch/libtbb.a" --threads 2 --ops 2
  # The same, with a ticket that is only taken while there is room.
  they 0 "$complete" oneapi/tbb/concurrent_queue.h tbb_bounded_queue.cc "$scratch/libtbb.a" --threads 2 --ops 2
  # Buckets with a lock each, entries with another.
  they 0 "$complete" oneapi/tbb/concurrent_hash_map.h tbb_map.cc "$scratch/libtbb.a" --client 'insert(1, 1) | erase(1)'
  they 0 "$complete" oneapi/tbb/concurrent_hash_map.h tbb_map.cc "$scratch/libtbb.a" --client 'contains(1) erase(1) | contains(1)'
else
  echo 'skipped: the sources of onetbb cannot be had'
fi

# libcds and abseil, which speak the thread sanitizer's own interface.
# Vyukov's ring: a cell's sequence number says whose turn it is.
they 0 'verdict: linearizable' cds/version.h cds_queue.cc --threads 2 --ops 2 --memory sc -- -std=c++17
# Whether it is full is looked at with relaxed loads: it is said to be, of a position of the consumers that is old.
they 1 'verdict: not linearizable in any order' cds/version.h cds_queue.cc --threads 2 --ops 2 -- -std=c++17
# Both operations hold the lock.
they 0 'verdict: linearizable' cds/version.h cds_spinlock.cc --threads 2 --ops 1 -- -std=c++17 -DNDEBUG
# A read without the lock.
they 1 'verdict: violated: data race' cds/version.h cds_spinlock.cc --threads 2 --ops 1 -- -std=c++17 -DNDEBUG -DWRONG
# Every operation holds a std::mutex; without it, a lookup races with an insertion.
they 0 'verdict: linearizable' absl/base/config.h absl_set.cc --threads 2 --ops 1 -- -std=c++17 -labsl_raw_hash_set -labsl_hash
they 1 'verdict: violated: data race' absl/base/config.h absl_set.cc --threads 2 --ops 1 -- -std=c++17 -DWRONG -labsl_raw_hash_set -labsl_hash
# absl::Mutex of the library as it is distributed has no hooks.
they 3 'calls absl::.*Mutex::Lock() of libabsl_synchronization.*compiled without hooks: build it with `asif c++`' absl/base/config.h absl_mutex.cc --threads 2 --ops 1 -- -std=c++17 -labsl_synchronization

# The same compiled by asif c++: a lock word, a list of waiters and a semaphore of futexes for each thread.
mkdir "$scratch/bin" && ln -s "$asif" "$scratch/bin/asif-cc" && ln -s "$asif" "$scratch/bin/asif-c++"
PATH=$scratch/bin:$PATH
absl=$(source_of abseil)
if [ -e "$absl/absl/synchronization/mutex.cc" ]; then
  mkdir "$scratch/absl"
  (cd "$absl" && find absl/base absl/synchronization absl/numeric absl/time absl/debugging/stacktrace.cc absl/debugging/symbolize.cc absl/debugging/internal \
    -name '*.cc' | grep -v 'test\|benchmark\|examine_stack\|format.cc\|tool' |
    while read -r file; do printf '%s\0' "$file"; done | xargs -0 -P "$(nproc)" -I{} sh -c 'asif-c++ -std=c++17 -O1 -g -I. -c {} -o "$0/$(echo {} | tr / _).o"' "$scratch/absl") || fail 'abseil does not compile'
  ar rcs "$scratch/absl/libabsl.a" "$scratch"/absl/*.o
  they 0 'verdict: linearizable' stdlib.h absl_mutex.cc "$scratch/absl/libabsl.a" --threads 2 --ops 1 -- -std=c++17 -I"$absl"
  they 0 'verdict: linearizable' stdlib.h absl_list.cc "$scratch/absl/libabsl.a" --client 'enq(1) | deq()' -- -std=c++17 -I"$absl"
  # Two readers at once, and both change the list.
  they 1 'verdict: violated: data race' stdlib.h absl_list.cc "$scratch/absl/libabsl.a" --client 'enq(1) | enq(2)' -- -std=c++17 -I"$absl" -DREADER
else
  echo 'skipped: the sources of abseil cannot be had'
fi

# GLib. The atomic functions are macros; nodes that are not freed come back to nobody.
glib=$(pkg-config --cflags --libs glib-2.0 2>/dev/null)
# shellcheck disable=SC2086
if [ -n "$glib" ]; then
  flags=$glib they 0 'verdict: linearizable' glib.h glib_stack.c --threads 2 --ops 2 -- $glib
  # A pop reads the next of a node that another has popped and freed.
  flags=$glib they 1 'verdict: violated: use after free' glib.h glib_stack.c --threads 2 --ops 2 -- $glib -DFREE
  # The library as it is distributed has no hooks.
  flags=$glib they 3 'calls g_async_queue_new of libglib.*compiled without hooks: build it with `asif cc`' glib.h glib_async_queue.c --threads 2 --ops 2 -- $glib
fi
# As its own build makes it with asif-cc for the compiler.
glib=$(source_of glib2.0)
if [ -e "$glib/meson.build" ] && CC=asif-cc meson setup "$scratch/glib" "$glib" -Ddefault_library=static -Dselinux=disabled -Dlibmount=disabled -Dtests=false \
  -Dnls=disabled -Dxattr=false -Dlibelf=disabled >"$scratch/meson" 2>&1; then
  ninja -C "$scratch/glib" glib/libglib-2.0.a >"$scratch/ninja" 2>&1 || fail "GLib does not compile: $(tail -20 "$scratch/ninja")"
  archive=$scratch/glib/glib/libglib-2.0.a
  glib="-I$glib -I$glib/glib -I$scratch/glib/glib -lpcre2-8 -lm"
  # shellcheck disable=SC2086
  {
    # Every operation holds the GMutex, a lock of GLib's own with a futex.
    they 0 'verdict: linearizable' stdlib.h glib_queue.c "$archive" --threads 2 --ops 2 -- $glib
    # A dequeue without the mutex.
    they 1 'verdict: violated: data race' stdlib.h glib_queue.c "$archive" --threads 2 --ops 2 -- $glib -DUNLOCKED
    # The queue's own mutex. Each thread that ends gives its links back in 126 critical sections: all orders of these are too many.
    they 0 'verdict: no violation found (schedules of up to 2 delays' stdlib.h glib_async_queue.c "$archive" --bound 2 --client 'enq(1) deq() | enq(2) deq()' -- $glib
    # The functions for those who hold it, by two who do not.
    they 1 'verdict: violated: data race' stdlib.h glib_async_queue.c "$archive" --threads 2 --ops 1 -- $glib -DUNLOCKED
    # Insertions and removals are writers, lookups readers of a GRWLock.
    they 0 'verdict: linearizable' stdlib.h glib_hash.c "$archive" --threads 2 --ops 1 -- $glib
    # Two insertions at once.
    they 1 'verdict: violated: data race' stdlib.h glib_hash.c "$archive" --threads 2 --ops 1 -- $glib -DREADER
  }
else
  echo 'skipped: GLib cannot be built'
fi
# GoogleTest, its sources compiled with hooks, under --main: what its own code allocates makes no schedules, and is not named as never executed.
gtest=/usr/src/googletest/googletest
if [ -e "$gtest/src/gtest-all.cc" ]; then
  (cd "$scratch" && "$asif" c++ -c -I "$gtest" -I "$gtest/include" "$gtest/src/gtest-all.cc" "$gtest/src/gtest_main.cc") || fail 'GoogleTest does not compile'
  language=c++ they 0 'never executed: queue::clear (gtest_queue.cc:[0-9-]*); no test reaches it' gtest/gtest.h --main gtest_queue.cc "$scratch/gtest-all.o" "$scratch/gtest_main.o" -- --gtest_filter=Queue.two_producers
  grep -q 'verdict: holds (every schedule' "$scratch/out" || fail "not every schedule: $(cat "$scratch/out")"
  language=c++ they 1 'main returns 1' gtest/gtest.h --main gtest_queue.cc "$scratch/gtest-all.o" "$scratch/gtest_main.o" -- --gtest_filter=Queue.hasty
fi
exit 0
