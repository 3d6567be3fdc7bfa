/* Objects and words of a state in words. */
#include "verify/bytes.h"

/* Layouts are named as types are: "struct node" is a node. */
static const char *layout_name(const struct layout *l) {
  const char *space = strrchr(l->name, ' ');
  return space ? space + 1 : l->name;
}

const char *machine_cell_name(struct system *system, const void *work, uint32_t object, uint32_t cell) {
  struct machine *m = (struct machine *)system;
  const struct object *o = &state_objects(m, (struct machine_state *)work)[object];
  const struct layout *layout = &m->program->layouts[o->layout];
  return layout->count ? layout->cells[cell % layout->count].name : "";
}

void machine_print_cell(struct system *system, const void *work, uint32_t object, uint32_t cell, struct text *t) {
  struct machine *m = (struct machine *)system;
  const struct object *o = &state_objects(m, (struct machine_state *)work)[object];
  const struct layout *layout = &m->program->layouts[o->layout];
  bool own = m->program->owns[OWN_LOCALS] && o->layout == m->program->own_layout[OWN_LOCALS];
  if (object < m->globals)
    text_add(t, m->program->globals[object].name);
  else if (!own)
    text_printf(t, "%s %u", layout_name(layout), object - m->globals);
  if (layout->count > 1 && o->count > layout->count) text_printf(t, "[%u]", cell / layout->count);
  const char *name = machine_cell_name(system, work, object, cell);
  if (name[0]) text_printf(t, "%s%s", own || name[0] == '[' ? "" : ".", name);
  if (layout->count == 1 && o->count > 1) text_printf(t, "[%u]", cell);
}

void machine_print_word(struct system *system, const void *work, word w, struct text *t) {
  struct machine *m = (struct machine *)system;
  if (w == WORD_UNINITIALISED) {
    text_add(t, "?");
  } else if (w == WORD_OUTSIDE) {
    text_add(t, "any number");
  } else if (word_is_part(w)) {
    text_add(t, "?");
  } else if (!word_is_pointer(w)) {
    text_printf(t, "%lld", (long long)number_of_word(m->program->wides, w));
  } else {
    const struct object *o = &state_objects(m, (struct machine_state *)work)[word_object(w)];
    if (word_kind(w) == WORD_BYTE) text_printf(t, "byte %u of ", word_tag(w));
    text_char(t, '&');
    if ((w & WORD_PAST) && m->program->loose) {
      machine_print_cell(system, work, word_object(w), 0, t);
      text_printf(t, " %+lld bytes", (long long)address_byte(m, (const struct machine_state *)work, w));
    } else if (w & WORD_PAST && o->count <= CELL_PAST) {
      machine_print_cell(system, work, word_object(w), (word_cell(w) & ~(uint32_t)CELL_PAST) - 1, t);
      text_add(t, " + 1");
    } else if (word_cell(w) || word_object(w) < m->globals ||
               (o->count && (o->life == LIFE_LOCAL || o->life == LIFE_KNOWN)))
      machine_print_cell(system, work, word_object(w), word_cell(w), t);
    else
      text_printf(t, "%s %u", layout_name(&m->program->layouts[o->layout]), word_object(w) - m->globals);
    if (word_mark(w)) text_printf(t, "|%u", word_mark(w));
    if (word_is_term(w))
      text_add(t, " as a number");
    else if (word_kind(w) == WORD_LOWERED)
      text_printf(t, " >> %u", word_tag(w));
    if (word_kind(w) == WORD_RAISED) text_printf(t, " << 16 | %u", word_tag(w));
    if (word_kind(w) == WORD_ADDRESS && word_tag(w)) text_printf(t, " | %u << 48", word_tag(w));
  }
}

void machine_print_value(struct system *system, const void *work, uint32_t object, uint32_t cell, word w,
                         struct text *t) {
  struct machine *m = (struct machine *)system;
  const struct object *o = &state_objects(m, (struct machine_state *)work)[object];
  const struct layout *layout = &m->program->layouts[o->layout];
  struct scalar s = layout->count ? layout->cells[cell % layout->count].scalar : (struct scalar){0};
  if (s.pointer && w >= 0 && w <= 7)
    text_printf(t, w ? "null|%d" : "null", (int)w);
  else if (s.bits == 1 && (w == 0 || w == 1))
    text_add(t, w ? "true" : "false");
  else
    machine_print_word(system, work, w, t);
}
