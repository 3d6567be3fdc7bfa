/* What a method's name tells, in formats that do not say which values went in and which came out. */
#ifndef ASIF_HISTORY_METHODS_H
#define ASIF_HISTORY_METHODS_H

#include <stdbool.h>
#include <stddef.h>

/* Names are compared without case, '-' and '_'. */
bool method_observes(const char *name, size_t len);    /* pop, deq, read, ...: its last value is its result */
bool method_asks_a_set(const char *name, size_t len);  /* contains, remove, ...: of two values the last is its result */
bool method_adds_to_set(const char *name, size_t len); /* add, insert: likewise, if the object is known to be a set */

#endif
