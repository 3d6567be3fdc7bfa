/* Clients beyond the size that is searched in full (larger.c). */
#ifndef ASIF_TEST_LARGER_H
#define ASIF_TEST_LARGER_H

#include "test/clients.h"

/* A client with the kind of each thread (clients.h). */
struct larger {
  struct client client;
  unsigned *kind;
};
struct larger_size {
  unsigned threads, threads_least; /* at most, and at least */
  unsigned ops, calls;             /* at most: of a thread, in all */
};
/* The clients' own size is what `ops` and `threads` may be at most. A larger one has a thread with more than beyond.ops
 * operations, or more than beyond.threads threads. The same number gives the same one. False: none was found. */
bool larger_make(struct clients *, struct mem *, uint64_t number, const struct larger_size *,
                 struct client_options beyond, struct larger *);
/* One made of another: with more calls or threads, or another call. */
bool larger_extend(struct clients *, struct mem *, uint64_t number, const struct larger_size *,
                   const struct larger *from, struct larger *);

#endif
