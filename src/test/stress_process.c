/* A round in a process of its own: forked from this one, where the object is loaded and untouched; or a program that
 * loads it. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asif.h>
#include "test/compile.h"
#include "test/stress.h"

extern const char asset_stress_support_c[], asset_stress_child_c[], asset_stress_area_h[];

char *stress_support(struct mem *m, bool hooks) {
  struct text t;
  text_open(&t, m);
  if (hooks) text_add(&t, "#define ASIF_STRESS_HOOKS 1\n");
  text_add(&t, "#define _GNU_SOURCE 1\n#line 1 \"stress_support.c\"\n");
  text_add(&t, asset_stress_support_c);
  return t.at;
}

/* --- a build --- */

const struct asif_entry *const *stress_entries(const struct stress_build *b, size_t *count) {
  const struct asif_entry *const *(*entries)(size_t *);
  *(void **)&entries = dlsym(b->loaded, "asif_stress_entries");
  *count = 0;
  return entries ? entries(count) : NULL;
}

static void (*find_entry(const struct stress_build *b, enum asif_entry_kind kind, const struct image_op *o))(void) {
  size_t count;
  const struct asif_entry *const *e = stress_entries(b, &count);
  for (size_t i = 0; i < count; i++)
    if (e[i]->kind == kind && (!o || (!strcmp(e[i]->name, o->name) && !strcmp(e[i]->written, o->written))))
      return e[i]->function;
  return NULL;
}

bool stress_load(struct stress_build *b, const char *file, struct problem *why) {
  b->loaded = dlopen(b->image, RTLD_NOW | RTLD_LOCAL);
  if (b->loaded) return true;
  const char *said = dlerror();
  if (!name_undefined(file, said, why)) problem_set(why, "%.200s: cannot be loaded: %.300s", file, said);
  return false;
}

bool stress_open(struct stress_build *b, const struct object *o, struct problem *why) {
  if (b->program) return true;
  if (!b->loaded && !stress_load(b, o->file, why)) return false;
  *(void **)&b->code.thread = dlsym(b->loaded, "asif_stress_thread");
  *(void **)&b->code.escape = dlsym(b->loaded, "asif_stress_escape");
  bool found = b->code.thread && b->code.escape;
  for (unsigned i = 0; i < o->op_count; i++)
    found &= (b->code.function[i] = find_entry(b, ASIF_ENTRY_OP, &o->ops[i].run)) != NULL;
  b->code.init = find_entry(b, ASIF_ENTRY_INIT, NULL);
  if (!found) problem_internal(why, "%s: an operation is not in the build for stress", o->file);
  return found;
}

static bool write_whole(const char *path, const char *text, struct problem *why) {
  FILE *f = fopen(path, "w");
  bool good = f && fputs(text, f) >= 0;
  if (f) good &= fclose(f) == 0;
  if (!good) problem_set(why, "%.300s cannot be written: %s", path, strerror(errno));
  return good;
}

static char *path_in(struct mem *m, const char *directory, const char *name) {
  struct text t;
  text_open(&t, m);
  text_printf(&t, "%s/%s", directory, name);
  return t.at;
}

/* stress_child.c includes "test/stress_area.h". */
char *stress_program(struct mem *m, const char *directory, const char *sanitize, struct problem *why) {
  char *source = path_in(m, directory, "stress_child.c"), *area = path_in(m, directory, "stress_area.h");
  char *program = path_in(m, directory, "stress"), *said = path_in(m, directory, "stress.said");
  struct text child, flag;
  text_open(&child, m);
  text_open(&flag, m);
  const char *include = "#include \"test/stress_area.h\"\n", *at = strstr(asset_stress_child_c, include);
  text_bytes(&child, asset_stress_child_c, (size_t)(at - asset_stress_child_c));
  text_printf(&child, "#include \"stress_area.h\"\n%s", at + strlen(include));
  text_printf(&flag, "-fsanitize=%s", sanitize);
  if (!write_whole(source, child.at, why) || !write_whole(area, asset_stress_area_h, why)) return NULL;
  words w = {NULL, 0, 0};
  compiler_words(m, "CC", "cc", &w);
  char *folder = (char *)include_folder(m);
  char *const more[] = {"-std=gnu11",
                        "-O1",
                        "-g",
                        "-w",
                        "-DASIF_STRESS_PROGRAM",
                        flag.at,
                        "-I",
                        folder ? folder : ".",
                        "-o",
                        program,
                        source,
                        "-pthread",
                        "-ldl",
                        NULL};
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) vec_push(m, &w, more[i]);
  struct command_run c = {.words = w.at, .said = said};
  commands_run(&c, 1);
  if (!c.status && !c.error) return program;
  size_t n;
  problem_set(why, "--sanitize %s: the program that runs the object cannot be made:\n%.400s", sanitize,
              c.error ? strerror(c.error) : command_said(m, &c, &n));
  return NULL;
}

/* --- the area --- */

struct stress_area *stress_area_new(unsigned threads, uint32_t room, int *fd, struct problem *why) {
  size_t size = stress_area_size(threads, room);
  *fd = memfd_create("asif-stress", 0); /* a program of its own inherits it */
  void *a = *fd < 0 || ftruncate(*fd, (off_t)size) ? MAP_FAILED
                                                   : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
  if (a != MAP_FAILED) return a;
  problem_set(why, "no memory to share with the process that runs the object: %s", strerror(errno));
  if (*fd >= 0) close(*fd);
  return NULL;
}

void stress_area_free(struct stress_area *a, unsigned threads, uint32_t room, int fd) {
  munmap(a, stress_area_size(threads, room));
  close(fd);
}

/* --- the process --- */

/* The sanitizers stop at the first error; what they say of leaks is not asked for. */
static void run_program(const struct stress_build *b, int area_fd) {
  char number[16];
  snprintf(number, sizeof number, "%d", area_fd);
  setenv("TSAN_OPTIONS", "halt_on_error=1:exitcode=66", 0);
  setenv("ASAN_OPTIONS", "halt_on_error=1:exitcode=66:detect_leaks=0", 0);
  execl(b->program, b->program, number, (char *)NULL);
  _exit(127);
}

_Noreturn static void child(struct stress_area *a, int area_fd, const struct stress_build *b, int said_fd) {
  static const int signals[] = {SIGINT, SIGHUP, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM};
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], i > 2 ? SIG_DFL : SIG_IGN); /* Ctrl-C is asif's */
  dup2(said_fd, STDERR_FILENO);
  int null = open("/dev/null", O_RDWR);
  if (null >= 0) dup2(null, STDIN_FILENO), dup2(said_fd, STDOUT_FILENO);
  if (b->program) run_program(b, area_fd);
  stress_run(a, &b->code);
  _exit(0);
}

bool stress_start(struct stress_process *p, struct stress_area *a, int area_fd, const struct stress_build *b,
                  struct problem *why) {
  int alive[2] = {-1, -1};
  p->said_fd = memfd_create("asif-stress-said", MFD_CLOEXEC);
  p->pid = -1;
  if (b->program) snprintf(a->image, sizeof a->image, "%s", b->image);
  if (p->said_fd >= 0 && !pipe(alive)) p->pid = fork(); /* the pipe stays open in a program of its own, too */
  if (p->pid == 0) {
    close(alive[0]);
    child(a, area_fd, b, p->said_fd);
  }
  if (alive[1] >= 0) close(alive[1]);
  p->alive_fd = alive[0];
  if (p->pid > 0) return true;
  problem_set(why, "no process to run the object in: %s", strerror(errno));
  if (p->said_fd >= 0) close(p->said_fd);
  if (alive[0] >= 0) close(alive[0]);
  return false;
}

static uint64_t progress(struct stress_area *a) {
  uint64_t n = atomic_load(&a->arrived);
  for (uint32_t t = 0; t < a->threads; t++) n += atomic_load(&a->thread[t].begun) + atomic_load(&a->thread[t].done);
  return n;
}

enum stress_end stress_wait(struct stress_process *p, struct stress_area *a, double still,
                            const volatile sig_atomic_t *interrupted) {
  double since = clock_seconds();
  uint64_t seen = progress(a);
  for (;;) {
    struct pollfd f = {.fd = p->alive_fd, .events = POLLIN};
    int n = poll(&f, 1, 20);
    if (n > 0) break;
    if (interrupted && *interrupted) return STRESS_INTERRUPTED;
    uint64_t now = progress(a);
    if (now != seen) seen = now, since = clock_seconds();
    if (clock_seconds() - since >= still) return STRESS_STALLED;
  }
  while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR) {}
  p->pid = -1;
  return WIFEXITED(p->status) && !WEXITSTATUS(p->status) ? STRESS_ENDED : STRESS_DIED;
}

void stress_kill(struct stress_process *p) {
  if (p->pid <= 0) return;
  kill(p->pid, SIGKILL);
  while (waitpid(p->pid, &p->status, 0) < 0 && errno == EINTR) {}
  p->pid = -1;
}

char *stress_said(struct mem *m, struct stress_process *p) {
  enum { SAID_MOST = 20000 };
  struct stat s;
  char *text = NULL;
  if (!fstat(p->said_fd, &s) && s.st_size > 0) {
    size_t n = s.st_size > SAID_MOST ? SAID_MOST : (size_t)s.st_size;
    text = mem_alloc(m, n + 1);
    ssize_t got = pread(p->said_fd, text, n, 0);
    text[got > 0 ? got : 0] = 0;
  }
  close(p->said_fd);
  close(p->alive_fd);
  return text;
}
