/* #pragma: those that change what declarations mean are carried out (pack) or refused. */
#include "front/front.h"

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

const char *pragma_refused(const char *p, const char *end) {
  static const char *const words[] = {
      "weak", "ms_struct", "scalar_storage_order", "redefine_extname", "options", "align", "attribute", "omp", "acc"};
  for (;;) {
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    const char *word = p;
    while (p < end && is_word(*p)) p++;
    size_t n = (size_t)(p - word);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
      if (n == strlen(words[i]) && !memcmp(word, words[i], n)) return words[i];
    bool whose = (n == 3 && !memcmp(word, "GCC", 3)) || (n == 5 && !memcmp(word, "clang", 5));
    if (!whose) return NULL;
  }
}

/* #pragma pack. */

struct words {
  const char *at, *end;
};

static bool accept(struct words *w, const char *word) {
  size_t n = strlen(word);
  while (w->at < w->end && (*w->at == ' ' || *w->at == '\t' || *w->at == '\r')) w->at++;
  if ((size_t)(w->end - w->at) < n || memcmp(w->at, word, n)) return false;
  if (is_word(*word) && w->at + n < w->end && is_word(w->at[n])) return false;
  w->at += n;
  return true;
}

/* 0: what it is without any. */
static bool accept_most(struct words *w, uint32_t *most) {
  static const struct {
    const char *word;
    uint32_t most;
  } numbers[] = {{"0", 0}, {"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (accept(w, numbers[i].word)) return *most = numbers[i].most, true;
  return false;
}

/* What stands between the brackets. False: it is not read. */
static bool pack(struct front *f, struct words *w, uint32_t *most) {
  if (accept(w, "push")) {
    vec_push(f->mem, &f->packs_pushed, *most);
    return !accept(w, ",") || accept_most(w, most);
  }
  if (accept(w, "pop")) {
    if (!f->packs_pushed.count) return false;
    *most = f->packs_pushed.at[--f->packs_pushed.count];
    return true;
  }
  if (!accept_most(w, most)) *most = 0;
  return true;
}

void pragma_read(struct front *f, struct place place, const char *p, const char *end) {
  struct words w = {p, end};
  const char *word = pragma_refused(p, end);
  if (word) front_outside(f, place, "#pragma %s", word);
  if (!accept(&w, "pack")) return;
  uint32_t most = pack_at(f, f->tokens.count);
  if (!accept(&w, "(") || !pack(f, &w, &most) || !accept(&w, ")"))
    front_outside(f, place, "#pragma pack with this argument");
  vec_push(f->mem, &f->packs, ((struct pack_from){f->tokens.count, most}));
}

uint32_t pack_at(const struct front *f, size_t token) {
  size_t i = f->packs.count;
  while (i && f->packs.at[i - 1].token > token) i--;
  return i ? f->packs.at[i - 1].most : 0;
}
