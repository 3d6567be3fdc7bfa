/* Preprocessed text -> unit: lexing, parsing with typing, and what can be said only at the end of the file. */
#include "front/front.h"

/* A declaration at file scope. One that is outside is left out; one that is wrong is, in the system's headers. */
static void parse_attempted(struct front *f) {
  struct attempt a;
  if (parse_pass_over(f)) return;
  if (ATTEMPT(f, &a)) {
    parse_external(f);
    attempt_end(f, &a);
    return;
  }
  bool system = f->unit->files.at[parse_token(f)->place.file].is_system;
  bool harness = f->headers & 1u << HEADER_ASIF && !strncmp(parse_token(f)->text, "ASIF_", 5);
  if (f->said_how == SAID_FATAL || harness || (f->said_how == SAID_WRONG && !system)) front_again(f);
  parse_skip_external(f);
}

static void parse_unit(struct front *f, const char *text, size_t length) {
  lex(f, text, length);
  while (parse_token(f)->kind != TOKEN_END) {
    parse_attempted(f);
    mem_poll(f->mem);
  }
  parse_deferred(f);
  if (f->last) harness_finish(f);
}

bool unit_frees(const struct unit *u) {
  bool frees = u->frees;
  for (size_t i = 0; i < u->decls.count; i++) {
    const struct decl *d = u->decls.at[i];
    frees |= d->frees && (d->used || !d->is_static);
  }
  return frees;
}

struct unit *unit_new(struct mem *m) {
  struct unit *u = mem_zero(m, 1, sizeof *u);
  u->mem = m;
  u->harness.bound = -1;
  return u;
}

struct unit *front_parse_text(struct unit *u, const struct preprocessed *p, bool last, struct problem *problem) {
  struct front *f = mem_zero(u->mem, 1, sizeof *f);
  f->unit = u;
  f->mem = u->mem;
  f->problem = problem;
  f->model = p->model;
  f->last = last;
  f->read_sources = p->model != NULL;
  f->headers = 1u << HEADER_ALWAYS;
  uint16_t file = source_add(f, p->name, strlen(p->name), false);
  if (!p->model) {
    u->files.at[file].text = mem_string(u->mem, p->text, p->length);
    u->files.at[file].length = p->length;
  }
  if (p->length > TEXT_MOST) {
    problem_set(problem, "%.200s:1:1: the file has more than %d MB after preprocessing", p->name, TEXT_MOST >> 20);
    return NULL;
  }
  struct attempt whole;
  if (ATTEMPT(f, &whole)) {
    parse_unit(f, p->text, p->length);
    attempt_end(f, &whole);
    return u;
  }
  problem_at(problem, u, f->said_place, "%s", f->said);
  return NULL;
}

struct unit *front_parse(struct mem *m, const char *name, const char *text, size_t length, struct problem *problem) {
  struct preprocessed p = {name, text, length, NULL};
  return front_parse_text(unit_new(m), &p, true, problem);
}
