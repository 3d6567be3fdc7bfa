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
#define snprintf(__to, __n, ...) ((void)printf(__VA_ARGS__), __asif_printed((__to), (__n)))
#define vsnprintf(__to, __n, ...) ((void)vprintf(__VA_ARGS__), __asif_printed((__to), (__n)))
#define stdin ((FILE *)0)
#define stdout ((FILE *)0)
#define stderr ((FILE *)0)
#endif
