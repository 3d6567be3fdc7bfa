/* Functions that use every kind of expression and statement. test_lower.c compiles them, and runs what lowering makes of them,
 * and compares. Each takes two small numbers; nothing here depends on what C leaves open. */
#include <asif.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE };
struct pair {
  int x, y;
};
struct deep {
  char tag;
  struct pair p[2];
  struct {
    short s;
  };
  struct deep *next;
};
struct node {
  int val;
  struct node *next;
};

/* Arithmetic and conversions. */
static int arithmetic(int a, int b) { return a * 7 - b * 3 + (a - b) * (a + b) + -a + +b; }
static int division(int a, int b) { return b ? a * 13 / b + a * 13 % b : -1; }
static int mixed_signs(int a, int b) {
  unsigned u = (unsigned)a;
  return (u > 3u) + 2 * (a < (int)u) + 4 * (-1 < (int)sizeof(int)) + 8 * (u + 1u == 0u) + (int)((unsigned)b >> 28);
}
static int unsigned_wrap(int a, int b) {
  unsigned u = 0;
  u -= (unsigned)(a * a);
  u = u * 3u + (unsigned)b;
  return (int)(u % 1000u);
}
static int narrow(int a, int b) {
  char c = (char)(a * 100);
  unsigned char d = (unsigned char)(b * 100);
  short s = (short)(a * 30000);
  unsigned short t = (unsigned short)(b * 30000);
  return c + d + s + t;
}
static int wide(int a, int b) {
  long x = (long)a * 1000000000L, y = b;
  long long z = x * 1000 + y;
  return (int)(z / 1000000000L) + (int)(x % 7);
}
static int shifts(int a, int b) {
  int x = 1 << (a & 7), y = a >> 1;
  unsigned u = (unsigned)b << 3;
  unsigned char c = 200;
  c <<= 1;
  return x + y + (int)(u >> 2) % 100000 + (c >> 2) + (int)(1UL << (b & 15));
}
static int bits(int a, int b) { return (a & b) + (a | b) * 2 + (a ^ b) * 3 + ~a + (int)(~(unsigned)b & 0xff); }
static int booleans(int a, int b) {
  bool p = a, q = b > 1, r = !a;
  p += 1;
  q |= 4;
  r ^= 1;
  return p + 2 * q + 4 * r + 8 * !!b + 32 * (_Bool)(a & 0x700);
}
static int comparisons(int a, int b) {
  return (a < b) + 2 * (a <= b) + 4 * (a > b) + 8 * (a >= b) + 16 * (a == b) + 32 * (a != b) + 64 * (3 < a) + 128 * (0 != b);
}
static int enums(int a, int b) {
  enum color c = a > 0 ? BLUE : RED;
  if (b == 2) c = GREEN;
  return (int)c * 10 + (c == BLUE) + (int)GREEN;
}
static int sizes(int a, int b) {
  int v[5];
  return (int)(sizeof v / sizeof *v + sizeof(struct pair) + sizeof(a + 1L) + sizeof(char[3])) + a + b;
}
static int long_masks(int a, int b) {
  uint64_t m = (uint64_t)a & 0xffff, n = ~(uint64_t)7;
  m |= (uint64_t)(unsigned)b << 20;
  return (int)((m & n) >> 2 & 0xfffff);
}

/* Control. */
static int choices(int a, int b) { return a < b ? a ? 1 : b ? 2 : 3 : a == b ? 4 : (a > 2 ? a : -b); }
static int short_circuit(int a, int b) {
  int n = 0;
  if (a > 0 && (n = 5, b > 0)) n++;
  if (a > 0 || (n += 10, b > 0)) n += 100;
  if (!(a > 1 && b > 1) || (a == b && n)) n += 1000;
  int m = (a && b) + 2 * (a || b) + 4 * !(a && !b);
  return n * 10 + m;
}
static int loops(int a, int b) {
  int n = 0;
  for (int i = 0; i < 5; i++)
    for (int j = i; j < 5; j += 2) {
      if (j == a) continue;
      if (i == b) break;
      n = n * 3 + j;
      n %= 1001;
    }
  while (a < 3) {
    a++;
    if (a == b) break;
    n += a;
  }
  do n++;
  while (n < 20);
  int k = 0;
  for (;;)
    if (k++ == 3) break;
  return n + k;
}
static int switches(int a, int b) {
  int n = 0;
  switch (a) {
  case -2: n += 1; /* fall through */
  case -1: n += 2; break;
  case 0:
  case 1: {
    switch (b) {
    case 1: n += 100; break;
    default: n += 200;
    }
    n += 4;
  } /* fall through */
  default: n += 8; break;
  case 3: return 77;
  }
  switch (b)
  case 2:
    n += 1000;
  for (int i = 0; i < 3; i++) {
    switch (i + b) {
    case 1: continue;
    case 2: break;
    default: n += 5;
    }
    n += 3;
  }
  return n;
}
static int jumps(int a, int b) {
  int n = 0;
again:
  n += 2;
  if (n < a) goto again;
  {
    int m = n;
    if (b > 0) goto out;
    n += m + 10;
  }
  goto end;
out:
  n += 100;
end:
  return n;
}
static int side_effects(int a, int b) {
  int i = a, j = b, n = 0;
  n += i++ * 3;
  n += ++j * 5;
  n -= i-- - --j;
  n *= 2;
  n ^= 5;
  n &= 0xfff;
  n <<= 1;
  n |= i & 1;
  i += j -= 2;
  int k = (n++, n + 1);
  k = j = i;
  return n + i * 3 + j * 7 + k;
}
static int comma(int a, int b) {
  int x = (a++, b++, a + b), y;
  for (y = 0, x += 1; y < 3; y++, x--) continue;
  return x * 10 + y;
}

/* Structs, arrays, pointers. */
static struct pair make(int x, int y) { return (struct pair){x, y}; }
static struct pair turn(struct pair p) {
  int x = p.x;
  p.x = p.y;
  p.y = x;
  return p;
}
static int structs(int a, int b) {
  struct pair p = make(a, b), q = turn(p), r;
  r = q;
  r.x += 100;
  p = a > b ? r : turn(q);
  return p.x + p.y * 2 + q.x * 3 + r.x * 4 + turn(r).y * 5 + make(1, 2).y;
}
static int designated(int a, int b) {
  struct deep d = {.p = {[1] = {.y = a}}, .s = 4, .tag = 'x'};
  struct pair v[3] = {{1, 2}, [2] = {a, b}};
  d.p[0] = v[2];
  return d.tag + d.p[0].x + d.p[0].y * 3 + d.p[1].y * 5 + d.p[1].x + d.s + v[1].x + v[0].y + (d.next == NULL);
}
static int arrays(int a, int b) {
  int v[6] = {1, 2, 3}, n = 0;
  for (int i = 0; i < 6; i++) v[i] += i * a;
  for (int *p = v; p < v + 6; p++) n = n * 2 + *p;
  int *last = &v[5], *at = v + (b & 3);
  n += (int)(last - at) * 1000;
  at[1] = 50;
  *at++ = 7;
  --last;
  last[-1]++;
  return n + v[1] + v[2] * 3 + v[3] + (last > at) + (at != last);
}
static int matrix(int a, int b) {
  int m[3][4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) m[i][j] = i * a + j * b;
  int(*row)[4] = &m[1], n = 0;
  for (int j = 0; j < 4; j++) n += (*row)[j] + row[1][j];
  return n + m[0][3];
}
static void bump(int *p, int by) { *p += by; }
static void bump_twice(int *p, int by) {
  bump(p, by);
  bump(p, by);
}
static void bump_pair(struct pair *p) {
  p->x++;
  bump_twice(&p->y, p->x);
}
static int *same(int *p) { return p; }
static int addresses(int a, int b) {
  int x = a, y = b;
  struct pair q = {a, b};
  bump(&x, 5);
  bump_twice(&x, y);
  bump_pair(&q);
  *same(&y) += 7;
  int **pp, *p = &y;
  pp = &p;
  **pp += 1;
  *&x += 2;
  p = b > 0 ? &q.x : &q.y;
  *p = 99;
  return x + y * 3 + q.x * 5 + q.y * 7;
}
static int given_both(int a, int *p) {
  *p += 10;
  return a;
}
static int aliases(int a, int b) {
  int x = a;
  int old = given_both(x, &x);
  (void)b;
  return old * 100 + x;
}
static int lists(int a, int b) {
  struct node *head = NULL, **tail = &head;
  for (int i = 0; i < 4; i++) {
    struct node *n = malloc(sizeof *n);
    n->val = i * a + b;
    n->next = NULL;
    *tail = n;
    tail = &n->next;
  }
  for (struct node **p = &head; *p;) { /* remove the odd ones */
    struct node *n = *p;
    if (n->val & 1) {
      *p = n->next;
      free(n);
    } else {
      p = &n->next;
    }
  }
  int n = 0;
  while (head) {
    struct node *next = head->next;
    n = n * 5 + head->val;
    free(head);
    head = next;
  }
  return n;
}
static int allocation(int a, int b) {
  int count = (a & 3) + 1;
  int *v = malloc((size_t)count * sizeof(int));
  struct pair *z = calloc(3, sizeof *z);
  for (int i = 0; i < count; i++) v[i] = i + b;
  z[2].y = v[count - 1];
  int n = z[0].x + z[2].y + z[1].y;
  struct pair *copy = malloc(sizeof(struct pair));
  *copy = z[2];
  memcpy(&z[0], copy, sizeof *copy);
  n = n * 10 + z[0].y;
  memset(z, 0, 3 * sizeof *z);
  n = n * 10 + z[2].y + z[0].y;
  free(v);
  free(z);
  free(copy);
  free(NULL);
  return n;
}
static int marks(int a, int b) {
  struct node x = {a, NULL}, *p = &x;
  uintptr_t w = (uintptr_t)p;
  w |= 1;
  bool marked = w & 1;
  struct node *q = (struct node *)(w & ~(uintptr_t)1);
  q->val += b;
  struct node *r = (struct node *)((uintptr_t)p + 2);
  return x.val + 10 * marked + 100 * (q == p) + 1000 * (r == p) + 2000 * (int)((uintptr_t)r & 3) + 10000 * ((uintptr_t)NULL == 0);
}

/* Functions. */
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static int factorial(int n) {
  if (n <= 1) return 1;
  return n * factorial(n - 1);
}
static int recursion(int a, int b) { return fibonacci(a + 3 > 6 ? 6 : a + 3) * 1000 + factorial(b + 3 > 6 ? 6 : b + 3); }
static bool positive(int x) {
  if (x > 2) return true;
  int y = x;
  int *p = &y;
  for (int i = 0; i < 3; i++) {
    bump(p, 1);
    if (*p == 1) return false;
  }
  return x > 0;
}
static void nothing(void) { return; }
static int early(int a, int b) {
  for (int i = 0; i < 10; i++) {
    int v[2] = {i, a};
    for (int j = 0; j < 2; j++)
      if (v[j] == b) return i * 10 + j;
  }
  return -1;
}
static int calls(int a, int b) {
  nothing();
  int n = positive(a) ? 1 : 2;
  if (positive(a) && !positive(b)) n += 10;
  while (!positive(n)) n++;
  bool p = positive(b);
  return n * 1000 + early(a, b) * 10 + p;
}
static int counter(void) {
  static int n = 3;
  return ++n;
}
static int statics(int a, int b) {
  int x = counter();
  return counter() - x + (a > 0 ? counter() - x : b);
}

/* Globals. */
static int plain = 4;
static const int table[4] = {10, 20, 30, 40};
static struct node last = {7, NULL}, first = {3, &last};
static struct node *const start = &first;
static int grid[2][2] = {{1, 2}, {3, 4}}, *inside = &grid[1][0];
static int globals(int a, int b) {
  int before = plain;
  plain += a;
  int n = plain * 2 + table[a & 3] + table[1] + start->next->val;
  plain = before;
  first.val = b;
  n += start->val * 3;
  inside[1] = a;
  n += grid[1][1] + *inside;
  inside[1] = 4;
  return n;
}

/* Atomics. */
static _Atomic int shared = 5;
static _Atomic(struct pair) both;
static _Atomic(struct node *) top;
static struct node *bare;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static _Atomic unsigned char small;
static atomic_bool truth;
static int atomics(int a, int b) {
  atomic_store(&shared, a);
  int n = atomic_fetch_add(&shared, b);
  n += shared;
  n += shared++ * 3;
  n += ++shared * 5;
  shared += 4;
  n += shared;
  shared *= 2;
  n += shared;
  shared -= b;
  n -= shared;
  n = n * 3 + atomic_exchange(&shared, 9);
  n += (int)atomic_fetch_or_explicit(&shared, 6, memory_order_relaxed);
  n += atomic_fetch_and(&shared, 13);
  n += atomic_fetch_xor(&shared, 5);
  int expected = a > 0 ? 8 : 9;
  bool done = atomic_compare_exchange_strong(&shared, &expected, 50);
  n = n * 10 + done * 3 + expected + atomic_load(&shared);
  small = 250;
  small += 10;
  n += small;
  small = 200;
  small /= 3;
  small <<= 3;
  n += small;
  small %= 50;
  n += small;
  truth = a;
  truth |= 1; /* with 2 some compilers keep a bool that is 2 */
  n += truth + __sync_add_and_fetch(&plain, 2);
  n -= __sync_sub_and_fetch(&plain, 2);
  return n;
}
static int struct_atomics(int a, int b) {
  struct pair p = {a, b}, q, r;
  atomic_store(&both, p);
  q = both;
  r = (struct pair){q.y, q.x};
  struct pair wrong = {a + 1, b};
  bool one = atomic_compare_exchange_strong(&both, &wrong, r);
  bool two = atomic_compare_exchange_strong(&both, &wrong, r);
  q = atomic_exchange(&both, p);
  return q.x + q.y * 3 + one * 100 + two * 1000 + wrong.x;
}
static bool try_push(struct node *n, struct node **seen) { return atomic_compare_exchange_strong(&top, seen, n); }
static int pointer_atomics(int a, int b) {
  struct node *n = malloc(sizeof *n), *seen = NULL;
  n->val = a;
  top = NULL;
  int r = try_push(n, &seen) ? 1 : 2;
  struct node m = {b, NULL};
  m.next = NULL;
  r = r * 10 + !atomic_compare_exchange_strong(&top, &m.next, NULL);
  if (!atomic_compare_exchange_strong(&top, &m.next, n)) r += 50;
  if (atomic_compare_exchange_strong(&top, &m.next, n)) r += 5;
  r += m.next == n;
  while (!try_push(&m, &seen)) r += 100;
  r = r * 10 + (seen == n) + top->val;
  r += atomic_flag_test_and_set(&flag);
  r += 2 * atomic_flag_test_and_set(&flag);
  atomic_flag_clear(&flag);
  r += __sync_val_compare_and_swap(&bare, NULL, n) == NULL;
  r += 2 * __sync_bool_compare_and_swap(&bare, n, NULL);
  top = NULL;
  free(n);
  return r;
}

#define VALUES(F)                                                                                                                \
  F(arithmetic)                                                                                                                  \
  F(division)                                                                                                                    \
  F(mixed_signs) F(unsigned_wrap) F(narrow) F(wide) F(shifts) F(bits) F(booleans) F(comparisons) F(enums) F(sizes) F(long_masks) \
      F(choices) F(short_circuit) F(loops) F(switches) F(jumps) F(side_effects) F(comma) F(structs) F(designated) F(arrays)      \
          F(matrix) F(addresses) F(aliases) F(lists) F(allocation) F(marks) F(recursion) F(early) F(calls) F(statics) F(globals) \
              F(atomics) F(struct_atomics) F(pointer_atomics)
#ifndef VALUES_NATIVELY
#define OPERATION(f) ASIF_OP(f, ASIF_IN(-3, 4), ASIF_IN(-3, 4))
VALUES(OPERATION)
#endif
