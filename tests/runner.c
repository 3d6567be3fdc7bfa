/* The test runner: every TEST in a process of its own, several at a time, and the scripts in tests/cli the same way.
 *
 *   asif-tests [-j N] [-t SECONDS] [-l] [--no-cli] [--tally FILE] [NAME...]
 *
 * runs the tests whose names contain any NAME. A test's output is shown only if it fails. The last line is
 * `N passed, N failed`, with `, N skipped` where tests could not run (a script exits 77, a test calls test_skip).
 * --tally adds the numbers to a file; asif-tests --sum FILE prints the sum of several runs. --some: to run none at all
 * is no failure. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

enum { SKIPPED = 77 };

static struct test *registered;
static struct {
  int jobs, seconds;
  bool list, cli, some;
  const char *scripts, *tally;
} options = {.cli = true, .seconds = 400, .scripts = "tests/cli"};

struct run {
  const char *name;
  void (*run)(void);  /* a test ... */
  const char *script; /* ... or a script */
  pid_t pid;
  int output; /* a temporary file with what it printed */
  double started;
  bool late; /* killed for taking too long */
};

void test_register(struct test *t) {
  t->next = registered;
  registered = t;
}

void test_fail(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
  fflush(NULL);
  _exit(1);
}

void test_skip(const char *why) {
  fprintf(stderr, "skipped: %s\n", why);
  fflush(NULL);
  _exit(SKIPPED);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct run *)a)->name, ((const struct run *)b)->name);
}

static bool wanted(const char *name, int count, char **filters) {
  for (int i = 0; i < count; i++)
    if (strstr(name, filters[i])) return true;
  return !count;
}

static struct run *add(struct run *runs, size_t *count, struct run r) {
  runs = realloc(runs, (*count + 1) * sizeof *runs);
  if (!runs) abort();
  runs[(*count)++] = r;
  return runs;
}

static struct run *collect(size_t *count, int filters, char **filter) {
  struct run *runs = NULL;
  for (struct test *t = registered; t; t = t->next)
    if (wanted(t->name, filters, filter)) runs = add(runs, count, (struct run){.name = t->name, .run = t->run});
  DIR *d = options.cli ? opendir(options.scripts) : NULL;
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[PATH_MAX];
    size_t n = strlen(e->d_name);
    snprintf(path, sizeof path, "%s/%s", options.scripts, e->d_name);
    if (n < 4 || strcmp(e->d_name + n - 3, ".sh") || access(path, X_OK) || !wanted(path, filters, filter)) continue;
    char *copy = strdup(path);
    runs = add(runs, count, (struct run){.name = copy, .script = copy});
  }
  if (d) closedir(d);
  if (runs) qsort(runs, *count, sizeof *runs, by_name);
  return runs;
}

static void start(struct run *r) {
  FILE *f = tmpfile();
  if (!f) {
    perror("asif-tests: temporary file");
    exit(2);
  }
  r->output = dup(fileno(f));
  fclose(f);
  r->started = now();
  fflush(NULL);
  r->pid = fork();
  if (r->pid < 0) {
    perror("asif-tests: fork");
    exit(2);
  }
  if (r->pid) return;
  char include[PATH_MAX];
  setpgid(0, 0); /* so that a test's children end with it */
  int in = open("/dev/null", O_RDONLY);
  dup2(in, 0);
  dup2(r->output, 1);
  dup2(r->output, 2);
  if (r->script) {
    execl(r->script, r->script, (char *)NULL);
    perror(r->script);
    _exit(127);
  }
  if (getcwd(include, sizeof include - 9)) { /* of specifications in C, wherever this was built */
    strcat(include, "/include");
    setenv("ASIF_INCLUDE", include, 0);
  }
  r->run();
  fflush(NULL);
  _exit(0);
}

static void show_output(int fd) {
  char buffer[4096];
  ssize_t n;
  lseek(fd, 0, SEEK_SET);
  fflush(stdout);
  while ((n = read(fd, buffer, sizeof buffer)) > 0)
    if (fwrite(buffer, 1, (size_t)n, stdout) < (size_t)n) return;
}

/* Says how it ended; returns 0 passed, 1 failed, 2 skipped. */
static int ended(struct run *r, int status) {
  double seconds = now() - r->started;
  int how = 1;
  if (r->late)
    printf("FAIL %s: took more than %d s\n", r->name, options.seconds);
  else if (WIFSIGNALED(status))
    printf("FAIL %s: %s\n", r->name, strsignal(WTERMSIG(status)));
  else if (WEXITSTATUS(status) == SKIPPED)
    how = 2;
  else if (WEXITSTATUS(status))
    printf("FAIL %s: exit status %d\n", r->name, WEXITSTATUS(status));
  else
    how = 0;
  if (how == 2) printf("skip %s\n", r->name);
  if (how == 0) printf("ok   %s%s", r->name, seconds < 1 ? "\n" : "");
  if (how == 0 && seconds >= 1) printf(" (%.1f s)\n", seconds);
  if (how) show_output(r->output);
  close(r->output);
  fflush(stdout);
  return how;
}

static void run_all(struct run *runs, size_t count, size_t tally[3]) {
  size_t next = 0, running = 0;
  while (next < count || running) {
    while (next < count && running < (size_t)options.jobs) {
      start(&runs[next++]);
      running++;
    }
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid <= 0) poll(NULL, 0, 2);
    for (size_t i = 0; i < next; i++) {
      struct run *r = &runs[i];
      if (r->pid <= 0) continue;
      if (r->pid == pid) {
        kill(-r->pid, SIGKILL); /* what it left behind */
        r->pid = 0;
        tally[ended(r, status)]++;
        running--;
      } else if (!r->late && now() - r->started > options.seconds) {
        r->late = true;
        kill(-r->pid, SIGKILL);
        kill(r->pid, SIGKILL);
      }
    }
  }
}

static int usage(void) {
  fputs("usage: asif-tests [-j JOBS] [-t SECONDS] [-l] [--no-cli] [--tally FILE] [NAME...]\n", stderr);
  return 2;
}

/* Prints the closing line; the exit status of the run. */
static int close_with(const size_t tally[3]) {
  printf("%zu passed, %zu failed", tally[0], tally[1]);
  if (tally[2]) printf(", %zu skipped", tally[2]);
  putchar('\n');
  return tally[1] || !tally[0];
}

static int sum(const char *path) {
  size_t tally[3] = {0}, t[3];
  char line[100];
  FILE *f = fopen(path, "r");
  if (!f) {
    perror(path);
    return 2;
  }
  bool counted = false; /* "== NAME" begins a build; one that failed without counting did not compile */
  while (fgets(line, sizeof line, f)) {
    if (sscanf(line, "%zu %zu %zu", &t[0], &t[1], &t[2]) == 3) {
      counted = true;
      for (int i = 0; i < 3; i++) tally[i] += t[i];
    } else if (!strncmp(line, "==", 2)) {
      counted = false;
    } else if (!counted) {
      tally[1]++;
    }
  }
  fclose(f);
  return close_with(tally);
}

static void keep_tally(const size_t tally[3]) {
  FILE *f = options.tally ? fopen(options.tally, "a") : NULL;
  if (!f) return;
  fprintf(f, "%zu %zu %zu\n", tally[0], tally[1], tally[2]);
  fclose(f);
}

void assembler_if_called(int, char **); /* test/assembly.h, whose struct run is another */
void output_leave(void);                /* run/run.h: likewise */

int main(int argc, char **argv) {
  assembler_if_called(argc, argv); /* by a compiler that a test runs */
  output_leave();                  /* checks print while code is run */
  if (argc == 3 && !strcmp(argv[1], "--sum")) return sum(argv[2]);
  options.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; i++) {
    if (!strcmp(argv[i], "-j") && i + 1 < argc)
      options.jobs = atoi(argv[++i]);
    else if (!strcmp(argv[i], "-t") && i + 1 < argc)
      options.seconds = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--tally") && i + 1 < argc)
      options.tally = argv[++i];
    else if (!strcmp(argv[i], "-l"))
      options.list = true;
    else if (!strcmp(argv[i], "--some"))
      options.some = true;
    else if (!strcmp(argv[i], "--no-cli"))
      options.cli = false;
    else
      return usage();
  }
  if (options.jobs < 1 || options.seconds < 1) return usage();
  char path[PATH_MAX], *slash;
  ssize_t n = readlink("/proc/self/exe", path, sizeof path - 6);
  if (n > 0 && (path[n] = 0, slash = strrchr(path, '/'))) { /* scripts find the program beside this one */
    strcpy(slash + 1, "asif");
    setenv("ASIF", path, 0);
  }
  setenv("LC_ALL", "C.UTF-8", 1);
  size_t count = 0, tally[3] = {0};
  struct run *runs = collect(&count, argc - i, argv + i);
  if (options.list) {
    for (size_t k = 0; k < count; k++) puts(runs[k].name);
    return 0;
  }
  run_all(runs, count, tally);
  if (!count) fputs("no test has such a name\n", stderr);
  keep_tally(tally);
  free(runs);
  int status = close_with(tally);
  return options.some && !tally[1] ? 0 : status;
}
