#!/bin/bash
# asif verify: addresses as numbers: hashes that pick a stripe, the order of locks.
. tests/cli/common
has verify || exit 77
shopt -u patsub_replacement 2>/dev/null # & is itself where it replaces something
export ASIF_INCLUDE=$root/include
object() {
  { printf '#include <asif.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdlib.h>\n'; cat; } >o.c
}
register='
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))'
all() { # STATUS ARGUMENT...
  status=$1
  shift
  for reduce in best none sym both por tau; do run "$status" "$asif" verify o.c --reduce $reduce "$@"; done
  run "$status" "$asif" verify o.c "$@"
}

# Two locks, the lower one first.
order="
struct account { pthread_mutex_t m; int v; };
static struct account a = {PTHREAD_MUTEX_INITIALIZER, 0}, b = {PTHREAD_MUTEX_INITIALIZER, 0};
static void both(struct account *x, struct account *y) {
  if (BELOW) { struct account *t = x; x = y; y = t; }
  pthread_mutex_lock(&x->m);
  pthread_mutex_lock(&y->m);
}
static void write(int v) { both(&a, &b); a.v = v; b.v = v; pthread_mutex_unlock(&a.m); pthread_mutex_unlock(&b.m); }
static int read(void) { both(&b, &a); int r = a.v == b.v ? a.v : 7; pthread_mutex_unlock(&b.m); pthread_mutex_unlock(&a.m); return r; }
$register"
for below in '(uintptr_t)x > (uintptr_t)y' '(uintptr_t)y <= (uintptr_t)x' '(intptr_t)&x->v > (intptr_t)&y->v' '(uintptr_t)&y->m < (uintptr_t)&x->v'; do
  object <<<"${order/BELOW/$below}"; all 0; run 0 "$asif" verify o.c -n 3; run 0 "$asif" verify o.c -o 2
done
object <<<"${order/BELOW/x > y}"; all 0; says 'pointers into different objects are compared, which C leaves undefined: taken as addresses'
object <<<"${order/BELOW/(uintptr_t)x > (uintptr_t)y && x != &a}"; all 1; says 'deadlock'; says ' is below '
object <<<"${order/BELOW/(uintptr_t)(x + 1) > (uintptr_t)y}"; run 3 "$asif" verify o.c; says 'the number of an address'

# A tag of type char *, which begins as null and is counted up. C leaves that undefined; what comes of it is a number, and no memory.
tag="
struct tagged { int *at; char *tag; } __attribute__((aligned(16)));
static int numbers[3] = {0, 1, 2};
static struct tagged now = {numbers, NULL};
static struct tagged load(void) { struct tagged t; __atomic_load(&now, &t, __ATOMIC_SEQ_CST); return t; }
static void write(int v) {
  struct tagged was = load(), next;
  do next = (struct tagged){&numbers[v], COUNTED};
  while (!__atomic_compare_exchange(&now, &was, &next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
}
static int read(void) { struct tagged t = load(); return USED; }
$register"
tagged() { # STATUS COUNTED USED
  one=${tag/COUNTED/$2}
  object <<<"${one/USED/$3}"; all "$1" --ops 2
}
for counted in 'was.tag + 1' 'was.tag - 3' '(char *)((uintptr_t)was.tag + 1)' '&was.tag[1]' '({ char *c = was.tag; c += 2; c; })' '({ char *c = was.tag; c++; ++c; })'; do
  tagged 0 "$counted" '*t.at'
  # A write makes another tag of it, and only a write does.
  tagged 0 "$counted" '(t.tag == 0) != (t.at == numbers) ? 7 : *t.at'
done
tagged 0 'was.tag + 1' '(uintptr_t)t.tag > 3 ? 7 : *t.at'
tagged 1 'was.tag + 1' '(uintptr_t)t.tag > 2 ? 7 : *t.at'
says 'an offset is added to a pointer to no object, which C leaves undefined: taken as a number'
tagged 1 'was.tag + 1' 't.tag ? *t.tag : 0'; says 'a null pointer is used'
tagged 1 'was.tag + 100' 't.tag ? *t.tag : 0'; says 'Undefined behaviour'
tagged 1 '(char *)((int *)was.tag + 1)' '*t.at'; says 'a null pointer is used'

# A stripe. Whatever is asked of the same bits agrees.
stripe="
#define N 4
static pthread_mutex_t l[N] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static int s;
static pthread_mutex_t *for_write(void *p) { uintptr_t h = (uintptr_t)p; return &l[PUTS]; }
static pthread_mutex_t *for_read(void *p) { uintptr_t h = (uintptr_t)p; return &l[GETS]; }
static void write(int v) { pthread_mutex_lock(for_write(&s)); s = v; pthread_mutex_unlock(for_write(&s)); }
static int read(void) { pthread_mutex_lock(for_read(&s)); int r = s; pthread_mutex_unlock(for_read(&s)); return r; }
$register"
stripes() { # STATUS WRITE READ ARGUMENT...
  one=${stripe/PUTS/$2}
  object <<<"${one/GETS/$3}"
  run "$1" "$asif" verify o.c
  run "$1" "$asif" verify o.c --reduce none
}
both='(h >> 4) % 4'
for same in '(h >> 4) % 4' '(h >> 4) & 3' '(h / 16) % 4' '(h >> 4) % 8 & 3' '(unsigned)(h >> 4) & 3' '(int)(h & 63) >> 4' '((h >> 4) & 15) % 4' '(h + 128) / 16 % 4' '(~h >> 4 & 3) ^ 3' '(h % 64) / 16' \
  '((h << 8) >> 12) & 3' '(uint8_t)(h >> 4) % 4u' '((h >> 4) & 2) + ((h >> 4) & 1)' '(h ^ 64) >> 4 & 3'; do
  stripes 0 "$both" "$same"
done
for another in '(h >> 5) % 4' '(h >> 4) % 2' '3 - (h >> 4) % 4' '(h + 16) / 16 % 4' '(h >> 6) & 3' '0'; do stripes 1 "$both" "$another"; says 'a data race'; done
for hash in '(h >> 4) % 3' '(h * 0x9e3779b97f4a7c15u) >> 62' '(unsigned)(h * 0x9e3779b97f4a7c15u >> 33) % 4' '((h >> 4) ^ (h >> 9)) % 4' '((h ^ h >> 33) * 0xff51afd7ed558ccdu >> 7) & 3' '(h >> 4) % 97 % 4' 'h % 7 & 3'; do
  stripes 0 "$hash" "$hash"
done
stripes 1 '(h >> 4) % 3' '0'
stripes 3 '(h >> 4) % 3' '(h >> 4) % 4'; says 'the number of an address'
stripes 3 '(h >> 45) & 1' '0'
stripes 1 '(h >> 4) % 1000 == 5' '0'
stripes 3 '(h & 0xfff) == 0x110 ? 1 : 2' '(h >> 4) % 3'
stripes 0 '(h & 0x3f0) == 0x110 ? 1 : 2' '(h >> 4 & 63) == 17 ? 1 : 2'

# Two stripes may be the same: then both must not be taken.
two="
static pthread_mutex_t l[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int a, b;
static unsigned of(int *p) { return (uintptr_t)p >> 4 & 1; }
static void write(int v) {
  unsigned i = of(&a), j = of(&b);
  ORDER
  pthread_mutex_lock(&l[i]);
  if (SECOND) pthread_mutex_lock(&l[j]);
  a = b = v;
  if (SECOND) pthread_mutex_unlock(&l[j]);
  pthread_mutex_unlock(&l[i]);
}
static int read(void) { pthread_mutex_lock(&l[of(&a)]); int r = a; pthread_mutex_unlock(&l[of(&a)]); return r; }
$register"
object <<<"$(sed 's/SECOND/i != j/; s/ORDER//' <<<"$two")"; all 0
object <<<"$(sed 's/SECOND/1/; s/ORDER//' <<<"$two")"; all 1; says 'eadlock'

# With nodes that are freed: an address that comes back is the same number. A chain of a table of two.
object <<'END_OF_C'
struct node { int v; };
static _Atomic(struct node *) top;
static int rank(struct node *n) { return (uintptr_t)n >> 5 & 1; }
static void write(int v) {
  struct node *n = malloc(sizeof *n), *old;
  n->v = v * 2 + rank(n);
  old = atomic_exchange(&top, n);
  if (old && old->v % 2 != rank(old)) abort();
}
static int read(void) { struct node *n = atomic_load(&top); return n ? n->v / 2 : 0; }
ASIF_OBJECT(register(0))
ASIF_OP(read)
ASIF_OP(write, ASIF_IN(1, 2))
END_OF_C
all 0; run 0 "$asif" verify o.c -n 3 -o 1; run 0 "$asif" verify o.c -o 2
sed -i 's/>> 5 & 1; }/>> 5 \& 1; }\nstatic int other(struct node *n) { return (uintptr_t)n >> 6 \& 1; }/; s/!= rank(old)/!= other(old)/' o.c; all 1; says 'a number made of &node'

# What aligned_alloc was asked for is known, also where posix_memalign is; an alignment that is computed is not.
for allocate in 'aligned_alloc(64, 64)' 'aligned(64)' 'aligned(16)'; do
  for mask in 63 127; do
    object <<END_OF_C
static char *_Atomic s;
static void *aligned(size_t n) { void *p; return posix_memalign(&p, n, 64) ? NULL : p; }
static void write(int v) { char *p = $allocate; if (((uintptr_t)p & $mask) != 0) abort(); *p = (char)v; s = p; }
static int read(void) { return s ? *s : 0; }
$register
END_OF_C
    case $allocate:$mask in *64*:63) all 0 ;; *) all 1; says 'abort() was called' ;; esac
  done
done
sed -i 's/aligned(size_t n) {/aligned(size_t n) { static _Atomic size_t k = 8; n = k * 2;/' o.c; run 3 "$asif" verify o.c

# And so is what a variable was asked to be aligned to by itself.
aligned() { # STATUS VARIABLE LOCAL MASK
  object <<END_OF_C
$2
static int rd(void) { $3 return ((uintptr_t)&z & $4) != 0; }
ASIF_OBJECT(counter)
ASIF_OP_AS(read, rd)
END_OF_C
  run "$1" "$asif" verify o.c
}
for variable in 'static _Alignas(64) int z;' '__attribute__((aligned(64))) static char z[3];' 'static int z __attribute__((aligned(64)));' \
  'extern _Alignas(64) int z; int z;' 'static _Thread_local _Alignas(64) char z;' 'static _Alignas(64) int *z;'; do
  aligned 0 "$variable" '' 63
  aligned 1 "$variable" '' 127
done
for variable in '_Alignas(64) char z[3];' 'static char z __attribute__((aligned(64)));' 'int y, __attribute__((aligned(64))) z;'; do
  aligned 0 '' "$variable" 63
  aligned 1 '' "$variable" 127
done
aligned 1 'static int y __attribute__((aligned(64))), z;' '' 63
for variable in 'int *__attribute__((aligned(64))) *z;' 'int *__attribute__((aligned(64))) (*z);'; do
  object <<<"static $variable static int rd(void) { return ((uintptr_t)&z & 63) != 0; }
ASIF_OBJECT(counter) ASIF_OP_AS(read, rd)"
  run 2 "$asif" verify o.c; warns 'an alignment in the middle of a declarator is outside the C'
done

# A line cannot be found from the middle of it, and a number that is not reduced is no index.
object <<<"${stripe//PUTS/0}"; sed -i 's/GETS/0/; s/return s; }/return *(int *)((uintptr_t)\&s >> 6 << 6); }/; s/int r = s;/int r = *(int *)((uintptr_t)\&s >> 6 << 6);/' o.c
run 3 "$asif" verify o.c; says 'o.c:14:'

# Evidence, a checkpoint, limits.
object <<<"${order/BELOW/(uintptr_t)x > (uintptr_t)y && x != &a}"
run 1 "$asif" verify o.c --evidence e; grep -q '^addresses 1$' e || fail "the evidence does not say it: $(cat e)"
run 0 "$asif" replay e
object <<<"${order/BELOW/(uintptr_t)x > (uintptr_t)y}"
run 3 "$asif" verify o.c -n 3 -o 2 --states-limit 1000 --jobs 1 --checkpoint c
run 0 "$asif" verify o.c -n 3 -o 2 --jobs 1 --resume c
run 0 "$asif" verify o.c --spec self
run 0 "$asif" verify o.c --jobs 2 -n 3 -o 2
run 3 "$asif" verify o.c --progress deadlock-free; says 'the number of an address'

# Against all ways in which a program could have been told the numbers: the same verdicts.
tell() { # of a and b: two bits each, and which is lower
  cat <<'END_OF_C'
static atomic_int bits[2] = {-1, -1}, order = -1;
static int h(int i) { int r; ASIF_ATOMIC { if (bits[i] < 0) bits[i] = asif_choose(4); r = bits[i]; } return r; }
static int below(int i, int j) { int r; ASIF_ATOMIC { if (order < 0) order = asif_choose(2); r = i == j ? 0 : i < j ? order : !order; } return r; }
END_OF_C
}
asked() {
  cat <<'END_OF_C'
static int h(int i) { return (uintptr_t)&x[i].v >> 4 & 3; }
static int below(int i, int j) { return (uintptr_t)at[i] < (uintptr_t)at[j]; }
END_OF_C
}
wrong=0
bodies() { # SEED: a write and a read
  awk -v seed="$1" '
    function pick(list,  n, a) { n = split(list, a, /\|/); return a[1 + int(rand() * n)] }
    function condition() { return pick("below(0, 1)|below(1, 0)|h(0) == h(1)|h(0) & 1|(h(1) >> 1) == 1|h(0) < h(1)|h(0) == 2|x[0].v == v") }
    function at() { return pick("h(0) & 1|h(1) >> 1|(h(0) ^ h(1)) & 1|below(0, 1)|0|1") }
    function statement(  which) {
      which = int(rand() * 5)
      if (which == 0) return "if (" condition() ") x[0].v = v;"
      if (which == 1) return "x[" at() "].v = v;"
      if (which == 2) return "pthread_mutex_lock(&l[" at() "]); x[0].v = v; pthread_mutex_unlock(&l[" at() "]);"
      if (which == 3) return "if (" condition() ") v = 2; else x[1].v = v;"
      return "x[1].v = x[" at() "].v;"
    }
    BEGIN {
      srand(seed)
      if (rand() < 0.3) {
        i = at()
        print "static void write(int v) { if (" condition() ") x[" i "].v = v; else x[" i "].v = v; }\nstatic int read(void) { return x[" i "].v; }"
        exit
      }
      print "static void write(int v) { " statement() " " statement() " " statement() " }"
      print "static int read(void) { int v = x[" at() "].v; " statement() " return x[" at() "].v; }"
    }'
}
for ((i = 0; i < ${ASIF_LONG:+20}16; i++)); do
  body="$(bodies $i)
$register"
  declared='static struct { _Alignas(16) atomic_int v; } x[2];
static pthread_mutex_t l[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};'
  # objects of their own, so that their order is open
  object <<<"$(sed 's/x\[2\];/x0, x1;\n#define x(i) (*((i) ? \&x1 : \&x0))/' <<<"$declared" | sed 's/static struct {/static struct cell {/')
static struct cell *const at[2] = {&x0, &x1};
$(asked | sed 's/x\[i\]/(*at[i])/')
$(sed 's/x\[\([^]]*\)\]\.v/at[\1]->v/g' <<<"$body")"
  "$asif" verify o.c --quiet >a.out 2>a.err; a=$?
  "$asif" verify o.c --quiet --reduce none >n.out 2>n.err; n=$?
  object <<<"$declared
$(tell)
$body"
  "$asif" verify o.c --quiet >t.out 2>t.err; t=$?
  [ $a = $t ] && [ $n = $t ] || fail "$a, $n and $t for $body: $(cat a.out a.err n.out t.out t.err)"
  wrong=$((wrong + (t == 1)))
done
[ $wrong -gt 2 ] && [ $wrong -lt $i ] || fail "$wrong of $i are wrong"

# A variable may be where another of the same thread was, and so have the address that others still know; never where one of another
# thread was.
cat >place.c <<'C'
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
struct mark {
  int value;
};
static struct mark *_Atomic slot;
static atomic_int value, count;
static void write(int v) {
  struct mark me = {v};
  value = v;
  slot = &me;
  slot = NULL;
}
static int read(void) {
  struct mark *before = slot;
  int v = value, again = value;
  struct mark *after = slot;
  return before && before == after && DIFFERS ? 77 : v;
}
static void inc(void) {
  struct mark me = {0}, *was;
#ifdef EXCHANGES
  was = atomic_exchange(&slot, &me);
  assert(was != &me);
#else
  was = slot;
  struct mark *expected = &me;
  assert(!atomic_compare_exchange_strong(&slot, &expected, NULL));
  slot = &me;
#endif
  (void)was;
  count++;
}
#ifdef COUNTS
ASIF_OBJECT(counter)
ASIF_OP(inc)
#else
ASIF_OBJECT(register(0))
ASIF_OP(write)
ASIF_OP(read)
ASIF_ROLE(writer, 1, write)
ASIF_ROLE(reader, 1, read)
#endif
C
for reduce in best none both; do
  run 1 "$asif" verify place.c -o 2 -r $reduce -- '-DDIFFERS=v != again'; says 'not linearizable'
  run 0 "$asif" verify place.c -o 2 -r $reduce -- -DDIFFERS=0
  for how in -DEXCHANGES -DCAS; do
    run 1 "$asif" verify place.c -o 2 -r $reduce -- -DDIFFERS=0 -DCOUNTS $how; says 'an assertion fails'
    run 0 "$asif" verify place.c -o 1 -n 3 -r $reduce -- -DDIFFERS=0 -DCOUNTS $how
  done
done
run 0 "$asif" verify place.c -o 2 -- -DDIFFERS=0; says 'told apart, which takes longer: a variable may be where another'
run 2 "$asif" verify place.c -o 2 --against place.c -- -DDIFFERS=0; warns 'whether a variable is where another was'
run 3 "$asif" verify place.c --ltl 'call(read)' -- -DDIFFERS=0; says 'whether a variable is where another was'
sed 's/struct mark me/static struct mark me/; s/me = {v}/me/' place.c >one_place.c
run 1 "$asif" verify one_place.c -o 2 -- '-DDIFFERS=v != again'
