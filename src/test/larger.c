/* Clients beyond the size that is searched in full: there are too many of them to try all, so they are drawn, with
 * numbers that are the same in every search. What a queue does when it is full, or what a table does when it grows,
 * needs many calls of one kind: so the calls of a thread are not drawn one by one, but in a manner that is drawn first:
 * anything, mostly one operation, the same again and again, or first one and then another. */
#include "test/larger.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

enum { TRIES = 6 };

struct drawing {
  struct clients *k; /* the client being made is in k->first, k->calls, k->kind */
  const struct larger_size *size;
  uint64_t random;
  unsigned threads;
};

static unsigned draw(struct drawing *d, unsigned below) {
  assert(below);
  d->random = hash_mix(d->random + 0x9e3779b97f4a7c15u);
  return (unsigned)(d->random >> 33) % below;
}

/* How a thread's calls are drawn. */
enum manner { ANY, MOSTLY, AGAIN, THEN, MANNERS };
struct habit {
  enum manner manner;
  uint32_t first, second; /* operations */
  bool same_args;
};

static uint32_t draw_op(struct drawing *d, const struct kind *kind) {
  uint32_t ops[64], count = 0; /* the calls of an operation stand together */
  for (size_t i = 0; i < kind->call_count && count < 64; i++)
    if (!i || kind->calls[i].op != kind->calls[i - 1].op) ops[count++] = kind->calls[i].op;
  return ops[draw(d, count)];
}

static struct call draw_args(struct drawing *d, const struct kind *kind, uint32_t op, bool same) {
  size_t from = 0, to;
  while (kind->calls[from].op != op) from++;
  for (to = from; to < kind->call_count && kind->calls[to].op == op;) to++;
  return kind->calls[from + (same ? 0 : draw(d, (unsigned)(to - from)))];
}

static struct habit draw_habit(struct drawing *d, const struct kind *kind) {
  return (struct habit){
      .manner = draw(d, MANNERS), .first = draw_op(d, kind), .second = draw_op(d, kind), .same_args = draw(d, 4) == 0};
}

static struct call draw_call(struct drawing *d, const struct kind *kind, const struct habit *h, unsigned done,
                             unsigned length) {
  uint32_t op;
  switch (h->manner) {
  case MOSTLY: op = draw(d, 4) ? h->first : draw_op(d, kind); break;
  case AGAIN: op = done && draw(d, 3) ? d->k->calls[d->k->first[d->threads] + done - 1].op : draw_op(d, kind); break;
  case THEN: op = 2 * done < length ? h->first : h->second; break;
  default: op = draw_op(d, kind);
  }
  return draw_args(d, kind, op, h->same_args);
}

static bool fits(struct drawing *d, unsigned threads) {
  struct client c = {threads, d->k->first, d->k->calls};
  bool allowed = client_allowed(d->k->scratch, d->k->object, &c);
  mem_close(d->k->scratch);
  return allowed;
}

/* The calls of one more thread; where one would be too much another is tried, and then there are fewer. */
static bool draw_thread(struct drawing *d, unsigned kind_number, unsigned length) {
  struct clients *k = d->k;
  const struct kind *kind = &k->kinds[kind_number];
  struct habit h = draw_habit(d, kind);
  uint32_t at = k->first[d->threads], done = 0;
  k->kind[d->threads] = kind_number;
  for (unsigned tries = 0; done < length && tries < TRIES;) {
    k->calls[at + done] = draw_call(d, kind, &h, done, length);
    k->first[d->threads + 1] = at + done + 1;
    if (fits(d, d->threads + 1)) {
      done++;
    } else {
      tries++;
      h.manner = ANY;
    }
  }
  k->first[d->threads + 1] = at + done;
  d->threads += done > 0;
  return done > 0;
}

/* Of which kind so many threads are, in the order of the kinds; gives how many there may be. */
static unsigned draw_kinds(struct drawing *d, unsigned threads, unsigned *kinds) {
  unsigned count[64] = {0}, made = 0, room = 0;
  const struct clients *k = d->k;
  unsigned most = k->kind_count < 64 ? k->kind_count : 64;
  for (unsigned r = 0; r < most; r++) room += k->kinds[r].most;
  if (threads > room) threads = room;
  while (made < threads) {
    unsigned r = draw(d, most);
    if (count[r] == k->kinds[r].most) continue;
    count[r]++;
    made++;
  }
  made = 0;
  for (unsigned r = 0; r < most; r++)
    for (unsigned i = 0; i < count[r]; i++) kinds[made++] = r;
  return made;
}

/* The thread with more calls first, else the lesser calls: as in the clients that are searched in full. */
static bool comes_before(const struct clients *k, unsigned a, unsigned b) {
  uint32_t m = k->first[a + 1] - k->first[a], n = k->first[b + 1] - k->first[b];
  if (k->kind[a] != k->kind[b]) return k->kind[a] < k->kind[b];
  if (m != n) return m > n;
  for (uint32_t i = 0; i < m; i++) {
    int order = compare_call(&k->calls[k->first[a] + i], &k->calls[k->first[b] + i]);
    if (order) return order < 0;
  }
  return a < b;
}

static void copy_out(const struct drawing *d, struct mem *m, struct larger *out) {
  const struct clients *k = d->k;
  unsigned order[FIBERS_MOST];
  uint32_t calls = 0;
  for (unsigned t = 0; t < d->threads; t++) {
    unsigned at = t;
    for (; at && k->alike && comes_before(k, t, order[at - 1]); at--) order[at] = order[at - 1];
    order[at] = t;
  }
  out->client.threads = d->threads;
  out->client.first = mem_piece(m, (d->threads + 1) * sizeof *out->client.first);
  out->client.calls = mem_piece(m, (k->first[d->threads] + 1) * sizeof *out->client.calls);
  out->kind = mem_piece(m, (d->threads + 1) * sizeof *out->kind);
  for (unsigned t = 0; t < d->threads; t++) {
    uint32_t from = k->first[order[t]], n = k->first[order[t] + 1] - from;
    out->client.first[t] = calls;
    out->kind[t] = k->kind[order[t]];
    memcpy(out->client.calls + calls, k->calls + from, n * sizeof *k->calls);
    calls += n;
  }
  out->client.first[d->threads] = calls;
}

static bool is_larger(const struct drawing *d, struct client_options beyond) {
  bool larger = d->threads > beyond.threads;
  for (unsigned t = 0; t < d->threads; t++) larger |= d->k->first[t + 1] - d->k->first[t] > beyond.ops;
  return larger;
}

bool larger_make(struct clients *k, struct mem *m, uint64_t number, const struct larger_size *size,
                 struct client_options beyond, struct larger *out) {
  struct drawing d = {.k = k, .size = size, .random = hash_mix(number + 1)};
  unsigned kinds[FIBERS_MOST], left = size->calls;
  unsigned wanted = size->threads_least + draw(&d, size->threads - size->threads_least + 1);
  unsigned threads = draw_kinds(&d, wanted < left ? wanted : left, kinds);
  bool long_and_short = draw(&d, 2), grown = threads > beyond.threads;
  unsigned long_one = draw(&d, threads ? threads : 1);
  k->first[0] = 0;
  for (unsigned i = 0; i < threads; i++) {
    unsigned others = threads - i - 1, room = left - others < size->ops ? left - others : size->ops;
    unsigned least = i == long_one && !grown ? beyond.ops + 1 : 1,
             most = long_and_short && i != long_one ? 2 : size->ops;
    if (most > room) most = room;
    if (least > most) least = most;
    unsigned length = least + draw(&d, most - least + 1);
    if (draw_thread(&d, kinds[i], length)) left -= k->first[d.threads] - k->first[d.threads - 1];
  }
  if (!d.threads || !is_larger(&d, beyond)) return false;
  copy_out(&d, m, out);
  return true;
}

/* What is inserted pushes the rest on. */
static void insert_call(struct drawing *d, unsigned thread, uint32_t at, struct call c) {
  struct clients *k = d->k;
  memmove(k->calls + at + 1, k->calls + at, (k->first[d->threads] - at) * sizeof *k->calls);
  k->calls[at] = c;
  for (unsigned t = thread; t < d->threads; t++) k->first[t + 1]++;
}

static struct call any_call(struct drawing *d, unsigned thread) {
  const struct kind *kind = &d->k->kinds[d->k->kind[thread]];
  return draw_args(d, kind, draw_op(d, kind), false);
}

/* One change; false: there is no room for it. */
static bool change(struct drawing *d) {
  struct clients *k = d->k;
  unsigned thread = draw(d, d->threads), length = k->first[thread + 1] - k->first[thread], kinds[FIBERS_MOST];
  bool room = k->first[d->threads] < d->size->calls && length < d->size->ops;
  switch (draw(d, 5)) {
  case 0: /* the last call once more */
    if (room) insert_call(d, thread, k->first[thread + 1], k->calls[k->first[thread + 1] - 1]);
    return room;
  case 1: /* another at the end */
    if (room) insert_call(d, thread, k->first[thread + 1], any_call(d, thread));
    return room;
  case 2: /* another anywhere */
    if (room) insert_call(d, thread, k->first[thread] + draw(d, length + 1), any_call(d, thread));
    return room;
  case 3: /* another in place of one */ k->calls[k->first[thread] + draw(d, length)] = any_call(d, thread); return true;
  default: /* another thread */
    if (d->threads >= d->size->threads || k->first[d->threads] + 2 > d->size->calls) return false;
    draw_kinds(d, 1, kinds);
    unsigned same = 0;
    for (unsigned t = 0; t < d->threads; t++) same += k->kind[t] == kinds[0];
    return same < k->kinds[kinds[0]].most && k->kind[d->threads - 1] <= kinds[0] &&
           draw_thread(d, kinds[0], 1 + draw(d, 2));
  }
}

bool larger_extend(struct clients *k, struct mem *m, uint64_t number, const struct larger_size *size,
                   const struct larger *from, struct larger *out) {
  const struct client *c = &from->client;
  struct drawing d = {.k = k, .size = size, .random = hash_mix(number + 1), .threads = c->threads};
  memcpy(k->first, c->first, (c->threads + 1) * sizeof *k->first);
  memcpy(k->calls, c->calls, client_calls(c) * sizeof *k->calls);
  memcpy(k->kind, from->kind, c->threads * sizeof *k->kind);
  for (unsigned changes = 1 + draw(&d, 3); changes; changes--)
    if (!change(&d)) return false;
  if (!fits(&d, d.threads)) return false;
  copy_out(&d, m, out);
  return true;
}
