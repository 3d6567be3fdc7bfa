/* Random objects (random_object.h). Both kinds are made from patterns, in which
 *
 *   @ is an expression    # an atomic int, $ the same once more    % a statement    <<right~wrong~...>> one of these
 *
 * Known objects choose the first of several most of the time; soups do not care. */
#include "random_object.h"

#include <string.h>

#include "base/hash.h"

static const char includes[] = "#include <asif.h>\n#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n"
                               "#include <stdlib.h>\n";
static const char preprocessed[] =
    "__asif_header(asif) __asif_header(assert) __asif_header(pthread) __asif_header(stdatomic) __asif_header(stdlib)\n"
    "typedef __asif_mutex pthread_mutex_t; typedef _Atomic(int) atomic_int;\n"
    "typedef _Bool bool; enum { false, true, ASIF_OK = -2147483647 - 1, ASIF_EMPTY = ASIF_OK + 4, ASIF_FULL = ASIF_OK "
    "+ 5 };\n";

enum { DEPTH_MOST_HERE = 3 };

/* What a soup has. */
enum {
  HAS_PLAIN = 1,
  HAS_ARRAY = 2,
  HAS_PAIR = 4,
  HAS_NODES = 8,
  HAS_LOCKS = 16,
  HAS_HELPER = 32,
  HAS_FREE = 64,
  HAS_RARE = 128,
  HAS_LOOPS = 256,
  HAS_STABLE = 512,
  HAS_ORDER = 1024 /* operands whose order C leaves open */
};

struct writer {
  struct text *t;
  uint64_t seed;
  unsigned has, depth;
  bool argument, in_helper;
  const char *last;  /* the atomic int written last */
  unsigned mistakes; /* of a known object: one in so many choices is wrong; 0: none */
};

static unsigned below(struct writer *w, unsigned n) {
  w->seed = hash_mix(w->seed + 0x9e3779b97f4a7c15u);
  return (unsigned)(w->seed >> 20) % n;
}

static void put(struct writer *w, const char *s) { text_add(w->t, s); }
static void fill(struct writer *w, const char *pattern, const char *end);

struct pattern {
  const char *text;
  unsigned weight, needs;
};

static const char *pick(struct writer *w, const struct pattern *p, size_t count) {
  unsigned sum = 0;
  for (size_t i = 0; i < count; i++) sum += (p[i].needs & ~w->has) ? 0 : p[i].weight;
  unsigned at = below(w, sum);
  for (size_t i = 0; i < count; i++) {
    if (p[i].needs & ~w->has) continue;
    if (at < p[i].weight) return p[i].text;
    at -= p[i].weight;
  }
  return p[0].text;
}

static const struct pattern places[] = {{"a", 6, 0}, {"b", 3, 0}, {"v[0]", 2, HAS_ARRAY}, {"v[r & 1]", 2, HAS_ARRAY}};

static const struct pattern expressions[] = {{"0", 2, 0},
                                             {"1", 4, 0},
                                             {"2", 1, 0},
                                             {"r", 6, 0},
                                             {"s", 3, 0},
                                             {"r + 1", 3, 0},
                                             {"r ^ 1", 2, 0},
                                             {"!r", 2, 0},
                                             {"r == s", 2, 0},
                                             {"(@) & 1", 1, 0},
                                             {"x", 2, HAS_PLAIN},
                                             {"x + 1", 1, HAS_PLAIN},
                                             {"atomic_load(&#)", 2, 0},
                                             {"4 / r", 1, HAS_RARE}};

static const struct pattern statements[] = {
    {"r = atomic_load(&#);", 10, 0},
    {"s = atomic_load(&#);", 5, 0},
    {"atomic_store(&#, @);", 8, 0},
    {"r = atomic_exchange(&#, @);", 5, 0},
    {"r = atomic_fetch_add(&#, 1);", 6, 0},
    {"atomic_fetch_add(&#, 1);", 2, 0},
    {"r = atomic_fetch_xor(&#, 1);", 2, 0},
    {"s = @; if (atomic_compare_exchange_strong(&#, &s, @)) %", 4, 0},
    {"s = atomic_load(&#); if (!atomic_compare_exchange_strong(&$, &s, @)) %", 3, 0},
    {"r = atomic_load(&#); while (!atomic_compare_exchange_strong(&$, &r, r + 1)) ;", 5, HAS_LOOPS},
    {"r = atomic_load(&#); while (!atomic_compare_exchange_weak(&$, &r, @)) ;", 3, HAS_LOOPS},
    {"for (int i = 0; i < 2; i++) { r = atomic_load(&#); if (atomic_compare_exchange_weak(&$, &r, @)) break; }", 2, 0},
    {"if (@) %", 5, 0},
    {"if (@) % else %", 3, 0},
    {"while (atomic_load(&#) == 1) ;", 1, HAS_LOOPS},
    {"do r = atomic_load(&#); while (r > 1);", 1, HAS_LOOPS},
    {"for (int i = 0; i < 2 && @; i++) %", 1, 0},
    {"ASIF_ATOMIC { % % }", 4, 0},
    {"r = asif_choose(2);", 1, 0},
    {"if (r == 2) return @;", 1, 0},
    {"if (@) return @;", 2, 0},
    {"x = @;", 8, HAS_PLAIN},
    {"r = x;", 6, HAS_PLAIN},
    {"x = (x + 1) & 3;", 5, HAS_PLAIN},
    {"if (x == r) x = s;", 2, HAS_PLAIN},
    {"v[s & 1] = @;", 5, HAS_ARRAY},
    {"r = v[0] + v[1];", 5, HAS_ARRAY},
    {"q = atomic_load(&p); r = q.l + q.r;", 5, HAS_PAIR},
    {"q = atomic_load(&p); q.l = @; atomic_store(&p, q);", 4, HAS_PAIR},
    {"q = atomic_load(&p); o = q; o.r = @; o.l++; if (atomic_compare_exchange_strong(&p, &q, o)) r = o.l; else %", 4,
     HAS_PAIR},
    {"o = q; o.l = @; q = atomic_exchange(&p, o); r = q.r;", 3, HAS_PAIR},
    {"t = malloc(sizeof *t); t->val = @; t->next = atomic_load(&top); while (!atomic_compare_exchange_strong(&top, "
     "&t->next, "
     "t)) ;",
     6, HAS_NODES | HAS_LOOPS},
    {"t = malloc(sizeof *t); t->val = @; t->next = atomic_load(&top); atomic_store(&top, t);", 4, HAS_NODES},
    {"t = malloc(sizeof *t); atomic_store(&top, t); t->val = @; t->next = 0;", 1, HAS_NODES},
    {"t = atomic_load(&top); if (t) r = t->val;", 6, HAS_NODES},
    {"t = atomic_load(&top); if (t) t->val = @;", 3, HAS_NODES},
    {"t = atomic_load(&top); if (t && t->next) r = t->next->val;", 2, HAS_NODES},
    {"t = atomic_load(&top); if (t && atomic_compare_exchange_strong(&top, &t, t->next)) r = t->val;", 5, HAS_NODES},
    {"t = atomic_exchange(&top, 0); if (t) r = t->val;", 3, HAS_NODES},
    {"t = atomic_load(&top); if (t) { atomic_store(&top, t->next); free(t); }", 2, HAS_NODES | HAS_FREE},
    {"t = atomic_load(&top); if (t && atomic_compare_exchange_strong(&top, &t, t->next)) { r = t->val; free(t); "
     "}",
     4, HAS_NODES | HAS_FREE},
    {"t = atomic_exchange(&top, 0); if (t) { r = t->val; free(t); }", 4, HAS_NODES | HAS_FREE},
    {"t = malloc(sizeof *t); t->val = @; r = t->val; free(t);", 2, HAS_NODES | HAS_FREE},
    {"t = malloc(sizeof *t); t->val = r; t->next = 0; free(t); if (atomic_load(&top) == t) r = 1; else %", 2,
     HAS_NODES | HAS_FREE},
    {"t = atomic_exchange(&top, 0); free(t); if (t && atomic_load(&top) == t) r = 2; else %", 2, HAS_NODES | HAS_FREE},
    {"t = atomic_exchange(&top, 0); if (t) { free(t); r = t->val; }", 3, HAS_NODES | HAS_STABLE},
    {"t = atomic_load(&top); if (t) { r = t->val; if (atomic_compare_exchange_strong(&top, &t, t->next)) { free(t); s "
     "= "
     "t->val; } }",
     3, HAS_NODES | HAS_STABLE},
    {"struct node *e = 0; t = malloc(sizeof *t); t->val = @; t->next = 0; if (!atomic_compare_exchange_strong(&top, "
     "&e, t)) "
     "free(t);",
     3, HAS_NODES | HAS_FREE},
    {"pthread_mutex_lock(&m); % % pthread_mutex_unlock(&m);", 10, HAS_LOCKS},
    {"pthread_mutex_lock(&n); % pthread_mutex_unlock(&n);", 4, HAS_LOCKS},
    {"pthread_mutex_lock(&m); if (@) { pthread_mutex_unlock(&m); return @; } % pthread_mutex_unlock(&m);", 3,
     HAS_LOCKS},
    {"if (!pthread_mutex_trylock(&m)) { % pthread_mutex_unlock(&m); } else %", 3, HAS_LOCKS},
    {"pthread_mutex_lock(&m); pthread_mutex_lock(&n); % pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);", 2,
     HAS_LOCKS},
    {"pthread_mutex_lock(&n); pthread_mutex_lock(&m); % pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);", 2,
     HAS_LOCKS},
    {"pthread_mutex_lock(&m); if (!(@)) % else pthread_mutex_unlock(&m);", 1, HAS_LOCKS},
    {"pthread_mutex_unlock(&n);", 1, HAS_LOCKS | HAS_RARE},
    {"r = help(@);", 8, HAS_HELPER},
    {"assert(r < 3);", 2, HAS_RARE},
    {"v[r] = @;", 2, HAS_RARE | HAS_ARRAY},
    {"r = t->val;", 1, HAS_RARE | HAS_NODES},
    {"r = asif_thread();", 2, HAS_RARE},
    {"asif_require(x == 0);", 2, HAS_RARE | HAS_PLAIN},
    {"asif_require(atomic_load(&#) != 1);", 2, HAS_RARE},
    {"r = atomic_load(&#) - atomic_load(&#);", 8, HAS_ORDER},
    {"r = two(atomic_load(&#), atomic_fetch_add(&#, 1));", 8, HAS_ORDER},
    {"r = two(next(), next());", 8, HAS_ORDER},
    {"r = next() - atomic_load(&#);", 6, HAS_ORDER},
    {"struct two z = {atomic_fetch_add(&#, 1), atomic_load(&$)}; r = two(z.p, z.q);", 6, HAS_ORDER},
    {"r = (#++ + #) + atomic_load(&#);", 6, HAS_ORDER},
    {"r = (atomic_load(&#) && next()) + atomic_load(&#);", 6, HAS_ORDER},
    {"r = r + set(&r, @);", 6, HAS_ORDER},
    {"s = 1; s += set(&s, r & 3);", 6, HAS_ORDER},
    {"r = two(r, set(&r, s + 1));", 4, HAS_ORDER},
    {"x += next(); x &= 3;", 6, HAS_ORDER | HAS_PLAIN},
    {"r = two(x, next());", 4, HAS_ORDER | HAS_PLAIN},
    {"v[next() & 1] = next();", 6, HAS_ORDER | HAS_ARRAY},
    {"r = (next(), next()) + (next() ? 1 : 2);", 3, HAS_ORDER},
    {"r = r++ + s;", 1, HAS_ORDER | HAS_RARE},
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* <<right~wrong~wrong>>; they do not nest. */
static const char *choice(struct writer *w, const char *at, const char *close) {
  unsigned count = 1;
  for (const char *c = at; c < close; c++) count += *c == '~';
  unsigned which = w->mistakes && !below(w, w->mistakes) ? 1 + below(w, count - 1) : 0;
  for (; which; which--) at = strchr(at, '~') + 1;
  const char *end = memchr(at, '~', (size_t)(close - at));
  fill(w, at, end ? end : close);
  return close + 1;
}

static void statement(struct writer *w) {
  static const char *const leaves[] = {
      "r = atomic_load(&#);", "atomic_store(&#, @);", "r = s;", "s = @;", "atomic_fetch_add(&#, 1);", ";"};
  if (w->depth >= DEPTH_MOST_HERE || below(w, 4) < w->depth) {
    const char *leaf = leaves[below(w, COUNT(leaves))];
    fill(w, leaf, leaf + strlen(leaf));
    return;
  }
  w->depth++;
  unsigned had = w->has;
  if (w->in_helper) w->has &= ~(unsigned)(HAS_HELPER | HAS_LOOPS);
  const char *pattern = pick(w, statements, COUNT(statements));
  if (!strncmp(pattern, "ASIF_ATOMIC", 11))
    w->has &= ~(unsigned)HAS_LOOPS; /* one that never ended would be tried for long */
  put(w, "{ ");
  fill(w, pattern, pattern + strlen(pattern));
  put(w, " }");
  w->has = had;
  w->depth--;
}

static void expression(struct writer *w) {
  const char *pattern = w->argument && !below(w, 4) ? "k" : pick(w, expressions, COUNT(expressions));
  fill(w, pattern, pattern + strlen(pattern));
}

static void fill(struct writer *w, const char *at, const char *end) {
  for (; at < end; at++) {
    if (at[0] == '<' && at[1] == '<')
      at = choice(w, at + 2, strstr(at, ">>"));
    else if (*at == '@')
      expression(w);
    else if (*at == '%')
      statement(w);
    else if (*at == '#')
      put(w, w->last = pick(w, places, COUNT(places)));
    else if (*at == '$')
      put(w, w->last);
    else
      text_char(w->t, *at);
  }
}

/* Soups. */

static void put_globals(struct writer *w) {
  put(w, "static atomic_int a, b;\n");
  if (w->has & HAS_PLAIN) put(w, "static int x;\n");
  if (w->has & HAS_ARRAY) put(w, "static atomic_int v[2];\n");
  if (w->has & HAS_PAIR) put(w, "struct pair { int l, r; };\nstatic _Atomic(struct pair) p;\n");
  if (w->has & HAS_NODES) put(w, "struct node { int val; struct node *next; };\nstatic _Atomic(struct node *) top;\n");
  if (w->has & HAS_ORDER)
    put(w, "struct two { int p, q; };\n"
           "static int next(void) { return atomic_fetch_add(&a, 1) & 3; }\n"
           "static int set(int *to, int n) { *to = n; return n + 1; }\n"
           "static int two(int p, int q) { return 2 * p + q; }\n");
  if (w->has & HAS_LOCKS)
    put(w, "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n");
}

static void put_body(struct writer *w, unsigned statement_count) {
  put(w, "  int r = 0, s = 0;\n");
  if (w->has & HAS_PAIR) put(w, "  struct pair q = {0, 0}, o;\n");
  if (w->has & HAS_NODES) put(w, "  struct node *t = 0;\n");
  for (unsigned i = 0; i < statement_count; i++) {
    put(w, "  ");
    w->depth = 0;
    statement(w);
    put(w, "\n");
  }
  put(w, "  return ");
  unsigned had = w->has;
  w->has &= ~(unsigned)HAS_RARE;
  if (below(w, 3))
    put(w, "r");
  else
    expression(w);
  w->has = had;
  put(w, ";\n}\n");
}

static bool put_operation(struct writer *w, unsigned i, unsigned statement_count) {
  w->argument = !below(w, 3);
  text_printf(w->t, "static int f%u(%s) {\n", i, w->argument ? "int k" : "void");
  put_body(w, statement_count);
  return w->argument;
}

static void make_soup(struct writer *w, struct random_object *o) {
  static const unsigned parts[] = {HAS_PLAIN,
                                   HAS_ARRAY,
                                   HAS_PAIR,
                                   HAS_NODES,
                                   HAS_NODES | HAS_FREE,
                                   HAS_NODES | HAS_FREE | HAS_STABLE,
                                   HAS_LOCKS,
                                   HAS_LOCKS | HAS_PLAIN};
  o->name = "soup";
  w->has = HAS_LOOPS;
  for (unsigned n = below(w, 3); n; n--) w->has |= parts[below(w, COUNT(parts))];
  if (!below(w, 4)) w->has |= HAS_HELPER;
  if (!below(w, 6)) w->has |= HAS_RARE;
  if (!(hash_mix(w->seed) & 3)) w->has |= HAS_ORDER; /* not by below: objects of old numbers stay as they are */
  o->threads = below(w, 3) ? 2 : 3;
  o->ops = o->threads == 2 ? 1 + (below(w, 5) < 3) : 1;
  o->weak = !below(w, 6);
  bool many = o->threads * o->ops > 2;
  unsigned ops = 1 + below(w, many ? 2 : 3), size = many ? 1 + below(w, 2) : 2 + below(w, 2);
  put_globals(w);
  if (w->has & HAS_HELPER) {
    put(w, "static int help(int k) {\n");
    w->argument = w->in_helper = true;
    put_body(w, 1);
    w->in_helper = false;
  }
  bool arguments[3] = {false};
  for (unsigned i = 0; i < ops; i++) arguments[i] = put_operation(w, i, size + !below(w, 3));
  put(w, w->has & HAS_STABLE ? "ASIF_OBJECT(self)\nASIF_TYPE_STABLE()\n" : "ASIF_OBJECT(self)\n");
  for (unsigned i = 0; i < ops; i++)
    text_printf(w->t, "ASIF_OP(f%u%s)\n", i, !arguments[i] ? "" : many ? ", ASIF_IN(1, 1)" : ", ASIF_IN(0, 1)");
  if (ops > 1 && !below(w, 3))
    text_printf(w->t, "ASIF_ROLE(one, 1, f0)\nASIF_ROLE(others, ASIF_REST, f1%s)\n",
                ops > 2 ? ", "
                          "f2"
                        : "");
}

/* Known objects. */

static const struct known_object {
  const char *name;
  unsigned threads, ops;
  const char *text;
} known_objects[] = {
    {"counter", 2, 2,
     "static atomic_int c;\n"
     "static int fetch_add(int by) {\n  int old = atomic_load(&c);\n"
     "  <<while (!atomic_compare_exchange_weak(&c, &old, old + by)) ;~atomic_store(&c, old + by);~"
     "atomic_compare_exchange_strong(&c, &old, old + by);>>\n  return <<old~old + by - 1~atomic_load(&c) - by>>;\n}\n"
     "static int read(void) { return <<atomic_load(&c)~0>>; }\n"
     "ASIF_OBJECT(counter)\nASIF_OP_AS(fetch_add, fetch_add, ASIF_IN(1, 1))\nASIF_OP(read)\n"
     "ASIF_ROLE(one, 1, fetch_add)\nASIF_ROLE(other, 1, <<read, fetch_add~read~fetch_add>>)\n"},
    {"locked counter", 2, 2,
     "static int c;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
     "static void inc(int by) {\n  <<pthread_mutex_lock(&m);~>>\n  c = c + by;\n  <<pthread_mutex_unlock(&m);~>>\n}\n"
     "static int read(void) {\n  <<pthread_mutex_lock(&m);~int early = c; pthread_mutex_lock(&m);>>\n  int v = c;\n"
     "  <<pthread_mutex_unlock(&m); return v;~pthread_mutex_unlock(&m); return c;~return v;~if (v) "
     "pthread_mutex_unlock(&m); "
     "return v;>>\n}\n"
     "ASIF_OBJECT(counter)\nASIF_OP(inc, ASIF_IN(1, 1))\nASIF_OP(read)\n"
     "ASIF_ROLE(one, 1, inc)\nASIF_ROLE(other, 1, <<read, inc~read~inc>>)\n"},
    {"register", 3, 1,
     "static atomic_int bit[3] = {1, 0, 0};\n"
     "static void write(int v) {\n  atomic_store(&bit[v], 1);\n"
     "  for (int i = <<v - 1; i >= 0; i--~0; i < v; i++~v - 1; i > 0; i--~2; i > v; i-->>) atomic_store(&bit[i], "
     "0);\n}\n"
     "static int read(void) {\n  int v = 0;\n  while (<<!atomic_load(&bit[v])~v < 2 && !atomic_load(&bit[v])>>) v++;\n"
     "  <<for (int i = v - 1; i >= 0; i--) if (atomic_load(&bit[i])) v = i;~>>\n  return v;\n}\n"
     "ASIF_OBJECT(register(0))\nASIF_OP(read)\nASIF_OP(write, ASIF_IN(0, 2))\nASIF_ROLE(writer, 1, "
     "write)\nASIF_ROLE(reader, "
     "ASIF_REST, read)\n"},
    {"stack", 2, 2,
     "struct node { int val; struct node *next; };\nstatic _Atomic(struct node *) top;\n"
     "static void push(int v) {\n  struct node *n = malloc(sizeof *n);\n  <<n->val = v;~>>\n  n->next = "
     "atomic_load(&top);\n"
     "  <<while (!atomic_compare_exchange_strong(&top, &n->next, n)) ;~atomic_store(&top, n);~"
     "if (atomic_load(&top) == n->next) atomic_store(&top, n);~atomic_store(&top, n); n->val = v;>>\n}\n"
     "static int pop(void) {\n  struct node *t = atomic_load(&top);\n"
     "  <<do if (!t) return ASIF_EMPTY; while (!atomic_compare_exchange_strong(&top, &t, t->next));~"
     "if (!t) return ASIF_EMPTY; atomic_store(&top, t->next);~"
     "while (t && !atomic_compare_exchange_strong(&top, &t, t->next)) ;~"
     "if (!t || !atomic_compare_exchange_strong(&top, &t, t->next)) return ASIF_EMPTY;>>\n"
     "  <<return t->val;~int v = t->val; free(t); return v;~free(t); return t->val;>>\n}\n"
     "ASIF_OBJECT(stack)\nASIF_OP(push, ASIF_IN(1, <<1~2>>))\nASIF_OP(pop)\n<<ASIF_BOUND(1)~ASIF_BOUND(2)~>>\n"},
    {"stack of stable memory", 2, 2,
     "struct node { int val; struct node *next; };\nstatic _Atomic(struct node *) top;\n"
     "static void push(int v) {\n  struct node *n = malloc(sizeof *n), *t = atomic_load(&top);\n  n->val = v;\n"
     "  do n->next = t; while (!atomic_compare_exchange_strong(&top, &t, n));\n}\n"
     "static int pop(void) {\n  struct node *t = atomic_load(&top), *next;\n"
     "  do {\n    if (!t) return ASIF_EMPTY;\n    next = t->next;\n  } while (!atomic_compare_exchange_strong(&top, "
     "&t, next));\n"
     "  int v = t->val;\n  <<free(t);~>>\n  return v;\n}\n"
     "ASIF_OBJECT(stack)\nASIF_OP(push, ASIF_IN(1, "
     "1))\nASIF_OP(pop)\n<<ASIF_TYPE_STABLE()~>>\n<<ASIF_BOUND(1)~ASIF_BOUND(2)>>\n"},
    {"locked queue", 2, 2,
     "struct node { int val; struct node *next; };\nstatic struct node *head, *tail;\nstatic pthread_mutex_t h = "
     "PTHREAD_MUTEX_INITIALIZER,"
     " l = PTHREAD_MUTEX_INITIALIZER;\n"
     "static void set_up(void) { head = tail = malloc(sizeof *head); head->next = 0; }\n"
     "static void enq(int v) {\n  struct node *n = malloc(sizeof *n);\n  n->val = v;\n  <<n->next = 0;~>>\n"
     "  <<pthread_mutex_lock(&l);~>>\n  <<tail->next = n;\n  tail = n;~tail = n; tail->next = n;~struct node *last = "
     "tail; "
     "tail = n; last->next = n;>>\n"
     "  <<pthread_mutex_unlock(&l);~pthread_mutex_unlock(&h);~>>\n}\n"
     "static int deq(void) {\n  int v = ASIF_EMPTY;\n  <<pthread_mutex_lock(&h);~pthread_mutex_lock(&l);~>>\n"
     "  struct node *d = head, *next = d->next;\n  if (next) {\n    v = next->val;\n    head = next;\n    "
     "<<free(d);~free(next);~>>\n  }\n"
     "  <<pthread_mutex_unlock(&h);~if (next) pthread_mutex_unlock(&h);>>\n  return v;\n}\n"
     "ASIF_OBJECT(queue)\nASIF_OP(enq, ASIF_IN(1, 1))\nASIF_OP(deq)\nASIF_INIT(set_up)\n<<~ASIF_BOUND(1)>>\n"
     "ASIF_ROLE(one, 1, enq)\nASIF_ROLE(other, 1, <<deq~deq, enq>>)\n"},
    {"array queue", 3, 1,
     "static atomic_int back, item[3];\n"
     "static void enq(int v) {\n  <<int i = atomic_fetch_add(&back, 1);~int i = atomic_load(&back); "
     "atomic_store(&back, i + 1);>>\n"
     "  atomic_store(&item[i], v);\n}\n"
     "static int deq(void) {\n  int n = atomic_load(&back);\n"
     "  for (int i = <<0~1>>; i < n; i++) {\n    int v = <<atomic_exchange(&item[i], 0)~atomic_load(&item[i])>>;\n    "
     "if (v) "
     "return v;\n  }\n"
     "  return ASIF_EMPTY;\n}\n"
     "ASIF_OBJECT(<<weak_queue~queue>>)\nASIF_OP(enq, ASIF_IN(1, 2))\nASIF_OP(deq)\nASIF_ROLE(producer, <<2~1>>, "
     "enq)\nASIF_ROLE(consumer, ASIF_REST, deq)\n"},
    {"ring", 2, 2,
     "static atomic_int front, rear, slot[2];\n"
     "static int enq(int v) {\n  int r = atomic_load(&rear);\n  if (r - atomic_load(&front) == <<1~2>>) return "
     "ASIF_FULL;\n"
     "  <<slot[r & 1] = v;\n  atomic_store(&rear, r + 1);~atomic_store(&rear, r + 1); slot[r & 1] = v;>>\n  return "
     "ASIF_OK;\n}\n"
     "static int deq(void) {\n  int f = atomic_load(&front);\n  if (f == atomic_load(&rear)) return ASIF_EMPTY;\n"
     "  <<int v = slot[f & 1];\n  atomic_store(&front, f + 1);~atomic_store(&front, f + 1); int v = slot[f & 1];>>\n  "
     "return "
     "v;\n}\n"
     "ASIF_OBJECT(bounded_queue(1))\nASIF_OP(enq, ASIF_IN(1, 2))\nASIF_OP(deq)\n"
     "<<ASIF_ROLE(producer, 1, enq)\nASIF_ROLE(consumer, 1, deq)~>>\n"},
    {"set", 3, 1,
     "static atomic_int in[2];\n"
     "static bool add(int v) {\n  <<int old = 0; return atomic_compare_exchange_strong(&in[v], &old, 1);~return "
     "!atomic_exchange(&in[v], 1);~"
     "if (in[v]) return false; in[v] = 1; return true;>>\n}\n"
     "static bool remove(int v) {\n  return <<atomic_exchange(&in[v], 0)~in[v] && atomic_exchange(&in[v], "
     "0)~atomic_load(&in[v])>>;\n}\n"
     "static bool contains(int v) { return <<in[v]~in[1 - v]>>; }\n"
     "ASIF_OBJECT(set)\nASIF_OP(add, ASIF_IN(0, <<0~1>>))\nASIF_OP(remove, ASIF_IN(0, 0))\nASIF_OP(contains, "
     "ASIF_IN(0, 0))\n"
     "ASIF_ROLE(one, 1, add)\nASIF_ROLE(two, 1, remove)\nASIF_ROLE(three, 1, <<contains~add~remove>>)\n"},
    {"snapshot", 2, 2,
     "static atomic_int v[2];\n"
     "static void set0(void) { v[0] = v[0] <<^ 1~+ 1>>; }\nstatic void set1(void) { atomic_fetch_add(&v[1], 1); }\n"
     "static int scan(void) {\n  for (;;) {\n    int a = v[0], b = v[1];\n"
     "    <<if (a == v[0] && b == v[1]) return a + 2 * b;~return a + 2 * b;~if (a == v[0]) return a + 2 * "
     "b;~ASIF_ATOMIC { "
     "return v[0] + 2 * v[1]; }>>\n"
     "  }\n}\n"
     "ASIF_OBJECT(self)\nASIF_OP(set0)\nASIF_OP(set1)\nASIF_OP(scan)\nASIF_ROLE(left, 1, set0, "
     "<<set1~scan>>)\nASIF_ROLE(scanner, 1, scan)\n"},
    {"spin lock", 3, 1,
     "static atomic_int locked;\nstatic int x, y;\n"
     "static void lock(void) { while (<<atomic_exchange(&locked, 1)~atomic_load(&locked)>>) ; }\n"
     "static void unlock(void) { <<atomic_store(&locked, 0)~>>; }\n"
     "static int swap(int v) {\n  lock();\n  int was = x;\n  <<x = v;\n  y = v;\n  unlock();~x = v; unlock(); y = "
     "v;>>\n  "
     "return was;\n}\n"
     "static int both(void) {\n  <<lock();~>>\n  int r = 4 * x + y;\n  <<unlock();~>>\n  return r;\n}\n"
     "ASIF_OBJECT(self)\nASIF_OP(swap, ASIF_IN(1, 2))\nASIF_OP(both)\n"
     "ASIF_ROLE(swapper, <<2~1>>, swap)\nASIF_ROLE(reader, ASIF_REST, both)\n"},
};

static void make_known(struct writer *w, struct random_object *o) {
  const struct known_object *k = &known_objects[below(w, COUNT(known_objects))];
  o->name = k->name;
  o->threads = k->threads;
  o->ops = k->ops;
  o->weak = !below(w, 3);
  w->mistakes = below(w, 3) ? 5 : 0;
  fill(w, k->text, k->text + strlen(k->text));
}

void random_object_make(struct random_object *o, struct mem *mem, uint64_t seed) {
  *o = (struct random_object){.name = "", .includes = includes, .preprocessed = preprocessed};
  text_open(&o->source, mem);
  struct writer w = {.t = &o->source, .seed = hash_mix(seed + 1), .last = "a"};
  if (below(&w, 10) < 7)
    make_soup(&w, o);
  else
    make_known(&w, o);
}
