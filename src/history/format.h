/* Formats: one file reads and writes each. */
#ifndef ASIF_HISTORY_FORMAT_H
#define ASIF_HISTORY_FORMAT_H

#include "base/text.h"
#include "history/history.h"
#include "history/input.h"

struct format {
  const char *name;                            /* as --format takes it */
  const char *summary;                         /* one line for --help */
  bool empty;                                  /* it can say that there was no event: the file is not just comments */
  const char *suffixes;                        /* file-name endings it is the default for when writing: ".edn" */
  int (*guess)(const char *start, size_t len); /* how sure it is of the first bytes: 0 no .. 100 certain */
  bool (*read)(struct input *, struct history *, struct problem *); /* streams, finishes; false with the problem */
  bool (*write)(const struct history *, struct text *, struct problem *, bool (*flush)(struct text *, void *),
                void *); /* NULL: not written */
};

extern const struct format format_wing_gong, format_edn, format_json, format_jepsen_log, format_hist, format_columns,
    format_process_columns, format_recording;
extern const struct format *const formats[]; /* NULL-terminated */

const struct format *format_named(const char *);
const struct format *format_guess(struct input *);      /* by content; NULL if it is none */
const struct format *format_for_path(const char *path); /* by the name's suffix, for writing; NULL if none has it */

/* Reads path ("-" is standard input), plain, gzip or zstd; format NULL means by content. Finished, not bound. */
struct history *history_read(struct mem *, const char *path, const struct format *, struct problem *);
/* The same from an input, which it closes. */
struct history *history_read_input(struct input *, const struct format *, struct problem *);
/* The same, where what is left of the input may be nothing. */
struct history *history_read_rest(struct input *, const struct format *, struct problem *);
/* Which field of a log's records is what (mapped.c): "process=client,call=start,return=end,op=cmd,key=k,value=v". NULL
 * with the problem. */
struct mapping;
struct mapping *mapping_new(struct mem *, const char *, struct problem *);
bool mapping_parse(struct mem *, const char *, struct mapping *, struct problem *);
/* A log in JSON, comma- or tab-separated values or logfmt, by a mapping. */
struct history *history_read_mapped(struct mem *, const char *path, const struct mapping *, struct problem *);
struct history *history_read_mapped_input(struct input *, const struct mapping *, struct problem *);
extern const struct format format_mapped;
/* Reads path into a new, empty history that has a follower: the events go there, and it keeps none. False with the
 * problem, which says nothing where the follower itself ended the reading. */
bool history_follow(struct history *, const char *path, const struct format *, struct problem *);
bool history_follow_input(struct history *, struct input *, const struct format *,
                          struct problem *); /* which it closes */
/* Writes path ("-" is standard output), compressed if it ends in .gz or .zst. */
bool history_write(const struct history *, const char *path, const struct format *, struct problem *);

#endif
