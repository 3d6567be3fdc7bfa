/* A queue with two ends to put values in: urgent ones come first. Values are taken out at the front. One lock, and a dummy node.
 *
 * Linearization points: where the node is linked; take, where head is set.
 *
 * With -DNOT_FIRST an urgent value is put in behind the first one. */
#include <asif.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
  int val;
  struct node *next;
};
static struct node *head, *tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set_up(void) {
  head = malloc(sizeof *head);
  head->val = 0;
  head->next = NULL;
  tail = head;
}

static struct node *new_node(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = NULL;
  return n;
}

static void put_last(int v) {
  struct node *n = new_node(v);
  pthread_mutex_lock(&lock);
  tail->next = n;
  tail = n;
  pthread_mutex_unlock(&lock);
}

static void put_first(int v) {
  struct node *n = new_node(v);
  pthread_mutex_lock(&lock);
  struct node *before = head;
#ifdef NOT_FIRST
  if (before->next) before = before->next;
#endif
  n->next = before->next;
  before->next = n;
  if (tail == before) tail = n;
  pthread_mutex_unlock(&lock);
}

static int take(void) {
  pthread_mutex_lock(&lock);
  struct node *dummy = head, *first = dummy->next;
  if (!first) {
    pthread_mutex_unlock(&lock);
    return ASIF_EMPTY;
  }
  int v = first->val;
  head = first;
  pthread_mutex_unlock(&lock);
  free(dummy);
  return v;
}

ASIF_OBJECT(two_ended_queue)
ASIF_EFFECT(put_last(v), "A => A . <v>")
ASIF_EFFECT(put_first(v), "A => <v> . A")
ASIF_EFFECT(take, "<e> . A => A, returns e")
ASIF_EFFECT(take, "<> => <>, returns empty")
ASIF_OP(put_last, ASIF_IN(1, 2))
ASIF_OP(put_first, ASIF_IN(1, 2))
ASIF_OP(take)
ASIF_INIT(set_up)
ASIF_BOUND(3)
