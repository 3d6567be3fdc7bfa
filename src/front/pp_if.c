/* What #if and #elif ask: whole numbers of 64 bits, each signed or not. */
#include "front/pp.h"

struct value {
  uint64_t bits;
  bool is_unsigned;
};

struct question {
  struct pp *pp;
  const struct pp_token *t; /* the next token */
  uint32_t depth;
  uint32_t unasked; /* within what && || ?: do not ask for */
};

static struct value evaluate(struct question *, int least);

static void next(struct question *q) {
  uint32_t line;
  q->t = pp_get_solid(q->pp, &line);
}

static struct value number(uint64_t bits) { return (struct value){bits, false}; }
static bool negative(struct value v) { return !v.is_unsigned && v.bits >> 63; }

/* Only what is plain: the compiler reads the rest. */
static struct value read_char_constant(struct question *q) {
  static const char from[] = "ntrabfv\\'\"?e", to[] = "\n\t\r\a\b\f\v\\'\"?\033";
  const char *p = q->t->text;
  if (q->t->length == 3 && p[0] == '\'' && !(p[1] & 0x80)) return number((uint64_t)p[1]);
  const char *known = q->t->length == 4 && p[0] == '\'' && p[1] == '\\' ? strchr(from, p[2]) : NULL;
  if (known && *known) return number((uint64_t)to[known - from]);
  if (q->t->length == 4 && p[0] == '\'' && p[1] == '\\' && p[2] >= '0' && p[2] <= '7')
    return number((uint64_t)(p[2] - '0'));
  pp_compiler(q->pp, "a character constant like this in #if");
}

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/* u, l, ll and ul in any order, but lL is none. */
static bool suffix(const char *p, const char *end, bool *is_unsigned) {
  *is_unsigned = p < end && (*p == 'u' || *p == 'U');
  if (*is_unsigned) p++;
  if (p < end && (*p == 'l' || *p == 'L')) p += end - p > 1 && p[1] == *p ? 2 : 1;
  if (!*is_unsigned && p < end && (*p == 'u' || *p == 'U')) {
    *is_unsigned = true;
    p++;
  }
  return p == end;
}

static struct value read_number(struct question *q) {
  const char *p = q->t->text, *end = p + q->t->length;
  struct value v = {0, false};
  bool is_unsigned;
  int base = *p != '0' ? 10 : p[1] == 'x' || p[1] == 'X' ? 16 : p[1] == 'b' || p[1] == 'B' ? 2 : 8;
  if (base == 16 || base == 2) p += 2;
  const char *first = p;
  for (; p < end && digit_value(*p) < base; p++) {
    if (v.bits > (UINT64_MAX - (uint64_t)digit_value(*p)) / (uint64_t)base)
      pp_compiler(q->pp, "a number of more than 64 bits");
    v.bits = v.bits * (uint64_t)base + (uint64_t)digit_value(*p);
  }
  if (p == first || !suffix(p, end, &is_unsigned)) pp_wrong(q->pp, q->t, "#if takes whole numbers; this is none");
  v.is_unsigned = is_unsigned || v.bits >> 63;
  return v;
}

/* defined X, defined (X) */
static struct value read_defined(struct question *q) {
  q->pp->keep_macros++;
  next(q);
  bool bracket = pp_is(q->t, '(');
  if (bracket) next(q);
  if (q->t->kind != PP_NAME) pp_wrong(q->pp, q->t, "defined needs a name");
  bool is = pp_is_defined(q->pp, q->t->name);
  if (bracket) {
    next(q);
    if (!pp_is(q->t, ')')) pp_wrong(q->pp, q->t, ") is expected here");
  }
  q->pp->keep_macros--;
  return number(is);
}

/* __has_include("x.h") */
static struct value read_has_include(struct question *q, bool after) {
  const char *name;
  size_t length;
  bool quoted;
  next(q);
  if (!pp_is(q->t, '(') || q->pp->contexts.count || !pp_header_name(q->pp, &name, &length, &quoted))
    pp_compiler(q->pp, "__has_include like this");
  const struct pp_file *from = q->pp->buffer->file;
  bool found = length && (from->found && after ? pp_find_next(q->pp, name, length, from->found)
                                               : pp_find(q->pp, name, length, quoted, from->path));
  next(q);
  if (!pp_is(q->t, ')')) pp_wrong(q->pp, q->t, ") is expected here");
  return number(found);
}

/* __has_attribute(name) */
static struct value read_has(struct question *q) {
  const char *operator= q->t->name->text;
  next(q);
  bool plain = pp_is(q->t, '(');
  if (plain) next(q);
  int answer = plain && q->t->kind == PP_NAME ? predefined_answer(operator, q->t->name->text) : -1;
  if (answer < 0) pp_compiler(q->pp, "%s like this", operator);
  next(q);
  if (!pp_is(q->t, ')')) pp_compiler(q->pp, "%s like this", operator);
  return number(answer);
}

static struct value read_name(struct question *q) {
  if (q->t->name->special == SPECIAL_DEFINED) return read_defined(q);
  if (q->t->name->special == SPECIAL_HAS_INCLUDE) return read_has_include(q, false);
  if (q->t->name->special == SPECIAL_HAS_INCLUDE_NEXT) return read_has_include(q, true);
  if (q->t->name->special == SPECIAL_HAS && !q->t->name->macro) return read_has(q);
  return number(0);
}

static struct value in_brackets(struct question *q) {
  next(q);
  struct value v = evaluate(q, 0);
  if (!pp_is(q->t, ')')) pp_wrong(q->pp, q->t, ") is expected here");
  return v;
}

static struct value primary(struct question *q) {
  struct value v = number(0);
  switch (q->t->kind) {
  case PP_NUMBER: v = read_number(q); break;
  case PP_CHAR: v = read_char_constant(q); break;
  case PP_NAME: v = read_name(q); break;
  case PP_END: pp_wrong(q->pp, q->t, "#if needs a number here");
  default:
    if (!pp_is(q->t, '(')) pp_wrong(q->pp, q->t, "#if cannot ask this; a number is expected here");
    v = in_brackets(q);
  }
  next(q);
  return v;
}

static struct value unary(struct question *q) {
  uint32_t mark = q->t->kind == PP_MARK ? q->t->mark : 0;
  if (mark != '+' && mark != '-' && mark != '~' && mark != '!') return primary(q);
  if (++q->depth > PAREN_DEPTH_MOST) pp_wrong(q->pp, q->t, "#if is nested more than %d deep", PAREN_DEPTH_MOST);
  next(q);
  struct value v = unary(q);
  q->depth--;
  if (mark == '-') v.bits = -v.bits;
  if (mark == '~') v.bits = ~v.bits;
  return mark == '!' ? number(!v.bits) : v;
}

/* 0 if it is no operator. || is the weakest but ?: and the comma. */
static int strength(const struct pp_token *t) {
  switch (t->kind == PP_MARK ? t->mark : 0) {
  case ',': return 1;
  case '?': return 2;
  case PP_MARK2('|', '|'): return 3;
  case PP_MARK2('&', '&'): return 4;
  case '|': return 5;
  case '^': return 6;
  case '&': return 7;
  case PP_MARK2('=', '='):
  case PP_MARK2('!', '='): return 8;
  case '<':
  case '>':
  case PP_MARK2('<', '='):
  case PP_MARK2('>', '='): return 9;
  case PP_MARK2('<', '<'):
  case PP_MARK2('>', '>'): return 10;
  case '+':
  case '-': return 11;
  case '*':
  case '/':
  case '%': return 12;
  default: return 0;
  }
}

static struct value shift(struct question *q, struct value a, bool left, struct value by) {
  uint64_t n = by.bits;
  if (n >= 64 && q->pp->clang) pp_compiler(q->pp, "a shift beyond the word in #if");
  if (negative(by)) {
    left = !left;
    n = -n;
  }
  bool fill = !left && negative(a);
  if (n >= 64)
    a.bits = fill ? UINT64_MAX : 0;
  else if (left)
    a.bits <<= n;
  else
    a.bits = a.bits >> n | (fill && n ? UINT64_MAX << (64 - n) : 0);
  return a;
}

static struct value divide(struct question *q, struct value a, struct value b, bool rest, bool is_unsigned) {
  if (!b.bits) {
    if (!q->unasked) pp_stop(q->pp, PP_WRONG, pp_line(q->pp), 1, "division by zero in #if");
    return (struct value){0, is_unsigned};
  }
  if (is_unsigned) return (struct value){rest ? a.bits % b.bits : a.bits / b.bits, true};
  uint64_t x = negative(a) ? -a.bits : a.bits, y = negative(b) ? -b.bits : b.bits, z = rest ? x % y : x / y;
  bool minus = rest ? negative(a) : negative(a) != negative(b);
  return number(minus ? -z : z);
}

static struct value compare(uint32_t mark, struct value a, struct value b, bool is_unsigned) {
  bool less = is_unsigned ? a.bits < b.bits : (int64_t)a.bits < (int64_t)b.bits, same = a.bits == b.bits;
  switch (mark) {
  case '<': return number(less);
  case '>': return number(!less && !same);
  case PP_MARK2('<', '='): return number(less || same);
  case PP_MARK2('>', '='): return number(!less);
  default: return number(same == (mark == PP_MARK2('=', '=')));
  }
}

static struct value apply(struct question *q, uint32_t mark, struct value a, struct value b) {
  bool is_unsigned = a.is_unsigned || b.is_unsigned;
  switch (mark) {
  case ',': return b;
  case '|': return (struct value){a.bits | b.bits, is_unsigned};
  case '^': return (struct value){a.bits ^ b.bits, is_unsigned};
  case '&': return (struct value){a.bits & b.bits, is_unsigned};
  case '+': return (struct value){a.bits + b.bits, is_unsigned};
  case '-': return (struct value){a.bits - b.bits, is_unsigned};
  case '*': return (struct value){a.bits * b.bits, is_unsigned};
  case '/':
  case '%': return divide(q, a, b, mark == '%', is_unsigned);
  case PP_MARK2('<', '<'):
  case PP_MARK2('>', '>'): return shift(q, a, mark == PP_MARK2('<', '<'), b);
  default: return compare(mark, a, b, is_unsigned);
  }
}

/* Behind the ?. */
static struct value choose(struct question *q, struct value condition) {
  q->unasked += !condition.bits;
  struct value yes = evaluate(q, 0);
  q->unasked -= !condition.bits;
  if (!pp_is(q->t, ':')) pp_wrong(q->pp, q->t, ": is expected here, to go with ?");
  next(q);
  q->unasked += condition.bits != 0;
  struct value no = evaluate(q, 2);
  q->unasked -= condition.bits != 0;
  return (struct value){condition.bits ? yes.bits : no.bits, yes.is_unsigned || no.is_unsigned};
}

/* && and ||: what is to the right is not asked for if the left decides. */
static struct value decide(struct question *q, struct value left, bool decided_by, int least) {
  bool decided = (left.bits != 0) == decided_by;
  q->unasked += decided;
  struct value right = evaluate(q, least);
  q->unasked -= decided;
  return number(decided ? decided_by : right.bits != 0);
}

/* An expression of operators that bind at least so strongly. */
static struct value evaluate(struct question *q, int least) {
  if (++q->depth > PAREN_DEPTH_MOST) pp_wrong(q->pp, q->t, "#if is nested more than %d deep", PAREN_DEPTH_MOST);
  struct value v = unary(q);
  for (int power; (power = strength(q->t)) && power >= least;) {
    uint32_t mark = q->t->mark;
    if (mark == ',' && q->pp->clang) pp_compiler(q->pp, "a comma in #if");
    next(q);
    if (mark == '?')
      v = choose(q, v);
    else if (mark == PP_MARK2('|', '|') || mark == PP_MARK2('&', '&'))
      v = decide(q, v, mark == PP_MARK2('|', '|'), power + 1);
    else
      v = apply(q, mark, v, evaluate(q, power + 1));
  }
  q->depth--;
  return v;
}

bool pp_condition_holds(struct pp *pp) {
  struct question q = {.pp = pp};
  next(&q);
  struct value v = evaluate(&q, 0);
  if (q.t->kind != PP_END) pp_wrong(pp, q.t, "the condition should end here");
  return v.bits != 0;
}
