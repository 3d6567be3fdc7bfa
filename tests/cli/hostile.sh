#!/bin/bash
# Evidence that tries to run, load, write or hang: asif replay refuses all of it, without effect, in bounded time.
. tests/cli/common
has replay && has test && has verify || exit 77
export ASIF_INCLUDE=$root/include TMPDIR=$scratch/tmp
mkdir tmp spy || exit 1
for f in before after out err e arguments; do : >$f; done

# Whatever is run leaves a trace: compilers and their like in the PATH, and `canary`, which the files below try to make.
for name in cc c++ gcc g++ clang ld as addr2line sh touch evil; do
  printf '#!/bin/bash\necho "%s $*" >>"%s/spied"\nexit 1\n' $name "$scratch" >spy/$name
  chmod +x spy/$name
done
canary="$scratch/canary"
# quiet STATUSES ARGUMENT...: replay ends with one of them, in time, and has run nothing.
quiet() {
  statuses=$1
  shift
  PATH=$scratch/spy:$PATH timeout 20 "$asif" replay "$@" >out 2>err </dev/null
  got=$?
  case " $statuses " in *" $got "*) ;; *) fail "replay $* ($what) ended with $got, not $statuses; it said: $(head -c 2000 out err)" ;; esac
  [ ! -e "$canary" ] && [ ! -e spied ] || fail "replay $* ($what) has run something: $(cat spied)"
  ! grep -q "[$controls]" out err || fail "replay $* ($what) prints what a terminal obeys: $(cat -v out err)"
}
controls=$(printf '\001-\010\013-\037')
said() { grep -qF -- "$1" out err || fail "($what) '$1' is not said: $(cat out err)"; }

# The object is right or wrong depending on a macro that an argument can give.
cat >object.c <<'END'
#include <asif.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef BEFORE
#define BEFORE(x) x
#endif
static atomic_int n;
static int inc(int by) { int v = BEFORE(atomic_load(&n)); atomic_store(&n, v + by); return v; }
ASIF_OBJECT(counter)
ASIF_OP_AS(fetch_add, inc, ASIF_IN(1, 1))
END
cat >evil.c <<END
#include <asif.h>
#include <stdlib.h>
__attribute__((constructor)) static void first(void) { system("echo evil >$canary"); }
struct state { int n; };
static int inc(struct state *s) { return s->n++; }
ASIF_SPEC(mine, struct state)
ASIF_SPEC_OP(inc)
END
run 1 "$asif" test object.c -n 2 -o 1 --time-limit 60 --evidence tested --quiet
run 1 "$asif" verify object.c --evidence verified --quiet
printf 'q enq(1) A\nq Ok() A\nq deq() B\nq Ok(2) B\n' >history
run 1 "$asif" check history --spec queue --evidence checked --quiet
run 0 "$asif" prove "$root/objects/treiber_stack.c" --evidence proved --quiet
cat >mine.c <<'END'
#include <asif.h>
struct state { int n; };
static int inc(struct state *s) { return s->n++; }
ASIF_SPEC(mine, struct state)
ASIF_SPEC_OP(inc)
END
printf 'q inc() A\nq Ok(0) A\nq inc() B\nq Ok(0) B\n' >history
run 1 "$asif" check history --spec mine.c --evidence checked-mine --quiet
mine=$(sed -n '/^spec/p' checked-mine | sed 's/$/\\/' | tr '\n' n) mine=${mine%\\n} # "spec mine.c\nspec-hash ..." for sed
{ echo '#include "not-here.h"'; cat object.c; } >compiled.c # left to a compiler
for e in verified checked proved; do what=$e; quiet 0 $e; done
what=tested; quiet 3 tested

# Without --run: nothing that a file names is compiled, loaded or run.
with() { # SED FILE: changed, as `e`
  sed -E "$1" "$2" >e
  cmp -s e "$2" && fail "nothing is changed by $1"
  what=$1
}
mkfifo plumb plumb.c; mkdir folder folder.c; ln -s loop.c loop.c; ln -s plumb pipe.c; ln -s /dev/zero zero.c; : >-x.c
: >@args; echo '#include "/dev/zero"' >includes-zero.c; echo '#include "plumb"' >includes-plumb.c
printf '#line 1 "plumb"\n#error here\n' >line.c; printf '#include "self.c"\n' >self.c
{ echo 'int x = '; head -c 300000 /dev/zero | tr '\0' '('; } >deep.c
{ echo 'int x = '; head -c 300000 /dev/zero | tr '\0' '-'; echo '1;'; } >minus.c
{ for i in {1..60000}; do echo '{'; done; } >blocks; { echo 'void f(void) '; cat blocks; } >blocks.c
{ echo '#define A0 x x'; for i in {1..60}; do echo "#define A$i A$((i - 1)) A$((i - 1))"; done; echo 'int A60;'; } >laughs.c
{ for i in {1..100000}; do echo '#if 1'; done; } >ifs.c
{ echo -n 'int '; head -c 300000 /dev/zero | tr '\0' '*'; echo 'p;'; } >stars.c
{ echo -n 'int a'; for i in {1..20000}; do echo -n '[1]'; done; echo ';'; } >arrays.c
files='evil.c /dev/zero /dev/random /dev/tty plumb plumb.c folder folder.c loop.c pipe.c zero.c - -x.c ./-x.c @args includes-zero.c includes-plumb.c
line.c self.c deep.c minus.c blocks.c laughs.c ifs.c stars.c arrays.c ../../../../../../../etc/passwd /proc/self/mem /proc/self/environ'
ls -A . tmp >before
for f in $files; do
  with "s|^input .*|input $f|" tested; quiet '2 3' e; quiet '2 3' --run e
  with "s|^source .*|source $f|" verified; quiet '1 2 3' e
  with "s|^(hash .*)|\1\nagainst $f|" verified; quiet '1 2 3' e
  with "s|^source .*|source $f|" proved; quiet '1 2 3' e
  case $f in *[!l].c | /proc* | @args | ..*) continue ;; esac # as a specification: a few of them
  for e in tested verified checked proved; do
    case $e in tested | verified) with "s|^(hash .*)|\1\nspec $f|" $e ;; *) with "s|^spec .*|spec $f|" $e ;; esac
    quiet '2 3' e
  done
done
with "s|^(hash .*)|\1\nspec evil.c|" tested; quiet 3 e; said 'specification: evil.c'
with 's/^spec .*/spec evil.c/' checked; quiet 3 e; said 'the specification evil.c is C, which --run compiles and loads'

# Arguments. Our own preprocessor reads them for verify and prove; no compiler sees them.
cat >arguments <<END
-DBEFORE(x)=(system("echo D >$canary"),x)
-Dinc=system
-DBEFORE=system
-D inc=system
-D_=}
-include evil.c
-includeevil.c
-imacros evil.c
-isystem folder
-idirafter folder
-iprefix folder
@args
-fplugin=./evil.so
-fplugin-arg-x-y=z
-fpass-plugin=./evil.so
-Xclang -load
-mllvm -x
--param x=1
-fdump-tree-all=$canary
-fdump-rtl-all
-fdump-ipa-all-graph=$canary
-da
-dumpbase x
-dumpdir .
-fuse-ld=./evil
-wrapper ./evil
-specs=evil
--specs=evil
-B./spy
-B ./spy
--sysroot=spy
-isysroot spy
-no-canonical-prefixes
-o canary
-ocanary
-o./canary
-Wl,-Map=$canary
-Wl,--just-symbols=evil
-Wa,-a=$canary
-Wp,-MD,$canary
-Xlinker -Map=$canary
-Xassembler -a
-Xpreprocessor -x
-MD
-MMD
-MF $canary
-MF$canary
-save-temps
-save-temps=obj
-aux-info $canary
-ftest-coverage
--coverage
-coverage
-fprofile-generate=folder
-fprofile-use=evil
-fprofile-arcs
-fauto-profile=evil
-fstack-usage
-fcallgraph-info
-fsave-optimization-record
-fdiagnostics-format=sarif-file
-fopt-info-all=$canary
-fcompare-debug
-fworking-directory
-fmodules-ts
-fmodule-file=evil
-fsanitize=undefined
-fprofile-note=x
-frecord-gcc-switches
-T evil
-Tevil
-L.
-L .
-levil/../x
-l:evil.a
-l evil
-u x
-z x
-x c++
-x none
-E
-S
-c
-shared
-static
-r
-nostdinc
-nostdlib
-pipe
-time=$canary
-print-prog-name=cc
--version
-v
-###
-Q
-W,x
-std=
-std=c11;x
-march=
-march=x/y
-
--
evil.c
evil.o
./evil.a
-I
-D
-U
-Dx=
-D1=2
-D(x)=1
-DX=1;system
-DX="1"
-DX=1 -DY='1'
END
# A specification in C that --run may load: arguments are looked at before a compiler sees the source, too.
for f in compiled.c object.c; do
  with "s|^source .*|source $f\nargument -B./spy/|; s|^spec .*|$mine|" proved; quiet 3 --run e; said 'not trusted (--trust-arguments)'
done
with "s|^source .*|source compiled.c|; s|^(hash .*)|\1\nargument -B./spy/\n$mine|" verified; quiet 3 --run e; said 'not trusted (--trust-arguments)'
# Without its hash it could be any file of that name.
for e in tested verified proved checked-mine; do
  case $e in
  tested | verified) with 's|^(hash .*)|\1\nspec mine.c|' $e ;;
  proved) with 's|^spec .*|spec mine.c|' $e ;;
  *) with '/^spec-hash/d' $e ;;
  esac
  quiet 3 --run e; said 'the evidence does not say which specification it was'
done
run 2 "$asif" replay --trust-arguments checked; warns '--trust-arguments needs --run'
n=0
while IFS= read -r line; do
  [ "$line" = '-Dx=' ] && continue # nothing in the place of a name; harmless
  n=$((n + 1)) what="argument $line"
  awk -v line="$line" '{ print } /^hash/ { split(line, w, " "); if (line ~ /system|1 -D/) print "argument " line; else for (i = 1; i in w; i++) print "argument " w[i] }' tested >e
  quiet 3 --run e
  said 'not trusted (--trust-arguments)'
  [ $((n % 5)) = 0 ] || continue
  awk -v line="$line" '{ print } /^hash/ { print "argument " line }' verified >e
  quiet '0 1 2 3' e
done <arguments
with 's/^(hash .*)/\1\nargument /' tested; quiet 3 --run e # an empty one
for good in -O2 -DSIZE=4 -DNDEBUG -DT=long -D_GNU_SOURCE -UNDEBUG -I. -std=gnu11 -Wall -Wno-error=unused -g -pthread -lm -fno-strict-aliasing -march=x86-64 -DX=-1 -DX=0x1fUL; do
  what="argument $good"
  sed -E "s/^(hash .*)/\1\nargument $good/" tested >e
  PATH=$scratch/spy:$PATH "$asif" replay --run e >out 2>&1
  grep -q 'not trusted' out && fail "$what is refused: $(cat out)"
  [ -e spied ] || fail "$what: no compiler was asked: $(cat out)"
  rm -f spied
done
# What was asked for is printed before anything runs, also where it fails; with --trust-arguments all is given.
grep -q '^files: object.c' out && grep -q '^arguments: -DX=0x1fUL' out || fail "it is not said what is run: $(cat out)"
sed -E 's/^(hash .*)/\1\nargument -fplugin=x/' tested >e
PATH=$scratch/spy:$PATH "$asif" replay --run --trust-arguments e >out 2>&1; [ -e spied ] || fail "$(cat out)"
rm -f spied

# Commands that replay suggests to repeat are commands of asif, in words.
for asked in 'rm -rf x' 'asif test x; rm x' 'asif test $(rm x)' 'asif test `rm x`' 'asif test x | sh' "asif test 'x" 'asif test x > y' 'asif test x &' 'asif test "x"' 'asif  x'; do
  what="asked $asked"
  awk -v asked="$asked" '/^asked/ { print "asked " asked; next } { print }' tested >e
  quiet 2 e; said 'expected asked asif test'
done

# Text that a terminal obeys.
esc=$(printf '\033]0;x\007\033[2J\r\302\233')
for e in tested verified proved checked; do
  for line in $(sed -nE 's/^([a-z-]+) .*/\1/p' $e | sort -u); do
    what="escapes in $line of $e"
    sed -E "s/^($line .).*/\1$esc/" $e >e; quiet '0 1 2 3' e
  done
done

# Lengths that are not so, files that are cut off, NULs, long lines, nesting.
numbers='4294967295 18446744073709551616 %s%n' lengths='1 3 9 14 20' counts='7 100'
[ -z "${ASIF_LONG-}" ] || {
  numbers="$numbers 4294967296 18446744073709551615 99999999999999999999999999 -1 0 1e9 0x10"
  lengths=$(seq 1 40) counts=$(seq 0 300)
}
for e in tested verified checked proved; do
  lines=$(wc -l <$e) bytes=$(wc -c <$e)
  for i in $lengths $((lines - 1)); do what="$i lines of $e"; head -n "$i" $e >e; quiet '0 1 2 3' e; done
  for i in $counts $((bytes - 1)); do what="$i bytes of $e"; head -c "$i" $e >e; quiet '0 1 2 3' e; done
  for line in $(sed -nE 's/^([a-z-]+) .*/\1/p' $e | sort -u); do
    for bad in $numbers; do
      what="$line $bad of $e"
      sed -E "s/^$line .*/$line $bad/" $e >e; quiet '0 1 2 3' e --memory-limit 1G
    done
    sed -E "s/^($line .)/\1\x0/" $e >e; what="a NUL in $line of $e"; quiet '0 1 2 3' e
    [ "$line" = spec ] || [ "$line" = token ] || [ "$line" = view ] || continue
    { sed "/^$line /q" $e | head -c -1; head -c 3000000 /dev/zero | tr '\0' 'x'; echo; sed "1,/^$line /d" $e; } >e
    what="a long $line of $e"; quiet '0 1 2 3' e
  done
  what="$e: 20 MB on one line"; { head -n 3 $e; head -c 20000000 /dev/zero | tr '\0' '1'; } >e; quiet 2 e
  what="$e: zeros"; { head -n 3 $e; head -c 2000000 /dev/zero; } >e; quiet 2 e
done
for open in '(' '!' '[]' '<>' 'X' 'a U ' '!(' ; do
  for i in {1..13}; do open="$open$open"; done
  what="formula of $((${#open} / 1000)) thousand letters"
  { sed '/^hash/q' verified; echo "formula $open"; echo 'fair none'; sed '1,/^hash/d' verified; } >e; quiet '1 2 3' e
done
for open in '[' '(' '{' '"' "['"; do
  for i in {1..15}; do open="$open$open"; done
  what='nested values'
  { sed '/^history/q' checked; echo "q enq($open) A"; } >e; quiet '1 2 3' e
done
with 's/^threads .*/threads 8/;s/^operations .*/operations 1000/;s/^bound .*/bound 1000000/' verified; quiet '0 1 2 3' e --time-limit 10
with 's/^recursion .*/recursion 1000/' verified; quiet '0 1 2 3' e --time-limit 10
with 's/^steps .*/steps 4294967295/' tested; quiet 2 e

# The evidence itself: a folder, a device without end, something else entirely.
what='no file of evidence'
quiet 2 folder; quiet 2 /dev/zero; quiet 2 /dev/null; quiet 2 "$asif"; quiet 2 loop.c; quiet 2 .

# Nothing was left anywhere.
ls -A . tmp >after
diff before after || fail 'files were left behind'
exit 0
