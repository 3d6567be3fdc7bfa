/* Fuzzing the readers: any bytes are read or refused, in bounded memory; and what was read can be written in every
 * format and read again, as the same history.
 *
 * The first byte chooses the format (its low three bits; 7 is by content, which is how recordings are read) and how
 * many bytes arrive at a time. The rest is the file. `make fuzz` builds it with libFuzzer; tests/test_fuzz.c runs it
 * over the corpus, so that what was once found stays found. */
#include <stdlib.h>
#include <string.h>

#include "history/format.h"
#include "history/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool keep(struct text *t, void *unused) { return (void)t, (void)unused, true; }

_Noreturn static void broken(const char *what, const struct format *f, const char *detail, const char *more) {
  fprintf(stderr, "%s through %s:\n%s\n%s\n", what, f->name, detail, more);
  abort();
}

/* Through a format and back: the same events, and the same text if it is Asif's own format. */
static void round_trip(struct mem *m, const struct history *h, const struct format *f) {
  struct text once, twice;
  struct problem p;
  struct input in;
  text_open(&once, m);
  text_open(&twice, m);
  if (!f->write || !f->write(h, &once, &p, keep, NULL)) return; /* several objects where one has a place */
  input_from_bytes(&in, m, "again", text_string(&once), once.count);
  struct history *back = history_read_rest(&in, f, &p);
  if (!back) broken("refused", f, text_string(&once), p.text);
  if (back->ops.count != h->ops.count || back->events != h->events) broken("lost", f, text_string(&once), "");
  if (f != &format_wing_gong) return;
  f->write(back, &twice, &p, keep, NULL);
  if (strcmp(text_string(&once), text_string(&twice))) broken("changed", f, text_string(&once), text_string(&twice));
}

/* Blocks of a recording with the sums they should have: a fuzzer would not find them. */
static char *repaired(struct mem *m, const uint8_t *data, size_t size) {
  unsigned char *copy = mem_alloc(m, size + 1);
  memcpy(copy, data, size);
  if (size < RECORDING_MAGIC_SIZE || memcmp(copy, RECORDING_MAGIC, RECORDING_MAGIC_SIZE)) return (char *)copy;
  for (size_t at = RECORDING_MAGIC_SIZE; size - at >= RECORDING_HEAD;) {
    size_t n = (size_t)recording_load(copy + at + 4, 4), left = size - at - RECORDING_HEAD;
    if (n > left) break;
    if (copy[at + 1] != 1)
      recording_head(copy + at, (char)copy[at], copy + at + RECORDING_HEAD, n); /* 1: it is to be wrong */
    at += RECORDING_HEAD + n;
  }
  return (char *)copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  unsigned which = data[0] & 7, chunk = data[0] >> 3;
  struct limits limits;
  struct mem m;
  struct problem p;
  struct input in;
  limits_start(&limits, 0, 256 << 20);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m)) {
    input_from_bytes(&in, &m, "input", repaired(&m, data + 1, size - 1), size - 1);
    if (chunk) in.chunk = chunk;
    struct history *h = history_read_input(&in, which < 7 ? formats[which] : NULL, &p);
    if (!h && strncmp(p.text, "input:", 6)) broken("no place", formats[which < 7 ? which : 0], p.text, "");
    for (int i = 0; h && formats[i]; i++) round_trip(&m, h, formats[i]);
  }
  mem_close(&m);
  return 0;
}
