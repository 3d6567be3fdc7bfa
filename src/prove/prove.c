/* From a C file to a proof. */
#include "prove/prove.h"

#include <string.h>

#include "harness/effects.h"
#include "prove/prover.h"

#define KNOWN "stack, queue, set, multiset, or what ASIF_EFFECT gives"

/* Lists are taken from at their front. Where a specification takes from the end only, the contents are kept the other
 * way round. */
static bool takes_from_end(const struct effects *x) {
  bool end = false;
  for (size_t i = 0; i < x->list.count; i++) {
    const struct effect_contents *c = &x->list.at[i].before;
    if (c->has_rest && c->first) return false;
    end |= c->has_rest && c->last;
  }
  return end;
}

static void mirror(struct effect_contents *c) {
  struct effect_contents old = *c;
  unsigned items = old.first + old.last;
  for (unsigned i = 0; i < items; i++) c->item[i] = old.item[items - 1 - i];
  if (old.has_rest) c->first = old.last, c->last = old.first;
}

/* Whether a value is inside is told by the order of the list. */
static bool compares(const struct effects *x) {
  for (size_t i = 0; i < x->list.count && !x->sequence; i++) {
    const struct effect *e = &x->list.at[i];
    if (e->has_absent) return true;
    for (unsigned k = 0; k < e->before.first; k++)
      if (e->before.item[k].kind == EFFECT_NUMBER || e->before.item[k].name < e->args) return true;
  }
  return false;
}

static void orient(struct prover *p, struct effects *x) {
  p->ordered = compares(x);
  p->effects = x;
  p->mirrored = x->sequence && takes_from_end(x);
  for (size_t i = 0; p->mirrored && i < x->list.count; i++) mirror(&x->list.at[i].before), mirror(&x->list.at[i].after);
}

static bool find_spec(struct mem *mem, const struct prove_options *o, const struct unit *unit, struct proved *d,
                      struct problem *why) {
  const char *name = o->spec ? o->spec : unit->harness.spec;
  struct effects *own = mem_zero(mem, 1, sizeof *own), *oriented = mem_zero(mem, 1, sizeof *own);
  bool given = unit_has_effects(unit, o->spec);
  if (given) {
    if (!unit_effects(mem, unit, own, why) || !unit_effects(mem, unit, oriented, why)) return false;
    effects_spec(mem, own, &d->spec);
  } else if (!name) {
    problem_set(why, "%s: no specification: --spec NAME, or ASIF_OBJECT(NAME) in the file; prove knows " KNOWN,
                o->path);
    return false;
  } else if (unit->harness.own_spec && !o->spec) {
    problem_at(why, unit, unit->harness.spec_place, "%s is a specification of the file's own, in C; prove knows " KNOWN,
               name);
    return false;
  } else if (!(o->only_read ? spec_load_named(name, &d->spec, why) : spec_load(name, &d->spec, mem, why)))
    return false;
  if (!given && !effects_of(mem, &d->spec, oriented)) {
    problem_set(why, "%s: %s is no specification that prove knows: " KNOWN, o->path, d->spec.name);
    return false;
  }
  orient(d->prover, oriented);
  return true;
}

/* Where there is no harness: functions that carry the names of the specification's operations. */
static bool find_ops(struct mem *mem, const struct prove_options *o, struct unit *u, const struct spec *spec,
                     struct problem *why) {
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
  problem_set(why, "%s: no operations: mark them with ASIF_OP(f), or name functions after those of %s", o->path,
              spec->name);
  return false;
}

static bool find_methods(struct prover *p, const struct unit *u, const struct spec *spec, struct problem *why) {
  for (uint32_t i = 0; i < p->program->op_count; i++) {
    const struct program_op *op = &p->program->ops[i];
    int found = spec_op_find(spec, op->name, strlen(op->name));
    size_t length = 0;
    const char *name = found < 0 ? "" : spec_op_name(spec, (unsigned)found, &length);
    unsigned m = 0;
    while (m < p->effects->ops.count &&
           (strlen(p->effects->ops.at[m].name) != length || strncmp(p->effects->ops.at[m].name, name, length)))
      m++;
    if (m == p->effects->ops.count) {
      problem_at(why, u, op->place, "%s is no operation of %s that prove knows", op->name, spec->name);
      return false;
    }
    if (op->params != p->effects->ops.at[m].args) {
      problem_at(why, u, op->place, "%s takes %u arguments, but %s of %s takes %u", op->function, op->params, op->name,
                 spec->name, p->effects->ops.at[m].args);
      return false;
    }
    if (op->params > 1) {
      problem_at(why, u, op->place, "%s takes several arguments: prove follows operations with one at most",
                 op->function);
      return false;
    }
    p->method[i] = (uint8_t)m;
  }
  return true;
}

bool prove_open(struct mem *mem, const struct prove_options *o, struct proved *d, struct problem *why) {
  struct unit *unit = (o->only_read ? front_read_own : front_read)(mem, o->path, o->cc_args, why);
  d->prover = mem_zero(mem, 1, sizeof *d->prover);
  if (unit && unit->harness.has_final) {
    problem_at(why, unit, unit->harness.final_place,
               "ASIF_FINAL: what follows the threads is run by asif test alone; leave the line out (#ifdef)");
    return false;
  }
  if (!unit || !find_spec(mem, o, unit, d, why) || !find_ops(mem, o, unit, &d->spec, why)) return false;
  struct lower_options lower_options = {.recursion = o->recursion};
  d->unit = unit;
  d->program = lower(mem, unit, &lower_options, why);
  if (!d->program) return false;
  if (d->program->op_count > OPS_MOST) {
    problem_set(why, "%s: more than %d operations", o->path, OPS_MOST);
    return false;
  }
  d->prover->level = d->level = o->level;
  d->prover->program = d->program;
  return find_methods(d->prover, unit, &d->spec, why);
}

/* May an operation take out any of the values that are inside? */
static bool takes_any(const struct effects *x) {
  for (size_t i = 0; i < x->list.count && !x->sequence; i++)
    for (unsigned k = 0; k < x->list.at[i].before.first; k++) {
      const struct effect_term *t = &x->list.at[i].before.item[k];
      if (t->kind == EFFECT_NAME && t->name >= x->list.at[i].args) return true;
    }
  return false;
}

static bool close_views(struct proved *d, bool points_known) {
  return points_known ? fixpoint(d->prover) : find_points(d->prover, &d->level, &d->tries);
}

/* Does the file say which arguments there are? Of functions that only their names make operations it does not. */
static bool has_ranges(const struct program *program) {
  bool has = false;
  for (uint32_t op = 0; op < program->op_count; op++)
    if (program->ops[op].params) has |= program->ops[op].low[0] || program->ops[op].high[0];
  return has;
}

static bool close_all(struct proved *d, const struct prove_options *o) {
  bool marked = d->prover->marked;
  d->prover->level = d->level = o->level;
  d->prover->takes_new = false;
  if (close_views(d, o->level == LEVEL_MS || marked)) return true;
  if (d->level == LEVEL_MS || !takes_any(d->prover->effects)) return false;
  d->prover->takes_new = true;
  return close_views(d, marked);
}

bool prove(struct mem *mem, const struct prove_options *o, struct proved *d, struct problem *why) {
  *d = (struct proved){.verdict = VERDICT_UNKNOWN};
  if (!prove_open(mem, o, d, why)) return false;
  bool marked = o->points == POINTS_MARKED || (o->points == POINTS_AUTO && d->program->has_points);
  if (marked && !d->program->has_points) {
    problem_set(why, "%s: no linearization points are marked: ASIF_LIN(), or leave out --points", o->path);
    return false;
  }
  if (!prover_open(d->prover, mem, d->program, o->path,
                   why)) { /* too large for what is followed: nothing is known to be wrong */
    snprintf(d->failure.said, sizeof d->failure.said, "%.*s", (int)strcspn(why->text, "\n"), why->text);
    d->failure.kind = FAIL_OUTSIDE;
    d->failure.limit = true;
    return true;
  }
  if (!read_given(d->prover, d->unit, why)) return false;
  if (o->level != LEVEL_MS && marked) d->prover->marked = true;
  d->prover->helping = d->prover->marked && marks_helping(d->prover);
  bool done = close_all(d, o);
  if (!done && d->prover->failure.kind == FAIL_UNDEFINED &&
      has_ranges(d->program)) { /* for any argument; then for those that are given */
    d->prover->ranged = true;
    done = close_all(d, o);
  }
  d->verdict = done ? VERDICT_HOLDS : VERDICT_UNKNOWN;
  d->failure = d->prover->failure;
  return true;
}

struct prove_counts prove_counts(const struct proved *d) {
  const struct prover *p = d->prover;
  return (struct prove_counts){p->entries.count ? p->entries.count - 1 : 0, p->actions.count, p->steps,
                               p->compositions};
}
