/* What is driven, as it is written: redis://127.0.0.1:7001,127.0.0.1:7002, or a command of a client program. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "drive/drive.h"

const char *const request_names[REQUEST_KINDS] = {"get", "put", "cas", "delete"};
const struct store *const stores[] = {&store_redis, &store_memcached, &store_etcd, NULL};

void answer_say(struct answer *a, enum fate fate, const char *format, ...) {
  va_list list;
  *a = (struct answer){.fate = fate};
  va_start(list, format);
  vsnprintf(a->said, sizeof a->said, format, list);
  va_end(list);
  for (char *c = a->said; *c; c++)
    if ((unsigned char)*c < ' ' || *c == '"' || *c == '\\') *c = '\'';
}

/* HOST:PORT or [HOST]:PORT, up to a comma or the end; a slash at the end is left out. */
static bool read_endpoint(const char *at, size_t size, struct endpoint *e) {
  while (size && at[size - 1] == '/') size--;
  const char *host = at, *host_end, *port = NULL;
  for (size_t i = 0; i < size; i++)
    if (at[i] == ':') port = at + i + 1;
  if (!port) return false;
  host_end = port - 1;
  if (*host == '[' && host_end > host && host_end[-1] == ']') host++, host_end--;
  size_t host_size = (size_t)(host_end - host), port_size = (size_t)(at + size - port);
  if (!host_size || host_size >= sizeof e->host || !port_size || port_size >= sizeof e->port) return false;
  if (strspn(port, "0123456789") < port_size) return false;
  memcpy(e->host, host, host_size);
  memcpy(e->port, port, port_size);
  e->host[host_size] = e->port[port_size] = '\0';
  return true;
}

static bool read_endpoints(const char *at, struct target *t, struct problem *why) {
  for (;; at++) {
    size_t size = strcspn(at, ",");
    if (t->count == ENDPOINTS_MOST)
      return problem_set(why, "%s: more than %d addresses", t->written, ENDPOINTS_MOST), false;
    if (!read_endpoint(at, size, &t->endpoints[t->count++]))
      return problem_set(why, "%s: %.*s is no address: HOST:PORT, as in 127.0.0.1:7001", t->written, (int)size, at),
             false;
    at += size;
    if (!*at) return true;
  }
}

static bool has_word(const char *words, const char *word) {
  size_t size = strlen(word);
  for (const char *w = words; *w; w += strcspn(w, "|"), w += *w == '|')
    if (strcspn(w, "|") == size && !memcmp(w, word, size)) return true;
  return false;
}

bool target_read(const char *written, const char *option, struct target *t, struct problem *why) {
  const char *colon = strstr(written, "://");
  struct timespec now;
  *t = (struct target){.written = written, .store = &store_program, .command = written, .option = option};
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(t->prefix, sizeof t->prefix, "asif-%llx-%x",
           (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000, (unsigned)getpid());
  if (colon && strcspn(written, " /\"'$") == (size_t)(colon - written) + 1) {
    t->store = NULL;
    for (size_t i = 0; stores[i]; i++)
      if (!strncmp(stores[i]->scheme, written, (size_t)(colon - written)) && !stores[i]->scheme[colon - written])
        t->store = stores[i];
    if (!t->store)
      return problem_set(why,
                         "%s: %.*s is not known: redis, memcached or etcd, or the command of a client program "
                         "(docs/drive.md)",
                         written, (int)(colon - written), written),
             false;
    if (!read_endpoints(colon + 3, t, why)) return false;
  }
  if (!option || has_word(t->store->options, option)) return true;
  return problem_set(why, "--option %s: %s takes %s", option, t->store->scheme ? t->store->scheme : "a client program",
                     *t->store->options ? t->store->options : "none"),
         false;
}
