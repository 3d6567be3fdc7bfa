#!/bin/bash
# Several files: static names, tags and types apart, everything else linked; flags of each from compile_commands.json.
. "$(dirname "$0")/common"

mkdir -p include other
cat >include/q.h <<'END'
#include <stdatomic.h>
struct counter { _Atomic int n; struct counter *next; };
void bump(struct counter *);
int value(struct counter *);
extern struct counter the;
extern int table[];
END
cat >a.c <<'END'
#include "q.h"
static int hidden = 1;
struct own { int a; };
static int get(struct own *o) { return o->a + hidden; }
int table[] = {5, 7};
void bump(struct counter *c) { struct own o = {0}; atomic_fetch_add(&c->n, get(&o)); }
END
cat >b.c <<'END'
#include <stdio.h>
#include "q.h"
static int hidden = 7;
struct own { long b, c; };
static int get(struct own *o) { return (int)o->b + hidden; }
inline int twice(int x) { return 2 * x; }
int value(struct counter *c) { struct own o = {-table[1]}; return atomic_load(&c->n) + get(&o) + twice(EXTRA); }
void show(struct counter *c) { printf("%d", value(c)); }
END
cat >h.c <<'END'
#include <asif.h>
#include "q.h"
struct counter the;
inline int twice(int x) { return 2 * x; }
static void inc(void) { bump(&the); }
static int get(void) { return value(&the); }
ASIF_OBJECT(counter)
ASIF_OP(inc)
ASIF_OP_AS(read, get)
END
flags=(-- -Iinclude -DEXTRA=0)
run 0 "$asif" verify a.c b.c h.c --ops 2 "${flags[@]}"; says 'verdict: linearizable'
run 0 "$asif" verify h.c b.c a.c --ops 2 --evidence e "${flags[@]}"
run 1 "$asif" verify a.c b.c h.c -- -Iinclude -DEXTRA=1; says 'not linearizable'
run 1 "$asif" verify a.c b.c h.c --evidence w -- -Iinclude -DEXTRA=1
run 0 "$asif" replay w; says 'the evidence stands'
sed -i 's/{-table/{1 - table/' b.c
run 1 "$asif" verify a.c b.c h.c "${flags[@]}"
sed -i 's/{1 - table/{-table/' b.c

# What is missing, or there twice, or differently: with both places.
run 2 "$asif" verify a.c h.c "${flags[@]}"; warns 'h.c:6:31: value has no body here: name the file that has it too, or #include it'
echo 'struct counter { _Atomic int n; struct counter *next; } the;' >c.c
run 2 "$asif" verify a.c b.c h.c c.c "${flags[@]}"; warns 'c.c:1:57: the is defined here, and in another file: h.c:3:16'
echo 'struct counter { int n; } the;' >c.c
run 2 "$asif" verify a.c b.c h.c c.c "${flags[@]}"; warns 'c.c:1:27: the is declared differently in another file: '
echo 'int value(void) { return 1; }' >c.c
run 2 "$asif" verify a.c b.c h.c c.c "${flags[@]}"; warns 'c.c:1:5: value is declared differently in another file: '
echo '#include "q.h"
int value(struct counter *c) { return 1; }' >c.c
run 2 "$asif" verify a.c b.c h.c c.c "${flags[@]}"; warns 'c.c:2:5: value is defined here, and in another file: b.c:7:5'
echo '#include "q.h"
__attribute__((weak)) int value(struct counter *c) { return 1; }' >c.c
run 0 "$asif" verify a.c b.c h.c c.c "${flags[@]}"
run 0 "$asif" verify c.c a.c b.c h.c "${flags[@]}"
run 1 "$asif" verify c.c a.c h.c "${flags[@]}"

# Flags from compile_commands.json: of each file, as a command or a list, paths from its directory.
cat >compile_commands.json <<END
[ { "directory": "$PWD/other", "file": "../a.c", "command": "cc -O2 -I../include -o a.o -c ../a.c", "output": "a.o" },
  { "directory": "$PWD", "file": "$PWD/b.c", "arguments": ["cc", "-I", "include", "-DEXTRA=(1 - 1)", "-c", "b.c"] },
  { "directory": "$PWD", "file": "h.c", "command": "cc '-Iinclude' -std=gnu11 -c h.c" } ]
END
run 0 "$asif" verify a.c b.c h.c --ops 2 --compile-commands compile_commands.json
run 0 "$asif" verify a.c b.c h.c --compile-commands compile_commands.json --evidence e
run 1 "$asif" verify a.c b.c h.c --compile-commands compile_commands.json -- -UEXTRA -DEXTRA=1
run 2 "$asif" verify a.c b.c h.c c.c --compile-commands compile_commands.json; warns 'compile_commands.json: it has no command for c.c'
run 2 "$asif" test a.c b.c h.c --compile-commands compile_commands.json; warns 'a.c and b.c have different flags'
sed -i 's/-std=gnu11/-funsigned-char/' compile_commands.json
run 2 "$asif" verify a.c b.c h.c --compile-commands compile_commands.json; warns '-funsigned-char may change what C means'
echo '[ { "file": ' >compile_commands.json
run 2 "$asif" verify a.c b.c h.c --compile-commands compile_commands.json; warns 'this is not a list of compile commands'
cat >compile_commands.json <<END
[ { "directory": "$PWD", "file": "a.c", "command": "cc -Iinclude -DEXTRA=0 -c a.c" },
  { "directory": "$PWD", "file": "b.c", "command": "cc -Iinclude -DEXTRA=0 -c b.c" },
  { "directory": "$PWD", "file": "h.c", "command": "cc -Iinclude -DEXTRA=0 -c h.c" } ]
END
sed -i 's/^inline/static inline/' b.c h.c
run 0 "$asif" test a.c b.c h.c --compile-commands compile_commands.json

# prove too.
cp "$root"/objects/treiber_stack.c whole.c
echo 'int unrelated(void) { return 1; }' >rest.c
run 0 "$asif" prove whole.c rest.c --time-limit 60
