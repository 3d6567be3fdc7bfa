#ifndef __ASIF_SCHED_H
#define __ASIF_SCHED_H
__asif_header(sched)
#endif
