#include "check/part.h"
enum applies match_queue_part(const struct part *p, struct mem *m, struct decision *d, const char **why_not) {(void)p,(void)m,(void)d,(void)why_not;return APPLIES_NOT;}
