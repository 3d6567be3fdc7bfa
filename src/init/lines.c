/* The lines at the end of a harness: see lines.h. */
#include "init/lines.h"

static void put_op(struct text *t, const char *op, bool argument) {
  text_printf(t, "ASIF_OP_AS(%s, test_%s%s)\n", op, op, argument ? ", ASIF_IN(1, 2)" : "");
}

void lines_write(const struct harness_lines *l, struct text *t) {
  text_printf(t, "\nASIF_OBJECT(%s)\n", l->object);
  if (l->keyed) {
    put_op(t, l->mapped ? "insert" : "add", true);
    if (l->erases) put_op(t, l->mapped ? "erase" : "remove", true);
    if (l->contains) put_op(t, "contains", true);
    if (l->looks_up) put_op(t, "get", true);
  } else {
    put_op(t, l->insert, true);
    if (l->take) put_op(t, l->take, false);
    if (l->steals) put_op(t, "steal", false);
  }
  if (l->sets_up) text_add(t, "ASIF_INIT(set_up)\n");
  if (l->cleans_up) text_add(t, "ASIF_FINAL(clean_up)\n");
  if (l->steals)
    text_printf(t, "ASIF_ROLE(owner, 1, test_%s%s%s)\nASIF_ROLE(thief, ASIF_REST, test_steal)\n", l->insert,
                l->take ? ", test_" : "", l->take ? l->take : "");
  else if (!l->keyed && l->roles && l->take)
    text_printf(t, "ASIF_%s(test_%s, test_%s)\n", l->roles, l->insert, l->take);
}
