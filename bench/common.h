/* What the benchmarks share: running a program and measuring it, and saying on which machine. */
#ifndef ASIF_BENCH_COMMON_H
#define ASIF_BENCH_COMMON_H

#include <stdbool.h>
#include <stdio.h>

/* Runs argv with standard output to a file. CPU seconds, user and system, of it and of what it started and waited for;
 * the peak memory of the largest of these into kb, if that is more than is there. It is killed after most_cpu seconds;
 * 0: never. */
double run_program(char *const *argv, const char *out, unsigned most_cpu, long *kb);
/* The median of several runs, or the first if it takes longer than slow seconds. */
double run_median(char *const *argv, const char *out, int runs, double slow, long *kb);

double clock_seconds(void);
/* The whole file; the caller frees it. Ends the program if it cannot be read. */
char *read_text(const char *path);
/* A member of an answer in JSON: "" and 0 if there is none. */
void string_of(const char *json, const char *name, char *to, size_t room);
const char *member_of(const char *json, const char *name); /* what follows its name; "" if it has none */
double number_of(const char *json, const char *name);

/* The last line of a file, without its end; "" if there is none. */
void read_last_line(const char *path, char *line, size_t room);
/* What the line "verdict: not linearizable (...)" says: linearizable, not linearizable, unknown, violated; none. */
const char *verdict_of(const char *line);

/* "# processor, cores; date; ", without a newline. */
void write_machine(FILE *);
/* Does the name contain one of the words, or are there none? */
bool wanted(const char *name, int count, char **words);

#endif
