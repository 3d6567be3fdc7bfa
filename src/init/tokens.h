/* Words of preprocessed C and C++, which `asif init` reads without parsing. */
#ifndef ASIF_INIT_TOKENS_H
#define ASIF_INIT_TOKENS_H

#include <stdbool.h>

#include "base/text.h"

struct word {
  const char *at;
  size_t len;
};
struct words {
  struct word *at;
  size_t count, room;
};

/* The part of a preprocessor's output that comes from the file itself, and from what it includes up to so many levels
 * down. */
const char *tokens_own(struct mem *, const char *text, const char *path, int levels);
void tokens_split(struct mem *, const char *text, struct words *);

bool word_is(const struct word *, const char *);
bool word_is_name(const struct word *);
bool word_among(const struct word *, const char *const *list); /* ends with NULL */
char *word_text(struct mem *, const struct word *);

/* The index after the bracket, brace or parenthesis that closes the one at i. */
size_t words_after(const struct words *, size_t i);
/* True for a word whose parentheses belong to it and name no function: __attribute__((...)). */
bool word_takes_brackets(const struct word *);

#endif
