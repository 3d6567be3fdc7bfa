/* Inline assembly. What only holds the compiler back, or is a hint to the processor, changes nothing here, and a fence
 * is one; all other assembly is outside. */
#include <ctype.h>

#include "front/front.h"

bool parse_at_asm(struct front *f) { return parse_at(f, "asm") || parse_at(f, "__asm__") || parse_at(f, "__asm"); }

/* The instructions in small letters, with one blank between words: "rep; nop" is "rep nop". */
static const char *instructions(struct front *f, const struct token *t) {
  struct text plain;
  text_open(&plain, f->mem);
  for (size_t i = 0; i < t->length; i++) {
    bool blank = isspace((unsigned char)t->text[i]) || t->text[i] == ';';
    if (!blank) text_char(&plain, (char)tolower((unsigned char)t->text[i]));
    if (blank && plain.count && plain.at[plain.count - 1] != ' ') text_char(&plain, ' ');
  }
  while (plain.count && plain.at[plain.count - 1] == ' ') plain.at[--plain.count] = 0;
  return plain.count ? text_string(&plain) : "";
}

/* The function that is like them; "": they change nothing; NULL: it is not known what they do. */
static const char *like(const char *code) {
  static const struct {
    const char *code, *function;
  } known[] = {{"", ""},
               {"nop", ""},
               {"pause", "__builtin_ia32_pause"},
               {"rep nop", "__builtin_ia32_pause"},
               {"mfence", "__sync_synchronize"},
               {"lfence", ""},
               {"sfence", ""}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strcmp(known[i].code, code)) return known[i].function;
  return NULL;
}

/* : "+r"(x), "r"(y): operands of no instruction. One that is only written would have any value. */
static void parse_operands(struct front *f, struct place place) {
  while (parse_accept(f, ":")) {
    while (!parse_at(f, ":") && !parse_at(f, ")")) {
      if (parse_accept(f, "[")) {
        parse_name(f, "the name of an operand");
        parse_expect(f, "]");
      }
      struct token *t = parse_token(f);
      if (t->kind != TOKEN_STRING || *t->text == '=') front_outside(f, place, "inline assembly");
      f->at++;
      if (parse_accept(f, "(")) {
        struct expr *e = parse_expression(f);
        parse_expect(f, ")");
        while (e->kind == E_FIELD || e->kind == E_CAST || e->kind == E_DEREF) e = e->a;
        if (e->kind != E_NAME && e->kind != E_NUMBER) front_outside(f, place, "inline assembly");
      }
      if (!parse_accept(f, ",")) break;
    }
  }
}

struct expr *parse_asm(struct front *f) {
  struct place place = parse_token(f)->place;
  f->at++;
  while (parse_accept(f, "volatile") || parse_accept(f, "__volatile__") || parse_accept(f, "__volatile") ||
         parse_accept(f, "inline") || parse_accept(f, "__inline__")) {}
  if (!parse_accept(f, "(")) front_outside(f, place, "inline assembly"); /* asm goto */
  struct token *t = parse_token(f);
  if (t->kind != TOKEN_STRING) front_outside(f, place, "inline assembly");
  f->at++;
  const char *function = like(instructions(f, t));
  if (!function) front_outside(f, place, "inline assembly");
  parse_operands(f, place);
  parse_expect(f, ")");
  if (!*function) return NULL;
  struct type *type = type_new(f, TYPE_FUNCTION);
  type->of = TYPE_OF(VOID);
  type->unspecified = true;
  struct decl *d = decl_new(f, DECL_FUNCTION, function, type, place);
  d->builtin = (int)known_find(function)->builtin;
  return expr_call(f, place, expr_name(f, place, d), NULL, 0);
}
