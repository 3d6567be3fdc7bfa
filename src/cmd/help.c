/* --help, from the tables: what the command is for, how it is called, its options, and examples to begin from. */
#include <string.h>

#include "cmd/cmd.h"
#include "history/format.h"
#include "generate/generate.h"
#include "spec/spec.h"

/* Every kind of violation that asif gen can make, once. */
static bool has_kind(const struct spec *s, const char *name) {
  for (const struct bad_kind *k = generate_kinds(s); k->name; k++)
    if (!strcmp(k->name, name)) return true;
  return false;
}

static void kind_words(struct text *t) {
  text_add(t, "any");
  for (int i = 0; specs[i]; i++)
    for (const struct bad_kind *k = generate_kinds(specs[i]); k->name; k++) {
      bool seen = false;
      for (int before = 0; before < i; before++) seen |= has_kind(specs[before], k->name);
      if (!seen) text_printf(t, " %s", k->name);
    }
}

void choice_words(const char *choices, struct text *t) {
  if (!choices) return;
  if (!strcmp(choices, "@specs")) {
    for (int i = 0; specs[i]; i++) text_printf(t, "%s%s", i ? " " : "", specs[i]->name);
  } else if (!strcmp(choices, "@formats")) {
    for (int i = 0; formats[i]; i++) text_printf(t, "%s%s", i ? " " : "", formats[i]->name);
  } else if (!strcmp(choices, "@kinds")) {
    kind_words(t);
  } else if (!strcmp(choices, "@commands")) {
    for (int i = 0; commands[i]; i++) text_printf(t, "%s%s", i ? " " : "", commands[i]->name);
  } else if (choices[0] != '@') {
    for (const char *c = choices; *c; c++) text_char(t, *c == '|' ? ' ' : *c);
  }
}

enum { INDENT = 2, COLUMN = 26, WIDTH = 80 };

/* Help text in a column: paragraphs filled to WIDTH, a newline in the text kept. */
static void column(struct text *t, const char *words, size_t at) {
  while (*words) {
    if (*words == '\n') {
      text_printf(t, "\n%*s", COLUMN, "");
      at = COLUMN;
      words++;
      continue;
    }
    size_t n = strcspn(words, " \n");
    if (at > COLUMN && at + 1 + n > WIDTH) {
      text_printf(t, "\n%*s", COLUMN, "");
      at = COLUMN;
    } else if (at > COLUMN) {
      text_char(t, ' ');
      at++;
    }
    text_bytes(t, words, n);
    at += n;
    words += n;
    while (*words == ' ') words++;
  }
  text_char(t, '\n');
}

static void entry(struct text *t, const char *left, const char *help) {
  size_t n = strlen(left);
  text_printf(t, "%*s%s", INDENT, "", left);
  if (INDENT + n + 2 > COLUMN)
    text_printf(t, "\n%*s", COLUMN, "");
  else
    text_printf(t, "%*s", (int)(COLUMN - INDENT - n), "");
  column(t, help, COLUMN);
}

static void option(struct text *t, const struct opt *o) {
  char left[100];
  size_t n = 0;
  if (o->letter) n += (size_t)snprintf(left, sizeof left, "-%c, ", o->letter);
  n += (size_t)snprintf(left + n, sizeof left - n, "--%s", o->name);
  if (o->arg) snprintf(left + n, sizeof left - n, " %s", o->arg);
  struct text help;
  text_open(&help, t->mem);
  text_add(&help, o->help ? o->help : "");
  if (o->choices && o->choices[0] != '@') {
    text_printf(&help, "%s: ", help.count ? "" : "one of");
    for (const char *c = o->choices; *c; c++) text_add(&help, *c == '|' ? ", " : (char[]){*c, 0});
  }
  entry(t, left, text_string(&help));
}

/* A line for each format: its name, what it looks like, and the endings of names that it is written to. */
static void format_lines(struct text *t) {
  for (const struct format *const *f = formats; *f; f++) {
    text_printf(t, "  %-16s %s", (*f)->name, (*f)->summary);
    if (!(*f)->write) text_add(t, "; read, not written");
    for (const char *s = (*f)->suffixes; *s; s += strcspn(s, " ") + (s[strcspn(s, " ")] == ' '))
      text_printf(t, "%s%.*s", s == (*f)->suffixes ? " (" : ", ", (int)strcspn(s, " "), s);
    text_add(t, *(*f)->suffixes ? ")\n" : "\n");
  }
}

void command_details(const struct command *c, struct text *t) {
  static const char table[] = "@formats\n";
  const char *s = c->details ? c->details : "", *at = strstr(s, table);
  if (at) {
    text_bytes(t, s, (size_t)(at - s));
    format_lines(t);
    s = at + sizeof table - 1;
  }
  text_add(t, s);
}

void help_command(const struct command *c, struct text *t) {
  text_printf(t, "asif %s: %s\n\nUsage: asif %s %s\n", c->name, c->summary, c->name, c->usage);
  text_add(t, "\nOptions:\n");
  for (const struct opt *o = c->opts; o && o->name; o++) option(t, o);
  entry(t, "-h, --help", "this text");
  if (!c->details || !*c->details) return;
  text_char(t, '\n');
  command_details(c, t);
  if (c->details[strlen(c->details) - 1] != '\n') text_char(t, '\n');
}

void help_overview(struct text *t) {
  text_add(t, "asif: does every concurrent execution behave as if the operations had happened one\n"
              "at a time, in an order that keeps real time (linearizability)?\n\n"
              "Usage: asif COMMAND [ARGUMENT...]\n\nCommands:\n");
  for (int i = 0; commands[i]; i++) { text_printf(t, "  %-12s %s\n", commands[i]->name, commands[i]->summary); }
  text_add(t, "\nasif COMMAND --help tells more. Begin with:\n"
              "  asif check HISTORY        is this recorded history linearizable, and if not, why?\n"
              "  asif specs                what an object may be: queue, stack, register, map, ...\n"
              "\nExit status: 0 it holds, 1 it is violated, 2 bad usage or input, 3 unknown (a limit\n"
              "was reached), 4 an internal error. asif --version prints the version.\n");
}
