/* Declarations, at file scope and in functions: from specifiers and declarators to struct decl. */
#include "front/front.h"

void parse_static_assert(struct front *f) {
  struct place place = parse_expect(f, "_Static_assert")->place;
  parse_expect(f, "(");
  bool holds = parse_constant(f, "what _Static_assert asserts") != 0;
  struct token *why = parse_ahead(f, 1);
  if (parse_accept(f, ",")) {
    if (why->kind != TOKEN_STRING) front_fail(f, why->place, "expected a string, found %s", token_text(f, why));
    f->at++;
  }
  parse_expect(f, ")");
  if (!holds && why->kind == TOKEN_STRING) front_fatal(f, place, "_Static_assert fails: %.100s", why->text);
  if (!holds) front_fatal(f, place, "_Static_assert fails");
  parse_expect(f, ";");
}

static bool is_model(const struct front *f, struct place p) { return f->unit->files.at[p.file].model; }
static bool is_system(const struct front *f, struct place p) { return f->unit->files.at[p.file].is_system; }

/* What a model header declares is what it is, whatever the system's own header says, before or after it. */
enum chosen { CHOSEN_NEITHER, CHOSEN_OLD, CHOSEN_NEW };
static enum chosen choose(const struct front *f, const struct decl *old, struct place place) {
  if (is_model(f, old->place) && is_system(f, place) && !is_model(f, place)) return CHOSEN_OLD;
  if (is_model(f, place) && is_system(f, old->place) && !is_model(f, old->place)) return CHOSEN_NEW;
  return CHOSEN_NEITHER;
}

static const char *place_text(struct front *f, struct place place) {
  struct text t;
  text_open(&t, f->mem);
  place_print(f->unit, place, &t);
  return text_string(&t);
}

_Noreturn static void fail_differs(struct front *f, const struct declarator *d, const struct decl *old) {
  if (is_system(f, old->place) && !is_system(f, d->name->place))
    front_fail(f, d->name->place, "%s is declared differently by a header that is included: %s; it needs another name",
               d->name->text, place_text(f, old->place));
  front_fail(f, d->name->place, "%s is declared twice, and differently", d->name->text);
}

static uint32_t asked_align(const struct specifiers *s, const struct declarator *d) {
  return s->attributes.align > d->attributes.align ? s->attributes.align : d->attributes.align;
}

static void declare_typedef(struct front *f, const struct specifiers *s, const struct declarator *d) {
  const struct type *type = d->type;
  uint32_t align = asked_align(s, d);
  if (align) type = type_aligned(f, type, align);
  if (d->attributes.transparent || s->attributes.transparent) type_make_transparent(type);
  struct decl *old = scope_find_here(f, d->name->symbol);
  if (old && !(old->kind == DECL_TYPEDEF && type_same(old->type, type))) {
    enum chosen chosen = choose(f, old, d->name->place);
    if (chosen == CHOSEN_OLD) return;
    if (chosen == CHOSEN_NEITHER) fail_differs(f, d, old);
    old = NULL;
  }
  if (!old) scope_bind(f, d->name->symbol, decl_new(f, DECL_TYPEDEF, d->name->text, type, d->name->place));
}

/* A name of file scope may be declared often, if always the same way; also in functions. */
static struct decl *declare_global(struct front *f, const struct specifiers *s, const struct declarator *d,
                                   enum decl_kind kind) {
  struct decl *old = scope_find_here(f, d->name->symbol);
  if (!old) old = d->name->symbol->linked;
  bool alone = s->is_static || (parse_at(f, "{") && (s->is_inline || is_system(f, d->name->place)));
  bool shared = !old && !alone;
  if (shared) old = link_find(f->unit, d->name->text);
  if (shared && old && is_system(f, old->place) && is_system(f, d->name->place) && !type_same(old->type, d->type))
    old = NULL; /* headers may be asked for different things */
  if (shared && old && (old->kind != kind || !type_same(old->type, d->type)))
    front_fatal(f, d->name->place, "%s is declared differently in another file: %s", d->name->text,
                place_text(f, old->place));
  if (old && (old->kind != kind || !type_same(old->type, d->type) || old->type->atomic != d->type->atomic)) {
    enum chosen chosen = choose(f, old, d->name->place);
    if (chosen == CHOSEN_OLD) return old;
    if (chosen == CHOSEN_NEITHER) fail_differs(f, d, old);
    old = NULL;
  }
  struct decl *decl = old ? old : decl_new(f, kind, d->name->text, d->type, d->name->place);
  if (!old) decl->storage = STORAGE_GLOBAL;
  if (shared && !old) link_add(f->unit, decl);
  decl->is_static |= s->is_static;
  if (asked_align(s, d) > decl->align) decl->align = asked_align(s, d);
  if (old != scope_find_here(f, d->name->symbol) || !old) scope_bind(f, d->name->symbol, decl);
  if (old && old->type->unspecified && !d->type->unspecified) old->type = d->type;
  d->name->symbol->linked = decl;
  if ((d->attributes.is_constructor || s->attributes.is_constructor) && !is_system(f, d->name->place))
    front_fatal(f, d->name->place, "%s, which runs before main, is outside the C that verify reads; ASIF_INIT calls it",
                d->name->text);
  return decl;
}

/* One file defines it; a model header does in each that includes it. */
static void define(struct front *f, struct decl *d, struct place place) {
  if (d->defined && d->file != f->unit->file && !d->is_weak && !is_model(f, place))
    front_fatal(f, place, "%s is defined here, and in another file: %s", d->name, place_text(f, d->place));
  if (!d->defined) vec_push(f->mem, &f->unit->decls, d);
  if (!d->defined) d->place = place;
  d->defined = true;
  d->file = f->unit->file;
}

/* To behind the end of an initialiser, which cannot be read. */
static void skip_initialiser(struct front *f) {
  while (!parse_at(f, ",") && !parse_at(f, ";")) parse_skip_token(f);
}

/* One that is outside is what the variable begins with, until someone looks. */
static void parse_static_value(struct front *f, struct decl *d) {
  if (d->init) front_fail(f, d->place, "%s is initialised twice", d->name);
  struct attempt a;
  if (ATTEMPT(f, &a)) {
    d->init = parse_initialiser(f, &d->type);
    expr_must_be_static(f, d->init);
    attempt_end(f, &a);
    return;
  }
  if (f->said_how == SAID_FATAL || (f->said_how == SAID_WRONG && !is_system(f, d->place))) front_again(f);
  d->init = expr_outside(f, d->type);
  skip_initialiser(f);
}

static void declare_variable(struct front *f, const struct specifiers *s, const struct declarator *d) {
  struct decl *decl = declare_global(f, s, d, DECL_VARIABLE);
  if (s->is_thread_local) decl->storage = STORAGE_THREAD_LOCAL;
  bool init = parse_accept(f, "=");
  if (init && decl->defined && decl->file != f->unit->file && (decl->is_weak || is_model(f, d->name->place))) {
    skip_initialiser(f); /* another file's counts */
  } else if (init) {
    define(f, decl, d->name->place);
    parse_static_value(f, decl);
  } else if (!s->is_extern) {
    type_must_be_complete(f, d->type, d->name->place, "a variable of type");
    if (!decl->type->complete) decl->type = d->type;
    define(f, decl, d->name->place);
  }
}

/* True if it had a body. */
static bool parse_function(struct front *f, const struct specifiers *s, const struct declarator *d) {
  struct decl *decl = declare_global(f, s, d, DECL_FUNCTION);
  if (!parse_at(f, "{")) return false;
  bool elsewhere = decl->defined && decl->file != f->unit->file;
  bool weak = d->attributes.is_weak || s->attributes.is_weak;
  /* The C library's functions may be a file's own. */
  bool instead = decl->defined && is_model(f, decl->place) && !is_system(f, d->name->place);
  if (decl->defined && !elsewhere && !instead) front_fail(f, d->name->place, "%s is defined twice", d->name->text);
  if (instead) {
    decl->deferred = 0;
    decl->file = f->unit->file;
  }
  if (elsewhere && !instead && !decl->is_weak && !weak && !is_system(f, d->name->place))
    front_fatal(f, d->name->place, "%s is defined here, and in another file: %s", d->name->text,
                place_text(f, decl->place));
  if (elsewhere && (weak || is_system(f, d->name->place)) && !decl->deferred) { /* the other one counts */
    parse_skip_brackets(f);
    return true;
  }
  decl->is_weak = weak;
  decl->type = d->type;
  decl->place = d->name->place;
  decl->params = d->params;
  decl->param_count = d->param_count;
  if (d->type->of->kind != TYPE_VOID) type_must_be_complete(f, d->type->of, d->name->place, "a function that returns");
  decl->file = f->unit->file;
  define(f, decl, d->name->place);
  if (is_system(f, d->name->place)) {
    if (decl->used) vec_push(f->mem, &f->uses, ((struct use){decl, decl->place}));
    decl->deferred = f->at + 1;
    parse_skip_brackets(f);
  } else {
    parse_function_body(f, decl);
  }
  return true;
}

/* One declarator of a declaration at file scope; false if it was a function's body, which ends the declaration. */
static bool parse_global(struct front *f, const struct specifiers *s) {
  struct declarator d = parse_declarator(f, s->type);
  struct token *t = parse_token(f);
  if (!d.name) front_fail(f, t->place, "expected a name, found %s", token_text(f, t));
  if (s->is_typedef)
    declare_typedef(f, s, &d);
  else if (d.type->kind == TYPE_FUNCTION)
    return !parse_function(f, s, &d);
  else if (d.type->kind == TYPE_VOID)
    front_fail(f, d.name->place, "a variable of type void");
  else
    declare_variable(f, s, &d);
  return true;
}

/* A model header says that its functions are known now. */
static bool parse_header(struct front *f) {
  if (!parse_accept(f, "__asif_header")) return false;
  parse_expect(f, "(");
  header_include(f, parse_name(f, "a header"));
  parse_expect(f, ")");
  return true;
}

void parse_external(struct front *f) {
  f->lengths.count = 0;
  struct token *t = parse_token(f);
  while (parse_at(f, "__extension__") && !parse_at_type(f)) f->at++;
  if (parse_accept(f, ";") || parse_header(f) || parse_harness(f)) return;
  if (parse_at_asm(f)) { /* what it defines has no body here */
    f->at++;
    parse_skip_brackets(f);
    parse_expect(f, ";");
    return;
  }
  if (token_is(t, "_Static_assert")) {
    parse_static_assert(f);
    return;
  }
  if (!parse_at_type(f)) {
    const char *near = t->kind == TOKEN_NAME ? scope_nearest(f, t->symbol) : NULL;
    if (near) front_fail(f, t->place, "%s is no type; %s would be right", t->text, near);
    front_fail(f, t->place, "expected a declaration, found %s", token_text(f, t));
  }
  struct specifiers s = parse_specifiers(f);
  if (s.is_auto) front_outside(f, s.place, "__auto_type at file scope");
  if (parse_accept(f, ";")) return;
  do
    if (!parse_global(f, &s)) return;
  while (parse_accept(f, ","));
  parse_expect(f, ";");
}

static struct decl *new_local(struct front *f, const struct specifiers *s, const struct declarator *d) {
  if (scope_find_here(f, d->name->symbol)) front_fail(f, d->name->place, "%s is declared twice", d->name->text);
  struct decl *decl = decl_new(f, DECL_VARIABLE, d->name->text, d->type, d->name->place);
  decl->storage = s->is_thread_local ? STORAGE_THREAD_LOCAL : s->is_static ? STORAGE_STATIC_LOCAL : STORAGE_AUTO;
  decl->defined = true;
  decl->align = asked_align(s, d);
  scope_bind(f, d->name->symbol, decl);
  return decl;
}

/* __auto_type x = value; */
static void parse_auto(struct front *f, const struct specifiers *s, struct declarator *d, struct statements *to) {
  if (d->type != s->type || s->is_static || s->is_extern || s->is_thread_local || s->is_typedef)
    front_outside(f, d->name->place, "__auto_type like this");
  parse_expect(f, "=");
  struct expr *value = expr_value(f, parse_assignment(f));
  d->type = type_qualified(f, value->type->plain, false, s->type->constant, s->type->is_volatile);
  type_must_be_complete(f, d->type, d->name->place, "a variable of type");
  struct decl *decl = new_local(f, s, d);
  decl->init = value;
  struct stmt *stmt = stmt_new(f, S_DECL, d->name->place);
  stmt->decl = decl;
  vec_push(f->mem, &to->list, stmt);
}

/* The call that the cleanup attribute of a variable asks for. */
static struct expr *cleanup_of(struct front *f, struct decl *d, struct decl *function) {
  struct expr **args = mem_piece(f->mem, sizeof *args);
  args[0] = expr_address(f, d->place, expr_name(f, d->place, d));
  return expr_call(f, d->place, expr_name(f, d->place, function), args, 1);
}

/* lengths: the first one of the declaration. */
static void parse_local(struct front *f, const struct specifiers *s, size_t lengths, struct statements *to) {
  struct declarator d = parse_declarator(f, s->type);
  struct token *t = parse_token(f);
  if (!d.name) front_fail(f, t->place, "expected a name, found %s", token_text(f, t));
  struct place place = d.name->place;
  lengths_declare(f, lengths, to);
  if (s->is_typedef) {
    declare_typedef(f, s, &d);
    return;
  }
  if (d.type->kind == TYPE_VOID) front_fail(f, place, "a variable of type void");
  if (d.type->kind == TYPE_FUNCTION || s->is_extern) {
    if (parse_at(f, "{")) front_outside(f, place, "a function within a function");
    declare_global(f, s, &d, d.type->kind == TYPE_FUNCTION ? DECL_FUNCTION : DECL_VARIABLE);
    return;
  }
  struct decl *cleanup = d.attributes.cleanup ? d.attributes.cleanup : s->attributes.cleanup;
  if (s->is_auto) {
    if (cleanup) front_outside(f, place, "__auto_type like this");
    parse_auto(f, s, &d, to);
    return;
  }
  if (d.attributes.asm_name) front_outside(f, place, "a variable in a register that is named");
  struct decl *decl = new_local(f, s, &d);
  bool lasting = s->is_static || s->is_thread_local;
  if (d.type->variable && lasting) front_fail(f, place, "an array of this storage whose size is not a constant");
  if (d.type->variable && parse_at(f, "=")) front_fail(f, place, "an array whose size is not a constant, initialised");
  if (lasting) vec_push(f->mem, &f->unit->decls, decl);
  if (parse_accept(f, "=")) {
    decl->init = parse_initialiser(f, &decl->type);
    if (lasting) expr_must_be_static(f, decl->init);
  }
  type_must_be_complete(f, decl->type, place, "a variable of type");
  if (lasting) return;
  if (cleanup) decl->cleanup = cleanup_of(f, decl, cleanup);
  struct stmt *stmt = stmt_new(f, S_DECL, place);
  stmt->decl = decl;
  vec_push(f->mem, &to->list, stmt);
}

void parse_local_declaration(struct front *f, struct statements *to) {
  size_t lengths = f->lengths.count;
  struct specifiers s = parse_specifiers(f);
  if (parse_accept(f, ";")) return;
  do parse_local(f, &s, lengths, to);
  while (parse_accept(f, ","));
  parse_expect(f, ";");
}
