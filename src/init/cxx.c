/* Recognising the container that a C++ header declares: which class it is, with which template arguments, and which of
 * its members put in and take out. The compiler decides what can be called (probe.c), names decide what it means. */
#include "init/cxx.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "init/classes.h"
#include "init/compiler.h"

/* Template arguments. */

static bool is_element_name(const char *name) {
  static const char *const names[] = {"T",    "Type",    "Value", "ValueType", "V", "Data",
                                      "Item", "Element", "E",     "Key",       "K", NULL};
  for (int i = 0; names[i]; i++)
    if (!strcmp(name, names[i])) return true;
  return false;
}

/* A type parameter that is not the element's. */
static const char *other_type(const char *name) {
  static const struct {
    const char *word, *type;
  } known[] = {{"alloc", "std::allocator<int>"},
               {"allocator", "std::allocator<int>"},
               {"hash", "std::hash<int>"},
               {"hasher", "std::hash<int>"},
               {"compare", "std::less<int>"},
               {"less", "std::less<int>"},
               {"cmp", "std::less<int>"},
               {"equal", "std::equal_to<int>"},
               {"mutex", "std::mutex"},
               {"lock", "std::mutex"},
               {NULL, "int"}};
  int i = 0;
  while (known[i].word && !name_has(name, known[i].word)) i++;
  return known[i].type;
}

/* "lib::queue<int, SIZE>": arguments for the parameters that have no default. */
static const char *type_of(struct cxx_guess *g, const struct cxx_class *c, const char *element) {
  struct text t;
  bool named = false, first = true;
  text_open(&t, g->mem);
  text_add(&t, c->name);
  if (!c->is_template) return text_string(&t);
  for (size_t i = 0; i < c->params.count; i++)
    named |= c->params.at[i].kind == TEMPLATE_TYPE && is_element_name(c->params.at[i].name);
  text_char(&t, '<');
  for (size_t i = 0; i < c->params.count && !c->params.at[i].defaulted; i++) {
    const struct template_param *p = &c->params.at[i];
    text_add(&t, i ? ", " : "");
    switch (p->kind) {
    case TEMPLATE_NUMBER:
      text_add(&t, "SIZE");
      g->templated_size = true;
      break;
    case TEMPLATE_TRUTH: text_add(&t, "false"); break;
    case TEMPLATE_TEMPLATE: text_add(&t, name_has(p->name, "alloc") ? "std::allocator" : "std::vector"); break;
    case TEMPLATE_TYPE:
      text_add(&t, (named ? is_element_name(p->name) : first) ? element : other_type(p->name));
      first = false;
      break;
    }
  }
  text_char(&t, '>');
  return text_string(&t);
}

/* Choosing among the members. */

static unsigned extra_words(const char *name) { return name_words(name) - 1 - name_has(name, "try"); }

/* Smaller is better: plain names; an insertion that can fail rather than one that waits; by the words. */
static unsigned put_cost(const struct probe_call *c) {
  return extra_words(c->name) * 1000 + (c->gives == GIVES_NOTHING) * 500 + name_has(c->name, "try") * 200 +
         (unsigned)name_rank(c->name, ROLE_PUT) * 10 + c->form;
}

/* One that can say that nothing is inside is better than one that waits, or that has no such answer. */
static unsigned get_cost(const struct probe_call *c) {
  bool says = c->form != CALL_NONE && c->gives != GIVES_NOTHING;
  bool full = c->form == CALL_NONE && (c->gives == GIVES_OPTIONAL || c->gives == GIVES_ELEMENT);
  bool bare = c->form == CALL_NONE && c->gives == GIVES_NOTHING;
  unsigned kind = says || full ? 0 : bare ? 1 : c->form != CALL_NONE ? 2 : 3;
  return kind * 10000 + extra_words(c->name) * 1000 + (unsigned)name_rank(c->name, c->role) * 10 + c->form;
}

static unsigned cost(const struct probe_call *c) {
  if (c->role == ROLE_PUT) return put_cost(c);
  if (c->role == ROLE_GET || c->role == ROLE_STEAL) return get_cost(c);
  return extra_words(c->name) * 1000 + (unsigned)name_rank(c->name, c->role) * 10 + c->form;
}

/* push, pop and the like: another number that they take is no key. */
enum { RANK_SURE = 2, SIZE_THREADS = 4 };

static bool usable(const struct cxx_guess *g, const struct probe_call *c) {
  if (c->gives == GIVES_ERROR || c->gives == GIVES_OTHER) return false;
  if (c->threaded && (!g->threaded || name_rank(c->name, c->role) > RANK_SURE)) return false;
  if (c->role != ROLE_GET && c->role != ROLE_STEAL) return true;
  if (c->form != CALL_NONE) return true;
  if (c->gives == GIVES_NOTHING) /* it removes what front() gives */
    return g->probe.front == GIVES_OPTIONAL || (g->probe.front && g->probe.front != GIVES_OTHER && g->probe.empty);
  return c->gives != GIVES_TRUTH && c->gives != GIVES_ENUM && c->gives != GIVES_PAIR && c->gives != GIVES_TRUE;
}

static bool is_pair(const struct probe_call *c) { return c->form == CALL_KEY_VALUE || c->form == CALL_PAIR; }

static const struct probe_call *best(const struct cxx_guess *g, enum role role, bool pairs) {
  const struct probe_call *found = NULL;
  for (size_t i = 0; i < g->probe.calls.count; i++) {
    const struct probe_call *c = &g->probe.calls.at[i];
    if (c->role == role && is_pair(c) == pairs && usable(g, c) && (!found || cost(c) < cost(found))) found = c;
  }
  return found;
}

/* A set or a map is asked for a key; elements of others are taken out without one. */
static bool choose_from(struct cxx_guess *g) {
  memset(g->of, 0, sizeof g->of);
  for (int r = ROLE_PUT; r < ROLES; r++) g->of[r] = best(g, (enum role)r, false);
  const struct probe_call *put = g->of[ROLE_PUT], *pair = best(g, ROLE_PUT, true), *get = g->of[ROLE_GET];
  bool by_key = g->of[ROLE_ERASE] || g->of[ROLE_CONTAINS];
  bool variadic = put && name_has(put->name, "emplace"); /* it seems to take anything */
  g->mapped = by_key && pair && (!put || variadic);
  g->keyed = by_key && (put || pair) &&
             (g->mapped || !get || (put && name_rank(put->name, ROLE_PUT) >= 3 && !g->of[ROLE_STEAL]));
  if (g->mapped) g->of[ROLE_PUT] = pair;
  if (!g->mapped) g->of[ROLE_LOOK_UP] = NULL;
  if (!g->keyed) g->of[ROLE_ERASE] = g->of[ROLE_CONTAINS] = NULL;
  g->front = get && get->form == CALL_NONE && get->gives == GIVES_NOTHING;
  return g->of[ROLE_PUT] && (g->keyed || get || g->of[ROLE_STEAL]) && (g->probe.sized || g->probe.plain) &&
         g->probe.fits;
}

/* The number of the thread is given to calls only where there are no others. */
static bool choose(struct cxx_guess *g) {
  g->threaded = false;
  if (choose_from(g)) return true;
  g->threaded = true;
  if (!choose_from(g) || g->keyed) return false;
  if (g->probe.sized && !g->templated_size)
    g->size = g->probe.size = SIZE_THREADS; /* it is how many threads may call */
  return true;
}

/* Names that a base class may have. */
static const char *const usual[] = {
    "push",   "pop",   "try_push", "try_pop", "enqueue", "dequeue", "try_enqueue", "try_dequeue", "put",   "take",
    "insert", "erase", "contains", "find",    "count",   "emplace", "remove",      "add",         "steal", NULL};

static void add_names(struct cxx_guess *g, const char *name) {
  for (int r = ROLE_PUT; r < ROLES; r++)
    if (name_rank(name, (enum role)r) >= 0 && !name_excluded(name, (enum role)r))
      probe_add(g->mem, &g->probe, (enum role)r, name);
}

static bool try_element(struct cxx_guess *g, const struct toolchain *t, const struct cxx_class *c, const char *element,
                        struct text *said) {
  g->name = c->name;
  g->templated_size = g->compares = false;
  for (size_t i = 0; i < c->params.count; i++) g->compares |= name_has(c->params.at[i].name, "compare");
  g->probe = (struct probe){.include = g->request->include, .element = element};
  g->probe.type = type_of(g, c, element);
  for (int i = 0; usual[i]; i++) add_names(g, usual[i]);
  for (size_t i = 0; i < c->members.count; i++) add_names(g, c->members.at[i].name);
  for (size_t i = 0; i < CXX_SIZES && (!i || g->templated_size); i++) { /* it may ask for more */
    text_clear(said);
    g->size = g->probe.size = cxx_sizes[i];
    if (probe_ask(t, &g->probe, said)) return choose(g);
  }
  return false;
}

/* A class template has the element that it is given; a class has one of its own, which its insertions name. */
static bool try_class(struct cxx_guess *g, const struct toolchain *t, const struct cxx_class *c, struct text *said) {
  static const char *const usual_elements[] = {"int", "int *", "long", "void *"};
  VEC(const char *) elements = {NULL, 0, 0};
  struct text first;
  for (size_t i = 0; !c->is_template && i < c->members.count; i++) {
    const struct class_member *m = &c->members.at[i];
    if (!*m->takes || name_rank(m->name, ROLE_PUT) < 0 || name_excluded(m->name, ROLE_PUT)) continue;
    struct text inner;
    text_open(&inner, g->mem);
    text_printf(&inner, "%s::%s", c->name, m->takes);
    vec_push(g->mem, &elements, m->takes);
    vec_push(g->mem, &elements, text_string(&inner));
    break;
  }
  for (size_t i = 0; i < (c->is_template ? 2 : 4); i++) vec_push(g->mem, &elements, usual_elements[i]);
  text_open(&first, g->mem);
  for (size_t i = 0; i < elements.count; i++) {
    if (try_element(g, t, c, elements.at[i], said)) return true;
    if (!first.count || !strcmp(elements.at[i], "int")) text_clear(&first), text_add(&first, text_string(said));
  }
  text_clear(said);
  text_add(said, text_string(&first));
  g->probe.type = type_of(g, c, "int");
  return false;
}

/* Choosing the class. */

/* True if the one has the letters of the other, whatever their case and the signs between them. */
static bool resembles(const char *a, const char *b) {
  while (*a && *b) {
    if (!isalnum((unsigned char)*a))
      a++;
    else if (!isalnum((unsigned char)*b))
      b++;
    else if (tolower((unsigned char)*a++) != tolower((unsigned char)*b++))
      return false;
  }
  return !*a || !*b || *b == '.';
}

static const char *last_of(const char *name, char sign) {
  const char *at = strrchr(name, sign);
  return at ? at + 1 : name;
}

static int promise(const struct init_request *r, const struct cxx_class *c) {
  bool role[ROLES] = {false};
  for (size_t i = 0; i < c->members.count; i++)
    for (int n = ROLE_PUT; n < ROLES; n++)
      role[n] |=
          name_rank(c->members.at[i].name, (enum role)n) >= 0 && !name_excluded(c->members.at[i].name, (enum role)n);
  int score = 4 * (role[ROLE_PUT] && (role[ROLE_GET] || role[ROLE_STEAL] || role[ROLE_ERASE] || role[ROLE_CONTAINS]));
  score += 3 * resembles(last_of(c->name, ':'), last_of(r->path, '/'));
  return score + c->derived - 2 * c->hidden - 10 * !c->whole;
}

static bool is_asked(const char *type, const char *name) {
  size_t n = strlen(name), k = strlen(type);
  return k <= n && !strcmp(name + n - k, type) && (n == k || name[n - k - 1] == ':');
}

static bool find_class(struct cxx_guess *g, const struct toolchain *t, struct problem *why) {
  enum { TRIES = 6 };
  struct classes all;
  struct text said, reason;
  const char *asked = g->request->type, *failed = NULL;
  text_open(&said, g->mem);
  text_open(&reason, g->mem);
  if (!classes_read(t, g->request->path, &all, why)) return false;
  if (asked && strchr(asked, '<')) { /* with its arguments */
    struct cxx_class own = {.name = asked, .whole = true};
    for (size_t i = 0; i < all.list.count; i++) {
      const struct cxx_class *c = &all.list.at[i];
      if (is_asked(mem_string(g->mem, asked, strcspn(asked, "<")), c->name))
        own.members.at = c->members.at, own.members.count = c->members.count;
    }
    if (try_class(g, t, &own, &said)) {
      g->name = mem_string(g->mem, asked, strcspn(asked, "<"));
      return true;
    }
    problem_set(why, "%s: no members of %s were recognised that put something in and take it out again%s%s",
                g->request->path, asked, said.count ? ":\n" : "", toolchain_error(g->mem, text_string(&said)));
    return false;
  }
  bool *done = mem_zero(g->mem, all.list.count + 1, sizeof *done);
  for (int tries = 0; tries < TRIES; tries++) {
    size_t next = all.list.count;
    for (size_t i = 0; i < all.list.count; i++) {
      const struct cxx_class *c = &all.list.at[i];
      if (done[i] || (asked && !is_asked(asked, c->name))) continue;
      int p = promise(g->request, c);
      if ((p > 0 || asked) && (next == all.list.count || p > promise(g->request, &all.list.at[next]))) next = i;
    }
    if (next == all.list.count) break;
    done[next] = true;
    if (try_class(g, t, &all.list.at[next], &said)) return true;
    if (!failed && said.count) failed = g->probe.type, text_add(&reason, text_string(&said));
  }
  if (failed)
    problem_set(why, "%s: %s does not compile with the template arguments that were guessed; --type gives others:\n%s",
                g->request->path, failed, toolchain_error(g->mem, text_string(&reason)));
  else
    problem_set(
        why,
        "%s: of %zu class%s none was recognised that has a member that puts something in, and one that takes it "
        "out again, such as push and try_pop: docs/harness.md shows a harness",
        g->request->path, all.list.count, all.list.count == 1 ? "" : "es");
  return false;
}

/* The specification. */

static bool guess_spec(struct cxx_guess *g, struct problem *why) {
  const struct probe_call *put = g->of[ROLE_PUT];
  struct container_names names = {.path = g->request->path,
                                  .type = g->name,
                                  .put = put->name,
                                  .steals = !g->keyed && g->of[ROLE_STEAL],
                                  .keyed = g->keyed,
                                  .mapped = g->mapped,
                                  .order = g->order};
  bool fails = put->gives != GIVES_NOTHING;
  names.bounded =
      !g->keyed && fails && (g->holds ? g->holds < CXX_MANY : g->templated_size || names_ring(g->mem, &names));
  g->negated = !g->request->spec && names.bounded && names.order == ORDER_GREATEST &&
               !strcmp(g->probe.element, "int") && put->form != CALL_POINTER;
  if (g->negated) names.order = ORDER_LEAST;
  const char *spec = g->request->spec ? g->request->spec : names_spec(g->mem, &names);
  if (!spec_words_read(g->mem, spec, &g->words, why)) return false;
  if (!g->keyed && !g->words.insert) {
    problem_set(why, "%s: %s has no operations that put in and take out", g->request->path, spec);
    return false;
  }
  if (g->words.bounded && !g->request->spec) {
    struct text t;
    bool same = !g->holds || (unsigned)g->holds == g->size;
    text_open(&t, g->mem);
    text_printf(&t, "%.*s(", (int)strcspn(spec, "("), spec);
    text_printf(&t, same ? "SIZE)" : "%d)", g->holds);
    spec = text_string(&t);
  }
  g->spec = spec;
  return true;
}

bool init_write_cxx(const struct init_request *r, struct init_harness *to, struct problem *why) {
  struct toolchain t = {r->mem, true, r->flags};
  struct cxx_guess g = {.mem = r->mem, .request = r};
  if (!find_class(&g, &t, why) || !guess_spec(&g, why)) return false;
  to->alone = cxx_measure(&g, &t);
  if (!guess_spec(&g, why)) return false;
  cxx_write(&g, &to->text);
  to->spec = g.spec;
  return true;
}
