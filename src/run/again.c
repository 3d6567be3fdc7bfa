/* The last run once more, with blocks displaced, threads exchanged, or another end: does what was said of it stand
 * wherever blocks lie, whoever does what, and whatever the schedule? Nothing of such a run is kept, and nothing looked
 * for. */
#include <stdlib.h>

#include "base/hash.h"
#include "run/heap_parts.h"
#include "run/weak.h"

bool again_runs, again_goes_on;

static struct {
  const struct client *client;
  struct choice *choices;
  size_t count;
  uint64_t results;
} again;

static uint64_t results_hash(const struct run *r) {
  uint64_t h = r->moment_count;
  for (size_t i = 0; i < r->moment_count; i++) h = hash_mix(h ^ (uint64_t)r->moments[i].result);
  return h;
}

static void ran_to_its_end(void *self, const struct run *r) {
  *(bool *)self = r && r->count == again.count && r->end == RUN_WHOLE && !r->found && results_hash(r) == again.results;
}

/* What a run found, for when the words of another are back. */
struct told {
  enum found found;
  struct run_words words;
};
static void keep_words(void *self, const struct run *r) {
  struct told *told = self;
  told->found = r ? r->found : FOUND_NOTHING;
  told->words = run_words;
}

static void run_again_to(void (*look)(void *, const struct run *), void *self) {
  kept_forget();
  again_runs = true;
  run_aside(again.client, &(struct plan){.choices = again.choices, .count = again.count}, look, self);
  again_runs = false;
  kept_forget();
}

static bool run_again(void) {
  bool same = false;
  run_again_to(ran_to_its_end, &same);
  return same;
}

static bool keep_choices(const struct client *client) {
  again.client = client;
  again.count = run.count;
  again.results = results_hash(&run);
  again.choices = calloc(run.count + 1, sizeof *again.choices);
  for (size_t i = 0; i < run.count && again.choices; i++)
    again.choices[i] = (struct choice){run.steps[i].fiber, run.steps[i].block};
  return again.choices != NULL;
}

/* Leaks. */

bool again_leaks(const struct client *client) {
  struct run whole = run;
  const struct recorder *recorder = recording;
  if (!keep_choices(client)) return false;
  run_record(NULL);
  options.leaks = false;
  bool stands = heap_leaks_stand(run_again);
  options.leaks = true;
  static struct told told; /* once more, to tell what is really lost */
  if (stands) run_again_to(keep_words, &told);
  heap_leaks_forget();
  run_record(recorder);
  free(again.choices);
  run = whole;
  if (!stands || told.found != FOUND_LEAK) return false;
  run_words = told.words;
  return true;
}

/* Livelocks. A run that came back to a state it was in can do so for ever. It is a livelock only if no schedule leads
 * out of there. A schedule that keeps two threads in step, so that each finds what the other holds and gives back what
 * it holds itself, is not one that a scheduler would make for ever: where one of them goes on alone, it comes through.
 * So from states of the repeated part, the first ones and some from all over it, each thread goes first: the others
 * take steps only while it cannot, in order. If an operation returns in one of these runs it was not a livelock. */

enum { STATES_TRIED = 16, STEPS_TRIED = 4000, CIRCLES_KNOWN = 64 };

static struct {
  uint64_t states[CIRCLES_KNOWN]; /* no way out of these was found */
  size_t count;
} circles;

static bool is_known(uint64_t state) {
  for (size_t i = 0; i < circles.count && i < CIRCLES_KNOWN; i++)
    if (circles.states[i] == state) return true;
  return false;
}

struct way_out {
  unsigned first;  /* the thread that goes first */
  size_t from;     /* the step from which on it does */
  size_t returned; /* operations that had returned by then */
  bool found;
};

static size_t returns(const struct run *r) {
  size_t count = 0;
  for (size_t i = 0; i < r->moment_count; i++) count += r->moments[i].is_return;
  return count;
}

static int choose_first(void *context, const struct run *r, struct choice *choice) {
  struct way_out *w = context;
  if (r->count == w->from) w->returned = returns(r);
  w->found |= returns(r) > w->returned;
  if (w->found || r->count >= w->from + STEPS_TRIED) return CHOOSE_STOP;
  uint64_t enabled = r->enabled, later = enabled & ~(((uint64_t)1 << w->first) - 1);
  *choice = (struct choice){(uint8_t)__builtin_ctzll(later ? later : enabled), 0};
  return 0;
}

/* The run may have ended with the step in which the operation returned. */
static void look_for_return(void *self, const struct run *r) {
  struct way_out *w = self;
  w->found |= r && r->count > w->from && returns(r) > w->returned;
}

static bool leads_out(unsigned first, size_t from) {
  struct way_out w = {.first = first, .from = from};
  kept_forget();
  run_aside(again.client,
            &(struct plan){.choices = again.choices, .count = from, .choose = choose_first, .context = &w},
            look_for_return, &w);
  kept_forget();
  return w.found;
}

static bool no_way_out(size_t begin, uint64_t alive) {
  size_t apart = (again.count - begin) / STATES_TRIED + 1;
  for (size_t i = 0, from = begin; from < again.count; i++, from += i < STATES_TRIED ? 1 : apart)
    for (uint64_t rest = alive; rest; rest &= rest - 1)
      if (leads_out((unsigned)__builtin_ctzll(rest), from)) return false;
  return true;
}

bool again_circle(const struct client *client) {
  struct run whole = run;
  const struct recorder *recorder = recording;
  bool leaks = options.leaks;
  uint64_t state = spin_circle ^ hash_mix(whole.alive);
  if (is_known(state) || !keep_choices(client)) return true;
  run_record(NULL);
  options.leaks = false;
  again_runs = again_goes_on = true;
  bool stands = no_way_out(whole.repeats, whole.alive);
  again_goes_on = false;
  static struct told told;
  if (stands) {
    circles.states[circles.count++ % CIRCLES_KNOWN] = state;
    run_again_to(keep_words, &told); /* so that memory is as the run left it */
  }
  again_runs = false;
  options.leaks = leaks;
  run_record(recorder);
  free(again.choices);
  run = whole;
  return stands;
}

/* Addresses: with blocks at other distances, is all that is read and written the same, but for them? */

static void hash_access(void *context, const struct access *a) {
  uint64_t *h = context, values[] = {a->address, a->read.low, a->read.high, a->wrote.low, a->wrote.high};
  *h = hash_mix(*h ^ (uint64_t)a->kind << 40 ^ (uint64_t)a->fiber << 32 ^ a->size);
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) *h = hash_mix(*h + heap_place(values[i]));
}

static void ran_as_long(void *self, const struct run *r) {
  *(bool *)self = r && r->count == again.count && r->end == RUN_WHOLE && !r->found;
}

bool again_addresses(const struct client *client) {
  struct run whole = run;
  uint64_t usual = 0, scattered = 0;
  bool same = false, repeats = false, leaks = options.leaks;
  if (!keep_choices(client)) return true;
  options.leaks = false;
  run_record(&(struct recorder){.access = hash_access, .context = &usual});
  run_again_to(ran_as_long, &repeats);
  heap_scatters = true;
  run_record(&(struct recorder){.access = hash_access, .context = &scattered});
  run_again_to(ran_as_long, &same);
  heap_scatters = false;
  run_record(NULL);
  options.leaks = leaks;
  free(again.choices);
  run = whole;
  return !repeats || (same && usual == scattered);
}

/* Threads: with each in another's place, is every step and every result the same? */

struct exchange {
  const uint8_t *to;
  const struct run *run;
  bool same;
};

/* Whose an address is, and where among what is the same thread's: in its blocks, stack or thread-local storage. */
static bool whose(uintptr_t address, unsigned *fiber, uintptr_t *at) {
  if (heap_owns(address)) {
    *fiber = (unsigned)((address - heap_base) >> AREA_BITS);
    *at = address - heap_areas[*fiber].start;
    return *fiber < FIBERS_MOST;
  }
  if (!run_stack_at(address, fiber)) return run_storage_at(address, fiber, at);
  *at = address - (uintptr_t)fibers[*fiber].stack;
  return true;
}

static bool same_word(const struct exchange *x, uintptr_t a, uintptr_t b) {
  unsigned f, g;
  uintptr_t m, n;
  if (!whose(a, &f, &m)) return a == b;
  return whose(b, &g, &n) && x->to[f] == g && m == n;
}

/* Are the words of one footprint those of the other, exchanged? */
static bool same_footprint(const struct exchange *x, uint32_t one, uint32_t other) {
  size_t m, n, i, k;
  if (!one || !other) return one == other;
  const uintptr_t *a = footprint_words(one, &m), *b = footprint_words(other, &n);
  for (i = 0; i < m && m == n; i++) {
    for (k = 0; k < n; k++)
      if (!((a[i] ^ b[k]) & FOOTPRINT_WRITES) && same_word(x, a[i] & ~(uintptr_t)1, b[k] & ~(uintptr_t)1)) break;
    if (k == n) return false;
  }
  return m == n;
}

/* Under a weak memory model the names of writes follow from the choices. */
static bool same_place(const struct exchange *x, const struct step *a, const struct step *b) {
  if (a->kind == POINT_BLOCK) return same_footprint(x, (uint32_t)a->place, (uint32_t)b->place);
  return (weak_on && a->kind <= POINT_UPDATE) || same_word(x, a->place, b->place);
}

static bool same_step(const struct exchange *x, const struct step *a, const struct step *b) {
  unsigned flags = STEP_CALLS | STEP_RETURNS | STEP_WROTE | STEP_WAITS | STEP_OPENS;
  return x->to[a->fiber] == b->fiber && a->kind == b->kind && a->size == b->size && a->block == b->block &&
         a->blocks == b->blocks && !((a->flags ^ b->flags) & flags) && same_word(x, a->address, b->address) &&
         same_place(x, a, b);
}

static bool same_moment(const struct exchange *x, const struct moment *a, const struct moment *b) {
  const struct client *c = x->run->client;
  uint32_t call = a->call;
  if (a->fiber < c->threads) call = call - c->first[a->fiber] + c->first[x->to[a->fiber]];
  return x->to[a->fiber] == b->fiber && call == b->call && a->step == b->step && a->is_return == b->is_return &&
         (!a->is_return || same_word(x, (uintptr_t)a->result, (uintptr_t)b->result));
}

static void compare_exchanged(void *self, const struct run *r) {
  struct exchange *x = self;
  const struct run *was = x->run;
  x->same = r && r->end == RUN_WHOLE && !r->found && r->count == was->count && r->moment_count == was->moment_count;
  for (size_t i = 0; x->same && i < r->count; i++) x->same = same_step(x, &was->steps[i], &r->steps[i]);
  for (size_t i = 0; x->same && i < r->moment_count; i++) x->same = same_moment(x, &was->moments[i], &r->moments[i]);
}

bool run_exchanged(const struct client *client, const uint8_t *to) {
  struct run whole = run;
  struct exchange x = {.to = to, .run = &whole};
  bool leaks = options.leaks;
  if (!keep_choices(client)) return false;
  for (size_t i = 0; i < again.count; i++) again.choices[i].fiber = to[again.choices[i].fiber];
  options.leaks = false;
  run_again_to(compare_exchanged, &x);
  options.leaks = leaks;
  free(again.choices);
  run = whole;
  return x.same;
}
