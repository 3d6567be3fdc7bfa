/* A finding told: step by step, with places in the source. */
#ifndef ASIF_TEST_TELL_H
#define ASIF_TEST_TELL_H

#include "history/schedule.h"
#include "test/test.h"

/* A place in the source (symbols.c). */
struct place {
  const char *file; /* NULL: not known */
  const char *function;
  uint32_t line;
  uint32_t column; /* 0: not known */
  bool wrapper;    /* of a function that is inlined and has but one line: who calls it says more */
};
bool path_is_of_language(const char *path); /* a header of the language, or one about atomic accesses */
bool place_is_own(const struct place *);    /* its line is known, and not in a header of the language */
/* Of addresses in the file of the shared object. False if there is no addr2line. */
bool places_find(struct mem *, const char *object, const uintptr_t *offsets, size_t count, struct place *);
/* The same with the debug information, if there is any; and as it is told without: the innermost that is in no header
 * of the system. */
struct debug_info;
bool places_find_both(struct mem *, struct debug_info *, const char *object, const uintptr_t *offsets, size_t count,
                      struct place *, struct place *plain);
/* Calls `use` for each function that address number `at` is in, the innermost first. */
typedef void frame_user(void *self, size_t at, const struct place *);
bool frames_find(struct mem *, const char *object, const uintptr_t *offsets, size_t count, frame_user *, void *self);
const char *place_shown(struct mem *,
                        const char *path); /* a file as it is shown: below the current folder, without that */
/* Puts names of C++ in texts as they are written, not as the linker has them, if there is a c++filt. */
void names_demangle(struct mem *, const char **const *texts, size_t count);

/* One word that repeats a finding (replay.c). */
uint32_t code_checksum(struct mem *, const char *object);
char *replay_token(struct mem *, const struct object *, const struct run_options *, const struct finding *,
                   uint32_t checksum);
/* Reads one: into the options what it says of them, into the finding the calls and the choices. */
bool replay_parse(struct mem *, const struct object *, const char *token, struct run_options *, struct finding *,
                  uint32_t *checksum, struct problem *);
/* Runs it; the finding's kind says what is wrong, FOUND_NOTHING if nothing is. */
bool replay(struct mem *, struct image *, const struct object *, const struct run_options *, struct finding *,
            struct problem *);
void finding_keep(struct mem *, struct finding *, const struct run *); /* what the run did and said */

/* Makes it smaller (shrink.c): fewer calls, smaller arguments, fewer interruptions, fewer steps. What is found stays
 * the same. The limit is a count, so that the same finding shrinks to the same on any machine. */
struct shrink_limits {
  uint64_t steps; /* of all runs tried; a run by itself costs a few too */
  double seconds; /* a time limit of the user's; 0: none */
  const volatile sig_atomic_t *interrupted;
};
bool finding_shrink(struct mem *, struct image *, const struct object *, const struct run_options *,
                    const struct shrink_limits *, struct finding *, struct problem *);

#endif
