/* Unit tests of a queue under a mutex, with GoogleTest (libgtest-dev): a program as it is, for --main. */
#include <deque>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

struct queue {
  void put(int v) {
    std::lock_guard<std::mutex> held(mutex);
    inside.push_back(v);
  }
  bool get(int &v) {
    std::lock_guard<std::mutex> held(mutex);
    if (inside.empty()) return false;
    v = inside.front();
    inside.pop_front();
    return true;
  }
  void clear() {
    std::lock_guard<std::mutex> held(mutex);
    inside.clear();
  }
  std::mutex mutex;
  std::deque<int> inside;
};

TEST(Queue, two_producers) {
  queue q;
  std::thread a([&] { q.put(1); }), b([&] { q.put(2); });
  a.join();
  b.join();
  int v = 0, w = 0;
  ASSERT_TRUE(q.get(v));
  ASSERT_TRUE(q.get(w));
  EXPECT_EQ(v + w, 3);
  if (v == w) q.clear();
}

/* The thread that takes need not find what the other puts. */
TEST(Queue, hasty) {
  queue q;
  bool found = false;
  std::thread a([&] { q.put(1); }), b([&] {
    int v;
    found = q.get(v);
  });
  a.join();
  b.join();
  EXPECT_TRUE(found);
}
