/* Views in words. */
#include "prove/prover.h"

static void tell_value(const struct prover *p, val v, struct text *t) {
  static const char *const whose[] = {"free", "mine", "yours", "another's", "not mine"};
  switch (KIND(v)) {
  case K_UNSET: text_add(t, "unset"); break;
  case K_NULL: text_add(t, "0"); break;
  case K_INT: text_printf(t, "%lld", (long long)p->constant[INDEX(v)]); break;
  case K_SYM: text_printf(t, "v%u", INDEX(v)); break;
  case K_NODE: text_printf(t, "n%u", INDEX(v)); break;
  case K_DANGLING: text_printf(t, "freed%u", INDEX(v)); break;
  case K_LOCK: text_add(t, whose[INDEX(v)]); break;
  case K_SEQ: text_printf(t, "S%u", INDEX(v)); break;
  case K_ANY: text_add(t, "?"); break;
  }
}

void tell_view(const struct prover *p, const struct view *v, struct text *t) {
  static const char *const whose[] = {"", "!", "!yours"};
  const struct program *program = p->program;
  for (uint32_t g = 0; g < program->global_count; g++)
    for (uint32_t c = 0; c < program->layouts[program->globals[g].layout].count; c++) {
      text_printf(t, " %s=", program->globals[g].name);
      tell_value(p, v->root[p->root_of[g] + c], t);
    }
  if (v->pc)
    for (unsigned i = 0; i < REGS_MOST; i++)
      if (KIND(v->reg[i]) != K_UNSET) {
        text_printf(t, " %s:=", program->ops[v->op].reg_names[i]);
        tell_value(p, v->reg[i], t);
      }
  for (unsigned n = 0; n < NODES_MOST; n++) {
    const struct node *x = &v->node[n];
    if (!x->used) continue;
    text_printf(t, "  n%u%s%s{", n, x->segment ? "*" : "", whose[x->owner]);
    for (unsigned c = 0; c < program->layouts[x->layout].count; c++) {
      if (x->segment && (int)c != p->link[x->layout]) continue;
      text_printf(t, " %s:", program->layouts[x->layout].cells[c].name);
      tell_value(p, x->cell[c], t);
    }
    if (x->segment) {
      text_add(t, " ");
      tell_value(p, x->contents, t);
      if (KIND(x->low) != K_UNSET) {
        text_add(t, " in ");
        tell_value(p, x->low, t);
        text_add(t, "..");
        tell_value(p, x->high, t);
      }
    }
    text_add(t, "}");
  }
  text_add(t, "  ABS=<");
  for (unsigned i = 0; i < v->atoms; i++) {
    if (i) text_add(t, " ");
    tell_value(p, v->abs[i], t);
  }
  text_add(t, ">");
  for (unsigned f = 0; f < v->facts; f++) {
    text_add(t, " ");
    tell_value(p, v->fact[f].a, t);
    text_add(t, v->fact[f].relation == LESS ? "<" : v->fact[f].relation == AT_MOST ? "<=" : "!=");
    tell_value(p, v->fact[f].b, t);
  }
  if (KIND(v->status) != K_UNSET) {
    text_add(t, " linearized with ");
    tell_value(p, v->status, t);
  }
  if (v->may_return) text_printf(t, " may return %u", v->may_return);
}

/* "ms_queue.c:46:16 cas t->next" */
static void tell_place(const struct proved *d, uint16_t op, uint32_t pc, struct text *t) {
  place_print(d->unit, d->program->code[pc].place, t);
  text_add(t, ": ");
  inst_print(d->program, &d->program->ops[op], &d->program->code[pc], t);
}

static uint16_t op_of(const struct proved *d, uint32_t pc) {
  uint16_t op = 0;
  while (op + 1u < d->program->op_count && d->program->ops[op + 1].entry <= pc) op++;
  return op;
}

void prove_tell_points(const struct proved *d, struct text *t) {
  const struct prover *p = d->prover;
  for (uint16_t op = 0; op < d->program->op_count; op++) {
    bool any = false;
    for (uint32_t pc = 1; pc < d->program->code_count; pc++)
      if (p->point[pc] && op_of(d, pc) == op) {
        text_printf(t, "  %s linearizes at ", d->program->ops[op].function);
        tell_place(d, op, pc, t);
        text_add(t, "\n");
        any = true;
      }
    if (!any && !p->marked) text_printf(t, "  %s changes nothing: any moment at which its result is right will do\n", d->program->ops[op].function);
  }
  if (p->marked) text_add(t, "  as marked by ASIF_LIN\n");
}

void prove_tell_actions(const struct proved *d, struct text *t) {
  const struct prover *p = d->prover;
  for (size_t i = 0; i < p->actions.count; i++) {
    const struct view *v = &p->actions.at[i];
    text_add(t, "  ");
    tell_place(d, v->op, v->pc, t);
    text_add(t, "  where");
    tell_view(p, v, t);
    text_add(t, "\n");
  }
}

void prove_tell_memory(const struct proved *d, struct text *t) {
  const struct prover *p = d->prover;
  for (size_t e = 1; e < p->entries.count; e++)
    if (!p->entries.at[e].view.pc) {
      text_add(t, " ");
      tell_view(p, &p->entries.at[e].view, t);
      text_add(t, "\n");
    }
}

void prove_tell_failure(const struct proved *d, struct text *t) {
  const struct prover *p = d->prover;
  const struct prove_failure *f = &d->failure;
  if (f->pc) {
    tell_place(d, op_of(d, f->pc), f->pc, t);
    text_add(t, "\n  ");
  }
  text_add(t, f->said);
  if (f->view) {
    text_add(t, "\n  where");
    tell_view(p, &p->entries.at[f->view].view, t);
  }
  text_add(t, "\n");
}
