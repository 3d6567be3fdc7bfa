/* Memory with an owner.
 *
 * A struct mem owns every block taken from it, counts the bytes against the run's limits, and frees them all
 * at mem_close. It is also the one place where running out of memory is handled: an allocation that fails or
 * passes the limit jumps to the owner's guard, so callers never test for NULL and nothing leaks:
 *
 *   struct mem m;
 *   mem_open(&m, limits);
 *   if (MEM_GUARD(&m)) { mem_close(&m); return ... limits->reached says why ...; }
 *   ... work ...
 *   mem_close(&m);
 *
 * A struct mem belongs to one thread at a time. */
#ifndef ASIF_BASE_MEM_H
#define ASIF_BASE_MEM_H

#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

struct mem_block;
struct mem_chunk;

struct mem {
  struct mem_block *blocks; /* ring of all live blocks */
  struct mem_chunk *chunk;  /* current chunk of small pieces (mem_piece) */
  struct limits *limits;    /* may be NULL: no limits */
  size_t used;              /* bytes held by this owner */
  struct mem *parent;       /* of a child, or one beside it: failures go to its guard */
  struct mem *children, *sibling;
  jmp_buf escape; /* where MEM_GUARD returns a second time */
  int guarded;    /* escape is set */
};

void mem_open(struct mem *, struct limits *);
/* Without limits, and with a guard: failures go to that of the other, which is to be there as long. */
void mem_open_beside(struct mem *, struct mem *guarded);
void mem_close(struct mem *); /* frees everything, children too; the struct may be opened again */
/* An owner within an owner, whose blocks can be freed all at once: mem_close empties it, closing the parent ends it. */
struct mem *mem_child(struct mem *);

#define MEM_GUARD(m) ((m)->guarded = 1, setjmp((m)->escape))

/* For a function that needs a guard of its own on an owner that may have one: keep the outer one, set one, restore. */
struct mem_outer {
  jmp_buf escape;
  int guarded;
};
void mem_keep_guard(const struct mem *, struct mem_outer *);
void mem_restore_guard(struct mem *, const struct mem_outer *);

void *mem_alloc(struct mem *, size_t size);               /* uninitialised */
void *mem_zero(struct mem *, size_t count, size_t size);  /* zeroed array; overflow-safe */
void *mem_resize(struct mem *, void *, size_t size);      /* NULL is an empty block */
void mem_free(struct mem *, void *);                      /* NULL is fine */
void *mem_piece(struct mem *, size_t size);               /* small, 8-aligned, freed only by mem_close: an arena */
char *mem_string(struct mem *, const char *, size_t len); /* a piece holding a NUL-terminated copy */
_Noreturn void mem_exhausted(struct mem *);               /* there is no memory left: say so, and give up */
_Noreturn void mem_escape(struct mem *);                  /* give up: jump to the guard */
_Noreturn void mem_too_much(struct mem *);                /* what was asked for is beyond any memory limit: give up */
static inline void mem_poll(struct mem *m) {
  if (m->limits && limits_poll(m->limits)) mem_escape(m);
}

/* Growable arrays: struct { T *at; size_t count, room; }. */
#define VEC(T) \
  struct { \
    T *at; \
    size_t count, room; \
  }
#define vec_push(m, v, x) \
  do { \
    if ((v)->count == (v)->room) (v)->at = vec_grow((m), (v)->at, &(v)->room, (v)->count + 1, sizeof *(v)->at); \
    (v)->at[(v)->count++] = (x); \
  } while (0)
#define vec_reserve(m, v, n) \
  do { \
    if ((v)->room < (n)) (v)->at = vec_grow((m), (v)->at, &(v)->room, (n), sizeof *(v)->at); \
  } while (0)
#define vec_free(m, v) (mem_free((m), (v)->at), (v)->at = NULL, (v)->count = (v)->room = 0)
void *vec_grow(struct mem *, void *, size_t *room, size_t need, size_t item);

#endif
