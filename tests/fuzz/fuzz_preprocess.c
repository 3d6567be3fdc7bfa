/* Fuzzing the preprocessor: any text is preprocessed or refused, in bounded memory and stack, and refusals say where;
 * what comes out can be parsed or is refused. `make fuzz` builds it with libFuzzer; tests/test_preprocess.c reads the
 * corpus. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "front/pp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text as a file, in memory. */
static const char *put_file(const uint8_t *data, size_t size) {
  static char path[64];
  static int fd = -1;
  if (fd < 0) fd = memfd_create("input", 0);
  if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size) abort();
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct limits limits;
  struct mem m;
  struct problem problem = {.text = ""};
  struct text t;
  const char *path = put_file(data, size);
  unsetenv("CC");
  limits_start(&limits, 0, 512 << 20);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m)) {
    text_open(&t, &m);
    enum pp_outcome outcome = preprocess(&m, path, NULL, &t, &problem);
    if (outcome != PP_DONE && strncmp(problem.text, path, strlen(path)) && !strstr(problem.text, ":")) abort();
    struct preprocessed p = {.name = path, .text = text_string(&t), .length = t.count, .model = OWN_MODEL};
    if (outcome == PP_DONE) front_parse_text(unit_new(&m), &p, true, &problem);
  }
  mem_close(&m);
  return 0;
}
