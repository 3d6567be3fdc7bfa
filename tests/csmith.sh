#!/bin/bash
# tests/csmith.sh ASIF COUNT [FIRST]: random programs of csmith, each compiled and run, and run by asif verify as an
# operation of one thread: both must come to the same checksum. Every other program computes
# with floats too. FIRST is the first program's seed, 1 if it is left out.
# A program is
#   agreed     the checksums are the same
#   refused    verify does not read it, or comes upon what it does not model
#   endless    the compiled program does not end within 10 s: csmith makes such programs too
#   cut        verify took longer than CSMITH_SECONDS (20)
#   no C       csmith takes a float * for an int *, which compilers only warn about, or converts a floating number to
#              an integer type that does not have it, which the compiler's sanitizer says too
#   disagreed  anything else: another checksum, undefined behaviour, a crash. It is kept in csmith-SEED.c
# The status is 1 if one disagreed, or if 2 % of those that were not cut are refused.
set -u
asif=$(realpath "$1") count=$2 first=${3:-1} kept=$PWD
export ASIF_INCLUDE=${ASIF_INCLUDE:-$(realpath "$(dirname "$0")/../include")}
headers=${CSMITH_INCLUDE:-/usr/include/csmith}
if ! command -v csmith >/dev/null || [ ! -f "$headers/csmith.h" ]; then
  echo 'skipped: csmith is not installed (tools/deps csmith)'
  exit 0
fi
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
trap 'sums; exit 130' INT TERM # after the program that is being looked at
cd "$scratch" || exit 2
seconds=${CSMITH_SECONDS:-20}
agreed=0 refused=0 endless=0 cut=0 disagreed=0 no_c=0
# Pointers to members of packed structs are not aligned, and using them is undefined, but csmith does not mind.
options='--no-argc --no-packed-struct --max-funcs 6 --max-block-depth 4'

# What the program computes is told by its checksum; what it prints is of no use here.
object() { # CHECKSUM
  cat <<EOF
#include <asif.h>
#include "csmith.h"
#define platform_main_end(crc, flag) ((void)0)
#define transparent_crc_bytes(at, ...) transparent_crc_bytes((char *)(at), __VA_ARGS__) // it is given a float *
#define main program
#include "program.c"
static int f(void) {
  ASIF_ATOMIC { program(); }
  return (crc32_context ^ 0xFFFFFFFFu) == 0x${1}u;
}
struct s { int n; };
static int s_f(struct s *s) { (void)s; return 1; }
ASIF_SPEC(one, struct s)
ASIF_SPEC_OP(s_f, "f")
ASIF_OBJECT(one)
ASIF_OP(f)
EOF
}

sums() { echo "$agreed agreed, $refused refused, $endless endless, $cut cut, $no_c no C, $disagreed disagreed"; }

tell() { # SEED KIND: one that did not agree, and the line that says why
  echo "$1 $2: $(grep -m1 -e '^verdict' -e ': ' out | cut -c1-200)"
}

mixes_pointers() { # a pointer is refused on a line where the compiler warns about pointers
  line=$(grep -m1 "\*' \(given to\|compared with\)" out | grep -o 'program\.c:[0-9]*:') &&
    grep -F "$line" warnings | grep -q -e 'incompatible.pointer' -e 'distinct pointer'
}

converts_too_much() {
  "${CC:-cc}" -w -O1 -fsanitize=float-cast-overflow -I "$headers" program.c -o checked 2>/dev/null &&
    timeout 10 ./checked 2>&1 | grep -q 'is outside the range of representable values'
}

for ((seed = first; seed < first + count; seed++)); do
  float=--no-float
  [ $((seed % 2)) = 0 ] || float=--float
  # shellcheck disable=SC2086
  csmith --seed "$seed" $float $options >program.c 2>/dev/null || continue
  if ! "${CC:-cc}" -O1 -I "$headers" program.c -o program 2>out; then
    tell "$seed" 'not compiled'
    refused=$((refused + 1))
    continue
  fi
  mv out warnings
  checksum=$(timeout 10 ./program | sed -n 's/^checksum = //p')
  if [ -z "$checksum" ]; then
    endless=$((endless + 1))
    continue
  fi
  object "$checksum" >object.c
  timeout -k 5 $((seconds * 3)) "$asif" verify object.c --threads 1 --ops 1 --quiet --time-limit "$seconds" -- -I "$headers" >out 2>&1
  status=$?
  case $status in
  0) agreed=$((agreed + 1)) ;;
  2 | 3)
    if grep -q 'time limit' out; then
      cut=$((cut + 1))
      tell "$seed" cut
    elif mixes_pointers; then
      no_c=$((no_c + 1))
    else
      refused=$((refused + 1))
      tell "$seed" refused
    fi
    ;;
  *)
    if [ $float = --float ] && converts_too_much; then
      no_c=$((no_c + 1))
      continue
    fi
    disagreed=$((disagreed + 1))
    tell "$seed" "disagreed (status $status)"
    cp program.c "$kept/csmith-$seed.c"
    ;;
  esac
done
sums
[ $disagreed = 0 ] && [ $((refused * 50)) -le $((agreed + refused)) ]
