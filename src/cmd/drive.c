/* asif drive: calls a store's operations from many clients, with faults, records what it did, and checks that. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/spawn.h"
#include "cmd/cmd.h"
#include "drive/drive.h"
#include "report/report.h"

extern char **environ;

static const struct opt opts[] = {
    {"clients", 'n', "N", NULL, "how many clients call the store, each one operation after the other (default 5)"},
    {"time", 't', "TIME", NULL, "how long: 10, 0.5, 5m (default 10 s)"},
    {"keys", 'k', "N", NULL, "how many keys (default 5); their names are new ones in each run"},
    {"ops", 0, "LIST", NULL, "what is called: get,put,cas,delete (default: get,put,cas; of a client program get,put)"},
    {"rate", 'r', "N", NULL, "operations a second of all clients together; 0: as fast as they can (default 1000)"},
    {"timeout", 0, "TIME", NULL, "after so long the outcome of an operation is unknown (default 1 s)"},
    {"fault", 0, "FAULT", NULL,
     "a fault, switched on and off in turn: 'NAME: COMMAND / COMMAND' for the shell, pause:PID, or kill:PID:COMMAND, "
     "which runs COMMAND afterwards; PID may be @FILE. Several are separated by ' ;; '"},
    {"every", 0, "TIME", NULL, "faults are switched on, and off again, so often (default 5 s)"},
    {"option", 0, "WORD", NULL, "of etcd: serializable; of redis: replica-reads"},
    {"output", 'o', "FILE", "@files",
     "where what happened is recorded; other endings than .edn are converted at the end (default: drive-TIME.edn)"},
    {"spec", 's', "SPEC", "@specs", "what the store must do (default: map)"},
    {"seed", 0, "SEED", NULL, "of the choice of operations and keys (default: by the time)"},
    {"html", 0, "FILE", "@files", "write a page of the history, as asif check does"},
    {"evidence", 'e', "FILE", "@files", "write what the verdict rests on, for asif replay"},
    {"check-time", 0, "TIME", NULL, "how long checking may take at the end (default: as long as it takes)"},
    {"json", 0, NULL, NULL, "print a JSON object of what was done, and after it the one of asif check"},
    {"quiet", 'q', NULL, NULL, "print the verdict line only"},
    {NULL, 0, NULL, NULL, NULL},
};

static bool read_kinds(const struct args *a, const struct store *s, unsigned *kinds) {
  const char *at = arg_value(a, "ops");
  *kinds = at ? 0 : s->usual;
  for (; at && *at; at += strcspn(at, ","), at += *at == ',') {
    int k = 0;
    while (k < REQUEST_KINDS && (strlen(request_names[k]) != strcspn(at, ",") ||
                                 memcmp(request_names[k], at, strlen(request_names[k])) != 0))
      k++;
    if (k == REQUEST_KINDS || !(s->kinds >> k & 1))
      return usage_error(a, "--ops: %.*s is none of get, put, cas, delete", (int)strcspn(at, ","), at), false;
    *kinds |= 1u << k;
  }
  if (*kinds & 1u << REQUEST_PUT) return true;
  return usage_error(a, "--ops: without put nothing happens"), false;
}

static bool read_faults(const struct args *a, struct drive_options *o) {
  struct problem why;
  char *at = arg_value(a, "fault") ? mem_string(a->mem, arg_value(a, "fault"), strlen(arg_value(a, "fault"))) : NULL;
  while (at) {
    char *next = strstr(at, " ;; ");
    if (next) *next = '\0', next += 4;
    while (*at == ' ') at++;
    struct fault *more = mem_zero(a->mem, o->fault_count + 1, sizeof *more);
    if (o->fault_count) memcpy(more, o->faults, o->fault_count * sizeof *more);
    o->faults = more;
    if (!fault_read(a->mem, at, &o->faults[o->fault_count++], &why)) return usage_error(a, "%s", why.text), false;
    at = next;
  }
  return true;
}

/* run.asif is made of run.asif.edn at the end. */
static bool read_output(const struct args *a, struct drive_options *o, const char **path) {
  const char *given = arg_value(a, "output");
  time_t now = time(NULL);
  struct tm local;
  struct text t;
  text_open(&t, a->mem);
  if (given && !strcmp(given, "-")) return usage_error(a, "--output -: a file is needed"), false;
  if (given)
    text_add(&t, given);
  else if (localtime_r(&now, &local))
    text_printf(&t, "drive-%04d%02d%02d-%02d%02d%02d.edn", local.tm_year + 1900, local.tm_mon + 1, local.tm_mday,
                local.tm_hour, local.tm_min, local.tm_sec);
  *path = o->record = text_string(&t);
  size_t size = strlen(*path);
  if (size > 4 && !strcmp(*path + size - 4, ".edn")) return true;
  struct text r;
  text_open(&r, a->mem);
  text_printf(&r, "%s.edn", *path);
  o->record = text_string(&r);
  return true;
}

/* This program, with other arguments. Its exit status; it prints what it has to say, or nothing. */
static int run_self(char **words, bool silent) {
  static char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  pid_t child;
  int status = 0, null = silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
  if (n <= 0) return EXIT_INTERNAL;
  self[n] = '\0';
  words[0] = self;
  fflush(stdout);
  int error = spawn_program(
      &(struct spawning){.words = words, .environment = environ, .out = silent ? null : 1, .err = silent ? null : 2},
      &child);
  if (null >= 0) close(null);
  if (error) return say_error("this program cannot be started again: %s", strerror(error)), EXIT_INTERNAL;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_INTERNAL;
}

/* The last lines may be half written: only a violation counts. */
static bool violated(void *self, const char *record) {
  const struct args *a = self;
  const char *spec = arg_value(a, "spec") ? arg_value(a, "spec") : "map";
  char *words[] = {NULL,
                   (char *)"check",
                   (char *)record,
                   (char *)"--spec",
                   (char *)spec,
                   (char *)"--quiet",
                   (char *)"--no-explain",
                   (char *)"--time-limit",
                   (char *)"5",
                   NULL};
  return run_self(words, true) == EXIT_VIOLATED;
}

static int check_record(const struct args *a, const char *path) {
  static const char *const passed[] = {"html", "evidence"};
  char *words[20] = {NULL, (char *)"check", (char *)path, (char *)"--spec",
                     (char *)(arg_value(a, "spec") ? arg_value(a, "spec") : "map")};
  static char names[2][20];
  size_t count = 5;
  for (size_t i = 0; i < 2; i++) {
    if (!arg_value(a, passed[i])) continue;
    snprintf(names[i], sizeof names[i], "--%s", passed[i]);
    words[count++] = names[i];
    words[count++] = (char *)arg_value(a, passed[i]);
  }
  if (arg_flag(a, "json")) words[count++] = (char *)"--json";
  if (arg_flag(a, "quiet")) words[count++] = (char *)"--quiet";
  if (arg_value(a, "check-time")) {
    words[count++] = (char *)"--time-limit";
    words[count++] = (char *)arg_value(a, "check-time");
  }
  return run_self(words, false);
}

/* Seconds, so that they can be read. */
static void put_time(struct text *t, double s) {
  if (s < 1e-3)
    text_printf(t, "%.0f us", s * 1e6);
  else if (s < 1)
    text_printf(t, s < 0.01 ? "%.1f ms" : "%.0f ms", s * 1e3);
  else
    text_printf(t, "%.1f s", s);
}

static uint64_t sum_of(const struct driven *r, int fate) {
  uint64_t sum = 0;
  for (int k = 0; k < REQUEST_KINDS; k++) sum += r->answers[k][fate];
  return sum;
}

static void tell_fault(const struct fault *f, struct text *t) {
  text_printf(t, "fault %s: ", f->name);
  if (f->times) {
    text_printf(t, "on %llu time%s, %.1f s in all; meanwhile %llu operations ok, %llu failed, %llu unknown",
                (unsigned long long)f->times, f->times == 1 ? "" : "s", f->seconds,
                (unsigned long long)f->answers[FATE_OK], (unsigned long long)f->answers[FATE_FAIL],
                (unsigned long long)f->answers[FATE_UNKNOWN]);
    if (f->answers[FATE_OK]) {
      text_add(t, ", the longest ");
      put_time(t, f->slowest);
    }
    text_char(t, '\n');
    if (!f->answers[FATE_FAIL] && !f->answers[FATE_UNKNOWN])
      text_printf(t, "note: no operation failed while %s was on: the clients may not have noticed it\n", f->name);
  } else {
    text_add(t, f->failed ? "it was never switched on" : "the time was too short to switch it on");
    text_char(t, '\n');
  }
  if (f->failed)
    text_printf(t, "note: %s could not be switched %llu time%s: %s\n", f->name, (unsigned long long)f->failed,
                f->failed == 1 ? "" : "s", f->said);
}

static void tell(const struct drive_options *o, const struct driven *r, const char *path, struct text *t) {
  uint64_t ok = sum_of(r, FATE_OK), failed = sum_of(r, FATE_FAIL), unknown = sum_of(r, FATE_UNKNOWN);
  text_printf(t, "%s: %u client%s, %u key%s, %.1f s: %llu operations ok, %llu failed, %llu unknown\n",
              o->target.written, o->clients, o->clients == 1 ? "" : "s", o->keys, o->keys == 1 ? "" : "s", r->seconds,
              (unsigned long long)ok, (unsigned long long)failed, (unsigned long long)unknown);
  for (int k = 0; k < REQUEST_KINDS; k++) {
    const uint64_t *a = r->answers[k];
    if (!(a[FATE_OK] + a[FATE_FAIL] + a[FATE_UNKNOWN])) continue;
    text_printf(t, "  %-7s %8llu ok, %llu failed, %llu unknown", request_names[k], (unsigned long long)a[FATE_OK],
                (unsigned long long)a[FATE_FAIL], (unsigned long long)a[FATE_UNKNOWN]);
    if (a[FATE_OK]) {
      text_add(t, "; median ");
      put_time(t, r->median[k]);
      text_add(t, ", 99 % within ");
      put_time(t, r->most_99[k]);
      text_add(t, ", longest ");
      put_time(t, r->longest[k]);
    }
    text_char(t, '\n');
  }
  for (size_t i = 0; i < r->why_count; i++)
    text_printf(t, "  %s: %llu times: %s\n", r->whys[i].fate == FATE_FAIL ? "failed" : "unknown",
                (unsigned long long)r->whys[i].count, r->whys[i].said);
  for (size_t i = 0; i < o->fault_count; i++) tell_fault(&o->faults[i], t);
  if (!o->fault_count) text_add(t, "note: no faults: --fault switches some on and off\n");
  text_printf(t, "recorded: %s\n\n", path);
}

static void json_answers(struct text *t, const uint64_t *a) {
  text_printf(t, "\"ok\":%llu,\"failed\":%llu,\"unknown\":%llu", (unsigned long long)a[FATE_OK],
              (unsigned long long)a[FATE_FAIL], (unsigned long long)a[FATE_UNKNOWN]);
}

static void tell_json(const struct drive_options *o, const struct driven *r, const char *path, struct text *t) {
  bool first = true;
  text_add(t, "{\"schema\":\"asif-1\",\"command\":\"drive\",\"target\":");
  put_json(t, o->target.written, strlen(o->target.written));
  text_printf(t, ",\"clients\":%u,\"keys\":%u,\"seconds\":%.3f,\"recorded\":", o->clients, o->keys, r->seconds);
  put_json(t, path, strlen(path));
  text_add(t, ",\"operations\":{");
  for (int k = 0; k < REQUEST_KINDS; k++) {
    if (!(o->kinds >> k & 1)) continue;
    text_printf(t, "%s\"%s\":{", first ? "" : ",", request_names[k]);
    json_answers(t, r->answers[k]);
    text_printf(t, ",\"median\":%.6f,\"within_99\":%.6f,\"longest\":%.6f}", r->median[k], r->most_99[k], r->longest[k]);
    first = false;
  }
  text_add(t, "},\"faults\":[");
  for (size_t i = 0; i < o->fault_count; i++) {
    const struct fault *f = &o->faults[i];
    text_add(t, i ? ",{\"name\":" : "{\"name\":");
    put_json(t, f->name, strlen(f->name));
    text_printf(t, ",\"times\":%llu,\"seconds\":%.3f,\"could_not\":%llu,", (unsigned long long)f->times, f->seconds,
                (unsigned long long)f->failed);
    json_answers(t, f->answers);
    text_printf(t, ",\"longest\":%.6f}", f->slowest);
  }
  text_printf(t, "],\"violated_meanwhile\":%s,\"interrupted\":%s}\n", r->violated ? "true" : "false",
              r->interrupted ? "true" : "false");
}

/* Nothing was answered: there is nothing to check. */
static int tell_silence(const struct drive_options *o, const struct driven *r) {
  const char *said = r->why_count ? r->whys[0].said : "no operation ended";
  say_error("%s: no operation was ok in %.1f s, the first was not because of this: %s", o->target.written, r->seconds,
            said);
  return EXIT_USAGE;
}

static int end(const struct args *a, const struct drive_options *o, const struct driven *r, const char *path) {
  struct text t;
  text_open(&t, a->mem);
  if (!sum_of(r, FATE_OK)) return tell_silence(o, r);
  if (strcmp(path, o->record) != 0) {
    char *words[] = {NULL, (char *)"convert", (char *)o->record, (char *)path, NULL};
    int status = run_self(words, false);
    if (status) return say_error("what was recorded is in %s", o->record), status;
    unlink(o->record);
  }
  if (arg_flag(a, "json"))
    tell_json(o, r, path, &t);
  else if (!arg_flag(a, "quiet"))
    tell(o, r, path, &t);
  if (!write_stdout(text_string(&t), t.count)) return EXIT_USAGE;
  return check_record(a, path);
}

static int run(const struct args *a) {
  bool bad = false;
  struct problem why = {.text = ""};
  struct driven driven;
  struct drive_options o = {
      .clients = (unsigned)arg_number(a, "clients", 5, 1, 1000, &bad),
      .keys = (unsigned)arg_number(a, "keys", 5, 1, 1000000, &bad),
      .seconds = arg_seconds(a, "time", 10, &bad),
      .timeout = arg_seconds(a, "timeout", 1, &bad),
      .rate = (double)arg_number(a, "rate", 1000, 0, 100000000, &bad),
      .seed = (uint64_t)arg_number(a, "seed", (long long)time(NULL), INT64_MIN, INT64_MAX, &bad),
      .every = arg_seconds(a, "every", 5, &bad),
      .progress = isatty(2) && !arg_flag(a, "quiet"),
      .interrupted = &interrupted,
      .violated = violated,
      .self = (void *)a,
  };
  const char *path;
  if (bad) return EXIT_USAGE;
  if (!target_read(a->at[0], arg_value(a, "option"), &o.target, &why)) return usage_error(a, "%s", why.text);
  if (!read_kinds(a, o.target.store, &o.kinds) || !read_faults(a, &o) || !read_output(a, &o, &path)) return EXIT_USAGE;
  handle_interrupts();
  if (!drive(a->mem, &o, &driven, &why)) return say_error("%s", why.text), EXIT_USAGE;
  return end(a, &o, &driven, path);
}

const struct command command_drive = {
    .name = "drive",
    .usage = "STORE|COMMAND [-n CLIENTS] [-t TIME] [--fault FAULT] [-o FILE]",
    .summary = "call a store from many clients, with faults, and check what it did",
    .details = "Each client calls get, put, cas or delete of a random key, one operation after the other. Every\n"
               "value is written once; an operation without an answer in time is of unknown outcome, and its\n"
               "client goes on as another process. All of it is recorded as it happens, and checked: every few\n"
               "seconds, so that a violation ends it at once, and at the end, as `asif check` does. It is said\n"
               "what happened while a fault was on.\n"
               "\n"
               "A STORE is one of\n"
               "  redis://HOST:PORT[,HOST:PORT]   the first is called; with --option replica-reads the others\n"
               "                                  are read\n"
               "  memcached://HOST:PORT\n"
               "  etcd://HOST:PORT[,HOST:PORT]    each client calls one of them; --option serializable\n"
               "\n"
               "Any other is driven by a client program of yours, in any language. COMMAND is started once for\n"
               "each client. It reads `get 3`, `put 3 17`, `cas 3 17 18` or `delete 3`, a line each, and answers\n"
               "each with a line: `ok 17` or `ok nil`, `ok`, `ok true` or `ok false`, `ok`; or `fail WHY`, if it\n"
               "did not happen, or `info WHY`, if nobody knows. ASIF_CLIENT is its number, and ASIF_PREFIX a name\n"
               "that is new in each run, for its keys: nothing is there at first.\n"
               "\n"
               "Examples:\n"
               "  asif drive redis://127.0.0.1:6379 -t 60\n"
               "  asif drive redis://127.0.0.1:7001 --fault pause:$(pidof redis-server) --every 2s -o run.edn\n"
               "  asif drive etcd://10.0.0.1:2379,10.0.0.2:2379 --fault 'cut: ./cut on / ./cut off'\n"
               "  asif drive './client.py --host db1' --ops get,put,cas -n 20\n"
               "\n"
               "Exit status: as asif check; 2 if no operation was ever ok.\n",
    .opts = opts,
    .least = 1,
    .most = 1,
    .run = run,
};
