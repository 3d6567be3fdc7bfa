/* Evidence: what a verdict rests on, and the code that re-validates it.
 *
 * Shares nothing with the deciders but history and spec. */
#ifndef ASIF_EVIDENCE_EVIDENCE_H
#define ASIF_EVIDENCE_EVIDENCE_H

#include "evidence/lines.h"
#include "evidence/result.h"
#include "history/output.h"
#include "spec/spec.h"

/* holds: the order is a legal sequential history and keeps real time (Wing and Gong, section 2.2). */
bool evidence_check_order(struct mem *, const struct history *, const struct spec *, const uint32_t *order,
                          const uint32_t *gap, size_t count, struct problem *);
/* violated: no order of the core is legal, tried by plain enumeration with a memo. VERDICT_UNKNOWN: too large to tell.
 */
enum verdict evidence_check_core(struct mem *, const struct history *, const struct spec *, const struct check_result *,
                                 struct problem *);

bool evidence_write(const char *path, const struct history *, const struct spec *, const struct check_result *,
                    struct problem *);

/* Replaying a file, which may come from anybody: what may be done, and what came of it. Unless `run` is set, nothing is
 * compiled, loaded or run, whatever the file says. */
struct replaying {
  struct mem *mem;
  struct problem *why;
  bool run;                         /* --run */
  bool trust_arguments;             /* --trust-arguments */
  void (*show)(struct replaying *); /* prints what is said so far; called before anything runs */
  struct text said;
  enum verdict verdict; /* on the evidence: HOLDS, it stands */
  const char *unknown;  /* VERDICT_UNKNOWN: the reason, in a few words */
};
/* VERDICT_UNKNOWN, for this reason; true: that is an answer. */
bool replay_unknown(struct replaying *, const char *reason);
/* The code that the evidence is about, as the file names it. */
struct code_named {
  char *const *files, *const *arguments; /* NULL-terminated */
  const char *spec;                      /* or NULL */
  char *const *program;                  /* what main is called with, NULL-terminated; or NULL */
};
void replay_tell_code(struct replaying *, const struct code_named *);
/* True if the compiler may be given all of them because a file says so: none can run a program, read or write a file
 * of its own choice, or put code in the place of other code. Otherwise *refused is the first that is not of them. */
bool arguments_harmless(char *const *arguments, const char **refused);
/* May a compiler be given them? False: the verdict is unknown, and what was said says why. */
bool replay_arguments_trusted(struct replaying *, char *const *arguments);

/* A sum over a file that is named in evidence: a plain file, and not an endless one. */
bool file_hash(const char *path, uint64_t *, struct problem *);

/* `spec NAME`, and the hash of the file where it is one. */
struct spec_named {
  const char *name; /* its name, or the path of a C file; SPEC_OWN, SPEC_SELF */
  bool file, hashed;
  uint64_t hash;
};
#define SPEC_SELF "self" /* what the object itself does, one operation at a time */
#define SPEC_OWN  "own"  /* the one that the object's own files define */
void evidence_put_spec(struct text *, const char *name);
bool evidence_read_spec(struct evidence_lines *, struct spec_named *); /* name is NULL if there is no such line */
/* A specification in C is compiled and loaded: false, with the verdict unknown, unless that may be done, and where the
 * file is not the one it was. */
bool replay_spec_may_load(struct replaying *, const struct spec_named *);
/* Loads it, or gives NULL if it may not be loaded. False with the problem if there is no such specification. */
bool replay_spec(struct replaying *, const struct spec_named *, struct spec **);

/* The part of a file from the line `verdict` on: a verdict on a history, and what it rests on. Evidence of other
 * commands may end with one. */
struct history_evidence {
  bool holds;
  struct spec_named spec;
  struct check_result result;
  struct history *history; /* not bound yet */
};
/* called: what the specification is called there: SPEC_SELF or SPEC_OWN; NULL: as --spec would name it. */
bool evidence_put(struct mem *, struct output *, const struct history *, const struct spec *, const char *called,
                  const struct check_result *, struct problem *);
bool evidence_read(struct evidence_lines *, struct history_evidence *);
/* Re-validates it with the specification it names. */
bool evidence_judge(struct replaying *, const struct history_evidence *, struct spec *);

/* Evidence of another command, which has the line `command NAME` after the first: who re-validates what follows. */
struct evidence_of {
  const char *command; /* NULL ends the list */
  bool (*replay)(struct replaying *, struct evidence_lines *);
};
/* asif replay: reads an evidence file and re-validates it. */
bool evidence_replay(struct replaying *, const char *path, const struct evidence_of *);

#endif
