/* Objects whose sequential executions are a context-free language over finitely many labels (Bouajjani et al. 2015,
 * section 8).
 *
 *   # A lock.
 *   Free -> acquire Held | try => true Held | empty;
 *   Held -> release Free | try => false Held | empty;
 *
 * From a grammar and k to the formula that a history of length k is one of the object's (Theorem 6): the grammar's
 * words with each letter in a slot 0..k, slots not decreasing; their Parikh image as equations on how often each
 * production is used (Verma, Seidl and Schwentick 2005); and each operation of the history in a slot of its interval.
 * docs/grammars.md has it with an example. */
#ifndef ASIF_APPROX_GRAMMAR_H
#define ASIF_APPROX_GRAMMAR_H

#include "approx/integer.h"
#include "approx/monitor.h"

/* What a value must be. */
enum pattern_kind {
  PATTERN_ANY,   /* _ or nothing said */
  PATTERN_VALUE, /* value: any but nil, empty, full, true, false and none */
  PATTERN_EXACT, /* true, false, empty, full, nil; ok or an argument that is not there: V_NONE */
  PATTERN_NUMBER,
  PATTERN_TEXT
};
struct value_pattern {
  uint8_t kind;
  value exact;
  int64_t number;
  const char *text;
  size_t len;
};
/* A terminal: an operation of the specification, or some of its labels. */
struct pattern {
  uint16_t method;
  struct value_pattern arg[OP_ARGS], result;
};
bool value_fits(const struct value_pattern *, const struct values *, value);
bool pattern_fits_call(const struct pattern *, const struct values *, uint16_t method, const value arg[OP_ARGS]);
bool pattern_fits(const struct pattern *, const struct values *, uint16_t method, const value arg[OP_ARGS],
                  value result);
void pattern_print(const struct pattern *, const struct spec *, struct text *);

/* A symbol: a terminal's number or a rule's. */
typedef uint32_t symbol;
#define SYMBOL_TERMINAL(t) ((symbol)(t) << 1 | 1)
#define SYMBOL_RULE(r)     ((symbol)(r) << 1)
static inline bool symbol_terminal(symbol s) { return s & 1; }
static inline uint32_t symbol_number(symbol s) { return s >> 1; }

struct production {
  uint32_t rule, first, count; /* its symbols, in grammar.symbols */
};
struct rule {
  const char *name;
  uint32_t at; /* of its name, in the text */
  bool defined;
};
struct grammar {
  struct mem *mem;
  const char *source; /* file name, or the bundled one's name */
  VEC(struct pattern) terminals;
  VEC(struct rule) rules; /* the first is the start */
  VEC(struct production) productions;
  VEC(symbol) symbols;
  VEC(struct pattern) outside; /* operations it does not describe: seen one, the monitor says nothing more */
};
enum { GRAMMAR_TERMINALS = 60, GRAMMAR_RULES = 4000, GRAMMAR_SYMBOLS = 40000 };

/* Reads a grammar over the operations of the specification. NULL with the problem: file:line:col, what is wrong, the
 * line and where. */
struct grammar *grammar_parse(struct mem *, const struct spec *, const char *source, const char *text, size_t len,
                              struct problem *);
struct grammar *grammar_read(struct mem *, const struct spec *, const char *path, struct problem *);
void grammar_print(const struct grammar *, const struct spec *, struct text *); /* parses back to the same */

/* The text of the grammar that comes with Asif for this specification (with its parameter), owned by mem; NULL if there
 * is none.
 */
const char *grammar_bundled(struct mem *, const struct spec *);
bool grammar_exists(const struct spec *); /* is there one? */

/* The normal form (grammar_form.c): at most two symbols on the right, all prefixes of its words are words, no rule
 * without words or use. Terminals that can take each other's place everywhere are one letter. */
#define FORM_NONE UINT32_MAX
struct form_production {
  uint32_t rule;
  symbol right[2]; /* FORM_NONE where there is none; a terminal's number is a letter's */
};
struct form {
  struct mem *mem;
  uint32_t letters, rules;
  uint32_t start;
  uint8_t letter_of[GRAMMAR_TERMINALS];   /* a terminal each */
  uint8_t terminal_of[GRAMMAR_TERMINALS]; /* a letter each: the first of its terminals */
  uint64_t idle; /* letters that can be repeated, and left out, wherever they are: a try that fails */
  VEC(struct form_production) productions;
  /* Words that may be put before every word: how often each letter occurs, `letters` numbers each. */
  VEC(uint8_t) cycles;
  size_t cycle_count;
};
struct form *grammar_form(struct mem *, const struct grammar *);
/* Is the word one of its language? Of each place the letters that may be there. By trying all parts: the reference, for
 * words of some dozens of letters (grammar_words.c). */
bool form_accepts(struct mem *, const struct form *, const uint64_t *word, size_t length);
/* The shortest execution of the specification, processes forgotten, that is no word, among those of at most so many
 * operations and while `tries` last; false if there is none. Arguments are 1, 2 and numbers that the grammar names. */
bool grammar_misses(struct mem *, const struct grammar *, const struct form *, const struct spec *, unsigned length,
                    uint64_t tries, struct text *word);

/* A history of length k as it is counted here. Letters are a mask: what the operation may have been; of most it is one.
 */
struct parikh_count {
  uint64_t letters;
  uint64_t count;
  uint8_t from, to;
  bool pending; /* may also be left out */
};
/* The words' Parikh image with slots 0..k (parikh.c). */
struct parikh;
struct parikh *parikh_new(struct mem *, const struct form *, unsigned k, struct problem *);
/* Is there a word with each operation in a slot of its interval? */
enum integer_answer parikh_admits(struct parikh *, const struct parikh_count *, size_t count, struct integer_figures *);
/* The formula, in words: what parikh_admits decides, of any history of length k. */
void parikh_print(struct parikh *, const struct grammar *, const struct spec *, struct text *);
void parikh_size(const struct parikh *, size_t *rules, size_t *productions);

/* What a monitor of a grammar has done, for tests and measurements. */
struct grammar_figures {
  uint64_t checks, searched;       /* returns looked at; orders looked for, where the one there was could not go on */
  uint64_t solved, whole, unknown; /* systems solved; of those, without the history made smaller; limits hit */
  bool outside;                    /* has seen an operation the grammar does not describe */
  struct integer_figures integer;
};
void monitor_grammar_figures(const struct monitor *, struct grammar_figures *);
void monitor_grammar_by_system(struct monitor *); /* from now on the system alone decides: for tests */
/* That of the specification's own, which has one. */
struct monitor *monitor_of_bundled_grammar(struct mem *, const struct spec *, unsigned k, struct problem *);
struct monitor *monitor_of_grammar_text(struct mem *, const struct spec *, unsigned k, const char *source,
                                        const char *text, size_t len, struct problem *);

#endif
