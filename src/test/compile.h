/* What compiling for `asif test` is made of: the compiler and its flags, running commands, looking into objects. */
#ifndef ASIF_TEST_COMPILE_H
#define ASIF_TEST_COMPILE_H

#include "base/mem.h"
#include "base/text.h"
#include "spec/spec.h"

typedef VEC(char *) words; /* of a command line */

/* Compilers (compiler.c). */
struct compiler {
  bool cxx;
  words command;     /* CC="gcc -m64" is two words */
  words hooks;       /* what makes it call the hooks, beyond -fsanitize=thread; as far as it knows them */
  const char *tools; /* the folder in which it finds an assembler (assembly.h); or NULL */
  bool clang;
  words all_functions; /* what makes it keep functions that nobody calls */
};
/* The words of the variable, or the command it is without one. */
void compiler_words(struct mem *, const char *variable, const char *otherwise, words *);
/* Asks the compiler, command, what it is and what it understands. */
bool compiler_ask(struct mem *, struct compiler *, struct problem *);
/* Adds what a file compiled for `asif test` needs: begin goes before the user's own flags, end after them. */
void compiler_flags_begin(struct mem *, words *);
void compiler_flags_end(struct mem *, const struct compiler *, words *);
bool is_c_plus_plus(const char *path);

/* Commands (command.c): run at the same time, a few at once; what each says on its output and its errors is kept in a
 * file. */
struct command_run {
  char **words;     /* NULL-terminated */
  const char *said; /* the file */
  int status;       /* its exit status; -1: it could not be run, or a signal ended it */
  int error;        /* why it could not be run: errno; else 0 */
  int pid;
};
void commands_run(struct command_run *, size_t count);
void commands_stop(void); /* ends those that run; for a signal's handler too */
/* What a command has said, to be shown; NUL-terminated. Nothing where it cannot be read. */
char *command_said(struct mem *, const struct command_run *, size_t *length);
/* The same, to be relied on; NULL: it could not be run, failed, or what it said cannot be read. Where it was not run
 * for lack of memory there is no answer at all. */
char *command_answer(struct mem *, const struct command_run *, size_t *length);

/* Objects (elf.c). */
bool object_has_section(const char *path, const char *name);
bool object_needs(const char *path, const char *name);   /* a name that it uses and does not define */
bool object_defines(const char *path, const char *name); /* for others, too */
bool object_is_cxx(const char *path);                    /* it uses the library of C++ */
/* Says which name the file lacks, if that is what the loader said ("undefined symbol: f"); false: it is not. */
bool name_undefined(const char *file, const char *said, struct problem *why);
/* The functions in it: each name as it was written (without what C++ adds), NULL-terminated. */
char **object_functions(struct mem *, const char *path);

/* What the hooks cannot see (scan.c). Adds a sentence for each to the warnings, and to `without` each object and member
 * of an archive that was not compiled by us or with `asif cc`, and accesses memory. */
struct scanned {
  const char *object; /* or archive */
  const char *shown;  /* what the user calls it */
  bool compiled;      /* by us, so with the hooks */
};
typedef VEC(char *) sentences;
struct without {
  const struct scanned *of;
  char *member; /* "": an object */
};
typedef VEC(struct without) withouts;
/* False: objdump cannot look into them. */
bool scan_objects(struct mem *, const struct scanned *, size_t count, const char *said, sentences *warnings,
                  withouts *without);

/* What the linker took, and where it put its code (linked.c): read from its map. */
struct linked {
  char *path, *member; /* "": an object */
  uintptr_t low, high; /* in the file made */
};
typedef VEC(struct linked) linkeds;
/* False: it is no map that can be read. missing: an object with code that is not there any more, or NULL. */
bool linked_read(struct mem *, const char *map, linkeds *, char **missing);
bool linked_is_toolchains(const struct linked *); /* part of the compiler: its libraries, its start files */

/* Suppressions (suppress.c): fills in which accesses of the image, made of this object, have races that are not to be
 * reported; path: the file, or NULL. Adds a sentence for each line that means nothing. */
struct image;
struct run_options;
bool suppressions_read(struct mem *, const char *path, struct image *, const char *object, struct run_options *,
                       sentences *notes, struct problem *);
bool suppression_matches(const char *pattern, const char *name);

#endif
