/* Linearization points in other threads (section 3.1).
 *
 * A node stands for an operation, or carries it, from the step on by which the operation makes the node visible to
 * others, having not linearized yet. The node is the paper's descriptor; what the paper keeps in it is kept in views:
 * the thread whose operation it is knows the node as CARRY_MINE, all others as CARRY_WAITING, with operation and
 * argument, until it has linearized. Whoever knows a node that waits may linearize the operation by a step of its own.
 * Then
 *
 * - an operation is carried by one node at most: a second one that it makes visible stands for nothing;
 * - the view of its thread has that node as long as the operation has not linearized (find_links, abstraction.c), so
 * that whoever linearizes it does so in that view too: the two nodes are the same one when the views are laid over each
 * other (compose.c);
 * - to linearize is a step that others notice. So no view has the node as one that waits any longer;
 * - an operation that is carried may not return before it has linearized: not even with a result that it might have at
 * any moment;
 * - a node of which nothing is known, as one that was part of a segment, helps nobody. */
#include "prove/prover.h"

static bool is_pending(val status) { return KIND(status) == K_UNSET; }

bool carries_own(const struct view *v) {
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && KIND(v->node[n].carries) == K_CARRY && CARRIER(v->node[n].carries) == CARRY_MINE)
      return true;
  return false;
}

/* Is an operation marked as one that others linearize, which changes something? */
bool marks_helping(const struct prover *p) {
  for (uint32_t pc = 1; pc < p->program->code_count; pc++) {
    const struct inst *i = &p->program->code[pc];
    if (i->code == I_LIN_FOR && (i->b == NO_REG || !changes_nothing(p, i->b))) return true;
  }
  return false;
}

static enum carrier own_carrier(const struct actor *a) { return a->me ? CARRY_MINE : CARRY_YOURS; }

/* At the end of the step: if the operation linearizes by it, the node need not stand for it. */
void carry_published(struct prover *p, struct actor *a) {
  if (!p->helping || KIND(a->published) != K_NODE || p->dead || p->level == LEVEL_MS || a->setting_up) return;
  struct node *n = &a->view->node[INDEX(a->published)];
  if (!n->used || n->segment || n->owner != OWNER_NONE || KIND(n->carries) != K_UNSET) return;
  bool carries = !*a->carried && is_pending(*a->status);
  n->carries = carries ? CARRY(own_carrier(a), a->op) : CARRY(CARRY_NOTHING, 0);
  if (carries) *a->carried = 1;
}

/* Nobody else can reach the node any more: the operation is the thread's own again. */
void carry_claimed(struct actor *a, struct node *n) {
  if (KIND(n->carries) != K_CARRY) return;
  if (CARRIER(n->carries) == own_carrier(a)) *a->carried = 0;
  if (CARRIER(n->carries) == own_carrier(a) || CARRIER(n->carries) == CARRY_NOTHING) n->carries = VAL(K_UNSET, 0);
}

/* Does the thread itself know that the node stands for an operation that has not linearized? What only the view knows
 * in which it takes its step must not decide whom it helps: it would help others in other views. */
static bool knows_waiting(const struct actor *a, unsigned i) {
  const struct node *n = &a->view->node[i];
  if (!n->used || n->segment || KIND(n->carries) != K_CARRY || (!a->me && !(a->knows >> i & 1))) return false;
  if (CARRIER(n->carries) == CARRY_NOTHING || CARRIER(n->carries) == CARRY_WAITING)
    return CARRIER(n->carries) == CARRY_WAITING;
  return is_pending(CARRIER(n->carries) == CARRY_MINE ? a->view->status : *a->status);
}

static bool has_cell(const struct node *n, val v) {
  for (unsigned c = 0; c < CELLS_EACH; c++)
    if (n->cell[c] == v) return true;
  return false;
}

/* The node that stands for the operation that is meant: of the thread with this number, which the node has in a cell;
 * or, if no thread is named, a node of the last access. -1: none, or not one only. */
static int find_carrier(const struct actor *a, val thread) {
  int found = -1;
  for (unsigned n = 0; n < NODES_MOST; n++) {
    val at = VAL(K_NODE, n);
    bool meant = KIND(thread) != K_UNSET ? KIND(thread) == K_SYM && has_cell(&a->view->node[n], thread)
                                         : a->last[0] == at || a->last[1] == at || a->last[2] == at;
    if (!meant || !knows_waiting(a, n)) continue;
    if (found >= 0) return -1;
    found = (int)n;
  }
  return found;
}

static void linearize_waiting(struct prover *p, struct actor *a, struct node *n) {
  val status = VAL(K_UNSET, 0);
  uint8_t carried = 1;
  struct actor waiting = {.view = a->view,
                          .reg = a->reg,
                          .status = &status,
                          .carried = &carried,
                          .arg = n->carried_arg,
                          .op = CARRIED_OP(n->carries)};
  effect_now(p, &waiting);
  n->carries = CARRY(CARRY_NOTHING, 0);
  n->carried_arg = VAL(K_UNSET, 0);
}

static void linearize_mine(struct prover *p, struct actor *a) {
  struct view *v = a->view;
  struct actor mine = {
      .view = v, .reg = a->reg, .status = &v->status, .carried = &v->carried, .arg = v->arg, .op = v->op};
  effect_now(p, &mine);
}

void effect_for(struct prover *p, struct actor *a, unsigned op, val thread) {
  if (p->level == LEVEL_MS || a->setting_up) return;
  if (op != NO_REG && changes_nothing(p, (uint16_t)op)) return; /* it changes nothing: any moment will do */
  int i = find_carrier(a, thread);
  if (i < 0) {
    prove_fail(p, FAIL_POINT, "it is not known whose operation linearizes here: no node stands for it, or several do");
    return;
  }
  struct node *n = &a->view->node[i];
  if (op != NO_REG && op != CARRIED_OP(n->carries)) {
    prove_fail(p, FAIL_POINT, "the operation that linearizes here is %s, and not %s",
               p->program->ops[CARRIED_OP(n->carries)].function, p->program->ops[op].function);
    return;
  }
  keep_before(p, a);
  if (CARRIER(n->carries) == own_carrier(a))
    effect_now(p, a);
  else if (CARRIER(n->carries) == CARRY_MINE)
    linearize_mine(p, a);
  else
    linearize_waiting(p, a, n);
  a->wrote = true;
}
