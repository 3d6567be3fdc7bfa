/* Formats: what cannot be read is refused with the place, what is wrong, and what would be right. */
#include <sys/resource.h>

#include "formats.h"

TEST(formats_bad_wing_gong) {
  const char *f = "wing-gong";
  REFUSED(f, "q Ok() A\n", "1:8: process A returns, but has not called");
  REFUSED(f, "q Empty() P3\n", "1:11: process P3 returns, but has not called");
  REFUSED(f, "q Enq(1) P3\nq  Enq(2)  P3 * again\n", "2:12: process P3 calls while its earlier call has not returned");
  REFUSED(f, "q Enq(1) A\np Ok() A\n", "2:8: process A returns from another object than it called");
  REFUSED(f, "q Enq(1) A\nq Info() A\nq Enq(2) A\n",
          "3:10: process A calls again, but an earlier operation of it ended with unknown outcome, and may still be "
          "under way: what follows needs a process of another name");
  REFUSED(f, "q Info() A\n", "1:10: process A ends with unknown outcome, but has not called");
  REFUSED(f, "hello world\n", "1:12: '(' should follow the operation's name, as in `q Enq(5) A`");
  REFUSED(f, "q\n", "1:2: an operation, as in `q Enq(5) A`, is missing here");
  REFUSED(f, "q Enq(1", "1:8: the line ends inside the parentheses: ')' is missing");
  REFUSED(f, "q Enq(1)\n", "1:9: the process is missing, as in `q Enq(5) A`");
  REFUSED(f, "q Enq(1) * A\n", "1:10: the process is missing, as in `q Enq(5) A`");
  REFUSED(f, "q Enq(1 2 3 4) A\n", "1:13: more than 3 values in the parentheses; put them in a list: [1 2 3 4]");
  REFUSED(f, "q Enq(\"abc) A\n", "1:7: the string that starts here has no closing quote: is it cut off?");
  REFUSED(f, "q Enq([1 2) A\n", "1:11: ')' does not close what was opened at 1:7; ']' would");
  REFUSED(f, "q Enq([1 2", "1:11: ends inside what was opened at 1:7; ']' is missing: is it cut off?");
  REFUSED(f, "q Enq(\"\\q\") A\n",
          "1:8: a backslash before 'q' in a string means nothing; a backslash itself is written \\\\");
  REFUSED(f, "q Enq(\"\\u12\") A\n", "1:8: \\u wants four hexadecimal digits, as in \\u00e9");
  REFUSED(f, "q Enq(1) A B\n", "1:12: 'B' after the event; a comment begins with '*'");
  REFUSED(f, "q Enq(1) \"\"\n", "1:10: the process should be a name, not an empty text or one with a NUL");
  REFUSED(f, "(q) Enq(1) A\n", "1:1: an event, `q Enq(5) A`, is missing here");
  REFUSED(f, "q Enq(1) A\n\n/* never\nclosed\n", "3: the comment opened here is not closed by */");
  REFUSED_BYTES(f, "q E\0nq(1) A\n", "1:4: '(' should follow the operation's name, as in `q Enq(5) A`");
  REFUSED_BYTES(f, "q Enq(\0) A\n", "1:7: byte 0x00 where a value should be");
  REFUSED_BYTES(f, "q Enq(\"\0\") A\n", "1:8: byte 0x00, which no history holds");
  REFUSED_BYTES(f, "q Enq(1) A\0\n", "1:11: byte 0x00 after the event; a comment begins with '*'");
  /* A comment that runs on must not swallow an event. */
  REFUSED(f, "q Enq(1) A * so\n  q Enq(2) A\n", "2:12: process A calls while its earlier call has not returned");
}

TEST(formats_bad_edn) {
  const char *f = "edn";
  REFUSED(f, "{:type :ok, :process 7}\n", "1:1: process 7 returns, but has not called");
  REFUSED(f, "{:type :info, :process 7}\n", "1:1: process 7 ends with unknown outcome, but has not called");
  REFUSED(f, "{:type :fail, :process 7}\n", "1:1: process 7 fails, but has not called");
  REFUSED(f, "[{:type :invoke :f :r :process 7}\n  {:type :invoke :f :r :process 7}]\n",
          "2:3: process 7 calls while its earlier call has not returned");
  REFUSED(f, "{:type :invoke :f :r :process 7}\n{:type :info :process 7}\n{:type :invoke :f :r :process 7}",
          "3:1: process 7 calls again, but an earlier operation of it ended with unknown outcome, and may still be "
          "under way: what follows needs a process of another name");
  REFUSED(f, "{:type :invoke :f :r}",
          "1:1: the event has no process; its keys are process, type, f and value; where they are missing, give each "
          "client a number of its own");
  REFUSED(f, "{:f :r :process 1}", "1:1: the event has no type, which is invoke, ok, fail or info");
  REFUSED(f, "{:type :invoke :process 1}", "1:1: the event has no f, the operation's name");
  REFUSED(f, "{:process 1\n :type :started}",
          "2:8: the type of an event is invoke, ok, fail or info (outcome unknown), not started");
  REFUSED(f, "{:type :invoke :f :r", "1:21: ends inside what was opened at 1:1; '}' is missing: is it cut off?");
  REFUSED(f, "[{:type :invoke :f :r :process 1}\n",
          "2:1: ends inside what was opened at 1:1; ']' is missing: is it cut off?");
  REFUSED(f, "{:type :invoke :f \"r", "1:19: the string that starts here has no closing quote: is it cut off?");
  REFUSED(f, "{:a \"one\ntwo\" :type [1 2}", "2:12: '[' where a name should be");
  REFUSED(f, "{:a\n [1 (2]}", "2:7: ']' does not close what was opened at 2:5; ')' would");
  REFUSED(f, "{:value {:a}}", "1:12: this key has no value");
  REFUSED(f, "{:type", "1:7: ends where a value should be: is it cut off?");
  REFUSED(f, "{:type}", "1:7: '}' where a value should be");
  REFUSED(f, "[1]", "1:2: '1' where the '{' of an event should be");
  REFUSED(f, "{:process 1 :type :invoke :f \"\"}", "1:30: a name should be here, not an empty text or one with a NUL");
  REFUSED(f, "{:process :a :type :info}",
          " no event is a client's; those of the nemesis, and of processes that have nothing but :info, are skipped");
  REFUSED_BYTES(f, "{:val\0ue 1}", "1:6: byte 0x00, which no history holds");
  REFUSED_BYTES(f, "{:value \"\0\"}", "1:10: byte 0x00, which no history holds");
  REFUSED(f, "{:value \"a\\xb\"}",
          "1:11: a backslash before 'x' in a string means nothing; a backslash itself is written \\\\");
  REFUSED(f, "}", "1:1: '}' where the '{' of an event should be");
  REFUSED(f, "{:a #", "1:6: ends after '#'");
  REFUSED(f, "{:value \\", "1:9: ends after a backslash");
}

TEST(formats_bad_json) {
  const char *f = "json";
  REFUSED(f, "[{\"type\":\"ok\",\"process\":7}]", "1:2: process 7 returns, but has not called");
  REFUSED(f, "{\"type\" \"ok\"}", "1:9: ':' should follow the key");
  REFUSED(f, "{\"value\":{\"a\" 1}}", "1:15: ':' should follow the key");
  REFUSED(f, "{\"value\": nul}", "1:11: nul is no JSON value; a text wants quotes");
  REFUSED(f, "[{\"type\":\"invoke\",\"f\":\"r\",\"process\":1},\n",
          "2:1: ends inside what was opened at 1:1; ']' is missing: is it cut off?");
  REFUSED(f, "{\"type\":\"invo", "1:9: the string that starts here has no closing quote: is it cut off?");
  REFUSED(f, "{\"process\":1,\"type\":\"x\"}",
          "1:21: the type of an event is invoke, ok, fail or info (outcome unknown), not x");
}

TEST(formats_bad_jepsen_log) {
  const char *f = "jepsen-log";
  REFUSED(f, "noise\nINFO  jepsen.util - 3\t:ok\t:read\t1\n", "2:21: process 3 returns, but has not called");
  REFUSED(f, "INFO  jepsen.util - 3\t:invoke\t:cas\t[1 2\n",
          "1:40: ends inside what was opened at 1:36; ']' is missing: is it cut off?");
}

TEST(formats_bad_hist) {
  const char *f = "hist";
  REFUSED(f, "call push 1\n", "1:1: an event begins with its thread in brackets, as in `[1] call push(2)`");
  REFUSED(f, "[] call push 1\n", "1:2: the thread, as in `[1] call push(2)`, is missing here");
  REFUSED(f, "[1 call push 1\n", "1:4: ']' should follow the thread, as in `[1] call push(2)`");
  REFUSED(f, "[1] push 1\n", "1:5: `call` or `return` should follow, as in `[1] call push(2)` or `[1] return`");
  REFUSED(f, "[1] call\n", "1:9: the operation's name is missing here");
  REFUSED(f, "[1] call push(1\n", "1:16: the line ends inside the parentheses: ')' is missing");
  REFUSED(f, "[1] call push(1) 2\n", "1:18: '2' after the event; a comment begins with '#'");
  REFUSED(f, "[1] call push 1 2 3 4\n", "1:21: more than 3 values; put them in a list: [1 2 3 4]");
  REFUSED(f, "# @object s\n[1] return\n", "2:1: process 1 returns, but has not called");
  REFUSED(f, "[1] call pop\n[1] call pop\n", "2:1: process 1 calls while its earlier call has not returned");
}

TEST(formats_bad_columns) {
  const char *f = "columns";
  REFUSED(f, "push 1\n", "1:7: too few columns; they are method, value, start and end, as in `push 1 10 20`");
  REFUSED(f, "push 1 x 2\n", "1:8: the start time should be a whole number, not 'x'");
  REFUSED(f, "push 1 1 2.5\n", "1:10: the end time should be a whole number, not '2.5'");
  REFUSED(f, "push 1 20 10\n", "1:8: the operation ends before it starts");
  REFUSED(f, "push 1 1 9223372036854775808\n",
          "1:10: the end time should be a whole number, not '9223372036854775808'");
  REFUSED(f, "push 1 1 9223372036854775807\n", "1:10: the end time is too large; a pending operation ends in `inf`");
  REFUSED(f, "put 1 2 3 4 10 20\n", "1:11: more than 3 arguments");
  REFUSED(f, "put 1 2 3 4 5 6 7 8 9 10\n", "1:23: more than 10 columns");
  REFUSED(f, "push(1) 1 2\n", "1:5: '(' inside the method's name");
  REFUSED(f, "push a(b 1 2\n", "1:7: '(' inside a value; a text with such bytes wants quotes");
  REFUSED(f, "push [1 1 2\n", "1:12: ends inside what was opened at 1:6; ']' is missing: is it cut off?");
  REFUSED_BYTES(f, "push 1\0 1 2\n", "1:7: byte 0x00, which no history holds");
}

TEST(formats_bad_process_columns) {
  const char *f = "process-columns";
  REFUSED(f, "0 1 2\n", "1:6: too few columns; they are process, start, end, method and value, as in `0 10 20 ENQ 5`");
  REFUSED(f, "0 1 5 ENQ 1\n0 4 6 ENQ 2\n", "2:1: process 0 calls while its earlier call, on line 1, has not returned");
  REFUSED(f, "0 6 7 ENQ 1\n0 1 inf ENQ 2\n",
          "1:1: process 0 calls while its earlier call, on line 2, has not returned");
  REFUSED(f, "(0) 1 5 ENQ 1\n", "1:1: the process is missing here");
  REFUSED(f, "0 5 1 ENQ 1\n", "1:3: the operation ends before it starts");
}

TEST(formats_bad_unknown) {
  REFUSED(NULL, "", " is empty; it holds no history");
  REFUSED_BYTES(NULL, "\x01\x02\x00\x03",
                " is in no format Asif knows; `asif convert --help` lists them, and --map reads logs in JSON, CSV, TSV "
                "and logfmt");
}

/* --- sizes --- */

static char *repeated(const char *s, size_t times, const char *before, const char *after) {
  size_t n = strlen(s), b = strlen(before), a = strlen(after);
  char *p = mem_alloc(test_memory(), b + n * times + a + 1);
  memcpy(p, before, b);
  for (size_t i = 0; i < times; i++) memcpy(p + b + i * n, s, n);
  memcpy(p + b + n * times, after, a + 1);
  return p;
}

static void refused_once(const char *format, const char *text, size_t chunk, const char *message) {
  struct problem p;
  CHECK(!parse_chunks(format, text, strlen(text), chunk, &p));
  CHECKF(!strcmp(p.text, message), "%s\ninstead of:\n%s", p.text, message);
}

TEST(formats_bad_deep_nesting) {
  char *deep = repeated("[", 10000, "{:process 0 :type :invoke :f :w :value ", "");
  refused_once("edn", deep, 0, "h:1:240: nested more than 200 deep, which is the limit");
  deep = repeated("[", 10000, "{:process 0 :type :invoke :f :w :error ", "");
  refused_once("edn", deep, 0, "h:1:240: nested more than 200 deep, which is the limit");
  deep = repeated("#_ ", 1000000, "", "");
  refused_once("edn", deep, 0, "h:1:601: nested more than 200 deep, which is the limit");
  deep = repeated("#a ", 1000000, "{:f ", "");
  CHECK(!parse_chunks("edn", deep, strlen(deep), 0, &(struct problem){0}));
  deep = repeated("[", 10000, "q Enq(", ") A\n");
  refused_once("wing-gong", deep, 0, "h:1:207: nested more than 200 deep, which is the limit");
  struct problem p;
  char *allowed = repeated("[", 200, "q Enq(", "");
  allowed = repeated("]", 200, allowed, ") A\n");
  CHECKF(parse_chunks("wing-gong", allowed, strlen(allowed), 0, &p), "%s", p.text);
}

/* A line or a string without an end: refused at 16 MiB, in bounded memory, at any size of the input. */
TEST(formats_bad_long_line) {
  size_t size = 20u << 20;
  char *line = repeated("x", size, "q Enq(", "");
  size_t before = test_memory()->used;
  refused_once("wing-gong", line, 0,
               "h:1:1: longer than 16777216 bytes without an end; a line or a value must be shorter");
  line[6] = '"';
  line[0] = '{';
  refused_once("edn", line + 6, 0, "h:1:1: '\"' where the '{' of an event should be");
  char *text = repeated("x", size, "{:process 0\n:f \"", "");
  refused_once("edn", text, 0, "h:2:4: longer than 16777216 bytes without an end; a line or a value must be shorter");
  CHECK(test_memory()->used - before - size < (80u << 20));
}

/* Every beginning of every sample: read or refused, with the place; never anything else. */
TEST(formats_bad_cut_off_anywhere) {
  for (size_t i = 0; i < sample_count; i++) {
    size_t n;
    const char *bytes = sample_bytes(i, &n);
    for (size_t cut = 0; cut < n; cut++)
      for (size_t chunk = 0; chunk < 8; chunk += 7) {
        struct problem p = {.text = ""};
        struct history *h = parse_chunks(samples[i].format, bytes, cut, chunk, &p);
        if (!h)
          CHECKF(!strncmp(p.text, "h:", 2) && strlen(p.text) > 10, "%s cut at %zu: %s", samples[i].format, cut, p.text);
      }
  }
}

/* And with any byte of it changed to any of some that matter. */
TEST(formats_bad_byte_anywhere) {
  static const char bytes[] = "\0\"[]{}()#;:\\\n,-* \xff";
  for (size_t i = 0; i < sample_count; i++) {
    size_t n;
    const char *sample = sample_bytes(i, &n);
    char *copy = mem_alloc(test_memory(), n + 1);
    for (size_t at = 0; at < n; at++)
      for (size_t b = 0; b < sizeof bytes - 1; b++) {
        struct problem p = {.text = ""};
        memcpy(copy, sample, n + 1);
        copy[at] = bytes[b];
        struct history *h = parse_chunks(samples[i].format, copy, n, 0, &p);
        CHECK(h || (!strncmp(p.text, "h:", 2) && strlen(p.text) > 10));
      }
  }
}

/* Reading stops at the memory limit, and lets go of what it holds. */
TEST(formats_memory_limit) {
  struct limits l;
  struct mem m;
  struct problem p;
  limits_start(&l, 0, 3 << 20);
  mem_open(&m, &l);
  char *lines = repeated("q a(1) 0\nq Ok() 0\n", 200000, "", "");
  if (!MEM_GUARD(&m)) {
    struct input in;
    input_from_bytes(&in, &m, "h", lines, strlen(lines));
    history_read_input(&in, &format_wing_gong, &p);
    CHECK(!"the limit was not seen");
  }
  CHECK(l.reached == LIMIT_MEMORY && m.used <= 3 << 20);
  mem_close(&m);
  CHECK(l.used == 0);
}
