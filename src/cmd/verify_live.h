/* `asif verify --progress` and `--ltl`: does something good happen in the end? */
#ifndef ASIF_CMD_VERIFY_LIVE_H
#define ASIF_CMD_VERIFY_LIVE_H

#include "cmd/cmd.h"
#include "report/report.h"
#include "verify/live.h"

/* Of liveness options: what is asked, and clients that never stop unless --ops says otherwise. False, said why: they do
 * not go together. Without such options nothing changes. */
bool live_options(const struct args *, struct live_asked *, struct verify_options *);

/* The facts for reports. */
void live_facts(const struct live_asked *, const struct verified *, struct endless *);

#endif
