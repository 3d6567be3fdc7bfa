/* Tests register themselves; runner.c forks one at a time for each, in parallel. */
#ifndef ASIF_TESTS_TEST_H
#define ASIF_TESTS_TEST_H

#include <stdio.h>
#include <stdlib.h>

struct test {
  const char *name;
  void (*run)(void);
  struct test *next;
};
void test_register(struct test *);
_Noreturn void test_fail(const char *file, int line, const char *what);
_Noreturn void test_skip(const char *why); /* neither passed nor failed; said in the output */

#define TEST(id) \
  static void test_##id(void); \
  static struct test test_entry_##id = {#id, test_##id, NULL}; \
  __attribute__((constructor)) static void test_register_##id(void) { test_register(&test_entry_##id); } \
  static void test_##id(void)

#define CHECK(cond) ((cond) ? (void)0 : test_fail(__FILE__, __LINE__, #cond))
#define CHECKF(cond, ...) \
  do { \
    if (!(cond)) { \
      fprintf(stderr, __VA_ARGS__); \
      fputc('\n', stderr); \
      test_fail(__FILE__, __LINE__, #cond); \
    } \
  } while (0)

#endif
