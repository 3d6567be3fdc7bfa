/* Operation counting logic (Bouajjani et al. 2015, Figure 3): formulas over the counting representation, in a text
 * form.
 *
 *   for queue                                          which specifications it is of; optional
 *   forget balanced                                    values that are gone and long ago are counted no more; queue and
 * stack define before(x, y) = some i in 0..k-1: total(x, i + 1, k) = 0 and total(y, 0, i) = 0 violation "{y} before
 * {x}": exists x, y: is(x, enq) and is(y, deq) and arg(x) = result(y) and before(y, x)
 *
 * A formula file says what must NOT be seen: it is violated by a history of which one of its violations is true.
 * docs/formulas.md has the language whole.
 *
 * total(x, i, j) is the number of x operations whose interval MEETS [i, j]. (Figure 4 prints the number of those inside
 * [i, j]; before_k would then say no more than that x ends before y ends, and call a pop that overlaps its push a
 * violation. The text, "all l1 operations end before an l1' operation starts", and the proof of Theorem 4 are right
 * with this reading only.) */
#ifndef ASIF_APPROX_FORMULA_H
#define ASIF_APPROX_FORMULA_H

#include "approx/count.h"
#include "base/mem.h"
#include "spec/spec.h"

/* What an expression stands for. A number written in the text may be a value; a parameter has no kind until it is used.
 */
enum formula_kind { KIND_ANY, KIND_NUMBER, KIND_VALUE, KIND_LABEL, KIND_FORMULA };

enum node_type {
  NODE_INT,     /* number; a number or an integer value, by kind */
  NODE_K,       /* the length k */
  NODE_TEXT,    /* name: a value that is a text */
  NODE_SPECIAL, /* special: empty, nil, true, false, full, ok */
  NODE_VAR,     /* var */
  NODE_HASH,    /* #(label, i, j): operations with this label and interval */
  NODE_TOTAL,   /* total(label, i, j): those whose interval meets [i, j] */
  NODE_ADD,
  NODE_SUB,
  NODE_SUM,     /* sum i in a..b, ...: number. Ranges' bounds two by two, then the body */
  NODE_COUNT,   /* count x: formula. How many labels satisfy it */
  NODE_ARG,     /* arg(label), arg(label, 2): number is which, from 1 */
  NODE_RESULT,  /* result(label) */
  NODE_LABEL,   /* enq(5), deq => 5, deq => pending: name; arguments, then the result if has_result */
  NODE_COMPARE, /* compare */
  NODE_IS,      /* is(label, name) */
  NODE_PENDING, /* pending(label) */
  NODE_NOT,
  NODE_AND,
  NODE_OR,
  NODE_IMPLIES,
  NODE_EXISTS,
  NODE_FORALL, /* over occurring labels: vars, body */
  NODE_SOME,
  NODE_EVERY, /* over numbers: vars, bounds two by two, then the body */
  NODE_CALL   /* of a definition */
};
enum compare { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };

enum { FORMULA_VARS = 32 }; /* in one definition or violation, its parameters too */

struct definition;
/* The parts of a formula that must all be true, in the order they are tried: when their variables are bound, the cheap
 * ones first. */
struct part {
  const struct node *node;
  bool negated;
  uint8_t depth; /* how many variables of the quantifier it needs */
};
struct plan {
  struct part *parts; /* by depth */
  uint32_t count;
  int methods[FORMULA_VARS]; /* of a quantifier: each variable is of this operation, or -1 */
};

struct node {
  uint8_t type, kind;       /* enum node_type, enum formula_kind */
  uint8_t compare;          /* enum compare */
  bool has_result, pending; /* NODE_LABEL: => value, => pending */
  uint8_t var, vars;        /* the variable, or the first of those bound here; how many */
  uint8_t cost;             /* of telling it: 0 labels alone, 1 counts, 2 quantifiers */
  uint32_t uses;            /* the variables in it, a bit each */
  uint32_t line, col;
  int64_t number;
  value special;
  int method; /* NODE_IS, NODE_LABEL: once bound */
  const char *name;
  const struct definition *definition;
  const struct plan *plan; /* NODE_AND and quantifiers over labels: once bound */
  struct node **kids;
  uint32_t kid_count;
};

struct variable {
  const char *name;
  uint8_t kind; /* of parameters, known when the definition has been read */
};

struct definition {
  const char *name;
  uint32_t params, vars; /* parameters are the first variables */
  struct variable variables[FORMULA_VARS];
  struct node *body;
  uint32_t depth; /* definitions within definitions */
  uint64_t size;  /* nodes, with those of the definitions it uses */
};

struct formula_violation {
  const char *sentence; /* as written, with {x}, {arg(x)}, {result(x)} in it; NULL where there is none */
  uint32_t vars;
  struct variable variables[FORMULA_VARS];
  struct node *body;
};

struct formula {
  const char *source, *text; /* file name; what was read, for messages */
  size_t size;
  VEC(const char *) specs; /* it is for these; any if none */
  bool forget;
  VEC(struct definition *) definitions;
  VEC(struct formula_violation *) violations;
};

/* formula_parse.c */
struct formula *formula_parse(struct mem *, const char *source, const char *text, size_t size, struct problem *);
/* formula_tokens.c: says what is wrong at a place of the text, with the line and a caret. */
void formula_problem(const struct formula *, const struct node *, struct problem *, const char *, ...)
    __attribute__((format(printf, 4, 5)));

/* formula_print.c: text that reads as the same formula. */
void formula_print(const struct formula *, struct text *);
void node_print(const struct variable *, const struct node *, struct text *);

/* formula_bind.c: operation names are those of the specification, which is bound (spec.values). */
bool formula_bind(struct mem *, struct formula *, const struct spec *, struct problem *);

/* formula_eval.c: evaluation of a bound formula over a counting. */
struct formula_eval;
struct formula_eval *formula_eval_new(struct mem *, const struct formula *, const struct spec *, struct counting *);
/* The first of its violations that is true, or -1. */
int formula_violated(struct formula_eval *);
bool formula_true(struct formula_eval *, unsigned violation); /* is this one? */
/* What makes a violation true: the same as formula_true, and keeps the labels that matter, in formula_witness. */
bool formula_explain(struct formula_eval *, unsigned violation);
const uint32_t *formula_witness(const struct formula_eval *, size_t *count);
/* The sentence of the violation explained, with the witnesses put in; or its formula. */
void formula_say(struct formula_eval *, unsigned violation, struct text *);

/* formula.c: the monitor of a formula that is bound to the specification. Bundled: one that comes with Asif.
 * monitor_of_formula is for everyone else. */
struct monitor;
struct monitor *formula_monitor(struct mem *, const struct spec *, unsigned k, struct formula *, bool bundled);

/* families.c: the families of Figure 4, as text. */
const char *family_named(const char *name); /* one of family_names; NULL if there is none */
extern const char *const family_names[];    /* NULL-terminated */
/* families_complete.c: the complete family of length k <= 2 (section 7.2) of queue or stack, as text: every smallest
 * set of at most `most` values (and empty pops) that no linearizable history has. Of histories of complete operations
 * and distinct values.
 */
void family_complete(struct mem *, const struct spec *, unsigned k, unsigned most, struct text *);

#endif
