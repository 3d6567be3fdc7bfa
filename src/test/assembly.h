/* Assembly written by hand, inside C or in files of its own: what the compiler's hooks cannot see.
 *
 * Files are compiled with a folder in which the compiler finds an `as`: this program, called by that name
 * (assembler.c). It looks at what the compiler has written, and puts hooks into every statement of hand-written
 * assembly (announce.h). Those where that cannot be done are recorded in a section of the object. All goes on to the
 * real assembler. src/run/unseen.c reads the records, and ends a run that comes to such a place. */
#ifndef ASIF_TEST_ASSEMBLY_H
#define ASIF_TEST_ASSEMBLY_H

#include "run/run.h"

/* Classifies what is written by hand (assembly.c). Give it the lines of a statement one after the other. */
struct assembly {
  bool intel;     /* the syntax; it stays from one statement to the next */
  bool macros;    /* there are some, and an instruction that is not known may be one; this stays, too */
  bool locked;    /* the prefix stood alone */
  bool among;     /* there was an instruction that is not a fence */
  bool fences;    /* ... and one that is */
  bool elsewhere; /* what follows goes into a section that is not code */
  enum unseen_kind worst;
  char text[80]; /* the first instruction of the worst kind */
};
/* One instruction, taken apart. Prefixes that stand before it in a line of their own may be set beforehand. */
struct instruction {
  bool locked;
  char repeat[8];       /* the prefix rep, repe, ...; "": none */
  char name[24];        /* with the suffix of its size */
  const char *operands; /* "": none */
};
bool assembly_split(const char *, struct instruction *); /* false: there are only prefixes */
enum unseen_kind assembly_kind(const struct assembly *, const struct instruction *);
bool assembly_touches(const struct assembly *, const char *operands); /* is one in memory, the stack included? */
bool assembly_harmless(const struct instruction *);                   /* whatever its operands are */
void assembly_begin(struct assembly *);
void assembly_line(struct assembly *, const char *line, size_t length);
enum unseen_kind assembly_end(struct assembly *);
size_t assembly_without_comment(const char *line, size_t length); /* the length of the rest */
/* The same of a line that the compiler wrote by itself: is it an instruction that it gives no hook, since only an
 * intrinsic stands for it? Between statements. */
enum unseen_kind assembly_intrinsic(struct assembly *, const char *line);

bool assembly_pauses(const char *line); /* the same of a hint that the thread waits */

/* The file as it is to be assembled: the compiler's text, or one written by hand (name: what that is called), with the
 * records. */
void assembly_mark(struct mem *, const char *text, size_t length, const char *name, struct text *out);

/* Is the program called as the assembler? Then it is, and never returns. */
void assembler_if_called(int argc, char **argv);
/* Makes the folder one in which a compiler finds that assembler. */
bool assembler_put(const char *folder);

/* The section that every object has that was assembled so. */
#define ASSEMBLY_MARK "asif_marked"

#endif
