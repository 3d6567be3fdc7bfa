#!/bin/bash
# asif init: harnesses for C++ headers. What it writes compiles and runs.
. tests/cli/common
replays=no

# C++: a class template in a namespace, with a capacity, of which many overloads can be called.
mkdir -p lib
cat >lib/ring.hpp <<'C'
#pragma once
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>
namespace lib {
namespace detail {
template <typename T> struct slot { T value; void push(T); T pop(); };
} // namespace detail
inline namespace v1 {
template <typename T, class Mutex = std::mutex, typename... Policies> class [[gnu::may_alias]] ring final {
public:
  explicit ring(std::size_t capacity) : room{capacity} {}
  ring(const ring &) = delete;
  ring &operator=(const ring &) = delete;
  void push(const T &v) { while (!try_push(v)) {} }
  template <class Iterator> std::size_t push_bulk(Iterator, std::size_t) { return 0; }
  bool try_push(const T &v) {
    std::lock_guard<Mutex> held(mutex);
    if (inside.size() >= room) return false;
    inside.push_back(v);
    return true;
  }
  bool try_push(T &&v) { return try_push(static_cast<const T &>(v)); }
  bool try_pop(T &v) {
#ifndef WRONG
    std::lock_guard<Mutex> held(mutex);
#endif
    if (inside.empty()) return false;
    v = inside.front();
    inside.pop_front();
    return true;
  }
  void pop(T &v) { while (!try_pop(v)) {} }
  std::size_t size() const;
private:
  bool push(int, int);
  std::size_t room;
  std::deque<T> inside;
  Mutex mutex;
};
/* What can be called is declared in its base; its order is another one. */
template <class T> class heap_base {
public:
  void insert(T v) {
    std::lock_guard<std::mutex> held(mutex);
    inside.push_back(v);
  }
  std::optional<T> take() {
    std::lock_guard<std::mutex> held(mutex);
    if (inside.empty()) return std::nullopt;
    std::size_t at = 0;
    for (std::size_t i = 1; i < inside.size(); i++)
      if (inside[at] < inside[i]) at = i;
    T v = inside[at];
    inside.erase(inside.begin() + (std::ptrdiff_t)at);
    return v;
  }
protected:
  std::vector<T> inside;
  std::mutex mutex;
};
template <class T> struct elements : heap_base<T> {};
} // namespace v1
} // namespace lib
C
run 0 "$asif" init lib/ring.hpp; says 'asif_ring.cpp: bounded_queue(SIZE); look at it, then: asif test asif_ring.cpp'
grep -q 'typedef lib::ring<int> container;' asif_ring.cpp || fail "not the class: $(cat asif_ring.cpp)"
grep -q 'object->try_push(v) ? ASIF_OK : ASIF_FULL' asif_ring.cpp || fail 'not the push that tells'
grep -q 'In one thread it held 2 elements; they came out first in, first out' asif_ring.cpp || fail 'not measured'
run 0 "$asif" test asif_ring.cpp --threads 2 --ops 2; says 'verdict: linearizable'
run 1 "$asif" test asif_ring.cpp -- -DWRONG
run 0 "$asif" init ring.hpp -o other.cpp --type lib::elements -- -Ilib
says 'other.cpp: max_priority_queue; look at it, then: asif test other.cpp -- -Ilib'
grep -q '#include <ring.hpp>' other.cpp || fail 'not included as it was given'
run 0 "$asif" test other.cpp --threads 2 --ops 1 -- -Ilib; says 'verdict: linearizable'
run 0 "$asif" init lib/ring.hpp -o - --type 'lib::ring<long, std::recursive_mutex>' --spec weak-bounded-queue
says 'typedef lib::ring<long, std::recursive_mutex> container;'; says 'ASIF_OBJECT(weak-bounded-queue)'

# C++ in a file that ends as C does; classes that are not templates; sets and maps; elements that are pointers.
cat >kinds.h <<'C'
#include <map>
#include <mutex>
#include <set>
#include <utility>
struct numbers {
  std::pair<std::set<int>::iterator, bool> insert(int v) { std::lock_guard<std::mutex> held(m); return s.insert(v); }
  std::size_t erase(int v) { std::lock_guard<std::mutex> held(m); return s.erase(v); }
  bool contains(int v) { std::lock_guard<std::mutex> held(m); return s.count(v) > 0; }
private:
  std::set<int> s;
  std::mutex m;
};
template <class Key, class Value, unsigned BUCKETS> class table {
  std::map<Key, Value> s;
  std::mutex m;
public:
  bool insert(const std::pair<const Key, Value> &p) { std::lock_guard<std::mutex> held(m); return s.insert(p).second; }
  bool erase(const Key &k) { std::lock_guard<std::mutex> held(m); return s.erase(k); }
  bool find(const Key &k, Value &v) {
    std::lock_guard<std::mutex> held(m);
    auto at = s.find(k);
    if (at == s.end()) return false;
    v = at->second;
    return true;
  }
};
class Tasks {
public:
  struct Task { int number; };
  void PushTask(Task *t) { std::lock_guard<std::mutex> held(m); at[n++] = t; }
  Task *PopTask() { std::lock_guard<std::mutex> held(m); return n ? at[--n] : nullptr; }
private:
  Task *at[16];
  int n = 0;
  std::mutex m;
};
C
run 0 "$asif" init kinds.h --type numbers -o numbers.cpp; says 'numbers.cpp: set'
run 0 "$asif" test numbers.cpp --threads 2 --ops 1; says 'verdict: linearizable'
run 0 "$asif" init kinds.h --type table -o table.cpp; says 'table.cpp: hash_map'
grep -q 'typedef table<int, int, SIZE> container;' table.cpp || fail "not its arguments: $(cat table.cpp)"
grep -q 'ASIF_OP_AS(get, test_get' table.cpp || fail 'the map is not asked'
run 0 "$asif" test table.cpp --threads 2 --ops 1; says 'verdict: linearizable'
run 0 "$asif" init kinds.h --type Tasks -o tasks.cpp; says 'tasks.cpp: stack'
run 0 "$asif" test tasks.cpp --threads 2 --ops 2; says 'verdict: linearizable'
# A header that only includes others, a size that is too small, an enumeration for success, front and pop.
cat >lib/few.hpp <<'C'
#include <cstddef>
#include <queue>
namespace lib {
enum class status { ok, full };
template <class T, std::size_t N> class few {
public:
  static_assert(N > 2, "a larger one");
  status push(T v) { return inside.size() == N - 1 ? status::full : (inside.push(v), status::ok); }
  const T &front() const { return inside.front(); }
  bool empty() const { return inside.empty(); }
  void pop() { inside.pop(); }
private:
  std::queue<T> inside;
};
} // namespace lib
C
printf '#include "lib/few.hpp"\n' >all.h
run 0 "$asif" init all.h; says 'asif_all.cpp: bounded_queue(3)'
grep -q '^#define SIZE 4$' asif_all.cpp || fail "not a size that compiles: $(cat asif_all.cpp)"
grep -q 'SUCCEEDS(static_cast<int>(object->push(v)))' asif_all.cpp || fail "success is not asked: $(cat asif_all.cpp)"
run 1 "$asif" test asif_all.cpp; says 'data race'

printf 'template <class T> struct needy { static_assert(sizeof(T) > 100, "large elements only"); void push(T); T pop(); };\n' >needy.hpp
run 2 "$asif" init needy.hpp; warns 'needy<int> does not compile with the template arguments that were guessed; --type gives others'; warns 'large elements only'
run 2 "$asif" init kinds.h --type nobody; warns 'none was recognised'

# Calls that take the number of the thread; an int that is taken by value is no place for an element.
cat >numbered.hpp <<'C'
#include <mutex>
#include <queue>
#include <stdexcept>
template <class T> class numbered_queue {
public:
  explicit numbered_queue(int threads) : most(threads) {}
  void help_finish_enq(const int) {}
  void enqueue(T *v, const int thread) {
    check(thread);
    std::lock_guard<std::mutex> held(m);
    inside.push(v);
  }
  T *dequeue(const int thread) {
    check(thread);
    std::lock_guard<std::mutex> held(m);
    if (inside.empty()) return nullptr;
    T *v = inside.front();
    inside.pop();
    return v;
  }
private:
  void check(int thread) { if (thread < 0 || thread >= most) throw std::out_of_range("no such thread"); }
  int most;
  std::mutex m;
  std::queue<T *> inside;
};
C
run 0 "$asif" init numbered.hpp; says 'asif_numbered.cpp: queue'
grep -q 'object->enqueue(static_cast<int \*>(asif_pointer(v)), asif_thread())' asif_numbered.cpp || fail "not with the thread: $(cat asif_numbered.cpp)"
grep -q 'auto out = object->dequeue(asif_thread());' asif_numbered.cpp || fail "not with the thread: $(cat asif_numbered.cpp)"
run 0 "$asif" test asif_numbered.cpp --threads 3 --ops 1; says 'verdict: linearizable'
# Of what the compiler says of a header in C++ nothing is cut in the middle of a line, whatever its name ends in.
printf '%s\n' '#include <atomic>' '#include "no/such/header_of_this_queue.h"' 'template <class T> struct q { void push(T); T pop(); };' >lacks.h
run 2 "$asif" init lacks.h; warns 'lacks.h:2:10: fatal error: no/such/header_of_this_queue.h'
case $err in *'compilation terminated.') ;; *) fail "not whole lines: $err" ;; esac

# Packages, where they are installed.
if printf '#include <boost/lockfree/spsc_queue.hpp>\n' | ${CXX:-c++} -x c++ -E - >/dev/null 2>&1; then
  run 0 "$asif" init boost/lockfree/spsc_queue.hpp; says 'asif_spsc_queue.cpp: bounded_queue(SIZE)'
  run 0 "$asif" test asif_spsc_queue.cpp --threads 2 --ops 2; says 'verdict: linearizable'
  run 0 "$asif" init boost/lockfree/stack.hpp; says 'asif_stack.cpp: stack'
  grep -q ASIF_SPSC asif_spsc_queue.cpp || fail 'the ring has no roles'
fi
exit 0
