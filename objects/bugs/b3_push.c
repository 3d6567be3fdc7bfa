/* B3 (push) of Bouajjani et al. (2015): the compare-and-exchange of push in Treiber's stack is two steps. */
#include <stdatomic.h>
#include <stdbool.h>

struct node;
static bool cas_in_two_steps(_Atomic(struct node *) *at, struct node **expected, struct node *desired) {
  struct node *seen = atomic_load(at);
  if (seen != *expected) {
    *expected = seen;
    return false;
  }
  atomic_store(at, desired);
  return true;
}
#define PUSH_CAS cas_in_two_steps
#include "../treiber_stack.c"
