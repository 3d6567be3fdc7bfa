#!/bin/bash
# The harness macros of asif.h: the same entries from every compiler, as C and as C++, without a warning; a program that
# registers nothing; and what is said of a harness that is wrong.
. tests/cli/common
strict="-Wall -Wextra -Wpedantic -Wshadow -Werror -I$root/include"
helpers=$root/tests/objects

cat >want <<'X'
24 object 'bounded_queue(4 - 1)' 'bounded_queue(K - 1)'
25 op 'put' 'put' signature 4 1..4
26 op 'deq' 'take' signature 2
27 op 'all' 'all' signature 93 0..1 -3..4 5..5
28 op 'twice' 'twice' signature 23 0..1
29 init '' 'set_up'
30 role 'producer' '' 1 of 1
31 role 'consumer' '' -1 of 3
32 bound '' '' 4
33 type-stable '' ''
X
ran=0
for how in 'gcc -std=c11' 'gcc -std=c17 -O2' 'clang -std=c11' 'clang -std=c11 -O2 -fPIC -fvisibility=hidden' \
  'g++ -x c++ -std=c++17' 'g++ -x c++ -std=c++17 -O2' 'clang++ -x c++ -std=c++17'; do
  command -v ${how%% *} >/dev/null || continue
  ran=$((ran + 1))
  run 0 $how $strict "$helpers/every.c" "$helpers/entries.c" -o program; silent
  run 0 ./program
  diff want out || fail "$how: other entries"
  run 0 $how $strict "$helpers/entries.c" -o program; silent
  run 0 ./program
  [ -z "$out" ] || fail "$how: entries in a program that has none: $out"
  run 0 $how $strict -DASIF_HOSTED -c "$helpers/every.c" -o hosted.o; silent
done
[ $ran -gt 0 ] || exit 77

# The example of the page.
awk '$0 == "```c" { inside = 1; next } $0 == "```" { if (inside) exit } inside' "$root/docs/harness.md" >shown.c
[ -s shown.c ] || fail 'docs/harness.md has no example'
run 0 ${CC:-cc} -std=c11 $strict shown.c "$helpers/entries.c" -o program; silent
run 0 ./program; says "op 'push' 'push' signature 4 1..3"

# refused MESSAGE LINE...: does not compile, in C and in C++, and says so.
refused() {
  message=$1
  shift
  printf '%s\n' '#include <asif.h>' "$@" >wrong.c
  for how in 'gcc -std=c11' 'clang -std=c11' 'g++ -x c++ -std=c++17' 'clang++ -x c++ -std=c++17'; do
    command -v ${how%% *} >/dev/null || continue
    run 1 $how -I"$root/include" -c wrong.c -o wrong.o; warns "$message"
  done
}
refused 'put: an operation takes up to three int or long, no pointers, and returns void, bool, int or long' \
  'void put(int *v) { *v = 1; }' 'ASIF_OP(put, ASIF_IN(1, 2))'
refused 'get: an operation takes' 'char *get(void) { return 0; }' 'ASIF_OP(get)'
refused 'get: there are more ASIF_IN than arguments' 'int get(void) { return 0; }' 'ASIF_OP_AS(deq, get, ASIF_IN(1, 2))'
refused 'set_up: must be void set_up(void)' 'int set_up(void) { return 0; }' 'ASIF_INIT(set_up)'
refused 'idle has no operations' 'ASIF_ROLE(idle, 1)'
refused 'busy has more than eight operations' 'int get(void) { return 0; }' \
  'ASIF_ROLE(busy, 1, get, get, get, get, get, get, get, get, get)'
exit 0
