/* The command line: options by table, numbers with units, suggestions, files written whole. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "test.h"

static const struct opt opts[] = {
    {"format", 'f', "FORMAT", "text|json|html", "what to print"},
    {"jobs", 'j', "N", NULL, "threads"},
    {"quiet", 'q', NULL, NULL, "say less"},
    {"time-limit", 0, "SECONDS", NULL, "stop then"},
    {"memory-limit", 0, "BYTES", NULL, "stop then"},
    {NULL, 0, NULL, NULL, NULL},
};
static const struct command command = {
    .name = "try", .usage = "FILE...", .summary = "a test", .opts = opts, .least = 0, .most = 2};

static struct mem m;

static enum parsed parse(struct args *a, int count, ...) {
  static char *at[10];
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count; i++) at[i] = va_arg(list, char *);
  va_end(list);
  if (!m.blocks) mem_open(&m, NULL);
  return parse_args(&m, &command, count, at, a);
}

TEST(options_forms) {
  struct args a;
  CHECK(parse(&a, 5, "x", "--format=json", "-qj4", "--", "--y") == PARSE_RUN);
  CHECK(a.count == 2 && !strcmp(a.at[0], "x") && !strcmp(a.at[1], "--y"));
  CHECK(!strcmp(arg_value(&a, "format"), "json") && arg_flag(&a, "quiet"));
  bool bad = false;
  CHECK(arg_number(&a, "jobs", 1, 1, 64, &bad) == 4 && !bad);
  CHECK(!arg_value(&a, "time-limit"));
  CHECK(parse(&a, 4, "-j", "7", "--format", "text") == PARSE_RUN);
  CHECK(!strcmp(arg_value(&a, "jobs"), "7") && !strcmp(arg_value(&a, "format"), "text"));
  CHECK(parse(&a, 1, "-") == PARSE_RUN && a.count == 1);
  mem_close(&m);
}

TEST(options_mistakes) {
  struct args a;
  CHECK(parse(&a, 1, "--fromat") == PARSE_WRONG);
  CHECK(parse(&a, 1, "--format") == PARSE_WRONG);
  CHECK(parse(&a, 1, "--format=xml") == PARSE_WRONG);
  CHECK(parse(&a, 1, "--quiet=1") == PARSE_WRONG);
  CHECK(parse(&a, 1, "-z") == PARSE_WRONG);
  CHECK(parse(&a, 1, "-j") == PARSE_WRONG);
  CHECK(parse(&a, 3, "1", "2", "3") == PARSE_WRONG);
  CHECK(parse(&a, 2, "1", "--help") == PARSE_HELP);
  CHECK(parse(&a, 1, "-h") == PARSE_HELP);
  mem_close(&m);
}

TEST(options_numbers) {
  struct args a;
  bool bad = false;
  CHECK(parse(&a, 4, "--time-limit", "1.5m", "--memory-limit", "2G") == PARSE_RUN);
  CHECK(arg_seconds(&a, "time-limit", 0, &bad) == 90 && arg_bytes(&a, "memory-limit", 0, &bad) == (size_t)2 << 30 &&
        !bad);
  CHECK(parse(&a, 4, "--time-limit", "250ms", "--memory-limit", "1.5kB") == PARSE_RUN);
  CHECK(arg_seconds(&a, "time-limit", 0, &bad) == 0.25 && arg_bytes(&a, "memory-limit", 0, &bad) == 1536 && !bad);
  CHECK(parse(&a, 2, "-j", "10k") == PARSE_RUN);
  CHECK(arg_number(&a, "jobs", 0, 0, 20000, &bad) == 10000 && !bad);
  const char *wrong[] = {"", "-1", "x", "1x", "inf", "nan", "0x", "1e999", "1 "};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    CHECK(parse(&a, 6, "--time-limit", wrong[i], "--memory-limit", wrong[i], "-j", wrong[i]) == PARSE_RUN);
    CHECKF((bad = false, arg_seconds(&a, "time-limit", 0, &bad), bad), "time %s", wrong[i]);
    CHECKF((bad = false, arg_bytes(&a, "memory-limit", 0, &bad), bad), "bytes %s", wrong[i]);
    CHECKF((bad = false, arg_number(&a, "jobs", 0, 1, 64, &bad), bad), "number %s", wrong[i]);
  }
  mem_close(&m);
}

TEST(nearest_word) {
  struct nearest near = {.word = "chekc"};
  nearest_try(&near, "convert", 7);
  CHECK(!near.best);
  nearest_try(&near, "check", 5);
  CHECK(near.best && !strcmp(near.best, "check"));
  near = (struct nearest){.word = "xyzzy"};
  nearest_try(&near, "check", 5);
  CHECK(!near.best);
}

TEST(help_of_every_command) {
  mem_open(&m, NULL);
  struct text t;
  text_open(&t, &m);
  help_overview(&t);
  for (int i = 0; commands[i]; i++) {
    CHECK(strstr(text_string(&t), commands[i]->name));
    struct text h;
    text_open(&h, &m);
    help_command(commands[i], &h);
    for (const struct opt *o = commands[i]->opts; o && o->name; o++)
      CHECKF(strstr(text_string(&h), o->name), "%s --%s", commands[i]->name, o->name);
    for (const char *line = text_string(&h), *end; (end = strchr(line, '\n')); line = end + 1)
      CHECKF(end - line <= 100, "%s: a line of %d columns: %.*s", commands[i]->name, (int)(end - line),
             (int)(end - line), line);
  }
  mem_close(&m);
}

TEST(files_written_whole) {
  char dir[] = "/tmp/asif-files.XXXXXX", path[100], link[100], got[10];
  CHECK(mkdtemp(dir));
  snprintf(path, sizeof path, "%s/x", dir);
  snprintf(link, sizeof link, "%s/l", dir);
  CHECK(write_file(path, "old", 3));
  CHECK(!symlink("x", link));
  CHECK(!chmod(path, 0640));
  CHECK(write_file(link, "newer", 5)); /* through the link, which stays one */
  struct stat st;
  CHECK(!lstat(link, &st) && S_ISLNK(st.st_mode));
  CHECK(!stat(path, &st) && (st.st_mode & 0777) == 0640 && st.st_size == 5);
  FILE *f = fopen(path, "r");
  CHECK(f && fread(got, 1, 5, f) == 5 && !memcmp(got, "newer", 5));
  fclose(f);
  CHECK(!write_file(dir, "x", 1));
  CHECK(!write_file("/nowhere/at/all", "x", 1));
  CHECK(!write_file("/dev/full", "x", 1));
  unlink(path);
  unlink(link);
  CHECK(!rmdir(dir)); /* no temporary is left */
}
