/* asif init: writes a harness for the container that a header declares (src/init), and has the compiler check it. It
 * asks nothing: a wrong guess is a line to change. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "init/init.h"

static const struct opt opts[] = {
    {"output", 'o', "FILE", NULL, "where to write (default: asif_NAME.c or asif_NAME.cpp; - is standard output)"},
    {"spec", 's', "SPEC", "@specs", "the specification (default: a guess by the names)"},
    {"type", 't', "TYPE", NULL,
     "the class, where a C++ header has several, or a type with template arguments: 'lib::queue<int, 4>'"},
    {NULL, 0, NULL, NULL, NULL},
};

static const char *default_output(struct mem *m, const char *path, bool cxx) {
  struct text t;
  const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  text_open(&t, m);
  text_printf(&t, "asif_%.*s.%s", (int)strcspn(name, "."), name, cxx ? "cpp" : "c");
  return text_string(&t);
}

static int write_harness(const struct args *a, const struct init_request *r, const struct init_harness *h) {
  const char *path = arg_value(a, "output") ? arg_value(a, "output") : default_output(a->mem, r->path, h->cxx);
  const char *text = text_string(&h->text);
  struct text said;
  text_open(&said, a->mem);
  if (!strcmp(path, "-")) return write_stdout(text, h->text.count) ? EXIT_HOLDS : EXIT_USAGE;
  FILE *f = fopen(path, "wx"); /* what somebody may have changed is not written over */
  bool good = f && fwrite(text, 1, h->text.count, f) == h->text.count;
  if (f) good = fclose(f) == 0 && good;
  if (!f && errno == EEXIST)
    return say_error("%s is there already and is not written over; -o FILE names another", path), EXIT_USAGE;
  if (!good) return say_error("%s cannot be written: %s", path, strerror(errno)), EXIT_USAGE;
  if (!init_compiles(r, path, h->cxx, &said))
    return say_error("%s is written, but does not compile yet:\n%.1000s", path, text_string(&said)), EXIT_USAGE;
  struct text next;
  text_open(&next, a->mem);
  text_printf(&next, "%s: %s; look at it, then: asif test %s%s", path, h->spec, path, h->alone ? "" : " LIBRARY.c...");
  for (int i = a->own; i < a->count; i++) {
    text_add(&next, i == a->own ? " -- " : " ");
    text_shell_word(&next, a->at[i]);
  }
  text_char(&next, '\n');
  return write_stdout(text_string(&next), next.count) ? EXIT_HOLDS : EXIT_USAGE;
}

static int run(const struct args *a) {
  struct init_harness harness;
  struct problem why;
  struct text include;
  VEC(char *) flags = {NULL, 0, 0};
  for (int i = 1; i < a->count; i++) vec_push(a->mem, &flags, a->at[i]);
  const char *folder = include_folder(a->mem);
  vec_push(a->mem, &flags, "-I.");
  if (folder) {
    vec_push(a->mem, &flags, "-I");
    vec_push(a->mem, &flags, (char *)folder);
  }
  vec_push(a->mem, &flags, NULL);
  struct init_request request = {
      .mem = a->mem, .path = a->at[0], .spec = arg_value(a, "spec"), .type = arg_value(a, "type"), .flags = flags.at};
  bool here = access(request.path, R_OK) == 0;
  int error = errno;
  text_open(&include, a->mem);
  text_printf(&include, here ? "\"%s\"" : "<%s>", request.path);
  request.include = text_string(&include);
  if (!here) request.path = init_find(a->mem, a->at[0], flags.at);
  if (!request.path) return say_error("%s: %s", a->at[0], strerror(error)), EXIT_USAGE;
  if (!init_write(&request, &harness, &why)) return say_error("%s", why.text), EXIT_USAGE;
  return write_harness(a, &request, &harness);
}

const struct command command_init = {
    .name = "init",
    .usage = "HEADER [-o FILE] [--spec SPEC] [--type TYPE] [-- COMPILER ARGUMENTS]",
    .summary = "write a harness for the container that a C or C++ header declares",
    .details = "Finds the functions of HEADER that create and destroy a container, put something in and take it\n"
               "out, guesses by their names which specification it has, and writes a file that `asif test` takes\n"
               "together with the library's own files (docs/harness.md). HEADER is a file, or what #include <...>\n"
               "would find. It asks nothing. Guesses are the specification, arguments of the function that creates\n"
               "it (numbers are SIZE, pointers NULL), and that a function that returns an int returns 0 for\n"
               "success: look at these lines. A file that is there is not written over.\n"
               "\n"
               "In C++ the container is a class or class template; its element type becomes int. The compiler\n"
               "decides which members can be called and what they return. If the container can be used without\n"
               "further files, a short run in one thread measures how many elements fit in and in which order\n"
               "they come out.\n"
               "\n"
               "Examples:\n"
               "  asif init queue.h                          writes asif_queue.c\n"
               "  asif init boost/lockfree/stack.hpp         writes asif_stack.cpp\n"
               "  asif init ring.h --spec weak-bounded-queue\n"
               "  asif init queues.hpp --type lib::ring      one of several classes\n"
               "  asif init stack.h -o - -- -Iinclude        to standard output\n"
               "\n"
               "Exit status: 0 written, and it compiles; 2 bad usage, nothing was recognised, or it does not\n"
               "compile.\n",
    .opts = opts,
    .least = 1,
    .most = -1,
    .run = run};
