/* libcds' spin lock (libcds-dev), unmodified: it tells the thread sanitizer what it is. */
#include <asif.h>
#include <cds/sync/spinlock.h>

static cds::sync::spin *lock;
static int count;

static void init() { lock = new cds::sync::spin; }
static int fetch_add() {
  lock->lock();
  int v = count++;
  lock->unlock();
  return v;
}
#ifdef WRONG
static int get() { return count; }
#else
static int get() {
  lock->lock();
  int v = count;
  lock->unlock();
  return v;
}
#endif
ASIF_OBJECT(counter)
ASIF_INIT(init)
ASIF_OP(fetch_add)
ASIF_OP_AS(read, get)
