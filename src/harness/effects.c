/* ASIF_EFFECT: the texts are read by spec/effects_read.c; here mistakes get their places. */
#include "harness/effects.h"

#include <string.h>

bool unit_has_effects(const struct unit *u, const char *name) {
  return u->harness.effects.count && (!name || (u->harness.spec && !strcmp(name, u->harness.spec)));
}

/* They need a name that says nothing else. */
static bool has_name(const struct unit *u, struct problem *why) {
  const struct harness *h = &u->harness;
  struct spec other;
  struct problem none;
  if (!h->spec) {
    problem_at(why, u, h->effects.at[0].head_place,
               "effects are those of a specification with a name: ASIF_OBJECT(NAME)");
    return false;
  }
  if (h->own_spec) {
    problem_at(why, u, h->effects.at[0].head_place,
               "the file has an ASIF_SPEC too: its specification is given by that, or by ASIF_EFFECT");
    return false;
  }
  if (!strcmp(h->spec, "self") || spec_named(h->spec, &other, &none)) {
    problem_at(why, u, h->spec_place,
               "%s is a specification already: one that ASIF_EFFECT gives needs a name of its own", h->spec);
    return false;
  }
  return true;
}

bool unit_effects(struct mem *m, const struct unit *u, struct effects *out, struct problem *why) {
  const struct harness *h = &u->harness;
  struct effect_problem wrong;
  struct effect_text *texts = mem_zero(m, h->effects.count, sizeof *texts);
  if (!has_name(u, why)) return false;
  for (size_t i = 0; i < h->effects.count; i++)
    texts[i] = (struct effect_text){h->effects.at[i].head, h->effects.at[i].text};
  if (effects_read(m, h->spec, texts, h->effects.count, out, &wrong)) return true;
  const struct harness_effect *e = &h->effects.at[wrong.which];
  problem_at(why, u, wrong.in_head ? e->head_place : place_in_text(u, e->place, wrong.offset), "effect of %.*s: %s",
             (int)strcspn(e->head, "("), e->head, wrong.said);
  return false;
}
