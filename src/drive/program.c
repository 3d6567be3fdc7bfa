/* A client that is a program: it reads requests, a line each, and answers each with a line.
 *
 *   get 3            ok 17 | ok nil
 *   put 3 17         ok
 *   cas 3 17 18      ok true | ok false
 *   delete 3         ok
 *                    fail [why]: it did not happen; info [why]: nobody knows
 *
 * A program that ends, does not answer in time, or answers something else, is ended with all that it started, and
 * started again. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "drive/link.h"

extern char **environ;

struct program {
  const struct target *target;
  unsigned client;
  pid_t child;  /* 0: none */
  double again; /* not to be started before */
  struct link link;
};

static void *open_client(const struct target *t, unsigned client) {
  struct program *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->target = t;
  p->client = client;
  link_reset(&p->link);
  return p;
}

static void end(struct program *p) {
  link_close(&p->link);
  if (!p->child) return;
  kill(-p->child, SIGKILL);
  while (waitpid(p->child, NULL, 0) < 0 && errno == EINTR) {}
  p->child = 0;
  p->again = clock_seconds() + 0.1;
}

static void close_client(void *self) {
  end(self);
  free(self);
}

static bool start(struct program *p) {
  int in[2], out[2], error;
  char *words[] = {(char *)"sh", (char *)"-c", (char *)p->target->command, NULL};
  char client[40], prefix[60];
  size_t count = 0;
  while (environ[count]) count++;
  char **environment = malloc((count + 3) * sizeof *environment);
  if (!environment) return false;
  memcpy(environment, environ, count * sizeof *environment);
  snprintf(client, sizeof client, "ASIF_CLIENT=%u", p->client);
  snprintf(prefix, sizeof prefix, "ASIF_PREFIX=%s", p->target->prefix);
  environment[count] = client;
  environment[count + 1] = prefix;
  environment[count + 2] = NULL;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t all;
  if (pipe2(in, O_CLOEXEC)) return free(environment), false;
  if (pipe2(out, O_CLOEXEC)) return close(in[0]), close(in[1]), free(environment), false;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  sigemptyset(&all);
  sigaddset(&all, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &all);
  error = posix_spawn(&p->child, "/bin/sh", &actions, &attributes, words, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(environment);
  close(in[0]);
  close(out[1]);
  if (error) return p->child = 0, close(in[1]), close(out[0]), false;
  p->link.out = in[1];
  p->link.in = out[0];
  fcntl(p->link.in, F_SETFL, O_NONBLOCK);
  fcntl(p->link.out, F_SETFL, O_NONBLOCK);
  return true;
}

static void lost(struct program *p, const struct request *q, struct answer *a) {
  int status;
  pid_t ended = 0;
  for (double until = clock_seconds() + 1; p->child && p->link.closed && !ended && clock_seconds() < until;
       usleep(1000))
    ended = waitpid(p->child, &status, WNOHANG);
  if (p->child && (ended || waitpid(p->child, &status, WNOHANG) == p->child)) {
    if (WIFEXITED(status))
      snprintf(p->link.said, sizeof p->link.said, "the program ended with status %d", WEXITSTATUS(status));
    else
      snprintf(p->link.said, sizeof p->link.said, "the program was ended by signal %d", WTERMSIG(status));
    kill(-p->child, SIGKILL);
    p->child = 0;
    p->again = clock_seconds() + 0.1;
  }
  link_failed(&p->link, q, a);
  end(p);
}

/* "ok", "ok 17", ... False: it is none that fits. */
static bool read_answer(const struct request *q, const char *line, struct answer *a) {
  char *end;
  const char *rest = line;
  if (!strncmp(line, "fail", 4) && (!line[4] || line[4] == ' ')) {
    answer_say(a, FATE_FAIL, "%.120s", line[4] ? line + 5 : "fail");
    return true;
  }
  if (!strncmp(line, "info", 4) && (!line[4] || line[4] == ' ')) {
    answer_say(a, FATE_UNKNOWN, "%.120s", line[4] ? line + 5 : "info");
    return true;
  }
  if (strncmp(line, "ok", 2)) return false;
  rest += 2;
  if (*rest == ' ') rest++;
  switch (q->kind) {
  case REQUEST_GET:
    if (!strcmp(rest, "nil")) return a->nil = true;
    a->value = strtoll(rest, &end, 10);
    return end != rest && !*end && line[2] == ' ';
  case REQUEST_CAS: a->done = !strcmp(rest, "true"); return a->done || !strcmp(rest, "false");
  default: return !*rest;
  }
}

static void perform(void *self, const struct request *q, struct answer *a) {
  struct program *p = self;
  struct link *l = &p->link;
  char words[100], *line;
  l->sent = false;
  double wait = p->again - clock_seconds();
  if (!p->child && wait > 0) usleep((useconds_t)(wait * 1e6));
  if (!p->child && !start(p)) {
    answer_say(a, FATE_FAIL, "the program cannot be started: %s", strerror(errno));
    return;
  }
  switch (q->kind) {
  case REQUEST_PUT: snprintf(words, sizeof words, "put %u %lld\n", q->key, (long long)q->value); break;
  case REQUEST_CAS:
    snprintf(words, sizeof words, "cas %u %lld %lld\n", q->key, (long long)q->old, (long long)q->value);
    break;
  default: snprintf(words, sizeof words, "%s %u\n", request_names[q->kind], q->key);
  }
  *a = (struct answer){.fate = FATE_OK};
  if (!link_send(l, words, strlen(words), q->deadline) || !(line = link_line(l, q->deadline))) {
    lost(p, q, a);
    return;
  }
  if (read_answer(q, line, a)) return;
  snprintf(l->said, sizeof l->said, "an answer that is none to %.30s: %.60s", request_names[q->kind], line);
  link_failed(l, q, a);
  end(p);
}

const struct store store_program = {
    .options = "",
    .kinds = 1u << REQUEST_GET | 1u << REQUEST_PUT | 1u << REQUEST_CAS | 1u << REQUEST_DELETE,
    .usual = 1u << REQUEST_GET | 1u << REQUEST_PUT,
    .open = open_client,
    .perform = perform,
    .close = close_client,
};
