#ifndef __ASIF_STDDEF_H
#define __ASIF_STDDEF_H
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
typedef unsigned wint_t;
typedef struct {
  long long __first __attribute__((__aligned__(8)));
  long double __second __attribute__((__aligned__(16)));
} max_align_t;
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
