/* Formats: round trips through every format and every kind of file, and output that fails. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats.h"

/* Histories that every format can hold without loss: one object called x, processes 0, 1, ... that take the lowest
 * number free, as the format without processes gives them out. */
static const char *const whole[] = {
    "x enq(5) 0\nx enq(7) 1\nx Ok() 0\nx Ok() 1\nx deq() 0\nx Ok(7) 0\n",
    "x deq() 0\nx Empty() 0\nx enq(1) 0\nx Full() 0\n",
    "x deq() 0\nx enq(1) 1\nx deq() 2\nx Ok() 1\n",  /* pending */
    "x deq() 0\nx Ok(?) 0\nx enq(2) 0\nx Ok(?) 0\n", /* not observed */
    "x cas(1, 2) 0\nx Ok(true) 0\nx cas(1, 3) 0\nx Ok(false) 0\n",
    "x put(k, \"a b\") 0\nx Ok() 0\nx get(k) 0\nx Ok(\"a b\") 0\nx get(z) 0\nx Ok(nil) 0\nx get(y) 0\n",
    "x w([1 [2 3] []]) 0\nx Ok([]) 0\nx w(nil) 0\nx Ok(nil) 0\nx w(true, false, nil) 0\nx Ok(empty_word) 0\n",
    "x read() 0\nx Ok(null) 0\nx read() 0\nx Ok(\"empty\") 0\nx read() 0\nx Ok() 0\nx write() 0\nx Ok() 0\n",
    "x add(5) 0\nx Ok(true) 0\nx contains(5) 0\nx Ok(false) 0\nx remove(5) 0\nx Ok() 0\nx insert(1, 2) 0\nx Ok() 0\n",
    "x w(-9223372036854775808) 0\nx Ok(9223372036854775807) 0\nx w(\"\\u0001\\\"\\\\\\n\\t\xff\") 0\n",
    "x \"an op\"(1) 0\nx Ok() 0\nx \"Ok\"(2) 0\nx Ok() 0\nx \"->\"(2) 0\nx Ok() 0\n",
    "x take() 0\nx peek(3) 1\nx Ok([a b]) 1\nx peek(4) 1\n",
    "# @object stack\nx push(1) 0\nx Ok() 0\n",
    "",
};

TEST(formats_round_trips) {
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
    struct history *h = parse("wing-gong", whole[i]);
    for (int f = 0; formats[f]; f++) {
      if (!formats[f]->write) continue;
      size_t n;
      const char *text = written_bytes(h, formats[f]->name, &n);
      struct history *back = parse_bytes(formats[f]->name, text, n);
      bool jepsen = formats[f] == &format_edn || formats[f] == &format_json;
      CHECK(back->ops.count == h->ops.count && back->events == h->events && (!back->echoes || !strstr(whole[i], "Ok")));
      back->object_type = jepsen ? h->object_type : back->object_type; /* has no place there */
      const char *again = written(back, "wing-gong");
      CHECKF(!strcmp(again, whole[i]), "through %s:\n%s\n%sinstead of:\n%s", formats[f]->name, text, again, whole[i]);
    }
  }
}

/* Whatever is read from a sample is the same after writing it in its own format. */
TEST(formats_round_trips_of_samples) {
  for (size_t i = 0; i < sample_count; i++) {
    if (!format_named(samples[i].format)->write) continue;
    size_t n;
    const char *bytes = sample_bytes(i, &n);
    struct history *h = parse_bytes(samples[i].format, bytes, n);
    bytes = written_bytes(h, samples[i].format, &n);
    struct history *back = parse_bytes(samples[i].format, bytes, n);
    CHECK(back->echoes == h->echoes);
    const char *a = written(h, "wing-gong"), *b = written(back, "wing-gong");
    CHECKF(!strcmp(a, b), "%s\ninstead of\n%s", b, a);
  }
}

TEST(formats_column_times_are_kept) {
  const char *text = "# @object stack\npush 1 10 20\npop 1 20 30\npop 20 inf\n";
  CHECK(!strcmp(written(parse("columns", text), "columns"), text));
  text = "7 10 20 ENQ 5\n9 20 25 DEQ 5\n";
  CHECK(!strcmp(written(parse("process-columns", text), "process-columns"), text));
}

TEST(formats_objects_and_processes) {
  const char *two = "p enq(1) A\nq enq(2) B\nq Ok() B\np Ok() A\n";
  struct history *h = parse("wing-gong", two), *back = parse("edn", written(h, "edn"));
  CHECK(!strcmp(written(back, "wing-gong"), "p enq(1) 0\nq enq(2) 1\nq Ok() 1\np Ok() 0\n"));
  struct text t;
  struct problem p;
  text_open(&t, test_memory());
  CHECK(!format_hist.write(h, &t, &p, NULL, NULL));
  CHECKF(!strcmp(p.text, "hist files hold one object, and this history is of 2; wing-gong, edn and json hold several"),
         "%s", p.text);
}

TEST(formats_jepsen_text) {
  struct history *h = parse("wing-gong", "q enq(5) 0\nq Ok() 0\nq deq() 0\nq Empty() 0\n");
  CHECK(!strcmp(written(h, "edn"),
                "{:process 0, :type :invoke, :f :enq, :value 5, :asif/object \"q\"}\n"
                "{:process 0, :type :ok, :f :enq, :value 5, :asif/result :none, :asif/object \"q\"}\n"
                "{:process 0, :type :invoke, :f :deq, :value nil, :asif/object \"q\"}\n"
                "{:process 0, :type :ok, :f :deq, :value nil, :asif/result :empty, :asif/object \"q\"}\n"));
  CHECK(!strcmp(written(parse("wing-gong", "x cas(1, 2) 0\n"), "json"),
                "{\"process\": 0, \"type\": \"invoke\", \"f\": \"cas\", \"value\": [1, 2], \"asif/args\": [1, 2]}\n"));
}

/* --- files --- */

static const char *in_folder(const char *name) {
  static char folder[64], path[2][200];
  static int which;
  if (!*folder) {
    snprintf(folder, sizeof folder, "/tmp/asif-formats-XXXXXX");
    CHECK(mkdtemp(folder));
  }
  which = !which;
  snprintf(path[which], sizeof path[which], "%s/%s", folder, name);
  return path[which];
}

static void clean_up(const char *const *names) {
  for (; *names; names++) unlink(in_folder(*names));
  char *slash = strrchr((char *)(uintptr_t)in_folder(""), '/');
  *slash = 0;
  CHECK(!rmdir(slash - strlen("/tmp/asif-formats-XXXXXX"))); /* nothing else was left there */
}

static struct history *long_history(int n) {
  struct text t;
  text_open(&t, test_memory());
  for (int i = 0; i < n; i++) text_printf(&t, "q enq(%d) P%d\nq Ok() P%d\n", i * 7919 % 1000003, i % 5, i % 5);
  return parse("wing-gong", text_string(&t));
}

static size_t file_size(const char *path) {
  struct stat st;
  CHECKF(!stat(path, &st), "%s: %s", path, strerror(errno));
  return (size_t)st.st_size;
}

static bool built_without(const char *message) { return strstr(message, "this build cannot") != NULL; }

static void compressed(const char *name, const char *cut_off, const char *damaged) {
  struct problem p;
  struct history *h = long_history(20000);
  const char *path = in_folder(name);
  if (!history_write(h, path, &format_wing_gong, &p)) {
    if (built_without(p.text)) clean_up((const char *const[]){NULL}), test_skip(p.text);
    CHECKF(false, "%s", p.text);
  }
  CHECK(file_size(path) < strlen(written(h, "wing-gong")) / 2);
  struct history *back = history_read(test_memory(), path, NULL, &p);
  CHECKF(back, "%s", p.text);
  CHECK(!strcmp(written(h, "wing-gong"), written(back, "wing-gong")));

  /* Two one after the other are read as one. */
  size_t n = file_size(path);
  char *bytes = mem_alloc(test_memory(), 2 * n), expected[300];
  int f = open(path, O_RDWR);
  CHECK(f >= 0 && read(f, bytes, n) == (ssize_t)n && write(f, bytes, n) == (ssize_t)n);
  CHECK((back = history_read(test_memory(), path, NULL, &p)) && back->ops.count == 2 * h->ops.count);

  CHECK(!ftruncate(f, (off_t)(n / 2)));
  CHECK(!history_read(test_memory(), path, NULL, &p));
  snprintf(expected, sizeof expected, "%s: %s", path, cut_off);
  CHECKF(!strcmp(p.text, expected), "%s", p.text);

  bytes[n - 4] ^= 1; /* in gzip's length, in zstd's checksum */
  CHECK(!ftruncate(f, 0) && pwrite(f, bytes, n, 0) == (ssize_t)n);
  CHECK(!history_read(test_memory(), path, NULL, &p));
  snprintf(expected, sizeof expected, "%s: %s", path, damaged);
  CHECKF(!strncmp(p.text, expected, strlen(expected)), "%s", p.text);
  close(f);
  clean_up((const char *const[]){name, NULL});
}

TEST(formats_gzip) {
  compressed("h.txt.gz", "the gzip data ends too early: the file is cut off", "the gzip data is damaged");
}
TEST(formats_zstd) {
  compressed("h.txt.zst", "the zstd data ends too early: the file is cut off", "the zstd data is damaged");
}

TEST(formats_files) {
  struct problem p;
  struct history *h = long_history(20000);
  const char *path = in_folder("h.edn");
  CHECKF(history_write(h, path, &format_edn, &p), "%s", p.text);
  struct history *back = history_read(test_memory(), path, NULL, &p);
  CHECKF(back && !strcmp(back->format, "edn"), "%s", p.text);
  CHECK(!strcmp(written(h, "edn"), written(back, "edn")));

  /* What cannot be written leaves what was there. */
  struct history *two = parse("wing-gong", "p a(1) 0\nq a(1) 1\n");
  size_t size = file_size(path);
  CHECK(!history_write(two, path, &format_hist, &p));
  CHECK(file_size(path) == size);
  CHECK(!history_write(h, path, &format_jepsen_log, &p) && strstr(p.text, "reads but does not write"));
  clean_up((const char *const[]){"h.edn", NULL});
}

TEST(formats_files_that_fail) {
  struct problem p;
  struct mem *m = test_memory();
  struct history *h = long_history(20000);
  CHECK(!history_read(m, "/nonexistent/h", NULL, &p));
  CHECKF(!strcmp(p.text, "/nonexistent/h: cannot be opened: No such file or directory"), "%s", p.text);
  CHECK(!history_read(m, "/tmp", NULL, &p));
  CHECKF(!strcmp(p.text, "/tmp: cannot be read: Is a directory"), "%s", p.text);
  CHECK(!history_write(h, "/nonexistent/h", &format_edn, &p));
  CHECKF(!strcmp(p.text, "/nonexistent/h: cannot be created: No such file or directory"), "%s", p.text);
  if (!access("/dev/full", W_OK)) {
    CHECK(!history_write(h, "/dev/full", &format_edn, &p));
    CHECKF(!strcmp(p.text, "/dev/full: cannot be written: No space left on device"), "%s", p.text);
  }
  int pipe_ends[2], saved = dup(STDOUT_FILENO);
  CHECK(!pipe(pipe_ends) && !close(pipe_ends[0]));
  signal(SIGPIPE, SIG_IGN);
  fflush(stdout);
  dup2(pipe_ends[1], STDOUT_FILENO);
  bool good = history_write(h, "-", &format_edn, &p);
  int why = errno;
  dup2(saved, STDOUT_FILENO);
  CHECK(!good && why == EPIPE);
  CHECKF(!strcmp(p.text, "<stdout>: cannot be written: the reader closed the pipe"), "%s", p.text);
}

/* A pipe that gives a byte at a time is no different from a file. */
TEST(formats_standard_input) {
  int ends[2];
  CHECK(!pipe(ends));
  pid_t child = fork();
  if (!child) {
    const char *s = samples[0].text;
    for (; *s; s++) CHECK(write(ends[1], s, 1) == 1);
    _exit(0);
  }
  close(ends[1]);
  dup2(ends[0], STDIN_FILENO);
  struct problem p;
  struct history *h = history_read(test_memory(), "-", NULL, &p);
  CHECKF(h, "%s", p.text);
  CHECK(!strcmp(h->source, "<stdin>") &&
        !strcmp(written(h, "wing-gong"), written(parse(NULL, samples[0].text), "wing-gong")));
}
