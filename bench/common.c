/* See common.h. */
#include "common.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MOST = 9, TEXT_MOST = 1 << 22 };

double run_program(char *const *argv, const char *out, unsigned most_cpu, long *kb) {
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(fd, 1);
    if (most_cpu) setrlimit(RLIMIT_CPU, &(struct rlimit){most_cpu, most_cpu});
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
  }
  int status;
  struct rusage u;
  if (pid < 0 || wait4(pid, &status, 0, &u) != pid || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) exit(2);
  if (kb && u.ru_maxrss > *kb) *kb = u.ru_maxrss;
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

double run_median(char *const *argv, const char *out, int runs, double slow, long *kb) {
  double t[RUNS_MOST];
  int n = 0;
  do t[n++] = run_program(argv, out, 0, kb);
  while (n < runs && n < RUNS_MOST && t[0] < slow);
  qsort(t, (size_t)n, sizeof *t, by_size);
  return t[n / 2];
}

void read_last_line(const char *path, char *last, size_t room) {
  char line[2000];
  FILE *f = fopen(path, "r");
  *last = 0;
  while (f && fgets(line, sizeof line, f)) snprintf(last, room, "%.*s", (int)strcspn(line, "\n"), line);
  if (f) fclose(f);
}

const char *verdict_of(const char *line) {
  static const char *const all[] = {"linearizable", "not linearizable", "unknown", "violated"};
  for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
    if (!strncmp(line, "verdict: ", 9) && !strncmp(line + 9, all[i], strlen(all[i]))) return all[i];
  return "none";
}

void write_machine(FILE *f) {
  char line[500], model[300] = "unknown processor", date[40];
  FILE *cpu = fopen("/proc/cpuinfo", "r");
  while (cpu && fgets(line, sizeof line, cpu))
    if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
      snprintf(model, sizeof model, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
      break;
    }
  if (cpu) fclose(cpu);
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  fprintf(f, "# %s, %ld cores; %s; ", model, sysconf(_SC_NPROCESSORS_ONLN), date);
}

bool wanted(const char *name, int count, char **words) {
  for (int i = 0; i < count; i++)
    if (strstr(name, words[i])) return true;
  return !count;
}

double clock_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

char *read_text(const char *path) {
  FILE *f = fopen(path, "r");
  char *text = f ? calloc(1, TEXT_MOST) : NULL;
  if (!text) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(2);
  }
  text[fread(text, 1, TEXT_MOST - 1, f)] = 0;
  fclose(f);
  return text;
}

const char *member_of(const char *json, const char *name) {
  char key[60];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *at = strstr(json, key);
  return at ? at + strlen(key) : "";
}

double number_of(const char *json, const char *name) { return strtod(member_of(json, name), NULL); }

void string_of(const char *json, const char *name, char *to, size_t room) {
  const char *at = member_of(json, name);
  snprintf(to, room, "%.*s", *at == '"' ? (int)strcspn(at + 1, "\"") : 0, *at == '"' ? at + 1 : "");
}
