/* The text of a harness in C++. */
#include <string.h>

#include "init/cxx.h"
#include "init/lines.h"

struct writer {
  const struct cxx_guess *g;
  bool success; /* SUCCEEDS is used */
};

bool cxx_is_sized(const struct cxx_guess *g) { return g->probe.sized || g->templated_size || g->probe.set_capacity; }

static bool has_pointers(const struct cxx_guess *g) {
  return strchr(g->probe.element, '*') || (g->of[ROLE_PUT] && g->of[ROLE_PUT]->form == CALL_POINTER);
}

/* An argument: the element for the number v. */
static void put_element(const struct cxx_guess *g, struct text *t, const char *v) {
  const char *element = g->probe.element;
  bool by_pointer = g->of[ROLE_PUT]->form == CALL_POINTER;
  if (!has_pointers(g) && !strcmp(element, "int"))
    text_printf(t, "%s%s", g->negated ? "-" : "", v);
  else if (!has_pointers(g))
    text_printf(t, "static_cast<%s>(%s)", element, v);
  else if (!strcmp(element, "void *"))
    text_printf(t, "asif_pointer(%s)", v);
  else
    text_printf(t, "static_cast<%s%s>(asif_pointer(%s))", element, by_pointer ? " *" : "", v);
}

/* The number of an element. */
static void put_number(const struct cxx_guess *g, struct text *t, const char *e) {
  if (has_pointers(g))
    text_printf(t, "asif_number(%s)", e);
  else if (!strcmp(g->probe.element, "int"))
    text_printf(t, "%s%s", g->negated ? "-" : "", e);
  else
    text_printf(t, "static_cast<int>(%s)", e);
}

static void put_call(const struct cxx_guess *g, struct text *t, const struct probe_call *c) {
  text_printf(t, "object->%s(", c->name);
  switch (c->form) {
  case CALL_VALUE:
  case CALL_POINTER: put_element(g, t, "v"); break;
  case CALL_MOVED:
    text_printf(t, "%s(", g->probe.element);
    put_element(g, t, "v");
    text_char(t, ')');
    break;
  case CALL_NONE: break;
  case CALL_OUT_ITEM:
  case CALL_OUT: text_add(t, "out"); break;
  case CALL_OUT_POINTER: text_add(t, "&out"); break;
  case CALL_KEY_VALUE:
  case CALL_PAIR:
    text_add(t, c->form == CALL_PAIR ? "{" : "");
    put_element(g, t, "v");
    text_add(t, ", ");
    put_element(g, t, "x");
    text_add(t, c->form == CALL_PAIR ? "}" : "");
    break;
  case CALL_KEY_OUT:
    put_element(g, t, "v");
    text_add(t, ", out");
    break;
  }
  if (c->threaded) text_add(t, c->form == CALL_NONE ? "asif_thread()" : ", asif_thread()");
  text_char(t, ')');
}

/* The call as a condition: true if it succeeded. */
static void put_success(struct writer *w, struct text *t, const struct probe_call *c) {
  struct text call;
  text_open(&call, w->g->mem);
  put_call(w->g, &call, c);
  const char *s = text_string(&call);
  switch (c->gives) {
  case GIVES_TRUTH: text_add(t, s); break;
  case GIVES_COUNT: text_printf(t, "%s != 0", s); break;
  case GIVES_NUMBER: /* by POSIX's custom, but where elements are counted */
    w->success |= c->role == ROLE_PUT || c->role == ROLE_GET || c->role == ROLE_STEAL;
    text_printf(t, c->role == ROLE_ERASE || c->role == ROLE_CONTAINS ? "%s != 0" : "SUCCEEDS(%s)", s);
    break;
  case GIVES_ENUM:
    w->success = true;
    text_printf(t, "SUCCEEDS(static_cast<int>(%s))", s);
    break;
  case GIVES_PAIR: text_printf(t, "%s.second", s); break;
  case GIVES_ITERATOR: text_printf(t, "%s != object->end()", s); break;
  default: text_printf(t, "static_cast<bool>(%s)", s); break;
  }
}

static void put_insert(struct writer *w, struct text *t) {
  const struct probe_call *c = w->g->of[ROLE_PUT];
  const char *op = w->g->words.insert;
  bool tells = (w->g->words.bounded || w->g->measuring) && c->gives != GIVES_NOTHING;
  text_printf(t, "static %s test_%s(int v) { ", tells ? "int" : "void", op);
  if (tells) {
    text_add(t, "return ");
    put_success(w, t, c);
    text_add(t, " ? ASIF_OK : ASIF_FULL");
  } else {
    if (c->gives != GIVES_NOTHING) text_add(t, "(void)");
    put_call(w->g, t, c);
  }
  text_add(t, "; }\n");
}

static void put_front(struct writer *w, struct text *t) {
  bool pointer = w->g->probe.front == GIVES_OPTIONAL;
  text_add(t, pointer ? "  auto first = object->front();\n  if (!first) return ASIF_EMPTY;\n"
                      : "  if (object->empty()) return ASIF_EMPTY;\n");
  text_add(t, "  int v = ");
  put_number(w->g, t, pointer ? "*first" : "object->front()");
  text_add(t, ";\n  ");
  put_call(w->g, t, w->g->of[ROLE_GET]);
  text_add(t, ";\n  return v;\n}\n");
}

static void put_remove(struct writer *w, struct text *t, const char *op, const struct probe_call *c, const char *args,
                       const char *otherwise) {
  bool by_pointer = w->g->of[ROLE_PUT]->form == CALL_POINTER; /* it gives back such a pointer */
  text_printf(t, "static int test_%s(%s) {\n", op, args);
  if (c->form == CALL_NONE && c->gives == GIVES_NOTHING) {
    put_front(w, t);
    return;
  }
  if (c->form == CALL_NONE) {
    bool holder = c->gives == GIVES_OPTIONAL || c->gives == GIVES_ITERATOR;
    text_add(t, "  auto out = ");
    put_call(w->g, t, c);
    text_add(t, holder && !by_pointer ? ";\n  return out ? " : ";\n  return ");
    put_number(w->g, t, holder && !by_pointer ? "*out" : "out");
    if (holder && !by_pointer) text_printf(t, " : %s", otherwise);
    text_add(t, ";\n}\n");
    return;
  }
  const char *star = c->form == CALL_OUT_ITEM ? " *" : strchr(w->g->probe.element, '*') ? "" : " ";
  text_printf(t, "  %s%sout{};\n  ", w->g->probe.element, star);
  if (c->gives != GIVES_NOTHING) {
    text_add(t, "return ");
    put_success(w, t, c);
    text_add(t, " ? ");
    put_number(w->g, t, "out");
    text_printf(t, " : %s;\n}\n", otherwise);
    return;
  }
  put_call(w->g, t, c);
  text_add(t, ";\n  return ");
  put_number(w->g, t, "out");
  text_add(t, ";\n}\n");
}

/* An operation on a key of a set or map. */
static void put_asks(struct writer *w, struct text *t, const char *op, const struct probe_call *c) {
  bool nothing = c->gives == GIVES_NOTHING;
  text_printf(t, "static %s test_%s(int v%s) { %s", nothing ? "void" : "bool", op,
              c->form == CALL_KEY_VALUE || c->form == CALL_PAIR ? ", int x" : "", nothing ? "" : "return ");
  if (nothing)
    put_call(w->g, t, c);
  else
    put_success(w, t, c);
  text_add(t, "; }\n");
}

static void put_body(struct writer *w, struct text *t) {
  const struct cxx_guess *g = w->g;
  text_printf(t, "typedef %s container;\nstatic container *object;\n", g->probe.type);
  bool late = g->probe.set_capacity && g->probe.plain;
  text_printf(t, "static void set_up() { object = new container%s; ", g->probe.sized && !late ? "(SIZE)" : "");
  if (late) text_add(t, "object->set_capacity(SIZE); ");
  text_add(t, "}\nstatic void clean_up() { delete object; }\n");
  if (g->keyed) {
    put_asks(w, t, g->mapped ? "insert" : "add", g->of[ROLE_PUT]);
    if (g->of[ROLE_ERASE]) put_asks(w, t, g->mapped ? "erase" : "remove", g->of[ROLE_ERASE]);
    if (g->of[ROLE_CONTAINS]) put_asks(w, t, "contains", g->of[ROLE_CONTAINS]);
    if (g->of[ROLE_LOOK_UP]) put_remove(w, t, "get", g->of[ROLE_LOOK_UP], "int v", "ASIF_NIL");
    return;
  }
  put_insert(w, t);
  if (g->of[ROLE_GET]) put_remove(w, t, g->words.take, g->of[ROLE_GET], "", "ASIF_EMPTY");
  if (g->of[ROLE_STEAL]) put_remove(w, t, "steal", g->of[ROLE_STEAL], "", "ASIF_EMPTY");
}

static void put_includes(const struct cxx_guess *g, struct text *t) {
  static const struct {
    const char *name, *file;
  } known[] = {{"std::allocator", "memory"},    {"std::hash", "functional"}, {"std::less", "functional"},
               {"std::equal_to", "functional"}, {"std::mutex", "mutex"},     {"std::vector", "vector"}};
  const char *last = "";
  text_add(t, "#include <asif.h>\n");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strstr(g->probe.type, known[i].name) && strcmp(last, known[i].file)) {
      text_printf(t, "#include <%s>\n", known[i].file);
      last = known[i].file;
    }
  text_printf(t, "#include %s\n\n", g->request->include);
}

static const char *order_text(enum taken_order order) {
  switch (order) {
  case ORDER_FIRST: return "first in, first out";
  case ORDER_LAST: return "last in, first out";
  case ORDER_LEAST: return "the least first";
  case ORDER_GREATEST: return "the greatest first";
  default: return NULL;
  }
}

static void put_opening(const struct writer *w, struct text *t) {
  const struct cxx_guess *g = w->g;
  const char *order = order_text(g->order);
  text_printf(t,
              "/* A harness for %s, written by `asif init`. Guesses: the class, the specification%s%s%s%s.\n"
              " *\n"
              " *   asif test THIS_FILE\n",
              g->request->path, g->threaded ? ", the number of the thread" : "",
              has_pointers(g) ? ", the elements" : "", cxx_is_sized(g) ? ", the size" : "",
              w->success ? ", how functions tell success" : "");
  if (g->holds || order) {
    text_add(t, " *\n * In one thread");
    if (g->holds)
      text_printf(t, g->holds < CXX_MANY ? " it held %d element%s" : " it was never full", g->holds,
                  g->holds == 1 ? "" : "s");
    if (order) text_printf(t, g->holds ? "; they came out %s" : " elements came out %s", order);
    text_add(t, g->negated ? ", so that they are negated for a specification that takes the least.\n" : ".\n");
  }
  text_add(t, " */\n");
}

void cxx_write(const struct cxx_guess *g, struct text *t) {
  struct writer w = {.g = g};
  struct text body;
  struct container_names names = {.path = g->request->path, .type = g->name, .put = g->of[ROLE_PUT]->name};
  text_open(&body, g->mem);
  put_body(&w, &body);
  put_opening(&w, t);
  put_includes(g, t);
  if (cxx_is_sized(g)) text_printf(t, "#define SIZE %u\n", g->size);
  if (w.success) text_add(t, "#define SUCCEEDS(result) ((result) == 0)\n");
  if (cxx_is_sized(g) || w.success) text_char(t, '\n');
  text_add(t, text_string(&body));
  lines_write(&(struct harness_lines){.object = g->spec,
                                      .insert = g->words.insert,
                                      .take = g->of[ROLE_GET] ? g->words.take : NULL,
                                      .keyed = g->keyed,
                                      .mapped = g->mapped,
                                      .erases = g->of[ROLE_ERASE] != NULL,
                                      .contains = g->of[ROLE_CONTAINS] != NULL,
                                      .looks_up = g->of[ROLE_LOOK_UP] != NULL,
                                      .steals = !g->keyed && g->of[ROLE_STEAL],
                                      .sets_up = true,
                                      .cleans_up = true,
                                      .roles = names_roles(g->mem, &names)},
              t);
}
