/* Names and scopes: each spelling is interned as one symbol, which knows what it means at this point of the file. */
#include "base/hash.h"
#include "front/front.h"

struct symbol *symbol_of(struct front *f, const char *name, size_t length) {
  struct symbol **bucket = &f->buckets[hash_bytes(name, length) % (sizeof f->buckets / sizeof *f->buckets)];
  for (struct symbol *s = *bucket; s; s = s->next)
    if (s->length == length && !memcmp(s->name, name, length)) return s;
  struct symbol *s = mem_piece(f->mem, sizeof *s);
  *s =
      (struct symbol){.name = mem_string(f->mem, name, length), .length = length, .next = *bucket, .older = f->symbols};
  return f->symbols = *bucket = s;
}

void scope_enter(struct front *f) { f->level++; }

void scope_leave(struct front *f) {
  for (struct binding *b = f->bindings; b && b->level == f->level; b = b->earlier) {
    *(b->decl ? &b->symbol->decls : &b->symbol->tags) = b->hidden;
    f->bindings = b->earlier;
  }
  f->level--;
}

struct decl *decl_new(struct front *f, enum decl_kind kind, const char *name, const struct type *type,
                      struct place place) {
  struct decl *d = mem_piece(f->mem, sizeof *d);
  *d = (struct decl){.kind = kind, .name = name, .type = type, .place = place, .id = f->unit->decl_count++};
  return d;
}

static void bind(struct front *f, struct symbol *s, struct decl *decl, struct type *tag) {
  struct binding **to = decl ? &s->decls : &s->tags, *b = mem_piece(f->mem, sizeof *b);
  *b =
      (struct binding){.symbol = s, .decl = decl, .tag = tag, .level = f->level, .hidden = *to, .earlier = f->bindings};
  f->bindings = *to = b;
}

void scope_bind(struct front *f, struct symbol *s, struct decl *d) { bind(f, s, d, NULL); }

void scope_bind_tag(struct front *f, struct symbol *s, struct type *t) { bind(f, s, NULL, t); }

struct decl *scope_find(const struct symbol *s) {
  return s->decls ? s->decls->decl : NULL;
}

struct decl *scope_find_here(const struct front *f, const struct symbol *s) {
  return s->decls && s->decls->level == f->level ? s->decls->decl : NULL;
}

/* How many letters must be changed, added, left out or swapped with their neighbours to make one name of the other. */
static size_t distance(const char *a, size_t n, const char *b, size_t m) {
  enum { MOST = 60 };
  size_t row[3][MOST + 1];
  if (n > MOST || m > MOST) return MOST;
  for (size_t j = 0; j <= m; j++) row[0][j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[n % 3][m];
}

bool name_near(const char *a, size_t n, const char *b, size_t m) {
  return n > 1 && distance(a, n, b, m) <= (n < 6 ? 1u : 2u);
}

static int opens(const struct token *t, const char *open, const char *close) {
  return token_is(t, open) - token_is(t, close);
}

const struct token *scope_below(const struct front *f, const struct symbol *wanted) {
  int end = 0, braces = 0, round = 0;
  for (size_t i = f->at; i < f->tokens.count; i++) end += opens(&f->tokens.at[i], "{", "}");
  for (size_t i = f->at; i + 1 < f->tokens.count; i++) {
    const struct token *t = &f->tokens.at[i];
    braces += opens(t, "{", "}");
    round = token_is(t, ";") ? 0 : round + opens(t, "(", ")");
    if (t->symbol == wanted && t->place.file == f->tokens.at[f->at].place.file && braces == end && round <= 0 && i &&
        token_is(t + 1, "(") && (token_is(t - 1, "*") || t[-1].kind == TOKEN_NAME))
      return t;
  }
  return NULL;
}

const char *scope_nearest(struct front *f, const struct symbol *wanted) {
  for (const struct symbol *s = f->symbols; s; s = s->older)
    if (s != wanted && (s->decls || s->passed_over) && name_near(wanted->name, wanted->length, s->name, s->length))
      return s->name;
  return NULL;
}
