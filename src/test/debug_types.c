/* Debug information: types. Each is read once; what pointers lead to is read after the type itself, so that no chain of
 * types makes the stack grow. */
#include "test/debug_parts.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW

enum { TYPES_MOST = 1 << 16, MEMBERS_MOST = 1 << 12, PEELED_MOST = 32, NESTED_MOST = 24 };

static size_t slot_of(const struct debug_info *d, const void *at) {
  size_t i = ((uintptr_t)at * 0x9e3779b97f4a7c15u) >> 20 & (d->type_room - 1);
  while (d->types[i].at && d->types[i].at != at) i = (i + 1) & (d->type_room - 1);
  return i;
}

/* The place where a type is kept; it is all zero at first. */
static struct type *kept_type(struct debug_info *d, const void *at, bool *first) {
  if (d->type_count * 2 >= d->type_room) {
    struct read_type *before = d->types;
    size_t room = d->type_room;
    d->type_room = room ? room * 2 : 256;
    d->types = mem_zero(d->mem, d->type_room, sizeof *d->types);
    for (size_t i = 0; i < room; i++)
      if (before[i].at) d->types[slot_of(d, before[i].at)] = before[i];
    mem_free(d->mem, before);
  }
  struct read_type *k = &d->types[slot_of(d, at)];
  *first = !k->at;
  if (*first) {
    d->type_count++;
    *k = (struct read_type){at, mem_piece(d->mem, sizeof *k->type)};
    memset(k->type, 0, sizeof *k->type);
  }
  return k->type;
}

static bool type_die(struct debug_info *d, Dwarf_Die *die, Dwarf_Die *to) {
  Dwarf_Attribute a;
  return d->dw->dwarf_attr_integrate(die, DW_AT_type, &a) && d->dw->dwarf_formref_die(&a, to);
}

/* Without typedef and qualifiers; *called: the last typedef's name, for what has no other. False: it is void. */
static bool peel(struct debug_info *d, Dwarf_Die *die, const char **called) {
  for (unsigned i = 0; i < PEELED_MOST; i++) {
    switch (d->dw->dwarf_tag(die)) {
    case DW_TAG_typedef: *called = debug_name(d, die); /* fall through */
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
      if (!type_die(d, die, die)) return false;
      break;
    default: return true;
    }
  }
  return false;
}

static const char *name_at(struct debug_info *d, const void *at) {
  size_t low = 0, high = d->definitions.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (d->by_place[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low < d->definitions.count && d->by_place[low].at == at ? d->by_place[low].name : NULL;
}

/* The one definition of the name: those of several files must have one size, else it is not known which is meant. */
static bool find_definition(struct debug_info *d, const char *name, Dwarf_Die *to) {
  size_t low = 0, high = d->definitions.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (strcmp(d->definitions.at[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == d->definitions.count || strcmp(d->definitions.at[low].name, name)) return false;
  *to = d->definitions.at[low].die;
  int size = d->dw->dwarf_bytesize(to);
  for (size_t i = low; i < d->definitions.count && !strcmp(d->definitions.at[i].name, name); i++)
    if (d->dw->dwarf_bytesize(&d->definitions.at[i].die) != size) return false;
  return true;
}

static void read_base(struct debug_info *d, Dwarf_Die *die, struct type *t) {
  uint64_t encoding = 0;
  debug_number(d, die, DW_AT_encoding, &encoding);
  t->kind = encoding == DW_ATE_boolean                                           ? TYPE_BOOL
            : encoding == DW_ATE_float                                           ? TYPE_FLOAT
            : encoding == DW_ATE_signed                                          ? TYPE_SIGNED
            : encoding == DW_ATE_unsigned                                        ? TYPE_UNSIGNED
            : encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ? TYPE_CHAR
                                                                                 : TYPE_OTHER;
  t->name = debug_name(d, die);
}

static void read_values(struct debug_info *d, Dwarf_Die *die, struct type *t) {
  VEC(struct enumerator) values = {NULL, 0, 0};
  Dwarf_Die child;
  t->kind = TYPE_ENUM;
  if (d->dw->dwarf_child(die, &child)) return;
  do {
    Dwarf_Attribute a;
    Dwarf_Sword number;
    if (d->dw->dwarf_tag(&child) != DW_TAG_enumerator || values.count >= MEMBERS_MOST ||
        !d->dw->dwarf_attr(&child, DW_AT_const_value, &a) || d->dw->dwarf_formsdata(&a, &number))
      continue;
    vec_push(d->mem, &values, ((struct enumerator){debug_name(d, &child), number}));
  } while (!d->dw->dwarf_siblingof(&child, &child));
  t->values = values.at;
  t->value_count = values.count;
}

static const struct type *read_type(struct debug_info *, Dwarf_Die *, unsigned depth);

static bool read_member(struct debug_info *d, Dwarf_Die *die, unsigned depth, struct member *m) {
  Dwarf_Die of;
  uint64_t number, bytes;
  Dwarf_Attribute a;
  *m = (struct member){.name = debug_name(d, die)};
  if (d->dw->dwarf_hasattr(die, DW_AT_external) || d->dw->dwarf_hasattr(die, DW_AT_declaration))
    return false; /* static */
  if (d->dw->dwarf_attr(die, DW_AT_data_member_location, &a)) {
    Dwarf_Word w;
    Dwarf_Op *ops;
    size_t count;
    if (!d->dw->dwarf_formudata(&a, &w))
      m->offset = w;
    else if (!d->dw->dwarf_getlocation(&a, &ops, &count) && count == 1 && ops[0].atom == DW_OP_plus_uconst)
      m->offset = ops[0].number; /* as DWARF 2 has it */
    else
      return false; /* computed: a virtual base */
  }
  if (!type_die(d, die, &of) || !(m->type = read_type(d, &of, depth - 1))) return false;
  if (!debug_number(d, die, DW_AT_bit_size, &m->bits)) return m->type->size || m->type->kind == TYPE_ARRAY;
  if (debug_number(d, die, DW_AT_data_bit_offset, &number)) {
    m->bit = number;
  } else if (debug_number(d, die, DW_AT_bit_offset, &number)) { /* counted from the other end of the unit */
    bytes = m->type->size;
    debug_number(d, die, DW_AT_byte_size, &bytes);
    if (number + m->bits > bytes * 8) return false;
    m->bit = m->offset * 8 + bytes * 8 - number - m->bits;
  } else {
    m->bit = m->offset * 8;
  }
  return m->bits > 0;
}

static void read_members(struct debug_info *d, Dwarf_Die *die, struct type *t, unsigned depth) {
  VEC(struct member) members = {NULL, 0, 0};
  Dwarf_Die child;
  if (d->dw->dwarf_child(die, &child)) return;
  do {
    int tag = d->dw->dwarf_tag(&child);
    struct member m;
    if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || members.count >= MEMBERS_MOST) continue;
    if (!read_member(d, &child, depth, &m)) continue;
    if (tag == DW_TAG_inheritance) m.name = NULL;
    vec_push(d->mem, &members, m);
  } while (!d->dw->dwarf_siblingof(&child, &child));
  t->members = members.at;
  t->member_count = members.count;
}

static const char *record_name(struct debug_info *d, Dwarf_Die *die, const char *called, const char *known) {
  const char *name = known ? known : name_at(d, die->addr);
  Dwarf_Die unit;
  int tag = d->dw->dwarf_tag(die);
  if (!name) name = debug_name(d, die);
  if (!name) return called;
  if (strstr(name, "::") || !d->dw->dwarf_diecu(die, &unit, NULL, NULL) || !debug_is_c(d->dw->dwarf_srclang(&unit)))
    return name;
  struct text t;
  text_open(&t, d->mem);
  text_printf(&t, "%s %s",
              tag == DW_TAG_union_type         ? "union"
              : tag == DW_TAG_enumeration_type ? "enum"
                                               : "struct",
              name);
  return text_string(&t);
}

static void read_record(struct debug_info *d, Dwarf_Die *die, struct type *t, const char *called, unsigned depth) {
  Dwarf_Die whole = *die;
  const char *known = NULL;
  t->kind = d->dw->dwarf_tag(die) == DW_TAG_union_type ? TYPE_UNION : TYPE_STRUCT;
  if (d->dw->dwarf_hasattr(die, DW_AT_declaration)) {
    Dwarf_Die *scopes;
    const char *name = debug_name(d, die);
    if (!name) return;
    struct text t2; /* with the classes and namespaces it is in, as definitions have it */
    text_open(&t2, d->mem);
    int count = d->dw->dwarf_getscopes_die(die, &scopes);
    for (int i = count - 1; i > 0; i--) {
      int tag = d->dw->dwarf_tag(&scopes[i]);
      const char *outer = debug_name(d, &scopes[i]);
      bool names = tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                   tag == DW_TAG_union_type;
      if (names && outer) text_printf(&t2, "%s::", outer);
    }
    if (count > 0) free(scopes);
    text_add(&t2, name);
    t->name = record_name(d, die, called, text_string(&t2));
    if (!find_definition(d, text_string(&t2), &whole)) {
      t->kind = TYPE_OTHER;
      return;
    }
    known = text_string(&t2);
  }
  int size = d->dw->dwarf_bytesize(&whole);
  t->size = size > 0 ? (uint64_t)size : 0;
  t->name = record_name(d, &whole, called, known);
  t->system = debug_is_system(d, &whole);
  read_members(d, &whole, t, depth);
}

/* The element's type with a dimension around it for each subrange, the last one innermost. */
static void read_array(struct debug_info *d, Dwarf_Die *die, struct type *t, unsigned depth) {
  uint64_t counts[8];
  size_t dimensions = 0;
  Dwarf_Die child, of;
  const struct type *inner = type_die(d, die, &of) ? read_type(d, &of, depth - 1) : NULL;
  t->kind = TYPE_ARRAY;
  if (!inner) return;
  if (!d->dw->dwarf_child(die, &child)) do {
      uint64_t n;
      if (d->dw->dwarf_tag(&child) != DW_TAG_subrange_type) continue;
      if (dimensions == 8) return;
      Dwarf_Attribute a;
      bool constant = d->dw->dwarf_attr(&child, DW_AT_count, &a) || d->dw->dwarf_attr(&child, DW_AT_upper_bound, &a);
      counts[dimensions] = 0;
      Dwarf_Sword upper;
      if (debug_number(d, &child, DW_AT_count, &n))
        counts[dimensions] = n;
      else if (constant && d->dw->dwarf_attr(&child, DW_AT_upper_bound, &a) && !d->dw->dwarf_formsdata(&a, &upper) &&
               upper >= 0)
        counts[dimensions] = (uint64_t)upper + 1;
      dimensions++;
    } while (!d->dw->dwarf_siblingof(&child, &child));
  if (!dimensions) counts[dimensions++] = 0;
  for (size_t i = dimensions; i-- > 0;) {
    struct type *a = i ? mem_piece(d->mem, sizeof *a) : t;
    *a = (struct type){.kind = TYPE_ARRAY, .to = inner, .count = counts[i]};
    if (__builtin_mul_overflow(inner->size, counts[i], &a->size)) a->size = 0;
    inner = a;
  }
}

static const struct type *read_type(struct debug_info *d, Dwarf_Die *given, unsigned depth) {
  Dwarf_Die die = *given;
  const char *called = NULL;
  bool first;
  if (!depth || !peel(d, &die, &called) || d->type_count >= TYPES_MOST) return NULL;
  struct type *t = kept_type(d, die.addr, &first);
  if (!first) {
    if (!t->name && type_is_record(t)) t->name = called;
    return t;
  }
  int size = d->dw->dwarf_bytesize(&die);
  t->size = size > 0 ? (uint64_t)size : 0;
  switch (d->dw->dwarf_tag(&die)) {
  case DW_TAG_base_type: read_base(d, &die, t); break;
  case DW_TAG_enumeration_type:
    t->name = record_name(d, &die, called, NULL);
    read_values(d, &die, t);
    break;
  case DW_TAG_pointer_type:
  case DW_TAG_reference_type:
  case DW_TAG_rvalue_reference_type:
    t->kind = TYPE_POINTER;
    t->reference = d->dw->dwarf_tag(&die) != DW_TAG_pointer_type;
    if (!t->size) t->size = sizeof(void *);
    struct waiting_type w = {.type = t};
    if (type_die(d, &die, &w.die)) vec_push(d->mem, &d->waiting, w);
    break;
  case DW_TAG_structure_type:
  case DW_TAG_class_type:
  case DW_TAG_union_type: read_record(d, &die, t, called, depth); break;
  case DW_TAG_array_type: read_array(d, &die, t, depth); break;
  default: t->kind = TYPE_OTHER; break;
  }
  return t;
}

const struct type *debug_type(struct debug_info *d, Dwarf_Die *die) {
  const struct type *t = read_type(d, die, NESTED_MOST);
  while (d->waiting.count) {
    struct waiting_type w = d->waiting.at[--d->waiting.count];
    w.type->to = read_type(d, &w.die, NESTED_MOST);
  }
  return t;
}

const struct type *debug_type_of(struct debug_info *d, Dwarf_Die *die) {
  Dwarf_Die of;
  return type_die(d, die, &of) ? debug_type(d, &of) : NULL;
}
#endif
