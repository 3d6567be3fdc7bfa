#include <stdint.h>
#define X
#define D defined
#if defined X && D(X) && (-1 > 0u ? 'a' == 97 : 1/0) && __has_include(<stdatomic.h>) && !__has_include("none.h")
#if 0
don't
#elif UINT64_MAX == ~0u, 010 << 2 >> 1 != 4 ^ 5 | 6 & 7
a
#endif
#else
b
#endif
