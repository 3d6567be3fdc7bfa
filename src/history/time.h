/* The time of an event, as logs write it. */
#ifndef ASIF_HISTORY_TIME_H
#define ASIF_HISTORY_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIME_PARTS INT64_C(1000000000000000000)

/* A number, of whatever unit: the greatest integer not above it, and the rest in 10^-18. */
struct event_time {
  int64_t whole, part;
};

static inline bool time_before(struct event_time a, struct event_time b) {
  return a.whole < b.whole || (a.whole == b.whole && a.part < b.part);
}

/* An integer, a decimal number (1731740000.125, 1.5E9), or a date with the time of day: 2024-05-01T12:34:56.789Z, which
 * becomes seconds. Digits beyond 18 behind the point are dropped. False for anything else, and for what is too large.
 */
bool time_parse(const char *, size_t len, struct event_time *);

#endif
