/* The notation of effects (effects.h), and the effects of the specifications that everybody knows. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "asif.h"
#include "base/signs.h"
#include "spec/common.h"
#include "spec/effects.h"

enum { ARGS_MOST = OP_ARGS };
#define CONTENTS_EXPECTED "contents are expected here: <e> . A of a sequence, {e} + A of a multiset, or A"

struct reader {
  struct mem *mem;
  const char *start, *at;
  struct effects *all;
  struct effect e;
  const char *called[EFFECT_NAMES_MOST]; /* arguments first */
  size_t length[EFFECT_NAMES_MOST];
  unsigned names;
  bool after, seen[2];          /* contents before and after */
  bool is_sequence, kind_known; /* of the contents: by its signs */
  struct effect_problem *why;
  bool failed;
};

__attribute__((format(printf, 3, 4))) static void wrong(struct reader *r, const char *at, const char *format, ...) {
  va_list list;
  if (r->failed) return;
  r->failed = true;
  r->why->offset = (size_t)(at - r->start);
  va_start(list, format);
  vsnprintf(r->why->said, sizeof r->why->said, format, list);
  va_end(list);
}

static void expect(struct reader *r, const char *sign) {
  if (!r->failed && !accept_sign(&r->at, sign)) wrong(r, r->at, "'%s' is expected here", sign);
}

/* A word, or nothing: its length. */
static size_t read_word(struct reader *r) {
  skip_blanks(&r->at);
  const char *start = r->at;
  if (is_letter(*start))
    while (is_letter(*r->at) || isdigit((unsigned char)*r->at)) r->at++;
  return (size_t)(r->at - start);
}

static bool is_word(const char *at, size_t length, const char *word) {
  return strlen(word) == length && !strncmp(at, word, length);
}

/* Is the next word this one? Then it is read. */
static bool accept_word(struct reader *r, const char *word) {
  skip_blanks(&r->at);
  const char *at = r->at;
  if (is_word(at, read_word(r), word)) return true;
  r->at = at;
  return false;
}

static int find_name(const struct reader *r, const char *at, size_t length) {
  for (unsigned i = 0; i < r->names; i++)
    if (r->length[i] == length && !strncmp(r->called[i], at, length)) return (int)i;
  return -1;
}

static unsigned add_name(struct reader *r, const char *at, size_t length) {
  if (r->names == EFFECT_NAMES_MOST) {
    wrong(r, at, "more than %d names", EFFECT_NAMES_MOST);
    return 0;
  }
  r->called[r->names] = at;
  r->length[r->names] = length;
  return r->names++;
}

/* The name of a value, or a number. New names come with the contents that an operation finds. */
static struct effect_term read_term(struct reader *r, bool may_be_new) {
  struct effect_term none = {EFFECT_NUMBER, 0, 0};
  skip_blanks(&r->at);
  const char *at = r->at;
  if (isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1]))) {
    char *end;
    long long n = strtoll(at, &end, 10);
    r->at = end;
    if (n < VALUE_SMALL_MIN || n > VALUE_SMALL_MAX)
      wrong(r, at, "numbers of effects lie between %d and %d", VALUE_SMALL_MIN, VALUE_SMALL_MAX);
    return (struct effect_term){EFFECT_NUMBER, 0, n};
  }
  size_t length = read_word(r);
  if (!length)
    wrong(r, at, "a value is expected here: an argument, a name or a number");
  else if (is_word(at, length, "A"))
    wrong(r, at, "A is the rest of the contents, and no value");
  if (r->failed) return none;
  int found = find_name(r, at, length);
  if (found < 0 && !may_be_new)
    wrong(r, at,
          "%.*s is not known here: it would be an argument, as in ASIF_EFFECT(push(%.*s), ...), or a value before =>",
          (int)(length > 30 ? 30 : length), at, (int)(length > 30 ? 30 : length), at);
  return (struct effect_term){EFFECT_NAME, found >= 0 ? (unsigned)found : add_name(r, at, length), 0};
}

/* The signs of sequences are < > and ., those of multisets { } and +. All effects of a specification have the same. */
static void set_kind(struct reader *r, const char *at, bool sequence) {
  if (!r->kind_known)
    r->kind_known = true, r->is_sequence = sequence;
  else if (r->is_sequence != sequence)
    wrong(r, at, "the contents are a %s in another place: %s", r->is_sequence ? "sequence" : "multiset",
          r->is_sequence ? "<e> . A" : "{e} + A");
}

static void read_item(struct reader *r, struct effect_contents *c, const char *at, bool sequence) {
  set_kind(r, at, sequence);
  if (accept_sign(&r->at, sequence ? ">" : "}")) return; /* nothing */
  struct effect_term t = read_term(r, !r->after);
  if (c->first + c->last == EFFECT_ITEMS_MOST) wrong(r, at, "more than %d items", EFFECT_ITEMS_MOST);
  if (r->failed) return;
  c->item[c->first + c->last] = t;
  if (c->has_rest && sequence)
    c->last++;
  else
    c->first++;
  expect(r, sequence ? ">" : "}");
}

static void read_contents(struct reader *r) {
  struct effect_contents *c = r->after ? &r->e.after : &r->e.before;
  const char *from = r->at;
  if (r->seen[r->after]) wrong(r, from, "the contents are given twice");
  r->seen[r->after] = true;
  for (bool more = true; more && !r->failed;) {
    skip_blanks(&r->at);
    const char *at = r->at;
    if (accept_sign(&r->at, "<"))
      read_item(r, c, at, true);
    else if (accept_sign(&r->at, "{"))
      read_item(r, c, at, false);
    else if (!accept_word(r, "A"))
      wrong(r, at, CONTENTS_EXPECTED);
    else if (c->has_rest)
      wrong(r, at, "the contents have one rest, A, and not two");
    else
      c->has_rest = true;
    skip_blanks(&r->at);
    at = r->at;
    more = accept_sign(&r->at, ".") || accept_sign(&r->at, "+");
    if (more) set_kind(r, at, *at == '.');
  }
}

/* "v not in A", where the contents are A: of a value that is known. */
static void read_condition(struct reader *r) {
  const char *at = r->at;
  if (!is_letter(*at) && !isdigit((unsigned char)*at)) wrong(r, at, CONTENTS_EXPECTED);
  struct effect_term t = read_term(r, false);
  bool not_in = accept_word(r, "not") && accept_word(r, "in") && accept_word(r, "A");
  if (r->failed) return;
  if (!not_in)
    wrong(r, at, "contents, or a condition such as 'v not in A', are expected here");
  else if (r->after)
    wrong(r, at, "a condition is of what is before the operation: write it before =>");
  else if (r->e.has_absent)
    wrong(r, at, "a second condition");
  set_kind(r, at, false);
  r->e.has_absent = true;
  r->e.absent = t;
}

static void read_result(struct reader *r) {
  static const struct {
    const char *word;
    enum effect_result result;
  } words[] = {{"ok", RETURNS_OK}, {"empty", RETURNS_EMPTY}, {"true", RETURNS_TRUE}, {"false", RETURNS_FALSE}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (accept_word(r, words[i].word)) {
      r->e.result = words[i].result;
      return;
    }
  skip_blanks(&r->at);
  const char *at = r->at;
  if (!is_letter(*at) && !isdigit((unsigned char)*at) && *at != '-')
    wrong(r, at, "a result is expected here: a name, a number, empty, true, false or ok");
  r->e.value = read_term(r, false);
  r->e.result = RETURNS_VALUE;
}

/* Contents and conditions up to the sign, or to the end. */
static void read_side(struct reader *r) {
  do {
    skip_blanks(&r->at);
    const char *at = r->at;
    bool rest = accept_word(r, "A");
    r->at = at;
    if (*at == '<' || *at == '{' || rest)
      read_contents(r);
    else if (r->after && accept_word(r, "returns")) {
      read_result(r);
      return;
    } else
      read_condition(r);
  } while (!r->failed && accept_sign(&r->at, ","));
}

static bool same_term(const struct effect_term *a, const struct effect_term *b) {
  return a->kind == b->kind && a->name == b->name && a->number == b->number;
}

/* An effect whose sides are written alike; what is written otherwise and comes to the same is only slower to prove. */
static bool leaves_alone(const struct effect *e) {
  const struct effect_contents *b = &e->before, *a = &e->after;
  bool same = a->has_rest == b->has_rest && a->first == b->first && a->last == b->last;
  for (unsigned i = 0; same && i < a->first + a->last; i++) same = same_term(&a->item[i], &b->item[i]);
  return same;
}

static void read_effect(struct reader *r, const char *text) {
  r->start = r->at = text;
  read_side(r);
  if (!r->failed && !r->seen[0])
    wrong(r, text, "the contents before the operation are missing: contents => contents, returns result");
  if (!r->failed && !accept_sign(&r->at, "=>"))
    wrong(r, r->at, *r->at ? "',' or '=>' is expected here" : "'=>' is missing: contents => contents, returns result");
  r->after = true;
  if (!r->failed) read_side(r);
  skip_blanks(&r->at);
  if (!r->failed && !r->seen[1])
    wrong(r, r->at, "the contents after the operation are missing: contents => contents, returns result");
  if (*r->at) wrong(r, r->at, "the effect should end here");
  if (r->e.after.has_rest && !r->e.before.has_rest) wrong(r, text, "A stands after the operation, but not before it");
  if (r->e.has_absent && !r->e.before.has_rest) wrong(r, text, "'not in A', but the contents have no A");
  r->e.pure = leaves_alone(&r->e);
  r->e.names = r->names;
}

/* "push(v)": the operation, with names for its arguments. */
static size_t read_head(struct reader *r, const char *head) {
  r->start = r->at = head;
  size_t length = read_word(r);
  if (!length) wrong(r, head, "the name of an operation is expected here");
  if (accept_sign(&r->at, "(") && !accept_sign(&r->at, ")")) {
    do {
      skip_blanks(&r->at);
      const char *at = r->at;
      size_t n = read_word(r);
      if (!n)
        wrong(r, at, "the name of an argument is expected here");
      else if (is_word(at, n, "A"))
        wrong(r, at, "A is the contents: an argument needs another name");
      else if (find_name(r, at, n) >= 0)
        wrong(r, at, "a second argument of this name");
      else if (r->names == ARGS_MOST)
        wrong(r, at, "an operation takes at most %d arguments", ARGS_MOST);
      else
        add_name(r, at, n);
    } while (!r->failed && accept_sign(&r->at, ","));
    expect(r, ")");
  }
  skip_blanks(&r->at);
  if (*r->at) wrong(r, r->at, "an operation is written push(v), or pop");
  r->e.args = r->names;
  return length;
}

static struct effect_op *op_called(struct reader *r, const char *name, size_t length) {
  struct effects *all = r->all;
  for (size_t i = 0; i < all->ops.count; i++)
    if (is_word(name, length, all->ops.at[i].name)) {
      r->e.op = (unsigned)i;
      if (all->ops.at[i].args != r->e.args)
        wrong(r, name, "another effect of %.*s has %u arguments", (int)(length > 60 ? 60 : length), name,
              all->ops.at[i].args);
      return &all->ops.at[i];
    }
  struct effect_op op = {.name = mem_string(r->mem, name, length), .args = r->e.args, .pure = true};
  r->e.op = (unsigned)all->ops.count;
  vec_push(r->mem, &all->ops, op);
  return &all->ops.at[r->e.op];
}

/* An operation returns true and false, or values and empty, or nothing. */
static void join_results(struct reader *r, struct effect_op *op, bool first) {
  bool silent = r->e.result == RETURNS_OK, truth = r->e.result == RETURNS_TRUE || r->e.result == RETURNS_FALSE;
  if (!first && (op->silent != silent || op->truth != truth))
    wrong(r, r->start,
          "another effect of %.60s returns %s: all return true or false, or all a value or empty, or none anything",
          op->name,
          op->silent  ? "nothing"
          : op->truth ? "true or false"
                      : "a value or empty");
  op->silent = silent;
  op->truth = truth;
  op->pure &= r->e.pure;
}

bool effects_read(struct mem *m, const char *name, const struct effect_text *texts, size_t count, struct effects *out,
                  struct effect_problem *why) {
  *out = (struct effects){.name = name};
  bool kind_known = false;
  for (size_t i = 0; i < count; i++) {
    struct reader r = {.mem = m, .all = out, .why = why, .kind_known = kind_known, .is_sequence = out->sequence};
    *why = (struct effect_problem){.which = i, .in_head = true};
    size_t length = read_head(&r, texts[i].head), known = out->ops.count;
    struct effect_op *op = r.failed ? NULL : op_called(&r, texts[i].head + strspn(texts[i].head, " \t"), length);
    if (r.failed) return false;
    why->in_head = false;
    read_effect(&r, texts[i].text);
    if (!r.failed) join_results(&r, op, out->ops.count > known);
    if (r.failed) return false;
    kind_known = r.kind_known;
    out->sequence = r.is_sequence;
    vec_push(m, &out->list, r.e);
  }
  if (!kind_known) out->sequence = true; /* nothing is ever put in or taken out */
  return true;
}

bool effects_of_entries(struct mem *m, const char *name, const struct asif_entry *const *entries, size_t count,
                        struct effects *out, const struct asif_entry **wrong, struct problem *problem) {
  struct effect_text *texts = mem_zero(m, count + 1, sizeof *texts);
  const struct asif_entry **from = mem_zero(m, count + 1, sizeof *from);
  size_t n = 0;
  *wrong = NULL;
  problem->text[0] = 0;
  for (size_t i = 0; i < count; i++) {
    const struct asif_entry *e = entries[i];
    if (e->kind != ASIF_ENTRY_EFFECT) continue;
    from[n] = e;
    texts[n++] =
        (struct effect_text){mem_string(m, e->name, strlen(e->name)), mem_string(m, e->written, strlen(e->written))};
  }
  struct effect_problem why;
  if (!n) return false;
  if (effects_read(m, name, texts, n, out, &why)) return true;
  *wrong = from[why.which];
  problem_set(problem, "effect of %.*s: %s", (int)strcspn(texts[why.which].head, "("), texts[why.which].head, why.said);
  return false;
}

static const struct effect_text stack_effects[] = {
    {"push(v)", "A => <v> . A"}, {"pop", "<e> . A => A, returns e"}, {"pop", "<> => <>, returns empty"}};
static const struct effect_text queue_effects[] = {
    {"enq(v)", "A => A . <v>"}, {"deq", "<e> . A => A, returns e"}, {"deq", "<> => <>, returns empty"}};
static const struct effect_text set_effects[] = {
    {"add(v)", "A, v not in A => {v} + A, returns true"}, {"add(v)", "{v} + A => {v} + A, returns false"},
    {"remove(v)", "{v} + A => A, returns true"},          {"remove(v)", "A, v not in A => A, returns false"},
    {"contains(v)", "{v} + A => {v} + A, returns true"},  {"contains(v)", "A, v not in A => A, returns false"}};
static const struct effect_text multiset_effects[] = {{"add(v)", "A => {v} + A"},
                                                      {"remove(v)", "{v} + A => A, returns true"},
                                                      {"remove(v)", "A, v not in A => A, returns false"},
                                                      {"contains(v)", "{v} + A => {v} + A, returns true"},
                                                      {"contains(v)", "A, v not in A => A, returns false"}};

#define LIST(of) of, sizeof of / sizeof *of
static const struct {
  enum spec_family family;
  const struct effect_text *texts;
  size_t count;
} known[] = {{FAMILY_STACK, LIST(stack_effects)},
             {FAMILY_QUEUE, LIST(queue_effects)},
             {FAMILY_SET, LIST(set_effects)},
             {FAMILY_MULTISET, LIST(multiset_effects)}};

bool effects_of(struct mem *m, const struct spec *spec, struct effects *out) {
  struct effect_problem why;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (spec_is_plain(spec, known[i].family))
      return effects_read(m, spec->name, known[i].texts, known[i].count, out, &why);
  return false;
}
