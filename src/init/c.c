/* Recognising the container that a C header declares: what creates and destroys it, what puts in and takes out. */
#include "init/c.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Types. */

bool type_is_handle(const struct c_guess *g, const struct header_type *t) {
  return t->pointers == 1 && !strcmp(t->base, g->handle);
}

static bool says_truth(const struct header_type *t) {
  return !strcmp(t->base, "bool") || !strcmp(t->base, "_Bool") || !strcmp(t->base, "gboolean");
}
bool type_is_truth(const struct header_type *t) { return !t->pointers && says_truth(t); }
bool type_is_answer(const struct header_type *t) { return t->pointers == 1 && says_truth(t); }

bool type_is_pointer(const struct header_type *t) {
  return t->pointers || !strcmp(t->base, "gpointer") || !strcmp(t->base, "gconstpointer");
}

bool type_is_void(const struct header_type *t) { return !t->pointers && !strcmp(t->base, "void"); }

/* As far as the words tell: a typedef of a struct would not compile. */
bool type_is_number(const struct header_type *t) {
  return !type_is_pointer(t) && !type_is_void(t) && strncmp(t->base, "struct ", 7) && strncmp(t->base, "union ", 6) &&
         !strstr(t->base, "float") && !strstr(t->base, "double");
}

bool type_is_struct(const struct header_type *t) { return t->pointers == 1 && !strncmp(t->base, "struct ", 7); }

bool type_is_node(const struct header_type *t) {
  return type_is_struct(t) &&
         (strstr(t->base, "entry") || strstr(t->base, "node") || name_has(t->base, "link") || strstr(t->base, "elem"));
}

/* One that is not a struct if there is one, otherwise a node, otherwise the first. */
unsigned function_element(const struct header_function *f) {
  for (unsigned i = 1; i < f->params; i++)
    if (type_is_number(&f->param[i]) || (type_is_pointer(&f->param[i]) && strncmp(f->param[i].base, "struct ", 7)))
      return i;
  for (unsigned i = 1; i < f->params; i++)
    if (type_is_node(&f->param[i])) return i;
  return 1;
}

bool function_needs_object_only(const struct header_function *f) {
  for (unsigned i = 1; i < f->params; i++)
    if (!type_is_struct(&f->param[i]) || type_is_node(&f->param[i])) return false;
  return f->params > 0;
}

bool c_is_intrusive(const struct c_guess *g) {
  const struct header_function *put = g->of[ROLE_PUT], *get = g->of[ROLE_GET];
  const struct header_type *element = &put->param[function_element(put)];
  return type_is_struct(element) && get && function_needs_object_only(get) && get->returns.pointers == 1 &&
         !strcmp(get->returns.base, element->base);
}

/* Finding. */

static void find_handle(struct c_guess *g) {
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
      same += name_rank(other->name, ROLE_PUT) >= 0 || name_rank(other->name, ROLE_GET) >= 0 ? 3 : 1;
    }
    if (same > best) best = same, g->handle = f->param[0].base;
  }
}

/* What its name says beyond the container's: "enq" of two_lock_queue_enq. */
static const char *own_words(const struct c_guess *g, const char *name) {
  const char *type = strncmp(g->handle, "struct ", 7) ? g->handle : g->handle + 7;
  size_t n = strlen(type);
  if (n > 2 && !strcmp(type + n - 2, "_t")) n -= 2;
  return !strncmp(name, type, n) && name[n] == '_' ? name + n + 1 : name;
}

/* True if the function may play this role. */
static bool may_be(const struct c_guess *g, enum role role, const struct header_function *f) {
  if (f->name[0] == '_' || (role >= ROLE_PUT && name_excluded(own_words(g, f->name), role))) return false;
  bool takes = f->params && type_is_handle(g, &f->param[0]);
  unsigned more = f->params - takes;
  if (role == ROLE_CREATE) return type_is_handle(g, &f->returns) && !takes;
  if (!takes) return false;
  const struct header_type *element = more ? &f->param[function_element(f)] : NULL;
  switch (role) {
  case ROLE_INIT: return !type_is_pointer(&f->returns);
  case ROLE_DESTROY: return function_needs_object_only(f);
  case ROLE_PUT:
    return more >= 1 && (type_is_number(element) || type_is_pointer(element)) && !type_is_handle(g, element);
  case ROLE_GET:
  case ROLE_STEAL:
    return (function_needs_object_only(f) && !type_is_void(&f->returns)) || (more >= 1 && element->pointers >= 1);
  default: return more >= 1 && f->param[1].pointers <= 1;
  }
}

/* Where a function names the end at which it works there may be another that does not, or that is the queue's. */
static int end_cost(const char *name, enum role role) {
  bool front = name_has(name, "front") || name_has(name, "head"),
       back = name_has(name, "back") || name_has(name, "tail");
  if (!front && !back) return 0;
  return (role == ROLE_PUT) == front ? 200 : 100;
}

static void find_role(struct c_guess *g, enum role role) {
  int best = -1;
  unsigned params = 0;
  for (size_t i = 0; i < g->header->functions.count; i++) {
    const struct header_function *f = &g->header->functions.at[i];
    int rank = name_rank(own_words(g, f->name), role);
    if (rank < 0 || !may_be(g, role, f)) continue;
    if (role == ROLE_PUT || role == ROLE_GET) rank += end_cost(own_words(g, f->name), role);
    if (best >= 0 && (rank > best || (rank == best && f->params >= params))) continue; /* the plainest of the best */
    best = rank;
    params = f->params;
    g->of[role] = f;
  }
}

/* queue_node_init(struct queue_node *) */
static void find_node_init(struct c_guess *g) {
  if (!g->of[ROLE_PUT] || !c_is_intrusive(g)) return;
  const struct header_type *node = &g->of[ROLE_PUT]->param[function_element(g->of[ROLE_PUT])];
  for (size_t i = 0; i < g->header->functions.count; i++) {
    const struct header_function *f = &g->header->functions.at[i];
    if (f->name[0] != '_' && f->params == 1 && f->param[0].pointers == 1 && !strcmp(f->param[0].base, node->base) &&
        name_rank(f->name, ROLE_INIT) == 0)
      g->node_init = f;
  }
}

/* A put that takes a key, and something that asks for or takes away one, is of a set or a map. */
static void find_all(struct c_guess *g) {
  for (int r = 0; r < ROLES; r++) find_role(g, (enum role)r);
  if (g->of[ROLE_CREATE]) g->of[ROLE_INIT] = NULL;
  const struct header_function *erase = g->of[ROLE_ERASE], *get = g->of[ROLE_GET], *put = g->of[ROLE_PUT];
  bool by_key = erase && erase->params >= 2 && type_is_number(&erase->param[1]);
  g->keyed = by_key && put && type_is_number(&put->param[1]) && (!get || get == erase || g->of[ROLE_CONTAINS]);
  g->mapped = g->keyed && put->params >= 3 && put->param[2].pointers <= 1 && !type_is_answer(&put->param[2]);
  find_node_init(g);
}

/* `#ifdef NAME` around `#define queue_push _queue_push`: with NAME, the library's code is in the header. */
static void find_inlined(struct c_guess *g) {
  char line[512], name[128] = "", word[16], first[128], second[128];
  FILE *f = fopen(g->request->path, "r");
  while (f && !g->inlined && fgets(line, sizeof line, f)) {
    int n = sscanf(line, " # %15[a-z] %127[A-Za-z0-9_] %127[A-Za-z0-9_]", word, first, second);
    if (n < 1) continue;
    if (n >= 2 && !strcmp(word, "ifdef"))
      memcpy(name, first, sizeof name);
    else if (n == 3 && !strcmp(word, "define") && *name && !strcmp(first, g->of[ROLE_PUT]->name))
      g->inlined = mem_string(g->mem, name, strlen(name));
    else if (!strncmp(word, "if", 2) || !strncmp(word, "el", 2) || !strcmp(word, "endif"))
      *name = 0;
  }
  if (f) fclose(f);
}

static void guess_spec(struct c_guess *g) {
  const struct header_function *made = g->of[ROLE_CREATE] ? g->of[ROLE_CREATE] : g->of[ROLE_INIT];
  struct container_names names = {.path = g->request->path,
                                  .type = g->handle,
                                  .put = g->of[ROLE_PUT]->name,
                                  .steals = g->of[ROLE_STEAL] != NULL,
                                  .keyed = g->keyed,
                                  .mapped = g->mapped};
  bool sized = false, fails = !type_is_void(&g->of[ROLE_PUT]->returns) && !c_is_intrusive(g);
  for (unsigned i = 0; made && i < made->params; i++) sized |= type_is_number(&made->param[i]);
  names.bounded = !g->keyed && fails && (sized || names_ring(g->mem, &names));
  g->spec = g->request->spec ? g->request->spec : names_spec(g->mem, &names);
}

bool init_write_c(const struct init_request *r, const struct header *h, struct init_harness *to, struct problem *why) {
  struct c_guess g = {.mem = r->mem, .request = r, .header = h};
  find_handle(&g);
  if (g.handle) find_all(&g);
  if (!g.handle || !g.of[ROLE_PUT] || (!g.of[ROLE_GET] && !g.keyed && !g.of[ROLE_STEAL])) {
    problem_set(why,
                "%s: of %zu function%s none was recognised that puts something in, and one that takes it out again, as "
                "queue_push(struct queue *, ...) and queue_pop(struct queue *): docs/harness.md shows a harness",
                r->path, h->functions.count, h->functions.count == 1 ? "" : "s");
    return false;
  }
  find_inlined(&g);
  guess_spec(&g);
  if (!spec_words_read(g.mem, g.spec, &g.words, why)) return false;
  if (!g.keyed && !g.words.insert) {
    problem_set(why, "%s: %s has no operations that put in and take out", r->path, g.spec);
    return false;
  }
  c_write(&g, &to->text);
  to->spec = g.spec;
  return true;
}
