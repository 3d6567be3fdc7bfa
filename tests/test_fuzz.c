/* The fuzzers over their corpus, without a fuzzer: what was once found stays found. */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>

#include "test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run_file(const char *path) {
  static uint8_t bytes[1 << 20];
  FILE *f = fopen(path, "rb");
  CHECKF(f, "%s", path);
  size_t n = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  fprintf(stderr, "%s\n", path); /* seen only if it fails */
  LLVMFuzzerTestOneInput(bytes, n);
}

static int run_folder(const char *path) {
  int ran = 0;
  DIR *d = opendir(path);
  if (!d) return run_file(path), 1;
  for (struct dirent *e; (e = readdir(d));) {
    char inside[PATH_MAX];
    if (e->d_name[0] == '.') continue;
    snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
    ran += run_folder(inside);
  }
  closedir(d);
  return ran;
}

TEST(fuzz_corpus) { CHECK(run_folder("tests/fuzz/corpus") > 20); }
