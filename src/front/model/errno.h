#ifndef __ASIF_ERRNO_H
#define __ASIF_ERRNO_H
#include_next <errno.h>
_Thread_local int __asif_errno;
#undef errno
#define errno __asif_errno
#endif
