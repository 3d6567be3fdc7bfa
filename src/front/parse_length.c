/* Arrays whose number of elements is not constant (C11 6.7.6.2). Each such number is kept in a variable without a name,
 * which the type refers to, and which is declared where the declaration comes that has the type: so it is evaluated
 * once, there, whatever becomes of what is in its expression. Where nothing declares it, the array is refused once an
 * operation reaches it. */
#include "front/front.h"

static bool has_effects(const struct expr *e) {
  if (!e) return false;
  if (e->kind == E_CALL || e->kind == E_ASSIGN || e->kind == E_STEP || e->kind == E_BLOCK) return true;
  for (uint32_t i = 0; i < e->arg_count; i++)
    if (has_effects(e->args[i])) return true;
  return has_effects(e->a) || has_effects(e->b) || has_effects(e->c);
}

/* The number in brackets; of parameters, those before it are known in it. */
struct expr *length_parse(struct front *f) {
  const struct prototype *p = f->prototype;
  if (!p) return parse_assignment(f);
  scope_enter(f);
  for (size_t i = 0; i < p->params.count; i++) {
    struct decl *d = p->params.at[i];
    d->defined = true;
    if (*d->name) scope_bind(f, symbol_of(f, d->name, strlen(d->name)), d);
  }
  struct expr *e = parse_assignment(f);
  scope_leave(f);
  return e;
}

/* e: NULL for [*]. */
const struct type *length_array(struct front *f, const struct type *of, struct expr *e, struct place place) {
  if (e && !f->function && !f->prototype) front_outside(f, e->place, "an array whose size is not a constant");
  struct type *t = (struct type *)type_array(f, of, 0, false, place);
  struct decl *d = decl_new(f, DECL_VARIABLE, "", TYPE_OF(LONG), place);
  if (e) e = expr_value(f, e);
  if (e && !type_is_integer(e->type)) front_fail(f, e->place, "the size of an array is not an integer");
  d->storage = STORAGE_AUTO;
  d->defined = d->is_length = true;
  d->init = e ? expr_convert(f, e, TYPE_OF(LONG), true) : NULL;
  t->length = d;
  t->variable = t->complete = true;
  if (e) vec_push(f->mem, &f->lengths, d);
  return t;
}

/* An array parameter is a pointer: only what evaluating its size does would remain of it. */
void length_drop(struct front *f, const struct type *array) {
  if (!array->length || !array->length->init) return;
  if (has_effects(array->length->init))
    front_outside(f, array->length->place, "a parameter whose size is computed with side effects");
  f->lengths.count--;
}

void lengths_declare(struct front *f, size_t from, struct statements *to) {
  for (size_t i = from; i < f->lengths.count; i++) {
    struct stmt *s = stmt_new(f, S_DECL, f->lengths.at[i]->place);
    s->decl = f->lengths.at[i];
    vec_push(f->mem, &to->list, s);
  }
  f->lengths.count = from;
}

struct expr *lengths_around(struct front *f, size_t from, struct expr *e) {
  while (f->lengths.count > from) e = block_with(f, f->lengths.at[--f->lengths.count], e);
  return e;
}

struct expr *length_size(struct front *f, const struct type *t, const struct expr *of, struct place place) {
  if (has_effects(of)) front_outside(f, place, "the size of an array that is found with side effects");
  if (!t->variable) return expr_number(f, place, t->size, TYPE_OF(ULONG));
  struct expr *count =
      t->length ? expr_name(f, place, t->length) : expr_number(f, place, (int64_t)t->count, TYPE_OF(ULONG));
  return expr_binary(f, place, OP_MUL, expr_convert(f, count, TYPE_OF(ULONG), true),
                     length_size(f, t->of, NULL, place));
}
