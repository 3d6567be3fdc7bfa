/* The typing of calls: of the user's functions, and of those known by name, whose arguments are checked by a signature.
 *
 * A signature is the result and then the arguments, a letter each:
 *   o  a pointer to any object; its type is "the type" of v and e below     O  the same, but of an integer
 *   v  a value of the type              e  a pointer to a value of the type, not atomic
 *   i  int    l  size_t  L  long        p  void *    c  a condition         b  bool (a result)     0  nothing (a
 * result) x  a pointer to a mutex             d  attributes, or NULL   n  an operation's function, or a
 * thread m  a number that does not matter here    r  a memory order    w  whether a compare-and-swap is weak
 *   V  the value after the operation (a result)   u  uintptr_t (a result)   s  a string
 *   P  a pointer to an integer or to a pointer, by which v is then counted in elements
 *   D  a pointer to a value of the type, which is read     R  a pointer to where the result goes
 *   .  any arguments, which are only evaluated; before it i is zero, and I a number that is not known
 *   I  any integer     T  a pointer to any integer     U  unsigned    H  unsigned short    q  unsigned long long
 *   f  float           g  double
 *   k  a pointer to an object, or NULL
 *   y  of a system call: a pointer to any integer of 32 bits, or to what is taken as one; its type is "the type"
 * Arguments d, m, r and w do not appear in the call that comes out. */
#include <assert.h>

#include "front/front.h"

enum { BUSY = 16, THREADS_BUSY = 1 }; /* EBUSY and thrd_busy, as the C library and the model headers have them */

struct call {
  struct front *f;
  const struct known *known;
  enum builtin builtin;
  const struct type *type; /* of the object */
  struct expr **args;      /* those that are kept */
  uint32_t count;
  struct expr *result; /* where it goes; NULL */
  uint8_t order[2];    /* memory orders given; ORDER_SEQ_CST where there are none */
  unsigned orders;
};

static void count_arguments(struct front *f, struct place place, const char *name, uint32_t given, uint32_t wanted) {
  if (given == wanted) return;
  front_fail(f, place, "%s takes %u argument%s, not %u", name, wanted, wanted == 1 ? "" : "s", given);
}

static struct expr *pointer_to_object(struct call *c, struct expr *e, char letter) {
  bool only_integer = letter == 'O' || letter == 'P';
  struct front *f = c->f;
  const char *name = c->known->name;
  e = expr_value(f, e);
  if (e->type->kind != TYPE_POINTER)
    front_fail(f, e->place, "%s needs a pointer, not '%s'", name, type_text(f, e->type->plain));
  c->type = e->type->of->plain;
  if (letter == 'O' && c->type->kind == TYPE_POINTER) front_outside(f, e->place, "%s on a pointer", name);
  if (letter == 'P' && c->type->kind == TYPE_POINTER) only_integer = false;
  if (only_integer && !type_is_integer(c->type))
    front_fail(f, e->place, "%s needs an integer, not '%s'", name, type_text(f, c->type));
  if (c->builtin >= BUILTIN_ATOMIC_ADD && c->builtin <= BUILTIN_ATOMIC_AND && c->type->kind == TYPE_BOOL)
    front_fail(f, e->place, "%s on a '_Bool', which has no arithmetic: atomic_exchange sets it", name);
  if (!type_is_scalar(c->type) && !type_is_record(c->type) && c->type->kind != TYPE_FLOAT)
    front_fail(f, e->place, "%s needs a pointer to a value, not '%s'", name, type_text(f, e->type->plain));
  type_must_be_complete(f, c->type, e->place, "a pointer to");
  if (e->type->of->constant && c->builtin != BUILTIN_ATOMIC_LOAD)
    front_fail(f, e->place, "%s of something that is const", name);
  return e;
}

static struct expr *pointer_to_expected(struct call *c, struct expr *e) {
  struct front *f = c->f;
  e = expr_value(f, e);
  const struct type *t = e->type;
  if (t->kind != TYPE_POINTER || t->of->atomic || !type_same(t->of, c->type))
    front_fail(f, e->place, "%s expects its second argument to be '%s *', not '%s'", c->known->name,
               type_text(f, c->type), type_text(f, t->plain));
  return e;
}

static struct expr *pointer_to_mutex(struct call *c, struct expr *e) {
  bool spins = !strncmp(c->known->name, "pthread_spin", 12);
  e = expr_value(c->f, e);
  if (e->type->kind != TYPE_POINTER || e->type->of->kind != TYPE_MUTEX ||
      spins != (e->type->of->plain == TYPE_OF(SPINLOCK)))
    front_fail(c->f, e->place, "%s needs a pointer to a %s, not '%s'", c->known->name, spins ? "spin lock" : "mutex",
               type_text(c->f, e->type->plain));
  return e;
}

static struct expr *pointer_to_futex(struct call *c, struct expr *e) {
  e = expr_value(c->f, e);
  if (e->type->kind != TYPE_POINTER) front_outside(c->f, e->place, "a system call other than futex");
  if (!type_is_integer(e->type->of) || e->type->of->bits != 32)
    e = expr_cast(c->f, e->place, type_pointer(c->f, TYPE_OF(UINT), e->place), e);
  c->type = e->type->of->plain;
  return e;
}

/* What is added to the object: to a pointer, a number of elements. */
static const struct type *counted_by(const struct call *c) {
  return c->type->kind == TYPE_POINTER && c->known->signature[1] == 'P' ? TYPE_OF(LONG) : c->type;
}

static struct expr *pointer_to_integer(struct call *c, struct expr *e) {
  e = expr_value(c->f, e);
  bool good = e->type->kind == TYPE_POINTER && type_is_integer(e->type->of) && e->type->of->kind != TYPE_BOOL &&
              !e->type->of->atomic && !e->type->of->constant;
  if (!good) front_fail(c->f, e->place, "%s needs a pointer to an integer", c->known->name);
  return e;
}

static bool does_nothing(const struct expr *e) {
  while (e->kind == E_CAST) e = e->a;
  return e->kind == E_NUMBER || (e->kind == E_NAME && !e->type->atomic && !e->type->is_volatile);
}

static void order_argument(struct call *c, struct expr *given) {
  struct expr *e = expr_as_if_assigned(c->f, given, TYPE_OF(INT), "an argument");
  if (!does_nothing(e)) front_outside(c->f, e->place, "a memory order that is computed");
  int64_t order = e->kind == E_NUMBER ? e->value & 0xffff : ORDER_VARIABLE; /* above are hints for elision */
  if (order < 0 || order > ORDER_VARIABLE) order = ORDER_VARIABLE;
  assert(c->orders < 2);
  c->order[c->orders++] = (uint8_t)order;
}

/* What comes out of an argument; NULL if nothing does. */
static struct expr *argument(struct call *c, char letter, struct expr *e) {
  struct front *f = c->f;
  switch (letter) {
  case 'o':
  case 'O':
  case 'P': return pointer_to_object(c, e, letter);
  case 'v': return expr_as_if_assigned(f, e, counted_by(c), "a value");
  case 'e': return pointer_to_expected(c, e);
  case 'D': return expr_value(f, expr_deref(f, e->place, pointer_to_expected(c, e)));
  case 'R': c->result = expr_deref(f, e->place, pointer_to_expected(c, e)); return NULL;
  case 'k':
    e = expr_value(f, e);
    if (e->type->kind != TYPE_POINTER && !expr_is_null(e))
      front_fail(f, e->place, "%s needs a pointer", c->known->name);
    return e;
  case 'y': return pointer_to_futex(c, e);
  case 'T': return pointer_to_integer(c, e);
  case 'I':
    e = expr_value(f, e);
    if (!type_is_integer(e->type)) front_fail(f, e->place, "%s needs an integer", c->known->name);
    return e;
  case 'U': return expr_as_if_assigned(f, e, TYPE_OF(UINT), "an argument");
  case 'H': return expr_as_if_assigned(f, e, TYPE_OF(USHORT), "an argument");
  case 'q': return expr_as_if_assigned(f, e, TYPE_OF(ULLONG), "an argument");
  case 'f': return expr_as_if_assigned(f, e, TYPE_OF(FLOAT), "an argument");
  case 'g': return expr_as_if_assigned(f, e, TYPE_OF(DOUBLE), "an argument");
  case 'i': return expr_as_if_assigned(f, e, TYPE_OF(INT), "an argument");
  case 'L': return expr_as_if_assigned(f, e, TYPE_OF(LONG), "an argument");
  case 'l': return expr_as_if_assigned(f, e, TYPE_OF(ULONG), "an argument");
  case 'p': return expr_as_if_assigned(f, e, type_pointer(f, TYPE_OF(VOID), e->place), "an argument");
  case 'c': return expr_condition_value(f, e);
  case 'x': return pointer_to_mutex(c, e);
  case '.': /* a text is not looked at, and a list of arguments neither */
    if (e->type->kind == TYPE_VA_LIST) return NULL;
    while (e->kind == E_DECAY || e->kind == E_CAST) {
      if (e->a->kind == E_STRING) return NULL;
      e = e->a;
    }
    return e->kind == E_STRING ? NULL : expr_value(f, e);
  case 's':
    if (e->kind != E_STRING) front_fail(f, e->place, "%s needs a string", c->known->name);
    return e;
  case 'n': return e->type->kind == TYPE_FUNCTION ? e : expr_as_if_assigned(f, e, TYPE_OF(INT), "an argument");
  case 'd': /* the attributes are the number that the mutex begins as */
    e = expr_value(f, e);
    if (expr_is_null(e)) return NULL;
    return expr_as_if_assigned(f, expr_deref(f, e->place, e), TYPE_OF(INT), "an argument");
  case 'r': order_argument(c, e); return NULL;
  case 'w':
    if (e->kind != E_NUMBER) front_fail(f, e->place, "whether %s is weak must be a constant", c->known->name);
    if (e->value) c->builtin = BUILTIN_ATOMIC_CAS_WEAK;
    return NULL;
  default:
    if (!does_nothing(expr_as_if_assigned(f, e, TYPE_OF(INT), "an argument")))
      front_outside(f, e->place, "an argument of %s that is computed", c->known->name);
    return NULL;
  }
}

static const struct type *result_type(struct call *c, struct place place) {
  switch (*c->known->signature) {
  case 'v':
  case 'V': return c->type;
  case 'b': return TYPE_OF(BOOL);
  case 'i':
  case 'I': return TYPE_OF(INT);
  case 'L': return TYPE_OF(LONG);
  case 'l': return TYPE_OF(ULONG);
  case 'U': return TYPE_OF(UINT);
  case 'H': return TYPE_OF(USHORT);
  case 'f': return TYPE_OF(FLOAT);
  case 'g': return TYPE_OF(DOUBLE);
  case 'u': return TYPE_OF(UINTPTR);
  case 'p': return type_pointer(c->f, TYPE_OF(VOID), place);
  default: return TYPE_OF(VOID);
  }
}

/* __builtin_clzl: which of them it is. */
static enum bits bits_named(const char *name) {
  static const char *const names[] = {
      [BITS_CTZ] = "ctz",       [BITS_CLZ] = "clz",     [BITS_FFS] = "ffs",   [BITS_POPCOUNT] = "popcount",
      [BITS_PARITY] = "parity", [BITS_CLRSB] = "clrsb", [BITS_SWAP] = "bswap"};
  unsigned i = 0;
  name += strlen("__builtin_");
  while (i < BITS_SWAP && strncmp(name, names[i], strlen(names[i]))) i++;
  return (enum bits)i;
}

static struct expr *fold_bits(struct expr *e) {
  uint64_t to;
  const struct expr *a = e->args[0];
  e->order = (uint8_t)bits_named(e->a->decl->name);
  if (a->kind != E_NUMBER || !bits_of((enum bits)e->order, (uint64_t)a->value, a->type->bits, &to)) return e;
  *e = (struct expr){.kind = E_NUMBER, .place = e->place, .type = e->type, .value = fold_wrap((int64_t)to, e->type)};
  return e;
}

/* Those that are known when they are typed, or stand for an argument. */
static struct expr *call_typed(struct front *f, struct place place, const struct known *known, struct expr **args,
                               uint32_t count) {
  const char *name = known->name;
  if (!count) front_fail(f, place, "%s takes an argument", name);
  struct expr *e = args[0];
  if (!strcmp(name, "__builtin_constant_p"))
    return expr_number(f, place, e->kind == E_NUMBER || e->kind == E_STRING, TYPE_OF(INT));
  if (strstr(name, "object_size"))
    return expr_number(f, place, count > 1 && args[1]->kind == E_NUMBER && args[1]->value & 2 ? 0 : -1, TYPE_OF(ULONG));
  if (!strcmp(name, "__builtin_prefetch")) return expr_cast(f, place, TYPE_OF(VOID), e);
  if (!strcmp(name, "__builtin_assume_aligned"))
    return expr_as_if_assigned(f, e, type_pointer(f, TYPE_OF(VOID), place), "an argument");
  int64_t size = e->kind == E_NUMBER ? e->value : -1;
  if (!strcmp(name, "atomic_is_lock_free")) {
    e = expr_value(f, e);
    size = e->type->kind == TYPE_POINTER ? (int64_t)e->type->of->size : -1;
  }
  if (size < 0) front_outside(f, place, "%s of a size that is not constant", name);
  bool always = size == 1 || size == 2 || size == 4 || size == 8;
  if (!always && strcmp(name, "__atomic_always_lock_free"))
    front_outside(f, place, "%s of %lld bytes", name, (long long)size);
  return expr_number(f, place, always, TYPE_OF(BOOL));
}

static struct expr *call_known(struct front *f, struct place place, struct expr *function, const struct known *known,
                               struct expr **args, uint32_t count) {
  struct call c = {.f = f, .known = known, .builtin = known->builtin, .order = {ORDER_SEQ_CST, ORDER_SEQ_CST}};
  if (known->builtin == BUILTIN_TYPED) return call_typed(f, place, known, args, count);
  bool any = known->signature[1] == '.';
  if (!any) count_arguments(f, place, known->name, count, (uint32_t)strlen(known->signature) - 1);
  c.args = mem_piece(f->mem, (count + 1) * sizeof *c.args);
  for (uint32_t i = 0; i < count; i++) {
    struct expr *kept = argument(&c, any ? '.' : known->signature[i + 1], args[i]);
    if (kept) c.args[c.count++] = kept;
  }
  if (c.builtin == BUILTIN_EXPECT) /* of type long, also where it needs no conversion */
    return type_identical(c.args[0]->type->plain, TYPE_OF(LONG)) ? c.args[0]
                                                                 : expr_cast(f, place, TYPE_OF(LONG), c.args[0]);
  if ((int)c.builtin != function->decl->builtin) { /* a weak one, by its argument */
    struct decl *weak = decl_new(f, DECL_FUNCTION, known->name, function->type, function->decl->place);
    weak->builtin = (int)c.builtin;
    function = expr_name(f, function->place, weak);
  }
  struct expr *e = expr_new(f, E_CALL, place, function, NULL, NULL);
  expr_args(f, e, c.args, c.count);
  e->order = c.order[0];
  e->order_failure = c.orders == 2 ? c.order[1] : c.order[0];
  e->type = result_type(&c, place);
  if (c.builtin == BUILTIN_MUTEX_TRYLOCK)
    return expr_choice(f, place, e,
                       expr_number(f, place, known->header == HEADER_THREADS ? THREADS_BUSY : BUSY, TYPE_OF(INT)),
                       expr_number(f, place, 0, TYPE_OF(INT)));
  e->op = known->op;
  e->postfix = *known->signature != 'V'; /* the value is the old one */
  if (c.result) {
    e->type = c.type;
    return expr_cast(f, place, TYPE_OF(VOID), expr_assign(f, place, OP_NONE, c.result, e));
  }
  return c.builtin == BUILTIN_BITS ? fold_bits(e) : e;
}

/* The type that a letter of a signature stands for, where it is always the same one; NULL. */
static const struct type *letter_type(struct front *f, char letter, struct place place) {
  switch (letter) {
  case '0': return TYPE_OF(VOID);
  case 'b': return TYPE_OF(BOOL);
  case 'f': return TYPE_OF(FLOAT);
  case 'g': return TYPE_OF(DOUBLE);
  case 'i': return TYPE_OF(INT);
  case 'L': return TYPE_OF(LONG);
  case 'l': return TYPE_OF(ULONG);
  case 'p': return type_pointer(f, TYPE_OF(VOID), place);
  default: return NULL;
  }
}

struct decl *known_wrapper(struct front *f, struct expr *function) {
  const char *name = function->decl->name, *signature = known_find(name)->signature;
  struct place place = function->place;
  uint32_t count = (uint32_t)strlen(signature) - 1;
  for (size_t i = 0; i < f->wrappers.count; i++) /* a function has one address */
    if (!strcmp(f->wrappers.at[i]->name, name)) return f->wrappers.at[i];
  struct type *type = type_new(f, TYPE_FUNCTION);
  struct decl *d = decl_new(f, DECL_FUNCTION, name, type, place);
  struct expr **args = mem_piece(f->mem, (count + 1) * sizeof *args);
  type->of = letter_type(f, *signature, place);
  type->depth = 1;
  type->params = mem_piece(f->mem, (count + 1) * sizeof *type->params);
  d->params = mem_piece(f->mem, (count + 1) * sizeof *d->params);
  type->param_count = d->param_count = count;
  for (uint32_t i = 0; i < count; i++) {
    type->params[i] = letter_type(f, signature[i + 1], place);
    if (!type->params[i]) front_outside(f, place, "the address of %s", name);
    d->params[i] = decl_new(f, DECL_VARIABLE, "", type->params[i], place);
    d->params[i]->storage = STORAGE_PARAM;
    args[i] = expr_name(f, place, d->params[i]);
  }
  if (!type->of) front_outside(f, place, "the address of %s", name);
  d->body = stmt_new(f, type->of->kind == TYPE_VOID ? S_EXPR : S_RETURN, place);
  d->body->expr = expr_call(f, place, function, args, count);
  d->storage = STORAGE_GLOBAL;
  d->defined = true;
  vec_push(f->mem, &f->wrappers, d);
  return d;
}

/* A function that a header of the system declares, and that is known by name. */
static struct expr *known_of_system(struct front *f, struct expr *function) {
  const struct decl *d = function->decl;
  const struct known *known = d->builtin || d->defined ? NULL : known_find(d->name);
  if (!known || !known->signature || !f->unit->files.at[d->place.file].is_system) return function;
  struct decl *as = decl_new(f, DECL_FUNCTION, d->name, function->type, function->place);
  as->builtin = (int)known->builtin;
  return expr_name(f, function->place, as);
}

/* Whatever points to a function can be called as the function can: (*p)(), p(). */
struct expr *expr_call(struct front *f, struct place place, struct expr *function, struct expr **args, uint32_t count) {
  bool named = function->kind == E_NAME && function->decl->kind == DECL_FUNCTION;
  if (named) function = known_of_system(f, function);
  if (named && function->decl->access && count) {
    static const enum basic of_size[] = {
        [1] = BASIC_UCHAR, [2] = BASIC_USHORT, [4] = BASIC_UINT, [8] = BASIC_ULONG, [16] = BASIC_UINT128};
    const struct type *to = type_pointer(f, &basic_types[of_size[function->decl->access]], place);
    args[0] = expr_cast(f, place, to, expr_value(f, args[0]));
  }
  if (named && function->decl->builtin)
    return call_known(f, place, function, known_find(function->decl->name), args, count);
  if (!named) {
    function = expr_value(f, function);
    if (function->type->kind != TYPE_POINTER || function->type->of->kind != TYPE_FUNCTION)
      front_fail(f, place, "'%s' is called, which is not a function", type_text(f, function->type->plain));
    if (function->kind == E_ADDRESS) function = function->a;
  }
  named = function->kind == E_NAME && function->decl->kind == DECL_FUNCTION;
  const struct type *type = named ? function->type : function->type->of;
  if (!named && type->unspecified && count)
    front_outside(f, place, "a call through a pointer whose parameters are not declared");
  uint32_t least = type->param_count;
  bool more = (type->variadic && count > least) || type->unspecified;
  if (!more) count_arguments(f, place, named ? function->decl->name : "this pointer to a function", count, least);
  for (uint32_t i = 0; i < count; i++)
    args[i] = i < least ? expr_as_parameter(f, args[i], type->params[i]) : expr_value(f, args[i]);
  struct expr *e = expr_new(f, E_CALL, place, function, NULL, NULL);
  expr_args(f, e, args, count);
  e->type = type->of->plain;
  return e;
}
