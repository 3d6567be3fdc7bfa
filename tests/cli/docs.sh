#!/bin/bash
# Every ```console block of the documentation is run again, and must print what it shows. Times and sizes may differ; a
# line of three dots stands for any lines.
. tests/cli/common
mkdir bin && ln -s "$asif" bin/asif && PATH=$PWD/bin:$PATH
ln -s "$root/examples" examples

normal() { sed -E 's/[0-9]+(\.[0-9]+)? (s|ms|MB|GB|KB|kB)\b/N \2/g; s/[[:space:]]+$//' "$1"; }

# Does $2 (what was printed) match $1 (what is shown)?
matches() {
  awk 'NR == FNR { want[++n] = $0; next } { got[++m] = $0 }
    function fits(i, j) {
      if (i > n) return j > m
      if (want[i] == "...") { for (; j <= m + 1; j++) if (fits(i + 1, j)) return 1; return 0 }
      return j <= m && want[i] == got[j] && fits(i + 1, j + 1)
    }
    END { exit !fits(1, 1) }' "$1" "$2"
}

ran=0
check_block() { # FILE LINE
  [ -n "$command" ] || return 0
  (eval "$command") >printed 2>&1 </dev/null
  normal printed >printed.n
  normal shown >shown.n
  matches shown.n printed.n || { diff shown.n printed.n; fail "$1:$2: $ $command"; }
  ran=$((ran + 1))
}

for file in "$root"/README.md "$root"/docs/*.md; do
  inside= command= number=0
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [ -z "$inside" ]; then
      [ "$line" = '```console' ] && inside=yes command= && : >shown
    elif [ "$line" = '```' ]; then
      check_block "$file" "$at"
      inside=
    elif [ "${line:0:2}" = '$ ' ]; then
      check_block "$file" "${at:-0}"
      command=${line:2} at=$number
      : >shown
    elif [ "${line:0:2}" = '> ' ] && [ ! -s shown ]; then
      command="$command
${line:2}"
    else
      printf '%s\n' "$line" >>shown
    fi
  done <"$file"
done
echo "$ran commands"
[ "$ran" -gt 0 ] || exit 77
