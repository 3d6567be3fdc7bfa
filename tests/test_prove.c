/* Proofs for any number of threads: the algorithms of Vafeiadis 2009, Table 1; their evidence, which must be refused
 * when it has been changed; and what is concluded about numbers, against trying them. */
#include <string.h>
#include <unistd.h>

#include "prove/evidence.h"
#include "prove/prover.h"
#include "test.h"

static const char *const six[] = {"objects/treiber_stack.c",  "objects/ms_queue.c",   "objects/doherty_queue.c",
                                  "objects/two_lock_queue.c", "objects/dcas_stack.c", "objects/lock_coupling_set.c"};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SIX = sizeof six / sizeof *six - 1, EACH = 16 };
#else
enum { SIX = sizeof six / sizeof *six, EACH = 4 /* of the views, one in so many is left out */ };
#endif

struct proving {
  struct mem mem;
  struct limits limits;
  struct prove_options options;
  struct proved proved;
};

static void prove_file(struct proving *r, const char *path, enum prove_level level) {
  struct problem why = {.text = ""};
  memset(r, 0, sizeof *r);
  limits_start(&r->limits, 0, 0);
  mem_open(&r->mem, &r->limits);
  r->options = (struct prove_options){.path = path, .level = level};
  CHECKF(prove(&r->mem, &r->options, &r->proved, &why), "%s: %s", path, why.text);
  CHECKF(r->proved.verdict == VERDICT_HOLDS, "%s: not proved: %s", path, r->proved.failure.said);
}

TEST(prove_six_at_all_levels) {
  for (unsigned i = 0; i < SIX; i++)
    for (unsigned level = LEVEL_MS; level <= LEVEL_FULL; level++) {
      struct proving r;
      if (!strcmp(six[i], "objects/lock_coupling_set.c") && level == LEVEL_NU && !getenv("ASIF_LONG"))
        continue; /* it takes as long as full */
      prove_file(&r, six[i], (enum prove_level)level);
      struct prove_counts c = prove_counts(&r.proved);
      CHECKF(c.views > 50 && c.actions > 4, "%s: only %llu views and %llu actions", six[i], (unsigned long long)c.views,
             (unsigned long long)c.actions);
      CHECK(r.proved.level == level);
      mem_close(&r.mem);
    }
}

TEST(prove_views_as_text_are_the_same_views) {
  for (unsigned i = 0; i + 1 < SIX; i++) {
    struct proving r;
    prove_file(&r, six[i], LEVEL_FULL);
    struct prover *p = r.proved.prover;
    struct text line;
    text_open(&line, &r.mem);
    for (size_t e = 1; e < p->entries.count; e++) {
      struct view again;
      text_clear(&line);
      put_view(p, &p->entries.at[e].view, &line);
      CHECKF(get_view(p, text_string(&line), &again), "%s", text_string(&line));
      CHECKF(!memcmp(&again, &p->entries.at[e].view, sizeof again), "%s", text_string(&line));
    }
    mem_close(&r.mem);
  }
}

static enum verdict replay_bytes(struct mem *m, const char *bytes, size_t count, struct text *said,
                                 struct problem *why) {
  struct input in;
  struct evidence_lines l;
  struct replaying r = {.mem = m, .why = why};
  input_from_bytes(&in, m, "evidence", bytes, count);
  evidence_lines_open(&l, m, &in, why);
  text_open(&r.said, m);
  CHECK(line_is(&l, "asif-evidence 1") && line_is(&l, "command prove"));
  bool good = prove_evidence_replay(&r, &l);
  text_add(said, text_string(&r.said));
  return good ? r.verdict : VERDICT_UNKNOWN;
}

static char *evidence_of(struct proving *r, size_t *count) {
  char path[] = "/tmp/asif-prove-XXXXXX";
  struct problem why = {.text = ""};
  int fd = mkstemp(path);
  CHECK(fd >= 0);
  close(fd);
  CHECKF(prove_evidence_write(path, &r->options, &r->proved, &why), "%s", why.text);
  FILE *f = fopen(path, "r");
  CHECK(f && !fseek(f, 0, SEEK_END));
  long size = ftell(f);
  rewind(f);
  char *bytes = mem_alloc(&r->mem, (size_t)size + 1);
  CHECK(fread(bytes, 1, (size_t)size, f) == (size_t)size);
  bytes[size] = 0;
  fclose(f);
  unlink(path);
  *count = (size_t)size;
  return bytes;
}

TEST(prove_evidence_stands) {
  for (unsigned i = 0; i + 1 < SIX; i++)
    for (unsigned level = LEVEL_MS; level <= LEVEL_FULL; level += LEVEL_FULL) {
      struct proving r;
      struct text said;
      struct problem why = {.text = ""};
      size_t count;
      prove_file(&r, six[i], (enum prove_level)level);
      char *bytes = evidence_of(&r, &count);
      text_open(&said, &r.mem);
      CHECKF(replay_bytes(&r.mem, bytes, count, &said, &why) == VERDICT_HOLDS, "%s: %s%s", six[i], text_string(&said),
             why.text);
      mem_close(&r.mem);
    }
}

/* With one line left out. Lines `step` are for the reader: nothing relies on them. */
TEST(prove_evidence_is_refused_without_any_line) {
  struct proving r;
  size_t count;
  prove_file(&r, "objects/dcas_stack.c", LEVEL_FULL);
  char *bytes = evidence_of(&r, &count);
  unsigned lines = 0, at = 0;
  for (size_t i = 0; i < count; i++) lines += bytes[i] == '\n';
  CHECK(lines > 100);
  for (const char *line = strchr(strchr(bytes, '\n') + 1, '\n') + 1; *line; line = strchr(line, '\n') + 1, at++) {
    struct mem m;
    struct text said;
    struct problem why = {.text = ""};
    if (!strncmp(line, "step ", 5) || (!strncmp(line, "view ", 5) && at % EACH && !getenv("ASIF_LONG"))) continue;
    mem_open(&m, NULL);
    text_open(&said, &m);
    size_t before = (size_t)(line - bytes), length = (size_t)(strchr(line, '\n') + 1 - line);
    char *less = mem_alloc(&m, count);
    memcpy(less, bytes, before);
    memcpy(less + before, line + length, count - before - length);
    CHECKF(replay_bytes(&m, less, count - length, &said, &why) != VERDICT_HOLDS, "it stands without: %.*s", (int)length,
           line);
    CHECK(said.count || why.text[0]);
    mem_close(&m);
  }
  CHECK(at > 100);
}

static uint32_t random_at;
static unsigned random_below(unsigned n) {
  random_at = random_at * 1664525u + 1013904223u;
  return (random_at >> 8) % n;
}

/* One thing of one view is another: the view that should be there no longer is. */
static void change_view(struct view *v) {
  switch (random_below(5)) {
  case 0: v->pc = v->pc ? v->pc + 1 : 1; break;
  case 1: v->root[0] = v->root[0] == NIL ? VAL(K_ANY, 0) : NIL; break;
  case 2: v->may_return ^= 1; break;
  case 3: v->status = v->status ? VAL(K_UNSET, 0) : NIL; break;
  default:
    if (v->atoms)
      v->atoms--, v->abs[v->atoms] = 0;
    else
      v->abs[v->atoms++] = NIL;
  }
}

TEST(prove_certify_refuses_what_was_changed) {
  struct proving r;
  prove_file(&r, "objects/treiber_stack.c", LEVEL_FULL);
  struct prover *p = r.proved.prover;
  struct certificate c = {0};
  struct text said;
  text_open(&said, &r.mem);
  for (size_t e = 1; e < p->entries.count; e++) vec_push(&r.mem, &c.views, p->entries.at[e].view);
  for (size_t i = 0; i < p->actions.count; i++) vec_push(&r.mem, &c.actions, p->actions.at[i]);
  CHECKF(certify(p, &c, &said), "%s", text_string(&said));
  random_at = 7;
  for (unsigned i = 0; i < 60; i++) {
    size_t which = random_below((unsigned)c.views.count);
    struct view kept = c.views.at[which];
    change_view(&c.views.at[which]);
    CHECKF(!certify(p, &c, &said), "view %zu was changed", which);
    c.views.at[which] = kept;
  }
  for (size_t i = 0; i < c.actions.count; i++) { /* an action that is another one's twin is one too few */
    struct view kept = c.actions.at[i];
    c.actions.at[i] = c.actions.at[i ? 0 : 1];
    CHECKF(!certify(p, &c, &said), "action %zu was left out", i);
    c.actions.at[i] = kept;
  }
  for (uint32_t pc = 1; pc < p->program->code_count; pc++) {
    if (!p->point[pc]) continue;
    p->point[pc] = 0;
    CHECKF(!certify(p, &c, &said), "the point at %u was left out", pc);
    p->point[pc] = 1;
  }
  CHECKF(certify(p, &c, &said), "%s", text_string(&said));
  mem_close(&r.mem);
}

/* Numbers: four unknown ones and two constants, tried over -3 .. 3 in halves, which is dense enough to tell them apart.
 */
enum { UNKNOWN = 4, TERMS = UNKNOWN + 2, LOWEST = -6, HIGHEST = 6 };
struct numbers {
  struct prover p;
  struct view v;
  val term[TERMS];
  struct fact learnt[8]; /* by the numbers of terms */
  unsigned count;
};

static bool holds(enum relation r, int a, int b) { return r == LESS ? a < b : r == AT_MOST ? a <= b : a != b; }

/* Is there an assignment of all that was learnt, and in which a is not r to b? */
static bool possible(const struct numbers *n, int a, enum relation r, int b) {
  int x[TERMS] = {LOWEST, LOWEST, LOWEST, LOWEST, 0, 2};
  for (;;) {
    bool good = a < 0 || !holds(r, x[a], x[b]);
    for (unsigned i = 0; good && i < n->count; i++)
      good = holds((enum relation)n->learnt[i].relation, x[n->learnt[i].a], x[n->learnt[i].b]);
    if (good) return true;
    unsigned i = 0;
    while (i < UNKNOWN && x[i] == HIGHEST) x[i++] = LOWEST;
    if (i == UNKNOWN) return false;
    x[i]++;
  }
}

static void check_numbers(struct numbers *n) {
  for (unsigned k = 0; k < 6 && !n->p.dead; k++) {
    unsigned a = random_below(TERMS), b = random_below(TERMS), r = random_below(3);
    n->learnt[n->count++] = (struct fact){(val)a, (val)b, (uint16_t)r};
    learn(&n->p, &n->v, n->term[a], (enum relation)r, n->term[b]);
  }
  if (n->p.dead) {
    CHECK(!possible(n, -1, LESS, 0));
    return;
  }
  tidy_facts(&n->p, &n->v);
  for (int a = 0; a < TERMS; a++)
    for (int b = 0; b < TERMS; b++) {
      val x = n->term[a], y = n->term[b];
      if (known_less(&n->p, &n->v, x, y)) CHECK(!possible(n, a, LESS, b));
      if (known_at_most(&n->p, &n->v, x, y)) CHECK(!possible(n, a, AT_MOST, b));
      if (a != b && known_different(&n->p, &n->v, x, y)) CHECK(!possible(n, a, DIFFERENT, b));
    }
}

TEST(prove_numbers_are_concluded_rightly) {
  random_at = 1;
  struct numbers *n = malloc(sizeof *n);
  unsigned dead = 0, known = 0;
  for (unsigned round = 0; round < 60; round++) {
    memset(n, 0, sizeof *n);
    for (unsigned i = 0; i < UNKNOWN; i++) n->term[i] = new_sym(&n->v);
    n->term[UNKNOWN] = NIL;
    n->term[UNKNOWN + 1] = number(&n->p, 1);
    check_numbers(n);
    dead += n->p.dead;
    known += known_less(&n->p, &n->v, n->term[0], n->term[1]);
  }
  CHECKF(dead > 5 && dead < 55 && known > 2, "%u contradictions, %u known: the cases say little", dead, known);
  free(n);
}
