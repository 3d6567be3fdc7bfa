#!/bin/bash
# Wrong variants of the objects that are proved (tests/prove/wrong): all are refused, and where the line says so with an execution. In `make
# test` a part of them, each of which takes no time; all of them if ASIF_LONG.
. tests/cli/common
has prove || exit 77
export ASIF_INCLUDE=$root/include
mkdir v || exit 1
number=0 ran=0
while read -r object status script; do
  case $object in '#'* | '') continue ;; esac
  number=$((number + 1))
  [ -n "${ASIF_LONG-}" ] || [ $((number % 4)) = 0 ] || continue
  sed "$script" "$root/objects/$object.c" >"v/$object.c" || fail "variant $number is no sed script: $script"
  cmp -s "v/$object.c" "$root/objects/$object.c" && fail "variant $number changes nothing: $object $script"
  "$asif" prove "v/$object.c" --quiet --time-limit 300 >out 2>err </dev/null
  got=$?
  [ $got = "$status" ] || fail "variant $number ($object, $script) ended with $got, not $status: $(cat out err)"
  ran=$((ran + 1))
done <"$root/tests/prove/wrong"
[ $number -ge 60 ] && [ $ran -ge 15 ] || fail "$ran of $number variants ran"
