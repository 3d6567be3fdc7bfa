/* How commands answer: the report on standard output, and then in the files that were asked for. A verdict may be the
 * work of hours: it is printed before anything else is tried that may fail. */
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "report/report.h"

bool one_file_each(const struct args *a, const char *const options[]) {
  for (; a->count > 1 && *options; options++) {
    const char *path = arg_value(a, *options);
    struct stat st;
    if (!path || (strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))) continue;
    usage_error(
        a,
        "--%s %s holds the answer of one input, and there are %d: name a file, NAME.x, and they go to NAME-1.x, "
        "NAME-2.x, ...",
        *options, path, a->count);
    return false;
  }
  return true;
}

const char *output_path(const struct args *a, struct mem *m, const char *option) {
  const char *path = arg_value(a, option);
  if (!path || !a->number) return path;
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *dot = *name ? strchr(name + 1, '.') : NULL; /* out.json.zst is out-1.json.zst */
  size_t stem = dot ? (size_t)(dot - path) : strlen(path);
  struct text t;
  text_open(&t, m);
  text_bytes(&t, path, stem);
  text_printf(&t, "-%u%s", a->number, path + stem);
  return text_string(&t);
}

void tell_junit(const struct args *a, const char *path, int status, const char *why) {
  static const char *const kinds[] = {
      [EXIT_USAGE] = "bad input", [EXIT_UNKNOWN] = "unknown", [EXIT_INTERNAL] = "internal error"};
  if (!a->junit) return;
  if (!MEM_GUARD(a->junit->cases.mem))
    junit_add_problem(a->junit, strcmp(path, "-") ? path : "<stdin>", kinds[status], why);
  else
    a->junit->lost = true;
}

/* In memory of its own: that there is too little for a page loses the page alone. */
static bool write_report(const struct report *r, const char *path, report_maker *make) {
  if (!path) return true;
  struct mem m;
  struct text t;
  volatile bool good = false;
  mem_open(&m, NULL);
  if (!MEM_GUARD(&m)) {
    text_open(&t, &m);
    make(r, &t);
    good = write_file(path, text_string(&t), t.count);
  } else {
    say_error("cannot write %s: out of memory", path);
  }
  mem_close(&m);
  return good;
}

bool print_report(const struct args *a, const struct report *r, struct text *before) {
  (arg_flag(a, "json") ? report_json : report_text)(r, before);
  const char *all = text_string(before), *out = all;
  if (arg_flag(a, "quiet") && !arg_flag(a, "json") && before->count > 1) {
    const char *last = memrchr(all, '\n', before->count - 1);
    if (last) out = last + 1;
  }
  bool good = write_stdout(out, before->count - (size_t)(out - all));
  *a->said = status_of_output(status_of_verdict(r->result->verdict), false);
  return good;
}

bool write_pages(const struct args *a, struct mem *m, const struct report *r, report_maker *svg) {
  bool good = a->junit || write_report(r, arg_value(a, "junit"), report_junit);
  if (a->junit && MEM_GUARD(a->junit->cases.mem))
    a->junit->lost = true;
  else if (a->junit)
    junit_add(a->junit, r);
  good &= write_report(r, output_path(a, m, "svg"), svg);
  return write_report(r, output_path(a, m, "html"), report_html) && good;
}

bool write_reports(const struct args *a, struct mem *m, const struct report *r, report_maker *svg,
                   struct text *before) {
  bool good = print_report(a, r, before); /* whatever becomes of the rest */
  return write_pages(a, m, r, svg) && good;
}

bool write_cases(const struct args *a, struct junit *j) {
  struct text t;
  if (!j->lost && !MEM_GUARD(j->cases.mem)) {
    text_open(&t, j->cases.mem);
    junit_put(j, &t);
    return write_file(arg_value(a, "junit"), text_string(&t), t.count);
  }
  say_error("cannot write %s: out of memory", arg_value(a, "junit"));
  return false;
}

bool file_written(bool good, const struct problem *why) {
  if (!good) say_error("%s", why->text);
  return good;
}

bool answer_printed(const struct args *a) { return *a->said != EXIT_UNKNOWN; }

int answer_lost(const struct args *a) {
  say_error("%s while writing the answer", interrupted ? "interrupted" : "out of memory");
  return *a->said;
}

static int write_apart(const struct args *a, int (*write)(void *self, struct mem *), void *self) {
  struct mem own;
  volatile int status = EXIT_UNKNOWN;
  mem_open(&own, NULL);
  if (!MEM_GUARD(&own))
    status = write(self, &own);
  else
    status = answer_lost(a);
  mem_close(&own);
  return status;
}

int answer_apart(const struct args *a, struct mem *from, int (*write)(void *self, struct mem *), void *self) {
  struct mem_outer outer;
  volatile int status = EXIT_UNKNOWN;
  if (!from) return write_apart(a, write, self);
  mem_keep_guard(from, &outer);
  from->limits = NULL;
  if (!MEM_GUARD(from))
    status = write_apart(a, write, self);
  else
    status = answer_lost(a);
  mem_restore_guard(from, &outer);
  return status;
}
