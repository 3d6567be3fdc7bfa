#!/bin/bash
# make install puts everything where it belongs, what it installs works, and uninstall leaves nothing.
. tests/cli/common
command -v make >/dev/null || exit 77
b=$(dirname "$asif")
[ -f "$b/libasif.a" ] || exit 77
b=${b#"$root"/} # named as it was when it was built
asif_make() { env -u MAKEFLAGS -u MFLAGS make -s -C "$root" B="$b" CC="${CC:-cc}" WERROR="${ASIF_WERROR:-}" PREFIX=/usr DESTDIR="$scratch/dest" "$@" >log 2>&1; }
quietly() { asif_make "$@" || fail "$(tail -5 log)"; }
asif_make -q all || { echo 'built with other flags, or out of date'; exit 77; }
quietly install
for f in bin/asif lib/libasif.a lib/libasif.so.0 lib/libasif.so lib/pkgconfig/asif.pc share/man/man1/asif.1 \
  share/man/man1/asif-gen.1 share/bash-completion/completions/asif share/zsh/site-functions/_asif \
  share/fish/vendor_completions.d/asif.fish; do
  [ -e "dest/usr/$f" ] || fail "no $f"
done
run 0 dest/usr/bin/asif --version
for c in asif-cc asif-c++; do # compilers of one word
  echo 'int main(void) { return 0; }' >word.c
  ASIF_CC=${CC:-cc} run 0 dest/usr/bin/$c -c word.c -o word.o; run 0 dest/usr/bin/$c --version
  nm word.o | grep -q __tsan_init || fail "$c gives no hooks"
done
if [ -f "$root/include/asif.h" ]; then
  printf '#include <asif.h>\nint main(void) { return 0; }\n' >user.c
  ${CC:-cc} -Idest/usr/include user.c -o user dest/usr/lib/libasif.a -lz -lzstd -pthread -lm 2>log ||
    ${CC:-cc} -Idest/usr/include user.c -o user 2>log || fail "$(cat log)"
  ./user || fail 'the program does not run'
fi
if command -v nm >/dev/null; then
  clash=$(nm -g --defined-only dest/usr/lib/libasif.a | awk 'NF == 3 && $3 !~ /^asif_/ { print $3 }' | head -3)
  [ -z "$clash" ] || fail "libasif.a exports $clash"
fi
quietly uninstall
[ -z "$(find dest ! -type d)" ] || fail "left behind: $(find dest ! -type d)"
