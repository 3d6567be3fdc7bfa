/* The notation of given actions:
 *
 *   tail: t | t{next: NULL}, A => t{next: n}, n{val: e, next: NULL}, A . <e>
 *
 * What is before "|" is there and stays; what is between "|" and "=>" is there before the step, what follows "=>" after
 * it. A part is a cell of a global variable, a node with some of its cells, the abstract contents (a sequence <e> . A,
 * a multiset {k} + A), or before the step a condition such as t != h. Names stand for any value, each for the same
 * everywhere; different names with braces are different nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/signs.h"
#include "prove/given.h"
#include "prove/prover.h"

struct reader {
  const struct prover *p;
  const struct unit *unit;
  const struct harness_action *from;
  struct given *g;
  const char *at;
  bool after, bar;
  struct problem *why;
  bool failed;
};

static void wrong(struct reader *r, const char *at, const char *what, const char *right) {
  if (r->failed) return;
  r->failed = true;
  problem_at(r->why, r->unit, place_in_text(r->unit, r->from->place, (size_t)(at - r->from->text)), "action %s: %s%s%s",
             r->from->name, what, *right ? "; " : "", right);
}

static void expect(struct reader *r, const char *sign) {
  char what[60];
  if (r->failed || accept_sign(&r->at, sign)) return;
  snprintf(what, sizeof what, "'%s' is expected here", sign);
  wrong(r, r->at, what, "");
}

/* A name, or with dots and brackets that of a cell of a global variable; NULL if there is none. */
static const char *read_name(struct reader *r) {
  skip_blanks(&r->at);
  const char *start = r->at;
  if (!is_letter(*start)) return NULL;
  while (is_letter(*r->at) || isdigit((unsigned char)*r->at) || (*r->at == '.' && is_letter(r->at[1])) ||
         *r->at == '[' || *r->at == ']')
    r->at++;
  char *name = mem_piece(r->p->mem, (size_t)(r->at - start) + 1);
  memcpy(name, start, (size_t)(r->at - start));
  name[r->at - start] = 0;
  return name;
}

static unsigned name_number(struct reader *r, const char *name, const char *at) {
  struct given *g = r->g;
  for (unsigned i = 0; i < g->names; i++)
    if (!strcmp(g->called[i], name)) return i;
  if (g->names == GIVEN_NAMES_MOST) {
    wrong(r, at, "more than 24 names", "");
    return 0;
  }
  g->called[g->names] = name;
  return g->names++;
}

static struct term read_term(struct reader *r) {
  skip_blanks(&r->at);
  const char *at = r->at;
  if (isdigit((unsigned char)*at) || *at == '-') {
    char *end;
    int64_t n = strtoll(at, &end, 10);
    if (end == at + (*at == '-') || (*at == '-' && !isdigit((unsigned char)at[1])))
      wrong(r, at, "a number is expected here", "");
    r->at = end;
    return (struct term){TERM_NUMBER, 0, n};
  }
  const char *name = read_name(r);
  if (!name) wrong(r, at, "a value is expected here", "a name, a number, NULL, free, held or _");
  if (r->failed) return (struct term){TERM_ANY, 0, 0};
  if (!strcmp(name, "_")) return (struct term){TERM_ANY, 0, 0};
  if (!strcmp(name, "NULL")) return (struct term){TERM_NUMBER, 0, 0};
  if (!strcmp(name, "INT_MIN")) return (struct term){TERM_NUMBER, 0, INT32_MIN};
  if (!strcmp(name, "INT_MAX")) return (struct term){TERM_NUMBER, 0, INT32_MAX};
  if (!strcmp(name, "free")) return (struct term){TERM_FREE, 0, 0};
  if (!strcmp(name, "held")) return (struct term){TERM_HELD, 0, 0};
  return (struct term){TERM_NAME, name_number(r, name, at), 0};
}

static const char *written(struct reader *r, const char *from) {
  const char *end = r->at;
  char *text = mem_piece(r->p->mem, (size_t)(end - from) + 1);
  memcpy(text, from, (size_t)(end - from));
  text[end - from] = 0;
  return text;
}

static void add_part(struct reader *r, struct part part) {
  if (r->failed) return;
  if (r->g->parts == GIVEN_PARTS_MOST) {
    wrong(r, r->at, "more than 32 parts", "");
    return;
  }
  part.after = r->after;
  r->g->part[r->g->parts++] = part;
}

static int root_called(const struct reader *r, const char *name) {
  struct text t;
  unsigned roots = 0;
  for (uint32_t g = 0; g < r->p->program->global_count; g++)
    roots += r->p->program->layouts[r->p->program->globals[g].layout].count;
  for (unsigned i = 0; i < roots; i++) {
    text_open(&t, r->p->mem);
    tell_root(r->p, i, &t);
    if (!strcmp(text_string(&t), name)) return (int)i;
  }
  return -1;
}

static bool field_called(const struct program *program, const char *name) {
  for (uint32_t l = 0; l < program->layout_count; l++)
    for (uint32_t c = 0; c < program->layouts[l].count; c++)
      if (!strcmp(program->layouts[l].cells[c].name, name)) return true;
  return false;
}

static void read_node(struct reader *r, const char *name, const char *from) {
  struct part part = {.node = name_number(r, name, from)};
  if (accept_sign(&r->at, "}")) {
    part.text = written(r, from);
    add_part(r, part);
    return;
  }
  do {
    skip_blanks(&r->at);
    const char *at = r->at;
    part.field = read_name(r);
    if (!part.field)
      wrong(r, at, "a field is expected here", "");
    else if (!field_called(r->p->program, part.field))
      wrong(r, at, "no node has a field of this name", "");
    expect(r, ":");
    part.value = read_term(r);
    part.text = written(r, at);
    add_part(r, part);
  } while (!r->failed && accept_sign(&r->at, ","));
  expect(r, "}");
}

static void read_root(struct reader *r, const char *name, const char *from) {
  int root = root_called(r, name);
  if (root < 0) {
    wrong(r, from, "there is no global variable of this name", "a node is written with braces: n{next: x}");
    return;
  }
  struct part part = {.is_root = 1, .root = (unsigned)root, .value = read_term(r)};
  part.text = written(r, from);
  add_part(r, part);
}

/* Contents are kept from the end to the beginning. */
static void mirror(struct contents *c) {
  struct contents old = *c;
  unsigned items = old.first + old.last;
  for (unsigned i = 0; i < items; i++) c->item[i] = old.item[items - 1 - i];
  if (old.has_rest) c->first = old.last, c->last = old.first;
}

/* Items in <> or {}, and at most one name for the rest. */
static void read_contents(struct reader *r) {
  bool sequence = r->p->effects->sequence;
  struct contents *c = r->after ? &r->g->after : &r->g->before;
  const char *at = r->at;
  if (c->there) wrong(r, at, "the contents are given twice", "");
  c->there = true;
  do {
    skip_blanks(&r->at);
    const char *item = r->at;
    if (accept_sign(&r->at, sequence ? "<" : "{")) {
      if (accept_sign(&r->at, sequence ? ">" : "}")) continue; /* empty */
      struct term t = read_term(r);
      if (c->first + c->last == GIVEN_ITEMS_MOST)
        wrong(r, item, "more than four items", "");
      else
        c->item[c->first + c->last] = t;
      if (c->has_rest)
        c->last++;
      else
        c->first++;
      expect(r, sequence ? ">" : "}");
    } else {
      const char *name = read_name(r);
      if (!name)
        wrong(r, item,
              sequence ? "contents are expected here, such as <e> . A" : "contents are expected here, such as {k} + A",
              "");
      else if (c->has_rest)
        wrong(r, item, "contents have one name for the rest, not two", "");
      else if (strcmp(name, "A"))
        wrong(r, item, "the contents are A", "");
      c->has_rest = true;
    }
  } while (!r->failed && accept_sign(&r->at, sequence ? "." : "+"));
  if (r->p->mirrored) mirror(c);
}

static bool read_condition(struct reader *r, struct term a, const char *from) {
  struct condition c = {.a = a};
  if (accept_sign(&r->at, "!="))
    c.relation = DIFFERENT;
  else if (accept_sign(&r->at, "<="))
    c.relation = AT_MOST;
  else if (accept_sign(&r->at, "<"))
    c.relation = LESS;
  else
    return false;
  c.b = read_term(r);
  c.text = written(r, from);
  if (r->after)
    wrong(r, from, "a condition is of what is before the step", "write it before =>");
  else if (r->g->conditions == GIVEN_ITEMS_MOST)
    wrong(r, from, "more than four conditions", "");
  else
    r->g->condition[r->g->conditions++] = c;
  return true;
}

static void read_part(struct reader *r) {
  skip_blanks(&r->at);
  const char *from = r->at;
  if (*from == '<' || *from == '{') {
    read_contents(r);
    return;
  }
  const char *name = read_name(r);
  if (!name)
    wrong(r, from, "a part of memory is expected here",
          "a cell top: n, a node n{next: x}, contents <e> . A, or a condition n != x");
  else if (accept_sign(&r->at, ":"))
    read_root(r, name, from);
  else if (accept_sign(&r->at, "{"))
    read_node(r, name, from);
  else if (!strcmp(name, "A")) {
    r->at = from;
    read_contents(r);
  } else if (!read_condition(r, (struct term){TERM_NAME, name_number(r, name, from), 0}, from))
    wrong(r, from, "a name alone says nothing", "the contents are A, a cell is top: n, a node is n{next: x}");
}

static void read_action(struct reader *r) {
  for (bool more = true; more && !r->failed;) {
    read_part(r);
    more = true;
    if (accept_sign(&r->at, ",")) continue;
    if (!r->after && !r->bar && accept_sign(&r->at, "|")) {
      r->bar = true;
      for (unsigned i = 0; i < r->g->parts; i++) r->g->part[i].context = 1;
      if (r->g->before.there)
        wrong(r, r->at, "contents stay as they are where they are not mentioned", "leave them out before |");
    } else if (!r->after && accept_sign(&r->at, "=>"))
      r->after = true;
    else
      more = false;
  }
  skip_blanks(&r->at);
  if (*r->at)
    wrong(r, r->at, "',' or '=>' is expected here", "");
  else if (!r->after)
    wrong(r, r->at, "'=>' is missing", "what is before the step => what is after it");
  else if (r->g->before.there != r->g->after.there)
    wrong(r, r->from->text, "contents are given on one side only", "");
}

bool read_given(struct prover *p, const struct unit *unit, struct problem *why) {
  const struct harness *h = &unit->harness;
  p->given_count = (unsigned)h->actions.count;
  if (h->actions.count) p->before = mem_zero(p->mem, 1, sizeof *p->before);
  p->given = mem_zero(p->mem, h->actions.count + 1, sizeof *p->given);
  for (size_t i = 0; i < h->actions.count; i++) {
    p->given[i].name = h->actions.at[i].name;
    struct reader r = {
        .p = p, .unit = unit, .from = &h->actions.at[i], .g = &p->given[i], .at = h->actions.at[i].text, .why = why};
    read_action(&r);
    if (r.failed) return false;
  }
  return true;
}
