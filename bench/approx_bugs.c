/* Table 1: ten bugs, found by asif verify --approx at the paper's k or lower, with clients of no more operations than
 * the paper's.
 *
 * Ours are all clients of so many threads and operations each. The pushes and pops of the history that was found are
 * counted: there must be no more operations than in the paper's program. (A value that B1 at the tail loses is missed
 * by the second deq: 2 x 2 here, 3 x 1 there.) */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "approx.h"

struct row {
  const char *library, *bug, *file, *threads, *ops;
  unsigned pushes, pops, k; /* the paper's */
  double seconds;
  const char *roles; /* who calls what, where it must be said to keep to the paper's program; or NULL */
};

/* The paper's figures: Table 1 of Bouajjani et al. 2015, CSeq and CBMC on a MacBook Pro. */
static const struct row rows[] = {
    {"Michael-Scott queue", "B1 (head)", "b1_head.c", "4", "1", 2, 2, 1, 24.76, NULL},
    {"Michael-Scott queue", "B1 (tail)", "b1_tail.c", "2", "2", 3, 1, 1, 45.44, NULL},
    {"Treiber stack", "B2", "b2_treiber.c", "2", "3", 3, 4, 1, 52.59, NULL},
    {"Treiber stack", "B3 (push)", "b3_push.c", "4", "1", 2, 2, 1, 24.46, NULL},
    {"Treiber stack", "B3 (pop)", "b3_pop.c", "4", "1", 2, 2, 1, 15.16, NULL},
    {"elimination stack", "B4", "b4_pop.c", "5", "1", 4, 1, 0, 317.79, NULL},
    {"elimination stack", "B5", "b5.c", "4", "1", 3, 1, 1, 222.04, NULL},
    {"elimination stack", "B2", "b2_elimination_pool.c", "2", "4", 3, 4, 0, 434.84, NULL},
    {"lock-coupling set", "B6", "b6.c", "3", "1", 1, 2, 0, 11.27,
     "ASIF_ROLE(one, 1, add)\nASIF_ROLE(others, 2, remove)\n"},
    {"LFDS queue", "B7", "b7.c", "4", "1", 2, 2, 1, 77.00, NULL},
};
enum { ROWS = sizeof rows / sizeof *rows, SECONDS = 60 };

struct outcome_of_row {
  bool found, fits;
  unsigned k, pushes, pops;
  double seconds;
  long states;
};

static long number_after(const char *text, const char *name) {
  const char *at = strstr(text, name);
  return at ? strtol(at + strlen(name), NULL, 10) : 0;
}

/* Calls of the history: push, enq and add put in; pop, deq and remove take out. */
static void count_calls(const char *text, struct outcome_of_row *f) {
  const char *at = strstr(text, "\"history\":["), *end = at ? strchr(at, ']') : NULL;
  for (; at && at < end; at++) {
    f->pushes += !strncmp(at, " push(", 6) || !strncmp(at, " enq(", 5) || !strncmp(at, " add(", 5);
    f->pops += !strncmp(at, " pop(", 5) || !strncmp(at, " deq(", 5) || !strncmp(at, " remove(", 8);
  }
}

/* The object with the roles of its threads. */
static void write_with_roles(const struct row *r, char *file, size_t room) {
  char object[PATH_MAX];
  if (!realpath(file, object)) return;
  snprintf(file, room, "%s/roles.c", bench_folder);
  FILE *f = fopen(file, "w");
  if (!f) return;
  fprintf(f, "#include \"%s\"\n%s", object, r->roles);
  fclose(f);
}

static void verify_at(const struct row *r, unsigned k, struct outcome_of_row *f) {
  char file[400], out[400], number[10];
  static char text[1 << 20];
  long kb = 0;
  snprintf(file, sizeof file, "objects/bugs/%s", r->file);
  if (r->roles) write_with_roles(r, file, sizeof file);
  snprintf(out, sizeof out, "%s/out", bench_folder);
  snprintf(number, sizeof number, "%u", k);
  char *argv[] = {(char *)bench_asif, "verify", file,     "-n", (char *)r->threads, "-o", (char *)r->ops,
                  "--approx",         number,   "--json", NULL};
  *f = (struct outcome_of_row){.k = k};
  f->seconds = run_program(argv, out, SECONDS, &kb);
  FILE *in = fopen(out, "r");
  size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
  if (in) fclose(in);
  text[n] = 0;
  f->found = strstr(text, "\"violation\":\"not linearizable\"") != NULL;
  f->states = number_after(text, "\"states\":");
  count_calls(text, f);
  f->fits = f->found && f->pushes + f->pops <= r->pushes + r->pops;
}

static void draw(const struct outcome_of_row *f) {
  static struct plot plot = {.title = "Table 1: seconds until a bug is found",
                             .x_title = "bug",
                             .y_title = "seconds",
                             .series = 2,
                             .points = ROWS,
                             .name = {"asif verify --approx", "the paper"}};
  for (unsigned i = 0; i < ROWS; i++) {
    snprintf(plot.label[i], sizeof plot.label[i], "%s", rows[i].bug);
    plot.at[0][i] = f[i].found ? f[i].seconds : 0;
    plot.at[1][i] = rows[i].seconds;
  }
  plot_write(&plot, "bench/results/approx-table1.svg");
}

bool bench_bugs(FILE *all) {
  struct outcome_of_row found[ROWS];
  unsigned met = 0;
  FILE *f = bench_table(
      "approx-table1",
      "asif verify objects/bugs/FILE -n THREADS -o OPS --approx k, the least k at which it is found; CPU seconds of "
      "the whole command, with "
      "the preprocessor; pushes, pops: of the history found; paper_*: Table 1 of Bouajjani et al. 2015 (CSeq and CBMC)",
      "library\tbug\tfile\tthreads\tops\tk\tpushes\tpops\tstates\tseconds\tpaper_k\tpaper_pushes\tpaper_pops\tpaper_"
      "seconds\tmet");
  printf("Table 1: bug, k, pushes x pops, states, seconds; the paper's k, pushes x pops, seconds\n");
  for (unsigned i = 0; i < ROWS; i++) {
    const struct row *r = &rows[i];
    struct outcome_of_row *x = &found[i];
    for (unsigned k = 0; k <= r->k; k++) {
      verify_at(r, k, x);
      if (x->found) break;
    }
    met += x->fits;
    printf("  %-20s %-10s %u %ux%u %9ld %7.2f s   %u %ux%u %7.2f s  %s\n", r->library, r->bug, x->k, x->pushes, x->pops,
           x->states, x->seconds, r->k, r->pushes, r->pops, r->seconds, x->fits ? "met" : "NOT MET");
    if (f)
      fprintf(f, "%s\t%s\t%s\t%s\t%s\t%u\t%u\t%u\t%ld\t%.3f\t%u\t%u\t%u\t%.2f\t%s\n", r->library, r->bug, r->file,
              r->threads, r->ops, x->k, x->pushes, x->pops, x->states, x->seconds, r->k, r->pushes, r->pops, r->seconds,
              x->fits ? "yes" : "no");
  }
  if (f) fclose(f);
  if (bench_writes) draw(found);
  printf("  found at the paper's k or lower: %u of %d: %s\n\n", met, ROWS, met == ROWS ? "met" : "NOT MET");
  if (all)
    fprintf(all, "table 1\tbugs found at the paper's k or lower, with no more operations\t%u\tbugs\t10\t%s\n", met,
            met == ROWS ? "yes" : "no");
  return met == ROWS;
}
