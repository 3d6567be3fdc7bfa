/* Sites: the places in the code where atomic accesses and fences are, with other memory orders than the code says.
 *
 * The order of an access is an argument of its hook, so the same compiled code is run with another order: a table has
 * it for the return address of the hook. A fence may be put in right before and right after an access, as if
 * the code had one there. All of it only for runs under a weak memory model, of the client's threads.
 *
 * The sites that were met are noted in memory that processes share. */
#include "run/weak.h"

bool sites_on;
static const struct order_change *changes; /* by pc */
static size_t change_count;
static struct run_sites *seen;

void run_orders(const struct order_change *c, size_t count, struct run_sites *to) {
  changes = c;
  change_count = count;
  seen = to;
  sites_on = count || to;
}

static const struct order_change *change_at(uintptr_t pc) {
  size_t low = 0, high = change_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (changes[middle].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < change_count && changes[low].pc == pc ? &changes[low] : NULL;
}

/* Its place in the table; NULL: there is no room. */
static struct run_site *site_at(uintptr_t pc) {
  size_t h = pc * 0x9e3779b97f4a7c15u >> 32;
  for (size_t i = 0; i < SITES_MOST / 2; i++) {
    struct run_site *s = &seen->at[(h + i) % SITES_MOST];
    uintptr_t is = atomic_load_explicit(&s->pc, memory_order_relaxed);
    if (!is) atomic_compare_exchange_strong(&s->pc, &is, pc);
    if (!is || is == pc) return s;
  }
  seen->full = true;
  return NULL;
}

/* An inlined function has a site for each place where it is; one that gets its order as an argument has different
 * orders at one site: it cannot be said what it is then. */
static void note(enum site_kind kind, int order, int failed, uintptr_t pc) {
  struct run_site *s = site_at(pc);
  if (!s) return;
  uint32_t is = SITE_WORD(kind, order, failed), was = 0;
  if (!atomic_compare_exchange_strong_explicit(&s->word, &was, is, memory_order_relaxed, memory_order_relaxed) &&
      was != is)
    s->varies = true;
}

static void put_fence(int order) {
  races_fence(order);
  weak_fence(order);
}

struct site_orders site_begin(enum site_kind kind, int order, int failed, uintptr_t pc) {
  struct site_orders o = {order, failed, __ATOMIC_RELAXED};
  if (!weak_here()) return o;
  if (seen) note(kind, order & 0xff, failed & 0xff, pc);
  const struct order_change *c = change_at(pc);
  if (!c) return o;
  if (c->order >= 0) o.order = c->order;
  if (c->failed >= 0) o.failed = c->failed;
  if (c->before) put_fence(c->before);
  o.fence = c->after;
  return o;
}

void site_end(struct site_orders o) {
  if (o.fence && weak_here()) put_fence(o.fence);
}

void site_failed(uintptr_t pc) {
  struct run_site *s = seen && weak_here() ? site_at(pc) : NULL;
  if (s) s->failed = true;
}
