/* Wing and Gong's search, as printed (section 4 and the appendix).
 *
 * A history is a doubly linked list of events. The search takes the first section, tries the operations called before
 * any return in it, lifts the one the sequential object allows, and goes on with what remains; where none is allowed it
 * backtracks. Kept for reference and comparison. Two things are added to the page: an operation of a
 * nondeterministic object is tried with each outcome, and a pending operation may be left where it is (its response,
 * which never comes, is at the end of the list; the search ends when only such are left). */
#include <string.h>

#include "check/part.h"

struct event {
  uint32_t op;
  bool response;
  struct event *match, *next, *prev;
};

struct elt { /* elt_stack of the paper: the operation chosen, and the outcome it was given */
  struct event *inv;
  size_t state; /* offset of the state before, in `states` */
  uint32_t size;
  uint32_t outcome; /* which of the outcomes was taken */
};

struct seq { /* the sequential object: states on a stack, for undoing */
  VEC(unsigned char) bytes;
  size_t state;
  uint32_t size;
};

static void lift(struct event *inv) {
  inv->prev->next = inv->next;
  inv->next->prev = inv->prev;
  struct event *resp = inv->match;
  resp->prev->next = resp->next;
  resp->next->prev = resp->prev;
}

static void unlift(struct event *inv) {
  struct event *resp = inv->match;
  resp->prev->next = resp;
  resp->next->prev = resp;
  inv->prev->next = inv;
  inv->next->prev = inv;
}

static void seq_set(struct seq *q, struct mem *m, struct state x) {
  size_t at = (q->state + q->size + 7) & ~(size_t)7;
  vec_reserve(m, &q->bytes, at + x.size + 1);
  if (x.size) memcpy(q->bytes.at + at, x.at, x.size);
  q->state = at;
  q->size = x.size;
}

/* Performs the operation with outcome number `outcome`, if there is one. */
static bool operation(const struct part *p, struct mem *m, struct seq *q, struct outcomes *out, uint32_t op,
                      uint32_t outcome) {
  outcomes_clear(out);
  p->spec->step(p->spec, (struct state){q->bytes.at + q->state, q->size}, &p->ops[op], out);
  if (outcome >= out->list.count) return false;
  seq_set(q, m, outcomes_state(out, outcome));
  return true;
}

static bool search(const struct part *p, struct mem *m, struct event *head, struct state initial, uint32_t returned,
                   struct decision *d) {
  struct outcomes out;
  outcomes_open(&out, m);
  struct seq q = {0};
  seq_set(&q, m, initial);
  VEC(struct elt) stack = {0};
  struct event *inv = head->next;
  uint32_t outcome = 0, steps = 0;
  bool found = false;
  for (;;) {
    if (!(++steps & 255)) mem_poll(m);
    if (!returned) { /* nothing is left but pending operations */
      found = true;
      break;
    }
    if (!inv->response) {
      size_t state = q.state;
      uint32_t size = q.size;
      d->configurations++;
      if (operation(p, m, &q, &out, inv->op, outcome)) {
        vec_push(m, &stack, ((struct elt){inv, state, size, outcome}));
        lift(inv);
        returned -= !op_pending(&p->ops[inv->op]);
        inv = head->next;
        outcome = 0;
        continue;
      }
      inv = inv->next; /* not allowed: another of this section */
      outcome = 0;
      continue;
    }
    /* A response: every operation of the section was tried. Back to the previous choice. */
    if (!stack.count) break;
    struct elt x = stack.at[--stack.count];
    unlift(x.inv);
    returned += !op_pending(&p->ops[x.inv->op]);
    q.state = x.state;
    q.size = x.size;
    inv = x.inv;
    outcome = x.outcome + 1;
  }
  for (size_t i = 0; found && i < stack.count; i++) vec_push(m, &d->order, stack.at[i].inv->op);
  vec_free(m, &stack);
  vec_free(m, &q.bytes);
  return found;
}

enum applies wing_gong_part(const struct part *p, struct mem *m, struct decision *d, const char **why_not) {
  (void)why_not;
  /* The list: a head, the events, the responses that never come, and a response as sentinel. */
  uint32_t *events = part_events(p, m), returned = 0, n = 0;
  struct event *list = mem_zero(m, (size_t)p->count * 2 + 2, sizeof *list);
  struct event **call = mem_zero(m, (size_t)p->count + 1, sizeof *call);
  struct event *last = &list[n++];
  for (uint32_t e = 0; e < p->events; e++) {
    struct event *x = &list[n++];
    *x = (struct event){.op = events[e] >> 1, .response = events[e] & 1, .prev = last};
    last->next = x;
    last = x;
    if (x->response) {
      call[x->op]->match = x;
      returned++;
    } else {
      call[x->op] = x;
    }
  }
  struct event end = {.response = true};
  for (uint32_t i = 0; i < p->count; i++) {
    if (!op_pending(&p->ops[i])) continue;
    struct event *x = &list[n++];
    *x = (struct event){.op = i, .response = true, .prev = last};
    last->next = x;
    last = x;
    call[i]->match = x;
  }
  last->next = &end;
  end.prev = last;
  struct outcomes initial;
  outcomes_open(&initial, m);
  p->spec->init(p->spec, &initial);
  bool found = false;
  for (size_t i = 0; i < initial.list.count && !found; i++)
    found = search(p, m, &list[0], outcomes_state(&initial, i), returned, d);
  d->verdict = found ? VERDICT_HOLDS : VERDICT_VIOLATED;
  for (uint32_t i = 0; i < p->count && !found; i++) vec_push(m, &d->core, i);
  mem_free(m, events);
  return APPLIES;
}
