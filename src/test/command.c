/* Running compilers and other tools, several at once. Each is a process group: a compiler starts others, such as the
 * linker, and these must not go on writing files when it was killed. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"
#include "test/compile.h"

extern char **environ;

enum { RUNNING_MOST = 64 };
static volatile sig_atomic_t running[RUNNING_MOST]; /* their processes; 0: none */

static void note_running(int was, int is) {
  for (size_t i = 0; i < RUNNING_MOST; i++)
    if (running[i] == was) {
      running[i] = is;
      return;
    }
}

void commands_stop(void) {
  for (size_t i = 0; i < RUNNING_MOST; i++)
    if (running[i]) kill(-running[i], SIGTERM);
}

/* Messages in English: some are read here. Temporary files are in the folder of `said`, so that they are gone with it
 * also if the compiler is killed. NULL: no memory. */
static char **environment(const char *said) {
  const char *end = strrchr(said, '/');
  size_t n = 0, used = 0, length = end ? (size_t)(end - said) : 0;
  while (environ[n]) n++;
  char **e = malloc((n + 3) * sizeof *e + sizeof "TMPDIR=" + length);
  if (!e) return NULL;
  for (size_t i = 0; i < n; i++)
    if (strncmp(environ[i], "LC_ALL=", 7) && !(length && !strncmp(environ[i], "TMPDIR=", 7))) e[used++] = environ[i];
  e[used++] = "LC_ALL=C";
  if (length) {
    e[used] = (char *)(e + n + 3);
    sprintf(e[used++], "TMPDIR=%.*s", (int)length, said);
  }
  e[used] = NULL;
  return e;
}

static void start(struct command_run *c) {
  char **e = environment(c->said);
  struct spawning s = {.words = c->words, .environment = e, .said = c->said, .group = true};
  pid_t child = 0;
  c->status = -1;
  c->error = e ? spawn_program(&s, &child) : ENOMEM;
  c->pid = c->error ? 0 : child;
  if (c->pid) note_running(0, c->pid);
  free(e);
}

/* Ends what is left of the group. */
static void end_group(pid_t group) {
  enum { LOOKS = 1000, MICROSECONDS = 1000 };
  for (int i = 0; i < LOOKS && !kill(-group, SIGKILL); i++) usleep(MICROSECONDS);
}

static void finish(struct command_run *c) {
  int status;
  if (!c->pid) return;
  while (waitpid(c->pid, &status, 0) < 0)
    if (errno != EINTR) return;
  note_running(c->pid, 0);
  if (WIFSIGNALED(status)) end_group(c->pid);
  c->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void commands_run(struct command_run *c, size_t count) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t most = cores > 1 ? (size_t)cores : 1;
  for (size_t i = 0, begun = 0; i < count; i++) {
    while (begun < count && begun < i + most) start(&c[begun++]);
    finish(&c[i]);
  }
}

/* NULL: the file cannot be read. */
static char *read_said(struct mem *m, const struct command_run *c, size_t *length) {
  struct text t;
  text_open(&t, m);
  bool good = text_file(&t, c->said);
  text_add(&t, ""); /* at is not NULL */
  *length = t.count;
  if (good) return t.at;
  mem_free(m, t.at);
  return NULL;
}

char *command_said(struct mem *m, const struct command_run *c, size_t *length) {
  char *said = read_said(m, c, length);
  if (said) return said;
  *length = 0;
  return mem_zero(m, 1, 1);
}

char *command_answer(struct mem *m, const struct command_run *c, size_t *length) {
  if (c->error == ENOMEM) mem_exhausted(m);
  return c->status || c->error ? NULL : read_said(m, c, length);
}
