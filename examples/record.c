/* Two threads push and pop; what they did is recorded, for `asif check stack.asif`. */
#include <asif.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long items[100000];
static int count, push, pop;
static asif_recorder *recorder;

static void *work(void *number) {
  asif_tape *tape = asif_recorder_thread(recorder, (const char *)number);
  long from = *(const char *)number == 'o' ? 0 : 10000;
  for (long i = from; i < from + 10000; i++) {
    asif_recorder_call1(tape, push, i);
    pthread_mutex_lock(&lock);
    items[count++] = i;
    pthread_mutex_unlock(&lock);
    asif_recorder_return(tape, ASIF_OK);

    asif_recorder_call(tape, pop);
    pthread_mutex_lock(&lock);
    long got = items[--count];
    pthread_mutex_unlock(&lock);
    asif_recorder_return(tape, got);
  }
  asif_tape_end(tape);
  return NULL;
}

int main(void) {
  static char one[] = "one", two[] = "two";
  recorder = asif_recorder_open("stack.asif", NULL);
  push = asif_recorder_operation(recorder, "s", "push");
  pop = asif_recorder_operation(recorder, "s", "pop");
  pthread_t a, b;
  if (pthread_create(&a, NULL, work, one) != 0 || pthread_create(&b, NULL, work, two) != 0) return 1;
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  char *why;
  if (asif_recorder_close(recorder, &why) == ASIF_DONE) return 0;
  fprintf(stderr, "%s\n", why ? why : "");
  free(why);
  return 1;
}
