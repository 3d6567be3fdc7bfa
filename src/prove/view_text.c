/* Views as lines of an evidence file: complete, and read back to the same bytes.
 *
 *   17 1 | head=n0 tail=n1 | t/3=n1 | n0:0 .val=? .next=n1 ; n1:0* .next=0 contents=S0 low=- high=- ; | S0 | v0<v1 |
 * arg v0 result - may 0 names 2 1 0
 *
 * which is: at instruction 17 of operation 1; roots; registers that are set; nodes, each with the number of its layout,
 * * for a segment, ** for one whose nodes stand for nothing, ! for the thread's own, and in the place of contents and
 * low the operation that a node stands for with its argument; the abstract value; facts; the rest. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "prove/prover.h"

static const char *const whose[] = {
    [LOCK_FREE] = "free",       [LOCK_ME] = "mine",         [LOCK_YOU] = "yours",
    [LOCK_OTHER] = "another's", [LOCK_NOT_ME] = "not-mine", [LOCK_NEVER_SET] = "never-set"};
static const char *const owners[] = {[OWNER_NONE] = "", [OWNER_ME] = "!", [OWNER_YOU] = "!!"};
static const char *const segments[] = {[NO_SEGMENT] = "", [SEGMENT] = "*", [SEGMENT_CARRYING_NOTHING] = "**"};
static const char *const carriers[] = {
    [CARRY_NOTHING] = "nothing", [CARRY_MINE] = "own", [CARRY_YOURS] = "yours", [CARRY_WAITING] = "waiting"};
static const char *const relations[] = {[LESS] = "<", [AT_MOST] = "<=", [DIFFERENT] = "!=", [CONGRUENT] = "~"};
static const struct {
  enum kind kind;
  char letter;
} letters[] = {{K_SYM, 'v'}, {K_NODE, 'n'}, {K_DANGLING, 'f'}, {K_SEQ, 'S'}};
enum {
  LETTERS = sizeof letters / sizeof *letters,
  WHOSE = sizeof whose / sizeof *whose,
  CARRIERS = sizeof carriers / sizeof *carriers
};

static void put_value(const struct prover *p, val v, struct text *t) {
  for (unsigned i = 0; i < LETTERS; i++)
    if (KIND(v) == letters[i].kind) text_printf(t, "%c%u", letters[i].letter, INDEX(v));
  if (KIND(v) == K_UNSET) text_char(t, '-');
  if (KIND(v) == K_NULL) text_char(t, '0');
  if (KIND(v) == K_INT) text_printf(t, "%" PRId64, p->constant[INDEX(v)]);
  if (KIND(v) == K_LOCK) text_add(t, whose[INDEX(v)]);
  if (KIND(v) == K_ANY) text_char(t, '?');
  if (KIND(v) == K_CARRY) text_printf(t, "%s:%u", carriers[CARRIER(v)], CARRIED_OP(v));
}

static void put_node(const struct prover *p, const struct view *v, unsigned n, struct text *t) {
  const struct node *x = &v->node[n];
  const struct layout *l = &p->program->layouts[x->layout];
  text_printf(t, " n%u:%u%s%s", n, x->layout, segments[x->segment], owners[x->owner]);
  for (unsigned c = 0; c < l->count && c < CELLS_EACH; c++) {
    text_printf(t, " .%s=", l->cells[c].name);
    put_value(p, x->cell[c], t);
  }
  text_add(t, " contents=");
  put_value(p, x->contents, t);
  text_add(t, " low=");
  put_value(p, x->low, t);
  text_add(t, " high=");
  put_value(p, x->high, t);
  text_add(t, " ;");
}

void put_view(const struct prover *p, const struct view *v, struct text *t) {
  const struct program *program = p->program;
  text_printf(t, "%" PRIu32 " %u |", v->pc, v->op);
  for (uint32_t g = 0; g < program->global_count; g++)
    for (uint32_t c = 0; c < program->layouts[program->globals[g].layout].count; c++) {
      const char *cell = program->layouts[program->globals[g].layout].cells[c].name;
      text_printf(t, " %s%s%s=", program->globals[g].name, *cell ? "." : "", cell);
      put_value(p, v->root[p->root_of[g] + c], t);
    }
  text_add(t, " |");
  for (unsigned r = 0; r < REGS_MOST; r++)
    if (v->reg[r]) {
      text_printf(t, " %s/%u=", v->pc && r < program->ops[v->op].regs ? program->ops[v->op].reg_names[r] : "", r);
      put_value(p, v->reg[r], t);
    }
  text_add(t, " |");
  for (unsigned n = 0; n < NODES_MOST; n++)
    if (v->node[n].used) put_node(p, v, n, t);
  text_add(t, " |");
  for (unsigned i = 0; i < v->atoms; i++) text_char(t, ' '), put_value(p, v->abs[i], t);
  text_add(t, " |");
  for (unsigned f = 0; f < v->facts; f++) {
    text_char(t, ' ');
    put_value(p, v->fact[f].a, t);
    text_add(t, relations[v->fact[f].relation]);
    put_value(p, v->fact[f].b, t);
  }
  text_add(t, " | arg ");
  put_value(p, v->arg, t);
  text_add(t, " result ");
  put_value(p, v->status, t);
  text_printf(t, " may %u", v->may_return);
  for (unsigned i = 0; i < SEEN_MOST && v->seen[i]; i++) text_char(t, ','), put_value(p, v->seen[i], t);
  text_printf(t, " names %u %u %u%s", v->syms, v->seqs, v->danglings, v->carried ? " carried" : "");
}

/* Reading: words between spaces. What is wrong with them is found at the end, when the view is written again and
 * compared. */
struct words {
  struct prover *p;
  char *at;
};

static char *next_word(struct words *w) {
  while (*w->at == ' ') w->at++;
  char *part = w->at;
  while (*w->at && *w->at != ' ') w->at++;
  if (*w->at) *w->at++ = 0;
  return part;
}

/* The next word of a part; NULL where the part has ended. */
static char *word_before(struct words *w, const char *end) {
  char *part = next_word(w);
  return *part && strcmp(part, end) ? part : NULL;
}

static unsigned get_number(const char *s, unsigned most) {
  unsigned long long n = isdigit((unsigned char)*s) ? strtoull(s, NULL, 10) : 0;
  return n > most ? most : (unsigned)n;
}

static val get_value(struct words *w, const char *s) {
  if (!strcmp(s, "?")) return VAL(K_ANY, 0);
  const char *colon = strchr(s, ':');
  for (unsigned i = 0; colon && i < CARRIERS; i++)
    if (!strncmp(s, carriers[i], (size_t)(colon - s)) && !carriers[i][colon - s])
      return CARRY(i, get_number(colon + 1, w->p->program->op_count - 1));
  for (unsigned i = 0; i < WHOSE; i++)
    if (!strcmp(s, whose[i])) return VAL(K_LOCK, i);
  for (unsigned i = 0; i < LETTERS; i++)
    if (*s == letters[i].letter) return VAL(letters[i].kind, get_number(s + 1, 0xfff));
  return isdigit((unsigned char)s[*s == '-']) ? number(w->p, strtoll(s, NULL, 10)) : VAL(K_UNSET, 0);
}

static val value_after(struct words *w, const char *part) {
  const char *equals = strrchr(part, '=');
  return get_value(w, equals ? equals + 1 : "-");
}

/* How often it stands there, as far as it means something. */
static unsigned signs_in(const char *part, char sign, unsigned most) {
  unsigned count = 0;
  while ((part = strchr(part, sign))) part++, count++;
  return count < most ? count : most;
}

static void get_node(struct words *w, struct view *v, const char *part) {
  unsigned n = get_number(part + (*part == 'n'), NODES_MOST - 1);
  const char *colon = strchr(part, ':');
  struct node *x = &v->node[n];
  x->used = 1;
  x->segment = (uint8_t)signs_in(part, '*', SEGMENT_CARRYING_NOTHING);
  x->owner = (uint8_t)signs_in(part, '!', OWNER_YOU);
  x->layout = (uint8_t)get_number(colon ? colon + 1 : "", w->p->program->layout_count - 1);
  unsigned count = 0;
  char *s;
  while ((s = word_before(w, ";"))) {
    if (*s == '.' && count < CELLS_EACH) x->cell[count++] = value_after(w, s);
    if (!strncmp(s, "contents=", 9)) x->contents = value_after(w, s);
    if (!strncmp(s, "low=", 4)) x->low = value_after(w, s);
    if (!strncmp(s, "high=", 5)) x->high = value_after(w, s);
  }
}

static void get_fact(struct words *w, struct view *v, char *part) {
  size_t left = strcspn(part, "<!~");
  struct fact *f = &v->fact[v->facts];
  if (!part[left] || v->facts == FACTS_MOST) return;
  f->relation = part[left] == '!' ? DIFFERENT : part[left] == '~' ? CONGRUENT : part[left + 1] == '=' ? AT_MOST : LESS;
  f->b = get_value(w, part + left + strlen(relations[f->relation]));
  part[left] = 0;
  f->a = get_value(w, part);
  v->facts++;
}

static void get_words(struct words *w, struct view *v) {
  char *s;
  unsigned roots = 0;
  v->pc = get_number(next_word(w), w->p->program->code_count - 1);
  v->op = (uint16_t)get_number(next_word(w), w->p->program->op_count - 1);
  next_word(w);
  while ((s = word_before(w, "|")))
    if (roots < ROOTS_MOST) v->root[roots++] = value_after(w, s);
  while ((s = word_before(w, "|"))) {
    const char *slash = strrchr(s, '/');
    v->reg[get_number(slash ? slash + 1 : "", REGS_MOST - 1)] = value_after(w, s);
  }
  while ((s = word_before(w, "|"))) get_node(w, v, s);
  while ((s = word_before(w, "|")))
    if (v->atoms < ATOMS_MOST) v->abs[v->atoms++] = get_value(w, s);
  while ((s = word_before(w, "|"))) get_fact(w, v, s);
  next_word(w);
  v->arg = get_value(w, next_word(w));
  next_word(w);
  v->status = get_value(w, next_word(w));
  next_word(w);
  s = next_word(w);
  v->may_return = (uint8_t)get_number(s, 255);
  for (unsigned i = 0; i < SEEN_MOST && (s = strchr(s, ',')); i++) {
    char *end = strchr(++s, ',');
    if (end) *end = 0;
    v->seen[i] = get_value(w, s);
    if (end) *end = ',', s = end;
  }
  next_word(w);
  v->syms = (uint16_t)get_number(next_word(w), 0xfff);
  v->seqs = (uint16_t)get_number(next_word(w), 0xfff);
  v->danglings = (uint8_t)get_number(next_word(w), 250);
  v->carried = !strcmp(next_word(w), "carried");
}

static bool is_there(const struct view *v, val a) {
  switch (KIND(a)) {
  case K_NODE: return INDEX(a) < NODES_MOST && v->node[INDEX(a)].used;
  case K_SYM: return INDEX(a) < v->syms;
  case K_SEQ: return INDEX(a) < v->seqs;
  case K_DANGLING: return INDEX(a) < v->danglings;
  default: return true;
  }
}

static bool are_there(const struct view *v, const val *a, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (!is_there(v, a[i])) return false;
  return true;
}

/* Does it speak only of what it has, and stand where its operation is? */
static bool is_whole(const struct prover *p, const struct view *v) {
  const struct program *program = p->program;
  if (v->pc &&
      (v->pc < program->ops[v->op].entry || (v->op + 1u < program->op_count && v->pc >= program->ops[v->op + 1].entry)))
    return false;
  bool whole = are_there(v, v->root, ROOTS_MOST) && are_there(v, v->reg, REGS_MOST) && are_there(v, v->abs, v->atoms) &&
               are_there(v, v->seen, SEEN_MOST) && is_there(v, v->arg) && is_there(v, v->status);
  for (unsigned f = 0; f < v->facts; f++) whole = whole && is_there(v, v->fact[f].a) && is_there(v, v->fact[f].b);
  for (unsigned n = 0; n < NODES_MOST; n++) {
    const struct node *x = &v->node[n];
    if (!x->used) continue;
    whole = whole && are_there(v, x->cell, CELLS_EACH) && is_there(v, x->contents) && is_there(v, x->low) &&
            is_there(v, x->high) &&
            (x->segment ? p->link[x->layout] >= 0 && KIND(x->contents) == K_SEQ
                        : KIND(x->carries) == K_UNSET || KIND(x->carries) == K_CARRY);
  }
  return whole;
}

bool get_view(struct prover *p, const char *line, struct view *v) {
  struct words w = {.p = p, .at = mem_string(p->mem, line, strlen(line))};
  struct text again;
  memset(v, 0, sizeof *v);
  get_words(&w, v);
  text_open(&again, p->mem);
  put_view(p, v, &again);
  bool same_words = !strcmp(text_string(&again), line);
  vec_free(p->mem, &again);
  return same_words && is_whole(p, v);
}
