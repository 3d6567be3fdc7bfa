#!/bin/bash
# ASIF_TEST: any body that starts threads and asserts, under every schedule. Each is found right or wrong by itself.
. tests/cli/common
cat >tests.c <<'C'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int n;
static int plain, *block;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void set_up(void) { atomic_store(&n, 10); }
ASIF_INIT(set_up)

static void *adds(void *x) { return atomic_fetch_add(&n, 1), x; }
static void *loads_and_stores(void *x) { return atomic_store(&n, atomic_load(&n) + 1), x; }
static void *plainly(void *x) { return plain++, x; }
static void *a_then_b(void *x) {
  pthread_mutex_lock(&a), pthread_mutex_lock(&b), plain++, pthread_mutex_unlock(&b), pthread_mutex_unlock(&a);
  return x;
}
static void *b_then_a(void *x) {
  pthread_mutex_lock(&b), pthread_mutex_lock(&a), plain++, pthread_mutex_unlock(&a), pthread_mutex_unlock(&b);
  return x;
}
static void *frees(void *x) { return free(block), x; }
static void *uses(void *x) { return *block = 1, x; }

static void both(void *(*f)(void *), void *(*g)(void *)) {
  pthread_t s, t;
  pthread_create(&s, NULL, f, NULL);
  pthread_create(&t, NULL, g, NULL);
  pthread_join(s, NULL);
  pthread_join(t, NULL);
}

ASIF_TEST(atomic) {
  both(adds, adds);
  assert(atomic_load(&n) == 12);
}
ASIF_TEST(ordered) {
  both(a_then_b, a_then_b);
  assert(plain == 2);
}
#ifndef RIGHT
ASIF_TEST(lost_update) {
  both(loads_and_stores, loads_and_stores);
  assert(atomic_load(&n) == 12);
}
ASIF_TEST(deadlocks) { both(a_then_b, b_then_a); }
ASIF_TEST(races) { both(plainly, plainly); }
ASIF_TEST(uses_freed) {
  block = malloc(sizeof *block);
  both(frees, uses);
}
#endif
C
run 0 "$asif" test tests.c -- -DRIGHT; says 'every schedule of 2 tests'; says 'verdict: holds ('
run 0 "$asif" test tests.c --json -- -DRIGHT; says '"verdict":"holds"'; says '"complete":true'
run 1 "$asif" test tests.c; says 'lost_update()'; says 'verdict: violated: assertion failure (6 tests'
for one in atomic ordered; do
  run 0 "$asif" test tests.c --client "$one()"; says 'verdict: holds ('
done
run 1 "$asif" test tests.c --client 'deadlocks()'; says 'verdict: violated: deadlock'
replays=no
run 1 "$asif" test tests.c --client 'races()'; says 'verdict: violated: data race'
run 1 "$asif" test tests.c --client 'uses_freed()'; says 'verdict: violated: use after free'
run 1 "$asif" test tests.c --keep-going; says 'Also found'; says 'deadlocks()'; says 'races()'; says 'uses_freed()'

if echo 'int main() {}' | c++ -x c++ - -o /dev/null 2>/dev/null; then
  cat >tests.cpp <<'C'
#include <asif.h>
#include <atomic>
#include <cassert>
#include <mutex>
#include <condition_variable>
#include <thread>
#include <vector>
ASIF_TEST(hand_over) {
  std::mutex m;
  std::condition_variable c;
  bool ready = false;
  int value = 0;
  std::thread t([&] {
    std::unique_lock<std::mutex> hold(m);
    value = 5;
    ready = true;
    c.notify_one();
  });
  {
    std::unique_lock<std::mutex> hold(m);
#ifdef WRONG
    if (!ready) c.wait(hold);
    assert(!ready);
#else
    c.wait(hold, [&] { return ready; });
    assert(value == 5);
#endif
  }
  t.join();
}
ASIF_TEST(many) {
  std::atomic<int> n{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 3; i++) all.emplace_back([&n] { n++; });
  for (auto &t : all) t.join();
  assert(n == 3);
}
C
  run 0 "$asif" test tests.cpp --time-limit 5m; says 'verdict: holds ('
  run 1 "$asif" test tests.cpp -- -DWRONG; says 'verdict: violated: assertion failure'
fi

# Tests take turns: one that takes long keeps no other waiting.
cat >turns.c <<'C'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int n;
static void *add(void *unused) {
  for (int i = 0; i < 8; i++) n++;
  return unused;
}
static void add_much(void) {
  pthread_t t[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, add, NULL);
  for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
}
ASIF_TEST(first) { add_much(); }
ASIF_TEST(second) { add_much(); }
ASIF_TEST(third) { assert(LAST); }
C
run 1 "$asif" test turns.c --schedules-limit 100000 -- -DLAST=n; says 'verdict: violated: assertion failure (3 tests;'
run 3 "$asif" test turns.c --schedules-limit 100000 -- -DLAST=!n; says 'every schedule of 1 of 3 tests'
says 'note: not every schedule was run of first(), second()'
run 3 "$asif" test turns.c --schedules-limit 100000 --json -- -DLAST=!n; says '"verdict":"unknown"'

# What does not go together.
run 2 "$asif" test tests.c --spec queue; warns 'there are tests (ASIF_TEST)'
run 2 "$asif" test tests.c --threads 2; warns 'tests (ASIF_TEST) start threads of their own'
run 2 "$asif" test tests.c --stress; warns '--stress is for objects'
run 2 "$asif" verify tests.c; warns 'tests.c:'
cat >both.c <<'C'
#include <asif.h>
static void enq(int v) { (void)v; }
ASIF_TEST(one) { enq(1); }
ASIF_OBJECT(queue)
ASIF_OP(enq)
C
run 2 "$asif" test both.c; warns 'both.c:4: a line about an object, and there are tests'
run 2 "$asif" verify both.c; warns 'both.c:3:1: ASIF_TEST'
printf '%s\n' '#include <asif.h>' 'ASIF_TEST(one) {}' >one.c
printf '%s\n' '#include <asif.h>' 'ASIF_TEST(one) {}' >two.c
run 2 "$asif" test one.c two.c; warns 'a second test called one'
run 0 "$asif" test one.c; says 'every schedule of 1 test'

# A loop that waits until a second is over comes to its end: time passes faster where it is read very often.
cat >deadline.c <<'E'
#include <asif.h>
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
static atomic_int go, alive;
static void *work(void *unused) {
  alive = 1;
  while (!go) {}
  alive = 0;
  return unused;
}
ASIF_TEST(ends) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  time_t begin = time(NULL);
  while (difftime(time(NULL), begin) < 1.0 && !alive) {}
  go = 1;
  pthread_join(t, NULL);
}
E
run 0 "$asif" test deadline.c
says 'verdict: holds (every schedule of 1 test;'

# A test that is too large for the time says how to try less of it, or more.
cat >large.c <<'END'
#include <asif.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
static void *add(void *a) {
  for (int i = 0; i < 40; i++) atomic_fetch_add(&x, 1);
  return a;
}
ASIF_TEST(many) {
  pthread_t t[6];
  for (int i = 0; i < 6; i++) pthread_create(&t[i], 0, add, 0);
  for (int i = 0; i < 6; i++) pthread_join(t[i], 0);
}
END
run 3 "$asif" test large.c --time-limit 0.1; says 'note: --bound 2 runs the schedules of up to 2 delays only; --time-limit 5m searches longer'
run 0 "$asif" test large.c --bound 1; says 'verdict: no violation found'

# All that fail are listed, however the processes share them.
{
  printf '#include <asif.h>\n#include <assert.h>\nstatic int zero;\n'
  for i in $(seq 50); do printf 'ASIF_TEST(fails%d) { assert(zero); }\n' "$i"; done
} >fifty.c
for jobs in 1 2; do
  run 1 "$asif" test fifty.c --keep-going --jobs $jobs
  [ "$(grep -c '^    fails[0-9]*()' out)" = 49 ] || fail "not all are listed with $jobs processes"
done
exit 0
