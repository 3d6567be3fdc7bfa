/* Everything atomic that compilers know of, and what C++ adds. */
#include "builtins.c"
#include <atomic>

struct A {
  virtual ~A() {}
  virtual int f() { return 1; }
  int x;
};
struct B : A {
  int f() override { return 2; }
  ~B() override { x = 1; }
};
int use(A *a) {
  int r = a->f();
  delete a;
  return r;
}
A *make() { return new B; }
int once() {
  static A a;
  return a.f();
}
thread_local A local;
int of_thread() { return local.f(); }
std::atomic<A *> top;
A *get() { return top.exchange(nullptr); }
