/* Recordings, the binary format: what is in them, where they are cut off, and what is refused. */
#include "formats.h"
#include "history/recording.h"

struct bytes {
  unsigned char at[4096];
  size_t count;
};

static void put(struct bytes *b, const void *bytes, size_t n) {
  CHECK(b->count + n <= sizeof b->at);
  memcpy(b->at + b->count, bytes, n);
  b->count += n;
}

static void put_block(struct bytes *b, char kind, const void *bytes, size_t n) {
  unsigned char head[RECORDING_HEAD];
  recording_head(head, kind, bytes, n);
  put(b, head, sizeof head);
  put(b, bytes, n);
}
#define BLOCK(b, kind, text) put_block(b, kind, text, sizeof(text) - 1)
#define NAMES                "P\1AP\2BBO\1q\3enqO\1q\3deqT\5queue"

static struct bytes begun(void) {
  struct bytes b = {.count = 0};
  put(&b, RECORDING_MAGIC, RECORDING_MAGIC_SIZE);
  return b;
}

static void reads(const struct bytes *b, const char *lines) {
  for (size_t chunk = 0; chunk < 8; chunk += 7) {
    struct problem p;
    struct history *h = parse_chunks(NULL, (const char *)b->at, b->count, chunk, &p);
    CHECKF(h, "%s", p.text);
    CHECKF(!strcmp(written(h, "wing-gong"), lines), "%s", written(h, "wing-gong"));
  }
}

static void refuses(const struct bytes *b, const char *message) {
  for (size_t chunk = 0; chunk < 8; chunk += 7) {
    struct problem p;
    CHECK(!parse_chunks("recording", (const char *)b->at, b->count, chunk, &p));
    CHECKF(!strcmp(p.text, message), "%s", p.text);
  }
}

TEST(recording_as_documented) {
  struct bytes b = begun();
  BLOCK(&b, 'N', NAMES);
  BLOCK(&b, 'E',
        "\x04\x00\x14"   /* A: call, one argument; operation 0; 5 */
        "\x10\x01"       /* BB: call; operation 1 */
        "\x05"           /* A: return, none */
        "\x11\x14"       /* BB: return, 5 */
        "\x00\x01\x09"); /* A: call of 1; return, empty */
  BLOCK(&b, 'Z', "\x06");
  reads(&b, "# @object queue\nq enq(5) A\nq deq() BB\nq Ok() A\nq Ok(5) BB\nq deq() A\nq Empty() A\n");
}

TEST(recording_values) {
  struct bytes b = begun();
  BLOCK(&b, 'N', "P\1AO\1x\1w");
  BLOCK(&b, 'E',
        "\x0c\x00\x02\xfe\xff\xff\xff\x1f\x0f\x00\x00\x00\x00\x00\x00\x00\x80" /* -1, -(2^31), -(2^63) */
        "\x01\x13\x03\x11\x02hi\x13\x00\x05"                                   /* [hi [] true] */
        "\x04\x00\xf0\x01"                                                     /* 60 */
        "\x0d");                                                               /* true */
  reads(&b, "x w(-1, -2147483648, -9223372036854775808) A\nx Ok([hi [] true]) A\nx w(60) A\nx Ok(true) A\n");
}

/* As a program leaves it that ends in the middle: whole blocks count, and what has not returned is pending. */
TEST(recording_cut_off) {
  struct bytes b = begun();
  BLOCK(&b, 'N', NAMES);
  BLOCK(&b, 'E', "\x04\x00\x14\x05\x10\x01");
  size_t whole = b.count;
  BLOCK(&b, 'E', "\x11\x14");
  for (; b.count > whole; b.count--)
    if (b.count < whole + RECORDING_HEAD + 2) reads(&b, "# @object queue\nq enq(5) A\nq Ok() A\nq deq() BB\n");
  b.count = RECORDING_MAGIC_SIZE;
  reads(&b, "");
}

TEST(recording_fail_and_info) {
  struct bytes b = begun();
  BLOCK(&b, 'N', NAMES);
  BLOCK(&b, 'E', "\x04\x00\x14\x02\x10\x01\x13\x04\x00\x18\x05");
  BLOCK(&b, 'Z', "\x06");
  reads(&b, "# @object queue\nq deq() BB\nq enq(6) A\nq Ok() A\n");
}

static void refuses_events(const char *events, size_t n, const char *message) {
  struct bytes b = begun();
  BLOCK(&b, 'N', NAMES);
  put_block(&b, 'E', events, n);
  refuses(&b, message);
}
#define REFUSES(events, message) refuses_events(events, sizeof(events) - 1, message)

TEST(recording_refused) {
  REFUSES("\x04\x00", "h: byte 62, in block 2: the block ends within a number");
  REFUSES("\x00\x02", "h: byte 62, in block 2: operation 2 has no name");
  REFUSES("\x20\x00", "h: byte 61, in block 2: process 2 has no name");
  REFUSES("\xf0\x90\x4e\x00", "h: byte 63, in block 2: process 10000 has no name");
  REFUSES("\x05", "h: byte 61, in block 2: process A returns, but has not called");
  REFUSES("\x00\x01\x00\x01", "h: byte 64, in block 2: process A calls while its earlier call has not returned");
  REFUSES("\x04\x00\x01", "h: byte 63, in block 2: an argument is no value");
  REFUSES("\x04\x00\x15", "h: byte 63, in block 2: a value is of kind 10, which is none");
  REFUSES("\x04\x00\x11\x09hi", "h: byte 64, in block 2: a text of 9 bytes does not fit its block");
  REFUSES("\x04\x00\x13\x70", "h: byte 64, in block 2: a list of 112 values does not fit its block");
  REFUSES("\x04\x00\x0f\x01", "h: byte 63, in block 2: the block ends within an integer");
  REFUSES("\x04\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "h: byte 72, in block 2: a number has more than 64 bits");
}

TEST(recording_blocks_refused) {
  struct bytes b = begun();
  b.at[RECORDING_MAGIC_SIZE - 1] = 2;
  refuses(&b, "h: is a recording of version 2; this Asif reads version 1");
  b = begun();
  b.at[3] = 'x';
  refuses(&b, "h: is no recording: it does not begin as one");
  b = begun();
  BLOCK(&b, 'N', NAMES);
  b.at[30] ^= 1;
  refuses(&b, "h: byte 8, in block 1: the block is damaged");
  b = begun();
  BLOCK(&b, 'N', "P");
  refuses(&b, "h: byte 21, in block 1: the block ends within a number");
  b = begun();
  BLOCK(&b, 'N', "P\0");
  refuses(&b, "h: byte 22, in block 1: a process has no name");
  b = begun();
  BLOCK(&b, 'N', "O\1q\2a\0");
  refuses(&b, "h: byte 26, in block 1: the name of an operation has a zero byte");
  b = begun();
  BLOCK(&b, 'N', "T\7a queue");
  refuses(&b, "h: byte 29, in block 1: the object's type is a word, and this has byte 0x20 in it");
  b = begun();
  BLOCK(&b, 'N', "X");
  refuses(&b, "h: byte 20, in block 1: 'X' begins no name: P, O or T would");
  b = begun();
  BLOCK(&b, 'Q', "X");
  refuses(&b, "h: byte 20, in block 1: a block of an unknown kind");
  b = begun();
  BLOCK(&b, 'Z', "\x04");
  refuses(&b, "h: byte 21, in block 1: the recording has 0 events, and says that it has 4");
  b = begun();
  BLOCK(&b, 'Z', "\x00");
  BLOCK(&b, 'N', NAMES);
  refuses(&b, "h: byte 33, in block 2: something follows the end of the recording");
  b = begun();
  BLOCK(&b, 'N', NAMES);
  b.at[7 + 8] = 0x7f; /* of its length */
  refuses(&b, "h: byte 8, in block 1: no block begins here");
}

static bool keep(struct text *t, void *unused) { return (void)t, (void)unused, true; }

/* Large histories have many blocks, and events that fit no block are refused where they are written. */
TEST(recording_large) {
  struct text t;
  text_open(&t, test_memory());
  for (int i = 0; i < 100000; i++)
    text_printf(&t, "q%d enq(%d) P%d\nq%d Ok() P%d\n", i % 40, i * 7919, i % 300, i % 40, i % 300);
  struct history *h = parse("wing-gong", text_string(&t));
  size_t n;
  const char *bytes = written_bytes(h, "recording", &n);
  CHECKF(n < 1200000, "%zu", n);
  CHECK(!strcmp(written(parse_bytes(NULL, bytes, n), "wing-gong"), text_string(&t)));
  char *wide = mem_alloc(test_memory(), 3 << 20);
  memset(wide, 'a', 3 << 20);
  wide[(3 << 20) - 1] = 0;
  for (int half = 0; half < 2; half++) {
    struct problem p;
    struct text out;
    text_clear(&t);
    text_printf(&t, "q enq(1) A\nq Ok() A\nq enq(%s) A\n", half ? wide + (2 << 20) + 100 : wide);
    text_open(&out, test_memory());
    h = parse("wing-gong", text_string(&t));
    CHECK(format_recording.write(h, &out, &p, keep, NULL) == half);
    if (half) CHECK(!strcmp(written(parse_bytes(NULL, out.at, out.count), "wing-gong"), text_string(&t)));
    if (!half) CHECKF(strstr(p.text, "recordings hold events of up to 1048576 bytes"), "%s", p.text);
  }
}
