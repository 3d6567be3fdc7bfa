#ifndef __ASIF_STDLIB_H
#define __ASIF_STDLIB_H
#include <stddef.h>
__asif_header(stdlib)
#include_next <stdlib.h>
static inline int __asif_posix_memalign(void **__at, size_t __alignment, size_t __size) {
  void *__given = aligned_alloc(__alignment, __size);
  if (!__given) return 12; /* ENOMEM */
  *__at = __given;
  return 0;
}
static inline void *__asif_reallocarray(void *__at, size_t __count, size_t __size) {
  if (__count > 0xffffffff || __size > 0xffffffff) __asif_limit("reallocarray of more than 4 GB");
  return realloc(__at, __count * __size);
}
#define reallocarray __asif_reallocarray
#define posix_memalign __asif_posix_memalign
#endif
