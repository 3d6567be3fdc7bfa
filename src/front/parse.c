/* Preprocessed text -> unit: lexing, parsing with typing, and what can be said only at the end of the file. */
#include "front/front.h"

/* What is used must be in the file. */
static void check_uses(struct front *f) {
  for (size_t i = 0; i < f->uses.count; i++) {
    const struct use *use = &f->uses.at[i];
    const struct decl *d = use->decl;
    if (d->kind == DECL_FUNCTION && !d->defined)
      front_fail(f, use->place, "%s has no body in this file: #include the one that has it", d->name);
    if (d->kind == DECL_VARIABLE && !d->defined)
      front_fail(f, use->place, "%s is only declared extern, not defined in this file", d->name);
  }
}

static void parse_unit(struct front *f, const char *text, size_t length) {
  lex(f, text, length);
  while (parse_token(f)->kind != TOKEN_END) {
    parse_external(f);
    mem_poll(f->mem);
  }
  check_uses(f);
  harness_finish(f);
}

struct unit *front_parse_text(struct mem *m, const char *name, const char *text, size_t length, const char *model,
                              struct problem *problem) {
  struct front *f = mem_zero(m, 1, sizeof *f);
  struct unit *u = mem_zero(m, 1, sizeof *u);
  u->mem = m;
  u->harness.bound = -1;
  f->unit = u;
  f->mem = m;
  f->problem = problem;
  f->model = model;
  f->read_sources = model != NULL;
  f->headers = 1u << HEADER_ALWAYS;
  source_add(f, name, strlen(name));
  if (!model) {
    u->files.at[0].text = mem_string(m, text, length);
    u->files.at[0].length = length;
  }
  if (length > TEXT_MOST) {
    problem_set(problem, "%.200s:1:1: the file has more than %d MB after preprocessing", name, TEXT_MOST >> 20);
    return NULL;
  }
  if (setjmp(f->failed)) return NULL;
  parse_unit(f, text, length);
  return u;
}

struct unit *front_parse(struct mem *m, const char *name, const char *text, size_t length, struct problem *problem) {
  return front_parse_text(m, name, text, length, NULL, problem);
}
