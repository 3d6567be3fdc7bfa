#!/bin/bash
# Inline assembly under the scheduler (x86-64): every instruction that accesses memory is a point, and nothing else changes.
. tests/cli/common
has test || exit 77
[ "$(uname -m)" = x86_64 ] || { echo 'skipped: assembly has hooks on x86-64 only'; exit 77; }
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp bin && ln -s "$asif" bin/asif && PATH=$PWD/bin:$PATH
compilers=$(command -v gcc >/dev/null && echo gcc) && command -v clang >/dev/null && compilers="$compilers clang"

counter() { # NAME STATEMENTS: fetch_add
  cat >"$1.c" <<END2
#include <asif.h>
int x, table[4], lock, data;
long pair[2] __attribute__((aligned(16)));
static int fetch_add(void) { int *p = &x; $2; return v; }
static int get(void) { return __atomic_load_n(&x, 5); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
ASIF_OP_AS(read, get)
END2
}
asm=__asm__\ volatile
right() { # NAME STATEMENTS
  counter "$1" "$2"
  CC=${3:-gcc} run 0 "$asif" test "$1.c" -n 2 -o 1; says 'verdict: linearizable'
  ! grep -q 'without hooks' "$scratch/out" || fail "$1 has no hooks: $(cat "$scratch/out")"
}
wrong() { # NAME STATEMENTS: a history is wrong, and the run is told
  counter "$1" "$2"
  CC=${3:-gcc} run 1 "$asif" test "$1.c" -n 2 -o 1; says 'verdict: not linearizable'
}
command -v gcc >/dev/null || exit 77

# Two moves are two steps; so are the two halves of an instruction that has lost its lock prefix.
for compiler in $compilers; do
  wrong moves "int v, w; $asm(\"movl %2, %0; leal 1(%0), %1; movl %1, %2\" : \"=&r\"(v), \"=&r\"(w), \"+m\"(*p))" $compiler
  says 'load x -> 0'; says 'store x = 1'; says 'moves.c:4'
  wrong lost "int v = 1; $asm(\"xaddl %0, %1\" : \"+r\"(v), \"+m\"(*p) :: \"memory\")" $compiler
  says 'load x -> 0'; says 'store x = 1'
  right locked "int v = 1; $asm(\"lock; xaddl %0, %1\" : \"+r\"(v), \"+m\"(*p) :: \"memory\")" $compiler
  right split "int v = 1; $asm(\"lock\n\t xaddl %0, (%1)\" : \"+r\"(v) : \"r\"(p) : \"memory\", \"cc\")" $compiler
done
right capitals "int v = 1; $asm(\"LOCK XADDL %0, %1 /* a comment; lost */ # one more; movl\" : \"+r\"(v), \"+m\"(*p) :: \"memory\")"
# Registers that only the next statement names, in capital letters or as numbers, stay what they are.
right chained "int v = 5; register long n __asm__(\"rcx\") = 1; $asm(\"lock incl %1\" : \"+r\"(n), \"+m\"(lock)); $asm(\"MOVL %%ECX, %0\" : \"=r\"(v) : \"r\"(n)); v = __atomic_fetch_add(p, v, 5)"
wrong incremented "int v; $asm(\"incl %1\n\tmovl %1, %0\" : \"=r\"(v), \"+m\"(*p) :: \"memory\"); v--"
wrong two "int v; $asm(\"lock incl %1\n\tmovl %1, %0\" : \"=r\"(v), \"+m\"(*p) :: \"memory\"); v--"
wrong compared "int v = *(volatile int *)p, w = v + 1; $asm(\"cmpxchgl %2, %1\" : \"+a\"(v), \"+m\"(*p) : \"r\"(w) : \"memory\")"
right exchanged "int v, w; char z; do { v = *(volatile int *)p; w = v + 1; $asm(\"lock cmpxchgl %3, %1; sete %2\" : \"+a\"(v), \"+m\"(*p), \"=q\"(z) : \"r\"(w) : \"memory\"); } while (!z)"
right ignored "int v = *(volatile int *)p, w = v + 1; $asm(\"lock cmpxchgl %2, %1\" : \"+a\"(v), \"+m\"(*p) : \"r\"(w) : \"memory\")"
run 1 "$asif" test ignored.c --client 'fetch_add() | fetch_add() get()'; says 'verdict: not linearizable'
# Nobody looks at what a failed one wrote: it wrote nothing.
right failed "int v = 77; $asm(\"lock cmpxchgl %2, %1\" : \"+a\"(v), \"+m\"(*p) : \"r\"(5) : \"memory\"); v = __atomic_fetch_add(p, 1, 5)"

# A spin lock with xchg, right and with a lock that is not taken; asm goto; bits, also by a register; a loop of assembly.
body='data++; int v = *p; *p = v + 1'
lock="int got; do { got = 1; $asm(\"xchgl %0, %1\" : \"+r\"(got), \"+m\"(lock) :: \"memory\"); if (got) $asm(\"pause\"); } while (got)"
unlock="$asm(\"movl \$0, %0\" : \"=m\"(lock) :: \"memory\")"
locked() { # NAME LOCK UNLOCK STATUS
  counter "$1" "$2; $body; $3"
  sed -i "s/^static int get(void) .*/static int get(void) { $2; int r = x; $3; return r; }/" "$1.c"
  run "$4" "$asif" test "$1.c" -n 2 -o 1
}
for name in spin bits far tight; do
  case $name in
    spin) take=$lock give=$unlock ;;
    bits) take="again: $asm goto(\"lock btsl \$3, %0; jc %l1\" :: \"m\"(lock) : \"memory\", \"cc\" : again)" give="$asm(\"lock; btrl \$3, %0\" : \"+m\"(lock) :: \"memory\")" ;;
    far) take="long n = 99; again: $asm goto(\"lock btsq %1, %0; jc %l2\" :: \"m\"(table[0]), \"r\"(n) : \"memory\", \"cc\" : again)" give="$asm(\"lock; btrl \$3, %0\" : \"+m\"(table[3]) :: \"memory\")" ;;
    tight) take="int one = 1; $asm(\"1: movl \$1, %0; xchgl %0, %1; testl %0, %0; jz 3f; 2: pause; cmpl \$0, %1; jne 2b; jmp 1b; 3:\" : \"+r\"(one), \"+m\"(lock) :: \"memory\", \"cc\")" give=$unlock ;;
  esac
  locked $name "$take" "$give" 0; says 'verdict: linearizable'
  locked ${name}_held "$take" "" 1; says 'Livelock: thread'
done
locked untaken "int got = 1; $asm(\"xchgl %0, %1\" : \"+r\"(got), \"+m\"(lock) :: \"memory\")" "$unlock" 1; says 'data race'

# Registers, flags and what lies below the stack pointer stay as they are.
keeps() { # NAME FUNCTION
  cat >"$1.c" <<END2
#include <asif.h>
#include <immintrin.h>
static int x;
int y;
static double d = 1.5;
$2
static int fetch_add(void) { int v = __atomic_fetch_add(&x, 1, 5); return v + f(v) - v; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END2
  for compiler in $compilers; do CC=$compiler run 0 "$asif" test "$1.c" -n 2 -o 2 -- ${3:-}; says 'verdict: linearizable'; done
}
general='rax rbx rcx rdx rsi rdi r8 r9 r10 r11 r12 r13 r14 r15'
set='' sum='' clobbers='"memory"' n=1
for r in $general; do set="$set movq \$$n, %%$r;" sum="$sum subq \$$n, %%$r; jnz 9f;" clobbers="$clobbers, \"$r\"" n=$((n + 1)); done
keeps registers "static int f(int v) { $asm(\"$set cmpl \$9, y(%%rip); lock addl \$1, y(%%rip); subq \$0, %%rbx; $sum jmp 8f; 9: ud2; 8:\" ::: $clobbers); return v; }"
keeps flags "static int f(int v) { char c, z, s, o; $asm(\"movb \$127, %%al; addb \$1, %%al; movl y(%%rip), %%ecx; setc %0; setz %1; sets %2; seto %3; stc; movl %%ecx, y(%%rip); adcl \$0, %%ecx\" : \"=m\"(c), \"=m\"(z), \"=m\"(s), \"=m\"(o) :: \"rax\", \"rcx\", \"memory\", \"cc\"); if (c || z || !s || !o) __builtin_trap(); return v; }"
keeps direction "static int f(int v) { long a = 1, b; char t[2] = {1, 2}; $asm(\"std; movl y(%%rip), %%ecx; movl \$2, %%ecx; leaq 1(%1), %%rsi; xorl %%eax, %%eax; 1: lodsb; decl %%ecx; jnz 1b; cld; movzbl %%al, %%eax\" : \"=a\"(b) : \"r\"(t) : \"rcx\", \"rsi\", \"memory\", \"cc\"); if (b != a) __builtin_trap(); return v; }"
keeps red "__attribute__((noinline)) static int g(const int *p) { int v, i; int t[8]; for (i = 0; i < 8; i++) ((volatile int *)t)[i] = i; $asm(\"movl %1, %0\" : \"=r\"(v) : \"m\"(*p)); for (i = 0; i < 8; i++) v += ((volatile int *)t)[i]; return v; } static int f(int v) { if (g(&y) != 28) __builtin_trap(); return v; }" -O2
keeps red_plain "static int f(int v) { int got; $asm(\"movl \$7, -100(%%rsp); movl y(%%rip), %0; movl -100(%%rsp), %0\" : \"=r\"(got)); return v + got - 7; }" -O0
keeps red_inlined "static int f(int v) { int got; $asm(\"movl \$7, -100(%%rsp); movl y(%%rip), %0; movl -100(%%rsp), %0\" : \"=r\"(got)); return v + got - 7; }" -O2
vectors='' check=''
for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  vectors="$vectors movl \$$((n + 3)), %%eax; movd %%eax, %%xmm$n;" check="$check movd %%xmm$n, %%eax; subl \$$((n + 3)), %%eax; jnz 9f;"
done
xmm=$(for n in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do printf ', "xmm%d"' $n; done)
keeps vectors "static int f(int v) { $asm(\"$vectors lock; incl y(%%rip); movl y(%%rip), %%eax; $check jmp 8f; 9: ud2; 8:\" ::: \"rax\", \"memory\", \"cc\"$xmm); return v; }"
keeps doubles "static int f(int v) { double e = d; $asm(\"lock; incl %0\" : \"+m\"(y)); return e == 1.5 ? v : 9; }" -O2
if grep -q -w avx2 /proc/cpuinfo; then
  keeps wide "static int f(int v) { __m256i a = _mm256_set1_epi64x(v + 1), b; $asm(\"vmovdqa %1, %%ymm9; lock; incl y(%%rip); vmovdqa %%ymm9, %0\" : \"=x\"(b) : \"x\"(a) : \"ymm9\", \"memory\"); if (_mm256_extract_epi64(b, 3) != v + 1) __builtin_trap(); return v; }" '-mavx2 -O2'
fi

# Sixteen bytes at once; a thread's own stack that another knows of (a queue lock); loops that end with `loop` and jrcxz.
counter sixteen "long a = 0, b = 0; char z; do { $asm(\"lock; cmpxchg16b %3; sete %0\" : \"=q\"(z), \"+a\"(a), \"+d\"(b), \"+m\"(pair) : \"b\"(a + 1), \"c\"(b + 1) : \"memory\", \"cc\"); if (a != b) __builtin_trap(); } while (!z); int v = a"
sed -i 's/&x, 5/pair, 5/' sixteen.c; run 0 "$asif" test sixteen.c -n 2 -o 1
right loops "long n = 2; int v; $asm(\"1: jrcxz 2f; movl %1, %%eax; movl %2, %%eax; incl %3; loop 1b; 2:\" : \"+c\"(n), \"+m\"(table[1]), \"+m\"(table[2]), \"+m\"(table[3]) :: \"rax\", \"memory\", \"cc\"); v = __atomic_fetch_add(p, 1, 5)"
cat >mcs.c <<'END2'
#include <asif.h>
struct node { struct node *next; int wait; };
static struct node *tail;
static int x;
#define LOAD(v, at) __asm__ volatile("mov %1, %0" : "=r"(v) : "m"(at) : "memory")
#define STORE(v, at) __asm__ volatile("mov %1, %0" : "=m"(at) : "r"(v) : "memory")
static int fetch_add(void) {
  struct node me = {0, 1}, *before = &me, *next, *expected = &me;
  int wait, v;
  __asm__ volatile("xchgq %0, %1" : "+r"(before), "+m"(tail) :: "memory");
  if (before) {
    STORE(&me, before->next);
    do { __asm__ volatile("pause"); LOAD(wait, me.wait); } while (wait);
  }
  v = x++;
  LOAD(next, me.next);
  if (!next) {
    __asm__ volatile("lock; cmpxchgq %2, %1" : "+a"(expected), "+m"(tail) : "r"((struct node *)0) : "memory");
    if (expected == &me) return v;
    do LOAD(next, me.next); while (!next);
  }
  WAIT
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END2
for compiler in $compilers; do
  CC=$compiler run 0 "$asif" test mcs.c -n 2 -o 2 -- '-DWAIT=STORE(0, next->wait);'; says 'verdict: linearizable'
  CC=$compiler run 1 "$asif" test mcs.c -n 2 -o 1 -- -DWAIT=; says 'Livelock: thread'
done

# A loop that waits is found among other accesses too, whatever their hooks leave in registers: as many schedules as with builtins, where none is left out.
cat >waits.c <<'END2'
#include <asif.h>
#include <stdatomic.h>
static int lock, x, plain = 3;
static double real;
static atomic_int other;
#ifdef BUILTINS
#define EXCHANGE(v) v = __atomic_exchange_n(&lock, v, __ATOMIC_SEQ_CST)
#define GIVE __atomic_store_n(&lock, 0, __ATOMIC_RELEASE)
#else
#define EXCHANGE(v) __asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(lock) :: "memory")
#define GIVE __asm__ volatile("movl $0, %0" : "=m"(lock) :: "memory")
#endif
static int fetch_add(void) {
  int got;
  double r = 0;
  do {
    got = 1 + (plain == 99);
    if (ATOMIC) atomic_load(&other);
    if (REAL) r = real * 2;
    EXCHANGE(got);
  } while (got);
  int v = x++ + (int)r;
  GIVE;
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END2
for compiler in $compilers; do
  for flags in '-DATOMIC=0 -DREAL=0' '-DATOMIC=0 -DREAL=1 -O2' '-DATOMIC=1 -DREAL=1'; do
    [ "$compiler" = gcc ] || [ "${flags#*ATOMIC=1}" != "$flags" ] || continue
    clients="-n 3 -o 1" && [ "${flags#*ATOMIC=1}" = "$flags" ] || clients="-n 2 -o 1"
    for races in yes $([ "$compiler" = gcc ] && echo no); do
      CC=$compiler run 0 "$asif" test waits.c $clients --races $races --loops explore --memory sc -- $flags; says 'verdict: linearizable'
      schedules=$(grep -o '[0-9]* schedules' "$scratch/out")
      CC=$compiler run 0 "$asif" test waits.c $clients --races $races --loops explore --memory sc -- $flags -DBUILTINS; says "; counter, $schedules, "
    done
  done
done
# An iteration that changed nothing is not gone on with, as with builtins.
schedules=
for flags in '' -DBUILTINS; do
  run 0 "$asif" test waits.c -n 3 -o 1 --memory sc -- -DATOMIC=0 -DREAL=0 $flags; says 'verdict: linearizable'
  [ -z "$schedules" ] || says "; counter, $schedules, "
  schedules=$(grep -o '[0-9]* schedules' "$scratch/out")
done

# Order: a plain store releases and a plain load acquires; fences; accesses of more than a word are not atomic.
published() { # NAME STORE LOAD STATUS
  cat >"$1.c" <<END2
#include <asif.h>
static long data, pair[2] __attribute__((aligned(16)));
static int ready;
static void put(int v) { data = v; $2; }
static int get(void) { int r; $3; return r ? data : 0; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END2
  run "$4" "$asif" test "$1.c" --client 'write(1) | read() read()'
}
store="$asm(\"movl \$1, %0\" : \"=m\"(ready) :: \"memory\")" load="$asm(\"movl %1, %0\" : \"=r\"(r) : \"m\"(ready) : \"memory\")"
published moved "$store" "$load" 0; says 'verdict: linearizable'
published fenced "$asm(\"sfence\" ::: \"memory\"); __atomic_store_n(&ready, 1, 0)" "r = __atomic_load_n(&ready, 0); $asm(\"lfence\" ::: \"memory\")" 0
published unfenced "__atomic_store_n(&ready, 1, 0)" "r = __atomic_load_n(&ready, 0); $asm(\"lfence\" ::: \"memory\")" 1; says 'data race'
published mixed "$asm(\"mfence; movl \$1, %0\" : \"=m\"(ready) :: \"memory\")" "$asm(\"movl %1, %0; mfence\" : \"=r\"(r) : \"m\"(ready) : \"memory\")" 0
published wide "$asm(\"movdqa %%xmm0, %0\" : \"=m\"(pair) :: \"memory\"); $store" "$asm(\"movdqa %1, %%xmm0; movl \$1, %0\" : \"=r\"(r) : \"m\"(pair) : \"xmm0\", \"memory\")" 1; says 'data race'
published racy "$asm(\"movl \$1, %0\" : \"=m\"(ready) :: \"memory\")" "r = ready" 1; says 'data race'
published copied "$asm(\"rep movsb\" :: \"S\"(&data), \"D\"(pair), \"c\"(8L) : \"memory\"); $store" "$asm(\"lodsq\" :: \"S\"(pair) : \"rax\", \"memory\"); r = 0" 1; says 'data race'

# Freed memory is found, also by an instruction that only compares.
cat >freed.c <<'END2'
#include <asif.h>
#include <stdlib.h>
static int *p;
static int fetch_add(void) {
  int *q = __atomic_exchange_n(&p, NULL, 5), v;
  char z;
  free(q);
  __asm__ volatile("cmpl $3, %1; sete %0" : "=q"(z) : "m"(*q) : "memory");
  return z;
}
static void start(void) { p = malloc(sizeof *p); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
ASIF_INIT(start)
END2
run 1 "$asif" test freed.c -n 1 -o 1; says 'use after free'; says 'freed.c:8'

# With `asif cc`, with and without information for debuggers; in an ordinary program the assembly is as it was.
counter object "int v = 1; $asm(\"lock; xaddl %0, %1\" : \"+r\"(v), \"+m\"(*p) :: \"memory\")"
for compiler in $compilers; do
  for flags in -g0 '-g -O2' -O0; do
    ASIF_CC=$compiler run 0 asif cc $flags -c object.c -I"$root/include"
    run 0 "$asif" test object.o -n 2 -o 1; says 'verdict: linearizable'
  done
  cat >program.c <<'END2'
#include <stdio.h>
int x;
int main(void) { int v = 2; __asm__ volatile("lock; xaddl %0, %1; movl %1, %0" : "+r"(v), "+m"(x) :: "memory"); printf("%d\n", v); return 0; }
END2
  ASIF_CC=$compiler run 0 asif cc program.c -o program
  if [ "$(./program 2>&1)" != 2 ] && ! ./program 2>&1 | grep -q 'unexpected memory mapping'; then fail "the program says $(./program 2>&1)"; fi
done
exit 0
