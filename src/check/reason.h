/* One sentence why the core of a violation is wrong, in the object's own terms. */
#ifndef ASIF_CHECK_REASON_H
#define ASIF_CHECK_REASON_H

#include "check/check.h"

void reason_print(const struct history *, const struct spec *, const struct check_result *, struct text *);

#endif
