/* Concurrency Kit's fifo under hazard pointers (libck-dev; ck_hp.c is in the library, so its source is compiled too), unmodified, with its inline
 * assembly. Entries are freed as soon as no thread has a hazard pointer to them. -DCLEAR: hazard pointers are cleared by atomic stores,
 * which ck_hp_clear does not do. */
#include <asif.h>
#include <ck_hp.h>
#include <ck_hp_fifo.h>
#include <stdlib.h>

enum { THREADS = 4 };
static ck_hp_fifo_t fifo;
static ck_hp_t hp;
static ck_hp_record_t records[THREADS];
static void *pointers[THREADS][CK_HP_FIFO_SLOTS_COUNT];

static void clear(ck_hp_record_t *me) {
#ifdef CLEAR
  for (int i = 0; i < CK_HP_FIFO_SLOTS_COUNT; i++) ck_pr_store_ptr(&me->pointers[i], NULL);
#else
  ck_hp_clear(me);
#endif
}

static void start(void) {
  ck_hp_init(&hp, CK_HP_FIFO_SLOTS_COUNT, 1, free);
  ck_hp_fifo_init(&fifo, malloc(sizeof(ck_hp_fifo_entry_t)));
  for (int i = 0; i < THREADS; i++) ck_hp_register(&hp, &records[i], pointers[i]);
}
static void enq(int v) {
  ck_hp_record_t *me = &records[asif_thread()];
  ck_hp_fifo_enqueue_mpmc(me, &fifo, malloc(sizeof(ck_hp_fifo_entry_t)), (void *)(long)v);
  clear(me);
}
static int deq(void) {
  ck_hp_record_t *me = &records[asif_thread()];
  void *v;
  ck_hp_fifo_entry_t *garbage = ck_hp_fifo_dequeue_mpmc(me, &fifo, &v);
  clear(me);
  if (!garbage) return ASIF_EMPTY;
  ck_hp_free(me, &garbage->hazard, garbage, garbage);
  return (int)(long)v;
}

ASIF_OBJECT(queue)
ASIF_OP(enq, ASIF_IN(1, 2))
ASIF_OP(deq)
ASIF_INIT(start)
