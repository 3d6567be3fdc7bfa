#!/bin/bash
# A specification of the user's own is decided by its own code, whatever it is called: a monitor, grammar or effect made
# for a built-in specification of that name has nothing to do with it.
. tests/cli/common
has check || exit 77

# Last in, first out, under the names of other containers.
lifo() {
  printf '#include <asif.h>\n%s\n' 'struct state { int n, at[8]; };
static void enq(struct state *s, int v) { asif_require(s->n < 8); s->at[s->n++] = v; }
static int deq(struct state *s) { return s->n ? s->at[--s->n] : ASIF_EMPTY; }
ASIF_SPEC('"$1"', struct state)
ASIF_SPEC_OP(enq)
ASIF_SPEC_OP(deq)' >"$1.c"
}
printf 'q enq(1) A\nq Ok() A\nq enq(2) A\nq Ok() A\nq deq() A\nq Ok(2) A\nq deq() A\nq Ok(1) A\n' >lifo.txt
printf 'q enq(1) A\nq Ok() A\nq enq(2) A\nq Ok() A\nq deq() A\nq Ok(1) A\nq deq() A\nq Ok(2) A\n' >fifo.txt
for name in queue weak_queue stack priority_queue register set map lock; do
  lifo $name
  run 0 "$asif" check lifo.txt --spec ./$name.c; says 'verdict: linearizable'
  run 1 "$asif" check fifo.txt --spec ./$name.c --evidence e; says 'verdict: not linearizable'
  run 2 "$asif" check fifo.txt --spec ./$name.c --method fast; warns 'no fast monitor'
  run 2 "$asif" check fifo.txt --spec ./$name.c --approx 2; warns 'no monitor'
done
run 0 "$asif" replay --run e

# A register that counts its reads; a map whose keys are one value.
printf '#include <asif.h>\n%s\n' 'struct state { int n; };
static void write(struct state *s, int v) { s->n = v; }
static int read(struct state *s) { return s->n++; }
ASIF_SPEC(register, struct state)
ASIF_SPEC_OP(write)
ASIF_SPEC_OP(read)' >register.c
printf 'r write(5) A\nr Ok() A\nr read() A\nr Ok(5) A\nr read() A\nr Ok(6) A\n' >reads.txt
run 0 "$asif" check reads.txt --spec ./register.c
run 1 "$asif" check reads.txt --spec register
printf '#include <asif.h>\n%s\n' 'struct state { int n; };
static void put(struct state *s, int k, int v) { s->n = v; }
static int get(struct state *s, int k) { return s->n; }
ASIF_SPEC(map, struct state)
ASIF_SPEC_OP(put)
ASIF_SPEC_OP(get)' >map.c
printf 'm put(1, 5) A\nm Ok() A\nm get(2) A\nm Ok(5) A\n' >map.txt
run 0 "$asif" check map.txt --spec ./map.c
run 1 "$asif" check map.txt --spec map
exit 0
