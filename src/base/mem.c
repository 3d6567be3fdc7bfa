/* Memory with an owner: see mem.h. */
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Every block is in a ring headed by the owner, so that mem_close finds them all. */
struct mem_block {
  struct mem_block *next, *prev;
  size_t size; /* with this header */
  size_t pad;  /* keeps the payload 16-aligned */
};

/* Small pieces are cut from chunks, which are blocks. */
struct mem_chunk {
  size_t used, size; /* bytes, of those after this header */
};

enum { CHUNK = 64 * 1024 };

static void take(struct mem *m, size_t bytes) {
  m->used += bytes;
  if (!m->limits) return;
  size_t now = atomic_fetch_add_explicit(&m->limits->used, bytes, memory_order_relaxed) + bytes;
  if (m->limits->bytes && now > m->limits->bytes) {
    m->used -= bytes;
    atomic_fetch_sub_explicit(&m->limits->used, bytes, memory_order_relaxed);
    int none = LIMIT_NONE;
    atomic_compare_exchange_strong(&m->limits->reached, &none, LIMIT_MEMORY);
    mem_escape(m);
  }
}

static void give(struct mem *m, size_t bytes) {
  m->used -= bytes;
  if (m->limits) atomic_fetch_sub_explicit(&m->limits->used, bytes, memory_order_relaxed);
}

void mem_exhausted(struct mem *m) {
  if (m->limits) {
    int none = LIMIT_NONE;
    atomic_compare_exchange_strong(&m->limits->reached, &none, LIMIT_NO_MEMORY);
  }
  mem_escape(m);
}

_Noreturn static void no_memory(struct mem *m, size_t bytes) {
  give(m, bytes);
  mem_exhausted(m);
}

void mem_open(struct mem *m, struct limits *l) {
  memset(m, 0, sizeof *m);
  m->limits = l;
}

void mem_open_beside(struct mem *m, struct mem *guarded) {
  mem_open(m, NULL);
  m->parent = guarded;
}

struct mem *mem_child(struct mem *parent) {
  struct mem *m = mem_alloc(parent, sizeof *m);
  mem_open(m, parent->limits);
  m->parent = parent;
  m->sibling = parent->children;
  parent->children = m;
  return m;
}

static void free_block(struct mem_block *);

void mem_close(struct mem *m) {
  for (struct mem *c = m->children; c; c = c->sibling) mem_close(c);
  m->children = NULL;
  struct mem_block *b = m->blocks;
  if (b) {
    b->prev->next = NULL;
    while (b) {
      struct mem_block *next = b->next;
      free_block(b);
      b = next;
    }
  }
  if (m->limits) atomic_fetch_sub_explicit(&m->limits->used, m->used, memory_order_relaxed);
  m->blocks = NULL;
  m->chunk = NULL;
  m->used = 0;
}

void mem_escape(struct mem *m) {
  while (m->parent) m = m->parent;
  if (!m->guarded) abort(); /* an owner without a guard: a mistake in the program, not the input */
  longjmp(m->escape, 1);
}

void mem_keep_guard(const struct mem *m, struct mem_outer *outer) {
  memcpy(outer->escape, m->escape, sizeof outer->escape);
  outer->guarded = m->guarded;
}

void mem_restore_guard(struct mem *m, const struct mem_outer *outer) {
  memcpy(m->escape, outer->escape, sizeof m->escape);
  m->guarded = outer->guarded;
}

static void link_block(struct mem *m, struct mem_block *b) {
  if (m->blocks) {
    b->next = m->blocks;
    b->prev = m->blocks->prev;
    b->prev->next = b->next->prev = b;
  } else {
    b->next = b->prev = b;
    m->blocks = b;
  }
}

static void unlink_block(struct mem *m, struct mem_block *b) {
  if (b->next == b) {
    m->blocks = NULL;
    return;
  }
  b->next->prev = b->prev;
  b->prev->next = b->next;
  if (m->blocks == b) m->blocks = b->next;
}

/* Large blocks are tables that are looked at here and there: with large pages the processor finds its way in them far
 * sooner. They begin where a large page does, so that all of them but the end has such pages. */
enum { LARGE = 1 << 21, SMALL_PAGE = 1 << 12 };

static size_t mapped_size(size_t size) { return (size + SMALL_PAGE - 1) & ~(size_t)(SMALL_PAGE - 1); }

static void *map_large(size_t size) {
  size_t whole = mapped_size(size);
  char *at = mmap(NULL, whole + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return NULL;
  size_t before = -(uintptr_t)at & (LARGE - 1);
  if (before) munmap(at, before);
  munmap(at + before + whole, LARGE - before);
  madvise(at + before, whole, MADV_HUGEPAGE); /* all of it: mremap moves what is alike */
  return at + before;
}

static struct mem_block *new_block(size_t size, bool zero) {
  if (size >= LARGE) return map_large(size);
  return zero ? calloc(1, size) : malloc(size);
}

static void free_block(struct mem_block *b) {
  if (b->size >= LARGE)
    munmap(b, mapped_size(b->size));
  else
    free(b);
}

static struct mem_block *resize_block(struct mem_block *b, size_t size) {
  size_t old = b->size;
  if (old < LARGE && size < LARGE) return realloc(b, size);
  if (old >= LARGE && size >= LARGE) {
    struct mem_block *moved = mremap(b, mapped_size(old), mapped_size(size), MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
  }
  struct mem_block *moved = new_block(size, false);
  if (!moved) return NULL;
  memcpy(moved, b, old < size ? old : size);
  free_block(b);
  return moved;
}

static size_t block_size(struct mem *m, size_t size) {
  if (size > SIZE_MAX / 2) no_memory(m, 0);
  return size + sizeof(struct mem_block);
}

void *mem_alloc(struct mem *m, size_t size) {
  size = block_size(m, size);
  take(m, size);
  struct mem_block *b = new_block(size, false);
  if (!b) no_memory(m, size);
  b->size = size;
  link_block(m, b);
  return b + 1;
}

void *mem_zero(struct mem *m, size_t count, size_t item) {
  if (item && count > SIZE_MAX / 2 / item) no_memory(m, 0);
  size_t size = block_size(m, count * item);
  take(m, size);
  struct mem_block *b = new_block(size, true);
  if (!b) no_memory(m, size);
  b->size = size;
  link_block(m, b);
  return b + 1;
}

void *mem_resize(struct mem *m, void *p, size_t size) {
  if (!p) return mem_alloc(m, size);
  struct mem_block *b = (struct mem_block *)p - 1, *moved;
  size = block_size(m, size);
  size_t old = b->size;
  if (size > old) take(m, size - old);
  unlink_block(m, b);
  moved = resize_block(b, size);
  if (!moved) {
    link_block(m, b);
    no_memory(m, size > old ? size - old : 0);
  }
  if (size < old) give(m, old - size);
  moved->size = size;
  link_block(m, moved);
  return moved + 1;
}

void mem_free(struct mem *m, void *p) {
  if (!p) return;
  struct mem_block *b = (struct mem_block *)p - 1;
  unlink_block(m, b);
  give(m, b->size);
  free_block(b);
}

void *mem_piece(struct mem *m, size_t size) {
  size = (size + 7) & ~(size_t)7;
  if (size > CHUNK / 4) return mem_alloc(m, size);
  if (!m->chunk || m->chunk->size - m->chunk->used < size) {
    struct mem_chunk *c = mem_alloc(m, sizeof *c + CHUNK);
    c->used = 0;
    c->size = CHUNK;
    m->chunk = c;
  }
  void *p = (char *)(m->chunk + 1) + m->chunk->used;
  m->chunk->used += size;
  return p;
}

char *mem_string(struct mem *m, const char *s, size_t len) {
  char *p = mem_piece(m, len + 1);
  if (len) memcpy(p, s, len);
  p[len] = 0;
  return p;
}

void *vec_grow(struct mem *m, void *at, size_t *room, size_t need, size_t item) {
  size_t n = *room < 16 ? 16 : *room + *room / 2;
  if (n < need) n = need;
  if (n > SIZE_MAX / 2 / item) no_memory(m, 0);
  at = mem_resize(m, at, n * item);
  *room = n;
  return at;
}

_Noreturn void mem_too_much(struct mem *m) {
  int none = LIMIT_NONE;
  if (m->limits) atomic_compare_exchange_strong(&m->limits->reached, &none, LIMIT_MEMORY);
  mem_escape(m);
}
