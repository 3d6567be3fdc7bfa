/* The list of conflicts.h: short, and behind a lock. */
#include "front/conflicts.h"

#include <pthread.h>
#include <string.h>

struct conflicts {
  pthread_mutex_t lock;
  unsigned count; /* CONFLICTS_MOST + 1: there were more */
  struct place at[CONFLICTS_MOST];
};

struct conflicts *conflicts_new(struct mem *mem) {
  struct conflicts *c = mem_zero(mem, 1, sizeof *c);
  pthread_mutex_init(&c->lock, NULL);
  return c;
}

static bool has(const struct conflicts *c, struct place p) {
  if (c->count > CONFLICTS_MOST) return true;
  for (unsigned i = 0; i < c->count; i++)
    if (c->at[i].file == p.file && c->at[i].line == p.line && c->at[i].col == p.col) return true;
  return false;
}

void conflicts_add(struct conflicts *c, struct place p) {
  pthread_mutex_lock(&c->lock);
  if (!has(c, p)) {
    if (c->count < CONFLICTS_MOST) c->at[c->count] = p;
    c->count++;
  }
  pthread_mutex_unlock(&c->lock);
}

bool conflicts_has(struct conflicts *c, struct place p) {
  pthread_mutex_lock(&c->lock);
  bool found = has(c, p);
  pthread_mutex_unlock(&c->lock);
  return found;
}

unsigned conflicts_list(struct conflicts *c, struct place out[CONFLICTS_MOST]) {
  pthread_mutex_lock(&c->lock);
  unsigned count = c->count;
  memcpy(out, c->at, sizeof c->at);
  pthread_mutex_unlock(&c->lock);
  return count;
}
