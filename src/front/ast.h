/* The abstract syntax of one preprocessed C file: what the parser makes, typed as it goes (front.h), and lower.c reads.
 *
 * Every node knows its place (`struct place`) in the user's own files, so that messages and schedules can point there.
 * Nodes are owned by the file's struct mem and never freed one by one. Every expression has a type, every implicit
 * conversion is an explicit E_CAST (also the one from an atomic lvalue to its value), every array used as a pointer is
 * an explicit E_DECAY, every use of a name is bound to its declaration, and what is a constant integer is an E_NUMBER.
 */
#ifndef ASIF_FRONT_AST_H
#define ASIF_FRONT_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/text.h"

struct place {
  uint16_t file; /* of unit.files */
  uint32_t line; /* from 1 */
  uint16_t col;  /* from 1 */
};

/* Types. */
enum type_kind {
  TYPE_VOID,
  TYPE_BOOL,
  TYPE_INT,
  TYPE_POINTER,
  TYPE_ARRAY,
  TYPE_STRUCT, /* and a union */
  TYPE_FUNCTION,
  TYPE_MUTEX,
  TYPE_FLOAT, /* float, double: a word, which is its bits (floating.h); and wider ones, which are refused */
  TYPE_VA_LIST
};

struct field {
  const char *name; /* "" for an anonymous struct or union, whose fields are found through it */
  const struct type *type;
  uint32_t offset; /* in bytes, as the system's compiler lays it out */
  uint32_t cell;   /* in cells (program.h): how many come before it */
  struct place place;
  /* A bit-field: how many bits (its type has as many), and the first of them in the byte at `offset`. */
  uint8_t width, first_bit;
  uint8_t pad; /* bits behind it that belong to nothing, up to the next bit-field or byte */
  bool is_bits;
  bool packed; /* by an attribute of its own: at the next byte, a bit-field at the next bit */
};

struct type {
  enum type_kind kind;
  bool atomic, constant, is_volatile; /* qualifiers: a qualified type is a copy of the plain one with `plain` set */
  const struct type *plain;           /* the type without qualifiers; itself if it has none */
  uint32_t size, align;               /* in bytes; 0 while a struct is incomplete */
  uint32_t cells;                     /* scalars in it */
  /* TYPE_INT: char, short, int, long, long long and enums; uintptr_t and intptr_t are integers that may hold a pointer.
   * __int128 has two cells: its lower and its upper 64 bits. */
  uint8_t bits;
  bool is_signed, is_enum, holds_pointer;
  bool twin; /* signed char, long long, atomic_flag: has the values of char, long, bool, and is another type */
  /* TYPE_POINTER, TYPE_ARRAY: what it points to or is made of; TYPE_FUNCTION: what it returns */
  const struct type *of;
  uint32_t count; /* TYPE_ARRAY: elements; 0 while not known */
  /* TYPE_ARRAY: the variable that has the number of its elements, where that is not constant; or NULL. variable: it or
   * what it is made of has one: then its size and cells are not known, and are 0 here. */
  struct decl *length;
  bool variable;
  /* TYPE_STRUCT; a union is one whose fields all begin at 0 */
  const char *tag; /* or NULL */
  bool is_union;
  bool transparent; /* a union: a parameter of this type takes what any of its members does */
  bool as_bytes;    /* a union whose members do not have the same cells: its cells are its bytes */
  bool mixed;       /* some cell is not a scalar of one field at a multiple of its size: there is such a union
                     * in it, a bit-field, or a packed struct */
  bool packed;      /* a scalar in it may be at an address that is not a multiple of its size */
  const struct type *flexible; /* what the array without a size that it ends with is made of, or NULL */
  struct field *fields;
  uint32_t field_count;
  bool complete;
  /* TYPE_FUNCTION */
  const struct type **params;
  uint32_t param_count;
  bool variadic, unspecified; /* int f(...); int f() */
  uint16_t depth;             /* of types within it: bounded, so that code may recurse over it */
  uint16_t file;              /* TYPE_STRUCT, TYPE_UNION: of which file, where several are linked (link.c) */
  bool own_align;             /* a typedef's: align is not that of the plain type */
  /* What nothing that an operation reaches may have: "a union", with where it is declared; or NULL. */
  const char *outside;
  struct place outside_place;
  bool unknown_size; /* of what is outside: not even its size and layout are known */
};

/* What is declared. */
enum storage { STORAGE_AUTO, STORAGE_GLOBAL, STORAGE_STATIC_LOCAL, STORAGE_THREAD_LOCAL, STORAGE_PARAM };
enum decl_kind { DECL_VARIABLE, DECL_FUNCTION, DECL_TYPEDEF, DECL_ENUMERATOR };

struct decl {
  enum decl_kind kind;
  const char *name;
  const struct type *type;
  struct place place;
  enum storage storage;
  struct expr *init; /* DECL_VARIABLE: or NULL; E_INIT for braces */
  int64_t value;     /* DECL_ENUMERATOR */
  uint32_t align;    /* DECL_VARIABLE: asked for by itself, above that of its type if it counts; or 0 */
  struct stmt *body; /* DECL_FUNCTION: NULL if only declared */
  struct decl **params;
  uint32_t param_count;
  bool address_taken;     /* DECL_VARIABLE: & is applied to it (or to a part of it) */
  bool written;           /* DECL_VARIABLE: some code may store to it after its initialisation */
  bool used;              /* named by some expression */
  bool frees;             /* DECL_FUNCTION: its body names free */
  bool defined;           /* a function with a body, a variable that is not only extern */
  bool is_static;         /* of file scope, and not seen from other files */
  bool is_length;         /* DECL_VARIABLE: a number of elements (parse_length.c) */
  bool is_weak;           /* another file's definition is preferred */
  struct expr *cleanup;   /* a local variable: the call that ends it, f(&x), by its cleanup attribute; or NULL */
  int builtin;            /* DECL_FUNCTION: enum builtin, BUILTIN_NONE for the user's own */
  uint32_t access;        /* a builtin whose name says how many bytes it accesses, __sync_..._8: their number; or 0 */
  size_t deferred;        /* DECL_FUNCTION: 1 + the token its body begins with, where that is not read yet; or 0 */
  uint32_t id;            /* unique in the unit: for tables of lower.c */
  uint16_t file;          /* that defines it, where several are linked */
  struct decl *same_hash; /* in the table of what files share */
};

/* Functions the front end knows by itself. The generic atomics take any scalar (or struct) type. Calls of them have
 * only the arguments that are values: memory orders are in the expression, attributes of mutexes are gone. Those that
 * return the new value
 * (__sync_add_and_fetch) come out as the old value and the operation on it; test-and-set, clear and the fetch_... take
 * an integer only. Trying to lock gives 0 or something else; where its number matters, the call comes out as the
 * condition of a choice between EBUSY and 0. */
enum builtin {
  BUILTIN_NONE,
  BUILTIN_ATOMIC_INIT,
  BUILTIN_ATOMIC_LOAD, /* atomic_load, _explicit; __atomic_load_n */
  BUILTIN_ATOMIC_STORE,
  BUILTIN_ATOMIC_EXCHANGE,
  BUILTIN_ATOMIC_CAS,      /* atomic_compare_exchange_strong (object, &expected, desired) */
  BUILTIN_ATOMIC_CAS_WEAK, /* may also fail without a reason */
  BUILTIN_ATOMIC_ADD,
  BUILTIN_ATOMIC_SUB,
  BUILTIN_ATOMIC_OR,
  BUILTIN_ATOMIC_XOR,
  BUILTIN_ATOMIC_AND,   /* atomic_fetch_... */
  BUILTIN_ATOMIC_FENCE, /* atomic_thread_fence */
  BUILTIN_ATOMIC_SIGNAL_FENCE,
  BUILTIN_FLAG_TEST_AND_SET,
  BUILTIN_FLAG_CLEAR,
  BUILTIN_SYNC_CAS_BOOL,  /* __sync_bool_compare_and_swap (object, old, new) */
  BUILTIN_SYNC_CAS_VALUE, /* __sync_val_compare_and_swap */
  BUILTIN_MALLOC,
  BUILTIN_CALLOC,
  BUILTIN_REALLOC,
  BUILTIN_FREE,
  BUILTIN_ABORT,
  BUILTIN_MUTEX_INIT,
  BUILTIN_MUTEX_LOCK,
  BUILTIN_MUTEX_TRYLOCK,
  BUILTIN_MUTEX_UNLOCK,
  BUILTIN_MUTEX_DESTROY,
  BUILTIN_YIELD,   /* sched_yield, thrd_yield, asif_yield: a hint */
  BUILTIN_ASSERT,  /* assert(e) */
  BUILTIN_LIN,     /* ASIF_LIN() */
  BUILTIN_LIN_FOR, /* ASIF_LIN_FOR(op): op is E_NAME of a function; or of an expression that gives the thread */
  BUILTIN_CHOOSE,  /* asif_choose(n) */
  BUILTIN_REQUIRE, /* asif_require(condition): the operation cannot happen, or waits, unless it is true */
  BUILTIN_THREAD,  /* asif_thread(): 0, 1, ...: the calling thread; takes away symmetry */
  BUILTIN_MEMSET,
  BUILTIN_MEMCPY,
  BUILTIN_MEMMOVE,
  BUILTIN_MEMCMP,
  BUILTIN_ATOMIC_NAND,
  BUILTIN_TYPED,    /* call.c replaces the call by its value */
  BUILTIN_BITS,     /* __builtin_ctz and others: order is the enum bits */
  BUILTIN_OVERFLOW, /* __builtin_add_overflow(a, b, &to): op */
  BUILTIN_ABS,
  BUILTIN_MATH, /* fabs and others, whose results are exact */
  BUILTIN_UNREACHABLE,
  BUILTIN_NOTHING, /* output, and sleeping: the arguments are evaluated, and that is all */
  BUILTIN_RANDOM,  /* rand and others: any number */
  BUILTIN_TIME,    /* time, clock_gettime and others: any numbers, also where a pointer points to */
  BUILTIN_EXIT,    /* the process ends */
  BUILTIN_EXPECT,  /* __builtin_expect(e, c): comes out as e */
  /* what the model headers are made of */
  BUILTIN_SELF,   /* __asif_self(): an address that stands for the thread */
  BUILTIN_SLEEP,  /* __asif_sleep(address): the thread sleeps there, once it comes to wait until it does not */
  BUILTIN_SLEEPS, /* __asif_sleeps(): where; 0: it was woken */
  BUILTIN_WAKE,   /* __asif_wake(address): one of those that sleep there; whether there was one */
  BUILTIN_WAKE_ALL,
  BUILTIN_MISUSE, /* __asif_misuse("what"): undefined behaviour */
  BUILTIN_AWAIT,  /* __asif_await_lock(condition): waits for a lock until it is true; __asif_await: for others */
  BUILTIN_LIMIT   /* __asif_limit("why"): not modelled */
};

/* What a mutex is: the value of its cell. One that is not plain is, while it is locked, the address of its owner
 * (OWN_SELF), moved by its kind and MUTEX_ONCE for each time that it was locked. */
enum { MUTEX_FREE, MUTEX_LOCKED, MUTEX_RECURSIVE, MUTEX_CHECKED, MUTEX_ONCE };

/* Memory orders, with the numbers that <stdatomic.h> and __ATOMIC_... give them. ORDER_PLAIN: not an atomic access;
 * ORDER_VARIABLE: not a constant. */
enum memory_order_of {
  ORDER_RELAXED,
  ORDER_CONSUME,
  ORDER_ACQUIRE,
  ORDER_RELEASE,
  ORDER_ACQ_REL,
  ORDER_SEQ_CST,
  ORDER_VARIABLE,
  ORDER_PLAIN
};

/* Expressions. */
enum expr_kind {
  E_NUMBER,  /* value: of an integer that is no __int128; or the bits of a float or double */
  E_STRING,  /* text: only as the message of an assertion, or a name in a harness macro */
  E_NAME,    /* decl */
  E_CALL,    /* a: the function: E_NAME of a DECL_FUNCTION, or the value of a pointer to one; args */
  E_INDEX,   /* a[b]: a is a pointer (E_DECAY of an array) */
  E_FIELD,   /* a.field: a is a struct lvalue or value */
  E_DEREF,   /* *a; p->f is E_FIELD of E_DEREF */
  E_ADDRESS, /* &a */
  E_DECAY,   /* an array as a pointer to its first element */
  E_UNARY,   /* op: '-' '~' '!' '+' */
  E_BINARY,  /* op, a, b: arithmetic, comparisons; pointer +- integer, pointer - pointer */
  E_LOGICAL, /* && ||: op OP_AND_AND, OP_OR_OR */
  E_ASSIGN, /* a = b, or a op= b where op is set: b is not yet converted to the computing type then (see `computing`) */
  E_STEP,   /* ++a, --a, a++, a--: op OP_ADD or OP_SUB, postfix */
  E_CONDITION, /* a ? b : c */
  E_CAST,      /* (type)a, explicit or implicit */
  E_COMMA,
  E_INIT,     /* { ... } completed by type.c: args has one entry for each field or element, NULL for zero */
  E_COMPOUND, /* (type){ ... }: a is the E_INIT; an unnamed variable */
  E_BLOCK,    /* ({ ... }): block, whose last statement gives the value unless the type is void */
  E_OUTSIDE   /* what could not be read; text says why. To lower it is to refuse (parse_recover.c) */
};
enum operator{
  OP_NONE,
  OP_ADD,
  OP_SUB,
  OP_MUL,
  OP_DIV,
  OP_MOD,
  OP_SHL,
  OP_SHR,
  OP_AND,
  OP_OR,
  OP_XOR,
  OP_EQ,
  OP_NE,
  OP_LT,
  OP_LE,
  OP_GT,
  OP_GE,
  OP_AND_AND,
  OP_OR_OR,
  OP_NEG,
  OP_NOT /* ! */,
  OP_INVERT /* ~ */,
  OP_PLUS,
  OP_NAND /* of I_FETCH: ~(a & b) */
};

/* What builtins say of the bits of a number. */
enum bits { BITS_CTZ, BITS_CLZ, BITS_FFS, BITS_POPCOUNT, BITS_PARITY, BITS_CLRSB, BITS_SWAP };
/* False: it is not defined (ctz and clz of 0). bits: of the type. */
bool bits_of(enum bits, uint64_t value, unsigned bits, uint64_t *to);

struct expr {
  enum expr_kind kind;
  enum operator op;
  struct place place;      /* of the operator or the first token: where a caret would point */
  const struct type *type; /* without qualifiers for values; lvalues keep them (atomic, const) */
  bool lvalue, postfix, implicit /* an E_CAST that C made */, arrow /* written -> */;
  bool addressed; /* E_INDEX: & is applied to it, so that it may be one past the end */
  int64_t value;
  const char *text;
  size_t length;
  struct decl *decl;
  const struct field *field;
  const struct type *computing; /* E_ASSIGN with op, E_STEP: the type the arithmetic is done in */
  struct expr *a, *b, *c;
  struct expr **args;
  uint32_t arg_count;
  struct stmt *block;           /* E_BLOCK */
  uint16_t depth;               /* of the tree under it: bounded, so that code may recurse over it */
  uint8_t order, order_failure; /* E_CALL of an atomic operation or a fence: enum memory_order_of; where a
                                   compare-exchange fails */
};

/* Statements. */
enum stmt_kind {
  S_EXPR,
  S_DECL,
  S_BLOCK,
  S_IF,
  S_WHILE,
  S_DO,
  S_FOR,
  S_RETURN,
  S_BREAK,
  S_CONTINUE,
  S_GOTO,
  S_LABEL,
  S_SWITCH,
  S_CASE,
  S_DEFAULT,
  S_EMPTY,
  S_ATOMIC /* ASIF_ATOMIC { body }: one indivisible step */
};
struct stmt {
  enum stmt_kind kind;
  struct place place;
  struct expr
      *expr; /* S_EXPR, S_RETURN (or NULL), conditions (S_IF, S_WHILE, S_DO, S_FOR: or NULL), S_SWITCH, S_CASE */
  struct decl *decl;                    /* S_DECL: one a statement; none for static locals */
  struct stmt *init, *body, *otherwise; /* S_FOR: init (S_EXPR, S_BLOCK of S_DECL, or NULL); S_IF: body, otherwise */
  struct expr *step;                    /* S_FOR */
  struct stmt **list;                   /* S_BLOCK */
  uint32_t count;
  const char *label;   /* S_GOTO, S_LABEL (body is what it labels) */
  int64_t value, last; /* S_CASE: after typing; case 1 ... 3 has a last one, others have it twice */
  bool hides_labels;   /* S_EXPR of E_OUTSIDE: what was left out has labels or cases */
};

/* The harness: what the macros of asif.h said (docs/harness.md). */
struct harness_op {
  const char *name; /* the specification's operation: the function's name unless ASIF_OP_AS gave another */
  struct decl *function;
  int64_t low[3], high[3]; /* the values each argument takes */
  struct place place;
};
struct harness_role {
  const char *name;
  int count;         /* threads of it; ASIF_REST is -1 */
  struct decl **ops; /* functions */
  uint32_t op_count;
  struct place place;
};
struct harness_spec_op {
  const char
      *names; /* of the specification's operation, separated by blanks: the function's, and those ASIF_SPEC_OP gave */
  struct decl *function; /* over a pointer to the state */
  struct place place;
};
struct harness_action {
  const char *name, *text; /* ASIF_ACTION(name, "text"): read by prove/given.c */
  struct place place;      /* of the text */
};
struct harness_effect {
  const char *head, *text;        /* ASIF_EFFECT(push(v), "text"): read by spec/effects_read.c */
  struct place head_place, place; /* place: of the text */
};
struct harness {
  const char *spec; /* "stack", "bounded-queue(4)"; NULL if ASIF_OBJECT was not used */
  struct place spec_place;
  const char *own_spec; /* ASIF_SPEC(name, state, init): a specification written in the file; or NULL */
  const struct type *own_state;
  struct decl *own_init; /* or NULL */
  VEC(struct harness_spec_op) own_ops;
  VEC(struct harness_op) ops;
  VEC(struct harness_role) roles;
  VEC(struct harness_action) actions;
  VEC(struct harness_effect) effects;
  struct decl *init; /* or NULL */
  bool has_final;    /* ASIF_FINAL, which asif test alone runs */
  struct place final_place;
  int64_t bound;    /* ASIF_BOUND; -1 for none */
  bool type_stable; /* ASIF_TYPE_STABLE(): freed memory may be read */
};

struct source_file {
  const char *path; /* as the user knows it */
  const char *text; /* its lines, for carets; NULL if it could not be read */
  size_t length;
  bool is_system; /* a header of the system's, or a model of one */
  bool model;     /* a model header: what is in it is told as part of the user's line that calls it */
};

struct unread { /* what could not be read, and is an error only if an operation reaches it */
  struct place place;
  const char *text;
};

/* The function that a call names; NULL: it is through a pointer. */
static inline struct decl *call_function(const struct expr *call) {
  return call->a->kind == E_NAME && call->a->decl->kind == DECL_FUNCTION ? call->a->decl : NULL;
}

struct unit {
  struct mem *mem;
  VEC(struct source_file) files;
  VEC(struct decl *) decls; /* variables and functions of file scope, in order; static locals too */
  struct harness harness;
  uint32_t decl_count;       /* ids given */
  bool frees;                /* free is named outside functions */
  bool member_arrays;        /* some struct has an array within */
  const char *floating_flag; /* an argument of the compiler that changes what floating point computes, or NULL */
  bool mutex_kinds;          /* a mutex may be recursive, or check for errors: its functions have results then */
  VEC(struct unread) unread;
  uint16_t file;               /* being read, where several are linked, from 0 */
  struct decl **externals;     /* a table of what they share, by name; NULL if there is only one */
  bool address_numbers;        /* numbers of addresses are choices (verify/numbers.c): the program asks for them */
  unsigned room;               /* that a state needs for memory (machine_options.room): also for those who come after */
  struct conflicts *conflicts; /* of its expressions (conflicts.h); NULL: nobody asked */
};

/* path -> preprocessed -> parsed -> typed. cc_args: further arguments for the preprocessor (-I, -D), may be NULL. On
 * failure the problem reads "file:line:col: what", followed by the source line and a caret line. */
struct unit *front_read(struct mem *, const char *path, char *const *cc_args, struct problem *);
/* The same, but no process is started and nothing but plain files is read: PROBLEM_UNSUPPORTED where that would take a
 * compiler. */
struct unit *front_read_own(struct mem *, const char *path, char *const *cc_args, struct problem *);
/* The same from text that is preprocessed already (tests, fuzzing). */
struct unit *front_parse(struct mem *, const char *name, const char *text, size_t length, struct problem *);
/* Where several files are read, cc_args has --with=b.c for every further one, and what follows --for=b.c is for that
 * file alone, up to the next --for=; behind --for= it is for all. */
#define FLAG_WITH "--with="
#define FLAG_FOR  "--for="
char *const *flags_alone(struct mem *, char *const *cc_args, const char *path); /* those for one file; NULL: for all */
/* The first compiler argument that is neither an option nor an option's value; NULL if there is none. */
const char *flags_stray(char *const *cc_args);
/* True if some function names free that is seen from other files or used: as a compiler would leave it. */
bool unit_frees(const struct unit *);
void ast_print(const struct unit *, struct text *);  /* --dump ast */
void type_print(const struct type *, struct text *); /* "struct node *" */

/* "path:line:col" into the text. */
void place_print(const struct unit *, struct place, struct text *);
/* Fills the problem: "path:line:col: message", the source line and a caret under it. */
void problem_at(struct problem *, const struct unit *, struct place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Where a character of a string literal's text is: literals that stand side by side are one text. */
struct place place_in_text(const struct unit *, struct place start, size_t offset);

#endif
