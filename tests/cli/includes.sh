#!/bin/bash
# The folder graph of src is the one that docs/development.md lists, and no problem is recognised by its text. (Names of
# specifications: names.sh.)
awk -F'|' '
  FILENAME == ARGV[1] {
    if ($2 ~ /^ *[a-z]+ *$/ && NF == 5) { gsub(/ /, "", $2); may[$2] = " " $3 " "; public[$2] = " " $4 " "; folders++ }
    next
  }
  FNR == 1 { split(FILENAME, path, "/"); from = path[2]; if (!(from in may)) { print FILENAME ": " from " is not in the table"; bad = 1 } }
  match($0, /^#include "[a-z_]+\/[a-z_0-9\/]+\.h"/) {
    name = substr($0, 11, RLENGTH - 11); split(name, parts, "/"); to = parts[1]; header = substr(name, length(to) + 2)
    edges++
    if (to == from) next
    if (index(may[from], " " to " ") == 0) { print FILENAME ":" FNR ": " from " may not include " to; bad = 1 }
    else if (public[to] !~ / all / && index(public[to], " " header " ") == 0) {
      print FILENAME ":" FNR ": " name " is not a public header of " to; bad = 1
    }
  }
  END {
    if (folders < 10 || edges < 100) { print "the table or the sources were not read"; bad = 1 }
    exit bad
  }' docs/development.md src/*/*.[ch] || exit 1
# The graph has no cycle: every folder includes only folders listed above it.
awk -F"|" '$2 ~ /^ *[a-z]+ *$/ && NF == 5 && $2 !~ /folder/ { gsub(/ /, "", $2); n = split($3, to, " "); for (i = 1; i <= n; i++)
  if (!(to[i] in seen)) { print $2 " includes " to[i] ", which does not stand above it"; bad = 1 } seen[$2] = 1 } END { exit bad }' docs/development.md || exit 1

bad=0
complain() { echo "$1"; bad=1; }
found=$(grep -nE 'strstr\([^;,]*(why|problem|said|broken|failure)[a-z_]*(\.|->)(text|said)\b' src/*/*.[ch] | grep -v 'undefined symbol: ') &&
  complain "a problem is recognised by its text:
$found"
exit $bad
