/* Debug information: variables of functions that are running, and what a call that allocates is for. */
#include "test/debug_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBDW

enum { LOCALS_MOST = 256, PLACES_MOST = 1 << 14 };

static bool is_function(int tag) { return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine; }

/* One operation, or a register with an offset: what compilers say of nearly all variables. Anything else is not told.
 */
static struct location location_of(const Dwarf_Op *ops, size_t count, struct location base) {
  struct location none = {IN_NOTHING, 0, 0};
  bool computed = count == 2 && ops[1].atom == DW_OP_stack_value;
  if (count != 1 && !computed) return none;
  unsigned atom = ops[0].atom;
  if (atom == DW_OP_fbreg && base.kind == AT_FRAME && !computed)
    return (struct location){AT_FRAME, 0, (int64_t)ops[0].number};
  if (atom == DW_OP_fbreg && base.kind == AT_REGISTER && !computed)
    return (struct location){AT_REGISTER, base.reg, base.offset + (int64_t)ops[0].number};
  if (atom == DW_OP_call_frame_cfa && !computed) return (struct location){AT_FRAME, 0, 0};
  if (atom >= DW_OP_reg0 && atom < DW_OP_reg0 + MACHINE_REGISTERS && !computed)
    return (struct location){IN_REGISTER, (uint8_t)(atom - DW_OP_reg0), 0};
  if (atom >= DW_OP_breg0 && atom < DW_OP_breg0 + MACHINE_REGISTERS)
    return (struct location){computed ? IS_REGISTER : AT_REGISTER, (uint8_t)(atom - DW_OP_breg0),
                             (int64_t)ops[0].number};
  return none;
}

static struct location place_of(struct debug_info *d, Dwarf_Die *die, unsigned attribute, uintptr_t pc,
                                struct location base) {
  Dwarf_Attribute a;
  Dwarf_Op *ops;
  size_t count;
  if (!d->dw->dwarf_attr(die, attribute, &a) || d->dw->dwarf_getlocation_addr(&a, pc, &ops, &count, 1) <= 0)
    return (struct location){IN_NOTHING, 0, 0};
  return location_of(ops, count, base);
}

/* What the frame's own base is: from there the variables are counted. */
static struct location base_of(struct debug_info *d, Dwarf_Die *scopes, int count, uintptr_t pc) {
  struct location none = {IN_NOTHING, 0, 0};
  for (int i = 0; i < count; i++) {
    if (d->dw->dwarf_tag(&scopes[i]) != DW_TAG_subprogram) continue;
    struct location at = place_of(d, &scopes[i], DW_AT_frame_base, pc, none);
    if (at.kind == IN_REGISTER) at.kind = AT_REGISTER; /* there a register is the base itself */
    return at;
  }
  return none;
}

/* Is the function that scope number i belongs to one of the language's library? */
static bool of_system(struct debug_info *d, Dwarf_Die *scopes, int i, int count) {
  while (i < count && !is_function(d->dw->dwarf_tag(&scopes[i]))) i++;
  return i < count && debug_is_system(d, &scopes[i]);
}

static struct locals_at *read_locals(struct debug_info *d, uintptr_t pc) {
  struct local_place found[LOCALS_MOST];
  Dwarf_Die *scopes, child;
  int count = debug_scopes(d, pc, &scopes, NULL);
  struct location base = base_of(d, scopes, count, pc);
  size_t n = 0;
  unsigned depth = 0;
  for (int i = 0; i < count; i++) {
    int tag = d->dw->dwarf_tag(&scopes[i]);
    if (!is_function(tag) && tag != DW_TAG_lexical_block) break;
    if (of_system(d, scopes, i, count)) { /* its variables are nobody's own */
      if (tag == DW_TAG_subprogram) break;
      continue;
    }
    if (!d->dw->dwarf_child(&scopes[i], &child)) do {
        int what = d->dw->dwarf_tag(&child);
        if ((what != DW_TAG_variable && what != DW_TAG_formal_parameter) || n == LOCALS_MOST) continue;
        struct local_place l = {.name = debug_name(d, &child), .depth = depth};
        l.place = place_of(d, &child, DW_AT_location, pc, base);
        if (l.name && !strncmp(l.name, "__", 2)) continue; /* of a macro of the language */
        if (l.name && l.place.kind != IN_NOTHING && (l.type = debug_type_of(d, &child))) found[n++] = l;
      } while (!d->dw->dwarf_siblingof(&child, &child));
    if (tag == DW_TAG_subprogram) break;
    depth += is_function(tag);
  }
  if (count > 0) free(scopes);
  struct locals_at k = {.pc = pc, .count = n, .at = mem_alloc(d->mem, (n + 1) * sizeof *k.at)};
  memcpy(k.at, found, n * sizeof *k.at);
  vec_push(d->mem, &d->locals, k);
  return &d->locals.at[d->locals.count - 1];
}

void debug_locals(struct debug_info *d, const struct machine_frame *f, local_user *use, void *self) {
  const struct locals_at *k = NULL;
  for (size_t i = 0; i < d->locals.count && !k; i++)
    if (d->locals.at[i].pc == f->pc) k = &d->locals.at[i];
  if (!k && d->locals.count >= PLACES_MOST) return;
  if (!k) k = read_locals(d, f->pc);
  for (size_t i = 0; i < k->count; i++) {
    const struct local_place *p = &k->at[i];
    struct local l = {.name = p->name, .type = p->type, .depth = p->depth};
    bool known = p->place.kind == AT_FRAME ? f->cfa != 0 : f->known >> p->place.reg & 1;
    if (!known) continue;
    uintptr_t reg = p->place.kind == AT_FRAME ? f->cfa : f->registers[p->place.reg];
    l.value = reg + (uintptr_t)p->place.offset;
    l.in_register = p->place.kind == IN_REGISTER || p->place.kind == IS_REGISTER;
    use(self, &l);
  }
}

/* What is allocated. */

static bool fits(const struct type *t, uint64_t size) {
  if (!t || !t->size || !size || t->kind == TYPE_OTHER || t->kind == TYPE_CHAR) return false;
  if (size == t->size) return true;
  return size > t->size && (size % t->size == 0 || type_flexible(t));
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Is the name assigned to in the line: "n = ", "*n = "? */
static bool assigns(const char *line, const char *name) {
  size_t length = strlen(name);
  for (const char *at = line; (at = strstr(at, name)); at++) {
    if ((at > line && (is_word(at[-1]) || at[-1] == '.' || at[-1] == '>')) || is_word(at[length])) continue;
    const char *after = at + length + strspn(at + length, " \t");
    if (*after == '=' && after[1] != '=') return true;
  }
  return false;
}

static char *line_of(struct debug_info *d, const char *file, int line) {
  FILE *in = file ? fopen(file, "r") : NULL;
  char *text = NULL;
  size_t room = 0;
  ssize_t n = -1;
  bool lacking = file && !in && errno == ENOMEM;
  for (int i = 0; in && i < line; i++) {
    errno = 0;
    if ((n = getline(&text, &room, in)) >= 0) continue;
    lacking = errno == ENOMEM;
    break;
  }
  char *kept = n >= 0 ? mem_string(d->mem, text, (size_t)n) : NULL;
  free(text);
  if (in) fclose(in);
  if (lacking) mem_exhausted(d->mem); /* a line that was not read does not lack the name */
  return kept;
}

struct allocating {
  struct debug_info *d;
  uint64_t size;
  const char *text;
  int line;
  const struct type *declared, *assigned; /* by a declaration in this line, by an assignment */
  bool several;                           /* types of these */
};

static void look_at_variable(struct allocating *k, Dwarf_Die *die) {
  uint64_t line = 0;
  const char *name = debug_name(k->d, die);
  if (!name) return;
  debug_number(k->d, die, DW_AT_decl_line, &line);
  bool declared = (int)line == k->line && k->line, assigned = k->text && assigns(k->text, name);
  if (!declared && !assigned) return;
  const struct type *t = debug_type_of(k->d, die);
  if (!t || t->kind != TYPE_POINTER || !fits(t->to, k->size)) return;
  const struct type **to = declared ? &k->declared : &k->assigned;
  if (*to && *to != t->to) k->several = true;
  *to = t->to;
}

static void look_through(struct allocating *k, Dwarf_Die *parent, unsigned depth) {
  Dwarf_Die child;
  if (!depth || k->d->dw->dwarf_child(parent, &child)) return;
  do {
    int tag = k->d->dw->dwarf_tag(&child);
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) look_at_variable(k, &child);
    if (tag == DW_TAG_lexical_block) look_through(k, &child, depth - 1);
  } while (!k->d->dw->dwarf_siblingof(&child, &child));
}

const struct type *debug_allocated(struct debug_info *d, uintptr_t pc, uint64_t size) {
  const struct type *found = NULL;
  struct inlined f;
  for (bool more = inlined_first(d, pc, &f); more && !found; more = inlined_next(d, &f)) {
    struct allocating k = {.d = d, .size = size, .line = f.line};
    if (f.file && !path_is_of_language(f.file)) k.text = line_of(d, f.file, f.line);
    look_through(&k, f.function, 16);
    if (!k.several) found = k.declared ? k.declared : k.assigned;
  }
  inlined_close(&f);
  return found;
}

#else

void debug_locals(struct debug_info *d, const struct machine_frame *f, local_user *use, void *self) {
  (void)d, (void)f, (void)use, (void)self;
}
const struct type *debug_allocated(struct debug_info *d, uintptr_t pc, uint64_t size) {
  return (void)d, (void)pc, (void)size, NULL;
}
#endif
