#!/bin/bash
# Help, manual pages and completion of every command.
. tests/cli/common

names=$("$asif" completion fish | sed -n 's/.*__fish_use_subcommand -a \([a-z+]*\) .*/\1/p')
[ -n "$names" ] || fail 'no commands'
for c in $names; do
  run 0 "$asif" "$c" --help; says "Usage: asif $c"; silent
  run 0 "$asif" "$c" -h; silent
  awk 'length > 100 { print FILENAME ": " $0; bad = 1 } END { exit bad }' out || fail 'lines too long'
  run 0 "$asif" man "$c"; says '.SH NAME'; silent
  if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z out 2>warnings
    [ ! -s warnings ] || fail "man page of $c: $(cat warnings)"
  fi
done
run 0 "$asif" man; says '.SH COMMANDS'
if command -v groff >/dev/null; then
  groff -man -Tutf8 -ww -z out 2>warnings
  [ ! -s warnings ] || fail "man page: $(cat warnings)"
fi
for shell in bash zsh fish; do
  run 0 "$asif" completion $shell; silent
  cp out script
  command -v $shell >/dev/null || continue
  $shell -n script || fail "the $shell script does not parse"
done

# In bash, does it complete?
"$asif" completion bash >script
complete_as() { # WANTED WORD...
  wanted=$1
  shift
  bash -c '. ./script; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _asif; echo " ${COMPREPLY[*]} "' bash "$@" >got
  grep -q " $wanted " got || fail "completing '$*' gives: $(cat got)"
}
complete_as gen asif ge
complete_as --operations asif gen --op
complete_as queue asif gen que
complete_as zsh asif completion z
complete_as edn asif gen queue --format e
complete_as duplicate asif gen queue --bad d
complete_as out asif gen queue -o ou

# The formats: one table, from which the help and the manual are made, and the documentation says the same.
run 0 "$asif" convert --help
sed -n '/^Formats:/,/^$/p' out | sed '1d;/^$/d' >formats
[ "$(wc -l <formats)" -ge 8 ] || fail "few formats: $(cat formats)"
while read -r name about; do
  row=$(grep "^| \`$name\` |" "$root"/docs/formats.md) || fail "docs/formats.md lacks $name"
  for suffix in $(printf '%s\n' "$about" | sed -n 's/.*(\(\..*\))$/\1/p' | tr -d ','); do
    case $row in *"\`$suffix\`"*) ;; *) fail "docs/formats.md: $name is also written to $suffix" ;; esac
  done
  case $about in *'not written'*) case $row in *'read only'*) ;; *) fail "docs/formats.md: $name is read only" ;; esac ;; esac
done <formats
[ "$(wc -l <formats)" = "$(grep -c '^| `[a-z-]*` | .* |$' "$root"/docs/formats.md)" ] || fail 'docs/formats.md has other formats'
"$asif" man convert | grep -q 'process.*columns.*method, value' || fail 'the manual lacks the formats'
exit 0
