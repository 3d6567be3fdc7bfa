/* Formulas of linear temporal logic (Pnueli 1977): a parser by precedence climbing, and the printer. See ltl.h. */
#include "verify/ltl.h"

#include <ctype.h>
#include <string.h>

enum { DEPTH_MOST = 200, NODES_MOST = 5000 };

struct ltl_operator {
  const char *sign;
  enum ltl_kind kind;
  int strength; /* binary ones: higher binds stronger */
  bool right;   /* groups to the right */
};

static const struct ltl_operator binary[] = {
    {"<->", LTL_IFF, 1, false}, {"->", LTL_IMPLIES, 2, true}, {"||", LTL_OR, 3, false},   {"&&", LTL_AND, 4, false},
    {"U", LTL_UNTIL, 5, true},  {"W", LTL_WEAK, 5, true},     {"R", LTL_RELEASE, 5, true}};
static const struct ltl_operator prefix[] = {{"!", LTL_NOT, 6, false},      {"[]", LTL_ALWAYS, 6, false},
                                             {"<>", LTL_FINALLY, 6, false}, {"G", LTL_ALWAYS, 6, false},
                                             {"F", LTL_FINALLY, 6, false},  {"X", LTL_NEXT, 6, false}};
enum { BINARY = sizeof binary / sizeof *binary, PREFIX = sizeof prefix / sizeof *prefix };

struct parser {
  struct mem *mem;
  const char *formula, *at;
  unsigned threads;
  const struct ltl_names *names;
  struct ltl *ltl;
  struct problem *problem;
  int depth;
};

static void position(const struct parser *p, const char *at, unsigned *line, unsigned *col) {
  *line = *col = 1;
  for (const char *s = p->formula; s < at; s++) {
    *col = *s == '\n' ? 1 : *col + ((*s & 0xc0) != 0x80);
    *line += *s == '\n';
  }
}

/* Says what is wrong, and where. Returns false. */
__attribute__((format(printf, 3, 4))) static bool wrong(struct parser *p, const char *at, const char *format, ...) {
  unsigned line, col;
  position(p, at, &line, &col);
  char what[500];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  problem_set(p->problem, "formula:%u:%u: %s", line, col, what);
  return false;
}

static void blanks(struct parser *p) {
  while (isspace((unsigned char)*p->at)) p->at++;
}

static size_t word_length(const char *s) {
  size_t n = 0;
  while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
  return n;
}

/* Takes a sign if it comes next. A letter is one only if it is a word of its own, or (prefix) of a word like GF. */
static bool take(struct parser *p, const char *sign, bool is_prefix) {
  blanks(p);
  size_t n = strlen(sign);
  if (strncmp(p->at, sign, n)) return false;
  size_t word = isalpha((unsigned char)*sign) ? word_length(p->at) : n;
  if (word != n && (!is_prefix || strspn(p->at, "GFX") < word)) return false;
  p->at += n;
  return true;
}

static uint32_t add(struct parser *p, enum ltl_kind kind, uint32_t left, uint32_t right) {
  vec_push(p->mem, &p->ltl->nodes, ((struct ltl_node){kind, left, right}));
  return (uint32_t)p->ltl->nodes.count - 1;
}

/* Propositions. */

static bool read_operation(struct parser *p, struct ltl_proposition *out, struct text *print) {
  blanks(p);
  const char *at = p->at;
  size_t n = strcspn(at, ",()@ \t\n");
  p->at += n;
  text_bytes(print, at, n);
  if (n == 1 && *at == '_') return true;
  if (n) out->operation = p->names->operation(p->names->self, at, n);
  if (out->operation >= 0) return true;
  struct text list;
  text_open(&list, p->mem);
  p->names->list(p->names->self, &list);
  if (!n) return wrong(p, at, "the name of an operation is missing: %.300s, or _ for any", text_string(&list));
  return wrong(p, at, "no operation is called '%.*s': the operations are %.300s, and _ is any", (int)(n < 60 ? n : 60),
               at, text_string(&list));
}

static bool read_value(struct parser *p, struct ltl_proposition *out, struct text *print) {
  blanks(p);
  const char *at = p->at;
  size_t n = strcspn(at, ",()");
  p->at += n;
  while (n && isspace((unsigned char)at[n - 1])) n--;
  if (out->kind == EVENT_RETURN && out->count == 1)
    return wrong(p, at, "an operation returns one value: return(OP, VALUE)");
  if (out->count == OP_ARGS) return wrong(p, at, "no operation has more than %d arguments", OP_ARGS);
  text_add(print, ", ");
  text_bytes(print, at, n);
  unsigned i = out->count++;
  out->any[i] = n == 1 && *at == '_';
  if (!n) return wrong(p, at, "a value is missing: a number, a word such as empty or true, or _ for any");
  if (out->any[i] || p->names->literal(p->names->self, at, n, &out->value[i])) return true;
  return wrong(p, at, "'%.*s' is no value: write a number, a word such as empty or true, or _ for any",
               (int)(n < 60 ? n : 60), at);
}

static bool read_thread(struct parser *p, struct ltl_proposition *out, struct text *print) {
  blanks(p);
  const char *at = p->at;
  out->thread = *at - 'A';
  p->at += word_length(at);
  if (p->at != at + 1 || out->thread < 0 || out->thread >= (int)p->threads)
    return wrong(p, at, "after @ comes a thread, %s%c", p->threads == 1 ? "" : "A to ", 'A' + (int)p->threads - 1);
  text_printf(print, "@%c", *at);
  return true;
}

static bool read_proposition(struct parser *p, struct ltl_proposition *out, struct text *print) {
  const char *kind = out->kind == EVENT_CALL ? "call" : "return";
  text_printf(print, "%s(", kind);
  if (!take(p, "(", false)) return wrong(p, p->at, "'(' and the name of an operation are missing: %s(OP)", kind);
  if (!read_operation(p, out, print)) return false;
  while (take(p, ",", false))
    if (!read_value(p, out, print)) return false;
  if (!take(p, ")", false)) return wrong(p, p->at, "')' is missing for the '(' of %s", kind);
  text_char(print, ')');
  return !take(p, "@", false) || read_thread(p, out, print);
}

/* The node of a proposition, known by how it prints. */
static bool add_proposition(struct parser *p, const char *at, struct ltl_proposition *new, uint32_t *node) {
  struct ltl *l = p->ltl;
  unsigned i = 0;
  while (i < l->proposition_count && strcmp(l->propositions[i].text, new->text)) i++;
  if (i == LTL_PROPOSITIONS_MOST)
    return wrong(p, at, "a formula has at most %d different propositions", LTL_PROPOSITIONS_MOST);
  if (i == l->proposition_count) l->propositions[l->proposition_count++] = *new;
  *node = add(p, LTL_PROPOSITION, i, 0);
  return true;
}

static bool read_word(struct parser *p, uint32_t *node) {
  const char *at = p->at;
  size_t n = word_length(at);
  bool call = n == 4 && !memcmp(at, "call", n), ret = n == 6 && !memcmp(at, "return", n);
  p->at += n;
  if (call || ret) {
    struct ltl_proposition new = {.kind = call ? EVENT_CALL : EVENT_RETURN, .operation = -1, .thread = -1};
    struct text print;
    text_open(&print, p->mem);
    if (!read_proposition(p, &new, &print)) return false;
    new.text = text_string(&print);
    return add_proposition(p, at, &new, node);
  }
  bool is_true = n == 4 && !memcmp(at, "true", n);
  if (!is_true && (n != 5 || memcmp(at, "false", n)))
    return wrong(p, at, "'%.*s' is no proposition: write call(OP), return(OP), true or false", (int)(n < 60 ? n : 60),
                 at);
  *node = add(p, is_true ? LTL_TRUE : LTL_FALSE, 0, 0);
  return true;
}

/* Formulas. */

static bool read_formula(struct parser *p, int strength, uint32_t *node);

static bool nothing_there(struct parser *p) {
  const char *at = p->at;
  if (!*at)
    return wrong(p, at, "the formula ends where a proposition should come: call(OP), return(OP), true or false");
  for (int i = 0; i < BINARY; i++)
    if (!strncmp(at, binary[i].sign, strlen(binary[i].sign)))
      return wrong(p, at, "'%s' has nothing on its left", binary[i].sign);
  return wrong(p, at, "'%c' cannot come here: write call(OP), return(OP), true, false, '(' or one of ! [] <> X", *at);
}

static bool read_operand(struct parser *p, uint32_t *node) {
  if (p->depth >= DEPTH_MOST) return wrong(p, p->at, "the formula is nested too deeply: at most %d deep", DEPTH_MOST);
  if (p->ltl->nodes.count > NODES_MOST)
    return wrong(p, p->at, "the formula is too long: at most %d operators and propositions", NODES_MOST);
  for (int i = 0; i < PREFIX; i++) {
    if (!take(p, prefix[i].sign, true)) continue;
    if (!read_formula(p, prefix[i].strength, node)) return false;
    *node = add(p, prefix[i].kind, *node, 0);
    return true;
  }
  const char *open = p->at;
  if (take(p, "(", false)) {
    if (!read_formula(p, 0, node)) return false;
    if (take(p, ")", false)) return true;
    unsigned line, col;
    position(p, open, &line, &col);
    return wrong(p, p->at, "')' is missing here for the '(' at %u:%u, or an operator such as &&", line, col);
  }
  for (int i = 0; i < BINARY; i++)
    if (word_length(open) == 1 && *open == *binary[i].sign) return nothing_there(p);
  return word_length(open) ? read_word(p, node) : nothing_there(p);
}

/* The binary operator that comes next and binds at least so strongly, or NULL. */
static const struct ltl_operator *take_binary(struct parser *p, int strength) {
  for (int i = 0; i < BINARY; i++)
    if (binary[i].strength >= strength && take(p, binary[i].sign, false)) return &binary[i];
  return NULL;
}

static bool read_formula(struct parser *p, int strength, uint32_t *node) {
  const struct ltl_operator *o;
  p->depth++;
  if (!read_operand(p, node)) return false;
  while ((o = take_binary(p, strength))) {
    uint32_t right;
    if (!read_formula(p, o->right ? o->strength : o->strength + 1, &right)) return false;
    *node = add(p, o->kind, *node, right);
  }
  p->depth--;
  return true;
}

static bool left_over(struct parser *p) {
  static const char *const mistaken[][2] = {{"&", "&&"},    {"|", "||"},       {"=>", "->"},  {"==", "<->"},
                                            {"<=>", "<->"}, {"/\\", "&&"},     {"\\/", "||"}, {"and", "&&"},
                                            {"or", "||"},   {"implies", "->"}, {"until", "U"}};
  for (size_t i = 0; i < sizeof mistaken / sizeof *mistaken; i++)
    if (!strncmp(p->at, mistaken[i][0], strlen(mistaken[i][0])))
      return wrong(p, p->at, "'%s' is no operator: write %s", mistaken[i][0], mistaken[i][1]);
  if (*p->at == ')') return wrong(p, p->at, "')' without a '(' before it");
  return wrong(p, p->at, "the formula should end here, or go on with an operator: && || -> <-> U W R");
}

bool ltl_parse(struct mem *m, const char *formula, unsigned threads, const struct ltl_names *names, struct ltl *l,
               struct problem *problem) {
  memset(l, 0, sizeof *l);
  struct parser p = {
      .mem = m, .formula = formula, .at = formula, .threads = threads, .names = names, .ltl = l, .problem = problem};
  if (!read_formula(&p, 0, &l->root)) return false;
  blanks(&p);
  return !*p.at || left_over(&p);
}

/* Printing. */

static const struct ltl_operator *operator_of(enum ltl_kind kind) {
  for (int i = 0; i < BINARY; i++)
    if (binary[i].kind == kind) return &binary[i];
  for (int i = 0; i < PREFIX; i++)
    if (prefix[i].kind == kind) return &prefix[i];
  return NULL;
}

static void print(const struct ltl *l, uint32_t node, int strength, struct text *out) {
  const struct ltl_node *n = &l->nodes.at[node];
  const struct ltl_operator *o = operator_of(n->kind);
  if (!o) {
    text_add(out, n->kind == LTL_PROPOSITION ? l->propositions[n->left].text : n->kind == LTL_TRUE ? "true" : "false");
    return;
  }
  if (o->strength < strength) text_char(out, '(');
  if (n->kind <= LTL_FINALLY) {
    text_printf(out, n->kind == LTL_NOT ? "%s" : "%s ", o->sign);
    print(l, n->left, o->strength, out);
  } else {
    print(l, n->left, o->strength + o->right, out);
    text_printf(out, " %s ", o->sign);
    print(l, n->right, o->strength + !o->right, out);
  }
  if (o->strength < strength) text_char(out, ')');
}

void ltl_print(const struct ltl *l, uint32_t node, struct text *out) { print(l, node, 0, out); }

/* Letters. */

/* Results have one form for what says the same (spec/c_values.h), which depends on the operation: a formula may use any
 * word. */
static bool same_result(value a, value b) {
  static const value alike[][2] = {{V_NIL, V_EMPTY}, {V_TRUE, (value)1 << 1}, {V_FALSE, 0}};
  if (a == b) return true;
  for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
    if ((a == alike[i][0] && b == alike[i][1]) || (b == alike[i][0] && a == alike[i][1])) return true;
  return false;
}

static bool is_true_of(const struct ltl_proposition *p, const struct ltl_names *names, const struct event *e) {
  if (p->kind != e->kind || (p->thread >= 0 && p->thread != e->thread)) return false;
  const value *args = &e->result;
  unsigned count = 1;
  if (p->operation >= 0 || p->kind == EVENT_CALL) {
    const value *of_call;
    unsigned of_call_count;
    int operation = names->call(names->self, e->call, &of_call, &of_call_count);
    if (p->operation >= 0 && p->operation != operation) return false;
    if (p->kind == EVENT_CALL) {
      args = of_call;
      count = of_call_count;
    }
  }
  if (p->count > count) return false;
  for (unsigned i = 0; i < p->count; i++)
    if (!p->any[i] && p->value[i] != args[i] && (p->kind != EVENT_RETURN || !same_result(p->value[i], args[i])))
      return false;
  return true;
}

uint64_t ltl_letter(const struct ltl *l, const struct ltl_names *names, const struct event *e) {
  uint64_t letter = 0;
  for (unsigned i = 0; i < l->proposition_count; i++)
    if (is_true_of(&l->propositions[i], names, e)) letter |= (uint64_t)1 << i;
  return letter;
}
