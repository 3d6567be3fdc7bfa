/* All views there can be: from the first, closed under the steps of their thread and under interference. */
#include <assert.h>
#include <string.h>

#include "prove/prover.h"

static uint64_t fingerprint(const struct view *v) {
  const uint64_t *w = (const void *)v;
  uint64_t h = 0;
  for (size_t i = 0; i < sizeof *v / 8; i++) h = (h ^ w[i]) * 0x9e3779b97f4a7c15u, h ^= h >> 29;
  return h;
}

static void grow_buckets(struct prover *p) {
  uint32_t count = p->bucket_mask ? (p->bucket_mask + 1) * 4 : 4096;
  mem_free(p->mem, p->buckets);
  p->buckets = mem_zero(p->mem, count, sizeof *p->buckets);
  p->bucket_mask = count - 1;
  for (uint32_t e = 1; e < p->entries.count; e++) {
    uint32_t *b = &p->buckets[fingerprint(&p->entries.at[e].view) & p->bucket_mask];
    p->entries.at[e].next = *b;
    *b = e;
  }
}

#ifdef ASIF_CHECKED
/* What is spoken of is there: nodes that are used, names that are given out. */
static bool is_there(const struct view *v, val a) {
  switch (KIND(a)) {
  case K_NODE: return INDEX(a) < NODES_MOST && v->node[INDEX(a)].used;
  case K_SYM: return INDEX(a) < v->syms;
  case K_SEQ: return INDEX(a) < v->seqs;
  case K_DANGLING: return INDEX(a) < v->danglings;
  default: return KIND(a) <= K_ANY;
  }
}

static bool is_whole(const struct view *v) {
  bool whole = v->atoms <= ATOMS_MOST && v->facts <= FACTS_MOST && is_there(v, v->arg) && is_there(v, v->status);
  for (unsigned i = 0; i < ROOTS_MOST; i++) whole = whole && is_there(v, v->root[i]);
  for (unsigned i = 0; i < REGS_MOST; i++) whole = whole && is_there(v, v->reg[i]);
  for (unsigned i = 0; i < v->atoms; i++) whole = whole && is_there(v, v->abs[i]);
  for (unsigned i = 0; i < v->facts; i++) whole = whole && is_there(v, v->fact[i].a) && is_there(v, v->fact[i].b);
  for (unsigned n = 0; n < NODES_MOST; n++)
    for (unsigned c = 0; v->node[n].used && c < CELLS_EACH; c++) whole = whole && is_there(v, v->node[n].cell[c]);
  for (unsigned n = 0; n < NODES_MOST; n++) /* YOU is a name within a composition only */
    whole = whole && (!v->node[n].used || v->node[n].owner != OWNER_YOU);
  return whole && (v->pc || (KIND(v->arg) == K_UNSET && KIND(v->status) == K_UNSET));
}
#endif

static void add_view(struct prover *p, const struct view *v, uint32_t from, uint32_t action) {
#ifdef ASIF_CHECKED
  assert(is_whole(v));
#endif
  if (p->entries.count > p->bucket_mask) grow_buckets(p);
  uint32_t *b = &p->buckets[fingerprint(v) & p->bucket_mask];
  for (uint32_t e = *b; e; e = p->entries.at[e].next)
    if (!memcmp(&p->entries.at[e].view, v, sizeof *v)) return;
  struct entry e = {.view = *v, .next = *b, .from = from, .action = action};
  *b = (uint32_t)p->entries.count;
  vec_push(p->mem, &p->entries, (e));
}

static void add_action(struct prover *p, const struct view *from) {
  struct view action;
  action_of(p, from, &action);
  if (p->dead) return; /* a limit, or a view of what cannot be */
  for (size_t i = 0; i < p->actions.count; i++)
    if (!memcmp(&p->actions.at[i], &action, sizeof action)) return;
  vec_push(p->mem, &p->actions, action);
}

static bool own_steps(struct prover *p, uint32_t e) {
  bool acts = false;
  first_case(p);
  do {
    struct view to;
    bool wrote = own_move(p, &p->entries.at[e].view, &to);
    p->steps++;
    if (p->failed) {
      p->failure.view = e;
      return false;
    }
    if (p->dead) continue;
    if (wrote) acts = true;
    add_view(p, &to, e, 0);
  } while (next_case(p));
  first_case(p); /* the last case may have ended early */
  if (acts) add_action(p, &p->entries.at[e].view);
  return !p->failed;
}

/* Every operation is called where none is running, with any argument. */
static bool calls(struct prover *p, uint32_t e) {
  for (uint16_t op = 0; op < p->program->op_count; op++) {
    first_case(p);
    do {
      struct view to;
      call_move(p, &p->entries.at[e].view, op, &to);
      if (p->failed) return false;
      if (!p->dead) add_view(p, &to, e, 0);
    } while (next_case(p));
  }
  return true;
}

/* The limit of states is one of compositions here, of all attempts together: they are what takes time. */
enum { POLL_EACH = 256 };

static void poll(struct prover *p) {
  struct limits *l = p->mem->limits;
  p->tried += POLL_EACH;
  if (l && l->states && p->tried > l->states) limits_reach(l, LIMIT_STATES);
  mem_poll(p->mem);
}

static bool interfere(struct prover *p, uint32_t e, size_t action) {
  first_case(p);
  do {
    struct view to;
    p->compositions++;
    if (p->compositions % POLL_EACH == 0) poll(p);
    if (!other_move(p, &p->entries.at[e].view, &p->actions.at[action], &to)) {
      p->failure.view = e;
      return false;
    }
    if (!p->dead) add_view(p, &to, e, (uint32_t)action + 1);
  } while (next_case(p));
  return true;
}

static bool too_many(struct prover *p) {
  p->dead = false;
  prove_limit(p, FAIL_TOO_LARGE, "there are more than %d views", VIEWS_MOST);
  return false;
}

bool fixpoint(struct prover *p) {
  p->entries.count = p->actions.count = 0;
  p->steps = p->compositions = 0;
  p->failed = false;
  memset(&p->failure, 0, sizeof p->failure);
  vec_push(p->mem, &p->entries, ((struct entry){.next = 0}));
  p->bucket_mask = 0;
  struct view first;
  if (!first_move(p, &first)) return false;
  add_view(p, &first, 0, 0);
  size_t done = 0;
  for (uint32_t e = 1; e < p->entries.count; e++) {
    mem_poll(p->mem);
    if (p->entries.count > VIEWS_MOST) return too_many(p);
    if (!(p->entries.at[e].view.pc ? own_steps(p, e) : calls(p, e))) return false;
    while (done < p->actions.count) { /* new ones, on all views so far */
      for (uint32_t f = 1; f < e; f++)
        if (!interfere(p, f, done)) return false;
      done++;
    }
    for (size_t i = 0; i < done; i++)
      if (!interfere(p, e, i)) return false;
  }
  return true;
}
