/* The flags that a file is compiled with, from compile_commands.json. */
#ifndef ASIF_FRONT_COMPILE_COMMANDS_H
#define ASIF_FRONT_COMPILE_COMMANDS_H

#include <stdbool.h>

#include "base/mem.h"
#include "base/problem.h"

struct flag_list {
  VEC(char *) list;
};

/* Adds those of the file that say what is read; false with the problem if it has no command there. */
bool compile_commands(struct mem *, const char *json, const char *path, struct flag_list *, struct problem *);

#endif
