/* etcd: the JSON of its version 3 interface over HTTP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "drive/link.h"

struct etcd {
  const struct target *target;
  unsigned client;
  struct link link;
};

static void *open_client(const struct target *t, unsigned client) {
  struct etcd *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->target = t;
  e->client = client;
  link_reset(&e->link);
  return e;
}

static void close_client(void *self) {
  struct etcd *e = self;
  link_close(&e->link);
  free(e);
}

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void base64(const char *from, char *to) {
  size_t count = strlen(from);
  for (size_t i = 0; i < count; i += 3) {
    unsigned bits = (unsigned)(unsigned char)from[i] << 16;
    if (i + 1 < count) bits |= (unsigned)(unsigned char)from[i + 1] << 8;
    if (i + 2 < count) bits |= (unsigned char)from[i + 2];
    *to++ = letters[bits >> 18 & 63];
    *to++ = letters[bits >> 12 & 63];
    *to++ = i + 1 < count ? letters[bits >> 6 & 63] : '=';
    *to++ = i + 2 < count ? letters[bits & 63] : '=';
  }
  *to = '\0';
}

static bool from_base64(const char *from, char *to, size_t room) {
  unsigned bits = 0, have = 0;
  size_t count = 0;
  for (; *from && *from != '"' && *from != '='; from++) {
    const char *letter = strchr(letters, *from);
    if (!letter || count + 1 >= room) return false;
    bits = bits << 6 | (unsigned)(letter - letters);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    to[count++] = (char)(bits >> have & 255);
  }
  to[count] = '\0';
  return true;
}

/* The body of the answer: of a length, or in chunks. NULL: the link failed. */
static char *read_body(struct link *l, double deadline, int *status) {
  char *body = l->body;
  size_t length = 0, used = 0;
  bool chunked = false;
  char *line = link_line(l, deadline);
  if (!line) return NULL;
  if (sscanf(line, "HTTP/1.%*d %d", status) != 1) {
    snprintf(l->said, sizeof l->said, "an answer that is no HTTP: %.60s", line);
    return NULL;
  }
  while ((line = link_line(l, deadline)) && *line) {
    if (!strncasecmp(line, "Content-Length:", 15)) length = strtoul(line + 15, NULL, 10);
    if (!strncasecmp(line, "Transfer-Encoding:", 18) && strstr(line, "chunked")) chunked = true;
  }
  if (!line) return NULL;
  for (bool more = true; more;) {
    if (chunked) {
      if (!(line = link_line(l, deadline))) return NULL;
      length = strtoul(line, NULL, 16);
      more = length > 0;
    } else {
      more = false;
    }
    if (used + length >= sizeof l->body) return snprintf(l->said, sizeof l->said, "an answer longer than 64 KiB"), NULL;
    char *piece = length ? link_bytes(l, length, deadline) : NULL;
    if (length && !piece) return NULL;
    if (piece) memcpy(body + used, piece, length);
    used += length;
    if (chunked && !link_line(l, deadline)) return NULL;
  }
  body[used] = '\0';
  return body;
}

static void write_body(const struct etcd *e, const struct request *q, char *to, size_t room, const char **path) {
  char key[64], value[24], old[24], key64[100], value64[40], old64[40];
  snprintf(key, sizeof key, "%s-%u", e->target->prefix, q->key);
  snprintf(value, sizeof value, "%lld", (long long)q->value);
  snprintf(old, sizeof old, "%lld", (long long)q->old);
  base64(key, key64);
  base64(value, value64);
  base64(old, old64);
  switch (q->kind) {
  case REQUEST_GET:
    *path = "/v3/kv/range";
    snprintf(to, room, "{\"key\":\"%s\"%s}", key64, e->target->option ? ",\"serializable\":true" : "");
    break;
  case REQUEST_PUT:
    *path = "/v3/kv/put";
    snprintf(to, room, "{\"key\":\"%s\",\"value\":\"%s\"}", key64, value64);
    break;
  case REQUEST_CAS:
    *path = "/v3/kv/txn";
    snprintf(to, room,
             "{\"compare\":[{\"target\":\"VALUE\",\"key\":\"%s\",\"value\":\"%s\"}],"
             "\"success\":[{\"request_put\":{\"key\":\"%s\",\"value\":\"%s\"}}]}",
             key64, old64, key64, value64);
    break;
  default: *path = "/v3/kv/deleterange"; snprintf(to, room, "{\"key\":\"%s\"}", key64);
  }
}

static void read_answer(const struct request *q, const char *body, struct answer *a) {
  static const char named[] = "\"value\":\"";
  char text[64], *end;
  *a = (struct answer){.fate = FATE_OK};
  if (q->kind == REQUEST_CAS) a->done = strstr(body, "\"succeeded\":true");
  if (q->kind != REQUEST_GET) return;
  const char *value = strstr(body, named);
  a->nil = !value;
  if (!value) return;
  bool read = from_base64(value + sizeof named - 1, text, sizeof text);
  if (read) a->value = strtoll(text, &end, 10);
  if (!read || *end || end == text) answer_say(a, FATE_FAIL, "an answer that is none: %.60s", body);
}

static void perform(void *self, const struct request *q, struct answer *a) {
  struct etcd *e = self;
  struct link *l = &e->link;
  const struct endpoint *to = &e->target->endpoints[e->client % e->target->count];
  const char *path;
  char body[600], head[500], *answer;
  int status = 0;
  l->sent = false;
  if (l->in < 0 && !link_connect(l, to, q->deadline)) {
    link_failed(l, q, a);
    return;
  }
  write_body(e, q, body, sizeof body, &path);
  snprintf(head, sizeof head,
           "POST %s HTTP/1.1\r\nHost: %s:%s\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", path,
           to->host, to->port, strlen(body));
  bool sent = link_send(l, head, strlen(head), q->deadline) && link_send(l, body, strlen(body), q->deadline);
  if (!sent || !(answer = read_body(l, q->deadline, &status))) {
    link_failed(l, q, a);
    return;
  }
  if (status == 200) {
    read_answer(q, answer, a);
    return;
  }
  bool harmless = q->kind == REQUEST_GET || status == 400 || status == 404 || status == 401 || status == 403;
  answer_say(a, harmless ? FATE_FAIL : FATE_UNKNOWN, "status %d: %.100s", status, answer);
}

const struct store store_etcd = {
    .scheme = "etcd",
    .options = "serializable",
    .kinds = 1u << REQUEST_GET | 1u << REQUEST_PUT | 1u << REQUEST_CAS | 1u << REQUEST_DELETE,
    .usual = 1u << REQUEST_GET | 1u << REQUEST_PUT | 1u << REQUEST_CAS,
    .open = open_client,
    .perform = perform,
    .close = close_client,
};
