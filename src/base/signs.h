/* Reading short texts by hand: blanks, signs, letters. */
#ifndef ASIF_BASE_SIGNS_H
#define ASIF_BASE_SIGNS_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static inline void skip_blanks(const char **at) {
  while (isspace((unsigned char)**at)) ++*at;
}

/* Is it the next, after blanks? Then it is passed. */
static inline bool accept_sign(const char **at, const char *sign) {
  size_t length = strlen(sign);
  skip_blanks(at);
  if (strncmp(*at, sign, length)) return false;
  *at += length;
  return true;
}

static inline bool is_letter(char c) { return isalpha((unsigned char)c) || c == '_'; }

#endif
