/* Objects: their layouts, and global variables with what they begin as. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "front/lower.h"
#include "front/words.h"

struct scalar scalar_of(const struct type *t) {
  switch (t->kind) {
  case TYPE_BOOL: return (struct scalar){.bits = 1};
  case TYPE_POINTER: return (struct scalar){.bits = 64, .pointer = true};
  case TYPE_MUTEX: return (struct scalar){.bits = 32, .mutex = true};
  case TYPE_FLOAT: return (struct scalar){.bits = t->size == 4 ? 32 : 64};
  case TYPE_INT: return (struct scalar){.bits = t->bits, .is_signed = t->is_signed, .holds_pointer = t->holds_pointer};
  default: return (struct scalar){.bits = 32, .is_signed = true};
  }
}

/* Layouts. */

void lower_loose(struct lowering *l, struct place place, const char *format, ...) {
  if (l->program->loose) return;
  char text[200];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  l->program->loose = true;
  l->program->loose_place = place;
  l->program->loose_text = mem_string(l->mem, text, strlen(text));
}

typedef VEC(struct cell) cell_list;
struct flattened {
  struct lowering *l;
  cell_list cells;
  uint32_t base, end; /* of several variables in a row: where this one begins and ends */
};

static void add_cell(void *self, uint32_t offset, const struct type *scalar, const char *name, bool atomic) {
  struct flattened *f = self;
  struct scalar s = scalar ? scalar_of(scalar) : (struct scalar){.bits = 8};
  vec_push(f->l->mem, &f->cells, ((struct cell){name, s, atomic, f->base + offset, scalar ? scalar->size : 1}));
}

static cell_list flatten(struct lowering *l, const struct type *t) {
  struct flattened f = {.l = l};
  cells_visit(l->mem, t, "", add_cell, &f);
  return f.cells;
}

const struct cell *cells_shape(struct lowering *l, const struct type *t) {
  if (t->kind != TYPE_STRUCT && t->kind != TYPE_ARRAY && !type_is_int128(t)) return NULL;
  for (size_t i = 0; i < l->shapes.count; i++)
    if (l->shapes.at[i].type == t->plain) return l->shapes.at[i].cells;
  struct shape shape = {t->plain, flatten(l, t).at};
  vec_push(l->mem, &l->shapes, shape);
  return shape.cells;
}

typedef VEC(struct member_array) array_list;

static void add_arrays(struct lowering *l, array_list *arrays, const struct type *t, uint32_t begin, bool member) {
  if (t->kind == TYPE_ARRAY) {
    const struct type *of = t;
    while (of->kind == TYPE_ARRAY) of = of->of;
    if (t->cells && member) vec_push(l->mem, arrays, ((struct member_array){begin, begin + t->cells, of->cells}));
    for (uint32_t i = 0; i < t->count && t->of->kind != TYPE_INT; i++)
      add_arrays(l, arrays, t->of, begin + i * t->of->cells, false);
  } else if (t->kind == TYPE_STRUCT && !t->is_union) {
    for (uint32_t i = 0; i < t->field_count; i++)
      add_arrays(l, arrays, t->fields[i].type, begin + t->fields[i].cell, true);
  }
}

void refuse_type(struct lowering *l, const struct type *t, struct place at) {
  if (!t->outside && t->plain) t = t->plain;
  if (t->outside) lower_outside(l, t->outside_place.line ? t->outside_place : at, "%s", t->outside);
}

static uint32_t variable_align(const struct decl *d) { return d->align > d->type->align ? d->align : d->type->align; }

/* Of what malloc gives: one a type. Of variables: each its own, with its name. */
uint32_t layout_for(struct lowering *l, const struct type *t, const struct decl *variable, struct place place) {
  for (size_t i = 0; !variable && i < l->layout_types.count; i++)
    if (l->layout_types.at[i] && type_same(l->layout_types.at[i], t)) return (uint32_t)i;
  refuse_type(l, t, l->frame ? l->frame->function->place : (struct place){0});
  cell_list cells = flatten(l, t);
  array_list arrays = {0};
  add_arrays(l, &arrays, t, 0, false);
  struct text name;
  text_open(&name, l->mem);
  if (!variable) type_print(t->plain ? t->plain : t, &name);
  if (t->mixed)
    lower_loose(l, place, "memory that is accessed as different types (%s%s)", variable ? "variable " : "",
                variable ? variable->name : text_string(&name));
  struct layout layout = {.name = variable ? variable->name : text_string(&name),
                          .cells = cells.at,
                          .count = (uint32_t)cells.count,
                          .stride = t->size,
                          .align = variable ? variable_align(variable) : t->align,
                          .arrays = arrays.at,
                          .array_count = (uint32_t)arrays.count};
  if (!variable && t->flexible) {
    const struct field *last = &t->fields[t->field_count - 1];
    struct flattened more = {.l = l, .cells = cells};
    layout.head = layout.count;
    layout.head_size = last->offset;
    layout.stride = t->flexible->size;
    cells_visit(l->mem, t->flexible, last->name, add_cell, &more);
    layout.cells = more.cells.at;
    layout.count = (uint32_t)more.cells.count;
  }
  vec_push(l->mem, &l->layouts, layout);
  vec_push(l->mem, &l->layout_types, variable ? NULL : t);
  return (uint32_t)l->layouts.count - 1;
}

/* Globals. */

static bool deeply_constant(const struct type *t) {
  return t->kind == TYPE_ARRAY ? deeply_constant(t->of) : t->constant;
}

static word static_address(struct lowering *, const struct expr *lvalue);

/* Where in a global variable a static address is, in bytes. */
static int64_t static_byte(struct lowering *l, word w) {
  const struct layout *layout = &l->layouts.at[l->globals.at[word_object(w)].layout];
  uint32_t cell = word_cell(w) & ~(uint32_t)CELL_PAST;
  return (cell < layout->count ? layout->cells[cell].offset : layout->stride) + word_mark(w);
}

/* The address, so many bytes further, which are elements of `cells` cells each: perhaps just past an array that is a
 * member. */
static word static_moved(struct lowering *l, word w, int64_t by, const struct type *of, struct place place) {
  if (!word_is_pointer(w)) return w + by * of->size;
  const struct layout *layout = &l->layouts.at[l->globals.at[word_object(w)].layout];
  int64_t byte = static_byte(l, w) + by * (of->size ? of->size : 1);
  uint32_t from = word_cell(w) & ~(uint32_t)CELL_PAST, cell = 0;
  if (byte < 0 || byte > layout->stride) lower_refuse(l, place, "an address outside %s", layout->name);
  if (byte == layout->stride) return word_pointer(word_object(w), layout->count);
  while (cell + 1 < layout->count && layout->cells[cell + 1].offset <= byte) cell++;
  if (byte - layout->cells[cell].offset > 7) lower_outside(l, place, "an address within padding");
  word to = word_pointer(word_object(w), cell) | (byte - layout->cells[cell].offset);
  for (uint32_t i = layout->array_count; i-- > 0 && by;) {
    const struct member_array *a = &layout->arrays[i];
    if (from < a->begin || from >= a->end || !of->cells || of->cells % a->element || of->cells >= a->end - a->begin)
      continue;
    return to | (cell == a->end && a->end < layout->count ? WORD_PAST : 0);
  }
  return to;
}

static word static_number(struct lowering *l, int64_t n, struct place place) {
  word w = word_of_number(l->program->wides, n);
  if (w == WORD_UNINITIALISED) lower_refuse(l, place, "too many large numbers");
  return w;
}

/* The value of a scalar initialiser. */
static word static_value(struct lowering *l, const struct expr *e) {
  switch (e->kind) {
  case E_NUMBER: return static_number(l, e->value, e->place);
  case E_CAST: {
    check_pointer_cast(l, e);
    word w = static_value(l, e->a);
    if (!type_is_integer(e->type) || word_is_pointer(w)) return w;
    return static_number(l, fold_wrap(number_of_word(l->program->wides, w), e->type), e->place);
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
        return static_moved(l, w, e->op == OP_SUB ? -e->b->value : e->b->value, e->type->of, e->place);
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
  case E_FIELD: {
    struct type byte = {.size = 1};
    return static_moved(l, static_address(l, e->a), e->field->offset, &byte, e->place);
  }
  case E_INDEX:
    if (e->b->kind == E_NUMBER) return static_moved(l, static_value(l, e->a), e->b->value, e->type, e->place);
    break;
  case E_DEREF: return static_value(l, e->a);
  default: break;
  }
  lower_outside(l, e->place, "this address in an initialiser");
}

/* A scalar in a variable's cells, which may be its bytes. */
static void static_put(struct lowering *l, const struct layout *layout, word *out, uint32_t offset, unsigned size,
                       word w, struct place place) {
  word bytes[8];
  uint32_t cell = 0;
  while (cell < layout->count && layout->cells[cell].offset != offset) cell++;
  if (cell < layout->count && layout->cells[cell].size == size) {
    out[cell] = word_as(l->program->wides, layout->cells[cell].scalar, w);
    return;
  }
  if (cell + size > layout->count || size > 8 || !word_to_bytes(l->program->wides, w, size, bytes))
    lower_outside(l, place, "this initialiser");
  memcpy(out + cell, bytes, size * sizeof *out);
}

static void static_scalar(struct lowering *l, const struct layout *layout, word *out, const struct type *t,
                          uint32_t offset, const struct expr *e) {
  struct constant c;
  while (e && e->kind == E_INIT) e = e->arg_count ? e->args[0] : NULL;
  if (!e) return;
  if (!type_is_word(t) && !constant_number(e, &c)) lower_outside(l, e->place, "this initialiser");
  word low = type_is_word(t) ? static_value(l, e) : static_number(l, (int64_t)c.low, e->place);
  static_put(l, layout, out, offset, type_is_int128(t) ? 8 : t->size, low, e->place);
  if (type_is_int128(t))
    static_put(l, layout, out, offset + 8, 8, static_number(l, (int64_t)c.high, e->place), e->place);
}

static void static_bits(struct lowering *l, const struct layout *layout, word *out, uint32_t offset,
                        const struct field *f, const struct expr *e) {
  uint32_t cell = 0;
  while (cell < layout->count && layout->cells[cell].offset != offset) cell++;
  word w = fold_wrap(static_value(l, e), f->type);
  if (cell == layout->count || !bits_to_bytes(l->program->wides, w, f->first_bit, f->width, 0, out + cell))
    lower_outside(l, e->place, "this initialiser");
}

static void static_init(struct lowering *l, const struct layout *layout, word *out, const struct type *t,
                        uint32_t offset, const struct expr *e) {
  bool parts = t->kind == TYPE_STRUCT || t->kind == TYPE_ARRAY;
  if (!e) return;
  if (e->kind == E_COMPOUND) e = e->a;
  if (e->kind == E_CAST && t->kind == TYPE_STRUCT) e = e->a;
  if (e->kind != E_INIT || !parts) {
    if (parts) lower_outside(l, e->place, "this initialiser");
    static_scalar(l, layout, out, t, offset, e);
    return;
  }
  for (uint32_t i = 0; i < e->arg_count; i++) {
    const struct field *f = t->kind == TYPE_ARRAY ? NULL : &t->fields[i];
    if (f && f->is_bits && e->args[i])
      static_bits(l, layout, out, offset + f->offset, f, e->args[i]);
    else
      static_init(l, layout, out, f ? f->type : t->of, offset + (f ? f->offset : i * t->of->size), e->args[i]);
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
  g.layout = layout_for(l, d->type, d, d->place);
  g.init = mem_zero(l->mem, l->layouts.at[g.layout].count + 1, sizeof *g.init);
  g.constant = deeply_constant(d->type) || !(l->uses[d->id] & (USE_WRITE | USE_ADDRESS));
  uint32_t n = (uint32_t)l->globals.count;
  vec_push(l->mem, &l->globals, g);
  l->global_of[d->id] = n + 1;
  static_init(l, &l->layouts.at[g.layout], g.init, d->type, 0, d->init);
  return n;
}

/* All thread-local variables that are used are one object, of which each thread has one. */
void locals_lay_out(struct lowering *l) {
  struct flattened all = {.l = l};
  array_list arrays = {0};
  struct program *p = l->program;
  uint32_t align = 1;
  for (size_t i = 0; i < l->unit->decls.count; i++) {
    const struct decl *d = l->unit->decls.at[i];
    if (d->kind != DECL_VARIABLE || d->storage != STORAGE_THREAD_LOCAL || !(l->uses[d->id] & USE_MET)) continue;
    if (d->type->kind == TYPE_ARRAY) l->unit->member_arrays = true; /* not to be left for the variable next to it */
    if (d->type->mixed) lower_loose(l, d->place, "memory that is accessed as different types (variable %s)", d->name);
    add_arrays(l, &arrays, d->type, (uint32_t)all.cells.count, true);
    uint32_t own = variable_align(d);
    if (own > align) align = own;
    all.base = (all.end + own - 1) / own * own;
    all.end = all.base + d->type->size;
    l->global_of[d->id] = (uint32_t)all.cells.count + 1;
    cells_visit(l->mem, d->type, d->name, add_cell, &all);
  }
  if (!all.cells.count) return;
  p->owns[OWN_LOCALS] = true;
  p->own_layout[OWN_LOCALS] = (uint32_t)l->layouts.count;
  struct layout layout = {.name = "thread-local",
                          .cells = all.cells.at,
                          .count = (uint32_t)all.cells.count,
                          .stride = all.end,
                          .align = align,
                          .arrays = arrays.at,
                          .array_count = (uint32_t)arrays.count};
  vec_push(l->mem, &l->layouts, layout);
  vec_push(l->mem, &l->layout_types, NULL);
  p->locals_init = mem_zero(l->mem, all.cells.count, sizeof *p->locals_init);
  for (size_t i = 0; i < l->unit->decls.count; i++) {
    const struct decl *d = l->unit->decls.at[i];
    if (d->kind == DECL_VARIABLE && d->storage == STORAGE_THREAD_LOCAL && l->global_of[d->id])
      static_init(l, &layout, p->locals_init, d->type, layout.cells[l->global_of[d->id] - 1].offset, d->init);
  }
}

void own_needed(struct lowering *l, enum own which) {
  struct program *p = l->program;
  if (which == OWN_SELF && !p->owns[OWN_SELF]) {
    p->own_layout[OWN_SELF] = (uint32_t)l->layouts.count;
    vec_push(l->mem, &l->layouts, ((struct layout){.name = "thread"}));
    vec_push(l->mem, &l->layout_types, NULL);
  }
  p->owns[which] = true;
}

struct value own_word(struct lowering *l, enum own which, uint32_t cell, struct place at) {
  own_needed(l, which);
  uint32_t byte = which == OWN_LOCALS ? l->layouts.at[l->program->own_layout[which]].cells[cell].offset : 0;
  reg d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_OWN, at);
  in->op = (uint8_t)which;
  in->imm = cell;
  in->bytes = byte;
  in->d = d;
  return value_in(d);
}
