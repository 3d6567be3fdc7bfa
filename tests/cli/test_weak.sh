#!/bin/bash
# test --memory: what is found in each test of tests/objects/weak_tests.c under each model.
. tests/cli/common
file=$root/tests/objects/weak_tests.c
export ASIF_INCLUDE=$root/include
for model in sc tso c11; do
  case $model in sc) column=3 ;; tso) column=4 ;; c11) column=5 ;; esac
  grep -o 'TEST [a-z_]* [-A-Z] [-A-Z] [-A-Z]' "$file" | cut -d' ' -f"2,$column" | sort >"want.$model"
  [ "$(wc -l <"want.$model")" = "$(grep -c 'TEST [a-z]' "$file")" ] || fail 'a test has no verdicts'
  run 1 "$asif" test "$file" --memory $model --keep-going --leaks no --json
  # The kinds and the clients come in turn.
  grep -o '"violation":"[^"]*"\|"client":"[a-z_]*()"' out | sed 's/^"[a-z]*":"//; s/"$//; s/()$//' | paste - - | while IFS='	' read -r kind name; do
    case $kind in
    'data race') letter=R ;; 'assertion failure') letter=A ;; 'use after free') letter=U ;;
    deadlock) letter=D ;; livelock) letter=L ;; *) letter="$kind" ;;
    esac
    echo "$name $letter"
  done >found
  { cat found; cut -d' ' -f1 "want.$model" | while read -r name; do grep -q "^$name " found || echo "$name -"; done; } | sort -u >"got.$model"
  diff "want.$model" "got.$model" >differ || fail "under $model (<: expected, >: found): $(cat differ)"
done
exit 0
