/* Operation counting logic: reading, printing, evaluating, formulas of one's own. ASIF_TEST_HISTORIES sets how many
 * random histories. */
#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "approx/formula.h"
#include "approx/monitor.h"
#include "approx/order.h"
#include "brute.h"
#include "check/check.h"
#include "formulas.h"
#include "generate/generate.h"
#include "test.h"

/* Reading and printing. */

TEST(approx_formula_printing) {
  static const char *const texts[] = {
      "violation: exists x, y: is(x, enq) and is(y, deq) and arg(x) = result(y)",
      "for queue, \"k-fifo\" forget balanced violation \"{x} and {arg(x)} of {result(x)}\": exists x: some i in 0..k: "
      "#(x, i, i) "
      "> 0",
      "define f(x, i) = total(x, 0, i) - 1 + 2 - (3 - 4) define g() = k violation: forall x: f(x, g()) >= -1 implies "
      "not not "
      "pending(x)",
      "violation: (sum i in 0..k, j in i..k: #(enq(5), i, j)) = (count x: is(x, \"pop-front\")) or (1 < 2 or 2 < 3) "
      "and (3 < 4 "
      "and 4 < 5)",
      "violation: exists x: arg(x, 2) != \"a b\" and result(x) <= -7 and x_y() = 1 and (1 = 1 implies 2 = 2)",
      "violation: every i in 0..k-1: total(deq => pending, i, k) = 0 and #(deq => empty, 0, i) = 0 and #(cas(1, nil) "
      "=> true, i, "
      "i) = 0",
      "define same(x, v) = arg(x) = v define last(x) = result(x) define in(v) = 1 violation: k = 1",
  };
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    struct problem why;
    bool fine = i != 4 && i != 6; /* calls what is no definition and compares a label; 'in' is a word of the language */
    struct formula *f = formula_parse(&m, "test", texts[i], strlen(texts[i]), &why);
    CHECKF(!f == !fine, "%s\n%s", texts[i], why.text);
    if (f) prints_as_itself(&m, texts[i]);
  }
  for (int i = 0; family_names[i]; i++) prints_as_itself(&m, family_named(family_names[i]));
  mem_close(&m);
}

/* Random formulas, as text with more brackets than needed. Labels x0..; numbers i0... */
struct writer {
  struct text *out;
  uint64_t seed;
  int labels, numbers; /* variables in scope */
  int depth;
};

static unsigned pick(struct writer *w, unsigned n) { return (unsigned)(random_next(&w->seed) % n); }

static void write_number(struct writer *, int size);
static void write_formula(struct writer *, int size);

static void write_value(struct writer *w) {
  switch (pick(w, w->labels ? 4 : 2)) {
  case 0: text_printf(w->out, "%u", pick(w, 4)); break;
  case 1: text_add(w->out, "empty"); break;
  case 2: text_printf(w->out, "arg(x%u)", pick(w, (unsigned)w->labels)); break;
  default: text_printf(w->out, "result(x%u)", pick(w, (unsigned)w->labels));
  }
}

static void write_label(struct writer *w) {
  if (w->labels && pick(w, 3)) {
    text_printf(w->out, "x%u", pick(w, (unsigned)w->labels));
    return;
  }
  bool enq = pick(w, 2);
  text_add(w->out, enq ? "enq(" : "deq");
  if (enq) write_value(w), text_char(w->out, ')');
  if (pick(w, 3) == 0) {
    text_add(w->out, " => pending");
  } else if (!enq) {
    text_add(w->out, " => ");
    write_value(w);
  }
}

static void write_counts(struct writer *w, int size) {
  text_add(w->out, pick(w, 2) ? "total(" : "#(");
  write_label(w);
  for (int i = 0; i < 2; i++) {
    text_add(w->out, ", ");
    write_number(w, size / 2);
  }
  text_char(w->out, ')');
}

static void write_number(struct writer *w, int size) {
  unsigned kind = pick(w, size > 0 ? 7 : 3);
  if (kind == 0)
    text_printf(w->out, "%u", pick(w, 3));
  else if (kind == 1)
    text_char(w->out, 'k');
  else if (kind == 2)
    w->numbers ? text_printf(w->out, "i%u", pick(w, (unsigned)w->numbers)) : text_char(w->out, '1');
  else if (kind <= 4)
    write_counts(w, size - 1);
  else if (kind == 5 && size > 1 && w->labels < 3) {
    text_printf(w->out, "(count x%d: ", w->labels++);
    write_formula(w, size - 2);
    text_char(w->out, ')');
    w->labels--;
  } else {
    text_char(w->out, '(');
    write_number(w, size - 1);
    text_add(w->out, pick(w, 2) ? " + " : " - ");
    write_number(w, size - 1);
    text_char(w->out, ')');
  }
}

static void write_formula(struct writer *w, int size) {
  static const char *const signs[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
  unsigned kind = pick(w, size > 0 ? 10 : 4);
  text_char(w->out, '(');
  if (kind == 0 && w->labels)
    text_printf(w->out, "is(x%u, %s)", pick(w, (unsigned)w->labels), pick(w, 2) ? "enq" : "deq");
  else if (kind == 1 && w->labels)
    text_printf(w->out, "pending(x%u)", pick(w, (unsigned)w->labels));
  else if (kind == 2 && w->labels) {
    text_printf(w->out, pick(w, 2) ? "arg(x%u)" : "result(x%u)", pick(w, (unsigned)w->labels));
    text_add(w->out, signs[pick(w, 2)]);
    write_value(w);
  } else if (kind <= 3) {
    write_number(w, size);
    text_add(w->out, signs[pick(w, 6)]);
    text_char(w->out, 'k'); /* so that it is known that these are numbers */
  } else if (kind == 4) {
    text_add(w->out, "not ");
    write_formula(w, size - 1);
  } else if (kind <= 6) {
    const char *word = (const char *[]){" and ", " or ", " implies "}[pick(w, 3)];
    unsigned more = *(word + 1) == 'i' ? 2 : 2 + pick(w, 2);
    for (unsigned i = 0; i < more; i++) {
      if (i) text_add(w->out, word);
      write_formula(w, size - 1);
    }
  } else if (kind <= 8 && w->labels < 3) {
    unsigned vars = 1 + pick(w, w->labels < 2 ? 2 : 1);
    text_add(w->out, pick(w, 2) ? "exists " : "forall ");
    for (unsigned i = 0; i < vars; i++) text_printf(w->out, "%sx%d", i ? ", " : "", w->labels++);
    text_add(w->out, ": ");
    write_formula(w, size - 1);
    w->labels -= (int)vars;
  } else {
    text_printf(w->out, "%s i%d in ", pick(w, 2) ? "some" : "every", w->numbers);
    write_number(w, 0);
    text_add(w->out, "..");
    write_number(w, 0);
    text_add(w->out, ": ");
    w->numbers++;
    write_formula(w, size - 1);
    w->numbers--;
  }
  text_char(w->out, ')');
}

static const char *random_formula(struct mem *m, uint64_t seed, struct text *out) {
  text_open(out, m);
  struct writer w = {.out = out, .seed = seed};
  text_add(out, "violation: ");
  write_formula(&w, 1 + (int)(seed % 4));
  return text_string(out);
}

TEST(approx_formula_printing_random) {
  for (volatile uint64_t seed = 0; seed < 5000; seed++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    struct text t;
    prints_as_itself(&m, random_formula(&m, seed, &t));
    mem_close(&m);
  }
}

/* Evaluation, told plainly: every quantifier goes over all labels, and nothing is left out. */
struct plain {
  struct counting *c;
  const struct spec *spec;
  struct {
    int64_t number;
    struct approx_label label;
  } var[FORMULA_VARS];
};

static bool plain_true(struct plain *, const struct node *);

static value plain_value(struct plain *p, const struct node *n) {
  if (n->type == NODE_ARG) return p->var[n->kids[0]->var].label.arg[0];
  return n->type == NODE_RESULT ? p->var[n->kids[0]->var].label.result : n->special;
}

static int64_t plain_count(struct plain *p, const struct node *n, int64_t i, int64_t j) {
  struct approx_label l = {
      .method = (uint16_t)n->method, .pending = n->pending, .result = n->pending ? V_UNKNOWN : V_NONE};
  if (n->type == NODE_VAR) {
    l = p->var[n->var].label;
  } else {
    uint32_t args = n->kid_count - n->has_result;
    for (uint32_t a = 0; a < OP_ARGS; a++) l.arg[a] = a < args ? plain_value(p, n->kids[a]) : V_NONE;
    if (n->has_result) l.result = plain_value(p, n->kids[args]);
  }
  int64_t at = counting_find(p->c, &l), k = counting_k(p->c);
  return at < 0 || i < 0 || j < i || j > k
             ? 0
             : (int64_t)counting_at(p->c, (uint32_t)at)[approx_interval((unsigned)k, (unsigned)i, (unsigned)j)];
}

static int64_t plain_number(struct plain *p, const struct node *n) {
  int64_t a, b, sum = 0, k = counting_k(p->c);
  switch (n->type) {
  case NODE_INT: return n->number;
  case NODE_K: return k;
  case NODE_VAR: return p->var[n->var].number;
  case NODE_ADD: return plain_number(p, n->kids[0]) + plain_number(p, n->kids[1]);
  case NODE_SUB: return plain_number(p, n->kids[0]) - plain_number(p, n->kids[1]);
  case NODE_COUNT:
    for (uint32_t l = 0; l < counting_labels(p->c); l++) {
      if (!counting_occurs(p->c, l)) continue;
      p->var[n->var].label = counting_label(p->c, l);
      sum += plain_true(p, n->kids[0]);
    }
    return sum;
  default:
    a = plain_number(p, n->kids[1]);
    b = plain_number(p, n->kids[2]);
    if (n->type == NODE_HASH) return plain_count(p, n->kids[0], a, b);
    for (int64_t i = 0; i <= k; i++)
      for (int64_t j = i; j <= k; j++)
        if (a <= b && i <= b && j >= a) sum += plain_count(p, n->kids[0], i, j);
    return sum;
  }
}

/* Quantifiers, a variable at a time. */
static bool plain_quantifier(struct plain *p, const struct node *n, uint32_t at) {
  bool all = n->type == NODE_FORALL || n->type == NODE_EVERY;
  if (at == n->vars) return plain_true(p, n->kids[n->kid_count - 1]);
  if (n->type == NODE_SOME || n->type == NODE_EVERY) {
    int64_t from = plain_number(p, n->kids[2 * at]), to = plain_number(p, n->kids[2 * at + 1]);
    for (int64_t i = from; i <= to; i++) {
      p->var[n->var + at].number = i;
      if (plain_quantifier(p, n, at + 1) != all) return !all;
    }
    return all;
  }
  for (uint32_t l = 0; l < counting_labels(p->c); l++) {
    if (!counting_occurs(p->c, l)) continue;
    p->var[n->var + at].label = counting_label(p->c, l);
    if (plain_quantifier(p, n, at + 1) != all) return !all;
  }
  return all;
}

static bool plain_compare(enum compare c, int64_t a, int64_t b) {
  return c == COMPARE_EQ   ? a == b
         : c == COMPARE_NE ? a != b
         : c == COMPARE_LT ? a < b
         : c == COMPARE_LE ? a <= b
         : c == COMPARE_GT ? a > b
                           : a >= b;
}

static bool plain_true(struct plain *p, const struct node *n) {
  bool yes = n->type == NODE_AND;
  switch (n->type) {
  case NODE_COMPARE:
    if (n->kids[0]->kind == KIND_VALUE)
      return plain_compare(n->compare, plain_value(p, n->kids[0]), plain_value(p, n->kids[1]));
    return plain_compare(n->compare, plain_number(p, n->kids[0]), plain_number(p, n->kids[1]));
  case NODE_IS: return p->var[n->kids[0]->var].label.method == n->method;
  case NODE_PENDING: return p->var[n->kids[0]->var].label.pending;
  case NODE_NOT: return !plain_true(p, n->kids[0]);
  case NODE_AND:
  case NODE_OR:
    for (uint32_t i = 0; i < n->kid_count; i++)
      yes = yes ? plain_true(p, n->kids[i]) : n->type == NODE_OR && plain_true(p, n->kids[i]);
    if (n->type == NODE_OR)
      for (uint32_t i = 0; i < n->kid_count; i++) yes |= plain_true(p, n->kids[i]);
    return yes;
  case NODE_IMPLIES: return !plain_true(p, n->kids[0]) || plain_true(p, n->kids[1]);
  default: return plain_quantifier(p, n, 0);
  }
}

TEST(approx_formula_evaluation) {
  volatile long yes = 0, no = 0;
  for (volatile long i = 0; i < histories(20000); i++) {
    struct mem m;
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    uint64_t seed = (uint64_t)i * 40503 + 11;
    struct spec spec = spec_of(&m, "queue");
    bool *precedes;
    struct random_options options = {.most_ops = 8, .distinct = i % 2, .times = false};
    struct history *h = random_history(&m, &spec, &seed, &options, &precedes);
    struct text t;
    struct formula *f = bound(&m, random_formula(&m, (uint64_t)i, &t), &spec);
    struct counting *c = count_history(&m, h, (unsigned)(i % 4), h->events);
    struct plain plain = {.c = c, .spec = &spec};
    bool want = plain_true(&plain, f->violations.at[0]->body);
    struct formula_eval *e = formula_eval_new(&m, f, &spec, c);
    CHECKF(formula_true(e, 0) == want && formula_explain(e, 0) == want && (formula_violated(e) == 0) == want, "%s",
           text_string(&t));
    *(want ? &yes : &no) += 1;
    mem_close(&m);
  }
  CHECKF(yes > histories(20000) / 20 && no > histories(20000) / 20, "%ld true, %ld false", yes, no);
}

/* What is wrong, and where. */
TEST(approx_formula_problems) {
  static const struct {
    const char *text, *problem;
  } cases[] = {
      {"define a(x) = k=1 or total(x,0,k)=1 or k=1 or k=1 or k=1 or k=1 or k=1 or k=1\n"
       "define b(x) = a(x) or a(x) or a(x) or a(x) or a(x) or a(x) or a(x) or a(x) or a(x) or a(x) or a(x) or a(x)\n"
       "define c(x) = b(x) or b(x) or b(x) or b(x) or b(x) or b(x) or b(x) or b(x) or b(x) or b(x) or b(x) or b(x)\n"
       "define d(x) = c(x) or c(x) or c(x) or c(x) or c(x) or c(x) or c(x) or c(x) or c(x) or c(x) or c(x) or c(x)\n"
       "violation: exists x: d(x) or d(x) or d(x) or d(x) or d(x) or d(x) or d(x) or d(x) or d(x)",
       "test:5:62: with all definitions put in, the formula has more than 262144 parts"},
      {"", "test:1:1: there is no 'violation': a formula file says what must not be seen\n\n^"},
      {"hello", "test:1:1: 'define', 'violation', 'for' or 'forget' is needed here\nhello\n^"},
      {"violation: exists x: is(x, enq) an", "test:1:33: 'define', 'violation', 'for' or 'forget' is needed here"},
      {"violation: exists x is(x, enq)",
       "test:1:21: ':' is missing after the variables\nviolation: exists x is(x, enq)\n                    ^"},
      {"violation: exists k: k = 1", "test:1:19: 'k' is a word of the language and cannot be the name of a variable"},
      {"violation: #(x, 0, 1) = 0", "test:1:14: 'x' is no variable here; a label is written x() or x => value"},
      {"violation: exists x: arg(x) = total(x, 0, k)", "test:1:31: this is a number; a value is needed here"},
      {"violation: exists x: x = x", "test:1:22: 'x' is a label; a number is needed here"},
      {"violation: k", "test:1:12: this is a number; a formula is needed here"},
      {"violation: 1 = 1 and k", "test:1:22: this is a number; a formula is needed here"},
      {"violation:\n  some i in 0: i = i",
       "test:2:14: '..' is missing between the bounds, as in 0..k\n  some i in 0: i = i\n             ^"},
      {"violation: (1 = 1", "test:1:18: ')' is missing to close the bracket"},
      {"violation: 1 = 99999999999999999999", "test:1:16: a number is at most 9223372036854775807"},
      {"violation \"unclosed: k = 1", "test:1:11: a text ends with \" on the same line, and has no zero bytes in it"},
      {"violation \"{z}\": exists x: k = 1",
       "test:1:11: 'z' in the sentence is no variable of an 'exists' that has only 'and' and 'some' around it"},
      {"violation \"{x}\": not (exists x: k = 1)", "test:1:11: 'x' in the sentence is no variable"},
      {"violation \"{x\": exists x: k = 1", "test:1:11: the sentence has a '{' without '}'"},
      {"violation: k = 1 ?", "test:1:18: '?' has no meaning here"},
      {"violation: k = 1 \x01", "test:1:18: byte 1 has no meaning here"},
      {"define f(x) = 1 violation: k = 1", "test:1:8: the parameter 'x' is not used"},
      {"define f(x) = arg(x) = 1 violation: f(1)", "test:1:39: this is a number; a label is needed here"},
      {"define f(x) = arg(x) = 1 violation: exists x: f(x, x)", "test:1:52: 'f' has 1 parameter"},
      {"define f(x) = arg(x) = 1 violation: f()", "test:1:37: 'f' has 1 parameter, not 0"},
      {"define f(x, x) = arg(x) = 1 violation: k = 1", "test:1:13: 'x' is a parameter already"},
      {"define f() = k define f() = k violation: k = 1", "test:1:23: 'f' is defined already"},
      {"define f(a, b) = a = b violation: k = 1",
       "test:1:18: are these numbers or values? The kind of a parameter comes from where it is used before"},
      {"define f(x) = x violation: k = 1", "test:1:15: this is neither a number nor a formula"},
      {"forget all violation: k = 1", "test:1:8: 'forget' goes with 'balanced'"},
      {"violation: exists x: arg(x, 4) = 1", "test:1:29: which argument is a number from 1 to 3"},
      /* Found when it is bound to a queue. */
      {"violation: exists x: is(x, pish)", "test:1:22: 'pish' is no operation of queue, which has enq, deq"},
      {"violation: #(pish(1), 0, 0) = 0",
       "test:1:14: 'pish' is no operation of queue, which has enq, deq, and neither a variable nor a definition"},
      {"violation: #(enq(), 0, 0) = 0", "test:1:14: 'enq' takes 1 argument, not 0"},
      {"violation: #(deq(), 0, 0) = 0", "test:1:14: what did it return? Write deq => value, or deq => pending"},
      {"for stack violation: k = 1", "test: this formula is for stack, not for queue"},
  };
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct spec spec = spec_of(&m, "queue");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct problem why = {.text = ""};
    struct formula *f = formula_parse(&m, "test", cases[i].text, strlen(cases[i].text), &why);
    bool good = f && formula_bind(&m, f, &spec, &why);
    CHECKF(!good && !strncmp(why.text, cases[i].problem, strlen(cases[i].problem)), "%s\n  got  %s\n  want %s",
           cases[i].text, why.text, cases[i].problem);
  }
  /* Deep ones are refused, not crashed on. */
  static const char *const deep[] = {"(",    "not ", "exists x: ", "-", "1 = 1 implies ", "some i in 0..",
                                     "arg(", "f => "};
  for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
    struct text t;
    struct problem why;
    text_open(&t, &m);
    text_add(&t, "violation: ");
    for (int n = 0; n < 100000; n++) text_add(&t, deep[i]);
    CHECK(!formula_parse(&m, "test", t.at, t.count, &why) && !strncmp(why.text, "test:1:", 7));
  }
  mem_close(&m);
}

/* Formulas of the user's own, in a file. */
static struct monitor *own_formula(struct mem *m, const struct spec *spec, unsigned k, const char *text, char *path) {
  struct problem why;
  strcpy(path, "/tmp/asif-formula-XXXXXX");
  int fd = mkstemp(path);
  CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
  close(fd);
  struct monitor *x = monitor_of_formula(m, spec, k, path, &why);
  unlink(path);
  CHECKF(x, "%s", why.text);
  return x;
}

struct call {
  const char *op;
  int arg[2], args;
  value result;
};

static bool sequence(struct monitor *x, const struct call *calls, size_t count) {
  bool fine = true;
  for (size_t i = 0; i < count && fine; i++) {
    value arg[OP_ARGS] = {V_NONE, V_NONE, V_NONE};
    for (int a = 0; a < calls[i].args; a++) arg[a] = value_of_small(calls[i].arg[a]);
    int method = spec_op_find(&x->spec, calls[i].op, strlen(calls[i].op));
    CHECK(method >= 0);
    monitor_call(x, 0, (uint16_t)method, arg);
    fine = monitor_return(x, 0, calls[i].result);
  }
  return fine;
}

TEST(approx_formula_of_ones_own) {
  struct mem m;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) abort();
  struct violation v;
  struct problem why;
  char path[64];
  /* A register: a value is read that nobody has written. */
  struct spec spec = spec_of(&m, "register");
  struct monitor *x = own_formula(
      &m, &spec, 1,
      "for register\nviolation \"{result(x)} was read, but never written\":\n  exists x: is(x, read) and not "
      "pending(x) and\n"
      "    result(x) != nil and total(write(result(x)), 0, k) + total(write(result(x)) => pending, 0, k) = 0\n",
      path);
  CHECK(!sequence(x,
                  (struct call[]){{"write", {1}, 1, V_NONE},
                                  {"read", {0}, 0, value_of_small(1)},
                                  {"read", {0}, 0, value_of_small(2)}},
                  3));
  CHECKF(monitor_violation(&m, x, &v, &why), "%s", why.text);
  CHECK(!strcmp(v.said, "2 was read, but never written") && v.events == 6);
  /* A map, by key: only that key's operations are shown. */
  spec = spec_of(&m, "map");
  x = own_formula(
      &m, &spec, 2,
      "violation: exists x: is(x, get) and not pending(x) and result(x) = 7 and total(put(arg(x), 7) => nil, 0, k) = 0",
      path);
  static const struct call calls[] = {
      {"put", {1, 7}, 2, V_NIL}, {"put", {2, 5}, 2, V_NIL}, {"get", {1}, 1, 14}, {"get", {2}, 1, 14}};
  CHECK(!sequence(x, calls, 4));
  CHECKF(monitor_violation(&m, x, &v, &why), "%s", why.text);
  CHECK(v.history->ops.count == 2);
  /* A formula that is wrong: the exact checker does not agree, and the user is told. */
  spec = spec_of(&m, "queue");
  x = own_formula(&m, &spec, 2, "violation \"{x} is put in\":\n  exists x: is(x, enq)\n", path);
  CHECK(!sequence(x, (struct call[]){{"enq", {1}, 1, V_NONE}}, 1));
  CHECK(!monitor_violation(&m, x, &v, &why) && v.blamed);
  struct text want;
  text_open(&want, &m);
  text_printf(
      &want,
      "%s:2:3: the formula says \"Enq(1) -> ok is put in\", but the operations are linearizable: the formula is wrong\n"
      "  exists x: is(x, enq)\n  ^",
      path);
  CHECKF(!strcmp(why.text, text_string(&want)), "%s", why.text);
  /* Files that are not there, specifications it cannot be of, and k. */
  CHECK(!monitor_of_formula(&m, &spec, 2, "/nowhere/x", &why) && strstr(why.text, "/nowhere/x: No such file"));
  CHECK(!monitor_of_formula(&m, &spec, 2, "stack", &why) &&
        strstr(why.text, "stack: this formula is for stack, not for queue"));
  CHECK(!monitor_of_formula(&m, &spec, 9, "queue", &why) && strstr(why.text, "k up to 8"));
  spec = spec_of(&m, "lock");
  CHECK(!formula_bind(&m, formula_of(&m, "violation: k = 1"), &spec, &why) &&
        strstr(why.text, "depends on the process"));
  spec = spec_of(&m, "register");
  CHECK(!formula_bind(&m, formula_of(&m, "forget balanced violation: k = 1"), &spec, &why) &&
        strstr(why.text, "is for queue and stack"));
  mem_close(&m);
}

/* The page on formulas shows the bundled ones as they are. */
TEST(approx_formula_docs) {
  static char page[1 << 17];
  FILE *file = fopen("docs/formulas.md", "rb");
  CHECK(file);
  page[fread(page, 1, sizeof page - 1, file)] = 0;
  fclose(file);
  for (int i = 0; family_names[i]; i++)
    CHECKF(strstr(page, family_named(family_names[i])), "docs/formulas.md does not show %s", family_names[i]);
}

/* What fuzzing found stays found: everything is read or refused, and what is read is printed as itself. */
TEST(approx_formula_fuzz_corpus) {
  static char bytes[1 << 16];
  volatile int count = 0, good = 0;
  DIR *d = opendir("tests/fuzz/corpus-formula");
  CHECK(d);
  for (struct dirent *e; (e = readdir(d));) {
    char path[600];
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "tests/fuzz/corpus-formula/%s", e->d_name);
    FILE *file = fopen(path, "rb");
    CHECK(file);
    size_t n = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[n] = 0;
    struct mem m;
    struct problem why = {.text = ""};
    mem_open(&m, NULL);
    if (MEM_GUARD(&m)) abort();
    fprintf(stderr, "%s\n", path);
    if (formula_parse(&m, path, bytes, n, &why))
      prints_as_itself(&m, bytes), good++;
    else
      CHECK(strchr(why.text, ':'));
    count++;
    mem_close(&m);
  }
  closedir(d);
  CHECK(count > 10 && good > 3 && good < count);
}
