/* Answers: text, JSON, JUnit, SVG, HTML. Each takes the same facts. */
#ifndef ASIF_REPORT_REPORT_H
#define ASIF_REPORT_REPORT_H

#include "base/text.h"
#include "check/check.h"

struct report {
  const char *command;           /* "check" */
  const struct history *history; /* bound; may be NULL if reading was cut short by a limit */
  const struct spec *spec;
  const struct check_result *result;
  double seconds, cpu_seconds;
  long peak_rss_kb;
  const char *evidence; /* path of the evidence file written, or NULL */
  bool color;           /* terminal colours in text */
  int width;            /* terminal columns */
};

void report_text(const struct report *, struct text *);     /* summary, timeline of the core, sentence, verdict line last */
void report_timeline(const struct report *, struct text *); /* only the timeline */
void report_json(const struct report *, struct text *);     /* one object, one line */
void report_junit(const struct report *, struct text *);
void report_svg(const struct report *, struct text *);
void report_html(const struct report *, struct text *);

const char *verdict_line(const struct report *); /* "linearizable", "not linearizable", "unknown" */

#endif
