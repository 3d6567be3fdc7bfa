#!/bin/bash
# What a verdict of asif test rests on is written, re-validated from the file and from the code, and refused once it has been changed.
. tests/cli/common
has test && has replay || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp && cp -r "$root/objects" . || exit 1
small='-n 2 -o 2 --time-limit 300'
stands() { # FILE ARGUMENT...: what is found in it stands
  run 1 "$asif" test --evidence e --quiet "$@"
  run 3 "$asif" replay e; says '--run compiles this'; says 'verdict: unknown: the code was not run (--run)'; silent
  cp out unrun
  run 0 "$asif" replay --run e; says 'the evidence stands'; silent
  [ -z "$(ls tmp)" ] || fail "asif replay leaves $(ls tmp)"
}
# refused STATUS WHY SED: the evidence e, changed, is refused with that status, and the answer says why.
refused() {
  sed -E "$3" e >changed
  cmp -s e changed && fail "nothing is changed by $3"
  run "$1" "$asif" replay --run changed
  if [ "$1" = 1 ]; then says "$2"; says 'verdict: the evidence does not stand'; else warns "$2"; fi
}

# Histories that are wrong: of a specification that is named, given, in the file, and of the object itself.
for f in objects/bugs/b3_push.c objects/bugs/b3_pop.c; do
  stands $f $small; says 'of the core have no legal order'; says 'give this history'
  says "files: $f"; says 'arguments: none'; says 'specification: the one that the files name'
  grep -q 'of the core have no legal order' unrun || fail "the history is not looked at without --run: $(cat unrun)"
done
stands objects/bugs/b3_pop.c $small --spec stack
stands objects/bugs/b3_pop.c $small --spec self; says 'of the core have no legal order'
cat >own.c <<'END'
#include <asif.h>
#include <stdatomic.h>
static atomic_int n;
static int inc(void) { int v = atomic_load(&n); atomic_store(&n, v + 1); return v; }
struct state { int n; };
static int spec_inc(struct state *s) { return s->n++; }
ASIF_SPEC(mine, struct state)
ASIF_SPEC_OP(spec_inc, "inc")
ASIF_OBJECT(mine)
ASIF_OP(inc)
END
stands own.c $small; says 'of the core have no legal order'
run 1 "$asif" test own.c $small; says 'inc() -> 0'
stands own.c $small --spec self -- -DSOMETHING=1 -O2; says 'arguments: -DSOMETHING=1 -O2'; says 'specification: self'

# A specification that ASIF_EFFECT gives, and one in a file of its own, which --run compiles too.
cat >effects.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
struct node { int val; struct node *next; };
static _Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = atomic_load(&top);
  atomic_store(&top, n);
}
static int pop(void) {
  struct node *t = atomic_load(&top);
  if (!t) return ASIF_EMPTY;
  atomic_store(&top, t->next);
  return t->val;
}
ASIF_OBJECT(pile)
ASIF_EFFECT(push(v), "A => <v> . A")
ASIF_EFFECT(pop, "<e> . A => A, returns e")
ASIF_EFFECT(pop, "<> => <>, returns empty")
ASIF_OP(push)
ASIF_OP(pop)
END
stands effects.c $small; says 'of the core have no legal order'
sed -n '/^struct state/,/^ASIF_SPEC_OP/p;1p' own.c >spec.c
stands own.c $small --spec spec.c; says 'specification: spec.c'; says 'of the core have no legal order'
grep -q 'the specification spec.c is C' unrun || fail "$(cat unrun)"
echo >>spec.c; run 3 "$asif" replay --run e; says 'spec.c has changed since: it is not compiled'

# What else is wrong: a data race, a deadlock, a crash, an assertion.
stands objects/bugs/b1_tail.c $small; says 'steps of the token end so: '
sed 's/atomic_store(&n, v + 1)/if (v) *(volatile int *)0 = 1; n = 1/' own.c >crash.c; stands crash.c -n 2 -o 1
sed 's/atomic_store(&n, v + 1)/assert(!v); n = 1/;1i #include <assert.h>' own.c >assert.c; stands assert.c -n 2 -o 1

# Nothing: what was searched, and how to do it again.
run 0 "$asif" test objects/treiber_stack.c $small --evidence e --quiet
run 3 "$asif" replay e; says 'linearizable: '; says 'schedules of 80 of 80 clients'; says '  asif test objects/treiber_stack.c --threads 2 --ops 2'
run 0 "$asif" test objects/treiber_stack.c $small --bound 2 --evidence e --quiet
run 3 "$asif" replay e; says 'no violation found: '; says '--bound 2'
run 3 "$asif" test objects/treiber_stack.c -n 4 -o 3 --schedules-limit 1000 --evidence none --quiet; [ ! -e none ] || fail 'evidence of nothing known'

# Changed evidence of a history.
run 1 "$asif" test objects/bugs/b3_pop.c $small --evidence e --quiet
refused 1 'does not stand' 's/^stack Ok\(1\) B/stack Empty() B/'            # a history that is right
refused 1 'does not stand' 's/^stack Ok\(1\) A/stack Ok(2) A/'              # another that is wrong
refused 1 'is another: nothing is wrong' 's/^(token [^:]*:[^:]*:[^:]*:)[^:]*/\1A/' # another schedule
refused 1 'calls are others' 's/^client .*/client pop() | pop()/'
refused 1 'other steps' 's/^3 A (.*) pop\(\)/3 B \1 pop()/'
refused 1 'is another: not linearizable' 's/^found .*/found data race/;s/^told.*/told 0/;/^[0-9]* [AB] /d;/^verdict/,/^to /d'
refused 2 'expected order' 's/^verdict .*/verdict linearizable/'
refused 2 'expected' 's/^core 2/core 9/'
refused 2 '--replay: ' 's/^token .*/token 1:r:zzz/'
for line in found input hash asked client steps token told verdict spec core history; do refused 2 'expected' "/^$line/d"; done
refused 2 'expected' '/^hash/s/hash.*/hash x/'
refused 2 'expected' '/^told/q'
sed -E 's/^(hash .*)/\1\nargument -fplugin=x/' e >changed
run 3 "$asif" replay --run changed; says 'the argument -fplugin=x is not given to the compiler'; says 'no legal order'
says 'verdict: unknown: an argument for the compiler is not trusted (--trust-arguments)'
run 1 "$asif" test objects/bugs/b1_tail.c $small --evidence e --quiet
refused 1 'goes wrong otherwise' 's/^said .*/said something/'
refused 1 'is another: data race' 's/^found .*/found deadlock/'

# The files have changed, or are gone: nothing is compiled.
cp own.c mine.c; run 1 "$asif" test mine.c --spec self $small --evidence e --quiet
echo >>mine.c; run 3 "$asif" replay --run e; says 'the files have changed since: they are not compiled'
run 1 "$asif" test objects/bugs/b3_pop.c $small --evidence e --quiet
rm objects/bugs/b3_pop.c; run 3 "$asif" replay --run e; says 'no legal order'; says 'objects/bugs/b3_pop.c cannot be read'; says 'verdict: unknown'

# What they include has changed: it is another program, and what the first did is not known.
cp own.c part.h; printf '#include "part.h"\n' >mine.c; run 1 "$asif" test mine.c --spec self $small --evidence e --quiet
sed -i 's/^static atomic_int n;/& __attribute__((used)) static int more(int x) { return 3 * x; }/' part.h
run 0 "$asif" replay --run e; says 'what the files include, has changed since'; says 'the evidence stands'
sed -i 's/int v = .*/return atomic_fetch_add(\&n, 1); }/' part.h; run 3 "$asif" replay --run e; says 'what the files include, has changed since'

# The process that ran the token ends, which is not the token's doing: that refutes nothing.
if has_libdw; then
  run 1 "$asif" test own.c $small --evidence e --quiet
  printf '#include <stdlib.h>\n__attribute__((constructor)) static void end(void) { abort(); }\n' >ends.c
  "${CC:-cc}" -shared -fPIC ends.c -o ends.so || fail 'no library'
  ASIF_LIBDW=$PWD/ends.so run 3 "$asif" replay --run e; says 'the process that ran the token ended: Aborted'; says 'verdict: unknown'
fi

# Where it cannot be written.
run 1 "$asif" test own.c $small --evidence /nowhere/x; warns /nowhere/x
[ ! -c /dev/full ] || { run 1 "$asif" test own.c $small --evidence /dev/full; warns /dev/full; }
