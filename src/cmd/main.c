/* asif COMMAND ...: finds the command in the table, parses its arguments by its table, runs it.
 *
 * Exit statuses, the same for every command: 0 the property holds (or the work is done), 1 it is violated,
 * 2 bad usage, bad input, or output that could not be written, 3 unknown (a limit or Ctrl-C), 4 an internal error. */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "test/assembly.h"
#include "test/test.h"

static int print(struct text *t) { return write_stdout(text_string(t), t->count) ? EXIT_HOLDS : EXIT_USAGE; }

static int unknown_command(const char *name) {
  struct nearest near = {.word = name};
  for (int i = 0; commands[i]; i++) nearest_try(&near, commands[i]->name, strlen(commands[i]->name));
  if (near.best)
    say_error("unknown command %s; did you mean %s?", name, near.best);
  else
    say_error("unknown command %s; asif --help lists them", name);
  return EXIT_USAGE;
}

static volatile int said = EXIT_UNKNOWN; /* struct args */

static int run_command(struct mem *m, struct text *t, const struct command *c, int count, char **at) {
  struct args args;
  switch (parse_args(m, c, count, at, &args)) {
  case PARSE_WRONG: return EXIT_USAGE;
  case PARSE_HELP: help_command(c, t); return print(t);
  default: args.said = &said; return c->run(&args);
  }
}

/* Called as asif-cc or asif-c++: a compiler of one word, for build systems that take no more. */
static const struct command *called_as(const char *program) {
  const char *slash = program ? strrchr(program, '/') : NULL, *name = slash ? slash + 1 : program;
  if (name && !strcmp(name, "asif-cc")) return command_named("cc");
  if (name && !strcmp(name, "asif-c++")) return command_named("c++");
  return NULL;
}

/* The version, and which of the libraries that it can do without are there. */
static void put_version(struct text *t) {
#ifdef HAVE_ZLIB
  bool zlib = true;
#else
  bool zlib = false;
#endif
#ifdef HAVE_ZSTD
  bool zstd = true;
#else
  bool zstd = false;
#endif
  const struct {
    const char *name;
    bool there;
  } libraries[] = {{"zlib", zlib}, {"zstd", zstd}, {"libdw", debug_library()}};
  text_add(t, "asif " ASIF_VERSION "\n");
  for (unsigned there = 2; there-- > 0;) {
    bool any = false;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
      if (libraries[i].there != there) continue;
      text_printf(t, "%s%s", any ? ", " : there ? "with " : "without ", libraries[i].name);
      any = true;
    }
    if (any) text_char(t, '\n');
  }
}

static int dispatch(struct mem *m, int argc, char **argv) {
  struct text t;
  text_open(&t, m);
  const struct command *compiler = called_as(argc > 0 ? argv[0] : NULL);
  if (compiler) return run_command(m, &t, compiler, argc - 1, argv + 1);
  const char *name = argc > 1 ? argv[1] : NULL;
  if (!name) {
    help_overview(&t);
    fputs(text_string(&t), stderr);
    return EXIT_USAGE;
  }
  if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
    put_version(&t);
    return print(&t);
  }
  bool help = !strcmp(name, "help");
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || (help && argc == 2)) {
    help_overview(&t);
    return print(&t);
  }
  if (help) name = argv[2];
  if (name[0] == '-' && name[1]) {
    say_error("unknown option %s before the command; asif --help shows the usage", name);
    return EXIT_USAGE;
  }
  const struct command *c = command_named(name);
  if (!c) return unknown_command(name);
  if (help) {
    help_command(c, &t);
    return print(&t);
  }
  return run_command(m, &t, c, argc - 2, argv + 2);
}

int main(int argc, char **argv) {
  assembler_if_called(argc, argv);
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, and ends with a status of our own ... */
  signal(SIGXFSZ, SIG_IGN); /* ... and so is a file that may not grow */
  struct limits limits;
  struct mem m;
  limits_start(&limits, 0, 0);
  limits.interrupted = &interrupted;
  mem_open(&m, &limits);
  if (MEM_GUARD(&m)) {
    mem_close(&m);
    say_error("%s", limit_told((enum limit)limits.reached));
    return said;
  }
  int status = dispatch(&m, argc, argv);
  mem_close(&m);
  return status;
}
