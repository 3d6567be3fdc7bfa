/* The assembler that compilers find: see assembly.h.
 *
 * In what a compiler writes, statements of hand-written assembly stand between #APP and #NO_APP, those outside of
 * functions too (with Clang: between two comments). GCC says where each is in the source, with Clang the last .loc
 * does. What the compiler writes itself has hooks, but for some instructions that only intrinsics stand for. A file
 * that has no hook at all was written by hand as a whole: its functions are recorded, each where it begins. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "test/announce.h"
#include "test/assembly.h"
#include "test/edges.h"

#define ASSEMBLY_COMPILED "__tsan_init" /* in all that a compiler has given hooks */

/* A function, as far as it matters to the hooks in it. */
struct stretch {
  struct function_text text;
  bool function; /* else what is between two */
  struct machine_use use;
};

struct marking {
  struct mem *mem;
  struct text *out;
  VEC(char *) files; /* of .file */
  char *file;        /* where the statement is */
  unsigned long line;
  unsigned count; /* records so far */
  struct assembly statement;
  struct text kept; /* its lines */
  bool inside;      /* of hand-written assembly */
  bool own_code;    /* there was an instruction of the compiler since the last statement */
  struct announcing hooks;
  unsigned labels;
  struct text rewritten;
  VEC(struct stretch) stretches;
  size_t stretch; /* where the text is that is looked at */
};

static void put_escaped(struct text *t, const char *s) {
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') text_char(t, '\\');
    if ((unsigned char)*s >= ' ') text_char(t, *s);
  }
}

/* A place, and what is there. Names that begin so are nobody else's; "?" is the group of the section that the code is
 * in. */
static void put_record(struct marking *k, enum unseen_kind kind, const char *what) {
  unsigned n = k->count;
  struct text *t = k->out;
  text_printf(t, "\t.pushsection " UNSEEN_SECTION ",\"a?\",%%progbits\n\t.balign 8\n");
  text_printf(t, "\t.quad .Lasif_begin%u-.\n\t.quad .Lasif_end%u-.\n\t.quad .Lasif_words%u-.\n\t.quad %d\n", n, n, n,
              (int)kind);
  text_printf(t, "\t.popsection\n\t.pushsection " UNSEEN_SECTION "_words,\"a?\",%%progbits\n.Lasif_words%u:\n", n);
  text_add(t, "\t.asciz \"");
  if (k->file) put_escaped(t, k->file);
  if (k->line) text_printf(t, ":%lu", k->line);
  text_add(t, ": ");
  put_escaped(t, what);
  text_printf(t, "\"\n\t.popsection\n.Lasif_begin%u:\n", n);
}

/* The statement with hooks, if that can be. after: the line behind it; NULL: nothing is known of it. */
static bool rewrite(struct marking *k, const char *text, size_t length, const char *after) {
  const struct stretch *s = &k->stretches.at[k->stretch];
  text_clear(&k->rewritten);
  k->hooks.out = &k->rewritten;
  k->hooks.assembly = &k->statement;
  k->hooks.labels = &k->labels;
  k->hooks.red_zone = (s->use.below && !s->use.calls) || s->use.scratch;
  k->hooks.vectors = s->use.vectors;
  k->hooks.strange = s->use.strange;
  if (after && s->function)
    machine_clear(&k->rewritten, &(struct clearing){.function = &s->text,
                                                    .text = text,
                                                    .length = length,
                                                    .after = after,
                                                    .vectors = s->use.vectors,
                                                    .flags = k->own_code});
  return announce(&k->hooks, text, length);
}

static void end_statement(struct marking *k, const char *after) {
  enum unseen_kind kind = assembly_end(&k->statement);
  bool rewritten = rewrite(k, text_string(&k->kept), k->kept.count, after), announced = rewritten && k->hooks.any;
  if (rewritten && kind != UNSEEN_CLOCK) kind = UNSEEN_NOTHING;
  if (kind) put_record(k, kind, kind == UNSEEN_MEMORY && *k->hooks.why ? k->hooks.why : k->statement.text);
  const struct text *text = announced ? &k->rewritten : &k->kept;
  text_bytes(k->out, text_string(text), text->count);
  if (kind) text_printf(k->out, ".Lasif_end%u:\n", k->count++);
  if (k->kept.count) k->own_code = false;
  text_clear(&k->kept);
  assembly_begin(&k->statement);
}

/* A line that the compiler wrote by itself. */
static void own_line(struct marking *k, const char *whole, const char *s, size_t length) {
  if (!strncmp(s, ".intel_syntax", 13)) k->statement.intel = true;
  k->own_code |= islower((unsigned char)*s) && !strchr(s, ':');
  enum unseen_kind kind = assembly_intrinsic(&k->statement, s);
  bool fence = (kind == UNSEEN_FENCE || assembly_pauses(s)) && rewrite(k, whole, length, NULL);
  if (fence) {
    text_bytes(k->out, k->rewritten.at, k->rewritten.count);
  } else {
    if (kind) put_record(k, kind, k->statement.text);
    text_bytes(k->out, whole, length);
    if (kind) text_printf(k->out, ".Lasif_end%u:\n", k->count++);
  }
  if (kind) assembly_begin(&k->statement);
}

/* Stretches: functions, and what is between them. */

/* What is outside of functions may be a function too, written by hand. */
static void find_stretches(struct marking *k, const char *text, size_t length) {
  const struct stretch outside = {.use = {.below = true, .vectors = ANNOUNCED_VECTORS}};
  struct stretch s = outside;
  bool inside = false, by_hand = false;
  for (const char *end = text + length; text < end;) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t n = stop ? (size_t)(stop - text) : (size_t)(end - text);
    bool begins = memmem(text, n, ".cfi_startproc", 14), ends = memmem(text, n, ".cfi_endproc", 12);
    if (memmem(text, n, "#NO_APP", 7))
      by_hand = false;
    else if (memmem(text, n, "#APP", 4))
      by_hand = true;
    if (begins && !inside) {
      s.text.end = text;
      vec_push(k->mem, &k->stretches, s);
      s = (struct stretch){.text = {text, NULL}, .function = true};
    }
    if (inside) machine_look(&s.use, text, n, by_hand);
    inside = (inside || begins) && !ends;
    text += n + (stop != NULL);
    if (ends) {
      s.text.end = text;
      vec_push(k->mem, &k->stretches, s);
      s = outside;
    }
  }
  s.text.end = text;
  vec_push(k->mem, &k->stretches, s);
}

/* "name" at s; NULL: none. */
static char *quoted(struct marking *k, const char *s, const char **end) {
  const char *begin = strchr(s, '"'), *close = begin ? strchr(begin + 1, '"') : NULL;
  if (!close) return NULL;
  *end = close + 1;
  return mem_string(k->mem, begin + 1, (size_t)(close - begin - 1));
}

/* What lies below the current folder, without that. */
static char *shown(char *path) {
  char here[4096];
  size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
  return n && !strncmp(path, here, n) && path[n] == '/' ? path + n + 1 : path;
}

/* .file 1 "folder" "name", .loc 1 12 3 */
static void look_at_places(struct marking *k, const char *s) {
  char *after;
  const char *rest;
  if (!strncmp(s, ".file", 5)) {
    unsigned long n = strtoul(s + 5, &after, 10);
    char *first = after != s + 5 && n < 100000 ? quoted(k, after, &rest) : NULL;
    char *second = first && *rest == ' ' ? quoted(k, rest, &rest) : NULL;
    while (first && k->files.count <= n) vec_push(k->mem, &k->files, NULL);
    if (after == s + 5 && !k->line) k->file = quoted(k, after, &rest); /* its name, where lines are not told */
    if (first) k->files.at[n] = shown(second ? second : first);
  } else if (!strncmp(s, ".loc", 4) && !k->inside) {
    unsigned long n = strtoul(s + 4, &after, 10);
    k->line = strtoul(after, NULL, 10);
    k->file = n < k->files.count ? k->files.at[n] : NULL;
  }
}

/* # 12 "file.c" 1; on some machines the comment begins with // */
static bool look_at_marker(struct marking *k, const char *s, const char *whole) {
  char *after;
  const char *rest;
  size_t mark = s[0] == '#' ? 1 : !strncmp(s, "//", 2) ? 2 : 0;
  if (!mark || s[mark] != ' ' || !isdigit((unsigned char)s[mark + 1])) return false;
  unsigned long line = strtoul(s + mark + 1, &after, 10);
  char *file = quoted(k, after, &rest);
  if (!file) return false;
  if (k->inside) end_statement(k, whole);
  if (line || *file) k->line = line, k->file = file;
  return true;
}

static void compiled_line(struct marking *k, const char *whole, const char *line, size_t length) {
  const char *s = line + strspn(line, " \t");
  bool begins = !strcmp(s, "#APP") || !strcmp(s, "//APP") || strstr(s, "Start of file scope inline assembly");
  bool ends = !strcmp(s, "#NO_APP") || !strcmp(s, "//NO_APP") || strstr(s, "End of file scope inline assembly");
  if (begins || ends) {
    if (k->inside) end_statement(k, whole);
    k->inside = begins;
    text_bytes(k->out, whole, length);
    return;
  }
  look_at_places(k, s);
  if (k->inside && look_at_marker(k, s, whole)) {
    text_bytes(k->out, whole, length);
  } else if (k->inside) {
    text_bytes(&k->kept, whole, length);
    assembly_line(&k->statement, s, strlen(s));
  } else {
    own_line(k, whole, s, length);
  }
}

/* A file written by hand. */
struct by_hand {
  struct assembly code;
  bool touches;    /* something in it matters */
  char *label;     /* since which there was no instruction; NULL: none */
  unsigned inside; /* of macros and the like, which are written down once and done often */
};

static char *label_of(struct mem *m, const char *s) {
  size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
  if (!n || s[n] != ':' || isdigit((unsigned char)*s) || !strncmp(s, ".L", 2)) return NULL;
  return mem_string(m, s, n);
}

static bool touches(const char *text, size_t length) {
  struct assembly a = {.intel = false};
  assembly_begin(&a);
  for (const char *end = text + length; text < end;) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t n = stop ? (size_t)(stop - text) : (size_t)(end - text);
    assembly_line(&a, text, n);
    text += n + (stop != NULL);
  }
  return assembly_end(&a) == UNSEEN_MEMORY;
}

static void written_line(struct marking *k, struct by_hand *h, const char *whole, const char *line, size_t length) {
  static const char *const opens[] = {".macro", ".rept", ".irp"}, *const closes[] = {".endm", ".endr"};
  const char *s = line + strspn(line, " \t");
  if (look_at_marker(k, s, whole)) {
    text_bytes(k->out, whole, length);
    return;
  }
  for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) h->inside += !strncmp(s, opens[i], strlen(opens[i]));
  for (size_t i = 0; i < sizeof closes / sizeof *closes; i++)
    h->inside -= h->inside && !strncmp(s, closes[i], strlen(closes[i]));
  char *label = h->inside ? NULL : label_of(k->mem, s);
  if (label) h->label = label;
  assembly_line(&h->code, s, strlen(s));
  const char *rest = label ? s + strlen(label) + 1 : s;
  rest += strspn(rest, " \t");
  bool code = *rest && *rest != '.' && *rest != '#' && *rest != '/' && !h->inside && !h->code.elsewhere;
  if (code && h->label && h->touches) {
    struct text what;
    text_open(&what, k->mem);
    text_printf(&what, "%s, which is written in assembly", h->label);
    put_record(k, UNSEEN_MEMORY, what.at);
    text_bytes(k->out, whole, length);
    text_printf(k->out, ".Lasif_end%u:\n", k->count++);
  } else {
    text_bytes(k->out, whole, length);
  }
  if (code) h->label = NULL;
  k->line++;
}

void assembly_mark(struct mem *m, const char *text, size_t length, const char *name, struct text *out) {
  struct marking k = {.mem = m, .out = out, .file = (char *)name};
  struct by_hand hand = {.label = NULL};
  struct text line;
  bool compiled = memmem(text, length, ASSEMBLY_COMPILED, strlen(ASSEMBLY_COMPILED)) != NULL;
  text_open(&k.kept, m);
  text_open(&k.rewritten, m);
  if (compiled) find_stretches(&k, text, length);
  text_open(&line, m);
  assembly_begin(&k.statement);
  if (!compiled) {
    k.line = 1;
    hand.touches = touches(text, length);
    assembly_begin(&hand.code);
    text_printf(out, "# 1 \"%s\"\n", name);
  }
  for (const char *end = text + length; text < end;) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t n = stop ? (size_t)(stop - text) : (size_t)(end - text);
    text_clear(&line);
    text_bytes(&line, text, n);
    while (compiled && k.stretch + 1 < k.stretches.count && text >= k.stretches.at[k.stretch].text.end) k.stretch++;
    if (compiled)
      compiled_line(&k, text, text_string(&line), n + (stop != NULL));
    else
      written_line(&k, &hand, text, text_string(&line), n + (stop != NULL));
    text += n + (stop != NULL);
  }
  if (k.inside) end_statement(&k, NULL);
  announce_end(&k.hooks, out);
  text_add(out, "\n\t.section " ASSEMBLY_MARK ",\"\",%progbits\n\t.byte 1\n");
}

/* The program. */

/* The file that the assembler is given; NULL: what it reads is standard input. */
static char **input_of(char **argv) {
  static const char *const takes[] = {"-o", "-I", "--MD", "-MD", "--defsym", "--debug-prefix-map", "-a", NULL};
  char **input = NULL;
  for (char **a = argv + 1; *a; a++) {
    bool value = false;
    for (size_t i = 0; takes[i]; i++) value |= a > argv + 1 && !strcmp(a[-1], takes[i]);
    if (!value && ((*a)[0] != '-' || !(*a)[1])) input = a;
  }
  return input;
}

static bool read_all(FILE *f, struct text *t) {
  static char block[1 << 16];
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) text_bytes(t, block, n);
  return !ferror(f);
}

static bool write_all(int fd, const char *at, size_t size) {
  while (size) {
    ssize_t n = write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
  }
  return true;
}

_Noreturn static void assemble(int argc, char **argv) {
  struct mem m;
  struct text given, marked;
  char **words = calloc((size_t)argc + 2, sizeof *words), path[40], **input = input_of(argv);
  const char *name = input && strcmp(*input, "-") ? *input : NULL, *real = getenv("ASIF_AS");
  mem_open(&m, NULL);
  text_open(&given, &m);
  text_open(&marked, &m);
  FILE *f = name ? fopen(name, "r") : stdin;
  int fd = memfd_create("asif-assembly", 0);
  if (!words || fd < 0 || !f || !read_all(f, &given)) {
    fprintf(stderr, "asif: %s: %s\n", name ? name : "the assembler's input", strerror(errno));
    exit(1);
  }
#ifdef __x86_64__
  if (memmem(text_string(&given), given.count, ASSEMBLY_COMPILED, strlen(ASSEMBLY_COMPILED))) {
    struct text split;
    text_open(&split, &m);
    edges_split(&m, text_string(&given), given.count, &split);
    given = split;
  }
#endif
  assembly_mark(&m, text_string(&given), given.count, name ? name : "-", &marked);
  if (!write_all(fd, marked.at, marked.count)) {
    fprintf(stderr, "asif: the assembly cannot be written: %s\n", strerror(errno));
    exit(1);
  }
  memcpy(words, argv, (size_t)argc * sizeof *words);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  words[input ? input - argv : argc] = path;
  words[0] = (char *)(real && *real ? real : "as");
  execvp(words[0], words);
  fprintf(stderr, "asif: the assembler %s cannot be run: %s\n", words[0], strerror(errno));
  exit(1);
}

void assembler_if_called(int argc, char **argv) {
  const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
  if (slash && !strcmp(slash, "/as")) assemble(argc, argv);
}

bool assembler_put(const char *folder) {
  char self[4096], path[4200];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n <= 0) return false;
  self[n] = 0;
  snprintf(path, sizeof path, "%s/as", folder);
  return !symlink(self, path) || errno == EEXIST;
}
