/* Tokens with macros replaced. Replacements are contexts on a stack, read before the file goes on; while one is there
 * its macro's name is not replaced again, and a name met then never is. Padding tells the writer, and #, where white
 * space was. */
#include <stdlib.h>

#include "front/pp.h"

struct arg {
  struct pp_items raw, expanded;
  bool absent, is_expanded;
  struct pp_token *string;
};

void pp_count_on(struct pp *pp) {
  mem_poll(pp->mem);
  if (pp->tokens <= TOKENS_MOST) return;
  pp_stop(pp, PP_REFUSED, pp_line(pp), 1, "the file and its macros come to more than %d million tokens",
          TOKENS_MOST / 1000000);
}

static const struct pp_token *padding(struct pp *pp, const struct pp_token *source) {
  struct pp_token *t = pp_token_new(pp);
  t->kind = PP_PADDING;
  t->source = source;
  return t;
}

static void push(struct pp *pp, struct pp_items *items, const struct pp_token *t, uint32_t line) {
  vec_push(pp->mem, &items->list, ((struct pp_item){t, line}));
}

static void push_context(struct pp *pp, struct pp_name *macro, const struct pp_item *items, size_t count,
                         struct pp_item *owned, uint32_t line) {
  static const struct pp_item none;
  if (!items) items = &none;
  vec_push(pp->mem, &pp->contexts, ((struct pp_context){macro, items, items + count, owned, line}));
  if (macro) macro->disabled = true;
  pp_count(pp, count);
}

static void push_one(struct pp *pp, const struct pp_token *t, uint32_t line) {
  struct pp_item *item = mem_alloc(pp->mem, sizeof *item);
  *item = (struct pp_item){t, line};
  push_context(pp, NULL, item, 1, item, 0);
}

static void pop_context(struct pp *pp) {
  struct pp_context *c = &pp->contexts.at[--pp->contexts.count];
  mem_free(pp->mem, c->owned);
  if (c->macro) c->macro->disabled = false;
}

static struct pp_context *top(struct pp *pp) {
  return pp->contexts.count ? &pp->contexts.at[pp->contexts.count - 1] : NULL;
}

/* The latest token is to be read once more. */
static void back_up(struct pp *pp) {
  if (top(pp))
    top(pp)->at--;
  else
    pp->again = pp->latest;
}

static const struct pp_token *from_context(struct pp *pp, uint32_t *line) {
  struct pp_context *c = top(pp);
  const struct pp_item *item = c->at++;
  *line = c->line ? c->line : item->line;
  return item->token;
}

/* # x: the argument as a string. */
static void put_quoted(struct text *to, const struct pp_token *t) {
  for (uint32_t i = 0; i < t->length; i++) {
    if (t->text[i] == '"' || t->text[i] == '\\') text_char(to, '\\');
    text_char(to, t->text[i]);
  }
}

static struct pp_token *new_string(struct pp *pp, const char *text, size_t length) {
  struct pp_token *t = pp_token_new(pp);
  t->kind = PP_STRING;
  t->text = text;
  t->length = (uint32_t)length;
  return t;
}

static const struct pp_token *stringified(struct pp *pp, struct arg *a) {
  const struct pp_token *source = NULL;
  struct text to;
  if (a->string) return a->string;
  text_open(&to, pp->mem);
  text_char(&to, '"');
  bool odd = false; /* of backslashes at the end */
  for (size_t i = 0; i < a->raw.list.count; i++) {
    const struct pp_token *t = a->raw.list.at[i].token;
    if (t->kind == PP_PADDING) {
      if (!source || (!(source->flags & PP_WHITE) && !t->source)) source = t->source;
      continue;
    }
    if (!source) source = t;
    if (to.count > 1 && source->flags & PP_WHITE) text_char(&to, ' ');
    source = NULL;
    if (t->kind == PP_STRING || t->kind == PP_CHAR)
      put_quoted(&to, t);
    else
      text_bytes(&to, t->text, t->length);
    odd = t->kind == PP_OTHER && *t->text == '\\' && !odd;
  }
  if (odd) pp_compiler(pp, "a string that # ends in a backslash");
  text_char(&to, '"');
  pp_count(pp, to.count / 16);
  a->string = new_string(pp, to.at, to.count);
  return a->string;
}

static const struct pp_token *paste_two(struct pp *pp, const struct pp_token *left, const struct pp_token *right) {
  if (right->kind == PP_PADDING || right->kind == PP_END) pp_compiler(pp, "## before nothing");
  size_t length = left->length + right->length;
  char *text = mem_piece(pp->mem, length + 2);
  memcpy(text, left->text, left->length);
  memcpy(text + left->length, right->text, right->length);
  memcpy(text + length, "\n", 2);
  if (text[0] == '/' && (text[1] == '/' || text[1] == '*')) pp_compiler(pp, "## that makes a comment");
  pp_count(pp, length / 16);
  uint32_t line = pp_line(pp);
  bool directive = pp->in_directive;
  pp_enter(pp, pp_text(pp, text, length + 1));
  pp->buffer->line = line;
  pp->buffer->fresh = false;
  pp->in_directive = true;
  struct pp_token *t = (struct pp_token *)pp_lex(pp);
  if (pp->buffer->at != text + length)
    pp_stop(pp, PP_WRONG, line, 1, "## makes %.100s, which is no token", mem_string(pp->mem, text, length));
  pp_leave(pp);
  pp->in_directive = directive;
  t->flags = left->flags & PP_WHITE;
  return t;
}

/* The token is followed by ##: all that hangs together becomes one, which is read next. */
static void paste_all(struct pp *pp, const struct pp_token *left, uint32_t line) {
  const struct pp_token *right;
  do {
    uint32_t ignored;
    if (top(pp)->at == top(pp)->end) pp_compiler(pp, "## before nothing");
    right = from_context(pp, &ignored);
    left = paste_two(pp, left, right);
  } while (right->flags & PP_PASTE);
  push_one(pp, left, line);
}

/* An argument with its own macros replaced. */
static void expand_arg(struct pp *pp, struct arg *a) {
  if (a->is_expanded) return;
  a->is_expanded = true;
  if (!a->raw.list.count) return;
  if (++pp->expanding > MACRO_DEPTH_MOST)
    pp_stop(pp, PP_REFUSED, pp_line(pp), 1, "macros are nested more than %d deep", MACRO_DEPTH_MOST);
  size_t contexts = pp->contexts.count;
  push(pp, &a->raw, &pp->end, 0);
  push_context(pp, NULL, a->raw.list.at, a->raw.list.count, NULL, 0);
  for (;;) {
    uint32_t line;
    const struct pp_token *t = pp_get(pp, &line);
    if (t->kind == PP_END) break;
    push(pp, &a->expanded, t, line);
  }
  if (pp->contexts.count != contexts + 1) pp_compiler(pp, "a macro that takes what follows its argument");
  pop_context(pp);
  a->raw.list.count--;
  pp->expanding--;
}

/* One argument, up to the comma or bracket that ends it, which is returned. */
static const struct pp_token *collect_arg(struct pp *pp, struct pp_items *to, bool takes_commas) {
  uint32_t depth = 0, line;
  for (;;) {
    const struct pp_token *t = pp_get(pp, &line);
    if (t->kind == PP_END) return t;
    if (t->kind == PP_PADDING && !to->list.count) continue;
    if (pp_is(t, '(')) depth++;
    if (pp_is(t, ')') && depth-- == 0) return t;
    if (pp_is(t, ',') && !depth && !takes_commas) return t;
    push(pp, to, t, line);
  }
}

struct args {
  VEC(struct arg) list;
};

static void check_count(struct pp *pp, const struct pp_token *name, const struct pp_macro *m, uint32_t count) {
  if (count == m->param_count || (count + 1 == m->param_count && m->variadic)) return;
  pp_wrong(pp, name, "the macro %s takes %u argument%s, not %u", name->name->text, m->param_count,
           m->param_count == 1 ? "" : "s", count);
}

static void collect_args(struct pp *pp, const struct pp_token *name, const struct pp_macro *m, struct args *args) {
  const struct pp_token *last;
  uint32_t count = 0;
  do {
    struct arg a = {.absent = false};
    count++;
    last = collect_arg(pp, &a.raw, m->variadic && count == m->param_count);
    while (a.raw.list.count && a.raw.list.at[a.raw.list.count - 1].token->kind == PP_PADDING) a.raw.list.count--;
    vec_push(pp->mem, &args->list, a);
    if (last->kind == PP_END)
      pp_wrong(pp, name, "the arguments of the macro %s do not end; ) is missing", name->name->text);
  } while (pp_is(last, ','));
  bool empty = !args->list.at[0].raw.list.count;
  if (count == 1 && empty && !m->param_count) count = 0;
  check_count(pp, name, m, count);
  if (count < m->param_count) vec_push(pp->mem, &args->list, ((struct arg){.absent = true}));
  if (m->variadic && count == 1 && empty) args->list.at[m->param_count - 1].absent = true;
}

/* Is there a '(' next? If not, what was read is put back. */
static bool find_args(struct pp *pp) {
  const struct pp_token *t, *pad = NULL;
  uint32_t line;
  while ((t = pp_get(pp, &line))->kind == PP_PADDING)
    if (!pad || !pad->source || (!(pad->source->flags & PP_WHITE) && !t->source)) pad = t;
  if (pp_is(t, '(')) return true;
  if (t->kind == PP_END && t != &pp->end) return false; /* of the file or the directive: it will be met again */
  back_up(pp);
  if (pad) push_one(pp, pad, line);
  return false;
}

/* What stands before this place of the replacement, if anything. */
static struct pp_item *last_item(struct pp_items *to) {
  return to->list.count ? &to->list.at[to->list.count - 1] : NULL;
}

/* A copy with ## behind it, or without. */
static void set_paste(struct pp *pp, struct pp_item *item, bool paste) {
  struct pp_token *t = pp_token_new(pp);
  *t = *item->token;
  t->flags = (uint8_t)(paste ? t->flags | PP_PASTE : t->flags & ~PP_PASTE);
  item->token = t;
}

static void put_items(struct pp *pp, struct pp_items *to, const struct pp_items *from) {
  pp_count(pp, from->list.count);
  vec_reserve(pp->mem, &to->list, to->list.count + from->list.count);
  for (size_t i = 0; i < from->list.count; i++) to->list.at[to->list.count++] = from->list.at[i];
}

/* An argument to the right of ##. */
static void put_right(struct pp *pp, const struct pp_macro *m, const struct pp_token *param, struct arg *a,
                      struct pp_items *to) {
  struct pp_item *last = last_item(to);
  bool more = param->flags & PP_PASTE;
  if (last && pp_is(last->token, ',') && m->variadic && param->param + 1 == m->param_count) {
    if (a->absent)
      to->list.count--;
    else if (!more || !a->raw.list.count)
      set_paste(pp, last, more);
  } else if (last && !a->raw.list.count) {
    set_paste(pp, last, more);
  }
  put_items(pp, to, &a->raw);
  if (more && a->raw.list.count) set_paste(pp, last_item(to), true);
}

static void put_param(struct pp *pp, const struct pp_macro *m, const struct pp_token *param, bool pasted, struct arg *a,
                      struct pp_items *to) {
  if (param->flags & PP_STRINGIFY) {
    push(pp, to, stringified(pp, a), 0);
    if (param->flags & PP_PASTE) set_paste(pp, last_item(to), true);
  } else if (pasted) {
    put_right(pp, m, param, a, to);
  } else if (param->flags & PP_PASTE) {
    put_items(pp, to, &a->raw);
    if (a->raw.list.count) set_paste(pp, last_item(to), true);
  } else {
    expand_arg(pp, a);
    put_items(pp, to, &a->expanded);
  }
}

static void replace(struct pp *pp, const struct pp_macro *m, struct args *args, struct pp_items *to) {
  for (size_t i = 0; i < m->body.list.count; i++) {
    const struct pp_token *t = m->body.list.at[i].token;
    bool pasted = i && m->body.list.at[i - 1].token->flags & PP_PASTE;
    if (t->kind != PP_PARAM) {
      push(pp, to, t, 0);
      continue;
    }
    if (!pp->in_directive && i && !pasted) push(pp, to, padding(pp, t), 0);
    put_param(pp, m, t, pasted, &args->list.at[t->param], to);
    if (!pp->in_directive && !(t->flags & PP_PASTE)) push(pp, to, &pp->nothing, 0);
  }
}

static void free_args(struct pp *pp, struct args *args) {
  for (size_t i = 0; i < args->list.count; i++) {
    vec_free(pp->mem, &args->list.at[i].raw.list);
    vec_free(pp->mem, &args->list.at[i].expanded.list);
  }
  vec_free(pp->mem, &args->list);
}

/* A macro with parameters; false if no arguments follow. */
static bool call_macro(struct pp *pp, const struct pp_token *name, struct pp_macro *m, uint32_t line) {
  struct args args = {{NULL, 0, 0}};
  struct pp_items to = {{NULL, 0, 0}};
  pp->keep_macros++;
  pp->args = ARGS_SOUGHT;
  bool found = find_args(pp);
  if (found) {
    pp->args = ARGS_READ;
    collect_args(pp, name, m, &args);
  }
  pp->args = ARGS_NONE;
  pp->keep_macros--;
  if (!found) return false;
  if (pp->clang && pp->latest->line != line)
    pp_compiler(pp, "a call of several lines"); /* the compilers differ in them */
  if (!m->param_count) {
    push_context(pp, name->name, m->body.list.at, m->body.list.count, NULL, line);
  } else {
    replace(pp, m, &args, &to);
    push_context(pp, name->name, to.list.at, to.list.count, to.list.at, line);
  }
  free_args(pp, &args);
  return true;
}

/* _Pragma("x") is #pragma x. Tokens are not kept over the reading of others. */
static bool call_pragma(struct pp *pp) {
  uint32_t line;
  if (pp->in_directive) return false;
  if (pp->expanding || pp->args != ARGS_NONE) pp_compiler(pp, "_Pragma in the arguments of a macro");
  bool good = pp_is(pp_get_solid(pp, &line), '(');
  const struct pp_token *text = good ? pp_get_solid(pp, &line) : NULL;
  struct text said;
  good = good && text->kind == PP_STRING && *text->text == '"';
  text_open(&said, pp->mem);
  for (uint32_t i = 1; good && i + 1 < text->length; i++) {
    if (text->text[i] == '\\' && (text->text[i + 1] == '\\' || text->text[i + 1] == '"')) i++;
    text_char(&said, text->text[i]);
  }
  good = good && pp_is(pp_get_solid(pp, &line), ')');
  if (!good) pp_stop(pp, PP_WRONG, pp_line(pp), 1, "_Pragma takes a string in brackets");
  pp_pragma(pp, text_string(&said), said.count);
  pp->out_line = OUT_LINE_UNKNOWN;
  return true;
}

static const struct pp_token *new_number(struct pp *pp, uint32_t value) {
  struct pp_token *t = pp_token_new(pp);
  char digits[16];
  t->kind = PP_NUMBER;
  t->length = (uint32_t)snprintf(digits, sizeof digits, "%u", value);
  t->text = mem_string(pp->mem, digits, t->length);
  return t;
}

static void set_clock(struct pp *pp) {
  time_t now = time(NULL);
  struct tm tm;
  if (*pp->date) return;
  if (getenv("SOURCE_DATE_EPOCH")) pp_compiler(pp, "the date of SOURCE_DATE_EPOCH");
  localtime_r(&now, &tm);
  static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  snprintf(pp->date, sizeof pp->date, "\"%.3s %2d %4d\"", months + 3 * (tm.tm_mon % 12), tm.tm_mday % 100,
           (1900 + tm.tm_year) % 10000);
  snprintf(pp->clock, sizeof pp->clock, "\"%02d:%02d:%02d\"", tm.tm_hour % 100, tm.tm_min % 100, tm.tm_sec % 100);
}

static const struct pp_token *special_value(struct pp *pp, const struct pp_token *name, uint32_t line) {
  struct text file;
  switch (name->name->special) {
  case SPECIAL_LINE: return new_number(pp, line);
  case SPECIAL_COUNTER: return new_number(pp, pp->counter++);
  case SPECIAL_FILE:
    text_open(&file, pp->mem);
    text_printf(&file, "\"%s\"", pp->buffer->name);
    if (!strncmp(file.at + 1, OWN_MODEL "/", strlen(OWN_MODEL "/"))) pp_compiler(pp, "__FILE__ in a model header");
    return new_string(pp, file.at, file.count);
  default: set_clock(pp); break;
  }
  const char *text = name->name->special == SPECIAL_DATE ? pp->date : pp->clock;
  return new_string(pp, text, strlen(text));
}

/* A name that is replaced by no #define. True if something was pushed in its place. */
static bool replace_special(struct pp *pp, const struct pp_token *t, uint32_t line) {
  switch (t->name->special) {
  case SPECIAL_NONE:
  case SPECIAL_DEFINED:
  case SPECIAL_VA_ARGS: return false;
  case SPECIAL_COMPILER: pp_compiler(pp, "%s", t->name->text);
  case SPECIAL_PRAGMA: return call_pragma(pp);
  case SPECIAL_HAS:
    if (!pp->in_directive) pp_compiler(pp, "%s", t->name->text);
    return false; /* pp_if.c */
  case SPECIAL_HAS_INCLUDE:
  case SPECIAL_HAS_INCLUDE_NEXT:
    if (!pp->in_directive) pp_wrong(pp, t, "__has_include is for #if alone");
    return false; /* pp_if.c */
  default: push_one(pp, special_value(pp, t, line), line); return true;
  }
}

static bool replace_name(struct pp *pp, const struct pp_token *t, uint32_t line) {
  struct pp_macro *m = pp_macro(pp, t->name);
  if (!m) return replace_special(pp, t, line);
  if (m->function) return call_macro(pp, t, m, line);
  push_context(pp, t->name, m->body.list.at, m->body.list.count, NULL, line);
  return true;
}

static const struct pp_token *painted(struct pp *pp, const struct pp_token *t) {
  struct pp_token *copy = pp_token_new(pp);
  *copy = *t;
  copy->flags |= PP_PAINTED;
  return copy;
}

const struct pp_token *pp_get(struct pp *pp, uint32_t *line) {
  for (;;) {
    const struct pp_token *t;
    pp_count(pp, 1);
    if (!top(pp)) {
      t = pp_read(pp);
      *line = t->line;
    } else if (top(pp)->at == top(pp)->end) {
      pop_context(pp);
      if (pp->in_directive) continue;
      return &pp->nothing;
    } else {
      t = from_context(pp, line);
      if (t->flags & PP_PASTE) {
        paste_all(pp, t, *line);
        if (pp->in_directive) continue;
        return padding(pp, t);
      }
    }
    if (t->kind != PP_NAME || t->flags & PP_PAINTED || (!t->name->macro && t->name->special == SPECIAL_NONE)) return t;
    if (t->name->disabled) return painted(pp, t);
    if (pp->keep_macros || !replace_name(pp, t, *line)) return t;
    if (!pp->in_directive) return padding(pp, t);
  }
}

const struct pp_token *pp_get_solid(struct pp *pp, uint32_t *line) {
  const struct pp_token *t;
  while ((t = pp_get(pp, line))->kind == PP_PADDING) {}
  return t;
}
