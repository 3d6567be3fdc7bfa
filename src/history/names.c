/* Names of processes, objects and methods, each with a dense index. */
#include <string.h>

#include "base/hash.h"
#include "history/history.h"

struct name {
  const char *chars;
  uint32_t len;
};

struct names {
  struct mem *mem;
  VEC(struct name) list;
  uint32_t *slots; /* index + 1, 0 for free */
  uint32_t mask;
};

struct names *names_new(struct mem *m) {
  struct names *n = mem_zero(m, 1, sizeof *n);
  n->mem = m;
  n->mask = 63;
  n->slots = mem_zero(m, n->mask + 1, sizeof *n->slots);
  return n;
}

static void names_grow(struct names *n) {
  uint32_t mask = n->mask * 2 + 1;
  uint32_t *slots = mem_zero(n->mem, (size_t)mask + 1, sizeof *slots);
  for (uint32_t i = 0; i < n->list.count; i++) {
    uint32_t s = (uint32_t)hash_bytes(n->list.at[i].chars, n->list.at[i].len) & mask;
    while (slots[s]) s = (s + 1) & mask;
    slots[s] = i + 1;
  }
  mem_free(n->mem, n->slots);
  n->slots = slots;
  n->mask = mask;
}

uint32_t names_intern(struct names *n, const char *s, size_t len) {
  uint32_t i = (uint32_t)hash_bytes(s, len) & n->mask;
  for (; n->slots[i]; i = (i + 1) & n->mask) {
    const struct name *x = &n->list.at[n->slots[i] - 1];
    if (x->len == len && !memcmp(x->chars, s, len)) return n->slots[i] - 1;
  }
  if (n->list.count * 2 > n->mask) {
    names_grow(n);
    for (i = (uint32_t)hash_bytes(s, len) & n->mask; n->slots[i];) i = (i + 1) & n->mask;
  }
  vec_push(n->mem, &n->list, ((struct name){mem_string(n->mem, s, len), (uint32_t)len}));
  n->slots[i] = (uint32_t)n->list.count;
  return (uint32_t)n->list.count - 1;
}

const char *names_at(const struct names *n, uint32_t i) { return n->list.at[i].chars; }

uint32_t names_count(const struct names *n) { return (uint32_t)n->list.count; }
