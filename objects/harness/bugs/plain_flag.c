/* A value handed over by a flag that is not atomic.
 *
 * Expected: data race. */
#include <asif.h>

static int value;
static bool there;

static void write_value(int v) {
  value = v;
  there = true;
}
static int read_value(void) { return there ? value : 0; }

ASIF_OBJECT(register(0))
ASIF_OP_AS(write, write_value, ASIF_IN(1, 2))
ASIF_OP_AS(read, read_value)
