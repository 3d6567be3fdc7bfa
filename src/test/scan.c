/* What the hooks cannot see: atomic instructions that come from inline assembly, objects compiled without hooks, and
 * functions of the threads library that do not run under the scheduler. A test that passes because it saw nothing is
 * the worst answer, so all of these are told.
 *
 * The objects are disassembled (objdump -d -r): in code compiled for the hooks every atomic access is a call, and an
 * instruction that is atomic by itself was written by hand. */
#include <stdlib.h>
#include <string.h>

#include "test/assembly.h"
#include "test/compile.h"
#include "test/test.h"

enum { SENTENCES_MOST = 20 };

struct scanning {
  struct mem *mem;
  sentences *warnings;
  size_t more; /* sentences not told */
  const struct scanned *at;
  const struct scanned *objects;
  size_t count, next;
  char member[200]; /* of an archive, or "" */
  char function[200];
  char told[64];        /* the instruction last told of this function */
  bool hooks, accesses; /* of the object: it was compiled for the hooks; it accesses memory that is not the stack */
  bool marked;          /* ... and what is written in assembly is recorded in it (assembly.h) */
  size_t before;        /* sentences about others */
  withouts *without;
};

static void put_object(const struct scanning *k, struct text *t) {
  text_add(t, k->at->shown);
  if (*k->member) text_printf(t, "(%s)", k->member);
}

static void warn(struct scanning *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(struct scanning *k, const char *format, ...) {
  struct text t;
  char what[700];
  va_list list;
  va_start(list, format);
  vsnprintf(what, sizeof what, format, list);
  va_end(list);
  text_open(&t, k->mem);
  put_object(k, &t);
  text_printf(&t, "%s", what);
  for (size_t i = 0; i < k->warnings->count; i++)
    if (!strcmp(k->warnings->at[i], t.at)) return;
  if (k->warnings->count < SENTENCES_MOST)
    vec_push(k->mem, k->warnings, t.at);
  else
    k->more++;
}

/* Instructions. */

static bool begins(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* What is atomic in this instruction, as "lock cmpxchg"; false if nothing is. */
static bool atomic_instruction(const char *s, char *what, size_t room) {
  static const char *const arm[] = {"ldxr",  "stxr",  "ldaxr", "stlxr", "ldxp", "stxp",  "ldaxp",
                                    "stlxp", "ldar",  "stlr",  "cas",   "swp",  "ldadd", "ldclr",
                                    "ldset", "ldeor", "stadd", "stclr", "stset"};
  size_t n = strcspn(s, " ,");
  const char *lock = strstr(s, "lock ");
  if (lock && (lock == s || lock[-1] == ' ')) {
    size_t operation = strcspn(lock + 5, " ");
    snprintf(what, room, "%.*s", (int)(5 + operation), lock);
    return true;
  }
  bool memory = strchr(s, '(') != NULL;
  bool found = (begins(s, "xchg") && memory) || begins(s, "cmpxchg") || begins(s, "syscall") || begins(s, "svc");
  for (size_t i = 0; i < sizeof arm / sizeof *arm && strchr(s, '['); i++) found |= begins(s, arm[i]);
  if (found) snprintf(what, room, "%.*s", (int)n, s);
  return found;
}

/* A fence: mfence, dmb, or a locked instruction that changes nothing on the stack. */
static bool fence_instruction(const char *s) {
  if (begins(s, "mfence") || begins(s, "dmb") || begins(s, "dsb")) return true;
  return begins(s, "lock ") && strstr(s, "$0x0,") && strstr(s, "(%rsp)");
}

/* Does it access memory that others may see? relocation: what the linker will put in; or NULL. */
static bool accesses_memory(const char *s, const char *relocation) {
  const char *open = strchr(s, '(');
  if (begins(s, "lea") || begins(s, "nop") || begins(s, "data16") || begins(s, "cs nop") || begins(s, "call") ||
      begins(s, "jmp"))
    return false;
  if (open && !strncmp(open, "(%rip", 5)) /* a variable, unless it is a constant or where one finds an address */
    return relocation && !strstr(relocation, "GOTPC") && !strstr(relocation, ".rodata") && !strstr(relocation, ".LC");
  if (open) return strncmp(open, "(%rsp", 5) && strncmp(open, "(%rbp", 5);
  open = strchr(s, '[');
  return open && strncmp(open, "[sp", 3) && strncmp(open, "[x29", 4) && (begins(s, "ldr") || begins(s, "str"));
}

static void instruction(struct scanning *k, const char *s, const char *relocation) {
  char what[64];
  k->accesses |= accesses_memory(s, relocation);
  if (k->marked) return;
  bool fence = fence_instruction(s);
  if (!fence && !atomic_instruction(s, what, sizeof what)) return;
  if (fence) snprintf(what, sizeof what, "%.*s", (int)strcspn(s, " "), s);
  if (!strcmp(what, k->told)) return;
  snprintf(k->told, sizeof k->told, "%s", what);
  if (fence)
    warn(k, ": %s has a fence (%s) that the hooks cannot see: races may be told that are none", k->function, what);
  else if (begins(what, "syscall") || begins(what, "svc"))
    warn(k, ": %s has a system call of its own (%s): it does not run under the scheduler", k->function, what);
  else
    warn(k, ": %s has an atomic instruction (%s) that the hooks cannot see: inline assembly?", k->function, what);
}

/* Names. */

static bool is_wrapped(const char *name) {
  for (const char *const *w = wrapped_names; *w; w++)
    if (!strcmp(*w, name)) return true;
  return false;
}

/* A function that waits for or wakes other threads, and is not one of the runtime's. */
static void called(struct scanning *k, const char *name) {
  static const char *const prefixes[] = {"pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_"};
  static const char *const harmless[] = {"pthread_equal",          "pthread_setname_np",     "pthread_getname_np",
                                         "pthread_getconcurrency", "pthread_getaffinity_np", "pthread_setaffinity_np",
                                         "pthread_atfork"};
  bool threads = !strcmp(name, "syscall") || !strcmp(name, "fork") || !strcmp(name, "vfork");
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) threads |= begins(name, prefixes[i]);
  for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) threads &= strcmp(name, harmless[i]) != 0;
  if (threads && !strstr(name, "attr_") && !is_wrapped(name))
    warn(k, ": %s calls %s, which does not run under the scheduler", k->function, name);
}

/* "R_X86_64_PLT32	__tsan_read8-0x4" */
static void relocation(struct scanning *k, const char *s) {
  char name[200];
  s = strchr(s, '\t');
  if (!s) return;
  snprintf(name, sizeof name, "%s", s + 1);
  char *end = name + strcspn(name, "-+@");
  *end = 0;
  if (begins(name, "__tsan_")) /* there is always a constructor that calls __tsan_init */
    k->hooks = true;
  else
    called(k, name);
}

/* Lines. */

static void end_object(struct scanning *k) {
  if (k->at && !k->at->compiled && !(k->hooks && k->marked) && (k->accesses || k->hooks)) {
    k->warnings->count = k->before;
    struct without w = {k->at, mem_string(k->mem, k->member, strlen(k->member))};
    vec_push(k->mem, k->without, w);
  } else if (k->at && k->at->compiled && k->hooks && !k->marked) {
    warn(k, ": the compiler did not call the assembler that looks for assembly written by hand: it is not looked for");
  }
  k->before = k->warnings->count;
  k->hooks = k->accesses = k->marked = false;
  k->function[0] = k->told[0] = 0;
}

/* "a.o:     file format elf64-x86-64", of an archive the name of a member. */
static void begin_object(struct scanning *k, const char *line, size_t name) {
  end_object(k);
  for (size_t i = 0; i < k->count; i++)
    if (strlen(k->objects[i].object) == name && !strncmp(k->objects[i].object, line, name)) {
      k->at = &k->objects[i];
      k->member[0] = 0;
      return;
    }
  snprintf(k->member, sizeof k->member, "%.*s", (int)name, line);
}

static void line(struct scanning *k, char *s) {
  char *format = strstr(s, ":     file format "), *open;
  if (begins(s, "In archive ")) {
    end_object(k);
    s[strlen(s) - 1] = 0;
    for (size_t i = 0; i < k->count; i++)
      if (!strcmp(k->objects[i].object, s + 11)) k->at = &k->objects[i];
  } else if (format) {
    begin_object(k, s, (size_t)(format - s));
  } else if (*s != ' ' && (open = strchr(s, '<')) && strlen(open) > 2 && !strcmp(s + strlen(s) - 2, ">:")) {
    snprintf(k->function, sizeof k->function, "%.*s", (int)(strlen(open) - 3), open + 1);
    k->told[0] = 0;
  } else if (k->at && (*s == ' ' || (*s >= '0' && *s <= '9'))) { /* sections from number 100 on begin the line */
    char *text = strchr(s, '\t'), *more = text ? strstr(text, ": R_") : NULL;
    k->marked |= !text && strstr(s, " " ASSEMBLY_MARK " ");
    if (!text) return;
    if (more) relocation(k, more + 2);
    char *end = strchr(text + 1, '\t');
    if (end) *end = 0;
    instruction(k, text + 1, more);
  }
}

bool scan_objects(struct mem *m, const struct scanned *objects, size_t count, const char *said, sentences *warnings,
                  withouts *without) {
  struct scanning k = {.mem = m, .warnings = warnings, .objects = objects, .count = count, .without = without};
  static const char *const command[] = {"objdump", "-h", "-d", "-r", "-w", "-C", "--no-show-raw-insn"};
  words w = {NULL, 0, 0};
  size_t length;
  for (size_t i = 0; i < sizeof command / sizeof *command; i++) vec_push(m, &w, (char *)command[i]);
  for (size_t i = 0; i < count; i++) vec_push(m, &w, (char *)objects[i].object);
  vec_push(m, &w, NULL);
  struct command_run c = {.words = w.at, .said = said};
  commands_run(&c, 1);
  char *text = command_answer(m, &c, &length);
  if (!text) return false;
  for (char *s = text, *end; *s; s = end) {
    end = s + strcspn(s, "\n");
    if (*end) *end++ = 0;
    if (*s) line(&k, s);
  }
  end_object(&k);
  mem_free(m, text);
  if (!k.more) return true;
  struct text t;
  text_open(&t, m);
  text_printf(&t, "and %zu more places that the hooks cannot see", k.more);
  vec_push(m, warnings, t.at);
  return true;
}
