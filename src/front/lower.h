/* What the parts of lowering share.
 *
 *   lower.c         the driver: operations one after the other, and the finished program
 *   lower_uses.c    how variables are used: which live in registers, which globals never change
 *   lower_layout.c  layouts, globals
 *   lower_memory.c  lvalues, values in registers, loads and stores
 *   lower_order.c   operands whose order C leaves open
 *   lower_strands.c ... in every order
 *   lower_checked.c ... in one order, and checked at run time
 *   lower_expr.c    expressions: as values, for their effects, as conditions
 *   lower_update.c  += and ++, on plain objects and atomic ones
 *   lower_call.c    calls: inlining
 *   lower_copy.c    memcpy, memmove, memset, memcmp, realloc
 *   lower_builtin.c calls of functions that are known: atomics, malloc, locks, Asif's own
 *   lower_real.c    arithmetic on __int128 and floating point
 *   lower_length.c  arrays whose size is not constant
 *   lower_numbers.c builtins that only compute
 *   lower_stmt.c    statements, scopes and jumps
 *   tidy.c          less code: jumps to jumps, copies, what is never used; registers shared
 *   liveness.c      which registers are live
 *
 * An operation is first lowered with as many registers as it likes (each variable and each intermediate value has its
 * own) and with jumps to labels; tidy.c makes it small. */
#ifndef ASIF_FRONT_LOWER_H
#define ASIF_FRONT_LOWER_H

#include <setjmp.h>
#include <string.h>

#include "front/flow.h"
#include "front/front.h"
#include "front/program.h"

enum {
  CODE_MOST = 200000, /* instructions of a program */
  ACCESS_MOST = 64,   /* cells in one access */
  RECURSION_DEFAULT = 8
};

/* What an expression gives, as late as possible: numbers and addresses become instructions only where a register is
 * needed. */
enum value_kind {
  VALUE_NONE,
  VALUE_NUMBER, /* imm */
  VALUE_REG,    /* the registers from r on; of a pointer: and imm cells further */
  VALUE_GLOBAL, /* the address of cell imm of a global */
  VALUE_SLOT    /* the address of a variable in registers: of register r */
};
struct value {
  enum value_kind kind;
  reg r;
  uint32_t global;
  int64_t imm;
  int64_t bytes; /* of an address: what imm is in bytes */
};

struct lvalue {
  bool in_registers;
  reg r;                /* the first of its registers, or ... */
  struct value address; /* ... where it is in memory */
  uint8_t flags;        /* of accesses to it */
  const struct type *type;
  bool packed;              /* it need not be aligned: in a packed struct, or of a type that says so */
  const struct field *bits; /* it is a bit-field; or NULL */
  const struct expr *expr;
  const struct expr *call; /* the atomic operation on it, which says the memory order; or NULL */
};

/* Operands that are in no order (lower_order.c): what is wanted of each. */
struct operand {
  const struct expr *expr;
  bool is_lvalue; /* where it is, and not its value ... */
  bool is_read;   /* ... or both: the left side of += */
};
typedef VEC(struct operand) operands;
struct given { /* an operand that was evaluated already */
  const struct expr *expr;
  struct value value;
  struct lvalue lvalue;
};

/* An assignment within another (lower_late.c). */
struct frame;
struct late {
  const struct expr *expr;
  const struct frame *frame; /* the call that it is in */
};
struct late_store {
  struct lvalue to;
  struct value value;
  struct place place;
};

/* Where a variable is. */
enum home_kind { HOME_NONE, HOME_REGISTERS, HOME_MEMORY, HOME_VALUE /* a parameter that stands for its argument */ };
struct home {
  enum home_kind kind;
  reg r; /* the first register; the register with the address */
  struct value value;
};
struct homed { /* what a variable's home was before a call */
  uint32_t id;
  struct home home;
};

/* How a variable is used (lower_uses.c). */
enum {
  USE_READ = 1,
  USE_WRITE = 2,
  USE_ADDRESS = 4, /* its address goes anywhere */
  USE_MEMORY = 8,  /* it must be in memory: indexed by what is not constant, or the object of an atomic operation */
  USE_TARGET = 16, /* a pointer whose target must be in memory */
  USE_BEGUN = 32,
  USE_DONE = 64, /* of functions: their bodies are looked at */
  USE_MET = 128
};

/* Scopes that are open: what leaving them must undo. */
struct scope {
  const struct stmt *block;
  uint32_t locals;   /* variables in memory when it began */
  uint32_t cleanups; /* variables with a cleanup when it began */
  bool atomic;       /* of ASIF_ATOMIC */
};

struct target {            /* of goto */
  const struct stmt *stmt; /* S_LABEL */
  uint32_t label;
  uint32_t cleanups; /* variables with a cleanup there */
  uint32_t locals;   /* in memory there; UINT32_MAX: not met yet */
  uint32_t expected; /* in memory at a goto that jumps forward to it; UINT32_MAX: none did */
};
struct case_label {
  const struct stmt *stmt;
  uint32_t label;
};

struct loop { /* where break and continue go */
  uint32_t break_label, continue_label;
  size_t break_scopes, continue_scopes, switch_scopes; /* open around the loop; around the switch */
  const struct stmt *switch_body;
};

/* A call that is inlined, or the operation itself. */
struct frame {
  struct frame *caller;
  const struct decl *function;
  bool is_operation, wanted /* the value */, through /* a pointer */;
  const struct type *as; /* as what the pointer is used that it returns, if that is known; or NULL */
  reg result;
  uint32_t exit;
  bool as_condition; /* it returns by going to one of two labels */
  uint32_t on_true, on_false;
  size_t scopes; /* open when it began */
  struct loop loop;
  VEC(struct target) targets;
  VEC(const struct decl *) hoisted;  /* variables past whose declarations a goto jumps (lower_goto.c) */
  VEC(const struct decl *) declared; /* variables whose declarations were lowered, if there are labels */
};

struct shape { /* the cells of a type, for accesses to all of them */
  const struct type *type;
  const struct cell *cells;
};

struct group { /* registers in a row: one variable or value */
  reg first;
  uint16_t count;
};

struct pointed {
  const struct type *type;
  struct place place;
};

struct lowering {
  struct mem *mem;
  struct unit *unit;
  struct problem *problem;
  jmp_buf failed;
  unsigned recursion;
  bool alone; /* lower_options.alone, or ASIF_INIT's function */
  enum volatile_order volatiles;
  bool malloc_fails; /* lower_options.malloc_fails */
  bool every;        /* what is lowered is an operand that is evaluated in every order with others, outside of calls */
  struct program *program;

  uint8_t *uses; /* a decl */
  struct home *homes;
  uint32_t *global_of; /* 1 + its number in globals, 0 if it has none yet */
  VEC(struct program_global) globals;
  VEC(const struct decl *) functions; /* whose addresses are taken */
  VEC(struct layout) layouts;
  VEC(const struct type *) layout_types; /* of those from malloc; NULL for a variable's */
  VEC(struct shape) shapes;
  /* What pointers to it lose their type (cast to void * or a number), and as what they get one again. */
  VEC(struct pointed) forgotten, guessed;

  /* The operation being lowered. */
  VEC(struct inst) code;
  size_t begin; /* its first instruction */
  VEC(uint32_t) labels;
  VEC(const char *) names; /* a register */
  VEC(struct group) groups;
  VEC(uint32_t) group_of;        /* a register */
  uint32_t label_here;           /* the instruction that a label was placed at last */
  bool statement;                /* the next instruction is a statement's first */
  const struct place *called_at; /* the user's call of a function of a model header; NULL: none is being lowered */
  struct frame *frame;
  VEC(struct homed) homed;
  VEC(struct scope) scopes;
  VEC(const struct decl *) cleanups; /* variables with a cleanup whose scopes are open */
  VEC(reg) locals;                   /* addresses of the variables in memory whose scopes are open */
  VEC(struct case_label) cases;
  unsigned atomic;                    /* ASIF_ATOMIC blocks around */
  VEC(uint32_t) call_of;              /* a number for each instruction: the call that it is in, 0 for none */
  uint32_t calls;                     /* numbers given */
  VEC(struct given) given;            /* operands that were evaluated already, until they are used */
  VEC(const struct decl *) assigning; /* variables whose assignment is being lowered; those from ... */
  size_t assigning_from;              /* ... on are not sequenced before what is lowered now */
  VEC(struct late) late;              /* assignments whose stores come later than their values, with an outer one's */
  VEC(struct late_store) late_stores; /* ... those that were come to */
  const struct type *cast_as;         /* what the pointer that the call being lowered returns is cast to, or NULL */
  unsigned shares_depth;              /* functions being looked at */
  bool shares_assumed;                /* ... one of which counts as private meanwhile */
  uint8_t *shares;                    /* a decl: whether the function touches memory that others see */
};

/* lower.c */
_Noreturn void lower_refuse(struct lowering *, struct place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void lower_outside(struct lowering *, struct place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct inst *emit_inst(struct lowering *, enum code, struct place);
uint32_t label_new(struct lowering *);
void label_place(struct lowering *, uint32_t);
void emit_jump(struct lowering *, uint32_t label, struct place);
void emit_branch(struct lowering *, reg, bool when, uint32_t label, struct place);
struct inst *emit_trap(struct lowering *, struct place, const char *format, ...) __attribute__((format(printf, 3, 4)));
reg reg_new(struct lowering *, uint32_t count, const char *name);
void reg_name(struct lowering *, reg first, const char *name, const struct type *);
const char *lower_text(struct lowering *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* lower_uses.c */
void uses_of_function(struct lowering *, const struct decl *);
bool uses_parameter_as_lvalue(const struct lowering *, const struct decl *);
const struct expr *pointer_without_casts(const struct expr *);
const struct expr *pointer_of_memory(const struct expr *); /* ... to void * too: the arguments of memset and its like */

/* lower_layout.c */
void refuse_type(struct lowering *, const struct type *, struct place); /* if it is one that is not followed */
struct scalar scalar_of(const struct type *);
/* Memory may be accessed as another type than it has: why. */
void lower_loose(struct lowering *, struct place, const char *format, ...) __attribute__((format(printf, 3, 4)));
uint32_t layout_for(struct lowering *, const struct type *, const struct decl *variable, struct place);
const struct cell *cells_shape(struct lowering *, const struct type *); /* of a struct or an array; otherwise NULL */
uint32_t global_for(struct lowering *, const struct decl *); /* of a function too: what its address points to */

void locals_lay_out(struct lowering *); /* thread-local variables; global_of is then 1 + the first cell of each */
void own_needed(struct lowering *, enum own);
struct value own_word(struct lowering *, enum own, uint32_t cell, struct place); /* I_OWN */

/* lower_memory.c */
struct lvalue lvalue_of(struct lowering *, const struct expr *);
struct lvalue lvalue_pointed(struct lowering *, const struct expr *pointer, const struct type *of,
                             const struct expr *lvalue);
struct value value_load(struct lowering *, const struct lvalue *, struct place);
void value_store(struct lowering *, const struct lvalue *, struct value, struct place);
void value_assign(struct lowering *, reg, uint32_t count, struct value, struct place);
void value_unset(struct lowering *, reg, struct place); /* as if it was never set */
struct inst *emit_access(struct lowering *, enum code, const struct lvalue *, struct place);
reg value_reg(struct lowering *, struct value, struct place);
reg value_copy(struct lowering *, struct value, uint32_t count, struct place); /* in registers of its own */
struct lvalue lvalue_part(struct lvalue, uint32_t cell, uint32_t byte);
void init_in_memory(struct lowering *, const struct lvalue *, const struct expr *init); /* of mixed types */
bool lives_in_memory(const struct lowering *, const struct decl *);
void value_init(struct lowering *, reg, const struct type *, const struct expr *init);
bool init_is_zero(const struct expr *init);

static inline struct value value_number(int64_t n) { return (struct value){.kind = VALUE_NUMBER, .imm = n}; }
static inline struct value value_in(reg r) { return (struct value){.kind = VALUE_REG, .r = r}; }

/* lower_order.c. Where operands conflict, evaluates those in every order: lower_given then has each. To be called
 * before they are lowered, and l->given.count put back afterwards. whole: they do not interleave. */
void lower_unordered(struct lowering *, const struct operand *, unsigned count, bool whole, struct place);
void lower_unordered_pair(struct lowering *, const struct expr *, const struct expr *, struct place);
void lower_unordered_args(struct lowering *, const struct expr *call);
void lower_unordered_init(struct lowering *, const struct expr *init);
bool lower_is_shared(struct lowering *, const struct expr *lvalue);         /* writing it may be seen by others */
bool lower_address_is_shared(struct lowering *, const struct expr *lvalue); /* its address comes of what others write */
/* The code from begin on, before which there were `base` registers, and the stores: in every order. */
void lower_with_stores(struct lowering *, size_t begin, uint32_t base, const struct late_store *, unsigned count,
                       struct place);
bool lower_given(struct lowering *, const struct expr *, struct given *);
void lower_assigning(struct lowering *, const struct expr *target); /* a side effect on it */
size_t
lower_sequenced(struct lowering *); /* what follows is sequenced before the rest, until assigning_from is put back */

/* lower_late.c */
enum { LATE_MOST = 3 };
struct late_list {
  const struct expr *expr[LATE_MOST];
  unsigned count;
  bool unknown; /* more than there is room for, or it is not certain that it happens */
};
/* Assignments in either that may come later; NULL: nothing. */
struct late_list late_within(struct lowering *, const struct expr *, const struct expr *);
bool late_is(const struct lowering *, const struct expr *);
struct value late_put(struct lowering *, const struct lvalue *, struct value, struct place); /* gives the value */
struct value late_assign(struct lowering *, const struct expr *, const struct late_list *, bool wanted);

/* lower_expr.c: the assignment e; joins: late stores of what is in it come in any order with its own. */
struct value lower_assignment(struct lowering *, const struct expr *e, bool wanted, bool joins);

static inline void call_made(struct lowering *l, size_t begin) { /* the code from there on is a called function's */
  l->calls++;
  for (size_t i = begin; i < l->call_of.count; i++) l->call_of.at[i] = l->calls;
}
/* The code from there on stores a bit-field: it is one part as a call is, but an access of this function's. */
#define CALL_OF_BITS (UINT32_C(1) << 31)
static inline void bits_stored(struct lowering *l, size_t begin) {
  call_made(l, begin);
  for (size_t i = begin; i < l->call_of.count; i++) l->call_of.at[i] |= CALL_OF_BITS;
}
static inline bool is_called(uint32_t call) { return call && !(call & CALL_OF_BITS); }

/* lower_expr.c */
struct value lower_value(struct lowering *, const struct expr *);
void lower_effect(struct lowering *, const struct expr *);
void lower_branch(struct lowering *, const struct expr *, bool when,
                  uint32_t label); /* there if it is true (false), else on */
struct value value_convert(struct lowering *, struct value, const struct type *from, const struct type *to,
                           struct place);
struct value value_unary(struct lowering *, enum operator, const struct type *, struct value, struct place);
struct value value_binary(struct lowering *, enum operator, const struct type *, struct value, struct value,
                          struct place);
/* A pointer to elements of a type, `by` further (back: as many before); bound: of the array it is in, 0 if it is not to
 * be checked. */
struct value value_moved(struct lowering *, struct value pointer, struct value by, const struct type *, bool back,
                         uint32_t bound, struct place);
/* The same of `p + n` and `p += n`, where the pointer need not be one: a `char *` may be a number that is counted up.
 */
struct value value_added(struct lowering *, struct value pointer, struct value by, const struct type *, bool back,
                         struct place);
void check_pointer_cast(struct lowering *, const struct expr *cast);
void check_forgotten_types(struct lowering *);

/* lower_real.c: of __int128 and floating point */
struct value real_convert(struct lowering *, struct value, const struct type *from, const struct type *to,
                          struct place);
struct value real_unary(struct lowering *, enum operator, const struct type *, struct value, struct place);
struct value real_binary(struct lowering *, enum operator, const struct type *, struct value, struct value,
                         struct place);

struct value lower_math(struct lowering *, const struct expr *call);

/* lower_length.c */
const struct type *length_element(const struct type *);
struct value length_scaled(struct lowering *, struct value, const struct type *, struct place);
struct value length_elements(struct lowering *, const struct type *, struct place);
void length_check(struct lowering *, reg length, struct place);
void length_check_index(struct lowering *, struct value index, const struct type *array, bool past, struct place);

/* lower_call.c */
struct value lower_call(struct lowering *, const struct expr *, bool wanted);
void lower_call_as_condition(struct lowering *, const struct expr *, uint32_t on_true, uint32_t on_false);
void lower_return(struct lowering *, const struct stmt *);

/* lower_builtin.c */
struct value lower_builtin(struct lowering *, const struct expr *, bool wanted);
bool lower_builtin_branch(struct lowering *, const struct expr *, bool when, uint32_t label); /* false: it is a value */
struct value lower_allocation(struct lowering *, const struct expr *call,
                              const struct type *of); /* malloc, calloc, realloc */
struct inst *emit_allocation(struct lowering *, const struct expr *call, const struct type *of, reg count);
void emit_free(struct lowering *, reg, struct place);
/* The code that sets errno where an allocation may have given NULL; none if it cannot, or nobody asks for errno. */
void lower_failed_allocation(struct lowering *, reg given, struct place);

/* lower_numbers.c */
struct value lower_bits(struct lowering *, const struct expr *);
struct value lower_overflow(struct lowering *, const struct expr *);
struct value lower_abs(struct lowering *, const struct expr *);

/* lower_copy.c */
struct value lower_memory_call(struct lowering *, const struct expr *, bool wanted); /* memcpy, memset, ... */
struct value lower_realloc(struct lowering *, const struct expr *call, const struct type *of);
bool memory_call_is_plain(const struct expr *); /* of whole objects of one type: variables may stay in registers */
void forget_type(struct lowering *, const struct type *, struct place); /* pointers to it have lost their type */

/* lower_update.c */
struct update { /* op= and ++, and what atomic_fetch_... do */
  enum operator op;
  struct value by;
  const struct type *by_type, *computing;
  bool wanted, old; /* which value is wanted */
  struct place place;
  const struct value *loaded; /* what was there, if that was read already; or NULL */
  bool late;                  /* of a plain object: its store comes later (lower_late.c) */
};
struct value lower_update(struct lowering *, const struct lvalue *, const struct update *);

/* lower_stmt.c */
bool statement_is_dead(const struct stmt *, bool body); /* the branch of an if whose condition is a constant */
void lower_statement(struct lowering *, const struct stmt *);
void scope_open(struct lowering *, const struct stmt *, bool atomic);
void scope_close(struct lowering *, struct place);
void scopes_leave(struct lowering *, size_t down_to, uint32_t locals,
                  struct place);                                          /* the code for jumping out of them */
bool scopes_plain(const struct lowering *, size_t down_to);               /* there is no such code */
reg local_in_memory(struct lowering *, const struct decl *, bool zero);   /* the register with its address */
void local_renew(struct lowering *, const struct decl *, reg, bool zero); /* its life ends, and begins anew */
/* lower_goto.c */
void targets_collect(struct lowering *, const struct stmt *body); /* the function begins */
void lower_goto(struct lowering *, const struct stmt *);
void lower_label(struct lowering *, const struct stmt *);
/* Where a jump comes to a case of the switch: nothing has set what is declared before it. */
void unset_at_case(struct lowering *, const struct stmt *body, const struct stmt *to, uint32_t label);
bool is_hoisted(const struct lowering *, const struct decl *);

/* tidy.c: the operation's code from lowering.begin on, labels still in jumps; gives how many registers it uses. `names`
 * and `params` of it come first. */
uint16_t tidy(struct lowering *, uint16_t params, const char ***names);

#endif
