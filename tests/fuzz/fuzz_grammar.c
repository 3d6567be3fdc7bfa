/* Fuzzing grammars: any text is read or refused, in bounded memory and stack, and refusals say where; what is read is
 * printed and reads back as the same, and has a normal form and, if that is small, a system. `make fuzz` builds it with
 * libFuzzer; tests/test_approx_grammar.c reads the corpus. */
#include <stdlib.h>
#include <string.h>

#include "approx/grammar.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void small_system(struct mem *m, const struct grammar *g) {
  struct problem why;
  struct form *f = grammar_form(m, g);
  struct parikh *p = f->rules < 60 ? parikh_new(m, f, 2, &why) : NULL;
  struct parikh_count counts[] = {{1, 2, 0, 0, false}, {1, 1, 0, 2, true}, {2, 1, 1, 2, false}};
  size_t rules, productions;
  if (!p || !f->letters) return;
  parikh_size(p, &rules, &productions);
  if (productions < 400) parikh_admits(p, counts, f->letters > 1 ? 3 : 2, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct limits limits;
  struct mem m;
  struct problem problem = {.text = ""};
  struct spec spec;
  struct text once, twice;
  limits_start(&limits, 0, 256 << 20);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m) && spec_named("semaphore", &spec, &problem)) {
    struct grammar *g = grammar_parse(&m, &spec, "input", (const char *)data, size, &problem);
    if (!g && strncmp(problem.text, "input:", 6)) abort();
    text_open(&once, &m);
    text_open(&twice, &m);
    if (g) grammar_print(g, &spec, &once);
    struct grammar *back = g ? grammar_parse(&m, &spec, "again", text_string(&once), once.count, &problem) : NULL;
    if (g && !back) abort();
    if (back) grammar_print(back, &spec, &twice);
    if (strcmp(text_string(&once), text_string(&twice))) abort();
    if (g && g->rules.count < 100) small_system(&m, g);
  }
  mem_close(&m);
  return 0;
}
