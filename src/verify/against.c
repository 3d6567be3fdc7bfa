/* --against: the specification is another concurrent object in C (reference.h).
 *
 * Its operations are the specification's, by their names; what they are called with is what the object's own harness
 * says. As a struct spec it gives names to histories and reports, and numbers to calls; what it allows is asked of the
 * reference alone. */
#include <string.h>

#include "verify/verify.h"

static value reference_value(void *self, const struct program_op *op, word w) {
  const struct subject *s = self;
  return result_of(s, &s->spec.ops[op - s->against.program->ops], op->result, w);
}

/* Where the reference marks no operations: functions with the names of the object's. */
static void find_named(struct subject *s, struct unit *u) {
  const struct harness *h = &s->unit->harness;
  for (size_t i = 0; i < h->ops.count; i++) {
    for (size_t k = 0; k < u->decls.count; k++) {
      struct decl *d = u->decls.at[k];
      if (d->kind != DECL_FUNCTION || !d->body || strcmp(d->name, h->ops.at[i].name)) continue;
      struct harness_op op = {.name = d->name, .function = d, .place = d->place};
      vec_push(s->mem, &u->harness.ops, op);
    }
  }
}

bool against_read(struct subject *s, struct problem *why) {
  const char *path = s->options->against;
  struct lower_options options = {.recursion = s->options->recursion, .malloc_fails = s->options->malloc_fails};
  struct unit *u = s->options->against_unit;
  char *const *flags = flags_alone(s->mem, s->options->cc_args, NULL);
  if (!u) u = (s->options->only_read ? front_read_own : front_read)(s->mem, path, flags, why);
  s->against.unit = u;
  if (!u) return false;
  if (!u->harness.ops.count) find_named(s, u);
  if (!u->harness.ops.count) {
    problem_set(why, "%s: no operations: mark them with ASIF_OP(f), or name functions after those of %s", path,
                s->options->path);
    return false;
  }
  s->against.program = lower(s->mem, u, &options, why);
  if (!s->against.program) return false;
  struct machine_options m = {.type_stable = u->harness.type_stable, .malloc_fails = s->options->malloc_fails};
  if (!spec_of_object(s->mem, s->against.program, s->threads, &m, reference_value, s, &s->spec, why)) return false;
  s->against.ops = mem_alloc(s->mem, s->spec.op_count * sizeof *s->against.ops);
  memcpy(s->against.ops, s->spec.ops, s->spec.op_count * sizeof *s->against.ops);
  s->spec.ops = s->against.ops;
  s->spec.name = path;
  s->spec.summary = "another object";
  return true;
}

bool against_bind(struct subject *s, uint32_t i, struct problem *why) {
  const struct program_op *op = &s->program->ops[i];
  const char *path = s->options->against;
  int found = spec_op_find(&s->spec, op->name, strlen(op->name));
  if (found < 0) {
    problem_at(why, s->unit, op->place, "%s has no operation %s", path, op->name);
    return false;
  }
  const struct program_op *other = &s->against.program->ops[found];
  if (op->params != other->params) {
    problem_at(why, s->unit, op->place, "%s takes %u argument%s, but %s of %s takes %u", op->function, op->params,
               op->params == 1 ? "" : "s", other->function, path, other->params);
    return false;
  }
  if ((op->result == RESULT_OF_VOID) != (other->result == RESULT_OF_VOID)) {
    bool nothing = op->result == RESULT_OF_VOID;
    problem_at(why, s->unit, op->place, "%s returns %s, but %s of %s returns %s", op->function,
               nothing ? "nothing" : "a value", other->function, path, nothing ? "a value" : "nothing");
    return false;
  }
  if (op->result == RESULT_OF_BOOL) s->against.ops[found].result = RESULT_BOOL;
  s->spec_op[i] = found;
  return true;
}

void against_finish(struct subject *s) {
  unsigned most = 0;
  for (unsigned t = 0; t < s->threads; t++)
    for (unsigned i = 0; i < s->client[t].call_count; i++)
      if (s->client[t].calls[i].number > most) most = s->client[t].calls[i].number;
  struct client_call *calls = mem_zero(s->mem, most + 1, sizeof *calls);
  for (unsigned t = 0; t < s->threads; t++) {
    for (unsigned i = 0; i < s->client[t].call_count; i++) {
      struct client_call c = s->client[t].calls[i];
      c.op = (uint16_t)s->spec_op[c.op];
      calls[c.number] = c;
    }
  }
  s->against.parts = (struct reference_parts){.program = s->against.program,
                                              .calls = calls,
                                              .call_count = most + 1,
                                              .threads = s->threads,
                                              .type_stable = s->against.unit->harness.type_stable,
                                              .weak_fails = s->options->weak_fails,
                                              .malloc_fails = s->options->malloc_fails,
                                              .forget = true,
                                              .result = reference_value,
                                              .result_self = s};
  s->against.reference = reference_new(s->mem, &s->against.parts);
}

/* In the reference something went wrong: what its histories are cannot be told. */
static bool say_reference_fault(struct subject *s, const struct move *move, struct problem *why) {
  struct problem at;
  problem_at(&at, s->against.unit, move->place, "in the reference, %s%s%s", fault_name(move->fault),
             move->text ? ": " : "", move->text ? move->text : "");
  *why = at;
  return false;
}

void against_remember(struct subject *s) {
  s->against.parts.forget = false;
  s->against.reference = reference_new(s->mem, &s->against.parts);
}

bool against_sound(struct subject *s, bool *again, struct problem *why) {
  struct move fault;
  *again = false;
  if (!reference_fault(s->against.reference, &fault)) return true;
  if (fault.fault != FAULT_FORGOTTEN) return say_reference_fault(s, &fault, why);
  against_remember(s);
  *again = true;
  return true;
}

/* The last result is what the reference does not have. */
static char *last_result(struct subject *s, const struct path_move *path, size_t count) {
  struct text t;
  struct event last = {0};
  const struct client_call *call = NULL;
  for (size_t i = 0; i < count; i++)
    for (unsigned k = 0; k < path[i].move.event_count; k++)
      if (path[i].move.events[k].kind == EVENT_RETURN) last = path[i].move.events[k];
  for (size_t i = 0; i < count; i++)
    for (unsigned k = 0; k < path[i].move.event_count; k++) {
      const struct event *e = &path[i].move.events[k];
      if (e->kind == EVENT_CALL && e->thread == last.thread) call = &s->against.parts.calls[e->call];
    }
  text_open(&t, s->mem);
  text_printf(&t, "%s has no such history: not with the last result", s->options->against);
  if (call) text_printf(&t, ", %c's %s", 'A' + last.thread, s->against.program->ops[call->op].name);
  if (call && last.result != V_NONE) {
    text_add(&t, " -> ");
    value_print(s->values, last.result, &t);
  }
  return t.at;
}

bool against_confirm(struct subject *s, struct verified *out, struct problem *why) {
  const struct search_result *r = &out->search;
  VEC(struct event) events = {0};
  for (size_t i = 0; i < r->path_count; i++)
    for (unsigned k = 0; k < r->path[i].move.event_count; k++) vec_push(s->mem, &events, r->path[i].move.events[k]);
  if (reference_has(s->mem, &s->against.parts, events.at, events.count)) {
    problem_internal(why, "the search found a history that %s does not have, but it has it", s->options->against);
    return false;
  }
  out->reason = last_result(s, r->path, r->path_count);
  return true;
}
