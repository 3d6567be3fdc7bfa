/* A formula's names and values become those of a specification, and it is planned in which order its parts are tried.
 */
#include <string.h>

#include "approx/formula.h"

struct binder {
  struct mem *mem;
  const struct formula *f;
  const struct spec *spec;
  struct problem *problem;
};

/* Plans. */

static void add_part(struct mem *m, struct plan *p, const struct node *n, bool negated) {
  struct part *parts = mem_piece(m, (p->count + 1) * sizeof *parts);
  if (p->count) memcpy(parts, p->parts, p->count * sizeof *parts);
  parts[p->count++] = (struct part){n, negated, 0};
  p->parts = parts;
}

/* Takes a formula apart that is to be true, or false if negated. */
static void take_apart(struct mem *m, struct plan *p, const struct node *n, bool negated) {
  if (n->type == NODE_NOT) {
    take_apart(m, p, n->kids[0], !negated);
  } else if (n->type == (negated ? NODE_OR : NODE_AND)) {
    for (uint32_t i = 0; i < n->kid_count; i++) take_apart(m, p, n->kids[i], negated);
  } else if (negated && n->type == NODE_IMPLIES) {
    take_apart(m, p, n->kids[0], false);
    take_apart(m, p, n->kids[1], true);
  } else {
    add_part(m, p, n, negated);
  }
}

/* By depth, then cost; those that are equal stay as written. */
static void sort_parts(struct plan *p) {
  for (uint32_t i = 1; i < p->count; i++)
    for (uint32_t j = i; j > 0; j--) {
      struct part *a = &p->parts[j - 1], *b = &p->parts[j], swap = *a;
      if (a->depth < b->depth || (a->depth == b->depth && a->node->cost <= b->node->cost)) break;
      *a = *b;
      *b = swap;
    }
}

/* The operation that variable v is said to be of, or -1; a definition may say it. */
static int said_method(const struct node *n, uint32_t v) {
  if (n->type == NODE_IS) return n->kids[0]->type == NODE_VAR && n->kids[0]->var == v ? n->method : -1;
  int method = -1;
  if (n->type == NODE_AND)
    for (uint32_t i = 0; i < n->kid_count && method < 0; i++) method = said_method(n->kids[i], v);
  if (n->type == NODE_CALL)
    for (uint32_t i = 0; i < n->kid_count && method < 0; i++)
      if (n->kids[i]->type == NODE_VAR && n->kids[i]->var == v) method = said_method(n->definition->body, i);
  return method;
}

static void make_plan(struct mem *m, struct node *n) {
  bool quantifier = n->type != NODE_AND;
  struct plan *p = mem_piece(m, sizeof *p);
  *p = (struct plan){.count = 0};
  for (int i = 0; i < FORMULA_VARS; i++) p->methods[i] = -1;
  take_apart(m, p, quantifier ? n->kids[0] : n, n->type == NODE_FORALL);
  for (uint32_t i = 0; quantifier && i < p->count; i++) {
    const struct node *part = p->parts[i].node;
    for (uint8_t v = 0; v < n->vars; v++) {
      if (part->uses >> (n->var + v) & 1) p->parts[i].depth = (uint8_t)(v + 1);
      if (!p->parts[i].negated && p->methods[v] < 0) p->methods[v] = said_method(part, n->var + v);
    }
  }
  sort_parts(p);
  n->plan = p;
}

/* Names and values. */

static bool bind_operation(struct binder *b, struct node *n) {
  n->method = spec_op_find(b->spec, n->name, strlen(n->name));
  if (n->method >= 0) return true;
  struct text names;
  text_open(&names, b->mem);
  for (unsigned i = 0; i < b->spec->op_count; i++) {
    size_t length;
    const char *name = spec_op_name(b->spec, i, &length);
    text_printf(&names, "%s%.*s", i ? ", " : "", (int)length, name);
  }
  formula_problem(b->f, n, b->problem, "'%s' is no operation of %s, which has %s%s", n->name, b->spec->name,
                  text_string(&names), n->type == NODE_LABEL ? ", and neither a variable nor a definition" : "");
  return false;
}

static bool bind_label(struct binder *b, struct node *n) {
  if (!bind_operation(b, n)) return false;
  const struct spec_op *op = &b->spec->ops[n->method];
  uint32_t args = n->kid_count - n->has_result;
  if (args < op->args || args > op->args_most) {
    formula_problem(b->f, n, b->problem, "'%s' takes %u argument%s, not %u", n->name, op->args,
                    op->args == 1 ? "" : "s", args);
    return false;
  }
  if (n->has_result || n->pending || op->result == RESULT_NONE || op->result == RESULT_NONE_FULL) return true;
  formula_problem(b->f, n, b->problem, "what did it return? Write %s => value, or %s => pending", n->name, n->name);
  return false;
}

static bool bind_node(struct binder *b, struct node *n) {
  struct values *values = (struct values *)b->spec->values;
  for (uint32_t i = 0; i < n->kid_count; i++)
    if (!bind_node(b, n->kids[i])) return false;
  switch (n->type) {
  case NODE_INT:
    if (n->kind == KIND_VALUE) n->special = value_int(values, n->number);
    return true;
  case NODE_TEXT: n->special = value_text(values, n->name, strlen(n->name)); return true;
  case NODE_IS: return bind_operation(b, n);
  case NODE_LABEL: return bind_label(b, n);
  case NODE_AND:
  case NODE_EXISTS:
  case NODE_FORALL:
  case NODE_COUNT: make_plan(b->mem, n); return true;
  default: return true;
  }
}

static bool is_for(const struct formula *f, const struct spec *spec, struct mem *m, struct problem *problem) {
  struct text names;
  text_open(&names, m);
  for (size_t i = 0; i < f->specs.count; i++) {
    if (spec_called(spec, f->specs.at[i])) return true;
    text_printf(&names, "%s%s", i ? ", " : "", f->specs.at[i]);
  }
  if (!f->specs.count) return true;
  problem_set(problem, "%.150s: this formula is for %s, not for %s", f->source, text_string(&names), spec->name);
  return false;
}

bool formula_bind(struct mem *m, struct formula *f, const struct spec *spec, struct problem *problem) {
  struct binder b = {m, f, spec, problem};
  if (!is_for(f, spec, m, problem)) return false;
  if (spec->by_process) {
    problem_set(problem,
                "%.150s: what an operation of %s does depends on the process that calls it, which a formula does not "
                "see; a grammar does",
                f->source, spec->name);
    return false;
  }
  if (f->forget && !spec_is_plain(spec, FAMILY_QUEUE) && !spec_is_plain(spec, FAMILY_STACK)) {
    problem_set(problem, "%.150s: 'forget balanced' is for queue and stack, not for %s", f->source, spec->name);
    return false;
  }
  for (size_t i = 0; i < f->definitions.count; i++)
    if (!bind_node(&b, f->definitions.at[i]->body)) return false;
  for (size_t i = 0; i < f->violations.count; i++)
    if (!bind_node(&b, f->violations.at[i]->body)) return false;
  return true;
}
