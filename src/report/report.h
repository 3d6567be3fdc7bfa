/* Answers: text, JSON, JUnit, SVG, HTML. Each takes the same facts. */
#ifndef ASIF_REPORT_REPORT_H
#define ASIF_REPORT_REPORT_H

#include "base/proof.h"
#include "base/text.h"
#include "check/check.h"
#include "history/schedule.h"

/* What was asked of infinite executions: a progress condition, or a formula. */
struct endless {
  const char *progress;           /* "lock-free", or NULL */
  const char *formula, *fairness; /* "weak", or NULL */
  size_t loop;                    /* lines of the schedule from this one on happen again and again */
};

/* A search of executions, and the one it found: for commands that run the object themselves. */
struct execution {
  const char *file;             /* the object's source */
  const char *client;           /* "3 threads, 2 operations each" */
  const char *calls;            /* "push(1..2), pop()" */
  unsigned threads, operations; /* each thread's; 0: any number */
  int64_t bound;                /* elements; -1: none */
  const char *memory;           /* how it behaves: sc, tso or c11; NULL: as always */
  const char *reduce;
  uint64_t states, transitions;
  bool about; /* both may differ when it is run again */
  uint32_t depth, spec_sets;
  double bytes_per_state;
  bool refines;          /* it is another object that it must behave as */
  bool asserts;          /* tests: nothing is specified but their own assertions */
  const char *violation; /* what was violated: "not linearizable", "deadlock", "formula", ...; NULL: nothing was */
  const struct schedule *schedule;
  const struct schedule_line *fault; /* where in the source; or NULL */
  const struct endless *endless;     /* or NULL */
  const char *const *notes;          /* what was assumed */
  size_t note_count;
  /* Of executions that were run, not searched: */
  const char
      *searched; /* instead of states and moves: "1,234 schedules, 56 histories"; NULL: it was a search of states */
  uint64_t schedules;
  bool partly;              /* not every one there is: that no violation was found says nothing about the others */
  const char *found_client; /* the calls of the one that was found, or NULL */
  const char *replay;       /* what repeats the execution: the token; or NULL */
  const char *also;         /* what else was found, in words; or NULL */
  const char *fix;          /* what would repair it, in whole lines; or NULL */
  const char *table;        /* more to be told of what holds, in whole lines; or NULL */
  const char *members;      /* more of the JSON object: ,"rounds":12; or NULL */
  const char *unseen; /* of an approximation: what is said where nothing is found, "no violation seen at k = 2"; NULL:
                         it is exact */
};

/* A history that was monitored while it was read (approx/), and is not there any more. */
struct monitored {
  unsigned k;
  const char *kind; /* of monitor: "elements" */
  const char *file, *format;
  const char *seen; /* "no violation seen at k = 2" */
  uint64_t operations, events, pending, failed, skipped;
  uint64_t line; /* of the event read last, 0 if none */
  uint32_t processes, objects;
  uint64_t intervals; /* begun */
  uint64_t held;      /* values in flight, or labels, that the monitors hold ... */
  size_t bytes;       /* ... and in how many bytes */
  const char *said;   /* violated: the monitor's sentence */
  bool counted;       /* violated: whichever processes and values the operations had */
  const char *blind;  /* what was not looked at: a sentence a line; "" if all was */
};

struct report {
  const char *command;           /* "check" */
  const struct history *history; /* bound; may be NULL if reading was cut short by a limit */
  const char *source;            /* the file, where there is no history to say it; or NULL */
  const struct spec *spec;
  const struct check_result *result;
  const struct execution *execution; /* NULL for a recorded history */
  const struct proof *proof; /* a proof, or a try of one; with an execution too that shows why there is none; or NULL */
  const struct monitored
      *monitored; /* one that was not kept: history and result are what shows the violation; or NULL */
  double seconds, cpu_seconds;
  long peak_rss_kb;
  const char *evidence; /* path of the evidence file written, or NULL */
  bool color;           /* terminal colours in text */
  int width;            /* terminal columns */
};

void report_text(const struct report *, struct text *); /* summary, timeline of the core, sentence, verdict line last */
void report_timeline(const struct report *, struct text *); /* only the timeline */
void report_json(const struct report *, struct text *);     /* one object, one line */
void report_junit(const struct report *, struct text *);    /* one test case */
void report_svg(const struct report *, struct text *);
void report_html(const struct report *, struct text *);

/* JUnit XML with several test cases. */
struct junit {
  const char *command;
  struct text cases;
  unsigned tests, failures, errors;
  double seconds;
  bool lost; /* a case, for lack of memory: there is no file without it */
};
void junit_open(struct junit *, struct mem *, const char *command);
void junit_add(struct junit *, const struct report *);
/* A case for which there is no verdict: kind is "bad input" or the like. */
void junit_add_problem(struct junit *, const char *name, const char *kind, const char *message);
void junit_put(const struct junit *, struct text *);

/* Where and why a proof failed, for what comes before an execution that confirms it; and as members of a JSON object:
 * ,"level":... */
void report_proof_failure(const struct report *, struct text *);
void report_proof_members(const struct report *, struct text *);

/* The result with the whole history as what is to be drawn: counterexamples found by searching are short. */
struct check_result whole_result(struct mem *, const struct report *);

const char *
verdict_line(const struct report *); /* "linearizable", "not linearizable", "unknown"; "deadlock" and its like */

/* A JSON string: quoted, and safe inside <script> too. */
void put_json(struct text *, const char *s, size_t n);

#endif
