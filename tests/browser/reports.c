/* Writes the HTML and SVG reports that the browser test opens: reports DIRECTORY. */
#include "../report_fixture.h"

static struct mem m;
static const char *directory;

static void save(const char *name, const struct report *r) {
  struct text t;
  for (int svg = 0; svg < 2; svg++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s", directory, name, svg ? "svg" : "html");
    text_open(&t, &m);
    (svg ? report_svg : report_html)(r, &t);
    FILE *f = fopen(path, "w");
    if (!f || fwrite(t.at, 1, t.count, f) != t.count || fclose(f)) {
      perror(path);
      exit(1);
    }
    mem_free(&m, t.at);
  }
}

static struct report report_of(const struct history *h, const struct check_result *c) {
  return (struct report){.command = "check",
                         .history = h,
                         .spec = &fixture_queue,
                         .result = c,
                         .seconds = 0.31,
                         .cpu_seconds = 0.31,
                         .peak_rss_kb = 1000,
                         .width = 80};
}

static void small(void) {
  struct history *h =
      fixture_history(&m, "examples/bad.hist", "A+1 B+deq A- A+2 C+deq A- B-2 C-empty D+deq A+3 A- D-3 B+4 C+deq C-4 B- D+deq");
  uint32_t core[] = {0, 1, 2};
  struct check_result c = {.verdict = VERDICT_VIOLATED,
                           .method = "fast queue monitor",
                           .core_to = NO_RETURN, .core = core,
                           .core_count = 3,
                           .culprit = 1,
                           .minimal = true, .confirmed = true,
                           .reason = "Enq(1) returned before Enq(2) was called, but 2 was dequeued and 1 never was"};
  struct report r = report_of(h, &c);
  save("bad", &r);
  char *start[] = {"[5 7]", "[7 5]"};
  c.start = start;
  c.start_count = 2;
  c.core_from = 3;
  save("start", &r);
}

static void good(void) {
  struct check_result c;
  struct history *h = fixture_simulate(&m, "good.edn", 5, 36, &c);
  struct report r = report_of(h, &c);
  h->failed = 3;
  save("good", &r);
  h = fixture_simulate(&m, "good-large.edn", 16, 1000000, &c);
  r = report_of(h, &c);
  save("good-large", &r);
  h = fixture_simulate(&m, "wide.edn", 500, 12000, &c);
  r = report_of(h, &c);
  save("wide", &r);
}

static void timed(void) {
  struct history *h = history_new(&m, "times.edn");
  uint32_t q = names_intern(h->objects, "q", 1);
  for (int64_t i = 0; i < 12; i++) {
    value v = value_int(h->values, i);
    uint32_t p = names_intern(h->processes, i % 2 ? "B" : "A", 1);
    history_interval(h, p, q, 0, &v, 1, V_NONE, 1700000000000000001 + i * i * 1000, 1700000000000000001 + i * i * 1000 + 900, 0);
  }
  history_finish(h);
  struct check_result c = {.verdict = VERDICT_UNKNOWN, .method = "search", .reason = "interrupted", .culprit = UINT32_MAX};
  struct report r = report_of(h, &c);
  save("timed", &r);
}

static void large(void) {
  struct check_result c;
  struct history *h = fixture_simulate(&m, "large.edn", 16, 1000000, &c);
  uint32_t near[] = {412003, 412017, 412029}, far[] = {1200, 412003, 700017, 700029};
  c = (struct check_result){.verdict = VERDICT_VIOLATED,
                            .method = "fast queue monitor",
                            .core_to = NO_RETURN, .core = near,
                            .core_count = 3,
                            .culprit = 412029,
                            .minimal = true, .confirmed = true,
                            .reason = "three operations that are said to be wrong for the sake of the picture"};
  struct report r = report_of(h, &c);
  save("large", &r);
  c.core = far;
  c.core_count = 4;
  c.culprit = 700029;
  save("scattered", &r);
  c = (struct check_result){.verdict = VERDICT_UNKNOWN,
                            .method = "search",
                            .reason = "the time limit of 10 s was reached",
                            .reached = 800000,
                            .culprit = UINT32_MAX};
  save("unknown", &r);
}

static void hostile(void) {
  static const char evil[] = "</script><script>document.title='owned'</script><!--\"'&\x1b[2J\xff\xe2\x80\xae";
  struct history *h = history_new(&m, "<img src=x onerror=alert(1)>.hist");
  uint32_t p = names_intern(h->processes, evil, sizeof evil - 1), q = names_intern(h->objects, "q", 1);
  value v = value_text(h->values, evil, sizeof evil - 1);
  history_call(h, p, q, 0, &v, 1, 1);
  history_return(h, p, q, V_NONE);
  history_call(h, p, q, 1, &v, 0, 3);
  history_return(h, p, q, v);
  history_finish(h);
  uint32_t core[] = {0, 1};
  char *start[] = {(char *)evil};
  struct check_result c = {.verdict = VERDICT_VIOLATED,
                           .method = "<b>bold</b>",
                           .reason = (char *)evil,
                           .core_to = NO_RETURN, .core = core,
                           .core_count = 2,
                           .culprit = 1,
                           .start = start,
                           .start_count = 1};
  struct report r = report_of(h, &c);
  save("hostile", &r);
  h = history_new(&m, "empty.hist");
  history_finish(h);
  c = (struct check_result){.verdict = VERDICT_HOLDS, .method = "nothing to do", .culprit = UINT32_MAX};
  r = report_of(h, &c);
  save("empty", &r);
}

int main(int argc, char **argv) {
  directory = argc > 1 ? argv[1] : ".";
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) return 1;
  small();
  good();
  timed();
  large();
  hostile();
  mem_close(&m);
  return 0;
}
