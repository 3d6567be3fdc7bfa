/* Treiber's stack with free: four pops and a push of which two get the same value need the allocator to give a freed block back. */
#include "../../objects/treiber_stack_free.c"

void aba_init(void) {
  push(1);
  push(2);
}
long aba_0(void) { return pop(); }
long aba_1(void) {
  long a = pop(), b = pop();
  push(3);
  long c = pop(), d = pop();
  /* each value once, or the stack was empty */
  return (a != ASIF_EMPTY && (a == b || a == c || a == d)) || (b != ASIF_EMPTY && (b == c || b == d));
}
