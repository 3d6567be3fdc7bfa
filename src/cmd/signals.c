/* Ctrl-C, Ctrl-\, SIGTERM, and a terminal that is gone: the first sets a flag that every limit polls, so the run ends
 * with what it has reached
 * (`unknown`, status 3); the second ends the program at once, in case the first is not heard. */
#include <string.h>

#include "cmd/cmd.h"

volatile sig_atomic_t interrupted;

static void on_interrupt(int sig) {
  (void)sig;
  interrupted = 1;
}

void hear_interrupts(const struct sigaction *how) {
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  struct sigaction now;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    bool ignored = signals[i] == SIGHUP && !sigaction(SIGHUP, NULL, &now) && now.sa_handler == SIG_IGN; /* nohup */
    if (!ignored) sigaction(signals[i], how, NULL);
  }
}

void handle_interrupts(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = on_interrupt;
  sigemptyset(&a.sa_mask);
  a.sa_flags = (int)SA_RESETHAND; /* no SA_RESTART: a read that waits for standard input ends too */
  hear_interrupts(&a);
}
