/* Data races of random objects: verify with each reduction that looks for them, against enumeration of all states with
 * no reduction, in which two threads are compared by the accesses that their next moves really make. ASIF_TEST_OBJECTS
 * sets how many objects (default 600). */
#include <string.h>

#include "base/hash.h"
#include "random_object.h"
#include "test.h"
#include "verify/machine_parts.h"
#include "verify/store.h"
#include "verify/verify.h"

enum { STATES_MOST = 20000, ACCESSES = 1024 };

struct touched {
  unsigned thread;
  uint32_t object, cell, count;
  bool writes, plain;
};

struct oracle {
  struct system *system;
  struct store store;
  void *here, *there;
  unsigned char *packed;
  unsigned thread;
  bool atomic; /* the move is an ASIF_ATOMIC block */
  struct touched seen[ACCESSES];
  unsigned count;
  bool races, whole;
};

static void look(void *self, const struct trace_item *item) {
  struct oracle *o = self;
  if (!item->inst || item->own || item->fault || !(item->inst->code >= I_LOAD && item->inst->code <= I_UNLOCK)) return;
  CHECK(o->count < ACCESSES);
  o->seen[o->count++] = (struct touched){o->thread,    item->object,
                                         item->cell,   item->inst->code >= I_LOCK ? 1 : item->inst->count,
                                         item->writes, !(item->inst->flags & FLAG_ATOMIC) && !o->atomic};
}

static bool conflict(const struct touched *a, const struct touched *b) {
  return a->thread != b->thread && a->object == b->object && a->cell < b->cell + b->count &&
         b->cell < a->cell + a->count && (a->writes || b->writes) && (a->plain || b->plain);
}

/* With ASIF_TYPE_STABLE pointers to it may be stale, and such accesses are allowed. */
static bool was_freed(const struct oracle *o, uint32_t object) {
  uint8_t life = state_objects((struct machine *)o->system, (struct machine_state *)o->here)[object].life;
  return life == LIFE_AGAIN || life == LIFE_FREED;
}

static void add_state(struct oracle *o, const void *work) {
  uint32_t ref, size = (uint32_t)o->system->pack(o->system, work, NULL, o->packed, NULL);
  store_add(&o->store, hash_bytes(o->packed, size), o->packed, size, 0, REF_NONE, NULL, NULL, &ref);
}

static void expand(struct oracle *o) {
  o->count = 0;
  for (o->thread = 0; o->thread < o->system->threads; o->thread++) {
    struct choices choices;
    struct move move;
    const struct inst *at = machine_at(o->system, o->here, o->thread);
    o->atomic = at && at->code == I_ATOMIC;
    choices_begin(&choices);
    do {
      if (o->system->move(o->system, o->here, o->thread, &choices, o->there, &move) == MOVED) add_state(o, o->there);
    } while (choices_next(&choices));
  }
  for (unsigned i = 0; i < o->count; i++)
    for (unsigned k = 0; k < i; k++) o->races |= conflict(&o->seen[i], &o->seen[k]) && !was_freed(o, o->seen[i].object);
}

static value no_value(void *self, const struct program_op *op, word w) { return (void)self, (void)op, (void)w, V_NONE; }

/* Calls and accesses are moves of their own. */
static void enumerate(struct oracle *o, struct mem *mem, const struct subject *s) {
  struct machine_options options = {.steps = STEPS_SHARED,
                                    .ops = s->options->ops,
                                    .type_stable = s->unit->harness.type_stable,
                                    .weak_fails = s->options->weak_fails};
  *o = (struct oracle){.system = machine_new(mem, s->program, s->client, s->threads, &options, no_value, NULL)};
  o->here = mem_zero(mem, 1, o->system->work);
  o->there = mem_zero(mem, 1, o->system->work);
  o->packed = mem_alloc(mem, o->system->packed_most);
  store_open(&o->store, mem);
  o->system->start(o->system, o->here);
  machine_trace(o->system, look, o);
  add_state(o, o->here);
  uint32_t ref = 0;
  for (; ref < o->store.end && o->store.count <= STATES_MOST; ref = store_after(&o->store, ref)) {
    struct record_view v = store_at(&o->store, ref);
    o->system->unpack(o->system, v.at, v.size, o->here);
    expand(o);
  }
  o->whole = ref >= o->store.end;
}

struct tally {
  unsigned races, holds, other, skipped;
};

static void try_object(uint64_t number, struct tally *y) {
  static const enum reduce ways[] = {REDUCE_BEST, REDUCE_NONE, REDUCE_SYM};
  struct limits limits;
  struct mem mem;
  struct random_object object;
  limits_start(&limits, 30, 0);
  mem_open(&mem, &limits);
  if (MEM_GUARD(&mem)) {
    mem_close(&mem);
    y->skipped++;
    return;
  }
  random_object_make(&object, &mem, number);
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct problem why = {.text = ""};
    struct text text;
    struct subject s;
    struct verified v;
    struct oracle oracle;
    text_open(&text, &mem);
    text_add(&text, object.preprocessed);
    text_add(&text, text_string(&object.source));
    struct verify_options options = {.path = "x.c",
                                     .threads = object.threads,
                                     .ops = object.ops,
                                     .bound = -1,
                                     .weak_fails = object.weak,
                                     .races = true,
                                     .search = {.reduce = ways[i], .deadlocks = true, .jobs = 1 + number % 2}};
    struct unit *unit = front_parse(&mem, "x.c", text_string(&text), text.count, &why);
    CHECKF(unit && subject_make(&mem, unit, &options, &s, &why), "%s", why.text);
    enumerate(&oracle, &mem, &s);
    if (!oracle.whole) {
      y->skipped++;
      break;
    }
    CHECKF(verify(&s, &limits, &v, &why), "object %llu: %s", (unsigned long long)number, why.text);
    bool race =
        v.search.violation == VIOLATION_FAULT && v.search.path[v.search.path_count - 1].move.fault == FAULT_RACE;
    bool holds = v.search.verdict == VERDICT_HOLDS;
    CHECKF((!race || oracle.races) && (!holds || !oracle.races), "object %llu, %s: %s, but enumeration finds %s\n%s",
           (unsigned long long)number, reduce_name(ways[i]), race ? "a data race" : "it holds",
           oracle.races ? "one" : "none", text_string(&object.source));
    y->races += race;
    y->holds += holds;
    y->other += !race && !holds;
  }
  mem_close(&mem);
}

TEST(verify_races_random) {
  struct tally y = {0};
  const char *asked = getenv("ASIF_TEST_OBJECTS");
  unsigned objects = asked ? (unsigned)atoi(asked) : 600;
  for (uint64_t i = 0; i < objects; i++) try_object(i, &y);
  CHECKF(y.races > objects / 20 && y.holds > objects / 20 && y.skipped < objects / 2,
         "%u races, %u hold, %u are otherwise wrong, %u skipped", y.races, y.holds, y.other, y.skipped);
}
