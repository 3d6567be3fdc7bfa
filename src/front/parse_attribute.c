/* __attribute__((...)), and __asm__("name") of declarations. Those that change layouts, types or when a function runs
 * are carried out, or make what they stand at one that is not followed; all others change nothing of what is read
 * here. */
#include "front/front.h"

uint32_t parse_alignment(struct front *f) {
  struct place place = parse_expect(f, "(")->place;
  int64_t align = parse_at_type(f) ? parse_type_name(f)->align : parse_constant(f, "an alignment");
  parse_expect(f, ")");
  if (align < 0 || align > 1 << 28 || (align & (align - 1)))
    front_fail(f, place, "an alignment of %lld", (long long)align);
  return (uint32_t)align;
}

/* The word of an attribute, which may stand between underscores. */
static const char *word_of(const struct token *t, size_t *length) {
  const char *text = t->text;
  *length = t->length;
  if (*length <= 4 || strncmp(text, "__", 2) || strncmp(text + *length - 2, "__", 2)) return text;
  *length -= 4;
  return text + 2;
}

static bool is_called(const struct token *t, const char *name) {
  size_t n;
  const char *text = word_of(t, &n);
  return n == strlen(name) && !memcmp(text, name, n);
}

/* clang-format off */
/* In the order of strcmp. */
static const char *const harmless[] = {
    "__", "access", "acquire_capability", "acquired_after", "acquired_before", "alias", "alloc_align", "alloc_size",
    "always_inline", "annotate", "artificial", "assert_exclusive_lock", "assert_shared_lock", "assume",
    "assume_aligned", "btf_decl_tag", "capability", "cold", "common", "const", "context", "copy", "counted_by",
    "deprecated", "designated_init", "destructor", "diagnose_if", "disable_tail_calls", "enable_if",
    "enum_extensibility", "error", "exclusive_lock_function", "exclusive_locks_required",
    "exclusive_trylock_function", "expected_throw", "externally_visible", "fallthrough", "fd_arg", "fd_arg_read",
    "fd_arg_write", "flag_enum", "flatten", "force_align_arg_pointer", "format", "format_arg", "gnu_inline",
    "guarded_by", "hot", "ifunc", "leaf", "lockable", "locks_excluded", "malloc", "may_alias", "maybe_unused",
    "min_vector_width", "minsize", "no_address_safety_analysis", "no_icf", "no_instrument_function",
    "no_profile_instrument_function", "no_reorder", "no_sanitize", "no_sanitize_address", "no_sanitize_thread",
    "no_sanitize_undefined", "no_split_stack", "no_stack_protector", "no_thread_safety_analysis", "nocf_check",
    "noclone", "nocommon", "nodebug", "noderef", "noinit", "noinline", "noipa", "nonnull", "nonoverlapping",
    "nonstring", "noplt", "noreturn", "nothrow", "null_terminated_string_arg", "optimize", "optnone", "overloadable",
    "pass_object_size", "pt_guarded_by", "pure", "regparm", "release_capability", "requires_capability", "retain",
    "returns_nonnull", "scoped_lockable", "section", "sentinel", "shared_lock_function", "shared_locks_required",
    "shared_trylock_function", "simd", "stack_protect", "strict_flex_array", "symver", "sysv_abi", "tainted_args",
    "target", "tls_model", "try_acquire_capability", "unavailable", "unlock_function", "unused",
    "used", "visibility", "warn_if_not_aligned", "warn_unused_result", "warning", "weakref", "zero_call_used_regs",
};
/* clang-format on */

static bool is_harmless(const struct token *t) {
  size_t n, from = 0, to = sizeof harmless / sizeof *harmless;
  const char *text = word_of(t, &n);
  while (from < to) {
    size_t middle = (from + to) / 2;
    int order = strncmp(text, harmless[middle], n);
    if (!order && !harmless[middle][n]) return true;
    if (order > 0)
      from = middle + 1;
    else
      to = middle;
  }
  return false;
}

enum { ALIGN_BIGGEST = 16 }; /* __attribute__((aligned)) without a number */

static const struct type *parse_mode(struct front *f) {
  static const struct {
    const char *name;
    const struct type *type;
  } modes[] = {{"QI", TYPE_OF(UCHAR)}, {"byte", TYPE_OF(UCHAR)}, {"HI", TYPE_OF(USHORT)},     {"SI", TYPE_OF(UINT)},
               {"DI", TYPE_OF(ULONG)}, {"word", TYPE_OF(ULONG)}, {"pointer", TYPE_OF(ULONG)}, {"TI", TYPE_OF(UINT128)}};
  parse_expect(f, "(");
  struct token *t = parse_name(f, "a mode");
  parse_expect(f, ")");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (is_called(t, modes[i].name)) return modes[i].type;
  front_outside(f, t->place, "__attribute__((mode(%.100s)))", t->text);
}

static struct decl *parse_cleanup(struct front *f) {
  parse_expect(f, "(");
  struct token *t = parse_name(f, "a function");
  parse_expect(f, ")");
  struct decl *d = scope_find(t->symbol);
  if (!d || d->kind != DECL_FUNCTION) front_outside(f, t->place, "cleanup by what is not a function declared above");
  struct use use = {d, t->place};
  vec_push(f->mem, &f->uses, use);
  d->used = true;
  return d;
}

static void skip_argument(struct front *f) {
  if (parse_at(f, "(")) parse_skip_brackets(f);
}

/* One of a list. */
static void parse_attribute(struct front *f, struct attributes *to) {
  struct token *t = parse_token(f);
  if (t->kind != TOKEN_NAME) front_fail(f, t->place, "expected an attribute, found %s", token_text(f, t));
  f->at++;
  if (token_is(t, "__asif_size") && f->unit->files.at[t->place.file].model) { /* the system's has more parts */
    parse_expect(f, "(");
    f->size_asked = (uint32_t)parse_constant(f, "a size");
    parse_expect(f, ")");
  } else if (is_called(t, "aligned")) {
    uint32_t align = parse_at(f, "(") ? parse_alignment(f) : ALIGN_BIGGEST;
    if (align > to->align) to->align = align;
  } else if (is_called(t, "vector_size") && parse_at(f, "(")) {
    to->vector = parse_alignment(f);
    to->place = t->place;
  } else if (is_called(t, "mode") && parse_at(f, "(")) {
    to->mode = parse_mode(f);
  } else if (is_called(t, "cleanup") && parse_at(f, "(")) {
    to->cleanup = parse_cleanup(f);
  } else {
    if (is_called(t, "packed")) {
      to->packed = true;
    } else if (is_called(t, "transparent_union")) {
      to->transparent = true;
    } else if (is_called(t, "weak")) {
      to->is_weak = true;
    } else if (is_called(t, "constructor")) {
      to->is_constructor = true;
    } else if (!is_harmless(t)) {
      struct text what;
      text_open(&what, f->mem);
      text_printf(&what, "__attribute__((%.100s))", t->text);
      to->outside = text_string(&what);
      to->place = t->place;
    }
    skip_argument(f);
  }
}

static bool parse_asm_name(struct front *f, struct attributes *to) {
  if (!parse_accept(f, "__asm__") && !parse_accept(f, "asm") && !parse_accept(f, "__asm")) return false;
  parse_expect(f, "(");
  struct token *t = parse_token(f);
  if (t->kind != TOKEN_STRING) front_outside(f, t->place, "inline assembly");
  f->at++;
  parse_expect(f, ")");
  to->asm_name = t;
  return true;
}

void parse_attributes(struct front *f, struct attributes *to) {
  for (;;) {
    struct token *t = parse_token(f);
    if (!parse_accept(f, "__attribute__") && !parse_accept(f, "__attribute")) {
      if (parse_asm_name(f, to)) continue;
      return;
    }
    if (!to->place.line) to->place = t->place;
    parse_expect(f, "(");
    parse_expect(f, "(");
    while (!parse_at(f, ")"))
      if (!parse_accept(f, ",")) parse_attribute(f, to);
    parse_expect(f, ")");
    parse_expect(f, ")");
  }
}

void parse_plain_attributes(struct front *f) {
  struct attributes a = {0};
  parse_attributes(f, &a);
  if (a.outside) front_outside(f, a.place, "%s", a.outside);
  if (a.align || a.packed || a.mode || a.cleanup || a.asm_name)
    front_outside(f, a.place, "an attribute that asks for something here");
}
