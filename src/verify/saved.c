/* Files of numbers and blocks: see saved.h. Numbers are written seven bits a byte. */
#include "verify/saved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

static uint64_t summed(uint64_t sum, const unsigned char *block, size_t count) {
  return hash_mix(sum + 1) ^ hash_bytes(block, count);
}

static bool cannot_write(const char *path, int reason, struct problem *why) {
  problem_set(why, "cannot write %s: %s", path, strerror(reason));
  return false;
}

/* Through a link, to the file itself. */
static void real_path(const char *path, char *real, size_t size) {
  char *found = realpath(path, NULL);
  snprintf(real, size, "%s", found ? found : path);
  free(found);
}

bool save_open(struct saving *s, const char *path, struct problem *why) {
  struct stat st;
  memset(s, 0, sizeof *s);
  s->given = path;
  real_path(path, s->path, sizeof s->path);
  if (!stat(path, &st) && !S_ISREG(st.st_mode)) return cannot_write(path, S_ISDIR(st.st_mode) ? EISDIR : EINVAL, why);
  snprintf(s->temporary, sizeof s->temporary, "%s.XXXXXX", s->path);
  s->fd = mkstemp(s->temporary);
  if (s->fd < 0) return cannot_write(path, errno, why);
  mode_t mask = umask(0);
  umask(mask);
  (void)!fchmod(s->fd, 0666 & ~mask);
  return true;
}

static void write_all(struct saving *s, const unsigned char *at, size_t size) {
  while (size && !s->failed) {
    ssize_t n = write(s->fd, at, size);
    if (n < 0 && errno != EINTR) s->failed = errno;
    if (n > 0) at += n, size -= (size_t)n;
  }
}

static void write_block(struct saving *s) {
  s->sum = summed(s->sum, s->block, s->count);
  write_all(s, s->block, s->count);
  s->count = 0;
}

static void save_bytes(struct saving *s, const unsigned char *at, size_t size) {
  while (size) {
    size_t n = SAVED_BLOCK - s->count < size ? SAVED_BLOCK - s->count : size;
    memcpy(s->block + s->count, at, n);
    s->count += n;
    at += n;
    size -= n;
    if (s->count == SAVED_BLOCK) write_block(s);
  }
}

void save_number(struct saving *s, uint64_t n) {
  unsigned char bytes[10];
  unsigned count = 0;
  for (; n >= 128; n >>= 7) bytes[count++] = (unsigned char)(n | 128);
  bytes[count++] = (unsigned char)n;
  save_bytes(s, bytes, count);
}

void save_block(struct saving *s, const void *at, size_t size) {
  save_number(s, size);
  save_bytes(s, at, size);
}

bool save_close(struct saving *s, struct problem *why) {
  unsigned char sum[8];
  write_block(s);
  memcpy(sum, &s->sum, sizeof sum);
  write_all(s, sum, sizeof sum);
  if (!s->failed && fsync(s->fd)) s->failed = errno;
  if (close(s->fd) && !s->failed) s->failed = errno;
  if (!s->failed && rename(s->temporary, s->path)) s->failed = errno;
  if (!s->failed) return true;
  unlink(s->temporary);
  return cannot_write(s->given, s->failed, why);
}

/* Is the sum at the end that of all before it? */
static bool is_whole(FILE *f, off_t size) {
  unsigned char block[SAVED_BLOCK];
  uint64_t sum = 0, there;
  if (size < 8) return false;
  for (off_t left = size - 8; left >= 0; left -= SAVED_BLOCK) {
    size_t n = left < SAVED_BLOCK ? (size_t)left : SAVED_BLOCK;
    if (fread(block, 1, n, f) != n) return false;
    sum = summed(sum, block, n);
  }
  return fread(&there, 1, sizeof there, f) == sizeof there && there == sum && !fseek(f, 0, SEEK_SET);
}

bool load_open(struct loading *in, const char *path, struct problem *why) {
  struct stat st;
  *in = (struct loading){.file = fopen(path, "rb")};
  if (!in->file || fstat(fileno(in->file), &st)) {
    problem_set(why, "cannot read %s: %s", path, strerror(errno));
    load_close(in);
    return false;
  }
  if (S_ISREG(st.st_mode) && is_whole(in->file, st.st_size)) return true;
  problem_set(why, "%s is no checkpoint, or it is damaged", path);
  load_close(in);
  return false;
}

void load_fail(struct loading *in) { in->failed = true; }

uint64_t load_number(struct loading *in) {
  uint64_t n = 0;
  int c;
  unsigned shift = 0;
  do {
    c = in->failed ? EOF : getc_unlocked(in->file);
    if (c == EOF || shift > 63) {
      load_fail(in);
      return 0;
    }
    n |= (uint64_t)(c & 127) << shift;
    shift += 7;
  } while (c & 128);
  return n;
}

uint32_t load_block(struct loading *in, void *at, size_t most) {
  uint64_t size = load_number(in);
  if (!in->failed && size <= most && (!size || fread(at, 1, size, in->file) == size)) return (uint32_t)size;
  load_fail(in);
  return 0;
}

void load_close(struct loading *in) {
  if (in->file) fclose(in->file);
  in->file = NULL;
}
