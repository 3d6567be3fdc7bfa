/* Bytes in: see input.h. What kind of file it is, is told by its first bytes, never by its name. */
#include "history/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

enum { CHUNK = 256 * 1024, SLACK = 16 };
enum kind { PLAIN, GZIP, ZSTD, BYTES };

struct source {
  enum kind kind;
  int file;          /* -1 for BYTES */
  const char *bytes; /* BYTES: what is left; else raw bytes read but not yet used */
  size_t count;      /* how many */
  char *raw;         /* buffer of CHUNK bytes for what the file holds */
  bool raw_ended;    /* the file holds no more */
  bool between;      /* compressed: at the end of a member, where the file may end */
#ifdef HAVE_ZLIB
  z_stream gzip;
#endif
#ifdef HAVE_ZSTD
  ZSTD_DStream *zstd;
#endif
};

static size_t fail(struct input *in, const char *what, const char *detail) {
  problem_set(&in->problem, "%s: %s%s%s", in->name, what, *detail ? ": " : "", detail);
  in->failed = in->ended = true;
  return 0;
}

/* Ctrl-C and the time limit end a long read, also of a pipe that nobody writes to. */
static void wait_for_bytes(struct input *in) {
  enum { MILLISECONDS = 100 };
  struct pollfd file = {.fd = in->source->file, .events = POLLIN};
  int ready;
  do {
    if (in->mem->limits) mem_poll(in->mem);
    ready = poll(&file, 1, MILLISECONDS);
  } while (!ready || (ready < 0 && errno == EINTR));
}

static size_t read_file(struct input *in, char *to, size_t room) {
  ssize_t n;
  bool waits = in->mem->limits != NULL;
  do {
    if (waits) wait_for_bytes(in);
    n = read(in->source->file, to, room);
    waits |= n < 0 && errno == EAGAIN; /* what is standard input may not wait by itself */
  } while (n < 0 && (errno == EINTR || errno == EAGAIN));
  if (n < 0) return fail(in, "cannot be read", strerror(errno));
  return (size_t)n;
}

#if defined HAVE_ZLIB || defined HAVE_ZSTD
/* Gets raw bytes of a compressed file; false if there are none. */
static bool raw_fill(struct input *in) {
  struct source *s = in->source;
  if (s->count) return true;
  if (s->raw_ended) return false;
  s->bytes = s->raw;
  s->count = read_file(in, s->raw, CHUNK);
  s->raw_ended = !s->count;
  return s->count > 0;
}
#endif

#ifdef HAVE_ZLIB
static voidpf zlib_alloc(voidpf m, uInt count, uInt size) { return mem_zero(m, count, size); }
static void zlib_free(voidpf m, voidpf p) { mem_free(m, p); }

static bool gzip_start(struct input *in) {
  z_stream *z = &in->source->gzip;
  z->zalloc = zlib_alloc;
  z->zfree = zlib_free;
  z->opaque = in->mem;
  return inflateInit2(z, 15 + 16) == Z_OK;
}

static size_t gzip_read(struct input *in, char *to, size_t room) {
  struct source *s = in->source;
  z_stream *z = &s->gzip;
  z->next_out = (Bytef *)to;
  z->avail_out = (uInt)room;
  while (z->avail_out == room) {
    if (!raw_fill(in)) {
      if (!in->failed && !s->between) return fail(in, "the gzip data ends too early", "the file is cut off");
      return 0;
    }
    z->next_in = (Bytef *)(uintptr_t)s->bytes;
    z->avail_in = (uInt)s->count;
    s->between = false;
    int r = inflate(z, Z_NO_FLUSH);
    s->bytes = (const char *)z->next_in;
    s->count = z->avail_in;
    if (r == Z_STREAM_END) {
      s->between = true; /* another member may follow */
      inflateReset(z);
    } else if (r != Z_OK && r != Z_BUF_ERROR) {
      return fail(in, "the gzip data is damaged", z->msg ? z->msg : "");
    }
  }
  return room - z->avail_out;
}
#endif

#ifdef HAVE_ZSTD
static size_t zstd_read(struct input *in, char *to, size_t room) {
  struct source *s = in->source;
  ZSTD_outBuffer out = {to, room, 0};
  while (!out.pos) {
    /* With no raw bytes left the decoder may still hold output; it has none between frames. */
    if (!raw_fill(in) && (in->failed || s->between)) return 0;
    ZSTD_inBuffer bytes = {s->bytes, s->count, 0};
    size_t r = ZSTD_decompressStream(s->zstd, &out, &bytes);
    s->bytes += bytes.pos;
    s->count -= bytes.pos;
    if (ZSTD_isError(r)) return fail(in, "the zstd data is damaged", ZSTD_getErrorName(r));
    s->between = r == 0;
    if (!s->between && !out.pos && s->raw_ended) return fail(in, "the zstd data ends too early", "the file is cut off");
  }
  return out.pos;
}
#endif

/* Reads up to `room` bytes of the input proper; 0 at its end or on failure. */
static size_t source_read(struct input *in, char *to, size_t room) {
  struct source *s = in->source;
  switch (s->kind) {
#ifdef HAVE_ZLIB
  case GZIP: return gzip_read(in, to, room);
#endif
#ifdef HAVE_ZSTD
  case ZSTD: return zstd_read(in, to, room);
#endif
  default: break;
  }
  if (!s->count) return s->kind == BYTES ? 0 : read_file(in, to, room);
  size_t n = s->count < room ? s->count : room;
  memcpy(to, s->bytes, n);
  s->bytes += n;
  s->count -= n;
  return n;
}

static void make_room(struct input *in, size_t want) {
  size_t have = (size_t)(in->end - in->at);
  if (in->at != in->begin) {
    memmove(in->begin, in->at, have);
    in->base += (uint64_t)(in->at - in->begin);
  }
  size_t need = (want > have ? want : have) + in->chunk + SLACK;
  if (need > in->room) {
    if (need < in->room * 2) need = in->room * 2;
    in->begin = mem_resize(in->mem, in->begin, need);
    in->room = need;
  }
  in->at = in->begin;
  in->end = in->begin + have;
}

size_t input_fill(struct input *in, size_t want) {
  size_t have = (size_t)(in->end - in->at);
  if (have >= want || in->ended) return have;
  if (want > INPUT_LINE_MAX) {
    input_problem(in, in->at, &in->problem, "longer than %u bytes without an end; a line or a value must be shorter",
                  INPUT_LINE_MAX);
    in->failed = in->ended = true;
    return have;
  }
  make_room(in, want);
  while (have < want && !in->ended) {
    size_t n = source_read(in, in->end, in->chunk);
    if (!n) in->ended = true;
    in->end += n;
    have += n;
  }
  memset(in->end, 0, SLACK);
  return have;
}

char *input_line(struct input *in, size_t *len) {
  size_t seen = 0;
  char *newline;
  in->line++;
  in->line_at = in->base + (uint64_t)(in->at - in->begin);
  while (!(newline = memchr(in->at + seen, '\n', (size_t)(in->end - in->at) - seen))) {
    seen = (size_t)(in->end - in->at);
    if (in->ended) break;
    if (input_fill(in, seen + 1) <= seen) break;
  }
  if (in->failed) return NULL; /* part of a line would only bring a second, misleading message */
  char *line = in->at, *end = newline ? newline : in->end;
  if (!newline && line == end) return NULL;
  in->at = newline ? newline + 1 : in->end;
  if (end > line && end[-1] == '\r') end--;
  *end = 0;
  *len = (size_t)(end - line);
  return line;
}

static void prepare(struct input *in, struct mem *m, const char *name) {
  *in = (struct input){.mem = m, .name = name, .chunk = CHUNK};
  in->source = mem_zero(m, 1, sizeof *in->source);
  in->source->file = -1;
  in->room = SLACK;
  in->begin = in->at = in->end = mem_zero(m, in->room, 1);
}

void input_from_bytes(struct input *in, struct mem *m, const char *name, const char *bytes, size_t count) {
  prepare(in, m, name);
  in->source->kind = BYTES;
  in->source->bytes = bytes;
  in->source->count = count;
  in->chunk = count < CHUNK ? count + 1 : CHUNK;
}

static void start_decoder(struct input *in) {
  struct source *s = in->source;
  if (s->count >= 3 && !memcmp(s->bytes, "\x1f\x8b\x08", 3)) {
    s->kind = GZIP;
#ifdef HAVE_ZLIB
    if (!gzip_start(in)) fail(in, "gzip cannot be started", "");
#else
    fail(in, "is compressed with gzip, which this build cannot read",
         "decompress it first: gzip -dc FILE | asif ... -");
#endif
  } else if (s->count >= 4 && !memcmp(s->bytes, "\x28\xb5\x2f\xfd", 4)) {
    s->kind = ZSTD;
#ifdef HAVE_ZSTD
    s->zstd = ZSTD_createDStream();
    if (!s->zstd) fail(in, "zstd cannot be started", "");
#else
    fail(in, "is compressed with zstd, which this build cannot read",
         "decompress it first: zstd -dc FILE | asif ... -");
#endif
  }
}

/* To open a pipe waits for its writer. Where there are limits it must not: reading waits then, and heeds them. */
static int open_file(struct mem *m, const char *path) {
  int file, flags = O_RDONLY | O_CLOEXEC | (m->limits ? O_NONBLOCK : 0);
  do {
    file = open(path, flags);
    if (file < 0 && errno == EWOULDBLOCK) flags &= ~O_NONBLOCK; /* a file that somebody has a lease on */
  } while (file < 0 && (errno == EINTR || errno == EWOULDBLOCK));
  return file;
}

/* Of a folder as Jepsen leaves it, store/TEST/TIME, the history in it. */
static const char *history_inside(struct mem *m, const char *path) {
  static const char *const names[] = {"history.edn",  "history.edn.gz", "history.edn.zst",
                                      "history.json", "history.jsonl",  "history.txt"};
  struct stat about;
  if (stat(path, &about) || !S_ISDIR(about.st_mode)) return path;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct text t;
    text_open(&t, m);
    text_printf(&t, "%s/%s", path, names[i]);
    if (!access(text_string(&t), R_OK)) return text_string(&t);
  }
  return path;
}

bool input_open(struct input *in, struct mem *m, const char *path, struct problem *p) {
  bool standard = !strcmp(path, "-");
  if (!standard) path = history_inside(m, path);
  prepare(in, m, standard ? "<stdin>" : path);
  struct source *s = in->source;
  s->raw = mem_alloc(m, CHUNK);
  s->file = standard ? STDIN_FILENO : open_file(m, path);
  if (s->file < 0) {
    fail(in, "cannot be opened", strerror(errno));
  } else {
    s->bytes = s->raw;
    size_t n;
    /* A pipe may give its first bytes one at a time; four tell what it is. */
    while (s->count < 4 && (n = read_file(in, s->raw + s->count, CHUNK - s->count))) s->count += n;
    if (!in->failed) start_decoder(in);
  }
  if (in->failed) {
    *p = in->problem;
    input_close(in);
    return false;
  }
  return true;
}

void input_close(struct input *in) {
  struct source *s = in->source;
  if (!s) return;
  if (s->file > STDIN_FILENO) close(s->file);
#ifdef HAVE_ZLIB
  if (s->kind == GZIP) inflateEnd(&s->gzip);
#endif
#ifdef HAVE_ZSTD
  if (s->zstd) ZSTD_freeDStream(s->zstd);
#endif
  mem_free(in->mem, s->raw);
  mem_free(in->mem, s);
  mem_free(in->mem, in->begin);
  in->source = NULL;
  in->begin = in->at = in->end = NULL;
  in->ended = true;
}

bool input_problem(const struct input *in, const char *place, struct problem *p, const char *format, ...) {
  char what[sizeof p->text];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  uint64_t offset = in->base + (uint64_t)(place - in->begin);
  problem_set(p, "%s:%llu:%llu: %s", in->name, (unsigned long long)in->line,
              (unsigned long long)(offset - in->line_at + 1), what);
  return false;
}

bool input_whole(const struct input *in, struct problem *p) {
  if (!in->failed) return true;
  *p = in->problem;
  return false;
}

struct byte_name byte_name(char c) {
  struct byte_name b;
  unsigned char u = (unsigned char)c;
  if (u > 32 && u < 127)
    snprintf(b.text, sizeof b.text, "'%c'", c);
  else
    snprintf(b.text, sizeof b.text, "byte 0x%02x", u);
  return b;
}
