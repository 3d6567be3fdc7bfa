/* Clients, each a thread that calls one operation after the other; the record of what they did; and the switching of
 * faults.
 *
 * An operation whose outcome nobody knows may still happen: its client goes on as another process. Every value is
 * written once. The record is in the order in which its lines were written, each under a lock: a call's before the
 * request is sent, a return's after the answer was read. */
#include "drive/drive.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/limits.h"

#define SILENT_SECONDS 10.0 /* nothing has answered for so long from the beginning on: it is given up */
#define LOOK_SECONDS   2.0  /* the history so far is looked at so often at most, and a tenth of the time */
enum { BUFFER = 1 << 16, BUCKETS = 400 };

struct latencies { /* of what was ok: buckets a twentieth of a factor of two wide, from a microsecond on */
  uint64_t buckets[BUCKETS], count;
  double longest;
};
struct drive {
  const struct drive_options *options;
  pthread_mutex_t lock;
  char buffer[BUFFER];
  size_t used;
  int fd, error; /* error: errno of the record */
  double started;
  _Atomic bool stop;
  _Atomic int64_t next_value;
  struct driven *out;
  struct latencies latencies[REQUEST_KINDS];
  double slowest;           /* since that was last asked for */
  uint64_t answered[FATES]; /* of all operations */
};
struct client {
  struct drive *drive;
  unsigned number;
  uint64_t random;
  int64_t *seen; /* by key, the value that it last read or wrote; 0: none */
  pthread_t thread;
};

/* The record. */

static bool write_out(struct drive *d) {
  size_t at = 0;
  while (at < d->used && !d->error) {
    ssize_t n = write(d->fd, d->buffer + at, d->used - at);
    if (n < 0 && errno != EINTR) d->error = errno;
    if (n > 0) at += (size_t)n;
  }
  d->used = 0;
  return !d->error;
}

__attribute__((format(printf, 2, 3))) static void record(struct drive *d, const char *format, ...) {
  char line[600];
  va_list list;
  va_start(list, format);
  int size = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  if (size < 0 || (size_t)size >= sizeof line) abort();
  if (d->used + (size_t)size > sizeof d->buffer) write_out(d);
  memcpy(d->buffer + d->used, line, (size_t)size);
  d->used += (size_t)size;
}

static long long now_of(const struct drive *d) { return (long long)((clock_seconds() - d->started) * 1e9); }

static void record_arguments(const struct request *q, char *to, size_t room) {
  switch (q->kind) {
  case REQUEST_PUT:
    snprintf(to, room, ":value [%u %lld], :asif/args [%u %lld]", q->key, (long long)q->value, q->key,
             (long long)q->value);
    break;
  case REQUEST_CAS:
    snprintf(to, room, ":value [%u %lld %lld], :asif/args [%u %lld %lld]", q->key, (long long)q->old,
             (long long)q->value, q->key, (long long)q->old, (long long)q->value);
    break;
  default: snprintf(to, room, ":value %u, :asif/args [%u]", q->key, q->key);
  }
}

static void record_call(struct drive *d, unsigned process, const struct request *q) {
  char arguments[200];
  record_arguments(q, arguments, sizeof arguments);
  pthread_mutex_lock(&d->lock);
  record(d, "{:process %u, :type :invoke, :f :%s, %s, :time %lld}\n", process, request_names[q->kind], arguments,
         now_of(d));
  pthread_mutex_unlock(&d->lock);
}

static void record_return(struct drive *d, unsigned process, const struct request *q, const struct answer *a) {
  const char *name = request_names[q->kind];
  char result[60];
  if (q->kind == REQUEST_GET && a->nil)
    snprintf(result, sizeof result, "nil");
  else if (q->kind == REQUEST_GET)
    snprintf(result, sizeof result, "%lld", (long long)a->value);
  else if (q->kind == REQUEST_CAS)
    snprintf(result, sizeof result, "%s", a->done ? "true" : "false");
  else
    snprintf(result, sizeof result, ":none");
  if (a->fate == FATE_OK)
    record(d, "{:process %u, :type :ok, :f :%s, :value %s, :asif/result %s, :time %lld}\n", process, name,
           result[0] == ':' ? "nil" : result, result, now_of(d));
  else
    record(d, "{:process %u, :type :%s, :f :%s, :error \"%s\", :time %lld}\n", process,
           a->fate == FATE_FAIL ? "fail" : "info", name, a->said, now_of(d));
}

static void record_fault(struct drive *d, const struct fault *f, bool on, bool good) {
  pthread_mutex_lock(&d->lock);
  record(d, "{:process :nemesis, :type :info, :f :%s, :value :%s%s, :time %lld}\n", f->name, on ? "on" : "off",
         good ? "" : ", :error :failed", now_of(d));
  pthread_mutex_unlock(&d->lock);
}

/* Counting. */

static unsigned bucket_of(double seconds) {
  double b = seconds <= 1e-6 ? 0 : log2(seconds * 1e6) * 20;
  return b < BUCKETS - 1 ? (unsigned)b : BUCKETS - 1;
}
static double percentile(const struct latencies *l, double part) {
  uint64_t before = 0;
  for (unsigned b = 0; b < BUCKETS; b++)
    if ((before += l->buckets[b]) >= (double)l->count * part && l->count) {
      double upper = exp2((b + 1) / 20.0) * 1e-6;
      return upper < l->longest ? upper : l->longest;
    }
  return l->longest;
}

static void count_why(struct driven *out, const struct answer *a) {
  struct why *w = out->whys, *end = w + out->why_count;
  while (w < end && (w->fate != a->fate || strcmp(w->said, a->said) != 0)) w++;
  if (w == end && out->why_count == WHYS_MOST) w = end - 1; /* the last is of all others */
  if (w == end) {
    out->why_count++;
    w->fate = a->fate;
    snprintf(w->said, sizeof w->said, "%s", out->why_count == WHYS_MOST ? "other reasons" : a->said);
  }
  w->count++;
}

static void count_answer(struct drive *d, const struct request *q, const struct answer *a, double seconds) {
  d->out->answers[q->kind][a->fate]++;
  d->answered[a->fate]++;
  if (a->fate != FATE_OK) {
    count_why(d->out, a);
    return;
  }
  struct latencies *l = &d->latencies[q->kind];
  l->buckets[bucket_of(seconds)]++;
  l->count++;
  if (seconds > l->longest) l->longest = seconds;
  if (seconds > d->slowest) d->slowest = seconds;
}

/* Clients. */

static uint64_t next_random(struct client *c) {
  c->random += 0x9e3779b97f4a7c15u;
  return hash_mix(c->random);
}
static double next_part(struct client *c) { return (double)(next_random(c) >> 11) * 0x1p-53; }

static void wait_until(struct drive *d, double until) {
  for (;;) {
    double left = until - clock_seconds();
    if (left <= 0 || d->stop) return;
    usleep(left < 0.05 ? (useconds_t)(left * 1e6) + 1 : 50000);
  }
}

static struct request next_request(struct client *c) {
  const struct drive_options *o = c->drive->options;
  struct request q = {.key = (unsigned)(next_random(c) % o->keys)};
  unsigned skip = (unsigned)(next_random(c) % (unsigned)__builtin_popcount(o->kinds)), kind = 0;
  for (;; kind++)
    if (o->kinds >> kind & 1 && !skip--) break;
  q.kind = (enum request_kind)kind;
  if (q.kind == REQUEST_CAS && !c->seen[q.key]) q.kind = o->kinds >> REQUEST_GET & 1 ? REQUEST_GET : REQUEST_PUT;
  q.old = c->seen[q.key];
  if (q.kind == REQUEST_PUT || q.kind == REQUEST_CAS) q.value = atomic_fetch_add(&c->drive->next_value, 1);
  return q;
}

static void remember(struct client *c, const struct request *q, const struct answer *a) {
  if (a->fate != FATE_OK) return;
  if (q->kind == REQUEST_GET) c->seen[q->key] = a->nil ? 0 : a->value;
  if (q->kind == REQUEST_PUT || (q->kind == REQUEST_CAS && a->done)) c->seen[q->key] = q->value;
  if (q->kind == REQUEST_DELETE || (q->kind == REQUEST_CAS && !a->done)) c->seen[q->key] = 0;
}

static void *be_client(void *self) {
  struct client *c = self;
  struct drive *d = c->drive;
  const struct drive_options *o = d->options;
  unsigned process = c->number;
  void *store = o->target.store->open(&o->target, c->number);
  double due = clock_seconds();
  while (store && !d->stop) {
    struct answer a;
    struct request q = next_request(c);
    record_call(d, process, &q);
    double called = clock_seconds();
    q.deadline = called + o->timeout;
    o->target.store->perform(store, &q, &a);
    double returned = clock_seconds();
    pthread_mutex_lock(&d->lock);
    record_return(d, process, &q, &a);
    count_answer(d, &q, &a, returned - called);
    pthread_mutex_unlock(&d->lock);
    remember(c, &q, &a);
    if (a.fate == FATE_UNKNOWN) process += o->clients;
    if (a.fate != FATE_OK && returned - called < 0.01) wait_until(d, returned + 0.02); /* it is refused at once */
    if (o->rate > 0) {
      due += -log(1 - next_part(c)) * o->clients / o->rate;
      if (due < returned - 1) due = returned;
      wait_until(d, due);
    }
  }
  if (store) o->target.store->close(store);
  return NULL;
}

/* Faults and time. */

struct switching {
  size_t fault; /* the one that is next, or on */
  bool on;
  double next, since;
  uint64_t before[FATES];
};

static void switch_fault(struct drive *d, struct switching *s) {
  struct fault *f = &d->options->faults[s->fault];
  bool on = !s->on, good;
  pthread_mutex_lock(&d->lock);
  if (on) {
    memcpy(s->before, d->answered, sizeof s->before);
    d->slowest = 0;
  }
  pthread_mutex_unlock(&d->lock);
  if (on) record_fault(d, f, true, true);
  good = fault_switch(f, on);
  if (!on || !good) record_fault(d, f, on, good);
  if (on && !good) return;
  pthread_mutex_lock(&d->lock);
  for (int o = 0; !on && o < FATES; o++) f->answers[o] += d->answered[o] - s->before[o];
  if (!on && d->slowest > f->slowest) f->slowest = d->slowest;
  pthread_mutex_unlock(&d->lock);
  if (on) s->since = clock_seconds();
  if (!on) f->seconds += clock_seconds() - s->since;
  if (!on) s->fault = (s->fault + 1) % d->options->fault_count;
  s->on = on;
}

static void show_progress(struct drive *d) {
  uint64_t sum = 0;
  for (int o = 0; o < FATES; o++) sum += d->answered[o];
  fprintf(stderr, "\r%.0f s, %llu operations, %llu failed, %llu unknown  ", clock_seconds() - d->started,
          (unsigned long long)sum, (unsigned long long)d->answered[FATE_FAIL],
          (unsigned long long)d->answered[FATE_UNKNOWN]);
  fflush(stderr);
}

static void watch(struct drive *d) {
  const struct drive_options *o = d->options;
  struct switching s = {.next = d->started + o->every};
  double end = d->started + o->seconds, look = d->started + LOOK_SECONDS, shown = d->started;
  for (double now; (now = clock_seconds()) < end && !*o->interrupted && !d->error;) {
    if (o->fault_count && now >= s.next) {
      switch_fault(d, &s);
      s.next = clock_seconds() + o->every;
    }
    pthread_mutex_lock(&d->lock);
    write_out(d);
    bool silent = !d->answered[FATE_OK] && now > d->started + SILENT_SECONDS && !s.on;
    if (o->progress && now > shown + 0.5) show_progress(d), shown = now;
    pthread_mutex_unlock(&d->lock);
    if (silent) break;
    if (o->violated && now >= look) {
      if (o->violated(o->self, o->record)) {
        d->out->violated = true;
        break;
      }
      double took = clock_seconds() - now;
      look = clock_seconds() + (took * 10 > LOOK_SECONDS ? took * 10 : LOOK_SECONDS);
    }
    usleep(20000);
  }
  d->out->interrupted = *o->interrupted;
  if (o->progress) fputs("\r\033[K", stderr);
  if (s.on) switch_fault(d, &s);
}

bool drive(struct mem *m, const struct drive_options *o, struct driven *out, struct problem *why) {
  struct drive *d = mem_zero(m, 1, sizeof *d);
  struct client *clients = mem_zero(m, o->clients, sizeof *clients);
  unsigned started = 0;
  *out = (struct driven){0};
  d->options = o;
  d->out = out;
  d->next_value = 1;
  d->fd = open(o->record, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (d->fd < 0) return problem_set(why, "%s: cannot be written: %s", o->record, strerror(errno)), false;
  pthread_mutex_init(&d->lock, NULL);
  signal(SIGPIPE, SIG_IGN);
  d->started = clock_seconds();
  for (; started < o->clients; started++) {
    struct client *c = &clients[started];
    *c = (struct client){.drive = d,
                         .number = started,
                         .random = hash_mix(o->seed * 1000003 + started),
                         .seen = mem_zero(m, o->keys, sizeof *c->seen)};
    if (pthread_create(&c->thread, NULL, be_client, c)) break;
  }
  if (started == o->clients)
    watch(d);
  else
    problem_set(why, "no more than %u threads can be started", started);
  d->stop = true;
  for (unsigned i = 0; i < started; i++) pthread_join(clients[i].thread, NULL);
  out->seconds = clock_seconds() - d->started;
  write_out(d);
  if (d->error) problem_set(why, "%s: cannot be written: %s", o->record, strerror(d->error));
  close(d->fd);
  for (int k = 0; k < REQUEST_KINDS; k++) {
    out->median[k] = percentile(&d->latencies[k], 0.5);
    out->most_99[k] = percentile(&d->latencies[k], 0.99);
    out->longest[k] = d->latencies[k].longest;
  }
  return !d->error && started == o->clients;
}
