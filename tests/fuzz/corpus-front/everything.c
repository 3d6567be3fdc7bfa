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
__asif_header(sched)
__asif_header(pthread)
typedef __asif_mutex pthread_mutex_t;
typedef __asif_mutex pthread_spinlock_t;
typedef int pthread_mutexattr_t;
typedef unsigned long pthread_t;
__asif_header(assert)
enum color { RED, GREEN = 5, BLUE };
typedef struct list list_t;
struct list { int key; _Atomic(uintptr_t) next; struct { int x, y; }; };
static list_t *head = ((void *)0);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int a[3]; pthread_mutex_t m; struct list *p; } pool[4] = { [1] = {.a = {1, 2}, .p = 0}, {{7}, PTHREAD_MUTEX_INITIALIZER} };
int array[] = {1, 2, [5] = 9};
static _Thread_local int hint;
static inline struct list *get(uintptr_t v) { return (struct list *)(v & ~(uintptr_t)1); }
static _Bool is_marked(uintptr_t v) { return v & 1; }
int f(int a, unsigned b, char c) {
  static int calls = 3;
  int i, sum = 0;
  short s = 1;
  enum color k = RED;
  for (int j = 0, n = 3; j < n; j++) sum += array[j] * c;
  for (i = 0; ; ) { if (i++ > 3) break; else continue; }
  switch (k) { case RED: sum = 1; break; case GREEN: case BLUE: sum++; default: ; }
  s += a; s <<= 2; b = a < b; calls++;
  assert(sum > 0 && "positive");
  sum = a ? b : -1;
  if (head == ((void *)0) || !head->x) goto out;
  pthread_mutex_lock(&lock);
  head->y = (head->x, 3);
  list_t l = (list_t){.key = 1, .x = 2};
  uintptr_t v = atomic_load_explicit(&head->next, memory_order_acquire);
  while (is_marked(v)) v = get(v)->next;
  if (!atomic_compare_exchange_weak(&head->next, &v, ((uintptr_t)(get(v)) | 1))) return ((-2147483647 - 1) + 5);
  ASIF_ATOMIC { sum = l.key; }
  ASIF_LIN();
  pthread_mutex_unlock(&lock);
  int *p = array + 2, *q = &pool[1].a[i];
  *p++ = q - p;
  __sync_add_and_fetch(&sum, a);
  free(head);
  do { sum--; } while (sum);
out:
  return (int)sizeof(struct list) + sum;
}
ASIF_OBJECT(bounded_queue(2 * 4)) ASIF_OP_AS(enq, f, ASIF_IN(0, 1), ASIF_IN(2, 3));
ASIF_ROLE(w, 1, f)
ASIF_ROLE(r, ASIF_REST, f)
ASIF_BOUND(4) ASIF_TYPE_STABLE()
