/* Ctrl-C and SIGTERM: the first sets a flag that every limit polls, so the run ends with what it has reached
 * (`unknown`, status 3); the second ends the program at once, in case the first is not heard. */
#include <string.h>

#include "cmd/cmd.h"

volatile sig_atomic_t interrupted;

static void on_interrupt(int sig) {
  (void)sig;
  interrupted = 1;
}

void handle_interrupts(void) {
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = on_interrupt;
  sigemptyset(&a.sa_mask);
  a.sa_flags = (int)SA_RESETHAND; /* no SA_RESTART: a read that waits for standard input ends too */
  sigaction(SIGINT, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
}
