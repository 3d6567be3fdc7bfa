/* What C++ adds, for the runtime's tests. */
#include <atomic>
#include <stdexcept>
#include <string>

static std::atomic<int> made, destroyed, turn;

/* A thread's own objects: made by each, and destroyed when it ends. */
struct counted {
  int value;
  counted() : value(made.fetch_add(1) + 1) {}
  ~counted() { destroyed.fetch_add(1); }
};
static thread_local counted own;
extern "C" long object_0() {
  int first = own.value;
  turn.fetch_add(1);
  return own.value == first ? first : -1;
}
extern "C" long object_1() { return object_0(); }

/* One of the threads makes it, the other waits for that. */
struct slow {
  int value;
  slow() {
    made.fetch_add(1);
    turn.fetch_add(1);
    value = made.load();
  }
};
static long once() {
  static slow s;
  return s.value;
}
extern "C" long once_0() { return once(); }
extern "C" long once_1() { return once(); }

/* Exceptions of several threads at once. */
static long thrown(int me) {
  try {
    turn.fetch_add(1);
    try {
      throw std::runtime_error(std::string("from thread ") + std::to_string(me));
    } catch (const std::exception &e) {
      turn.fetch_add(1);
      if (std::string(e.what()) != "from thread " + std::to_string(me)) return -1;
      throw me;
    }
  } catch (int number) {
    turn.fetch_add(1);
    return number;
  }
}
extern "C" long throw_0() { return thrown(5); }
extern "C" long throw_1() { return thrown(6); }

extern "C" long uncaught() {
  turn.fetch_add(1);
  throw std::out_of_range("nobody catches this");
}
extern "C" long noexcepts() noexcept { throw 5; }
