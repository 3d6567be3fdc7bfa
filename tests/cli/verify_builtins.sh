#!/bin/bash
# asif verify: builtins of compilers, as gcc computes them; atomic ones in all their forms; what is not defined.
. tests/cli/common
has verify || exit 77
cc=${CC:-cc}
export ASIF_INCLUDE=$root/include

# Values: what the compiler's program prints is what verify's machine computes, from an argument that it does not know before.
numbers='0 1 2 3 5 7 8 12 100 255 256 65535 65536 1000000 2147483647'
cat >list <<'END_OF_C'
__builtin_ctz(x + 1u)
__builtin_clz(x + 1u)
__builtin_ctzl(x + 1ul)
__builtin_clzl(x + 1ul)
__builtin_ctzll(x + 4ull)
__builtin_clzll((unsigned)x + 4ull)
__builtin_ffs(x)
__builtin_ffsll(x)
__builtin_ffs(-x)
__builtin_popcount(x)
__builtin_popcount(-x)
__builtin_popcountll(x)
__builtin_parity(x)
__builtin_parityl(x)
__builtin_clrsb(x)
__builtin_clrsb(-x)
__builtin_bswap16(x)
__builtin_bswap32(x) % 1000003
abs(-x)
labs(-(long)x)
abs(x)
__builtin_constant_p(3)
t = __builtin_add_overflow(x, 2147480000, &i), t + 2 * (i & 1023)
t = __builtin_sub_overflow(-x, 2147480000, &i), t + 2 * (i & 1023)
t = __builtin_mul_overflow(x, 70000, &i), t + 2 * (i & 1023)
t = __builtin_add_overflow(x, 250, &c), t + 2 * c
t = __builtin_sub_overflow(x, 7, &u), t + 2 * (u & 1023)
t = __builtin_mul_overflow(x, -1, &u), t + 2 * (u & 1023)
t = __builtin_add_overflow((long)x, 5L, &l), t + 2 * (l & 1023)
t = __builtin_sub_overflow((long)x, 5L, &l), t + 2 * (l & 1023)
t = __builtin_add_overflow((unsigned long)x, 5ul, &ul), t + 2 * (ul & 1023)
t = __builtin_sub_overflow((unsigned long)x + 9, 5ul, &ul), t + 2 * (ul & 1023)
t = __atomic_fetch_nand(&a, x, 5), t + 2 * (a & 1023)
__atomic_nand_fetch(&a, x, 5) & 1023
t = __atomic_add_fetch(&a, x & 1023, 5), t + a
t = __sync_sub_and_fetch(&a, x & 1023), t + a
t = __sync_xor_and_fetch(&a, (a & 3) + (x & 1023)), t + a
t = __sync_fetch_and_nand(&a, x), t + 2 * (a & 1023)
t = __sync_fetch_and_add_4(&a, x & 1023), t + a
t = __sync_sub_and_fetch_4(&a, 9), (t > 0) + 2 * (a & 1023)
t = __sync_val_compare_and_swap_4(&a, 3, x), t + 2 * (a & 1023)
t = __sync_bool_compare_and_swap_1(&c, 0, x), t + 2 * c
t = __sync_add_and_fetch_2(&l, x), t + l
t = __sync_lock_test_and_set_8(&l, x), t + l
t = __sync_fetch_and_or_8(&ul, x & 1023), __sync_lock_release_8(&l), t + ul + l
*(int *)__builtin_assume_aligned(&a, 4)
__atomic_always_lock_free(8, 0) + 2 * __atomic_is_lock_free(4, 0) + 4 * __atomic_always_lock_free(3, 0)
END_OF_C
locals='long t = 0; int i = 0, a = 3; unsigned u = 0; unsigned char c = 0; long l = 0; unsigned long ul = 0; (void)t, (void)i, (void)u, (void)c, (void)l, (void)ul, (void)a;'
{
  printf '#include <stdio.h>\n#include <stdlib.h>\n'
  n=0
  while read -r e; do echo "static long f$n(int x) { $locals return (long)($e); }"; n=$((n + 1)); done <list
  echo 'int main(void) {'
  n=0
  while read -r e; do for x in $numbers; do echo "printf(\"%ld\\n\", f$n($x));"; done; n=$((n + 1)); done <list
  echo 'return 0; }'
} >gcc.c
$cc -w -o gcc gcc.c -latomic 2>err || $cc -w -o gcc gcc.c 2>err || fail "$(cat err)"
./gcc >values
{
  printf '#include <asif.h>\n#include <assert.h>\n#include <stdlib.h>\n#include <stdatomic.h>\n'
  n=0
  while read -r e; do echo "static long f$n(int x) { $locals return (long)($e); }"; n=$((n + 1)); done <list
  exec 3<values
  n=0
  while read -r e; do
    echo "static int g$n(int k) {"
    k=0
    for x in $numbers; do read -r v <&3; echo "  if (k == $k) assert(f$n($x ^ (k - $k)) == ${v}L);"; k=$((k + 1)); done
    echo '  return 0; }'
    echo "ASIF_OP(g$n, ASIF_IN(0, $((k - 1))))"
    n=$((n + 1))
  done <list
  echo 'ASIF_OBJECT(self)'
} >o.c
run 0 "$asif" verify o.c -n 1
sed 's/assert(f3(/assert(1 + f3(/' o.c >wrong.c; run 1 "$asif" verify wrong.c -n 1; says 'assertion'

# What is not defined.
object() { { printf '#include <asif.h>\n#include <stdatomic.h>\n#include <stdlib.h>\nstatic atomic_int s;\n'; cat
  printf 'ASIF_OBJECT(register(0))\nASIF_OP(read)\nASIF_OP(write, ASIF_IN(1, 2))\n'; } >o.c; }
for wrong in '__builtin_ctz(v - 1)' '__builtin_clzl(v - 2)' '(v == 2 ? (__builtin_unreachable(), 1) : v)' '(v == 2 ? (exit(1), 1) : v)' \
  '(v == 2 ? (__builtin_trap(), 1) : v)' 'abs(-2147483647 - v)'; do
  object <<<"static void write(int v) { s = $wrong; } static int read(void) { return s; }"
  run 1 "$asif" verify o.c
done
object <<<'static void write(int v) { if (v > 2) __builtin_unreachable(); s = v + __builtin_ctz(v) - __builtin_ctz(v); } static int read(void) { return s; }'
run 0 "$asif" verify o.c

# The generic forms move values of any type through pointers, in one step.
generic='
struct pair { int a, b; };
static struct pair p;
static void write(int v) {
  struct pair was, to = {v, v};
  if (v == 1) __atomic_exchange(&p, &to, &was, __ATOMIC_SEQ_CST);
  else {
    __atomic_load(&p, &was, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange(&p, &was, &to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
  }
}
static int read(void) {
  struct pair now;
  __atomic_load(&p, &now, __ATOMIC_SEQ_CST);
  return now.a == now.b ? now.a : 7;
}'
object <<<"$generic"; run 0 "$asif" verify o.c
object <<<"${generic/__atomic_exchange(&p, &to, &was, __ATOMIC_SEQ_CST)/p = to}"; run 1 "$asif" verify o.c
object <<'END_OF_C'
static int cells[2];
static int *_Atomic at = cells;
static void write(int v) { int *was = atomic_fetch_add(&at, v); atomic_fetch_sub(&at, v); s = v + *was; }
static int read(void) { return s; }
END_OF_C
run 1 "$asif" verify o.c; says 'out of bounds'
run 0 "$asif" verify o.c -n 1; says 'atomic_fetch_add and atomic_fetch_sub move a pointer by elements here, as C has it; those of GCC move it by bytes'
sed -i 's/atomic_fetch_add(&at, v)/at; at += v/; s/atomic_fetch_sub(&at, v)/at -= v/' o.c # these, GCC moves by elements
run 0 "$asif" verify o.c -n 1; case $out in *GCC*) fail "there is no atomic_fetch_add: $out" ;; esac
sed -i 's/at += v/atomic_fetch_add(\&at, v)/; s/int cells/char cells/; s/int \*/char */g' o.c
run 0 "$asif" verify o.c -n 1; case $out in *GCC*) fail "bytes are elements: $out" ;; esac

# The new value wraps around as the one that is stored does.
object <<'END_OF_C'
static atomic_int n;
static void write(int v) {
  n = 2147483647;
  if (__atomic_add_fetch(&n, 1, 5) == -2147483647 - 1 && __atomic_sub_fetch(&n, 1, 5) == 2147483647) s = v;
}
static int read(void) { return s; }
END_OF_C
run 0 "$asif" verify o.c -n 1
