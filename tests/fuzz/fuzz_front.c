/* Fuzzing the front end: any text is read or refused, in bounded memory and stack, and refusals say where; what is read
 * can be printed, and lowered to steps or refused. `make fuzz` builds it with libFuzzer; tests/test_front.c reads the
 * corpus. */
#include <stdlib.h>
#include <string.h>

#include "front/program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct limits limits;
  struct mem m;
  struct problem problem = {.text = ""};
  struct text t;
  limits_start(&limits, 0, 256 << 20);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m)) {
    struct unit *u = front_parse(&m, "input", (const char *)data, size, &problem);
    if (!u && !strchr(problem.text, ':')) abort();
    text_open(&t, &m);
    if (u) ast_print(u, &t);
    struct program *p = u ? lower(&m, u, NULL, &problem) : NULL;
    if (u && !p && !strchr(problem.text, ':')) abort();
    if (p) program_print(p, &t);
  }
  mem_close(&m);
  return 0;
}
