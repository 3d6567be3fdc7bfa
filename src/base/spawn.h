/* Starting another program. */
#ifndef ASIF_BASE_SPAWN_H
#define ASIF_BASE_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

struct spawning {
  char **words, **environment; /* NULL-terminated; the first word is looked up in PATH */
  const char *said;            /* the file that gets what it prints and its messages; NULL: the two descriptors do */
  int out, err;
  bool group; /* a process group of its own, so that it can be ended with its own children */
};
/* 0 and its process, or why there is none (an errno). It reads /dev/null. */
int spawn_program(const struct spawning *, pid_t *child);

#endif
