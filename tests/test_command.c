/* Tools that are run, and what they say. */
#include <errno.h>
#include <string.h>

#include "test.h"
#include "test/compile.h"

/* What cannot be read is not an empty answer: addr2line that says nothing knows no place, and a replay would then find
 * other steps than the evidence has. */
TEST(command_answer) {
  struct mem m;
  size_t length = 1;
  struct command_run lost = {.said = "/nowhere/said"}, failed = {.said = "/dev/null", .status = 1},
                     empty = {.said = "/dev/null"};
  mem_open(&m, NULL);
  CHECK(!command_answer(&m, &lost, &length));
  CHECK(!command_answer(&m, &failed, &length));
  char *said = command_answer(&m, &empty, &length);
  CHECK(said && !*said && !length);
  CHECK(!strcmp(command_said(&m, &lost, &length), "") && !length); /* only shown */
  mem_close(&m);
}

TEST(text_file) {
  struct mem m;
  struct text t;
  mem_open(&m, NULL);
  text_open(&t, &m);
  text_add(&t, "x");
  CHECK(text_file(&t, "/dev/null") && !strcmp(text_string(&t), "x"));
  CHECK(!text_file(&t, "/nowhere/said") && errno == ENOENT);
  CHECK(!text_file(&t, "/") && errno == EISDIR);
  CHECK(text_file(&t, "/proc/self/comm") && t.count > 1 && t.at[t.count - 1] == '\n');
  mem_close(&m);
}
