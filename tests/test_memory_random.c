/* Data races of random programs, against the definition: happens-before computed from the orders of C11 (5.1.2.4) by
 * transitive closure. */
#include <string.h>

#include "images.h"
#include "memory/program.h"
#include "test.h"

static uint64_t state = 88172645463325252u;
static unsigned below(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 20) % n);
}

static struct instruction random_instruction(void) {
  static const uint8_t loads[] = {ORDER_relaxed, ORDER_acquire, ORDER_seq_cst},
                       stores[] = {ORDER_relaxed, ORDER_release, ORDER_seq_cst};
  struct instruction in = {.kind = (uint8_t)below(KINDS),
                           .place = (uint8_t)below(PLACES),
                           .half = (uint8_t)below(2),
                           .value = (uint8_t)(1 + below(2))};
  if (in.kind <= WRITE && below(3)) in.place = 0; /* plain accesses are mostly of one place, atomic ones of the other */
  if (in.kind > WRITE && below(8)) in.place = 1;
  if (in.kind <= WRITE) {
    in.wide = !below(4);
    in.narrow = !below(4);
  } else if (in.kind == LOAD) {
    in.order = loads[below(3)];
  } else if (in.kind == STORE) {
    in.order = stores[below(3)];
  } else if (in.kind == FENCE) {
    in.order = (uint8_t)(1 + below(4));
  } else {
    in.order = (uint8_t)below(ORDERS_ALL);
  }
  return in;
}

enum { EVENTS = PROGRAM_THREADS * PROGRAM_LENGTH + 1 };
struct event {
  struct instruction in;
  unsigned thread;
  bool wrote, reads, atomic; /* of memory; a fence is neither */
  uint32_t bytes;            /* bit: of the places */
  bool acquires, releases;
};

static uint32_t bytes_of(const struct instruction *in) {
  uint32_t bytes = in->kind == FENCE ? 0 : in->kind > WRITE ? 0xF : in->wide ? 0xFF : in->narrow ? 2 : 0xF;
  return bytes << (8 * in->place + (in->wide && in->kind <= WRITE ? 0 : 4 * in->half));
}

static struct event event_of(const struct instruction *in, unsigned thread, bool wrote) {
  struct event e = {.in = *in, .thread = thread, .wrote = wrote, .atomic = in->kind > WRITE, .bytes = bytes_of(in)};
  unsigned order = in->kind == EXCHANGE && !wrote ? ORDER_relaxed : in->order;
  e.reads = in->kind != WRITE && in->kind != STORE && in->kind != FENCE;
  if (!e.atomic) return e;
  e.acquires = (e.reads || in->kind == FENCE) && order != ORDER_relaxed && order != ORDER_release;
  e.releases = (wrote || in->kind == FENCE) && order != ORDER_relaxed && order != ORDER_acquire;
  return e;
}

/* Does event r read from the release sequence that w heads, or would head if it released? All that was written between
 * must be of w's thread and atomic, or update; and r reads the last. */
static bool reads_sequence(const struct event *e, unsigned w, unsigned r) {
  if (!e[w].wrote || !e[w].atomic || !e[r].reads || !e[r].atomic || e[w].bytes != e[r].bytes) return false;
  for (unsigned i = w + 1; i < r; i++) {
    if (!e[i].wrote || !(e[i].bytes & e[w].bytes)) continue;
    if (!e[i].atomic || !(e[i].thread == e[w].thread || e[i].reads)) return false;
  }
  return true;
}

static bool synchronizes(const struct event *e, unsigned w, unsigned r, unsigned from, unsigned to) {
  /* from: w itself or a fence before it; to: r itself or a fence after it */
  if (!e[from].releases || !e[to].acquires) return false;
  if (from != w && !(e[from].in.kind == FENCE && e[from].thread == e[w].thread && from < w)) return false;
  if (to != r && !(e[to].in.kind == FENCE && e[to].thread == e[r].thread && to > r)) return false;
  return reads_sequence(e, w, r);
}

static bool conflict(const struct event *a, const struct event *b) {
  return a->thread != b->thread && a->bytes & b->bytes && (a->wrote || b->wrote) && !(a->atomic && b->atomic);
}

static bool races_by_definition(const struct event *e, unsigned count) {
  static bool before[EVENTS][EVENTS];
  memset(before, 0, sizeof before);
  for (unsigned a = 0; a < count; a++)
    for (unsigned b = a + 1; b < count; b++) before[a][b] = e[a].thread == e[b].thread;
  for (unsigned w = 0; w < count; w++)
    for (unsigned r = w + 1; r < count; r++)
      for (unsigned from = 0; from <= w; from++)
        for (unsigned to = r; to < count; to++)
          if (synchronizes(e, w, r, from, to)) before[from][to] = true;
  for (unsigned k = 0; k < count; k++)
    for (unsigned a = 0; a < count; a++)
      for (unsigned b = 0; b < count; b++) before[a][b] |= before[a][k] && before[k][b];
  for (unsigned a = 0; a < count; a++)
    for (unsigned b = a + 1; b < count; b++)
      if (conflict(&e[a], &e[b]) && !before[a][b]) return true;
  return false;
}

static void show(const struct event *e, unsigned count) {
  static const char *const kinds[] = {"read", "write", "load", "store", "add", "exchange", "fence"};
  static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  for (unsigned i = 0; i < count; i++)
    fprintf(stderr, "  thread %u: %s %s bytes %x%s\n", e[i].thread, kinds[e[i].in.kind],
            e[i].atomic ? orders[e[i].in.order] : "", e[i].bytes, e[i].wrote ? " wrote" : "");
}

static int any(void *context, const struct run *r, struct choice *choice) {
  (void)context;
  unsigned skip = below((unsigned)__builtin_popcountll(r->enabled));
  uint64_t rest = r->enabled;
  while (skip--) rest &= rest - 1;
  choice->fiber = (uint8_t)__builtin_ctzll(rest);
  return 0;
}

static size_t found;
static void one(struct program *p, const struct client *client) {
  struct event e[EVENTS];
  struct problem problem;
  p->logged = 0;
  memset(p->at, 0, sizeof p->at);
  const struct run *r = run_execute(client, &(struct plan){.choose = any}, &problem);
  CHECKF(r, "%s", problem.text);
  CHECKF(r->found == FOUND_NOTHING || r->found == FOUND_RACE, "%s", r->said);
  unsigned count = 0;
  for (int i = 0; i < p->logged; i++)
    e[count++] = event_of(&p->code[p->log[i].thread][p->log[i].index], p->log[i].thread, p->log[i].wrote);
  bool earlier = races_by_definition(e, count); /* without the access it was found with */
  bool now = earlier;
  if (r->found) {
    unsigned t =
        r->count ? r->current : (unsigned)p->newest; /* found with what it is doing, and that is not in the log */
    for (unsigned wrote = 0; wrote < 2 && !now; wrote++) {
      const struct instruction *in = &p->code[t][p->at[t]];
      bool writes = in->kind == WRITE || in->kind == STORE || in->kind == ADD || (in->kind == EXCHANGE && wrote);
      e[count] = event_of(in, t, writes);
      now = races_by_definition(e, count + 1);
    }
    if (!now) count++;
  }
  found += r->found != FOUND_NOTHING;
  if (earlier || now != (r->found == FOUND_RACE)) {
    show(e, count);
    CHECKF(false, "found %s (%s), by definition %s%s", found_name(r->found), r->said, now ? "a race" : "none",
           earlier ? ", missed" : "");
  }
}

TEST(memory_random_races) {
  struct mem m;
  struct program p;
  mem_open(&m, NULL);
  struct image *image = image_of(&m, "tests/memory/program.c", "");
  struct scene s;
  scene_open(&s, image, "run_program", &(struct run_options){.races = true});
  uint32_t first[PROGRAM_THREADS + 1];
  struct call calls[PROGRAM_THREADS];
  struct client client = {.threads = PROGRAM_THREADS, .first = first, .calls = calls};
  for (unsigned t = 0; t < PROGRAM_THREADS; t++) {
    first[t] = t;
    calls[t] = (struct call){.op = 0, .arg = {(long)&p, (long)t}};
  }
  first[PROGRAM_THREADS] = PROGRAM_THREADS;
  const char *histories = getenv("ASIF_TEST_HISTORIES");
  unsigned programs = histories ? (unsigned)atoi(histories) : 20000;
  for (unsigned i = 0; i < programs; i++) {
    for (unsigned t = 0; t < PROGRAM_THREADS; t++) {
      p.length[t] = (int)(1 + below(PROGRAM_LENGTH));
      for (int k = 0; k < p.length[t]; k++) p.code[t][k] = random_instruction();
    }
    for (unsigned k = 0; k < 10; k++) one(&p, &client);
  }
  printf("%zu races in %u runs\n", found, 10 * programs);
  CHECK(found > programs && found < 10 * programs - programs / 2);
  mem_close(&m);
}
