/* The preprocessor: what its files share. The result is that of `cc -E` with the compiler Asif was built with: the same
 * tokens, each in the same file and line, which is why white space and padding are kept as GCC keeps them.
 *
 *   pp_file.c       files, read once each; where an #include finds them; the model headers, which are part of the
 * program pp_lex.c        text -> preprocessing tokens: lines that are joined, comments pp_macro.c      names and what
 * #define makes of them; pp_predefined.c: what the compiler defines pp_expand.c     a macro's arguments and its
 * replacement pp_directive.c  lines that begin with #; pp_if.c: what #if asks pp_write.c      the text that comes out,
 * with linemarkers
 *
 * Whatever is wrong, or is left to the compiler, ends the work at once (pp_wrong and the like) and says why. */
#ifndef ASIF_FRONT_PP_H
#define ASIF_FRONT_PP_H

#include <setjmp.h>
#include <string.h>
#include <time.h>

#include "front/front.h"

enum {
  INCLUDES_MOST = 200,     /* nested, as in GCC */
  MACRO_DEPTH_MOST = 1000, /* calls in arguments of calls ... */
  PAREN_DEPTH_MOST = 300,  /* in #if */
  POOL_TOKENS = 256,
  TOKENS_MOST = 10 * 1000 * 1000 /* that are looked at: what is more would not end */
};

#define OUT_LINE_UNKNOWN (UINT32_MAX - 1) /* what follows says again where it is */

enum pp_kind { PP_END, PP_NAME, PP_NUMBER, PP_STRING, PP_CHAR, PP_MARK, PP_OTHER, PP_PARAM, PP_PADDING };
enum pp_flag {
  PP_WHITE = 1,     /* white space before it */
  PP_FIRST = 2,     /* the first of its line */
  PP_PASTE = 4,     /* ## follows */
  PP_STRINGIFY = 8, /* # precedes: of PP_PARAM */
  PP_PAINTED = 16   /* a macro's name that is never replaced again */
};
#define PP_MARK2(a, b)    ((uint32_t)(a) | (uint32_t)(b) << 8)
#define PP_MARK3(a, b, c) (PP_MARK2(a, b) | (uint32_t)(c) << 16)

struct pp_token {
  uint8_t kind, flags;
  uint32_t length;
  uint32_t line, col; /* in its file, as #line has it */
  uint32_t mark;      /* of PP_MARK: its characters, the first lowest */
  const char *text;
  union {
    struct pp_name *name;          /* of PP_NAME */
    uint32_t param;                /* of PP_PARAM, from 0 */
    const struct pp_token *source; /* of PP_PADDING: what stood there; or NULL */
  };
};

/* A token in a list, with the line that it counts for: where the outermost macro that it came out of was called. */
struct pp_item {
  const struct pp_token *token;
  uint32_t line;
};
struct pp_items {
  VEC(struct pp_item) list;
};

#define STANDARD_USUAL "gnu17" /* what compilers take unless -std says */

struct pp_macro {
  bool function, variadic;
  uint32_t param_count;
  struct pp_items body;
  /* #define's line from behind the name on, of what nobody has asked for yet; NULL once it is read. */
  const char *unread, *unread_end;
};

enum pp_word { /* that a directive begins with */
               WORD_NONE,
               WORD_DEFINE,
               WORD_UNDEF,
               WORD_INCLUDE,
               WORD_INCLUDE_NEXT,
               WORD_IF,
               WORD_IFDEF,
               WORD_IFNDEF,
               WORD_ELIF,
               WORD_ELIFDEF,
               WORD_ELIFNDEF,
               WORD_ELSE,
               WORD_ENDIF,
               WORD_LINE,
               WORD_ERROR,
               WORD_WARNING,
               WORD_PRAGMA
};
enum pp_special {
  SPECIAL_NONE,
  SPECIAL_FILE,
  SPECIAL_LINE,
  SPECIAL_COUNTER,
  SPECIAL_DATE,
  SPECIAL_TIME,
  SPECIAL_PRAGMA,
  SPECIAL_HAS_INCLUDE,
  SPECIAL_HAS_INCLUDE_NEXT,
  SPECIAL_HAS, /* __has_attribute and the like */
  SPECIAL_DEFINED,
  SPECIAL_VA_ARGS,
  SPECIAL_COMPILER /* what only the compiler knows */
};
struct pp_name {
  const char *text;
  uint32_t length;
  uint32_t param; /* while a macro is defined: its parameter of this name, from 1 */
  struct pp_macro *macro;
  enum pp_special special;
  enum pp_word word;
  bool disabled; /* it is being replaced */
  uint64_t hash;
  struct pp_file *header; /* that #include <it> means, or NULL if nobody asked yet; ... */
  uint32_t header_found;  /* ... and its pp_file.found then */
  uint64_t asked,
      missing; /* as part of a path, up to its last slash: which of the system's folders have no such folder */
  struct pp_name *next;
};

struct pp_file {
  const char *path;
  const char *text; /* lines joined, one newline at the end */
  size_t length;
  uint32_t *joins; /* where a newline was taken out, ascending */
  uint32_t join_count;
  bool model, once;
  struct pp_name *guard; /* all of it stands between #ifndef of this name and #endif; or NULL */
  bool system;           /* a header of the system's */
  uint32_t
      found; /* where, for #include_next: 0 beside the one that includes it, 1 among the models, 2 ... the folders */
  struct timespec changed;
};

struct pp_condition {
  uint32_t line;
  bool taken, otherwise; /* a group was taken; #else was there */
};
struct pp_buffer { /* a file being read */
  struct pp_file *file;
  const char *at, *end, *line_start;
  const char *joined;  /* the next place of file->joins; or `end` and on */
  uint32_t line, join; /* counted from 1; of file->joins, the next */
  uint32_t shift;      /* by #line: what is added to the line */
  const char *name;    /* as linemarkers have it */
  bool fresh;          /* at the beginning of a line */
  enum { GUARD_SOUGHT, GUARD_OPEN, GUARD_CLOSED, GUARD_NONE } guarded; /* of its whole text, so far */
  struct pp_name *guard;
  size_t conditions; /* how many were open before it */
  struct pp_buffer *outer;
};

struct pp_context {      /* tokens that are to be read before the file goes on */
  struct pp_name *macro; /* whose replacement they are, or NULL */
  const struct pp_item *at, *end;
  struct pp_item *owned; /* to be freed with it, or NULL */
  uint32_t line;         /* that all its tokens count for; 0: each has its own */
};

enum pp_outcome {
  PP_DONE,
  PP_NEEDS_COMPILER, /* it is right, or may be, but only the compiler can do it */
  PP_WRONG,          /* it is wrong, and so the compiler will say */
  PP_REFUSED         /* it is wrong, or too much: nobody else need be asked */
};

enum pp_args { ARGS_NONE, ARGS_SOUGHT, ARGS_READ }; /* of a macro: is there a '(', and what follows */

struct pp {
  struct mem *mem;
  struct problem *problem;
  jmp_buf failed;
  enum pp_outcome outcome;
  const char *path;
  bool strict; /* -std=c..., not gnu... */
  bool clang;  /* the compiler is Clang: only the first token of a line is put where it stands */
  VEC(const char *) quote_folders, folders, system_folders; /* -iquote, -I, -isystem and the compiler's own */
  VEC(struct pp_file *) files;
  struct pp_buffer *buffer;
  uint32_t depth;
  VEC(struct pp_condition) conditions;
  struct pp_name **names; /* a table of chains */
  size_t name_count, name_room;
  VEC(struct pp_context) contexts;
  const struct pp_token *again;  /* a token of the file that is to be read once more, or NULL */
  const struct pp_token *latest; /* of the file */
  bool in_directive, variadic_body;
  uint32_t keep_macros; /* macros are not replaced */
  uint32_t expanding;   /* depth of arguments that are being expanded */
  enum pp_args args;
  uint32_t counter;
  size_t tokens;               /* looked at */
  VEC(struct pp_token *) pool; /* of tokens, POOL_TOKENS each */
  size_t pooled;
  struct pp_token nothing, end; /* padding without a source; the end of an argument */
  char date[16], clock[16];
  /* What comes out. */
  struct text *out;
  const char *out_name;
  uint32_t out_line;
  bool out_begun, out_apart; /* something is in the line; padding came before the next token */
};

/* preprocess.c */
_Noreturn void pp_stop(struct pp *, enum pp_outcome, uint32_t line, uint32_t col, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
#define pp_wrong(pp, token, ...) pp_stop(pp, PP_WRONG, (token)->line, (token)->col, __VA_ARGS__)
#define pp_compiler(pp, ...)     pp_stop(pp, PP_NEEDS_COMPILER, pp_line(pp), 1, __VA_ARGS__)
uint32_t pp_line(const struct pp *); /* where the file is read */
void pp_count_on(struct pp *);
static inline void pp_count(struct pp *pp, size_t tokens) {
  size_t before = pp->tokens;
  pp->tokens += tokens;
  if (before >> 14 != pp->tokens >> 14) pp_count_on(pp);
}

/* pp_file.c */
struct pp_file *pp_find(struct pp *, const char *name, size_t length, bool quoted,
                        const char *beside);                                                /* NULL: there is none */
struct pp_file *pp_find_next(struct pp *, const char *name, size_t length, uint32_t after); /* where pp_file.found */
bool pp_has_system(struct pp *); /* the system's headers are where they were when Asif was built */
struct pp_file *pp_open(struct pp *, const char *path);
void pp_enter(struct pp *, struct pp_file *);
void pp_leave(struct pp *);
struct pp_file *pp_text(struct pp *, const char *text, size_t length); /* no file, but text */

/* pp_lex.c */
const struct pp_token *pp_lex(struct pp *); /* the next token of the file; PP_END also at the end of a directive */
void pp_skip_line(struct pp *);             /* to its end */
void pp_find_join(struct pp_buffer *);      /* sets `joined` */
bool pp_skip_blanks(struct pp *);           /* within a line, comments too: were there any? */
static inline bool pp_is(const struct pp_token *t, uint32_t mark) { return t->kind == PP_MARK && t->mark == mark; }
extern const uint8_t pp_chars[256]; /* bits of enum pp_char */
enum pp_char {
  CHAR_LETTER = 1,
  CHAR_DIGIT = 2,
  CHAR_MARK = 4,
  CHAR_LONG = 8,  /* the first of a mark of several */
  CHAR_BLANK = 16 /* white space, or a comment may begin with it */
};
static inline bool pp_word_char(char c) { return pp_chars[(unsigned char)c] & (CHAR_LETTER | CHAR_DIGIT); }
void pp_more_tokens(struct pp *);
static inline struct pp_token *pp_token_new(struct pp *pp) {
  if (pp->pooled == pp->pool.count * POOL_TOKENS) pp_more_tokens(pp);
  struct pp_token *t = &pp->pool.at[pp->pooled / POOL_TOKENS][pp->pooled % POOL_TOKENS];
  pp->pooled++;
  *t = (struct pp_token){.kind = PP_END};
  return t;
}
static inline void pp_forget_tokens(struct pp *pp) { pp->pooled = 0; } /* nobody holds one any more */

/* pp_macro.c */
void pp_names_open(struct pp *);
struct pp_name *pp_name(struct pp *, const char *, size_t length);
void pp_define(struct pp *);
void pp_define_text(struct pp *, const char *text);       /* "NAME value\n" */
struct pp_macro *pp_macro(struct pp *, struct pp_name *); /* NULL if it is none; read now, if it was not */
bool pp_is_defined(struct pp *, struct pp_name *);
void pp_predefine(struct pp *, const char *standard); /* pp_predefined.c */
const char *predefined_compiler(size_t *length);
bool predefined_has(const char *standard);
void predefined_folders(struct pp *); /* adds to system_folders */
/* What __has_attribute(name) is, and its like: 0, 1, or -1 if that is not known; without a name, if there is one. */
int predefined_answer(const char *operator, const char * name);

/* pp_expand.c */
const struct pp_token *
pp_get(struct pp *, uint32_t *line); /* the next token with macros replaced; padding too, outside directives */
const struct pp_token *pp_get_solid(struct pp *, uint32_t *line); /* no padding */

/* pp_directive.c */
const struct pp_token *pp_read(struct pp *); /* the next token of the file, with directives carried out */
bool pp_header_name(struct pp *, const char **name, size_t *length, bool *quoted);
void pp_pragma(struct pp *, const char *text, size_t length);

/* pp_if.c */
bool pp_condition_holds(struct pp *);

/* pp_write.c */
void pp_move(struct pp *, uint32_t line); /* what follows is in that line */
void pp_enter_file(struct pp *, const char *name, uint32_t line);
void pp_write_all(struct pp *);

/* compiler.c: the compiler's word for it. The text, and the folder that model headers were in; NULL with the problem.
 * `missing` says that there is no compiler. */
const char *compiler_preprocess(struct mem *, const char *path, char *const *cc_args, size_t *length,
                                const char **model, bool *missing, struct problem *);
/* preprocess.c: what Asif makes of it itself. */
#define OWN_MODEL "<asif>"
enum pp_outcome preprocess(struct mem *, const char *path, char *const *cc_args, struct text *, struct problem *);

#endif
