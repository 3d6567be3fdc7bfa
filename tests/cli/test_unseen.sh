#!/bin/bash
# Code that the hooks cannot see: assembly, archives and shared libraries compiled without hooks. No verdict rests on it.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp bin && ln -s "$asif" bin/asif && PATH=$PWD/bin:$PATH
compilers=$(command -v gcc >/dev/null && echo gcc) && command -v clang >/dev/null && compilers="$compilers clang"
x86=$(uname -m | grep -c x86_64)
nothing_left() { [ -z "$(ls tmp)" ] || fail "left: $(ls tmp)"; }

counter() { # NAME STATEMENTS: fetch_add with what may be in assembly
  cat >"$1.c" <<END2
#include <asif.h>
#include <stdatomic.h>
static int x;
static atomic_int y;
static inline int add(int *p) {
  $2
}
static int fetch_add(void) { atomic_load(&y); return add(&x); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END2
}
if [ "$x86" = 1 ]; then
  # Accesses that cannot be announced make the verdict unknown, with the line; test_assembly.sh has those that can.
  counter broken 'int v; __asm__ volatile("fildl %1; fistpl %0" : "=m"(v) : "m"(*p) : "memory"); __asm__ volatile("movl %1, %0" : "=m"(*p) : "r"(v + 1)); return v;'
  counter segment 'int v; __asm__ volatile("movl %%fs:0, %0" : "=r"(v)); return v & 0 ? v : (*p)++;'
  counter numbers 'int v = 1; __asm__ volatile(".byte 0xf0, 0x0f, 0xc1, 0x07" : "+a"(v) : "D"(p) : "memory"); return v;'
  counter strings 'int v = 0, *q = p; long n = 1; __asm__ volatile("repne scasl" : "+a"(v), "+D"(q), "+c"(n) :: "memory"); return (*p)++;'
  counter leaves 'extern int other(void); int v; __asm__ volatile("jmp other@PLT" : "=a"(v) :: "memory"); return v + *p;'
  counter prefix 'int v = 1; __asm__ volatile("jmp 1f; lock; 1: xaddl %0, %1" : "+r"(v), "+m"(*p) :: "memory"); return v;'
  counter system 'long v = 39; __asm__ volatile("syscall" : "+a"(v) :: "rcx", "r11", "memory"); return (int)v & 0 ? 0 : __atomic_fetch_add(p, 1, 5);'
  counter called 'extern int other(void); int v; __asm__ volatile("call other@PLT" : "=a"(v) :: "rcx", "rdx", "rsi", "rdi", "memory"); return v + *p;'
  echo 'int other(void) { return 0; }' >other.c
  counter intel 'int v = 1; __asm__ volatile(".intel_syntax noprefix\n lock xadd dword ptr [%1], %k0\n .att_syntax" : "+r"(v) : "r"(p) : "memory"); return v;'
  counter words 'int v = 1; __asm__ volatile(".4byte 0x07c10ff0" : "+a"(v) : "D"(p) : "memory"); return v;'
  counter string 'int v = 1; __asm__ volatile(".ascii \"\\xf0\\x0f\\xc1\\x07\"" : "+a"(v) : "D"(p) : "memory"); return v;'
  # A breakpoint accesses nothing: where a run comes to one, it is a crash.
  counter stops 'int v = __atomic_fetch_add(p, 1, 5); if (v > 9) __asm__ volatile("int $03"); return v;'
  run 0 "$asif" test stops.c -n 2 -o 1; says 'verdict: linearizable'; case $out in *'int $'*) fail "a breakpoint is told: $out" ;; esac
  sed -i 's/v > 9/v > 0/' stops.c
  run 1 "$asif" test stops.c -n 2 -o 1; says 'verdict: violated: crash'
  # What is inlined several times is told once.
  counter ticks 'unsigned low, high; __asm__ volatile("rdtsc" : "=a"(low), "=d"(high)); return __atomic_fetch_add(p, 1, 5);'
  sed -i 's/return add(&x);/return y ? add(\&x) : add(\&x) \& 255;/' ticks.c
  run 0 "$asif" test ticks.c -n 2 -o 1; [ "$(grep -c rdtsc out)" = 1 ] || fail "rdtsc is not told once: $out"
  for compiler in $compilers; do
    for name in broken $([ "$compiler" = gcc ] && echo segment numbers strings system words string prefix); do
      CC=$compiler run 3 "$asif" test $name.c -n 2 -o 1; says "assembly that accesses memory, which has no hooks: $name.c:6: "; says 'verdict: unknown: '; silent
    done
    CC=$compiler run 3 "$asif" test called.c other.c -n 2 -o 1; says 'called.c:6: call'
    CC=$compiler run 3 "$asif" test leaves.c other.c -n 2 -o 1; says 'leaves.c:6: jmp'
  done
  run 3 "$asif" test broken.c -n 2 -o 1; says 'note: broken.c:6: fildl'
  CC=gcc run 3 "$asif" test intel.c -n 2 -o 1; says 'intel.c:6: '

  # A macro may be anything.
  counter macro 'int v = 1; __asm__ volatile("next" : "+a"(v) : "D"(p) : "memory"); return v;'
  sed -i '2i __asm__(".macro next\\n lock xaddl %eax, (%rdi)\\n .endm");' macro.c
  CC=gcc run 3 "$asif" test macro.c -n 2 -o 1; says 'macro.c:7: next'
  # Intrinsics that the compiler gives no hooks; others are seen.
  counter stream 'int v = __atomic_load_n(p, 5); _mm_stream_si32(p, v + 1); return v;'
  counter loaded 'int t[4], v; _mm_storeu_si128((__m128i *)t, _mm_lddqu_si128((__m128i *)p)); v = t[0]; __atomic_store_n(p, v + 1, 5); return v;'
  counter fenced '_mm_mfence(); _mm_pause(); return __atomic_fetch_add(p, 1, 5);'
  sed -i '1i #include <immintrin.h>' stream.c loaded.c fenced.c && sed -i 's/^static int x;/static int x __attribute__((aligned(16)));int more[4];/' loaded.c
  CC=gcc run 3 "$asif" test stream.c -n 2 -o 1 -- -msse3; says 'thread A comes to assembly that accesses memory, which has no hooks: '; says 'movnti'
  CC=gcc run 3 "$asif" test loaded.c -n 2 -o 1 -- -msse3; says 'lddqu'
  for compiler in $compilers; do CC=$compiler run 0 "$asif" test fenced.c -n 2 -o 1; says 'verdict: linearizable'; done

  # What touches no memory is fine: barriers, pauses, fences, numbers; assembly that no operation reaches; the stack.
  counter barrier '__asm__ volatile("" ::: "memory"); __asm__ volatile("# nothing" ::: "memory"); return __atomic_fetch_add(p, 1, 5);'
  counter pause '__asm__ volatile("pause"); __asm__ volatile("rep; nop" ::: "memory"); return __atomic_fetch_add(p, 1, 5);'
  counter fence '__asm__ volatile("mfence" ::: "memory"); __asm__ volatile("lock; addl $0,0(%%rsp)" ::: "memory"); return __atomic_fetch_add(p, 1, 5);'
  counter bits 'unsigned v; __asm__("bsrl %1, %0" : "=r"(v) : "r"(8)); return __atomic_fetch_add(p, v == 3, 5);'
  counter mine 'int v = 5, w; __asm__("movl %1, %0" : "=r"(w) : "m"(v)); return __atomic_fetch_add(p, w == 5, 5);'
  counter dead 'return __atomic_fetch_add(p, 1, 5); } int unused(int *p) { int v; __asm__("movl %1, %0" : "=r"(v) : "m"(*p)); return v;'
  for compiler in $compilers; do
    for name in barrier fence $([ "$compiler" = gcc ] && echo pause bits mine dead); do
      CC=$compiler run 0 "$asif" test $name.c -n 2 -o 1; says 'verdict: linearizable'
    done
  done
  counter jumps 'int v; __asm__ volatile("1: testl %1, %1\n jz 2f\n decl %1\n jmp 1b\n2: movl $0, %0" : "=r"(v), "+r"((int){3})); return v + __atomic_fetch_add(p, 1, 5);'
  sed -i 's/"+r"((int){3})/"+r"(n)/; s/int v; __asm__/int v, n = 3; __asm__/' jumps.c
  run 0 "$asif" test jumps.c -n 2 -o 1
  # A fence orders: what is published behind one does not race.
  cat >publish.c <<'END2'
#include <asif.h>
static int data;
static volatile int ready;
static void put(int v) { data = v; __asm__ volatile("mfence" ::: "memory"); ready = 1; }
static int get(void) { if (!ready) return 0; __asm__ volatile("mfence" ::: "memory"); return data; }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, put, ASIF_IN(1, 1))
ASIF_OP_AS(read, get)
END2
  run 0 "$asif" test publish.c --client 'write(1) | read() read()'; says 'verdict: linearizable'
  sed 's/__asm__ volatile("mfence" ::: "memory");//' publish.c >racy.c; run 1 "$asif" test racy.c --client 'write(1) | read() read()'; says 'data race'
  # Counters of the processor are told.
  counter ticks 'unsigned a, d; __asm__ volatile("rdtsc" : "=a"(a), "=d"(d)); return __atomic_fetch_add(p, 1 + (a & 0), 5);'
  run 0 "$asif" test ticks.c -n 2 -o 1; says 'note: ticks.c:6: rdtsc: reads a counter'

  # A violation that a run shows which does not come to assembly stands.
  cat >mixed.c <<'END2'
#include <asif.h>
static int x, z;
static int bad(void) { int v = __atomic_load_n(&x, 5); __atomic_store_n(&x, v + 1, 5); return v; }
static int never(void) { int v; __asm__("fildl %1; fistpl %0" : "=m"(v) : "m"(z)); return v; }
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, bad)
ASIF_OP_AS(read, never)
END2
  run 1 "$asif" test mixed.c -n 2 -o 1; says 'verdict: not linearizable'
  # In templates, in headers, outside of functions, and in files of its own.
  cat >shared.h <<'END2'
template <class T> T take(T *p) { T v; __asm__ volatile("fildl %1; fistpl %0" : "=m"(v) : "m"(*p)); return v; }
END2
  cat >one.cc <<'END2'
#include "shared.h"
#include <asif.h>
static int x;
int two(int *);
static int fetch_add() { int v = take(&x) + 0 * two(&x); __atomic_store_n(&x, v + 1, 5); return v; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END2
  printf '#include "shared.h"\nint two(int *p) { return take(p); }\n' >two.cc
  for compiler in $compilers; do
    CXX=$(echo "$compiler" | sed 's/gcc/g++/; s/clang/clang++/') run 3 "$asif" test one.cc two.cc -n 2 -o 1; says 'shared.h:1: fildl'
  done
  cat >outside.c <<'END2'
#include <asif.h>
int x, next(void);
__asm__(".globl next\n.type next, @function\nnext: movl $1, %eax\n pushfq\n fildl x(%rip)\n popfq\n lock xaddl %eax, x(%rip)\n ret\n");
static int fetch_add(void) { return next(); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END2
  cat >file.S <<'END2'
#define ONE $1
	.text
	.globl next
	.type next, @function
next:
	movl ONE, %eax
	lock xaddl %eax, counter(%rip)
	ret
	.data
counter: .long 0
	.section .note.GNU-stack,"",%progbits
END2
  sed '/^__asm__/d; s/int x, next/int next/' outside.c >calls.c
  for compiler in $compilers; do
    CC=$compiler run 3 "$asif" test outside.c -n 2 -o 1; says 'outside.c:'
    CC=$compiler run 3 "$asif" test calls.c file.S -n 2 -o 1; says 'file.S:6: next, which is written in assembly'
  done
  # In objects and archives made by asif cc, with no information for debuggers; stress runs the assembly itself.
  for compiler in $compilers; do
    ASIF_CC=$compiler run 0 asif cc -c -g0 broken.c -I"$root/include"; nothing_left
    run 3 "$asif" test broken.o -n 2 -o 1; says 'broken.c:'
  done
  ASIF_CC=gcc run 0 asif cc -c file.S; rm -f libnext.a; ar rcs libnext.a file.o
  run 3 "$asif" test calls.c libnext.a -n 2 -o 1; says 'file.S:6: next'
  run 0 "$asif" test prefix.c --stress --repeat 20 -n 1
fi

# Functions that the source keeps from having hooks have them.
for attribute in 'no_sanitize_thread' '__no_sanitize_thread__' 'no_sanitize("thread")' 'disable_sanitizer_instrumentation'; do
  cat >kept.c <<END
#include <asif.h>
static int x;
__attribute__(($attribute)) static int fetch_add(void) { int v = *(volatile int *)&x; *(volatile int *)&x = v + 1; return v; }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
  for compiler in $compilers; do CC=$compiler run 1 "$asif" test kept.c -n 2 -o 1; says 'verdict: not linearizable'; done
  ASIF_CC=gcc run 0 asif cc -c kept.c -I"$root/include"; run 1 "$asif" test kept.o -n 2 -o 1; says 'verdict: not linearizable'
done

# Functions of the C library that read and write for the code: seen, or refused where that is memory others may see.
text() { # NAME INC READ [LOCK]
  cat >"$1.c" <<END
#include <asif.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char x[16] = "0", *end;
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int equal(const void *a, const void *b) { return a == NULL && b == NULL; }
static void lock(void) { if ($4) pthread_mutex_lock(&m); }
static void unlock(void) { if ($4) pthread_mutex_unlock(&m); }
static void inc(void) { lock(); $2; unlock(); }
static int get(void) { int v = 0; lock(); $3; unlock(); return v; }
int use(void) { return equal(x, x) + n + (end != 0); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP_AS(read, get)
END
}
by_atoi='v = atoi(x)' add='__atomic_fetch_add(x, 1, 5)' load='v += __atomic_load_n(x, 5) - 48'
while IFS='|' read -r name inc get; do
  text $name "$inc" "$get" 0 && run 1 "$asif" test $name.c -n 2 -o 1; says 'data race'
  text $name "$inc" "$get" 1 && run 0 "$asif" test $name.c -n 2 -o 1; says 'verdict: linearizable'
done <<END
printed|char c = __atomic_load_n(x, 5); sprintf(x, "%d", c - 47)|v = __atomic_load_n(x, 5) - 48
bounded|int v = atoi(x); snprintf(x, sizeof x, "%*d%s", 2, v + 1, "")|$by_atoi
argument|$add|char t[8]; snprintf(t, 8, "%.3f%s", 1.5, x); v = t[5] - 48
number|$add|v = (int)strtol(x, NULL, 10)
ended|char t[4] = "1"; strtol(t, &end, 10); $add|v = __atomic_load_n(&end, 5) == x; $load
folded|$add|v = strcasecmp(x, "A") == 0; $load
spanned|$add|v = (int)strspn(x, "z"); $load
sorted|qsort(x, 2, 1, equal); $add|$load
END
# Where plain accesses are points, what qsort sorts is read and written back, others in between.
text sorts 'qsort(x + 4, 8, 1, equal); x[0]++' 'v = x[0] - 48' 1
run 0 "$asif" test sorts.c -n 2 -o 1 --races no; says 'verdict: linearizable'
text lost 'x[0]++; qsort(x, 4, 1, equal)' 'v = x[0] - 48' 0
run 1 "$asif" test lost.c --client 'inc() | inc() get()' --races no; says 'verdict: not linearizable'
text scanned 'int v; sscanf(x, "%d", &v); sprintf(x, "%d", v + 1)' 'sscanf(x, "%d", &v)' 1
run 0 "$asif" test scanned.c -n 2 -o 1; says 'verdict: linearizable'
text refused 'sscanf("1", "%d", &n); x[0]++' 'v = x[0] - 48' 1
run 3 "$asif" test refused.c -n 2 -o 1; says 'refused.c:12: thread A calls sscanf with memory that is not on its stack: it has no hooks'
text cut 'strtok(x, ","); x[0]++' 'v = x[0] - 48' 1
run 3 "$asif" test cut.c -n 2 -o 1; says 'calls strtok with memory that is not on its stack'
text numbered 'char t[9]; sprintf(t, "%2$d%1$s", x, 1); x[0]++' 'v = x[0] - 48' 1
run 3 "$asif" test numbered.c -n 2 -o 1; says 'calls sprintf with a format that numbers its arguments'

# What the files define themselves is what they call.
cat >own.c <<'END'
#include <asif.h>
#include <strings.h>
static int x;
static int fetch_add(void) { return __atomic_fetch_add(&x, strcasecmp("a", "b"), 5); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
echo 'int strcasecmp(const char *a, const char *b) { return b[0] - a[0]; }' >compare.c
run 0 "$asif" test own.c compare.c -n 2 -o 1; says 'verdict: linearizable'
run 1 "$asif" test own.c -n 2 -o 1; says 'verdict: not linearizable'

# Archives and libraries without hooks: a call ends the run, wherever they came from; what is not called does not matter.
cat >cell.c <<'END'
static int x;
void put(int v) { __atomic_store_n(&x, v, __ATOMIC_SEQ_CST); }
int get(void) { return __atomic_load_n(&x, __ATOMIC_SEQ_CST); }
int next(void) { return __atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST); }
END
echo 'int thrice(int v) { return 3 * v; }' >pure.c
cat >uses.c <<'END'
#include <asif.h>
void put(int);
int get(void);
static void write_(int v) { put(v); }
static int read_(void) { return get(); }
ASIF_OBJECT(register(0))
ASIF_OP_AS(write, write_)
ASIF_OP_AS(read, read_)
END
cat >counts.c <<'END'
#include <asif.h>
int next(void), y;
static int fetch_add(void) { __atomic_load_n(&y, 5); return next(); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
cat >spare.c <<'END'
#include <asif.h>
int next(void), thrice(int), y;
static int fetch_add(void) { return __atomic_fetch_add(&y, thrice(1) - 2, 5); }
int spare(void) { return next(); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
cc -O1 -fPIC -c cell.c pure.c && ar rcs libcell.a cell.o pure.o && mkdir so && cc -shared -o so/libcell.so cell.o pure.o || exit 77
for file in uses counts; do
  run 3 "$asif" test $file.c libcell.a -n 2 -o 1; says 'of libcell.a(cell.o), which was compiled without hooks: compile it with `asif cc`'
  run 3 "$asif" test $file.c -n 2 -o 1 -- -L. -lcell; says 'libcell.a(cell.o), which was compiled without hooks'
  run 3 "$asif" test $file.c -n 2 -o 1 -- -Lso -lcell -Wl,-rpath,"$PWD/so"; says 'of libcell.so, which was compiled without hooks'
  run 2 "$asif" test $file.c cell.o -n 2 -o 1; warns 'cell.o was not compiled with `asif cc`'
  run 2 "$asif" test $file.c -n 2 -o 1 -- cell.o; warns 'cell.o was not compiled with `asif cc`'
done
run 0 "$asif" test spare.c libcell.a -n 2 -o 1; says 'verdict: linearizable'
cc -O1 -fPIC -fsanitize=thread -c cell.c -o half.o && run 2 "$asif" test counts.c half.o -n 2 -o 1; warns 'half.o was not compiled with `asif cc`'
# The linker's map has names in C++ that begin as numbers in hexadecimal do: they are no sizes, and what follows is no file.
cat >named.cpp <<'END'
#include <asif.h>
#include <atomic>
extern "C" int next(void);
namespace boost { template <class T> struct box { T *x = nullptr; __attribute__((noinline)) ~box() { delete x; } }; }
namespace face { template <class T> __attribute__((noinline)) T made(T o) { return o; } }
boost::box<int> q;
static std::atomic<int> c;
static int fetch_add(void) { c.load(); return face::made(next()); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
if command -v g++ >/dev/null; then
  run 3 "$asif" test named.cpp -n 2 -o 1 -- -L. -lcell; says 'libcell.a(cell.o), which was compiled without hooks'
  # Names of C++ are told as they are written.
  cat >other.cpp <<'END'
namespace depot { int x; int next(int n) { return x += n; } }
END
  cat >calls.cpp <<'END'
#include <asif.h>
namespace depot { int next(int); }
static int fetch_add(void) { return depot::next(1); }
ASIF_OBJECT(counter)
ASIF_OP(fetch_add)
END
  g++ -O1 -fPIC -shared -o so/libother.so other.cpp || exit 1
  run 3 "$asif" test calls.cpp -n 2 -o 1 -- -Lso -lother -Wl,-rpath,"$PWD/so"; says 'calls depot::next(int) of libother.so, which was compiled without hooks'
  run 2 "$asif" test calls.cpp -n 2 -o 1; warns 'depot::next(int) is not defined'
  run 2 "$asif" test calls.cpp --stress -n 2; warns 'depot::next(int) is not defined'
fi
if command -v g++ >/dev/null; then # names of C++ are told as they are written
  echo 'namespace cells { int count; int next(int) { return count++; } }' >cells.cc
  printf '%s\n' '#include <asif.h>' 'namespace cells { int next(int); }' 'static int fetch_add(void) { return cells::next(1); }' 'ASIF_OBJECT(counter)' 'ASIF_OP(fetch_add)' >called.cpp
  run 2 "$asif" test called.cpp; warns 'called.cpp: cells::next(int) is not defined'
  g++ -O1 -fPIC -c cells.cc && ar rcs libcells.a cells.o && g++ -shared -o so/libcells.so cells.o || exit 1
  run 3 "$asif" test called.cpp libcells.a -n 2 -o 1; says 'calls cells::next(int) of libcells.a(cells.o), which was compiled without hooks: compile it with `asif c++`'
  run 3 "$asif" test called.cpp -n 2 -o 1 -- -Lso -lcells -Wl,-rpath,"$PWD/so"; says 'calls cells::next(int) of libcells.so, which was compiled without hooks: build it with `asif c++`'
fi
# Where nobody can look for such code, nothing holds.
mkdir fails && printf '#!/bin/sh\nexit 1\n' >fails/objdump && chmod +x fails/objdump
PATH=$PWD/fails:$PATH run 3 "$asif" test counts.c -n 2 -o 1 -- -L. -lcell
PATH=$PWD/fails:$PATH run 3 "$asif" test spare.c libcell.a -n 2 -o 1; says 'verdict: unknown: code that the hooks cannot see was not looked for: objdump'
asif cc -c cell.c pure.c && rm libcell.a && ar rcs libcell.a cell.o pure.o
run 0 "$asif" test uses.c libcell.a -n 2 -o 1; says 'verdict: linearizable'
run 0 "$asif" test counts.c cell.o -n 2 -o 1; says 'verdict: linearizable'
# An operation that is declared only must not be the C library's function of that name.
cat >declared.c <<'END'
#include <asif.h>
int read(void);
void write(int v);
ASIF_OBJECT(register(0))
ASIF_OP(write, ASIF_IN(1, 2))
ASIF_OP(read)
END
run 2 "$asif" test declared.c; warns 'declared.c:5: write is declared, but not defined'
nothing_left
