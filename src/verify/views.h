/* The parts of the machine of C11's memory (views.c): what it keeps. */
#ifndef ASIF_VERIFY_VIEWS_H
#define ASIF_VERIFY_VIEWS_H

#include "verify/digits.h"
#include "verify/weak.h"

enum { PLACES_MOST = 32, MESSAGES_MOST = 96, MARKS_MOST = 64 };

struct view {
  uint64_t marks; /* a bit each */
  uint8_t rank[PLACES_MOST];
  /* How many seq_cst fences and accesses of each thread happen before it; how many come before it in program order and
   * reads-from. Counted only where that may differ (machine.counts_sc), from what all threads come after. */
  uint8_t fences[THREADS_MOST], after[THREADS_MOST];
};

struct message {
  word value;
  struct view view;
  const struct inst *by; /* the store, and its thread; for telling, and not known of a state that was packed; or NULL */
  uint8_t thread;
  bool attached; /* it is of a read-modify-write, which read the message before it */
};

#define CELL_FREED UINT32_MAX /* of an object that was freed: what malloc comes after that gives it again */
struct spot {
  uint32_t object, cell;
  uint8_t first, count; /* of the messages */
};

enum mark_kind {
  MARK_BORN,         /* others can know of the object; who does not come after that must not access it */
  MARK_STORE,        /* the last plain store */
  MARK_LOAD,         /* a thread's last plain load, since then */
  MARK_ATOMIC_STORE, /* a thread's last atomic store, */
  MARK_ATOMIC_LOAD,  /* ... load */
  MARK_USE           /* a thread's last access to the object */
};
struct mark {
  uint32_t object, cell;
  uint8_t kind, thread;
  const struct inst *by; /* as of a message */
};

/* Views, in this order; of thread t from VIEW_THREADS + 3 * t on. */
enum {
  VIEW_FENCES,    /* what seq_cst fences share: what was seen before one */
  VIEW_SC_STORES, /* the last seq_cst store to each location, where such accesses are ordered as they run */
  VIEW_RETURNED,  /* what operations that have returned came to */
  VIEW_THREADS
};
enum { VIEWS_MOST = VIEW_THREADS + 3 * THREADS_MOST };

struct views {
  uint8_t places, messages, marks;
  bool full; /* there was no room for a mark */
  struct view view[VIEWS_MOST];
  struct spot place[PLACES_MOST];
  struct mark mark[MARKS_MOST];
  struct message message[MESSAGES_MOST]; /* of the first place, of the second, ...: in modification order */
};

static inline struct views *views_of(const struct machine *m, const struct machine_state *s) {
  return state_weak(m, s);
}
static inline struct view *cur_of(struct views *v, unsigned thread) { return &v->view[VIEW_THREADS + 3 * thread]; }
static inline struct view *acq_of(struct views *v, unsigned thread) { return cur_of(v, thread) + 1; }
static inline struct view *rel_of(struct views *v, unsigned thread) { return cur_of(v, thread) + 2; }
static inline unsigned view_count(const struct machine *m) { return VIEW_THREADS + 3 * m->system.threads; }

/* All views: those of threads and the two that are shared, then those of messages. */
static inline struct view *nth_view(const struct machine *m, struct views *v, unsigned i) {
  unsigned fixed = view_count(m);
  return i < fixed ? &v->view[i] : &v->message[i - fixed].view;
}
#define EACH_VIEW(m, v, i) for (unsigned i = 0; i < view_count(m) + (v)->messages; i++)

static inline bool is_empty(const struct views *v, const struct view *w) {
  uint8_t any = 0;
  for (unsigned i = 0; i < v->places; i++) any |= w->rank[i];
  for (unsigned i = 0; i < THREADS_MOST; i++) any |= w->fences[i] | w->after[i];
  return !any && !w->marks;
}

static inline void join_ranks(const struct views *v, struct view *to, const struct view *from) {
  for (unsigned i = 0; i < v->places; i++)
    if (from->rank[i] > to->rank[i]) to->rank[i] = from->rank[i];
}
static inline void join_counts(uint8_t *to, const uint8_t *from) {
  for (unsigned i = 0; i < THREADS_MOST; i++) to[i] = to[i] > from[i] ? to[i] : from[i];
}
static inline void join(const struct views *v, struct view *to, const struct view *from) {
  to->marks |= from->marks;
  join_counts(to->fences, from->fences);
  join_counts(to->after, from->after);
  join_ranks(v, to, from);
}

static inline struct message *message_of(struct views *v, unsigned place, unsigned rank) {
  return &v->message[v->place[place].first + rank];
}
static inline unsigned last_of(const struct views *v, unsigned place) { return v->place[place].count - 1u; }

/* True if the mark is of one thread among several that may have one. */
static inline bool names_thread(const struct mark *k) { return k->kind != MARK_BORN && k->kind != MARK_STORE; }

/* views.c */
int views_find_place(const struct views *, uint32_t object, uint32_t cell); /* -1: there is none */
unsigned views_add_place(const struct machine *, const struct machine_state *, uint32_t object, uint32_t cell);
/* From now on all threads see the last message alone, and it releases nothing. */
void views_drop_place(const struct machine *, struct views *, unsigned place);
/* A new message with this rank; its view is empty. */
struct message *views_insert_message(const struct machine *, struct views *, unsigned place, unsigned rank);
/* Something new that only `thread` comes after. False: there is no room, which `settle` finds too. */
bool views_set_mark(const struct machine *, struct machine_state *, enum mark_kind, uint32_t object, uint32_t cell,
                    unsigned thread, const struct inst *by);
void views_drop_mark(const struct machine *, struct views *, unsigned mark);
void views_drop_marks(const struct machine *, struct views *, enum mark_kind, uint32_t object, uint32_t cell);
/* Objects that no thread can name any more are left out, as states that are packed are without them. */
void views_drop_unreachable(const struct machine *, struct machine_state *);

/* views_access.c: as in struct weak_model. */
enum ended views_access(struct run *, const struct inst *, word at);
enum ended views_fence(struct run *, const struct inst *);
enum ended views_before_lock(struct run *, const struct inst *, word at);
void views_lock(struct run *, const struct inst *, word at);
void views_call(struct run *);
void views_return(struct run *);
void views_publish(const struct machine *, struct machine_state *, uint32_t object, uint8_t owner);
enum ended views_allocated(struct run *, const struct inst *, uint32_t object, bool again);
enum ended views_freed(struct run *, const struct inst *, uint32_t object);
/* views_pack.c */
unsigned char *views_put(struct packer *, unsigned char *at, const uint8_t *from);
const unsigned char *views_get(struct unpacker *, const unsigned char *at);

#endif
