/* Column files: an operation a line, with the times of its call and its return. */
#ifndef ASIF_HISTORY_COLUMNS_H
#define ASIF_HISTORY_COLUMNS_H

#include "history/format.h"
#include "history/lines.h"

enum { COLUMNS_MOST = 10 };

struct columns {
  struct lines lines;
  uint32_t object;
  int count;                 /* columns on this line */
  char *at[COLUMNS_MOST];    /* where each starts ... */
  char *end[COLUMNS_MOST];   /* ... and ends */
  VEC(unsigned char) places; /* of each method: where its values belong */
};

struct columns *columns_open(struct input *, struct history *, struct problem *);
/* The next line with columns, taken apart. False at the end, and on a problem, when *bad is set. */
bool columns_next(struct columns *, bool *bad);
bool columns_number(const struct columns *, int column); /* is it a whole number? */
/* Adds the operation on this line: its method, its values in columns [from, to), its times. */
bool columns_add(struct columns *, uint32_t process, int method, int from, int to, int start, int end);

/* Method and values, as columns_add reads them; where each method's values belong is worked out once. */
unsigned char *columns_places(const struct history *, struct mem *);
void columns_put_values(const struct history *, const struct op *, const unsigned char *places, struct text *);
/* The time of an event: as read from a column file, else its number. processes: they are written too, so that what
 * touches need not be set apart. */
int64_t columns_time(const struct history *, const struct op *, bool end, bool processes);

#endif
