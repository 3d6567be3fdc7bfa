/* Litmus programs as text, and random ones: litmus.h. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "brute.h"
#include "litmus.h"

/* ---- Reading ---- */

static const char *const order_names[] = {"rlx", "acq", "rel", "ar", "sc"};

struct reader {
  const char *text, *at;
  char *why;
  struct litmus_program *program;
};
__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *r, const char *format, ...) {
  int n = snprintf(r->why, 200, "column %d: ", (int)(r->at - r->text) + 1);
  va_list args;
  va_start(args, format);
  vsnprintf(r->why + n, 200 - (size_t)n, format, args);
  va_end(args);
  return false;
}
static void skip_spaces(struct reader *r) {
  while (isspace((unsigned char)*r->at)) r->at++;
}
static bool take(struct reader *r, char c) {
  skip_spaces(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}
static bool read_number(struct reader *r, int16_t *number) {
  skip_spaces(r);
  const char *begin = r->at;
  bool minus = *r->at == '-';
  long n = 0;
  r->at += minus;
  if (!isdigit((unsigned char)*r->at)) return r->at = begin, wrong(r, "a number is missing");
  for (; isdigit((unsigned char)*r->at); r->at++)
    if ((n = n * 10 + (*r->at - '0')) > 999) return r->at = begin, wrong(r, "a number is more than 999");
  *number = (int16_t)(minus ? -n : n);
  return true;
}
/* allowed has a bit for each enum litmus_order. */
static bool read_order(struct reader *r, const char *of, unsigned allowed, uint8_t *order) {
  if (!take(r, '.')) return wrong(r, "the order of %s is missing, as in .rlx", of);
  size_t length = 0;
  while (islower((unsigned char)r->at[length])) length++;
  for (unsigned o = LITMUS_RLX; o <= LITMUS_SC; o++) {
    if (strlen(order_names[o]) != length || strncmp(order_names[o], r->at, length) != 0) continue;
    if (!(allowed >> o & 1)) return wrong(r, "%s cannot be %s", of, order_names[o]);
    *order = (uint8_t)o;
    r->at += length;
    return true;
  }
  return wrong(r, "\"%.*s\" is not an order: rlx, acq, rel, ar, sc", (int)length, r->at);
}
/* Locations are numbered when all are known; until then a step has the letter. */
static bool read_location(struct reader *r, uint8_t *location) {
  skip_spaces(r);
  struct litmus_program *p = r->program;
  if (!islower((unsigned char)*r->at) || *r->at == 'r')
    return wrong(r, "a step is missing, or a location that is not r");
  if (!strchr(p->names, *r->at)) {
    if (p->locations == LITMUS_LOCATIONS) return wrong(r, "more than %d locations", LITMUS_LOCATIONS);
    unsigned i = p->locations++;
    for (; i && p->names[i - 1] > *r->at; i--) p->names[i] = p->names[i - 1];
    p->names[i] = *r->at;
  }
  *location = (uint8_t)*r->at++;
  return true;
}

enum {
  ANY_ORDER = 31,
  READ_ORDERS = 1 << LITMUS_RLX | 1 << LITMUS_ACQ | 1 << LITMUS_SC,
  WRITE_ORDERS = 1 << LITMUS_RLX | 1 << LITMUS_REL | 1 << LITMUS_SC,
  FENCE_ORDERS = ANY_ORDER & ~(1 << LITMUS_RLX)
};

static uint8_t derived_failure(unsigned order) {
  return order == LITMUS_AR ? LITMUS_ACQ : order == LITMUS_REL ? LITMUS_RLX : (uint8_t)order;
}

static bool read_step(struct reader *r, struct litmus_step *s) {
  *s = (struct litmus_step){.kind = LITMUS_LOAD};
  skip_spaces(r);
  if (!strncmp(r->at, "if", 2)) {
    r->at += 2;
    s->condition = take(r, '!') ? LITMUS_UNLESS : LITMUS_IF;
    if (!read_number(r, &s->condition_value)) return false;
    if (!take(r, ':')) return wrong(r, "\":\" is missing after the condition");
  }
  if (take(r, 'F')) {
    s->kind = LITMUS_FENCE;
    return read_order(r, "a fence", FENCE_ORDERS, &s->order);
  }
  if (!read_location(r, &s->location)) return false;
  if (take(r, '=')) {
    s->kind = LITMUS_STORE;
    s->of_read = take(r, 'r');
    if (!s->of_read && !read_number(r, &s->value)) return false;
    return read_order(r, "a store", WRITE_ORDERS, &s->order);
  }
  if (take(r, '+')) {
    s->kind = LITMUS_ADD;
    return read_number(r, &s->value) && read_order(r, "a fetch-and-add", ANY_ORDER, &s->order);
  }
  if (take(r, '!')) {
    s->kind = LITMUS_EXCHANGE;
    return read_number(r, &s->value) && read_order(r, "an exchange", ANY_ORDER, &s->order);
  }
  if (take(r, '?')) {
    s->kind = LITMUS_COMPARE;
    if (!read_number(r, &s->expected)) return false;
    if (!take(r, '>')) return wrong(r, "\">\" is missing after what is expected");
    if (!read_number(r, &s->value) || !read_order(r, "a compare-and-exchange", ANY_ORDER, &s->order)) return false;
    s->failure = derived_failure(s->order);
    skip_spaces(r);
    return *r->at != '.' || read_order(r, "a failure", READ_ORDERS, &s->failure);
  }
  skip_spaces(r);
  if (*r->at != '.') return wrong(r, "after a location: .ORDER, =, +, ! or ?");
  return read_order(r, "a load", READ_ORDERS, &s->order);
}

bool litmus_parse(struct litmus_program *p, const char *text, char why[200]) {
  struct reader r = {text, text, why, p};
  memset(p, 0, sizeof *p);
  do {
    if (p->threads == LITMUS_THREADS) return wrong(&r, "more than %d threads", LITMUS_THREADS);
    unsigned t = p->threads++;
    do {
      if (p->length[t] == LITMUS_STEPS) return wrong(&r, "more than %d steps of a thread", LITMUS_STEPS);
      if (!read_step(&r, &p->steps[t][p->length[t]++])) return false;
    } while (take(&r, ';'));
  } while (take(&r, '|'));
  if (*r.at) return wrong(&r, "\"%c\" instead of \";\", \"|\" or the end", *r.at);
  for (unsigned t = 0; t < p->threads; t++)
    for (unsigned i = 0; i < p->length[t]; i++) {
      uint8_t *location = &p->steps[t][i].location;
      if (*location) *location = (uint8_t)(strchr(p->names, *location) - p->names);
    }
  return true;
}

/* ---- Writing ---- */

struct writer {
  char *text;
  size_t size, at;
};
__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(w->text + w->at, w->size - w->at, format, args);
  va_end(args);
  w->at += (size_t)n;
  if (w->at >= w->size) w->at = w->size - 1;
}

void litmus_print(const struct litmus_program *p, char text[LITMUS_TEXT]) {
  struct writer w = {text, LITMUS_TEXT, 0};
  for (unsigned t = 0; t < p->threads; t++)
    for (unsigned i = 0; i < p->length[t]; i++) {
      const struct litmus_step *s = &p->steps[t][i];
      put(&w, "%s", i ? "; " : t ? " | " : "");
      if (s->condition) put(&w, "if %s%d: ", s->condition == LITMUS_UNLESS ? "!" : "", s->condition_value);
      put(&w, "%c", s->kind == LITMUS_FENCE ? 'F' : p->names[s->location]);
      if (s->of_read)
        put(&w, "=r");
      else if (s->kind == LITMUS_STORE)
        put(&w, "=%d", s->value);
      if (s->kind == LITMUS_ADD) put(&w, "+%d", s->value);
      if (s->kind == LITMUS_EXCHANGE) put(&w, "!%d", s->value);
      if (s->kind == LITMUS_COMPARE) put(&w, "?%d>%d", s->expected, s->value);
      put(&w, ".%s", order_names[s->order]);
      if (s->kind == LITMUS_COMPARE && s->failure != derived_failure(s->order)) put(&w, ".%s", order_names[s->failure]);
    }
}

void litmus_print_execution(const struct litmus_program *p, const struct litmus_execution *x,
                            char text[LITMUS_TEXT * 2]) {
  struct writer w = {text, LITMUS_TEXT * 2, 0};
  for (unsigned t = 0; t < p->threads; t++) {
    put(&w, "%s%u:", t ? " | " : "", t);
    for (unsigned i = 0; i < x->count[t]; i++) {
      const struct litmus_event *e = &x->events[t][i];
      put(&w, i ? "; " : " ");
      if (e->kind == LITMUS_BARRIER) {
        put(&w, "F");
        continue;
      }
      put(&w, "%c", p->names[e->location]);
      if (e->kind == LITMUS_READ) put(&w, "(%d)", e->read);
      if (e->kind == LITMUS_WRITE) put(&w, "=%d", e->written);
      if (e->kind == LITMUS_UPDATE) put(&w, " %d>%d", e->read, e->written);
      if (e->kind != LITMUS_READ) put(&w, " #%u", e->position);
      if (e->kind == LITMUS_WRITE) continue;
      if (e->from)
        put(&w, " <%u.%u", e->from - 1u, e->from_index);
      else
        put(&w, " <init");
    }
  }
}

void litmus_print_outcome(const struct litmus_program *p, const struct litmus_outcome *o, char text[LITMUS_TEXT]) {
  struct writer w = {text, LITMUS_TEXT, 0};
  for (unsigned t = 0; t < p->threads; t++) {
    put(&w, "%s%u:", t ? " | " : "", t);
    for (unsigned i = 0; i < o->count[t]; i++) put(&w, " %d", o->read[t][i]);
  }
  put(&w, " |");
  for (unsigned l = 0; l < p->locations; l++) put(&w, " %c=%d", p->names[l], o->final[l]);
}

/* ---- Random programs ---- */

static unsigned below(uint64_t *seed, unsigned n) { return (unsigned)(random_next(seed) % n); }
static bool one_in(uint64_t *seed, unsigned n) { return below(seed, n) == 0; }

/* How likely each kind of step is, in the order of enum litmus_kind. */
static const uint8_t mixtures[][6] = {
    {6, 6, 2, 1, 2, 2}, /* of everything */
    {8, 8, 0, 0, 0, 1}, /* loads and stores */
    {5, 5, 0, 0, 0, 6}, /* fences */
    {1, 1, 5, 3, 5, 1}, /* chains of updates */
    {3, 4, 1, 1, 8, 1}, /* comparisons, which mostly fail */
    {9, 5, 2, 0, 1, 0}, /* many reads */
};
/* How likely each order is, in the order of enum litmus_order. */
static const uint8_t leanings[][5] = {
    {2, 2, 2, 2, 2}, {8, 1, 1, 0, 0}, {1, 4, 4, 4, 0}, {0, 1, 1, 1, 8},
    {4, 0, 0, 0, 5}, {3, 3, 0, 0, 3}, {3, 0, 3, 0, 3},
};

static unsigned weighted(uint64_t *seed, const uint8_t *weights, unsigned count, unsigned allowed) {
  unsigned sum = 0;
  for (unsigned i = 0; i < count; i++) sum += allowed >> i & 1 ? weights[i] : 0;
  if (!sum) { /* none that this program leans to is allowed here */
    unsigned i;
    do i = below(seed, count);
    while (!(allowed >> i & 1));
    return i;
  }
  unsigned drawn = below(seed, sum), i = 0;
  for (;; i++) {
    unsigned weight = allowed >> i & 1 ? weights[i] : 0;
    if (drawn < weight) return i;
    drawn -= weight;
  }
}

struct style {
  const uint8_t *mixture, *leaning;
  unsigned locations, values;
  bool registers;
};
static struct litmus_step random_step(uint64_t *seed, const struct style *style, unsigned kinds, unsigned location) {
  struct litmus_step s = {.kind = (uint8_t)weighted(seed, style->mixture, 6, kinds)};
  unsigned allowed = s.kind == LITMUS_LOAD    ? READ_ORDERS
                     : s.kind == LITMUS_STORE ? WRITE_ORDERS
                     : s.kind == LITMUS_FENCE ? FENCE_ORDERS
                                              : ANY_ORDER;
  s.order = (uint8_t)weighted(seed, style->leaning, 5, allowed);
  if (s.kind == LITMUS_COMPARE) {
    s.failure = one_in(seed, 3) ? (uint8_t)weighted(seed, style->leaning, 5, READ_ORDERS) : derived_failure(s.order);
    s.expected = (int16_t)below(seed, style->values + 1);
  }
  if (s.kind != LITMUS_FENCE) s.location = (uint8_t)location;
  if (s.kind != LITMUS_LOAD && s.kind != LITMUS_FENCE) s.value = (int16_t)(1 + below(seed, style->values));
  if (style->registers && s.kind == LITMUS_STORE && one_in(seed, 3)) s.of_read = true, s.value = 0;
  if (style->registers && one_in(seed, 3)) {
    s.condition = one_in(seed, 2) ? LITMUS_IF : LITMUS_UNLESS;
    s.condition_value = (int16_t)below(seed, style->values + 1);
  }
  return s;
}
static void insert_step(struct litmus_program *p, unsigned t, unsigned at, struct litmus_step s) {
  memmove(&p->steps[t][at + 1], &p->steps[t][at], (p->length[t]++ - at) * sizeof s);
  p->steps[t][at] = s;
}

/* Each thread accesses one location or two, the first the one that the thread before it accessed last, all around, and
 * one of each two writes: what models differ in has this shape. Mostly loads and stores. Returns the number of steps.
 */
static unsigned random_cycle(struct litmus_program *p, uint64_t *seed, const struct style *style, unsigned steps) {
  unsigned location = 0, made = 0, locations = p->threads == 2 || style->locations < 3 ? 2 : 2 + below(seed, 2);
  uint8_t before = LITMUS_LOAD; /* the kind of the access before this one of the same location */
  bool fences = one_in(seed, 3);
  for (unsigned t = 0; t < p->threads; t++) {
    unsigned later = p->threads - 1 - t; /* each of these has a step to make */
    unsigned kinds = one_in(seed, 4) ? (1 << LITMUS_FENCE) - 1 : 1 << LITMUS_LOAD | 1 << LITMUS_STORE;
    unsigned writes = kinds & ~(1u << LITMUS_LOAD);
    insert_step(p, t, 0, random_step(seed, style, t && before == LITMUS_LOAD ? writes : kinds, location));
    before = p->steps[t][0].kind;
    if (++made + later >= steps || (p->threads > locations && one_in(seed, 2))) continue;
    location = (location + 1) % locations;
    bool closes = !later && p->steps[0][0].kind == LITMUS_LOAD;
    insert_step(p, t, 1, random_step(seed, style, closes ? writes : kinds, location));
    before = p->steps[t][1].kind;
    if (++made + later < steps && fences) made++, insert_step(p, t, 1, random_step(seed, style, 1 << LITMUS_FENCE, 0));
  }
  return made;
}

void litmus_random(struct litmus_program *p, uint64_t *seed, const struct litmus_shape *shape) {
  memset(p, 0, sizeof *p);
  p->threads = 2 + below(seed, shape->threads - 1);
  struct style style = {.mixture = mixtures[below(seed, sizeof mixtures / sizeof *mixtures)],
                        .leaning = leanings[below(seed, sizeof leanings / sizeof *leanings)],
                        .locations = 1 + below(seed, shape->locations),
                        .values = 1 + below(seed, 3),
                        .registers = shape->register_steps && one_in(seed, 3)};
  unsigned steps = p->threads + below(seed, shape->steps - p->threads + 1), made = 0, used = 0;
  if (style.locations > 1 && !one_in(seed, 4)) made = random_cycle(p, seed, &style, steps);
  for (; made < steps; made++) {
    unsigned t = made < p->threads && !p->length[made] ? made : below(seed, p->threads);
    if (p->length[t] == LITMUS_STEPS) continue;
    insert_step(p, t, below(seed, p->length[t] + 1), random_step(seed, &style, 63, below(seed, style.locations)));
  }
  /* Only locations that steps have, with their names in order. */
  for (unsigned t = 0; t < p->threads; t++)
    for (unsigned i = 0; i < p->length[t]; i++)
      if (p->steps[t][i].kind != LITMUS_FENCE) used |= 1u << p->steps[t][i].location;
  uint8_t index[LITMUS_LOCATIONS] = {0};
  for (unsigned l = 0; l < style.locations; l++)
    if (used >> l & 1)
      index[l] = (uint8_t)p->locations, p->names[p->locations++] = "wxyz"[style.locations == 4 ? l : l + 1];
  for (unsigned t = 0; t < p->threads; t++)
    for (unsigned i = 0; i < p->length[t]; i++)
      if (p->steps[t][i].kind != LITMUS_FENCE) p->steps[t][i].location = index[p->steps[t][i].location];
}
