/* Binding a history to a specification, as a whole (spec_bind) or event by event (spec_bind_call, spec_bind_return):
 * see spec.h.
 *
 * Names are looked up once a method, not once an operation, and texts that are words for results (empty, true, ...)
 * are found once a text; the loop over the operations then only compares. Formats differ in how they write the same
 * call, and here is where the differences end:
 *   - fewer arguments than needed, the last of them a list: it is taken apart ([old new], [k v], [k [old new]]);
 *   - trailing nils beyond what the operation takes are a format's way to say "no argument";
 *   - in Jepsen histories a keyed read is called with [k nil] and completes with [k v];
 *   - in Jepsen histories that went through a completion (knossos') a call has its result already, as an argument more;
 *   - a removal written with its value and without a result (`pop 5` in column files) returned that value. */
#include <errno.h>
#include <stdlib.h>

#include "spec/common.h"
#include "spec/map.h"
#include "spec/user.h"

/* What a text means as a result. */
enum word { WORD_UNSEEN, WORD_NONE, WORD_NIL, WORD_EMPTY, WORD_FULL, WORD_TRUE, WORD_FALSE, WORD_ABORT };

struct binder {
  struct mem *mem;
  struct spec *spec;
  struct values *values;
  bool echoes;        /* as of a history */
  const char *source; /* file name for messages */
  struct problem *problem;
  unsigned char *words;    /* enum word of each entry of the values, or WORD_UNSEEN; NULL if no text is a word */
  size_t entries;          /* how many */
  bool grows;              /* the values are not all there yet */
  bool no_nil_arguments;   /* a container: nil inside could not be told from empty ... */
  bool no_false_arguments; /* ... and where a removal may give up, false not from that */
};

/* Per method of the history. */
struct method {
  int op; /* index into spec.ops, -1 if unknown */
  uint8_t args, most, result, arg_kind;
  value echo;
};

static enum word word_meaning(const char *s, size_t n) {
  static const struct {
    const char *words;
    enum word meaning;
  } table[] = {{"empty none null nil undefined", WORD_EMPTY},
               {"full", WORD_FULL},
               {"true ok yes success", WORD_TRUE},
               {"false no fail failed", WORD_FALSE},
               {"abort aborted retry", WORD_ABORT}};
  if (n < 2 || n > 9) return WORD_NONE;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (in_words(table[i].words, s, n)) return i == 0 && !same_name(s, n, "empty", 5) ? WORD_NIL : table[i].meaning;
  return WORD_NONE;
}

static enum word entry_meaning(const struct values *v, size_t entry) {
  value x = (value)(entry << 1 | 1);
  if (entry <= V_UNKNOWN / 2 || value_kind(v, x) != VALUE_TEXT) return WORD_NONE;
  size_t n;
  const char *s = value_chars(v, x, &n);
  return word_meaning(s, n);
}

/* Room for the entries there are by now. */
static void more_entries(struct binder *b) {
  size_t room = values_count(b->values) * 2;
  b->words = mem_resize(b->mem, b->words, room);
  memset(b->words + b->entries, WORD_UNSEEN, room - b->entries);
  b->entries = room;
}

/* A text that means something as a result does not if it is also somebody's argument: then it is data. */
static void arguments_are_data(struct binder *b, const value arg[OP_ARGS]) {
  for (int a = 0; a < OP_ARGS; a++) {
    if (value_is_small(arg[a]) || arg[a] <= V_UNKNOWN) continue;
    if (arg[a] >> 1 >= b->entries) more_entries(b);
    b->words[arg[a] >> 1] = WORD_NONE;
  }
}

/* Of a whole history: are there any such texts, and which are data? */
static void find_words(struct binder *b, const struct history *h) {
  b->entries = values_count(b->values);
  size_t i = 0;
  while (i < b->entries && entry_meaning(b->values, i) == WORD_NONE) i++;
  if (i == b->entries) return;
  b->words = mem_zero(b->mem, b->entries, 1);
  for (i = 0; i < h->ops.count; i++) arguments_are_data(b, h->ops.at[i].arg);
}

static enum word word_of(struct binder *b, value v) {
  switch (v) {
  case V_NONE:
  case V_NIL: return WORD_NIL;
  case V_TRUE: return WORD_TRUE;
  case V_FALSE: return WORD_FALSE;
  case V_EMPTY: return WORD_EMPTY;
  case V_FULL: return WORD_FULL;
  default: break;
  }
  if (value_is_small(v) || (!b->words && !b->grows)) return WORD_NONE;
  if (v >> 1 >= b->entries) more_entries(b);
  unsigned char *word = &b->words[v >> 1];
  if (*word == WORD_UNSEEN) *word = (unsigned char)entry_meaning(b->values, v >> 1);
  return (enum word) * word;
}

/* Problems. */

static bool fail(struct binder *b, const struct op *o, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool fail(struct binder *b, const struct op *o, const char *format, ...) {
  char what[400];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  if (o->line)
    problem_set(b->problem, "%s:%u: %s", b->source, o->line, what);
  else
    problem_set(b->problem, "%s: %s", b->source, what);
  return false;
}

static bool fail_value(struct binder *b, const struct op *o, const struct method *m, value v, const char *what) {
  struct text t;
  size_t len;
  const char *name = spec_op_name(b->spec, (unsigned)m->op, &len);
  text_open(&t, b->mem);
  value_print(b->values, v, &t);
  fail(b, o, what, (int)len, name, text_string(&t));
  vec_free(b->mem, &t);
  return false;
}

static bool fail_unknown(struct binder *b, const struct op *o, const char *method) {
  char list[300] = "";
  size_t used = 0;
  for (unsigned m = 0; m < b->spec->op_count && used < sizeof list; m++) {
    size_t len;
    const char *name = spec_op_name(b->spec, m, &len);
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", m ? ", " : "", (int)len, name);
  }
  return fail(b, o, "operation '%.60s' is not one of %s's: %s", method, b->spec->name, list);
}

static bool fail_count(struct binder *b, const struct op *o, const struct method *m, int given) {
  size_t len;
  const char *name = spec_op_name(b->spec, (unsigned)m->op, &len);
  bool keyed = !b->spec->keyed && value_kind(b->values, o->arg[0]) == VALUE_LIST;
  if (m->args == m->most)
    return fail(b, o, "%.*s of a %s takes %d argument%s, not %d%s", (int)len, name, b->spec->name, m->args,
                m->args == 1 ? "" : "s", given,
                keyed ? " (registers addressed by a key are the specification 'map')" : "");
  return fail(b, o, "%.*s of a %s takes %d to %d arguments, not %d", (int)len, name, b->spec->name, m->args, m->most,
              given);
}

/* Arguments. */

static int count_args(const struct op *o) {
  int n = 0;
  while (n < OP_ARGS && o->arg[n] != V_NONE) n++;
  return n;
}

/* Takes the list that is argument `at` apart in place. */
static bool spread(struct binder *b, struct op *o, int at) {
  size_t n;
  if (value_kind(b->values, o->arg[at]) != VALUE_LIST) return false;
  const value *items = value_items(b->values, o->arg[at], &n);
  if (!n || n > (size_t)(OP_ARGS - at)) return false;
  for (size_t i = 0; i < n; i++) o->arg[at + (int)i] = items[i];
  return true;
}

/* Does the operation return something that a call may have with it already? */
static bool returns_value(const struct method *m) {
  return m->result == RESULT_VALUE || m->result == RESULT_VALUE_ABORT || m->result == RESULT_CONTENT ||
         m->result == RESULT_INT;
}

/* `*told`: the result, if the call has it with it; else as it was. */
static bool bind_args_slowly(struct binder *b, struct op *o, const struct method *m, value *told) {
  int n = count_args(o);
  while (n && n < m->args && spread(b, o, n - 1)) n = count_args(o);
  /* Jepsen's keyed read: [k nil], or [k v] where it is completed. */
  if (b->echoes && b->spec->keyed && n == 1 && m->most == 1 && value_kind(b->values, o->arg[0]) == VALUE_LIST) {
    size_t items;
    const value *item = value_items(b->values, o->arg[0], &items);
    bool completed = returns_value(m) && (b->grows || o->result == o->arg[0]);
    if (items == 2 && (item[1] == V_NIL || completed)) {
      if (item[1] != V_NIL) *told = item[1];
      o->arg[0] = item[0];
    }
  }
  while (n > m->most && o->arg[n - 1] == V_NIL) o->arg[--n] = V_NONE;
  if (n == m->most + 1 && returns_value(m) &&
      (b->echoes || m->result == RESULT_VALUE || m->result == RESULT_VALUE_ABORT)) {
    *told = o->arg[--n];
    o->arg[n] = V_NONE;
  }
  if (n < m->args || n > m->most) return fail_count(b, o, m, n);
  return true;
}

static bool bind_args(struct binder *b, struct op *o, const struct method *m, value *told) {
  bool exact = (!m->args || o->arg[m->args - 1] != V_NONE) && (m->most == OP_ARGS || o->arg[m->most] == V_NONE);
  bool list = m->args && !value_is_small(o->arg[0]) && b->echoes;
  if ((!exact || list) && !bind_args_slowly(b, o, m, told)) return false;
  if (m->arg_kind == ARG_INT)
    for (int i = 0; i < m->most && o->arg[i] != V_NONE; i++)
      if (value_kind(b->values, o->arg[i]) != VALUE_INT)
        return fail_value(b, o, m, o->arg[i], "%.*s takes an integer, not %s");
  if (m->args && ((b->no_nil_arguments && (o->arg[0] == V_NIL || o->arg[0] == V_EMPTY)) ||
                  (b->no_false_arguments && o->arg[0] == V_FALSE)))
    return fail_value(b, o, m, o->arg[0],
                      "%.*s of %s: inside, it could not be told from a result that says there is nothing");
  return true;
}

/* Results. */

/* Jepsen: a completion of a keyed operation carries [k v]; only v is the result. */
static void strip_key(struct binder *b, struct op *o) {
  if (value_is_small(o->result) || value_kind(b->values, o->result) != VALUE_LIST) return;
  size_t n;
  const value *items = value_items(b->values, o->result, &n);
  if (n == 2 && items[0] == o->arg[0]) o->result = items[1];
}

/* The call had the result with it. A completion says the same; where there is none to say it, the call's is it. */
static bool bind_told(struct binder *b, struct op *o, const struct method *m, value told) {
  if (told == V_NONE || o->result == V_UNKNOWN) return true;
  if (b->echoes && b->spec->keyed) strip_key(b, o);
  if (o->result == V_NONE) {
    o->result = told;
    return true;
  }
  if (!b->echoes) return fail_count(b, o, m, m->most + 1);
  if (o->result == told) return true;
  struct text t;
  size_t len;
  const char *name = spec_op_name(b->spec, (unsigned)m->op, &len);
  text_open(&t, b->mem);
  value_print(b->values, told, &t);
  text_add(&t, " and returns ");
  value_print(b->values, o->result, &t);
  fail(b, o, "%.*s is called with its result, %s", (int)len, name, text_string(&t));
  vec_free(b->mem, &t);
  return false;
}

static bool bind_bool(struct binder *b, struct op *o, const struct method *m) {
  value r = o->result;
  if (r == V_TRUE || r == V_FALSE) return true;
  enum word w = word_of(b, r);
  if (b->echoes && w != WORD_TRUE && w != WORD_FALSE)
    o->result = m->echo; /* Jepsen completes with the call's value, whatever it is */
  else if (w == WORD_TRUE || r == value_of_small(1))
    o->result = V_TRUE;
  else if (w == WORD_FALSE || r == value_of_small(0))
    o->result = V_FALSE;
  else if (r == V_NONE || r == V_NIL)
    o->result = m->echo;
  else
    return fail_value(b, o, m, r, "%.*s returns true or false, not %s");
  return true;
}

/* `called` is the first argument as it was written: what a Jepsen completion repeats. */
static bool bind_result(struct binder *b, struct op *o, const struct method *m, value called) {
  if (o->result == V_UNKNOWN) return true;
  bool repeats = b->echoes && o->result == called;
  if (b->echoes && b->spec->keyed) strip_key(b, o);
  switch (m->result) {
  case RESULT_NONE: o->result = V_NONE; return true;
  case RESULT_BOOL: return bind_bool(b, o, m);
  case RESULT_VALUE:
    if (!value_is_small(o->result)) {
      enum word w = word_of(b, o->result);
      if (w == WORD_NIL || w == WORD_EMPTY) o->result = V_EMPTY;
    }
    return true;
  case RESULT_VALUE_ABORT:
    if (!value_is_small(o->result)) {
      enum word w = word_of(b, o->result);
      if (w == WORD_NIL || w == WORD_EMPTY) o->result = V_EMPTY;
      if (w == WORD_FALSE || w == WORD_ABORT) o->result = V_FALSE;
    }
    return true;
  case RESULT_OLD: /* a completion that says nothing, or repeats the call, does not say what was there: m->echo */
    if (o->result == V_NONE || (repeats && m->echo == V_UNKNOWN))
      o->result = V_UNKNOWN;
    else if (o->result == V_EMPTY)
      o->result = V_NIL;
    return true;
  case RESULT_CONTENT:
    if (o->result == V_NONE || o->result == V_EMPTY) o->result = V_NIL;
    return true;
  case RESULT_INT:
    if (!value_is_small(o->result) && value_kind(b->values, o->result) != VALUE_INT) {
      if (o->result != V_NONE && o->result != V_NIL)
        return fail_value(b, o, m, o->result, "%.*s returns an integer, not %s");
      o->result = V_UNKNOWN;
    }
    return true;
  case RESULT_ANY:
    if (b->echoes && m->args && o->result == called)
      o->result = V_NONE;
    else if (o->result != V_NONE && !value_is_small(o->result))
      switch (word_of(b, o->result)) {
      case WORD_NIL:
      case WORD_EMPTY: o->result = V_EMPTY; break;
      case WORD_TRUE: o->result = V_TRUE; break;
      case WORD_FALSE: o->result = V_FALSE; break;
      case WORD_FULL: o->result = V_FULL; break;
      case WORD_ABORT:
      case WORD_UNSEEN:
      case WORD_NONE: break;
      }
    return true;
  default: /* RESULT_NONE_FULL: false where an offer was refused */
    switch (word_of(b, o->result)) {
    case WORD_FULL:
    case WORD_FALSE: o->result = V_FULL; break;
    default: o->result = V_NONE;
    }
    return true;
  }
}

/* The map's contents: the empty text is nil; what is appended is a text. */
static bool bind_map_op(struct binder *b, struct op *o, value nothing) {
  for (int a = 1; a < OP_ARGS; a++)
    if (o->arg[a] == nothing) o->arg[a] = V_NIL;
  if (o->result == nothing) o->result = V_NIL;
  if (o->method != MAP_APPEND) return true;
  enum value_kind kind = value_kind(b->values, o->arg[1]);
  return kind == VALUE_TEXT || kind == VALUE_INT || o->arg[1] == V_NIL ||
         fail(b, o, "append takes a text or an integer");
}

/* The integer whose digits a text is, as that integer; any other value as it is. */
static value text_as_integer(struct values *values, value v) {
  size_t len;
  if (value_kind(values, v) != VALUE_TEXT) return v;
  const char *chars = value_chars(values, v, &len);
  char digits[24], text[24];
  if (!len || len >= sizeof text) return v;
  memcpy(text, chars, len);
  text[len] = 0;
  errno = 0;
  long long integer = strtoll(text, NULL, 10);
  if (errno || snprintf(digits, sizeof digits, "%lld", integer) != (int)len || memcmp(digits, text, len)) return v;
  return value_int(values, integer);
}

/* Whether any operation appends decides how they are kept (map.c). Where one does, integers are their digits: a text of
 * digits becomes the integer, so that contents that are equal are the same value for whoever compares values. */
static bool bind_map(struct binder *b, struct history *h) {
  uint32_t used = 0;
  value nothing = value_text(b->values, "", 0);
  bool good = true;
  for (size_t i = 0; i < h->ops.count && good; i++) {
    used |= spec_op_bit(h->ops.at[i].method);
    good = bind_map_op(b, &h->ops.at[i], nothing);
  }
  spec_use_only(b->spec, used);
  for (size_t i = 0; i < h->ops.count && used >> MAP_APPEND & 1; i++) {
    struct op *o = &h->ops.at[i];
    for (int a = 1; a < OP_ARGS; a++) o->arg[a] = text_as_integer(b->values, o->arg[a]);
    o->result = text_as_integer(b->values, o->result);
  }
  return good;
}

/* The methods are the specification's operations now, and are called so where the history is written. */
static void name_methods(const struct spec *spec, struct history *h) {
  h->methods = names_new(h->mem);
  for (unsigned m = 0; m < spec->op_count; m++) {
    size_t len;
    const char *name = spec_op_name(spec, m, &len);
    names_intern(h->methods, name, len);
  }
}

static struct method method_of(const struct spec *spec, int op) {
  if (op < 0) return (struct method){.op = op};
  const struct spec_op *s = &spec->ops[op];
  return (struct method){op, s->args, s->args_most, s->result, s->arg_kind, s->echo};
}

static bool has_result(const struct spec *spec, enum result_kind kind) {
  for (unsigned m = 0; m < spec->op_count; m++)
    if (spec->ops[m].result == kind) return true;
  return false;
}

static const char *digits(const char *s) {
  while (*s >= '0' && *s <= '9') s++;
  return s;
}

/* Is a text a number that no value is: 1.5, 1e400, an integer beyond 64 bits, Clojure's 1.5M? */
static bool other_number(const char *s) {
  s += *s == '-' || *s == '+';
  const char *from = s;
  s = digits(s);
  if (s == from) return false;
  bool whole = *s != '.' && *s != 'e' && *s != 'E';
  if (*s == '.') s = digits(s + 1);
  if (*s == 'e' || *s == 'E') {
    s += 1 + (s[1] == '-' || s[1] == '+');
    from = s;
    s = digits(s);
    if (s == from) return false;
  }
  if (*s == 'M') s++, whole = false;
  return !*s && (!whole || (*from != '0' && s - from > 18)); /* 0007 is a text that looks like a number */
}

/* Where values have an order, numbers that are not integers would be ordered as texts. */
static bool bind_ordered(struct binder *b, struct history *h) {
  if (b->spec->family != FAMILY_PRIORITY_QUEUE && b->spec->family != FAMILY_ORDERED_MAP) return true;
  for (size_t i = 0; i < h->ops.count; i++) {
    const struct op *o = &h->ops.at[i];
    size_t len;
    if (value_kind(h->values, o->arg[0]) != VALUE_TEXT) continue;
    const char *text = value_chars(h->values, o->arg[0], &len);
    if (other_number(text))
      return fail(b, o, "%s orders integers of 64 bits and texts; %.100s would be a text", b->spec->name, text);
  }
  return true;
}

bool spec_bind(struct spec *spec, struct history *h, struct problem *problem) {
  struct binder b = {.mem = h->mem,
                     .spec = spec,
                     .values = h->values,
                     .echoes = h->echoes,
                     .source = h->source,
                     .problem = problem,
                     .no_nil_arguments = has_result(spec, RESULT_VALUE),
                     .no_false_arguments = has_result(spec, RESULT_VALUE_ABORT)};
  spec->values = h->values;
  spec->processes = h->processes;
  uint32_t count = names_count(h->methods);
  struct method *methods = mem_zero(h->mem, count + 1, sizeof *methods);
  for (uint32_t i = 0; i < count; i++) {
    const char *name = names_at(h->methods, i);
    methods[i] = method_of(spec, spec_op_find(spec, name, strlen(name)));
  }
  find_words(&b, h);
  bool good =
      !spec->by_process || !h->lanes || !h->ops.count ||
      fail(&b, &h->ops.at[0], "what a %s does depends on the process, and %s do not name it", spec->name, h->format);
  for (size_t i = 0; i < h->ops.count && good; i++) {
    struct op *o = &h->ops.at[i];
    const struct method *m = &methods[o->method];
    value called = o->arg[0], told = V_NONE;
    good = m->op < 0 ? fail_unknown(&b, o, names_at(h->methods, o->method))
                     : bind_args(&b, o, m, &told) && bind_told(&b, o, m, told) && bind_result(&b, o, m, called);
    o->method = (uint16_t)m->op;
  }
  if (good && spec->step == spec_map.step) good = bind_map(&b, h);
  if (good) good = bind_ordered(&b, h);
  if (good && spec->step == user_step) good = user_check_args(spec, h, problem);
  mem_free(h->mem, b.words);
  mem_free(h->mem, methods);
  if (good) name_methods(spec, h);
  return good;
}

/* Event by event. */

struct binder *spec_binder(struct mem *m, struct spec *spec, struct values *values, bool echoes, const char *source) {
  struct binder *b = mem_alloc(m, sizeof *b);
  *b = (struct binder){.mem = m,
                       .spec = spec,
                       .values = values,
                       .echoes = echoes,
                       .source = source,
                       .grows = true,
                       .no_nil_arguments = has_result(spec, RESULT_VALUE),
                       .no_false_arguments = has_result(spec, RESULT_VALUE_ABORT)};
  spec->values = values;
  spec_use_only(spec, UINT32_MAX); /* any may come */
  return b;
}

void spec_binder_echoes(struct binder *b, bool echoes) { b->echoes = echoes; }

int spec_bind_method(struct binder *b, const char *name, size_t len, uint32_t line, struct problem *problem) {
  int op = spec_op_find(b->spec, name, len);
  if (op >= 0) return op;
  b->problem = problem;
  char *whole = mem_string(b->mem, name, len);
  fail_unknown(b, &(struct op){.line = line}, whole);
  return -1;
}

/* What all operations of a map and of a user's specification must be, on either side. */
static bool bind_special(struct binder *b, struct op *o) {
  if (b->spec->step == spec_map.step) return bind_map_op(b, o, value_text(b->values, "", 0));
  return b->spec->step != user_step || user_check_op(b->spec, b->values, o, b->source, b->problem);
}

bool spec_bind_call(struct binder *b, uint16_t method, const value arg[OP_ARGS], uint32_t line, struct bound_call *c,
                    struct problem *problem) {
  struct method m = method_of(b->spec, method);
  struct op o = {.result = V_NONE, .line = line, .method = method};
  b->problem = problem;
  memcpy(o.arg, arg, sizeof o.arg);
  arguments_are_data(b, arg);
  c->told = V_NONE;
  if (!bind_args(b, &o, &m, &c->told)) return false;
  o.result = V_UNKNOWN;
  if (!bind_special(b, &o)) return false;
  c->method = method;
  c->called = arg[0];
  memcpy(c->arg, o.arg, sizeof o.arg);
  return true;
}

bool spec_bind_return(struct binder *b, const struct bound_call *c, value *result, uint32_t line,
                      struct problem *problem) {
  struct method m = method_of(b->spec, c->method);
  struct op o = {.result = *result, .line = line, .method = c->method};
  b->problem = problem;
  memcpy(o.arg, c->arg, sizeof o.arg);
  if (!bind_told(b, &o, &m, c->told) || !bind_result(b, &o, &m, c->called) || !bind_special(b, &o)) return false;
  *result = o.result;
  return true;
}
