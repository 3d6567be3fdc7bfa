/* Goto.
 *
 * A jump leaves the scopes that its label is not in, as any jump out of them does. It may also lead into blocks, or
 * past declarations of its own block: the variables declared there are there behind the label, though their
 * declarations were not reached, and nothing has set them (C11 6.2.4p6). Such variables are hoisted: they have their
 * place from the beginning of the function on. The life of one begins anew at its declaration and at each goto past it;
 * it ends with the function, so that a pointer to it which is used after its block was left is not noticed. */
#include "front/lower.h"

struct way { /* from the function's body to a statement */
  struct mem *mem;
  VEC(const struct decl *) decls; /* declared on it, in the order they are */
  VEC(const struct stmt *) blocks;
  bool found; /* false: the statement is in a statement expression */
};

static bool find(struct way *w, const struct stmt *s, const struct stmt *to);

static bool find_in_list(struct way *w, const struct stmt *s, const struct stmt *to) {
  for (uint32_t i = 0; s && i < s->count; i++) {
    if (s->list[i]->kind == S_DECL && s->list[i]->decl) vec_push(w->mem, &w->decls, s->list[i]->decl);
    if (find(w, s->list[i], to)) return true;
  }
  return false;
}

static bool find(struct way *w, const struct stmt *s, const struct stmt *to) {
  if (!s || s == to) return s == to;
  size_t decls = w->decls.count, blocks = w->blocks.count;
  if (s->kind == S_BLOCK || s->kind == S_FOR || s->kind == S_ATOMIC) vec_push(w->mem, &w->blocks, s);
  if (s->kind == S_FOR && find_in_list(w, s->init, to)) return true;
  if (find_in_list(w, s, to) || find(w, s->body, to) || find(w, s->otherwise, to)) return true;
  w->decls.count = decls;
  w->blocks.count = blocks;
  return false;
}

static struct way way_to(const struct lowering *l, const struct stmt *s) {
  struct way w = {.mem = l->mem};
  w.found = find(&w, l->frame->function->body, s);
  return w;
}

static void way_free(struct way *w) {
  vec_free(w->mem, &w->decls);
  vec_free(w->mem, &w->blocks);
}

static size_t common_decls(const struct way *a, const struct way *b) {
  size_t n = 0;
  while (n < a->decls.count && n < b->decls.count && a->decls.at[n] == b->decls.at[n]) n++;
  return n;
}

static void collect_labels(struct lowering *l, const struct stmt *s) {
  if (!s) return;
  if (s->kind == S_LABEL)
    vec_push(l->mem, &l->frame->targets, ((struct target){s, label_new(l), UINT32_MAX, UINT32_MAX, UINT32_MAX}));
  collect_labels(l, s->body);
  collect_labels(l, s->otherwise);
  for (uint32_t i = 0; i < s->count; i++) collect_labels(l, s->list[i]);
}

static struct target *target_of(struct lowering *l, const struct stmt *s) {
  for (size_t i = 0; i < l->frame->targets.count; i++)
    if (!strcmp(l->frame->targets.at[i].stmt->label, s->label)) return &l->frame->targets.at[i];
  lower_refuse(l, s->place, "there is no label %s in this function", s->label);
}

static bool is_local(const struct decl *d) { return d->kind == DECL_VARIABLE && d->storage == STORAGE_AUTO; }

bool is_hoisted(const struct lowering *l, const struct decl *d) {
  for (size_t i = 0; i < l->frame->hoisted.count; i++)
    if (l->frame->hoisted.at[i] == d) return true;
  return false;
}

static void hoist(struct lowering *l, const struct decl *d, const struct stmt *jump) {
  if (!is_local(d) || is_hoisted(l, d)) return;
  if (d->type->variable)
    lower_refuse(l, jump->place, "a goto past the declaration of %s, whose size is not constant", d->name);
  if (d->cleanup) lower_outside(l, jump->place, "a goto past the declaration of a variable with a cleanup");
  vec_push(l->mem, &l->frame->hoisted, d);
}

static void collect_hoisted(struct lowering *l, const struct stmt *s) {
  if (!s) return;
  if (s->kind == S_GOTO) {
    struct way from = way_to(l, s), to = way_to(l, target_of(l, s)->stmt);
    for (size_t i = common_decls(&from, &to); i < to.decls.count; i++) hoist(l, to.decls.at[i], s);
    way_free(&from);
    way_free(&to);
  }
  collect_hoisted(l, s->body);
  collect_hoisted(l, s->otherwise);
  for (uint32_t i = 0; i < s->count; i++) collect_hoisted(l, s->list[i]);
}

void targets_collect(struct lowering *l, const struct stmt *body) {
  collect_labels(l, body);
  if (l->frame->targets.count) collect_hoisted(l, body);
  for (size_t i = 0; i < l->frame->hoisted.count; i++) {
    const struct decl *d = l->frame->hoisted.at[i];
    vec_push(l->mem, &l->homed, ((struct homed){d->id, l->homes[d->id]}));
    if (lives_in_memory(l, d)) {
      l->homes[d->id] = (struct home){.kind = HOME_MEMORY, .r = local_in_memory(l, d, false)};
      continue;
    }
    reg r = reg_new(l, d->type->cells, "");
    reg_name(l, r, d->name, d->type);
    l->homes[d->id] = (struct home){.kind = HOME_REGISTERS, .r = r};
  }
}

static void unset(struct lowering *l, const struct decl *d) {
  struct home home = l->homes[d->id];
  if (home.kind == HOME_MEMORY)
    local_renew(l, d, home.r, false);
  else
    for (uint32_t k = 0; k < d->type->cells; k++) value_unset(l, (reg)(home.r + k), d->place);
}

/* Nothing has set the variables that are declared on the way to the label, and not on the way to the goto. */
static void skip_declarations(struct lowering *l, const struct way *from, const struct way *to) {
  for (size_t i = common_decls(from, to); i < to->decls.count; i++)
    if (is_hoisted(l, to->decls.at[i])) unset(l, to->decls.at[i]);
}

void unset_at_case(struct lowering *l, const struct stmt *body, const struct stmt *to, uint32_t label) {
  struct way w = {.mem = l->mem};
  uint32_t inside = UINT32_MAX; /* for what comes from the statement before it */
  find(&w, body, to);
  for (size_t i = 0; i < w.decls.count; i++) {
    if (!is_local(w.decls.at[i])) continue;
    if (inside == UINT32_MAX) {
      inside = label_new(l);
      emit_jump(l, inside, to->place);
      label_place(l, label);
    }
    unset(l, w.decls.at[i]);
  }
  label_place(l, inside == UINT32_MAX ? label : inside);
  way_free(&w);
}

static bool is_declared(const struct lowering *l, const struct decl *d) {
  for (size_t i = 0; i < l->frame->declared.count; i++)
    if (l->frame->declared.at[i] == d) return true;
  return false;
}

/* The goto is in a statement expression, from which all of the label's blocks are open: what is not declared yet is
 * declared between the two. */
static void refuse_skipped(struct lowering *l, const struct way *to, struct place place) {
  for (size_t i = 0; i < to->decls.count; i++)
    if (is_local(to->decls.at[i]) && !is_declared(l, to->decls.at[i]))
      lower_outside(l, place, "a goto out of an expression past a declaration");
}

static bool is_on(const struct way *w, const struct stmt *block) {
  for (size_t i = 0; i < w->blocks.count; i++)
    if (w->blocks.at[i] == block) return true;
  return false;
}

static bool is_open(const struct lowering *l, const struct stmt *block) {
  for (size_t i = l->frame->scopes; i < l->scopes.count; i++)
    if (l->scopes.at[i].block == block) return true;
  return false;
}

void lower_goto(struct lowering *l, const struct stmt *s) {
  struct target *t = target_of(l, s);
  struct way from = way_to(l, s), to = way_to(l, t->stmt);
  for (size_t i = 0; i < to.blocks.count; i++) {
    if (is_open(l, to.blocks.at[i])) continue;
    if (to.blocks.at[i]->kind == S_ATOMIC) lower_outside(l, s->place, "a goto into ASIF_ATOMIC");
    if (!from.found) lower_outside(l, s->place, "a goto out of an expression into a block");
  }
  if (!from.found) refuse_skipped(l, &to, s->place);
  size_t scopes = l->scopes.count;
  while (scopes > l->frame->scopes + 1 && !is_on(&to, l->scopes.at[scopes - 1].block)) scopes--;
  uint32_t here = scopes < l->scopes.count ? l->scopes.at[scopes].cleanups : (uint32_t)l->cleanups.count;
  scopes_leave(l, scopes, t->locals, s->place);
  if (t->cleanups == UINT32_MAX) t->cleanups = here; /* forward: no declaration may come between */
  if (t->cleanups != here) lower_outside(l, s->place, "a goto past the declaration of a variable with a cleanup");
  if (t->locals == UINT32_MAX)
    t->expected = scopes < l->scopes.count ? l->scopes.at[scopes].locals : (uint32_t)l->locals.count;
  if (from.found) skip_declarations(l, &from, &to);
  emit_jump(l, t->label, s->place);
  way_free(&from);
  way_free(&to);
}

void lower_label(struct lowering *l, const struct stmt *s) {
  struct target *t = target_of(l, s);
  t->locals = (uint32_t)l->locals.count;
  if (t->cleanups != UINT32_MAX && t->cleanups != l->cleanups.count)
    lower_outside(l, s->place, "a goto past the declaration of a variable with a cleanup");
  t->cleanups = (uint32_t)l->cleanups.count;
  if (t->expected != UINT32_MAX && t->expected != t->locals)
    lower_outside(l, s->place, "a goto past a compound literal whose address is taken");
  label_place(l, t->label);
  lower_statement(l, s->body);
}
