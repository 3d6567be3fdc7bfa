/* Initialisers, guided by the type they are for: braces (with designators, or left out), strings, single values. */
#include "front/front.h"

static struct expr *parse_braces(struct front *, const struct type **);
static struct expr *parse_element(struct front *, const struct type *, struct expr *first);

static bool at_string_for(struct front *f, const struct type *t) {
  return t->kind == TYPE_ARRAY && t->of->kind == TYPE_INT && t->of->bits == 8 && parse_token(f)->kind == TOKEN_STRING;
}

static const struct type *slot_type(const struct type *t, uint32_t i) {
  return t->kind == TYPE_ARRAY ? t->of : t->plain->fields[i].type;
}

static uint32_t slot_count(const struct type *t) { return t->kind == TYPE_ARRAY ? t->count : t->plain->field_count; }

static struct expr *new_init(struct front *f, const struct type *t, struct place place) {
  struct expr *e = expr_new(f, E_INIT, place, NULL, NULL, NULL);
  e->type = t;
  e->arg_count = slot_count(t);
  e->args = mem_zero(f->mem, e->arg_count, sizeof *e->args);
  return e;
}

/* Makes sure that the slot is there: an array without a size grows. */
static void reach_slot(struct front *f, struct expr *e, int64_t i, struct place place) {
  if (i >= 0 && i < e->arg_count) return;
  bool grows = e->type->kind == TYPE_ARRAY && !e->type->complete;
  if (!grows || i < 0) front_fail(f, place, "more values than '%s' has room for", type_text(f, e->type->plain));
  if (i >= CELLS_MOST) front_fail(f, place, "an object of more than %d scalars is too large for verify", CELLS_MOST);
  uint32_t room = 16;
  while (room <= i) room *= 2;
  e->args = mem_resize(f->mem, e->args, room * sizeof *e->args);
  for (uint32_t k = e->arg_count; k < room; k++) e->args[k] = NULL;
  e->arg_count = (uint32_t)i + 1;
}

static struct expr *parse_string_init(struct front *f, const struct type **type) {
  struct token *t = parse_token(f);
  if (t->outside) front_outside(f, t->place, "%s", t->outside);
  if (!(*type)->complete) *type = type_array(f, (*type)->of, (int64_t)t->length + 1, true, t->place);
  struct expr *e = new_init(f, *type, t->place);
  if (t->length > e->arg_count) front_fail(f, t->place, "more values than '%s' has room for", type_text(f, *type));
  for (size_t i = 0; i < t->length; i++)
    e->args[i] = expr_number(f, t->place, fold_wrap(t->text[i], (*type)->of), (*type)->of->plain);
  f->at++;
  expr_args(f, e, e->args, e->arg_count);
  return e;
}

/* A mutex is initialised by the macros of its header, or by zero. */
static struct expr *parse_mutex_init(struct front *f, const struct type *type) {
  struct token *t = parse_token(f);
  int64_t kind = 0;
  if (parse_accept(f, "{")) {
    if (!parse_at(f, "}")) kind = parse_constant(f, "the initialiser of a mutex");
    parse_expect(f, "}");
  } else {
    parse_expect(f, "PTHREAD_MUTEX_INITIALIZER");
  }
  bool known = f->unit->mutex_kinds && kind > 0 && kind < 3;
  return expr_number(f, t->place, known ? MUTEX_RECURSIVE + kind - 1 : 0, type->plain);
}

static struct expr *parse_object(struct front *f, const struct type **type) {
  const struct type *t = *type;
  if (t->kind == TYPE_MUTEX) return parse_mutex_init(f, t);
  if (at_string_for(f, t)) return parse_string_init(f, type);
  if (parse_at(f, "{") && (t->kind == TYPE_ARRAY || type_is_record(t))) return parse_braces(f, type);
  if (t->kind == TYPE_ARRAY) front_fail(f, parse_token(f)->place, "an array is initialised with braces");
  parse_deeper(f);
  bool braces = parse_accept(f, "{");
  struct expr *e = braces ? parse_object(f, type) : expr_as_if_assigned(f, parse_assignment(f), t, "a variable");
  if (braces) {
    parse_accept(f, ",");
    parse_expect(f, "}");
  }
  parse_shallower(f);
  return e;
}

/* Braces that were left out: as many values as the type has room for. */
static struct expr *parse_without_braces(struct front *f, const struct type *type, struct expr *first) {
  struct expr *e = new_init(f, type, first->place);
  for (uint32_t i = 0; i < e->arg_count && !(i && type->is_union); i++) {
    if (i) {
      struct token *next = parse_ahead(f, 1);
      if (!parse_at(f, ",") || token_is(next, "}") || token_is(next, ".") || token_is(next, "[")) break;
      f->at++;
    }
    e->args[i] = parse_element(f, slot_type(type, i), i ? NULL : first);
  }
  expr_args(f, e, e->args, e->arg_count);
  return e;
}

/* One value in braces; first is the expression it begins with, if that was read already. */
static struct expr *parse_element(struct front *f, const struct type *type, struct expr *first) {
  bool aggregate = type->kind == TYPE_ARRAY || type_is_record(type);
  if (!first && (!aggregate || parse_at(f, "{") || at_string_for(f, type))) return parse_object(f, &type);
  if (!first) first = parse_assignment(f);
  if (type->kind == TYPE_MUTEX) front_fail(f, first->place, "a mutex is initialised with PTHREAD_MUTEX_INITIALIZER");
  if (!aggregate || (type_is_record(type) && type_same(type, first->type)))
    return expr_as_if_assigned(f, first, type, "a field");
  return parse_without_braces(f, type, first);
}

/* The slot of a field, or of the anonymous struct that has it (then *within). */
static int64_t find_slot(const struct type *t, const char *name, bool *within) {
  const struct type *plain = t->plain;
  for (uint32_t i = 0; i < plain->field_count; i++)
    if (!strcmp(plain->fields[i].name, name)) return i;
  bool deeper;
  for (uint32_t i = 0; i < plain->field_count; i++) {
    *within = true;
    if (!*plain->fields[i].name && find_slot(plain->fields[i].type, name, &deeper) >= 0) return i;
  }
  return -1;
}

static int64_t parse_slot(struct front *f, const struct type *t, bool *within) {
  struct token *mark = parse_token(f);
  int64_t i;
  if (t->kind == TYPE_ARRAY) {
    parse_expect(f, "[");
    i = parse_constant(f, "an index");
    if (parse_at(f, "...")) front_outside(f, parse_token(f)->place, "a range of indices");
    parse_expect(f, "]");
    return i;
  }
  parse_expect(f, ".");
  struct token *name = parse_name(f, "a field");
  i = find_slot(t, name->text, within);
  if (i < 0) front_fail(f, name->place, "'%s' has no field '%s'", type_text(f, t->plain), name->text);
  if (*within) f->at = (size_t)(mark - f->tokens.at); /* once more, inside it */
  return i;
}

/* .a.b = value or [1] = value. Returns the slot behind it, or -1 if it went deeper, where what follows would go on
 * inside. */
static int64_t parse_designated(struct front *f, struct expr *e) {
  struct place place = parse_token(f)->place;
  bool within = false;
  int64_t i = parse_slot(f, e->type, &within);
  reach_slot(f, e, i, place);
  for (uint32_t k = 0; e->type->is_union && k < e->arg_count; k++) /* the last one that is named counts */
    if (k != i) e->args[k] = NULL;
  const struct type *type = slot_type(e->type, (uint32_t)i);
  if (!within && !parse_at(f, ".") && !parse_at(f, "[")) {
    parse_expect(f, "=");
    e->args[i] = parse_element(f, type, NULL);
    return i + 1;
  }
  if (type->kind != TYPE_ARRAY && !type_is_record(type))
    front_fail(f, place, "'%s' has no parts", type_text(f, type->plain));
  if (!e->args[i]) e->args[i] = new_init(f, type, place);
  if (e->args[i]->kind != E_INIT) front_outside(f, place, "a part initialised after the whole");
  parse_deeper(f);
  parse_designated(f, e->args[i]);
  parse_shallower(f);
  return -1;
}

static struct expr *parse_braces(struct front *f, const struct type **type) {
  struct expr *e = new_init(f, *type, parse_expect(f, "{")->place);
  int64_t next = 0;
  parse_deeper(f);
  while (!parse_at(f, "}")) {
    struct place place = parse_token(f)->place;
    if (parse_at(f, ".") || parse_at(f, "[")) {
      next = parse_designated(f, e);
    } else {
      if (next < 0) front_outside(f, place, "a value that follows a part of a part");
      if (next > 0 && (*type)->is_union) front_fail(f, place, "a second value for a union");
      reach_slot(f, e, next, place);
      struct expr *value = parse_element(f, slot_type(*type, (uint32_t)next), NULL);
      e->args[next++] = value;
    }
    if (!parse_accept(f, ",")) break;
  }
  parse_expect(f, "}");
  parse_shallower(f);
  if (!(*type)->complete) *type = type_array(f, (*type)->of, e->arg_count, true, e->place);
  e->type = *type;
  expr_args(f, e, e->args, e->arg_count);
  return e;
}

struct expr *parse_initialiser(struct front *f, const struct type **type) {
  if ((*type)->kind != TYPE_ARRAY) type_must_be_complete(f, *type, parse_token(f)->place, "an initialiser for");
  return parse_object(f, type);
}
