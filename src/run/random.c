/* Random numbers: the same in every run. Each thread has a sequence of its own, so that who asks first does not matter;
 * what seed the initialisation or the loading of the code sets is that of all. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"
#include "run/sync.h"

static uint64_t seed, loaded_seed, drawn[FIBERS_MOST];
static bool used;

void random_reset(void) {
  if (!used) return;
  seed = loaded_seed;
  memset(drawn, 0, sizeof drawn);
  used = false;
}

uint64_t random_hash(void) {
  uint64_t all = 0;
  for (unsigned i = 0; used && i < FIBERS_MOST; i++) all += drawn[i];
  return all;
}

static uint64_t next(void) {
  unsigned who = current ? current->id : FIBER_MAIN;
  used = true;
  if (current) spin_wrote(current);
  return hash_mix(hash_mix(seed + 0x9e3779b97f4a7c15u * (who + 1)) + 0x9e3779b97f4a7c15u * ++drawn[who]);
}

static void set_seed(uint64_t to) {
  used = true;
  if (current) spin_wrote(current);
  if (!current || current->id == FIBER_MAIN) seed = to;
  if (!current) loaded_seed = to;
  drawn[current ? current->id : FIBER_MAIN] = to << 20; /* the same seed gives the same sequence again */
}

WRAPPED int WRAP(rand)(void) { return (int)(next() >> 33); }
WRAPPED void WRAP(srand)(unsigned to) { set_seed(to); }
WRAPPED long WRAP(random)(void) { return (long)(next() >> 33); }
WRAPPED void WRAP(srandom)(unsigned to) { set_seed(to); }
WRAPPED long WRAP(lrand48)(void) { return (long)(next() >> 33); }
WRAPPED long WRAP(mrand48)(void) { return (int32_t)(next() >> 32); }
WRAPPED double WRAP(drand48)(void) { return (double)(next() >> 11) / 9007199254740992.0; }
WRAPPED void WRAP(srand48)(long to) { set_seed((uint64_t)to); }

static void fill(void *to, size_t size) {
  for (size_t i = 0; i < size; i++) ((unsigned char *)to)[i] = (unsigned char)next();
}

WRAPPED ssize_t WRAP(getrandom)(void *to, size_t size, unsigned flags) {
  (void)flags;
  fill(to, size);
  return (ssize_t)size;
}

WRAPPED int WRAP(getentropy)(void *to, size_t size) {
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  fill(to, size);
  return 0;
}

WRAPPED uint32_t WRAP(arc4random)(void) { return (uint32_t)(next() >> 32); }

/* std::random_device, which asks the processor. */
WRAPPED unsigned WRAP(_ZNSt13random_device9_M_getvalEv)(void *);
unsigned WRAP(_ZNSt13random_device9_M_getvalEv)(void *device) {
  (void)device;
  return (unsigned)(next() >> 32);
}
