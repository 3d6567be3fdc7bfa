/* From the user's files to a shared object.
 *
 * Sources are compiled with the hooks, all at once; then everything is linked, with a few lines of our own that say
 * where the harness is, and every name of wrapped_names is replaced by one of the runtime (ld --wrap). Where there is
 * no harness, and a specification is known, the functions that have the names of its operations are the harness: one
 * source is compiled a second time, inside a file that includes it and says so. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "test/assembly.h"
#include "test/compile.h"
#include "test/test.h"

enum input_kind { INPUT_C, INPUT_CXX, INPUT_ASSEMBLY, INPUT_OBJECT, INPUT_ARCHIVE };

struct input {
  const char *path;
  enum input_kind kind;
  char *object;
};

struct own {
  char *source, *object;
};

struct compiling {
  struct mem *mem;
  const struct compile_options *options;
  struct problem *why;
  const char *directory;
  struct compiler c, cxx; /* cxx.command is empty if no input is C++ */
  VEC(struct input) inputs;
  VEC(struct own) own;
  sentences warnings;
};

static char *in_directory(const struct compiling *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static char *in_directory(const struct compiling *k, const char *format, ...) {
  struct text t;
  char name[64];
  va_list list;
  va_start(list, format);
  vsnprintf(name, sizeof name, format, list);
  va_end(list);
  text_open(&t, k->mem);
  text_printf(&t, "%s/%s", k->directory, name);
  return t.at;
}

/* The temporary directory. */

char *compile_directory(struct mem *m, struct problem *why) {
  const char *tmp = getenv("TMPDIR");
  struct text t;
  if (!tmp || !*tmp) tmp = "/tmp";
  text_open(&t, m);
  text_printf(&t, "%s/asif-test-XXXXXX", tmp);
  if (mkdtemp(t.at)) return t.at;
  problem_set(why, "no temporary folder can be made in %.200s: %s", tmp, strerror(errno));
  return NULL;
}

/* As the kernel gives it: opendir would allocate, and nothing is left behind where memory has run out. */
struct entry_of_folder {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
};

void compile_remove(const char *directory) {
  _Alignas(struct entry_of_folder) char entries[4096];
  int folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (long n; folder >= 0 && (n = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0;) {
    const struct entry_of_folder *e;
    for (long at = 0; at < n; at += e->size) {
      e = (const struct entry_of_folder *)(entries + at);
      if (strcmp(e->name, ".") && strcmp(e->name, "..")) unlinkat(folder, e->name, 0);
    }
  }
  if (folder >= 0) close(folder);
  rmdir(directory);
}

void compile_close(struct compiled *c) {
  if (c->directory && c->own) compile_remove(c->directory);
  c->directory = NULL;
}

/* What was given. */

static bool read_input(struct compiling *k, const char *path) {
  const char *dot = strrchr(path, '.');
  struct input in = {.path = path};
  if (dot && !strcmp(dot, ".c"))
    in.kind = INPUT_C;
  else if (is_c_plus_plus(path))
    in.kind = INPUT_CXX;
  else if (dot && (!strcmp(dot, ".s") || !strcmp(dot, ".S")))
    in.kind = INPUT_ASSEMBLY;
  else if (dot && !strcmp(dot, ".o"))
    in.kind = INPUT_OBJECT;
  else if (dot && !strcmp(dot, ".a"))
    in.kind = INPUT_ARCHIVE;
  else
    return problem_set(k->why,
                       "%.300s: neither a source (.c, .cc, .cpp, .cxx, .s, .S) nor an object (.o) or archive (.a); of "
                       "a linked program, "
                       "give the objects",
                       path),
           false;
  if (access(path, R_OK)) return problem_set(k->why, "%.300s: %s", path, strerror(errno)), false;
  if (in.kind >= INPUT_OBJECT)
    in.object = (char *)path;
  else
    in.object = in_directory(k, "%zu.o", k->inputs.count);
  vec_push(k->mem, &k->inputs, in);
  return true;
}

static bool read_flags(struct compiling *k) {
  static const char *const ours[] = {"-c", "-o", "-S", "-E", "-shared"};
  for (char *const *f = k->options->flags; f && *f; f++)
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
      if (!strcmp(*f, ours[i]))
        return problem_set(k->why,
                           "%s cannot be given to the compiler: what is made of the files, and where, is asif's choice",
                           *f),
               false;
  return true;
}

#define LIBSTDCXX "-lstdc++"

/* The C compiler is needed in any case: for a few lines of our own. */
static bool find_compilers(struct compiling *k) {
  bool cxx = false;
  for (size_t i = 0; i < k->inputs.count; i++)
    cxx |= k->inputs.at[i].kind == INPUT_CXX ||
           (k->inputs.at[i].kind == INPUT_OBJECT && object_is_cxx(k->inputs.at[i].path));
  for (char *const *f = k->options->flags; f && *f; f++) cxx |= !strcmp(*f, LIBSTDCXX);
  k->cxx.cxx = true;
  compiler_words(k->mem, "CC", "cc", &k->c.command);
  if (cxx) compiler_words(k->mem, "CXX", "c++", &k->cxx.command);
  if (k->options->hooks && assembler_put(k->directory)) k->c.tools = k->cxx.tools = k->directory;
  if (cxx && !compiler_ask(k->mem, &k->cxx, k->why)) return false;
  return compiler_ask(k->mem, &k->c, k->why);
}

/* Compiling. */

static void add(struct compiling *k, words *w, const char *word) { vec_push(k->mem, w, (char *)word); }

static void add_all(struct compiling *k, words *w, char *const *list) {
  for (; list && *list; list++) vec_push(k->mem, w, *list);
}

static void add_compiler(struct compiling *k, words *w, const struct compiler *c) {
  for (size_t i = 0; i < c->command.count; i++) vec_push(k->mem, w, c->command.at[i]);
}

static const struct compiler *compiler_of(const struct compiling *k, const struct input *in) {
  return in->kind == INPUT_CXX ? &k->cxx : &k->c;
}

static void add_sanitizer(struct compiling *k, words *w) {
  struct text t;
  if (!k->options->sanitize) return;
  text_open(&t, k->mem);
  text_printf(&t, "-fsanitize=%s", k->options->sanitize);
  add(k, w, t.at);
}

/* As it would ship, for stress; to be perturbed, with the hooks. */
static void add_plain_flags(struct compiling *k, words *w, const struct compiler *c) {
  const char *include = include_folder(k->mem);
  add(k, w, "-O2");
  add(k, w, "-g");
  if (include) add(k, w, "-isystem"), add(k, w, include);
  add_all(k, w, k->options->flags);
  if (k->options->perturb)
    compiler_flags_end(k->mem, c, w);
  else
    add(k, w, "-fPIC"), add(k, w, "-fno-lto");
  if (k->options->support) add(k, w, "-DASIF_HOSTED");
  add_sanitizer(k, w);
}

/* The command that compiles an input; source is the file itself, or one that includes it. */
static char **compile_words(struct compiling *k, const struct input *in, const char *source, const char *object,
                            bool all_functions) {
  const struct compiler *c = compiler_of(k, in);
  words w = {NULL, 0, 0};
  add_compiler(k, &w, c);
  if (k->options->hooks) {
    compiler_flags_begin(k->mem, &w);
    add_all(k, &w, k->options->flags);
    compiler_flags_end(k->mem, c, &w);
    add(k, &w, "-DASIF_HOSTED");
  } else {
    add_plain_flags(k, &w, c);
  }
  for (size_t i = 0; all_functions && i < c->all_functions.count; i++) add(k, &w, c->all_functions.at[i]);
  if (all_functions) add(k, &w, "-w");
  add(k, &w, "-c");
  add(k, &w, "-o");
  add(k, &w, object);
  add(k, &w, source);
  add(k, &w, NULL);
  return w.at;
}

/* The compiler's own words, as they are. */
static void tell(struct compiling *k, const struct command_run *c) {
  size_t n;
  char *said = command_said(k->mem, c, &n);
  if (n) fwrite(said, 1, n, stderr);
  mem_free(k->mem, said);
}

static bool write_text(struct compiling *k, const char *path, const struct text *t) {
  FILE *f = fopen(path, "w");
  bool good = f && fwrite(text_string(t), 1, t->count, f) == t->count;
  if (f) good &= fclose(f) == 0;
  if (!good) problem_set(k->why, "%.300s cannot be written: %s", path, strerror(errno));
  return good;
}

/* Files of our own: where the harness is, and for stress what it needs. */
static bool write_own(struct compiling *k, const char *name, const char *source) {
  struct text t;
  struct own own = {in_directory(k, "%s.c", name), in_directory(k, "%s.o", name)};
  text_open(&t, k->mem);
  text_add(&t, source);
  vec_push(k->mem, &k->own, own);
  return write_text(k, own.source, &t);
}

static char **own_words(struct compiling *k, const struct own *own) {
  words w = {NULL, 0, 0};
  const char *include = include_folder(k->mem);
  add_compiler(k, &w, &k->c);
  static const char *const flags[] = {"-O2", "-fPIC", "-x", "c", "-c"};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) add(k, &w, flags[i]);
  if (include) add(k, &w, "-isystem"), add(k, &w, include);
  add_sanitizer(k, &w);
  add(k, &w, "-o");
  add(k, &w, own->object);
  add(k, &w, own->source);
  add(k, &w, NULL);
  return w.at;
}

static bool failed(struct compiling *k, const struct command_run *c, const char *path) {
  if (c->error)
    problem_set(k->why, "the compiler %.100s cannot be run: %s", c->words[0], strerror(c->error));
  else if (c->status < 0)
    problem_set(k->why, "the compiler %.100s ended unexpectedly, with %.300s", c->words[0], path);
  else
    problem_set(k->why, "%.300s does not compile", path);
  return false;
}

static size_t words_count(char *const *w) {
  size_t n = 0;
  while (w[n]) n++;
  return n;
}

/* "text", whatever is in it. */
static void put_literal(struct text *t, const char *s) {
  text_char(t, '"');
  for (; *s; s++) text_printf(t, "\\%03o", (unsigned)(unsigned char)*s);
  text_char(t, '"');
}

/* main as a test. */
static bool write_main(struct compiling *k) {
  struct text t;
  size_t count = 1;
  text_open(&t, k->mem);
  text_add(&t, "#define ASIF_HOSTED\n#include <asif.h>\nint main(int, char **);\nvoid asif_host_begins(void);\n"
               "void asif_host_ends(int status);\nASIF_TEST(main) {\n  char *words[] = {(char *)");
  put_literal(&t, k->inputs.at[0].path);
  for (char *const *w = k->options->program; *w; w++, count++) {
    text_add(&t, ", (char *)");
    put_literal(&t, *w);
  }
  text_printf(&t, ", 0};\n  asif_host_begins();\n  asif_host_ends(main(%zu, words));\n}\n", count);
  return write_own(k, "main", text_string(&t));
}

static bool compile_all(struct compiling *k) {
  if (k->options->hooks ? !write_own(k, "stub", image_stub)
                        : k->options->support && !write_own(k, "support", k->options->support))
    return false;
  if (k->options->program && !write_main(k)) return false;
  size_t n = 0;
  struct command_run *c = mem_zero(k->mem, k->inputs.count + k->own.count, sizeof *c);
  const char **of = mem_zero(k->mem, k->inputs.count + k->own.count, sizeof *of);
  for (size_t i = 0; i < k->inputs.count; i++) {
    const struct input *in = &k->inputs.at[i];
    if (in->kind >= INPUT_OBJECT) continue;
    of[n] = in->path;
    c[n++] = (struct command_run){.words = compile_words(k, in, in->path, in->object, false),
                                  .said = in_directory(k, "%zu.said", i)};
  }
  for (size_t i = 0; i < k->own.count; i++) {
    of[n] = k->own.at[i].source;
    c[n++] = (struct command_run){.words = own_words(k, &k->own.at[i]), .said = in_directory(k, "own%zu.said", i)};
  }
  commands_run(c, n);
  const struct command_run *bad = NULL;
  const char *bad_path = NULL;
  for (size_t i = 0; i < n; i++) {
    tell(k, &c[i]);
    if ((c[i].status || c[i].error) && !bad) bad = &c[i], bad_path = of[i];
  }
  if (bad) return failed(k, bad, bad_path);
  for (size_t i = 0; i < n; i++) {
    const char *object = c[i].words[words_count(c[i].words) - 2]; /* -o OBJECT SOURCE */
    if (!access(object, R_OK)) continue;
    problem_set(k->why, "the compiler %.100s made no object of %.300s, and does not say why", c[i].words[0], of[i]);
    return false;
  }
  return true;
}

/* Without a harness. */

static bool has_harness(const struct compiling *k) {
  for (size_t i = 0; i < k->inputs.count; i++)
    if (k->inputs.at[i].kind == INPUT_ARCHIVE || object_has_section(k->inputs.at[i].object, "asif_harness"))
      return true;
  return false;
}

/* Functions of the source that have the names of operations: the lines of a harness. */
static bool harness_lines(struct compiling *k, const struct input *in, size_t number, struct text *lines) {
  char *object = in_directory(k, "%zu.all.o", number);
  struct command_run c = {.words = compile_words(k, in, in->path, object, true),
                          .said = in_directory(k, "%zu.said", number)};
  commands_run(&c, 1);
  if (c.status || c.error) return tell(k, &c), failed(k, &c, in->path);
  for (char **f = object_functions(k->mem, object); *f; f++)
    if (spec_op_find(k->options->spec, *f, strlen(*f)) >= 0) text_printf(lines, "ASIF_OP(%s)\n", *f);
  return true;
}

/* The source once more, inside a file that includes it and has the lines. */
static bool compile_with_lines(struct compiling *k, const struct input *in, size_t number, const struct text *lines) {
  char real[PATH_MAX];
  struct text t;
  text_open(&t, k->mem);
  if (!realpath(in->path, real)) return problem_set(k->why, "%.300s: %s", in->path, strerror(errno)), false;
  text_printf(&t, "#include \"%s\"\n#include <asif.h>\n%s", real, text_string(lines));
  char *source = in_directory(k, "%zu.%s", number, in->kind == INPUT_CXX ? "cc" : "c");
  if (!write_text(k, source, &t)) return false;
  struct command_run c = {.words = compile_words(k, in, source, in->object, false),
                          .said = in_directory(k, "%zu.said", number)};
  commands_run(&c, 1);
  if (!c.status && !c.error) return true;
  tell(k, &c);
  return failed(k, &c, in->path);
}

static bool find_operations(struct compiling *k) {
  if (!k->options->spec || has_harness(k)) return true;
  struct text lines;
  text_open(&lines, k->mem);
  for (size_t i = 0; i < k->inputs.count; i++) {
    const struct input *in = &k->inputs.at[i];
    if (in->kind >= INPUT_ASSEMBLY) continue;
    text_clear(&lines);
    if (!harness_lines(k, in, i, &lines)) return false;
    if (lines.count && !compile_with_lines(k, in, i, &lines)) return false;
  }
  return true;
}

/* Linking. */

/* A function of the library that the files have themselves, with hooks. */
static bool is_own(const struct compiling *k, const char *name) {
  const char *const *l = library_names;
  while (*l && strcmp(*l, name)) l++;
  for (size_t i = 0; *l && i < k->inputs.count; i++)
    if (object_defines(k->inputs.at[i].object, name)) return true;
  return false;
}

static char *write_wrapped(struct compiling *k) {
  struct text t;
  char *path = in_directory(k, "wrapped");
  text_open(&t, k->mem);
  for (const char *const *name = wrapped_names; *name; name++)
    if (!is_own(k, *name)) text_printf(&t, "--wrap=%s\n", *name);
  return write_text(k, path, &t) ? path : NULL;
}

/* Where the code is loaded: always there, so that code which looks at addresses does the same again. Linkers other than
 * the GNU ones have another name for it. */
#define IMAGE_AT "0x680000000000"
static const char *placed(const struct compiling *k) {
  bool gnu = true;
  for (char *const *f = k->options->flags; f && *f; f++)
    if (!strncmp(*f, "-fuse-ld=", 9)) gnu = !strcmp(*f + 9, "bfd") || !strcmp(*f + 9, "gold");
  return gnu ? "-Wl,-Ttext-segment=" IMAGE_AT : "-Wl,--image-base=" IMAGE_AT;
}

static char **link_words(struct compiling *k, const char *object, bool place) {
  words w = {NULL, 0, 0};
  bool cxx = k->cxx.command.count > 0;
  add_compiler(k, &w, cxx ? &k->cxx : &k->c);
  add(k, &w, "-shared");
  add(k, &w, "-g");
  add(k, &w, "-o");
  add(k, &w, object);
  for (size_t i = 0; i < k->inputs.count; i++) add(k, &w, k->inputs.at[i].object);
  for (size_t i = 0; i < k->own.count; i++) add(k, &w, k->own.at[i].object);
  for (char *const *f = k->options->flags; f && *f; f++) /* the compiler adds its own, which may be a static one */
    if (!cxx || strcmp(*f, LIBSTDCXX)) add(k, &w, *f);
  add(k, &w, "-fno-lto");
  add(k, &w, "-pthread");
  add(k, &w, "-Wl,-Bsymbolic"); /* what the files define they use, whatever Asif itself has of that name */
  if (k->options->hooks) {
    char *wrapped = write_wrapped(k);
    struct text t;
    if (!wrapped) return NULL;
    if (place) add(k, &w, placed(k));
    struct text map;
    text_open(&map, k->mem);
    text_printf(&map, "-Wl,-Map=%s/link.map", k->directory);
    add(k, &w, map.at);
    text_open(&t, k->mem);
    text_printf(&t, "-Wl,@%s", wrapped);
    add(k, &w, t.at);
    if (cxx) add(k, &w, "-static-libstdc++"); /* so that what it calls is wrapped too */
    add(k, &w, "-static-libgcc");
  } else {
    add_sanitizer(k, &w);
  }
  add(k, &w, NULL);
  return w.at;
}

/* "ld: a.o: relocation ... recompile with -fPIC": the object that it is about, or NULL. */
static char *not_position_independent(struct compiling *k, char *said) {
  char *why = strstr(said, "recompile with -fPIC");
  if (!why) return NULL;
  while (why > said && why[-1] != '\n') why--;
  char *end = strstr(why, ": relocation");
  if (!end) return NULL;
  char *begin = end;
  while (begin > why && begin[-1] != ' ') begin--;
  return mem_string(k->mem, begin, (size_t)(end - begin));
}

static bool link_all(struct compiling *k, const char *object) {
  size_t n;
  struct command_run c = {.said = in_directory(k, "link.said")};
  for (int place = 1; place >= 0; place--) { /* a linker that cannot place it links it all the same */
    c.words = link_words(k, object, place);
    if (!c.words) return false;
    commands_run(&c, 1);
    /* Of one that was killed the linker itself may still run, and write the file that another would. */
    if ((!c.status && !c.error) || c.status < 0 || !k->options->hooks) break;
  }
  if (!c.status && !c.error) return tell(k, &c), true;
  if (c.error || c.status < 0) return failed(k, &c, object);
  char *said = command_said(k->mem, &c, &n), *name = not_position_independent(k, said);
  if (name) return problem_set(k->why, "%.300s was not compiled with `asif cc`", name), false;
  fwrite(said, 1, n, stderr);
  problem_set(k->why, "%.300s%s cannot be linked", k->inputs.at[0].path,
              k->inputs.count > 1 ? " and the other files" : "");
  return false;
}

/* What else the flags brought: objects and archives that are not the compiler's. */
static void add_linked(struct compiling *k, const linkeds *all, struct scanned *s, size_t *count) {
  size_t folder = strlen(k->directory);
  for (size_t i = 0; i < all->count; i++) {
    const struct linked *l = &all->at[i];
    bool known = linked_is_toolchains(l) || (!strncmp(l->path, k->directory, folder) && l->path[folder] == '/');
    for (size_t n = 0; n < *count && !known; n++) known = !strcmp(s[n].object, l->path);
    if (!known) s[(*count)++] = (struct scanned){l->path, l->path, false};
  }
}

/* Could the flags have brought code that is not ours? */
static bool brings_objects(const struct compiling *k) {
  for (char *const *f = k->options->flags; f && *f; f++)
    if (!strncmp(*f, "-l", 2) || !strncmp(*f, "-Wl,", 4) || !strcmp(*f, "-Xlinker") || **f != '-') return true;
  return false;
}

static bool scan(struct compiling *k, struct compiled *out) {
  linkeds all = {NULL, 0, 0};
  withouts without = {NULL, 0, 0};
  char *missing;
  bool mapped = linked_read(k->mem, in_directory(k, "link.map"), &all, &missing);
  struct scanned *s = mem_zero(k->mem, k->inputs.count + all.count + 1, sizeof *s);
  size_t count = k->inputs.count;
  for (size_t i = 0; i < count; i++) {
    const struct input *in = &k->inputs.at[i];
    s[i] = (struct scanned){in->object, in->path, in->kind < INPUT_OBJECT};
  }
  add_linked(k, &all, s, &count);
  bool scanned = scan_objects(k->mem, s, count, in_directory(k, "scan.said"), &k->warnings, &without);
  if (!scanned || missing || (!mapped && brings_objects(k))) {
    struct text t;
    text_open(&t, k->mem);
    text_add(&t, "code that the hooks cannot see was not looked for: ");
    if (!scanned)
      text_add(&t, "objdump (of the binutils) cannot be run, or cannot read what was linked");
    else if (missing)
      text_printf(&t, "%.300s, which the linker took, is not there any more", missing);
    else
      text_add(&t, "the linker's map cannot be read");
    out->unscanned = t.at;
  }
  for (size_t i = 0; i < all.count; i++)
    if (!linked_is_toolchains(&all.at[i])) {
      if (!out->code_low || all.at[i].low < out->code_low) out->code_low = all.at[i].low;
      if (all.at[i].high > out->code_high) out->code_high = all.at[i].high;
    }
  out->without = mem_zero(k->mem, all.count + 1, sizeof *out->without);
  for (size_t i = 0; i < without.count; i++) {
    const struct without *w = &without.at[i];
    if (!*w->member || !mapped) {
      problem_set(k->why, "%.300s%s%s%s was not compiled with `asif cc`", w->of->shown, *w->member ? "(" : "",
                  w->member, *w->member ? ")" : "");
      return false;
    }
    for (size_t n = 0; n < all.count; n++) /* a member that was not taken does not matter */
      if (!strcmp(all.at[n].member, w->member) && !strcmp(all.at[n].path, w->of->object))
        out->without[out->without_count++] = all.at[n];
  }
  return true;
}

bool compile(struct mem *m, const struct compile_options *o, struct compiled *out, struct problem *why) {
  struct compiling k = {.mem = m, .options = o, .why = why};
  *out = (struct compiled){.directory = o->directory ? (char *)o->directory : compile_directory(m, why),
                           .own = !o->directory};
  if (!out->directory) return false;
  k.directory = out->directory;
  char *object = in_directory(&k, o->hooks ? "image.so" : "plain.so");
  bool good = read_flags(&k);
  for (char *const *path = o->inputs; good && *path; path++) good = read_input(&k, *path);
  good = good && find_compilers(&k) && compile_all(&k) && find_operations(&k) && link_all(&k, object) &&
         (!o->hooks || scan(&k, out));
  if (!good) return compile_close(out), false;
  out->object = object;
  out->objects = mem_zero(m, k.inputs.count + 1, sizeof *out->objects);
  for (size_t i = 0; i < k.inputs.count; i++) out->objects[i] = k.inputs.at[i].object;
  out->warnings = k.warnings.at;
  out->warning_count = k.warnings.count;
  return true;
}
