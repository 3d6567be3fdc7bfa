/* Both ways of every conditional jump get an instruction of their own, in the assembly that the compiler writes, so
 * that coverage sees each way taken (coverage.c): `if (full) return FULL;` may be nothing but a jump to where the
 * function returns anyway.
 *
 *     je .L4          je .Lasif_edge7
 *     .L3:            nop                     the way on
 *                     .L3:
 *                     ...
 *                     .Lasif_edge7: jmp .L4   at the end of the function
 *
 * Each has the place of the jump in the source, and as its discriminator the column and which way it is: copies of one
 * jump are told to be the same. */
#include "test/edges.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct splitting {
  struct mem *mem;
  struct text *out, stubs; /* stubs: for the end of the function */
  char place[64];          /* "1 12 5", of the last .loc; "": none */
  unsigned long discriminator, column;
  unsigned count;
  bool by_hand; /* between #APP and #NO_APP */
};

/* The two ways of a condition and of its opposite are the same two. False: not a conditional jump that can go far. */
static bool condition(const char *s, size_t n, bool *opposite) {
  static const char *const pairs[][2] = {{"e", "ne"}, {"z", "nz"},   {"l", "ge"},   {"nl", "nge"}, {"g", "le"},
                                         {"b", "ae"}, {"c", "nc"},   {"a", "be"},   {"s", "ns"},   {"o", "no"},
                                         {"p", "np"}, {"nb", "nae"}, {"na", "nbe"}, {"ng", "nle"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int k = 0; k < 2; k++)
      if (strlen(pairs[i][k]) == n && !memcmp(pairs[i][k], s, n)) return *opposite = k, true;
  return false;
}

/* "\t.loc 1 12 5 is_stmt 0 discriminator 2 view .LVU3" */
static void read_loc(struct splitting *k, const char *s) {
  char *end;
  unsigned long file = strtoul(s, &end, 10), line = strtoul(end, &end, 10), column = strtoul(end, &end, 10);
  const char *more = strstr(end, "discriminator ");
  k->column = column;
  k->discriminator = more ? strtoul(more + 14, NULL, 10) : 0;
  if (line)
    snprintf(k->place, sizeof k->place, "%lu %lu %lu", file, line, column);
  else
    k->place[0] = 0;
}

static void put_loc(const struct splitting *k, struct text *t, unsigned long discriminator) {
  text_printf(t, "\t.loc %s", k->place);
  if (discriminator) text_printf(t, " discriminator %lu", discriminator);
  text_char(t, '\n');
}

static unsigned long edge_of(const struct splitting *k, bool way) {
  return EDGE_DISCRIMINATOR + 2 * (k->column < 10000 ? k->column : 10000) + way;
}

/* "\tjne\t.L4". False: it is another line. */
static bool split_jump(struct splitting *k, const char *s, size_t n) {
  bool opposite;
  if (*s != '\t' || s[1] != 'j' || k->by_hand || !k->place[0]) return false;
  size_t name = 2, label;
  while (name < n && islower((unsigned char)s[name])) name++;
  for (label = name; label < n && (s[label] == '\t' || s[label] == ' ');) label++;
  size_t end = label;
  while (end < n && (isalnum((unsigned char)s[end]) || strchr("._$", s[end]))) end++;
  size_t rest = end;
  while (rest < n && (s[rest] == ' ' || s[rest] == '\t')) rest++;
  if (label == name || end - label < 3 || strncmp(s + label, ".L", 2) || (rest < n && s[rest] != '#') ||
      !condition(s + 2, name - 2, &opposite))
    return false;
  text_printf(k->out, "%.*s\t.Lasif_edge%u\n", (int)name, s, k->count);
  put_loc(k, k->out, edge_of(k, !opposite));
  text_add(k->out, "\tnop\n");
  put_loc(k, k->out, k->discriminator);
  put_loc(k, &k->stubs, edge_of(k, opposite));
  text_printf(&k->stubs, ".Lasif_edge%u:\n\tjmp\t%.*s\n", k->count++, (int)(end - label), s + label);
  return true;
}

static void end_function(struct splitting *k) {
  if (k->stubs.count) text_bytes(k->out, text_string(&k->stubs), k->stubs.count);
  text_clear(&k->stubs);
}

static bool begins(const char *s, size_t n, const char *with) {
  return n >= strlen(with) && !memcmp(s, with, strlen(with));
}

void edges_split(struct mem *m, const char *text, size_t length, struct text *out) {
  struct splitting k = {.mem = m, .out = out};
  text_open(&k.stubs, m);
  for (const char *end = text + length; text < end;) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t n = stop ? (size_t)(stop - text) : (size_t)(end - text);
    const char *s = text + (n && *text == '\t');
    size_t rest = n - (size_t)(s - text);
    if (begins(s, rest, "#APP")) k.by_hand = true;
    if (begins(s, rest, "#NO_APP")) k.by_hand = false;
    if (begins(s, rest, ".loc") && rest > 4 && (s[4] == ' ' || s[4] == '\t')) {
      char line[200];
      snprintf(line, sizeof line, "%.*s", (int)(rest - 5), s + 5);
      read_loc(&k, line);
    }
    if (begins(s, rest, ".cfi_endproc") || begins(s, rest, ".size")) end_function(&k);
    if (!split_jump(&k, text, n)) {
      text_bytes(out, text, n);
      text_char(out, '\n');
    }
    text += n + (stop != NULL);
  }
  end_function(&k);
}
