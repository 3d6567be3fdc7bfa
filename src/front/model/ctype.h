#ifndef __ASIF_CTYPE_H
#define __ASIF_CTYPE_H
/* In the locale "C", where programs begin. */
static inline int __asif_within(int __c, int __low, int __high) { return __c >= __low && __c <= __high; }
static inline int isdigit(int __c) { return __asif_within(__c, '0', '9'); }
static inline int islower(int __c) { return __asif_within(__c, 'a', 'z'); }
static inline int isupper(int __c) { return __asif_within(__c, 'A', 'Z'); }
static inline int isalpha(int __c) { return islower(__c) || isupper(__c); }
static inline int isalnum(int __c) { return isalpha(__c) || isdigit(__c); }
static inline int isxdigit(int __c) {
  return isdigit(__c) || __asif_within(__c, 'a', 'f') || __asif_within(__c, 'A', 'F');
}
static inline int isblank(int __c) { return __c == ' ' || __c == '\t'; }
static inline int isspace(int __c) { return __c == ' ' || __asif_within(__c, '\t', '\r'); }
static inline int iscntrl(int __c) { return __asif_within(__c, 0, 31) || __c == 127; }
static inline int isprint(int __c) { return __asif_within(__c, 32, 126); }
static inline int isgraph(int __c) { return __asif_within(__c, 33, 126); }
static inline int ispunct(int __c) { return isgraph(__c) && !isalnum(__c); }
static inline int tolower(int __c) { return isupper(__c) ? __c + ('a' - 'A') : __c; }
static inline int toupper(int __c) { return islower(__c) ? __c - ('a' - 'A') : __c; }
#endif
