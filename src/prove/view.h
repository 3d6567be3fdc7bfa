/* Views: what one thread knows at one place of its operation (Vafeiadis 2009, section 4).
 *
 * A view is a symbolic heap: the shared memory as far as roots and the thread's registers lead, the thread's own nodes,
 * the abstract value of the object and whether the operation has linearized. Nodes are apart from each other
 * (separation). A segment is one or more nodes in a row through the layout's link, with their contents as one sequence:
 * lseg of section 4.1. What other threads do is found by putting two views together that agree on the shared memory and
 * letting the other thread take its step (compose.c). */
#ifndef ASIF_PROVE_VIEW_H
#define ASIF_PROVE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "front/program.h"

/* A value: its kind in the upper four bits, which one in the others. */
typedef uint16_t val;
enum kind {
  K_UNSET,    /* never written */
  K_NULL,     /* null, and the number 0 */
  K_INT,      /* another number: an index into the prover's constants */
  K_SYM,      /* some number, the same wherever it stands */
  K_NODE,     /* the address of a node, or of the first of a segment */
  K_DANGLING, /* an address of freed memory, which may be in use again: equal to any address or none */
  K_LOCK,     /* a mutex: enum lock */
  K_SEQ,      /* of the abstract value: the contents of a segment, one or more values */
  K_CARRY,    /* of a node: the operation that it stands for: enum carrier, and which operation */
  K_ANY       /* anything at all */
};
#define VAL(kind, index) ((val)((kind) << 12 | (index)))
#define KIND(v)          ((enum kind)((v) >> 12))
#define INDEX(v)         ((unsigned)((v)&0xfff))
#define NIL              VAL(K_NULL, 0)

/* Whose: YOU is the other thread, while two views are put together. A node is a thread's own from its making until
 * others can see it, and again when the thread has taken it out to free it; an address that others still have of it is
 * then one of freed memory. */
enum lock {
  LOCK_FREE,
  LOCK_ME,
  LOCK_YOU,
  LOCK_OTHER,
  LOCK_NOT_ME /* free or another's */,
  LOCK_NEVER_SET /* not initialised yet */
};
enum owner { OWNER_NONE /* shared */, OWNER_ME, OWNER_YOU };

/* Whose operation a node that others see stands for (carry.c): none that has yet to linearize, now and ever; this
 * thread's; the other's; one that a thread has open which is neither, and that has not linearized. */
enum carrier { CARRY_NOTHING, CARRY_MINE, CARRY_YOURS, CARRY_WAITING };
#define CARRY(carrier, op) VAL(K_CARRY, (carrier) | (op) << 2)
#define CARRIER(v)         ((enum carrier)(INDEX(v) & 3))
#define CARRIED_OP(v)      ((uint16_t)(INDEX(v) >> 2))

enum {
  NODES_MOST = 24,
  CELLS_EACH = 6,
  REGS_MOST = 32,
  ROOTS_MOST = 16,
  ATOMS_MOST = 20,
  FACTS_MOST = 24,
  SEEN_MOST = 4
};

enum segment { NO_SEGMENT, SEGMENT, SEGMENT_CARRYING_NOTHING /* each of its nodes is CARRY_NOTHING */ };

struct node {
  uint8_t used, segment /* enum segment */, owner, layout;
  union {
    val contents; /* of a segment: its sequence */
    val carries;  /* of a node: K_CARRY; K_UNSET: not known */
  };
  union {
    val low; /* of a segment: it rises, strictly, and its values lie strictly between low and high; K_UNSET: not known
              */
    val carried_arg; /* of a node that waits: the argument of its operation */
  };
  val high;
  val cell[CELLS_EACH]; /* of a segment only the link, to what follows it */
};

/* What is known of numbers beside equality, which is made so by replacing. */
enum relation { LESS, AT_MOST, DIFFERENT, CONGRUENT /* their lowest 32 bits are the same */ };
struct fact {
  val a, b;
  uint16_t relation;
};

/* Results that a linearization which changes nothing would have given, so far. */
enum pure_result { MAY_EMPTY = 1, MAY_FALSE = 2, MAY_TRUE = 4, MAY_OK = 8 };

struct view {
  uint32_t pc; /* the next access to shared memory; 0: between operations */
  uint16_t op;
  uint16_t syms, seqs; /* names used */
  uint8_t atoms, facts;
  uint8_t may_return;  /* results of read-only linearizations so far: enum pure_result bits */
  uint8_t danglings;   /* addresses of freed memory that are told apart */
  uint8_t carried;     /* the operation has not linearized, and a node stands for it that others see */
  val status;          /* K_UNSET: the operation has not linearized; else the specification's result */
  val arg;             /* of the operation */
  val seen[SEEN_MOST]; /* values that a read-only linearization may have returned so far, in order; K_UNSET: none */
  val reg[REGS_MOST], root[ROOTS_MOST]; /* roots: the cells of the global variables */
  struct node node[NODES_MOST];
  val abs[ATOMS_MOST]; /* the object's abstract value: a sequence, or a multiset (sorted), of items and contents */
  struct fact fact[FACTS_MOST];
};

#endif
