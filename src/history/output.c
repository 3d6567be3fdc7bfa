/* Bytes out: see output.h. A file is written beside its place under a temporary name, and renamed when it is whole. */
#include "history/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { BUFFER = 128 * 1024 };
enum kind { PLAIN, GZIP, ZSTD };

struct sink {
  enum kind kind;
  int file;
  char *temporary; /* its name, or NULL where the place itself is written: standard output, a device, a pipe */
  char *buffer;    /* of compressed bytes */
#ifdef HAVE_ZLIB
  z_stream gzip;
#endif
#ifdef HAVE_ZSTD
  ZSTD_CStream *zstd;
#endif
};

static bool fail(struct output *o, const char *what, int error) {
  const char *detail = error == EPIPE ? "the reader closed the pipe" : error ? strerror(error) : "";
  problem_set(o->problem, "%s: %s%s%s", strcmp(o->path, "-") ? o->path : "<stdout>", what, *detail ? ": " : "", detail);
  return false;
}

static bool write_all(struct output *o, const char *bytes, size_t n) {
  while (n) {
    ssize_t k = write(o->sink->file, bytes, n);
    if (k < 0 && errno == EINTR) continue;
    if (k < 0) return fail(o, "cannot be written", errno);
    bytes += k;
    n -= (size_t)k;
  }
  return true;
}

#ifdef HAVE_ZLIB
static voidpf zlib_alloc(voidpf m, uInt count, uInt size) { return mem_zero(m, count, size); }
static void zlib_free(voidpf m, voidpf p) { mem_free(m, p); }

static bool gzip_write(struct output *o, const char *bytes, size_t n, bool end) {
  struct sink *s = o->sink;
  z_stream *z = &s->gzip;
  int r = Z_OK;
  z->next_in = (Bytef *)(uintptr_t)bytes;
  z->avail_in = (uInt)n;
  do {
    z->next_out = (Bytef *)s->buffer;
    z->avail_out = BUFFER;
    r = deflate(z, end ? Z_FINISH : Z_NO_FLUSH);
    if (r == Z_STREAM_ERROR) return fail(o, "cannot be compressed", 0);
    if (!write_all(o, s->buffer, BUFFER - z->avail_out)) return false;
  } while (end ? r != Z_STREAM_END : z->avail_in > 0 || !z->avail_out);
  return true;
}
#endif

#ifdef HAVE_ZSTD
static bool zstd_write(struct output *o, const char *bytes, size_t n, bool end) {
  struct sink *s = o->sink;
  ZSTD_inBuffer in = {bytes, n, 0};
  size_t left;
  do {
    ZSTD_outBuffer out = {s->buffer, BUFFER, 0};
    left = ZSTD_compressStream2(s->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) return fail(o, "cannot be compressed", 0);
    if (!write_all(o, s->buffer, out.pos)) return false;
  } while (end ? left > 0 : in.pos < in.size);
  return true;
}
#endif

static bool compress_write(struct output *o, const char *bytes, size_t n, bool end) {
  (void)end; /* a plain file has no end of its own */
  switch (o->sink->kind) {
#ifdef HAVE_ZLIB
  case GZIP: return gzip_write(o, bytes, n, end);
#endif
#ifdef HAVE_ZSTD
  case ZSTD: return zstd_write(o, bytes, n, end);
#endif
  default: return write_all(o, bytes, n);
  }
}

bool output_write(struct output *o, const char *bytes, size_t n) { return compress_write(o, bytes, n, false); }

static bool ends_in(const char *s, const char *suffix) {
  size_t n = strlen(s), k = strlen(suffix);
  return n > k && !strcmp(s + n - k, suffix);
}

static bool start_encoder(struct output *o) {
  if (ends_in(o->path, ".gz")) {
#ifdef HAVE_ZLIB
    struct sink *s = o->sink;
    s->gzip.zalloc = zlib_alloc;
    s->gzip.zfree = zlib_free;
    s->gzip.opaque = o->mem;
    if (deflateInit2(&s->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      return fail(o, "gzip cannot be started", 0);
    s->kind = GZIP;
    return true;
#else
    return fail(o, "this build cannot compress with gzip; write a plain file", 0);
#endif
  }
  if (ends_in(o->path, ".zst")) {
#ifdef HAVE_ZSTD
    struct sink *s = o->sink;
    s->zstd = ZSTD_createCStream();
    if (!s->zstd) return fail(o, "zstd cannot be started", 0);
    ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1); /* so that damage is seen when it is read */
    s->kind = ZSTD;
    return true;
#else
    return fail(o, "this build cannot compress with zstd; write a plain file", 0);
#endif
  }
  return true;
}

static bool open_file(struct output *o) {
  struct sink *s = o->sink;
  struct stat st;
  if (!strcmp(o->path, "-")) return s->file = STDOUT_FILENO, true;
  if (!stat(o->path, &st) && !S_ISREG(st.st_mode)) {
    s->file = open(o->path, O_WRONLY | O_CLOEXEC);
    return s->file >= 0 || fail(o, "cannot be opened for writing", errno);
  }
  size_t n = strlen(o->path) + 16;
  char *name = mem_alloc(o->mem, n);
  snprintf(name, n, "%s.XXXXXX", o->path);
  s->file = mkostemp(name, O_CLOEXEC);
  if (s->file < 0) return fail(o, "cannot be created", errno);
  s->temporary = name;
  mode_t mask = umask(0);
  umask(mask);
  if (fchmod(s->file, 0666 & ~mask)) return fail(o, "cannot be created", errno);
  return true;
}

bool output_open(struct output *o, struct mem *m, const char *path, struct problem *p) {
  *o = (struct output){.mem = m, .path = path, .problem = p};
  o->sink = mem_zero(m, 1, sizeof *o->sink);
  o->sink->file = -1;
  o->sink->buffer = mem_alloc(m, BUFFER);
  if (start_encoder(o) && open_file(o)) return true;
  output_close(o, false);
  return false;
}

bool output_close(struct output *o, bool good) {
  struct sink *s = o->sink;
  good = good && compress_write(o, "", 0, true);
  int why = errno; /* of a failed write: the caller may tell a closed pipe by it */
  if (s->file > STDERR_FILENO && close(s->file) && good) good = fail(o, "cannot be written", why = errno);
  if (s->temporary && good && rename(s->temporary, o->path)) good = fail(o, "cannot be put in its place", why = errno);
  if (s->temporary && !good) unlink(s->temporary);
#ifdef HAVE_ZLIB
  if (s->kind == GZIP) deflateEnd(&s->gzip);
#endif
#ifdef HAVE_ZSTD
  if (s->zstd) ZSTD_freeCStream(s->zstd);
#endif
  mem_free(o->mem, s->temporary);
  mem_free(o->mem, s->buffer);
  mem_free(o->mem, s);
  o->sink = NULL;
  if (!good) errno = why;
  return good;
}

bool output_whole(const char *path, bool (*write)(struct mem *, struct output *, const void *, struct problem *),
                  const void *self, struct problem *why) {
  struct mem m;
  struct output out;
  mem_open(&m, NULL);
  volatile bool opened = false, good = false;
  if (!MEM_GUARD(&m)) {
    opened = output_open(&out, &m, path, why);
    good = opened && write(&m, &out, self, why);
  } else {
    problem_set(why, "%s: out of memory", path);
    good = false;
  }
  if (opened) good = output_close(&out, good) && good;
  mem_close(&m);
  return good;
}
