/* Expressions: recursive descent, with precedence climbing for the binary operators. */
#include "front/front.h"

static struct expr *parse_unary(struct front *);

const char *token_text(struct front *f, const struct token *t) {
  if (t->kind == TOKEN_END) return "the end of the file";
  if (t->kind == TOKEN_STRING) return "a string";
  struct text text;
  text_open(&text, f->mem);
  text_printf(&text, "'%.*s'", t->length > 40 ? 40 : (int)t->length, t->text);
  return text_string(&text);
}

struct token *parse_expect(struct front *f, const char *spelling) {
  struct token *t = parse_token(f);
  if (!token_is(t, spelling)) front_fail(f, t->place, "expected '%s', found %s", spelling, token_text(f, t));
  f->at++;
  return t;
}

/* Words that are no names. */
static bool is_keyword(const struct token *t) {
  static const char *const words[] = {
      "auto",       "break",     "case",           "char",          "const",    "continue", "default",  "do",
      "double",     "else",      "enum",           "extern",        "float",    "for",      "goto",     "if",
      "inline",     "int",       "long",           "register",      "restrict", "return",   "short",    "signed",
      "sizeof",     "static",    "struct",         "switch",        "typedef",  "union",    "unsigned", "void",
      "volatile",   "while",     "_Alignas",       "_Alignof",      "_Atomic",  "_Bool",    "_Complex", "_Generic",
      "_Imaginary", "_Noreturn", "_Static_assert", "_Thread_local", "__asm__",  "asm",      "__asm",    "typeof",
      "__typeof__"};
  struct symbol *s = t->symbol;
  for (size_t i = 0; !s->word_known && i < sizeof words / sizeof *words; i++) s->keyword |= token_is(t, words[i]);
  s->word_known = true;
  return s->keyword;
}

struct token *parse_name(struct front *f, const char *what) {
  struct token *t = parse_token(f);
  if (t->kind != TOKEN_NAME || is_keyword(t)) front_fail(f, t->place, "expected %s, found %s", what, token_text(f, t));
  f->at++;
  return t;
}

void parse_deeper(struct front *f) {
  if (++f->steps % 256 == 0) mem_poll(f->mem);
  if (++f->depth > DEPTH_MOST) front_fail(f, parse_token(f)->place, "the code is nested more than %d deep", DEPTH_MOST);
}

void parse_skip_brackets(struct front *f) {
  struct token *open = parse_token(f);
  size_t depth = 0;
  do {
    struct token *t = parse_token(f);
    if (t->kind == TOKEN_END) front_fail(f, open->place, "'%s' without the one that closes it", open->text);
    depth += token_is(t, "(") || token_is(t, "[") || token_is(t, "{");
    depth -= token_is(t, ")") || token_is(t, "]") || token_is(t, "}");
    f->at++;
  } while (depth);
}

/* Names: what is declared, or known by name once its header is included. */
_Noreturn static void undeclared(struct front *f, const struct token *t) {
  if (t->symbol->dropped) {
    const struct unread *why = &f->unit->unread.at[t->symbol->dropped - 1];
    front_fail(f, why->place, "%s", why->text);
  }
  const struct known *known = known_find(t->text);
  if (known && !known->signature) front_outside(f, t->place, "%s", t->text);
  if (known)
    front_fail(f, t->place, "%s is not declared; #include <%s.h> would be right", t->text, header_name(known->header));
  const struct token *below = scope_below(f, t->symbol);
  if (below)
    front_fail(f, t->place, "%s is declared only below, in line %u: declare it before this line", t->text,
               below->place.line);
  const char *near = scope_nearest(f, t->symbol);
  if (near) front_fail(f, t->place, "%s is not declared; %s would be right", t->text, near);
  if (!strncmp(t->text, "__builtin_", 10) || !strncmp(t->text, "__sync_", 7) || !strncmp(t->text, "__atomic_", 9))
    front_outside(f, t->place, "%s", t->text);
  front_fail(f, t->place, "%s is not declared", t->text);
}

static struct decl *known_function(struct front *f, const struct token *t) {
  const struct known *known = known_find(t->text);
  uint32_t size = 0;
  if (!known) known = known_sized(t->text, &size);
  bool declared = scope_find(t->symbol) != NULL;
  if (!known || !known->signature || !(declared || f->headers & 1u << known->header)) undeclared(f, t);
  struct type *type = type_new(f, TYPE_FUNCTION);
  type->of = TYPE_OF(VOID);
  type->unspecified = true;
  struct decl *d = decl_new(f, DECL_FUNCTION, known->name, type, t->place);
  d->builtin = (int)known->builtin;
  d->access = size;
  return d;
}

/* A function that a header of the system's declares, and Asif knows. */
static bool is_modelled(const struct front *f, const struct decl *d) {
  if (d->kind != DECL_FUNCTION || d->builtin || d->defined || !f->unit->files.at[d->place.file].is_system) return false;
  const struct known *known = known_find(d->name);
  return known && known->signature;
}

static struct expr *parse_named(struct front *f) {
  struct token *t = parse_token(f);
  if (token_is(t, "asm") || token_is(t, "__asm__") || token_is(t, "__asm"))
    front_outside(f, t->place, "inline assembly");
  parse_name(f, "an expression");
  struct decl *d = scope_find(t->symbol);
  if (!d || is_modelled(f, d)) d = known_function(f, t);
  if (d->kind == DECL_TYPEDEF) front_fail(f, t->place, "%s is a type, where a value is expected", t->text);
  struct use use = {d, t->place};
  if (!d->used && !d->builtin) vec_push(f->mem, &f->uses, use);
  d->used = true;
  if (d->builtin == BUILTIN_FREE) *(f->function ? &f->function->frees : &f->unit->frees) = true;
  return expr_name(f, t->place, d);
}

static struct expr *parse_string(struct front *f) {
  struct token *t = parse_token(f);
  struct expr *e = expr_new(f, E_STRING, t->place, NULL, NULL, NULL);
  f->at++;
  e->text = t->text;
  e->length = t->length;
  e->type = type_array(f, TYPE_OF(CHAR), (int64_t)t->length + 1, true, t->place);
  return e;
}

/* (type){ ... }, after its type was read. */
static struct expr *parse_compound(struct front *f, struct place place, const struct type *type) {
  struct expr *init = parse_initialiser(f, &type);
  if (!f->function) front_outside(f, place, "a compound literal outside a function");
  struct expr *e = expr_new(f, E_COMPOUND, place, init, NULL, NULL);
  e->type = type;
  e->lvalue = true;
  return e;
}

/* A type in brackets: a cast, a compound literal or an operand of sizeof. */
static bool at_bracketed_type(struct front *f) {
  if (!parse_at(f, "(")) return false;
  f->at++;
  bool is = parse_at_type(f);
  f->at--;
  return is;
}

/* sizeof and _Alignof, of a type or of an expression that is not evaluated. */
static struct expr *parse_sizeof(struct front *f, bool size) {
  struct place place = parse_token(f)->place;
  const struct type *type;
  const struct expr *of = NULL;
  size_t lengths = f->lengths.count;
  f->at++;
  if (at_bracketed_type(f)) {
    f->at++;
    type = parse_type_name(f);
    parse_expect(f, ")");
    if (parse_at(f, "{")) type = parse_compound(f, place, type)->type;
  } else {
    if (!size) front_outside(f, place, "_Alignof an expression"); /* a variable may have an alignment of its own */
    type = (of = parse_unary(f))->type;
  }
  if (type->kind == TYPE_FUNCTION || type->kind == TYPE_VOID) /* GNU C has 1 */
    return expr_number(f, place, 1, TYPE_OF(ULONG));
  type_must_be_complete(f, type, place, "the size of");
  if (type->unknown_size) front_outside(f, place, "the size of what has %s", type->outside);
  if (type->variable && size) return lengths_around(f, lengths, length_size(f, type, of, place));
  return expr_number(f, place, size ? type->size : type->align, TYPE_OF(ULONG));
}

/* The field of this name, also within anonymous structs and unions, and where it is; NULL if there is none. */
static const struct field *find_offset(const struct type *t, const char *name, int64_t *offset) {
  const struct field *found = t->kind == TYPE_STRUCT && t->complete ? type_field(t, name) : NULL;
  if (found) *offset += found->offset;
  for (uint32_t i = 0; !found && t->kind == TYPE_STRUCT && i < t->plain->field_count; i++) {
    const struct field *f = &t->plain->fields[i];
    int64_t within = *offset + f->offset;
    if (*f->name || !(found = find_offset(f->type, name, &within))) continue;
    *offset = within;
  }
  return found;
}

/* __builtin_offsetof(type, a.b[1]): the address of that part of an object that stands at 0. */
static struct expr *parse_offsetof(struct front *f) {
  struct place place = parse_expect(f, "__builtin_offsetof")->place;
  parse_expect(f, "(");
  const struct type *type = parse_type_name(f);
  int64_t offset = 0;
  for (bool first = true; first || parse_at(f, ".") || parse_at(f, "["); first = false) {
    if (first ? !parse_accept(f, ",") : !parse_accept(f, ".")) {
      parse_expect(f, first ? "," : "[");
      if (type->kind != TYPE_ARRAY) front_fail(f, place, "offsetof of an element of what is no array");
      int64_t index = parse_constant(f, "an index");
      if (index < 0 || (type->complete && index > type->count))
        front_fail(f, place, "offsetof of an element that is not there");
      offset += index * type->of->size;
      type = type->of;
      parse_expect(f, "]");
      continue;
    }
    struct token *name = parse_name(f, "a field");
    if (type->unknown_size) front_outside(f, name->place, "an offset in what has %s", type->outside);
    const struct field *field = find_offset(type, name->text, &offset);
    if (!field) front_fail(f, name->place, "'%s' has no field '%s'", type_text(f, type), name->text);
    type = field->type;
  }
  parse_expect(f, ")");
  return expr_number(f, place, offset, TYPE_OF(ULONG));
}

/* Where the types here do not tell apart what C does, nothing is chosen. */
static void refuse_unknown(struct front *f, const struct type *t, struct place place) {
  if (t->kind == TYPE_POINTER && t->of->kind == TYPE_POINTER && f->restrict_seen)
    front_outside(f, place, "_Generic on a pointer to a pointer, where restrict is used,");
  while (t->kind == TYPE_POINTER || t->kind == TYPE_ARRAY) t = t->of;
  if (t->kind == TYPE_MUTEX) front_outside(f, place, "_Generic on a mutex");
}

/* _Generic(e, type: x, default: y): the expression whose type is that of e. */
static struct expr *parse_generic(struct front *f) {
  struct place place = parse_expect(f, "_Generic")->place;
  parse_expect(f, "(");
  struct expr *of = expr_value(f, parse_assignment(f)), *chosen = NULL, *otherwise = NULL;
  refuse_unknown(f, of->type, place);
  while (parse_accept(f, ",")) {
    const struct type *type = parse_accept(f, "default") ? NULL : parse_type_name(f);
    parse_expect(f, ":");
    struct expr *e = parse_assignment(f);
    if (!type)
      otherwise = e;
    else if (!chosen && type_identical(type, of->type->plain))
      chosen = e;
  }
  parse_expect(f, ")");
  if (!chosen) chosen = otherwise;
  if (!chosen) front_fail(f, place, "_Generic has nothing for '%s'", type_text(f, of->type->plain));
  return chosen;
}

/* __builtin_types_compatible_p(a, b) */
static struct expr *parse_compatible(struct front *f) {
  struct place place = parse_expect(f, "__builtin_types_compatible_p")->place;
  parse_expect(f, "(");
  const struct type *a = parse_type_name(f)->plain;
  parse_expect(f, ",");
  const struct type *b = parse_type_name(f)->plain;
  parse_expect(f, ")");
  refuse_unknown(f, a, place);
  refuse_unknown(f, b, place);
  return expr_number(f, place, type_identical(a, b), TYPE_OF(INT));
}

/* __builtin_choose_expr(constant, a, b): a or b, with its own type. */
static struct expr *parse_chosen(struct front *f) {
  parse_expect(f, "__builtin_choose_expr");
  parse_expect(f, "(");
  bool first = parse_constant(f, "what __builtin_choose_expr asks") != 0;
  parse_expect(f, ",");
  struct expr *a = parse_assignment(f);
  parse_expect(f, ",");
  struct expr *b = parse_assignment(f);
  parse_expect(f, ")");
  return first ? a : b;
}

static struct expr *parse_primary(struct front *f) {
  struct token *t = parse_token(f);
  if (t->outside) front_outside(f, t->place, "%s", t->outside);
  if (t->kind == TOKEN_NUMBER) {
    f->at++;
    return expr_number(f, t->place, t->value, t->type);
  }
  if (t->kind == TOKEN_STRING) return parse_string(f);
  if (parse_at(f, "__builtin_offsetof")) return parse_offsetof(f);
  if (parse_at(f, "_Generic")) return parse_generic(f);
  if (parse_at(f, "__builtin_types_compatible_p")) return parse_compatible(f);
  if (parse_at(f, "__builtin_choose_expr")) return parse_chosen(f);
  if (parse_accept(f, "(")) {
    struct expr *e = parse_at(f, "{") ? parse_block_value(f) : parse_expression(f);
    parse_expect(f, ")");
    return e;
  }
  if (t->kind != TOKEN_NAME) front_fail(f, t->place, "expected an expression, found %s", token_text(f, t));
  return parse_named(f);
}

static struct expr *parse_call(struct front *f, struct expr *function) {
  VEC(struct expr *) args = {NULL, 0, 0};
  parse_expect(f, "(");
  while (!parse_at(f, ")")) {
    if (args.count) parse_expect(f, ",");
    vec_push(f->mem, &args, parse_assignment(f));
  }
  parse_expect(f, ")");
  return expr_call(f, function->place, function, args.at, (uint32_t)args.count);
}

static struct expr *parse_postfix(struct front *f, struct expr *e) {
  for (;;) {
    struct token *t = parse_token(f);
    if (token_is(t, "(")) {
      e = parse_call(f, e);
    } else if (parse_accept(f, "[")) {
      e = expr_index(f, t->place, e, parse_expression(f));
      parse_expect(f, "]");
    } else if (parse_accept(f, ".")) {
      e = expr_field(f, t->place, e, parse_name(f, "a field"), false);
    } else if (parse_accept(f, "->")) {
      e = expr_field(f, t->place, e, parse_name(f, "a field"), true);
    } else if (parse_accept(f, "++")) {
      e = expr_step(f, t->place, OP_ADD, true, e);
    } else if (parse_accept(f, "--")) {
      e = expr_step(f, t->place, OP_SUB, true, e);
    } else {
      return e;
    }
  }
}

/* A cast or a compound literal, where a type stands in brackets. */
static struct expr *parse_cast(struct front *f) {
  struct place place = parse_expect(f, "(")->place;
  size_t lengths = f->lengths.count;
  const struct type *type = parse_type_name(f);
  parse_expect(f, ")");
  if (parse_at(f, "{") && type->variable) front_fail(f, place, "a compound literal whose size is not a constant");
  if (f->lengths.count > lengths) { /* after those of what is cast */
    size_t count = f->lengths.count - lengths;
    struct decl **own = mem_piece(f->mem, count * sizeof *own);
    memcpy(own, f->lengths.at + lengths, count * sizeof *own);
    f->lengths.count = lengths;
    struct expr *e = expr_cast(f, place, type, parse_unary(f));
    for (size_t i = count; i-- > 0;) e = block_with(f, own[i], e);
    return e;
  }
  if (parse_at(f, "{")) return parse_postfix(f, parse_compound(f, place, type));
  return expr_cast(f, place, type, parse_unary(f));
}

static struct expr *parse_operator(struct front *f) {
  static const struct {
    const char *mark;
    enum operator op;
  } plain[] = {{"!", OP_NOT}, {"-", OP_NEG}, {"~", OP_INVERT}, {"+", OP_PLUS}};
  struct place place = parse_token(f)->place;
  if (parse_accept(f, "*")) return expr_deref(f, place, parse_unary(f));
  if (parse_accept(f, "&")) return expr_address(f, place, parse_unary(f));
  if (parse_accept(f, "++")) return expr_step(f, place, OP_ADD, false, parse_unary(f));
  if (parse_accept(f, "--")) return expr_step(f, place, OP_SUB, false, parse_unary(f));
  if (parse_at(f, "&&")) front_outside(f, place, "the address of a label");
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (parse_accept(f, plain[i].mark)) return expr_unary(f, place, plain[i].op, parse_unary(f));
  return parse_postfix(f, parse_primary(f));
}

static struct expr *parse_unary(struct front *f) {
  struct expr *e;
  parse_deeper(f);
  while (parse_accept(f, "__extension__")) {}
  struct token *t = parse_token(f);
  if (token_is(t, "sizeof"))
    e = parse_sizeof(f, true);
  else if (token_is(t, "_Alignof") || token_is(t, "__alignof__") || token_is(t, "__alignof"))
    e = parse_sizeof(f, false);
  else if (at_bracketed_type(f))
    e = parse_cast(f);
  else
    e = parse_operator(f);
  parse_shallower(f);
  return e;
}

static const struct binary {
  const char *mark;
  enum operator op;
  int level;
} binaries[] = {{"*", OP_MUL, 10}, {"/", OP_DIV, 10},     {"%", OP_MOD, 10},  {"+", OP_ADD, 9}, {"-", OP_SUB, 9},
                {"<<", OP_SHL, 8}, {">>", OP_SHR, 8},     {"<", OP_LT, 7},    {">", OP_GT, 7},  {"<=", OP_LE, 7},
                {">=", OP_GE, 7},  {"==", OP_EQ, 6},      {"!=", OP_NE, 6},   {"&", OP_AND, 5}, {"^", OP_XOR, 4},
                {"|", OP_OR, 3},   {"&&", OP_AND_AND, 2}, {"||", OP_OR_OR, 1}};

static const struct binary *binary_at(struct front *f, int level) {
  for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
    if (binaries[i].level >= level && parse_at(f, binaries[i].mark)) return &binaries[i];
  return NULL;
}

static struct expr *parse_binary(struct front *f, int level) {
  struct expr *a = parse_unary(f);
  const struct binary *b;
  while ((b = binary_at(f, level))) {
    struct place place = parse_token(f)->place;
    f->at++;
    struct expr *right = parse_binary(f, b->level + 1);
    a = b->level <= 2 ? expr_logical(f, place, b->op, a, right) : expr_binary(f, place, b->op, a, right);
  }
  return a;
}

/* a ?: c, where a is evaluated once. */
static struct expr *choice_once(struct front *f, struct place place, struct expr *a, struct expr *c) {
  a = expr_value(f, a);
  if (a->kind == E_NUMBER) return expr_choice(f, place, a, a, c);
  if (!f->function) front_outside(f, place, "?: without its middle outside a function");
  struct decl *d = decl_new(f, DECL_VARIABLE, "", a->type->plain, a->place);
  d->storage = STORAGE_AUTO;
  d->defined = true;
  d->init = a;
  return block_with(f, d, expr_choice(f, place, expr_name(f, a->place, d), expr_name(f, a->place, d), c));
}

static struct expr *parse_choice(struct front *f) {
  struct expr *a = parse_binary(f, 1);
  struct place place = parse_token(f)->place;
  if (!parse_accept(f, "?")) return a;
  if (parse_accept(f, ":")) {
    parse_deeper(f);
    struct expr *c = parse_choice(f);
    parse_shallower(f);
    return choice_once(f, place, a, c);
  }
  struct expr *b = parse_expression(f);
  parse_expect(f, ":");
  parse_deeper(f);
  struct expr *c = parse_choice(f);
  parse_shallower(f);
  return expr_choice(f, place, a, b, c);
}

struct expr *parse_assignment(struct front *f) {
  static const struct {
    const char *mark;
    enum operator op;
  } marks[] = {{"=", OP_NONE}, {"+=", OP_ADD}, {"-=", OP_SUB}, {"*=", OP_MUL},  {"/=", OP_DIV}, {"%=", OP_MOD},
               {"&=", OP_AND}, {"|=", OP_OR},  {"^=", OP_XOR}, {"<<=", OP_SHL}, {">>=", OP_SHR}};
  parse_deeper(f);
  struct expr *e = parse_choice(f);
  struct place place = parse_token(f)->place;
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    if (!parse_accept(f, marks[i].mark)) continue;
    e = expr_assign(f, place, marks[i].op, e, parse_assignment(f));
    break;
  }
  parse_shallower(f);
  return e;
}

struct expr *parse_expression(struct front *f) {
  struct expr *e = parse_assignment(f);
  while (parse_at(f, ",")) {
    struct place place = parse_token(f)->place;
    f->at++;
    e = expr_comma(f, place, e, parse_assignment(f));
  }
  return e;
}

struct expr *parse_constant_node(struct front *f, const char *what) {
  struct place place = parse_token(f)->place;
  struct expr *e = parse_choice(f);
  if (e->kind != E_NUMBER || !type_is_integer(e->type)) front_fail(f, place, "%s must be a constant", what);
  return e;
}

int64_t parse_constant(struct front *f, const char *what) { return parse_constant_node(f, what)->value; }
