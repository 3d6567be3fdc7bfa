/* Logs of any shape, by a mapping that says which field of a record is what: records as operations. See mapped.c. */
#ifndef ASIF_HISTORY_MAPPED_H
#define ASIF_HISTORY_MAPPED_H

#include "history/format.h"
#include "history/scan.h"

enum field {
  FIELD_PROCESS,
  FIELD_OP,
  FIELD_KEY,
  FIELD_OLD,
  FIELD_VALUE,
  FIELD_RESULT,
  FIELD_CALL,
  FIELD_RETURN,
  FIELD_STATUS,
  FIELD_TIME,
  FIELD_EVENT,
  FIELD_ID,
  FIELD_STATEMENT,
  FIELD_RECORDS, /* no field: where the records are */
  FIELDS
};

struct mapping {
  const char *path[FIELDS]; /* NULL: none */
};
extern const char *const field_names[FIELDS];

/* What a record says. */
struct fact {
  bool has, null;
  value value;
  size_t text, len; /* its characters, in mapped.chars */
};

struct mapped_op {
  struct event_time call, ret;
  uint32_t process, method;
  value args[OP_ARGS], result;
  int count;
  bool pending, failed;
  uint32_t line;
};

struct mapped {
  struct input *in;
  struct history *h;
  struct problem *problem;
  const struct mapping *map;
  struct fact at[FIELDS]; /* of this record */
  VEC(char) chars;
  uint64_t line, column; /* of this record */
  uint64_t records;
  bool found[FIELDS]; /* in any record */
  struct text names;  /* of the fields of the first record, for messages ... */
  bool named;         /* ... which a first line has told */
  VEC(struct mapped_op) ops;
  struct names *ids;  /* of event logs */
  VEC(uint32_t) open; /* by id: operation + 1 */
};

void mapped_begin(struct mapped *, uint64_t line, uint64_t column);
/* A field of the record that is an atom, or a list. The path is as the mapping has it. */
void mapped_field(struct mapped *, const char *path, size_t len, enum token, const char *chars, size_t count);
void mapped_name(struct mapped *, const char *path, size_t len); /* a field, for messages */
void mapped_list(struct mapped *, const char *path, size_t len, value);
bool mapped_wants(const struct mapped *, const char *path, size_t len);
bool mapped_end(struct mapped *);
bool mapped_bad(struct mapped *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The syntaxes. */
bool mapped_json(struct mapped *);
bool mapped_lines(struct mapped *);

#endif
