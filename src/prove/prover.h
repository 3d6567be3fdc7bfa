/* What the files of the prover share.
 *
 *   setup.c        what of a node leads on, what holds its value; what will be freed
 *   numbers.c      what is known of numbers: order, difference
 *   arith.c        arithmetic, and what is undefined in it
 *   heap.c         nodes and segments: splitting, replacing, publishing, freeing
 *   object.c       specifications as sequences and multisets: what an operation does to the abstract value
 *   carry.c        nodes that stand for operations: linearization points in other threads (section 3.1)
 *   step.c         symbolic execution of one step of a thread
 *   abstraction.c  shape and value abstraction (section 4), canonical names
 *   given.c        actions that the user writes; guarantee.c: is a step one of them?
 *   compose.c      interference: another thread's step, seen by this one
 *   moves.c        how a view leads to another: its thread's step, a call, another thread's step
 *   fixpoint.c     all views, closed under steps and interference
 *   certify.c      a proof checked again, without the fixpoint; certify_arith.c: its arithmetic
 *   view_text.c    views as lines of evidence, and back
 *   evidence.c     a proof as a file
 *   points.c       where operations linearize: marked, or found by trying
 *   tell.c         values and views in words; tell_change.c: what a step changes
 *   draw.c         views as pictures
 *   proof.c        the proof as a whole, told */
#ifndef ASIF_PROVE_PROVER_H
#define ASIF_PROVE_PROVER_H

#include "base/limits.h"
#include "base/mem.h"
#include "base/text.h"
#include "prove/prove.h"
#include "prove/view.h"
#include "spec/effects.h"

enum {
  CHOICES_MOST = 200,
  CONSTANTS_MOST = 1000,
  LAYOUTS_MOST = 64,
  OPS_MOST = 16,
  VIEWS_MOST = 200000,
  NAMES_MOST = 1024 /* numbers in a view */
};

struct entry {
  struct view view;
  uint32_t next;   /* in its bucket */
  uint32_t from;   /* the view it came from, 0: the first */
  uint32_t action; /* by interference: one more than the number of the action; 0: by its own step */
};

/* The numbers that a register may ever hold, by the types of all that is put there. */
struct reg_range {
  int64_t low, high;
  bool set;
};

typedef VEC(int64_t) number_list; /* rising, each once */

struct prover {
  struct mem *mem;
  const struct program *program;
  const struct effects *effects; /* the specification */
  uint8_t method[OPS_MOST];      /* of each operation: which of the specification's it is */
  bool ordered;                  /* it compares values: how they are ordered is followed */
  bool mirrored;                 /* the contents are kept from the end to the beginning */
  bool takes_new; /* where any value may be taken out: it is that of the node whose address the step writes, else of the
                     one that it replaces */
  enum prove_level level;
  bool collected; /* the program frees nothing: memory is collected */
  int8_t link[LAYOUTS_MOST],
      data[LAYOUTS_MOST];       /* of each layout: which cell leads on, which holds the value; -1: none */
  uint64_t read;                /* numbers of cells (bits) of nodes that the program reads */
  uint32_t root_of[ROOTS_MOST]; /* of each global: its first root */
  bool int_arguments;           /* all arguments of operations are ints */
  bool certifying;              /* arithmetic is checked once more, by other code */
  bool ranged;                  /* arguments lie where ASIF_IN says; else they are any numbers of their types */
  struct reg_range *reg_ranges; /* of each operation, and of ASIF_INIT's function: what its registers may hold */
  number_list ends;             /* numbers at which a range that is remembered may end */
  number_list spoken_of;        /* those of them that are there because of the program's own numbers */
  bool *counting;               /* of each instruction: it counts, arith.c */
  bool forgets; /* there are many views where operations help each other: what matters in few proofs is forgotten */
  uint32_t followed; /* roots (bits): an operation looks at the link of a node whose address it has from there */
  uint8_t *point;    /* of each instruction: the operation linearizes here */
  uint8_t
      *writes; /* of each instruction: 1 it changed what others see, 2 it made a node visible; NULL: not asked for */
  uint64_t *freed_later; /* of each instruction: registers (bits) that may be freed from here on */
  int64_t constant[CONSTANTS_MOST];
  bool computed[CONSTANTS_MOST]; /* it was reckoned, and is none of the ends: known within a step only */
  bool computes;                 /* one of them is */
  unsigned constants;
  /* Cases: what cannot be told is decided by choosing; a step is run once for each sequence of choices. */
  uint8_t choice[CHOICES_MOST], width[CHOICES_MOST];
  unsigned chosen, choices;
  bool dead; /* this case cannot be, or has failed */
  struct prove_failure failure;
  bool failed;
  VEC(struct entry) entries; /* entry 0 is none */
  uint32_t *buckets;
  uint32_t bucket_mask;
  VEC(struct view) actions; /* what other threads may do: the views of a thread before a step that others notice */
  struct given *given;      /* what the user says that other threads may do; guarantee.c */
  unsigned given_count;
  struct view *before; /* where actions are given: the view right before the step's first write; else NULL */
  bool marked;         /* points are those marked in the source */
  bool helping;        /* operations may linearize by steps of other threads: nodes stand for them */
  uint64_t steps, compositions;
  uint64_t tried; /* compositions of all attempts so far, in hundreds */
};

/* Cases. */
unsigned choose(struct prover *, unsigned width); /* one of 0 .. width-1 */
bool next_case(struct prover *);                  /* after the first: is there another? */
static inline void first_case(struct prover *p) {
  p->choices = p->chosen = 0;
  p->dead = false;
}
/* The proof fails in this case; the first failure is kept. */
void prove_fail(struct prover *, enum prove_fail, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The prover cannot go on: also where another thread's failure would not matter. */
void prove_limit(struct prover *, enum prove_fail, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* numbers.c */
val number(struct prover *, int64_t);
bool is_number(val v); /* a number known or not, but no address */
static inline bool is_constant(val v) { return KIND(v) == K_INT || KIND(v) == K_NULL; }
static inline int64_t constant_value(const struct prover *p, val v) {
  return KIND(v) == K_NULL ? 0 : p->constant[INDEX(v)];
}
bool known_less(const struct prover *, const struct view *, val a, val b);
bool known_at_most(const struct prover *, const struct view *, val a, val b);
bool known_different(const struct prover *, const struct view *, val a, val b);
void learn(struct prover *, struct view *, val a, enum relation, val b); /* dead if it cannot be */
void learn_again(struct prover *, struct view *); /* after one value took the place of another: dead if it cannot be */
bool can_be(const struct prover *, const struct view *, val); /* false: nothing can be what is known of it */
void tidy_facts(const struct prover *, struct view *); /* forgets what follows from the rest, orders the others */

/* heap.c */
val new_sym(struct view *);
val new_seq(struct view *);
unsigned new_node(struct prover *, struct view *, unsigned layout);
void replace(struct view *, val from, val to, val *more); /* everywhere; also in the registers `more`, if not NULL */
void replace_atom(struct prover *, struct view *, val atom, unsigned count, const val *by);
void split_first(struct prover *, struct view *, unsigned node); /* the first of a segment becomes a node */
void split_in_two(struct prover *, struct view *, unsigned node);
void publish(struct prover *, struct view *, val);
void free_node(struct view *, unsigned node, val *more);
/* A thread: the one whose view it is, or the other that takes its step in it. */
struct actor {
  struct view *view;
  val *reg;
  val *status;
  uint8_t *carried;
  val arg;
  val last[3];    /* its last access: the node accessed, the value that was there, the value written */
  uint32_t knows; /* of another thread: the nodes (bits) of which it knows itself that they stand for an operation */
  uint32_t pc;
  uint16_t op;
  bool me;
  bool setting_up;  /* no operation: ASIF_INIT's function, which linearizes nothing */
  bool access_only; /* what it does after its access is nothing to others */
  bool stepped;     /* its one access to shared memory is done */
  bool wrote;       /* what others see has changed */
  val published;    /* the node that it made visible to others, having been its own; K_UNSET: none */
  bool returned;
  val result;
};
/* Are they equal? Where it is not known both are tried, and what was taken is known then. */
bool same(struct prover *, struct actor *, val, val);
bool less(struct prover *, struct actor *, val, val);

/* arith.c: an operation on numbers; the proof fails where C does not define it for all that the operands may be. */
void find_ranges(struct prover *);
void learn_range(struct prover *, struct view *, val, int64_t low, int64_t high); /* wider, between ends */
val run_unary(struct prover *, struct actor *, const struct inst *);
val run_binary(struct prover *, struct actor *, const struct inst *);
val run_cast(struct prover *, struct actor *, const struct inst *);
val run_choose(struct prover *, struct actor *, const struct inst *);

/* object.c */
bool changes_nothing(const struct prover *, uint16_t op);
void effect_now(struct prover *, struct actor *);
void effect_pure(struct prover *, struct view *); /* results a read-only linearization now would give */
void check_result(struct prover *, struct actor *);
void settle(struct prover *, struct actor *);           /* before a lock is given back: is the argument inside? */
void settle_forgotten(struct prover *, struct actor *); /* ... before it is forgotten what is */

/* carry.c */
bool marks_helping(const struct prover *);
bool carries_own(const struct view *);                 /* a node of the view stands for its thread's operation */
void carry_published(struct prover *, struct actor *); /* after a step: the node it made visible */
void carry_claimed(struct actor *, struct node *);     /* the thread takes it out of the shared memory */
/* The operation linearizes that a node stands for: the node with this thread's number in it, or with K_UNSET one of the
 * last access. NO_REG: any operation. */
void effect_for(struct prover *, struct actor *, unsigned op, val thread);

/* step.c */
void run_step(struct prover *, struct actor *);

/* abstraction.c */
void abstract(struct prover *, struct view *, struct view *canonical);

/* compose.c */
/* `other`'s thread takes the step it is at, in all ways that agree with the view; false: it does not, in this case. */
bool compose(struct prover *, struct view *, const struct view *other);

/* moves.c: each in the present case; p->dead: it leads nowhere. */
bool first_move(struct prover *, struct view *to);
bool own_move(struct prover *, const struct view *from, struct view *to); /* true: others notice it */
void call_move(struct prover *, const struct view *from, uint16_t op, struct view *to);
bool other_move(struct prover *, const struct view *from, const struct view *action,
                struct view *to); /* false: it fails */
void action_of(struct prover *, const struct view *from,
               struct view *action); /* what others may expect of a view that acts */

/* given.c, guarantee.c */
bool read_given(struct prover *, const struct unit *, struct problem *);
bool check_guarantee(struct prover *,
                     const struct actor *); /* false, and failed: the step is none of the given actions */
/* Before anything that others see changes. */
static inline void keep_before(struct prover *p, const struct actor *a) {
  if (p->before && a->me && !a->wrote) *p->before = *a->view;
}

/* setup.c */
bool prover_open(struct prover *, struct mem *, const struct program *, const char *path, struct problem *);

/* points.c */
bool find_points(struct prover *, enum prove_level *reached, unsigned *tries);

/* fixpoint.c */
bool fixpoint(struct prover *); /* closed, nothing failed; else p->failure, or a limit */

/* certify.c */
struct certificate {
  VEC(struct view) views;
  VEC(struct view) actions;
};
bool certify(struct prover *, const struct certificate *, struct text *said); /* false: what is wrong is said */

/* certify_arith.c: of an operation that was run, with its operands and result */
void certify_binary(struct prover *, struct actor *, const struct inst *, val x, val y, val to);
void certify_unary(struct prover *, struct actor *, const struct inst *, val x, val to);
void certify_cast(struct prover *, struct actor *, const struct inst *, val x, val to);

/* view_text.c */
void put_view(const struct prover *, const struct view *, struct text *);
bool get_view(struct prover *, const char *line,
              struct view *); /* false: it is no view of this program, as put_view writes them */

/* prove.c */
bool prove_open(struct mem *, const struct prove_options *, struct proved *,
                struct problem *); /* the program, before prover_open */

/* tell.c */
void tell_value(const struct prover *, val, struct text *);
void tell_root(const struct prover *, unsigned root, struct text *);                    /* "head", "queue.tail" */
const char *tell_register(const struct prover *, const struct view *, unsigned number); /* "" for a temporary */
void tell_cells(const struct prover *, const struct node *, const char *between, struct text *); /* "v0, lock mine" */
void tell_memory(const struct prover *, const struct view *,
                 struct text *); /* "top -> [v0] -> [S0].. -> 0; t -> ..." */
void tell_knows(const struct prover *, const struct view *,
                struct text *); /* "contents v0.S0; v0 < v1; has not linearized" */
void tell_view(const struct prover *, const struct view *, struct text *); /* both */
bool node_is_named(const struct view *, unsigned node);                    /* several things lead to it */

/* tell_change.c */
/* What the step from one view to the other changed for others: "top: t -> n {val v, next t}; contents: A -> v.A". */
void tell_change(const struct prover *, const struct view *before, const struct view *after, struct text *);

/* draw.c */
void draw_view(const struct prover *, const struct view *, struct text *);

#endif
