#ifndef __ASIF_ERRNO_H
#define __ASIF_ERRNO_H
_Thread_local int __asif_errno;
#define errno __asif_errno
#define EPERM 1
#define EINTR 4
#define EAGAIN 11
#define ENOMEM 12
#define EBUSY 16
#define EEXIST 17
#define EINVAL 22
#define EDEADLK 35
#define ETIMEDOUT 110
#endif
