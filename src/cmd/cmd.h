/* Subcommands: one file each, described by a table from which --help, the man pages and shell completion are made. */
#ifndef ASIF_CMD_CMD_H
#define ASIF_CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/limits.h"
#include "base/text.h"
#include "check/check.h"

enum { EXIT_HOLDS = 0, EXIT_VIOLATED = 1, EXIT_USAGE = 2, EXIT_UNKNOWN = 3, EXIT_INTERNAL = 4 };

struct opt {
  const char *name; /* "time-limit" for --time-limit */
  char letter;      /* 'j' for -j, or 0 */
  const char *arg;  /* what it takes, for help: "SECONDS"; NULL for a flag */
  const char
      *choices; /* "auto|fast|search", checked when parsed and offered by completion; "@specs", "@formats", "@kinds",
                 * "@commands" and "@files" are only offered; or NULL */
  const char *help; /* one line or more */
};

struct args {
  const struct command *command;
  char **at; /* positional arguments */
  int count;
  int own;             /* so many of them stand before -- */
  struct mem *mem;     /* until the program ends, which it does if it is used up or on Ctrl-C, where that is handled */
  const char **values; /* an option each, parallel to command->opts; "" for a given flag; NULL if not given */
  unsigned number;     /* of the input that is being answered, from 1, where there are several; otherwise 0 */
  struct junit *junit; /* where its test case goes; NULL: to the file of --junit, alone */
  volatile int *said; /* the exit status if nothing more can be done: unknown; once the verdict is printed its own, with
                       * output that is lost */
};

struct command {
  const char *name;
  const char *usage;               /* "HISTORY... [--spec SPEC]" */
  const char *summary;             /* one line */
  const char *details;             /* what it does, exit statuses, and worked examples, for --help and the man page;
                                    * a line `@formats` stands for the table of formats: command_details */
  const struct opt *opts;          /* ends with a NULL name; --help is added to all */
  bool passes;                     /* every argument is positional, whatever it looks like; --help alone is not */
  int least, most;                 /* positional arguments; most < 0: any number */
  int (*run)(const struct args *); /* returns the exit status */
  const char *operands;            /* how positional arguments complete, as opt.choices; NULL: files */
};

extern const struct command command_cc, command_cxx, command_check, command_test, command_verify, command_prove,
    command_convert, command_gen, command_specs, command_replay, command_completion, command_man, command_init,
    command_drive;
extern const struct command *const commands[];     /* NULL-terminated */
const struct command *command_named(const char *); /* or NULL */

/* Parses what follows the command's name. PARSE_RUN: go on; PARSE_HELP: --help was asked for; PARSE_WRONG: said why. */
enum parsed { PARSE_RUN, PARSE_HELP, PARSE_WRONG };
enum parsed parse_args(struct mem *, const struct command *, int count, char **at, struct args *);

void help_overview(struct text *);                        /* asif --help */
void help_command(const struct command *, struct text *); /* asif COMMAND --help */
/* The choices of an option or operand as blank-separated words, "@specs" and its like spelled out; "" for files and
 * free text. */
void choice_words(const char *choices, struct text *);
void command_details(const struct command *, struct text *);        /* with what is in tables put in */
bool choice_has(const char *choices, const char *word, size_t len); /* of "a|b|c" */

/* The candidate nearest to a mistyped word, or NULL if none is near enough to suggest. Call for each candidate in turn.
 */
struct nearest {
  const char *word, *best;
  size_t best_len;
  int distance;
};
void nearest_try(struct nearest *, const char *candidate, size_t len);

const char *arg_value(const struct args *, const char *name); /* NULL if not given */
bool arg_flag(const struct args *, const char *name);
/* Numbers in options; a bad one prints the error and exits the command through *bad = true. */
double arg_seconds(const struct args *, const char *name, double otherwise, bool *bad); /* 1, 0.5, 10s, 5m, 1h */
size_t arg_bytes(const struct args *, const char *name, size_t otherwise, bool *bad);   /* 500M, 2G, 1000K */
long long arg_number(const struct args *, const char *name, long long otherwise, long long least, long long most,
                     bool *bad);

int usage_error(const struct args *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));                                     /* prints, returns EXIT_USAGE */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2))); /* "asif: ..." on stderr */

int status_of_verdict(enum verdict);
/* Of several answers the gravest counts: violated, then an internal error, bad input, unknown, holds. */
int graver_status(int, int);
int status_of_output(int status, bool written); /* what is violated stays so if some output could not be written */
int status_of_problem(const struct problem *);
int problem_status(const struct problem *); /* prints the problem, returns its status */
int terminal_columns(void);                 /* 100 where standard output is no terminal */

extern volatile sig_atomic_t interrupted;       /* set by SIGINT and SIGTERM once handle_interrupts was called */
void hear_interrupts(const struct sigaction *); /* the signals that end a command, handled so */
void handle_interrupts(void);

/* Writes a file whole: to a temporary beside it, then renamed, so a full disk or Ctrl-C loses nothing. "-" is stdout.
 * Returns false and says why on stderr. */
bool write_file(const char *path, const char *bytes, size_t count);
bool write_stdout(const char *bytes, size_t count); /* false on a closed pipe or a full disk, said on stderr */
/* The path if a file can be made there, as far as can be told before; otherwise NULL. */
const char *writable_path(const char *path);

/* For commands with several inputs. True if each of these options (a NULL ends them) names files; where one does not,
 * it is said. */
bool one_file_each(const struct args *, const char *const options[]);
/* The file that this option names; of several inputs each has its own: FILE.html, FILE-1.html, FILE-2.html. NULL: none.
 */
const char *output_path(const struct args *, struct mem *, const char *option);
/* A test case for an input that has no verdict: otherwise a build would pass on it unseen. */
void tell_junit(const struct args *, const char *path, int status, const char *why);
/* Writes the file of all test cases, unless one was lost. False: it could not be written, said on stderr. */
bool write_cases(const struct args *, struct junit *);

/* The report as --json, --quiet, --junit, --svg and --html ask for it; on standard output after what is in `before`
 * already, of which --quiet leaves the last line of all. It is printed first, then the files are written: those that
 * rest on the verdict (evidence, history, witness) after that. False if something could not be written, said on stderr.
 */
struct report;
typedef void report_maker(const struct report *, struct text *);
bool write_reports(const struct args *, struct mem *, const struct report *, report_maker *svg, struct text *before);
bool print_report(const struct args *, const struct report *, struct text *before); /* the first part of it */
bool write_pages(const struct args *, struct mem *, const struct report *, report_maker *svg); /* the second */
bool file_written(bool good, const struct problem *); /* says the problem if it is not */
/* Writes an answer in memory of its own: there may be none left under the limit. `from` is the memory of what is
 * answered, which may be needed as well, and is without limits from now on; or NULL. The exit status, which is what
 * `write` gives. */
int answer_apart(const struct args *, struct mem *from, int (*write)(void *self, struct mem *), void *self);
/* The memory is used up, or it was interrupted; what was printed stands. Says so; the exit status. */
int answer_lost(const struct args *);
bool answer_printed(const struct args *); /* the verdict, at least */

#endif
