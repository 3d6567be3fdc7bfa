/* Evidence of `asif prove`: what was asked, and the proof.
 *
 *   asif-evidence 1
 *   command prove
 *   verdict linearizable          or memory safe, linearizable at level nu
 *   source objects/ms_queue.c
 *   argument -DSIZE=2             for the preprocessor, a line each
 *   spec queue
 *   level full
 *   recursion 8
 *   digest 0123456789abcdef       of the program that the source becomes
 *   points found                  or marked; of memory safety, none
 *   numbers -2147483648 1         the numbers that views speak of, in the order in which views sort them
 *   point 17 enq FILE:LINE:COL: cas t->next     instructions at which operations linearize
 *   step 12 enq FILE:LINE:COL: load tail        instructions at which views stand, for the reader
 *   action 17 0 | ...             what other threads may do, and what a thread may know: view_text.c
 *   view 0 0 | ...
 *   end
 *
 * Replaying reads the source again and checks every condition once (certify.c). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "evidence/evidence.h"
#include "prove/evidence.h"
#include "prove/prover.h"

static const char *const level_names[] = {[LEVEL_MS] = "ms", [LEVEL_NU] = "nu", [LEVEL_FULL] = "full"};
static const char *const claims[] = {
    [LEVEL_MS] = "memory safe", [LEVEL_NU] = "linearizable at level nu", [LEVEL_FULL] = "linearizable"};

/* Of everything that moves depend on, and where it stands in the source. */
static uint64_t digest_program(struct mem *m, const struct program *program) {
  struct text t;
  text_open(&t, m);
  program_print(program, &t);
  for (uint32_t l = 0; l < program->layout_count; l++) {
    text_printf(&t, "layout %s", program->layouts[l].name);
    for (uint32_t c = 0; c < program->layouts[l].count; c++) {
      const struct scalar *s = &program->layouts[l].cells[c].scalar;
      text_printf(&t, " %s %u%d%d%d%d", program->layouts[l].cells[c].name, s->bits, s->is_signed, s->pointer,
                  s->holds_pointer, s->mutex);
    }
  }
  for (uint32_t g = 0; g < program->global_count; g++)
    for (uint32_t c = 0; c < program->layouts[program->globals[g].layout].count; c++)
      text_printf(&t, " %" PRIu32 "=%" PRId64, g, program->globals[g].init ? program->globals[g].init[c] : 0);
  for (uint32_t op = 0; op < program->op_count; op++)
    text_printf(&t, " %s %s %" PRIu32 " %u %d", program->ops[op].name, program->ops[op].function,
                program->ops[op].entry, program->ops[op].params, program->ops[op].result);
  for (uint32_t pc = 1; pc < program->code_count; pc++) {
    const struct inst *i = &program->code[pc];
    text_printf(&t, " %u %u %u %u %d %u %u %u %u %u %" PRId64, i->code, i->op, i->flags, i->scalar.bits,
                i->scalar.is_signed, i->d, i->a, i->b, i->c, i->count, i->imm);
  }
  uint64_t h = hash_bytes(text_string(&t), t.count);
  vec_free(m, &t);
  return h;
}

/* Writing. */

static uint32_t op_at(const struct program *program, uint32_t pc) {
  uint32_t op = 0;
  while (op + 1 < program->op_count && program->ops[op + 1].entry <= pc) op++;
  return op;
}

static void put_step(const struct proved *d, const char *what, uint32_t pc, struct text *t) {
  const struct program_op *op = &d->program->ops[op_at(d->program, pc)];
  text_printf(t, "%s %" PRIu32 " %s ", what, pc, op->function);
  place_print(d->unit, d->program->code[pc].place, t);
  text_add(t, ": ");
  inst_print(d->program, op, &d->program->code[pc], t);
  text_char(t, '\n');
}

static void put_asked(struct mem *m, const struct prove_options *o, const struct proved *d, struct text *t) {
  text_printf(t, "asif-evidence 1\ncommand prove\nverdict %s\nsource %s\n", claims[d->level], o->path);
  for (char *const *a = o->cc_args; a && *a; a++) text_printf(t, "argument %s\n", *a);
  text_printf(t, "spec %s\nlevel %s\nrecursion %u\ndigest %016" PRIx64 "\n", o->spec ? o->spec : d->spec.name,
              level_names[d->level], o->recursion, digest_program(m, d->program));
}

static void put_steps(struct mem *m, const struct proved *d, struct text *t) {
  const struct prover *p = d->prover;
  bool *stands = mem_zero(m, d->program->code_count, sizeof *stands);
  for (size_t e = 1; e < p->entries.count; e++) stands[p->entries.at[e].view.pc] = true;
  for (uint32_t pc = 1; pc < d->program->code_count; pc++)
    if (p->point[pc]) put_step(d, "point", pc, t);
  for (uint32_t pc = 1; pc < d->program->code_count; pc++)
    if (stands[pc]) put_step(d, "step", pc, t);
}

static bool flush(struct text *t, struct output *out) {
  bool good = output_write(out, text_string(t), t->count);
  text_clear(t);
  return good;
}

struct whole {
  const struct prove_options *options;
  const struct proved *proved;
};

static bool write_all(struct mem *m, struct output *out, const void *self, struct problem *why) {
  const struct prove_options *o = ((const struct whole *)self)->options;
  const struct proved *d = ((const struct whole *)self)->proved;
  (void)why; /* output_write says what is wrong */
  const struct prover *p = d->prover;
  struct text t;
  bool good = true;
  text_open(&t, m);
  put_asked(m, o, d, &t);
  text_printf(&t, "points %s%s\nnumbers",
              p->marked              ? "marked"
              : d->level == LEVEL_MS ? "none"
                                     : "found",
              p->takes_new ? " new" : "");
  for (unsigned i = 0; i < p->constants; i++) text_printf(&t, " %" PRId64, p->constant[i]);
  text_char(&t, '\n');
  put_steps(m, d, &t);
  for (size_t i = 0; i < p->actions.count; i++) {
    text_add(&t, "action ");
    put_view(p, &p->actions.at[i], &t);
    text_char(&t, '\n');
  }
  for (size_t e = 1; good && e < p->entries.count; e++) {
    text_add(&t, "view ");
    put_view(p, &p->entries.at[e].view, &t);
    text_char(&t, '\n');
    good = t.count < 1 << 16 || flush(&t, out);
  }
  text_add(&t, "end\n");
  return good && flush(&t, out);
}

bool prove_evidence_write(const char *path, const struct prove_options *o, const struct proved *d,
                          struct problem *why) {
  return output_whole(path, write_all, &(struct whole){o, d}, why);
}

/* Reading. */

struct evidence {
  struct mem *mem;
  struct input *in;
  struct problem *why;
  char *line;
  size_t len;
  const char *verdict;
  uint64_t digest;
  struct prove_options options;
  VEC(char *) arguments;
  struct proved proved;
  struct certificate certificate;
  struct text *said;
  bool refuted;
};

static bool unexpected(struct evidence *e, const char *expected) {
  return input_problem(e->in, e->in->at, e->why, "expected %s", expected);
}

static bool next(struct evidence *e, const char *expected) {
  e->line = input_line(e->in, &e->len);
  return e->line || unexpected(e, expected);
}

/* "name rest": the rest, or NULL. */
static char *field(const struct evidence *e, const char *name) {
  size_t n = strlen(name);
  return e->len > n && !memcmp(e->line, name, n) && e->line[n] == ' ' ? e->line + n + 1 : NULL;
}

static bool read_text(struct evidence *e, const char *name, const char **out) {
  char *s;
  if (!next(e, name) || !(s = field(e, name))) return unexpected(e, name);
  *out = mem_string(e->mem, s, strlen(s));
  return true;
}

/* What the preprocessor is told comes from a file: nothing that could run a program. */
static bool harmless(const char *argument) { return argument[0] == '-' && argument[1] && strchr("DIU", argument[1]); }

static bool read_arguments(struct evidence *e) {
  char *s;
  for (;;) {
    if (!next(e, "argument or spec")) return false;
    if (!(s = field(e, "argument"))) break;
    if (!harmless(s))
      return input_problem(e->in, e->in->at, e->why, "of compiler arguments only -D, -I and -U are replayed, not %s",
                           s);
    vec_push(e->mem, &e->arguments, mem_string(e->mem, s, strlen(s)));
  }
  vec_push(e->mem, &e->arguments, NULL);
  e->options.cc_args = e->arguments.at;
  if (!(s = field(e, "spec"))) return unexpected(e, "spec");
  e->options.spec = mem_string(e->mem, s, strlen(s));
  return true;
}

static bool read_asked(struct evidence *e) {
  const char *level, *recursion, *digest;
  struct prove_options *o = &e->options;
  if (!read_text(e, "verdict", &e->verdict) || !read_text(e, "source", &o->path) || !read_arguments(e)) return false;
  if (!read_text(e, "level", &level) || !read_text(e, "recursion", &recursion) || !read_text(e, "digest", &digest))
    return false;
  unsigned l = 0;
  while (l < LEVEL_FULL && strcmp(level_names[l], level)) l++;
  if (strcmp(level_names[l], level)) return unexpected(e, "level ms, nu or full");
  o->level = (enum prove_level)l;
  if (strcmp(e->verdict, claims[l]))
    return input_problem(e->in, e->in->at, e->why, "at level %s what is proved is '%s', not '%s'", level, claims[l],
                         e->verdict);
  o->recursion = (unsigned)strtoul(recursion, NULL, 10);
  e->digest = strtoull(digest, NULL, 16);
  return true;
}

static bool read_points(struct evidence *e) {
  struct prover *p = e->proved.prover;
  const char *points, *numbers = "";
  if (!read_text(e, "points", &points)) return false;
  char *new = strstr(points, " new"); /* of what may be taken out (object.c) */
  if (new) *new = 0, p->takes_new = true;
  const char *expected = e->options.level == LEVEL_MS ? "none" : "found";
  p->marked = e->options.level != LEVEL_MS && !strcmp(points, "marked");
  if (!p->marked && strcmp(points, expected)) return unexpected(e, "points marked, found or none, as the level is");
  p->helping = p->marked && marks_helping(p);
  if (p->marked && !e->proved.program->has_points)
    return input_problem(e->in, e->in->at, e->why, "no linearization points are marked in the source");
  if (!next(e, "numbers") || (strcmp(e->line, "numbers") && !(numbers = field(e, "numbers"))))
    return unexpected(e, "numbers");
  for (char *end; *numbers; numbers = end) {
    int64_t n = strtoll(numbers, &end, 10);
    if (end == numbers) return unexpected(e, "numbers");
    number(p, n);
  }
  return !p->failed || unexpected(e, "fewer numbers");
}

static bool read_point(struct evidence *e, const char *s) {
  char *end;
  unsigned long pc = strtoul(s, &end, 10);
  if (end == s || !pc || pc >= e->proved.program->code_count) return unexpected(e, "the number of an instruction");
  e->proved.prover->point[pc] = 1;
  return true;
}

/* A line that is no view of this program at all refutes the proof as much as one that does not follow. */
static bool read_view(struct evidence *e, const char *what, const char *s) {
  struct view v;
  if (!get_view(e->proved.prover, s, &v)) {
    text_printf(e->said, "the proof does not stand: this is no %s of the program:\n  %s\n", what, s);
    e->refuted = true;
    return true;
  }
  if (*what == 'v')
    vec_push(e->mem, &e->certificate.views, v);
  else
    vec_push(e->mem, &e->certificate.actions, v);
  return true;
}

static bool read_proof(struct evidence *e) {
  const char *s;
  for (;;) {
    if (!next(e, "point, step, action, view or end")) return false;
    if (!strcmp(e->line, "end")) return input_whole(e->in, e->why);
    if ((s = field(e, "step"))) continue;
    bool good = (s = field(e, "point"))    ? read_point(e, s)
                : (s = field(e, "action")) ? read_view(e, "action", s)
                : (s = field(e, "view"))   ? read_view(e, "view", s)
                                           : unexpected(e, "point, step, action, view or end");
    if (!good || e->refuted) return good;
  }
}

static void say_checked(struct evidence *e) {
  const struct prover *p = e->proved.prover;
  text_printf(e->said,
              "%zu views, %zu actions: the start is among them, %" PRIu64 " steps and calls and %" PRIu64
              " steps of others lead to others of them and fail nothing\n",
              e->certificate.views.count, e->certificate.actions.count, p->steps, p->compositions);
}

bool prove_evidence_replay(struct mem *m, struct input *in, enum verdict *verdict, struct text *said,
                           struct problem *why) {
  struct evidence *e = mem_zero(m, 1, sizeof *e);
  e->mem = m;
  e->in = in;
  e->why = why;
  e->said = said;
  if (!read_asked(e) || !prove_open(m, &e->options, &e->proved, why)) return false;
  text_printf(said, "%s: prove %s, %s\n", in->name, e->options.path, e->verdict);
  *verdict = VERDICT_VIOLATED;
  if (digest_program(m, e->proved.program) != e->digest) {
    text_printf(said,
                "the proof does not stand: %s, or what it includes, has changed since, so that it is the proof of "
                "another program\n",
                e->options.path);
    return true;
  }
  if (!prover_open(e->proved.prover, m, e->proved.program, e->options.path, why) ||
      !read_given(e->proved.prover, e->proved.unit, why) || !read_points(e) || !read_proof(e))
    return false;
  if (e->refuted || !certify(e->proved.prover, &e->certificate, said)) return true;
  say_checked(e);
  *verdict = VERDICT_HOLDS;
  return true;
}
