/* What a declaration is made of: specifiers (static const unsigned), and declarators (*name[4]). */
#include "front/front.h"

static bool any_of(struct front *f, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (parse_at(f, words[i])) return true;
  return false;
}
#define ANY_OF(f, words) any_of((f), (words), sizeof(words) / sizeof *(words))

static bool is_type_word(const struct token *t) {
  static const char *const words[] = {
      "void",          "char",           "short",        "int",         "long",          "signed",
      "unsigned",      "_Bool",          "float",        "double",      "_Complex",      "struct",
      "union",         "enum",           "const",        "volatile",    "restrict",      "_Atomic",
      "static",        "extern",         "typedef",      "inline",      "register",      "auto",
      "_Noreturn",     "_Thread_local",  "_Alignas",     "__thread",    "__attribute__", "__inline",
      "__inline__",    "__const",        "__volatile__", "__restrict",  "__restrict__",  "__signed__",
      "typeof",        "__typeof__",     "__typeof",     "__int128",    "__asif_mutex",  "__asif_spinlock",
      "__asif_intptr", "__asif_uintptr", "__asif_flag",  "__auto_type", "_Float128",     "__float128",
      "__signed",      "__const__",      "__volatile",   "__complex__", "_Float32",      "_Float64",
      "_Float32x",     "_Float64x",      "__int128_t",   "__uint128_t", "__attribute",   "__builtin_va_list",
      "_Float16",      "__bf16",         "__float80",    "_Imaginary"};
  struct symbol *s = t->symbol;
  for (size_t i = 0; !s->type_word_known && i < sizeof words / sizeof *words; i++)
    s->type_word |= token_is(t, words[i]);
  s->type_word_known = true;
  return s->type_word;
}

bool parse_at_type(struct front *f) {
  size_t extension = 0;
  while (token_is(parse_ahead(f, extension), "__extension__")) extension++;
  f->at += extension;
  struct token *t = parse_token(f);
  struct decl *d = t->kind == TOKEN_NAME ? scope_find(t->symbol) : NULL;
  bool is = t->kind == TOKEN_NAME && (d ? d->kind == DECL_TYPEDEF : is_type_word(t));
  f->at -= extension;
  return is;
}

/* What attributes make of the type that they stand at. */
static const struct type *attributed(struct front *f, const struct type *t, const struct attributes *a) {
  if (a->mode) {
    if (t->kind != TYPE_INT) front_outside(f, a->place, "__attribute__((mode)) of what is not an integer");
    t = !t->is_signed                ? a->mode
        : a->mode == TYPE_OF(UCHAR)  ? TYPE_OF(SCHAR)
        : a->mode == TYPE_OF(USHORT) ? TYPE_OF(SHORT)
        : a->mode == TYPE_OF(UINT)   ? TYPE_OF(INT)
        : a->mode == TYPE_OF(ULONG)  ? TYPE_OF(LONG)
                                     : TYPE_OF(INT128);
  }
  if (a->vector) {
    struct type *vector = type_new(f, TYPE_FLOAT);
    vector->size = vector->align = a->vector;
    vector->cells = 1;
    vector->complete = true;
    t = type_outside(f, vector, "a vector", a->place);
  }
  return a->outside ? type_outside(f, t, a->outside, a->place) : t;
}

const struct type *parse_type_name(struct front *f) {
  struct token *t = parse_token(f);
  if (!parse_at_type(f)) front_fail(f, t->place, "expected a type, found %s", token_text(f, t));
  struct specifiers s = parse_plain_specifiers(f);
  struct declarator d = parse_declarator(f, s.type);
  uint32_t align = s.attributes.align > d.attributes.align ? s.attributes.align : d.attributes.align;
  if (align) d.type = type_aligned(f, d.type, align);
  if (d.name) front_fail(f, d.name->place, "a name where only a type is expected");
  return d.type;
}

/* The words that make up an integer type, counted. */
struct words {
  int chars, shorts, ints, longs, signs, unsigneds, bools, voids, floats, doubles, complexes, wides, int128s, lists,
      all;
};

static bool count_word(struct front *f, struct words *w) {
  struct token *t = parse_token(f);
  int *which =
      token_is(t, "char")                                                                  ? &w->chars
      : token_is(t, "short")                                                               ? &w->shorts
      : token_is(t, "int")                                                                 ? &w->ints
      : token_is(t, "long")                                                                ? &w->longs
      : token_is(t, "unsigned")                                                            ? &w->unsigneds
      : token_is(t, "_Bool")                                                               ? &w->bools
      : token_is(t, "void")                                                                ? &w->voids
      : token_is(t, "float") || token_is(t, "_Float32")                                    ? &w->floats
      : token_is(t, "double") || token_is(t, "_Float64")                                   ? &w->doubles
      : token_is(t, "__int128")                                                            ? &w->int128s
      : token_is(t, "__builtin_va_list")                                                   ? &w->lists
      : token_is(t, "_Float32x")                                                           ? &w->doubles
      : token_is(t, "_Complex") || token_is(t, "__complex__") || token_is(t, "_Imaginary") ? &w->complexes
      : token_is(t, "_Float128") || token_is(t, "__float128") || token_is(t, "_Float64x") || token_is(t, "__float80")
          ? &w->wides
      : token_is(t, "signed") || token_is(t, "__signed__") || token_is(t, "__signed") ? &w->signs
                                                                                      : NULL;
  /* typedef float _Float32; where the compiler does not have it by itself. */
  if (!which ||
      ((w->floats || w->doubles || w->longs) && t->kind == TOKEN_NAME && !strncmp(t->symbol->name, "_Float", 6)))
    return false;
  ++*which;
  w->all++;
  f->at++;
  return true;
}

/* float, double, and what is made with them. */
static const struct type *float_of_words(struct front *f, const struct words *w, struct place place) {
  const struct type *t = w->floats  ? TYPE_OF(FLOAT)
                         : w->wides ? TYPE_OF(FLOAT128)
                         : w->longs ? TYPE_OF(LDOUBLE)
                                    : TYPE_OF(DOUBLE);
  if (w->floats + w->doubles + w->wides > 1 || w->longs > 1 || (w->longs && !w->doubles) || w->chars || w->shorts ||
      w->ints || w->signs || w->unsigneds || w->bools || w->voids || w->int128s || w->lists)
    front_fail(f, place, "these words make no type together");
  if (!w->complexes) return t;
  struct type *both = type_new(f, TYPE_FLOAT);
  *both = *t;
  both->size *= 2;
  return type_outside(f, both, "_Complex", place);
}

static const struct type *type_of_words(struct front *f, const struct words *w, struct place place) {
  if (w->floats || w->doubles || w->wides || w->complexes) return float_of_words(f, w, place);
  if (w->lists || w->int128s) {
    if (w->all > w->lists + w->int128s + w->signs + w->unsigneds || (w->lists && w->all > 1))
      front_fail(f, place, "these words make no type together");
    return w->lists ? TYPE_OF(VA_LIST) : w->unsigneds ? TYPE_OF(UINT128) : TYPE_OF(INT128);
  }
  int kinds = !!w->chars + !!w->shorts + !!w->longs, others = w->bools + w->voids;
  bool wrong = kinds > 1 || others > 1 || (others && (kinds || w->ints || w->signs || w->unsigneds)) || w->longs > 2 ||
               w->ints > 1;
  if (wrong || w->chars > 1 || w->shorts > 1 || w->signs + w->unsigneds > 1 || (w->chars && w->ints))
    front_fail(f, place, "these words make no type together");
  bool u = w->unsigneds;
  if (w->voids) return TYPE_OF(VOID);
  if (w->bools) return TYPE_OF(BOOL);
  if (w->chars) return u ? TYPE_OF(UCHAR) : w->signs ? TYPE_OF(SCHAR) : TYPE_OF(CHAR);
  if (w->shorts) return u ? TYPE_OF(USHORT) : TYPE_OF(SHORT);
  if (w->longs > 1) return u ? TYPE_OF(ULLONG) : TYPE_OF(LLONG);
  if (w->longs) return u ? TYPE_OF(ULONG) : TYPE_OF(LONG);
  return u ? TYPE_OF(UINT) : TYPE_OF(INT);
}

/* A word that comes at most once. */
static bool once(struct front *f, bool *said, struct place place) {
  if (*said) front_fail(f, place, "'%s' appears twice", f->tokens.at[f->at - 1].text);
  return *said = true;
}

static bool parse_storage(struct front *f, struct specifiers *s) {
  struct place place = parse_token(f)->place;
  static const char *const harmless[] = {"register", "auto", "_Noreturn", "__extension__"};
  if (parse_accept(f, "typedef")) return once(f, &s->is_typedef, place);
  if (parse_accept(f, "static")) return once(f, &s->is_static, place);
  if (parse_accept(f, "extern")) return once(f, &s->is_extern, place);
  if (parse_accept(f, "_Thread_local") || parse_accept(f, "__thread")) return once(f, &s->is_thread_local, place);
  if (parse_accept(f, "inline") || parse_accept(f, "__inline") || parse_accept(f, "__inline__"))
    return s->is_inline = true;
  if (!ANY_OF(f, harmless)) return false;
  f->at++;
  return true;
}

struct qualifiers {
  bool atomic, constant, is_volatile;
};

static bool parse_qualifier(struct front *f, struct qualifiers *q) {
  if (parse_at(f, "_Atomic") && !token_is(parse_ahead(f, 1), "(")) {
    f->at++;
    return q->atomic = true;
  }
  if (parse_accept(f, "const") || parse_accept(f, "__const") || parse_accept(f, "__const__")) return q->constant = true;
  if (parse_accept(f, "volatile") || parse_accept(f, "__volatile__") || parse_accept(f, "__volatile"))
    return q->is_volatile = true;
  if (!parse_accept(f, "restrict") && !parse_accept(f, "__restrict") && !parse_accept(f, "__restrict__")) return false;
  return f->restrict_seen = true;
}

static const struct type *qualified(struct front *f, const struct type *t, const struct qualifiers *q,
                                    struct place place) {
  if (q->atomic && (t->kind == TYPE_ARRAY || t->kind == TYPE_FUNCTION || t->kind == TYPE_MUTEX || t->kind == TYPE_VOID))
    front_fail(f, place, "'%s' cannot be _Atomic", type_text(f, t));
  return type_qualified(f, t, q->atomic, q->constant, q->is_volatile);
}

static const struct type *parse_typeof(struct front *f) {
  f->at++;
  parse_expect(f, "(");
  const struct type *type = parse_at_type(f) ? parse_type_name(f) : parse_expression(f)->type;
  parse_expect(f, ")");
  return type;
}

/* A type that is one word, or has brackets of its own; NULL if there is none here. */
static const struct type *parse_one_type(struct front *f, struct qualifiers *q, bool names) {
  struct token *t = parse_token(f);
  if (token_is(t, "struct") || token_is(t, "union")) return parse_struct(f);
  if (token_is(t, "enum")) return parse_enum(f);
  if (token_is(t, "typeof") || token_is(t, "__typeof__") || token_is(t, "__typeof")) return parse_typeof(f);
  if (parse_accept(f, "__int128_t")) return TYPE_OF(INT128);
  if (parse_accept(f, "__uint128_t")) return TYPE_OF(UINT128);
  if (token_is(t, "_Float16") || token_is(t, "__bf16")) front_outside(f, t->place, "%s", t->text);
  if (parse_accept(f, "__asif_mutex")) return TYPE_OF(MUTEX);
  if (parse_accept(f, "__asif_spinlock")) return TYPE_OF(SPINLOCK);
  if (parse_accept(f, "__asif_flag")) return TYPE_OF(FLAG);
  if (parse_accept(f, "__asif_intptr")) return TYPE_OF(INTPTR);
  if (parse_accept(f, "__asif_uintptr")) return TYPE_OF(UINTPTR);
  if (token_is(t, "_Atomic") && token_is(parse_ahead(f, 1), "(")) { /* without brackets it is a qualifier */
    f->at += 2;
    const struct type *type = parse_type_name(f);
    parse_expect(f, ")");
    q->atomic = true;
    return type;
  }
  struct decl *d = names && t->kind == TOKEN_NAME ? scope_find(t->symbol) : NULL;
  if (!d || d->kind != DECL_TYPEDEF) return NULL;
  f->at++;
  return d->type;
}

struct specifiers parse_specifiers(struct front *f) {
  struct specifiers s = {.place = parse_token(f)->place};
  struct qualifiers q = {false, false, false};
  struct words w = {0};
  const struct type *one = NULL, *type;
  parse_deeper(f);
  for (;;) {
    if (!one && !w.all && parse_accept(f, "__auto_type")) {
      one = TYPE_OF(INT); /* until the initialiser is read */
      s.is_auto = true;
    }
    if (parse_accept(f, "_Alignas")) {
      uint32_t align = parse_alignment(f);
      if (align > s.attributes.align) s.attributes.align = align;
      continue;
    }
    if (parse_at(f, "__attribute__") || parse_at(f, "__attribute")) {
      parse_attributes(f, &s.attributes);
      continue;
    }
    bool is_struct = parse_at(f, "struct") || parse_at(f, "union");
    if (!one && (type = parse_one_type(f, &q, !w.all))) {
      one = type;
      s.is_struct = is_struct;
      continue;
    }
    if (!parse_storage(f, &s) && !parse_qualifier(f, &q) && (one || !count_word(f, &w))) break;
  }
  parse_shallower(f);
  if (one && w.all) front_fail(f, s.place, "these words make no type together");
  if (!one && !w.all) {
    struct token *t = parse_token(f);
    front_fail(f, t->place, "expected a type, found %s", token_text(f, t));
  }
  if (!one) one = type_of_words(f, &w, s.place);
  s.type = qualified(f, attributed(f, one, &s.attributes), &q, s.place);
  return s;
}

struct specifiers parse_plain_specifiers(struct front *f) {
  struct specifiers s = parse_specifiers(f);
  if (s.is_auto) front_fail(f, s.place, "__auto_type without an initialiser");
  if (s.is_typedef || s.is_static || s.is_extern || s.is_thread_local)
    front_fail(f, s.place, "typedef, static, extern or _Thread_local where only a type may stand");
  return s;
}

/* Parameters become what a call gives: an array is a pointer there. */
static struct decl *parse_parameter(struct front *f) {
  struct specifiers s = parse_plain_specifiers(f);
  struct declarator d = parse_declarator(f, s.type);
  struct place place = d.name ? d.name->place : s.place;
  if (d.type->kind == TYPE_ARRAY) {
    length_drop(f, d.type);
    d.type = type_pointer(f, d.type->of, place);
  }
  if (d.type->kind == TYPE_FUNCTION) d.type = type_pointer(f, d.type, place);
  if (d.type->kind == TYPE_VOID) front_fail(f, place, "a parameter of type void");
  struct decl *param = decl_new(f, DECL_VARIABLE, d.name ? d.name->text : "", d.type, place);
  param->storage = STORAGE_PARAM;
  return param;
}

static void parse_parameters(struct front *f, struct declarator *d) {
  struct place place = parse_expect(f, "(")->place;
  struct prototype here = {.outer = f->prototype};
  size_t lengths = f->lengths.count;
  struct type *type = type_new(f, TYPE_FUNCTION);
  if (d->type->kind == TYPE_ARRAY || d->type->kind == TYPE_FUNCTION)
    front_fail(f, place, "a function that returns '%s'", type_text(f, d->type));
  type->of = d->type;
  type->depth = d->type->depth;
  type->unspecified = parse_at(f, ")");
  if (parse_at(f, "void") && token_is(parse_ahead(f, 1), ")")) f->at++;
  f->prototype = &here;
  while (!parse_at(f, ")")) {
    if (here.params.count) parse_expect(f, ",");
    if (parse_accept(f, "...")) {
      type->variadic = true;
      break;
    }
    struct decl *param = parse_parameter(f);
    vec_push(f->mem, &here.params, param);
  }
  f->prototype = here.outer;
  if (f->function || f->prototype) f->lengths.count = lengths; /* it is only a declaration */
  parse_expect(f, ")");
  type->param_count = d->param_count = (uint32_t)here.params.count;
  d->params = here.params.at;
  type->params = mem_piece(f->mem, (here.params.count + 1) * sizeof *type->params);
  for (size_t i = 0; i < here.params.count; i++) {
    type->params[i] = here.params.at[i]->type;
    if (type->params[i]->depth > type->depth) type->depth = type->params[i]->depth;
  }
  d->type = type;
}

/* [4][2] or (int a, int b), behind the name. */
static void parse_suffix(struct front *f, struct declarator *d) {
  struct token *t = parse_token(f);
  if (token_is(t, "(")) {
    parse_parameters(f, d);
    parse_suffix(f, d);
    return;
  }
  if (!parse_accept(f, "[")) return;
  parse_deeper(f);
  struct qualifiers ignored = {false, false, false};
  while (parse_accept(f, "static") || parse_qualifier(f, &ignored)) {}
  bool any = parse_at(f, "*") && token_is(parse_ahead(f, 1), "]");
  if (any) f->at++;
  bool known = !parse_at(f, "]");
  struct expr *e = known ? length_parse(f) : NULL;
  bool constant = known && e->kind == E_NUMBER && type_is_integer(e->type);
  parse_expect(f, "]");
  parse_suffix(f, d);
  if (d->type->kind == TYPE_FUNCTION) front_fail(f, t->place, "an array of functions");
  d->type = constant || (!known && !any) ? type_array(f, d->type, constant ? e->value : 0, known, t->place)
                                         : length_array(f, d->type, e, t->place);
  parse_shallower(f);
}

/* A bracket that holds a declarator, not parameters. */
static bool at_inner_declarator(struct front *f) {
  if (!parse_at(f, "(") || token_is(parse_ahead(f, 1), ")")) return false;
  f->at++;
  bool is = !parse_at_type(f);
  f->at--;
  return is;
}

/* Of a pointer that is pointed to: for gcc it is not the variable's, for clang it is. */
static void refuse_inner_align(struct front *f, struct place place) {
  front_outside(f, place, "an alignment in the middle of a declarator");
}

struct declarator parse_declarator(struct front *f, const struct type *base) {
  struct declarator d = {.type = base};
  parse_deeper(f);
  parse_attributes(f, &d.attributes);
  uint32_t before = d.attributes.align; /* what comes later is of a pointer */
  for (struct token *t = parse_token(f); parse_accept(f, "*"); t = parse_token(f)) {
    if (d.attributes.align > before) refuse_inner_align(f, t->place);
    struct qualifiers q = {false, false, false};
    d.type = type_pointer(f, d.type, t->place);
    do parse_attributes(f, &d.attributes);
    while (parse_qualifier(f, &q));
    d.type = qualified(f, d.type, &q, t->place);
  }
  size_t inner = 0;
  if (at_inner_declarator(f)) {
    inner = f->at + 1;
    parse_skip_brackets(f);
  } else if (parse_token(f)->kind == TOKEN_NAME) {
    d.name = parse_name(f, "a name");
  }
  parse_suffix(f, &d);
  if (inner) {
    size_t after = f->at;
    f->at = inner;
    struct token *begin = parse_token(f);
    struct declarator within = parse_declarator(f, d.type);
    bool attribute = token_is(begin, "__attribute__") || token_is(begin, "__attribute");
    if (within.type != d.type && ((attribute && within.attributes.align) || d.attributes.align > before))
      refuse_inner_align(f, begin->place);
    parse_expect(f, ")");
    if (d.attributes.align > within.attributes.align) within.attributes.align = d.attributes.align;
    if (d.attributes.outside || d.attributes.vector || d.attributes.mode)
      front_outside(f, d.attributes.place, "an attribute before a bracket");
    if (within.type == d.type) { /* only brackets around the name */
      within.params = d.params;
      within.param_count = d.param_count;
    }
    d = within;
    f->at = after;
  }
  parse_attributes(f, &d.attributes);
  d.type = attributed(f, d.type, &d.attributes);
  parse_shallower(f);
  return d;
}
