/* Hooks for assembly written by hand, on x86-64: see announce.h.
 *
 * The address goes to the runtime in rdi, the word in esi. The calls keep all registers and the flags, and step over
 * the red zone where the function may use it.
 *
 * An instruction is rewritten only if the table below knows what it accesses. */
#include <ctype.h>
#include <string.h>

#include "test/announce.h"
#include "test/registers.h"

#if defined(__x86_64__)

enum { OPERANDS_MOST = 4, SAVED = 24 /* bytes that are pushed before an address is computed */ };

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* Operands. */

struct operand {
  const char *at;
  size_t length;
  enum { OPERAND_NUMBER, OPERAND_REGISTER, OPERAND_MEMORY } kind;
  unsigned size; /* of a register: bytes; 0: not known */
};

static unsigned register_size(const char *s, size_t n) {
  static const char *const bytes[] = {"al", "bl", "cl", "dl", "ah", "bh", "ch", "dh", "sil", "dil", "bpl", "spl"};
  static const char *const words[] = {"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"};
  char name[8];
  if (n < 3 || n - 1 >= sizeof name || *s != '%') return 0;
  snprintf(name, sizeof name, "%.*s", (int)(n - 1), s + 1);
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
    if (!strcmp(name, bytes[i])) return 1;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!strcmp(name, words[i])) return 2;
    if (!strcmp(name + 1, words[i])) return name[0] == 'r' ? 8 : name[0] == 'e' ? 4 : 0;
  }
  if (begins(name, "xmm")) return 16;
  if (begins(name, "ymm")) return 32;
  if (begins(name, "zmm")) return 64;
  if (name[0] != 'r' || !isdigit((unsigned char)name[1])) return 0;
  char last = name[strlen(name) - 1];
  return last == 'd' ? 4 : last == 'w' ? 2 : last == 'b' || last == 'l' ? 1 : 8;
}

/* False: there is one that is not understood. */
static bool read_operands(const char *s, struct operand *o, unsigned *count) {
  for (*count = 0; *s; ++*count) {
    size_t n = 0;
    int depth = 0;
    s += strspn(s, " ");
    for (; s[n] && (s[n] != ',' || depth > 0); n++) depth += (s[n] == '(') - (s[n] == ')');
    if (*count == OPERANDS_MOST || depth || !n) return false;
    struct operand *at = &o[*count];
    *at = (struct operand){.at = s, .length = n};
    while (isspace((unsigned char)s[at->length - 1])) at->length--;
    if (memchr(s, '{', n) || memchr(s, '*', n) || memchr(s, '"', n) || memchr(s, ':', n)) return false;
    at->kind = *s == '$' ? OPERAND_NUMBER : *s == '%' ? OPERAND_REGISTER : OPERAND_MEMORY;
    if (at->kind == OPERAND_REGISTER) at->size = register_size(s, at->length);
    s += n + (s[n] == ',');
  }
  return true;
}

static bool has_register(const struct operand *o, const char *name) {
  return memmem(o->at, o->length, name, strlen(name)) != NULL;
}

/* Instructions. */

struct touch {
  enum announced_kind kind;
  bool locked;
  unsigned size;
  const struct operand *memory;
  const struct operand *index; /* a register that says which bit from there on; NULL: none */
};

/* l: reads what is in memory. m: moves: memory that is the last operand is written, otherwise it is read. u: memory
 * that is the last operand is updated. s: as u, and registers do not tell the size. b: as u, of one bit; t: reads one.
 */
static const struct known {
  char name[11], role;
  unsigned char size; /* 0: as the suffix or a register says */
} known[] = {
    {"mov", 'm', 0},     {"movnti", 0, 0},    {"movbe", 'm', 0},   {"add", 'u', 0},       {"sub", 'u', 0},
    {"and", 'u', 0},     {"or", 'u', 0},      {"xor", 'u', 0},     {"adc", 'u', 0},       {"sbb", 'u', 0},
    {"inc", 'u', 0},     {"dec", 'u', 0},     {"neg", 'u', 0},     {"not", 'u', 0},       {"xadd", 'u', 0},
    {"shl", 's', 0},     {"sal", 's', 0},     {"shr", 's', 0},     {"sar", 's', 0},       {"rol", 's', 0},
    {"ror", 's', 0},     {"rcl", 's', 0},     {"rcr", 's', 0},     {"shld", 's', 0},      {"shrd", 's', 0},
    {"bts", 'b', 0},     {"btr", 'b', 0},     {"btc", 'b', 0},     {"bt", 't', 0},        {"cmp", 'l', 0},
    {"test", 'l', 0},    {"imul", 'l', 0},    {"mul", 'l', 0},     {"div", 'l', 0},       {"idiv", 'l', 0},
    {"popcnt", 'l', 0},  {"lzcnt", 'l', 0},   {"tzcnt", 'l', 0},   {"bsf", 'l', 0},       {"bsr", 'l', 0},
    {"push", 'l', 8},    {"pop", 'm', 8},     {"ldmxcsr", 'l', 4}, {"stmxcsr", 'm', 4},   {"fldcw", 'l', 2},
    {"fnstcw", 'm', 2},  {"movd", 'm', 4},    {"movss", 'm', 4},   {"movsd", 'm', 8},     {"movlps", 'm', 8},
    {"movhps", 'm', 8},  {"movlpd", 'm', 8},  {"movhpd", 'm', 8},  {"movaps", 'm', 16},   {"movups", 'm', 16},
    {"movapd", 'm', 16}, {"movupd", 'm', 16}, {"movdqa", 'm', 16}, {"movdqu", 'm', 16},   {"lddqu", 'm', 16},
    {"vmovdqa", 'm', 0}, {"vmovdqu", 'm', 0}, {"vmovaps", 'm', 0}, {"vmovups", 'm', 0},   {"vmovd", 'm', 4},
    {"vmovq", 'm', 8},   {"xchg", 'x', 0},    {"cmpxchg", 'c', 0}, {"cmpxchg8b", 'c', 8}, {"cmpxchg16b", 'c', 16}};

static unsigned suffix_size(char c) { return c == 'b' ? 1 : c == 'w' ? 2 : c == 'l' ? 4 : c == 'q' ? 8 : 0; }

/* By its name, with the suffix or without. */
static const struct known *find(const char *name, unsigned *size) {
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i].name, name)) return *size = known[i].size, &known[i];
  unsigned suffix = n > 2 ? suffix_size(name[n - 1]) : 0;
  for (size_t i = 0; suffix && i < sizeof known / sizeof *known; i++)
    if (strlen(known[i].name) == n - 1 && !strncmp(known[i].name, name, n - 1)) return *size = suffix, &known[i];
  return NULL;
}

/* Moves that extend (movzbl), on a condition (cmove), or write one (sete). */
static char role_of(const char *name, unsigned *size) {
  if (begins(name, "movz") || begins(name, "movs")) {
    *size = suffix_size(name[4]);
    return *size && name[4] && (strlen(name) == 6 || !strcmp(name, "movzb")) ? 'l' : 0;
  }
  if (begins(name, "cmov")) return 'l';
  if (begins(name, "set")) return *size = 1, 'm';
  return 0;
}

static bool is_size(unsigned n) { return n && n <= 64 && !(n & (n - 1)); }

/* What the instruction does with its operand in memory. False: it is not known. */
static bool touch_of(const struct instruction *i, const struct operand *o, unsigned count, struct touch *t) {
  const struct known *k = NULL;
  unsigned size = 0;
  for (unsigned n = 0; n < count; n++)
    if (o[n].kind == OPERAND_MEMORY) {
      if (t->memory) return false;
      t->memory = &o[n];
    }
  char role = role_of(i->name, &size);
  if (!role && (k = find(i->name, &size))) role = k->role;
  if (!t->memory || !role || *i->repeat) return false;
  for (unsigned n = 0; n < count && !size && role != 's'; n++) size = o[n].size;
  bool last = t->memory == &o[count - 1];
  t->size = size;
  t->locked = i->locked;
  if (role == 'b' || role == 't') {
    if (!last || count != 2) return false;
    if (o[0].kind == OPERAND_REGISTER) t->index = &o[0];
    if (t->index && (t->index->size != size || size < 4)) return false;
  }
  switch (role) {
  case 'm': t->kind = last ? ANNOUNCED_STORE : ANNOUNCED_LOAD; break;
  case 'l':
  case 't': t->kind = ANNOUNCED_LOAD; break;
  case 'u':
  case 's':
  case 'b': t->kind = last ? ANNOUNCED_UPDATE : ANNOUNCED_LOAD; break;
  case 'c': t->kind = ANNOUNCED_EXCHANGE; break;
  case 'x':
    t->kind = ANNOUNCED_UPDATE;
    t->locked = true;
    break;
  default: return false;
  }
  /* What is popped is written where the stack pointer is afterwards. */
  if (begins(i->name, "pop") && has_register(t->memory, "%rsp")) return false;
  if (has_register(t->memory, "%esp") || has_register(t->memory, "mm")) return false;
  return is_size(size) && (!t->locked || t->kind >= ANNOUNCED_UPDATE);
}

/* A string instruction, whose operands are not written. */
static bool string_of(const struct instruction *i, unsigned *word) {
  static const char names[][5] = {[ANNOUNCED_MOVS - ANNOUNCED_MOVS] = "movs",
                                  [ANNOUNCED_STOS - ANNOUNCED_MOVS] = "stos",
                                  [ANNOUNCED_LODS - ANNOUNCED_MOVS] = "lods"};
  unsigned size = strlen(i->name) == 5 ? suffix_size(i->name[4]) : 0;
  if (*i->operands || !size || (*i->repeat && strcmp(i->repeat, "rep"))) return false;
  for (unsigned n = 0; n < sizeof names / sizeof *names; n++)
    if (begins(i->name, names[n])) {
      *word = ANNOUNCED_WORD(ANNOUNCED_MOVS + n, size) | (*i->repeat ? ANNOUNCED_REPEATED : 0);
      return true;
    }
  return false;
}

/* The code around an instruction. */

static void put_enter(struct announcing *k, struct text *t) {
  if (k->red_zone) text_add(t, "\tleaq -128(%rsp), %rsp\n");
  text_add(t, "\tpushfq\n\tpushq %rdi\n\tpushq %rsi\n");
}

static void put_call(struct announcing *k, struct text *t, const char *function, unsigned word) {
  text_printf(t, "\tmovl $%u, %%esi\n\tcall .Lasif_%s\n\tpopq %%rsi\n\tpopq %%rdi\n\tpopfq\n", word | k->vectors,
              function);
  if (k->red_zone) text_add(t, "\tleaq 128(%rsp), %rsp\n");
  k->any = true;
}

static void put_simple(struct announcing *k, struct text *t, unsigned word) {
  put_enter(k, t);
  put_call(k, t, "before", word);
}

void machine_pause(struct announcing *k, struct text *t) { put_simple(k, t, ANNOUNCED_WORD(ANNOUNCED_PAUSE, 0)); }

/* The operand as it is, or counted from where the stack pointer is now. */
static void put_address(const struct announcing *k, struct text *t, const struct operand *m) {
  text_add(t, "\tleaq ");
  if (has_register(m, "%rsp")) {
    text_printf(t, "%d", SAVED + (k->red_zone ? 128 : 0));
    if (*m->at != '(' && *m->at != '-') text_char(t, '+');
  }
  text_bytes(t, m->at, m->length);
  text_add(t, ", %rdi\n");
}

/* Which of the words from there on has the bit. rdi and rsi have been saved, and rdi is used already. */
static void put_index(struct text *t, const struct operand *index) {
  bool wide = index->size == 8, rdi = has_register(index, "di");
  text_printf(t, "\t%s ", wide ? "movq" : "movslq");
  if (rdi)
    text_add(t, "8(%rsp)");
  else
    text_bytes(t, index->at, index->length);
  text_printf(t, ", %%rsi\n\tsarq $%d, %%rsi\n\tleaq (%%rdi,%%rsi,%u), %%rdi\n", wide ? 6 : 5, index->size);
}

static void put_touch(struct announcing *k, struct text *t, const struct touch *touch, const char *instruction) {
  unsigned word = ANNOUNCED_WORD(touch->kind, touch->size) | (touch->locked ? ANNOUNCED_LOCKED : 0);
  put_enter(k, t);
  put_address(k, t, touch->memory);
  if (touch->index) put_index(t, touch->index);
  put_call(k, t, "before", word);
  text_printf(t, "\t%s\n", instruction);
  put_enter(k, t);
  put_call(k, t, "after", word);
}

/* Jumps that reach less far than what comes in between. */
static bool put_short_jump(struct announcing *k, struct text *t, const struct instruction *i) {
  bool loop = begins(i->name, "loop");
  if (!loop && strcmp(i->name, "jrcxz") && strcmp(i->name, "jecxz")) return false;
  unsigned n = (*k->labels)++;
  if (loop) {
    const char *condition = i->name + 4;
    const char *jump = !*condition ? "jmp" : *condition == 'n' ? "jne" : "je";
    text_printf(t, "\tleaq -1(%%rcx), %%rcx\n\tjrcxz .Lasif_jump%u\n\t%s %s\n.Lasif_jump%u:\n", n, jump, i->operands,
                n);
  } else {
    text_printf(t, "\t%s .Lasif_jump%u\n\tjmp .Lasif_past%u\n.Lasif_jump%u:\n\tjmp %s\n.Lasif_past%u:\n", i->name, n, n,
                n, i->operands, n);
  }
  return true;
}

static bool is_pause(const struct instruction *i) {
  return !strcmp(i->name, "pause") || (!strcmp(i->name, "nop") && *i->repeat && !*i->operands);
}

/* A locked instruction that changes nothing on the stack. */
static bool is_locked_fence(const struct instruction *i, const struct operand *o, unsigned count) {
  if (!i->locked || count != 2 || o[0].kind != OPERAND_NUMBER || !has_register(&o[1], "%rsp")) return false;
  bool zero = (o[0].length == 2 && o[0].at[1] == '0') || (o[0].length == 4 && !strncmp(o[0].at, "$0x0", 4));
  return zero && (begins(i->name, "add") || begins(i->name, "or") || begins(i->name, "sub") || begins(i->name, "xor"));
}

bool machine_instruction(struct announcing *k, struct text *t, const char *text) {
  struct instruction i = {.locked = false};
  struct operand o[OPERANDS_MOST];
  struct touch touch = {.memory = NULL};
  unsigned count, word;
  assembly_split(text, &i);
  enum unseen_kind kind = assembly_kind(k->assembly, &i);
  if (is_pause(&i)) machine_pause(k, t);
  if (string_of(&i, &word)) {
    put_simple(k, t, word);
  } else if (!strcmp(i.name, "mfence")) {
    put_simple(k, t, ANNOUNCED_WORD(ANNOUNCED_FENCE, 0));
  } else if (!strcmp(i.name, "lfence")) {
    put_simple(k, t, ANNOUNCED_WORD(ANNOUNCED_ACQUIRE, 0));
  } else if (!strcmp(i.name, "sfence")) {
    put_simple(k, t, ANNOUNCED_WORD(ANNOUNCED_RELEASE, 0));
  } else if (assembly_harmless(&i) || kind == UNSEEN_CLOCK) {
    if (put_short_jump(k, t, &i)) return true;
  } else if (kind == UNSEEN_MEMORY || strchr(i.operands, '(')) {
    if (!read_operands(i.operands, o, &count)) return announce_refuse(k, text);
    if (is_locked_fence(&i, o, count)) {
      put_simple(k, t, ANNOUNCED_WORD(ANNOUNCED_FENCE, 0));
    } else if (touch_of(&i, o, count, &touch)) {
      put_touch(k, t, &touch, text);
      return true;
    } else if (kind == UNSEEN_MEMORY || touch.memory) {
      return announce_refuse(k, text);
    }
  }
  text_printf(t, "\t%s\n", text);
  return true;
}

/* Around statements. */

/* What nobody will read is cleared: otherwise what hooks have left there would make two rounds of a loop that waits
 * look different (run/spin.c). Compilers do not expect the flags to stay over a statement either. */
static void put_clear(struct text *t, register_set dead, bool xmm, bool flags) {
  if (flags) text_add(t, "\tcmpq %rsp, %rsp\n");
  for (unsigned i = 0; register_name(i); i++)
    if (dead >> i & 1) text_printf(t, "\tmovl $0, %%%s\n", register_name(i));
  for (unsigned i = 0; xmm && i < 16; i++)
    if (dead >> (16 + i) & 1) text_printf(t, "\tpxor %%xmm%u, %%xmm%u\n", i, i);
}

void machine_clear(struct text *t, const struct clearing *c) {
  register_set needed = registers_read(c->function, c->text, c->length);
  if (~needed) needed |= registers_needed(c->function, c->after, c->after[0] == '#' && c->after[1] == ' ');
  put_clear(t, ~needed, c->vectors != 0, c->flags);
}

void machine_look(struct machine_use *s, const char *line, size_t n, bool by_hand) {
  const char *word = line + strspn(line, " \t");
  if (!by_hand && !strncmp(word, "call", 4)) s->calls = true;
  if (memmem(line, n, "%rsp", 4) || memmem(line, n, "%rbp", 4))
    s->below |= strncmp(word, "addq\t$", 6) && strncmp(word, "subq\t$", 6);
  for (const char *c = line; by_hand && c + 1 < line + n; c++) /* any of them, by a name in capital letters */
    if (*c == '%' && isupper((unsigned char)c[1])) s->vectors |= ANNOUNCED_VECTORS, s->scratch = true;
  if (by_hand && memmem(line, n, "(%rsp", 5)) s->scratch |= memchr(line, '-', n) != NULL;
  if (memmem(line, n, "%ymm", 4) || memmem(line, n, "%zmm", 4) || memmem(line, n, "%mm", 3) ||
      memmem(line, n, "%st", 3) || memmem(line, n, "%k", 2))
    s->vectors |= ANNOUNCED_VECTORS;
  else if (memmem(line, n, "%xmm", 4))
    s->vectors |= ANNOUNCED_XMM;
}

void machine_end(struct text *out) {
  static const char *const functions[] = {"before", "after"};
  text_add(out, "\n\t.section .text.asif_assembly,\"ax\",@progbits\n");
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    text_printf(out,
                ".Lasif_%s:\n\tpushq %%rax\n\tmovq asif_assembly_%s@GOTPCREL(%%rip), %%rax\n\ttestq %%rax, %%rax\n"
                "\tje 1f\n\tcall *%%rax\n1:\tpopq %%rax\n\tret\n\t.weak asif_assembly_%s\n",
                functions[i], functions[i], functions[i]);
}

bool machine_short_jumps(const char *line, size_t length) {
  return memmem(line, length, "cxz", 3) || memmem(line, length, "loop", 4);
}

#endif
