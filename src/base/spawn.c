#include "base/spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <stddef.h>
#include <unistd.h>

/* Any of these may lack memory. A program that is started without one of them prints over our own answer. */
static int direct(const struct spawning *s, posix_spawn_file_actions_t *files) {
  int failed = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (failed) return failed;
  if (s->said)
    failed = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, s->said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  else
    failed = posix_spawn_file_actions_adddup2(files, s->out, STDOUT_FILENO);
  if (failed) return failed;
  return posix_spawn_file_actions_adddup2(files, s->said ? STDOUT_FILENO : s->err, STDERR_FILENO);
}

static int start(const struct spawning *s, const posix_spawn_file_actions_t *files, pid_t *child) {
  posix_spawnattr_t attributes;
  int failed = posix_spawnattr_init(&attributes);
  if (failed) return failed;
  if (s->group) failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  if (s->group && !failed) failed = posix_spawnattr_setpgroup(&attributes, 0);
  if (!failed) failed = posix_spawnp(child, s->words[0], files, &attributes, s->words, s->environment);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

int spawn_program(const struct spawning *s, pid_t *child) {
  posix_spawn_file_actions_t files;
  int failed = posix_spawn_file_actions_init(&files);
  if (failed) return failed;
  failed = direct(s, &files);
  if (!failed) failed = start(s, &files, child);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}
