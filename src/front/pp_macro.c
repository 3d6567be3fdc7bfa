/* Names, and the macros that #define makes of them. */
#include "base/hash.h"
#include "front/pp.h"

/* What is no macro of a #define, but is replaced or means something all the same. */
static const struct {
  const char *name;
  enum pp_special special;
} specials[] = {{"__FILE__", SPECIAL_FILE},
                {"__LINE__", SPECIAL_LINE},
                {"__COUNTER__", SPECIAL_COUNTER},
                {"__DATE__", SPECIAL_DATE},
                {"__TIME__", SPECIAL_TIME},
                {"_Pragma", SPECIAL_PRAGMA},
                {"__has_include", SPECIAL_HAS_INCLUDE},
                {"__has_include_next", SPECIAL_HAS_INCLUDE_NEXT},
                {"defined", SPECIAL_DEFINED},
                {"__VA_ARGS__", SPECIAL_VA_ARGS},
                {"__VA_OPT__", SPECIAL_COMPILER},
                {"__TIMESTAMP__", SPECIAL_COMPILER},
                {"__INCLUDE_LEVEL__", SPECIAL_COMPILER},
                {"__BASE_FILE__", SPECIAL_COMPILER},
                {"__FILE_NAME__", SPECIAL_COMPILER},
                {"__FLT_EVAL_METHOD__", SPECIAL_COMPILER},
                {"__building_module", SPECIAL_COMPILER},
                {"__is_identifier", SPECIAL_COMPILER},
                {"__is_target_arch", SPECIAL_COMPILER},
                {"__is_target_vendor", SPECIAL_COMPILER},
                {"__is_target_os", SPECIAL_COMPILER},
                {"__is_target_environment", SPECIAL_COMPILER},
                {"__pragma", SPECIAL_COMPILER},
                {"__identifier", SPECIAL_COMPILER}};

static const struct {
  const char *name;
  enum pp_word word;
} words[] = {{"define", WORD_DEFINE},   {"undef", WORD_UNDEF},
             {"include", WORD_INCLUDE}, {"include_next", WORD_INCLUDE_NEXT},
             {"if", WORD_IF},           {"ifdef", WORD_IFDEF},
             {"ifndef", WORD_IFNDEF},   {"elif", WORD_ELIF},
             {"elifdef", WORD_ELIFDEF}, {"elifndef", WORD_ELIFNDEF},
             {"else", WORD_ELSE},       {"endif", WORD_ENDIF},
             {"line", WORD_LINE},       {"error", WORD_ERROR},
             {"warning", WORD_WARNING}, {"pragma", WORD_PRAGMA}};

/* Compilers can be asked more and more with __has_. */
static enum pp_special asked(const char *text, size_t length) {
  static const char *const operators[] = {"__has_attribute", "__has_builtin", "__has_feature", "__has_extension"};
  static const char *const others[] = {"__has_c_attribute", "__has_cpp_attribute", "__has_warning", "__has_embed",
                                       "__has_declspec_attribute"};
  if (length <= 6 || memcmp(text, "__has_", 6)) return SPECIAL_NONE;
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
    if (strlen(operators[i]) == length && !memcmp(operators[i], text, length))
      return predefined_answer(operators[i], NULL) == 1 ? SPECIAL_HAS : SPECIAL_NONE;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strlen(others[i]) == length && !memcmp(others[i], text, length) && predefined_answer(others[i], NULL) < 0)
      return SPECIAL_NONE;
  return SPECIAL_COMPILER;
}

void pp_names_open(struct pp *pp) {
  pp->name_room = 1024;
  pp->names = mem_zero(pp->mem, pp->name_room, sizeof *pp->names);
  for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
    pp_name(pp, specials[i].name, strlen(specials[i].name))->special = specials[i].special;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    pp_name(pp, words[i].name, strlen(words[i].name))->word = words[i].word;
}

static void grow_names(struct pp *pp) {
  size_t room = pp->name_room * 4;
  struct pp_name **names = mem_zero(pp->mem, room, sizeof *names);
  for (size_t i = 0; i < pp->name_room; i++)
    for (struct pp_name *n = pp->names[i], *next; n; n = next) {
      next = n->next;
      n->next = names[n->hash & (room - 1)];
      names[n->hash & (room - 1)] = n;
    }
  mem_free(pp->mem, pp->names);
  pp->names = names;
  pp->name_room = room;
}

struct pp_name *pp_name(struct pp *pp, const char *text, size_t length) {
  uint64_t hash = hash_bytes(text, length);
  for (struct pp_name *n = pp->names[hash & (pp->name_room - 1)]; n; n = n->next)
    if (n->hash == hash && n->length == length && !memcmp(n->text, text, length)) return n;
  if (pp->name_count++ > pp->name_room) grow_names(pp);
  struct pp_name *n = mem_piece(pp->mem, sizeof *n), **chain = &pp->names[hash & (pp->name_room - 1)];
  *n = (struct pp_name){.text = mem_string(pp->mem, text, length),
                        .length = (uint32_t)length,
                        .hash = hash,
                        .next = *chain,
                        .special = asked(text, length)};
  return *chain = n;
}

bool pp_is_defined(struct pp *pp, struct pp_name *n) {
  if (n->special == SPECIAL_COMPILER && !n->macro && predefined_answer(n->text, NULL) < 0)
    pp_compiler(pp, "%s", n->text);
  return n->macro || (n->special != SPECIAL_NONE && n->special != SPECIAL_DEFINED && n->special != SPECIAL_VA_ARGS);
}

/* A definition being read. */
struct reading {
  struct pp_macro *macro;
  VEC(struct pp_name *) params;
  VEC(struct pp_token) body;
};

static void add_param(struct pp *pp, struct reading *r, const struct pp_token *t, struct pp_name *name) {
  if (name->param) pp_wrong(pp, t, "the macro has two parameters %s", name->text);
  vec_push(pp->mem, &r->params, name);
  name->param = (uint32_t)r->params.count;
}

static void read_params(struct pp *pp, struct reading *r) {
  const struct pp_token *t = pp_lex(pp);
  r->macro->function = true;
  while (!pp_is(t, ')') || r->params.count) {
    if (t->kind == PP_NAME && t->name->special != SPECIAL_VA_ARGS) {
      add_param(pp, r, t, t->name);
      t = pp_lex(pp);
      r->macro->variadic = pp_is(t, PP_MARK3('.', '.', '.'));
      if (r->macro->variadic) t = pp_lex(pp);
    } else if (pp_is(t, PP_MARK3('.', '.', '.'))) {
      r->macro->variadic = true;
      add_param(pp, r, t, pp_name(pp, "__VA_ARGS__", 11));
      t = pp_lex(pp);
    } else {
      pp_wrong(pp, t, "a parameter of the macro is expected here, or )");
    }
    if (pp_is(t, ')')) break;
    if (!pp_is(t, ',') || r->macro->variadic)
      pp_wrong(pp, t, "%s is expected here", r->macro->variadic ? ")" : ", or )");
    t = pp_lex(pp);
  }
  r->macro->param_count = (uint32_t)r->params.count;
}

static struct pp_token *last_of(struct reading *r) { return r->body.count ? &r->body.at[r->body.count - 1] : NULL; }

/* # and a parameter are one. */
static bool join_hash(struct pp *pp, struct reading *r, const struct pp_token *t) {
  struct pp_token *last = last_of(r);
  if (!r->macro->function || !last || !pp_is(last, '#')) return false;
  if (t->kind != PP_PARAM) pp_wrong(pp, last, "# must be followed by a parameter of the macro");
  uint8_t white = last->flags & PP_WHITE;
  *last = *t;
  last->flags = white | PP_STRINGIFY;
  return true;
}

static void read_body(struct pp *pp, struct reading *r, const struct pp_token *first) {
  bool paste = false;
  for (const struct pp_token *next = first; next->kind != PP_END; next = pp_lex(pp)) {
    struct pp_token t = *next;
    if (t.kind == PP_NAME && t.name->special == SPECIAL_COMPILER && !strcmp(t.name->text, "__VA_OPT__"))
      pp_compiler(pp, "__VA_OPT__");
    if (t.kind == PP_NAME && t.name->param) {
      t.kind = PP_PARAM;
      t.param = t.name->param - 1;
    }
    t.flags &= PP_WHITE;
    if (pp_is(&t, PP_MARK2('#', '#')) && !(r->macro->function && last_of(r) && pp_is(last_of(r), '#'))) {
      if (!r->body.count) pp_wrong(pp, next, "## cannot be the first thing that the macro stands for");
      if (paste) pp_compiler(pp, "## behind ##");
      paste = true;
      last_of(r)->flags |= PP_PASTE;
      continue;
    }
    paste = false;
    if (!join_hash(pp, r, &t)) vec_push(pp->mem, &r->body, t);
  }
  struct pp_token *last = last_of(r);
  if (paste) pp_wrong(pp, first, "## cannot be the last thing that the macro stands for");
  if (last && r->macro->function && pp_is(last, '#'))
    pp_wrong(pp, last, "# must be followed by a parameter of the macro");
}

/* GNU C leaves a comma out before a list of arguments that is not there; strict C does so less often. */
static void check_comma(struct pp *pp, const struct reading *r) {
  for (size_t i = 0; r->macro->variadic && i + 1 < r->body.count; i++) {
    const struct pp_token *t = &r->body.at[i];
    if (!pp_is(t, ',') || !(t->flags & PP_PASTE)) continue;
    if (pp->strict) pp_compiler(pp, ", ## in strict C");
    if (t[1].flags & PP_PASTE) pp_compiler(pp, ", ## and ## again");
  }
}

static void keep_body(struct pp *pp, struct reading *r) {
  struct pp_items *body = &r->macro->body;
  vec_reserve(pp->mem, &body->list, r->body.count);
  for (size_t i = 0; i < r->body.count; i++) {
    if (!i) r->body.at[i].flags &= (uint8_t)~PP_WHITE;
    vec_push(pp->mem, &body->list, ((struct pp_item){&r->body.at[i], 0}));
  }
  for (size_t i = 0; i < r->params.count; i++) r->params.at[i]->param = 0;
  vec_free(pp->mem, &r->params);
}

/* What follows the name. The tokens of the body stay where they are. */
static void read_macro(struct pp *pp, struct pp_macro *m) {
  struct reading r = {.macro = m};
  const struct pp_token *t = NULL;
  bool outer = pp->variadic_body, directive = pp->in_directive;
  pp->in_directive = true;
  pp->variadic_body = true; /* __VA_ARGS__ is checked when it is clear whether it may be there */
  t = pp_lex(pp);
  if (pp_is(t, '(') && !(t->flags & PP_WHITE)) {
    read_params(pp, &r);
    t = pp_lex(pp);
  }
  struct pp_name *rest = pp_name(pp, "__VA_ARGS__", 11);
  pp->variadic_body = rest->param != 0;
  if (t->kind == PP_NAME && t->name == rest && !rest->param) pp_compiler(pp, "__VA_ARGS__ outside a macro with ...");
  read_body(pp, &r, t);
  check_comma(pp, &r);
  keep_body(pp, &r);
  pp->variadic_body = outer;
  pp->in_directive = directive;
}

/* The rest of a #define, from the name on. What a header of the system's defines is seldom asked for, and right. */
void pp_define(struct pp *pp) {
  const struct pp_token *t = pp_lex(pp);
  if (t->kind != PP_NAME) pp_wrong(pp, t, "the name of a macro is expected here");
  if (t->name->special == SPECIAL_DEFINED) pp_wrong(pp, t, "defined cannot be a macro");
  if (t->name->special != SPECIAL_NONE) pp_compiler(pp, "a definition of %s", t->name->text);
  struct pp_macro *m = mem_piece(pp->mem, sizeof *m);
  *m = (struct pp_macro){.unread = NULL};
  if (pp->buffer->file->system && !pp->clang) {
    m->unread = pp->buffer->at;
    pp_skip_line(pp);
    m->unread_end = pp->buffer->at;
  } else {
    read_macro(pp, m);
  }
  t->name->macro = m;
}

void pp_define_text(struct pp *pp, const char *text) {
  pp_enter(pp, pp_text(pp, text, strlen(text)));
  pp->in_directive = true;
  pp->buffer->fresh = false;
  pp_define(pp);
  pp->in_directive = false;
  pp_leave(pp);
}

struct pp_macro *pp_macro(struct pp *pp, struct pp_name *n) {
  struct pp_macro *m = n->macro;
  if (!m || !m->unread) return m;
  const char *text = m->unread;
  m->unread = NULL;
  pp_enter(pp, pp_text(pp, text, (size_t)(m->unread_end + 1 - text)));
  pp->buffer->fresh = false;
  read_macro(pp, m);
  pp_leave(pp);
  return m;
}
