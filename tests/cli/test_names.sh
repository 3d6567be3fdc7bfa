#!/bin/bash
# Variables in the execution that asif test tells have the names of the source: fields, elements, paths through pointers, variables of
# functions that are running. What cannot be named is told by its block.
. tests/cli/common
has test || exit 77
has_libdw || { echo 'there is no libdw'; exit 77; }
export ASIF_INCLUDE=$root/include

# told FILE ARGUMENT...: the lines of the execution, without their places and source lines, in $told.
told() {
  run 1 "$asif" test -j 1 "$@"
  told=$(sed -n '/^It happens like this/,/^\(note\|replay\): /p' out | sed -e '1,2d' -e 's/ *| .*//' \
    -e 's/^\(.*\) [A-Za-z_]*\.[a-z]*:[0-9]*/\1/' -e 's/  */ /g' -e 's/^ //' -e 's/^[0-9]* [A-Z] //')
}
tells() {
  for line; do
    case $'\n'$told$'\n' in *$'\n'"$line"$'\n'*) ;; *) fail "the execution lacks the line '$line': $told" ;; esac
  done
}
contains() { case $told in *"$1"*) ;; *) fail "the execution lacks '$1': $told" ;; esac; }
lacks() { case $told in *"$1"*) fail "the execution has '$1': $told" ;; esac; }

# Elements of arrays, structs in structs, members without a name, unions, bit-fields, enumerations, bool, double; and an operation that
# returns something else each time, so that its run is told.
cat >fields.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdbool.h>
enum state { IDLE, BUSY = 7 };
struct slot {
  atomic_uint seq;
  struct {
    int low, high;
  } pair[2];
  union {
    long whole;
    unsigned char bytes[8];
  };
  union {
    int number;
    float ratio;
  } either;
  unsigned ready : 1, count : 3;
  enum state state;
  bool there;
  double part;
  struct slot *next;
};
static struct slot slots[4];
int grid[2][3];
static _Atomic(struct slot *) first;
static int look(void) {
  volatile int calls = 0;
  atomic_store(&first, &slots[2]);
  slots[3].pair[1].high = 5;
  slots[1].whole = 9;
  slots[1].bytes[3] = 1;
  slots[2].either.number = 4;
  slots[2].ready = 1;
  slots[0].state = BUSY;
  slots[0].there = true;
  slots[0].part = 0.5;
  slots[0].next = &slots[3];
  grid[1][2] = 6;
  return (int)atomic_fetch_add(&slots[3].seq, 1) + calls;
}
ASIF_OBJECT(register(9))
ASIF_OP_AS(read, look)
END
for how in '-O2' '-O0' '-O1 -gdwarf-4' '-gdwarf-2 -gstrict-dwarf'; do
  told fields.c --client 'look()' -- $how
  tells 'store first = &slots[2]' 'store slots[3].pair[1].high = 5' 'store slots[1].whole = 9' 'store slots[1].bytes[3] = 1' \
    'store slots[0].state = BUSY' 'store slots[0].there = true' 'store slots[0].part = 0.5' 'store slots[0].next = &slots[3]' \
    'store grid[1][2] = 6' 'update slots[3].seq: 0 -> 1'
  contains 'store slots[2].either.{number, ratio} = '
  contains 'store slots[2].{ready, count} = '
done

# A queue on the heap behind a handle: paths through pointers. What is not linked yet is named by the variable that has it.
cat >queue.h <<'END'
struct queue;
struct queue *queue_new(void);
void queue_put(struct queue *, int);
int queue_get(struct queue *);
END
cat >queue.c <<'END'
#include "queue.h"
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node {
  int value;
  _Atomic(struct node *) next;
};
struct queue {
  _Atomic(struct node *) head, tail;
};
struct queue *queue_new(void) {
  struct queue *q = malloc(sizeof *q);
  struct node *dummy = calloc(1, sizeof *dummy);
  atomic_init(&q->head, dummy);
  atomic_init(&q->tail, dummy);
  return q;
}
void queue_put(struct queue *q, int v) {
  struct node *n = malloc(sizeof *n);
  n->value = v;
  atomic_init(&n->next, NULL);
  struct node *last = atomic_load(&q->tail);
  atomic_store(&last->next, n);
  atomic_store(&q->tail, n);
}
int queue_get(struct queue *q) {
  struct node *h = atomic_load(&q->head), *n = atomic_load(&h->next);
  if (!n) return ASIF_EMPTY;
  int v = n->value;
  return atomic_compare_exchange_strong(&q->head, &h, n) ? v : ASIF_EMPTY;
}
END
cat >harness.c <<'END'
#include "queue.h"
#include <asif.h>
static struct queue *the_queue; /* its type is declared here, and known in the other file only */
static void start(void) { the_queue = queue_new(); }
static void enq(int v) { queue_put(the_queue, v); }
static int deq(void) { return queue_get(the_queue); }
ASIF_OBJECT(queue)
ASIF_INIT(start)
ASIF_OP(enq, ASIF_IN(1, 1))
ASIF_OP(deq)
END
for how in '' '-O0'; do
  told harness.c queue.c --client 'enq(1) deq() | enq(1) deq()' -- $how
  tells 'allocate block 3: struct node' 'store n->value (block 3) = 1' 'load the_queue->tail -> &block 2' \
    'store the_queue->tail->next (block 2) = &block 3' 'load the_queue->head->next->value (block 4) -> 1' \
    'interrupts A, which was about to store the_queue->tail at'
  contains 'load the_queue->head->next (block 2) -> &block'
  contains 'update the_queue->head: &block 2 -> &block'
  lacks 'heap block'
  says '|--enq(1)--'; says '-deq() -> empty--|'
done
if command -v clang >/dev/null 2>&1; then
  for how in '' '-O0' '-gdwarf-4'; do
    CC=clang told harness.c queue.c --client 'enq(1) deq() | enq(1) deq()' -- $how
    tells 'load the_queue->tail -> &block 2'
    contains 'load the_queue->head->next (block 2) -> &block'
  done
  CC=clang told harness.c queue.c --client 'enq(1) deq() | enq(1) deq()' -- -gsplit-dwarf # most of it in other files
  contains 'the_queue -> &block 1'
fi

# Evidence is the same whether names are known or not.
for libdw in '' none; do
  ASIF_LIBDW=$libdw run 1 "$asif" test harness.c queue.c --client 'enq(1) deq() | enq(1) deq()' -j 1 --evidence evidence.$libdw
done
cmp evidence. evidence.none || fail 'evidence depends on the debug information'

# Without debug information: blocks and symbols.
told harness.c queue.c --client 'enq(1) deq() | enq(1) deq()' -- -g0
contains 'load block 1 + 8 -> &block 2'

# Templates, namespaces, base classes, std::atomic and std::unique_ptr; what is declared in a header of the language has no line.
cat >names.cpp <<'END'
#include <asif.h>
#include <atomic>
#include <memory>
namespace store {
struct base {
  std::atomic<int> n{0};
};
template <class T> struct cell : base {
  struct part {
    std::atomic<T> value{0};
  };
  std::unique_ptr<part> inner{new part};
};
namespace {
cell<long> *all;
}
} // namespace store
static void start() { store::all = new store::cell<long>; }
static int inc() {
  long was = store::all->inner->value.load();
  store::all->inner->value.store(was + 1);
  store::all->n.store(2);
  return (int)was;
}
ASIF_OBJECT(counter)
ASIF_INIT(start)
ASIF_OP_AS(fetch_add, inc)
END
for how in '' '-O0'; do
  told names.cpp --client 'inc() | inc()' -- $how
  contains 'load store::all->inner->value -> 0'
  contains 'store store::all->inner->value = 1'
  contains 'store store::all->n = 2'
  says 'names.cpp:22  '
  case $out in *'atomic_base.h'*) fail "a line of the language's header: $out" ;; esac
  says '|--inc() -> 0'
  says 'when inc() -> 0 returns'
done

# Small functions that are inlined: the line is that of who calls them.
cat >small.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static inline int peek(atomic_int *at) { return atomic_load(at); }
static inline void poke(atomic_int *at, int v) {
  atomic_store(at, v); /* not written in one line: it is told here */
}
struct counter {
  atomic_int n;
};
static struct counter all;
static int inc(void) {
  int was = peek(&all.n);
  poke(&all.n, was + 1);
  return was;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc)
END
told small.c --client 'inc() | inc()'
says 'small.c:12  load all.n -> 0'
says 'small.c:5   store all.n = 1'

# Marks in the lower bits of pointers: no path, but the field; what is freed is told so; an array behind a pointer.
cat >marked.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct node {
  long key, value;
};
struct slot {
  atomic_int seq, data;
};
static _Atomic(uintptr_t) top;
static struct slot *ring;
struct node *kept;
static void start(void) {
  ring = calloc(4, sizeof *ring);
  struct node *n = malloc(sizeof *n);
  n->key = 1;
  n->value = 2;
  atomic_store(&top, (uintptr_t)n | 1);
}
static int get(void) {
  struct node *n = (struct node *)(atomic_load(&top) & ~(uintptr_t)1);
  atomic_store(&ring[3].data, 7);
  long v = n->value;
  return (int)v + 5;
}
static int late(void) {
  struct node *n = (struct node *)(atomic_load(&top) & ~(uintptr_t)1);
  kept = n;
  free(n);
  return (int)kept->value;
}
ASIF_OBJECT(register(9))
ASIF_INIT(start)
ASIF_OP_AS(read, get)
ASIF_OP_AS(read, late)
END
told marked.c --client 'get()' -- -O0
says 'load top -> &block 2 | 1'
contains 'store ring[3].data = 7'
contains 'load n->value (block 2) -> 2'
told marked.c --client 'get()'
contains 'value'
contains 'store ring[3].data = 7'
told marked.c --client 'late()'
contains 'free block 2'
contains 'kept->value (block 2, freed)'

# Memory that nobody wrote, fresh or of a block that was used before.
cat >fresh.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct box {
  int full, empty;
};
static atomic_int n;
static int get(void) {
  struct box *b = malloc(sizeof *b);
  b->full = 3;
  atomic_fetch_add(&n, b->full);
  int v = b->empty;
  free(b);
  return v;
}
ASIF_OBJECT(register(9))
ASIF_OP_AS(read, get)
END
told fresh.c --client 'get()' -- -O0
tells 'load b->full (block 1) -> 3' 'load b->empty (block 1) -> 0xa5a5a5a5, uninitialised' 'get returns -1515870811, uninitialised'
says 'note: -1515870811 was read from memory that nobody had written: b->empty (block 1), fresh.c:12'
lacks '3, uninitialised'

# A variable of a test, shared with the threads that it starts.
cat >local.cpp <<'END'
#include <asif.h>
#include <atomic>
#include <cassert>
#include <thread>
struct pair {
  std::atomic<int> left{0}, right{0};
};
ASIF_TEST(two_increments) {
  pair p;
  std::thread a([&] { p.right = p.right + 1; }), b([&] { p.right = p.right + 1; });
  a.join();
  b.join();
  assert(p.right == 2);
}
END
told local.cpp
contains 'load p.right of thread A -> 0'
contains 'store p.right of thread A = 1'

# A structure that ends with an array of any length, whose elements are as long as the rest is a multiple of.
cat >ends.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct row {
  atomic_long back, length;
  atomic_long item[];
};
static struct row *r;
static void setup(void) { r = calloc(1, sizeof *r + 8 * sizeof r->item[0]); }
static long inc(void) { return atomic_store(&r->item[3], atomic_load(&r->item[3]) + 1), atomic_load(&r->item[3]); }
ASIF_OBJECT(self)
ASIF_INIT(setup)
ASIF_OP(inc)
END
told ends.c --client 'inc() | inc()'
contains 'load r->item[3] -> 0'
contains 'store r->item[3] = 1'

# A use after free that was not executed is told as predicted.
cat >ahead.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct item {
  int key, value;
};
static _Atomic(struct item *) p;
static void setup(void) {
  struct item *i = calloc(1, sizeof *i);
  p = i;
}
static int get(void) {
  struct item *mine = atomic_load(&p);
  return mine ? mine->value : 0;
}
static void end(void) { free(atomic_exchange(&p, NULL)); }
ASIF_OBJECT(self)
ASIF_INIT(setup)
ASIF_OP(get)
ASIF_OP(end)
END
told ahead.c --client 'get() | end()'
says "Use after free: predicted: thread A reads block 1.value (allocated by the initialisation), thread B frees the block
later in this run's order, and nothing orders the two: the free could come first"
contains 'the free, which could come first: block 1'
contains 'the read, which could come after it: block 1.value'

# A member of a union without a name is named where it is raced for, too; tabs of the source are blanks.
cat >union.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct item {
  int value;
  union {
    struct item *next;
    long number;
  };
};
static _Atomic(struct item *) head;
static void put(int v) {
  struct item *i = calloc(1, sizeof *i);
  i->value = v;
  struct item *old = atomic_exchange_explicit(&head, i, memory_order_relaxed);
	if (old)	old->next = i;
}
ASIF_OBJECT(bag)
ASIF_OP(put)
END
told union.c --client 'put(1) | put(1)'
says 'Data race: 8 bytes at block 1.{next, number} (allocated by thread A): thread A writes, thread B writes, and'
says '    if (old)  old->next = i;'
contains 'the other write: block 1.{next, number}'

# A name is put in its place once, and not into a word that happens to contain it.
cat >letter.c <<'END'
#include <asif.h>
struct pair { int x[2], y; };
struct pair a;
static void set(int v) { a.x[0] = v; }
ASIF_OBJECT(bag)
ASIF_OP_AS(put, set)
END
told letter.c --client 'set(1) | set(1)'
says 'Data race: 4 bytes at a.x[0]: thread A writes, thread B writes, and nothing orders the two'
exit 0
