/* Counts the clients, where there are many, in a process that gives way to the others. */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/test.h"

enum { SAID_EVERY = 1024 };

static bool count_client(void *self, uint64_t number, const struct client *c) {
  struct client_total *t = self;
  (void)c;
  if (number % SAID_EVERY == 0 && number > t->seen) t->seen = number;
  return !t->all;
}

static void count_clients(const struct client_source *source, struct client_total *t) {
  struct mem m;
  struct problem why;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) _exit(0);
  if (nice(10) == -1) _exit(0);
  spec_user_forked();
  struct clients *own = clients_open(&m, source, &why);
  uint64_t made = own ? clients_each(own, count_client, t) : 0;
  if (!t->all) t->all = made;
}

pid_t counting_start(const struct client_source *source, struct client_total *t) {
  if (t->all) return -1;
  pid_t parent = getpid(), pid = fork();
  if (pid) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  count_clients(source, t);
  _exit(0);
}

void counting_end(pid_t pid) {
  if (pid < 0) return;
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}
