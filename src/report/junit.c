/* The answer for a build server: JUnit XML with a test case for each history or object. One that is not linearizable is
 * a failure; one that could not be read or decided is an error, because a build must not pass on it unseen. What the
 * text says is in each case. */
#include <string.h>

#include "report/parts.h"

void junit_open(struct junit *j, struct mem *m, const char *command) {
  *j = (struct junit){.command = command ? command : "check"};
  text_open(&j->cases, m);
}

static void begin_case(struct junit *j, const char *name, const struct spec *spec, double seconds) {
  struct text *t = &j->cases;
  j->tests++;
  j->seconds += seconds;
  text_add(t, "    <testcase classname=\"asif.");
  put_xml(t, j->command, strlen(j->command));
  text_add(t, "\" name=\"");
  put_xml(t, name, strlen(name));
  if (spec) {
    struct text s;
    text_open(&s, t->mem);
    put_spec(&s, spec);
    text_add(t, ": ");
    put_xml(t, text_string(&s), s.count);
    mem_free(t->mem, s.at);
  }
  text_printf(t, "\" time=\"%.6f\">\n", seconds);
}

static void begin_element(struct text *t, const char *tag, const char *type, const char *message) {
  text_printf(t, "      <%s type=\"%s\" message=\"", tag, type);
  put_xml(t, message, strlen(message));
  text_add(t, "\">");
}

void junit_add(struct junit *j, const struct report *r) {
  const struct check_result *c = r->result;
  struct text *t = &j->cases;
  const char *source = r->execution                       ? r->execution->file
                       : r->proof                         ? r->proof->file
                       : r->monitored                     ? r->monitored->file
                       : r->history && r->history->source ? r->history->source
                       : r->source                        ? r->source
                                                          : j->command;
  const char *reason = c->reason && *c->reason ? c->reason : verdict_line(r);
  const char *tag = c->verdict == VERDICT_VIOLATED ? "failure" : c->verdict == VERDICT_UNKNOWN ? "error" : "system-out";
  j->failures += c->verdict == VERDICT_VIOLATED;
  j->errors += c->verdict == VERDICT_UNKNOWN;
  begin_case(j, source, r->spec, r->seconds);
  if (c->verdict == VERDICT_HOLDS)
    text_add(t, "      <system-out>");
  else
    begin_element(t, tag, verdict_line(r), reason);
  struct text said;
  text_open(&said, t->mem);
  struct report plain = *r;
  plain.color = false;
  plain.width = 100;
  report_text(&plain, &said);
  put_xml_lines(t, text_string(&said), said.count);
  mem_free(t->mem, said.at);
  text_printf(t, "</%s>\n    </testcase>\n", tag);
}

void junit_add_problem(struct junit *j, const char *name, const char *kind, const char *message) {
  j->errors++;
  begin_case(j, name, NULL, 0);
  begin_element(&j->cases, "error", kind, message);
  text_add(&j->cases, "</error>\n    </testcase>\n");
}

void junit_put(const struct junit *j, struct text *t) {
  text_add(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"asif ");
  put_xml(t, j->command, strlen(j->command));
  text_printf(t, "\" tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"0\" time=\"%.6f\">\n", j->tests, j->failures,
              j->errors, j->seconds);
  text_bytes(t, text_string(&j->cases), j->cases.count);
  text_add(t, "  </testsuite>\n</testsuites>\n");
}

void report_junit(const struct report *r, struct text *t) {
  struct junit j;
  junit_open(&j, t->mem, r->command);
  junit_add(&j, r);
  junit_put(&j, t);
  mem_free(t->mem, j.cases.at);
}
