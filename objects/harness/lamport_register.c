/* lib/lamport_register.h: of two words that are always written the same. */
#include "harness.h"
#include "../lib/lamport_register.c"

#include <assert.h>

static struct lamport_register *x;

static void set_up(void) { x = lamport_register_create(2); }
static void write_both(int v) { lamport_register_write(x, (long[]){v, v}); }
static int read_both(void) {
  long words[2];
  lamport_register_read(x, words);
  assert(words[0] == words[1]);
  return (int)words[0];
}

ASIF_OBJECT(register(0))
ASIF_OP_AS(write, write_both, ASIF_IN(1, VALUES))
ASIF_OP_AS(read, read_both)
ASIF_INIT(set_up)
