/* Copying a history with its tables. Names and values are interned again in their order, which gives them the indices
 * they had: the operations are copied as they are. */
#include <assert.h>
#include <string.h>

#include "lib/lib.h"

static struct names *copy_names(const struct names *from, struct mem *m) {
  struct names *to = names_new(m);
  for (uint32_t i = 0; i < names_count(from); i++) {
    const char *name = names_at(from, i);
    uint32_t at = names_intern(to, name, strlen(name));
    assert(at == i);
    (void)at;
  }
  return to;
}

static struct values *copy_values(const struct values *from, struct mem *m) {
  struct values *to = values_new(m);
  for (size_t i = V_UNKNOWN / 2 + 1; i < values_count(from); i++) {
    value v = (value)(i << 1 | 1), at = V_NONE;
    size_t n;
    switch (value_kind(from, v)) {
    case VALUE_INT: at = value_int(to, value_integer(from, v)); break;
    case VALUE_TEXT: {
      const char *chars = value_chars(from, v, &n);
      at = value_text(to, chars, n);
      break;
    }
    case VALUE_LIST: {
      const value *items = value_items(from, v, &n);
      at = value_list(to, items, n);
      break;
    }
    case VALUE_SPECIAL: break;
    }
    assert(at == v);
    (void)at;
  }
  return to;
}

static void *copy_array(const void *from, size_t size, struct mem *m) {
  if (!from) return NULL;
  void *to = mem_alloc(m, size + 1);
  if (size) memcpy(to, from, size);
  return to;
}

static const char *copy_string(const char *s, struct mem *m) { return s ? mem_string(m, s, strlen(s)) : NULL; }

struct history *history_copy(const struct history *h, struct mem *m) {
  assert(!h->builder);
  struct history *to = mem_alloc(m, sizeof *to);
  *to = *h;
  to->mem = m;
  to->values = copy_values(h->values, m);
  to->processes = copy_names(h->processes, m);
  to->objects = copy_names(h->objects, m);
  to->methods = copy_names(h->methods, m);
  to->ops.room = h->ops.count;
  to->ops.at = copy_array(h->ops.at, h->ops.count * sizeof *h->ops.at, m);
  to->call_time = copy_array(h->call_time, h->ops.count * sizeof *h->call_time, m);
  to->ret_time = copy_array(h->ret_time, h->ops.count * sizeof *h->ret_time, m);
  to->source = copy_string(h->source, m);
  to->object_type = copy_string(h->object_type, m);
  return to;
}
