#ifndef __ASIF_SCHED_H
#define __ASIF_SCHED_H
__asif_header(sched)
#include_next <sched.h>
#endif
