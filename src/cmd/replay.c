/* asif replay: re-validates what a verdict rests on. */
#include "cmd/cmd.h"
#include "evidence/evidence.h"
#include "prove/evidence.h"
#include "test/evidence.h"
#include "verify/schedule.h"

static const struct opt opts[] = {
    {"time-limit", 't', "TIME", NULL, "give up after this long"},
    {"memory-limit", 0, "SIZE", NULL, "give up beyond this much memory"},
    {NULL, 0, NULL, NULL, NULL},
};

static const struct evidence_of others[] = {
    {"verify", schedule_replay}, {"test", test_evidence_replay}, {"prove", prove_evidence_replay}, {NULL, NULL}};

static int replay_file(const struct args *a, const char *path) {
  bool bad = false;
  struct limits limits;
  struct mem m;
  struct text said;
  struct problem why = {.text = ""};
  enum verdict verdict = VERDICT_UNKNOWN;
  limits_start(&limits, arg_seconds(a, "time-limit", 0, &bad), arg_bytes(a, "memory-limit", 0, &bad));
  if (bad) return EXIT_USAGE;
  limits.interrupted = &interrupted;
  mem_open(&m, &limits);
  if (MEM_GUARD(&m)) {
    say_error("replay: %s", limit_told((enum limit)limits.reached));
    mem_close(&m);
    return write_stdout("verdict: unknown\n", 17) ? EXIT_UNKNOWN : EXIT_USAGE;
  }
  int status = EXIT_USAGE;
  text_open(&said, &m);
  if (!evidence_replay(&m, path, others, &verdict, &said, &why)) {
    say_error("%s", why.text);
  } else {
    text_printf(&said, "verdict: %s\n",
                verdict == VERDICT_HOLDS      ? "the evidence stands"
                : verdict == VERDICT_VIOLATED ? "the evidence does not stand"
                                              : "unknown");
    status = verdict == VERDICT_HOLDS ? EXIT_HOLDS : verdict == VERDICT_VIOLATED ? EXIT_VIOLATED : EXIT_UNKNOWN;
    if (!write_stdout(text_string(&said), said.count)) status = EXIT_USAGE;
  }
  mem_close(&m);
  return status;
}

static int run(const struct args *a) {
  int status = EXIT_HOLDS;
  handle_interrupts();
  for (int i = 0; i < a->count; i++) {
    int one = replay_file(a, a->at[i]);
    if (one > status) status = one;
  }
  return status;
}

const struct command command_replay = {
    .name = "replay",
    .usage = "EVIDENCE...",
    .summary = "re-validate what a verdict rests on",
    .details = "EVIDENCE is a file that `asif check`, `verify`, `test` or `prove` wrote with --evidence FILE. A\n"
               "linearization is run on the sequential object, operation by operation; for a violation every order\n"
               "of its operations is tried. The code shares nothing with the deciders but histories and\n"
               "specifications.\n"
               "An execution that verify found is made again, move by move, from the source as it is now. For one\n"
               "that test found the files are compiled again, and run under the same schedule.\n"
               "Of a proof every step of every view is made again, once, and every action on every view: each must\n"
               "lead to another of the views. Nothing is searched for.\n"
               "\n"
               "Exit status: 0 the evidence stands, 1 it does not, 2 bad usage or input, 3 unknown.\n"
               "\n"
               "Examples:\n"
               "  asif check history.txt --evidence why.txt; asif replay why.txt\n"
               "  asif verify stack.c --evidence why.txt; asif replay why.txt\n"
               "  asif test stack.c --evidence why.txt; asif replay why.txt\n"
               "  asif prove stack.c --evidence why.txt; asif replay why.txt\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run,
};
