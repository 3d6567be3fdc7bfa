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
 *   points found                  or marked; of memory safety, none; new: what is taken out is what the step writes;
 *                                 in-range: arguments lie where ASIF_IN says, else they are any of their types
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
    text_printf(&t, " %s %s %" PRIu32 " %u %d %" PRId64 "..%" PRId64, program->ops[op].name, program->ops[op].function,
                program->ops[op].entry, program->ops[op].params, program->ops[op].result, program->ops[op].low[0],
                program->ops[op].high[0]);
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
  evidence_put_spec(t, o->spec ? o->spec : d->spec.name);
  text_printf(t, "level %s\nrecursion %u\ndigest %016" PRIx64 "\n", level_names[d->level], o->recursion,
              digest_program(m, d->program));
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
  text_printf(&t, "points %s%s%s\nnumbers",
              p->marked              ? "marked"
              : d->level == LEVEL_MS ? "none"
                                     : "found",
              p->takes_new ? " new" : "", p->ranged ? " in-range" : "");
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
  struct replaying *replaying;
  struct mem *mem;
  const char *verdict;
  uint64_t digest;
  struct spec_named spec;
  struct prove_options options;
  evidence_list arguments;
  struct proved proved;
  struct certificate certificate;
  bool refuted;
};

static bool read_asked(struct evidence_lines *l, struct evidence *e) {
  const char *level;
  struct prove_options *o = &e->options;
  uint64_t recursion;
  if (!line_text(l, "verdict", &e->verdict) || !line_text(l, "source", &o->path)) return false;
  for (char *s; (s = line_take(l, "argument"));) vec_push(e->mem, &e->arguments, s);
  vec_push(e->mem, &e->arguments, NULL);
  o->cc_args = e->arguments.at;
  if (!evidence_read_spec(l, &e->spec)) return false;
  if (!e->spec.name) return line_unexpected(l, "spec");
  o->spec = e->spec.name;
  if (!line_text(l, "level", &level)) return false;
  unsigned n = 0;
  while (n < LEVEL_FULL && strcmp(level_names[n], level)) n++;
  if (strcmp(level_names[n], level)) return line_unexpected(l, "level ms, nu or full");
  o->level = (enum prove_level)n;
  if (strcmp(e->verdict, claims[n])) {
    char expected[100];
    snprintf(expected, sizeof expected, "the verdict '%s', which is what level %s proves", claims[n], level);
    return line_unexpected(l, expected);
  }
  if (!line_number(l, "recursion", 1000, &recursion) || !line_hash(l, "digest", &e->digest)) return false;
  o->recursion = (unsigned)recursion;
  return true;
}

/* A number of the program's, with its sign, at *s. */
static bool signed_at(char **s, int64_t *out) {
  uint64_t n;
  bool minus = **s == '-';
  *s += minus;
  if (!number_at(s, (uint64_t)INT64_MAX + minus, &n)) return false;
  *out = minus ? (int64_t)(0 - n) : (int64_t)n;
  return true;
}

/* The word after the first, which is cut off; NULL: there is none. */
static char *next_word(char *words) {
  char *blank = strchr(words, ' ');
  if (!blank) return NULL;
  *blank = 0;
  return blank + 1;
}

static bool read_points(struct evidence_lines *l, struct evidence *e) {
  struct prover *p = e->proved.prover;
  char *points = line_take(l, "points"), *numbers;
  if (!points) return line_unexpected(l, "points");
  for (char *more = next_word(points), *after; more; more = after) {
    after = next_word(more);
    if (!strcmp(more, "new")) /* of what may be taken out (object.c) */
      p->takes_new = true;
    else if (!strcmp(more, "in-range"))
      p->ranged = true;
    else
      return line_unexpected(l, "points marked, found or none, and then new or in-range");
  }
  const char *expected = e->options.level == LEVEL_MS ? "none" : "found";
  p->marked = e->options.level != LEVEL_MS && !strcmp(points, "marked");
  if (!p->marked && strcmp(points, expected))
    return line_unexpected(l, "points marked, found or none, as the level is");
  p->helping = p->marked && marks_helping(p);
  if (p->marked && !e->proved.program->has_points)
    return line_unexpected(l, "other points: none are marked in the source");
  if (line_is(l, "numbers")) return true;
  if (!(numbers = line_take(l, "numbers"))) return line_unexpected(l, "numbers");
  for (;; numbers++) {
    int64_t n;
    if (!signed_at(&numbers, &n)) return line_unexpected(l, "numbers");
    number(p, n);
    if (!*numbers) break;
    if (*numbers != ' ') return line_unexpected(l, "numbers");
  }
  return !p->failed || line_unexpected(l, "fewer numbers");
}

static bool read_point(struct evidence_lines *l, struct evidence *e, char *s) {
  uint64_t pc;
  if (!number_at(&s, e->proved.program->code_count - 1, &pc) || !pc || *s != ' ')
    return line_unexpected(l, "the number of an instruction");
  e->proved.prover->point[pc] = 1;
  return true;
}

/* A line that is no view of this program at all refutes the proof as much as one that does not follow. */
static void read_view(struct evidence *e, const char *what, const char *s) {
  struct view v;
  if (!get_view(e->proved.prover, s, &v)) {
    text_printf(&e->replaying->said, "the proof does not stand: this is no %s of the program:\n  %s\n", what, s);
    e->refuted = true;
  } else if (*what == 'v') {
    vec_push(e->mem, &e->certificate.views, v);
  } else {
    vec_push(e->mem, &e->certificate.actions, v);
  }
}

static bool read_proof(struct evidence_lines *l, struct evidence *e) {
  char *s;
  while (!e->refuted) {
    if (line_is(l, "end")) return input_whole(l->in, l->why);
    if (line_take(l, "step")) continue;
    if ((s = line_take(l, "point"))) {
      if (!read_point(l, e, s)) return false;
    } else if ((s = line_take(l, "action"))) {
      read_view(e, "action", s);
    } else if ((s = line_take(l, "view"))) {
      read_view(e, "view", s);
    } else {
      return line_unexpected(l, "point, step, action, view or end");
    }
  }
  return true;
}

static void say_checked(struct evidence *e) {
  const struct prover *p = e->proved.prover;
  text_printf(&e->replaying->said,
              "%zu views, %zu actions: the start is among them, %" PRIu64 " steps and calls and %" PRIu64
              " steps of others lead to others of them and fail nothing\n",
              e->certificate.views.count, e->certificate.actions.count, p->steps, p->compositions);
}

/* Reads the source, by a compiler only if that may be run. False: the verdict is unknown, or there is a problem. */
static bool read_again(struct evidence *e) {
  struct replaying *r = e->replaying;
  if (!replay_spec_may_load(r, &e->spec)) return false;
  if (e->spec.file && !replay_arguments_trusted(r, e->options.cc_args)) return false;
  if (e->spec.file) r->show(r);
  e->options.only_read = !e->spec.file;
  if (prove_open(e->mem, &e->options, &e->proved, r->why)) return true;
  if (r->why->kind != PROBLEM_UNSUPPORTED) return false;
  text_printf(&r->said, "%s\n", r->why->text);
  if (!r->run) return replay_unknown(r, "a compiler has to preprocess the source (--run)"), false;
  if (!replay_arguments_trusted(r, e->options.cc_args)) return false;
  r->show(r);
  e->options.only_read = false;
  return prove_open(e->mem, &e->options, &e->proved, r->why);
}

bool prove_evidence_replay(struct replaying *r, struct evidence_lines *l) {
  struct evidence *e = mem_zero(r->mem, 1, sizeof *e);
  e->replaying = r;
  e->mem = r->mem;
  if (!read_asked(l, e)) return false;
  text_printf(&r->said, "%s: prove %s, %s\n", l->in->name, e->options.path, e->verdict);
  if (r->run) {
    char *const source[] = {(char *)e->options.path, NULL};
    replay_tell_code(r, &(struct code_named){source, e->arguments.at, e->spec.name, NULL});
  }
  if (!read_again(e)) return r->unknown != NULL;
  r->verdict = VERDICT_VIOLATED;
  if (digest_program(e->mem, e->proved.program) != e->digest) {
    text_printf(&r->said,
                "the proof does not stand: %s, or what it includes, has changed since, so that it is the proof of "
                "another program\n",
                e->options.path);
    return true;
  }
  if (!prover_open(e->proved.prover, e->mem, e->proved.program, e->options.path, r->why) ||
      !read_given(e->proved.prover, e->proved.unit, r->why) || !read_points(l, e) || !read_proof(l, e))
    return false;
  if (e->refuted || !certify(e->proved.prover, &e->certificate, &r->said)) return true;
  say_checked(e);
  r->verdict = VERDICT_HOLDS;
  return true;
}
