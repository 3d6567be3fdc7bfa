/* The memory of C11 (RC11 with C++20's release sequences, where no load reads from a later store of its own thread), as
 * a machine of messages and views (Kang et al. 2017, A promising semantics for relaxed-memory concurrency, without
 * promises).
 *
 * A location has its stores in modification order, the messages. A view says of each location which message is the
 * oldest that may still be read; a message carries the view that its store released. A thread has three: what it has
 * seen (cur), what an acquire fence would add (acq: the views of all messages that it read), and what was so at its
 * last release fence (rel). A load reads any message that is not below cur; a store goes anywhere above cur, but never
 * between a message and the read-modify-write that read it. A seq_cst fence joins the thread's view with one that all
 * such fences share.
 *
 * Places of messages are ranks: 0 is the oldest that some thread may still read. Older ones are dropped, so a location
 * that all threads have seen the last store of is as in sequentially consistent memory: it is not in the tables, its
 * value is in its cell, and all ranks of it are 0. The cell always has the last message's value.
 *
 * Happens-before is what data races are judged by, and it is less than having seen: a relaxed load sees a store, and a
 * fence shares what was seen, but neither orders what came before the store. So views have marks too, which only
 * releases hand on: an access, and whether whoever has the view comes after it. A mark that all threads have is
 * dropped. There is one for an object from when others can first know of it, one for the last plain store to a cell,
 * and, where cells are found to need them (weak_tracks), for each thread's last plain load of a cell, atomic access to
 * it, and access to an object that is freed. */
#include "verify/views.h"

static size_t used(const struct views *v) {
  return offsetof(struct views, message) + v->messages * sizeof(struct message);
}
static void copy(const struct machine *m, const void *from, void *to) {
  (void)m;
  memcpy(to, from, used(from));
}
static bool same(const struct machine *m, const void *a, const void *b) {
  (void)m;
  return used(a) == used(b) && !memcmp(a, b, used(a));
}

/* Places and messages. */

int views_find_place(const struct views *v, uint32_t object, uint32_t cell) {
  for (int i = 0; i < v->places; i++)
    if (v->place[i].object == object && v->place[i].cell == cell) return i;
  return -1;
}

/* Takes out messages from..to-1 of the place; no view has a rank between. */
static void views_drop_messages(const struct machine *m, struct views *v, unsigned place, unsigned from, unsigned to) {
  struct spot *p = &v->place[place];
  unsigned count = to - from;
  EACH_VIEW(m, v, i) {
    uint8_t *rank = &nth_view(m, v, i)->rank[place];
    *rank = (uint8_t)(*rank >= to ? *rank - count : *rank > from ? from : *rank);
  }
  memmove(&v->message[p->first + from], &v->message[p->first + to], (v->messages - p->first - to) * sizeof *v->message);
  v->messages = (uint8_t)(v->messages - count);
  p->count = (uint8_t)(p->count - count);
  for (unsigned i = place + 1; i < v->places; i++) v->place[i].first = (uint8_t)(v->place[i].first - count);
}

/* From now on all threads see the last message alone, and it releases nothing. */
void views_drop_place(const struct machine *m, struct views *v, unsigned place) {
  if (v->place[place].count > 1) views_drop_messages(m, v, place, 0, last_of(v, place));
  unsigned first = v->place[place].first;
  memmove(&v->message[first], &v->message[first + 1], (v->messages - first - 1u) * sizeof *v->message);
  v->messages--;
  for (unsigned i = place; i + 1u < v->places; i++) {
    v->place[i] = v->place[i + 1];
    v->place[i].first--;
  }
  v->places--;
  EACH_VIEW(m, v, i) {
    uint8_t *rank = nth_view(m, v, i)->rank;
    memmove(rank + place, rank + place + 1, v->places - place);
    rank[v->places] = 0;
  }
}

void views_drop_mark(const struct machine *m, struct views *v, unsigned mark) {
  uint64_t below = ((uint64_t)1 << mark) - 1;
  for (unsigned i = mark; i + 1u < v->marks; i++) v->mark[i] = v->mark[i + 1];
  v->marks--;
  EACH_VIEW(m, v, i) {
    uint64_t *marks = &nth_view(m, v, i)->marks;
    *marks = (*marks & below) | (*marks >> 1 & ~below);
  }
}

/* An object that no thread can name any more: states that are packed are without it anyway. */
static void reach(const struct machine *m, const struct machine_state *s, word w, uint8_t *reached) {
  if (!word_is_pointer(w) || reached[word_object(w)]) return;
  const struct object *o = &state_objects(m, s)[word_object(w)];
  reached[word_object(w)] = 1;
  if (o->life == LIFE_CONSTANT || o->life == LIFE_FORGOTTEN) return;
  for (uint32_t i = 0; i < o->count; i++) reach(m, s, state_cells(m, s)[o->first + i], reached);
  const struct views *v = views_of(m, s);
  for (unsigned p = 0; p < v->places; p++)
    for (unsigned k = 0; v->place[p].object == word_object(w) && k < v->place[p].count; k++)
      reach(m, s, v->message[v->place[p].first + k].value, reached);
}

void views_drop_unreachable(const struct machine *m, struct machine_state *s) {
  struct views *v = views_of(m, s);
  uint8_t *reached = m->reached;
  memset(reached, 0, s->objects);
  for (uint32_t i = 0; i < m->globals; i++) reach(m, s, word_pointer(i, 0), reached);
  for (unsigned t = 0; t < m->system.threads; t++) {
    const word *r = state_registers(m, s, t);
    for (unsigned i = 0; s->threads[t].pc && i < m->regs; i++) reach(m, s, r[i], reached);
    for (unsigned i = 0; i < m->own_words; i++) reach(m, s, state_own(m, s, t)[i], reached);
  }
  for (unsigned i = v->places; i-- > 0;)
    if (!reached[v->place[i].object]) views_drop_place(m, v, i);
  for (unsigned i = v->marks; i-- > 0;)
    if (!reached[v->mark[i].object]) views_drop_mark(m, v, i);
}

unsigned views_add_place(const struct machine *m, const struct machine_state *s, uint32_t object, uint32_t cell) {
  struct views *v = views_of(m, s);
  const struct object *o = &state_objects(m, s)[object];
  v->place[v->places] = (struct spot){object, cell, v->messages, 1};
  v->message[v->messages++] = (struct message){.value = cell == CELL_FREED ? 0 : state_cells(m, s)[o->first + cell]};
  return v->places++;
}

/* A new message with this rank; the view is empty. */
struct message *views_insert_message(const struct machine *m, struct views *v, unsigned place, unsigned rank) {
  struct spot *p = &v->place[place];
  struct message *at = &v->message[p->first + rank];
  EACH_VIEW(m, v, i) {
    uint8_t *r = &nth_view(m, v, i)->rank[place];
    if (*r >= rank) ++*r;
  }
  memmove(at + 1, at, (size_t)(&v->message[v->messages] - at) * sizeof *at);
  v->messages++;
  p->count++;
  for (unsigned i = place + 1; i < v->places; i++) v->place[i].first++;
  memset(at, 0, sizeof *at);
  return at;
}

/* Marks. */

static int find_mark(const struct views *v, enum mark_kind kind, uint32_t object, uint32_t cell, unsigned thread) {
  for (int i = 0; i < v->marks; i++) {
    const struct mark *k = &v->mark[i];
    if (k->kind == kind && k->object == object && k->cell == cell && k->thread == thread) return i;
  }
  return -1;
}

/* Something new that only this thread comes after. False: there is no room, which `settle` finds too. */
bool views_set_mark(const struct machine *m, struct machine_state *s, enum mark_kind kind, uint32_t object,
                    uint32_t cell, unsigned thread, const struct inst *by) {
  struct views *v = views_of(m, s);
  int at = find_mark(v, kind, object, cell, thread);
  if (at < 0 && v->marks == MARKS_MOST) return !(v->full = true);
  if (at < 0) at = v->marks++;
  v->mark[at] = (struct mark){object, cell, (uint8_t)kind, (uint8_t)thread, by};
  uint64_t bit = (uint64_t)1 << at;
  EACH_VIEW(m, v, i) nth_view(m, v, i)->marks &= ~bit;
  cur_of(v, thread)->marks |= bit;
  acq_of(v, thread)->marks |= bit;
  return true;
}

/* Marks of one kind, of any thread. */
void views_drop_marks(const struct machine *m, struct views *v, enum mark_kind kind, uint32_t object, uint32_t cell) {
  for (unsigned i = v->marks; i-- > 0;)
    if (v->mark[i].kind == kind && v->mark[i].object == object && v->mark[i].cell == cell) views_drop_mark(m, v, i);
}

/* What does not matter any more. */

static bool is_live(const struct machine *m, const struct machine_state *s, unsigned thread) {
  const struct thread *t = &s->threads[thread];
  return t->pc || (m->client[thread].call_count && (!m->options.ops || t->left));
}

/* Messages that no thread can read any more. */
static bool drop_old(const struct machine *m, const struct machine_state *s, struct views *v, unsigned place) {
  unsigned least = last_of(v, place);
  for (unsigned t = 0; t < m->system.threads; t++)
    if (is_live(m, s, t) && cur_of(v, t)->rank[place] < least) least = cur_of(v, t)->rank[place];
  if (!least) return false;
  views_drop_messages(m, v, place, 0, least);
  message_of(v, place, 0)->attached = false;
  return true;
}

static bool views_equal(const struct views *v, const struct view *a, const struct view *b, unsigned but) {
  bool equal = a->marks == b->marks && !memcmp(a->fences, b->fences, sizeof a->fences) &&
               !memcmp(a->after, b->after, sizeof a->after);
  for (unsigned i = 0; equal && i < v->places; i++) equal = i == but || a->rank[i] == b->rank[i];
  return equal;
}

/* A read-modify-write that changed nothing: who reads one of the two messages learns what the other one says, and no
 * store comes between. So a thread that tries to lock with an exchange does not make ever more of them. */
static bool drop_repeated(const struct machine *m, struct views *v, unsigned place) {
  for (unsigned k = 1; k <= last_of(v, place); k++) {
    const struct message *a = message_of(v, place, k - 1), *b = a + 1;
    if (!b->attached || a->value != b->value || !views_equal(v, &a->view, &b->view, place)) continue;
    bool attached = a->attached;
    views_drop_messages(m, v, place, k - 1, k); /* the older one: readers of it now have the newer one's rank */
    message_of(v, place, k - 1)->attached = attached;
    message_of(v, place, k - 1)->view.rank[place] = (uint8_t)(k - 1);
    return true;
  }
  return false;
}

static bool drop_known(const struct machine *m, const struct machine_state *s, struct views *v) {
  uint64_t all = ~(uint64_t)0;
  bool dropped = false;
  for (unsigned t = 0; t < m->system.threads; t++)
    if (is_live(m, s, t)) all &= cur_of(v, t)->marks;
  for (unsigned i = v->marks; i-- > 0;) {
    uint8_t life = state_objects(m, s)[v->mark[i].object].life;
    if (!(all >> i & 1) && life != LIFE_ENDED) continue;
    views_drop_mark(m, v, i);
    dropped = true;
  }
  return dropped;
}

/* Of the numbers of fences only the order matters, and whether all threads come after one: they are made small. */
static void drop_fences(const struct machine *m, const struct machine_state *s, struct views *v) {
  for (unsigned f = 0; f < m->system.threads; f++) {
    uint8_t all = UINT8_MAX, small[UINT8_MAX + 1] = {0}, next = 0;
    for (unsigned t = 0; t < m->system.threads; t++)
      if (is_live(m, s, t) && cur_of(v, t)->fences[f] < all) all = cur_of(v, t)->fences[f];
    EACH_VIEW(m, v, i) small[nth_view(m, v, i)->fences[f]] = small[nth_view(m, v, i)->after[f]] = 1;
    for (unsigned n = 0; n <= UINT8_MAX; n++) small[n] = n <= all ? 0 : small[n] ? ++next : 0;
    if (!next && !all) continue;
    EACH_VIEW(m, v, i) {
      struct view *w = nth_view(m, v, i);
      w->fences[f] = small[w->fences[f]];
      w->after[f] = small[w->after[f]];
    }
  }
}

static bool settle(struct machine *m, struct machine_state *s) {
  struct views *v = views_of(m, s);
  bool again = !v->full;
  for (unsigned t = 0; t < m->system.threads; t++) {
    if (!m->acquires || !is_live(m, s, t)) *acq_of(v, t) = (struct view){0};
    if (!is_live(m, s, t)) *cur_of(v, t) = *rel_of(v, t) = (struct view){0};
  }
  if (m->counts_sc) drop_fences(m, s, v);
  while (again) {
    again = drop_known(m, s, v);
    for (unsigned i = v->places; i-- > 0;) {
      again |= drop_old(m, s, v, i);
      while (drop_repeated(m, v, i)) again = true;
      if (v->place[i].count > 1 || !is_empty(v, &message_of(v, i, 0)->view)) continue;
      views_drop_place(m, v, i);
      again = true;
    }
  }
  return !v->full;
}

static bool alike(const struct machine *m, const struct machine_state *s, unsigned a, unsigned b) {
  struct views *v = views_of(m, s);
  for (unsigned i = 0; i < v->marks; i++)
    if (names_thread(&v->mark[i]) && (v->mark[i].thread == a || v->mark[i].thread == b)) return false;
  for (unsigned i = 0; i < 3; i++)
    if (!views_equal(v, cur_of(v, a) + i, cur_of(v, b) + i, PLACES_MOST)) return false;
  return true;
}

const struct weak_model weak_views = {.size = sizeof(struct views),
                                      .copy = copy,
                                      .same = same,
                                      .alike = alike,
                                      .access = views_access,
                                      .fence = views_fence,
                                      .before_lock = views_before_lock,
                                      .lock = views_lock,
                                      .call = views_call,
                                      .returns = views_return,
                                      .publish = views_publish,
                                      .allocated = views_allocated,
                                      .freed = views_freed,
                                      .settle = settle,
                                      .put_rest = views_put,
                                      .get_rest = views_get};
