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
__asif_header(stdlib)
struct node {
  pthread_mutex_t lock;
  int val;
  struct node *next;
};
static struct node *head;
static struct node *new_node(int v, struct node *next) {
  struct node *n = malloc(sizeof *n);
  pthread_mutex_init(&n->lock, ((void *)0));
  n->val = v;
  n->next = next;
  return n;
}
static void set_up(void) { head = new_node((-2147483647 - 1), new_node(2147483647, ((void *)0))); }
static struct node *find(int v, struct node **before) {
  struct node *prev = head, *curr;
  pthread_mutex_lock(&prev->lock);
  curr = prev->next;
  while (curr->val < v) {
    pthread_mutex_lock(&curr->lock);
    pthread_mutex_unlock(&prev->lock);
    prev = curr;
    curr = prev->next;
  }
  *before = prev;
  return curr;
}
static _Bool add(int v) {
  struct node *prev, *curr = find(v, &prev);
  _Bool absent = curr->val != v;
  if (absent) prev->next = new_node(v, curr);
  pthread_mutex_unlock(&prev->lock);
  return absent;
}
static _Bool remove(int v) {
  struct node *prev, *curr = find(v, &prev);
  _Bool present = curr->val == v;
  if (present) {
    pthread_mutex_lock(&curr->lock);
    prev->next = curr->next;
    pthread_mutex_unlock(&curr->lock);
  }
  pthread_mutex_unlock(&prev->lock);
  if (present) {
    pthread_mutex_destroy(&curr->lock);
    free(curr);
  }
  return present;
}
static _Bool contains(int v) {
  struct node *prev, *curr = find(v, &prev);
  _Bool present = curr->val == v;
  pthread_mutex_unlock(&prev->lock);
  return present;
}
ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, 2))
ASIF_OP(remove, ASIF_IN(1, 2))
ASIF_OP(contains, ASIF_IN(1, 2))
ASIF_INIT(set_up)
