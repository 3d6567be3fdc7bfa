#!/bin/bash
# --main: a program, such as unit tests as they are, is the test.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
cat >p.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static atomic_int n;
static void *adds(void *x) { return n++, x; }
static void *loads_and_stores(void *x) { return n = n + 1, x; }
static void *ends(void *x) { return exit(3), x; }
int main(int argc, char **argv) {
  void *(*f)(void *) = adds;
  pthread_t a, b;
  for (int i = 0; i < argc; i++) printf("<%s>", argv[i]);
  if (argc > 1 && !strcmp(argv[1], "wrong")) f = loads_and_stores;
  if (argc > 1 && !strcmp(argv[1], "--ends")) f = ends;
  pthread_create(&a, 0, f, 0), pthread_create(&b, 0, f, 0);
  pthread_join(a, 0), pthread_join(b, 0);
#ifdef EXIT
  exit(n != 2);
#endif
  return argv[argc] || n != 2 ? 7 : 0;
}
C
run 0 "$asif" test --main p.c; silent; says 'every schedule of 1 test: main()'; says 'verdict: holds (every schedule'
case $out in *'<'*) fail "it prints: $out" ;; esac
run 0 "$asif" test --main p.c -- right 'a "word" \ % é' -- -DEXIT; says 'verdict: holds (every schedule'
run 1 "$asif" test --main p.c --evidence e -- wrong 'a "word" \ %'; silent; says 'main returns 7'; says 'verdict: violated: assertion failure'
says '  | <p.c><wrong><a "word" \ %>'
run 0 "$asif" replay --run e; says 'the evidence stands'
token=$(sed -n 's/^token //p' e)
run 1 "$asif" test --main p.c --replay "$token" -- wrong 'a "word" \ %'; says 'main returns 7'
sed 's/^word wrong/word right/' e >other
run 3 "$asif" replay --run other; says 'main is called with: right'; says 'verdict: unknown: the code '
run 1 "$asif" test --main p.c -- wrong -- -DEXIT; says 'thread A calls exit(1)'; says 'verdict: violated: assertion failure'
run 1 "$asif" test --main p.c -- --ends; says 'calls exit(3)'
"$asif" cc -c p.c -o p.o || fail 'p.c'
run 1 "$asif" test --main p.o -- wrong; says 'main returns 7'
# A test framework allocates and frees much, and most of it is not executed. Neither makes schedules or notes: while the test's thread is alone it gets
# fresh blocks, and files in which functions of such a namespace begin are not counted. Tests are called by tables.
mkdir framework
cat >framework/framework.h <<'C'
#include <string>
#include <vector>
namespace testing {
struct Test { virtual void body() = 0; virtual ~Test() {} std::string name; };
void add(const std::string &name, Test *test);
struct Message { Message(); ~Message(); std::string *text; };
void fail(const Message &, const char *text);
int run(const char *name);
}
#define TEST(n) struct n : testing::Test { void body() override; }; static bool n##_added = (testing::add(#n, new n), true); void n::body()
#define EXPECT(c) if (c) ; else testing::fail(testing::Message(), #c)
C
cat >framework/framework.cc <<'C'
#include "framework.h"
#include <cstdio>
#include <map>
namespace {
std::map<std::string, testing::Test *> *tests;
std::vector<std::string *> held; /* of strings that are gone */
int failures;
}
namespace testing {
void add(const std::string &name, Test *test) {
  if (!tests) tests = new std::map<std::string, Test *>;
  test->name = name;
  (*tests)[name] = test;
}
Message::Message() : text(new std::string("a message that is long enough for a block")) {}
Message::~Message() { delete text; }
void fail(const Message &m, const char *text) { failures++; std::printf("%s %s\n", m.text->c_str(), text); }
static void prepare() {
  for (int i = 0; i < 20; i++) {
    std::string *s = new std::string(20 + i, 'x');
    held.push_back(s);
    delete s;
  }
}
void list() { for (auto &t : *tests) std::printf("%s\n", t.first.c_str()); }
int run(const char *name) {
  prepare();
  if (!name) return list(), 2;
  (*tests)[name]->body();
  prepare();
  return failures;
}
}
int main(int argc, char **argv) { return testing::run(argc > 1 ? argv[1] : nullptr); }
C
cat >unit.cc <<'C'
#include <framework.h>
#include <mutex>
#include <thread>
struct numbers {
  void put(int v) { std::lock_guard<std::mutex> held(mutex); inside.push_back(v); }
  int sum() {
    std::lock_guard<std::mutex> held(mutex);
    int all = 0;
    for (int v : inside) all += v;
    return all;
  }
  void drop() {
    std::lock_guard<std::mutex> held(mutex);
    inside.clear();
  }
  std::mutex mutex;
  std::vector<int> inside;
};
TEST(two_producers) {
  numbers n;
  std::thread a([&] { n.put(1); }), b([&] { n.put(2); });
  a.join(), b.join();
  EXPECT(n.sum() == 3);
  if (n.sum() > 10)
    n.drop();
}
TEST(others) { numbers n; n.put(1); EXPECT(n.sum() == 1); }
TEST(wrong) {
  int n = 0;
  std::thread a([&] { n++; }), b([&] { n++; });
  a.join(), b.join();
  EXPECT(n == 2);
}
C
"$asif" c++ -c framework/framework.cc || fail 'framework.cc'
run 0 "$asif" test --main unit.cc framework.o -- two_producers -- -Iframework; says 'verdict: holds (every schedule'
says 'never executed: numbers::drop (unit.cc:'
case $out in *framework.*|*others*|*wrong*) fail "it speaks of code that is not the test's: $out" ;; esac
schedules=$(sed -n 's/^verdict:.*[;,] \([0-9]*\) schedules.*/\1/p' <<<"$out")
[ "$schedules" -le 1000 ] || fail "$schedules schedules"
run 1 "$asif" test --main unit.cc framework.o -- wrong -- -Iframework; says 'verdict: violated: data race'
# But a thread that it starts may get what was freed before, and may find the address that was left somewhere: in memory, or on its stack.
cat >stale.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static _Atomic(int *) left;
static atomic_int same;
static void *finds(void *x) {
  int *p = malloc(40);
#ifdef STACK
  if (p == *(int **)x) same = 1;
#else
  if (p == left) same = 1;
#endif
  return free(p), x;
}
int main(void) {
  pthread_t t;
  int *p = malloc(40), *volatile kept = p;
  left = p;
  free(p);
  pthread_create(&t, 0, finds, (void *)&kept);
  pthread_join(t, 0);
  return same ? 7 : 0;
}
C
run 1 "$asif" test --main stale.c; says 'main returns 7'
run 1 "$asif" test --main stale.c -- -- -DSTACK; says 'main returns 7'

# What is none, what does not go together, and the same file without --main.
echo 'int nothing;' >none.c
run 2 "$asif" test --main none.c; warns 'main is not defined'
run 2 "$asif" test --main; warns 'usage: asif test FILE'
run 2 "$asif" test --main -- --right; warns 'no file to test'
run 2 "$asif" test --main p.c --stress; warns '--main'
run 2 "$asif" test --main p.c --threads 2; warns '--threads and --ops are for clients'
run 2 "$asif" test p.c; warns 'ASIF_OBJECT'
exit 0
