/* Fuzzing the readers: any bytes are read or refused, in bounded memory; and what was read can be written in every
 * format and read again, as the same history.
 *
 * The first byte chooses the format (its low three bits; 7 is by content) and how many bytes arrive at a time. The rest
 * is the file. Built with -fsanitize=fuzzer it is a libFuzzer target; with -DFUZZ_STANDALONE, a program that runs the
 * files and folders it is given, which keeps what was once found found:
 *
 *   clang -g -O1 -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_read.c with the sources of src/base and src/history. */
#include <stdlib.h>
#include <string.h>

#include "history/format.h"

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
  struct history *back = history_read_input(&in, f, &p);
  if (!back) broken("refused", f, text_string(&once), p.text);
  if (back->ops.count != h->ops.count || back->events != h->events) broken("lost", f, text_string(&once), "");
  if (f != &format_wing_gong) return;
  f->write(back, &twice, &p, keep, NULL);
  if (strcmp(text_string(&once), text_string(&twice))) broken("changed", f, text_string(&once), text_string(&twice));
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
    input_from_bytes(&in, &m, "input", (const char *)data + 1, size - 1);
    if (chunk) in.chunk = chunk;
    struct history *h = history_read_input(&in, which < 7 ? formats[which] : NULL, &p);
    if (!h && strncmp(p.text, "input:", 6)) broken("no place", formats[which < 7 ? which : 0], p.text, "");
    for (int i = 0; h && formats[i]; i++) round_trip(&m, h, formats[i]);
  }
  mem_close(&m);
  return 0;
}

#ifdef FUZZ_STANDALONE
#include <dirent.h>

static int run_file(const char *path) {
  FILE *f = fopen(path, "rb");
  if (!f) return perror(path), 0;
  static uint8_t bytes[1 << 20];
  size_t n = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  LLVMFuzzerTestOneInput(bytes, n);
  return 1;
}

static int run_path(const char *path) {
  DIR *d = opendir(path);
  if (!d) return run_file(path);
  int ran = 0;
  for (struct dirent *e; (e = readdir(d));) {
    char inside[4096];
    if (e->d_name[0] == '.') continue;
    snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
    ran += run_path(inside);
  }
  closedir(d);
  return ran;
}

int main(int argc, char **argv) {
  int ran = 0;
  for (int i = 1; i < argc; i++) ran += run_path(argv[i]);
  printf("%d inputs read\n", ran);
  return ran ? 0 : 1;
}
#endif
