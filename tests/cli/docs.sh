#!/bin/bash
# Every ```console block of the documentation is run again, and must print what it shows. Times, sizes and numbers of states may
# differ; a line of three dots stands for any lines. `tests/cli/docs.sh --write` writes what is printed into the documentation.
write=${1:-}
. tests/cli/common
mkdir bin work && ln -s "$asif" bin/asif && PATH=$PWD/bin:$PATH
export ASIF_INCLUDE=$root/include
cd work && ln -s "$root/examples" "$root/objects" .

normal() { sed -E 's/[0-9]+(\.[0-9]+)? (s|ms|MB|GB|KB|kB|states|moves|views|actions|schedules?|distinct histor(y|ies)|runs?|distinct executions?|executions?)\b/N \2/g; s/about N states/N states/; s/depth [0-9]+/depth N/; s/--replay 1:[^ ]+/--replay TOKEN/; s/[[:space:]]+$//' "$1"; }

# Does $2 (what was printed) match $1 (what is shown)?
matches() {
  awk 'FILENAME == ARGV[1] { want[++n] = $0; next } { got[++m] = $0 }
    function fits(i, j) {
      if (i > n) return j > m
      if (want[i] == "...") { for (; j <= m + 1; j++) if (fits(i + 1, j)) return 1; return 0 }
      return j <= m && want[i] == got[j] && fits(i + 1, j + 1)
    }
    END { exit !fits(1, 1) }' "$1" "$2"
}

ran=0 wrong=0
# Runs $command, compares with ../shown, and appends what belongs there to ../new.
check_command() { # FILE LINE
  [ -n "$command" ] || return 0
  case $command in # its names are told with libdw
  *'asif test '*) has_libdw || { cat ../shown >>../new; command=; return 0; } ;;
  esac
  (eval "$command") >../printed 2>&1 </dev/null
  normal ../printed >../printed.n
  normal ../shown >../shown.n
  ran=$((ran + 1))
  if matches ../shown.n ../printed.n; then
    cat ../shown >>../new
  else
    wrong=$((wrong + 1))
    [ -n "$write" ] || { echo "$1:$2: \$ $command"; diff ../shown.n ../printed.n; }
    cat ../printed >>../new
  fi
  command=
}

for file in "$root"/README.md "$root"/docs/*.md; do
  inside= command= number=0 at=0
  : >../new
  while IFS= read -r line || [ -n "$line" ]; do
    number=$((number + 1))
    if [ -n "$inside" ] && [ "$line" != '```' ] && [ "${line:0:2}" != '$ ' ]; then
      printf '%s\n' "$line" >>../shown
      continue
    fi
    [ -z "$inside" ] || check_command "${file#"$root"/}" "$at"
    printf '%s\n' "$line" >>../new
    if [ "$line" = '```console' ]; then
      inside=yes
    elif [ "$line" = '```' ]; then
      inside=
    elif [ -n "$inside" ]; then
      command=${line:2} at=$number
      : >../shown
    fi
  done <"$file"
  [ -z "$write" ] || cmp -s ../new "$file" || cat ../new >"$file"
done
echo "$ran commands, $wrong print something else"
[ "$ran" -gt 0 ] || exit 77
[ -n "$write" ] || [ "$wrong" = 0 ]
