/* Redis: its protocol, RESP, over a socket. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "drive/link.h"

struct redis {
  const struct target *target;
  unsigned client;
  bool replica_reads;
  struct link writes, reads; /* reads: of --option replica-reads */
};

static void *open_client(const struct target *t, unsigned client) {
  struct redis *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->target = t;
  r->client = client;
  r->replica_reads = t->option && t->count > 1;
  link_reset(&r->writes);
  link_reset(&r->reads);
  return r;
}

static void close_client(void *self) {
  struct redis *r = self;
  link_close(&r->writes);
  link_close(&r->reads);
  free(r);
}

static void put_word(char *to, size_t room, const char *word) {
  size_t used = strlen(to);
  snprintf(to + used, room - used, "$%zu\r\n%s\r\n", strlen(word), word);
}

static void write_request(const struct redis *r, const struct request *q, char *to, size_t room) {
  static const char script[] = "local v=redis.call('GET',KEYS[1]) if v==ARGV[1] then "
                               "redis.call('SET',KEYS[1],ARGV[2]) return 1 else return 0 end";
  char key[64], value[24], old[24];
  snprintf(key, sizeof key, "%s-%u", r->target->prefix, q->key);
  snprintf(value, sizeof value, "%lld", (long long)q->value);
  snprintf(old, sizeof old, "%lld", (long long)q->old);
  const char *words[REQUEST_KINDS][6] = {[REQUEST_GET] = {"GET", key},
                                         [REQUEST_PUT] = {"SET", key, value},
                                         [REQUEST_CAS] = {"EVAL", script, "1", key, old, value},
                                         [REQUEST_DELETE] = {"DEL", key}};
  unsigned count = 0;
  while (count < 6 && words[q->kind][count]) count++;
  snprintf(to, room, "*%u\r\n", count);
  for (unsigned i = 0; i < count; i++) put_word(to, room, words[q->kind][i]);
}

static void nonsense(struct link *l, struct answer *a, const struct request *q, const char *line) {
  answer_say(a, q->kind == REQUEST_GET ? FATE_FAIL : FATE_UNKNOWN, "an answer that is none: %.60s", line);
  link_close(l);
}

/* These say that nothing was done. Of other errors it is not known. */
static bool did_nothing(const char *error) {
  static const char *const known[] = {"READONLY", "LOADING", "MASTERDOWN", "NOREPLICAS", "CLUSTERDOWN", "MOVED",
                                      "ASK",      "OOM",     "NOAUTH",     "WRONGTYPE",  "MISCONF",     "NOPERM"};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!strncmp(error, known[i], strlen(known[i]))) return true;
  return false;
}

static void read_answer(struct link *l, const struct request *q, struct answer *a) {
  char *line = link_line(l, q->deadline), *end;
  if (!line) {
    link_failed(l, q, a);
    return;
  }
  *a = (struct answer){.fate = FATE_OK};
  if (*line == '-') {
    bool harmless = q->kind == REQUEST_GET || did_nothing(line + 1);
    {
      answer_say(a, harmless ? FATE_FAIL : FATE_UNKNOWN, "%.100s", line + 1);
      return;
    }
  }
  if (q->kind == REQUEST_PUT && !strcmp(line, "+OK")) return;
  if (q->kind == REQUEST_DELETE && *line == ':') return;
  if (q->kind == REQUEST_CAS && (!strcmp(line, ":1") || !strcmp(line, ":0"))) {
    a->done = line[1] == '1';
    return;
  }
  if (q->kind != REQUEST_GET || *line != '$') {
    nonsense(l, a, q, line);
    return;
  }
  long size = strtol(line + 1, &end, 10);
  if (*end || size < -1) {
    nonsense(l, a, q, line);
    return;
  }
  if (size < 0) {
    a->nil = true;
    return;
  }
  char *value = link_bytes(l, (size_t)size + 2, q->deadline);
  if (!value) {
    link_failed(l, q, a);
    return;
  }
  value[size] = '\0';
  a->value = strtoll(value, &end, 10);
  if (*end || end == value) nonsense(l, a, q, value);
}

static void perform(void *self, const struct request *q, struct answer *a) {
  struct redis *r = self;
  bool elsewhere = r->replica_reads && q->kind == REQUEST_GET;
  struct link *l = elsewhere ? &r->reads : &r->writes;
  unsigned endpoint = elsewhere ? 1 + r->client % (r->target->count - 1) : 0;
  char bytes[700];
  l->sent = false;
  if (l->in < 0 && !link_connect(l, &r->target->endpoints[endpoint], q->deadline)) {
    link_failed(l, q, a);
    return;
  }
  write_request(r, q, bytes, sizeof bytes);
  if (!link_send(l, bytes, strlen(bytes), q->deadline)) {
    link_failed(l, q, a);
    return;
  }
  read_answer(l, q, a);
}

const struct store store_redis = {
    .scheme = "redis",
    .options = "replica-reads",
    .kinds = 1u << REQUEST_GET | 1u << REQUEST_PUT | 1u << REQUEST_CAS | 1u << REQUEST_DELETE,
    .usual = 1u << REQUEST_GET | 1u << REQUEST_PUT | 1u << REQUEST_CAS,
    .open = open_client,
    .perform = perform,
    .close = close_client,
};
