/* A mailbox with bounded signalling: one process delivers letters, another looks at a flag of few bits to know whether there is
 * one, and removes it.
 *
 * M. K. Aguilera, E. Gafni and L. Lamport, The Mailbox Problem (2010), the non-blocking algorithm. Each process counts its
 * letters, delivered or removed, and after each tells the other in rounds of A and B, until one of them knows the other's
 * count. It then writes whether the counts differ, under a timestamp that is greater than those the other has; check takes the
 * word with the greater timestamp. There are only seven timestamps, and greater is not transitive.
 *
 * Rounds are for OPERATIONS deliveries and as many removals: a client may make no more.
 *
 * Linearization points: deliver and remove, where their flag or that of the other comes to say so; check, its second read. */
#include <asif.h>
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef OPERATIONS
#define OPERATIONS 3
#endif
#define ROUNDS (2 * OPERATIONS)

struct flag {
  int stamp, differ;
};
struct message {
  int stamp, count; /* stamp 0: none yet */
};
static _Atomic(struct flag) flag[2];
static _Atomic(struct message) message[2][ROUNDS];
static atomic_int done[2][ROUNDS];

/* Each process's own: 0 delivers, 1 removes. */
static int count[2], rounds[2], next_stamp[2], other_stamp[2], other_count[2];
static bool seen; /* the owner's: the last check was true, and there was no remove since */

static const int greater[7][7] = {
    {0, 0, 1, 1, 1, 0, 0}, {1, 0, 1, 0, 0, 0, 1}, {0, 0, 0, 0, 1, 1, 1}, {0, 1, 1, 0, 0, 1, 0},
    {0, 1, 0, 1, 0, 0, 1}, {1, 1, 0, 0, 1, 0, 0}, {1, 0, 0, 1, 0, 1, 0}};

static bool is_greater(int a, int b) { return greater[a - 1][b - 1] == 1; }

/* The least timestamp that is greater than both: there always is one. */
static int dominating(int a, int b) {
  int stamp = 1;
  while (!is_greater(stamp, a) || !is_greater(stamp, b)) stamp++;
  return stamp;
}

static void set_up(void) {
  struct flag first = {1, 0};
  for (int i = 0; i < 2; i++) {
    atomic_store(&flag[i], first);
    next_stamp[i] = 2;
    other_stamp[i] = 1;
  }
}

static void compare(int me) {
  int other = 1 - me, stamp = 0;
  bool known = false;
  while (!known) {
    int round = rounds[me]++;
    assert(round < ROUNDS);
    stamp = next_stamp[me];
    struct message mine = {stamp, count[me]};
    atomic_store(&message[me][round], mine);
    struct message theirs = atomic_load(&message[other][round]);
    if (theirs.stamp == 0) {
      known = true;
    } else {
      atomic_store(&done[me][round], 1);
      known = atomic_load(&done[other][round]) == 1;
      other_stamp[me] = theirs.stamp;
      other_count[me] = theirs.count;
    }
    struct flag f = atomic_load(&flag[other]);
    next_stamp[me] = dominating(other_stamp[me], f.stamp);
  }
  int mine = count[me];
  struct flag told = {stamp, mine != other_count[me]};
  atomic_store(&flag[me], told);
}

static void deliver(void) {
  asif_require(count[0] < OPERATIONS);
  count[0]++;
  compare(0);
}

static void remove(void) {
  asif_require(seen);
  seen = false;
  count[1]++;
  compare(1);
}

static bool check(void) {
  struct flag a = atomic_load(&flag[0]);
  struct flag b = atomic_load(&flag[1]);
  seen = is_greater(a.stamp, b.stamp) ? a.differ == 1 : b.differ == 1;
  return seen;
}

ASIF_OBJECT(mailbox)
ASIF_OP(deliver)
ASIF_OP(check)
ASIF_OP(remove)
ASIF_INIT(set_up)
ASIF_ROLE(postman, 1, deliver)
ASIF_ROLE(owner, 1, check, remove)
