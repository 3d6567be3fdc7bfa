#!/bin/bash
# Results that are not numbers mean the same to verify and to test: each engine, and the replay of what it writes, on
# objects that return them.
. "$(dirname "$0")/common"

# object SPEC OPERATION RETURNS: an object with one operation, which returns it.
object() {
  case $3 in true | false) type=bool ;; void) type=void ;; *) type=int ;; esac
  value="return $3;"
  [ $type = void ] && value=
  printf '#include <asif.h>\n#include <stdbool.h>\n%s\n%s f(%s) { %s }\nASIF_OBJECT(%s)\nASIF_OP_AS(%s)\n' \
    "$own" $type "$params" "$value" "$1" "$2, f$in" >object.c
}
own='' params='void' in=''
# agree STATUS SPEC OPERATION RETURNS...: every engine ends so.
agree() {
  status=$1 spec=$2 op=$3
  shift 3
  for result; do
    object "$spec" "$op" "$result"
    run "$status" "$asif" verify object.c --evidence e
    [ "$status" = 0 ] || run 0 "$asif" replay e
    case " $both " in *" $result "*)
      run "$status" "$asif" test object.c --threads 1 --ops 1 --evidence e
      [ "$status" = 0 ] || run 0 "$asif" replay e --run
    esac
  done
}

both='ASIF_NIL ASIF_EMPTY'
agree 0 queue deq ASIF_EMPTY ASIF_NIL ASIF_OK
agree 1 queue deq ASIF_TRUE ASIF_FALSE ASIF_FULL 0 1 true
both='ASIF_EMPTY'
agree 0 register read ASIF_NIL ASIF_EMPTY ASIF_OK
agree 0 counter read 0 false
agree 1 counter read ASIF_EMPTY ASIF_NIL ASIF_OK ASIF_TRUE 1 true
agree 0 snzi query 0 false ASIF_FALSE ASIF_NIL ASIF_EMPTY ASIF_FULL
agree 1 snzi query 1 true ASIF_TRUE ASIF_OK
params='int v' in=', ASIF_IN(1, 1)'
both='ASIF_FALSE'
agree 0 'bounded_queue(9)' enq void true 0 1 ASIF_OK ASIF_TRUE ASIF_NIL ASIF_EMPTY
agree 1 'bounded_queue(9)' enq false ASIF_FULL ASIF_FALSE
agree 0 stack push void true false 0 1 ASIF_OK ASIF_NIL ASIF_FULL ASIF_EMPTY
agree 0 set contains false 0 ASIF_FALSE ASIF_NIL ASIF_EMPTY
agree 1 set contains true 1 2 ASIF_TRUE ASIF_OK

# A specification of the file's own: the two functions may say the same in different ways.
params=void in='' both='true ASIF_NIL void'
spec_returns() { own="#include <stdbool.h>
struct s { int n; }; static $1 s_f(struct s *s) { (void)s; $2 }
ASIF_SPEC(mine, struct s)
ASIF_SPEC_OP(s_f, \"f\")"; }
spec_returns int 'return 1;'
agree 0 mine f 1 true
agree 1 mine f 0 2 false ASIF_TRUE
spec_returns int 'return ASIF_EMPTY;'
agree 0 mine f ASIF_EMPTY ASIF_NIL
agree 1 mine f ASIF_OK 0 ASIF_FULL
spec_returns bool 'return true;'
agree 0 mine f true 1 2 ASIF_TRUE ASIF_OK
agree 1 mine f false 0 ASIF_NIL
spec_returns int 'return 0;'
agree 0 mine f void 0 false
agree 1 mine f ASIF_EMPTY true

# Numbers that stand for results are numbers where operations are called with them; what cannot be told apart is refused.
cat >least.c <<'EOF'
#include <asif.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int item[8], n;
static void push(int v) { pthread_mutex_lock(&m); item[n++] = v; pthread_mutex_unlock(&m); }
static int pop(void) { int r = ASIF_EMPTY; pthread_mutex_lock(&m); if (n) r = item[--n]; pthread_mutex_unlock(&m); return r; }
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(-2147483647 - 1, HIGH))
ASIF_OP(pop)
ASIF_BOUND(2)
EOF
run 0 "$asif" verify least.c -- -DHIGH=-2147483647
run 0 "$asif" test least.c --threads 2 --ops 2 -- -DHIGH=-2147483647
run 2 "$asif" verify least.c -- -DHIGH=-2147483643
warns 'has ASIF_EMPTY, which is not a number'
run 2 "$asif" test least.c -- -DHIGH=-2147483643
warns 'has ASIF_EMPTY, which is not a number'

# A formula may use any word for a result.
cat >formula.c <<'EOF'
#include <asif.h>
static int deq(void) { return ASIF_NIL; }
ASIF_OBJECT(queue)
ASIF_OP(deq)
EOF
for word in nil empty; do
  run 0 "$asif" verify formula.c --ops 1 --fair weak --ltl "[] !(return(deq)) || <> return(deq, $word)"
done

# Results too large for a small value: told, and against a specification of the file's own.
cat >large.c <<'EOF'
#include <asif.h>
static int f(void) { return 2000000000; }
static int g(void) { return 1999999999; }
struct s { int n; };
static int s_f(struct s *s) { (void)s; return 2000000000; }
static int s_g(struct s *s) { (void)s; return 2000000001; }
ASIF_SPEC(large, struct s)
ASIF_SPEC_OP(s_f, "f")
ASIF_SPEC_OP(s_g, "g")
ASIF_OBJECT(SPEC)
ASIF_OP(OP)
EOF
run 0 "$asif" verify large.c -- -DSPEC=large -DOP=f
run 1 "$asif" verify large.c --evidence e -- -DSPEC=large -DOP=g
says '1999999999'
run 0 "$asif" replay e

# A register of zeros: the report says what the specification should be.
cat >zeros.c <<'EOF'
#include <asif.h>
#include <stdatomic.h>
static atomic_int v;
static void write(int n) { v = n; }
static int read(void) { return v; }
static _Bool cas(int a, int b) { return atomic_compare_exchange_strong(&v, &a, b); }
ASIF_OBJECT(SPEC)
ASIF_OP(write, ASIF_IN(1, 1))
ASIF_OP(OP)
EOF
replays=no # the arguments of the compiler are not trusted
for command in verify test; do
  run 1 "$asif" $command zeros.c --threads 1 --ops 1 -- -DSPEC=register -DOP=read
  says 'ead() -> 0, but 0 was never written; a register begins as nil, register(0) begins as 0'
  run 0 "$asif" $command zeros.c --threads 1 --ops 1 -- '-DSPEC=register(0)' -DOP=read
done
run 1 "$asif" verify zeros.c --threads 1 --ops 1 -- -DSPEC=cas_register '-DOP=cas, ASIF_IN(0, 0)'
says 'but 0 was never written; a cas-register begins as nil, cas-register(0) begins'
run 0 "$asif" verify zeros.c --threads 1 --ops 1 -- '-DSPEC=cas_register(0)' '-DOP=cas, ASIF_IN(0, 0)'

# Numbers beyond 32 bits are as exact as others, of a specification in C too.
replays=yes
large() { # TIMES OF THE OBJECT, OF THE SPECIFICATION
  cat >large.c <<EOF
#include <asif.h>
#include <stdatomic.h>
static _Atomic long x;
static void write(long v) { x = v * $1; }
static long read(void) { return x; }
ASIF_OBJECT(large)
ASIF_OP(write, ASIF_IN(1, 2))
ASIF_OP(read)
EOF
  cat >large_spec.c <<EOF
#include <asif.h>
struct state { long v; };
static void write(struct state *s, long v) { s->v = v * $2; }
static long read(struct state *s) { return s->v; }
ASIF_SPEC(large, struct state)
ASIF_SPEC_OP(write)
ASIF_SPEC_OP(read)
EOF
}
large 5000000000L 5000000000L
for how in '-j1' '-j2' '-r none'; do run 0 "$asif" verify large.c --spec large_spec.c --ops 2 $how; done
run 0 "$asif" test large.c --spec large_spec.c --threads 2 --ops 1
for other in 5000000001L 705032704L -5000000000L; do # the low 32 bits are the same
  large 5000000000L $other
  run 1 "$asif" verify large.c --spec large_spec.c --evidence e; says 'not linearizable'
  run 0 "$asif" replay e --run
  run 1 "$asif" test large.c --spec large_spec.c --threads 2 --ops 1
done
