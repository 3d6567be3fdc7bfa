/* Views in words. */
#include <string.h>

#include "asif.h"
#include "prove/prover.h"

static void tell_number(int64_t n, struct text *t) {
  switch (n) {
  case INT32_MIN: text_add(t, "INT_MIN"); break;
  case ASIF_TRUE: text_add(t, "true"); break;
  case ASIF_FALSE: text_add(t, "false"); break;
  case ASIF_EMPTY: text_add(t, "empty"); break;
  case INT32_MAX: text_add(t, "INT_MAX"); break;
  default: text_printf(t, "%lld", (long long)n);
  }
}

void tell_value(const struct prover *p, val v, struct text *t) {
  static const char *const whose[] = {"free", "mine", "yours", "another's", "not mine", "never initialised"};
  switch (KIND(v)) {
  case K_UNSET: text_add(t, "unset"); break;
  case K_NULL: text_add(t, "0"); break;
  case K_INT: tell_number(p->constant[INDEX(v)], t); break;
  case K_SYM: text_printf(t, "v%u", INDEX(v)); break;
  case K_NODE: text_printf(t, "n%u", INDEX(v)); break;
  case K_DANGLING: text_printf(t, "freed%u", INDEX(v)); break;
  case K_LOCK: text_add(t, INDEX(v) < sizeof whose / sizeof *whose ? whose[INDEX(v)] : "?"); break;
  case K_SEQ: text_printf(t, "S%u", INDEX(v)); break;
  default: text_add(t, "?");
  }
}

void tell_root(const struct prover *p, unsigned root, struct text *t) {
  const struct program *program = p->program;
  uint32_t g = 0;
  while (g + 1 < program->global_count && p->root_of[g + 1] <= root) g++;
  const struct layout *l = &program->layouts[program->globals[g].layout];
  const char *cell = l->cells[root - p->root_of[g]].name;
  text_printf(t, "%s%s%s", program->globals[g].name, *cell && *cell != '[' ? "." : "", cell);
}

static unsigned root_count(const struct prover *p) {
  const struct program *program = p->program;
  if (!program->global_count) return 0;
  uint32_t last = program->global_count - 1;
  return p->root_of[last] + program->layouts[program->globals[last].layout].count;
}

const char *tell_register(const struct prover *p, const struct view *v, unsigned number) {
  const struct program_op *op = &p->program->ops[v->op];
  return number < op->regs && op->reg_names[number] ? op->reg_names[number] : "";
}

static bool says_nothing(val v) { return KIND(v) == K_ANY || v == VAL(K_LOCK, LOCK_NOT_ME); }

void tell_cells(const struct prover *p, const struct node *n, const char *between, struct text *t) {
  const struct layout *l = &p->program->layouts[n->layout];
  int link = p->link[n->layout], data = p->data[n->layout];
  if (n->segment) {
    tell_value(p, n->contents, t);
    if (KIND(n->low) == K_UNSET) return;
    text_printf(t, "%srising", between);
    if (KIND(n->low) != K_ANY) text_add(t, " from "), tell_value(p, n->low, t);
    if (KIND(n->high) != K_ANY) text_add(t, " to "), tell_value(p, n->high, t);
    return;
  }
  bool any = data >= 0;
  if (any) tell_value(p, n->cell[data], t);
  for (unsigned c = 0; c < l->count && c < CELLS_EACH; c++) {
    if ((int)c == link || (int)c == data || says_nothing(n->cell[c])) continue;
    text_printf(t, "%s%s ", any ? between : "", l->cells[c].name);
    tell_value(p, n->cell[c], t);
    any = true;
  }
}

bool node_is_named(const struct view *v, unsigned node) {
  unsigned ways = 0;
  val a = VAL(K_NODE, node);
  for (unsigned i = 0; i < ROOTS_MOST; i++) ways += v->root[i] == a;
  for (unsigned i = 0; i < REGS_MOST; i++) ways += v->reg[i] == a;
  for (unsigned n = 0; n < NODES_MOST; n++)
    for (unsigned c = 0; v->node[n].used && c < CELLS_EACH; c++) ways += v->node[n].cell[c] == a;
  return ways > 1;
}

/* The operation that the node stands for, if it has yet to linearize. */
static void tell_carried(const struct prover *p, const struct view *v, const struct node *n, struct text *t) {
  if (n->segment || KIND(n->carries) != K_CARRY || CARRIER(n->carries) == CARRY_NOTHING) return;
  const char *function = p->program->ops[CARRIED_OP(n->carries)].function;
  if (CARRIER(n->carries) == CARRY_WAITING)
    text_printf(t, " (for a %s)", function);
  else if (KIND(v->status) == K_UNSET)
    text_printf(t, " (for this %s)", function);
}

/* "[v0] -> [S0].. -> 0", up to what was told before. */
static void tell_chain(const struct prover *p, const struct view *v, val a, bool *told, struct text *t) {
  while (KIND(a) == K_NODE && !told[INDEX(a)]) {
    const struct node *n = &v->node[INDEX(a)];
    told[INDEX(a)] = true;
    if (node_is_named(v, INDEX(a))) tell_value(p, a, t);
    text_char(t, '[');
    tell_cells(p, n, ", ", t);
    text_printf(t, "]%s%s", n->segment ? ".." : "", n->owner == OWNER_NONE ? "" : " (own)");
    tell_carried(p, v, n, t);
    if (p->link[n->layout] < 0) return;
    text_add(t, " -> ");
    a = n->cell[p->link[n->layout]];
  }
  tell_value(p, a, t);
}

/* Something that leads somewhere, or has a value. */
static void tell_variable(const struct prover *p, const struct view *v, val a, bool *told, struct text *t) {
  enum kind k = KIND(a);
  text_add(t, k == K_NODE || k == K_DANGLING ? " -> " : k == K_LOCK ? " " : " = ");
  tell_chain(p, v, a, told, t);
}

void tell_memory(const struct prover *p, const struct view *v, struct text *t) {
  bool told[NODES_MOST] = {false};
  size_t from = t->count;
  for (unsigned i = 0; i < root_count(p); i++) {
    if (says_nothing(v->root[i])) continue;
    if (t->count > from) text_add(t, "; ");
    tell_root(p, i, t);
    tell_variable(p, v, v->root[i], told, t);
  }
  for (unsigned i = 0; v->pc && i < REGS_MOST; i++) {
    const char *name = tell_register(p, v, i);
    if (KIND(v->reg[i]) == K_UNSET || !*name) continue;
    text_printf(t, "%s%s", t->count > from ? "; " : "", name);
    tell_variable(p, v, v->reg[i], told, t);
  }
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && !told[n]) {
      text_printf(t, "; n%u", n);
      tell_variable(p, v, VAL(K_NODE, n), told, t);
    }
}

/* Arguments of sets lie between INT_MIN and INT_MAX: that is said once. */
static bool is_end(const struct prover *p, val v) {
  return KIND(v) == K_INT && (p->constant[INDEX(v)] == INT32_MIN || p->constant[INDEX(v)] == INT32_MAX);
}

static void tell_facts(const struct prover *p, const struct view *v, struct text *t) {
  static const char *const relations[] = {
      [LESS] = " < ", [AT_MOST] = " <= ", [DIFFERENT] = " != ", [CONGRUENT] = " = mod 2^32 "};
  for (unsigned f = 0; f < v->facts; f++) {
    if (is_end(p, v->fact[f].a) || is_end(p, v->fact[f].b)) continue;
    text_add(t, "; ");
    tell_value(p, v->fact[f].a, t);
    text_add(t, relations[v->fact[f].relation]);
    tell_value(p, v->fact[f].b, t);
  }
}

static void tell_status(const struct prover *p, const struct view *v, struct text *t) {
  static const char *const results[] = {"empty", "false", "true", "nothing"};
  unsigned any = 0;
  const char *function = p->program->ops[v->op].function;
  if (KIND(v->status) != K_UNSET) {
    text_printf(t, "; %s has linearized", function);
    if (KIND(v->status) == K_INT && p->constant[INDEX(v->status)] == ASIF_OK) return;
    text_add(t, ", with result ");
    tell_value(p, v->status, t);
    return;
  }
  text_printf(t, "; %s has not linearized", function);
  for (unsigned i = 0; i < 4; i++)
    if (v->may_return >> i & 1) text_printf(t, "%s%s", any++ ? " or " : ", and may return ", results[i]);
  for (unsigned i = 0; i < SEEN_MOST && KIND(v->seen[i]) != K_UNSET; i++) {
    text_add(t, any++ ? " or " : ", and may return ");
    tell_value(p, v->seen[i], t);
  }
}

void tell_knows(const struct prover *p, const struct view *v, struct text *t) {
  bool sequence = p->effects->sequence;
  if (p->level == LEVEL_MS) {
    text_add(t, "contents are not looked at (memory safety)");
    tell_facts(p, v, t);
    return;
  }
  text_add(t, v->atoms ? sequence ? "contents " : "contents {" : "contents empty");
  for (unsigned i = 0; i < v->atoms; i++) {
    if (i) text_add(t, sequence ? "." : ", ");
    tell_value(p, v->abs[p->mirrored ? v->atoms - 1 - i : i], t);
  }
  if (v->atoms && !sequence) text_char(t, '}');
  tell_facts(p, v, t);
  if (v->pc) tell_status(p, v, t);
}

void tell_view(const struct prover *p, const struct view *v, struct text *t) {
  tell_memory(p, v, t);
  text_add(t, "; ");
  tell_knows(p, v, t);
}
