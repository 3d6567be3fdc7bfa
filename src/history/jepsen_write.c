/* Writing Jepsen events, as EDN or JSON, a map a line: see jepsen.c for the keys that are Asif's own. */
#include <string.h>

#include "history/jepsen.h"
#include "history/write.h"

struct out {
  const struct history *h;
  struct text *text;
  bool json;
  bool numbered; /* every process has a number for a name; else its index is its number */
  bool named;    /* events name their object */
};

static void put_string(struct text *t, const char *s, size_t n) {
  text_char(t, '"');
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c == '"' || c == '\\') {
      text_char(t, '\\');
      text_char(t, (char)c);
    } else if (c == '\n') {
      text_add(t, "\\n");
    } else if (c < 32 || c == 127) {
      text_printf(t, "\\u%04x", c);
    } else {
      text_char(t, (char)c);
    }
  }
  text_char(t, '"');
}

/* A key, with what separates it from the pair before and from its value. */
static void put_key(const struct out *o, const char *key, bool first) {
  if (!first) text_add(o->text, ", ");
  text_add(o->text, o->json ? "\"" : ":");
  text_add(o->text, key);
  text_add(o->text, o->json ? "\": " : " ");
}

static void put_value(const struct out *o, value v) {
  const struct values *values = o->h->values;
  struct text *t = o->text;
  size_t n;
  switch (value_kind(values, v)) {
  case VALUE_INT: write_int(value_integer(values, v), t); return;
  case VALUE_TEXT: {
    const char *s = value_chars(values, v, &n);
    put_string(t, s, n);
    return;
  }
  case VALUE_LIST: {
    const value *items = value_items(values, v, &n);
    text_char(t, '[');
    for (size_t i = 0; i < n; i++) {
      if (i) text_add(t, o->json ? ", " : " ");
      put_value(o, items[i]);
    }
    text_char(t, ']');
    return;
  }
  default: break;
  }
  const char *special = scan_special_name(v);
  if (special)
    text_printf(t, o->json ? "\":%s\"" : ":%s", special);
  else
    text_add(t, v == V_TRUE ? "true" : v == V_FALSE ? "false" : o->json ? "null" : "nil");
}

/* :enq where the name is a plain word; "a name" where it is not. */
static void put_name(const struct out *o, const char *name) {
  size_t n = strlen(name);
  bool plain = n > 0;
  for (size_t i = 0; i < n; i++) {
    char c = name[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    plain = plain && (letter || (i && c >= '0' && c <= '9') || (i && (c == '.' || c == '?' || c == '!')));
  }
  if (o->json || !plain) {
    put_string(o->text, name, n);
  } else {
    text_char(o->text, ':');
    text_add(o->text, name);
  }
}

static void put_arguments(const struct out *o, const struct op *op, int count) {
  text_char(o->text, '[');
  for (int i = 0; i < count; i++) {
    if (i) text_add(o->text, o->json ? ", " : " ");
    put_value(o, op->arg[i]);
  }
  text_char(o->text, ']');
}

/* What Jepsen has in :value of a call: nil, the argument, or a list of them. */
static void put_call_value(const struct out *o, const struct op *op) {
  int n = op_arguments(op);
  put_key(o, "value", false);
  if (n == 0)
    text_add(o->text, o->json ? "null" : "nil");
  else if (n == 1)
    put_value(o, op->arg[0]);
  else
    put_arguments(o, op, n);
  if (n > 1 || (n == 1 && op->arg[0] == V_NIL)) {
    put_key(o, "asif/args", false);
    put_arguments(o, op, n);
  }
}

static void put_event(const struct out *o, const struct writer *w, uint32_t event) {
  const struct history *h = o->h;
  const struct op *op = &h->ops.at[event >> 1];
  bool returns = event & 1;
  char room[16];
  text_char(o->text, '{');
  put_key(o, "process", true);
  if (o->numbered || w->lanes)
    text_add(o->text, writer_process_name(w, event >> 1, room));
  else
    write_int(op->process, o->text);
  put_key(o, "type", false);
  put_name(o, returns ? "ok" : "invoke");
  put_key(o, "f", false);
  put_name(o, names_at(h->methods, op->method));
  if (!returns) {
    put_call_value(o, op);
  } else if (h->echoes) {
    put_key(o, "value", false);
    put_value(o, op->result);
  } else {
    put_key(o, "value", false);
    put_value(o, op->result == V_NONE && op_arguments(op) == 1   ? op->arg[0]
                 : op->result == V_NONE || op->result == V_EMPTY ? V_NIL
                                                                 : op->result);
    put_key(o, "asif/result", false);
    put_value(o, op->result);
  }
  if (o->named) {
    put_key(o, "asif/object", false);
    put_string(o->text, names_at(h->objects, op->object), strlen(names_at(h->objects, op->object)));
  }
  if (h->call_time) {
    put_key(o, "time", false);
    write_int((returns ? h->ret_time : h->call_time)[event >> 1], o->text);
  }
  text_add(o->text, "}\n");
}

static bool all_numbers(const struct names *names) {
  for (uint32_t i = 0; i < names_count(names); i++) {
    const char *s = names_at(names, i);
    s += *s == '-';
    if (!*s || s[strspn(s, "0123456789")]) return false;
  }
  return true;
}

bool jepsen_write(const struct history *h, struct text *text, enum scan_syntax syntax,
                  bool (*flush)(struct text *, void *), void *to) {
  uint32_t objects = names_count(h->objects);
  struct writer w;
  struct out o = {.h = h,
                  .text = text,
                  .json = syntax == SCAN_JSON,
                  .numbered = all_numbers(h->processes),
                  .named = objects > 1 || (objects == 1 && strcmp(names_at(h->objects, 0), "x") != 0)};
  writer_open(&w, h, text);
  bool good = true;
  if (!h->events) text_add(text, "[]\n"); /* a file with nothing in it is refused */
  for (uint32_t e = 0; e < h->events && good; e++) {
    put_event(&o, &w, w.events[e]);
    if (text->count >= WRITE_CHUNK) good = flush(text, to);
  }
  writer_close(&w);
  return good;
}
