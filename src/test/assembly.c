/* What a statement of hand-written assembly may do: see assembly.h.
 *
 * It is told from the text, since the compiler does not look into it either. An instruction is harmless if it is known
 * to be, or if none of its operands is in memory; the stack does not count, which is the thread's own. What is not
 * understood is taken for an access. */
#include "test/assembly.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

static bool listed(const char *name, const char *const *list) {
  for (; *list; list++) {
    size_t n = strlen(*list);
    if ((*list)[n - 1] == '*' ? !strncmp(name, *list, n - 1) : !strcmp(name, *list)) return true;
  }
  return false;
}

static void found(struct assembly *a, enum unseen_kind kind, const char *text) {
  if (kind == UNSEEN_FENCE)
    a->fences = true;
  else
    a->among = true;
  if (kind <= a->worst) return;
  a->worst = kind;
  snprintf(a->text, sizeof a->text, "%s", text);
}

/* Operands. */

#if defined(__x86_64__)
static bool is_register(const char *s, size_t n) {
  static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "eax", "ebx", "ecx",
                                      "edx", "esi", "edi", "ebp", "esp", "ax",  "bx",  "cx",  "dx",  "si",  "di",
                                      "al",  "bl",  "cl",  "dl",  "ah",  "bh",  "ch",  "dh",  "sil", "dil", NULL};
  char name[8];
  if (n >= sizeof name) return false;
  snprintf(name, sizeof name, "%.*s", (int)n, s);
  if (listed(name, names)) return true;
  const char *number = begins(name, "xmm") || begins(name, "ymm") || begins(name, "zmm") ? name + 3 : name + 1;
  return (number > name + 1 || name[0] == 'r') && isdigit((unsigned char)*number);
}
#endif

/* On the stack, in a register, a number: nobody else's. */
enum operand { OPERAND_NONE, OPERAND_STACK, OPERAND_MEMORY };

static enum operand operand_of(const struct assembly *a, const char *s, size_t n) {
  while (n && isspace((unsigned char)s[n - 1])) n--;
  if (!n) return OPERAND_NONE;
#if defined(__x86_64__)
  const char *open = memchr(s, '(', n), *square = memchr(s, '[', n);
  if (a->intel) {
    if (square) return begins(square, "[rsp") ? OPERAND_STACK : OPERAND_MEMORY;
    return isdigit((unsigned char)*s) || *s == '-' || is_register(s, n) ? OPERAND_NONE : OPERAND_MEMORY;
  }
  if (open && memchr(s, '%', n) && *s != '$') {
    if (*s == '%' && memchr(s, ':', n)) return OPERAND_MEMORY; /* %fs:(%rax) */
    return begins(open, "(%rsp") ? OPERAND_STACK : *s == '%' ? OPERAND_NONE : OPERAND_MEMORY;
  }
  if (*s == '%') return memchr(s, ':', n) ? OPERAND_MEMORY : OPERAND_NONE;
  return *s == '$' ? OPERAND_NONE : OPERAND_MEMORY; /* a name by itself is a place */
#else
  (void)a;
  if (*s != '[') return OPERAND_NONE; /* v0.s[1] is a register */
  return begins(s, "[sp") ? OPERAND_STACK : OPERAND_MEMORY;
#endif
}

static enum operand operands_of(const struct assembly *a, const char *s) {
  enum operand most = OPERAND_NONE;
  while (*s) {
    size_t n = 0;
    int depth = 0;
    while (isspace((unsigned char)*s)) s++;
    for (; s[n] && (s[n] != ',' || depth > 0); n++)
      depth += (s[n] == '(' || s[n] == '[') - (s[n] == ')' || s[n] == ']');
    enum operand o = operand_of(a, s, n);
    if (o > most) most = o;
    s += n + (s[n] == ',');
  }
  return most;
}

/* Instructions. */

static const char *const harmless[] = {
    "nop*",  "lea*",  "prefetch*", "clflush*", "clwb", "pause", "endbr64", "cpuid", "serialize", "ret*",   "hint",
    "yield", "prfm*", "ud2",       "int3",     "cld",  "leave", "brk",     "bti",   "hlt",       "tpause", NULL};
static const char *const fences[] = {"mfence", "lfence", "sfence", "dmb", "dsb", "isb", NULL};
static const char *const clocks[] = {"rdtsc", "rdtscp", "rdrand", "rdseed", "rdpmc", "rdpid", "mrs", NULL};
static const char *const jumps[] = {
#if defined(__x86_64__)
    "j*", "loop*",
#else
    "b",   "b.*", "beq", "bne", "bcs", "bhs", "bcc", "blo", "bmi",  "bpl", "bvs",  "bvc",
    "bhi", "bls", "bge", "blt", "bgt", "ble", "bal", "cbz", "cbnz", "tbz", "tbnz",
#endif
    NULL};
/* Their memory is not among the operands, or what they do cannot be told. */
static const char *const strange[] = {"movs",    "stos*",  "lods*", "scas*",    "cmps",      "xlat*", "maskmov*",
                                      "syscall", "svc",    "int",   "sysenter", "xbegin",    "xend",  "monitor*",
                                      "mwait*",  "umwait", "call*", "bl",       "blr",       "br",    "hvc",
                                      "smc",     "msr",    "sys",   "vmcall",   "vmaskmov*", "enclu", NULL};
static const char *const strings[] = {"movsb", "movsw", "movsl", "movsq", "movsd",
                                      "cmpsb", "cmpsw", "cmpsl", "cmpsq", NULL};

/* Within what is written here? "1f", ".L12", "%l1" were local; "f", "*%rax" lead anywhere. */
static bool is_local(const char *target) {
#if !defined(__x86_64__)
  const char *last = strrchr(target, ','); /* cbnz w0, 1b */
  if (last) target = last + 1 + strspn(last + 1, " ");
#endif
  size_t digits = strspn(target, "0123456789");
  if (digits && (target[digits] == 'f' || target[digits] == 'b') && !isalnum((unsigned char)target[digits + 1]))
    return true;
  return begins(target, ".L") || strstr(target, ", .L");
}

/* int3, written as an interrupt with a number. */
static bool is_breakpoint(const struct instruction *i) {
  return !strcmp(i->name, "int") && i->operands[0] == '$' && strtol(i->operands + 1, NULL, 0) == 3;
}

bool assembly_touches(const struct assembly *a, const char *operands) {
  return operands_of(a, operands) != OPERAND_NONE;
}

bool assembly_harmless(const struct instruction *i) {
  return listed(i->name, harmless) || is_breakpoint(i) || (listed(i->name, jumps) && is_local(i->operands));
}

enum unseen_kind assembly_kind(const struct assembly *a, const struct instruction *i) {
  const char *name = i->name, *operands = i->operands;
  if (listed(name, fences)) return UNSEEN_FENCE;
#if defined(__aarch64__)
  if (!strcmp(name, "mrs")) {
    bool own = strcasestr(operands, "nzcv") || strcasestr(operands, "fpcr") || strcasestr(operands, "fpsr");
    return own ? UNSEEN_NOTHING : strcasestr(operands, "tpidr") ? UNSEEN_MEMORY : UNSEEN_CLOCK;
  }
  /* All others of these names have brackets; but a constant is in the code. */
  bool loads = begins(name, "ld") || begins(name, "st"), zeroes = !strcmp(name, "dc") && strcasestr(operands, "zva");
  if (zeroes || (loads && !strchr(operands, '[') && !strchr(operands, '='))) return UNSEEN_MEMORY;
#endif
  if (listed(name, clocks)) return UNSEEN_CLOCK;
  if (is_breakpoint(i)) return UNSEEN_NOTHING;
  if (listed(name, strange) || (listed(name, strings) && !strchr(operands, '%'))) return UNSEEN_MEMORY;
  if (listed(name, jumps)) return is_local(operands) ? UNSEEN_NOTHING : UNSEEN_MEMORY;
  if (listed(name, harmless)) return UNSEEN_NOTHING;
  enum operand o = operands_of(a, operands);
  if (o == OPERAND_MEMORY || a->macros) return UNSEEN_MEMORY;
  if (o == OPERAND_STACK && i->locked) return UNSEEN_FENCE;
  return o == OPERAND_STACK && begins(name, "xchg") ? UNSEEN_AMONG : UNSEEN_NOTHING;
}

bool assembly_split(const char *s, struct instruction *i) {
  static const char *const prefixes[] = {"bnd", "notrack", "data16", "xacquire", "xrelease", "cs", "ds", NULL};
  static const char *const repeats[] = {"rep", "repe", "repz", "repne", "repnz", NULL};
  i->name[0] = 0;
  i->operands = "";
  for (;;) {
    size_t n = strcspn(s, " \t");
    snprintf(i->name, sizeof i->name, "%.*s", (int)n, s);
    s += n + strspn(s + n, " \t");
    i->operands = s;
    if (!strcmp(i->name, "lock"))
      i->locked = true;
    else if (listed(i->name, repeats))
      snprintf(i->repeat, sizeof i->repeat, "%.5s", i->name);
    else if (!listed(i->name, prefixes))
      return true;
    if (!*s) return false;
  }
}

static void instruction(struct assembly *a, const char *s) {
  struct instruction i = {.locked = a->locked};
  char text[80];
  a->locked = false;
  if (!assembly_split(s, &i)) { /* the prefix belongs to what follows */
    a->locked = i.locked;
    return;
  }
  snprintf(text, sizeof text, "%s%s", i.locked && !begins(s, "lock") ? "lock " : "", s);
  found(a, assembly_kind(a, &i), text);
}

/* Instructions may be given as numbers, too. */
static void directive(struct assembly *a, const char *s) {
  static const char *const data[] = {
      ".byte",    ".short",  ".word",   ".long",    ".quad",    ".inst*",   ".insn*",  ".octa",     ".2byte",
      ".4byte",   ".8byte",  ".int",    ".value",   ".hword",   ".xword",   ".dword",  ".ascii*",   ".asciz*",
      ".string*", ".fill",   ".zero",   ".skip",    ".space",   ".dc*",     ".ds*",    ".float*",   ".single",
      ".double",  ".tfloat", ".incbin", ".include", ".sleb128", ".uleb128", ".base64", ".bfloat16", NULL};
  char name[24];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(s, " \t"), s);
  if (begins(name, ".intel_syntax"))
    a->intel = true;
  else if (begins(name, ".att_syntax"))
    a->intel = false;
  else if (begins(name, ".pushsection") || begins(name, ".section") || begins(name, ".data"))
    a->elsewhere = !strstr(s, ".text") && !strstr(s, "\"ax");
  else if (begins(name, ".popsection") || begins(name, ".previous") || begins(name, ".text"))
    a->elsewhere = false;
  else if (begins(name, ".macro"))
    a->macros = true;
  else if (!a->elsewhere && listed(name, data) && strcmp(s, ".byte 0xf3,0x90") && strcmp(s, ".byte 0xf3, 0x90"))
    found(a, UNSEEN_MEMORY, s);
}

/* One of several between semicolons, without what is around it. */
static void piece(struct assembly *a, char *s) {
  for (;;) { /* labels */
    s += strspn(s, " \t");
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
    if (!n || s[n] != ':') break;
    s += n + 1;
  }
  for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]);) s[--n] = 0;
  for (char *c = s; *c; c++)
    if (*c == '\t') *c = ' ';
  if (*s == '.')
    directive(a, s);
  else if (*s && !a->elsewhere && !strstr(s, " = "))
    instruction(a, s);
}

void assembly_begin(struct assembly *a) {
  a->locked = a->among = a->fences = a->elsewhere = false;
  a->worst = UNSEEN_NOTHING;
  a->text[0] = 0;
}

size_t assembly_without_comment(const char *line, size_t length) {
#if defined(__x86_64__)
  const char *comment = memchr(line, '#', length);
#else
  const char *comment = memmem(line, length, "//", 2);
#endif
  return comment ? (size_t)(comment - line) : length;
}

void assembly_line(struct assembly *a, const char *line, size_t length) {
  char buffer[1000];
  length = assembly_without_comment(line, length);
  while (length) {
    const char *end = memchr(line, ';', length);
    size_t n = end ? (size_t)(end - line) : length;
    snprintf(buffer, sizeof buffer, "%.*s", (int)n, line);
    piece(a, buffer);
    n += end != NULL;
    line += n;
    length -= n;
  }
}

enum unseen_kind assembly_end(struct assembly *a) {
  if (a->fences && a->among && a->worst < UNSEEN_MEMORY) return UNSEEN_AMONG;
  return a->worst;
}

enum unseen_kind assembly_intrinsic(struct assembly *a, const char *line) {
  static const char *const memory[] = {"movnt*",     "vmovnt*",     "lddqu",     "vlddqu",    "maskmov*",   "vmaskmov*",
                                       "vpmaskmov*", "vgather*",    "vpgather*", "vscatter*", "vpscatter*", "movdir*",
                                       "vcompress*", "vpcompress*", "vexpand*",  "vpexpand*", "xsave*",     "fxsave*",
                                       "xbegin",     "enqcmd*",     NULL};
  char name[24];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " \t"), line);
  if (!islower((unsigned char)*name)) return UNSEEN_NOTHING;
  if (!strcmp(name, "mrs") && strstr(line, "tpidr")) return UNSEEN_NOTHING; /* a thread-local variable */
  bool masked = strstr(line, "{%k") != NULL;                                /* loads and stores of some elements */
  if (!masked && !listed(name, memory) && !listed(name, fences) && !listed(name, clocks)) return UNSEEN_NOTHING;
  assembly_line(a, line, strlen(line));
  return assembly_end(a);
}

bool assembly_pauses(const char *line) {
  return begins(line, "yield") || begins(line, "pause") || begins(line, "rep nop") || begins(line, "rep; nop") ||
         begins(line, "rep\tnop");
}
