/* A specification written in the object's own file (ASIF_SPEC): run by the machine, as everything else in the file is.
 *
 * Its functions take the state by a pointer. Each gets a function around it that is an operation: the same without the
 * pointer, over one global variable that is the state. That program, run one operation at a time, is the specification
 * (self.c). */
#include <string.h>

#include "verify/verify.h"

struct making {
  struct mem *mem;
  struct unit *unit;
  struct decl *state;
};

static struct expr *new_expr(struct making *k, enum expr_kind kind, const struct type *type, struct place place) {
  struct expr *e = mem_zero(k->mem, 1, sizeof *e);
  e->kind = kind;
  e->type = type;
  e->place = place;
  return e;
}

static struct expr *name_of(struct making *k, struct decl *d, struct place place) {
  struct expr *e = new_expr(k, E_NAME, d->type, place);
  e->decl = d;
  e->lvalue = d->kind == DECL_VARIABLE;
  return e;
}

static struct decl *new_decl(struct making *k, enum decl_kind kind, const char *name, const struct type *type,
                             struct place place) {
  struct decl *d = mem_zero(k->mem, 1, sizeof *d);
  *d = (struct decl){.kind = kind,
                     .name = name,
                     .type = type,
                     .place = place,
                     .used = true,
                     .defined = true,
                     .id = k->unit->decl_count++};
  return d;
}

/* f(&state, ...) */
static struct expr *call_of(struct making *k, struct decl *f, struct decl **params, struct place place) {
  struct expr *call = new_expr(k, E_CALL, f->type->of, place);
  call->a = name_of(k, f, place);
  call->arg_count = f->type->param_count;
  call->args = mem_zero(k->mem, call->arg_count, sizeof *call->args);
  call->args[0] = new_expr(k, E_ADDRESS, f->type->params[0], place);
  call->args[0]->a = name_of(k, k->state, place);
  for (uint32_t i = 1; i < call->arg_count; i++) call->args[i] = name_of(k, params[i - 1], place);
  return call;
}

/* result f_(params without the first) { return f(&state, params); } */
static struct decl *without_pointer(struct making *k, struct decl *f, struct place place) {
  struct type *type = mem_zero(k->mem, 1, sizeof *type);
  *type = *f->type;
  type->plain = type;
  type->param_count = f->type->param_count - 1;
  type->params = f->type->params + 1;
  struct decl *d = new_decl(k, DECL_FUNCTION, f->name, type, place);
  d->param_count = type->param_count;
  d->params = mem_zero(k->mem, d->param_count + 1, sizeof *d->params);
  for (uint32_t i = 0; i < d->param_count; i++) {
    d->params[i] = new_decl(k, DECL_VARIABLE, f->params[i + 1]->name, type->params[i], place);
    d->params[i]->storage = STORAGE_PARAM;
  }
  struct stmt *body = mem_zero(k->mem, 2, sizeof *body), *only = body + 1;
  *only = (struct stmt){.kind = f->type->of->kind == TYPE_VOID ? S_EXPR : S_RETURN,
                        .place = place,
                        .expr = call_of(k, f, d->params, place)};
  *body = (struct stmt){.kind = S_BLOCK, .place = place, .count = 1};
  body->list = mem_zero(k->mem, 1, sizeof *body->list);
  body->list[0] = only;
  d->body = body;
  return d;
}

static value own_result(void *self, const struct program_op *op, word w) {
  const struct subject *s = self;
  return result_of(s, &s->spec.ops[op - s->own->ops], op->result, w);
}

bool spec_of_file(struct subject *s, struct problem *why) {
  const struct harness *h = &s->unit->harness;
  struct unit *unit = mem_zero(s->mem, 1, sizeof *unit);
  struct making k = {.mem = s->mem, .unit = unit};
  struct lower_options lowering = {.recursion = s->options->recursion, .alone = true};
  struct machine_options machine = {0};
  *unit = *s->unit;
  unit->harness = (struct harness){.bound = -1};
  unit->decls.at = NULL;
  unit->decls.count = unit->decls.room = 0;
  for (size_t i = 0; i < s->unit->decls.count; i++) vec_push(s->mem, &unit->decls, s->unit->decls.at[i]);
  k.state = new_decl(&k, DECL_VARIABLE, "state", h->own_state, h->spec_place);
  k.state->storage = STORAGE_GLOBAL;
  k.state->address_taken = k.state->written = true;
  vec_push(s->mem, &unit->decls, k.state);
  for (size_t i = 0; i < h->own_ops.count; i++) {
    struct harness_op op = {.name = h->own_ops.at[i].names, .place = h->own_ops.at[i].place};
    op.function = without_pointer(&k, h->own_ops.at[i].function, op.place);
    vec_push(s->mem, &unit->harness.ops, op);
  }
  if (!unit->harness.ops.count) {
    problem_at(why, s->unit, h->spec_place, "the specification %s has no operations: ASIF_SPEC_OP(f)", h->own_spec);
    return false;
  }
  if (h->own_init) unit->harness.init = without_pointer(&k, h->own_init, h->own_init->place);
  struct program *p = lower(s->mem, unit, &lowering, why);
  s->own = p;
  if (!p || !spec_of_object(s->mem, p, s->threads, &machine, own_result, s, &s->spec, why)) return false;
  s->spec.name = h->own_spec;
  s->spec.summary = "the file's own";
  return true;
}
