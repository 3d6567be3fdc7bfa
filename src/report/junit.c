/* The answer for a build server: JUnit XML with one test case. A history that is not linearizable is a failure; one
 * that could not be decided is an error, because a build must not pass on it unseen. */
#include <string.h>

#include "report/parts.h"

void report_junit(const struct report *r, struct text *t) {
  const struct check_result *c = r->result;
  const char *command = r->command ? r->command : "check";
  const char *source = r->execution                       ? r->execution->file
                       : r->proof                         ? r->proof->file
                       : r->monitored                     ? r->monitored->file
                       : r->history && r->history->source ? r->history->source
                                                          : command;
  const char *reason = c->reason && *c->reason ? c->reason : verdict_line(r);
  text_add(t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"asif ");
  put_xml(t, command, strlen(command));
  text_printf(
      t, "\" tests=\"1\" failures=\"%d\" errors=\"%d\" skipped=\"0\" time=\"%.6f\">\n    <testcase classname=\"asif.",
      c->verdict == VERDICT_VIOLATED, c->verdict == VERDICT_UNKNOWN, r->seconds);
  put_xml(t, command, strlen(command));
  text_add(t, "\" name=\"");
  put_xml(t, source, strlen(source));
  if (r->spec) {
    struct text spec;
    text_open(&spec, t->mem);
    put_spec(&spec, r->spec);
    text_add(t, ": ");
    put_xml(t, text_string(&spec), spec.count);
    mem_free(t->mem, spec.at);
  }
  text_printf(t, "\" time=\"%.6f\">\n", r->seconds);
  if (c->verdict != VERDICT_HOLDS) {
    const char *tag = c->verdict == VERDICT_VIOLATED ? "failure" : "error";
    text_printf(t, "      <%s type=\"%s\" message=\"", tag, verdict_line(r));
    put_xml(t, reason, strlen(reason));
    text_add(t, "\">");
    struct text said;
    text_open(&said, t->mem);
    struct report plain = *r;
    plain.color = false;
    plain.width = 100;
    report_text(&plain, &said);
    put_xml_lines(t, text_string(&said), said.count);
    mem_free(t->mem, said.at);
    text_printf(t, "</%s>\n", tag);
  }
  text_add(t, "    </testcase>\n  </testsuite>\n</testsuites>\n");
}
