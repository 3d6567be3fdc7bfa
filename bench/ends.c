/* make bench-ends: does a search of every schedule of all clients of three threads, two operations each, end?
 *
 *   bench-ends BUILD [--seconds N] [WORD...]   objects whose files' names contain any of the words, all by default
 *
 * `asif test FILE --threads 3 --ops 2 -j 1`, of the objects that are right: the models (objects) and the library
 * (objects/harness). Objects with roles for two threads have two. One run each, which is interrupted when it has taken
 * as much CPU time as the bar (or N, if that is less), however busy the machine is; of a search that has not ended by
 * then the figures are where it stopped. cpu_seconds: of the process that runs the code, without the compiler.
 *
 * Written to bench/results/ends.tsv when all rows run. */
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum { GROUPS = 2, OBJECTS_MOST = 100 };
static const struct {
  const char *name, *files;
  unsigned seconds; /* the bar */
} groups[GROUPS] = {{"models", "objects/*.c", 60}, {"library", "objects/harness/*.c", 600}};

/* Wrong on purpose: a search of them ends with what it finds. */
static const char *const wrong[] = {"objects/buggy_queue.c", "objects/treiber_stack_free.c"};

struct measured {
  const char *file;
  int group;
  char verdict[20], violation[40];
  double clients, done, schedules, cpu, seconds;
  unsigned threads;
};
static struct measured all[OBJECTS_MOST];
static int count;
static unsigned seconds_most; /* as asked for; 0: not */
static char program[4096], folder[4096], out[4200];

static bool is_wrong(const char *file) {
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (!strcmp(file, wrong[i])) return true;
  return false;
}

static unsigned limit_of(int group) {
  return seconds_most && seconds_most < groups[group].seconds ? seconds_most : groups[group].seconds;
}

/* CPU seconds of the processes of a group that have not ended. */
static double cpu_of(pid_t group) {
  double sum = 0;
  DIR *proc = opendir("/proc");
  for (struct dirent *e; proc && (e = readdir(proc));) {
    char path[300], text[1000];
    long of;
    unsigned long user, system;
    if (e->d_name[0] < '0' || e->d_name[0] > '9') continue;
    snprintf(path, sizeof path, "/proc/%s/stat", e->d_name);
    FILE *f = fopen(path, "r");
    if (!f) continue;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    const char *name_ends = strrchr(text, ')');
    if (name_ends &&
        sscanf(name_ends + 1, " %*c %*d %ld %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &of, &user, &system) == 3 &&
        of == group)
      sum += (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
  }
  if (proc) closedir(proc);
  return sum;
}

/* Interrupted, it says how far it came. */
static void run_for(char *const *argv, double cpu_seconds) {
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(fd, 1);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGINT);
    execvp(argv[0], argv);
    perror(argv[0]);
    _exit(127);
  }
  int status = 0;
  pid_t ended = 0;
  for (bool told = false; pid > 0 && !(ended = waitpid(pid, &status, WNOHANG)); usleep(200000)) {
    if (told || cpu_of(pid) < cpu_seconds) continue;
    kill(pid, SIGINT);
    told = true;
  }
  if (ended != pid || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) exit(2);
}

static void run_with(struct measured *m, unsigned threads) {
  char number[20];
  snprintf(number, sizeof number, "%u", threads);
  m->threads = threads;
  double begin = clock_seconds();
  run_for((char *[]){program, "test", (char *)m->file, "--json", "--memory", "sc", "--threads", number, "--ops", "2",
                     "-j", "1", NULL},
          limit_of(m->group));
  m->seconds = clock_seconds() - begin;
  char *json = read_text(out);
  string_of(json, "verdict", m->verdict, sizeof m->verdict);
  string_of(json, "violation", m->violation, sizeof m->violation);
  m->clients = number_of(json, "clients");
  m->done = number_of(json, "clients_done");
  m->schedules = number_of(json, "schedules");
  m->cpu = number_of(json, "cpu_seconds");
  free(json);
}

static bool is_met(const struct measured *m) {
  return !strcmp(m->verdict, "holds") && m->cpu <= groups[m->group].seconds;
}

static void print_row(const struct measured *m) {
  printf("%-42s %u x 2 %8.0f of %-8.0f %12.0f %9.2f %9.2f  %s%s%s\n", m->file, m->threads, m->done, m->clients,
         m->schedules, m->cpu, m->seconds, is_met(m) ? "ends" : "DOES NOT END: ", is_met(m) ? "" : m->verdict,
         *m->violation ? m->violation : "");
  fflush(stdout);
}

static bool judge(int group) {
  int rows = 0, met = 0;
  double sum = 0;
  for (int i = 0; i < count; i++) {
    if (all[i].group != group) continue;
    rows++;
    met += is_met(&all[i]);
    sum += all[i].cpu;
  }
  if (rows)
    printf("%s  %s: %d of %d end within %u CPU seconds; all together %.1f\n", met == rows ? "pass" : "FAIL",
           groups[group].name, met, rows, groups[group].seconds, sum);
  return met == rows;
}

static void write_results(void) {
  FILE *f = fopen("bench/results/ends.tsv", "w");
  if (!f) return;
  write_machine(f);
  if (seconds_most) fprintf(f, "none longer than %u CPU seconds; ", seconds_most);
  fputs("asif test FILE --memory sc --threads THREADS --ops 2 -j 1; clients: all, and those of which every schedule "
        "was explored; "
        "cpu_seconds: of the process that runs the code; seconds: of the whole command, by the clock, with the "
        "compiler\n",
        f);
  fputs("group\tfile\tthreads\tclients\tdone\tschedules\tcpu_seconds\tseconds\tverdict\tbar\tmet\n", f);
  for (int i = 0; i < count; i++) {
    const struct measured *m = &all[i];
    fprintf(f, "%s\t%s\t%u\t%.0f\t%.0f\t%.0f\t%.2f\t%.2f\t%s\t%u CPU s\t%s\n", groups[m->group].name, m->file,
            m->threads, m->clients, m->done, m->schedules, m->cpu, m->seconds, m->verdict, groups[m->group].seconds,
            is_met(m) ? "yes" : "no");
  }
  fclose(f);
}

int main(int argc, char **argv) {
  bool left_out = false, met = true;
  if (argc < 2) return fputs("usage: bench-ends BUILD [--seconds N] [WORD...]\n", stderr), 2;
  int words = 2;
  if (argc > 3 && !strcmp(argv[2], "--seconds")) {
    seconds_most = (unsigned)strtoul(argv[3], NULL, 10);
    words = 4;
  }
  snprintf(program, sizeof program, "%s/asif", argv[1]);
  snprintf(folder, sizeof folder, "%s/bench.d", argv[1]);
  snprintf(out, sizeof out, "%s/ends.out", folder);
  mkdir(folder, 0777);
  setenv("ASIF_INCLUDE", "include", 0);
  printf("%-42s %-5s %8s    %-8s %12s %9s %9s\n", "object", "size", "done", "clients", "schedules", "CPU s", "s");
  for (int g = 0; g < GROUPS; g++) {
    glob_t files;
    if (glob(groups[g].files, 0, NULL, &files)) return fprintf(stderr, "no %s\n", groups[g].files), 2;
    for (size_t i = 0; i < files.gl_pathc && count < OBJECTS_MOST; i++) {
      if (is_wrong(files.gl_pathv[i])) continue;
      if (!wanted(files.gl_pathv[i], argc - words, argv + words)) {
        left_out = true;
        continue;
      }
      struct measured *m = &all[count++];
      m->file = files.gl_pathv[i];
      m->group = g;
      run_with(m, 3);
      if (!*m->verdict) run_with(m, 2); /* there are roles for two */
      print_row(m);
    }
  }
  for (int g = 0; g < GROUPS; g++) met &= judge(g);
  if (!left_out) write_results();
  return !met;
}
