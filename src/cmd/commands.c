/* The table of commands, in the order --help lists them. */
#include <string.h>

#include "cmd/cmd.h"

const struct command *const commands[] = {
    &command_check,   &command_test,   &command_verify,     &command_prove, &command_cc,
    &command_cxx,     &command_replay, &command_drive,      &command_init,  &command_gen,
    &command_convert, &command_specs,  &command_completion, &command_man,   NULL};

const struct command *command_named(const char *name) {
  for (int i = 0; commands[i]; i++)
    if (!strcmp(commands[i]->name, name)) return commands[i];
  return NULL;
}
