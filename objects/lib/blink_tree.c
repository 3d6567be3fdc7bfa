/* Lehman and Yao's tree (blink_tree.h).
 *
 * They read and write whole nodes in one indivisible step, as pages of a disk. Here a node is a lock and a pointer to its page; a
 * page is not changed any more once it is there: put() replaces it, and the old one is retired. Pages have entries of a key and a
 * child: the keys of the child are at most the entry's. The key of a page's last entry is its high key, which has been its right
 * neighbour's least bound since it was split; that of the last page on each level is LONG_MAX. A leaf's entries have no children,
 * and its high key is apart. What a thread is looking for may have moved to the right while it was on its way, and never to the
 * left.
 *
 * NO_MOVE_RIGHT, where nobody looks to the right, is for harness/bugs/. */
#include "blink_tree.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "hazard.h"
#include "inside/common.h"

enum { LEVELS_MOST = 64 };

struct node;
struct entry {
  long key;
  struct node *child;
};
struct page {
  struct hazard_node retired;
  unsigned level, count; /* level 0: a leaf */
  long high;
  struct node *right;
  struct entry entry[];
};
struct node {
  pthread_mutex_t lock;
  _Atomic(struct page *) page;
};
struct blink_tree {
  _Atomic(struct node *) root; /* written by who holds the lock of the old root */
  struct hazard *hazard;
  unsigned order;
};

static struct page *new_page(const struct blink_tree *t, unsigned level, long high, struct node *right) {
  struct page *p = alloc_array(sizeof *p, (size_t)t->order + 1, sizeof p->entry[0]); /* one more while it is being split */
  if (!p) return NULL;
  p->level = level;
  p->count = 0;
  p->high = high;
  p->right = right;
  return p;
}

static struct node *new_node(void) {
  struct node *n = malloc(sizeof *n);
  if (!n) return NULL;
  pthread_mutex_init(&n->lock, NULL);
  atomic_init(&n->page, NULL);
  return n;
}

struct blink_tree *blink_tree_create(struct hazard *hazard, unsigned order) {
  if (!hazard || order < 2) return NULL;
  struct blink_tree *t = malloc(sizeof *t);
  struct node *root = new_node();
  if (t) t->order = order;
  struct page *p = t ? new_page(t, 0, LONG_MAX, NULL) : NULL;
  if (!t || !root || !p) {
    free(t);
    free(root);
    free(p);
    return NULL;
  }
  t->hazard = hazard;
  atomic_init(&root->page, p);
  atomic_init(&t->root, root);
  return t;
}

void blink_tree_destroy(struct blink_tree *t) {
  if (!t) return;
  for (struct node *level = atomic_load(&t->root), *below; level; level = below) {
    struct page *p = atomic_load(&level->page);
    below = p->level ? p->entry[0].child : NULL;
    for (struct node *n = level, *right; n; n = right) {
      p = atomic_load(&n->page);
      right = p->right;
      pthread_mutex_destroy(&n->lock);
      free(p);
      free(n);
    }
  }
  free(t);
}

/* The page of a node, protected. Nodes themselves stay. */
static const struct page *get(struct node *n, struct hazard_record *r) {
  for (;;) {
    const struct page *p = atomic_load(&n->page);
    hazard_set(r, 0, p);
    if (p == atomic_load(&n->page)) return p;
  }
}

static void put(struct node *n, struct page *p, struct hazard_record *r) {
  struct page *old = atomic_load_explicit(&n->page, memory_order_relaxed); /* of a node that is locked, or nobody else's */
  atomic_store(&n->page, p);
  if (old) hazard_retire(r, &old->retired, free);
}

static unsigned place_of(const struct page *p, long key) {
  unsigned i = 0;
  while (i < p->count && p->entry[i].key < key) i++;
  return i;
}

static bool is_right(const struct page *p, long key) {
#ifdef NO_MOVE_RIGHT
  (void)p, (void)key;
  return false;
#else
  return key > p->high;
#endif
}

/* Their scannode: the neighbour on the right, or the child; *down says which. */
static struct node *next_node(const struct page *p, long key, bool *down) {
  *down = !is_right(p, key);
  if (!*down) return p->right;
  unsigned i = place_of(p, key);
  return p->entry[i < p->count ? i : p->count - 1].child;
}

/* From the root down to a level; the nodes that one came down from are left in path[their level], if it is given. Where there is
 * no such level yet, somebody who has just split the root is about to make it. */
static struct node *descend(struct blink_tree *t, struct hazard_record *r, long key, unsigned level, struct node **path) {
  struct node *n = atomic_load(&t->root);
  for (;;) {
    const struct page *p = get(n, r);
    if (p->level == level) return n;
    if (p->level < level) {
      wait_a_moment();
      n = atomic_load(&t->root);
      continue;
    }
    bool down;
    struct node *next = next_node(p, key, &down);
    if (down && path) path[p->level] = n;
    n = next;
  }
}

/* Locks the node, or the one further to the right that the key belongs to, and gives its page. */
static struct page *lock(struct node **n, long key) {
  pthread_mutex_lock(&(*n)->lock);
  for (;;) {
    struct page *p = atomic_load_explicit(&(*n)->page, memory_order_relaxed);
    if (!is_right(p, key)) return p;
    struct node *left = *n;
    *n = p->right;
    pthread_mutex_lock(&(*n)->lock);
    pthread_mutex_unlock(&left->lock);
  }
}

bool blink_tree_lookup(struct blink_tree *t, long key) {
  struct hazard_record *r = hazard_enter(t->hazard);
  struct node *n = descend(t, r, key, 0, NULL);
  const struct page *p = get(n, r);
  while (is_right(p, key)) {
    n = p->right;
    p = get(n, r);
  }
  unsigned i = place_of(p, key);
  bool found = i < p->count && p->entry[i].key == key;
  hazard_leave(r);
  return found;
}

static void copy_entries(struct page *to, const struct page *from, unsigned begin, unsigned end) {
  for (unsigned i = begin; i < end; i++) to->entry[to->count++] = from->entry[i];
}

bool blink_tree_remove(struct blink_tree *t, long key, bool *removed) {
  struct hazard_record *r = hazard_enter(t->hazard);
  struct node *n = descend(t, r, key, 0, NULL);
  struct page *p = lock(&n, key), *without = NULL;
  unsigned i = place_of(p, key);
  bool present = i < p->count && p->entry[i].key == key;
  if (present && (without = new_page(t, 0, p->high, p->right))) {
    copy_entries(without, p, 0, i);
    copy_entries(without, p, i + 1, p->count);
    put(n, without, r);
  }
  pthread_mutex_unlock(&n->lock);
  hazard_leave(r);
  if (present && !without) return false;
  *removed = present;
  return true;
}

/* The page with the key (of a leaf) or with the key and what is right of it (above) put in. It may then have one entry too many.
 */
static void copy_with(struct page *to, const struct page *p, long key, struct node *child) {
  unsigned i = place_of(p, key);
  copy_entries(to, p, 0, i);
  to->entry[to->count++] = (struct entry){key, p->level ? p->entry[i].child : NULL};
  copy_entries(to, p, i, p->count);
  if (p->level) to->entry[i + 1].child = child;
}

/* Divides the page that has one entry too many. Without memory nothing happens. The node's lock is held. */
static bool split(struct blink_tree *t, struct node *n, struct page *full, struct hazard_record *r, long *key,
                  struct node **child) {
  bool is_root = atomic_load(&t->root) == n;
  struct node *right = new_node(), *root = is_root ? new_node() : NULL;
  struct page *left_page = new_page(t, full->level, 0, right), *right_page = new_page(t, full->level, full->high, full->right),
              *root_page = is_root ? new_page(t, full->level + 1, LONG_MAX, NULL) : NULL;
  if (!right || !left_page || !right_page || (is_root && (!root || !root_page))) {
    free(right);
    free(root);
    free(left_page);
    free(right_page);
    free(root_page);
    return false;
  }
  copy_entries(left_page, full, 0, (full->count + 1) / 2);
  copy_entries(right_page, full, left_page->count, full->count);
  left_page->high = left_page->entry[left_page->count - 1].key;
  *key = left_page->high;
  *child = right;
  put(right, right_page, r);
  put(n, left_page, r); /* now what is on the right can be reached, by the link */
  if (is_root) {
    root_page->entry[root_page->count++] = (struct entry){*key, n};
    root_page->entry[root_page->count++] = (struct entry){LONG_MAX, right};
    put(root, root_page, r);
    atomic_store(&t->root, root);
    *child = NULL;
  }
  return true;
}

/* Puts an entry in a node that is locked; false without memory, and nothing has happened. *child: the node that must then be put in
 * one level higher, with *key; NULL if there is none. */
static bool put_in(struct blink_tree *t, struct node *n, struct page *p, struct hazard_record *r, long *key, struct node **child) {
  struct page *with = new_page(t, p->level, p->high, p->right);
  if (with) copy_with(with, p, *key, *child);
  *child = NULL;
  if (!with) return false;
  if (with->count <= t->order) {
    put(n, with, r);
    return true;
  }
  bool done = split(t, n, with, r, key, child);
  free(with);
  return done;
}

bool blink_tree_insert(struct blink_tree *t, long key, bool *inserted) {
  if (key == LONG_MAX) return false;
  struct hazard_record *r = hazard_enter(t->hazard);
  struct node *path[LEVELS_MOST] = {NULL}, *child = NULL;
  struct node *n = descend(t, r, key, 0, path);
  struct page *p = lock(&n, key);
  unsigned i = place_of(p, key);
  bool absent = !(i < p->count && p->entry[i].key == key), done = !absent || put_in(t, n, p, r, &key, &child);
  /* Without memory for what is above, the tree is as good: what is on the right is found by the link. */
  for (unsigned level = 1; child; level++) {
    struct node *parent = path[level] ? path[level] : descend(t, r, key, level, NULL);
    p = lock(&parent, key);
    pthread_mutex_unlock(&n->lock);
    n = parent;
    put_in(t, n, p, r, &key, &child);
  }
  pthread_mutex_unlock(&n->lock);
  hazard_leave(r);
  if (done) *inserted = absent;
  return done;
}
