/* Files of numbers and blocks: see saved.h. Numbers are written seven bits a byte. */
#include "verify/saved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"

static uint64_t summed(uint64_t sum, uint64_t x) { return (sum ^ x) * 0xd6e8feb86659fd93u + 1; }

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
  real_path(path, s->path, sizeof s->path);
  if (!stat(path, &st) && !S_ISREG(st.st_mode)) return cannot_write(path, S_ISDIR(st.st_mode) ? EISDIR : EINVAL, why);
  snprintf(s->temporary, sizeof s->temporary, "%s.XXXXXX", s->path);
  int fd = mkstemp(s->temporary);
  if (fd < 0) return cannot_write(path, errno, why);
  mode_t mask = umask(0);
  umask(mask);
  (void)!fchmod(fd, 0666 & ~mask);
  s->file = fdopen(fd, "wb");
  if (s->file) return true;
  cannot_write(path, errno, why);
  close(fd);
  unlink(s->temporary);
  return false;
}

static void save_bytes(struct saving *s, const void *at, size_t size) {
  if (!s->failed && size && fwrite(at, 1, size, s->file) != size) s->failed = errno ? errno : EIO;
}

void save_number(struct saving *s, uint64_t n) {
  unsigned char bytes[10];
  unsigned count = 0;
  s->sum = summed(s->sum, n);
  for (; n >= 128; n >>= 7) bytes[count++] = (unsigned char)(n | 128);
  bytes[count++] = (unsigned char)n;
  save_bytes(s, bytes, count);
}

void save_block(struct saving *s, const void *at, size_t size) {
  save_number(s, size);
  s->sum = summed(s->sum, size ? hash_bytes(at, size) : 0);
  save_bytes(s, at, size);
}

bool save_close(struct saving *s, struct problem *why) {
  save_number(s, s->sum);
  if (!s->failed && (fflush(s->file) || fsync(fileno(s->file)))) s->failed = errno;
  if (fclose(s->file) && !s->failed) s->failed = errno;
  if (!s->failed && rename(s->temporary, s->path)) s->failed = errno;
  if (!s->failed) return true;
  unlink(s->temporary);
  return cannot_write(s->path, s->failed, why);
}

bool load_open(struct loading *in, const char *path, struct problem *why) {
  struct stat st;
  *in = (struct loading){.path = path, .file = fopen(path, "rb")};
  if (!in->file || fstat(fileno(in->file), &st) || S_ISDIR(st.st_mode)) {
    problem_set(why, "cannot read %s: %s", path, strerror(in->file ? EISDIR : errno));
    load_close(in);
    return false;
  }
  return true;
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
  in->sum = summed(in->sum, n);
  return n;
}

uint32_t load_block(struct loading *in, void *at, size_t most) {
  uint64_t size = load_number(in);
  if (size > most || in->failed || (size && fread(at, 1, size, in->file) != size)) {
    load_fail(in);
    return 0;
  }
  in->sum = summed(in->sum, size ? hash_bytes(at, size) : 0);
  return (uint32_t)size;
}

bool load_end(struct loading *in, struct problem *why) {
  uint64_t sum = in->sum;
  if (load_number(in) == sum && !in->failed && getc(in->file) == EOF) return true;
  problem_set(why, "%s is damaged, or no checkpoint", in->path);
  return false;
}

void load_close(struct loading *in) {
  if (in->file) fclose(in->file);
  in->file = NULL;
}
