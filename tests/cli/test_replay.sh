#!/bin/bash
# Findings of asif test: told with places, values and who interrupts whom; shrunk; repeated exactly; under a debugger.
. tests/cli/common
has test || exit 77
export ASIF_INCLUDE=$root/include
object() { { printf '#include <asif.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n'; cat; } >"$1"; }
tokens() { token=$(sed -n 's/^replay: --replay //p' out); [ -n "$token" ] || fail "no token: $out"; }
# It is found; its token repeats it a hundred times, and says the same.
repeats() { # WHAT FILE ARGUMENT...
  what=$1
  shift
  run 1 "$asif" test "$@" --time-limit 300; says "verdict: $what ("; silent; tokens
  sed -n '/^It happens/,/^note/p' out >first
  run 1 "$asif" test "$@" --replay "$token" --repeat 100; says "verdict: $what ("; says ', 100 schedules, '; says "replay: --replay $token"
  sed -n '/^It happens/,/^note/p' out >second
  cmp -s first second || fail "told otherwise: $(diff first second)"
}

object counter.c <<'END_OF_C'
static atomic_int count;
static int inc(int by) {
  int v = atomic_load(&count); /* line 7 */
  atomic_store(&count, v + by);
  return v;
}
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc, ASIF_IN(1, 3))
END_OF_C
repeats 'not linearizable' counter.c
says 'inc(1) | inc(1)'
says 'interrupts A, which was about to store count at counter.c:8'
says 'counter.c:7  load count -> 0'; says '| int v = atomic_load(&count); /* line 7 */'
says 'counter.c:8  store count = 1'; says 'inc returns 0'
[ "$(grep -c 'interrupts' out)" = 1 ] || fail "one interruption is enough: $out"
kept=$token

# A larger client shrinks to the same.
run 1 "$asif" test counter.c --client 'inc(3) inc(1) | inc(2) inc(2) | inc(1)'; says '  inc(1) | inc(1)'; tokens
[ "$token" = "$kept" ] || fail "$token, not $kept"

# What is not a history.
object race.c <<'END_OF_C'
static int cell;
static void write(int v) { cell = v; }
static int read(void) { return cell; }
ASIF_OBJECT(register(0))
ASIF_OP(write)
ASIF_OP(read)
END_OF_C
repeats 'violated: data race' race.c; says 'race.c:6'
object freed.c <<'END_OF_C'
struct node { int val; struct node *next; };
static _Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;
}
static int pop(void) {
  struct node *t = atomic_load(&top), *next;
  do {
    if (!t) return ASIF_EMPTY;
    next = t->next;
  } while (!atomic_compare_exchange_strong(&top, &t, next));
  int v = t->val;
  free(t);
  return v;
}
ASIF_OBJECT(stack)
ASIF_OP(push)
ASIF_OP(pop)
END_OF_C
repeats 'violated: use after free' freed.c --races no
says 'freed here'; says 'allocated here'; says 'freed.c:17'
object stuck.c <<'END_OF_C'
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void write(int v) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  x = v;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
}
static int read(void) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  int v = x;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return v;
}
ASIF_OBJECT(register(0))
ASIF_OP(write)
ASIF_OP(read)
END_OF_C
repeats 'violated: deadlock' stuck.c; says 'a circle'

# The last of sixty-four operations has a letter too.
{
  printf '#include <asif.h>\n#include <stdatomic.h>\nstatic atomic_int count;\nASIF_OBJECT(many)\n'
  for i in {1..63}; do printf 'static void f%d(void) {}\nASIF_OP(f%d)\n' $i $i; done
  printf 'static int get(void) { int v = count; count = v + 1; return v; }\nASIF_OP(get)\n'
} >many.c
run 1 "$asif" test many.c --spec self --client 'get() | get()'; tokens
run 1 "$asif" test many.c --spec self --replay "$token"; says 'verdict: not linearizable'

# Tokens that are none, or of other code.
run 2 "$asif" test counter.c --replay nonsense; warns '--replay: '
run 2 "$asif" test counter.c --replay 1:r:z1:A:0; warns 'an operation that the object has'
sed -i 's/atomic_store(&count, v + by)/atomic_fetch_add(\&count, by)/' counter.c
run 1 "$asif" test counter.c --replay "$kept"; says 'note: the code has changed since the token was made'
run 2 "$asif" test counter.c --replay 1:r:a1_a1:AC:0; warns 'the code has changed since the token was made, and cannot do the same again'
run 2 "$asif" test counter.c --debug gdb; warns '--debug needs --replay'

# Under gdb: it stops before anything has run, and then where one says.
if command -v gdb >/dev/null; then
  run 1 "$asif" test race.c; tokens
  printf 'break write\ncontinue\nbacktrace 1\nkill\nquit\n' | "$asif" test race.c --replay "$token" --debug gdb >out 2>err
  grep -q 'write (v=1) at race.c:6' out || fail "$(cat out err)"
fi
exit 0
