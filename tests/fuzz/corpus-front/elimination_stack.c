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
  struct node *next;
};
static _Atomic(struct node *) top, slots[1];
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  for (;;) {
    struct node *t = atomic_load(&top);
    n->next = t;
    if (atomic_compare_exchange_strong(&top, &t, n)) return;
    for (int i = 0; i < 1; i++) {
      struct node *none = ((void *)0), *offered = n;
      if (atomic_compare_exchange_strong(&slots[i], &none, n)) {
        asif_yield();
        if (atomic_compare_exchange_strong(&slots[i], &offered, ((void *)0))) continue;
        return;
      }
    }
  }
}
static int take(struct node *n) {
  int v = n->val;
  return v;
}
static int pop(void) {
  int v = ((-2147483647 - 1) + 4);
  for (;;) {
    struct node *t = atomic_load(&top);
    if (!t) return v;
    struct node *next = t->next;
    if (atomic_compare_exchange_strong(&top, &t, next)) return take(t);
    for (int i = 0; i < 1; i++) {
      struct node *offered = atomic_load(&slots[i]);
      if (offered && atomic_compare_exchange_strong(&slots[i], &offered, ((void *)0))) {
        v = take(offered);
        return v;
      }
    }
  }
}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 2))
ASIF_OP(pop)
ASIF_BOUND(3)
