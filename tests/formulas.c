/* See formulas.h. */
#include "formulas.h"

#include <string.h>

#include "test.h"

long histories(long usual) {
  const char *n = getenv("ASIF_TEST_HISTORIES");
  return n ? atol(n) : usual;
}

struct spec spec_of(struct mem *m, const char *name) {
  struct spec spec;
  struct problem why;
  CHECKF(spec_named(name, &spec, &why), "%s", why.text);
  spec.values = values_new(m);
  return spec;
}

struct formula *formula_of(struct mem *m, const char *text) {
  struct problem why;
  struct formula *f = formula_parse(m, "test", text, strlen(text), &why);
  CHECKF(f, "%s\n%s", text, why.text);
  return f;
}

struct formula *bound(struct mem *m, const char *text, const struct spec *spec) {
  struct problem why;
  struct formula *f = formula_of(m, text);
  CHECKF(formula_bind(m, f, spec, &why), "%s\n%s", text, why.text);
  return f;
}

static bool same_node(const struct node *a, const struct node *b) {
  if (a->type != b->type || a->kind != b->kind || a->compare != b->compare || a->has_result != b->has_result ||
      a->pending != b->pending || a->var != b->var || a->vars != b->vars || a->number != b->number ||
      a->special != b->special || a->kid_count != b->kid_count || a->uses != b->uses || a->cost != b->cost ||
      !a->name != !b->name || (a->name && strcmp(a->name, b->name)))
    return false;
  for (uint32_t i = 0; i < a->kid_count; i++)
    if (!same_node(a->kids[i], b->kids[i])) return false;
  return true;
}

static bool same_text(const char *a, const char *b) { return !a == !b && (!a || !strcmp(a, b)); }

static bool same_formula(const struct formula *a, const struct formula *b) {
  if (a->specs.count != b->specs.count || a->forget != b->forget || a->definitions.count != b->definitions.count ||
      a->violations.count != b->violations.count)
    return false;
  for (size_t i = 0; i < a->specs.count; i++)
    if (strcmp(a->specs.at[i], b->specs.at[i])) return false;
  for (size_t i = 0; i < a->definitions.count; i++) {
    const struct definition *x = a->definitions.at[i], *y = b->definitions.at[i];
    if (strcmp(x->name, y->name) || x->params != y->params || x->vars != y->vars || !same_node(x->body, y->body))
      return false;
    for (uint32_t v = 0; v < x->vars; v++)
      if (x->variables[v].kind != y->variables[v].kind) return false;
  }
  for (size_t i = 0; i < a->violations.count; i++) {
    const struct formula_violation *x = a->violations.at[i], *y = b->violations.at[i];
    if (!same_text(x->sentence, y->sentence) || x->vars != y->vars || !same_node(x->body, y->body)) return false;
  }
  return true;
}

void prints_as_itself(struct mem *m, const char *text) {
  struct formula *a = formula_of(m, text);
  struct text printed;
  text_open(&printed, m);
  formula_print(a, &printed);
  struct formula *b = formula_of(m, text_string(&printed));
  CHECKF(same_formula(a, b), "%s\nis printed as\n%s", text, text_string(&printed));
}

struct counting *count_history(struct mem *m, const struct history *h, unsigned k, uint32_t events) {
  struct counting *c = counting_new(m, k);
  uint32_t *all = history_events(h, m);
  for (uint32_t e = 0; e < events; e++) {
    const struct op *o = &h->ops.at[all[e] >> 1];
    if (all[e] & 1)
      counting_return(c, all[e] >> 1, o->result);
    else
      counting_call(c, all[e] >> 1, o->method, o->arg);
  }
  return c;
}
