/* Measuring a C++ container in one thread: how many elements it holds, and in which order they come out. The harness,
 * as written so far, is compiled together with a main function; what cannot be linked without the library's files,
 * waits or crashes is not measured. */
#include <stdio.h>
#include <string.h>

#include "init/compiler.h"
#include "init/cxx.h"

const unsigned cxx_sizes[CXX_SIZES] = {2, 4, 16, 1024};

static bool is_ordered(const struct cxx_guess *g) { return !g->keyed && g->of[ROLE_GET]; }

static void put_main(const struct cxx_guess *g, struct text *t) {
  const char *put = g->keyed ? g->mapped ? "insert" : "add" : g->words.insert, *take = g->words.take;
  text_printf(t,
              "#include <cstdio>\n#include <unistd.h>\n"
              "int main() {\n  int n = %d, first = 0, second = 0;\n  alarm(3);\n"
              "  std::puts(\"begins\");\n  std::fflush(stdout);\n  set_up();\n  test_%s(1%s);\n"
              "  std::puts(\"works\");\n  std::fflush(stdout);\n",
              CXX_MANY, put, g->mapped ? ", 1" : "");
  if (!g->keyed && g->of[ROLE_PUT]->gives != GIVES_NOTHING)
    text_printf(t,
                "  set_up();\n  for (n = 0; n < %d && test_%s(1) != ASIF_FULL;) n++;\n"
                "  std::printf(\"holds %%d\\n\", n);\n  std::fflush(stdout);\n",
                CXX_MANY, put);
  if (is_ordered(g))
    text_printf(
        t,
        "  if (n >= 3) {\n    set_up();\n    test_%s(2);\n    test_%s(3);\n    test_%s(1);\n"
        "    first = test_%s();\n    second = test_%s();\n    std::printf(\"order %%d %%d\\n\", first, second);\n"
        "    std::fflush(stdout);\n  }\n",
        put, put, put, take, take);
  text_add(t, "  _exit(0);\n}\n");
}

static enum taken_order order_of(int first, int second) {
  if (first == 2 && second == 3) return ORDER_FIRST;
  if (first == 1) return second == 3 ? ORDER_LAST : second == 2 ? ORDER_LEAST : ORDER_UNKNOWN;
  return first == 3 && second == 2 ? ORDER_GREATEST : ORDER_UNKNOWN;
}

enum outcome { DOES_NOT_LINK, FAILS, WORKS };

static enum outcome measure(struct cxx_guess *g, const struct toolchain *c) {
  struct text program, said;
  int first, second;
  text_open(&program, g->mem);
  text_open(&said, g->mem);
  cxx_write(g, &program);
  put_main(g, &program);
  (void)toolchain_run(c, text_string(&program), &said);
  const char *line = text_string(&said);
  enum outcome outcome = *line ? FAILS : DOES_NOT_LINK;
  for (; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (!strncmp(line, "works", 5)) outcome = WORKS;
    if (sscanf(line, "order %d %d", &first, &second) == 2) g->order = order_of(first, second);
    (void)sscanf(line, "holds %d", &g->holds);
  }
  return outcome;
}

bool cxx_measure(struct cxx_guess *g, const struct toolchain *c) {
  unsigned first = g->size;
  enum outcome outcome = DOES_NOT_LINK;
  g->measuring = true;
  for (size_t i = 0; i < CXX_SIZES; i++) { /* some must be a power of two, or hold one less */
    if (cxx_sizes[i] < first) continue;
    g->size = cxx_sizes[i];
    outcome = measure(g, c);
    if (!cxx_is_sized(g) || (outcome == WORKS ? g->holds != 1 : outcome != FAILS)) break;
  }
  if (outcome == WORKS && is_ordered(g) && cxx_is_sized(g) && g->holds &&
      !g->order) { /* three elements have an order */
    struct cxx_guess larger = *g;
    larger.size = 16;
    if (measure(&larger, c) == WORKS) g->order = larger.order;
  }
  g->measuring = false;
  if (outcome != WORKS) g->size = first;
  return outcome != DOES_NOT_LINK;
}
