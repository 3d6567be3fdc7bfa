/* compile_commands.json, as CMake, Meson and Bear write it: a list of objects, each with "file", "directory" and
 * "command" or "arguments". Of a file's flags, those are taken that say what is read: -I, -isystem, -iquote, -D, -U,
 * -include, -std; and those that change what C means, so that they are refused by name (flags.c). */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "front/compile_commands.h"
#include "front/front.h"

enum { JSON_DEPTH_MOST = 20 };

struct json {
  struct mem *mem;
  const char *at, *end;
  bool wrong;
};
struct words {
  VEC(char *) list;
};
struct entry {
  const char *file, *directory, *command;
  struct words arguments;
};

static void skip_space(struct json *j) {
  while (j->at < j->end && strchr(" \t\r\n", *j->at) && *j->at) j->at++;
}

static bool accept(struct json *j, char c) {
  skip_space(j);
  if (j->at == j->end || *j->at != c) return false;
  j->at++;
  return true;
}

static void expect(struct json *j, char c) { j->wrong |= !accept(j, c); }

static unsigned hex4(struct json *j) {
  char digits[5] = "", *stop;
  if (j->end - j->at < 4) return j->wrong = true, 0;
  memcpy(digits, j->at, 4);
  j->at += 4;
  unsigned long n = strtoul(digits, &stop, 16);
  j->wrong |= *stop != 0;
  return (unsigned)n;
}

static void add_utf8(struct text *t, unsigned c) {
  if (c < 0x80) {
    text_char(t, (char)c);
  } else if (c < 0x800) {
    text_char(t, (char)(0xc0 | c >> 6));
    text_char(t, (char)(0x80 | (c & 63)));
  } else {
    text_char(t, (char)(0xe0 | c >> 12));
    text_char(t, (char)(0x80 | (c >> 6 & 63)));
    text_char(t, (char)(0x80 | (c & 63)));
  }
}

static const char *read_string(struct json *j) {
  static const char from[] = "ntrbf", to[] = "\n\t\r\b\f";
  struct text t;
  text_open(&t, j->mem);
  expect(j, '"');
  while (!j->wrong && j->at < j->end && *j->at != '"') {
    char c = *j->at++;
    if (c != '\\' || j->at == j->end) {
      text_char(&t, c);
      continue;
    }
    c = *j->at++;
    const char *known = c ? strchr(from, c) : NULL;
    if (c == 'u')
      add_utf8(&t, hex4(j));
    else
      text_char(&t, known ? to[known - from] : c);
  }
  expect(j, '"');
  return t.count ? text_string(&t) : mem_string(j->mem, "", 0);
}

static void skip_value(struct json *j, unsigned depth) {
  if (depth > JSON_DEPTH_MOST) j->wrong = true;
  skip_space(j);
  if (j->wrong || j->at == j->end) {
    j->wrong = true;
  } else if (*j->at == '"') {
    read_string(j);
  } else if (accept(j, '[')) {
    if (accept(j, ']')) return;
    do skip_value(j, depth + 1);
    while (!j->wrong && accept(j, ','));
    expect(j, ']');
  } else if (accept(j, '{')) {
    if (accept(j, '}')) return;
    do {
      read_string(j);
      expect(j, ':');
      skip_value(j, depth + 1);
    } while (!j->wrong && accept(j, ','));
    expect(j, '}');
  } else {
    const char *start = j->at;
    while (j->at < j->end && (*j->at == '-' || *j->at == '+' || *j->at == '.' || (*j->at >= '0' && *j->at <= '9') ||
                              (*j->at >= 'a' && *j->at <= 'z') || *j->at == 'E'))
      j->at++;
    j->wrong |= j->at == start;
  }
}

static void read_entry(struct json *j, struct entry *e) {
  expect(j, '{');
  if (accept(j, '}')) return;
  do {
    const char *name = read_string(j);
    expect(j, ':');
    if (!strcmp(name, "file")) {
      e->file = read_string(j);
    } else if (!strcmp(name, "directory")) {
      e->directory = read_string(j);
    } else if (!strcmp(name, "command")) {
      e->command = read_string(j);
    } else if (!strcmp(name, "arguments") && accept(j, '[')) {
      if (accept(j, ']')) continue;
      do vec_push(j->mem, &e->arguments.list, (char *)read_string(j));
      while (!j->wrong && accept(j, ','));
      expect(j, ']');
    } else {
      skip_value(j, 0);
    }
  } while (!j->wrong && accept(j, ','));
  expect(j, '}');
}

/* A command as a shell splits it: blanks, quotes, backslashes. */
static void split_command(struct mem *m, const char *p, struct words *to) {
  for (;;) {
    struct text word;
    text_open(&word, m);
    while (*p == ' ' || *p == '\t' || *p == '\n') p++;
    if (!*p) return;
    for (char quote = 0; *p && (quote || !strchr(" \t\n", *p)); p++) {
      if (quote ? *p == quote : *p == '"' || *p == '\'')
        quote = quote ? 0 : *p;
      else if (*p == '\\' && quote != '\'' && p[1])
        text_char(&word, *++p);
      else
        text_char(&word, *p);
    }
    const char *kept = word.count ? text_string(&word) : mem_string(m, "", 0);
    vec_push(m, &to->list, (char *)kept);
  }
}

static const char *join(struct mem *m, const char *a, const char *b, const char *c) {
  struct text t;
  text_open(&t, m);
  text_printf(&t, "%s%s%s", a, b, c);
  return text_string(&t);
}

/* A path of the entry's, which counts from its directory. */
static const char *path_in(struct mem *m, const struct entry *e, const char *path) {
  if (*path == '/' || !e->directory) return mem_string(m, path, strlen(path));
  return join(m, e->directory, "/", path);
}

static bool same_file(const char *a, const char *b) {
  char x[PATH_MAX], y[PATH_MAX];
  return realpath(a, x) && realpath(b, y) && !strcmp(x, y);
}

/* The flags that matter, with paths that count from here. */
static void take_flags(struct mem *m, const struct entry *e, const struct words *from, struct flag_list *to) {
  static const char *const paths[] = {"-isystem", "-iquote", "-include", "-I"}, *const others[] = {"-D", "-U"};
  for (size_t i = 1; i < from->list.count; i++) {
    const char *word = from->list.at[i], *option = NULL;
    bool is_path = false;
    for (size_t k = 0; k < sizeof paths / sizeof *paths && !option; k++)
      if (!strncmp(word, paths[k], strlen(paths[k]))) option = paths[k], is_path = true;
    for (size_t k = 0; k < sizeof others / sizeof *others && !option; k++)
      if (!strncmp(word, others[k], strlen(others[k]))) option = others[k];
    if (option) {
      const char *value = word[strlen(option)] ? word + strlen(option) : NULL;
      if (!value && i + 1 < from->list.count) value = from->list.at[++i];
      if (!value) continue;
      vec_push(m, &to->list, mem_string(m, option, strlen(option)));
      bool beside = is_path && (strcmp(option, "-include") || strchr(value, '/'));
      vec_push(m, &to->list, (char *)(beside ? path_in(m, e, value) : mem_string(m, value, strlen(value))));
    } else if (!strncmp(word, "-std=", 5) || flags_change_meaning(word)) {
      vec_push(m, &to->list, mem_string(m, word, strlen(word)));
    } else if (!strcmp(word, "-o") || !strcmp(word, "-MF") || !strcmp(word, "-MT") || !strcmp(word, "-MQ")) {
      i++;
    }
  }
}

bool compile_commands(struct mem *m, const char *json, const char *path, struct flag_list *to, struct problem *why) {
  struct source_file text = {.path = json};
  source_read(m, &text);
  if (!text.text) {
    problem_set(why, "%.200s: %s", json, errno ? strerror(errno) : "it cannot be read, or is too large");
    return false;
  }
  struct json j = {.mem = m, .at = text.text, .end = text.text + text.length};
  bool found = false;
  expect(&j, '[');
  for (bool more = !j.wrong && !accept(&j, ']'); more; more = !j.wrong && accept(&j, ',')) {
    struct entry e = {NULL, NULL, NULL, {{NULL, 0, 0}}};
    mem_poll(m);
    read_entry(&j, &e);
    if (j.wrong || found || !e.file || !same_file(path_in(m, &e, e.file), path)) continue;
    found = true;
    if (e.command && !e.arguments.list.count) split_command(m, e.command, &e.arguments);
    take_flags(m, &e, &e.arguments, to);
  }
  if (j.wrong) {
    unsigned line = 1;
    for (const char *p = text.text; p < j.at && p < j.end; p++) line += *p == '\n';
    problem_set(why, "%.200s:%u: this is not a list of compile commands", json, line);
    return false;
  }
  if (!found) problem_set(why, "%.200s: it has no command for %.200s", json, path);
  return found;
}
