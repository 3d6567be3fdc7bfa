/* Concurrency Kit's list (libck-dev: ck_queue.h), unmodified, as a set: one thread changes it, while others walk along it. What is taken out
 * stays there, since somebody may be at it. */
#include <asif.h>
#include <ck_queue.h>
#include <stdlib.h>

struct item {
  int value;
  CK_LIST_ENTRY(item) at;
};
static CK_LIST_HEAD(items, item) items = CK_LIST_HEAD_INITIALIZER(items);

static struct item *find(int v) {
  struct item *i;
  CK_LIST_FOREACH(i, &items, at) if (i->value == v) break;
  return i;
}

static bool add(int v) {
  if (find(v)) return false;
  struct item *i = malloc(sizeof *i);
  i->value = v;
  CK_LIST_INSERT_HEAD(&items, i, at);
  return true;
}
static bool del(int v) {
  struct item *i = find(v);
  if (i) CK_LIST_REMOVE(i, at);
#ifdef EAGER
  free(i);
#endif
  return i != NULL;
}
static bool contains(int v) { return find(v) != NULL; }

ASIF_OBJECT(set)
ASIF_OP(add, ASIF_IN(1, 2))
ASIF_OP_AS(remove, del, ASIF_IN(1, 2))
ASIF_OP(contains, ASIF_IN(1, 2))
#ifndef FREE_FOR_ALL
ASIF_ROLE(writer, 1, add, del)
ASIF_ROLE(reader, ASIF_REST, contains)
#endif
