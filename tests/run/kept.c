/* Code whose runs may begin at a state kept on the way: globals, the heap with blocks freed and taken again, thread-local storage,
 * a thread that writes to another's stack, structs copied without hooks, indivisible blocks. */
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  long value[3];
  struct node *next;
};
static _Atomic(struct node *) top;
static _Thread_local int tries;
static int both[2];
static _Atomic(struct node *) offered; /* on somebody's stack */
static struct node sample = {{7, 8, 9}, NULL};

static long push(long v) {
  struct node *n = malloc(sizeof *n);
  n->value[0] = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) tries++;
  return tries;
}
static long pop(void) {
  struct node *n = atomic_load(&top);
  while (n && !atomic_compare_exchange_strong(&top, &n, n->next)) tries++;
  if (!n) return -1;
  long v = n->value[0];
  free(n);
  return v * 10 + tries;
}
long kept_0(void) {
  struct node mine = {{1, 2, 3}, NULL};
  atomic_store(&offered, &mine);
  long got = push(5) + pop();
  struct node *taken = atomic_exchange(&offered, NULL);
  while (!taken && !atomic_load((_Atomic(struct node *) *)&mine.next)) asif_yield();
  return got * 1000 + mine.value[0] + mine.value[1] + mine.value[2];
}
long kept_1(void) {
  struct node *other = atomic_exchange(&offered, NULL);
  if (other) {
    *other = sample; /* no hook */
    atomic_store((_Atomic(struct node *) *)&other->next, &sample);
  }
  ASIF_ATOMIC { both[0]++, both[1]--; }
  return other ? 1 : 2;
}
long kept_2(void) {
  push(6);
  ASIF_ATOMIC { both[1] += 2 * both[0]; }
  return pop() * 100 + both[1];
}
void kept_init(void) { push(4); }
