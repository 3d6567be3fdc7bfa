/* Statements of assembly written by hand, rewritten so that every access to memory has a hook.
 *
 * src/run/assembly.c has the functions that are called then. */
#ifndef ASIF_TEST_ANNOUNCE_H
#define ASIF_TEST_ANNOUNCE_H

#include "test/assembly.h"
#include "test/registers.h"

struct announcing {
  struct text *out;
  struct assembly *assembly; /* the syntax, and whether there are macros */
  bool red_zone;             /* the function may keep something below its stack pointer */
  unsigned vectors;          /* the vector registers that it may use: ANNOUNCED_XMM, ANNOUNCED_VECTORS */
  bool strange;              /* it uses registers that the hooks do not keep */
  unsigned *labels;          /* numbers them */
  bool any;                  /* something in the statement is announced */
  bool used;                 /* ... in the file */
  char why[80];              /* the instruction that cannot be */
  char prefix[40];
  struct text line;
};
/* Puts the lines of a statement into `out`. False: there is something that cannot be rewritten; what was put into `out`
 * is of no use. */
bool announce(struct announcing *, const char *text, size_t length);
/* At the end of a file: what the rewritten statements need. */
void announce_end(const struct announcing *, struct text *out);

/* What a machine has. */
#if defined(__x86_64__) || defined(__aarch64__)
#define ANNOUNCE_MACHINE
#endif
/* An instruction, with what comes before and after it. False: it is not known (announce_refuse). */
bool machine_instruction(struct announcing *, struct text *, const char *text);
void machine_pause(struct announcing *, struct text *); /* before a hint that the thread waits */
bool announce_refuse(struct announcing *, const char *text);
bool machine_short_jumps(const char *line, size_t length); /* has it some that hooks may make too short? */
void machine_end(struct text *out);                        /* announce_end of a file that has some */
/* A function, as far as it matters to the hooks in it. */
struct machine_use {
  bool calls;       /* it calls others, and so keeps nothing below its stack pointer */
  bool below;       /* it may have an address that is there */
  bool scratch;     /* assembly in it may use what is there by itself */
  unsigned vectors; /* this and the next: of struct announcing */
  bool strange;
};
void machine_look(struct machine_use *, const char *line, size_t length, bool by_hand); /* one line of it */
/* What holds nothing that the code still needs is cleared before a statement. */
struct clearing {
  const struct function_text *function;
  const char *text; /* of the statement */
  size_t length;
  const char *after; /* the line behind it */
  unsigned vectors;  /* as in announcing */
  bool flags;        /* those too */
};
void machine_clear(struct text *out, const struct clearing *);

#endif
