/* Evidence of `asif test`.
 *
 *   asif-evidence 1
 *   command test
 *   found not linearizable         or what else was wrong; or nothing
 *   input objects/bugs/b3_pop.c    a line each
 *   hash 0123456789abcdef          of the inputs
 *   argument -DSIZE=2              for the compiler, a line each
 *   spec stack                     what --spec said, if it was given
 *   asked asif test ...            the command that does it all again
 *
 * and where something was found
 *
 *   client push(1) pop() | pop()
 *   said TEXT                      what the runtime said of it, if it did
 *   steps 20000                    --steps; 0: as many as there are without
 *   token 1:r:a1.b_b:A4B3A:d2c4e10c
 *   told 17                        the lines of the schedule: step, thread, place, and what happens
 *   1 A treiber_stack.c:31 push(1)
 *   ...
 *
 * and then, of a history that is wrong, what any such evidence has from `verdict` on (evidence/write.c), else `history`
 * and Wing-Gong lines. Where nothing was found: `verdict`, `clients`, `explored`, `schedules`, `histories`, with what
 * was searched.
 *
 * Replaying has two parts that are independent of each other. A history that is said to be wrong is looked at by the
 * code that looks at every such one (evidence/core.c). And the files are compiled again, the token is run, and must do
 * what is told. */
#include "test/evidence.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "evidence/evidence.h"
#include "history/format.h"
#include "test/tell.h"

/* --- writing --- */

/* Of all inputs; false if one cannot be read: which. */
static bool hash_inputs(char *const *inputs, uint64_t *hash, const char **missing) {
  *hash = 0;
  for (; *inputs; inputs++) {
    char block[65536];
    FILE *f = fopen(*inputs, "rb");
    *missing = *inputs;
    if (!f) return false;
    *hash = hash_mix(*hash ^ 1);
    size_t n;
    while ((n = fread(block, 1, sizeof block, f)) > 0) *hash = hash_mix(*hash ^ hash_bytes(block, n));
    bool bad = ferror(f);
    fclose(f);
    if (bad) return false;
  }
  return true;
}

/* On one line. */
static void put_line(struct text *t, const char *name, const char *words) {
  text_printf(t, "%s ", name);
  for (; *words; words++) text_char(t, *words == '\n' || *words == '\r' ? ' ' : *words);
  text_char(t, '\n');
}

static void put_told(const struct schedule *s, struct text *t) {
  text_printf(t, "told %zu\n", s->lines.count);
  for (size_t i = 0; i < s->lines.count; i++) {
    const struct schedule_line *l = &s->lines.at[i];
    const char *path = l->line ? s->files.at[l->file].path : "-", *slash = strrchr(path, '/');
    text_printf(t, "%" PRIu32 " %s %s:%" PRIu32, l->step, s->threads.at[l->thread], slash ? slash + 1 : path, l->line);
    put_line(t, "", l->text);
  }
}

static bool keep_all(struct text *t, void *to) { return (void)t, (void)to, true; }

static bool flush(struct text *t, struct output *out) {
  bool good = output_write(out, text_string(t), t->count);
  text_clear(t);
  return good;
}

static bool put_asked(const struct test_evidence *e, struct text *t, struct problem *why) {
  const struct searched *s = e->searched;
  const char *missing;
  uint64_t hash;
  if (!hash_inputs(e->inputs, &hash, &missing))
    return problem_set(why, "%s cannot be read again: %s", missing, strerror(errno)), false;
  text_printf(t, "asif-evidence 1\ncommand test\nfound %s\n",
              s->verdict == VERDICT_VIOLATED ? found_name(s->finding.found) : "nothing");
  for (char *const *in = e->inputs; *in; in++) put_line(t, "input", *in);
  text_printf(t, "hash %016" PRIx64 "\n", hash);
  for (char *const *f = e->flags; *f; f++) put_line(t, "argument", *f);
  if (e->spec) put_line(t, "spec", e->spec);
  put_line(t, "asked", e->asked);
  return true;
}

static bool write_all(struct mem *m, struct output *out, const void *self, struct problem *why) {
  const struct test_evidence *e = self;
  const struct searched *s = e->searched;
  const struct finding *f = &s->finding;
  struct text t;
  text_open(&t, m);
  if (!put_asked(e, &t, why)) return false;
  if (s->verdict != VERDICT_VIOLATED) {
    text_printf(&t,
                "verdict %s\nclients %" PRIu64 "\nexplored %" PRIu64 "\nschedules %" PRIu64 "\nhistories %" PRIu64 "\n",
                e->verdict, s->clients, s->done, s->schedules, s->histories);
    return flush(&t, out);
  }
  text_add(&t, "client ");
  client_print(e->object, &f->client, &t);
  text_char(&t, '\n');
  if (f->found != FOUND_HISTORY) put_line(&t, "said", f->said);
  text_printf(&t, "steps %zu\ntoken %s\n", e->run->steps_most, e->token);
  put_told(e->schedule, &t);
  if (f->found == FOUND_HISTORY) return flush(&t, out) && evidence_put(m, out, f->history, e->bound, &f->result, why);
  text_add(&t, "history\n");
  return (!f->history || format_wing_gong.write(f->history, &t, why, keep_all, NULL)) && flush(&t, out);
}

bool test_evidence_write(const char *path, const struct test_evidence *e, struct problem *why) {
  return output_whole(path, write_all, e, why);
}

/* --- reading --- */

typedef VEC(char *) lines;

struct reading {
  struct mem *mem;
  struct input *in;
  struct problem *why;
  char *line;
  size_t len;
  const char *found, *spec, *asked, *client, *token, *text;
  lines inputs, arguments, told;
  uint64_t hash, steps;
  struct history_evidence history; /* of one that is wrong */
  struct text events;              /* of the others: Wing-Gong lines */
};

static bool unexpected(struct reading *e, const char *expected) {
  return input_problem(e->in, e->in->at, e->why, "expected %s", expected);
}

static bool next(struct reading *e, const char *expected) {
  e->line = input_line(e->in, &e->len);
  return e->line || unexpected(e, expected);
}

/* The line is "name rest": the rest, kept; or NULL. */
static char *rest(struct reading *e, const char *name) {
  size_t n = strlen(name);
  return e->line && e->len >= n + 1 && !memcmp(e->line, name, n) && e->line[n] == ' '
             ? mem_string(e->mem, e->line + n + 1, e->len - n - 1)
             : NULL;
}

static bool read_text(struct reading *e, const char *name, const char **out) {
  *out = rest(e, name);
  return *out ? true : unexpected(e, name);
}

static bool read_number(struct reading *e, const char *name, int base, uint64_t *out) {
  const char *s;
  char *end;
  if (!read_text(e, name, &s)) return false;
  *out = strtoull(s, &end, base);
  return (*s && *s != '-' && *s != '+' && *s != ' ' && !*end) || unexpected(e, name);
}

/* Lines of this name, as many as there are; the one after them has been read. */
static bool read_list(struct reading *e, const char *name, const char *expected, lines *to) {
  char *s;
  while ((s = rest(e, name))) {
    vec_push(e->mem, to, s);
    if (!next(e, expected)) return false;
  }
  vec_push(e->mem, to, NULL);
  return true;
}

static bool read_asked(struct reading *e) {
  if (!next(e, "found") || !read_text(e, "found", &e->found) || !next(e, "input") ||
      !read_list(e, "input", "hash", &e->inputs))
    return false;
  if (e->inputs.count < 2) return unexpected(e, "input");
  if (!read_number(e, "hash", 16, &e->hash) || !next(e, "asked") || !read_list(e, "argument", "asked", &e->arguments))
    return false;
  if ((e->spec = rest(e, "spec")) && !next(e, "asked")) return false;
  return read_text(e, "asked", &e->asked);
}

static bool read_finding(struct reading *e) {
  uint64_t count;
  if (!next(e, "client") || !read_text(e, "client", &e->client) || !next(e, "steps")) return false;
  if ((e->text = rest(e, "said")) && !next(e, "steps")) return false;
  if (!read_number(e, "steps", 10, &e->steps) || !next(e, "token") || !read_text(e, "token", &e->token)) return false;
  if (!next(e, "told") || !read_number(e, "told", 10, &count)) return false;
  for (uint64_t i = 0; i < count; i++) {
    if (!next(e, "a line for each that is told")) return false;
    char *line = mem_string(e->mem, e->line, e->len);
    vec_push(e->mem, &e->told, line);
  }
  text_open(&e->events, e->mem);
  if (!strcmp(e->found, found_name(FOUND_HISTORY))) return evidence_read(e->mem, e->in, &e->history, e->why);
  if (!next(e, "history") || strcmp(e->line, "history")) return unexpected(e, "history");
  while ((e->line = input_line(e->in, &e->len))) {
    text_bytes(&e->events, e->line, e->len);
    text_char(&e->events, '\n');
  }
  return input_whole(e->in, e->why);
}

/* --- where nothing was found --- */

static bool replay_nothing(struct reading *e, enum verdict *verdict, struct text *said) {
  uint64_t clients, explored, schedules, histories;
  const char *was;
  if (!next(e, "verdict") || !read_text(e, "verdict", &was) || !next(e, "clients") ||
      !read_number(e, "clients", 10, &clients) || !next(e, "explored") || !read_number(e, "explored", 10, &explored) ||
      !next(e, "schedules") || !read_number(e, "schedules", 10, &schedules) || !next(e, "histories") ||
      !read_number(e, "histories", 10, &histories))
    return false;
  text_printf(said, "%s: %" PRIu64 " schedules of %" PRIu64 " of %" PRIu64 " clients", was, schedules, explored,
              clients);
  if (histories) text_printf(said, ", %" PRIu64 " histories", histories); /* where they are told apart */
  text_printf(said, "; nothing shorter shows that. This does it again:\n\n  %s\n\n", e->asked);
  *verdict = VERDICT_UNKNOWN;
  return true;
}

/* --- running it again, in a process of its own --- */

struct answer {
  enum verdict verdict;
  bool done, failed; /* failed: the problem says why */
  char said[4096];
  struct problem why;
};

struct again {
  struct reading *file;
  struct mem mem;
  const char *directory;
  struct answer *answer;
  struct text said;
  bool changed;
};

static enum verdict refuted(struct again *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum verdict refuted(struct again *a, const char *format, ...) {
  char line[600];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  text_printf(&a->said, "%s\n", line);
  if (!a->changed) return VERDICT_VIOLATED;
  text_add(&a->said, "the code is not the one that it was: what that did is not known\n");
  return VERDICT_UNKNOWN;
}

static bool same_told(struct again *a, const struct schedule *schedule) {
  struct text t, file;
  text_open(&t, &a->mem);
  text_open(&file, &a->mem);
  put_told(schedule, &t);
  text_printf(&file, "told %zu\n", a->file->told.count);
  for (size_t i = 0; i < a->file->told.count; i++) text_printf(&file, "%s\n", a->file->told.at[i]);
  return !strcmp(text_string(&t), text_string(&file));
}

static bool history_lines(struct mem *m, const struct history *h, struct text *t) {
  struct problem why;
  text_open(t, m);
  return !h || format_wing_gong.write(h, t, &why, keep_all, NULL);
}

static enum verdict judge_again(struct again *a, struct object *o, struct finding *f, struct spec *bound,
                                const struct schedule *told) {
  struct reading *e = a->file;
  struct text client, mine, its;
  text_open(&client, &a->mem);
  client_print(o, &f->client, &client);
  if (strcmp(found_name(f->found), e->found))
    return refuted(a, "the token's run is another: %s", f->found ? found_name(f->found) : "nothing is wrong with it");
  if (strcmp(text_string(&client), e->client))
    return refuted(a, "the token's calls are others: %s", text_string(&client));
  if (f->found != FOUND_HISTORY && (!e->text || strcmp(f->said, e->text)))
    return refuted(a, "the run goes wrong otherwise: %s", f->said);
  if (!told->no_places && !a->changed && !same_told(a, told))
    return refuted(a, "the run takes other steps than those that are told");
  if (f->found == FOUND_HISTORY && !spec_bind(bound, e->history.history, &a->answer->why))
    return refuted(a, "%s", a->answer->why.text);
  if (!history_lines(&a->mem, f->history, &mine)) return refuted(a, "the run's history cannot be written");
  if (f->found != FOUND_HISTORY)
    its = e->events;
  else if (!history_lines(&a->mem, e->history.history, &its))
    return refuted(a, "its history cannot be written");
  if (strcmp(text_string(&mine), text_string(&its))) return refuted(a, "the run has another history");
  if (f->found == FOUND_HISTORY)
    text_printf(&a->said, "compiled again, the %zu steps of the token give this history\n", f->count);
  else
    text_printf(&a->said, "compiled again, the %zu steps of the token end so: %s\n", f->count, f->said);
  return VERDICT_HOLDS;
}

/* Where the specification is in the code itself, the history is looked at here. */
static bool is_own(const struct reading *e) {
  return e->history.spec && (!strcmp(e->history.spec, "self") || !strcmp(e->history.spec, e->inputs.at[0]));
}

static bool judge_own(struct again *a, const struct object *o, enum verdict *verdict, struct problem *why) {
  struct spec spec = o->spec;
  if (o->self) self_spec(&a->mem, o, &spec);
  return evidence_judge(&a->mem, &a->file->history, &spec, verdict, &a->said, why);
}

static bool run_again(struct again *a, enum verdict *verdict, struct problem *why) {
  struct reading *e = a->file;
  struct object_options from = {
      .inputs = e->inputs.at, .flags = e->arguments.at, .spec = e->spec, .directory = a->directory};
  struct run_options how = {.steps_most = (size_t)e->steps};
  struct image *image;
  struct compiled compiled;
  struct object o;
  struct finding f;
  struct spec bound;
  struct schedule told = {0};
  uint32_t checksum;
  if (!object_open(&a->mem, &from, &image, &compiled, &o, why)) return false;
  if (!replay_parse(&a->mem, &o, e->token, &how, &f, &checksum, why)) return false;
  if (checksum != code_checksum(&a->mem, compiled.object) && !a->changed) {
    text_add(&a->said,
             "the code is not the one of the token: the compiler, or what the files include, has changed since\n");
    a->changed = true;
  }
  how.type_stable = o.type_stable;
  struct problem other;
  struct limits none;
  limits_start(&none, 0, 0);
  if (finding_dies(&a->mem, image, &o, &how, &none, &f)) return *verdict = judge_again(a, &o, &f, &bound, &told), true;
  if (!replay(&a->mem, image, &o, &how, &f, &other))
    return *verdict = refuted(a, "the token cannot be run: %s", other.text), true;
  if (f.found && !finding_explain(&a->mem, image, &o, &how, &f, &bound, &told, &other))
    return *verdict = refuted(a, "%s", other.text), true;
  *verdict = judge_again(a, &o, &f, &bound, &told);
  if (*verdict != VERDICT_HOLDS || f.found != FOUND_HISTORY || !is_own(e)) return true;
  return judge_own(a, &o, verdict, why);
}

static void child(struct again *a) {
  struct answer *out = a->answer;
  enum verdict verdict = VERDICT_UNKNOWN;
  mem_open(&a->mem, NULL);
  text_open(&a->said, &a->mem);
  if (MEM_GUARD(&a->mem)) {
    problem_set(&out->why, "out of memory");
    out->failed = true;
    return;
  }
  out->failed = !run_again(a, &verdict, &out->why);
  out->verdict = verdict;
  snprintf(out->said, sizeof out->said, "%s", text_string(&a->said));
  out->done = true;
}

/* Waits for it, as long as it may take. */
static int wait_for(struct mem *m, pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (m->limits && limits_poll(m->limits)) kill(pid, SIGKILL);
    usleep(2000);
  }
  return status;
}

static bool in_process(struct reading *e, struct again *a, struct problem *why) {
  fflush(stdout);
  fflush(stderr);
  pid_t parent = getpid(), pid = fork();
  if (pid < 0) return problem_set(why, "no process can be made: %s", strerror(errno)), false;
  if (!pid) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) child(a);
    _exit(0);
  }
  int status = wait_for(e->mem, pid);
  if (a->answer->done || a->answer->failed) return true;
  a->answer->verdict = a->changed ? VERDICT_UNKNOWN : VERDICT_VIOLATED;
  snprintf(a->answer->said, sizeof a->answer->said, "the process that ran the token ended%s%s\n",
           WIFSIGNALED(status) ? ": " : "", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
  return true;
}

/* What the compiler is told comes from a file: nothing that could run a program, or write where it likes. */
static bool harmless(const char *argument) {
  static const char *const plain[] = {"-pthread", "-g", "-w", "-pedantic"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    if (!strcmp(argument, plain[i])) return true;
  if (!strncmp(argument, "-Wl,", 4) || !strncmp(argument, "-Wa,", 4) || !strncmp(argument, "-Wp,", 4) ||
      !strncmp(argument, "-fplugin", 8))
    return false;
  static const char *const begins[] = {"-D", "-U", "-I", "-O", "-W", "-f", "-m", "-std=", "-l"};
  for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
    size_t n = strlen(begins[i]);
    if (!strncmp(argument, begins[i], n) && (argument[n] || !strcmp(begins[i], "-O"))) return true;
  }
  return false;
}

static bool can_compile(const struct reading *e, bool *changed, struct text *said) {
  const char *missing;
  uint64_t hash;
  for (size_t i = 0; i + 1 < e->arguments.count; i++) {
    if (harmless(e->arguments.at[i])) continue;
    text_printf(said, "the argument %s is not given to the compiler because a file says so; this does it:\n\n  %s\n\n",
                e->arguments.at[i], e->asked);
    return false;
  }
  if (!hash_inputs(e->inputs.at, &hash, &missing)) {
    text_printf(said, "%s cannot be read: that the code does this cannot be looked at\n", missing);
    return false;
  }
  *changed = hash != e->hash;
  if (*changed) text_add(said, "the files have changed since\n");
  return true;
}

static bool replay_code(struct reading *e, enum verdict *verdict, struct text *said) {
  struct again a = {.file = e};
  struct mem *m = e->mem;
  if (!can_compile(e, &a.changed, said)) return true; /* unknown */
  a.answer = mmap(NULL, sizeof *a.answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (a.answer == MAP_FAILED) return problem_set(e->why, "out of memory"), false;
  a.directory = compile_directory(m, e->why);
  bool good = a.directory && in_process(e, &a, e->why);
  if (a.directory) compile_remove(a.directory);
  if (m->limits && limits_poll(m->limits)) {
    munmap(a.answer, sizeof *a.answer);
    mem_escape(m);
  }
  if (good) {
    text_add(said, a.answer->said);
    *verdict = a.answer->verdict;
    if (a.answer->failed && a.changed) {
      text_printf(said, "%s\n", a.answer->why.text);
      *verdict = VERDICT_UNKNOWN;
    } else if (a.answer->failed) {
      problem_set(e->why, "%s", a.answer->why.text);
      good = false;
    }
  }
  munmap(a.answer, sizeof *a.answer);
  return good;
}

static bool replay_history(struct reading *e, enum verdict *verdict, struct text *said) {
  struct spec spec;
  if (e->history.holds) return unexpected(e, "a history that is not linearizable");
  return spec_load(e->history.spec, &spec, e->mem, e->why) &&
         evidence_judge(e->mem, &e->history, &spec, verdict, said, e->why);
}

bool test_evidence_replay(struct mem *m, struct input *in, enum verdict *verdict, struct text *said,
                          struct problem *why) {
  struct reading *e = mem_zero(m, 1, sizeof *e);
  *e = (struct reading){.mem = m, .in = in, .why = why};
  *verdict = VERDICT_UNKNOWN;
  if (!read_asked(e)) return false;
  text_printf(said, "%s: test %s, %s\n", in->name, e->inputs.at[0],
              strcmp(e->found, "nothing") ? e->found : "no violation");
  if (!strcmp(e->found, "nothing")) return replay_nothing(e, verdict, said);
  if (!read_finding(e)) return false;
  enum verdict history = VERDICT_HOLDS;
  if (e->history.history && !is_own(e) && !replay_history(e, &history, said)) return false;
  if (history == VERDICT_VIOLATED) return *verdict = history, true;
  if (!replay_code(e, verdict, said)) return false;
  if (history == VERDICT_UNKNOWN && *verdict == VERDICT_HOLDS) *verdict = history;
  return true;
}
