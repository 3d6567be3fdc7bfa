/* The memory of x86 (TSO; Owens, Sarkar and Sewell 2009): a thread's stores wait in a buffer, first in, first out, and
 * its loads look there first. A store reaches memory in a move of its own, whenever it likes. What is locked
 * (read-modify- writes, seq_cst stores, which are exchanges), a seq_cst fence, mutexes and ASIF_ATOMIC wait until the
 * buffer is empty.
 *
 * What only one thread has ever been able to reach is written at once: who comes to know of it reads a store that was
 * buffered later. A freed block is given to others only after the stores that the thread made before: free is an entry
 * of the buffer, too. Data races are looked for as without buffers (race.c), where the access is made. */
#include "verify/digits.h"
#include "verify/weak.h"

enum { BUFFERED_MOST = 16 }; /* of a thread */
#define CELL_FREED CELL_PAST

struct buffered {
  word at; /* the cell; of a block that was freed its address, moved by CELL_FREED */
  word value;
  bool more;             /* the next one reaches memory together with it */
  const struct inst *by; /* for telling, and not known of a state that was packed; or NULL */
};

struct buffers {
  uint8_t count[THREADS_MOST];
  struct buffered store[THREADS_MOST][BUFFERED_MOST];
};

static struct buffers *buffers_of(const struct machine *m, const struct machine_state *s) { return state_weak(m, s); }

static void copy(const struct machine *m, const void *from, void *to) {
  const struct buffers *a = from;
  struct buffers *b = to;
  memcpy(b->count, a->count, sizeof a->count);
  for (unsigned t = 0; t < m->system.threads; t++) memcpy(b->store[t], a->store[t], a->count[t] * sizeof *a->store[t]);
}

static bool equal(const struct buffers *a, unsigned t, const struct buffers *b, unsigned u) {
  bool same = a->count[t] == b->count[u];
  for (unsigned i = 0; same && i < a->count[t]; i++) {
    const struct buffered *x = &a->store[t][i], *y = &b->store[u][i];
    same = x->at == y->at && x->value == y->value && x->more == y->more;
  }
  return same;
}
static bool same(const struct machine *m, const void *a, const void *b) {
  bool good = true;
  for (unsigned t = 0; good && t < m->system.threads; t++) good = equal(a, t, b, t);
  return good;
}
static bool alike(const struct machine *m, const struct machine_state *s, unsigned a, unsigned b) {
  return equal(buffers_of(m, s), a, buffers_of(m, s), b);
}

static bool pending(const struct machine *m, const struct machine_state *s, unsigned thread) {
  return buffers_of(m, s)->count[thread] != 0;
}

static enum ended drained(struct run *run) {
  return run->op && pending(run->machine, run->state, run->thread) ? WAIT : GO_ON;
}

/* The newest store of the thread to this cell; NULL. */
static const struct buffered *newest(const struct run *run, word at) {
  const struct buffers *b = buffers_of(run->machine, run->state);
  for (unsigned i = b->count[run->thread]; i-- > 0;)
    if (b->store[run->thread][i].at == at) return &b->store[run->thread][i];
  return NULL;
}

static enum ended buffer(struct run *run, const struct inst *in, word at, word w, bool more) {
  struct buffers *b = buffers_of(run->machine, run->state);
  uint8_t *count = &b->count[run->thread];
  if (*count == BUFFERED_MOST) return step_fault(run, in, FAULT_RANGE, "more than 16 stores of a thread in its buffer");
  b->store[run->thread][(*count)++] = (struct buffered){at, w, more, in};
  return GO_ON;
}

static enum ended load(struct run *run, const struct inst *in, word at, word *to, bool *stale) {
  const struct object *o = &state_objects(run->machine, run->state)[word_object(at)];
  for (unsigned i = 0; i < in->count; i++) {
    word cell = at + ((word)i << 3);
    const struct buffered *own = newest(run, cell);
    word there = own ? own->value : state_cells(run->machine, run->state)[o->first + word_cell(at) + i];
    enum ended bad = weak_load(run, in, i, there, &to[i]);
    if (bad != GO_ON) return bad;
    *stale |= own != NULL;
  }
  return GO_ON;
}

static enum ended access_memory(struct run *run, const struct inst *in, word at) {
  struct machine *m = run->machine;
  bool atomic = weak_is_atomic(run, in), own = false;
  uint32_t object = word_object(at);
  int64_t from = word_cell(at), to = from + in->count;
  if (m->program->loose) loose_extent(m, run->state, run->r, in, &object, &from, &to);
  struct object *o = &state_objects(m, run->state)[word_object(at)];
  if (in->order == ORDER_VARIABLE) return step_fault(run, in, FAULT_RANGE, "a memory order in a variable");
  bool locked = in->code != I_LOAD && (in->code != I_STORE || (atomic && in->order == ORDER_SEQ_CST));
  if (run->atomic) return step_directly(run, in, at); /* its buffer is empty */
  if (locked) {
    enum ended bad = drained(run);
    return bad == GO_ON ? step_directly(run, in, at) : bad;
  }
  enum ended bad = GO_ON;
  if (in->code == I_LOAD) {
    word before[COUNT_MOST];
    bad = load(run, in, at, before, &own);
    if (bad == GO_ON) memcpy(run->r + in->d, before, in->count * sizeof *before);
    m->told = (struct told_source){.own = own};
    if (bad == GO_ON && m->tracer) step_trace(run, in, at, false, before, NULL, NULL, in->count);
  } else {
    for (unsigned i = 0; i < in->count && bad == GO_ON; i++) {
      if (!step_publish(run, o, run->r[in->b + i])) return step_fault(run, in, FAULT_FORGOTTEN, NULL);
      word w = weak_store(run, word_object(at), word_cell(at) + i, run->r[in->b + i]);
      bad = buffer(run, in, at + ((word)i << 3), w, atomic && i + 1u < in->count);
    }
    m->told = (struct told_source){.buffered = true};
    if (bad == GO_ON && m->tracer) step_trace(run, in, at, false, NULL, run->r + in->b, NULL, in->count);
  }
  if (bad != GO_ON) return bad;
  step_record(run, word_object(at), word_cell(at), in->count, in->code != I_LOAD);
  if (!m->races) return GO_ON;
  return step_race(run, in, object, from, to, in->code != I_LOAD);
}

static enum ended fence(struct run *run, const struct inst *in) {
  if (!run->op || in->op) return GO_ON;
  if (in->order == ORDER_VARIABLE) return step_fault(run, in, FAULT_RANGE, "a memory order in a variable");
  if (in->order != ORDER_SEQ_CST) return GO_ON;
  enum ended bad = drained(run);
  if (bad == GO_ON && run->machine->tracer) step_trace(run, in, word_pointer(0, 0), false, NULL, NULL, NULL, 0);
  return bad;
}

static enum ended before_lock(struct run *run, const struct inst *in, word at) {
  (void)in;
  return weak_is_own(&state_objects(run->machine, run->state)[word_object(at)], run->thread) ? GO_ON : drained(run);
}

/* The oldest store of the thread, with those that go with it. */
static enum moved flush(struct run *run) {
  struct machine *m = run->machine;
  struct buffers *b = buffers_of(m, run->state);
  bool more = true;
  while (more) {
    struct buffered *s = b->store[run->thread], first = *s;
    b->count[run->thread]--;
    memmove(s, s + 1, b->count[run->thread] * sizeof *s);
    more = first.more;
    const struct inst *in = first.by ? first.by : &m->program->code[run->state->threads[run->thread].pc];
    if (word_cell(first.at) == CELL_FREED) continue;
    struct object *o = &state_objects(m, run->state)[word_object(first.at)];
    if (o->life == LIFE_FREED || o->life == LIFE_ENDED)
      return step_fault_at(run, in, first.at, FAULT_FREED) == FAULT ? FAULTED : WAITS;
    word *cell = &state_cells(m, run->state)[o->first + word_cell(first.at)];
    step_changes(run->state, o);
    *cell = first.value;
    m->told = (struct told_source){.flushed = true};
    if (m->tracer && first.by) step_trace(run, first.by, first.at, false, NULL, cell, NULL, 1);
  }
  return MOVED;
}

/* The thread's own stores to it need not reach memory any more. */
static enum ended freed(struct run *run, const struct inst *in, uint32_t object) {
  struct buffers *b = buffers_of(run->machine, run->state);
  struct buffered *s = b->store[run->thread];
  unsigned kept = 0;
  if (!run->op) return GO_ON;
  for (unsigned i = 0; i < b->count[run->thread]; i++)
    if (word_object(s[i].at) != object) s[kept++] = s[i];
  b->count[run->thread] = (uint8_t)kept;
  if ((in->flags & FLAG_LOCAL) || !kept) return GO_ON;
  return buffer(run, in, word_pointer(object, CELL_FREED), 0, false);
}

static bool may_give(const struct run *run, uint32_t object) {
  const struct machine *m = run->machine;
  const struct buffers *b = buffers_of(m, run->state);
  for (unsigned t = 0; t < m->system.threads; t++)
    for (unsigned i = 0; t != run->thread && i < b->count[t]; i++)
      if (b->store[t][i].at == word_pointer(object, CELL_FREED)) return false;
  return true;
}

static enum ended allocated(struct run *run, const struct inst *in, uint32_t object, bool again) {
  struct buffers *b = buffers_of(run->machine, run->state);
  (void)in;
  for (unsigned i = 0; again && i < b->count[run->thread]; i++) /* its own free of it means nothing any more */
    if (b->store[run->thread][i].at == word_pointer(object, CELL_FREED)) {
      b->count[run->thread]--;
      memmove(&b->store[run->thread][i], &b->store[run->thread][i + 1],
              (b->count[run->thread] - i) * sizeof b->store[0][0]);
      i--;
    }
  return GO_ON;
}

static unsigned char *put_thread(struct packer *p, unsigned char *at, unsigned thread) {
  const struct buffers *b = buffers_of(packer_machine(p), packer_state(p));
  at = put_number(at, b->count[thread]);
  for (unsigned i = 0; i < b->count[thread]; i++) {
    const struct buffered *s = &b->store[thread][i];
    at = packer_word(p, at, word_pointer(word_object(s->at), 0));
    at = put_number(at, word_cell(s->at) == CELL_FREED ? 0 : ((uint64_t)word_cell(s->at) + 1) << 1 | s->more);
    at = packer_word(p, at, s->value);
  }
  return at;
}

static const unsigned char *get_thread(struct unpacker *u, const unsigned char *at, unsigned thread) {
  struct buffers *b = buffers_of(unpacker_machine(u), unpacker_state(u));
  uint64_t n;
  at = get_number(at, &n);
  b->count[thread] = (uint8_t)n;
  for (unsigned i = 0; i < b->count[thread]; i++) {
    struct buffered *s = &b->store[thread][i];
    *s = (struct buffered){.by = NULL};
    at = unpacker_word(u, at, &s->at);
    at = get_number(at, &n);
    s->more = n & 1;
    s->at = word_pointer(word_object(s->at), n ? (uint32_t)(n >> 1) - 1 : CELL_FREED);
    at = unpacker_word(u, at, &s->value);
  }
  return at;
}

const struct weak_model weak_buffers = {.size = sizeof(struct buffers),
                                        .copy = copy,
                                        .same = same,
                                        .alike = alike,
                                        .access = access_memory,
                                        .fence = fence,
                                        .drained = drained,
                                        .before_lock = before_lock,
                                        .allocated = allocated,
                                        .freed = freed,
                                        .may_give = may_give,
                                        .pending = pending,
                                        .flush = flush,
                                        .put_thread = put_thread,
                                        .get_thread = get_thread};
