/* Scenes in C++ for tests/test_threads.c. */
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>
#if __cplusplus >= 202002L
#include <barrier>
#include <latch>
#include <semaphore>
#endif

#define SCENE extern "C" __attribute__((visibility("default"))) long
#define INIT extern "C" __attribute__((visibility("default"))) void

static std::mutex m;
static std::condition_variable cv;
static int plain;
static std::atomic<int> count;

SCENE threads() {
  long sum = 0;
  std::thread t([&] {
    std::lock_guard<std::mutex> hold(m);
    sum += 1;
  });
  std::thread u([&sum](int n) {
    std::lock_guard<std::mutex> hold(m);
    sum += n;
  }, 2);
  assert(t.get_id() != u.get_id() && t.get_id() != std::this_thread::get_id());
  t.join();
  u.join();
  return sum;
}

SCENE condition_0() {
  std::unique_lock<std::mutex> hold(m);
  cv.wait(hold, [] { return plain != 0; });
  return plain;
}
SCENE condition_1() {
  {
    std::lock_guard<std::mutex> hold(m);
    plain = 4;
  }
  cv.notify_one();
  return 0;
}

SCENE wait_for_0() {
  std::unique_lock<std::mutex> hold(m);
  return cv.wait_for(hold, std::chrono::milliseconds(5), [] { return plain != 0; }) ? plain : 1;
}
SCENE wait_for_1() { return condition_1(); }

static std::once_flag once;
SCENE once_0() {
  std::call_once(once, [] {
    plain++;
    count++;
  });
  return plain;
}
SCENE once_1() { return once_0(); }

static std::once_flag twice;
static long fails_first() {
  try {
    std::call_once(twice, [] {
      if (count++ == 0) throw 1;
      plain++;
    });
    return plain;
  } catch (int n) {
    std::this_thread::yield();
    return -n;
  }
}
SCENE once_throws_0() { return fails_first(); }
SCENE once_throws_1() { return fails_first(); }

static std::shared_mutex shared;
SCENE shared_0() {
  std::shared_lock<std::shared_mutex> hold(shared);
  int v = plain;
  return v;
}
SCENE shared_1() {
  std::unique_lock<std::shared_mutex> hold(shared);
  return ++plain;
}

static std::recursive_mutex recursive;
static std::timed_mutex timed;
SCENE others_0() {
  std::lock_guard<std::recursive_mutex> first(recursive), second(recursive);
  bool got = timed.try_lock_for(std::chrono::milliseconds(1));
  plain++;
  if (got) timed.unlock();
  return got;
}
SCENE others_1() {
  std::lock_guard<std::timed_mutex> hold(timed);
  count++;
  return 0;
}

/* Exceptions of one thread while others have theirs. */
SCENE exceptions_0() {
  try {
    count++;
    throw 3;
  } catch (int n) {
    count++;
    try {
      count++;
      throw 4L;
    } catch (long k) {
      count++;
      return n * 10 + k;
    }
  }
}
SCENE exceptions_1() {
  try {
    count++;
    throw 5;
  } catch (int n) {
    count++;
    return n;
  }
}

struct counted {
  int n = 1;
  counted() { count++; }
  ~counted() { count += 10; }
};
static thread_local counted per_thread;
SCENE thread_local_() {
  std::thread t([] { per_thread.n++; });
  std::thread u([] { per_thread.n++; });
  t.join();
  u.join();
  return count;
}

struct made {
  int n;
  made() : n(++plain) { count++; }
};
static made &single() {
  static made only;
  return only;
}
SCENE statics_0() { return single().n; }
SCENE statics_1() { return single().n; }

SCENE asyncs() {
  auto f = std::async(std::launch::async, [] { return 6; });
  return f.get();
}
static std::promise<int> promise;
SCENE promises_0() { return promise.get_future().get(); }
SCENE promises_1() {
  promise.set_value(7);
  return 0;
}

static std::shared_ptr<int> pointer;
INIT pointers_init() { pointer = std::make_shared<int>(3); }
static long copies() {
  std::shared_ptr<int> mine = pointer;
  return *mine;
}
SCENE pointers_0() { return copies(); }
SCENE pointers_1() { return copies(); }

SCENE sleeps() {
  auto first = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  auto passed = std::chrono::steady_clock::now() - first;
  return std::chrono::duration_cast<std::chrono::milliseconds>(passed).count();
}
SCENE device() { return std::random_device()() & 0xffff; }

SCENE deadlock_0() {
  std::lock_guard<std::mutex> first(m);
  std::lock_guard<std::timed_mutex> second(timed);
  return 0;
}
SCENE deadlock_1() {
  std::lock_guard<std::timed_mutex> first(timed);
  std::lock_guard<std::mutex> second(m);
  return 0;
}
SCENE lock_both_0() {
  std::scoped_lock hold(m, timed);
  return ++plain * 0;
}
SCENE lock_both_1() {
  std::scoped_lock hold(timed, m);
  return ++plain * 0;
}

#if __cplusplus >= 202002L
static std::atomic<int> word;
SCENE atomic_wait_0() {
  word.wait(0);
  return plain;
}
SCENE atomic_wait_1() {
  plain = 2;
  word = 1;
  word.notify_one();
  return 0;
}
static std::counting_semaphore<3> semaphore{0};
SCENE semaphore_0() {
  semaphore.acquire();
  return plain;
}
SCENE semaphore_1() {
  plain = 5;
  semaphore.release();
  return 0;
}
static std::latch latch{2};
SCENE latch_0() {
  count++;
  latch.arrive_and_wait();
  return count;
}
SCENE latch_1() { return latch_0(); }
SCENE jthread() {
  int n = 0;
  {
    std::jthread t([&] { n = 9; });
  }
  return n;
}
#endif
