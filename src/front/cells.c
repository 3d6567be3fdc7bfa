/* The cells of types: each scalar is one, in the order of memory. Where members of a union do not have the same cells,
 * and where there are bit-fields, cells are bytes. So are unnamed bits that a struct begins with: a pointer to it is
 * one to its first cell. */
#include "front/front.h"

struct visit {
  struct mem *mem;
  cell_visitor *to;
  void *self;
};

static const char *join_names(const struct visit *v, const char *name, const char *more, int index) {
  struct text t;
  if (!name) return NULL;
  text_open(&t, v->mem);
  text_add(&t, name);
  if (index >= 0)
    text_printf(&t, "[%d]", index);
  else
    text_printf(&t, "%s%s", *name && *more ? "." : "", more);
  return text_string(&t);
}

static void visit_bytes(const struct visit *v, uint32_t from, uint32_t count, const char *name, bool atomic) {
  for (uint32_t i = 0; i < count; i++)
    v->to(v->self, from + i, NULL, count > 1 ? join_names(v, name, "", (int)i) : name, atomic);
}

/* The member of a union that has all of its cells. */
static const struct field *longest(const struct type *t) {
  const struct field *found = t->fields;
  for (uint32_t i = 1; i < t->field_count; i++)
    if (t->fields[i].type->cells > found->type->cells) found = &t->fields[i];
  return found;
}

static void visit(const struct visit *, const struct type *, uint32_t offset, const char *name, bool atomic);

static void visit_fields(const struct visit *v, const struct type *t, uint32_t offset, const char *name, bool atomic) {
  uint32_t free = t->field_count ? t->fields[0].offset : 0; /* bytes before this one are there already */
  visit_bytes(v, offset, free, "", atomic);
  for (uint32_t i = 0; i < t->field_count; i++) {
    const struct field *f = &t->fields[i];
    const char *own = join_names(v, name, f->name, -1);
    if (f->is_bits) {
      uint32_t end = f->offset + (f->first_bit + f->width + 7u) / 8, from = f->offset > free ? f->offset : free;
      if (end > from) visit_bytes(v, offset + from, end - from, own, atomic);
      if (end > free) free = end;
    } else {
      visit(v, f->type, offset + f->offset, own, atomic);
    }
  }
}

static void visit(const struct visit *v, const struct type *t, uint32_t offset, const char *name, bool atomic) {
  atomic = atomic || t->atomic;
  if (t->kind == TYPE_ARRAY) {
    for (uint32_t i = 0; i < t->count; i++)
      visit(v, t->of, offset + i * t->of->size, join_names(v, name, "", (int)i), atomic);
  } else if (type_is_int128(t)) {
    v->to(v->self, offset, TYPE_OF(UINTPTR), join_names(v, name, "low", -1), atomic);
    v->to(v->self, offset + 8, TYPE_OF(UINTPTR), join_names(v, name, "high", -1), atomic);
  } else if (t->kind != TYPE_STRUCT) {
    v->to(v->self, offset, t, name, atomic);
  } else if (t->as_bytes) {
    visit_bytes(v, offset, t->size, name, atomic);
  } else if (t->is_union) {
    const struct field *f = longest(t);
    visit(v, f->type, offset, join_names(v, name, f->name, -1), atomic);
  } else {
    visit_fields(v, t, offset, name, atomic);
  }
}

void cells_visit(struct mem *mem, const struct type *t, const char *name, cell_visitor *to, void *self) {
  struct visit v = {mem, to, self};
  visit(&v, t, 0, name, false);
}

struct listed {
  uint32_t offset;
  const struct type *scalar;
};
struct list {
  struct mem *mem;
  VEC(struct listed) cells;
};

static void add(void *self, uint32_t offset, const struct type *scalar, const char *name, bool atomic) {
  struct list *l = self;
  (void)name, (void)atomic;
  vec_push(l->mem, &l->cells, ((struct listed){offset, scalar}));
}

static struct list list_of(struct mem *mem, const struct type *t) {
  struct list l = {.mem = mem};
  cells_visit(mem, t, NULL, add, &l);
  return l;
}

/* Are words of the two the same? alike: also as the numbers that they are. */
static bool same_cell(const struct listed *a, const struct listed *b, bool *alike) {
  const struct type *x = a->scalar, *y = b->scalar;
  uint32_t x_size = x ? x->size : 1, y_size = y ? y->size : 1;
  if (a->offset != b->offset || x_size != y_size) return false;
  if ((x && x->kind == TYPE_MUTEX) != (y && y->kind == TYPE_MUTEX)) return false;
  bool number = x && y && type_is_integer(x) && type_is_integer(y);
  if (x_size < 8 && (!number || x->is_signed != y->is_signed || x->kind != y->kind)) *alike = false;
  return true;
}

/* The cells of one are the first of the other's. */
static bool is_beginning(const struct list *part, const struct list *whole, bool *alike) {
  if (part->cells.count > whole->cells.count) return false;
  for (size_t i = 0; i < part->cells.count; i++)
    if (!same_cell(&part->cells.at[i], &whole->cells.at[i], alike)) return false;
  return true;
}

bool cells_agree(struct mem *mem, const struct type *object, const struct type *as) {
  bool alike = true;
  if (object->kind == TYPE_VOID || as->kind == TYPE_VOID || type_same(object, as)) return true;
  if (object->mixed || as->mixed || object->kind == TYPE_FUNCTION || as->kind == TYPE_FUNCTION) return false;
  if (!object->complete || !as->complete) return false;
  struct list a = list_of(mem, object), b = list_of(mem, as);
  bool agree = is_beginning(&b, &a, &alike) && alike;
  mem_free(mem, a.cells.at);
  mem_free(mem, b.cells.at);
  return agree;
}

static void cells_of_union(struct mem *mem, struct type *t) {
  struct list whole = list_of(mem, longest(t)->type);
  bool alike = true;
  for (uint32_t i = 0; i < t->field_count; i++) {
    struct field *f = &t->fields[i];
    f->cell = 0;
    if (f->is_bits) t->as_bytes = true;
    if (t->as_bytes) continue;
    struct list part = list_of(mem, f->type);
    if (!is_beginning(&part, &whole, &alike)) t->as_bytes = true;
    mem_free(mem, part.cells.at);
  }
  t->cells = t->as_bytes ? t->size : (uint32_t)whole.cells.count;
  t->mixed = t->as_bytes || !alike;
  mem_free(mem, whole.cells.at);
}

/* Some scalar of one of several such structs in a row is not at a multiple of its size. */
static bool is_unaligned(struct mem *mem, const struct type *t) {
  struct list l = list_of(mem, t);
  bool is = false;
  for (size_t i = 0; i < l.cells.count; i++) {
    const struct type *scalar = l.cells.at[i].scalar;
    uint32_t align = scalar ? scalar->plain->align : 1;
    is |= l.cells.at[i].offset % align || t->size % align;
  }
  mem_free(mem, l.cells.at);
  return is;
}

void cells_of_struct(struct mem *mem, struct type *t) {
  for (uint32_t i = 0; i < t->field_count; i++) t->mixed |= t->fields[i].is_bits || t->fields[i].type->mixed;
  if (t->is_union && t->field_count) {
    bool mixed = t->mixed;
    cells_of_union(mem, t);
    t->mixed |= mixed;
    return;
  }
  uint32_t free = t->field_count ? t->fields[0].offset : 0, cells = free;
  t->mixed |= free;
  for (uint32_t i = 0; i < t->field_count; i++) {
    struct field *f = &t->fields[i];
    uint32_t end = f->offset + (f->first_bit + f->width + 7u) / 8;
    f->cell = cells;
    if (!f->is_bits) {
      cells += f->type->cells;
      continue;
    }
    if (f->offset < free) f->cell = cells - (free - f->offset);
    uint32_t from = f->offset > free ? f->offset : free;
    cells += end > from ? end - from : 0;
    if (end > free) free = end;
  }
  t->cells = cells;
  if (t->packed && !t->mixed) t->mixed = is_unaligned(mem, t);
}
