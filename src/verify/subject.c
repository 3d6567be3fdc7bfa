/* Reading an object: its operations bound to the specification's, its threads to what they may call. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "front/conflicts.h"
#include "verify/terms.h"
#include "harness/effects.h"
#include "spec/c_values.h"
#include "verify/verify.h"

static value number_value(const struct subject *s, word w) {
  static pthread_mutex_t lock =
      PTHREAD_MUTEX_INITIALIZER; /* large numbers are kept in the table of values, which workers share */
  if (w >= VALUE_SMALL_MIN && w <= VALUE_SMALL_MAX) return value_of_small((int32_t)w);
  pthread_mutex_lock(&lock);
  value v = value_int(s->values, w);
  pthread_mutex_unlock(&lock);
  return v;
}

static value add_number(void *self, int64_t n) { return number_value(self, n); }

static_assert((int)RESULT_OF_VOID == C_VOID && (int)RESULT_OF_BOOL == C_BOOL && (int)RESULT_OF_INT == C_NUMBER,
              "the front end's types of results are those of the conversion");

value result_of(const struct subject *s, const struct spec_op *op, enum result_of type, word w) {
  value v;
  int64_t n = w;
  return c_result(op->result, (enum c_type)type, s->data, &n, &v) ? v : number_value(s, n);
}

value result_value(const struct subject *s, const struct program_op *op, word w) {
  return result_of(s, &s->spec.ops[s->spec_op[op - s->program->ops]], op->result, w);
}

static value machine_value(void *self, const struct program_op *op, word w) { return result_value(self, op, w); }

/* Where there is no harness: functions that carry the names of the specification's operations. */
static void find_ops(struct subject *s) {
  struct unit *u = s->unit;
  for (size_t i = 0; i < u->decls.count; i++) {
    struct decl *d = u->decls.at[i];
    if (d->kind != DECL_FUNCTION || !d->body) continue;
    int op = spec_op_find(&s->spec, d->name, strlen(d->name));
    if (op < 0) continue;
    struct harness_op h = {.name = d->name, .function = d, .place = d->place};
    for (int a = 0; a < 3; a++) h.low[a] = 1, h.high[a] = 2;
    vec_push(s->mem, &u->harness.ops, h);
  }
}

/* Where operations are known by their names alone, no two can have the same. */
static bool names_differ(struct subject *s, struct problem *why) {
  for (uint32_t i = 0; i < s->program->op_count; i++)
    for (uint32_t k = 0; k < i; k++) {
      if (strcmp(s->program->ops[i].name, s->program->ops[k].name)) continue;
      problem_at(why, s->unit, s->program->ops[i].place,
                 "a second operation called %s; against %s each needs a name of its own", s->program->ops[i].name,
                 s->options->against ? "another object" : "itself");
      return false;
    }
  return true;
}

/* A specification in C names an operation after the function that specifies it first: here it is the object's that is
 * spoken of. */
static void name_first(struct subject *s, unsigned found, const char *name) {
  struct spec_op *ops = mem_alloc(s->mem, s->spec.op_count * sizeof *ops);
  struct text names;
  text_open(&names, s->mem);
  text_printf(&names, "%s %s", name, s->spec.ops[found].names);
  memcpy(ops, s->spec.ops, s->spec.op_count * sizeof *ops);
  ops[found].names = names.at;
  s->spec.ops = ops;
}

/* An operation of the program and its counterpart. */
static bool bind_op(struct subject *s, uint32_t i, struct problem *why) {
  const struct program_op *op = &s->program->ops[i];
  int found = spec_op_find(&s->spec, op->name, strlen(op->name));
  if (found < 0) {
    struct text names;
    text_open(&names, s->mem);
    spec_list_ops(&s->spec, &names);
    problem_at(why, s->unit, op->place, "%s is no operation of %s, which has %s", op->name, s->spec.name,
               text_string(&names));
    return false;
  }
  const struct spec_op *spec_op = &s->spec.ops[found];
  if (op->params < spec_op->args || op->params > spec_op->args_most) {
    problem_at(why, s->unit, op->place, "%s takes %u argument%s, but %s of %s takes %u", op->function, op->params,
               op->params == 1 ? "" : "s", op->name, s->spec.name, spec_op->args);
    return false;
  }
  const char *misfit = c_misfit(spec_op->result, (enum c_type)op->result);
  if (misfit) {
    problem_at(why, s->unit, op->place, "%s returns %s, but %s of %s returns %s", op->function, misfit, op->name,
               s->spec.name, spec_result_word(spec_op->result));
    return false;
  }
  s->spec_op[i] = found;
  if (s->own || s->spec.source) name_first(s, (unsigned)found, op->name);
  c_result_is(s->mem, &s->spec, (unsigned)found, (enum c_type)op->result);
  return true;
}

/* The calls of one operation: every argument of its range. */
static bool add_calls(struct subject *s, uint32_t i, struct client_call **calls, unsigned *count, struct problem *why) {
  const struct program_op *op = &s->program->ops[i];
  struct client_call call = {.op = (uint16_t)i};
  for (unsigned a = 0; a < op->params; a++) {
    if (op->low[a] < WORD_LEAST || op->high[a] > WORD_MOST) {
      problem_at(why, s->unit, op->place, "arguments of %s beyond what verify models: numbers of at most 61 bits",
                 op->function);
      return false;
    }
    const char *clash;
    if (c_clash(&s->spec, op->low[a], op->high[a], &clash)) {
      problem_at(why, s->unit, op->place, "ASIF_IN(%lld, %lld) has %s, which is not a number", (long long)op->low[a],
                 (long long)op->high[a], clash);
      return false;
    }
    call.args[a] = op->low[a];
  }
  for (;;) {
    struct op o = {.method = (uint16_t)s->spec_op[i], .result = V_UNKNOWN, .ret = NO_RETURN};
    for (unsigned a = 0; a < OP_ARGS; a++) o.arg[a] = a < op->params ? number_value(s, call.args[a]) : V_NONE;
    call.number = specset_call(s->sets, &o);
    if (*count % 16 == 0) *calls = mem_resize(s->mem, *calls, (*count + 16) * sizeof **calls);
    (*calls)[(*count)++] = call;
    if (*count > 4096) {
      problem_at(why, s->unit, op->place, "more than 4096 different calls: make the ranges of the arguments smaller");
      return false;
    }
    unsigned a = 0;
    while (a < op->params && call.args[a] == op->high[a]) call.args[a] = op->low[a], a++;
    if (a == op->params) return true;
    call.args[a]++;
  }
}

static bool calls_of(struct subject *s, const struct harness_role *role, struct client_thread *out,
                     struct problem *why) {
  struct client_call *calls = NULL;
  unsigned count = 0;
  for (uint32_t i = 0; i < s->program->op_count; i++) {
    bool in = !role;
    for (uint32_t k = 0; role && k < role->op_count; k++) in |= role->ops[k] == s->unit->harness.ops.at[i].function;
    if (in && !add_calls(s, i, &calls, &count, why)) return false;
  }
  out->calls = calls;
  out->call_count = count;
  return true;
}

/* Which thread does what. Roles take their threads in order; ASIF_REST takes what is left. */
static bool make_client(struct subject *s, struct problem *why) {
  const struct harness *h = &s->unit->harness;
  s->client = mem_zero(s->mem, s->threads, sizeof *s->client);
  s->groups = h->roles.count ? (unsigned)h->roles.count : 1;
  s->group_names = mem_zero(s->mem, s->groups, sizeof *s->group_names);
  unsigned fixed = 0, at = 0, rest = 0;
  for (size_t i = 0; i < h->roles.count; i++) {
    fixed += h->roles.at[i].count > 0 ? (unsigned)h->roles.at[i].count : 0;
    rest += h->roles.at[i].count < 0;
  }
  if (h->roles.count && (fixed > s->threads || (!rest && fixed < s->threads))) {
    problem_at(why, s->unit, h->roles.at[0].place, "the roles are for %s%u threads, but there are %u: --threads %u",
               rest ? "at least " : "", fixed, s->threads, fixed + rest);
    return false;
  }
  for (size_t i = 0; i < s->groups; i++) {
    const struct harness_role *role = h->roles.count ? &h->roles.at[i] : NULL;
    struct client_thread c = {.group = (uint8_t)i};
    unsigned n = !role ? s->threads : role->count >= 0 ? (unsigned)role->count : s->threads - fixed;
    s->group_names[i] = role ? role->name : "";
    if (!calls_of(s, role, &c, why)) return false;
    if (!c.call_count) {
      problem_at(why, s->unit, role->place, "the role %s calls no operation", role->name);
      return false;
    }
    while (n--) s->client[at++] = c;
  }
  return true;
}

/* Does ASIF_OBJECT name the specification that ASIF_SPEC defines? */
static bool is_own_spec(const struct harness *h) {
  const char *a = h->spec, *b = h->own_spec;
  if (!a || !b) return false;
  for (; *a && (*a == *b || (*a == '-' && *b == '_')); a++, b++)
    ;
  return !*a && !*b;
}

static bool spec_of_effects(struct subject *s, struct problem *why) {
  struct effects *effects = mem_zero(s->mem, 1, sizeof *effects);
  if (!unit_effects(s->mem, s->unit, effects, why)) return false;
  effects_spec(s->mem, effects, &s->spec);
  return true;
}

/* The specification: of the command line, or of the file: named there, or written there. */
static bool find_spec(struct subject *s, struct problem *why) {
  const char *name = s->options->spec ? s->options->spec : s->unit->harness.spec;
  if (s->options->against) return against_read(s, why);
  if (unit_has_effects(s->unit, s->options->spec)) return spec_of_effects(s, why);
  if (!name && s->options->live) return true;
  if (!name) {
    problem_set(why, "%s: no specification: --spec NAME, or ASIF_OBJECT(NAME) in the file; `asif specs` lists them",
                s->options->path);
    return false;
  }
  if (!s->options->spec && is_own_spec(&s->unit->harness)) return spec_of_file(s, why);
  if (!strcmp(name, "self")) return true;
  if (s->options->only_read ? spec_load_named(name, &s->spec, why) : spec_load(name, &s->spec, s->mem, why))
    return true;
  if (!s->options->spec) {
    struct problem said = *why;
    problem_at(why, s->unit, s->unit->harness.spec_place, "%s", said.text);
  }
  return false;
}

/* Not where others than the search run the program, who would not start over. */
static bool starts_over(const struct subject *s) {
  const struct verify_options *o = s->options;
  return s->spec.name && !o->live && !o->against && !o->approx;
}

static bool lower_ops(struct subject *s, struct problem *why) {
  struct lower_options options = {
      .recursion = s->options->recursion, .volatiles = s->options->volatiles, .malloc_fails = s->options->malloc_fails};
  if (!s->unit->harness.ops.count) find_ops(s);
  if (!s->unit->harness.ops.count) {
    struct text names;
    text_open(&names, s->mem);
    if (s->spec.name) spec_list_ops(&s->spec, &names);
    problem_set(why, "%s: no operations: mark them with ASIF_OP(f)%s%s", s->options->path,
                s->spec.name ? ", or name functions after the specification's: " : "", text_string(&names));
    return false;
  }
  if (s->options->check_orders && starts_over(s)) {
    if (!s->unit->conflicts) s->unit->conflicts = conflicts_new(s->unit->mem);
    options.conflicts = s->unit->conflicts;
  }
  s->program = lower(s->mem, s->unit, &options, why);
  return s->program != NULL;
}

bool subject_open(struct mem *mem, const struct verify_options *options, struct subject *s, struct problem *why) {
  struct unit *unit = (options->only_read ? front_read_own : front_read)(mem, options->path, options->cc_args, why);
  return subject_make(mem, unit, options, s, why);
}

/* --approx */
static bool count_instead(struct subject *s, struct problem *why) {
  if (s->spec.alone) { /* so what a thread may call is not known */
    problem_set(why, "%s: --approx does not follow who holds a lock: leave it out", s->options->path);
    return false;
  }
  if (s->options->ops == OPS_FOREVER && !countings_finite(&s->spec)) {
    problem_set(why,
                "%s: --approx with --ops forever counts operations without end, but of queues and stacks: with --ops N "
                "it comes to an end",
                s->options->path);
    return false;
  }
  s->counted = counted_new(s->mem, &s->spec, s->sets, s->threads, s->options->k, s->bound);
  return true;
}

static void make_machine(struct subject *s) {
  s->machine = machine_new(s->mem, s->program, s->client, s->threads, &s->machine_options, machine_value, s);
}

void subject_remodel(struct subject *s) {
  struct machine_options *m = &s->machine_options;
  m->memory = memory_of(s);
  if (m->memory == MEMORY_C11) m->tracks = weak_tracks(s->mem, s->program, s->options->tracks_all);
  if (m->memory == MEMORY_C11) m->reordered = mem_zero(s->mem, 1, sizeof *m->reordered);
  if (m->memory == MEMORY_C11) m->fuse_events = m->races = false;
  if (m->memory != MEMORY_SC) m->asks_numbers = false;
}

bool subject_make(struct mem *mem, struct unit *unit, const struct verify_options *options, struct subject *s,
                  struct problem *why) {
  *s = (struct subject){.mem = mem, .options = options, .unit = unit, .threads = options->threads};
  if (!unit || !find_spec(s, why) || !lower_ops(s, why)) return false;
  s->values = values_new(mem);
  s->bound = options->against ? -1 : options->bound >= 0 ? options->bound : s->unit->harness.bound;
  s->spec_op = mem_zero(mem, s->program->op_count, sizeof *s->spec_op);
  for (uint32_t i = 0; i < s->program->op_count; i++)
    for (unsigned a = 0; a < s->program->ops[i].params; a++)
      s->data |= c_data(s->program->ops[i].low[a], s->program->ops[i].high[a]);
  struct machine_options *m = &s->machine_options;
  *m = (struct machine_options){.steps = options->steps,
                                .ops = options->ops,
                                .type_stable = s->unit->harness.type_stable,
                                .fuse_events = !options->live && !options->approx &&
                                               options->search.reduce == REDUCE_BEST && options->steps == STEPS_SHARED,
                                .fuse_private = options->search.reduce == REDUCE_BEST,
                                .weak_fails = options->weak_fails,
                                .sc_as_acq_rel = options->sc_as_acq_rel,
                                .malloc_fails = options->malloc_fails,
                                .points = options->points,
                                .races = subject_looks_for_races(options),
                                .leaks = subject_looks_for_leaks(options, s->unit),
                                .volatile_race = mem_zero(mem, 1, sizeof *m->volatile_race),
                                .signals_as_locks = options->live != NULL,
                                .room = starts_over(s) ? unit->room : 0,
                                .grows = starts_over(s),
                                .asks_numbers = !options->live && !options->against,
                                .guesses = !options->live,
                                .ordered = mem_zero(mem, 1, sizeof *m->ordered),
                                .added = mem_zero(mem, 1, sizeof *m->added),
                                .forget = true};
  if (unit->address_numbers) m->terms = terms_new(mem);
  struct machine_options alone = *m; /* of one operation at a time, which memory is no matter to */
  subject_remodel(s);
  if ((!s->spec.name || options->against) && !names_differ(s, why)) return false;
  bool self = !s->spec.name;
  if (self && !spec_of_object(mem, s->program, s->threads, &alone, machine_value, s, &s->spec, why)) return false;
  s->spec.values = s->values;
  s->numbers = (struct spec_numbers){s->values, add_number, s};
  s->spec.numbers = &s->numbers;
  for (uint32_t i = 0; i < s->program->op_count; i++)
    if (!(options->against ? against_bind(s, i, why) : bind_op(s, i, why))) return false;
  uint32_t used = 0;
  for (uint32_t i = 0; i < s->program->op_count; i++) used |= spec_op_bit((unsigned)s->spec_op[i]);
  if (!options->against) spec_use_only(&s->spec, used);
  if (options->points && !s->program->has_points) {
    problem_set(why, "%s: --points, but no linearization point is marked: ASIF_LIN() after the access that is one",
                options->path);
    return false;
  }
  s->sets = specsets_new(mem, &s->spec, s->threads, options->points ? SPECSET_POINTS : SPECSET_FREE, s->bound);
  if (self) specsets_never_wait(s->sets);
  if (options->approx && !count_instead(s, why)) return false;
  if (!make_client(s, why)) return false;
  make_machine(s);
  if (options->against) against_finish(s);
  if (!specsets_symmetric(s->sets)) s->not_symmetric = "the specification tells processes apart";
  if (options->against && program_by_thread(s->against.program)) s->not_symmetric = "the reference tells threads apart";
  if (machine_tells_places(s->machine)) s->not_symmetric = "a variable may be where another was whose life has ended";
  if (s->program->uses_thread) s->not_symmetric = "the program uses asif_thread()";
  return true;
}

void subject_remember(struct subject *s) {
  s->machine_options.forget = false;
  make_machine(s);
}

void subject_grow(struct subject *s, unsigned room) {
  s->machine_options.room = s->unit->room = room;
  make_machine(s);
}

void subject_track(struct subject *s) { make_machine(s); }

bool subject_number(struct subject *s, struct problem *why) {
  s->unit->address_numbers = true;
  return subject_again(s, why);
}

bool subject_again(struct subject *s, struct problem *why) {
  subject_close(s);
  return subject_make(s->mem, s->unit, s->options, s, why);
}

void subject_close(struct subject *s) { spec_user_close(&s->spec); }
