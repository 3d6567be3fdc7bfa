/* Garbage: what the globals do not lead to. It can only be reached by threads that hold on to it, and it can lead to
 * more garbage without end (a node removed from a queue to the one removed after it, and so on). With `forget`:
 *
 * - Garbage that no register points to is forgotten: pointers to it become pointers to one object that stands for all
 * of it. Nothing is lost by that unless such a pointer is followed, stored where others see it, or compared with
 * another such: these are faults (FAULT_FORGOTTEN), and the search is made again without forgetting. Compared with any
 * other pointer it is different: what the globals lead to, or a register holds, is not forgotten.
 * - Of garbage that registers point to only the cells are kept that they may lead to (reach.c); all, if it is pointed
 * to by what is kept.
 * - Garbage of which no cell is kept is hollow. It is only ever compared, and by a thread only with what that thread
 * holds or reads: two threads that hold the same hollow object may as well hold two.
 *
 * Objects never yet shared, freed ones and variables are kept as they are. */
#include "verify/digits.h"

static void hold(struct machine *m, word w, uint32_t cells) {
  if (!word_is_pointer(w)) return;
  uint32_t object = word_object(w);
  if (m->held[object] != m->pack_count) m->need[object] = 0;
  m->held[object] = m->pack_count;
  m->need[object] |= word_cell(w) && cells ? REACH_ALL : cells;
}

/* What garbage that is kept points to is kept whole. */
static void hold_contents(struct machine *m, const struct machine_state *s, uint32_t object) {
  const struct object *o = &state_objects(m, s)[object];
  uint32_t keep = o->life == LIFE_HEAP ? m->need[object] : REACH_ALL;
  if (!keep || !has_contents(m, o->life)) return;
  const word *cells = state_cells(m, s) + o->first;
  for (uint32_t i = 0; i < o->count; i++) {
    if (!keeps_cell(keep, i) || !word_is_pointer(cells[i])) continue;
    uint32_t to = word_object(cells[i]);
    if (name_of(m, to) != NUMBER_NONE) continue;
    uint8_t life = state_objects(m, s)[to].life;
    bool held = m->held[to] == m->pack_count, kept = life != LIFE_HEAP && life != LIFE_HOLLOW;
    if (held ? m->need[to] == REACH_ALL : !kept) continue;
    m->held[to] = m->pack_count;
    m->need[to] = REACH_ALL;
    hold_contents(m, s, to);
  }
}

void find_held(struct machine *m, const struct machine_state *s, uint32_t threads) {
  uint32_t *found = m->held_list, count = 0;
  if (s->objects == m->named) return; /* all of it is shared */
  m->pack_count++;
  for (unsigned t = 0; t < m->system.threads; t++) {
    uint32_t pc = s->threads[t].pc;
    if (!(threads >> t & 1)) continue;
    for (unsigned i = 0; i < m->own_words; i++) {
      word w = state_own(m, s, t)[i];
      if (!word_is_pointer(w) || name_of(m, word_object(w)) != NUMBER_NONE) continue;
      if (m->held[word_object(w)] != m->pack_count) found[count++] = word_object(w);
      hold(m, w, REACH_ALL);
    }
    if (!pc) continue;
    const struct live *live = &m->program->live[pc];
    const reg *registers = m->program->registers + live->first;
    const word *r = state_registers(m, s, t);
    for (unsigned i = 0; i < live->count; i++) {
      word w = r[registers[i]];
      if (!word_is_pointer(w) || name_of(m, word_object(w)) != NUMBER_NONE) continue;
      if (m->held[word_object(w)] != m->pack_count) found[count++] = word_object(w);
      hold(m, w, m->reach ? m->reach[pc * m->reach_regs + registers[i]] : REACH_ALL);
    }
  }
  for (uint32_t i = 0; i < count; i++) hold_contents(m, s, found[i]);
}
