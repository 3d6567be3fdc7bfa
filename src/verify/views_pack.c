/* Memory of C11 (views.c) in packed states: places and marks by the names of their objects, then the views. */
#include "verify/views.h"

struct order {
  uint8_t place[PLACES_MOST], mark[MARKS_MOST];
  unsigned places, marks;
  uint8_t thread[THREADS_MOST]; /* which a thread is now */
  const uint8_t *from;          /* the other way round; NULL: as it was */
  unsigned fences;              /* threads whose fences are counted */
};

static unsigned char *put_view(const struct order *o, unsigned char *at, const struct view *w) {
  unsigned char *begin = at++;
  unsigned bits = 0, n = 0, any = 0;
  for (unsigned i = 0; i < o->places; i++) {
    at = put_number(at, w->rank[o->place[i]]);
    any |= w->rank[o->place[i]];
  }
  for (unsigned i = 0; i < o->marks; i++) {
    bits |= (unsigned)(w->marks >> o->mark[i] & 1) << n++;
    any |= bits;
    if (n < 4 && i + 1 < o->marks) continue;
    *at++ = (unsigned char)bits;
    bits = n = 0;
  }
  for (unsigned i = 0; i < o->fences; i++) {
    unsigned t = o->from ? o->from[i] : i;
    at = put_number(put_number(at, w->fences[t]), w->after[t]);
    any |= w->fences[t] | w->after[t];
  }
  *begin = any != 0;
  return any ? at : begin + 1;
}

static const unsigned char *get_view(const struct views *v, unsigned fences, const unsigned char *at, struct view *w) {
  *w = (struct view){0};
  if (!*at++) return at;
  for (unsigned i = 0; i < v->places; i++) {
    uint64_t n;
    at = get_number(at, &n);
    w->rank[i] = (uint8_t)n;
  }
  for (unsigned i = 0; i < v->marks; i += 4) w->marks |= (uint64_t)*at++ << i;
  for (unsigned i = 0; i < fences; i++) {
    uint64_t n, after;
    at = get_number(get_number(at, &n), &after);
    w->fences[i] = (uint8_t)n;
    w->after[i] = (uint8_t)after;
  }
  return at;
}

/* The place of this object with the next cell after the last one that was put; -1. */
static int next_place(const struct views *v, uint32_t object, int64_t after) {
  int found = -1;
  for (int i = 0; i < v->places; i++)
    if (v->place[i].object == object && v->place[i].cell > after &&
        (found < 0 || v->place[i].cell < v->place[found].cell))
      found = i;
  return found;
}

static unsigned char *put_places(struct packer *p, unsigned char *at, const struct views *v, struct order *o) {
  for (uint32_t name = 0; name < packer_known(p); name++) {
    uint32_t object = packer_object(p, name);
    int64_t cell = -1;
    for (int i; (i = next_place(v, object, cell)) >= 0; cell = v->place[i].cell) {
      const struct spot *s = &v->place[i];
      o->place[o->places++] = (uint8_t)i;
      at = put_number(at, (uint64_t)name + 1);
      at = put_number(at, s->cell == CELL_FREED ? 0 : (uint64_t)s->cell + 1);
      at = put_number(at, s->count);
      for (unsigned k = 0; k < s->count; k++) {
        const struct message *message = &v->message[s->first + k];
        *at++ = message->attached;
        if (k + 1u < s->count) at = packer_word(p, at, message->value);
      }
      at = packer_objects(p, at);
    }
  }
  return put_number(at, 0);
}

static bool mark_less(const struct views *v, const struct order *o, uint8_t a, uint8_t b) {
  const struct mark *x = &v->mark[a], *y = &v->mark[b];
  if (x->cell != y->cell) return x->cell < y->cell;
  if (x->kind != y->kind) return x->kind < y->kind;
  return o->thread[x->thread] < o->thread[y->thread];
}

static unsigned char *put_marks(struct packer *p, unsigned char *at, const struct views *v, struct order *o) {
  for (uint32_t name = 0; name < packer_known(p); name++) {
    unsigned first = o->marks;
    for (unsigned i = 0; i < v->marks; i++) {
      if (v->mark[i].object != packer_object(p, name)) continue;
      unsigned k = o->marks++;
      for (; k > first && mark_less(v, o, (uint8_t)i, o->mark[k - 1]); k--) o->mark[k] = o->mark[k - 1];
      o->mark[k] = (uint8_t)i;
    }
    for (unsigned i = first; i < o->marks; i++) {
      const struct mark *k = &v->mark[o->mark[i]];
      at = put_number(at, (uint64_t)name + 1);
      at = put_number(at, k->cell);
      at = put_number(at, k->kind);
      at = put_number(at, names_thread(k) ? o->thread[k->thread] : 0);
    }
  }
  return put_number(at, 0);
}

unsigned char *views_put(struct packer *p, unsigned char *at, const uint8_t *from) {
  const struct machine *m = packer_machine(p);
  const struct machine_state *s = packer_state(p);
  struct views *v = views_of(m, s);
  unsigned threads = m->system.threads;
  struct order o = {.from = from, .fences = m->counts_sc ? threads : 0};
  for (unsigned t = 0; t < threads; t++) o.thread[from ? from[t] : t] = (uint8_t)t;
  at = put_places(p, at, v, &o);
  at = put_marks(p, at, v, &o);
  if (!o.places && !o.marks && !o.fences) return at;
  for (unsigned i = 0; i < o.places; i++)
    for (unsigned k = 0; k < v->place[o.place[i]].count; k++)
      at = put_view(&o, at, &message_of(v, o.place[i], k)->view);
  for (unsigned i = 0; i < VIEW_THREADS; i++) at = put_view(&o, at, &v->view[i]);
  for (unsigned t = 0; t < threads; t++)
    for (unsigned i = 0; i < 3; i++) at = put_view(&o, at, cur_of(v, from ? from[t] : t) + i);
  return at;
}

static const unsigned char *get_places(struct unpacker *u, const unsigned char *at, struct views *v) {
  uint64_t name, n;
  for (;;) {
    at = get_number(at, &name);
    if (!name) return at;
    struct spot *s = &v->place[v->places++];
    *s = (struct spot){.object = (uint32_t)name - 1, .first = v->messages};
    at = get_number(at, &n);
    s->cell = n ? (uint32_t)n - 1 : CELL_FREED;
    at = get_number(at, &n);
    s->count = (uint8_t)n;
    for (unsigned k = 0; k < s->count; k++) {
      struct message *message = &v->message[v->messages++];
      memset(message, 0, sizeof *message);
      message->attached = *at++;
      if (k + 1u < s->count) at = unpacker_word(u, at, &message->value);
    }
    at = unpacker_objects(u, at);
  }
}

const unsigned char *views_get(struct unpacker *u, const unsigned char *at) {
  const struct machine *m = unpacker_machine(u);
  struct machine_state *s = unpacker_state(u);
  struct views *v = views_of(m, s);
  uint64_t name, n;
  v->places = v->messages = v->marks = 0;
  memset(v->view, 0, view_count(m) * sizeof *v->view);
  at = get_places(u, at, v);
  for (;;) {
    at = get_number(at, &name);
    if (!name) break;
    struct mark *k = &v->mark[v->marks++];
    *k = (struct mark){.object = (uint32_t)name - 1};
    at = get_number(at, &n);
    k->cell = (uint32_t)n;
    at = get_number(at, &n);
    k->kind = (uint8_t)n;
    at = get_number(at, &n);
    k->thread = (uint8_t)n;
  }
  for (unsigned i = 0; i < v->places; i++) {
    const struct spot *p = &v->place[i];
    if (p->cell == CELL_FREED) continue;
    message_of(v, i, last_of(v, i))->value = state_cells(m, s)[state_objects(m, s)[p->object].first + p->cell];
  }
  unsigned fences = m->counts_sc ? m->system.threads : 0;
  if (!v->places && !v->marks && !fences) return at;
  for (unsigned i = 0; i < v->messages; i++) at = get_view(v, fences, at, &v->message[i].view);
  for (unsigned i = 0; i < view_count(m); i++) at = get_view(v, fences, at, &v->view[i]);
  return at;
}
