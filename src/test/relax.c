/* What could be weaker: for each site the weakest order with which all clients still pass, found by running them.
 *
 * Each site is tried by itself, from the weakest order on. Then all of them together; where that is too weak they are
 * taken one after the other, each as weak as those before it leave it. So what is called joint was run together. */
#include <string.h>

#include "test/sites.h"

enum { FAILED_MOST = 8, WEAKER_MOST = 5 };

struct relaxing {
  struct trying *trying;
  struct relaxed *out;
  const struct client *failed[FAILED_MOST]; /* clients that failed lately are tried first: the last one first */
  size_t failed_count;
  size_t done; /* sites */
  bool over;
};

/* The orders that are weaker, the weakest first. */
static size_t weaker(enum site_kind kind, int now, int to[WEAKER_MOST]) {
  static const int all[] = {__ATOMIC_RELAXED, __ATOMIC_ACQUIRE, __ATOMIC_RELEASE, __ATOMIC_ACQ_REL};
  size_t count = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    int o = all[i];
    if (o == now) continue;
    if (o != __ATOMIC_RELAXED) {
      if (kind == SITE_LOAD && o != __ATOMIC_ACQUIRE) continue;
      if (kind == SITE_STORE && o != __ATOMIC_RELEASE) continue;
      if (now != __ATOMIC_SEQ_CST && now != __ATOMIC_ACQ_REL) continue;
    }
    if (now != __ATOMIC_RELAXED) to[count++] = o;
  }
  return count;
}

static void keep_failed(struct relaxing *k, const struct client *c) {
  struct client *copy = mem_zero(k->trying->mem, 1, sizeof *copy);
  client_copy(k->trying->mem, c, copy);
  if (k->failed_count == FAILED_MOST) memmove(k->failed, k->failed + 1, --k->failed_count * sizeof *k->failed);
  k->failed[k->failed_count++] = copy;
}

/* Do all clients pass with these changes? */
static bool pass(struct relaxing *k, const struct site_change *changes, size_t count) {
  struct trying *t = k->trying;
  struct mem *m = mem_child(t->mem);
  struct searched out;
  enum trial trial = TRIAL_GOOD;
  k->out->trials++;
  for (size_t i = k->failed_count; i-- > 0 && trial == TRIAL_GOOD;) {
    struct client_source one = *t->clients;
    const struct client *c = k->failed[i];
    one.one = c;
    one.list = NULL;
    trial = sites_try(t, m, &one, changes, count, 1, &out);
    if (trial != TRIAL_BAD) continue;
    memmove(k->failed + i, k->failed + i + 1, (k->failed_count - i - 1) * sizeof *k->failed);
    k->failed[k->failed_count - 1] = c;
  }
  if (trial == TRIAL_GOOD) {
    trial = sites_try(t, m, t->clients, changes, count, t->search->jobs, &out);
    if (trial == TRIAL_BAD) keep_failed(k, &out.finding.client);
    if (trial == TRIAL_GOOD) k->out->executions = out.histories;
  }
  mem_close(m);
  if (limits_poll(&t->limits)) k->over = true;
  return trial == TRIAL_GOOD;
}

static int now_of(const struct site *s, enum site_part part) { return part == PART_ORDER ? s->order : s->failed; }

static void add_site(struct relaxing *k, uint32_t n, enum site_part part) {
  const struct site *s = &k->trying->sites->at.at[n];
  struct relaxed_site r = {.site = n, .part = part, .now = now_of(s, part), .alone = -1, .joint = -1};
  vec_push(k->trying->mem, &k->out->at, r);
}

static void tell_progress(struct relaxing *k, const char *how) {
  if (k->trying->progress) k->trying->progress(how, k->done++, k->out->at.count);
}

static void try_alone(struct relaxing *k, struct relaxed_site *r) {
  tell_progress(k, "alone");
  const struct site *s = &k->trying->sites->at.at[r->site];
  int orders[WEAKER_MOST];
  size_t count = s->varies ? 0 : weaker(r->part == PART_FAILED ? SITE_LOAD : s->kind, r->now, orders);
  for (size_t i = 0; i < count && !k->over; i++) {
    struct site_change c = {r->site, r->part, orders[i]};
    if (!pass(k, &c, 1)) continue;
    r->alone = orders[i];
    return;
  }
  if (!k->over) r->alone = r->now;
}

/* All that is weaker than it is now. */
static size_t chosen(const struct relaxing *k, struct site_change *to) {
  size_t count = 0;
  for (size_t i = 0; i < k->out->at.count; i++) {
    const struct relaxed_site *r = &k->out->at.at[i];
    if (r->joint >= 0 && r->joint != r->now) to[count++] = (struct site_change){r->site, r->part, r->joint};
  }
  return count;
}

/* As weak as those before it leave it; what is not weaker by itself is not tried. */
static void try_next(struct relaxing *k, struct relaxed_site *r, struct site_change *changes) {
  const struct site *s = &k->trying->sites->at.at[r->site];
  int orders[WEAKER_MOST];
  size_t count = weaker(r->part == PART_FAILED ? SITE_LOAD : s->kind, r->now, orders), i = 0;
  tell_progress(k, "together");
  r->joint = r->now;
  if (r->alone == r->now) return;
  while (i < count && orders[i] != r->alone) i++;
  for (; i < count && !k->over; i++) {
    r->joint = orders[i];
    if (pass(k, changes, chosen(k, changes))) return;
  }
  r->joint = k->over ? -1 : r->now;
}

static void try_together(struct relaxing *k) {
  struct relaxed *out = k->out;
  struct site_change *changes = mem_zero(k->trying->mem, out->at.count + 1, sizeof *changes);
  for (size_t i = 0; i < out->at.count; i++) out->at.at[i].joint = out->at.at[i].alone;
  size_t count = chosen(k, changes);
  if (!count || pass(k, changes, count)) {
    out->held = true;
    return;
  }
  k->done = 0;
  for (size_t i = 0; i < out->at.count; i++) out->at.at[i].joint = -1;
  for (int fences = 1; fences >= 0; fences--) /* fences first: they cost most */
    for (size_t i = 0; i < out->at.count && !k->over; i++)
      if ((k->trying->sites->at.at[out->at.at[i].site].kind == SITE_FENCE) == fences)
        try_next(k, &out->at.at[i], changes);
  out->held = !k->over;
}

void relax_find(struct trying *t, struct relaxed *out) {
  struct relaxing *k = mem_zero(t->mem, 1, sizeof *k);
  *out = (struct relaxed){.complete = false};
  *k = (struct relaxing){.trying = t, .out = out};
  struct mem *m = mem_child(t->mem);
  struct searched all;
  sites_try(t, m, t->clients, NULL, 0, t->search->jobs, &all); /* to see the sites */
  mem_close(m);
  for (uint32_t i = 0; i < t->sites->at.count; i++) {
    const struct site *s = &t->sites->at.at[i];
    add_site(k, i, PART_ORDER);
    if (s->kind == SITE_EXCHANGE && s->fails) add_site(k, i, PART_FAILED);
  }
  for (size_t i = 0; i < out->at.count && !k->over; i++) try_alone(k, &out->at.at[i]);
  if (!k->over) try_together(k);
  out->complete = !k->over;
}
