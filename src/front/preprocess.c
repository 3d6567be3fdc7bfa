/* A C file -> preprocessed text -> unit. Asif preprocesses it itself (pp.h) as the compiler would that Asif was built
 * with. What it leaves to a compiler, and whatever is said for another one, a compiler does (compiler.c). */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "front/pp.h"

_Noreturn void pp_stop(struct pp *pp, enum pp_outcome outcome, uint32_t line, uint32_t col, const char *format, ...) {
  char what[400];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  struct unit u = {.mem = pp->mem};
  struct source_file file = {.path = pp->buffer ? pp->buffer->name : pp->path};
  source_read(pp->mem, &file);
  vec_push(pp->mem, &u.files, file);
  struct place place = {0, line ? line : 1, col > UINT16_MAX ? UINT16_MAX : (uint16_t)col};
  problem_at(pp->problem, &u, place,
             outcome == PP_NEEDS_COMPILER ? "%s is left to a compiler, and there is none; CC names one" : "%s", what);
  pp->outcome = outcome;
  longjmp(pp->failed, 1);
}

/* What follows -- on the command line. */
struct options {
  const char *standard;
  VEC(const char *) defines;  /* -D and -U with what follows them */
  VEC(const char *) includes; /* -include */
};

/* The value of an option, in the same word or the next; NULL if this is another option. */
static const char *option_value(char *const **word, const char *option) {
  size_t n = strlen(option);
  if (strncmp(**word, option, n)) return NULL;
  if ((**word)[n]) return **word + n;
  return (*word)[1] ? *++*word : NULL;
}

static bool read_define(struct pp *pp, struct options *o, char option, const char *value) {
  struct text t;
  text_open(&t, pp->mem);
  if (!value || strchr(value, '\n')) return false;
  text_char(&t, option);
  const char *equals = option == 'D' ? strchr(value, '=') : NULL;
  text_bytes(&t, value, equals ? (size_t)(equals - value) : strlen(value));
  text_printf(&t, " %s\n", equals ? equals + 1 : option == 'D' ? "1" : "");
  vec_push(pp->mem, &o->defines, t.at);
  return true;
}

/* False if there is something that the compiler must see. */
static bool read_option(struct pp *pp, struct options *o, char *const **word) {
  const char *value;
  if ((value = option_value(word, "-include"))) {
    vec_push(pp->mem, &o->includes, value);
    return value != **word + strlen("-include"); /* -includefile is something else */
  }
  if ((value = option_value(word, "-isystem"))) {
    vec_push(pp->mem, &pp->system_folders, value);
    return *value != '-' && *value != '=';
  }
  if ((value = option_value(word, "-iquote"))) {
    vec_push(pp->mem, &pp->quote_folders, value);
    return true;
  }
  if (!strncmp(**word, "-i", 2)) return false;
  if ((value = option_value(word, "-D"))) return read_define(pp, o, 'D', value);
  if ((value = option_value(word, "-U"))) return read_define(pp, o, 'U', value);
  if ((value = option_value(word, "-I"))) {
    vec_push(pp->mem, &pp->folders, value);
    return *value != '-' && *value != '=';
  }
  if (strncmp(**word, "-std=", 5)) return false;
  o->standard = **word + 5;
  return predefined_has(o->standard);
}

static bool read_options(struct pp *pp, struct options *o, char *const *word) {
  o->standard = STANDARD_USUAL;
  for (; word && *word; word++)
    if (!read_option(pp, o, &word)) return false;
  pp->strict = o->standard[0] == 'c';
  predefined_folders(pp);
  return true;
}

/* Is it our compiler that is asked for, and nothing in the environment that changes what it does? */
static bool usual_compiler(void) {
  static const char *const changes[] = {"CPATH", "C_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS"};
  const char *cc = getenv("CC");
  size_t length, blanks = cc ? strspn(cc, " \t") : 0;
  const char *built = predefined_compiler(&length);
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    if (getenv(changes[i])) return false;
  return predefined_has(STANDARD_USUAL) && (!cc || !cc[blanks] || (strlen(cc) == length && !memcmp(cc, built, length)));
}

static void apply_define(struct pp *pp, const char *option) {
  if (*option == 'D') {
    pp_define_text(pp, option + 1);
    return;
  }
  size_t n = strcspn(option + 1, " ");
  struct pp_name *name = pp_name(pp, option + 1, n);
  if (name->special != SPECIAL_NONE) pp_compiler(pp, "-U%s", name->text);
  name->macro = NULL;
}

/* A file of -include or the one that is asked about. */
static void read_file(struct pp *pp, struct pp_file *f) {
  pp_enter(pp, f);
  pp_enter_file(pp, f->path, 1);
  pp_write_all(pp);
  pp->buffer = NULL;
  pp->depth = 0;
}

static void read_all(struct pp *pp, const struct options *o) {
  pp_predefine(pp, o->standard);
  pp->clang = pp_name(pp, "__clang__", strlen("__clang__"))->macro != NULL;
  pp_define_text(pp, "__ASIF_MODEL__ 1\n");
  for (size_t i = 0; i < o->defines.count; i++) apply_define(pp, o->defines.at[i]);
  struct pp_file *first = pp->clang ? NULL : pp_find_next(pp, "stdc-predef.h", strlen("stdc-predef.h"), 1);
  if (first) read_file(pp, first); /* as GCC does */
  for (size_t i = 0; i < o->includes.count; i++) {
    struct pp_file *f = pp_find(pp, o->includes.at[i], strlen(o->includes.at[i]), true, "");
    if (!f) pp_stop(pp, PP_WRONG, 0, 1, "%.200s, which -include asks for, is not found", o->includes.at[i]);
    read_file(pp, f);
  }
  struct pp_file *main = pp_open(pp, pp->path);
  if (!main) pp_stop(pp, PP_WRONG, 0, 1, "it cannot be read");
  read_file(pp, main);
}

enum pp_outcome preprocess(struct mem *m, const char *path, char *const *cc_args, struct text *out,
                           struct problem *problem) {
  struct mem *own = mem_child(m);
  struct pp *pp = mem_zero(own, 1, sizeof *pp);
  struct options options = {.standard = NULL};
  pp->mem = own;
  pp->problem = problem;
  pp->path = path;
  pp->out = out;
  pp->out_name = path;
  pp->nothing.kind = PP_PADDING;
  pp->end.kind = PP_END;
  if (!usual_compiler() || !read_options(pp, &options, cc_args)) {
    mem_close(own);
    return PP_NEEDS_COMPILER;
  }
  pp_names_open(pp);
  if (!setjmp(pp->failed)) read_all(pp, &options);
  enum pp_outcome outcome = pp->outcome;
  mem_close(own);
  return outcome;
}

/* Whatever our own preprocessor does not settle. Its own words are left if the compiler finds the file wrong as well,
 * or if there is no compiler to ask. */
static bool compiled(struct mem *m, const char *path, char *const *cc_args, enum pp_outcome own,
                     struct preprocessed *out, struct problem *problem) {
  struct problem said = {.text = ""};
  bool missing;
  out->text = compiler_preprocess(m, path, cc_args, &out->length, &out->model, &missing, &said);
  if (!out->text && ((own != PP_WRONG && !missing) || !*problem->text)) *problem = said;
  return out->text != NULL;
}

static bool is_readable(const char *path, struct problem *problem) {
  if (access(path, R_OK)) {
    problem_set(problem, "%s: %s", path, strerror(errno));
    return false;
  }
  if (*path != '-') return true;
  problem_set(problem, "%s: a name that begins with '-' means an option to the compiler; ./%s would be right", path,
              path);
  return false;
}

static bool flags_are_readable(const char *path, char *const *cc_args, struct problem *problem) {
  return flags_readable(path, cc_args, problem) && flags_of_compiler_readable(path, getenv("CC"), problem);
}

/* One file; own_only: no process is started. */
static bool preprocess_file(struct mem *m, const char *path, char *const *cc_args, bool own_only,
                            struct preprocessed *out, struct problem *problem) {
  if (!is_readable(path, problem)) return false;
  if (!own_only && !flags_are_readable(path, cc_args, problem)) return false; /* our own takes none of those anyway */
  struct text text;
  text_open(&text, m);
  *problem->text = 0;
  enum pp_outcome own = preprocess(m, path, cc_args, &text, problem);
  *out = (struct preprocessed){.name = path, .text = text_string(&text), .length = text.count, .model = OWN_MODEL};
  if (own == PP_DONE) return true;
  if (!own_only) return own != PP_REFUSED && compiled(m, path, cc_args, own, out, problem);
  struct problem said = *problem;
  if (own == PP_NEEDS_COMPILER)
    problem_of(problem, PROBLEM_UNSUPPORTED, "%.200s: preprocessing it takes a compiler, which is not run here", path);
  else if (own == PP_WRONG && *said.text)
    problem_of(problem, PROBLEM_UNSUPPORTED, "%s", said.text);
  return false;
}

static const char *further_file(const char *word) {
  return !strncmp(word, FLAG_WITH, strlen(FLAG_WITH)) ? word + strlen(FLAG_WITH) : NULL;
}

static struct unit *read_files(struct mem *m, const char *path, char *const *cc_args, bool own_only,
                               struct problem *problem) {
  struct unit *u = unit_new(m);
  VEC(const char *) files = {NULL, 0, 0};
  vec_push(m, &files, path);
  for (char *const *a = cc_args; a && *a; a++)
    if (further_file(*a)) vec_push(m, &files, further_file(*a));
  if (files.count > 1) u->externals = mem_zero(m, EXTERNAL_ROOM, sizeof *u->externals);
  for (size_t i = 0; u && i < files.count; i++) {
    struct preprocessed p;
    u->file = (uint16_t)i;
    if (!preprocess_file(m, files.at[i], flags_alone(m, cc_args, files.at[i]), own_only, &p, problem)) return NULL;
    u = front_parse_text(u, &p, i + 1 == files.count, problem);
    if (u) u->floating_flag = flags_floating(cc_args);
  }
  return u;
}

struct unit *front_read(struct mem *m, const char *path, char *const *cc_args, struct problem *problem) {
  return read_files(m, path, cc_args, false, problem);
}

/* Our own preprocessor takes none of the flags that change what C means. */
struct unit *front_read_own(struct mem *m, const char *path, char *const *cc_args, struct problem *problem) {
  return read_files(m, path, cc_args, true, problem);
}
