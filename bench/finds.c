/* make bench-finds: does `asif test FILE`, without options, find mistakes that small clients do not show?
 *
 *   bench-finds BUILD [WORD...]   mutants whose names contain any of the words, all by default
 *
 * Each row is an object of objects/lib with one mistake put in (a text of a file replaced by another), and its harness.
 * Every mistake needs three or more operations of a thread, or more than six in all: a ring that is full, an array that
 * grows, a counter that wraps around, a block that comes back. Of each: the client that it is found with, the schedules
 * until then, and the seconds of the whole command; and whether clients of two threads with two operations show it,
 * which they should not.
 *
 * Written to bench/results/finds.tsv when all rows run. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"

enum { EDITS_MOST = 4, SECONDS_MOST = 60 };

struct edit {
  const char *file, *from, *to;
};
struct mutant {
  const char *name, *needs, *harness;
  struct edit edits[EDITS_MOST];
};

#define SPSC_3 \
  { "harness/spsc_ring.c", "#define SIZE 1", "#define SIZE 3" }
#define SPSC "lib/spsc_ring.c"
#define MPMC "lib/mpmc_ring.c"
#define MPMC_5 \
  { "harness/mpmc_ring.c", "#define SIZE 1", "#define SIZE 5" }
#define DEQUE "lib/chase_lev_deque.c"
#define DEQUE_2 \
  { "harness/chase_lev_deque.c", "chase_lev_deque_create(1)", "chase_lev_deque_create(2)" }
#define HEAP "lib/bounded_priority_queue.c"
#define HEAP_7 \
  {"harness/bounded_priority_queue.c", "#define SIZE 1", "#define SIZE 7"}, { \
    "harness/harness.h", "#define VALUES 2", "#define VALUES 3" \
  }
#define TREE "lib/blink_tree.c"
#define TREE_7 \
  { "harness/blink_tree.c", "#define KEYS 3", "#define KEYS 7" }
#define SLOTS "lib/inside/slots.h"
static const struct mutant mutants[] = {
    {"spsc ring: one too many fits", "full", "spsc_ring", {SPSC_3, {SPSC, "room = q->size;", "room = q->size + 1;"}}},
    {"spsc ring: full one too early", "full", "spsc_ring", {SPSC_3, {SPSC, "room = q->size;", "room = q->size - 1;"}}},
    {"spsc ring: deq wraps one place later",
     "wrap",
     "spsc_ring",
     {SPSC_3, {SPSC, "*value = q->item[head % q->size]", "*value = q->item[head % (q->size + 1)]"}}},
    {"spsc ring: full stays full",
     "full",
     "spsc_ring",
     {SPSC_3, {SPSC, "    q->head_seen = atomic_load(&q->head);\n", "\n"}}},
    {"spsc ring: head is counted modulo 4",
     "wrap",
     "spsc_ring",
     {SPSC_3, {SPSC, "atomic_store(&q->head, head + 1)", "atomic_store(&q->head, (head + 1) % 4)"}}},
    {"spsc ring: a mask for a size that is not a power of two",
     "wrap",
     "spsc_ring",
     {SPSC_3, {SPSC, "#else\n  q->item[tail % q->size] = value;", "#else\n  q->item[tail & q->size] = value;"}}},
    {"spsc ring: empty is remembered",
     "three operations",
     "spsc_ring",
     {SPSC_3,
      {SPSC, "if (head == q->tail_seen) return false;",
       "if (head == q->tail_seen) {\n      q->tail_seen = head + (head == 2);\n      return false;\n    }"}}},
    {"deque: growing forgets the oldest",
     "growth",
     "chase_lev_deque",
     {DEQUE_2, {DEQUE, "for (long i = top; i < bottom; i++)", "for (long i = top + 1; i < bottom; i++)"}}},
    {"deque: growing is not published",
     "growth",
     "chase_lev_deque",
     {DEQUE_2, {DEQUE, "  atomic_store_explicit(&d->array, twice, memory_order_release);\n", ""}}},
    {"deque: the old array is freed",
     "growth",
     "chase_lev_deque",
     {DEQUE_2,
      {DEQUE, "new_array(2 * a->size, a)", "new_array(2 * a->size, NULL)"},
      {DEQUE, "memory_order_release);\n  return twice;", "memory_order_release);\n  free(a);\n  return twice;"}}},
    {"deque: grows one too late",
     "growth",
     "chase_lev_deque",
     {DEQUE_2, {DEQUE, "if (bottom - top == a->size &&", "if (bottom - top > a->size &&"}}},
    {"deque: grows before it has copied",
     "growth",
     "chase_lev_deque",
     {DEQUE_2,
      {DEQUE,
       "  for (long i = top; i < bottom; i++) put(twice, i, get(a, i));\n  atomic_store_explicit(&d->array, twice, "
       "memory_order_release);",
       "  atomic_store_explicit(&d->array, twice, memory_order_release);\n  for (long i = top; i < bottom; i++) "
       "put(twice, i, get(a, i));"}}},
    {"deque: places by the size it had",
     "growth, wrap",
     "chase_lev_deque",
     {DEQUE_2, {DEQUE, "put(twice, i, get(a, i))", "put(twice, i % a->size, get(a, i))"}}},
    {"deque: of two the last is not shared",
     "three operations",
     "chase_lev_deque",
     {DEQUE_2, {DEQUE, "if (top < bottom) {", "if (top < bottom || bottom == 2) {"}}},
    {"mpmc ring: a place is given back before it is read",
     "full",
     "mpmc_ring",
     {MPMC_5,
      {MPMC, "      *value = p->value;\n      atomic_store_explicit(&p->turn, turn + 1, memory_order_release);",
       "      atomic_store_explicit(&p->turn, turn + 1, memory_order_release);\n      *value = p->value;"}}},
    {"mpmc ring: full one too early",
     "full",
     "mpmc_ring",
     {MPMC_5,
      {MPMC, "if (is_turn(p, turn)) {\n#ifdef NO_TURNS\n      if (tail",
       "if (tail - atomic_load(&q->head) == q->size - 1 && tail >= q->size) return false;\n    if (is_turn(p, turn)) "
       "{\n#ifdef NO_TURNS\n      if (tail"}}},
    {"mpmc ring: turns of the second lap are those of the first",
     "wrap",
     "mpmc_ring",
     {MPMC_5, {MPMC, "turn = 2 * (tail / q->size);", "turn = 2 * (tail / q->size) % 2;"}}},
    {"mpmc ring: deq takes what is not its turn in the second lap",
     "wrap",
     "mpmc_ring",
     {MPMC_5, {MPMC, "turn = 2 * (head / q->size) + 1;", "turn = head < q->size ? 1 : 2;"}}},
    {"heap: the greater child goes up",
     "four operations",
     "bounded_priority_queue",
     {HEAP_7, {HEAP, "q->heap[child + 1] < q->heap[child]", "q->heap[child + 1] > q->heap[child]"}}},
    {"heap: one too many fits",
     "full",
     "bounded_priority_queue",
     {HEAP_7, {HEAP, "if (q->count == q->size) return false;", "if (q->count > q->size) return false;"}}},
    {"heap: the last child is not looked at",
     "four operations",
     "bounded_priority_queue",
     {HEAP_7, {HEAP, "if (child + 1 < q->count &&", "if (child + 2 < q->count &&"}}},
    {"tree: an entry above gets the wrong child",
     "growth",
     "blink_tree",
     {TREE_7, {TREE, "to->entry[i + 1].child = child", "to->entry[i].child = child"}}},
    {"tree: a split above is not told further up",
     "growth",
     "blink_tree",
     {TREE_7, {TREE, "root_page = is_root ? new_page(t, full->level + 1,", "root_page = is_root ? new_page(t, 1,"}}},
    {"tree: the right half begins one too late",
     "growth",
     "blink_tree",
     {TREE_7,
      {TREE, "copy_entries(right_page, full, left_page->count, full->count)",
       "copy_entries(right_page, full, left_page->count + (full->level > 0), full->count)"}}},
    {"slots: the second array is of the wrong length",
     "growth",
     "semiqueue",
     {{SLOTS, "SLOTS_FIRST = 8", "SLOTS_FIRST = 4"},
      {SLOTS, "long begin = which ? (long)SLOTS_FIRST << (which - 1) : 0;",
       "long begin = which ? (long)SLOTS_FIRST * which : 0;"},
      {SLOTS, "(size_t)length, sizeof *made)", "(size_t)length / (1 + (which > 0)), sizeof *made)"}}},
    {"slots: whoever is second uses an array of its own",
     "growth",
     "stuttering_queue",
     {{SLOTS, "SLOTS_FIRST = 8", "SLOTS_FIRST = 4"},
      {SLOTS,
       "    if (made && atomic_compare_exchange_strong(&s->array[which], &array, made))\n      array = made;\n    "
       "else\n      free(made);",
       "    if (made) {\n      atomic_store(&s->array[which], made);\n      array = made;\n    }"}}},
    {"queue: the second pointer does not protect",
     "reuse",
     "ms_queue",
     {{"lib/hazard.c", "p < HAZARD_POINTERS && s->rest", "p < 1 && s->rest"}}},
    {"stack: what is protected is forgotten",
     "three operations",
     "treiber_stack",
     {{"lib/hazard.c", "  r->retired = s.kept;\n", "  r->retired = NULL;\n"},
      {"harness/harness.h", "#define BATCH 1", "#define BATCH 3"}}},
    {"k-fifo: the last segment is used too soon",
     "wrap",
     "k_fifo_queue",
     {{"lib/k_fifo_queue.c", "number(end) % q->segments * q->k", "number(end) % (q->segments - 1) * q->k"}}},
    {"wing-gong ring: tags of every other lap are the same",
     "wrap",
     "wing_gong_bounded_queue",
     {{"lib/wing_gong_bounded_queue.c", "entry((uint32_t)(i / q->size), value)",
       "entry((uint32_t)(i / q->size) % 2, value)"}}},
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

struct measured {
  bool done, found, small; /* small: also with two operations of two threads */
  double schedules, seconds, cpu;
  char violation[40], client[300];
};
static struct measured all[MUTANTS];
static char program[4096], folder[4096], out[4200];

/* The objects as they are, copied. */
static void copy_objects(void) {
  char command[3 * sizeof folder + 200];
  snprintf(command, sizeof command,
           "rm -rf '%s/objects' && mkdir '%s/objects' && cp -R objects/lib objects/harness '%s/objects'", folder,
           folder, folder);
  if (system(command)) exit(2);
}

static void apply(const struct edit *e, const char *name) {
  char path[4600];
  snprintf(path, sizeof path, "%s/objects/%s", folder, e->file);
  char *text = read_text(path), *at = strstr(text, e->from);
  FILE *f = at && !strstr(at + 1, e->from) ? fopen(path, "w") : NULL;
  if (!f) {
    fprintf(stderr, "%s: the text to replace is not in %s, or more than once: %s\n", name, e->file, e->from);
    exit(2);
  }
  fprintf(f, "%.*s%s%s", (int)(at - text), text, e->to, at + strlen(e->from));
  fclose(f);
  free(text);
}

static void measure(const struct mutant *m, struct measured *r) {
  char file[4600], verdict[40];
  copy_objects();
  for (int i = 0; i < EDITS_MOST && m->edits[i].file; i++) apply(&m->edits[i], m->name);
  snprintf(file, sizeof file, "%s/objects/harness/%s.c", folder, m->harness);
  double begin = clock_seconds();
  run_program((char *[]){program, "test", file, "--json", NULL}, out, 0, NULL);
  r->seconds = clock_seconds() - begin;
  char *json = read_text(out);
  string_of(json, "verdict", verdict, sizeof verdict);
  string_of(json, "violation", r->violation, sizeof r->violation);
  string_of(json, "client", r->client, sizeof r->client);
  r->schedules = number_of(json, "schedules");
  r->cpu = number_of(json, "cpu_seconds");
  r->found = !strcmp(verdict, "violated");
  if (!r->found) snprintf(r->violation, sizeof r->violation, "%s", *verdict ? verdict : "error");
  free(json);
  run_program((char *[]){program, "test", file, "--json", "--threads", "2", "--ops", "2", "-t", "5", NULL}, out, 0,
              NULL);
  json = read_text(out);
  string_of(json, "verdict", verdict, sizeof verdict);
  r->small = !strcmp(verdict, "violated");
  free(json);
  r->done = true;
}

static bool is_met(const struct measured *r) { return r->found && r->seconds < SECONDS_MOST && !r->small; }

static void write_results(void) {
  FILE *f = fopen("bench/results/finds.tsv", "w");
  if (!f) return;
  write_machine(f);
  fprintf(f,
          "asif test FILE, without options; seconds: of the whole command, by the clock, with the compiler; found: "
          "below %d s, and not with two threads and two operations each\n",
          SECONDS_MOST);
  fputs("mutant\tneeds\tharness\tfinding\tclient\tschedules\tcpu_seconds\tseconds\tfound\n", f);
  for (int i = 0; i < MUTANTS; i++)
    fprintf(f, "%s\t%s\t%s\t%s\t%s\t%.0f\t%.2f\t%.2f\t%s\n", mutants[i].name, mutants[i].needs, mutants[i].harness,
            all[i].violation, all[i].client, all[i].schedules, all[i].cpu, all[i].seconds,
            is_met(&all[i]) ? "yes" : "no");
  fclose(f);
}

int main(int argc, char **argv) {
  int count = 0, found = 0;
  if (argc < 2 || !realpath(argv[1], folder)) return fprintf(stderr, "bench-finds BUILD [WORD...]\n"), 2;
  snprintf(program, sizeof program, "%.4000s/asif", folder);
  setenv("ASIF_INCLUDE", "include", 0);
  strncat(folder, "/bench-finds.d", sizeof folder - strlen(folder) - 1);
  mkdir(folder, 0755);
  snprintf(out, sizeof out, "%s/out", folder);
  printf("%-56s %-18s %10s %8s %8s  %s\n", "mutant", "needs", "schedules", "CPU s", "s", "found with");
  for (int i = 0; i < MUTANTS; i++) {
    if (!wanted(mutants[i].name, argc - 2, argv + 2)) continue;
    struct measured *r = &all[i];
    measure(&mutants[i], r);
    count++;
    found += is_met(r);
    printf("%-56s %-18s %10.0f %8.2f %8.2f  %s: %s%s\n", mutants[i].name, mutants[i].needs, r->schedules, r->cpu,
           r->seconds, r->found ? r->violation : "NOT FOUND", r->found ? r->client : r->violation,
           r->small ? " (AND WITH 2 x 2)" : "");
    fflush(stdout);
  }
  printf("%d of %d found\n", found, count);
  if (count == MUTANTS) write_results();
  return found < count;
}
