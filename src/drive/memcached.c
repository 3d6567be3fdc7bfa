/* memcached: its text protocol over a socket. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "drive/link.h"

struct memcached {
  const struct target *target;
  unsigned client;
  struct link link;
};

static void *open_client(const struct target *t, unsigned client) {
  struct memcached *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->target = t;
  m->client = client;
  link_reset(&m->link);
  return m;
}

static void close_client(void *self) {
  struct memcached *m = self;
  link_close(&m->link);
  free(m);
}

static void other(struct link *l, const struct request *q, struct answer *a, const char *line) {
  bool refused =
      !strncmp(line, "SERVER_ERROR out of memory", 26) || !strncmp(line, "CLIENT_ERROR", 12) || !strcmp(line, "ERROR");
  bool harmless = refused || q->kind == REQUEST_GET;
  answer_say(a, harmless ? FATE_FAIL : FATE_UNKNOWN, "%.100s", line);
  link_close(l);
}

/* VALUE key flags size [unique], the value, END; or END alone. False: `a` says why. */
static bool read_value(struct link *l, const struct request *q, struct answer *a, unsigned long long *unique) {
  unsigned long size;
  char *line = link_line(l, q->deadline), *end;
  if (!line) return link_failed(l, q, a), false;
  *a = (struct answer){.fate = FATE_OK, .nil = !strcmp(line, "END")};
  if (a->nil) return true;
  *unique = 0;
  if (sscanf(line, "VALUE %*s %*u %lu %llu", &size, unique) < 1 || size > 1000) return other(l, q, a, line), false;
  char *value = link_bytes(l, size + 2, q->deadline);
  if (!value) return link_failed(l, q, a), false;
  value[size] = '\0';
  a->value = strtoll(value, &end, 10);
  if (*end || end == value) return other(l, q, a, value), false;
  line = link_line(l, q->deadline);
  if (!line) return link_failed(l, q, a), false;
  return !strcmp(line, "END") ? true : (other(l, q, a, line), false);
}

static bool send_words(struct link *l, const struct request *q, struct answer *a, const char *words) {
  if (link_send(l, words, strlen(words), q->deadline)) return true;
  link_failed(l, q, a);
  return false;
}

/* Reads it with its number, and sets it if that is still the same. The read does nothing. */
static void compare_and_set(struct memcached *m, const char *key, const struct request *q, struct answer *a) {
  struct request get = *q;
  struct link *l = &m->link;
  unsigned long long unique;
  char words[200], value[24];
  get.kind = REQUEST_GET;
  snprintf(words, sizeof words, "gets %s\r\n", key);
  if (!send_words(l, &get, a, words) || !read_value(l, &get, a, &unique)) return;
  if (a->nil || a->value != q->old) {
    a->done = a->nil = false;
    return;
  }
  int size = snprintf(value, sizeof value, "%lld", (long long)q->value);
  snprintf(words, sizeof words, "cas %s 0 0 %d %llu\r\n%s\r\n", key, size, unique, value);
  if (!send_words(l, q, a, words)) return;
  char *line = link_line(l, q->deadline);
  if (!line) {
    link_failed(l, q, a);
    return;
  }
  if (!strcmp(line, "STORED"))
    a->done = true;
  else if (!strcmp(line, "EXISTS")) /* it is another now: not at this moment, but that is for each attempt to say */
    answer_say(a, FATE_FAIL, "it was changed meanwhile");
  else if (!strcmp(line, "NOT_FOUND"))
    answer_say(a, FATE_FAIL, "it was evicted meanwhile");
  else
    other(l, q, a, line);
}

static void perform(void *self, const struct request *q, struct answer *a) {
  struct memcached *m = self;
  struct link *l = &m->link;
  char key[64], words[200], value[24], *line;
  unsigned long long unique;
  l->sent = false;
  if (l->in < 0 && !link_connect(l, &m->target->endpoints[m->client % m->target->count], q->deadline)) {
    link_failed(l, q, a);
    return;
  }
  snprintf(key, sizeof key, "%s-%u", m->target->prefix, q->key);
  int size = snprintf(value, sizeof value, "%lld", (long long)q->value);
  *a = (struct answer){.fate = FATE_OK};
  switch (q->kind) {
  case REQUEST_GET:
    snprintf(words, sizeof words, "get %s\r\n", key);
    if (send_words(l, q, a, words)) read_value(l, q, a, &unique);
    return;
  case REQUEST_CAS: compare_and_set(m, key, q, a); return;
  case REQUEST_PUT: snprintf(words, sizeof words, "set %s 0 0 %d\r\n%s\r\n", key, size, value); break;
  default: snprintf(words, sizeof words, "delete %s\r\n", key);
  }
  if (!send_words(l, q, a, words)) return;
  line = link_line(l, q->deadline);
  if (!line) {
    link_failed(l, q, a);
    return;
  }
  bool good = q->kind == REQUEST_PUT ? !strcmp(line, "STORED") : !strcmp(line, "DELETED") || !strcmp(line, "NOT_FOUND");
  if (!good) other(l, q, a, line);
}

const struct store store_memcached = {
    .scheme = "memcached",
    .options = "",
    .kinds = 1u << REQUEST_GET | 1u << REQUEST_PUT | 1u << REQUEST_CAS | 1u << REQUEST_DELETE,
    .usual = 1u << REQUEST_GET | 1u << REQUEST_PUT | 1u << REQUEST_CAS,
    .open = open_client,
    .perform = perform,
    .close = close_client,
};
