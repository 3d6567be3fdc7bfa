/* Reading an evidence file and re-validating what it says. See write.c for the format. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/evidence.h"
#include "history/format.h"

/* "7 " at *s, and blanks after it. */
static bool number_before(char **s, uint32_t *out) {
  uint64_t x;
  if (!number_at(s, UINT32_MAX, &x)) return false;
  while (**s == ' ') (*s)++;
  *out = (uint32_t)x;
  return true;
}

/* A list of lines with one or two numbers each. */
static bool read_list(struct evidence_lines *l, const char *name, uint32_t **first, uint32_t **second, size_t *count) {
  uint64_t n;
  if (!line_number(l, name, UINT32_MAX, &n)) return false;
  VEC(uint32_t) a = {0}, b = {0};
  for (uint64_t i = 0; i < n; i++) {
    uint32_t x = 0, y = 0;
    char *s;
    if (!line_any(l, "a line for each of the list", &s)) return false;
    if (!number_before(&s, &x) || (second && !number_before(&s, &y)) || *s)
      return line_unexpected(l, second ? "two numbers" : "a number");
    vec_push(l->mem, &a, x);
    if (second) vec_push(l->mem, &b, y);
  }
  assert(a.count == n && (!second || b.count == n));
  *first = a.at;
  if (second) *second = b.at;
  *count = n;
  return true;
}

static bool read_violation(struct evidence_lines *l, struct check_result *out) {
  char *s, *state;
  uint32_t forgets, n;
  if (!read_list(l, "core", &out->core, NULL, &out->core_count)) return false;
  if (!read_list(l, "free", &out->freed, NULL, &out->freed_count)) return false;
  if (!(s = line_take(l, "to")) || !number_before(&s, &out->core_to) || !number_before(&s, &forgets) || *s ||
      forgets > 1)
    return line_unexpected(l, "'to', the event that ends it, and 0 or 1");
  out->core_forgets = forgets;
  if (!(s = line_take(l, "start"))) return true;
  if (!number_before(&s, &out->core_from) || !number_before(&s, &n) || *s)
    return line_unexpected(l, "an event and a number of states");
  for (uint32_t i = 0; i < n; i++)
    if (!line_any(l, "a state", &state)) return false;
  out->start_count = n;
  return true;
}

bool evidence_read(struct evidence_lines *l, struct history_evidence *e) {
  const char *verdict;
  *e = (struct history_evidence){0};
  if (!line_text(l, "verdict", &verdict)) return false;
  e->holds = !strcmp(verdict, "linearizable");
  if (!e->holds && strcmp(verdict, "not linearizable"))
    return line_unexpected(l, "'verdict linearizable' or 'verdict not linearizable'");
  if (!evidence_read_spec(l, &e->spec)) return false;
  if (!e->spec.name) return line_unexpected(l, "'spec' and a specification");
  struct check_result *c = &e->result;
  if (e->holds ? !read_list(l, "order", &c->order, &c->gap, &c->order_count) : !read_violation(l, c)) return false;
  if (!line_exact(l, "history")) return false;
  assert(!l->line); /* the reader of histories takes over where this one is */
  e->history = history_read_rest(l->in, &format_wing_gong, l->why);
  return e->history != NULL;
}

static bool in_range(const struct history *h, const uint32_t *list, size_t count, struct problem *why) {
  for (size_t i = 0; i < count; i++)
    if (list[i] >= h->ops.count)
      return problem_set(why, "the evidence names operation %u of %zu", list[i], h->ops.count), false;
  return true;
}

static bool judge_order(struct replaying *r, const struct history_evidence *e, const struct spec *spec) {
  const struct check_result *c = &e->result;
  bool stands = evidence_check_order(r->mem, e->history, spec, c->order, c->gap, c->order_count, r->why);
  const char *fault = spec_user_fault(spec);
  if (fault) return problem_set(r->why, "%s", fault), false;
  r->verdict = stands ? VERDICT_HOLDS : VERDICT_VIOLATED;
  if (stands)
    text_printf(&r->said,
                "each of the %zu operations takes effect within its interval, and one after the other they do what the "
                "%s does\n",
                c->order_count, spec->name);
  else
    text_printf(&r->said, "%s\n", r->why->text);
  return true;
}

static bool judge_core(struct replaying *r, const struct history_evidence *e, const struct spec *spec) {
  const struct check_result *c = &e->result;
  if (!c->core_count) return problem_set(r->why, "an empty core proves nothing"), false;
  if (!in_range(e->history, c->core, c->core_count, r->why) || !in_range(e->history, c->freed, c->freed_count, r->why))
    return false;
  enum verdict found = evidence_check_core(r->mem, e->history, spec, c, r->why);
  const char *fault = spec_user_fault(spec);
  if (fault) return problem_set(r->why, "%s", fault), false;
  if (found == VERDICT_UNKNOWN) return replay_unknown(r, "too large to tell by plain enumeration");
  r->verdict = found == VERDICT_VIOLATED ? VERDICT_HOLDS : VERDICT_VIOLATED;
  if (found == VERDICT_VIOLATED)
    text_printf(&r->said, "the %zu operations of the core have no legal order, whatever the others did\n",
                c->core_count);
  else
    text_printf(&r->said, "%s\n", r->why->text);
  return true;
}

bool evidence_judge(struct replaying *r, const struct history_evidence *e, struct spec *spec) {
  assert(e->history && spec);
  if (!spec_bind(spec, e->history, r->why)) return false;
  return e->holds ? judge_order(r, e, spec) : judge_core(r, e, spec);
}

/* What another command left. */
static bool replay_other(struct replaying *r, struct evidence_lines *l, const char *command,
                         const struct evidence_of *of) {
  for (; of->command; of++)
    if (!strcmp(of->command, command)) return of->replay(r, l);
  return line_unexpected(l, "evidence of a command that is known");
}

static bool replay(struct replaying *r, struct evidence_lines *l, const struct evidence_of *of) {
  struct history_evidence e = {0};
  struct spec *spec;
  const char *command;
  if (!line_is(l, "asif-evidence 1")) return line_unexpected(l, "'asif-evidence 1': this is not an evidence file");
  if ((command = line_take(l, "command"))) return replay_other(r, l, command, of);
  if (!evidence_read(l, &e)) return false;
  text_printf(&r->said, "%s: %s of %zu operations, %s\n", l->in->name, e.holds ? "a linearization" : "a violation",
              e.history->ops.count, e.spec.name);
  if (!replay_spec(r, &e.spec, &spec)) return false;
  if (!spec) return true;
  bool good = evidence_judge(r, &e, spec);
  spec_user_close(spec);
  return good;
}

bool evidence_replay(struct replaying *r, const char *path, const struct evidence_of *of) {
  struct input in;
  struct evidence_lines l;
  r->verdict = VERDICT_UNKNOWN;
  r->unknown = NULL;
  if (!input_open(&in, r->mem, path, r->why)) return false;
  evidence_lines_open(&l, r->mem, &in, r->why);
  bool good = replay(r, &l, of);
  input_close(&in);
  return good;
}
