/* Lines that begin with #. */
#include "front/pp.h"

static void end_directive(struct pp *pp) {
  pp_skip_line(pp);
  pp->in_directive = false;
}

static enum pp_word word_of(const struct pp_token *t) { return t->kind == PP_NAME ? t->name->word : WORD_NONE; }

/* "x.h" or <x.h> as they stand; false if something else does. */
bool pp_header_name(struct pp *pp, const char **name, size_t *length, bool *quoted) {
  struct pp_buffer *b = pp->buffer;
  pp_skip_blanks(pp);
  if (*b->at != '"' && *b->at != '<') return false;
  const char *close = memchr(b->at + 1, *b->at == '<' ? '>' : '"', (size_t)(b->end - b->at - 1));
  if (!close || memchr(b->at, '\n', (size_t)(close - b->at))) return false;
  *quoted = *b->at == '"';
  *name = b->at + 1;
  *length = (size_t)(close - b->at - 1);
  b->at = close + 1;
  return true;
}

/* #include MACRO. */
static void expanded_header_name(struct pp *pp, const char **name, size_t *length) {
  uint32_t line;
  const struct pp_token *t = pp_get_solid(pp, &line);
  if (t->kind == PP_END) pp_wrong(pp, t, "#include needs \"a file\" or <a file>");
  if (t->kind != PP_STRING || *t->text != '"') pp_compiler(pp, "a header whose name is not a string");
  *name = t->text + 1;
  *length = t->length - 2;
  while (pp_get_solid(pp, &line)->kind != PP_END) {}
}

static bool same_file(const struct pp_file *a, const struct pp_file *b) {
  if (a == b) return true;
  return a->length == b->length && a->changed.tv_sec == b->changed.tv_sec && !memcmp(a->text, b->text, a->length);
}

static bool included_once(const struct pp *pp, const struct pp_file *f) {
  for (size_t i = 0; i < pp->files.count; i++)
    if (pp->files.at[i]->once && same_file(pp->files.at[i], f)) return true;
  return false;
}

static void include(struct pp *pp, bool next) {
  const char *name;
  size_t length;
  bool quoted = true;
  pp_skip_blanks(pp);
  uint32_t line = pp_line(pp), col = (uint32_t)(pp->buffer->at - pp->buffer->line_start) + 1;
  if (!pp_header_name(pp, &name, &length, &quoted)) expanded_header_name(pp, &name, &length);
  if (!length) pp_stop(pp, PP_WRONG, line, col, "#include needs the name of a file");
  const struct pp_file *from = pp->buffer->file;
  struct pp_file *f =
      next && from->found ? pp_find_next(pp, name, length, from->found) : pp_find(pp, name, length, quoted, from->path);
  end_directive(pp);
  if (!f && !pp_has_system(pp)) pp_compiler(pp, "a header of the system's");
  if (!f && quoted)
    pp_stop(pp, PP_REFUSED, line, col, "%.*s is not found; -I says in which folder to look",
            (int)(length < 200 ? length : 200), name);
  if (!f)
    pp_stop(pp, PP_REFUSED, line, col, "<%.*s> is not found; -I says in which folder to look",
            (int)(length < 200 ? length : 200), name);
  if (included_once(pp, f) || (f->guard && f->guard->macro)) return;
  if (pp->depth >= INCLUDES_MOST)
    pp_stop(pp, PP_WRONG, line, col, "files include each other more than %d deep", INCLUDES_MOST);
  pp_enter(pp, f);
  pp_enter_file(pp, f->path, 1);
}

/* Conditions. A file of which every token stands between an #ifndef and its #endif is not read again while that name is
 * a macro. */
/* Something that no #ifndef of the whole file is around. */
static void outside_guard(struct pp_buffer *b) {
  if (b->guarded != GUARD_OPEN) b->guarded = GUARD_NONE;
}

static struct pp_name *defined_name(struct pp *pp, const char *directive) {
  const struct pp_token *t = pp_lex(pp);
  if (t->kind != PP_NAME) pp_wrong(pp, t, "#%s needs a name", directive);
  return t->name;
}

static void open_condition(struct pp *pp, uint32_t line, bool taken) {
  vec_push(pp->mem, &pp->conditions, ((struct pp_condition){line, taken, false}));
}

static struct pp_condition *condition(struct pp *pp, const struct pp_token *t) {
  if (pp->conditions.count == pp->buffer->conditions) pp_wrong(pp, t, "#%s without #if", t->name->text);
  return &pp->conditions.at[pp->conditions.count - 1];
}

static void close_condition(struct pp *pp, const struct pp_token *t) {
  condition(pp, t);
  pp->conditions.count--;
  if (pp->conditions.count == pp->buffer->conditions && pp->buffer->guarded == GUARD_OPEN)
    pp->buffer->guarded = GUARD_CLOSED;
}

/* The # of the next directive in a group that is not taken; false at the end of the file. */
static bool next_directive(struct pp *pp) {
  struct pp_buffer *b = pp->buffer;
  for (;;) {
    pp_skip_line(pp);
    if (b->at == b->end) return false;
    b->at++;
    b->line++;
    b->line_start = b->at;
    pp_skip_blanks(pp);
    if (b->at[0] == '%' && b->at[1] == ':') pp_compiler(pp, "%%:, which means #");
    if (*b->at == '#') return true;
  }
}

/* Is the group behind this #elif or #else read? */
static bool take_otherwise(struct pp *pp, const struct pp_token *t) {
  struct pp_condition *c = condition(pp, t);
  if (c->otherwise) pp_wrong(pp, t, "#%s after #else", t->name->text);
  c->otherwise = word_of(t) == WORD_ELSE;
  if (pp->conditions.count == pp->buffer->conditions + 1) pp->buffer->guarded = GUARD_NONE;
  if (c->taken) return false;
  bool take = c->otherwise || pp_condition_holds(pp);
  return pp->conditions.at[pp->conditions.count - 1].taken = take;
}

/* From the end of a directive over groups that are not taken to the end of the directive whose group is, or of #endif.
 */
static void skip_groups(struct pp *pp) {
  for (size_t nested = 0; next_directive(pp);) {
    pp->buffer->at++;
    pp->in_directive = true;
    pp_skip_blanks(pp);
    if (!pp_word_char(*pp->buffer->at)) continue;
    const struct pp_token *t = pp_lex(pp);
    if (t->kind != PP_NAME) continue;
    enum pp_word word = word_of(t);
    if (word == WORD_IF || word == WORD_IFDEF || word == WORD_IFNDEF) nested++;
    if (!nested && (word == WORD_ELIFDEF || word == WORD_ELIFNDEF)) pp_compiler(pp, "#%s", t->name->text);
    if (!nested && (word == WORD_ELIF || word == WORD_ELSE) && take_otherwise(pp, t)) return;
    if (word == WORD_ENDIF && !nested--) {
      close_condition(pp, t);
      return;
    }
  }
}

static void line_directive(struct pp *pp) {
  uint32_t ignored, physical = pp->buffer->line;
  const struct pp_token *number = pp_get_solid(pp, &ignored);
  uint64_t line = 0;
  if (number->kind != PP_NUMBER || number->length > 9) pp_compiler(pp, "#line without a number");
  for (uint32_t i = 0; i < number->length; i++) {
    if (number->text[i] < '0' || number->text[i] > '9') pp_compiler(pp, "#line without a number");
    line = line * 10 + (uint64_t)(number->text[i] - '0');
  }
  const struct pp_token *name = pp_get_solid(pp, &ignored);
  if (name->kind != PP_END && (name->kind != PP_STRING || *name->text != '"' || memchr(name->text, '\\', name->length)))
    pp_compiler(pp, "the file of #line");
  if (!line) pp_compiler(pp, "#line 0");
  if (name->kind == PP_STRING) {
    pp->buffer->name = mem_string(pp->mem, name->text + 1, name->length - 2);
    if (pp_get_solid(pp, &ignored)->kind != PP_END) pp_compiler(pp, "what follows the file of #line");
  }
  end_directive(pp);
  if (pp->clang && pp->buffer->line != physical) pp_compiler(pp, "a #line of several lines");
  pp->buffer->shift = (uint32_t)line - pp->buffer->line - 1;
  pp_enter_file(pp, pp->buffer->name, (uint32_t)line);
}

static void error_directive(struct pp *pp, const struct pp_token *t) {
  struct pp_buffer *b = pp->buffer;
  struct text said;
  text_open(&said, pp->mem);
  text_add(&said, "#error");
  while (b->at < b->end && *b->at != '\n') {
    bool blank = pp_skip_blanks(pp);
    if (b->at == b->end || *b->at == '\n') break;
    if (blank) text_char(&said, ' ');
    text_char(&said, *b->at++);
  }
  pp_stop(pp, PP_REFUSED, t->line, t->col, "%.200s", said.at);
}

/* Those that change how the rest is preprocessed are the compiler's. */
static bool plain_pragma(const char *text, size_t length) {
  static const char *const words[] = {"push_macro",    "pop_macro", "poison", "dependency", "error", "warning",
                                      "include_alias", "clang",     "once",   "\\",         "/*",    "?\?/"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (memmem(text, length, words[i], strlen(words[i]))) return false;
  return true;
}

void pp_pragma(struct pp *pp, const char *text, size_t length) {
  const char *word = pragma_refused(text, text + length);
  if (word) pp_stop(pp, PP_REFUSED, pp_line(pp), 1, "#pragma %s is outside the C that verify reads", word);
  if (!plain_pragma(text, length)) pp_compiler(pp, "this #pragma");
  pp_move(pp, pp_line(pp));
  text_add(pp->out, "#pragma");
  if (length > 4 && !memcmp(text, "pack", 4)) /* the one that says something to who reads on (pragma.c) */
    text_printf(pp->out, " %.*s", (int)length, text);
  pp->out_begun = true;
}

static void pragma(struct pp *pp) {
  struct pp_buffer *b = pp->buffer;
  pp_skip_blanks(pp);
  const char *start = b->at;
  end_directive(pp);
  const char *end = b->at;
  while (end > start && (end[-1] == ' ' || end[-1] == '\t')) end--;
  if (end - start == 4 && !memcmp(start, "once", 4) && b->outer) {
    b->file->once = true;
    return;
  }
  bool system = end - start > 13 && !memcmp(end - 13, "system_header", 13) && b->outer;
  if (system) b->file->system = true;
  if (!system || !pp->clang) pp_pragma(pp, start, (size_t)(end - start));
}

static void undef(struct pp *pp) {
  struct pp_name *n = defined_name(pp, "undef");
  if (n->special != SPECIAL_NONE) pp_compiler(pp, "#undef %s", n->text);
  n->macro = NULL;
  end_directive(pp);
}

static void if_directive(struct pp *pp, const struct pp_token *t) {
  bool taken;
  uint32_t line = t->line;
  enum pp_word word = word_of(t);
  if (word == WORD_IF) {
    taken = pp_condition_holds(pp);
  } else {
    struct pp_name *name = defined_name(pp, t->name->text);
    taken = pp_is_defined(pp, name) == (word == WORD_IFDEF);
    if (word == WORD_IFNDEF && pp->buffer->guarded == GUARD_SOUGHT) {
      pp->buffer->guarded = GUARD_OPEN;
      pp->buffer->guard = name;
    }
  }
  outside_guard(pp->buffer);
  open_condition(pp, line, taken);
  if (!taken) skip_groups(pp);
  end_directive(pp);
}

/* After a group that was taken. */
static void otherwise_directive(struct pp *pp, const struct pp_token *t) {
  take_otherwise(pp, t); /* no: it was taken */
  skip_groups(pp);
  end_directive(pp);
}

/* The directive behind a #. */
static void directive(struct pp *pp) {
  pp->in_directive = true;
  pp_skip_blanks(pp);
  if (*pp->buffer->at == '\n') {
    end_directive(pp);
    return;
  }
  const struct pp_token *t = pp_lex(pp);
  if (t->kind == PP_NUMBER) pp_compiler(pp, "a linemarker");
  enum pp_word word = word_of(t);
  if (word != WORD_IFNDEF) outside_guard(pp->buffer);
  switch (word) {
  case WORD_DEFINE:
    pp_define(pp);
    end_directive(pp);
    break;
  case WORD_UNDEF: undef(pp); break;
  case WORD_INCLUDE:
  case WORD_INCLUDE_NEXT: include(pp, word == WORD_INCLUDE_NEXT); break;
  case WORD_IF:
  case WORD_IFDEF:
  case WORD_IFNDEF: if_directive(pp, t); break;
  case WORD_ELIF:
  case WORD_ELSE: otherwise_directive(pp, t); break;
  case WORD_ENDIF:
    close_condition(pp, t);
    end_directive(pp);
    break;
  case WORD_LINE: line_directive(pp); break;
  case WORD_ERROR: error_directive(pp, t); break;
  case WORD_WARNING: end_directive(pp); break;
  case WORD_PRAGMA: pragma(pp); break;
  case WORD_ELIFDEF:
  case WORD_ELIFNDEF: pp_compiler(pp, "#%s", t->name->text);
  case WORD_NONE: pp_compiler(pp, "#%.*s", (int)(t->length < 100 ? t->length : 100), t->text);
  }
}

/* The end of a file: the one that included it goes on. */
static bool leave_file(struct pp *pp, const struct pp_token *end) {
  if (!pp->buffer->outer) {
    if (pp->conditions.count)
      pp_stop(pp, PP_WRONG, pp->conditions.at[pp->conditions.count - 1].line, 2, "this condition has no #endif");
    return false;
  }
  if (pp->args != ARGS_NONE)
    pp_stop(pp, PP_NEEDS_COMPILER, end->line, end->col, "a macro whose arguments are sought in another file");
  if (pp->buffer->guarded == GUARD_CLOSED) pp->buffer->file->guard = pp->buffer->guard;
  pp_leave(pp);
  pp_enter_file(pp, pp->buffer->name, pp_line(pp) + 1);
  return true;
}

const struct pp_token *pp_read(struct pp *pp) {
  for (;;) {
    if (!pp->again && !pp->contexts.count && pp->args == ARGS_NONE && !pp->in_directive) pp_forget_tokens(pp);
    const struct pp_token *t = pp->again ? pp->again : pp_lex(pp);
    pp->again = NULL;
    pp->latest = t;
    if (pp->in_directive) return t;
    if (t->kind == PP_END && leave_file(pp, t)) continue;
    if (t->kind == PP_END || !(t->flags & PP_FIRST)) return t;
    if (pp_is(t, '#') && pp->args != ARGS_SOUGHT) {
      if (pp->args == ARGS_READ) pp_compiler(pp, "a directive in the arguments of a macro");
      directive(pp);
      continue;
    }
    outside_guard(pp->buffer);
    if (pp->args == ARGS_NONE) pp_move(pp, t->line);
    return t;
  }
}
