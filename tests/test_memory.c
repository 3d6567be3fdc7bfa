/* The allocator, data races, memory functions: what is found, and what is not. */
#include <string.h>

#include "images.h"
#include "test.h"

struct seen {
  uint32_t found; /* bit: enum found */
  char said[300];
};
static bool look(void *context, const struct run *r) {
  struct seen *seen = context;
  seen->found |= 1u << r->found;
  if (r->found) snprintf(seen->said, sizeof seen->said, "%s: %s", found_name(r->found), r->said);
  CHECKF(r->end == RUN_WHOLE, "a run ends with %d", r->end);
  return true;
}

enum {
  NONE = 1u << FOUND_NOTHING,
  RACE = 1u << FOUND_RACE,
  UAF = 1u << FOUND_USE_AFTER_FREE,
  BOUNDS = 1u << FOUND_OUT_OF_BOUNDS,
  DOUBLE = 1u << FOUND_DOUBLE_FREE,
  BAD = 1u << FOUND_BAD_FREE,
  LEAK = 1u << FOUND_LEAK
};

/* Over all schedules exactly the kinds of `must` and `may` are found: one of each of must. */
static void expect(struct image *image, const char *name, struct run_options options, uint32_t must, uint32_t may) {
  struct scene s;
  struct seen seen = {0};
  scene_open(&s, image, name, &options);
  size_t runs = scene_all(&s.client, 100000, look, &seen);
  CHECKF((seen.found & must) == must && !(seen.found & ~(must | may)), "%s: found %x, not %x, in %zu runs; %s", name,
         seen.found, must, runs, seen.said);
  CHECK(runs < 100000);
  printf("%s: %zu runs; %s\n", name, runs, seen.said);
}

static struct image *scenes(struct mem *m) {
  mem_open(m, NULL);
  return image_of(m, "tests/memory/scenes.c", "");
}

static const struct run_options plain = {.races = true};

TEST(memory_races) {
  static const char *const races[] = {
      "race_plain",         "race_writes",         "race_bytes",      "race_store_relaxed", "race_load_relaxed",
      "race_after_release", "race_sequence_ended", "race_fence_late", "race_fence_alone",   "race_failed_exchange",
      "race_mixed",         "race_mixed_write",    "race_volatile",   "race_block",         "race_copy",
      "race_copy_long",     "race_mutex",          "race_join"};
  struct mem m;
  struct image *image = scenes(&m);
  for (size_t i = 0; i < sizeof races / sizeof *races; i++) expect(image, races[i], plain, RACE, NONE);
  mem_close(&m);
}

TEST(memory_no_races) {
  static const char *const none[] = {"ok_reads",        "ok_bytes",  "ok_publish",       "ok_seq_cst",   "ok_sequence",
                                     "ok_sequence_own", "ok_fences", "ok_fence_seq_cst", "ok_exchange",  "ok_mixed",
                                     "ok_volatile",     "ok_block",  "ok_copy",          "ok_copy_long", "ok_mutex",
                                     "ok_join",         "ok_init"};
  struct mem m;
  struct image *image = scenes(&m);
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) expect(image, none[i], plain, NONE, 0);
  mem_close(&m);
}

TEST(memory_heap) {
  static const struct {
    const char *name;
    uint32_t must, may;
  } cases[] = {{"uaf_own", UAF, 0},
               {"uaf_plain", UAF, 0},
               {"uaf_other", NONE | UAF, 0},
               {"race_free", NONE | UAF, 0},
               {"ok_free", NONE, 0},
               {"double_free", DOUBLE, 0},
               {"double_free_two", DOUBLE, 0},
               {"bad_free_inside", BAD, 0},
               {"bad_free_global", BAD, 0},
               {"bad_free_stack", BAD, 0},
               {"bounds_after", BOUNDS, 0},
               {"bounds_slack", BOUNDS, 0},
               {"bounds_before", BOUNDS, 0},
               {"bounds_far", BOUNDS, 0},
               {"bounds_half", BOUNDS, 0},
               {"bounds_copy", BOUNDS, 0},
               {"bounds_string", BOUNDS, 0},
               {"bounds_zero", BOUNDS, 0},
               {"ok_bounds", NONE, 0},
               {"uaf_realloc", UAF, 0},
               {"early", NONE, 0},
               {"early_twice", UAF, 0}};
  struct mem m;
  struct image *image = scenes(&m);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect(image, cases[i].name, plain, cases[i].must, cases[i].may);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (strcmp(cases[i].name, "ok_bounds"))
      expect(image, cases[i].name, (struct run_options){.races = false}, cases[i].must, cases[i].may);
  mem_close(&m);
}

TEST(memory_leaks) {
  static const char *const kept[] = {"kept_global", "kept_low", "kept_high",   "kept_shifted", "kept_inside",
                                     "kept_chain",  "kept_own", "kept_result", "kept_not"};
  struct mem m;
  struct image *image = scenes(&m);
  const struct run_options leaks = {.races = true, .leaks = true};
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) expect(image, kept[i], leaks, NONE, 0);
  expect(image, "leak", leaks, LEAK, 0);
  expect(image, "leak_chain", leaks, LEAK, 0);
  expect(image, "leak", plain, NONE, 0);
  mem_close(&m);
}

TEST(memory_type_stable) {
  struct mem m;
  struct image *image = scenes(&m);
  const struct run_options stable = {.races = true, .type_stable = true};
  expect(image, "stable", stable, NONE, 0);
  expect(image, "stable", plain, NONE | UAF, 0);
  expect(image, "uaf_other", stable, NONE, 0);
  expect(image, "double_free", stable, DOUBLE, 0);
  expect(image, "race_store_relaxed", stable, NONE | RACE, 0);
  mem_close(&m);
}

/* The same every time, also what a run has done to blocks that were there before it. */
struct results {
  uint64_t seen; /* bit v: result v */
  long first;
  size_t count;
};
static bool results(void *context, const struct run *r) {
  struct results *to = context;
  long v = r->moments[r->moment_count - 1].result;
  CHECKF(!r->found, "%s", r->said);
  if (!to->count++) to->first = v;
  CHECK(v == to->first || (v >= 0 && v < 64));
  if (v >= 0 && v < 64) to->seen |= (uint64_t)1 << v;
  return true;
}
TEST(memory_repeats) {
  struct mem m;
  struct image *image = scenes(&m);
  struct scene s;
  struct results early = {0}, fresh = {0}, reused = {0};
  scene_open(&s, image, "early", &plain);
  for (int i = 0; i < 3; i++) scene_all(&s.client, 1000, results, &early);
  CHECKF(early.seen == 1 << 5, "%lx", (unsigned long)early.seen);
  scene_open(&s, image, "fresh_same", &plain);
  for (int i = 0; i < 3; i++) scene_all(&s.client, 1000, results, &fresh);
  CHECK(!fresh.seen && fresh.count == 3);
  struct run_options all = plain;
  all.reuse_all = true;
  scene_open(&s, image, "reused", &all);
  CHECK(scene_all(&s.client, 1000, results, &reused) == 2);
  CHECK(reused.seen == 3); /* the block that was freed, and a fresh one */
  scene_open(&s, image, "reused", &plain);
  CHECK(scene_all(&s.client, 1000, results, &reused) == 1); /* what a thread keeps itself of a block it freed */
  mem_close(&m);
}

TEST(memory_new) {
  static const struct {
    const char *name;
    uint32_t must;
  } cases[] = {{"ok_new", NONE},          {"bad_free_of_new", BAD},    {"bad_delete_of_malloc", BAD},
               {"bad_delete_array", BAD}, {"bad_delete_derived", BAD}, {"uaf_delete", UAF},
               {"bounds_new", BOUNDS},    {"leak_new", LEAK}};
  struct mem m;
  mem_open(&m, NULL);
  struct image *image = image_of(&m, "tests/memory/new.cc", "-std=c++17 -fsized-deallocation");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect(image, cases[i].name, (struct run_options){.races = true, .leaks = true}, cases[i].must, 0);
  mem_close(&m);
}

/* The ABA problem shows only where the block that was freed comes back. */
struct aba {
  size_t shown, always_fresh;
};
static bool look_for_aba(void *context, const struct run *r) {
  struct aba *aba = context;
  CHECKF(!r->found || r->found == FOUND_DOUBLE_FREE, "%s", r->said);
  bool fresh = true, twice = r->found; /* a node that was popped twice is freed twice, or its value is returned twice */
  for (size_t i = 0; i < r->count; i++) fresh &= !r->steps[i].blocks || r->steps[i].block + 1 == r->steps[i].blocks;
  for (size_t i = 0; i < r->moment_count; i++)
    twice |= r->moments[i].is_return && r->moments[i].fiber == 1 && r->moments[i].result == 1;
  aba->shown += twice;
  aba->always_fresh += twice && fresh;
  return true;
}
TEST(memory_aba) {
  struct mem m;
  mem_open(&m, NULL);
  struct image *image = image_of(&m, "tests/memory/aba.c", "");
  struct scene s;
  struct aba aba = {0, 0};
  scene_open(&s, image, "aba", &(struct run_options){.races = true, .type_stable = true});
  size_t runs = scene_all(&s.client, 1000000, look_for_aba, &aba);
  printf("%zu of %zu runs\n", aba.shown, runs);
  CHECK(runs < 1000000 && aba.shown && !aba.always_fresh);
  expect(image, "aba", plain, NONE | UAF, 0);
  mem_close(&m);
}

TEST(memory_own_new) {
  struct mem m;
  mem_open(&m, NULL);
  struct image *image = image_of(&m, "tests/memory/own_new.cc", "-std=c++17");
  expect(image, "own_new", plain, NONE, 0);
  expect(image, "own_twice", plain, DOUBLE, 0);
  mem_close(&m);
}
