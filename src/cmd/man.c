/* asif man [COMMAND]: the manual pages, made from the same tables as --help.
 *
 * The details of a command are plain text: a line that ends in a colon and has nothing else is a heading, lines that
 * begin with two blanks stand as they are, the rest is filled. */
#include <ctype.h>
#include <string.h>

#include "cmd/cmd.h"

static void roff(struct text *t, const char *s, size_t n) {
  if (n && (*s == '.' || *s == '\'')) text_add(t, "\\&");
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '\\')
      text_add(t, "\\e");
    else if (s[i] == '-')
      text_add(t, "\\-");
    else if (s[i] == '\'')
      text_add(t, "\\(aq");
    else if (s[i] == '`')
      text_add(t, "\\(ga");
    else if (s[i] == '~')
      text_add(t, "\\(ti");
    else if (s[i] == '^')
      text_add(t, "\\(ha");
    else
      text_char(t, s[i]);
  }
}

static void roff_line(struct text *t, const char *s) {
  roff(t, s, strlen(s));
  text_char(t, '\n');
}

static void heading(struct text *t, const char *s, size_t n) {
  text_add(t, ".SH ");
  for (size_t i = 0; i < n; i++) text_char(t, (char)toupper((unsigned char)s[i]));
  text_char(t, '\n');
}

static void title(struct text *t, const char *command) {
  text_add(t, ".TH ASIF");
  for (const char *c = command ? command : ""; *c; c++)
    text_printf(t, "%s%c", c == command ? "\\-" : "", toupper((unsigned char)*c));
  text_add(t, " 1 \"\" \"asif " ASIF_VERSION "\" \"User Commands\"\n");
}

/* "Exit status: 0 it holds, ..." is a heading with its text on the same line. */
static const char *status_text(const char *line, size_t n) {
  static const char word[] = "Exit status: ";
  return n > sizeof word && !strncmp(line, word, sizeof word - 1) ? line + sizeof word - 1 : NULL;
}

static void details(struct text *t, const char *s) {
  bool literal = false, headed = false;
  while (s && *s) {
    size_t n = strcspn(s, "\n");
    bool indented = !strncmp(s, "  ", 2);
    if (literal && !indented) text_add(t, ".fi\n.RE\n");
    if (!literal && indented) text_add(t, ".RS 2\n.nf\n");
    literal = indented;
    const char *status = status_text(s, n);
    if (!n) {
      text_add(t, ".PP\n");
    } else if (!indented && s[n - 1] == ':' && isupper((unsigned char)*s) && n < 30) {
      heading(t, s, n - 1);
      headed = true;
    } else {
      if (status)
        heading(t, "Exit status", 11);
      else if (!headed)
        heading(t, "Description", 11);
      headed = true;
      roff(t, status ? status : s, status ? n - (size_t)(status - s) : n);
      text_char(t, '\n');
    }
    s += n + (s[n] == '\n');
  }
  if (literal) text_add(t, ".fi\n.RE\n");
}

/* Empty paragraphs before headings upset strict formatters: take them out. */
static void tidy(struct text *t) {
  char *to = t->at;
  for (const char *s = t->at; s && *s;) {
    size_t n = strcspn(s, "\n");
    n += s[n] == '\n';
    bool idle = !strncmp(s, ".PP\n", 4) &&
                (!s[4] || !strncmp(s + 4, ".SH", 3) || !strncmp(s + 4, ".PP", 3) || !strncmp(s + 4, ".RS", 3));
    bool after = !strncmp(s, ".PP\n", 4) && to > t->at + 4 && !strncmp(to - 4, ".PP\n", 4);
    if (!idle && !after) {
      memmove(to, s, n);
      to += n;
    }
    s += n;
  }
  if (t->at) {
    *to = 0;
    t->count = (size_t)(to - t->at);
  }
}

static void option(struct text *t, const struct opt *o) {
  text_add(t, ".TP\n");
  if (o->letter) text_printf(t, "\\fB\\-%c\\fR, ", o->letter);
  text_add(t, "\\fB\\-\\-");
  roff(t, o->name, strlen(o->name));
  text_add(t, "\\fR");
  if (o->arg) text_printf(t, " \\fI%s\\fR", o->arg);
  text_char(t, '\n');
  for (const char *s = o->help ? o->help : ""; *s;) {
    size_t n = strcspn(s, "\n");
    roff(t, s, n);
    text_char(t, '\n');
    s += n + (s[n] == '\n');
    if (*s) text_add(t, ".br\n");
  }
  if (o->choices && o->choices[0] != '@') {
    struct text words;
    text_open(&words, t->mem);
    text_add(&words, "One of: ");
    choice_words(o->choices, &words);
    roff_line(t, text_string(&words));
  }
}

static void page(struct text *t, const struct command *c) {
  title(t, c->name);
  text_printf(t, ".SH NAME\nasif\\-%s \\- ", c->name);
  roff_line(t, c->summary);
  text_printf(t, ".SH SYNOPSIS\n\\fBasif %s\\fR ", c->name);
  roff_line(t, c->usage);
  heading(t, "Options", 7);
  for (const struct opt *o = c->opts; o && o->name; o++) option(t, o);
  text_add(t, ".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nhow to call it\n");
  struct text about;
  text_open(&about, t->mem);
  command_details(c, &about);
  details(t, text_string(&about));
  text_add(t, ".SH SEE ALSO\n.BR asif (1)\n");
  tidy(t);
}

static void overview(struct text *t) {
  title(t, NULL);
  text_add(
      t,
      ".SH NAME\nasif \\- checks the as\\-if rule of concurrent objects\n"
      ".SH SYNOPSIS\n\\fBasif\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n"
      ".SH DESCRIPTION\nAsif tells whether every concurrent execution of an object behaves as if its operations had\n"
      "happened one at a time, in an order that keeps real time: linearizability.\n"
      ".SH COMMANDS\n");
  for (int i = 0; commands[i]; i++) {
    text_printf(t, ".TP\n\\fB%s\\fR\n", commands[i]->name);
    roff_line(t, commands[i]->summary);
  }
  text_add(t, ".SH EXIT STATUS\n"
              ".TP\n0\nit holds, or the work is done\n.TP\n1\nit is violated\n"
              ".TP\n2\nbad usage or input, or output that could not be written\n"
              ".TP\n3\nunknown: a limit was reached, or the run was interrupted\n.TP\n4\nan internal error\n"
              ".SH SEE ALSO\n");
  for (int i = 0; commands[i]; i++)
    text_printf(t, ".BR asif\\-%s (1)%s\n", commands[i]->name, commands[i + 1] ? "," : "");
}

static int run(const struct args *a) {
  struct text t;
  text_open(&t, a->mem);
  const struct command *c = a->count ? command_named(a->at[0]) : NULL;
  int status = EXIT_HOLDS;
  if (a->count && !c)
    status = usage_error(a, "no command is called %s", a->at[0]);
  else if (c)
    page(&t, c);
  else
    overview(&t);
  if (!status && !write_stdout(text_string(&t), t.count)) status = EXIT_USAGE;
  return status;
}

const struct command command_man = {
    .name = "man",
    .usage = "[COMMAND]",
    .summary = "print a manual page",
    .details = "Examples:\n"
               "  asif man check | man -l -      read it\n"
               "  asif man check > asif-check.1  keep it; `make install` installs all of them\n",
    .least = 0,
    .most = 1,
    .run = run,
    .operands = "@commands",
};
