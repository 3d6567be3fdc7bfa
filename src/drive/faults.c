/* Faults: commands that are run, or signals that are sent to a process, to switch one on and off. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/spawn.h"
#include "base/text.h"
#include "drive/drive.h"

extern char **environ;
#define COMMAND_SECONDS 20.0

static const char *copy(struct mem *m, const char *at, size_t size) {
  while (size && *at == ' ') at++, size--;
  while (size && at[size - 1] == ' ') size--;
  return mem_string(m, at, size);
}

static bool is_name(const char *at, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (!((at[i] >= 'a' && at[i] <= 'z') || (at[i] >= 'A' && at[i] <= 'Z') || (at[i] >= '0' && at[i] <= '9') ||
          at[i] == '-' || at[i] == '_'))
      return false;
  return size > 0;
}

bool fault_read(struct mem *m, const char *written, struct fault *f, struct problem *why) {
  size_t name = strcspn(written, ":");
  const char *rest = written + name;
  *f = (struct fault){0};
  if (!*rest || !is_name(written, name)) {
    problem_set(why, "--fault '%s': NAME: COMMAND / COMMAND, or pause:PID, or kill:PID:COMMAND", written);
    return false;
  }
  f->name = copy(m, written, name);
  rest++;
  bool number = *rest == '@' || (*rest >= '0' && *rest <= '9');
  if (number && !strcmp(f->name, "pause")) {
    f->signals = SIGSTOP;
    f->process = copy(m, rest, strlen(rest));
    return true;
  }
  if (number && !strcmp(f->name, "kill")) {
    size_t process = strcspn(rest, ":");
    f->signals = SIGKILL;
    f->process = copy(m, rest, process);
    if (rest[process]) f->off = copy(m, rest + process + 1, strlen(rest + process + 1));
    return true;
  }
  const char *slash = strstr(rest, " / ");
  f->on = copy(m, rest, slash ? (size_t)(slash - rest) : strlen(rest));
  if (slash) f->off = copy(m, slash + 3, strlen(slash + 3));
  if (*f->on) return true;
  problem_set(why, "--fault '%s': a command is missing after '%s:'", written, f->name);
  return false;
}

/* The last line of what it printed. */
static void last_line(FILE *f, char *to, size_t room) {
  char line[300];
  to[0] = '\0';
  rewind(f);
  while (fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = '\0';
    if (line[0]) snprintf(to, room, "%.*s", (int)room - 1, line);
  }
}

static bool run_command(struct fault *f, const char *command) {
  FILE *output = tmpfile();
  char *words[] = {(char *)"/bin/sh", (char *)"-c", (char *)command, NULL}, line[120] = "";
  pid_t child, ended;
  int status = 0;
  if (!output) return snprintf(f->said, sizeof f->said, "no temporary file: %s", strerror(errno)), false;
  fcntl(fileno(output), F_SETFD, FD_CLOEXEC);
  int error = spawn_program(
      &(struct spawning){
          .words = words, .environment = environ, .out = fileno(output), .err = fileno(output), .group = true},
      &child);
  if (error) {
    fclose(output);
    return snprintf(f->said, sizeof f->said, "no shell: %s", strerror(error)), false;
  }
  double until = clock_seconds() + COMMAND_SECONDS;
  while (!(ended = waitpid(child, &status, WNOHANG)) && clock_seconds() < until) usleep(2000);
  if (!ended) {
    kill(-child, SIGKILL);
    waitpid(child, &status, 0);
    snprintf(f->said, sizeof f->said, "did not end within %.0f s: %.100s", COMMAND_SECONDS, command);
  } else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
    last_line(output, line, sizeof line);
    snprintf(f->said, sizeof f->said, "%s%d: %.60s%s%.100s", WIFEXITED(status) ? "status " : "signal ",
             WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), command, line[0] ? ": " : "", line);
  }
  fclose(output);
  return ended && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool send_signal(struct fault *f, int signal) {
  char number[24] = "", *end;
  const char *at = f->process;
  if (*at == '@') {
    FILE *file = fopen(at + 1, "re");
    if (!file) return snprintf(f->said, sizeof f->said, "%.100s: %s", at + 1, strerror(errno)), false;
    if (!fgets(number, sizeof number, file)) number[0] = '\0';
    fclose(file);
    number[strcspn(number, " \n")] = '\0';
    at = number;
  }
  long process = strtol(at, &end, 10);
  if (*end || process <= 1)
    return snprintf(f->said, sizeof f->said, "'%.40s' is not the number of a process (%.60s)", at, f->process), false;
  if (!kill((pid_t)process, signal)) return true;
  return snprintf(f->said, sizeof f->said, "process %ld: %s", process, strerror(errno)), false;
}

bool fault_switch(struct fault *f, bool on) {
  bool good = true;
  if (on && f->signals)
    good = send_signal(f, f->signals);
  else if (on)
    good = run_command(f, f->on);
  else if (f->signals == SIGSTOP)
    good = send_signal(f, SIGCONT);
  else if (f->off)
    good = run_command(f, f->off);
  if (!good) f->failed++;
  f->times += on && good;
  return good;
}
