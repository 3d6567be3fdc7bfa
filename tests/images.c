#include "images.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"
#include "test/test.h"

static char directory[64];
static void remove_directory(void) {
  char command[100];
  snprintf(command, sizeof command, "rm -rf %s", directory);
  if (directory[0] && system(command)) perror(directory);
}

static bool shell(const char *format, ...) {
  char command[2000];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  return !system(command);
}

static void write_text(const char *name, const char *const *lines, const char *before) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *f = fopen(path, "w");
  CHECK(f);
  for (; *lines; lines++) fprintf(f, "%s%s\n", before, *lines);
  fclose(f);
}

struct image *image_of(struct mem *m, const char *source, const char *flags) {
  bool cxx = strlen(source) > 3 && !strcmp(source + strlen(source) - 3, ".cc");
  const char *cc = getenv(cxx ? "CXX" : "CC");
  if (!cc || !*cc) cc = cxx ? "c++" : "cc";
  if (cxx && !shell("%s --version > /dev/null 2>&1", cc)) test_skip("no C++ compiler");
  strcpy(directory, "/tmp/asif-images-XXXXXX");
  CHECK(mkdtemp(directory));
  write_text("wrap", wrapped_names, "-Wl,--wrap=");
  write_text("stub.c", (const char *const[]){image_stub, NULL}, "");
  const char *volatiles = shell("%s --version | grep -q clang", cc) ? "-mllvm -tsan-distinguish-volatile=1"
                                                                    : "--param=tsan-distinguish-volatile=1";
  bool built = shell("%s -w -O1 -g -fPIC -fsanitize=thread %s -DASIF_HOSTED -Iinclude %s -c -o %s/image.o %s", cc,
                     volatiles, flags, directory, source) &&
               shell("cc -O1 -fPIC -c -o %s/stub.o %s/stub.c", directory, directory) &&
               shell("%s -shared -Wl,-Bsymbolic %s -o %s/image.so %s/image.o %s/stub.o @%s/wrap %s", cc,
                     cxx ? "" : "-nostartfiles", directory, directory, directory, directory,
                     cxx ? "-static-libstdc++ -static-libgcc" : "");
  char path[100];
  struct problem problem = {.text = ""};
  snprintf(path, sizeof path, "%s/image.so", directory);
  struct image *image = built ? image_open(m, path, &problem) : NULL;
  remove_directory();
  CHECKF(built, "%s does not compile", source);
  CHECKF(image, "%s", problem.text);
  return image;
}

static void (*function_of(const struct image *image, const char *name))(void) {
  void *at = image_symbol(image, name);
  void (*function)(void);
  memcpy(&function, &at, sizeof function);
  return function;
}

void scene_open(struct scene *s, struct image *image, const char *name, const struct run_options *options) {
  char function[100];
  struct problem problem = {.text = ""};
  *s = (struct scene){.name = name, .options = *options};
  for (; s->threads < 4; s->threads++) {
    snprintf(function, sizeof function, "%s_%u", name, s->threads);
    void (*at)(void) = function_of(image, function);
    if (!at && !s->threads) at = function_of(image, name);
    if (!at) break;
    s->ops[s->threads] = (struct image_op){.name = name, .written = name, .function = at, .signature = 3};
    s->calls[s->threads].op = s->first[s->threads] = s->threads;
  }
  CHECKF(s->threads, "no function %s", name);
  s->first[s->threads] = s->threads;
  s->client = (struct client){.threads = s->threads, .first = s->first, .calls = s->calls};
  snprintf(function, sizeof function, "%s_init", name);
  CHECKF(run_open(image, s->ops, s->threads, function_of(image, function), options, &problem), "%s", problem.text);
}

/* The next schedule in depth-first order: the last step where something else can be chosen. */
static size_t next_schedule(const struct run *r, struct choice *choices) {
  for (size_t i = r->count; i-- > 0;) {
    const struct step *s = &r->steps[i];
    choices[i] = (struct choice){s->fiber, s->block};
    if (s->blocks && s->block + 1u < s->blocks) {
      choices[i].block++;
      for (size_t k = 0; k < i; k++) choices[k] = (struct choice){r->steps[k].fiber, r->steps[k].block};
      return i + 1;
    }
    for (unsigned f = s->fiber + 1u; f < FIBERS_MOST; f++) {
      if (!(s->enabled >> f & 1)) continue;
      choices[i] = (struct choice){(uint8_t)f, 0};
      for (size_t k = 0; k < i; k++) choices[k] = (struct choice){r->steps[k].fiber, r->steps[k].block};
      return i + 1;
    }
  }
  return 0;
}

/* The first that can. */
static int lowest(void *context, const struct run *r, struct choice *choice) {
  (void)context;
  choice->fiber = (uint8_t)__builtin_ctzll(r->enabled);
  return 0;
}

size_t scene_all(const struct client *client, size_t most, bool (*visit)(void *, const struct run *), void *context) {
  static struct choice choices[20000];
  struct plan plan = {.choices = choices, .choose = lowest};
  struct problem problem;
  size_t runs = 0;
  do {
    const struct run *r = run_execute(client, &plan, &problem);
    CHECKF(r, "%s", problem.text);
    runs++;
    if (visit && !visit(context, r)) break;
    plan.count = next_schedule(r, choices);
  } while (plan.count && runs < most);
  return runs;
}
