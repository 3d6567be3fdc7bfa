/* A counterexample told: its moves are made again from the start, and what they do is written down, as a history and as
 * a schedule. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/floating.h"
#include "front/wides.h"
#include "verify/verify.h"

static const char *const fault_names[] = {
    [FAULT_NONE] = "nothing",
    [FAULT_NULL] = "a null pointer is used",
    [FAULT_FREED] = "freed memory is used",
    [FAULT_DOUBLE_FREE] = "memory is freed twice",
    [FAULT_BAD_FREE] = "what is freed did not come from malloc",
    [FAULT_BOUNDS] = "an access is out of bounds",
    [FAULT_OVERFLOW] = "a signed integer overflows",
    [FAULT_DIVISION] = "a division by zero",
    [FAULT_SHIFT] = "a shift by too much, or of a negative number to the left",
    [FAULT_UNINITIALISED] = "a value is used that was never set",
    [FAULT_POINTER] = "what is no pointer is used as one",
    [FAULT_ASSERTION] = "an assertion fails",
    [FAULT_UNLOCK] = "a mutex is unlocked that is not locked",
    [FAULT_DESTROY] = "a mutex is destroyed that is locked",
    [FAULT_UNSEQUENCED] = "accesses that are not sequenced",
    [FAULT_UNDEFINED] = "undefined behaviour",
    [FAULT_RACE] = "a data race",
    [FAULT_CONCURRENT] = "a data race",
    [FAULT_TRACKS] = "what was not kept of accesses is needed",
    [FAULT_TRAP] = "the program stops itself",
    [FAULT_ENDLESS] = "a loop without end within one step",
    [FAULT_ADDRESS] = "an address is used as a number",
    [FAULT_PLACE] = "variables that may have been at one place are compared",
    [FAULT_NUMBERS] = "an address is used as a number",
    [FAULT_RANGE] = "beyond what is modelled",
    [FAULT_FORGOTTEN] = "garbage was forgotten that is needed",
    [FAULT_UNORDERED] = "what one operand writes another one uses",
    [FAULT_ROOM] = "more memory than a state has room for",
    [FAULT_LIMIT] = "a limit was reached",
    [FAULT_POINTS] = "the linearization points",
};

const char *fault_name(enum fault f) { return fault_names[f]; }

struct freeing { /* or an allocation */
  uint32_t object, step;
  unsigned thread;
  struct place place;
};

enum { ACCESSES_TOLD = 20 }; /* of one step: an endless loop has very many */

struct telling {
  struct subject *subject;
  struct system *machine;
  struct schedule *schedule;
  struct history *history;
  const void *state; /* after the move: where names of objects come from. They stay the same throughout */
  unsigned thread;
  uint32_t step;
  uint32_t accesses; /* told of this step */
  VEC(struct freeing) freed, allocated;
  const struct program_op *inside[THREADS_MOST]; /* operations that are open; NULL */
  struct text fault;                             /* what is known of the object at which the fault is */
};

static const struct freeing *freeing_of(const struct telling *k, uint32_t object) {
  for (size_t i = k->freed.count; i-- > 0;)
    if (k->freed.at[i].object == object) return &k->freed.at[i];
  return NULL;
}

static void add_line(struct telling *k, enum schedule_kind kind, struct place place, struct text *text) {
  struct schedule_line l = {.step = k->step,
                            .thread = (uint16_t)k->thread,
                            .kind = (uint8_t)kind,
                            .file = place.file,
                            .line = place.line,
                            .column = place.col};
  l.text = mem_string(k->subject->mem, text_string(text), text->count);
  vec_push(k->subject->mem, &k->schedule->lines, l);
}

/* Values. */

/* A bit-field's value, out of the bytes around it. False if one of them is not a number that is known. */
static bool put_bits(const struct field *f, const word *bytes, unsigned count, struct text *t) {
  uint64_t all = 0;
  if (count > TRACED_MOST || f->width > 32) return false;
  for (unsigned i = 0; i < count; i++) {
    if (!word_is_small(bytes[i])) return false;
    all |= (uint64_t)(bytes[i] & 0xff) << 8 * i;
  }
  all = all >> f->first_bit & ((UINT64_C(1) << f->width) - 1);
  bool negative = f->type->is_signed && all >> (f->width - 1) & 1;
  text_printf(t, "%lld", (long long)all - (negative ? (long long)1 << f->width : 0));
  return true;
}

/* A float or double as a number that is read back as the same one. False: the access is to something else. */
static bool put_floating(struct telling *k, const struct trace_item *item, word w, struct text *t) {
  const struct type *type = item->inst->expr ? item->inst->expr->type : NULL;
  if (!type || type->kind != TYPE_FLOAT || word_is_unset(w) || word_is_pointer(w)) return false;
  unsigned bits = item->inst->scalar.bits;
  double real = floating_value(bits, (uint64_t)number_of_word(k->subject->program->wides, w));
  char text[40];
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, real);
    if (bits == 32 ? strtof(text, NULL) == (float)real : strtod(text, NULL) == real) break;
  }
  text_add(t, text);
  return true;
}

/* One cell's value, or a few in braces with their names: {val 1, version 3}. */
static void put_words(struct telling *k, const struct trace_item *item, const word *words, struct text *t) {
  unsigned count = item->inst->count, n = count < TRACED_MOST ? count : TRACED_MOST;
  if (inst_is_bits(item->inst) && put_bits(item->inst->bits, words, count, t)) return;
  if (n == 1 && put_floating(k, item, words[0], t)) return;
  if (n > 1) text_char(t, '{');
  for (unsigned i = 0; i < n; i++) {
    const char *name = machine_cell_name(k->machine, k->state, item->object, item->cell + i), *dot = strrchr(name, '.');
    if (i) text_add(t, ", ");
    if (dot) name = dot + 1;
    if (n > 1 && *name && *name != '[') text_printf(t, "%s ", name);
    machine_print_value(k->machine, k->state, item->object, item->cell + i, words[i], t);
  }
  if (n > 1) text_add(t, count > n ? ", ...}" : "}");
}

static bool same_words(const struct trace_item *item) {
  for (unsigned i = 0; i < item->inst->count && i < TRACED_MOST; i++)
    if (item->read[i] != item->expected[i]) return false;
  return true;
}

static void put_change(struct telling *k, const struct trace_item *item, struct text *t) {
  text_add(t, ": ");
  put_words(k, item, item->read, t);
  text_add(t, " -> ");
  put_words(k, item, item->written, t);
}

static void put_cas(struct telling *k, const struct trace_item *item, struct text *t) {
  if (item->writes) {
    put_change(k, item, t);
    text_add(t, " ok");
    return;
  }
  text_add(t, ": expected ");
  put_words(k, item, item->expected, t);
  if (same_words(item) && item->inst->count <= TRACED_MOST) {
    text_add(t, ", found it, but fails: it is a weak one");
    return;
  }
  text_add(t, ", found ");
  put_words(k, item, item->read, t);
  text_add(t, ": fails");
}

static const char *update_word(unsigned op) {
  switch (op) {
  case OP_ADD: return "add to";
  case OP_SUB: return "subtract from";
  case OP_AND: return "and";
  case OP_OR: return "or";
  case OP_XOR: return "xor";
  default: return "update";
  }
}

/* The variable as the source has it, or else the cell. */
static void put_target(struct telling *k, const struct trace_item *item, struct text *t) {
  if (item->inst->expr)
    inst_lvalue_print(item->inst, t);
  else
    machine_print_cell(k->machine, k->state, item->object, item->cell, t);
}

static void put_named(struct telling *k, const char *what, const struct trace_item *item, struct text *t) {
  text_add(t, what);
  put_target(k, item, t);
}

static void put_allocation(struct telling *k, const struct trace_item *item, struct text *t) {
  const struct freeing *f = item->object == NO_OBJECT ? NULL : freeing_of(k, item->object);
  const struct expr *call = item->inst->call;
  text_printf(t, "%s -> ", call ? call->a->decl->name : "malloc");
  if (item->object == NO_OBJECT) {
    text_add(t, "null: there is no memory");
    return;
  }
  machine_print_word(k->machine, k->state, word_pointer(item->object, 0), t);
  if (f) text_printf(t, ", which was freed in step %u", f->step);
}

/* "&a is below &b", "a number of &a is 1" */
static void put_chosen(struct telling *k, const struct trace_item *item, struct text *t) {
  bool order = item->chosen == CHOSEN_ORDER;
  if (!order) text_add(t, "a number made of ");
  machine_print_word(k->machine, k->state, word_pointer(item->object, 0), t);
  text_add(t, order ? " is below " : " is ");
  machine_print_word(k->machine, k->state, order ? word_pointer(item->cell, 0) : item->written[0], t);
}

static void put_store(struct telling *k, const struct inst *store, unsigned thread, struct text *t) {
  text_printf(t, "%s's store at ", k->schedule->threads.at[thread]);
  place_print(k->subject->unit, store->place, t);
}

/* Where memory is not sequentially consistent: which store was read, and when a store gets to memory. */
static void put_source(struct telling *k, const struct trace_item *item, struct text *t) {
  const struct told_source *s = &item->source;
  if (s->buffered) text_add(t, ", into its buffer");
  if (s->own) text_add(t, ", out of its buffer");
  if (s->flushed) text_add(t, ", out of the buffer, to memory");
  if (!s->newer) return;
  if (!item->reads) {
    text_printf(t, ", before %u other store%s of it", s->newer, s->newer == 1 ? "" : "s");
    return;
  }
  text_add(t, ": STALE, ");
  if (s->by)
    put_store(k, s->by, s->thread, t);
  else
    text_add(t, "the value at the start");
  text_add(t, s->newer > 1 ? "; the newest is " : "; it misses ");
  if (s->newest) put_store(k, s->newest, s->newest_thread, t);
  if (s->newer > 1) text_printf(t, ", the last of %u that it misses", s->newer);
}

static void put_access(struct telling *k, const struct trace_item *item, struct text *t) {
  switch (item->inst->code) {
  case I_LOAD:
    put_named(k, "load ", item, t);
    text_add(t, " -> ");
    put_words(k, item, item->read, t);
    break;
  case I_STORE:
    put_named(k, "store ", item, t);
    text_add(t, " = ");
    put_words(k, item, item->written, t);
    break;
  case I_EXCHANGE:
    put_named(k, "exchange ", item, t);
    put_change(k, item, t);
    break;
  case I_CAS:
    put_named(k, "cas ", item, t);
    put_cas(k, item, t);
    break;
  case I_FETCH:
    text_printf(t, "%s ", update_word(item->inst->op));
    put_target(k, item, t);
    put_change(k, item, t);
    break;
  case I_LOCK: put_named(k, "lock ", item, t); break;
  case I_TRYLOCK:
    put_named(k, "trylock ", item, t);
    text_add(t, item->read[0] ? ": fails" : " ok");
    break;
  case I_DESTROY: put_named(k, "destroy ", item, t); break;
  case I_UNLOCK: put_named(k, "unlock ", item, t); break;
  case I_ALLOC: put_allocation(k, item, t); break;
  case I_FENCE: text_printf(t, "fence (%s)", order_name(item->inst->order)); break;
  case I_BINARY:
  case I_UNARY:
  case I_CAST:
  case I_BRANCH:
  case I_ASSERT:
  case I_REQUIRE: put_chosen(k, item, t); break;
  default:
    text_add(t, "free ");
    machine_print_word(k->machine, k->state, word_pointer(item->object, 0), t);
    break;
  }
}

/* Events. */

static void put_call(const struct trace_item *item, struct text *t) {
  text_printf(t, "%s(", item->op->function);
  for (unsigned i = 0; i < item->op->params; i++)
    text_printf(t, "%s%lld", i ? ", " : "", (long long)item->call->args[i]);
  text_char(t, ')');
}

static void put_result(const struct trace_item *item, struct text *t) {
  static const char *const specials[] = {"ok", "nil", "true", "false", "empty", "full"};
  text_printf(t, "%s returns", item->op->function);
  if (item->op->result == RESULT_OF_VOID) return;
  if (item->op->result == RESULT_OF_BOOL)
    text_add(t, item->result ? " true" : " false");
  else if (item->result >= INT32_MIN && item->result <= INT32_MIN + 5)
    text_printf(t, " %s", specials[item->result - INT32_MIN]);
  else
    text_printf(t, " %lld", (long long)item->result);
}

static void add_call(struct telling *k, uint32_t process, const struct trace_item *item) {
  struct history *h = k->history;
  value args[3];
  for (unsigned i = 0; i < item->op->params; i++) args[i] = value_int(h->values, item->call->args[i]);
  const struct subject *s = k->subject;
  size_t len;
  int op = s->spec_op[item->op - s->program->ops];
  const char *name = spec_op_name(&s->spec, (unsigned)op, &len);
  history_call(h, process, 0, names_intern(h->methods, name, len), args, item->op->params, item->op->place.line);
}

static void tell_event(struct telling *k, const struct trace_item *item, struct text *t) {
  const char *letter = k->schedule->threads.at[item->event.thread];
  uint32_t process = names_intern(k->history->processes, letter, strlen(letter));
  switch (item->event.kind) {
  case EVENT_CALL:
    k->inside[item->event.thread] = item->op;
    add_call(k, process, item);
    put_call(item, t);
    add_line(k, SCHEDULE_CALL, item->place, t);
    break;
  case EVENT_RETURN:
    k->inside[item->event.thread] = NULL;
    history_return(k->history, process, 0, item->event.result);
    put_result(item, t);
    /* A function that ends at its closing brace: where it begins would say nothing. */
    add_line(k, SCHEDULE_RETURN, item->place.line == item->op->place.line ? (struct place){0} : item->place, t);
    break;
  default:
    text_printf(t, "the linearization point of %s's operation", letter);
    add_line(k, SCHEDULE_POINT, item->place, t);
  }
}

static void tell_fault_object(struct telling *k, const struct trace_item *item) {
  const struct freeing *f = freeing_of(k, item->object);
  text_add(&k->fault, ": ");
  machine_print_cell(k->machine, k->state, item->object, item->cell, &k->fault);
  if (f) text_printf(&k->fault, ", which %s freed in step %u", k->schedule->threads.at[f->thread], f->step);
}

static void tell(void *self, const struct trace_item *item) {
  struct telling *k = self;
  struct text t;
  text_open(&t, k->subject->mem);
  if (!item->inst) {
    tell_event(k, item, &t);
  } else if (item->fault) {
    tell_fault_object(k, item);
  } else if (!(item->inst->flags & FLAG_CONSTANT) && ++k->accesses > ACCESSES_TOLD) {
    if (k->accesses == ACCESSES_TOLD + 1)
      text_add(&t, "... and so on"), add_line(k, SCHEDULE_ACCESS, item->inst->place, &t);
  } else if (!(item->inst->flags & FLAG_CONSTANT)) {
    put_access(k, item, &t);
    put_source(k, item, &t);
    add_line(k, item->own ? SCHEDULE_OWN : SCHEDULE_ACCESS, item->inst->place, &t);
    struct freeing now = {item->object, k->step, k->thread, item->inst->place};
    if (item->inst->code == I_FREE) vec_push(k->subject->mem, &k->freed, now);
    if (item->inst->code == I_ALLOC) vec_push(k->subject->mem, &k->allocated, now);
  }
  mem_free(k->subject->mem, t.at);
}

/* Whom the last access is in a race with, and where that one stands. */
static void tell_race(struct telling *k, const struct move *move, struct text *t) {
  const struct inst *other = machine_at(k->machine, k->state, move->racer);
  text_printf(t, "%s: %s is about to ", fault_name(FAULT_RACE), k->schedule->threads.at[move->racer]);
  text_add(t, other->code == I_LOAD ? "read " : other->code == I_STORE ? "write " : "access ");
  inst_lvalue_print(other, t);
  text_add(t, other->flags & FLAG_ATOMIC ? ", atomically, at " : " at ");
  place_print(k->subject->unit, other->place, t);
}

static void tell_fault(struct telling *k, const struct move *move) {
  struct text t;
  text_open(&t, k->subject->mem);
  if (move->fault == FAULT_RACE) {
    tell_race(k, move, &t);
    add_line(k, SCHEDULE_FAULT, move->place, &t);
    return;
  }
  text_printf(&t, "%s%s%s%s", fault_name(move->fault), text_string(&k->fault), move->text && *move->text ? ": " : "",
              move->text ? move->text : "");
  add_line(k, SCHEDULE_FAULT, move->place, &t);
}

/* The function that a thread calls with a call of this number. */
static const char *called(const struct subject *s, unsigned thread, uint16_t number) {
  const struct client_thread *c = &s->client[thread];
  for (unsigned i = 0; i < c->call_count; i++)
    if (c->calls[i].number == number) return s->program->ops[c->calls[i].op].function;
  return "?";
}

/* At the end of a deadlock: what each thread waits for. */
static void tell_waiting(struct telling *k, const void *state) {
  struct system *m = k->machine;
  void *there = mem_zero(k->subject->mem, 1, m->work);
  k->step = 0;
  k->state = state;
  machine_trace(m, NULL, NULL);
  for (k->thread = 0; k->thread < k->subject->threads; k->thread++) {
    struct choices choices;
    struct move move;
    struct text t;
    const struct inst *at = machine_at(m, state, k->thread);
    const char *last = NULL; /* named; the calls of an operation stand together */
    text_open(&t, k->subject->mem);
    choices_begin(&choices);
    do {
      if (m->move(m, state, k->thread, &choices, there, &move) != WAITS) continue;
      if (at && !t.count) text_add(&t, "waits");
      if (at || !move.begun || !waits_always(m, state, k->thread, &choices, &move, there)) continue;
      const char *name = called(k->subject, k->thread, move.events[0].call);
      if (!last || strcmp(last, name)) text_printf(&t, "%s %s", last ? " or" : "would call", name);
      last = name;
    } while (choices_next(&choices));
    if (!t.count) continue;
    if (last) text_add(&t, ", and wait");
    if (at && at->code == I_LOCK && at->expr) text_add(&t, " for "), inst_lvalue_print(at, &t);
    add_line(k, SCHEDULE_WAIT, at ? at->place : (struct place){0}, &t);
  }
}

/* Where each thread is once no operation can return. */
static void tell_stuck(struct telling *k, const void *state) {
  bool told = false;
  k->step = 0;
  k->state = state;
  machine_trace(k->machine, NULL, NULL);
  for (k->thread = 0; k->thread < k->subject->threads; k->thread++) {
    const struct inst *at = machine_at(k->machine, state, k->thread);
    struct text t;
    if (!k->inside[k->thread] || !at) continue;
    text_open(&t, k->subject->mem);
    text_printf(&t, "here, %s never returns", k->inside[k->thread]->function);
    add_line(k, SCHEDULE_WAIT, at->place, &t);
    told = true;
  }
  if (!told) tell_waiting(k, state);
}

/* What nobody can reach after the last move. */
static bool tell_lost(struct telling *k, const void *state, struct problem *why) {
  struct text t, name;
  struct place place = {0};
  uint32_t object = machine_lost(k->machine, state);
  if (object == NO_OBJECT) return problem_set(why, "no memory is lost after the last move"), false;
  k->step = 0;
  k->state = state;
  machine_trace(k->machine, NULL, NULL);
  text_open(&t, k->subject->mem);
  text_open(&name, k->subject->mem);
  machine_print_word(k->machine, state, word_pointer(object, 0), &name);
  text_printf(&t, "nobody can reach %s", text_string(&name) + (*text_string(&name) == '&'));
  for (size_t i = k->allocated.count; i-- > 0;) {
    if (k->allocated.at[i].object != object) continue;
    k->thread = k->allocated.at[i].thread;
    place = k->allocated.at[i].place;
    text_printf(&t, ", which %s allocated in step %u", k->schedule->threads.at[k->thread], k->allocated.at[i].step);
    break;
  }
  text_add(&t, ", and nobody freed it");
  add_line(k, SCHEDULE_WAIT, place, &t);
  return true;
}

static bool run_path(struct telling *k, const struct path_move *path, size_t count, enum violation violation,
                     struct problem *why) {
  struct system *m = k->machine;
  void *here = mem_zero(k->subject->mem, 1, m->work), *there = mem_zero(k->subject->mem, 1, m->work);
  m->start(m, here);
  machine_trace(m, tell, k);
  for (size_t i = 0; i < count; i++) {
    struct move move;
    struct choices choices = path[i].choices;
    choices.depth = 0;
    k->thread = path[i].thread;
    k->step = (uint32_t)i + 1;
    k->accesses = 0;
    k->state = there;
    enum moved moved = m->again(m, here, path[i].thread, &choices, path[i].move.length, there, &move);
    if (moved == FAULTED) tell_fault(k, &move);
    if (moved != MOVED && !(moved == FAULTED && i + 1 == count)) {
      machine_trace(m, NULL, NULL);
      problem_set(why, "move %zu of the execution cannot be made", i + 1);
      return false;
    }
    memcpy(here, there, m->work);
  }
  if (violation == VIOLATION_DEADLOCK || violation == VIOLATION_ASLEEP) tell_waiting(k, here);
  if (violation == VIOLATION_NO_RETURN) tell_stuck(k, here);
  machine_trace(m, NULL, NULL);
  return violation != VIOLATION_LEAK || tell_lost(k, here, why);
}

static struct history *new_history(const struct subject *s) {
  struct history *h = history_new(s->mem, s->options->path);
  names_intern(h->objects, s->spec.name, strlen(s->spec.name));
  h->values = s->values; /* results of the search are of that table, and so are those of a specification run by it */
  return h;
}

void schedule_open(const struct subject *s, struct schedule *out) {
  *out = (struct schedule){0};
  for (size_t i = 0; i < s->unit->files.count; i++) {
    const struct source_file *f = &s->unit->files.at[i];
    vec_push(s->mem, &out->files, ((struct schedule_file){f->path, f->text, f->length}));
  }
  for (unsigned t = 0; t < s->threads; t++)
    vec_push(s->mem, &out->threads, mem_string(s->mem, &(char){(char)('A' + t)}, 1));
}

bool explain_path(struct subject *s, const struct path_move *path, size_t count, struct verified *out,
                  struct problem *why) {
  struct telling k = {.subject = s, .machine = s->machine, .schedule = &out->schedule, .history = new_history(s)};
  schedule_open(s, &out->schedule);
  text_open(&k.fault, s->mem);
  for (unsigned t = 0; t < s->threads; t++) names_intern(k.history->processes, out->schedule.threads.at[t], 1);
  if (!run_path(&k, path, count, out->search.violation, why)) return false;
  history_finish(k.history);
  out->history = k.history;
  struct spec spec = s->spec;
  return spec_bind(&spec, out->history, why);
}
