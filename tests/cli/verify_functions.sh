#!/bin/bash
# asif verify: pointers to functions, in variables, tables and arguments; each used rightly and wrongly.
. tests/cli/common
has verify || exit 77
export ASIF_INCLUDE=$root/include
register() { # a register made of SET and GET
  { printf '#include <asif.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdlib.h>\nstatic atomic_int s;\n'; cat
    printf 'ASIF_OBJECT(register(0))\nASIF_OP(read)\nASIF_OP(write, ASIF_IN(1, 2))\n'; } >o.c
}

# A variable that never changes, and a parameter.
register <<'END_OF_C'
static void w(int v) { s = v; }
static void (*fp)(int) = w;
static int (*const table[2])(void);
static void apply(void (*f)(int), int v) { (*f)(v); }
static void direct(void f(int), int v) { f(v); }
static void write(int v) { v == 1 ? apply(&w, v) : direct(fp, v); }
static int read(void) { return table[0] ? 7 : s; }
END_OF_C
run 0 "$asif" verify o.c -n 3; states=${out##*register(0), }
register <<'END_OF_C'
static void write(int v) { s = v; }
static int read(void) { return s; }
END_OF_C
run 0 "$asif" verify o.c -n 3; [ "${states%% *}" = "$(echo "${out##*register(0), }" | cut -d' ' -f1)" ] || fail "calls that are known cost states: $states"

# Tables of operations that are exchanged while they are used; one writes in two steps.
tables='
struct ops { void (*set)(int); int (*get)(void); };
static void whole(int v) { s = v; }
static void torn(int v) { if (v == 2) s = 1; s = v; }
static int get(void) { return s; }
static struct ops first = {whole, get}, second = {.get = get, .set = SECOND};
static struct ops *_Atomic ops = &first;
static void write(int v) {
  if (v == 2) atomic_store(&ops, &second);
  ops->set(v);
}
static int read(void) { struct ops *o = ops; return o->get(); }'
register <<<"${tables/SECOND/whole}"; run 0 "$asif" verify o.c
register <<<"${tables/SECOND/torn}"; run 1 "$asif" verify o.c; says 'store s = 1'; says 'not linearizable'

# Null, what is not a function of the type, and a function that returns one.
register <<'END_OF_C'
static void w(int v) { s = v; }
static void (*_Atomic fp)(int);
static void write(int v) { if (v == 2) fp = w; else s = v; }
static int read(void) { if (fp == w) fp(0); return s; }
END_OF_C
run 1 "$asif" verify o.c; says 'not linearizable'
register <<'END_OF_C'
static void w(int v) { s = v; }
static void (*_Atomic fp)(int);
static void write(int v) { fp(v); }
static int read(void) { fp = w; return s; }
END_OF_C
run 1 "$asif" verify o.c; says 'o.c:8:28: a null pointer is used: a call through a null pointer'
wrong='
static void w(int v) { s = v; }
static int other(long v) { return (int)v; }
static void *_Atomic held = (void *)HELD;
static void (*pick(int which))(int) { return which == 1 ? w : (void (*)(int))held; }
static void write(int v) { pick(v)(v); }
static int read(void) { return s; }'
register <<<"${wrong/HELD/w}"; run 0 "$asif" verify o.c
register <<<"${wrong/HELD/other}"; run 1 "$asif" verify o.c; says 'a call through what is not a function of this type'
register <<<"${wrong/HELD/\&s}"; run 1 "$asif" verify o.c; says 'a call through what is not a function of this type'

# The address of a function that is known by name, and recursion through pointers.
register <<'END_OF_C'
static void w(int v) { s = v; }
static void drop(void *p, void (*with)(void *)) { with(p); }
static void write(int v) { int *p = malloc(sizeof *p); *p = v; w(*p); drop(p, free); }
static int read(void) { return free == free ? s : 7; }
END_OF_C
run 0 "$asif" verify o.c -o 2
sed -i 's/drop(p, free); }/drop(p, free); drop(p, free); }/' o.c; run 1 "$asif" verify o.c; says 'freed twice'
register <<'END_OF_C'
struct step { int (*go)(const struct step *, int); };
static int down(const struct step *t, int n) { return n ? t->go(t, n - 1) : 0; }
static struct step self = {down};
static void write(int v) { s = v + self.go(&self, v); }
static int read(void) { return s; }
END_OF_C
run 0 "$asif" verify o.c
run 3 "$asif" verify o.c --recursion 1; says 'nested more than 1 deep'

# What is called must be a function, with its arguments; unless nothing reaches it.
refuses() { # SAID EXPRESSION DECLARATION
  printf '#include <asif.h>\n%s\nstatic int read(void) { return %s; }\nASIF_OBJECT(register(0))\nASIF_OP(read)\n' "$3" "$2" >o.c
  run 2 "$asif" verify o.c; warns "$1"
  sed -i 's/return .*; }$/return 0; }/' o.c
  [ "$2" = 1 ] || run 0 "$asif" verify o.c
}
refuses "'int' is called, which is not a function" 'f(1)' 'int f(int x) { return x(1); }'
refuses 'this pointer to a function takes 1 argument, not 0' 'f()' 'int (*p)(int);
int f(void) { return p(); }'
refuses 'a field that is a function' 1 'struct s { int f(void); };'
