/* The inside of clients: what all that make them share (clients.c, allowed.c, larger.c). */
#ifndef ASIF_TEST_CLIENTS_H
#define ASIF_TEST_CLIENTS_H

#include "test/test.h"

/* A kind of threads: those of a role, or all. */
struct kind {
  struct call *calls;
  size_t call_count;
  unsigned most; /* threads */
};

struct clients {
  struct mem *mem, *scratch;
  const struct object *object;
  const struct client *one; /* the only one; or NULL */
  const struct client *list;
  size_t list_count;
  unsigned threads, ops;
  bool alike; /* threads of a kind are interchangeable */
  struct kind *kinds;
  unsigned kind_count;
  /* The client being made. */
  uint32_t first[FIBERS_MOST + 1];
  struct call *calls; /* room for threads * ops */
  unsigned kind[FIBERS_MOST];
  /* Who uses them. */
  client_user *use;
  void *self;
  uint64_t count; /* of those made */
  uint64_t asked; /* how often whether something exceeds the bound */
  struct client_memory *memory;
};

/* What rules a client out (allowed.c). */
bool client_exceeds_bound(struct mem *scratch, const struct object *, const struct client *);
/* True if a thread could not make its calls alone, its tries failing or not. */
bool client_misuses(struct mem *scratch, const struct object *, const struct client *);
/* True if some order of the calls comes to one that is allowed nowhere; that one is given. A thread may wait for ever.
 */
bool client_finds_misuse(struct mem *, const struct object *, const struct client *, uint32_t *call);
int compare_call(const struct call *, const struct call *);

#endif
