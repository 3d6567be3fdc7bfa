/* asif replay: re-validates what a verdict rests on. */
#include "cmd/cmd.h"
#include "evidence/evidence.h"
#include "prove/evidence.h"
#include "test/evidence.h"
#include "verify/schedule.h"

static const struct opt opts[] = {
    {"run", 0, NULL, NULL,
     "compile, load and run what the evidence names: the files that test ran, a specification in C, a compiler\n"
     "for preprocessing. Only for files that you trust; without it nothing is run"},
    {"trust-arguments", 0, NULL, NULL,
     "with --run: give the compiler every argument that the evidence names, not only those known to be harmless"},
    {"time-limit", 't', "TIME", NULL, "give up after this long"},
    {"memory-limit", 0, "SIZE", NULL, "give up beyond this much memory"},
    {NULL, 0, NULL, NULL, NULL},
};

static const struct evidence_of others[] = {
    {"verify", schedule_replay}, {"test", test_evidence_replay}, {"prove", prove_evidence_replay}, {NULL, NULL}};

/* What a file says is printed: nothing in it may move the cursor, or set the terminal's colours or title. */
static void make_visible(char *s) {
  for (unsigned char *c = (unsigned char *)s; *c; c++) {
    if ((*c < ' ' && *c != '\n' && *c != '\t') || *c == 127) *c = '?';
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?'; /* the same controls in UTF-8 */
  }
}

static bool print_said(struct replaying *r) {
  if (r->said.count) make_visible(r->said.at);
  bool good = write_stdout(text_string(&r->said), r->said.count);
  text_clear(&r->said);
  return good;
}

static void show(struct replaying *r) { print_said(r); }

static int answer(struct replaying *r) {
  text_printf(&r->said, "verdict: %s%s%s\n",
              r->verdict == VERDICT_HOLDS      ? "the evidence stands"
              : r->verdict == VERDICT_VIOLATED ? "the evidence does not stand"
                                               : "unknown",
              r->verdict == VERDICT_UNKNOWN && r->unknown ? ": " : "",
              r->verdict == VERDICT_UNKNOWN && r->unknown ? r->unknown : "");
  return print_said(r) ? status_of_verdict(r->verdict) : EXIT_USAGE;
}

static int replay_file(const struct args *a, const char *path) {
  bool bad = false;
  struct limits limits;
  struct mem m;
  struct problem why = {.text = ""};
  struct replaying r = {.mem = &m,
                        .why = &why,
                        .run = arg_flag(a, "run"),
                        .trust_arguments = arg_flag(a, "trust-arguments"),
                        .show = show};
  limits_start(&limits, arg_seconds(a, "time-limit", 0, &bad), arg_bytes(a, "memory-limit", 0, &bad));
  if (bad) return EXIT_USAGE;
  limits.interrupted = &interrupted;
  mem_open(&m, &limits);
  if (MEM_GUARD(&m)) {
    say_error("replay: %s", limit_told((enum limit)limits.reached));
    mem_close(&m);
    return write_stdout("verdict: unknown\n", 17) ? EXIT_UNKNOWN : EXIT_USAGE;
  }
  text_open(&r.said, &m);
  bool good = evidence_replay(&r, path, others);
  make_visible(why.text);
  int status = good ? answer(&r) : problem_status(&why);
  mem_close(&m);
  return status;
}

static int run(const struct args *a) {
  int status = EXIT_HOLDS;
  if (arg_flag(a, "trust-arguments") && !arg_flag(a, "run")) return usage_error(a, "--trust-arguments needs --run");
  handle_interrupts();
  for (int i = 0; i < a->count; i++) { status = graver_status(status, replay_file(a, a->at[i])); }
  return status;
}

const struct command command_replay = {
    .name = "replay",
    .usage = "EVIDENCE... [--run]",
    .summary = "re-validate what a verdict rests on",
    .details = "EVIDENCE is a file that `asif check`, `verify`, `test` or `prove` wrote with --evidence FILE. A\n"
               "linearization is run on the sequential object, operation by operation; for a violation every order\n"
               "of its operations is tried. The code shares nothing with the deciders but histories and\n"
               "specifications.\n"
               "An execution that verify found is made again, move by move, from the source as it is now. With\n"
               "--run, the files of one that test found are compiled again, and run under the same schedule.\n"
               "Of a proof every step of every view is made again, once, and every action on every view: each must\n"
               "lead to another of the views. Nothing is searched for.\n"
               "\n"
               "EVIDENCE may come from anybody: without --run nothing is compiled, loaded or run, whatever it says.\n"
               "Without it, a history that is wrong is re-validated from the file, and that the code has such a\n"
               "history is unknown. What would run is printed: the files, the arguments, the specification. With\n"
               "--run it is printed first; nothing runs if a file has changed since.\n"
               "\n"
               "Exit status: 0 the evidence stands, 1 it does not, 2 bad usage or input, 3 unknown. Of several files\n"
               "the gravest counts: 1, then 4, 2, 3, 0.\n"
               "\n"
               "Examples:\n"
               "  asif check history.txt --evidence why.txt; asif replay why.txt\n"
               "  asif verify stack.c --evidence why.txt; asif replay why.txt\n"
               "  asif test stack.c --evidence why.txt; asif replay --run why.txt\n"
               "  asif prove stack.c --evidence why.txt; asif replay why.txt\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run,
};
