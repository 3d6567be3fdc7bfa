/* Histories with a known verdict, by every method: those of the papers, and those that other checkers get wrong.
 *
 * Sequential ones are written as operations in a row: "push 1; pop -> empty". Concurrent ones are in a format:
 * Wing-Gong lines, columns with times, EDN. */
#include <string.h>

#include "brute.h"
#include "check/check.h"
#include "history/format.h"
#include "test.h"

static const enum method methods[] = {METHOD_AUTO, METHOD_SEARCH, METHOD_WING_GONG, METHOD_FAST};
static const char *const method_names[] = {"auto", "search", "wing-gong", "fast"};

struct want {
  enum verdict verdict;
  bool fast;        /* a monitor applies */
  size_t core;      /* operations in the core; 0: not looked at */
  const char *says; /* in the reason; NULL: not looked at */
};

static void decide(const struct history *h, const struct spec *spec, int k, const struct want *want, const char *name) {
  struct mem m;
  struct limits limits;
  struct check_result r;
  struct problem why = {.text = ""};
  struct check_options options = {methods[k], 1, true};
  limits_start(&limits, 60, 0);
  mem_open(&m, &limits);
  if (MEM_GUARD(&m)) abort();
  bool applies = check_history(&m, h, spec, &options, &limits, &r, &why);
  if (methods[k] == METHOD_FAST && !want->fast) {
    CHECKF(!applies && strstr(why.text, "leave out --method fast"), "%s: a monitor should not apply; %s", name,
           why.text);
  } else {
    CHECKF(applies, "%s, %s: %s", name, method_names[k], why.text);
    CHECKF(r.verdict == want->verdict, "%s, %s: verdict %d", name, method_names[k], (int)r.verdict);
    if (want->core)
      CHECKF(r.core_count == want->core && r.minimal, "%s, %s: core of %zu", name, method_names[k], r.core_count);
    if (want->says) CHECKF(strstr(r.reason, want->says), "%s, %s: %s", name, method_names[k], r.reason);
    if (r.verdict == VERDICT_VIOLATED) CHECKF(r.core_count && r.reason && *r.reason, "%s, %s", name, method_names[k]);
  }
  mem_close(&m);
}

static void decide_read(struct history *h, const char *spec_name, const struct want *want, const char *name) {
  struct spec spec;
  struct problem why = {.text = ""};
  CHECKF(h, "%s: not read", name);
  CHECKF(spec_named(spec_name, &spec, &why) && spec_bind(&spec, h, &why), "%s: %s", name, why.text);
  if (names_count(h->objects) == 1)
    CHECKF(brute_linearizable(h, &spec, NULL) == (want->verdict == VERDICT_HOLDS), "%s: brute force", name);
  for (int k = 0; k < 4; k++) decide(h, &spec, k, want, name);
}

static void case_in(const struct format *format, const char *spec, const char *text, struct want want) {
  struct mem m;
  struct input in;
  struct problem why = {.text = ""};
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  input_from_bytes(&in, &m, "case", text, strlen(text));
  struct history *h = history_read_input(&in, format, &why);
  CHECKF(h, "%s: %s", text, why.text);
  decide_read(h, spec, &want, text);
  mem_close(&m);
}

/* One process, one operation after the other. */
static void in_a_row(const char *spec, const char *text, struct want want) {
  char lines[2000], *to = lines;
  while (*text) {
    size_t n = strcspn(text, ";"), call = n;
    const char *arrow = strstr(text, " -> ");
    if (arrow && arrow < text + n) call = (size_t)(arrow - text);
    to += sprintf(to, "[1] call %.*s\n", (int)call, text);
    if (call < n)
      to += sprintf(to, "[1] return %.*s\n", (int)(n - call - 4), arrow + 4);
    else
      to += sprintf(to, "[1] return\n");
    text += n;
    text += strspn(text, "; ");
  }
  case_in(&format_hist, spec, lines, want);
}

static void case_file(const char *path, const char *spec, struct want want) {
  struct mem m;
  struct problem why = {.text = ""};
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct history *h = history_read(&m, path, NULL, &why);
  CHECKF(h, "%s", why.text);
  decide_read(h, spec, &want, path);
  mem_close(&m);
}

#define HOLDS(...)    ((struct want){.verdict = VERDICT_HOLDS, __VA_ARGS__})
#define VIOLATED(...) ((struct want){.verdict = VERDICT_VIOLATED, __VA_ARGS__})

/* Tiny sequential histories that published monitors answer wrongly. */
TEST(check_cases_in_a_row) {
  in_a_row("stack", "push 1; pop -> empty", VIOLATED(.fast = true, .core = 2));
  in_a_row("queue", "enq 1; enq 2; deq -> 2", VIOLATED(.fast = true, .core = 3));
  in_a_row("queue", "enq 1; enq 2; enq 3; enq 4", HOLDS(.fast = true));
  in_a_row("stack", "push 1; push 2; push 3; push 4", HOLDS(.fast = true));
  in_a_row("queue", "enq 1; deq -> empty", VIOLATED(.fast = true, .core = 2));
  in_a_row("queue", "deq -> empty; enq 1; deq -> 1; deq -> empty", HOLDS(.fast = true));
  in_a_row("stack", "push 1; push 2; pop -> 1", VIOLATED(.fast = true, .core = 3));
  in_a_row("stack", "push 1; push 2; pop -> 2; pop -> 1; pop -> empty", HOLDS(.fast = true));
  in_a_row("queue", "deq -> 1", VIOLATED(.fast = true, .core = 1));
  in_a_row("queue", "enq 1; deq -> 1; deq -> 1", VIOLATED(.fast = true));
  in_a_row("queue", "deq -> 1; enq 1", VIOLATED(.fast = true));
  in_a_row("priority-queue", "insert 2; insert 1; deq -> 2", VIOLATED(.fast = true));
  in_a_row("priority-queue", "insert 2; insert 1; deq -> 1; deq -> 2; deq -> empty", HOLDS(.fast = true));
  in_a_row("max-priority-queue", "insert 2; insert 1; deq -> 1", VIOLATED(.fast = true));
  in_a_row("register", "write 1; write 2; read -> 1", VIOLATED(.fast = true));
  in_a_row("register", "read -> nil; write 1; read -> 1", HOLDS(.fast = true));
  in_a_row("register", "write 1; read -> nil", VIOLATED(.fast = true));
  in_a_row("set", "add 1 -> true; add 1 -> true", VIOLATED(.fast = true, .core = 2));
  in_a_row("set", "add 1 -> true; add 1 -> false; remove 1 -> true; contains 1 -> false", HOLDS(.fast = true));
  in_a_row("counter", "inc; inc; read -> 1", VIOLATED(.core = 3));
}

/* Wing and Gong 1993, sections 2.4, 3.2.1 and 3.2.2. */
TEST(check_cases_of_the_paper) {
  case_file("tests/histories/paper-2.4-linearizable.txt", "queue", HOLDS(.fast = true));
  case_file("tests/histories/paper-2.4-not-linearizable.txt", "queue", VIOLATED(.fast = true, .core = 3));
  case_file("tests/histories/paper-3.2.1-script.txt", "queue", HOLDS());
  case_file("tests/histories/paper-3.2.2-not-linearizable.txt", "queue", VIOLATED());
}

/* Intervals are closed: what ends when another begins overlaps it. */
TEST(check_cases_ties) {
  case_in(&format_columns, "queue", "enq 1 10 20\nenq 2 20 30\ndeq 2 40 50\n", HOLDS(.fast = true));
  case_in(&format_columns, "queue", "enq 1 10 20\nenq 2 21 30\ndeq 2 40 50\n", VIOLATED(.fast = true, .core = 3));
  case_in(&format_columns, "stack", "push 1 10 20\npop 1 20 20\n", HOLDS(.fast = true));
  case_in(&format_columns, "stack", "pop 1 10 20\npush 1 20 30\n", HOLDS(.fast = true));
  case_in(&format_columns, "stack", "pop 1 10 20\npush 1 21 30\n", VIOLATED(.fast = true));
  case_in(&format_columns, "stack", "push 1 10 10\npush 2 10 10\npop 1 10 10\npop 2 10 10\n", HOLDS(.fast = true));
}

/* Operations that did not return may have taken effect, or not. */
TEST(check_cases_pending) {
  case_in(&format_wing_gong, "queue", "q Enq(1) A\nq Deq() B\nq Ok(1) B\n", HOLDS(.fast = true));
  case_in(&format_wing_gong, "queue", "q Enq(1) A\nq Deq() B\nq Empty() B\n", HOLDS(.fast = true));
  case_in(&format_wing_gong, "queue", "q Enq(1) A\nq Ok() A\nq Deq() C\nq Deq() B\nq Empty() B\n", HOLDS(.fast = true));
  case_in(&format_wing_gong, "queue", "q Enq(1) A\nq Ok() A\nq Deq() B\nq Empty() B\nq Deq() C\n",
          VIOLATED(.fast = true));
  case_in(&format_wing_gong, "queue", "q Enq(1) A\nq Ok() A\nq Enq(2) A\nq Ok() A\nq Deq() C\nq Deq() B\nq Ok(2) B\n",
          HOLDS(.fast = true));
  case_in(&format_wing_gong, "queue",
          "q Enq(1) A\nq Ok() A\nq Enq(2) A\nq Ok() A\nq Enq(3) A\nq Ok() A\nq Deq() C\nq Deq() B\nq Ok(3) B\n",
          VIOLATED(.fast = true));
  case_in(&format_wing_gong, "stack", "s Push(1) A\ns Ok() A\ns Pop() C\ns Pop() B\ns Empty() B\n",
          HOLDS(.fast = true));
  case_in(&format_wing_gong, "stack",
          "s Push(1) A\ns Ok() A\ns Push(2) A\ns Ok() A\ns Pop() C\ns Pop() B\ns Empty() B\n", VIOLATED(.fast = true));
  case_in(&format_wing_gong, "register", "r Write(1) A\nr Read() B\nr Ok(1) B\nr Read() B\nr Ok(1) B\n",
          HOLDS(.fast = true));
  case_in(&format_wing_gong, "register", "r Write(1) A\nr Read() B\nr Ok(1) B\nr Read() B\nr Ok(nil) B\n",
          VIOLATED(.fast = true));
}

/* A result that was not seen may be any. */
TEST(check_cases_unknown) {
  static const char seen[] = "{:process 0, :type :invoke, :f :enqueue, :value 1}\n"
                             "{:process 0, :type :ok, :f :enqueue, :value 1}\n"
                             "{:process 0, :type :invoke, :f :dequeue}\n"
                             "{:process 0, :type :info, :f :dequeue}\n"
                             "{:process 1, :type :invoke, :f :dequeue}\n"
                             "{:process 1, :type :ok, :f :dequeue, :value nil}\n";
  case_in(&format_edn, "queue", seen, HOLDS(.fast = true));
  static const char failed[] = "{:process 0, :type :invoke, :f :write, :value 1}\n"
                               "{:process 0, :type :fail, :f :write, :value 1}\n"
                               "{:process 1, :type :invoke, :f :read}\n"
                               "{:process 1, :type :ok, :f :read, :value 1}\n";
  case_in(&format_edn, "register", failed, VIOLATED(.fast = true));
  static const char info[] = "{:process 0, :type :invoke, :f :write, :value 1}\n"
                             "{:process 0, :type :info, :f :write, :value 1}\n"
                             "{:process 1, :type :invoke, :f :read}\n"
                             "{:process 1, :type :ok, :f :read, :value nil}\n"
                             "{:process 1, :type :invoke, :f :read}\n"
                             "{:process 1, :type :ok, :f :read, :value 1}\n";
  case_in(&format_edn, "register", info, HOLDS(.fast = true));
}

/* An empty queue between two values, and one that was never empty. */
TEST(check_cases_empty) {
  case_in(&format_wing_gong, "queue", "q Enq(1) A\nq Deq() B\nq Ok() A\nq Deq() A\nq Ok(1) A\nq Empty() B\n",
          HOLDS(.fast = true));
  case_in(&format_wing_gong, "queue",
          "q Enq(1) A\nq Ok() A\nq Deq() B\nq Enq(2) A\nq Ok() A\nq Deq() C\nq Ok(1) C\nq Empty() B\nq Deq() C\nq "
          "Ok(2) C\n",
          VIOLATED(.fast = true));
  case_in(&format_wing_gong, "stack",
          "q Push(1) A\nq Ok() A\nq Pop() B\nq Push(2) A\nq Ok() A\nq Pop() C\nq Ok(1) C\nq Empty() B\nq Pop() C\nq "
          "Ok(2) C\n",
          VIOLATED(.fast = true));
}

/* Locality: each object by itself. */
TEST(check_cases_objects) {
  static const char good[] = "p Enq(1) A\nq Enq(1) B\np Ok() A\nq Ok() B\np Deq() B\np Ok(1) B\nq Deq() A\nq Ok(1) A\n";
  case_in(&format_wing_gong, "queue", good, HOLDS(.fast = true));
  static const char crossed[] = "p Enq(1) A\np Ok() A\nq Deq() B\nq Ok(1) B\n";
  case_in(&format_wing_gong, "queue", crossed, VIOLATED(.fast = true, .core = 1));
  static const char one[] =
      "p Enq(1) A\np Ok() A\nq Enq(2) A\nq Ok() A\nq Enq(3) A\nq Ok() A\nq Deq() A\nq Ok(3) A\np Deq() A\np Ok(1) A\n";
  case_in(&format_wing_gong, "queue", one, VIOLATED(.fast = true, .core = 3));
  static const char keys[] =
      "m Put(1,5) A\nm Put(2,6) B\nm Ok() A\nm Ok() B\nm Get(2) A\nm Get(1) B\nm Ok(6) A\nm Ok(6) B\n";
  case_in(&format_wing_gong, "map", keys, VIOLATED(.fast = true));
}

/* Values put in twice are for the search; auto says why. */
TEST(check_cases_repeated) {
  in_a_row("queue", "enq 1; enq 1; deq -> 1; deq -> 1; deq -> empty", HOLDS());
  in_a_row("queue", "enq 1; enq 1; deq -> 1; deq -> empty", VIOLATED());
  in_a_row("queue", "enq 1; enq 2; enq 1; deq -> 1; deq -> 1", VIOLATED());
  in_a_row("stack", "push 1; push 2; push 1; pop -> 1; pop -> 1", VIOLATED());
  in_a_row("register", "write 1; write 2; write 1; read -> 1", HOLDS());
}

/* A key of a map is explained as the register it is, with the operations that matter, however far apart. */
TEST(check_cases_keys_are_explained) {
  in_a_row("map", "put 1 5; put 1 6; put 2 7; put 1 8; put 2 9; get 1 -> 6",
           VIOLATED(.fast = true, .core = 3, .says = "overwritten: Put(1, 6) returned before Put(1, 8)"));
  in_a_row(
      "map", "put 1 5; put 2 3; put 1 6; get 1 -> nil",
      VIOLATED(.fast = true, .core = 2, .says = "returned before Get(1) was called, and nothing can have removed it"));
  in_a_row("map", "put 1 5; put 2 3; get 1 -> 4", VIOLATED(.fast = true, .core = 1, .says = "4 was never written"));
  in_a_row(
      "map", "put 1 5; put 2 4; get 1 -> 4; put 1 4",
      VIOLATED(.fast = true, .core = 1, .says = "4 was not written before: it returned before Put(1, 4) was called"));
  in_a_row("map", "put 1 5; put 1 6; delete 1; get 1 -> 6", VIOLATED(.core = 3, .says = "overwritten"));
  in_a_row("map", "put 1 5; cas 1 5 6 -> true; get 1 -> 6; put 1 7; get 1 -> 6",
           VIOLATED(.core = 3, .says = "overwritten: Cas(1, 5, 6) returned before Put(1, 7)"));
  in_a_row("cas-register", "write 5; cas 4 6 -> true", VIOLATED(.core = 1, .says = "4 was never written"));
  in_a_row("register", "write 1; write 2; write 3; read -> 2; read -> 1", VIOLATED(.fast = true, .core = 3));
  in_a_row("set", "add 1 -> true; add 2 -> true; remove 1 -> true; remove 2 -> true; contains 1 -> true",
           VIOLATED(.fast = true));
}

/* Decides a history by one method; NULL if it does not apply. The result is owned by mem. */
static const struct check_result *decide_text(struct mem *m, const char *spec_name, const char *text,
                                              enum method method, const struct history **h) {
  struct limits *limits = mem_zero(m, 1, sizeof *limits);
  struct input *in = mem_zero(m, 1, sizeof *in);
  struct spec *spec = mem_zero(m, 1, sizeof *spec);
  struct check_result *r = mem_zero(m, 1, sizeof *r);
  struct problem why = {.text = ""};
  struct check_options options = {method, 1, method != METHOD_WING_GONG};
  limits_start(limits, 0, 0);
  input_from_bytes(in, m, "case", text, strlen(text));
  struct history *read = history_read_input(in, &format_wing_gong, &why);
  CHECKF(read && spec_named(spec_name, spec, &why) && spec_bind(spec, read, &why), "%s", why.text);
  *h = read;
  if (check_history(m, read, spec, &options, limits, r, &why)) return r;
  CHECKF(method == METHOD_FAST && strstr(why.text, "leave out"), "%s: %s", spec_name, why.text);
  return NULL;
}

/* Repeated values, many at a time: what no order can give is told without one. k: what is wrong. */
static void counted(const char *name, int k) {
  char text[8000], *to = text;
  int pushes = 30, pops = 29 + (k == 1);
  for (int p = 0; p < pushes; p++) to += sprintf(to, "x enq(%d) A%d\n", p % 2, p);
  for (int p = 0; p < pops; p++) to += sprintf(to, "x deq() B%d\n", p);
  to += sprintf(to, "x deq() C\n");
  for (int p = 0; p < pushes; p++) to += sprintf(to, "x Ok() A%d\n", p);
  for (int p = 0; p < pops; p++) to += sprintf(to, "x Ok(%d) B%d\n", k == 1 ? 1 : p % 2, p);
  to += sprintf(to, k == 0 ? "x Ok(9) C\n" : "x Ok(1) C\n");
  if (k == 2) to += sprintf(to, "x enq(5) C\nx Ok() C\nx enq(5) C\nx Ok() C\nx deq() C\nx Ok(empty) C\n");
  struct mem m;
  const struct history *h;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  const struct check_result *r = decide_text(&m, name, text, METHOD_AUTO, &h);
  CHECKF(r->verdict == VERDICT_VIOLATED, "%s, %d: %s", name, k, r->reason);
  if (k == 0) CHECKF(r->core_count == 1 && strstr(r->reason, "9 was") && r->confirmed, "%s: %s", name, r->reason);
  if (k == 1) CHECKF(strstr(r->reason, "times, but") && r->confirmed, "%s: %s", name, r->reason);
  mem_close(&m);
}

TEST(check_cases_counted) {
  static const char *const names[] = {"stack", "queue", "deque", "semiqueue(3)", "priority-queue", "bounded-queue(40)"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    for (int k = 0; k < 3; k++) counted(names[i], k);
}

/* By whatever method, the culprit is the first return by which it is wrong, also over several keys and objects. */
static void culprit_is(const char *spec_name, const char *text, uint32_t line) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  for (int k = 0; k < 4; k++) {
    const struct history *h;
    const struct check_result *r = decide_text(&m, spec_name, text, methods[k], &h);
    if (!r) continue;
    CHECKF(r->verdict == VERDICT_VIOLATED && r->culprit != UINT32_MAX, "%s, %s: no culprit", spec_name,
           method_names[k]);
    CHECKF(h->ops.at[r->culprit].line == line, "%s, %s: line %u, not %u", spec_name, method_names[k],
           h->ops.at[r->culprit].line, line);
    bool blamed = false;
    for (size_t i = 0; i < r->core_count; i++) blamed |= r->core[i] == r->culprit;
    CHECKF(blamed && r->confirmed, "%s, %s: the culprit is not in the core", spec_name, method_names[k]);
  }
  mem_close(&m);
}

TEST(check_cases_first_culprit) {
  culprit_is("register",
             "r write(1) A\nr Ok() A\nr write(2) A\nr Ok() A\nr read() A\nr Ok(1) A\nr read() B\nr Ok(1) B\n"
             "r read() A\nr Ok(7) A\n",
             5);
  /* The open removal may have taken 1, as far as anyone knows when the other one returns. */
  culprit_is("queue", "q enq(1) A\nq Ok() A\nq deq() B\nq deq() C\nq Ok(empty) C\nq Ok(7) B\n", 3);
  culprit_is("set",
             "s add(1) A\ns Ok(true) A\ns add(2) A\ns Ok(true) A\ns add(2) A\ns Ok(true) A\n"
             "s add(1) A\ns Ok(true) A\n",
             5);
  culprit_is("queue", "p enq(1) A\np Ok() A\nq deq() B\nq Ok(3) B\np deq() A\np Ok(4) A\n", 3);
  /* Others of the same kind are wrong too once it has returned. */
  culprit_is("queue", "q enq(1) A\nq Ok() A\nq deq() A\nq deq() B\nq Empty() B\nq Empty() A\n", 3);
  culprit_is("stack", "s push(1) A\ns Ok() A\ns pop() A\ns pop() B\ns Empty() B\ns Empty() A\n", 3);
  culprit_is("priority-queue",
             "p insert(1) A\np Ok() A\np insert(2) A\np Ok() A\np insert(3) A\np Ok() A\np deq() A\np deq() B\n"
             "p Ok(2) B\np Ok(3) A\n",
             7);
}

/* What open operations return later may make others wrong than the culprit, which is needed for what is shown all the
 * same: until it returned nobody knew what they would return. */
TEST(check_cases_culprit_is_needed) {
  struct mem m;
  const struct history *h;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  for (int k = 0; k < 2; k++) {
    const struct check_result *r =
        decide_text(&m, "hash-map",
                    "m put-if-absent(1, 2) A\nm Ok(nil) A\nm replace(1, 1) A\nm insert(1, 1) B\nm remove(1) C\n"
                    "m put(1, 1) D\nm get(1) E\nm Ok(1) E\nm Ok(1) A\nm get(1) A\nm Ok(nil) C\n"
                    "m Ok(false) B\nm Ok(2) A\nm Ok(1) D\n",
                    methods[k], &h);
    CHECKF(r->verdict == VERDICT_VIOLATED && r->confirmed && r->core_count == 2 && !r->by_return, "%s: %s",
           method_names[k], r->reason);
    CHECKF(h->ops.at[r->core[0]].line == 1 && r->core[1] == r->culprit, "%s: line %u", method_names[k],
           h->ops.at[r->core[0]].line);
  }
  mem_close(&m);
}

/* What is open when the fault shows is explained by what it returned later: two insertions and a removal, not all that
 * the open ones might have taken. The evidence says so, and is confirmed. */
static void later_results_explain(const char *name, const char *inserts, const char *removes, bool lifo) {
  char text[4000], *to = text;
  enum { OPEN = 5 };
  for (int v = 1; v <= OPEN + 3; v++) to += sprintf(to, "x %s(%d) A\nx Ok() A\n", inserts, v);
  for (int p = 0; p < OPEN; p++) to += sprintf(to, "x %s() B%d\n", removes, p);
  to += sprintf(to, "x %s() A\nx Ok(%d) A\n", removes, lifo ? 1 : OPEN + 3);
  for (int p = 0; p < OPEN; p++) to += sprintf(to, "x Ok(%d) B%d\n", p + 2, p);
  struct mem m;
  const struct history *h;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  const struct check_result *r = decide_text(&m, name, text, METHOD_AUTO, &h);
  CHECKF(r->verdict == VERDICT_VIOLATED && r->confirmed, "%s: %s", name, r->reason);
  CHECKF(r->core_count <= 3 && strstr(r->reason, " before "), "%s: %zu operations, %s", name, r->core_count, r->reason);
  CHECKF(h->ops.at[r->culprit].ret == r->core_to, "%s: the culprit returns after the fault", name);
  mem_close(&m);
}

TEST(check_cases_later_results_explain) {
  later_results_explain("queue", "enq", "deq", false);
  later_results_explain("stack", "push", "pop", true);
  later_results_explain("priority-queue", "insert", "deq", false);
}
