/* The text of a harness in C. */
#include <ctype.h>
#include <string.h>

#include "init/c.h"
#include "init/lines.h"

struct writer {
  const struct c_guess *g;
  /* What the functions that were written need. */
  bool size, success, memory;
  VEC(const char *) others; /* variables for other structs */
};

/* "== 0" of a function that returns an int: by POSIX's custom. */
static void put_ok(struct writer *w, struct text *t, const struct header_function *f, const char *call) {
  bool truth = type_is_truth(&f->returns);
  text_printf(t, truth ? "%s" : "SUCCEEDS(%s)", call);
  w->success |= !truth;
}

/* Arguments from parameter `from` on: numbers are SIZE or 0, pointers NULL. */
static void put_rest(struct text *t, const struct header_function *f, unsigned from, const char *number) {
  for (unsigned i = from; i < f->params; i++)
    text_printf(t, "%s%s", i ? ", " : "", type_is_pointer(&f->param[i]) ? "NULL" : number);
}

/* Numbers behind a pointer, one or several. */
static bool is_numbers(const struct header_type *t) {
  struct header_type one = {t->base, t->pointers - 1};
  return t->pointers == 1 && strcmp(t->base, "void") && strncmp(t->base, "struct ", 7) && type_is_number(&one);
}

static const char *payload(struct writer *w, const struct header_type *t, const char *v) {
  struct text numbers;
  text_open(&numbers, w->g->mem);
  if (is_numbers(t) && (strstr(t->base, "long") || strstr(t->base, "int") || strstr(t->base, "size_t"))) {
    text_printf(&numbers, "(%s[8]){%s}", t->base, v);
    return text_string(&numbers);
  }
  return !type_is_pointer(t) ? v : !strcmp(v, "v") ? "asif_pointer(v)" : "asif_pointer(x)";
}

/* A variable for another struct that a function is given, a buffer or a node of the caller's: "other_ck_ring_buffer".
 */
static void put_other(struct text *t, const struct header_type *type) {
  text_add(t, "other_");
  for (const char *c = type->base + 7; *c; c++) text_char(t, isalnum((unsigned char)*c) ? *c : '_');
}

static bool has_other(struct writer *w, const char *name) {
  for (size_t i = 0; i < w->others.count; i++)
    if (!strcmp(w->others.at[i], name)) return true;
  return false;
}

static void put_others(struct writer *w, struct text *t, const struct header_function *f) {
  for (unsigned i = 1; f && i < f->params; i++) {
    struct text name;
    text_open(&name, w->g->mem);
    if (!function_needs_object_only(f) && i == function_element(f)) continue;
    if (!type_is_struct(&f->param[i]) || type_is_node(&f->param[i])) continue;
    put_other(&name, &f->param[i]);
    if (has_other(w, text_string(&name))) continue;
    vec_push(w->g->mem, &w->others, text_string(&name));
    text_printf(t, "static %s %s[8];\n", f->param[i].base, text_string(&name));
  }
}

/* "queue_put(object, asif_pointer(v), 0)" */
static void put_call(struct writer *w, struct text *t, const struct header_function *f, const char *element,
                     bool puts) {
  bool plain = function_needs_object_only(f);
  text_printf(t, "%s(object", f->name);
  for (unsigned i = 1; i < f->params; i++) {
    text_add(t, ", ");
    if (!plain && i == function_element(f))
      text_add(t, element);
    else if (type_is_node(&f->param[i]) && puts)
      text_printf(t, "malloc(sizeof(%s))", f->param[i].base), w->memory = true;
    else if (type_is_struct(&f->param[i]) && !type_is_node(&f->param[i]))
      put_other(t, &f->param[i]);
    else
      text_add(t, type_is_pointer(&f->param[i]) ? "NULL" : "0");
  }
  text_char(t, ')');
}

static void put_set_up(struct writer *w, struct text *t) {
  const struct header_function *create = w->g->of[ROLE_CREATE], *init = w->g->of[ROLE_INIT];
  text_printf(t, create ? "static %s *object;\n" : "static %s object_itself, *const object = &object_itself;\n",
              w->g->handle);
  if (!create && !init) {
    text_add(t, "/* No function was recognised that sets it up: it begins with all bytes zero. */\n");
    return;
  }
  text_add(t, "static void set_up(void) { ");
  text_printf(t, "%s%s(%s", create ? "object = " : "", create ? create->name : init->name, create ? "" : "object");
  const struct header_function *made = create ? create : init;
  for (unsigned n = create ? 0 : 1; n < made->params;
       n++) { /* another node than those of elements, where there are such */
    struct text name;
    text_open(&name, w->g->mem);
    if (type_is_struct(&made->param[n])) put_other(&name, &made->param[n]);
    bool node = name.count && type_is_node(&made->param[n]);
    bool there = name.count && !node && has_other(w, text_string(&name));
    if (node) {
      text_printf(t, "%smalloc(sizeof(%s))", n ? ", " : "", made->param[n].base);
      w->memory = true;
      continue;
    }
    bool number = !there && !type_is_pointer(&made->param[n]);
    text_printf(t, "%s%s", n ? ", " : "", there ? text_string(&name) : number ? "SIZE" : "NULL");
    w->size |= number;
  }
  text_add(t, "); }\n");
  const struct header_function *destroy = w->g->of[ROLE_DESTROY];
  if (!destroy) return;
  text_add(t, "static void clean_up(void) { ");
  put_call(w, t, destroy, "NULL", false);
  text_add(t, "; }\n");
}

/* The operation with a key or an element; a third parameter that points to a bool gets the answer. */
static void put_asks(struct writer *w, struct text *t, const char *op, const struct header_function *f,
                     bool with_value) {
  unsigned from = with_value ? 3 : 2;
  bool answers = f->params > from && type_is_answer(&f->param[from]);
  struct text call;
  text_open(&call, w->g->mem);
  text_printf(&call, "%s(object, %s", f->name, payload(w, &f->param[1], "v"));
  if (with_value) text_printf(&call, ", %s", payload(w, &f->param[2], "x"));
  if (answers) text_add(&call, ", &answer");
  put_rest(&call, f, from + answers, "0");
  text_char(&call, ')');
  const char *args = with_value ? "int v, int x" : "int v";
  if (answers) {
    text_printf(t, "static bool test_%s(%s) {\n  bool answer = false;\n  (void)%s;\n  return answer;\n}\n", op, args,
                text_string(&call));
  } else if (type_is_void(&f->returns)) {
    text_printf(t, "static void test_%s(%s) { %s; }\n", op, args, text_string(&call));
  } else if (type_is_pointer(&f->returns)) {
    text_printf(t, "static bool test_%s(%s) { return %s != NULL; }\n", op, args, text_string(&call));
  } else {
    text_printf(t, "static bool test_%s(%s) { return ", op, args);
    put_ok(w, t, f, text_string(&call));
    text_add(t, "; }\n");
  }
}

static void put_insert(struct writer *w, struct text *t, const char *op) {
  const struct header_function *f = w->g->of[ROLE_PUT];
  struct text call;
  text_open(&call, w->g->mem);
  if (c_is_intrusive(w->g)) {
    put_call(w, &call, f, "&n->node", true);
    text_printf(t,
                "struct test_node {\n  %s node; /* first: a pointer to it is one to the whole */\n  int value;\n};\n"
                "static void test_%s(int v) {\n  struct test_node *n = malloc(sizeof *n);\n  n->value = v;\n",
                f->param[function_element(f)].base, op);
    if (w->g->node_init) text_printf(t, "  %s(&n->node);\n", w->g->node_init->name);
    text_printf(t, "  %s;\n}\n", text_string(&call));
    w->memory = true;
    return;
  }
  put_call(w, &call, f, payload(w, &f->param[function_element(f)], "v"), true);
  if (!w->g->words.bounded || type_is_void(&f->returns)) {
    text_printf(t, "static void test_%s(int v) { %s; }\n", op, text_string(&call));
    return;
  }
  text_printf(t, "static int test_%s(int v) { return ", op);
  if (type_is_pointer(&f->returns))
    text_printf(t, "%s != NULL", text_string(&call));
  else
    put_ok(w, t, f, text_string(&call));
  text_add(t, " ? ASIF_OK : ASIF_FULL; }\n");
}

static void put_remove(struct writer *w, struct text *t, const char *op, const struct header_function *f) {
  struct text call;
  bool out = !function_needs_object_only(f);
  text_open(&call, w->g->mem);
  bool numbers = out && is_numbers(&f->param[function_element(f)]);
  put_call(w, &call, f, numbers ? "out" : "&out", false);
  if (!out && c_is_intrusive(w->g) && f == w->g->of[ROLE_GET]) {
    text_printf(t,
                "static int test_%s(void) {\n  struct test_node *n = (struct test_node *)%s;\n"
                "  return n ? n->value : ASIF_EMPTY;\n}\n",
                op, text_string(&call));
    return;
  }
  if (!out) {
    text_printf(t, "static int test_%s(void) { return %s%s%s; }\n", op,
                type_is_pointer(&f->returns) ? "asif_number(" : "(int)", text_string(&call),
                type_is_pointer(&f->returns) ? ")" : "");
    return;
  }
  const struct header_type *p = &f->param[function_element(f)];
  bool nothing = p->pointers == 1 && !strcmp(p->base, "void"); /* memory that gets a copy of the element */
  bool copies =
      nothing &&
      type_is_pointer(&w->g->of[ROLE_PUT]->param[function_element(w->g->of[ROLE_PUT])]); /* which is a pointer */
  bool pointer = p->pointers > 1 || copies || !strcmp(p->base, "gpointer");
  text_printf(t, "static int test_%s(void) {\n  %s %sout%s = %s;\n  ", op, nothing && !copies ? "long" : p->base,
              p->pointers > 1 || copies ? "*" : "", numbers ? "[8]" : "",
              pointer   ? "NULL"
              : numbers ? "{0}"
                        : "0");
  const char *result = pointer ? "asif_number(out)" : numbers ? "(int)out[0]" : "(int)out";
  if (type_is_void(&f->returns)) {
    text_printf(t, "%s;\n  return %s;\n}\n", text_string(&call), result);
    return;
  }
  text_add(t, "return ");
  if (type_is_pointer(&f->returns))
    text_printf(t, "%s != NULL", text_string(&call));
  else
    put_ok(w, t, f, text_string(&call));
  text_printf(t, " ? %s : ASIF_EMPTY;\n}\n", result);
}

static void put_body(struct writer *w, struct text *t) {
  if (!w->g->keyed) {
    put_others(w, t, w->g->of[ROLE_PUT]);
    put_others(w, t, w->g->of[ROLE_GET]);
    put_others(w, t, w->g->of[ROLE_STEAL]);
  }
  put_set_up(w, t);
  if (w->g->keyed) {
    put_asks(w, t, w->g->mapped ? "insert" : "add", w->g->of[ROLE_PUT], w->g->mapped);
    put_asks(w, t, w->g->mapped ? "erase" : "remove", w->g->of[ROLE_ERASE], false);
    if (w->g->of[ROLE_CONTAINS]) put_asks(w, t, "contains", w->g->of[ROLE_CONTAINS], false);
  } else {
    put_insert(w, t, w->g->words.insert);
    if (w->g->of[ROLE_GET]) put_remove(w, t, w->g->words.take, w->g->of[ROLE_GET]);
    if (w->g->of[ROLE_STEAL]) put_remove(w, t, "steal", w->g->of[ROLE_STEAL]);
  }
}

void c_write(const struct c_guess *g, struct text *t) {
  struct writer w = {.g = g};
  struct text body, object;
  struct container_names names = {.path = g->request->path, .type = g->handle, .put = g->of[ROLE_PUT]->name};
  text_open(&body, g->mem);
  text_open(&object, g->mem);
  put_body(&w, &body);
  text_printf(t,
              "/* A harness for %s, written by `asif init`. Guesses: the specification%s%s. Run it together with the\n"
              " * library's own files:\n"
              " *\n"
              " *   asif test THIS_FILE library.c\n"
              " */\n"
              "#include <asif.h>\n%s",
              g->request->path, w.size ? ", the size" : "", w.success ? ", how functions tell success" : "",
              w.memory ? "#include <stdlib.h>\n" : "");
  if (g->inlined) text_printf(t, "#define %s /* the functions themselves, not calls of the library */\n", g->inlined);
  text_printf(t, "#include %s\n\n", g->request->include);
  if (w.size)
    text_add(t, g->words.bounded
                    ? "#define SIZE 2 /* many rings hold one less: then that is the number below, in ASIF_OBJECT */\n"
                    : "#define SIZE 2\n");
  if (w.success) text_add(t, "#define SUCCEEDS(result) ((result) == 0)\n");
  if (w.size || w.success) text_char(t, '\n');
  text_add(t, text_string(&body));
  if (w.size && g->words.bounded && !g->request->spec) /* so that the two change together */
    text_printf(&object, "%.*s(SIZE)", (int)strcspn(g->spec, "("), g->spec);
  else
    text_add(&object, g->spec);
  bool sets_up = g->of[ROLE_CREATE] || g->of[ROLE_INIT];
  lines_write(&(struct harness_lines){.object = text_string(&object),
                                      .insert = g->words.insert,
                                      .take = g->of[ROLE_GET] ? g->words.take : NULL,
                                      .keyed = g->keyed,
                                      .mapped = g->mapped,
                                      .erases = g->of[ROLE_ERASE] != NULL,
                                      .contains = g->of[ROLE_CONTAINS] != NULL,
                                      .steals = !g->keyed && g->of[ROLE_STEAL],
                                      .sets_up = sets_up,
                                      .cleans_up = sets_up && g->of[ROLE_DESTROY],
                                      .roles = names_roles(g->mem, &names)},
              t);
}
