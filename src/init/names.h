/* What the names of a container and its functions suggest: their roles, the specification, who may call them. */
#ifndef ASIF_INIT_NAMES_H
#define ASIF_INIT_NAMES_H

#include <stdbool.h>

#include "base/problem.h"
#include "base/text.h"

enum role {
  ROLE_CREATE,
  ROLE_INIT,
  ROLE_DESTROY,
  ROLE_PUT,
  ROLE_GET,
  ROLE_STEAL,
  ROLE_CONTAINS,
  ROLE_ERASE,
  ROLE_LOOK_UP,
  ROLES
};

/* True if the word, in lower case, is one of the words of a name: `ck_ring_enqueue_spsc` and `TryEnqueue` have enqueue.
 */
bool name_has(const char *name, const char *word);
unsigned name_words(const char *name); /* their number */
/* How well the name suits the role, 0 is best; -1 if it does not. */
int name_rank(const char *name, enum role);
/* True if a word says that it is not this one operation on one element: bulk, peek, unsafe. */
bool name_excluded(const char *name, enum role);

/* The order in which one thread takes out what it has put in. */
enum taken_order { ORDER_UNKNOWN, ORDER_FIRST, ORDER_LAST, ORDER_LEAST, ORDER_GREATEST };

struct container_names {
  const char *path, *type, *put;
  bool steals, keyed, mapped;
  bool bounded; /* it may be full */
  enum taken_order order;
};
const char *names_spec(struct mem *, const struct container_names *);  /* "bounded_queue(2)" */
bool names_ring(struct mem *, const struct container_names *);         /* the names say that it is bounded */
bool names_priority(struct mem *, const struct container_names *);     /* ... a priority queue */
const char *names_roles(struct mem *, const struct container_names *); /* "SPSC", "MPSC", "SPMC" or NULL */

/* What a specification says of itself. */
struct spec_words {
  bool bounded;
  const char *insert, *take; /* its operations; NULL if it has none that put in and take out */
};
bool spec_words_read(struct mem *, const char *spec, struct spec_words *, struct problem *);

#endif
