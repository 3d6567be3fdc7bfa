/* The files that are read: each once, however often it is included. Lines that end in a backslash are joined here, so
 * that nothing behind this need know of them but the counting of lines. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/model.h"
#include "front/pp.h"

/* A newline behind blanks behind a backslash is none: what follows it; NULL if this is no such backslash. */
static const char *after_join(const char *p, const char *end) {
  for (p++; p < end && (*p == ' ' || *p == '\t' || *p == '\f' || *p == '\v'); p++) {}
  if (end - p > 1 && p[0] == '\r' && p[1] == '\n') p++;
  return p < end && *p == '\n' ? p + 1 : NULL;
}

static bool needs_cleaning(const char *text, size_t length) {
  return memchr(text, '\r', length) || memchr(text, '\\', length) || !length || text[length - 1] != '\n';
}

static void check_trigraphs(struct pp *pp, const struct pp_file *f) {
  for (const char *p = f->text, *end = p + f->length; pp->strict && (p = memchr(p, '?', (size_t)(end - p))); p++)
    if (p[1] == '?' && p[2] && strchr("=/'()!<>-", p[2]))
      pp_stop(pp, PP_NEEDS_COMPILER, 0, 1, "%s: a trigraph", f->path);
}

static void clean(struct pp *pp, struct pp_file *f) {
  const char *p = f->text, *end = p + f->length;
  char *text = mem_alloc(pp->mem, f->length + 2), *to = text;
  VEC(uint32_t) joins = {NULL, 0, 0};
  bool cr = memchr(p, '\r', f->length) != NULL;
  while (p < end) {
    const char *next = cr ? p : memchr(p, '\\', (size_t)(end - p)); /* up to there it is copied as it is */
    if (!next) next = end;
    memcpy(to, p, (size_t)(next - p));
    to += next - p;
    p = next;
    if (p == end) break;
    const char *joined = *p == '\\' ? after_join(p, end) : NULL;
    if (joined) {
      vec_push(pp->mem, &joins, (uint32_t)(to - text));
      p = joined;
    } else if (*p == '\r' && end - p > 1 && p[1] == '\n') {
      p++;
    } else if (*p == '\r') {
      pp_stop(pp, PP_NEEDS_COMPILER, 0, 1, "%s: a line that ends in CR alone", f->path);
    } else {
      *to++ = *p++;
    }
  }
  if (f->length && (to == text || to[-1] != '\n')) {
    if (joins.count && joins.at[joins.count - 1] == (uint32_t)(to - text))
      joins.count--; /* at the end it joins nothing */
    *to++ = '\n';
  }
  *to = 0;
  f->text = text;
  f->length = (size_t)(to - text);
  f->joins = joins.at;
  f->join_count = (uint32_t)joins.count;
}

static void prepare(struct pp *pp, struct pp_file *f) {
  size_t n = f->length;
  if (n && f->text[n - 1] == '\\') pp_stop(pp, PP_NEEDS_COMPILER, 0, 1, "%s: a backslash at the very end", f->path);
  if (needs_cleaning(f->text, n)) clean(pp, f);
  check_trigraphs(pp, f);
}

static struct pp_file *add_file(struct pp *pp, const char *path, const char *text, size_t length) {
  struct pp_file *f = mem_zero(pp->mem, 1, sizeof *f);
  f->path = path;
  f->text = text;
  f->length = length;
  prepare(pp, f);
  vec_push(pp->mem, &pp->files, f);
  return f;
}

struct pp_file *pp_text(struct pp *pp, const char *text, size_t length) {
  struct pp_file *f = mem_piece(pp->mem, sizeof *f);
  *f = (struct pp_file){.path = pp->buffer ? pp->buffer->file->path : pp->path, .text = text, .length = length};
  return f;
}

static struct pp_file *known_file(struct pp *pp, const char *path) {
  for (size_t i = 0; i < pp->files.count; i++)
    if (!strcmp(pp->files.at[i]->path, path)) return pp->files.at[i];
  return NULL;
}

/* A linemarker would have to quote it. */
static void check_path(struct pp *pp, const char *path) {
  for (const char *p = path; *p; p++)
    if (*p == '"' || *p == '\\' || *p < ' ' || *p == 127)
      pp_compiler(pp, "a file name with quotes or what cannot be printed");
}

static char *read_whole(struct pp *pp, int fd, size_t size, size_t *length) {
  char *text = mem_alloc(pp->mem, size + 1);
  ssize_t more;
  *length = 0;
  while (*length < size && (more = read(fd, text + *length, size - *length)) > 0) *length += (size_t)more;
  text[*length] = 0;
  return text;
}

struct pp_file *pp_open(struct pp *pp, const char *path) {
  struct pp_file *f = known_file(pp, path);
  struct stat st;
  if (f) return f;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
    pp_compiler(pp, "%.200s, which cannot be read (%s),", path, strerror(errno));
  if (fd < 0) return NULL;
  bool known = !fstat(fd, &st), folder = known && S_ISDIR(st.st_mode);
  bool good = known && S_ISREG(st.st_mode) && st.st_size <= TEXT_MOST;
  size_t length = 0;
  char *text = good ? read_whole(pp, fd, (size_t)st.st_size, &length) : NULL;
  close(fd);
  if (folder) return NULL;
  if (!good) pp_compiler(pp, "%.200s, which is no plain file or a long one,", path);
  check_path(pp, path);
  f = add_file(pp, path, text, length);
  f->changed = st.st_mtim;
  return f;
}

static struct pp_file *open_model(struct pp *pp, const char *name, size_t length) {
  const struct model_header *h = model_header(name, length);
  if (!h) return NULL;
  struct text path;
  text_open(&path, pp->mem);
  text_printf(&path, "%s/%s", OWN_MODEL, h->name);
  struct pp_file *f = known_file(pp, path.at);
  if (!f) f = add_file(pp, path.at, h->text, *h->size);
  f->model = f->system = true;
  return f;
}

static struct pp_file *open_in(struct pp *pp, const char *folder, size_t folder_length, const char *name,
                               size_t length) {
  struct text path;
  text_open(&path, pp->mem);
  text_bytes(&path, folder, folder_length);
  if (folder_length && folder[folder_length - 1] != '/') text_char(&path, '/');
  text_bytes(&path, name, length);
  if (memchr(path.at, 0, path.count)) pp_compiler(pp, "a file name with a NUL");
  return pp_open(pp, text_string(&path));
}

/* Is the folder of this header known not to be in the system's folder number i? Most headers of a C library are in a
 * few folders, each in one place: they are not looked for file by file. */
static bool lacks_folder(struct pp *pp, uint32_t i, const char *name, size_t length) {
  const char *slash = memrchr(name, '/', length);
  if (!slash || i >= 64 || memchr(name, 0, length)) return false;
  struct pp_name *n = pp_name(pp, name, (size_t)(slash + 1 - name));
  if (!(n->asked >> i & 1)) {
    struct text path;
    text_open(&path, pp->mem);
    text_printf(&path, "%s/%s", pp->system_folders.at[i], n->text);
    n->asked |= (uint64_t)1 << i;
    if (access(path.at, F_OK) && errno == ENOENT) n->missing |= (uint64_t)1 << i;
  }
  return n->missing >> i & 1;
}

/* In the model's folder, those of -I, those of -isystem and the system's, in that order. */
static struct pp_file *find_next(struct pp *pp, const char *name, size_t length, uint32_t after) {
  uint32_t own = (uint32_t)pp->folders.count, all = own + (uint32_t)pp->system_folders.count;
  struct pp_file *f = after < 1 ? open_model(pp, name, length) : NULL;
  if (f) {
    f->found = 1;
    return f;
  }
  for (uint32_t i = after < 1 ? 0 : after - 1; i < all; i++) {
    const char *folder = i < own ? pp->folders.at[i] : pp->system_folders.at[i - own];
    if (i >= own && lacks_folder(pp, i - own, name, length)) continue;
    f = open_in(pp, folder, strlen(folder), name, length);
    if (!f) continue;
    f->found = i + 2;
    f->system |= i >= own;
    return f;
  }
  return NULL;
}

struct pp_file *pp_find_next(struct pp *pp, const char *name, size_t length, uint32_t after) {
  if (after) return find_next(pp, name, length, after);
  struct pp_name *n = pp_name(pp, name, length);
  if (n->header) {
    n->header->found = n->header_found;
    return n->header;
  }
  n->header = find_next(pp, name, length, after);
  if (n->header) n->header_found = n->header->found;
  return n->header;
}

bool pp_has_system(struct pp *pp) {
  for (size_t i = 0; i < pp->system_folders.count; i++)
    if (!access(pp->system_folders.at[i], R_OK)) return true;
  return false;
}

/* beside: the file it is to be looked for beside first, or NULL for where we are. */
struct pp_file *pp_find(struct pp *pp, const char *name, size_t length, bool quoted, const char *beside) {
  struct pp_file *f = NULL;
  if (*name == '/') return open_in(pp, "", 0, name, length);
  if (quoted) {
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    bool model = beside && !strncmp(beside, OWN_MODEL "/", strlen(OWN_MODEL "/"));
    f = model ? open_model(pp, name, length)
              : open_in(pp, beside, slash ? (size_t)(slash + 1 - beside) : 0, name, length);
  }
  for (size_t i = 0; quoted && !f && i < pp->quote_folders.count; i++)
    f = open_in(pp, pp->quote_folders.at[i], strlen(pp->quote_folders.at[i]), name, length);
  if (f && beside && pp->buffer) f->system |= pp->buffer->file->system && pp->buffer->file->path == beside;
  return f ? f : pp_find_next(pp, name, length, 0);
}

void pp_enter(struct pp *pp, struct pp_file *f) {
  struct pp_buffer *b = mem_piece(pp->mem, sizeof *b);
  *b = (struct pp_buffer){.file = f,
                          .at = f->text,
                          .end = f->text + f->length,
                          .line_start = f->text,
                          .line = 1,
                          .name = f->path,
                          .fresh = true,
                          .conditions = pp->conditions.count,
                          .outer = pp->buffer};
  pp_find_join(b);
  pp->buffer = b;
  pp->depth++;
}

void pp_leave(struct pp *pp) {
  if (pp->conditions.count > pp->buffer->conditions)
    pp_stop(pp, PP_WRONG, pp->conditions.at[pp->conditions.count - 1].line, 2, "this condition has no #endif");
  pp->buffer = pp->buffer->outer;
  pp->depth--;
}
