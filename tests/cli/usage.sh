#!/bin/bash
# Mistakes on the command line: status 2, and a message that says what would be right.
. tests/cli/common

run 2 "$asif"; warns 'Usage: asif COMMAND'
run 2 "$asif" chekc
has check && warns 'did you mean check?'
run 2 "$asif" nonsense; warns 'unknown command nonsense'
run 2 "$asif" --nonsense; warns 'unknown option --nonsense'
run 0 "$asif" --version; says 'asif '; silent
run 0 "$asif" --help; says 'Usage: asif COMMAND'; silent
run 0 "$asif" help gen; says 'Usage: asif gen'; silent
run 2 "$asif" gen; warns 'which specification'
run 2 "$asif" gen queeu; warns queue
run 2 "$asif" gen queue extra; warns 'too many arguments: extra'
run 2 "$asif" gen queue --opertions 5; warns 'unknown option --opertions; did you mean --operations?'
run 2 "$asif" gen queue -n; warns '-n needs a value'
run 2 "$asif" gen queue -n x; warns 'a whole number from 1'
run 2 "$asif" gen queue -n 0; warns 'a whole number from 1'
run 2 "$asif" gen queue --empty 101; warns 'from 0 to 100'
run 2 "$asif" gen queue --bad stale; warns 'reorder'
run 2 "$asif" gen queue -n 3 --pending 4; warns 'do not fit'
run 2 "$asif" gen queue --format nonsense; warns nonsense
run 2 "$asif" gen queue --list=1; warns 'takes no value'
run 0 "$asif" gen --list; says 'a value that was never put in is taken out'; silent
run 0 "$asif" gen queue -n 5 -- ; silent
run 2 "$asif" completion tcsh; warns 'bash, zsh, fish'
run 2 "$asif" completion
run 2 "$asif" man nonsense; warns nonsense
for c in check convert replay; do
  has $c || continue
  run 2 "$asif" $c --nonsense; warns 'unknown option --nonsense'
done
if has check; then
  printf 'q enq(1) A\nq Ok() A\n' > one
  run 2 "$asif" check; warns 'usage: asif check'
  run 2 "$asif" check one --spec quue; warns queue
  run 2 "$asif" check one --method magic; warns 'fast'
  run 2 "$asif" check one --time-limit soon; warns 'a time above zero'
  run 2 "$asif" check one --memory-limit lots; warns 'a size'
  run 2 "$asif" check one --fromat edn; warns 'did you mean --format?'
fi
