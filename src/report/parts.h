/* What the reports share: safe printing of what came from a file, words for counts, which operations to draw, and
 * where they go. Values, process names and file names are not to be trusted: everything that prints them goes
 * through one of the put_... functions. */
#ifndef ASIF_REPORT_PARTS_H
#define ASIF_REPORT_PARTS_H

#include "report/report.h"

/* escape.c: each takes any bytes and adds valid UTF-8. */
uint32_t utf8_next(const char **at, const char *end);             /* next character; U+FFFD for bytes that are none */
int char_columns(uint32_t c);                                     /* 0, 1 or 2 columns of a terminal */
int text_columns(const char *s, size_t n);                        /* of clean text */
void put_char(struct text *, uint32_t c);                         /* as UTF-8 */
void put_clean(struct text *, const char *s, size_t n);           /* controls and direction marks made visible: \x1b */
void put_short(struct text *, const char *s, size_t n, int most); /* clean, cut to so many columns with ".." */
void put_xml(struct text *, const char *s, size_t n);             /* clean, and & < > " ' escaped */
void put_xml_lines(struct text *, const char *s, size_t n);       /* the same, but lines stay lines */

/* graph.c: the picture of an execution under a weak memory model, as an SVG of its own, or within another at this
 * height. 0: there is none. The height of it. */
int put_graph(struct text *, const struct report *, int top, int *width);

/* words.c */
void put_count(struct text *, uint64_t n, const char *noun);             /* "1 operation", "3 processes" */
void put_grouped(struct text *, uint64_t n);                             /* 1,000,000 */
void put_spec(struct text *, const struct spec *);                       /* queue, bounded-queue(4) */
void put_call(struct text *, const struct report *, const struct op *);  /* clean: Enq(5) */
void put_label(struct text *, const struct report *, const struct op *); /* clean: Enq(5), Deq() -> 5; pending: Deq() */
void put_result(struct text *, const struct report *, const struct op *); /* clean: ok, 5, empty; "" if pending */
void put_process(struct text *, const struct report *, uint32_t process); /* clean, cut if very long */
void put_start(struct text *, const struct report *, size_t most);        /* "[5 7] or [7 5]", clean */
void put_holds(struct text *, const struct report *);                     /* the sentence for a history that holds */
void put_notes(struct text *, const struct report *, const char *before,
               const char *after); /* what was assumed or dropped */
/* The end of the verdict's line: where it is unknown, why, for --quiet leaves that line only. */
void put_verdict_end(struct text *, const struct report *);
void put_notes_json(struct text *, const struct report *); /* the same, as ,"notes":[...] */
void put_monitored_notes(struct text *, const struct report *, const char *before,
                         const char *after); /* those of a history that was monitored */
bool has_picture(const struct report *);     /* a history and a specification to draw it by */
size_t unfinished(const struct history *);   /* pending operations */
/* True if the operation is pending, or is when the core of a violation ends: nothing rests on its return then. */
bool is_open(const struct report *, uint32_t op);

/* text.c */
void put_wrapped(struct text *, const struct report *, const struct text *sentence, int indent); /* broken at blanks */
const char *terminal_style(const struct report *, const char *code); /* the code, or "" without colours */
#define BOLD(r)   terminal_style(r, "\033[1m")
#define DIM(r)    terminal_style(r, "\033[2m")
#define RED(r)    terminal_style(r, "\033[1;31m")
#define YELLOW(r) terminal_style(r, "\033[1;33m")
#define OFF(r)    terminal_style(r, "\033[0m")

/* execution.c, execution_json.c: the reports of a search of executions */
void execution_text(const struct report *, struct text *);
void execution_json(const struct report *, struct text *);
/* monitored.c: the reports of a history that was monitored */
void monitored_text(const struct report *, struct text *);
void monitored_json(const struct report *, struct text *);
void put_monitored(struct text *, const struct report *); /* the sentence where no violation was seen */
/* proof.c, proof_json.c, proof_page.c: the reports of a proof */
void proof_text(const struct report *, struct text *);
void proof_json(const struct report *, struct text *);
void proof_html(const struct report *, struct text *);
void put_proof_place(struct text *, const struct proof_step *); /* clean: stack.c:35:10 */
/* json.c */
void put_evidence(struct text *, const struct report *);
/* schedule.c */
void put_schedule(struct text *, const struct report *); /* a table, a line each */
void put_source_line(struct text *, const struct report *,
                     const struct schedule_line *); /* the line in the source, and a caret */
void put_schedule_json(struct text *, const struct schedule *, size_t from,
                       size_t to);        /* an array of steps: lines from..to-1 */
const char *schedule_word(unsigned kind); /* "access" */
const char *schedule_path(const struct schedule *, const struct schedule_line *);

/* layout.c: operations as bars in columns, a row for each process (more where operations of one overlap). */
struct bar {
  uint32_t op; /* index into history.ops */
  int row;
  int from, to; /* first and last column; the end of the picture if open */
  bool open;    /* pending */
  bool culprit;
  int point; /* column of its linearization point, or -1 */
  const char *label;
  int label_at, label_columns;
};
struct row {
  uint32_t process;
  const char *name; /* clean and cut */
  int name_columns;
  int lane; /* 0 for the first row of the process */
};
struct layout {
  struct bar *bars; /* by call */
  size_t bar_count;
  struct row *rows;
  int row_count;
  int columns;
  size_t hidden;  /* operations that were to be drawn, but are too many */
  bool from_core; /* the violation; else the beginning of the history */
};

/* Lays out what a small picture shows: the core of a violation, or the beginning of the history with its points. */
void layout_make(struct layout *, struct mem *, const struct report *, size_t most_bars);

/* window.c: which operations a large picture holds when all are too many: those around the violation (or where the
 * search stopped, or the beginning), and those that were running then. */
struct range {
  uint32_t from, to; /* operations from..to-1 */
};
struct window {
  uint32_t *ops; /* by call */
  size_t count;
  struct range *ranges; /* the parts that are complete */
  size_t range_count;
};
void window_make(struct window *, struct mem *, const struct report *, size_t most);

/* data.c: the window as JSON for the scripts of the page. */
void put_data(struct text *, const struct report *, const struct window *);

#endif
