/* Hooks for assembly written by hand: see announce.h.
 *
 * Around every instruction that accesses memory come calls of the runtime, with the address and a word that says what
 * the instruction does. The runtime may not be there, where the object is linked to an ordinary program: the functions
 * that are called, at the end of the file, look for it.
 *
 * Here lines are taken apart; what the instructions are is for the machine (announce_x86.c, announce_aarch64.c).
 * Where an instruction is not known the statement stays what it is: code without hooks. */
#include "test/announce.h"

#include <ctype.h>
#include <string.h>

#ifdef ANNOUNCE_MACHINE

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

bool announce_refuse(struct announcing *k, const char *text) {
  snprintf(k->why, sizeof k->why, "%.79s", text);
  return false;
}

/* Lines. */

/* Labels are put down; what follows them is given back. */
static char *put_labels(struct text *t, char *s) {
  for (;;) {
    s += strspn(s, " \t");
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
    if (!n || s[n] != ':') return s;
    text_bytes(t, s, n + 1);
    text_char(t, '\n');
    s += n + 1;
  }
}

/* The assembler takes capital letters, too. Prefixes come before the name. */
static void lower_name(char *s) {
  struct instruction i;
  do {
    size_t n = strcspn(s, " ");
    for (size_t k = 0; k < n; k++) s[k] = (char)tolower((unsigned char)s[k]);
    char first[24];
    snprintf(first, sizeof first, "%.*s", n < sizeof first ? (int)n : 0, s);
    i = (struct instruction){.locked = false};
    bool name = !*first || assembly_split(first, &i);
    s += n + strspn(s + n, " ");
    if (name) return;
  } while (*s);
}

/* One of several between semicolons. k->prefix: what stood before it by itself. */
static bool put_piece(struct announcing *k, struct text *t, char *s) {
  struct instruction i = {.locked = false};
  size_t labels = t->count;
  s = put_labels(t, s);
  if (labels != t->count && *k->prefix) return announce_refuse(k, k->prefix); /* a jump may leave the prefix out */
  for (size_t n = strlen(s); n && isspace((unsigned char)s[n - 1]);) s[--n] = 0;
  for (char *c = s; *c; c++)
    if (*c == '\t') *c = ' ';
  if (!*s) return true;
  if (*s == '.' || strstr(s, " = ") || k->assembly->elsewhere) {
    if (*k->prefix || begins(s, ".intel_syntax") || begins(s, ".att_syntax") || begins(s, ".macro"))
      return announce_refuse(k, s);
    if (!strcmp(s, ".byte 0xf3,0x90") || !strcmp(s, ".byte 0xf3, 0x90")) machine_pause(k, t);
    text_printf(t, "\t%s\n", s);
    struct assembly one = *k->assembly; /* keeps account of the sections */
    assembly_begin(&one);
    one.elsewhere = k->assembly->elsewhere;
    assembly_line(&one, s, strlen(s));
    k->assembly->elsewhere = one.elsewhere;
    return one.worst == UNSEEN_MEMORY && !one.elsewhere ? announce_refuse(k, s) : true;
  }
  char text[1100];
  lower_name(s);
  snprintf(text, sizeof text, "%s%s", k->prefix, s);
  if (!assembly_split(text, &i)) {
    if (snprintf(k->prefix, sizeof k->prefix, "%s ", text) >= (int)sizeof k->prefix) return announce_refuse(k, text);
    return true;
  }
  k->prefix[0] = 0;
  return machine_instruction(k, t, text);
}

/* A line stays as it is if there is nothing in it to be announced. */
static bool put_line(struct announcing *k, const char *line, size_t length) {
  char buffer[1000], copy[2000];
  struct text *t = &k->line;
  const char *s = line;
  size_t left = assembly_without_comment(line, length);
  bool any = k->any, held = *k->prefix != 0;
  text_clear(t);
  k->any = false;
  if (memmem(line, left, "/*", 2)) {
    if (left >= sizeof copy) return announce_refuse(k, "a long line with a comment");
    s = memcpy(copy, line, left);
    for (char *open; (open = memmem(copy, left, "/*", 2));) {
      const char *close = memmem(open + 2, left - (size_t)(open + 2 - copy), "*/", 2);
      if (!close) return announce_refuse(k, "a comment of several lines");
      memset(open, ' ', (size_t)(close + 2 - open));
    }
  }
  while (left) {
    const char *end = memchr(s, ';', left);
    size_t n = end ? (size_t)(end - s) : left;
    if (n >= sizeof buffer) return announce_refuse(k, "a statement of a thousand characters");
    snprintf(buffer, sizeof buffer, "%.*s", (int)n, s);
    if (!put_piece(k, t, buffer)) return false;
    n += end != NULL;
    s += n;
    left -= n;
  }
  bool rewritten = k->any || held || *k->prefix || machine_short_jumps(line, length);
  if (rewritten) {
    text_bytes(k->out, text_string(t), t->count);
  } else {
    text_bytes(k->out, line, length);
    text_char(k->out, '\n');
  }
  k->any |= any;
  return true;
}

bool announce(struct announcing *k, const char *text, size_t length) {
  bool elsewhere = k->assembly->elsewhere, good = !k->assembly->intel;
  if (!k->line.mem) text_open(&k->line, k->out->mem);
  k->any = false;
  k->prefix[0] = k->why[0] = 0;
  while (good && length) {
    const char *stop = memchr(text, '\n', length);
    size_t n = stop ? (size_t)(stop - text) : length;
    good = put_line(k, text, n);
    n += stop != NULL;
    text += n;
    length -= n;
  }
  if (good && *k->prefix) good = announce_refuse(k, k->prefix);
  k->assembly->elsewhere = elsewhere;
  k->used |= good && k->any;
  return good;
}

void announce_end(const struct announcing *k, struct text *out) {
  if (k->used) machine_end(out);
}

#else

bool announce(struct announcing *k, const char *text, size_t length) {
  (void)text, (void)length;
  k->any = false;
  k->why[0] = 0;
  return false;
}
void announce_end(const struct announcing *k, struct text *out) { (void)k, (void)out; }
void machine_look(struct machine_use *u, const char *line, size_t length, bool by_hand) {
  (void)u, (void)line, (void)length, (void)by_hand;
}
void machine_clear(struct text *out, const struct clearing *c) { (void)out, (void)c; }

#endif
