/* std::deque under a std::mutex whose lock is a std::unique_lock; with UNLOCKED, pushes do not take it. */
#include <asif.h>
#include <deque>
#include <mutex>

static std::deque<int> values;
static std::mutex mutex;

static void push_back(int v) {
  std::unique_lock<std::mutex> held(mutex, std::defer_lock);
#ifndef UNLOCKED
  held.lock();
#endif
  values.push_back(v);
}
static void push_front(int v) {
  std::unique_lock<std::mutex> held(mutex);
  values.push_front(v);
}
static int pop_back() {
  std::unique_lock<std::mutex> held(mutex);
  if (values.empty()) return ASIF_EMPTY;
  int v = values.back();
  values.pop_back();
  return v;
}
static int pop_front() {
  std::unique_lock<std::mutex> held(mutex);
  if (values.empty()) return ASIF_EMPTY;
  int v = values.front();
  values.pop_front();
  return v;
}
ASIF_OBJECT(deque)
ASIF_OP(push_back, ASIF_IN(1, 2))
ASIF_OP(push_front, ASIF_IN(1, 2))
ASIF_OP(pop_back)
ASIF_OP(pop_front)
