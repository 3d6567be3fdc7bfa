/* Objects: their layouts, and global variables with what they begin as. */
#include <assert.h>

#include "front/lower.h"

struct scalar scalar_of(const struct type *t) {
  switch (t->kind) {
  case TYPE_BOOL: return (struct scalar){.bits = 1};
  case TYPE_POINTER: return (struct scalar){.bits = 64, .pointer = true};
  case TYPE_MUTEX: return (struct scalar){.bits = 32, .mutex = true};
  case TYPE_INT: return (struct scalar){.bits = t->bits, .is_signed = t->is_signed, .holds_pointer = t->holds_pointer};
  default: return (struct scalar){.bits = 32, .is_signed = true};
  }
}

/* Layouts. */

/* The scalar type of a cell. */
static const struct type *cell_type(const struct type *t, uint32_t cell) {
  for (;;) {
    if (t->kind == TYPE_ARRAY) {
      cell %= t->of->cells;
      t = t->of;
    } else if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION) {
      const struct field *f = t->fields;
      while (f + 1 < t->fields + t->field_count && cell >= f->cell + f->type->cells) f++;
      cell -= f->cell;
      t = f->type;
    } else {
      return t;
    }
  }
}

bool layouts_agree(const struct type *a, const struct type *b) {
  if (a->kind == TYPE_VOID || b->kind == TYPE_VOID || type_same(a, b) || !a->cells || !b->cells) return true;
  for (uint32_t i = 0; i < a->cells && i < b->cells; i++) {
    struct scalar x = scalar_of(cell_type(a, i)), y = scalar_of(cell_type(b, i));
    if (x.bits != y.bits || x.is_signed != y.is_signed || x.pointer != y.pointer || x.mutex != y.mutex) return false;
  }
  return true;
}

typedef VEC(struct cell) cell_list;
typedef VEC(struct member_array) array_list;

static void add_array(struct lowering *l, array_list *arrays, const struct type *t, uint32_t begin) {
  const struct type *of = t;
  while (of->kind == TYPE_ARRAY) of = of->of;
  if (t->cells) vec_push(l->mem, arrays, ((struct member_array){begin, begin + t->cells, of->cells}));
}

static void flatten(struct lowering *l, cell_list *cells, array_list *arrays, const struct type *t, const char *name,
                    bool atomic) {
  atomic = atomic || t->atomic;
  switch (t->kind) {
  case TYPE_ARRAY:
    for (uint32_t i = 0; i < t->count; i++) flatten(l, cells, arrays, t->of, lower_text(l, "%s[%u]", name, i), atomic);
    break;
  case TYPE_STRUCT:
  case TYPE_UNION:
    for (uint32_t i = 0; i < t->field_count; i++) {
      const struct field *f = &t->fields[i];
      if (cells->count >= t->cells && t->kind == TYPE_UNION) break;
      const char *dot = *name && *f->name ? "." : "";
      if (f->type->kind == TYPE_ARRAY) add_array(l, arrays, f->type, (uint32_t)cells->count);
      flatten(l, cells, arrays, f->type, lower_text(l, "%s%s%s", name, dot, f->name), atomic);
    }
    break;
  default: vec_push(l->mem, cells, ((struct cell){name, scalar_of(t), atomic})); break;
  }
}

/* Of what malloc gives: one a type. Of variables: each its own, with its name. */
uint32_t layout_for(struct lowering *l, const struct type *t, const char *variable) {
  for (size_t i = 0; !variable && i < l->layout_types.count; i++)
    if (l->layout_types.at[i] && type_same(l->layout_types.at[i], t)) return (uint32_t)i;
  cell_list cells = {0};
  array_list arrays = {0};
  flatten(l, &cells, &arrays, t, "", false);
  struct text name;
  text_open(&name, l->mem);
  if (!variable) type_print(t->plain ? t->plain : t, &name);
  struct layout layout = {variable ? variable : text_string(&name), cells.at, (uint32_t)cells.count, arrays.at,
                          (uint32_t)arrays.count};
  vec_push(l->mem, &l->layouts, layout);
  vec_push(l->mem, &l->layout_types, variable ? NULL : t);
  return (uint32_t)l->layouts.count - 1;
}

/* Globals. */

static bool deeply_constant(const struct type *t) {
  return t->kind == TYPE_ARRAY ? deeply_constant(t->of) : t->constant;
}

static word static_address(struct lowering *, const struct expr *lvalue);

/* An address, `by` elements of so many cells further: perhaps just past an array that is a member. */
static word static_moved(struct lowering *l, word w, int64_t by, uint32_t cells) {
  if (!word_is_pointer(w)) return w + by * cells * 8;
  w &= ~WORD_PAST;
  const struct layout *layout = &l->layouts.at[l->globals.at[word_object(w)].layout];
  int64_t cell = word_cell(w), to = cell + by * cells;
  for (uint32_t i = layout->array_count; i-- > 0;) {
    const struct member_array *a = &layout->arrays[i];
    if (cell < a->begin || cell >= a->end || !cells || cells % a->element || cells >= a->end - a->begin) continue;
    return w + by * cells * 8 + (to == a->end && a->end < layout->count ? WORD_PAST : 0);
  }
  return w + by * cells * 8;
}

/* The value of a scalar initialiser. */
static word static_value(struct lowering *l, const struct expr *e) {
  switch (e->kind) {
  case E_NUMBER:
    if (e->value > WORD_MOST || e->value < WORD_LEAST) lower_outside(l, e->place, "a number of more than 61 bits");
    return e->value;
  case E_CAST: {
    word w = static_value(l, e->a);
    return type_is_integer(e->type) && !word_is_pointer(w) ? fold_wrap(w, e->type) : w;
  }
  case E_ADDRESS:
  case E_DECAY: return static_address(l, e->a);
  case E_COMPOUND:
  case E_INIT:
    if (e->kind == E_COMPOUND) return static_value(l, e->a);
    if (e->arg_count == 0 || !e->args[0]) return 0;
    return static_value(l, e->args[0]);
  case E_BINARY:
    if (e->b->kind == E_NUMBER && e->type->kind == TYPE_POINTER) {
      word w = static_value(l, e->a);
      if (word_is_pointer(w))
        return static_moved(l, w, e->op == OP_SUB ? -e->b->value : e->b->value, e->type->of->cells);
    }
    break;
  default: break;
  }
  lower_outside(l, e->place, "this initialiser");
}

static word static_address(struct lowering *l, const struct expr *e) {
  switch (e->kind) {
  case E_NAME:
    if (e->decl->kind == DECL_VARIABLE || e->decl->kind == DECL_FUNCTION)
      return word_pointer(global_for(l, e->decl), 0);
    break;
  case E_FIELD: return static_address(l, e->a) + (word)e->field->cell * 8;
  case E_INDEX:
    if (e->b->kind == E_NUMBER) return static_moved(l, static_value(l, e->a), e->b->value, e->type->cells);
    break;
  case E_DEREF: return static_value(l, e->a);
  default: break;
  }
  lower_outside(l, e->place, "this address in an initialiser");
}

static void static_init(struct lowering *l, word *out, const struct type *t, const struct expr *e) {
  if (!e) return;
  if (e->kind == E_COMPOUND) e = e->a;
  if (e->kind == E_CAST && t->kind == TYPE_STRUCT) e = e->a;
  if (e->kind != E_INIT || (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION && t->kind != TYPE_ARRAY)) {
    if (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION || t->kind == TYPE_ARRAY)
      lower_outside(l, e->place, "this initialiser");
    out[0] = static_value(l, e);
    return;
  }
  for (uint32_t i = 0; i < e->arg_count; i++) {
    if (t->kind == TYPE_ARRAY)
      static_init(l, out + (size_t)i * t->of->cells, t->of, e->args[i]);
    else
      static_init(l, out + t->fields[i].cell, t->fields[i].type, e->args[i]);
  }
}

static uint32_t function_for(struct lowering *l, const struct decl *d) {
  struct layout none = {.name = d->name};
  struct program_global g = {.name = d->name, .place = d->place, .constant = true, .is_function = true};
  vec_push(l->mem, &l->layouts, none);
  vec_push(l->mem, &l->layout_types, NULL);
  g.layout = (uint32_t)l->layouts.count - 1;
  g.init = mem_zero(l->mem, 1, sizeof *g.init);
  vec_push(l->mem, &l->globals, g);
  return l->global_of[d->id] = (uint32_t)l->globals.count;
}

uint32_t global_for(struct lowering *l, const struct decl *d) {
  if (l->global_of[d->id]) return l->global_of[d->id] - 1;
  if (d->kind == DECL_FUNCTION) return function_for(l, d) - 1;
  if (!d->defined) lower_refuse(l, d->place, "%s is only declared extern, not defined in this file", d->name);
  assert(d->storage != STORAGE_THREAD_LOCAL);
  if (l->globals.count >= NO_REG - 1) lower_refuse(l, d->place, "too many variables");
  struct program_global g = {.name = d->name, .place = d->place};
  g.layout = layout_for(l, d->type, d->name);
  g.init = mem_zero(l->mem, l->layouts.at[g.layout].count + 1, sizeof *g.init);
  g.constant = deeply_constant(d->type) || !(l->uses[d->id] & (USE_WRITE | USE_ADDRESS));
  uint32_t n = (uint32_t)l->globals.count;
  vec_push(l->mem, &l->globals, g);
  l->global_of[d->id] = n + 1;
  static_init(l, g.init, d->type, d->init);
  return n;
}

/* All thread-local variables that are used are one object, of which each thread has one. */
void locals_lay_out(struct lowering *l) {
  cell_list cells = {0};
  array_list arrays = {0};
  struct program *p = l->program;
  for (size_t i = 0; i < l->unit->decls.count; i++) {
    const struct decl *d = l->unit->decls.at[i];
    if (d->kind != DECL_VARIABLE || d->storage != STORAGE_THREAD_LOCAL || !(l->uses[d->id] & USE_MET)) continue;
    if (d->type->kind == TYPE_ARRAY) { /* it must not be left for the variable next to it */
      add_array(l, &arrays, d->type, (uint32_t)cells.count);
      l->unit->member_arrays = true;
    }
    l->global_of[d->id] = (uint32_t)cells.count + 1;
    flatten(l, &cells, &arrays, d->type, d->name, false);
  }
  if (!cells.count) return;
  p->owns[OWN_LOCALS] = true;
  p->own_layout[OWN_LOCALS] = (uint32_t)l->layouts.count;
  struct layout layout = {"thread-local", cells.at, (uint32_t)cells.count, arrays.at, (uint32_t)arrays.count};
  vec_push(l->mem, &l->layouts, layout);
  vec_push(l->mem, &l->layout_types, NULL);
  p->locals_init = mem_zero(l->mem, cells.count, sizeof *p->locals_init);
  for (size_t i = 0; i < l->unit->decls.count; i++) {
    const struct decl *d = l->unit->decls.at[i];
    if (d->kind == DECL_VARIABLE && d->storage == STORAGE_THREAD_LOCAL && l->global_of[d->id])
      static_init(l, p->locals_init + l->global_of[d->id] - 1, d->type, d->init);
  }
}

struct value own_word(struct lowering *l, enum own which, uint32_t cell, struct place at) {
  struct program *p = l->program;
  if (which == OWN_SELF && !p->owns[OWN_SELF]) {
    p->own_layout[OWN_SELF] = (uint32_t)l->layouts.count;
    vec_push(l->mem, &l->layouts, ((struct layout){.name = "thread"}));
    vec_push(l->mem, &l->layout_types, NULL);
  }
  p->owns[which] = true;
  reg d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_OWN, at);
  in->op = (uint8_t)which;
  in->imm = cell;
  in->d = d;
  return value_in(d);
}
