/* Reading an evidence file and re-validating what it says. See write.c for the format. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence.h"
#include "history/format.h"

struct reader {
  struct input *in;
  struct mem *mem;
  struct problem *why;
  char *line; /* the present one */
  size_t len;
};

static bool wrong(struct reader *r, const char *expected) {
  return input_problem(r->in, r->in->at, r->why, "expected %s", expected);
}

static bool next(struct reader *r, const char *expected) {
  r->line = input_line(r->in, &r->len);
  return r->line || wrong(r, expected);
}

/* "name rest": the rest, or NULL. */
static char *field(struct reader *r, const char *name) {
  size_t n = strlen(name);
  return r->len > n && !memcmp(r->line, name, n) && r->line[n] == ' ' ? r->line + n + 1 : NULL;
}

static bool number(char **s, uint32_t *out) {
  if (!isdigit((unsigned char)**s)) return false;
  unsigned long long x = strtoull(*s, s, 10);
  while (**s == ' ') (*s)++;
  *out = (uint32_t)x;
  return x <= UINT32_MAX;
}

/* A list of lines with one or two numbers each. */
static bool read_list(struct reader *r, const char *name, uint32_t **first, uint32_t **second, size_t *count) {
  char *s = field(r, name);
  uint32_t n;
  if (!s || !number(&s, &n)) return wrong(r, name);
  VEC(uint32_t) a = {0}, b = {0};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t x = 0, y = 0;
    if (!next(r, "a line for each of the list")) return false;
    s = r->line;
    if (!number(&s, &x) || (second && !number(&s, &y)) || *s) return wrong(r, second ? "two numbers" : "a number");
    vec_push(r->mem, &a, x);
    vec_push(r->mem, &b, y);
  }
  *first = a.at;
  if (second) *second = b.at;
  *count = n;
  return true;
}

static bool read_violation(struct reader *r, struct check_result *out) {
  char *s;
  if (!read_list(r, "core", &out->core, NULL, &out->core_count)) return false;
  if (!next(r, "free") || !read_list(r, "free", &out->freed, NULL, &out->freed_count)) return false;
  if (!next(r, "to")) return false;
  uint32_t forgets;
  if (!(s = field(r, "to")) || !number(&s, &out->core_to) || !number(&s, &forgets))
    return wrong(r, "'to', the event that ends it, and 0 or 1");
  out->core_forgets = forgets;
  if (!next(r, "start or history")) return false;
  if ((s = field(r, "start"))) {
    uint32_t n;
    if (!number(&s, &out->core_from) || !number(&s, &n)) return wrong(r, "an event and a number of states");
    for (uint32_t i = 0; i < n; i++)
      if (!next(r, "a state")) return false;
    out->start_count = n;
    if (!next(r, "history")) return false;
  }
  return true;
}

static bool in_range(const struct history *h, const uint32_t *list, size_t count, struct problem *why) {
  for (size_t i = 0; i < count; i++)
    if (list[i] >= h->ops.count)
      return problem_set(why, "the evidence names operation %u of %zu", list[i], h->ops.count), false;
  return true;
}

/* What another command left. */
static bool replay_other(struct reader *r, const struct evidence_of *of, enum verdict *verdict, struct text *said,
                         struct problem *why) {
  const char *command = field(r, "command");
  for (; of->command; of++)
    if (!strcmp(of->command, command)) return of->replay(r->mem, r->in, verdict, said, why);
  return wrong(r, "evidence of a command that is known");
}

/* From the line `verdict`, which has been read, on. */
static bool read_part(struct reader *r, struct history_evidence *e) {
  char *s;
  if (!(s = field(r, "verdict"))) return wrong(r, "'verdict linearizable' or 'verdict not linearizable'");
  e->holds = !strcmp(s, "linearizable");
  if (!e->holds && strcmp(s, "not linearizable")) return wrong(r, "'linearizable' or 'not linearizable'");
  if (!next(r, "spec") || !(s = field(r, "spec"))) return wrong(r, "'spec' and a specification");
  e->spec = mem_string(r->mem, s, strlen(s));
  if (!next(r, e->holds ? "order" : "core")) return false;
  struct check_result *c = &e->result;
  if (e->holds ? !read_list(r, "order", &c->order, &c->gap, &c->order_count) : !read_violation(r, c)) return false;
  if (e->holds && !next(r, "history")) return false;
  if (strcmp(r->line, "history")) return wrong(r, "'history'");
  e->history = history_read_input(r->in, &format_wing_gong, r->why);
  return e->history != NULL;
}

bool evidence_read(struct mem *m, struct input *in, struct history_evidence *e, struct problem *why) {
  struct reader r = {.in = in, .mem = m, .why = why};
  *e = (struct history_evidence){0};
  return next(&r, "verdict") && read_part(&r, e);
}

bool evidence_judge(struct mem *m, const struct history_evidence *e, struct spec *spec, enum verdict *verdict,
                    struct text *said, struct problem *why) {
  const struct check_result *result = &e->result;
  struct history *h = e->history;
  if (!spec_bind(spec, h, why)) return false;
  if (e->holds) {
    if (!evidence_check_order(m, h, spec, result->order, result->gap, result->order_count, why)) {
      *verdict = VERDICT_VIOLATED; /* the evidence is refuted */
      text_printf(said, "%s\n", why->text);
      return true;
    }
    *verdict = VERDICT_HOLDS;
    text_printf(said,
                "each of the %zu operations takes effect within its interval, and one after the other they do what the "
                "%s does\n",
                result->order_count, spec->name);
    return true;
  }
  if (!result->core_count) return problem_set(why, "an empty core proves nothing"), false;
  if (!in_range(h, result->core, result->core_count, why) || !in_range(h, result->freed, result->freed_count, why))
    return false;
  enum verdict found = evidence_check_core(m, h, spec, result, why);
  if (spec_user_fault(spec)) return problem_set(why, "%s", spec_user_fault(spec)), false;
  *verdict = found == VERDICT_VIOLATED ? VERDICT_HOLDS : found == VERDICT_HOLDS ? VERDICT_VIOLATED : VERDICT_UNKNOWN;
  if (found == VERDICT_VIOLATED)
    text_printf(said, "the %zu operations of the core have no legal order, whatever the others did\n",
                result->core_count);
  else
    text_printf(said, "%s\n", found == VERDICT_HOLDS ? why->text : "too large to tell by plain enumeration");
  return true;
}

static bool replay(struct reader *r, const char *path, const struct evidence_of *of, enum verdict *verdict,
                   struct text *said, struct problem *why) {
  struct history_evidence e = {0};
  struct spec spec;
  if (!next(r, "asif-evidence 1")) return false;
  if (strcmp(r->line, "asif-evidence 1")) return wrong(r, "'asif-evidence 1': this is not an evidence file");
  if (!next(r, "verdict")) return false;
  if (field(r, "command")) return replay_other(r, of, verdict, said, why);
  if (!read_part(r, &e) || !spec_load(e.spec, &spec, r->mem, why)) return false;
  text_printf(said, "%s: %s of %zu operations, %s\n", path, e.holds ? "a linearization" : "a violation",
              e.history->ops.count, spec.name);
  return evidence_judge(r->mem, &e, &spec, verdict, said, why);
}

bool evidence_replay(struct mem *m, const char *path, const struct evidence_of *of, enum verdict *verdict,
                     struct text *said, struct problem *why) {
  struct input in;
  struct reader r = {.in = &in, .mem = m, .why = why};
  if (!input_open(&in, m, path, why)) return false;
  return replay(&r, path, of, verdict, said, why);
}
