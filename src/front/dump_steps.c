/* Programs as text: for --dump steps, and for schedules, in the words of the source. */
#include "front/dump.h"
#include "front/flow.h"

/* Expressions as C. */

static const char *operator_text(enum operator op) {
  static const char *const texts[] = {
      [OP_NONE] = "",    [OP_ADD] = "+",  [OP_SUB] = "-", [OP_MUL] = "*",    [OP_DIV] = "/",  [OP_MOD] = "%",
      [OP_SHL] = "<<",   [OP_SHR] = ">>", [OP_AND] = "&", [OP_OR] = "|",     [OP_XOR] = "^",  [OP_EQ] = "==",
      [OP_NE] = "!=",    [OP_LT] = "<",   [OP_LE] = "<=", [OP_GT] = ">",     [OP_GE] = ">=",  [OP_AND_AND] = "&&",
      [OP_OR_OR] = "||", [OP_NEG] = "-",  [OP_NOT] = "!", [OP_INVERT] = "~", [OP_PLUS] = "+", [OP_NAND] = "nand"};
  return (size_t)op < sizeof texts / sizeof *texts && texts[op] ? texts[op] : "?";
}

static bool is_primary(const struct expr *e) {
  switch (e->kind) {
  case E_BINARY:
  case E_LOGICAL:
  case E_ASSIGN:
  case E_CONDITION:
  case E_COMMA: return false;
  case E_CAST: return !e->implicit || is_primary(e->a);
  default: return true;
  }
}

/* Something that . -> and [] can follow. */
static bool is_postfix(const struct expr *e) {
  if (e->kind == E_CAST) return e->implicit && is_postfix(e->a);
  return is_primary(e) && e->kind != E_DEREF && e->kind != E_ADDRESS && e->kind != E_UNARY &&
         !(e->kind == E_STEP && !e->postfix);
}

static void operand(const struct expr *e, struct text *t, bool fine) {
  if (!fine) text_char(t, '(');
  expr_print(e, t);
  if (!fine) text_char(t, ')');
}

static void print_list(struct expr *const *list, uint32_t count, struct text *t) {
  for (uint32_t i = 0; i < count; i++) {
    if (i) text_add(t, ", ");
    if (list[i])
      expr_print(list[i], t);
    else
      text_char(t, '0');
  }
}

static void print_field(const struct expr *e, struct text *t) {
  bool arrow = e->a->kind == E_DEREF;
  const struct expr *base = arrow ? e->a->a : e->a;
  if (arrow && base->kind == E_ADDRESS) { /* (&x)->f is x.f */
    arrow = false;
    base = base->a;
  }
  operand(base, t, is_postfix(base));
  if (*e->field->name) text_printf(t, "%s%s", arrow ? "->" : ".", e->field->name);
}

static void print_binary(const struct expr *e, struct text *t) {
  operand(e->a, t, is_primary(e->a));
  text_printf(t, " %s%s ", operator_text(e->op), e->kind == E_ASSIGN ? "=" : "");
  operand(e->b, t, is_primary(e->b));
}

static void print_cast(const struct expr *e, struct text *t) {
  if (!e->implicit) {
    text_char(t, '(');
    type_print(e->type, t);
    text_char(t, ')');
  }
  if (e->implicit && e->type->kind == TYPE_POINTER && e->a->kind == E_NUMBER && !e->a->value)
    text_add(t, "NULL");
  else
    operand(e->a, t, e->implicit || is_primary(e->a));
}

void expr_print(const struct expr *e, struct text *t) {
  switch (e->kind) {
  case E_NUMBER: text_printf(t, "%lld", (long long)e->value); break;
  case E_STRING: text_printf(t, "\"%.*s\"", (int)e->length, e->text); break;
  case E_NAME: text_add(t, e->decl->name); break;
  case E_CALL:
    operand(e->a, t, is_postfix(e->a));
    text_char(t, '(');
    print_list(e->args, e->arg_count, t);
    text_char(t, ')');
    break;
  case E_INDEX:
    operand(e->a, t, is_postfix(e->a));
    text_char(t, '[');
    expr_print(e->b, t);
    text_char(t, ']');
    break;
  case E_FIELD: print_field(e, t); break;
  case E_DEREF:
  case E_ADDRESS:
    text_char(t, e->kind == E_DEREF ? '*' : '&');
    operand(e->a, t, is_primary(e->a));
    break;
  case E_DECAY: expr_print(e->a, t); break;
  case E_UNARY:
    text_add(t, operator_text(e->op));
    operand(e->a, t, is_primary(e->a));
    break;
  case E_BINARY:
  case E_LOGICAL:
  case E_ASSIGN: print_binary(e, t); break;
  case E_STEP:
    if (!e->postfix) text_add(t, e->op == OP_ADD ? "++" : "--");
    operand(e->a, t, is_primary(e->a));
    if (e->postfix) text_add(t, e->op == OP_ADD ? "++" : "--");
    break;
  case E_CONDITION:
    operand(e->a, t, is_primary(e->a));
    text_add(t, " ? ");
    operand(e->b, t, is_primary(e->b));
    text_add(t, " : ");
    operand(e->c, t, is_primary(e->c));
    break;
  case E_CAST: print_cast(e, t); break;
  case E_COMMA:
    expr_print(e->a, t);
    text_add(t, ", ");
    expr_print(e->b, t);
    break;
  case E_INIT:
    text_char(t, '{');
    print_list(e->args, e->arg_count, t);
    text_char(t, '}');
    break;
  case E_COMPOUND:
    text_char(t, '(');
    type_print(e->type, t);
    text_char(t, ')');
    expr_print(e->a, t);
    break;
  case E_BLOCK: text_add(t, "({ ... })"); break;
  case E_OUTSIDE: text_add(t, "..."); break;
  }
}

void inst_lvalue_print(const struct inst *in, struct text *t) {
  if (in->expr) expr_print(in->expr, t);
}

/* Instructions. */

static void reg_print(const struct program_op *op, reg r, uint32_t count, struct text *t) {
  if (r == NO_REG) {
    text_char(t, '_');
    return;
  }
  const char *name = op && op->reg_names && r < op->regs ? op->reg_names[r] : "";
  if (*name)
    text_add(t, name);
  else
    text_printf(t, "r%u", r);
  if (count > 1) text_printf(t, "..%u", count);
}

static void address_print(const struct program *p, const struct program_op *op, const struct inst *in, struct text *t) {
  if (in->flags & FLAG_GLOBAL) {
    const struct program_global *g = &p->globals[in->a];
    const struct layout *l = &p->layouts[g->layout];
    const char *cell = in->imm >= 0 && in->imm < l->count ? l->cells[in->imm].name : "?";
    text_printf(t, "[%s%s%s]", g->name, *cell && *cell != '[' ? "." : "", cell);
    return;
  }
  text_char(t, '[');
  reg_print(op, in->a, 1, t);
  text_printf(t, "+%lld]", (long long)in->imm);
}

static void access_print(const struct program *p, const struct program_op *op, const struct inst *in, struct text *t) {
  switch (in->code) {
  case I_LOAD: text_add(t, "load "); break;
  case I_STORE: text_add(t, "store "); break;
  case I_EXCHANGE: text_add(t, "exchange "); break;
  case I_CAS: text_add(t, in->flags & FLAG_WEAK ? "weak cas " : "cas "); break;
  case I_FETCH: text_printf(t, "fetch %s ", operator_text(in->op)); break;
  case I_LOCK: text_add(t, "lock "); break;
  case I_TRYLOCK: text_add(t, "trylock "); break;
  case I_DESTROY: text_add(t, "destroy "); break;
  default: text_add(t, "unlock "); break;
  }
  address_print(p, op, in, t);
  if (in->code == I_CAS) {
    text_char(t, ' ');
    reg_print(op, in->c, in->count, t);
    text_add(t, " -> ");
    reg_print(op, in->b, in->count, t);
  } else if (in->code == I_STORE || in->code == I_EXCHANGE || in->code == I_FETCH) {
    text_add(t, in->code == I_STORE ? " = " : " ");
    reg_print(op, in->b, in->code == I_FETCH ? 1 : in->count, t);
  }
  if ((in->flags & FLAG_ATOMIC) && in->code < I_LOCK) {
    text_add(t, " atomic");
    if (in->order != ORDER_SEQ_CST || in->order_failure != ORDER_SEQ_CST) text_printf(t, " %s", order_name(in->order));
    if (in->code == I_CAS && in->order_failure != in->order) text_printf(t, "/%s", order_name(in->order_failure));
  }
  if (in->flags & FLAG_CONSTANT) text_add(t, " constant");
  if (in->flags & FLAG_LOCAL) text_add(t, " local");
}

static void scalar_print(struct scalar s, struct text *t) {
  if (s.pointer || s.mutex)
    text_add(t, s.mutex ? "mutex" : "pointer");
  else if (s.bits == 1)
    text_add(t, "bool");
  else
    text_printf(t, "%s%u", s.is_signed ? "i" : "u", s.bits);
}

static void number_print(int64_t n, struct text *t) {
  if (n == WORD_UNINITIALISED)
    text_add(t, "uninitialised");
  else
    text_printf(t, "%lld", (long long)n);
}

static void compute_print(const struct program *p, const struct program_op *op, const struct inst *in, struct text *t) {
  switch (in->code) {
  case I_CONST: number_print(in->imm, t); break;
  case I_MOVE: reg_print(op, in->a, in->count, t); break;
  case I_UNARY:
    text_add(t, operator_text(in->op));
    reg_print(op, in->a, 1, t);
    break;
  case I_BINARY:
    reg_print(op, in->a, 1, t);
    text_printf(t, " %s ", operator_text(in->op));
    if (in->b == NO_REG)
      number_print(in->imm, t);
    else
      reg_print(op, in->b, 1, t);
    text_char(t, ' ');
    scalar_print(in->scalar, t);
    break;
  case I_INT128:
  case I_FLOATING:
    if (in->b != NO_REG) reg_print(op, in->a, in->code == I_INT128 ? 2 : 1, t);
    text_printf(t, in->b != NO_REG ? " %s " : "%s", operator_text(in->op));
    reg_print(op, in->b != NO_REG ? in->b : in->a, 1, t);
    text_printf(t, in->code == I_FLOATING ? " f%u" : in->scalar.is_signed ? " i%u" : " u%u", in->scalar.bits);
    break;
  case I_CONVERT:
    text_add(t, in->op == CONVERT_FUNCTION ? in->text : "convert");
    text_char(t, ' ');
    reg_print(op, in->a, 1, t);
    if (in->op != CONVERT_TO_FLOATING && in->op != CONVERT_EXTEND) text_printf(t, " f%u", (unsigned)in->imm);
    text_add(t, " to ");
    if (in->op == CONVERT_TO_FLOATING || in->op == CONVERT_FUNCTION)
      text_printf(t, "f%u", (unsigned)in->imm);
    else if (in->op == CONVERT_FLOATING)
      text_printf(t, "f%u", in->scalar.bits);
    else
      text_printf(t, "%s%u", in->scalar.is_signed ? "i" : "u", in->op == CONVERT_EXTEND ? 128 : in->scalar.bits);
    break;
  case I_BITS:
    text_printf(t, "%s ", in->text);
    reg_print(op, in->a, 1, t);
    break;
  case I_CAST:
    text_char(t, '(');
    scalar_print(in->scalar, t);
    text_char(t, ')');
    reg_print(op, in->a, 1, t);
    break;
  case I_GLOBAL: text_printf(t, "&%s+%lld", p->globals[in->b].name, (long long)in->imm); break;
  case I_OFFSET:
  case I_INDEX:
  case I_DIFFER:
    reg_print(op, in->a, 1, t);
    text_add(t, in->code == I_DIFFER ? " - " : " + ");
    if (in->code != I_OFFSET) reg_print(op, in->b, 1, t);
    text_printf(t, "%s%lld", in->code == I_OFFSET ? "" : in->code == I_INDEX ? " * " : " / ", (long long)in->imm);
    if (in->code == I_INDEX && in->count) text_printf(t, " within %u", in->count);
    break;
  case I_ALLOC:
    text_printf(t, "%s%s %s", in->flags & FLAG_ZERO ? "zeroed " : "", in->flags & FLAG_LOCAL ? "local" : "new",
                p->layouts[in->imm].name);
    if (in->b != NO_REG) {
      text_add(t, " * ");
      reg_print(op, in->b, 1, t);
    }
    break;
  case I_CHOOSE:
    text_add(t, in->op == OP_MOD ? "a random number % " : "choose ");
    reg_print(op, in->a, 1, t);
    break;
  case I_OWN:
    if (in->op == OWN_LOCALS)
      text_printf(t, "&%s of the thread", p->layouts[p->own_layout[OWN_LOCALS]].cells[in->imm].name);
    else
      text_add(t, in->op == OWN_SELF ? "this thread" : "where this thread sleeps");
    break;
  case I_WAKE:
    text_add(t, "wake one at ");
    reg_print(op, in->a, 1, t);
    break;
  case I_OUTSIDE: text_add(t, "a number from outside"); break;
  default: text_add(t, "thread"); break;
  }
}

static void unordered_print(const struct inst *in, struct text *t) {
  switch (in->op) {
  case UNORDERED_BEGIN: text_add(t, "in no order {"); return;
  case UNORDERED_NEXT: text_add(t, "operand"); return;
  case UNORDERED_READ: text_printf(t, "uses variable %lld", (long long)in->imm); return;
  case UNORDERED_WRITE: text_printf(t, "writes variable %lld", (long long)in->imm); return;
  default: text_add(t, "}"); return;
  }
}

static void control_print(const struct program *p, const struct program_op *op, const struct inst *in, struct text *t) {
  switch (in->code) {
  case I_FREE: text_add(t, in->flags & FLAG_LOCAL ? "end " : "free "); break;
  case I_JUMP: text_printf(t, "to %lld", (long long)in->imm); return;
  case I_BRANCH: text_add(t, in->op == OP_NOT ? "if " : "unless "); break;
  case I_REQUIRE: text_add(t, "require "); break;
  case I_ASSERT: text_add(t, "assert "); break;
  case I_TRAP: text_printf(t, "trap: %s", in->text); return;
  case I_SLEEP: text_add(t, "sleep at "); break;
  case I_LIN: text_add(t, "point"); return;
  case I_LIN_FOR:
    text_printf(t, "point for %s", in->b == NO_REG ? "thread " : p->ops[in->b].name);
    if (in->a == NO_REG) return;
    break;
  case I_FENCE: text_printf(t, "%sfence %s", in->op ? "signal " : "", order_name(in->order)); return;
  case I_ATOMIC: text_add(t, in->imm ? "atomic {" : "}"); return;
  case I_UNORDERED: unordered_print(in, t); return;
  default: text_add(t, in->a == NO_REG ? "return" : "return "); break;
  }
  if (in->a != NO_REG) reg_print(op, in->a, 1, t);
  if (in->code == I_BRANCH) text_printf(t, " to %lld", (long long)in->imm);
  if (in->code == I_ASSERT && in->text) text_printf(t, ": %s", in->text);
}

static bool is_control(const struct inst *in) {
  return in->code == I_FREE || (in->code >= I_JUMP && in->code != I_CHOOSE && in->code != I_THREAD &&
                                in->code != I_OUTSIDE && in->code != I_OWN && in->code != I_WAKE);
}

/* One instruction as it is. */
static void step_print(const struct program *p, const struct program_op *op, const struct inst *in, struct text *t) {
  if (is_control(in)) {
    control_print(p, op, in, t);
    return;
  }
  if (in->d != NO_REG) {
    struct span s[2];
    inst_writes(in, s);
    reg_print(op, in->d, in->code == I_CAS ? 1 : s[0].count, t);
    text_add(t, " = ");
  }
  if (in->code >= I_LOAD && in->code <= I_UNLOCK)
    access_print(p, op, in, t);
  else
    compute_print(p, op, in, t);
}

/* From what to what a compare-exchange changes. */
static void swap_print(const struct program_op *op, const struct inst *in, struct text *t) {
  text_add(t, " (");
  if (in->call) {
    const struct expr *from = in->call->args[1];
    bool given =
        in->call->a->decl->builtin == BUILTIN_SYNC_CAS_BOOL || in->call->a->decl->builtin == BUILTIN_SYNC_CAS_VALUE;
    if (!given && from->kind != E_ADDRESS) text_char(t, '*');
    operand(from->kind == E_ADDRESS && !given ? from->a : from, t, given || is_primary(from));
  } else {
    reg_print(op, in->c, 1, t);
  }
  text_add(t, " -> ");
  if (in->call)
    expr_print(in->call->args[2], t);
  else
    reg_print(op, in->b, 1, t);
  text_char(t, ')');
}

/* In words of the source. */
void inst_print(const struct program *p, const struct program_op *op, const struct inst *in, struct text *t) {
  static const char *const words[] = {
      [I_LOAD] = "load", [I_STORE] = "store",     [I_EXCHANGE] = "exchange", [I_CAS] = "cas",      [I_FETCH] = "fetch",
      [I_LOCK] = "lock", [I_TRYLOCK] = "trylock", [I_DESTROY] = "destroy",   [I_UNLOCK] = "unlock"};
  if (in->code < I_LOAD || in->code > I_UNLOCK || !in->expr) {
    step_print(p, op, in, t);
    return;
  }
  text_printf(t, "%s ", words[in->code]);
  inst_lvalue_print(in, t);
  if (in->code == I_FETCH) text_printf(t, " %s=", operator_text(in->op));
  if (in->code == I_CAS) swap_print(op, in, t);
}

/* Whole programs. */

static void word_print(const struct program *p, word w, struct text *t) {
  if (word_is_pointer(w) && word_object(w) < p->global_count)
    text_printf(t, "&%s+%u", p->globals[word_object(w)].name, word_cell(w));
  else
    number_print(w, t);
}

static void global_print(const struct program *p, const struct program_global *g, struct text *t) {
  const struct layout *l = &p->layouts[g->layout];
  text_printf(t, "%s %s:", g->constant ? "constant" : "global", g->name);
  for (uint32_t i = 0; i < l->count; i++) {
    text_printf(t, "%s %s%s", i ? "," : "", l->cells[i].atomic ? "atomic " : "", l->cells[i].name);
    if (*l->cells[i].name) text_char(t, ' ');
    scalar_print(l->cells[i].scalar, t);
    text_add(t, " = ");
    word_print(p, g->init[i], t);
  }
  text_char(t, '\n');
}

static void code_print(const struct program *p, const struct program_op *op, uint32_t from, uint32_t end,
                       struct text *t) {
  for (uint32_t i = from; i < end; i++) {
    text_printf(t, "%5u%c ", i, p->code[i].flags & FLAG_STATEMENT ? '.' : ' ');
    size_t column = t->count;
    place_print(p->unit, p->code[i].place, t);
    while (t->count < column + 18) text_char(t, ' ');
    text_char(t, ' ');
    column = t->count;
    step_print(p, op, &p->code[i], t);
    if (p->live[i].count) {
      while (t->count < column + 40) text_char(t, ' ');
      text_add(t, " live:");
      for (uint32_t k = 0; k < p->live[i].count; k++) {
        text_char(t, ' ');
        reg_print(op, p->registers[p->live[i].first + k], 1, t);
      }
    }
    text_char(t, '\n');
  }
}

/* Where the code that begins at `from` ends. */
static uint32_t end_of(const struct program *p, uint32_t from) {
  uint32_t end = p->code_count;
  if (p->init_entry > from && p->init_entry < end) end = p->init_entry;
  for (uint32_t i = 0; i < p->op_count; i++)
    if (p->ops[i].entry > from && p->ops[i].entry < end) end = p->ops[i].entry;
  return end;
}

void program_print(const struct program *p, struct text *t) {
  for (uint32_t i = 0; i < p->global_count; i++) global_print(p, &p->globals[i], t);
  if (p->init_entry) {
    text_add(t, "first:\n");
    code_print(p, NULL, p->init_entry, end_of(p, p->init_entry), t);
  }
  for (uint32_t i = 0; i < p->op_count; i++) {
    const struct program_op *op = &p->ops[i];
    text_printf(t, "%s: %u registers\n", op->name, op->regs);
    code_print(p, op, op->entry, end_of(p, op->entry), t);
  }
}
