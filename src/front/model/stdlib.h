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
/* Elements that are equal keep their order. */
void qsort(void *__at, size_t __count, size_t __size, int (*__compare)(const void *, const void *)) {
  char *__a = __at;
  for (size_t __i = 1; __i < __count; __i++)
    for (size_t __k = __i; __k && __compare(__a + (__k - 1) * __size, __a + __k * __size) > 0; __k--) {
      char __other[__size];
      __builtin_memcpy(__other, __a + __k * __size, __size);
      __builtin_memcpy(__a + __k * __size, __a + (__k - 1) * __size, __size);
      __builtin_memcpy(__a + (__k - 1) * __size, __other, __size);
    }
}
void *bsearch(const void *__key, const void *__at, size_t __count, size_t __size,
              int (*__compare)(const void *, const void *)) {
  size_t __low = 0, __high = __count;
  while (__low < __high) {
    size_t __i = (__low + __high) / 2;
    const void *__p = (const char *)__at + __i * __size;
    int __c = __compare(__key, __p);
    if (!__c) return (void *)__p;
    if (__c < 0)
      __high = __i;
    else
      __low = __i + 1;
  }
  return NULL;
}
#define reallocarray __asif_reallocarray
#define posix_memalign __asif_posix_memalign
#endif
