/* A finding told: the run made again, with everything it does recorded; where in the source, what was read and written,
 * and who interrupted whom. */
#include "test/tell.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct told_access {
  struct access access;
  const char *name;         /* of its address, as it was then: a block may be freed and used again later */
  const char *read, *wrote; /* the values in words; NULL: not known */
  size_t place;             /* SIZE_MAX: not known */
};

#define VTABLE "_ZTV" /* how the linker's names of tables of virtual functions begin */

struct telling {
  struct mem *mem;
  const struct object *object;
  const struct client *client;
  struct schedule *schedule;
  VEC(struct told_access) accesses;
  VEC(uintptr_t) offsets; /* places to look up: of the accesses, then of the operations, then of what was found */
  struct place *places;
  size_t *op_places;  /* of each operation: its place */
  size_t found_first; /* the place of what was found first */
  const char *image;  /* its file */
  uintptr_t base;
};

/* --- recording --- */

/* "heap block 2 + 8", "top"; NULL: it has no name. */
static const char *name_address(struct mem *m, uintptr_t address) {
  struct text t;
  text_open(&t, m);
  return run_name_address(address, &t) ? text_string(&t) : NULL;
}

/* A word, as a number of its size, or what it points to. */
static void put_word(struct text *t, uint64_t v, uint32_t size) {
  static const char *const specials[] = {"ok", "nil", "true", "false", "empty", "full"};
  if (size == 8 && v > 0xffff && v < (uint64_t)1 << 47) {
    const char *name = name_address(t->mem, (uintptr_t)v);
    if (name) {
      text_printf(t, "&%s", name);
      return;
    }
    name = v & 7 ? name_address(t->mem, (uintptr_t)(v & ~(uint64_t)7)) : NULL; /* its lower bits are marks */
    if (name) {
      text_printf(t, "&%s | %u", name, (unsigned)(v & 7));
      return;
    }
  }
  int64_t s = size == 1 ? (int8_t)v : size == 2 ? (int16_t)v : size == 4 ? (int32_t)v : (int64_t)v;
  if (size == 4 && s >= ASIF_OK && s <= ASIF_FULL)
    text_add(t, specials[s - ASIF_OK]);
  else if (s > -1000000 && s < (int64_t)1 << 40)
    text_printf(t, "%lld", (long long)s);
  else
    text_printf(t, "%#llx", (unsigned long long)v);
}

/* More than 8 bytes are two words; of more than 16 the value is too long to be told. */
static const char *name_value(struct mem *m, struct accessed_value v, uint32_t size) {
  struct text t;
  text_open(&t, m);
  if (size <= 8) {
    put_word(&t, v.low, size);
  } else if (size <= 16) {
    text_char(&t, '{');
    put_word(&t, v.low, 8);
    text_add(&t, ", ");
    put_word(&t, v.high, size - 8);
    text_char(&t, '}');
  } else {
    text_printf(&t, "%u bytes", (unsigned)size);
  }
  return text_string(&t);
}

/* The same of what was accessed: an address without a name is a number. NULL: nothing in particular was. */
static const char *name_of(struct mem *m, uintptr_t address) {
  struct text t;
  text_open(&t, m);
  if (!address) return NULL;
  run_name_address(address, &t);
  return text_string(&t);
}

static size_t add_place(struct telling *k, uintptr_t pc) {
  vec_push(k->mem, &k->offsets, pc - k->base);
  return k->offsets.count - 1;
}

static void record(void *self, const struct access *a) {
  struct telling *k = self;
  if (a->fiber >= FIBERS_MOST - 1) return; /* the initialisation */
  const char *name = name_of(k->mem, a->address);
  if (!a->point && name && !strncmp(name, VTABLE, sizeof VTABLE - 1)) return; /* how C++ calls functions */
  struct told_access t = {.access = *a,
                          .name = name,
                          .read = name_value(k->mem, a->read, a->size),
                          .wrote = a->unknown ? NULL : name_value(k->mem, a->wrote, a->size)};
  t.place = add_place(k, a->pc - 1); /* it is where the call of the hook returns to */
  vec_push(k->mem, &k->accesses, t);
}

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

/* "store top": what is done, to what. */
static void put_deed(const struct told_access *k, struct text *t) {
  static const char *const words[] = {[POINT_READ] = "load",       [POINT_WRITE] = "store",
                                      [POINT_UPDATE] = "update",   [POINT_BLOCK] = "atomic block",
                                      [POINT_LOCK] = "lock",       [POINT_UNLOCK] = "unlock",
                                      [POINT_WAIT] = "wait for",   [POINT_WAKE] = "wake",
                                      [POINT_ALLOC] = "allocate",  [POINT_FREE] = "free",
                                      [POINT_YIELD] = "yield",     [POINT_START] = "start",
                                      [POINT_JOIN] = "join",       [POINT_CALL] = "touches nothing that others can see",
                                      [POINT_ACQUIRE] = "acquire", [POINT_RELEASE] = "release"};
  const struct access *a = &k->access;
  assert(a->kind < sizeof words / sizeof *words);
  text_add(t, a->kind == POINT_UPDATE && a->failed ? "compare" : words[a->kind]);
  if (k->name && a->kind != POINT_CALL && a->kind != POINT_YIELD) text_printf(t, " %s", k->name);
}

/* The same, and what came of it. Where that is not known, because the access ended the run, there are no values. */
static void put_access(const struct told_access *k, struct text *t) {
  const struct access *a = &k->access;
  put_deed(k, t);
  switch (a->kind) {
  case POINT_READ:
    if (k->read) text_printf(t, " -> %s", k->read);
    break;
  case POINT_WRITE:
    if (k->wrote) text_printf(t, " = %s", k->wrote);
    break;
  case POINT_UPDATE:
    if (!k->read) break;
    if (a->failed)
      text_printf(t, ", found %s: fails", k->read);
    else
      text_printf(t, ": %s -> %s", k->read, k->wrote);
    break;
  case POINT_LOCK:
    if (a->failed) text_add(t, ": it is taken");
    break;
  case POINT_ALLOC:
    if (a->again) text_add(t, " again");
    break;
  default: break;
  }
}

/* --- places --- */

/* The file's number; its text is read once. */
static uint16_t file_number(struct telling *k, const char *path) {
  struct schedule *s = k->schedule;
  for (size_t i = 0; i < s->files.count; i++)
    if (!strcmp(s->files.at[i].path, path)) return (uint16_t)i;
  struct schedule_file f = {.path = path};
  FILE *in = fopen(path, "r");
  if (in) {
    struct text t;
    char room[4096];
    text_open(&t, k->mem);
    for (size_t n; (n = fread(room, 1, sizeof room, in)) > 0;) text_bytes(&t, room, n);
    fclose(in);
    f.text = text_string(&t);
    f.length = t.count;
  }
  vec_push(k->mem, &s->files, f);
  return (uint16_t)(s->files.count - 1);
}

static void add_line(struct telling *k, uint32_t step, unsigned thread, enum schedule_kind kind, size_t place,
                     struct text *t) {
  struct schedule_line l = {.step = step,
                            .thread = (uint16_t)thread,
                            .kind = (uint8_t)kind,
                            .text = mem_string(k->mem, text_string(t), t->count)};
  if (place != SIZE_MAX && k->places[place].line) {
    l.file = file_number(k, k->places[place].file);
    l.line = k->places[place].line;
  }
  vec_push(k->mem, &k->schedule->lines, l);
  text_clear(t);
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
      .access = {.kind = pending->kind}, .name = list ? NULL : name_of(k->mem, pending->address), .place = SIZE_MAX};
  return true;
}

/* The step before was another's, who could have gone on. */
static void tell_interruption(struct telling *k, const struct run *r, uint32_t i, struct text *t) {
  const struct step *now = &r->steps[i], *before = i ? now - 1 : NULL;
  struct told_access next;
  if (!before || before->fiber == now->fiber || !(now->enabled >> before->fiber & 1) || before->flags & STEP_YIELDED)
    return;
  text_printf(t, "interrupts %s", k->schedule->threads.at[before->fiber]);
  if (next_deed(k, r, i, before->fiber, &next)) {
    text_add(t, ", which was about to ");
    put_deed(&next, t);
    const struct place *p = next.place == SIZE_MAX ? NULL : &k->places[next.place];
    const char *slash = p && p->line ? strrchr(p->file, '/') : NULL;
    if (p && p->line) text_printf(t, " at %s:%u", slash ? slash + 1 : p->file, (unsigned)p->line);
  }
  add_line(k, i + 1, now->fiber, SCHEDULE_SWITCH, SIZE_MAX, t);
}

static void tell_access(struct telling *k, uint32_t step, const struct told_access *a, struct text *t) {
  put_access(a, t);
  add_line(k, step, a->access.fiber, a->access.point ? SCHEDULE_ACCESS : SCHEDULE_OWN, a->place, t);
}

/* A call, and what it accesses before its first step. */
static void tell_call(struct telling *k, uint32_t step, unsigned fiber, uint32_t call, struct text *t) {
  put_call(k, call, t);
  add_line(k, step, fiber, SCHEDULE_CALL, k->op_places[run_call(k->client, call)->op], t);
  for (size_t i = 0; i < k->accesses.count; i++) {
    const struct told_access *a = &k->accesses.at[i];
    if (a->access.early && a->access.fiber == fiber && a->access.call == call) tell_access(k, step, a, t);
  }
}

/* A step whose access nobody recorded: a yield and the like, or the one that ended the run. */
static void tell_unrecorded(struct telling *k, const struct run *r, uint32_t i, struct text *t) {
  const struct found_place *found;
  const struct step *s = &r->steps[i];
  size_t count = r->found && i + 1 == r->count ? run_found_places(&found) : 0;
  bool here = count && found[0].fiber == s->fiber;
  bool list = s->kind == POINT_ALLOC || s->kind == POINT_FREE;
  struct told_access a = {.access = {.fiber = s->fiber, .kind = s->kind, .point = true},
                          .place = here ? k->found_first : SIZE_MAX};
  a.name = here && list ? name_of(k->mem, found[0].address) : list ? NULL : name_of(k->mem, s->address);
  tell_access(k, i + 1, &a, t);
}

/* True if what the step itself does is among the accesses, from `first` on. */
static bool is_recorded(const struct telling *k, size_t first, uint32_t step) {
  for (size_t a = first; a < k->accesses.count && k->accesses.at[a].access.step == step; a++)
    if (k->accesses.at[a].access.point && !k->accesses.at[a].access.early) return true;
  return false;
}

static void tell_steps(struct telling *k, const struct run *r) {
  struct text t;
  size_t moment = 0, access = 0;
  text_open(&t, k->mem);
  size_t calls = client_calls(r->client), all = r->moment_count;
  size_t moments = 0; /* of the threads: what follows them comes last */
  while (moments < all && r->moments[moments].call < calls) moments++;
  for (uint32_t i = 0; i < r->count; i++) {
    tell_interruption(k, r, i, &t);
    for (; moment < moments && r->moments[moment].step == i && !r->moments[moment].is_return; moment++)
      tell_call(k, i + 1, r->steps[i].fiber, r->moments[moment].call, &t);
    while (access < k->accesses.count && k->accesses.at[access].access.step < i) access++;
    if (!is_recorded(k, access, i)) tell_unrecorded(k, r, i, &t);
    for (; access < k->accesses.count && k->accesses.at[access].access.step == i; access++)
      if (!k->accesses.at[access].access.early) tell_access(k, i + 1, &k->accesses.at[access], &t);
    for (; moment < moments && r->moments[moment].step == i && r->moments[moment].is_return; moment++) {
      put_return(k, &r->moments[moment], &t);
      add_line(k, i + 1, r->steps[i].fiber, SCHEDULE_RETURN, SIZE_MAX, &t);
    }
  }
  assert(moment == moments);
  for (; moment < all; moment++) {
    const struct moment *m = &r->moments[moment];
    if (!m->is_return) {
      tell_call(k, (uint32_t)r->count + 1, r->fibers, m->call, &t);
      continue;
    }
    put_return(k, m, &t);
    add_line(k, (uint32_t)r->count + 1, r->fibers, SCHEDULE_RETURN, SIZE_MAX, &t);
  }
}

/* What was found involves a thread whose call has not taken its first step: the call, and what it did. */
static void tell_begun(struct telling *k, const struct run *r, unsigned fiber) {
  for (size_t i = k->accesses.count; i-- > 0;) {
    const struct access *a = &k->accesses.at[i].access;
    if (!a->early || a->fiber != fiber) continue;
    for (size_t m = 0; m < r->moment_count; m++)
      if (r->moments[m].call == a->call) return;
    struct text t;
    text_open(&t, k->mem);
    tell_call(k, 0, fiber, a->call, &t);
    return;
  }
}

/* What was found, and the other places that belong to it. */
static void tell_found(struct telling *k, const struct run *r, const struct found_place *found, size_t count) {
  struct text t;
  text_open(&t, k->mem);
  for (unsigned f = 0; f < r->client->threads; f++)
    for (size_t i = 0; i < count; i++)
      if (found[i].fiber == f) {
        tell_begun(k, r, f);
        break;
      }
  for (size_t i = 0; i < count; i++) {
    text_add(&t, found[i].words);
    if (found[i].address) text_printf(&t, ": %s", name_of(k->mem, found[i].address));
    bool waits = r->found == FOUND_DEADLOCK || r->found == FOUND_LIVELOCK;
    add_line(k, 0, found[i].fiber < r->fibers ? found[i].fiber : 0, waits ? SCHEDULE_WAIT : SCHEDULE_FAULT,
             k->found_first + i, &t);
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
    k->op_places[i] = add_place(k, (uintptr_t)k->object->ops[i].run.function);
  k->found_first = k->offsets.count;
  for (size_t i = 0; i < count; i++) add_place(k, found[i].pc - 1);
  k->places = mem_zero(k->mem, k->offsets.count + 1, sizeof *k->places);
  k->schedule->no_places = !places_find(k->mem, k->image, k->offsets.at, k->offsets.count, k->places);
  name_threads(k, r->fibers);
  if (k->object->drains) vec_push(k->mem, &k->schedule->threads, "end"); /* as number r->fibers */
  tell_steps(k, r);
  if (count) tell_found(k, r, found, count);
}

/* --- the finding --- */

/* Names of C++, in all that is told. */
static void demangle(struct telling *k, struct finding *f) {
  VEC(const char **) texts = {NULL, 0, 0};
  const char *said = f->said;
  vec_push(k->mem, &texts, &said);
  for (size_t i = 0; i < k->schedule->lines.count; i++) vec_push(k->mem, &texts, &k->schedule->lines.at[i].text);
  names_demangle(k->mem, texts.at, texts.count);
  f->said = mem_string(k->mem, said, strlen(said));
}

static bool same_again(const struct finding *f, const struct run *r, struct problem *why) {
  if (r->found == (f->found == FOUND_HISTORY ? FOUND_NOTHING : f->found) && r->count == f->count) return true;
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
    problem_internal(why, "the history that was found is linearizable after all");
  return false;
}

bool finding_explain(struct mem *m, struct image *image, const struct object *o, const struct run_options *how,
                     struct finding *f, struct spec *spec, struct schedule *schedule, struct problem *why) {
  struct telling k = {.mem = m, .object = o, .client = &f->client, .schedule = schedule, .base = image_base(image)};
  struct plan plan = {.choices = f->choices, .count = f->count};
  struct recorder recorder = {record, &k};
  Dl_info where;
  *schedule = (struct schedule){.source_lines = true};
  k.image = dladdr(*(void *const *)&o->ops[0].run.function, &where) ? where.dli_fname : "";
  if (!run_open(image, o->run_ops, o->op_count, o->init, how, why)) return false;
  run_record(&recorder);
  const struct run *r = run_execute(&f->client, &plan, why);
  run_record(NULL);
  if (!r || !same_again(f, r, why)) return false;
  tell_run(&k, r);
  demangle(&k, f);
  *spec = o->spec;
  f->history = judge_history(m, o, spec, r);
  return f->found != FOUND_HISTORY || check_again(m, o, f, spec, why);
}
