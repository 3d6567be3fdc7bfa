/* What the writers share: events in order, names and values as text, processes that never overlap themselves. */
#ifndef ASIF_HISTORY_WRITE_H
#define ASIF_HISTORY_WRITE_H

#include "history/history.h"

enum { WRITE_CHUNK = 1 << 16 }; /* writers flush at this size */

struct writer {
  const struct history *h;
  struct mem *mem;
  uint32_t *events; /* see history_events */
  uint32_t *lanes;  /* a lane for each operation, where some process overlaps itself; else NULL */
};

/* The writer's memory is taken from the text's owner. */
void writer_open(struct writer *, const struct history *, struct text *);
void writer_close(struct writer *);
void writer_process(const struct writer *, uint32_t op, struct text *); /* its name, quoted if need be */
const char *writer_process_name(const struct writer *, uint32_t op, char room[static 16]);

/* Formats without objects hold histories of one only. */
bool writer_one_object(const struct history *, const char *format, struct problem *);
void writer_object_type(const struct history *, struct text *); /* `# @object ...`, if it is known */

void write_int(int64_t, struct text *);
void write_value(const struct history *, value, struct text *);                 /* as value_print, faster */
void write_name(struct text *, const char *, bool quote);                       /* in quotes if asked or needed */
void write_arguments(const struct history *, const struct op *, struct text *); /* (1, 2) */
int op_arguments(const struct op *);                                            /* how many it has */

/* Gives every operation the lowest lane that is free during it; returns one an operation and how many there are.
 * Lanes are processes for histories that name none. */
uint32_t *history_lanes(const struct history *, struct mem *, uint32_t *count);

#endif
