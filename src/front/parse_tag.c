/* struct, union and enum. */
#include "front/front.h"

static struct type *find_tag(const struct symbol *s) { return s->tags ? s->tags->tag : NULL; }

static struct type *new_tag(struct front *f, const struct token *name, enum type_kind kind) {
  struct type *t = type_new(f, kind);
  if (name) {
    t->tag = name->text;
    scope_bind_tag(f, name->symbol, t);
  }
  return t;
}

/* The type to complete with a body in braces: declared already in this scope, or new. */
static struct type *tag_to_define(struct front *f, const struct token *name, enum type_kind kind, bool is_enum) {
  bool here = name && name->symbol->tags && name->symbol->tags->level == f->level;
  struct type *t = here ? find_tag(name->symbol) : NULL;
  if (!t) return new_tag(f, name, kind);
  if (t->complete || t->is_enum != is_enum) front_fail(f, name->place, "%s is defined twice", name->text);
  return t;
}

static void refuse_field(struct front *f, const struct type *type, struct place place) {
  if (type->kind == TYPE_FUNCTION)
    front_fail(f, place, "a field that is a function; '(*name)' makes it a pointer to one");
  if (type->variable) front_outside(f, place, "a field whose size is not a constant");
  if (type->kind == TYPE_ARRAY && !type->complete) return; /* the last one: see parse_struct */
  type_must_be_complete(f, type, place, "a field of type");
}

enum { FIELDS_MOST = 4096 };
struct fields {
  VEC(struct field) list;
};

static void add_field(struct front *f, struct fields *to, struct field field) {
  if (to->list.count == FIELDS_MOST) front_fail(f, field.place, "a struct of more than %d fields", FIELDS_MOST);
  for (size_t i = 0; *field.name && i < to->list.count; i++)
    if (!strcmp(to->list.at[i].name, field.name)) front_fail(f, field.place, "two fields are called %s", field.name);
  vec_push(f->mem, &to->list, field);
}

/* The type of a bit-field has as many bits as it has: so it is promoted, and converted to, as C says. */
static const struct type *bits_type(struct front *f, const struct type *type, int64_t width, bool named,
                                    struct place place) {
  if (!type_is_integer(type)) front_fail(f, place, "a bit-field of type '%s'", type_text(f, type->plain));
  if (type->atomic) front_outside(f, place, "a bit-field that is _Atomic");
  if (type_is_int128(type)) front_outside(f, place, "a bit-field of type '%s'", type_text(f, type->plain));
  if (width < 0 || width > type->bits || (!width && named))
    front_fail(f, place, "a bit-field of %lld bits", (long long)width);
  if (type->kind == TYPE_BOOL || width == type->bits || !width) return type;
  struct type *t = type_new(f, TYPE_INT);
  *t = *type->plain;
  t->plain = t;
  t->bits = (uint8_t)width;
  t->is_enum = t->holds_pointer = false;
  return type_qualified(f, t, false, type->constant, type->is_volatile);
}

static void parse_field(struct front *f, const struct specifiers *s, struct fields *to) {
  struct field field = {.name = "", .type = s->type, .place = parse_token(f)->place, .offset = s->attributes.align};
  if (!parse_at(f, ":")) {
    struct declarator d = parse_declarator(f, s->type);
    if (!d.name) front_fail(f, parse_token(f)->place, "expected a field, found %s", token_text(f, parse_token(f)));
    field = (struct field){.name = d.name->text, .type = d.type, .place = d.name->place, .offset = d.attributes.align};
    if (s->attributes.align > field.offset) field.offset = s->attributes.align;
    if (!parse_at(f, ":")) refuse_field(f, d.type, d.name->place);
    field.packed = d.attributes.packed;
  }
  if (parse_accept(f, ":")) {
    if (field.offset) front_outside(f, field.place, "a bit-field with an alignment of its own");
    int64_t width = parse_constant(f, "the width of a bit-field");
    field.is_bits = true;
    field.type = bits_type(f, field.type, width, *field.name, field.place);
    field.width = (uint8_t)width;
    struct attributes more = {0};
    parse_attributes(f, &more);
    field.packed |= more.packed;
    if (more.align || more.outside) front_outside(f, field.place, "a bit-field with an alignment of its own");
  }
  field.packed |= s->attributes.packed;
  add_field(f, to, field);
}

static void parse_fields(struct front *f, struct fields *to) {
  if (parse_accept(f, ";")) return;
  if (parse_at(f, "_Static_assert")) {
    parse_static_assert(f);
    return;
  }
  struct specifiers s = parse_plain_specifiers(f);
  if (parse_accept(f, ";")) {
    if (s.is_struct && !s.type->tag)
      add_field(f, to, (struct field){.name = "", .type = s.type, .place = s.place, .offset = s.attributes.align});
    return;
  }
  do parse_field(f, &s, to);
  while (parse_accept(f, ","));
  parse_expect(f, ";");
}

const struct type *parse_struct(struct front *f) {
  struct token *word = parse_token(f), *name = NULL;
  bool is_union = token_is(word, "union");
  struct attributes attributes = {0};
  f->at++;
  parse_attributes(f, &attributes);
  if (!parse_at(f, "{")) name = parse_name(f, "a tag or '{'");
  if (!parse_at(f, "{")) {
    struct type *t = find_tag(name->symbol);
    if (t && t->is_enum) front_fail(f, name->place, "%s is an enum", name->text);
    bool here = t && name->symbol->tags->level == f->level;
    if (!t || (!here && parse_at(f, ";"))) /* struct s; in an inner scope is another one */
      t = new_tag(f, name, TYPE_STRUCT), t->is_union = is_union;
    if (t->is_union != is_union) front_fail(f, name->place, "%s is a %s", name->text, is_union ? "struct" : "union");
    return t;
  }
  struct type *t = tag_to_define(f, name, TYPE_STRUCT, false);
  t->is_union = is_union;
  struct fields fields = {{NULL, 0, 0}};
  parse_deeper(f);
  parse_expect(f, "{");
  while (!parse_at(f, "}")) parse_fields(f, &fields);
  parse_expect(f, "}");
  parse_shallower(f);
  parse_attributes(f, &attributes);
  for (size_t i = 0; i < fields.list.count; i++) {
    const struct field *field = &fields.list.at[i];
    if (field->type->kind == TYPE_ARRAY && !field->type->complete && (is_union || !i || i + 1 < fields.list.count))
      front_outside(f, field->place, "an array without a size that is not the last of several fields");
  }
  if (t->complete) front_fail(f, word->place, "%s is defined within itself", name->text);
  t->fields = fields.list.at;
  t->field_count = (uint32_t)fields.list.count;
  if (attributes.outside || !fields.list.count) {
    t->outside = attributes.outside ? attributes.outside : "a struct without fields";
    t->outside_place = attributes.outside ? attributes.place : word->place;
    t->unknown_size = attributes.outside != NULL;
  }
  struct packing packing = {attributes.align, pack_at(f, f->at), attributes.packed};
  type_complete(f, t, &packing, word->place);
  t->transparent = attributes.transparent && is_union;
  if (f->size_asked) t->size = f->size_asked;
  f->size_asked = 0;
  return t;
}

/* The values of an enum so far. */
struct enumerators {
  int64_t next, least, most;
};

/* One of the names in an enum. A value that is not an int has the least type that holds it, as compilers have it. */
static void parse_enumerator(struct front *f, struct enumerators *e) {
  struct token *name = parse_name(f, "a name");
  parse_plain_attributes(f);
  if (parse_accept(f, "=")) {
    struct expr *value = parse_constant_node(f, "the value of an enumerator");
    if (value->value < 0 && !value->type->is_signed)
      front_outside(f, name->place, "an enumerator of more than 63 bits");
    e->next = value->value;
  }
  if (scope_find_here(f, name->symbol)) front_fail(f, name->place, "%s is declared twice", name->text);
  const struct type *type = e->next >= INT32_MIN && e->next <= INT32_MAX ? TYPE_OF(INT)
                            : e->next >= 0 && e->next <= UINT32_MAX      ? TYPE_OF(UINT)
                                                                         : TYPE_OF(LONG);
  struct decl *d = decl_new(f, DECL_ENUMERATOR, name->text, type, name->place);
  d->value = e->next;
  scope_bind(f, name->symbol, d);
  if (e->next < e->least) e->least = e->next;
  if (e->next > e->most) e->most = e->next;
  if (e->next == INT64_MAX) front_outside(f, name->place, "an enumerator of 63 bits");
  e->next++;
}

static const struct type *enum_type(const struct enumerators *e) {
  if (e->least < INT32_MIN || e->most > UINT32_MAX || (e->least < 0 && e->most > INT32_MAX))
    return e->least < 0 ? TYPE_OF(LONG) : TYPE_OF(ULONG);
  return e->least < 0 ? TYPE_OF(INT) : TYPE_OF(UINT);
}

const struct type *parse_enum(struct front *f) {
  struct token *word = parse_expect(f, "enum"), *name = NULL;
  struct attributes attributes = {0};
  parse_attributes(f, &attributes);
  if (!parse_at(f, "{")) name = parse_name(f, "a tag or '{'");
  if (!parse_at(f, "{")) {
    struct type *t = find_tag(name->symbol);
    if (!t || !t->is_enum) front_fail(f, name->place, "there is no enum %s", name->text);
    return t;
  }
  struct type *t = tag_to_define(f, name, TYPE_INT, true);
  const char *tag = t->tag;
  struct enumerators values = {0, 0, 0};
  parse_expect(f, "{");
  do parse_enumerator(f, &values);
  while (parse_accept(f, ",") && !parse_at(f, "}"));
  parse_expect(f, "}");
  parse_attributes(f, &attributes);
  if (t->complete) front_fail(f, word->place, "%s is defined within itself", tag);
  if (attributes.packed || attributes.align || attributes.mode || attributes.outside)
    front_outside(f, attributes.place, "an enum with attributes");
  *t = *enum_type(&values);
  t->plain = t;
  t->tag = tag;
  t->is_enum = true;
  return t;
}
