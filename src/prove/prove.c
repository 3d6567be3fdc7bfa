/* From a C file to a proof. */
#include "prove/prove.h"

#include <string.h>

#include "prove/prover.h"

static const struct {
  const char *spec;
  enum prove_object object;
} objects[] = {{"stack", PROVE_STACK}, {"queue", PROVE_QUEUE}, {"set", PROVE_SET}, {"multiset", PROVE_MULTISET}};
static const struct {
  const char *operation;
  enum prove_role role;
} roles[] = {{"push", ROLE_ADD}, {"pop", ROLE_TAKE}, {"enq", ROLE_ADD}, {"deq", ROLE_TAKE}, {"add", ROLE_ADD}, {"remove", ROLE_TAKE},
             {"contains", ROLE_ASK}};

static bool find_spec(struct mem *mem, const struct prove_options *o, const struct unit *unit, struct proved *d, enum prove_object *object,
                      struct problem *why) {
  const char *name = o->spec ? o->spec : unit->harness.spec;
  if (!name) {
    problem_set(why, "%s: no specification: --spec NAME, or ASIF_OBJECT(NAME) in the file; prove knows stack, queue, set and multiset", o->path);
    return false;
  }
  if (unit->harness.own_spec && !o->spec) {
    problem_at(why, unit, unit->harness.spec_place, "%s is a specification of the file's own; prove knows stack, queue, set and multiset", name);
    return false;
  }
  if (!spec_load(name, &d->spec, mem, why)) return false;
  for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
    if (!strcmp(objects[i].spec, d->spec.name)) {
      *object = objects[i].object;
      return true;
    }
  problem_set(why, "%s: %s is no specification that prove knows: stack, queue, set and multiset", o->path, d->spec.name);
  return false;
}

/* Where there is no harness: functions that carry the names of the specification's operations. */
static bool find_ops(struct mem *mem, const struct prove_options *o, struct unit *u, const struct spec *spec, struct problem *why) {
  for (size_t i = 0; !u->harness.ops.count && i < u->decls.count; i++) {
    struct decl *d = u->decls.at[i];
    if (d->kind != DECL_FUNCTION || !d->body || spec_op_find(spec, d->name, strlen(d->name)) < 0) continue;
    for (size_t k = i; k < u->decls.count; k++) {
      struct decl *f = u->decls.at[k];
      if (f->kind != DECL_FUNCTION || !f->body || spec_op_find(spec, f->name, strlen(f->name)) < 0) continue;
      struct harness_op h = {.name = f->name, .function = f, .place = f->place};
      vec_push(mem, &u->harness.ops, h);
    }
  }
  if (u->harness.ops.count) return true;
  problem_set(why, "%s: no operations: mark them with ASIF_OP(f), or name functions after those of %s", o->path, spec->name);
  return false;
}

static bool find_roles(struct prover *p, const struct unit *u, const struct spec *spec, struct problem *why) {
  for (uint32_t i = 0; i < p->program->op_count; i++) {
    const struct program_op *op = &p->program->ops[i];
    int found = spec_op_find(spec, op->name, strlen(op->name));
    size_t length;
    const char *name = found < 0 ? op->name : spec_op_name(spec, (unsigned)found, &length);
    bool known = false;
    for (size_t k = 0; found >= 0 && k < sizeof roles / sizeof *roles; k++)
      if (strlen(roles[k].operation) == length && !strncmp(roles[k].operation, name, length)) p->role[i] = roles[k].role, known = true;
    if (!known) {
      problem_at(why, u, op->place, "%s is no operation of %s that prove knows", op->name, spec->name);
      return false;
    }
    if (op->params != spec->ops[found].args) {
      problem_at(why, u, op->place, "%s takes %u arguments, but %s of %s takes %u", op->function, op->params, op->name, spec->name,
                 spec->ops[found].args);
      return false;
    }
  }
  return true;
}

bool prove_open(struct mem *mem, const struct prove_options *o, struct proved *d, struct problem *why) {
  struct unit *unit = front_read(mem, o->path, o->cc_args, why);
  enum prove_object object;
  if (!unit || !find_spec(mem, o, unit, d, &object, why) || !find_ops(mem, o, unit, &d->spec, why)) return false;
  struct lower_options lower_options = {.recursion = o->recursion};
  d->unit = unit;
  d->program = lower(mem, unit, &lower_options, why);
  if (!d->program) return false;
  if (d->program->op_count > OPS_MOST) {
    problem_set(why, "%s: more than %d operations", o->path, OPS_MOST);
    return false;
  }
  d->prover = mem_zero(mem, 1, sizeof *d->prover);
  d->prover->object = object;
  d->prover->level = d->level = o->level;
  d->prover->program = d->program;
  return find_roles(d->prover, unit, &d->spec, why);
}

bool prove(struct mem *mem, const struct prove_options *o, struct proved *d, struct problem *why) {
  *d = (struct proved){.verdict = VERDICT_UNKNOWN};
  if (!prove_open(mem, o, d, why)) return false;
  bool marked = o->points == POINTS_MARKED || (o->points == POINTS_AUTO && d->program->has_points);
  if (marked && !d->program->has_points) {
    problem_set(why, "%s: no linearization points are marked: ASIF_LIN(), or leave out --points", o->path);
    return false;
  }
  if (!prover_open(d->prover, mem, d->program, o->path, why)) { /* too large for what is followed: nothing is known to be wrong */
    snprintf(d->failure.said, sizeof d->failure.said, "%.*s", (int)sizeof d->failure.said - 1, why->text);
    d->failure.limit = true;
    return true;
  }
  if (!read_given(d->prover, d->unit, why)) return false;
  if (o->level != LEVEL_MS && marked) d->prover->marked = true;
  d->prover->helping = d->prover->marked && marks_helping(d->prover);
  bool done = o->level == LEVEL_MS || marked ? fixpoint(d->prover) : find_points(d->prover, &d->level, &d->tries);
  d->verdict = done ? VERDICT_HOLDS : VERDICT_UNKNOWN;
  d->failure = d->prover->failure;
  return true;
}

struct prove_counts prove_counts(const struct proved *d) {
  const struct prover *p = d->prover;
  return (struct prove_counts){p->entries.count ? p->entries.count - 1 : 0, p->actions.count, p->steps, p->compositions};
}
