#include "evidence/evidence.h"
bool evidence_write(const char *path, const struct history *h, const struct spec *s, const struct check_result *r, struct problem *why){(void)path,(void)h,(void)s,(void)r,(void)why;return false;}
