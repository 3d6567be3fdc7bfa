#ifndef __ASIF_STRING_H
#define __ASIF_STRING_H
#include <stddef.h>
__asif_header(string)
#include_next <string.h>
size_t strlen(const char *__s) {
  size_t __n = 0;
  while (__s[__n]) __n++;
  return __n;
}
int strcmp(const char *__a, const char *__b) {
  for (;; __a++, __b++) {
    unsigned char __x = (unsigned char)*__a, __y = (unsigned char)*__b;
    if (__x != __y || !__x) return __x - __y;
  }
}
int strncmp(const char *__a, const char *__b, size_t __n) {
  for (; __n; __a++, __b++, __n--) {
    unsigned char __x = (unsigned char)*__a, __y = (unsigned char)*__b;
    if (__x != __y || !__x) return __x - __y;
  }
  return 0;
}
static inline char *__asif_stpcpy(char *__restrict __to, const char *__restrict __from) {
  while ((*__to = *__from++)) __to++;
  return __to;
}
char *strcpy(char *__restrict __to, const char *__restrict __from) {
  __asif_stpcpy(__to, __from);
  return __to;
}
char *strncpy(char *__restrict __to, const char *__restrict __from, size_t __n) {
  size_t __i = 0;
  for (; __i < __n && __from[__i]; __i++) __to[__i] = __from[__i];
  for (; __i < __n; __i++) __to[__i] = 0;
  return __to;
}
char *strcat(char *__restrict __to, const char *__restrict __from) {
  __asif_stpcpy(__to + strlen(__to), __from);
  return __to;
}
char *strncat(char *__restrict __to, const char *__restrict __from, size_t __n) {
  char *__end = __to + strlen(__to);
  for (; __n && *__from; __n--) *__end++ = *__from++;
  *__end = 0;
  return __to;
}
char *strchr(const char *__s, int __c) {
  for (;; __s++) {
    char __x = *__s;
    if (__x == (char)__c) return (char *)__s;
    if (!__x) return NULL;
  }
}
char *strrchr(const char *__s, int __c) {
  char *__found = NULL;
  for (;; __s++) {
    char __x = *__s;
    if (__x == (char)__c) __found = (char *)__s;
    if (!__x) return __found;
  }
}
char *strstr(const char *__s, const char *__what) {
  size_t __n = strlen(__what);
  for (;; __s++) {
    if (!strncmp(__s, __what, __n)) return (char *)__s;
    if (!*__s) return NULL;
  }
}
void *memchr(const void *__at, int __c, size_t __n) {
  const unsigned char *__p = __at;
  for (; __n; __p++, __n--)
    if (*__p == (unsigned char)__c) return (void *)__p;
  return NULL;
}
#if defined _POSIX_C_SOURCE || !defined __STRICT_ANSI__
char *stpcpy(char *__restrict __to, const char *__restrict __from) { return __asif_stpcpy(__to, __from); }
size_t strnlen(const char *__s, size_t __most) {
  size_t __n = 0;
  while (__n < __most && __s[__n]) __n++;
  return __n;
}
void *malloc(size_t);
char *strdup(const char *__s) {
  size_t __n = strlen(__s) + 1;
  char *__to = malloc(__n);
  if (__to) memcpy(__to, __s, __n);
  return __to;
}
char *strndup(const char *__s, size_t __most) {
  size_t __n = strnlen(__s, __most);
  char *__to = malloc(__n + 1);
  if (!__to) return NULL;
  memcpy(__to, __s, __n);
  __to[__n] = 0;
  return __to;
}
#endif
#endif
