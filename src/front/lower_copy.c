/* memset, memcpy, memmove and memcmp; realloc.
 *
 * Of whole objects of one type they are what an assignment is. Everything else is done at run time, cell by cell as far
 * as the cells of both sides are the same (I_CHUNK), so that a pointer is copied as one; each cell is an access of its
 * own, between which others may come. */
#include "front/lower.h"

static const struct type *pointed(const struct expr *arg) { return pointer_of_memory(arg)->type->of; }

static bool constant_size(const struct expr *e, int64_t *size) {
  const struct expr *n = e->args[2];
  while (n->kind == E_CAST) n = n->a;
  if (n->kind != E_NUMBER || n->value <= 0) return false;
  *size = n->value;
  return true;
}

/* How many objects of the type the size is; 0: it is not a number of them. */
static int64_t whole_objects(const struct type *of, int64_t size) {
  if (of->kind == TYPE_VOID || !of->size || !of->cells || of->flexible || size % of->size) return 0;
  int64_t n = size / of->size;
  return n * of->cells > 1000 ? 0 : n;
}

bool memory_call_is_plain(const struct expr *e) {
  int64_t size;
  enum builtin builtin = (enum builtin)e->a->decl->builtin;
  if (builtin == BUILTIN_MEMCMP || !constant_size(e, &size)) return false;
  const struct type *to = pointed(e->args[0]);
  if (!whole_objects(to, size)) return false;
  if (builtin != BUILTIN_MEMSET) return type_same(to, pointed(e->args[1]));
  const struct expr *v = e->args[1];
  while (v->kind == E_CAST) v = v->a;
  return v->kind == E_NUMBER && !(v->value & 0xff);
}

/* One object of a known type, or as many as there are in the size. */
static struct lvalue region(struct lowering *l, const struct expr *e, const struct expr *arg, int64_t size) {
  const struct expr *p = pointer_of_memory(arg);
  const struct type *of = p->type->of;
  int64_t n = whole_objects(of, size);
  struct lvalue v = lvalue_pointed(l, p, of, NULL);
  if (v.in_registers && n != 1) lower_outside(l, e->place, "%s past a variable", e->a->decl->name);
  if (n != 1) {
    struct type *whole = mem_piece(l->mem, sizeof *whole);
    *whole = (struct type){.kind = TYPE_ARRAY, .plain = whole, .of = of, .align = of->align, .complete = true};
    whole->count = (uint32_t)n;
    whole->cells = of->cells * whole->count;
    whole->size = of->size * whole->count;
    whole->mixed = of->mixed;
    v.type = whole;
  }
  v.flags &= (uint8_t)~FLAG_ATOMIC;
  return v;
}

static struct lvalue set_plain(struct lowering *l, const struct expr *e, int64_t size) {
  struct lvalue to = region(l, e, e->args[0], size);
  lower_effect(l, e->args[1]);
  reg r = to.in_registers ? to.r : reg_new(l, to.type->cells, "");
  for (uint32_t i = 0; i < to.type->cells; i++) value_assign(l, (reg)(r + i), 1, value_number(0), e->place);
  if (!to.in_registers) value_store(l, &to, value_in(r), e->place);
  return to;
}

static struct lvalue copy_plain(struct lowering *l, const struct expr *e, int64_t size) {
  struct lvalue to = region(l, e, e->args[0], size), from = region(l, e, e->args[1], size);
  value_store(l, &to, value_load(l, &from, e->place), e->place);
  return to;
}

/* A loop over bytes, from one end or the other. */
struct loop_over {
  struct lowering *l;
  struct place at;
  reg bytes, done, size, left; /* how many in all, how far it is, how many of them at once, how many are left */
  bool backwards;
  uint32_t again, end;
};

static reg binary(struct loop_over *o, enum operator op, reg a, reg b) {
  return value_reg(o->l, value_binary(o->l, op, TYPE_OF(ULONG), value_in(a), value_in(b), o->at), o->at);
}

static struct loop_over open_loop(struct lowering *l, struct value bytes, bool backwards, struct place at) {
  struct loop_over o = {.l = l, .at = at, .backwards = backwards};
  o.bytes = value_copy(l, bytes, 1, at);
  o.done = value_copy(l, value_number(0), 1, at);
  o.again = label_new(l);
  o.end = label_new(l);
  label_place(l, o.again);
  o.left = binary(&o, OP_SUB, o.bytes, o.done);
  emit_branch(l, o.left, false, o.end, at);
  return o;
}

static void close_loop(struct loop_over *o) {
  struct lowering *l = o->l;
  struct inst *in = emit_inst(l, I_BINARY, o->at);
  in->op = OP_ADD;
  in->a = in->d = o->done;
  in->b = o->size;
  in->scalar = scalar_of(TYPE_OF(ULONG));
  emit_jump(l, o->again, o->at);
  label_place(l, o->end);
}

static reg moved(struct loop_over *o, reg pointer, reg by) {
  struct lowering *l = o->l;
  reg d = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_INDEX, o->at);
  in->a = pointer;
  in->b = by;
  in->d = d;
  in->imm = in->bytes = 1;
  in->count = 0;
  return d;
}

/* Where it is now on one side: at its next bytes, or behind them. */
static reg place_of(struct loop_over *o, reg pointer) { return moved(o, pointer, o->backwards ? o->left : o->done); }

static void choose_size(struct loop_over *o, reg a, reg b) {
  struct lowering *l = o->l;
  o->size = reg_new(l, 1, "");
  struct inst *in = emit_inst(l, I_CHUNK, o->at);
  in->op = o->backwards ? CHUNK_BEFORE : CHUNK_AFTER;
  in->a = a;
  in->b = b;
  in->c = o->left;
  in->d = o->size;
}

static reg before(struct loop_over *o, reg pointer) {
  if (!o->backwards) return pointer;
  return moved(
      o, pointer,
      value_reg(o->l, value_binary(o->l, OP_SUB, TYPE_OF(LONG), value_number(0), value_in(o->size), o->at), o->at));
}

static struct inst *emit_sized(struct loop_over *o, enum code code, reg pointer, const struct expr *of) {
  struct inst *in = emit_inst(o->l, code, o->at);
  in->a = pointer;
  in->c = o->size;
  in->flags |= FLAG_BYTES;
  in->count = 1;
  in->scalar = scalar_of(TYPE_OF(ULONG));
  in->expr = of;
  in->order = in->order_failure = ORDER_PLAIN;
  return in;
}

static reg load_sized(struct loop_over *o, reg pointer, const struct expr *of) {
  reg d = reg_new(o->l, 1, "");
  emit_sized(o, I_LOAD, pointer, of)->d = d;
  return d;
}

static void copy_loop(struct lowering *l, reg to, reg from, struct value bytes, bool backwards, struct place at) {
  struct loop_over o = open_loop(l, bytes, backwards, at);
  reg a = place_of(&o, to), b = place_of(&o, from);
  choose_size(&o, a, b);
  reg w = load_sized(&o, before(&o, b), NULL);
  reg there = before(&o, a);
  emit_sized(&o, I_STORE, there, NULL)->b = w;
  close_loop(&o);
}

static void move_bytes(struct lowering *l, reg to, reg from, reg bytes, struct place at) {
  uint32_t forward = label_new(l), end = label_new(l);
  reg backwards = reg_new(l, 1, "");
  emit_branch(l, bytes, false, end, at); /* of nothing, pointers may be anything */
  struct inst *in = emit_inst(l, I_CHUNK, at);
  in->op = CHUNK_BACKWARDS;
  in->a = to;
  in->b = from;
  in->c = bytes;
  in->d = backwards;
  emit_branch(l, backwards, false, forward, at);
  copy_loop(l, to, from, value_in(bytes), true, at);
  emit_jump(l, end, at);
  label_place(l, forward);
  copy_loop(l, to, from, value_in(bytes), false, at);
  label_place(l, end);
}

/* memcpy. */
static void copy_apart(struct lowering *l, reg to, reg from, reg bytes, struct place at) {
  uint32_t end = label_new(l);
  reg unused = reg_new(l, 1, "");
  emit_branch(l, bytes, false, end, at); /* of nothing, pointers may be anything */
  struct inst *in = emit_inst(l, I_CHUNK, at);
  in->op = CHUNK_APART;
  in->a = to;
  in->b = from;
  in->c = bytes;
  in->d = unused;
  copy_loop(l, to, from, value_in(bytes), false, at);
  label_place(l, end);
}

/* The byte in every byte of a word. */
static reg repeated(struct lowering *l, struct value v, struct place at) {
  struct value byte = value_convert(l, v, TYPE_OF(INT), TYPE_OF(UCHAR), at);
  return value_copy(l, value_binary(l, OP_MUL, TYPE_OF(ULONG), byte, value_number(0x0101010101010101), at), 1, at);
}

static void set_bytes(struct lowering *l, reg to, struct value v, reg bytes, struct place at) {
  reg w = repeated(l, v, at);
  struct loop_over o = open_loop(l, value_in(bytes), false, at);
  reg a = place_of(&o, to);
  choose_size(&o, a, a);
  emit_sized(&o, I_STORE, a, NULL)->b = w;
  close_loop(&o);
}

/* -1, 0 or 1. A cell that is the same on both sides is compared as one. */
static struct value compare_bytes(struct lowering *l, reg a, reg b, reg bytes, struct place at) {
  reg result = value_copy(l, value_number(0), 1, at);
  struct loop_over o = open_loop(l, value_in(bytes), false, at);
  reg p = place_of(&o, a), q = place_of(&o, b);
  uint32_t next = label_new(l), differ = label_new(l);
  choose_size(&o, p, q);
  reg x = load_sized(&o, p, NULL), y = load_sized(&o, q, NULL);
  emit_branch(l, binary(&o, OP_EQ, x, y), true, next, at);
  label_place(l, differ); /* the first byte that is another one; both are numbers, or what they are is not known */
  reg low = value_reg(l, value_number(0xff), at), u = binary(&o, OP_AND, x, low), v = binary(&o, OP_AND, y, low);
  uint32_t found = label_new(l);
  emit_branch(l, binary(&o, OP_EQ, u, v), false, found, at);
  reg eight = value_reg(l, value_number(8), at), shifted = binary(&o, OP_SHR, x, eight);
  value_assign(l, x, 1, value_in(shifted), at);
  shifted = binary(&o, OP_SHR, y, eight);
  value_assign(l, y, 1, value_in(shifted), at);
  emit_jump(l, differ, at);
  label_place(l, found);
  value_assign(l, result, 1, value_number(1), at);
  emit_branch(l, binary(&o, OP_LT, u, v), false, o.end, at);
  value_assign(l, result, 1, value_number(-1), at);
  emit_jump(l, o.end, at);
  label_place(l, next);
  close_loop(&o);
  return value_in(result);
}

struct value lower_memory_call(struct lowering *l, const struct expr *e, bool wanted) {
  enum builtin builtin = (enum builtin)e->a->decl->builtin;
  struct place at = e->place;
  int64_t size = 0;
  constant_size(e, &size);
  if (memory_call_is_plain(e)) {
    struct lvalue to = builtin == BUILTIN_MEMSET ? set_plain(l, e, size) : copy_plain(l, e, size);
    if (wanted && to.in_registers) lower_outside(l, at, "the value of %s", e->a->decl->name);
    return wanted ? to.address : (struct value){0};
  }
  lower_loose(l, at, "%s of anything but whole objects of one type", e->a->decl->name);
  reg a = value_copy(l, lower_value(l, e->args[0]), 1, at);
  struct value second = lower_value(l, e->args[1]);
  if (second.kind == VALUE_REG || builtin != BUILTIN_MEMSET) second = value_in(value_copy(l, second, 1, at));
  reg bytes = value_copy(l, lower_value(l, e->args[2]), 1, at);
  switch (builtin) {
  case BUILTIN_MEMSET: set_bytes(l, a, second, bytes, at); break;
  case BUILTIN_MEMCPY: copy_apart(l, a, second.r, bytes, at); break;
  case BUILTIN_MEMMOVE: move_bytes(l, a, second.r, bytes, at); break;
  default: return compare_bytes(l, a, second.r, bytes, at);
  }
  return value_in(a);
}

/* realloc: a new block, always; as much as fits is copied to it, and the old one is freed. */
struct value lower_realloc(struct lowering *l, const struct expr *e, const struct type *of) {
  struct place at = e->place;
  uint32_t is_new = label_new(l), sized = label_new(l), end = label_new(l);
  lower_loose(l, at, "realloc");
  l->program->reallocates = true;
  reg old = value_copy(l, lower_value(l, e->args[0]), 1, at), bytes = value_copy(l, lower_value(l, e->args[1]), 1, at);
  size_t begin = l->code.count;
  reg kept = value_copy(l, value_number(0), 1, at);
  emit_branch(l, old, false, is_new, at);
  emit_branch(l, bytes, true, sized, at);
  emit_trap(l, at, "realloc to no bytes, which may free the block or not: call free")->imm = TRAP_LIMIT;
  label_place(l, sized);
  struct inst *in = emit_inst(l, I_CHUNK, at);
  in->op = CHUNK_BLOCK;
  in->a = in->b = old;
  in->c = bytes;
  in->d = kept;
  label_place(l, is_new);
  in = emit_allocation(l, e, of, bytes);
  in->flags |= FLAG_BYTES;
  reg d = in->d;
  lower_failed_allocation(l, d, at);
  if (l->malloc_fails) emit_branch(l, d, false, end, at);
  emit_branch(l, old, false, end, at);
  copy_loop(l, d, old, value_in(kept), false, at);
  emit_free(l, old, at);
  label_place(l, end);
  call_made(l, begin);
  return value_in(d);
}
