/* The program: what the engines run. lower.c makes it of the typed syntax tree.
 *
 * Memory is objects made of cells. A cell holds one scalar, as a word. An object is a global variable, or comes from
 * malloc, or is a local variable whose address is taken; a pointer is an object and a cell in it, with three low bits
 * to mark it. Code works on registers, a word each; calls are inlined, so that where a thread is within an operation is
 * one number, and what it knows is the registers that are live there. An instruction that may touch memory others can
 * see is where steps begin (verify/machine.c). */
#ifndef ASIF_FRONT_PROGRAM_H
#define ASIF_FRONT_PROGRAM_H

#include "base/volatile_order.h"
#include "front/ast.h"

typedef int64_t word;

/* A word is one of
 *
 *   an integer             itself, in WORD_LEAST .. WORD_MOST; one beyond is an entry of the program's table (wides.h)
 *   WORD_UNINITIALISED     what was never set
 *   a byte set in part     some of its bits were never set (words.h)
 *   a pointer              bit 62; an object and a cell in it, and how many bytes further: 0 .. 7, the mark
 *
 * Null is 0, a marked null 1..7. What a program makes of a pointer as a number is a pointer of another kind: one with a
 * tag in its upper 16 bits, a byte of one, one shifted. */
#define WORD_UNINITIALISED INT64_MIN
#define WORD_MOST          ((INT64_C(1) << 61) - 1)
#define WORD_LEAST         (-(INT64_C(1) << 61))
#define WORD_WIDE          (INT64_C(1) << 61) /* and its number in the table */
#define WORD_PART          (INT64_C(3) << 60) /* and the byte */
#define WORD_POINTER       (INT64_C(1) << 62)
enum word_kind {
  WORD_ADDRESS, /* the tag is above bit 48 */
  WORD_BYTE,    /* byte number `tag` of the address: 0 .. 5, those above are 0 */
  WORD_LOWERED, /* the address shifted right by `tag`; or a term (WORD_TERM) */
  WORD_RAISED   /* the address shifted left by 16, and the tag below */
};
/* A number that comes from outside (I_OUTSIDE): among those set in part, since nothing is known of it. */
#define WORD_OUTSIDE (WORD_PART | 0x1ff00)
static inline bool word_is_pointer(word w) { return w >= WORD_POINTER; }
/* An integer that is not in the table. */
static inline bool word_is_small(word w) { return (uint64_t)w + (UINT64_C(1) << 61) < UINT64_C(1) << 62; }
static inline bool word_is_wide(word w) { return w >= WORD_WIDE && w < WORD_PART; }
static inline bool word_is_part(word w) { return w >= WORD_PART && w < WORD_POINTER; }
/* Nothing can be computed with it. */
static inline bool word_is_unset(word w) { return w == WORD_UNINITIALISED || word_is_part(w); }
static inline word word_pointer(uint32_t object, uint32_t cell) {
  return WORD_POINTER | (word)object << 24 | (word)cell << 3;
}
static inline uint32_t word_object(word w) { return (uint32_t)(w >> 24) & 0xfffff; }
static inline uint32_t word_cell(word w) { return (uint32_t)(w >> 3) & 0x1fffff; }
static inline unsigned word_mark(word w) { return (unsigned)w & 7; }
static inline unsigned word_tag(word w) { return (unsigned)(w >> 44) & 0xffff; }
static inline enum word_kind word_kind(word w) { return (enum word_kind)(w >> 60 & 3); }
static inline word word_of_kind(word pointer, enum word_kind kind, unsigned tag) {
  return (pointer & ((INT64_C(1) << 44) - 1)) | WORD_POINTER | (word)tag << 44 | (word)kind << 60;
}
/* A number made of the address, which only an engine that has a table of them knows (verify/terms.h). */
enum { WORD_TERM = 0x8000 };
static inline bool word_is_term(word w) {
  return w >= WORD_POINTER && word_kind(w) == WORD_LOWERED && (word_tag(w) & WORD_TERM);
}
static inline uint32_t word_term(word w) { return word_tag(w) & (WORD_TERM - 1); }
static inline word word_of_term(uint32_t object, uint32_t term) {
  return word_of_kind(word_pointer(object, 0), WORD_LOWERED, WORD_TERM | term);
}
/* A plain address: no tag, and a mark at most. */
static inline bool word_is_address(word w) { return w >> 44 == WORD_POINTER >> 44; }
/* ... and no mark: of a cell. */
static inline bool word_is_cell(word w) { return (w & ~((INT64_C(1) << 44) - 8)) == WORD_POINTER; }
enum { WORD_OBJECTS = 1 << 20 }; /* objects that pointers can name */
/* Set in the cell of a pointer just past an array that is a member, unless the object ends there: what comes next is at
 * that address, but is not an element. Where memory is also accessed as bytes (program.loose) it means something else:
 * the pointer is not to a cell or right behind one, and the other bits are CELL_BIAS and how many bytes it is from
 * where its object begins. */
enum { CELL_PAST = 1 << 20, CELL_BIAS = 1 << 19 };
#define WORD_PAST ((word)CELL_PAST << 3)

/* A scalar type: how arithmetic on it wraps or overflows. */
struct scalar {
  uint8_t bits; /* 1 for bool; 8, 16, 32, 64; 128 only where a number takes two registers */
  bool is_signed;
  bool pointer;       /* a pointer */
  bool holds_pointer; /* uintptr_t, intptr_t */
  bool mutex;
};

struct cell {
  const char *name; /* "next", "slot[2].val"; "" for a plain scalar */
  struct scalar scalar;
  bool atomic;
  uint32_t offset, size; /* in bytes; of those that repeat, from where they begin to */
};

/* An array that is a member of an object. */
struct member_array {
  uint32_t begin, end; /* cells, of all its dimensions */
  uint32_t element;    /* how many cells an element has; in several dimensions, the innermost */
};

/* What an object is made of. One with several elements (malloc(n * sizeof(T)), int a[4] of its own) repeats its cells;
 * of a struct that ends with an array without a size, those of that array. */
struct layout {
  const char *name; /* "struct node", or of a variable: its name */
  struct cell *cells;
  uint32_t count;
  uint32_t head, head_size;    /* cells and bytes that come once, before those that repeat */
  uint32_t stride, align;      /* bytes from one element to the next; what divides addresses of the object */
  struct member_array *arrays; /* those that are members of a struct, what is within one after it */
  uint32_t array_count;
};

/* Registers are numbered within the operation; a struct takes as many in a row as it has cells. */
typedef uint16_t reg;
#define NO_REG UINT16_MAX

enum code {
  I_CONST,    /* d = imm */
  I_MOVE,     /* d.. = a..   (count) */
  I_UNARY,    /* d = op a: OP_NEG, OP_INVERT, OP_NOT; scalar */
  I_BINARY,   /* d = a op b in `scalar`; comparisons give 0 or 1 (scalar is that of the operands). Pointers: == != only
               * here, and < <= > >= within one object; & | ^ + - of a holds_pointer with small constants work on the
               * mark. b is NO_REG: imm instead of it */
  I_CAST,     /* d = (scalar)a */
  I_INT128,   /* d.. = a.. op b.. of __int128, two registers each, the lower 64 bits first; a comparison gives 0 or 1, b
               * of a shift is one register, OP_NEG and OP_INVERT have none */
  I_FLOATING, /* d = a op b of floats (scalar has 32 bits) or doubles (64), which are their bits; OP_NEG has no b */
  I_CONVERT,  /* d = a, of another type: op CONVERT_... */
  I_BITS,     /* d = what `op` (enum bits) says of the bits of a, a value of `scalar` */
  I_GLOBAL,   /* d = address of cell imm of global b */
  I_OFFSET,   /* d = a + imm cells: a field of what a points to (a must not be null), or a pointer and a constant, which
               * may be negative */
  I_INDEX, /* d = a + b * imm cells, b and imm may be negative; if count is not 0, 0 <= b < count is checked: an array's
            * own bound. The pointer may be one past its object, never beyond */
  I_DIFFER,  /* d = (a - b) / imm: pointers into one object */
  I_EXTRACT, /* d = the bit-field in the bytes a.. (count): imm is its first bit, scalar its bits and sign */
  I_INSERT,  /* ... a into the bytes d.. (count); `bytes`: how many bits behind it belong to nothing */
  I_CHUNK,   /* d = how many of the c bytes at a and b are one cell of both, or 1; op CHUNK_...: of the bytes before, or
              * whether they are copied from the end. CHUNK_BLOCK: how many of c bytes the block at a has, which must be
              * one that free takes. CHUNK_APART: a fault if the c bytes at a and b overlap, unless they are the same */
  I_ALLOC, /* d = a new object of layout imm, count elements: b is the register with the number of elements, NO_REG for
            * one.  zeroed (calloc): flag FLAG_ZERO. local: FLAG_LOCAL (a variable whose address is taken). op: its
            * address is a multiple of 2 to the power of that; ALLOC_ALIGN_UNKNOWN: of what aligned_alloc was given */
  I_FREE,  /* free(a), null is fine; FLAG_LOCAL: the variable's life ends */
  /* Accesses: `count` cells from imm cells after where a points on; FLAG_GLOBAL: of global a, from its cell imm on. */
  I_LOAD,     /* d.. = *a */
  I_STORE,    /* *a = b.. */
  I_EXCHANGE, /* d.. = *a, *a = b.. */
  I_CAS,      /* if *a == c.. then *a = b.., d = 1; else c.. = *a, d = 0. FLAG_WEAK: may fail without a reason */
  I_FETCH,    /* d = *a, *a = d op b in `scalar`, wrapping; op is any arithmetic one. Of a pointer: b counts cells */
  I_LOCK,     /* mutex at a: waits. d, unless it is NO_REG: the result, 0 or an error */
  I_TRYLOCK,  /* d = 1 if it got it */
  I_DESTROY,  /* must not be locked; is as if it was never initialised from then on */
  I_UNLOCK,   /* d as of I_LOCK */
  /* Control. */
  I_JUMP,    /* to imm */
  I_BRANCH,  /* if a is zero to imm, else on; op OP_NOT: if a is not zero to imm, else on */
  I_CHOOSE,  /* d = any of 0 .. a-1; op OP_MOD: any that rand() % a may be */
  I_REQUIRE, /* the step cannot be taken unless a; op REQUIRE_LOCK: the thread waits for a lock;
              * REQUIRE_SIGNAL: for what another thread does, and not since its operation may not happen yet */
  I_ASSERT,  /* violated unless a; text: what was asserted */
  I_TRAP,    /* reaching it is a violation (abort, no return value): text says which. imm: TRAP_... */
  I_THREAD,  /* d = the thread's number */
  I_OUTSIDE, /* d = a number from outside the program, such as the time: any. op 1: it is asked for, which is a step, so
              * that waiting for a time has a place where others run */
  I_OWN,     /* d = what only this thread has (enum own), imm cells further */
  I_SLEEP,   /* the thread sleeps at address a, until another wakes it */
  I_WAKE, /* d = 1: one of the threads that sleep at address a, any of them, does so no longer; 0: there is none. imm 1:
           * all of them */
  I_LIN,  /* the last access was the operation's linearization point */
  I_LIN_FOR,   /* ... the point of operation `b` (index in ops, NO_REG: any) that another thread has open; a: NO_REG, or
                * the thread's number */
  I_FENCE,     /* of `order`; op 1: for signals only. Does nothing where memory is sequentially consistent */
  I_ATOMIC,    /* imm 1: what follows is indivisible, until imm 0. They do not nest (lower.c merges) */
  I_UNORDERED, /* operands in no order, evaluated one after the other, and what each accesses is compared: op is
                * UNORDERED_... Only where nobody else runs in between (program.conflicts) */
  I_RETURN     /* a: the result, NO_REG for none. Ends an operation; inlined returns are jumps */
};
/* op of I_CONVERT; imm: the bits of the floating number. */
enum {
  CONVERT_EXTEND,        /* an integer of the type `scalar` to the two registers of an __int128 */
  CONVERT_TO_FLOATING,   /* an integer of the type `scalar`, in two registers if that has 128 bits */
  CONVERT_FROM_FLOATING, /* ... to one */
  CONVERT_FLOATING,      /* to one of as many bits as `scalar` */
  CONVERT_FUNCTION       /* by the function of floating.h that `bytes` says; text is its name */
};
enum { ALLOC_ALIGN_UNKNOWN = 63 };
enum { REQUIRE_CONDITION, REQUIRE_LOCK, REQUIRE_SIGNAL };
enum {
  UNORDERED_BEGIN,
  UNORDERED_NEXT,  /* an operand begins, and the one before ends */
  UNORDERED_READ,  /* a variable in register imm is used next, which another operand writes; */
  UNORDERED_WRITE, /* is written, which another operand uses */
  UNORDERED_END
};
enum { CHUNK_AFTER, CHUNK_BEFORE, CHUNK_BACKWARDS, CHUNK_BLOCK, CHUNK_APART };
/* op of I_LOAD and I_STORE: the bytes around a bit-field; a scalar that need not be at a multiple of its size. */
enum { ACCESS_BITS = 1, ACCESS_PACKED = 2 };
enum {
  TRAP_STOPS,       /* the program stops itself */
  TRAP_LIMIT,       /* a limit of ours: recursion past the bound, too many orders of evaluation */
  TRAP_UNSEQUENCED, /* undefined behaviour: two operands and one scalar */
  TRAP_NULL,        /* a call through a null pointer */
  TRAP_UNDEFINED,   /* undefined behaviour, by what the text says */
  TRAP_POINTER      /* ... through what is not a function of the type */
};
/* What a thread has of its own between operations too: a word each, in this order, of those that the program uses. */
enum own {
  OWN_LOCALS, /* the address of its thread-local variables */
  OWN_SELF,   /* the address that it is known by: pthread_self() */
  OWN_SLEEPS, /* the address that it sleeps at; 0: it is awake */
  OWN_COUNT
};
enum {
  FLAG_STATEMENT =
      1,           /* the first instruction of a statement (a condition counts as one): where --steps statement stops */
  FLAG_ATOMIC = 2, /* an access by an atomic operation, or to an atomic object */
  FLAG_WEAK = 4,
  FLAG_ZERO = 8,
  FLAG_LOCAL = 16, /* I_ALLOC, I_FREE of a variable; an access that can only be to such a variable or to a constant */
  FLAG_CONSTANT = 32, /* I_LOAD from a global that never changes: not shared */
  FLAG_GLOBAL = 64,   /* an access: a is the number of a global, no register */
  FLAG_BYTES = 128    /* I_ALLOC: b is a size in bytes; an access by a size at run time: c is its register */
};

struct inst {
  uint8_t code, op, flags;
  struct scalar scalar;
  reg d, a, b, c;
  uint16_t count; /* cells of an access or a move: 1 for a scalar; I_INDEX: the array's bound, 0 for none */
  int64_t imm;
  uint8_t order, order_failure; /* an access: its memory order (ast.h), and that of a compare-exchange that fails;
                                   ORDER_PLAIN where it is not atomic. I_FENCE */
  bool is_volatile;             /* an access to one volatile word, not by an atomic operation */
  struct place place;
  const char *text;        /* I_ASSERT, I_TRAP; I_ALLOC of a variable: its name; else NULL */
  const struct expr *expr; /* an access: the lvalue as the source has it; else NULL */
  union {
    const struct expr *call;  /* I_CAS, I_ALLOC: the call that it is, if it is one */
    const struct field *bits; /* ACCESS_BITS: the bit-field */
  };
  /* What imm is in cells, in bytes: of a layout that need not be the one that the object has (program.loose). */
  int64_t bytes;
  /* An access to several cells: what each register is, offsets from the first one's. I_FETCH of a pointer: `offset` and
   * `size` are the cells and bytes of what it points to. */
  const struct cell *shape;
};

static inline bool inst_is_bits(const struct inst *in) {
  return (in->code == I_LOAD || in->code == I_STORE) && in->op == ACCESS_BITS;
}
static inline bool inst_locks(const struct inst *in) { return in->code >= I_LOCK && in->code <= I_UNLOCK; }

/* Which registers are live before an instruction: registers[first .. first + count). */
struct live {
  uint32_t first;
  uint16_t count;
};

struct program_global {
  const char *name;
  uint32_t layout;
  word *init;       /* a word a cell, before ASIF_INIT's function ran */
  bool constant;    /* never changes after initialisation: not part of states, reading it is no step */
  bool is_function; /* it only stands for the address of a function, and has no cells */
  struct place place;
};

enum result_of { RESULT_OF_VOID, RESULT_OF_BOOL, RESULT_OF_INT };
struct program_op {
  const char *name;       /* the specification's operation */
  const char *function;   /* the C function */
  uint32_t entry;         /* first instruction */
  uint16_t params;        /* in registers 0 .. params-1 */
  uint16_t regs;          /* how many registers it uses */
  const char **reg_names; /* a name each: "n", "t.val", or "" for temporaries */
  enum result_of result;
  int64_t low[3], high[3];
  struct place place;
};

struct program {
  struct mem *mem;
  const struct unit *unit;
  struct wides *wides;         /* numbers of more than 61 bits */
  struct conflicts *conflicts; /* where I_UNORDERED says what it finds; NULL: there is none */
  struct inst *code;           /* code[0] is never run: 0 stands for no operation */
  uint32_t code_count;
  struct live *live; /* an entry an instruction */
  reg *registers;
  struct layout *layouts;
  uint32_t layout_count;
  struct program_global *globals; /* object numbers 0 .. global_count-1 */
  uint32_t global_count;
  struct program_op *ops;
  uint32_t op_count;
  uint32_t init_entry; /* ASIF_INIT's function: 0 for none */
  uint16_t init_regs, most_regs;
  bool uses_thread;               /* I_THREAD appears: threads are not interchangeable */
  bool owns[OWN_COUNT];           /* what of its own a thread has */
  uint32_t own_layout[OWN_COUNT]; /* of the objects that OWN_LOCALS and OWN_SELF are the addresses of */
  word *locals_init;              /* what thread-local variables begin as: a word a cell */
  bool outside;                   /* I_OUTSIDE appears */
  bool has_points;                /* I_LIN or I_LIN_FOR appears */
  bool unordered;   /* some expression can be evaluated in several orders: there is a choice where compilers take one */
  bool frees;       /* I_FREE without FLAG_LOCAL appears */
  bool reallocates; /* realloc appears: a block always moves */
  struct place pointer_fetch; /* atomic_fetch_add or atomic_fetch_sub of a pointer to more than a byte; line 0: none */
  bool loose; /* memory may be accessed as another type than it has: pointers are moved by bytes, not by cells */
  struct place loose_place; /* ... where that begins, and */
  const char *loose_text;   /* what it is */
};

/* True if what an operation does can depend on the thread that calls it. */
static inline bool program_by_thread(const struct program *p) {
  return p->uses_thread || p->owns[OWN_LOCALS] || p->owns[OWN_SELF];
}

struct lower_options {
  unsigned recursion;            /* how deep a function may be inlined into itself; 0: the default, 8 */
  bool alone;                    /* operations are run one at a time */
  enum volatile_order volatiles; /* what a volatile access of a word is, if it is said: an atomic one of this order */
  bool malloc_fails; /* an allocation may give NULL: errno is set then, and realloc leaves the old block as it is */
  /* Where nobody else runs in between, operands are evaluated in one order and checked at run time, but for these
   * (conflicts.h). NULL: in every order everywhere. */
  struct conflicts *conflicts;
};

/* The operations are those of unit->harness.ops. */
struct program *lower(struct mem *, struct unit *, const struct lower_options *, struct problem *);
void program_print(const struct program *,
                   struct text *); /* --dump steps: instructions with places, names and what is live */
/* One instruction in words of the source, for schedules: "load top", "cas top: ...": the place says where. */
void inst_print(const struct program *, const struct program_op *, const struct inst *, struct text *);
/* True if some access or fence asks for less than sequential consistency, or for an order that is not known; *first is
 * the first such. */
bool program_weak(const struct program *, const struct inst **first);
/* What to say of that where memory is taken as sequentially consistent; false: nothing. */
bool program_weak_note(const struct program *, struct text *);
const char *order_name(unsigned order);                     /* "relaxed" */
void inst_lvalue_print(const struct inst *, struct text *); /* what an access is to: "top", "t->next" */

#endif
