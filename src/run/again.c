/* The last run once more, with blocks displaced: does what was said of it stand wherever they lie? Nothing of such a
 * run is kept, and nothing looked for. */
#include "run/runtime.h"

#include <stdlib.h>

#include "base/hash.h"

bool again_runs;

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
