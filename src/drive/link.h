/* A connection over a socket, or pipes to a program, that is read by lines; everything has a deadline. */
#ifndef ASIF_DRIVE_LINK_H
#define ASIF_DRIVE_LINK_H

#include "drive/drive.h"

enum { LINK_ROOM = 1 << 16 };
struct link {
  int in, out; /* -1: not connected */
  size_t first, count;
  char at[LINK_ROOM];                     /* what has come and was not read is at[first .. first + count] */
  char bytes[LINK_ROOM], body[LINK_ROOM]; /* what link_bytes gave, and what a protocol makes of it */
  char said[120];                         /* what went wrong last */
  bool closed;                            /* by the other side */
  bool sent;                              /* something of the request has gone: it may have been understood */
};
void link_reset(struct link *);
void link_close(struct link *);
bool link_connect(struct link *, const struct endpoint *, double deadline);
bool link_send(struct link *, const char *bytes, size_t count, double deadline);
/* The next line, without its end; valid until the next call. NULL: said. */
char *link_line(struct link *, double deadline);
char *link_bytes(struct link *, size_t count, double deadline); /* so many, and a zero after them */
/* What becomes of a request whose link failed: one that could not be sent did not happen. */
void link_failed(struct link *, const struct request *, struct answer *);

#endif
