#ifndef __ASIF_PTHREAD_H
#define __ASIF_PTHREAD_H
#include <sched.h>
#include <stddef.h>
__asif_header(pthread)
typedef __asif_mutex pthread_mutex_t;
typedef __asif_spinlock pthread_spinlock_t;
typedef int pthread_mutexattr_t;
typedef unsigned long pthread_t;
#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED 1
#endif
