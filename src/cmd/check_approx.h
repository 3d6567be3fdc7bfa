/* asif check --approx K. */
#ifndef ASIF_CMD_CHECK_APPROX_H
#define ASIF_CMD_CHECK_APPROX_H

#include "cmd/cmd.h"

/* Do the options go together? False, and has said why, if not. */
bool approx_options(const struct args *);
int check_approx(const struct args *, const char *path, double seconds, size_t bytes); /* the exit status */

#endif
