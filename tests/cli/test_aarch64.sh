#!/bin/bash
# Inline assembly of aarch64 under the scheduler: every instruction that accesses memory is a point, and nothing else changes. On another machine
# asif is compiled for aarch64 and runs in an emulator: that takes minutes, so only if ASIF_LONG.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp bin tools
emulator=
if [ "$(uname -m)" != aarch64 ]; then
  [ -n "${ASIF_LONG:-}" ] || { echo 'skipped: on this machine only with ASIF_LONG, in an emulator'; exit 77; }
  prefix=aarch64-linux-gnu
  for tool in $prefix-gcc qemu-aarch64; do
    command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
  done
  env -u MAKEFLAGS -u MFLAGS make -C "$root" B=build/aarch64 CC=$prefix-gcc BUILD_CC=cc WERROR=1 build/aarch64/asif >made 2>&1 || fail "it cannot be compiled: $(tail -5 made)"
  # The compiler is this machine's own: the assembler that it calls is run in the emulator too.
  cat >bin/cross <<END2
#!/bin/bash
words=()
for word; do
  case \$word in -B*/asif-*/) word=-B$scratch/tools/ ;; esac
  words+=("\$word")
done
exec $prefix-gcc "\${words[@]}"
END2
  printf '#!/bin/sh\nexec qemu-aarch64 -0 /as %s "$@"\n' "$root/build/aarch64/asif" >tools/as
  printf '#!/bin/sh\nexec qemu-aarch64 %s "$@"\n' "$root/build/aarch64/asif" >bin/asif
  for tool in objdump addr2line; do ln -s "$(command -v $prefix-$tool)" bin/$tool; done
  chmod +x bin/cross bin/asif tools/as
  export QEMU_LD_PREFIX=/usr/$prefix ASIF_AS=$prefix-as CC=cross ASIF_CC=cross PATH=$PWD/bin:$PATH
  asif=$PWD/bin/asif emulator=qemu-aarch64
fi
asm=__asm__\ volatile

counter() { # NAME STATEMENTS: fetch_add
  cat >"$1.c" <<END2
#include <asif.h>
int x, lock, data;
long pair[2] __attribute__((aligned(16)));
static int fetch_add(void) { int *p = &x; $2; return v; }
static int get(void) { return __atomic_load_n(&x, 5); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
ASIF_OP_AS(read, get)
END2
}
right() { # NAME STATEMENTS
  counter "$1" "$2"
  run 0 "$asif" test "$1.c" -n 2 -o 1 -- ${3:-}; says 'verdict: linearizable'
  ! grep -q 'without hooks' out || fail "$1 has no hooks: $out"
}
wrong() { # NAME STATEMENTS: a history is wrong, and the run is told
  counter "$1" "$2"
  run 1 "$asif" test "$1.c" -n 2 -o 1 -- ${3:-}; says 'verdict: not linearizable'
}
unknown() { # NAME STATEMENTS
  counter "$1" "$2"
  run 3 "$asif" test "$1.c" -n 2 -o 1 -- ${3:-}; says 'verdict: unknown'; says "$1.c:4"
}
lse=-march=armv8.1-a

# Code with the compiler's own atomics; loops that wait are found.
run 0 "$asif" test "$root/objects/treiber_stack.c" -n 2 -o 1; says 'verdict: linearizable'
run 1 "$asif" test "$root/objects/treiber_stack_free.c" -n 2 -o 2; says 'use after free'
counter builtins "while (__atomic_exchange_n(&lock, 1, 2)) ; int v = *p; *p = v + 1; __atomic_store_n(&lock, 0, 3)"
run 0 "$asif" test builtins.c --client 'fetch_add() | fetch_add() | fetch_add()'; says 'verdict: linearizable'

# A load and a store are two steps. A load-exclusive and a store-exclusive too, but the second fails if others have written.
wrong moves "int v, w; $asm(\"ldr %w0, [%2]; add %w1, %w0, #1; str %w1, [%2]\" : \"=&r\"(v), \"=&r\"(w) : \"r\"(p) : \"memory\")"
says 'load x -> 0'; says 'store x = 1'; says 'moves.c:4'
exclusive="int v, w, s; $asm(\"1: ldxr %w0, [%3]; add %w1, %w0, #1; stxr %w2, %w1, [%3]"
right exclusive "$exclusive; cbnz %w2, 1b\" : \"=&r\"(v), \"=&r\"(w), \"=&r\"(s) : \"r\"(p) : \"memory\")"
# The status is not looked at: what was not stored is lost.
wrong lost "$exclusive\" : \"=&r\"(v), \"=&r\"(w), \"=&r\"(s) : \"r\"(p) : \"memory\")"
# Somebody writes the same value in between: it fails.
right same "int v, w, s; $asm(\"1: ldxr %w0, [%3]; add %w1, %w0, #1; str wzr, [%4]; stxr %w2, %w1, [%3]; cbnz %w2, 1b\" : \"=&r\"(v), \"=&r\"(w), \"=&r\"(s) : \"r\"(p), \"r\"(&data) : \"memory\")"
cat >rewritten.c <<END2
#include <asif.h>
static int x = 1;
/* Does a store-exclusive fail after others have stored what was there? */
static int swap(void) { int v, s; $asm("ldxr %w0, [%2]; stxr %w1, %w0, [%2]" : "=&r"(v), "=&r"(s) : "r"(&x) : "memory"); return s; }
static int put(void) { $asm("str %w0, [%1]" :: "r"(1), "r"(&x) : "memory"); return 0; }
ASIF_OBJECT(self)
ASIF_OP(swap)
ASIF_OP(put)
END2
run 1 "$asif" test rewritten.c --client 'swap() | put()'; says 'swap() -> 1'
# Without a load-exclusive there is nothing to be stored.
wrong unlinked "int v = x, w = v + 1, s; $asm(\"clrex; stxr %w0, %w1, [%2]\" : \"=&r\"(s) : \"r\"(w), \"r\"(p) : \"memory\"); v = s + 5"
counter pairs "long v, w, s; $asm(\"1: ldaxp %0, %1, [%3]; add %0, %0, #1; add %1, %1, #1; stlxp %w2, %0, %1, [%3]; cbnz %w2, 1b\" : \"=&r\"(v), \"=&r\"(w), \"=&r\"(s) : \"r\"(pair) : \"memory\"); if (w-- != v--) __builtin_trap()"
sed -i 's/&x, 5/pair, 5/' pairs.c; run 0 "$asif" test pairs.c -n 2 -o 1; says 'verdict: linearizable'
right narrow "int v, w, s; $asm(\"1: ldaxrb %w0, [%3]; add %w1, %w0, #1; stlxrb %w2, %w1, [%3]; cbnz %w2, 1b\" : \"=&r\"(v), \"=&r\"(w), \"=&r\"(s) : \"r\"(p) : \"memory\")"

# One step that reads and writes.
right added "int v; $asm(\"ldaddal %w1, %w0, [%2]\" : \"=&r\"(v) : \"r\"(1), \"r\"(p) : \"memory\")" $lse
wrong stadd "int v; $asm(\"stadd %w1, [%2]; ldr %w0, [%2]\" : \"=&r\"(v) : \"r\"(1), \"r\"(p) : \"memory\"); v--" $lse
right compared "int v, w; do { v = __atomic_load_n(p, 0); w = v; $asm(\"casal %w0, %w1, [%2]\" : \"+&r\"(w) : \"r\"(v + 1), \"r\"(p) : \"memory\"); } while (v != w)" $lse
wrong ignored "int v = __atomic_load_n(p, 0), w = v; $asm(\"cas %w0, %w1, [%2]\" : \"+&r\"(w) : \"r\"(v + 1), \"r\"(p) : \"memory\")" $lse

# Locks: right, one that does not release, one that does not acquire, one that is never given back; asm goto; wfe and yield.
take() { echo "int got; $asm(\"1: ${2:-}; ld$1r %w0, [%1]; cbnz %w0, 1b; stxr %w0, %w2, [%1]; cbnz %w0, 1b\" : \"=&r\"(got) : \"r\"(&lock), \"r\"(1) : \"memory\"); int v = *p; *p = v + 1"; }
give() { echo "$asm(\"$1 wzr, [%0]\" :: \"r\"(&lock) : \"memory\")"; }
locked() { # NAME STATUS TAKE GIVE FLAGS
  counter "$1" "$3; $4"
  sed -i '/read, get/d' "$1.c"
  run "$2" "$asif" test "$1.c" -n 2 -o 1 -- ${5:-}
}
locked lock 0 "$(take ax)" "$(give stlr)"
locked yields 0 "$(take ax yield)" "$(give stlr)"
locked waits 0 "$(take ax wfe)" "$(give 'dmb ish; str')"
locked unreleased 1 "$(take ax)" "$(give str)"; says 'data race'
locked unacquired 1 "$(take x)" "$(give stlr)"; says 'data race'
locked held 1 "$(take ax)" ""; says 'Livelock: thread'
locked swapped 0 "int got; do $asm(\"swpa %w1, %w0, [%2]\" : \"=&r\"(got) : \"r\"(1), \"r\"(&lock) : \"memory\"); while (got); int v = *p; *p = v + 1" "$(give 'swpl wzr,')" $lse
locked jumps 0 "again: __asm__ goto(\"ldaxr w9, [%0]; tbnz w9, #0, %l1; mov w10, #1; stxr w9, w10, [%0]; cbnz w9, %l1\" :: \"r\"(&lock) : \"memory\", \"w9\", \"w10\" : again); int v = *p; *p = v + 1" "$(give stlr)"

# Order: relaxed, unless its name says otherwise; fences; pairs are not atomic.
published() { # NAME STORE LOAD STATUS
  cat >"$1.c" <<END2
#include <asif.h>
static long data, pair[2] __attribute__((aligned(16)));
static int ready;
static void put(int v) { data = v; $asm("$2" :: "r"(&ready), "r"(1), "r"(pair) : "memory"); }
static int get(void) { int r; $asm("$3" : "=&r"(r) : "r"(&ready), "r"(pair) : "x9", "x10", "memory"); return r ? data : 0; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END2
  run "$4" "$asif" test "$1.c" --client 'write(1) | read() read()'
  [ "$4" = 0 ] || says 'data race'
}
published both 'stlr %w1, [%0]' 'ldar %w0, [%1]' 0
published only_stores 'stlr %w1, [%0]' 'ldr %w0, [%1]' 1
published only_loads 'str %w1, [%0]' 'ldar %w0, [%1]' 1
published full 'dmb ish; str %w1, [%0]' 'ldr %w0, [%1]; dmb sy' 0
published halves 'dmb ishst; str %w1, [%0]' 'ldr %w0, [%1]; dmb ishld' 0
published exchanged 'dmb ishld; str %w1, [%0]' 'ldr %w0, [%1]; dmb ishst' 1
published synchronized 'dsb sy; str %w1, [%0]' 'ldr %w0, [%1]; isb' 0
published two 'stp %1, %1, [%2]; stlr %w1, [%0]' 'ldp x9, x10, [%2]; mov %w0, #0' 1

# Registers, flags and addresses of every form: the values are what they are without hooks.
cat >values.c <<'END2'
#include <asif.h>
#include <string.h>
static int n;
static unsigned char m[16384] __attribute__((aligned(4096)));
static long at(long i, int size) { long v = 0; memcpy(&v, m + i, size); return v; }
static void is(long a, long b) { if (a != b) __builtin_trap(); }
#define LOAD(text, expected) { long v = -1; unsigned char *p = m + 64; __asm__ volatile("mov x9, #2; mov w10, #-8; " text : "=&r"(v), "+r"(p) :: "x9", "x10", "memory"); is(v, expected); is(p - m, 64 + MOVED); }
#define STORE(text, where, size, expected) { unsigned char *p = m + 64; __asm__ volatile("mov x9, #2; mov w10, #-8; " text : "+r"(p) : "r"(0x1122334455667788) : "x9", "x10", "v0", "memory"); is(at(where, size), expected); }
#define LSE(text, old, now) { long v = 5, w = 3; memcpy(m + 64, &v, 8); __asm__ volatile(text : "+&r"(v) : "r"(w), "r"(m + 64) : "memory"); is(v, old); is(at(64, 8), now); }
static void values(void) {
  for (int i = 0; i < 8300; i = i == 160 ? 8192 : i + 1) m[i] = i * 7 + (i >> 8) + 129;
#define MOVED 0
  LOAD("ldr %0, [%1]", at(64, 8))
  LOAD("ldr %w0, [%1, #12]", at(76, 4))
  LOAD("ldr %0, [%1, 8176]", at(64 + 8176, 8))
  LOAD("ldur %0, [%1, #-16]", at(48, 8))
  LOAD("ldrb %w0, [%1, x9]", at(66, 1))
  LOAD("ldrh %w0, [%1, x9, lsl #1]", at(68, 2))
  LOAD("ldr %0, [%1, x9, lsl #3]", at(80, 8))
  LOAD("ldr %0, [%1, w10, sxtw]", at(56, 8))
  LOAD("ldr %0, [%1, w9, uxtw #3]", at(80, 8))
  LOAD("ldrsb %0, [%1, #3]", (signed char)at(67, 1))
  LOAD("ldrsh %0, [%1, #2]", (short)at(66, 2))
  LOAD("ldrsw %0, [%1, #4]", (int)at(68, 4))
  LOAD("LDAR %0, [%1]", at(64, 8))
  LOAD("ldarb %w0, [%1] // a comment, [x0]", at(64, 1))
  LOAD("ldxrh %w0, [%1] /* another; ldr */", at(64, 2))
  LOAD("ldp x9, %0, [%1, #16]", at(88, 8))
  LOAD("ldp %w0, w9, [%1, #-8]", at(56, 4))
#undef MOVED
#define MOVED 8
  LOAD("ldr %0, [%1, #8]!", at(72, 8))
  LOAD("ldr %0, [%1], #8", at(64, 8))
#undef MOVED
#define MOVED -16
  LOAD("ldp %0, x9, [%1], #-16", at(64, 8))
  STORE("str %1, [%0]", 64, 8, 0x1122334455667788)
  STORE("strb %w1, [%0, x9]", 66, 1, 0x88)
  STORE("strh %w1, [%0, #6]!", 70, 2, 0x7788)
  STORE("str %w1, [%0], 4", 64, 4, 0x55667788)
  STORE("stp %w1, wzr, [%0, #32]", 96, 8, 0x55667788)
  STORE("stlr %1, [%0]", 64, 8, 0x1122334455667788)
  STORE("fmov d0, %1; str d0, [%0, #40]", 104, 8, 0x1122334455667788)
  STORE("ldxr x9, [%0]; stxr w10, %1, [%0]; cbz w10, 1f; brk #1; 1:", 64, 8, 0x1122334455667788)
  STORE("str %1, [sp, #-32]!; ldr x9, [sp]; str x9, [%0]; ldr x10, [sp], #32", 64, 8, 0x1122334455667788)
  LSE("swp %1, %0, [%2]", 5, 3)
  LSE("ldadd %1, %0, [%2]", 5, 8)
  LSE("ldclr %1, %0, [%2]", 5, 4)
  LSE("ldeoral %1, %0, [%2]", 5, 6)
  LSE("ldsetb %w1, %w0, [%2]", 5, 7)
  LSE("ldsmaxh %w1, %w0, [%2]", 5, 5)
  LSE("lduminl %1, %0, [%2]", 5, 3)
  LSE("stadd %1, [%2]", 5, 8)
  LSE("cas %0, %1, [%2]", 5, 3)
  LSE("mov %0, #9; casa %0, %1, [%2]", 5, 5)
  LSE("mov %0, #0x105; casb %w0, %w1, [%2]", 5, 3)
#define PAIR "ldp x2, x3, [%0]; mov x4, #1; mov x5, #2; "
  __asm__ volatile(PAIR "add x3, x3, #1; caspal x2, x3, x4, x5, [%0]" :: "r"(m + 64) : "x2", "x3", "x4", "x5", "memory");
  is(at(64, 8), 3);
  __asm__ volatile(PAIR "caspal x2, x3, x4, x5, [%0]" :: "r"(m + 64) : "x2", "x3", "x4", "x5", "memory");
  is(at(64, 8), 1), is(at(72, 8), 2);
}
#define EACH(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) F(18) F(19) F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28)
static void registers(void) {
#define SET(n) "mov x" #n ", #" #n "+77\n"
#define SEEN(n) "cmp x" #n ", #" #n "+77\n b.ne 9f\n"
#define NAME(n) "x" #n,
  __asm__ volatile("adrp x30, n\n add x30, x30, :lo12:n\n" EACH(SET) "ldr wzr, [x30]\n dmb ish\n str wzr, [x30]\n stlr wzr, [x30]\n" EACH(SEEN) "b 8f\n9: brk #1\n8:" ::: EACH(NAME) "x30", "cc", "memory");
#define VSET(n) "mov w0, #" #n "+77\n dup v" #n ".4s, w0\n"
#define VSEEN(n) "mov w0, v" #n ".s[3]\n cmp w0, #" #n "+77\n b.ne 9f\n"
#define VNAME(n) "v" #n,
  __asm__ volatile(EACH(VSET) "ldr wzr, [%0]\n dmb ish\n str wzr, [%0]\n" EACH(VSEEN) "b 8f\n9: brk #1\n8:" :: "r"(&n) : EACH(VNAME) "w0", "cc", "memory");
  int less, carry, same;
  __asm__ volatile("mov w9, #3; cmp w9, #5; ldr w9, [%3]; str w9, [%3]; cset %w0, lt; cset %w1, hs; yield; cset %w2, eq" : "=&r"(less), "=&r"(carry), "=&r"(same) : "r"(&n) : "w9", "cc", "memory");
  is(less, 1), is(carry, 0), is(same, 0);
}
static int fetch_add(void) { static int x; return __atomic_fetch_add(&x, 1, 5); }
static int check(void) { values(); registers(); return 0; }
ASIF_OBJECT(self)
ASIF_OP(fetch_add)
ASIF_OP(check)
END2
for flags in -O1 -O2 -O0; do run 0 "$asif" test values.c --client 'check() fetch_add()' -- $lse $flags; says 'verdict: linearizable'; done
! grep -q 'without hooks' out || fail "$out"

# What is not known stays unknown, with its line.
unknown vectors "int v; $asm(\"ld1 {v0.4s}, [%1]; mov %w0, v0.s[0]\" : \"=r\"(v) : \"r\"(p) : \"v0\", \"memory\")"; says 'ld1 {v0.4s}'
unknown called "int v = 0; $asm(\"bl get\" ::: \"x30\", \"memory\")"
unknown zeroed "int v = 0; $asm(\"dc zva, %0\" :: \"r\"(p) : \"memory\")"
unknown numbers "int v = 0; $asm(\".inst 0xd503201f\" ::: \"memory\")"
unknown thread "long v; $asm(\"mrs %0, tpidr_el0\" : \"=r\"(v)); v = 0"

# In an ordinary program a store-exclusive is what it was. (The sanitizer's library does not run in an emulator: stubs are in its place.)
cat >program.c <<'END2'
#include <pthread.h>
#include <stdio.h>
static int x;
static void *run(void *unused) {
  int v, w, s;
  for (int i = 0; i < 20000; i++)
    __asm__ volatile("1: ldxr %w0, [%3]; add %w1, %w0, #1; stxr %w2, %w1, [%3]; cbnz %w2, 1b" : "=&r"(v), "=&r"(w), "=&r"(s) : "r"(&x) : "memory");
  return unused;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, run, 0);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  printf("%d\n", x);
  return 0;
}
END2
echo 'void __tsan_init(void) {} void __tsan_read4(void *p) { (void)p; } void __tsan_read8(void *p) { (void)p; }' >stubs.c
run 0 "$asif" cc -O1 -c program.c -o program.o
run 0 ${CC:-cc} -pthread program.o stubs.c -o program
run 0 $emulator ./program; [ "$out" = 40000 ] || fail "the program says $out"
exit 0
