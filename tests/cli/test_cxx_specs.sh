#!/bin/bash
# A specification in C++, by functions and by effects; and a harness for a library that takes pointers and gives them back through
# out-parameters.
. tests/cli/common
replays=no
cat >library.h <<'C'
/* A queue of pointers, as a library has it. */
#ifndef LIB_H
#define LIB_H
#include <stdbool.h>
#include <stddef.h>
struct ptr_queue;
struct ptr_queue *ptr_queue_new(size_t size);
void ptr_queue_free(struct ptr_queue *q);
int ptr_queue_push(struct ptr_queue *q, void *item);          /* 0, or -1 where it is full */
int ptr_queue_pop(struct ptr_queue *q, void **item);          /* 0, or -1 where it is empty */
#endif
C
cat >library.c <<'C'
#include "library.h"
#include <pthread.h>
#include <stdlib.h>
struct ptr_queue { pthread_mutex_t lock; size_t size, head, count; void *item[]; };
struct ptr_queue *ptr_queue_new(size_t size) {
  struct ptr_queue *q = calloc(1, sizeof *q + size * sizeof(void *));
  pthread_mutex_init(&q->lock, NULL);
  q->size = size;
  return q;
}
void ptr_queue_free(struct ptr_queue *q) { pthread_mutex_destroy(&q->lock); free(q); }
int ptr_queue_push(struct ptr_queue *q, void *item) {
  pthread_mutex_lock(&q->lock);
  int full = q->count == q->size;
#ifdef WRONG
  pthread_mutex_unlock(&q->lock);
  pthread_mutex_lock(&q->lock);
#endif
  if (!full) q->item[(q->head + q->count++) % q->size] = item;
  pthread_mutex_unlock(&q->lock);
  return full ? -1 : 0;
}
int ptr_queue_pop(struct ptr_queue *q, void **item) {
  pthread_mutex_lock(&q->lock);
  int empty = !q->count;
  if (!empty) *item = q->item[q->head], q->head = (q->head + 1) % q->size, q->count--;
  pthread_mutex_unlock(&q->lock);
  return empty ? -1 : 0;
}
C
cat >harness.c <<'C'
#include <asif.h>
#include "library.h"
static struct ptr_queue *q;
static void set_up(void) { q = ptr_queue_new(2); }
static int push(int v) { return ptr_queue_push(q, asif_pointer(v)) == 0 ? ASIF_OK : ASIF_FULL; }
static int pop(void) {
  void *p = NULL;
  return ptr_queue_pop(q, &p) == 0 ? asif_number(p) : ASIF_EMPTY;
}
static void clean_up(void) { ptr_queue_free(q); }
ASIF_OBJECT(bounded_queue(2))
ASIF_OP_AS(enq, push, ASIF_IN(1, 2))
ASIF_OP_AS(deq, pop)
ASIF_INIT(set_up)
ASIF_FINAL(clean_up)
C
run 0 "$asif" test harness.c library.c --threads 2 --ops 2; says 'verdict: linearizable'
run 1 "$asif" test harness.c library.c -- -DWRONG; says 'Not linearizable'

echo 'int main() {}' | c++ -x c++ - -o /dev/null 2>/dev/null || exit 0
cat >own.cpp <<'C'
#include <asif.h>
#include <atomic>

namespace {
struct State { int size; };
int spec_push(State &s) { return s.size < 2 ? ++s.size : s.size; }
int spec_pop(State *s) { return s->size > 0 ? s->size-- : 0; }
int spec_size(const State &s) { return s.size; }
void init(State &s) { s.size = 0; }
}
ASIF_SPEC(bounded_counter, State, init)
ASIF_SPEC_OP(spec_push, "push")
ASIF_SPEC_OP(spec_pop, "pop")
ASIF_SPEC_OP(spec_size, "size")

static std::atomic<int> n;
static int push() {
  int v = n;
#ifdef WRONG
  if (v < 2) n = v + 1;
  return v < 2 ? v + 1 : v;
#else
  while (v < 2 && !n.compare_exchange_strong(v, v + 1)) ;
  return v < 2 ? v + 1 : v;
#endif
}
static int pop() {
  int v = n;
  while (v > 0 && !n.compare_exchange_strong(v, v - 1)) ;
  return v;
}
static int size() { return n; }
ASIF_OBJECT(bounded_counter)
ASIF_OP(push)
ASIF_OP(pop)
ASIF_OP(size)
C
run 0 "$asif" test own.cpp --threads 2 --ops 2; says 'verdict: linearizable'
run 1 "$asif" test own.cpp --threads 2 --ops 2 -- -DWRONG; says 'Not linearizable'
run 0 "$asif" specs own.cpp; says 'bounded_counter'
printf '%s\n' 'c push() A' 'c Ok(1) A' 'c pop() B' 'c Ok(1) B' >good.txt
printf '%s\n' 'c push() A' 'c Ok(2) A' >bad.txt
run 0 "$asif" check good.txt --spec own.cpp
run 1 "$asif" check bad.txt --spec own.cpp
for version in 11 14 17 20; do
  c++ -std=c++$version -Wall -Wextra -Wpedantic -Werror -I"$root/include" -fsyntax-only own.cpp 2>err || fail "C++$version: $(cat err)"
done
sed 's/int spec_pop(State \*s)/int spec_pop(State *s, double)/' own.cpp >wrong.cpp
run 2 "$asif" specs wrong.cpp; warns 'spec_pop'

# By effects.
cat >effects.cpp <<'C'
#include <asif.h>
#include <mutex>
#include <vector>
static std::mutex lock;
static int values[8], count;
static void push(int v) {
  std::lock_guard<std::mutex> hold(lock);
  values[count++] = v;
}
static int pop() {
#ifndef WRONG
  std::lock_guard<std::mutex> hold(lock);
#endif
  return count ? values[--count] : ASIF_EMPTY;
}
ASIF_OBJECT(own_stack)
ASIF_OP(push)
ASIF_OP(pop)
ASIF_EFFECT(push(v), "A => <v> . A")
ASIF_EFFECT(pop, "<e> . A => A, returns e")
ASIF_EFFECT(pop, "<> => <>, returns empty")
C
run 0 "$asif" test effects.cpp --threads 2 --ops 2; says 'verdict: linearizable'
run 1 "$asif" test effects.cpp --threads 2 --ops 2 -- -DWRONG
exit 0
