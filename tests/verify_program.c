#include "verify_program.h"

#include <string.h>

#include "front/flow.h"
#include "test.h"
#include "verify/verify.h"

bool verify_breaks(const char *path, const struct program *program, unsigned threads, unsigned ops, double seconds) {
  struct verify_options o = {
      .path = path, .threads = threads, .ops = ops, .bound = -1, .search = {.reduce = REDUCE_BEST, .jobs = 1}};
  struct limits limits;
  struct mem m;
  struct subject s;
  struct verified v;
  struct problem why;
  volatile bool broken = false;
  limits_start(&limits, seconds, (size_t)1 << 30);
  mem_open(&m, &limits);
  if (!MEM_GUARD(&m)) {
    CHECKF(subject_open(&m, &o, &s, &why), "%s", why.text);
    CHECK(s.program->code_count == program->code_count);
    memcpy(s.program->code, program->code, sizeof *program->code * program->code_count);
    program_liveness(s.program);
    subject_remember(&s);
    CHECKF(verify(&s, &limits, &v, &why), "%s", why.text);
    broken = v.search.verdict == VERDICT_VIOLATED;
    if (broken)
      fprintf(stderr, "verify, %u threads, %u operations each: %s\n", threads, ops, v.reason ? v.reason : v.kind);
    subject_close(&s);
  }
  mem_close(&m);
  return broken;
}
