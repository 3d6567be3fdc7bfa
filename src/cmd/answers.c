/* How commands answer: the report on standard output, and in the files that were asked for. */
#include <string.h>

#include "cmd/cmd.h"
#include "report/report.h"

static bool write_report(struct mem *m, const struct report *r, const char *path, report_maker *make) {
  if (!path) return true;
  struct text t;
  text_open(&t, m);
  make(r, &t);
  return write_file(path, text_string(&t), t.count);
}

bool write_reports(const struct args *a, struct mem *m, const struct report *r, report_maker *svg,
                   struct text *before) {
  (arg_flag(a, "json") ? report_json : report_text)(r, before);
  const char *all = text_string(before), *out = all;
  if (arg_flag(a, "quiet") && !arg_flag(a, "json") && before->count > 1) {
    const char *last = memrchr(all, '\n', before->count - 1);
    if (last) out = last + 1;
  }
  bool good = write_report(m, r, arg_value(a, "junit"), report_junit);
  good &= write_report(m, r, arg_value(a, "svg"), svg);
  good &= write_report(m, r, arg_value(a, "html"), report_html);
  return write_stdout(out, before->count - (size_t)(out - all)) && good;
}

int answer_apart(int (*write)(void *self, struct mem *), void *self) {
  struct mem own;
  volatile int status = EXIT_UNKNOWN;
  mem_open(&own, NULL);
  if (!MEM_GUARD(&own))
    status = write(self, &own);
  else
    say_error("out of memory while writing the answer");
  mem_close(&own);
  return status;
}
