#ifndef __ASIF_STDIO_H
#define __ASIF_STDIO_H
#include <stddef.h>
__asif_header(stdio)
#include_next <stdio.h>
/* What is written goes nowhere. */
#undef stdin
#undef stdout
#undef stderr
/* What a buffer gets may be any text, of any length. */
static inline int __asif_printed(char *__to, size_t __n) {
  long __any = __asif_any();
  for (size_t __i = 0; __i + 1 < __n; __i++) __to[__i] = (char)__any;
  if (__n) __to[__n - 1] = 0;
  return (int)(__any & 0x7fffffff);
}
int snprintf(char *__restrict __to, size_t __n, const char *__restrict __format, ...) {
  return __asif_printed(__to, __n);
}
int vsnprintf(char *__restrict __to, size_t __n, const char *__restrict __format, __builtin_va_list __list) {
  return __asif_printed(__to, __n);
}
#define stdin ((FILE *)0)
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)
#endif
