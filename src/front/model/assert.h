#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
__asif_header(assert)
#endif
#ifndef static_assert
#define static_assert _Static_assert
#endif
