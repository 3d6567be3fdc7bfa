/* Clients: all of them, each once, smallest first. Short histories: decided as the checker decides them. */
#include <string.h>

#include "test.h"
#include "test/test.h"

/* An object that is only its harness: nothing of it is run. */
struct made {
  struct mem mem;
  struct object object;
  struct object_op ops[3];
  struct object_role roles[2];
  struct problem why;
};

static void add_op(struct made *k, const char *name, unsigned result, unsigned args, long low, long high) {
  struct object *o = &k->object;
  struct object_op *op = &k->ops[o->op_count++];
  *op = (struct object_op){
      .run = {.name = name, .written = name, .signature = (int)(result + 4 * args), .file = "o.c", .line = 1},
      .arg_count = args};
  for (unsigned a = 0; a < args; a++) op->in[a] = (struct argument_range){low, high};
  int found = spec_op_find(&o->spec, name, strlen(name));
  CHECKF(found >= 0, "%s", name);
  op->method = (unsigned)found;
}

static void open_object(struct made *k, const char *spec) {
  memset(k, 0, sizeof *k);
  mem_open(&k->mem, NULL);
  k->object = (struct object){.file = "o.c", .ops = k->ops, .roles = k->roles, .bound = -1};
  CHECKF(spec_named(spec, &k->object.spec, &k->why), "%s", k->why.text);
  k->object.bounded = k->object.spec;
}

struct list {
  struct mem *mem;
  struct client *at;
  size_t count, room;
};
static bool add(void *self, uint64_t number, const struct client *c) {
  struct list *l = self;
  struct client copy;
  CHECK(number == l->count);
  client_copy(l->mem, c, &copy);
  vec_push(l->mem, l, copy);
  return true;
}

static struct clients *opened(struct made *k, unsigned threads, unsigned ops) {
  return clients_open(&k->mem, &(struct client_source){.object = &k->object, .size = {threads, ops}}, &k->why);
}

static struct list all(struct made *k, unsigned threads, unsigned ops) {
  struct list l = {.mem = &k->mem};
  struct clients *c = opened(k, threads, ops);
  CHECKF(c, "%s", k->why.text);
  CHECK(clients_each(c, add, &l) == l.count);
  CHECK(clients_count(c, UINT64_MAX) == l.count);
  for (size_t i = 0; i < l.count; i += 7) { /* one by its number is the same */
    struct client one;
    CHECK(clients_find(c, i, &k->mem, &one) && one.threads == l.at[i].threads &&
          client_calls(&one) == client_calls(&l.at[i]));
    CHECK(!memcmp(one.calls, l.at[i].calls, client_calls(&one) * sizeof *one.calls));
  }
  return l;
}

static char *printed(struct made *k, const struct client *c) {
  struct text t;
  text_open(&t, &k->mem);
  client_print(&k->object, c, &t);
  return t.at;
}

/* How many multisets of `threads` sequences of 1 to `ops` out of `calls` calls there are, of 1 to `threads` sequences.
 */
static size_t expected(unsigned calls, unsigned threads, unsigned ops) {
  size_t sequences = 0, power = 1, sum = 0;
  for (unsigned i = 0; i < ops; i++) sequences += power *= calls;
  for (unsigned t = 1; t <= threads; t++) {
    size_t n = 1;
    for (unsigned i = 0; i < t; i++) n = n * (sequences + i) / (i + 1);
    sum += n;
  }
  return sum;
}

TEST(clients_all_once) {
  struct made k;
  open_object(&k, "stack");
  add_op(&k, "push", 0, 1, 1, 2);
  add_op(&k, "pop", 2, 0, 0, 0);
  for (unsigned threads = 1; threads <= 3; threads++)
    for (unsigned ops = 1; ops <= 2; ops++) {
      struct list c = all(&k, threads, ops);
      CHECKF(c.count == expected(3, threads, ops), "%u threads, %u ops: %zu", threads, ops, c.count);
      char **names = mem_zero(&k.mem, c.count, sizeof *names);
      for (size_t i = 0; i < c.count; i++) {
        names[i] = printed(&k, &c.at[i]);
        for (size_t n = 0; n < i; n++) CHECKF(strcmp(names[n], names[i]), "%s twice", names[i]);
        if (i) CHECKF(client_calls(&c.at[i - 1]) <= client_calls(&c.at[i]), "%s after %s", names[i], names[i - 1]);
      }
    }
  mem_close(&k.mem);
}

TEST(clients_threads_that_differ) {
  struct made k;
  open_object(&k, "stack");
  add_op(&k, "pop", 2, 0, 0, 0);
  k.object.knows_thread = true;
  CHECK(all(&k, 2, 2).count == 2 + 4); /* 1, 2; 1|1, 1|2, 2|1, 2|2 */
  k.object.knows_thread = false;
  CHECK(all(&k, 2, 2).count == 2 + 3);
  mem_close(&k.mem);
}

TEST(clients_bound) {
  struct made k;
  open_object(&k, "stack");
  add_op(&k, "push", 0, 1, 1, 1);
  add_op(&k, "pop", 2, 0, 0, 0);
  k.object.bound = 1;
  struct list c = all(&k, 2, 2);
  for (size_t i = 0; i < c.count; i++) {
    unsigned pushes = 0;
    for (uint32_t n = 0; n < client_calls(&c.at[i]); n++) pushes += c.at[i].calls[n].op == 0;
    CHECKF(pushes <= 1, "%s", printed(&k, &c.at[i]));
  }
  struct client two;
  CHECK(client_parse(&k.mem, &k.object, "push(1) pop() push(7)", &two, &k.why) && two.threads == 1 &&
        client_calls(&two) == 3);
  k.object.bound = 0;
  k.object.op_count = 1;
  CHECK(!opened(&k, 1, 1) && strstr(k.why.text, "no client makes a call"));
  mem_close(&k.mem);
}

TEST(clients_roles) {
  struct made k;
  struct list c;
  struct client one;
  open_object(&k, "register");
  add_op(&k, "write", 0, 1, 1, 1);
  add_op(&k, "read", 2, 0, 0, 0);
  k.roles[0] = (struct object_role){.name = "writer", .threads = 1, .ops = 1, .file = "o.c", .line = 1};
  k.roles[1] = (struct object_role){.name = "reader", .threads = ASIF_REST, .ops = 2, .file = "o.c", .line = 2};
  k.object.role_count = 2;
  c = all(&k, 3, 1);
  CHECK(c.count == 5); /* w; r; w|r; r|r; w|r|r */
  CHECK(client_parse(&k.mem, &k.object, "read() | write(1)", &one, &k.why));
  CHECK(!client_parse(&k.mem, &k.object, "write(1) | write(1)", &one, &k.why) && strstr(k.why.text, "roles"));
  CHECK(!client_parse(&k.mem, &k.object, "write(1) read()", &one, &k.why));
  k.roles[1].threads = 1;
  CHECK(!opened(&k, 3, 1) && strstr(k.why.text, "the roles are for 2 threads, but there are 3: --threads 2"));
  mem_close(&k.mem);
}

TEST(clients_locks) {
  struct made k;
  open_object(&k, "lock");
  add_op(&k, "acquire", 0, 0, 0, 0);
  add_op(&k, "release", 0, 0, 0, 0);
  struct list c = all(&k, 2, 2);
  CHECK(c.count == 5); /* a; a|a; ar; ar|a; ar|ar */
  mem_close(&k.mem);
}

/* A random history of the client: moments as a run has them. */
static uint64_t seed;
static unsigned below(unsigned n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % n;
}

static void random_run(const struct client *c, const long *results, unsigned count, struct moment *moments,
                       struct run *r) {
  uint32_t at[8];
  bool open[8] = {false};
  size_t n = 0, most = 2 * client_calls(c), wanted = below(4) ? most : below((unsigned)most + 1);
  for (unsigned t = 0; t < c->threads; t++) at[t] = c->first[t];
  while (n < wanted) {
    unsigned t = below(c->threads);
    if (open[t]) {
      moments[n++] =
          (struct moment){.call = at[t]++, .fiber = (uint8_t)t, .is_return = true, .result = results[below(count)]};
      open[t] = false;
    } else if (at[t] < c->first[t + 1]) {
      moments[n++] = (struct moment){.call = at[t], .fiber = (uint8_t)t};
      open[t] = true;
    }
  }
  *r = (struct run){.client = c, .moments = moments, .moment_count = n};
}

static void compare(const char *spec, const char *put, const char *take, unsigned take_args) {
  struct made k;
  struct moment moments[32];
  static const long results[] = {1, 2, ASIF_EMPTY, 1, 2};
  unsigned good = 0, bad = 0;
  open_object(&k, spec);
  add_op(&k, put, 0, 1, 1, 2);
  add_op(&k, take, take_args ? 1 : 2, take_args, 1, 2);
  struct list c = all(&k, 3, 2);
  struct linear *l = linear_new(&k.mem, &k.object, &k.object.spec);
  for (int i = 0; i < 20000; i++) {
    struct run r;
    struct mem scratch;
    struct check_result result;
    struct check_options options = {.method = METHOD_AUTO, .jobs = 1};
    struct limits none;
    struct spec own = k.object.spec;
    random_run(&c.at[below((unsigned)c.count)], results, 5, moments, &r);
    mem_open(&scratch, NULL);
    limits_start(&none, 0, 0);
    struct history *h = judge_history(&scratch, &k.object, &own, &r);
    CHECKF(check_history(&scratch, h, &own, &options, &none, &result, &k.why), "%s", k.why.text);
    bool holds = linear_holds(l, &r);
    CHECKF(holds == (result.verdict == VERDICT_HOLDS), "%s: %s, history %d", spec, printed(&k, r.client), i);
    good += holds;
    bad += !holds;
    mem_close(&scratch);
  }
  CHECKF(good > 500 && bad > 500, "%s: %u good, %u bad", spec, good, bad);
  mem_close(&k.mem);
}

TEST(linear_stack) { compare("stack", "push", "pop", 0); }
TEST(linear_queue) { compare("queue", "enq", "deq", 0); }
TEST(linear_register) { compare("register", "write", "read", 0); }
TEST(linear_semiqueue) { compare("semiqueue", "enq", "deq", 0); }
TEST(linear_multiset) { compare("multiset", "add", "contains", 1); }
