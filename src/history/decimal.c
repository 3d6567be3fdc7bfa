/* Decimal numbers: see decimal.h. */
#include "history/decimal.h"

#include <inttypes.h>
#include <stdio.h>

#include "history/scan.h"

enum { EXPONENT_MOST = 1000, ZEROS_MOST = 30 };

static bool digit(char c) { return c >= '0' && c <= '9'; }

bool decimal_read(const char *s, size_t len, struct decimal *d) {
  const char *end = s + len;
  int64_t exponent = 0;
  bool any = false, behind = false;
  *d = (struct decimal){.minus = s < end && *s == '-'};
  if (s < end && (*s == '-' || *s == '+')) s++;
  for (; s < end && (digit(*s) || (*s == '.' && !behind)); s++) {
    if (*s == '.') {
      behind = true;
      continue;
    }
    any = true;
    if (!d->count && *s == '0') {
      d->point -= behind;
      continue;
    }
    d->point += !behind;
    if (d->count < DECIMAL_DIGITS)
      d->digits[d->count++] = *s;
    else if (!behind)
      return false;
    else
      d->cut |= *s != '0';
  }
  if (!any) return false;
  if (s < end && (*s == 'e' || *s == 'E')) {
    if (!scan_integer(s + 1, (size_t)(end - s - 1), &exponent)) return false;
    if (exponent > EXPONENT_MOST || exponent < -EXPONENT_MOST) return false;
  } else if (s != end) {
    return false;
  }
  while (d->count && d->digits[d->count - 1] == '0' && !d->cut) d->count--;
  d->point = d->count ? d->point + exponent : 0;
  return true;
}

size_t decimal_write(const struct decimal *d, char text[DECIMAL_TEXT]) {
  char *to = text;
  if (!d->count) return *to = '0', 1;
  if (d->minus) *to++ = '-';
  if (d->point < -ZEROS_MOST || d->point > d->count + ZEROS_MOST) {
    int more = snprintf(to, DECIMAL_TEXT - 1, "%.*se%" PRId64, d->count, d->digits, d->point - d->count);
    return (size_t)(to - text) + (size_t)more;
  }
  int64_t first = d->point < 1 ? d->point - 1 : 0, end = d->point > d->count ? d->point : d->count;
  for (int64_t i = first; i < end; i++) {
    if (i == d->point) *to++ = '.';
    *to++ = i >= 0 && i < d->count ? d->digits[i] : '0';
  }
  return (size_t)(to - text);
}
