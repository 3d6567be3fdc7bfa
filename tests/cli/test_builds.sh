#!/bin/bash
# asif-cc and asif-c++ are compilers of one word: projects of CMake, meson and autotools are built with them, and their libraries tested.
. tests/cli/common
has cc || exit 77
[ -n "${ASIF_LONG:-}" ] || exit 77
export ASIF_INCLUDE=$root/include
mkdir bin src && ln -s "$asif" bin/asif && ln -s asif bin/asif-cc && ln -s asif bin/asif-c++ && PATH=$PWD/bin:$PATH
export CC=asif-cc CXX=asif-c++

cat >src/stack.c <<'END'
#include <stdatomic.h>
#include <stdlib.h>
struct node { int val; struct node *next; };
static _Atomic(struct node *) top;
void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->val = v;
  n->next = atomic_load(&top);
  while (!atomic_compare_exchange_strong(&top, &n->next, n)) {}
}
int pop(int none) {
  struct node *t = atomic_load(&top);
  do
    if (!t) return none;
  while (!atomic_compare_exchange_strong(&top, &t, t->next));
  return t->val;
}
END
cat >src/size.cc <<'END'
#include <vector>
extern "C" int size() {
  std::vector<int> v(3);
  return (int)v.size();
}
END
cat >src/main.c <<'END'
int pop(int), size(void);
int main(void) { return pop(3) == size() ? 0 : 1; }
END
cat >harness.c <<'END'
#include <asif.h>
void push(int);
int pop(int);
static int take(void) { return pop(ASIF_EMPTY); }
ASIF_OBJECT(stack)
ASIF_OP(push)
ASIF_OP_AS(pop, take)
END
tested() { # ARCHIVE
  CC=cc CXX=c++ run 0 "$asif" test harness.c "$1" -n 2 -o 2; says 'verdict: linearizable (every schedule of 90 clients'
}
built=0
tool() { command -v "$1" >/dev/null || { echo "skipped: there is no $1"; return 1; }; }

cat >src/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.10)
project(x C CXX)
find_package(Threads REQUIRED)
add_library(stack STATIC stack.c size.cc)
add_executable(prog main.c)
target_link_libraries(prog stack Threads::Threads)
END
if tool cmake && tool make; then
  run 0 cmake -S src -B cmade; run 0 cmake --build cmade; tested cmade/libstack.a; built=1
fi

cat >src/meson.build <<'END'
project('x', 'c', 'cpp')
stack = static_library('stack', 'stack.c', 'size.cc')
executable('prog', 'main.c', link_with: stack, dependencies: dependency('threads'))
END
if tool meson && tool ninja; then
  run 0 meson setup mesoned src; run 0 ninja -C mesoned; tested mesoned/libstack.a; built=1
fi

cat >src/configure.ac <<'END'
AC_INIT([x], [1])
AM_INIT_AUTOMAKE([foreign])
AC_PROG_CC
AC_PROG_CXX
AC_PROG_RANLIB
AM_PROG_AR
AC_CHECK_HEADERS([stdatomic.h])
AC_CHECK_FUNCS([malloc])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
END
cat >src/Makefile.am <<'END'
noinst_LIBRARIES = libstack.a
libstack_a_SOURCES = stack.c size.cc
noinst_PROGRAMS = prog
prog_SOURCES = main.c
prog_LDADD = libstack.a
prog_LINK = $(CXXLINK)
END
if tool autoreconf && tool automake && tool make; then
  run 0 autoreconf -i src; mkdir auto && cd auto || exit 1
  run 0 ../src/configure; run 0 make -s; cd .. || exit 1
  tested auto/libstack.a; built=1
fi
[ $built = 1 ] || exit 77
