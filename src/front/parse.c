/* Preprocessed text -> unit: lexing, parsing with typing, and what can be said only at the end of the file. */
#include "front/front.h"

/* A declaration at file scope. One that is outside is left out; one that is wrong is, in the system's headers. */
static void parse_attempted(struct front *f) {
  struct attempt a;
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
  source_add(f, name, strlen(name), false);
  if (!model) {
    u->files.at[0].text = mem_string(m, text, length);
    u->files.at[0].length = length;
  }
  if (length > TEXT_MOST) {
    problem_set(problem, "%.200s:1:1: the file has more than %d MB after preprocessing", name, TEXT_MOST >> 20);
    return NULL;
  }
  struct attempt whole;
  if (ATTEMPT(f, &whole)) {
    parse_unit(f, text, length);
    attempt_end(f, &whole);
    return u;
  }
  problem_at(problem, u, f->said_place, "%s", f->said);
  return NULL;
}

struct unit *front_parse(struct mem *m, const char *name, const char *text, size_t length, struct problem *problem) {
  return front_parse_text(m, name, text, length, NULL, problem);
}
