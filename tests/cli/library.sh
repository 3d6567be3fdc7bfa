#!/bin/bash
# The library as its users see it: the example compiles as C and as C++, links with both libraries through asif.pc, and prints
# what docs/library.md shows; and neither library defines a name that is not ours.
. tests/cli/common
b=$(dirname "$asif")
[ -f "$b/libasif.a" ] && [ -f "$b/libasif.so" ] && [ -f "$b/asif.pc" ] || exit 77
cc=${CC:-cc}

# As installed.
mkdir -p usr/lib/pkgconfig usr/include
cp "$root"/include/*.h usr/include
cp "$b/libasif.so" usr/lib/libasif.so.0 && ln -s libasif.so.0 usr/lib/libasif.so
cp "$b/libasif.a" usr/lib
sed "s|^prefix=.*|prefix=$PWD/usr|" "$b/asif.pc" >usr/lib/pkgconfig/asif.pc
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$PWD/usr/lib/pkgconfig
  shared=$(pkg-config --cflags --libs asif) || fail 'asif.pc'
  static=$(pkg-config --static --cflags --libs asif) || fail 'asif.pc'
else
  shared="-I$PWD/usr/include -L$PWD/usr/lib -lasif"
  static="$shared $(sed -n 's/^Libs.private: //p' "$b/asif.pc")"
fi
static=${static/-lasif/$PWD/usr/lib/libasif.a}

# The page has the examples and what they print.
block() { # block KIND N: the Nth of its kind
  awk -v kind="$1" -v n="$2" '$0 == "```" kind && ++seen == n { inside = 1; next } $0 == "```" { inside = 0 } inside' "$root/docs/library.md"
}
shows() { # shows N FILE: the page's Nth program is this file
  block c "$1" >shown.c
  diff shown.c "$root/examples/$2" || fail "docs/library.md shows another example than examples/$2"
}
shows 1 library.c
shows 3 record.c
shows 4 monitor.c

strict='-Wall -Wextra -Wpedantic -Wshadow -Werror'
# prints STATUS FILE: as C and C++, with either library, it ends so, and prints what is in `shown`.
prints() {
  for language in "c -std=c11" "c -std=c17" "c++ -std=c++17"; do
    compiler=$cc
    case $language in c++*)
      compiler=${CXX:-c++}
      command -v "$compiler" >/dev/null || continue ;;
    esac
    for how in shared static; do
      [ $how = shared ] && flags=$shared || flags=$static
      $compiler -x $language $strict "$root/examples/$2" -x none -o program $flags -pthread >log 2>&1 || fail "$language, $how: $(cat log)"
      LD_LIBRARY_PATH=$PWD/usr/lib run "$1" ./program
      silent
      diff shown out || fail "$2, $language, $how: prints something else than docs/library.md shows"
    done
  done
}
block text 1 >shown
prints 0 library.c
: >shown
prints 0 record.c
run 0 "$asif" check stack.asif
says 'verdict: linearizable (40000 operations'
block text 2 >shown
prints 1 monitor.c

# The header compiles, without a warning, as every C and C++ since C99 and C++11.
cat >all.c <<'END'
#include <asif.h>
static void push(int v) { (void)v; }
static int pop(void) { return ASIF_EMPTY; }
static long both(long a, int b) { return a + b; }
static void begin(void) {}
ASIF_OBJECT(stack)
ASIF_OP(push, ASIF_IN(1, 3))
ASIF_OP(pop)
ASIF_OP_AS(peek, both, ASIF_IN(1, 2), ASIF_IN(1, 2))
ASIF_INIT(begin)
ASIF_ROLE(one, 1, push)
ASIF_ROLE(others, ASIF_REST, push, pop)
ASIF_BOUND(3)
int main(int count, char **words) {
  asif_history *h = asif_history_new();
  asif_tape *t = NULL;
  asif_call(h, asif_thread(), NULL, "push", ASIF_ARGS(asif_int(count), asif_text(words[0])));
  asif_return(h, 0, asif_int(ASIF_OK));
  asif_call(h, 0, NULL, "pop", ASIF_NO_ARGS);
  asif_history_free(h);
  asif_recorder_call2(t, 1, 2, 3);
  asif_recorder_return(t, ASIF_OK);
  ASIF_ATOMIC { ASIF_LIN(); }
  return 0;
}
END
cat >spec.c <<'END'
#include <asif.h>
struct state { int n; };
static void begin(struct state *s) { s->n = 1; }
static int inc(struct state *s) { asif_require(s->n < 5); return s->n++; }
static void add(struct state *s, long by) { s->n += (int)by + asif_choose(2) + asif_process(); }
ASIF_SPEC(mine, struct state, begin)
ASIF_SPEC_OP(inc, "increment")
ASIF_SPEC_OP(add)
END
for compiler in gcc clang g++ clang++; do
  command -v $compiler >/dev/null || continue
  case $compiler in
  *++) standards='c++11 c++14 c++17 c++20 gnu++11' language=c++ files=all.c ;;
  *) standards='c99 c11 c17 c2x gnu99' language=c files='all.c spec.c' ;;
  esac
  for standard in $standards; do
    echo 'int x;' | $compiler -x $language -std=$standard -fsyntax-only - 2>/dev/null || continue
    for file in $files; do
      $compiler -x $language -std=$standard -Wall -Wextra -pedantic -Werror -Iusr/include -fsyntax-only $file >log 2>&1 || fail "$compiler -std=$standard $file: $(cat log)"
    done
  done
done
# What a signature is, is told at compile time by both languages, the same.
for wrong in 'static int f(char *p) { return !p; }' 'static float f(void) { return 0; }' 'static int f(int a, int b, int c, int d) { return a + b + c + d; }'; do
  printf '#include <asif.h>\n%s\nASIF_OP(f)\n' "$wrong" >wrong.c
  for compiler in "$cc -x c" "${CXX:-c++} -x c++ -std=c++11"; do
    command -v ${compiler%% *} >/dev/null || continue
    $compiler -Iusr/include -fsyntax-only wrong.c >log 2>&1 && fail "$compiler takes $wrong"
    grep -q 'an operation takes up to three' log || fail "$(cat log)"
  done
done

# Every public name is declared, and nothing else is defined.
if command -v nm >/dev/null; then
  nm -D --defined-only usr/lib/libasif.so | awk '$2 != "A" { print $NF }' | grep -vE '^(_init|_fini|__bss_start|_edata|_end)$' |
    sort -u >shared.names
  nm -g --defined-only usr/lib/libasif.a | awk 'NF == 3 { print $NF }' | sort -u >static.names
  grep -o 'asif_[a-z_0-9]*(' <(grep '^ASIF_API' "$root/include/asif.h") | tr -d '(' | sort -u >declared
  [ -s declared ] || fail 'no declarations in asif.h'
  diff declared shared.names || fail 'libasif.so defines other names than asif.h declares'
  diff declared static.names || fail 'libasif.a defines other names than asif.h declares'
fi
