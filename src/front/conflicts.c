/* The list of conflicts.h: short, and behind a lock. */
#include "front/conflicts.h"

#include <inttypes.h>
#include <pthread.h>
#include <string.h>

#define EVERY "every\n"

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

unsigned conflicts_print(struct conflicts *c, struct text *t) {
  pthread_mutex_lock(&c->lock);
  unsigned count = c->count;
  if (count > CONFLICTS_MOST)
    text_add(t, EVERY);
  else
    for (unsigned i = 0; i < count; i++)
      text_printf(t, "%u %" PRIu32 " %u\n", c->at[i].file, c->at[i].line, c->at[i].col);
  pthread_mutex_unlock(&c->lock);
  return count;
}

static bool read_number(const char **at, uint64_t most, char after, uint64_t *n) {
  const char *s = *at;
  for (*n = 0; *s >= '0' && *s <= '9' && *n <= most; s++) *n = *n * 10 + (uint64_t)(*s - '0');
  if (s == *at || *n > most || *s != after) return false;
  *at = s + 1;
  return true;
}

bool conflicts_read(struct conflicts *c, const char *text) {
  uint64_t file, line, col;
  if (!strcmp(text, EVERY)) {
    pthread_mutex_lock(&c->lock);
    c->count = CONFLICTS_MOST + 1;
    pthread_mutex_unlock(&c->lock);
    return true;
  }
  while (*text) {
    if (!read_number(&text, UINT16_MAX, ' ', &file) || !read_number(&text, UINT32_MAX, ' ', &line) ||
        !read_number(&text, UINT16_MAX, '\n', &col))
      return false;
    conflicts_add(c, (struct place){(uint16_t)file, (uint32_t)line, (uint16_t)col});
  }
  return true;
}
