/* Hooks for assembly written by hand, on aarch64: see announce.h.
 *
 * The address goes to the runtime in x16, the word in w17. The calls keep all registers and the flags; below the stack
 * pointer there is nothing that has to be kept.
 *
 * A store-exclusive cannot be run as it is: the hooks write to memory after the load-exclusive, and the machine may
 * then let it fail for ever. So the runtime says whether it succeeds, and it is an ordinary store, or none. In an
 * ordinary program it is what it was.
 *
 * An instruction is rewritten only if the table below knows what it accesses. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "test/announce.h"

#if defined(__aarch64__)

enum { OPERANDS_MOST = 6, SAVED = 32 /* bytes that are pushed before an address is computed */ };

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* Operands. */

enum { NUMBER_ZERO = 31, NUMBER_SP = 32 };
struct reg {
  char kind; /* x, w: general; b, h, s, d, q: of floating point; 0: it is none */
  unsigned number;
};

static struct reg reg_of(const char *s) {
  static const struct {
    const char *name;
    struct reg reg;
  } others[] = {{"sp", {'x', NUMBER_SP}}, {"xzr", {'x', NUMBER_ZERO}}, {"wzr", {'w', NUMBER_ZERO}},
                {"ip0", {'x', 16}},       {"ip1", {'x', 17}},          {"fp", {'x', 29}},
                {"lr", {'x', 30}}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (!strcmp(s, others[i].name)) return others[i].reg;
  size_t digits = *s ? strspn(s + 1, "0123456789") : 0;
  if (!*s || !strchr("xwbhsdq", *s) || !digits || digits > 2 || s[1 + digits]) return (struct reg){0, 0};
  unsigned n = (unsigned)strtoul(s + 1, NULL, 10);
  if (n > (*s == 'x' || *s == 'w' ? 30u : 31u)) return (struct reg){0, 0};
  return (struct reg){*s, n};
}

static unsigned reg_size(struct reg r) {
  switch (r.kind) {
  case 'b': return 1;
  case 'h': return 2;
  case 'w':
  case 's': return 4;
  case 'x':
  case 'd': return 8;
  case 'q': return 16;
  default: return 0;
  }
}

struct operands {
  char text[OPERANDS_MOST][64]; /* in small letters, without spaces; of memory: what is between the brackets */
  unsigned count;
  unsigned memory; /* which of them it is */
  bool before;     /* with `!`: the base is changed first */
};

/* False: they are not understood, or none is in memory. */
static bool read_operands(const char *s, struct operands *o) {
  *o = (struct operands){.memory = OPERANDS_MOST};
  while (*s) {
    size_t n = 0;
    bool memory = false;
    if (o->count == OPERANDS_MOST) return false;
    char *to = o->text[o->count];
    s += strspn(s, " ");
    if (*s == '[') memory = true, s++;
    for (; *s && *s != (memory ? ']' : ','); s++) {
      if (*s == '[' || *s == '{' || *s == '"' || *s == '(' || n + 1 == sizeof o->text[0]) return false;
      if (*s != ' ') to[n++] = (char)tolower((unsigned char)*s);
    }
    if (!n) return false;
    if (memory) {
      if (o->memory != OPERANDS_MOST || *s++ != ']') return false;
      o->memory = o->count;
      s += strspn(s, " ");
      if (*s == '!') o->before = true, s++;
      s += strspn(s, " ");
    }
    o->count++;
    if (*s && *s++ != ',') return false;
  }
  return o->memory != OPERANDS_MOST;
}

/* #12, 12, #-0x10 */
static bool number_of(const char *s, long *n) {
  char *end;
  if (*s == '#') s++;
  if (!*s) return false;
  *n = strtol(s, &end, 0);
  return !*end;
}

/* Instructions. */

enum role {
  LOAD,
  STORE,
  LOAD_PAIR,
  STORE_PAIR,
  LINK,
  CONDITIONAL,
  LINK_PAIR,
  CONDITIONAL_PAIR,
  UPDATE,
  COMPARE,
  COMPARE_PAIR
};
enum {
  ACQUIRES = 1,
  RELEASES = 2,
  ORDERS = 4 /* a, l or al may follow */,
  RELEASE_ONLY = 8 /* l may */,
  NARROW = 16 /* b or h may */
};

static const struct known {
  char name[9];
  unsigned char role, flags, size; /* size 0: as the suffix or a register says */
} known[] = {{"ldr", LOAD, NARROW, 0},
             {"ldur", LOAD, NARROW, 0},
             {"ldar", LOAD, NARROW | ACQUIRES, 0},
             {"ldapr", LOAD, NARROW | ACQUIRES, 0},
             {"ldapur", LOAD, NARROW | ACQUIRES, 0},
             {"ldrsb", LOAD, 0, 1},
             {"ldrsh", LOAD, 0, 2},
             {"ldrsw", LOAD, 0, 4},
             {"ldursb", LOAD, 0, 1},
             {"ldursh", LOAD, 0, 2},
             {"ldursw", LOAD, 0, 4},
             {"str", STORE, NARROW, 0},
             {"stur", STORE, NARROW, 0},
             {"stlr", STORE, NARROW | RELEASES, 0},
             {"stlur", STORE, NARROW | RELEASES, 0},
             {"ldp", LOAD_PAIR, 0, 0},
             {"ldnp", LOAD_PAIR, 0, 0},
             {"ldpsw", LOAD_PAIR, 0, 8},
             {"stp", STORE_PAIR, 0, 0},
             {"stnp", STORE_PAIR, 0, 0},
             {"ldxr", LINK, NARROW, 0},
             {"ldaxr", LINK, NARROW | ACQUIRES, 0},
             {"stxr", CONDITIONAL, NARROW, 0},
             {"stlxr", CONDITIONAL, NARROW | RELEASES, 0},
             {"ldxp", LINK_PAIR, 0, 0},
             {"ldaxp", LINK_PAIR, ACQUIRES, 0},
             {"stxp", CONDITIONAL_PAIR, 0, 0},
             {"stlxp", CONDITIONAL_PAIR, RELEASES, 0},
             {"cas", COMPARE, ORDERS | NARROW, 0},
             {"casp", COMPARE_PAIR, ORDERS, 0},
             {"swp", UPDATE, ORDERS | NARROW, 0},
             {"ldadd", UPDATE, ORDERS | NARROW, 0},
             {"ldclr", UPDATE, ORDERS | NARROW, 0},
             {"ldeor", UPDATE, ORDERS | NARROW, 0},
             {"ldset", UPDATE, ORDERS | NARROW, 0},
             {"ldsmax", UPDATE, ORDERS | NARROW, 0},
             {"ldsmin", UPDATE, ORDERS | NARROW, 0},
             {"ldumax", UPDATE, ORDERS | NARROW, 0},
             {"ldumin", UPDATE, ORDERS | NARROW, 0},
             {"stadd", UPDATE, RELEASE_ONLY | NARROW, 0},
             {"stclr", UPDATE, RELEASE_ONLY | NARROW, 0},
             {"steor", UPDATE, RELEASE_ONLY | NARROW, 0},
             {"stset", UPDATE, RELEASE_ONLY | NARROW, 0},
             {"stsmax", UPDATE, RELEASE_ONLY | NARROW, 0},
             {"stsmin", UPDATE, RELEASE_ONLY | NARROW, 0},
             {"stumax", UPDATE, RELEASE_ONLY | NARROW, 0},
             {"stumin", UPDATE, RELEASE_ONLY | NARROW, 0}};

struct touch {
  enum role role;
  bool acquires, releases;
  unsigned size; /* 0: as a register says */
};

/* With what may follow its name. */
static bool is_named(const struct known *k, const char *name, struct touch *t) {
  static const char *const orders[] = {"", "a", "l", "al"}, *const widths[] = {"", "b", "h"};
  for (unsigned o = 0; o < 4; o++) {
    if (o && !(k->flags & ORDERS) && !(o == 2 && k->flags & RELEASE_ONLY)) continue;
    for (unsigned w = 0; w < (k->flags & NARROW ? 3 : 1); w++) {
      char full[16];
      snprintf(full, sizeof full, "%.8s%s%s", k->name, orders[o], widths[w]);
      if (strcmp(full, name) != 0) continue;
      *t = (struct touch){.role = k->role,
                          .acquires = k->flags & ACQUIRES || o & 1,
                          .releases = k->flags & RELEASES || o & 2,
                          .size = w ? w : k->size};
      return true;
    }
  }
  return false;
}

static bool find(const char *name, struct touch *t) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (is_named(&known[i], name, t)) return true;
  return false;
}

static bool is_exclusive_store(enum role r) { return r == CONDITIONAL || r == CONDITIONAL_PAIR; }
static bool is_pair(enum role r) {
  return r == LOAD_PAIR || r == STORE_PAIR || r == LINK_PAIR || r == CONDITIONAL_PAIR || r == COMPARE_PAIR;
}

/* Its size, from the register that holds the value; false: that is none, or there are more or fewer than there should.
 */
static bool size_of(struct touch *t, const struct operands *o) {
  static const unsigned char before[] = {[LOAD] = 1,   [STORE] = 1,       [LOAD_PAIR] = 2,   [STORE_PAIR] = 2,
                                         [LINK] = 1,   [CONDITIONAL] = 2, [LINK_PAIR] = 2,   [CONDITIONAL_PAIR] = 3,
                                         [UPDATE] = 2, [COMPARE] = 2,     [COMPARE_PAIR] = 4};
  bool only_stores = t->role == UPDATE && o->memory == 1; /* stadd */
  if (o->memory != before[t->role] && !only_stores) return false;
  if (o->count > o->memory + 1u && (o->count > o->memory + 2u || t->role > STORE_PAIR)) return false;
  for (unsigned i = 0; i < o->memory; i++) {
    struct reg r = reg_of(o->text[i]);
    if (!r.kind || r.number == NUMBER_SP) return false;
    if (t->role > STORE_PAIR && r.kind != 'x' && r.kind != 'w') return false;
  }
  unsigned one = reg_size(reg_of(o->text[is_exclusive_store(t->role) ? 1 : 0]));
  if (!t->size) t->size = is_pair(t->role) ? 2 * one : one;
  return t->size > 0;
}

/* The code around an instruction. */

static void put_enter(struct text *t) { text_add(t, "\tstp x16, x17, [sp, #-32]!\n\tstp x30, xzr, [sp, #16]\n"); }

static void put_call(struct announcing *k, struct text *t, const char *function, unsigned word) {
  word |= k->vectors;
  text_printf(t, "\tmov w17, #%u\n\tmovk w17, #%u, lsl #16\n\tbl .Lasif_%s\n", word & 0xffff, word >> 16, function);
  k->any = true;
}

static void put_leave(struct text *t) { text_add(t, "\tldr x30, [sp, #16]\n\tldp x16, x17, [sp], #32\n"); }

static void put_hook(struct announcing *k, struct text *t, const char *function, unsigned word) {
  put_enter(t);
  put_call(k, t, function, word);
  put_leave(t);
}

void machine_pause(struct announcing *k, struct text *t) {
  put_hook(k, t, "before", ANNOUNCED_WORD(ANNOUNCED_PAUSE, 0));
}

/* add x16, base, index{, extension}: false: that is not understood. */
static bool put_index(struct text *t, const char *base, const char *index) {
  static const char *const extensions[] = {"lsl#", "sxtw", "uxtw", "sxtx"};
  char name[8], *comma = strchr(index, ',');
  size_t n = comma ? (size_t)(comma - index) : strlen(index);
  bool known_extension = !comma;
  snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, index);
  struct reg r = reg_of(name);
  if ((r.kind != 'x' && r.kind != 'w') || r.number == NUMBER_SP) return false;
  for (size_t i = 0; comma && i < sizeof extensions / sizeof *extensions; i++)
    known_extension |= begins(comma + 1, extensions[i]);
  if (!known_extension || (r.kind == 'w') != (comma && comma[3] == 't' && comma[4] == 'w')) return false;
  text_printf(t, "\tadd x16, %s, %s\n", base, index);
  return true;
}

/* The address in x16. */
static bool put_address(struct text *t, const struct operands *o) {
  const char *s = o->text[o->memory];
  char base[8];
  size_t n = strcspn(s, ",");
  long offset = 0;
  bool after = o->count > o->memory + 1u;
  snprintf(base, sizeof base, "%.*s", n < sizeof base ? (int)n : 0, s);
  struct reg r = reg_of(base);
  if (r.kind != 'x' || r.number == NUMBER_ZERO || (after && (s[n] || o->before))) return false;
  bool stack = r.number == NUMBER_SP;
  if (s[n] && begins(s + n + 1, ":lo12:") && !stack) {
    text_printf(t, "\tadd x16, %s, %s\n", base, s + n + 1);
    return true;
  }
  if (s[n] && !number_of(s + n + 1, &offset)) return !stack && put_index(t, base, s + n + 1);
  if (stack) offset += SAVED;
  if (offset <= -(1 << 24) || offset >= 1 << 24) return false;
  const char *operation = offset < 0 ? "sub" : "add";
  unsigned long distance = (unsigned long)labs(offset);
  text_printf(t, "\t%s x16, %s, #%lu\n", operation, base, distance & 0xfff);
  if (distance >> 12) text_printf(t, "\t%s x16, x16, #%lu, lsl #12\n", operation, distance >> 12);
  return true;
}

static unsigned word_of(const struct touch *t, const struct operands *o) {
  static const enum announced_kind kinds[] = {[LOAD] = ANNOUNCED_LOAD,
                                              [STORE] = ANNOUNCED_STORE,
                                              [LOAD_PAIR] = ANNOUNCED_LOAD,
                                              [STORE_PAIR] = ANNOUNCED_STORE,
                                              [LINK] = ANNOUNCED_LINK,
                                              [CONDITIONAL] = ANNOUNCED_CONDITIONAL,
                                              [LINK_PAIR] = ANNOUNCED_LINK,
                                              [CONDITIONAL_PAIR] = ANNOUNCED_CONDITIONAL,
                                              [UPDATE] = ANNOUNCED_UPDATE,
                                              [COMPARE] = ANNOUNCED_EXCHANGE,
                                              [COMPARE_PAIR] = ANNOUNCED_EXCHANGE};
  unsigned word = ANNOUNCED_WORD(kinds[t->role], t->size);
  if (t->role >= LINK) word |= ANNOUNCED_LOCKED;
  if (t->role == LOAD_PAIR || t->role == STORE_PAIR) word |= ANNOUNCED_PARTS;
  if (t->acquires) word |= ANNOUNCED_ACQUIRES;
  if (t->releases) word |= ANNOUNCED_RELEASES;
  if (t->role == COMPARE || t->role == COMPARE_PAIR) word |= ANNOUNCED_EXPECTS(reg_of(o->text[0]).number);
  return word;
}

/* The runtime has left in memory what becomes of it: 0: it stores, 1: it does not; 2: there is no runtime. */
static bool put_conditional(struct announcing *k, struct text *t, const struct touch *touch, const struct operands *o,
                            const char *instruction) {
  struct reg status = reg_of(o->text[0]), base = reg_of(o->text[o->memory]);
  unsigned word = word_of(touch, o), n = (*k->labels)++;
  if (status.kind != 'w' || status.number == 16 || status.number == 17 || status.number >= 30) return false;
  if (base.number == status.number) return false;
  for (unsigned i = 1; i < o->memory; i++)
    if (reg_of(o->text[i]).number == status.number) return false;
  put_enter(t);
  if (!put_address(t, o)) return false;
  put_call(k, t, "before", word);
  text_printf(t, "\tldr w%u, [sp, #24]\n", status.number);
  put_leave(t);
  text_printf(t, "\tcbz w%u, .Lasif_store%u\n\ttbnz w%u, #0, .Lasif_stored%u\n\t%s\n\tb .Lasif_stored%u\n",
              status.number, n, status.number, n, instruction, n);
  if (touch->role == CONDITIONAL)
    text_printf(t, ".Lasif_store%u:\n\tstr%s %s, [%s]\n", n,
                touch->size == 1   ? "b"
                : touch->size == 2 ? "h"
                                   : "",
                o->text[1], o->text[2]);
  else
    text_printf(t, ".Lasif_store%u:\n\tstp %s, %s, [%s]\n", n, o->text[1], o->text[2], o->text[3]);
  text_printf(t, ".Lasif_stored%u:\n", n);
  put_hook(k, t, "after", word);
  return true;
}

static bool put_touch(struct announcing *k, struct text *t, const struct touch *touch, const struct operands *o,
                      const char *instruction) {
  unsigned word = word_of(touch, o);
  if (is_exclusive_store(touch->role)) return put_conditional(k, t, touch, o, instruction);
  put_enter(t);
  if (!put_address(t, o)) return false;
  put_call(k, t, "before", word);
  put_leave(t);
  text_printf(t, "\t%s\n", instruction);
  put_hook(k, t, "after", word);
  return true;
}

/* dmb ish, dsb sy, isb: which accesses it orders. Reads that decide what is done next and an isb acquire. */
static bool fence_of(const struct instruction *i, enum announced_kind *kind) {
  static const char *const domains[] = {"", "sy", "ish", "osh", "nsh"};
  char s[16];
  long n;
  *kind = ANNOUNCED_ACQUIRE;
  if (!strcmp(i->name, "isb")) return true;
  if (strcmp(i->name, "dmb") != 0 && strcmp(i->name, "dsb") != 0) return false;
  if (strlen(i->operands) >= sizeof s) return false;
  size_t length = 0;
  for (const char *c = i->operands; *c; c++)
    if (*c != ' ') s[length++] = (char)tolower((unsigned char)*c);
  s[length] = 0;
  *kind = ANNOUNCED_FENCE;
  if (number_of(s, &n)) {
    *kind = (n & 3) == 1 ? ANNOUNCED_ACQUIRE : (n & 3) == 2 ? ANNOUNCED_RELEASE : ANNOUNCED_FENCE;
    return n > 0 && n < 16 && (n & 3);
  }
  bool loads = length > 1 && !strcmp(s + length - 2, "ld"), stores = length > 1 && !strcmp(s + length - 2, "st");
  if (loads || stores) {
    s[length - 2] = 0;
    *kind = loads ? ANNOUNCED_ACQUIRE : ANNOUNCED_RELEASE;
  }
  for (size_t d = 0; d < sizeof domains / sizeof *domains; d++)
    if (!strcmp(s, domains[d])) return true;
  return false;
}

bool machine_instruction(struct announcing *k, struct text *t, const char *text) {
  struct instruction i = {.locked = false};
  struct operands o;
  struct touch touch;
  enum announced_kind fence;
  assembly_split(text, &i);
  enum unseen_kind kind = assembly_kind(k->assembly, &i);
  if (k->strange) return announce_refuse(k, text);
  if (!strcmp(i.name, "wfe")) { /* an event may come at any time */
    machine_pause(k, t);
    return true;
  }
  if (!strcmp(i.name, "yield")) machine_pause(k, t);
  if (kind == UNSEEN_FENCE) {
    if (!fence_of(&i, &fence)) return announce_refuse(k, text);
    put_hook(k, t, "before", ANNOUNCED_WORD(fence, 0));
  } else if (!strcmp(i.name, "clrex")) {
    put_hook(k, t, "before", ANNOUNCED_WORD(ANNOUNCED_CLEAR, 0));
  } else if (!assembly_harmless(&i) && (kind == UNSEEN_MEMORY || assembly_touches(k->assembly, i.operands))) {
    if (!read_operands(i.operands, &o) || !find(i.name, &touch) || !size_of(&touch, &o) ||
        !put_touch(k, t, &touch, &o, text))
      return announce_refuse(k, text);
    return true;
  }
  text_printf(t, "\t%s\n", text);
  return true;
}

/* Around statements. */

bool machine_short_jumps(const char *line, size_t length) { return memmem(line, length, "wfe", 3) != NULL; }

/* Which registers are needed is not looked for: none is cleared. */
void machine_clear(struct text *out, const struct clearing *c) { (void)out, (void)c; }

void machine_look(struct machine_use *u, const char *line, size_t length, bool by_hand) {
  (void)by_hand;
  for (size_t i = 0; i + 1 < length; i++) {
    bool begins_word = !i || !(isalnum((unsigned char)line[i - 1]) || strchr("_.$", line[i - 1]));
    char c = (char)tolower((unsigned char)line[i]);
    if (!begins_word || !isdigit((unsigned char)line[i + 1]) || !strchr("bhsdqvzp", c)) continue;
    if (c == 'z' || c == 'p')
      u->strange = true;
    else
      u->vectors |= ANNOUNCED_VECTORS;
  }
}

void machine_end(struct text *out) {
  static const char *const functions[] = {"before", "after"};
  text_add(out, "\n\t.section .text.asif_assembly,\"ax\",%progbits\n\t.balign 4\n");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    text_printf(out,
                ".Lasif_%s:\n\tstp x0, x1, [sp, #-16]!\n\tadrp x0, :got:asif_assembly_%s\n"
                "\tldr x0, [x0, :got_lo12:asif_assembly_%s]\n\tcbz x0, 1f\n\tbr x0\n1:\tmov w0, #2\n"
                "\tstr x0, [sp, #40]\n\tldp x0, x1, [sp], #16\n\tret\n\t.weak asif_assembly_%s\n",
                functions[i], functions[i], functions[i], functions[i]);
}

#endif
