/* asif init: a harness for a C header. It finds what creates and destroys the object, what puts in and takes out,
 * guesses the specification by the words of names, and writes a file that compiles; what is a guess is marked as one.
 * It asks nothing: a wrong guess is a line to change. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/header.h"

static const struct opt opts[] = {
    {"output", 'o', "FILE", NULL, "where to write (default: asif_NAME.c; - is standard output)"},
    {"spec", 's', "SPEC", "@specs", "the specification (default: a guess by the names)"},
    {NULL, 0, NULL, NULL, NULL},
};

enum role { CREATE, INIT, DESTROY, PUT, GET, STEAL, CONTAINS, ERASE, LOOK_UP, ROLES };

/* What the operations that were written need. */
struct needs {
  bool size, success, memory;
  VEC(const char *) others; /* variables for other structs */
};

struct guess {
  struct mem *mem;
  struct needs *needs;
  const char *path;
  const struct header *header;
  const char *handle; /* "struct queue": its functions take a pointer to it */
  const struct header_function *of[ROLES];
  const char *spec;          /* "bounded_queue(2)" */
  const char *insert, *take; /* its operations, where it is not keyed */
  bool asked;                /* ... by --spec */
  bool bounded, keyed, mapped;
};

/* Words of names: `ck_ring_enqueue_spsc` has enqueue. Lists are in the order of preference. */

static bool has_word(const char *name, const char *word) {
  size_t n = strlen(word);
  for (const char *at = name; *at; at++) {
    if (at > name &&
        (isalnum((unsigned char)at[-1]) && !(isupper((unsigned char)*at) && islower((unsigned char)at[-1]))))
      continue;
    size_t i = 0;
    while (i < n && tolower((unsigned char)at[i]) == word[i]) i++;
    if (i == n && !islower((unsigned char)at[i]) && !isdigit((unsigned char)at[i])) return true;
  }
  return false;
}

static int rank_of(const char *name, const char *const *list) {
  for (int i = 0; list[i]; i++)
    if (has_word(name, list[i])) return i;
  return -1;
}

static const char *const role_words[ROLES][16] = {
    [CREATE] = {"create", "new", "alloc", "make", "open", "init", NULL},
    [INIT] = {"init", "initialize", "initialise", "create", "setup", "construct", "ctor", NULL},
    [DESTROY] = {"destroy", "free", "delete", "fini", "deinit", "close", "unref", "cleanup", "dtor", "release", NULL},
    [PUT] = {"enq", "enqueue", "push", "put", "insert", "add", "offer", "send", "produce", "write", NULL},
    [GET] = {"deq", "dequeue", "pop", "get", "take", "remove", "poll", "recv", "receive", "consume", "read", NULL},
    [STEAL] = {"steal", NULL},
    [CONTAINS] = {"contains", "has", "member", "exists", "find", "lookup", "search", NULL},
    [ERASE] = {"remove", "delete", "erase", "del", NULL},
    [LOOK_UP] = {"get", "lookup", "find", "search", NULL},
};

/* Types. */

static bool is_handle(const struct guess *g, const struct header_type *t) {
  return t->pointers == 1 && !strcmp(t->base, g->handle);
}

static bool says_truth(const struct header_type *t) {
  return !strcmp(t->base, "bool") || !strcmp(t->base, "_Bool") || !strcmp(t->base, "gboolean");
}
static bool is_truth(const struct header_type *t) { return !t->pointers && says_truth(t); }
static bool is_answer(const struct header_type *t) { return t->pointers == 1 && says_truth(t); }

static bool is_pointer(const struct header_type *t) {
  return t->pointers || !strcmp(t->base, "gpointer") || !strcmp(t->base, "gconstpointer");
}

static bool is_void(const struct header_type *t) { return !t->pointers && !strcmp(t->base, "void"); }

/* A number, as far as the words tell: one that is a struct would not compile. */
static bool is_number(const struct header_type *t) {
  return !is_pointer(t) && !is_void(t) && strncmp(t->base, "struct ", 7) && strncmp(t->base, "union ", 6) &&
         !strstr(t->base, "float") && !strstr(t->base, "double");
}

/* Finding. */

static void find_handle(struct guess *g) {
  size_t best = 0;
  for (size_t i = 0; i < g->header->functions.count; i++) {
    const struct header_function *f = &g->header->functions.at[i];
    size_t same = 0;
    if (!f->params || f->param[0].pointers != 1 || !strcmp(f->param[0].base, "void") ||
        !strcmp(f->param[0].base, "char"))
      continue;
    for (size_t n = 0; n < g->header->functions.count; n++) {
      const struct header_function *other = &g->header->functions.at[n];
      if (!other->params || other->param[0].pointers != 1 || strcmp(other->param[0].base, f->param[0].base)) continue;
      same += rank_of(other->name, role_words[PUT]) >= 0 || rank_of(other->name, role_words[GET]) >= 0 ? 3 : 1;
    }
    if (same > best) best = same, g->handle = f->param[0].base;
  }
}

/* What its name says beyond the container's: "enq" of two_lock_queue_enq. */
static const char *own_words(const struct guess *g, const char *name) {
  const char *type = strncmp(g->handle, "struct ", 7) ? g->handle : g->handle + 7;
  size_t n = strlen(type);
  if (n > 2 && !strcmp(type + n - 2, "_t")) n -= 2;
  return !strncmp(name, type, n) && name[n] == '_' ? name + n + 1 : name;
}

/* May the function play this role? */
static bool may_be(const struct guess *g, enum role role, const struct header_function *f) {
  /* What is not one operation on one element. */
  static const char *const others[] = {"trylock", "lock",  "unlock",   "commit",  "reserve", "isempty",  "empty",
                                       "size",    "count", "bulk",     "batch",   "multi",   "all",      "next",
                                       "splice",  "peek",  "iterator", "entries", "sorted",  "unlocked", NULL};
  if (f->name[0] == '_' || (role >= PUT && rank_of(own_words(g, f->name), others) >= 0)) return false;
  bool takes = f->params && is_handle(g, &f->param[0]);
  unsigned more = f->params - takes;
  if (role == CREATE) return is_handle(g, &f->returns) && !takes;
  if (!takes) return false;
  switch (role) {
  case INIT: return !is_pointer(&f->returns);
  case DESTROY: return more == 0;
  case PUT: return more >= 1 && (is_number(&f->param[1]) || is_pointer(&f->param[1])) && !is_handle(g, &f->param[1]);
  case GET:
  case STEAL: return (more == 0 && !is_void(&f->returns)) || (more >= 1 && f->param[1].pointers >= 1);
  default: return more >= 1 && f->param[1].pointers <= 1;
  }
}

static void find_role(struct guess *g, enum role role) {
  int best = -1;
  unsigned params = 0;
  for (size_t i = 0; i < g->header->functions.count; i++) {
    const struct header_function *f = &g->header->functions.at[i];
    int rank = rank_of(own_words(g, f->name), role_words[role]);
    if (rank < 0 || !may_be(g, role, f)) continue;
    if (best >= 0 && (rank > best || (rank == best && f->params >= params))) continue; /* the plainest of the best */
    best = rank;
    params = f->params;
    g->of[role] = f;
  }
}

/* A put that takes a key, and something that asks for or takes away one, is of a set or a map. */
static void find_all(struct guess *g) {
  for (int r = 0; r < ROLES; r++) find_role(g, (enum role)r);
  if (g->of[CREATE]) g->of[INIT] = NULL;
  const struct header_function *erase = g->of[ERASE], *get = g->of[GET];
  bool by_key = erase && erase->params >= 2 && is_number(&erase->param[1]);
  g->keyed = by_key && g->of[PUT] && is_number(&g->of[PUT]->param[1]) && (!get || get == erase || g->of[CONTAINS]);
  g->mapped =
      g->keyed && g->of[PUT]->params >= 3 && g->of[PUT]->param[2].pointers <= 1 && !is_answer(&g->of[PUT]->param[2]);
}

static bool any_name(const struct guess *g, const char *word) {
  struct text low;
  text_open(&low, g->mem);
  const char *slash = strrchr(g->path, '/');
  text_printf(&low, "%s %s %s", slash ? slash + 1 : g->path, g->handle, g->of[PUT] ? g->of[PUT]->name : "");
  for (size_t i = 0; i < low.count; i++) low.at[i] = (char)tolower((unsigned char)low.at[i]);
  return strstr(text_string(&low), word) != NULL;
}

static void guess_spec(struct guess *g, const char *asked) {
  const struct header_function *made = g->of[CREATE] ? g->of[CREATE] : g->of[INIT];
  bool sized = false;
  for (unsigned i = 0; made && i < made->params; i++) sized |= is_number(&made->param[i]);
  bool ring = any_name(g, "ring") || any_name(g, "bounded") || any_name(g, "mpmc") || any_name(g, "spsc");
  bool fails = g->of[PUT] && !is_void(&g->of[PUT]->returns);
  g->bounded = !g->keyed && fails && (ring || sized);
  g->spec = g->mapped                                     ? "hash_map"
            : g->keyed && any_name(g, "multiset")         ? "multiset"
            : g->keyed                                    ? "set"
            : g->of[STEAL]                                ? "work_stealing_deque"
            : any_name(g, "register")                     ? "register(0)"
            : any_name(g, "semiqueue")                    ? "semiqueue(2)"
            : any_name(g, "stuttering")                   ? "stuttering_queue(2)"
            : has_word(g->handle, "k_fifo")               ? "k_fifo(2)"
            : any_name(g, "stack") || any_name(g, "lifo") ? g->bounded ? "bounded_stack(2)" : "stack"
            : any_name(g, "priority") || any_name(g, "heap")
                ? g->bounded ? "bounded_priority_queue(2)" : "priority_queue"
            : any_name(g, "pool") || any_name(g, "bag") ? "bag"
            : any_name(g, "queue") || any_name(g, "fifo") || ring || any_name(g, "enq")
                ? g->bounded ? "bounded_queue(2)" : "queue"
            : has_word(g->of[PUT]->name, "push") ? g->bounded ? "bounded_stack(2)" : "stack"
                                                 : "queue";
  g->asked = asked != NULL;
  if (asked) g->spec = asked;
}

static const char *first_op(const struct guess *g, const struct spec *s, uint32_t set) {
  size_t length;
  const char *name = spec_op_name(s, (unsigned)__builtin_ctz(set), &length);
  return mem_string(g->mem, name, length);
}

/* What the specification says of itself: is it bounded, and what are its operations called? */
static bool read_spec(struct guess *g, struct problem *why) {
  struct spec s;
  if (!spec_named(g->spec, &s, why)) return false;
  g->bounded = s.bounded;
  if (s.container) {
    g->insert = first_op(g, &s, s.container->puts);
    g->take = first_op(g, &s, s.container->takes);
  } else if (s.family == FAMILY_REGISTER) {
    g->insert = "write", g->take = "read";
  }
  return true;
}

/* Writing. */

/* "== 0" of a function that returns an int: by POSIX's custom. */
static void put_ok(const struct guess *g, struct text *t, const struct header_function *f, const char *call) {
  bool truth = is_truth(&f->returns);
  text_printf(t, truth ? "%s" : "SUCCEEDS(%s)", call);
  g->needs->success |= !truth;
}

/* Arguments from parameter `from` on: numbers are SIZE or 0, pointers NULL. */
static void put_rest(struct text *t, const struct header_function *f, unsigned from, const char *number) {
  for (unsigned i = from; i < f->params; i++)
    text_printf(t, "%s%s", i ? ", " : "", is_pointer(&f->param[i]) ? "NULL" : number);
}

/* Numbers behind a pointer, one or several. */
static bool is_numbers(const struct header_type *t) {
  struct header_type one = {t->base, t->pointers - 1};
  return t->pointers == 1 && strcmp(t->base, "void") && strncmp(t->base, "struct ", 7) && is_number(&one);
}

static const char *payload(const struct guess *g, const struct header_type *t, const char *v) {
  struct text numbers;
  text_open(&numbers, g->mem);
  if (is_numbers(t) && (strstr(t->base, "long") || strstr(t->base, "int") || strstr(t->base, "size_t"))) {
    text_printf(&numbers, "(%s[8]){%s}", t->base, v);
    return text_string(&numbers);
  }
  return !is_pointer(t) ? v : !strcmp(v, "v") ? "asif_pointer(v)" : "asif_pointer(x)";
}

/* Which parameter is the element, or where it goes to: one of no type of its own if there is one, else the first. */
static unsigned element_of(const struct header_function *f) {
  for (unsigned i = 1; i < f->params; i++)
    if (is_number(&f->param[i]) || (is_pointer(&f->param[i]) && strncmp(f->param[i].base, "struct ", 7))) return i;
  return 1;
}

/* A variable for another struct that a function is given, a buffer or a node of the caller's: "other_ck_ring_buffer".
 */
static void put_other(struct text *t, const struct header_type *type) {
  text_add(t, "other_");
  for (const char *c = type->base + 7; *c; c++) text_char(t, isalnum((unsigned char)*c) ? *c : '_');
}

static bool is_other(const struct header_type *t) { return t->pointers == 1 && !strncmp(t->base, "struct ", 7); }

/* A node for each element, rather than a buffer for all. */
static bool is_node(const struct header_type *t) {
  return strstr(t->base, "entry") || strstr(t->base, "node") || strstr(t->base, "link") || strstr(t->base, "elem");
}

static bool has_other(const struct guess *g, const char *name) {
  for (size_t i = 0; i < g->needs->others.count; i++)
    if (!strcmp(g->needs->others.at[i], name)) return true;
  return false;
}

static void put_others(const struct guess *g, struct text *t, const struct header_function *f) {
  for (unsigned i = 1; f && i < f->params; i++) {
    struct text name;
    text_open(&name, g->mem);
    if (i == element_of(f) || !is_other(&f->param[i]) || is_node(&f->param[i])) continue;
    put_other(&name, &f->param[i]);
    if (has_other(g, text_string(&name))) continue;
    vec_push(g->mem, &g->needs->others, text_string(&name));
    text_printf(t, "static %s %s[8];\n", f->param[i].base, text_string(&name));
  }
}

/* "queue_put(object, asif_pointer(v), 0)" */
static void put_call(const struct guess *g, struct text *t, const struct header_function *f, const char *element,
                     bool puts) {
  text_printf(t, "%s(object", f->name);
  for (unsigned i = 1; i < f->params; i++) {
    text_add(t, ", ");
    if (i == element_of(f))
      text_add(t, element);
    else if (is_other(&f->param[i]) && is_node(&f->param[i]) && puts)
      text_printf(t, "malloc(sizeof(%s))", f->param[i].base), g->needs->memory = true;
    else if (is_other(&f->param[i]) && !is_node(&f->param[i]))
      put_other(t, &f->param[i]);
    else
      text_add(t, is_pointer(&f->param[i]) ? "NULL" : "0");
  }
  text_char(t, ')');
}

static void put_set_up(const struct guess *g, struct text *t) {
  const struct header_function *create = g->of[CREATE], *init = g->of[INIT];
  text_printf(t, create ? "static %s *object;\n" : "static %s object_itself, *const object = &object_itself;\n",
              g->handle);
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
    text_open(&name, g->mem);
    if (is_other(&made->param[n])) put_other(&name, &made->param[n]);
    bool node = name.count && is_node(&made->param[n]);
    bool there = name.count && !node && has_other(g, text_string(&name));
    if (node) {
      text_printf(t, "%smalloc(sizeof(%s))", n ? ", " : "", made->param[n].base);
      g->needs->memory = true;
      continue;
    }
    bool number = !there && !is_pointer(&made->param[n]);
    text_printf(t, "%s%s", n ? ", " : "", there ? text_string(&name) : number ? "SIZE" : "NULL");
    g->needs->size |= number;
  }
  text_add(t, "); }\n");
  const struct header_function *destroy = g->of[DESTROY];
  if (destroy) text_printf(t, "static void clean_up(void) { %s(object); }\n", destroy->name);
}

/* The operation with a key or an element; a third parameter that points to a bool gets the answer. */
static void put_asks(const struct guess *g, struct text *t, const char *op, const struct header_function *f,
                     bool with_value) {
  unsigned from = with_value ? 3 : 2;
  bool answers = f->params > from && is_answer(&f->param[from]);
  struct text call;
  text_open(&call, g->mem);
  text_printf(&call, "%s(object, %s", f->name, payload(g, &f->param[1], "v"));
  if (with_value) text_printf(&call, ", %s", payload(g, &f->param[2], "x"));
  if (answers) text_add(&call, ", &answer");
  put_rest(&call, f, from + answers, "0");
  text_char(&call, ')');
  const char *args = with_value ? "int v, int x" : "int v";
  if (answers) {
    text_printf(t, "static bool test_%s(%s) {\n  bool answer = false;\n  (void)%s;\n  return answer;\n}\n", op, args,
                text_string(&call));
  } else if (is_void(&f->returns)) {
    text_printf(t, "static void test_%s(%s) { %s; }\n", op, args, text_string(&call));
  } else if (is_pointer(&f->returns)) {
    text_printf(t, "static bool test_%s(%s) { return %s != NULL; }\n", op, args, text_string(&call));
  } else {
    text_printf(t, "static bool test_%s(%s) { return ", op, args);
    put_ok(g, t, f, text_string(&call));
    text_add(t, "; }\n");
  }
}

/* Elements that are nodes of the caller's: put in by a pointer to a struct, and taken out as one. */
static bool is_intrusive(const struct guess *g) {
  const struct header_function *put = g->of[PUT], *get = g->of[GET];
  const struct header_type *element = &put->param[element_of(put)];
  return is_other(element) && get && get->params == 1 && get->returns.pointers == 1 &&
         !strcmp(get->returns.base, element->base);
}

static void put_insert(const struct guess *g, struct text *t, const char *op) {
  const struct header_function *f = g->of[PUT];
  struct text call;
  text_open(&call, g->mem);
  if (is_intrusive(g)) {
    put_call(g, &call, f, "&n->node", true);
    text_printf(t,
                "struct test_node {\n  %s node; /* first: a pointer to it is one to the whole */\n  int value;\n};\n"
                "static void test_%s(int v) {\n  struct test_node *n = malloc(sizeof *n);\n  n->value = v;\n  %s;\n}\n",
                f->param[element_of(f)].base, op, text_string(&call));
    g->needs->memory = true;
    return;
  }
  put_call(g, &call, f, payload(g, &f->param[element_of(f)], "v"), true);
  if (!g->bounded || is_void(&f->returns)) {
    text_printf(t, "static void test_%s(int v) { %s; }\n", op, text_string(&call));
    return;
  }
  text_printf(t, "static int test_%s(int v) { return ", op);
  if (is_pointer(&f->returns))
    text_printf(t, "%s != NULL", text_string(&call));
  else
    put_ok(g, t, f, text_string(&call));
  text_add(t, " ? ASIF_OK : ASIF_FULL; }\n");
}

static void put_remove(const struct guess *g, struct text *t, const char *op, const struct header_function *f) {
  struct text call;
  bool out = f->params > 1;
  text_open(&call, g->mem);
  bool numbers = out && is_numbers(&f->param[element_of(f)]);
  put_call(g, &call, f, numbers ? "out" : "&out", false);
  if (!out && is_intrusive(g) && f == g->of[GET]) {
    text_printf(t,
                "static int test_%s(void) {\n  struct test_node *n = (struct test_node *)%s;\n"
                "  return n ? n->value : ASIF_EMPTY;\n}\n",
                op, text_string(&call));
    return;
  }
  if (!out) {
    text_printf(t, "static int test_%s(void) { return %s%s%s; }\n", op,
                is_pointer(&f->returns) ? "asif_number(" : "(int)", text_string(&call),
                is_pointer(&f->returns) ? ")" : "");
    return;
  }
  const struct header_type *p = &f->param[element_of(f)];
  bool nothing = p->pointers == 1 && !strcmp(p->base, "void"); /* memory that gets a copy of the element */
  bool copies = nothing && is_pointer(&g->of[PUT]->param[element_of(g->of[PUT])]); /* which is a pointer */
  bool pointer = p->pointers > 1 || copies || !strcmp(p->base, "gpointer");
  text_printf(t, "static int test_%s(void) {\n  %s %sout%s = %s;\n  ", op, nothing && !copies ? "long" : p->base,
              p->pointers > 1 || copies ? "*" : "", numbers ? "[8]" : "",
              pointer   ? "NULL"
              : numbers ? "{0}"
                        : "0");
  const char *result = pointer ? "asif_number(out)" : numbers ? "(int)out[0]" : "(int)out";
  if (is_void(&f->returns)) {
    text_printf(t, "%s;\n  return %s;\n}\n", text_string(&call), result);
    return;
  }
  text_add(t, "return ");
  if (is_pointer(&f->returns))
    text_printf(t, "%s != NULL", text_string(&call));
  else
    put_ok(g, t, f, text_string(&call));
  text_printf(t, " ? %s : ASIF_EMPTY;\n}\n", result);
}

static void put_body(const struct guess *g, struct text *t) {
  if (!g->keyed) {
    put_others(g, t, g->of[PUT]);
    put_others(g, t, g->of[GET]);
    put_others(g, t, g->of[STEAL]);
  }
  put_set_up(g, t);
  if (g->keyed) {
    put_asks(g, t, g->mapped ? "insert" : "add", g->of[PUT], g->mapped);
    put_asks(g, t, g->mapped ? "erase" : "remove", g->of[ERASE], false);
    if (g->of[CONTAINS]) put_asks(g, t, "contains", g->of[CONTAINS], false);
  } else {
    put_insert(g, t, g->insert);
    if (g->of[GET]) put_remove(g, t, g->take, g->of[GET]);
    if (g->of[STEAL]) put_remove(g, t, "steal", g->of[STEAL]);
  }
}

static void put_harness(const struct guess *g, struct text *t) {
  struct text body;
  text_open(&body, g->mem);
  put_body(g, &body);
  bool sized = g->needs->size, tells = g->needs->success;
  const char *library = g->needs->memory ? "#include <stdlib.h>\n" : "";
  text_printf(t,
              "/* A harness for %s, written by `asif init`. Guesses: the specification%s%s. Run it together with the\n"
              " * library's own files:\n"
              " *\n"
              " *   asif test THIS_FILE library.c\n"
              " */\n"
              "#include <asif.h>\n%s#include \"%s\"\n\n",
              g->path, sized ? ", the size" : "", tells ? ", how functions tell success" : "", library, g->path);
  if (sized)
    text_add(t, g->bounded
                    ? "#define SIZE 2 /* many rings hold one less: then that is the number below, in ASIF_OBJECT */\n"
                    : "#define SIZE 2\n");
  if (tells) text_add(t, "#define SUCCEEDS(result) ((result) == 0)\n");
  if (sized || tells) text_char(t, '\n');
  text_add(t, text_string(&body));
  if (sized && g->bounded && !g->asked) /* so that the two change together */
    text_printf(t, "\nASIF_OBJECT(%.*s(SIZE))\n", (int)strcspn(g->spec, "("), g->spec);
  else
    text_printf(t, "\nASIF_OBJECT(%s)\n", g->spec);
  const char *two[] = {g->mapped  ? "insert"
                       : g->keyed ? "add"
                                  : g->insert,
                       g->mapped  ? "erase"
                       : g->keyed ? "remove"
                                  : NULL,
                       g->keyed && g->of[CONTAINS] ? "contains" : NULL};
  for (int i = 0; i < 3; i++)
    if (two[i]) text_printf(t, "ASIF_OP_AS(%s, test_%s, ASIF_IN(1, 2))\n", two[i], two[i]);
  if (!g->keyed && g->of[GET]) text_printf(t, "ASIF_OP_AS(%s, test_%s)\n", g->take, g->take);
  if (!g->keyed && g->of[STEAL]) text_add(t, "ASIF_OP_AS(steal, test_steal)\n");
  if (g->of[CREATE] || g->of[INIT]) {
    text_add(t, "ASIF_INIT(set_up)\n");
    if (g->of[DESTROY]) text_add(t, "ASIF_FINAL(clean_up)\n");
  }
  if (g->of[STEAL])
    text_printf(t, "ASIF_ROLE(owner, 1, test_push%s)\nASIF_ROLE(thief, ASIF_REST, test_steal)\n",
                g->of[GET] ? ", test_pop" : "");
  if (!g->keyed && !g->of[STEAL]) {
    const char *roles = any_name(g, "spsc")   ? "SPSC"
                        : any_name(g, "mpsc") ? "MPSC"
                        : any_name(g, "spmc") ? "SPMC"
                                              : NULL;
    if (roles && g->of[GET]) text_printf(t, "ASIF_%s(test_%s, test_%s)\n", roles, g->insert, g->take);
  }
}

/* The command. */

static const char *default_output(struct mem *m, const char *path) {
  struct text t;
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  text_open(&t, m);
  text_printf(&t, "asif_%.*s.c", (int)strcspn(name, "."), name);
  return text_string(&t);
}

static bool is_cxx(const char *path) {
  static const char *const ends[] = {".hpp", ".hh", ".hxx", ".h++", ".cpp", ".cc", ".cxx"};
  size_t n = strlen(path);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (n > strlen(ends[i]) && !strcmp(path + n - strlen(ends[i]), ends[i])) return true;
  return false;
}

static int write_harness(const struct args *a, const struct guess *g, char *const *flags) {
  const char *path = arg_value(a, "output") ? arg_value(a, "output") : default_output(a->mem, g->path);
  struct text t, said;
  text_open(&t, a->mem);
  text_open(&said, a->mem);
  put_harness(g, &t);
  if (!strcmp(path, "-")) return write_stdout(text_string(&t), t.count) ? EXIT_HOLDS : EXIT_USAGE;
  FILE *f = fopen(path, "wx"); /* what somebody may have changed is not written over */
  bool good = f && fwrite(text_string(&t), 1, t.count, f) == t.count;
  if (f) good = fclose(f) == 0 && good;
  if (!f && errno == EEXIST)
    return say_error("%s is there already and is not written over; -o FILE names another", path), EXIT_USAGE;
  if (!good) return say_error("%s cannot be written: %s", path, strerror(errno)), EXIT_USAGE;
  if (!header_compiles(a->mem, path, flags, &said))
    return say_error("%s is written, but does not compile yet:\n%.1000s", path, text_string(&said)), EXIT_USAGE;
  struct text next;
  text_open(&next, a->mem);
  text_printf(&next, "%s: %s; look at it, then: asif test %s LIBRARY.c...\n", path, g->spec, path);
  return write_stdout(text_string(&next), next.count) ? EXIT_HOLDS : EXIT_USAGE;
}

static int run(const struct args *a) {
  struct header header;
  struct problem why;
  struct needs needs = {.size = false};
  struct guess g = {.mem = a->mem, .needs = &needs, .path = a->at[0], .header = &header};
  VEC(char *) flags = {NULL, 0, 0};
  for (int i = 1; i < a->count; i++) vec_push(a->mem, &flags, a->at[i]);
  const char *include = include_folder(a->mem);
  vec_push(a->mem, &flags, "-I.");
  if (include) {
    vec_push(a->mem, &flags, "-I");
    vec_push(a->mem, &flags, (char *)include);
  }
  vec_push(a->mem, &flags, NULL);
  if (is_cxx(g.path))
    return say_error("%s: headers of C++ are not read; docs/harness.md shows a harness", g.path), EXIT_USAGE;
  if (access(g.path, R_OK)) return say_error("%s: %s", g.path, strerror(errno)), EXIT_USAGE;
  if (!header_read(a->mem, g.path, flags.at, &header, &why)) return say_error("%s", why.text), EXIT_USAGE;
  find_handle(&g);
  if (g.handle) find_all(&g);
  if (!g.handle || !g.of[PUT] || (!g.of[GET] && !g.keyed && !g.of[STEAL])) {
    say_error("%s: of %zu functions none was recognised that puts something in, and one that takes it out again, as "
              "queue_push(struct queue *, ...) and queue_pop(struct queue *): docs/harness.md shows a harness",
              g.path, header.functions.count);
    return EXIT_USAGE;
  }
  guess_spec(&g, arg_value(a, "spec"));
  if (!read_spec(&g, &why)) return say_error("%s", why.text), EXIT_USAGE;
  if (!g.keyed && !g.insert)
    return say_error("%s: %s has no operations that put in and take out", g.path, g.spec), EXIT_USAGE;
  return write_harness(a, &g, flags.at);
}

const struct command command_init = {
    .name = "init",
    .usage = "HEADER [-o FILE] [--spec SPEC] [-- COMPILER ARGUMENTS]",
    .summary = "write a harness for the container that a C header declares",
    .details = "Finds the functions of HEADER that create and destroy a container, put something in and take it\n"
               "out, guesses by their names which specification it has, and writes a file that `asif test` takes\n"
               "together with the library's own files (docs/harness.md). It asks nothing. Guesses are the\n"
               "specification, arguments of the function that creates it (numbers are SIZE, pointers NULL), and\n"
               "that a function that returns an int returns 0 for success: look at these lines. A file that is\n"
               "there is not written over.\n"
               "\n"
               "Examples:\n"
               "  asif init queue.h                          writes asif_queue.c\n"
               "  asif init ring.h --spec weak-bounded-queue\n"
               "  asif init stack.h -o - -- -Iinclude        to standard output\n"
               "\n"
               "Exit status: 0 written, and it compiles; 2 bad usage, nothing was recognised, or it does not\n"
               "compile.\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run};
