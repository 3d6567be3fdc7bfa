#include "concrete.h"

#include <stdio.h>
#include <string.h>

#include "asif.h"

/* An address is an object's number beyond all integers; a mutex is 0, or one more than the thread that holds it. */
#define ADDRESS ((word)1 << 40)
#define NOTHING WORD_UNINITIALISED
static bool is_address(word w) { return w >= ADDRESS; }

struct run {
  struct prover *p;
  struct concrete *c;
  unsigned me;
  uint32_t luck;
  bool waits, setting_up;
};

static struct concrete_thread *thread_of(struct run *r) { return &r->c->thread[r->me]; }
static void fault(struct run *r, const char *what) {
  if (!r->c->fault) r->c->fault = what;
}
static bool lucky(struct run *r) {
  r->luck = r->luck * 1664525u + 1013904223u;
  return r->luck >> 31;
}

/* The specification, and the prover's ghost state: see object.c of src/prove. */
enum { ADDS, TAKES, ASKS };
static int role(const struct prover *p, uint16_t op) {
  const char *name = p->effects->ops.at[p->method[op]].name;
  return !strcmp(name, "push") || !strcmp(name, "enq") || !strcmp(name, "add") ? ADDS
         : !strcmp(name, "contains")                                           ? ASKS
                                                                               : TAKES;
}
static bool is(const struct prover *p, const char *spec) { return !strcmp(p->effects->name, spec); }
static bool is_set(const struct prover *p) { return is(p, "set") || is(p, "multiset"); }
static int find_item(const struct concrete *c, word k) {
  for (unsigned i = 0; i < c->items; i++)
    if (c->item[i] == k) return (int)i;
  return -1;
}
static void drop_item(struct concrete *c, unsigned i) {
  memmove(c->item + i, c->item + i + 1, sizeof(word) * (--c->items - i));
}
static void put_item(struct run *r, word k, bool first) {
  struct concrete *c = r->c;
  if (c->items == CONCRETE_ITEMS) {
    fault(r, "too many items");
    return;
  }
  if (first) memmove(c->item + 1, c->item, sizeof(word) * c->items);
  c->item[first ? 0 : c->items] = k;
  c->items++;
}

static bool pure(const struct prover *p, const struct concrete *c, const struct concrete_thread *t) {
  bool adds = role(p, t->op) == ADDS;
  if (!is_set(p)) return !adds && !c->items;
  if (role(p, t->op) == ASKS) return true;
  return adds ? is(p, "set") && find_item(c, t->arg) >= 0 : find_item(c, t->arg) < 0;
}

static void linearize(struct run *r) {
  struct concrete_thread *t = thread_of(r);
  const struct prover *p = r->p;
  if (p->level == LEVEL_MS || r->setting_up || pure(p, r->c, t)) return;
  if (t->linearized) {
    if (p->level == LEVEL_FULL) fault(r, "linearizes twice");
    return;
  }
  t->linearized = true;
  if (role(p, t->op) == ADDS) {
    put_item(r, t->arg, is(p, "stack"));
    t->status = 1;
  } else if (is_set(p)) {
    drop_item(r->c, (unsigned)find_item(r->c, t->arg));
    t->status = 1;
  } else {
    t->status = r->c->item[0];
    drop_item(r->c, 0);
  }
}

static void note_pure(const struct prover *p, struct concrete *c) {
  for (unsigned i = 0; i < CONCRETE_THREADS; i++) {
    struct concrete_thread *t = &c->thread[i];
    if (!t->pc || t->linearized || !pure(p, c, t)) continue;
    bool yes = role(p, t->op) == ASKS && find_item(c, t->arg) >= 0;
    t->may_return |= !is_set(p) ? MAY_EMPTY : yes ? MAY_TRUE : MAY_FALSE;
  }
}

static void check_return(struct run *r, word result) {
  struct concrete_thread *t = thread_of(r);
  if (r->p->level == LEVEL_MS) return;
  bool adds = role(r->p, t->op) == ADDS;
  if (t->linearized) {
    if (is_set(r->p) ? is(r->p, "set") && (result != 0) != (t->status != 0) : !adds && result != t->status)
      fault(r, "returns another result");
    return;
  }
  unsigned bit = !is_set(r->p) ? (result == ASIF_EMPTY ? MAY_EMPTY : 0) : result ? MAY_TRUE : MAY_FALSE;
  if (!(bit & t->may_return)) fault(r, "returns without having linearized");
}

/* Memory. */
static void publish_word(struct concrete *c, word w) {
  if (!is_address(w)) return;
  struct concrete_object *o = &c->object[w - ADDRESS];
  if (!o->used || o->owner < 0) return;
  o->owner = -1;
  for (unsigned i = 0; i < CELLS_EACH; i++) publish_word(c, o->cell[i]);
}

static struct concrete_object *object_at(struct run *r, word w) {
  struct concrete_object *o = is_address(w) ? &r->c->object[w - ADDRESS] : NULL;
  return o && o->used ? o : NULL;
}

static bool is_own_word(struct run *r, word w) {
  struct concrete_object *o = object_at(r, w);
  return o && o->owner == (int)r->me;
}

static bool is_access(const struct inst *i) { return i->code >= I_LOAD && i->code <= I_UNLOCK; }
static bool is_step(struct run *r, const struct inst *i) {
  if (i->code == I_ATOMIC) return i->imm == 1;
  if (!is_access(i) || i->flags & FLAG_CONSTANT) return false;
  return i->flags & FLAG_GLOBAL || !is_own_word(r, thread_of(r)->reg[i->a]);
}

static word *cell_of(struct run *r, const struct inst *i) {
  if (i->flags & FLAG_GLOBAL) return &r->c->root[r->p->root_of[i->a] + (uint32_t)i->imm];
  struct concrete_object *o = object_at(r, thread_of(r)->reg[i->a]);
  if (!o || i->imm < 0 || i->imm >= (int64_t)r->p->program->layouts[o->layout].count) {
    fault(r, "follows a bad pointer");
    return NULL;
  }
  return &o->cell[i->imm];
}

static void write_word(struct run *r, const struct inst *i, word *at, word w) {
  word old = *at;
  bool shared = i->flags & FLAG_GLOBAL || !is_own_word(r, thread_of(r)->reg[i->a]);
  *at = w;
  if (!shared) return;
  publish_word(r->c, w);
  struct concrete_object *o = object_at(r, old);
  if (r->p->collected || old == w || !o || o->owner >= 0) return;
  for (unsigned k = 0; k < REGS_MOST; k++)
    if (thread_of(r)->reg[k] == old && r->p->freed_later[thread_of(r)->pc] >> k & 1) o->owner = (int8_t)r->me;
}

static void lock_word(struct run *r, const struct inst *i, word *at) {
  if (*at == r->me + 1)
    fault(r, "takes a lock that it holds");
  else if (*at)
    r->waits = true;
  else
    write_word(r, i, at, r->me + 1);
}

static void run_memory(struct run *r, const struct inst *i, uint32_t pc) {
  word *regs = thread_of(r)->reg, *at = cell_of(r, i), old;
  if (!at) return;
  bool writes = true;
  old = *at;
  switch (i->code) {
  case I_LOAD: regs[i->d] = old, writes = false; break;
  case I_STORE: write_word(r, i, at, regs[i->b]); break;
  case I_EXCHANGE: write_word(r, i, at, regs[i->b]), regs[i->d] = old; break;
  case I_CAS:
    if (old == NOTHING || regs[i->c] == NOTHING) fault(r, "compares what was never set");
    writes = old == regs[i->c] && !(i->flags & FLAG_WEAK && lucky(r));
    if (writes)
      write_word(r, i, at, regs[i->b]);
    else
      regs[i->c] = old;
    regs[i->d] = writes;
    break;
  case I_LOCK: lock_word(r, i, at), writes = false; break;
  case I_TRYLOCK:
    regs[i->d] = !old, writes = false;
    if (!old) lock_word(r, i, at);
    break;
  case I_DESTROY:
    if (old) fault(r, "destroys a lock that is taken, or was never set");
    write_word(r, i, at, NOTHING), writes = false;
    break;
  case I_UNLOCK:
    if (old != r->me + 1) fault(r, "gives back a lock that it does not hold");
    write_word(r, i, at, 0), writes = false;
    break;
  default: fault(r, "an access that is not followed");
  }
  if (writes && r->p->point[pc]) linearize(r);
}

static word compare(struct run *r, const struct inst *i, word x, word y) {
  if (x == NOTHING || y == NOTHING) fault(r, "compares what was never set");
  switch (i->op) {
  case OP_EQ: return x == y;
  case OP_NE: return x != y;
  case OP_LT: return x < y;
  case OP_GT: return x > y;
  case OP_LE: return x <= y;
  case OP_GE: return x >= y;
  default: fault(r, "arithmetic that is not followed"); return 0;
  }
}

static void new_object(struct run *r, const struct inst *i) {
  unsigned n = 0;
  while (n < CONCRETE_OBJECTS && r->c->object[n].used) n++;
  if (n == CONCRETE_OBJECTS) {
    fault(r, "too many objects");
    return;
  }
  struct concrete_object *o = &r->c->object[n];
  const struct layout *l = &r->p->program->layouts[i->imm];
  *o = (struct concrete_object){.used = true, .owner = (int8_t)r->me, .layout = (uint8_t)i->imm};
  for (unsigned c = 0; c < CELLS_EACH; c++)
    o->cell[c] = (c < l->count && l->cells[c].scalar.mutex) || i->flags & FLAG_ZERO ? 0 : NOTHING;
  thread_of(r)->reg[i->d] = ADDRESS + n;
}

static void free_object(struct run *r, word w) {
  struct concrete_object *o = object_at(r, w);
  if (!w) return;
  if (!o || o->owner != (int)r->me)
    fault(r, "frees what is not its own");
  else
    o->used = false;
}

static void run_plain(struct run *r, const struct inst *i) {
  struct concrete_thread *t = thread_of(r);
  word *regs = t->reg;
  bool truth;
  switch (i->code) {
  case I_CONST: regs[i->d] = i->imm; break;
  case I_MOVE: memmove(regs + i->d, regs + i->a, sizeof(word) * i->count); break;
  case I_CAST: regs[i->d] = i->scalar.bits == 1 && regs[i->a] != NOTHING ? regs[i->a] != 0 : regs[i->a]; break;
  case I_UNARY: regs[i->d] = compare(r, &(struct inst){.op = i->op == OP_NOT ? OP_EQ : 255}, regs[i->a], 0); break;
  case I_BINARY: regs[i->d] = compare(r, i, regs[i->a], i->b == NO_REG ? i->imm : regs[i->b]); break;
  case I_ALLOC: new_object(r, i); break;
  case I_FREE: free_object(r, regs[i->a]); break;
  case I_JUMP: t->pc = (uint32_t)i->imm; break;
  case I_BRANCH:
    truth = compare(r, &(struct inst){.op = OP_EQ}, regs[i->a], 0);
    if (truth != (i->op == OP_NOT)) t->pc = (uint32_t)i->imm;
    break;
  case I_LIN:
    if (r->p->marked) linearize(r);
    break;
  default: fault(r, "an instruction that is not followed");
  }
}

static void go(struct run *r, bool stepped) {
  struct concrete_thread *t = thread_of(r);
  bool atomic = false;
  for (unsigned count = 0; !r->c->fault && !r->waits; count++) {
    uint32_t pc = t->pc;
    const struct inst *i = &r->p->program->code[pc];
    if (count == 5000) fault(r, "goes on for ever");
    if (is_step(r, i) && !atomic) {
      if (stepped) return;
      stepped = true;
    }
    t->pc++;
    if (i->code == I_ATOMIC)
      atomic = i->imm;
    else if (i->code == I_RETURN) {
      if (!r->setting_up) check_return(r, i->a == NO_REG ? 0 : t->reg[i->a]);
      t->pc = 0;
      return;
    } else if (is_access(i))
      run_memory(r, i, pc);
    else
      run_plain(r, i);
  }
}

void concrete_start(struct prover *p, struct concrete *c) {
  const struct program *program = p->program;
  memset(c, 0, sizeof *c);
  for (uint32_t g = 0; g < program->global_count; g++)
    for (uint32_t k = 0; k < program->layouts[program->globals[g].layout].count; k++)
      c->root[p->root_of[g] + k] =
          program->globals[g].init && !program->layouts[program->globals[g].layout].cells[k].scalar.mutex
              ? program->globals[g].init[k]
              : 0;
  if (program->init_entry) {
    struct run r = {.p = p, .c = c, .setting_up = true};
    c->thread[0].pc = program->init_entry;
    for (unsigned i = 0; i < REGS_MOST; i++) c->thread[0].reg[i] = NOTHING;
    while (c->thread[0].pc && !c->fault && !r.waits) go(&r, false);
  }
  for (unsigned i = 0; i < CONCRETE_OBJECTS; i++) c->object[i].owner = -1;
}

static bool finish(struct run *r, const struct concrete *before) {
  if (r->waits && !r->c->fault) {
    *r->c = *before;
    return false;
  }
  note_pure(r->p, r->c);
  return true;
}

bool concrete_call(struct prover *p, struct concrete *c, unsigned thread, uint16_t op, word arg, uint32_t luck) {
  struct concrete before = *c;
  struct concrete_thread *t = &c->thread[thread];
  struct run r = {.p = p, .c = c, .me = thread, .luck = luck};
  *t = (struct concrete_thread){.pc = p->program->ops[op].entry, .op = op, .arg = arg};
  for (unsigned i = 0; i < REGS_MOST; i++) t->reg[i] = i < p->program->ops[op].params ? arg : NOTHING;
  note_pure(p, c);
  go(&r, true);
  return finish(&r, &before);
}

bool concrete_step(struct prover *p, struct concrete *c, unsigned thread, uint32_t luck) {
  struct concrete before = *c;
  struct run r = {.p = p, .c = c, .me = thread, .luck = luck};
  go(&r, false);
  return finish(&r, &before);
}

/* Matching: which object each node is, which number each name. How long segments are is given. */
enum { LONGEST = 14, NAMES = 256 };
struct match {
  const struct prover *p;
  const struct concrete *c;
  const struct view *v;
  unsigned me;
  unsigned length[NODES_MOST];
  int node_of[CONCRETE_OBJECTS]; /* the node an object belongs to; -1: none */
  word first[NODES_MOST];        /* of each node: its address; 0: not met yet */
  word contents[NODES_MOST][LONGEST];
  word sym[NAMES], dangling[NAMES];
  bool sym_known[NAMES], dangling_known[NAMES];
};

static bool match_value(struct match *m, val v, word w);

static bool match_lock(const struct match *m, val v, word w) {
  switch (INDEX(v)) {
  case LOCK_FREE: return !w;
  case LOCK_ME: return w == m->me + 1;
  case LOCK_OTHER: return w && w != m->me + 1;
  default: return w != m->me + 1;
  }
}

static bool match_node(struct match *m, unsigned n, word w) {
  const struct node *x = &m->v->node[n];
  int link = m->p->link[x->layout], data = m->p->data[x->layout];
  if (m->first[n]) return m->first[n] == w;
  m->first[n] = w;
  for (unsigned k = 0; k < (x->segment ? m->length[n] : 1); k++) {
    if (!is_address(w)) return false;
    const struct concrete_object *o = &m->c->object[w - ADDRESS];
    if (!o->used || o->layout != x->layout || m->node_of[w - ADDRESS] >= 0) return false;
    if (o->owner != (x->owner == OWNER_ME ? (int)m->me : -1)) return false;
    m->node_of[w - ADDRESS] = (int)n;
    if (x->segment) {
      m->contents[n][k] = data >= 0 ? o->cell[data] : 0;
      w = o->cell[link];
    } else {
      for (unsigned c = 0; c < m->p->program->layouts[x->layout].count; c++)
        if (!match_value(m, x->cell[c], o->cell[c])) return false;
    }
  }
  return !x->segment || match_value(m, x->cell[link], w);
}

static bool match_value(struct match *m, val v, word w) {
  unsigned i = INDEX(v);
  switch (KIND(v)) {
  case K_NULL: return w == 0;
  case K_INT: return w == m->p->constant[i];
  case K_LOCK: return match_lock(m, v, w);
  case K_NODE: return match_node(m, i, w);
  case K_SYM:
    if (w == NOTHING || (m->sym_known[i] && m->sym[i] != w)) return false;
    m->sym[i] = w, m->sym_known[i] = true;
    return true;
  case K_DANGLING:
    if (!is_address(w) || (m->dangling_known[i] && m->dangling[i] != w)) return false;
    m->dangling[i] = w, m->dangling_known[i] = true;
    return true;
  default: return true;
  }
}

/* The number a value stands for; false if any will do. */
static bool number_of(const struct match *m, val v, word *w) {
  if (KIND(v) == K_NULL)
    *w = 0;
  else if (KIND(v) == K_INT)
    *w = m->p->constant[INDEX(v)];
  else if (KIND(v) == K_SYM && m->sym_known[INDEX(v)])
    *w = m->sym[INDEX(v)];
  else
    return false;
  return true;
}

static bool match_order(const struct match *m) {
  word a, b;
  for (unsigned f = 0; f < m->v->facts; f++) {
    const struct fact *k = &m->v->fact[f];
    if (!number_of(m, k->a, &a) || !number_of(m, k->b, &b)) continue;
    if (k->relation == LESS ? a >= b : k->relation == AT_MOST ? a > b : a == b) return false;
  }
  for (unsigned n = 0; n < NODES_MOST; n++) {
    const struct node *x = &m->v->node[n];
    if (!x->used || !x->segment || KIND(x->low) == K_UNSET) continue;
    for (unsigned k = 0; k < m->length[n]; k++) {
      if (k && m->contents[n][k - 1] >= m->contents[n][k]) return false;
      if (number_of(m, x->low, &a) && a >= m->contents[n][k]) return false;
      if (number_of(m, x->high, &b) && m->contents[n][k] >= b) return false;
    }
  }
  return true;
}

static int segment_with(const struct view *v, val contents) {
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && v->node[n].segment && v->node[n].contents == contents) return (int)n;
  return -1;
}

static bool match_sequence(const struct match *m, unsigned atom, unsigned item) {
  const struct view *v = m->v;
  const struct concrete *c = m->c;
  word w;
  if (atom == v->atoms) return item == c->items;
  val a = v->abs[atom];
  if (number_of(m, a, &w)) return item < c->items && c->item[item] == w && match_sequence(m, atom + 1, item + 1);
  if (KIND(a) != K_SEQ) return item < c->items && match_sequence(m, atom + 1, item + 1);
  int n = segment_with(v, a);
  if (n >= 0) {
    for (unsigned k = 0; k < m->length[n]; k++)
      if (item + k >= c->items || c->item[item + k] != m->contents[n][k]) return false;
    return match_sequence(m, atom + 1, item + m->length[n]);
  }
  for (unsigned next = item + 1; next <= c->items; next++)
    if (match_sequence(m, atom + 1, next)) return true;
  return false;
}

static bool take_item(struct concrete *left, word w) {
  int i = find_item(left, w);
  if (i >= 0) drop_item(left, (unsigned)i);
  return i >= 0;
}

static bool match_multiset(const struct match *m) {
  const struct view *v = m->v;
  struct concrete left = *m->c;
  unsigned least = 0;
  bool open = false;
  word w;
  for (unsigned i = 0; i < v->atoms; i++) {
    val a = v->abs[i];
    int n = KIND(a) == K_SEQ ? segment_with(v, a) : -1;
    if (number_of(m, a, &w)) {
      if (!take_item(&left, w)) return false;
    } else if (n >= 0) {
      for (unsigned k = 0; k < m->length[n]; k++)
        if (!take_item(&left, m->contents[n][k])) return false;
    } else {
      least++;
      open |= KIND(a) == K_SEQ;
    }
  }
  return open ? left.items >= least : left.items == least;
}

static bool match_lengths(struct match *m) {
  const struct view *v = m->v;
  const struct concrete_thread *t = &m->c->thread[m->me];
  memset(m->node_of, -1, sizeof m->node_of);
  memset(m->first, 0, sizeof m->first);
  memset(m->sym_known, 0, sizeof m->sym_known);
  memset(m->dangling_known, 0, sizeof m->dangling_known);
  for (unsigned i = 0; i < ROOTS_MOST; i++)
    if (!match_value(m, v->root[i], m->c->root[i])) return false;
  for (unsigned i = 0; v->pc && i < REGS_MOST; i++)
    if (!match_value(m, v->reg[i], t->reg[i])) return false;
  if (v->pc && !match_value(m, v->arg, t->arg)) return false;
  if (m->p->level == LEVEL_MS) return match_order(m);
  if (v->pc && ((KIND(v->status) != K_UNSET) != t->linearized || v->may_return & ~t->may_return)) return false;
  if (v->pc && t->linearized && (role(m->p, t->op) == TAKES && !is_set(m->p)) && !match_value(m, v->status, t->status))
    return false;
  return match_order(m) && (is_set(m->p) ? match_multiset(m) : match_sequence(m, 0, 0));
}

bool concrete_matches(const struct prover *p, const struct concrete *c, unsigned thread, const struct view *v) {
  struct match m = {.p = p, .c = c, .v = v, .me = thread};
  if (v->pc != c->thread[thread].pc || (v->pc && v->op != c->thread[thread].op)) return false;
  unsigned segment[NODES_MOST], count = 0;
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used && v->node[n].segment) segment[count++] = n, m.length[n] = 1;
  for (;;) {
    if (match_lengths(&m)) return true;
    unsigned i = 0;
    while (i < count && ++m.length[segment[i]] == LONGEST) m.length[segment[i++]] = 1;
    if (i == count) return false;
  }
}

bool concrete_covered(const struct prover *p, const struct concrete *c, unsigned thread) {
  for (size_t e = 1; e < p->entries.count; e++)
    if (concrete_matches(p, c, thread, &p->entries.at[e].view)) return true;
  return false;
}

static void print_word(word w, FILE *f) {
  if (is_address(w))
    fprintf(f, "@%d", (int)(w - ADDRESS));
  else if (w == NOTHING)
    fputs("unset", f);
  else
    fprintf(f, "%lld", (long long)w);
}

void concrete_print(const struct prover *p, const struct concrete *c, FILE *f) {
  fputs("roots:", f);
  for (unsigned i = 0; i < ROOTS_MOST; i++) fputc(' ', f), print_word(c->root[i], f);
  for (unsigned n = 0; n < CONCRETE_OBJECTS; n++) {
    if (!c->object[n].used) continue;
    fprintf(f, "\n@%u (owner %d):", n, c->object[n].owner);
    for (unsigned k = 0; k < p->program->layouts[c->object[n].layout].count; k++)
      fputc(' ', f), print_word(c->object[n].cell[k], f);
  }
  fputs("\nspecification:", f);
  for (unsigned i = 0; i < c->items; i++) fputc(' ', f), print_word(c->item[i], f);
  for (unsigned i = 0; i < CONCRETE_THREADS; i++) {
    const struct concrete_thread *t = &c->thread[i];
    fprintf(f, "\nthread %u at %u", i, t->pc);
    for (unsigned k = 0; t->pc && k < p->program->ops[t->op].regs && k < REGS_MOST; k++)
      fprintf(f, " %s=", p->program->ops[t->op].reg_names[k]), print_word(t->reg[k], f);
    if (t->pc)
      fprintf(f, " arg %lld, may return %u%s", (long long)t->arg, t->may_return, t->linearized ? ", linearized" : "");
  }
  fputc('\n', f);
}
