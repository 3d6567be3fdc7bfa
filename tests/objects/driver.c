/* Runs one of objects/ natively and prints the history: linked with it, finds its operations through the harness.
 *
 *   driver THREADS OPERATIONS SEED [paired]
 *
 * Each thread makes that many random calls, within the ranges, roles and bound of the harness; a single thread plays all
 * roles. paired: a thread takes out no more than it has put in, for an object where taking out waits. Preconditions that
 * specifications have are kept here by name: depart only where one has arrived, remove after a check that was true. */
#include <asif.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 8, MAX_OPERATIONS = 10000, MAX_ENTRIES = 32 };

struct event {
  long time;
  const struct asif_entry *op; /* NULL: a return */
  long value;                  /* the argument, or the result */
  int result;                  /* 0: void, 1: bool, 2, 3: a number */
};
struct thread {
  pthread_t id;
  int number, events, inside, at[16];
  unsigned seed;
  bool checked;
  const struct asif_entry *role;
  struct event event[2 * MAX_OPERATIONS];
};

static const struct asif_entry *entries[MAX_ENTRIES];
static int entry_count, operations, thread_count;
static bool paired;
static long bound = 1 << 20, now;
static struct thread threads[MAX_THREADS];

static int by_place(const void *a, const void *b) {
  return (*(const struct asif_entry *const *)a)->place - (*(const struct asif_entry *const *)b)->place;
}

static bool one_of(const char *name, const char *names) {
  const char *at = strstr(names, name);
  size_t n = strlen(name);
  return at && (at == names || at[-1] == ' ') && (at[n] == ' ' || !at[n]);
}

static bool may_call(const struct thread *t, const struct asif_entry *op, long argument) {
  if (t->role && thread_count > 1) {
    int i = 0;
    while (i < 8 && t->role->functions[i] && t->role->functions[i] != op->function) i++;
    if (i == 8 || !t->role->functions[i]) return false;
  }
  if (!strcmp(op->name, "depart")) return t->at[argument] > 0;
  if (!strcmp(op->name, "remove") && (op->signature >> 2 & 3) == 0) return t->checked;
  if (one_of(op->name, "push enq") && t->inside >= bound / thread_count && t->inside > 0) return false;
  return !paired || strcmp(op->name, "deq") || t->inside > 0;
}

static long call(const struct asif_entry *op, long argument) {
  union {
    void (*plain)(void);
    bool (*truth)(void);
    int (*number)(void);
    long (*large)(void);
    void (*plain1)(int);
    bool (*truth1)(int);
    int (*number1)(int);
    long (*large1)(int);
  } f = {op->function};
  int a = (int)argument;
  switch (op->signature) {
  case 0: f.plain(); return 0;
  case 1: return f.truth();
  case 2: return f.number();
  case 3: return f.large();
  case 4: f.plain1(a); return 0;
  case 5: return f.truth1(a);
  case 6: return f.number1(a);
  case 7: return f.large1(a);
  default: fprintf(stderr, "%s: this driver cannot call it\n", op->name); exit(2);
  }
}

static void *run(void *arg) {
  struct thread *t = arg;
  for (int n = 0, tried = 0; n < operations && tried < 100 * operations; tried++) {
    const struct asif_entry *op = entries[rand_r(&t->seed) % entry_count];
    if (op->kind != ASIF_ENTRY_OP) continue;
    long argument = 0;
    if (op->signature >> 2 & 3) {
      struct asif_range in = {1, 2};
      if (op->in_count) in = op->in[0];
      argument = in.low + rand_r(&t->seed) % (in.high - in.low + 1);
    }
    if (!may_call(t, op, argument)) continue;
    n++;
    t->event[t->events++] = (struct event){__atomic_fetch_add(&now, 1, __ATOMIC_SEQ_CST), op, argument, 0};
    long result = call(op, argument);
    t->event[t->events++] = (struct event){__atomic_fetch_add(&now, 1, __ATOMIC_SEQ_CST), NULL, result, op->signature & 3};
    if (one_of(op->name, "push enq") && result != ASIF_FULL) t->inside++;
    if (one_of(op->name, "pop deq") && result != ASIF_EMPTY) t->inside--;
    if (!strcmp(op->name, "arrive")) t->at[argument]++;
    if (!strcmp(op->name, "depart")) t->at[argument]--;
    if (one_of(op->name, "check remove")) t->checked = result && !strcmp(op->name, "check");
    if (rand_r(&t->seed) % 4 == 0) asif_yield();
  }
  return NULL;
}

static void print(const struct event *e, int thread) {
  if (e->op && (e->op->signature >> 2 & 3)) printf("x %s(%ld) P%d\n", e->op->name, e->value, thread);
  else if (e->op) printf("x %s() P%d\n", e->op->name, thread);
  else if (e->result == 0 || e->value == ASIF_OK) printf("x Ok() P%d\n", thread);
  else if (e->result == 1) printf("x Ok(%s) P%d\n", e->value ? "true" : "false", thread);
  else if (e->value == ASIF_EMPTY) printf("x Empty() P%d\n", thread);
  else if (e->value == ASIF_FULL) printf("x Full() P%d\n", thread);
  else printf("x Ok(%ld) P%d\n", e->value, thread);
}

int main(int argc, char **argv) {
  if (argc < 4) return 2;
  thread_count = atoi(argv[1]);
  operations = atoi(argv[2]);
  paired = argc > 4;
  if (thread_count < 1 || thread_count > MAX_THREADS || operations < 1 || operations > MAX_OPERATIONS) return 2;
  for (const struct asif_entry *const *e = __start_asif_harness; e < __stop_asif_harness && entry_count < MAX_ENTRIES; e++)
    entries[entry_count++] = *e;
  qsort(entries, (size_t)entry_count, sizeof *entries, by_place);

  int next = 0; /* the thread that gets the next role */
  for (int i = 0; i < entry_count; i++) {
    const struct asif_entry *e = entries[i];
    if (e->kind == ASIF_ENTRY_OBJECT) printf("# %s\n", e->name);
    if (e->kind == ASIF_ENTRY_INIT) e->function();
    if (e->kind == ASIF_ENTRY_BOUND) bound = e->number;
    if (e->kind == ASIF_ENTRY_ROLE)
      for (long n = e->number == ASIF_REST ? thread_count : e->number; n > 0 && next < thread_count; n--) threads[next++].role = e;
  }
  if (next > 0) thread_count = next; /* roles may have room for fewer */

  for (int i = 0; i < thread_count; i++) {
    threads[i].number = i;
    threads[i].seed = (unsigned)atoi(argv[3]) * 100 + (unsigned)i;
    if (pthread_create(&threads[i].id, NULL, run, &threads[i])) return 2;
  }
  for (int i = 0; i < thread_count; i++) pthread_join(threads[i].id, NULL);

  int at[MAX_THREADS] = {0};
  for (;;) {
    struct thread *first = NULL;
    for (struct thread *t = threads; t < threads + thread_count; t++)
      if (at[t->number] < t->events &&
          (!first || t->event[at[t->number]].time < first->event[at[first->number]].time)) first = t;
    if (!first) return 0;
    print(&first->event[at[first->number]++], first->number);
  }
}
