/* --against and --spec self: what an object is against itself, one operation at a time, it is against itself with every
 * operation in one step, since that has just the histories that are linearizable. On random objects (random_object.h).
 * ASIF_TEST_OBJECTS sets how many (default 600). */
#include <string.h>

#include "random_object.h"
#include "test.h"
#include "verify/verify.h"

enum { SHARES = 2 };

struct tally {
  unsigned holds, violated, skipped;
};

static struct unit *parse(struct mem *mem, const struct random_object *o, const char *source, struct problem *why) {
  struct text t;
  text_open(&t, mem);
  text_add(&t, o->preprocessed);
  text_add(&t, source);
  return front_parse(mem, "x.c", text_string(&t), t.count, why);
}

/* "static int f(int k) {": the result's type, and the parameter's declaration. */
static void signature(const char *source, const char *function, char *type, char *param) {
  char head[80];
  for (const char *at = source; (at = strstr(at, "static ")); at++) {
    if (sscanf(at, "static %15s %60[a-z0-9_](%15[^)])", type, head, param) == 3 && !strcmp(head, function)) return;
  }
  test_fail(__FILE__, __LINE__, function);
}

static void put_atomic(struct text *t, const char *source, const char *name, const char *function) {
  char type[16], param[16];
  signature(source, function, type, param);
  const char *blank = strchr(param, ' '), *arg = blank ? blank + 1 : "";
  text_printf(t, "static %s one_%s(%s) { ", type, function, param);
  if (strcmp(type, "void"))
    text_printf(t, "%s result; ASIF_ATOMIC { result = %s(%s); } return result; }\n", type, function, arg);
  else
    text_printf(t, "ASIF_ATOMIC { %s(%s); } }\n", function, arg);
  text_printf(t, "ASIF_OP_AS(%s, one_%s%s)\n", name, function, *arg ? ", ASIF_IN(0, 0)" : "");
}

/* The object with its operations in one step each, and no other client. */
static void make_atomic(struct text *t, const char *source) {
  char name[64], function[64];
  for (const char *line = source, *end; *line; line = end + 1) {
    end = strchr(line, '\n');
    if (sscanf(line, "ASIF_OP(%60[a-z0-9_]", name) == 1)
      put_atomic(t, source, name, name);
    else if (sscanf(line, "ASIF_OP_AS(%60[a-z0-9_], %60[a-z0-9_]", name, function) == 2)
      put_atomic(t, source, name, function);
    else if (strncmp(line, "ASIF_OBJECT", 11) && strncmp(line, "ASIF_ROLE", 9) && strncmp(line, "ASIF_BOUND", 10))
      text_bytes(t, line, (size_t)(end - line) + 1);
  }
}

static bool decide(struct mem *mem, const struct random_object *o, const char *atomic, struct verify_options *options,
                   enum verdict *out, struct problem *why) {
  struct subject s;
  struct verified v;
  if (atomic) options->against_unit = parse(mem, o, atomic, why);
  struct unit *unit = parse(mem, o, text_string(&o->source), why);
  CHECKF(subject_make(mem, unit, options, &s, why), "%s", why->text);
  if (s.program->uses_thread || !verify(&s, mem->limits, &v, why))
    return false; /* the reference fails, or it cannot be told */
  *out = v.search.verdict;
  return *out != VERDICT_UNKNOWN;
}

static void try_object(uint64_t number, struct tally *y) {
  struct limits limits;
  struct mem mem;
  struct random_object o;
  struct text atomic;
  struct problem why = {.text = ""};
  enum verdict by_self = VERDICT_UNKNOWN, by_reference = VERDICT_UNKNOWN;
  limits_start(&limits, 20, 0);
  mem_open(&mem, &limits);
  if (MEM_GUARD(&mem)) {
    mem_close(&mem);
    y->skipped++;
    return;
  }
  random_object_make(&o, &mem, number);
  text_open(&atomic, &mem);
  make_atomic(&atomic, text_string(&o.source));
  struct verify_options options = {
      .path = "x.c",
      .spec = "self",
      .threads = o.threads,
      .ops = o.ops,
      .bound = -1,
      .search = {.reduce = number % 3 ? REDUCE_BEST : REDUCE_NONE, .jobs = 1 + number % 2}};
  bool told = decide(&mem, &o, NULL, &options, &by_self, &why);
  options.spec = NULL;
  options.against = "one.c";
  told = told && decide(&mem, &o, text_string(&atomic), &options, &by_reference, &why);
  CHECKF(!strstr(why.text, "internal error"), "object %llu: %s\n%s", (unsigned long long)number, why.text,
         text_string(&o.source));
  CHECKF(!told || by_self == by_reference, "object %llu: %d, but against the reference %d\n%s\n%s",
         (unsigned long long)number, by_self, by_reference, text_string(&o.source), text_string(&atomic));
  y->skipped += !told;
  y->holds += told && by_self == VERDICT_HOLDS;
  y->violated += told && by_self == VERDICT_VIOLATED;
  mem_close(&mem);
}

static void try_share(unsigned share) {
  const char *set = getenv("ASIF_TEST_OBJECTS");
  uint64_t objects = set ? strtoull(set, NULL, 10) : 600;
  struct tally y = {0};
  for (uint64_t i = share; i < objects; i += SHARES) try_object(i, &y);
  printf("%u hold, %u do not, %u left out\n", y.holds, y.violated, y.skipped);
  CHECK(y.holds + y.violated > y.skipped);
}

TEST(against_random_0) { try_share(0); }
TEST(against_random_1) { try_share(1); }
