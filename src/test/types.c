/* Fields: from an offset in something of a type to what it is called there. */
#include "test/debug_info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 32, NAMED_MOST = 3 };

bool type_is_record(const struct type *t) { return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION); }

static uint64_t member_size(const struct member *m) { return m->bits ? (m->bits + 7) / 8 : m->type->size; }

/* A flexible member has no size of its own: it goes up to the end of what is there. */
const struct type *type_flexible(const struct type *t) {
  if (!type_is_record(t) || !t->member_count) return NULL;
  const struct type *last = t->members[t->member_count - 1].type;
  return last && last->kind == TYPE_ARRAY && last->to && last->to->size && last->count <= 1 ? last : NULL;
}
static bool is_flexible(const struct type *t, const struct member *m) {
  return m + 1 == t->members + t->member_count && type_flexible(t);
}

static bool member_contains(const struct type *t, const struct member *m, uint64_t offset, uint64_t size,
                            uint64_t beyond) {
  uint64_t end = m->offset + member_size(m);
  if (is_flexible(t, m) && beyond > end) end = beyond;
  return !m->bits && m->offset <= offset && offset + size <= end;
}

static bool bits_overlap(const struct member *m, uint64_t offset, uint64_t size) {
  return m->bits && m->bit < (offset + size) * 8 && offset * 8 < m->bit + m->bits;
}

/* ".next", or of several ".{low, high}". */
static void put_members(const struct member *const *at, size_t count, struct text *to) {
  text_add(to, count > 1 ? ".{" : ".");
  for (size_t i = 0; i < count; i++) text_printf(to, "%s%s", i ? ", " : "", at[i]->name);
  if (count > 1) text_char(to, '}');
}

/* Bit-fields that share the bytes that are accessed; false: there are none, or too many. */
static bool put_bits(const struct type *t, uint64_t offset, uint64_t size, struct text *to) {
  const struct member *found[NAMED_MOST];
  size_t count = 0;
  for (size_t i = 0; i < t->member_count; i++) {
    const struct member *m = &t->members[i];
    if (!m->bits && m->offset < offset + size && offset < m->offset + m->type->size) return false; /* more than these */
    if (!bits_overlap(m, offset, size) || !m->name) continue;
    if (count == NAMED_MOST) return false;
    found[count++] = m;
  }
  if (count) put_members(found, count, to);
  return count > 0;
}

/* Is what lies there something without parts, of this size; 0: of any? */
static bool is_leaf(const struct type *t, uint64_t offset, uint64_t size, unsigned depth) {
  if (!t || !depth) return false;
  if (t->kind == TYPE_ARRAY) return t->to && t->to->size && is_leaf(t->to, offset % t->to->size, size, depth - 1);
  if (!type_is_record(t)) return !offset && (!size || t->size == size);
  for (size_t i = 0; i < t->member_count; i++) {
    const struct member *m = &t->members[i];
    if (!m->bits && m->offset <= offset && offset + size <= m->offset + m->type->size &&
        is_leaf(m->type, offset - m->offset, size, depth - 1))
      return true;
  }
  return false;
}

/* Of a union: the one member that it must be; or several, which are told all. Pointed: whatever begins there. */
static const struct member *choose_member(const struct type *t, uint64_t offset, uint64_t size, bool pointed,
                                          uint64_t beyond, struct text *to, bool *told) {
  const struct member *fits[NAMED_MOST], *one = NULL;
  size_t contain = 0, exact = 0;
  *told = false;
  for (size_t i = 0; i < t->member_count; i++) {
    const struct member *m = &t->members[i];
    if (!member_contains(t, m, offset, size, beyond)) continue;
    contain++;
    if (is_leaf(m->type, offset - m->offset, pointed ? 0 : size, DEPTH_MOST)) {
      if (exact < NAMED_MOST) fits[exact] = m;
      exact++;
    }
    if (contain == 1) one = m;
  }
  if (contain == 1) return one;
  if (t->kind == TYPE_STRUCT) return one; /* only empty members overlap */
  if (exact == 1) return fits[0];
  bool named = exact > 1 && exact <= NAMED_MOST;
  for (size_t i = 0; i < exact && named; i++)
    named = fits[i]->name && !type_is_record(fits[i]->type) && fits[i]->type->kind != TYPE_ARRAY;
  if (named) put_members(fits, exact, to);
  *told = named;
  return NULL;
}

struct field field_put(const struct type *t, uint64_t offset, uint64_t size, uint64_t beyond, struct text *to) {
  bool pointed = size == FIELD_POINTED, sync = size == FIELD_SYNC;
  bool inside = false; /* of a member without a name: one of its own is still to be named */
  uint64_t bytes = pointed || sync ? 1 : size;
  for (unsigned depth = 0; t && depth < DEPTH_MOST; depth++) {
    if (pointed && !offset && !inside) break;
    if (sync && t->system) break;
    if (t->kind == TYPE_ARRAY) {
      uint64_t each = t->to ? t->to->size : 0, i = each ? offset / each : 0, count = t->count;
      if (count <= 1 && each && beyond / each > count) count = beyond / each;
      if (!each || i >= count || offset % each + bytes > each) break;
      text_printf(to, "[%" PRIu64 "]", i);
      offset -= i * each;
      beyond = each;
      t = t->to;
      continue;
    }
    if (!type_is_record(t)) break;
    bool told;
    const struct member *m = choose_member(t, offset, bytes, pointed || sync, beyond, to, &told);
    if (told) return (struct field){NULL, 0};
    if (!m) {
      if (!pointed && put_bits(t, offset, bytes, to)) return (struct field){NULL, 0};
      break;
    }
    bool wraps = t->system && m->offset == 0 && member_size(m) == t->size; /* std::atomic and the like */
    if (m->name && !wraps) text_printf(to, ".%s", m->name);
    inside = !m->name;
    offset -= m->offset;
    beyond -= m->offset < beyond ? m->offset : beyond;
    if (!is_flexible(t, m)) beyond = m->type->size;
    t = m->type;
  }
  if (offset) text_printf(to, " + %" PRIu64, offset);
  return (struct field){t, offset};
}

struct walking {
  pointer_user *use;
  void *self;
  uint64_t left;
};
static bool walk(struct walking *k, const struct type *t, uint64_t at, unsigned depth) {
  if (!t || !depth) return true;
  if (t->kind == TYPE_POINTER) {
    if (!k->left) return false;
    k->left--;
    return k->use(k->self, at, t->to);
  }
  if (t->kind == TYPE_ARRAY && t->to && t->to->size && (t->to->kind >= TYPE_POINTER)) {
    for (uint64_t i = 0; i < t->count; i++) {
      uint64_t before = k->left;
      if (!walk(k, t->to, at + i * t->to->size, depth - 1)) return false;
      if (k->left == before) break; /* there are none in it */
    }
  }
  for (size_t i = 0; type_is_record(t) && i < t->member_count; i++)
    if (!t->members[i].bits && !walk(k, t->members[i].type, at + t->members[i].offset, depth - 1)) return false;
  return true;
}

bool type_pointers(const struct type *t, uint64_t most, pointer_user *use, void *self) {
  struct walking k = {use, self, most};
  return walk(&k, t, 0, DEPTH_MOST);
}

static const char *enumerator_of(const struct type *t, int64_t number) {
  for (size_t i = 0; i < t->value_count; i++)
    if (t->values[i].value == number) return t->values[i].name;
  return NULL;
}

static int64_t extended(uint64_t v, uint32_t size) {
  return size == 1 ? (int8_t)v : size == 2 ? (int16_t)v : size == 4 ? (int32_t)v : (int64_t)v;
}

bool value_put(const struct type *t, uint64_t v, uint32_t size, struct text *to) {
  if (!t || t->size != size) return false;
  switch (t->kind) {
  case TYPE_POINTER:
    if (v) return false;
    text_add(to, "null");
    return true;
  case TYPE_BOOL:
    if (v > 1) return false;
    text_add(to, v ? "true" : "false");
    return true;
  case TYPE_ENUM: {
    const char *name = enumerator_of(t, extended(v, size));
    if (!name && size < 8) name = enumerator_of(t, (int64_t)(v & (((uint64_t)1 << 8 * size) - 1)));
    if (name) text_add(to, name);
    return name != NULL;
  }
  case TYPE_FLOAT: {
    double d;
    float f = 0;
    if (size == sizeof f)
      memcpy(&f, &v, sizeof f), d = f;
    else if (size == sizeof d)
      memcpy(&d, &v, sizeof d);
    else
      return false;
    char shortest[40];
    for (int digits = 1; digits <= 17; digits++) {
      snprintf(shortest, sizeof shortest, "%.*g", digits, d);
      if (size == sizeof f ? strtof(shortest, NULL) == f : strtod(shortest, NULL) == d) break;
    }
    text_add(to, shortest);
    return true;
  }
  case TYPE_UNSIGNED:
    if (v >= (uint64_t)1 << 40) return false;
    text_printf(to, "%" PRIu64, v);
    return true;
  default: return false;
  }
}
