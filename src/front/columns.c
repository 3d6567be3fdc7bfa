/* The places of tokens in the user's own files.
 *
 * A preprocessor keeps lines, by its linemarkers, but not columns: blanks are joined and macros replaced. So the tokens
 * of each preprocessed line are looked for in the source line it came from, from left to right. What is not there came
 * out of a macro, and has the place of the macro's name. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/front.h"

void source_read(struct mem *m, struct source_file *s) {
  struct stat st;
  int fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return;
  if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= TEXT_MOST) {
    char *text = mem_piece(m, (size_t)st.st_size + 1);
    ssize_t n = 0, more;
    while (n < st.st_size && (more = read(fd, text + n, (size_t)(st.st_size - n))) > 0) n += more;
    s->text = text;
    s->length = (size_t)n;
  }
  close(fd);
}

/* Where each line of the file starts. */
static struct line_table *lines_of(struct front *f, uint16_t file) {
  static const struct line_table none;
  while (f->lines.count <= file) vec_push(f->mem, &f->lines, none);
  struct line_table *t = &f->lines.at[file];
  if (t->made) return t;
  t->made = true;
  const struct source_file *s = &f->unit->files.at[file];
  if (!s->text) return t;
  uint32_t count = 1;
  for (size_t i = 0; i < s->length; i++) count += s->text[i] == '\n';
  t->starts = mem_alloc(f->mem, (count + 1) * sizeof *t->starts);
  t->starts[0] = 0;
  for (size_t i = 0; i < s->length; i++)
    if (s->text[i] == '\n') t->starts[++t->count] = (uint32_t)i + 1;
  t->starts[++t->count] = (uint32_t)s->length + 1;
  return t;
}

/* The file with this path, known already or new. Model headers are called as the user includes them: <stdatomic.h>.
 * The text of the system's headers is not read again: their lines say enough. */
uint16_t source_add(struct front *f, const char *path, size_t length, bool system) {
  size_t folder = f->model ? strlen(f->model) : 0;
  struct source_file s = {0};
  bool own = folder && length > folder + 1 && !memcmp(path, f->model, folder) && path[folder] == '/';
  s.model = own;
  if (own) {
    struct text name;
    text_open(&name, f->mem);
    text_printf(&name, "<%.*s>", (int)(length - folder - 1), path + folder + 1);
    s.path = text_string(&name);
  } else {
    s.path = mem_string(f->mem, path, length);
  }
  for (size_t i = 0; i < f->unit->files.count; i++)
    if (!strcmp(f->unit->files.at[i].path, s.path)) return (uint16_t)i;
  if (f->unit->files.count == UINT16_MAX) return UINT16_MAX - 1;
  if (f->read_sources && !own && !system) source_read(f->mem, &s);
  s.is_system = own || system;
  vec_push(f->mem, &f->unit->files, s);
  return (uint16_t)(f->unit->files.count - 1);
}

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static const char *skip_blanks(const char *at, const char *end) {
  for (; at < end; at++) {
    if (end - at > 1 && at[0] == '/' && at[1] == '/') return end;
    if (end - at > 1 && at[0] == '/' && at[1] == '*') {
      for (at += 2; at < end && !(at[0] == '*' && end - at > 1 && at[1] == '/'); at++) {}
      if (at == end) return end;
      at++;
    } else if (*at != ' ' && *at != '\t' && *at != '\r') {
      break;
    }
  }
  return at;
}

static bool stands_at(const char *at, const char *end, const char *token, size_t length) {
  if ((size_t)(end - at) < length || memcmp(at, token, length)) return false;
  return !word_char(token[length - 1]) || at + length == end || !word_char(at[length]);
}

/* The token further right in the line, as a word of its own; NULL if it is not there. */
static const char *find_word(const char *at, const char *end, const char *token, size_t length) {
  for (const char *p = at; p < end && (size_t)(end - p) >= length; p++)
    if (*p == *token && (p == at || !word_char(p[-1])) && stands_at(p, end, token, length)) return p;
  return NULL;
}

/* For a mark that came after a macro was replaced: the same mark behind the macro's name, if brackets are balanced. */
static const char *after_macro(struct columns *c, const char *token, size_t length) {
  char k = *token;
  if (c->nesting == 0) {
    const char *p = c->at;
    while (p < c->end && word_char(*p)) p++;
    p = skip_blanks(p, c->end);
    if (p < c->end && stands_at(p, c->end, token, length)) return p;
  }
  c->nesting += (k == '(' || k == '[' || k == '{') - (k == ')' || k == ']' || k == '}');
  return NULL;
}

static void start_line(struct front *f, uint16_t file, uint32_t line) {
  struct columns *c = &f->columns;
  const struct line_table *t = lines_of(f, file);
  *c = (struct columns){.file = file, .line = line};
  if (!line || line > t->count) return;
  const char *text = f->unit->files.at[file].text;
  c->at = c->start = text + t->starts[line - 1];
  c->end = text + t->starts[line] - 1;
}

/* The column of the next token of this line; 1 if the source is not there. */
uint16_t source_column(struct front *f, uint16_t file, uint32_t line, const char *token, size_t length) {
  struct columns *c = &f->columns;
  if (!f->unit->files.at[file].text) return 1;
  if (c->file != file || c->line != line || !c->line) start_line(f, file, line);
  if (!c->start) return 1;
  c->at = skip_blanks(c->at, c->end);
  const char *found = NULL;
  if (stands_at(c->at, c->end, token, length) && !(c->strayed && c->nesting > 0))
    found = c->at;
  else if (word_char(*token) || *token == '"' || *token == '\'')
    found = find_word(c->at, c->end, token, length);
  else if (c->strayed || (c->at < c->end && word_char(*c->at)))
    found = after_macro(c, token, length);
  bool macro = c->at < c->end && word_char(*c->at); /* a macro's name, or what is left of its arguments */
  const char *place = found ? found : macro || !c->last ? c->at : c->last;
  size_t column = (size_t)(place - c->start) + 1;
  c->strayed = !found;
  if (found) {
    c->last = found;
    c->at = found + length;
    c->nesting = 0;
  }
  return column > UINT16_MAX ? UINT16_MAX : (uint16_t)column;
}
