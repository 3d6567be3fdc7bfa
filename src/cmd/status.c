/* Exit statuses, in one place: of verdicts, of problems, and of output that could not be written. */
#include "cmd/cmd.h"

int graver_status(int a, int b) {
  static const int rank[] = {
      [EXIT_HOLDS] = 0, [EXIT_UNKNOWN] = 1, [EXIT_USAGE] = 2, [EXIT_INTERNAL] = 3, [EXIT_VIOLATED] = 4};
  return rank[a] > rank[b] ? a : b;
}

int status_of_verdict(enum verdict v) {
  return v == VERDICT_HOLDS ? EXIT_HOLDS : v == VERDICT_VIOLATED ? EXIT_VIOLATED : EXIT_UNKNOWN;
}

int status_of_output(int status, bool written) { return graver_status(status, written ? EXIT_HOLDS : EXIT_USAGE); }

int status_of_problem(const struct problem *p) {
  switch (p->kind) {
  case PROBLEM_INTERNAL: return EXIT_INTERNAL;
  case PROBLEM_UNSUPPORTED:
  case PROBLEM_SYSTEM: return EXIT_UNKNOWN;
  default: return EXIT_USAGE;
  }
}

int problem_status(const struct problem *p) {
  say_error("%s", p->text);
  return status_of_problem(p);
}
