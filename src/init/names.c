/* What names suggest: see names.h. */
#include "init/names.h"

#include <ctype.h>
#include <string.h>

#include "spec/spec.h"

static bool begins_word(const char *name, const char *at) {
  return at == name || !isalnum((unsigned char)at[-1]) ||
         (isupper((unsigned char)*at) && islower((unsigned char)at[-1]));
}

bool name_has(const char *name, const char *word) {
  size_t n = strlen(word);
  for (const char *at = name; *at; at++) {
    if (!begins_word(name, at)) continue;
    size_t i = 0;
    while (i < n && tolower((unsigned char)at[i]) == word[i]) i++;
    if (i == n && !islower((unsigned char)at[i]) && !isdigit((unsigned char)at[i])) return true;
  }
  return false;
}

unsigned name_words(const char *name) {
  unsigned n = 0;
  for (const char *at = name; *at; at++) n += isalnum((unsigned char)*at) && begins_word(name, at);
  return n;
}

/* In the order of preference. */
static const char *const role_words[ROLES][16] = {
    [ROLE_CREATE] = {"create", "new", "alloc", "make", "open", "init", NULL},
    [ROLE_INIT] = {"init", "initialize", "initialise", "create", "setup", "construct", "ctor", NULL},
    [ROLE_DESTROY] = {"destroy", "free", "delete", "fini", "deinit", "close", "unref", "cleanup", "dtor", "release",
                      NULL},
    [ROLE_PUT] = {"enq", "enqueue", "push", "put", "insert", "add", "offer", "send", "produce", "write", "emplace",
                  NULL},
    [ROLE_GET] = {"deq", "dequeue", "pop", "get", "take", "pull", "remove", "poll", "recv", "receive", "consume",
                  "read", NULL},
    [ROLE_STEAL] = {"steal", NULL},
    [ROLE_CONTAINS] = {"contains", "has", "member", "exists", "find", "lookup", "search", "count", NULL},
    [ROLE_ERASE] = {"remove", "delete", "erase", "del", "extract", NULL},
    [ROLE_LOOK_UP] = {"get", "lookup", "find", "search", NULL},
};

int name_rank(const char *name, enum role role) {
  for (int i = 0; role_words[role][i]; i++)
    if (name_has(name, role_words[role][i])) return i;
  return -1;
}

bool name_excluded(const char *name, enum role role) {
  static const char *const others[] = {
      "trylock",  "lock",   "unlock", "commit", "reserve", "isempty", "empty",          "size",    "bulk",
      "batch",    "multi",  "all",    "next",   "splice",  "peek",    "iterator",       "entries", "sorted",
      "unlocked", "unsafe", "wait",   "until",  "timed",   "range",   "unsynchronized", NULL};
  if (role != ROLE_CONTAINS && name_has(name, "count")) return true;
  for (int i = 0; others[i]; i++)
    if (name_has(name, others[i])) return true;
  return false;
}

/* True if the file's name, the type's or the insertion's has these letters. */
static bool any_name(struct mem *m, const struct container_names *c, const char *letters) {
  struct text low;
  text_open(&low, m);
  const char *slash = strrchr(c->path, '/');
  text_printf(&low, "%s %s %s", slash ? slash + 1 : c->path, c->type, c->put ? c->put : "");
  for (size_t i = 0; i < low.count; i++) low.at[i] = (char)tolower((unsigned char)low.at[i]);
  return strstr(text_string(&low), letters) != NULL;
}

bool names_ring(struct mem *m, const struct container_names *c) {
  return any_name(m, c, "ring") || any_name(m, c, "bounded") || any_name(m, c, "mpmc") || any_name(m, c, "spsc");
}

bool names_priority(struct mem *m, const struct container_names *c) {
  return any_name(m, c, "priority") || any_name(m, c, "heap");
}

static enum taken_order names_order(struct mem *m, const struct container_names *c) {
  if (any_name(m, c, "stack") || any_name(m, c, "lifo")) return ORDER_LAST;
  if (names_priority(m, c)) return ORDER_LEAST;
  if (any_name(m, c, "queue") || any_name(m, c, "fifo") || any_name(m, c, "enq") || names_ring(m, c))
    return ORDER_FIRST;
  return c->put && name_has(c->put, "push") ? ORDER_LAST : ORDER_FIRST;
}

const char *names_spec(struct mem *m, const struct container_names *c) {
  bool bounded = c->bounded;
  if (c->mapped) return "hash_map";
  if (c->keyed) return any_name(m, c, "multiset") ? "multiset" : "set";
  if (c->steals) return "work_stealing_deque";
  if (any_name(m, c, "register")) return "register(0)";
  if (any_name(m, c, "semiqueue")) return "semiqueue(2)";
  if (any_name(m, c, "stuttering")) return "stuttering_queue(2)";
  if (name_has(c->type, "k_fifo")) return "k_fifo(2)";
  if (any_name(m, c, "pool") || any_name(m, c, "bag")) return "bag";
  enum taken_order order = c->order ? c->order : names_order(m, c);
  switch (order) {
  case ORDER_LAST: return bounded ? "bounded_stack(2)" : "stack";
  case ORDER_LEAST: return bounded ? "bounded_priority_queue(2)" : "priority_queue";
  case ORDER_GREATEST: return "max_priority_queue";
  default: return bounded ? "bounded_queue(2)" : "queue";
  }
}

const char *names_roles(struct mem *m, const struct container_names *c) {
  if (any_name(m, c, "spsc") || any_name(m, c, "readerwriter") || any_name(m, c, "producerconsumer")) return "SPSC";
  if (any_name(m, c, "mpsc")) return "MPSC";
  return any_name(m, c, "spmc") ? "SPMC" : NULL;
}

static const char *first_op(struct mem *m, const struct spec *s, uint32_t set) {
  size_t length;
  const char *name = spec_op_name(s, (unsigned)__builtin_ctz(set), &length);
  return mem_string(m, name, length);
}

bool spec_words_read(struct mem *m, const char *name, struct spec_words *to, struct problem *why) {
  struct spec s;
  *to = (struct spec_words){false, NULL, NULL};
  if (!spec_named(name, &s, why)) return false;
  to->bounded = s.bounded;
  if (s.container) {
    to->insert = first_op(m, &s, s.container->puts);
    to->take = first_op(m, &s, s.container->takes);
  } else if (s.family == FAMILY_REGISTER) {
    to->insert = "write", to->take = "read";
  }
  return true;
}
