typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef __asif_intptr intptr_t;
typedef __asif_uintptr uintptr_t;
__asif_header(string)
__asif_header(asif)
__asif_header(stdatomic)
typedef enum {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
} memory_order;
typedef _Atomic(_Bool) atomic_bool;
typedef _Atomic(char) atomic_char;
typedef _Atomic(signed char) atomic_schar;
typedef _Atomic(unsigned char) atomic_uchar;
typedef _Atomic(short) atomic_short;
typedef _Atomic(unsigned short) atomic_ushort;
typedef _Atomic(int) atomic_int;
typedef _Atomic(unsigned) atomic_uint;
typedef _Atomic(long) atomic_long;
typedef _Atomic(unsigned long) atomic_ulong;
typedef _Atomic(long long) atomic_llong;
typedef _Atomic(unsigned long long) atomic_ullong;
typedef _Atomic(intptr_t) atomic_intptr_t;
typedef _Atomic(uintptr_t) atomic_uintptr_t;
typedef _Atomic(size_t) atomic_size_t;
typedef _Atomic(ptrdiff_t) atomic_ptrdiff_t;
typedef _Atomic(_Bool) atomic_flag;
__asif_header(stdlib)
struct node {
  int val;
  _Atomic(struct node *) next;
};
static _Atomic(struct node *) head, tail;
static void set_up(void) {
  struct node *dummy = malloc(sizeof *dummy);
  dummy->val = 0;
  atomic_init(&dummy->next, ((void *)0));
  atomic_store(&head, dummy);
  atomic_store(&tail, dummy);
}
static void enq(int v) {
  struct node *n = malloc(sizeof *n), *t;
  n->val = v;
  atomic_init(&n->next, ((void *)0));
  for (;;) {
    t = atomic_load(&tail);
    struct node *next = atomic_load(&t->next);
    if (t != atomic_load(&tail)) continue;
    if (next) {
      atomic_compare_exchange_strong(&tail, &t, next);
    } else if (atomic_compare_exchange_strong(&t->next, &next, n)) {
      break;
    }
  }
  atomic_compare_exchange_strong(&tail, &t, n);
}
static int deq(void) {
  for (;;) {
    struct node *h = atomic_load(&head);
    struct node *t = atomic_load(&tail);
    struct node *next = atomic_load(&h->next);
    if (h != atomic_load(&head)) continue;
    if (h == t) {
      if (!next) return ((-2147483647 - 1) + 4);
      atomic_compare_exchange_strong(&tail, &t, next);
      continue;
    }
    int v = next->val;
    if (atomic_compare_exchange_strong(&head, &h, next)) return v;
  }
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(3)
