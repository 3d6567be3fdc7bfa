/* The lock-coupling set (lock_coupling_set.h). The ends are nodes of the least and the greatest long, which are in no set. */
#include "lock_coupling_set.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

struct node {
  pthread_mutex_t lock;
  long key;
  struct node *next;
};
struct lock_coupling_set {
  struct node *head;
};

static struct node *new_node(long key, struct node *next) {
  struct node *n = malloc(sizeof *n);
  if (!n) return NULL;
  pthread_mutex_init(&n->lock, NULL);
  n->key = key;
  n->next = next;
  return n;
}

static void free_node(struct node *n) {
  if (n) pthread_mutex_destroy(&n->lock);
  free(n);
}

struct lock_coupling_set *lock_coupling_set_create(void) {
  struct lock_coupling_set *s = malloc(sizeof *s);
  struct node *last = new_node(LONG_MAX, NULL), *head = new_node(LONG_MIN, last);
  if (!s || !head || !last) {
    free(s);
    free_node(head);
    free_node(last);
    return NULL;
  }
  s->head = head;
  return s;
}

void lock_coupling_set_destroy(struct lock_coupling_set *s) {
  if (!s) return;
  for (struct node *n = s->head, *next; n; n = next) {
    next = n->next;
    free_node(n);
  }
  free(s);
}

/* The keys of the ends are in no set. */
static bool is_key(long key) { return key != LONG_MIN && key != LONG_MAX; }

/* The first node that is not less; *before is the one before it, locked, so that neither can leave. */
static struct node *find(struct lock_coupling_set *s, long key, struct node **before) {
  struct node *prev = s->head;
  pthread_mutex_lock(&prev->lock);
  struct node *curr = prev->next;
  while (curr->key < key) {
    pthread_mutex_lock(&curr->lock);
    pthread_mutex_unlock(&prev->lock);
    prev = curr;
    curr = prev->next;
  }
  *before = prev;
  return curr;
}

bool lock_coupling_set_add(struct lock_coupling_set *s, long key, bool *added) {
  if (!is_key(key)) return false;
  struct node *prev, *curr = find(s, key, &prev), *n = NULL;
  bool absent = curr->key != key;
  if (absent && (n = new_node(key, curr))) prev->next = n;
  pthread_mutex_unlock(&prev->lock);
  if (absent && !n) return false;
  *added = absent;
  return true;
}

bool lock_coupling_set_remove(struct lock_coupling_set *s, long key) {
  if (!is_key(key)) return false;
  struct node *prev, *curr = find(s, key, &prev);
  bool present = curr->key == key;
  if (present) {
    pthread_mutex_lock(&curr->lock); /* waits for those who are at it */
    prev->next = curr->next;
    pthread_mutex_unlock(&curr->lock);
  }
  pthread_mutex_unlock(&prev->lock);
  if (present) free_node(curr);
  return present;
}

bool lock_coupling_set_contains(struct lock_coupling_set *s, long key) {
  if (!is_key(key)) return false;
  struct node *prev, *curr = find(s, key, &prev);
  bool present = curr->key == key;
  pthread_mutex_unlock(&prev->lock);
  return present;
}
