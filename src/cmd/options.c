/* Options by table: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, grouped flags (-qv), `--` before operands that begin
 * with a dash. Mistakes are answered with what would have been right. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"

static void say(const char *prefix, const char *name, const char *format, va_list list) {
  fprintf(stderr, "%s%s%s: ", prefix, name ? " " : "", name ? name : "");
  vfprintf(stderr, format, list);
}

void say_error(const char *format, ...) {
  va_list list;
  va_start(list, format);
  say("asif", NULL, format, list);
  va_end(list);
  fputc('\n', stderr);
}

int usage_error(const struct args *a, const char *format, ...) {
  va_list list;
  va_start(list, format);
  say("asif", a ? a->command->name : NULL, format, list);
  va_end(list);
  fprintf(stderr, "\nTry 'asif %s%s--help'.\n", a ? a->command->name : "", a ? " " : "");
  return EXIT_USAGE;
}

/* Edits between two words, a swap of neighbours counting one; words of up to 31 letters. */
static int edits(const char *a, size_t n, const char *b, size_t m) {
  enum { MOST = 31 };
  if (n > MOST || m > MOST) return MOST;
  int d[MOST + 1][MOST + 1];
  for (size_t i = 0; i <= n; i++) d[i][0] = (int)i;
  for (size_t j = 0; j <= m; j++) d[0][j] = (int)j;
  for (size_t i = 1; i <= n; i++) {
    for (size_t j = 1; j <= m; j++) {
      int best = d[i - 1][j - 1] + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
      if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
      if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
        best = d[i - 2][j - 2] + 1;
      d[i][j] = best;
    }
  }
  return d[n][m];
}

void nearest_try(struct nearest *near, const char *candidate, size_t len) {
  size_t n = strlen(near->word);
  int distance = edits(near->word, n, candidate, len), allowed = n < 3 ? 0 : n < 6 ? 1 : n < 10 ? 2 : 3;
  if (n >= 3 && n < len && !strncmp(near->word, candidate, n)) distance = 1; /* a beginning of it */
  if (distance > allowed || (near->best && distance >= near->distance)) return;
  near->best = candidate;
  near->best_len = len;
  near->distance = distance;
}

bool choice_has(const char *choices, const char *word, size_t len) {
  for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
    if (strcspn(c, "|") == len && !memcmp(c, word, len)) return true;
  return false;
}

static bool check_choice(const struct args *a, const struct opt *o, const char *given) {
  if (!o->choices || o->choices[0] == '@' || choice_has(o->choices, given, strlen(given))) return true;
  struct nearest near = {.word = given};
  for (const char *c = o->choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
    nearest_try(&near, c, strcspn(c, "|"));
  if (near.best)
    usage_error(a, "--%s %s: did you mean %.*s? It takes %s", o->name, given, (int)near.best_len, near.best,
                o->choices);
  else
    usage_error(a, "--%s %s: it takes %s", o->name, given, o->choices);
  return false;
}

static int find_name(const struct command *c, const char *name, size_t len) {
  for (int i = 0; c->opts && c->opts[i].name; i++)
    if (strlen(c->opts[i].name) == len && !memcmp(c->opts[i].name, name, len)) return i;
  return -1;
}

static int find_letter(const struct command *c, char letter) {
  for (int i = 0; c->opts && c->opts[i].name; i++)
    if (c->opts[i].letter && c->opts[i].letter == letter) return i;
  return -1;
}

static enum parsed unknown_option(const struct args *a, const char *name, size_t len) {
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)len, name);
  struct nearest near = {.word = word};
  for (const struct opt *o = a->command->opts; o && o->name; o++) nearest_try(&near, o->name, strlen(o->name));
  if (near.best)
    usage_error(a, "unknown option --%s; did you mean --%s?", word, near.best);
  else
    usage_error(a, "unknown option --%s", word);
  return PARSE_WRONG;
}

/* --name, --name=value, --name value; *next is the index of the argument after it. */
static enum parsed parse_long(struct args *a, int count, char **at, int *next) {
  const char *name = at[*next] + 2, *equals = strchr(name, '=');
  size_t len = equals ? (size_t)(equals - name) : strlen(name);
  ++*next;
  int i = find_name(a->command, name, len);
  if (i < 0) return len == 4 && !memcmp(name, "help", 4) ? PARSE_HELP : unknown_option(a, name, len);
  const struct opt *o = &a->command->opts[i];
  if (!o->arg) {
    if (equals) return usage_error(a, "--%s takes no value", o->name), PARSE_WRONG;
    a->values[i] = "";
    return PARSE_RUN;
  }
  if (!equals && *next >= count)
    return usage_error(a, "--%s needs a value: --%s %s", o->name, o->name, o->arg), PARSE_WRONG;
  a->values[i] = equals ? equals + 1 : at[(*next)++];
  return check_choice(a, o, a->values[i]) ? PARSE_RUN : PARSE_WRONG;
}

/* -q, -j4, -j 4, -qj4 */
static enum parsed parse_letters(struct args *a, int count, char **at, int *next) {
  const char *p = at[(*next)++] + 1;
  for (; *p; p++) {
    int i = find_letter(a->command, *p);
    if (i < 0 && *p == 'h') return PARSE_HELP;
    if (i < 0) return usage_error(a, "unknown option -%c", *p), PARSE_WRONG;
    const struct opt *o = &a->command->opts[i];
    if (!o->arg) {
      a->values[i] = "";
      continue;
    }
    if (!p[1] && *next >= count) return usage_error(a, "-%c needs a value: -%c %s", *p, *p, o->arg), PARSE_WRONG;
    a->values[i] = p[1] ? p + 1 : at[(*next)++];
    return check_choice(a, o, a->values[i]) ? PARSE_RUN : PARSE_WRONG;
  }
  return PARSE_RUN;
}

enum parsed parse_args(struct mem *m, const struct command *c, int count, char **at, struct args *a) {
  size_t options = 0;
  while (c->opts && c->opts[options].name) options++;
  *a = (struct args){.command = c,
                     .mem = m,
                     .at = mem_zero(m, (size_t)count + 1, sizeof *a->at),
                     .values = mem_zero(m, options + 1, sizeof *a->values)};
  if (c->passes && count == 1 && (!strcmp(at[0], "--help") || !strcmp(at[0], "-h"))) return PARSE_HELP;
  bool ended = false;
  for (int i = 0; i < count;) {
    enum parsed p = PARSE_RUN;
    if (c->passes) {
      a->at[a->count++] = at[i++];
    } else if (!strcmp(at[i], "--")) {
      a->own = a->count;
      for (i++; i < count; i++) a->at[a->count++] = at[i];
      ended = true;
    } else if (!strncmp(at[i], "--", 2)) {
      p = parse_long(a, count, at, &i);
    } else if (at[i][0] == '-' && at[i][1]) {
      p = parse_letters(a, count, at, &i);
    } else {
      a->at[a->count++] = at[i++];
    }
    if (p != PARSE_RUN) return p;
  }
  if (!ended) a->own = a->count;
  if (c->most >= 0 && a->count > c->most) return usage_error(a, "too many arguments: %s", a->at[c->most]), PARSE_WRONG;
  if (a->count < c->least) return usage_error(a, "usage: asif %s %s", c->name, c->usage), PARSE_WRONG;
  return PARSE_RUN;
}

const char *arg_value(const struct args *a, const char *name) {
  int i = find_name(a->command, name, strlen(name));
  return i < 0 ? NULL : a->values[i];
}

bool arg_flag(const struct args *a, const char *name) { return arg_value(a, name) != NULL; }

/* A number, possibly fractional, that is neither negative nor "inf"; *end is what follows it. */
static bool amount(const char *s, double *out, char **end) {
  if (!isdigit((unsigned char)s[0]) && s[0] != '.') return false;
  errno = 0;
  *out = strtod(s, end);
  return *end != s && !errno && isfinite(*out);
}

double arg_seconds(const struct args *a, const char *name, double otherwise, bool *bad) {
  const char *s = arg_value(a, name);
  if (!s) return otherwise;
  char *end;
  double v, unit = 0;
  if (amount(s, &v, &end)) {
    if (!*end || !strcmp(end, "s"))
      unit = 1;
    else if (!strcmp(end, "ms"))
      unit = 1e-3;
    else if (!strcmp(end, "m") || !strcmp(end, "min"))
      unit = 60;
    else if (!strcmp(end, "h"))
      unit = 3600;
  }
  if (unit > 0 && v > 0) return v * unit;
  usage_error(a, "--%s %s: a time above zero, like 10, 0.5s, 5m or 1h", name, s);
  *bad = true;
  return otherwise;
}

size_t arg_bytes(const struct args *a, const char *name, size_t otherwise, bool *bad) {
  const char *s = arg_value(a, name);
  if (!s) return otherwise;
  char *end;
  double v, unit = 0;
  if (amount(s, &v, &end)) {
    const char *units = "kmgt";
    const char *at = *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
    if (!*end)
      unit = 1;
    else if (at && (!end[1] || !strcmp(end + 1, "B") || !strcmp(end + 1, "iB")))
      unit = ldexp(1, 10 * (int)(at - units + 1));
  }
  if (unit > 0 && v * unit >= 1 && v * unit < ldexp(1, 62)) return (size_t)(v * unit);
  usage_error(a, "--%s %s: a size, like 500M or 2G", name, s);
  *bad = true;
  return otherwise;
}

long long arg_number(const struct args *a, const char *name, long long otherwise, long long least, long long most,
                     bool *bad) {
  const char *s = arg_value(a, name);
  if (!s) return otherwise;
  char *end;
  errno = 0;
  long long v = strtoll(s, &end, 10);
  if (end != s && !errno) { /* 10k, 5M: thousands and millions */
    long long unit = !*end ? 1 : !strcmp(end, "k") ? 1000 : !strcmp(end, "M") ? 1000000 : 0;
    if (unit && !__builtin_mul_overflow(v, unit, &v) && v >= least && v <= most) return v;
  }
  usage_error(a, "--%s %s: a whole number from %lld to %lld", name, s, least, most);
  *bad = true;
  return otherwise;
}
