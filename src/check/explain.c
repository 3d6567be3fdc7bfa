#include "check/explain.h"
void explain_violation(struct mem *mem, struct mem *scratch, const struct history *h, const struct part *p, const struct decision *d,
                       const struct check_options *o, struct limits *l, struct check_result *r) {
  (void)mem,(void)scratch,(void)h,(void)p,(void)d,(void)o,(void)l;
  r->reason="stub";
}
