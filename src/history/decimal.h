/* Decimal numbers as logs write them, kept as digits: a binary fraction would not keep apart what the log keeps apart.
 */
#ifndef ASIF_HISTORY_DECIMAL_H
#define ASIF_HISTORY_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_DIGITS = 60 };
struct decimal {
  bool minus;
  bool cut; /* there were more digits behind the point */
  int count;
  int64_t point;               /* so many of the digits stand before the point; also negative, or more than there are */
  char digits[DECIMAL_DIGITS]; /* neither the first nor the last is 0; of 0 there are none */
};

/* "-12.50", "1.5E9". False for anything else, and for what is very large. */
bool decimal_read(const char *, size_t len, struct decimal *);
/* As everybody would write it: "12.5", "1500000000"; "1e300" where that is long. Gives the length. */
enum { DECIMAL_TEXT = 128 };
size_t decimal_write(const struct decimal *, char text[DECIMAL_TEXT]);

#endif
