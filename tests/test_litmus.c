/* The oracle for weak memory (litmus.h) against what is known: counts of consistent executions that other programs and
 * the literature have for these tests, the same axioms without pruning, and random programs. */
#include <stdlib.h>
#include <string.h>

#include "litmus.h"
#include "test.h"

/* Consistent executions under each model. */
static const struct known {
  const char *name, *program;
  unsigned sc, tso, c11;
} known[] = {
    {"SB", "x=1.rlx; y.rlx | y=1.rlx; x.rlx", 3, 4, 4},
    {"SB rel acq", "x=1.rel; y.acq | y=1.rel; x.acq", 3, 4, 4},
    {"SB+4sc", "x=1.sc; y.sc | y=1.sc; x.sc", 3, 3, 3},
    {"SB+scfs", "x=1.rlx; F.sc; y.rlx | y=1.rlx; F.sc; x.rlx", 3, 3, 3},
    {"SB, one fence", "x=1.rlx; F.sc; y.rlx | y=1.rlx; x.rlx", 3, 4, 4},
    {"SB+2sc+scf", "x=1.sc; y.sc | y=1.rlx; F.sc; x.rlx", 3, 3, 3},
    {"SB+3sc+rel", "x=1.sc; y.sc | y=1.rel; x.sc", 3, 4, 4},
    {"SB+3sc+acq", "x=1.sc; y.sc | y=1.sc; x.acq", 3, 3, 4},
    {"SB sc stores", "x=1.sc; y.rlx | y=1.sc; x.rlx", 3, 3, 4},
    {"SB updates", "x+1.ar; y.acq | y+1.ar; x.acq", 3, 3, 4},
    {"SB sc updates, relaxed loads", "x+1.sc; y.rlx | y+1.sc; x.rlx", 3, 3, 4},
    {"SB exchanges", "x!1.sc; y.sc | y!1.sc; x.sc", 3, 3, 3},
    {"SB, failing comparisons between", "x=1.rlx; z?5>6.rlx; y.rlx | y=1.rlx; z?5>6.rlx; x.rlx", 3, 3, 4},
    {"SB+rfis", "x=1.rlx; x.rlx; y.rlx | y=1.rlx; y.rlx; x.rlx", 3, 4, 4},
    {"SB+rfis, sc loads", "x=1.rel; x.sc; y.sc | y=1.rel; y.sc; x.sc", 3, 4, 4},
    {"MP", "x=1.rlx; y=1.rlx | y.rlx; x.rlx", 3, 3, 4},
    {"MP rel acq", "x=1.rlx; y=1.rel | y.acq; x.rlx", 3, 3, 3},
    {"MP rel rlx", "x=1.rlx; y=1.rel | y.rlx; x.rlx", 3, 3, 4},
    {"MP rlx acq", "x=1.rlx; y=1.rlx | y.acq; x.rlx", 3, 3, 4},
    {"MP+relf+acqf", "x=1.rlx; F.rel; y=1.rlx | y.rlx; F.acq; x.rlx", 3, 3, 3},
    {"MP+rel+acqf", "x=1.rlx; y=1.rel | y.rlx; F.acq; x.rlx", 3, 3, 3},
    {"MP, fences the other way round", "x=1.rlx; F.acq; y=1.rlx | y.rlx; F.rel; x.rlx", 3, 3, 4},
    {"MP, the thread's own later store", "x=1.rlx; y=1.rel; y=2.rlx | y.acq; x.rlx", 4, 4, 5},
    {"MP by an update", "x=1.rlx; y=1.rel | y+1.rlx | y.acq; x.rlx", 9, 9, 9},
    {"MP sc", "x=1.sc; y=1.sc | y.sc; x.sc", 3, 3, 3},
    {"MP by a failed comparison", "x=1.rlx; y=1.rel | y?5>6.rlx.acq; x.rlx", 3, 3, 3},
    {"MP by a failed comparison, relaxed", "x=1.rlx; y=1.rel | y?5>6.acq.rlx; x.rlx", 3, 3, 4},
    {"MP, reads where the flag is up", "x=1.rlx; y=1.rlx | y.rlx; if 1: x.rlx", 2, 2, 3},
    {"LB", "x.rlx; y=1.rlx | y.rlx; x=1.rlx", 3, 3, 3},
    {"LB acq rel", "x.acq; y=1.rel | y.acq; x=1.rel", 3, 3, 3},
    {"LB+dep", "x.rlx; y=r.rlx | y.rlx; x=r.rlx", 3, 3, 3},
    {"LB+ctrl", "x.rlx; if 1: y=1.rlx | y.rlx; x=1.rlx", 2, 2, 2},
    {"S", "x=2.rlx; y=1.rlx | y.rlx; x=1.rlx", 3, 3, 4},
    {"S rel acq", "x=2.rlx; y=1.rel | y.acq; x=1.rlx", 3, 3, 3},
    {"R", "x=1.rlx; y=1.rlx | y=2.rlx; x.rlx", 3, 4, 4},
    {"R sc", "x=1.sc; y=1.sc | y=2.sc; x.sc", 3, 3, 3},
    {"R scfs", "x=1.rlx; F.sc; y=1.rlx | y=2.rlx; F.sc; x.rlx", 3, 3, 3},
    {"2+2W", "x=1.rlx; y=2.rlx | y=1.rlx; x=2.rlx", 3, 3, 4},
    {"2+2W rel", "x=1.rel; y=2.rel | y=1.rel; x=2.rel", 3, 3, 4},
    {"2+2W+4sc", "x=1.sc; y=2.sc | y=1.sc; x=2.sc", 3, 3, 3},
    {"2+2W+scfs", "x=1.rlx; F.sc; y=2.rlx | y=1.rlx; F.sc; x=2.rlx", 3, 3, 3},
    {"CoRR", "x=1.rel; x=2.rel | x.acq; x.acq", 6, 6, 6},
    {"CoRR, one store", "x=1.rlx | x.rlx; x.rlx", 3, 3, 3},
    {"CoRR2", "x=1.rlx | x=2.rlx | x.rlx; x.rlx | x.rlx; x.rlx", 72, 72, 72},
    {"CoWW", "x=1.rlx; x=2.rlx | x.rlx", 3, 3, 3},
    {"IRIW", "x=1.rlx | y=1.rlx | x.rlx; y.rlx | y.rlx; x.rlx", 15, 15, 16},
    {"IRIW acq", "x=1.rel | y=1.rel | x.acq; y.acq | y.acq; x.acq", 15, 15, 16},
    {"IRIW sc", "x=1.sc | y=1.sc | x.sc; y.sc | y.sc; x.sc", 15, 15, 15},
    {"IRIW acq sc", "x=1.sc | y=1.sc | x.acq; y.sc | y.acq; x.sc", 15, 15, 16},
    {"IRIW+scfs", "x=1.rlx | y=1.rlx | x.rlx; F.sc; y.rlx | y.rlx; F.sc; x.rlx", 15, 15, 15},
    {"WRC", "x=1.rlx | x.rlx; y=1.rlx | y.rlx; x.rlx", 7, 7, 8},
    {"WRC+dep", "x=1.rlx | x.rlx; y=r.rlx | y.rlx; x.rlx", 7, 7, 8},
    {"WRC rel acq", "x=1.rel | x.acq; y=1.rel | y.acq; x.acq", 7, 7, 7},
    {"WRC, rel in the middle", "x=1.rlx | x.rlx; y=1.rel | y.acq; x.rlx", 7, 7, 7},
    {"RWC rel acq", "x=1.rel | x.acq; y.acq | y=1.rel; x.acq", 7, 8, 8},
    {"RWC+syncs", "x=1.rlx | x.rlx; F.sc; y.rlx | y=1.rlx; F.sc; x.rlx", 7, 7, 7},
    {"W+RWC", "x=1.rlx; z=1.rel | z.acq; F.sc; y.rlx | y=1.rlx; F.sc; x.rlx", 7, 7, 7},
    {"peterZ", "x=1.rlx; F.sc; y.rlx | y=1.rlx; z=1.rel | z.acq; F.sc; x.rlx", 7, 7, 7},
    {"isa2", "a=1.rlx; b=1.rel | b.acq; c=1.rel | c.acq; a.rlx", 7, 7, 7},
    {"cumul-release", "x=1.rlx; y=1.rel | y.rlx; z=r.rlx | z.rlx; F.ar; x.rlx", 7, 7, 8},
    {"rel-B-cumul-acq", "x=1.rlx; y=1.rel | y.rlx; z=r.rlx | z.rlx; F.ar; x.rlx | y.acq", 14, 14, 16},
    {"relseq", "x=1.rlx; y=1.rel; y=2.rlx | y!3.rlx | y.rlx; F.ar; x.rlx", 16, 16, 20},
    {"Z6.U", "x=1.sc; y=1.rel | y+1.sc; y.rlx | y=3.sc; x.sc", 18, 18, 22},
    {"WWmerge1", "x.acq; y.sc | x=1.sc; x=2.sc | y=1.sc; x.sc", 15, 15, 17},
    {"WWmerge2", "x.acq; y.sc | x=2.sc | y=1.sc; x.sc", 7, 7, 8},
    {"viktor-relseq", "x+1.acq; x+1.rlx | x+1.rlx; x+1.rlx | x+1.rel | x+1.rlx", 180, 180, 180},
    {"inc+inc+RR+W+RR", "x+1.rlx | x+1.rlx | x.rlx; x.rlx | x=42.rlx | x.rlx; x.rlx", 600, 600, 600},
    {"MPU+rels+acq", "x=1.rlx; y=0.rel; y=1.rlx | y+1.rlx | y.acq; if 2: x=2.rlx", 12, 12, 13},
    {"MPU2+rels+acq", "x=1.rlx; y=0.rel; y=1.rlx | y?2>3.rlx | y?1>2.rlx | y.acq; if 3: x=2.rlx", 35, 35, 36},
    {"inc, inc, inc", "x+1.rlx | x+1.rlx | x+1.rlx", 6, 6, 6},
    {"inc, inc, load", "x+1.rlx | x+1.rlx | x.rlx", 6, 6, 6},
};

static void parse(struct litmus_program *p, const char *text) {
  char why[200];
  CHECKF(litmus_parse(p, text, why), "%s: %s", text, why);
}

TEST(litmus_known) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    const struct known *k = &known[i];
    struct litmus_program p;
    parse(&p, k->program);
    for (enum memory_model m = MEMORY_SC; m <= MEMORY_C11; m++) {
      struct litmus_executions all = litmus_executions(&p, m);
      unsigned want = m == MEMORY_SC ? k->sc : m == MEMORY_TSO ? k->tso : k->c11;
      CHECKF(all.count == want, "%s under %s: %zu executions, %u are known", k->name, memory_model_name(m), all.count,
             want);
      litmus_free(&all);
    }
  }
}

static uint64_t seed_of_tests(void) { return getenv("ASIF_SEED") ? strtoull(getenv("ASIF_SEED"), NULL, 10) : 1; }
static size_t programs(size_t usual) {
  return getenv("ASIF_TEST_OBJECTS") ? strtoull(getenv("ASIF_TEST_OBJECTS"), NULL, 10) : usual;
}

/* Each once, each allowed by the axioms alone; each of a stronger model is one of a weaker model. */
static void check_models(const struct litmus_program *p, const char *text) {
  struct litmus_executions all[MEMORY_C11 + 1];
  for (enum memory_model m = MEMORY_SC; m <= MEMORY_C11; m++) {
    all[m] = litmus_executions(p, m);
    CHECKF(all[m].count, "%s: none under %s", text, memory_model_name(m));
    for (size_t i = 0; i < all[m].count; i++) {
      const struct litmus_execution *x = &all[m].at[i];
      CHECKF(!i || litmus_compare(x - 1, x) < 0, "%s: one twice under %s", text, memory_model_name(m));
      CHECKF(litmus_allows(p, x, m), "%s: one is not allowed under %s", text, memory_model_name(m));
      for (enum memory_model weaker = MEMORY_SC; weaker <= MEMORY_C11; weaker++)
        if (weaker > m)
          CHECKF(litmus_allows(p, x, weaker), "%s: %s allows more than %s", text, memory_model_name(m),
                 memory_model_name(weaker));
    }
  }
  /* And what a weaker model alone has, the stronger ones refuse. */
  for (enum memory_model m = MEMORY_SC; m < MEMORY_C11; m++) {
    size_t allowed = 0;
    for (size_t i = 0; i < all[MEMORY_C11].count; i++) allowed += litmus_allows(p, &all[MEMORY_C11].at[i], m);
    CHECKF(allowed == all[m].count, "%s: %zu under %s, %zu enumerated", text, allowed, memory_model_name(m),
           all[m].count);
  }
  for (enum memory_model m = MEMORY_SC; m <= MEMORY_C11; m++) litmus_free(&all[m]);
}

TEST(litmus_random) {
  uint64_t seed = seed_of_tests();
  for (size_t n = programs(2000); n; n--) {
    struct litmus_program p, again;
    char text[LITMUS_TEXT], why[200];
    litmus_random(&p, &seed, &(struct litmus_shape){4, 8, 3, true});
    litmus_print(&p, text);
    CHECKF(litmus_parse(&again, text, why), "%s: %s", text, why);
    CHECKF(!memcmp(&p, &again, sizeof p), "%s: read as another program", text);
    check_models(&p, text);
  }
}

TEST(litmus_whole) {
  uint64_t seed = seed_of_tests() + 1;
  for (size_t n = programs(1000); n; n--) {
    struct litmus_program p;
    char text[LITMUS_TEXT];
    litmus_random(&p, &seed, &(struct litmus_shape){3, 6, 2, true});
    litmus_print(&p, text);
    for (enum memory_model m = MEMORY_SC; m <= MEMORY_C11; m++) {
      struct litmus_executions all = litmus_executions(&p, m), whole = litmus_executions_whole(&p, m);
      CHECKF(all.count == whole.count && !memcmp(all.at, whole.at, all.count * sizeof *all.at),
             "%s under %s: %zu executions, %zu without pruning", text, memory_model_name(m), all.count, whole.count);
      litmus_free(&all);
      litmus_free(&whole);
    }
  }
}

TEST(litmus_text) {
  static const struct {
    const char *program, *why;
  } wrong[] = {
      {"", "column 1: a step is missing, or a location that is not r"},
      {"x=1", "column 4: the order of a store is missing, as in .rlx"},
      {"x=1.rlx;", "column 9: a step is missing, or a location that is not r"},
      {"x=1.acq", "column 5: a store cannot be acq"},
      {"x.rel", "column 3: a load cannot be rel"},
      {"F.rlx", "column 3: a fence cannot be rlx"},
      {"x.relaxed", "column 3: \"relaxed\" is not an order: rlx, acq, rel, ar, sc"},
      {"x?1.sc", "column 4: \">\" is missing after what is expected"},
      {"x?0>1.sc.rel", "column 10: a failure cannot be rel"},
      {"x=.rlx", "column 3: a number is missing"},
      {"x+r.rlx", "column 3: a number is missing"},
      {"x", "column 2: after a location: .ORDER, =, +, ! or ?"},
      {"r.rlx", "column 1: a step is missing, or a location that is not r"},
      {"if 1 x.rlx", "column 6: \":\" is missing after the condition"},
      {"x.rlx y.rlx", "column 7: \"y\" instead of \";\", \"|\" or the end"},
      {"x.rlx | y.rlx | x.rlx | y.rlx | x.rlx | x.rlx", "column 40: more than 5 threads"},
      {"a.rlx; b.rlx; c.rlx; d.rlx; e.rlx", "column 29: more than 4 locations"},
      {"x=1000.rlx", "column 3: a number is more than 999"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct litmus_program p;
    char why[200] = "";
    CHECKF(!litmus_parse(&p, wrong[i].program, why), "%s: accepted", wrong[i].program);
    CHECKF(!strcmp(why, wrong[i].why), "%s: %s", wrong[i].program, why);
  }
  struct litmus_program p;
  char text[LITMUS_TEXT * 2];
  const char *all = "y=-1.rel; F.ar; x?0>1.ar.rlx; x?2>3.sc | x.acq; if 1: y=r.rlx; if !0: y!7.sc; y+2.rel";
  parse(&p, all);
  litmus_print(&p, text);
  CHECKF(!strcmp(text, all), "%s", text);
  CHECK(!strcmp(p.names, "xy") && p.steps[0][2].failure == LITMUS_RLX && p.steps[0][3].failure == LITMUS_SC);
}

/* The executions of message passing with its flag up, in the text of executions and outcomes. */
TEST(litmus_executions_text) {
  struct litmus_program p;
  char text[LITMUS_TEXT * 2];
  parse(&p, "x=1.rlx; F.rel; y+2.rlx | y.rlx; if 2: x.rlx");
  struct litmus_executions all = litmus_executions(&p, MEMORY_C11);
  struct litmus_outcomes seen = litmus_outcomes(&p, &all);
  CHECK(all.count == 3 && seen.count == 3);
  static const char *const executions[] = {"0: x=1 #1; F; y 0>2 #1 <init | 1: y(0) <init",
                                           "0: x=1 #1; F; y 0>2 #1 <init | 1: y(2) <0.2; x(0) <init",
                                           "0: x=1 #1; F; y 0>2 #1 <init | 1: y(2) <0.2; x(1) <0.0"};
  static const char *const outcomes[] = {"0: 0 | 1: 0 | x=1 y=2", "0: 0 | 1: 2 0 | x=1 y=2", "0: 0 | 1: 2 1 | x=1 y=2"};
  for (size_t i = 0; i < 3; i++) {
    litmus_print_execution(&p, &all.at[i], text);
    CHECKF(!strcmp(text, executions[i]), "%s", text);
    litmus_print_outcome(&p, &seen.at[i], text);
    CHECKF(!strcmp(text, outcomes[i]), "%s", text);
  }
  /* What is not an execution: values, sources and positions that cannot be. */
  struct litmus_execution x = all.at[2];
  CHECK(litmus_allows(&p, &x, MEMORY_SC));
  x.events[1][1].read = 2;
  CHECK(!litmus_allows(&p, &x, MEMORY_SC));
  x = all.at[2];
  x.events[1][1].from_index = 1;
  CHECK(!litmus_allows(&p, &x, MEMORY_SC));
  x = all.at[2];
  x.events[0][0].position = 2;
  CHECK(!litmus_allows(&p, &x, MEMORY_SC));
  x = all.at[2];
  x.count[1] = 1;
  CHECK(!litmus_allows(&p, &x, MEMORY_SC));
  CHECK(!litmus_allows(&p, &all.at[1], MEMORY_SC) && !litmus_allows(&p, &all.at[1], MEMORY_TSO));
  free(seen.at);
  litmus_free(&all);
}
