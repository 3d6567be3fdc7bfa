/* Types: making them, their layout (as x86-64 compilers lay them out), and how they are written. */
#include "front/front.h"

#define INTEGER(basic, size_, sign, pointer, twin_) \
  [BASIC_##basic] = {.kind = TYPE_INT, \
                     .plain = TYPE_OF(basic), \
                     .size = size_, \
                     .align = size_, \
                     .cells = 1, \
                     .bits = 8 * size_, \
                     .is_signed = sign, \
                     .holds_pointer = pointer, \
                     .twin = twin_, \
                     .complete = true}
#define FLOATING(basic, size_, outside_, twin_) \
  [BASIC_##basic] = {.kind = TYPE_FLOAT, \
                     .plain = TYPE_OF(basic), \
                     .size = size_, \
                     .align = size_, \
                     .cells = 1, \
                     .bits = 8 * size_, \
                     .twin = twin_, \
                     .complete = true, \
                     .outside = outside_}
const struct type basic_types[BASIC_COUNT] = {
    [BASIC_VOID] = {.kind = TYPE_VOID, .plain = TYPE_OF(VOID)},
    [BASIC_BOOL] =
        {.kind = TYPE_BOOL, .plain = TYPE_OF(BOOL), .size = 1, .align = 1, .cells = 1, .bits = 1, .complete = true},
    [BASIC_FLAG] = {.kind = TYPE_BOOL,
                    .plain = TYPE_OF(FLAG),
                    .size = 1,
                    .align = 1,
                    .cells = 1,
                    .bits = 1,
                    .twin = true,
                    .complete = true},
    INTEGER(CHAR, 1, true, false, false),
    INTEGER(SCHAR, 1, true, false, true),
    INTEGER(UCHAR, 1, false, false, false),
    INTEGER(SHORT, 2, true, false, false),
    INTEGER(USHORT, 2, false, false, false),
    INTEGER(INT, 4, true, false, false),
    INTEGER(UINT, 4, false, false, false),
    INTEGER(LONG, 8, true, false, false),
    INTEGER(ULONG, 8, false, false, false),
    INTEGER(LLONG, 8, true, false, true),
    INTEGER(ULLONG, 8, false, false, true),
    INTEGER(INTPTR, 8, true, true, false),
    INTEGER(UINTPTR, 8, false, true, false),
    INTEGER(LLINTPTR, 8, true, true, true),
    INTEGER(ULLINTPTR, 8, false, true, true),
    [BASIC_SPINLOCK] =
        {.kind = TYPE_MUTEX, .plain = TYPE_OF(SPINLOCK), .size = 4, .align = 4, .cells = 1, .complete = true},
    FLOATING(FLOAT, 4, NULL, false),
    FLOATING(DOUBLE, 8, NULL, false),
    FLOATING(LDOUBLE, 16, "long double", false),
    FLOATING(FLOAT128, 16, "_Float128", true),
    [BASIC_INT128] = {.kind = TYPE_INT,
                      .plain = TYPE_OF(INT128),
                      .size = 16,
                      .align = 16,
                      .cells = 2,
                      .bits = 128,
                      .is_signed = true,
                      .complete = true},
    [BASIC_UINT128] = {.kind = TYPE_INT,
                       .plain = TYPE_OF(UINT128),
                       .size = 16,
                       .align = 16,
                       .cells = 2,
                       .bits = 128,
                       .complete = true},
    [BASIC_VA_LIST] = {.kind = TYPE_VA_LIST,
                       .plain = TYPE_OF(VA_LIST),
                       .size = 24,
                       .align = 8,
                       .cells = 1,
                       .complete = true}, /* which can be handed on: what is in it is not there */
    [BASIC_MUTEX] = {.kind = TYPE_MUTEX, .plain = TYPE_OF(MUTEX), .size = 40, .align = 8, .cells = 1, .complete = true},
};

struct type *type_new(struct front *f, enum type_kind kind) {
  struct type *t = mem_piece(f->mem, sizeof *t);
  memset(t, 0, sizeof *t);
  t->kind = kind;
  t->plain = t;
  t->file = f->unit->file;
  return t;
}

/* One deeper than what it is made of. A pointer to a struct does not lead on: structs are known by their tags. */
static uint16_t deeper(struct front *f, const struct type *of, struct place place) {
  if (of->depth >= TYPE_DEPTH_MOST) front_fail(f, place, "a type that is nested more than %d deep", TYPE_DEPTH_MOST);
  return (uint16_t)(of->depth + 1);
}

const struct type *type_pointer(struct front *f, const struct type *of, struct place place) {
  struct type *t = type_new(f, TYPE_POINTER);
  t->size = t->align = 8;
  t->cells = 1;
  t->complete = true;
  t->of = of;
  t->depth = type_is_record(of) ? 1 : deeper(f, of, place);
  return t;
}

const struct type *type_array(struct front *f, const struct type *of, int64_t count, bool known, struct place place) {
  if (of->kind == TYPE_FUNCTION || of->kind == TYPE_VOID) front_fail(f, place, "an array of '%s'", type_text(f, of));
  type_must_be_complete(f, of, place, "an array of");
  if (known && count < 0) front_fail(f, place, "an array of %lld elements", (long long)count);
  if (known && count > CELLS_MOST / (of->cells ? of->cells : 1))
    front_fail(f, place, "an object of more than %d scalars is too large for verify", CELLS_MOST);
  struct type *t = type_new(f, TYPE_ARRAY);
  t->of = of;
  t->count = known ? (uint32_t)count : 0;
  t->align = of->align;
  t->complete = known;
  t->cells = t->count * of->cells;
  t->mixed = of->mixed;
  t->packed = of->packed;
  t->variable = of->variable;
  if (known && (uint64_t)count * of->size > UINT32_MAX) front_fail(f, place, "an object of more than 4 GB");
  t->size = t->count * of->size;
  t->depth = deeper(f, of, place);
  t->outside = of->outside;
  t->outside_place = of->outside_place;
  t->unknown_size = of->unknown_size;
  if (known && !count && !t->outside) t->outside = "an array of no elements", t->outside_place = place;
  return t;
}

const struct type *type_outside(struct front *f, const struct type *t, const char *what, struct place place) {
  struct type *copy = type_new(f, t->kind);
  *copy = *t;
  copy->plain = copy;
  copy->outside = what;
  copy->outside_place = place;
  copy->unknown_size = strncmp(what, "__attribute__", 13) == 0;
  return copy;
}

const struct type *type_aligned(struct front *f, const struct type *t, uint32_t align) {
  if (align == t->align) return t;
  struct type *copy = type_new(f, t->kind);
  *copy = *t;
  if (t->plain == t) copy->plain = t->kind == TYPE_ARRAY ? copy : t;
  copy->align = align;
  copy->own_align = true;
  return copy;
}

/* typedef union { ... } name __attribute__((transparent_union)): the union itself becomes one, as the name is the only
 * one it has; for one with a tag, the compiler refuses calls where it is not. */
void type_make_transparent(const struct type *t) {
  if (t->plain->is_union) ((struct type *)t->plain)->transparent = true;
}

/* An _Atomic struct is aligned so that hardware could access it whole. */
static uint32_t atomic_align(const struct type *t) {
  bool power = t->size && !(t->size & (t->size - 1)) && t->size <= 16;
  return power && t->align < t->size ? t->size : t->align;
}

static void qualify(struct type *copy, const struct type *plain, bool atomic, bool constant, bool is_volatile) {
  *copy = *plain;
  copy->plain = plain;
  copy->atomic = atomic;
  copy->constant = constant;
  copy->is_volatile = is_volatile;
  if (atomic) copy->align = atomic_align(plain);
}

const struct type *type_qualified(struct front *f, const struct type *t, bool atomic, bool constant, bool is_volatile) {
  atomic |= t->atomic;
  constant |= t->constant;
  is_volatile |= t->is_volatile;
  if (atomic == t->atomic && constant == t->constant && is_volatile == t->is_volatile) return t;
  if (t->kind == TYPE_ARRAY) { /* an array of const is what const makes of an array */
    struct type *array = type_new(f, TYPE_ARRAY);
    *array = *t;
    array->plain = array;
    array->of = type_qualified(f, t->of, atomic, constant, is_volatile);
    return array;
  }
  struct type *copy = type_new(f, t->kind);
  qualify(copy, t->plain, atomic, constant, is_volatile);
  if (t->own_align) {
    copy->own_align = true;
    if (copy->align < t->align || !atomic) copy->align = t->align;
  }
  if (type_is_record(t) && !t->complete) vec_push(f->mem, &f->qualified, copy);
  return copy;
}

static uint32_t round_up(uint32_t n, uint32_t align) { return (n + align - 1) / align * align; }

/* Lays a bit-field out from the first free bit on, as compilers for x86-64 do: it does not go beyond a multiple of its
 * type's size. Gives the first free bit after it. */
static uint64_t place_bits(struct field *field, uint64_t bit, bool packed) {
  uint64_t unit = 8 * (uint64_t)field->type->size;
  if (!field->width) return (bit + unit - 1) / unit * unit;
  if (!packed && bit / unit != (bit + field->width - 1) / unit) bit = (bit + unit - 1) / unit * unit;
  field->offset = (uint32_t)(bit / 8);
  field->first_bit = bit % 8;
  return bit + field->width;
}

/* What lies between a bit-field and the next one or the end of its last byte. */
static void find_padding(struct type *t) {
  for (uint32_t i = 0; i < t->field_count; i++) {
    struct field *field = &t->fields[i];
    if (!field->is_bits || !field->width) continue;
    uint64_t end = 8 * (uint64_t)field->offset + field->first_bit + field->width, to = (end + 7) / 8 * 8;
    for (uint32_t k = i + 1; k < t->field_count && !t->is_union; k++) {
      const struct field *next = &t->fields[k];
      uint64_t begin = 8 * (uint64_t)next->offset + next->first_bit;
      if ((next->is_bits && (!next->width || !*next->name)) || begin >= to) continue;
      to = begin;
    }
    field->pad = (uint8_t)(to - end);
  }
}

static void drop_unnamed_bits(struct type *t) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->field_count; i++)
    if (!t->fields[i].is_bits || *t->fields[i].name) t->fields[kept++] = t->fields[i];
  t->field_count = kept;
}

static void take_outside(struct type *t, const struct type *from) {
  if (t->outside || !from->outside) return;
  t->outside = from->outside;
  t->outside_place = from->outside_place;
  t->unknown_size = from->unknown_size;
}

void type_complete(struct front *f, struct type *t, const struct packing *packing, struct place place) {
  uint32_t align = packing->align ? packing->align : 1;
  uint64_t size = 0, bit = 0; /* bit: the first free one */
  uint16_t depth = 0;
  for (uint32_t i = 0; i < t->field_count; i++) {
    struct field *field = &t->fields[i];
    const struct type *of = field->type;
    bool packed = packing->packed || field->packed;
    uint32_t asked = field->offset, own = packed ? 1 : of->align; /* parse_fields leaves what was asked for there */
    if (field->is_bits && packing->most) own = of->align;         /* compilers look at #pragma pack alone */
    if (asked > own) own = asked;
    if (packing->most && own > packing->most) own = packing->most;
    t->packed |= own < of->align || of->packed || (of->own_align && of->align < of->plain->align);
    if (align < own && (!field->is_bits || *field->name)) align = own;
    if (bit / 8 > UINT32_MAX / 2 || of->size > UINT32_MAX / 2) front_fail(f, place, "an object of more than 2 GB");
    f->unit->member_arrays |= of->kind == TYPE_ARRAY;
    if (t->is_union) bit = 0;
    if (field->is_bits) {
      bit = place_bits(field, bit, packed || packing->most);
    } else {
      field->offset = round_up((uint32_t)((bit + 7) / 8), own);
      bit = 8 * ((uint64_t)field->offset + of->size);
    }
    if ((bit + 7) / 8 > size) size = (bit + 7) / 8;
    if (deeper(f, of, place) > depth) depth = deeper(f, of, place);
    if (of->kind == TYPE_ARRAY && !of->complete) t->flexible = of->of;
    take_outside(t, of);
  }
  t->size = round_up((uint32_t)size, align);
  t->align = align;
  t->depth = depth;
  t->complete = true;
  find_padding(t);
  drop_unnamed_bits(t);
  cells_of_struct(f->mem, t);
  if (t->cells > CELLS_MOST)
    front_fail(f, place, "an object of more than %d scalars is too large for verify", CELLS_MOST);
  for (size_t i = 0; i < f->qualified.count;) {
    struct type *copy = f->qualified.at[i];
    if (copy->plain != t) {
      i++;
      continue;
    }
    qualify(copy, t, copy->atomic, copy->constant, copy->is_volatile);
    f->qualified.at[i] = f->qualified.at[--f->qualified.count];
  }
}

void type_must_be_complete(struct front *f, const struct type *t, struct place place, const char *what) {
  if (t->kind == TYPE_VOID || !t->complete)
    front_fail(f, place, "%s '%s', which is incomplete here", what, type_text(f, t));
}

static bool same_function(const struct type *a, const struct type *b) {
  if (!type_same(a->of, b->of)) return false;
  if (a->unspecified || b->unspecified) return true;
  if (a->param_count != b->param_count || a->variadic != b->variadic) return false;
  for (uint32_t i = 0; i < a->param_count; i++)
    if (!type_same(a->params[i], b->params[i])) return false;
  return true;
}

bool type_same(const struct type *a, const struct type *b) {
  a = a->plain;
  b = b->plain;
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case TYPE_INT: return a->bits == b->bits && a->is_signed == b->is_signed;
  case TYPE_POINTER: return a->of->atomic == b->of->atomic && type_same(a->of, b->of);
  case TYPE_ARRAY: return (a->count == b->count || !a->count || !b->count) && type_same(a->of, b->of);
  case TYPE_FUNCTION: return same_function(a, b);
  case TYPE_STRUCT: return link_same_record(a, b);
  case TYPE_FLOAT: return a->size == b->size && a->twin == b->twin && !a->outside == !b->outside;
  case TYPE_MUTEX: return a->size == b->size;
  default: return true;
  }
}

/* As _Generic compares them: of what C keeps apart, all that a type here knows. */
bool type_identical(const struct type *a, const struct type *b) {
  if (a->atomic != b->atomic || a->constant != b->constant || a->is_volatile != b->is_volatile) return false;
  a = a->plain;
  b = b->plain;
  if (!type_same(a, b) || a->twin != b->twin) return false;
  if (a->kind == TYPE_INT) return a == b || !a->is_enum || !b->is_enum;
  return (a->kind != TYPE_POINTER && a->kind != TYPE_ARRAY) || type_identical(a->of, b->of);
}

/* The field of this name, also within anonymous structs: see expr_field. */
const struct field *type_field(const struct type *t, const char *name) {
  for (uint32_t i = 0; i < t->plain->field_count; i++)
    if (!strcmp(t->plain->fields[i].name, name)) return &t->plain->fields[i];
  return NULL;
}

/* A bit-field of 33 to 63 bits stays a number of that many bits, as for GCC; Clang takes it for one of its declared
 * type. */
const struct type *type_promoted(const struct type *t) {
  if (t->kind == TYPE_BOOL || (t->kind == TYPE_INT && t->bits < 32)) return TYPE_OF(INT);
  if (t->kind == TYPE_INT && t->bits == 32 && t->size == 8) /* a bit-field of a long */
    return t->is_signed ? TYPE_OF(INT) : TYPE_OF(UINT);
  if (t->kind == TYPE_INT && t->is_enum && t->bits == 64) return t->is_signed ? TYPE_OF(LONG) : TYPE_OF(ULONG);
  if (t->kind == TYPE_INT && t->is_enum) return t->is_signed ? TYPE_OF(INT) : TYPE_OF(UINT);
  return t->plain;
}

const struct type *type_usual(const struct type *a, const struct type *b) {
  if (a->kind == TYPE_FLOAT || b->kind == TYPE_FLOAT)
    return b->kind != TYPE_FLOAT || (a->kind == TYPE_FLOAT && a->size >= b->size) ? a->plain : b->plain;
  a = type_promoted(a);
  b = type_promoted(b);
  if (a->bits != b->bits) return a->bits > b->bits ? a : b;
  bool is_signed = a->is_signed && b->is_signed, twin = a->twin || b->twin;
  if (a->holds_pointer || b->holds_pointer) {
    if (twin) return is_signed ? TYPE_OF(LLINTPTR) : TYPE_OF(ULLINTPTR);
    return is_signed ? TYPE_OF(INTPTR) : TYPE_OF(UINTPTR);
  }
  if (twin) return is_signed ? TYPE_OF(LLONG) : TYPE_OF(ULLONG);
  return a->is_signed ? b : a;
}

static const char *integer_name(const struct type *t) {
  static const char *const signs[] = {"char", "short", "int", "long"};
  static const char *const unsigneds[] = {"unsigned char", "unsigned short", "unsigned", "unsigned long"};
  if (t->bits == 128) return t->is_signed ? "__int128" : "unsigned __int128";
  if (t->holds_pointer) return t->is_signed ? "intptr_t" : "uintptr_t";
  int i = t->bits == 8 ? 0 : t->bits == 16 ? 1 : t->bits == 32 ? 2 : 3;
  return t->is_signed ? signs[i] : unsigneds[i];
}

static void print_tagged(const struct type *t, const char *what, struct text *to) {
  if (t->is_union) what = "union";
  text_add(to, what);
  if (t->tag) text_printf(to, " %s", t->tag);
}

/* The parameters of a function, and the bracket behind them. */
static void print_params(const struct type *t, struct text *to) {
  for (uint32_t i = 0; i < t->param_count; i++) {
    if (i) text_add(to, ", ");
    type_print(t->params[i], to);
  }
  text_add(to, t->variadic ? ", ...)" : t->unspecified || t->param_count ? ")" : "void)");
}

static void print_plain(const struct type *t, struct text *to) {
  switch (t->kind) {
  case TYPE_VOID: text_add(to, "void"); break;
  case TYPE_BOOL: text_add(to, "_Bool"); break;
  case TYPE_MUTEX: text_add(to, t->plain == TYPE_OF(SPINLOCK) ? "pthread_spinlock_t" : "pthread_mutex_t"); break;
  case TYPE_FLOAT: text_add(to, t->outside ? t->outside : t->size == 4 ? "float" : "double"); break;
  case TYPE_VA_LIST: text_add(to, "va_list"); break;
  case TYPE_STRUCT: print_tagged(t, "struct", to); break;
  case TYPE_INT:
    if (t->is_enum)
      print_tagged(t, "enum", to);
    else
      text_add(to, integer_name(t));
    break;
  case TYPE_POINTER:
    if (t->of->kind == TYPE_FUNCTION) {
      type_print(t->of->of, to);
      text_add(to, " (*)(");
      print_params(t->of, to);
      break;
    }
    type_print(t->of, to);
    text_add(to, t->of->kind == TYPE_POINTER && !t->of->atomic ? "*" : " *");
    break;
  case TYPE_ARRAY:
    type_print(t->of, to);
    if (t->length)
      text_add(to, "[*]");
    else if (t->complete)
      text_printf(to, "[%u]", t->count);
    else
      text_add(to, "[]");
    break;
  case TYPE_FUNCTION:
    type_print(t->of, to);
    text_add(to, " (");
    print_params(t, to);
    break;
  }
}

void type_print(const struct type *t, struct text *to) {
  bool after = t->kind == TYPE_POINTER; /* where const and volatile stand */
  if (t->constant && !after) text_add(to, "const ");
  if (t->is_volatile && !after) text_add(to, "volatile ");
  if (t->atomic) text_add(to, "_Atomic(");
  print_plain(t, to);
  if (t->atomic) text_char(to, ')');
  if (t->constant && after) text_add(to, t->atomic ? " const" : "const");
  if (t->is_volatile && after) text_add(to, " volatile");
}

const char *type_text(struct front *f, const struct type *t) {
  struct text to;
  text_open(&to, f->mem);
  type_print(t, &to);
  return text_string(&to);
}
