/* The object: the harness's entries bound to the specification. Mistakes are told as `asif verify` tells them. */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "asif.h"
#include "spec/c_values.h"
#include "spec/effects.h"
#include "test/compile.h"
#include "test/tell.h"

enum {
  OPS_MOST = 64,
  ROLE_OPS = sizeof(((struct asif_entry *)0)->functions) / sizeof(((struct asif_entry *)0)->functions[0])
};

struct reading {
  struct mem *mem;
  const struct object_source *source;
  struct object *object;
  const struct asif_entry **entries; /* by place */
  struct problem *why;
};

static bool wrong(struct reading *k, const struct asif_entry *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool wrong(struct reading *k, const struct asif_entry *e, const char *format, ...) {
  char what[500];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  if (e)
    problem_set(k->why, "%s:%d: %s", e->file, e->line, what);
  else
    problem_set(k->why, "%s: %s", k->source->file, what);
  return false;
}

/* The parameter of a specification: a sum, macros expanded. */

struct sum {
  const char *at;
  bool bad;
};

static void skip_blanks(struct sum *s) { s->at += strspn(s->at, " \t"); }

static bool accept(struct sum *s, const char *token) {
  skip_blanks(s);
  size_t n = strlen(token);
  if (strncmp(s->at, token, n)) return false;
  s->at += n;
  return true;
}

static int64_t sum_of(struct sum *);

static int64_t primary(struct sum *s) {
  if (accept(s, "(")) {
    int64_t v = sum_of(s);
    s->bad |= !accept(s, ")");
    return v;
  }
  if (accept(s, "-")) return (int64_t)(0 - (uint64_t)primary(s));
  if (accept(s, "+")) return primary(s);
  skip_blanks(s);
  char *end;
  errno = 0;
  int64_t v = isdigit((unsigned char)*s->at) ? strtoll(s->at, &end, 0) : (end = (char *)s->at, 0);
  s->bad |= end == s->at || errno;
  s->at = end + strspn(end, "uUlL");
  return v;
}

static int64_t product(struct sum *s) {
  int64_t v = primary(s);
  for (;;) {
    bool times = accept(s, "*"), divide = !times && accept(s, "/"), rest = !times && !divide && accept(s, "%");
    if (!times && !divide && !rest) return v;
    int64_t by = primary(s);
    if (!times && (!by || (by == -1 && v == INT64_MIN))) return s->bad = true, 0;
    if (times && __builtin_mul_overflow(v, by, &v)) s->bad = true;
    if (!times) v = divide ? v / by : v % by;
  }
}

static int64_t addition(struct sum *s) {
  int64_t v = product(s);
  for (;;) {
    bool plus = accept(s, "+"), minus = !plus && accept(s, "-");
    if (!plus && !minus) return v;
    int64_t by = product(s);
    s->bad |= plus ? __builtin_add_overflow(v, by, &v) : __builtin_sub_overflow(v, by, &v);
  }
}

static int64_t sum_of(struct sum *s) {
  int64_t v = addition(s);
  for (;;) {
    bool left = accept(s, "<<"), right = !left && accept(s, ">>");
    if (!left && !right) return v;
    int64_t by = addition(s);
    if (by < 0 || by > 62 || v < 0 || (left && v > INT64_MAX >> by)) return s->bad = true, 0;
    v = left ? v << by : v >> by;
  }
}

/* "bounded_queue(2 * 4)" -> "bounded-queue(8)". */
static bool spec_text(struct reading *k, const struct asif_entry *e, struct text *out) {
  const char *open = strchr(e->name, '(');
  size_t n = open ? (size_t)(open - e->name) : strlen(e->name);
  for (size_t i = 0; i < n; i++)
    if (e->name[i] != ' ') text_char(out, e->name[i] == '_' ? '-' : e->name[i]);
  if (!open) return true;
  struct sum s = {.at = open + 1};
  int64_t v = sum_of(&s);
  if (s.bad || !accept(&s, ")") || (skip_blanks(&s), *s.at))
    return wrong(
        k, e,
        "the parameter of the specification %s is no number that asif can read: a macro, or --spec, would be right",
        e->written);
  text_printf(out, "(%lld)", (long long)v);
  return true;
}

/* The specification. */

static const struct asif_entry *entry_of(const struct reading *k, enum asif_entry_kind kind) {
  for (size_t i = 0; i < k->source->count; i++)
    if (k->entries[i]->kind == kind) return k->entries[i];
  return NULL;
}

static bool same_spec(const char *a, const char *b) {
  for (;; a++, b++) {
    while (*a == '-' || *a == '_') a++;
    while (*b == '-' || *b == '_') b++;
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

static bool copy_file(const char *from, const char *to) {
  char block[65536];
  FILE *in = fopen(from, "rb"), *out = in ? fopen(to, "wb") : NULL;
  bool good = out != NULL;
  for (size_t n; good && (n = fread(block, 1, sizeof block, in)) > 0;) good = fwrite(block, 1, n, out) == n;
  if (in) good &= !ferror(in), fclose(in);
  if (out) good &= fclose(out) == 0;
  return good;
}

/* A specification of the file's own: a copy of the shared object is loaded, so that it has variables of its own. */
static bool load_own_spec(struct reading *k) {
  struct text t;
  text_open(&t, k->mem);
  text_printf(&t, "%s/spec.so", k->source->directory);
  if (!copy_file(k->source->object, t.at)) return wrong(k, NULL, "%s cannot be written: %s", t.at, strerror(errno));
  void *loaded = dlopen(t.at, RTLD_NOW | RTLD_LOCAL);
  if (!loaded) return wrong(k, NULL, "%.300s", dlerror());
  k->object->own_spec = true;
  return spec_from_loaded(loaded, k->source->file, &k->object->spec, k->mem, k->why);
}

/* A specification that ASIF_EFFECT gives; NULL where there are none. */
static const struct asif_entry *first_effect(const struct reading *k) { return entry_of(k, ASIF_ENTRY_EFFECT); }

static bool read_effects(struct reading *k, const struct asif_entry *object) {
  struct effects *effects = mem_zero(k->mem, 1, sizeof *effects);
  const struct asif_entry *line;
  struct spec other;
  struct problem none, said;
  if (spec_named(k->object->spec_name, &other, &none))
    return wrong(k, object, "%s is a specification already: one that ASIF_EFFECT gives needs a name of its own",
                 k->object->spec_name);
  if (k->source->own_spec)
    return wrong(k, first_effect(k),
                 "the file has an ASIF_SPEC too: its specification is given by that, or by ASIF_EFFECT");
  if (!effects_of_entries(k->mem, k->object->spec_name, k->entries, k->source->count, effects, &line, &said))
    return wrong(k, line, "%s", said.text);
  effects_spec(k->mem, effects, &k->object->spec);
  k->object->own_spec = true;
  return true;
}

static bool find_spec(struct reading *k, const char *spec, const struct spec *given) {
  struct object *o = k->object;
  const struct asif_entry *e = entry_of(k, ASIF_ENTRY_OBJECT);
  struct text name;
  text_open(&name, k->mem);
  if (spec)
    text_add(&name, spec);
  else if (!e)
    return wrong(k, NULL, "no specification: --spec NAME, or ASIF_OBJECT(NAME) in the file; `asif specs` lists them");
  else if (!spec_text(k, e, &name))
    return false;
  o->spec_name = name.at;
  o->self = !strcmp(name.at, "self");
  if (o->self) return true;
  if (given) return o->spec = *given, true;
  if (!spec && first_effect(k)) return read_effects(k, e);
  if (!spec && k->source->own_spec && same_spec(name.at, k->source->own_spec)) return load_own_spec(k);
  if (spec_load(name.at, &o->spec, k->mem, k->why)) return true;
  struct problem said = *k->why;
  return spec ? false : wrong(k, e, "%.400s", said.text);
}

/* Operations. */

static bool bind_op(struct reading *k, const struct asif_entry *e, struct object_op *op) {
  const struct spec *spec = &k->object->spec;
  if (k->object->self) {
    for (unsigned i = 0; i < k->object->op_count; i++)
      if (!strcmp(k->object->ops[i].run.name, e->name))
        return wrong(k, e, "a second operation called %s; against itself each needs a name of its own", e->name);
    op->method = k->object->op_count;
    return true;
  }
  int found = spec_op_find(spec, e->name, strlen(e->name));
  if (found < 0) {
    struct text names;
    text_open(&names, k->mem);
    spec_list_ops(spec, &names);
    return wrong(k, e, "%s is no operation of %s, which has %s", e->name, spec->name, text_string(&names));
  }
  const struct spec_op *s = &spec->ops[found];
  if (op->arg_count < s->args || op->arg_count > s->args_most)
    return wrong(k, e, "%s takes %u argument%s, but %s of %s takes %u", e->written, op->arg_count,
                 op->arg_count == 1 ? "" : "s", e->name, spec->name, s->args);
  const char *misfit = c_misfit(s->result, c_type_of(e->signature));
  if (misfit)
    return wrong(k, e, "%s returns %s, but %s of %s returns %s", e->written, misfit, e->name, spec->name,
                 spec_result_word(s->result));
  op->method = (unsigned)found;
  c_result_is(k->mem, &k->object->spec, op->method, c_type_of(e->signature));
  return true;
}

static bool read_ranges(struct reading *k, const struct asif_entry *e, struct object_op *op) {
  for (unsigned a = 0; a < op->arg_count; a++) {
    op->in[a] = (struct argument_range){1, 2};
    if ((int)a >= e->in_count) continue;
    op->in[a] = (struct argument_range){e->in[a].low, e->in[a].high};
    if (op->in[a].low > op->in[a].high)
      return wrong(k, e, "ASIF_IN(%ld, %ld) has no values", op->in[a].low, op->in[a].high);
    bool is_long = e->signature >> (4 + a) & 1;
    if (!is_long && (op->in[a].low < INT32_MIN || op->in[a].high > INT32_MAX))
      return wrong(k, e, "a parameter of type 'int' does not hold all values of ASIF_IN");
    const char *clash;
    if (!k->object->self && c_clash(&k->object->spec, op->in[a].low, op->in[a].high, &clash))
      return wrong(k, e, "ASIF_IN(%ld, %ld) has %s, which is not a number", op->in[a].low, op->in[a].high, clash);
  }
  return true;
}

static bool read_op(struct reading *k, const struct asif_entry *e) {
  struct object *o = k->object;
  if (o->op_count == OPS_MOST) return wrong(k, e, "more than %d operations", OPS_MOST);
  struct object_op *op = &o->ops[o->op_count];
  *op = (struct object_op){.run = {e->name, e->written, e->function, e->signature, e->file, e->line},
                           .arg_count = (unsigned)e->signature >> 2 & 3};
  if (unseen_is_foreign((const void *)(uintptr_t)e->function))
    return wrong(k, e, "%s is declared, but not defined, in what is tested: this would be the C library's", e->written);
  if (e->in_count > (int)op->arg_count)
    return wrong(k, e, "%s takes fewer arguments than there are ASIF_IN", e->written);
  if (!read_ranges(k, e, op) || !bind_op(k, e, op)) return false;
  o->run_ops[o->op_count++] = op->run;
  return true;
}

static bool no_operations(struct reading *k) {
  struct text names;
  text_open(&names, k->mem);
  if (!k->object->self) spec_list_ops(&k->object->spec, &names);
  return wrong(k, NULL, "no operations: mark them with ASIF_OP(f)%s%s",
               k->object->self ? "" : ", or name functions after the specification's: ", text_string(&names));
}

static bool read_ops(struct reading *k) {
  k->object->ops = mem_zero(k->mem, OPS_MOST, sizeof *k->object->ops);
  k->object->run_ops = mem_zero(k->mem, OPS_MOST, sizeof *k->object->run_ops);
  for (size_t i = 0; i < k->source->count; i++)
    if (k->entries[i]->kind == ASIF_ENTRY_OP && !read_op(k, k->entries[i])) return false;
  unsigned data = 0;
  for (unsigned i = 0; i < k->object->op_count; i++)
    for (unsigned a = 0; a < k->object->ops[i].arg_count; a++)
      data |= c_data(k->object->ops[i].in[a].low, k->object->ops[i].in[a].high);
  for (unsigned i = 0; i < k->object->op_count; i++) k->object->ops[i].data = data;
  return k->object->op_count || no_operations(k);
}

/* The other lines. */

static bool read_role(struct reading *k, const struct asif_entry *e) {
  struct object *o = k->object;
  struct object_role *role = &o->roles[o->role_count++];
  *role = (struct object_role){.name = e->name, .threads = e->number, .file = e->file, .line = e->line};
  if (e->number != ASIF_REST && (e->number < 1 || e->number > 1000))
    return wrong(k, e, "a role has 1 to 1000 threads, or ASIF_REST");
  for (int i = 0; i < ROLE_OPS && e->functions[i]; i++) {
    uint64_t before = role->ops;
    for (unsigned op = 0; op < o->op_count; op++)
      if (o->ops[op].run.function == e->functions[i]) role->ops |= (uint64_t)1 << op;
    if (role->ops == before) return wrong(k, e, "operation %d of the role %s has no ASIF_OP", i + 1, e->name);
  }
  return role->ops ? true : wrong(k, e, "a role without operations");
}

static bool returns_element(unsigned kind) {
  return kind == RESULT_VALUE || kind == RESULT_VALUE_ABORT || kind == RESULT_CONTENT || kind == RESULT_ANY;
}

/* An operation that drains, as the specification's exact one; or a function that runs at the end. */
static bool read_final(struct reading *k, const struct asif_entry *e) {
  struct object *o = k->object;
  unsigned i = 0;
  while (i < o->op_count && o->ops[i].run.function != e->function) i++;
  if (i == o->op_count) {
    if (e->signature)
      return wrong(k, e, "ASIF_FINAL(%s): %s is not void %s(void), and no ASIF_OP says which operation it is",
                   e->written, e->written, e->written);
    if (o->finish) return wrong(k, e, "a second function that is no operation in ASIF_FINAL");
    o->finish = e->function;
    return true;
  }
  const struct spec *s = &o->spec;
  if (o->drains) return wrong(k, e, "a second operation in ASIF_FINAL");
  if (o->ops[i].arg_count || (e->signature & 3) < 2 || !(o->self || returns_element(s->ops[o->ops[i].method].result)))
    return wrong(k, e,
                 "ASIF_FINAL(%s): an operation that is called until it returns empty returns an element, as a number",
                 e->written);
  if (o->op_count == OPS_MOST) return wrong(k, e, "more than %d operations", OPS_MOST);
  struct object_op *op = &o->ops[o->op_count];
  *op = o->ops[i];
  if (!o->self && s->loose != s->exact && op->method == s->loose) op->method = s->exact;
  int own = !o->self && s->user ? spec_op_find(s, "drain", 5) : -1;
  if (own >= 0 && !s->ops[own].args) op->method = (unsigned)own;
  o->run_ops[o->op_count] = op->run;
  o->drains = 1;
  return true;
}

void object_run_options(const struct object *o, struct run_options *how) {
  how->type_stable = o->type_stable;
  how->drains = o->drains ? o->op_count + 1 : 0;
  how->finish = o->finish;
}

static bool read_lines(struct reading *k) {
  struct object *o = k->object;
  size_t objects = 0;
  o->roles = mem_zero(k->mem, k->source->count + 1, sizeof *o->roles);
  for (size_t i = 0; i < k->source->count; i++) {
    const struct asif_entry *e = k->entries[i];
    switch (e->kind) {
    case ASIF_ENTRY_OBJECT:
      if (objects++) return wrong(k, e, "a second ASIF_OBJECT; a file is about one object");
      break;
    case ASIF_ENTRY_INIT:
      if (o->init) return wrong(k, e, "a second ASIF_INIT");
      o->init = e->function;
      break;
    case ASIF_ENTRY_ROLE:
      if (!read_role(k, e)) return false;
      break;
    case ASIF_ENTRY_FINAL:
      if (!read_final(k, e)) return false;
      break;
    case ASIF_ENTRY_BOUND:
      if (e->number < 0) return wrong(k, e, "a bound below zero");
      o->bound = e->number;
      break;
    case ASIF_ENTRY_TYPE_STABLE: o->type_stable = true; break;
    default: break;
    }
  }
  return true;
}

/* What the bound counts: elements of the specification. Against itself the object has none, but ASIF_OBJECT may name
 * one. */
static void find_bounded(struct reading *k) {
  struct object *o = k->object;
  const struct asif_entry *e = entry_of(k, ASIF_ENTRY_OBJECT);
  struct problem none;
  struct text name;
  struct spec spec;
  text_open(&name, k->mem);
  if (!o->self)
    spec = o->spec;
  else if (!e || !spec_text(k, e, &name) || !spec_named(name.at, &spec, &none))
    return;
  if (!spec.elements) return;
  for (unsigned i = 0; i < o->op_count; i++)
    if (spec_op_find(&spec, o->ops[i].run.name, strlen(o->ops[i].run.name)) < 0) return;
  o->bounded = spec;
}

/* The functions of a specification of the user's own have names for C's sake: what the harness calls the operations
 * comes first. */
static void name_ops(struct reading *k) {
  struct object *o = k->object;
  if (!o->spec.source) return;
  struct spec_op *ops = mem_alloc(k->mem, o->spec.op_count * sizeof *ops);
  memcpy(ops, o->spec.ops, o->spec.op_count * sizeof *ops);
  for (unsigned i = o->op_count; i--;) { /* where several are the same operation, the first names it */
    struct text names;
    text_open(&names, k->mem);
    text_printf(&names, "%s %s", o->ops[i].run.name, o->spec.ops[o->ops[i].method].names);
    ops[o->ops[i].method].names = names.at;
  }
  o->spec.ops = ops;
}

/* The operations of a specification that is the object itself. */
static void name_self(struct reading *k) {
  struct object *o = k->object;
  struct spec_op *ops = mem_zero(k->mem, o->op_count, sizeof *ops);
  for (unsigned i = 0; i < o->op_count; i++)
    ops[i] = (struct spec_op){.names = o->ops[i].run.name,
                              .args = (uint8_t)o->ops[i].arg_count,
                              .args_most = (uint8_t)o->ops[i].arg_count,
                              .result = (uint8_t)c_result_kind(c_type_of(o->ops[i].run.signature)),
                              .echo = V_UNKNOWN};
  o->spec = (struct spec){.name = "self",
                          .aliases = "",
                          .summary = "the object, one operation at a time",
                          .ops = ops,
                          .op_count = o->op_count};
}

/* Free-form tests: each is an operation that may always happen, and returns nothing. */

static void nothing_init(const struct spec *s, struct outcomes *out) {
  (void)s;
  outcomes_add(out, V_NONE, 0);
}

static void nothing_step(const struct spec *s, struct state state, const struct op *op, struct outcomes *out) {
  (void)s, (void)state;
  if (result_matches(op, V_NONE)) outcomes_add(out, V_NONE, 0);
}

static void nothing_print(const struct spec *s, struct state state, struct text *out) {
  (void)s, (void)state;
  text_add(out, "nothing");
}

static bool read_tests(struct reading *k, const char *spec) {
  struct object *o = k->object;
  if (spec) return wrong(k, entry_of(k, ASIF_ENTRY_TEST), "--spec is for an object, and there are tests (ASIF_TEST)");
  o->tests = true;
  o->spec_name = "test";
  o->ops = mem_zero(k->mem, OPS_MOST, sizeof *o->ops);
  o->run_ops = mem_zero(k->mem, OPS_MOST, sizeof *o->run_ops);
  struct spec_op *ops = mem_zero(k->mem, OPS_MOST, sizeof *ops);
  for (size_t i = 0; i < k->source->count; i++) {
    const struct asif_entry *e = k->entries[i];
    if (e->kind == ASIF_ENTRY_INIT || e->kind == ASIF_ENTRY_FINAL) continue;
    if (e->kind != ASIF_ENTRY_TEST)
      return wrong(k, e, "a line about an object, and there are tests (ASIF_TEST): these need files of their own");
    if (o->op_count == OPS_MOST) return wrong(k, e, "more than %d tests", OPS_MOST);
    for (unsigned n = 0; n < o->op_count; n++)
      if (!strcmp(o->ops[n].run.name, e->name)) return wrong(k, e, "a second test called %s", e->name);
    o->ops[o->op_count] =
        (struct object_op){.run = {e->name, e->written, e->function, 0, e->file, e->line}, .method = o->op_count};
    o->run_ops[o->op_count] = o->ops[o->op_count].run;
    ops[o->op_count++] = (struct spec_op){.names = e->name, .result = RESULT_NONE, .echo = V_NONE};
  }
  o->spec = (struct spec){.name = "test",
                          .aliases = "",
                          .summary = "a test",
                          .ops = ops,
                          .op_count = o->op_count,
                          .init = nothing_init,
                          .step = nothing_step,
                          .print = nothing_print};
  return read_lines(k);
}

static int by_place(const void *a, const void *b) {
  const struct asif_entry *x = *(const struct asif_entry *const *)a, *y = *(const struct asif_entry *const *)b;
  int file = strcmp(x->file, y->file);
  return file ? file : (x->place > y->place) - (x->place < y->place);
}

bool object_read(struct mem *m, const struct object_source *source, const char *spec, const struct spec *given,
                 struct object *o, struct problem *why) {
  struct reading k = {.mem = m, .source = source, .object = o, .why = why};
  *o = (struct object){.file = source->file, .bound = -1};
  k.entries = mem_zero(m, source->count + 1, sizeof *k.entries);
  for (size_t i = 0; i < source->count; i++) {
    k.entries[i] = source->entries[i];
    if (k.entries[i]->version != 1) return wrong(&k, NULL, "its harness is of another version of asif.h");
  }
  qsort(k.entries, source->count, sizeof *k.entries, by_place);
  if (entry_of(&k, ASIF_ENTRY_TEST)) return read_tests(&k, spec);
  if (!find_spec(&k, spec, given) || !read_ops(&k) || !read_lines(&k)) return false;
  if (o->self)
    name_self(&k);
  else
    name_ops(&k);
  uint32_t used = 0;
  for (unsigned i = 0; !o->self && i < o->op_count; i++) used |= spec_op_bit(o->ops[i].method);
  if (!o->self) spec_use_only(&o->spec, used);
  find_bounded(&k);
  return true;
}

void object_close(struct object *o) {
  if (!o->self) spec_user_close(&o->spec);
}

/* From the files. */

bool name_undefined(const char *file, const char *said, struct problem *why) {
  static const char undefined[] = "undefined symbol: ";
  const char *name = said ? strstr(said, undefined) : NULL;
  struct mem m;
  if (!name) return false;
  name += strlen(undefined);
  mem_open(&m, NULL);
  name = mem_string(&m, name, strcspn(name, " \n,"));
  names_demangle(&m, (const char **const[]){&name}, 1);
  problem_set(why, "%.200s: %.200s is not defined: give the file that has it too, or the library after --, as -lNAME",
              file, name);
  mem_close(&m);
  return true;
}

/* Why the object cannot be loaded is asked of the loader, once more. */
static bool cannot_load(const char *file, const char *object, struct problem *why) {
  void *loaded = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  if (loaded)
    dlclose(loaded);
  else
    name_undefined(file, dlerror(), why);
  return false;
}

/* C++ brings a library that frees, whether the code does or not: then the objects are looked at. realloc is not enough:
 * it gives back what it takes. */
static int frees_how(char *const *inputs, const struct compiled *c, const struct image *image) {
  static const char *const deletes[] = {
      "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t"};
  bool cxx = false, archive = false, deleted = false;
  for (size_t i = 0; c->objects[i]; i++) {
    const char *dot = strrchr(inputs[i], '.');
    archive |= dot && !strcmp(dot, ".a");
    cxx |= is_c_plus_plus(inputs[i]);
  }
  if (!cxx || archive)
    return image_calls_free(image) ? FREES : image_calls_delete(image) ? FREES_DELETED : FREES_NOTHING;
  for (size_t i = 0; c->objects[i]; i++) {
    if (object_needs(c->objects[i], "free")) return FREES;
    for (size_t n = 0; n < sizeof deletes / sizeof *deletes; n++) deleted |= object_needs(c->objects[i], deletes[n]);
  }
  return deleted ? FREES_DELETED : FREES_NOTHING;
}

/* Names the functions that the source asks to leave without hooks. */
static void tell_marked(struct mem *m, struct image *image, struct compiled *c, sentences *to) {
  enum { NAMED_MOST = 4 };
  void *const *functions;
  size_t count = image_marked(image, &functions), known = 0, named = 0;
  if (!count) return;
  uintptr_t *offsets = mem_zero(m, count, sizeof *offsets);
  struct place *places = mem_zero(m, count, sizeof *places);
  for (size_t i = 0; i < count; i++) { /* in every file that includes it, or once */
    uintptr_t offset = (uintptr_t)functions[i] - image_base(image);
    bool again = false;
    for (size_t n = 0; n < known; n++) again |= offsets[n] == offset;
    if (!again) offsets[known++] = offset;
  }
  if (!places_find(m, c->object, offsets, known, places)) return;
  struct text t;
  text_open(&t, m);
  for (size_t i = 0; i < known; i++) {
    bool again = !places[i].line;
    for (size_t n = 0; n < i; n++) again |= places[n].line == places[i].line && !strcmp(places[n].file, places[i].file);
    if (again || named++ >= NAMED_MOST) continue;
    text_printf(&t, "%s%s (%s:%u)", t.count ? ", " : "", places[i].function, places[i].file, (unsigned)places[i].line);
  }
  if (named > NAMED_MOST) text_printf(&t, " and %zu more", named - NAMED_MOST);
  text_add(&t, named == 1 ? " is marked no_sanitize: it has hooks all the same"
                          : " are marked no_sanitize: they have hooks all the same");
  if (named) vec_push(m, to, t.at);
}

/* Says what in the code has no hooks; a run that comes there is given up (run/unseen.c). */
static void tell_unseen(struct mem *m, struct image *image, struct compiled *c) {
  enum { TOLD_MOST = 20 };
  static const char *const told[] = {
      [UNSEEN_CLOCK] = "reads a counter or a random number in assembly: runs may differ",
      [UNSEEN_AMONG] = "has a fence in assembly that the hooks cannot see: races may be told that are none",
      [UNSEEN_MEMORY] = "is assembly that accesses memory without hooks: a run that comes there is given up"};
  const struct unseen *u;
  size_t count = image_unseen(image, &u);
  sentences more = {NULL, 0, 0};
  for (size_t i = 0; i < c->warning_count; i++) vec_push(m, &more, c->warnings[i]);
  for (size_t i = 0; i < count && more.count < TOLD_MOST; i++) {
    struct text t;
    const char *what = u[i].kind <= UNSEEN_MEMORY ? told[u[i].kind] : NULL;
    if (!what) continue;
    text_open(&t, m);
    text_printf(&t, "%s: %s", unseen_words(&u[i]), what);
    bool again = false; /* an inlined function is in the code several times */
    for (size_t j = 0; j < more.count && !again; j++) again = !strcmp(more.at[j], t.at);
    if (!again) vec_push(m, &more, t.at);
  }
  for (size_t i = 0; i < c->without_count; i++) {
    struct text of;
    text_open(&of, m);
    text_printf(&of, "%s(%s)", c->without[i].path, c->without[i].member);
    image_without_hooks(image, c->without[i].low, c->without[i].high, of.at);
  }
  tell_marked(m, image, c, &more);
  c->warnings = more.at;
  c->warning_count = more.count;
}

/* Does it use one of these functions, wrapped or not? */
static bool needs_any(const struct compiled *c, const char *const names[], size_t count) {
  bool found = false;
  for (size_t i = 0; i < count && !found; i++) {
    char wrapped[40];
    snprintf(wrapped, sizeof wrapped, "__wrap_%s", names[i]);
    found = object_needs(c->object, wrapped) || object_needs(c->object, names[i]);
  }
  return found;
}

bool object_open(struct mem *m, const struct object_options *o, struct image **image, struct compiled *compiled,
                 struct object *object, struct problem *why) {
  struct spec spec;
  bool given = o->spec && strcmp(o->spec, "self");
  if (given && !spec_load(o->spec, &spec, m, why)) return false;
  struct compile_options c = {.inputs = o->inputs,
                              .flags = o->flags,
                              .program = o->program,
                              .hooks = true,
                              .directory = o->directory,
                              .spec = given ? &spec : NULL};
  if (!compile(m, &c, compiled, why)) return false;
  if (o->compiled) o->compiled(o->self);
  *image = image_open(m, compiled->object, why);
  if (!*image) return cannot_load(o->inputs[0], compiled->object, why);
  tell_unseen(m, *image, compiled);
  const struct asif_spec *table = image_symbol(*image, "asif_spec_table");
  struct object_source source = {.object = compiled->object,
                                 .directory = compiled->directory,
                                 .own_spec = table ? table->name : NULL,
                                 .file = o->inputs[0]};
  source.entries = image_entries(*image, &source.count);
  if (!object_read(m, &source, o->spec, given ? &spec : NULL, object, why)) return false;
  object->asks_thread = object_needs(compiled->object, "asif_host_thread");
  static const char *const tell[] = {"pthread_self", "thrd_current", "gettid", "sched_getcpu", "syscall"};
  static const char *const own[] = {"__tls_get_addr", "pthread_getspecific", "tss_get"};
  object->knows_thread = object->asks_thread || needs_any(compiled, tell, sizeof tell / sizeof *tell);
  if (object->self)
    object->spec.by_process = object->knows_thread || needs_any(compiled, own, sizeof own / sizeof *own);
  object->frees = frees_how(o->inputs, compiled, *image);
  return true;
}

/* Results. */

value object_result(const struct spec *spec, const struct object_op *op, struct values *values, long r) {
  value v;
  int64_t n = r;
  if (c_result(spec->ops[op->method].result, c_type_of(op->run.signature), op->data, &n, &v)) return v;
  return value_int(values, n);
}
