/* Helpers of the tests of formats: see formats.h. */
#include "formats.h"

struct mem *test_memory(void) {
  static struct mem m;
  static struct limits l;
  if (!l.started) {
    limits_start(&l, 0, 0);
    mem_open(&m, &l);
    if (MEM_GUARD(&m)) test_fail(__FILE__, __LINE__, "out of memory");
  }
  return &m;
}

struct history *parse_chunks(const char *format, const char *text, size_t len, size_t chunk, struct problem *p) {
  struct input in;
  input_from_bytes(&in, test_memory(), "h", text, len);
  if (chunk) in.chunk = chunk;
  return history_read_rest(&in, format ? format_named(format) : NULL, p);
}

struct history *parse_bytes(const char *format, const char *bytes, size_t count) {
  struct problem p;
  struct history *h = parse_chunks(format, bytes, count, 0, &p);
  CHECKF(h, "%s\nin: %s", p.text, bytes);
  return h;
}

struct history *parse(const char *format, const char *text) {
  return parse_bytes(format, text, strlen(text));
}

static bool keep(struct text *t, void *unused) { return (void)t, (void)unused, true; }

const char *written_bytes(const struct history *h, const char *format, size_t *count) {
  struct text t;
  struct problem p;
  text_open(&t, test_memory());
  CHECKF(format_named(format)->write(h, &t, &p, keep, NULL), "%s", p.text);
  *count = t.count;
  return text_string(&t);
}

const char *written(const struct history *h, const char *format) {
  size_t count;
  return written_bytes(h, format, &count);
}

static const size_t chunks[] = {0, 1, 2, 3, 5, 7, 13};
enum { CHUNKS = sizeof chunks / sizeof *chunks };

void reads_as(const char *file, int line, const char *format, const char *text, const char *lines) {
  for (int i = 0; i < CHUNKS; i++) {
    struct problem p;
    struct history *h = parse_chunks(format, text, strlen(text), chunks[i], &p);
    if (!h)
      fprintf(stderr, "read %zu bytes at a time:\n%s\nis refused: %s\n", chunks[i], text, p.text),
          test_fail(file, line, "refused");
    const char *got = written(h, "wing-gong");
    if (strcmp(got, lines)) {
      fprintf(stderr, "read %zu bytes at a time:\n%s\nis read as:\n%s\ninstead of:\n%s", chunks[i], text, got, lines);
      test_fail(file, line, "read wrongly");
    }
  }
}

void refused(const char *file, int line, const char *format, const char *text, size_t len, const char *message) {
  for (int i = 0; i < CHUNKS; i++) {
    struct problem p;
    if (parse_chunks(format, text, len, chunks[i], &p))
      fprintf(stderr, "%s\n", text), test_fail(file, line, "accepted");
    if (strncmp(p.text, "h:", 2) || strcmp(p.text + 2, message)) {
      fprintf(stderr, "read %zu bytes at a time:\n%s\nis refused with:\n%s\ninstead of:\nh:%s\n", chunks[i], text,
              p.text, message);
      test_fail(file, line, "another message");
    }
  }
}

const struct sample samples[] = {
    {"wing-gong",
     "# @object queue\n/* a queue */ * from a run,\n  of two processes\nx enq(5) 0\nx enq(\"a \\\"b\\\"\") 1 * both\n\n"
     "x Ok() 0\nx Ok() 1\nx deq() 0\nx Ok([1 -2 [c]]) 0\nx deq() 0\nx Empty() 0\nx put(k, nil, 7) 1\n"},
    {"edn", "; a run\n[{:type :invoke, :f :enq, :value 5, :process 0, :index 0}\n"
            "#jepsen.history.Op{:type :ok :f :enq :value 5 :process 0, :extra {:a [1 #{2}] \"s]\" \\} }}\n"
            "{:process :nemesis, :type :info, :f :start, :value #uuid \"x\"} #_{:type :bad}\n"
            "{:process 1 :type :invoke :f :cas :value [0 3]}{:process 1 :type :info :f :cas :value :timed-out}]\n"},
    {"json",
     "[{\"type\": \"invoke\", \"f\": \"enq\", \"value\": 5, \"process\": 0, \"error\": null},\n"
     " {\"type\":\"ok\",\"f\":\"enq\",\"value\":5,\"process\":0,\"more\":{\"a\":[1,{\"b\":\"\\u00e9\\\"}\"}]}},\n"
     " {\"process\":\"nemesis\",\"type\":\"info\",\"f\":\"start\"}]\n"},
    {"jepsen-log",
     "INFO  jepsen.core - Worker 0 starting\nINFO  jepsen.util - 4\t:invoke\t:cas\t[0 3]\n"
     "INFO  jepsen.util - :nemesis\t:info\t:start\tnil\nINFO  jepsen.util - 4\t:ok\t:cas\t[0 3]\n---> HTTP\n"},
    {"hist", "# @object atomic-stack\n[1] call push(c)\n[2] call push 1\n[1] return\n[2] return\n[2] call pop\n[2] "
             "return empty\n"},
    {"columns", "# stack\npush 1 10 20\npush 2 20 30\npop 1 25 40\npop empty 41 42\npop 50 inf\n"},
    {"process-columns", "# queue\n0 1 5 ENQ 10\n1 2 6 DEQ 10\n1 7 8 DEQ EMPTY\n2 9 inf ENQ 11\n"},
    {"recording", NULL},
};
const size_t sample_count = sizeof samples / sizeof *samples;

const char *sample_bytes(size_t i, size_t *count) {
  if (!samples[i].text) return written_bytes(parse(samples[0].format, samples[0].text), samples[i].format, count);
  *count = strlen(samples[i].text);
  return samples[i].text;
}
