/* Accounts with a lock each: a transfer locks the one it takes from and then the one it gives to, so that two in opposite
 * directions wait for each other.
 *
 * Expected: deadlock. */
#include <asif.h>
#include <pthread.h>

static struct account {
  pthread_mutex_t lock;
  int money;
} accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 1}, {PTHREAD_MUTEX_INITIALIZER, 1}};

static bool transfer(int from) {
  struct account *a = &accounts[from], *b = &accounts[!from];
  pthread_mutex_lock(&a->lock);
  pthread_mutex_lock(&b->lock);
  bool enough = a->money > 0;
  if (enough) {
    a->money--;
    b->money++;
  }
  pthread_mutex_unlock(&b->lock);
  pthread_mutex_unlock(&a->lock);
  return enough;
}

struct state {
  int spent[2]; /* from each, more than to it */
};
static bool spec_transfer(struct state *s, int from) {
  if (s->spent[from] >= 1) return false;
  s->spent[from]++;
  s->spent[!from]--;
  return true;
}

ASIF_SPEC(accounts, struct state)
ASIF_SPEC_OP(spec_transfer, "transfer")

ASIF_OBJECT(accounts)
ASIF_OP(transfer, ASIF_IN(0, 1))
