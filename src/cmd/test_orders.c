/* asif test: memory orders. What repairs a violation, what could be weaker; searched for, and in words. */
#include <string.h>

#include "cmd/test_job.h"

enum { LINE_MOST = 60 }; /* of a line of the source in the table */

/* Memory has the model that is tried; of a race that was found under C11 memory and told without, that. */
static bool open_trying(struct test_job *j, struct trying *t) {
  struct search_options *o = mem_zero(&j->own, 1, sizeof *o);
  *o = j->options;
  if (o->run.memory == MEMORY_SC) {
    o->run.memory = MEMORY_C11;
    o->run.reuse_all = true;
  }
  struct sites *s = mem_zero(&j->own, 1, sizeof *s);
  *t = (struct trying){
      .mem = &j->own, .image = j->image, .object = &j->object, .clients = &j->clients, .search = o, .sites = s};
  return sites_open(s, &j->own, j->image, j->compiled.object);
}

static void close_trying(struct test_job *j, struct trying *t) {
  j->answer.cpu_seconds += t->cpu_seconds;
  sites_close(t->sites);
}

/* Stronger orders repair what is wrong under a weak model, and what needs to be ordered under any. */
static bool may_be_repaired(const struct test_job *j) {
  enum found f = j->answer.finding.found;
  if (j->answer.finding.died || j->compiled.unscanned) return false; /* what nobody saw run may be wrong all the same */
  return j->options.run.memory != MEMORY_SC || (j->told_consistently && (f == FOUND_RACE || f == FOUND_USE_AFTER_FREE));
}

void look_for_fix(struct test_job *j) {
  struct trying *t = mem_zero(&j->own, 1, sizeof *t);
  double left = j->seconds - limits_elapsed(&j->limits), seconds = j->fix_seconds;
  if (seconds <= 0 || !may_be_repaired(j)) return;
  if (j->limited && left < seconds) seconds = left;
  if (seconds <= 0 || !open_trying(j, t)) return;
  limits_start(&t->limits, seconds, j->bytes);
  t->limits.interrupted = &interrupted;
  j->fix = mem_zero(&j->own, 1, sizeof *j->fix);
  fix_find(t, &j->answer.finding, j->fix);
  j->sites = t->sites;
  close_trying(j, t);
}

static void show_sites(const char *how, size_t done, size_t all) {
  fprintf(stderr, "\r%zu of %zu accesses tried %s%40s\r", done, all, how, "");
  fflush(stderr);
}

void look_for_weaker(struct test_job *j) {
  struct trying *t = mem_zero(&j->own, 1, sizeof *t);
  double left = j->seconds - limits_elapsed(&j->limits);
  if (j->answer.verdict != VERDICT_HOLDS || !j->answer.complete || (j->limited && left <= 0) || !open_trying(j, t))
    return;
  limits_start(&t->limits, j->limited ? left : 0, j->bytes);
  t->limits.interrupted = &interrupted;
  j->relaxed = mem_zero(&j->own, 1, sizeof *j->relaxed);
  if (j->options.progress) t->progress = show_sites;
  relax_find(t, j->relaxed);
  j->sites = t->sites;
  close_trying(j, t);
}

/* Words. */

static const struct site *site_of(const struct test_job *j, uint32_t n) { return &j->sites->at.at[n]; }

static void put_place(const struct site *s, struct text *t) {
  text_add(t, s->file);
  if (s->line) text_printf(t, ":%u", (unsigned)s->line);
}

/* "the store with release instead of relaxed", "a seq_cst fence after the store" */
static void put_change(const struct test_job *j, const struct site_change *c, struct text *t) {
  const struct site *s = site_of(j, c->site);
  const char *number = site_number_word(j->sites, c->site), *what = site_kind_word(s);
  switch (c->part) {
  case PART_BEFORE:
  case PART_AFTER:
    text_printf(t, "%s %s fence %s the %s%s", c->order == __ATOMIC_ACQUIRE || c->order == __ATOMIC_ACQ_REL ? "an" : "a",
                site_order_word(c->order), c->part == PART_BEFORE ? "before" : "after", number, what);
    return;
  default:
    text_printf(t, "the %s%s%s with %s instead of %s", number, what, c->part == PART_FAILED ? ", where it fails," : "",
                site_order_word(c->order), site_order_word(c->part == PART_FAILED ? s->failed : s->order));
  }
}

static void put_many(struct text *t, uint64_t n, const char *one, const char *many) {
  text_printf(t, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static const char *one_of(const struct test_job *j) { return j->object.tests ? "test" : "client"; }

static void put_found_fix(const struct test_job *j, struct text *t) {
  const struct fix *f = j->fix;
  const char *right = j->object.tests ? "right" : "linearizable";
  for (size_t i = 0; i < f->count; i++) {
    if (i) text_add(t, i + 1 == f->count ? "; and " : "; ");
    put_place(site_of(j, f->changes[i].site), t);
    text_add(t, ": ");
    put_change(j, &f->changes[i], t);
  }
  text_printf(t, ": then every execution of this %s is %s (", one_of(j), right);
  put_many(t, f->executions, "execution", "executions");
  text_char(t, ')');
  if (f->whole && f->clients > 1) {
    text_printf(t, ", and of all %llu %ss (", (unsigned long long)f->clients, one_of(j));
    put_many(t, f->whole, "execution", "executions");
    text_char(t, ')');
  } else if (f->still) {
    text_add(t, ", but not of ");
    client_print(&j->object, &f->other, t);
    text_printf(t, " (%s)%s", found_name(f->still), f->no_time ? "; the time was over" : "");
  } else if (f->no_time) {
    text_add(t, "; not all of the others were tried");
  }
  if (f->larger) text_add(t, "; none of these can be left out");
}

static enum found kind_of(enum found f) { return f == FOUND_ORDERS ? FOUND_HISTORY : f; }
static bool the_same(enum found a, enum found b) { return kind_of(a) == kind_of(b); }

static const struct model_tried *model_of(const struct fix *f, enum memory_model m) {
  for (size_t i = 0; i < f->model_count; i++)
    if (f->models[i].model == m) return &f->models[i];
  return NULL;
}

char *fix_words(const struct test_job *j, struct mem *m) {
  const struct fix *f = j->fix;
  enum found found = j->answer.finding.found;
  struct text t;
  if (!f) return NULL;
  text_open(&t, m);
  text_add(&t, j->options.run.memory == MEMORY_SC ? "fix, under C11 memory: " : "fix: ");
  const struct model_tried *sc = model_of(f, MEMORY_SC);
  switch (f->outcome) {
  case FIX_FOUND: put_found_fix(j, &t); break;
  case FIX_NONE: text_printf(&t, "no fix of up to %d sites found: all were tried", FIX_MOST); break;
  case FIX_HIDDEN:
    text_printf(
        &t,
        "no fix of up to %d sites found; not tried were accesses that the compiled code does not tell apart, in "
        "headers of C++ without inlining (-O0), or at the end of a function (-O2): try -O1",
        FIX_MOST);
    break;
  case FIX_NEVER:
    text_printf(&t, "none: %s: not a matter of memory orders",
                sc && sc->trial == TRIAL_BAD && the_same(sc->found, found)
                    ? "the same happens under sequential consistency"
                    : "it is wrong with every access seq_cst, and fences between them, too");
    break;
  case FIX_NO_TIME: text_printf(&t, "no fix of up to %d sites found in %.0f s", FIX_MOST, f->seconds); break;
  }
  text_printf(&t, "\nthis %s under other models: ", one_of(j));
  bool first = true;
  for (size_t i = 0; i < f->model_count; i++) {
    const struct model_tried *o = &f->models[i];
    if (o->model == j->options.run.memory) continue;
    text_printf(&t, "%s%s: ", first ? "" : "; ", memory_model_name(o->model));
    first = false;
    if (o->trial == TRIAL_BAD)
      text_printf(&t, "%s%s", the_same(o->found, found) ? "the same, " : "", found_name(o->found));
    else
      text_add(&t, o->trial == TRIAL_GOOD ? "right" : "not known");
  }
  text_char(&t, '\n');
  return mem_string(m, text_string(&t), t.count);
}

static void put_string(struct text *t, const char *s) { put_json(t, s, strlen(s)); }

static void put_site_json(const struct site *s, struct text *t) {
  text_add(t, "{\"file\":");
  put_string(t, s->file);
  text_printf(t, ",\"line\":%u,\"column\":", (unsigned)s->line);
  text_printf(t, s->column ? "%u" : "null", (unsigned)s->column);
  text_printf(t, ",\"access\":\"%s\"", site_kind_word(s));
}

static void put_fix_json(const struct test_job *j, struct text *t) {
  static const char *const outcomes[] = {[FIX_FOUND] = "found",
                                         [FIX_NONE] = "none",
                                         [FIX_NEVER] = "not a matter of memory orders",
                                         [FIX_NO_TIME] = "unknown",
                                         [FIX_HIDDEN] = "unknown"};
  const struct fix *f = j->fix;
  text_printf(t, ",\"fix\":{\"outcome\":\"%s\",\"changes\":[", outcomes[f->outcome]);
  for (size_t i = 0; i < f->count; i++) {
    const struct site_change *c = &f->changes[i];
    if (i) text_char(t, ',');
    put_site_json(site_of(j, c->site), t);
    text_add(t, ",\"change\":");
    struct text what;
    text_open(&what, t->mem);
    put_change(j, c, &what);
    put_string(t, text_string(&what));
    text_char(t, '}');
  }
  text_add(t, "],\"executions\":");
  text_printf(t, f->outcome == FIX_FOUND ? "%llu" : "null", (unsigned long long)f->executions);
  text_add(t, ",\"clients\":");
  text_printf(t, f->whole ? "%llu" : "null", (unsigned long long)f->clients);
  text_add(t, ",\"all_executions\":");
  text_printf(t, f->whole ? "%llu}" : "null}", (unsigned long long)f->whole);
  text_add(t, ",\"other_models\":{");
  for (size_t i = 0; i < f->model_count; i++) {
    const struct model_tried *o = &f->models[i];
    text_printf(t, "%s\"%s\":", i ? "," : "", memory_model_name(o->model));
    put_string(t, o->trial == TRIAL_BAD ? found_name(o->found) : o->trial == TRIAL_GOOD ? "holds" : "unknown");
  }
  text_char(t, '}');
}

/* The table. */

static const char *order_of(const struct site *s, int order) {
  return order < 0 ? "?" : s->kind == SITE_FENCE && order == __ATOMIC_RELAXED ? "none" : site_order_word(order);
}

static const char *access_of(const struct test_job *j, const struct relaxed_site *r, struct text *t) {
  text_clear(t);
  text_printf(t, "%s%s%s", site_number_word(j->sites, r->site), site_kind_word(site_of(j, r->site)),
              r->part == PART_FAILED ? ", failed" : "");
  return text_string(t);
}

/* A line of a file, without what it begins with. */
static void put_source(const char *file, uint32_t line, struct text *t) {
  struct text all;
  text_open(&all, t->mem);
  if (line && text_file(&all, file)) {
    const char *s = text_string(&all);
    for (uint32_t i = 1; i < line && s; i++) s = strchr(s, '\n'), s = s ? s + 1 : NULL;
    if (s) s += strspn(s, " \t");
    int n = s ? (int)strcspn(s, "\r\n") : 0;
    if (n) text_printf(t, "  | %.*s%s", n > LINE_MOST ? LINE_MOST : n, s, n > LINE_MOST ? " ..." : "");
  }
  mem_free(t->mem, all.at);
}

static bool is_weaker(const struct relaxed_site *r) { return r->joint >= 0 && r->joint != r->now; }

const char *relaxed_words(const struct test_job *j, struct mem *m) {
  const struct relaxed *x = j->relaxed;
  struct text t, access;
  if (!x) return NULL;
  if (!x->at.count) return "These clients make no atomic access: there is no memory order to relax.\n";
  text_open(&t, m);
  text_open(&access, m);
  const char *file = NULL;
  size_t could = 0;
  for (size_t i = 0; i < x->at.count; i++) {
    const struct relaxed_site *r = &x->at.at[i];
    const struct site *s = site_of(j, r->site);
    if (!file || strcmp(file, s->file) != 0)
      text_printf(&t, "%s%s\n  line  %-28s %-8s %-8s %s\n", file ? "\n" : "", s->file, "access", "now", "alone",
                  "together");
    file = s->file;
    could += is_weaker(r);
    text_printf(&t, "%6u  %-28s %-8s %-8s %-8s", (unsigned)s->line, access_of(j, r, &access),
                s->varies ? "varies" : order_of(s, r->now), s->varies ? "" : order_of(s, r->alone),
                s->varies ? "" : order_of(s, r->joint));
    put_source(s->file, s->line, &t);
    text_char(&t, '\n');
  }
  text_add(&t, "\nThe weakest orders with which ");
  if (j->answer.clients == 1)
    text_printf(&t, "this %s is right", j->object.tests ? "test" : "client");
  else
    text_printf(&t, "these %llu %s are right", (unsigned long long)j->answer.clients,
                j->object.tests ? "tests" : "clients");
  text_add(&t, ": each alone, and all together");
  if (x->complete && x->held && could) text_printf(&t, " (%llu executions)", (unsigned long long)x->executions);
  text_printf(&t, ".\n%s", x->complete ? "" : "Not all was tried: the time was over (?: not known).\n");
  text_add(&t, j->object.tests ? "Other tests may need more.\n" : "Other clients may need more.\n");
  return mem_string(m, text_string(&t), t.count);
}

static void put_order_json(const struct site *s, int order, struct text *t) {
  if (order < 0 || s->varies)
    text_add(t, "null");
  else
    text_printf(t, "\"%s\"", order_of(s, order));
}

static void put_relaxed_json(const struct test_job *j, struct text *t) {
  const struct relaxed *x = j->relaxed;
  text_printf(t, ",\"relax\":{\"complete\":%s,\"executions\":", x->complete ? "true" : "false");
  text_printf(t, x->complete ? "%llu" : "null", (unsigned long long)x->executions);
  text_add(t, ",\"sites\":[");
  for (size_t i = 0; i < x->at.count; i++) {
    const struct relaxed_site *r = &x->at.at[i];
    const struct site *s = site_of(j, r->site);
    if (i) text_char(t, ',');
    put_site_json(s, t);
    text_printf(t, ",\"failed\":%s,\"now\":", r->part == PART_FAILED ? "true" : "false");
    put_order_json(s, r->now, t);
    text_add(t, ",\"alone\":");
    put_order_json(s, r->alone, t);
    text_add(t, ",\"together\":");
    put_order_json(s, r->joint, t);
    text_char(t, '}');
  }
  text_add(t, "]}");
}

void orders_json(const struct test_job *j, struct text *t) {
  if (j->fix) put_fix_json(j, t);
  if (j->relaxed) put_relaxed_json(j, t);
}
