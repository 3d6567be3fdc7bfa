#!/bin/bash
# objects/lib, the library: its headers stand alone, in C and C++; it exports what they declare and no more; and each object, used
# by real threads under the address and the thread sanitizer, keeps to its specification and gives all memory back.
. tests/cli/common
b=$(dirname "$asif")
[ -f "$b/libasif.a" ] || fail "no library at $b/libasif.a"
cc=${CC:-cc}
strict="-std=c11 -D_GNU_SOURCE -O1 -g -pthread -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror -I$root/include"

for f in "$root"/objects/lib/*.h; do
  run 0 $cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c "$f"; silent
done
if command -v g++ >/dev/null; then
  run 0 g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ -include "$root/objects/lib/all.h" /dev/null; silent
fi
for compiler in gcc clang; do
  command -v $compiler >/dev/null || continue
  run 0 $compiler $strict -fsyntax-only "$root"/objects/harness/*.c "$root"/objects/harness/bugs/*.c; silent
done
for f in "$root"/objects/lib/*.c "$root"/objects/harness/bugs/*.c; do
  name=${f#"$root"/objects/}
  grep -qF "($name)" "$root/objects/README.md" || grep -qF "(${name%.c}.h)" "$root/objects/README.md" || fail "objects/README.md lacks $name"
  case $name in lib/hazard.c) ;; lib/*) [ -f "$root/objects/harness/${name#lib/}" ] || fail "no harness for $name" ;; esac
done
if [ -f "$b/libasif-objects.a" ] && command -v nm >/dev/null; then
  for symbol in $(nm -g --defined-only "$b/libasif-objects.a" | awk 'NF == 3 { print $3 }'); do
    grep -qw "$symbol" "$root"/objects/lib/*.h || fail "$symbol is exported, and in no header"
  done
fi

wrap=-Wl,--wrap=malloc,--wrap=aligned_alloc,--wrap=calloc,--wrap=realloc
rounds=2 operations=100
[ -z "${ASIF_LONG:-}" ] || rounds=50 operations=300
# sanitized WHAT: the library and its test, compiled with it and run.
sanitized() {
  mkdir "$1" && cd "$1" || exit 1
  echo 'int main(void) { return 0; }' >it.c
  $cc -fsanitize=$1 it.c -o it 2>/dev/null && ./it || exit 77 # there is none here
  rm it.c it
  $cc $strict -fsanitize=$1 -c "$root"/objects/lib/*.c "$root/tests/objects/library.c" "$root/tests/objects/limits.c" >log 2>&1 || { cat log; exit 1; }
  $cc -fsanitize=$1 $wrap library.o $(ls *.o | grep -v -e library.o -e limits.o) "$b/libasif.a" -o library -pthread -ldl -lm $(libraries) >log 2>&1 || { cat log; exit 1; }
  timeout -k 5 600 ./library $rounds $operations >log 2>&1 || { echo "with -fsanitize=$1:"; cat log; exit 1; }
  all="$(ls "$root"/objects/lib/*.c | grep -vc /hazard.c) objects"
  grep -q "$all" log || { echo "not all were run: $(cat log)"; exit 1; }
  [ $1 = address ] || exit 0 # what follows has one thread
  timeout -k 5 300 ./library --failing 20 >log 2>&1 || { echo "with allocations that fail:"; cat log; exit 1; }
  grep -q "$all" log || { echo "not all were run: $(cat log)"; exit 1; }
  others=$(ls *.o | grep -v -e library.o -e limits.o)
  $cc -fsanitize=$1 limits.o $others -o limits -pthread >log 2>&1 || { cat log; exit 1; }
  ASAN_OPTIONS=allocator_may_return_null=1 timeout -k 5 300 ./limits >log 2>&1 || { echo "limits:"; cat log; exit 1; }
  $cc $strict -fsanitize=$1 -DVERSION_BITS=4 -c "$root/objects/lib/k_fifo_queue.c" >log 2>&1 || { cat log; exit 1; }
  $cc -fsanitize=$1 limits.o $others -o limits -pthread >log 2>&1 || { cat log; exit 1; }
  timeout -k 5 300 ./limits versions >log 2>&1 || { echo "limits, versions:"; cat log; exit 1; }
  exit 0
}
libraries() { # those that libasif needs
  for l in z zstd; do
    echo 'int main(void) { return 0; }' | $cc -x c - -l$l -o /dev/null 2>/dev/null && echo -l$l
  done
}
for what in address thread; do
  (
    trap - EXIT
    sanitized $what
  ) >$what.out 2>&1 &
done
skipped=0
for one in 1 2; do
  wait -n
  case $? in
    0) ;;
    77) skipped=77 ;;
    *) fail "$(cat address.out thread.out)" ;;
  esac
done
[ $skipped = 0 ] || echo "skipped: a sanitizer is missing"
exit $skipped
