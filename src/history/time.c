/* Times of events: integers, decimal numbers, dates. See time.h. */
#include "history/time.h"

#include <string.h>

#include "history/decimal.h"
#include "history/scan.h"

enum { BEHIND = 18 }; /* digits behind the point */

static bool digit(char c) { return c >= '0' && c <= '9'; }

/* Minus a number that is not negative. */
static struct event_time negative(struct event_time t) {
  if (!t.part) return (struct event_time){-t.whole, 0};
  return (struct event_time){-t.whole - 1, TIME_PARTS - t.part};
}

static bool decimal(const char *s, size_t len, struct event_time *out) {
  struct decimal d;
  char whole[20], part[BEHIND];
  if (!decimal_read(s, len, &d) || d.point > 19) return false;
  for (int i = 0; i < d.point; i++) whole[i] = i < d.count ? d.digits[i] : '0';
  for (int i = 0; i < BEHIND; i++) part[i] = d.point + i >= 0 && d.point + i < d.count ? d.digits[d.point + i] : '0';
  out->whole = 0;
  if (d.point > 0 && !scan_integer(whole, (size_t)d.point, &out->whole)) return false;
  if (!scan_integer(part, BEHIND, &out->part)) return false;
  if (d.minus) *out = negative(*out);
  return true;
}

/* Days from 1970-01-01 to the first of March of a year, by the Gregorian calendar. */
static int64_t days_to_march(int64_t year) { return year * 365 + year / 4 - year / 100 + year / 400 - 719468; }

static bool number(const char **s, const char *end, int digits, int64_t least, int64_t most, int64_t *out) {
  if (end - *s < digits) return false;
  *out = 0;
  for (int i = 0; i < digits; i++, ++*s) {
    if (!digit(**s)) return false;
    *out = *out * 10 + (**s - '0');
  }
  return *out >= least && *out <= most;
}

static bool sign(const char **s, const char *end, char c) { return *s < end && **s == c && ++*s; }

/* Z, +02:00, -0530 or nothing: seconds to take away. */
static bool zone(const char *s, const char *end, int64_t *seconds) {
  int64_t hours, minutes = 0;
  *seconds = 0;
  if (s == end || ((*s == 'Z' || *s == 'z') && s + 1 == end)) return true;
  bool west = *s == '-';
  if (*s != '+' && *s != '-') return false;
  s++;
  if (!number(&s, end, 2, 0, 23, &hours)) return false;
  sign(&s, end, ':');
  if (s < end && !number(&s, end, 2, 0, 59, &minutes)) return false;
  *seconds = (west ? -1 : 1) * (hours * 3600 + minutes * 60);
  return s == end;
}

static bool date(const char *s, size_t len, struct event_time *out) {
  static const int days_before[] = {306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275}; /* from March on */
  const char *end = s + len;
  int64_t year, month, day, hour, minute, second, offset;
  char part[BEHIND];
  if (!number(&s, end, 4, 1, 9999, &year) || !sign(&s, end, '-') || !number(&s, end, 2, 1, 12, &month) ||
      !sign(&s, end, '-') || !number(&s, end, 2, 1, 31, &day))
    return false;
  if (!sign(&s, end, 'T') && !sign(&s, end, 't') && !sign(&s, end, ' ')) return false;
  if (!number(&s, end, 2, 0, 23, &hour) || !sign(&s, end, ':') || !number(&s, end, 2, 0, 59, &minute) ||
      !sign(&s, end, ':') || !number(&s, end, 2, 0, 60, &second))
    return false;
  memset(part, '0', sizeof part);
  if (sign(&s, end, '.') || sign(&s, end, ','))
    for (int i = 0; s < end && digit(*s); s++)
      if (i < BEHIND) part[i++] = *s;
  if (!zone(s, end, &offset) || !scan_integer(part, sizeof part, &out->part)) return false;
  int64_t days = days_to_march(month > 2 ? year : year - 1) + days_before[month - 1] + day - 1;
  out->whole = ((days * 24 + hour) * 60 + minute) * 60 + second - offset;
  return true;
}

bool time_parse(const char *s, size_t len, struct event_time *out) {
  out->part = 0;
  return scan_integer(s, len, &out->whole) || decimal(s, len, out) || date(s, len, out);
}
