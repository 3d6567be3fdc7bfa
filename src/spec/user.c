/* A specification written by the user in C: compiling it with the system's compiler, loading it, and reading what the
 * macros of asif.h left in it: the table of ASIF_SPEC, or the texts of ASIF_EFFECT. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"
#include "spec/c_values.h"
#include "spec/common.h"
#include "spec/effects.h"
#include "spec/user.h"

extern char **environ;

enum { STATE_MOST = 1 << 20, OPS_MOST = 1000 };

const char *include_folder(struct mem *m) {
  const char *told = getenv("ASIF_INCLUDE");
  if (told && *told) return told;
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return NULL;
  self[n] = 0;
  char *slash = strrchr(self, '/');
  if (!slash) return NULL;
  *slash = 0;
  static const char *const places[] = {"../include", "../../include", "include"};
  struct text t;
  text_open(&t, m);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    text_clear(&t);
    text_printf(&t, "%s/%s/asif.h", self, places[i]);
    if (!access(text_string(&t), R_OK)) {
      t.at[t.count - strlen("/asif.h")] = 0;
      return t.at;
    }
  }
  return NULL;
}

/* Compiled with it: lets the lines of its harness be found from outside. */
static const char finder[] =
    "extern const void *const __start_asif_harness[] __attribute__((weak, visibility(\"hidden\")));\n"
    "extern const void *const __stop_asif_harness[] __attribute__((weak, visibility(\"hidden\")));\n"
    "const void *const *asif_spec_entries(unsigned long *count) {\n"
    "  *count = (unsigned long)(__stop_asif_harness - __start_asif_harness);\n"
    "  return __start_asif_harness;\n"
    "}\n";

static bool write_finder(const char *path) {
  FILE *f = fopen(path, "w");
  bool good = f && fputs(finder, f) >= 0;
  return f && !fclose(f) && good;
}

/* Runs the compiler; its messages go to the file `said`. Returns its exit status, -1 if it could not be run. */
static bool is_cxx(const char *path) {
  static const char *const ends[] = {".cc", ".cpp", ".cxx", ".c++", ".C"};
  size_t n = strlen(path);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (n > strlen(ends[i]) && !strcmp(path + n - strlen(ends[i]), ends[i])) return true;
  return false;
}

/* The compiler and its arguments. `with` and `object` are not copied: they may still change. */
static char **compiler_words(struct mem *m, const char *path, char *const *args, char *with, char *object) {
  VEC(char *) argv = {NULL, 0, 0};
  bool cxx = is_cxx(path);
  const char *cc = getenv(cxx ? "CXX" : "CC"), *word;
  size_t len;
  if (!cc || !cc[strspn(cc, " ")]) cc = cxx ? "c++" : "cc";
  while ((word = next_word(&cc, &len))) vec_push(m, &argv, mem_string(m, word, len)); /* CC="gcc -m64" */
  static const char *const flags[] = {"-shared", "-fPIC", "-O1", "-g", "-w"};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) vec_push(m, &argv, (char *)flags[i]);
  const char *include = include_folder(m);
  if (include) {
    vec_push(m, &argv, "-I");
    vec_push(m, &argv, (char *)include);
  }
  for (; args && *args; args++) vec_push(m, &argv, *args);
  vec_push(m, &argv, "-o");
  vec_push(m, &argv, object);
  vec_push(m, &argv, "-x");
  vec_push(m, &argv, cxx ? "c++" : "c");
  vec_push(m, &argv, (char *)path);
  vec_push(m, &argv, "-x");
  vec_push(m, &argv, "c");
  vec_push(m, &argv, with);
  vec_push(m, &argv, NULL);
  return argv.at;
}

/* Ours, but the first is TMPDIR: what a compiler that is killed leaves behind is in the folder too. */
static char **compiler_environment(struct mem *m, const char *folder) {
  VEC(char *) e = {NULL, 0, 0};
  struct text tmpdir;
  text_open(&tmpdir, m);
  text_printf(&tmpdir, "TMPDIR=%s", folder);
  vec_push(m, &e, tmpdir.at);
  for (char **own = environ; *own; own++)
    if (strncmp(*own, "TMPDIR=", 7)) vec_push(m, &e, *own);
  vec_push(m, &e, NULL);
  return e.at;
}

/* Its exit status; -1: it could not be run (errno), or a signal ended it (0). */
static int run_compiler(char **argv, char **environment, const char *said) {
  struct spawning s = {.words = argv, .environment = environment, .said = said};
  pid_t child;
  int status = -1;
  errno = spawn_program(&s, &child);
  if (errno) return -1;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  errno = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* `why`: the compiler was not run (an errno). */
static void compile_problem(const char *path, const char *said, int why, struct problem *problem) {
  char text[500] = "";
  FILE *f = fopen(said, "r");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
  if (f) fclose(f);
  if (n == sizeof text - 1) /* whole lines only */
    while (n && text[n - 1] != '\n') n--;
  while (n && text[n - 1] == '\n') n--;
  text[n] = 0;
  if (n)
    problem_set(problem, "%.60s: does not compile:\n%s", path, text);
  else if (why && why != ENOENT)
    problem_set(problem, "%.200s: the compiler could not be run: %s", path, strerror(why));
  else
    problem_set(problem, "%s: the compiler could not be run; CC names it (CXX of C++), or else it is cc (c++)", path);
}

/* With all that is in it: ours, and what a compiler that was killed left. */
static void remove_folder(const char *folder) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlinkat(dirfd(d), e->d_name, 0);
  if (d) closedir(d);
  rmdir(folder);
}

/* Compiles and loads; NULL with the problem. The object's file is gone afterwards, the object stays loaded. */
static void *load(struct mem *m, const char *path, char *const *args, struct problem *problem) {
  const char *tmp = getenv("TMPDIR");
  struct text folder, with, object, said;
  text_open(&folder, m);
  text_open(&with, m);
  text_open(&object, m);
  text_open(&said, m);
  text_printf(&folder, "%s/asif-spec-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  /* Nothing takes memory while the folder is there: an allocation that fails would leave it behind. */
  text_printf(&with, "%s/entries.c", folder.at);
  text_printf(&object, "%s/spec.so", folder.at);
  text_printf(&said, "%s/said", folder.at);
  char **words = compiler_words(m, path, args, with.at, object.at);
  char **environment = compiler_environment(m, folder.at);
  if (!mkdtemp(folder.at)) {
    problem_set(problem, "%s: no temporary folder can be made in %s: %s", path, tmp && *tmp ? tmp : "/tmp",
                strerror(errno));
    return NULL;
  }
  memcpy(with.at, folder.at, folder.count);
  memcpy(object.at, folder.at, folder.count);
  memcpy(said.at, folder.at, folder.count);
  memcpy(strchr(environment[0], '=') + 1, folder.at, folder.count);
  void *loaded = NULL;
  if (!write_finder(with.at)) {
    problem_set(problem, "%s: %s cannot be written: %s", path, with.at, strerror(errno));
  } else if (run_compiler(words, environment, said.at)) {
    compile_problem(path, said.at, errno, problem);
  } else {
    loaded = dlopen(object.at, RTLD_NOW | RTLD_LOCAL);
    if (!loaded) problem_set(problem, "%s: %s", path, dlerror());
  }
  unlink(with.at); /* without memory for a look into the folder, too */
  unlink(object.at);
  unlink(said.at);
  remove_folder(folder.at);
  return loaded;
}

/* The lines of the harness in the order of the file; none if they are of another version of asif.h. */
static int by_line(const void *a, const void *b) {
  const struct asif_entry *x = *(const struct asif_entry *const *)a, *y = *(const struct asif_entry *const *)b;
  return (x->place > y->place) - (x->place < y->place);
}
static const struct asif_entry **harness_entries(struct user *u, size_t *count) {
  const struct asif_entry *const *(*find)(unsigned long *);
  unsigned long n = 0;
  *(void **)&find = dlsym(u->loaded, "asif_spec_entries");
  const struct asif_entry *const *from = find ? find(&n) : NULL;
  const struct asif_entry **sorted = mem_alloc(u->mem, (n + 1) * sizeof *sorted);
  *count = n;
  for (size_t i = 0; i < n; i++) {
    sorted[i] = from[i];
    if (sorted[i]->version != 1) *count = 0;
  }
  qsort(sorted, *count, sizeof *sorted, by_line);
  return sorted;
}

/* The specification that ASIF_EFFECTs give; false with no problem if there are none. */
static bool read_effects(struct user *u, const char *path, struct spec *out, struct problem *problem) {
  size_t count;
  const struct asif_entry **entries = harness_entries(u, &count), *wrong;
  struct effects *effects = mem_zero(u->mem, 1, sizeof *effects);
  struct text name;
  text_open(&name, u->mem);
  for (size_t i = 0; i < count; i++)
    for (const char *c = entries[i]->kind == ASIF_ENTRY_OBJECT ? entries[i]->name : ""; *c; c++)
      text_char(&name, *c == '_' ? '-' : *c);
  if (!effects_of_entries(u->mem, name.count ? text_string(&name) : u->path, entries, count, effects, &wrong,
                          problem)) {
    struct problem said = *problem;
    if (wrong) problem_set(problem, "%s:%d: %.400s", wrong->file, wrong->line, said.text);
    return false;
  }
  effects_spec(u->mem, effects, out);
  out->source = mem_string(u->mem, path, strlen(path));
  dlclose(u->loaded); /* the texts were copied */
  return true;
}

static int by_place(const void *a, const void *b) {
  const struct asif_spec_op *x = *(const struct asif_spec_op *const *)a, *y = *(const struct asif_spec_op *const *)b;
  return (x->place > y->place) - (x->place < y->place);
}

static bool read_operations(struct user *u, struct spec_op *to, struct problem *problem) {
  for (unsigned i = 0; i < u->op_count; i++) {
    const struct asif_spec_op *o = u->ops[i];
    const char *names = o->names;
    size_t len;
    const char *name = next_word(&names, &len);
    if (o->signature < 0) {
      problem_set(
          problem,
          "%s: %.*s: an operation takes %s's state and up to three int or long, and returns void, bool, int or long",
          u->path, (int)len, name, u->table->name);
      return false;
    }
    uint8_t count = o->signature >> 2 & 3;
    to[i] = (struct spec_op){.names = mem_string(u->mem, o->names, strlen(o->names)),
                             .args = count,
                             .args_most = count,
                             .result = (uint8_t)c_result_kind(c_type_of(o->signature)),
                             .pure = PURE_NEVER,
                             .echo = (o->signature & 3) == 1 ? V_TRUE : V_NONE};
  }
  return true;
}

static bool read_table(struct user *u, const char *path, struct spec *out, struct problem *problem) {
  struct mem *m = u->mem;
  u->path = mem_string(m, path, strlen(path));
  u->table = dlsym(u->loaded, "asif_spec_table");
  if (!u->table) {
    if (read_effects(u, path, out, problem)) return true;
    if (problem->text[0]) return false;
  }
  if (!u->table || u->table->version != 1) {
    problem_set(problem, "%s: has no ASIF_SPEC(name, struct state), and no ASIF_EFFECT, of this version of asif.h",
                path);
    return false;
  }
  u->op_count = u->table->begin ? (unsigned)(u->table->end - u->table->begin) : 0;
  if (!u->table->size || u->table->size > STATE_MOST) {
    problem_set(problem, "%s: the state of %s has %zu bytes; it may have 1 to %d", path, u->table->name, u->table->size,
                STATE_MOST);
    return false;
  }
  if (!u->op_count || u->op_count > OPS_MOST) {
    problem_set(problem, "%s: %s has %u operations: name them with ASIF_SPEC_OP(function)", path, u->table->name,
                u->op_count);
    return false;
  }
  u->ops = mem_alloc(m, u->op_count * sizeof *u->ops);
  memcpy(u->ops, u->table->begin, u->op_count * sizeof *u->ops);
  qsort(u->ops, u->op_count, sizeof *u->ops, by_place);
  struct spec_op *ops = mem_alloc(m, u->op_count * sizeof *ops);
  if (!read_operations(u, ops, problem) || !user_start(u, problem)) return false;
  *out = (struct spec){.name = mem_string(m, u->table->name, strlen(u->table->name)),
                       .aliases = "",
                       .summary = "a specification of the user's own",
                       .ops = ops,
                       .op_count = u->op_count,
                       .by_process = u->table->by_process != NULL,
                       .user = u,
                       .source = u->path,
                       .init = user_init,
                       .step = user_step,
                       .print = user_print};
  return true;
}

bool spec_from_c(const char *path, char *const *args, struct spec *out, struct mem *m, struct problem *problem) {
  if (access(path, R_OK)) {
    problem_set(problem, "%s: %s", path, strerror(errno));
    return false;
  }
  void *loaded = load(m, path, args, problem);
  return loaded && spec_from_loaded(loaded, path, out, m, problem);
}

bool spec_from_loaded(void *loaded, const char *path, struct spec *out, struct mem *m, struct problem *problem) {
  struct user *u = mem_zero(m, 1, sizeof *u);
  u->mem = m;
  u->loaded = loaded;
  if (read_table(u, path, out, problem)) return true;
  dlclose(loaded);
  return false;
}

bool spec_is_file(const char *name) {
  size_t n = strlen(name);
  return (n > 2 && !strcmp(name + n - 2, ".c")) || is_cxx(name) || strchr(name, '/');
}

bool spec_load_named(const char *name, struct spec *out, struct problem *problem) {
  if (!spec_is_file(name)) return spec_named(name, out, problem);
  problem_of(problem, PROBLEM_UNSUPPORTED, "%s: a specification in C, which is not compiled here", name);
  return false;
}

bool spec_load(const char *name, struct spec *out, struct mem *m, struct problem *problem) {
  return spec_is_file(name) ? spec_from_c(name, NULL, out, m, problem) : spec_named(name, out, problem);
}

const char *spec_user_fault(const struct spec *s) {
  return s->step == user_step && s->user ? ((const struct user *)s->user)->fault : NULL;
}

void spec_user_close(struct spec *s) {
  if (s->step != user_step || !s->user) return;
  struct user *u = s->user;
  user_stop(u);
  dlclose(u->loaded);
  s->user = NULL;
}
