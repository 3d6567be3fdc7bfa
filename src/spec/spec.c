/* The table of built-in specifications, finding one by name, and printing operations. */
#include "spec/spec.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>

#include "spec/common.h"
#include "spec/map.h"

/* clang-format off */
const struct spec *const specs[] = {
    &spec_register, &spec_cas_register, &spec_counter,
    &spec_stack, &spec_queue, &spec_deque, &spec_priority_queue, &spec_max_priority_queue, &spec_bag,
    &spec_bounded_stack, &spec_bounded_queue, &spec_bounded_priority_queue,
    &spec_set, &spec_multiset, &spec_map, &spec_hash_map, &spec_ordered_map,
    &spec_weak_queue, &spec_weak_stack, &spec_weak_bounded_queue, &spec_weak_bag,
    &spec_semiqueue, &spec_k_fifo, &spec_stuttering_queue, &spec_producer_fifo, &spec_weak_producer_fifo,
    &spec_work_stealing_deque, &spec_weak_work_stealing_deque,
    &spec_lock, &spec_rw_lock, &spec_upgrade_lock, &spec_semaphore, &spec_latch, &spec_once,
    &spec_snzi, &spec_mailbox,
    NULL};
/* clang-format on */

/* Outcomes. */

void outcomes_open(struct outcomes *o, struct mem *m) { *o = (struct outcomes){.mem = m}; }

void outcomes_clear(struct outcomes *o) { o->bytes.count = o->list.count = 0; }

void *outcomes_add(struct outcomes *o, value result, uint32_t size) {
  size_t offset = (o->bytes.count + 7) & ~(size_t)7, end = offset + size;
  if (o->bytes.room < end || !o->bytes.at) vec_reserve(o->mem, &o->bytes, end + 64);
  o->bytes.count = end;
  vec_push(o->mem, &o->list, ((struct outcome){(uint32_t)offset, size, result}));
  return o->bytes.at + offset;
}

/* Names. */

bool same_name(const char *a, size_t alen, const char *b, size_t blen) {
  const char *aend = a + alen, *bend = b + blen;
  for (;;) {
    while (a < aend && (*a == '-' || *a == '_')) a++;
    while (b < bend && (*b == '-' || *b == '_')) b++;
    if (a == aend || b == bend) return a == aend && b == bend;
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b)) return false;
    a++, b++;
  }
}

const char *next_word(const char **list, size_t *len) {
  while (**list == ' ') ++*list;
  if (!**list) return NULL;
  const char *word = *list;
  *len = strcspn(word, " ");
  *list += *len;
  return word;
}

bool in_words(const char *list, const char *name, size_t len) {
  const char *word;
  size_t n;
  while ((word = next_word(&list, &n)))
    if (same_name(word, n, name, len)) return true;
  return false;
}

const char *spec_op_name(const struct spec *s, unsigned m, size_t *len) {
  const char *names = s->ops[m].names;
  return next_word(&names, len);
}

void spec_list_ops(const struct spec *s, struct text *t) {
  for (unsigned i = 0; i < s->op_count; i++) {
    size_t len = 0;
    const char *name = spec_op_name(s, i, &len);
    text_printf(t, "%s%.*s", i ? ", " : "", (int)len, name);
  }
}

const char *spec_result_word(unsigned kind) {
  return kind == RESULT_BOOL ? "true or false" : kind == RESULT_INT ? "a number" : "a value";
}

int spec_op_find(const struct spec *s, const char *name, size_t len) {
  for (unsigned m = 0; m < s->op_count; m++)
    if (in_words(s->ops[m].names, name, len)) return (int)m;
  return -1;
}

/* Traits. */

bool spec_compares(const struct spec *s) {
  for (unsigned m = 0; s->cell && m < s->op_count; m++)
    if (s->cell[m].compares >= 0) return true;
  return false;
}

bool spec_called(const struct spec *s, const char *name) { return !strcmp(s->name, name); }

void spec_use_only(struct spec *s, uint32_t ops) {
  if (s->family == FAMILY_MAP) s->k = ops >> MAP_APPEND & 1 ? MAP_TEXTS : MAP_PLAIN;
}

int op_values(const struct spec *s, const struct op *o, value on[2]) {
  int n = 0;
  assert(o->method < s->op_count);
  if (!s->cell) { /* containers, sets and multisets: what is put in, taken out or asked for */
    on[0] = o->arg[0] != V_NONE ? o->arg[0] : o->result;
    return o->arg[0] != V_NONE ? 1 : o->result == V_UNKNOWN ? ON_ANY : !op_finds_nothing(s, o);
  }
  const struct spec_cell *c = &s->cell[o->method];
  if (c->sets == CELL_MIXES) return ON_ANY;
  if (c->sets == -1 && c->compares == -1) {
    on[0] = o->result;
    return o->result == V_UNKNOWN ? ON_ANY : 1;
  }
  if (c->compares >= 0) on[n++] = o->arg[c->compares];
  if (c->sets >= 0) on[n++] = o->arg[c->sets];
  if (c->sets == CELL_CLEARS) on[n++] = V_NIL;
  for (int i = 0; i < n && s->family == FAMILY_MAP; i++)
    if (on[i] == V_EMPTY || on[i] == V_NONE) on[i] = V_NIL; /* as map.c has it */
  return n;
}

bool op_ties(const struct spec *s, const struct op *o) {
  if (s->container) return s->bounded && !s->weak && spec_op_in(s->container->puts, o->method) && o->result != V_NONE;
  if (!s->cell) return !s->data_independent;
  const struct spec_cell *c = &s->cell[o->method];
  return c->sets == CELL_MIXES || (c->compares >= 0 && o->result != V_TRUE);
}

/* Finding by name. */

static const struct spec *find_spec(const char *name, size_t len) {
  for (const struct spec *const *s = specs; *s; s++)
    if (same_name((*s)->name, strlen((*s)->name), name, len) || in_words((*s)->aliases, name, len)) return *s;
  return NULL;
}

/* Edit distance, for proposing near names; words longer than the row are compared by their start. */
static int distance(const char *a, size_t na, const char *b, size_t nb) {
  enum { MOST = 40 };
  int row[MOST + 1];
  if (na > MOST) na = MOST;
  if (nb > MOST) nb = MOST;
  for (size_t j = 0; j <= nb; j++) row[j] = (int)j;
  for (size_t i = 1; i <= na; i++) {
    int diagonal = row[0];
    row[0] = (int)i;
    for (size_t j = 1; j <= nb; j++) {
      int change = diagonal + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      diagonal = row[j];
      int least = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
      row[j] = change < least ? change : least;
    }
  }
  return row[nb];
}

static bool near(const char *a, size_t na, const char *b, size_t nb) {
  if (distance(a, na, b, nb) <= (na < 5 ? 1 : 2)) return true;
  if (na < 3) return false;
  for (size_t i = 0; i + na <= nb; i++)
    if (same_name(a, na, b + i, na)) return true; /* "fifo" in "producer-fifo" */
  for (size_t i = 0; i + nb <= na; i++)
    if (same_name(a + i, nb, b, nb)) return true; /* "queue" in "lock-free-queue" */
  return false;
}

static void unknown_spec(const char *name, size_t len, struct problem *problem) {
  char list[800] = "";
  size_t used = 0, count = 0;
  for (int pass = 0; pass < 2 && !count; pass++) /* the near ones; if there are none, all */
    for (const struct spec *const *s = specs; *s; s++)
      if ((pass || near(name, len, (*s)->name, strlen((*s)->name))) && used < sizeof list)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count++ ? ", " : "", (*s)->name);
  problem_set(problem, "no specification is called '%.*s'; %s: %s", (int)(len > 60 ? 60 : len), name,
              count > 6 ? "there are" : "did you mean", list);
}

bool spec_named(const char *name, struct spec *out, struct problem *problem) {
  while (*name == ' ') name++;
  size_t len = strcspn(name, "(");
  const char *open = name[len] ? name + len + 1 : NULL;
  while (len && name[len - 1] == ' ') len--;
  const struct spec *s = find_spec(name, len);
  if (!s) {
    unknown_spec(name, len, problem);
    return false;
  }
  *out = *s;
  assert(s->family != FAMILY_OWN && (!s->bounded || s->param) && (!s->weak || s->container));
  if (!open) return true;
  if (!s->param) {
    problem_set(problem, "'%s' takes no parameter", s->name);
    return false;
  }
  char *end;
  while (*open == ' ') open++;
  unsigned long k = isdigit((unsigned char)*open) ? strtoul(open, &end, 10) : 0;
  unsigned long least =
      s == &spec_register || s == &spec_cas_register || s == &spec_semaphore || s == &spec_latch ? 0 : 1;
  bool number = isdigit((unsigned char)*open);
  if (number) {
    while (*end == ' ') end++;
    number = *end == ')' && !end[strspn(end + 1, " ") + 1];
  }
  if (!number || k < least || k > VALUE_SMALL_MAX) {
    problem_set(problem, "'%.60s' is not '%s(N)' with a number N (%s) of at least %lu", name, s->name, s->param, least);
    return false;
  }
  out->k = (uint32_t)k;
  return true;
}

/* Printing. */

uint32_t elements_words(const struct spec *spec, struct state s) {
  (void)spec;
  return s.size / 4;
}

void print_values(const struct spec *s, struct state state, uint32_t from, uint32_t stride, const char *brackets,
                  struct text *out) {
  uint32_t n;
  const uint32_t *w = state_words(state, &n);
  text_char(out, brackets[0]);
  for (uint32_t i = from; i < n; i += stride) {
    if (i != from) text_char(out, ' ');
    value_print(s->values, w[i], out);
  }
  text_char(out, brackets[1]);
}

void op_print_call(const struct spec *s, const struct history *h, const struct op *o, struct text *out) {
  if (h->written && o >= h->ops.at && o < h->ops.at + h->ops.count) {
    text_add(out, h->written[o - h->ops.at]);
  } else {
    size_t len;
    const char *name = spec_op_name(s, o->method, &len);
    text_char(out, (char)toupper((unsigned char)name[0]));
    text_bytes(out, name + 1, len - 1);
  }
  text_char(out, '(');
  for (int i = 0; i < OP_ARGS && o->arg[i] != V_NONE; i++) {
    if (i) text_add(out, ", ");
    value_print(h->values, o->arg[i], out);
  }
  text_char(out, ')');
}

void op_print(const struct spec *s, const struct history *h, const struct op *o, struct text *out) {
  op_print_call(s, h, o, out);
  text_add(out, " -> ");
  if (o->result == V_NONE)
    text_add(out, "ok");
  else if (o->result == V_FALSE && op_finds_nothing(s, o))
    text_add(out, "abort");
  else
    value_print(h->values, o->result, out);
}
