#!/bin/bash
# objects/README.md says which memory orders of the library could be weaker, by `asif test --relax`: the table is what is found.
# `tests/cli/objects_relax.sh --write` writes it. Without ASIF_LONG only the rows that take a few seconds are compared.
write=${1:-}
. tests/cli/common
export ASIF_INCLUDE=$root/include
has_libdw || exit 77 # without it accesses in one line are one
cd "$root/objects" || exit 1

# Of each object: its number in tests/objects/pairs.c, or -; how it is tested.
objects='
treiber_stack 6 -n 2 -o 2
elimination_stack - -n 2 -o 2
ms_queue 5 -n 2 -o 2 -- -DVALUES=1
two_lock_queue 2 -n 2 -o 2
wing_gong_queue - -n 2 -o 2
wing_gong_bounded_queue - -n 2 -o 2
herlihy_wing_queue - -n 2 -o 2
semiqueue - -n 2 -o 2
stuttering_queue - -n 2 -o 2
spsc_ring 0 -n 2 -o 2
mpmc_ring 4 -n 2 -o 2
chase_lev_deque 1 -n 2 -o 3
optimistic_set - -n 2 -o 2 -- -DVALUES=1
lazy_set - -n 2 -o 2 -- -DVALUES=1
harris_michael_set - -n 2 -o 2 -- -DVALUES=1
multiset - -n 2 -o 2 -- -DVALUES=1
lamport_register 3 -n 2 -o 2
'
long='ms_queue optimistic_set lazy_set harris_michael_set multiset'

# relax ARGUMENT...: FILE:LINE:ACCESS NOW WEAKEST a line.
relax() {
  "$asif" test "$@" >"$scratch/said" 2>"$scratch/err" </dev/null || fail "asif test $* ended with $?: $(cat "$scratch/said" "$scratch/err")"
  awk '/^[^ ].*\.[ch]$/ { n = split($0, path, "/"); file = path[n] }
    /^ +[0-9]+  / { access = substr($0, 9, 28); sub(/ +$/, "", access); split(substr($0, 38), order, " "); print file ":" $1 ":" access, order[1], order[3] }' OFS='\t' "$scratch/said"
}
# The row of an object. Both orders of a site have to do, if there are two.
row() { # NAME NUMBER ARGUMENT...
  name=$1 number=$2
  shift 2
  relax "harness/$name.c" --relax "$@" >"$scratch/own"
  clients=$(sed -n 's/^verdict: .* memory of \([0-9,]*\) clients.*/\1/p' "$scratch/said")
  : >"$scratch/pair"
  [ $number = - ] || relax "$root/tests/objects/pairs.c" --spec self --leaks no --relax --client 'put(0) get(1) | put(1) get(0)' -- -DKIND=$number >"$scratch/pair"
  awk -F'\t' -v name="$name" -v clients="$clients" -v arguments="$*" '
    function rank(o) { return index("relaxed acquire release acq_rel seq_cst", o) }
    function join(a, b) { return (a == "acquire" && b == "release") || (a == "release" && b == "acquire") ? "acq_rel" : rank(a) > rank(b) ? a : b }
    FILENAME == ARGV[1] { pair[$1] = $3; next }
    { weakest = $1 in pair ? join($3, pair[$1]) : $3; all++; split($1, at, ":")
      if (weakest == $2) next
      weaker++
      place = at[2]
      if (at[3] ~ /^(first|second|third|fourth)/) place = place " " substr(at[3], 1, index(at[3], " ") - 1)
      if (at[3] ~ /failed$/) place = place ", failed"
      if (at[1] != file) { said = said (said == "" ? "" : "; ") at[1] " "; file = at[1] } else said = said "; "
      said = said place ": " weakest }
    END { printf "| [%s](lib/%s.c) | `%s` | %s | %d | %d%s |\n", name, name, arguments, clients, all, weaker, weaker ? ": " said : "" }' "$scratch/pair" "$scratch/own"
}

: >"$scratch/rows"
while read -r name number arguments; do
  [ -n "$name" ] || continue
  case " $long " in *" $name "*) [ -n "${ASIF_LONG-}$write" ] || continue ;; esac
  row $name $number $arguments >"$scratch/row" || exit 1
  cat "$scratch/row" >>"$scratch/rows"
  [ -n "$write" ] || grep -qxF "$(cat "$scratch/row")" README.md || fail "README.md lacks: $(cat "$scratch/row")"
done <<<"$objects"
[ -n "$write" ] || exit 0
awk -v rows="$scratch/rows" '
  /^\| object \| clients \|/ { print; getline; print; while ((getline line <rows) > 0) print line; skip = 1; next }
  skip && /^\|/ { next }
  { skip = 0; print }' README.md >"$scratch/readme" && cp "$scratch/readme" README.md
