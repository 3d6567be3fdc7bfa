/* Growable text: see text.h. */
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void text_open(struct text *t, struct mem *m) { *t = (struct text){.mem = m}; }

static void text_room(struct text *t, size_t more) {
  size_t need = t->count + more + 1;
  if (t->room < need) t->at = vec_grow(t->mem, t->at, &t->room, need, 1);
}

void text_bytes(struct text *t, const char *s, size_t n) {
  text_room(t, n);
  if (n) memcpy(t->at + t->count, s, n);
  t->count += n;
  t->at[t->count] = 0;
}

void text_char(struct text *t, char c) { text_bytes(t, &c, 1); }

void text_add(struct text *t, const char *s) { text_bytes(t, s, strlen(s)); }

void text_printf(struct text *t, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  char small[256];
  int n = vsnprintf(small, sizeof small, format, args);
  va_end(args);
  if (n >= 0 && (size_t)n < sizeof small) {
    text_bytes(t, small, (size_t)n);
  } else if (n >= 0) {
    text_room(t, (size_t)n);
    vsnprintf(t->at + t->count, (size_t)n + 1, format, again);
    t->count += (size_t)n;
  }
  va_end(again);
}

void text_shell_word(struct text *t, const char *s) {
  bool plain = *s && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%") == strlen(s);
  if (!plain) text_char(t, '\'');
  for (; *s; s++) {
    if (*s == '\'')
      text_add(t, "'\\''");
    else
      text_char(t, *s);
  }
  if (!plain) text_char(t, '\'');
}

bool text_file(struct text *t, const char *path) {
  char block[16384];
  int fd = open(path, O_RDONLY | O_CLOEXEC), why;
  ssize_t n = fd < 0 ? -1 : 0;
  while (fd >= 0 && ((n = read(fd, block, sizeof block)) > 0 || (n < 0 && errno == EINTR)))
    if (n > 0) text_bytes(t, block, (size_t)n);
  why = errno;
  if (fd >= 0) close(fd);
  if (n < 0 && why == ENOMEM) mem_exhausted(t->mem);
  errno = why;
  return n == 0;
}

void text_clear(struct text *t) {
  t->count = 0;
  if (t->at) t->at[0] = 0;
}

const char *text_string(const struct text *t) { return t->count ? t->at : ""; }
