#!/bin/bash
# asif verify: the time and random numbers.
. tests/cli/common
has verify || exit 77
shopt -u patsub_replacement 2>/dev/null # & is itself where it replaces something
export ASIF_INCLUDE=$root/include
object() {
  { printf '#define _GNU_SOURCE\n#include <asif.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <sys/time.h>\n#include <time.h>\n#include <unistd.h>\n'; cat
    printf 'ASIF_OBJECT(register(0))\nASIF_OP_AS(read, get)\nASIF_OP_AS(write, put, ASIF_IN(1, 2))\n'; } >o.c
}
all() { # STATUS ARGUMENT...
  status=$1
  shift
  for reduce in best none sym both; do run "$status" "$asif" verify o.c --reduce $reduce "$@"; done
  run "$status" "$asif" verify o.c "$@"
}
as_test() { ! has test || { run "$1" "$asif" test o.c -n 2 -o 1; }; }
waiting="
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int s;
static struct timespec last;
static void put(int v) {
  pthread_mutex_lock(&m);
  BODY
  pthread_mutex_unlock(&m);
}
static int get(void) { pthread_mutex_lock(&m); int v = s; pthread_mutex_unlock(&m); return v; }"
body() { object <<<"${waiting/BODY/$1}"; }

# A time is asked for, computed with, kept and handed on.
body 's = v; clock_gettime(CLOCK_REALTIME, &last); last.tv_sec += 5; last.tv_nsec = last.tv_nsec * 3 / 2 % 1000000000;'; all 0; says 'times, and random numbers that are kept, may be anything'; as_test 0
body 'struct timeval t; gettimeofday(&t, NULL); s = v; time_t x = time(NULL); time(&x); if (clock_nanosleep(CLOCK_MONOTONIC, 0, &last, NULL)) abort(); nanosleep(&last, NULL); sleep(1);'; all 0
body 'struct timespec t; if (timespec_get(&t, TIME_UTC) != TIME_UTC || clock_gettime(CLOCK_MONOTONIC, &t)) abort(); s = v; clock_t c = clock(); (void)c;'; all 0
body 'struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec++; pthread_mutex_unlock(&m); while (pthread_mutex_timedlock(&m, &t)) {} s = v;'; all 0

# Whether a time has passed: either, and a loop that waits for it ends.
body 'struct timespec from, now; clock_gettime(CLOCK_MONOTONIC, &from); do clock_gettime(CLOCK_MONOTONIC, &now); while (now.tv_sec < from.tv_sec + 1); s = v;'; all 0
body 'time_t end = time(NULL) + 2; while (time(NULL) < end) sched_yield(); s = v;'; all 0 -n 3
body 'time_t end = time(NULL) + 2; if (time(NULL) < end) s = v; else { int w = v; s = w; }'; all 0
# What is wrong whatever the time is stays wrong; what is wrong at some times only may not be.
body 's = 7; time_t end = time(NULL); (void)end;'; all 1; says 'not linearizable'
body 'time_t a = time(NULL); if (time(NULL) < a) abort(); s = v;'; all 3; says 'o.c:16:'; says 'an execution seems wrong in which a time'; says 'asif_choose(n)'
body 'if (time(NULL) & 1) s = 7; else s = v;'; all 3; says 'an execution seems wrong'
body 's = (int)time(NULL);'; all 3; says 'a time or a random number'
body 'static int t[2]; s = v + t[time(NULL)];'; all 3; says 'a time or a random number'
body 's = v; last.tv_sec = v; last.tv_sec = last.tv_sec / (time(NULL) - 5);'; all 3; says 'a time or a random number'
body 'int x; s = v + x; time(NULL);'; all 1; says 'never set'
object <<'END_OF_C'
static atomic_int s;
static time_t until;
static void start(void) { until = time(NULL) + 1; }
ASIF_INIT(start)
static void put(int v) { while (time(NULL) < until) {} s = v; }
static int get(void) { return s; }
END_OF_C
all 0
sed -i 's/until = time(NULL) + 1;/if (time(NULL) > 5) until = 1;/' o.c; run 3 "$asif" verify o.c; says 'before the threads begin'
run 3 "$asif" verify o.c --progress lock-free; run 3 "$asif" verify o.c --spec self

# Random numbers that are used at once are every number; those that are kept may be any whenever they are looked at.
random() { # STATUS EXPRESSION: v plus what should be 0
  body "s = v + ($2);"
  all "$1"
}
for zero in '(rand() >> 29) / 4' 'rand() / (RAND_MAX / 4 + 1) / 4' '(rand() % v) / v' '(random() & 7) >> 3' '(rand() < 5) * 0' '(lrand48() > 100) / 2' '((unsigned)rand() % 3) / 3'; do random 0 "$zero"; done
for zero in 'rand() % -3 / 3' 'rand() % (v - 5) / 4' '(rand() % (0u - v) > 5) * 0' '(rand() % 100000 > 5) * 0' '(rand() % (v * 100000) > 5) * 0' '((long)rand() % (v * -10000000000) > 5) * 0' '((unsigned long)rand() % (0ul - v) > 5) * 0'; do random 0 "$zero"; done
random 1 'rand() % (v - 4) / 2'
random 1 'rand() % -3 / 2'
for no in 'rand() % (v - v)' 'rand() % zero'; do body "int zero = 0; s = v + ($no);"; all 1; says 'division by zero'; done
body 's = v + rand() % 0;'; all 1; says 'division by zero'
body 'unsigned x[2] = {0}; int i = 0; s = v + rand_r(&x[i++]) % 4 / 4; if (i != 1) abort();'; all 0
body 'unsigned x[2] = {0}; int i = 0, four = 4; s = v + rand_r(&x[i++]) % four / 4; if (i != 1) abort();'; all 0
for other in '(rand() >> 29) / 3' 'rand() / (RAND_MAX / 4 + 1) / 3' '(rand() % (v + 1)) / v' '(random() & 7) >> 2' 'rand() < 5' 'lrand48() > 100'; do random 1 "$other"; done
random 0 '(uint8_t)rand() % 100 / 100'
random 3 '((uint8_t)rand() % 300) >> 8' # of which no number is 300
body 'int r = rand(); if (r % 2) s = v; else s = v;'; all 0
body 'int r = rand(); if (r < 0) s = 7; else s = v;'; all 3; says 'a random number that is used more than once'
body 'unsigned x = (unsigned)rand() | 1; x ^= x << 13; x ^= x >> 17; x ^= x << 5; for (unsigned i = x & 3; i; i--) sched_yield(); s = v;'; all 0
body 'int r = rand(); s = r;'; all 3
# What is computed with one as a floating number, or in more than a word, is not known.
for odd in '(double)rand() / 2147483647.0 > 0.5' 'rand() / 2.0f > 1.0f' '(double)lrand48() / 4294967296.0 >= .25' '(unsigned)rand() / 2.0 >= 7' '(__int128)rand() % 4 == 5' 'rand() % (__int128)4 == 3' '(int)(double)rand() % 4 == 3' '(float)rand() < 5'; do
  body "if ($odd) abort(); s = v;"; all 3; says 'a time or a random number'
done
# In bit-fields neither.
body 'struct { unsigned x : 20, y : 12; } q = {0}; q.x = (unsigned)time(NULL); s = v; if (q.x > 3) s = v;'; all 3; says 'a time or a random number'
body 'union { unsigned all; struct { unsigned x : 5, y : 27; } f; } u; u.all = (unsigned)rand(); s = v; if (u.f.x > 3) s = v;'; all 0
body 'union { unsigned all; struct { unsigned x : 5, y : 27; } f; } u; u.all = (unsigned)rand(); u.f.x = 3; s = v; if (u.f.y > 3) s = v;'; all 3; says 'a time or a random number'
body 'union { unsigned all; struct { unsigned x : 5, y : 27; } f; } u; u.all = (unsigned)rand(); if (u.f.x > 3) s = 7; else s = v;'; all 3; says 'an execution seems wrong'
body 'unsigned seed = 5; int r = rand_r(&seed) % 4; s = v + r / 4;'; all 0
exit 0
