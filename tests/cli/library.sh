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
