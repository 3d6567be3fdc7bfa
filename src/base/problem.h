/* Why something could not be done: a text ready to print, and what kind of reason it is. Callers decide by the kind;
 * nobody reads the text back. */
#ifndef ASIF_BASE_PROBLEM_H
#define ASIF_BASE_PROBLEM_H

enum problem_kind {
  PROBLEM_INPUT,       /* what the user gave is wrong: "file:line:col: what is wrong, and what would be right" */
  PROBLEM_UNSUPPORTED, /* what the user gave may be right, but is outside what Asif handles: the answer is unknown */
  PROBLEM_SYSTEM,      /* the machine refused a process or memory: the answer is unknown */
  PROBLEM_INTERNAL,    /* Asif contradicts itself; the text begins with "internal error: " */
};

struct problem {
  char text[600];
  enum problem_kind kind;
};

void problem_set(struct problem *, const char *, ...) __attribute__((format(printf, 2, 3))); /* PROBLEM_INPUT */
void problem_of(struct problem *, enum problem_kind, const char *, ...) __attribute__((format(printf, 3, 4)));
void problem_internal(struct problem *, const char *, ...) __attribute__((format(printf, 2, 3)));

#endif
