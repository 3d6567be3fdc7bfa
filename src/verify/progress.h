/* Liveness of a system: does something good happen in the end?
 *
 * Progress conditions. A thread is inside an operation from its CALL to its RETURN. A thread that WAITS inside an
 * operation (a lock is taken) is one that tries again and again: a move that changes nothing. A *run* is infinite, or
 * ends where no thread can move.
 *
 *   deadlock-free     No run that is weakly fair (a thread that can move from some point on does move) has, from some
 * point on, an operation open and no RETURN. Checked: no state in which no thread can move and one WAITS inside an
 *                     operation; and no component of the graph without RETURN edges in which an operation is open and
 * every thread that can move in all its states does. Clients are threads too: fairness makes them go on calling.
 *   obstruction-free  No run ends in moves of one thread alone, inside one operation. Checked: no loop of one thread's
 * moves inside an operation without its RETURN; no WAITS inside an operation in any state, since a waiting thread that
 *                     runs alone waits for ever.
 *   lock-free         No run, fair or not, has from some point on moves of threads inside operations and no RETURN: any
 * of the threads may have stopped for ever, wherever it was, and the others complete operations. Checked: no loop
 *                     without RETURN in which a thread inside an operation moves; no WAITS inside an operation, for if
 * all but the waiting thread stop, it tries for ever and nothing returns. wait-free         No run has infinitely many
 * moves of a thread inside one operation. Checked: no loop in which a thread moves, inside an operation, without its
 * RETURN; no WAITS inside an operation.
 *
 * wait-free implies lock-free implies obstruction-free; lock-free implies deadlock-free. Finite graphs have infinite
 * runs only through loops, so the checks are exact for the system's clients: clients that stop after k operations
 * cannot overtake another for ever, and a system with such clients may be wait-free where the object is not. Use
 * clients that never stop. And a CALL must be a move that never WAITS: where it is one move with the operation's first
 * access, who waits there has not called yet.
 *
 * LTL. A formula (ltl.h) is evaluated on every run, or every fair one, as a word: each CALL and RETURN is a letter, a
 * move without any is an empty letter, and a run that ends goes on with empty letters for ever. Fairness is to threads:
 * weak, a thread that can move from some point on moves infinitely often; strong, a thread that can move infinitely
 * often does.
 *
 * A thread that WAITS for a condition, not a lock (move.locked is not set), is at a precondition of its operation that
 * does not hold: the client has not really made that call yet. It is not what waiting means above, nor is its operation
 * open as long as it waits so for ever; and a run in which it does is none that formulas speak of.
 *
 * In formulas and sentences threads are A, B, C; in results, as in moves, they are counted from 0. */
#ifndef ASIF_VERIFY_PROGRESS_H
#define ASIF_VERIFY_PROGRESS_H

#include "verify/search.h"

enum progress { PROGRESS_DEADLOCK_FREE, PROGRESS_OBSTRUCTION_FREE, PROGRESS_LOCK_FREE, PROGRESS_WAIT_FREE };
enum fairness { FAIR_NONE, FAIR_WEAK, FAIR_STRONG };

/* What events are called: by the user in formulas, and in sentences. */
struct ltl_names {
  void *self;
  /* The number of an operation, by name or alias; -1: none is called so. And all of them, for messages: "push, pop". */
  int (*operation)(void *self, const char *name, size_t len);
  void (*list)(void *self, struct text *);
  /* A value as the user writes it: 3, empty; false: it is none. */
  bool (*literal)(void *self, const char *text, size_t len, value *);
  /* What an event's call is: its operation, and its arguments; and in words: "push(1)". */
  int (*call)(void *self, uint16_t call, const value **args, unsigned *count);
  void (*print_call)(void *self, uint16_t call, struct text *);
};

struct liveness_result {
  enum verdict verdict;
  char reason[400]; /* a sentence: why it is violated; which limit was reached, and how far it got; "" when it holds */
  char note[300];   /* a sentence to print with any verdict: propositions of the formula that are never true; or "" */
  /* Violated: an execution that replays on the system from its start. The loop is repeated for ever; without moves the
   * run ends after the stem: in a fault, because no thread can move, or because the stuck thread waits and others may
   * have stopped. */
  struct path_move *stem, *loop;
  size_t stem_count, loop_count;
  /* Not FAULT_NONE: the stem's last move faulted, and nothing was decided about progress. FAULT_FORGOTTEN: there is no
   * stem, and it is to be decided again on a system without forgetting. */
  enum fault fault;
  int stuck;                    /* a thread inside an operation for ever, or -1 */
  bool waits;                   /* it waits in the last state of the stem */
  uint64_t states, transitions; /* of the system */
  uint64_t product;             /* LTL: states of the product */
  uint32_t automaton;           /* LTL: states of the automaton of the negated formula */
  enum limit limit;
  /* By the number of a call: whether a run makes it (CALL_MADE), and one in which it returns (CALL_RETURNED). NULL: not
   * the whole of the system was looked at. */
  unsigned char *calls;
  size_t calls_count;
};
enum { CALL_MADE = 1, CALL_RETURNED = 2 };

/* names may be NULL: then sentences speak of "an operation". Results are owned by mem. Limits give VERDICT_UNKNOWN, as
 * does a move beyond what is modelled (FAULT_RANGE). False with the problem for an internal error. */
bool progress_check(struct mem *, struct system *, enum progress, const struct ltl_names *, struct limits *,
                    struct liveness_result *, struct problem *);
/* False with the problem, "formula:1:5: ...", for a formula that cannot be read too. */
bool ltl_check(struct mem *, struct system *, const char *formula, enum fairness, const struct ltl_names *,
               struct limits *, struct liveness_result *, struct problem *);

const char *progress_name(enum progress); /* "lock-free" */

#endif
