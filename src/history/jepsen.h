/* Jepsen events, whatever file they come from: EDN, JSON or a log. */
#ifndef ASIF_HISTORY_JEPSEN_H
#define ASIF_HISTORY_JEPSEN_H

#include "history/history.h"
#include "history/input.h"
#include "history/lines.h"
#include "history/scan.h"

enum jepsen_type { JEPSEN_NONE, JEPSEN_INVOKE, JEPSEN_OK, JEPSEN_FAIL, JEPSEN_INFO };

struct jepsen_event {
  enum jepsen_type type;
  bool nemesis; /* its process is the nemesis, which is no client */
  bool named;   /* its process has a name that is no number: `process` is an index into jepsen.strangers */
  bool has_process, has_f, has_key, has_value, has_time, has_args, has_result, has_object;
  uint32_t process, f, object;
  value key, value, args, result;
  struct event_time time;
  uint64_t line, column; /* where it starts */
  struct {
    uint64_t line, column; /* 0: there is none */
    char text[41];
  } bad_type; /* what stands after :type, if it is none */
};

/* A process with a name. It is no client as long as it has nothing but :info. */
struct stranger {
  uint32_t process; /* index into history.processes + 1; 0: it has not called */
  uint64_t info;    /* line of its first :info, 0 if there is none */
};

struct jepsen {
  struct history *h;
  struct input *in;
  struct problem *problem;
  struct scan scan;
  struct name_cache processes, methods, objects, names;
  VEC(struct stranger) strangers; /* one for each of names */
  uint32_t object;                /* of events that name none */
  uint64_t events;
};

void jepsen_open(struct jepsen *, struct input *, struct history *, enum scan_syntax, struct problem *);
enum jepsen_type jepsen_type_named(const char *, size_t len);
void jepsen_process(struct jepsen *, struct jepsen_event *, const char *, size_t len);
bool jepsen_add(struct jepsen *, struct jepsen_event *);
bool jepsen_finish(struct jepsen *);

/* A whole EDN or JSON file. */
bool jepsen_read(struct input *, struct history *, enum scan_syntax, struct problem *);
bool jepsen_write(const struct history *, struct text *, enum scan_syntax, bool (*flush)(struct text *, void *),
                  void *);

#endif
