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
__asif_header(sched)
__asif_header(pthread)
typedef __asif_mutex pthread_mutex_t;
typedef __asif_mutex pthread_spinlock_t;
typedef int pthread_mutexattr_t;
typedef unsigned long pthread_t;
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
static pthread_mutex_t head_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t tail_lock = PTHREAD_MUTEX_INITIALIZER;
struct node {
  int val;
  _Atomic(struct node *) next;
};
static struct node *head, *tail;
static void set_up(void) {
  head = malloc(sizeof *head);
  head->val = 0;
  atomic_init(&head->next, ((void *)0));
  tail = head;
}
static void enq(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  atomic_init(&n->next, ((void *)0));
  pthread_mutex_lock(&tail_lock);
  struct node *last = tail;
  atomic_store(&last->next, n);
  tail = n;
  pthread_mutex_unlock(&tail_lock);
}
static int deq(void) {
  pthread_mutex_lock(&head_lock);
  struct node *dummy = head;
  struct node *next = atomic_load(&dummy->next);
  if (!next) {
    pthread_mutex_unlock(&head_lock);
    return ((-2147483647 - 1) + 4);
  }
  int v = next->val;
  head = next;
  pthread_mutex_unlock(&head_lock);
  free(dummy);
  return v;
}
ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(set_up)
ASIF_BOUND(3)
