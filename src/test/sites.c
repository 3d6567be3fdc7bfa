/* Sites in the source (sites.h): they are told by line, kind and order, since a function that is inlined has one site
 * at many addresses; and trials, which are searches with other orders at some of them. */
#include "test/sites.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "test/debug_info.h"

bool sites_open(struct sites *s, struct mem *m, struct image *image, const char *object) {
  bool no_library;
  *s = (struct sites){.mem = m, .image = image, .object = object, .seen = share_memory(sizeof *s->seen)};
  s->info = debug_open(m, object, &no_library);
  return s->seen != NULL;
}

void sites_close(struct sites *s) {
  if (s->seen) munmap(s->seen, sizeof *s->seen);
  s->seen = NULL;
  debug_close(s->info);
  s->info = NULL;
}

const char *site_order_word(int order) {
  static const char *const words[] = {
      [__ATOMIC_RELAXED] = "relaxed", [__ATOMIC_CONSUME] = "consume", [__ATOMIC_ACQUIRE] = "acquire",
      [__ATOMIC_RELEASE] = "release", [__ATOMIC_ACQ_REL] = "acq_rel", [__ATOMIC_SEQ_CST] = "seq_cst"};
  return words[order];
}

const char *site_kind_word(const struct site *s) {
  static const char *const words[] = {[SITE_LOAD] = "load",
                                      [SITE_STORE] = "store",
                                      [SITE_UPDATE] = "update",
                                      [SITE_EXCHANGE] = "compare-and-exchange",
                                      [SITE_FENCE] = "fence"};
  return words[s->kind];
}

static bool is_known(const struct sites *s, uintptr_t pc) {
  for (size_t i = 0; i < s->known.count; i++)
    if (s->known.at[i] == pc) return true;
  return false;
}

static struct site *site_of(struct sites *s, const struct place *p, uint32_t word) {
  int kind = (int)(word >> 8 & 0xff), order = (int)(word >> 16 & 0xff), failed = (int)(word >> 24);
  for (size_t i = 0; i < s->at.count; i++) {
    struct site *one = &s->at.at[i];
    if (one->line == p->line && one->column == p->column && !strcmp(one->file, p->file) && (int)one->kind == kind &&
        one->order == order && one->failed == failed)
      return one;
  }
  struct site one = {.file = p->file,
                     .line = p->line,
                     .column = p->column,
                     .kind = (enum site_kind)kind,
                     .order = order,
                     .failed = failed};
  vec_push(s->mem, &s->at, one);
  return &s->at.at[s->at.count - 1];
}

struct met {
  uintptr_t pc;
  uint32_t word;
  struct place place;
};
static int by_place(const void *a, const void *b) {
  const struct met *x = a, *y = b;
  int files = strcmp(x->place.file, y->place.file);
  if (files) return files;
  if (x->place.line != y->place.line) return x->place.line < y->place.line ? -1 : 1;
  if (x->place.column != y->place.column) return x->place.column < y->place.column ? -1 : 1;
  return (x->pc > y->pc) - (x->pc < y->pc);
}

static void see(struct sites *s) { /* what is noted later than the site itself */
  for (size_t i = 0; i < SITES_MOST; i++) {
    const struct run_site *r = &s->seen->at[i];
    for (size_t n = 0; r->pc && (r->failed || r->varies) && n < s->at.count; n++)
      for (size_t k = 0; k < s->at.at[n].pcs.count; k++) {
        if (s->at.at[n].pcs.at[k] != r->pc) continue;
        s->at.at[n].fails |= r->failed;
        s->at.at[n].varies |= r->varies;
      }
  }
}

const char *site_number_word(const struct sites *s, uint32_t n) {
  static const char *const words[] = {"first ", "second ", "third ", "fourth ", "fifth "};
  const struct site *one = &s->at.at[n];
  size_t before = 0, all = 0;
  for (size_t i = 0; i < s->at.count; i++) {
    const struct site *o = &s->at.at[i];
    if (o->line != one->line || o->kind != one->kind || strcmp(o->file, one->file) != 0) continue;
    all++;
    before += o->column < one->column;
  }
  return all < 2 ? "" : before < sizeof words / sizeof *words ? words[before] : "later ";
}

/* Where the access is written: the innermost place that is in no header of the language; else the innermost. */
struct placing {
  struct place *places;
  bool *own;
};
static void keep_place(void *self, size_t at, const struct place *p) {
  const struct placing *k = self;
  bool own = p->line && !path_is_of_language(p->file);
  if (!p->line || k->own[at] || (!own && k->places[at].line)) return;
  k->places[at] = *p;
  k->own[at] = own;
}

static void find_places(struct sites *s, const uintptr_t *offsets, size_t count, struct place *places) {
  struct placing k = {places, mem_zero(s->mem, count + 1, sizeof *k.own)};
  size_t missing = count;
  for (size_t i = 0; s->info && i < count; i++) missing -= debug_frames(s->info, offsets[i], i, keep_place, &k);
  if (missing) frames_find(s->mem, s->object, offsets, count, keep_place, &k);
}

bool sites_refresh(struct sites *s) {
  VEC(struct met) met = {NULL, 0, 0};
  for (size_t i = 0; i < SITES_MOST; i++) {
    const struct run_site *r = &s->seen->at[i];
    struct met one = {.pc = r->pc, .word = r->word};
    if (one.pc && one.word && !is_known(s, one.pc)) vec_push(s->mem, &met, one);
  }
  uintptr_t *offsets = mem_zero(s->mem, met.count + 1, sizeof *offsets);
  struct place *places = mem_zero(s->mem, met.count + 1, sizeof *places);
  for (size_t i = 0; i < met.count; i++) offsets[i] = met.at[i].pc - image_base(s->image) - 1;
  if (met.count) find_places(s, offsets, met.count, places);
  for (size_t i = 0; i < met.count; i++) {
    struct text t;
    met.at[i].place = places[i];
    if (places[i].line) continue;
    text_open(&t, s->mem);
    text_printf(&t, "%#lx", (unsigned long)offsets[i]);
    met.at[i].place.file = text_string(&t);
  }
  if (met.count) qsort(met.at, met.count, sizeof *met.at, by_place);
  for (size_t i = 0; i < met.count; i++) {
    struct site *one = site_of(s, &met.at[i].place, met.at[i].word);
    vec_push(s->mem, &one->pcs, met.at[i].pc);
    vec_push(s->mem, &s->known, met.at[i].pc);
  }
  see(s);
  return met.count > 0;
}

static int by_pc(const void *a, const void *b) {
  const struct order_change *x = a, *y = b;
  return (x->pc > y->pc) - (x->pc < y->pc);
}

void sites_run_options(const struct sites *s, struct mem *m, const struct site_change *changes, size_t count,
                       struct run_options *o) {
  VEC(struct order_change) table = {NULL, 0, 0};
  for (size_t i = 0; i < count; i++) {
    const struct site *site = &s->at.at[changes[i].site];
    for (size_t k = 0; k < site->pcs.count; k++) {
      size_t n = 0;
      while (n < table.count && table.at[n].pc != site->pcs.at[k]) n++;
      if (n == table.count)
        vec_push(m, &table, ((struct order_change){.pc = site->pcs.at[k], .order = -1, .failed = -1}));
      struct order_change *c = &table.at[n];
      switch (changes[i].part) {
      case PART_ORDER: c->order = changes[i].order; break;
      case PART_FAILED: c->failed = changes[i].order; break;
      case PART_BEFORE: c->before = changes[i].order; break;
      case PART_AFTER: c->after = changes[i].order; break;
      }
    }
  }
  if (table.count) qsort(table.at, table.count, sizeof *table.at, by_pc);
  o->changes = table.at;
  o->change_count = table.count;
  o->sites = s->seen;
}

static size_t addresses(const struct sites *s, const struct site_change *changes, size_t count) {
  size_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += s->at.at[changes[i].site].pcs.count;
  return sum;
}

struct search_options sites_options(const struct trying *k, unsigned jobs) {
  struct search_options o = *k->search;
  o.jobs = jobs;
  o.keep_going = o.automatic = o.memory_open = false;
  o.progress = NULL;
  o.coverage = NULL;
  o.histories = NULL;
  o.tasks = NULL;
  o.schedules_most = 0;
  o.explore = (struct explore_options){.strategy = &strategies[EXPLORE_DPOR], .block = true, .orders = true};
  return o;
}

enum trial sites_try(struct trying *k, struct mem *m, const struct client_source *source,
                     const struct site_change *changes, size_t count, unsigned jobs, struct searched *out) {
  for (;;) {
    struct search_options o = sites_options(k, jobs);
    struct problem why;
    size_t before = addresses(k->sites, changes, count);
    sites_run_options(k->sites, m, changes, count, &o.run);
    if (limits_poll(&k->limits)) return TRIAL_OPEN;
    bool good = search_clients(m, k->image, source, &o, &k->limits, out, &why);
    if (good) k->cpu_seconds += out->cpu_seconds;
    if (good && out->peak_kb > k->peak_kb) k->peak_kb = out->peak_kb;
    sites_refresh(k->sites);
    if (!good) return TRIAL_OPEN;
    if (addresses(k->sites, changes, count) > before) continue; /* they were not all changed */
    if (out->verdict == VERDICT_VIOLATED) return TRIAL_BAD;
    bool whole = out->verdict == VERDICT_HOLDS && out->complete && out->done == out->clients && !out->uncounted &&
                 !out->shares_stacks && !out->reads_freed && !out->wide && !out->seen.incomplete;
    return whole ? TRIAL_GOOD : TRIAL_OPEN;
  }
}
