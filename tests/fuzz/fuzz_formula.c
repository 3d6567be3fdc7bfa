/* Fuzzing the formula reader: any text is read or refused, in bounded memory and stack, and refusals say where; what is
 * read is printed as text that reads and prints the same, and is bound to a queue or refused. `make fuzz` builds it
 * with libFuzzer; tests/test_approx_formula.c reads the corpus. */
#include <stdlib.h>
#include <string.h>

#include "approx/formula.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_again(struct mem *m, struct formula *f) {
  struct problem problem;
  struct text first, second;
  text_open(&first, m);
  text_open(&second, m);
  formula_print(f, &first);
  struct formula *again = formula_parse(m, "printed", text_string(&first), first.count, &problem);
  if (!again) abort();
  formula_print(again, &second);
  if (strcmp(text_string(&first), text_string(&second))) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct limits limits;
  struct mem m;
  struct problem problem = {.text = ""};
  limits_start(&limits, 0, 256 << 20);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m)) {
    struct spec spec;
    if (!spec_named("queue", &spec, &problem)) abort();
    spec.values = values_new(&m);
    struct formula *f = formula_parse(&m, "input", (const char *)data, size, &problem);
    if (f) print_again(&m, f);
    if (f && formula_bind(&m, f, &spec, &problem)) problem.text[0] = ':';
    if (!strchr(problem.text, ':')) abort();
  }
  mem_close(&m);
  return 0;
}
