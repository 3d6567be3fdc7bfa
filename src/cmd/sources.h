/* The files of a command that reads C, and what the compiler is to be told. */
#ifndef ASIF_CMD_SOURCES_H
#define ASIF_CMD_SOURCES_H

#include "cmd/cmd.h"
#include "front/compile_commands.h"

/* What front_read takes behind the first file: further files, flags. NULL: it was said what is wrong. */
char **sources_arguments(const struct args *);
/* Adds the flags that --compile-commands finds for a file; false: it was said what is wrong. */
bool sources_flags(const struct args *, const char *path, struct flag_list *);

#endif
