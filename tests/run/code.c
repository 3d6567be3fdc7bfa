/* What the runtime is tested with: one scene after the other, NAME_0, NAME_1, ... the threads, NAME_init before them. */
#include <asif.h>
#include <assert.h>
#include <errno.h>
#include <fenv.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Two steps a thread. */
static atomic_int a, b;
int steps_0(void) {
  atomic_store(&a, 1);
  return atomic_load_explicit(&b, memory_order_acquire);
}
int steps_1(void) {
  atomic_store(&b, 1);
  return atomic_load_explicit(&a, memory_order_acquire);
}

/* Touches nothing. */
long nothing_0(void) { return 7; }
long nothing_1(void) { return 8; }

/* Globals begin as they were loaded: the first time it is 41, a large one too, and so is what init made of it. */
static atomic_int counter = 41;
static char large[300000] = {1};
static int made;
void globals_init(void) { made++; }
long globals(void) {
  for (size_t i = 1; i < sizeof large; i += 5000) large[i]++;
  large[0]++;
  return atomic_fetch_add(&counter, 1) * 10000 + large[0] * 1000 + large[5001] * 100 + made * 10 + ++*(volatile char *)&large[299999];
}

/* A thread's own. */
static _Thread_local int own = 5;
static _Thread_local char zeros[1000];
static atomic_int turn;
static long owns(int me) {
  long was = own * 100 + zeros[500];
  own = me;
  zeros[500] = (char)me;
  errno = me;
  atomic_fetch_add(&turn, 1);
  return was * 1000 + own * 100 + zeros[500] * 10 + errno;
}
long own_0(void) { return owns(1); }
long own_1(void) { return owns(2); }

/* How floating point rounds is a thread's own too. */
static long rounds(int how) {
  volatile double one = 1, three = 3;
  fesetround(how);
  atomic_fetch_add(&turn, 1);
  double third = one / three;
  return third * three < one || third > 0.33333333333333331 ? fegetround() == how : -1;
}
long round_0(void) { return rounds(FE_UPWARD); }
long round_1(void) { return rounds(FE_DOWNWARD); }

/* One step. */
static int both[2];
static void move(int by) {
  ASIF_ATOMIC {
    both[0] += by;
    ASIF_ATOMIC { both[1] -= by; }
  }
}
long block_0(void) {
  move(1);
  return 0;
}
long block_1(void) {
  long sum = 0;
  ASIF_ATOMIC { sum = both[0] + both[1]; }
  return sum;
}

/* Refused, unless the other was first. */
long require_0(void) {
  ASIF_ATOMIC { asif_require(both[0] == 1); }
  return 1;
}
long require_1(void) {
  move(1);
  return 2;
}

/* All widths. */
typedef __int128 wide __attribute__((aligned(16)));
static wide sixteen;
static struct { char c[24]; } more, more_still = {"twenty-four"};
static unsigned char eight = 200;
static _Atomic unsigned short half = 7;
long widths(void) {
  wide none = 0, big = (wide)3 << 100 | 5, got;
  int ok = __atomic_compare_exchange_n(&sixteen, &none, big, 0, 5, 5);
  got = __atomic_load_n(&sixteen, 5);
  ok += got == big && !__atomic_compare_exchange_n(&sixteen, &none, 0, 1, 5, 5) && none == big;
  ok += __atomic_exchange_n(&sixteen, 9, 5) == big && __sync_val_compare_and_swap(&sixteen, 9, 10) == 9;
  __atomic_store(&more, &more_still, 5);
  __typeof__(more) read;
  __atomic_load(&more, &read, 5);
  ok += !strcmp(read.c, "twenty-four");
  ok += __atomic_add_fetch(&eight, 100, 5) == 44 && __atomic_fetch_nand(&eight, 4, 5) == 44 && eight == (unsigned char)~(44 & 4);
  ok += atomic_fetch_sub(&half, 8) == 7 && atomic_fetch_xor(&half, 1) == 65535 && atomic_exchange(&half, 3) == 65534;
  return ok;
}

/* Volatile accesses are points. */
static volatile int flag;
long volatile_0(void) {
  flag = 1;
  return flag;
}

/* Accesses that are not atomic, of which those to the own stack are none. */
int shared, *where = &shared;
long plain_0(void) {
  int local[4] = {1, 2, 3, 4}, *p = local;
  __asm__ volatile("" : "+r"(p));
  p[1] = 7;
  *where = p[1] + p[2];
  return *where;
}

/* What ends the code. */
_Atomic(atomic_int *) nowhere;
static int *volatile null;
atomic_int zero;
static int deep(int n) {
  volatile char room[5000];
  room[n % 5000] = (char)n;
  return n == 0 ? 0 : deep(n - 1) + room[n % 5000];
}
long crash_read(void) { return *null; }
long crash_write(void) { return *null = 1; }
long crash_atomic(void) { return atomic_load(atomic_load(&nowhere)); }
long crash_library(void) { return (long)strlen((char *)null); }
long crash_stack(void) { return deep(1000000); }
long crash_divide(void) { return 5 / atomic_load(&zero); }
long crash_trap(void) { __builtin_trap(); }
long crash_abort(void) { abort(); }
long crash_exit(void) { exit(3); }
long crash_assert(void) {
  assert(atomic_load(&zero) == 1);
  return 0;
}
long crash_endless(void) {
  for (;;) __asm__ volatile("");
}
void crash_later_init(void) { atomic_store(&zero, 0); }
long crash_later_0(void) { return 5 / atomic_load(&zero); }
long crash_later_1(void) {
  atomic_store(&zero, 1);
  return 0;
}
long well(void) { return atomic_fetch_add(&counter, 1); }

/* Never ends, and never twice in the same state. */
static atomic_ulong far;
long far_0(void) {
  for (;;) atomic_fetch_add(&far, 1);
}

/* Waits for the other, and lets it go first. */
long yield_0(void) {
  while (!atomic_load(&a)) asif_yield();
  return 1;
}
long yield_1(void) {
  asif_yield();
  atomic_store(&a, 1);
  return asif_thread();
}
