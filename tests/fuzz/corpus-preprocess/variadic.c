#define e(f, ...) p(f, ## __VA_ARGS__)
#define n(f, a...) p(f , ## a, a)
#define v(...) [, ## __VA_ARGS__] #__VA_ARGS__
e(1) e(1,) e(1,2) e(1,2,3) n(1) n(1,) n(1,2) v() v(1) v( ) e(1, ) e()
