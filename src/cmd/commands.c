/* The table of commands, in the order --help lists them. */
#include <string.h>

#include "cmd/cmd.h"

/* Weak while the commands are being written: those that are missing are left out. */
extern const struct command command_check __attribute__((weak)), command_convert __attribute__((weak)),
    command_gen __attribute__((weak)), command_specs __attribute__((weak)), command_replay __attribute__((weak)),
    command_completion __attribute__((weak)), command_man __attribute__((weak));

const struct command *commands[8];

__attribute__((constructor)) static void list_commands(void) {
  const struct command *all[] = {&command_check,  &command_replay,     &command_gen, &command_convert,
                                 &command_specs, &command_completion, &command_man};
  size_t n = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i]) commands[n++] = all[i];
}

const struct command *command_named(const char *name) {
  for (int i = 0; commands[i]; i++)
    if (!strcmp(commands[i]->name, name)) return commands[i];
  return NULL;
}
