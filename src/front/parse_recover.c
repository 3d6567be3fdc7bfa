/* What cannot be read is left alone until an operation reaches it: real files, and the headers that they include, are
 * full of what nobody here needs.
 *
 * Three things are attempted, each as a whole: a statement, the body of a function, a declaration at file scope. A
 * statement that fails becomes an E_OUTSIDE that says why, in the place of the statement; lowering it refuses the
 * program. So does a body; and a variable or a function whose declaration was dropped is one that no one declared,
 * with the reason at hand. What was left out is found again by the structure of C alone, from where the attempt began,
 * so that what follows is read as if nothing had happened. */
#include <assert.h>

#include "front/front.h"

void attempt_begin(struct front *f, struct attempt *a) {
  a->outer = f->attempt;
  a->prototype = f->prototype;
  a->at = f->at;
  a->labels = f->labels.count;
  a->level = f->level;
  a->depth = f->depth;
  a->loops = f->loops;
  a->switches = f->switches;
  a->atomics = f->atomics;
  a->blocks = f->blocks;
  a->switch_body = f->switch_body;
  a->statements = f->statements;
  a->function = f->function;
  f->attempt = a;
}

void attempt_end(struct front *f, struct attempt *a) {
  assert(f->attempt == a);
  f->attempt = a->outer;
}

void attempt_failed(struct front *f, struct attempt *a) {
  f->attempt = a->outer;
  while (f->level > a->level) scope_leave(f);
  f->at = a->at;
  f->prototype = a->prototype;
  if (f->labels.count > a->labels) f->labels.count = a->labels;
  f->depth = a->depth;
  f->loops = a->loops;
  f->switches = a->switches;
  f->atomics = a->atomics;
  f->blocks = a->blocks;
  f->switch_body = a->switch_body;
  f->statements = a->statements;
  f->function = a->function;
}

void front_again(struct front *f) { longjmp(f->attempt->jump, 1); }

struct expr *expr_outside(struct front *f, const struct type *type) {
  struct expr *e = mem_piece(f->mem, sizeof *e);
  *e = (struct expr){.kind = E_OUTSIDE, .place = f->said_place, .type = type};
  e->length = strlen(f->said);
  e->text = mem_string(f->mem, f->said, e->length);
  vec_push(f->mem, &f->unit->unread, ((struct unread){e->place, e->text}));
  return e;
}

struct stmt *stmt_outside(struct front *f) {
  struct stmt *s = stmt_new(f, S_EXPR, f->said_place);
  s->expr = expr_outside(f, TYPE_OF(VOID));
  return s;
}

/* Skipping. */

enum { SKIP_DEPTH_MOST = 1000 };

static char bracket_of(const struct token *t) {
  return t->kind == TOKEN_MARK && t->length == 1 && strchr("()[]{}", *t->text) ? *t->text : 0;
}

/* One token, or from a bracket to behind the one that closes it. Where they do not match, what failed first is said. */
void parse_skip_token(struct front *f) {
  f->brackets.count = 0;
  do {
    struct token *t = parse_token(f);
    char c = bracket_of(t);
    if (t->kind == TOKEN_END) front_again(f);
    if (c == '(' || c == '[' || c == '{') {
      vec_push(f->mem, &f->brackets, c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (c && (!f->brackets.count || f->brackets.at[--f->brackets.count] != c)) {
      front_again(f);
    }
    f->at++;
  } while (f->brackets.count);
}

/* To behind the next ';' that is in no brackets. */
static void skip_to_semicolon(struct front *f) {
  while (parse_token(f)->kind != TOKEN_END && !parse_at(f, "}")) {
    if (parse_accept(f, ";")) return;
    parse_skip_token(f);
  }
}

static bool at_skipped_label(struct front *f) {
  return parse_token(f)->kind == TOKEN_NAME && token_is(parse_ahead(f, 1), ":");
}

static void skip_statement(struct front *f, unsigned depth) {
  for (;;) {
    if (depth > SKIP_DEPTH_MOST) front_again(f);
    if (parse_at(f, "{")) {
      parse_skip_token(f);
      return;
    }
    if (parse_accept(f, "if")) {
      parse_skip_token(f);
      skip_statement(f, depth + 1);
      if (!parse_accept(f, "else")) return;
    } else if (parse_accept(f, "while") || parse_accept(f, "for") || parse_accept(f, "switch")) {
      parse_skip_token(f);
    } else if (parse_accept(f, "do")) {
      skip_statement(f, depth + 1);
      skip_to_semicolon(f);
      return;
    } else if (parse_accept(f, "case")) {
      while (parse_token(f)->kind != TOKEN_END && !parse_at(f, ":") && !parse_at(f, "}")) {
        if (parse_at(f, "?")) front_again(f);
        parse_skip_token(f);
      }
      if (!parse_accept(f, ":")) return;
    } else if (parse_at(f, "ASIF_ATOMIC")) {
      f->at++;
    } else if (at_skipped_label(f)) {
      f->at += 2;
    } else {
      skip_to_semicolon(f);
      return;
    }
  }
}

/* left_out becomes what stands for the statement; it knows if a jump into it would be lost. */
void parse_skip_statement(struct front *f, struct stmt *left_out) {
  size_t from = f->at;
  skip_statement(f, 0);
  for (size_t i = from; i < f->at; i++) {
    const struct token *t = &f->tokens.at[i];
    bool label = t->kind == TOKEN_NAME && i + 1 < f->at && token_is(t + 1, ":");
    left_out->hides_labels |= label || token_is(t, "case");
  }
}

/* From the first token of a declaration to behind its last; its names are remembered, with the reason. */
void parse_skip_external(struct front *f) {
  size_t from = f->at;
  vec_push(f->mem, &f->unit->unread, ((struct unread){f->said_place, mem_string(f->mem, f->said, strlen(f->said))}));
  bool ended = false;
  while (!ended && parse_token(f)->kind != TOKEN_END) {
    bool body = parse_at(f, "{") && (f->at == from || token_is(&f->tokens.at[f->at - 1], ")"));
    ended = parse_at(f, ";") || body;
    parse_skip_token(f);
  }
  for (size_t i = from; i < f->at; i++) {
    struct symbol *s = f->tokens.at[i].symbol;
    if (s && !s->decls && !s->dropped) s->dropped = (uint32_t)f->unit->unread.count;
  }
}

/* From the '(' at i to behind the ')' that closes it. */
static size_t behind_brackets(const struct front *f, size_t i) {
  size_t depth = 0;
  do {
    const struct token *t = &f->tokens.at[i];
    if (t->kind == TOKEN_END) break;
    depth += token_is(t, "(");
    depth -= token_is(t, ")");
    i++;
  } while (depth);
  return i;
}

/* extern type name(parameters) attributes; in a header of the system's, where nothing else in the whole text mentions
 * the name: most of what such a header declares. Nobody can tell whether it was read. */
bool parse_pass_over(struct front *f) {
  size_t i = f->at;
  const struct token *t = &f->tokens.at[i];
  const struct source_file *file = &f->unit->files.at[t->place.file];
  if (!file->is_system || file->model) return false;
  while (token_is(t, "__extension__")) t = &f->tokens.at[++i];
  if (!token_is(t, "extern")) return false;
  do {
    t = &f->tokens.at[++i];
    if (t->kind != TOKEN_NAME && !token_is(t, "*")) return false;
    if (token_is(t, "struct") || token_is(t, "union") || token_is(t, "enum")) return false; /* may declare a tag */
  } while (!token_is(t + 1, "("));
  if (t->kind != TOKEN_NAME || t->symbol->mentions > 1) return false;
  for (i = behind_brackets(f, i + 1); !token_is(&f->tokens.at[i], ";"); i = behind_brackets(f, i + 1))
    if (f->tokens.at[i].kind != TOKEN_NAME || !token_is(&f->tokens.at[i + 1], "(")) return false;
  t->symbol->passed_over = true;
  f->at = i + 1;
  return true;
}

/* Functions of the system's headers are read when something that is read uses them. */
void parse_deferred(struct front *f) {
  size_t end = f->at;
  for (size_t i = 0; i < f->uses.count; i++) {
    struct decl *d = f->uses.at[i].decl;
    if (d->kind != DECL_FUNCTION || !d->deferred) continue;
    f->at = d->deferred - 1;
    d->deferred = 0;
    parse_function_body(f, d);
    mem_poll(f->mem);
  }
  f->at = end;
}
