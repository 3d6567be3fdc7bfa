#!/bin/bash
# Addresses as numbers are ordinary C: what verify knows of them it uses, and what it does not model is unknown, with the
# place, and never a violation.
. "$(dirname "$0")/common"

# address STATUS EXPRESSION: an operation that must return 1 returns it, over a node from malloc, and variables.
address() {
  cat >a.c <<EOF
#include <asif.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
struct node { struct node *next; int a, b; };
static struct node g, h;
static char c;
static int small[4];
static _Atomic(uintptr_t) word;
static int f(void) {
  struct node *n = malloc(sizeof *n);
  int local;
  return ($2) != 0;
}
struct s { int n; };
static int s_f(struct s *s) { (void)s; return 1; }
ASIF_SPEC(one, struct s)
ASIF_SPEC_OP(s_f, "f")
ASIF_OBJECT(one)
ASIF_OP(f)
EOF
  run "$1" "$asif" verify a.c --threads 1 --ops 1
  [ "$1" != 3 ] || says 'unknown: a.c:13:'
  [ "$1" != 3 ] || says 'beyond what is modelled: the number of an address'
}

# Marks, null, equality, and the order within an object.
address 0 '((uintptr_t)n & 7) == 0'
address 0 '(struct node *)(((uintptr_t)n | 1) & ~(uintptr_t)1) == n'
address 0 '(struct node *)((uintptr_t)n ^ 1 ^ 1) == n'
address 0 '((uintptr_t)&g & 7) == 0'
address 0 '((uintptr_t)&g.a & 3) == 0'
address 0 '(uintptr_t)n != 0 && (uintptr_t)n > 0 && 0 < (uintptr_t)n && !((uintptr_t)n <= 0)'
address 0 '&small[1] < &small[2] && (uintptr_t)&small[3] > (uintptr_t)&small[2]'
address 0 '(uintptr_t)&g != (uintptr_t)&h'
address 0 'atomic_store(&word, (uintptr_t)n), atomic_fetch_or(&word, 1) == (uintptr_t)n'

# What alignment decides; tags above the address.
address 0 '(uintptr_t)n % 16 == 0'
address 0 '((uintptr_t)n | (uintptr_t)5 << 48) != 0'
address 0 '(long)((uintptr_t)n + 8) != 0'
address 0 '((uintptr_t)&n->a | 4) != 0'
address 0 '((uintptr_t)&n->b & 4) != 0'

# What is a choice, the same whenever it is asked.
address 0 '((uintptr_t)n >> 4) % 2 < 2'
address 1 '((uintptr_t)n >> 4) % 2 < 1'
says 'not linearizable'
address 0 '(uintptr_t)&g < (uintptr_t)&h || (uintptr_t)&h < (uintptr_t)&g'
address 0 '&g < &h || &h < &g'
address 0 '(int)(uintptr_t)n == (int)(uintptr_t)n'
# A char is where it likes.
address 1 '((uintptr_t)&c & 1) == 0'
says 'not linearizable'

# Not modelled.
address 3 '(uintptr_t)n * 2 / 2 == (uintptr_t)n'
address 3 '(struct node *)((uintptr_t)n << 1 >> 1) == n'
address 3 '~(uintptr_t)n != 0'
address 3 '((uintptr_t)&g ^ (uintptr_t)&h) != 0'
address 3 '(uintptr_t)&h - (uintptr_t)&g != 0'
# An int in the middle of an array is where it likes.
address 3 'atomic_store(&word, (uintptr_t)&small[1]), atomic_fetch_or(&word, 4) != 0'

# What is undefined stays a violation.
address 1 '*(int *)((uintptr_t)&local | 1)'
says 'undefined behaviour'

# Shifts: to the left, of a negative number, is undefined; to the right it is not.
address 1 '(local = -2, local << 3) != 0'
says 'undefined behaviour'
address 0 '(local = -2, local >> 1) == -1'
address 0 '(local = 2, local << 3) == 16'
