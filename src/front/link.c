/* Several files as one program: what they share, by name. Each file is parsed with names, tags and types of its own; a
 * variable or function that is not static is one declaration in all of them, so that whoever uses it has the one that
 * another file defines. Structs of two files are the same if they are declared alike (C11 6.2.7). */
#include "base/hash.h"
#include "front/front.h"

static struct decl **slot_of(const struct unit *u, const char *name) {
  return &u->externals[hash_bytes(name, strlen(name)) % EXTERNAL_ROOM];
}

struct decl *link_find(const struct unit *u, const char *name) {
  for (struct decl *d = u->externals ? *slot_of(u, name) : NULL; d; d = d->same_hash)
    if (!strcmp(d->name, name)) return d;
  return NULL;
}

void link_add(struct unit *u, struct decl *d) {
  if (!u->externals) return;
  struct decl **slot = slot_of(u, d->name);
  d->same_hash = *slot;
  *slot = d;
}

static bool same_name(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

/* A pointer to a struct is known by the tag: structs may point to themselves. */
static bool same_part(const struct type *a, const struct type *b) {
  while (a->kind == b->kind && (a->kind == TYPE_POINTER || (a->kind == TYPE_ARRAY && a->count == b->count))) {
    bool pointer = a->kind == TYPE_POINTER;
    a = a->of->plain;
    b = b->of->plain;
    if (pointer && type_is_record(a) && type_is_record(b)) return same_name(a->tag, b->tag);
    if (pointer && a->kind == TYPE_FUNCTION) return b->kind == TYPE_FUNCTION && a->param_count == b->param_count;
  }
  return type_same(a, b);
}

bool link_same_record(const struct type *a, const struct type *b) {
  if (a->file == b->file || a->kind != b->kind || a->is_union != b->is_union || !same_name(a->tag, b->tag))
    return false;
  if (!a->complete || !b->complete) return true;
  if (a->size != b->size || a->align != b->align || a->field_count != b->field_count || a->cells != b->cells)
    return false;
  for (uint32_t i = 0; i < a->field_count; i++) {
    const struct field *x = &a->fields[i], *y = &b->fields[i];
    if (strcmp(x->name, y->name) || x->offset != y->offset || x->is_bits != y->is_bits ||
        x->first_bit != y->first_bit || x->width != y->width || x->type->atomic != y->type->atomic ||
        !same_part(x->type, y->type))
      return false;
  }
  return true;
}
