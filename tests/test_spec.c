/* Specifications: what each allows, typed by hand; and properties that all have, on random runs.
 *
 * A script is operations one after the other: "enq 1; deq -> 1; !deq -> 2; p1: release". After "->" comes the result
 * ("?" if it was not observed); without it the operation returned Ok(). "!" says that it cannot happen here. Scripts go
 * through history building and spec_bind, and then step by step through sets of states. */
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "history/format.h"
#include "spec/common.h"
#include "spec/map.h"
#include "test.h"

/* Running. */

struct run {
  struct mem mem;
  struct history *history;
  struct spec spec;
  struct outcomes now, next; /* the states it may be in */
};

static void open_history(struct run *r) {
  mem_open(&r->mem, NULL);
  r->history = history_new(&r->mem, "script");
  outcomes_open(&r->now, &r->mem);
  outcomes_open(&r->next, &r->mem);
}

static value script_value(struct values *v, const char *s, size_t n) {
  static const struct {
    const char *name;
    value is;
  } words[] = {{"nil", V_NIL},     {"true", V_TRUE}, {"false", V_FALSE},
               {"empty", V_EMPTY}, {"full", V_FULL}, {"?", V_UNKNOWN}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i].name) == n && !memcmp(words[i].name, s, n)) return words[i].is;
  if (n == 2 && !memcmp(s, "''", 2)) return value_text(v, "", 0);
  if (s[0] == '[') {
    value items[4];
    size_t count = 0;
    for (const char *p = s + 1; p < s + n - 1;) {
      size_t len = 0, depth = 0;
      while (p + len < s + n - 1 && (depth || p[len] != ',')) depth += (p[len] == '[') - (p[len] == ']'), len++;
      items[count++] = script_value(v, p, len);
      p += len + 1;
    }
    return value_list(v, items, count);
  }
  if (isdigit((unsigned char)s[0]) || (s[0] == '-' && n > 1)) return value_int(v, strtoll(s, NULL, 10));
  return value_text(v, s, n);
}

/* Reads a script into operations, marking those that cannot happen; returns how many. */
static size_t read_script(struct run *r, const char *script, bool *impossible) {
  size_t count = 0;
  for (const char *s = script; *s;) {
    size_t len = strcspn(s, ";");
    const char *end = s + len;
    s += strspn(s, " ");
    bool no = *s == '!';
    if (no) s++;
    const char *words[8];
    size_t lens[8], n = 0, process = 0;
    while (s < end) {
      s += strspn(s, " ");
      if (s >= end) break;
      words[n] = s;
      lens[n] = strcspn(s, " ;");
      s += lens[n++];
    }
    if (*end) end++;
    s = end;
    if (!n) continue;
    size_t at = 0;
    if (words[0][0] == 'p' && words[0][lens[0] - 1] == ':') process = (size_t)(words[at++][1] - '0');
    char name[8];
    snprintf(name, sizeof name, "P%zu", process);
    uint32_t method = names_intern(r->history->methods, words[at], lens[at]);
    value args[8], result = V_NONE;
    int arg_count = 0;
    for (at++; at < n && lens[at] == 2 ? memcmp(words[at], "->", 2) != 0 : at < n; at++)
      args[arg_count++] = script_value(r->history->values, words[at], lens[at]);
    if (at < n) result = script_value(r->history->values, words[at + 1], lens[at + 1]);
    uint32_t p = names_intern(r->history->processes, name, strlen(name)), o = names_intern(r->history->objects, "x", 1);
    CHECK(!history_call(r->history, p, o, method, args, arg_count, (uint32_t)count + 1));
    CHECK(!history_return(r->history, p, o, result));
    impossible[count++] = no;
  }
  history_finish(r->history);
  return count;
}

/* One operation on every state of `now`; false, and no change, if none allows it. */
static bool advance(struct run *r, const struct op *op) {
  outcomes_clear(&r->next);
  for (size_t i = 0; i < r->now.list.count; i++) {
    size_t from = r->next.list.count;
    r->spec.step(&r->spec, outcomes_state(&r->now, i), op, &r->next);
    for (size_t a = from; a < r->next.list.count; a++)
      CHECK(op->result == V_UNKNOWN || r->next.list.at[a].result == op->result);
  }
  if (!r->next.list.count) return false;
  outcomes_clear(&r->now); /* without repetitions, whatever the results */
  for (size_t i = 0; i < r->next.list.count; i++) {
    struct state s = outcomes_state(&r->next, i);
    memcpy(outcomes_add(&r->now, V_NONE, s.size), s.at, s.size);
    outcomes_distinct(&r->now, 0);
  }
  return true;
}

static void start(struct run *r) {
  outcomes_clear(&r->now);
  r->spec.init(&r->spec, &r->now);
}

static void named(struct run *r, const char *spec) {
  struct problem problem = {.text = ""};
  CHECKF(spec_named(spec, &r->spec, &problem), "%s", problem.text);
}

/* Runs a script, and compares how the state prints at the end with `state`, unless that is NULL. */
static void script(const char *spec, const char *text, const char *state) {
  struct run r;
  open_history(&r);
  if (MEM_GUARD(&r.mem)) test_fail(__FILE__, __LINE__, "out of memory");
  named(&r, spec);
  bool impossible[64];
  size_t count = read_script(&r, text, impossible);
  struct problem problem = {.text = ""};
  CHECKF(spec_bind(&r.spec, r.history, &problem), "%s: %s", spec, problem.text);
  start(&r);
  for (size_t i = 0; i < count; i++)
    CHECKF(advance(&r, &r.history->ops.at[i]) != impossible[i], "%s: %s: operation %zu", spec, text, i + 1);
  if (r.spec.machine_new) { /* the machine says the same */
    void *machine = r.spec.machine_new(&r.spec, &r.mem);
    for (size_t i = 0; i < count; i++)
      CHECKF(r.spec.machine_apply(machine, &r.history->ops.at[i]) != impossible[i], "%s machine: %s: operation %zu",
             spec, text, i + 1);
  }
  if (state) {
    struct text t;
    text_open(&t, &r.mem);
    for (size_t i = 0; i < r.now.list.count; i++) {
      if (i) text_add(&t, " or ");
      r.spec.print(&r.spec, outcomes_state(&r.now, i), &t);
    }
    CHECKF(!strcmp(text_string(&t), state), "%s: %s: in state %s", spec, text, text_string(&t));
  }
  mem_close(&r.mem);
}

/* What each allows. */

TEST(spec_register) {
  script("register", "read -> nil; write 5; read -> 5; !read -> nil; write 7; !read -> 5; read -> 7; read -> ?",
         "value 7");
  script("register(0)", "read -> 0; !read -> nil; write nil; read -> nil", "value nil");
  script("cas-register", "cas 1 2 -> false; !cas 1 2 -> true; cas nil 2 -> true; read -> 2; cas 2 3 -> 1; cas 2 3 -> 0",
         "value 3");
  script("cas-register(0)", "cas 0 a -> true; read -> a; cas a b -> ?; read -> b", "value b");
}

TEST(spec_counter) {
  script("counter",
         "read -> 0; inc; inc 5; dec; read -> 5; !read -> 6; fetch-add 2 -> 5; !fetch-add -> 5; add-fetch -> 8",
         "count 8");
  script("counter", "dec; read -> -1; add -4; read -> -5; fetch-inc -> ?; read -> -4", "count -4");
  script("counter", "inc 4000000000; read -> 4000000000; inc 4000000000; !read -> 4000000000; read -> ?",
         "count 8000000000");
}

TEST(spec_queue) {
  script("queue",
         "deq -> empty; enq 1; enq 2; !deq -> empty; !deq -> 2; deq -> 1; enq 1; deq -> 2; deq -> 1; deq -> empty",
         "[]");
  script("queue", "enq 5; enq 7; enq 5", "[5 7 5]");
  script("queue", "enq 5; enq 7; deq -> ?; deq -> 7; deq -> ?; deq -> nil; deq -> null; deq -> NONE", "[]");
  script("weak-queue", "enq 1; deq -> empty; !deq -> 2; deq -> 1; deq -> empty; !deq -> 1", "[]");
  script("weak-queue", "enq 1; deq -> ?", "[] or [1]");
  script("weak-queue",
         "enq 1; enq 2; !drain -> empty; !drain -> 2; drain -> 1; deq -> empty; drain -> ?; drain -> empty", "[]");
  script("weak-bounded-queue(2)", "drain -> empty; enq 1; !drain -> empty; drain -> 1", "[]");
  script("bounded-queue(2)",
         "enq 1; enq 2; !enq 3; enq 3 -> full; enq 3 -> false; deq -> 1; !enq 3 -> full; enq 3; deq -> 2", "[3]");
  script("weak-bounded-queue(2)",
         "enq 1 -> full; deq -> empty; enq 1; deq -> empty; enq 2 -> full; enq 2; !enq 3; enq 3 -> full; !deq -> 2; "
         "deq -> 1; enq 4",
         "[2 4]");
  script("weak-bounded-queue(1)", "enq 1 -> ?; deq -> ?", "[] or [1]");
  script("bounded-queue(1)", "deq -> empty; enq 1 -> ?; enq 2 -> ?; deq -> 1; deq -> empty", "[]");
}

TEST(spec_stack) {
  script("stack", "pop -> empty; push 1; push 2; !pop -> 1; !pop -> empty; pop -> 2; pop -> 1; pop -> empty", "[]");
  script("stack", "push 1; push 2; pop -> ?; push 3", "[1 3]");
  script("bounded-stack(2)",
         "push 1; push 2; !push 3; push 3 -> full; !pop -> 1; pop -> 2; !push 3 -> full; push 3; pop -> 3", "[1]");
  script("weak-stack", "push 1; push 2; pop -> empty; !pop -> 1; pop -> 2; pop -> ?", "[] or [1]");
}

TEST(spec_deque) {
  script(
      "deque",
      "pop-front -> empty; pop-back -> empty; push-front 1; push-back 2; push_front 0; !pop-back -> 0; pop-back -> 2; "
      "PopFront -> 0; !pop-front -> empty; pop-back -> ?; pop-front -> empty",
      "[]");
  script("deque", "push-back 1; push-back 2; push-back 3; pop-front -> 1; pop-back -> 3", "[2]");
}

TEST(spec_work_stealing_deque) {
  script("work-stealing-deque",
         "steal -> empty; steal -> abort; pop -> empty; push 1; push 2; push 3; steal -> retry; !steal -> empty; "
         "!steal -> 3; steal -> 1; !pop -> abort; !pop -> 2; pop -> 3; !pop -> empty; push 4",
         "[2 4]");
  script("weak-work-stealing-deque", "push 1; steal -> empty; !pop -> empty; steal -> false; steal -> 1; pop -> empty",
         "[]");
  script("work-stealing-deque", "push 1; steal -> ?", "[1] or []");
}

TEST(spec_bag) {
  script("bag", "take -> empty; put 2; put 1; put 2; !take -> empty; !take -> 3; take -> 1; take -> 2; take -> 2",
         "{}");
  script("pool", "put 1; put 2; take -> ?", "{2} or {1}");
  script("weak-bag", "put 2; !drain -> empty; drain -> 2; drain -> empty", "{}");
  script("weak-stack", "push 1; push 2; !drain -> empty; !drain -> 1; drain -> 2; drain -> 1; drain -> empty", "[]");
  script("weak-producer-fifo", "p1: enq 1; p1: enq 2; !drain -> empty; !drain -> 2; drain -> 1", "[2]");
  script("weak-work-stealing-deque", "push 1; push 2; !drain -> empty; drain -> abort; drain -> 1; !drain -> 1", "[2]");
  script("weak-bag", "put 1; take -> empty; take -> 1; !take -> 1", "{}");
  script("weak-producer-fifo",
         "p1: enq 1; p1: enq 2; p2: enq 5; deq -> empty; !deq -> 2; deq -> 5; deq -> 1; deq -> empty; deq -> 2", "[]");
}

TEST(spec_latch_and_once) {
  script("latch(2)",
         "count -> 2; !wait; try-wait -> false; count-down; count -> 1; !try-wait -> true; count-down 5; count -> 0; "
         "wait; "
         "try-wait -> true; count-down; wait",
         "count 0");
  script("latch(0)", "wait; !count-down -1", "count 0");
  script("once", "get -> nil; call 5 -> 5; call 6 -> 5; !call 6 -> 6; set 7 -> false; get -> 5; call 8 -> ?",
         "value 5");
  script("once", "set 7 -> true; !set 8 -> true; call 1 -> 7; call 1", "value 7");
}

TEST(spec_upgradable_rw_lock) {
  script("upgradable-rw-lock",
         "p1: upgradable-lock; p2: read-lock; !p3: upgradable-lock; p3: try-upgradable -> false; !p1: upgrade; "
         "p1: try-upgrade -> false; !p3: write-lock; p2: unlock; !p3: upgrade; p1: upgrade; !p2: read-lock; "
         "p1: downgrade; p2: read-lock; p3: upgradable-lock",
         "read upgradably by P3, read by P1 and P2");
  script("upgradable-rw-lock",
         "p1: read-lock; p1: upgrade; !p2: try-read -> true; p1: downgrade-upgradable; p2: read-lock; !p1: downgrade; "
         "p2: read-unlock; p1: upgradable-unlock; !p1: unlock; p2: try-write -> true",
         "written by P2");
  script("upgradable-rw-lock", "p1: read-lock; p2: read-lock; !p1: upgrade; p2: try-upgrade -> false; p1: read-lock",
         "read by P1 and P1 and P2");
}

TEST(spec_maps) {
  script(
      "hash-map",
      "get 1 -> nil; put 1 5 -> nil; !put 1 6 -> nil; put 1 6 -> 5; put 1 7; get 1 -> 7; contains 1 -> true; "
      "put-if-absent 1 9 -> 7; put-if-absent 2 9 -> nil; replace 3 1 -> nil; replace 2 8 -> 9; insert 2 1 -> false; "
      "insert 3 4 -> true; erase 3 -> true; erase 3 -> false; cas 2 8 3 -> true; cas 2 8 3 -> false; !remove 1 -> 6; "
      "remove 1 -> 7; remove 1 -> nil",
      "{2=3}");
  script(
      "ordered-map",
      "min -> nil; floor 9 -> nil; put 5 50 -> nil; put 9 90 -> nil; put -2 1 -> nil; min -> -2; max -> 9; "
      "floor 8 -> 5; floor 5 -> 5; floor -3 -> nil; ceiling 6 -> 9; ceiling 5 -> 5; ceiling 10 -> nil; lower 5 -> -2; "
      "lower -2 -> nil; higher 5 -> 9; higher 9 -> nil; !max -> 5; remove 9 -> 90; max -> 5; remove-min -> -2; "
      "insert a 1 -> true; max -> a; remove-max -> a; remove-max -> 5; remove-max -> nil; put 3 4",
      "{3=4}");
}

TEST(spec_priority_queue) {
  script(
      "pqueue",
      "deq -> empty; insert 5; insert 3; insert 9; insert 3; !deq -> 5; deq -> 3; deq -> 3; delete-min -> 5; deq -> ?; "
      "deq -> empty",
      "[]");
  script("priority-queue", "insert 5; insert -3; insert a; insert 3000000000", "[-3 5 3000000000 a]");
  script("max-priority-queue", "insert 5; insert 3; insert 9; !deq -> 3; delete-max -> 9; !deq -> empty; insert 7",
         "[7 5 3]");
  script("bounded-priority-queue(2)", "insert 5; insert 3; insert 1 -> full; !insert 1; deq -> 3; insert 1; deq -> 1",
         "[5]");
}

TEST(spec_set) {
  script("set",
         "contains 1 -> false; add 1 -> true; add 1 -> false; !add 1 -> true; contains 1 -> 1; remove 2 -> false; "
         "add 2 -> true; remove 1 -> true; contains 1 -> 0; !remove 1 -> true; add 3 -> ?; contains 3 -> true",
         "{2 3}");
  script("multiset",
         "count 1 -> 0; add 1; add 1; add 0; count 1 -> 2; !count 1 -> 1; remove 1 -> true; contains 1 -> true; "
         "remove 1 -> true; remove 1 -> false; contains 1 -> false; add 2; add 2; remove 2 -> ?",
         "{0 2}");
}

TEST(spec_map) {
  script("map",
         "get a -> nil; put a 1; get a -> 1; !get a -> nil; get b -> nil; put b 2; delete a; get a -> nil; "
         "cas b 2 3 -> true; cas b 2 3 -> false; get b -> 3; cas c nil 1 -> true; delete b",
         "{c=1}");
  script("map",
         "append k a; append k b; get k -> ab; !get k -> a; put k 1; append k 2; get k -> 12; cas k 12 x -> true; "
         "append k y; put other 0; get other -> 0",
         "{k=\"xy\" other=\"0\"}");
  script("map", "get k -> ''; put k ''; get k -> nil; append k ''; append k abcd; delete k; get k -> ''", "{}");
  script("map",
         "put k true; get k -> true; !append k x; delete k; append k x; get k -> x; append k y -> ?; get k -> ?; cas k "
         "xy true -> true",
         "{k=true}");
}

TEST(spec_lock) {
  script("lock",
         "p0: acquire; !p1: acquire; !p1: release; p1: try -> false; p0: try -> false; !p0: acquire; p0: release; "
         "!p0: release; p1: try -> true; p1: release; p2: acquire",
         "held by P2");
  script("lock", "p0: lock; p0: unlock", "free");
  script("rw-lock",
         "p0: read-lock; p1: read-lock; !p2: write-lock; p2: try-write -> false; p2: try-read -> true; p0: unlock; "
         "!p0: unlock; p1: read-unlock; p2: unlock; p2: write-lock; !p0: read-lock; p0: try-read -> false; "
         "!p0: unlock; p2: unlock; p0: rdlock; p0: rdlock; p0: unlock; !p1: write-lock",
         "read by P0");
  script("rw-lock",
         "p0: write-lock; !p0: read-lock; !p0: write-lock; !p0: read-unlock; p0: write-unlock; p1: try-write -> 1",
         "written by P1");
  script("semaphore(2)",
         "acquire; acquire; !acquire; try -> false; release; try -> true; release 2; acquire 2; !acquire 1",
         "0 permits");
  script("semaphore(0)", "!acquire; release; !release -1; p1: acquire; release", "1 permit");
}

TEST(spec_relaxed) {
  script("semiqueue(2)",
         "deq -> empty; enq 1; enq 2; enq 3; !deq -> 3; !deq -> empty; deq -> 2; deq -> 3; enq 4; deq -> 4; deq -> 1; "
         "deq -> empty",
         "{}");
  script("semiqueue(2)", "enq 1; enq 2; enq 3; enq 4; deq -> ?", "{2 3} [4] or {1 3} [4]");
  script("semiqueue(1)", "enq 1; enq 2; !deq -> 2; deq -> 1; deq -> 2", "{}");
  script("semiqueue(3)", "enq 2; enq 1; enq 2; enq 1; deq -> ?", "{1 2 2} or {1 1 2}");
  /* 1 may be overtaken once by k-fifo(2), any number of times by semiqueue(2). */
  script("semiqueue(2)", "enq 1; enq 2; enq 3; enq 4; deq -> 2; deq -> 3; deq -> 4", "{1}");
  script("k-fifo(2)", "enq 1; enq 2; enq 3; deq -> 2; !deq -> 3; deq -> 1; deq -> 3; deq -> empty", "[]");
  script("k-fifo(3)",
         "enq 1; enq 2; enq 3; enq 4; enq 5; !deq -> 4; deq -> 3; deq -> 4; !deq -> 5; !deq -> 2; deq -> 1",
         "[2(overtaken 2) 5]");
  script("k-fifo(1)", "enq 1; enq 2; !deq -> 2; !deq -> empty; deq -> ?", "[2]");
  script("k-fifo(2)", "enq 1; enq 2; deq -> ?", "[2] or [1(overtaken 1)]");
  script("stuttering-queue(2)", "enq 1; enq 2; deq -> 1; deq -> 1; !deq -> 1; deq -> 2; deq -> 2; deq -> empty", "[]");
  script("stuttering-queue(2)", "enq 1; enq 2; deq -> 1", "[2] or [1 2], the first returned 1 time");
  script("stuttering-queue(3)", "enq 1; enq 2; deq -> 1; deq -> 1; deq -> 1; !deq -> 1; deq -> 2; !deq -> 1", NULL);
  script("stuttering-queue(2)", "enq 1; enq 2; deq -> 1; deq -> 2; deq -> empty; !deq -> 2", "[]");
  script("stuttering-queue(1)", "enq 1; enq 1; deq -> 1; deq -> 1; !deq -> 1; deq -> empty", "[]");
  script("producer-fifo",
         "p0: enq 1; p0: enq 2; p1: enq 3; p1: enq 4; !deq -> 2; !deq -> 4; deq -> 3; deq -> 4; deq -> 1; "
         "!deq -> empty; deq -> 2; deq -> empty",
         "[]");
  script("producer-fifo", "p0: enq 3; p1: enq 1; p1: enq 2; p0: deq -> ?", "[1 2] or [3 | 2]");
}

TEST(spec_indicators) {
  script(
      "snzi",
      "query -> false; !depart; arrive; query -> true; arrive; depart; query -> true; depart; query -> 0; !query -> 1",
      "surplus 0");
  script("mailbox",
         "check -> false; !remove; deliver; !remove; check -> true; deliver; remove; !remove; check -> true; remove; "
         "check -> false; !check -> true",
         "0 letters");
}

/* Names. */

TEST(spec_names) {
  struct spec s;
  struct problem p;
  CHECK(spec_named("Bounded_Queue(7)", &s, &p) && s.k == 7 && !strcmp(s.name, "bounded-queue"));
  CHECK(spec_named("bqueue( 3 )", &s, &p) && s.k == 3);
  CHECK(spec_named("QUEUE", &s, &p) && s.step == spec_queue.step);
  CHECK(!spec_named("quue", &s, &p) && strstr(p.text, "did you mean") && strstr(p.text, "queue"));
  CHECK(!spec_named("xyzzy", &s, &p) && strstr(p.text, "there are") && strstr(p.text, "mailbox"));
  CHECK(!spec_named("queue(3)", &s, &p) && strstr(p.text, "takes no parameter"));
  CHECK(!spec_named("", &s, &p));
  static const char *const bad[] = {"bounded-queue()",
                                    "bounded-queue(0)",
                                    "bounded-queue(x)",
                                    "bounded-queue(3",
                                    "bounded-queue(3)x",
                                    "bounded-queue(-1)",
                                    "bounded-queue(99999999999999999999)",
                                    "semiqueue(0)"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECKF(!spec_named(bad[i], &s, &p) && strstr(p.text, "at least"), "%s", bad[i]);
  for (const struct spec *const *t = specs; *t; t++) {
    CHECK(spec_named((*t)->name, &s, &p) && s.step == (*t)->step && !strcmp(s.name, (*t)->name));
    const char *list = (*t)->aliases, *word;
    size_t len;
    while ((word = next_word(&list, &len))) {
      char alias[80];
      snprintf(alias, sizeof alias, "%.*s", (int)len, word);
      CHECKF(spec_named(alias, &s, &p) && !strcmp(s.name, (*t)->name), "%s of %s", alias, (*t)->name);
    }
    for (unsigned m = 0; m < (*t)->op_count; m++) {
      list = (*t)->ops[m].names;
      while ((word = next_word(&list, &len))) {
        char alias[80];
        size_t n = 0;
        for (size_t i = 0; i < len; i++)
          if (word[i] != '-') alias[n++] = (char)toupper((unsigned char)word[i]);
        CHECKF(spec_op_find(*t, word, len) == (int)m, "%.*s of %s", (int)len, word, (*t)->name);
        CHECKF(spec_op_find(*t, alias, n) == (int)m, "%.*s of %s", (int)n, alias, (*t)->name);
      }
    }
    CHECK(spec_op_find(*t, "frobnicate", 10) < 0);
  }
}

/* Binding. */

/* The same event by event. */
static bool bind_events(struct run *r, struct op *ops, struct problem *problem) {
  struct spec spec = r->spec;
  struct history *h = r->history;
  struct binder *b = spec_binder(&r->mem, &spec, h->values, h->echoes, h->source);
  for (size_t i = 0; i < h->ops.count; i++) {
    struct op *o = &ops[i];
    struct bound_call c;
    const char *name = names_at(h->methods, h->ops.at[i].method);
    *o = h->ops.at[i];
    int method = spec_bind_method(b, name, strlen(name), o->line, problem);
    if (method < 0 || !spec_bind_call(b, (uint16_t)method, o->arg, o->line, &c, problem)) return false;
    if (!spec_bind_return(b, &c, &o->result, o->line, problem)) return false;
    o->method = c.method;
    memcpy(o->arg, c.arg, sizeof c.arg);
  }
  return true;
}

/* Binds a script; the problem must contain `says`, or be none if that is NULL. */
static void bound(struct run *r, const char *spec, const char *text, bool echoes, const char *says) {
  open_history(r);
  named(r, spec);
  bool impossible[64];
  read_script(r, text, impossible);
  r->history->echoes = echoes;
  struct problem problem = {.text = ""}, again = {.text = ""};
  struct op ops[64];
  bool events = bind_events(r, ops, &again), good = spec_bind(&r->spec, r->history, &problem);
  CHECKF(events == good && !strcmp(again.text, problem.text), "%s: %s: %s, but event by event: %s", spec, text,
         problem.text, again.text);
  for (size_t i = 0; good && i < r->history->ops.count; i++) {
    const struct op *o = &r->history->ops.at[i];
    CHECKF(o->method == ops[i].method && o->result == ops[i].result && !memcmp(o->arg, ops[i].arg, sizeof o->arg),
           "%s: %s: operation %zu is another event by event", spec, text, i + 1);
  }
  if (says)
    CHECKF(!good && strstr(problem.text, says), "%s: %s: %s", spec, text, problem.text);
  else
    CHECKF(good, "%s: %s: %s", spec, text, problem.text);
}

static void printed(const char *spec, const char *text, bool echoes, const char *as) {
  struct run r;
  bound(&r, spec, text, echoes, NULL);
  struct text t;
  text_open(&t, &r.mem);
  for (size_t i = 0; i < r.history->ops.count; i++) {
    if (i) text_add(&t, "; ");
    op_print(&r.spec, r.history, &r.history->ops.at[i], &t);
  }
  CHECKF(!strcmp(text_string(&t), as), "%s: %s", spec, text_string(&t));
  mem_close(&r.mem);
}

static void refused(const char *spec, const char *text, const char *says) {
  struct run r;
  bound(&r, spec, text, false, says);
  mem_close(&r.mem);
}

TEST(spec_bind) {
  printed("queue", "enqueue 5; Dequeue -> 5; poll -> EMPTY; pop -> Null; deq -> ?", false,
          "Enq(5) -> ok; Deq() -> 5; Deq() -> empty; Deq() -> empty; Deq() -> ?");
  printed("queue", "enq empty_word; enq none; deq -> none; deq", false,
          "Enq(empty_word) -> ok; Enq(none) -> ok; Deq() -> none; Deq() -> empty");
  printed("stack", "push 5 -> true; pop 5; pop nil -> 3", false, "Push(5) -> ok; Pop() -> 5; Pop() -> 3");
  printed("set", "add 1 -> ok; add 2 -> 0; add 3; contains 1 -> TRUE; remove 9 -> no", false,
          "Add(1) -> true; Add(2) -> false; Add(3) -> ?; Contains(1) -> true; Remove(9) -> false");
  printed("bounded-queue", "enq 1 -> ok; enq 1 -> true; enq 1 -> FULL; enq 1 -> false; enq 1", false,
          "Enq(1) -> ok; Enq(1) -> ok; Enq(1) -> full; Enq(1) -> full; Enq(1) -> ok");
  /* Jepsen. */
  printed("cas-register", "read nil -> 3; write 3 -> 3; cas [3,4] -> [3,4]; read nil -> nil", true,
          "Read() -> 3; Write(3) -> ok; Cas(3, 4) -> true; Read() -> nil");
  printed("map", "read [1,nil] -> [1,3]; write [1,3] -> [1,3]; cas [1,[3,4]] -> [1,[3,4]]; read [x,nil] -> [x,nil]",
          true, "Get(1) -> 3; Put(1, 3) -> ok; Cas(1, 3, 4) -> true; Get(x) -> nil");
  printed("map", "get a nil -> xy; append a xy -> xy; put a '' -> ''; get a nil -> ''", true,
          "Get(a) -> xy; Append(a, xy) -> ok; Put(a, nil) -> ok; Get(a) -> nil");
  printed("work-stealing-deque", "push 1; steal -> abort; steal -> FALSE; steal -> empty; steal; pop -> none; steal 1",
          false,
          "Push(1) -> ok; Steal() -> abort; Steal() -> abort; Steal() -> empty; Steal() -> empty; Pop() -> empty; "
          "Steal() -> 1");
  printed("hash-map", "put 1 2; put 1 2 -> nil; put 1 2 -> 2; remove 1; get 1; remove 1 -> empty", false,
          "Put(1, 2) -> ?; Put(1, 2) -> nil; Put(1, 2) -> 2; Remove(1) -> ?; Get(1) -> nil; Remove(1) -> nil");
  printed("hash-map", "write [1,3] -> [1,3]; read [1,nil] -> [1,3]", true, "Put(1, 3) -> ?; Get(1) -> 3");
  printed("queue", "enqueue 1 -> 1; dequeue nil -> 1", true, "Enq(1) -> ok; Deq() -> 1");
  printed("counter", "add 1 -> 1; read nil -> 1", true, "Inc(1) -> ok; Read() -> 1");
  printed("set", "add 1 -> 1; add 0 -> 0; contains 1 -> true", true, "Add(1) -> ?; Add(0) -> ?; Contains(1) -> true");
  printed("lock", "acquire nil -> nil; release nil -> nil; try nil -> nil", true,
          "Acquire() -> ok; Release() -> ok; Try() -> true");
  printed("map", "put 1 [2,3]; get 1 -> [2,3]; cas 1 [2,3] 4 -> true", false,
          "Put(1, [2 3]) -> ok; Get(1) -> [2 3]; Cas(1, [2 3], 4) -> true");
  /* Wrong ones. */
  refused("queue", "enq 1; foo", "script:2: operation 'foo' is not one of queue's: enq, deq");
  refused("queue", "enq", "script:1: enq of a queue takes 1 argument, not 0");
  refused("queue", "deq; enq 1 2", "script:2: enq of a queue takes 1 argument, not 2");
  refused("queue", "deq 1 2", "takes 0 arguments");
  refused("queue", "enq nil", "could not be told");
  refused("work-stealing-deque", "push false", "could not be told");
  refused("counter", "inc 1 2", "0 to 1 arguments");
  refused("counter", "inc abc", "takes an integer, not abc");
  refused("counter", "read -> abc", "returns an integer, not abc");
  refused("set", "add 1 -> 7", "add returns true or false, not 7");
  refused("map", "append k [1,2]", "append takes a text");
  refused("cas-register", "read [1,nil] -> [1,3]", "'map'");
}

static void guessed(const char *text, const char *type, const char *as) {
  struct run r;
  open_history(&r);
  bool impossible[64];
  read_script(&r, text, impossible);
  r.history->object_type = type;
  struct problem problem = {.text = ""};
  const struct spec *s = spec_guess(r.history, &problem);
  if (!s)
    CHECKF(as[0] == ':' && strstr(problem.text, as + 1), "%s: %s", text, problem.text);
  else
    CHECKF(!strcmp(s->name, as), "%s: guessed %s", text, s->name);
  mem_close(&r.mem);
}

TEST(spec_guess) {
  guessed("push 1", "atomic-stack", "stack");
  guessed("push 1", "atomic-queue", "queue");
  guessed("x", "Concurrent_Lock-Free-Queue", "queue");
  guessed("push 1; pop", "mystery", "stack");
  guessed("Enqueue 1", NULL, "queue");
  guessed("read; write 1", NULL, "register");
  guessed("read; cas [1,2]", NULL, "cas-register");
  guessed("read [1,nil]; write [1,2]", NULL, "map");
  guessed("get 1; put 1 2; append 1 2", NULL, "map");
  guessed("add 1; contains 1", NULL, "set");
  guessed("add 1; count 1", NULL, "multiset");
  guessed("add 1; read", NULL, "counter");
  guessed("insert 1; deleteMin", NULL, "priority-queue");
  guessed("insert 1; deleteMax", NULL, "max-priority-queue");
  guessed("lock; unlock", NULL, "lock");
  guessed("arrive; query", NULL, "snzi");
  guessed("read", NULL, ":several");
  guessed("foo; bar", NULL, ":no specification is known by its operations (foo, bar)");
  guessed("", NULL, ":no specification");
}

/* A nemesis' methods are read, but no operation has them. */
TEST(spec_guess_by_operations_only) {
  static const char log[] = "{:process :nemesis, :type :info, :f :start-partition, :value nil}\n"
                            "{:process 0, :type :invoke, :f :enqueue, :value 1}\n"
                            "{:process 0, :type :ok, :f :enqueue, :value 1}\n"
                            "{:process :nemesis, :type :info, :f :stop, :value nil}\n";
  struct mem m;
  struct input in;
  struct problem problem = {.text = ""};
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  input_from_bytes(&in, &m, "log", log, sizeof log - 1);
  struct history *h = history_read_input(&in, &format_edn, &problem);
  CHECKF(h, "%s", problem.text);
  const struct spec *s = spec_guess(h, &problem);
  CHECKF(s && !strcmp(s->name, "queue"), "%s", problem.text);
  mem_close(&m);
}

/* Properties of all, on random runs. */

struct random {
  uint64_t x;
};
static uint32_t pick(struct random *r, uint32_t n) { return (uint32_t)(hash_mix(r->x += 0x9e3779b97f4a7c15u) % n); }

static const char *const variants[] = {"register",
                                       "register(0)",
                                       "cas-register",
                                       "counter",
                                       "stack",
                                       "queue",
                                       "deque",
                                       "priority-queue",
                                       "max-priority-queue",
                                       "set",
                                       "multiset",
                                       "map",
                                       "bounded-queue(1)",
                                       "bounded-queue(3)",
                                       "bounded-priority-queue(2)",
                                       "weak-queue",
                                       "weak-stack",
                                       "semiqueue(1)",
                                       "semiqueue(2)",
                                       "semiqueue(3)",
                                       "k-fifo(1)",
                                       "k-fifo(2)",
                                       "k-fifo(3)",
                                       "stuttering-queue(1)",
                                       "stuttering-queue(2)",
                                       "stuttering-queue(3)",
                                       "producer-fifo",
                                       "lock",
                                       "rw-lock",
                                       "semaphore(0)",
                                       "semaphore(2)",
                                       "snzi",
                                       "mailbox",
                                       "weak-bounded-queue(1)",
                                       "weak-bounded-queue(2)",
                                       "bounded-stack(1)",
                                       "bounded-stack(2)",
                                       "weak-producer-fifo",
                                       "bag",
                                       "weak-bag",
                                       "work-stealing-deque",
                                       "weak-work-stealing-deque",
                                       "latch(0)",
                                       "latch(2)",
                                       "once",
                                       "upgradable-rw-lock",
                                       "hash-map",
                                       "ordered-map"};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void open_variant(struct run *r, const char *name) {
  open_history(r);
  named(r, name);
  r->spec.values = r->history->values;
  /* some contents for maps, so that appended texts meet values */
  value_text(r->history->values, "12", 2);
  start(r);
}

/* A random operation, not yet with a result; values are small, so that they meet. */
static struct op random_op(struct run *r, struct random *rng, uint32_t values) {
  struct op o = {.call = 0,
                 .ret = 1,
                 .process = pick(rng, 3),
                 .result = V_UNKNOWN,
                 .method = (uint16_t)pick(rng, r->spec.op_count)};
  const struct spec_op *s = &r->spec.ops[o.method];
  int args = s->args + (int)pick(rng, s->args_most - s->args + 1u);
  for (int i = 0; i < OP_ARGS; i++) o.arg[i] = i < args ? value_of_small((int32_t)pick(rng, values)) : V_NONE;
  if (r->spec.step == spec_map.step && args > 1 && !pick(rng, 6))
    o.arg[1] = pick(rng, 2) ? V_NIL : value_text(r->history->values, "12", 2);
  return o;
}

static value random_result(struct run *r, struct random *rng, const struct op *o, uint32_t values) {
  static const value specials[] = {V_NONE, V_NIL, V_TRUE, V_FALSE, V_EMPTY, V_FULL};
  if (pick(rng, 4)) { /* mostly a possible one */
    outcomes_clear(&r->next);
    r->spec.step(&r->spec, outcomes_state(&r->now, 0), o, &r->next);
    if (r->next.list.count) return r->next.list.at[pick(rng, (uint32_t)r->next.list.count)].result;
  }
  uint32_t i = pick(rng, values + 6);
  return i < values ? value_of_small((int32_t)i) : specials[i - values];
}

TEST(spec_machines_agree) {
  for (int v = 0; v < VARIANTS; v++) {
    struct run r;
    open_variant(&r, variants[v]);
    if (!r.spec.machine_new) {
      mem_close(&r.mem);
      continue;
    }
    struct random rng = {(uint64_t)v};
    uint64_t accepted = 0, refusals = 0;
    for (int round = 0; round < 60; round++) {
      start(&r);
      if (r.spec.step == spec_map.step) r.spec.k = round % 2 ? MAP_PLAIN : MAP_TEXTS;
      void *machine = r.spec.machine_new(&r.spec, &r.mem);
      for (int i = 0; i < 400; i++) {
        uint32_t values = round < 30 ? 3 : 20;
        struct op o = random_op(&r, &rng, values);
        if (pick(&rng, 8)) o.result = random_result(&r, &rng, &o, values);
        bool step = advance(&r, &o), apply = r.spec.machine_apply(machine, &o);
        CHECKF(step == apply, "%s: method %u: step %d, machine %d", variants[v], o.method, step, apply);
        CHECK(!step || r.now.list.count == 1);
        if (o.result != V_UNKNOWN) step ? accepted++ : refusals++;
      }
    }
    CHECKF(accepted > 2000 && refusals > 500, "%s: accepted %d, refused %d", variants[v], (int)accepted, (int)refusals);
    mem_close(&r.mem);
  }
}

/* Every outcome is given once; an observed result gives exactly the outcomes with that result; pure operations leave
 * the state; states print. */
TEST(spec_step_outcomes) {
  for (int v = 0; v < VARIANTS; v++) {
    struct run r;
    open_variant(&r, variants[v]);
    struct outcomes all, some;
    struct text t;
    outcomes_open(&all, &r.mem);
    outcomes_open(&some, &r.mem);
    text_open(&t, &r.mem);
    struct random rng = {(uint64_t)v + 100};
    for (int i = 0; i < 4000; i++) {
      if (i % 50 == 0) start(&r);
      struct op o = random_op(&r, &rng, 3);
      struct state from = outcomes_state(&r.now, 0);
      outcomes_clear(&all);
      r.spec.step(&r.spec, from, &o, &all);
      for (size_t a = 0; a < all.list.count; a++) {
        for (size_t b = 0; b < a; b++) {
          struct state x = outcomes_state(&all, a), y = outcomes_state(&all, b);
          CHECKF(all.list.at[a].result != all.list.at[b].result || x.size != y.size || memcmp(x.at, y.at, x.size), "%s",
                 variants[v]);
        }
        CHECK(all.list.at[a].offset % 8 == 0);
        if (all.list.at[a].result == V_UNKNOWN) continue; /* a text that has no value */
        struct op with = o;
        with.result = all.list.at[a].result;
        outcomes_clear(&some);
        r.spec.step(&r.spec, from, &with, &some);
        size_t want = 0;
        for (size_t b = 0; b < all.list.count; b++) want += all.list.at[b].result == with.result;
        CHECKF(some.list.count == want, "%s: method %u", variants[v], o.method);
        for (size_t b = 0; b < some.list.count; b++) {
          CHECK(some.list.at[b].result == with.result);
          struct state x = outcomes_state(&some, b);
          if (op_pure(&r.spec, &with))
            CHECKF(x.size == from.size && !memcmp(x.at, from.at, x.size), "%s: method %u", variants[v], o.method);
        }
      }
      text_clear(&t);
      r.spec.print(&r.spec, from, &t);
      CHECK(t.count > 0);
      if (!all.list.count) continue;
      struct state to = outcomes_state(&all, pick(&rng, (uint32_t)all.list.count));
      outcomes_clear(&r.now);
      memcpy(outcomes_add(&r.now, V_NONE, to.size), to.at, to.size);
    }
    mem_close(&r.mem);
  }
}

/* Operations that can always happen do, with their one result; those that overwrite lead to one state. */
TEST(spec_always) {
  for (int v = 0; v < VARIANTS; v++) {
    struct run r;
    open_variant(&r, variants[v]);
    CHECK(!(r.spec.overwrites & ~r.spec.always));
    struct random rng = {(uint64_t)v + 400};
    uint64_t after[8] = {0};
    for (int i = 0; i < 4000; i++) {
      struct op o = random_op(&r, &rng, 3);
      if (r.spec.keyed) o.arg[0] = value_of_small(1);
      if (advance(&r, &o)) r.now.list.count = 1; /* follow one state */
      if (i % 50 == 0) start(&r);
      for (unsigned m = 0; m < r.spec.op_count; m++) {
        if (!(r.spec.always >> m & 1)) continue;
        int args = r.spec.ops[m].args;
        o = (struct op){.ret = 1, .method = (uint16_t)m, .result = V_UNKNOWN, .arg = {V_NONE, V_NONE, V_NONE}};
        for (int a = 0; a < args; a++) o.arg[a] = value_of_small(1);
        outcomes_clear(&r.next);
        r.spec.step(&r.spec, outcomes_state(&r.now, 0), &o, &r.next);
        CHECKF(r.next.list.count == 1 && r.next.list.at[0].result == V_NONE, "%s: method %u", variants[v], m);
        if (!(r.spec.overwrites >> m & 1)) continue;
        struct state s = outcomes_state(&r.next, 0);
        uint64_t h = hash_bytes(s.at, s.size);
        CHECKF(!after[m] || after[m] == h, "%s: method %u does not overwrite", variants[v], m);
        after[m] = h;
      }
    }
    mem_close(&r.mem);
  }
}

/* Keyed: the whole accepts exactly what the parts of the keys accept. */
TEST(spec_keyed_splits) {
  for (int v = 0; v < VARIANTS; v++) {
    enum { KEYS = 4 };
    struct run r, part[KEYS];
    open_variant(&r, variants[v]);
    bool keyed = r.spec.keyed;
    CHECK(keyed == (strstr("set multiset map hash-map", variants[v]) != NULL));
    struct random rng = {(uint64_t)v + 200};
    for (int k = 0; k < KEYS; k++) open_variant(&part[k], variants[v]);
    for (int i = 0; keyed && i < 20000; i++) {
      struct op o = random_op(&r, &rng, KEYS);
      if (pick(&rng, 8)) o.result = random_result(&r, &rng, &o, KEYS);
      struct run *p = &part[value_small(o.arg[0])];
      p->spec.values = r.spec.values;
      CHECKF(advance(&r, &o) == advance(p, &o), "%s: method %u", variants[v], o.method);
    }
    for (int k = 0; k < KEYS; k++) mem_close(&part[k].mem);
    mem_close(&r.mem);
  }
}

/* Data-independent: a run without the operations on some values is a run. */
TEST(spec_data_independent) {
  enum { LENGTH = 14, VALUES = 4 };
  for (int v = 0; v < VARIANTS; v++) {
    struct run r;
    open_variant(&r, variants[v]);
    struct random rng = {(uint64_t)v + 300};
    bool broken = false;
    for (int round = 0; round < 4000; round++) {
      struct op ops[LENGTH];
      start(&r);
      int count = 0;
      while (count < LENGTH) {
        struct op o = random_op(&r, &rng, VALUES);
        o.result = random_result(&r, &rng, &o, VALUES);
        if (o.result != V_UNKNOWN && advance(&r, &o)) ops[count++] = o;
        if (!pick(&rng, 20)) break;
      }
      uint32_t drop = pick(&rng, 1 << VALUES);
      start(&r);
      for (int i = 0; i < count; i++) {
        bool gone = false;
        for (int a = 0; a <= OP_ARGS; a++) {
          value x = a < OP_ARGS ? ops[i].arg[a] : ops[i].result;
          gone |= value_is_small(x) && value_small(x) >= 0 && drop >> value_small(x) & 1;
        }
        if (gone) continue;
        bool goes = advance(&r, &ops[i]);
        CHECKF(goes || !r.spec.data_independent, "%s is not data-independent", variants[v]);
        broken |= !goes;
        if (!goes) break;
      }
    }
    if (!strncmp(variants[v], "bounded-queue", 13) || !strcmp(variants[v], "cas-register")) CHECK(broken);
    mem_close(&r.mem);
  }
}

/* Canonical states: two that differ in bytes differ in what can happen next. The signature of a state is what can be
 * seen of it in `depth` further operations; different reachable states must have different ones. */

struct sighted {
  struct run r;
  struct op ops[64];
  size_t op_count;
};

static uint64_t signature(struct sighted *s, struct state from, int depth) {
  if (!depth) return 1;
  uint64_t sum = 0;
  struct outcomes out;
  outcomes_open(&out, &s->r.mem);
  for (size_t i = 0; i < s->op_count; i++) {
    outcomes_clear(&out);
    s->r.spec.step(&s->r.spec, from, &s->ops[i], &out);
    uint64_t set = 0, after[8]; /* a sum: the outcomes are a set */
    for (size_t a = 0; a < out.list.count; a++) {
      CHECK(a < 8);
      after[a] = hash_mix(signature(s, outcomes_state(&out, a), depth - 1) * 31 + out.list.at[a].result);
      bool repeated = false;
      for (size_t b = 0; b < a; b++) repeated |= after[b] == after[a];
      if (!repeated) set += after[a];
    }
    sum = hash_mix(sum + set);
  }
  vec_free(&s->r.mem, &out.bytes);
  vec_free(&s->r.mem, &out.list);
  return sum;
}

TEST(spec_states_canonical) {
  for (int v = 0; v < VARIANTS; v++) {
    struct sighted s = {.op_count = 0};
    open_variant(&s.r, variants[v]);
    bool by_process = s.r.spec.by_process;
    for (uint32_t m = 0; m < s.r.spec.op_count; m++)
      for (uint32_t p = 0; p < (by_process ? 2 : 1); p++)
        for (int32_t a = 0; a < 2; a++)
          for (int32_t b = 0; b < 2; b++) {
            const struct spec_op *op = &s.r.spec.ops[m];
            if ((!op->args && a) || (op->args < 2 && b)) continue;
            struct op o = {
                .ret = 1, .process = p, .method = (uint16_t)m, .result = V_UNKNOWN, .arg = {V_NONE, V_NONE, V_NONE}};
            if (op->args > 0) o.arg[0] = value_of_small(a);
            if (op->args > 1) o.arg[1] = value_of_small(b);
            if (op->args > 2) o.arg[2] = value_of_small(1 - b);
            s.ops[s.op_count++] = o;
          }
    if (s.r.spec.step == spec_map.step) s.r.spec.k = MAP_PLAIN; /* append makes texts without a value: seen below */
    struct outcomes reached;
    outcomes_open(&reached, &s.r.mem);
    s.r.spec.init(&s.r.spec, &reached);
    size_t done = 0;
    for (int depth = 0; depth < 3; depth++)
      for (size_t end = reached.list.count; done < end; done++)
        for (size_t i = 0; i < s.op_count; i++) {
          outcomes_clear(&s.r.next);
          s.r.spec.step(&s.r.spec, outcomes_state(&reached, done), &s.ops[i], &s.r.next);
          for (size_t a = 0; a < s.r.next.list.count; a++) {
            struct state x = outcomes_state(&s.r.next, a);
            memcpy(outcomes_add(&reached, V_NONE, x.size), x.at, x.size);
            outcomes_distinct(&reached, 0);
          }
        }
    int depth = s.op_count > 8 ? 3 : s.op_count > 4 ? 4 : 7;
    uint64_t *seen = mem_zero(&s.r.mem, reached.list.count, sizeof *seen);
    for (size_t i = 0; i < reached.list.count; i++) {
      seen[i] = signature(&s, outcomes_state(&reached, i), depth);
      for (size_t j = 0; j < i; j++)
        if (seen[i] == seen[j]) {
          struct text t;
          text_open(&t, &s.r.mem);
          s.r.spec.print(&s.r.spec, outcomes_state(&reached, i), &t);
          text_add(&t, " and ");
          s.r.spec.print(&s.r.spec, outcomes_state(&reached, j), &t);
          CHECKF(false, "%s: %s behave alike", variants[v], text_string(&t));
        }
    }
    mem_close(&s.r.mem);
  }
}

/* However a map's text came about, the state has the same bytes. */
TEST(spec_map_texts_canonical) {
  static const char *const ways[] = {
      "put 7 1; append 7 23", "append 7 12; append 7 3", "put 7 123; append 8 x; delete 8",
      "append 8 1; put 7 5; cas 7 5 123 -> true; delete 8", "append 7 1; append 7 2; append 7 3"};
  uint64_t first = 0;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct run r;
    bool impossible[64];
    open_history(&r);
    named(&r, "map");
    size_t count = read_script(&r, ways[i], impossible);
    struct problem problem;
    CHECK(spec_bind(&r.spec, r.history, &problem) && r.spec.k == MAP_TEXTS);
    start(&r);
    for (size_t o = 0; o < count; o++) CHECK(advance(&r, &r.history->ops.at[o]));
    struct state s = outcomes_state(&r.now, 0);
    uint64_t h = hash_bytes(s.at, s.size);
    CHECK(!i || h == first);
    first = h;
    mem_close(&r.mem);
  }
}
