/* A run of verify, and its answer as reports take it: what `asif verify` and `asif prove`, which confirms failures by
 * it, share. */
#ifndef ASIF_CMD_VERIFY_JOB_H
#define ASIF_CMD_VERIFY_JOB_H

#include "cmd/verify_live.h"

struct verify_job {
  const struct args *args;
  struct verify_options options;
  struct live_asked live;
  double seconds, cpu, search_cpu; /* CPU: when it began; of the search */
  size_t bytes;
  unsigned long long states; /* --states-limit; 0: none */
  struct limits limits;
  struct subject subject;
  struct verified answer;
};

/* The facts as reports take them. */
struct verify_facts {
  struct report report;
  struct execution execution;
  struct endless endless;
  struct check_result result;
  struct schedule_line start; /* a fault before the threads start */
};
void verify_gather(const struct verify_job *, struct mem *, struct verify_facts *);
/* "3 threads, 2 operations each" */
void verify_put_client(const struct subject *, struct text *);
/* The whole history drawn. */
void verify_svg(const struct report *, struct text *);

#endif
