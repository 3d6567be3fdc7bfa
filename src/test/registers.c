/* Dead registers: see registers.h.
 *
 * A walk forward through the text, along all jumps, until every register is decided: read first, or written first.
 * What is not understood reads everything. Compilers follow the calling convention: a call reads at most the registers
 * of arguments, and leaves nothing in those it need not keep; of the hooks it is known how many arguments they have. */
#include "test/registers.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS_MOST = 128, LINES_MOST = 4000, PIECE_MOST = 400 };

#define GENERAL(bit) ((register_set)1 << (bit))
#define XMM(n)       ((register_set)1 << (16 + (n)))
#define RAX          GENERAL(0)
#define IMPLICIT     ((register_set)0x1001f) /* what instructions use without naming it: rax rcx rdx rsi rdi xmm0 */
#define ARGUMENTS    (RAX | (register_set)0xfe | (register_set)0xff0000) /* with r10, and how many are in xmm */
#define RESULTS      (RAX | GENERAL(2) | XMM(0) | XMM(1))

const char *register_name(unsigned bit) {
  static const char *const names[] = {"eax", "ecx", "edx", "esi", "edi", "r8d", "r9d", "r10d", "r11d"};
  return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* The register that is named at s, behind the %; *wide: all of it is. 0: none of the set. */
static register_set register_at(const char *s, bool *wide) {
  static const char *const whole[] = {"rax", "rcx", "rdx", "rsi", "rdi"};
  static const char *const parts[][4] = {{"eax", "ax", "al", "ah"},
                                         {"ecx", "cx", "cl", "ch"},
                                         {"edx", "dx", "dl", "dh"},
                                         {"esi", "si", "sil", ""},
                                         {"edi", "di", "dil", ""}};
  char name[8] = "";
  size_t n = 0;
  *wide = false;
  while (isalnum((unsigned char)s[n])) n++;
  if (!n || n >= sizeof name) return 0;
  for (size_t i = 0; i < n; i++) name[i] = (char)tolower((unsigned char)s[i]);
  for (unsigned i = 0; i < 5; i++) {
    if (!strcmp(name, whole[i]) || !strcmp(name, parts[i][0])) return *wide = true, GENERAL(i);
    for (unsigned k = 1; k < 4; k++)
      if (!strcmp(name, parts[i][k])) return GENERAL(i);
  }
  if (begins(name, "xmm") || begins(name, "ymm") || begins(name, "zmm")) {
    unsigned long number = strtoul(name + 3, NULL, 10);
    *wide = name[0] == 'x';
    return number < 16 ? XMM(number) : 0;
  }
  if (name[0] != 'r' || !isdigit((unsigned char)name[1])) return 0;
  char *rest;
  unsigned long number = strtoul(name + 1, &rest, 10);
  *wide = !*rest || *rest == 'd';
  return number >= 8 && number <= 11 ? GENERAL(5 + (number - 8)) : 0;
}

static register_set named_in(const char *s, const char *end) {
  register_set all = 0;
  bool wide;
  for (; s < end; s++)
    if (*s == '%') all |= register_at(s + 1, &wide);
  return all;
}

/* Instructions that use nothing but what they name. */
static bool is_explicit(const char *name, const char *operands) {
  static const char *const prefixes[] = {
      "mov", "lea",  "add", "sub",  "and",    "or",  "xor",    "not",    "neg",    "inc",   "dec",  "cmp",  "test",
      "set", "cmov", "shl", "shr",  "sal",    "sar", "rol",    "ror",    "bt",     "xchg",  "xadd", "push", "pop",
      "nop", "pand", "por", "pxor", "punpck", "cvt", "lfence", "mfence", "sfence", "pause", "adc",  "sbb"};
  if (begins(name, "cmpxchg") || (!strchr(operands, '%') && (begins(name, "movs") || begins(name, "cmps"))))
    return false;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (begins(name, prefixes[i])) return true;
  return begins(name, "imul") && strchr(operands, ',');
}

/* What others use without naming it. Written by hand, an instruction may be anything. */
static register_set unnamed_by(const char *name, bool by_hand) {
  static const char *const known[] = {"cmpxchg", "mul",   "imul",  "div",     "idiv",     "stos",
                                      "movs",    "lods",  "cpuid", "rdtsc",   "bsf",      "bsr",
                                      "popcnt",  "lzcnt", "tzcnt", "clflush", "prefetch", "bswap"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (begins(name, known[i])) return IMPLICIT;
  return by_hand ? REGISTERS_GENERAL | REGISTERS_XMM : IMPLICIT;
}

/* The register that the instruction overwrites as a whole; the last operand begins at `last`. */
static register_set written_by(const char *name, const char *operands, const char *last) {
  bool wide, same, moves = begins(name, "mov") || begins(name, "lea"),
                   clears = begins(name, "xor") || begins(name, "pxor");
  size_t n = strlen(last);
  if (*last != '%' || last == operands || strchr(last, '{') || begins(name, "movs") || begins(name, "movlp") ||
      begins(name, "movhp") || begins(name, "movlh") || begins(name, "movhl"))
    return 0; /* movsbl and the like are taken for reads */
  register_set r = register_at(last + 1, &wide);
  same = !strncmp(operands, last, n) && operands[n] == ',';
  return wide && ((moves && !same) || (clears && same)) ? r : 0;
}

/* Where a line is: in what the compiler wrote; in a statement written by hand; in one that has labels, so that what
 * is written there may not have been when the next line is reached. */
enum place { COMPILED, BY_HAND, IN_LOOP };

struct walk {
  const struct function_text *function;
  register_set needed;
  unsigned lines;
  struct {
    const char *at;
    register_set open;
  } seen[LABELS_MOST];
  size_t count;
};

static void walk_from(struct walk *, const char *at, register_set open, enum place);

static enum place place_of(const char *at, const char *end) {
  const char *stop = memmem(at, (size_t)(end - at), "#NO_APP", 7);
  for (end = stop ? stop : end; at < end;) {
    const char *line = memchr(at, '\n', (size_t)(end - at));
    size_t n = line ? (size_t)(line - at) : (size_t)(end - at);
    const char *comment = memchr(at, '#', n);
    if (memchr(at, ':', comment ? (size_t)(comment - at) : n)) return IN_LOOP;
    at += n + (line != NULL);
  }
  return BY_HAND;
}

static const char *find_label(const struct function_text *f, const char *name, size_t n, enum place *place) {
  *place = COMPILED;
  for (const char *s = f->begin, *next; s < f->end; s = next) {
    const char *stop = memchr(s, '\n', (size_t)(f->end - s));
    next = stop ? stop + 1 : f->end;
    if (memmem(s, (size_t)(next - s), "#NO_APP", 7))
      *place = COMPILED;
    else if (memmem(s, (size_t)(next - s), "#APP", 4))
      *place = IN_LOOP;
    if ((size_t)(next - s) > n && !memcmp(s, name, n) && s[n] == ':') return s;
  }
  return NULL;
}

/* A jump to a label: what is needed there. */
static void walk_to(struct walk *w, const char *target, register_set open) {
  size_t n = strspn(target, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$");
  enum place place;
  const char *at =
      begins(target, ".L") && !target[n + strspn(target + n, " ")] ? find_label(w->function, target, n, &place) : NULL;
  if (!at || w->count == LABELS_MOST) {
    w->needed |= open;
    return;
  }
  for (size_t i = 0; i < w->count; i++)
    if (w->seen[i].at == at && !(open & ~w->seen[i].open)) return;
  w->seen[w->count].at = at;
  w->seen[w->count++].open = open;
  walk_from(w, at, open, place);
}

/* The registers that a call reads. */
static register_set arguments_of(const char *function) {
  static const struct {
    const char *prefix;
    unsigned count;
  } hooks[] = {{"__tsan_read", 1}, {"__tsan_write", 1}, {"__tsan_volatile", 1}, {"__tsan_unaligned", 1}};
  static const register_set first[] = {0, GENERAL(4)};
  for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
    if (begins(function, hooks[i].prefix) && !strstr(function, "range")) return first[hooks[i].count];
  if (begins(function, "__tsan_atomic") && strstr(function, "_load")) return GENERAL(4) | GENERAL(3);
  if (begins(function, "__tsan_atomic") && !strstr(function, "compare_exchange") && !strstr(function, "128"))
    return GENERAL(4) | GENERAL(3) | GENERAL(2);
  return ARGUMENTS;
}

/* One instruction; false: the walk ends here. */
static bool is_prefix(const char *word) {
  static const char *const prefixes[] = {"lock", "rep", "bnd", "notrack", "data16", "rex64"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (!strcmp(word, prefixes[i])) return true;
  return false;
}

static bool walk_over(struct walk *w, char *s, register_set *open, enum place place) {
  bool by_hand = place != COMPILED;
  char name[24];
  const char *last;
  for (;;) {
    size_t n = strcspn(s, " \t");
    snprintf(name, sizeof name, "%.*s", (int)n, s);
    s += n + strspn(s + n, " \t");
    if (!is_prefix(name)) break;
    if (!strcmp(name, "rep") && !begins(s, "ret") && !begins(s, "nop")) w->needed |= *open & IMPLICIT;
    if (!*s) return true;
  }
  if (begins(name, "ud2") || begins(name, "hlt")) return false;
  if (begins(name, "ret")) {
    w->needed |= by_hand ? *open : *open & RESULTS;
    return false;
  }
  if (begins(name, "call")) {
    w->needed |= by_hand || *s == '*' ? *open & (by_hand ? *open : ARGUMENTS | named_in(s, s + strlen(s)))
                                      : *open & arguments_of(s);
    return false;
  }
  if (!strcmp(name, "jmp") || !strcmp(name, "jmpq")) {
    bool inside = isdigit((unsigned char)*s); /* of the statement: what it names is taken for read */
    if (inside) return true;
    if (*s == '*' || by_hand || begins(s, ".L"))
      walk_to(w, s, *open);
    else
      w->needed |= *open & ARGUMENTS; /* a call in its place */
    return false;
  }
  if (name[0] == 'j' || begins(name, "loop")) {
    if (begins(name, "loop") || strstr(name, "cxz")) w->needed |= *open & GENERAL(1);
    if (!isdigit((unsigned char)*s)) walk_to(w, s, *open);
    *open &= ~w->needed;
    return true;
  }
  /* The last operand: behind the last comma that is not inside of parentheses. */
  int depth = 0;
  last = s;
  for (const char *c = s; *c; c++) {
    depth += (*c == '(') - (*c == ')');
    if (*c == ',' && !depth) last = c + 1 + strspn(c + 1, " \t");
  }
  register_set written = place == IN_LOOP ? 0 : written_by(name, s, last);
  register_set read = named_in(s, written ? last : s + strlen(s));
  if (written && (begins(name, "xor") || begins(name, "pxor"))) read &= ~written;
  if (!is_explicit(name, s)) read |= unnamed_by(name, by_hand);
  w->needed |= *open & read;
  *open &= ~(read | written);
  return true;
}

/* The pieces of a line: labels, directives, instructions; false: the walk ends. */
static bool walk_line(struct walk *w, const char *line, size_t n, register_set *open, enum place place) {
  const char *comment = memchr(line, '#', n);
  if (comment) n = (size_t)(comment - line);
  while (n) {
    const char *end = memchr(line, ';', n);
    size_t k = end ? (size_t)(end - line) : n;
    char piece[PIECE_MOST], *s = piece;
    if (k >= sizeof piece) {
      w->needed |= *open;
      return false;
    }
    snprintf(piece, sizeof piece, "%.*s", (int)k, line);
    for (;;) {
      s += strspn(s, " \t");
      size_t label = strspn(s, ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$");
      if (!label || s[label] != ':') break;
      s += label + 1;
    }
    for (size_t i = strlen(s); i && isspace((unsigned char)s[i - 1]);) s[--i] = 0;
    bool numbers = *s == '.' && !begins(s, ".loc") && !begins(s, ".cfi"); /* or another syntax, a macro, ... */
    if (numbers && place != COMPILED) {
      w->needed |= *open;
      return false;
    }
    if (*s && *s != '.' && !walk_over(w, s, open, place)) return false;
    if (!*open) return false;
    k += end != NULL;
    line += k;
    n -= k;
  }
  return true;
}

static void walk_from(struct walk *w, const char *at, register_set open, enum place place) {
  for (open &= ~w->needed; open;) {
    if (at >= w->function->end || w->lines++ > LINES_MOST) {
      w->needed |= open;
      return;
    }
    const char *stop = memchr(at, '\n', (size_t)(w->function->end - at));
    size_t n = stop ? (size_t)(stop - at) : (size_t)(w->function->end - at);
    if (memmem(at, n, "#NO_APP", 7))
      place = COMPILED;
    else if (memmem(at, n, "#APP", 4))
      place = place_of(at, w->function->end);
    else if (!walk_line(w, at, n, &open, place))
      return;
    at += n + (stop != NULL);
  }
}

register_set registers_needed(const struct function_text *f, const char *at, bool by_hand) {
  struct walk w = {.function = f};
  walk_from(&w, at, REGISTERS_GENERAL | REGISTERS_XMM, by_hand ? place_of(at, f->end) : COMPILED);
  return w.needed;
}

register_set registers_read(const struct function_text *f, const char *text, size_t length) {
  struct walk w = {.function = f};
  register_set open = REGISTERS_GENERAL | REGISTERS_XMM;
  enum place place = place_of(text, text + length);
  while (length && open) {
    const char *stop = memchr(text, '\n', length);
    size_t n = stop ? (size_t)(stop - text) : length;
    if (!walk_line(&w, text, n, &open, place) && open) w.needed |= open;
    n += stop != NULL;
    text += n;
    length -= n;
  }
  return w.needed;
}
