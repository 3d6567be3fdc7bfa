/* A finding told: the run made again, with everything it does recorded; where in the source, what was read and written,
 * and who interrupted whom. */
#include "test/tell.h"

#include <assert.h>
#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "test/told.h"

/* --- words --- */

static void put_call(const struct telling *k, uint32_t call, struct text *t) {
  const struct call *c = run_call(k->client, call);
  const struct object_op *op = &k->object->ops[c->op];
  text_printf(t, "%s(", op->run.written);
  for (unsigned a = 0; a < op->arg_count; a++) text_printf(t, "%s%ld", a ? ", " : "", c->arg[a]);
  text_char(t, ')');
}

static void put_return(const struct telling *k, const struct moment *m, struct text *t) {
  static const char *const specials[] = {"ok", "nil", "true", "false", "empty", "full"};
  const struct object_op *op = &k->object->ops[run_call(k->client, m->call)->op];
  text_printf(t, "%s returns", op->run.written);
  switch (op->run.signature & 3) {
  case 0: return;
  case 1: text_add(t, m->result ? " true" : " false"); return;
  default:
    if (m->result >= ASIF_OK && m->result <= ASIF_FULL)
      text_printf(t, " %s", specials[m->result - ASIF_OK]);
    else
      text_printf(t, " %ld", m->result);
  }
}

/* --- places --- */

/* The file's number; its text is read once. */
static uint16_t file_number(struct telling *k, const char *path) {
  struct schedule *s = k->schedule;
  for (size_t i = 0; i < s->files.count; i++)
    if (!strcmp(s->files.at[i].path, path)) return (uint16_t)i;
  struct schedule_file f = {.path = path};
  struct text t;
  text_open(&t, k->mem);
  if (text_file(&t, path)) {
    f.text = text_string(&t);
    f.length = t.count;
  }
  vec_push(k->mem, &s->files, f);
  return (uint16_t)(s->files.count - 1);
}

const struct place *told_place_of(const struct telling *k, size_t place, const struct trail *trail) {
  const struct place *first = place != SIZE_MAX ? &k->places[place] : NULL;
  if (first && place_is_own(first)) return first;
  for (unsigned i = 0; trail && i < trail->count; i++) {
    const struct place *p = &k->places[trail->places[i]];
    if (!first || !first->line) first = p;
    if (place_is_own(p)) return p;
  }
  return first && first->line ? first : NULL;
}

void told_line(struct telling *k, uint32_t step, unsigned thread, enum schedule_kind kind, size_t place,
               const struct trail *trail, struct saying *t) {
  struct schedule_line l = {.step = step,
                            .thread = (uint16_t)thread,
                            .kind = (uint8_t)kind,
                            .text = mem_string(k->mem, text_string(&t->shown), t->shown.count),
                            .plain = mem_string(k->mem, text_string(&t->plain), t->plain.count)};
  const struct place *shown = told_place_of(k, place, trail),
                     *plain = place != SIZE_MAX ? &k->plain_places[place] : NULL;
  if (shown) {
    l.file = file_number(k, shown->file);
    l.line = shown->line;
  }
  if (plain && plain->line) {
    l.plain_file = file_number(k, plain->file);
    l.plain_line = plain->line;
  }
  vec_push(k->mem, &k->schedule->lines, l);
  text_clear(&t->plain);
  text_clear(&t->shown);
}

void say(struct saying *t, const char *words) {
  text_add(&t->plain, words);
  text_add(&t->shown, words);
}
void say_place(struct text *t, const struct place *p) {
  const char *slash = p && p->line ? strrchr(p->file, '/') : NULL;
  if (p && p->line) text_printf(t, " at %s:%u", slash ? slash + 1 : p->file, (unsigned)p->line);
}

static void open_saying(struct telling *k, struct saying *t) {
  text_open(&t->plain, k->mem);
  text_open(&t->shown, k->mem);
}

/* --- the steps --- */

/* The step that the fiber takes next, from step i on, or would take after the run; false: none. */
static bool next_deed(const struct telling *k, const struct run *r, uint32_t i, unsigned fiber,
                      struct told_access *next) {
  for (size_t a = 0; a < k->accesses.count; a++) {
    const struct told_access *t = &k->accesses.at[a];
    if (t->access.step < i || t->access.fiber != fiber || !t->access.point || t->access.early) continue;
    *next = *t;
    return true;
  }
  const struct step *pending = &r->pending[fiber];
  if (!(r->alive >> fiber & 1) || pending->kind == POINT_CALL) return false;
  bool list = pending->kind == POINT_ALLOC || pending->kind == POINT_FREE; /* which block is not known yet */
  *next = (struct told_access){
      .access = {.kind = pending->kind}, .name = list ? NULL : plain_name(k->mem, pending->address), .place = SIZE_MAX};
  return true;
}

/* What it was about to do when it stopped after so many steps, as it was known then. */
static const struct about *about_of(const struct telling *k, size_t steps, unsigned fiber) {
  for (size_t i = k->about.count; i-- > 0;)
    if (k->about.at[i].steps == steps && k->about.at[i].fiber == fiber) return &k->about.at[i];
  return NULL;
}

/* The step before was another's, who could have gone on. */
static void tell_interruption(struct telling *k, const struct run *r, uint32_t i, struct saying *t) {
  const struct step *now = &r->steps[i], *before = i ? now - 1 : NULL;
  struct told_access next;
  if (!before || before->fiber == now->fiber || !(now->enabled >> before->fiber & 1) || before->flags & STEP_YIELDED)
    return;
  say(t, "interrupts ");
  say(t, k->schedule->threads.at[before->fiber]);
  if (next_deed(k, r, i, before->fiber, &next)) {
    say(t, ", which was about to ");
    put_deed(k, &next, false, &t->plain);
    say_place(&t->plain, next.place == SIZE_MAX ? NULL : &k->plain_places[next.place]);
    const struct about *about = about_of(k, i, before->fiber);
    struct told_access then = next;
    if (about) {
      then.noted = then.noted || about->named.path || about->named.block;
      if (about->named.path || about->named.block) then.named = about->named;
    }
    put_deed(k, &then, true, &t->shown);
    say_place(&t->shown, told_place_of(k, next.place, about ? &about->trail : &next.trail));
  }
  told_line(k, i + 1, now->fiber, SCHEDULE_SWITCH, SIZE_MAX, NULL, t);
}

static void tell_access(struct telling *k, uint32_t step, const struct told_access *a, struct saying *t) {
  put_access(k, a, false, &t->plain);
  put_access(k, a, true, &t->shown);
  told_line(k, step, a->access.fiber, a->access.point || a->access.kind == TOLD_FENCE ? SCHEDULE_ACCESS : SCHEDULE_OWN,
            a->place, &a->trail, t);
}

/* A call, and what it accesses before its first step. */
static void tell_call(struct telling *k, uint32_t step, unsigned fiber, uint32_t call, struct saying *t) {
  put_call(k, call, &t->plain);
  put_call(k, call, &t->shown);
  told_line(k, step, fiber, SCHEDULE_CALL, k->op_places[run_call(k->client, call)->op], NULL, t);
  for (size_t i = 0; i < k->accesses.count; i++) {
    const struct told_access *a = &k->accesses.at[i];
    if (a->access.early && a->access.fiber == fiber && a->access.call == call) tell_access(k, step, a, t);
  }
}

/* Where the call read what it returns, if nobody had written it there. */
static const struct told_access *returned_fresh(const struct telling *k, const struct moment *m) {
  unsigned result = k->object->ops[run_call(k->client, m->call)->op].run.signature & 3;
  for (size_t i = 0; i < k->accesses.count && result > 1; i++) {
    const struct told_access *a = &k->accesses.at[i];
    uint64_t read = a->access.read.low;
    long seen = a->access.size == 8 ? (long)read : a->access.size == 4 ? (int32_t)read : 0;
    if (a->fresh && a->access.call == m->call && a->access.fiber == m->fiber && seen && seen == m->result) return a;
  }
  return NULL;
}

static void note_fresh(struct telling *k, const struct moment *m, const struct told_access *a) {
  struct text t;
  const struct place *p = told_place_of(k, a->place, &a->trail);
  text_open(&t, k->mem);
  text_printf(&t, "%ld was read from memory that nobody had written: ", m->result);
  put_name(k, &a->named, &t);
  if (p) text_printf(&t, ", %s:%u", p->file, (unsigned)p->line);
  k->schedule->uninitialised = text_string(&t);
}

/* True if the code says that it did nothing, where the specification has no such result. */
static bool is_ignored_refusal(const struct telling *k, const struct moment *m) {
  const struct object_op *op = &k->object->ops[run_call(k->client, m->call)->op];
  if (k->object->tests || k->object->self || k->object->spec.ops[op->method].result != RESULT_NONE) return false;
  unsigned result = op->run.signature & 3;
  return result == 1 ? !m->result : result > 1 && m->result == ASIF_FULL;
}

static void note_ignored(struct telling *k, const struct moment *m) {
  struct text t;
  text_open(&t, k->mem);
  put_return(k, m, &t);
  text_printf(&t,
              ", but %s has no such result: the call counts as done. Choose a specification that has it "
              "(docs/specs.md), or keep clients below the limit with ASIF_BOUND",
              k->object->spec.name);
  k->schedule->ignored = text_string(&t);
}

static void tell_return(struct telling *k, uint32_t step, unsigned fiber, const struct moment *m, struct saying *t) {
  const struct told_access *fresh = returned_fresh(k, m);
  put_return(k, m, &t->plain);
  put_return(k, m, &t->shown);
  if (fresh) text_add(&t->shown, ", uninitialised");
  if (fresh && !k->schedule->uninitialised) note_fresh(k, m, fresh);
  if (!k->schedule->ignored && is_ignored_refusal(k, m)) note_ignored(k, m);
  told_line(k, step, fiber, SCHEDULE_RETURN, SIZE_MAX, NULL, t);
}

/* A step whose access nobody recorded: a yield and the like, or the one that ended the run. */
static void tell_unrecorded(struct telling *k, const struct run *r, uint32_t i, struct saying *t) {
  const struct found_place *found;
  const struct step *s = &r->steps[i];
  size_t count = r->found && i + 1 == r->count ? run_found_places(&found) : 0;
  bool here = count && found[0].fiber == s->fiber;
  bool list = s->kind == POINT_ALLOC || s->kind == POINT_FREE;
  struct told_access a = {.access = {.fiber = s->fiber, .kind = s->kind, .point = true},
                          .place = here ? k->found_places[0] : SIZE_MAX};
  uintptr_t address = here && list ? found[0].address : list ? 0 : s->address;
  a.name = plain_name(k->mem, address);
  const struct about *about = about_of(k, i, s->fiber);
  a.noted = true;
  if (about && about->kind == s->kind && !list)
    a.named = about->named, a.trail = about->trail;
  else if (address)
    a.named = naming_access(k->naming, s->kind, address, s->size, s->fiber, NULL);
  tell_access(k, i + 1, &a, t);
}

/* True if what the step itself does is among the accesses, from `first` on. */
static bool is_recorded(const struct telling *k, size_t first, uint32_t step) {
  for (size_t a = first; a < k->accesses.count && k->accesses.at[a].access.step == step; a++)
    if (k->accesses.at[a].access.point && !k->accesses.at[a].access.early) return true;
  return false;
}

static void tell_steps(struct telling *k, const struct run *r) {
  struct saying t;
  size_t moment = 0, access = 0;
  open_saying(k, &t);
  size_t calls = client_calls(r->client), all = r->moment_count;
  size_t moments = 0; /* of the threads: what follows them comes last */
  while (moments < all && r->moments[moments].call < calls) moments++;
  for (uint32_t i = 0; i < r->count; i++) {
    tell_interruption(k, r, i, &t);
    for (; moment < moments && r->moments[moment].step == i && !r->moments[moment].is_return; moment++)
      tell_call(k, i + 1, r->steps[i].fiber, r->moments[moment].call, &t);
    while (access < k->accesses.count && k->accesses.at[access].access.step < i) access++;
    if (!is_recorded(k, access, i)) tell_unrecorded(k, r, i, &t);
    for (; access < k->accesses.count && k->accesses.at[access].access.step == i; access++) {
      const struct told_access *told = &k->accesses.at[access];
      if (told->access.early) continue;
      tell_access(k, i + 1, told, &t);
      tell_weak(k, i + 1, told, &t);
    }
    for (; moment < moments && r->moments[moment].step == i && r->moments[moment].is_return; moment++)
      tell_return(k, i + 1, r->steps[i].fiber, &r->moments[moment], &t);
  }
  assert(moment == moments);
  tell_edges(k);
  for (; moment < all; moment++) {
    const struct moment *m = &r->moments[moment];
    if (!m->is_return) {
      tell_call(k, (uint32_t)r->count + 1, r->fibers, m->call, &t);
      continue;
    }
    tell_return(k, (uint32_t)r->count + 1, r->fibers, m, &t);
  }
}

/* What was found involves a thread whose call has not taken its first step: the call, and what it did. */
static void tell_begun(struct telling *k, const struct run *r, unsigned fiber) {
  for (size_t i = k->accesses.count; i-- > 0;) {
    const struct access *a = &k->accesses.at[i].access;
    if (!a->early || a->fiber != fiber) continue;
    for (size_t m = 0; m < r->moment_count; m++)
      if (r->moments[m].call == a->call) return;
    struct saying t;
    open_saying(k, &t);
    tell_call(k, 0, fiber, a->call, &t);
    return;
  }
}

/* What was found was accessed last by this thread, or not at all. */
static struct named name_found(struct telling *k, uintptr_t address) {
  for (size_t i = k->accesses.count; i-- > 0;) {
    const struct told_access *t = &k->accesses.at[i];
    bool block = t->access.kind == POINT_ALLOC || t->access.kind == POINT_FREE;
    if (t->access.address == address && t->noted && !block) return naming_address(k->naming, address, t->named.size);
  }
  return naming_address(k->naming, address, FIELD_SYNC);
}

/* Who called what the place is in: known where the thread stopped there, or made an access. */
static const struct trail *found_trail(const struct telling *k, unsigned fiber, size_t place) {
  for (size_t i = k->about.count; i-- > 0;)
    if (k->about.at[i].fiber == fiber && k->about.at[i].trail.count && k->about.at[i].trail.places[0] == place)
      return &k->about.at[i].trail;
  for (size_t i = k->accesses.count; i-- > 0;)
    if (k->accesses.at[i].access.fiber == fiber && k->accesses.at[i].place == place) return &k->accesses.at[i].trail;
  return NULL;
}

/* Is it a block as a whole that the place is about? */
static bool is_whole(const struct found_place *f) {
  return !strncmp(f->words, "freed", 5) || !strncmp(f->words, "allocated", 9) || !strncmp(f->words, "the free", 8);
}

/* What was found, and the other places that belong to it. */
static void tell_found(struct telling *k, const struct run *r, const struct found_place *found, size_t count) {
  struct saying t;
  open_saying(k, &t);
  for (unsigned f = 0; f < r->client->threads; f++)
    for (size_t i = 0; i < count; i++)
      if (found[i].fiber == f) {
        tell_begun(k, r, f);
        break;
      }
  for (size_t i = 0; i < count; i++) {
    say(&t, found[i].words);
    if (found[i].address) {
      say(&t, ": ");
      text_add(&t.plain, plain_name(k->mem, found[i].address));
      struct named named = is_whole(&found[i]) ? naming_access(k->naming, POINT_FREE, found[i].address, 0, 0, NULL)
                                               : name_found(k, found[i].address);
      if (is_whole(&found[i])) named.freed = false; /* that is what is told */
      put_name(k, &named, &t.shown);
    }
    bool waits = r->found == FOUND_DEADLOCK || r->found == FOUND_LIVELOCK;
    told_line(k, 0, found[i].fiber < r->fibers ? found[i].fiber : 0, waits ? SCHEDULE_WAIT : SCHEDULE_FAULT,
              k->found_places[i], found_trail(k, found[i].fiber, k->found_places[i]), &t);
  }
}

static void name_threads(struct telling *k, unsigned count) {
  for (unsigned t = 0; t < count; t++) {
    char name[16];
    int n = t < 26 ? snprintf(name, sizeof name, "%c", 'A' + (int)t) : snprintf(name, sizeof name, "T%u", t);
    vec_push(k->mem, &k->schedule->threads, mem_string(k->mem, name, (size_t)n));
  }
}

static void tell_run(struct telling *k, const struct run *r) {
  const struct found_place *found;
  size_t count = r->found ? run_found_places(&found) : 0;
  k->op_places = mem_alloc(k->mem, (k->object->op_count + 1) * sizeof *k->op_places);
  for (unsigned i = 0; i < k->object->op_count + k->object->drains; i++)
    k->op_places[i] = told_place(k, (uintptr_t)k->object->ops[i].run.function - k->base);
  k->found_places = mem_alloc(k->mem, (count + 1) * sizeof *k->found_places);
  for (size_t i = 0; i < count; i++) k->found_places[i] = told_place(k, found[i].pc - 1 - k->base);
  k->places = mem_zero(k->mem, k->offsets.count + 1, sizeof *k->places);
  k->plain_places = mem_zero(k->mem, k->offsets.count + 1, sizeof *k->plain_places);
  k->schedule->no_places =
      !places_find_both(k->mem, k->info, k->image, k->offsets.at, k->offsets.count, k->places, k->plain_places);
  name_threads(k, r->fibers);
  if (k->object->drains) vec_push(k->mem, &k->schedule->threads, "end"); /* as number r->fibers */
  tell_steps(k, r);
  if (count) tell_found(k, r, found, count);
}

/* --- the finding --- */

static bool in_word(char c) { return c == '_' || c == '$' || isalnum((unsigned char)c); }

/* Where the sentence has this name, as a word or words of its own; NULL if nowhere. */
static const char *find_name(const char *said, const char *name) {
  size_t length = strlen(name);
  for (const char *at = strstr(said, name); length && at; at = strstr(at + 1, name))
    if ((at == said || !in_word(at[-1])) && !in_word(at[length])) return at;
  return NULL;
}

/* True if one of the addresses before this one is the same: it has been named already. */
static bool is_repeated(const uintptr_t *addresses, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (addresses[k] == addresses[i]) return true;
  return false;
}

/* The sentence about what was found, with what is in it named as it is shown. */
static const char *show_said(struct telling *k, const char *said) {
  const uintptr_t *described;
  size_t count = run_described(&described);
  struct text t;
  for (size_t i = 0; i < count; i++) {
    const char *plain = plain_name(k->mem, described[i]), *at = plain ? find_name(said, plain) : NULL;
    if (!at || is_repeated(described, i)) continue;
    struct named named = name_found(k, described[i]);
    text_open(&t, k->mem);
    text_bytes(&t, said, (size_t)(at - said));
    put_name(k, &named, &t);
    text_add(&t, at + strlen(plain));
    said = text_string(&t);
  }
  return said;
}

/* Namespaces without a name are not written either. */
static void drop_nameless(struct telling *k, const char **text) {
  static const char nameless[] = "(anonymous namespace)::";
  const char *at = strstr(*text, nameless);
  if (!at) return;
  struct text t;
  text_open(&t, k->mem);
  const char *from = *text;
  for (; at; at = strstr(from, nameless)) {
    text_bytes(&t, from, (size_t)(at - from));
    from = at + sizeof nameless - 1;
  }
  text_add(&t, from);
  *text = text_string(&t);
}

/* Names of C++, in all that is told. */
static void demangle(struct telling *k, struct finding *f) {
  VEC(const char **) texts = {NULL, 0, 0};
  const char *said = f->said, *shown = show_said(k, f->said);
  vec_push(k->mem, &texts, &said);
  vec_push(k->mem, &texts, &shown);
  if (k->schedule->uninitialised) vec_push(k->mem, &texts, &k->schedule->uninitialised);
  for (size_t i = 0; i < k->schedule->lines.count; i++) {
    vec_push(k->mem, &texts, &k->schedule->lines.at[i].text);
    vec_push(k->mem, &texts, &k->schedule->lines.at[i].plain);
  }
  names_demangle(k->mem, texts.at, texts.count);
  drop_nameless(k, &shown);
  for (size_t i = 0; i < k->schedule->lines.count; i++) drop_nameless(k, &k->schedule->lines.at[i].text);
  f->said = mem_string(k->mem, said, strlen(said));
  f->shown = mem_string(k->mem, shown, strlen(shown));
}

static bool same_again(const struct finding *f, const struct run *r, struct problem *why) {
  if (r->found == (found_by_judge(f->found) ? FOUND_NOTHING : f->found) && r->count == f->count) return true;
  problem_of(why, PROBLEM_UNSUPPORTED,
             "the schedule that was found does not do the same again (%s after %zu steps, not %s after %zu): does the "
             "code depend on a file, the time, a random number or another process?",
             found_name(r->found), r->count, found_name(f->found), f->count);
  return false;
}

static bool check_again(struct mem *m, const struct object *o, struct finding *f, struct spec *spec,
                        struct problem *why) {
  if (o->self) {
    struct values const *values = spec->values;
    struct names const *processes = spec->processes;
    self_spec(m, o, spec);
    spec->values = values;
    spec->processes = processes;
  }
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1, .explain = true};
  struct limits none;
  limits_start(&none, 0, 0);
  if (!check_history(m, f->history, spec, &options, &none, &f->result, why)) return false;
  if (f->result.verdict == VERDICT_VIOLATED) return true;
  if (f->result.verdict == VERDICT_UNKNOWN)
    problem_of(why, PROBLEM_UNSUPPORTED, "a violation was found, but not confirmed: %.300s", f->result.reason);
  else
    problem_of(why, PROBLEM_UNSUPPORTED,
               "the schedule that was found, run again, gives a history that is linearizable: does the code depend on "
               "memory that nobody has set, a file, the time, a random number or another process?");
  return false;
}

enum { PRINTED_MOST = 4000 }; /* bytes of what the code prints that are told */

bool finding_explain(struct mem *m, struct image *image, const struct object *o, const struct run_options *how,
                     struct finding *f, struct spec *spec, struct schedule *schedule, struct problem *why) {
  struct telling k = {.mem = m, .object = o, .client = &f->client, .schedule = schedule, .base = image_base(image)};
  struct plan plan = {.choices = f->choices, .count = f->count};
  struct recorder recorder = told_recorder;
  Dl_info where;
  bool no_library;
  *schedule = (struct schedule){.source_lines = true};
  k.image = dladdr(*(void *const *)&o->ops[0].run.function, &where) ? where.dli_fname : "";
  if (!run_open(image, o->run_ops, o->op_count, o->init, how, why)) return false;
  k.info = debug_open(m, k.image, &no_library);
  k.naming = naming_open(m, k.info, k.base);
  if (no_library) schedule->no_names = "without libdw (of the elfutils) fields of variables have no names";
  recorder.context = &k;
  char printed[PRINTED_MOST];
  run_record(&recorder);
  output_keep();
  const struct run *r = run_execute(&f->client, &plan, why);
  size_t length = output_kept(printed, sizeof printed);
  run_record(NULL);
  if (length) schedule->printed = mem_string(m, printed, length);
  if (r && same_again(f, r, why)) {
    told_sort(&k);
    tell_run(&k, r);
    demangle(&k, f);
    *spec = o->spec;
    f->history = judge_history(m, o, spec, r);
    judge_name(o, r, f->history);
  } else {
    r = NULL;
  }
  debug_close(k.info);
  return r && (f->found != FOUND_HISTORY || check_again(m, o, f, spec, why));
}
