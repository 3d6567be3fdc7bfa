/* Schedules: an execution step by step, who did what and where. Engines that make executions tell them so; reports show
 * them. */
#ifndef ASIF_HISTORY_SCHEDULE_H
#define ASIF_HISTORY_SCHEDULE_H

#include <stdbool.h>

#include "base/mem.h"

enum schedule_kind {
  SCHEDULE_CALL,
  SCHEDULE_RETURN,
  SCHEDULE_ACCESS, /* to what others can see */
  SCHEDULE_OWN,    /* to what only this thread can reach */
  SCHEDULE_POINT,  /* an operation takes effect here, as its author says */
  SCHEDULE_FAULT,  /* and this is the end */
  SCHEDULE_WAIT,   /* at the end the thread waits here */
  SCHEDULE_SWITCH, /* it interrupts another, who could have gone on */
  SCHEDULE_NOTE    /* about the line before */
};

struct schedule_line {
  uint32_t step; /* from 1; of the lines of one step nothing comes in between; 0: after all steps */
  uint16_t thread;
  uint8_t kind;
  uint16_t file;         /* of schedule.files */
  uint32_t line, column; /* line 0: nowhere in particular */
  const char *text;
  /* The same as evidence has it: with what does not depend on the debug information that could be read. NULL: as it is
   */
  const char *plain;
  uint16_t plain_file;
  uint32_t plain_line;
};

/* Under a weak memory model, between lines: */
enum schedule_edge_kind {
  EDGE_READS,    /* from a store to a load of its value */
  EDGE_MODIFIES, /* from a store to the next one in the modification order of the variable */
  EDGE_MISSES    /* from a load to the store after the one that it reads, though that is above */
};
struct schedule_edge {
  uint32_t from, to;
  uint8_t kind;
};

struct schedule_file {
  const char *path;
  const char *text; /* NULL if it could not be read */
  size_t length;
};

struct schedule {
  VEC(struct schedule_line) lines;
  VEC(struct schedule_edge) edges;
  VEC(struct schedule_file) files;
  VEC(const char *) threads; /* their names */
  bool source_lines;         /* each line is shown with that of its source */
  bool no_places;            /* places in the source could not be found */
  const char *uninitialised; /* which result of an operation comes from memory that nobody wrote, and where; or NULL */
  const char *ignored;  /* a result that says no, of an operation whose result does not count; NULL: there is none */
  const char *no_names; /* why fields of variables have no names; NULL: they have */
  const char *printed;  /* by the code, the last of it; or NULL */
};

#endif
