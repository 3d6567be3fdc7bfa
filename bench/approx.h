/* make bench-approx: the experiments of Bouajjani et al., Tractable Refinement Checking for Concurrent Objects (2015),
 * section 9.
 *
 *   approx.c         runs them, and says which bars are cleared
 *   approx_cover.c   Figure 6: which violations A_k covers
 *   approx_cost.c    Figure 7: what monitoring costs an exploration, and a long history
 *   approx_bugs.c    Table 1: bugs found by asif verify --approx */
#ifndef ASIF_BENCH_APPROX_H
#define ASIF_BENCH_APPROX_H

#include "common.h"
#include "plot.h"
#include "test/test.h"

/* An object under `asif test`, in this process. */
struct bench_object {
  struct mem mem;
  struct object object;
};
void bench_object_open(struct bench_object *, const char *file, const char *flag, const char *spec);
/* A client of one call a thread: enq(1) | ... | enq(i) | deq() | ...; of a stack: push(1) ... */
void bench_client(struct bench_object *, struct client *, unsigned pushes, unsigned pops);

/* A table in bench/results, with its comment and, unless NULL, its header; NULL: none is written. */
FILE *bench_table(const char *name, const char *about, const char *header);
/* "BUILD/asif"; the folder for what is made on the way. */
extern const char *bench_asif, *bench_folder;
extern bool bench_writes;

/* Each says what it found, and gives whether the bars are cleared. Rows for approx.tsv go to `all`. */
bool bench_cover(FILE *all);
bool bench_cost(FILE *all);
bool bench_long(FILE *all);
bool bench_bugs(FILE *all);

#endif
