/* Reports: what they say, that they are well formed whatever a history holds, and that they stay small. */
#include "report_fixture.h"
#include "test.h"
#include "well_formed.h"

struct fixture {
  struct mem mem;
  struct text text;
  struct history *history;
  struct check_result result;
  struct report report;
  uint32_t core[8];
};

static void fixture_open(struct fixture *f) {
  memset(f, 0, sizeof *f);
  mem_open(&f->mem, NULL);
  CHECK(!MEM_GUARD(&f->mem));
  text_open(&f->text, &f->mem);
  f->result = (struct check_result){.verdict = VERDICT_HOLDS, .method = "fast queue monitor", .culprit = UINT32_MAX};
  f->report = (struct report){.command = "check",
                              .spec = &fixture_queue,
                              .result = &f->result,
                              .seconds = 0.31,
                              .cpu_seconds = 0.5,
                              .peak_rss_kb = 4096,
                              .width = 80};
}

static void fixture_script(struct fixture *f, const char *words) {
  fixture_open(f);
  f->report.history = f->history = fixture_history(&f->mem, "h.txt", words);
}

static void fixture_violated(struct fixture *f, const char *words, size_t count, const uint32_t *core,
                             uint32_t culprit) {
  fixture_script(f, words);
  memcpy(f->core, core, count * sizeof *core);
  f->result.verdict = VERDICT_VIOLATED;
  f->result.reason = "Enq(1) precedes Enq(2), but only 2 is dequeued";
  f->result.core = f->core;
  f->result.core_count = count;
  f->result.core_to = NO_RETURN;
  f->result.culprit = culprit;
  f->result.minimal = f->result.confirmed = true;
}

typedef void reporter(const struct report *, struct text *);

static const char *said_by(struct fixture *f, reporter *report) {
  text_clear(&f->text);
  report(&f->report, &f->text);
  CHECK(valid_utf8(text_string(&f->text), f->text.count));
  CHECK(strlen(text_string(&f->text)) == f->text.count);
  return text_string(&f->text);
}

#define CHECK_HAS(text, part)      CHECKF(strstr(text, part), "no \"%s\" in:\n%s", part, text)
#define CHECK_SAME(text, expected) CHECKF(!strcmp(text, expected), "expected:\n%s\ngot:\n%s", expected, text)

/* Everything that can be said about a history is well formed. */
static void check_all(struct fixture *f) {
  const char *s = said_by(f, report_json), *end = json_value(s);
  CHECKF(end && !strcmp(end, "\n"), "bad JSON: %.2000s", s);
  CHECKF(well_formed_xml(said_by(f, report_junit)), "bad XML: %.2000s", text_string(&f->text));
  CHECKF(well_formed_xml(said_by(f, report_svg)), "bad SVG: %.2000s", text_string(&f->text));
  s = said_by(f, report_text);
  for (const char *p = s; *p; p++) CHECK((unsigned char)*p >= 0x20 || *p == '\n');
  const char *last = s + f->text.count - 1;
  while (last > s && last[-1] != '\n') last--;
  CHECKF(!strncmp(last, "verdict: ", 9), "last line: %s", last);
  s = said_by(f, report_html);
  CHECKF(f->text.count <= 2000000, "%zu bytes of HTML", f->text.count);
  CHECK(!strstr(s, "@@"));
  static const char mark[] = "<script type=\"application/json\" id=\"data\">";
  s = strstr(s, mark);
  CHECK(s);
  end = json_value(s + sizeof mark - 1);
  CHECKF(end && !strncmp(end, "</script>", 9), "bad data: %.2000s", s);
  f->report.history = f->history;
}

static int widest(const char *s) {
  int most = 0;
  for (size_t n; *s; s += n + (s[n] == '\n')) {
    n = strcspn(s, "\n");
    most = (int)n > most ? (int)n : most;
  }
  return most;
}

#define BAD "A+1 B+deq A- A+2 C+deq A- B-2 C-empty B+deq"
static const uint32_t bad_core[] = {0, 1, 2};

TEST(report_text_violated) {
  struct fixture f;
  fixture_violated(&f, BAD, 3, bad_core, 1);
  char *start[] = {"[5 7]", "[7 5]"};
  CHECK_SAME(said_by(&f, report_text),
             "h.txt: queue, 5 operations of 3 processes; fast queue monitor\n"
             "\n"
             "Not linearizable: Enq(1) precedes Enq(2), but only 2 is dequeued\n"
             "\n"
             "  A  |--Enq(1)--| |--Enq(2)--|\n"
             "  B   |--Deq() -> 2-----------|\n"
             "\n"
             "  line 1  A  Enq(1)\n"
             "  line 2  B  Deq() -> 2  <-- impossible from here on\n"
             "  line 4  A  Enq(2)\n"
             "\n"
             "These 3 operations of 5 are not linearizable, whatever the others did and\n"
             "whenever; if any one of them had happened at another time, or not at all, there\n"
             "would be an order.\n"
             "\n"
             "note: 1 operation did not return: each may have taken effect at any time after its call, or never\n"
             "verdict: not linearizable (5 operations, fast queue monitor, 0.31 s)\n");
  f.result.start = start;
  f.result.start_count = 2;
  f.result.minimal = false;
  const char *s = said_by(&f, report_text);
  CHECK_HAS(s, "When this begins, the queue may be [5 7] or [7 5].");
  CHECK_HAS(s, "the search for it was cut short");
  check_all(&f);
}

TEST(report_text_holds) {
  struct fixture f;
  fixture_script(&f, "A+1 B+deq A- B-1 A+2 B+deq");
  uint32_t order[] = {0, 1, 3, 2}, gap[] = {1, 1, 5, 5};
  f.result.order = order;
  f.result.gap = gap;
  f.result.order_count = 2;
  CHECK_SAME(said_by(&f, report_timeline), "  A  |--Enq(1)-*-----| |--Enq(2)...\n"
                                           "  B   |--Deq() -> 1-*-| |--Deq()...\n");
  f.result.order_count = 4;
  gap[2] = gap[3] = 5;
  const char *s = said_by(&f, report_text);
  CHECK_HAS(s, "Order: A Enq(1); B Deq() -> 1; B Deq(); A Enq(2)\n");
  CHECK_HAS(s, "2 took effect in this order. Such moments are marked *:\n");
  CHECK_HAS(s, "\nverdict: linearizable (4 operations, ");
  check_all(&f);
}

TEST(report_text_unknown) {
  struct fixture f;
  fixture_script(&f, BAD);
  f.result.verdict = VERDICT_UNKNOWN;
  f.result.reason = "the time limit of 10 s was reached";
  f.result.reached = 3;
  f.result.configurations = 12345;
  const char *s = said_by(&f, report_text);
  CHECK_HAS(
      s, "Unknown: the time limit of 10 s was reached\nDecided 3 of 9 events (33 %), 12345 configurations explored.\n");
  CHECK_HAS(s, "\nverdict: unknown (5 operations, ");
  check_all(&f);
  CHECK_HAS(said_by(&f, report_junit), "<error type=\"unknown\" message=\"the time limit of 10 s was reached\">");
}

TEST(report_notes_say_what_is_assumed) {
  struct fixture f;
  fixture_script(&f, BAD);
  f.history->failed = 4;
  f.history->skipped = 1;
  f.history->ops.at[1].result = V_UNKNOWN;
  const char *s = said_by(&f, report_text);
  CHECK_HAS(s, "note: 4 operations that failed are taken not to have happened\n");
  CHECK_HAS(s, "note: 1 event of foreign processes was skipped\n");
  CHECK_HAS(s, "note: 1 operation did not return: ");
  CHECK_HAS(s, "note: 1 operation returned a result that was not recorded: any result is accepted there\n");
  check_all(&f);
}

TEST(report_json_fields) {
  struct fixture f;
  fixture_violated(&f, BAD, 3, bad_core, 1);
  f.report.evidence = "out.evidence";
  const char *s = said_by(&f, report_json);
  CHECK(!strchr(s, '\n')[1]);
  static const char *const parts[] = {
      "{\"schema\":\"asif-1\",\"command\":\"check\",\"verdict\":\"violated\",\"reason\":\"Enq(1) ",
      "\"object\":\"q\"",
      "\"spec\":\"queue\"",
      "\"method\":\"fast queue monitor\"",
      "\"threads\":3",
      "\"operations\":5",
      "\"states\":0",
      "\"transitions\":null",
      "\"schedules\":null",
      "\"seconds\":0.310000",
      "\"cpu_seconds\":0.500000",
      "\"peak_rss_kb\":4096",
      "\"evidence\":{\"path\":\"out.evidence\"",
      "\"minimal\":true",
      "\"culprit\":1",
      "{\"operation\":1,\"process\":\"B\",\"object\":\"q\",\"call\":\"Deq()\",\"result\":\"2\",\"line\":2,",
      "\"call_event\":1,\"return_event\":6}",
      "\"start_event\":null,\"start\":[]"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) CHECK_HAS(s, parts[i]);
  f.result.verdict = VERDICT_HOLDS;
  uint32_t order[] = {2, 0, 1}, gap[] = {0, 0, 0};
  f.result.order = order;
  f.result.gap = gap;
  f.result.order_count = 3;
  s = said_by(&f, report_json);
  CHECK_HAS(s, "\"verdict\":\"holds\"");
  CHECK_HAS(s, "\"order\":[2,0,1]");
}

TEST(report_color_only_when_asked) {
  struct fixture f;
  fixture_violated(&f, BAD, 3, bad_core, 1);
  CHECK(!strchr(said_by(&f, report_text), '\033'));
  f.report.color = true;
  const char *s = said_by(&f, report_text);
  CHECK(strchr(s, '\033'));
  CHECK_HAS(s, "\nverdict: not linearizable (");
  CHECK(!strchr(said_by(&f, report_junit), '\033'));
}

TEST(report_timeline_fits_the_width) {
  static const char words[] =
      "A+1 B+deq A- A+2 C+deq A- B-2 C-empty B+deq A+3 A- A+4 C+deq A- A+5 C-4 A- C+6 A+deq A-empty C- C+7";
  /* Every width and every length: parts that fill the width exactly are among them. */
  for (size_t length = 3; length < sizeof words; length++) {
    if (words[length] && words[length] != ' ') continue;
    char some[sizeof words] = "";
    memcpy(some, words, length);
    struct fixture f;
    fixture_script(&f, some);
    f.result.verdict = VERDICT_UNKNOWN;
    for (int width = 30; width <= 200; width++) {
      f.report.width = width;
      const char *s = said_by(&f, report_timeline);
      CHECKF(widest(s) <= width, "width %d:\n%s", width, s);
      if (!words[length]) CHECK_HAS(s, "Enq(7)...");
    }
    mem_close(&f.mem);
  }
}

TEST(report_of_nothing) {
  struct fixture f;
  fixture_script(&f, "");
  CHECK_HAS(said_by(&f, report_text), "There are no operations");
  check_all(&f);
  f.result.verdict = VERDICT_VIOLATED; /* nonsense, but no crash */
  check_all(&f);
  f.report.history = f.history = NULL; /* reading was cut short */
  f.report.spec = NULL;
  f.result.verdict = VERDICT_UNKNOWN;
  f.result.reason = "the memory limit was reached while reading";
  f.result.method = NULL;
  check_all(&f);
  CHECK_HAS(said_by(&f, report_text), "check: not read to the end\n");
}

TEST(report_of_one_operation) {
  struct fixture f;
  static const uint32_t core[] = {0};
  fixture_violated(&f, "A+deq A-7", 1, core, 0);
  CHECK_HAS(said_by(&f, report_text), "This one operation is impossible by itself.");
  check_all(&f);
}

TEST(report_of_overlapping_operations_of_one_process) {
  struct fixture f;
  fixture_open(&f);
  f.report.history = f.history = history_new(&f.mem, "columns.txt");
  for (int i = 0; i < 6; i++) {
    value v = value_int(f.history->values, i);
    history_interval(f.history, names_intern(f.history->processes, "", 0), names_intern(f.history->objects, "", 0), 0,
                     &v, 1, V_NONE, i, i + 2, 0);
  }
  history_finish(f.history);
  const char *s = said_by(&f, report_timeline);
  CHECK_HAS(s, "Enq(5)");
  CHECK(strchr(strchr(s, '\n') + 1, '\n')[1]); /* three rows */
  check_all(&f);
}

TEST(report_escapes_hostile_values) {
  static const char evil[] =
      "</"
      "script><!--]]>\"'&\\\n\t\x01\x1b["
      "31m\x7f\xc2\x9b\xff\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x80\xae\xe2\x80\xa8\xef\xbf\xbf\xe2\x82";
  struct fixture f;
  fixture_open(&f);
  struct history *h = f.history = history_new(&f.mem, evil);
  f.report.history = h;
  uint32_t p = names_intern(h->processes, evil, sizeof evil - 1), q = names_intern(h->objects, evil, sizeof evil - 1);
  value v = value_text(h->values, evil, sizeof evil - 1);
  names_intern(h->objects, "another", 7);
  CHECK(!history_call(h, p, q, 0, &v, 1, 1) && !history_return(h, p, q, V_NONE));
  CHECK(!history_call(h, p, q, 1, &v, 0, 3) && !history_return(h, p, q, v));
  history_finish(h);
  char *start[] = {(char *)evil};
  uint32_t core[] = {0, 1};
  f.result = (struct check_result){.verdict = VERDICT_VIOLATED,
                                   .method = (char *)evil,
                                   .reason = (char *)evil,
                                   .core_to = NO_RETURN,
                                   .core = core,
                                   .core_count = 2,
                                   .culprit = 1,
                                   .start = start,
                                   .start_count = 1};
  f.report.evidence = evil;
  f.report.command = evil;
  check_all(&f);
  const char *s = strstr(said_by(&f, report_html), "id=\"data\"");
  CHECK(!strstr(s, "<!--") && !strchr(s, 0x1b));
  f.report.color = true;
  s = said_by(&f, report_timeline);
  CHECK(!strstr(s, "\x1b[31m") && !strstr(s, "\xc2\x9b") && !strstr(s, "\xe2\x80\xae"));
}

TEST(report_cuts_huge_values) {
  struct fixture f;
  fixture_open(&f);
  struct history *h = f.history = history_new(&f.mem, "huge");
  f.report.history = h;
  size_t n = 3000000;
  char *huge = mem_alloc(&f.mem, n + 1);
  memset(huge, 'x', n);
  huge[n] = 0;
  uint32_t p = names_intern(h->processes, huge, n), q = names_intern(h->objects, "q", 1);
  value v = value_text(h->values, huge, n);
  history_call(h, p, q, 0, &v, 1, 1);
  history_finish(h);
  uint32_t core[] = {0};
  char *start[] = {huge};
  f.result = (struct check_result){.verdict = VERDICT_VIOLATED,
                                   .reason = huge,
                                   .core_to = NO_RETURN,
                                   .core = core,
                                   .core_count = 1,
                                   .start = start,
                                   .start_count = 1};
  check_all(&f);
  CHECK(strlen(said_by(&f, report_text)) < 20000);
  CHECK(strlen(said_by(&f, report_svg)) < 20000);
}

TEST(report_wide_characters_keep_columns) {
  struct fixture f;
  fixture_open(&f);
  struct history *h = f.history = history_new(&f.mem, "wide");
  f.report.history = h;
  uint32_t p = names_intern(h->processes, "\xe6\x97\xa5", 3), b = names_intern(h->processes, "bb", 2),
           q = names_intern(h->objects, "q", 1);
  value v = value_text(h->values, "\xe6\x97\xa5\xe6\x9c\xac", 6);
  history_call(h, p, q, 0, &v, 1, 0);
  history_call(h, b, q, 0, &v, 1, 0);
  history_return(h, b, q, V_NONE);
  history_return(h, p, q, V_NONE);
  history_finish(h);
  f.result.verdict = VERDICT_UNKNOWN;
  CHECK_SAME(said_by(&f, report_timeline), "  bb   |--Enq(\"\xe6\x97\xa5\xe6\x9c\xac\")--|\n"
                                           "  \xe6\x97\xa5  |--Enq(\"\xe6\x97\xa5\xe6\x9c\xac\")----|\n");
}

TEST(report_500_processes) {
  struct fixture f;
  fixture_open(&f);
  f.report.history = f.history = fixture_simulate(&f.mem, "wide.edn", 500, 3000, &f.result);
  check_all(&f);
  const char *s = said_by(&f, report_text);
  CHECK(f.text.count < 20000);
  CHECK_HAS(s, "verdict: linearizable (3000 operations, simulation, 0.31 s)");
  uint32_t *core = mem_alloc(&f.mem, 3000 * sizeof *core);
  for (uint32_t i = 0; i < 3000; i++) core[i] = i;
  f.result = (struct check_result){
      .verdict = VERDICT_VIOLATED, .core_to = NO_RETURN, .core = core, .core_count = 3000, .culprit = 2000};
  s = said_by(&f, report_text);
  CHECK(f.text.count < 60000);
  CHECK_HAS(s, "(2940 more operations of the violation are not drawn)");
  check_all(&f);
}

TEST(report_html_of_a_million_operations) {
  struct fixture f;
  fixture_open(&f);
  f.report.history = f.history = fixture_simulate(&f.mem, "large.edn", 16, 1000000, &f.result);
  check_all(&f);
  CHECK_HAS(said_by(&f, report_html), "\"ranges\":[[0,16000]]");
  uint32_t core[] = {10, 412003, 999999};
  f.result = (struct check_result){
      .verdict = VERDICT_VIOLATED, .core_to = NO_RETURN, .core = core, .core_count = 3, .culprit = 999999};
  check_all(&f);
  const char *s = said_by(&f, report_html);
  CHECK_HAS(s, "\"ranges\":[[0,");
  CHECK_HAS(s, ",1000000]]");
  CHECK_HAS(s, "\"coreTotal\":3");
}

TEST(report_html_shrinks_to_its_size) {
  struct fixture f;
  fixture_open(&f);
  struct history *h = f.history = history_new(&f.mem, "long.edn");
  f.report.history = h;
  uint32_t p = names_intern(h->processes, "A", 1), q = names_intern(h->objects, "q", 1);
  char text[2000];
  memset(text, 'y', sizeof text);
  for (int i = 0; i < 20000; i++) {
    int n = snprintf(text, 20, "%d", i);
    text[n] = 'y';
    value v = value_text(h->values, text, sizeof text);
    history_call(h, p, q, 0, &v, 1, 0);
    history_return(h, p, q, V_NONE);
  }
  history_finish(h);
  f.result.verdict = VERDICT_UNKNOWN;
  f.result.reached = 20000;
  check_all(&f);
}
