/* Which freed blocks are allocated again: random programs with allocations and frees, searched with every freed block
 * offered to every allocation, and with those only whose address somebody may have. Histories and findings are the
 * same. Programs have what an ABA needs: addresses that are compared, kept in memory, marked, counted, shifted,
 * announced as hazards, and freed early. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "test.h"
#include "test/explore.h"

static uint64_t state;
static unsigned draw(unsigned below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % below;
}

/* Programs. */

enum { OPS = 8, CALLS = 6 };
static const char *slot(void) { return draw(3) ? "a" : "b"; }
static const char *fresh(void) { return draw(4) ? "make(1)" : draw(2) ? "make(2)" : "made(2)"; }

static void statement(FILE *f, bool stale) {
  const char *a = slot(), *b = slot(), *n = fresh();
  switch (draw(stale ? 26 : 24)) {
  case 0: fprintf(f, "  push(%s);\n", n); break;
  case 1:
  case 2: fprintf(f, "  r = r * 3 + pop(%u);\n", draw(3)); break;
  case 3: /* in, and what was there is freed */
    fprintf(f, "  { struct node *old = SWAP(&%s, %s); if (old) free(old); }\n", a, n);
    break;
  case 4: /* the same, if nobody else did */
    fprintf(
        f, "  { struct node *old = LOAD(&%s), *n = %s; if (CAS(&%s, &old, n)) free(old); else { free(n); r += 4; } }\n",
        a, n, a);
    break;
  case 5: fprintf(f, "  r = r * 3 + (LOAD(&%s) == LOAD(&%s));\n", a, b); break;
  case 6: fprintf(f, "  STORE(&%s, LOAD(&%s));\n", b, a); break;
  case 7: fprintf(f, "  { struct node *n = %s; r += n->value; free(n); }\n", n); break;
  case 8: /* which may be freed by then */
    fprintf(f, "  { struct node *p = LOAD(&%s); if (p) r = r * 3 + LOAD(&p->value); }\n", a);
    break;
  case 9: /* with a mark in the lowest bits */
    fprintf(
        f,
        "  { uintptr_t t = LOAD(&marked), was = t, n = (uintptr_t)%s | 1; if (CAS(&marked, &t, n)) free((void *)(was "
        "& ~15)); else { free((void *)(n & ~15)); r += 5; } }\n",
        n);
    break;
  case 10: /* counted, in the highest */
    fprintf(f,
            "  { uintptr_t t = LOAD(&counted), was = t, n = (uintptr_t)%s | (%s << 48); if (CAS(&counted, &t, n)) "
            "free((void *)(was << 16 >> 16)); else { free((void *)(n << 16 >> 16)); r += 6; } }\n",
            n, draw(2) ? "((t >> 48) + 1)" : "(uintptr_t)1");
    break;
  case 11: /* is it the same? */
    fprintf(f, "  { struct node *p = LOAD(&%s); r += LOAD(&x); r = r * 3 + (p && p == LOAD(&%s)); }\n", a, b);
    break;
  case 12: /* announced, and looked again */
    fprintf(f,
            "  { struct node *p = LOAD(&%s); STORE(&hazard, p); if (p && p == LOAD(&%s)) r += LOAD(&p->value); "
            "%s }\n",
            a, a, draw(2) ? "STORE(&hazard, (struct node *)0);" : "");
    break;
  case 13: /* freed if nobody announced it */
    fprintf(f, "  { struct node *old = SWAP(&%s, %s); if (old && LOAD(&hazard) != old) free(old); else r += 7; }\n", a,
            draw(2) ? "(struct node *)0" : n);
    break;
  case 14: /* shifted */
    fprintf(f,
            "  { struct node *p = LOAD(&%s); if (p) STORE(&shifted, (uintptr_t)p << %u | 1); else if (LOAD(&shifted) "
            ">> %u == "
            "(uintptr_t)LOAD(&%s)) r += 2; }\n",
            a, 8u, 8u, b);
    break;
  case 15: fprintf(f, "  r = r * 3 + __atomic_fetch_add(&x, 1, 5);\n"); break;
  case 16: fprintf(f, "  r = r * 3 + LOAD(&x);\n"); break;
  case 17: /* out, freed, and another in elsewhere */
    fprintf(f, "  { struct node *p = SWAP(&%s, (struct node *)0); if (p) { free(p); STORE(&%s, %s); } }\n", a, b, n);
    break;
  case 18: /* kept from one operation to the next */
    fprintf(f, "  if (mine) { r = r * 3 + (mine == LOAD(&%s)); } else mine = LOAD(&%s);\n", a, b);
    break;
  case 19:
    fprintf(f, "  ASIF_ATOMIC { struct node *p = LOAD(&%s); STORE(&%s, %s); if (p && p != LOAD(&%s)) free(p); }\n", a,
            a, draw(2) ? "(struct node *)0" : b, b);
    break;
  case 20: /* allocated and freed in one step */
    fprintf(f,
            "  ASIF_ATOMIC { struct node *p = LOAD(&%s); if (p != LOAD(&%s)) { STORE(&%s, %s); if (p) free(p); } }\n",
            a, b, a, n);
    break;
  case 21: /* looked at in one, compared and freed in another */
    fprintf(
        f,
        "  { struct node *p, *q; ASIF_ATOMIC { p = LOAD(&%s); q = p ? LOAD(&%s) : p; } ASIF_ATOMIC { if (p && p != q "
        "&& LOAD(&%s) == p) { STORE(&%s, q); free(p); r += 8; } } }\n",
        a, b, a, a);
    break;
  case 22: /* plain memory, which only blocks access */
    fprintf(f, "  { struct node *n = %s, *p; ASIF_ATOMIC { p = hidden; hidden = n; } if (p) %s }\n", n,
            draw(2) ? "free(p);" : "ASIF_ATOMIC { r = r * 3 + (p == hidden); }");
    break;
  case 23:
    fprintf(f, "  ASIF_ATOMIC { r = r * 3 + (hidden == LOAD(&%s)); %s }\n", a,
            draw(2)   ? "hidden = 0;"
            : draw(2) ? "if (hidden) { free(hidden); hidden = 0; }"
                      : "");
    break;
  case 24: /* the address of what is freed goes to memory */
    fprintf(f, "  { struct node *p = SWAP(&%s, (struct node *)0); if (p) { free(p); STORE(&%s, p); } }\n", a, b);
    break;
  default: fprintf(f, "  { struct node *p = %s; free(p); STORE(&%s, p); }\n", n, a);
  }
}

static void write_program(const char *path) {
  FILE *f = fopen(path, "w");
  CHECK(f);
  bool plain = draw(2), stale = draw(6) == 0;
  fprintf(
      f,
      "#include <asif.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
      "#define LOAD(at) __atomic_load_n(at, 5)\n#define STORE(at, v) __atomic_store_n(at, v, 5)\n"
      "#define SWAP(at, v) __atomic_exchange_n(at, v, 5)\n"
      "#define CAS(at, expected, now) __atomic_compare_exchange_n(at, expected, now, 0, 5, 5)\n"
      "struct node { struct node *next; int value; };\n"
      "static struct node *top, *a, *b, *hazard, *hidden;\nstatic uintptr_t marked, counted, shifted;\nstatic int x;\n"
      "static %sstruct node *%smine;\n",
      plain ? "__thread " : "", plain ? "" : "_Atomic ");
  fprintf(f,
          "static struct node *make(int v) { struct node *n = malloc(sizeof *n); n->next = 0; %s; return n; }\n"
          "static struct node *made(int v) { struct node *n = calloc(3, sizeof *n); %s; return n; }\n",
          plain ? "n->value = v" : "STORE(&n->value, v)", plain ? "n->value = v" : "STORE(&n->value, v)");
  fprintf(f, "static void push(struct node *n) { struct node *t = LOAD(&top); %s; if (!CAS(&top, &t, n)) free(n); }\n",
          plain ? "n->next = t" : "STORE(&n->next, t)");
  fprintf(f,
          "static int pop(int how) { struct node *t = LOAD(&top), *next; if (!t) return 0; next = %s;\n"
          "  if (!CAS(&top, &t, next)) return 3; int v = LOAD(&t->value); if (how != 1) free(t); else STORE(&a, t); "
          "return v; "
          "}\n",
          plain ? "t->next" : "LOAD(&t->next)");
  for (int i = 0; i < OPS; i++) {
    fprintf(f, "static long op%d(void) {\n  long r = 0;\n", i);
    for (unsigned n = 1 + draw(2); n; n--) statement(f, stale);
    fprintf(f, "  return r;\n}\n");
  }
  fprintf(f, "static void set_up(void) { %s %s %s }\n", draw(2) ? "push(make(1));" : "",
          draw(2) ? "push(make(2));" : "", draw(2) ? "a = make(3);" : "a = b = make(3);");
  fprintf(f, "ASIF_OBJECT(self)\nASIF_INIT(set_up)\n%s", draw(2) ? "ASIF_TYPE_STABLE()\n" : "");
  for (int i = 0; i < OPS; i++) fprintf(f, "ASIF_OP(op%d)\n", i);
  fclose(f);
}

/* What a search sees. */

struct seen {
  uint8_t found;
  uint32_t returned;
  uint64_t before; /* bit CALLS * i + j: call i returned before call j was made */
  long result[CALLS];
};
struct sights {
  struct seen *at;
  size_t count, room;
  uint64_t schedules, most;
  bool too_many;
  struct hashes *set;
};

static enum visit look(void *self, const struct run *r) {
  struct sights *s = self;
  struct seen now = {.found = (uint8_t)r->found};
  size_t called_at[CALLS], returned_at[CALLS];
  if (++s->schedules >= s->most || r->end == RUN_LONG) {
    s->too_many = true;
    return VISIT_STOP;
  }
  memset(called_at, -1, sizeof called_at);
  memset(returned_at, -1, sizeof returned_at);
  for (size_t i = 0; i < r->moment_count && !r->found; i++) {
    const struct moment *m = &r->moments[i];
    if (m->is_return) {
      now.returned |= 1u << m->call;
      now.result[m->call] = m->result;
      returned_at[m->call] = i;
    } else {
      called_at[m->call] = i;
    }
  }
  for (unsigned i = 0; i < CALLS; i++)
    for (unsigned j = 0; j < CALLS; j++)
      if (returned_at[i] != SIZE_MAX && called_at[j] != SIZE_MAX && returned_at[i] < called_at[j])
        now.before |= (uint64_t)1 << (CALLS * i + j);
  uint64_t h = hash_bytes(&now, sizeof now);
  if (hashes_add(s->set, (struct hash){h, hash_mix(h ^ 1)}, 0) != HASH_NEW) return VISIT_ON;
  if (s->count == s->room) {
    s->room = s->room ? 2 * s->room : 256;
    s->at = realloc(s->at, s->room * sizeof *s->at);
    CHECK(s->at);
  }
  s->at[s->count++] = now;
  return VISIT_ON;
}

/* Is there one with the same results, and no fewer in order? exactly: the same. */
static bool has(const struct sights *s, const struct seen *one, bool exactly) {
  for (size_t i = 0; i < s->count; i++) {
    const struct seen *o = &s->at[i];
    if (o->found == one->found && o->returned == one->returned && !memcmp(o->result, one->result, sizeof o->result) &&
        (exactly ? o->before == one->before : !(one->before & ~o->before)))
      return true;
  }
  return false;
}

static bool search(const struct client *c, const struct explore_options *how, uint64_t most, struct sights *s) {
  struct explore_counts counts;
  struct problem why;
  s->count = 0;
  s->schedules = 0;
  s->most = most;
  s->too_many = false;
  s->set = hashes_open_own((size_t)1 << 28);
  CHECK(s->set);
  CHECKF(explore(c, how, NULL, NULL, look, s, &counts, &why), "%s", why.text);
  s->schedules = counts.schedules;
  hashes_close(s->set);
  return !s->too_many;
}

static bool missed(const char *what, const struct sights *every, const struct sights *some, bool exactly) {
  bool any = false;
  for (size_t i = 0; i < every->count; i++) {
    const struct seen *s = &every->at[i];
    if (has(some, s, exactly)) continue;
    fprintf(stderr, "%s: found %d, returned %x, before %llx, results", what, s->found, s->returned,
            (unsigned long long)s->before);
    for (int k = 0; k < CALLS; k++) fprintf(stderr, " %ld", s->result[k]);
    fprintf(stderr, "\n");
    any = true;
  }
  return any;
}

/* Bit k: a finding of this kind. */
static uint32_t finds(const struct sights *s) {
  uint32_t kinds = 0;
  for (size_t i = 0; i < s->count; i++) kinds |= 1u << s->at[i].found;
  return kinds & ~(1u << FOUND_NOTHING);
}

static struct mem mem; /* for good: images are told apart by where they are */
static struct { uint64_t compared, all, held, fewer, findings, again; } sums;

struct tested {
  struct image *image;
  struct object object;
  struct run_options run;
};

static void open_object(char *path, const struct run_options *how, struct tested *t) {
  struct problem why;
  struct compiled compiled;
  char *inputs[] = {path, NULL};
  static bool is_open;
  if (!is_open) mem_open(&mem, NULL);
  is_open = true;
  struct object_options o = {.inputs = inputs, .directory = compile_directory(&mem, &why)};
  CHECKF(o.directory && object_open(&mem, &o, &t->image, &compiled, &t->object, &why), "%s: %s", path, why.text);
  compile_remove(o.directory);
  t->run = *how;
  object_run_options(&t->object, &t->run);
}

static void reopen(struct tested *t, bool all) {
  struct problem why;
  t->run.reuse_all = all;
  CHECKF(run_open(t->image, t->object.run_ops, t->object.op_count, t->object.init, &t->run, &why), "%s", why.text);
}

/* Every schedule with every block; and with those that are held every schedule, one of each trace, and with threads
 * that halt, which leaves out histories where an operation is only called earlier. */
static void compare(struct tested *t, const struct client *c, const char *path, uint64_t most) {
  static struct sights every, held, traces, halts;
  const struct explore_options all = {.strategy = &strategies[EXPLORE_ALL], .cache = true},
                               dpor = {.strategy = &strategies[EXPLORE_DPOR]},
                               blocks = {.strategy = &strategies[EXPLORE_DPOR], .block = true, .orders = true};
  reopen(t, true);
  if (!search(c, &all, most, &every)) return;
  reopen(t, false);
  if (!search(c, &all, most, &held) || !search(c, &dpor, 10 * most, &traces) || !search(c, &blocks, 10 * most, &halts))
    return;
  if (run_reads_freed()) { /* all is done again with every block */
    sums.again++;
    return;
  }
  uint32_t found = finds(&every);
  bool bad = missed("not there", &held, &every, true);
  bad |= missed("not there", &traces, &every, true);
  bad |= missed("not there", &halts, &every, true);
  if (found) { /* what is beyond a finding is not seen; to get a block again orders what is a race otherwise */
    bool same = finds(&held) == found || finds(&held) >> FOUND_RACE & 1;
    bad |= !same || !finds(&held) || !finds(&traces) || !finds(&halts);
  } else {
    bad |= missed("missed by every schedule", &every, &held, true);
    bad |= missed("missed by one of each trace", &every, &traces, true);
    bad |= missed("missed where threads halt", &every, &halts, false);
  }
  sums.compared++;
  sums.all += every.schedules;
  sums.held += held.schedules;
  sums.fewer += held.schedules < every.schedules;
  for (size_t i = 0; i < every.count; i++) sums.findings += every.at[i].found != 0;
  if (!bad) return;
  struct text text;
  text_open(&text, &mem);
  client_print(&t->object, c, &text);
  CHECKF(false, "%s: %s: %llu schedules, %llu with the blocks that are held, %llu traces, found %x %x %x %x%s%s", path,
         text_string(&text), (unsigned long long)every.schedules, (unsigned long long)held.schedules,
         (unsigned long long)traces.schedules, found, finds(&held), finds(&traces), finds(&halts),
         t->run.races ? ", races" : "", t->run.type_stable ? ", stable" : "");
}

static void try_program(uint64_t seed, unsigned clients, uint64_t most) {
  struct tested t;
  char path[64];
  snprintf(path, sizeof path, "/tmp/asif-held-%d-%llu.c", (int)getpid(), (unsigned long long)seed);
  state = seed;
  write_program(path);
  open_object(path, &(struct run_options){.races = draw(4) > 0, .steps_most = 200}, &t);
  for (unsigned i = 0; i < clients; i++) {
    uint32_t first[4] = {0}; /* at most three threads, CALLS calls */
    struct call calls[CALLS] = {{0}};
    struct client c = {.threads = 1 + draw(9) / 3, .first = first, .calls = calls};
    for (unsigned k = 0; k < c.threads; k++) {
      first[k + 1] = first[k] + 1 + draw(c.threads == 3 ? 2 : 3);
      if (first[k + 1] > CALLS) first[k + 1] = CALLS;
      for (uint32_t n = first[k]; n < first[k + 1]; n++) calls[n].op = draw(OPS);
    }
    compare(&t, &c, path, most);
  }
  unlink(path);
}

TEST(held_random_programs) {
  bool is_long = getenv("ASIF_LONG") != NULL;
  unsigned programs = is_long ? 400 : 8;
  uint64_t seed = getenv("ASIF_SEED") ? strtoull(getenv("ASIF_SEED"), NULL, 10) : 1;
  for (unsigned i = 0; i < programs; i++) try_program(seed + i, is_long ? 60 : 20, 3000);
  fprintf(stderr, "%llu clients, in %llu fewer schedules: %llu instead of %llu; %llu findings; %llu would begin anew\n",
          (unsigned long long)sums.compared, (unsigned long long)sums.fewer, (unsigned long long)sums.held,
          (unsigned long long)sums.all, (unsigned long long)sums.findings, (unsigned long long)sums.again);
  CHECK(sums.fewer > 0 && sums.findings > 0);
}

/* What another thread erases from memory beside the free: whether it was there must not matter. */
TEST(held_erased_beside_the_free) {
  static const char program[] =
      "#include <asif.h>\n#include <stdint.h>\n#include <stdlib.h>\n"
      "struct node { struct node *next; int value; };\n"
      "static struct node *a, *b;\nstatic uintptr_t kept;\n"
      "static struct node *make(int v) { struct node *n = malloc(sizeof *n); n->next = 0; n->value = v; return n; }\n"
      "static long take(void) {\n"
      "  long r = 0;\n"
      "  struct node *old = __atomic_exchange_n(&b, (struct node *)0, 5);\n"
      "  if (old) free(old); else r = 7;\n"
      "  __atomic_store_n(&a, (struct node *)0, 5);\n"
      "  return r;\n"
      "}\n"
      "static long put(void) {\n"
      "  uintptr_t was = __atomic_load_n(&kept, 5), t = was, n = (uintptr_t)make(2);\n"
      "  free((void *)(__atomic_compare_exchange_n(&kept, &t, n, 0, 5, 5) ? was : n));\n"
      "  return 0;\n"
      "}\n"
      "static void set_up(void) { a = b = make(3); }\n"
      "ASIF_OBJECT(self)\nASIF_INIT(set_up)\nASIF_OP(take)\nASIF_OP(put)\n";
  struct tested t;
  struct client c;
  struct problem why;
  char path[64];
  snprintf(path, sizeof path, "/tmp/asif-held-%d.c", (int)getpid());
  FILE *f = fopen(path, "w");
  CHECK(f && fputs(program, f) >= 0 && !fclose(f));
  open_object(path, &(struct run_options){.races = true, .steps_most = 200}, &t);
  unlink(path);
  CHECKF(client_parse(&mem, &t.object, "take() | put() | take()", &c, &why), "%s", why.text);
  compare(&t, &c, path, 30000);
  CHECK(sums.compared == 1);
}
