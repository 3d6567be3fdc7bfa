#!/bin/bash
# The scripts beside this one: nothing stands behind an exit that is always reached, where it would never be tested.
. tests/cli/common
for script in "$root"/tests/cli/*.sh "$root"/tests/*.sh; do
  bash -n "$script" || fail "$script cannot be read"
  ends=$(awk '/^exit( 0)?$/ { at = NR } at && NR > at && NF { print at; exit }' "$script")
  [ -z "$ends" ] || fail "${script#"$root"/}:$ends: what follows is never run"
done
