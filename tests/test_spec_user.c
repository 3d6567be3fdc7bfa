/* Specifications of the user's own: compiled, loaded, run; and what happens when they do not compile or misbehave. */
#include <string.h>
#include <unistd.h>

#include "spec/common.h"
#include "test.h"

struct own {
  struct mem mem;
  struct spec spec;
  struct problem problem;
  struct history *history;
  struct outcomes now, next;
  bool loaded;
  char path[64];
};

static void load(struct own *w, const char *code) {
  memset(w, 0, sizeof *w);
  mem_open(&w->mem, NULL);
  snprintf(w->path, sizeof w->path, "/tmp/asif-test-%d.c", (int)getpid());
  FILE *f = fopen(w->path, "w");
  CHECK(f);
  fprintf(f, "#include <asif.h>\n%s\n", code);
  fclose(f);
  w->loaded = spec_load(w->path, &w->spec, &w->mem, &w->problem);
  unlink(w->path);
  w->history = history_new(&w->mem, "h");
  w->spec.values = w->history->values;
  outcomes_open(&w->now, &w->mem);
  outcomes_open(&w->next, &w->mem);
  if (w->loaded) w->spec.init(&w->spec, &w->now);
}

static void refused(const char *code, const char *says) {
  struct own w;
  load(&w, code);
  CHECKF(!w.loaded && strstr(w.problem.text, says), "%s", w.loaded ? "loaded" : w.problem.text);
  spec_user_close(&w.spec);
  mem_close(&w.mem);
}

/* One operation, with small integers or values as they are. How many outcomes there are; goes on with the first. */
static size_t step(struct own *w, const char *name, value a, value b, value result) {
  int m = spec_op_find(&w->spec, name, strlen(name));
  CHECKF(m >= 0, "no operation %s", name);
  struct op o = {.ret = 1, .process = 3, .method = (uint16_t)m, .arg = {a, b, V_NONE}, .result = result};
  outcomes_clear(&w->next);
  w->spec.step(&w->spec, outcomes_state(&w->now, 0), &o, &w->next);
  if (!w->next.list.count) return 0;
  struct state s = outcomes_state(&w->next, 0);
  outcomes_clear(&w->now);
  memcpy(outcomes_add(&w->now, V_NONE, s.size), s.at, s.size);
  return w->next.list.count;
}
#define I(n) value_of_small(n)

static const char queue[] = "struct state { int count; int item[4]; };\n"
                            "static void enq(struct state *s, int v) { s->item[s->count++] = v; }\n"
                            "static int deq(struct state *s) {\n"
                            "  if (!s->count) return ASIF_EMPTY;\n"
                            "  int v = s->item[0];\n"
                            "  s->count--;\n"
                            "  for (int i = 0; i < s->count; i++) s->item[i] = s->item[i + 1];\n"
                            "  s->item[s->count] = 0;\n"
                            "  return v;\n"
                            "}\n"
                            "static int wait(struct state *s) { asif_require(s->count > 0); return deq(s); }\n"
                            "ASIF_SPEC(my_queue, struct state)\n"
                            "ASIF_SPEC_OP(enq) ASIF_SPEC_OP(deq, \"dequeue pop\") ASIF_SPEC_OP(wait)\n";

TEST(user_spec_queue) {
  struct own w;
  load(&w, queue);
  CHECKF(w.loaded, "%s", w.problem.text);
  CHECK(!strcmp(w.spec.name, "my_queue") && w.spec.op_count == 3 && !w.spec.by_process);
  size_t len;
  CHECK(!strncmp(spec_op_name(&w.spec, 0, &len), "enq", 3) && len == 3);
  CHECK(spec_op_find(&w.spec, "Dequeue", 7) == 1);
  CHECK(step(&w, "deq", V_NONE, V_NONE, V_EMPTY) == 1);
  CHECK(step(&w, "wait", V_NONE, V_NONE, V_UNKNOWN) == 0); /* requires a value: cannot happen */
  CHECK(step(&w, "enq", I(5), V_NONE, V_NONE) == 1);
  value text = value_text(w.history->values, "abc", 3);
  CHECK(step(&w, "enq", text, V_NONE, V_NONE) == 1);
  CHECK(step(&w, "deq", V_NONE, V_NONE, V_EMPTY) == 0);
  CHECK(step(&w, "deq", V_NONE, V_NONE, I(5)) == 1);
  CHECK(step(&w, "deq", V_NONE, V_NONE, I(7)) == 0);
  CHECK(step(&w, "deq", V_NONE, V_NONE, V_UNKNOWN) == 1 && w.next.list.at[0].result == text);
  CHECK(step(&w, "enq", I(1), V_NONE, V_NONE) && step(&w, "enq", I(2), V_NONE, V_NONE));
  struct text t;
  text_open(&t, &w.mem);
  w.spec.print(&w.spec, outcomes_state(&w.now, 0), &t);
  CHECKF(!strcmp(text_string(&t), "{2 1 2}"), "%s", text_string(&t));
  CHECK(!spec_user_fault(&w.spec));
  CHECK(step(&w, "enq", I(1), V_NONE, V_NONE) && step(&w, "enq", I(2), V_NONE, V_NONE));
  /* One too many: the state's end is guarded. */
  CHECK(step(&w, "enq", I(3), V_NONE, V_NONE) == 0);
  const char *fault = spec_user_fault(&w.spec);
  CHECKF(fault &&
             strstr(fault, "enq crashed (segmentation fault: it went past the end of the state) in state {4 1 2 1 2}"),
         "%s", fault);
  CHECK(step(&w, "deq", V_NONE, V_NONE, V_UNKNOWN) == 0);
  spec_user_close(&w.spec);
  mem_close(&w.mem);
}

TEST(user_spec_bind) {
  struct own w;
  load(&w, queue);
  uint32_t p = names_intern(w.history->processes, "p", 1), x = names_intern(w.history->objects, "x", 1);
  uint32_t enq = names_intern(w.history->methods, "ENQ", 3), pop = names_intern(w.history->methods, "pop", 3);
  value five = I(5);
  history_call(w.history, p, x, enq, &five, 1, 1);
  history_return(w.history, p, x, V_TRUE); /* void: ignored */
  history_call(w.history, p, x, pop, NULL, 0, 2);
  history_return(w.history, p, x, five);
  history_call(w.history, p, x, pop, NULL, 0, 3);
  history_return(w.history, p, x, V_NIL);
  history_finish(w.history);
  CHECKF(spec_bind(&w.spec, w.history, &w.problem), "%s", w.problem.text);
  for (size_t i = 0; i < 3; i++) {
    outcomes_clear(&w.next);
    w.spec.step(&w.spec, outcomes_state(&w.now, 0), &w.history->ops.at[i], &w.next);
    CHECKF(w.next.list.count == 1, "operation %zu", i);
    memcpy(w.now.bytes.at, outcomes_state(&w.next, 0).at, outcomes_state(&w.next, 0).size);
  }
  spec_user_close(&w.spec);
  mem_close(&w.mem);
}

TEST(user_spec_numbers_too_large) {
  struct own w;
  load(&w, queue);
  uint32_t p = names_intern(w.history->processes, "p", 1), x = names_intern(w.history->objects, "x", 1);
  uint32_t enq = names_intern(w.history->methods, "enq", 3);
  value large = value_int(w.history->values, 3000000000);
  history_call(w.history, p, x, enq, &large, 1, 1);
  history_return(w.history, p, x, V_NONE);
  history_finish(w.history);
  CHECKF(!spec_bind(&w.spec, w.history, &w.problem) &&
             strstr(w.problem.text, "h:1: 3000000000 is too large for an int"),
         "%s", w.problem.text);
  spec_user_close(&w.spec);
  mem_close(&w.mem);
}

TEST(user_spec_choices) {
  struct own w;
  load(&w, "struct state { int x, y; };\n"
           "static void init(struct state *s) { s->x = 1; }\n"
           "static int two(struct state *s) { s->x = asif_choose(3); s->y = s->x ? asif_choose(2) : 5; return s->x; }\n"
           "static int odd(struct state *s) { int n = asif_choose(10); asif_require(n % 2); s->y = 0; return n; }\n"
           "static int same(struct state *s) { s->x = 0; asif_choose(1000); return 1; }\n"
           "static bool mine(const struct state *s, long p) { (void)s; return asif_process() == p; }\n"
           "static int say(struct state *s, int what) { (void)s; asif_result(what == 1 ? ASIF_TRUE : ASIF_FULL); "
           "return 9; }\n"
           "static long big(struct state *s, int a, long b) { (void)s; return a * b; }\n"
           "static int none(struct state *s) { (void)s; return asif_choose(0); }\n"
           "ASIF_SPEC(choices, struct state, init)\n"
           "ASIF_SPEC_OP(two) ASIF_SPEC_OP(odd) ASIF_SPEC_OP(same) ASIF_SPEC_OP(mine) ASIF_SPEC_OP(say) "
           "ASIF_SPEC_OP(big) ASIF_SPEC_OP(none)");
  CHECKF(w.loaded, "%s", w.problem.text);
  CHECK(w.spec.by_process && ((const int *)outcomes_state(&w.now, 0).at)[0] == 1);
  CHECK(step(&w, "two", V_NONE, V_NONE, V_UNKNOWN) == 5);
  CHECK(step(&w, "two", V_NONE, V_NONE, I(1)) == 2 && step(&w, "two", V_NONE, V_NONE, I(0)) == 1);
  CHECK(step(&w, "two", V_NONE, V_NONE, I(3)) == 0);
  CHECK(step(&w, "odd", V_NONE, V_NONE, V_UNKNOWN) == 5 && step(&w, "odd", V_NONE, V_NONE, I(4)) == 0);
  CHECK(step(&w, "same", V_NONE, V_NONE, V_UNKNOWN) == 1);
  CHECK(step(&w, "same", V_NONE, V_NONE, V_TRUE) == 1);
  CHECK(step(&w, "mine", I(3), V_NONE, V_TRUE) == 1 && step(&w, "mine", I(2), V_NONE, V_TRUE) == 0);
  CHECK(step(&w, "mine", I(2), V_NONE, V_FALSE) == 1);
  CHECK(step(&w, "say", I(1), V_NONE, V_TRUE) == 1 && step(&w, "say", I(2), V_NONE, V_FULL) == 1 &&
        step(&w, "say", I(2), V_NONE, I(9)) == 0);
  value large = value_int(w.history->values, 4000000000), product = value_int(w.history->values, 8000000000);
  CHECK(step(&w, "big", I(2), large, product) == 1 && step(&w, "big", I(2), large, large) == 0);
  CHECK(step(&w, "big", I(2), product, V_UNKNOWN) == 1 && w.next.list.at[0].result == V_UNKNOWN);
  CHECK(!spec_user_fault(&w.spec));
  CHECK(step(&w, "none", V_NONE, V_NONE, V_UNKNOWN) == 0 &&
        strstr(spec_user_fault(&w.spec), "none called asif_choose"));
  spec_user_close(&w.spec);
  mem_close(&w.mem);
}

static void faults(const char *body, const char *says) {
  struct own w;
  char code[600];
  snprintf(code, sizeof code,
           "#include <stdlib.h>\nstruct state { int x; };\nstatic int deep(volatile int *p) { volatile int a[100]; "
           "a[0] = *p; "
           "return *p ? deep(a) + a[0] : 0; }\n"
           "static int f(struct state *s) { volatile int zero = 0, *null = 0; (void)null; (void)zero; (void)deep; s->x "
           "= 1; %s }\n"
           "ASIF_SPEC(bad, struct state) ASIF_SPEC_OP(f)",
           body);
  load(&w, code);
  CHECKF(w.loaded, "%s", w.problem.text);
  CHECK(step(&w, "f", V_NONE, V_NONE, V_UNKNOWN) == 0);
  const char *fault = spec_user_fault(&w.spec);
  CHECKF(fault && strstr(fault, says) && strstr(fault, w.path), "%s", fault);
  spec_user_close(&w.spec);
  mem_close(&w.mem);
}

TEST(user_spec_segmentation_fault) { faults("return *null;", "f crashed (segmentation fault) in state {}"); }
TEST(user_spec_division) { faults("return 7 / zero;", "f crashed (arithmetic error) in state {}"); }
TEST(user_spec_abort) { faults("abort();", "f crashed (abort) in state {}"); }
TEST(user_spec_endless) { faults("for (;;) zero++; return 0;", "f did not end within 2 seconds in state {}"); }
#ifndef __SANITIZE_ADDRESS__
TEST(user_spec_stack_overflow) { faults("zero = 1; return deep(&zero);", "f crashed (segmentation fault"); }
#endif

TEST(user_spec_refused) {
  refused(
      "struct state { int x; };\nint f(struct state *s) { return s->y; }\nASIF_SPEC(a, struct state)\nASIF_SPEC_OP(f)",
      "does not compile:\n");
  refused(
      "struct state { int x; };\nint f(struct state *s) { return s->y; }\nASIF_SPEC(a, struct state)\nASIF_SPEC_OP(f)",
      ".c:3:");
  refused("struct state { };\nvoid f(struct state *s) { (void)s; }\nASIF_SPEC(a, struct state)\nASIF_SPEC_OP(f)",
          "the state of a has 0 bytes");
  refused("struct state { int x; };\nASIF_SPEC(a, struct state)", "a has 0 operations");
  refused("struct state { int x; };\nvoid f(struct state *s, char *t) { (void)s; (void)t; }\nASIF_SPEC(a, struct "
          "state)\nASIF_SPEC_OP(f)",
          "f: an operation takes a's state");
  refused("struct state { int x; };\nvoid f(int *s) { (void)s; }\nASIF_SPEC(a, struct state)\nASIF_SPEC_OP(f)",
          "f: an operation takes");
  refused("int x;", "has no ASIF_SPEC");
  refused(
      "struct state { int x; };\nvoid g(struct state *s) { s->x = 7 / s->x; }\nvoid f(struct state *s) { (void)s; }\n"
      "ASIF_SPEC(a, struct state, g)\nASIF_SPEC_OP(f)",
      "init crashed (arithmetic error)");
  refused("struct state { int x; };\nvoid g(struct state *s) { asif_require(s->x); }\nvoid f(struct state *s) { "
          "(void)s; }\n"
          "ASIF_SPEC(a, struct state, g)\nASIF_SPEC_OP(f)",
          "init may neither require nor choose");
  refused(
      "struct state { int x; };\nint g(struct state *s, int x) { return s->x; }\nvoid f(struct state *s) { (void)s; }\n"
      "ASIF_SPEC(a, struct state, g)\nASIF_SPEC_OP(f)",
      "g must be void g(struct state *)");
  struct spec s;
  struct problem p;
  struct mem m;
  mem_open(&m, NULL);
  CHECK(!spec_load("/nowhere/at-all.c", &s, &m, &p) && strstr(p.text, "/nowhere/at-all.c: No such file"));
  CHECK(spec_load("bounded-queue(2)", &s, &m, &p) && s.k == 2);
  setenv("CC", "no-such-compiler-at-all", 1);
  mem_close(&m);
  refused("int x;", "the compiler could not be run");
}

/* A million steps: the guard costs little. */
TEST(user_spec_fast_enough) {
  struct own w;
  load(&w, queue);
  double from = clock_cpu_seconds();
  for (int i = 0; i < 200000; i++) {
    CHECK(step(&w, "enq", I(i), V_NONE, V_NONE) == 1);
    CHECK(step(&w, "deq", V_NONE, V_NONE, I(i)) == 1);
  }
  CHECKF(clock_cpu_seconds() - from < 2, "%.2f s of CPU for 400000 steps", clock_cpu_seconds() - from);
  spec_user_close(&w.spec);
  mem_close(&w.mem);
}
