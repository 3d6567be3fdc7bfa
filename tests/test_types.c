/* Fields of types: what lies at an offset, and what it is called. */
#include <string.h>

#include "test.h"
#include "test/debug_info.h"

static const struct type int_ = {.kind = TYPE_SIGNED, .name = "int", .size = 4};
static const struct type long_ = {.kind = TYPE_SIGNED, .name = "long", .size = 8};
static const struct type byte = {.kind = TYPE_CHAR, .name = "char", .size = 1};
static const struct type real = {.kind = TYPE_FLOAT, .name = "double", .size = 8};
static const struct type pointer = {.kind = TYPE_POINTER, .size = 8, .to = &int_};
static const struct type bytes = {.kind = TYPE_ARRAY, .size = 8, .to = &byte, .count = 8};
static const struct type rest = {.kind = TYPE_ARRAY, .size = 0, .to = &int_, .count = 0};

static const struct member either_members[] = {
    {.name = "whole", .type = &long_}, {.name = "bytes", .type = &bytes}, {.name = "real", .type = &real}};
static const struct type either = {.kind = TYPE_UNION, .size = 8, .members = either_members, .member_count = 3};

/* std::atomic<int>: a class of the language with one member that is all of it. */
static const struct member inner_members[] = {{.name = "_M_i", .type = &int_}};
static const struct type inner = {
    .kind = TYPE_STRUCT, .system = true, .size = 4, .members = inner_members, .member_count = 1};
static const struct member atomic_members[] = {{.type = &inner}};
static const struct type atomic = {
    .kind = TYPE_STRUCT, .system = true, .size = 4, .members = atomic_members, .member_count = 1};

static const struct member record_members[] = {{.name = "first", .type = &int_},
                                               {.name = "n", .type = &atomic, .offset = 4},
                                               {.name = NULL, .type = &either, .offset = 8},
                                               {.name = "low", .type = &int_, .offset = 16, .bit = 128, .bits = 3},
                                               {.name = "high", .type = &int_, .offset = 16, .bit = 131, .bits = 5},
                                               {.name = "wide", .type = &int_, .offset = 16, .bit = 136, .bits = 24},
                                               {.name = "next", .type = &pointer, .offset = 24},
                                               {.name = "rest", .type = &rest, .offset = 32}};
static const struct type record = {
    .kind = TYPE_STRUCT, .name = "struct record", .size = 32, .members = record_members, .member_count = 8};
static const struct type row = {.kind = TYPE_ARRAY, .size = 96, .to = &record, .count = 3};

static struct mem mem;
static bool is(const struct type *t, uint64_t offset, uint64_t size, uint64_t beyond, const char *wanted) {
  struct text text;
  text_open(&text, &mem);
  field_put(t, offset, size, beyond, &text);
  return !strcmp(text_string(&text), wanted);
}

TEST(types_fields) {
  mem_open(&mem, NULL);
  CHECK(is(&row, 32, 4, 96, "[1].first"));
  CHECK(is(&row, 36, 4, 96, "[1].n")); /* not n._M_i */
  CHECK(is(&row, 96, 4, 96, " + 96")); /* beyond its end */
  CHECK(is(&record, 24, 8, 32, ".next"));
  CHECK(is(&record, 26, 2, 32, ".next + 2"));
  CHECK(is(&record, 0, 32, 32, ""));      /* all of it */
  CHECK(is(&record, 0, 8, 32, ""));       /* two members at once */
  CHECK(is(&record, 28, 8, 40, " + 28")); /* from one into another */
  CHECK(is(&int_, 0, 4, 4, ""));
  CHECK(is(&record, 32, 4, 48, ".rest[0]")); /* a flexible member goes up to the end of the block */
  CHECK(is(&record, 44, 4, 48, ".rest[3]"));
  CHECK(is(&record, 48, 4, 48, " + 48"));
  mem_close(&mem);
}

TEST(types_unions_and_bits) {
  mem_open(&mem, NULL);
  CHECK(is(&record, 8, 8, 32, ".{whole, real}")); /* not bytes: they are smaller */
  CHECK(is(&record, 11, 1, 32, ".bytes[3]"));
  CHECK(is(&record, 8, 4, 32, " + 8") || is(&record, 8, 4, 32, "")); /* a part of any */
  CHECK(is(&record, 16, 1, 32, ".{low, high}"));
  CHECK(is(&record, 17, 1, 32, ".wide"));
  CHECK(is(&record, 16, 4, 32, ".{low, high, wide}"));
  mem_close(&mem);
}

TEST(types_pointed_to) {
  mem_open(&mem, NULL);
  CHECK(is(&row, 0, FIELD_POINTED, 96, ""));
  CHECK(is(&row, 32, FIELD_POINTED, 96, "[1]"));
  CHECK(is(&row, 36, FIELD_POINTED, 96, "[1].n"));
  CHECK(is(&row, 56, FIELD_POINTED, 96, "[1].next"));
  CHECK(is(&row, 36, FIELD_SYNC, 96, "[1].n"));
  mem_close(&mem);
}

static bool shows(const struct type *t, uint64_t v, uint32_t size, const char *wanted) {
  struct text text;
  text_open(&text, &mem);
  bool known = value_put(t, v, size, &text);
  return wanted ? known && !strcmp(text_string(&text), wanted) : !known;
}

TEST(types_values) {
  static const struct enumerator values[] = {{"idle", 0}, {"busy", -1}};
  static const struct type state = {.kind = TYPE_ENUM, .size = 4, .values = values, .value_count = 2};
  static const struct type flag = {.kind = TYPE_BOOL, .size = 1}, count = {.kind = TYPE_UNSIGNED, .size = 4};
  double d = 0.1;
  uint64_t v;
  mem_open(&mem, NULL);
  memcpy(&v, &d, sizeof v);
  CHECK(shows(&real, v, 8, "0.1"));
  CHECK(shows(&pointer, 0, 8, "null"));
  CHECK(shows(&pointer, 4096, 8, NULL));
  CHECK(shows(&state, 0xffffffff, 4, "busy"));
  CHECK(shows(&state, 7, 4, NULL));
  CHECK(shows(&flag, 1, 1, "true"));
  CHECK(shows(&flag, 0xa5, 1, NULL));
  CHECK(shows(&count, 0xffffffff, 4, "4294967295"));
  CHECK(shows(&count, 1, 8, NULL)); /* not all of it is that */
  CHECK(shows(&int_, 1, 4, NULL));  /* a number, as any */
  mem_close(&mem);
}
