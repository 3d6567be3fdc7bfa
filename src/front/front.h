/* What the files of the front end share: one struct front goes from the preprocessed text to the unit.
 *
 *   lex.c       text -> tokens, each with its place in the user's files (columns.c)
 *   parse_*.c   tokens -> nodes, in one pass: C declares before it uses, so every node is typed as soon as it is made
 *   expr.c      the typing of operators, with conversions made explicit; fold.c computes what is constant, of other
 *               types than a word's with constants.c, int128.c and floating.c
 *   call.c      the typing of calls, and of the functions known by name (builtin.c)
 *   type.c      types and their layout; scope.c: names and what they mean
 *
 * Whatever is wrong ends the work at once through front_fail, which fills the problem and jumps back to front_parse;
 * all memory belongs to the unit's struct mem. */
#ifndef ASIF_FRONT_FRONT_H
#define ASIF_FRONT_FRONT_H

#include <setjmp.h>
#include <string.h>

#include "front/ast.h"

enum {
  DEPTH_MOST = 300,       /* of nesting in the source */
  EXPR_DEPTH_MOST = 1000, /* of the tree of one expression: a + b + c + ... */
  TYPE_DEPTH_MOST = 50,
  CELLS_MOST = 1 << 20, /* scalars in one object */
  TEXT_MOST = 4 << 20   /* bytes of a preprocessed file */
};

/* Tokens. */
enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_MARK };
struct token {
  enum token_kind kind;
  struct place place;
  const char *text; /* as it is spelled; TOKEN_STRING: what it says */
  size_t length;
  struct symbol *symbol; /* TOKEN_NAME */
  int64_t value;         /* TOKEN_NUMBER */
  const struct type *type;
  const char *outside; /* TOKEN_NUMBER, TOKEN_STRING: what is not read about it; or NULL */
};

/* Names: each spelling is one symbol, with the declarations that have it, innermost first. */
struct binding {
  struct symbol *symbol;
  struct decl *decl;                /* an ordinary name, or ... */
  struct type *tag;                 /* ... the tag of a struct, union or enum */
  uint32_t level;                   /* of nested scopes; 0 is the file */
  struct binding *hidden, *earlier; /* of the same symbol; of any */
};
struct symbol {
  const char *name;
  size_t length;
  struct binding *decls, *tags;
  struct decl *linked; /* the variable or function of file scope, also where a function declares it; or NULL */
  uint32_t mentions;   /* in the whole text */
  bool passed_over;    /* a function that is declared, but that nothing else mentions */
  bool word_known, keyword, type_word_known, type_word; /* is it a keyword; one that a type begins with? */
  uint32_t dropped;     /* 1 + the number in unit.unread of a declaration with this name that was left out; or 0 */
  struct symbol *next;  /* in its bucket, */
  struct symbol *older; /* and of all */
};

/* Where columns come from: the source line that the tokens of one preprocessed line are found in again. */
struct columns {
  uint16_t file;
  uint32_t line;
  const char *at, *start, *end;
  const char *last; /* the latest token that was found */
  bool strayed;     /* what stands at `at` was replaced by a macro */
  int nesting;      /* of brackets, since then */
};
struct line_table {
  uint32_t *starts;
  uint32_t count;
  bool made;
};

/* A part of the file that is left out if it cannot be read: where it began, and what was open there. */
struct attempt {
  jmp_buf jump;
  const struct prototype *prototype;
  struct attempt *outer;
  size_t at, labels;
  uint32_t level, depth, loops, switches, atomics, blocks;
  struct switch_body *switch_body;
  struct statements *statements;
  struct decl *function;
};

struct label {
  struct symbol *symbol;
  struct place place;
  bool defined;
};
struct pack_from { /* #pragma pack, before a token */
  size_t token;
  uint32_t most;
};
struct use { /* of something declared that must be defined by the end of the file */
  struct decl *decl;
  struct place place;
};

struct prototype { /* whose parameters are being read: those so far */
  const struct prototype *outer;
  VEC(struct decl *) params;
};

struct front {
  struct unit *unit;
  struct mem *mem;
  struct problem *problem;
  struct attempt *attempt; /* the innermost */
  struct place said_place; /* what went wrong last: where, ... */
  char said[400];
  enum { SAID_WRONG, SAID_OUTSIDE, SAID_FATAL } said_how; /* ... and whether it may be left alone */
  bool last;                                              /* no other file follows */
  bool read_sources;                                      /* the files that linemarkers name are read, for carets */
  const char *model;                                      /* folder of the model headers, or NULL */
  struct symbol *buckets[1024], *symbols;
  struct binding *bindings; /* all that are in scope, latest first */
  uint32_t level;
  VEC(struct token) tokens;
  size_t at;
  struct columns columns;
  bool restrict_seen;  /* types do not know it */
  uint32_t size_asked; /* by __asif_size, of the struct being read in a model header; 0 */
  VEC(struct line_table) lines;
  uint32_t depth, steps; /* of nesting now; in all */
  VEC(char) brackets;    /* that are open, where something is skipped */
  VEC(struct pack_from) packs;
  VEC(uint32_t) packs_pushed;
  uint32_t headers;             /* bits of enum header: whose functions are known */
  VEC(struct type *) qualified; /* copies of struct types, to be completed with them */
  VEC(struct use) uses;
  VEC(struct decl *) wrappers;       /* of functions known by name whose addresses are taken */
  const struct prototype *prototype; /* being read; or NULL */
  VEC(struct decl *) lengths;        /* of arrays: variables that are not declared yet (parse_length.c) */
  /* The function being read. */
  struct decl *function;
  VEC(struct label) labels;
  uint32_t loops, switches, atomics; /* around this place */
  uint32_t blocks;                   /* ({ ... }) around this place */
  struct switch_body *switch_body;
  struct statements *statements; /* of the innermost block: where declarations go */
};

/* place.c */
_Noreturn void front_fail(struct front *, struct place, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void front_outside(struct front *, struct place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* parse_recover.c: what cannot be read is left alone until an operation reaches it */
void attempt_begin(struct front *, struct attempt *);
void attempt_end(struct front *, struct attempt *);    /* it went well */
void attempt_failed(struct front *, struct attempt *); /* back to where it began */
/* True first; false if what followed failed. What is then needed of local variables must not have changed since. */
#define ATTEMPT(f, a) (attempt_begin((f), (a)), setjmp((a)->jump) == 0 ? true : (attempt_failed((f), (a)), false))
_Noreturn void front_fatal(struct front *, struct place, const char *format, ...) __attribute__((format(printf, 3, 4)));
_Noreturn void front_again(struct front *);                     /* what was said last goes on to the next attempt */
struct expr *expr_outside(struct front *, const struct type *); /* for what was said last */
struct stmt *stmt_outside(struct front *);
void parse_skip_token(struct front *);
void parse_skip_statement(struct front *, struct stmt *left_out);
void parse_skip_external(struct front *);
bool parse_pass_over(struct front *);
void parse_deferred(struct front *);

/* pragma.c */
/* The word of a #pragma that changes what declarations after it mean, and is not carried out; NULL if there is none. */
const char *pragma_refused(const char *text, const char *end);
void pragma_read(struct front *, struct place, const char *text, const char *end);
/* What #pragma pack says at a token: the most that fields are aligned to, or 0. */
uint32_t pack_at(const struct front *, size_t token);

/* flags.c: false with the problem if they change what C means */
bool flags_change_meaning(const char *word);
const char *flags_floating(char *const *args); /* one that changes what floating point computes; NULL */
bool flags_readable(const char *path, char *const *args, struct problem *);
bool flags_of_compiler_readable(const char *path, const char *cc, struct problem *);

/* columns.c */
void source_read(struct mem *,
                 struct source_file *); /* the text of its path, unless it is no regular file of reasonable size */
uint16_t source_add(struct front *, const char *path, size_t length, bool system);
uint16_t source_column(struct front *, uint16_t file, uint32_t line, const char *token, size_t length);

/* lex.c: all tokens, the last of them TOKEN_END */
void lex(struct front *, const char *text, size_t length);
static inline bool token_is(const struct token *t, const char *spelling) {
  if (*t->text != *spelling || (t->kind != TOKEN_NAME && t->kind != TOKEN_MARK)) return false;
  size_t n = strlen(spelling);
  return t->length == n && !memcmp(t->text, spelling, n);
}

/* scope.c */
struct symbol *symbol_of(struct front *, const char *, size_t length);
void scope_enter(struct front *);
void scope_leave(struct front *);
struct decl *decl_new(struct front *, enum decl_kind, const char *name, const struct type *, struct place);
void scope_bind(struct front *, struct symbol *, struct decl *);
void scope_bind_tag(struct front *, struct symbol *, struct type *);
struct decl *scope_find(const struct symbol *);                            /* NULL if there is none */
struct decl *scope_find_here(const struct front *, const struct symbol *); /* in the innermost scope alone */
const char *scope_nearest(struct front *, const struct symbol *);          /* a name like it, or NULL */
/* Where a function of that name comes only later in the file; NULL. */
const struct token *scope_below(const struct front *, const struct symbol *);
bool name_near(const char *, size_t, const char *, size_t); /* few letters apart */

/* type.c */
enum basic {
  BASIC_VOID,
  BASIC_BOOL,
  BASIC_FLAG,
  BASIC_CHAR,
  BASIC_SCHAR,
  BASIC_UCHAR,
  BASIC_SHORT,
  BASIC_USHORT,
  BASIC_INT,
  BASIC_UINT,
  BASIC_LONG,
  BASIC_ULONG,
  BASIC_LLONG,
  BASIC_ULLONG,
  BASIC_INTPTR,
  BASIC_UINTPTR,
  BASIC_LLINTPTR, /* what reckoning with an intptr_t and a long long gives */
  BASIC_ULLINTPTR,
  BASIC_MUTEX,
  BASIC_SPINLOCK,
  BASIC_FLOAT,
  BASIC_DOUBLE,
  BASIC_LDOUBLE,
  BASIC_FLOAT128,
  BASIC_INT128,
  BASIC_UINT128,
  BASIC_VA_LIST,
  BASIC_COUNT
};
extern const struct type basic_types[BASIC_COUNT];
#define TYPE_OF(name) (&basic_types[BASIC_##name])
const struct type *type_pointer(struct front *, const struct type *of, struct place);
const struct type *type_array(struct front *, const struct type *of, int64_t count, bool known, struct place);
const struct type *type_qualified(struct front *, const struct type *, bool atomic, bool constant, bool is_volatile);
struct type *type_new(struct front *, enum type_kind);
struct packing {
  uint32_t align; /* asked for, or 0 */
  uint32_t most;  /* of its fields, by #pragma pack; or 0 */
  bool packed;
};
/* Lays out a struct or union whose fields are there. */
void type_complete(struct front *, struct type *, const struct packing *, struct place);
void type_must_be_complete(struct front *, const struct type *, struct place, const char *what);
bool type_same(const struct type *, const struct type *);      /* qualifiers of the outermost do not count */
bool type_identical(const struct type *, const struct type *); /* and not just of the same values */
const char *type_text(struct front *, const struct type *);
const struct field *type_field(const struct type *, const char *name);
static inline bool type_is_integer(const struct type *t) { return t->kind == TYPE_INT || t->kind == TYPE_BOOL; }
static inline bool type_is_int128(const struct type *t) { return t->kind == TYPE_INT && t->bits > 64; }
static inline bool type_is_floating(const struct type *t) { return t->kind == TYPE_FLOAT && !t->outside; }
static inline bool type_is_number(const struct type *t) { return type_is_integer(t) || type_is_floating(t); }
/* A scalar whose arithmetic is that of a word: no __int128 and nothing floating. */
static inline bool type_is_word(const struct type *t) { return t->kind != TYPE_FLOAT && !type_is_int128(t); }
static inline bool type_is_scalar(const struct type *t) { return type_is_integer(t) || t->kind == TYPE_POINTER; }
static inline bool type_is_record(const struct type *t) { return t->kind == TYPE_STRUCT; } /* or a union */
/* The type with another alignment, as a typedef gives it. */
void type_make_transparent(const struct type *);
const struct type *type_aligned(struct front *, const struct type *, uint32_t align);
/* A copy of the type that is refused where an operation reaches it. */
const struct type *type_outside(struct front *, const struct type *, const char *what, struct place);
const struct type *type_promoted(const struct type *);
const struct type *type_usual(const struct type *, const struct type *); /* usual arithmetic conversions */

/* cells.c: what a type is made of, in the order of memory. scalar: of a cell; NULL: it is a byte of something else. */
typedef void cell_visitor(void *self, uint32_t offset, const struct type *scalar, const char *name, bool atomic);
void cells_visit(struct mem *, const struct type *, const char *name, cell_visitor *, void *self); /* name: or NULL */
void cells_of_struct(struct mem *, struct type *); /* its cells, and where its fields are among them */
/* An object of one type may be accessed as the other, which is as long at most: it has the same cells. */
bool cells_agree(struct mem *, const struct type *object, const struct type *as);

/* An integer, its sign in all upper bits if it is signed; or the bits of a float or double. */
struct constant {
  uint64_t low, high;
};

/* fold.c: the number that a node over numbers stands for, or the node */
int64_t fold_wrap(int64_t, const struct type *); /* as a value of an integer type */
struct expr *fold(struct expr *);
/* constants.c: what a constant expression of any arithmetic type is: of a floating one, its bits. False: it is not
 * constant, or C does not define it. */
bool constant_number(const struct expr *, struct constant *);

/* expr.c: typed nodes */
struct expr *expr_new(struct front *, enum expr_kind, struct place, struct expr *a, struct expr *b, struct expr *c);
struct expr *expr_number(struct front *, struct place, int64_t, const struct type *);
void expr_args(struct front *, struct expr *, struct expr **, uint32_t count); /* children that are a list */
struct expr *expr_value(struct front *, struct expr *); /* an lvalue, array or function used as a value */
struct expr *expr_convert(struct front *, struct expr *value, const struct type *, bool implicit);
struct expr *expr_as_if_assigned(struct front *, struct expr *, const struct type *, const char *what);
struct expr *expr_as_parameter(struct front *, struct expr *, const struct type *);
struct expr *expr_condition_value(struct front *, struct expr *); /* a scalar, compared with zero by who uses it */
struct expr *expr_name(struct front *, struct place, struct decl *);
struct expr *expr_cast(struct front *, struct place, const struct type *, struct expr *);
struct expr *expr_unary(struct front *, struct place, enum operator, struct expr *);
struct expr *expr_binary(struct front *, struct place, enum operator, struct expr *, struct expr *);
struct expr *expr_logical(struct front *, struct place, enum operator, struct expr *, struct expr *);
struct expr *expr_choice(struct front *, struct place, struct expr *, struct expr *, struct expr *);
struct expr *expr_assign(struct front *, struct place, enum operator, struct expr *, struct expr *);
struct expr *expr_step(struct front *, struct place, enum operator, bool postfix, struct expr *);
struct expr *expr_comma(struct front *, struct place, struct expr *, struct expr *);
struct expr *expr_index(struct front *, struct place, struct expr *, struct expr *);
struct expr *expr_field(struct front *, struct place, struct expr *, const struct token *name, bool arrow);
struct expr *expr_deref(struct front *, struct place, struct expr *);
struct expr *expr_address(struct front *, struct place, struct expr *);
void expr_mark_address(struct expr *);                         /* what it names has its address taken */
bool expr_is_null(const struct expr *);                        /* a null pointer constant */
void expr_must_be_static(struct front *, const struct expr *); /* an initialiser of something that outlives functions */

/* builtin.c: functions known by name */
enum header {
  HEADER_ALWAYS,
  HEADER_ASIF,
  HEADER_STDATOMIC,
  HEADER_STDLIB,
  HEADER_STRING,
  HEADER_PTHREAD,
  HEADER_THREADS,
  HEADER_SCHED,
  HEADER_ASSERT,
  HEADER_STDIO,
  HEADER_UNISTD,
  HEADER_MATH,
  HEADER_TIME,
  HEADER_COUNT
};
struct known {
  const char *name;
  enum header header;
  enum builtin builtin;
  const char *signature; /* the result, then the arguments (call.c); NULL: refused by name */
  enum operator op;      /* of those that compute */
};
const struct known *known_find(const char *name);
const struct known *known_sized(const char *name, uint32_t *size);
const char *header_name(enum header);
void header_include(struct front *, const struct token *name); /* __asif_header(name), from a model header */

/* call.c */
struct expr *expr_call(struct front *, struct place, struct expr *function, struct expr **args, uint32_t count);
/* A function with a body that calls the one known by name, for its address. */
struct decl *known_wrapper(struct front *, struct expr *function);

/* parse_expr.c: expressions, and the handling of tokens */
static inline struct token *parse_ahead(struct front *f, size_t n) {
  size_t last = f->tokens.count - 1;
  return &f->tokens.at[f->at + n < last ? f->at + n : last];
}
static inline struct token *parse_token(struct front *f) { return parse_ahead(f, 0); }
static inline bool parse_at(struct front *f, const char *spelling) { return token_is(parse_token(f), spelling); }
static inline bool parse_accept(struct front *f, const char *spelling) {
  if (!parse_at(f, spelling)) return false;
  f->at++;
  return true;
}
struct token *parse_expect(struct front *, const char *spelling);
struct token *parse_name(struct front *, const char *what);
const char *token_text(struct front *, const struct token *); /* for messages: 'x', the end of the file */
void parse_deeper(struct front *);
static inline void parse_shallower(struct front *f) { f->depth--; }
struct expr *parse_expression(struct front *);
struct expr *parse_assignment(struct front *);
int64_t parse_constant(struct front *, const char *what);
struct expr *parse_constant_node(struct front *, const char *what); /* an E_NUMBER */
void parse_skip_brackets(struct front *); /* from an opening bracket to behind the one that closes it */

/* parse_decl.c: declarations */
bool parse_at_type(struct front *);
const struct type *parse_type_name(struct front *);
void parse_external(struct front *);
void parse_static_assert(struct front *);
struct statements; /* parse_stmt.c */
void parse_local_declaration(struct front *, struct statements *);

/* parse_spec.c: the specifiers that a declaration begins with, and its declarators */
struct attributes { /* what they change */
  uint32_t align;   /* the alignment asked for, or 0 */
  uint32_t vector;  /* bytes of a vector, or 0 */
  bool packed, is_weak, is_constructor, transparent;
  const char *outside;     /* what makes the type one that is not followed, or NULL */
  const struct type *mode; /* __attribute__((mode(...))): the integer type that it asks for, unsigned; or NULL */
  struct decl *cleanup;
  struct token *asm_name; /* __asm__("name"), or NULL */
  struct place place;     /* of the first */
};
struct specifiers {
  const struct type *type;
  struct place place;
  bool is_typedef, is_static, is_extern, is_thread_local;
  bool is_struct; /* it says struct itself, not by a typedef */
  bool is_inline;
  bool is_auto;                 /* __auto_type: the type is the initialiser's */
  struct attributes attributes; /* and _Alignas */
};
struct declarator {
  struct token *name; /* NULL if it is abstract */
  const struct type *type;
  struct decl **params; /* of a function */
  uint32_t param_count;
  struct attributes attributes;
};
struct specifiers parse_specifiers(struct front *);
struct specifiers parse_plain_specifiers(struct front *); /* only a type, with its alignment */
struct declarator parse_declarator(struct front *, const struct type *base);

/* parse_attribute.c: adds to what is there; asm names of declarations too */
void parse_attributes(struct front *, struct attributes *);
void parse_plain_attributes(struct front *); /* that change nothing */
uint32_t parse_alignment(struct front *);    /* (16) or (int) */

/* parse_tag.c */
const struct type *parse_struct(struct front *);
const struct type *parse_enum(struct front *);

/* parse_init.c: gives the type too, where the initialiser completes an array */
struct expr *parse_initialiser(struct front *, const struct type **);

/* parse_asm.c: an asm statement: NULL if it changes nothing, otherwise the call that it is like */
struct expr *parse_asm(struct front *);
bool parse_at_asm(struct front *);

/* parse_length.c */
struct expr *length_parse(struct front *);
const struct type *length_array(struct front *, const struct type *of, struct expr *length, struct place);
void length_drop(struct front *, const struct type *array);
/* Those of f->lengths from there on: as declarations, or around an expression. */
void lengths_declare(struct front *, size_t from, struct statements *);
struct expr *lengths_around(struct front *, size_t from, struct expr *);
/* sizeof of a type, or of an expression of it. */
struct expr *length_size(struct front *, const struct type *, const struct expr *of, struct place);

/* parse_stmt.c */
struct statements {
  VEC(struct stmt *) list;
};
void parse_function_body(struct front *, struct decl *);
struct expr *parse_block_value(struct front *);                        /* ({ ... }), from the brace on */
struct expr *block_with(struct front *, struct decl *, struct expr *); /* ({ declaration; expression; }) */
struct stmt *stmt_new(struct front *, enum stmt_kind, struct place);

/* parse_harness.c */
bool parse_harness(struct front *); /* a harness macro at file scope, if there is one */
void harness_finish(struct front *);

/* link.c: what several files share */
enum { EXTERNAL_ROOM = 4096 };
struct decl *link_find(const struct unit *, const char *name);
void link_add(struct unit *, struct decl *);
bool link_same_record(const struct type *, const struct type *); /* of different files */

/* parse.c: the model's folder, if there is one, tells which files are Asif's own */
struct preprocessed {
  const char *name, *text;
  size_t length;
  const char *model; /* or NULL */
};
/* Adds to the unit; `last` says that no other file follows. NULL with the problem. */
struct unit *front_parse_text(struct unit *, const struct preprocessed *, bool last, struct problem *);
struct unit *unit_new(struct mem *);

#endif
