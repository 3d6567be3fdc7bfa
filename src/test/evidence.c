/* Evidence of `asif test`.
 *
 *   asif-evidence 1
 *   command test
 *   found not linearizable         or what else was wrong; or nothing
 *   input objects/bugs/b3_pop.c    a line each
 *   hash 0123456789abcdef          of the inputs
 *   argument -DSIZE=2              for the compiler, a line each
 *   main is the test               with --main
 *   word --filter=two              and what main is called with, a line each
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
 * was searched, and `memory`, `larger` and `unreached` where there is something to say.
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
#include "test/compile.h"
#include "test/tell.h"

/* --- writing --- */

/* Of all inputs; false if one cannot be read. */
static bool hash_inputs(char *const *inputs, uint64_t *hash, struct problem *why) {
  *hash = 0;
  for (; *inputs; inputs++) {
    uint64_t one;
    if (!file_hash(*inputs, &one, why)) return false;
    *hash = hash_mix(*hash ^ one);
  }
  return true;
}

/* On one line. */
static void put_line(struct text *t, const char *name, const char *rest) {
  text_printf(t, "%s ", name);
  for (; *rest; rest++) text_char(t, *rest == '\n' || *rest == '\r' ? ' ' : *rest);
  text_char(t, '\n');
}

static void put_told(const struct schedule *s, struct text *t) {
  text_printf(t, "told %zu\n", s->lines.count);
  for (size_t i = 0; i < s->lines.count; i++) {
    const struct schedule_line *l = &s->lines.at[i];
    uint32_t line = l->plain ? l->plain_line : l->line;
    const char *path = line ? s->files.at[l->plain ? l->plain_file : l->file].path : "-", *slash = strrchr(path, '/');
    text_printf(t, "%" PRIu32 " %s %s:%" PRIu32, l->step, s->threads.at[l->thread], slash ? slash + 1 : path, line);
    put_line(t, "", l->plain ? l->plain : l->text);
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
  uint64_t hash;
  if (!hash_inputs(e->inputs, &hash, why)) return false;
  text_printf(t, "asif-evidence 1\ncommand test\nfound %s\n",
              s->verdict == VERDICT_VIOLATED ? found_name(s->finding.found) : "nothing");
  for (char *const *in = e->inputs; *in; in++) put_line(t, "input", *in);
  text_printf(t, "hash %016" PRIx64 "\n", hash);
  for (char *const *f = e->flags; *f; f++) put_line(t, "argument", *f);
  if (e->program) text_add(t, "main is the test\n");
  for (char *const *w = e->program; w && *w; w++) put_line(t, "word", *w);
  if (e->spec) evidence_put_spec(t, e->spec);
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
    if (e->run->memory) put_line(&t, "memory", memory_model_name(e->run->memory));
    if (e->larger) put_line(&t, "larger", e->larger);
    if (e->unreached) put_line(&t, "unreached", e->unreached);
    return flush(&t, out);
  }
  text_add(&t, "client ");
  client_print(e->object, &f->client, &t);
  text_char(&t, '\n');
  if (f->found != FOUND_HISTORY) put_line(&t, "said", f->said);
  if (e->suppressions) put_line(&t, "suppressions", e->suppressions);
  text_printf(&t, "steps %zu\ntoken %s\n", e->run->steps_most, e->token);
  put_told(e->schedule, &t);
  const char *own = e->object->self ? SPEC_SELF : e->object->own_spec ? SPEC_OWN : NULL;
  if (f->found == FOUND_HISTORY)
    return flush(&t, out) && evidence_put(m, out, f->history, e->bound, own, &f->result, why);
  text_add(&t, "history\n");
  return (!f->history || format_wing_gong.write(f->history, &t, why, keep_all, NULL)) && flush(&t, out);
}

bool test_evidence_write(const char *path, const struct test_evidence *e, struct problem *why) {
  return output_whole(path, write_all, e, why);
}

/* --- reading --- */

enum { STEPS_MOST = 10000000 }; /* what --steps takes */

struct reading {
  struct replaying *replaying;
  struct mem *mem;
  const char *found, *asked, *client, *token, *text, *suppressions;
  struct spec_named spec; /* of --spec, or without a name */
  evidence_list inputs, arguments, words, told;
  bool is_program;
  uint64_t hash, steps;
  struct history_evidence history; /* of one that is wrong */
  struct text events;              /* of the others: Wing-Gong lines */
};

/* Lines of this name, as many as there are, NULL-terminated. */
static void read_list(struct evidence_lines *l, const char *name, evidence_list *to) {
  for (char *s; (s = line_take(l, name));) vec_push(l->mem, to, s);
  vec_push(l->mem, to, NULL);
}

/* True if a shell reads it as words alone, as text_shell_word writes them: it is printed as a command to repeat. */
static bool is_words(const char *s) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@% ";
  for (s += strspn(s, plain); *s; s += strspn(s, plain)) {
    if (!strncmp(s, "\\'", 2))
      s += 2;
    else if (*s == '\'' && strchr(s + 1, '\''))
      s = strchr(s + 1, '\'') + 1;
    else
      return false;
  }
  return true;
}

/* A name that the compiler takes for a file. */
static bool are_files(char *const *names) {
  for (; *names; names++)
    if (!**names || **names == '-' || **names == '@') return false;
  return true;
}

static bool read_asked(struct evidence_lines *l, struct reading *e) {
  if (!line_text(l, "found", &e->found)) return false;
  read_list(l, "input", &e->inputs);
  if (e->inputs.count < 2) return line_unexpected(l, "input");
  if (!are_files(e->inputs.at)) return line_unexpected(l, "input and the name of a file");
  if (!line_hash(l, "hash", &e->hash)) return false;
  read_list(l, "argument", &e->arguments);
  e->is_program = line_take(l, "main") != NULL;
  read_list(l, "word", &e->words);
  if (!evidence_read_spec(l, &e->spec) || !line_text(l, "asked", &e->asked)) return false;
  return (!strncmp(e->asked, "asif test ", 10) && is_words(e->asked)) || line_unexpected(l, "asked asif test ...");
}

static bool read_finding(struct evidence_lines *l, struct reading *e) {
  if (!line_text(l, "client", &e->client)) return false;
  e->text = line_take(l, "said");
  e->suppressions = line_take(l, "suppressions");
  if (!line_number(l, "steps", STEPS_MOST, &e->steps) || !line_text(l, "token", &e->token)) return false;
  if (!line_list(l, "told", "a line for each that is told", &e->told)) return false;
  text_open(&e->events, e->mem);
  if (!strcmp(e->found, found_name(FOUND_HISTORY))) return evidence_read(l, &e->history);
  return line_exact(l, "history") && line_rest(l, &e->events);
}

/* --- where nothing was found --- */

static bool replay_nothing(struct evidence_lines *l, struct reading *e) {
  uint64_t clients, explored, schedules, histories;
  struct text *said = &e->replaying->said;
  const char *was;
  if (!line_text(l, "verdict", &was) || !line_number(l, "clients", UINT64_MAX, &clients) ||
      !line_number(l, "explored", UINT64_MAX, &explored) || !line_number(l, "schedules", UINT64_MAX, &schedules) ||
      !line_number(l, "histories", UINT64_MAX, &histories))
    return false;
  const char *model = line_take(l, "memory");
  enum memory_model memory;
  if (!memory_model_read(model, &memory)) return line_unexpected(l, "memory " MEMORY_MODELS);
  text_printf(said, "%s: %" PRIu64 " %s of %" PRIu64 " of %" PRIu64 " clients", was, schedules,
              memory ? "runs" : "schedules", explored, clients);
  if (memory) text_printf(said, " under %s", memory_model_title(memory));
  if (histories) /* where they are told apart */
    text_printf(said, ", %" PRIu64 " %s", histories, memory ? "executions" : "histories");
  const char *larger = line_take(l, "larger"), *unreached = NULL;
  if (larger) text_printf(said, "; %s", larger);
  unreached = line_take(l, "unreached");
  if (unreached) text_printf(said, "; never executed: %s", unreached);
  text_printf(said, "; nothing shorter shows that. This does it again:\n\n  %s\n\n", e->asked);
  return replay_unknown(e->replaying, "the search was not repeated");
}

/* --- running it again, in a process of its own --- */

struct answer {
  enum verdict verdict;
  bool done, failed;   /* failed: the problem says why */
  bool changed;        /* the code is not the one of the token */
  const char *unknown; /* the reason, a constant of this program */
  char said[4096];
  struct problem why;
};

struct again {
  struct reading *file;
  struct mem mem;
  const char *directory;
  struct answer *answer;
  struct text said;
};

static enum verdict refuted(struct again *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum verdict refuted(struct again *a, const char *format, ...) {
  char line[600];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  text_printf(&a->said, "%s\n", line);
  if (!a->answer->changed) return VERDICT_VIOLATED;
  a->answer->unknown = "the code has changed";
  text_add(&a->said, "the code has changed since the evidence was written: what it did then is not known\n");
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
  if (!told->no_places && !a->answer->changed && !same_told(a, told))
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

/* The specification is in the code itself: the history is looked at where that is loaded. */
static bool is_own(const struct reading *e) {
  const char *spec = e->history.spec.name;
  return spec && (!strcmp(spec, SPEC_SELF) || !strcmp(spec, SPEC_OWN));
}

static bool judge_own(struct again *a, const struct object *o, enum verdict *verdict, struct problem *why) {
  struct spec spec = o->spec;
  struct replaying own = {.mem = &a->mem, .why = why, .run = true};
  if (o->self) self_spec(&a->mem, o, &spec);
  text_open(&own.said, &a->mem);
  if (!evidence_judge(&own, &a->file->history, &spec)) return false;
  *verdict = own.verdict;
  a->answer->unknown = own.unknown;
  text_add(&a->said, text_string(&own.said));
  return true;
}

/* What the machine refuses, or cannot be decided, refutes nothing. */
static enum verdict not_run(struct again *a, const char *what, const struct problem *p) {
  if (p->kind != PROBLEM_SYSTEM && p->kind != PROBLEM_UNSUPPORTED) return refuted(a, "%s%s", what, p->text);
  text_printf(&a->said, "%s%s\n", what, p->text);
  a->answer->unknown = "the code could not be run to its end";
  return VERDICT_UNKNOWN;
}

static bool run_again(struct again *a, enum verdict *verdict, struct problem *why) {
  struct reading *e = a->file;
  struct object_options from = {
      .inputs = e->inputs.at, .flags = e->arguments.at, .spec = e->spec.name, .directory = a->directory};
  if (e->is_program) from.program = e->words.at;
  struct run_options how = {.steps_most = (size_t)e->steps};
  struct image *image;
  struct compiled compiled;
  struct object o;
  struct finding f;
  struct spec bound;
  struct schedule told = {0};
  uint32_t checksum;
  if (!object_open(&a->mem, &from, &image, &compiled, &o, why)) return false;
  sentences notes = {NULL, 0, 0};
  if (!suppressions_read(&a->mem, e->suppressions, image, compiled.object, &how, &notes, why)) return false;
  if (!replay_parse(&a->mem, &o, e->token, &how, &f, &checksum, why)) return false;
  if (checksum != code_checksum(&a->mem, compiled.object)) {
    text_add(&a->said,
             "the code is not that of the token: the compiler, or what the files include, has changed since\n");
    a->answer->changed = true;
  }
  object_run_options(&o, &how);
  struct problem other;
  struct limits none;
  limits_start(&none, 0, 0);
  if (finding_dies(&a->mem, image, &o, &how, &none, &f)) return *verdict = judge_again(a, &o, &f, &bound, &told), true;
  if (!replay(&a->mem, image, &o, &how, &f, &other))
    return *verdict = not_run(a, "the token cannot be run: ", &other), true;
  if (f.found && !finding_explain(&a->mem, image, &o, &how, &f, &bound, &told, &other))
    return *verdict = not_run(a, "", &other), true;
  *verdict = judge_again(a, &o, &f, &bound, &told);
  if (*verdict != VERDICT_HOLDS || f.found != FOUND_HISTORY || !is_own(e)) return true;
  return judge_own(a, &o, verdict, why);
}

static void no_memory_left(struct answer *out) {
  problem_of(&out->why, PROBLEM_SYSTEM, "out of memory");
  out->failed = true;
}

static void child(struct again *a) {
  struct answer *out = a->answer;
  enum verdict verdict = VERDICT_UNKNOWN;
  mem_open(&a->mem, NULL);
  text_open(&a->said, &a->mem);
  if (MEM_GUARD(&a->mem)) {
    no_memory_left(out);
    return;
  }
  if (MEM_GUARD(a->file->mem)) { /* its guard is in what the parent was doing */
    no_memory_left(out);
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
  if (pid < 0) return problem_of(why, PROBLEM_SYSTEM, "no process can be made: %s", strerror(errno)), false;
  if (!pid) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) child(a);
    _exit(0);
  }
  int status = wait_for(e->mem, pid);
  if (a->answer->done || a->answer->failed) return true;
  /* Not because of the token: what becomes of its run was found out before, in another process (finding_dies). */
  a->answer->verdict = VERDICT_UNKNOWN;
  a->answer->unknown = ended_by_machine(status) ? "the process that ran the code was killed: for lack of memory?"
                       : a->answer->changed     ? "the code has changed"
                                                : "the process that ran the code ended";
  snprintf(a->answer->said, sizeof a->answer->said, "the process that ran the token ended%s%s\n",
           WIFSIGNALED(status) ? ": " : "", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
  return true;
}

/* True if it may be compiled and run. Otherwise the verdict is unknown, and what was said says why. */
static bool may_run(struct reading *e) {
  struct replaying *r = e->replaying;
  struct code_named code = {e->inputs.at, e->arguments.at, e->spec.name, e->is_program ? e->words.at : NULL};
  const char *refused;
  struct problem why;
  uint64_t hash;
  replay_tell_code(r, &code);
  if (!r->run) {
    text_add(&r->said, "--run compiles this and runs it under the schedule of the token: run only what you trust\n");
    return replay_unknown(r, "the code was not run (--run)"), false;
  }
  if (!r->trust_arguments && !arguments_harmless(e->arguments.at, &refused)) {
    text_printf(&r->said,
                "the argument %s is not given to the compiler because a file says so: --trust-arguments does, and so "
                "does\n\n  %s\n\n",
                refused, e->asked);
    return replay_unknown(r, "an argument for the compiler is not trusted (--trust-arguments)"), false;
  }
  if (!hash_inputs(e->inputs.at, &hash, &why)) {
    text_printf(&r->said, "%s\n", why.text);
    return replay_unknown(r, "the code cannot be read"), false;
  }
  if (hash != e->hash) {
    text_add(&r->said, "the files have changed since: they are not compiled\n");
    return replay_unknown(r, "the files have changed"), false;
  }
  return replay_spec_may_load(r, &e->spec);
}

static bool replay_code(struct reading *e) {
  struct again a = {.file = e};
  struct replaying *r = e->replaying;
  struct mem *m = e->mem;
  if (!may_run(e)) return true; /* unknown */
  r->show(r);
  a.answer = mmap(NULL, sizeof *a.answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (a.answer == MAP_FAILED) return problem_of(r->why, PROBLEM_SYSTEM, "out of memory"), false;
  a.directory = compile_directory(m, r->why);
  bool good = a.directory && in_process(e, &a, r->why);
  if (a.directory) compile_remove(a.directory);
  if (m->limits && limits_poll(m->limits)) {
    munmap(a.answer, sizeof *a.answer);
    mem_escape(m);
  }
  if (good) {
    text_add(&r->said, a.answer->said);
    r->verdict = a.answer->verdict;
    r->unknown = a.answer->unknown;
    if (a.answer->failed) *r->why = a.answer->why, good = false;
  }
  munmap(a.answer, sizeof *a.answer);
  return good;
}

/* What the file says of the history, without the code. */
static bool replay_history(struct evidence_lines *l, struct reading *e) {
  struct spec *spec;
  e->replaying->verdict = VERDICT_HOLDS;
  if (!e->history.history || is_own(e)) return true;
  if (e->history.holds) return line_unexpected(l, "a history that is not linearizable");
  if (!replay_spec(e->replaying, &e->history.spec, &spec)) return false;
  if (!spec) return true;
  bool good = evidence_judge(e->replaying, &e->history, spec);
  spec_user_close(spec);
  return good;
}

bool test_evidence_replay(struct replaying *r, struct evidence_lines *l) {
  struct reading *e = mem_zero(r->mem, 1, sizeof *e);
  *e = (struct reading){.replaying = r, .mem = r->mem};
  if (!read_asked(l, e)) return false;
  text_printf(&r->said, "%s: test %s, %s\n", l->in->name, e->inputs.at[0],
              strcmp(e->found, "nothing") ? e->found : "no violation");
  if (!strcmp(e->found, "nothing")) return replay_nothing(l, e);
  if (!read_finding(l, e) || !replay_history(l, e)) return false;
  enum verdict history = r->verdict;
  const char *reason = r->unknown;
  if (history == VERDICT_VIOLATED) return true;
  if (!replay_code(e)) return false;
  if (history == VERDICT_UNKNOWN && r->verdict == VERDICT_HOLDS) replay_unknown(r, reason);
  return true;
}
