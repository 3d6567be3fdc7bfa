/* Liveness of an object in C: see live.h. */
#include "verify/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "verify/bounded.h"

struct system *live_system(struct subject *s) {
  if (s->bound < 0 && !s->spec.alone) return s->machine;
  struct traces traces = specsets_traces(s->sets);
  return bounded_new(s->mem, s->machine, &traces);
}

/* Names. */

/* A call any thread may make. */
struct known_call {
  const struct client_call *call;
  value args[3];
};

struct known_calls {
  struct subject *subject;
  VEC(struct known_call) calls; /* by number; call is NULL where it is none */
};

static int find_operation(void *self, const char *name, size_t len) {
  const struct subject *s = ((struct known_calls *)self)->subject;
  for (uint32_t i = 0; i < s->program->op_count; i++)
    if (strlen(s->program->ops[i].function) == len && !memcmp(s->program->ops[i].function, name, len)) return (int)i;
  int found = spec_op_find(&s->spec, name, len);
  for (uint32_t i = 0; i < s->program->op_count && found >= 0; i++)
    if (s->spec_op[i] == found) return (int)i;
  return -1;
}

static void list_operations(void *self, struct text *out) {
  const struct subject *s = ((struct known_calls *)self)->subject;
  for (uint32_t i = 0; i < s->program->op_count; i++)
    text_printf(out, "%s%s", i ? ", " : "", s->program->ops[i].function);
}

static bool read_literal(void *self, const char *text, size_t len, value *out) {
  static const struct {
    const char *word;
    value value;
  } words[] = {{"true", V_TRUE},   {"false", V_FALSE}, {"nil", V_NIL},
               {"empty", V_EMPTY}, {"full", V_FULL},   {"ok", V_NONE}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].word) == len && !memcmp(words[i].word, text, len)) return *out = words[i].value, true;
  char number[24], *end;
  if (len >= sizeof number) return false;
  memcpy(number, text, len);
  number[len] = 0;
  errno = 0;
  long long n = strtoll(number, &end, 10);
  *out = value_int(((struct known_calls *)self)->subject->values, n);
  return end != number && !*end && !errno;
}

static int what_call(void *self, uint16_t number, const value **args, unsigned *count) {
  const struct known_calls *k = self;
  const struct known_call *c = &k->calls.at[number];
  *args = c->args;
  *count = k->subject->program->ops[c->call->op].params;
  return c->call->op;
}

static void print_call(void *self, uint16_t number, struct text *out) {
  const struct known_calls *k = self;
  const struct client_call *c = k->calls.at[number].call;
  const struct program_op *op = &k->subject->program->ops[c->op];
  text_printf(out, "%s(", op->function);
  for (unsigned i = 0; i < op->params; i++) text_printf(out, "%s%lld", i ? ", " : "", (long long)c->args[i]);
  text_char(out, ')');
}

static void know(struct known_calls *k, const struct client_call *c) {
  struct subject *s = k->subject;
  struct known_call new = {.call = c};
  for (unsigned i = 0; i < s->program->ops[c->op].params; i++) new.args[i] = value_int(s->values, c->args[i]);
  while (k->calls.count <= c->number) vec_push(s->mem, &k->calls, ((struct known_call){NULL, {0}}));
  k->calls.at[c->number] = new;
}

struct ltl_names live_names(struct subject *s) {
  struct known_calls *k = mem_zero(s->mem, 1, sizeof *k);
  k->subject = s;
  for (unsigned t = 0; t < s->threads; t++)
    for (unsigned i = 0; i < s->client[t].call_count; i++) know(k, &s->client[t].calls[i]);
  return (struct ltl_names){k, find_operation, list_operations, read_literal, what_call, print_call};
}
