#!/bin/bash
# `asif check` against a second reference, in another language and by other hands than tests/brute.c: tests/reference.py.
# 500 histories a specification; `make test-reference` compares a million.
. tests/cli/common
has check || exit 77
command -v python3 >/dev/null || { echo 'skipped: no python3'; exit 77; }
run 0 python3 "$root"/tests/reference.py "$asif" 500; says 'no disagreement'; says 'rw-lock: '
# It can tell: a program that always says yes is found out.
printf '#!/bin/sh\nfor a; do case $a in /*) echo "verdict: linearizable ()" ;; esac; done\n' >yes
chmod +x yes
run 1 python3 "$root"/tests/reference.py ./yes 500 queue; says DISAGREEMENTS
exit 0
