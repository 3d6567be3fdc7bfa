/* A bounded priority queue (bounded_priority_queue.h). */
#include "bounded_priority_queue.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "inside/common.h"

enum state { UNUSED, WRITING, WANTED, DONE };

struct record {
  _Alignas(CACHE_LINE) atomic_int state;
  bool insert, result;
  long value;
};
struct bounded_priority_queue {
  _Alignas(CACHE_LINE) atomic_bool locked; /* what follows is its holder's */
  size_t count, size;
  long *heap; /* the least is first; no value is less than that at (its place - 1) / 2 */
  unsigned record_count;
  struct record record[];
};

struct bounded_priority_queue *bounded_priority_queue_create(size_t size, unsigned records) {
  if (!records) records = 64;
  struct bounded_priority_queue *q = alloc_aligned(sizeof *q, records, sizeof q->record[0]);
  long *heap = alloc_array(0, size, sizeof *heap);
  if (!q || !heap) {
    free(q);
    free(heap);
    return NULL;
  }
  atomic_init(&q->locked, false);
  q->count = 0;
  q->size = size;
  q->heap = heap;
  q->record_count = records;
  for (unsigned i = 0; i < records; i++) atomic_init(&q->record[i].state, UNUSED);
  return q;
}

void bounded_priority_queue_destroy(struct bounded_priority_queue *q) {
  if (!q) return;
  free(q->heap);
  free(q);
}

static bool heap_insert(struct bounded_priority_queue *q, long value) {
  if (q->count == q->size) return false;
  size_t at = q->count++;
  for (; at > 0 && q->heap[(at - 1) / 2] > value; at = (at - 1) / 2) q->heap[at] = q->heap[(at - 1) / 2];
  q->heap[at] = value;
  return true;
}

static bool heap_deq(struct bounded_priority_queue *q, long *value) {
  if (q->count == 0) return false;
  *value = q->heap[0];
  long last = q->heap[--q->count];
  size_t at = 0;
  for (size_t child; (child = 2 * at + 1) < q->count; at = child) {
    if (child + 1 < q->count && q->heap[child + 1] < q->heap[child]) child++;
    if (last <= q->heap[child]) break;
    q->heap[at] = q->heap[child];
  }
  q->heap[at] = last;
  return true;
}

/* Does what everybody wants. */
static void combine(struct bounded_priority_queue *q) {
  for (unsigned i = 0; i < q->record_count; i++) {
    struct record *r = &q->record[i];
    if (atomic_load_explicit(&r->state, memory_order_acquire) != WANTED) continue;
    r->result = r->insert ? heap_insert(q, r->value) : heap_deq(q, &r->value);
    atomic_store_explicit(&r->state, DONE, memory_order_release);
  }
}

static struct record *take_record(struct bounded_priority_queue *q) {
  for (unsigned i = thread_hint() % q->record_count, tried = 1;; i = i + 1 < q->record_count ? i + 1 : 0, tried++) {
    int unused = UNUSED;
    if (atomic_compare_exchange_strong(&q->record[i].state, &unused, WRITING)) return &q->record[i];
    if (tried % q->record_count == 0) wait_a_moment();
  }
}

static bool ask(struct bounded_priority_queue *q, bool insert, long *value) {
  struct record *r = take_record(q);
  r->insert = insert;
  r->value = *value;
  atomic_store_explicit(&r->state, WANTED, memory_order_release);
  for (;;) {
    if (!atomic_exchange_explicit(&q->locked, true, memory_order_acquire)) {
      combine(q);
      atomic_store_explicit(&q->locked, false, memory_order_release);
    }
    if (atomic_load_explicit(&r->state, memory_order_acquire) == DONE) break;
    wait_a_moment();
  }
  bool result = r->result;
  *value = r->value;
  atomic_store_explicit(&r->state, UNUSED, memory_order_release);
  return result;
}

bool bounded_priority_queue_insert(struct bounded_priority_queue *q, long value) { return ask(q, true, &value); }

bool bounded_priority_queue_deq(struct bounded_priority_queue *q, long *value) {
  long got = 0;
  bool result = ask(q, false, &got);
  if (result) *value = got;
  return result;
}
