/* Preprocessing by the system's compiler, of what is left to it. The model headers are part of this program, and are
 * written to a temporary folder for it; the folder is gone afterwards, whatever happens. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/spawn.h"
#include "front/model.h"
#include "front/pp.h"

extern char **environ;

enum { SECONDS_MOST = 60, SAID_MOST = 64 * 1024 };

/* One run of the compiler, and all that must be undone after it. */
struct run {
  struct mem *mem;
  const char *path;
  struct problem *problem;
  bool missing;     /* there is no compiler */
  char folder[512]; /* of the model headers; "" before it is made */
  struct text out, said;
  int out_fd, said_fd; /* what the compiler writes and says; -1 if closed */
  pid_t child;         /* 0 if none runs */
  double deadline;
};

static const char *in_folder(const struct run *r, const char *name, char path[600]) {
  snprintf(path, 600, "%s/%s", r->folder, name);
  return path;
}

static void close_fd(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

static void undo(struct run *r) {
  char path[600];
  close_fd(&r->out_fd);
  close_fd(&r->said_fd);
  if (r->child > 0) {
    kill(-r->child, SIGKILL);
    kill(r->child, SIGKILL);
    while (waitpid(r->child, NULL, 0) < 0 && errno == EINTR) {}
    r->child = 0;
  }
  if (!*r->folder) return;
  for (int i = 0; i < model_header_count; i++) unlink(in_folder(r, model_headers[i].name, path));
  rmdir(r->folder);
  *r->folder = 0;
}

static bool write_header(const struct run *r, const struct model_header *h) {
  char path[600];
  FILE *f = fopen(in_folder(r, h->name, path), "w");
  if (!f) return false;
  bool written = fwrite(h->text, 1, *h->size, f) == *h->size;
  return fclose(f) == 0 && written;
}

static bool make_folder(struct run *r) {
  const char *tmp = getenv("TMPDIR");
  if (!tmp || !*tmp || strlen(tmp) > 400) tmp = "/tmp";
  snprintf(r->folder, sizeof r->folder, "%s/asif-model-XXXXXX", tmp);
  bool made = mkdtemp(r->folder) != NULL;
  if (!made) *r->folder = 0;
  for (int i = 0; made && i < model_header_count; i++) made = write_header(r, &model_headers[i]);
  if (!made)
    problem_set(r->problem, "%.200s: no temporary folder can be made in %.200s: %s", r->path, tmp, strerror(errno));
  return made;
}

struct words {
  VEC(char *) list;
};

static void add_word(struct run *r, struct words *to, const char *word) { vec_push(r->mem, &to->list, (char *)word); }

/* CC="gcc -m64" is several words. */
static void add_compiler(struct run *r, struct words *to) {
  const char *cc = getenv("CC");
  if (!cc || !cc[strspn(cc, " \t")]) cc = "cc";
  for (cc += strspn(cc, " \t"); *cc; cc += strspn(cc, " \t")) {
    size_t length = strcspn(cc, " \t");
    add_word(r, to, mem_string(r->mem, cc, length));
    cc += length;
  }
}

static char **compiler_words(struct run *r, char *const *cc_args) {
  static const char *const flags[] = {"-E", ("-std=" STANDARD_USUAL), "-w", "-D__ASIF_MODEL__=1", "-I"};
  struct words words = {{NULL, 0, 0}};
  add_compiler(r, &words);
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) add_word(r, &words, flags[i]);
  add_word(r, &words, r->folder);
  for (; cc_args && *cc_args; cc_args++) add_word(r, &words, *cc_args);
  add_word(r, &words, "-x");
  add_word(r, &words, "c");
  add_word(r, &words, r->path);
  add_word(r, &words, NULL);
  return words.list.at;
}

/* Our environment, but messages in English. */
static char **compiler_environment(struct run *r) {
  struct words words = {{NULL, 0, 0}};
  for (char **e = environ; *e; e++)
    if (strncmp(*e, "LC_ALL=", 7)) add_word(r, &words, *e);
  add_word(r, &words, "LC_ALL=C");
  add_word(r, &words, NULL);
  return words.list.at;
}

static int spawn(struct run *r, char **words, char **environment, int out, int said) {
  struct spawning s = {.words = words, .environment = environment, .out = out, .err = said, .group = true};
  pid_t child;
  int failed = spawn_program(&s, &child);
  if (!failed) r->child = child;
  return failed;
}

static bool start(struct run *r, char *const *cc_args) {
  char **words = compiler_words(r, cc_args), **environment = compiler_environment(r);
  int out[2] = {-1, -1}, said[2] = {-1, -1};
  bool piped = !pipe2(out, O_CLOEXEC) && !pipe2(said, O_CLOEXEC);
  int failed = piped ? spawn(r, words, environment, out[1], said[1]) : errno;
  close_fd(&out[1]);
  close_fd(&said[1]);
  r->out_fd = out[0];
  r->said_fd = said[0];
  r->missing = failed == ENOENT;
  if (failed)
    problem_set(r->problem, "%.200s: %.100s, which preprocesses it, could not be run: %s; CC names another compiler",
                r->path, words[0], strerror(failed));
  return !failed;
}

/* Reads what is there; false at the end. */
static bool take_output(int *fd, struct text *to, size_t most) {
  char buffer[16384];
  ssize_t n = read(*fd, buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (n <= 0) {
    close_fd(fd);
    return false;
  }
  if (to->count < most) text_bytes(to, buffer, (size_t)n);
  return true;
}

static bool late(struct run *r) {
  if (clock_seconds() < r->deadline) return false;
  problem_set(r->problem, "%.200s: the compiler did not preprocess it within %d s", r->path, SECONDS_MOST);
  return true;
}

/* Until the compiler ends: its status, or -1 with the problem. */
static int wait_for(struct run *r) {
  while (r->out_fd >= 0 || r->said_fd >= 0) {
    struct pollfd fds[2] = {{.fd = r->out_fd, .events = POLLIN}, {.fd = r->said_fd, .events = POLLIN}};
    poll(fds, 2, 50);
    mem_poll(r->mem);
    if (fds[0].revents) take_output(&r->out_fd, &r->out, TEXT_MOST + 1);
    if (fds[1].revents) take_output(&r->said_fd, &r->said, SAID_MOST);
    if (late(r)) return -1;
  }
  int status;
  pid_t ended;
  while ((ended = waitpid(r->child, &status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    poll(NULL, 0, 2);
    mem_poll(r->mem);
    if (late(r)) return -1;
  }
  r->child = 0;
  if (ended > 0 && WIFEXITED(status)) return WEXITSTATUS(status);
  problem_set(r->problem, "%.200s: the compiler that preprocesses it (%.100s) ended unexpectedly", r->path,
              getenv("CC") ? getenv("CC") : "cc");
  return -1;
}

/* The place that a line of the compiler begins with: path:line:col: . Returns what follows, or NULL. */
static const char *place_in(struct run *r, const char *line, struct unit *u, struct place *place) {
  for (const char *p = line; *p && *p != '\n'; p++) {
    unsigned at, col;
    int n = 0;
    if (*p != ':' || sscanf(p, ":%u:%u: %n", &at, &col, &n) != 2 || !n) continue;
    struct source_file file = {.path = mem_string(r->mem, line, (size_t)(p - line))};
    source_read(r->mem, &file);
    vec_push(r->mem, &u->files, file);
    *place = (struct place){0, at, col > UINT16_MAX ? UINT16_MAX : (uint16_t)col};
    return p + n;
  }
  return NULL;
}

/* "fatal error: x.h: No such file or directory", and "fatal error: 'x.h' file not found": the name, or NULL. */
static const char *missing_header(struct run *r, const char *message) {
  const char *end = strstr(message, ": No such file or directory");
  if (end) return mem_string(r->mem, message, (size_t)(end - message));
  end = *message == '\'' ? strstr(message, "' file not found") : NULL;
  return end ? mem_string(r->mem, message + 1, (size_t)(end - message - 1)) : NULL;
}

static bool between_angles(const struct unit *u, struct place place) {
  const struct source_file *file = &u->files.at[0];
  const char *at = file->text, *end = at ? at + file->length : NULL;
  for (uint32_t line = 1; at && line < place.line; line++) {
    at = memchr(at, '\n', (size_t)(end - at));
    if (at) at++;
  }
  if (!at) return false;
  const char *stop = memchr(at, '\n', (size_t)(end - at));
  return memchr(at, '<', (size_t)((stop ? stop : end) - at)) != NULL;
}

/* The first error that the compiler named, in our words where it is a header. */
static void explain(struct run *r) {
  struct unit *u = mem_zero(r->mem, 1, sizeof *u);
  const char *said = text_string(&r->said), *error = strstr(said, "error: ");
  if (!error) {
    const char *between = *said ? ":\n" : "; the compiler does not say why";
    problem_set(r->problem, "%.200s: cannot be preprocessed%s%.300s", r->path, between, said);
    return;
  }
  const char *line = error;
  while (line > said && line[-1] != '\n') line--;
  const char *end = strchr(error, '\n');
  char *whole = mem_string(r->mem, line, end ? (size_t)(end - line) : strlen(line));
  struct place place;
  if (!place_in(r, whole, u, &place)) {
    problem_set(r->problem, "%.200s: cannot be preprocessed: %.300s", r->path, whole);
    return;
  }
  const char *message = strstr(whole, "error: ") + strlen("error: "), *header = missing_header(r, message);
  if (!header)
    problem_at(r->problem, u, place, "%.200s", message);
  else if (between_angles(u, place))
    problem_at(r->problem, u, place, "<%.200s> is not found; -I says in which folder to look", header);
  else
    problem_at(r->problem, u, place, "%.200s is not found; -I says in which folder to look", header);
}

/* A preprocessor says where each line is from, even of an empty file. */
static bool is_preprocessed(struct run *r, char *const *cc_args) {
  bool plain = false;
  for (char *const *a = cc_args; a && *a; a++) plain |= !strcmp(*a, "-P");
  if (plain || strstr(text_string(&r->out), "# 1 \"")) return true;
  const char *cc = getenv("CC");
  problem_set(r->problem,
              "%.200s: %.100s, which is to preprocess it, prints no preprocessed C: is it a compiler? CC names one",
              r->path, cc && *cc ? cc : "cc");
  return false;
}

static const char *run(struct run *r, char *const *cc_args, const char **model) {
  if (!make_folder(r) || !start(r, cc_args)) return NULL;
  int status = wait_for(r);
  if (status > 0) explain(r);
  if (!status && !is_preprocessed(r, cc_args)) status = -1;
  *model = mem_string(r->mem, r->folder, strlen(r->folder));
  undo(r); /* the folder is needed no more, only its name */
  return status ? NULL : text_string(&r->out);
}

const char *compiler_preprocess(struct mem *m, const char *path, char *const *cc_args, size_t *length,
                                const char **model, bool *missing, struct problem *problem) {
  struct run r = {.mem = m, .path = path, .problem = problem, .out_fd = -1, .said_fd = -1};
  struct run *at = &r; /* through a pointer, so that it has its latest values after a jump */
  struct mem *root = m;
  struct mem_outer outer;
  r.deadline = clock_seconds() + SECONDS_MOST;
  while (root->parent) root = root->parent;
  mem_keep_guard(root, &outer);
  text_open(&r.out, m);
  text_open(&r.said, m);
  if (MEM_GUARD(root)) {
    undo(at);
    mem_restore_guard(root, &outer);
    mem_escape(root);
  }
  const char *text = run(at, cc_args, model);
  undo(at);
  mem_restore_guard(root, &outer);
  *length = at->out.count;
  *missing = at->missing;
  return text;
}
