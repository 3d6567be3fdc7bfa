/* Histories monitored while they are read: never a violation where the exact checker sees none, in every format,
 * however the bytes arrive; the same answer in every format; and the operations shown are found again in what was read.
 */
#include <string.h>

#include "approx/elements.h"
#include "approx/stream.h"
#include "formats.h"
#include "generate/generate.h"
#include "history/input.h"

static uint64_t seed = 12345;
static uint32_t any(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

static size_t histories(size_t otherwise) {
  const char *s = getenv("ASIF_TEST_HISTORIES");
  size_t n = s ? (size_t)atol(s) / 200 : otherwise;
  return n ? n : 1;
}

/* Memory that is emptied between cases. */
static struct mem *scratch(int which) {
  static struct mem *kept[2];
  if (!kept[which]) kept[which] = mem_child(test_memory());
  mem_close(kept[which]);
  return kept[which];
}

/* A small history, right or wrong; NULL if these options do not go together. */
static struct history *small(struct mem *m, const struct spec *spec) {
  struct generate_options o = {.spec = spec,
                               .operations = 1 + any(14),
                               .threads = 1 + any(4),
                               .seed = seed,
                               .values = any(3) ? 0 : 1 + any(4),
                               .size = 1 + any(4),
                               .empty = any(2) * 40};
  struct problem p;
  o.pending = any(3) ? 0 : any(3);
  if (o.pending >= o.operations) o.pending = 0;
  if (any(2)) {
    const struct bad_kind *kinds = generate_kinds(spec);
    unsigned n = 0;
    while (kinds[n].name) n++;
    o.operations += 6;
    o.bad = n ? kinds[any(n)].name : NULL;
  }
  return generate_history(m, &o, &p);
}

/* Results swapped: mostly wrong. */
static void spoil(struct history *h) {
  if (!h->ops.count) return;
  struct op *a = &h->ops.at[any((uint32_t)h->ops.count)], *b = &h->ops.at[any((uint32_t)h->ops.count)];
  if (a->method != b->method || op_pending(a) || op_pending(b)) return;
  value v = a->result;
  a->result = b->result;
  b->result = v;
}

static enum verdict exact(struct mem *m, const char *format, const char *text, size_t len, const struct spec *named) {
  struct input in;
  struct problem p = {.text = ""};
  struct spec spec = *named;
  struct check_result r;
  struct limits limits;
  struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
  limits_start(&limits, 0, 0);
  input_from_bytes(&in, m, "text", text, len);
  struct history *h = history_read_input(&in, format_named(format), &p);
  CHECKF(h && spec_bind(&spec, h, &p) && check_history(m, h, &spec, &options, &limits, &r, &p), "%s: %s\n%s", format,
         p.text, text);
  return r.verdict;
}

/* Monitors the text; true if it is violated. */
static bool monitored(struct stream *s, struct mem *m, const char *format, const char *text, size_t len,
                      const struct spec *spec, unsigned k) {
  struct input in;
  struct problem p = {.text = ""};
  struct stream_options options = {.spec = spec, .k = k};
  CHECKF(stream_open(s, m, &options, "text", &p), "%s", p.text);
  input_from_bytes(&in, m, "text", text, len);
  if (!any(3)) in.chunk = 1 + any(40);
  CHECKF(stream_read(s, &in, format_named(format), &p), "%s: %s\n%s", format, p.text, text);
  return s->violated;
}

/* What is shown is not linearizable, and its lines are those of such operations. */
static void shown_is_there(struct stream *s, struct mem *m, const char *text) {
  struct violation v;
  struct problem p;
  CHECKF(stream_violation(s, m, &v, &p), "%s\n%s", p.text, text);
  CHECK(v.result.verdict == VERDICT_VIOLATED && v.history->ops.count && *v.said);
  struct spec spec = s->spec;
  struct check_result again;
  spec.processes = v.history->processes;
  CHECKF(monitor_confirm(m, v.history, &spec, &again, &p), "with its processes named: %s\n%s", p.text, text);
  for (size_t i = 0; i < v.history->ops.count; i++) {
    const struct op *o = &v.history->ops.at[i];
    if (s->spec.by_process && !o->line) return; /* who did it was not looked at */
    CHECKF(o->line, "an operation was not found again: %s\n%s", v.said, text);
    const char *line = text;
    for (uint32_t n = 1; n < o->line; n++) line = strchr(line, '\n') + 1;
    const char *process = names_at(v.history->processes, o->process), *end = strchr(line, '\n');
    size_t n = strlen(process);
    CHECKF(end - line > (ptrdiff_t)n && !memcmp(end - n, process, n), "line %u is not of process %s:\n%s", o->line,
           process, text);
  }
}

/* Every format, every k: against the exact checker, and with each other. */
static unsigned compare(const struct history *h, const struct spec *spec, unsigned k) {
  unsigned violated = 0;
  int first = -1; /* what event formats say */
  for (int f = 0; formats[f]; f++) {
    if (!formats[f]->write) continue;
    struct mem *m = scratch(0);
    struct text t;
    struct problem p;
    struct stream s;
    text_open(&t, m);
    if (formats[f]->write(h, &t, &p, NULL, NULL)) {
      const char *text = text_string(&t), *name = formats[f]->name;
      bool bad = monitored(&s, m, name, text, t.count, spec, k);
      bool named = formats[f] != &format_columns || !spec->by_process; /* else the exact checker refuses it */
      CHECKF(!bad || !named || exact(m, name, text, t.count, spec) == VERDICT_VIOLATED,
             "%s, k = %u: a false alarm in %s\n%s", spec->name, k, name, text);
      bool columns = formats[f] == &format_columns || formats[f] == &format_process_columns;
      if (!columns && first < 0) first = bad;
      CHECKF(columns || first == bad, "%s, k = %u: %s says otherwise\n%s", spec->name, k, name, text);
      if (bad && formats[f] == &format_wing_gong) shown_is_there(&s, m, text);
      violated += bad;
    }
  }
  return violated;
}

TEST(approx_stream_never_a_false_alarm) {
  size_t n = histories(80), violated = 0, tried = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; specs[j]; j++) {
      bool grammar = !shape_of(specs[j]); /* takes longer */
      struct history *h = monitor_exists(specs[j]) && (!grammar || i % 10 == 0) ? small(scratch(1), specs[j]) : NULL;
      if (h && any(2)) spoil(h);
      if (h) violated += compare(h, specs[j], any(grammar ? 2 : 5));
      tried += h != NULL;
    }
  CHECKF(tried > 2 * n && violated > tried / 10, "%zu histories, %zu violations seen: too few to say anything", tried,
         violated);
}

static bool keep_all(struct text *t, void *to) { return (void)t, (void)to, true; }

/* Memory does not grow with the history: what is held after 100,000 operations is no more than after 10,000. */
TEST(approx_stream_in_little_memory) {
  size_t used[2];
  for (int i = 0; i < 2; i++) {
    struct mem *m = scratch(0), *own = scratch(1);
    struct text t;
    struct problem p;
    struct stream s;
    struct spec spec;
    CHECK(spec_named("queue", &spec, &p));
    struct generate_options o = {.spec = &spec, .operations = i ? 100000 : 10000, .threads = 8, .seed = 7};
    struct history *h = generate_history(own, &o, &p);
    text_open(&t, own);
    CHECK(format_wing_gong.write(h, &t, &p, keep_all, NULL));
    CHECK(!monitored(&s, m, "wing-gong", text_string(&t), t.count, NULL, 2));
    CHECK(s.operations == o.operations && s.events == 2 * o.operations && !s.pending && s.spec.step == spec.step);
    used[i] = m->used;
  }
  CHECKF(used[1] < used[0] + 300000, "%zu bytes after 10,000 operations, %zu after 100,000", used[0], used[1]);
}

static bool monitored_text(struct stream *s, const char *text, unsigned k) {
  return monitored(s, test_memory(), "wing-gong", text, strlen(text), NULL, k);
}

TEST(approx_stream_places) {
  struct stream s;
  CHECK(monitored_text(&s, "* a comment\nq enq(1) A\nq Ok() A\n\nq deq() A\nq Ok(2) A\nq deq() A\nq Ok(1) A\n", 0));
  CHECK(s.line == 6 && s.events == 4 && s.operations == 2);
  struct violation v;
  struct problem p;
  CHECK(stream_violation(&s, test_memory(), &v, &p));
  CHECK(v.history->ops.count == 1 && v.history->ops.at[0].line == 5 && !strcmp(names_at(v.history->objects, 0), "q"));
  /* The second object, with a monitor of its own; the first may have the same values. */
  CHECK(!monitored_text(&s, "p enq(1) A\nq enq(1) B\np Ok() A\nq Ok() B\np deq() A\nq deq() B\np Ok(1) A\nq Ok(1) B\n",
                        2));
  CHECK(monitored_text(&s, "p enq(1) A\np Ok() A\nq deq() A\nq Ok(1) A\n", 2));
  CHECK(s.object == 1);
}

/* The specification is guessed as soon as it can be told, and at the end at the latest. */
TEST(approx_stream_guesses) {
  struct stream s;
  CHECK(!monitored_text(&s, "x push(1) A\nx Ok() A\n", 2) && !strcmp(s.spec.name, "stack"));
  CHECK(!monitored_text(&s, "# @object queue\nx push(1) A\nx Ok() A\n", 2) && !strcmp(s.spec.name, "queue"));
  struct input in;
  struct problem p = {.text = ""};
  struct stream_options options = {.k = 2};
  static const char *const texts[] = {"x foo(1) A\nx Ok() A\n", "x write(1) A\nx Ok() A\nx read() A\n",
                                      "x enq(1) A\nx Ok() A\nx foo() A\n"};
  static const char *const said[] = {"no specification is known", "no monitor", "foo"};
  for (int i = 0; i < 3; i++) {
    CHECK(stream_open(&s, test_memory(), &options, "text", &p));
    input_from_bytes(&in, test_memory(), "text", texts[i], strlen(texts[i]));
    CHECK(!stream_read(&s, &in, &format_wing_gong, &p));
    CHECKF(strstr(p.text, said[i]), "%s", p.text);
  }
}

/* What fails did not happen; what ends with unknown outcome may have. */
TEST(approx_stream_failed_and_unknown) {
  static const char begin[] = "{:process 0, :type :invoke, :f :enqueue, :value 1}\n",
                    deq[] = "{:process 1, :type :invoke, :f :dequeue, :value nil}\n"
                            "{:process 1, :type :ok, :f :dequeue, :value 1}\n";
  static const struct {
    const char *end;
    bool bad;
  } cases[] = {{"{:process 0, :type :fail, :f :enqueue, :value 1}\n", true},
               {"{:process 0, :type :info, :f :enqueue, :value 1}\n", false},
               {"{:process 0, :type :ok, :f :enqueue, :value 1}\n", false},
               {"", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[400];
    struct stream s;
    int n = snprintf(text, sizeof text, "%s%s%s", begin, cases[i].end, deq);
    CHECKF(monitored(&s, test_memory(), "edn", text, (size_t)n, NULL, 2) == cases[i].bad, "%s", text);
    CHECK(s.operations == (cases[i].bad ? 1 : 2));
  }
}
