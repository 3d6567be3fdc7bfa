/* Coverage: what of the object no client ever reached. A verdict about a ring that was never full says little, so where
 * nothing is wrong the report names what was not executed.
 *
 * The code is disassembled (objdump -d -l) and cut into basic blocks: a trap at the beginning of each tells whether it
 * was executed (run/coverage.c). Only blocks are counted that the operations can come to, by jumps and calls that can
 * be seen in the code: not functions that the harness does not use, not what is done for exceptions, and not what ends
 * the program, such as a failed assertion.
 *
 * A block has the places in the source of its instructions, where the compiler's discriminator tells apart the blocks
 * of a line. A place was executed if a block that has it was: the copies of a function that was inlined count as one.
 */
#include "test/coverage.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "test/compile.h"
#include "test/edges.h"
#include "test/tell.h"

enum { LINES_MOST = 1 << 20 };
#define NONE UINT32_MAX

struct line { /* a place in the source */
  const char *file, *function;
  uint32_t line, discriminator;
  bool own, reachable, met; /* own: not of the compiler's headers or a test framework */
};
struct instruction {
  uintptr_t at, target;    /* target: of a jump or a call in the code, or an address that is taken; 0: none */
  uint32_t line;           /* index of its place; NONE */
  bool jumps, ends, taken; /* jumps: to the target; ends: the next one does not follow; taken: target is an address */
  bool leads;              /* begins a block */
};
struct block {
  uint32_t first, last; /* instructions */
  bool reachable;
};
struct coverage {
  struct mem *mem;
  VEC(struct line) lines;
  VEC(struct instruction) code;
  VEC(uintptr_t) functions; /* where they begin, in the order of the code */
  VEC(struct block) blocks;
  uintptr_t base;
  uintptr_t *places; /* of the blocks that are reachable */
  uint32_t *place_blocks;
  size_t count;
  _Atomic uint32_t *met; /* shared by processes: see run_cover; the last one: nothing can be said */
  bool *known;           /* those met before coverage_news was last asked */
  size_t room;
  uint32_t *table;             /* of lines, by hash */
  bool program;                /* the test is main, with a framework perhaps */
  VEC(const char *) framework; /* its files */
  /* While the disassembly is read. */
  bool in_framework; /* a function of it begins */
  const char *function, *file;
  uint32_t line_number, discriminator, line_index;
};

/* Reading the disassembly. */

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* The compiler's and the C library's headers, and the harness's macros: not the object. Nor is what the system has
 * installed, if the test is a program: its own files are elsewhere. */
static bool is_own_file(const char *path, bool program) {
  static const char *const not [] = {"/usr/include/c++/",    "/usr/lib/gcc/",     "/usr/lib/llvm",
                                     "/usr/include/x86_64-", "/usr/include/bits", "/usr/include/aarch64-",
                                     "/usr/include/std"};
  char real[PATH_MAX]; /* clang's own have /../ in their names */
  if (strstr(path, "/../") && realpath(path, real)) path = real;
  size_t n = strlen(path);
  if (program && begins(path, "/usr/")) return false;
  for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
    if (begins(path, not [i])) return false;
  return strcmp(path, "stub.c") && !(n >= 7 && !strcmp(path + n - 7, "/asif.h"));
}

enum { TABLE = 1 << 16 };
static uint32_t line_find(struct coverage *k) {
  if (!k->line_number) return NONE;
  uint64_t h = hash_mix((uintptr_t)k->file ^ (uint64_t)k->line_number << 40 ^ (uint64_t)k->discriminator << 20);
  size_t i = h % TABLE;
  for (size_t tries = 0; k->table[i]; i = (i + 1) % TABLE) {
    const struct line *l = &k->lines.at[k->table[i] - 1];
    if (l->file == k->file && l->line == k->line_number && l->discriminator == k->discriminator) return k->table[i] - 1;
    if (++tries == TABLE / 2) return NONE;
  }
  if (k->lines.count >= TABLE / 2) return NONE;
  struct line l = {.file = k->file,
                   .function = k->function,
                   .line = k->line_number,
                   .discriminator = k->discriminator,
                   .own = is_own_file(k->file, k->program)};
  vec_push(k->mem, &k->lines, l);
  k->table[i] = (uint32_t)k->lines.count;
  return (uint32_t)k->lines.count - 1;
}

/* The same text is the same string. */
static const char *file_of(struct coverage *k, const char *path, size_t n) {
  for (size_t i = k->lines.count; i-- > 0;)
    if (strlen(k->lines.at[i].file) == n && !memcmp(k->lines.at[i].file, path, n)) return k->lines.at[i].file;
  return mem_string(k->mem, path, n);
}

/* True for a function of a test framework, by its namespace: `_ZN7testing8UnitTest3RunEv`. */
static bool is_framework(const char *name) {
  static const char *const spaces[] = {"7testing", "5Catch", "7doctest", "5boost9unit_test"};
  const char *nested = begins(name, "_ZNK") ? name + 4 : begins(name, "_ZN") ? name + 3 : NULL;
  for (size_t i = 0; nested && i < sizeof spaces / sizeof *spaces; i++)
    if (begins(nested, spaces[i])) return true;
  return false;
}

static bool of_framework(const struct coverage *k, const char *file) {
  for (size_t i = 0; i < k->framework.count; i++)
    if (k->framework.at[i] == file) return true;
  return false;
}

/* The file in which a function of the framework begins is the framework's. */
static void note_framework(struct coverage *k) {
  k->in_framework = false;
  if (!of_framework(k, k->file)) vec_push(k->mem, &k->framework, k->file);
}

static void disown_framework(struct coverage *k) {
  for (size_t i = 0; i < k->lines.count; i++) k->lines.at[i].own &= !of_framework(k, k->lines.at[i].file);
}

/* "/home/me/queue.c:31 (discriminator 2)"; a line of another kind is none. */
static void read_place(struct coverage *k, const char *s) {
  const char *colon = NULL;
  char *end;
  for (const char *at = s; (at = strchr(at, ':')); at++)
    if (isdigit((unsigned char)at[1])) colon = at;
  if (!colon) return;
  unsigned long number = strtoul(colon + 1, &end, 10);
  if (*end && !begins(end, " (discriminator ")) return;
  k->discriminator = *end ? (uint32_t)strtoul(end + 16, NULL, 10) : 0;
  k->line_number = (uint32_t)number;
  if (!k->file || strlen(k->file) != (size_t)(colon - s) || memcmp(k->file, s, (size_t)(colon - s)))
    k->file = file_of(k, s, (size_t)(colon - s));
  k->line_index = line_find(k);
  if (k->in_framework) note_framework(k);
}

static bool never_returns(const char *name) {
  static const char *const names[] = {"__wrap_abort",
                                      "__wrap___assert_fail",
                                      "__wrap___stack_chk_fail",
                                      "__wrap___ubsan_handle_",
                                      "__wrap_exit",
                                      "__wrap__exit",
                                      "__wrap__Exit",
                                      "__wrap_quick_exit",
                                      "__wrap_pthread_exit",
                                      "__wrap_thrd_exit",
                                      "__wrap__ZSt9terminatev",
                                      "__cxa_throw",
                                      "__cxa_rethrow",
                                      "__cxa_bad_",
                                      "_Unwind_Resume",
                                      "_ZSt",
                                      "__clang_call_terminate",
                                      "asif_host_cannot"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!begins(name, names[i])) continue;
    return strcmp(names[i], "_ZSt") || strstr(name, "__throw_"); /* std::__throw_bad_alloc() and others */
  }
  return false;
}

/* What GoogleTest's macros call first if an assertion fails: that is not to be executed either. */
static bool reports_failure(const char *name) { return begins(name, "_ZN7testing7MessageC"); }

/* "  680000001139:	jne    680000001150 <push+0x17>" */
static void read_instruction(struct coverage *k, const char *s) {
  char *end;
  struct instruction n = {.at = strtoul(s, &end, 16), .line = k->line_index};
  if (*end != ':' || end[1] != '\t') return;
  const char *op = end + 2, *name = strrchr(op, '<'), *comment = strstr(op, "# ");
  while (begins(op, "bnd ") || begins(op, "notrack ") || begins(op, "repz ") || begins(op, "rep "))
    op = strchr(op, ' ') + 1;
  size_t length = strcspn(op, " \t");
  const char *operand = op + length + strspn(op + length, " \t");
  bool arm_jump = !strncmp(op, "b.", 2) || begins(op, "cbz ") || begins(op, "cbnz ") || begins(op, "tbz ") ||
                  begins(op, "tbnz ") || (length == 1 && *op == 'b');
  bool jump = *op == 'j' || arm_jump, call = begins(op, "call") || (length == 2 && begins(op, "bl"));
  if ((jump || call) && name) {
    const char *digits = name;
    while (digits > operand && digits[-1] == ' ') digits--;
    while (digits > operand && isxdigit((unsigned char)digits[-1])) digits--;
    n.target = strtoul(digits, NULL, 16);
  } else if (comment && name) {
    n.target = strtoul(comment + 2, NULL, 16);
    n.taken = true;
  }
  n.jumps = jump;
  n.ends = begins(op, "jmp") || (length == 1 && *op == 'b') || begins(op, "br ") || begins(op, "ret") ||
           begins(op, "ud2") || begins(op, "hlt") || begins(op, "brk") ||
           (call && name && (never_returns(name + 1) || (k->program && reports_failure(name + 1))));
  vec_push(k->mem, &k->code, n);
}

static void read_line(struct coverage *k, char *s) {
  size_t n = strlen(s);
  if (*s == ' ') {
    read_instruction(k, s);
  } else if (n > 2 && !strcmp(s + n - 2, ">:")) { /* "0000680000001139 <push>:" */
    vec_push(k->mem, &k->functions, strtoul(s, NULL, 16));
    const char *name = strchr(s, '<');
    k->in_framework = k->program && name && is_framework(name + 1);
    k->line_number = 0;
    k->line_index = NONE;
  } else if (n > 3 && !strcmp(s + n - 3, "():")) { /* "push():" the function of what follows, inlined or not */
    k->function = mem_string(k->mem, s, n - 3);
    k->line_number = 0;
    k->line_index = NONE;
  } else {
    read_place(k, s);
  }
}

static bool disassemble(struct coverage *k, const char *object, uintptr_t low, uintptr_t high) {
  char from[64], to[64], said[64];
  size_t length;
  int fd = memfd_create("asif-code", 0);
  if (fd < 0) return false;
  snprintf(said, sizeof said, "/proc/self/fd/%d", fd);
  snprintf(from, sizeof from, "--start-address=0x%lx", (unsigned long)low);
  snprintf(to, sizeof to, "--stop-address=0x%lx", (unsigned long)high);
  char *const command[] = {"objdump", "-d", "-l", "-w", "--no-show-raw-insn", from, to, (char *)object, NULL};
  struct command_run c = {.words = (char **)command, .said = said};
  commands_run(&c, 1);
  char *text = command_answer(k->mem, &c, &length);
  close(fd);
  for (char *s = text, *end; s && *s; s = end) {
    end = s + strcspn(s, "\n");
    if (*end) *end++ = 0;
    if (*s) read_line(k, s);
  }
  mem_free(k->mem, text);
  return text != NULL;
}

/* Blocks. */

/* The instruction at an address; NONE: there is none. */
static uint32_t instruction_at(const struct coverage *k, uintptr_t at) {
  size_t low = 0, high = k->code.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (k->code.at[middle].at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low < k->code.count && k->code.at[low].at == at ? (uint32_t)low : NONE;
}

static bool is_function(const struct coverage *k, uintptr_t at) {
  size_t low = 0, high = k->functions.count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (k->functions.at[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low < k->functions.count && k->functions.at[low] == at;
}

static void cut(struct coverage *k) {
  for (size_t i = 0; i < k->functions.count; i++) {
    uint32_t n = instruction_at(k, k->functions.at[i]);
    if (n != NONE) k->code.at[n].leads = true;
  }
  for (size_t i = 0; i < k->code.count; i++) {
    const struct instruction *c = &k->code.at[i];
    uint32_t to = c->target && !c->taken ? instruction_at(k, c->target) : NONE;
    if (to != NONE) k->code.at[to].leads = true;
    if ((c->jumps || c->ends) && i + 1 < k->code.count) k->code.at[i + 1].leads = true;
  }
  for (size_t i = 0; i < k->code.count; i++) {
    if (!i || k->code.at[i].leads) vec_push(k->mem, &k->blocks, ((struct block){.first = (uint32_t)i}));
    k->blocks.at[k->blocks.count - 1].last = (uint32_t)i;
  }
}

static uint32_t block_at(const struct coverage *k, uintptr_t at) {
  uint32_t n = instruction_at(k, at);
  size_t low = 0, high = k->blocks.count;
  if (n == NONE) return NONE;
  while (low + 1 < high) {
    size_t middle = (low + high) / 2;
    if (k->blocks.at[middle].first <= n)
      low = middle;
    else
      high = middle;
  }
  return (uint32_t)low;
}

typedef VEC(uint32_t) numbers;

static void reach(struct coverage *k, uint32_t block, numbers *todo) {
  if (block >= k->blocks.count || k->blocks.at[block].reachable) return;
  k->blocks.at[block].reachable = true;
  vec_push(k->mem, todo, block);
}

/* A block that ends the program, and what only leads there, is not counted; otherwise what it may be followed by. */
static void follow(struct coverage *k, numbers *todo) {
  while (todo->count) {
    uint32_t b = todo->at[--todo->count];
    const struct block *block = &k->blocks.at[b];
    for (uint32_t i = block->first; i <= block->last; i++) {
      const struct instruction *c = &k->code.at[i];
      if (c->target && (!c->taken || is_function(k, c->target))) reach(k, block_at(k, c->target), todo);
    }
    if (!k->code.at[block->last].ends) reach(k, b + 1, todo);
  }
}

/* Does it end with a call that never returns? */
static bool is_fatal(const struct coverage *k, const struct block *b) {
  const struct instruction *last = &k->code.at[b->last];
  return last->ends && last->target && !last->jumps;
}

static bool is_counted(const struct coverage *k, const struct block *b) { return b->reachable && !is_fatal(k, b); }

static void choose_places(struct coverage *k) {
  k->places = mem_alloc(k->mem, (k->blocks.count + 1) * sizeof *k->places);
  k->place_blocks = mem_alloc(k->mem, (k->blocks.count + 1) * sizeof *k->place_blocks);
  for (uint32_t b = 0; b < k->blocks.count; b++) {
    const struct block *block = &k->blocks.at[b];
    if (!is_counted(k, block)) continue;
    k->place_blocks[k->count] = b;
    k->places[k->count++] = k->base + k->code.at[block->first].at;
  }
}

/* A program calls its tests by tables that cannot be seen in the code: so all its own functions are watched, and
 * afterwards what can be come to from those that were entered is counted. */
static void watch_program(struct coverage *k, numbers *todo) {
  for (size_t i = 0; i < k->functions.count; i++) {
    uint32_t b = block_at(k, k->functions.at[i]), line = NONE;
    if (b == NONE) continue;
    for (uint32_t n = k->blocks.at[b].first; n <= k->blocks.at[b].last && line == NONE; n++) line = k->code.at[n].line;
    if (line != NONE && k->lines.at[line].own) reach(k, b, todo);
  }
}

static void count_entered(struct coverage *k) {
  numbers todo = {NULL, 0, 0};
  for (size_t b = 0; b < k->blocks.count; b++) k->blocks.at[b].reachable = false;
  for (size_t i = 0; i < k->count; i++) {
    uint32_t b = k->place_blocks[i];
    if (k->met[i] && is_function(k, k->code.at[k->blocks.at[b].first].at)) reach(k, b, &todo);
  }
  follow(k, &todo);
}

static bool is_called(const struct client_source *s, unsigned op) {
  const struct client *c = s->one;
  bool called = !c;
  for (uint32_t i = 0; c && i < c->first[c->threads]; i++) called |= c->calls[i].op == op;
  return called;
}

struct coverage *coverage_open(struct mem *m, const struct compiled *c, struct image *image,
                               const struct client_source *s, bool program) {
  struct coverage *k = mem_zero(m, 1, sizeof *k);
  numbers todo = {NULL, 0, 0};
  k->mem = m;
  k->base = image_base(image);
  k->program = program;
  k->line_index = NONE;
  k->table = mem_zero(m, TABLE, sizeof *k->table);
  if (c->code_low >= c->code_high || !disassemble(k, c->object, c->code_low, c->code_high) || !k->code.count)
    return NULL;
  disown_framework(k);
  cut(k);
  for (unsigned i = 0; i < s->object->op_count; i++)
    if (is_called(s, i)) reach(k, block_at(k, (uintptr_t)s->object->ops[i].run.function - k->base), &todo);
  if (program) watch_program(k, &todo);
  follow(k, &todo);
  choose_places(k);
  k->room = (k->count + 1) * sizeof *k->met;
  k->known = mem_zero(m, k->count + 1, sizeof *k->known);
  k->met = mmap(NULL, k->room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return k->met == MAP_FAILED ? NULL : k;
}

void coverage_watch(const struct coverage *k) {
  if (!run_cover(k->places, k->count, k->met, k->known)) k->met[k->count] = 1;
}

void coverage_news(struct coverage *k, void (*tell)(void *self, uint32_t number), void *self) {
  for (size_t i = 0; i < k->count; i++) {
    if (k->known[i] || !k->met[i]) continue;
    k->known[i] = true;
    tell(self, k->met[i] - 1);
  }
}

bool coverage_full(const struct coverage *k) {
  for (size_t i = 0; i < k->count; i++)
    if (!k->met[i]) return false;
  return true;
}

bool coverage_known(const struct coverage *k) { return !k->met[k->count]; }

/* What was not reached. */

static struct line *line_of(const struct coverage *k, uint32_t instruction) {
  uint32_t line = k->code.at[instruction].line;
  return line == NONE ? NULL : &k->lines.at[line];
}
static bool is_edge(const struct line *l) { return l->discriminator >= EDGE_DISCRIMINATOR; }

/* Is something told of this block, or of what follows it and was not executed either? */
static bool is_told(const struct coverage *k, uint32_t b, const bool *met, unsigned depth) {
  if (b >= k->blocks.count || met[b] || !depth || !is_counted(k, &k->blocks.at[b])) return false;
  const struct block *block = &k->blocks.at[b];
  const struct instruction *last = &k->code.at[block->last];
  for (uint32_t n = block->first; n <= block->last; n++) {
    const struct line *l = line_of(k, n);
    if (l && !is_edge(l) && l->own && !l->met) return true;
  }
  return (!last->ends && is_told(k, b + 1, met, depth - 1)) ||
         (last->jumps && last->target && is_told(k, block_at(k, last->target), met, depth - 1));
}

/* A way that was not taken is told only if nothing that it leads to is. */
static bool tells_by_itself(const struct coverage *k, uint32_t b, const bool *met) {
  enum { FAR = 8 };
  const struct instruction *last = &k->code.at[k->blocks.at[b].last];
  uint32_t next = last->jumps && last->ends ? block_at(k, last->target) : b + 1;
  return next < k->blocks.count && is_counted(k, &k->blocks.at[next]) && !is_told(k, next, met, FAR);
}

static void mark_lines(struct coverage *k) {
  bool *met = mem_zero(k->mem, k->blocks.count + 1, sizeof *met);
  for (size_t i = 0; i < k->count; i++) met[k->place_blocks[i]] = k->met[i];
  for (int edges = 0; edges < 2; edges++)
    for (size_t i = 0; i < k->count; i++) {
      const struct block *b = &k->blocks.at[k->place_blocks[i]];
      if (!b->reachable) continue;
      for (uint32_t n = b->first; n <= b->last; n++) {
        struct line *l = line_of(k, n);
        if (!l || is_edge(l) != edges) continue;
        l->reachable |= !edges || k->met[i] || tells_by_itself(k, k->place_blocks[i], met);
        l->met |= k->met[i];
      }
    }
}

static int by_place(const void *a, const void *b) {
  const struct line *x = *(const struct line *const *)a, *y = *(const struct line *const *)b;
  int files = x->file == y->file ? 0 : strcmp(x->file, y->file);
  return files ? files : x->line != y->line ? (x->line < y->line ? -1 : 1) : (x > y) - (x < y);
}

static int by_weight(const void *a, const void *b) {
  const struct unreached *x = a, *y = b;
  if (x->function && !y->function) return -1;
  if (y->function && !x->function) return 1;
  if (x->branch != y->branch) return x->branch ? 1 : -1;
  uint32_t i = x->last - x->first, j = y->last - y->first;
  if (i != j) return i > j ? -1 : 1;
  int files = strcmp(x->file, y->file);
  return files ? files : (x->first > y->first) - (x->first < y->first);
}

/* Was anything of the function executed, whichever way it was inlined? */
static bool function_met(struct line *const *lines, size_t count, const char *function) {
  for (size_t i = 0; i < count; i++)
    if (lines[i]->met && lines[i]->function && !strcmp(lines[i]->function, function)) return true;
  return false;
}

/* "raw_hash_set::resize" of a name of C++ with its template's arguments and parameters. */
static const char *short_name(struct mem *m, const char *name) {
  struct text t;
  int depth = 0;
  text_open(&t, m);
  if (strstr(name, "operator")) return name;
  for (; *name; name++) {
    if (*name == '(' && !depth) break;
    depth += (*name == '<') - (*name == '>');
    if (!depth && *name != '>') text_char(&t, *name);
  }
  const char *whole = text_string(&t), *space = strrchr(whole, ' '), *from = space ? space + 1 : whole;
  const char *last = NULL, *before = from; /* the last two components */
  for (const char *at = from; (at = strstr(at, "::")); at += 2) {
    if (last) before = last + 2;
    last = at;
  }
  return mem_string(m, before, strlen(before));
}

size_t coverage_unreached(struct coverage *k, struct unreached **out) {
  VEC(struct unreached) found = {NULL, 0, 0};
  size_t count = 0;
  if (k->program) count_entered(k);
  mark_lines(k);
  struct line **lines = mem_alloc(k->mem, (k->lines.count + 1) * sizeof *lines);
  for (size_t i = 0; i < k->lines.count; i++)
    if (k->lines.at[i].reachable && k->lines.at[i].own) lines[count++] = &k->lines.at[i];
  qsort(lines, count, sizeof *lines, by_place);
  bool open = false; /* the last one goes on where nothing that was executed comes between */
  for (size_t i = 0, next; i < count; i = next) {
    bool met = false, missed = false;
    for (next = i; next < count && lines[next]->file == lines[i]->file && lines[next]->line == lines[i]->line; next++) {
      met |= lines[next]->met;
      missed |= !lines[next]->met;
    }
    const char *function = lines[i]->function;
    bool whole = !met && function && !function_met(lines, count, function);
    struct unreached *last = found.count ? &found.at[found.count - 1] : NULL;
    if (missed && !met && open && last->file == lines[i]->file && !last->branch &&
        (whole ? last->function && !strcmp(last->function, function) : !last->function)) {
      last->last = lines[i]->line;
    } else if (missed) {
      struct unreached u = {.file = lines[i]->file,
                            .first = lines[i]->line,
                            .last = lines[i]->line,
                            .function = whole ? function : NULL,
                            .branch = met};
      vec_push(k->mem, &found, u);
    }
    open = missed && !met;
  }
  if (found.count) qsort(found.at, found.count, sizeof *found.at, by_weight);
  for (size_t i = 0; i < found.count; i++) {
    found.at[i].file = place_shown(k->mem, found.at[i].file);
    if (!found.at[i].function) continue;
    names_demangle(k->mem, (const char **const[]){&found.at[i].function}, 1);
    found.at[i].function = short_name(k->mem, found.at[i].function);
  }
  *out = found.at;
  return found.count;
}

void coverage_close(struct coverage *k) {
  if (k) munmap(k->met, k->room);
}
