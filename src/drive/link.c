#include "drive/link.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limits.h"

void link_reset(struct link *l) {
  l->in = l->out = -1;
  l->first = l->count = 0;
  l->said[0] = '\0';
  l->sent = l->closed = false;
}

void link_close(struct link *l) {
  if (l->in >= 0) close(l->in);
  if (l->out >= 0 && l->out != l->in) close(l->out);
  l->in = l->out = -1;
  l->first = l->count = 0;
  l->closed = false;
}

static bool fail(struct link *l, const char *why) {
  snprintf(l->said, sizeof l->said, "%s", why);
  return false;
}

static bool wait_for(struct link *l, int fd, short events, double deadline) {
  for (;;) {
    double left = deadline - clock_seconds();
    struct pollfd p = {.fd = fd, .events = events};
    int n = poll(&p, 1, left <= 0 ? 0 : (int)(left * 1000) + 1);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return fail(l, strerror(errno));
    if (clock_seconds() >= deadline) return fail(l, "no answer in time");
  }
}

static int begin(const struct addrinfo *a) {
  int one = 1, fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, a->ai_protocol);
  if (fd < 0) return -1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (!connect(fd, a->ai_addr, a->ai_addrlen) || errno == EINPROGRESS) return fd;
  int error = errno;
  close(fd);
  errno = error;
  return -1;
}

static bool connect_to(struct link *l, const struct addrinfo *a, double deadline) {
  int error = 0, fd = begin(a);
  socklen_t size = sizeof error;
  if (fd < 0) return fail(l, strerror(errno));
  if (!wait_for(l, fd, POLLOUT, deadline)) return close(fd), fail(l, "no connection in time");
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) || error) return close(fd), fail(l, strerror(error));
  l->in = l->out = fd;
  return true;
}

bool link_connect(struct link *l, const struct endpoint *e, double deadline) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all;
  bool connected = false;
  l->sent = false;
  int bad = getaddrinfo(e->host, e->port, &hints, &all);
  if (bad) return fail(l, gai_strerror(bad));
  for (const struct addrinfo *a = all; a && !connected; a = a->ai_next) connected = connect_to(l, a, deadline);
  freeaddrinfo(all);
  return connected;
}

bool link_send(struct link *l, const char *bytes, size_t count, double deadline) {
  while (count) {
    ssize_t n = l->in == l->out ? send(l->out, bytes, count, MSG_NOSIGNAL) : write(l->out, bytes, count);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!wait_for(l, l->out, POLLOUT, deadline)) return false;
      continue;
    }
    if (n < 0) return fail(l, strerror(errno));
    l->sent = true;
    bytes += n;
    count -= (size_t)n;
  }
  return true;
}

static bool more(struct link *l, double deadline) {
  if (l->first && l->first + l->count == sizeof l->at - 1) {
    memmove(l->at, l->at + l->first, l->count);
    l->first = 0;
  }
  if (l->first + l->count == sizeof l->at - 1) return fail(l, "an answer longer than 64 KiB");
  for (;;) {
    if (!wait_for(l, l->in, POLLIN, deadline)) return false;
    ssize_t n = read(l->in, l->at + l->first + l->count, sizeof l->at - 1 - l->first - l->count);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n < 0) return fail(l, strerror(errno));
    if (!n) return l->closed = true, fail(l, "the connection was closed");
    l->count += (size_t)n;
    return true;
  }
}

static char *take(struct link *l, size_t count) {
  char *at = l->at + l->first;
  l->first += count;
  l->count -= count;
  if (!l->count) l->first = 0;
  return at;
}

char *link_line(struct link *l, double deadline) {
  for (size_t seen = 0;;) {
    char *at = l->at + l->first, *end = l->count > seen ? memchr(at + seen, '\n', l->count - seen) : NULL;
    if (end) {
      *end = '\0';
      if (end > at && end[-1] == '\r') end[-1] = '\0';
      return take(l, (size_t)(end - at) + 1);
    }
    seen = l->count;
    if (!more(l, deadline)) return NULL;
  }
}

/* The zero would be written over what follows: that is kept apart. */
char *link_bytes(struct link *l, size_t count, double deadline) {
  char *bytes = l->bytes;
  if (count >= sizeof l->bytes) return fail(l, "an answer longer than 64 KiB"), NULL;
  while (l->count < count)
    if (!more(l, deadline)) return NULL;
  memcpy(bytes, take(l, count), count);
  bytes[count] = '\0';
  return bytes;
}

void link_failed(struct link *l, const struct request *r, struct answer *a) {
  bool harmless = !l->sent || r->kind == REQUEST_GET;
  answer_say(a, harmless ? FATE_FAIL : FATE_UNKNOWN, "%s", l->said);
  link_close(l);
}
