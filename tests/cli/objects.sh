#!/bin/bash
# objects/: each compiles without a warning with both compilers; in one thread each does what its specification says; and those
# that are right do so in several threads too, interrupted often. Histories of both are checked.
. tests/cli/common
export ASIF_INCLUDE=$root/include
strict="-std=c11 -O1 -g -pthread -Wall -Wextra -Wpedantic -Wshadow -Werror -I$root/include"
cc=${CC:-cc}

sources=$(cd "$root/objects" && echo *.c bugs/*.c)
for compiler in gcc clang; do
  command -v $compiler >/dev/null || continue
  for f in $sources; do
    run 0 $compiler $strict -fsyntax-only "$root/objects/$f"; silent
    grep -qF "($f)" "$root/objects/README.md" || fail "objects/README.md lacks $f"
  done
done
run 0 $cc $strict -c "$root/tests/objects/driver.c" -o driver.o; silent

# behaves STATUS THREADS OPERATIONS FILE [NAME=VALUE...] [paired]: runs it and checks the history.
behaves() {
  status=$1 threads=$2 operations=$3 file=$4 paired=
  shift 4
  : >subject.c
  for d; do
    case $d in paired) paired=paired ;; *) echo "#define ${d%=*} ${d#*=}" >>subject.c ;; esac
  done
  echo "#include \"$root/objects/$file.c\"" >>subject.c
  how=
  [ "$threads" = 1 ] || how="-include $root/tests/objects/yielding.h"
  run 0 $cc $strict $how subject.c driver.o -o subject
  for seed in 1 2; do
    run 0 timeout 120 ./subject $threads $operations $seed $paired
    mv out history
    # The first line has the specification, with any sums in it as they were written.
    spec=$(sed -n '1s/^# //p' history)
    case $spec in *\(*) arithmetic=${spec#*\(} spec="${spec%%\(*}($((${arithmetic%\)})))" ;; esac
    "$asif" specs "$spec" >/dev/null 2>&1 || spec=$PWD/subject.c
    run $status "$asif" check history --spec "$spec" --quiet
  done
}

for f in $sources; do
  case $f in
  mailbox.c) set -- OPERATIONS=1000 ;;
  herlihy_wing_queue.c | bugs/wg_deq.c) set -- LENGTH=1000 paired ;;
  snzi.c) set -- NODES=5 ;;
  *) set -- ;;
  esac
  case $f in
  bugs/b7.c) behaves 1 1 200 ${f%.c} "$@" ;; # needs no second thread
  *) behaves 0 1 200 ${f%.c} "$@" ;;
  esac
  case $f in
  bugs/* | buggy_queue.c | treiber_stack_free.c) ;; # wrong under some schedules
  *) behaves 0 4 60 ${f%.c} "$@" ;;
  esac
done
behaves 0 4 60 register K=6
behaves 0 4 60 counter S=2
behaves 0 4 60 elimination_stack SLOTS=2
behaves 0 4 60 shann_queue_fixed L=1
behaves 0 4 60 pool_queue CAPACITY=1
behaves 0 4 60 snzi NODES=2
exit 0
