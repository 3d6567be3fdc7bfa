/* Clients: what the threads call.
 *
 * A thread's calls are a sequence over all calls its role allows. Clients are enumerated, smallest first; of those that
 * differ only in which of several alike threads does what, one is taken: the one where alike threads are in order. Each
 * is used when it is made, and not kept: there may be more than fit into memory, and the first is there at once. */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test/clients.h"

enum { CALLS_MOST = 4096 };

size_t client_calls(const struct client *c) { return c->first[c->threads]; }

bool threads_alike(const struct client *c, unsigned t, unsigned u) {
  uint32_t count = c->first[t + 1] - c->first[t];
  if (c->first[u + 1] - c->first[u] != count) return false;
  for (uint32_t i = 0; i < count; i++) {
    const struct call *a = &c->calls[c->first[t] + i], *b = &c->calls[c->first[u] + i];
    if (a->op != b->op || memcmp(a->arg, b->arg, sizeof a->arg)) return false;
  }
  return true;
}

void client_copy(struct mem *m, const struct client *from, struct client *to) {
  size_t calls = client_calls(from);
  to->threads = from->threads;
  to->first = mem_piece(m, (from->threads + 1) * sizeof *to->first);
  to->calls = mem_piece(m, (calls + 1) * sizeof *to->calls);
  memcpy(to->first, from->first, (from->threads + 1) * sizeof *to->first);
  memcpy(to->calls, from->calls, calls * sizeof *to->calls);
}

void client_print(const struct object *o, const struct client *c, struct text *t) {
  for (unsigned i = 0; i < c->threads; i++) {
    if (i) text_add(t, " | ");
    for (uint32_t k = c->first[i]; k < c->first[i + 1]; k++) {
      const struct object_op *op = &o->ops[c->calls[k].op];
      text_printf(t, "%s%s(", k > c->first[i] ? " " : "", op->run.written);
      for (unsigned a = 0; a < op->arg_count; a++) text_printf(t, "%s%ld", a ? ", " : "", c->calls[k].arg[a]);
      text_char(t, ')');
    }
  }
}

/* One given. */

struct parsing {
  struct mem *mem;
  const struct object *object;
  const char *text, *at;
  struct problem *why;
};

static bool refuse(struct parsing *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct parsing *k, const char *format, ...) {
  char what[400];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  problem_set(k->why,
              "--client: %s; as 'push(1) pop() | pop()': calls of a thread one after the other, threads apart by |",
              what);
  return false;
}

static void blanks(struct parsing *k) { k->at += strspn(k->at, " \t\n,;"); }

/* The function's name, or else that of the specification's operation. */
static int find_op(const struct object *o, const char *name, size_t n) {
  for (unsigned i = 0; i < o->op_count; i++)
    if (strlen(o->ops[i].run.written) == n && !strncmp(o->ops[i].run.written, name, n)) return (int)i;
  for (unsigned i = 0; i < o->op_count; i++)
    if (strlen(o->ops[i].run.name) == n && !strncmp(o->ops[i].run.name, name, n)) return (int)i;
  return -1;
}

static bool parse_args(struct parsing *k, const struct object_op *op, struct call *call) {
  unsigned count = 0;
  for (k->at += strspn(k->at, " "); *k->at != ')';) {
    char *end;
    errno = 0;
    long v = strtol(k->at, &end, 0);
    if (end == k->at || errno) return refuse(k, "'%.30s' is no number", k->at);
    if (count == op->arg_count) break;
    bool is_long = op->run.signature >> (4 + count) & 1;
    if (!is_long && (v < INT32_MIN || v > INT32_MAX)) return refuse(k, "%ld is no int", v);
    call->arg[count++] = v;
    k->at = end + strspn(end, " ,");
  }
  if (count != op->arg_count || *k->at != ')')
    return refuse(k, "%s takes %u argument%s", op->run.written, op->arg_count, op->arg_count == 1 ? "" : "s");
  k->at++;
  return true;
}

static bool parse_call(struct parsing *k, struct call *call) {
  size_t n = 0;
  while (isalnum((unsigned char)k->at[n]) || k->at[n] == '_') n++;
  if (!n) return refuse(k, "'%.30s' is no call", k->at);
  int op = find_op(k->object, k->at, n);
  if (op < 0) {
    struct text names;
    text_open(&names, k->mem);
    for (unsigned i = 0; i < k->object->op_count; i++)
      text_printf(&names, "%s%s", i ? ", " : "", k->object->ops[i].run.written);
    return refuse(k, "%.*s is no operation of the object, which has %.200s", (int)n, k->at, text_string(&names));
  }
  k->at += n + strspn(k->at + n, " ");
  *call = (struct call){.op = (uint32_t)op};
  if (*k->at != '(') return refuse(k, "a ( is missing after %s", k->object->ops[op].run.written);
  k->at++;
  return parse_args(k, &k->object->ops[op], call);
}

/* May the threads, in this order, have roles? Without roles every thread may call everything. */
static bool roles_fit(const struct object *o, const struct client *c, unsigned thread, unsigned *taken) {
  if (!o->role_count || thread == c->threads) return true;
  uint64_t used = 0;
  for (uint32_t k = c->first[thread]; k < c->first[thread + 1]; k++) used |= (uint64_t)1 << c->calls[k].op;
  for (unsigned r = 0; r < o->role_count; r++) {
    if (used & ~o->roles[r].ops || (o->roles[r].threads != ASIF_REST && taken[r] == (unsigned)o->roles[r].threads))
      continue;
    taken[r]++;
    if (roles_fit(o, c, thread + 1, taken)) return true;
    taken[r]--;
  }
  return false;
}

static bool refuse_misuse(struct parsing *k, const struct client *c, uint32_t call) {
  const struct object *o = k->object;
  const char *what = o->ops[c->calls[call].op].run.written, *try = NULL;
  unsigned thread = 0;
  while (c->first[thread + 1] <= call) thread++;
  for (uint32_t i = c->first[thread]; i < call; i++) {
    const struct object_op *op = &o->ops[c->calls[i].op];
    if (o->spec.ops[op->method].pure == PURE_IF_FALSE) try = op->run.written;
  }
  struct text t;
  text_open(&t, k->mem);
  if (try) text_printf(&t, "where %s fails, ", try);
  text_printf(&t, "thread %c calls %s without having acquired anything", 'A' + (int)thread, what);
  if (try) text_printf(&t, "; an operation that calls both, and %s only where %s succeeds, would be right", what, try);
  problem_set(k->why, "--client: %.400s", text_string(&t));
  return false;
}

bool client_parse(struct mem *m, const struct object *o, const char *text, struct client *out, struct problem *why) {
  struct parsing k = {.mem = m, .object = o, .text = text, .at = text, .why = why};
  VEC(uint32_t) first = {NULL, 0, 0};
  VEC(struct call) calls = {NULL, 0, 0};
  vec_push(m, &first, 0);
  for (blanks(&k);; blanks(&k)) {
    if (*k.at && *k.at != '|') {
      struct call call;
      if (!parse_call(&k, &call)) return false;
      vec_push(m, &calls, call);
      continue;
    }
    if (calls.count == first.at[first.count - 1]) return refuse(&k, "a thread without calls");
    vec_push(m, &first, (uint32_t)calls.count);
    if (!*k.at) break;
    k.at++;
  }
  *out = (struct client){.threads = (unsigned)first.count - 1, .first = first.at, .calls = calls.at};
  if (out->threads >= FIBERS_MOST - 1) return refuse(&k, "more than %d threads", FIBERS_MOST - 2);
  unsigned *taken = mem_zero(m, o->role_count + 1, sizeof *taken);
  if (!roles_fit(o, out, 0, taken))
    return refuse(&k, "no thread may make these calls: the harness has roles (ASIF_ROLE)");
  uint32_t misuse;
  if (client_finds_misuse(m, o, out, &misuse)) return refuse_misuse(&k, out, misuse);
  return true;
}

/* All. */

static bool add_calls(const struct object_op *op, uint32_t number, struct kind *to, struct problem *why) {
  struct call call = {.op = number};
  for (unsigned a = 0; a < op->arg_count; a++) call.arg[a] = op->in[a].low;
  for (;;) {
    if (to->call_count == CALLS_MOST) {
      problem_set(why, "%s:%d: more than %d different calls: make the ranges of the arguments smaller", op->run.file,
                  op->run.line, CALLS_MOST);
      return false;
    }
    to->calls[to->call_count++] = call;
    unsigned a = 0;
    while (a < op->arg_count && call.arg[a] == op->in[a].high) call.arg[a] = op->in[a].low, a++;
    if (a == op->arg_count) return true;
    call.arg[a]++;
  }
}

static bool make_kinds(struct clients *k, struct problem *why) {
  const struct object *o = k->object;
  unsigned fixed = 0, rest = 0;
  for (unsigned r = 0; r < o->role_count; r++) {
    fixed += o->roles[r].threads == ASIF_REST ? 0 : (unsigned)o->roles[r].threads;
    rest += o->roles[r].threads == ASIF_REST;
  }
  if (o->role_count && (fixed > k->threads || (!rest && fixed < k->threads))) {
    problem_set(why, "%s:%d: the roles are for %s%u threads, but there are %u: --threads %u", o->roles[0].file,
                o->roles[0].line, rest ? "at least " : "", fixed, k->threads, fixed + rest);
    return false;
  }
  k->kind_count = o->role_count ? o->role_count : 1;
  k->kinds = mem_zero(k->mem, k->kind_count, sizeof *k->kinds);
  for (unsigned r = 0; r < k->kind_count; r++) {
    struct kind *kind = &k->kinds[r];
    kind->calls = mem_zero(k->mem, CALLS_MOST, sizeof *kind->calls);
    kind->most = !o->role_count                     ? k->threads
                 : o->roles[r].threads == ASIF_REST ? k->threads - fixed
                                                    : (unsigned)o->roles[r].threads;
    for (unsigned i = 0; i < o->op_count; i++)
      if ((!o->role_count || o->roles[r].ops >> i & 1) && !add_calls(&o->ops[i], i, kind, why)) return false;
  }
  return true;
}

/* Are the last two threads in order: the one with more calls first, else the lesser calls? */
static bool in_order(const struct clients *k, unsigned threads) {
  if (threads < 2 || k->kind[threads - 1] != k->kind[threads - 2] || !k->alike) return true;
  uint32_t a = k->first[threads - 2], b = k->first[threads - 1], end = k->first[threads];
  if (b - a != end - b) return b - a > end - b;
  for (uint32_t i = 0; b + i < end; i++) {
    int order = compare_call(&k->calls[a + i], &k->calls[b + i]);
    if (order) return order < 0;
  }
  return true;
}

/* False: no more are wanted. */
static bool use_client(struct clients *k, unsigned threads) {
  struct client c = {threads, k->first, k->calls};
  assert(threads && threads <= k->threads && client_calls(&c) >= threads && client_calls(&c) <= threads * k->ops);
  bool left_out = client_misuses(k->scratch, k->object, &c);
  mem_close(k->scratch);
  return left_out || k->use(k->self, k->count++, &c);
}

/* What the threads up to this one do, as far as is decided: whatever others would do, it could happen first. */
static bool too_much(struct clients *k, unsigned thread, unsigned done) {
  enum { UNKNOWN, FITS, EXCEEDS };
  if (k->object->bound < 0 || !k->object->bounded.name) return false;
  uint64_t i = k->asked++;
  _Atomic uint8_t *known = k->memory && i < CLIENT_MEMORY ? &k->memory->at[i] : NULL;
  if (known && *known) return *known == EXCEEDS;
  k->first[thread + 1] = k->first[thread] + done;
  struct client c = {thread + 1, k->first, k->calls};
  bool over = client_exceeds_bound(k->scratch, k->object, &c);
  mem_close(k->scratch);
  if (known) *known = over ? EXCEEDS : FITS;
  return over;
}

bool client_allowed(struct mem *scratch, const struct object *o, const struct client *c) {
  bool bounded = o->bound >= 0 && o->bounded.name;
  return !client_misuses(scratch, o, c) && !(bounded && client_exceeds_bound(scratch, o, c));
}

static bool make_threads(struct clients *k, unsigned thread, unsigned threads, unsigned left, unsigned kind);

/* The calls of one thread, from call number `done` on. */
static bool make_calls(struct clients *k, unsigned thread, unsigned threads, unsigned left, unsigned kind,
                       unsigned done, unsigned length) {
  assert(done <= length && length <= left && length <= k->ops);
  if (done == length) {
    k->first[thread + 1] = k->first[thread] + length;
    return !in_order(k, thread + 1) || make_threads(k, thread + 1, threads, left - length, kind);
  }
  for (size_t i = 0; i < k->kinds[kind].call_count; i++) {
    k->calls[k->first[thread] + done] = k->kinds[kind].calls[i];
    if (too_much(k, thread, done + 1)) continue;
    if (!make_calls(k, thread, threads, left, kind, done + 1, length)) return false;
  }
  return true;
}

/* Thread number `thread` of so many, with so many calls left; kinds come in their order. */
static bool make_threads(struct clients *k, unsigned thread, unsigned threads, unsigned left, unsigned kind) {
  if (thread == threads) return left || use_client(k, threads);
  unsigned others = threads - thread - 1;
  assert(left > others); /* a call for each */
  for (; kind < k->kind_count; kind++) {
    unsigned same = 0;
    while (same < thread && k->kind[thread - 1 - same] == kind) same++;
    if (same >= k->kinds[kind].most) continue;
    k->kind[thread] = kind;
    for (unsigned length = k->ops < left - others ? k->ops : left - others; length > 0; length--)
      if (left - length <= others * k->ops && !make_calls(k, thread, threads, left, kind, 0, length)) return false;
  }
  return true;
}

uint64_t clients_each(struct clients *k, client_user *use, void *self) {
  k->use = use;
  k->self = self;
  k->count = k->asked = 0;
  if (k->one) {
    k->count = 1;
    use(self, 0, k->one);
    return 1;
  }
  for (size_t i = 0; k->list && i < k->list_count; i++)
    if (!use(self, k->count++, &k->list[i])) break;
  if (k->list) return k->count;
  for (unsigned n = 1; n <= k->threads * k->ops; n++)
    for (unsigned t = (n + k->ops - 1) / k->ops; t <= k->threads && t <= n; t++)
      if (!make_threads(k, 0, t, n, 0)) return k->count;
  return k->count;
}

static bool count_one(void *self, uint64_t number, const struct client *c) {
  const uint64_t *most = self;
  (void)c;
  return number + 1 < *most;
}

uint64_t clients_count(struct clients *k, uint64_t most) { return clients_each(k, count_one, &most); }

/* One by its number. */
struct finding_one {
  struct mem *mem;
  uint64_t number;
  struct client *to;
  bool found;
};
static bool is_the_one(void *self, uint64_t number, const struct client *c) {
  struct finding_one *f = self;
  if (number < f->number) return true;
  client_copy(f->mem, c, f->to);
  f->found = true;
  return false;
}

bool clients_find(struct clients *k, uint64_t number, struct mem *m, struct client *out) {
  struct finding_one f = {.mem = m, .number = number, .to = out};
  clients_each(k, is_the_one, &f);
  return f.found;
}

struct clients *clients_open(struct mem *m, const struct client_source *from, struct problem *why) {
  const struct object *o = from->object;
  struct clients *k = mem_zero(m, 1, sizeof *k);
  *k = (struct clients){.mem = m,
                        .scratch = mem_child(m),
                        .object = o,
                        .one = from->one,
                        .list = from->list,
                        .list_count = from->count,
                        .memory = from->memory,
                        .threads = from->size.threads,
                        .ops = from->size.ops,
                        .alike = !o->knows_thread};
  if (k->one || k->list) return k;
  k->calls = mem_zero(m, (size_t)k->threads * k->ops, sizeof *k->calls);
  if (!make_kinds(k, why)) return NULL;
  if (clients_count(k, 1)) return k;
  problem_set(
      why,
      "%s: no client makes a call: each would bring more than %ld things inside (ASIF_BOUND), or misuse the object",
      o->file, o->bound);
  return NULL;
}
