#ifndef __ASIF_THREADS_H
#define __ASIF_THREADS_H
__asif_header(threads)
typedef __asif_mutex mtx_t;
enum { mtx_plain = 0 };
enum { thrd_success = 0, thrd_busy = 1, thrd_error = 2 };
#define thread_local _Thread_local
#endif
