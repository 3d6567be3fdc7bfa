/* asif cc, asif c++: the compiler, for `CC="asif cc" make`. Objects get the hooks that `asif test` needs; programs that
 * are linked get the sanitizer's own runtime for them, so that they still run.
 *
 * Nothing is parsed but what decides which of the two it is: everything else reaches the compiler as it is. */
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "test/assembly.h"
#include "test/compile.h"
#include "test/test.h"

extern char **environ;

/* What the harness's macros call (asif.h, ASIF_HOSTED), as an ordinary program has it: for what is linked. */
static const char host[] = "#include <sched.h>\n"
                           "static unsigned long owner_;\n"
                           "static int count_;\n"
                           "static __thread int number_, self_;\n"
                           "#define HOST __attribute__((weak, visibility(\"default\")))\n"
                           "HOST void asif_host_lin(const char *operation) { (void)operation; }\n"
                           "HOST int asif_host_thread(void) {\n"
                           "  if (!number_) number_ = __atomic_add_fetch(&count_, 1, __ATOMIC_RELAXED);\n"
                           "  return number_ - 1;\n"
                           "}\n"
                           "HOST void asif_host_yield(void) { sched_yield(); }\n"
                           "HOST void asif_host_atomic(int enter) {\n"
                           "  unsigned long none = 0;\n"
                           "  if (enter && self_++) return;\n"
                           "  if (!enter && --self_) return;\n"
                           "  if (!enter) { __atomic_store_n(&owner_, 0, __ATOMIC_RELEASE); return; }\n"
                           "  while (!__atomic_compare_exchange_n(&owner_, &none, 1, 0, __ATOMIC_ACQUIRE, "
                           "__ATOMIC_RELAXED)) none = 0, sched_yield();\n"
                           "}\n"
                           "HOST void asif_host_cannot(void) { __builtin_trap(); }\n";

/* Does the command compile only, or do nothing with code at all? Then nothing is linked. */
static bool links(char *const *args) {
  static const char *const not [] = {
      "-c",     "-S",        "-E", "-M",           "-MM",          "-fsyntax-only", "-r",
      "-Wl,-r", "--version", "-v", "-dumpversion", "-dumpmachine", "--help",        "-dumpfullversion"};
  bool any = false;
  for (char *const *a = args; *a; a++) {
    any |= (*a)[0] != '-';
    if (!strncmp(*a, "-print-", 7)) return false;
    for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
      if (!strcmp(*a, not [i])) return false;
  }
  return any;
}

/* The functions above as a file that has no name, and is gone when the last process that reads it is. */
static char *host_file(struct mem *m) {
  int fd = memfd_create("asif-host.c", 0);
  if (fd < 0 || write(fd, host, sizeof host - 1) != (ssize_t)sizeof host - 1) return NULL;
  struct text t;
  text_open(&t, m);
  text_printf(&t, "/proc/self/fd/%d", fd);
  return t.at;
}

static volatile sig_atomic_t compiler, told; /* its process; the signal that came */

static void pass_on(int sig) {
  told = sig;
  if (compiler > 0) kill(compiler, sig);
}

/* From where there is a folder to be removed. */
static void hear_signals(void) {
  struct sigaction pass = {.sa_handler = pass_on};
  hear_interrupts(&pass);
}

/* Runs it to its end, whatever signals come. */
static int run_compiler(char **command) {
  pid_t child;
  int status;
  if (told) return 128 + told;
  int failed = posix_spawnp(&child, command[0], NULL, NULL, command, environ);
  if (failed) {
    say_error("the compiler %s cannot be run: %s", command[0], strerror(failed));
    return EXIT_USAGE;
  }
  compiler = child;
  if (told) kill(child, told); /* it came before its process was known */
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return EXIT_USAGE;
  compiler = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* With the folder of the assembler. */
static int compile_with(const struct args *a, struct mem *m, struct compiler *c) {
  words w = {NULL, 0, 0};
  if (!assembler_put(c->tools)) {
    say_error("no file can be made in %s: %s", c->tools, strerror(errno));
    return EXIT_USAGE;
  }
  for (size_t i = 0; i < c->command.count; i++) vec_push(m, &w, c->command.at[i]);
  compiler_flags_begin(m, &w);
  for (char **arg = a->at; *arg; arg++) vec_push(m, &w, *arg);
  compiler_flags_end(m, c, &w);
  vec_push(m, &w, "-DASIF_HOSTED");
  char *file = links(a->at) ? host_file(m) : NULL;
  char *const more[] = {"-x", "c", file, "-x", "none"};
  for (size_t i = 0; file && i < sizeof more / sizeof *more; i++) vec_push(m, &w, more[i]);
  vec_push(m, &w, NULL);
  return run_compiler(w.at);
}

static int compile_as(const struct args *a, bool cxx) {
  struct mem m;
  struct compiler c = {.cxx = cxx};
  struct problem why;
  const char *volatile tools = NULL;
  volatile int status = EXIT_UNKNOWN;
  mem_open(&m, NULL);
  if (MEM_GUARD(&m)) {
    say_error("out of memory");
  } else {
    compiler_words(&m, cxx ? "ASIF_CXX" : "ASIF_CC", cxx ? "c++" : "cc", &c.command);
    bool known = compiler_ask(&m, &c, &why);
    hear_signals();
    if (known) c.tools = tools = compile_directory(&m, &why);
    status = tools ? compile_with(a, &m, &c) : (say_error("%s", why.text), EXIT_USAGE);
  }
  if (tools) compile_remove(tools);
  mem_close(&m);
  return status;
}

static int run_cc(const struct args *a) { return compile_as(a, false); }
static int run_cxx(const struct args *a) { return compile_as(a, true); }

#define DETAILS(NAME, VARIABLE, OTHERWISE) \
  "Calls the compiler with these arguments, and with the flags that give `asif test` its hooks, for\n" \
  "projects of many files:\n" \
  "\n" \
  "  " NAME " make\n" \
  "  asif test harness.c src/queue.o src/pool.o\n" \
  "\n" \
  "For build systems that take one word only, asif-cc and asif-c++ are the same compilers.\n" \
  "Programs that are linked so are ordinary ones, under the thread sanitizer. " VARIABLE " names the\n" \
  "compiler to call; without it, " OTHERWISE ".\n"

const struct command command_cc = {
    .name = "cc",
    .usage = "ARGUMENT...",
    .summary = "the C compiler, with the hooks of `asif test`: CC=\"asif cc\" make",
    .details = DETAILS("CC=\"asif cc\"", "ASIF_CC", "cc"),
    .passes = true,
    .least = 0,
    .most = -1,
    .run = run_cc,
};

const struct command command_cxx = {
    .name = "c++",
    .usage = "ARGUMENT...",
    .summary = "the C++ compiler, likewise: CXX=\"asif c++\" make",
    .details = DETAILS("CXX=\"asif c++\"", "ASIF_CXX", "c++"),
    .passes = true,
    .least = 0,
    .most = -1,
    .run = run_cxx,
};
